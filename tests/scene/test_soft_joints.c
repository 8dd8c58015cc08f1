// SPDX-License-Identifier: Apache-2.0
// Welds and hinges on soft bodies, through whole sessions: against bars of one piece, a pendulum,
// a clamped wire, and the momentum of what nothing holds.
#include "scene_session.h"

#include "render/compliance.h"
#include "world/step.h"

static const palMethod* methodOf(palSession* session)
{
    return ((palEngine*)palSession_Engine(session))->methods.methods[0];
}

static palSoftBody* bodyOf(palSession* session, int object)
{
    return methodOf(session)->def.colliders[object].soft;
}

static void run(palSession* session, double seconds)
{
    palStep step;
    stepSession(session, (int)lround(seconds / 1e-3), &step);
}

// The mean motion of the nodes with rest positions beyond x.
static palVec3 meanMotion(const palSoftBody* body, double x)
{
    palVec3 sum = pal_zeroVec3;
    int count = 0;
    for (int i = 0; i < body->nodeCount; i++)
        if (body->rest[i].x > x)
        {
            sum = palAdd(sum, palSub(body->x[i], body->rest[i]));
            count++;
        }
    return palScale(1.0 / count, sum);
}

// A hand that is elsewhere.
#define POINT_AWAY "trajectory: {kind: line, start: [0.5, 0, 0.3], end: [0.5, 0, 0.31]}\n"
#define TOOL_AWAY  POINT_AWAY "tool: {shape: {kind: sphere, radius: 0.005, resolution: 6}}\n"

//--------------------------------------------------------------------------------------------------
// Bars

// The sag of a bar of 0.2 x 0.02 x 0.02 m that is held at one end: of one piece (0), of two that
// are welded (1), or welded to a fixed block (2).
static double barSag(const char* method, const char* hand, int pieces, int across)
{
    char text[4096], objects[2048];
    const char* made = "soft: {young: 1.0e+6, poisson: 0.3, density: 1000, elements: tets, ";
    const char* damped = "damping: {mass: 12, stiffness: 0.002}";
    const char* held = "fixed: [{nodes: xmin}]";
    if (pieces == 0)
        snprintf(objects, sizeof objects,
                 "  - {name: bar, shape: {kind: box, size: [0.2, 0.02, 0.02]}, position: [0.1, 0, "
                 "0], %sresolution: %d, %s, %s}}\n",
                 made, 10 * across, damped, held);
    else if (pieces == 1)
        snprintf(objects, sizeof objects,
                 "  - {name: one, shape: {kind: box, size: [0.1, 0.02, 0.02]}, position: [0.05, 0, "
                 "0], %sresolution: %d, %s, %s}}\n  - {name: two, shape: {kind: box, size: [0.1, "
                 "0.02, 0.02]}, position: [0.15, 0, 0], %sresolution: %d, %s}}\njoints:\n"
                 "  - {kind: weld, body: two, to: one, point: [0.1, 0, 0], radius: 0.0145}\n",
                 made, 5 * across, damped, held, made, 5 * across, damped);
    else
        snprintf(objects, sizeof objects,
                 "  - {name: wall, shape: {kind: box, size: [0.04, 0.08, 0.08]}, position: [-0.02, "
                 "0, 0]}\n  - {name: bar, shape: {kind: box, size: [0.2, 0.02, 0.02]}, position: "
                 "[0.1, 0, 0], %sresolution: %d, %s}}\njoints:\n"
                 "  - {kind: weld, body: bar, to: wall, point: [0, 0, 0], radius: 0.0145}\n",
                 made, 10 * across, damped);
    snprintf(text, sizeof text,
             "palpate: 1\ngravity: [0, 0, -0.5]\ntime: {seconds: 4, dt: 0.001, low_dt: 0.02, "
             "latency: 0.02}\nmethod: {name: %s, radius: 0.01}\n%sobjects:\n%s",
             method, hand, objects);
    palSession* session = startScene(text);
    run(session, 2.5);
    double sag = -meanMotion(bodyOf(session, pieces == 0 ? 0 : 1), 0.2 - 1e-6).z;
    palSession_Destroy(session);
    return sag;
}

