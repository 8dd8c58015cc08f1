// SPDX-License-Identifier: Apache-2.0
#include "render/link_rows.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palResult palSteppedWire_Init(palSteppedWire* stepped, const palWire* wire, int index,
                              palError* error)
{
    *stepped = (palSteppedWire){.wire = wire, .index = index};
    palResult result = palBeamState_Init(&stepped->state, wire->model, error);
    if (result == pal_ok)
        result = palBeamWork_Init(&stepped->work, wire->model, 2 * pal_linkRowMax, error);
    if (result != pal_ok)
        palSteppedWire_Free(stepped);
    return result;
}

void palSteppedWire_Free(palSteppedWire* stepped)
{
    palBeamState_Free(&stepped->state);
    palBeamWork_Free(&stepped->work);
    *stepped = (palSteppedWire){0};
}

void palSteppedWire_Move(palSteppedWire* stepped, double h, const palBeamHand* hand)
{
    const palWire* wire = stepped->wire;
    const palBeamModel* model = wire->model;
    palBeam_Linearise(model, &stepped->state, &stepped->work);
    if (wire->handNode >= 0 && !wire->isSprung)
        palBeam_Hold(model, wire->handNode, hand->x, hand->q, h, &stepped->state, &stepped->work);
    stepped->failed = !palBeam_Factor(model, h, &stepped->work);
    if (!stepped->failed)
        palBeam_FreeMotion(model, &stepped->state, wire->isSprung ? hand : NULL, &stepped->work);
}

palResult palLinkRows_Create(palLinkRows** rows, palError* error)
{
    *rows = NULL;
    palLinkRows* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the rows of links", sizeof *created);
    palResult result = palSolveWorkspace_Create(pal_linkRowMax, true, &created->workspace, error);
    if (result != pal_ok)
    {
        free(created);
        return result;
    }
    *rows = created;
    return pal_ok;
}

void palLinkRows_Destroy(palLinkRows* rows)
{
    if (rows == NULL)
        return;
    palSolveWorkspace_Destroy(rows->workspace);
    free(rows);
}

void palLinkRows_Begin(palLinkRows* rows)
{
    rows->linkCount = rows->count = rows->blockCount = rows->wireRowCount = 0;
}

bool palLinkRows_Add(palLinkRows* rows, const palLink* link, int stop)
{
    int count = palLink_Rows(link);
    if (rows->linkCount == pal_linksMax || rows->count + count > pal_linkRowMax)
        return false;
    int index = rows->linkCount++;
    int first = rows->count;
    rows->links[index] = link;
    rows->first[index] = first;
    rows->turns[index][0] = rows->turns[index][1] = pal_identityQuat;
    rows->lost[index] = false;
    rows->count += count;
    rows->blockCount += palLink_Blocks(link, first, stop, rows->blocks + rows->blockCount);
    for (int r = 0; r < count; r++)
    {
        rows->sliding[first + r] = link->kind == pal_linkContact && r > 0;
        rows->gap[first + r] = link->kind == pal_linkContact && r == 0 ? -link->distance : 0.0;
        memset(rows->W + (size_t)(first + r) * pal_linkRowMax, 0,
               pal_linkRowMax * sizeof rows->W[0]);
    }
    for (int e = 0; e < 2; e++)
    {
        const palLinkEnd* end = &link->ends[e];
        double sign = e == 0 ? 1.0 : -1.0;
        if (end->kind != pal_endWorld)
            continue;
        rows->turns[index][e] = end->turn;
        for (int r = 0; r < count && r < 3; r++)
            if (!rows->sliding[first + r])
                rows->gap[first + r] += sign * palDot(link->axes[r], end->point);
    }
    return true;
}

// The rows of one end on a wire, with δ_free of the wire's free motion.
static void addEnd(palLinkRows* rows, int index, int e, const palSteppedWire* stepped, int wire)
{
    const palLink* link = rows->links[index];
    const palLinkEnd* end = &link->ends[e];
    const palBeamModel* model = stepped->wire->model;
    double sign = e == 0 ? 1.0 : -1.0;
    int count = palLink_Rows(link);
    palVec3 point = palBeam_Point(model, &stepped->state, end->place);
    if (link->kind == pal_linkWeld)
        rows->turns[index][e] = palBeam_Rotation(model, &stepped->state, end->place);
    for (int r = 0; r < count; r++)
    {
        bool turning;
        int row = rows->first[index] + r;
        palVec3 axis = palLink_Axis(link, r, &turning);
        int next = rows->wireRowCount++;
        palBeamRow* made = &rows->wireRows[next];
        *made = turning ? palBeam_RotationRow(model, &stepped->work, end->place, axis)
                        : palBeam_PointRow(model, &stepped->work, end->place, axis);
        rows->wireOf[next] = wire;
        rows->rowOf[next] = row;
        rows->signOf[next] = sign;
        double moved = palBeam_RowMotion(model, &stepped->state, &stepped->work, made);
        if (!turning && !rows->sliding[row])
            moved += palDot(axis, point);
        rows->gap[row] += sign * moved;
    }
}

