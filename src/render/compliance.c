// SPDX-License-Identifier: Apache-2.0
// `compliance`: a stiff, light body at the high rate and soft bodies at lower ones, joined by the
// compliance of both at both time steps.
//
// F. Dervaux, I. Peterlik, J. Dequidt, S. Cotin, C. Duriez, "Haptic Rendering of Interacting
// Dynamic Deformable Objects Simulated in Real-Time at Different Frequencies", IROS 2013.
//
// The stiff body is a wire (or several) that the hand holds; it is stepped at dt in full. A soft
// body is stepped at ΔT. Links tie or separate them (constraint/link.h), and their rows make one
// mixed problem, which both rates solve: eq. (5) over ΔT and eq. (9) over dt.
//
//     δ_free(dt) = δ_free(ΔT)                                     eq. (10)
//                + J_soft (x_soft,free(dt) - x_soft,free(ΔT))     eq. (11)
//                + J_proxy (x_stiff,free - x_proxy,free(ΔT))      eq. (12)
//     W(dt)      = W_soft(dt) + dt² J_stiff A_stiff(dt)⁻¹ J_stiffᵀ
//
// With the same J in all terms the sum is the gap between the wire's free position now and
// x_soft,free(dt), the terms at ΔT cancel, and that is how it is computed here: `start` and `free`
// of slow_part.h, and the wire's own free motion.
//
// `response: frozen` is this. The soft body takes its one step dt from the same state at every
// tick: exact at rest, but while it moves the hand feels the stiffness 1/W(dt). With `response:
// advanced` the high rate also moves the soft bodies, in the reduced space that W(dt) comes from,
// and the low rate takes them through the forces that the high rate found. There may then be any
// number of loops.
//
// The force on the hand is the reaction of the held node, force and torque; `force: constraints`
// takes the paper's sum of the constraint forces, which leaves out the wire's weight and inertia.
#include "render/compliance.h"

#include "base/clock.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double recoverySpeed = 0.25; // m/s, of what has got deep into each other

//--------------------------------------------------------------------------------------------------
// Making it

static palResult refuse(palError* error, const char* what, const char* remedy)
{
    palError_Set(error, pal_errorInput, "%s", what);
    return palError_Remedy(error, "%s", remedy);
}

static palResult checkDef(const palMethodDef* def, palError* error)
{
    int hands = 0, nodes[2] = {0, 0}, rows = 0;
    for (int i = 0; i < def->wireCount; i++)
    {
        hands += def->wires[i].handNode >= 0 && def->wires[i].loop == 0;
        nodes[def->wires[i].loop > 0] += def->wires[i].model->nodeCount;
    }
    for (int i = 0; i < def->jointCount; i++)
        rows += palLink_Rows(&def->joints[i]);
    if (hands != 1)
        return refuse(error, "method compliance needs one wire that the hand holds",
                      "give one of `wires` hand: start or hand: end, and loop: 0");
    if (nodes[0] > pal_wireNodesMax || nodes[1] > pal_wireNodesMax)
        return refuse(error, "the wires of the high rate, or the others, have more than 256 nodes",
                      "use fewer elements, or give some wires another loop");
    if (rows > pal_linkRowMax / 2 || def->jointCount > pal_jointsMax)
        return refuse(error, "the joints have more than 48 rows",
                      "use fewer joints: a ball or a ring has 3 rows, a weld 6");
    if (def->frozenResponse && def->loopCount > 1)
        return refuse(error, "response: frozen is for two rates",
                      "use response: advanced, or one slower loop");
    return pal_ok;
}

