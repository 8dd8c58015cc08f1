// SPDX-License-Identifier: Apache-2.0
// `accurate` where the hand holds a tool: contact of its points that stays right between updates.
//
// Knott and Kuhlen 2015 describe their method for one point and name point shells as its extension
// (section 3.3). Here every point of the tool's shell (tool_shell.h) is such a point.
//
// Low rate: the limited constraints of all triangles within reach of any point, where the points
// will be in the middle of the snapshot's life, and how far each point is from them. As far as the
// reach, in every direction, each point knows its surroundings; where that is more than a patch
// holds the reach shrinks. The outer trust region of section 3.5 is that no point goes farther.
//
// High rate: passes. The rows of all planes are solved together; then each point on its own is
// swept from where it was to where it would be, and gets other planes where it needs them
// (tool_walks.h). Where the points are settled, edges and vertices that would cross between them
// get rows (tool_crossings.h). When the passes are used up and something still crosses, the tool
// makes only a part of its way.
//
// Nothing ever ends inside: the last sweep confirms it.
//
// A tool that the trust region holds gives no force by that: the hand gets what contacts explain.
// One that touches nothing waits, while the coupling goes on with the tool as it would be if
// nothing were there; its poses are the trail (tool_trail.h), along which the tool comes after when
// more is known. What one that touches, or that something stops on the trail, did not make of its
// motion is its lag, by which the hand is ahead: it is coupled to the hand as it would be without
// that, and makes up for its lag a little in every tick, as part of its motion.
#include "base/error.h"
#include "render/common.h"
#include "touch/tool_crossings.h"
#include "touch/tool_trail.h"
#include "touch/tool_walks.h"

#include <stdlib.h>
#include <string.h>

static const double leadShare = 0.75;      // of the reach: largest lead of the described pose
static const double strideShare = 0.1;     // of the reach: what a point goes in one tick, at most
static const double lookAheadShare = 0.02; // of the query radius: soft faces are looked at beyond a
                                           // tick's way
static const double growth = 1.3;          // of a reach that shrank, from step to step, at most
static const double apartShare = 0.25;     // of the reach: between points that search for faces
static const double followShare = 0.05;    // of the reach: what a tool makes up for in one tick

enum
{
    passesMax = 12,
    crossingPassesMax = 8, // besides those, for edges and vertices
    pointPasses = 2,       // at first, for points alone
    shrinkingsMax = 40,
    facesMax = 16000, // that a snapshot describes
    halvingsMax = 8,
    followedMax = 8, // places of a trail in one tick
};

typedef struct palAccurateTool
{
    palShellMethod base;

    // Low rate.
    palToolScout* scout;     // owned
    double reach;            // m, of the last step
    bool hasShrunk;          // it was less than asked for
    int found[facesMax];     // triangles of a query
    int** stamps;            // owned, by collider, [triangles]: the query that met each last
    int query;               // of this number
    int objects[facesMax];   // the triangles to describe: of which collider
    int triangles[facesMax]; // and which
    int total;               // of them

    // High rate, from tick to tick.
    palTrail trail;  // where the coupling has the tool, while it waits
    palVec3 lag;     // m: by which the hand is ahead of the handle that the tool is coupled to
    palVec3 lagTurn; // likewise, a rotation vector
    bool isBarred;   // something stopped the tool on its trail, and it has that lag since

    // The tick under way.
    bool isWaiting; // the tool stays where it is
    struct
    {
        bool isWaiting;
        palVec3 lag, lagTurn;
    } begun;               // before H4
    palRigidState coupled; // then: where the coupling has it at the end
    palTwist follow;       // the velocity that makes up for the lag
    double handWay;        // m: what the hand moves any place of the tool by, and that
    palToolWalks walks;
} palAccurateTool;

static void release(palMethod* method)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    palToolShell_Free(&accurate->base.shell);
    free(accurate->scout);
    for (int i = 0; i < palMethodDef_Surfaces(&method->def) && accurate->stamps != NULL; i++)
        free(accurate->stamps[i]);
    free(accurate->stamps);
}

