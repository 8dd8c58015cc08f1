// SPDX-License-Identifier: Apache-2.0
#include "render/half_space.h"

#include "collide/triangle.h"
#include "collide/tube.h"
#include "solve/planes.h"

enum
{
    candidatesMax = 512, // triangles of a body that are looked at
    aroundMax = 32,      // of those at one place
};

// ---------------------------------------------------------------------------------------------
// L3: where

static bool isCovered(const palSoftContact* soft, int object, int triangle, palVec3 place)
{
    palNearest across;
    return soft != NULL && palAbut_CoversPlace(&soft->side.abut, object, triangle, place, &across);
}

// How far the surface of a body is extended beyond a place of it, over the slit between the faces
// there and another body.
static double reachBeyond(const palMethodDef* def, const palSoftContact* soft, int object,
                          palVec3 place)
{
    const double touchingShare = 1e-6; // of the query radius
    int triangles[aroundMax];
    int count = soft == NULL ? 0
                             : palBvh_Within(def->colliders[object].bvh, place,
                                             touchingShare * def->radius, aroundMax, triangles);
    double reach = 0.0;
    for (int t = 0; t < count && t < aroundMax; t++)
    {
        palNearest across;
        if (palAbut_CoversPlace(&soft->side.abut, object, triangles[t], place, &across))
            reach = fmax(reach, across.closest.distance);
    }
    return reach;
}

// Whether the hand pushed a body at the end of the last step.
static bool isPushed(const palMethodDef* def, const palSoftContact* soft, int object)
{
    const palSoftForce* last = soft != NULL ? palSoftSide_Last(&soft->side) : NULL;
    for (int i = 0; last != NULL && i < last->head.count; i++)
        if (last->pushes[i].object == object && last->pushes[i].hand == def->hand)
            return true;
    return false;
}

// Whether x is over the face on which `nearest` is the nearest place to it, or over a slit beside
// it. A body that is pushed keeps its half-space a little farther out: on a seam the proxy
// is beside the one face and the other alternately.
static bool isOver(const palMethodDef* def, const palSoftContact* soft, palVec3 x,
                   const palNearest* nearest)
{
    const double besideShare = 2.5e-3, pushedShare = 0.01; // of the query radius
    const palClosest* closest = &nearest->closest;
    palVec3 offset = palSub(x, closest->point);
    double beside = palLength(palMulAdd(offset, -nearest->gap, nearest->normal));
    double most = (isPushed(def, soft, nearest->object) ? pushedShare : besideShare) * def->radius;
    return beside <= most ||
           beside <= most + reachBeyond(def, soft, nearest->object, closest->point);
}

// The nearest place of a body that no other body covers; with `over` on a face that x is over. A
// face that x is deep behind is none: it is between the bodies, and would be thrown out.
static bool findExposed(const palMethodDef* def, const palSoftContact* soft, int object, palVec3 x,
                        bool over, palNearest* nearest)
{
    const palCollider* collider = &def->colliders[object];
    int triangles[candidatesMax];
    int count = palBvh_Within(collider->bvh, x, def->radius, candidatesMax, triangles);
    double deepest = soft != NULL ? soft->side.abut.wide : INFINITY;
    double least = INFINITY;
    for (int t = 0; t < count && t < candidatesMax; t++)
    {
        const int* corner = collider->surface.triangles[triangles[t]];
        palClosest closest = palClosestOnTriangle(x, palCollider_Vertex(collider, corner[0]),
                                                  palCollider_Vertex(collider, corner[1]),
                                                  palCollider_Vertex(collider, corner[2]));
        closest.triangle = triangles[t];
        palVec3 normal = palCollider_Normal(collider, triangles[t], pal_featureFace);
        palNearest found = {.object = object, .closest = closest, .normal = normal};
        found.gap = palDot(normal, palSub(x, closest.point));
        if (closest.distance >= least || found.gap < -deepest ||
            isCovered(soft, object, triangles[t], closest.point) ||
            (over && !isOver(def, soft, x, &found)))
            continue;
        least = closest.distance;
        *nearest = found;
    }
    return least < INFINITY;
}

