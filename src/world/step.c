// SPDX-License-Identifier: Apache-2.0
#include "world/step.h"

#include "base/clock.h"
#include "solve/dense.h"

#include <string.h>

enum
{
    passesMax = 6,
    partsMax = 2,       // parts of a low-rate step
    cleanStepsMin = 15, // clean steps before fewer parts are tried
    newtonRows = 300,   // rows up to which Newton's method is used
    usualSweeps = 60,   // sweeps up to newtonRows
    manySweeps = 50,    // sweeps above
    moreSweeps = 1000,  // further sweeps where the residual is too large
    equalityPasses = 2, // with `equality`; later passes treat remaining collisions as contact
};

static const double tolerance = 1e-5;        // of the largest gap: 10 nm per mm
static const double clearanceShare = 0.01;   // of the clearance: tolerance of gaps with many rows
static const double residualAccepted = 0.02; // of the clearance
static const double residualOfMany = 0.1;    // of the clearance, above newtonRows
static const double sweepWork = 1.5e7;       // multiplications of further sweeps, at most
static const double depthMost = 0.02;        // m: deeper contacts are ignored
static const double depthSlack = 3e-4;       // m: added to the depth that the motion explains
static const double depthPushed = 1e-3;      // m: largest push of a vertex per round
static const double recovery = 0.25;         // m/s, at which penetrations of wires are resolved
static const double followDepth = 1e-4;      // m: overlap of tools that are moved from outside
static const double wireSlack = 0.1;         // of the contact distance: accepted for wires
static const double wireStep = 0.01;         // s, longest part: longer ones stretch a rotating wire

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

// Builds the rows of the contacts and joints, W and the velocities of the free motion. They are
// valid until a contact is added, dropped or moved.
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
    palRows_TakeAll(rows);
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

// Objects that abut at the start get their clearance by small forces only: near held nodes a full
// clearance would take huge ones.
static const double clearanceForce = 1e-4; // N

// The distance that a contact keeps, m, with W its compliance.
static double clearanceOf(const palWorldStep* world, int index, double W)
{
    const palLink* link = &world->links[index];
    const palWorldPair* pair = &world->pairs[world->pairOf[index]];
    if (palWorldStep_IsWires(link) || pair->clearance >= pair->usualClearance)
        return link->distance;
    return fmin(pair->clearance, fmax(0.0, link->gap + W * clearanceForce));
}

// The gap of a contact at the beginning of the step, m. Penetrations of wires are limited, so that
// they are resolved over several steps instead of by an impulse.
static double startGap(const palWorldStep* world, const palLink* link)
{
    double gap = link->gap - link->distance;
    return palWorldStep_IsWires(link) ? fmax(gap, -recovery * world->h) : gap;
}

// δ_free, including the error of the linear gaps in the last pass, and the initial guess of λ.
static void fillGaps(palWorldStep* world)
{
    palRows* rows = world->rows;
    for (int i = 0; i < world->linkCount; i++)
    {
        palLink* link = &world->links[i];
        size_t first = (size_t)rows->first[i];
        double W = rows->W[first * (size_t)rows->stride + first];
        link->distance = clearanceOf(world, i, W);
        for (int k = 0; k < palLink_Rows(link); k++)
        {
            int row = rows->first[i] + k;
            rows->gap[row] = world->h * world->velocity[row];
            if (k == 0)
                rows->gap[row] += startGap(world, link) + world->gapError[i];
            // Where both bodies are held no force can open the gap.
            if (k == 0 && W == 0.0)
                rows->gap[row] = fmax(rows->gap[row], 0.0);
            rows->lambda[row] = link->lambda[k];
        }
        double clearance = world->pairs[world->pairOf[i]].usualClearance;
        world->isPressed[i] = rows->gap[first] < -PAL_ABUTTING_SHARE * clearance;
    }
    palWorldStep_FillJoints(world);
}

//--------------------------------------------------------------------------------------------------
// L6: contact forces

