// SPDX-License-Identifier: Apache-2.0
// Soft bodies that touch each other and what does not move, without a tool and without a method:
// against weight, momentum, the angle of friction and finer steps.
#include "stage.h"

static const double gravity = 9.81;         // m/s²
static const palSoftFactorDef prompt = {0}; // a factor a step

#define CUBE(at, young, more)                                                                      \
    "  - {name: cube, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: " at                 \
    ", friction: 0.4, soft: {young: " young ", poisson: 0.3, density: 1000, elements: tets, "      \
    "resolution: 3" more "}}\n"
#define BLOCK(young)                                                                               \
    "  - {name: block, shape: {kind: box, size: [0.1, 0.1, 0.1]}, friction: 0.3, soft: "           \
    "{young: " young ", poisson: 0.3, density: 1000, elements: tets, resolution: 4, "              \
    "fixed: [{nodes: ymin}]}}\n"

// A cube that is dropped from 1 cm on a soft block comes to rest and stays there, in the long run
// for a minute.
static void a_dropped_cube_rests_on_a_block(void** state)
{
    (void)state;
    stage* s = stageMake(BLOCK("10000") CUBE("[0.003, 0.085, 0.002]", "10000", ""),
                         palMakeVec3(0, -gravity, 0));
    const double h = 1.0 / 30.0;
    double weight = gravity * palSoftBody_Mass(s->world.colliders[1].soft);
    palVec3 settled = pal_zeroVec3;
    double deepest = 0.0, worst = 0.0, creep = 0.0;
    const int steps = isLongRun() ? 1800 : 600;
    for (int k = 0; k < steps; k++)
    {
        stageAdvance(s, h);
        if (k % 10 == 0)
            deepest = fmax(deepest, stageDepth(s, 0, 1));
        if (k == 200)
            settled = stageCentre(s, 1);
        if (k < 200)
            continue;
        palVec3 force = stageForce(s, 1);
        worst = fmax(worst, palDistance(force, palMakeVec3(0, weight, 0)) / weight);
        creep = fmax(creep, palDistance(stageCentre(s, 1), settled));
    }
    print_message("weight %.4f N, force off by %.2e, creep %.3e m, deepest %.2e m, %d contacts\n",
                  weight, worst, creep, deepest, s->step.linkCount);
    ASSERT_BELOW(worst, 0.01);
    ASSERT_BELOW(creep, 1e-4 * (steps - 200) / 1600);
    ASSERT_BELOW(deepest, 1e-4);
    stageFree(s);
}

// The same on a plate that does not move.
static void a_dropped_cube_rests_on_a_static_plate(void** state)
{
    (void)state;
    stage* s =
        stageMake("  - {name: plate, shape: {kind: box, size: [0.2, 0.02, 0.2]}, "
                  "position: [0, -0.01, 0], friction: 0.3}\n" CUBE("[0, 0.035, 0]", "10000", ""),
                  palMakeVec3(0, -gravity, 0));
    double weight = gravity * palSoftBody_Mass(s->world.colliders[1].soft);
    double worst = 0.0, creep = 0.0;
    palVec3 settled = pal_zeroVec3;
    for (int k = 0; k < 500; k++)
    {
        stageAdvance(s, 0.02);
        if (k == 200)
            settled = stageCentre(s, 1);
        if (k < 200)
            continue;
        worst = fmax(worst, palDistance(stageForce(s, 1), palMakeVec3(0, weight, 0)) / weight);
        creep = fmax(creep, palDistance(stageCentre(s, 1), settled));
    }
    print_message("force off by %.2e, creep %.3e m\n", worst, creep);
    ASSERT_BELOW(worst, 0.01);
    ASSERT_BELOW(creep, 1e-4);
    ASSERT_BELOW(stageDepth(s, 0, 1), 1e-4);
    stageFree(s);
}

#define WEDGE(x)                                                                                   \
    "  - {shape: {kind: box, size: [0.05, 0.05, 0.08]}, position: [" x                             \
    ", 0, 0], rotation: [0, 0, 45], friction: 0.5}\n"

