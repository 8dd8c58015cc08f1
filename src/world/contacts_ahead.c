// SPDX-License-Identifier: Apache-2.0
// Contacts of two surfaces for the life of a snapshot, for a search alone (world/step.h): pairs of
// features that touch, and that may touch within the horizon. Each adds one or three rows to every
// tick until the next snapshot, so that redundant ones are left out.
#include "world/step.h"

enum
{
    touchingMost = 64, // contacts of a pair
    toolMost = 32,     // contacts of the tool with one object
    nearbyMost = 12,   // contacts of a pair beyond which only touching ones are added
};

static const double touchingShare = 0.1;    // of the radius: smaller gaps count as touching
static const double flatFaces = 0.99;       // cosine between the normals of coplanar faces
static const double flatRigid = 1.0 - 1e-9; // the same, of a body that does not bend
static const double fullAngle = 6.2; // rad: sum of the angles of faces that surround a vertex

// The largest speed of a vertex, m/s.
static double speedOf(const palWorldBody* body)
{
    double most = 0.0;
    for (int i = 0; i < body->pointCount && body->ops->moves; i++)
    {
        palVec3 v;
        palSurfacePlace vertex = palMakeVertexPlace(i);
        body->ops->velocity(body, &vertex, &v);
        most = fmax(most, palLengthSquared(v));
    }
    return sqrt(most);
}

// Without a clearance a surface may be slightly behind an open one. The normal of such a contact is
// reversed: it points to the front of the open surface, that of its triangles.
static void pointToFront(const palWorldStep* world, const palWorldPair* pair,
                         palSurfaceContact* contact)
{
    const palMovingSurface* b = &world->bodies[pair->b]->surface;
    palVec3 x = palMovingSurface_At(&world->bodies[pair->a]->surface, &contact->a);
    palClosest closest;
    double distance;
    if (b->closed || !palMovingSurface_Nearest(b, x, INFINITY, &closest, &distance) ||
        palDot(palMovingSurface_Normal(b, closest.triangle, closest.feature), contact->normal) >= 0)
        return;
    contact->normal = palNeg(contact->normal);
    contact->gap = -contact->gap;
}

// The size of the flat part of the surface around an edge or a vertex, m: the length of the edge,
// or of the shortest edge at the vertex. 0: the faces around it are not coplanar, to the cosine
// `flat`, or it is on a border.
static double flatSize(const palMovingSurface* moving, const palSurfacePlace* place, double flat)
{
    int vertex = place->vertices[0], second = place->vertices[1], faces = 0;
    palVec3 x = palMovingSurface_End(moving, vertex), end = palMovingSurface_End(moving, second);
    double least = place->count == 2 ? palDistance(x, end) : INFINITY, angle = 0.0;
    palVec3 first = pal_zeroVec3;
    for (int i = moving->topology.starStarts[vertex]; i < moving->topology.starStarts[vertex + 1];
         i++)
    {
        const int* corners = moving->surface.triangles[moving->topology.star[i]];
        int k = corners[0] == vertex ? 0 : corners[1] == vertex ? 1 : 2;
        int left = corners[(k + 1) % 3], right = corners[(k + 2) % 3];
        if (place->count == 2 && left != second && right != second)
            continue;
        palVec3 n = palMovingSurface_Normal(moving, moving->topology.star[i], pal_featureFace);
        first = faces++ == 0 ? n : first;
        if (palDot(first, n) < flat)
            return 0.0;
        palVec3 u = palSub(palMovingSurface_End(moving, left), x);
        palVec3 v = palSub(palMovingSurface_End(moving, right), x);
        angle += atan2(palLength(palCross(u, v)), palDot(u, v));
        if (place->count == 1)
            least = fmin(least, fmin(palLength(u), palLength(v)));
    }
    bool isAround = place->count == 2 ? faces == 2 : angle > fullAngle;
    return isAround ? least : 0.0;
}

// The length of an edge, or of the longest of a face, m.
static double sizeOf(const palMovingSurface* moving, const palSurfacePlace* place)
{
    double most = 0.0;
    for (int k = 0; k < place->count; k++)
        most = fmax(most, palDistance(palMovingSurface_End(moving, place->vertices[k]),
                                      palMovingSurface_End(
                                          moving, place->vertices[(k + 1) % place->count])));
    return most;
}