static palResult makeHighRate(palCompliance* compliance, palError* error)
{
    const palMethodDef* def = &compliance->method.def;
    palResult result = palRows_Create(pal_linkRowMax, &compliance->rows, error);
    if (result == pal_ok)
        compliance->rows->recovery = recoverySpeed * def->body.dt;
    // Wires of slower loops lie as at rest until their loops have told.
    for (int loop = 1, at = 0; loop <= compliance->loopCount; loop++)
        for (int i = 0; i < def->wireCount; i++)
        {
            const palBeamModel* model = def->wires[i].model;
            size_t count = (size_t)model->nodeCount;
            if (def->wires[i].loop != loop)
                continue;
            memcpy(compliance->slowX + at, model->restX, count * sizeof *model->restX);
            memcpy(compliance->slowQ + at, model->restQ, count * sizeof *model->restQ);
            at += model->nodeCount;
            compliance->slowNodes[loop - 1] += model->nodeCount;
        }
    for (int i = 0; i < def->wireCount && result == pal_ok; i++)
    {
        if (def->wires[i].loop != 0)
            continue;
        if (def->wires[i].handNode >= 0)
            compliance->handWire = compliance->wireCount;
        result = palSteppedWire_Init(&compliance->wires[compliance->wireCount++], &def->wires[i],
                                     def->colliderCount + i, 2 * pal_linkRowMax, error);
    }
    for (int i = 0; i < def->jointCount; i++)
    {
        compliance->joints[i] = def->joints[i];
        compliance->jointRows += palLink_Rows(&def->joints[i]);
    }
    return result;
}

static palResult init(palMethod* method, palError* error)
{
    palCompliance* compliance = (palCompliance*)method;
    palResult result = checkDef(&method->def, error);
    if (result != pal_ok)
        return result;
    compliance->loopCount = method->def.loopCount > 1 ? method->def.loopCount : 1;
    method->reportCapacity = pal_linksMax;
    method->problemRows = pal_linkRowMax;
    for (int i = 0; i < compliance->loopCount && result == pal_ok; i++)
    {
        result = palSlowLoop_Create(&method->def, i, &compliance->loops[i], error);
        compliance->motions[i] = calloc(1, sizeof *compliance->motions[i]);
        if (result == pal_ok && compliance->motions[i] == NULL)
            result = palError_Memory(error, "the motion of slower bodies",
                                     sizeof *compliance->motions[i]);
    }
    return result == pal_ok ? makeHighRate(compliance, error) : result;
}

static void release(palMethod* method)
{
    palCompliance* compliance = (palCompliance*)method;
    for (int i = 0; i < pal_loopsMax; i++)
    {
        palSlowLoop_Destroy(compliance->loops[i]);
        free(compliance->motions[i]);
    }
    for (int i = 0; i < compliance->wireCount; i++)
        palSteppedWire_Free(&compliance->wires[i]);
    palRows_Destroy(compliance->rows);
}

// The wire begins at rest, and follows the device from wherever that is.
static void place(palMethod* method, const palDeviceState* device, palPointState* body)
{
    palCompliance* compliance = (palCompliance*)method;
    const palSteppedWire* held = &compliance->wires[compliance->handWire];
    compliance->deviceStart = device->position;
    compliance->deviceTurn = device->orientation;
    compliance->hand = (palBeamHand){
        .x = held->wire->model->restX[held->wire->handNode],
        .q = held->wire->model->restQ[held->wire->handNode],
    };
    *body = (palPointState){.x = compliance->hand.x};
}

static void tell(const palMethod* method, void* own)
{
    const palCompliance* compliance = (const palCompliance*)method;
    palWireStates* told = own;
    told->nodeCount = 0;
    for (int i = 0; i < compliance->wireCount; i++)
    {
        const palBeamState* state = &compliance->wires[i].state;
        size_t count = (size_t)state->nodeCount;
        memcpy(told->x + told->nodeCount, state->x, count * sizeof *state->x);
        memcpy(told->q + told->nodeCount, state->q, count * sizeof *state->q);
        memcpy(told->v + told->nodeCount, state->v, count * sizeof *state->v);
        memcpy(told->w + told->nodeCount, state->w, count * sizeof *state->w);
        memcpy(told->tension + told->nodeCount, state->tension,
               (count - 1) * sizeof *state->tension);
        told->nodeCount += state->nodeCount;
    }
    for (int i = 0; i < method->def.jointCount; i++)
        told->rings[i] = compliance->joints[i].ends[0].beam;
    told->hand = compliance->hand;
    size_t slow = 0;
    for (int l = 0; l < compliance->loopCount; l++)
        slow += (size_t)compliance->slowNodes[l];
    memcpy(told->slowX, compliance->slowX, slow * sizeof told->slowX[0]);
    memcpy(told->slowQ, compliance->slowQ, slow * sizeof told->slowQ[0]);
}

