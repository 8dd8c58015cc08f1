// SPDX-License-Identifier: Apache-2.0
// `compliance`: a stiff, light body at the high rate and soft bodies at lower ones, joined by the
// compliance of both at both time steps.
//
// F. Dervaux, I. Peterlik, J. Dequidt, S. Cotin, C. Duriez, "Haptic Rendering of Interacting
// Dynamic Deformable Objects Simulated in Real-Time at Different Frequencies", IROS 2013.
//
// The stiff body is what a hand holds, a wire with others joined to it or a rigid tool; it is
// stepped at dt in full, as are rigid objects that move (compliance_rigid.c). A soft body is
// stepped at ΔT. Links tie or separate them (constraint/link.h), and their rows make one mixed
// problem, which both rates solve: eq. (5) over ΔT and eq. (9) over dt.
//
//     paper (section IV-A)                                        here
//     L1  proximity queries, J of both bodies                     L3  find, L4  describe
//     L2  impose the state of the stiff body on its proxy         L1  advance, palSlowLoop_Impose
//     L3  A, eq. (4), and free motion: soft body over dt          L1, L2  describe
//         proxy and soft body over ΔT                             L1, L2  settle
//     L4  δ_free(ΔT)                                              L4  settle
//         the term of eq. (11)                                    L4  describe
//     L5  W_soft(dt), eq. (8)                                     L5  describe
//         W(ΔT) of both, eq. (6)                                  L5  settle
//     L6  λ(ΔT), eq. (5)                                          L6  settle
//     L7  corrected motion of soft body and proxy                 L6  settle
//         (the buffer to the high rate)                           L7  pipelines.c
//
//     H1  device state                                            H1  pipelines.c
//     H2  free motion of the stiff body over dt, eq. (4)          H2  moveFreely
//     H3  δ_free(dt), eqs. (10)-(12)                              H3  findGaps
//     H4  W(dt) = W_soft(dt) + W_stiff(dt), eqs. (7), (8)         H4  solve
//     H5  λ(dt), eq. (9), in bounded time                         H4  solve
//     H6  corrected position of the stiff body; force to the      H5  correct
//         hand (section IV-B)
//         position to the low rate                                H6  writeState
//
// In eq. (4) λ is an impulse, with the factor 1/h; here it is a force, so that W has the factor h².
//
//     δ_free(dt) = δ_free(ΔT)                                     eq. (10)
//                + J_soft (x_soft,free(dt) - x_soft,free(ΔT))     eq. (11)
//                + J_proxy (x_stiff,free - x_proxy,free(ΔT))      eq. (12)
//     W(dt)      = W_soft(dt) + dt² J_stiff A_stiff(dt)⁻¹ J_stiffᵀ
//
// With the same J in all terms those at ΔT cancel, and the sum is the gap between the free
// positions x_stiff,free and x_soft,free(dt). That is how it is computed here: `start` and `free`
// of slow_part.h, and the free motion of the stiff body.
//
// `response: frozen` is this. In every tick the soft body takes a step dt from the same state:
// exact at rest, but while it moves the hand feels the stiffness 1/W(dt). With `response: advanced`
// the high rate also moves the soft bodies, in the reduced space that W(dt) comes from, and instead
// of solving eq. (5) the low rate advances them under the recorded forces of the high rate
// (`advance`). There may then be any number of loops.
//
// The force on the hand is the reaction of the held node, force and torque; `force: constraints`
// takes the paper's sum of the constraint forces, which leaves out the wire's weight and inertia.
#include "render/compliance.h"
#include "world/hand.h"

#include <string.h>

enum
{
    missedRounds = 4, // times that contacts are sought where a solution takes the wires
};

//--------------------------------------------------------------------------------------------------
// What a hand holds

static palCompliance* sharedOf(const palMethod* method)
{
    return (palCompliance*)method->shared;
}

static palHeld* heldBy(const palMethod* method)
{
    return &sharedOf(method)->held[method->def.hand];
}

