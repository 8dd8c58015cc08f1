// SPDX-License-Identifier: Apache-2.0
// From `soft` in a scene to a body: its elements, its surface, what holds it, and what is refused.
#include "check.h"

#include "mesh/volume_shapes.h"
#include "mesh/volume_write.h"
#include "scene/bodies.h"

#include <unistd.h>

static char meshPath[] = "/tmp/palpate-soft-XXXXXX.msh";

// A beam of tets, 100 x 20 x 20 units, with node sets and two regions: label 7 where x > 0.
static int writeBeam(void** state)
{
    (void)state;
    int descriptor = mkstemps(meshPath, 4);
    if (descriptor < 0)
        return 1;
    close(descriptor);
    palVolumeShapeDef def = palDefaultVolumeShapeDef(pal_volumeBeam);
    def.size = palMakeVec3(100, 20, 20);
    def.cells[0] = 10;
    def.cells[1] = def.cells[2] = 2;
    palVolume volume;
    palError error;
    if (palMakeVolumeShape(&def, &volume, &error) != pal_ok ||
        palVolume_AddRegion(&volume, 7, "right", &error) != pal_ok)
        return 1;
    for (int t = 0; t < volume.tetCount; t++)
    {
        double x = 0.0;
        for (int k = 0; k < 4; k++)
            x += volume.vertices[volume.tets[t][k]].x;
        if (x > 0.0)
            volume.labels[t] = 7;
    }
    palResult result = palVolume_Write(&volume, meshPath, pal_msh41, &error);
    palVolume_Free(&volume);
    return result != pal_ok;
}

static int removeBeam(void** state)
{
    (void)state;
    return remove(meshPath);
}

typedef struct Built
{
    palScene scene;
    palSceneBodies world;
    palMessages messages;
    palError error;
    palResult result;
} Built;

// One object, as YAML in braces; `more` are further lines of the scene.
static void build(Built* built, const char* more, const char* object)
{
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "palpate: 1\ntrajectory: {kind: line}\n%sobjects:\n"
                          "  - %s\n",
                          more, object);
    assert_true(length < (int)sizeof text);
    memset(built, 0, sizeof *built);
    built->result = palScene_Parse(text, strlen(text), "x.yaml", NULL, 0, &built->scene,
                                   &built->messages, &built->error);
    if (built->result == pal_ok)
        built->result =
            palSceneBodies_Init(&built->world, &built->scene, &built->messages, &built->error);
}

static void freeBuilt(Built* built)
{
    palSceneBodies_Free(&built->world);
    palScene_Free(&built->scene);
    palMessages_Free(&built->messages);
}

static const palCollider* buildGood(Built* built, const char* object)
{
    build(built, "", object);
    if (built->result != pal_ok)
        print_error("%s: %s\n", object, built->error.text);
    assert_int_equal(built->result, pal_ok);
    assert_non_null(built->world.colliders[0].soft);
    return &built->world.colliders[0];
}

static int heldCount(const palSoftBody* body)
{
    return body->nodeCount - body->freeCount;
}

//--------------------------------------------------------------------------------------------------
// What it is made of

static void a_closed_surface_rides_on_a_grid_of_hexes(void** state)
{
    (void)state;
    static Built built;
    const palCollider* collider =
        buildGood(&built, "{shape: {kind: box, size: [0.1, 0.1, 0.1]}, position: [1, 2, 3], "
                          "soft: {resolution: 5, density: 800}}");
    const palSoftBody* body = collider->soft;
    assert_int_equal(body->hexCount, 125);
    assert_int_equal(body->nodeCount, 216);
    ASSERT_NEAR(palSoftBody_Mass(body), 0.8, 1e-12);

    // At rest the surface is where the shape is; when the nodes turn and stretch, it follows them.
    palSurface moved;
    palError error;
    assert_int_equal(palSurface_Copy(&collider->surface, &moved, &error), pal_ok);
    palSkin_Points(&collider->skin, body->x, moved.vertices);
    for (int v = 0; v < moved.vertexCount; v++)
        ASSERT_BELOW(palDistance(moved.vertices[v], collider->surface.vertices[v]), 1e-14);
    palMat3 A = {{{0.9, -0.3, 0.1}, {0.2, 1.1, 0}, {0.1, 0.4, 0.8}}};
    for (int i = 0; i < body->nodeCount; i++)
        body->x[i] = palMat3Apply(A, body->rest[i]);
    palSkin_Points(&collider->skin, body->x, moved.vertices);
    for (int v = 0; v < moved.vertexCount; v++)
        ASSERT_BELOW(palDistance(moved.vertices[v], palMat3Apply(A, collider->surface.vertices[v])),
                     1e-13);
    palSurface_Free(&moved);
    freeBuilt(&built);
}