// A cube that stands on its edge in a groove, whose walls are oblique. What is reported and what is
// kept for the next step is its weight, at contacts that are closed.
static void the_contacts_of_a_cube_in_a_groove_carry_its_weight(void** state)
{
    (void)state;
    SKIP_SLOWED();
    stage* s = stageMake(WEDGE("-0.03") WEDGE("0.03")
                             CUBE("[0, 0.0415, 0], rotation: [0, 0, 45]", "20000", ""),
                         palMakeVec3(0, -gravity, 0));
    palVec3 weight = palMakeVec3(0, gravity * palSoftBody_Mass(s->world.colliders[2].soft), 0);
    palContactForce items[400];
    double worst = 0.0, worstKept = 0.0, widest = 0.0;
    for (int k = 0; k < 60; k++)
    {
        palContactReport report = {.items = items, .capacity = 400};
        stageAdvance(s, 0.033);
        palWorldStep_Report(&s->step, true, &report);
        palVec3 sum = pal_zeroVec3;
        for (int i = 0; i < report.count; i++)
            sum = palAdd(sum, palScale(items[i].object == 2 ? 1.0 : -1.0, items[i].force));
        if (k < 40)
            continue;
        worst = fmax(worst, palDistance(sum, weight) / weight.y);
        worstKept = fmax(worstKept, palDistance(stageForce(s, 2), weight) / weight.y);
        for (int i = 0; i < report.count; i++)
            widest = fmax(widest, items[i].gap);
    }
    print_message("reported force off by %.2e, kept %.2e, widest gap %.2e m\n", worst, worstKept,
                  widest);
    ASSERT_BELOW(worst, 0.01);
    ASSERT_BELOW(worstKept, 0.02);
    ASSERT_BELOW(widest, 4.0 * PAL_CONTACT_CLEARANCE);
    stageFree(s);
}

// Two free cubes meet without gravity: their common momentum stays, whatever the contact did.
static void momentum_is_kept_when_free_bodies_collide(void** state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
    {
        stage* s = stageMake(
            CUBE("[0, 0, 0]", "10000", ", damping: {mass: 0, stiffness: 0.005}")
                CUBE("[0.07, 0.012, 0.008]", "5000", ", damping: {mass: 0, stiffness: 0.005}"),
            pal_zeroVec3);
        const double speeds[] = {0.2, 0.7, 2.0};
        palSoftBody* body = s->world.colliders[0].soft;
        for (int n = 0; n < body->nodeCount; n++)
            body->v[n] = palMakeVec3(speeds[i], 0, 0);
        palVec3 before = palAdd(stageMomentum(s, 0), stageMomentum(s, 1));
        double most = 0.0, deepest = 0.0, given = 0.0;
        int held = 0;
        for (int k = 0; k < 100; k++)
        {
            stageAdvance(s, 0.02);
            palVec3 now = palAdd(stageMomentum(s, 0), stageMomentum(s, 1));
            most = fmax(most, palDistance(now, before) / palLength(before));
            given = fmax(given, stageMomentum(s, 1).x / before.x);
            deepest = fmax(deepest, stageDepth(s, 0, 1));
            held += s->step.heldBack;
        }
        print_message("%.1f m/s: momentum off by %.2e, %.0f %% of it handed over, deepest %.1e m, "
                      "held back %d times\n",
                      speeds[i], most, 100.0 * given, deepest, held);
        ASSERT_BELOW(most, 1e-9);
        ASSERT_BELOW(0.3, given);
        ASSERT_BELOW(deepest, 1e-4);
        stageFree(s);
    }
}

// About the origin, of all nodes of both bodies.
static palVec3 angularMomentum(const stage* s)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < s->world.count; i++)
    {
        const palSoftBody* body = s->world.colliders[i].soft;
        for (int n = 0; n < body->nodeCount; n++)
            sum = palMulAdd(sum, body->mass[n], palCross(body->x[n], body->v[n]));
    }
    return sum;
}

