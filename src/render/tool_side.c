// SPDX-License-Identifier: Apache-2.0
#include "render/tool_side.h"

#include "base/clock.h"
#include "base/error.h"
#include "solve/dense.h"

#include <stdlib.h>
#include <string.h>

enum
{
    foundMax = 4096, // contacts of one query
    passesMax = 6,
    partsMax = 2,      // of a low-rate step
    calmStepsMin = 15, // before fewer are tried
    spacedPasses = 1,
    equalityPasses = 2, // of `equality`; what collides still is then pushed apart as contact is
    stride = pal_touchRowsMax,
};

static const double longestStep = 0.25;  // s: after a stall the world does not leap
static const double touchSpacing = 0.02; // of the tool's size, between touches at first
static const double depthMost = 0.02;    // m, of touches
static const double depthSlack = 3e-4;   // m, more than it should be
static const double depthPushed = 1e-3;  // m, by which they are pushed out at once

static const palCollider* colliderAt(const palToolSide* side, int object)
{
    return &side->def->colliders[object];
}

static void destroyTissue(palTissue* tissue)
{
    if (tissue == NULL)
        return;
    palSoftStep_Destroy(tissue->step);
    palSoftStep_Destroy(tissue->fast);
    free(tissue->end);
    free(tissue->push);
    free(tissue->weight);
    free(tissue);
}

static palResult createTissue(const palCollider* collider, bool withFast, palTissue** tissue,
                              palError* error)
{
    palTissue* created = *tissue = calloc(1, sizeof **tissue);
    if (created == NULL)
        return palError_Memory(error, "a soft body's contact", sizeof *created);
    size_t nodes = (size_t)collider->soft->nodeCount;
    size_t vertices = (size_t)collider->surface.vertexCount;
    created->end = calloc(vertices, sizeof *created->end);
    created->push = calloc(nodes, sizeof *created->push);
    created->weight = calloc(nodes, sizeof *created->weight);
    if (!created->end || !created->push || !created->weight)
        return palError_Memory(error, "a soft body's contact", nodes * sizeof *created->push);
    memcpy(created->end, collider->surface.vertices, vertices * sizeof *created->end);
    palResult result = palSoftStep_Create(collider->soft, pal_touchRowsMax, pal_touchEntriesMax,
                                          false, &created->step, error);
    if (result == pal_ok && withFast)
        result = palSoftStep_Create(collider->soft, pal_touchRowsMax, pal_touchEntriesMax, true,
                                    &created->fast, error);
    return result;
}

static palResult createAll(palToolSide* side, bool withFast, palError* error)
{
    const palSurface* surface = &side->tool->surface;
    size_t vertices = (size_t)surface->vertexCount;
    size_t objects = (size_t)side->def->colliderCount + 1;
    side->surfaces = calloc(objects, sizeof *side->surfaces);
    side->inside = calloc(pal_toolInsideMax, sizeof *side->inside);
    side->toolStart = calloc(vertices, sizeof *side->toolStart);
    side->toolEnd = calloc(vertices, sizeof *side->toolEnd);
    side->looked = calloc(foundMax, sizeof *side->looked);
    if (!side->surfaces || !side->inside || !side->looked || !side->toolStart || !side->toolEnd)
        return palError_Memory(error, "the tool's contact", objects * sizeof *side->surfaces);
    palResult result = palContactList_Init(&side->found, foundMax, error);
    if (result == pal_ok)
        result = palMovingSurface_Init(&side->toolSurface, surface, error);
    if (result == pal_ok)
        result = palSolveWorkspace_Create(pal_touchRowsMax, true, &side->workspace, error);
    for (int i = 0; i < side->def->colliderCount && result == pal_ok; i++)
    {
        const palCollider* collider = colliderAt(side, i);
        result = palMovingSurface_Init(&side->surfaces[i], &collider->surface, error);
        if (result == pal_ok && collider->soft != NULL)
            result = createTissue(collider, withFast, &side->tissues[i], error);
    }
    return result;
}

