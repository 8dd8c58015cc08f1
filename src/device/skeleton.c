// SPDX-License-Identifier: Apache-2.0
#include "device/skeleton.h"

#include "base/error.h"
#include "base/schema_columns.h"
#include "math/quat.h"

#include <stdatomic.h>
#include <stdlib.h>

enum
{
    readAttempts = 4, // the reader never waits for the poster longer than this
    maxButtons = 32,
};

// What the poster writes and the reader copies: a sequence lock for one writer. `sequence` is odd
// while a post is under way; a copy is whole if it was even and the same before and after.
typedef struct Mailbox
{
    atomic_uint sequence;
    _Atomic double t;
    _Atomic double x, y, z;
    atomic_uint buttons;
} Mailbox;

struct palDevice
{
    palSkeletonSettings settings;
    Mailbox mailbox;
    unsigned sequence;    // reader: of the post that `state` shows
    double t;             // reader: its time, s
    palDeviceState state; // reader: what the last read gave
};

// 1. What a scene may say about the device: a line for each key, with its range, unit and meaning,
//    and a maker of the defaults. A driver without keys leaves `settings` of its palDeviceOps NULL.
palSkeletonSettings palDefaultSkeletonSettings(void)
{
    return (palSkeletonSettings){.scale = 1.0, .buttons = maxButtons};
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
};
static const palSchemaTable settingsTable = {
    .noun = "device",
    .title = "device with driver `skeleton`: positions posted by another thread",
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
    (*device)->state.position = context->home;
    (*device)->state.orientation = pal_identityQuat;
    return pal_ok;
}

static void closeDevice(palDevice* device)
{
    free(device);
}

static palDeviceLimits limits(const palDevice* device)
{
    (void)device;
    return (palDeviceLimits){.hasForce = false};
}

// 4. From the device's thread into the mailbox.
void palSkeleton_Post(palDevice* device, double t, palVec3 position, uint32_t buttons)
{
    Mailbox* box = &device->mailbox;
    // Relaxed: only this thread changes the sequence.
    unsigned sequence = atomic_load_explicit(&box->sequence, memory_order_relaxed);
    atomic_store_explicit(&box->sequence, sequence + 1, memory_order_relaxed);
    // Release: who sees one of these sees the odd sequence too.
    atomic_store_explicit(&box->t, t, memory_order_release);
    atomic_store_explicit(&box->x, position.x, memory_order_release);
    atomic_store_explicit(&box->y, position.y, memory_order_release);
    atomic_store_explicit(&box->z, position.z, memory_order_release);
    atomic_store_explicit(&box->buttons, buttons, memory_order_release);
    // Release: who sees the even sequence sees all of them.
    atomic_store_explicit(&box->sequence, sequence + 2, memory_order_release);
}

// Copies the mailbox. Returns its sequence, or that of the last read where no whole copy was had.
static unsigned collect(const palDevice* device, double* t, palVec3* position, uint32_t* buttons)
{
    const Mailbox* box = &device->mailbox;
    for (int i = 0; i < readAttempts; i++)
    {
        // Acquire: what follows is at least as new as this sequence.
        unsigned before = atomic_load_explicit(&box->sequence, memory_order_acquire);
        // Acquire: the second look at the sequence comes after each of these.
        *t = atomic_load_explicit(&box->t, memory_order_acquire);
        position->x = atomic_load_explicit(&box->x, memory_order_acquire);
        position->y = atomic_load_explicit(&box->y, memory_order_acquire);
        position->z = atomic_load_explicit(&box->z, memory_order_acquire);
        *buttons = atomic_load_explicit(&box->buttons, memory_order_acquire);
        unsigned after = atomic_load_explicit(&box->sequence, memory_order_relaxed);
        if (before == after && before % 2 == 0)
            return before;
    }
    return device->sequence;
}

// 5. The high-rate side: bounded, without locks. A device with force sends it in writeForce.
static void readState(palDevice* device, double now, palDeviceState* state)
{
    (void)now;
    double t;
    palVec3 position;
    uint32_t buttons;
    unsigned sequence = collect(device, &t, &position, &buttons);
    const palSkeletonSettings* settings = &device->settings;
    palDeviceState* last = &device->state;
    last->fresh = sequence != device->sequence;
    if (last->fresh)
    {
        // From the device's frame into the scene's.
        position = palMulAdd(settings->origin, settings->scale, position);
        double gap = t - device->t;
        bool first = device->sequence == 0;
        last->velocity = !first && gap > 0.0 ? palScale(1.0 / gap, palSub(position, last->position))
                                             : pal_zeroVec3;
        last->position = position;
        last->buttons = buttons & (uint32_t)((UINT64_C(1) << settings->buttons) - 1);
        device->sequence = sequence;
        device->t = t;
    }
    *state = *last;
}

static void writeForce(palDevice* device, palVec3 force, palVec3 torque)
{
    (void)device;
    (void)force;
    (void)torque;
}

const palDeviceOps pal_skeletonDevice = {
    .name = "skeleton",
    .summary = "positions posted by another thread; no force",
    .settings = &settingsTable,
    .probe = probe,
    .open = openDevice,
    .close = closeDevice,
    .limits = limits,
    .read = readState,
    .write = writeForce,
};
