// SPDX-License-Identifier: Apache-2.0
#include "world/step.h"

#include "base/clock.h"
#include "solve/dense.h"

#include <string.h>

enum
{
    passesMax = 6,
    partsMax = 2,       // of a low-rate step
    cleanStepsMin = 15, // before fewer are tried
    newtonRows = 300,
    usualSweeps = 60,
    manySweeps = 50,
    moreSweeps = 1000,
    equalityPasses = 2, // of `equality`; what collides still is then pushed apart as contact is
};

static const double tolerance = 1e-5;        // of the largest gap: below a nanometre a millimetre
static const double clearanceShare = 0.01;   // of the clearance: accuracy of a gap with many rows
static const double residualAccepted = 1e-6; // m
static const double residualOfMany = 5e-6;   // m, with more rows than that
static const double sweepWork = 1.5e7;       // products of further sweeps
static const double depthMost = 0.02;        // m, of contacts
static const double depthSlack = 3e-4;       // m, more than it should be
static const double depthPushed = 1e-3;      // m, by which vertices are pushed out at once
static const double recovery = 0.25;         // m/s, at which wires that are too near come apart
static const double wireSlack = 0.1;         // of the distance that its contacts keep
static const double wireStep = 0.01;         // s, of a part: a longer one stretches a turning wire

//--------------------------------------------------------------------------------------------------
// L1, L2

static void begin(palWorldStep* world, double h, double share)
{
    world->h = h;
    world->rowsChanged = true;
    for (int i = 0; i < world->bodyCount; i++)
    {
        palWorldBody* body = world->bodies[i];
        world->failures += !body->ops->begin(body, h, share);
    }
    for (int i = 0; i < world->linkCount; i++)
        world->gapError[i] = 0.0;
    palWorldStep_AimJoints(world);
}

//--------------------------------------------------------------------------------------------------
// L4, L5: rows, compliance and free gaps of all contacts

// The rows of the contacts, W and the velocities of the free motion. They hold as long as no
// contact comes, goes or slides.
static void makeRows(palWorldStep* world)
{
    palRows* rows = world->rows;
    palRows_Begin(rows);
    for (int i = 0; i < world->linkCount; i++)
        palRows_Add(rows, &world->links[i], 0);
    for (int i = 0; i < 2 * world->linkCount; i++)
        memcpy(world->lambdaInside + i % 2 * rows->rowCapacity + rows->first[i / 2],
               world->predicted[i / 2][i % 2],
               (size_t)palLink_Rows(&world->links[i / 2]) * sizeof(double));
    palWorldStep_AddJoints(world);
    palRows_ClearCompliance(rows);
    memset(world->velocity, 0, (size_t)rows->count * sizeof *world->velocity);
    for (int i = 0; i < world->bodyCount; i++)
    {
        palWorldBody* body = world->bodies[i];
        body->ops->takeRows(body, rows, world->lambdaInside);
        body->ops->addCompliance(body, pal_rateStep, world->h * world->h, rows->W,
                                 (size_t)rows->stride, world->velocity);
    }
    world->rowsChanged = false;
}

// The gap that a contact begins the step with. Wires that are through each other or in something
// come out slowly: at once would be a blow.
static double startGap(const palWorldStep* world, const palLink* link)
{
    double gap = link->gap - link->distance;
    return palWorldStep_IsWires(link) ? fmax(gap, -recovery * world->h) : gap;
}

// δ_free, with what the linear gaps were wrong by in the last pass, and the guess of λ.
static void fillGaps(palWorldStep* world)
{
    palRows* rows = world->rows;
    for (int i = 0; i < world->linkCount; i++)
    {
        const palLink* link = &world->links[i];
        for (int k = 0; k < palLink_Rows(link); k++)
        {
            int row = rows->first[i] + k;
            rows->gap[row] = world->h * world->velocity[row];
            if (k == 0)
                rows->gap[row] += startGap(world, link) + world->gapError[i];
            rows->lambda[row] = link->lambda[k];
        }
    }
    palWorldStep_FillJoints(world);
}

//--------------------------------------------------------------------------------------------------
// L6: contact forces