int palCompliance_HandOf(const palCompliance* compliance, int body)
{
    for (int i = 0; i < compliance->shared.handCount; i++)
    {
        const palHeld* held = &compliance->held[i];
        int id = held->wire < 0 ? held->tool.body : compliance->wires[held->wire].body;
        if (id == body)
            return i;
    }
    return -1;
}

const palSteppedTool* palCompliance_Rigid(const palCompliance* compliance, int body)
{
    for (int i = 0; i < compliance->objectCount; i++)
        if (compliance->objects[i].body == body)
            return &compliance->objects[i];
    int hand = palCompliance_HandOf(compliance, body);
    return hand >= 0 && compliance->held[hand].wire < 0 ? &compliance->held[hand].tool : NULL;
}

// The point of the haptic body that the hand holds.
static palPointState heldPoint(const palMethod* method)
{
    const palHeld* held = heldBy(method);
    if (held->wire < 0)
    {
        const palSteppedTool* tool = &held->tool;
        palVec3 grip =
            palRigid_Point(&tool->tool->model, &tool->state, tool->tool->model.def.gripPosition);
        return (palPointState){.x = grip, .v = palSteppedTool_Velocity(tool, grip)};
    }
    const palSteppedWire* wire = &sharedOf(method)->wires[held->wire];
    int node = wire->wire->handNode;
    return (palPointState){.x = wire->state.x[node], .v = wire->state.v[node]};
}

// The wire begins at rest, and follows the device from wherever that is; a tool begins at it.
static void placeHeld(palMethod* method, const palDeviceState* device)
{
    palHeld* held = heldBy(method);
    held->deviceStart = device->position;
    held->deviceTurn = device->orientation;
    if (held->wire < 0)
    {
        held->handle = palHandle_FromDevice(device);
        held->tool.state = palRigid_AtHandle(&method->def.tool->model, &held->handle);
        return;
    }
    const palWire* wire = sharedOf(method)->wires[held->wire].wire;
    held->hand = (palBeamHand){
        .x = wire->model->restX[wire->handNode],
        .q = wire->model->restQ[wire->handNode],
    };
}

// Joints with rigid bodies are given in the world; here they get the body's frame, wherever it
// begins.
static void placeJoints(palShared* shared)
{
    palCompliance* compliance = (palCompliance*)shared;
    const palMethodDef* def = compliance->def;
    for (int i = 0; i < def->jointCount; i++)
    {
        palLink* joint = &compliance->joints[i];
        *joint = def->joints[i];
        for (int e = 0; e < 2; e++)
        {
            if (joint->ends[e].kind != pal_placeRigid)
                continue;
            const palSteppedTool* tool = palCompliance_Rigid(compliance, joint->ends[e].body);
            palVec3 local = palSteppedTool_Local(tool, joint->ends[e].local);
            palLink_TakeFrame(joint, e, local, tool->state.q);
        }
        for (int l = 0; l < compliance->loopCount; l++)
            compliance->loops[l]->joints[i] = *joint;
    }
}

static void writeHeld(const palMethod* method, palHapticHand* state)
{
    state->tool = heldBy(method)->tool.state;
}

// H6: what the slower loops, and whoever draws, must know of the wires and rigid objects.
static void writeState(const palShared* shared, palHapticState* state)
{
    const palCompliance* compliance = (const palCompliance*)shared;
    palWireStates* states = state->wires;
    int at = 0;
    for (int i = 0; i < compliance->wireCount; i++)
    {
        const palBeamState* beam = &compliance->wires[i].state;
        size_t count = (size_t)beam->nodeCount;
        memcpy(states->x + at, beam->x, count * sizeof *beam->x);
        memcpy(states->q + at, beam->q, count * sizeof *beam->q);
        memcpy(states->v + at, beam->v, count * sizeof *beam->v);
        memcpy(states->w + at, beam->w, count * sizeof *beam->w);
        memcpy(states->tension + at, beam->tension, (count - 1) * sizeof *beam->tension);
        at += beam->nodeCount;
    }
    for (int i = 0; i < compliance->def->jointCount; i++)
        states->rings[i] = compliance->joints[i].ends[0].beam;
    for (int i = 0; i < shared->handCount; i++)
        states->hands[i] = compliance->held[i].hand;
    if (compliance->rigid.pile != NULL)
        palRigidWorld_WriteState(&compliance->rigid, state);
    size_t slow = 0;
    for (int l = 0; l < compliance->loopCount; l++)
        slow += (size_t)compliance->views[l].slowNodes;
    memcpy(states->slowX, compliance->slowX, slow * sizeof states->slowX[0]);
    memcpy(states->slowQ, compliance->slowQ, slow * sizeof states->slowQ[0]);
}

