// SPDX-License-Identifier: Apache-2.0
// `accurate`: contact that stays right between updates.
//
// T. Knott and T. Kuhlen, "Accurate contact modeling for multi-rate single-point haptic rendering
// of static and deformable environments", 2015. Equation and section numbers are the paper's.
//
// Every triangle near the proxy becomes a geometrically limited constraint (GLC, section 3.3).
// Together they describe the surface wherever the proxy may go until the next snapshot.
//
//     paper (section 3.2)                                             here
//     L1  dynamics problem, A and b of eq. (3)                        L1  describe, soft_side.h
//     L2  proximity query                                             L3  find
//     L3  GLCs: ψ, τ1, τ2 with their bounds, eqs. (6), (7);           L4  describe, patch.h
//         outer trust region, eq. (13)                                L4  describe
//     L4  response matrices Aψ, eq. (5), and Aτ, eq. (11)             L5  describe, soft_patch.h
//     L5  share data with the high rate                               L7  pipelines.c
//
//     H1  device state                                                H1  pipelines.c
//     H2  bψ, Δbψ, eq. (5), bτ, Δbτ, eq. (11): x_free, eq. (14)       H2  moveFreely
//                                              ψ, τ on the way there  H3  findGaps
//     H3  solve (sections 3.4, 3.5), iterating over                   H4  solve, walk.h
//           active set, eqs. (9), (11)
//           convex sets, eq. (8)
//           in each the least violated plane, eq. (12)
//           other constraints: friction
//           inner trust region
//     H4  new object states, eq. (3)                                  H5  correct
//     H5  coupling force to the device                                H6  pipelines.c
//     H6  share object states with the low rate                       H6  pipelines.c
//
// The new state of soft bodies (section 4) is L6 of the following low-rate step, `advance`.
//
// Where this goes beyond the paper (for the solver see walk.h):
//   - The outer trust region is the whole ball that the query covers, not the box in it, centred
//     where the proxy will be in the middle of the snapshot's life, and larger for a fast hand.
//     Where the ball is empty it extends to the closest surface.
//   - A proxy that the region holds gives no force by that: the hand gets what contacts explain,
//     and the proxy catches up when more is known (world/trail.h).
//   - Soft surfaces move at the high rate too (soft_patch.h), and the compliance of the solver is
//     that of proxy and body together (soft_touch.h). The proxy slides on them by normals that are
//     continuous across faces, as with `standard`: both agree at rest.
#include "base/error.h"
#include "render/common.h"
#include "touch/shell.h"
#include "touch/soft_touch.h"
#include "touch/walk.h"

#include <stdlib.h>

static const double leadShare = 0.75;  // of the radius: largest offset of the ball's centre
static const double rigidDepth = 1e-5; // d of eq. (7) as a share of the radius
static const double clearShare = 1e-5; // of the radius: distance of an empty ball from the surface
static const double softDepth = 5e-3;  // likewise: a soft surface may rotate under the proxy

enum
{
    followedMax = 16, // places of a trail in one tick
};

typedef struct palAccurate
{
    palMethod method;
    palShell* shells;        // owned, [colliderCount]; of surfaces felt as point shells
    const palMerged* merged; // borrowed, [colliderCount]: what the hands share
    palSoftContact* soft;    // borrowed: what the hands share; NULL where nothing is soft
    palSoftTouch* touch;     // owned, high rate; likewise

    // The low-rate step under way: the ball that is described, and the triangles in it.
    palVec3 centre;               // m
    double radius;                // m
    double clearance;             // m, where it is empty: distance of the closest surface
    int level;                    // of the copies that are described; 0: the surfaces themselves
    int found[pal_patchFacesMax]; // by collider
    int* counts;                  // owned, [surfaces]: of each collider
    int total;

    // High rate, from tick to tick.
    double most;           // N: palPoint_HandForce
    bool isMerged;         // there was a snapshot of merged surfaces
    bool isBehind;         // the proxy is on a soft surface and has to catch up
    palTrail trail;        // where the coupling has the proxy, while it is held back
    bool isBarred;         // something stopped it on its way there
    palPointFree unbarred; // the free motion as if nothing had

    // What stood in its way in the last tick.
    int stopCount;
    palPlane stops[pal_walkBindingMax];
    double stopForces[pal_walkBindingMax]; // N, along their normals
    palVec3 stopped;                       // N, of all together

    // The tick under way.
    palPointFree alone; // where no moving rigid body pushes
    palPointFree free;
    palWalk begun; // before it is walked
    palWalk walk;
    palVec3 lambda; // on the proxy, N
} palAccurate;