// A cylinder of 400 sides with fans for ends, the upper one a cone of that height.
static void writeFans(const char* path, double tip)
{
    enum
    {
        n = 400,
    };
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "OFF\n%d %d 0\n", 2 * n + 2, 4 * n);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            fprintf(file, "%.17g %.17g %g\n", 0.05 * cos(2.0 * M_PI * i / n),
                    0.05 * sin(2.0 * M_PI * i / n), k == 0 ? 0.04 : 0.0);
    fprintf(file, "0 0 %g\n0 0 0\n", 0.04 + tip);
    for (int i = 0; i < n; i++)
    {
        int j = (i + 1) % n;
        fprintf(file, "3 %d %d %d\n3 %d %d %d\n", 2 * n, i, j, i, n + i, n + j);
        fprintf(file, "3 %d %d %d\n3 %d %d %d\n", i, n + j, j, 2 * n + 1, n + j, n + i);
    }
    fclose(file);
}

static int mostTrianglesAtAVertex(const palSurface* surface)
{
    int* counts = calloc((size_t)surface->vertexCount, sizeof *counts);
    int most = 0;
    assert_non_null(counts);
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
            if (++counts[surface->triangles[t][k]] > most)
                most = counts[surface->triangles[t][k]];
    free(counts);
    return most;
}

// A tick could not look at all triangles of a fan.
static void fans_of_triangles_are_opened_or_warned_about(void** state)
{
    (void)state;
    static Built built;
    char path[] = "/tmp/palpate-fan-XXXXXX.off";
    char object[256];
    int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(object, sizeof object, "{mesh: %s, soft: {resolution: 5}}", path);
    for (int tip = 0; tip < 2; tip++)
    {
        writeFans(path, 0.05 * tip);
        const palCollider* collider = buildGood(&built, object);
        int warned = 0;
        for (int i = 0; i < built.messages.count; i++)
            warned += strstr(built.messages.items[i].what.text, "meet in one vertex") != NULL;
        assert_int_equal(warned, tip);
        assert_int_equal(mostTrianglesAtAVertex(&collider->surface) <= 48, !tip);
        freeBuilt(&built);
    }
    remove(path);
}

static void boxes_and_cylinders_can_be_made_of_tets(void** state)
{
    (void)state;
    static Built built;
    const palCollider* block =
        buildGood(&built, "{shape: {kind: box}, soft: {elements: tets, resolution: 8, "
                          "fixed: [{nodes: ymin}]}}");
    assert_int_equal(block->soft->tetCount, 2560);
    assert_int_equal(block->soft->nodeCount, 729);
    assert_int_equal(heldCount(block->soft), 81);
    assert_true(block->closed);
    assert_int_equal(block->surface.triangleCount, 6 * 8 * 8 * 2);
    for (int i = 0; i < block->soft->nodeCount; i++)
        assert_true((block->soft->freeIndex[i] < 0) == (block->soft->rest[i].y < -0.05 + 1e-9));
    freeBuilt(&built);

    const palCollider* rod =
        buildGood(&built, "{shape: {kind: cylinder, radius: 0.01, height: 0.08}, "
                          "soft: {elements: tets, resolution: 12, fixed: [{nodes: zmin}]}}");
    palBounds bounds = palSurface_Bounds(&rod->surface);
    ASSERT_NEAR(bounds.high.z - bounds.low.z, 0.08, 1e-12);
    ASSERT_NEAR(bounds.high.x, 0.01, 1e-12);
    freeBuilt(&built);
}

