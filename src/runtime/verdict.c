// SPDX-License-Identifier: Apache-2.0
#include "runtime/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A share of missed deadlines that a hand does not notice.
static const double tolerableMisses = 1e-3;

static void say(palVerdict* verdict, const char* format, ...) PAL_PRINTF(2, 3);

static void say(palVerdict* verdict, const char* format, ...)
{
    size_t used = strlen(verdict->text);
    va_list args;
    va_start(args, format);
    vsnprintf(verdict->text + used, sizeof verdict->text - used, format, args);
    va_end(args);
}

// What a contact description covers: the ball that the low rate searches, or the largest box within
// it; the smallest, where more triangles were near than it holds.
static double reachOf(const palEngine* engine)
{
    const palEngineDef* def = &engine->def;
    double radius = def->methodDef.radius;
    double least = engine->leastRegion;
    if (least > 0.0)
        radius = fmin(radius, least);
    double share = INFINITY; // of the hand whose description covers least
    for (int i = 0; i < def->handCount; i++)
        share = fmin(share, def->hands[i].method->trustShare);
    return radius * share;
}

// What the solver of the ticks and joints left open.
static void sayOpen(palVerdict* verdict, const palEngine* engine, uint64_t ticks)
{
    const palMethodDef* def = &engine->def.methodDef;
    if (engine->unsolvedTicks > 0)
        say(verdict,
            "; in %llu of %llu ticks the solver did not reach its accuracy, and was off by up to "
            "%.2g µm",
            (unsigned long long)engine->unsolvedTicks, (unsigned long long)ticks,
            1e6 * engine->largestResidual);
    if (!(engine->widestGap > pal_tolerableGap))
        return;
    int joint = engine->widestJoint;
    say(verdict, "; joints.%d", joint);
    for (int e = 0; e < 2; e++)
        for (int w = 0; w < def->wireCount; w++)
            if (def->joints[joint].ends[e].kind == pal_placeWire &&
                def->joints[joint].ends[e].body == def->colliderCount + w)
                say(verdict, "%s%s", e == 0 ? " of wire " : " with wire ", def->wires[w].name);
    say(verdict,
        " was open by up to %.2g mm, at %.3g s: move more slowly, or lower the step of its slower "
        "loop",
        1e3 * engine->widestGap, engine->widestAt);
}

// The speed that joints between bodies of different rates allow: no more than this run has shown,
// and no more than that at which one opened.
static double jointSpeedOf(const palEngine* engine)
{
    return engine->isJoined ? fmin(engine->topSpeed, engine->jointSpeed) : INFINITY;
}

palVerdict palJudge(const palEngine* engine, const palLoopStatistics* high,
                    const palLoopStatistics* low)
{
    const palEngineDef* def = &engine->def;
    uint64_t shrunkSteps = engine->shrunkSteps;
    double highTime = palHistogram_Percentile(&high->stepTime, 0.99);
    double lowTime = palHistogram_Percentile(&low->stepTime, 0.99);
    double misses = high->steps > 0 ? (double)high->deadlineMisses / (double)high->steps : 0.0;

    palVerdict verdict = {0};
    verdict.highFits = highTime <= def->dt && misses <= tolerableMisses;
    verdict.lowFits = lowTime <= def->lowDt;
    verdict.reach = reachOf(engine);
    double coveredSpeed = verdict.reach / (def->lowDt + def->latency);
    verdict.usableSpeed = fmin(coveredSpeed, jointSpeedOf(engine));

    bool isVirtual = high->steps > 0 && engine->virtualTicks == high->steps;
    say(&verdict, "%s: high rate %.1f µs at p99 of %.0f µs, %llu of %llu %s; ",
        verdict.highFits && verdict.lowFits ? "fits" : "does not fit", 1e6 * highTime,
        1e6 * def->dt, (unsigned long long)high->deadlineMisses, (unsigned long long)high->steps,
        isVirtual ? "ticks longer than that, in virtual time" : "deadlines missed");
    say(&verdict, "low rate %.3g ms at p99 of %.3g ms", 1e3 * lowTime, 1e3 * def->lowDt);
    if (!verdict.lowFits)
        say(&verdict, " (at 0.2 m/s the tool moves %.1f mm per update)", 200.0 * lowTime);
    if (isfinite(verdict.reach))
        say(&verdict,
            ". A contact description covers %.1f mm around the proxy, so the hand may move at "
            "up to %.2f m/s",
            1e3 * verdict.reach, coveredSpeed);
    if (isfinite(verdict.reach) && verdict.usableSpeed < coveredSpeed)
        say(&verdict,
            isfinite(engine->jointSpeed)
                ? "; but joints between bodies of different rates came apart by more than 0.1 mm "
                  "once it had moved at %.2f m/s: no faster than that"
                : "; joints between bodies of different rates held to 0.1 mm at up to %.2f m/s, "
                  "the fastest of this run: no more is known of them",
            verdict.usableSpeed);
    if (shrunkSteps > 0)
        say(&verdict,
            "; in %llu of %llu updates more triangles were near than it holds, and it covered "
            "less than the %.1f mm of method.radius: use a coarser mesh",
            (unsigned long long)shrunkSteps, (unsigned long long)low->steps,
            1e3 * def->methodDef.radius);
    if (engine->heldTicks > 0)
        say(&verdict,
            "; in %llu of %llu ticks the hand had left what was described, and the proxy stayed "
            "behind, by up to %.1f mm, without a force from that: move more slowly, or lower "
            "time.low_dt",
            (unsigned long long)engine->heldTicks, (unsigned long long)high->steps,
            1e3 * engine->farthestBehind);
    sayOpen(&verdict, engine, high->steps);
    if (engine->longCalls > 0)
        say(&verdict,
            "; %llu of the %llu steps in virtual time took longer than %.0f µs with the low-rate "
            "step that they contain, up to %.3g ms: on the clock, the low rate needs its own "
            "thread",
            (unsigned long long)engine->longCalls, (unsigned long long)engine->virtualTicks,
            1e6 * def->dt, 1e3 * engine->longestCall);
    if (!verdict.highFits && verdict.lowFits)
        say(&verdict, "; lower the load of the machine, or raise time.dt");
    else if (!verdict.lowFits)
        say(&verdict, "; use a coarser mesh, or raise time.low_dt");
    return verdict;
}

