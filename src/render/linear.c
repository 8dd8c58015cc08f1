// SPDX-License-Identifier: Apache-2.0
// `linear`: a rigid tool in soft tissue, six degrees of freedom.
//
// M. A. Otaduy and M. Gross, "Transparent rendering of tool contact with compliant environments",
// World Haptics 2007. Section and equation numbers are the paper's.
//
// There are two instances of the tool, both coupled to the device. The visual one lives at the low
// rate with the soft bodies, in a full simulation of contact (world/step.h). The haptic one lives
// at the high rate and gets the contact as a small model of the present rows.
//
//     paper (section 3)                                              here
//     visual thread
//     1  coupling force to the visual tool, F of eq. (1)             L2  advance
//     2  free update of the visual tool, eqs. (2)-(4)                L1, L2  advance
//     3  free update of the deformable body, eqs. (5)-(7)            L1, L2  advance
//     4  continuous collision detection, constraints, eqs. (8), (9)  L3, L4  advance
//     5  contact forces, eqs. (10), (11), and post-collision state   L5, L6  advance
//     6  parameters of the linear contact model, eqs. (12), (13)     L4, L5  describe
//     7  sanity check: push out penetrating points                   L6  advance, before 6
//     haptic thread
//     1  coupling force to the haptic tool                           H2  moveFreely
//     2  free update of the haptic tool, eqs. (2)-(4)                H2  moveFreely
//     3  collision response by the linear model, eq. (13)            H3  findGaps, H4  solve
//     4  post-collision state, eq. (3)                               H5  correct
//     5  coupling force to the device                                H5  correct, H6  pipelines.c
//
// `constraints: equality` is the paper: frictionless rows that keep their gaps, and between two
// snapshots the linear model of section 5.3 (linear_model.h).
//
// `constraints: contact`, the default, is what the paper leaves to future work (section 7): at both
// rates contacts are unilateral, with friction (Coulomb's cone). At the high rate the quantities of
// eq. (11) are kept row by row, W = dt² Aλ instead of its inverse, and each tick solves
//
//     δ = max(gap, 0) + dt (J u⁻ + Ju u̇⁻) + W λ,    0 <= λ ⊥ δ >= 0
//
// where u̇⁻ and W include what the touched bodies rest on (linear_rows.h). A closed gap is kept on
// the velocity level, as in the paper: tissue that was indented since the snapshot does not push
// the tool back to where its surface was then.
//
// With `response: advanced`, the default, u̇⁻ follows the tool between snapshots (linear_model.h);
// `frozen` is the paper's model.
#include "base/error.h"
#include "render/method.h"
#include "render/tool_world.h"
#include "solve/dense.h"
#include "touch/linear_rows.h"
#include "world/hand.h"

#include <stdlib.h>
#include <string.h>

enum
{
    sweepsMax = 60, // of a tick
    sweepsMin = 4,  // of one with many rows
    sweptRows = 80, // rows up to which a tick has time for sweepsMax
    jointRowsMax = pal_tickContactsMax / 2,
    newtonRows = 64, // active rows up to which it has time for Newton steps
};

// Cosine between the normal of a contact and the force that it begins with.
static const double sameForce = 0.7;
static const double wedgeMost = 200.0; // N, of one contact

// The rows of the contacts that can act in a tick.
typedef struct palTickProblem
{
    int count;                   // contacts
    int rows;                    // of all of them
    int of[pal_tickContactsMax]; // which contact of the snapshot each is
    palContactBlock blocks[pal_tickContactsMax];
    double gapFree[pal_tickRowsMax];             // m
    double lambda[pal_tickRowsMax];              // N
    double W[pal_tickRowsMax * pal_tickRowsMax]; // m/N
} palTickProblem;

