// SPDX-License-Identifier: Apache-2.0
#include "render/half_space.h"

#include "collide/triangle.h"
#include "render/abut.h"

// Faces of two bodies that abut are nearer to each other than this share of the query radius.
static const double abuttingShare = 0.01;

enum
{
    candidatesMax = 512, // triangles looked at where the nearest is covered
};

static bool isCovered(const palMethodDef* def, int object, int triangle, palVec3 place)
{
    return palAbut_CoversPlace(def->colliders, palMethodDef_Surfaces(def), NULL, object, triangle,
                               place, abuttingShare * def->radius);
}

// The nearest place that no other body covers, among the triangles within the radius.
static bool findExposed(const palMethodDef* def, palVec3 x, palNearest* nearest)
{
    double least = INFINITY;
    for (int i = 0; i < palMethodDef_Surfaces(def); i++)
    {
        const palCollider* collider = &def->colliders[i];
        int triangles[candidatesMax];
        int count = palBvh_Within(collider->bvh, x, def->radius, candidatesMax, triangles);
        for (int t = 0; t < count && t < candidatesMax; t++)
        {
            const int* corner = collider->surface.triangles[triangles[t]];
            const palVec3* v = collider->surface.vertices;
            palClosest closest = palClosestOnTriangle(x, v[corner[0]], v[corner[1]], v[corner[2]]);
            if (closest.distance >= least || isCovered(def, i, triangles[t], closest.point))
                continue;
            least = closest.distance;
            palVec3 normal = collider->topology.triangleNormals[triangles[t]];
            *nearest = (palNearest){.object = i, .closest = closest, .normal = normal};
            nearest->closest.triangle = triangles[t];
            nearest->gap = palDot(normal, palSub(x, closest.point));
        }
    }
    return least < INFINITY;
}

// The nearest surface point; where bodies abut one that is not between them.
static bool findNearest(const palMethodDef* def, palVec3 x, palNearest* nearest)
{
    if (!palColliders_Nearest(def->colliders, palMethodDef_Surfaces(def), x, def->radius, nearest))
        return false;
    palNearest exposed;
    if (palMethodDef_Surfaces(def) > 1 &&
        isCovered(def, nearest->object, nearest->closest.triangle, nearest->closest.point) &&
        findExposed(def, x, &exposed))
        *nearest = exposed;
    return true;
}

// The closest surface point to where the proxy is at the end of a step if it goes on as it moves.
// Where that lies behind a thin part, so that the normals there and here oppose each other, to
// where it is now.
static bool findClosest(const palMethodDef* def, const palHapticState* hand, palNearest* nearest)
{
    palVec3 x = hand->body.x;
    palVec3 ahead = palMulAdd(x, def->body.dt, hand->body.v);
    palNearest here;
    if (!findNearest(def, x, &here))
        return false;
    bool found = findNearest(def, ahead, nearest);
    if (!found || palDot(nearest->normal, here.normal) < 0.0)
        *nearest = here;
    return true;
}

// On a soft body the normal turns steadily from facet to facet. In a dimple the plane of one facet
// sends a proxy without friction onto the next, whose plane sends it back: with the facets' own
// normals every update would shake a hand that holds still. Edges that the body has at rest stay.
palVec3 palHalfSpace_Normal(const palCollider* collider, const palNearest* nearest)
{
    const double ridge = 0.25 * PAL_PI;
    if (!palCollider_Yields(collider))
        return nearest->normal;
    const palClosest* closest = &nearest->closest;
    palVec3 smooth = palTopology_SmoothNormal(&collider->topology, &collider->surface,
                                              closest->triangle, closest->weights, ridge);
    return palLengthSquared(smooth) > 0.0 ? smooth : nearest->normal;
}

palResult palHalfSpace_Init(palMethod* method, palError* error)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    palResult result = palSoftContact_Create(&method->def, &half->soft, error);
    if (half->soft != NULL)
        method->world = palSoftContact_World(half->soft);
    return result;
}

void palHalfSpace_Free(palMethod* method)
{
    palSoftContact_Destroy(((palHalfSpaceMethod*)method)->soft);
}

// L6 of the last step: soft bodies through the forces that were felt since.
void palHalfSpace_Advance(palMethod* method, palLowStep* step)
{
    palSoftContact* soft = ((palHalfSpaceMethod*)method)->soft;
    if (soft != NULL)
        palSoftContact_Advance(soft, step->hand);
}

// L3, L4: the closest surface point within the radius of the proxy, and one plane through it.
void palHalfSpace_Find(palMethod* method, palLowStep* step)
{
    const palMethodDef* def = &method->def;
    palSnapshot* snapshot = step->snapshot;
    palNearest nearest;
    snapshot->contactCount = 0;
    if (findClosest(def, step->hand, &nearest))
    {
        const palCollider* collider = &def->colliders[nearest.object];
        const palClosest* closest = &nearest.closest;
        palContactFrame* frame = &snapshot->contacts[snapshot->contactCount++];
        *frame = palMakeContactFrame(closest->point, palHalfSpace_Normal(collider, &nearest),
                                     collider->friction, nearest.object, closest->triangle);
        for (int k = 0; k < 3; k++)
        {
            frame->vertices[k] = collider->surface.triangles[closest->triangle][k];
            frame->weights[k] = closest->weights[k];
        }
        step->info.constraints = collider->friction > 0.0 ? 3 : 1;
    }
    snapshot->trustCentre = step->hand->body.x;
    snapshot->trustRadius = def->radius;
    step->info.contacts = snapshot->contactCount;
}

