// SPDX-License-Identifier: Apache-2.0
// Two beams joined end to end, one at the high rate in the hand and one at the low rate, clamped:
// experiment (a) of Dervaux et al. 2013. The joint is a weld of six rows.
#include "wire_rig.h"

#include "base/random.h"

enum
{
    elements = 6, // of each beam
};

// Of the hand while it goes to a pose, and until all is at rest after it; s.
static const double moving = 0.3;
static const double resting = 1.5;

static wireRigDef beam(double from, double to)
{
    wireRigDef def = wireRigRubber();
    def.start = palMakeVec3(from, 0, 0);
    def.end = palMakeVec3(to, 0, 0);
    def.elements = elements;
    def.massDamping = 10.0;
    def.stiffnessDamping = 0.002;
    return def;
}

// One beam from x = 0 to 0.2, clamped at 0, and one from 0.2 to 0.4, in the hand at 0.4.
static void makeBeams(wireRig* r, int lowLoop)
{
    wireRigInit(r);
    wireRigDef low = beam(0.0, 0.2);
    low.heldStart = true;
    low.loop = lowLoop;
    wireRigDef high = beam(0.2, 0.4);
    high.hand = 1;
    int a = wireRigAdd(r, &low);
    int b = wireRigAdd(r, &high);
    wireRigJoin(r, pal_linkWeld, b, (palBeamPlace){.element = 0, .s = 0.0}, a,
                (palBeamPlace){.element = elements - 1, .s = 1.0});
    r->def.latency = r->def.dt;
    r->def.methodDef.settings.soft.response = pal_softFrozen;
}

// The same as one beam without a joint: the single-rate solution, from the beam alone.
static void makeWhole(wireRig* r)
{
    wireRigInit(r);
    wireRigDef whole = beam(0.0, 0.4);
    whole.elements = 2 * elements;
    whole.heldStart = true;
    whole.hand = 1;
    wireRigAdd(r, &whole);
}

typedef struct pose
{
    palVec3 to;
    palVec3 turn;
} pose;

// Sideways by up to 50 mm, 4 mm nearer to 2 mm farther, turned by up to half a radian about each
// axis.
static pose randomPose(palRandom* random)
{
    return (pose){
        .to = {palRandom_Range(random, -0.004, 0.002), palRandom_Range(random, -0.05, 0.05),
               palRandom_Range(random, -0.05, 0.05)},
        .turn = {palRandom_Range(random, -0.5, 0.5), palRandom_Range(random, -0.5, 0.5),
                 palRandom_Range(random, -0.5, 0.5)},
    };
}

// Takes the hand to a pose and waits until all is at rest.
static void settle(wireRig* r, pose at, double seconds)
{
    int ticks = (int)lround(moving / r->def.dt);
    palTickRecord record;
    for (int k = 1; k <= ticks; k++)
    {
        double share = (double)k / ticks;
        r->device.position = palScale(share, at.to);
        r->device.orientation = palMakeQuatRotationVector(palScale(share, at.turn));
        palLockstep_Step(r->engine, &record);
    }
    wireRigRun(r, seconds);
}

static palVec3 nodeOfBoth(const wireRig* r, int i)
{
    return i <= elements ? wireRigState(r, 0)->x[i] : wireRigState(r, 1)->x[i - elements];
}

// The farthest that a node of the two beams is from that of the one, over the largest deflection.
static double errorAgainst(const wireRig* r, const wireRig* whole)
{
    double worst = 0.0, largest = 0.0;
    const palBeamState* truth = wireRigState(whole, 0);
    for (int i = 0; i <= 2 * elements; i++)
    {
        palVec3 rest = palMakeVec3(0.2 * i / elements, 0, 0);
        worst = fmax(worst, palDistance(nodeOfBoth(r, i), truth->x[i]));
        largest = fmax(largest, palDistance(truth->x[i], rest));
    }
    return worst / largest;
}

// |λ_high - λ_low| / |λ_high|, torques as forces at the length of a beam.
static double disagreement(const wireRig* r)
{
    const double* high = wireRigMethod(r)->rows->lambda;
    const double* low = wireRigMethod(r)->loops[0]->rows->lambda;
    double difference = 0.0, length = 0.0;
    for (int k = 0; k < 6; k++)
    {
        double scale = k < 3 ? 1.0 : 1.0 / 0.2;
        difference += scale * scale * (high[k] - low[k]) * (high[k] - low[k]);
        length += scale * scale * high[k] * high[k];
    }
    return sqrt(difference / length);
}

static void checkPose(const wireRig* whole, pose at, int ratio)
{
    wireRig r;
    makeBeams(&r, 1);
    r.def.lowDt = ratio * r.def.dt;
    wireRigStart(&r);
    settle(&r, at, resting);
    ASSERT_BELOW(errorAgainst(&r, whole), 0.01);
    ASSERT_BELOW(disagreement(&r), 0.01);
    wireRigFree(&r);
}

static void settle_where_one_beam_does_and_agree_on_the_force(void** state)
{
    (void)state;
    static const int ratios[] = {1, 10, 20, 50};
    palRandom random = palMakeRandom(7);
    for (int k = 0; k < 20; k++)
    {
        pose at = randomPose(&random);
        wireRig whole;
        makeWhole(&whole);
        wireRigStart(&whole);
        settle(&whole, at, resting);
        // A low rate of 1 kHz takes a hundred times as long to compute: one pose is enough.
        for (int i = k == 0 ? 0 : 1; i < 4; i++)
            checkPose(&whole, at, ratios[i]);
        wireRigFree(&whole);
    }
}

