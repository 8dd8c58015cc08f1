// SPDX-License-Identifier: Apache-2.0
// `linear`: a rigid tool in soft tissue, six degrees of freedom.
//
// M. A. Otaduy and M. Gross, "Transparent rendering of tool contact with compliant environments",
// World Haptics 2007. Section and equation numbers are the paper's.
//
// There are two instances of the tool, both coupled to the device. The visual one lives at the low
// rate with the soft bodies, in a full simulation of contact (tool_side.h, section 5.2). The haptic
// one lives at the high rate and is given the contact as a small model of the present rows.
//
// `constraints: equality` is the paper: frictionless rows that keep their gaps, and between two
// snapshots the linear model of section 5.3 (linear_model.h).
//
// `constraints: contact`, the default, is what the paper leaves to future work. At both rates the
// rows only push, and rub (Coulomb's cone). At the high rate the same quantities as in eq. (11) are
// kept row by row, W = dt² Aλ in place of its inverse, and each tick solves for the rows that act:
//
//     δ = max(gap, 0) + dt (J u⁻ + Ju u̇⁻) + W λ,    0 <= λ ⊥ δ >= 0
//
// A closed gap is kept on the velocity level, as in the paper: tissue that has been pressed in
// since the snapshot does not push the tool out by its old place.
//
// `response: advanced`, the default, lets u̇⁻ follow the tool between snapshots (linear_model.h);
// `frozen` is the paper's.
#include "base/clock.h"
#include "render/linear_model.h"
#include "render/tool_side.h"

#include <string.h>

enum
{
    stride = pal_touchRowsMax,
    sweepsMax = 20, // of a tick
};

// What the high rate is given, as palSnapshot.own.
typedef struct ContactModel
{
    palRigidState visual; // the visual tool at the snapshot's time
    palVec3 pressing;     // unit, the direction of the contact force; zero without
    palLinearModel model; // with `equality`

    // With `contact`.
    palTouchRows rows;
    palContactBlock blocks[pal_touchesMax];
    palVec3 onTool[pal_touchesMax];    // tool's frame, m
    palVec3 point[pal_touchesMax];     // where that was, m
    palVec3 normal[pal_touchesMax];    // unit
    double gap[pal_touchesMax];        // m, clearance subtracted
    int closed;                        // touches that push the visual tool, the first ones
    double depth[pal_touchesMax];      // m, by which the tissue gives way at those
    int object[pal_touchesMax];        // index of the collider
    double force[stride];              // λ of the low rate, N
    double softVelocity[stride];       // Ju u̇⁻, m/s
    double W[stride * stride];         // m/N, tool and soft bodies
    double R[stride * pal_touchesMax]; // normals, [touches][stride]: columns of the closed ones
    bool follows;                      // R is there
} ContactModel;

typedef struct palLinear
{
    palMethod method;

    // Low rate.
    palToolSide side;
    palLinearWork work;
    palTouchRows normals;
    double fast[stride * stride]; // soft bodies alone: m/N, or 1/kg for the linear model
    double slow[stride * stride]; // m/N

    // High rate.
    palRigidState haptic;
    palLinearModel model;         // as it acts: filtered
    palRigidState reference;      // the visual tool that belongs to it
    uint64_t sequence;            // of the snapshot that `lambda` belongs to
    double lambda[stride];        // of the last tick, N
    palSolveWorkspace* workspace; // owned
} palLinear;

static void release(palMethod* method)
{
    palLinear* linear = (palLinear*)method;
    palToolSide_Free(&linear->side);
    palSolveWorkspace_Destroy(linear->workspace);
}

static palResult init(palMethod* method, palError* error)
{
    palLinear* linear = (palLinear*)method;
    method->reportCapacity = pal_touchesMax;
    method->problemRows = pal_touchRowsMax;
    palResult result = palToolSide_Init(&linear->side, &method->def, true, error);
    if (result == pal_ok)
        result = palSolveWorkspace_Create(stride, false, &linear->workspace, error);
    return result;
}

static void place(palMethod* method, const palDeviceState* device, palPointState* body)
{
    palLinear* linear = (palLinear*)method;
    palHandle handle = palToolSide_DeviceHandle(device);
    palToolSide_Place(&linear->side, &handle, 0.0);
    linear->haptic = linear->reference = linear->side.visual;
    *body = palToolSide_Body(method->def.tool, &linear->haptic);
}