// Whether a contact on a flat part is redundant. Along the other feature the distance from a part
// that does not bend is linear: the contacts of its vertices, and those at the border of the part,
// suffice. A part that bends must be larger than the feature.
static bool isOverFlat(const palWorldBody* flat, const palSurfacePlace* place,
                       const palWorldBody* other, const palSurfacePlace* over)
{
    if (place->count == 3 || over->count == 1)
        return false;
    palPlaceKind kind = flat->ops->place(flat, place).kind;
    bool isRigid = kind == pal_placeFixed || kind == pal_placeRigid;
    if (isRigid && flatSize(&flat->surface, place, flatRigid) > 0.0)
        return true;
    return sizeOf(&other->surface, over) < flatSize(&flat->surface, place, flatFaces);
}

// Drops contacts that are too far apart for their speed of approach, that no force can move, and
// those of edges and faces that the contacts of their vertices make redundant.
static void dropUnneeded(palWorldStep* world, const palWorldPair* pair)
{
    const palWorldBody* a = world->bodies[pair->a];
    const palWorldBody* b = world->bodies[pair->b];
    palContactList* list = &world->found;
    int kept = 0;
    for (int i = 0; i < list->count; i++)
    {
        palSurfaceContact* contact = &list->contacts[i];
        palVec3 va, vb;
        bool moves = a->ops->velocity(a, &contact->a, &va);
        moves = b->ops->velocity(b, &contact->b, &vb) || moves;
        pointToFront(world, pair, contact);
        double closing = fmax(0.0, -palDot(contact->normal, palSub(va, vb)));
        if (moves && !isOverFlat(a, &contact->a, b, &contact->b) &&
            !isOverFlat(b, &contact->b, a, &contact->a) &&
            contact->gap <= world->def.radius + closing * world->def.horizon)
            list->contacts[kept++] = *contact;
    }
    list->count = kept;
}

static bool isTouching(const palWorldStep* world, const palSurfaceContact* contact)
{
    return contact->gap <= touchingShare * world->def.radius;
}

// Farthest-point sampling: the next contact of `found` after `taken` is the one farthest from all
// that were taken, of those that touch or else of all. contact->t is the square of that distance,
// m², negative for a contact that was taken. Returns -1 where none is left.
static int nextOf(const palWorldStep* world, const palSurfacePair* pair, int taken)
{
    palSurfaceContact* contacts = world->found.contacts;
    palVec3 at = palMovingSurface_At(pair->b, &contacts[taken].b);
    int best = -1;
    contacts[taken].t = -1.0;
    for (int i = 0; i < world->found.count; i++)
    {
        palSurfaceContact* contact = &contacts[i];
        if (contact->t < 0.0)
            continue;
        palVec3 apart = palSub(palMovingSurface_At(pair->b, &contact->b), at);
        contact->t = fmin(contact->t, palLengthSquared(apart));
        bool touches = isTouching(world, contact);
        bool touchedBest = best >= 0 && isTouching(world, &contacts[best]);
        if (best < 0 || (touches && !touchedBest) ||
            (touches == touchedBest && contact->t > contacts[best].t))
            best = i;
    }
    return best;
}

// Adds the deepest contact, then those that touch, then some that are near, each time the farthest
// from those before.
static void addFarthest(palWorldStep* world, const palWorldPair* pair)
{
    palSurfacePair surfaces = palWorldStep_Surfaces(world, pair);
    const palContactList* list = &world->found;
    bool isOfTool = palWorldStep_Tool(world, pair->a) != NULL;
    int count = 0, most = isOfTool ? toolMost : touchingMost, next = -1;
    int room = world->contactsMax - world->linkCount;
    most = most < room ? most : room;
    for (int i = 0; i < list->count; i++)
    {
        list->contacts[i].t = INFINITY;
        if (next < 0 || list->contacts[i].gap < list->contacts[next].gap)
            next = i;
    }
    for (; next >= 0 && count < most; count++)
    {
        if (count >= nearbyMost && !isTouching(world, &list->contacts[next]))
            return;
        palLink link = palWorldStep_MakeLink(world, pair, &list->contacts[next]);
        if (!palWorldStep_IsJoined(world, pair, &link.ends[0].on, &link.ends[1].on))
            palWorldStep_AddContact(world, pair, &link);
        next = nextOf(world, &surfaces, next);
    }
    for (int i = 0; i < list->count; i++)
        world->leftOut += list->contacts[i].t > 0.0 && isTouching(world, &list->contacts[i]);
}

void palWorldStep_FindAhead(palWorldStep* world, const palWorldPair* pair)
{
    palSurfacePair surfaces = palWorldStep_Surfaces(world, pair);
    double speed = speedOf(world->bodies[pair->a]) + speedOf(world->bodies[pair->b]);
    palSurfacePair_Near(&surfaces, world->def.radius + speed * world->def.horizon, &world->found);
    world->overflow = world->overflow || world->found.overflow;
    dropUnneeded(world, pair);
    addFarthest(world, pair);
}
