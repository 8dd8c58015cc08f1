// SPDX-License-Identifier: Apache-2.0
#include "device/skeleton.h"

#include "base/error.h"
#include "base/schema_columns.h"
#include "math/quat.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum
{
    readAttempts = 4, // a reader never waits for the writer longer than this
    maxButtons = 32,
    mailboxWords = 64,
};

static const double gripLever = 0.02;   // m: torque is force at this distance
static const double openGripper = 0.08; // m
static const double gloveMass = 0.3;    // kg

// What one thread writes and another copies: a sequence lock for one writer. `sequence` is odd
// while it writes; a copy is whole if it was even and the same before and after.
typedef struct Mailbox
{
    atomic_uint sequence;
    _Atomic uint64_t words[mailboxWords];
} Mailbox;

// What a post leaves in the mailbox.
typedef struct Post
{
    palSkeletonSample sample;
    int64_t at; // ns, on the session's clock
} Post;

_Static_assert(sizeof(Post) <= 8 * mailboxWords && sizeof(Post) % 8 == 0, "whole words");
_Static_assert(sizeof(palDeviceOutput) <= 8 * mailboxWords && sizeof(palDeviceOutput) % 8 == 0,
               "whole words");

struct palDevice
{
    palSkeletonSettings settings;
    int64_t (*now)(void); // ns
    Mailbox motion;       // from the device's thread: a Post
    Mailbox force;        // to the device's thread: a palDeviceOutput

    unsigned takenForce; // device's thread: sequence of the output that was taken last

    unsigned sequence;    // reader: of the post that `state` shows
    Post post;            // reader: that post
    palDeviceState state; // reader: what the last read gave
};

// 1. What a scene may say about the device: a line for each key, with its range, unit and meaning,
//    and a maker of the defaults. A driver without keys leaves `settings` of its palDeviceOps NULL.
palSkeletonSettings palDefaultSkeletonSettings(void)
{
    return (palSkeletonSettings){
        .scale = 1.0, .buttons = maxButtons, .fingers = pal_deviceFingersMax, .maxForce = 5.0};
}

static void setDefaults(int kind, void* record)
{
    (void)kind;
    *(palSkeletonSettings*)record = palDefaultSkeletonSettings();
}

static const palSchemaKey settingKeys[] = {
    {FIELD("origin", pal_schemaVector, palSkeletonSettings, origin), RANGE(-10, 10, "m"),
     .meaning = "where the device's own origin is in the scene"},
    {FIELD("scale", pal_schemaNumber, palSkeletonSettings, scale), RANGE(0.01, 100, NULL),
     .meaning = "metres in the scene per metre of the device"},
    {FIELD("buttons", pal_schemaWhole, palSkeletonSettings, buttons), RANGE(0, maxButtons, NULL),
     .meaning = "how many are looked at"},
    {FIELD("fingers", pal_schemaWhole, palSkeletonSettings, fingers),
     RANGE(0, pal_deviceFingersMax, NULL), .meaning = "how many have a motor, thumb first"},
    {FIELD("max_force", pal_schemaNumber, palSkeletonSettings, maxForce), RANGE(0.1, 100, "N"),
     .meaning = "of the palm; half of it for a finger and the gripper"},
};
static const palSchemaTable settingsTable = {
    .noun = "device",
    .title = "device with driver `skeleton`: a hand whose motion another thread posts",
    .keys = settingKeys,
    .keyCount = COUNT(settingKeys),
    .size = sizeof(palSkeletonSettings),
    .setDefaults = setDefaults,
};

// 2. Whether the device can be used here. A real driver looks for its library, its permissions and
//    the device, and says in the error which is missing and what to do.
static palResult probe(palError* error)
{
    (void)error;
    return pal_ok;
}

// 3. Opening and closing: everything that blocks, allocates or does I/O. The settings are within
//    their ranges; what the session knows, such as where the hand starts, is in the context.
static palResult openDevice(const palDriverContext* context, const void* settings,
                            palDevice** device, palError* error)
{
    *device = NULL;
    if (!palIsFinite(context->home))
    {
        palError_Set(error, pal_errorInput, "skeleton: the first position is not finite");
        palError_Remedy(error, "start the trajectory at a position in metres");
        return pal_errorInput;
    }
    *device = calloc(1, sizeof **device);
    if (*device == NULL)
        return palError_Memory(error, "the skeleton device", sizeof **device);
    (*device)->settings = *(const palSkeletonSettings*)settings;
    (*device)->now = context->now;
    (*device)->state.position = context->home;
    (*device)->state.orientation = palNormalizeQuat(context->homeOrientation);
    return pal_ok;
}

static void closeDevice(palDevice* device)
{
    free(device);
}

// 4. What the device can do. The safety layer keeps every channel within it.
static void tellLimits(const palDevice* device, palDeviceLimits* limits)
{
    const double force = device->settings.maxForce;
    const double inertia = gloveMass * gripLever * gripLever;
    const palDeviceLimits known = {
        .maxForce = force,
        .maxTorque = gripLever * force,
        .hasForce = true,
        .channelCount = 1 + device->settings.fingers,
        .maxFingerForce = 0.5 * force,
        .maxFingerTorque = 0.5 * gripLever * force,
        .maxGripperForce = 0.5 * force,
        .maxGripperOpening = openGripper,
        .mass = gloveMass,
        .inertia = {inertia, inertia, inertia},
    };
    palDriver_GiveLimits(&known, limits);
}