palResult palToolSide_Init(palToolSide* side, const palMethodDef* def, bool withFast,
                           palError* error)
{
    *side = (palToolSide){.def = def, .tool = def->tool};
    if (def->tool == NULL)
    {
        palError_Set(error, pal_errorInput, "the method moves a tool, and there is none");
        return palError_Remedy(error, "give one, or use a method that touches with a point");
    }
    palBounds bounds = palSurface_Bounds(&def->tool->surface);
    side->spacing = touchSpacing * palDistance(bounds.low, bounds.high);
    palResult result = createAll(side, withFast, error);
    if (result != pal_ok)
        palToolSide_Free(side);
    return result;
}

void palToolSide_Free(palToolSide* side)
{
    for (int i = 0; side->def != NULL && i < side->def->colliderCount; i++)
    {
        destroyTissue(side->tissues[i]);
        if (side->surfaces != NULL)
            palMovingSurface_Free(&side->surfaces[i]);
    }
    palMovingSurface_Free(&side->toolSurface);
    palContactList_Free(&side->found);
    palSolveWorkspace_Destroy(side->workspace);
    free(side->surfaces);
    free(side->inside);
    free(side->looked);
    free(side->toolStart);
    free(side->toolEnd);
    *side = (palToolSide){0};
}

palHandle palToolSide_Handle(const palHapticState* hand)
{
    return (palHandle){
        .x = hand->device,
        .q = hand->deviceTurn,
        .v = hand->deviceSpeed,
        .omega = hand->deviceSpin,
    };
}

palHandle palToolSide_DeviceHandle(const palDeviceState* device)
{
    return (palHandle){
        .x = device->position,
        .q = device->orientation,
        .v = device->velocity,
        .omega = device->angularVelocity,
    };
}

palPointState palToolSide_Body(const palTool* tool, const palRigidState* state)
{
    palHandle grip = palToolSide_Grip(tool, state);
    return (palPointState){.x = grip.x, .v = grip.v};
}

palHandle palToolSide_Grip(const palTool* tool, const palRigidState* state)
{
    const palRigidModel* model = &tool->model;
    palVec3 r = palRotate(state->q, model->grip);
    palVec3 omega = palRigid_Omega(model, state);
    return (palHandle){
        .x = palAdd(state->x, r),
        .q = palMulQuat(state->q, model->def.gripOrientation),
        .v = palAdd(state->v, palCross(omega, r)),
        .omega = omega,
    };
}

bool palToolSide_View(const palToolSide* side, int index, palToolView* view)
{
    if (index > 0)
        return false;
    *view = (palToolView){
        .surface = &side->tool->surface,
        .position = palRigid_Point(&side->tool->model, &side->visual, pal_zeroVec3),
        .orientation = side->visual.q,
    };
    return true;
}

// ---------------------------------------------------------------------------------------------
// The step

void palToolSide_MovePairs(palToolSide* side)
{
    const palSurface* surface = &side->tool->surface;
    palRigid_Place(&side->tool->model, &side->end, surface->vertexCount, surface->vertices,
                   side->toolEnd);
    palMovingSurface_Move(&side->toolSurface, side->toolStart, side->toolEnd);
    for (int i = 0; i < side->def->colliderCount; i++)
        if (side->tissues[i] != NULL)
            palMovingSurface_Move(&side->surfaces[i], colliderAt(side, i)->surface.vertices,
                                  palToolSide_SurfaceEnd(side, i));
}

static double farthest(const palVec3* a, const palVec3* b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fmax(most, palLengthSquared(palSub(a[i], b[i])));
    return sqrt(most);
}

// What was apart at the beginning is at most as deep inside at the end as tool and surface have
// moved together. Where tissue is folded onto itself its sides are confused, and what seems deeper
// is not.
static void boundDepth(palToolSide* side)
{
    double tool = farthest(side->toolStart, side->toolEnd, side->tool->surface.vertexCount);
    side->depthMax = 0.0;
    for (int i = 0; i < side->def->colliderCount; i++)
    {
        const palSurface* surface = &colliderAt(side, i)->surface;
        double soft =
            side->tissues[i] != NULL
                ? farthest(surface->vertices, palToolSide_SurfaceEnd(side, i), surface->vertexCount)
                : 0.0;
        side->depthMax = fmax(side->depthMax, tool + soft);
    }
    side->depthMax = fmin(side->depthMax + depthSlack, depthMost);
}