//--------------------------------------------------------------------------------------------------
// Low rate

static void low(palMethod* method, const palHapticState* hand, palSnapshot* snapshot,
                palLowInfo* info)
{
    palCompliance* compliance = (palCompliance*)method;
    palSlowLoop* loop = compliance->loops[snapshot->loop];
    bool frozen = method->def.frozenResponse;
    int64_t begin = palClock_Now();

    // L2: the state of the stiff body is imposed on the proxy. The soft bodies come to this time.
    palSlowLoop_Impose(loop, hand->own);
    if (!frozen)
        palSlowLoop_Advance(loop, hand->time);
    int64_t moved = palClock_Now();

    // L1: proximity.
    palSlowLoop_Touch(loop);
    int64_t touched = palClock_Now();

    // L3, L5: system matrix, free motion and compliance; L4: the violation and its correction.
    palSlowLoop_Reduce(loop);
    palSlowLoop_Describe(loop, snapshot->own);
    int64_t reduced = palClock_Now();

    // L6, L7: the forces over ΔT, and the motion under them.
    if (frozen)
        palSlowLoop_Solve(loop);
    snapshot->trustCentre = hand->body.x;
    snapshot->trustRadius = INFINITY;
    info->freeMs = 1e-6 * (double)(moved - begin);
    info->collideMs = 1e-6 * (double)(touched - moved);
    info->complianceMs = 1e-6 * (double)(reduced - touched);
    info->solveMs = 1e-6 * (double)(palClock_Now() - reduced);
    info->failures = loop->failures;
    info->contacts = loop->contactCount;
    info->constraints = loop->jointRows;
    for (int i = 0; i < loop->contactCount; i++)
        info->constraints += palLink_Rows(&loop->contacts[i]);
    info->iterations = frozen ? loop->rows->info.sweeps : 0;
    info->residual = frozen ? loop->rows->info.residual : 0.0;
}

//--------------------------------------------------------------------------------------------------
// High rate

// H6: every slower loop learns the forces along its rows.
static void giveForces(palCompliance* compliance, const palSlowSnapshot* const* slow,
                       const palHighInfo* info, double now)
{
    for (int l = 0; l < compliance->loopCount; l++)
    {
        palLinkForces forces;
        forces.time = now;
        forces.sequence = info->snapshots[l]->sequence;
        forces.count = palCompliance_RowsOf(compliance, l);
        for (int r = 0; r < forces.count; r++)
            forces.lambda[r] = compliance->rows->lambda[palCompliance_RowOf(compliance, l, r)];
        if (compliance->method.def.frozenResponse)
            continue;
        palSlowMotion_End(compliance->motions[l], slow[l], &forces);
        palCompliance_FindPlaces(compliance, l, slow[l], &compliance->seen[l]);
        palRing_Put(&compliance->loops[l]->forces, &forces);
    }
}