typedef struct palLinear
{
    palToolHand base;

    // Low rate.
    palLinearWork work;
    palTickBuilder builder;
    double* schur;    // owned, [contactsMax]²: Aλ of the linear model
    double* factor;   // owned, likewise: workspace
    double* velocity; // owned, [3 contactsMax], m/s
    int* order;       // owned, [contactsMax]
    palWrench* J;     // owned, [contactsMax]

    // High rate.
    palLinearModel model;                // after the filter
    palRigidState reference;             // the visual tool of that model
    uint64_t sequence;                   // of the snapshot that `lambda` belongs to
    double lambda[pal_tickRowsMax];      // of the last tick, N
    int pushingCount;                    // contacts of the last tick with a force,
    int keys[pal_tickContactsMax];       // which these are,
    palVec3 forces[pal_tickContactsMax]; // and their forces on the tool, N
    palSolveWorkspace* workspace;        // owned

    palWrench pushed; // by moving rigid bodies, in the mean, about the centre of the haptic tool

    // The tick under way.
    palWrench pushedNow;             // likewise
    double gapFree[pal_tickRowsMax]; // with `contact`, m; infinite: cannot act
    palTickProblem* problem;         // owned: of the contacts that can
    palWrench contact;               // on the haptic tool
} palLinear;

static void release(palMethod* method)
{
    palLinear* linear = (palLinear*)method;
    palTickBuilder_Free(&linear->builder);
    palLinearWork_Free(&linear->work);
    palSolveWorkspace_Destroy(linear->workspace);
    free(linear->schur);
    free(linear->factor);
    free(linear->velocity);
    free(linear->order);
    free(linear->problem);
    free(linear->J);
}

static palWorldStep* worldOf(const palLinear* linear)
{
    return &palToolHand_World(&linear->base.method)->step;
}

static palResult allocate(palLinear* linear, palError* error)
{
    size_t n = (size_t)worldOf(linear)->contactsMax;
    linear->schur = calloc(n * n, sizeof *linear->schur);
    linear->factor = calloc(n * n, sizeof *linear->factor);
    linear->velocity = calloc(3 * n, sizeof *linear->velocity);
    linear->order = calloc(n, sizeof *linear->order);
    linear->J = calloc(n, sizeof *linear->J);
    linear->problem = calloc(1, sizeof *linear->problem);
    if (linear->problem == NULL)
        return palError_Memory(error, "the contact problem", sizeof *linear->problem);
    if (!linear->schur || !linear->factor || !linear->velocity || !linear->order || !linear->J)
        return palError_Memory(error, "the contact model", n * n * sizeof *linear->schur);
    return pal_ok;
}

// The time step of the contact model, s.
static double modelStep(const palMethodDef* def)
{
    const palLinearSettings* settings = &def->settings.linear;
    bool isLow =
        settings->constraints == pal_toolEquality && settings->modelStep == pal_toolLowRate;
    return isLow ? def->lowDt : def->body.dt;
}

// Rigid bodies that move are pushed by rows that push.
static palResult checkLaw(const palMethodDef* def, palError* error)
{
    if (!palRigidHands_AreNeeded(def) || def->settings.linear.constraints != pal_toolEquality)
        return pal_ok;
    palError_Set(error, pal_errorInput,
                 "method linear moves rigid objects only with constraints: contact");
    return palError_Remedy(error, "take 'constraints' out, or use method coupling");
}