// A free cube that turns at 10 rad/s while it flies: neither momentum changes, and after the first
// steps, which stretch it, its energy does not grow.
static void a_free_cube_keeps_turning(void** state)
{
    (void)state;
    stage* s = stageMake(CUBE("[0, 0, 0]", "10000", ", damping: {mass: 0, stiffness: 0.005}"),
                         pal_zeroVec3);
    palSoftBody* body = s->world.colliders[0].soft;
    palVec3 omega = palScale(10.0, palNormalize(palMakeVec3(1, 2, 0.5)));
    for (int n = 0; n < body->nodeCount; n++)
        body->v[n] = palAdd(palMakeVec3(0.1, 0, 0), palCross(omega, body->x[n]));
    palVec3 spin = palSoftBody_Momenta(body).angular, momentum = stageMomentum(s, 0);
    double energy = palSoftBody_Energy(body), early = 0.0, late = 0.0;
    for (int k = 1; k <= 100; k++)
    {
        stageAdvance(s, 0.01);
        double *most = k <= 10 ? &early : &late, now = palSoftBody_Energy(body);
        *most = fmax(*most, now);
        ASSERT_BELOW(palDistance(palSoftBody_Momenta(body).angular, spin), 1e-9 * palLength(spin));
        ASSERT_BELOW(palDistance(stageMomentum(s, 0), momentum), 1e-9 * palLength(momentum));
    }
    print_message("energy %.3f of the first at most, %.3f after 0.1 s\n", early / energy,
                  late / energy);
    ASSERT_BELOW(early, 1.03 * energy);
    ASSERT_BELOW(late, early);
    // Mass damping takes as much of the turning as of any motion.
    body->alpha = 2.0;
    spin = palSoftBody_Momenta(body).angular;
    for (int k = 0; k < 50; k++)
        stageAdvance(s, 0.01);
    ASSERT_NEAR(palLength(palSoftBody_Momenta(body).angular) / palLength(spin), pow(1.02, -50),
                1e-9);
    stageFree(s);
}

// A cube hits another beside its middle and sets it turning: contact acts with its arm, so that
// both together keep their angular momentum but for what the few steps in contact lose.
static void what_is_hit_beside_its_middle_turns(void** state)
{
    (void)state;
    stage* s =
        stageMake(CUBE("[0, 0.03, 0]", "20000", ", damping: {mass: 0, stiffness: 0.005}")
                      CUBE("[0.07, 0, 0]", "20000", ", damping: {mass: 0, stiffness: 0.005}"),
                  pal_zeroVec3);
    palSoftBody* body = s->world.colliders[0].soft;
    for (int n = 0; n < body->nodeCount; n++)
        body->v[n] = palMakeVec3(0.3, 0, 0);
    palVec3 before = angularMomentum(s);
    for (int k = 0; k < 120; k++)
        stageAdvance(s, 0.005);
    palVec3 spin = palSoftBody_Momenta(s->world.colliders[1].soft).angular,
            after = angularMomentum(s);
    print_message(
        "angular momentum %.4g, after %.4g N m s, of it %.4g in the turning of the other\n",
        before.z, after.z, spin.z);
    assert_int_equal(s->step.linkCount, 0);
    ASSERT_BELOW(0.1 * palLength(before), fabs(spin.z));
    ASSERT_BELOW(palDistance(before, after), 0.02 * palLength(before));
    stageFree(s);
}

// How far a cube has slid down a plane after 2 s, m; the plane is inclined by turning gravity.
static double slidFor(double degrees, double* speed)
{
    double angle = degrees * PAL_PI / 180.0;
    stage* s =
        stageMake("  - {name: plate, shape: {kind: box, size: [3, 0.02, 0.3]}, "
                  "position: [0, -0.01, 0], friction: 0.4}\n" CUBE("[0, 0.0251, 0]", "20000", ""),
                  palMakeVec3(gravity * sin(angle), -gravity * cos(angle), 0));
    double from = 0.0;
    for (int k = 0; k < 75; k++)
    {
        if (k == 25)
            from = stageCentre(s, 1).x;
        stageAdvance(s, 0.02);
    }
    *speed = stageMomentum(s, 1).x / palSoftBody_Mass(s->world.colliders[1].soft);
    double way = stageCentre(s, 1).x - from;
    stageFree(s);
    return way;
}

