// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/clock.h"
#include "world/fade.h"
#include "world/track.h"

#include <pthread.h>

static const double dt = 1e-3;

typedef struct record
{
    palTickForces head;
    double forces[4];
} record;

static void put(palTrack* track, int tick, int count)
{
    record forces = {.head = {.time = tick * dt, .sequence = 7, .count = count}};
    for (int i = 0; i < count; i++)
        forces.forces[i] = 10.0 * tick + i;
    palTrack_Put(track, &forces.head);
}

static const record* recordOf(const palTickForces* forces)
{
    return (const record*)forces;
}

// The loop takes its bodies to a time: it gets the forces of every tick up to there, once.
static void the_slower_loop_gets_each_tick_once(void** state)
{
    (void)state;
    palTrack track;
    assert_int_equal(palTrack_Init(&track, sizeof(double), 4, NULL), pal_ok);
    for (int tick = 1; tick <= 30; tick++)
        if (tick != 12) // of which there are none
            put(&track, tick, tick % 5);
    palTrack_Collect(&track);
    for (int step = 0, tick = 1; step < 3; step++)
    {
        int next = 0;
        for (int last = 10 * (step + 1); tick <= last; tick++)
        {
            const palTickForces* forces = palTrack_At(&track, tick * dt, 0.5 * dt, &next);
            assert_int_equal(forces == NULL, tick == 12);
            if (forces == NULL)
                continue;
            assert_int_equal(forces->count, tick % 5);
            assert_int_equal(forces->sequence, 7);
            for (int i = 0; i < forces->count; i++)
                ASSERT_NEAR(recordOf(forces)->forces[i], 10.0 * tick + i, 0.0);
        }
        palTrack_Forget(&track, (tick - 0.5) * dt);
        ASSERT_NEAR(track.last->time, (tick - 1) * dt, 1e-12);
    }
    assert_int_equal(track.givenCount, 0);
    palTrack_Free(&track);
}

// After a stall there is more than the loop keeps: the newest stay, in their order.
static void of_too_many_ticks_the_newest_are_kept(void** state)
{
    (void)state;
    palTrack track;
    assert_int_equal(palTrack_Init(&track, sizeof(double), 4, NULL), pal_ok);
    int last = 0;
    for (int round = 0; round < 5; round++)
    {
        for (int i = 0; i < 300; i++)
            put(&track, ++last, 1);
        palTrack_Collect(&track);
    }
    assert_int_equal(track.givenCount, pal_trackTicks);
    for (int i = 0; i < pal_trackTicks; i++)
        ASSERT_NEAR(palTrack_Before(&track, INFINITY, i)->time,
                    (last - pal_trackTicks + 1 + i) * dt, 1e-12);
    palTrack_Free(&track);
}

// For five seconds at most, or until it is told to stop.
typedef struct putter
{
    palTrack track;
    _Atomic bool stop;
} putter;

static void* putAlways(void* argument)
{
    putter* p = argument;
    int64_t end = palClock_Now() + 5000000000;
    for (int tick = 1; !atomic_load(&p->stop) && palClock_Now() < end; tick++)
        put(&p->track, tick, 4);
    return NULL;
}

// A loop that is slower to collect than the high rate is to put gets on with its step all the same:
// what it takes at once is what the ring holds.
static void what_is_taken_at_once_is_bounded(void** state)
{
    (void)state;
    putter p = {.stop = false};
    pthread_t thread;
    assert_int_equal(palTrack_Init(&p.track, sizeof(double), 200, NULL), pal_ok);
    assert_int_equal(pthread_create(&thread, NULL, putAlways, &p), 0);
    unsigned most = 0;
    for (unsigned all = 0; all < 5 * p.track.ring.capacity; all = atomic_load(&p.track.ring.tail))
    {
        unsigned before = atomic_load(&p.track.ring.tail);
        palTrack_Collect(&p.track);
        unsigned taken = atomic_load(&p.track.ring.tail) - before;
        most = taken > most ? taken : most;
    }
    atomic_store(&p.stop, true);
    pthread_join(thread, NULL);
    assert_in_range(most, 0, p.track.ring.capacity);
    palTrack_Free(&p.track);
}

// A snapshot of a time is brought up to date through the ticks after it, as far back as they are
// kept.
static void the_high_rate_finds_the_ticks_since_a_time(void** state)
{
    (void)state;
    palTrack track;
    assert_int_equal(palTrack_Init(&track, sizeof(double), 4, NULL), pal_ok);
    assert_int_equal(palTrack_Since(&track, 0.0), 0);
    const int ticks = 3 * pal_trackTicks + 5;
    for (int tick = 1; tick <= ticks; tick++)
    {
        put(&track, tick, 1);
        palTrack_Collect(&track);
    }
    uint64_t first = palTrack_Since(&track, (ticks - 33) * dt);
    assert_int_equal(track.ticks - first, 33);
    for (uint64_t k = first; k < track.ticks; k++)
        ASSERT_NEAR(recordOf(palTrack_Tick(&track, k))->forces[0], 10.0 * ((double)k + 1.0), 0.0);
    assert_int_equal(track.ticks - palTrack_Since(&track, 0.0), pal_trackTicks);

    // And the loop, if it never takes any, has as many: the newest.
    assert_int_equal(track.givenCount, pal_trackTicks);
    const palTickForces* oldest = palTrack_Before(&track, INFINITY, 0);
    ASSERT_NEAR(oldest->time, (ticks - pal_trackTicks + 1) * dt, 1e-9);
    palTrack_Free(&track);
}

static void a_jump_fades_linearly_to_nothing(void** state)
{
    (void)state;
    palFade fade = {.ticks = 4};
    palFade_Advance(&fade);
    assert_true(fade.now == 0.0 && fade.next == 0.0);
    palFade_Start(&fade);
    const double shares[] = {1.0, 0.75, 0.5, 0.25, 0.0, 0.0};
    for (int tick = 0; tick < 5; tick++)
    {
        palFade_Advance(&fade);
        ASSERT_NEAR(fade.now, shares[tick], 1e-15);
        ASSERT_NEAR(fade.next, shares[tick + 1], 1e-15);
    }
    palFade none = {.ticks = 0};
    palFade_Start(&none);
    palFade_Advance(&none);
    assert_true(none.now == 0.0 && none.next == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slower_loop_gets_each_tick_once),
        cmocka_unit_test(of_too_many_ticks_the_newest_are_kept),
        cmocka_unit_test(what_is_taken_at_once_is_bounded),
        cmocka_unit_test(the_high_rate_finds_the_ticks_since_a_time),
        cmocka_unit_test(a_jump_fades_linearly_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
