// SPDX-License-Identifier: Apache-2.0
#include "constraint/wire_contact.h"

enum
{
    samples = 4,      // intervals of an element in which a minimum is sought
    refinements = 24, // of golden section: to a ten-thousandth of an interval
    candidatesMax = 2 * pal_wireNodesMax,
    restMax = 512, // vertices looked at
};

// A place of a wire and the surface point nearest to it.
typedef struct candidate
{
    palBeamPlace place;
    palVec3 point; // on the axis, m
    palNearest nearest;
    int key;
} candidate;

typedef struct wireSearch
{
    const palWire* wire;
    const palBeamState* state;
    const palCollider* collider;
    double reach; // m, from the axis
} wireSearch;

static bool sampleAt(const wireSearch* search, int element, double s, candidate* found)
{
    found->place = (palBeamPlace){.element = element, .s = s};
    found->point = palBeam_Point(search->wire->model, search->state, found->place);
    return palColliders_Nearest(search->collider, 1, found->point, search->reach, &found->nearest);
}

// A minimum of the distance strictly between lowS and highS, where middle is less than both ends.
static candidate refine(const wireSearch* search, int element, double lowS, double highS,
                        candidate middle)
{
    const double golden = 0.381966011250105; // (3 - √5)/2
    candidate best = middle;
    for (int k = 0; k < refinements; k++)
    {
        double s = best.place.s;
        bool upper = highS - s > s - lowS;
        double trial = upper ? s + golden * (highS - s) : s - golden * (s - lowS);
        candidate tried;
        bool isBetter =
            sampleAt(search, element, trial, &tried) && tried.nearest.gap < best.nearest.gap;
        if (isBetter)
        {
            *(upper ? &lowS : &highS) = s;
            best = tried;
        }
        else
            *(upper ? &highS : &lowS) = trial;
    }
    return best;
}

// The minimum within an element, if there is one below its nodes'.
static bool findWithin(const wireSearch* within, int element, candidate* found)
{
    // Between two samples the wire may come nearer by as much as they are apart.
    wireSearch wide = *within;
    const wireSearch* search = &wide;
    wide.reach += within->wire->model->elements[element].length / samples;
    candidate at[samples + 1];
    double gap[samples + 1];
    int least = 0;
    for (int k = 0; k <= samples; k++)
    {
        bool isNear = sampleAt(search, element, (double)k / samples, &at[k]);
        gap[k] = isNear ? at[k].nearest.gap : INFINITY;
        least = gap[k] < gap[least] ? k : least;
    }
    // A wire that lies on a flat surface has no minimum: the nodes are enough.
    const double significant = 1e-3;
    double drop = fmin(gap[0], gap[samples]) - gap[least];
    if (least == 0 || least == samples || !(drop > significant * search->wire->radius))
        return false;
    *found = refine(search, element, (double)(least - 1) / samples, (double)(least + 1) / samples,
                    at[least]);
    return found->nearest.gap <= within->reach;
}

static palLink makeLink(const candidate* from, int wireIndex, double radius,
                        const palCollider* collider, int object)
{
    const palClosest* closest = &from->nearest.closest;
    const int* corners = collider->surface.triangles[closest->triangle];
    palLink link = {
        .kind = pal_linkContact,
        .distance = radius,
        .friction = collider->friction,
        .object = object,
        .key = from->key,
    };
    link.axes[0] = from->nearest.normal;
    palTangents(link.axes[0], &link.axes[1], &link.axes[2]);
    link.ends[0] = (palLinkEnd){.kind = pal_endWire, .body = wireIndex, .place = from->place};
    link.ends[1] = (palLinkEnd){
        .kind = collider->soft != NULL ? pal_endSoft : pal_endWorld,
        .body = object,
        .point = closest->point,
        .turn = pal_identityQuat,
    };
    for (int k = 0; k < 3; k++)
    {
        link.ends[1].vertices[k] = corners[k];
        link.ends[1].weights[k] = closest->weights[k];
    }
    return link;
}

