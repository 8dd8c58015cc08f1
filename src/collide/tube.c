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