static palResult init(palMethod* method, palError* error)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    accurate->reach = method->def.radius;
    palResult result = palShellMethod_Init(method, error);
    if (result == pal_ok)
        result = palToolScout_Create(&accurate->base.shell, &accurate->scout, error);
    size_t surfaces = (size_t)palMethodDef_Surfaces(&method->def) + 1;
    accurate->stamps = calloc(surfaces, sizeof *accurate->stamps);
    if (accurate->stamps == NULL && result == pal_ok)
        result = palError_Memory(error, "the marks of triangles", surfaces * sizeof(int*));
    for (int i = 0; i < palMethodDef_Surfaces(&method->def) && result == pal_ok; i++)
    {
        size_t count = (size_t)method->def.colliders[i].surface.triangleCount + 1;
        accurate->stamps[i] = calloc(count, sizeof *accurate->stamps[i]);
        if (accurate->stamps[i] == NULL)
            result = palError_Memory(error, "the marks of triangles", count * sizeof(int));
    }
    return result;
}

static palResult makeSnapshot(const palMethod* method, palHandSnapshot* snapshot, palError* error)
{
    (void)method;
    palResult result = palPatch_Init(&snapshot->patch, error);
    return result == pal_ok ? palShellMethod_AddView(snapshot, error) : result;
}

// ---------------------------------------------------------------------------------------------
// Low rate

// Where the tool will be in the middle of the life of the snapshot that is being made: it goes on
// as it moves, or, where a contact and the present one hold it, after the device.
static palRigidState predictPose(const palAccurateTool* accurate, const palHapticHand* hand)
{
    const palMethodDef* def = &accurate->base.method.def;
    const palRigidModel* model = &def->tool->model;
    double middle = def->latency + 0.5 * def->lowDt;
    palRigidState ahead = palToolTrail_End(&hand->trail, &hand->tool);
    bool isAfter = hand->held && hand->trail.count == 0;
    palVec3 spin = isAfter ? hand->deviceSpin : palRigid_Omega(model, &ahead);
    palQuat turn = palMakeQuatRotationVector(palScale(middle, spin));
    if (isAfter)
    {
        palHandle handle = palHandle_FromState(hand);
        handle.x = palMulAdd(handle.x, middle, handle.v);
        handle.q = palMulQuat(turn, handle.q);
        return palRigid_AtHandle(model, &handle);
    }
    ahead.x = palMulAdd(ahead.x, middle, ahead.v);
    ahead.q = palNormalizeQuat(palMulQuat(turn, ahead.q));
    return ahead;
}

// Points such that every point of the view is within `distance` of one of them, and how far those
// of each are from it. Returns their number.
static int coverPoints(const palShellView* view, double distance, palVec3* centres, double* covered)
{
    int count = 0;
    for (int i = 0; i < view->count; i++)
    {
        bool isCovered = false;
        for (int c = 0; c < count && !isCovered; c++)
        {
            double apart = palDistance(view->near[i].at, centres[c]);
            isCovered = apart <= distance;
            if (isCovered)
                covered[c] = fmax(covered[c], apart);
        }
        if (isCovered)
            continue;
        covered[count] = 0.0;
        centres[count++] = view->near[i].at;
    }
    return count;
}

// L3: the rigid triangles within reach of a near point, and some that are a little farther.
// Returns their number, -1 where they are too many.
static int findTriangles(palAccurateTool* accurate, const palShellView* view)
{
    const palMethodDef* def = &accurate->base.method.def;
    palVec3 centres[pal_shellPointsMax];
    double covered[pal_shellPointsMax];
    int centreCount = coverPoints(view, apartShare * view->reach, centres, covered);
    int total = 0;
    accurate->query++;
    for (int i = 0; i < centreCount; i++)
        for (int k = 0; k < palMethodDef_Surfaces(def); k++)
        {
            if (palCollider_Yields(&def->colliders[k]) || def->colliders[k].inTick)
                continue;
            int count = palBvh_Within(def->colliders[k].bvh, centres[i], view->reach + covered[i],
                                      facesMax, accurate->found);
            if (count > facesMax)
                return -1;
            for (int j = 0; j < count; j++)
            {
                int* stamp = &accurate->stamps[k][accurate->found[j]];
                if (*stamp == accurate->query)
                    continue;
                if (total == facesMax)
                    return -1;
                *stamp = accurate->query;
                accurate->objects[total] = k;
                accurate->triangles[total++] = accurate->found[j];
            }
        }
    return total;
}