static void welded_bars_bend_as_one(void** state)
{
    (void)state;
    SKIP_SLOWED();
    double before = INFINITY;
    for (int across = 2; across <= 3; across++)
    {
        double whole = barSag("accurate", POINT_AWAY, 0, across);
        double two = barSag("accurate", POINT_AWAY, 1, across);
        double wall = barSag("accurate", POINT_AWAY, 2, across);
        print_message("%d cells across: one piece %.4e m, two %.4e m, on a wall %.4e m\n", across,
                      whole, two, wall);
        ASSERT_NEAR(two, whole, 0.01 * whole);
        // A wall that holds the mean of the end leaves it free to warp.
        ASSERT_NEAR(wall, whole, 0.04 * whole);
        ASSERT_BELOW(fabs(wall / whole - 1.0), before);
        before = fabs(wall / whole - 1.0);
    }
}

static void welded_bars_bend_alike_under_every_method(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard", "penalty",
                                          "linear",   "coupling", "compliance"};
    double sag[6];
    for (int m = 0; m < 6; m++)
    {
        sag[m] = barSag(methods[m], m < 3 ? POINT_AWAY : TOOL_AWAY, 1, 2);
        print_message("%-10s %.4e m\n", methods[m], sag[m]);
        ASSERT_NEAR(sag[m], sag[0], 0.005 * sag[0]);
    }
}

// A whole face of 121 nodes: 64 of them stand for all, about the same middle and as far from it.
static void a_large_face_is_held_by_as_many_nodes_as_there_is_room_for(void** state)
{
    (void)state;
    palSession* session = startScene(
        "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 1, dt: 0.001, low_dt: 0.02}\nmethod: "
        "{name: accurate, radius: 0.01}\n" POINT_AWAY
        "objects:\n  - {name: block, shape: {kind: box, size: [0.04, 0.04, 0.02]}, soft: {young: "
        "1.0e+5, elements: tets, resolution: 10, fixed: [{nodes: zmin}]}}\njoints:\n"
        "  - {kind: weld, body: block, to: world, point: [0, 0, 0.01], radius: 0.03}\n");
    const palAnchor* anchor = methodOf(session)->def.joints[0].ends[0].anchor;
    double sum = 0.0;
    for (int k = 0; k < anchor->count; k++)
    {
        sum += anchor->weights[k];
        ASSERT_NEAR(bodyOf(session, 0)->rest[anchor->nodes[k]].z, 0.01, 1e-9);
    }
    assert_int_equal(anchor->count, pal_anchorNodesMax);
    assert_int_equal(anchor->vertexCount, 121);
    ASSERT_NEAR(sum, 1.0, 1e-12);
    ASSERT_BELOW(palLength(anchor->arm), 0.002);
    ASSERT_NEAR(anchor->size, 0.04 / sqrt(6.0), 0.1 * 0.04 / sqrt(6.0));
    palSession_Destroy(session);
}

