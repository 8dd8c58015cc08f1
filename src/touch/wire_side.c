// SPDX-License-Identifier: Apache-2.0
#include "touch/wire_side.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    pointNodes = 2, // whose motion the modes answer exactly: both of the element that is touched,
    toolNodes = 6,  // and some around it
    touchedRows = 3 * toolNodes,
};

static const double rigidStiffness = 1e6;  // N/m: of what does not move
static const double turnedStiffness = 1e2; // N·m/rad: likewise
static const double stickingShare = 0.95;  // friction holds below this share of its limit

palResult palWireSide_Init(palWireSide* side, palWorldStep* world, int wire, palCollider* tube,
                           int hands, palError* error)
{
    *side = (palWireSide){
        .world = world,
        .wire = palWorldStep_Wire(world, wire),
        .tube = tube,
    };
    const palBeamModel* model = side->wire->wire->model;
    side->beam = (palReducibleBeam){
        .model = model,
        .state = &side->state,
        .work = &side->wire->work, // free until the world step linearises the wire
    };
    palResult result = palBeamState_Init(&side->state, model, error);
    if (result != pal_ok)
        return result;
    palReducible ops = palReducibleBeam_Ops(&side->beam);
    result = palRowSpace_Init(&side->space, &ops, hands * touchedRows, error);
    side->rows = calloc((size_t)(hands * touchedRows), sizeof *side->rows);
    side->tieCapacity = side->wire->rowCapacity;
    side->ties = calloc((size_t)side->tieCapacity, sizeof *side->ties);
    side->sources = calloc((size_t)side->tieCapacity, sizeof *side->sources);
    side->load = calloc((size_t)ops.size, sizeof *side->load);
    side->balance = calloc((size_t)ops.size, sizeof *side->balance);
    if (result == pal_ok &&
        (!side->rows || !side->ties || !side->sources || !side->load || !side->balance))
        result = palError_Memory(error, "the contact side of a wire",
                                 (size_t)side->tieCapacity * sizeof *side->ties);
    return result;
}

void palWireSide_Free(palWireSide* side)
{
    palRowSpace_Free(&side->space);
    palBeamState_Free(&side->state);
    free(side->rows);
    free(side->ties);
    free(side->sources);
    free(side->load);
    free(side->balance);
}

//--------------------------------------------------------------------------------------------------
// Forces

// The motion of a vertex of the tube. Forces on a round wire go through its axis, as those of its
// other contacts do: the facets of the tube would twist it.
static palSparseRow vertexRow(const palWireSide* side, int vertex, palVec3 axis)
{
    palBeamPlace at = side->tube->places[vertex];
    at.offset = pal_zeroVec3;
    return palReducibleBeam_Row(&side->beam, at, axis, false);
}