// The largest reach whose triangles a snapshot can hold, at most that of the query, or a larger one
// for a fast tool. Where it had to shrink it is near that of the last step, so the search begins
// there. The described pose is at most leadShare of it ahead, so that the region holds the tool as
// it is too.
static int findNear(palAccurateTool* accurate, const palHapticHand* hand, int clear,
                    palShellView* view)
{
    palToolShell* shell = &accurate->base.shell;
    const palTrail* trail = &hand->trail;
    palRigidState last = predictPose(accurate, hand), pose;
    double lead = palToolTrail_Way(shell, trail, clear, &hand->tool, &last, INFINITY, &pose);
    double wanted = fmax(accurate->base.method.def.radius, lead / leadShare);
    double reach = accurate->hasShrunk ? fmin(wanted, growth * accurate->reach) : wanted;
    int total = -1;
    for (int i = 0; i < shrinkingsMax && total < 0; i++)
    {
        double most = leadShare * reach;
        lead = palToolTrail_Way(shell, trail, clear, &hand->tool, &last, most, &pose);
        palToolShell_FindNear(shell, &pose, reach, view);
        total = findTriangles(accurate, view);
        if (total >= 0 && shell->soft == NULL)
            palToolShell_FindFeatures(shell, reach, NULL, view);
        if (view->reach < lead)
            total = -1;
        accurate->reach = reach;
        reach *= 0.8;
    }
    accurate->hasShrunk = accurate->reach < wanted;
    if (total < 0)
    {
        // Not even a small part fits: the tool stays where it is.
        view->reach = 0.0;
        view->count = 0;
    }
    return total > 0 ? total : 0;
}

// L3: points near surfaces, and the surfaces near them.
static void find(palMethod* method, palLowStep* step)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    const palHapticHand* hand = palLowStep_Hand(step, method);
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    palShellView* view = snapshot->shell;
    int clear = palToolTrail_Clear(accurate->scout, &hand->trail, &hand->tool,
                                   accurate->base.shell.soft == NULL);
    snapshot->clearUntil = clear > 0 ? hand->trail.times[clear - 1] : 0.0;
    accurate->total = findNear(accurate, hand, clear, view);
    palToolShell_AskSoft(&accurate->base.shell, view);
}

// L4: edges and vertices of soft surfaces as they are bent now, and the limited constraints of
// rigid ones, faces first, then the concave edges of closed ones.
static void describe(palMethod* method, palLowStep* step)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    const palMethodDef* def = &method->def;
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    palShellView* view = snapshot->shell;
    palToolShell_TakeSoft(&accurate->base.shell, step->snapshot->soft, view);
    if (view->reach == 0.0)
        view->features.count = 0;
    else if (accurate->base.shell.soft != NULL)
        palToolShell_FindFeatures(&accurate->base.shell, accurate->reach, step->snapshot->soft,
                                  view);
    // The pose is described for the middle of the snapshot's life.
    const palHapticHand* hand = palLowStep_Hand(step, method);
    double lead = palToolShell_Apart(&accurate->base.shell, &hand->tool, &view->pose);
    palToolShell_FindFacing(&accurate->base.shell, 1.5 * lead, view);
    palPatch_Clear(&snapshot->patch, view->pose.x);
    for (int i = 0; i < accurate->total; i++)
        palPatch_AddFace(&snapshot->patch, &def->colliders[accurate->objects[i]],
                         accurate->objects[i], accurate->triangles[i],
                         def->settings.accurate.limits);
    for (int i = 0; i < accurate->total; i++)
        if (def->colliders[accurate->objects[i]].closed)
            palPatch_AddConcaveEdges(&snapshot->patch, &def->colliders[accurate->objects[i]],
                                     accurate->objects[i], accurate->triangles[i]);
    snapshot->trustCentre = palTool_Grip(def->tool, &view->pose).x;
    snapshot->trustRadius = view->reach;
    snapshot->shrunk = accurate->reach < def->radius || view->features.dropped > 0 ||
                       view->reach < accurate->reach;
    step->info.contacts += view->count;
    step->info.constraints += 3 * accurate->total;
}

// ---------------------------------------------------------------------------------------------
// High rate

// The handle that the tool is coupled to.
static palHandle laggedHandle(const palAccurateTool* accurate, const palDeviceState* device)
{
    palHandle handle = palHandle_FromDevice(device);
    handle.x = palSub(handle.x, accurate->lag);
    handle.q = palMulQuat(palMakeQuatRotationVector(palNeg(accurate->lagTurn)), handle.q);
    return handle;
}