// Joints with a tool are rows that hold it between snapshots; beside rigid bodies that move they
// are joints of these.
static palResult checkJoints(const palMethodDef* def, palError* error)
{
    int rows = 0, both = 0;
    for (int i = 0; i < def->jointCount; i++)
    {
        const palPlace* ends = def->joints[i].ends;
        bool isOfTool[2] = {ends[0].kind == pal_placeRigid, ends[1].kind == pal_placeRigid};
        rows += isOfTool[0] || isOfTool[1] ? palLink_Rows(&def->joints[i]) : 0;
        both += isOfTool[0] && isOfTool[1];
    }
    bool isContact = def->settings.linear.constraints != pal_toolEquality;
    if (rows == 0 || (isContact && !palIsFrozen(def) && rows <= jointRowsMax && both == 0))
        return pal_ok;
    if (both > 0)
        palError_Set(error, pal_errorInput, "method linear does not join two tools");
    else if (rows > jointRowsMax)
        palError_Set(error, pal_errorInput, "the joints with tools have %d rows, at most %d fit",
                     rows, jointRowsMax);
    else
        palError_Set(error, pal_errorInput,
                     "method linear joins the tool only with constraints: contact and response: "
                     "advanced");
    return palError_Remedy(error, "use method compliance or coupling");
}

static palResult initWorld(palShared* shared, palError* error)
{
    palResult result = checkLaw(shared->defs, error);
    if (result == pal_ok && !palRigidHands_AreNeeded(shared->defs))
        result = checkJoints(shared->defs, error);
    if (result != pal_ok)
        return result;
    ((palToolWorld*)shared)->followsHaptic =
        shared->defs->settings.linear.constraints != pal_toolEquality;
    return palToolWorld_Init((palToolWorld*)shared, modelStep(shared->defs), error);
}

static palResult init(palMethod* method, palError* error)
{
    palLinear* linear = (palLinear*)method;
    palWorldStep* world = worldOf(linear);
    method->reportCapacity = pal_tickContactsMax;
    method->problemRows = pal_tickRowsMax;
    palResult result = allocate(linear, error);
    if (result == pal_ok)
        result = palLinearWork_Init(&linear->work, world->contactsMax + world->jointRows, error);
    if (result == pal_ok)
        result = palTickBuilder_Init(&linear->builder, world, palToolHand_Visual(method),
                                     &linear->work, error);
    if (result == pal_ok)
        result = palSolveWorkspace_Create(pal_tickRowsMax, true, &linear->workspace, error);
    return result;
}

static palPointState point(const palMethod* method)
{
    palLinear* linear = (palLinear*)method;
    palPointState at = palToolHand_Point(method);
    linear->reference = linear->base.haptic;
    return at;
}

static palResult makeSnapshot(const palMethod* method, palHandSnapshot* snapshot, palError* error)
{
    (void)method;
    snapshot->model = calloc(1, sizeof *snapshot->model);
    return snapshot->model != NULL
               ? pal_ok
               : palError_Memory(error, "the contact model", sizeof *snapshot->model);
}

// ---------------------------------------------------------------------------------------------
// Low rate

// The direction of the normal forces on the visual tool.
static palVec3 pressingOf(const palWorldStep* world, const palWorldRigid* tool)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < world->linkCount; i++)
        if (world->links[i].ends[0].body == tool->base.id)
            sum = palMulAdd(sum, world->links[i].lambda[0], world->links[i].axes[0]);
    return palNormalize(sum);
}

// Whether the tissue follows the tool. W_slow is the compliance over a low-rate step, or over the
// part of it that the world takes at once (world/step.h); before the first step there is none.
static bool follows(const palLinear* linear)
{
    return !palIsFrozen(&linear->base.method.def) && worldOf(linear)->h > 0.0 &&
           !palWorldStep_HasOnlySolids(worldOf(linear));
}

// Reduces a compliance to the rows in `order`, which is ascending.
static void keepRows(palRows* rows, int count, const int* order)
{
    size_t step = (size_t)rows->stride;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            rows->W[(size_t)i * step + (size_t)j] =
                rows->W[(size_t)order[i] * step + (size_t)order[j]];
}