// Adds Jᵀ f of a push on the tube.
static void addPush(const palWireSide* side, const palSoftPush* push, double* to)
{
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double force[3] = {push->force.x, push->force.y, push->force.z};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
        {
            palSparseRow row = vertexRow(side, push->at.vertices[k], axes[c]);
            palSparseRow_Add(&row, push->at.weights[k] * force[c], to);
        }
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
static void addLink(palWireSide* side, const palLink* link, int index, const double* lambda,
                    int held)
{
    for (int e = 0; e < 2; e++)
        for (int r = 0; r < palLink_Rows(link) && link->ends[e].body == side->wire->base.id; r++)
        {
            bool angular;
            palVec3 axis = palLink_Axis(link, r, &angular);
            palBeamPlace at = link->ends[e].beam;
            palSparseRow row = palReducibleBeam_Row(&side->beam, at, axis, angular);
            palSparseRow_Add(&row, e == 0 ? lambda[r] : -lambda[r], side->load);
            if (r >= held || side->beam.tieCount == side->tieCapacity)
                continue;
            side->sources[side->beam.tieCount] = (palWireTie){index, e, r};
            side->ties[side->beam.tieCount++] = (palBeamTie){
                .row = angular ? palBeam_RotationRow(side->beam.model, side->beam.work, at, axis)
                               : palBeam_PointRow(side->beam.model, side->beam.work, at, axis),
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
            addLink(side, link, i, link->lambda, sticks ? 3 : 1);
    }
    for (int i = 0; i < world->jointCount; i++)
    {
        const palWorldJoint* joint = &world->joints[i];
        bool slides = joint->link.kind == pal_linkRing && joint->stop == 0;
        addLink(side, &joint->link, -1 - i, joint->lambda, slides ? 2 : pal_linkRowsMax);
    }
}

//--------------------------------------------------------------------------------------------------
// Modes

// The element nearest to a point.
static int nearestElement(const palWireSide* side, palVec3 point)
{
    const palVec3* x = side->state.x;
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

// Adds rows for the motion of the nodes around the element nearest to a place, to the first `count`
// ones. Returns how many there are then.
static int addRows(palWireSide* side, const palWireTouch* touched, int count)
{
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int last = side->beam.model->elementCount;
    int nodes = touched->byTool ? toolNodes : pointNodes;
    int first = nearestElement(side, touched->nearest) + 1 - nodes / 2;
    for (int node = first > 0 ? first : 0; node < first + nodes && node <= last; node++)
        for (int c = 0; c < 3; c++)
        {
            int at = node < last ? node : last - 1;
            palBeamPlace place = {.element = at, .s = node - at};
            side->rows[count] = palReducibleBeam_Row(&side->beam, place, axes[c], false);
            count += side->rows[count].count > 0;
        }
    return count;
}

bool palWireSide_Build(palWireSide* side, int object, const palWireTouch* touched, int count,
                       const palSoftForce* last, double dt)
{
    palReducibleBeam* beam = &side->beam;
    int rows = 0;
    palBeamState_Copy(beam->state, &side->wire->state);
    palBeam_Linearise(beam->model, beam->state, beam->work);
    memset(side->load, 0, (size_t)side->space.body.ops.size * sizeof *side->load);
    memset(side->balance, 0, (size_t)side->space.body.ops.size * sizeof *side->balance);
    beam->load = side->load;
    beam->ties = side->ties;
    beam->tieCount = 0;
    addLinks(side);
    for (int i = 0; i < last->head.count; i++)
        if (last->pushes[i].object == object)
            addPush(side, &last->pushes[i], side->balance);
    for (int i = 0; i < count; i++)
        rows = addRows(side, &touched[i], rows);
    side->isBuilt = palRowSpace_Build(&side->space, side->rows, rows, side->balance, dt);
    return side->isBuilt;
}

void palWireSide_Shape(const palWireSide* side, int vertex, palModeShape* shape)
{
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 3; c++)
    {
        palSparseRow row = vertexRow(side, vertex, axes[c]);
        palReduction_Project(&side->space.reduction, 0, &row, shape->b[c]);
    }
}

//--------------------------------------------------------------------------------------------------
// What the modes did

// Where the world step keeps the forces in the prediction of an end.
static double* predictedOf(const palWireSide* side, int link, int end)
{
    palWorldStep* world = side->world;
    return link < 0 ? world->joints[-1 - link].predicted[end] : world->predicted[link][end];
}

// The forces that lasted: those of the links as they were.
static void predictLoad(palWireSide* side)
{
    const palWorldStep* world = side->world;
    int id = side->wire->base.id;
    for (int i = 0; i < world->linkCount; i++)
        for (int e = 0; e < 2; e++)
            if (world->links[i].ends[e].body == id && world->links[i].lambda[0] > 0.0)
                memcpy(predictedOf(side, i, e), world->links[i].lambda, 3 * sizeof(double));
    for (int i = 0; i < world->jointCount; i++)
        for (int e = 0; e < 2; e++)
            if (world->joints[i].link.ends[e].body == id)
                memcpy(predictedOf(side, -1 - i, e), world->joints[i].lambda,
                       pal_linkRowsMax * sizeof(double));
}

void palWireSide_Predict(palWireSide* side, const palModesState* end, const double* meanPlace)
{
    predictLoad(side);
    for (int i = 0; i < side->beam.tieCount; i++)
    {
        const palBeamTie* tie = &side->ties[i];
        const palWireTie* source = &side->sources[i];
        double b[pal_modesMax];
        palSparseRow row = palReducibleBeam_Sparse(&side->beam, &tie->row);
        palReduction_Project(&side->space.reduction, 0, &row, b);
        double given = -tie->stiffness * palModes_Sum(&side->space.reduction.modes, b, meanPlace);
        predictedOf(side, source->link, source->end)[source->row] +=
            source->end == 0 ? given : -given;
    }
    palReduction_Move(&side->space.reduction, end);
    side->wire->predicted = &side->state;
    side->isBuilt = false;
}

void palWireSide_Archive(palWireSide* side, palArchive* archive)
{
    palBeamState_Archive(&side->state, archive);
    palRowSpace_Archive(&side->space, archive);
    PAL_ARCHIVE(archive, side->isBuilt);
    PAL_ARCHIVE(archive, side->beam.tieCount);
    PAL_ARCHIVE_ARRAY(archive, side->ties, side->beam.tieCount);
    PAL_ARCHIVE_ARRAY(archive, side->sources, side->beam.tieCount);
}
