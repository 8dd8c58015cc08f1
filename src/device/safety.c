// SPDX-License-Identifier: Apache-2.0
#include "device/safety.h"

// s of full force that a collision may owe, and s after which what is still owed is dropped: a push
// that comes later than that no longer belongs to what the hand saw.
static const double mostOwedTime = 0.05;
static const double longestTail = 0.1;

// Settings above this are no limits; it keeps sums and differences from overflowing. So do the
// bounds of a step, in s.
static const double largestSetting = 1e9;
static const double shortestStep = 1e-9;
static const double longestStep = 1.0;

palSafetyDef palDefaultSafetyDef(void)
{
    return (palSafetyDef){
        .maxForce = 3.3,    // the weakest common device (Touch; CHAI3D's CPhantomDevices.cpp)
        .maxTorque = 0.188, // the weakest that has torque (Premium 6DOF; the same)
        .slewRate = 1000.0, // a wall of 1000 N/m met at 1 m/s
        .staleAfter = 0.2,  // four low-rate steps at 20 Hz
        .fadeTime = 0.1,    // gentle to a hand, and over before it has moved far
    };
}

static double limitOne(double wanted, double limit)
{
    if (isnan(wanted))
        return limit;
    return limit > 0.0 ? fmin(wanted, limit) : wanted;
}

palSafetyDef palLimitSafetyDef(palSafetyDef def, const palDeviceLimits* limits)
{
    palSafetyDef fallback = palDefaultSafetyDef();
    if (isnan(def.maxForce) && !(limits->maxForce > 0.0))
        def.maxForce = fallback.maxForce;
    // A device whose force is known and whose torque is zero has none.
    if (isnan(def.maxTorque) && !(limits->maxForce > 0.0))
        def.maxTorque = fallback.maxTorque;
    def.maxForce = limitOne(def.maxForce, limits->maxForce);
    def.maxTorque = limitOne(def.maxTorque, limits->maxTorque);
    return def;
}

palSafety palMakeSafety(const palSafetyDef* def)
{
    return (palSafety){.def = *def, .gain = 1.0};
}

//--------------------------------------------------------------------------------------------------
// Vectors, without overflow

// A setting as it may be used: NaN and negative numbers are zero, the safe side.
static double usable(double value)
{
    double bounded = value < largestSetting ? value : largestSetting;
    return value > 0.0 ? bounded : 0.0;
}

// v shortened to `most` where it is longer. Scaled by the largest component, so that no square
// overflows. Returns whether it was.
static bool shorten(palVec3* v, double most)
{
    double largest = fabs(v->x);
    largest = fabs(v->y) > largest ? fabs(v->y) : largest;
    largest = fabs(v->z) > largest ? fabs(v->z) : largest;
    if (largest == 0.0)
        return false;
    palVec3 unit = palMakeVec3(v->x / largest, v->y / largest, v->z / largest);
    double length = palLength(unit); // 1 .. sqrt(3), in units of `largest`
    if (length <= most / largest)
        return false;
    *v = palScale(most / length, unit);
    return true;
}

// The largest s in 0..1 with |a + s b| <= most, for |a| <= most:
//   |b|² s² + 2 a·b s + |a|² - most² = 0, its positive root.
static double shareThatFits(palVec3 a, palVec3 b, double most)
{
    double bb = palLengthSquared(b);
    double ab = palDot(a, b);
    double c = fmin(0.0, palLengthSquared(a) - most * most);
    double root = sqrt(ab * ab - bb * c);
    // The form that does not cancel.
    double s = ab > 0.0 ? -c / (ab + root) : (root - ab) / bb;
    return s < 1.0 ? fmax(0.0, s) : 1.0;
}

//--------------------------------------------------------------------------------------------------
// One channel

typedef struct Limits
{
    double most; // N
    double slew; // N, the greatest change in this step
    double dt;   // s
} Limits;

typedef struct Outcome
{
    bool clamped;
    bool slewed;
    bool tail;
} Outcome;

// A collision: the peak goes out clamped, the rest is owed. The sustained force waits.
static palVec3 giveImpulse(palSafetyChannel* channel, palVec3 wanted, const Limits* limits,
                           Outcome* outcome)
{
    palVec3 given = wanted;
    outcome->clamped = shorten(&given, limits->most);
    palVec3 rest = palScale(limits->dt, palSub(wanted, given));
    shorten(&rest, limits->most * mostOwedTime);
    channel->owed = palAdd(channel->owed, rest);
    shorten(&channel->owed, limits->most * mostOwedTime);
    channel->owedTime = longestTail;
    // A lowered limit holds for what the force will fall back to as well.
    shorten(&channel->sustained, limits->most);
    return given;
}