// Picks independent rows of the first `acting` by their Aλ, and moves J and velocities to the
// front. Returns how many.
static int keepIndependent(palLinear* linear, const palRigidStep* tool, int acting)
{
    const palRows* fast = linear->builder.fast;
    size_t step = (size_t)worldOf(linear)->contactsMax;
    for (int i = 0; i < acting; i++)
    {
        palTwist response = palRigidStep_Response(tool, linear->J[i]);
        linear->order[i] = i;
        for (int j = 0; j < acting; j++)
            linear->schur[(size_t)i * step + (size_t)j] =
                fast->W[(size_t)i * (size_t)fast->stride + (size_t)j] +
                palRowDot(linear->J[j], response);
    }
    int count =
        palPickIndependent(acting, linear->schur, step, linear->factor, step, linear->order);
    for (int i = 0; i < count; i++)
    {
        linear->J[i] = linear->J[linear->order[i]];
        linear->velocity[i] = linear->velocity[linear->order[i]];
    }
    return count;
}

// Section 5.3, for the contacts with a force, which are the first `acting` ones.
static void buildLinear(palLinear* linear, const palRigidStep* tool, int acting, palToolModel* out)
{
    palTickBuilder* builder = &linear->builder;
    palWorldRigid* rigid = palToolHand_Visual(&linear->base.method);
    palRows *fast = builder->fast, *slow = builder->slow;
    double h = worldOf(linear)->h;
    bool isFollowing = follows(linear);
    palTickBuilder_FillSoft(builder, fast, acting, true, pal_rateFast, 1.0, linear->velocity);
    rigid->base.ops->takeRows(&rigid->base, fast, NULL);
    memcpy(linear->J, rigid->J, (size_t)acting * sizeof *linear->J);
    if (isFollowing)
        palTickBuilder_FillSoft(builder, slow, acting, true, pal_rateStep, h * h, NULL);
    int count = keepIndependent(linear, tool, acting);
    keepRows(fast, count, linear->order);
    if (isFollowing)
        keepRows(slow, count, linear->order);
    palLinearModelDef def = {
        .tool = tool,
        .count = count,
        .rows = linear->J,
        .softMobility = fast->W,
        .softSlow = isFollowing ? slow->W : NULL,
        .stride = (size_t)fast->stride,
        .softVelocity = linear->velocity,
    };
    palLinearModel_Build(&out->model, &def, &linear->work);
}

// L1..L6: visual tools and soft bodies to the time of the haptic state.
static void advance(palShared* shared, palLowStep* step)
{
    palHandle handles[pal_handsMax];
    for (int i = 0; i < shared->handCount; i++)
        handles[i] = palHandle_FromState(&step->state->hands[i]);
    palToolWorld_AdvanceTo((palToolWorld*)shared, handles, step);
}

// Linearises the soft bodies and the wires at the step of the contact models.
static void beginFast(palShared* shared, palLowStep* step)
{
    palWorldStep* world = &((palToolWorld*)shared)->step;
    double dt = modelStep(shared->defs);
    bool isTouching = world->linkCount + world->jointCount > 0;
    for (int i = 0; i < world->def.colliderCount && isTouching; i++)
    {
        palWorldSoft* soft = palWorldStep_Soft(world, i);
        if (soft != NULL)
            world->failures += !palWorldSoft_BeginFast(soft, dt);
    }
    for (int i = 0; i < world->def.wireCount && isTouching; i++)
        world->failures += !palWorldWire_BeginFast(palWorldStep_Wire(world, i), dt);
    palLowInfo_AddWorld(&step->info, world);
}

// The contacts under which tissue follows the tool: those with a force. Before the first touch it
// is the one to come: until a snapshot has its force, up to two updates later, the tissue would
// resist by its inertia alone, as if it had no stiffness.
static int closedCount(palWorldStep* world, const palWorldRigid* tool, int acting, int count)
{
    return acting > 0 ? acting : palWorldStep_PutNextFirst(world, tool, count);
}

