// SPDX-License-Identifier: Apache-2.0
// Two threads on the clock: runs end, count what they did and give up nothing silently, with and
// without permissions, on a free and on a loaded machine. No test here asks how fast it was.
#include "rig.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// What an observer took out of the rings.
typedef struct drained
{
    uint64_t ticks, lows;
    double last; // t of the last tick, s
    bool ordered;
    double largest; // force on the hand along z, N

    // The run is stopped after so many; 0: it goes to its own end.
    uint64_t ticksWanted, lowsWanted;
    double done;
} drained;

static void drain(void* user, palEngine* engine, double done)
{
    drained* d = user;
    palTickRecord tick;
    palLowRecord low;
    while (palEngine_TakeTick(engine, &tick))
    {
        d->ordered = d->ticks == 0 || (d->ordered && tick.t > d->last);
        d->last = tick.t;
        d->largest = fmax(d->largest, tick.hands[0].out.z);
        d->ticks++;
    }
    while (palRing_Take(&engine->loops[0].records, &low))
        d->lows++;
    if (d->ticksWanted > 0 && d->ticks >= d->ticksWanted && d->lows >= d->lowsWanted)
        atomic_store(&engine->stop, true);
    d->done = done;
}

// An engine whose device rests 3 mm inside a plane.
static void startPressing(rig* r, const char* method, double seconds)
{
    palShapeDef plane = rigPlane();
    palEngineDef def = rigDef(method);
    def.seconds = seconds;
    def.spin = 1e-4;
    def.lowDt = 0.01;
    def.keepRecords = true;
    rigShape(r, &plane, pal_identityQuat, pal_zeroVec3, 0.2);
    rigStart(r, def, palMakeVec3(0, 0, 0.001));
    r->device.position.z = -0.003;
}

// Every step was made, timed, recorded and written to the device.
static void checkComplete(const rig* r, const drained* d, uint64_t ticks)
{
    const palLoopStatistics* high = &r->engine->highStatistics;
    const palLoopStatistics* low = &r->engine->loops[0].statistics;
    assert_int_equal(high->steps, ticks);
    assert_int_equal(high->stepTime.count, ticks);
    assert_int_equal(high->lateness.count, ticks);
    assert_int_equal(d->ticks, ticks - atomic_load(&r->engine->tickRecords.dropped));
    assert_int_equal(d->lows, low->steps - atomic_load(&r->engine->loops[0].records.dropped));
    assert_true(d->ordered);
    assert_int_equal(r->device.writes, ticks);
    assert_in_range(high->deadlineMisses, 0, ticks);
    assert_true(high->skippedPeriods == 0 || high->deadlineMisses > 0);
    ASSERT_BELOW(0.9 * (double)ticks * r->engine->def.dt, r->engine->wallSeconds);
}

static void every_method_runs_to_its_end_and_counts(void** state)
{
    (void)state;
    for (int i = 0; palMethodAt(i) != NULL; i++)
    {
        if (!rigTakes(palMethodAt(i)->forms[pal_handPoint])) // others have tests of their own
            continue;
        rig r;
        drained d = {0};
        palError error;
        startPressing(&r, palMethodAt(i)->name, 0.4);
        assert_int_equal(palRunRealtime(r.engine, drain, &d, &error), pal_ok);
        checkComplete(&r, &d, 400);
        assert_true(d.done == 1.0);
        ASSERT_NEAR(d.last, 0.399, 1e-9);
        // The hand leans on the plane: more than half of 3 mm at 1000 N/m. Where the low rate is
        // not
        // scheduled for long, the force fades again.
        ASSERT_BELOW(1.5, d.largest);
        assert_true(r.device.finite);
        rigFree(&r);
    }
}

static void a_run_is_stopped_from_another_thread_and_taken_up_again(void** state)
{
    (void)state;
    rig r;
    drained d = {.ticksWanted = 50, .lowsWanted = 3};
    palError error;
    startPressing(&r, "standard", INFINITY);
    assert_int_equal(palRunRealtime(r.engine, drain, &d, &error), pal_ok);
    uint64_t made = r.engine->highStatistics.steps;
    assert_true(made >= 50 && r.engine->loops[0].statistics.steps >= 3);
    checkComplete(&r, &d, made);

    // From where it was, to an end.
    d.ticksWanted = 0;
    r.engine->def.seconds = 1e-3 * (double)(made + 300);
    atomic_store(&r.engine->stop, false);
    assert_int_equal(palRunRealtime(r.engine, drain, &d, &error), pal_ok);
    checkComplete(&r, &d, made + 300);
    ASSERT_NEAR(d.last, 1e-3 * (double)(made + 299), 1e-9);
    rigFree(&r);
}

static void lockstep_and_real_time_go_on_from_each_other(void** state)
{
    (void)state;
    rig r;
    drained d = {0};
    palError error;
    startPressing(&r, "standard", 0.2);
    for (int k = 0; k < 100; k++)
        ASSERT_NEAR(rigStep(&r).t, 1e-3 * k, 1e-12);
    assert_int_equal(palRunRealtime(r.engine, drain, &d, &error), pal_ok);
    assert_int_equal(r.engine->highStatistics.steps, 200);
    assert_int_equal(d.ticks, 200);
    assert_true(d.ordered);
    rigFree(&r);
}

