// SPDX-License-Identifier: Apache-2.0
// A tool that touches soft objects with its points and edges: on the surface as it is now, with the
// force of `linear` at rest and that of everything at 1 kHz in motion, whatever the rates.
#include "scene_session.h"

// A block of 100 x 100 mm that is held at its bottom, its top at y = 0.
static const char sceneText[] = "palpate: 1\n"
                                "gravity: [0, %g, 0]\n"
                                "time: {seconds: 10, dt: 0.001, low_dt: %g, latency: %g}\n"
                                "method: {name: %s, radius: 0.02}\n"
                                "tool: {%s}\n"
                                "trajectory: {kind: path, points: [%s]}\n"
                                "objects:\n%s";

static const char block[] =
    "  - {name: block, shape: {kind: box, size: [0.1, 0.05, 0.1]}, position: [0, -0.025, 0],"
    " friction: 0.3, soft: {young: 10000, poisson: 0.4, elements: tets, resolution: 8,"
    " fixed: [{nodes: ymin}]}}\n";
static const char smooth[] =
    "  - {name: block, shape: {kind: box, size: [0.1, 0.05, 0.1]}, position: [0, -0.025, 0],"
    " soft: {young: 10000, poisson: 0.4, elements: tets, resolution: 8,"
    " fixed: [{nodes: ymin}]}}\n";

// The hand is at a tool's lowest place when the tool touches the block.
static const char stylus[] = "shape: {kind: probe, radius: 0.006, height: 0.06}, position: [0, "
                             "0.03, 0], rotation: [90, 0, 0]";
static const char plate[] = "shape: {kind: box, size: [0.03, 0.005, 0.02], resolution: 4},"
                            " position: [0, 0.0025, 0]";
static const char wedge[] = "shape: {kind: box, size: [0.02, 0.02, 0.02], resolution: 4},"
                            " position: [0, 0.0141421, 0], rotation: [0, 0, 45]";

// Down within 0.3 s, held.
static const char pressing[] =
    "{t: 0, at: [0.003, 0.001, 0.002]}, {t: 0.1, at: [0.003, 0.001, 0.002]},"
    " {t: 0.5, at: [0.003, -0.005, 0.002]}, {t: 10, at: [0.003, -0.005, 0.002]}";
// The same, then up and down at 5 Hz, by 2 mm.
static const char pumping[] =
    "{t: 0, at: [0.003, 0.001, 0.002]}, {t: 0.1, at: [0.003, 0.001, 0.002]},"
    " {t: 0.5, at: [0.003, -0.005, 0.002]}, {t: 0.6, at: [0.003, -0.003, 0.002]},"
    " {t: 0.7, at: [0.003, -0.005, 0.002]}, {t: 0.8, at: [0.003, -0.003, 0.002]},"
    " {t: 0.9, at: [0.003, -0.005, 0.002]}, {t: 10, at: [0.003, -0.005, 0.002]}";

typedef struct setup
{
    const char* method;
    const char* tool;
    const char* path;
    const char* objects;
    double lowDt;   // s; also the latency, unless it is that of the high rate
    double gravity; // m/s²
} setup;

static void writeScene(const setup* with, char* text, size_t size)
{
    double latency = with->lowDt > 1e-3 ? with->lowDt : 0.0;
    snprintf(text, size, sceneText, with->gravity, with->lowDt, latency, with->method, with->tool,
             with->path, with->objects);
}

static palSession* makeSession(const setup* with)
{
    char text[4096];
    writeScene(with, text, sizeof text);
    return startScene(text);
}

// What a run showed.
typedef struct outcome
{
    palVec3 force;  // the last, N
    palVec3 mean;   // of the last 0.2 s, N
    double jump;    // N: the largest change of force from tick to tick
    double depth;   // m: the deepest that a point or edge was inside
    int contacts;   // that pushed in the last tick
    palVec3 pushed; // the sum of their forces on objects, N
} outcome;

// Runs for so many ticks; forces, [ticks], may be NULL.
static outcome run(const setup* with, int ticks, palVec3* forces)
{
    palSession* session = makeSession(with);
    palEngine* engine = (palEngine*)palSession_Engine(session);
    outcome seen = {.jump = 0.0};
    palVec3 last = pal_zeroVec3;
    for (int k = 0; k < ticks; k++)
    {
        palTickRecord record;
        palLockstep_Step(engine, &record);
        assert_true(palIsFinite(record.hands[0].force));
        seen.jump = fmax(seen.jump, k > 0 ? palDistance(record.hands[0].force, last) : 0.0);
        if (isfinite(record.hands[0].surfaceGap))
            seen.depth = fmax(seen.depth, -record.hands[0].surfaceGap);
        if (k >= ticks - 200)
            seen.mean = palMulAdd(seen.mean, 1.0 / 200.0, record.hands[0].force);
        if (forces != NULL)
            forces[k] = record.hands[0].force;
        last = seen.force = record.hands[0].force;
        seen.contacts = record.contactCount;
        seen.pushed = pal_zeroVec3;
        for (int c = 0; c < record.contactCount; c++)
            seen.pushed = palAdd(seen.pushed, record.contacts[c].force);
    }
    palSession_Destroy(session);
    return seen;
}

