// SPDX-License-Identifier: Apache-2.0
// A program with a high-rate loop of its own: the slower loops have threads, a call is one tick and
// no more, and what was late is counted. Runs in the background. And steps in virtual time, which
// contain the low-rate step, say so.
#include "scene_session.h"

#include "base/clock.h"
#include "runtime/verdict.h"

#include <pthread.h>
#include <sched.h>

static const char* const softScene = "block-soft.yaml";

// The stages of a method, with a note of the threads that run them.
static pthread_t tickThread, lowThread;
static palTickStage* innerMove;
static palLowStage* innerDescribe;

static void moveAndNote(palMethod* method, palTick* tick)
{
    tickThread = pthread_self();
    innerMove(method, tick);
}

static void describeAndNote(palMethod* method, palLowStep* step)
{
    lowThread = pthread_self();
    innerDescribe(method, step);
}

// What the caller's loop knows of its own calls.
typedef struct ownLoop
{
    palSession* session;
    int ticks;
    int pauseAt, pauses; // a pause of three periods before so many ticks from there
    int surelyLate;      // calls that cannot have been in time
    int perhapsLate;     // calls that may have been late, or too long
    bool inOrder;
} ownLoop;

static void* runLoop(void* argument)
{
    ownLoop* own = argument;
    const int64_t period = 1000000; // ns
    int64_t called = 0, returned = 0, next = palClock_Now();
    own->inOrder = true;
    for (int k = 0; k < own->ticks; k++)
    {
        if (k >= own->pauseAt && k < own->pauseAt + own->pauses)
            next += 3 * period;
        while (palClock_Now() < next)
            sched_yield();
        next = palClock_Now() + period;
        palStep step;
        int64_t now = palClock_Now();
        palSession_Tick(own->session, &step);
        int64_t end = palClock_Now();
        own->inOrder = own->inOrder && fabs(step.t - 1e-3 * k) < 1e-12;
        own->surelyLate += k > 0 && now - returned > period + period / 2;
        own->perhapsLate += (k > 0 && end - called > period + period / 2) + (end - now > period);
        called = now;
        returned = end;
    }
    return NULL;
}

// The session's method with the two stages above.
static void noteThreads(palSession* session, palMethodOps* ops)
{
    palMethod* method = palSession_Engine(session)->methods.methods[0];
    *ops = *method->ops;
    innerMove = ops->moveFreely;
    innerDescribe = ops->describe;
    ops->moveFreely = moveAndNote;
    ops->describe = describeAndNote;
    method->ops = ops;
}

static void the_callers_loop_makes_ticks_and_nothing_else(void** state)
{
    (void)state;
    palSession* session = createSession(softScene, NULL, 0);
    palMethodOps ops;
    noteThreads(session, &ops);
    const palEngine* engine = palSession_Engine(session);
    ownLoop own = {.session = session, .ticks = 600, .pauseAt = 200, .pauses = 20};
    palError error;
    assert_int_equal(palSession_Start(session, true, &error), pal_ok);
    pthread_t loop;
    assert_int_equal(pthread_create(&loop, NULL, runLoop, &own), 0);
    // Someone else takes the records.
    for (int i = 0; i < 5; i++)
    {
        palClock_SleepUntil(palClock_Now() + 20000000);
        palSession_Observe(session);
    }
    pthread_join(loop, NULL);
    assert_false(palRealtime_IsOver(engine));
    palSession_End(session);
    assert_true(palRealtime_IsOver(engine));

    assert_true(own.inOrder);
    assert_true(pthread_equal(tickThread, loop));
    assert_false(pthread_equal(lowThread, loop));
    assert_false(pthread_equal(lowThread, pthread_self()));
    assert_int_equal(engine->highStatistics.steps, own.ticks);
    assert_int_equal(engine->highStatistics.lateness.count, own.ticks);
    assert_int_equal(engine->callerTicks, own.ticks);
    assert_int_equal(engine->virtualTicks, 0);
    assert_true(engine->loops[0].statistics.steps > 2);
    assert_true(own.surelyLate >= own.pauses);
    assert_in_range(engine->highStatistics.deadlineMisses, own.surelyLate, own.perhapsLate);
    assert_true(engine->highStatistics.skippedPeriods >= (uint64_t)own.pauses);
    assert_non_null(strstr(palSession_Summary(session), "\"mode\": \"own_loop\""));
    assert_non_null(strstr(palSession_Verdict(session), "of 600 deadlines missed"));
    assert_int_equal(palSession_Measure(session)->ticks, own.ticks);

    // Virtual time goes on from there, and the caller's loop from that.
    palStep step;
    palSession_Step(session, &step);
    ASSERT_NEAR(step.t, 0.6, 1e-12);
    palSession_Destroy(session);
}

static void a_run_goes_on_in_the_background_until_it_is_ended(void** state)
{
    (void)state;
    palSession* session = createSession(softScene, NULL, 0);
    const palEngine* engine = palSession_Engine(session);
    palError error;
    for (int run = 0; run < 2; run++)
    {
        assert_int_equal(palSession_Start(session, false, &error), pal_ok);
        uint64_t before = palSession_Measure(session)->ticks;
        while (palSession_Measure(session)->ticks < before + 100)
        {
            palClock_SleepUntil(palClock_Now() + 5000000);
            palSession_Observe(session);
        }
        palSession_End(session);
        assert_int_equal(palSession_Measure(session)->ticks, engine->highStatistics.steps);
    }
    assert_int_equal(engine->callerTicks, 0);
    assert_non_null(strstr(palSession_Summary(session), "\"mode\": \"realtime\""));

    // One that is left running is ended with its session.
    assert_int_equal(palSession_Start(session, false, &error), pal_ok);
    palSession_Destroy(session);
}

static void steps_in_virtual_time_do_not_claim_to_have_been_in_time(void** state)
{
    (void)state;
    palSession* session = createSession(softScene, NULL, 0);
    palStep step;
    int overrun = 0;
    for (int k = 0; k < 400; k++)
    {
        int64_t begin = palClock_Now();
        palSession_Step(session, &step);
        overrun += palClock_Now() - begin > 1000000;
    }
    // The low-rate step of this block takes milliseconds.
    const palEngine* engine = palSession_Engine(session);
    assert_int_equal(engine->virtualTicks, 400);
    assert_in_range(engine->longCalls, 12, overrun);
    ASSERT_BELOW(1e-3, engine->longestCall);
    const char* verdict = palSession_Verdict(session);
    assert_null(strstr(verdict, "deadlines missed"));
    assert_non_null(strstr(verdict, "in virtual time"));
    assert_non_null(strstr(verdict, "of the 400 steps in virtual time took longer than 1000 µs"));
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_callers_loop_makes_ticks_and_nothing_else),
        cmocka_unit_test(a_run_goes_on_in_the_background_until_it_is_ended),
        cmocka_unit_test(steps_in_virtual_time_do_not_claim_to_have_been_in_time),
    };
    return RUN(tests);
}
