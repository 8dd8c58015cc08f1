// SPDX-License-Identifier: Apache-2.0
#include "device/target.h"

#include "base/archive.h"
#include "base/error.h"
#include "base/schema_columns.h"
#include "math/quat.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum
{
    slotCount = 16, // one in the mailbox, one with the reader, the others with threads that post
    noSlot = -1,
};

static const double farthest = 100.0; // m, as `position` of scenes

// A pose under way. Whoever has taken the slot, and it alone, reads and writes the pose.
typedef struct Slot
{
    _Atomic bool isTaken;
    palVec3 position;
    palQuat orientation;
} Slot;

struct palDevice
{
    Slot slots[slotCount];
    _Atomic int newest; // the slot with the newest pose, taken; noSlot: none since the last read
    _Atomic uint32_t buttons;

    // The reader's.
    double maxSpeed; // m/s
    double interval; // s
    palVec3 goal;
    palQuat goalOrientation;
    double goalAt; // s, when it is to be reached
    bool isStarted;
    double readAt; // s, the read before
    palVec3 position;
    palQuat orientation;
};

palTargetSettings palDefaultTargetSettings(void)
{
    return (palTargetSettings){.maxSpeed = NAN};
}

static void setDefaults(int kind, void* record)
{
    (void)kind;
    *(palTargetSettings*)record = palDefaultTargetSettings();
}

static const palSchemaKey settingKeys[] = {
    {FIELD("position", pal_schemaVector, palTargetSettings, position), RANGE(-100, 100, "m"),
     .meaning = "where the hand starts"},
    {FIELD("rotation", pal_schemaVector, palTargetSettings, rotation), RANGE(-360, 360, "deg"),
     .meaning = "how it is turned there, as a rotation vector"},
    {FIELD("interval", pal_schemaNumber, palTargetSettings, interval), RANGE(0, 1, "s"),
     .meaning = "a pose that the program sets is reached after this time, on a straight line; 0: "
                "at once"},
    {FIELD("max_speed", pal_schemaNumber, palTargetSettings, maxSpeed), RANGE(0.001, 100, "m/s"),
     .unset = "as contacts are known in time",
     .meaning = "a jump becomes a motion of this speed; by default the fastest that stays within "
                "`method.radius` until the next contacts are known"},
};
static const palSchemaTable settingsTable = {
    .noun = "device",
    .title = "device with driver `target`: a hand that a program moves",
    .intro = "For programs that use the library; elsewhere the hand stays where it starts. There "
             "is no `trajectory`.",
    .keys = settingKeys,
    .keyCount = COUNT(settingKeys),
    .size = sizeof(palTargetSettings),
    .setDefaults = setDefaults,
};

static palResult openDevice(const palDriverContext* context, const void* settings,
                            palDevice** device, palError* error)
{
    const palTargetSettings* given = settings;
    *device = calloc(1, sizeof **device);
    if (*device == NULL)
        return palError_Memory(error, "the target device", sizeof **device);
    (*device)->newest = noSlot;
    (*device)->maxSpeed = isnan(given->maxSpeed) ? context->maxSpeed : given->maxSpeed;
    (*device)->interval = given->interval;
    (*device)->goal = given->position;
    (*device)->goalOrientation =
        palMakeQuatRotationVector(palScale(PAL_PI / 180.0, given->rotation));
    return pal_ok;
}

static void closeDevice(palDevice* device)
{
    free(device);
}

// Release: what was read or written in the slot comes before the next taker's acquire.
static void freeSlot(palDevice* device, int slot)
{
    if (slot != noSlot)
        atomic_store_explicit(&device->slots[slot].isTaken, false, memory_order_release);
}

// Puts a pose into the mailbox. Returns false where all slots are taken.
static bool post(palDevice* device, palVec3 position, palQuat orientation)
{
    int slot = 0;
    while (slot < slotCount &&
           atomic_exchange_explicit(&device->slots[slot].isTaken, true, memory_order_acquire))
        slot++;
    if (slot == slotCount)
        return false;
    device->slots[slot].position = position;
    device->slots[slot].orientation = orientation;
    // Release: the reader sees the pose. Acquire: the slot of the pose before, which nobody read,
    // is ours to free.
    freeSlot(device, atomic_exchange_explicit(&device->newest, slot, memory_order_acq_rel));
    return true;
}

