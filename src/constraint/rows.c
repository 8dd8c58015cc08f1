// SPDX-License-Identifier: Apache-2.0
#include "constraint/rows.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// What wires that are stepped here need.
static palResult allocateWires(palRows* rows, palError* error)
{
    size_t n = (size_t)rows->rowCapacity;
    rows->wireRows = calloc(2 * n, sizeof *rows->wireRows);
    rows->wireOf = calloc(2 * n, sizeof *rows->wireOf);
    rows->rowOf = calloc(2 * n, sizeof *rows->rowOf);
    rows->signOf = calloc(2 * n, sizeof *rows->signOf);
    rows->wireLambda = calloc(2 * n, sizeof *rows->wireLambda);
    rows->wireFree = calloc(2 * n, sizeof *rows->wireFree);
    rows->wireGiven = calloc(2 * n, sizeof *rows->wireGiven);
    rows->wireTaken = calloc(2 * n, sizeof *rows->wireTaken);
    rows->wireTakenOf = calloc(2 * n, sizeof *rows->wireTakenOf);
    rows->wireCompliance = calloc(4 * n * n, sizeof *rows->wireCompliance);
    if (!rows->wireRows || !rows->wireOf || !rows->rowOf || !rows->signOf || !rows->wireLambda ||
        !rows->wireFree || !rows->wireGiven || !rows->wireTaken || !rows->wireTakenOf ||
        !rows->wireCompliance)
        return palError_Memory(error, "the rows of wires", 4 * n * n * sizeof(double));
    return pal_ok;
}

// And a tool.
static palResult allocateTool(palRows* rows, palError* error)
{
    size_t n = (size_t)rows->rowCapacity;
    rows->toolRows = calloc(2 * n, sizeof *rows->toolRows);
    rows->toolTwists = calloc(2 * n, sizeof *rows->toolTwists);
    rows->toolRowOf = calloc(2 * n, sizeof *rows->toolRowOf);
    rows->toolOf = calloc(2 * n, sizeof *rows->toolOf);
    rows->toolColumn = calloc(2 * n, sizeof *rows->toolColumn);
    rows->pairRows = calloc(2 * n, sizeof *rows->pairRows);
    rows->pairRowOf = calloc(2 * n, sizeof *rows->pairRowOf);
    rows->pairOf = calloc(2 * n, sizeof *rows->pairOf);
    if (!rows->toolRows || !rows->toolTwists || !rows->toolRowOf || !rows->toolOf ||
        !rows->toolColumn || !rows->pairRows || !rows->pairRowOf || !rows->pairOf)
        return palError_Memory(error, "the rows of a tool", 2 * n * sizeof *rows->toolRows);
    return pal_ok;
}

static palResult allocate(palRows* rows, const palRowsDef* def, palError* error)
{
    size_t n = (size_t)rows->rowCapacity;
    size_t links = (size_t)rows->linkCapacity;
    rows->links = calloc(links, sizeof *rows->links);
    rows->first = calloc(links, sizeof *rows->first);
    rows->orientations = calloc(links, sizeof *rows->orientations);
    rows->failed = calloc(links, sizeof *rows->failed);
    rows->sliding = calloc(n, sizeof *rows->sliding);
    rows->gap = calloc(n, sizeof *rows->gap);
    rows->present = calloc(n, sizeof *rows->present);
    rows->deep = calloc(n, sizeof *rows->deep);
    rows->softness = calloc(n, sizeof *rows->softness);
    rows->lambda = calloc(n, sizeof *rows->lambda);
    rows->W = calloc(n * ((n + 3) & ~(size_t)3), sizeof *rows->W);
    rows->blocks = calloc(2 * links, sizeof *rows->blocks);
    rows->taken = calloc(n, sizeof *rows->taken);
    rows->takenAs = calloc(n, sizeof *rows->takenAs);
    rows->gapOf = calloc(n, sizeof *rows->gapOf);
    rows->lambdaOf = calloc(n, sizeof *rows->lambdaOf);
    rows->blockOf = calloc(2 * links, sizeof *rows->blockOf);
    rows->motion = calloc(n, sizeof *rows->motion);
    if (!rows->links || !rows->first || !rows->orientations || !rows->failed || !rows->sliding ||
        !rows->gap || !rows->present || !rows->deep || !rows->softness || !rows->lambda ||
        !rows->W || !rows->blocks || !rows->taken || !rows->takenAs || !rows->gapOf ||
        !rows->lambdaOf || !rows->blockOf || !rows->motion)
        return palError_Memory(error, "the rows of links", n * n * sizeof(double));
    palResult result = def->withWires ? allocateWires(rows, error) : pal_ok;
    if (result == pal_ok && def->hasTool)
        result = allocateTool(rows, error);
    if (result == pal_ok && def->withSolver)
        result = palSolveWorkspace_Create(rows->rowCapacity, true, &rows->workspace, error);
    return result;
}

