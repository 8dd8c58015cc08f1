// SPDX-License-Identifier: Apache-2.0
// Soft bodies brought to rest under gravity: where theory has them, where they come to rest by
// themselves, and on each other with their weight.
#include "soft_fixture.h"
#include "stage.h"

#include "mesh/extract.h"
#include "world/settle.h"

static const palVolumeCut cuts[] = {pal_cutFive, pal_cutSix, pal_cutNone};
enum
{
    cutCount = sizeof cuts / sizeof cuts[0],
};

static const palVec3 size = {0.1, 0.08, 0.12};

static bool isAtTop(palVec3 x)
{
    return x.z > 0.5 * size.z - 1e-9;
}

static bool isAtBottom(palVec3 x)
{
    return x.z < -0.5 * size.z + 1e-9;
}

static bool isAtSide(palVec3 x)
{
    return x.x < -0.5 * size.x + 1e-9;
}

// The one body, in a world of its own.
static palResult settleAlone(softFixture* f, palSettleInfo* info, palError* error)
{
    palVolumeSurface boundary;
    palSkin skin;
    palCollider collider;
    assert_int_equal(palVolumeSurface_Init(&boundary, &f->volume, NULL), pal_ok);
    assert_int_equal(palSkin_Init(&skin, boundary.surface.vertexCount, 1, NULL), pal_ok);
    for (int i = 0; i < skin.vertexCount; i++)
    {
        skin.nodes[i] = boundary.vertices[i];
        skin.weights[i] = 1.0;
    }
    assert_int_equal(palCollider_Init(&collider, &boundary.surface, 0.0, NULL), pal_ok);
    palVolumeSurface_Free(&boundary);
    assert_int_equal(palCollider_Bind(&collider, f->body, &skin, NULL), pal_ok);
    palWorldStepDef def = {.colliders = &collider, .colliderCount = 1};
    palResult result = palSettle(&def, info, error);
    collider.soft = NULL; // the fixture's
    palCollider_Free(&collider);
    return result;
}

static void make(softFixture* f, palVolumeCut cut, palSoftDef def, softHeld* isHeld)
{
    palVolumeShapeDef shape = softBlock(cut, size, 3, 2, 4);
    softMake(f, &shape, def, isHeld);
}

// Without Poisson's ratio a hanging block is a bar that stretches by its own weight: at the depth z
// below the top u = ρ g (L z - z²/2)/E. Bricks have that exactly at their nodes, at large strain
// too, because their force is linear in it.
static void a_hanging_bar_stretches_as_theory_says(void** state)
{
    (void)state;
    static const double youngs[] = {1e6, 2e3};
    const double weight = 1000.0 * 9.81; // N/m³
    for (int e = 0; e < 2; e++)
    {
        softFixture f;
        palSoftDef def = palDefaultSoftDef();
        def.material = (palMaterial){.young = youngs[e], .poisson = 0.0, .density = 1000.0};
        def.gravity = palMakeVec3(0.0, 0.0, -9.81);
        make(&f, pal_cutNone, def, isAtTop);
        palSettleInfo info;
        assert_int_equal(settleAlone(&f, &info, NULL), pal_ok);
        double whole = 0.5 * weight * size.z * size.z / youngs[e];
        ASSERT_NEAR(softFarthest(f.body), whole, 1e-9 * whole);
        for (int i = 0; i < f.body->nodeCount; i++)
        {
            double z = 0.5 * size.z - f.body->rest[i].z;
            double u = weight * (size.z * z - 0.5 * z * z) / youngs[e];
            ASSERT_NEAR(f.body->rest[i].z - f.body->x[i].z, u, 1e-9 * whole);
        }
        softFree(&f);
    }
}

// Held at the bottom, at the top and at a side; soft enough to sag by a tenth and more.
static void rest_is_where_motion_ends(void** state)
{
    (void)state;
    softHeld* const holds[] = {isAtBottom, isAtTop, isAtSide};
    palSoftDef def = palDefaultSoftDef();
    def.material.young = 5e3;
    def.gravity = palMakeVec3(1.0, 2.0, -9.0);
    for (int c = 0; c < cutCount; c++)
        for (int k = 0; k < 3; k++)
        {
            softFixture settled, moving;
            make(&settled, cuts[c], def, holds[k]);
            make(&moving, cuts[c], def, holds[k]);
            palSettleInfo info;
            assert_int_equal(settleAlone(&settled, &info, NULL), pal_ok);
            assert_true(info.steps < 30);
            double sag = softFarthest(settled.body);
            ASSERT_BELOW(0.005, sag);
            // The body itself, slowed down as by a thick fluid, in steps of 10 ms.
            moving.body->alpha = 10.0;
            for (int i = 0; i < 1000; i++)
                assert_true(palSoftReference_Step(&moving.reference, 0.01));
            for (int i = 0; i < settled.body->nodeCount; i++)
            {
                ASSERT_BELOW(palDistance(settled.body->x[i], moving.body->x[i]), 1e-6 * sag);
                ASSERT_NEAR(palLength(settled.body->v[i]), 0.0, 0.0);
            }
            softFree(&settled);
            softFree(&moving);
        }
}