// Lists the tools' rows that collide in free motion: first those that had a force in the last step,
// so that the set stays the same, then the others, deepest first. Returns how many.
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
        double rank = rows->lambda[row] != 0.0 ? -INFINITY : rows->gap[row];
        int k = n++;
        for (; k > 0 && key[k - 1] > rank; k--)
        {
            key[k] = key[k - 1];
            order[k] = order[k - 1];
        }
        key[k] = rank;
        order[k] = row;
    }
    return n;
}

// Otaduy and Gross 2007, eq. (11): equality constraints close the gaps of the rows in `order`.
static void solveEqualities(palWorldStep* world, int n)
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

// The tools' rows obey `law`, without friction.
static void setToolLaw(palWorldStep* world, palLaw law)
{
    palRows* rows = world->rows;
    for (int i = 0; i < world->linkCount; i++)
        if (palWorldStep_IsTools(world, &world->links[i]))
            rows->blocks[i] = (palContactBlock){.law = law, .row = rows->first[i], .size = 1};
}

// The tools' rows in `order` become equality constraints; their others get no force.
static void setEqualities(palWorldStep* world, int n)
{
    palRows* rows = world->rows;
    setToolLaw(world, pal_lawBox);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < world->linkCount; i++)
            if (rows->first[i] == world->order[k])
                rows->blocks[i].law = pal_lawBilateral;
}

// Whether all contacts are tools' and there are no joints.
static bool hasOnlyTools(const palWorldStep* world)
{
    bool only = world->def.toolCount > 0 && world->jointCount == 0;
    for (int i = 0; i < world->linkCount; i++)
        only = only && palWorldStep_IsTools(world, &world->links[i]);
    return only;
}

// A Newton step costs the cube of the active rows, and gains little where contacts are redundant,
// as between two fine flat meshes. With many rows the conjugate solver is used instead, with a
// tolerance of a hundredth of the clearance.
static void chooseSolver(palRows* rows, double clearance)
{
    bool isLarge = rows->count > newtonRows;
    double scale = 0.0;
    for (int i = 0; i < rows->count; i++)
        scale = fmax(scale, fabs(rows->gap[i]));
    double enough = clearanceShare * clearance / fmax(scale, clearance);
    rows->settings.solver = isLarge ? pal_solverConjugate : pal_solverAutomatic;
    rows->settings.maxSweeps = isLarge ? manySweeps : usualSweeps;
    rows->settings.tolerance = isLarge ? fmax(tolerance, enough) : tolerance;
}

// Where the residual is above a fiftieth of the clearance, with many rows a tenth, as with many
// redundant contacts on something rigid, adds conjugate sweeps within a work limit.
static void refine(palRows* rows, double clearance)
{
    double n = fmax(rows->count, 1.0);
    int sweeps = rows->info.sweeps;
    double accepted = clearance * (rows->count > newtonRows ? residualOfMany : residualAccepted);
    if (!(rows->info.residual > accepted) || (rows->info.flags & pal_solveNotFinite))
        return;
    rows->settings.solver = pal_solverConjugate;
    rows->settings.maxSweeps = (int)fmin(moreSweeps, sweepWork / (n * n));
    rows->settings.tolerance = 0.1 * accepted / fmax(rows->info.scale, accepted);
    palRows_Solve(rows);
    rows->info.sweeps += sweeps;
}

// Finds λ, starting from the present one.
static void solveForces(palWorldStep* world, int pass)
{
    palRows* rows = world->rows;
    bool keepsGaps = world->def.law == pal_toolEquality && pass < equalityPasses;
    if (keepsGaps)
    {
        int n = listColliding(world, world->order);
        n = palPickIndependent(n, rows->W, (size_t)rows->stride, world->factor,
                               (size_t)world->contactsMax, world->order);
        setEqualities(world, n);
        if (hasOnlyTools(world))
        {
            solveEqualities(world, n);
            return;
        }
    }
    else if (world->def.law == pal_toolEquality)
        setToolLaw(world, pal_lawUnilateral);
    chooseSolver(rows, world->clearance);
    palRows_Solve(rows);
    refine(rows, world->clearance);
}

//--------------------------------------------------------------------------------------------------
// L6: trial states under these forces

