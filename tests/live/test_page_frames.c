// SPDX-License-Identifier: Apache-2.0
// What the encoder writes is what the page reads: frames with every kind of body go through the
// page's own decoder (viewer/src/frame.js) in Node. PAL_FRAME_FILE=FILE keeps the frame, for the
// tests of the page.
#include "check.h"

#include "live/frame.h"

#include <unistd.h>

enum
{
    nodeCount = 9,
};

// A quarter circle of radius 40 mm, twisted by half a turn from end to end.
static void makeWire(palVec3 positions[nodeCount], palQuat rotations[nodeCount])
{
    for (int i = 0; i < nodeCount; i++)
    {
        double share = (double)i / (nodeCount - 1);
        double angle = 0.5 * M_PI * share;
        positions[i] = palMakeVec3(0.04 * sin(angle), 0.07, 0.04 * (1 - cos(angle)));
        palQuat bend = palMakeQuatRotationVector(palMakeVec3(0, -angle, 0));
        palQuat twist = palMakeQuatRotationVector(palMakeVec3(M_PI * share, 0, 0));
        rotations[i] = palMulQuat(bend, twist);
    }
}

// A tetrahedron as the tool, half a turn about z at (10, 60, 0) mm.
static void encode(palFrame* frame)
{
    static palVec3 vertices[4] = {{0, 0, 0}, {0.02, 0, 0}, {0, 0.02, 0}, {0, 0, 0.02}};
    static int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static palSurface mesh = {4, 4, vertices, triangles};
    palVec3 positions[nodeCount];
    palQuat rotations[nodeCount];
    makeWire(positions, rotations);
    palDrawnTool tool = {0, &mesh, {0.01, 0.06, 0}, {0, 0, 0, 1}};
    palDrawnWire wire = {nodeCount, 1e-3, positions, rotations};
    const palDrawing drawing = {
        .colliderCount = 1, .tools = &tool, .toolCount = 1, .wires = &wire, .wireCount = 1};
    palFrame_Begin(frame, &(palFrameHead){.number = 12, .epoch = 3, .t = 2.5, .stream = 1});
    palFrame_Body(frame,
                  &(palFrameBody){.kind = pal_bodyTool,
                                  .id = 1,
                                  .name = "probe",
                                  .vertices = vertices,
                                  .vertexCount = 4,
                                  .triangles = (const int(*)[3])triangles,
                                  .triangleCount = 4},
                  true);
    palFrame_Bodies(frame, &drawing, pal_fieldStress);
}

static void keep(const palFrame* frame, const char* path)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(frame->bytes, 1, frame->length, file), frame->length);
    fclose(file);
}

// Runs the page's decoder over the file and compares what it prints, in micrometres and in
// millionths.
static void the_page_reads_what_was_written(void** state)
{
    (void)state;
    if (system("node --version > /dev/null 2>&1") != 0)
        SKIP("Node is not installed; scripts/deps.sh run");
    palFrame frame = {0};
    char path[64] = "/tmp/palpate-frame-XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    encode(&frame);
    assert_false(frame.failed);
    keep(&frame, path);
    if (getenv("PAL_FRAME_FILE") != NULL)
        keep(&frame, getenv("PAL_FRAME_FILE"));

    char command[512], line[256];
    snprintf(command, sizeof command, "node '%s/tests/viewer/decode.js' '%s'", PAL_SOURCE_DIR,
             path);
    FILE* output = popen(command, "r");
    assert_non_null(output);
    char expected[8][256];
    int count = 0;
    snprintf(expected[count++], 256, "frame 12 epoch 3 t 2.5 bodies 3\n");
    snprintf(expected[count++], 256,
             "body 1 kind 3 vertices 4 triangles 0,2,1,0,1,3,0,3,2,1,2,3 "
             "field plain name probe\n");
    snprintf(expected[count++], 256, "poses 1 kind 3 count 1 radius 0\n");
    snprintf(expected[count++], 256, "poses 2 kind 4 count 9 radius 1000\n");
    for (int i = 0; i < count; i++)
    {
        assert_non_null(fgets(line, sizeof line, output));
        assert_string_equal(line, expected[i]);
    }
    palVec3 positions[nodeCount];
    palQuat rotations[nodeCount];
    makeWire(positions, rotations);
    for (int i = 0; i < nodeCount; i++)
    {
        double v[7];
        assert_non_null(fgets(line, sizeof line, output));
        assert_int_equal(sscanf(line, "%lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3],
                                &v[4], &v[5], &v[6]),
                         7);
        ASSERT_BELOW(palDistance(palMakeVec3(v[0], v[1], v[2]), positions[i]), 1e-8);
        ASSERT_NEAR(v[3], rotations[i].w, 1e-6);
        ASSERT_NEAR(v[4], rotations[i].x, 1e-6);
        ASSERT_NEAR(v[5], rotations[i].y, 1e-6);
        ASSERT_NEAR(v[6], rotations[i].z, 1e-6);
    }
    assert_int_equal(pclose(output), 0);
    unlink(path);
    palFrame_Free(&frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_reads_what_was_written),
    };
    return RUN(tests);
}
