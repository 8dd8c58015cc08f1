// SPDX-License-Identifier: Apache-2.0
#include "device/simulated.h"

#include "base/archive.h"
#include "base/error.h"
#include "base/schema_columns.h"
#include "math/mat3.h"

#include <stdlib.h>

enum
{
    // Sub-steps in a high-rate step. The linear part is exact at any length; they resolve the
    // moving target and the moments at which friction catches and lets go.
    subSteps = 10,
    // A read that comes this many steps late finds the hand settled again. It bounds the work.
    longestGap = 20,
};

// Hz, of the first-order low-pass behind the velocity's differences. One count of a 0.05 mm encoder
// is 50 mm/s at 1 kHz; the filter leaves a quarter of it, at a lag of 3 ms.
static const double velocityCutoff = 50.0;

// The exact response of m y'' + c y' + k y = g over one sub-step, g constant:
//   y(h)  = yy y(0) + yw y'(0) + yg g
//   y'(h) = wy y(0) + ww y'(0) + wg g
typedef struct Response
{
    double h; // s
    double yy, yw, yg;
    double wy, ww, wg;
} Response;

struct palDevice
{
    palDevicePreset preset;
    palHumanHandDef hand;
    const palTrajectory* trajectory; // borrowed: the target of the hand
    double dt;                       // s, the high-rate step
    double mass;                     // kg, device and hand
    double handShare;                // of the damping: the hand's, 0..1
    double otherMass;                // kg, (1 - handShare) mass
    double otherStiffness;           // N/m, (1 - handShare) / 2 of the hand's stiffness
    Response nominal;                // of a sub-step of dt
    bool started;                    // whether there was a read
    double t;                        // s, of the last read
    palVec3 x, v;                    // true state, m and m/s
    palVec3 force;                   // N, held since the last write
    double handEnergy;               // J that the hand has received
    palDeviceState seen;             // what the last read gave
};

palHumanHandDef palDefaultHumanHandDef(void)
{
    // A relaxed pen grip. Arms pushed by a haptic device measure some 100-500 N/m and 5-7 N·s/m;
    // the mass is that of the fingers only, which is what moves at contact.
    return (palHumanHandDef){.stiffness = 300.0, .damping = 5.0, .mass = 0.1};
}

palSimulatedSettings palDefaultSimulatedSettings(void)
{
    return (palSimulatedSettings){.preset = "omega.3", .hand = palDefaultHumanHandDef()};
}

//--------------------------------------------------------------------------------------------------
// Settings

static const char* presetNameAt(int index)
{
    const palDevicePreset* preset = palDevicePresetAt(index);
    return preset != NULL ? preset->name : NULL;
}

static void setHandDefaults(int kind, void* record)
{
    (void)kind;
    *(palHumanHandDef*)record = palDefaultHumanHandDef();
}

static void setDefaults(int kind, void* record)
{
    (void)kind;
    *(palSimulatedSettings*)record = palDefaultSimulatedSettings();
}

static const palSchemaKey handKeys[] = {
    {FIELD("stiffness", pal_schemaNumber, palHumanHandDef, stiffness), RANGE(0, 1e5, "N/m"),
     .meaning = "of the grip, towards the trajectory"},
    {FIELD("damping", pal_schemaNumber, palHumanHandDef, damping), RANGE(0, 1e3, "N·s/m"),
     .meaning = "of the grip"},
    {FIELD("mass", pal_schemaNumber, palHumanHandDef, mass), RANGE(0, 10, "kg"),
     .meaning = "added to the device's"},
};
static const palSchemaTable handTable = {
    .noun = "hand",
    .title = "device.hand: the hand of driver `simulated`",
    .intro = "The hand pulls the device along the trajectory and yields to its force.",
    .keys = handKeys,
    .keyCount = COUNT(handKeys),
    .size = sizeof(palHumanHandDef),
    .setDefaults = setHandDefaults,
};

static const palSchemaKey settingKeys[] = {
    {FIELD("preset", pal_schemaName, palSimulatedSettings, preset),
     BYTES(palSimulatedSettings, preset), .nameAt = presetNameAt,
     .meaning = "the device whose mass, friction, resolution and limits are taken"},
    {FIELD("hand", pal_schemaMap, palSimulatedSettings, hand), .table = &handTable,
     .meaning = "the hand that holds it"},
};
static const palSchemaTable settingsTable = {
    .noun = "device",
    .title = "device with driver `simulated`: a device in a hand that yields",
    .keys = settingKeys,
    .keyCount = COUNT(settingKeys),
    .size = sizeof(palSimulatedSettings),
    .setDefaults = setDefaults,
};