// The tool's rows that collide in free motion: those that had a force before, so that they do not
// change from step to step, then the others, deepest first. Returns how many.
static int listColliding(const palWorldStep* world, int* order)
{
    const palRows* rows = world->rows;
    double* key = world->right;
    int n = 0;
    for (int i = 0; i < world->linkCount; i++)
    {
        int row = rows->first[i];
        if (!palWorldStep_IsTools(world, &world->links[i]) || rows->gap[row] >= 0.0)
            continue;
        double mine = rows->lambda[row] != 0.0 ? -INFINITY : rows->gap[row];
        int k = n++;
        for (; k > 0 && key[k - 1] > mine; k--)
        {
            key[k] = key[k - 1];
            order[k] = order[k - 1];
        }
        key[k] = mine;
        order[k] = row;
    }
    return n;
}

// The paper's: the gap of what collides in free motion is closed and kept, eq. (11).
static void solveKept(palWorldStep* world, int n)
{
    const palRowKernels* kernels = palRowKernels_Best();
    palRows* rows = world->rows;
    size_t stride = (size_t)world->contactsMax;
    memset(rows->lambda, 0, (size_t)rows->count * sizeof *rows->lambda);
    for (int i = 0; i < n; i++)
    {
        const double* W = rows->W + (size_t)world->order[i] * (size_t)rows->stride;
        world->right[i] = -rows->gap[world->order[i]];
        for (int j = i; j < n; j++)
            world->factor[(size_t)i * stride + (size_t)j] = W[world->order[j]];
    }
    palLdl_Factor(n, world->factor, stride, kernels);
    palLdl_Solve(n, world->factor, stride, kernels, world->right);
    for (int i = 0; i < n; i++)
        rows->lambda[world->order[i]] = world->right[i];
    rows->info = (palSolveInfo){.sweeps = 1, .activeRows = n, .flags = pal_solveConverged};
}

// Of the tool's rows those in `order` keep their gap and the others do nothing.
static void setEqualities(palWorldStep* world, int n)
{
    palRows* rows = world->rows;
    for (int i = 0; i < world->linkCount; i++)
        if (palWorldStep_IsTools(world, &world->links[i]))
            rows->blocks[i] =
                (palContactBlock){.law = pal_lawBox, .row = rows->first[i], .size = 1};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < world->linkCount; i++)
            if (rows->first[i] == world->order[k])
                rows->blocks[i].law = pal_lawBilateral;
}

static bool hasOnlyTools(const palWorldStep* world)
{
    bool only = world->tool != NULL && world->jointCount == 0;
    for (int i = 0; i < world->linkCount; i++)
        only = only && palWorldStep_IsTools(world, &world->links[i]);
    return only;
}

// A Newton step costs the cube of the rows that act, and redundant contacts, as between two fine
// flat meshes, make it gain little: with many rows only conjugate sweeps are worth their time, and
// gaps within a hundredth of the clearance are good.
static void chooseSolver(palRows* rows)
{
    bool isLarge = rows->count > newtonRows;
    double scale = 0.0;
    for (int i = 0; i < rows->count; i++)
        scale = fmax(scale, fabs(rows->gap[i]));
    double enough = clearanceShare * PAL_CONTACT_CLEARANCE / fmax(scale, PAL_CONTACT_CLEARANCE);
    rows->settings.solver = isLarge ? pal_solverConjugate : pal_solverAutomatic;
    rows->settings.maxSweeps = isLarge ? manySweeps : usualSweeps;
    rows->settings.tolerance = isLarge ? fmax(tolerance, enough) : tolerance;
}

// Gaps that are still wrong by more than a fiftieth of the clearance, with many rows a tenth, as
// with many redundant contacts on something rigid, get conjugate sweeps for as much work as there
// is time for.
static void goOn(palRows* rows)
{
    double n = fmax(rows->count, 1.0);
    int sweeps = rows->info.sweeps;
    double accepted = rows->count > newtonRows ? residualOfMany : residualAccepted;
    if (!(rows->info.residual > accepted) || (rows->info.flags & pal_solveNotFinite))
        return;
    rows->settings.solver = pal_solverConjugate;
    rows->settings.maxSweeps = (int)fmin(moreSweeps, sweepWork / (n * n));
    rows->settings.tolerance = 0.1 * accepted / fmax(rows->info.scale, accepted);
    palRows_Solve(rows);
    rows->info.sweeps += sweeps;
}

