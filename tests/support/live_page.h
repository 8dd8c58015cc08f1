// SPDX-License-Identifier: Apache-2.0
// A live session and what a page would know of it, without a browser.
#ifndef PAL_TESTS_LIVE_PAGE_H
#define PAL_TESTS_LIVE_PAGE_H

#include "check.h"

#include "live/live.h"

#include <time.h>
#include <unistd.h>

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
    double device[3], proxy[3], out[3];
    unsigned active;
    unsigned ticks; // in the last frame
    unsigned sets, limited;
    unsigned bodies; // in the last frame
    double deepest;  // m: of the surface as it was last sent, below y = 50 mm
    unsigned field;  // that it came with
    float most;      // of the field
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
}

static inline void awaitStatus(palLive* live, Page* page, const char* text)
{
    for (int i = 0; i < 2000; i++)
    {
        take(live, page);
        if (strstr(page->status, text) != NULL)
            return;
        usleep(5000);
    }
    fail_msg("the status never said '%s' but: %s", text, page->status);
}

static inline void post(palLive* live, palVec3 x)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const palHandSample sample = {
        .time = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec,
        .position = x,
        .orientation = pal_identityQuat,
    };
    palLive_Hand(live, &sample);
    usleep(10000);
}

// Brings the hand to a place, as a page does, and holds it there for 300 ms of the run.
static inline void hold(palLive* live, Page* page, palVec3 x)
{
    double since = -1.0;
    for (int i = 0; i < 2000 && (since < 0.0 || page->t < since + 0.3); i++)
    {
        post(live, x);
        take(live, page);
        palVec3 device = {page->device[0], page->device[1], page->device[2]};
        if (since < 0.0 && palDistance(device, x) < 1e-9)
            since = page->t;
    }
    if (since < 0.0)
        fail_msg("the hand never came to its place");
}

/// Runs the tests with a directory for recordings, which goes away after them.
#define RUN_LIVE(tests)                                                                            \
    (makeRecordings() ? 1 : removeRecordings(cmocka_run_group_tests(tests, NULL, NULL)))

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
