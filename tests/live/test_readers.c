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
        AWAIT(live, &quick, quick.t > begin + 5.0 * (k + 1) - 0.0101);
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
    AWAIT(live, &page, page.t > 0.0); // steps were made: both loops are under way
    const palRing* records = &palSession_Engine(live->session)->tickRecords;
    pthread_mutex_lock(&live->lock);
    unsigned first = atomic_load(&records->head);
    uint64_t seen = live->history.count;
    for (double began = secondsNow(); atomic_load(&records->head) - first < 500; usleep(1000))
        checkPatience(began, &page, "500 steps without a reader");
    assert_int_equal(live->history.count, seen);
    pthread_mutex_unlock(&live->lock);
    double t = page.t;
    AWAIT(live, &page, page.t >= t + 0.5);
    // None is missing, but what did not fit where nobody took them out for 16 s.
    int missing = 0;
    pthread_mutex_lock(&live->lock);
    for (uint64_t i = live->history.count - 400; i < live->history.count; i++)
    {
        double step =
            palHistory_At(&live->history, i, 0)->t - palHistory_At(&live->history, i - 1, 0)->t;
        missing += (int)lround(step / 1e-3) - 1;
        ASSERT_NEAR(fmod(step + 5e-4, 1e-3), 5e-4, 1e-9);
    }
    pthread_mutex_unlock(&live->lock);
    assert_in_range(missing, 0, atomic_load(&records->dropped));
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