// On a wire, where the round one is nearest.
static void takeRadial(const palCollider* tube, palVec3 x, palNearest* nearest)
{
    palTube_PlaceRadially(tube, x, &nearest->closest);
    nearest->normal = palCollider_Normal(tube, nearest->closest.triangle, pal_featureFace);
    nearest->gap = palDot(nearest->normal, palSub(x, nearest->closest.point));
}

// The nearest surface point; where bodies abut one that is not between them.
static bool findNearest(const palMethodDef* def, const palSoftContact* soft, palVec3 x,
                        palNearest* nearest)
{
    if (!palColliders_Nearest(def->colliders, palMethodDef_Surfaces(def), x, def->radius, nearest))
        return false;
    if (def->colliders[nearest->object].places != NULL)
        takeRadial(&def->colliders[nearest->object], x, nearest);
    if (!isCovered(soft, nearest->object, nearest->closest.triangle, nearest->closest.point))
        return true;
    double least = INFINITY;
    for (int i = 0; i < palMethodDef_Surfaces(def); i++)
    {
        palNearest exposed;
        if (def->colliders[i].inTick || !findExposed(def, soft, i, x, false, &exposed) ||
            exposed.closest.distance >= least)
            continue;
        least = exposed.closest.distance;
        *nearest = exposed;
    }
    return true;
}

// The closest surface point to where the proxy is at the end of a step if it goes on as it moves.
// Where that lies behind a thin part, so that the normals there and here oppose each other, to
// where it is now.
static bool findClosest(const palMethodDef* def, const palSoftContact* soft,
                        const palHapticHand* hand, palNearest* nearest)
{
    palVec3 x = hand->body.x;
    palVec3 ahead = palMulAdd(x, def->body.dt, hand->body.v);
    palNearest here;
    if (!findNearest(def, soft, x, &here))
        return false;
    bool found = findNearest(def, soft, ahead, nearest);
    if (!found || palDot(nearest->normal, here.normal) < 0.0)
        *nearest = here;
    return true;
}

// L4: a plane through a place of a surface, for a proxy. One that is touched already needs no
// extent: it has been touched since the time of the half-space.
static void addFrame(const palMethodDef* def, const palHapticHand* hand, const palNearest* nearest,
                     palHandSnapshot* snapshot, palLowInfo* info)
{
    const palCollider* collider = &def->colliders[nearest->object];
    const palClosest* closest = &nearest->closest;
    palExtent* extent = &snapshot->extents[snapshot->contactCount];
    palLink* contact = &snapshot->contacts[snapshot->contactCount++];
    *contact = (palLink){.kind = pal_linkContact, .friction = collider->friction};
    contact->ends[0].body = palMethodDef_HandBody(def);
    contact->ends[1] = (palPlace){
        .kind = pal_placeSurface,
        .body = nearest->object,
        .on =
            palMakeTrianglePlace(collider->surface.triangles[closest->triangle], closest->weights),
        .local = closest->point,
    };
    contact->axes[0] = palCollider_ContactNormal(collider, nearest);
    *extent = (palExtent){.place = closest->point};
    extent->gap = palDot(contact->axes[0], palSub(hand->body.x, closest->point));
    if (!hand->touched)
        palExtent_Follow(extent, contact->axes[0], collider->bvh, def->radius,
                         PAL_EXTENT_SHARE * def->radius);
    info->constraints += palLink_Rows(contact);
}

palResult palHalfSpace_Init(palMethod* method, palError* error)
{
    (void)error;
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    half->soft = palSoftShared_Contact(method);
    half->lastTouch = -INFINITY;
    return pal_ok;
}

// L3, L4: the closest surface point within the radius of the proxy, the faces of other bodies that
// the proxy is over, and a plane through each.
void palHalfSpace_Find(palMethod* method, palLowStep* step)
{
    const palMethodDef* def = &method->def;
    palSoftContact* soft = ((palHalfSpaceMethod*)method)->soft;
    const palHapticHand* hand = palLowStep_Hand(step, method);
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    palNearest nearest;
    bool found = findClosest(def, soft, hand, &nearest);
    snapshot->contactCount = 0;
    if (found)
        addFrame(def, hand, &nearest, snapshot, &step->info);
    for (int i = 0; i < palMethodDef_Surfaces(def) && found; i++)
    {
        palNearest other;
        if (i != nearest.object && !def->colliders[i].inTick &&
            snapshot->contactCount < pal_halfSpacesMax &&
            findExposed(def, soft, i, hand->body.x, true, &other))
            addFrame(def, hand, &other, snapshot, &step->info);
    }
    snapshot->trustCentre = hand->body.x;
    snapshot->trustRadius = def->radius;
    step->info.contacts += snapshot->contactCount;
    if (soft != NULL)
        soft->side.near[def->hand] = (palHandPlaces){&hand->body.x, 1, def->radius};
}

