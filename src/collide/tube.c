// SPDX-License-Identifier: Apache-2.0
#include "collide/tube.h"

#include "base/error.h"

#include <stdlib.h>

enum
{
    sides = 12,
};

static void setTriangle(palSurface* surface, int* next, int a, int b, int c)
{
    surface->triangles[*next][0] = a;
    surface->triangles[*next][1] = b;
    surface->triangles[*next][2] = c;
    ++*next;
}

// Vertices: a ring at every node, then the middle of both ends.
static void connect(palSurface* surface, int rings)
{
    int next = 0, first = rings * sides, last = first + 1;
    for (int k = 0; k < sides; k++)
    {
        int beside = (k + 1) % sides;
        for (int r = 0; r + 1 < rings; r++)
        {
            int a = r * sides + k, b = r * sides + beside;
            setTriangle(surface, &next, a, b, a + sides);
            setTriangle(surface, &next, b, b + sides, a + sides);
        }
        setTriangle(surface, &next, first, beside, k);
        setTriangle(surface, &next, last, (rings - 1) * sides + k, (rings - 1) * sides + beside);
    }
}

// Where the vertices are on the wire. The facets are as often within the radius as beyond it.
static void place(const palWire* wire, palBeamPlace* places)
{
    int last = wire->model->elementCount;
    double radius = wire->radius / (0.5 + 0.5 * cos(PAL_PI / sides));
    for (int node = 0; node <= last; node++)
    {
        int element = node < last ? node : node - 1;
        palBeamPlace at = {.element = element, .s = node - element};
        for (int k = 0; k < sides; k++)
        {
            double angle = 2.0 * PAL_PI * k / sides;
            at.offset = palMakeVec3(0.0, radius * cos(angle), radius * sin(angle));
            places[node * sides + k] = at;
        }
    }
    places[(last + 1) * sides] = (palBeamPlace){.element = 0, .s = 0.0};
    places[(last + 1) * sides + 1] = (palBeamPlace){.element = last - 1, .s = 1.0};
}

static void placeVertices(const palCollider* tube, const palBeamModel* model,
                          const palBeamState* state, palSurface* surface)
{
    for (int v = 0; v < surface->vertexCount; v++)
        surface->vertices[v] = palBeam_Point(model, state, tube->places[v]);
}

palResult palTube_Init(palCollider* tube, const palWire* wire, palError* error)
{
    int rings = wire->model->nodeCount;
    palSurface surface;
    palBeamState state;
    *tube = (palCollider){0};
    palResult result =
        palSurface_Init(&surface, rings * sides + 2, 2 * sides * (rings - 1) + 2 * sides, error);
    if (result != pal_ok)
        return result;
    palBeamPlace* places = calloc((size_t)surface.vertexCount, sizeof *places);
    if (places == NULL)
        result = palError_Memory(error, "the surface of a wire",
                                 (size_t)surface.vertexCount * sizeof *places);
    if (result == pal_ok)
        result = palBeamState_Init(&state, wire->model, error);
    if (result != pal_ok)
    {
        palSurface_Free(&surface);
        free(places);
        return result;
    }
    connect(&surface, rings);
    place(wire, places);
    tube->places = places;
    placeVertices(tube, wire->model, &state, &surface);
    palBeamState_Free(&state);
    result = palCollider_Init(tube, &surface, wire->friction, error);
    if (result == pal_ok)
        tube->places = places;
    else
        free(places);
    return result;
}

void palTube_Follow(palCollider* tube, const palBeamModel* model, const palBeamState* state)
{
    placeVertices(tube, model, state, &tube->surface);
    palCollider_Move(tube, tube->surface.vertices);
}

// The middle of the ring of a node.
static palVec3 middleOf(const palSurface* surface, int ring)
{
    palVec3 sum = pal_zeroVec3;
    for (int k = 0; k < sides; k++)
        sum = palAdd(sum, surface->vertices[ring * sides + k]);
    return palScale(1.0 / sides, sum);
}

// The place at shares along the wire and across a facet, as one of its two triangles.
static void placeInFacet(const palSurface* surface, int ring, int side, double along, double across,
                         palClosest* closest)
{
    bool isFirst = along + across <= 1.0;
    int each = surface->vertexCount / sides - 1; // facets along one side
    closest->triangle = side * (2 * each + 2) + 2 * ring + !isFirst;
    closest->weights[0] = isFirst ? 1.0 - along - across : 1.0 - along;
    closest->weights[1] = isFirst ? across : along + across - 1.0;
    closest->weights[2] = isFirst ? along : 1.0 - across;
    closest->point = pal_zeroVec3;
    for (int c = 0; c < 3; c++)
        closest->point = palMulAdd(closest->point, closest->weights[c],
                                   surface->vertices[surface->triangles[closest->triangle][c]]);
}

void palTube_PlaceRadially(const palCollider* tube, palVec3 x, palClosest* closest)
{
    const palSurface* surface = &tube->surface;
    int caps = surface->vertexCount / sides * sides;
    const int* corners = surface->triangles[closest->triangle];
    if (corners[0] >= caps)
        return;
    int ring = corners[2] / sides - 1;
    palVec3 from = middleOf(surface, ring), chord = palSub(middleOf(surface, ring + 1), from);
    double along = palDot(palSub(x, from), chord) / palLengthSquared(chord);
    along = fmin(fmax(along, 0.0), 1.0);
    palVec3 middle = palMulAdd(from, along, chord);
    palVec3 out = palMulAdd(palSub(x, from), -along, chord);
    for (int k = 0; k < sides; k++)
    {
        const palVec3* a = surface->vertices + ring * sides + k;
        const palVec3* b = surface->vertices + ring * sides + (k + 1) % sides;
        palVec3 left = palSub(palLerp(a[0], a[sides], along), middle);
        palVec3 right = palSub(palLerp(b[0], b[sides], along), middle);
        double turned = palDot(chord, palCross(left, out));
        double ahead = palDot(chord, palCross(out, right));
        if (turned < 0.0 || ahead < 0.0 || !(turned + ahead > 0.0) ||
            palDot(out, palAdd(left, right)) <= 0.0)
            continue;
        placeInFacet(surface, ring, k, along, turned / (turned + ahead), closest);
        closest->feature = pal_featureFace;
        closest->distance = palDistance(x, closest->point);
        return;
    }
}