//--------------------------------------------------------------------------------------------------
// The linear part

// exp(A) by scaling and squaring: Taylor's series of A / 2^s, whose norm is at most 1/16, then s
// squarings.
static palMat3 exponential(palMat3 A)
{
    double norm = 0.0;
    for (int i = 0; i < 3; i++)
        norm = fmax(norm, fabs(A.m[i][0]) + fabs(A.m[i][1]) + fabs(A.m[i][2]));
    int exponent;
    frexp(norm, &exponent);
    int squarings = exponent + 4 > 0 ? exponent + 4 : 0;
    const palMat3 zero = {0};
    palMat3 small = palMat3MulAdd(zero, ldexp(1.0, -squarings), A);
    palMat3 E = pal_identityMat3;
    const int order = 10; // (1/16)^11 / 11! is below the rounding
    for (int k = order; k >= 1; k--)
        E = palMat3MulAdd(pal_identityMat3, 1.0 / k, palMat3Mul(small, E));
    for (int i = 0; i < squarings; i++)
        E = palMat3Mul(E, E);
    return E;
}

// From the exponential of the system with its constant force as third state,
//   d/dt (y, y', g) = [0 1 0; -k/m -c/m 1/m; 0 0 0] (y, y', g)
static Response makeResponse(double m, double c, double k, double h)
{
    palMat3 A = {{{0.0, h, 0.0}, {-k / m * h, -c / m * h, h / m}, {0.0, 0.0, 0.0}}};
    palMat3 E = exponential(A);
    return (Response){
        .h = h,
        .yy = E.m[0][0],
        .yw = E.m[0][1],
        .yg = E.m[0][2],
        .wy = E.m[1][0],
        .ww = E.m[1][1],
        .wg = E.m[1][2],
    };
}

static Response responseOver(const palDevice* device, double h)
{
    const palHumanHandDef* hand = &device->hand;
    return makeResponse(device->mass, device->preset.damping + hand->damping, hand->stiffness, h);
}

//--------------------------------------------------------------------------------------------------
// One sub-step

// Coulomb's law, implicit: the friction that would stop the device at the end of the sub-step if it
// is within the limit, else the limit, against the velocity.
static palVec3 frictionForce(palVec3 velocity, double wg, double most, bool* stops)
{
    palVec3 stopping = palScale(-1.0 / wg, velocity);
    double size = palLength(stopping);
    *stops = size <= most;
    return *stops ? stopping : palScale(most / size, stopping);
}

// A sub-step: its length, the target's speed, the constant force, and what changed.
typedef struct Motion
{
    double h;       // s
    palVec3 s;      // m/s, of the target
    palVec3 G;      // N, as in subStep
    palVec3 y0, y1; // m, from the target, before and after
    palVec3 dv;     // m/s
} Motion;

// The energy that the hand receives in a sub-step, exactly, but for the terms in v². In the symbols
// of subStep the hand's force is -k y - b_hand w and the velocity w + s:
//   E = ∫ (k y + b_hand w) · (w + s) dt
// Two integrals follow from the equation of motion, c = b + b_hand:
//   k ∫ y dt = h G - m Δw - c Δy          c ∫ w² dt = G · Δy - ½ m Δ(w²) - ½ k Δ(y²)
// With share = b_hand / c and w = v - s
//   E = Δy · (½ (1 - share) k (y0 + y1) + share G) + s · (h G - b Δy - (1 - share) m Δv)
//       - ½ share m Δ(v²)
// The last term and the hand's kinetic energy, ½ m_hand Δ(v²), are added over all sub-steps.
static double energyToHand(const palDevice* device, const Motion* moved)
{
    palVec3 dy = palSub(moved->y1, moved->y0);
    palVec3 a = palScale(device->otherStiffness, palAdd(moved->y0, moved->y1));
    palVec3 b = palMulAdd(palScale(moved->h, moved->G), -device->preset.damping, dy);
    return palDot(dy, palMulAdd(a, device->handShare, moved->G)) +
           palDot(moved->s, palMulAdd(b, -device->otherMass, moved->dv));
}