static void a_loaded_machine_is_reported_and_ends_the_run_all_the_same(void** state)
{
    (void)state;
    pid_t busy[2];
    for (int i = 0; i < 2; i++)
    {
        busy[i] = fork();
        assert_true(busy[i] >= 0);
        if (busy[i] != 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
        {
        }
    }
    rig r;
    drained d = {0};
    palError error;
    startPressing(&r, "accurate", 0.5);
    palResult result = palRunRealtime(r.engine, drain, &d, &error);
    for (int i = 0; i < 2; i++)
    {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    assert_int_equal(result, pal_ok);
    checkComplete(&r, &d, 500);
    rigFree(&r);
}

static int calls;

// Every tenth step takes at least 3.5 periods.
static void slowSolve(palMethod* method, palTick* tick)
{
    if (calls++ % 10 == 0)
        usleep(3500);
    pal_methodStandard.solve(method, tick);
}

static void an_overrun_is_counted_and_its_periods_are_given_up(void** state)
{
    (void)state;
    palMethodOps ops = pal_methodStandard;
    ops.solve = slowSolve;
    palShapeDef plane = rigPlane();
    palEngineDef def = rigDef("standard");
    def.hands[0].method = &ops;
    def.seconds = 0.1;
    def.keepRecords = true;
    rig r;
    drained d = {0};
    palError error;
    rigShape(&r, &plane, pal_identityQuat, pal_zeroVec3, 0.2);
    rigStart(&r, def, palMakeVec3(0, 0, 0.001));
    assert_int_equal(palRunRealtime(r.engine, drain, &d, &error), pal_ok);
    checkComplete(&r, &d, 100);
    // Ten steps, each late by 2.5 periods and more.
    assert_in_range(r.engine->highStatistics.deadlineMisses, 10, 100);
    assert_in_range(r.engine->highStatistics.skippedPeriods, 20, 1000000);
    ASSERT_BELOW(0.0035, r.engine->highStatistics.stepTime.max);
    ASSERT_BELOW(0.12, r.engine->wallSeconds);
    rigFree(&r);
}

static rlim_t mappedBytes(void)
{
    long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

// Runs in a child that may lock so many bytes and not use SCHED_FIFO. Exits with 0 where all went
// well, with 77 where the limits cannot be set.
static void runUnprivileged(rig* r, rlim_t lockable)
{
    const struct rlimit none = {0, 0};
    const struct rlimit some = {lockable, lockable};
    palError error;
    drained d = {0};
    if (setrlimit(RLIMIT_RTPRIO, &none) != 0 || setrlimit(RLIMIT_MEMLOCK, &some) != 0 ||
        (geteuid() == 0 && setuid(65534) != 0))
        _exit(77);
    palResult result = palRunRealtime(r->engine, drain, &d, &error);
    if (result != pal_ok)
        fprintf(stderr, "%s\n", error.text);
    _exit(result != pal_ok ? 1 : d.ticks != 50 ? 2 : r->engine->schedulingNote[0] == '\0' ? 3 : 0);
}

static void without_permission_it_runs_and_says_so(void** state)
{
    (void)state;
    rig r;
    int refused = 0;
    startPressing(&r, "standard", 0.05);
    // None; some; what is mapped now but not the stack of another thread; all that is needed.
    const rlim_t lockable[] = {0, 1 << 16, mappedBytes() + (2 << 20), mappedBytes() + (1 << 28)};
    for (int i = 0; i < 4; i++)
    {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            runUnprivileged(&r, lockable[i]);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        bool isRefused = WIFEXITED(status) && WEXITSTATUS(status) == 77;
        if (!isRefused)
            assert_int_equal(status, 0);
        refused += isRefused;
    }
    if (refused > 0)
        SKIP_PART("limits on locked memory that only a privileged user may set");
    rigFree(&r);
}

static long lockedKilobytes(void)
{
    char line[256];
    long locked = -1;
    FILE* file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmLck: %ld", &locked) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return locked;
}

static void memory_stays_locked_until_the_last_run_ends(void** state)
{
    (void)state;
    rig r[2];
    palError error;
    for (int i = 0; i < 2; i++)
    {
        startPressing(&r[i], "standard", 100.0);
        assert_int_equal(palRealtime_Start(r[i].engine, false, &error), pal_ok);
    }
    if (lockedKilobytes() <= 0)
        SKIP_PART("memory that stays locked: it cannot be locked here");
    bool canLock = lockedKilobytes() > 0;
    palRealtime_Stop(r[1].engine);
    assert_true(!canLock || lockedKilobytes() > 0);
    palRealtime_Stop(r[1].engine); // is over
    assert_true(!canLock || lockedKilobytes() > 0);
    palRealtime_Stop(r[0].engine);
    assert_true(lockedKilobytes() <= 0);
    rigFree(&r[0]);
    rigFree(&r[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_runs_to_its_end_and_counts),
        cmocka_unit_test(a_run_is_stopped_from_another_thread_and_taken_up_again),
        cmocka_unit_test(lockstep_and_real_time_go_on_from_each_other),
        cmocka_unit_test(a_loaded_machine_is_reported_and_ends_the_run_all_the_same),
        cmocka_unit_test(an_overrun_is_counted_and_its_periods_are_given_up),
        cmocka_unit_test(without_permission_it_runs_and_says_so),
        cmocka_unit_test(memory_stays_locked_until_the_last_run_ends),
    };
    return RUN(tests);
}
