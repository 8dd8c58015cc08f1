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
        .channelCount = 1,
    };
}

static double limitOne(double wanted, double limit)
{
    if (isnan(wanted))
        return limit;
    return limit > 0.0 ? fmin(wanted, limit) : wanted;
}

// Channels that there is room for; zero stands for one.
static int usableCount(int count)
{
    return count < 1 ? 1 : count < pal_deviceChannelsMax ? count : pal_deviceChannelsMax;
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
    bool isKnown = limits->maxFingerForce > 0.0;
    def.channelCount = usableCount(limits->channelCount);
    def.maxFingerForce = limitOne(def.maxForce, limits->maxFingerForce);
    def.maxFingerTorque = isKnown ? fmin(def.maxTorque, limits->maxFingerTorque) : def.maxTorque;
    def.maxGripperForce = fmin(def.maxForce, limits->maxGripperForce);
    return def;
}

palSafety palMakeSafety(const palSafetyDef* def)
{
    palSafety made = {.def = *def, .gain = 1.0};
    made.def.channelCount = usableCount(def->channelCount);
    return made;
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
static bool fade(palSafety* safety, const palSafetyStep* step, double dt)
{
    const palSafetyDef* def = &safety->def;
    safety->deviceAge = step->deviceFresh ? step->deviceAge : safety->deviceAge + dt;
    double staleAfter = usable(def->staleAfter);
    bool oldSnapshot = !(step->snapshotAge <= staleAfter);
    bool oldDevice = !(safety->deviceAge <= staleAfter);
    safety->counts.staleSnapshot += oldSnapshot;
    safety->counts.staleDevice += oldDevice;
    double fadeTime = usable(def->fadeTime);
    double change = fadeTime > dt ? dt / fadeTime : 1.0;
    bool stale = oldSnapshot || oldDevice;
    safety->gain = stale ? fmax(0.0, safety->gain - change) : fmin(1.0, safety->gain + change);
    return stale;
}

// What a collision owed is not given once the world that caused it is out of date.
static void dropOwed(palSafety* safety)
{
    for (int i = 0; i < safety->def.channelCount; i++)
        safety->channels[i].force.owed = safety->channels[i].torque.owed = pal_zeroVec3;
    safety->gripper.owed = pal_zeroVec3;
}

static bool isFinite(const palDeviceOutput* output)
{
    bool all = isfinite(output->gripperForce);
    for (int i = 0; i < output->channelCount; i++)
        all = all && palIsFinite(output->channels[i].force) &&
              palIsFinite(output->channels[i].torque);
    return all;
}

static void clear(palDeviceOutput* output)
{
    output->gripperForce = 0.0;
    for (int i = 0; i < output->channelCount; i++)
        output->channels[i] = (palDeviceChannel){0};
}

// Clamp, slew, and the rest of collisions of one channel.
static void applyWrench(palSafetyWrench* state, double maxForce, double maxTorque, bool impulse,
                        const Limits* step, palDeviceChannel* channel, Outcome* sum)
{
    Limits force = {.most = maxForce, .slew = step->slew, .dt = step->dt};
    Limits torque = {.most = maxTorque,
                     .slew = maxForce > 0.0 ? step->slew * maxTorque / maxForce : 0.0,
                     .dt = step->dt};
    Outcome f, m;
    channel->force = applyChannel(&state->force, channel->force, impulse, &force, &f);
    channel->torque = applyChannel(&state->torque, channel->torque, impulse, &torque, &m);
    // Nothing can be asked of a device without torque, so that leaving it out is no intervention.
    bool hasTorque = maxTorque > 0.0;
    sum->clamped = sum->clamped || f.clamped || (m.clamped && hasTorque);
    sum->slewed = sum->slewed || f.slewed || (m.slewed && hasTorque);
    sum->tail = sum->tail || f.tail || m.tail;
}

// The same of the gripper, a channel along x alone; its limit is `step->most`.
static double applyGripper(palSafety* safety, double force, bool impulse, const Limits* step,
                           Outcome* sum)
{
    Outcome g;
    palVec3 along = palMakeVec3(force, 0.0, 0.0);
    double given = applyChannel(&safety->gripper, along, impulse, step, &g).x;
    sum->clamped = sum->clamped || g.clamped;
    sum->slewed = sum->slewed || g.slewed;
    sum->tail = sum->tail || g.tail;
    return given;
}

void palSafety_Apply(palSafety* safety, const palSafetyStep* step, palDeviceOutput* output)
{
    const palSafetyDef* def = &safety->def;
    const int count = def->channelCount;
    const double dt = step->dt >= shortestStep ? fmin(step->dt, longestStep) : 0.0;

    // The device's channels, and finite.
    for (int i = output->channelCount > 0 ? output->channelCount : 0; i < count; i++)
        output->channels[i] = (palDeviceChannel){0};
    output->channelCount = count;
    bool impulse = step->impulse;
    if (!isFinite(output))
    {
        safety->counts.notFinite++;
        impulse = false;
        clear(output);
    }

    if (fade(safety, step, dt))
        dropOwed(safety);

    Outcome sum = {0};
    Limits limits = {
        .most = usable(def->maxGripperForce), .slew = usable(def->slewRate) * dt, .dt = dt};
    for (int i = 0; i < count; i++)
    {
        palDeviceChannel* channel = &output->channels[i];
        double maxForce = usable(i == 0 ? def->maxForce : def->maxFingerForce);
        double maxTorque = usable(i == 0 ? def->maxTorque : def->maxFingerTorque);
        channel->force = palScale(safety->gain, channel->force);
        channel->torque = palScale(safety->gain, channel->torque);
        applyWrench(&safety->channels[i], maxForce, maxTorque, impulse, &limits, channel, &sum);
    }
    double wanted = safety->gain * output->gripperForce;
    output->gripperForce =
        limits.most > 0.0 ? applyGripper(safety, wanted, impulse, &limits, &sum) : 0.0;

    safety->counts.clamped += sum.clamped;
    safety->counts.slewed += sum.slewed;
    safety->counts.impulses += impulse;
    safety->counts.impulseTails += sum.tail;
}