// Of the loops with large soft bodies that whose factors are oldest; NULL: there is none.
static const palLoopStatistics* oldestFactors(const palEngine* engine)
{
    const palLoopStatistics* oldest = NULL;
    for (int i = 0; i < engine->loopCount; i++)
    {
        const palLoopStatistics* of = &engine->loops[i].statistics;
        if (of->factorAge.count > 0 &&
            (oldest == NULL ||
             palHistogram_Mean(&of->factorAge) > palHistogram_Mean(&oldest->factorAge)))
            oldest = of;
    }
    return oldest;
}

static uint64_t invertedUpdates(const palEngine* engine)
{
    uint64_t count = 0;
    for (int i = 0; i < engine->loopCount; i++)
        count += engine->loops[i].statistics.invertedSteps;
    return count;
}

palVerdict palMakeVerdict(const palEngine* engine)
{
    palVerdict verdict = palJudge(engine, &engine->highStatistics, &engine->loops[0].statistics);
    for (int i = 1; i < engine->loopCount; i++)
    {
        double step = engine->loops[i].dt;
        double time = palHistogram_Percentile(&engine->loops[i].statistics.stepTime, 0.99);
        verdict.lowFits = verdict.lowFits && time <= step;
        say(&verdict, "; loop %d %s: %.3g ms at p99 of %.3g ms", i + 1,
            time <= step ? "fits" : "does not fit", 1e3 * time, 1e3 * step);
    }
    uint64_t inverted = invertedUpdates(engine);
    if (inverted > 0)
        say(&verdict,
            "; in %llu updates elements of soft bodies were inside out, and what is felt there "
            "is not the tissue's; press less deep, or give soft.stiffening, such as 3",
            (unsigned long long)inverted);
    const palLoopStatistics* large = oldestFactors(engine);
    if (large != NULL)
        say(&verdict,
            "; the large soft bodies were answered for with factors %.3g ms old (%.3g ms at p99), "
            "made in %.3g ms beside the low rate",
            1e3 * palHistogram_Percentile(&large->factorAge, 0.5),
            1e3 * palHistogram_Percentile(&large->factorAge, 0.99),
            1e3 * palHistogram_Percentile(&large->factorTime, 0.5));
    return verdict;
}

// Counts by upper bound, a factor of two apart, so that rare late steps show.
static void writeLatenessBins(palJson* json, const palHistogram* lateness)
{
    palJson_BeginArray(json, "lateness_histogram");
    uint64_t before = lateness->zeros;
    for (int octave = 0; octave < pal_histogramOctaves; octave++)
    {
        uint64_t count = before;
        before = 0;
        for (int i = 0; i < pal_histogramBinsPerOctave; i++)
            count += lateness->bins[octave * pal_histogramBinsPerOctave + i];
        if (count == 0)
            continue;
        palJson_BeginObject(json, NULL);
        palJson_Number(json, "below_us", 1e6 * ldexp(1.0, octave - 47));
        palJson_Whole(json, "count", (int64_t)count);
        palJson_End(json);
    }
    palJson_End(json);
}

void palWriteSafety(const palSafetyCounts* counts, palJson* json)
{
    palJson_BeginObject(json, "safety_steps");
    palJson_Whole(json, "not_finite", (int64_t)counts->notFinite);
    palJson_Whole(json, "clamped", (int64_t)counts->clamped);
    palJson_Whole(json, "slewed", (int64_t)counts->slewed);
    palJson_Whole(json, "stale_snapshot", (int64_t)counts->staleSnapshot);
    palJson_Whole(json, "stale_device", (int64_t)counts->staleDevice);
    palJson_Whole(json, "impulses", (int64_t)counts->impulses);
    palJson_Whole(json, "impulse_tails", (int64_t)counts->impulseTails);
    palJson_End(json);
}