static void release(palMethod* method)
{
    palAccurate* accurate = (palAccurate*)method;
    for (int i = 0; i < method->def.colliderCount && accurate->shells != NULL; i++)
        palShell_Free(&accurate->shells[i]);
    free(accurate->shells);
    free(accurate->counts);
    if (accurate->touch != NULL)
        palSoftTouch_Free(accurate->touch);
    free(accurate->touch);
}

static palResult makeShells(palAccurate* accurate, palError* error)
{
    const palMethodDef* def = &accurate->method.def;
    size_t count = (size_t)def->colliderCount + 1;
    accurate->shells = calloc(count, sizeof *accurate->shells);
    accurate->counts = calloc((size_t)palMethodDef_Surfaces(def) + 1, sizeof *accurate->counts);
    if (accurate->shells == NULL || accurate->counts == NULL)
        return palError_Memory(error, "point shells", count * sizeof *accurate->shells);
    palResult result = pal_ok;
    for (int i = 0; i < def->colliderCount && result == pal_ok; i++)
        if (def->colliders[i].points)
            result = palShell_Init(&accurate->shells[i], &def->colliders[i], error);
    return result;
}

static palResult init(palMethod* method, palError* error)
{
    palAccurate* accurate = (palAccurate*)method;
    palResult result = makeShells(accurate, error);
    if (result == pal_ok)
        result = palSoftShared_Merge(method, &accurate->merged, error);
    accurate->soft = palSoftShared_Contact(method);
    if (result != pal_ok || accurate->soft == NULL)
        return result;
    accurate->touch = calloc(1, sizeof *accurate->touch);
    if (accurate->touch == NULL)
        return palError_Memory(error, "touching soft bodies", sizeof *accurate->touch);
    return palSoftTouch_Init(accurate->touch, &method->def, accurate->soft, error);
}

static palResult makeSnapshot(const palMethod* method, palHandSnapshot* snapshot, palError* error)
{
    (void)method;
    return palPatch_Init(&snapshot->patch, error);
}

// The way that the proxy is expected to go until the middle of the life of the snapshot being made:
// where it is held back what it has to catch up, after the first `clear` places, and then on as it
// moves. At most `most` of it, m. Returns its length; *end is where it ends.
static double followWay(const palMethodDef* def, const palHapticHand* hand, int clear, double most,
                        palVec3* end)
{
    const palTrail* trail = &hand->trail;
    double middle = def->latency + 0.5 * def->lowDt, length = 0.0;
    palVec3 ahead = palMulAdd(palTrail_End(trail, hand->body.x), middle, hand->body.v);
    *end = clear > 0 ? trail->places[clear - 1] : hand->body.x;
    for (int i = clear; i <= trail->count && length < most; i++)
    {
        palVec3 next = i < trail->count ? trail->places[i] : ahead;
        double way = palDistance(*end, next);
        *end = length + way > most ? palLerp(*end, next, (most - length) / way) : next;
        length = fmin(length + way, most);
    }
    return length;
}

// The copy of a surface on a level, or the coarsest that it has.
static const palCollider* surfaceOn(const palAccurate* accurate, int object, int level)
{
    const palMethodDef* def = &accurate->method.def;
    int count = object < def->colliderCount ? accurate->merged[object].count : 0;
    int used = level < count ? level : count;
    return used > 0 ? &accurate->merged[object].copies[used - 1] : &def->colliders[object];
}

// The number of triangles in a ball relative to the capacity of a contact description: that of the
// patch or that of the soft patch, whichever is more. Above 1 they do not fit. Where a coarser copy
// already has far too many they are not counted.
static double fillRatio(const palAccurate* accurate, palVec3 centre, double radius, int softRoom,
                        int level, bool* canMerge)
{
    const double farTooMany = 3.0;
    const palMethodDef* def = &accurate->method.def;
    double total = 0.0;
    int soft = 0;
    for (int i = 0; i < palMethodDef_Surfaces(def); i++)
    {
        if (def->colliders[i].inTick)
            continue;
        const palCollider* collider = surfaceOn(accurate, i, level);
        const palCollider* coarse = surfaceOn(accurate, i, pal_mergedMax);
        int count = palBvh_Within(coarse->bvh, centre, radius, 0, NULL);
        double guess =
            count * (double)collider->surface.triangleCount / (double)coarse->surface.triangleCount;
        if (collider != coarse && guess < farTooMany * pal_patchFacesMax)
            guess = palBvh_Within(collider->bvh, centre, radius, 0, NULL);
        total += guess;
        if (palCollider_Yields(collider))
            soft += count;
    }
    *canMerge = level < pal_mergedMax && total > pal_patchFacesMax;
    return fmax(total / pal_patchFacesMax, (double)soft / softRoom);
}