// μ = 0.4 is an angle of 21.8 degrees.
static void a_cube_on_an_incline_sticks_below_the_friction_angle(void** state)
{
    (void)state;
    double speed;
    double sticks = slidFor(20.0, &speed);
    double slides = slidFor(25.0, &speed);
    double angle = 25.0 * PAL_PI / 180.0;
    double expected = 1.5 * gravity * (sin(angle) - 0.4 * cos(angle));
    print_message("20 degrees: %.2e m in 1 s; 25 degrees: %.3f m, %.3f m/s, expected %.3f m/s\n",
                  sticks, slides, speed, expected);
    ASSERT_BELOW(fabs(sticks), 1e-4);
    ASSERT_NEAR(speed, expected, 0.05 * expected);
}

// The mean displacement along y of the nodes that rest at a height, m.
static double sunk(const palSoftBody* body, double height)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < body->nodeCount; i++)
        if (fabs(body->rest[i].y - height) < 1e-9)
        {
            sum += body->x[i].y - body->rest[i].y;
            count++;
        }
    assert_true(count > 4);
    return sum / count;
}

// Two cubes of equal shape, one three times as stiff, pressed together without friction: each gives
// way by its compliance.
static void cubes_share_an_indentation_by_their_stiffness(void** state)
{
    (void)state;
    const char* const cubes =
        "  - {name: low, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0, 0, 0], "
        "friction: 0, soft: {young: 6000, poisson: 0.3, elements: tets, resolution: 6, "
        "fixed: [{nodes: ymin}]}}\n"
        "  - {name: high, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0, 0.0501, 0], "
        "friction: 0, soft: {young: 18000, poisson: 0.3, elements: tets, resolution: 6, "
        "fixed: [{nodes: ymax}]}}\n";
    const double pressed = 2e-3;
    stage* s = stageMake(cubes, pal_zeroVec3);
    palSoftBody *low = s->world.colliders[0].soft, *high = s->world.colliders[1].soft;
    for (int k = 0; k < 150; k++)
    {
        // What holds the upper one goes down by a fiftieth a step.
        for (int i = 0; i < high->nodeCount && k < 50; i++)
            if (high->freeIndex[i] < 0)
                high->x[i].y -= (pressed + 5e-5) / 50.0;
        stageAdvance(s, 0.02);
    }
    double ofLow = -sunk(low, 0.025);
    double ofHigh = sunk(high, 0.0501 - 0.025) + pressed + 5e-5;
    palVec3 force = stageForce(s, 1);
    double expected = 6000.0 * 0.05 * ofLow; // E A/L times the way, with free sides
    print_message("%.4f mm and %.4f mm, ratio %.3f; %.4f N, E A/L says about %.4f N\n", 1e3 * ofLow,
                  1e3 * ofHigh, ofLow / ofHigh, force.y, expected);
    ASSERT_NEAR(ofLow + ofHigh, pressed, 2e-5);
    ASSERT_NEAR(ofLow / ofHigh, 3.0, 0.03 * 3.0);
    ASSERT_NEAR(force.y, expected, 0.15 * expected);
    ASSERT_NEAR(palLength(palAdd(force, stageForce(s, 0))), 0.0, 1e-12);
    stageFree(s);
}

// The state of a soft object.
typedef struct motion
{
    palVec3* x;
    double* v;
} motion;

static motion copyMotion(const palSoftBody* body)
{
    motion m = {malloc((size_t)body->nodeCount * sizeof *m.x),
                malloc(3 * (size_t)body->freeCount * sizeof *m.v)};
    assert_true(m.x != NULL && m.v != NULL);
    memcpy(m.x, body->x, (size_t)body->nodeCount * sizeof *m.x);
    palSoftBody_Velocities(body, m.v);
    return m;
}

static void freeMotion(motion m)
{
    free(m.x);
    free(m.v);
}

static double farthestNode(const palSoftBody* a, const palVec3* x)
{
    double most = 0.0;
    for (int i = 0; i < a->nodeCount; i++)
        most = fmax(most, palDistance(a->x[i], x[i]));
    return most;
}