static void a_volume_mesh_keeps_its_elements_sets_and_place(void** state)
{
    (void)state;
    static Built built;
    char object[512];
    snprintf(object, sizeof object,
             "{mesh: %s, unit: mm, scale: 2, position: [1, 0, 0], soft: {density: 500, young: 1e4, "
             "fixed: [{nodes: xmin}], regions: [{region: right, young: 3e4}]}}",
             meshPath);
    const palCollider* collider = buildGood(&built, object);
    const palSoftBody* body = collider->soft;
    assert_int_equal(body->tetCount, 5 * 10 * 2 * 2);
    assert_int_equal(heldCount(body), 9);
    palBounds bounds = palSurface_Bounds(&collider->surface);
    ASSERT_BELOW(palDistance(bounds.low, palMakeVec3(0.9, -0.02, -0.02)), 1e-12);
    ASSERT_BELOW(palDistance(bounds.high, palMakeVec3(1.1, 0.02, 0.02)), 1e-12);
    ASSERT_NEAR(palSoftBody_Mass(body), 500 * 0.2 * 0.04 * 0.04, 1e-12);
    // Three times as stiff on the right.
    double mu = 1e4 / (2.0 * 1.4);
    for (int t = 0; t < body->tetCount; t++)
    {
        double x = 0.0;
        for (int k = 0; k < 4; k++)
            x += 0.25 * body->rest[body->tets[t][k]].x;
        ASSERT_NEAR(body->tetModels[t].lame.mu, x > 1.0 ? 3.0 * mu : mu, 1e-9 * mu);
    }
    freeBuilt(&built);
}

static void a_volume_mesh_without_soft_is_its_rigid_boundary(void** state)
{
    (void)state;
    static Built built;
    char object[256];
    snprintf(object, sizeof object, "{mesh: %s, unit: mm}", meshPath);
    build(&built, "", object);
    assert_int_equal(built.result, pal_ok);
    assert_null(built.world.colliders[0].soft);
    assert_true(built.world.colliders[0].closed);
    assert_int_equal(built.world.colliders[0].surface.triangleCount, 2 * (4 * 20 + 2 * 4));
    freeBuilt(&built);
}

//--------------------------------------------------------------------------------------------------
// What holds it, and where it is stiffer

static void parts_of_space_hold_exactly_the_nodes_in_them(void** state)
{
    (void)state;
    static Built built;
    const palSoftBody* body =
        buildGood(&built, "{shape: {kind: box}, position: [0.5, 0, 0], soft: {resolution: 6, "
                          "fixed: [{box: [[0.6, 1, 1], [0.53, 0.02, -1]]}, "
                          "{sphere: {centre: [0.5, 0, 0], radius: 0.03}}, "
                          "{plane: {point: [0, -0.04, 0], normal: [0, 3, 0]}}]}}")
            ->soft;
    int held = 0;
    for (int i = 0; i < body->nodeCount; i++)
    {
        palVec3 x = body->rest[i];
        bool isHeld = (x.x >= 0.53 && x.y >= 0.02) ||
                      palDistance(x, palMakeVec3(0.5, 0, 0)) <= 0.03 || x.y <= -0.04;
        assert_true(isHeld == (body->freeIndex[i] < 0));
        held += isHeld;
    }
    assert_true(held > 49 && held < body->nodeCount);
    freeBuilt(&built);
}

static void a_box_of_another_stiffness_takes_the_elements_in_it(void** state)
{
    (void)state;
    static Built built;
    const palSoftBody* body =
        buildGood(&built, "{shape: {kind: box}, soft: {resolution: 4, young: 2e4, regions: "
                          "[{box: [[-1, 0, -1], [1, 1, 1]], young: 5e4}, "
                          "{box: [[-1, 0.025, -1], [1, 1, 1]], young: 1e3}]}}")
            ->soft;
    for (int h = 0; h < body->hexCount; h++)
    {
        double y = 0.0;
        for (int k = 0; k < 8; k++)
            y += 0.125 * body->rest[body->hexes[h][k]].y;
        ASSERT_NEAR(body->hexYoung[h], y < 0.0 ? 2e4 : y < 0.025 ? 5e4 : 1e3, 1e-6);
    }
    freeBuilt(&built);
}