// Free motion as if the hand were not ahead, and a part of what it is ahead by.
static void moveLagged(palAccurateTool* accurate, const palTick* tick)
{
    palToolShell* shell = &accurate->base.shell;
    const palRigidModel* model = &shell->tool.tool->model;
    double dt = shell->def->body.dt;
    palHandle handle = laggedHandle(accurate, &tick->device);
    palToolShell_MoveFreely(shell, &handle);
    accurate->follow = (palTwist){pal_zeroVec3, pal_zeroVec3};
    accurate->handWay = dt * (palLength(handle.v) + 2.0 * shell->extent * palLength(handle.omega));
    double lag = palLength(accurate->lag) + shell->extent * palLength(accurate->lagTurn);
    if (lag == 0.0)
        return;
    double share = fmin(1.0, followShare * tick->view->shell->reach / lag);
    double rate = share / dt;
    accurate->handWay += share * lag;
    palVec3 toGrip = palRotate(shell->tool.state.q, model->grip);
    accurate->follow.omega = palScale(rate, accurate->lagTurn);
    accurate->follow.v =
        palSub(palScale(rate, accurate->lag), palCross(accurate->follow.omega, toGrip));
    accurate->lag = palScale(1.0 - share, accurate->lag);
    accurate->lagTurn = palScale(1.0 - share, accurate->lagTurn);
    palTwist* free = &shell->tool.step.free;
    free->v = palAdd(free->v, accurate->follow.v);
    free->omega = palAdd(free->omega, accurate->follow.omega);
    shell->end = palRigidStep_Integrate(&shell->tool.step, model, *free);
}

// H2: free motion; while the tool waits, of where the coupling has it.
static void moveFreely(palMethod* method, palTick* tick)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    palToolShell* shell = &accurate->base.shell;
    palRigidState here = shell->tool.state;
    shell->tool.state = palToolTrail_End(&accurate->trail, &here);
    moveLagged(accurate, tick);
    shell->tool.state = here;
    accurate->isWaiting = false;
}

// Section 3.5, inner trust region: a tool that would go far in one tick, as one that slips off an
// edge under a hand deep inside, is drawn by a part of what draws it, so that its points pass few
// faces at a time; but it goes as far as the hand. Returns whether that is so.
static bool shorten(palAccurateTool* accurate, const palShellView* view)
{
    palToolShell* shell = &accurate->base.shell;
    double way = palToolShell_Apart(shell, &shell->end, &shell->tool.state);
    double most = fmax(strideShare * view->reach, 2.0 * accurate->handWay);
    if (way <= most)
        return false;
    shell->tool.step.free.v = palScale(most / way, shell->tool.step.free.v);
    shell->tool.step.free.omega = palScale(most / way, shell->tool.step.free.omega);
    return true;
}

// Section 3.5, outer trust region: the share of the motion that stays within what is known.
static double trustedShare(const palToolShell* shell, const palShellView* view)
{
    const int bisections = 20;
    if (palToolShell_Apart(shell, &shell->end, &view->pose) <= view->reach)
        return 1.0;
    double low = 0.0, high = 1.0;
    for (int i = 0; i < bisections; i++)
    {
        double middle = 0.5 * (low + high);
        palRigidState end = palToolShell_EndAt(shell, middle);
        bool isKnown = palToolShell_Apart(shell, &end, &view->pose) <= view->reach;
        *(isKnown ? &low : &high) = middle;
    }
    return low;
}

static bool isFree(palAccurateTool* accurate, bool strictly)
{
    return palToolWalks_AreFree(&accurate->walks, false) &&
           palToolCrossings_AreFree(&accurate->base.shell, accurate->walks.snapshot->shell,
                                    strictly);
}

static bool isTouching(const palAccurateTool* accurate)
{
    const palToolShell* shell = &accurate->base.shell;
    if (palRigidHands_ArePushing(&accurate->base.method))
        return true;
    for (int i = 0; i < shell->contactCount; i++)
        if (shell->contacts[i].link.lambda[0] > 0.0)
            return true;
    return false;
}

static bool isLagging(const palAccurateTool* accurate)
{
    return palLengthSquared(accurate->lag) + palLengthSquared(accurate->lagTurn) > 0.0;
}