// The same with the low-rate beam moved through the forces of the high rate. A beam that is pushed
// together can rest in several ways, and how it gets there decides: what it rests in must be one of
// them, so the whole beam is put there and may not move.
static void rest_where_one_beam_may_when_advanced(void** state)
{
    (void)state;
    SKIP_SLOWED();
    palRandom random = palMakeRandom(11);
    for (int k = 0; k < 4; k++)
    {
        pose at = randomPose(&random);
        wireRig whole, r;
        makeBeams(&r, 1);
        r.def.lowDt = (k % 2 == 0 ? 20 : 10) * r.def.dt;
        r.def.methodDef.settings.soft.response = pal_softAdvanced;
        wireRigStart(&r);
        settle(&r, at, 2.0 * resting);
        makeWhole(&whole);
        wireRigStart(&whole);
        whole.device = r.device;
        palBeamState* of = &wireRigMethod(&whole)->wires[0].state;
        for (int i = 0; i <= 2 * elements; i++)
        {
            of->x[i] = nodeOfBoth(&r, i);
            of->q[i] =
                i <= elements ? wireRigState(&r, 0)->q[i] : wireRigState(&r, 1)->q[i - elements];
        }
        wireRigRun(&whole, resting);
        ASSERT_BELOW(errorAgainst(&r, &whole), 0.01);
        wireRigFree(&r);
        wireRigFree(&whole);
    }
}

// Clamps that face each other: the half turn about the middle of the joint, across the plane of
// bending, takes one beam to the other.
static void are_images_of_each_other_for_translations(void** state)
{
    (void)state;
    SKIP_SLOWED();
    palRandom random = palMakeRandom(3);
    for (int k = 0; k < 4; k++)
    {
        pose at = randomPose(&random);
        at.turn = pal_zeroVec3;
        at.to.x = fabs(at.to.x); // pushed together they would buckle to one side
        wireRig r;
        makeBeams(&r, 1);
        wireRigStart(&r);
        settle(&r, at, resting);
        palVec3 twice = palAdd(palMakeVec3(0.4, 0, 0), at.to);
        for (int i = 0; i <= elements; i++)
        {
            palVec3 image = palSub(twice, wireRigState(&r, 1)->x[elements - i]);
            assert_true(palDistance(image, wireRigState(&r, 0)->x[i]) < 0.01 * palLength(at.to));
        }
        wireRigFree(&r);
    }
}

//--------------------------------------------------------------------------------------------------
// Why both terms are needed

typedef struct outcome
{
    double disagreement; // of the forces of the two rates at rest
    double opening;      // m, of the joint at rest
    double blow;         // N, force in the joint in the first tick of a jerk of the hand
} outcome;

static outcome tryOut(bool wideCompliance, bool noCorrection)
{
    const pose at = {.to = {0.0, 0.05, 0.0}};
    const palVec3 jerk = {1e-4, 0.0, 0.0};
    wireRig r;
    makeBeams(&r, 1);
    r.def.methodDef.settings.compliance = (palComplianceSettings){
        .step = wideCompliance ? pal_complianceAtLowDt : pal_complianceAtDt,
        .correction = noCorrection ? pal_correctionOff : pal_correctionOn,
    };
    wireRigStart(&r);
    settle(&r, at, resting);
    outcome out = {
        .disagreement = disagreement(&r),
        .opening = palDistance(wireRigState(&r, 0)->x[elements], wireRigState(&r, 1)->x[0]),
    };
    const double* lambda = wireRigMethod(&r)->rows->lambda;
    palVec3 before = palMakeVec3(lambda[0], lambda[1], lambda[2]);
    r.device.position = palAdd(r.device.position, jerk);
    palTickRecord record;
    palLockstep_Step(r.engine, &record);
    out.blow = palDistance(palMakeVec3(lambda[0], lambda[1], lambda[2]), before);
    wireRigFree(&r);
    return out;
}

// The same jerk with both beams at the high rate.
static double blowAtOneRate(void)
{
    const pose at = {.to = {0.0, 0.05, 0.0}};
    wireRig r;
    makeBeams(&r, 0);
    wireRigStart(&r);
    settle(&r, at, resting);
    const double* lambda = wireRigMethod(&r)->rows->lambda;
    palVec3 before = palMakeVec3(lambda[0], lambda[1], lambda[2]);
    r.device.position.x += 1e-4;
    palTickRecord record;
    palLockstep_Step(r.engine, &record);
    double blow = palDistance(palMakeVec3(lambda[0], lambda[1], lambda[2]), before);
    wireRigFree(&r);
    return blow;
}

static void need_the_compliance_and_the_correction_of_dt(void** state)
{
    (void)state;
    double truth = blowAtOneRate();
    outcome right = tryOut(false, false);
    outcome wrongCompliance = tryOut(true, false);
    outcome wrongCorrection = tryOut(false, true);
    outcome wrongBoth = tryOut(true, true);

    // The method: rest and transient are right.
    assert_true(right.disagreement < 0.01 && right.opening < 1e-6);
    assert_true(fabs(right.blow - truth) < 0.01 * truth);
    // One of the two terms wrong: the rates contradict each other and the joint opens.
    assert_true(wrongCompliance.disagreement > 0.1 && wrongCompliance.opening > 1e-4);
    assert_true(wrongCorrection.disagreement > 0.1 && wrongCorrection.opening > 1e-4);
    // Both: at rest the errors cancel, but the transient is that of the long step.
    assert_true(wrongBoth.disagreement < 0.01 && wrongBoth.opening < 1e-6);
    assert_true(fabs(wrongBoth.blow - truth) > 0.1 * truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settle_where_one_beam_does_and_agree_on_the_force),
        cmocka_unit_test(rest_where_one_beam_may_when_advanced),
        cmocka_unit_test(are_images_of_each_other_for_translations),
        cmocka_unit_test(need_the_compliance_and_the_correction_of_dt),
    };
    return RUN(tests);
}
