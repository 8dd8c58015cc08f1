// SPDX-License-Identifier: Apache-2.0
#include "runtime/measure.h"

#include "runtime/balance.h"

#include <string.h>

// Forces below this have no direction that a hand could feel turning, N.
static const double leastTurningForce = 0.05;

void palMeasure_Init(palMeasure* measure, int hand, const palCollider* colliders, int colliderCount,
                     palBodyTotal* bodies)
{
    memset(measure, 0, sizeof *measure);
    measure->hand = hand;
    measure->colliders = colliders;
    measure->colliderCount = colliderCount;
    measure->bodies = bodies;
    if (bodies != NULL)
        memset(bodies, 0, (size_t)colliderCount * sizeof *bodies);
    measure->handEnergy = measure->handEnergyLargest = NAN;
}

// The gap to the nearest surface: that of soft ones comes from the high rate, because the low rate
// moves them while this runs; rigid ones stand still. NAN where nothing is known to be near.
static double nearestGap(palMeasure* measure, const palHandRecord* record)
{
    double gap = record->surfaceGap;
    // Of a tool with points: between those it touches with edges, whose gap the high rate reports.
    if (measure->toolGap != NULL)
        return fmin(palToolGap_Find(measure->toolGap, record), gap);
    for (int i = 0; i < measure->colliderCount; i++)
    {
        palNearest nearest;
        double bound = isnan(gap) ? INFINITY : fabs(gap);
        if (measure->colliders[i].soft == NULL &&
            palColliders_Nearest(&measure->colliders[i], 1, record->proxy, bound, &nearest))
            gap = nearest.gap;
    }
    return gap;
}

// Whether a rigid body that the tick moves pushes the hand.
static bool isPushed(const palMeasure* measure, const palTickRecord* tick)
{
    for (int i = 0; i < tick->contactCount; i++)
    {
        int object = tick->contacts[i].object;
        if (tick->contacts[i].hand == measure->hand && object >= 0 &&
            object < measure->colliderCount && measure->colliders[object].inTick)
            return true;
    }
    return false;
}

static void measureSurface(palMeasure* measure, const palTickRecord* tick)
{
    const palHandRecord* record = &tick->hands[measure->hand];
    double gap = nearestGap(measure, record);
    if (!isfinite(gap))
        return;
    palHistogram_Add(&measure->penetration, fmax(0.0, -gap));
    if (record->active > 0 && !record->held && !isPushed(measure, tick))
        palHistogram_Add(&measure->surfaceDistance, fabs(gap));
}

static void measureSmoothness(palMeasure* measure, const palHandRecord* record)
{
    const palHandRecord* last = &measure->last;
    if (record->held || last->held)
        return;
    palHistogram_Add(&measure->forceJump, palDistance(record->force, last->force));
    double now = palLength(record->force);
    double before = palLength(last->force);
    if (now < leastTurningForce || before < leastTurningForce)
        return;
    double sine = palLength(palCross(record->force, last->force));
    palHistogram_Add(&measure->forceTurn, atan2(sine, palDot(record->force, last->force)));
}

// The force that left in the last step acted while the hand moved to where it is now.
static void measureEnergy(palMeasure* measure, const palHandRecord* record)
{
    palVec3 moved = palSub(record->device, measure->last.device);
    measure->energy += palDot(measure->last.out, moved);
    measure->energyLow = fmin(measure->energyLow, measure->energy);
    measure->energyHigh = fmax(measure->energyHigh, measure->energy);
}

// Nothing was received before the first step.
static void measureHandEnergy(palMeasure* measure, double energy)
{
    if (isnan(energy))
        return;
    measure->handEnergy = energy;
    measure->handEnergyLargest = fmax(fmax(0.0, energy), measure->handEnergyLargest);
}