// L4 of a hand with a tip: it meets the mean of soft surfaces (body/tip.h), which are known when
// their motion is. The planes are put through the nearest places of those.
void palHalfSpace_Describe(palMethod* method, palLowStep* step)
{
    const palSoftPatch* soft = step->snapshot->soft;
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    const palHapticHand* hand = palLowStep_Hand(step, method);
    palVec3 ahead = palMulAdd(hand->body.x, method->def.body.dt, hand->body.v);
    for (int i = 0; i < snapshot->contactCount && method->def.tipRadius > 0.0; i++)
    {
        palLink* contact = &snapshot->contacts[i];
        palPlace* place = &contact->ends[1];
        int part = soft != NULL ? palSoftPatch_Part(soft, place->body, method->def.hand) : -1;
        if (part >= 0)
            palSoftPatch_Nearest(soft, part, ahead, &place->on, &place->local, &contact->axes[0]);
    }
}

// H2: free motion of the proxy, eq. (3) with λ = 0.
void palHalfSpace_MoveFreely(palMethod* method, palTick* tick)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    const palDeviceState* device = &tick->device;
    half->free =
        palPoint_FreeMotion(&method->def.body, tick->body, device->position, device->velocity);
    half->alone = half->free;
}

// ---------------------------------------------------------------------------------------------
// The tick

static void meetSoft(const palHalfSpaceMethod* half, const palSoftPatch* soft,
                     palHalfSpaceTouch* touch)
{
    const palSoftMotion* motion = &half->soft->motion;
    int hand = half->method.def.hand;
    const palPlace* place = &touch->contact->ends[1];
    int part = palSoftPatch_Part(soft, place->body, hand);
    if (part < 0 || !palSoftPatch_Shape(soft, part, &place->on, &touch->shape))
        return;
    const palModes* modes = palSoftPatch_Modes(soft, part);
    palVec3 before =
        palSoftPatch_Displacement(modes, &touch->shape, palSoftMotion_Now(motion, soft, part));
    touch->part = part;
    touch->moved =
        palSoftPatch_Displacement(modes, &touch->shape, palSoftMotion_Next(motion, soft, part));
    touch->step = palSub(touch->moved, before);
    touch->moved = palAdd(touch->moved, palSoftMotion_ShiftNext(motion, hand, part));
    touch->step = palAdd(touch->step, palSub(palSoftMotion_ShiftNext(motion, hand, part),
                                             palSoftMotion_ShiftNow(motion, hand, part)));
    touch->W = palSoftPatch_Compliance(modes, &touch->shape);
}

// Largest height above the proxy of a body that nothing pushes, as a share of the query radius.
static const double passedShare = 0.1;

// The bodies that pushed in the last tick.
static int listPushing(const palHalfSpaceMethod* half, int* objects)
{
    int count = 0;
    for (int i = 0; i < half->count; i++)
        if (palLengthSquared(half->touches[i].force) > 0.0)
            objects[count++] = half->touches[i].object;
    return count;
}

// Whether a half-space is of a body that is no longer pushed and has sprung up past the proxy: of
// two blocks that abut, both pressed, the one that the proxy has slid off, or both where it has
// come between them. It would throw the proxy out. A body that pushed in the last tick, and the
// only one near, are kept.
static bool hasPassed(const palHalfSpaceTouch* touch, const int* pushing, int count, bool isOnly,
                      palVec3 x, double radius)
{
    const palPlace* place = &touch->contact->ends[1];
    palVec3 before = palSub(palAdd(place->local, touch->moved), touch->step);
    bool isLetGo = touch->part >= 0 && !isOnly;
    for (int i = 0; i < count; i++)
        isLetGo = isLetGo && pushing[i] != touch->object;
    return isLetGo && palDot(touch->contact->axes[0], palSub(x, before)) < -passedShare * radius;
}

