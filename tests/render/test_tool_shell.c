// SPDX-License-Identifier: Apache-2.0
// The forms of methods for tools that touch with points: without memory, without a tool, and in
// surroundings that are too fine for their reach.
#include "allocations.h"
#include "tool_rig.h"

static void refused_memory_is_an_error_and_leaves_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palTool tool = {0};
    toolBox(&tool, palMakeVec3(0.02, 0.01, 0.02), 2);
    palCollider collider;
    palSurface surface;
    palShapeDef shape = palDefaultShapeDef(pal_shapeBox);
    assert_int_equal(palMakeShape(&shape, &surface, NULL), pal_ok);
    assert_int_equal(palCollider_Init(&collider, &surface, 0.1, NULL), pal_ok);
    const palMethodDef def = {
        .radius = 0.01, .tool = &tool, .colliders = &collider, .colliderCount = 1};
    static const palMethodOps* const forms[] = {&pal_methodAccurateTool, &pal_methodStandardTool,
                                                &pal_methodPenaltyTool};
    for (int i = 0; i < 3; i++)
    {
        palHands hands;
        palError error;
        int before = allocations;
        assert_int_equal(palHands_Init(&hands, &forms[i], &def, 1, &error), pal_ok);
        int all = allocations - before;
        assert_true(all >= 4);
        palHands_Free(&hands);
        for (int k = 0; k < all; k++)
        {
            int held = live;
            error = (palError){0};
            refused = allocations + k;
            palResult result = palHands_Init(&hands, &forms[i], &def, 1, &error);
            refused = -1;
            assert_int_equal(result, pal_errorMemory);
            assert_null(hands.shared);
            assert_true(strlen(error.text) > 0);
            assert_int_equal(live, held);
        }
    }
    palCollider_Free(&collider);
    palSurface_Free(&tool.surface);
#else
    SKIP(UNCOUNTED);
#endif
}

static void without_a_tool_they_are_refused(void** state)
{
    (void)state;
    static const palMethodOps* const forms[] = {&pal_methodAccurateTool, &pal_methodStandardTool,
                                                &pal_methodPenaltyTool};
    for (int i = 0; i < 3; i++)
    {
        palHands hands;
        palError error = {0};
        const palMethodDef def = {.radius = 0.01};
        assert_int_equal(palHands_Init(&hands, &forms[i], &def, 1, &error), pal_errorInput);
        assert_null(hands.shared);
        assert_non_null(strstr(error.remedy, "point"));
    }
}

// Down onto the sphere and round it.
static palVec3 roundSphere(const void* user, double t)
{
    (void)user;
    double height = 0.101 + fmax(0.0, 0.01 - 0.1 * t);
    double angle = fmax(0.0, t - 0.1);
    return palMakeVec3(height * sin(angle), height * cos(angle), 0.0);
}

// Triangles of 0.7 mm: far more of them lie within 60 mm of the tool than a snapshot holds.
static void a_reach_that_cannot_be_described_shrinks(void** state)
{
    (void)state;
    palTool tool = {0};
    toolBox(&tool, palMakeVec3(0.01, 0.004, 0.01), 2);
    palRig rig;
    rigInit(&rig, &(palRigDef){.method = "accurate",
                               .path = roundSphere,
                               .seconds = 0.4,
                               .radius = 0.06,
                               .tool = &tool});
    palShapeDef sphere = palDefaultShapeDef(pal_shapeSphere);
    sphere.radius = 0.1;
    sphere.resolution = 512;
    rigAddShape(&rig, &sphere, 0.2, rigHome);
    rigStart(&rig);
    palTickRecord record;
    int touching = 0;
    while (rigStep(&rig, &record))
    {
        touching += record.hands[0].active > 0;
        ASSERT_BELOW(-toolGap(&rig, &record), 0.0);
    }
    assert_true(touching > 250);
    assert_true(rig.engine->shrunkSteps > 5);
    for (int i = 0; i < 3; i++)
    {
        const palHandSnapshot* snapshot = &rig.engine->loops[0].snapshots[i].hands[0];
        ASSERT_BELOW(snapshot->patch.count, pal_patchFacesMax);
        ASSERT_BELOW(snapshot->trustRadius, 0.05);
        assert_true(snapshot->trustRadius > 0.002);
    }
    rigFree(&rig);
    palSurface_Free(&tool.surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_memory_is_an_error_and_leaves_nothing),
        cmocka_unit_test(without_a_tool_they_are_refused),
        cmocka_unit_test(a_reach_that_cannot_be_described_shrinks),
    };
    return RUN(tests);
}