// A point that presses the free one of two welded bars feels one bar, whatever the rates.
static void welded_bars_are_felt_as_one(void** state)
{
    (void)state;
    SKIP_SLOWED();
    const char* made = "soft: {young: 1.0e+5, poisson: 0.3, density: 1000, elements: tets, "
                       "resolution: 6, damping: {mass: 20, stiffness: 0.002}";
    double force[3];
    for (int k = 0; k < 3; k++)
    {
        char text[4096], objects[2048];
        snprintf(
            objects, sizeof objects,
            "  - {name: one, shape: {kind: box, size: [0.06, 0.03, 0.03]}, position: [0.03, 0, "
            "0], %s, fixed: [{nodes: xmin}]}}\n  - {name: two, shape: {kind: box, size: [0.06, "
            "0.03, 0.03]}, position: [0.09, 0, 0], %s}}\njoints:\n"
            "  - {kind: weld, body: two, to: one, point: [0.06, 0, 0], radius: 0.022}\n",
            made, made);
        if (k == 2)
            snprintf(objects, sizeof objects,
                     "  - {name: bar, shape: {kind: box, size: [0.12, 0.03, 0.03]}, position: "
                     "[0.06, 0, 0], soft: {young: 1.0e+5, poisson: 0.3, density: 1000, elements: "
                     "tets, resolution: 12, damping: {mass: 20, stiffness: 0.002}, fixed: [{nodes: "
                     "xmin}]}}\n");
        snprintf(text, sizeof text,
                 "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 3, dt: 0.001, low_dt: %g, "
                 "latency: %g}\nmethod: {name: accurate, radius: 0.01}\ntrajectory: {kind: path, "
                 "points: [{t: 0, at: [0.1, 0, 0.018]}, {t: 0.5, at: [0.1, 0, 0.012]}]}\nobjects:\n"
                 "%s",
                 k == 0 ? 0.002 : 0.033, k == 0 ? 0.002 : 0.033, objects);
        palSession* session = startScene(text);
        palStep step;
        stepSession(session, 1500, &step);
        force[k] = step.force.z;
        palSession_Destroy(session);
    }
    print_message("welded %.4f N at 2 ms, %.4f N at 33 ms, one piece %.4f N\n", force[0], force[1],
                  force[2]);
    ASSERT_BELOW(0.05, force[2]);
    ASSERT_NEAR(force[1], force[0], 0.005 * force[0]);
    ASSERT_NEAR(force[1], force[2], 0.02 * force[2]);
}

// The tool in the hand, welded to a soft block and drawn away, stretches it: the force by how far
// is the same, though `coupling` has two springs in series between the hand and the block.
static void a_tool_welded_to_a_soft_block_stretches_it(void** state)
{
    (void)state;
    static const char* const methods[] = {"compliance", "coupling"};
    double stiffness[2];
    for (int m = 0; m < 2; m++)
    {
        char text[2048];
        snprintf(
            text, sizeof text,
            "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 3, dt: 0.001, low_dt: 0.01, "
            "latency: 0.01}\nmethod: {name: %s, radius: 0.01}\ntrajectory: {kind: path, points: "
            "[{t: 0, at: [0, 0, 0.026]}, {t: 0.1, at: [0, 0, 0.026]}, {t: 0.6, at: [0.002, 0, "
            "0.027]}]}\ntool: {shape: {kind: sphere, radius: 0.005, resolution: 8}}\nobjects:\n"
            "  - {name: block, shape: {kind: box, size: [0.04, 0.04, 0.04]}, soft: {young: "
            "2.0e+4, poisson: 0.3, density: 1000, elements: tets, resolution: 4, fixed: [{nodes: "
            "zmin}], damping: {mass: 20, stiffness: 0.002}}}\njoints:\n"
            "  - {kind: weld, body: tool, to: block, point: [0, 0, 0.02], radius: 0.011}\n",
            methods[m]);
        palSession* session = startScene(text);
        palStep step;
        stepSession(session, 2000, &step);
        palAnchorState held =
            palAnchor_State(methodOf(session)->def.joints[0].ends[1].anchor, bodyOf(session, 0)->x);
        stiffness[m] = -step.force.z / (held.point.z - 0.02);
        print_message("%-10s %.4f N, stretched by %.4e m, %.1f N/m\n", methods[m], -step.force.z,
                      held.point.z - 0.02, stiffness[m]);
        ASSERT_BELOW(0.05, -step.force.z);
        palSession_Destroy(session);
    }
    ASSERT_NEAR(stiffness[1], stiffness[0], 0.02 * stiffness[0]);
}

//--------------------------------------------------------------------------------------------------
// Hinges

