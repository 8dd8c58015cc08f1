// SPDX-License-Identifier: Apache-2.0
// The static sine of Knott and Kuhlen 2015, section 5.1: amplitude 5 mm, wavelength 25 mm, the hand
// 1 mm below. What the hand must feel is known: the proxy is on the triangles, and the force is
// that of a run which looks for contacts in every step.
#include "path_rig.h"
#include "runtime/verdict.h"

static const double amplitude = 5e-3;   // m
static const double wavelength = 25e-3; // m
static const double offset = -1e-3;     // m
static const double onePercent = 0.01;

typedef struct wave
{
    double speed; // m/s along x
    double stop;  // s
} wave;

static palVec3 alongWave(const void* user, double t)
{
    const wave* w = user;
    double x = -0.1 + w->speed * fmax(0.0, fmin(t, w->stop));
    return palMakeVec3(x, amplitude * sin(2.0 * PAL_PI * x / wavelength) + offset, 0.3e-3);
}

// What a run is judged by. Held steps, and the first 20 ms in which the hand sets off, do not
// count.
typedef struct judged
{
    int steps, contact, held, unconverged;
    int iterations;     // most
    double distance;    // m, to the surface while in contact
    double penetration; // m
    double jump;        // N a step
    double jumpUpdate;  // N a step, where a snapshot arrives
    double turn;        // rad a step
    double reach;       // m, hand to proxy
    palVec3* forces;    // [steps]
} judged;

static judged judge(palRig* rig)
{
    rigStart(rig);
    judged j = {.forces = calloc(rig->ticks, sizeof(palVec3))};
    assert_non_null(j.forces);
    palTickRecord record, last = {0};
    double age = 0.0;
    while (rigStep(rig, &record))
    {
        double gap = rigGap(rig, record.hands[0].proxy);
        j.forces[j.steps++] = record.hands[0].force;
        j.held += record.hands[0].held;
        j.unconverged += !record.hands[0].converged;
        j.iterations =
            record.hands[0].iterations > j.iterations ? record.hands[0].iterations : j.iterations;
        j.penetration = fmax(j.penetration, -gap);
        bool counts = record.t > 0.02 && !record.hands[0].held && !last.hands[0].held;
        if (counts && record.hands[0].active > 0)
        {
            j.contact++;
            j.distance = fmax(j.distance, fabs(gap));
            j.reach = fmax(j.reach, palDistance(record.hands[0].proxy, record.hands[0].device));
        }
        if (counts)
        {
            double jump = palDistance(record.hands[0].force, last.hands[0].force);
            double sine = palLength(palCross(record.hands[0].force, last.hands[0].force));
            j.jump = fmax(j.jump, jump);
            if (record.snapshotAgeMs < age)
                j.jumpUpdate = fmax(j.jumpUpdate, jump);
            if (palLength(record.hands[0].force) > 0.05 && palLength(last.hands[0].force) > 0.05)
                j.turn =
                    fmax(j.turn, atan2(sine, palDot(record.hands[0].force, last.hands[0].force)));
        }
        age = record.snapshotAgeMs;
        last = record;
    }
    return j;
}

// RMS of the difference over the RMS of b.
static double difference(const judged* a, const judged* b)
{
    double apart = 0.0, size = 0.0;
    for (int i = 20; i < a->steps; i++)
    {
        apart += palLengthSquared(palSub(a->forces[i], b->forces[i]));
        size += palLengthSquared(b->forces[i]);
    }
    return sqrt(apart / size);
}

static void makeSine(palRig* rig, const wave* w, double friction, int resolution)
{
    rigInit(rig,
            &(palRigDef){
                .path = alongWave, .user = w, .method = "accurate", .seconds = 0.1 / w->speed});
    palShapeDef sine = palDefaultShapeDef(pal_shapeSine);
    sine.amplitude = amplitude;
    sine.wavelength = wavelength;
    sine.size = palMakeVec3(0.3, 0.0, 0.05);
    sine.resolution = resolution;
    rigAddShape(rig, &sine, friction, rigHome);
}

static judged judgeAt(palRig* rig, const char* method, double lowDt, double latency)
{
    rig->def.method = method;
    rig->def.lowDt = lowDt;
    rig->def.latency = latency;
    return judge(rig);
}