// 5. The mailboxes, and the device's thread at its end of both.
static void put(Mailbox* box, const void* record, size_t size)
{
    uint64_t words[mailboxWords];
    memcpy(words, record, size);
    // Relaxed: only this thread changes the sequence.
    unsigned sequence = atomic_load_explicit(&box->sequence, memory_order_relaxed);
    atomic_store_explicit(&box->sequence, sequence + 1, memory_order_relaxed);
    // Release: who sees one of these sees the odd sequence too.
    for (size_t i = 0; i < size / 8; i++)
        atomic_store_explicit(&box->words[i], words[i], memory_order_release);
    // Release: who sees the even sequence sees all of them.
    atomic_store_explicit(&box->sequence, sequence + 2, memory_order_release);
}

// Copies what is newer than `last`, a sequence. Returns the new sequence, or `last` where there is
// nothing, or no whole copy could be had; `record` is then as it was.
static unsigned take(const Mailbox* box, unsigned last, void* record, size_t size)
{
    uint64_t words[mailboxWords];
    for (int i = 0; i < readAttempts; i++)
    {
        // Acquire: what follows is at least as new as this sequence.
        unsigned before = atomic_load_explicit(&box->sequence, memory_order_acquire);
        if (before == last)
            return last;
        // Acquire: the second look at the sequence comes after each of these.
        for (size_t k = 0; k < size / 8; k++)
            words[k] = atomic_load_explicit(&box->words[k], memory_order_acquire);
        unsigned after = atomic_load_explicit(&box->sequence, memory_order_relaxed);
        if (before != after || before % 2 != 0)
            continue;
        memcpy(record, words, size);
        return before;
    }
    return last;
}

void palSkeleton_Post(palDevice* device, const palSkeletonSample* sample)
{
    const Post post = {.sample = *sample, .at = device->now()};
    put(&device->motion, &post, sizeof post);
}

bool palSkeleton_Take(palDevice* device, palDeviceOutput* output)
{
    unsigned last = device->takenForce;
    device->takenForce = take(&device->force, last, output, sizeof *output);
    return device->takenForce != last;
}

// 6. The high-rate side: bounded, without locks. Velocities are differences over the device's own
//    times.

// A pose in the device's frame, `gap` seconds after the one in `pose`; zero: there was none.
static void follow(const palDevice* device, palVec3 position, palQuat orientation, double gap,
                   palDeviceFinger* pose)
{
    const palSkeletonSettings* settings = &device->settings;
    palDeviceFinger next = {.position = palMulAdd(settings->origin, settings->scale, position),
                            .orientation = orientation};
    if (gap > 0.0)
    {
        palQuat turn = palMulQuat(orientation, palConjugate(pose->orientation));
        next.velocity = palScale(1.0 / gap, palSub(next.position, pose->position));
        next.angularVelocity = palScale(1.0 / gap, palRotationVector(turn));
    }
    *pose = next;
}

static void followHand(palDevice* device, const palSkeletonSample* sample, double gap)
{
    palDeviceState* state = &device->state;
    palDeviceFinger palm = {.position = state->position, .orientation = state->orientation};
    follow(device, sample->position, sample->orientation, gap, &palm);
    state->position = palm.position;
    state->velocity = palm.velocity;
    state->orientation = palm.orientation;
    state->angularVelocity = palm.angularVelocity;
    state->fingerCount = pal_deviceFingersMax;
    for (int i = 0; i < pal_deviceFingersMax; i++)
        follow(device, sample->fingers[i], sample->fingerOrientations[i], gap, &state->fingers[i]);
    double opened = sample->gripperOpening - state->gripperOpening;
    state->gripperSpeed = gap > 0.0 ? opened / gap : 0.0;
    state->gripperOpening = sample->gripperOpening;
    state->sensedForce = sample->sensedForce;
    state->features = pal_featureGripper | pal_featureForceSensor;
    uint32_t known = (uint32_t)((UINT64_C(1) << device->settings.buttons) - 1);
    state->buttons = sample->buttons & known;
}

static void readState(palDevice* device, double t, palDeviceState* state)
{
    (void)t;
    Post* post = &device->post;
    double before = post->sample.time;
    unsigned sequence = take(&device->motion, device->sequence, post, sizeof *post);
    device->state.fresh = sequence != device->sequence;
    if (device->state.fresh)
        followHand(device, &post->sample, device->sequence > 0 ? post->sample.time - before : 0.0);
    device->sequence = sequence;
    device->state.age = sequence > 0 ? 1e-9 * (double)(device->now() - post->at) : 0.0;
    palDriver_GiveState(&device->state, state);
}

static void writeForce(palDevice* device, const palDeviceOutput* output)
{
    put(&device->force, output, sizeof *output);
}

const palDeviceOps pal_skeletonDevice = {
    .size = sizeof(palDeviceOps),
    .name = "skeleton",
    .summary = "a hand with a gripper whose motion another thread posts, and whose forces it takes",
    .settings = &settingsTable,
    .probe = probe,
    .open = openDevice,
    .close = closeDevice,
    .limits = tellLimits,
    .read = readState,
    .write = writeForce,
};
