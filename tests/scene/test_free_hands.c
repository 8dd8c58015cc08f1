// SPDX-License-Identifier: Apache-2.0
// Rigid objects that move, under the methods that find what stands still themselves: pushed,
// shaken, met at high speed, and pressed on what stands still.
#include "scene_session.h"

#include "render/method.h"
#include "runtime/engine.h"

#include <complex.h>

#define HEAD(method, lowDt)                                                                        \
    "palpate: 1\ngravity: [0, -9.81, 0]\ntime: {seconds: 3, dt: 0.001, low_dt: " lowDt             \
    "}\nmethod: {name: " method "}\ncoupling: {stiffness: 1000, damping: 2}\n"

// Visits the forms for a point and a tool of the methods that take turns with rigid bodies.
static void forEachForm(void (*visit)(const char* method, bool isTool))
{
    int count = 0;
    for (int i = 0; palMethodAt(i) != NULL; i++)
        for (int hand = pal_handPoint; hand <= pal_handTool; hand++)
        {
            const palMethodOps* form = palMethodAt(i)->forms[hand];
            if (form == NULL || form->rigidHand == NULL)
                continue;
            visit(form->name, hand == pal_handTool);
            count++;
        }
    assert_true(count >= 8);
}

static const char* toolText(bool isTool)
{
    return isTool ? "tool: {shape: {kind: sphere, radius: 0.01}, mass: 0.05}\n" : "";
}