// Finds λ, row by row of `rows`, from the present one.
static void solveForces(palWorldStep* world, int pass)
{
    palRows* rows = world->rows;
    bool keepsGaps = world->def.law == pal_toolEquality && pass < equalityPasses;
    if (keepsGaps)
    {
        int n = listColliding(world, world->order);
        n = palPickIndependent(n, rows->W, (size_t)rows->stride, world->factor,
                               (size_t)world->contactsMax, world->order);
        if (hasOnlyTools(world))
        {
            solveKept(world, n);
            return;
        }
        setEqualities(world, n);
    }
    chooseSolver(rows);
    palRows_Solve(rows);
    goOn(rows);
}

//--------------------------------------------------------------------------------------------------
// L6: the states that they lead to

// What was apart at the beginning is at most as deep inside at the end as the two bodies have moved
// together. Where tissue is folded onto itself its sides are confused, and what seems deeper is
// not.
static void boundDepth(palWorldStep* world)
{
    for (int i = 0; i < world->pairCount; i++)
    {
        palWorldPair* pair = &world->pairs[i];
        double travel = world->bodies[pair->a]->travel + world->bodies[pair->b]->travel;
        pair->depthMax = fmin(travel + depthSlack, depthMost);
    }
}

static void setDepth(palWorldStep* world, double depth)
{
    for (int i = 0; i < world->pairCount; i++)
        world->pairs[i].depthMax = depth;
}

static void evaluateTrial(palWorldStep* world)
{
    const palRows* rows = world->rows;
    for (int i = 0; i < world->bodyCount; i++)
        world->bodies[i]->ops->evaluateTrial(world->bodies[i], rows->lambda);
    for (int i = 0; i < world->linkCount; i++)
        for (int k = 0; k < palLink_Rows(&world->links[i]); k++)
            world->links[i].lambda[k] = rows->lambda[rows->first[i] + k];
    palWorldStep_TakeJoints(world);
    palWorldStep_MoveSurfaces(world);
    boundDepth(world);
}

// How far a contact may be closed too much at the end of a pass. Surfaces keep a clearance; the
// axes of wires may come nearer to each other, and go apart again in the next step.
static double slackOf(const palLink* link)
{
    return palWorldStep_IsWires(link) ? wireSlack * link->distance
                                      : PAL_CONTACT_CLEARANCE + PAL_PENETRATION_TOLERANCE;
}

// What the linear gaps are wrong by. Returns whether a contact is closed too far.
static bool correctGaps(palWorldStep* world)
{
    const palRows* rows = world->rows;
    bool again = false;
    for (int i = 0; i < world->linkCount; i++)
    {
        const palLink* link = &world->links[i];
        int row = rows->first[i];
        const double* W = rows->W + (size_t)row * (size_t)rows->stride;
        double linear = rows->gap[row];
        for (int r = 0; r < rows->count; r++)
            linear += W[r] * rows->lambda[r];
        double late = fmin(link->gap - link->distance - startGap(world, link), 0.0);
        double gap = palWorldStep_Gap(world, link, true) - link->distance - late;
        world->gapError[i] += gap - linear;
        again = again || gap < -slackOf(link);
    }
    return palWorldStep_CorrectJoints(world) || again;
}

//--------------------------------------------------------------------------------------------------
// The step

static double since(int64_t* begin)
{
    int64_t now = palClock_Now();
    double spent = 1e-6 * (double)(now - *begin);
    *begin = now;
    return spent;
}

// What the passes leave inside, or colliding. Part of the way to the end something may be inside
// that is not at the end: it is pushed out of there.
static void keepApart(palWorldStep* world, bool isApart)
{
    world->pushed = 0;
    world->heldBack = false;
    world->deepest = 0.0;
    palWorldStep_PushOut(world, depthPushed);
    if (!isApart || world->pushed > 0)
        palWorldStep_HoldBack(world);
    if (world->heldBack)
        palWorldStep_PushOut(world, depthPushed);
}

static void commit(palWorldStep* world)
{
    for (int i = 0; i < world->bodyCount; i++)
        world->bodies[i]->ops->commit(world->bodies[i]);
    setDepth(world, depthSlack);
}

