// SPDX-License-Identifier: Apache-2.0
// `impulse`: rigid bodies that move, in the hand and about it (D. Constantinescu, S. E. Salcudean
// and E. A. Croft, "Haptic rendering of rigid body collisions", HAPTICS 2004).
//
// Contacts are infinitely stiff while they form and compliant while they last (section 2). What the
// hand holds, the paper's virtual proxy, is one of the bodies: a tool, or a small ball that does
// not turn where the hand touches with a point. All bodies move in the tick (world/pile.h); the low
// rate only draws.
//
//     paper                                                    here
//     (1), (2)   dynamics of the contact group, with F_user    H4  palPile_Step
//     (3)        sustained contact: spring and damper          H4  lasting contacts, implicit
//     (4), (5)   infinite stiffness of new contacts            H4  contacts that form are rigid
//     (6)-(12)   restitution, on the relative velocity         H4  palPile_Rebound
//     F_user     coupling of device and proxy                  H4  pal_pileHandle
//                force on the hand                             H5  correct
//
// F_user acts at the grip, not at the centre of mass. Impulses reach the hand through the coupling.
#include "base/error.h"
#include "render/method.h"
#include "world/hand.h"

#include <stdlib.h>
#include <string.h>

// The ball of a point without a tip_radius, m.
static const double pointRadius = 5e-4;
// Of Gauss-Seidel where few bodies touch: what the hand feels is then solved to 10⁻⁶.
static const int sweepsMost = 200;
// Rows of a tick that are recorded at most, with their W of some 10 MB.
static const double problemRowsMax = 1000;
// Contacts that are reported, at most: of a hand in every tick, of all bodies in some of them.
static const int handContactsMax = 128;
static const int contactsPerBody = 16;
// A point does not turn: the inertia of its ball, kg·m², is as if infinite.
static const double pointInertia = 1e3;

typedef struct palImpulse
{
    palShared shared;
    palPile* pile;                      // owned
    palRigidShape shapes[pal_handsMax]; // owned: of what the hands hold, where the scene has none
    int firstHand;                      // the body of the first hand; the others follow
    int firstHandle;                    // the joint of the first hand; likewise
    palPose* starts;                    // owned, [bodies]: where they were at first
    uint64_t sequence;                  // of the snapshot at which all contacts were reported last
} palImpulse;

static palImpulse* impulseOf(const palMethod* method)
{
    return (palImpulse*)method->shared;
}

//--------------------------------------------------------------------------------------------------
// Set-up

// The tool: what the scene has for it, else what its surface holds.
static palResult makeToolPart(palImpulse* impulse, int hand, palPilePart* part, palError* error)
{
    const palMethodDef* def = &impulse->shared.defs[hand];
    *part = def->toolPart != NULL ? *def->toolPart
                                  : (palPilePart){&impulse->shapes[hand], pal_identityPose};
    if (def->toolPart != NULL)
        return pal_ok;
    if (palRigidShape_InitConvexSurface(&impulse->shapes[hand], &def->tool->surface, NULL) ==
        pal_ok)
        return pal_ok;
    return palRigidShape_InitMesh(&impulse->shapes[hand], &def->tool->surface, error);
}

static palResult makeHandBody(palImpulse* impulse, const palRigidPileDef* pile, int hand,
                              palPilePart* part, palPileBodyDef* body, palError* error)
{
    const palMethodDef* def = &impulse->shared.defs[hand];
    palResult result;
    *part = (palPilePart){.pose = pal_identityPose};
    *body = palDefaultPileBodyDef();
    body->id = palMethodDef_HandBody(def);
    body->parts = part;
    body->partCount = 1;
    body->material = pile->handMaterial;
    body->layers = pile->hands[hand].layers;
    body->touches = pile->hands[hand].touches;
    if (def->tool != NULL)
    {
        body->mass = def->tool->model.def.mass;
        result = makeToolPart(impulse, hand, part, error);
    }
    else
    {
        body->mass.mass = def->body.mass;
        body->mass.inertia = palMakeMat3Scale(pointInertia);
        part->shape = &impulse->shapes[hand];
        result = palRigidShape_InitSphere(
            &impulse->shapes[hand], def->tipRadius > 0.0 ? def->tipRadius : pointRadius, error);
    }
    return result;
}

// What a pile is made of: the bodies and joints of the scene, and those of the hands.
typedef struct Members
{
    palRigidPileDef def;
    palPileBodyDef* bodies;
    palPileJointDef* joints;
    int (*apart)[2]; // what is joined does not touch
    palPilePart parts[pal_handsMax];
} Members;