static void tell(const palMethod* method, void* own)
{
    const palLinear* linear = (const palLinear*)method;
    memcpy(own, &linear->haptic, sizeof linear->haptic);
}

// ---------------------------------------------------------------------------------------------
// Low rate

static void clear(double* W, int count)
{
    for (int i = 0; i < count; i++)
        memset(W + i * stride, 0, (size_t)count * sizeof *W);
}

// Where the tissue pushes the visual tool to.
static palVec3 pressingOf(const palToolSide* side)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < side->touchCount; i++)
        sum = palMulAdd(sum, side->touches[i].force[0], side->touches[i].n);
    return palNormalize(sum);
}

// Adds what the soft bodies do to the rows: scale Ju Au⁻¹ Juᵀ and, at the fast step, Ju u̇⁻.
static void addTissues(palLinear* linear, const palTouchRows* rows, bool isFast, double scale,
                       double* W, double* velocity)
{
    palToolSide* side = &linear->side;
    for (int i = 0; i < linear->method.def.colliderCount; i++)
    {
        palTissue* tissue = side->tissues[i];
        if (tissue == NULL)
            continue;
        palTissueRows_Fill(&tissue->rows, rows, side->touches, i, &side->def->colliders[i]);
        palTissueRows_Add(&tissue->rows, isFast ? tissue->fast : tissue->step, scale, W, velocity);
    }
}

// W_slow of the normals: the compliance of a low-rate step, or of the part of it that the low rate
// takes at once (tool_side.h). False where none was made yet.
static bool fillSlow(palLinear* linear, const palTouchRows* rows)
{
    palToolSide* side = &linear->side;
    if (linear->method.def.frozenResponse)
        return false;
    double h = side->step.h;
    if (!(h > 0.0))
        return false;
    clear(linear->slow, rows->count);
    addTissues(linear, rows, false, h * h, linear->slow, NULL);
    return true;
}

// Puts the touches that have a force first in the list. Returns how many.
static int gatherActing(palToolSide* side)
{
    int count = 0;
    for (int i = 0; i < side->touchCount; i++)
        if (side->touches[i].force[0] != 0.0)
        {
            palTouch touch = side->touches[i];
            side->touches[i] = side->touches[count];
            side->touches[count++] = touch;
        }
    return count;
}

// Keeps the rows in `order`, ascending, of everything that the linear model is made from.
static void keepRows(palLinear* linear, int count, const int* order, double* velocity)
{
    palTouchRows* rows = &linear->normals;
    for (int i = 0; i < count; i++)
    {
        int row = order[i];
        rows->J[i] = rows->J[row];
        velocity[i] = velocity[row];
        for (int j = 0; j < count; j++)
        {
            linear->fast[i * stride + j] = linear->fast[row * stride + order[j]];
            linear->slow[i * stride + j] = linear->slow[row * stride + order[j]];
        }
    }
    rows->count = count;
}

// Section 5.3.
static void buildLinear(palLinear* linear, const palRigidStep* tool, ContactModel* out)
{
    palToolSide* side = &linear->side;
    palTouchRows* rows = &linear->normals;
    palTouchRows_Fill(rows, side->touches, gatherActing(side), true, &side->tool->model,
                      &side->visual);
    double velocity[stride] = {0}, ignored[stride] = {0};
    int order[pal_touchesMax];
    clear(linear->fast, rows->count);
    addTissues(linear, rows, true, 1.0, linear->fast, velocity);
    bool follows = fillSlow(linear, rows);

    // Independent rows by their Aλ.
    for (int i = 0; i < rows->count; i++)
    {
        order[i] = i;
        memcpy(out->W + i * stride, linear->fast + i * stride,
               (size_t)rows->count * sizeof(double));
    }
    palTouchRows_AddTool(rows, tool, 1.0, out->W, ignored);
    int count = palPickRows(rows->count, out->W, stride, out->R, order);
    keepRows(linear, count, order, velocity);
    palLinearModelDef def = {
        .tool = tool,
        .count = rows->count,
        .rows = rows->J,
        .softMobility = linear->fast,
        .softSlow = follows ? linear->slow : NULL,
        .stride = stride,
        .softVelocity = velocity,
    };
    palLinearModel_Build(&out->model, &def, &linear->work);
}