static bool rigid(const palShared* shared, int object, palRigidView* view)
{
    const palCompliance* compliance = (const palCompliance*)shared;
    return compliance->rigid.pile != NULL && palRigidWorld_View(&compliance->rigid, object, view);
}

static void setFriction(palShared* shared, int object, double friction)
{
    palCompliance* compliance = (palCompliance*)shared;
    if (compliance->rubs != NULL)
        compliance->rubs[object] = friction;
    if (compliance->rigid.pile != NULL)
        palPile_SetFriction(compliance->rigid.pile, object, friction);
}

static palRigidTotals totals(const palShared* shared)
{
    const palCompliance* compliance = (const palCompliance*)shared;
    return compliance->rigid.pile != NULL ? palRigidWorld_Totals(&compliance->rigid)
                                          : (palRigidTotals){0};
}

//--------------------------------------------------------------------------------------------------
// Low rate

static palSlowLoop* loopOf(palShared* shared, const palLowStep* step)
{
    return ((palCompliance*)shared)->loops[step->snapshot->loop];
}

static palWorldStep* loopWorld(palShared* shared, int loop)
{
    return &((palCompliance*)shared)->loops[loop]->world;
}

// The state of the high rate's bodies is imposed on their copies, the paper's proxies. The slower
// bodies come to this time, L6 of the last step.
static void advance(palShared* shared, palLowStep* step)
{
    palSlowLoop* loop = loopOf(shared, step);
    palSlowLoop_Impose(loop, step->state);
    if (!palIsFrozen(shared->defs))
        palSlowLoop_Advance(loop, step->state->time);
    loop->time = step->state->time;
}

// L3: what is near.
static void find(palShared* shared, palLowStep* step)
{
    palSlowLoop_Touch(loopOf(shared, step));
}

static void describeHand(palMethod* method, palLowStep* step)
{
    palHandSnapshot* view = palLowStep_View(step, method);
    view->trustCentre = palLowStep_Hand(step, method)->body.x;
    view->trustRadius = INFINITY;
}

// L1, L2, L4, L5: systems, rows, free motion and compliance.
static void describe(palShared* shared, palLowStep* step)
{
    palSlowLoop* loop = loopOf(shared, step);
    palLowInfo* info = &step->info;
    palSlowLoop_Reduce(loop);
    palSlowLoop_Describe(loop, step->snapshot->slow);
    info->failures = loop->failures;
    info->contacts = loop->world.linkCount;
    info->constraints = loop->jointRows;
    for (int i = 0; i < loop->world.linkCount; i++)
        info->constraints += palLink_Rows(&loop->world.links[i]);
    for (int i = 0; i < loop->bodyCount; i++)
        if (loop->bodies[i].object >= 0)
            palLowInfo_AddFactor(info, loop->bodies[i].soft.factor);
}

// L6, in the paper's form: the forces over ΔT, and the motion under them.
static void settle(palShared* shared, palLowStep* step)
{
    palSlowLoop* loop = loopOf(shared, step);
    if (!palIsFrozen(shared->defs))
        return;
    palSlowLoop_Solve(loop);
    step->info.iterations = loop->rows->info.sweeps;
    step->info.residual = loop->rows->info.residual;
    step->info.failures = loop->failures;
}

//--------------------------------------------------------------------------------------------------
// High rate