static palResult addHands(palImpulse* impulse, Members* members, palError* error)
{
    palRigidPileDef* def = &members->def;
    impulse->firstHand = def->bodyCount;
    for (int i = 0; i < impulse->shared.handCount; i++)
    {
        palResult result = makeHandBody(impulse, def, i, &members->parts[i],
                                        &members->bodies[def->bodyCount + i], error);
        if (result != pal_ok)
            return result;
    }
    def->bodyCount += impulse->shared.handCount;
    return pal_ok;
}

// The body with an id of the world; -1: the world itself.
static int bodyOf(const palImpulse* impulse, int id)
{
    int hand = id - palMethodDef_HandBody(&impulse->shared.defs[0]);
    return hand >= 0 ? impulse->firstHand + hand : id;
}

static void addJoint(palImpulse* impulse, Members* members, const palLink* link)
{
    palRigidPileDef* def = &members->def;
    palPileJointDef* joint = &members->joints[def->jointCount++];
    *joint = palDefaultPileJointDef();
    joint->kind = link->kind == pal_linkWeld     ? pal_pileWeld
                  : link->kind == pal_linkHinge  ? pal_pileHinge
                  : link->kind == pal_linkSlider ? pal_pileSlider
                                                 : pal_pileBall;
    joint->point = link->ends[0].local;
    if (link->kind == pal_linkHinge || link->kind == pal_linkSlider)
    {
        joint->axis = link->hinge[1];
        joint->low = link->low;
        joint->high = link->high;
        joint->friction = link->jointFriction;
    }
    for (int k = 0; k < 2; k++)
        joint->bodies[k] = bodyOf(impulse, link->ends[k].body);
    if (joint->bodies[0] < 0 || joint->bodies[1] < 0)
        return;
    members->apart[def->apartCount][0] = joint->bodies[0];
    members->apart[def->apartCount++][1] = joint->bodies[1];
}

static void addJoints(palImpulse* impulse, Members* members)
{
    const palMethodDef* shared = &impulse->shared.defs[0];
    palRigidPileDef* def = &members->def;
    for (int i = 0; i < shared->jointCount; i++)
        addJoint(impulse, members, &shared->joints[i]);
    impulse->firstHandle = def->jointCount;
    for (int i = 0; i < impulse->shared.handCount; i++)
    {
        palPileJointDef* handle = &members->joints[def->jointCount++];
        *handle = palDefaultPileJointDef();
        handle->kind = pal_pileHandle;
        handle->bodies[0] = impulse->firstHand + i;
        handle->bodies[1] = -1;
    }
}

static palResult allocateMembers(Members* members, int jointCount, palError* error)
{
    palRigidPileDef* def = &members->def;
    size_t bodies = (size_t)(def->bodyCount + pal_handsMax);
    size_t joints = (size_t)(jointCount + pal_handsMax + def->apartCount);
    members->bodies = malloc(bodies * sizeof *members->bodies);
    members->joints = malloc(joints * sizeof *members->joints);
    members->apart = malloc(joints * sizeof *members->apart);
    if (members->bodies == NULL || members->joints == NULL || members->apart == NULL)
        return palError_Memory(error, "rigid bodies", bodies * sizeof *members->bodies);
    if (def->bodyCount > 0)
        memcpy(members->bodies, def->bodies, (size_t)def->bodyCount * sizeof *def->bodies);
    def->bodies = members->bodies;
    def->joints = members->joints;
    def->apart = (const int(*)[2])members->apart;
    return pal_ok;
}

static palResult createPile(palImpulse* impulse, palError* error)
{
    const palMethodDef* shared = &impulse->shared.defs[0];
    if (shared->pile == NULL && shared->colliderCount > 0)
    {
        palError_Set(error, pal_errorInput, "the objects are not given as rigid bodies");
        return palError_Remedy(error, "give palMethodDef.pile");
    }
    Members members = {
        .def = shared->pile != NULL ? *shared->pile : palDefaultRigidPileDef(),
    };
    members.def.dt = shared->body.dt;
    members.def.sweepsMost = sweepsMost;
    members.def.gravity = shared->body.gravity;
    palResult result = allocateMembers(&members, shared->jointCount, error);
    if (result == pal_ok)
        result = addHands(impulse, &members, error);
    if (result == pal_ok)
    {
        addJoints(impulse, &members);
        result = palPile_Create(&members.def, &impulse->pile, error);
    }
    free(members.bodies);
    free(members.joints);
    free(members.apart);
    return result;
}

static palResult init(palShared* shared, palError* error)
{
    palImpulse* impulse = (palImpulse*)shared;
    palResult result = createPile(impulse, error);
    if (result != pal_ok)
        return result;
    size_t size = (size_t)impulse->pile->bodyCount * sizeof *impulse->starts;
    impulse->starts = malloc(size);
    if (impulse->starts == NULL)
        return palError_Memory(error, "rigid bodies", size);
    for (int i = 0; i < impulse->pile->bodyCount; i++)
        impulse->starts[i] = palPile_Pose(impulse->pile, i);
    shared->reportCapacity = handContactsMax * shared->handCount;
    shared->updateCapacity = contactsPerBody * impulse->pile->bodyCount;
    shared->problemRows = (int)fmin(impulse->pile->rowCapacity, problemRowsMax);
    return pal_ok;
}

