// SPDX-License-Identifier: Apache-2.0
// `coupling`: the usual way to give a slow simulation to a fast loop, as the baseline of `linear`
// (M. A. Otaduy and M. Gross, World Haptics 2007, section 6): a second virtual coupling between the
// haptic tool and the visual tool.
//
// The visual tool lives at the low rate with the soft bodies (world/step.h) and is coupled to the
// haptic tool; the haptic tool lives at the high rate, coupled to the device and to the visual tool
// of the last snapshot. Both couplings have the same gains.
//
//     paper (section 3)                                              here
//     visual thread
//     1     coupling force, here to the haptic tool                  L2  advance
//     2, 3  free update of tool, eq. (3), and tissue, eq. (6)        L1, L2  advance
//     4     collision detection and constraints, eq. (8)             L3, L4  advance
//     5     contact forces, eq. (11), and post-collision state       L5, L6  advance
//     6     linear model: none; the pose of the visual tool instead  L7  describe
//     7     sanity check                                             L6  advance
//     haptic thread
//     1, 2  coupling force and free update, eq. (3)                  H2  moveFreely
//     3     linear model: none; the second coupling is in H2
//     4     post-collision state: that of H2                         H5  correct
//     5     coupling force to the device                             H5  correct, H6  pipelines.c
#include "base/error.h"
#include "render/tool_world.h"
#include "world/hand.h"

#include <stdlib.h>

// palSnapshot.visual
typedef struct palVisualTool
{
    palHandle grip;  // pose and velocity of the visual tool's grip
    int constraints; // rows of its contact
    int active;      // rows with a force
} palVisualTool;

typedef struct palCoupling
{
    palToolHand base;
    palRigidModel between; // the haptic tool with both couplings: their gains add up
} palCoupling;

static palResult initWorld(palShared* shared, palError* error)
{
    return palToolWorld_Init((palToolWorld*)shared, 0.0, error);
}

static palResult init(palMethod* method, palError* error)
{
    (void)error;
    ((palCoupling*)method)->between = method->def.tool->model;
    return pal_ok;
}

// The weight is the visual tool's: the hand carries it once.
static void addGains(palCoupling* coupling)
{
    palCouplingValues gains = palRigidModel_Coupling(&coupling->base.method.def.tool->model);
    gains.stiffness *= 2.0;
    gains.damping *= 2.0;
    gains.turnStiffness *= 2.0;
    gains.turnDamping *= 2.0;
    palRigidModel_SetCoupling(&coupling->between, &gains, pal_zeroVec3);
}

static palResult makeSnapshot(const palMethod* method, palHandSnapshot* snapshot, palError* error)
{
    (void)method;
    snapshot->visual = calloc(1, sizeof *snapshot->visual);
    return snapshot->visual != NULL
               ? pal_ok
               : palError_Memory(error, "the visual tool", sizeof *snapshot->visual);
}

// L1..L6: visual tools and soft bodies to the time of the haptic state.
static void advance(palShared* shared, palLowStep* step)
{
    palHandle handles[pal_handsMax];
    for (int i = 0; i < shared->handCount; i++)
        handles[i] = palTool_Grip(shared->defs[i].tool, &step->state->hands[i].tool);
    palToolWorld_AdvanceTo((palToolWorld*)shared, handles, step);
}

// L7: the pose of the visual tool, which is all that the high rate gets.
static void describe(palMethod* method, palLowStep* step)
{
    const palRows* rows = palToolHand_World(method)->step.rows;
    *palLowStep_View(step, method)->visual = (palVisualTool){
        .grip = palTool_Grip(method->def.tool, &palToolHand_Visual(method)->state),
        .constraints = rows->count,
        .active = rows->info.activeRows,
    };
    palToolHand_EndSnapshot(method, step);
}

// H2: the motion of the haptic tool between device and visual tool. Two equal springs act as one of
// twice the stiffness to the midpoint.
static void moveFreely(palMethod* method, palTick* tick)
{
    palCoupling* coupling = (palCoupling*)method;
    palToolHand* hand = &coupling->base;
    addGains(coupling);
    hand->handle = palHandle_FromDevice(&tick->device);
    palHandle middle = palHandle_Between(&hand->handle, &tick->view->visual->grip, 0.5);
    hand->step = palRigid_Free(&coupling->between, &hand->haptic, &middle, method->def.body.dt);
    hand->alone = hand->step.free;
}

// H5: the new state, and the coupling force and torque on the hand.
static void correct(palMethod* method, palTick* tick)
{
    palCoupling* coupling = (palCoupling*)method;
    palToolHand_EndTick(&coupling->base, &coupling->between, coupling->base.step.free, tick);
    tick->info.constraints = tick->view->visual->constraints;
    tick->info.active = tick->view->visual->active;
    palRigidHands_Report(method, tick);
}

// Rigid bodies that move push the haptic tool; what stands still stops the visual one alone.
static void push(palMethod* method, palTick* tick, palWrench wrench)
{
    (void)tick;
    palToolHand_Push((palToolHand*)method, wrench);
}

static palVec3 stop(const palMethod* method, const palTick* tick, palPile* pile, int body)
{
    (void)method;
    (void)tick;
    (void)pile;
    (void)body;
    return pal_zeroVec3;
}

static const palRigidHandOps rigidHand = {
    .motion = palToolHand_Motion,
    .push = push,
    .stop = stop,
};

static void archiveSnapshot(const palMethod* method, palHandSnapshot* snapshot, palArchive* archive)
{
    (void)method;
    PAL_ARCHIVE(archive, *snapshot->visual);
}

static const palSharedOps sharedCoupling = {
    PAL_TOOL_WORLD,
    .init = initWorld,
    .advance = advance,
};

const palMethodOps pal_methodCoupling = {
    .name = "coupling",
    .hand = pal_handTool,
    .shared = &sharedCoupling,
    PAL_TOOL_ACCEPTS,
    .rigidHand = &rigidHand,
    .size = sizeof(palCoupling),
    .trustShare = 1.0,
    .init = init,
    .makeSnapshot = makeSnapshot,
    .place = palToolHand_Place,
    .point = palToolHand_Point,
    .writeState = palToolHand_WriteState,
    .describe = describe,
    .moveFreely = moveFreely,
    .correct = correct,
    .archive = palToolHand_Archive,
    .archiveSnapshot = archiveSnapshot,
    .tool = palToolHand_View,
};