// The target moves from `from` to `to`. With y = x - target and w = y' the equation of
// simulated.h is
//   m y'' + (b + b_hand) y' + k y = F - b target' + friction
static void subStep(palDevice* device, const Response* r, palVec3 from, palVec3 to)
{
    const palHumanHandDef* hand = &device->hand;
    double friction = device->preset.friction;
    palVec3 speed = palScale(1.0 / r->h, palSub(to, from));

    // At rest, and what pulls is not more than friction holds: nothing moves at all.
    palVec3 pull = palMulAdd(device->force, hand->stiffness, palSub(to, device->x));
    pull = palMulAdd(pull, hand->damping, speed);
    if (palLengthSquared(device->v) == 0.0 && palLength(pull) <= friction)
        return;

    palVec3 y = palSub(device->x, from);
    palVec3 w = palSub(device->v, speed);
    palVec3 g = palMulAdd(device->force, -device->preset.damping, speed);
    palVec3 x = palMulAdd(palMulAdd(palMulAdd(to, r->yy, y), r->yw, w), r->yg, g);
    palVec3 v = palMulAdd(palMulAdd(palMulAdd(speed, r->wy, y), r->ww, w), r->wg, g);

    bool stops = false;
    palVec3 f = frictionForce(v, r->wg, friction, &stops);
    x = palMulAdd(x, r->yg, f);
    v = stops ? pal_zeroVec3 : palMulAdd(v, r->wg, f);
    device->handEnergy += energyToHand(device, &(Motion){.h = r->h,
                                                         .s = speed,
                                                         .G = palAdd(g, f),
                                                         .y0 = y,
                                                         .y1 = palSub(x, to),
                                                         .dv = palSub(v, device->v)});
    device->x = x;
    device->v = v;
}

// Integrates up to t, which is later than the last read, in sub-steps of at most dt / subSteps.
static void advance(palDevice* device, double t)
{
    double gap = t - device->t;
    double dt = device->dt;
    // Steps of a clock differ from dt by rounding only.
    bool regular = fabs(gap - dt) <= 1e-6 * dt;
    int count = regular ? subSteps : subSteps * (int)ceil(gap / dt);
    Response r = regular ? device->nominal : responseOver(device, gap / count);
    palQuat unused;
    palVec3 from, to;
    double before = palLengthSquared(device->v);
    palTrajectory_At(device->trajectory, device->t, &from, &unused);
    for (int i = 1; i <= count; i++)
    {
        palTrajectory_At(device->trajectory, device->t + gap * i / count, &to, &unused);
        subStep(device, &r, from, to);
        from = to;
    }
    device->handEnergy += 0.5 * (device->hand.mass - device->handShare * device->mass) *
                          (palLengthSquared(device->v) - before);
    device->t = t;
}

//--------------------------------------------------------------------------------------------------
// The driver

static bool notNegative(double value)
{
    return value >= 0.0 && isfinite(value);
}

static palResult checkNumbers(const palDriverContext* context, const palDevicePreset* preset,
                              const palHumanHandDef* hand, palError* error)
{
    if (preset == NULL || context->trajectory == NULL)
    {
        palError_Set(error, pal_errorInput, "simulated: no preset or no trajectory");
        return palError_Remedy(error, "choose a preset (palpate devices) and a trajectory");
    }
    double dt = context->dt;
    if (!notNegative(hand->stiffness) || !notNegative(hand->damping) || !notNegative(hand->mass) ||
        !notNegative(preset->mass) || !notNegative(preset->damping) ||
        !notNegative(preset->friction) || !notNegative(preset->resolution) ||
        !notNegative(preset->limits.maxForce))
    {
        palError_Set(error, pal_errorInput,
                     "simulated: a number of the device or the hand is "
                     "negative or not finite");
        return palError_Remedy(error, "give masses, stiffness, damping, friction, resolution and "
                                      "force of zero or more");
    }
    if (preset->mass + hand->mass < 1e-6 || !(dt > 0.0) || !isfinite(dt))
    {
        palError_Set(error, pal_errorInput,
                     "simulated: device and hand have no mass, or dt is not positive");
        return palError_Remedy(error, "give at least 1 mg and a step above zero");
    }
    // Friction is resolved where a sub-step is well within a swing of the hand's grip, which is of
    // the length pi / sqrt(k / m).
    double swing = sqrt(hand->stiffness / (preset->mass + hand->mass));
    if (swing * dt / subSteps > 1.0)
    {
        palError_Set(error, pal_errorInput,
                     "simulated: the hand's stiffness of %g N/m is too much "
                     "for a step of %g s",
                     hand->stiffness, dt);
        return palError_Remedy(error, "use a smaller stiffness or a shorter step");
    }
    return pal_ok;
}

palResult palSimulated_Open(const palDriverContext* context, const palDevicePreset* preset,
                            const palHumanHandDef* hand, palDevice** device, palError* error)
{
    *device = NULL;
    palResult result = checkNumbers(context, preset, hand, error);
    if (result != pal_ok)
        return result;
    palDevice* made = calloc(1, sizeof *made);
    if (made == NULL)
        return palError_Memory(error, "the simulated device", sizeof *made);
    made->preset = *preset;
    made->hand = *hand;
    made->trajectory = context->trajectory;
    made->dt = context->dt;
    made->mass = preset->mass + hand->mass;
    made->handShare = hand->damping > 0.0 ? hand->damping / (preset->damping + hand->damping) : 0.0;
    made->otherMass = (1.0 - made->handShare) * made->mass;
    made->otherStiffness = 0.5 * (1.0 - made->handShare) * hand->stiffness;
    made->nominal = responseOver(made, made->dt / subSteps);
    *device = made;
    return pal_ok;
}