// L1..L6 over h, at the end of which the handle has gone `share` of its way. Returns whether the
// passes kept all apart.
static bool advancePart(palWorldStep* world, double h, double share, palWorldStepInfo* info)
{
    int64_t clock = palClock_Now();
    begin(world, h, share); // L1, L2
    info->freeMs += since(&clock);
    bool again = true;
    for (int pass = 0; pass < passesMax && again; pass++)
    {
        world->passes = pass + 1;
        if (world->rowsChanged)
            makeRows(world); // L4, L5
        fillGaps(world);
        info->complianceMs += since(&clock);
        solveForces(world, pass); // L6
        evaluateTrial(world);
        info->solveMs += since(&clock);
        again = correctGaps(world);
        again = palWorldStep_AddCollisions(world, pass) || again; // L3
        info->collideMs += since(&clock);
        info->iterations += world->rows->info.sweeps;
    }
    info->residual = world->rows->info.residual;
    info->contacts = world->linkCount;
    info->rows = world->rows->count;
    keepApart(world, !again); // L6
    commit(world);
    palWorldStep_FindContacts(world); // L3 for the next step and for the high rate
    info->collideMs += since(&clock);
    return !again;
}

// The longer a step, the farther tissue springs back in its free motion, and the more collides: a
// step that the passes cannot keep apart is taken in more parts from then on, until it is easy.
static void chooseParts(palWorldStep* world, bool isApart)
{
    if (!isApart)
    {
        world->parts = world->parts < partsMax ? 2 * world->parts : partsMax;
        world->cleanSteps = 0;
    }
    else if (world->parts > 1 && ++world->cleanSteps == cleanStepsMin)
    {
        world->parts /= 2;
        world->cleanSteps = 0;
    }
}

static bool hasPredicted(const palWorldStep* world)
{
    for (int i = 0; i < world->def.colliderCount; i++)
    {
        const palWorldSoft* soft = palWorldStep_Soft(world, i);
        if (soft != NULL && soft->predictedX != NULL)
            return true;
    }
    for (int i = 0; i < world->def.wireCount; i++)
        if (palWorldStep_Wire(world, i)->predicted != NULL)
            return true;
    return false;
}

void palWorldStep_Advance(palWorldStep* world, double h, palWorldStepInfo* info)
{
    // A predicted motion is one of the whole step.
    int parts = hasPredicted(world) ? 1 : world->parts;
    if (world->def.wireCount > 0 && !hasPredicted(world))
        parts = (int)fmax(parts, ceil(h / wireStep - 1e-9));
    bool isApart = true;
    world->overflow = false;
    *info = (palWorldStepInfo){0};
    for (int k = 1; k <= parts; k++)
        isApart = advancePart(world, h / parts, (double)k / parts, info) && isApart;
    chooseParts(world, isApart);
    if (world->tool != NULL)
        world->tool->before = world->tool->handle;
}

//--------------------------------------------------------------------------------------------------

// Pairs of objects that overlap and cannot be pushed apart, as a body in its socket, do not touch.
static void ignoreOverlapping(palWorldStep* world)
{
    for (int i = 0; i < world->pairCount; i++)
    {
        palWorldPair* pair = &world->pairs[i];
        if ((world->tool != NULL && pair->a == world->tool->base.id) ||
            !palWorldStep_AreSurfaces(world, pair))
            continue;
        palSurfacePair surfaces = palWorldStep_Surfaces(world, pair);
        for (int ofA = 0; ofA < 2; ofA++)
        {
            int count =
                palSurfacePair_Inside(&surfaces, ofA, INFINITY, world->insideMax, world->inside);
            for (int k = 0; k < count && k < world->insideMax; k++)
                pair->isIgnored = pair->isIgnored || world->inside[k].depth > PAL_CONTACT_CLEARANCE;
        }
    }
}

void palWorldStep_Place(palWorldStep* world, const palHandle* handle)
{
    if (world->tool != NULL)
    {
        world->tool->state = palRigid_AtHandle(&world->tool->tool->model, handle);
        world->tool->before = world->tool->handle = *handle;
    }
    palWorldStep_PlaceJoints(world);
    world->parts = 1;
    world->linkCount = 0;
    for (int i = 0; i < world->bodyCount; i++)
        world->bodies[i]->ops->reset(world->bodies[i]);
    palWorldStep_MoveSurfaces(world);
    ignoreOverlapping(world);
    palWorldStep_PushOut(world, depthMost);
    commit(world);
    setDepth(world, depthMost);
    palWorldStep_FindContacts(world);
}

void palWorldStep_Predict(palWorldStep* world, int object, const palVec3* x, const double* v)
{
    palWorldSoft* soft = palWorldStep_Soft(world, object);
    soft->predictedX = x;
    soft->predictedV = v;
}

void palWorldStep_PredictWire(palWorldStep* world, int wire, const palBeamState* state)
{
    palWorldStep_Wire(world, wire)->predicted = state;
}
