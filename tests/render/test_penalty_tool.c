// SPDX-License-Identifier: Apache-2.0
// The baselines of half-spaces where the hand holds a tool: what springs do at rest, whatever the
// number of points that share them, and edges that carry as points do.
#include "tool_rig.h"

static const double coupling = 1000.0; // N/m
static const double spring = 2000.0;   // N/m, of the surface: see path_rig.h
static const double pressed = 1.5e-3;  // m

// Down to `pressed` below where it touches, and aside from 0.5 s to 0.7 s.
typedef struct press
{
    double touching; // m, height of the hand
    palVec3 aside;   // m
} press;

static palVec3 pressing(const void* user, double t)
{
    const press* p = user;
    double y = fmax(p->touching + 0.01 - 0.05 * t, p->touching - pressed);
    return palMulAdd(palMakeVec3(0.0, y, 0.0), fmin(1.0, fmax(0.0, (t - 0.5) / 0.2)), p->aside);
}

// At rest the surface's spring and the coupling carry the same force in series.
static double restForce(void)
{
    return pressed * coupling * spring / (coupling + spring);
}

// The record of the last step before `seconds`.
static palTickRecord run(palRig* rig, double seconds)
{
    palTickRecord record = {0};
    rigStart(rig);
    while (record.t < seconds && rigStep(rig, &record))
        continue;
    return record;
}

static void a_flat_tool_sinks_in_as_a_point_does_with_any_number_of_points(void** state)
{
    (void)state;
    static const int resolutions[] = {2, 3, 5}; // 9, 16 and 36 points
    const double high = 0.004;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
        {
            palTool tool = {0};
            palRig rig;
            press p = {.touching = 0.5 * high};
            toolBox(&tool, palMakeVec3(0.02, high, 0.02), resolutions[i]);
            rigInit(&rig, &(palRigDef){.method = "penalty",
                                       .path = pressing,
                                       .user = &p,
                                       .tool = &tool,
                                       .spacing = 1.0});
            rigAddBox(&rig, palMakeVec3(0.2, 0.02, 0.2), 16, 0.0, rigAt(0.0, -0.01, 0.0));
            // With the last update a millisecond ago, and 33 ms ago: the table is flat.
            rig.def.lowDt = k == 0 ? 0.033 : 0.001;
            palTickRecord record = run(&rig, 1.0);
            const double share = 1e-4;
            palVec3 up = palRotate(record.hands[0].proxyTurn, palMakeVec3(0.0, 1.0, 0.0));
            ASSERT_NEAR(record.hands[0].force.y, restForce(), share * restForce());
            ASSERT_NEAR(p.touching - record.hands[0].proxy.y, restForce() / spring,
                        share * pressed);
            ASSERT_NEAR(hypot(record.hands[0].force.x, record.hands[0].force.z), 0.0, 1e-6);
            ASSERT_NEAR(hypot(up.x, up.z), 0.0, share);
            rigFree(&rig);
            palSurface_Free(&tool.surface);
        }
}

static void it_slides_at_the_limit_of_friction(void** state)
{
    (void)state;
    const double high = 0.004, friction = 0.25;
    palTool tool = {0};
    palRig rig;
    press p = {.touching = 0.5 * high, .aside = {0.01, 0.0, 0.0}};
    toolBox(&tool, palMakeVec3(0.02, high, 0.02), 3);
    rigInit(&rig,
            &(palRigDef){
                .method = "penalty", .path = pressing, .user = &p, .tool = &tool, .spacing = 1.0});
    rigAddBox(&rig, palMakeVec3(0.2, 0.02, 0.2), 16, friction, rigAt(0.0, -0.01, 0.0));
    palTickRecord record = run(&rig, 0.69);
    ASSERT_NEAR(record.hands[0].force.y, restForce(), 1e-3);
    ASSERT_NEAR(hypot(record.hands[0].force.x, record.hands[0].force.z), friction * restForce(),
                1e-3);
    rigFree(&rig);
    palSurface_Free(&tool.surface);
}

// Two bars of 4 mm, crosswise and edge on edge, with points 33 mm apart.
static void edges_carry_between_the_points(void** state)
{
    (void)state;
    static const char* const methods[] = {"penalty", "standard"};
    const double width = 0.004;
    palQuat roll = palMakeQuatRotationVector(palMakeVec3(0.25 * PAL_PI, 0.0, 0.0));
    palShapeDef shape = palDefaultShapeDef(pal_shapeBox);
    shape.size = palMakeVec3(0.1, width, width);
    shape.resolution = 3;
    palTool tool = {0};
    assert_int_equal(palMakeShape(&shape, &tool.surface, NULL), pal_ok);
    palSurface_Transform(&tool.surface, 1.0, roll, pal_zeroVec3);
    palRigidDef def = toolRigidDef(&tool.surface);
    assert_int_equal(palRigidModel_Init(&tool.model, &def, NULL), pal_ok);
    for (int i = 0; i < 2; i++)
    {
        palRig rig;
        palRigPose pose = rigHome;
        press p = {.touching = sqrt(2.0) * width};
        pose.rotation =
            palMulQuat(palMakeQuatRotationVector(palMakeVec3(0.0, 0.5 * PAL_PI, 0.0)), roll);
        rigInit(
            &rig,
            &(palRigDef){
                .method = methods[i], .path = pressing, .user = &p, .tool = &tool, .spacing = 1.0});
        rigAddShape(&rig, &shape, 0.2, pose);
        palTickRecord record = run(&rig, 1.0);
        double force = i == 0 ? restForce() : coupling * pressed;
        double sunk = i == 0 ? restForce() / spring : 0.0;
        ASSERT_NEAR(record.hands[0].force.y, force, 1e-3 * force);
        ASSERT_NEAR(p.touching - record.hands[0].proxy.y, sunk, 1e-6);
        rigFree(&rig);
    }
    palSurface_Free(&tool.surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_tool_sinks_in_as_a_point_does_with_any_number_of_points),
        cmocka_unit_test(it_slides_at_the_limit_of_friction),
        cmocka_unit_test(edges_carry_between_the_points),
    };
    return RUN(tests);
}
