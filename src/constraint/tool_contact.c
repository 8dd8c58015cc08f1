// SPDX-License-Identifier: Apache-2.0
#include "constraint/tool_contact.h"

enum
{
    nearbyMost = 12, // contacts in all beyond which only those that touch are taken
};

static const double touchingShare = 0.1; // of the threshold: what is nearer than this touches

// The points on both surfaces.
static palVec3 onTool(const palToolSearch* search, const palSurfaceContact* contact)
{
    return palSurfacePlace_Point(&contact->a, search->vertices);
}

static palVec3 onOther(const palToolSearch* search, const palSurfaceContact* contact)
{
    return palSurfacePlace_Point(&contact->b, search->other->surface.vertices);
}

static bool isTouching(const palToolSearch* search, const palSurfaceContact* contact)
{
    return contact->gap <= touchingShare * search->threshold;
}

// A surface without an inside has a front, that of its triangles: what is behind it is deep.
static void turnToFront(const palToolSearch* search, palSurfaceContact* contact)
{
    palNearest nearest;
    palVec3 x = onTool(search, contact);
    double reach = 2.0 * fabs(contact->gap) + search->threshold;
    if (search->other->closed || !palColliders_Nearest(search->other, 1, x, reach, &nearest) ||
        palDot(nearest.normal, contact->normal) >= 0.0)
        return;
    contact->normal = palNeg(contact->normal);
    contact->gap = -contact->gap;
}

// Drops what is not near enough for its speed of approach.
static void dropFar(const palToolSearch* search)
{
    int kept = 0;
    palContactList* list = search->list;
    for (int i = 0; i < list->count; i++)
    {
        palSurfaceContact* contact = &list->contacts[i];
        turnToFront(search, contact);
        palVec3 v = palSteppedTool_Velocity(search->tool, onTool(search, contact));
        double closing = fmax(0.0, -palDot(contact->normal, v));
        if (contact->gap <= search->threshold + closing * search->horizon)
            list->contacts[kept++] = *contact;
    }
    list->count = kept;
}

// The same pair of features has the same key.
static int keyOf(const palSurfaceContact* contact)
{
    unsigned key = (unsigned)contact->kind;
    for (int k = 0; k < 2; k++)
    {
        key = 31u * key + (unsigned)contact->a.vertices[k];
        key = 31u * key + (unsigned)contact->b.vertices[k];
    }
    return (int)(key & 0x7fffffffu);
}

static palLink makeLink(const palToolSearch* search, const palSurfaceContact* contact)
{
    palLink link = {
        .kind = pal_linkContact,
        .friction = search->other->friction,
        .gap = contact->gap,
        .key = keyOf(contact),
    };
    link.axes[0] = contact->normal;
    palTangents(link.axes[0], &link.axes[1], &link.axes[2]);
    link.ends[0] = (palPlace){
        .kind = pal_placeRigid,
        .body = search->tool->body,
        .on = contact->a,
        .local = palSteppedTool_Local(search->tool, onTool(search, contact)),
    };
    link.ends[1] = palMakeFixedPlace(search->otherIndex, onOther(search, contact));
    if (search->other->soft != NULL)
        link.ends[1].kind = pal_placeSurface;
    link.ends[1].on = contact->b;
    return link;
}

// The next contact: of those that touch, or else of all, the one farthest from those taken. The
// distance to these is kept in `t`, negative for what is taken. -1: none is left.
static int nextContact(const palToolSearch* search, int taken)
{
    palSurfaceContact* contacts = search->list->contacts;
    palVec3 at = onOther(search, &contacts[taken]);
    int best = -1;
    contacts[taken].t = -1.0;
    for (int i = 0; i < search->list->count; i++)
    {
        palSurfaceContact* contact = &contacts[i];
        if (contact->t < 0.0)
            continue;
        contact->t = fmin(contact->t, palDistance(onOther(search, contact), at));
        bool touches = isTouching(search, contact);
        bool touchedBest = best >= 0 && isTouching(search, &contacts[best]);
        if (best < 0 || (touches && !touchedBest) ||
            (touches == touchedBest && contact->t > contacts[best].t))
            best = i;
    }
    return best;
}

int palFindToolContacts(const palToolSearch* search, int capacity, palLink* links, int* dropped)
{
    palContactList* list = search->list;
    const palVec3* still = search->other->surface.vertices;
    double radius = 0.0;
    for (int i = 0; i < search->tool->tool->surface.vertexCount; i++)
        radius = fmax(radius, palDistance(search->vertices[i], search->tool->state.x));
    palVec3 omega = palRigid_Omega(&search->tool->tool->model, &search->tool->state);
    double speed = palLength(search->tool->state.v) + radius * palLength(omega);
    list->count = 0;
    list->overflow = false;
    palMovingSurface_Move(search->still, still, still);
    palSurfacePair pair = {search->moving, search->still};
    palSurfacePair_Near(&pair, search->threshold + speed * search->horizon, list);
    dropFar(search);
    int next = -1, count = 0;
    for (int i = 0; i < list->count; i++)
    {
        list->contacts[i].t = INFINITY;
        if (next < 0 || list->contacts[i].gap < list->contacts[next].gap)
            next = i;
    }
    while (next >= 0 && count < capacity &&
           (count < nearbyMost || isTouching(search, &list->contacts[next])))
    {
        links[count++] = makeLink(search, &list->contacts[next]);
        next = nextContact(search, next);
    }
    for (int i = 0; i < list->count && count == capacity; i++)
        *dropped += list->contacts[i].t > 0.0 && isTouching(search, &list->contacts[i]);
    return count;
}