// Whether the proxy crossed a half-space on its way since the snapshot was made, where the surface
// is.
static bool hasCrossed(const palHalfSpaceMethod* half, const palHandSnapshot* snapshot,
                       const palExtent* extent, palVec3 place, palVec3 n)
{
    palVec3 from = snapshot->proxy;
    for (int i = 0; i < half->recent.count; i++)
    {
        if (palExtent_Crosses(extent, place, n, from, half->recent.places[i]))
            return true;
        from = half->recent.places[i];
    }
    return false;
}

// Whether a half-space stops the proxy that goes from x: not where nothing has touched it since the
// half-space was made and it crosses the plane beyond the surface.
static bool stops(palHalfSpaceMethod* half, const palHandSnapshot* snapshot, int index,
                  const palHalfSpaceTouch* touch, palVec3 x, bool isInTouch)
{
    const double behind = 1e-6 * half->method.def.radius; // m: less is rounding
    const palExtent* extent = &snapshot->extents[index];
    palMeeting* meeting = &half->meetings[index];
    palVec3 n = touch->contact->axes[0];
    palVec3 place = palAdd(touch->contact->ends[1].local, touch->moved);
    palVec3 from = palAdd(x, touch->step);
    bool isBehind = palDot(n, palSub(from, place)) < -behind;
    if (!isBehind)
        *meeting = pal_meetingUnknown;
    if (*meeting != pal_meetingUnknown)
        return *meeting == pal_meetingStops;
    if (!isBehind && palDot(n, palSub(half->free.x, place)) >= 0.0)
        return true;
    bool isMet = isBehind ? extent->gap < 0.0 || hasCrossed(half, snapshot, extent, place, n)
                          : palExtent_Crosses(extent, place, n, from, half->free.x);
    *meeting = isInTouch || isMet ? pal_meetingStops : pal_meetingMissed;
    return *meeting == pal_meetingStops;
}

// A new snapshot: nothing is known of its half-spaces, and the way before it is of no interest.
static void takeSnapshot(palHalfSpaceMethod* half, const palHandSnapshot* snapshot)
{
    palTrail* recent = &half->recent;
    double time = snapshot->whole->time + 0.5 * half->method.def.body.dt;
    int old = 0;
    half->sequence = snapshot->whole->sequence;
    for (int i = 0; i < pal_halfSpacesMax; i++)
        half->meetings[i] = pal_meetingUnknown;
    while (old < recent->count && recent->times[old] <= time)
        old++;
    palTrail_Drop(recent, old);
}

// H3: the half-spaces where they are now.
void palHalfSpace_FindGaps(palMethod* method, palTick* tick)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    const palHandSnapshot* snapshot = tick->view;
    const palSoftPatch* soft = snapshot->whole->soft;
    int pushing[pal_halfSpacesMax];
    int pushingCount = listPushing(half, pushing);
    bool isOnly = pushingCount == 0 && snapshot->contactCount == 1;
    bool isInTouch = half->lastTouch >= snapshot->whole->time;
    half->lambda = pal_zeroVec3;
    half->count = 0;
    if (half->sequence != snapshot->whole->sequence)
        takeSnapshot(half, snapshot);
    if (half->soft != NULL)
        palSoftContact_BeginTurn(half->soft, soft, method->def.hand);
    for (int i = 0; i < snapshot->contactCount; i++)
    {
        palHalfSpaceTouch* touch = &half->touches[half->count++];
        touch->contact = &snapshot->contacts[i];
        touch->object = touch->contact->ends[1].body;
        touch->part = -1;
        touch->moved = touch->step = touch->force = pal_zeroVec3;
        touch->W = (palMat3){0};
        if (half->soft != NULL)
            meetSoft(half, soft, touch);
        if (hasPassed(touch, pushing, pushingCount, isOnly, tick->body->x, method->def.radius) ||
            !stops(half, snapshot, i, touch, tick->body->x, isInTouch))
            half->count--;
    }
}