//--------------------------------------------------------------------------------------------------
// Defaults, warnings and refusals

static void latency_is_a_whole_step_where_anything_is_soft(void** state)
{
    (void)state;
    static Built built;
    build(&built, "time: {low_dt: 0.02}\n", "{shape: {kind: box}, soft: {}}");
    ASSERT_NEAR(built.scene.time.latency, 0.02, 0);
    freeBuilt(&built);
    build(&built, "time: {low_dt: 0.02, latency: 0.003}\n", "{shape: {kind: box}, soft: {}}");
    ASSERT_NEAR(built.scene.time.latency, 0.003, 0);
    freeBuilt(&built);
    build(&built, "time: {low_dt: 0.02}\n", "{shape: {kind: box}}");
    ASSERT_NEAR(built.scene.time.latency, 0.005, 0);
    freeBuilt(&built);
}

static void expectWarning(const char* object, const char* what)
{
    static Built built;
    build(&built, "", object);
    assert_int_equal(built.result, pal_ok);
    bool found = false;
    for (int i = 0; i < built.messages.count; i++)
        found = found || (built.messages.items[i].severity == pal_severityWarning &&
                          strstr(built.messages.items[i].what.text, what) != NULL);
    if (!found)
        print_error("no warning has: %s\n", what);
    assert_true(found);
    freeBuilt(&built);
}

static void doubtful_bodies_are_warned_about(void** state)
{
    (void)state;
    expectWarning("{shape: {kind: box}, soft: {resolution: 3}}", "nothing holds object0");
    expectWarning("{shape: {kind: box}, soft: {resolution: 3, poisson: 0.47}}", "begin to lock");
}

static void the_model_is_told(void** state)
{
    (void)state;
    static Built built;
    build(&built, "",
          "{name: liver, shape: {kind: box}, soft: {resolution: 3, "
          "fixed: [{plane: {point: [0, -0.04, 0], normal: [0, 1, 0]}}]}}");
    assert_int_equal(built.messages.count, 1);
    assert_int_equal(built.messages.items[0].severity, pal_severityNote);
    assert_string_equal(built.messages.items[0].what.text,
                        "liver is soft: 64 nodes, 16 held; 27 hexes; worst element 1 of 1; 1 kg");
    assert_int_equal(built.messages.items[0].what.line, 4);
    freeBuilt(&built);
}

static void expectRefusal(const char* more, const char* object, const char* what,
                          const char* remedy)
{
    static Built built;
    build(&built, more, object);
    if (built.result == pal_ok || strstr(built.error.text, what) == NULL ||
        strstr(built.error.remedy, remedy) == NULL)
        print_error("%s: %s; %s\n", object, built.error.text, built.error.remedy);
    assert_int_equal(built.result, pal_errorInput);
    assert_non_null(strstr(built.error.text, what));
    assert_non_null(strstr(built.error.remedy, remedy));
    assert_string_equal(built.error.file, "x.yaml");
    assert_true(built.error.line >= 4 && built.error.column > 1);
    assert_int_equal(built.world.count, 0);
    freeBuilt(&built);
}