// L1, L5: the motion of soft bodies. The proxy's compliance is a number that the high rate knows.
void palHalfSpace_Describe(palMethod* method, palLowStep* step)
{
    palSoftContact* soft = ((palHalfSpaceMethod*)method)->soft;
    if (soft == NULL)
        return;
    palSoftSide_Describe(&soft->side, &step->hand->body.x, 1, method->def.radius,
                         step->snapshot->soft);
    palSoftSide_Tell(&soft->side, &step->info);
}

// H2: free motion of the proxy, eq. (3) with λ = 0, and of the surface.
void palHalfSpace_MoveFreely(palMethod* method, palTick* tick)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    const palDeviceState* device = &tick->device;
    half->free =
        palPoint_FreeMotion(&method->def.body, tick->body, device->position, device->velocity);
    if (half->soft != NULL)
        palSoftContact_Begin(half->soft, tick->snapshots[0], device->time);
}

static void meetSoft(const palSoftContact* contact, const palSnapshot* snapshot,
                     palHalfSpaceTouch* touch)
{
    const palSoftMotion* motion = &contact->motion;
    const palSoftPatch* soft = snapshot->soft;
    int part = palSoftPatch_Part(soft, touch->contact->object);
    touch->point.object = touch->contact->object;
    for (int k = 0; k < 3; k++)
    {
        touch->point.vertices[k] = touch->contact->vertices[k];
        touch->point.weights[k] = touch->contact->weights[k];
    }
    if (part < 0 || !palSoftPatch_Shape(soft, part, &touch->point, &touch->shape))
        return;
    const palModes* modes = palSoftPatch_Modes(soft, part);
    const palSoftShift* shift = &motion->shifts[part];
    palVec3 before =
        palSoftPatch_Displacement(modes, &touch->shape, palSoftMotion_Now(motion, soft, part));
    touch->part = part;
    touch->moved =
        palSoftPatch_Displacement(modes, &touch->shape, palSoftMotion_Next(motion, soft, part));
    touch->step = palSub(touch->moved, before);
    touch->moved = palAdd(touch->moved, shift->next);
    touch->step = palAdd(touch->step, palSub(shift->next, shift->now));
    touch->W = palMat3MulAdd(touch->W, 1.0, palSoftPatch_Compliance(modes, &touch->shape));
}

// H3: the half-space where it is now.
void palHalfSpace_FindGaps(palMethod* method, palTick* tick)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    const palSnapshot* snapshot = tick->snapshots[0];
    half->lambda = pal_zeroVec3;
    half->touch = (palHalfSpaceTouch){.contact = snapshot->contacts, .part = -1};
    half->touch.W = palMakeMat3Scale(half->free.compliance);
    if (snapshot->contactCount > 0 && half->soft != NULL)
        meetSoft(half->soft, snapshot, &half->touch);
}

// Gives the soft body the force opposite to that on the proxy, now at x, and finds the distance to
// the nearest soft surface.
static void endSoft(palHalfSpaceMethod* half, palTick* tick)
{
    const palSnapshot* snapshot = tick->snapshots[0];
    const palSoftMotion* motion = &half->soft->motion;
    const palModeShape* shape = &half->touch.shape;
    palHighInfo* info = &tick->info;
    palSoftForce force = {.count = half->touch.part >= 0 && info->active > 0};
    force.pushes[0] = (palSoftPush){half->touch.point, palNeg(half->lambda)};
    palSoftContact_End(half->soft, snapshot, tick->device.time, &force, &shape);
    info->surfaceGap = NAN;
    for (int part = 0; part < snapshot->soft->partCount; part++)
    {
        double gap =
            palSoftPatch_Gap(snapshot->soft, part, palSoftMotion_Now(motion, snapshot->soft, part),
                             palSub(tick->body->x, motion->shifts[part].now), half->touch.moved);
        if (!(fabs(gap) >= fabs(info->surfaceGap)))
            info->surfaceGap = gap;
    }
}

static void report(const palHalfSpaceMethod* half, palTick* tick)
{
    const palContactFrame* contact = half->touch.contact;
    if (tick->info.active == 0)
        return;
    palVec3 x = tick->body->x;
    double gap = palContactFrame_Gap(contact, palSub(x, half->touch.moved));
    palContactForce pushing = {
        .object = contact->object,
        .other = palMethod_HandBody(&half->method),
        .point = palMulAdd(x, -gap, contact->n),
        .normal = contact->n,
        .gap = gap,
        .force = palNeg(half->lambda),
    };
    palContactReport_Add(tick->info.contacts, &pushing);
}

// H5: new states, eq. (3), and the coupling's force on the hand.
void palHalfSpace_Correct(palMethod* method, palTick* tick)
{
    palHalfSpaceMethod* half = (palHalfSpaceMethod*)method;
    const palPointModel* model = &method->def.body;
    *tick->body = palPoint_Correct(model, &half->free, half->lambda);
    if (half->soft != NULL)
        endSoft(half, tick);
    report(half, tick);
    tick->info.force =
        palPoint_CouplingForce(model, tick->body, tick->device.position, tick->device.velocity);
}

palResult palHalfSpace_MakeSnapshot(const palMethod* method, int loop, palSnapshot* snapshot,
                                    palError* error)
{
    (void)loop;
    palResult result = palSnapshot_AddContacts(snapshot, 1, error);
    int softCount = palSoftSide_Count(&method->def);
    return result == pal_ok ? palSnapshot_AddSoft(snapshot, softCount, error) : result;
}