// By what the tool is behind where it would be.
static void addLag(palAccurateTool* accurate, const palRigidState* there, const palRigidState* here)
{
    const palTool* tool = accurate->base.shell.tool.tool;
    palHandle ahead = palTool_Grip(tool, there), grip = palTool_Grip(tool, here);
    palQuat turn = palMulQuat(ahead.q, palConjugate(grip.q));
    accurate->lag = palAdd(accurate->lag, palSub(ahead.x, grip.x));
    accurate->lagTurn = palAdd(accurate->lagTurn, palRotationVector(turn));
}

// Makes a share of the motion, as far as the surroundings are known. The tool goes on at the
// velocity that contacts leave it; for the rest of its motion it waits, or has a lag.
static void makeShare(palAccurateTool* accurate, double share)
{
    palToolShell* shell = &accurate->base.shell;
    palRigidState whole = shell->end;
    shell->end = palToolShell_EndAt(shell, share);
    shell->end.v = whole.v;
    shell->end.L = whole.L;
    accurate->isWaiting = !isTouching(accurate) && !isLagging(accurate);
    accurate->coupled = whole;
    if (!accurate->isWaiting)
        addLag(accurate, &whole, &shell->end);
}

// What cannot be made of the motion is not made.
static void holdBack(palAccurateTool* accurate, bool settled, palHighInfo* info)
{
    palToolShell* shell = &accurate->base.shell;
    double share = trustedShare(shell, accurate->walks.snapshot->shell);
    info->held = share < 1.0;
    if (info->held)
        makeShare(accurate, share);
    if (settled && !info->held)
        return;
    for (int i = 0; i < halvingsMax && share > 0.0 && !isFree(accurate, i + 2 < halvingsMax); i++)
    {
        info->converged = false;
        share = i + 1 < halvingsMax ? 0.5 * share : 0.0;
        shell->end = palToolShell_EndAt(shell, share);
    }
}

// The part of `follow` that a tool made which moves at `velocity` instead of at `free`.
static palVec3 followed(palVec3 velocity, palVec3 free, palVec3 follow)
{
    double square = palLengthSquared(follow);
    if (square == 0.0)
        return follow;
    double made = 1.0 + palDot(palSub(velocity, free), follow) / square;
    return palScale(fmin(1.0, fmax(0.0, made)), follow);
}

// What lags and touches nothing follows its trail.
static void beginTrail(palAccurateTool* accurate, double time)
{
    const palSteppedTool* tool = &accurate->base.shell.tool;
    palVec3 toGrip = palRotate(tool->state.q, tool->tool->model.grip);
    palQuat turn = palMakeQuatRotationVector(accurate->lagTurn);
    palVec3 grip = palAdd(palAdd(tool->state.x, toGrip), accurate->lag);
    palTrail_Add(&accurate->trail, palSub(grip, palRotate(turn, toGrip)),
                 palNormalizeQuat(palMulQuat(turn, tool->state.q)), time);
    accurate->lag = accurate->lagTurn = pal_zeroVec3;
}

// H5 of a tool that waits.
static void endWaiting(palAccurateTool* accurate, palTick* tick)
{
    palToolShell* shell = &accurate->base.shell;
    const palTool* tool = shell->tool.tool;
    palHandle handle = palHandle_FromDevice(&tick->device);
    palToolShell_End(shell, &handle, tick->body, &tick->info);
    palWrench hand = palRigid_HandWrench(&tool->model, &accurate->coupled, &handle);
    tick->info.force = hand.force;
    tick->info.torque = hand.torque;
    tick->info.held = true;
    tick->info.behind = palDistance(palTool_Grip(tool, &accurate->coupled).x, tick->body->x);
    palTrail_Add(&accurate->trail, accurate->coupled.x, accurate->coupled.q, tick->device.time);
    palRigidHands_Report(&accurate->base.method, tick);
}

// H5: what made up for the lag is no velocity.
static void correct(palMethod* method, palTick* tick)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    palToolShell* shell = &accurate->base.shell;
    if (accurate->isWaiting)
    {
        endWaiting(accurate, tick);
        return;
    }
    const palRigidStep* step = &shell->tool.step;
    palVec3 omega = palRigid_Omega(&shell->tool.tool->model, &shell->end);
    palVec3 turned = followed(omega, step->free.omega, accurate->follow.omega);
    shell->end.v = palSub(shell->end.v, followed(shell->end.v, step->free.v, accurate->follow.v));
    shell->end.L = palSub(shell->end.L, palMat3Apply(step->inertia, turned));
    palHandle handle = laggedHandle(accurate, &tick->device);
    palToolShell_End(shell, &handle, tick->body, &tick->info);
    tick->info.behind = palLength(accurate->lag);
    tick->info.held = tick->info.held || tick->info.behind > 0.0;
    accurate->isBarred = accurate->isBarred && isLagging(accurate);
    if (isLagging(accurate) && !accurate->isBarred && !isTouching(accurate))
        beginTrail(accurate, tick->device.time);
    palRigidHands_Report(method, tick);
}