static void freeShared(palShared* shared)
{
    palImpulse* impulse = (palImpulse*)shared;
    palPile_Destroy(impulse->pile);
    for (int i = 0; i < pal_handsMax; i++)
        palRigidShape_Free(&impulse->shapes[i]);
    free(impulse->starts);
}

static palResult makeState(const palShared* shared, palHapticState* state, palError* error)
{
    const palPile* pile = ((const palImpulse*)shared)->pile;
    state->rigid = calloc((size_t)pile->bodyCount + 1, sizeof *state->rigid);
    return state->rigid != NULL ? pal_ok
                                : palError_Memory(error, "poses of rigid bodies",
                                                  (size_t)pile->bodyCount * sizeof *state->rigid);
}

// What the hand holds is where the device is at first.
static void place(palMethod* method, const palDeviceState* device)
{
    palImpulse* impulse = impulseOf(method);
    const palMethodDef* def = &method->def;
    palPose pose = {device->position, def->tool != NULL ? device->orientation : pal_identityQuat};
    int body = impulse->firstHand + def->hand;
    palPile_Place(impulse->pile, body, pose, pal_zeroVec3, pal_zeroVec3);
    palPile_Rejoin(impulse->pile, body);
    // The handle is the origin of the tool's frame.
    palPileJoint* joint = &impulse->pile->joints[impulse->firstHandle + def->hand];
    joint->frames[0] = (palPose){palNeg(impulse->pile->bodies[body].centre), pal_identityQuat};
}

static palPointState point(const palMethod* method)
{
    palImpulse* impulse = impulseOf(method);
    return (palPointState){
        .x = palPile_Pose(impulse->pile, impulse->firstHand + method->def.hand).x,
    };
}

//--------------------------------------------------------------------------------------------------
// High rate

// H2: where the handles are at the end of the step.
static void moveFreely(palMethod* method, palTick* tick)
{
    palImpulse* impulse = impulseOf(method);
    const palMethodDef* def = &method->def;
    palHandle handle = palHandle_FromDevice(&tick->device);
    palCouplingValues gains =
        def->tool != NULL ? palRigidModel_Coupling(&def->tool->model)
                          : (palCouplingValues){def->body.stiffness, def->body.damping, 0.0, 0.0};
    if (def->tool == NULL)
        handle.q = pal_identityQuat;
    impulse->pile->def.gravity = def->body.gravity;
    palPile_SetHandle(impulse->pile, impulse->firstHandle + def->hand, &handle, &gains);
}

// H4: all bodies through the step.
static void solve(palShared* shared, palTick* ticks)
{
    palImpulse* impulse = (palImpulse*)shared;
    impulse->pile->problem = ticks[0].info.problem;
    palPile_Step(impulse->pile);
    const palPileInfo* info = &impulse->pile->info;
    for (int i = 0; i < shared->handCount; i++)
    {
        ticks[i].info.iterations = info->sweeps;
        ticks[i].info.residual = info->residual;
        ticks[i].info.constraints = info->rows;
        ticks[i].info.active = info->active;
    }
}

// Contacts of the hand in every tick, all others at the rate of the snapshots.
static void report(palImpulse* impulse, int hand, palTick* tick)
{
    bool isFirst = hand == 0 && tick->snapshots[0]->sequence != impulse->sequence;
    int first = tick->info.contacts->count;
    palPile_Report(impulse->pile, isFirst ? -1 : impulse->firstHand + hand, tick->info.contacts);
    if (isFirst)
        impulse->sequence = tick->snapshots[0]->sequence;
    for (int i = first; i < tick->info.contacts->count; i++)
    {
        palContactForce* contact = &tick->info.contacts->items[i];
        int holder = contact->other - palMethodDef_HandBody(&impulse->shared.defs[0]);
        contact->hand = holder >= 0 && holder < impulse->shared.handCount ? holder : -1;
    }
}

// H5: the force of the coupling on the hand.
static void correct(palMethod* method, palTick* tick)
{
    palImpulse* impulse = impulseOf(method);
    const int hand = method->def.hand, body = impulse->firstHand + hand;
    palPose pose = palPile_Pose(impulse->pile, body);
    palWrench wrench = palPile_HandWrench(impulse->pile, impulse->firstHandle + hand);
    tick->info.force = wrench.force;
    tick->info.torque = wrench.torque;
    tick->info.turn = pose.q;
    *tick->body = (palPointState){.x = pose.x, .v = impulse->pile->bodies[body].state.v};
    report(impulse, hand, tick);
}