// The force that is left, against the weight.
static void nothing_is_unbalanced_afterwards(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    for (int k = 0; k < 30; k++)
    {
        softFixture f;
        palSoftDef def = palDefaultSoftDef();
        def.material.young = 3e3 * pow(10.0, palRandom_Range(&random, 0.0, 3.0));
        def.material.poisson = palRandom_Range(&random, 0.0, 0.45);
        def.gravity = palScale(9.81, palNormalize(softRandomVector(&random, 1.0)));
        make(&f, cuts[k % cutCount], def, isAtBottom);
        palSettleInfo info;
        assert_int_equal(settleAlone(&f, &info, NULL), pal_ok);
        ASSERT_BELOW(softLargestForce(f.body), 1e-7 * 9.81 * palSoftBody_Mass(f.body));
        softFree(&f);
    }
}

static void expectNoRest(palSoftDef def, softHeld* isHeld, const char* text)
{
    softFixture f;
    make(&f, pal_cutFive, def, isHeld);
    palSettleInfo info;
    palError error = {0};
    assert_int_equal(settleAlone(&f, &info, &error), pal_errorRun);
    assert_non_null(strstr(error.text, text));
    for (int i = 0; i < f.body->nodeCount; i++)
        assert_memory_equal(&f.body->x[i], &f.body->rest[i], sizeof f.body->x[i]);
    softFree(&f);
}

static void a_body_without_rest_is_told_and_left_alone(void** state)
{
    (void)state;
    palSoftDef def = palDefaultSoftDef();
    def.gravity = palMakeVec3(0.0, 0.0, -9.81);
    // It falls, is no stiffer than a puddle, or would hang by elements that are folded over.
    expectNoRest(def, NULL, "found no shape in which gravity is balanced");
    def.material.young = 50.0;
    expectNoRest(def, isAtBottom, "elements inside out");
    def.material.young = 500.0;
    expectNoRest(def, isAtSide, "elements inside out");
    // A load that is no number balances nothing.
    def.gravity.z = NAN;
    expectNoRest(def, isAtBottom, "found no shape in which gravity is balanced");
}

//--------------------------------------------------------------------------------------------------
// Together

// A slab between two held ends that sags on to a rigid block without friction rests as it does
// where it comes to rest by itself.
static const char slabOnBlock[] =
    "  - {name: slab, shape: {kind: box, size: [0.2, 0.02, 0.05]}, soft: {young: 20000, elements: "
    "tets, resolution: 20, fixed: [{nodes: xmin}, {nodes: xmax}], damping: {mass: 10}}}\n"
    "  - {name: rigid, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0.003, -0.037, "
    "0]}\n";

static const palVec3 down = {0, -9.81, 0};

// Brings all soft objects of a stage to rest, and places the world there.
static void settleStage(stage* s)
{
    palSettleInfo info;
    palError error = {0};
    palWorldStepDef def = stageDef(s);
    if (palSettle(&def, &info, &error) != pal_ok)
        fail_msg("%s", error.text);
    palWorldStep_Place(&s->step);
}

static void a_slab_rests_on_a_block_as_it_would_by_itself(void** state)
{
    (void)state;
    SKIP_SLOWED();
    stage* settled = stageMake(slabOnBlock, down);
    stage* moving = stageMake(slabOnBlock, down);
    settleStage(settled);
    for (int k = 0; k < 400; k++)
        stageAdvance(moving, 0.01);
    const palSoftBody* a = settled->world.colliders[0].soft;
    const palSoftBody* b = moving->world.colliders[0].soft;
    double sag = softFarthest(b), apart = 0.0;
    for (int i = 0; i < a->nodeCount; i++)
        apart = fmax(apart, palDistance(a->x[i], b->x[i]));
    stageAdvance(settled, 0.033);
    palVec3 first = stageForce(settled, 0), last = stageForce(moving, 0);
    print_message("sag %.3g mm, apart %.2g um, force %.4f N, by itself %.4f N\n", 1e3 * sag,
                  1e6 * apart, first.y, last.y);
    ASSERT_BELOW(2e-3, sag);
    ASSERT_BELOW(apart, PAL_CONTACT_CLEARANCE); // what contacts may differ by
    ASSERT_BELOW(palDistance(first, last), 0.01 * last.y);
    stageFree(settled);
    stageFree(moving);
}