// Whether no moving rigid body is on the way there.
static bool isClear(const palAccurateTool* accurate, const palRigidState* there)
{
    const palToolShell* shell = &accurate->base.shell;
    return palRigidHands_IsClear(&accurate->base.method, shell->tool.state.x, there->x,
                                 shell->extent);
}

// Whether the tool can go to a place where all is known, and nothing is in its way.
static bool canGo(palAccurateTool* accurate, const palRigidState* there, bool* isKnown)
{
    palToolShell* shell = &accurate->base.shell;
    const palShellView* view = accurate->walks.snapshot->shell;
    double way = palToolShell_Apart(shell, &shell->tool.state, there);
    *isKnown = palToolShell_Apart(shell, there, &view->pose) <= view->reach;
    shell->end = *there;
    if (!*isKnown || !isClear(accurate, there))
        return false;
    palToolShell_FindProbes(shell, view, way + lookAheadShare * shell->def->radius);
    return palToolWalks_AreFree(&accurate->walks, true) && palToolCrossings_AreNone(shell, view);
}

static void goTo(palToolShell* shell, palRigidState there)
{
    shell->travelled += palToolShell_Apart(shell, &shell->tool.state, &there);
    shell->tool.state = there;
}

// A tool that waits goes where the low rate has found nothing in its way, and then along the trail
// as far as the surfaces are known. What stops it on its way, it touches there.
static void catchUp(palAccurateTool* accurate, const palTick* tick)
{
    palToolShell* shell = &accurate->base.shell;
    palTrail* trail = &accurate->trail;
    palRigidState* here = &shell->tool.state;
    bool isKnown = true, isFree = true;
    int count = 0;
    for (; count < trail->count && trail->times[count] <= tick->view->clearUntil; count++)
    {
        palRigidState next = palToolTrail_At(trail, count, here);
        isFree = isClear(accurate, &next);
        if (!isFree)
            break;
        goTo(shell, next);
    }
    for (int i = 0; i < followedMax && count < trail->count && isFree; i++)
    {
        palRigidState next = palToolTrail_At(trail, count, here);
        isFree = canGo(accurate, &next, &isKnown);
        if (isFree)
            goTo(shell, next);
        count += isFree;
    }
    palRigidState coupled = palToolTrail_End(trail, here);
    palTrail_Drop(trail, count);
    // Soft surfaces may come over it while it waits.
    accurate->isBarred = isKnown && !isFree;
    accurate->isWaiting = !accurate->isBarred && trail->count > 0;
    if (accurate->isWaiting && shell->soft != NULL)
        accurate->isBarred = !canGo(accurate, here, &isKnown) && isKnown;
    if (!accurate->isBarred)
        return;
    accurate->isWaiting = false;
    trail->count = 0;
    addLag(accurate, &coupled, here);
    moveLagged(accurate, tick);
}

static void meetPoints(palMethod* method, const palTick* tick)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    palToolShell* shell = &accurate->base.shell;
    const palHandSnapshot* snapshot = tick->view;
    palToolShell_Begin(shell, tick->snapshots[0]);
    double way = palToolShell_Apart(shell, &shell->tool.state, &shell->end);
    palToolShell_FindProbes(shell, snapshot->shell, way + lookAheadShare * method->def.radius);
    palToolShell_Keep(shell, snapshot);
    accurate->walks.shell = shell;
    accurate->walks.snapshot = snapshot;
    accurate->walks.count = 0;
    if (accurate->trail.count == 0)
        return;
    palRigidState end = shell->end;
    catchUp(accurate, tick);
    if (!accurate->isBarred)
        shell->end = end;
    way = accurate->isWaiting ? 0.0 : palToolShell_Apart(shell, &shell->tool.state, &shell->end);
    palToolShell_FindProbes(shell, snapshot->shell, way + lookAheadShare * method->def.radius);
}

