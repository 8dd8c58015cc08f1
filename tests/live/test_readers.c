// SPDX-License-Identifier: Apache-2.0
// Readers of a live session, quick and slow: nothing queues up for them, and the loops do not know
// of them.
#include "live_page.h"

#include "live/state.h"

#include <malloc.h>

enum
{
    rounds = 720, // of 1000 steps of 5 ms: an hour
};

// Waits until the paused session has come to the time t.
static void await(palLive* live, Page* page, double t)
{
    for (int i = 0; i < 5000 && page->t < t - 1e-6; i++)
        take(live, page);
    assert_true(page->t >= t - 1e-6);
}

// An hour of simulated time with a hand that moves, a reader that takes every frame and one that
// comes twice a minute: neither frames nor memory are larger in the second half of it.
static void nothing_queues_up_in_an_hour(void** state)
{
    (void)state;
    palLive* live = start("touch", "time.dt=0.005");
    Page quick = {0}, slow = {0};
    size_t largest[2] = {0, 0}, memory[2] = {0, 0};
    say(live, "pause");
    awaitStatus(live, &quick, "\"mode\": \"paused\"");
    double begin = quick.t;
    for (int k = 0; k < rounds; k++)
    {
        const palHandSample sample = {
            .time = k,
            .position = {0.01 * (k % 3), 0.05, 0},
            .orientation = pal_identityQuat,
        };
        palLive_Hand(live, &sample);
        say(live, "step 1000");
        await(live, &quick, begin + 5.0 * (k + 1) - 0.01);
        int half = 2 * k >= rounds;
        if (k % 6 == 5)
        {
            take(live, &slow);
            largest[half] = slow.frame.length > largest[half] ? slow.frame.length : largest[half];
            memory[half] =
                mallinfo2().uordblks > memory[half] ? mallinfo2().uordblks : memory[half];
        }
    }
    assert_true(quick.t - begin > 3590.0);
    // The slow reader gets what ten seconds hold, not what it missed: 2048 steps of 48 bytes.
    assert_int_equal(slow.ticks, 2048);
    ASSERT_BELOW((double)largest[1], 1.02 * (double)largest[0]);
    ASSERT_BELOW((double)memory[1], (double)memory[0] + 65536.0);
    palFrame_Free(&quick.frame);
    palFrame_Free(&slow.frame);
    palLive_Destroy(live);
}

// A reader that never lets go of the lock: the high rate runs on all the same. Whoever then reads
// finds every step that it missed, one millisecond after the other.
static void a_reader_that_hangs_does_not_stop_the_high_rate(void** state)
{
    (void)state;
    palLive* live = start("touch", NULL);
    Page page = {0};
    awaitStatus(live, &page, "\"mode\": \"running\"");
    const palRing* records = &palSession_Engine(live->session)->tickRecords;
    pthread_mutex_lock(&live->lock);
    unsigned first = atomic_load(&records->head);
    uint64_t seen = live->history.count;
    for (int i = 0; i < 20000 && atomic_load(&records->head) - first < 500; i++)
        usleep(1000);
    unsigned missed = atomic_load(&records->head) - first;
    assert_int_equal(live->history.count, seen);
    pthread_mutex_unlock(&live->lock);
    assert_true(missed >= 500);
    double t = page.t;
    for (int i = 0; i < 1000 && page.t < t + 0.5; i++)
        take(live, &page);
    pthread_mutex_lock(&live->lock);
    for (uint64_t i = live->history.count - 400; i < live->history.count; i++)
        ASSERT_NEAR(palHistory_At(&live->history, i)->t - palHistory_At(&live->history, i - 1)->t,
                    1e-3, 1e-9);
    pthread_mutex_unlock(&live->lock);
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_queues_up_in_an_hour),
        cmocka_unit_test(a_reader_that_hangs_does_not_stop_the_high_rate),
    };
    return RUN_LIVE(tests);
}