bool palTarget_Post(palDevice* device, palVec3 position, palQuat orientation)
{
    const palQuat* q = &orientation;
    double length = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    bool isNear = fabs(position.x) <= farthest && fabs(position.y) <= farthest &&
                  fabs(position.z) <= farthest; // and finite
    if (!isNear || !isfinite(length) || length < 1e-12)
        return false;
    return post(device, position, palNormalizeQuat(orientation));
}

// Relaxed: nothing else is read by it.
void palTarget_SetButtons(palDevice* device, uint32_t buttons)
{
    atomic_store_explicit(&device->buttons, buttons, memory_order_relaxed);
}

// The newest pose in the mailbox; noSlot: there is none. Acquire: the pose was written before.
static int takeNewest(palDevice* device)
{
    return atomic_exchange_explicit(&device->newest, noSlot, memory_order_acquire);
}

// Takes the newest pose, if there is one since the last read.
static void takeGoal(palDevice* device, double t)
{
    int slot = takeNewest(device);
    if (slot == noSlot)
        return;
    device->goal = device->slots[slot].position;
    device->goalOrientation = device->slots[slot].orientation;
    device->goalAt = t + device->interval;
    freeSlot(device, slot);
}

static void readState(palDevice* device, double t, palDeviceState* state)
{
    takeGoal(device, device->isStarted ? device->readAt : t);
    double elapsed = device->isStarted ? fmax(0.0, t - device->readAt) : 0.0;
    palVec3 next = device->goal;
    palQuat turned = device->goalOrientation;
    if (device->isStarted)
    {
        double left = device->goalAt - device->readAt;
        double share = elapsed < left ? elapsed / left : 1.0;
        palVec3 move = palScale(share, palSub(device->goal, device->position));
        double length = palLength(move), most = device->maxSpeed * elapsed;
        double within = length > most ? most / length : 1.0;
        next = palMulAdd(device->position, within, move);
        turned = palSlerp(device->orientation, device->goalOrientation, within * share);
        // Arrived, to the last bit.
        if (share == 1.0 && within == 1.0)
            next = device->goal, turned = device->goalOrientation;
    }
    palDeviceState now = {.time = t, .position = next, .orientation = turned, .fresh = true};
    now.buttons = atomic_load_explicit(&device->buttons, memory_order_relaxed);
    if (elapsed > 0.0)
    {
        palQuat turn = palMulQuat(turned, palConjugate(device->orientation));
        now.velocity = palScale(1.0 / elapsed, palSub(next, device->position));
        now.angularVelocity = palScale(1.0 / elapsed, palRotationVector(turn));
    }
    device->position = next;
    device->orientation = turned;
    device->readAt = t;
    device->isStarted = true;
    palDriver_GiveState(&now, state);
}

// With the pose that is not read yet, which is put back unless another has come.
static void archiveDevice(palDevice* device, palArchive* archive)
{
    int slot = takeNewest(device);
    bool isPosted = slot != noSlot;
    palVec3 position = isPosted ? device->slots[slot].position : pal_zeroVec3;
    palQuat orientation = isPosted ? device->slots[slot].orientation : pal_identityQuat;
    uint32_t buttons = atomic_load_explicit(&device->buttons, memory_order_relaxed);
    PAL_ARCHIVE(archive, buttons);
    palTarget_SetButtons(device, buttons);
    PAL_ARCHIVE(archive, isPosted);
    PAL_ARCHIVE(archive, position);
    PAL_ARCHIVE(archive, orientation);
    PAL_ARCHIVE(archive, device->goal);
    PAL_ARCHIVE(archive, device->goalOrientation);
    PAL_ARCHIVE(archive, device->goalAt);
    PAL_ARCHIVE(archive, device->isStarted);
    PAL_ARCHIVE(archive, device->readAt);
    PAL_ARCHIVE(archive, device->position);
    PAL_ARCHIVE(archive, device->orientation);
    int empty = noSlot;
    if (archive->isRestoring || slot == noSlot ||
        !atomic_compare_exchange_strong(&device->newest, &empty, slot))
        freeSlot(device, slot);
    if (archive->isRestoring && isPosted)
        post(device, position, orientation);
}

const palDeviceOps pal_targetDevice = {
    .size = sizeof(palDeviceOps),
    .name = "target",
    .summary = "a hand that the program around the library moves; stays still elsewhere",
    .settings = &settingsTable,
    .probe = palDriver_ProbeNothing,
    .open = openDevice,
    .close = closeDevice,
    .limits = palDriver_NoForce,
    .read = readState,
    .write = palDriver_IgnoreForce,
    .knowsPose = true,
    .archive = archiveDevice,
};