// The largest ball whose triangles fit in a contact description, at most that of the query, or a
// larger one for a fast hand. Its centre is ahead of the proxy by at most leadShare of the radius:
// the proxy is inside it, since nothing between the proxy and the ball would be described. Where
// more triangles are in it they are merged first, and only then it shrinks.
static double coveredBall(palAccurate* accurate, const palHapticHand* hand, int clear, int softRoom,
                          palVec3* centre)
{
    const palMethodDef* def = &accurate->method.def;
    double radius = fmax(def->radius, followWay(def, hand, clear, INFINITY, centre) / leadShare);
    const int shrinkingsMax = 60;
    accurate->level = 0;
    for (int i = 0; i < shrinkingsMax; i++)
    {
        followWay(def, hand, clear, leadShare * radius, centre);
        bool canMerge;
        double full = fillRatio(accurate, *centre, radius, softRoom, accurate->level, &canMerge);
        if (full <= 1.0)
            break;
        accurate->level += canMerge;
        if (canMerge)
            continue;
        // Count scales with area; the factor 0.9 guarantees progress.
        radius *= fmin(0.9, sqrt(1.0 / full));
    }
    return radius;
}

// The triangles within the ball.
static void findTriangles(palAccurate* accurate)
{
    const palMethodDef* def = &accurate->method.def;
    accurate->total = 0;
    for (int i = 0; i < palMethodDef_Surfaces(def); i++)
    {
        accurate->counts[i] = 0;
        if (def->colliders[i].inTick)
            continue;
        int room = pal_patchFacesMax - accurate->total;
        int count = palBvh_Within(surfaceOn(accurate, i, accurate->level)->bvh, accurate->centre,
                                  accurate->radius, room, accurate->found + accurate->total);
        accurate->counts[i] = count < room ? count : room;
        accurate->total += accurate->counts[i];
    }
}

// The triangle of a surface near that of a copy of it.
static int originOf(const palAccurate* accurate, const palCollider* copy, int object, int triangle)
{
    const palMerged* merged = &accurate->merged[object];
    return merged->origins[copy - merged->copies][triangle];
}

// L4: a GLC for each face, then for each concave edge of closed surfaces. Soft bodies have a
// description of their own.
static void addConstraints(const palAccurate* accurate, palPatch* patch)
{
    const palMethodDef* def = &accurate->method.def;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0, k = 0; i < palMethodDef_Surfaces(def); i++)
            for (int j = 0; j < accurate->counts[i]; j++, k++)
            {
                const palCollider* collider = surfaceOn(accurate, i, accurate->level);
                int before = patch->count;
                if (palCollider_Yields(collider) || (pass == 1 && !collider->closed))
                    continue;
                if (collider->points && pass == 0)
                    palShell_Add(&accurate->shells[i], collider, i, accurate->found[k], patch);
                else if (pass == 0)
                    palPatch_AddFace(patch, collider, i, accurate->found[k],
                                     def->settings.accurate.limits);
                else if (!collider->points)
                    palPatch_AddConcaveEdges(patch, collider, i, accurate->found[k]);
                for (int n = before; n < patch->count && collider != &def->colliders[i]; n++)
                {
                    palLimited* limited = &patch->limited[n];
                    limited->triangle = originOf(accurate, collider, i, accurate->found[k]);
                    limited->friction = def->colliders[i].friction;
                }
            }
}