// H3: what the points may meet, and what held them.
static void findGaps(palMethod* method, palTick* tick)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    meetPoints(method, tick);
    accurate->begun.isWaiting = accurate->isWaiting;
    accurate->begun.lag = accurate->lag;
    accurate->begun.lagTurn = accurate->lagTurn;
}

// Faces and points are looked at as far as the free motion goes; where contact makes the tool go
// farther, farther.
static void lookFarther(palToolShell* shell, const palShellView* view)
{
    if (shell->soft == NULL)
        return;
    double way = palToolShell_Apart(shell, &shell->tool.state, &shell->end) + shell->soft->yield;
    if (way <= shell->soft->reach)
        return;
    palToolShell_FindProbes(shell, view, 2.0 * way);
    palToolShell_Solve(shell);
}

// H4 of a tool that waits: the coupling has it where nothing touches it.
static void wait(palAccurateTool* accurate)
{
    palToolShell* shell = &accurate->base.shell;
    palToolShell_Solve(shell);
    accurate->coupled = shell->end;
    shell->end = shell->tool.state;
    shell->end.v = accurate->coupled.v;
    shell->end.L = accurate->coupled.L;
}

// H4: planes where the points need them, and the forces that keep the points out.
static void solve(palMethod* method, palTick* tick)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    palToolShell* shell = &accurate->base.shell;
    const palShellView* view = tick->view->shell;
    bool changed = !accurate->isWaiting;
    int crossingPasses = 0;
    if (accurate->isWaiting)
        wait(accurate);
    for (int pass = 0; pass < passesMax + crossingPasses && changed; pass++)
    {
        palToolShell_Solve(shell);
        if (shorten(accurate, view))
            palToolShell_Solve(shell);
        lookFarther(shell, view);
        changed = palToolWalks_Review(&accurate->walks);
        // Edges and vertices where the points alone do not keep them apart, or do not settle.
        if ((!changed || pass >= pointPasses) && palToolCrossings_Review(shell, view))
        {
            changed = true;
            crossingPasses += crossingPasses < crossingPassesMax;
        }
    }
    if (!accurate->isWaiting)
        holdBack(accurate, !changed, &tick->info);
    palToolShell_Push(shell);
    tick->info.constraints = 3 * view->count;
}

//--------------------------------------------------------------------------------------------------
// Rigid bodies that move

// A tool that waits stays where it is, and so does what comes to it.
static palRigidStep motion(const palMethod* method, const palTick* tick)
{
    palRigidStep step = pal_shellRigidHand.motion(method, tick);
    if (!((const palAccurateTool*)method)->isWaiting)
        return step;
    step.free = (palTwist){pal_zeroVec3, pal_zeroVec3};
    memset(step.inverse, 0, sizeof step.inverse);
    return step;
}

static void push(palMethod* method, palTick* tick, palWrench wrench)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    accurate->isWaiting = accurate->begun.isWaiting;
    accurate->lag = accurate->begun.lag;
    accurate->lagTurn = accurate->begun.lagTurn;
    if (!accurate->isWaiting)
        pal_shellRigidHand.push(method, tick, wrench);
}

static const palRigidHandOps rigidHand = {
    .motion = motion,
    .push = push,
    .stop = palShellMethod_Stop,
};

static void archiveMethod(palMethod* method, palArchive* archive)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    PAL_ARCHIVE(archive, accurate->reach);
    PAL_ARCHIVE(archive, accurate->hasShrunk);
    PAL_ARCHIVE(archive, accurate->lag);
    PAL_ARCHIVE(archive, accurate->lagTurn);
    PAL_ARCHIVE(archive, accurate->isBarred);
    palTrail_Archive(&accurate->trail, archive);
    palShellMethod_Archive(method, archive);
}

static void writeState(const palMethod* method, palHapticHand* state)
{
    palShellMethod_WriteState(method, state);
    palTrail_Copy(&((const palAccurateTool*)method)->trail, &state->trail);
}

const palMethodOps pal_methodAccurateTool = {
    PAL_SHELL_METHOD(pal_sharedSoft, writeState),
    .name = "accurate",
    .rigidHand = &rigidHand,
    .size = sizeof(palAccurateTool),
    .trustShare = 1.0,
    .init = init,
    .free = release,
    .makeSnapshot = makeSnapshot,
    .find = find,
    .describe = describe,
    .moveFreely = moveFreely,
    .findGaps = findGaps,
    .solve = solve,
    .correct = correct,
    .archive = archiveMethod,
};