// L4, L5: the contact model. All bodies are linearised at the same time step, that of the model;
// otherwise the velocities of the rows would not vanish.
static void describe(palMethod* method, palLowStep* step)
{
    palLinear* linear = (palLinear*)method;
    palWorldStep* world = worldOf(linear);
    const palWorldRigid* visual = palToolHand_Visual(method);
    const palMethodDef* def = &method->def;
    palToolModel* out = palLowStep_View(step, method)->model;
    bool isEquality = def->settings.linear.constraints == pal_toolEquality;
    palHandle handle = palHandle_FromState(palLowStep_Hand(step, method));
    palRigidStep tool =
        palRigid_Free(&visual->tool->model, &visual->state, &handle, modelStep(def));
    out->pressing = pressingOf(world, visual);
    out->visual = visual->state;
    int count;
    int acting = palWorldStep_PutActingFirst(world, visual, &count);
    if (isEquality)
        buildLinear(linear, &tool, acting, out);
    else
        palTickRows_Build(&out->rows, &linear->builder, &tool, count,
                          closedCount(world, visual, acting, count), follows(linear));
    palToolHand_EndSnapshot(method, step);
}

// ---------------------------------------------------------------------------------------------
// High rate

// The model of the snapshot, low-pass filtered.
static void takeModel(palLinear* linear, const palToolModel* in)
{
    double filter = linear->base.method.def.settings.linear.filter;
    if (!(filter > 0.0))
    {
        linear->model = in->model;
        linear->reference = in->visual;
        return;
    }
    double share = 1.0 - exp(-linear->base.method.def.body.dt / filter);
    palLinearModel_Approach(&linear->model, &in->model, share);
    linear->reference.x = palLerp(linear->reference.x, in->visual.x, share);
    linear->reference.q = palSlerp(linear->reference.q, in->visual.q, share);
}

// Eq. (13).
static palWrench solveLinear(palLinear* linear, const palToolModel* in, palHighInfo* info)
{
    const palMethodDef* def = &linear->base.method.def;
    const palRigidState* haptic = &linear->base.haptic;
    palWrench discrete = linear->base.step.discrete;
    if (def->settings.linear.modelStep == pal_toolLowRate)
        discrete =
            palRigid_Free(&def->tool->model, haptic, &linear->base.handle, def->lowDt).discrete;
    double along = palDot(in->pressing, palSub(haptic->x, linear->reference.x));
    palVec3 moved = palScale(along, in->pressing);
    info->constraints = info->active = linear->model.rowCount;
    info->iterations = 1;
    info->carried.x = NAN; // its constraints are no contacts
    return palLinearModel_Evaluate(&linear->model, discrete, moved, pal_zeroVec3);
}

// Reports the contacts that push.
static void reportContacts(const palTickRows* in, const double* lambda, const palMethodDef* def,
                           palHighInfo* info)
{
    for (int i = 0; i < in->contactCount; i++)
    {
        palContactForce contact = {
            .object = in->object[i],
            .other = palMethodDef_HandBody(def),
            .hand = def->hand,
            .point = in->point[i],
            .normal = in->normal[i],
        };
        for (int r = in->first[i]; r < in->first[i + 1]; r++)
            contact.force = palMulAdd(contact.force, -lambda[r], in->along[r]);
        if (lambda[in->first[i]] > 0.0 && in->blocks[i].law != pal_lawBilateral)
            palContactReport_Add(info->contacts, &contact);
    }
}

// The cost of a sweep grows with the square of the rows: the more rows, the fewer sweeps.
static int sweepsFor(int rows)
{
    int most = sweepsMax * sweptRows * sweptRows / (rows * rows + 1);
    return most > sweepsMax ? sweepsMax : most < sweepsMin ? sweepsMin : most;
}

// A tool that is wedged between rigid sides takes any pair of opposite forces: Newton's method may
// find huge ones.
static bool isWedgedTooHard(const palTickProblem* problem)
{
    double most = 0.0;
    for (int i = 0; i < problem->count; i++)
        most = fmax(most, problem->lambda[problem->blocks[i].row]);
    return most > wedgeMost;
}