// The problem of one tick: the planes that can act, each with its body.
typedef struct palHalfSpaceProblem
{
    double spring; // by which each plane yields along its normal, m/N
    int count;
    int of[pal_halfSpacesMax]; // the half-space of each plane
    int owners[pal_halfSpacesMax];
    palPlane planes[pal_halfSpacesMax];
    palPlaneBody slots[pal_halfSpacesMax];
    palMat3 cross[pal_halfSpacesMax * pal_halfSpacesMax];
} palHalfSpaceProblem;

// A plane that yields acts where the proxy is or goes below it: its damper must not act before.
static void addPlane(palHalfSpaceProblem* problem, const palHalfSpaceMethod* half, int index,
                     palVec3 old, double share)
{
    const palPointFree* free = &half->free;
    double spring = problem->spring;
    const palHalfSpaceTouch* touch = &half->touches[index];
    const palLink* contact = touch->contact;
    palVec3 from = palAdd(old, touch->step), n = contact->axes[0];
    palPlane plane = {n, palDot(n, palAdd(contact->ends[1].local, touch->moved)),
                      contact->friction};
    double gapOld = palDot(plane.n, from) - plane.d;
    if (spring > 0.0 && gapOld >= 0.0 && palDot(plane.n, free->x) >= plane.d)
        return;
    if (spring > 0.0)
    {
        plane.d += share * gapOld;
        from = palMulAdd(from, fmax(0.0, plane.d - palDot(plane.n, from)), plane.n);
    }
    int i = problem->count++;
    problem->of[i] = index;
    problem->owners[i] = i;
    problem->planes[i] = plane;
    problem->slots[i].x = from;
}

// The compliance of the planes and their bodies.
static void fillSlots(palHalfSpaceProblem* problem, const palHalfSpaceMethod* half)
{
    for (int i = 0; i < problem->count; i++)
    {
        palVec3 n = problem->planes[i].n;
        palMat3 W = half->touches[problem->of[i]].W;
        if (problem->spring > 0.0)
            W = palMat3MulAdd(W, problem->spring, palOuter(n, n));
        palPlaneBody_Set(&problem->slots[i], half->free.compliance, &W);
    }
}

// W between bodies of one island.
static void fillCross(palHalfSpaceProblem* problem, const palHalfSpaceMethod* half,
                      const palSoftPatch* soft)
{
    int n = problem->count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            const palHalfSpaceTouch* a = &half->touches[problem->of[i]];
            const palHalfSpaceTouch* b = &half->touches[problem->of[j]];
            palMat3* W = &problem->cross[i * n + j];
            *W = (palMat3){0};
            if (i != j && a->part >= 0 && b->part >= 0 &&
                soft->parts[a->part].island == soft->parts[b->part].island)
                *W = palSoftPatch_SharedCompliance(palSoftPatch_Modes(soft, a->part), &a->shape,
                                                   &b->shape);
        }
}

// 0 <= λ ⟂ ψ >= 0 and Coulomb's cone, all planes at once.
static palVec3 solveProblem(palHalfSpaceProblem* problem, palHalfSpaceMethod* half,
                            const palSoftPatch* soft, palHighInfo* info)
{
    const palPointFree* free = &half->free;
    const double tolerance = 1e-12; // m
    palPlanesForces forces;
    const palPlaneBody* first = &problem->slots[0];
    palVec3 sum = pal_zeroVec3;
    bool isSpring = problem->count == 1 && problem->spring > 0.0 &&
                    half->touches[problem->of[0]].part < 0; // on a rigid surface
    if (!isSpring || info->problem != NULL)
        fillSlots(problem, half);
    if (problem->count == 1)
    {
        if (isSpring)
            forces.planes =
                palSolveYieldingPlane(problem->planes, first->x, free->x, free->compliance,
                                      problem->spring, &forces.forces[0]);
        else
        {
            forces.planes =
                palSolvePlanes(problem->planes, 1, first->x, free->x, &first->whole, tolerance);
            forces.forces[0] = palMat3Apply(first->stiffness, palSub(forces.planes.y, free->x));
        }
        forces.bodyCount = forces.planes.count;
        forces.bodies[0] = 0;
        palProblemCopy_TakeOwnPlanes(info->problem, problem->planes, 1, first->x, free->x,
                                     &first->whole, &forces.planes, forces.forces[0]);
    }
    else
    {
        fillCross(problem, half, soft);
        palPlaneBodies bodies = {problem->count, free->compliance, problem->slots, problem->cross};
        forces = palSolvePlanesOfBodies(problem->planes, problem->owners, problem->count, free->x,
                                        &bodies, tolerance);
        palProblemCopy_TakePlanes(info->problem, problem->planes, problem->owners, problem->count,
                                  free->x, &bodies, &forces);
    }
    info->residual = forces.planes.violation;
    for (int i = 0; i < forces.bodyCount; i++)
    {
        int index = problem->of[forces.bodies[i]];
        half->touches[index].force = forces.forces[i];
        sum = palAdd(sum, forces.forces[i]);
        info->active += problem->planes[forces.bodies[i]].friction > 0.0 ? 3 : 1;
    }
    return sum;
}