// The loops besides the first low-rate one.
static void writeLoops(palJson* json, const palEngine* engine)
{
    palJson_BeginArray(json, "further_loops");
    for (int i = 1; i < engine->loopCount; i++)
    {
        const palLoopStatistics* loop = &engine->loops[i].statistics;
        palJson_BeginObject(json, NULL);
        palJson_Number(json, "dt_s", engine->loops[i].dt);
        palJson_Number(json, "latency_s", engine->loops[i].latency);
        palJson_Whole(json, "steps", (int64_t)loop->steps);
        palJson_Distribution(json, "step_ms", "ms", &loop->stepTime, 1e3);
        palJson_Whole(json, "deadline_misses", (int64_t)loop->deadlineMisses);
        palJson_End(json);
    }
    palJson_End(json);
}

void palWriteHeld(const palEngine* engine, palJson* json)
{
    palJson_BeginObject(json, "held_back");
    palJson_Whole(json, "steps", (int64_t)engine->heldTicks);
    palJson_Number(json, "largest_mm", 1e3 * engine->farthestBehind);
    palJson_End(json);
}

// What the ticks left open, likewise.
static void writeOpen(const palEngine* engine, palJson* json)
{
    palJson_BeginObject(json, "left_open");
    palJson_Whole(json, "unsolved_steps", (int64_t)engine->unsolvedTicks);
    palJson_Number(json, "residual_um", 1e6 * engine->largestResidual);
    palJson_Number(json, "joint_gap_mm", 1e3 * engine->widestGap);
    palJson_Number(json, "joint_gap_at_s", engine->widestAt);
    palJson_Whole(json, "joint", engine->widestJoint);
    palJson_End(json);
}

void palVerdict_Write(const palVerdict* verdict, const palEngine* engine, palJson* json)
{
    const palLoopStatistics* high = &engine->highStatistics;
    const palLoopStatistics* low = &engine->loops[0].statistics;
    double simulated = (double)high->steps * engine->def.dt;
    palJson_BeginObject(json, "verdict");
    palJson_Bool(json, "fits", verdict->highFits && verdict->lowFits);
    palJson_Number(json, "usable_hand_speed_m_s", verdict->usableSpeed);
    palJson_Number(json, "covered_mm", 1e3 * verdict->reach);
    palJson_Whole(json, "shrunk_updates", (int64_t)engine->shrunkSteps);
    palJson_Text(json, "text", verdict->text);
    palJson_End(json);
    writeOpen(engine, json);
    palJson_Whole(json, "haptic_steps", (int64_t)high->steps);
    palJson_Whole(json, "virtual_steps", (int64_t)engine->virtualTicks);
    palJson_Whole(json, "virtual_steps_over_dt", (int64_t)engine->longCalls);
    palJson_Number(json, "virtual_step_max_ms", 1e3 * engine->longestCall);
    palJson_Whole(json, "low_steps", (int64_t)low->steps);
    int failures = 0;
    for (int i = 0; i < engine->loopCount; i++)
        failures += engine->loops[i].failures;
    palJson_Whole(json, "failed_factors", failures);
    palJson_Whole(json, "inverted_updates", (int64_t)invertedUpdates(engine));
    palJson_Number(json, "real_time_factor",
                   engine->wallSeconds > 0.0 ? simulated / engine->wallSeconds : 0.0);
    palJson_Distribution(json, "haptic_step_us", "us", &high->stepTime, 1e6);
    palJson_Distribution(json, "low_step_ms", "ms", &low->stepTime, 1e3);
    const palLoopStatistics* large = oldestFactors(engine);
    if (large != NULL)
    {
        palJson_Distribution(json, "factor_age_ms", "ms", &large->factorAge, 1e3);
        palJson_Distribution(json, "factor_ms", "ms", &large->factorTime, 1e3);
        palJson_Distribution(json, "free_iterations", "1", &large->freeIterations, 1.0);
    }
    palJson_Distribution(json, "snapshot_age_ms", "ms", &engine->snapshotAge, 1e3);
    palJson_Distribution(json, "lateness_us", "us", &high->lateness, 1e6);
    writeLatenessBins(json, &high->lateness);
    palJson_Whole(json, "deadline_misses", (int64_t)high->deadlineMisses);
    palJson_Whole(json, "low_deadline_misses", (int64_t)low->deadlineMisses);
    palJson_Whole(json, "skipped_periods", (int64_t)high->skippedPeriods);
    palJson_Whole(json, "records_dropped", (int64_t)atomic_load(&engine->tickRecords.dropped));
    palJson_Whole(json, "contacts_dropped", (int64_t)engine->droppedContacts);
    palWriteSafety(&engine->hands[0].safety.counts, json);
    if (engine->loopCount > 1)
        writeLoops(json, engine);
}