// A body as it is; false where it does not move.
static bool rigid(const palShared* shared, int object, palRigidView* view)
{
    const palImpulse* impulse = (const palImpulse*)shared;
    if (object >= impulse->firstHand || impulse->pile->bodies[object].motion == pal_motionFixed)
        return false;
    const palPileBody* body = &impulse->pile->bodies[object];
    palPose now = palPile_Pose(impulse->pile, object), start = impulse->starts[object];
    palQuat turn = palMulQuat(now.q, palConjugate(start.q));
    *view = (palRigidView){
        .object = body->id,
        .pose = now,
        .moved = {palSub(now.x, palRotate(turn, start.x)), turn},
        .v = body->state.v,
        .omega = body->motion == pal_motionFree ? palInertia_Omega(&body->inertia, &body->state)
                                                : body->u.omega,
        .isAsleep = body->isAsleep,
    };
    return true;
}

static palRigidTotals totals(const palShared* shared)
{
    const palImpulse* impulse = (const palImpulse*)shared;
    const palPile* pile = impulse->pile;
    palRigidTotals sum = {.contacts = palPile_CountTouching(pile), .deepest = pile->deepest};
    for (int i = 0; i < impulse->firstHand; i++)
    {
        const palPileBody* body = &pile->bodies[i];
        if (body->motion != pal_motionFree)
            continue;
        sum.bodies++;
        sum.asleep += body->isAsleep;
        sum.kinetic += palInertia_Energy(&body->inertia, &body->state);
        sum.potential -= body->inertia.mass * palDot(pile->def.gravity, body->state.x);
    }
    return sum;
}

// H6: where everything is, for who draws it.
static void writeState(const palShared* shared, palHapticState* state)
{
    const palImpulse* impulse = (const palImpulse*)shared;
    state->rigidCount = 0;
    for (int i = 0; i < impulse->firstHand; i++)
        state->rigidCount += rigid(shared, i, &state->rigid[state->rigidCount]);
}

static void writeHand(const palMethod* method, palHapticHand* state)
{
    const palImpulse* impulse = impulseOf(method);
    state->tool = impulse->pile->bodies[impulse->firstHand + method->def.hand].state;
}

//--------------------------------------------------------------------------------------------------
// Drawing, saving

static bool tool(const palMethod* method, const palHapticHand* hand, palToolView* view)
{
    const palTool* held = method->def.tool;
    *view = (palToolView){.surface = &held->surface, .orientation = pal_identityQuat};
    if (hand == NULL)
        return true;
    view->orientation = hand->tool.q;
    view->position = palSub(hand->tool.x, palRotate(hand->tool.q, held->model.def.mass.centre));
    return true;
}

static void archive(palShared* shared, palArchive* archive)
{
    palImpulse* impulse = (palImpulse*)shared;
    PAL_ARCHIVE(archive, impulse->sequence);
    palPile_Archive(impulse->pile, archive);
}

static void archiveState(const palShared* shared, palHapticState* state, palArchive* archive)
{
    (void)shared;
    PAL_ARCHIVE(archive, state->rigidCount);
    PAL_ARCHIVE_ARRAY(archive, state->rigid, state->rigidCount);
}

// L7: nothing is described, so that the description is good everywhere.
static void describe(palMethod* method, palLowStep* step)
{
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    snapshot->trustCentre = palLowStep_Hand(step, method)->body.x;
    snapshot->trustRadius = INFINITY;
}

static const palSharedOps sharedImpulse = {
    .size = sizeof(palImpulse),
    .init = init,
    .free = freeShared,
    .makeState = makeState,
    .solve = solve,
    .writeState = writeState,
    .rigid = rigid,
    .totals = totals,
    .archive = archive,
    .archiveState = archiveState,
};

#define PAL_IMPULSE_METHOD(kind)                                                                   \
    .name = "impulse", .hand = (kind), .shared = &sharedImpulse,                                   \
    .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partFree) |                           \
               PAL_ACCEPTS(pal_partJoint) | PAL_ACCEPTS(pal_partSlider) |                          \
               ((kind) == pal_handTool ? PAL_ACCEPTS(pal_partToolJoint) : 0u),                     \
    .size = sizeof(palMethod), .trustShare = INFINITY, .place = place, .point = point,             \
    .describe = describe, .moveFreely = moveFreely, .correct = correct, .writeState = writeHand

const palMethodOps pal_methodImpulse = {PAL_IMPULSE_METHOD(pal_handPoint)};
const palMethodOps pal_methodImpulseTool = {PAL_IMPULSE_METHOD(pal_handTool), .tool = tool};