// Gives the bodies the forces opposite to those on the proxy.
static void pushBack(palHalfSpaceMethod* half, const palSoftPatch* soft)
{
    palSoftPush pushes[pal_halfSpacesMax];
    const palModeShape* shapes[pal_halfSpacesMax];
    int count = 0;
    for (int i = 0; i < half->count; i++)
    {
        const palHalfSpaceTouch* touch = &half->touches[i];
        if (palLengthSquared(touch->force) == 0.0 || touch->part < 0)
            continue;
        shapes[count] = &touch->shape;
        pushes[count++] = (palSoftPush){
            .object = touch->contact->ends[1].body,
            .at = touch->contact->ends[1].on,
            .force = palNeg(touch->force),
        };
    }
    palSoftContact_Push(half->soft, soft, half->method.def.hand, pushes, count, shapes);
}

// H4, see the header.
void palHalfSpace_Solve(palMethod* method, palTick* tick)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    palHalfSpaceProblem problem;
    double damper = half->spring.damping / method->def.body.dt; // b/h
    double stiffness = half->spring.stiffness + damper;         // k + b/h
    problem.spring = stiffness > 0.0 ? 1.0 / stiffness : 0.0;
    problem.count = 0;
    half->lambda = pal_zeroVec3;
    for (int i = 0; i < half->count; i++)
        half->touches[i].force = pal_zeroVec3;
    for (int i = 0; i < half->count; i++)
    {
        tick->info.constraints += palLink_Rows(half->touches[i].contact);
        addPlane(&problem, half, i, tick->body->x, damper * problem.spring);
    }
    if (half->count > 0)
        tick->info.iterations = 1;
    if (problem.count > 0)
        half->lambda = solveProblem(&problem, half, tick->snapshots[0]->soft, &tick->info);
    if (half->soft != NULL)
        pushBack(half, tick->snapshots[0]->soft);
}

// ---------------------------------------------------------------------------------------------
// Rigid bodies that move

static palRigidStep motion(const palMethod* method, const palTick* tick)
{
    const palHalfSpaceMethod* half = (const palHalfSpaceMethod*)method;
    return palRigidHands_PointStep(tick->body, &half->alone, method->def.body.dt);
}

static void push(palMethod* method, palTick* tick, palWrench wrench)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    (void)tick;
    palPointState pushed = palPoint_Correct(&method->def.body, &half->alone, wrench.force);
    half->free.x = pushed.x;
    half->free.v = pushed.v;
}

// The half-spaces as planes that yield, as H4 has them.
static palVec3 stop(const palMethod* method, const palTick* tick, palPile* pile, int body)
{
    const palHalfSpaceMethod* half = (const palHalfSpaceMethod*)method;
    double damper = half->spring.damping / method->def.body.dt;
    double stiffness = half->spring.stiffness + damper;
    for (int i = 0; i < half->count; i++)
    {
        const palHalfSpaceTouch* touch = &half->touches[i];
        palPileStop stop = {
            .body = body,
            .point = tick->body->x,
            .axes = {touch->contact->axes[0]},
            .friction = touch->contact->friction,
            .softness = stiffness > 0.0 ? 1.0 / stiffness : 0.0,
        };
        stop.gap = palDot(stop.axes[0], palSub(stop.point, touch->contact->ends[1].local));
        stop.gap *= stop.gap < 0.0 ? 1.0 - damper * stop.softness : 1.0;
        palTangents(stop.axes[0], &stop.axes[1], &stop.axes[2]);
        for (int k = 0; k < 3; k++)
            stop.lambda[k] = palDot(touch->force, stop.axes[k]);
        palPile_Stop(pile, &stop);
    }
    return half->lambda;
}