// The compliance of one wire's rows, `count` of them from `first` on, into the whole.
static void addCompliance(palLinkRows* rows, palSteppedWire* stepped, int first, int count)
{
    double(*local)[2 * pal_linkRowMax] = rows->local;
    for (int i = 0; i < count; i++)
        memset(local[i], 0, (size_t)count * sizeof local[i][0]);
    palBeam_AddCompliance(stepped->wire->model, &stepped->work, rows->wireRows + first, count,
                          local[0], 2 * pal_linkRowMax);
    for (int i = 0; i < count; i++)
    {
        double* W = rows->W + (size_t)rows->rowOf[first + i] * pal_linkRowMax;
        for (int j = 0; j < count; j++)
            W[rows->rowOf[first + j]] +=
                rows->signOf[first + i] * rows->signOf[first + j] * local[i][j];
    }
}

void palLinkRows_AddWires(palLinkRows* rows, palSteppedWire* wires, int wireCount)
{
    for (int w = 0; w < wireCount; w++)
    {
        int first = rows->wireRowCount;
        for (int i = 0; i < rows->linkCount; i++)
            for (int e = 0; e < 2; e++)
            {
                const palLinkEnd* end = &rows->links[i]->ends[e];
                if (end->kind != pal_endWire || end->body != wires[w].index)
                    continue;
                if (wires[w].failed)
                    rows->lost[i] = true;
                else
                    addEnd(rows, i, e, &wires[w], w);
            }
        if (wires[w].failed)
            continue;
        addCompliance(rows, &wires[w], first, rows->wireRowCount - first);
    }
}

// The rotation by which end 0 is ahead, on top of the motion that is there already.
void palLinkRows_AddTurns(palLinkRows* rows)
{
    for (int i = 0; i < rows->linkCount; i++)
    {
        const palLink* link = rows->links[i];
        if (link->kind != pal_linkWeld)
            continue;
        palQuat tied = palMulQuat(rows->turns[i][1], link->turn);
        palVec3 ahead = palRotationVector(palMulQuat(rows->turns[i][0], palConjugate(tied)));
        for (int r = 0; r < 3; r++)
            rows->gap[rows->first[i] + 3 + r] += palDot(link->axes[r], ahead);
    }
}

// Rows without force and gap: nothing is known of where the wire has them.
static void letGo(palLinkRows* rows, int index)
{
    int first = rows->first[index];
    int end = first + palLink_Rows(rows->links[index]);
    for (int r = first; r < end; r++)
        rows->gap[r] = 0.0;
    for (int b = 0; b < rows->blockCount; b++)
    {
        palContactBlock* block = &rows->blocks[b];
        if (block->row >= first && block->row < end)
            *block = (palContactBlock){.law = pal_lawBox, .row = block->row, .size = block->size};
    }
}

void palLinkRows_Solve(palLinkRows* rows)
{
    for (int i = 0; i < rows->linkCount; i++)
        if (rows->lost[i])
            letGo(rows, i);
    palContactProblem problem = {
        .rows = rows->count,
        .blockCount = rows->blockCount,
        .stride = pal_linkRowMax,
        .W = rows->W,
        .gapFree = rows->gap,
        .blocks = rows->blocks,
    };
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = pal_solverAutomatic;
    settings.maxSweeps = 60;
    settings.tolerance = 1e-8;
    settings.warmStart = true;
    palContactProblem_Solve(&problem, &settings, rows->workspace, rows->lambda, &rows->info);
}

void palLinkRows_Apply(const palLinkRows* rows, palSteppedWire* wires, int wireCount)
{
    int next = 0;
    for (int w = 0; w < wireCount; w++)
    {
        double lambda[2 * pal_linkRowMax];
        int first = next;
        for (; next < rows->wireRowCount && rows->wireOf[next] == w; next++)
            lambda[next - first] = rows->signOf[next] * rows->lambda[rows->rowOf[next]];
        if (wires[w].failed)
            continue;
        palBeam_Correct(&wires[w].work, rows->wireRows + first, lambda, next - first);
        palBeam_Integrate(wires[w].wire->model, &wires[w].work, &wires[w].state);
    }
}