static stage* landedCube(int steps)
{
    stage* s = stageMake(BLOCK("10000") CUBE("[0.003, 0.0755, 0.002]", "10000", ""),
                         palMakeVec3(0, -gravity, 0));
    for (int k = 0; k < steps; k++)
        stageAdvance(s, 0.02);
    return s;
}

// The world as a corrector: what is predicted is the free motion, and the step is the same as
// without; or it is the whole motion with its contact forces, and the step leaves it as it is.
static void a_predicted_motion_is_corrected_by_what_it_lacks(void** state)
{
    (void)state;
    const int steps[] = {6, 120}; // under way, and at rest
    for (int i = 0; i < 2; i++)
        for (int withForces = 0; withForces <= i; withForces++)
        {
            stage* plain = landedCube(steps[i]);
            stage* s = landedCube(steps[i]);
            palSoftBody* body = s->world.colliders[1].soft;
            motion m;
            stageAdvance(plain, 0.02);
            if (withForces)
            {
                m = copyMotion(plain->world.colliders[1].soft);
                // Both had the same contacts at the beginning, and none came since.
                const palRows* rows = plain->step.rows;
                assert_int_equal(rows->linkCount, s->step.linkCount);
                for (int k = 0; k < 2 * rows->linkCount; k++)
                    memcpy(s->step.predicted[k / 2][k % 2], rows->lambda + rows->first[k / 2],
                           sizeof s->step.predicted[0][0]);
            }
            else
            {
                stage* alone = landedCube(steps[i]);
                palSoftStep* step;
                palSoftBody* free_ = alone->world.colliders[1].soft;
                assert_int_equal(palSoftStep_Create(free_, 3, 3, &prompt, &step, NULL), pal_ok);
                assert_true(palSoftStep_Begin(step, 0.02, false));
                palSoftStep_EvaluateTrial(step, NULL);
                palSoftStep_Commit(step);
                m = copyMotion(free_);
                palSoftStep_Destroy(step);
                stageFree(alone);
            }
            palWorldStep_Predict(&s->step, 1, m.x, m.v);
            stageAdvance(s, 0.02);
            double off = farthestNode(body, plain->world.colliders[1].soft->x);
            double way = palDistance(stageForce(s, 1), stageForce(plain, 1));
            print_message("%d steps, %s: nodes off by %.2e m, force by %.2e N\n", steps[i],
                          withForces ? "with forces" : "free", off, way);
            ASSERT_BELOW(off, 1e-8);
            ASSERT_BELOW(way, 1e-4);
            freeMotion(m);
            stageFree(s);
            stageFree(plain);
        }
}

// The same where all bodies are large, with factors that come three steps late.
static int withLateFactors(void** state)
{
    (void)state;
    stageFactor = palDefaultSoftFactorDef();
    stageFactor.elementsAtOnce = 1;
    stageFactor.lateSteps = 3;
    return 0;
}

static int withPromptFactors(void** state)
{
    (void)state;
    stageFactor = palDefaultSoftFactorDef();
    return 0;
}

#define LATE(test)                                                                                 \
    {                                                                                              \
#test " with late factors", test, withLateFactors, withPromptFactors, NULL                 \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dropped_cube_rests_on_a_block),
        cmocka_unit_test(a_dropped_cube_rests_on_a_static_plate),
        cmocka_unit_test(the_contacts_of_a_cube_in_a_groove_carry_its_weight),
        cmocka_unit_test(momentum_is_kept_when_free_bodies_collide),
        cmocka_unit_test(a_free_cube_keeps_turning),
        cmocka_unit_test(what_is_hit_beside_its_middle_turns),
        cmocka_unit_test(cubes_share_an_indentation_by_their_stiffness),
        cmocka_unit_test(a_predicted_motion_is_corrected_by_what_it_lacks),
        cmocka_unit_test(a_cube_on_an_incline_sticks_below_the_friction_angle),
        LATE(a_dropped_cube_rests_on_a_block),
        LATE(a_dropped_cube_rests_on_a_static_plate),
        LATE(momentum_is_kept_when_free_bodies_collide),
        LATE(cubes_share_an_indentation_by_their_stiffness),
        LATE(a_cube_on_an_incline_sticks_below_the_friction_angle),
    };
    return RUN(tests);
}