// A stiff bar that hangs along x on a hinge about y, drawn aside along y and z: the period of its
// small swings about y, and that it swings about nothing else.
static void checkPendulum(const char* method, const char* hand)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "palpate: 1\ngravity: [9.81, 0.5, -0.5]\ntime: {seconds: 4, dt: 0.001, low_dt: 0.002, "
        "latency: 0.002}\nmethod: {name: %s, radius: 0.01}\n%sobjects:\n  - {name: bar, shape: "
        "{kind: box, size: [0.1, 0.02, 0.02]}, position: [0.05, 0, 0], soft: {young: 1.0e+7, "
        "poisson: 0.3, density: 1000, elements: tets, resolution: 10, start: unloaded, damping: "
        "{mass: 0, "
        "stiffness: 0.0001}}}\njoints:\n  - {kind: hinge, body: bar, to: world, point: [0, 0, "
        "0], axis: [0, 1, 0], radius: 0.0145}\n",
        method, hand);
    palSession* session = startScene(text);
    const double L = 0.1, h = 0.02, g = hypot(9.81, 0.5), d = 0.05;
    double expected = 2.0 * PAL_PI * sqrt(((L * L + h * h) / 12.0 + d * d) / (g * d));
    double last = 0.0, first = 0.0, latest = 0.0, aside = 0.0, down = 0.0;
    int crossings = 0;
    for (int k = 0; k < 2000; k++)
    {
        palStep step;
        palSession_Step(session, &step);
        palVec3 moved = meanMotion(bodyOf(session, 0), L - 1e-6);
        double angle = atan2(moved.z, L + moved.x) + 0.5 / 9.81; // from where it would hang
        aside = fmax(aside, fabs(moved.y));
        down = fmax(down, -moved.z);
        if (angle < 0.0 && last > 0.0)
        {
            latest = 1e-3 * (k - 1 + last / (last - angle));
            first = crossings++ == 0 ? latest : first;
        }
        last = angle;
    }
    assert_true(crossings >= 3);
    double period = (latest - first) / (crossings - 1);
    print_message("%-10s period %.4f s of %.4f s, down %.2e m, aside %.2e m\n", method, period,
                  expected, down, aside);
    ASSERT_NEAR(period, expected, 0.02 * expected);
    ASSERT_BELOW(5e-3, down);
    ASSERT_BELOW(aside, 5e-5);
    palSession_Destroy(session);
}

static void a_soft_bar_swings_about_its_hinge_only(void** state)
{
    (void)state;
    SKIP_SLOWED();
    checkPendulum("accurate", POINT_AWAY);
    checkPendulum("linear", TOOL_AWAY);
    checkPendulum("compliance", TOOL_AWAY);
}

//--------------------------------------------------------------------------------------------------
// Wires

// A wire that stands out of a soft block and sags: by what it bends as if clamped, and by what the
// block gives way and turns.
static void a_wire_welded_to_a_soft_block_is_clamped_in_series_with_it(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const methods[] = {"compliance", "accurate", "linear"};
    double sag[3];
    for (int m = 0; m < 3; m++)
    {
        char text[2048];
        snprintf(text, sizeof text,
                 "palpate: 1\ngravity: [0, 0, -9.81]\ntime: {seconds: 4, dt: 0.001, low_dt: 0.02, "
                 "latency: 0.02}\nmethod: {name: %s, radius: 0.01}\n" TOOL_AWAY
                 "objects:\n  - {name: block, shape: {kind: box, size: [0.04, 0.04, 0.04]}, "
                 "position: [-0.02, 0, 0], soft: {young: 1.0e+5, poisson: 0.3, density: 1000, "
                 "elements: tets, resolution: 4, fixed: [{nodes: xmin}], damping: {mass: 20, "
                 "stiffness: 0.002}}}\n"
                 "wires:\n  - {name: rod, start: [0, 0, 0], end: [0.08, 0, 0], elements: 16, "
                 "section: {shape: circle, radius: 0.001}, young: 1.0e+9, density: 4000, damping: "
                 "{mass: 20}}\n"
                 "joints:\n  - {kind: weld, wire: rod, at: 0, to: block, radius: 0.011}\n",
                 methods[m]);
        palSession* session = startScene(text);
        run(session, 3.0);
        const palMethod* method = methodOf(session);
        const palBeamState* rod = method->shared->world != NULL
                                      ? &palWorldStep_Wire(method->shared->world, 0)->state
                                      : &((const palCompliance*)method->shared)->wires[0].state;
        const double r = 0.001, L = 0.08, E = 1e9;
        double line = 4000.0 * PAL_PI * r * r * 9.81;
        double clamped = line * L * L * L * L / (8.0 * E * 0.25 * PAL_PI * r * r * r * r);
        palAnchorState held =
            palAnchor_State(method->def.joints[0].ends[1].anchor, bodyOf(session, 0)->x);
        double turned = asin(-held.rotation.m[2][0]);
        sag[m] = -rod->x[16].z;
        double series = clamped - held.point.z + turned * L;
        print_message("%-10s sag %.4e m, clamped %.4e m, turned %.4e rad, given way %.4e m\n",
                      methods[m], sag[m], clamped, turned, -held.point.z);
        ASSERT_BELOW(1e-3, turned);
        ASSERT_NEAR(sag[m], series, 0.02 * series);
        ASSERT_NEAR(sag[m], sag[0], 0.02 * sag[0]);
        palSession_Destroy(session);
    }
}

