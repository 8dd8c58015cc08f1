// SPDX-License-Identifier: Apache-2.0
#include "constraint/rest_contact.h"

enum
{
    nearMax = 8192,  // vertices of a soft surface that are looked at
    nearbyMost = 12, // contacts in all beyond which only vertices that touch get one
};

static const double touchingShare = 0.1; // of the threshold: a vertex nearer than this touches

// The vertices of a soft surface that are near another surface.
typedef struct nearVertices
{
    int count;
    int vertex[nearMax];
    double apart[nearMax]; // m, to the nearest of those that were taken
    bool touches[nearMax];
    int deepest; // of all that are near; -1: none is
} nearVertices;

// The velocity of a vertex, m/s, and whether anything of it can move.
static bool velocityOf(const palCollider* soft, int vertex, palVec3* velocity)
{
    const palSkin* skin = &soft->skin;
    bool canMove = false;
    *velocity = pal_zeroVec3;
    if (soft->soft == NULL)
        return true;
    for (int j = 0; j < skin->nodesEach; j++)
    {
        int entry = vertex * skin->nodesEach + j;
        *velocity = palMulAdd(*velocity, skin->weights[entry], soft->soft->v[skin->nodes[entry]]);
        canMove = canMove || soft->soft->freeIndex[skin->nodes[entry]] >= 0;
    }
    return canMove;
}

static double fastest(const palSoftBody* body)
{
    double most = 0.0;
    for (int i = 0; body != NULL && i < body->nodeCount; i++)
        most = fmax(most, palLengthSquared(body->v[i]));
    return sqrt(most);
}

// Whether the vertex belongs to the place of a joint between the two.
static bool isTied(const palRestSearch* search, int vertex)
{
    for (int i = 0; i < search->jointCount; i++)
        for (int e = 0; e < 2; e++)
        {
            const palPlace* own = &search->joints[i].ends[e];
            const palPlace* other = &search->joints[i].ends[1 - e];
            if (own->kind != pal_placeSurface || own->body != search->softIndex ||
                other->kind == pal_placeWire || other->body != search->otherIndex)
                continue;
            for (int k = 0; k < own->on.count; k++)
                if (own->on.vertices[k] == vertex)
                    return true;
        }
    return false;
}

// Whether the vertex is near enough, and the surface point nearest to it.
static bool isNear(const palRestSearch* search, double reach, int vertex, palNearest* nearest)
{
    palVec3 v, x = search->soft->surface.vertices[vertex], there = pal_zeroVec3;
    if (!velocityOf(search->soft, vertex, &v) ||
        !palColliders_Nearest(search->other, 1, x, reach, nearest))
        return false;
    const int* corners = search->other->surface.triangles[nearest->closest.triangle];
    for (int k = 0; k < 3 && search->other->soft != NULL; k++)
    {
        palVec3 corner;
        velocityOf(search->other, corners[k], &corner);
        there = palMulAdd(there, nearest->closest.weights[k], corner);
    }
    double closing = fmax(0.0, -palDot(nearest->normal, palSub(v, there)));
    return nearest->gap <= search->threshold + closing * search->horizon;
}

// Of more than fit every second is kept, then every fourth, and so on: they stay spread out.
static void collectNear(const palRestSearch* search, double reach, nearVertices* near)
{
    int seen = 0, every = 1;
    double least = INFINITY;
    near->count = 0;
    near->deepest = -1;
    for (int v = 0; v < search->soft->surface.vertexCount; v++)
    {
        palNearest nearest;
        if (!isNear(search, reach, v, &nearest) || isTied(search, v))
            continue;
        if (nearest.gap < least)
        {
            least = nearest.gap;
            near->deepest = v;
        }
        if (near->count == nearMax)
        {
            near->count = nearMax / 2;
            every *= 2;
            for (int i = 0; i < near->count; i++)
            {
                near->vertex[i] = near->vertex[2 * i];
                near->touches[i] = near->touches[2 * i];
            }
        }
        if (seen++ % every != 0)
            continue;
        near->touches[near->count] = nearest.gap <= touchingShare * search->threshold;
        near->vertex[near->count++] = v;
    }
    for (int i = 0; i < near->count; i++)
        near->apart[i] = INFINITY;
}

// Takes a vertex, and returns the one that is now farthest from all taken; -1 where none is apart.
// Of those that touch, as long as there are any.
static int takeVertex(const palCollider* soft, int taken, nearVertices* near, bool* touches)
{
    int farthest = -1;
    double most = 0.0;
    *touches = false;
    for (int i = 0; i < near->count; i++)
    {
        const palVec3* x = soft->surface.vertices;
        near->apart[i] = fmin(near->apart[i], palDistance(x[near->vertex[i]], x[taken]));
        bool isFirst = near->touches[i] && !*touches && near->apart[i] > 0.0;
        if (near->apart[i] > 0.0 && near->touches[i] >= *touches &&
            (isFirst || near->apart[i] > most))
        {
            most = near->apart[i];
            farthest = near->vertex[i];
            *touches = near->touches[i];
        }
    }
    return farthest;
}

// A vertex on the surface point nearest to it.
static palLink makeLink(const palRestSearch* search, int vertex, const palNearest* nearest)
{
    palLink link = {
        .kind = pal_linkContact,
        .friction = fmax(search->soft->friction, search->other->friction),
        .gap = nearest->gap,
        .key = vertex,
    };
    const int* corners = search->other->surface.triangles[nearest->closest.triangle];
    link.axes[0] = nearest->normal;
    palTangents(link.axes[0], &link.axes[1], &link.axes[2]);
    link.ends[0] = (palPlace){
        .kind = pal_placeSurface,
        .body = search->softIndex,
        .on = palMakeVertexPlace(vertex),
        .local = search->soft->surface.vertices[vertex],
    };
    link.ends[1] = palMakeFixedPlace(search->otherIndex, nearest->closest.point);
    if (search->other->soft == NULL)
        return link;
    link.ends[1].kind = pal_placeSurface;
    link.ends[1].on = palMakeTrianglePlace(corners, nearest->closest.weights);
    return link;
}

int palFindRestContacts(const palRestSearch* search, int capacity, palLink* links, int* dropped)
{
    nearVertices near;
    int count = 0;
    double speed = fastest(search->soft->soft) + fastest(search->other->soft);
    double reach = search->threshold + speed * search->horizon;
    collectNear(search, reach, &near);
    int vertex = near.deepest;
    bool touches = true;
    while (count < capacity && vertex >= 0 && (touches || count < nearbyMost))
    {
        palNearest nearest;
        if (!isNear(search, reach, vertex, &nearest))
            break;
        links[count++] = makeLink(search, vertex, &nearest);
        vertex = takeVertex(search->soft, vertex, &near, &touches);
    }
    for (int i = 0; i < near.count && count == capacity; i++)
        *dropped += near.touches[i] && near.apart[i] > 0.0;
    return count;
}
