// SPDX-License-Identifier: Apache-2.0
#include "render/wire_side.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    touchedRows = 7, // the motion of both nodes of the element that is touched, and its twisting
};

static const double rigidStiffness = 1e6;  // N/m: of what does not move
static const double turnedStiffness = 1e2; // N·m/rad: likewise
static const double stickingShare = 0.95;  // friction holds below this share of its limit

palResult palWireSide_Init(palWireSide* side, const palWorldStep* world, int wire,
                           palCollider* tube, palError* error)
{
    *side = (palWireSide){
        .world = world,
        .wire = palWorldStep_Wire(world, wire),
        .tube = tube,
    };
    const palBeamModel* model = side->wire->wire->model;
    palResult result = palReducibleBeam_Init(&side->beam, model, error);
    if (result != pal_ok)
        return result;
    palReducible ops = palReducibleBeam_Ops(&side->beam);
    result = palRowSpace_Init(&side->reduction, &ops, touchedRows, error);
    side->tieCapacity = side->wire->rowCapacity;
    side->ties = calloc((size_t)side->tieCapacity, sizeof *side->ties);
    side->balance = calloc((size_t)ops.size, sizeof *side->balance);
    if (result == pal_ok && (!side->ties || !side->balance))
        result = palError_Memory(error, "the contact side of a wire",
                                 (size_t)side->tieCapacity * sizeof *side->ties);
    return result;
}

void palWireSide_Free(palWireSide* side)
{
    palRowSpace_Free(&side->reduction);
    palReducibleBeam_Free(&side->beam);
    free(side->ties);
    free(side->balance);
}

//--------------------------------------------------------------------------------------------------
// Forces

// Adds Jᵀ f of a push on the tube.
static void addPush(const palWireSide* side, const palSoftPush* push, double scale, double* to)
{
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double force[3] = {push->force.x, push->force.y, push->force.z};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
        {
            palBeamPlace at = side->tube->places[push->point.vertices[k]];
            palSparseRow row = palReducibleBeam_Row(&side->beam, at, axes[c], false);
            palSparseRow_Add(&row, scale * push->point.weights[k] * force[c], to);
        }
}

static void addForces(const palWireSide* side, int object, const palSoftForce* force, double scale,
                      double* to)
{
    for (int i = 0; i < force->count; i++)
        if (force->pushes[i].point.object == object)
            addPush(side, &force->pushes[i], scale, to);
}

void palWireSide_Load(palWireSide* side, int object, const palSoftForce* forces, int forceCount,
                      int ticks)
{
    double* load = side->wire->load;
    memset(load, 0, 6 * (size_t)side->beam.model->nodeCount * sizeof *load);
    for (int i = 0; i < forceCount && ticks > 0; i++)
        addForces(side, object, &forces[i], 1.0 / ticks, load);
}

//--------------------------------------------------------------------------------------------------
// What holds the wire

// The stiffness of the other end of a link.
static double stiffnessOf(const palWorldStep* world, const palPlace* other, bool angular)
{
    if (angular)
        return turnedStiffness;
    double mobility = other->body >= 0 ? world->bodies[other->body]->mobility : 0.0;
    return 1.0 / fmax(mobility, 1.0 / rigidStiffness);
}

// Rows of a link on the wire: their forces, and the first `held` of them as ties.
static void addLink(palWireSide* side, const palLink* link, const double* lambda, int held)
{
    for (int e = 0; e < 2; e++)
        for (int r = 0; r < palLink_Rows(link) && link->ends[e].body == side->wire->base.id; r++)
        {
            bool angular;
            palVec3 axis = palLink_Axis(link, r, &angular);
            palBeamPlace at = link->ends[e].beam;
            palSparseRow row = palReducibleBeam_Row(&side->beam, at, axis, angular);
            palSparseRow_Add(&row, e == 0 ? lambda[r] : -lambda[r], side->balance);
            if (r >= held || side->beam.tieCount == side->tieCapacity)
                continue;
            side->ties[side->beam.tieCount++] = (palBeamTie){
                .row = angular ? palBeam_RotationRow(side->beam.model, &side->beam.work, at, axis)
                               : palBeam_PointRow(side->beam.model, &side->beam.work, at, axis),
                .stiffness = stiffnessOf(side->world, &link->ends[1 - e], angular),
            };
        }
}

static void addLinks(palWireSide* side)
{
    const palWorldStep* world = side->world;
    for (int i = 0; i < world->linkCount; i++)
    {
        const palLink* link = &world->links[i];
        double tangential = hypot(link->lambda[1], link->lambda[2]);
        bool sticks = tangential < stickingShare * link->friction * link->lambda[0];
        if (link->lambda[0] > 0.0)
            addLink(side, link, link->lambda, sticks ? 3 : 1);
    }
    for (int i = 0; i < world->jointCount; i++)
    {
        const palWorldJoint* joint = &world->joints[i];
        bool slides = joint->link.kind == pal_linkRing && joint->stop == 0;
        addLink(side, &joint->link, joint->lambda, slides ? 2 : pal_linkRowsMax);
    }
}

//--------------------------------------------------------------------------------------------------
// Modes

// The element nearest to a point.
static int nearestElement(const palWireSide* side, palVec3 point)
{
    const palVec3* x = side->beam.state.x;
    int best = 0;
    double least = INFINITY;
    for (int e = 0; e < side->beam.model->elementCount; e++)
    {
        double d = palDistance(point, palLerp(x[e], x[e + 1], 0.5));
        best = d < least ? e : best;
        least = fmin(d, least);
    }
    return best;
}

bool palWireSide_Build(palWireSide* side, int object, palVec3 nearest, const palSoftForce* last,
                       double dt)
{
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    palReducibleBeam* beam = &side->beam;
    palBeamState_Copy(&beam->state, &side->wire->state);
    palBeam_Linearise(beam->model, &beam->state, &beam->work);
    memset(side->balance, 0, (size_t)side->reduction.body.size * sizeof *side->balance);
    beam->ties = side->ties;
    beam->tieCount = 0;
    addLinks(side);
    addForces(side, object, last, 1.0, side->balance);
    int element = nearestElement(side, nearest), count = 0;
    palSparseRow rows[touchedRows];
    for (int k = 0; k < 6; k++)
    {
        palBeamPlace at = {.element = element, .s = k / 3};
        rows[count++] = palReducibleBeam_Row(beam, at, axes[k % 3], false);
    }
    palBeamPlace middle = {.element = element, .s = 0.5};
    palVec3 along = palNormalize(palSub(beam->state.x[element + 1], beam->state.x[element]));
    rows[count++] = palReducibleBeam_Row(beam, middle, along, true);
    int kept = 0;
    for (int k = 0; k < count; k++)
        if (rows[k].count > 0)
            rows[kept++] = rows[k];
    return palRowSpace_Build(&side->reduction, rows, kept, side->balance, dt);
}

void palWireSide_Shape(const palWireSide* side, int vertex, palModeShape* shape)
{
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 3; c++)
    {
        palSparseRow row =
            palReducibleBeam_Row(&side->beam, side->tube->places[vertex], axes[c], false);
        palRowSpace_Project(&side->reduction, &row, shape->b[c]);
    }
}
