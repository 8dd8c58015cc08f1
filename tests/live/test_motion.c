// SPDX-License-Identifier: Apache-2.0
// Frames with every kind of body, written by the encoder and read by the decoder; motion files
// on the disk, whole and damaged.
#include "check.h"

#include "base/random.h"
#include "live/frame_read.h"
#include "live/motion.h"

#include <unistd.h>

enum
{
    vertexCount = 50,
    nodeCount = 7,
};

static char directory[64];
static char path[96];

static palVec3 randomVector(palRandom* random)
{
    return palMakeVec3(palRandom_Normal(random), palRandom_Normal(random),
                       palRandom_Normal(random));
}

static palQuat randomQuat(palRandom* random)
{
    return palMakeQuatRotationVector(randomVector(random));
}

// Two colliders of which the second is soft, two tools and a wire. All in static memory.
typedef struct Scene
{
    palVec3 rest[vertexCount], vertices[vertexCount];
    float displacement[vertexCount], stress[vertexCount];
    palVec3 positions[nodeCount];
    palQuat rotations[nodeCount];
    palDrawnSurface surface;
    palDrawnTool tools[2];
    palDrawnWire wire;
    palDrawing drawing;
} Scene;

static void initScene(Scene* scene)
{
    *scene = (Scene){0};
    scene->surface = (palDrawnSurface){
        .object = 1,
        .vertexCount = vertexCount,
        .rest = scene->rest,
        .vertices = scene->vertices,
        .displacement = scene->displacement,
        .stress = scene->stress,
    };
    scene->wire = (palDrawnWire){nodeCount, 0.25e-3, scene->positions, scene->rotations};
    scene->drawing = (palDrawing){
        .colliderCount = 2,
        .surfaces = &scene->surface,
        .surfaceCount = 1,
        .tools = scene->tools,
        .toolCount = 2,
        .wires = &scene->wire,
        .wireCount = 1,
    };
}

static void shake(Scene* scene, palRandom* random, double t)
{
    for (int i = 0; i < vertexCount; i++)
    {
        scene->vertices[i] = randomVector(random);
        scene->stress[i] = (float)palRandom_Range(random, 0.0, 1e4);
    }
    for (int i = 0; i < nodeCount; i++)
    {
        scene->positions[i] = randomVector(random);
        scene->rotations[i] = randomQuat(random);
    }
    for (int i = 0; i < 2; i++)
        scene->tools[i] =
            (palDrawnTool){.position = randomVector(random), .orientation = randomQuat(random)};
    scene->drawing.time = t;
}

static void assertNearVec3(palVec3 a, palVec3 b)
{
    ASSERT_BELOW(palDistance(a, b), 1e-6);
}

// The frame has floats, whose rounding is below 1e-6 here.
static void assertSame(const Scene* a, const Scene* b)
{
    for (int i = 0; i < vertexCount; i++)
        assertNearVec3(a->vertices[i], b->vertices[i]);
    for (int i = 0; i < nodeCount; i++)
    {
        assertNearVec3(a->positions[i], b->positions[i]);
        palQuat q = palMulQuat(a->rotations[i], palConjugate(b->rotations[i]));
        ASSERT_BELOW(palLength(palRotationVector(q)), 1e-6);
    }
    for (int i = 0; i < 2; i++)
    {
        assertNearVec3(a->tools[i].position, b->tools[i].position);
        palQuat q = palMulQuat(a->tools[i].orientation, palConjugate(b->tools[i].orientation));
        ASSERT_BELOW(palLength(palRotationVector(q)), 1e-6);
    }
}