static void the_proxy_stays_on_the_sine_as_in_a_single_rate_run(void** state)
{
    (void)state;
    static const struct
    {
        double speed, friction, latency;
    } cases[] = {
        {0.1, 0.0, 0.005},  {0.1, 0.1, 0.005}, {0.25, 0.0, 0.005},
        {0.25, 0.1, 0.005}, {0.1, 0.1, 0.033},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        palRig rig;
        wave w = {cases[i].speed, INFINITY};
        makeSine(&rig, &w, cases[i].friction, 480);
        judged multi = judgeAt(&rig, "accurate", 0.033, cases[i].latency);
        judged single = judgeAt(&rig, "accurate", 0.001, -1.0);
        assert_int_equal(multi.held, 0);
        assert_int_equal(multi.unconverged, 0);
        assert_true(multi.contact >= multi.steps - 21);
        assert_true(multi.iterations < 30);
        ASSERT_BELOW(multi.distance, 0.01e-3);
        ASSERT_BELOW(multi.penetration, 1e-9);
        ASSERT_BELOW(multi.reach, 1.1e-3); // nowhere caught: the hand is 1 mm below
        ASSERT_BELOW(multi.jump, 1.5 * single.jump);
        ASSERT_BELOW(multi.turn, 1.5 * single.turn);
        ASSERT_BELOW(difference(&multi, &single), 2.0 * onePercent);
        free(multi.forces);
        free(single.forces);
        rigFree(&rig);
    }
}

static void standard_leaves_the_sine_and_snaps_back_on_updates(void** state)
{
    (void)state;
    palRig rig;
    wave w = {0.1, INFINITY};
    makeSine(&rig, &w, 0.1, 480);
    judged standard = judgeAt(&rig, "standard", 0.033, 0.005);
    judged accurate = judgeAt(&rig, "accurate", 0.033, 0.005);
    ASSERT_BELOW(1e-3, standard.distance);
    ASSERT_NEAR(standard.jumpUpdate, standard.jump, 0.0);
    ASSERT_BELOW(10.0 * accurate.jump, standard.jump);
    free(standard.forces);
    free(accurate.forces);
    rigFree(&rig);
}

static void at_one_rate_the_methods_agree_but_for_what_penalty_yields(void** state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
    {
        palRig rig;
        wave w = {i / 2 == 0 ? 0.1 : 0.25, INFINITY};
        makeSine(&rig, &w, i % 2 == 0 ? 0.0 : 0.1, 480);
        judged accurate = judgeAt(&rig, "accurate", rig.def.dt, -1.0);
        judged standard = judgeAt(&rig, "standard", rig.def.dt, -1.0);
        judged penalty = judgeAt(&rig, "penalty", rig.def.dt, -1.0);
        ASSERT_BELOW(difference(&accurate, &standard), 5.0 * onePercent);
        ASSERT_BELOW(standard.distance, 0.01e-3);
        // The coupling of 1000 N/m in series with the surface's 2000: two thirds of the force, and
        // a depth of F/k.
        ASSERT_NEAR(difference(&penalty, &standard), 1.0 / 3.0, 0.05);
        ASSERT_NEAR(penalty.penetration, 1e-3 / 3.0, 0.05e-3);
        free(accurate.forces);
        free(standard.forces);
        free(penalty.forces);
        rigFree(&rig);
    }
}

static void a_hand_too_fast_is_held_outside_and_caught_up_after_it_stops(void** state)
{
    (void)state;
    static const double speeds[] = {0.5, 1.0};
    for (int i = 0; i < 4; i++)
    {
        palRig rig;
        wave w = {speeds[i / 2], 0.2 / speeds[i / 2]};
        makeSine(&rig, &w, i % 2 == 0 ? 0.0 : 0.1, 480);
        rig.def.seconds = w.stop + 0.15;
        rigStart(&rig);
        palTickRecord record;
        int held = 0;
        while (rigStep(&rig, &record))
        {
            double gap = rigGap(&rig, record.hands[0].proxy);
            ASSERT_BELOW(-gap, 1e-6);
            held += record.hands[0].held;
            if (record.hands[0].active > 0 && !record.hands[0].held)
                ASSERT_BELOW(gap, 0.01e-3);
            // Two updates and the time that they take to arrive.
            if (record.t > w.stop + 2.0 * 0.033 + 0.005)
            {
                assert_false(record.hands[0].held);
                ASSERT_BELOW(fabs(gap), 0.01e-3);
                ASSERT_BELOW(palDistance(record.hands[0].proxy, record.hands[0].device), 1.1e-3);
            }
        }
        assert_true(held > 0 || w.speed < 1.0);
        rigFree(&rig);
    }
}

static void rectangles_leave_the_proxy_off_the_surface(void** state)
{
    (void)state;
    palRig rig;
    wave w = {0.1, INFINITY};
    makeSine(&rig, &w, 0.1, 480);
    judged triangle = judgeAt(&rig, "accurate", 0.033, 0.005);
    rig.def.limitShape = pal_limitRectangle;
    judged rectangle = judgeAt(&rig, "accurate", 0.033, 0.005);
    // What limited.h says of the two: rectangles reach over concave edges and lift the proxy there.
    ASSERT_BELOW(triangle.distance, 1e-8);
    ASSERT_BELOW(1e-5, rectangle.distance);
    ASSERT_BELOW(rectangle.distance, 1e-4);
    assert_int_equal(rectangle.unconverged, 0);
    free(triangle.forces);
    free(rectangle.forces);
    rigFree(&rig);
}