static void impossible_bodies_are_refused_with_line_and_remedy(void** state)
{
    (void)state;
    expectRefusal("", "{shape: {kind: plane}, soft: {}}", "has no inside to fill", "close");
    expectRefusal("", "{shape: {kind: box}, soft: {poisson: 0.495}}", "nearly incompressible",
                  "at most 0.49");
    expectRefusal("", "{shape: {kind: box}, soft: {young: -1}}", "out of range", "1 to");
    expectRefusal("", "{shape: {kind: box}, soft: {resolution: 0}}", "out of range", "1 to 400");
    expectRefusal("", "{shape: {kind: box}, soft: {resolution: 400}}", "6.4e+07 cells", "lower");
    expectRefusal("", "{shape: {kind: box}, soft: {resolution: 50}}", "would have 132651 nodes",
                  "lower soft.resolution");
    expectRefusal("", "{shape: {kind: sphere}, soft: {elements: tets}}",
                  "a sphere cannot be made of tets", "elements: hexes");
    expectRefusal("", "{shape: {kind: box}, soft: {fixed: [{nodes: top}]}}",
                  "object0 has no node set 'top'", "hold nodes by a box");
    expectRefusal("", "{shape: {kind: box}, soft: {elements: tets, fixed: [{nodes: top}]}}",
                  "no node set 'top'", "xmin, xmax");
    expectRefusal("", "{shape: {kind: box}, soft: {fixed: [{box: [[1, 1, 1], [2, 2, 2]]}]}}",
                  "no node of object0 is in this part", "from [-0.05, -0.05, -0.05]");
    expectRefusal("",
                  "{shape: {kind: box}, soft: {fixed: [{sphere: {centre: [0, 0, 0], radius: "
                  "1}}]}}",
                  "every node of the soft body is held", "hold fewer");
    expectRefusal("", "{shape: {kind: box}, soft: {regions: [{region: bone, young: 1e6}]}}",
                  "object0 has no region 'bone'", "palpate mesh");
    expectRefusal(
        "", "{shape: {kind: box}, soft: {regions: [{box: [[1, 1, 1], [2, 2, 2]], young: 1e6}]}}",
        "no element of object0 has its middle in this box", "from [-0.05, -0.05, -0.05]");
    expectRefusal("gravity: [0, -9.81, 0]\n",
                  "{shape: {kind: box, size: [0.1, 0.1, 0.1]}, soft: {young: 100, elements: tets, "
                  "resolution: 2, fixed: [{nodes: ymin}]}}",
                  "object0 cannot start at rest: gravity turns", "soft.start: unloaded");
    expectRefusal("gravity: [0, -9.81, 0]\n", "{shape: {kind: box}, soft: {}}",
                  "nothing holds object0, and gravity pulls it away", "soft.fixed");
    expectRefusal("", "{shape: {kind: box}, soft: {fixed: [{}]}}",
                  "fixed misses 'box' or 'sphere' or 'plane' or 'nodes'", "exactly one");
    expectRefusal("", "{shape: {kind: box}, soft: {fixed: [{box: [1, 2, 3]}]}}",
                  "'box' needs two corners", "for example");
}

// The surface of a settled body, embedded or not, is on its nodes and lower than the shape.
static void gravity_is_balanced_before_the_run(void** state)
{
    (void)state;
    static const char* const elements[] = {"hexes", "tets"};
    for (int i = 0; i < 2; i++)
    {
        char object[256];
        static Built built;
        snprintf(object, sizeof object,
                 "{shape: {kind: box, size: [0.1, 0.1, 0.1]}, soft: {elements: %s, resolution: 4, "
                 "fixed: [{plane: {point: [0, -0.05, 0], normal: [0, 1, 0]}}]}}",
                 elements[i]);
        build(&built, "gravity: [0, -9.81, 0]\n", object);
        assert_int_equal(built.result, pal_ok);
        const palCollider* collider = &built.world.colliders[0];
        double weight = 9.81 * palSoftBody_Mass(collider->soft);
        for (int k = 0; k < 3 * collider->soft->freeCount; k++)
            ASSERT_BELOW(fabs(collider->soft->force[k]), 1e-8 * weight);
        palBounds bounds = palSurface_Bounds(&collider->surface);
        // A block on its base gives way by ρ g L²/(2 E), but for what its base holds: 4.9 mm.
        ASSERT_NEAR(0.05 - bounds.high.y, 0.0049, 0.0012);
        // What is touched has gone along.
        palNearest nearest;
        palVec3 above = palMakeVec3(0.0, 0.06, 0.0);
        assert_true(palColliders_Nearest(collider, 1, above, 1.0, &nearest));
        ASSERT_BELOW(0.013, nearest.gap);
        freeBuilt(&built);
    }
}