static void gatherRows(palLinear* linear, const palTickRows* in)
{
    palTickProblem* p = linear->problem;
    p->count = p->rows = 0;
    for (int c = 0; c < in->contactCount; c++)
    {
        int first = in->first[c], size = in->blocks[c].size;
        bool acts = isfinite(linear->gapFree[first]);
        for (int k = 0; k < size; k++)
        {
            linear->lambda[first + k] = acts ? linear->lambda[first + k] : 0.0;
            p->gapFree[p->rows + k] = linear->gapFree[first + k];
            p->lambda[p->rows + k] = linear->lambda[first + k];
        }
        if (!acts)
            continue;
        p->of[p->count] = c;
        p->blocks[p->count] = in->blocks[c];
        p->blocks[p->count++].row = p->rows;
        p->rows += size;
    }
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->blocks[i].size; k++)
        {
            const double* from = in->W + (size_t)(in->first[p->of[i]] + k) * pal_tickRowsMax;
            double* to = p->W + (size_t)(p->blocks[i].row + k) * pal_tickRowsMax;
            for (int j = 0; j < p->count; j++)
                memcpy(to + p->blocks[j].row, from + in->first[p->of[j]],
                       (size_t)p->blocks[j].size * sizeof *to);
        }
}

// Solves for λ of all rows. Returns force and torque on the tool.
static palWrench solveRows(palLinear* linear, const palTickRows* in, palHighInfo* info)
{
    palTickProblem* p = linear->problem;
    gatherRows(linear, in);
    palContactProblem problem = {
        .rows = p->rows,
        .blockCount = p->count,
        .stride = pal_tickRowsMax,
        .W = p->W,
        .gapFree = p->gapFree,
        .blocks = p->blocks,
    };
    palSolveSettings settings = palDefaultSolveSettings();
    settings.tolerance = 1e-3; // of the largest gap of a tick: some 0.1 mN
    settings.accuracy = PAL_GAP_ROUNDING;
    settings.maxSweeps = sweepsFor(p->rows);
    settings.warmStart = true;
    palSolveInfo solved;
    palContactProblem_Solve(&problem, &settings, linear->workspace, p->lambda, &solved);
    if (!(solved.flags & pal_solveConverged) && solved.activeRows <= newtonRows)
    {
        double before[pal_tickRowsMax];
        memcpy(before, p->lambda, (size_t)p->rows * sizeof *before);
        int sweeps = solved.sweeps;
        settings.solver = pal_solverAutomatic;
        palContactProblem_Solve(&problem, &settings, linear->workspace, p->lambda, &solved);
        solved.sweeps += sweeps;
        if (isWedgedTooHard(p))
            memcpy(p->lambda, before, (size_t)p->rows * sizeof *before);
    }
    for (int i = 0; i < p->count; i++)
        memcpy(linear->lambda + in->first[p->of[i]], p->lambda + p->blocks[i].row,
               (size_t)p->blocks[i].size * sizeof *p->lambda);
    palProblemCopy_Take(info->problem, &problem, p->lambda);
    info->constraints = p->rows;
    info->active = solved.activeRows;
    info->iterations = solved.sweeps;
    info->residual = solved.residual;
    info->converged = (solved.flags & pal_solveConverged) != 0;
    return palTickRows_Wrench(in, linear->lambda);
}

// H2: coupling force and free motion of the haptic tool, eq. (3) with λ = 0.
static void moveFreely(palMethod* method, palTick* tick)
{
    palLinear* linear = (palLinear*)method;
    linear->base.handle = palHandle_FromDevice(&tick->device);
    linear->base.step = palRigid_Free(&method->def.tool->model, &linear->base.haptic,
                                      &linear->base.handle, method->def.body.dt);
    linear->base.alone = linear->base.step.free;
}