// L1, L2.
static void begin(palToolSide* side, const palHandle* handle, double h)
{
    const palSurface* surface = &side->tool->surface;
    palRigid_Place(&side->tool->model, &side->visual, surface->vertexCount, surface->vertices,
                   side->toolStart);
    side->step = palRigid_Free(&side->tool->model, &side->visual, handle, h);
    for (int i = 0; i < side->def->colliderCount; i++)
        if (side->tissues[i] != NULL)
        {
            palTissue* tissue = side->tissues[i];
            side->failures += !palSoftStep_Begin(tissue->step, h, tissue->isLinear);
            tissue->isLinear = false;
        }
    for (int i = 0; i < side->touchCount; i++)
        side->error[i] = 0.0;
}

// L4, L5: rows, compliance and free gaps of all touches.
static void prepare(palToolSide* side)
{
    bool normalsOnly = side->def->toolLaw == pal_toolEquality;
    double h = side->step.h;
    palTouchRows* rows = &side->rows;
    palTouchRows_Fill(rows, side->touches, side->touchCount, normalsOnly, &side->tool->model,
                      &side->visual);
    for (int i = 0; i < rows->count; i++)
    {
        memset(side->W + i * stride, 0, (size_t)rows->count * sizeof(double));
        side->velocity[i] = 0.0;
    }
    for (int i = 0; i < side->def->colliderCount; i++)
    {
        palTissue* tissue = side->tissues[i];
        if (tissue == NULL)
            continue;
        palTissueRows_Fill(&tissue->rows, rows, side->touches, i, colliderAt(side, i));
        palTissueRows_Add(&tissue->rows, tissue->step, h * h, side->W, side->velocity);
    }
    palTouchRows_AddTool(rows, &side->step, h * h, side->W, side->velocity);
    for (int i = 0; i < rows->count; i++)
    {
        int touch = rows->touchOf[i];
        bool isNormal = rows->first[touch] == i;
        side->gapFree[i] = h * side->velocity[i];
        if (isNormal)
            side->gapFree[i] += side->touches[touch].gap + side->error[touch] - PAL_TOOL_CLEARANCE;
        side->lambda[i] = side->touches[touch].force[i - rows->first[touch]];
    }
}

// Contacts that push and rub.
static void solveContact(palToolSide* side)
{
    const palTouchRows* rows = &side->rows;
    for (int i = 0; i < rows->touchCount; i++)
    {
        int size = rows->first[i + 1] - rows->first[i];
        side->blocks[i] = (palContactBlock){
            .law = size == 3 ? pal_lawCone : pal_lawUnilateral,
            .row = rows->first[i],
            .size = size,
            .mu = side->touches[i].friction,
        };
    }
    palContactProblem problem = {
        .rows = rows->count,
        .blockCount = rows->touchCount,
        .stride = stride,
        .W = side->W,
        .gapFree = side->gapFree,
        .blocks = side->blocks,
    };
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = pal_solverAutomatic;
    settings.tolerance = 1e-5; // of the largest gap: below a nanometre a millimetre
    settings.maxSweeps = 60;
    settings.warmStart = true;
    palContactProblem_Solve(&problem, &settings, side->workspace, side->lambda, &side->solved);
}