// Whatever the cells, the body weighs what the surface holds: a plate that is thinner than one, and
// a ball.
static void a_surface_in_a_grid_has_its_own_mass(void** state)
{
    (void)state;
    static const char* objects[] = {
        "{shape: {kind: box, size: [0.1, 0.004, 0.1]}, soft: {density: 1100, resolution: 12}}",
        "{shape: {kind: box, size: [0.1, 0.1, 0.004]}, rotation: [20, 30, 40], "
        "soft: {density: 1100, resolution: 7}}",
        "{shape: {kind: sphere, radius: 0.024}, soft: {density: 1100, resolution: 6}}",
    };
    const double volumes[] = {4e-5, 4e-5, 4.0 / 3.0 * PAL_PI * 0.024 * 0.024 * 0.024};
    for (int i = 0; i < 3; i++)
    {
        Built built;
        build(&built, "", objects[i]);
        assert_int_equal(built.result, pal_ok);
        // The ball is one of flat triangles.
        double expected = 1100.0 * volumes[i], share = i < 2 ? 1e-9 : 5e-3;
        ASSERT_NEAR(palSoftBody_Mass(built.world.colliders[0].soft), expected, share * expected);
        freeBuilt(&built);
    }
}

// The grid lies along the object's axes, not the world's: a turned object is the same body.
static void a_turned_object_has_the_same_grid(void** state)
{
    (void)state;
    static const char* turns[] = {"[0, 0, 0]", "[0, 0, 33]", "[37, -50, 20]"};
    const palVec3 vectors[] = {{0, 0, 0}, {0, 0, 33}, {37, -50, 20}};
    palVec3 rest[1000];
    int count = 0;
    for (int i = 0; i < 3; i++)
    {
        char object[256];
        Built built;
        snprintf(object, sizeof object,
                 "{shape: {kind: box, size: [0.1, 0.04, 0.08]}, rotation: %s, "
                 "soft: {resolution: 5}}",
                 turns[i]);
        build(&built, "", object);
        assert_int_equal(built.result, pal_ok);
        const palSoftBody* body = built.world.colliders[0].soft;
        palQuat turn = palMakeQuatRotationVector(palScale(PAL_PI / 180.0, vectors[i]));
        count = i == 0 ? body->nodeCount : count;
        assert_int_equal(body->nodeCount, count);
        assert_true(count > 50 && count <= 1000);
        for (int n = 0; n < count; n++)
        {
            if (i == 0)
                rest[n] = body->rest[n];
            ASSERT_BELOW(palDistance(body->rest[n], palRotate(turn, rest[n])), 1e-12);
        }
        assert_int_equal(body->hexShapeCount, 1);
        freeBuilt(&built);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_surface_rides_on_a_grid_of_hexes),
        cmocka_unit_test(a_surface_in_a_grid_has_its_own_mass),
        cmocka_unit_test(a_turned_object_has_the_same_grid),
        cmocka_unit_test(boxes_and_cylinders_can_be_made_of_tets),
        cmocka_unit_test(a_volume_mesh_keeps_its_elements_sets_and_place),
        cmocka_unit_test(a_volume_mesh_without_soft_is_its_rigid_boundary),
        cmocka_unit_test(parts_of_space_hold_exactly_the_nodes_in_them),
        cmocka_unit_test(a_box_of_another_stiffness_takes_the_elements_in_it),
        cmocka_unit_test(latency_is_a_whole_step_where_anything_is_soft),
        cmocka_unit_test(doubtful_bodies_are_warned_about),
        cmocka_unit_test(fans_of_triangles_are_opened_or_warned_about),
        cmocka_unit_test(the_model_is_told),
        cmocka_unit_test(gravity_is_balanced_before_the_run),
        cmocka_unit_test(impossible_bodies_are_refused_with_line_and_remedy),
    };
    return RUN_WITHIN(tests, writeBeam, removeBeam);
}
