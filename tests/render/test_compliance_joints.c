// SPDX-License-Identifier: Apache-2.0
// Joints between any two things.
#include "compliance_scene.h"
#include "scene_session.h"

#include "api/session.h"

#define HEAD                                                                                       \
    "palpate: 1\n"                                                                                 \
    "gravity: [0, -9.81, -3]\n"                                                                    \
    "method: {name: compliance, radius: 0.001}\n"                                                  \
    "trajectory: {kind: line}\n"
#define HAND                                                                                       \
    "  - {name: hand, start: [1, 0, 0], end: [1, 0, 0.1], elements: 2, hand: end,\n"               \
    "     section: {shape: circle, radius: 0.001}, young: 2.0e+9, density: 1200}\n"

static const palBeamState* stateOf(const fixture* f, int wire)
{
    const palCompliance* method = (const palCompliance*)f->engine->methods.shared;
    for (int i = 0; i < method->wireCount; i++)
        if (method->wires[i].body == f->world.count + wire)
            return &method->wires[i].state;
    for (int i = 0; i < method->loops[0]->bodyCount; i++)
        if (method->loops[0]->bodies[i].wire == wire)
            return method->loops[0]->bodies[i].beam.state;
    return NULL;
}

// A rod on a hinge about z swings down in its plane, also where it is pulled out of it: with a ball
// in place of the hinge it would hang along gravity.
static void a_hinge_turns_about_its_axis_only(void** state)
{
    (void)state;
    for (int loop = 0; loop < 2; loop++)
        for (int hinged = 0; hinged < 2; hinged++)
        {
            char scene[1024];
            snprintf(scene, sizeof scene,
                     HEAD "objects: []\nwires:\n"
                          "  - {name: rod, start: [0, 0, 0], end: [0.05, 0, 0], elements: 4,\n"
                          "     section: {shape: circle, radius: 0.002}, density: 2000,\n"
                          "     damping: {mass: 8}, loop: %d}\n" HAND
                          "joints: [{kind: %s, wire: rod, at: 0, axis: [0, 0, 1]}]\n",
                     loop, hinged ? "hinge" : "ball");
            fixture* f = setUp(scene, 0.005);
            moveHand(f, pal_zeroVec3, 4.0);
            const palBeamState* rod = stateOf(f, 0);
            palVec3 along = palScale(1.0 / 0.05, palSub(rod->x[4], rod->x[0]));
            ASSERT_BELOW(palLength(rod->x[0]), 1e-5);
            ASSERT_NEAR(along.x, 0.0, 1e-3);
            double out = hinged ? 0.0 : -3.0 / hypot(9.81, 3.0);
            ASSERT_NEAR(along.z, out, 2e-3);
            tearDown(f);
        }
}

// A free soft cube hangs by a corner of its top from a block that is held; the joint bears it.
static void a_soft_cube_hangs_from_another(void** state)
{
    (void)state;
    static const char scene[] = HEAD
        "objects:\n"
        "  - {name: ceiling, shape: {kind: box, size: [0.04, 0.04, 0.02]}, position: [0, 0.04, "
        "0],\n"
        "     soft: {young: 50000, elements: tets, resolution: 3, start: unloaded,\n"
        "            fixed: [{nodes: ymax}], damping: {mass: 4}}}\n"
        "  - {name: cube, shape: {kind: box, size: [0.02, 0.02, 0.02]}, position: [0, 0.0095, 0],\n"
        "     soft: {young: 50000, elements: tets, resolution: 2, start: unloaded,\n"
        "            damping: {mass: 10, stiffness: 0.005}}}\n"
        "wires:\n" HAND "joints: [{body: cube, point: [0, 0.0197, 0], to: ceiling}]\n";
    fixture* f = setUp(scene, 0.02);
    moveHand(f, pal_zeroVec3, 4.0);
    const palRows* rows = ((const palCompliance*)f->engine->methods.shared)->rows;
    double weight = palSoftBody_Mass(f->world.colliders[1].soft);
    // The joint draws them together, and their contacts push: both together bear the cube.
    palVec3 borne = pal_zeroVec3;
    for (int i = 0; i < rows->linkCount; i++)
        for (int r = 0; r < palLink_Rows(rows->links[i]); r++)
        {
            double sign = rows->links[i]->ends[0].body == 1 ? 1.0 : -1.0;
            borne =
                palMulAdd(borne, sign * rows->lambda[rows->first[i] + r], rows->links[i]->axes[r]);
        }
    ASSERT_NEAR(borne.y, 9.81 * weight, 0.02 * 9.81 * weight);
    ASSERT_NEAR(borne.z, 3.0 * weight, 0.02 * 9.81 * weight);
    tearDown(f);
}

// A tool hinged to the world: what pushes its grip aside turns it, what pushes along the axis does
// not move it.
static void a_hinged_tool_gives_way_across_its_axis_only(void** state)
{
    (void)state;
    static const char* const ways[2] = {
        "trajectory={kind: path, points: [{t: 0, at: [0, 0.065, 0]}, {t: 0.5, at: [0.003, 0.065, "
        "0]}, {t: 3, at: [0.003, 0.065, 0]}]}",
        "trajectory={kind: path, points: [{t: 0, at: [0, 0.065, 0]}, {t: 0.5, at: [0, 0.065, "
        "0.003]}, {t: 3, at: [0, 0.065, 0.003]}]}",
    };
    double pull[2];
    for (int way = 0; way < 2; way++)
    {
        const char* sets[] = {"method.name=compliance", "objects=[]", ways[way],
                              "coupling.turn_stiffness=0.001",
                              "joints=[{kind: hinge, body: tool, point: [0, 0.2, 0], "
                              "axis: [0, 0, 1]}]"};
        palSession* session = createSession("tool-block.yaml", sets, 5);
        palStep step;
        stepSession(session, 2500, &step);
        pull[way] = palLength(step.force);
        palSession_Destroy(session);
    }
    ASSERT_BELOW(pull[0], 0.2);
    assert_true(pull[1] > 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hinge_turns_about_its_axis_only),
        cmocka_unit_test(a_soft_cube_hangs_from_another),
        cmocka_unit_test(a_hinged_tool_gives_way_across_its_axis_only),
    };
    return RUN(tests);
}
