// SPDX-License-Identifier: Apache-2.0
#include "device/browser.h"

#include "base/error.h"
#include "base/ring.h"
#include "base/schema_columns.h"

#include <stdlib.h>
#include <string.h>

enum
{
    queueSize = 64,  // samples on their way to the high rate
    windowSize = 16, // samples that the high rate remembers
};

static const double clockJump = 0.5;     // s: the page's clock was restarted
static const double clockDrift = 1e-4;   // s/s: clocks differ by less
static const double longestGap = 0.1;    // s: over a longer one the hand goes in a straight line
static const double longestStep = 0.005; // s between reads: more was a pause of the run

// A sample on our clock.
typedef struct Sample
{
    double t; // s
    palVec3 x;
    palQuat q;
    uint32_t buttons;
} Sample;

struct palDevice
{
    palBrowserSettings settings; // maxSpeed known
    int64_t (*now)(void);        // ns

    // The poster's.
    bool hasClock;
    double offset; // s, ours minus the page's
    double posted; // s, our clock, the last sample

    palRing queue; // of Sample: from the poster to the reader

    // The reader's.
    Sample window[windowSize]; // oldest first
    int count;
    double readAt; // s, the read before; negative: none
    palDeviceState state;
};

palBrowserSettings palDefaultBrowserSettings(void)
{
    return (palBrowserSettings){.latency = 0.04, .staleAfter = 0.1, .maxSpeed = NAN};
}

static void setDefaults(int kind, void* record)
{
    (void)kind;
    *(palBrowserSettings*)record = palDefaultBrowserSettings();
}

static const palSchemaKey settingKeys[] = {
    // At most what the window holds of a page that sends 144 times a second.
    {FIELD("latency", pal_schemaNumber, palBrowserSettings, latency), RANGE(0, 0.1, "s"),
     .meaning = "the hand is shown this much later than the page sent it, so that samples arrive "
                "in time"},
    {FIELD("stale_after", pal_schemaNumber, palBrowserSettings, staleAfter), RANGE(0.001, 10, "s"),
     .meaning = "without a sample for this long the device counts as stale"},
    {FIELD("max_speed", pal_schemaNumber, palBrowserSettings, maxSpeed), RANGE(0.001, 100, "m/s"),
     .unset = "as contacts are known in time",
     .meaning = "a jump of the mouse becomes a motion of this speed; by default the fastest that "
                "stays within `method.radius` until the next contacts are known"},
};
static const palSchemaTable settingsTable = {
    .noun = "device",
    .title = "device with driver `browser`: the mouse on the page of `palpate view`",
    .keys = settingKeys,
    .keyCount = COUNT(settingKeys),
    .size = sizeof(palBrowserSettings),
    .setDefaults = setDefaults,
};

static palResult openDevice(const palDriverContext* context, const void* settings,
                            palDevice** device, palError* error)
{
    palBrowserSettings given = *(const palBrowserSettings*)settings;
    given.maxSpeed = isnan(given.maxSpeed) ? context->maxSpeed : given.maxSpeed;
    *device = NULL;
    if (!palIsFinite(context->home) || !(given.latency >= 0.0) || !(given.maxSpeed > 0.0))
    {
        palError_Set(error, pal_errorInput, "browser: home, latency or speed is not usable");
        return palError_Remedy(error, "give a finite position, a latency and a positive speed");
    }
    size_t bytes = (sizeof **device + 63) & ~(size_t)63; // whole cache lines, for the ring
    *device = aligned_alloc(64, bytes);
    if (*device == NULL)
        return palError_Memory(error, "the browser device", bytes);
    memset(*device, 0, bytes);
    (*device)->settings = given;
    (*device)->now = context->now;
    (*device)->readAt = -1.0;
    (*device)->state.position = context->home;
    (*device)->state.orientation = palNormalizeQuat(context->homeOrientation);
    palResult result = palRing_Init(&(*device)->queue, sizeof(Sample), queueSize, error);
    if (result == pal_ok)
        return pal_ok;
    free(*device);
    *device = NULL;
    return result;
}

static void closeDevice(palDevice* device)
{
    if (device != NULL)
        palRing_Free(&device->queue);
    free(device);
}

//--------------------------------------------------------------------------------------------------
// The poster

// Fits the page's clock to ours: a sample cannot have come before it was sent, so the smallest
// difference is the truest. It may slip slowly, because clocks do.
static double fitClock(palDevice* device, double time, double now)
{
    double difference = now - time;
    double elapsed = device->hasClock ? fmax(0.0, time + device->offset - device->posted) : 0.0;
    double slipped = device->offset + clockDrift * elapsed;
    if (!device->hasClock || fabs(difference - device->offset) > clockJump)
        device->offset = difference;
    else
        device->offset = fmin(difference, slipped);
    device->hasClock = true;
    return time + device->offset;
}

bool palBrowser_Post(palDevice* device, const palHandSample* sample)
{
    const palQuat* q = &sample->orientation;
    double length = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    if (!palIsFinite(sample->position) || !isfinite(sample->time) || !isfinite(length) ||
        length < 1e-12)
        return false;
    double t = fitClock(device, sample->time, 1e-9 * (double)device->now());
    if (t <= device->posted)
        return false;
    const Sample posted = {
        .t = t, .x = sample->position, .q = palNormalizeQuat(*q), .buttons = sample->buttons};
    if (!palRing_Put(&device->queue, &posted))
        return false;
    device->posted = t;
    return true;
}

