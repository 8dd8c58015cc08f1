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
#include "touch/rigid_world.h"
#include "world/hand.h"

// Rows of a tick that are recorded at most, with their W of some 10 MB.
static const double problemRowsMax = 1000;
// Contacts of a hand that are reported in every tick, at most.
static const int handContactsMax = 128;

typedef struct palImpulse
{
    palShared shared;
    palRigidWorld world;
} palImpulse;

static palRigidWorld* worldOf(const palMethod* method)
{
    return &((palImpulse*)method->shared)->world;
}

static palPile* pileOf(const palMethod* method)
{
    return worldOf(method)->pile;
}

//--------------------------------------------------------------------------------------------------
// Set-up

static palResult init(palShared* shared, palError* error)
{
    palImpulse* impulse = (palImpulse*)shared;
    if (shared->defs->pile == NULL && shared->defs->colliderCount > 0)
    {
        palError_Set(error, pal_errorInput, "the objects are not given as rigid bodies");
        return palError_Remedy(error, "give palMethodDef.pile");
    }
    palResult result =
        palRigidWorld_Init(&impulse->world, shared->defs, shared->handCount, pal_tieHandles, error);
    if (result != pal_ok)
        return result;
    shared->reportCapacity = handContactsMax * shared->handCount;
    shared->updateCapacity = palRigidWorld_UpdateContacts(&impulse->world);
    shared->problemRows = (int)fmin(impulse->world.pile->rowCapacity, problemRowsMax);
    return pal_ok;
}

static void freeShared(palShared* shared)
{
    palRigidWorld_Free(&((palImpulse*)shared)->world);
}

static palResult makeState(const palShared* shared, palHapticState* state, palError* error)
{
    return palRigidWorld_MakeState(&((const palImpulse*)shared)->world, state, error);
}

// What the hand holds is where the device is at first.
static void place(palMethod* method, const palDeviceState* device)
{
    palRigidWorld* world = worldOf(method);
    const palMethodDef* def = &method->def;
    palPose pose = {device->position, def->tool != NULL ? device->orientation : pal_identityQuat};
    int body = world->hands[def->hand];
    palPile_Place(world->pile, body, pose, pal_zeroVec3, pal_zeroVec3);
    palPile_Rejoin(world->pile, body);
    // The handle is the origin of the tool's frame.
    palPileJoint* joint = &world->pile->joints[world->firstHandle + def->hand];
    joint->frames[0] = (palPose){palNeg(world->pile->bodies[body].centre), pal_identityQuat};
}

static palPointState point(const palMethod* method)
{
    return (palPointState){
        .x = palPile_Pose(pileOf(method), worldOf(method)->hands[method->def.hand]).x,
    };
}

//--------------------------------------------------------------------------------------------------
// High rate

// H2: where the handles are at the end of the step.
static void moveFreely(palMethod* method, palTick* tick)
{
    palPile* pile = pileOf(method);
    const palMethodDef* def = &method->def;
    palHandle handle = palHandle_FromDevice(&tick->device);
    palCouplingValues gains =
        def->tool != NULL ? palRigidModel_Coupling(&def->tool->model)
                          : (palCouplingValues){def->body.stiffness, def->body.damping, 0.0, 0.0};
    if (def->tool == NULL)
        handle.q = pal_identityQuat;
    palPile_SetGravity(pile, def->body.gravity);
    palPile_SetHandle(pile, worldOf(method)->firstHandle + def->hand, &handle, &gains);
    palRigidWorld_Pick(worldOf(method), def, &tick->device);
}

// H4: all bodies through the step.
static void solve(palShared* shared, palTick* ticks)
{
    palPile* pile = ((palImpulse*)shared)->world.pile;
    pile->problem = ticks[0].info.problem;
    palPile_Step(pile);
    for (int i = 0; i < shared->handCount; i++)
    {
        ticks[i].info.iterations = pile->info.sweeps;
        ticks[i].info.residual = pile->info.residual;
        ticks[i].info.constraints = pile->info.rows;
        ticks[i].info.active = pile->info.active;
    }
}

// H5: the force of the coupling on the hand.
static void correct(palMethod* method, palTick* tick)
{
    palRigidWorld* world = worldOf(method);
    const int hand = method->def.hand, body = world->hands[hand];
    palPose pose = palPile_Pose(world->pile, body);
    palWrench wrench = palPile_HandWrench(world->pile, world->firstHandle + hand);
    tick->info.force = wrench.force;
    tick->info.torque = wrench.torque;
    tick->info.turn = pose.q;
    tick->info.carried = palAdd(tick->info.carried, palPile_JointForce(world->pile, body));
    *tick->body = (palPointState){.x = pose.x, .v = world->pile->bodies[body].state.v};
    palRigidWorld_Report(world, hand, tick->snapshots[0]->sequence, tick->info.contacts);
}

static bool rigid(const palShared* shared, int object, palRigidView* view)
{
    return palRigidWorld_View(&((const palImpulse*)shared)->world, object, view);
}

static void setFriction(palShared* shared, int object, double friction)
{
    palPile_SetFriction(((palImpulse*)shared)->world.pile, object, friction);
}

static palRigidTotals totals(const palShared* shared)
{
    return palRigidWorld_Totals(&((const palImpulse*)shared)->world);
}

// H6: where everything is, for who draws it.
static void writeState(const palShared* shared, palHapticState* state)
{
    palRigidWorld_WriteState(&((const palImpulse*)shared)->world, state);
}

static void writeHand(const palMethod* method, palHapticHand* state)
{
    state->tool = pileOf(method)->bodies[worldOf(method)->hands[method->def.hand]].state;
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
    palRigidWorld_Archive(&((palImpulse*)shared)->world, archive);
}

static void archiveState(const palShared* shared, palHapticState* state, palArchive* archive)
{
    (void)shared;
    palRigidWorld_ArchiveState(state, archive);
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
    .setFriction = setFriction,
    .archive = archive,
    .archiveState = archiveState,
};

#define PAL_IMPULSE_METHOD(kind)                                                                   \
    .name = "impulse", .hand = (kind), .shared = &sharedImpulse,                                   \
    .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partFree) |                           \
               PAL_ACCEPTS(pal_partJoint) | PAL_ACCEPTS(pal_partSlider) |                          \
               ((kind) == pal_handTool ? PAL_ACCEPTS(pal_partToolJoint) : 0u),                     \
    .picksUp = true, .size = sizeof(palMethod), .trustShare = INFINITY, .place = place,            \
    .point = point, .describe = describe, .moveFreely = moveFreely, .correct = correct,            \
    .writeState = writeHand

const palMethodOps pal_methodImpulse = {PAL_IMPULSE_METHOD(pal_handPoint)};
const palMethodOps pal_methodImpulseTool = {PAL_IMPULSE_METHOD(pal_handTool), .tool = tool};