//--------------------------------------------------------------------------------------------------
// Momentum

static palVec3 momentumOf(palSession* session)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < 2; i++)
    {
        const palSoftBody* body = bodyOf(session, i);
        for (int k = 0; k < body->nodeCount; k++)
            sum = palMulAdd(sum, body->mass[k], body->v[k]);
    }
    return sum;
}

// One of two welded cubes is thrown: what both have of momentum stays.
static void welded_bodies_keep_their_momentum(void** state)
{
    (void)state;
    static const char* const methods[] = {"linear", "coupling"};
    for (int m = 0; m < 2; m++)
    {
        char text[2048];
        const char* soft = "soft: {young: 1.0e+5, poisson: 0.3, density: 1000, elements: tets, "
                           "resolution: 2, damping: {mass: 0}}";
        snprintf(
            text, sizeof text,
            "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 1, dt: 0.001, low_dt: 0.01, "
            "latency: 0.01}\nmethod: {name: %s, radius: 0.01}\n%sobjects:\n"
            "  - {name: one, shape: {kind: box, size: [0.04, 0.04, 0.04]}, %s}\n"
            "  - {name: two, shape: {kind: box, size: [0.04, 0.04, 0.04]}, position: [0.04, 0, "
            "0], %s}\njoints:\n  - {kind: weld, body: one, to: two, point: [0.02, 0, 0], "
            "radius: 0.03}\n",
            methods[m], TOOL_AWAY, soft, soft);
        palSession* session = startScene(text);
        palSoftBody* one = bodyOf(session, 0);
        for (int k = 0; k < one->nodeCount; k++)
            one->v[k] = palMakeVec3(0.02, 0.05, 0.1);
        palVec3 before = momentumOf(session);
        run(session, 0.3);
        palVec3 after = momentumOf(session), thrown = bodyOf(session, 1)->v[0];
        double size = palLength(before);
        print_message("%-8s momentum %.4e N s, changed by %.1e N s\n", methods[m], size,
                      palDistance(before, after));
        ASSERT_BELOW(0.01, palLength(thrown));
        ASSERT_BELOW(palDistance(before, after), 1e-9 * size);
        palSession_Destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(welded_bodies_keep_their_momentum),
        cmocka_unit_test(a_wire_welded_to_a_soft_block_is_clamped_in_series_with_it),
        cmocka_unit_test(a_soft_bar_swings_about_its_hinge_only),
        cmocka_unit_test(welded_bars_bend_as_one),
        cmocka_unit_test(welded_bars_bend_alike_under_every_method),
        cmocka_unit_test(a_large_face_is_held_by_as_many_nodes_as_there_is_room_for),
        cmocka_unit_test(welded_bars_are_felt_as_one),
        cmocka_unit_test(a_tool_welded_to_a_soft_block_stretches_it),
    };
    return RUN(tests);
}