// L3: all triangles around the expected position of the proxy.
static void find(palMethod* method, palLowStep* step)
{
    palAccurate* accurate = (palAccurate*)method;
    const palMethodDef* def = &method->def;
    int softRoom = accurate->soft != NULL ? accurate->soft->side.patch.vertexCapacity : 1;
    const palHapticHand* hand = palLowStep_Hand(step, method);
    int clear =
        palTrail_Clear(&hand->trail, hand->body.x, def->colliders, palMethodDef_Surfaces(def));
    palLowStep_View(step, method)->clearUntil = clear > 0 ? hand->trail.times[clear - 1] : 0.0;
    accurate->radius = coveredBall(accurate, hand, clear, softRoom, &accurate->centre);
    findTriangles(accurate);
    palNearest nearest;
    bool isAnything =
        accurate->total == 0 && palColliders_Nearest(def->colliders, palMethodDef_Surfaces(def),
                                                     accurate->centre, INFINITY, &nearest);
    // Not up to the surface itself: a proxy that waits there must be outside whatever the rounding.
    accurate->clearance =
        isAnything ? nearest.closest.distance - clearShare * def->radius : INFINITY;
    if (accurate->soft != NULL)
        accurate->soft->side.near[def->hand] =
            (palHandPlaces){&accurate->centre, 1, accurate->radius};
}

// L4: the GLCs of all but soft bodies, and the outer trust region.
static void describe(palMethod* method, palLowStep* step)
{
    palAccurate* accurate = (palAccurate*)method;
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    double radius = accurate->radius;
    if (accurate->soft != NULL)
        radius = accurate->soft->side.near[method->def.hand].radius;
    palPatch_Clear(&snapshot->patch, accurate->centre);
    addConstraints(accurate, &snapshot->patch);
    snapshot->trustCentre = accurate->centre;
    snapshot->trustRadius = accurate->total > 0 ? radius : accurate->clearance;
    snapshot->trustRadius -= fmin(snapshot->patch.overhang, 0.5 * radius);
    snapshot->shrunk = radius < method->def.radius;
    snapshot->error = palMerged_Error(method->def.settings.accurate.tolerance, accurate->level);
    int contacts = snapshot->patch.count;
    if (accurate->soft != NULL)
        contacts += step->snapshot->soft->faceCount;
    step->info.contacts += contacts;
    step->info.constraints += 3 * contacts; // one normal, two of friction
}

// Where more soft faces are near x than a tick looks at, all are known within `reach` of it only:
// the trust region is a ball of half of that then, within the one of the snapshot.
static void shrinkTrust(palWalk* walk, double reach)
{
    palVec3 inward = palSub(walk->trustCentre, walk->x);
    double distance = palLength(inward);
    double excess = distance + 0.5 * reach - walk->trustRadius;
    palVec3 shift = excess > 0.0 ? palScale(excess / distance, inward) : pal_zeroVec3;
    walk->trustCentre = palAdd(walk->x, shift);
    walk->trustRadius = fmin(walk->trustRadius, 0.5 * reach);
}

// H2: free motion of the proxy, eq. (3) with λ = 0, giving x_free of eq. (14). While it is held
// back, of where the coupling has it (trail.h).
static void moveFreely(palMethod* method, palTick* tick)
{
    palAccurate* accurate = (palAccurate*)method;
    const palDeviceState* device = &tick->device;
    palPointState state = {palTrail_End(&accurate->trail, tick->body->x), tick->body->v};
    accurate->free =
        palPoint_FreeMotion(&method->def.body, &state, device->position, device->velocity);
}

// H3: soft surfaces after their free motion, around the way from walk->x.
static void findSoft(palAccurate* accurate, const palHandSnapshot* snapshot, palVec3 goal)
{
    palSoftTouch* touch = accurate->touch;
    palWalk* walk = &accurate->walk;
    walk->patch = &snapshot->patch;
    walk->trustCentre = snapshot->trustCentre;
    walk->trustRadius = snapshot->trustRadius;
    if (touch == NULL)
        return;
    palSoftTouch_Find(touch, accurate->soft, snapshot, walk->x, goal,
                      PAL_SURFACE_OFFSET * walk->unit,
                      accurate->method.def.settings.accurate.limits);
    // The trust region moves with the described soft surface, unless rigid faces are near.
    if (snapshot->patch.count == 0)
        walk->trustCentre = palAdd(walk->trustCentre, touch->drift);
    if (touch->isShort)
        shrinkTrust(walk, touch->reach);
    walk->patch = &touch->patch;
}