// Remembers the forces of a tick by the features of their contacts.
static void keepForces(palLinear* linear, const palTickRows* in)
{
    linear->pushingCount = 0;
    for (int i = 0; i < in->contactCount; i++)
    {
        palVec3 force = pal_zeroVec3;
        for (int r = in->first[i]; r < in->first[i + 1]; r++)
            force = palMulAdd(force, linear->lambda[r], in->along[r]);
        if (!in->isRigid[i] || !(linear->lambda[in->first[i]] > 0.0))
            continue;
        linear->keys[linear->pushingCount] = in->key[i];
        linear->forces[linear->pushingCount++] = force;
    }
}

// The forces to start from with a new snapshot: those of the low rate, or of the last tick.
static void takeForces(palLinear* linear, const palTickRows* in)
{
    memcpy(linear->lambda, in->force, sizeof linear->lambda);
    for (int i = 0; i < in->contactCount; i++)
    {
        const int first = in->first[i];
        palVec3 n = in->along[first];
        for (int k = 0; k < linear->pushingCount && in->isRigid[i]; k++)
        {
            palVec3 force = linear->forces[k];
            if (linear->keys[k] != in->key[i] || palDot(force, n) < sameForce * palLength(force))
                continue;
            for (int r = first; r < in->first[i + 1]; r++)
                linear->lambda[r] = palDot(force, in->along[r]);
        }
    }
}

// H3: the filtered model, or the free gaps of the rows.
static void findGaps(palMethod* method, palTick* tick)
{
    palLinear* linear = (palLinear*)method;
    uint64_t sequence = tick->snapshots[0]->sequence;
    const palTickRows* in = &tick->view->model->rows;
    if (method->def.settings.linear.constraints == pal_toolEquality)
    {
        takeModel(linear, tick->view->model);
        return;
    }
    if (linear->sequence != sequence)
        takeForces(linear, in);
    linear->sequence = sequence;
    palTickRows_FreeGaps(in, &method->def.tool->model, &linear->base.haptic, &linear->base.step,
                         linear->gapFree);
}

// H4: contact force and torque.
static void solve(palMethod* method, palTick* tick)
{
    palLinear* linear = (palLinear*)method;
    const palToolModel* in = tick->view->model;
    linear->contact = method->def.settings.linear.constraints == pal_toolEquality
                          ? solveLinear(linear, in, &tick->info)
                          : solveRows(linear, &in->rows, &tick->info);
}

// The mean of what moving bodies do, over about a low-rate step.
static void keepPushed(palLinear* linear)
{
    const palMethodDef* def = &linear->base.method.def;
    double share = fmin(1.0, def->body.dt / def->lowDt);
    palWrench now = linear->pushedNow;
    linear->pushed.force = palLerp(linear->pushed.force, now.force, share);
    linear->pushed.torque = palLerp(linear->pushed.torque, now.torque, share);
}

// What the rows do to the hand; what is not reported of it are joints.
static void report(const palLinear* linear, palTick* tick)
{
    palHighInfo* info = &tick->info;
    int first = info->contacts->count;
    reportContacts(&tick->view->model->rows, linear->lambda, &linear->base.method.def, info);
    info->carried = palAdd(info->carried, linear->contact.force);
    for (int i = first; i < info->contacts->count; i++)
        info->carried = palAdd(info->carried, info->contacts->items[i].force);
}

// H5: post-collision state, and the coupling force and torque on the hand.
static void correct(palMethod* method, palTick* tick)
{
    palLinear* linear = (palLinear*)method;
    if (method->shared->rigid != NULL)
        keepPushed(linear);
    palTwist u = palRigidStep_Correct(&linear->base.step, linear->contact);
    palToolHand_EndTick(&linear->base, &method->def.tool->model, u, tick);
    if (method->def.settings.linear.constraints != pal_toolEquality)
    {
        report(linear, tick);
        keepForces(linear, &tick->view->model->rows);
    }
    palRigidHands_Report(method, tick);
}