// A row of boxes of 30 mm that touch, on a floor with friction 0.4; the hand comes from the left.
static palSession* startRow(const char* method, bool isTool, double lowDt, int count)
{
    char text[8192];
    const double reach = isTool ? 0.01 : 0.0, start = -0.016 - reach;
    int used = snprintf(text, sizeof text,
                        "palpate: 1\ngravity: [0, -9.81, 0]\ntime: {seconds: 3, dt: 0.001, low_dt: "
                        "%g}\nmethod: {name: %s}\ncoupling: {stiffness: 1000, damping: 2}\n%s"
                        "trajectory: {kind: line, start: [%g, 0.015, 0], end: [1, 0.015, 0], "
                        "speed: 0.04}\nobjects:\n  - {name: floor, shape: {kind: box, size: [3, "
                        "0.02, 0.2]}, position: [0.5, -0.01, 0], friction: 0.4}\n",
                        lowDt, method, toolText(isTool), start);
    for (int i = 0; i < count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  - {name: box%d, shape: {kind: box, size: [0.03, 0.03, 0.03]}, position:"
                         " [%g, 0.015, 0], motion: free, mass: 0.1}\n",
                         i, 0.03 * i);
    return startScene(text);
}

static double meanPush(palSession* session, int before, int count)
{
    palStep step;
    double sum = 0.0;
    stepSession(session, before, &step);
    for (int i = 0; i < count; i++)
    {
        palSession_Step(session, &step);
        sum -= step.force.x / count;
    }
    palSession_Destroy(session);
    return sum;
}

static void pushBox(const char* method, bool isTool)
{
    static const double lowDts[] = {0.001, 0.01, 0.033};
    const double friction = 0.4 * 0.1 * 9.81;
    for (int i = 0; i < 3; i++)
    {
        // `coupling` is dragged in free air too, by more than the box the slower the rate.
        bool isDragged = strcmp(method, "coupling") == 0;
        if (isDragged && lowDts[i] > 0.02)
            continue;
        double air = isDragged ? meanPush(startRow(method, isTool, lowDts[i], 0), 500, 200) : 0.0;
        double force = meanPush(startRow(method, isTool, lowDts[i], 1), 500, 200) - air;
        print_message("%s, %s, %g s: %+.2f %%\n", method, isTool ? "a tool" : "a point", lowDts[i],
                      100.0 * (force / friction - 1.0));
        ASSERT_NEAR(force, friction, 0.02 * friction);
    }
}

static void a_pushed_box_is_felt_with_its_friction_at_every_rate(void** state)
{
    (void)state;
    forEachForm(pushBox);
}

static void a_row_of_twenty_is_felt_with_the_friction_of_all(void** state)
{
    (void)state;
    const double friction = 20 * 0.4 * 0.1 * 9.81;
    ASSERT_NEAR(meanPush(startRow("accurate", false, 0.033, 20), 600, 200), friction,
                0.05 * friction);
    if (isLongRun())
        ASSERT_NEAR(meanPush(startRow("linear", true, 0.033, 20), 600, 200), friction,
                    0.05 * friction);
}

// A fork on a slider that the hand shakes: how much of its mass is felt is that of a mass on the
// coupling, and the same as with everything at 1 kHz.
static double shakenForce(const char* method, bool isTool, double hertz, double mass, double lowDt)
{
    const double pi = 3.141592653589793, radius = 0.004, play = 2e-5;
    const double reach = (isTool ? 0.01 : 1e-5) + 0.5 * play;
    char text[2048];
    snprintf(text, sizeof text,
             "palpate: 1\ntime: {seconds: 9, dt: 0.001, low_dt: %g}\nmethod: {name: %s}\ncoupling: "
             "{stiffness: 1000, damping: 5}\n%strajectory: {kind: circle, centre: [0, 0, 0], axis: "
             "[0, 0, 1], radius: %g, speed: %.12g}\nobjects:\n"
             "  - {name: still, shape: {kind: box, size: [0.02, 0.02, 0.02]}, position: [0.3, 0, "
             "0]}\n  - {name: fork, motion: free, mass: %g, position: [%g, 0, 0], parts: ["
             "{shape: {kind: box, size: [0.02, 0.1, 0.1]}, position: [%.9g, 0, 0]}, "
             "{shape: {kind: box, size: [0.02, 0.1, 0.1]}, position: [%.9g, 0, 0]}]}\n"
             "joints: [{kind: slider, body: fork, to: world, point: [%.9g, 0, 0], axis: [1, 0, "
             "0]}]\n",
             lowDt, method, toolText(isTool), radius, 2.0 * pi * hertz * radius, mass, radius,
             reach + 0.01, -reach - 0.01, radius + reach + 0.001);
    palSession* session = startScene(text);
    palStep step;
    double square = 0.0;
    const int period = (int)lround(1000.0 / hertz);
    stepSession(session, period > 500 ? period : 500, &step);
    for (int i = 0; i < period; i++)
    {
        palSession_Step(session, &step);
        square += step.force.x * step.force.x / period;
    }
    palSession_Destroy(session);
    return sqrt(square);
}

static void a_shaken_body_is_felt_with_its_mass(void** state)
{
    (void)state;
    static const struct
    {
        const char* method;
        bool isTool;
        double hertz, mass;
    } cases[] = {
        {"accurate", false, 2.0, 0.05}, {"accurate", false, 10.0, 0.05},
        {"accurate", false, 0.5, 5.0},  {"standard", false, 10.0, 0.05},
        {"accurate", true, 10.0, 0.05}, {"penalty", false, 2.0, 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        const double omega = 6.283185307179586 * cases[i].hertz;
        const double mass = cases[i].mass + (cases[i].isTool ? 0.05 : 0.001);
        const double complex coupling = 1000.0 + I * omega * 5.0;
        const double inertia = mass * omega * omega;
        double felt = inertia * cabs(coupling / (coupling - inertia)) * 0.004 / sqrt(2.0);
        double slow =
            shakenForce(cases[i].method, cases[i].isTool, cases[i].hertz, cases[i].mass, 0.033);
        double fast =
            shakenForce(cases[i].method, cases[i].isTool, cases[i].hertz, cases[i].mass, 0.001);
        print_message("%s, %g Hz, %g kg: %.4f N, at 1 kHz %.4f, on the coupling %.4f\n",
                      cases[i].method, cases[i].hertz, cases[i].mass, slow, fast, felt);
        ASSERT_NEAR(slow, fast, 0.01 * fast);
        ASSERT_NEAR(slow, felt, 0.05 * felt);
    }
}

// A hand at 2 m/s goes 2 mm in a tick: the plate of 1 mm that it hits goes before it.
static void hitPlate(const char* method, bool isTool)
{
    char text[2048];
    const double reach = isTool ? 0.01 : 0.0;
    snprintf(text, sizeof text,
             "palpate: 1\ntime: {seconds: 1, dt: 0.001, low_dt: 0.033}\nmethod: {name: %s}\n"
             "coupling: {stiffness: 1000, damping: 2}\n%strajectory: {kind: line, start: [-0.05, "
             "0.0003, 0.0002], end: [0.4, 0.0003, 0.0002], speed: 2}\nobjects:\n"
             "  - {name: still, shape: {kind: box, size: [0.02, 0.02, 0.02]}, position: [0, 0.3, "
             "0]}\n  - {name: plate, shape: {kind: box, size: [0.001, 0.2, 0.2]}, motion: free, "
             "mass: 0.3, inertia: [1, 1, 1]}\n",
             method, toolText(isTool));
    palSession* session = startScene(text);
    const palEngine* engine = palSession_Engine(session);
    const palShared* shared = engine->methods.shared;
    palStep step;
    for (int i = 0; i < 400; i++)
    {
        palRigidView plate;
        palSession_Step(session, &step);
        assert_true(shared->ops->rigid(shared, 1, &plate));
        double front = plate.pose.x.x - 0.0005 - step.proxy.x - reach;
        // `penalty` lets the hand in by F/k.
        double most = strcmp(method, "penalty") == 0 ? 0.05 : 3e-4;
        if (front < -most)
            fail_msg("%s, %s: %g mm inside at step %d", method, isTool ? "a tool" : "a point",
                     -1e3 * front, i);
        assert_true(palLength(step.force) < 200.0);
    }
    palSession_Destroy(session);
}

static void a_fast_hand_does_not_pass_a_thin_plate_that_moves(void** state)
{
    (void)state;
    forEachForm(hitPlate);
}

// A box of 1 kg lies on what the hand holds, which lies on the floor and in a corner: what stands
// still is not entered, and all forces are finite.
static void pressOnFloor(const char* method, bool isTool)
{
    char text[2048];
    const double reach = isTool ? 0.01 : 0.0;
    snprintf(text, sizeof text,
             "palpate: 1\ngravity: [0, -9.81, 0]\ntime: {seconds: 1, dt: 0.001, low_dt: 0.033}\n"
             "method: {name: %s}\ncoupling: {stiffness: 1000, damping: 2}\n%s"
             "trajectory: {kind: line, start: [0.002, %g, 0], end: [0.002, %g, 0], speed: 0.01}\n"
             "objects:\n"
             "  - {name: floor, shape: {kind: box, size: [1, 0.1, 1]}, position: [0, -0.05, 0], "
             "friction: 0.3}\n  - {name: box, shape: {kind: box, size: [0.1, 0.05, 0.1]}, position:"
             " [0, %g, 0], motion: free, mass: 1, friction: 0.3}\n",
             method, toolText(isTool), reach + 0.002, reach - 0.003, 2.0 * reach + 0.0305);
    palSession* session = startScene(text);
    const palShared* shared = palSession_Engine(session)->methods.shared;
    palStep step;
    palRigidView box;
    const bool isSpring = strcmp(method, "penalty") == 0 || strcmp(method, "coupling") == 0;
    // A ball has facets; and `linear` stops what a body hits with the rows of the last update.
    const double inside = strcmp(method, "linear") == 0 ? 2e-3 : isTool ? 1e-4 : 1e-6;
    for (int i = 0; i < 600; i++)
    {
        palSession_Step(session, &step);
        assert_true(palIsFinite(step.force) && palLength(step.force) < 50.0);
        if (isSpring)
            continue;
        assert_true(step.proxy.y > reach - inside);
    }
    assert_true(shared->ops->rigid(shared, 1, &box));
    assert_true(palLength(box.v) < 0.05);
    assert_true(box.pose.x.y > 0.02 && box.pose.x.y < 0.06);
    palSession_Destroy(session);
}

static void a_box_lies_on_a_hand_that_lies_on_the_floor(void** state)
{
    (void)state;
    forEachForm(pressOnFloor);
}

// The force on the hand and what contacts say that they do to it.
static void holdBox(const char* method, bool isTool)
{
    if (strcmp(method, "coupling") == 0)
        return; // it drags the hand where nothing touches
    palSession* session = startRow(method, isTool, 0.033, 1);
    const palEngine* engine = palSession_Engine(session);
    palStep step;
    stepSession(session, 700, &step);
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < engine->contacts.count; i++)
        if (engine->contacts.items[i].hand == 0)
            sum = palAdd(sum, engine->contacts.items[i].force); // on the box
    const double mass = isTool ? 0.05 : 0.001;
    palVec3 explained = palSub(palMulAdd(pal_zeroVec3, -1.0, sum), palMakeVec3(0, mass * 9.81, 0));
    ASSERT_NEAR(palDistance(step.force, explained), 0.0, 0.05);
    palSession_Destroy(session);
}

static void the_force_is_explained_by_the_contacts(void** state)
{
    (void)state;
    forEachForm(holdBox);
}

// A ball of 0.4 kg at 1 m/s goes into the wall of scenes/wall.yaml: nothing is inside anything,
// nothing falls through the floor, all lies still at the end; and again, bit for bit.
static double hitWall(const char* method, palVec3* sum)
{
    char name[64];
    snprintf(name, sizeof name, "method.name=%s", method);
    const char* sets[] = {
        name, "tool.mass=0.4",
        "trajectory={kind: line, start: [0.17, 0.12, 0.15], end: [0.17, 0.12, -0.1], speed: 1}"};
    palSession* session = createSession("wall.yaml", sets, 3);
    const palShared* shared = palSession_Engine(session)->methods.shared;
    palStep step;
    *sum = pal_zeroVec3;
    for (int i = 0; i < 5000; i++)
    {
        palSession_Step(session, &step);
        assert_true(palIsFinite(step.force));
        *sum = palMulAdd(*sum, i, step.force);
    }
    palRigidTotals totals = shared->ops->totals(shared);
    print_message("%s: %g mm deep, %d of %d asleep\n", method, 1e3 * totals.deepest, totals.asleep,
                  totals.bodies);
    assert_int_equal(totals.asleep, totals.bodies);
    for (int i = 1; i <= totals.bodies; i++)
    {
        palRigidView brick;
        assert_true(shared->ops->rigid(shared, i, &brick));
        assert_true(brick.pose.x.y > 0.0149);
    }
    palSession_Destroy(session);
    return totals.deepest;
}

static void a_wall_is_knocked_over_by_a_tool(void** state)
{
    (void)state;
    palVec3 first, again;
    SKIP_SLOWED();
    if (!isLongRun())
        return;
    ASSERT_BELOW(hitWall("linear", &first), 5e-4);
    ASSERT_BELOW(hitWall("accurate", &first), 5e-4);
    hitWall("accurate", &again);
    assert_memory_equal(&first, &again, sizeof first);
    ASSERT_BELOW(hitWall("standard", &first), 5e-4);
    hitWall("penalty", &first); // as deep as its spring lets the tool in
    hitWall("coupling", &first);
}

static void refuse(const char* text, int line, const char* what)
{
    palSession* session;
    palError error = {0};
    assert_int_equal(createFromText(text, &session, &error), pal_errorInput);
    assert_int_equal(error.line, line);
    if (strstr(error.text, what) == NULL)
        fail_msg("%s", error.text);
}

#define PUSH  "trajectory: {kind: line, start: [0, 0.1, 0], end: [0.1, 0.1, 0], speed: 0.1}\n"
#define FLOOR "objects:\n  - {name: floor, shape: {kind: box}}\n"
#define BOX   "  - {name: box, shape: {kind: box}, position: [0, 0.3, 0], motion: free}\n"

static void what_does_not_go_together_is_refused(void** state)
{
    (void)state;
    refuse(HEAD("accurate", "0.01") PUSH FLOOR BOX
           "  - {name: soft, shape: {kind: box}, position: [1, 0, 0], soft: {young: 1000}}\n",
           10, "soft objects together with rigid objects that move");
    refuse(HEAD("standard", "0.01") PUSH FLOOR BOX
           "  - {name: sheet, shape: {kind: plane}, position: [1, 0, 0]}\n",
           4, "open sheets together with");
    refuse(HEAD("penalty", "0.01") PUSH "tool: {shape: {kind: sphere, radius: 0.01}}\n" FLOOR BOX
                                        "pairs: [{body: tool, to: floor, touch: never}]\n",
           11, "does not move");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pushed_box_is_felt_with_its_friction_at_every_rate),
        cmocka_unit_test(a_row_of_twenty_is_felt_with_the_friction_of_all),
        cmocka_unit_test(a_shaken_body_is_felt_with_its_mass),
        cmocka_unit_test(a_fast_hand_does_not_pass_a_thin_plate_that_moves),
        cmocka_unit_test(a_box_lies_on_a_hand_that_lies_on_the_floor),
        cmocka_unit_test(the_force_is_explained_by_the_contacts),
        cmocka_unit_test(a_wall_is_knocked_over_by_a_tool),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return RUN(tests);
}