// H6: the forces along its rows for every slower loop.
static void giveForces(palCompliance* compliance, const palTick* tick)
{
    palLinkForces* forces = compliance->forces;
    for (int l = 0; l < compliance->loopCount && !palIsFrozen(compliance->def); l++)
    {
        palLoopView* view = &compliance->views[l];
        forces->head = (palTickForces){
            .time = tick->device.time,
            .sequence = tick->snapshots[l]->sequence,
            .count = palCompliance_RowsOf(compliance, l),
        };
        for (int r = 0; r < forces->head.count; r++)
            forces->lambda[r] = compliance->rows->lambda[palCompliance_RowOf(compliance, l, r)];
        palSlowSnapshot_End(compliance->slow[l], &view->motion, forces->lambda);
        palCompliance_FindPlaces(compliance, l, compliance->slow[l], &view->placed);
        palTrack_Put(&compliance->loops[l]->forces, &forces->head);
    }
}

// Where an end of a link on a rigid body is.
static palVec3 pointOn(const palSteppedTool* body, const palLink* link, int end)
{
    return palRigid_Point(&body->tool->model, &body->state, link->ends[end].local);
}

// Remembers and reports the contacts that push.
static void reportContacts(palCompliance* compliance, palHighInfo* info)
{
    const palRows* rows = compliance->rows;
    compliance->lastCount = 0;
    for (int i = compliance->contactLink; i < rows->linkCount; i++)
    {
        const palLink* link = rows->links[i];
        const double* lambda = rows->lambda + rows->first[i];
        if (lambda[0] <= 0.0)
            continue;
        int kept = compliance->lastCount++;
        compliance->lastContacts[kept] = *link;
        memset(compliance->lastLambda[kept], 0, sizeof compliance->lastLambda[kept]);
        memcpy(compliance->lastLambda[kept], lambda, (size_t)palLink_Rows(link) * sizeof *lambda);
        palContactForce contact = palLink_Report(link, lambda);
        if (link->ends[1].kind == pal_placeRigid)
            contact.point = pointOn(palCompliance_Rigid(compliance, link->ends[1].body), link, 1);
        contact.hand = palCompliance_HandOf(compliance, link->ends[0].body);
        palContactReport_Add(info->contacts, &contact);
    }
}

// The paper's form: the sum of the constraint forces on what is held.
static palVec3 sumConstraints(const palCompliance* compliance, const palHeld* held)
{
    const palRows* rows = compliance->rows;
    palVec3 sum = pal_zeroVec3;
    for (int k = 0; k < rows->wireRowCount; k++)
    {
        const double* J = rows->wireRows[k].J;
        double lambda = rows->signOf[k] * rows->lambda[rows->rowOf[k]];
        palVec3 both = palMakeVec3(J[0] + J[6], J[1] + J[7], J[2] + J[8]);
        if (rows->wireOf[k] == held->wire)
            sum = palMulAdd(sum, lambda, both);
    }
    return palAdd(sum, palRows_ToolWrench(rows, held->tool.body).force);
}

// The reaction of the held node, or the force of the spring between it, or the tool, and the hand;
// or the paper's form.
static void computeHandForce(const palCompliance* compliance, const palHeld* held,
                             palHighInfo* info)
{
    if (held->wire < 0)
    {
        palWrench hand =
            palRigid_HandWrench(&held->tool.tool->model, &held->tool.state, &held->handle);
        info->force = hand.force;
        info->torque = hand.torque;
    }
    else
    {
        info->carried.x = NAN; // the reaction of a wire is its own
        const palSteppedWire* wire = &compliance->wires[held->wire];
        palVec3 force, torque;
        if (wire->failed)
            return;
        palBeam_Reaction(wire->wire->model, &wire->work, wire->wire->handNode, &force, &torque);
        info->force = palNeg(force);
        info->torque = palNeg(torque);
        if (wire->wire->isSprung)
            palBeam_CouplingForce(wire->wire->model, &wire->state, &held->hand, &info->force,
                                  &info->torque);
    }
    if (compliance->def->settings.compliance.force != pal_forceConstraints)
        return;
    info->force = sumConstraints(compliance, held);
    info->torque = pal_zeroVec3;
}