// Goes where the low rate has found nothing in the way. Returns whether a moving body may be.
static bool leap(const palMethod* method, palTrail* trail, double until, palWalk* walk)
{
    int clear = 0;
    bool isClear = true;
    while (isClear && clear < trail->count && trail->times[clear] <= until)
    {
        isClear = palRigidHands_IsClear(method, walk->x, trail->places[clear], walk->depth);
        if (isClear)
            walk->x = trail->places[clear++];
    }
    palTrail_Drop(trail, isClear ? clear : trail->count);
    return !isClear;
}

// Walks along the trail as far as the surface is known. Returns whether something stopped the proxy
// on the way.
static bool follow(const palMethod* method, palTrail* trail, palWalk* walk)
{
    const double reached = 10.0 * PAL_SURFACE_OFFSET * walk->unit;
    int count = 0;
    bool isBarred = false, isHeld = false;
    while (count < trail->count && count < followedMax && !isBarred && !isHeld)
    {
        palHighInfo info = {0};
        walk->goal = trail->places[count];
        isBarred = !palRigidHands_IsClear(method, walk->x, walk->goal, walk->depth);
        if (isBarred)
            break;
        palWalk_Solve(walk, &info);
        bool isThere = palDistance(walk->x, walk->goal) <= reached;
        isHeld = !isThere && info.held;
        isBarred = !isThere && !info.held;
        count += isThere;
    }
    palTrail_Drop(trail, isBarred ? trail->count : count);
    return isBarred;
}

// A proxy that was held back comes after. What stops it on its way, it touches there.
static void catchUp(palAccurate* accurate, palTick* tick)
{
    palWalk* walk = &accurate->walk;
    const palPointModel* model = &accurate->method.def.body;
    palVec3 before = walk->x;
    bool isMet = leap(&accurate->method, &accurate->trail, tick->view->clearUntil, walk);
    findSoft(accurate, tick->view, palTrail_End(&accurate->trail, walk->x));
    walk->W = palMakeMat3Scale(accurate->free.compliance);
    palMat3Inverse(walk->W, &walk->stiffness);
    // A soft surface may have come over it meanwhile.
    if (accurate->touch != NULL && accurate->touch->isNear)
        walk->x = accurate->touch->bodies[accurate->touch->near[0]].start;
    accurate->isBarred = follow(&accurate->method, &accurate->trail, walk) || isMet;
    accurate->unbarred = accurate->free;
    if (accurate->touch != NULL && palDistance(before, walk->x) > 0.0)
        palSoftTouch_Release(accurate->touch);
    if (accurate->isBarred)
        accurate->free = palPoint_FreeMotion(model, &(palPointState){.x = walk->x},
                                             tick->device.position, tick->device.velocity);
}

// H3: the surfaces on the way there: rigid ones of the snapshot, soft ones after their free motion.
static void findGaps(palMethod* method, palTick* tick)
{
    palAccurate* accurate = (palAccurate*)method;
    double unit = method->def.radius;
    palWalk* walk = &accurate->walk;
    *walk = (palWalk){
        .unit = unit,
        .depth = (accurate->soft != NULL ? softDepth : rigidDepth) * unit,
        .x = tick->body->x,
    };
    // A proxy on one copy of a surface may be within another.
    accurate->isMerged = accurate->isMerged || tick->view->error > 0.0;
    if (accurate->isMerged)
        walk->depth +=
            2.0 * palMerged_Error(method->def.settings.accurate.tolerance, pal_mergedMax);
    if (accurate->soft != NULL)
        palSoftContact_BeginTurn(accurate->soft, tick->view->whole->soft, method->def.hand);
    accurate->isBarred = false;
    if (accurate->trail.count > 0)
        catchUp(accurate, tick);
    walk->goal = accurate->free.x;
    // What is held back looks around itself.
    findSoft(accurate, tick->view, accurate->trail.count > 0 ? walk->x : walk->goal);
    accurate->alone = accurate->free;
    if (method->shared->rigid != NULL)
        accurate->begun = *walk;
}

// The walk to the constrained position; held back the proxy stays.
static void walkOn(palAccurate* accurate, palTick* tick)
{
    if (accurate->trail.count > 0)
        palWalk_Aim(&accurate->walk, &tick->info);
    else
        palWalk_Solve(&accurate->walk, &tick->info);
}

// Rigid surfaces: the constrained position, and the force that leads there.
static void solveRigid(palAccurate* accurate, palTick* tick)
{
    palWalk* walk = &accurate->walk;
    walk->W = palMakeMat3Scale(accurate->free.compliance);
    palMat3Inverse(walk->W, &walk->stiffness);
    walkOn(accurate, tick);
    accurate->lambda = palMat3Apply(walk->stiffness, palSub(walk->aim, walk->goal));
}