// Remembers the contacts and reports those that push.
static void reportContacts(palCompliance* compliance, palHighInfo* info)
{
    const palRows* rows = compliance->rows;
    int held = compliance->wires[compliance->handWire].body;
    compliance->lastCount = 0;
    for (int i = compliance->contactLink; i < rows->linkCount; i++)
    {
        const palLink* link = rows->links[i];
        const double* lambda = rows->lambda + rows->first[i];
        int kept = compliance->lastCount++;
        compliance->lastContacts[kept] = *link;
        memset(compliance->lastLambda[kept], 0, sizeof compliance->lastLambda[kept]);
        memcpy(compliance->lastLambda[kept], lambda, (size_t)palLink_Rows(link) * sizeof *lambda);
        if (lambda[0] <= 0.0)
            continue;
        palContactForce contact = {
            .object = link->ends[1].body,
            .other = link->ends[0].body,
            .hand = link->ends[0].body == held ? 0 : -1,
            .point = link->ends[1].local,
            .normal = link->axes[0],
        };
        for (int r = 0; r < palLink_Rows(link); r++)
            contact.force = palMulAdd(contact.force, -lambda[r], link->axes[r]);
        palContactReport_Add(info->contacts, &contact);
    }
}

// The reaction of the held node, or the force of its spring; or, in the paper's form, the sum of
// the constraint forces on the nodes of its wire.
static void feel(const palCompliance* compliance, palHighInfo* info)
{
    const palRows* rows = compliance->rows;
    const palSteppedWire* held = &compliance->wires[compliance->handWire];
    palVec3 force, torque;
    if (held->failed)
        return;
    palBeam_Reaction(held->wire->model, &held->work, held->wire->handNode, &force, &torque);
    info->force = palNeg(force);
    info->torque = palNeg(torque);
    if (held->wire->isSprung)
        palBeam_CouplingForce(held->wire->model, &held->state, &compliance->hand, &info->force,
                              &info->torque);
    if (!compliance->method.def.constraintForce)
        return;
    info->force = info->torque = pal_zeroVec3;
    for (int k = 0; k < rows->wireRowCount; k++)
    {
        const double* J = rows->wireRows[k].J;
        double lambda = rows->signOf[k] * rows->lambda[rows->rowOf[k]];
        palVec3 both = palMakeVec3(J[0] + J[6], J[1] + J[7], J[2] + J[8]);
        if (rows->wireOf[k] == compliance->handWire)
            info->force = palMulAdd(info->force, lambda, both);
    }
}

// Keeps where the wires of a slower loop are.
static void keepWires(palCompliance* compliance, int loop, const palSlowSnapshot* slow)
{
    int at = 0;
    for (int l = 0; l < loop; l++)
        at += compliance->slowNodes[l];
    size_t count = (size_t)compliance->slowNodes[loop];
    memcpy(compliance->slowX + at, slow->x, count * sizeof slow->x[0]);
    memcpy(compliance->slowQ + at, slow->q, count * sizeof slow->q[0]);
}

