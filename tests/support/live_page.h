// SPDX-License-Identifier: Apache-2.0
// A live session and what a page would know of it, without a browser.
//
// Nothing here depends on how fast the session runs: a test waits until something is seen to have
// happened (AWAIT, HOLD_UNTIL), and fails after patienceSeconds without it.
#ifndef PAL_TESTS_LIVE_PAGE_H
#define PAL_TESTS_LIVE_PAGE_H

#include "check.h"

#include "live/live.h"

#include <time.h>
#include <unistd.h>

enum
{
    patienceSeconds = 600,
};

/// Where recordings go; made by RUN_LIVE.
static char recordings[64];

static inline palLive* start(const char* scene, const char* change)
{
    const char* sets[] = {"device.driver=browser", change};
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", PAL_SOURCE_DIR, scene);
    const palLiveDef def = {
        .scene = path, .sets = sets, .setCount = change != NULL ? 2 : 1, .recordings = recordings};
    palLive* live;
    palError error = {0};
    if (palLive_Create(&def, &live, &error) != pal_ok)
        fail_msg("%s", error.text);
    return live;
}

static inline void say(palLive* live, const char* text)
{
    palViewMessage message;
    const char* reason;
    assert_true(palViewMessage_Parse(text, strlen(text), false, &message, &reason));
    assert_true(palLive_Post(live, &message));
}

// What a page would know after all frames so far.
typedef struct Page
{
    palLiveReader reader;
    palFrame frame;
    char status[16384];
    double device[3], proxy[3], out[3]; // of the first hand
    int handCount;
    double devices[4][3], outs[4][3]; // of each hand
    unsigned active;
    unsigned ticks; // in the last frame
    unsigned sets, limited;
    unsigned bodies;   // in the last frame
    unsigned drawings; // frames with bodies so far: a low-rate step each, where something is soft
    double deepest;    // m: of the surface as it was last sent, below y = 50 mm
    unsigned field;    // that it came with
    float most;        // of the field
    double t;
} Page;

// How deep the top of a block of 100 mm is dented near its middle, and the field's largest value.
static inline void takeBody(Page* page, const unsigned char* body)
{
    uint32_t head[6]; // id, kind, vertices, triangles, field, name
    memcpy(head, body, sizeof head);
    page->deepest = page->most = 0;
    page->field = head[4];
    for (uint32_t i = 0; i < head[2]; i++)
    {
        float x[3], value;
        memcpy(x, body + 24 + 12 * i, 12);
        bool isTop = hypotf(x[0], x[2]) < 0.03f && x[1] > 0.03f;
        page->deepest = isTop ? fmax(page->deepest, 0.05 - (double)x[1]) : page->deepest;
        if (head[4] != 0)
            memcpy(&value, body + 24 + 12 * (head[2] + head[3]) + 4 * i, 4),
                page->most = fmaxf(page->most, value);
    }
}

static inline void take(palLive* live, Page* page)
{
    palLive_Wait(live, &page->reader, 1.0);
    palLive_Encode(live, &page->reader, &page->frame);
    const unsigned char* bytes = page->frame.bytes;
    unsigned count = bytes[6];
    size_t at = 32;
    page->ticks = page->bodies = 0;
    memcpy(&page->t, bytes + 16, 8);
    for (unsigned i = 0; i < count; i++)
    {
        uint32_t kind, size;
        memcpy(&kind, bytes + at, 4);
        memcpy(&size, bytes + at + 4, 4);
        const unsigned char* body = bytes + at + 8;
        if (kind == pal_frameStatus)
        {
            assert_true(size < sizeof page->status);
            memcpy(page->status, body, size);
            page->status[size] = '\0';
        }
        if (kind == pal_frameHand || kind == pal_frameNextHand)
        {
            page->handCount = kind == pal_frameHand ? 0 : page->handCount;
            memcpy(page->devices[page->handCount], body, 24);
            memcpy(page->outs[page->handCount++], body + 96, 24);
        }
        if (kind == pal_frameHand)
        {
            memcpy(page->device, body, 24);
            memcpy(page->proxy, body + 24, 24);
            memcpy(page->out, body + 96, 24);
            memcpy(&page->active, body + 152, 4);
        }
        if (kind == pal_frameTicks)
            memcpy(&page->ticks, body, 4);
        if (kind == pal_frameLimited)
            memcpy(&page->limited, body, 4), memcpy(&page->sets, body + 4, 4);
        page->bodies += kind == pal_frameBody;
        if (kind == pal_frameBody)
            takeBody(page, body);
        at += 8 + (size + 7u) / 8u * 8u;
    }
    page->drawings += page->bodies > 0;
}

static inline double secondsNow(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Fails where the wait that began then has lasted too long.
static inline void checkPatience(double began, const Page* page, const char* condition)
{
    if (secondsNow() - began > patienceSeconds)
        fail_msg("never: %s; t = %g, the last status: %s", condition, page->t, page->status);
}

/// Takes frames, at least one, until the condition holds.
#define AWAIT(live, page, condition)                                                               \
    for (double began = secondsNow(); take(live, page), !(condition);)                             \
    checkPatience(began, page, #condition)

/// Holds the hand there, as a page does, and takes frames until the condition holds.
#define HOLD_UNTIL(live, page, x, condition)                                                       \
    for (double began = secondsNow(); post(live, x), take(live, page), !(condition);)              \
    checkPatience(began, page, #condition)

static inline void awaitStatus(palLive* live, Page* page, const char* text)
{
    for (double began = secondsNow(); take(live, page), strstr(page->status, text) == NULL;)
        checkPatience(began, page, text);
}

// A sample of the hand, a hundred a second.
static inline void post(palLive* live, palVec3 x)
{
    const palHandSample sample = {
        .time = secondsNow(),
        .position = x,
        .orientation = pal_identityQuat,
    };
    palLive_Hand(live, &sample);
    usleep(10000);
}

static inline bool isAt(const Page* page, palVec3 x)
{
    return palDistance(palMakeVec3(page->device[0], page->device[1], page->device[2]), x) < 1e-9;
}

// Brings the hand to a place and holds it there for 300 ms of the run.
static inline void hold(palLive* live, Page* page, palVec3 x)
{
    HOLD_UNTIL(live, page, x, isAt(page, x));
    double since = page->t;
    HOLD_UNTIL(live, page, x, page->t >= since + 0.3);
}

/// Runs the tests with a directory for recordings, which goes away after them.
#define RUN_LIVE(tests) (makeRecordings() ? 1 : removeRecordings(RUN(tests)))

static inline bool makeRecordings(void)
{
    snprintf(recordings, sizeof recordings, "/tmp/palpate-live-XXXXXX");
    return mkdtemp(recordings) == NULL;
}

static inline int removeRecordings(int failures)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", recordings);
    return system(command) != 0 || failures != 0;
}

#endif