// What pulls at a tool besides the contacts that are reported: all other rows, of joints and of
// what is picked up.
static void addCarried(const palCompliance* compliance, const palHeld* held, palHighInfo* info)
{
    palWrench whole = palRows_ToolWrench(compliance->rows, held->tool.body);
    info->carried = palAdd(info->carried, whole.force);
    for (int i = 0; i < info->contacts->count; i++)
        if (info->contacts->items[i].hand >= 0 && info->contacts->items[i].other == held->tool.body)
            info->carried = palAdd(info->carried, info->contacts->items[i].force);
}

// Keeps where the wires of a slower loop are.
static void keepWires(palCompliance* compliance, int loop, const palSlowSnapshot* slow)
{
    int at = 0;
    for (int l = 0; l < loop; l++)
        at += compliance->views[l].slowNodes;
    size_t count = (size_t)compliance->views[loop].slowNodes;
    memcpy(compliance->slowX + at, slow->x, count * sizeof slow->x[0]);
    memcpy(compliance->slowQ + at, slow->q, count * sizeof slow->q[0]);
}

// Whether any loop's snapshot is another one than in the last tick, and which loops' are. The first
// of all has nothing before it.
static bool lookForNew(palCompliance* compliance, const palTick* tick)
{
    bool isAny = false;
    for (int l = 0; l < compliance->loopCount; l++)
    {
        uint64_t* sequence = &compliance->views[l].sequence;
        bool differs = *sequence != tick->snapshots[l]->sequence;
        compliance->isNew[l] = differs && *sequence != 0;
        isAny = isAny || differs;
        *sequence = tick->snapshots[l]->sequence;
    }
    return isAny;
}

// H2: where the hand is, and the free motion of the tool that it holds.
static void moveHeld(palMethod* method, palTick* tick)
{
    palHeld* held = heldBy(method);
    const palDeviceState* device = &tick->device;
    if (held->wire < 0)
    {
        held->handle = palHandle_FromDevice(device);
        palSteppedTool_Move(&held->tool, method->def.body.dt, &held->handle);
        return;
    }
    // The held node goes where the hand goes.
    const palWire* wire = sharedOf(method)->wires[held->wire].wire;
    palQuat turn = palMulQuat(device->orientation, palConjugate(held->deviceTurn));
    held->hand = (palBeamHand){
        .x =
            palAdd(wire->model->restX[wire->handNode], palSub(device->position, held->deviceStart)),
        .q = palMulQuat(turn, wire->model->restQ[wire->handNode]),
        .v = device->velocity,
        .w = device->angularVelocity,
    };
}

// H2: the wires and rigid objects of the high rate and, in their modes, the slower bodies.
static void moveFreely(palShared* shared, palTick* ticks)
{
    palCompliance* compliance = (palCompliance*)shared;
    for (int i = 0; i < compliance->wireCount; i++)
        palSteppedWire_Move(&compliance->wires[i], shared->defs->body.dt,
                            &compliance->held[compliance->wires[i].wire->hand].hand);
    palCompliance_BeginRigid(compliance, ticks);
    for (int l = 0; l < compliance->loopCount; l++)
    {
        const palSnapshot* snapshot = ticks[0].snapshots[l];
        compliance->slow[l] = snapshot->slow;
        if (!palIsFrozen(shared->defs))
            palSlowSnapshot_Begin(snapshot->slow, &compliance->views[l].motion, snapshot->sequence,
                                  snapshot->time, &compliance->loops[l]->forces);
    }
}