const palRigidHandOps pal_halfSpaceRigidHand = {.motion = motion, .push = push, .stop = stop};

// ---------------------------------------------------------------------------------------------
// The end of the tick

// The contact that pushed.
static void report(const palMethodDef* def, const palHalfSpaceTouch* touch, palVec3 x,
                   palHighInfo* info)
{
    const palPlace* place = &touch->contact->ends[1];
    palVec3 n = touch->contact->axes[0];
    double gap = palDot(n, palSub(palSub(x, touch->moved), place->local));
    palContactForce pushing = {
        .object = place->body,
        .other = palMethodDef_HandBody(def),
        .hand = def->hand,
        .point = palMulAdd(x, -gap, n),
        .normal = n,
        .gap = gap,
        .force = palNeg(touch->force),
    };
    palContactReport_Add(info->contacts, &pushing);
}

// The distance to the nearest soft surface, sought where that of each body has moved to.
static double nearestGap(const palHalfSpaceMethod* half, const palSoftPatch* patch, palVec3 x)
{
    const palSoftMotion* motion = &half->soft->motion;
    int hand = half->method.def.hand;
    double nearest = NAN;
    for (int part = 0; part < patch->partCount; part++)
    {
        palVec3 moved = half->count > 0 ? half->touches[0].moved : pal_zeroVec3;
        for (int i = 1; i < half->count; i++)
            if (half->touches[i].part == part)
                moved = half->touches[i].moved;
        double gap =
            palSoftPatch_Gap(patch, part, palSoftMotion_Now(motion, patch, part),
                             palSub(x, palSoftMotion_ShiftNext(motion, hand, part)), moved);
        if (!(fabs(gap) >= fabs(nearest)))
            nearest = gap;
    }
    return nearest;
}

// H5: new states, eq. (3), and the coupling's force on the hand.
void palHalfSpace_Correct(palMethod* method, palTick* tick)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    const palPointModel* model = &method->def.body;
    *tick->body = palPoint_Correct(model, &half->free, half->lambda);
    palTrail_Add(&half->recent, tick->body->x, pal_identityQuat, tick->device.time);
    for (int i = 0; i < half->count; i++)
        if (palLengthSquared(half->touches[i].force) != 0.0)
            report(&method->def, &half->touches[i], tick->body->x, &tick->info);
    if (half->soft != NULL)
        tick->info.surfaceGap = nearestGap(half, tick->snapshots[0]->soft, tick->body->x);
    palVec3 coupling =
        palPoint_CouplingForce(model, tick->body, tick->device.position, tick->device.velocity);
    bool isTouched = palLengthSquared(half->lambda) > 0.0;
    if (isTouched)
        half->lastTouch = tick->device.time;
    isTouched = isTouched || palRigidHands_ArePushing(method);
    tick->info.force = palPoint_HandForce(model, coupling, isTouched, &half->most);
    palRigidHands_Report(method, tick);
}

void palHalfSpace_WriteState(const palMethod* method, palHapticHand* state)
{
    const palHalfSpaceMethod* half = (const palHalfSpaceMethod*)method;
    state->touched = palLengthSquared(half->lambda) > 0.0;
}

palResult palHalfSpace_MakeSnapshot(const palMethod* method, palHandSnapshot* snapshot,
                                    palError* error)
{
    (void)method;
    return palHandSnapshot_AddContacts(snapshot, pal_halfSpacesMax, error);
}

// What listPushing and `stops` look at, and what is felt.
void palHalfSpace_Archive(palMethod* method, palArchive* archive)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    PAL_ARCHIVE(archive, half->most);
    PAL_ARCHIVE(archive, half->lastTouch);
    PAL_ARCHIVE(archive, half->sequence);
    PAL_ARCHIVE(archive, half->meetings);
    palTrail_Archive(&half->recent, archive);
    PAL_ARCHIVE(archive, half->count);
    for (int i = 0; i < half->count; i++)
    {
        PAL_ARCHIVE(archive, half->touches[i].object);
        PAL_ARCHIVE(archive, half->touches[i].force);
    }
}