// The same with soft surfaces, whose compliance adds to the proxy's. Where the proxy slides it is
// evaluated again at the new point.
static void solveSoft(palAccurate* accurate, palTick* tick)
{
    const int passes = 2;
    const palHandSnapshot* snapshot = tick->view;
    palSoftTouch* touch = accurate->touch;
    palWalk* walk = &accurate->walk;
    for (int pass = 0; pass < passes; pass++)
    {
        palSoftTouch_Begin(touch, snapshot, accurate->free.compliance, walk);
        walkOn(accurate, tick);
        if (!palSoftTouch_Slide(touch, snapshot, walk))
            break;
    }
    palSoftTouch_Smooth(touch, snapshot, walk, &tick->info);
    accurate->lambda =
        palSoftTouch_Push(touch, accurate->soft, snapshot, walk, tick->info.active > 0);
}

// What stops the proxy, for rigid bodies that move.
static void keepStops(palAccurate* accurate)
{
    const palWalk* walk = &accurate->walk;
    accurate->stopCount = walk->bindingCount;
    accurate->stopped = accurate->lambda;
    for (int i = 0; i < walk->bindingCount; i++)
    {
        accurate->stops[i] = palWalk_Plane(walk, walk->binding[i]);
        accurate->stopForces[i] = walk->normalForces[i];
    }
}

// H4: contact force on the proxy, sections 3.4 and 3.5.
static void solve(palMethod* method, palTick* tick)
{
    palAccurate* accurate = (palAccurate*)method;
    if (accurate->soft != NULL)
        solveSoft(accurate, tick);
    else
        solveRigid(accurate, tick);
    tick->info.constraints = 3 * accurate->walk.patch->count;
    if (method->shared->rigid != NULL)
        keepStops(accurate);
}

// The force on the hand: that of the coupling. A proxy that is on a soft surface where the
// description ends stays on it, and follows when more is known: until then the hand gets the
// contact force.
static palVec3 handForce(palAccurate* accurate, const palTick* tick)
{
    const double same = 0.05; // N
    const palPointModel* model = &accurate->method.def.body;
    bool isTouched = tick->info.active > 0 || palRigidHands_ArePushing(&accurate->method);
    palVec3 coupling =
        palPoint_CouplingForce(model, tick->body, tick->device.position, tick->device.velocity);
    palVec3 contact = palMulAdd(accurate->lambda, model->mass, model->gravity);
    bool isOff = tick->info.held || palDistance(coupling, contact) > same;
    accurate->isBehind =
        accurate->soft != NULL && isTouched && isOff && (tick->info.held || accurate->isBehind);
    return palPoint_HandForce(model, accurate->isBehind ? contact : coupling, isTouched,
                              &accurate->most);
}

// H5: eq. (3) with that force, and the coupling force on the hand.
static void correct(palMethod* method, palTick* tick)
{
    palAccurate* accurate = (palAccurate*)method;
    const palPointModel* model = &method->def.body;
    const palWalk* walk = &accurate->walk;
    palPointState* body = tick->body;
    palHighInfo* info = &tick->info;
    *body = palPoint_Correct(model, &accurate->free, accurate->lambda);
    palVec3 x = accurate->soft == NULL ? walk->x // the same to rounding, which matters just above
                                       : palAdd(body->x, palSub(walk->x, walk->aim));
    // What was in the way and does not push was not really in the way.
    if (accurate->isBarred && info->active == 0 && !palRigidHands_ArePushing(method))
    {
        *body = (palPointState){accurate->unbarred.x, accurate->unbarred.v};
        info->held = true;
    }
    info->force = handForce(accurate, tick);
    info->behind = info->held ? palDistance(body->x, x) : 0.0;
    if (accurate->isBehind)
        accurate->trail.count = 0;
    else if (info->held)
        palTrail_Add(&accurate->trail, body->x, pal_identityQuat, tick->device.time);
    body->x = x;
    if (accurate->soft != NULL)
        info->surfaceGap = palSoftTouch_Gap(accurate->touch, accurate->soft, tick->view, body->x);
    palWalk_Report(walk, accurate->lambda, body->x, &method->def, info);
    palRigidHands_Report(method, tick);
}

