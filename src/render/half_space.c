// SPDX-License-Identifier: Apache-2.0
#include "render/half_space.h"

#include "base/clock.h"

// The closest surface point to where the proxy is at the end of a step if it goes on as it moves.
// Where that lies behind a thin part, so that the normals there and here oppose each other, to
// where it is now.
static bool findClosest(const palMethodDef* def, const palHapticState* hand, palNearest* nearest)
{
    palVec3 x = hand->body.x;
    palVec3 ahead = palMulAdd(x, def->body.dt, hand->body.v);
    palNearest here;
    if (!palColliders_Nearest(def->colliders, def->colliderCount, x, def->radius, &here))
        return false;
    bool found =
        palColliders_Nearest(def->colliders, def->colliderCount, ahead, def->radius, nearest);
    if (!found || palDot(nearest->normal, here.normal) < 0.0)
        *nearest = here;
    return true;
}

// On a soft body the normal turns steadily from facet to facet. In a dimple the plane of one facet
// sends a proxy without friction onto the next, whose plane sends it back: with the facets' own
// normals every update would shake a hand that holds still. Edges that the body has at rest stay.
static palVec3 normalAt(const palCollider* collider, const palNearest* nearest)
{
    const double ridge = 0.25 * PAL_PI;
    if (collider->soft == NULL)
        return nearest->normal;
    const palClosest* closest = &nearest->closest;
    palVec3 smooth = palTopology_SmoothNormal(&collider->topology, &collider->surface,
                                              closest->triangle, closest->weights, ridge);
    return palLengthSquared(smooth) > 0.0 ? smooth : nearest->normal;
}

void palHalfSpace_Find(const palMethodDef* def, const palHapticState* hand, palSnapshot* snapshot,
                       palLowInfo* info)
{
    // L3: the closest surface point, within the radius of the proxy.
    int64_t begin = palClock_Now();
    palNearest nearest;
    bool found = findClosest(def, hand, &nearest);
    info->collideMs += 1e-6 * (double)(palClock_Now() - begin);

    // L4: one plane through it. L5: the proxy's compliance is a number that the high rate knows.
    snapshot->contactCount = 0;
    if (found)
    {
        const palCollider* collider = &def->colliders[nearest.object];
        const palClosest* closest = &nearest.closest;
        palContactFrame* frame = &snapshot->contacts[snapshot->contactCount++];
        *frame = palMakeContactFrame(closest->point, normalAt(collider, &nearest),
                                     collider->friction, nearest.object, closest->triangle);
        for (int k = 0; k < 3; k++)
        {
            frame->vertices[k] = collider->surface.triangles[closest->triangle][k];
            frame->weights[k] = closest->weights[k];
        }
        info->constraints = collider->friction > 0.0 ? 3 : 1;
    }
    snapshot->trustCentre = hand->body.x;
    snapshot->trustRadius = def->radius;
    info->contacts = snapshot->contactCount;
}

void palHalfSpace_Report(const palContactFrame* contact, palVec3 moved, palVec3 x, palVec3 force,
                         int hand, palHighInfo* info)
{
    if (info->active == 0)
        return;
    double gap = palContactFrame_Gap(contact, palSub(x, moved));
    palContactForce pushing = {
        .object = contact->object,
        .other = hand,
        .point = palMulAdd(x, -gap, contact->n),
        .normal = contact->n,
        .gap = gap,
        .force = palNeg(force),
    };
    palContactReport_Add(info->contacts, &pushing);
}