// Bounds the depth of new contacts: what was apart at the beginning is at most as deep at the end
// as the two bodies have moved. Where tissue is folded onto itself its sides are ambiguous, and
// greater depths are spurious.
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

static void takeForces(palWorldStep* world)
{
    const palRows* rows = world->rows;
    for (int i = 0; i < world->linkCount; i++)
        for (int k = 0; k < palLink_Rows(&world->links[i]); k++)
            world->links[i].lambda[k] = rows->lambda[rows->first[i] + k];
    palWorldStep_TakeJoints(world);
}

static void evaluateTrial(palWorldStep* world)
{
    for (int i = 0; i < world->bodyCount; i++)
        world->bodies[i]->ops->evaluateTrial(world->bodies[i], world->rows->lambda);
    takeForces(world);
    palWorldStep_MoveSurfaces(world);
    boundDepth(world);
}

// The accepted error of a closed contact at the end of a pass, m. Surfaces keep a clearance; wires
// may penetrate slightly and separate again in the next step.
static double slackOf(const palLink* link, const palWorldPair* pair)
{
    return palWorldStep_IsWires(link) ? wireSlack * link->distance
                                      : pair->usualClearance + pair->tolerance;
}

// Updates the error of the linear gaps. Returns whether a contact is closed by more than its slack.
static bool correctGaps(palWorldStep* world)
{
    const palRows* rows = world->rows;
    bool again = false;
    for (int i = 0; i < world->linkCount; i++)
    {
        const palLink* link = &world->links[i];
        const palWorldPair* pair = &world->pairs[world->pairOf[i]];
        int row = rows->first[i];
        const double* W = rows->W + (size_t)row * (size_t)rows->stride;
        double linear = rows->gap[row];
        for (int r = 0; r < rows->count; r++)
            linear += W[r] * rows->lambda[r];
        double late = fmin(link->gap - link->distance - startGap(world, link), 0.0);
        double gap = palWorldStep_Gap(world, link, true) - link->distance - late;
        world->gapError[i] += gap - linear;
        again = again || gap < -slackOf(link, pair);
    }
    return palWorldStep_CorrectJoints(world) || again;
}

//--------------------------------------------------------------------------------------------------
// The step

// Milliseconds since *begin, which is set to now.
static double since(int64_t* begin)
{
    int64_t now = palClock_Now();
    double spent = 1e-6 * (double)(now - *begin);
    *begin = now;
    return spent;
}

// The sanity pass and, where bodies still collide, the hold-back. At a shortened motion vertices
// may be inside that are not at its end: they are pushed out again.
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

// L1..L6 over h, at the end of which the handle is at `share` of its way. Returns whether the
// passes resolved all collisions.
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

// The longer a step, the farther tissue springs back in its free motion, and the more collides.
// After a step in which the passes did not resolve all collisions, steps are taken in more parts,
// until cleanStepsMin of them were clean.
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
    // A predicted motion is that of the whole step: it cannot be divided.
    int parts = hasPredicted(world) ? 1 : world->parts;
    if (world->def.wireCount > 0 && !hasPredicted(world))
        parts = (int)fmax(parts, ceil(h / wireStep - 1e-9));
    bool isApart = true;
    world->overflow = false;
    *info = (palWorldStepInfo){0};
    for (int k = 1; k <= parts; k++)
        isApart = advancePart(world, h / parts, (double)k / parts, info) && isApart;
    chooseParts(world, isApart);
    palContactProblem problem = palRows_Problem(world->rows);
    palProblemCopy_Take(world->problem, &problem, world->rows->lambda);
    for (int i = 0; i < world->def.toolCount; i++)
        world->tools[i]->before = world->tools[i]->handle;
}

bool palWorldStep_HasOnlySolids(const palWorldStep* world)
{
    bool only = world->def.wireCount == 0 && world->jointCount == 0;
    for (int i = 0; i < world->pairCount; i++)
        only = only && world->pairs[i].isSolid && palWorldStep_Tool(world, world->pairs[i].a);
    return only;
}