static void wires_and_tools_come_through_a_frame(void** state)
{
    (void)state;
    Scene scene;
    palRandom random = palMakeRandom(1);
    initScene(&scene);
    shake(&scene, &random, 0.5);
    palFrame frame = {0};
    palFrame_Begin(&frame, &(palFrameHead){.number = 4, .epoch = 2, .t = 0.5});
    palFrame_Bodies(&frame, &scene.drawing, pal_fieldNone);

    palFrameHead head;
    size_t length;
    assert_true(palFrameHead_Read(frame.bytes, &head, &length));
    assert_int_equal(length, frame.length);
    assert_int_equal(head.number, 4);
    ASSERT_NEAR(head.t, 0.5, 0.0);
    palFrameReader reader = palMakeFrameReader(frame.bytes, frame.length);
    palReadBody body;
    palReadPoses poses;
    assert_true(palFrameReader_Next(&reader) && reader.kind == pal_frameBody);
    assert_true(palFrameReader_Body(&reader, &body));
    assert_int_equal(body.id, 1);
    assert_int_equal(body.vertexCount, vertexCount);
    assert_null(body.field);
    for (int i = 0; i < 2; i++)
    {
        palVec3 position;
        palQuat orientation;
        assert_true(palFrameReader_Next(&reader) && reader.kind == pal_framePoses);
        assert_true(palFrameReader_Poses(&reader, &poses));
        assert_int_equal(poses.kind, pal_bodyTool);
        assert_int_equal(poses.id, 2 + i);
        assert_int_equal(poses.count, 1);
        assert_true(palReadPoses_Get(&poses, &position, &orientation));
        assertNearVec3(position, scene.tools[i].position);
    }
    assert_true(palFrameReader_Next(&reader) && reader.kind == pal_framePoses);
    assert_true(palFrameReader_Poses(&reader, &poses));
    assert_int_equal(poses.kind, pal_bodyWire);
    assert_int_equal(poses.id, 4);
    assert_int_equal(poses.count, nodeCount);
    ASSERT_NEAR(poses.radius, 0.25e-3, 1e-10);
    assert_false(palFrameReader_Next(&reader));
    assert_false(reader.failed);
    palFrame_Free(&frame);
}

// Half a second of motion, shown at any moment of it.
static void a_motion_file_shows_every_moment_again(void** state)
{
    (void)state;
    Scene scene, shown;
    palMotionWriter writer;
    palMotion motion;
    palRandom random = palMakeRandom(2);
    initScene(&scene);
    initScene(&shown);
    assert_int_equal(palMotionWriter_Open(&writer, directory, NULL), pal_ok);
    for (int k = 0; k < 20; k++)
    {
        shake(&scene, &random, 0.02 * k);
        scene.surface.hasStress = k >= 10;
        palMotionWriter_Add(&writer, &scene.drawing);
    }
    assert_int_equal(palMotionWriter_Close(&writer, NULL), pal_ok);
    assert_int_equal(palMotion_Open(&motion, directory, NULL), pal_ok);
    assert_int_equal(motion.count, 20);
    assert_int_equal(palMotion_FrameAt(&motion, -1.0), 0);
    assert_int_equal(palMotion_FrameAt(&motion, 1.0), 19);
    random = palMakeRandom(2);
    for (int k = 0; k < 20; k++)
    {
        shake(&scene, &random, 0.02 * k);
        int index = palMotion_FrameAt(&motion, 0.02 * k + 0.001);
        assert_int_equal(index, k);
        assert_int_equal(palMotion_Show(&motion, index, &shown.drawing, NULL), pal_ok);
        assertSame(&scene, &shown);
        ASSERT_NEAR(shown.displacement[3], palLength(scene.vertices[3]), 1e-6);
        assert_int_equal(shown.surface.hasStress, k >= 10);
        if (k >= 10)
            ASSERT_NEAR(shown.stress[7], scene.stress[7], 0.0);
    }
    palMotion_Close(&motion);
}

// Drawings at 1 kHz for ten seconds: no more frames than a screen shows.
static void a_motion_file_is_no_denser_than_a_screen(void** state)
{
    (void)state;
    Scene scene;
    palMotionWriter writer;
    palMotion motion;
    initScene(&scene);
    assert_int_equal(palMotionWriter_Open(&writer, directory, NULL), pal_ok);
    for (int k = 0; k < 10000; k++)
    {
        scene.drawing.time = 1e-3 * k;
        palMotionWriter_Add(&writer, &scene.drawing);
    }
    assert_int_equal(palMotionWriter_Close(&writer, NULL), pal_ok);
    assert_int_equal(palMotion_Open(&motion, directory, NULL), pal_ok);
    assert_true(motion.count <= 601 && motion.count >= 500);
    palMotion_Close(&motion);
}

static void a_directory_without_a_motion_file_has_an_empty_one(void** state)
{
    (void)state;
    palMotion motion;
    unlink(path);
    assert_int_equal(palMotion_Open(&motion, directory, NULL), pal_ok);
    assert_int_equal(motion.count, 0);
    assert_int_equal(palMotion_FrameAt(&motion, 0.0), -1);
    palMotion_Close(&motion);
    palMotionWriter writer;
    palError error = {0};
    assert_int_equal(palMotionWriter_Open(&writer, "/no/such/directory", &error), pal_errorFile);
    assert_non_null(strstr(error.text, "No such file"));
}