// The rows that collide in free motion and can be asked equality of: those that had a force before,
// so that they do not change from step to step, then the others, deepest first. Returns how many.
static int pickColliding(palToolSide* side, int* order)
{
    double key[pal_touchesMax];
    int n = 0;
    for (int i = 0; i < side->rows.count; i++)
    {
        int k = n;
        key[i] = side->lambda[i] != 0.0 ? -INFINITY : side->gapFree[i];
        if (side->gapFree[i] >= 0.0)
            continue;
        for (n++; k > 0 && key[order[k - 1]] > key[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return palPickRows(n, side->W, stride, side->A, order);
}

// The paper's: the gap of what collides in free motion is closed and kept, eq. (11).
static void solveEquality(palToolSide* side)
{
    const palRowKernels* kernels = palRowKernels_Best();
    int which[pal_touchesMax];
    double b[pal_touchesMax];
    int n = pickColliding(side, which);
    memset(side->lambda, 0, sizeof side->lambda);
    for (int i = 0; i < n; i++)
    {
        b[i] = -side->gapFree[which[i]];
        for (int j = i; j < n; j++)
            side->A[i * stride + j] = side->W[which[i] * stride + which[j]];
    }
    palLdl_Factor(n, side->A, stride, kernels);
    palLdl_Solve(n, side->A, stride, kernels, b);
    for (int i = 0; i < n; i++)
        side->lambda[which[i]] = b[i];
    side->solved = (palSolveInfo){.sweeps = 1, .activeRows = n, .flags = pal_solveConverged};
}

// L6: where tool and soft bodies are under λ.
static void try(palToolSide* side)
{
    const palTouchRows* rows = &side->rows;
    palTwist u = palRigidStep_Correct(&side->step, palTouchRows_Wrench(rows, side->lambda));
    side->end = palRigidStep_Integrate(&side->step, &side->tool->model, u);
    for (int i = 0; i < side->def->colliderCount; i++)
    {
        palTissue* tissue = side->tissues[i];
        if (tissue == NULL)
            continue;
        for (int r = 0; r < tissue->rows.count; r++)
            tissue->rows.vector[r] = side->lambda[tissue->rows.rowOf[r]];
        palSoftStep_Try(tissue->step, tissue->rows.count > 0 ? tissue->rows.vector : NULL);
        palSkin_Points(&colliderAt(side, i)->skin, tissue->step->x, tissue->end);
    }
    for (int i = 0; i < rows->touchCount; i++)
        for (int r = rows->first[i]; r < rows->first[i + 1]; r++)
            side->touches[i].force[r - rows->first[i]] = side->lambda[r];
    palToolSide_MovePairs(side);
    boundDepth(side);
}

// What the linear gaps are wrong by. Returns whether a touch is closed too far.
static bool correctGaps(palToolSide* side)
{
    const palTouchRows* rows = &side->rows;
    bool again = false;
    for (int i = 0; i < rows->touchCount; i++)
    {
        int row = rows->first[i];
        const palTouch* touch = &side->touches[i];
        double linear = side->gapFree[row] + PAL_TOOL_CLEARANCE;
        for (int r = 0; r < rows->count; r++)
            linear += side->W[row * stride + r] * side->lambda[r];
        double gap =
            palToolSide_Gap(side, touch, &side->end, palToolSide_SurfaceEnd(side, touch->object));
        side->error[i] += gap - linear;
        again = again || gap < -PAL_TOOL_WELL_INSIDE;
    }
    return again;
}

// L3: what collides on the way to the end, after the first passes however close to a touch. Returns
// whether there was anything.
static bool addCollisions(palToolSide* side, int pass)
{
    double spacing = pass < spacedPasses ? side->spacing : 0.0;
    bool again = false;
    for (int i = 0; i < side->def->colliderCount; i++)
    {
        palSurfacePair_Sweep(&(palSurfacePair){&side->toolSurface, &side->surfaces[i]},
                             &side->found);
        again = palToolSide_TakeCollisions(side, i, spacing) || again;
    }
    return again;
}

// ---------------------------------------------------------------------------------------------

// The sanity pass works on the nodes of a step; here there is none.
static void takeNodes(palToolSide* side)
{
    for (int i = 0; i < side->def->colliderCount; i++)
        if (side->tissues[i] != NULL)
            memcpy(side->tissues[i]->step->x, colliderAt(side, i)->soft->x,
                   (size_t)colliderAt(side, i)->soft->nodeCount * sizeof(palVec3));
}

static void giveNodes(palToolSide* side)
{
    for (int i = 0; i < side->def->colliderCount; i++)
    {
        palCollider* collider = &side->def->colliders[i];
        if (side->tissues[i] == NULL)
            continue;
        memcpy(collider->soft->x, side->tissues[i]->step->x,
               (size_t)collider->soft->nodeCount * sizeof(palVec3));
        palCollider_Follow(collider);
    }
}

void palToolSide_Place(palToolSide* side, const palHandle* handle, double time)
{
    const palSurface* surface = &side->tool->surface;
    side->visual = side->end = palRigid_AtHandle(&side->tool->model, handle);
    side->handle = *handle;
    side->time = time;
    side->parts = 1;
    side->depthMax = depthMost;
    palRigid_Place(&side->tool->model, &side->visual, surface->vertexCount, surface->vertices,
                   side->toolStart);
    palToolSide_MovePairs(side);
    takeNodes(side);
    palToolSide_PushOut(side, depthMost);
    giveNodes(side);
    side->visual = side->end;
    palToolSide_FindTouches(side);
}

static double since(int64_t* begin)
{
    int64_t now = palClock_Now();
    double spent = 1e-6 * (double)(now - *begin);
    *begin = now;
    return spent;
}

// L3..L6, pass by pass. Returns whether nothing collides on the way to the end.
static bool solve(palToolSide* side, palLowInfo* info)
{
    int64_t clock = palClock_Now();
    bool again = true;
    for (int pass = 0; pass < passesMax && again; pass++)
    {
        side->passes = pass + 1;
        prepare(side);
        info->complianceMs += since(&clock);
        if (side->def->toolLaw == pal_toolEquality && pass < equalityPasses)
            solveEquality(side);
        else
            solveContact(side);
        try(side);
        info->solveMs += since(&clock);
        info->iterations += side->solved.sweeps;
        again = correctGaps(side);
        again = addCollisions(side, pass) || again;
        info->collideMs += since(&clock);
    }
    info->residual = side->solved.residual;
    info->contacts = side->touchCount;
    info->constraints = side->rows.count;
    return !again;
}

// What the passes leave inside, or colliding. Part of the way to the end something may be inside
// that is not at the end: it is pushed out of there.
static void keepApart(palToolSide* side, bool isApart)
{
    side->pushed = 0;
    side->heldBack = false;
    side->deepest = 0.0;
    palToolSide_PushOut(side, depthPushed);
    if (!isApart || side->pushed > 0)
        palToolSide_HoldBack(side);
    if (side->heldBack)
        palToolSide_PushOut(side, depthPushed);
}

// L1..L6 over h, with the handle as it is then. Returns whether the passes kept all apart.
static bool advance(palToolSide* side, const palHandle* handle, double h, palLowInfo* info)
{
    int64_t clock = palClock_Now();
    begin(side, handle, h);
    info->freeMs += since(&clock);
    bool isApart = solve(side, info);
    clock = palClock_Now();
    keepApart(side, isApart);
    side->depthMax = depthSlack;
    for (int i = 0; i < side->def->colliderCount; i++)
    {
        if (side->tissues[i] == NULL)
            continue;
        palSoftStep_End(side->tissues[i]->step);
        palCollider_Follow(&side->def->colliders[i]);
    }
    side->visual = side->end;
    palToolSide_FindTouches(side);
    info->collideMs += since(&clock);
    return isApart;
}

// The longer a step, the farther tissue springs back in its free motion, and the more collides: a
// step that the passes cannot keep apart is taken in more parts from then on, until it is easy.
static void chooseParts(palToolSide* side, bool isApart)
{
    if (!isApart)
    {
        side->parts = side->parts < partsMax ? 2 * side->parts : partsMax;
        side->calmSteps = 0;
    }
    else if (side->parts > 1 && ++side->calmSteps == calmStepsMin)
    {
        side->parts /= 2;
        side->calmSteps = 0;
    }
}

static palHandle between(const palHandle* a, const palHandle* b, double share)
{
    return (palHandle){
        .x = palLerp(a->x, b->x, share),
        .q = palSlerp(a->q, b->q, share),
        .v = palLerp(a->v, b->v, share),
        .omega = palLerp(a->omega, b->omega, share),
    };
}

void palToolSide_Step(palToolSide* side, const palHandle* handle, double until, palLowInfo* info)
{
    double h = fmin(until - side->time, longestStep);
    int parts = side->parts;
    bool isApart = true;
    side->overflow = false;
    for (int k = 1; k <= parts && h > 0.0; k++)
    {
        palHandle then = between(&side->handle, handle, (double)k / parts);
        isApart = advance(side, &then, h / parts, info) && isApart;
    }
    if (h > 0.0)
    {
        chooseParts(side, isApart);
        side->time = until;
    }
    else
        palToolSide_FindTouches(side);
    side->handle = *handle;
}
