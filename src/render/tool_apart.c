// SPDX-License-Identifier: Apache-2.0
// What keeps tool and tissue apart where the contact forces do not.
#include "render/tool_side.h"

enum
{
    pushesMax = 4, // rounds of the sanity pass
};

static const double depthSought = 0.02;    // m, of vertices inside that are looked for
static const double depthBorne = 2e-4;     // m, of a collision that may stay for a step
static const double beforeCollision = 0.8; // share of the way to it

// ---------------------------------------------------------------------------------------------
// The sanity pass

// Notes that the surface place of a soft body is to move by d.
static void pushPlace(palTissue* tissue, const palCollider* collider, const palSurfacePlace* place,
                      palVec3 d)
{
    const palSkin* skin = &collider->skin;
    for (int k = 0; k < place->count; k++)
        for (int j = 0; j < skin->nodesEach; j++)
        {
            int at = place->vertices[k] * skin->nodesEach + j;
            int node = skin->nodes[at];
            double weight = place->weights[k] * skin->weights[at];
            if (collider->soft->freeIndex[node] < 0 || weight == 0.0)
                continue;
            tissue->push[node] = palMulAdd(tissue->push[node], weight, d);
            tissue->weight[node] += weight;
        }
}

// Moves the nodes by the weighted means of what was noted, so that a place that is pushed alone
// goes where it should.
static void moveNodes(palTissue* tissue, const palCollider* collider)
{
    for (int i = 0; i < collider->soft->nodeCount; i++)
    {
        if (tissue->weight[i] > 0.0)
            tissue->step->x[i] =
                palMulAdd(tissue->step->x[i], 1.0 / tissue->weight[i], tissue->push[i]);
        tissue->push[i] = pal_zeroVec3;
        tissue->weight[i] = 0.0;
    }
    palSkin_Points(&collider->skin, tissue->step->x, tissue->end);
}

// Pushes out what is inside: soft nodes, or where the object is rigid the tool, by its deepest
// vertex; by `most` in one go. Returns that depth.
static double pushObject(palToolSide* side, int object, bool toolInside, double most)
{
    const palSurfacePair pair = {&side->toolSurface, &side->surfaces[object]};
    const palCollider* collider = &side->def->colliders[object];
    palTissue* tissue = side->tissues[object];
    int count =
        palSurfacePair_Inside(&pair, toolInside, depthSought, pal_toolInsideMax, side->inside);
    count = count < pal_toolInsideMax ? count : pal_toolInsideMax;
    double deepest = 0.0;
    palVec3 move = pal_zeroVec3;
    for (int i = 0; i < count; i++)
    {
        const palInsideVertex* inside = &side->inside[i];
        // The normal leads out of the other body: of the soft one for vertices of the tool.
        palVec3 d = palScale(fmin(inside->depth, most) + PAL_TOOL_CLEARANCE, inside->normal);
        if (tissue != NULL && inside->depth > PAL_TOOL_WELL_INSIDE)
        {
            palSurfacePlace vertex = {.vertices = {inside->vertex}, .weights = {1.0}, .count = 1};
            pushPlace(tissue, collider, toolInside ? &inside->place : &vertex,
                      toolInside ? palNeg(d) : d);
            side->pushed++;
        }
        if (inside->depth > deepest)
            move = toolInside ? d : palNeg(d);
        deepest = fmax(deepest, inside->depth);
    }
    if (tissue == NULL && deepest > PAL_TOOL_WELL_INSIDE)
        side->end.x = palAdd(side->end.x, move);
    return deepest;
}

void palToolSide_PushOut(palToolSide* side, double most)
{
    for (int round = 0; round < pushesMax; round++)
    {
        side->left = 0.0;
        for (int i = 0; i < side->def->colliderCount; i++)
        {
            side->left = fmax(side->left, pushObject(side, i, false, most));
            side->left = fmax(side->left, pushObject(side, i, true, most));
        }
        side->deepest = fmax(side->deepest, side->left);
        if (side->left <= PAL_TOOL_WELL_INSIDE)
            break;
        for (int i = 0; i < side->def->colliderCount; i++)
            if (side->tissues[i] != NULL)
                moveNodes(side->tissues[i], &side->def->colliders[i]);
        palToolSide_MovePairs(side);
    }
}

// ---------------------------------------------------------------------------------------------
// Holding back

// When the first features collide that end inside each other, 0..1; 1: none do.
static double firstCollision(palToolSide* side)
{
    double first = 1.0;
    for (int i = 0; i < side->def->colliderCount; i++)
    {
        palSurfacePair_Sweep(&(palSurfacePair){&side->toolSurface, &side->surfaces[i]},
                             &side->found);
        for (int k = 0; k < side->found.count; k++)
        {
            const palSurfaceContact* contact = &side->found.contacts[k];
            if (!contact->leaves && contact->gap < -depthBorne)
                first = fmin(first, contact->t);
        }
    }
    return first;
}

// Goes only a share of the way to the end, and only so fast.
static void shorten(palToolSide* side, double share)
{
    for (int i = 0; i < side->def->colliderCount; i++)
    {
        const palCollider* collider = &side->def->colliders[i];
        palTissue* tissue = side->tissues[i];
        if (tissue == NULL)
            continue;
        for (int k = 0; k < collider->soft->nodeCount; k++)
            tissue->step->x[k] = palLerp(collider->soft->x[k], tissue->step->x[k], share);
        for (int k = 0; k < 3 * collider->soft->freeCount; k++)
            tissue->step->velocity[k] *= share;
        palSkin_Points(&collider->skin, tissue->step->x, tissue->end);
    }
    side->end = (palRigidState){
        .x = palLerp(side->visual.x, side->end.x, share),
        .q = palSlerp(side->visual.q, side->end.q, share),
        .v = palScale(share, side->end.v),
        .L = palScale(share, side->end.L),
    };
    palToolSide_MovePairs(side);
}

// Where neither the contact forces nor the sanity pass keep tool and tissue apart, as in tissue
// that is folded and crushed, both stop before they collide; at the worst they stay where they
// were.
void palToolSide_HoldBack(palToolSide* side)
{
    for (int k = 0; k < 3; k++)
    {
        double t = firstCollision(side);
        if (t >= 1.0)
            return;
        shorten(side, k < 2 ? beforeCollision * t : 0.0);
        side->heldBack = true;
    }
}