// H3: δ_free.
static void findGaps(palCompliance* compliance, const palTick* tick)
{
    palRows* rows = compliance->rows;
    const palSlowSnapshot* const* slow = compliance->slow;
    palCompliance_FindWireContacts(compliance);
    palCompliance_Gather(compliance, slow, lookForNew(compliance, tick));
    palRows_AddWires(rows, compliance->wires, compliance->wireCount);
    for (int i = 0; i < compliance->shared.handCount; i++)
        if (compliance->held[i].wire < 0)
            palRows_AddTool(rows, &compliance->held[i].tool);
    palCompliance_AddObjects(compliance);
    for (int l = 0; l < compliance->loopCount; l++)
    {
        palCompliance_AddLoop(compliance, l, slow[l]);
        if (!palIsFrozen(compliance->def))
            palCompliance_BlendJump(compliance, l, slow[l], compliance->isNew[l]);
        if (compliance->isNew[l])
            keepWires(compliance, l, slow[l]);
    }
    palCompliance_PlaceTurns(compliance, slow);
    palRows_AddRotations(rows);
}

// H4: takes the contacts that λ closes as well. Returns false where there are none.
static bool takeClosed(palCompliance* compliance)
{
    palRows* rows = compliance->rows;
    palRows_FindMotion(rows, compliance->wires, compliance->wireCount);
    for (int l = 0; l < compliance->loopCount && rows->isPart; l++)
        palCompliance_AddMotion(compliance, l, compliance->slow[l]);
    return palRows_TakeClosed(rows);
}

// H4: W of what is taken, and λ.
static void solveTaken(palCompliance* compliance)
{
    palRows* rows = compliance->rows;
    do
    {
        palRows_ClearCompliance(rows);
        palRows_AddCompliance(rows, compliance->wires, compliance->wireCount);
        for (int l = 0; l < compliance->loopCount; l++)
            palCompliance_AddCompliance(compliance, l, compliance->slow[l]);
        palRows_Solve(rows);
        compliance->sweeps += rows->info.sweeps;
    } while (takeClosed(compliance));
}

// H4: λ of all contacts, also of those of wires that only the motion under it brings about.
static void solveRows(palCompliance* compliance)
{
    compliance->sweeps = 0;
    palRows_TakeActive(compliance->rows);
    takeClosed(compliance);
    solveTaken(compliance);
    for (int i = 0; i < missedRounds && palCompliance_FindMissed(compliance); i++)
        if (takeClosed(compliance))
            solveTaken(compliance);
}

// H3, H4: the forces of all links, and the motion under them.
static void solve(palShared* shared, palTick* ticks)
{
    palCompliance* compliance = (palCompliance*)shared;
    palRows* rows = compliance->rows;
    findGaps(compliance, &ticks[0]);
    solveRows(compliance);
    palContactProblem problem = palRows_Problem(rows);
    palProblemCopy_Take(ticks[0].info.problem, &problem, palRows_ProblemLambda(rows));
    palRows_MoveWires(rows, compliance->wires, compliance->wireCount);
    for (int i = 0; i < shared->handCount; i++)
        if (compliance->held[i].wire < 0)
            palRows_MoveTool(rows, &compliance->held[i].tool);
    palCompliance_MoveObjects(compliance);
    palCompliance_SlideRings(compliance);
    giveForces(compliance, &ticks[0]);
    reportContacts(compliance, &ticks[0].info);
}

// H5: the force on the hand, and what the tick did.
static void correct(palMethod* method, palTick* tick)
{
    palCompliance* compliance = sharedOf(method);
    const palHeld* held = heldBy(method);
    const palRows* rows = compliance->rows;
    palHighInfo* info = &tick->info;
    bool isTool = held->wire < 0;
    bool failed = !isTool && compliance->wires[held->wire].failed;
    *tick->body = heldPoint(method);
    info->turn = isTool ? held->tool.state.q
                        : palMulQuat(tick->device.orientation, palConjugate(held->deviceTurn));
    info->constraints = rows->count;
    info->active = rows->info.activeRows;
    info->iterations = compliance->sweeps;
    info->residual = rows->info.residual;
    info->converged = (rows->info.flags & pal_solveConverged) && !failed;
    info->isJoined = palCompliance_WidestJoint(compliance, &info->jointGap, &info->joint);
    computeHandForce(compliance, held, info);
    if (compliance->rigid.pile != NULL)
        palRigidWorld_Report(&compliance->rigid, method->def.hand, tick->snapshots[0]->sequence,
                             info->contacts);
    if (isTool)
        addCarried(compliance, held, info);
}