static const double surface = 2e-5; // m: how near to the deformed surface a tool must be

static void at_rest_the_force_is_that_of_linear(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const tools[] = {stylus, plate, wedge};
    for (int i = 0; i < 3; i++)
    {
        setup with = {.tool = tools[i], .path = pressing, .objects = block, .lowDt = 0.033};
        with.method = "linear";
        outcome linear = run(&with, 1500, NULL);
        with.method = "accurate";
        outcome accurate = run(&with, 1500, NULL);
        with.method = "standard";
        outcome standard = run(&with, 1500, NULL);
        assert_true(linear.mean.y > 0.2);
        ASSERT_NEAR(accurate.mean.y, linear.mean.y, 0.02 * linear.mean.y);
        ASSERT_NEAR(standard.mean.y, linear.mean.y, 0.02 * linear.mean.y);
        // It is at rest, on the surface, and what the contacts report is what the hand feels.
        ASSERT_NEAR(palDistance(accurate.force, accurate.mean), 0.0, 2e-3 * linear.mean.y);
        ASSERT_BELOW(accurate.depth, surface);
        assert_true(accurate.contacts >= (i == 0 ? 1 : 2));
        ASSERT_NEAR(palLength(palAdd(accurate.pushed, accurate.force)), 0.0, 5e-3);
    }
}

// Springs in series with the block: the stiffer they are, the nearer is the force to that of rigid
// contact, from below.
static void penalty_is_springs_in_series(void** state)
{
    (void)state;
    SKIP_SLOWED();
    setup with = {"standard", stylus, pressing, block, 0.033, 0.0};
    double rigid = run(&with, 1200, NULL).mean.y;
    with.method = "penalty";
    double soft = run(&with, 1200, NULL).mean.y;
    with.method = "penalty, penalty_stiffness: 100000";
    double stiff = run(&with, 1200, NULL).mean.y;
    assert_true(soft < 0.97 * rigid && soft > 0.5 * rigid);
    ASSERT_NEAR(stiff, rigid, 0.02 * rigid);
    assert_true(stiff < rigid);
}

static void motion_feels_as_with_everything_at_the_high_rate(void** state)
{
    (void)state;
    SKIP_SLOWED();
    enum
    {
        ticks = 1000,
    };
    static palVec3 fast[ticks], slow[ticks];
    static const struct
    {
        const char *method, *tool;
        double allowed; // of the largest force
    } cases[] = {{"accurate", stylus, 0.05}, {"accurate", plate, 0.05}, {"standard", stylus, 0.05}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        setup with = {cases[i].method, cases[i].tool, pumping, block, 0.001, 0.0};
        outcome truth = run(&with, ticks, fast);
        with.lowDt = 0.033;
        outcome seen = run(&with, ticks, slow);
        double most = 0.0, apart = 0.0;
        for (int k = 0; k < ticks; k++)
        {
            most = fmax(most, palLength(fast[k]));
            apart = fmax(apart, palDistance(fast[k], slow[k]));
        }
        ASSERT_BELOW(apart, cases[i].allowed * most);
        // A new snapshot is no step in the force.
        ASSERT_BELOW(seen.jump, 1.2 * truth.jump + 2e-3);
        if (strcmp(cases[i].method, "accurate") == 0)
            ASSERT_BELOW(seen.depth, surface);
    }
}

static void friction_holds_and_slides(void** state)
{
    (void)state;
    static const char dragging[] =
        "{t: 0, at: [0.003, 0.001, 0.002]}, {t: 0.4, at: [0.003, -0.003, 0.002]},"
        " {t: 0.6, at: [0.003, -0.003, 0.002]}, {t: 1.2, at: [%g, -0.003, 0.002]},"
        " {t: 10, at: [%g, -0.003, 0.002]}";
    for (int i = 0; i < 2; i++)
    {
        // A fifth of a millimetre, which the block gives way by, and 20 mm.
        double x = i == 0 ? 0.0032 : 0.023;
        char path[512];
        snprintf(path, sizeof path, dragging, x, x);
        setup with = {"accurate", stylus, path, block, 0.033, 0.0};
        outcome held = run(&with, 1200, NULL);
        with.objects = smooth;
        outcome sliding = run(&with, 1200, NULL);
        double aside = fabs(held.mean.x / held.mean.y),
               free = fabs(sliding.mean.x / sliding.mean.y);
        if (i == 0)
        {
            assert_true(aside > 0.02 && aside < 0.3);
            assert_true(held.mean.x < 0.0);
        }
        else
        {
            // It slides: the friction is the coefficient's, up to the slope of the dent.
            ASSERT_NEAR(aside, 0.3, 0.1);
            assert_true(free < 0.1);
        }
        ASSERT_BELOW(held.depth, surface);
    }
}