// Drops the candidate that is farthest away, until they fit. Order is kept.
static int keepNearest(candidate* found, int count, int capacity)
{
    while (count > capacity)
    {
        int worst = 0;
        for (int i = 1; i < count; i++)
            if (found[i].nearest.gap > found[worst].nearest.gap)
                worst = i;
        for (int i = worst; i + 1 < count; i++)
            found[i] = found[i + 1];
        count--;
    }
    return count;
}

int palFindWireContacts(const palWire* wire, int wireIndex, const palBeamState* state,
                        const palCollider* collider, int object, double threshold, int capacity,
                        palLink* links)
{
    const palBeamModel* model = wire->model;
    wireSearch search = {wire, state, collider, threshold + wire->radius};
    candidate found[candidatesMax];
    int count = 0;
    for (int node = 0; node < model->nodeCount && count + 2 <= candidatesMax; node++)
    {
        int element = node < model->elementCount ? node : node - 1;
        // What is held cannot be pushed.
        bool isHeld = (model->held[node] & pal_holdPosition) == pal_holdPosition;
        candidate* next = &found[count];
        if (!isHeld && sampleAt(&search, element, (double)(node - element), next))
        {
            next->key = 2 * node;
            count++;
        }
        next = &found[count];
        if (node < model->elementCount && findWithin(&search, element, next))
        {
            next->key = 2 * node + 1;
            count++;
        }
    }
    count = keepNearest(found, count, capacity);
    for (int i = 0; i < count; i++)
        links[i] = makeLink(&found[i], wireIndex, wire->radius, collider, object);
    return count;
}

//--------------------------------------------------------------------------------------------------
// Soft on rigid

// The next vertex: the deepest first, then always the one farthest from those that were taken.
static int farthest(const palCollider* soft, const int* near, const palNearest* nearest, int count,
                    const palLink* taken, int takenCount)
{
    int best = -1;
    double most = -INFINITY;
    for (int i = 0; i < count; i++)
    {
        palVec3 x = soft->surface.vertices[near[i]];
        double far = takenCount > 0 ? INFINITY : -nearest[i].gap;
        for (int k = 0; k < takenCount; k++)
            far = fmin(far, palDistance(x, soft->surface.vertices[taken[k].ends[0].vertices[0]]));
        if (far > most)
        {
            most = far;
            best = i;
        }
    }
    return takenCount > 0 && !(most > 0.0) ? -1 : best;
}

int palFindRestContacts(const palCollider* soft, int softIndex, const palCollider* rigid,
                        int rigidIndex, double threshold, int capacity, palLink* links)
{
    int near[restMax];
    palNearest nearest[restMax];
    int count = 0;
    for (int v = 0; v < soft->surface.vertexCount && count < restMax; v++)
    {
        if (!palColliders_Nearest(rigid, 1, soft->surface.vertices[v], threshold, &nearest[count]))
            continue;
        near[count++] = v;
    }
    int taken = 0;
    while (taken < capacity)
    {
        int i = farthest(soft, near, nearest, count, links, taken);
        if (i < 0)
            break;
        palLink link = {
            .kind = pal_linkContact,
            .friction = fmax(soft->friction, rigid->friction),
            .object = rigidIndex,
            .key = near[i],
        };
        link.axes[0] = nearest[i].normal;
        palTangents(link.axes[0], &link.axes[1], &link.axes[2]);
        link.ends[0] = (palLinkEnd){
            .kind = pal_endSoft,
            .body = softIndex,
            .vertices = {near[i], near[i], near[i]},
            .weights = {1.0, 0.0, 0.0},
        };
        link.ends[1] = (palLinkEnd){.kind = pal_endWorld, .point = nearest[i].closest.point};
        links[taken++] = link;
    }
    return taken;
}