// Whether any loop's snapshot is another one than in the last tick, and which loops' are. The first
// of all has nothing before it.
static bool lookForNew(palCompliance* compliance, const palHighInfo* info, bool* isNew)
{
    bool isAny = false;
    for (int l = 0; l < compliance->loopCount; l++)
    {
        bool differs = compliance->loopSequence[l] != info->snapshots[l]->sequence;
        isNew[l] = differs && compliance->loopSequence[l] != 0;
        isAny = isAny || differs;
        compliance->loopSequence[l] = info->snapshots[l]->sequence;
    }
    return isAny;
}

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    palCompliance* compliance = (palCompliance*)method;
    palSteppedWire* held = &compliance->wires[compliance->handWire];
    int node = held->wire->handNode;
    palRows* rows = compliance->rows;
    const palSlowSnapshot* slow[pal_loopsMax];
    (void)snapshot;

    // H1: the held node goes where the hand goes.
    palQuat turn = palMulQuat(device->orientation, palConjugate(compliance->deviceTurn));
    compliance->hand = (palBeamHand){
        .x = palAdd(held->wire->model->restX[node],
                    palSub(device->position, compliance->deviceStart)),
        .q = palMulQuat(turn, held->wire->model->restQ[node]),
        .v = device->velocity,
        .w = device->angularVelocity,
    };

    // H2: free motion of the wires and, in their modes, of the slower bodies.
    for (int i = 0; i < compliance->wireCount; i++)
        palSteppedWire_Move(&compliance->wires[i], method->def.body.dt, &compliance->hand);
    for (int l = 0; l < compliance->loopCount; l++)
    {
        slow[l] = info->snapshots[l]->own;
        if (!method->def.frozenResponse)
            palSlowMotion_Begin(compliance->motions[l], slow[l], info->snapshots[l]->sequence,
                                info->snapshots[l]->time);
    }

    // H3, H4: δ_free and W.
    bool isNew[pal_loopsMax];
    palCompliance_Gather(compliance, slow, lookForNew(compliance, info, isNew));
    palRows_AddWires(rows, compliance->wires, compliance->wireCount);
    for (int l = 0; l < compliance->loopCount; l++)
    {
        palCompliance_AddLoop(compliance, l, slow[l]);
        if (!method->def.frozenResponse)
            palCompliance_LetIn(compliance, l, slow[l], isNew[l]);
        if (isNew[l])
            keepWires(compliance, l, slow[l]);
    }
    palCompliance_PlaceTurns(compliance, slow);
    palRows_AddRotations(rows);

    // H5: the forces.
    palRows_Solve(rows);
    palContactProblem problem = palRows_Problem(rows);
    palProblemCopy_Take(info->problem, &problem, rows->lambda);

    // H6: the motion under them, and the force on the hand.
    palRows_MoveWires(rows, compliance->wires, compliance->wireCount);
    palCompliance_SlideRings(compliance);
    giveForces(compliance, slow, info, device->time);
    *body = (palPointState){.x = held->state.x[node], .v = held->state.v[node]};
    info->turn = turn;
    info->constraints = rows->count;
    info->active = rows->info.activeRows;
    info->iterations = rows->info.sweeps;
    info->residual = rows->info.residual;
    info->converged = (rows->info.flags & pal_solveConverged) && !held->failed;
    feel(compliance, info);
    reportContacts(compliance, info);
}

// For drawing: every wire of the scene, in its order, as the high rate has told.
static bool wire(const palMethod* method, const palHapticState* hand, int index, palWireView* view)
{
    const palMethodDef* def = &method->def;
    if (index >= def->wireCount)
        return false;
    const palWire* shown = &def->wires[index];
    *view = (palWireView){
        .nodeCount = shown->model->nodeCount,
        .radius = shown->radius,
        .positions = shown->model->restX,
        .rotations = shown->model->restQ,
    };
    if (hand == NULL)
        return true;
    // Those of the high rate, or of the slower loops in their order, stand one after the other.
    int before = 0;
    for (int i = 0; i < def->wireCount; i++)
    {
        int loop = def->wires[i].loop;
        bool isBefore = loop == shown->loop ? i < index : loop > 0 && loop < shown->loop;
        before += isBefore ? def->wires[i].model->nodeCount : 0;
    }
    const palWireStates* told = hand->own;
    view->positions = (shown->loop == 0 ? told->x : told->slowX) + before;
    view->rotations = (shown->loop == 0 ? told->q : told->slowQ) + before;
    return true;
}

const palMethodOps pal_methodCompliance = {
    .name = "compliance",
    .hand = pal_handWire,
    .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSoft) | PAL_ACCEPTS(pal_partWire) |
               PAL_ACCEPTS(pal_partJoint) | PAL_ACCEPTS(pal_partLoop) | PAL_ACCEPTS(pal_partPoints),
    .size = sizeof(palCompliance),
    .trustsBall = true,
    .snapshotSize = sizeof(palSlowSnapshot),
    .stateSize = sizeof(palWireStates),
    .init = init,
    .free = release,
    .place = place,
    .tell = tell,
    .low = low,
    .high = high,
    .wire = wire,
};