// How far the tissue at a touch is pressed in from where it rests, m.
static double pressedIn(const palToolSide* side, const palTouch* touch)
{
    const palCollider* collider = &side->def->colliders[touch->object];
    const palSkin* skin = &collider->skin;
    double way = 0.0;
    if (collider->soft == NULL)
        return way;
    for (int k = 0; k < touch->place.count; k++)
        for (int j = 0; j < skin->nodesEach; j++)
        {
            int at = touch->place.vertices[k] * skin->nodesEach + j;
            palVec3 moved =
                palSub(collider->soft->rest[skin->nodes[at]], collider->soft->x[skin->nodes[at]]);
            way += touch->place.weights[k] * skin->weights[at] * palDot(touch->n, moved);
        }
    return fmax(way, 0.0);
}

// How the normals go on while the tool moves the `closed` touches, the first ones; and by how much
// the tissue gives way at them, as far as it can follow a tool that recedes.
static void fillFollowing(palLinear* linear, int closed, ContactModel* out)
{
    palToolSide* side = &linear->side;
    palTouchRows* rows = &linear->normals;
    int n = side->touchCount;
    palTouchRows_Fill(rows, side->touches, closed, true, &side->tool->model, &side->visual);
    out->closed = closed;
    out->follows = fillSlow(linear, rows);
    if (!out->follows)
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < closed; j++)
            out->R[i * stride + j] = linear->fast[out->rows.first[i] * stride + out->rows.first[j]];
    palLinearModel_Follow(n, closed, linear->slow, stride, &linear->work, out->R);
    for (int i = 0; i < closed; i++)
    {
        out->depth[i] = 0.0;
        for (int j = 0; j < closed; j++)
            out->depth[i] += linear->slow[i * stride + j] * side->touches[j].force[0];
        // Crushed tissue is linear for less than that.
        out->depth[i] = fmin(fmax(out->depth[i], 0.0), pressedIn(side, &side->touches[i]));
    }
}

// The rows that may act until the next snapshot.
static void buildRows(palLinear* linear, const palRigidStep* tool, ContactModel* out)
{
    palToolSide* side = &linear->side;
    palTouchRows* rows = &out->rows;
    double dt = tool->h;
    int closed = gatherActing(side);
    palTouchRows_Fill(rows, side->touches, side->touchCount, false, &side->tool->model,
                      &side->visual);
    memset(out->softVelocity, 0, sizeof out->softVelocity);
    clear(linear->fast, rows->count);
    addTissues(linear, rows, true, dt * dt, linear->fast, out->softVelocity);
    for (int i = 0; i < rows->count; i++)
        memcpy(out->W + i * stride, linear->fast + i * stride,
               (size_t)rows->count * sizeof(double));
    double ignored[stride] = {0};
    palTouchRows_AddTool(rows, tool, dt * dt, out->W, ignored);
    for (int i = 0; i < side->touchCount; i++)
    {
        const palTouch* touch = &side->touches[i];
        int size = rows->first[i + 1] - rows->first[i];
        out->blocks[i] = (palContactBlock){
            .law = size == 3 ? pal_lawCone : pal_lawUnilateral,
            .row = rows->first[i],
            .size = size,
            .mu = touch->friction,
        };
        out->onTool[i] = touch->onTool;
        out->point[i] = palRigid_Point(&side->tool->model, &side->visual, touch->onTool);
        out->normal[i] = touch->n;
        out->gap[i] = touch->gap - PAL_TOOL_CLEARANCE;
        out->object[i] = touch->object;
        memcpy(out->force + rows->first[i], touch->force, (size_t)size * sizeof(double));
    }
    fillFollowing(linear, closed, out);
}