// The load on the lowest body of a stack from the first step on, over its weight, and how far the
// middle of any body moves within two seconds, m.
static void checkStack(const char* objects, int bottom, double moves)
{
    stage* s = stageMake(objects, down);
    settleStage(s);
    palVec3 start[4];
    double above[5] = {0};
    for (int i = s->world.count - 1; i > bottom; i--)
    {
        start[i] = stageCentre(s, i);
        above[i] = above[i + 1] + 9.81 * palSoftBody_Mass(s->world.colliders[i].soft);
    }
    double worst = 0.0, farthest = 0.0;
    for (int k = 0; k < 61; k++)
    {
        stageAdvance(s, 0.033);
        palVec3 carried = pal_zeroVec3; // by what lies on the bottom
        for (int i = bottom + 1; i < s->world.count; i++)
        {
            carried = palAdd(carried, stageForce(s, i));
            farthest = fmax(farthest, palDistance(stageCentre(s, i), start[i]));
        }
        palVec3 weight = {0, above[bottom + 1], 0};
        worst = fmax(worst, palDistance(carried, weight) / weight.y);
    }
    print_message("force off by %.2g of the weight, moved %.2g um\n", worst, 1e6 * farthest);
    ASSERT_BELOW(worst, 0.01);
    ASSERT_BELOW(farthest, moves);
    stageFree(s);
}

#define CUBE(name, x, y, z)                                                                        \
    "  - {name: " name ", shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [" x ", " y      \
    ", " z "], friction: 0.5, soft: {young: 10000, poisson: 0.3, elements: tets, resolution: "     \
    "4}}\n"
#define FLOOR                                                                                      \
    "  - {name: floor, shape: {kind: box, size: [0.4, 0.02, 0.4]}, position: [0, -0.01, 0], "      \
    "friction: 0.5}\n"

static void what_lies_on_something_has_its_weight_from_the_first_step_on(void** state)
{
    (void)state;
    SKIP_SLOWED();
    checkStack("  - {name: block, shape: {kind: box, size: [0.1, 0.05, 0.1]}, position: [0, "
               "-0.025, 0], friction: 0.3, soft: {young: 20000, poisson: 0.3, elements: tets, "
               "resolution: 5, fixed: [{nodes: ymin}]}}\n" CUBE("cube", "0", "0.026", "0"),
               0, 1e-5);
    // Let down from 10 cm, and from a slant.
    checkStack(FLOOR CUBE("cube", "0", "0.125", "0"), 0, 1e-5);
    checkStack(FLOOR "  - {name: cube, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0, "
                     "0.05, 0], rotation: [20, 10, 15], friction: 0.5, soft: {young: 20000, "
                     "elements: tets, resolution: 5}}\n",
               0, 1e-5);
    // Two, the upper one off the middle. Which of the many contacts between two like meshes push
    // changes from step to step, so that its nodes tremble.
    checkStack(FLOOR CUBE("lower", "0", "0.0255", "0") CUBE("upper", "0.002", "0.076", "0.001"), 0,
               5e-5);
}

static void what_nothing_holds_is_told(void** state)
{
    (void)state;
    stage* s =
        stageMake(FLOOR CUBE("on", "0", "0.03", "0") CUBE("beside", "0.5", "0.03", "0"), down);
    palSettleInfo info;
    palError error = {0};
    palWorldStepDef def = stageDef(s);
    assert_int_equal(palSettle(&def, &info, &error), pal_errorRun);
    assert_int_equal(info.object, 2);
    assert_true(info.falls);
    for (int i = 1; i < 3; i++)
    {
        const palSoftBody* body = s->world.colliders[i].soft;
        ASSERT_NEAR(softFarthest(body), 0.0, 0.0);
    }
    stageFree(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_bar_stretches_as_theory_says),
        cmocka_unit_test(rest_is_where_motion_ends),
        cmocka_unit_test(nothing_is_unbalanced_afterwards),
        cmocka_unit_test(a_body_without_rest_is_told_and_left_alone),
        cmocka_unit_test(a_slab_rests_on_a_block_as_it_would_by_itself),
        cmocka_unit_test(what_lies_on_something_has_its_weight_from_the_first_step_on),
        cmocka_unit_test(what_nothing_holds_is_told),
    };
    return RUN(tests);
}