// Writes `count` bytes as the motion file.
static void store(const unsigned char* bytes, size_t count)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static palFrame threeFrames(Scene* scene)
{
    palFrame all = {0}, frame = {0};
    palRandom random = palMakeRandom(3);
    for (int k = 0; k < 3; k++)
    {
        shake(scene, &random, 0.1 * k);
        palFrame_Begin(&frame, &(palFrameHead){.t = 0.1 * k});
        palFrame_Bodies(&frame, &scene->drawing, pal_fieldNone);
        all.bytes = realloc(all.bytes, all.length + frame.length);
        memcpy(all.bytes + all.length, frame.bytes, frame.length);
        all.length += frame.length;
    }
    palFrame_Free(&frame);
    return all;
}

static void a_motion_file_cut_short_ends_where_it_was_whole(void** state)
{
    (void)state;
    Scene scene;
    initScene(&scene);
    palFrame all = threeFrames(&scene);
    size_t each = all.length / 3;
    for (size_t length = 0; length <= all.length; length += 61)
    {
        palMotion motion;
        store(all.bytes, length);
        assert_int_equal(palMotion_Open(&motion, directory, NULL), pal_ok);
        assert_int_equal(motion.count, length / each);
        palMotion_Close(&motion);
    }
    palFrame_Free(&all);
}

// Any byte may be wrong: what is shown is shown, or it is told; nothing is read beyond the end
// (asan) and no drawing gets a number that is not finite.
static void a_damaged_motion_file_is_told(void** state)
{
    (void)state;
    Scene scene;
    palRandom random = palMakeRandom(4);
    initScene(&scene);
    palFrame all = threeFrames(&scene);
    unsigned char* bytes = malloc(all.length);
    int told = 0;
    for (int k = 0; k < 2000; k++)
    {
        palMotion motion;
        memcpy(bytes, all.bytes, all.length);
        size_t at = (size_t)palRandom_Below(&random, k % 2 == 0 ? 120 : (int)all.length);
        bytes[at] = (unsigned char)palRandom_Next(&random);
        store(bytes, all.length);
        assert_int_equal(palMotion_Open(&motion, directory, NULL), pal_ok);
        for (int i = 0; i < motion.count; i++)
        {
            palError error = {0};
            bool isTold = palMotion_Show(&motion, i, &scene.drawing, &error) != pal_ok;
            assert_true(!isTold || strstr(error.text, "damaged") != NULL);
            told += isTold;
            for (int v = 0; v < vertexCount && !isTold; v++)
                assert_true(isfinite(palLength(scene.vertices[v])));
        }
        palMotion_Close(&motion);
    }
    assert_true(told > 100);
    free(bytes);
    palFrame_Free(&all);
}

static void a_motion_file_of_another_scene_is_told(void** state)
{
    (void)state;
    Scene scene;
    palMotion motion;
    palError error = {0};
    initScene(&scene);
    palFrame all = threeFrames(&scene);
    store(all.bytes, all.length);
    assert_int_equal(palMotion_Open(&motion, directory, NULL), pal_ok);
    scene.surface.vertexCount--;
    assert_int_equal(palMotion_Show(&motion, 0, &scene.drawing, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "another scene"));
    palMotion_Close(&motion);
    palFrame_Free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wires_and_tools_come_through_a_frame),
        cmocka_unit_test(a_motion_file_shows_every_moment_again),
        cmocka_unit_test(a_motion_file_is_no_denser_than_a_screen),
        cmocka_unit_test(a_directory_without_a_motion_file_has_an_empty_one),
        cmocka_unit_test(a_motion_file_cut_short_ends_where_it_was_whole),
        cmocka_unit_test(a_damaged_motion_file_is_told),
        cmocka_unit_test(a_motion_file_of_another_scene_is_told),
    };
    snprintf(directory, sizeof directory, "/tmp/palpate-motion-XXXXXX");
    if (mkdtemp(directory) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/bodies.palf", directory);
    int failures = RUN(tests);
    unlink(path);
    return rmdir(directory) != 0 || failures != 0;
}