static void soft_and_static_carry_a_plate_together(void** state)
{
    (void)state;
    // Half of the plate is over a rigid block 2 mm lower.
    static const char both[] =
        "  - {name: block, shape: {kind: box, size: [0.1, 0.05, 0.1]}, position: [-0.047, -0.025, "
        "0], friction: 0.3, soft: {young: 10000, poisson: 0.4, elements: tets, resolution: 8,"
        " fixed: [{nodes: ymin}]}}\n"
        "  - {name: wall, shape: {kind: box, size: [0.04, 0.05, 0.1]}, position: [0.0245, -0.027, "
        "0], friction: 0.3}\n";
    setup with = {"accurate", plate, pressing, both, 0.033, 0.0};
    palSession* session = makeSession(&with);
    palEngine* engine = (palEngine*)palSession_Engine(session);
    double onSoft = 0.0, onWall = 0.0, depth = 0.0;
    palTickRecord record;
    for (int k = 0; k < 1500; k++)
    {
        palLockstep_Step(engine, &record);
        depth =
            fmax(depth, isfinite(record.hands[0].surfaceGap) ? -record.hands[0].surfaceGap : 0.0);
    }
    for (int c = 0; c < record.contactCount; c++)
        *(record.contacts[c].object == 0 ? &onSoft : &onWall) -= record.contacts[c].force.y;
    // 5 mm too deep, of which the wall leaves 2 to the plate: both carry, and as much as is felt.
    assert_true(onSoft > 0.05 && onWall > 0.5);
    ASSERT_NEAR(onSoft + onWall, record.hands[0].force.y, 0.01 * record.hands[0].force.y);
    ASSERT_BELOW(depth, surface);
    palSession_Destroy(session);
}

static void a_free_cube_is_pushed_along(void** state)
{
    (void)state;
    static const char cube[] =
        "  - {name: floor, shape: {kind: box, size: [0.3, 0.02, 0.3]}, position: [0, -0.01, 0],"
        " friction: 0.2}\n"
        "  - {name: cube, shape: {kind: box, size: [0.03, 0.03, 0.03]}, position: [0, 0.0151, 0],"
        " friction: 0.2, soft: {young: 20000, poisson: 0.4, elements: tets, resolution: 3}}\n";
    static const char pushing[] =
        "{t: 0, at: [-0.03, 0.008, 0.001]}, {t: 0.3, at: [-0.03, 0.008, 0.001]},"
        " {t: 1.3, at: [0.01, 0.008, 0.001]}, {t: 10, at: [0.01, 0.008, 0.001]}";
    static const char* const methods[] = {"accurate", "standard", "penalty"};
    for (int i = 0; i < 3; i++)
    {
        setup with = {methods[i], stylus, pushing, cube, 0.01, -9.81};
        palSession* session = makeSession(&with);
        palStep step = {0};
        for (int k = 0; k < 1500; k++)
            palSession_Step(session, &step);
        const palCollider* collider =
            &palSession_Engine(session)->methods.methods[0]->def.colliders[1];
        palVec3 middle = pal_zeroVec3;
        for (int v = 0; v < collider->surface.vertexCount; v++)
            middle = palMulAdd(middle, 1.0 / collider->surface.vertexCount,
                               palCollider_Vertex(collider, v));
        // The stylus' tip has a radius of 6 mm and the cube half a side of 15: it is ahead of the
        // hand, it has not been passed through, and it stands on the floor.
        assert_true(middle.x > 0.01 + 0.015 && middle.x < 0.01 + 0.04);
        ASSERT_NEAR(middle.y, 0.015, 1.5e-3);
        palSession_Destroy(session);
    }
}

static void frozen_soft_objects_are_refused(void** state)
{
    (void)state;
    setup with = {"accurate, response: frozen", stylus, pressing, block, 0.033, 0.0};
    char text[4096];
    palSession* session;
    palError error = {0};
    writeScene(&with, text, sizeof text);
    assert_int_equal(createFromText(text, &session, &error), pal_errorInput);
    assert_int_equal(error.line, 4);
    assert_non_null(strstr(error.text, "frozen"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_the_force_is_that_of_linear),
        cmocka_unit_test(penalty_is_springs_in_series),
        cmocka_unit_test(motion_feels_as_with_everything_at_the_high_rate),
        cmocka_unit_test(friction_holds_and_slides),
        cmocka_unit_test(soft_and_static_carry_a_plate_together),
        cmocka_unit_test(a_free_cube_is_pushed_along),
        cmocka_unit_test(frozen_soft_objects_are_refused),
    };
    return RUN(tests);
}