// The whole force on each object in this step: of the contact that comes first, those after it add.
static void measureBodies(palMeasure* measure, const palTickRecord* record)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < record->contactCount; i++)
        {
            int object = record->contacts[i].object;
            if (object < 0 || object >= measure->colliderCount)
                continue;
            palBodyTotal* total = &measure->bodies[object];
            if (pass == 0)
                total->present = palAdd(total->present, record->contacts[i].force);
            else if (total->present.x != 0.0 || total->present.y != 0.0 || total->present.z != 0.0)
            {
                total->steps++;
                total->sum = palAdd(total->sum, total->present);
                total->largest = fmax(total->largest, palLength(total->present));
                total->present = pal_zeroVec3;
            }
        }
}

void palMeasure_Tick(palMeasure* measure, const palTickRecord* tick)
{
    const palHandRecord* record = &tick->hands[measure->hand];
    if (!palIsFinite(record->force) || !palIsFinite(record->proxy))
    {
        measure->notFinite++;
        return;
    }
    palHistogram_Add(&measure->force, palLength(record->force));
    if (record->constraints > 0)
    {
        palHistogram_Add(&measure->constraints, record->constraints);
        palHistogram_Add(&measure->iterations, record->iterations);
        palHistogram_Add(&measure->residual, record->residual);
    }
    measure->contactSteps += record->active > 0;
    measure->heldSteps += record->held;
    measure->unconverged += !record->converged;
    measure->unexplained += record->unexplained > PAL_UNEXPLAINED_FORCE;
    measure->unexplainedMost = fmax(measure->unexplainedMost, record->unexplained);
    measureSurface(measure, tick);
    if (measure->bodies != NULL)
        measureBodies(measure, tick);
    measureHandEnergy(measure, record->handEnergy);
    if (measure->ticks > 0)
    {
        measureSmoothness(measure, record);
        measureEnergy(measure, record);
    }
    measure->last = *record;
    measure->ticks++;
}

void palMeasure_Low(palMeasure* measure, const palLowRecord* record)
{
    if (record->contacts > 0)
        palHistogram_Add(&measure->described, record->contacts);
}

void palMeasure_Write(const palMeasure* measure, palJson* json)
{
    const double millimetres = 1e3;
    const double degrees = 180.0 / PAL_PI;
    palJson_Distribution(json, "described_contacts", "1", &measure->described, 1.0);
    palJson_Distribution(json, "constraints", "1", &measure->constraints, 1.0);
    palJson_Distribution(json, "iterations", "1", &measure->iterations, 1.0);
    palJson_Distribution(json, "residual", "m", &measure->residual, 1.0);
    palJson_Distribution(json, "surface_distance_mm", "mm", &measure->surfaceDistance, millimetres);
    palJson_Distribution(json, "penetration_mm", "mm", &measure->penetration, millimetres);
    palJson_Distribution(json, "force_N", "N", &measure->force, 1.0);
    palJson_Distribution(json, "force_jump_N", "N", &measure->forceJump, 1.0);
    palJson_Distribution(json, "force_turn_deg", "deg", &measure->forceTurn, degrees);
    palJson_Whole(json, "contact_steps", (int64_t)measure->contactSteps);
    palJson_Whole(json, "box_held_steps", (int64_t)measure->heldSteps);
    palJson_Whole(json, "unconverged_steps", (int64_t)measure->unconverged);
    palJson_Whole(json, "not_finite_steps", (int64_t)measure->notFinite);
    palJson_Whole(json, "unexplained_steps", (int64_t)measure->unexplained);
    palJson_Number(json, "unexplained_N", measure->unexplainedMost);
    palJson_BeginObject(json, "energy_J");
    palJson_Text(json, "unit", "J");
    palJson_Number(json, "final", measure->energy);
    palJson_Number(json, "min", measure->energyLow);
    palJson_Number(json, "max", measure->energyHigh);
    palJson_End(json);
    if (isnan(measure->handEnergy))
        return;
    palJson_BeginObject(json, "hand_energy_J");
    palJson_Text(json, "unit", "J");
    palJson_Number(json, "net", measure->handEnergy);
    palJson_Number(json, "largest", measure->handEnergyLargest);
    palJson_End(json);
}