//--------------------------------------------------------------------------------------------------
// Rigid bodies that move

static void push(palMethod* method, palTick* tick, palWrench wrench)
{
    palLinear* linear = (palLinear*)method;
    palToolHand_Push(&linear->base, wrench);
    linear->pushedNow = wrench;
    palTickRows_FreeGaps(&tick->view->model->rows, &method->def.tool->model, &linear->base.haptic,
                         &linear->base.step, linear->gapFree);
}

// The rows as contacts at the present places of the tool, with the gaps that they have there.
static palVec3 stop(const palMethod* method, const palTick* tick, palPile* pile, int body)
{
    const palLinear* linear = (const palLinear*)method;
    const palTickRows* in = &tick->view->model->rows;
    const palRigidStep* step = &linear->base.step;
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < in->contactCount; i++)
    {
        const int first = in->first[i], size = in->first[i + 1] - first;
        if (!isfinite(linear->gapFree[first]))
            continue;
        palPileStop stop = {
            .body = body,
            .point = palRigid_Point(&method->def.tool->model, &linear->base.haptic, in->onTool[i]),
            .gap = linear->gapFree[first] - step->h * palRowDot(in->J[first], step->free),
            .friction = size == 3 ? in->blocks[i].mu : 0.0,
        };
        for (int k = 0; k < size && k < 3; k++)
        {
            stop.axes[k] = in->along[first + k];
            stop.lambda[k] = linear->lambda[first + k];
            sum = palMulAdd(sum, stop.lambda[k], stop.axes[k]);
        }
        palPile_Stop(pile, &stop);
    }
    return sum;
}

static const palRigidHandOps rigidHand = {
    .motion = palToolHand_Motion,
    .push = push,
    .stop = stop,
};

static void writeState(const palMethod* method, palHapticHand* state)
{
    palToolHand_WriteState(method, state);
    state->pushed = ((const palLinear*)method)->pushed;
}

static void archiveMethod(palMethod* method, palArchive* archive)
{
    palLinear* linear = (palLinear*)method;
    palToolHand_Archive(method, archive);
    PAL_ARCHIVE(archive, linear->model);
    PAL_ARCHIVE(archive, linear->reference);
    PAL_ARCHIVE(archive, linear->sequence);
    PAL_ARCHIVE(archive, linear->lambda);
    PAL_ARCHIVE(archive, linear->pushingCount);
    PAL_ARCHIVE_ARRAY(archive, linear->keys, linear->pushingCount);
    PAL_ARCHIVE_ARRAY(archive, linear->forces, linear->pushingCount);
    PAL_ARCHIVE(archive, linear->pushed);
}

static void archiveSnapshot(const palMethod* method, palHandSnapshot* snapshot, palArchive* archive)
{
    (void)method;
    palToolModel* model = snapshot->model;
    PAL_ARCHIVE(archive, model->visual);
    PAL_ARCHIVE(archive, model->pressing);
    PAL_ARCHIVE(archive, model->model);
    palTickRows_Archive(&model->rows, archive);
}

static const palSharedOps sharedLinear = {
    PAL_TOOL_WORLD,
    .init = initWorld,
    .advance = advance,
    .describe = beginFast,
};

const palMethodOps pal_methodLinear = {
    .name = "linear",
    .hand = pal_handTool,
    .shared = &sharedLinear,
    PAL_TOOL_ACCEPTS,
    .rigidHand = &rigidHand,
    .size = sizeof(palLinear),
    .trustShare = 1.0,
    .init = init,
    .free = release,
    .makeSnapshot = makeSnapshot,
    .place = palToolHand_Place,
    .point = point,
    .writeState = writeState,
    .describe = describe,
    .moveFreely = moveFreely,
    .findGaps = findGaps,
    .solve = solve,
    .correct = correct,
    .archive = archiveMethod,
    .archiveSnapshot = archiveSnapshot,
    .tool = palToolHand_View,
};