// For drawing: every wire of the scene, in its order, as the high rate has published it.
static bool wire(const palShared* shared, const palHapticState* state, int index, palWireView* view)
{
    const palMethodDef* def = shared->defs;
    if (index >= def->wireCount)
        return false;
    const palWire* shown = &def->wires[index];
    *view = (palWireView){
        .nodeCount = shown->model->nodeCount,
        .radius = shown->radius,
        .positions = shown->model->restX,
        .rotations = shown->model->restQ,
    };
    if (state == NULL)
        return true;
    // Those of the high rate, or of the slower loops in their order, stand one after the other.
    int before = 0;
    for (int i = 0; i < def->wireCount; i++)
    {
        int loop = def->wires[i].loop;
        bool isBefore = loop == shown->loop ? i < index : loop > 0 && loop < shown->loop;
        before += isBefore ? def->wires[i].model->nodeCount : 0;
    }
    const palWireStates* states = state->wires;
    view->positions = (shown->loop == 0 ? states->x : states->slowX) + before;
    view->rotations = (shown->loop == 0 ? states->q : states->slowQ) + before;
    return true;
}

// For drawing: the tool, as the high rate has published it.
static bool tool(const palMethod* method, const palHapticHand* hand, palToolView* view)
{
    const palTool* held = method->def.tool;
    if (held == NULL)
        return false;
    *view = (palToolView){.surface = &held->surface, .orientation = pal_identityQuat};
    if (hand == NULL)
        return true;
    view->position = palRigid_Point(&held->model, &hand->tool, pal_zeroVec3);
    view->orientation = hand->tool.q;
    return true;
}

static const palSharedOps sharedCompliance = {
    .size = sizeof(palCompliance),
    .init = palCompliance_Init,
    .free = palCompliance_Free,
    .makeSnapshot = palCompliance_MakeSnapshot,
    .makeState = palCompliance_MakeState,
    .place = placeJoints,
    .advance = advance,
    .find = find,
    .describe = describe,
    .settle = settle,
    .moveFreely = moveFreely,
    .solve = solve,
    .writeState = writeState,
    .rigid = rigid,
    .totals = totals,
    .setFriction = setFriction,
    .archive = palCompliance_Archive,
    .archiveSnapshot = palCompliance_ArchiveSnapshot,
    .archiveState = palCompliance_ArchiveState,
    .loopWorld = loopWorld,
    .wire = wire,
};

#define COMPLIANCE(kind)                                                                           \
    {                                                                                              \
        .name = "compliance", .hand = kind, .shared = &sharedCompliance,                           \
        .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSheet) |                      \
                   PAL_ACCEPTS(pal_partSoft) | PAL_ACCEPTS(pal_partWire) |                         \
                   PAL_ACCEPTS(pal_partJoint) | PAL_ACCEPTS(pal_partLoop) |                        \
                   PAL_ACCEPTS(pal_partPoints) | PAL_ACCEPTS(pal_partFree) |                       \
                   ((kind) == pal_handTool ? PAL_ACCEPTS(pal_partToolJoint) : 0u),                 \
        .rigidMost = pal_rigidMost, .neverBounces = true, .picksUp = (kind) == pal_handTool,       \
        .size = sizeof(palMethod), .trustShare = 1.0, .place = placeHeld, .point = heldPoint,      \
        .describe = describeHand, .moveFreely = moveHeld, .correct = correct,                      \
        .writeState = writeHeld, .tool = tool,                                                     \
    }

const palMethodOps pal_methodCompliance = COMPLIANCE(pal_handWire);
const palMethodOps pal_methodComplianceTool = COMPLIANCE(pal_handTool);