bool palWorldStep_Follow(palWorldStep* world, const palRigidState* states)
{
    bool isFree = true;
    for (int i = 0; i < world->def.toolCount; i++)
        palWorldRigid_SetTrial(world->tools[i], &states[i]);
    palWorldStep_MoveSurfaces(world);
    for (int i = 0; i < world->pairCount && isFree; i++)
        isFree = world->pairs[i].isIgnored ||
                 palWorldStep_FirstSolidCollision(world, &world->pairs[i], followDepth) == 1.0;
    for (int i = 0; i < world->def.toolCount && !isFree; i++)
        palWorldRigid_SetTrial(world->tools[i], &world->tools[i]->state);
    palWorldStep_MoveSurfaces(world);
    if (!isFree)
        return false;
    commit(world);
    for (int i = 0; i < world->def.toolCount; i++)
        world->tools[i]->before = world->tools[i]->handle;
    palWorldStep_FindContacts(world);
    return true;
}

//--------------------------------------------------------------------------------------------------

// Ignores contact between objects that overlap at the start, such as a body in its socket.
static void ignoreOverlapping(palWorldStep* world)
{
    for (int i = 0; i < world->pairCount; i++)
    {
        palWorldPair* pair = &world->pairs[i];
        if (palWorldStep_Tool(world, pair->a) != NULL || !palWorldStep_AreSurfaces(world, pair))
            continue;
        palSurfacePair surfaces = palWorldStep_Surfaces(world, pair);
        for (int ofA = 0; ofA < 2; ofA++)
        {
            int count =
                palSurfacePair_Inside(&surfaces, ofA, INFINITY, world->insideMax, world->inside);
            for (int k = 0; k < count && k < world->insideMax; k++)
                pair->isIgnored = pair->isIgnored || world->inside[k].depth > pair->usualClearance;
        }
    }
}

void palWorldStep_ChooseClearances(palWorldStep* world)
{
    for (int i = 0; i < world->pairCount; i++)
    {
        palWorldPair* pair = &world->pairs[i];
        if (pair->isIgnored || palWorldStep_Tool(world, pair->a) != NULL ||
            !palWorldStep_AreSurfaces(world, pair))
            continue;
        bool isSoft = palWorldStep_IsSearch(world) && palWorldStep_Object(world, pair->b) == NULL;
        double least = isSoft ? 0.0 : PAL_ABUTTING_SHARE;
        palSurfacePair surfaces = palWorldStep_Surfaces(world, pair);
        pair->clearance = pair->usualClearance;
        palSurfacePair_Near(&surfaces, pair->usualClearance, &world->found);
        for (int k = 0; k < world->found.count; k++)
            pair->clearance = fmin(pair->clearance, world->found.contacts[k].gap);
        pair->clearance = fmax(pair->clearance, least * pair->usualClearance);
    }
}

void palWorldStep_Place(palWorldStep* world)
{
    for (int i = 0; i < world->def.toolCount; i++)
    {
        palWorldRigid* tool = world->tools[i];
        tool->state = palRigid_AtHandle(&tool->tool->model, &tool->handle);
        tool->before = tool->handle;
    }
    palWorldStep_PlaceJoints(world);
    world->parts = 1;
    world->linkCount = 0;
    for (int i = 0; i < world->bodyCount; i++)
        world->bodies[i]->ops->reset(world->bodies[i]);
    palWorldStep_MoveSurfaces(world);
    ignoreOverlapping(world);
    palWorldStep_ChooseClearances(world);
    palWorldStep_PushOut(world, depthMost);
    commit(world);
    setDepth(world, depthMost);
    palWorldStep_FindContacts(world);
}

void palWorldStep_FindForces(palWorldStep* world, double h)
{
    begin(world, h, 1.0);
    makeRows(world);
    fillGaps(world);
    solveForces(world, 0);
    takeForces(world);
    for (int i = 0; i < world->linkCount; i++)
    {
        palLink* link = &world->links[i];
        if (link->gap <= link->distance + PAL_ABUTTING_SHARE * PAL_CONTACT_CLEARANCE)
            continue;
        memset(link->lambda, 0, sizeof link->lambda);
        world->isPressed[i] = false;
    }
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