static void low(palMethod* method, const palHapticState* hand, palSnapshot* snapshot,
                palLowInfo* info)
{
    palLinear* linear = (palLinear*)method;
    palToolSide* side = &linear->side;
    const palMethodDef* def = &method->def;
    ContactModel* out = snapshot->own;

    // L1..L6: visual tool and soft bodies to the time of the haptic state.
    palHandle handle = palToolSide_Handle(hand);
    palToolSide_Step(side, &handle, hand->time, info);

    // The same bodies at the step of the model; all of it at one step, or the velocities of the
    // rows would not vanish.
    int64_t begin = palClock_Now();
    bool isLow = def->toolLaw == pal_toolEquality && def->modelStep == pal_toolLowRate;
    double dt = isLow ? def->lowDt : def->body.dt;
    for (int i = 0; i < def->colliderCount; i++)
        if (side->tissues[i] != NULL && side->touchCount > 0)
        {
            palTissue* tissue = side->tissues[i];
            side->failures += !palSoftStep_Begin(tissue->fast, dt, false);
            tissue->isLinear = tissue->fast->factored;
        }
    int64_t factored = palClock_Now();
    info->freeMs += 1e-6 * (double)(factored - begin);

    // The contact model.
    out->pressing = pressingOf(side);
    palRigidStep tool = palRigid_Free(&side->tool->model, &side->visual, &handle, dt);
    out->visual = side->visual;
    if (def->toolLaw == pal_toolEquality)
        buildLinear(linear, &tool, out);
    else
        buildRows(linear, &tool, out);
    info->complianceMs += 1e-6 * (double)(palClock_Now() - factored);
    snapshot->trustCentre = hand->body.x;
    snapshot->trustRadius = INFINITY;
    snapshot->shrunk = side->overflow;
    info->failures = side->failures;
}

// ---------------------------------------------------------------------------------------------
// High rate

// The model that acts: the snapshot's, or on its way there.
static void takeModel(palLinear* linear, const ContactModel* in)
{
    double filter = linear->method.def.modelFilter;
    if (!(filter > 0.0))
    {
        linear->model = in->model;
        linear->reference = in->visual;
        return;
    }
    double share = 1.0 - exp(-linear->method.def.body.dt / filter);
    palLinearModel_Approach(&linear->model, &in->model, share);
    linear->reference.x = palLerp(linear->reference.x, in->visual.x, share);
    linear->reference.q = palSlerp(linear->reference.q, in->visual.q, share);
}

// Eq. (13).
static palWrench touchLinear(palLinear* linear, const ContactModel* in, const palHandle* handle,
                             const palRigidStep* step, palHighInfo* info)
{
    const palMethodDef* def = &linear->method.def;
    const palRigidState* haptic = &linear->haptic;
    takeModel(linear, in);
    palWrench discrete = step->discrete;
    if (def->modelStep == pal_toolLowRate)
        discrete = palRigid_Free(&def->tool->model, haptic, handle, def->lowDt).discrete;
    double along = palDot(in->pressing, palSub(haptic->x, linear->reference.x));
    palVec3 moved = palScale(along, in->pressing);
    info->constraints = info->active = linear->model.rowCount;
    info->iterations = 1;
    return palLinearModel_Evaluate(&linear->model, discrete, moved, pal_zeroVec3);
}

// H3: δ_free of every row.
static void freeGaps(const palLinear* linear, const ContactModel* in, const palRigidStep* step,
                     double* gapFree)
{
    const palTouchRows* rows = &in->rows;
    const palRigidModel* model = &linear->method.def.tool->model;
    const palRigidState* haptic = &linear->haptic;
    palMat3 turn = palMakeMat3Quat(haptic->q);
    double gap[pal_touchesMax], followed[pal_touchesMax];
    int n = rows->touchCount;
    for (int i = 0; i < n; i++)
    {
        palVec3 lever = palSub(in->onTool[i], model->def.mass.centre);
        palVec3 p = palAdd(haptic->x, palMat3Apply(turn, lever));
        palVec3 moved = palSub(p, in->point[i]);
        gap[i] = in->gap[i] + palDot(in->normal[i], moved);
        if (i >= in->closed || !in->follows)
            continue;
        // Tissue that is pressed in comes along with a tool that recedes, as far as it was.
        followed[i] = fmin(gap[i], in->depth[i]);
        gap[i] -= fmax(followed[i], 0.0);
    }
    for (int r = 0; r < rows->count; r++)
        gapFree[r] = step->h * (palRowDot(rows->J[r], step->free) + in->softVelocity[r]);
    for (int i = 0; i < n; i++)
    {
        double* free = &gapFree[rows->first[i]];
        *free += fmax(gap[i], 0.0);
        for (int j = 0; j < in->closed && in->follows; j++)
            *free += in->R[i * stride + j] * followed[j];
    }
}