static palVec3 giveSustained(palSafetyChannel* channel, palVec3 wanted, const Limits* limits,
                             Outcome* outcome)
{
    outcome->clamped = shorten(&wanted, limits->most);
    palVec3 change = palSub(wanted, channel->sustained);
    outcome->slewed = shorten(&change, limits->slew);
    channel->sustained = outcome->slewed ? palAdd(channel->sustained, change) : wanted;
    shorten(&channel->sustained, limits->most);
    return channel->sustained;
}

// Adds as much of what is owed as fits, in its direction.
static palVec3 giveTail(palSafetyChannel* channel, palVec3 sustained, const Limits* limits,
                        Outcome* outcome)
{
    if (palLengthSquared(channel->owed) == 0.0 || limits->dt == 0.0)
        return sustained;
    palVec3 tail = palScale(1.0 / limits->dt, channel->owed);
    double share = shareThatFits(sustained, tail, limits->most);
    channel->owed = share < 1.0 ? palScale(1.0 - share, channel->owed) : pal_zeroVec3;
    channel->owedTime -= limits->dt;
    if (channel->owedTime <= 0.0)
        channel->owed = pal_zeroVec3;
    outcome->tail = share > 0.0;
    palVec3 given = palMulAdd(sustained, share, tail);
    shorten(&given, limits->most);
    return given;
}

static palVec3 applyChannel(palSafetyChannel* channel, palVec3 wanted, bool impulse,
                            const Limits* limits, Outcome* outcome)
{
    *outcome = (Outcome){0};
    if (impulse)
        return giveImpulse(channel, wanted, limits, outcome);
    palVec3 sustained = giveSustained(channel, wanted, limits, outcome);
    return giveTail(channel, sustained, limits, outcome);
}

//--------------------------------------------------------------------------------------------------
// The step

// Moves the gain by the step's share of the fade. Returns whether anything is stale.
static bool fade(palSafety* safety, double snapshotAge, bool deviceFresh, double dt)
{
    const palSafetyDef* def = &safety->def;
    safety->deviceAge = deviceFresh ? 0.0 : safety->deviceAge + dt;
    double staleAfter = usable(def->staleAfter);
    bool oldSnapshot = !(snapshotAge <= staleAfter);
    bool oldDevice = safety->deviceAge > staleAfter;
    safety->counts.staleSnapshot += oldSnapshot;
    safety->counts.staleDevice += oldDevice;
    double fadeTime = usable(def->fadeTime);
    double step = fadeTime > dt ? dt / fadeTime : 1.0;
    bool stale = oldSnapshot || oldDevice;
    safety->gain = stale ? fmax(0.0, safety->gain - step) : fmin(1.0, safety->gain + step);
    return stale;
}

void palSafety_Apply(palSafety* safety, const palForceRequest* request, double snapshotAge,
                     bool deviceFresh, double dt, palVec3* force, palVec3* torque)
{
    const palSafetyDef* def = &safety->def;
    palForceRequest wanted = *request;
    dt = dt >= shortestStep ? fmin(dt, longestStep) : 0.0;

    // Finite.
    if (!palIsFinite(wanted.force) || !palIsFinite(wanted.torque))
    {
        safety->counts.notFinite++;
        wanted = (palForceRequest){0};
    }

    // Fade. What a collision owed is not given once the world that caused it is out of date.
    bool stale = fade(safety, snapshotAge, deviceFresh, dt);
    wanted.force = palScale(safety->gain, wanted.force);
    wanted.torque = palScale(safety->gain, wanted.torque);
    if (stale)
        safety->force.owed = safety->torque.owed = pal_zeroVec3;

    // Clamp, slew, and the rest of collisions.
    double maxForce = usable(def->maxForce);
    double maxTorque = usable(def->maxTorque);
    double slew = usable(def->slewRate) * dt;
    Limits forceLimits = {.most = maxForce, .slew = slew, .dt = dt};
    Limits torqueLimits = {
        .most = maxTorque, .slew = maxForce > 0.0 ? slew * maxTorque / maxForce : 0.0, .dt = dt};
    Outcome f, m;
    *force = applyChannel(&safety->force, wanted.force, wanted.impulse, &forceLimits, &f);
    *torque = applyChannel(&safety->torque, wanted.torque, wanted.impulse, &torqueLimits, &m);

    // Nothing can be asked of a device without torque, so that leaving it out is no intervention.
    bool hasTorque = maxTorque > 0.0;
    safety->counts.clamped += f.clamped || (m.clamped && hasTorque);
    safety->counts.slewed += f.slewed || (m.slewed && hasTorque);
    safety->counts.impulses += wanted.impulse;
    safety->counts.impulseTails += f.tail || m.tail;
}