static palResult openDevice(const palDriverContext* context, const void* settings,
                            palDevice** device, palError* error)
{
    const palSimulatedSettings* given = settings;
    const palDevicePreset* preset = palFindDevicePreset(given->preset);
    return palSimulated_Open(context, preset, &given->hand, device, error);
}

static void closeDevice(palDevice* device)
{
    free(device);
}

static void tellLimits(const palDevice* device, palDeviceLimits* limits)
{
    palDeviceLimits known = device->preset.limits;
    known.passiveDamping = device->preset.damping + device->hand.damping;
    known.mass = device->preset.mass;
    palDriver_GiveLimits(&known, limits);
}

static double roundTo(double value, double resolution)
{
    return resolution > 0.0 ? resolution * round(value / resolution) : value;
}

static palVec3 encoderPosition(const palDevice* device)
{
    double resolution = device->preset.resolution;
    return palMakeVec3(roundTo(device->x.x, resolution), roundTo(device->x.y, resolution),
                       roundTo(device->x.z, resolution));
}

// The device is at rest where the hand is.
static void settle(palDevice* device, double t)
{
    device->started = true;
    device->t = t;
    device->v = pal_zeroVec3;
    device->seen = (palDeviceState){.fresh = true, .features = pal_featureHandEnergy};
    palTrajectory_At(device->trajectory, t, &device->x, &device->seen.orientation);
    device->seen.position = encoderPosition(device);
}

static void observe(palDevice* device, double gap)
{
    palDeviceState* seen = &device->seen;
    palVec3 positionBefore = seen->position;
    palQuat orientationBefore = seen->orientation;
    palVec3 unused;
    seen->fresh = true;
    seen->position = encoderPosition(device);
    palTrajectory_At(device->trajectory, device->t, &unused, &seen->orientation);

    // Differences of the encoder, through a first-order low-pass.
    double share = 1.0 - exp(-2.0 * PAL_PI * velocityCutoff * gap);
    palVec3 difference = palScale(1.0 / gap, palSub(seen->position, positionBefore));
    seen->velocity = palLerp(seen->velocity, difference, share);
    palQuat turn = palMulQuat(seen->orientation, palConjugate(orientationBefore));
    seen->angularVelocity = palScale(1.0 / gap, palRotationVector(turn));
}

static void readState(palDevice* device, double t, palDeviceState* state)
{
    double gap = t - device->t;
    if (!device->started || gap > longestGap * device->dt)
    {
        settle(device, t);
    }
    else if (gap > 0.0)
    {
        advance(device, t);
        observe(device, gap);
    }
    else
    {
        device->seen.fresh = false;
    }
    device->seen.handEnergy = device->handEnergy;
    device->seen.buttons = palTrajectory_Buttons(device->trajectory, t);
    palDriver_GiveState(&device->seen, state);
}

// Motors saturate: no more than the device's greatest force arrives, whatever was asked for.
static void writeForce(palDevice* device, const palDeviceOutput* output)
{
    palVec3 force = output->channels[pal_channelPalm].force;
    double most = device->preset.limits.maxForce;
    double size = palLength(force);
    if (!isfinite(size))
        device->force = pal_zeroVec3;
    else if (most > 0.0 && size > most)
        device->force = palScale(most / size, force);
    else
        device->force = force;
}

static void archiveDevice(palDevice* device, palArchive* archive)
{
    PAL_ARCHIVE(archive, device->started);
    PAL_ARCHIVE(archive, device->t);
    PAL_ARCHIVE(archive, device->x);
    PAL_ARCHIVE(archive, device->v);
    PAL_ARCHIVE(archive, device->force);
    PAL_ARCHIVE(archive, device->handEnergy);
    PAL_ARCHIVE(archive, device->seen);
}

const palDeviceOps pal_simulatedDevice = {
    .size = sizeof(palDeviceOps),
    .name = "simulated",
    .summary = "a device with the numbers of a preset, held by a simulated hand",
    .settings = &settingsTable,
    .probe = palDriver_ProbeNothing,
    .open = openDevice,
    .close = closeDevice,
    .limits = tellLimits,
    .read = readState,
    .write = writeForce,
    .archive = archiveDevice,
};