// What pushes each object.
static void reportContacts(const ContactModel* in, const double* lambda, int hand,
                           palHighInfo* info)
{
    for (int i = 0; i < in->rows.touchCount; i++)
    {
        palVec3 force = pal_zeroVec3;
        for (int r = in->rows.first[i]; r < in->rows.first[i + 1]; r++)
            force = palMulAdd(force, -lambda[r], in->rows.along[r]);
        palReportTouch(info, in->object[i], hand, in->point[i], in->normal[i],
                       lambda[in->rows.first[i]], force);
    }
}

// H4: the rows that push, and how hard.
static palWrench touchRows(palLinear* linear, const palSnapshot* snapshot, const palRigidStep* step,
                           palHighInfo* info)
{
    const ContactModel* in = snapshot->own;
    double gapFree[stride];
    if (linear->sequence != snapshot->sequence)
        memcpy(linear->lambda, in->force, sizeof linear->lambda);
    linear->sequence = snapshot->sequence;
    freeGaps(linear, in, step, gapFree);
    palContactProblem problem = {
        .rows = in->rows.count,
        .blockCount = in->rows.touchCount,
        .stride = stride,
        .W = in->W,
        .gapFree = gapFree,
        .blocks = in->blocks,
    };
    palSolveSettings settings = palDefaultSolveSettings();
    settings.tolerance = 1e-3; // of the largest gap of a tick: some 0.1 mN
    settings.maxSweeps = sweepsMax;
    settings.warmStart = true;
    palSolveInfo solved;
    palContactProblem_Solve(&problem, &settings, linear->workspace, linear->lambda, &solved);
    palProblemCopy_Take(info->problem, &problem, linear->lambda);
    info->constraints = in->rows.count;
    info->active = solved.activeRows;
    info->iterations = solved.sweeps;
    info->residual = solved.residual;
    info->converged = (solved.flags & pal_solveConverged) != 0;
    reportContacts(in, linear->lambda, palMethod_HandBody(&linear->method), info);
    return palTouchRows_Wrench(&in->rows, linear->lambda);
}

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    palLinear* linear = (palLinear*)method;
    const palMethodDef* def = &method->def;
    const palRigidModel* model = &def->tool->model;

    // H2: coupling force and free motion of the haptic tool, eq. (3) with λ = 0.
    palHandle handle = palToolSide_DeviceHandle(device);
    palRigidStep step = palRigid_Free(model, &linear->haptic, &handle, def->body.dt);

    // H3, H4: contact force and torque.
    palWrench contact = {pal_zeroVec3, pal_zeroVec3};
    if (snapshot->sequence > 0)
        contact = def->toolLaw == pal_toolEquality
                      ? touchLinear(linear, snapshot->own, &handle, &step, info)
                      : touchRows(linear, snapshot, &step, info);

    // H5: post-collision state, and the coupling's force and torque on the hand.
    palTwist u = palRigidStep_Correct(&step, contact);
    linear->haptic = palRigidStep_Integrate(&step, model, u);
    palWrench hand = palRigid_HandWrench(model, &linear->haptic, &handle);
    *body = palToolSide_Body(def->tool, &linear->haptic);
    info->force = hand.force;
    info->torque = hand.torque;
    info->turn = linear->haptic.q;
}

static bool viewTool(const palMethod* method, const palHapticState* hand, int index,
                     palToolView* view)
{
    (void)hand;
    return palToolSide_View(&((const palLinear*)method)->side, index, view);
}

const palMethodOps pal_methodLinear = {
    .name = "linear",
    .hand = pal_handTool,
    .accepts =
        PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSoft) | PAL_ACCEPTS(pal_partPoints),
    .size = sizeof(palLinear),
    .trustsBall = true,
    .snapshotSize = sizeof(ContactModel),
    .stateSize = sizeof(palRigidState),
    .init = init,
    .free = release,
    .place = place,
    .tell = tell,
    .low = low,
    .high = high,
    .tool = viewTool,
};