palResult palRows_Create(int rowCapacity, palRows** rows, palError* error)
{
    palRowsDef def = {
        .rowCapacity = rowCapacity,
        .withWires = true,
        .hasTool = true,
        .withSolver = true,
    };
    return palRows_CreateFor(&def, rows, error);
}

palResult palRows_CreateFor(const palRowsDef* def, palRows** rows, palError* error)
{
    int rowCapacity = def->rowCapacity;
    *rows = NULL;
    palRows* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the rows of links", sizeof *created);
    created->rowCapacity = rowCapacity;
    created->linkCapacity = rowCapacity; // a link has a row at least
    created->recovery = INFINITY;
    created->settings = palDefaultSolveSettings();
    created->settings.solver = pal_solverAutomatic;
    created->settings.maxSweeps = 400;
    created->settings.tolerance = 1e-8;
    created->settings.accuracy = PAL_GAP_ROUNDING;
    created->settings.warmStart = true;
    palResult result = allocate(created, def, error);
    if (result != pal_ok)
    {
        palRows_Destroy(created);
        return result;
    }
    *rows = created;
    return pal_ok;
}

void palRows_Destroy(palRows* rows)
{
    if (rows == NULL)
        return;
    palSolveWorkspace_Destroy(rows->workspace);
    void* const owned[] = {
        rows->links,      rows->first,     rows->orientations,   rows->failed,
        rows->gap,        rows->lambda,    rows->sliding,        rows->W,
        rows->blocks,     rows->wireRows,  rows->wireCompliance, rows->wireOf,
        rows->present,    rows->deep,      rows->toolRows,       rows->toolTwists,
        rows->toolRowOf,  rows->toolOf,    rows->rowOf,          rows->signOf,
        rows->wireLambda, rows->softness,  rows->pairRows,       rows->pairRowOf,
        rows->pairOf,     rows->taken,     rows->takenAs,        rows->gapOf,
        rows->lambdaOf,   rows->blockOf,   rows->motion,         rows->wireFree,
        rows->wireGiven,  rows->wireTaken, rows->wireTakenOf,    rows->toolColumn,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(rows);
}

void palRows_Begin(palRows* rows)
{
    rows->linkCount = rows->count = rows->blockCount = 0;
    rows->wireRowCount = rows->toolRowCount = rows->pairRowCount = 0;
    rows->takenCount = rows->round = 0;
    rows->isPart = false;
}

// Wires that have crossed each other, and soft bodies that are inside of something: both may be so
// deep that coming out at once would throw them.
static bool isSlowlyRecovered(const palLink* link)
{
    bool areWires = link->ends[0].kind == pal_placeWire && link->ends[1].kind == pal_placeWire;
    return link->kind == pal_linkContact && (areWires || link->ends[0].kind == pal_placeSurface);
}

bool palRows_Add(palRows* rows, const palLink* link, int stop)
{
    int count = palLink_Rows(link);
    if (rows->linkCount == rows->linkCapacity || rows->count + count > rows->rowCapacity)
        return false;
    int index = rows->linkCount++;
    int first = rows->count;
    rows->links[index] = link;
    rows->first[index] = first;
    rows->orientations[index][0] = rows->orientations[index][1] = pal_identityQuat;
    rows->failed[index] = false;
    rows->count += count;
    rows->blockCount += palLink_Blocks(link, first, stop, rows->blocks + rows->blockCount);
    for (int r = first; r < first + count; r++)
    {
        rows->sliding[r] = link->kind == pal_linkContact && r > first;
        rows->deep[r] =
            r == first && isSlowlyRecovered(link) && link->gap - link->distance < -rows->recovery;
        rows->gap[r] = link->kind == pal_linkContact && r == first ? -link->distance : 0.0;
        rows->softness[r] = 0.0;
    }
    for (int e = 0; e < 2; e++)
    {
        const palPlace* end = &link->ends[e];
        double sign = e == 0 ? 1.0 : -1.0;
        if (end->kind != pal_placeFixed)
            continue;
        rows->orientations[index][e] = end->orientation;
        for (int r = 0; r < count && r < 3; r++)
            if (!rows->sliding[first + r])
                rows->gap[first + r] += sign * palDot(link->axes[r], end->local);
    }
    rows->present[first] = rows->gap[first];
    return true;
}

int palRows_AddPair(palRows* rows, const palPairBlock* pair)
{
    int first = rows->count;
    if (first + pair->block.size > rows->rowCapacity || rows->blockCount == 2 * rows->linkCapacity)
        return -1;
    for (int r = 0; r < pair->block.size; r++)
    {
        int row = rows->count++;
        rows->sliding[row] = pair->block.law == pal_lawCone && r > 0;
        rows->deep[row] = false;
        rows->gap[row] = rows->present[row] = pair->gapFree[r];
        rows->softness[row] = pair->softness[r];
        rows->lambda[row] = pair->lambda[r];
        for (int e = 0; e < 2; e++)
        {
            if (pair->bodies[e] < 0)
                continue;
            int next = rows->pairRowCount++;
            rows->pairRows[next] = pair->J[r][e];
            rows->pairRowOf[next] = row;
            rows->pairOf[next] = pair->bodies[e];
        }
    }
    rows->blocks[rows->blockCount] = pair->block;
    rows->blocks[rows->blockCount++].row = first;
    return first;
}

//--------------------------------------------------------------------------------------------------
// Wires

// Makes room for a row after those of the same wire. Returns where.
static int openWireRow(palRows* rows, int wire)
{
    int at = rows->wireRowCount++;
    for (; at > 0 && rows->wireOf[at - 1] > wire; at--)
    {
        rows->wireRows[at] = rows->wireRows[at - 1];
        rows->wireOf[at] = rows->wireOf[at - 1];
        rows->rowOf[at] = rows->rowOf[at - 1];
        rows->signOf[at] = rows->signOf[at - 1];
        rows->wireFree[at] = rows->wireFree[at - 1];
        rows->wireGiven[at] = rows->wireGiven[at - 1];
    }
    return at;
}

// The rows of one end on a wire, with δ_free of the wire's free motion.
static void addEnd(palRows* rows, int index, int e, const palSteppedWire* stepped, int wire)
{
    const palLink* link = rows->links[index];
    const palPlace* end = &link->ends[e];
    const palBeamModel* model = stepped->wire->model;
    double sign = e == 0 ? 1.0 : -1.0;
    int count = palLink_Rows(link);
    palVec3 point = palBeam_Point(model, &stepped->state, end->beam);
    if (palLink_Turns(link))
        rows->orientations[index][e] = palBeam_Rotation(model, &stepped->state, end->beam);
    for (int r = 0; r < count; r++)
    {
        bool angular;
        int row = rows->first[index] + r;
        palVec3 axis = palLink_Axis(link, r, &angular);
        int next = openWireRow(rows, wire);
        palBeamRow* made = &rows->wireRows[next];
        *made = angular ? palBeam_RotationRow(model, &stepped->work, end->beam, axis)
                        : palBeam_PointRow(model, &stepped->work, end->beam, axis);
        rows->wireOf[next] = wire;
        rows->rowOf[next] = row;
        rows->signOf[next] = sign;
        double moved = palBeam_FreeRowMotion(model, &stepped->state, &stepped->work, made);
        rows->wireFree[next] = moved;
        rows->wireGiven[next] = 0.0;
        if (!angular && !rows->sliding[row])
        {
            moved += palDot(axis, point);
            rows->present[row] += sign * palDot(axis, point);
        }
        rows->gap[row] += sign * moved;
    }
}

void palRows_AddWires(palRows* rows, const palSteppedWire* wires, int wireCount)
{
    for (int w = 0; w < wireCount; w++)
        for (int i = 0; i < rows->linkCount; i++)
            for (int e = 0; e < 2; e++)
            {
                const palPlace* end = &rows->links[i]->ends[e];
                if (end->kind != pal_placeWire || end->body != wires[w].body)
                    continue;
                if (wires[w].failed)
                    rows->failed[i] = true;
                else
                    addEnd(rows, i, e, &wires[w], w);
            }
}

// The rows of one wire that are taken, from row `next` of all wires on. Returns their number, and
// in `next` where the rows of the wire end.
static int gatherWire(palRows* rows, int wire, int* next)
{
    int count = 0;
    for (; *next < rows->wireRowCount && rows->wireOf[*next] == wire; ++*next)
    {
        if (rows->takenAs[rows->rowOf[*next]] < 0)
            continue;
        rows->wireTaken[count] = rows->wireRows[*next];
        rows->wireTakenOf[count++] = *next;
    }
    return count;
}

// The compliance of one wire's rows into the whole.
static void addWire(palRows* rows, palSteppedWire* stepped, int count)
{
    size_t n = (size_t)count;
    double* own = rows->wireCompliance;
    memset(own, 0, n * n * sizeof *own);
    palBeam_AddCompliance(stepped->wire->model, &stepped->work, rows->wireTaken, count, own, count);
    for (int i = 0; i < count; i++)
    {
        int a = rows->wireTakenOf[i];
        double* W = rows->W + (size_t)rows->takenAs[rows->rowOf[a]] * (size_t)rows->stride;
        for (int j = 0; j < count; j++)
        {
            int b = rows->wireTakenOf[j];
            W[rows->takenAs[rows->rowOf[b]]] +=
                rows->signOf[a] * rows->signOf[b] * own[(size_t)i * n + (size_t)j];
        }
    }
}

// And those of rigid bodies, of which each has its rows one after the other.
static void addTools(palRows* rows)
{
    for (int first = 0, end; first < rows->toolRowCount; first = end)
    {
        for (end = first; end < rows->toolRowCount; end++)
        {
            if (rows->toolOf[end] != rows->toolOf[first])
                break;
            rows->toolColumn[end] = rows->takenAs[rows->toolRowOf[end]];
        }
        for (int i = first; i < end; i++)
        {
            if (rows->toolColumn[i] < 0)
                continue;
            double* W = rows->W + (size_t)rows->toolColumn[i] * (size_t)rows->stride;
            for (int j = first; j < end; j++)
                if (rows->toolColumn[j] >= 0)
                    W[rows->toolColumn[j]] += palRowDot(rows->toolRows[i], rows->toolTwists[j]);
        }
    }
}

void palRows_AddCompliance(palRows* rows, palSteppedWire* wires, int wireCount)
{
    int next = 0;
    for (int w = 0; w < wireCount; w++)
        addWire(rows, &wires[w], gatherWire(rows, w, &next));
    addTools(rows);
}

// Gives a wire what λ has changed by since it was given last.
static void correctWire(palRows* rows, palSteppedWire* wire, int count)
{
    bool isAny = false;
    for (int i = 0; i < count; i++)
    {
        int row = rows->wireTakenOf[i];
        double lambda = rows->signOf[row] * rows->lambda[rows->rowOf[row]];
        rows->wireLambda[i] = lambda - rows->wireGiven[row];
        rows->wireGiven[row] = lambda;
        isAny = isAny || rows->wireLambda[i] != 0.0;
    }
    if (isAny)
        palBeam_Correct(&wire->work, rows->wireTaken, rows->wireLambda, count);
}

void palRows_CorrectWires(palRows* rows, palSteppedWire* wires, int wireCount)
{
    int next = 0;
    for (int w = 0; w < wireCount; w++)
    {
        int count = gatherWire(rows, w, &next);
        if (!wires[w].failed)
            correctWire(rows, &wires[w], count);
    }
}

// Of the rows that are left out.
static void addWireMotion(palRows* rows, const palSteppedWire* wires)
{
    for (int i = 0; i < rows->wireRowCount; i++)
    {
        const palSteppedWire* wire = &wires[rows->wireOf[i]];
        if (rows->takenAs[rows->rowOf[i]] >= 0)
            continue;
        double moved =
            palBeam_RowMotion(wire->wire->model, &wire->state, &wire->work, &rows->wireRows[i]);
        rows->motion[rows->rowOf[i]] += rows->signOf[i] * (moved - rows->wireFree[i]);
    }
}

static void addToolMotion(palRows* rows)
{
    for (int first = 0, end; first < rows->toolRowCount; first = end)
    {
        palTwist sum = {0};
        for (end = first; end < rows->toolRowCount; end++)
        {
            if (rows->toolOf[end] != rows->toolOf[first])
                break;
            double lambda = rows->lambda[rows->toolRowOf[end]];
            sum.v = palMulAdd(sum.v, lambda, rows->toolTwists[end].v);
            sum.omega = palMulAdd(sum.omega, lambda, rows->toolTwists[end].omega);
        }
        for (int i = first; i < end; i++)
            if (rows->takenAs[rows->toolRowOf[i]] < 0)
                rows->motion[rows->toolRowOf[i]] += palRowDot(rows->toolRows[i], sum);
    }
}

void palRows_FindMotion(palRows* rows, palSteppedWire* wires, int wireCount)
{
    if (!rows->isPart)
        return;
    palRows_CorrectWires(rows, wires, wireCount);
    memset(rows->motion, 0, (size_t)rows->count * sizeof *rows->motion);
    addWireMotion(rows, wires);
    addToolMotion(rows);
}

void palRows_MoveWires(palRows* rows, palSteppedWire* wires, int wireCount)
{
    palRows_CorrectWires(rows, wires, wireCount);
    for (int w = 0; w < wireCount; w++)
        if (!wires[w].failed)
            palBeam_Integrate(wires[w].wire->model, &wires[w].work, &wires[w].state);
}

//--------------------------------------------------------------------------------------------------
// Tools and other rigid bodies

// Makes room for a row after those of the same body. Returns where.
static int openToolRow(palRows* rows, int body)
{
    int last = rows->toolRowCount++, at = last;
    while (at > 0 && rows->toolOf[at - 1] != body)
        at--;
    if (at == 0)
        return last;
    for (int i = last; i > at; i--)
    {
        rows->toolRows[i] = rows->toolRows[i - 1];
        rows->toolTwists[i] = rows->toolTwists[i - 1];
        rows->toolRowOf[i] = rows->toolRowOf[i - 1];
        rows->toolOf[i] = rows->toolOf[i - 1];
    }
    return at;
}

// A row on a body, and its response.
static void takeToolRow(palRows* rows, int row, palWrench made, const palSteppedTool* tool)
{
    double squared = tool->step.h * tool->step.h;
    int next = openToolRow(rows, tool->body);
    palTwist twist = palRigidStep_Response(&tool->step, made);
    rows->toolRows[next] = made;
    rows->toolTwists[next] = (palTwist){palScale(squared, twist.v), palScale(squared, twist.omega)};
    rows->toolRowOf[next] = row;
    rows->toolOf[next] = tool->body;
}

// The rows of one end on the tool, with δ_free of its free motion.
static void addToolEnd(palRows* rows, int index, int e, const palSteppedTool* tool)
{
    const palLink* link = rows->links[index];
    const palRigidStep* step = &tool->step;
    double sign = e == 0 ? 1.0 : -1.0;
    palVec3 point = palRigid_Point(&tool->tool->model, &tool->state, link->ends[e].local);
    int count = palLink_Rows(link);
    rows->orientations[index][e] = tool->state.q;
    for (int r = 0; r < count; r++)
    {
        bool angular;
        int row = rows->first[index] + r;
        palVec3 axis = palScale(sign, palLink_Axis(link, r, &angular));
        palWrench made =
            angular ? (palWrench){.torque = axis} : palRigidStep_Row(step, point, axis);
        takeToolRow(rows, row, made, tool);
        rows->gap[row] += step->h * palRowDot(made, step->free);
        if (angular || rows->sliding[row])
            continue;
        rows->gap[row] += palDot(axis, point);
        rows->present[row] += palDot(axis, point);
    }
}

void palRows_AddTool(palRows* rows, const palSteppedTool* tool)
{
    for (int i = 0; i < rows->linkCount; i++)
        for (int e = 0; e < 2; e++)
        {
            const palPlace* end = &rows->links[i]->ends[e];
            if (end->kind == pal_placeRigid && end->body == tool->body)
                addToolEnd(rows, i, e, tool);
        }
    for (int i = 0; i < rows->pairRowCount; i++)
        if (rows->pairOf[i] == tool->body)
            takeToolRow(rows, rows->pairRowOf[i], rows->pairRows[i], tool);
}

palWrench palRows_ToolWrench(const palRows* rows, int tool)
{
    palWrench sum = {0};
    for (int i = 0; i < rows->toolRowCount; i++)
    {
        if (rows->toolOf[i] != tool)
            continue;
        double lambda = rows->lambda[rows->toolRowOf[i]];
        sum.force = palMulAdd(sum.force, lambda, rows->toolRows[i].force);
        sum.torque = palMulAdd(sum.torque, lambda, rows->toolRows[i].torque);
    }
    return sum;
}

void palRows_MoveTool(const palRows* rows, palSteppedTool* tool)
{
    palTwist u = palRigidStep_Correct(&tool->step, palRows_ToolWrench(rows, tool->body));
    tool->state = palRigidStep_Integrate(&tool->step, &tool->tool->model, u);
}

//--------------------------------------------------------------------------------------------------

bool palRows_AddMissed(palRows* rows, const palLink* link, const palSteppedWire* wires,
                       int wireCount, const palSteppedTool* tool)
{
    int index = rows->linkCount, first = rows->count;
    if (!palRows_Add(rows, link, 0))
        return false;
    for (int e = 0; e < 2; e++)
    {
        const palPlace* end = &link->ends[e];
        for (int w = 0; w < wireCount && end->kind == pal_placeWire; w++)
            if (wires[w].body == end->body)
                addEnd(rows, index, e, &wires[w], w);
        if (tool != NULL && end->kind == pal_placeRigid && end->body == tool->body)
            addToolEnd(rows, index, e, tool);
    }
    for (int r = first; r < rows->count; r++)
    {
        rows->lambda[r] = 0.0;
        rows->takenAs[r] = -1;
    }
    rows->isPart = true;
    rows->round = 1;
    return true;
}

// The rotation by which end 0 is ahead, on top of the motion that is there already.
void palRows_AddRotations(palRows* rows)
{
    for (int i = 0; i < rows->linkCount; i++)
    {
        double gaps[3];
        int count = palLink_RotationGaps(rows->links[i], rows->orientations[i], gaps);
        for (int r = 0; r < count; r++)
            rows->gap[rows->first[i] + 3 + r] += gaps[r];
    }
}

void palRows_Archive(palRows* rows, palArchive* archive)
{
    PAL_ARCHIVE(archive, rows->count);
    PAL_ARCHIVE(archive, rows->info);
    PAL_ARCHIVE_ARRAY(archive, rows->lambda, rows->count);
}