static void more_triangles_than_fit_shrink_the_region_only(void** state)
{
    (void)state;
    palRig rig;
    wave w = {0.05, INFINITY};
    makeSine(&rig, &w, 0.1, 2400);
    rig.def.seconds = 0.4;
    judged j = judgeAt(&rig, "accurate", 0.033, 0.005);
    assert_true(rig.engine->shrunkSteps > 0);
    // The hand is told how fast it may move in the smallest region, not in the one asked for.
    palVerdict verdict = palMakeVerdict(rig.engine);
    ASSERT_BELOW(verdict.reach, 0.9 * rig.def.radius);
    ASSERT_NEAR(verdict.usableSpeed, verdict.reach / (0.033 + 0.005), 1e-12);
    ASSERT_BELOW(j.distance, 0.01e-3);
    ASSERT_BELOW(j.penetration, 1e-9);
    free(j.forces);
    rigFree(&rig);
}

static palVec3 inTheAir(const void* user, double t)
{
    (void)user;
    return palMakeVec3(-0.3 + t, 0.055, 0.0);
}

static void the_trust_region_does_not_brake_free_motion(void** state)
{
    (void)state;
    palRig rig;
    wave w = {1.0, INFINITY};
    makeSine(&rig, &w, 0.1, 480);
    rig.def.path = inTheAir;
    rig.def.seconds = 0.6;
    rigStart(&rig);
    palTickRecord record;
    while (rigStep(&rig, &record))
    {
        // The proxy starts at rest; the coupling takes a few time constants to set it in motion.
        if (record.t < 0.05)
            continue;
        assert_false(record.hands[0].held);
        ASSERT_BELOW(palLength(record.hands[0].force), 0.05);
    }
    rigFree(&rig);
}

// The whole experiment rotated, moved and scaled.
typedef struct posed
{
    wave wave;
    palRigPose pose;
} posed;

static palVec3 alongPosedWave(const void* user, double t)
{
    const posed* p = user;
    return rigPlace(&p->pose, alongWave(&p->wave, t));
}

static void a_moved_scene_gives_the_moved_force(void** state)
{
    (void)state;
    static const palVec3 turns[] = {
        {0.3, -1.1, 0.7}, {0.0, 0.0, 1.5707963267948966}, {2.0, 1.0, -0.4}};
    static const palVec3 places[] = {{0.3, -0.2, 0.1}, {0.0, 0.0, 0.0}, {-1.0, 2.0, 0.5}};
    static const double scales[] = {1.0, 3.0, 0.1};
    palRig rig;
    posed p = {{0.2, INFINITY}, rigHome};
    makeSine(&rig, &p.wave, 0.1, 480);
    judged home = judge(&rig);
    rigFree(&rig);
    for (int i = 0; i < 3; i++)
    {
        p.pose = (palRigPose){scales[i], palMakeQuatRotationVector(turns[i]), places[i]};
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .path = alongPosedWave,
                                   .user = &p,
                                   .seconds = 0.1 / p.wave.speed,
                                   .radius = 0.02 * p.pose.scale});
        palShapeDef sine = palDefaultShapeDef(pal_shapeSine);
        sine.resolution = 480;
        rigAddShape(&rig, &sine, 0.1, p.pose);
        judged moved = judge(&rig);
        assert_int_equal(moved.held, 0);
        for (int k = 0; k < home.steps; k++)
        {
            palVec3 expected = palScale(p.pose.scale, palRotate(p.pose.rotation, home.forces[k]));
            double size = fmax(palLength(expected), p.pose.scale);
            ASSERT_BELOW(palDistance(moved.forces[k], expected), 1e-9 * size);
        }
        free(moved.forces);
        rigFree(&rig);
    }
    free(home.forces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_proxy_stays_on_the_sine_as_in_a_single_rate_run),
        cmocka_unit_test(standard_leaves_the_sine_and_snaps_back_on_updates),
        cmocka_unit_test(at_one_rate_the_methods_agree_but_for_what_penalty_yields),
        cmocka_unit_test(a_hand_too_fast_is_held_outside_and_caught_up_after_it_stops),
        cmocka_unit_test(rectangles_leave_the_proxy_off_the_surface),
        cmocka_unit_test(more_triangles_than_fit_shrink_the_region_only),
        cmocka_unit_test(the_trust_region_does_not_brake_free_motion),
        cmocka_unit_test(a_moved_scene_gives_the_moved_force),
    };
    return RUN(tests);
}