double palBrowser_Latency(const palDevice* device)
{
    return device->settings.latency;
}

//--------------------------------------------------------------------------------------------------
// The high rate

void palBrowser_Place(palDevice* device, palVec3 position, palQuat orientation)
{
    Sample sample;
    for (int i = 0; i < queueSize && palRing_Take(&device->queue, &sample);)
        i++;
    device->count = 0;
    device->readAt = -1.0;
    device->state = (palDeviceState){.position = position, .orientation = orientation};
}

// Takes what has arrived into the window; the oldest make room.
static void collect(palDevice* device)
{
    Sample sample;
    for (int i = 0; i < queueSize && palRing_Take(&device->queue, &sample); i++)
    {
        if (device->count == windowSize)
            memmove(device->window, device->window + 1, --device->count * sizeof(Sample));
        device->window[device->count++] = sample;
    }
}

// Forgets what lies more than one sample before the interval that holds t.
static void forget(palDevice* device, double t)
{
    int past = 0;
    while (past + 2 < device->count && device->window[past + 2].t <= t)
        past++;
    device->count -= past;
    memmove(device->window, device->window + past, (size_t)device->count * sizeof(Sample));
}

// The speed at sample i from its neighbours; over a long gap, and at the ends, from one side.
static palVec3 tangent(const palDevice* device, int i, int other)
{
    const Sample* s = device->window;
    int before = i > 0 && s[i].t - s[i - 1].t <= longestGap ? i - 1 : i;
    int after = i + 1 < device->count && s[i + 1].t - s[i].t <= longestGap ? i + 1 : i;
    if (before == i || after == i)
    {
        before = i < other ? i : other;
        after = i < other ? other : i;
    }
    return palScale(1.0 / (s[after].t - s[before].t), palSub(s[after].x, s[before].x));
}

// Between samples i and i + 1: the cubic with these ends and speeds (Hermite).
static void interpolate(const palDevice* device, int i, double t, palDeviceState* state)
{
    const Sample* a = &device->window[i];
    const Sample* b = &device->window[i + 1];
    double h = b->t - a->t;
    double u = (t - a->t) / h;
    palVec3 step = palSub(b->x, a->x);
    bool isStraight = h > longestGap;
    palVec3 va = isStraight ? palScale(1.0 / h, step) : tangent(device, i, i + 1);
    palVec3 vb = isStraight ? palScale(1.0 / h, step) : tangent(device, i + 1, i);
    double rise = u * u * (3.0 - 2.0 * u);
    palVec3 x = palMulAdd(a->x, rise, step);
    x = palMulAdd(x, h * u * (1.0 - u) * (1.0 - u), va);
    state->position = palMulAdd(x, -h * u * u * (1.0 - u), vb);
    palVec3 v = palScale(6.0 * u * (1.0 - u) / h, step);
    v = palMulAdd(v, (1.0 - u) * (1.0 - 3.0 * u), va);
    state->velocity = palMulAdd(v, u * (3.0 * u - 2.0), vb);
    state->orientation = palSlerp(a->q, b->q, u);
    palQuat turn = palMulQuat(b->q, palConjugate(a->q));
    state->angularVelocity = palScale(1.0 / h, palRotationVector(turn));
    state->buttons = a->buttons;
}

// Where the page's hand was at time t; at rest before the first sample and after the last.
static palDeviceState wanted(const palDevice* device, double t)
{
    palDeviceState state = {
        .position = device->state.position,
        .orientation = device->state.orientation,
        .buttons = device->state.buttons,
    };
    if (device->count == 0 || t < device->window[0].t)
        return state;
    const Sample* last = &device->window[device->count - 1];
    state.position = last->x;
    state.orientation = last->q;
    state.buttons = last->buttons;
    for (int i = 0; i + 1 < device->count; i++)
        if (t < device->window[i + 1].t)
        {
            interpolate(device, i, t, &state);
            break;
        }
    return state;
}

static void readState(palDevice* device, double runTime, palDeviceState* state)
{
    (void)runTime;
    const palBrowserSettings* settings = &device->settings;
    double now = 1e-9 * (double)device->now();
    double elapsed = device->readAt < 0.0 ? 0.0 : fmin(now - device->readAt, longestStep);
    device->readAt = now;
    collect(device);
    forget(device, now - settings->latency);
    palDeviceState next = wanted(device, now - settings->latency);
    next.fresh =
        device->count > 0 && now - device->window[device->count - 1].t <= settings->staleAfter;

    // The speed limit.
    palVec3 move = palSub(next.position, device->state.position);
    double length = palLength(move);
    double most = settings->maxSpeed * elapsed;
    if (length > most)
    {
        palVec3 direction = palScale(1.0 / length, move);
        next.position = palMulAdd(device->state.position, most, direction);
        next.velocity = palScale(elapsed > 0.0 ? settings->maxSpeed : 0.0, direction);
    }
    device->state = next;
    palDriver_GiveState(&next, state);
}

const palDeviceOps pal_browserDevice = {
    .size = sizeof(palDeviceOps),
    .name = "browser",
    .summary = "the mouse on the page of `palpate view`; input only, the page shows the force",
    .settings = &settingsTable,
    .probe = palDriver_ProbeNothing,
    .open = openDevice,
    .close = closeDevice,
    .limits = palDriver_NoForce,
    .read = readState,
    .write = palDriver_IgnoreForce,
};
