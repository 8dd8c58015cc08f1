// SPDX-License-Identifier: Apache-2.0
// Scenes with rigid objects that move, pushed by the hand: what it feels, and what is refused.
#include "scene_session.h"

// clang-format off
#define HEAD "palpate: 1\ngravity: [0, 0, -9.81]\nmethod: {name: impulse}\n" \
             "coupling: {stiffness: 1000, damping: 5}\n"
#define PUSH "trajectory: {kind: line, start: [-0.05, 0, 0.02], end: [0.1, 0, 0.02], " \
             "speed: 0.05}\n"
#define FLOOR "objects:\n  - {name: floor, shape: {kind: half-space}, friction: 0.4}\n"
#define BOX "  - {name: box, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: " \
            "[0, 0, 0.025], friction: 0.4, motion: free, mass: 1}\n"
// clang-format on

static double meanForce(const char* text)
{
    palSession* session = startScene(text);
    palStep step;
    double sum = 0.0;
    const int count = 500;
    stepSession(session, 1500, &step);
    for (int i = 0; i < count; i++)
    {
        palSession_Step(session, &step);
        sum += step.force.x;
    }
    palSession_Destroy(session);
    return sum / count;
}

// A box that slides has the force of friction in the hand, with a tool and with a point.
static void a_pushed_box_is_felt_with_its_friction(void** state)
{
    (void)state;
    const double friction = 0.4 * 1.0 * 9.81;
    double tool =
        meanForce(HEAD PUSH "tool: {shape: {kind: sphere, radius: 0.01}, mass: 0.05}\n" FLOOR BOX);
    double point = meanForce(HEAD PUSH FLOOR BOX);
    ASSERT_NEAR(tool, -friction, 0.02 * friction);
    ASSERT_NEAR(point, -friction, 0.02 * friction);
}

static void a_row_of_boxes_is_felt_with_the_friction_of_all(void** state)
{
    (void)state;
    char text[4096] = HEAD
        "trajectory: {kind: line, start: [-0.05, 0, 0.012], end: [0.1, 0, 0.012], speed: 0.05}\n"
        "tool: {shape: {kind: sphere, radius: 0.01}, mass: 0.05}\n" FLOOR;
    const int count = 10;
    for (int i = 0; i < count; i++)
    {
        size_t used = strlen(text);
        snprintf(
            text + used, sizeof text - used,
            "  - {name: box%d, shape: {kind: box, size: [0.03, 0.03, 0.03]}, position: [%g, 0, "
            "0.015], friction: 0.4, motion: free, mass: 0.1}\n",
            i, 0.03 * i);
    }
    const double friction = 0.4 * 0.1 * count * 9.81;
    ASSERT_NEAR(meanForce(text), -friction, 0.05 * friction);
}

// A weight on a hinge that the hand holds by its tool: the hand carries what the hinge does not.
static void a_bar_on_a_hinge_rests_on_the_tool_with_half_of_its_weight(void** state)
{
    (void)state;
    palSession* session = startScene(
        HEAD
        "trajectory: {kind: line, start: [0.2, 0, -0.0202], end: [0.2, 0, -0.02], speed: 0.01}\n"
        "tool: {shape: {kind: sphere, radius: 0.01}, mass: 0.01}\n"
        "objects:\n  - {name: bar, shape: {kind: box, size: [0.2, 0.02, 0.02]}, position: "
        "[0.1, 0, 0], motion: free, mass: 0.2}\n"
        "joints: [{kind: hinge, body: bar, to: world, point: [0, 0, 0], axis: [0, 1, 0]}]\n");
    palStep step;
    stepSession(session, 2000, &step);
    // At its end the bar presses with m g / 2, and the hand also carries the tool.
    ASSERT_NEAR(-step.force.z, 0.5 * 0.2 * 9.81 + 0.01 * 9.81, 0.02);
    palSession_Destroy(session);
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

static void faults_are_told_with_their_line(void** state)
{
    (void)state;
    refuse(HEAD PUSH FLOOR "  - {name: box, shape: {kind: plane}, motion: free}\n", 3,
           "open sheets");
    refuse(HEAD PUSH FLOOR "  - {name: box, shape: {kind: box}, motion: driven}\n", 8, "no path");
    refuse(HEAD PUSH FLOOR "  - {name: box, shape: {kind: box}, mass: 1}\n", 8, "'mass'");
    refuse(HEAD PUSH FLOOR
           "  - {name: box, shape: {kind: box}, motion: free, soft: {young: 1000}}\n",
           8, "soft");
    refuse("palpate: 1\nmethod: {name: linear}\n" PUSH FLOOR BOX, 2, "a point");
    refuse(HEAD PUSH FLOOR BOX "joints: [{kind: ball, body: box, to: box, point: [0, 0, 0]}]\n", 9,
           "box");
}

static void objects_inside_each_other_at_the_start_are_told(void** state)
{
    (void)state;
    palSession* session = startScene(
        HEAD PUSH FLOOR BOX "  - {name: other, shape: {kind: box, size: [0.05, 0.05, 0.05]}, "
                            "position: [0, 0, 0.0745], motion: free}\n");
    bool isTold = false, isWarning;
    const palError* message;
    for (int i = 0; (message = palSession_Message(session, i, &isWarning)) != NULL; i++)
        isTold = isTold || (isWarning && strstr(message->text, "inside each other") != NULL);
    assert_true(isTold);
    palSession_Destroy(session);
}

// The number behind a key of the summary's member `rigid`.
static double inSummary(const char* summary, const char* key)
{
    const char* rigid = strstr(summary, "\"rigid\"");
    assert_non_null(rigid);
    const char* at = strstr(rigid, key);
    assert_non_null(at);
    return strtod(at + strlen(key) + strlen("\": "), NULL);
}

// A box that rests, one that falls: energies, counts, and how deep any was.
static void the_summary_has_energy_rest_and_contacts(void** state)
{
    (void)state;
    const double m = 1.0, g = 9.81, t = 1.0;
    palSession* session = startScene(
        HEAD PUSH FLOOR "  - {name: rest, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: "
                        "[1, 1, 0.025], friction: 0.4, motion: free, mass: 1}\n"
                        "  - {name: fall, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: "
                        "[2, 2, 50], motion: free, mass: 1}\n");
    palStep step;
    stepSession(session, 1000, &step);
    const char* summary = palSession_Summary(session);
    assert_non_null(summary);
    assert_true(inSummary(summary, "bodies") == 2.0);
    assert_true(inSummary(summary, "awake") == 1.0);
    assert_true(inSummary(summary, "at_rest") == 1.0);
    assert_true(inSummary(summary, "contacts") == 4.0);
    ASSERT_NEAR(inSummary(summary, "kinetic_energy_J"), 0.5 * m * g * g * t * t, 1e-6);
    double height = 50.0 - 0.5 * g * t * (t + 0.001);
    ASSERT_NEAR(inSummary(summary, "potential_energy_J"), m * g * (height + 0.025), 2e-3);
    ASSERT_BELOW(inSummary(summary, "deepest_overlap_mm"), 0.05);
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pushed_box_is_felt_with_its_friction),
        cmocka_unit_test(a_row_of_boxes_is_felt_with_the_friction_of_all),
        cmocka_unit_test(a_bar_on_a_hinge_rests_on_the_tool_with_half_of_its_weight),
        cmocka_unit_test(the_summary_has_energy_rest_and_contacts),
        cmocka_unit_test(faults_are_told_with_their_line),
        cmocka_unit_test(objects_inside_each_other_at_the_start_are_told),
    };
    return RUN(tests);
}