//--------------------------------------------------------------------------------------------------
// Rigid bodies that move

// While it is held back it stays where it is, and so does what comes to it.
static palRigidStep motion(const palMethod* method, const palTick* tick)
{
    const palAccurate* accurate = (const palAccurate*)method;
    palPointFree free = accurate->alone;
    if (accurate->trail.count > 0)
        free = (palPointFree){.x = tick->body->x};
    return palRigidHands_PointStep(tick->body, &free, method->def.body.dt);
}

static void push(palMethod* method, palTick* tick, palWrench wrench)
{
    palAccurate* accurate = (palAccurate*)method;
    (void)tick;
    if (accurate->trail.count > 0)
        wrench.force = pal_zeroVec3;
    palPointState pushed = palPoint_Correct(&method->def.body, &accurate->alone, wrench.force);
    accurate->free.x = pushed.x;
    accurate->free.v = pushed.v;
    accurate->walk = accurate->begun;
    accurate->walk.goal = pushed.x;
}

static palVec3 stop(const palMethod* method, const palTick* tick, palPile* pile, int body)
{
    const palAccurate* accurate = (const palAccurate*)method;
    for (int i = 0; i < accurate->stopCount; i++)
    {
        const palPlane* plane = &accurate->stops[i];
        palPileStop stop = {
            .body = body,
            .point = tick->body->x,
            .axes = {plane->n},
            .gap = palDot(plane->n, tick->body->x) - plane->d,
            .friction = plane->friction,
            .lambda = {accurate->stopForces[i]},
        };
        palTangents(plane->n, &stop.axes[1], &stop.axes[2]);
        for (int k = 1; k < 3; k++)
            stop.lambda[k] = palDot(accurate->stopped, stop.axes[k]) / accurate->stopCount;
        palPile_Stop(pile, &stop);
    }
    return accurate->stopped;
}

static const palRigidHandOps rigidHand = {.motion = motion, .push = push, .stop = stop};

//--------------------------------------------------------------------------------------------------
// The table

static void writeState(const palMethod* method, palHapticHand* state)
{
    palTrail_Copy(&((const palAccurate*)method)->trail, &state->trail);
}

static void archiveMethod(palMethod* method, palArchive* archive)
{
    palAccurate* accurate = (palAccurate*)method;
    PAL_ARCHIVE(archive, accurate->most);
    PAL_ARCHIVE(archive, accurate->isMerged);
    PAL_ARCHIVE(archive, accurate->isBehind);
    palTrail_Archive(&accurate->trail, archive);
    PAL_ARCHIVE(archive, accurate->stopCount);
    PAL_ARCHIVE(archive, accurate->stops);
    PAL_ARCHIVE(archive, accurate->stopForces);
    PAL_ARCHIVE(archive, accurate->stopped);
    if (accurate->touch != NULL)
        palSoftTouch_Archive(accurate->touch, archive);
}

// For drawing, as Fig. 6 of the paper: the active GLCs at x and their convex sets. x was reached a
// step ago, so that the tolerances are ten times those of the solver.
static int actingSets(const palMethod* method, const palHandSnapshot* snapshot, palVec3 x,
                      int capacity, int* limited, int* set)
{
    double unit = 10.0 * method->def.radius;
    palWalk walk = {
        .patch = &snapshot->patch, .unit = unit, .depth = rigidDepth * unit, .goal = x, .x = x};
    int sets[pal_walkActiveMax];
    palWalk_FindSets(&walk, sets);
    int count = walk.activeCount < capacity ? walk.activeCount : capacity;
    for (int i = 0; i < count; i++)
    {
        limited[i] = walk.active[i];
        set[i] = sets[i];
    }
    return count;
}

const palMethodOps pal_methodAccurate = {
    .name = "accurate",
    .hand = pal_handPoint,
    .shared = &pal_sharedSoft,
    .accepts = PAL_WITH_RIGID | PAL_ACCEPTS(pal_partSheet) | PAL_ACCEPTS(pal_partSoft) |
               PAL_ACCEPTS(pal_partPoints) | PAL_ACCEPTS(pal_partWire),
    .notWithFree = PAL_NOT_WITH_FREE,
    .picksUp = true,
    .rigidHand = &rigidHand,
    .size = sizeof(palAccurate),
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
    .writeState = writeState,
    .archive = archiveMethod,
    .actingSets = actingSets,
};
