// SPDX-License-Identifier: Apache-2.0
#include "constraint/wire_contact.h"

enum
{
    samples = 4,      // intervals of an element in which a minimum is sought
    refinements = 24, // of golden section: to a ten-thousandth of an interval
    facetsMost = 96,  // around a node that are looked at
};

// A place of a wire and the surface point closest to it.
typedef struct candidate
{
    palBeamPlace place;
    palVec3 point; // on the axis, m
    palNearest nearest;
    int key;
} candidate;

// Directions of shorter vectors are rounding noise, m.
static const double noise = 1e-10;
// Elements along a wire from a joint with the collider within which they do not touch.
static const double tiedElements = 1.5;
// rad: edges that are less convex are flat.
static const double flatAngle = 1e-3;
// Cosine: facets whose normals differ by less are one plane.
static const double flatFacets = 1.0 - 1e-6;
// A wire that leans by less is along the surface.
static const double slopeIgnored = 1e-6;

static bool isTied(const palWireSearch* search, palBeamPlace place)
{
    for (int i = 0; i < search->jointCount; i++)
        for (int e = 0; e < 2; e++)
        {
            const palPlace* own = &search->joints[i].ends[e];
            const palPlace* other = &search->joints[i].ends[1 - e];
            double along = own->beam.element + own->beam.s;
            if (own->kind == pal_placeWire && own->body == search->body &&
                other->kind != pal_placeWire && other->body == search->object &&
                fabs(place.element + place.s - along) < tiedElements)
                return true;
        }
    return false;
}

// The nearest point of the surface, as palColliders_Nearest.
static bool findNearest(const palWireSearch* search, palVec3 x, double reach, palNearest* nearest)
{
    const palMovingSurface* moving = search->moving;
    palClosest* closest = &nearest->closest;
    if (moving == NULL)
        return palColliders_Nearest(search->collider, 1, x, reach, nearest);
    if (!palMovingSurface_Nearest(moving, x, reach, closest, &nearest->gap))
        return false;
    nearest->normal = palMovingSurface_Normal(moving, closest->triangle, closest->feature);
    if (closest->feature != pal_featureFace && closest->distance > noise)
        nearest->normal = palScale(1.0 / nearest->gap, palSub(x, closest->point));
    return true;
}

// The surface point within `reach` of the axis, if there is one.
static bool sampleAt(const palWireSearch* search, double reach, int element, double s,
                     candidate* found)
{
    found->place = (palBeamPlace){.element = element, .s = s};
    found->point = palBeam_Point(search->wire->model, search->state, found->place);
    return findNearest(search, found->point, reach, &found->nearest);
}

// Whether the distance falls where one goes along the wire from there: forwards, else backwards.
static bool fallsFrom(const palWireSearch* search, const candidate* from, bool forwards)
{
    const double step = 1e-3; // of an element
    palBeamPlace next = from->place;
    next.s += forwards ? step : -step;
    palVec3 ahead = palSub(palBeam_Point(search->wire->model, search->state, next), from->point);
    return palDot(from->nearest.normal, ahead) < -slopeIgnored * palLength(ahead);
}

// A minimum of the distance between lowS and highS, where middle is not more than both ends.
static candidate refine(const palWireSearch* search, double reach, int element, double lowS,
                        double highS, candidate middle)
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
            sampleAt(search, reach, element, trial, &tried) && tried.nearest.gap < best.nearest.gap;
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
static bool findWithin(const palWireSearch* search, double reach, int element, candidate* found,
                       double* distance)
{
    // Between two samples the wire may come nearer by as much as they are apart.
    double apart = search->wire->model->elements[element].length / samples;
    double wide = reach + apart;
    candidate at[samples + 1];
    double gap[samples + 1];
    int least = 0;
    for (int k = 0; k <= samples; k++)
    {
        bool isNear = sampleAt(search, wide, element, (double)k / samples, &at[k]);
        gap[k] = isNear ? at[k].nearest.gap : INFINITY;
        least = gap[k] < gap[least] ? k : least;
    }
    *distance = fmin(gap[least], wide) - apart;
    // An edge may be nearer to an end than the first sample.
    bool isEnd = least == 0 || least == samples;
    if (gap[least] == INFINITY || (isEnd && !fallsFrom(search, &at[least], least == 0)))
        return false;
    // A wire on a flat surface has no interior minimum: the nodes are enough.
    const double significant = 1e-3;
    double ends = fmin(gap[0], gap[samples]) - significant * search->wire->radius;
    if (!isEnd && gap[least] >= ends)
        return false;
    *found = refine(search, wide, element, fmax(0.0, (double)(least - 1) / samples),
                    fmin(1.0, (double)(least + 1) / samples), at[least]);
    if (found->nearest.gap >= ends)
        return false;
    found->key = palWireContact_ElementKey(element);
    return found->nearest.gap <= reach;
}

static palLink makeLink(const palWireSearch* search, const candidate* from)
{
    const palCollider* collider = search->collider;
    const palSurface* surface =
        search->moving != NULL ? &search->moving->surface : &collider->surface;
    const palClosest* closest = &from->nearest.closest;
    const int* corners = surface->triangles[closest->triangle];
    double friction = collider != NULL ? collider->friction : 0.0;
    palLink link = {
        .kind = pal_linkContact,
        .distance = search->wire->radius,
        .friction = fmax(search->wire->friction, friction),
        .gap = from->nearest.gap,
        .key = from->key,
    };
    link.axes[0] = from->nearest.normal;
    palTangents(link.axes[0], &link.axes[1], &link.axes[2]);
    link.ends[0] = palMakeWirePlace(search->body, from->place);
    link.ends[1] = (palPlace){
        .kind = collider != NULL && collider->soft == NULL ? pal_placeFixed : pal_placeSurface,
        .body = search->object,
        .on = palMakeTrianglePlace(corners, closest->weights),
        .local = closest->point,
        .orientation = pal_identityQuat,
    };
    return link;
}

// Contacts in the order in which they were found.
typedef struct nearestLinks
{
    palLink* links;
    int capacity;
    int count;
    int dropped;
} nearestLinks;

// Appends a contact, unless the wire is tied there. Of more than fit the farthest is dropped.
static void keepNearest(const palWireSearch* search, const candidate* found, nearestLinks* kept)
{
    if (isTied(search, found->place))
        return;
    palLink link = makeLink(search, found);
    if (kept->count == kept->capacity)
    {
        int worst = kept->count;
        double most = link.gap;
        for (int i = kept->count - 1; i >= 0; i--)
            if (kept->links[i].gap >= most)
            {
                most = kept->links[i].gap;
                worst = i;
            }
        kept->dropped++;
        if (worst == kept->count)
            return;
        kept->count--;
        for (int i = worst; i < kept->count; i++)
            kept->links[i] = kept->links[i + 1];
    }
    kept->links[kept->count++] = link;
}

int palFindWireContacts(const palWireSearch* search, int capacity, palLink* links, int* dropped)
{
    const palBeamModel* model = search->wire->model;
    double reach = search->threshold + search->wire->radius;
    nearestLinks kept = {.links = links, .capacity = capacity};
    for (int node = 0; node < model->nodeCount; node++)
    {
        int element = node < model->elementCount ? node : node - 1;
        // A contact force on a held node moves nothing.
        bool isHeld = (model->held[node] & pal_holdPosition) == pal_holdPosition;
        candidate found;
        if (!isHeld && sampleAt(search, reach, element, (double)(node - element), &found))
        {
            found.key = palWireContact_NodeKey(node);
            keepNearest(search, &found, &kept);
        }
        double apart;
        if (node < model->elementCount && findWithin(search, reach, element, &found, &apart))
            keepNearest(search, &found, &kept);
    }
    *dropped += kept.dropped;
    return kept.count;
}

//--------------------------------------------------------------------------------------------------
// One node, one element

// The plane through a convex edge of a facet that is square to the way from the edge's line to the
// node. Returns false where that way is not between the normals of the two facets there.
static bool takeEdge(const palWireSearch* search, int triangle, int k, candidate* found)
{
    const palCollider* collider = search->collider;
    const palTopology* topology = &collider->topology;
    const int* corners = collider->surface.triangles[triangle];
    const int* pair = topology->edgeTriangles[topology->triangleEdges[triangle][k]];
    int other = pair[0] == triangle ? pair[1] : pair[0];
    palVec3 a = palCollider_Vertex(collider, corners[k]);
    palVec3 along = palNormalize(palSub(palCollider_Vertex(collider, corners[(k + 1) % 3]), a));
    palVec3 away = palSub(found->point, a);
    palVec3 n = palNormalize(palMulAdd(away, -palDot(away, along), along));
    const int sides[2] = {triangle, other};
    for (int i = 0; i < 2 && sides[i] >= 0; i++)
        for (int c = 0; c < 3; c++)
        {
            int vertex = collider->surface.triangles[sides[i]][c];
            if (vertex != corners[k] && vertex != corners[(k + 1) % 3] &&
                palDot(n, palSub(palCollider_Vertex(collider, vertex), a)) > 0.0)
                return false;
        }
    found->nearest.normal = n;
    found->nearest.gap = palDot(n, away);
    return true;
}

// The plane of a facet, or of a convex edge of it that is nearer to a node than what is beyond it.
static bool takeFacet(const palWireSearch* search, int triangle, candidate* found)
{
    const palCollider* collider = search->collider;
    const palTopology* topology = &collider->topology;
    const int* corners = collider->surface.triangles[triangle];
    palVec3 v[3];
    for (int k = 0; k < 3; k++)
        v[k] = palCollider_Vertex(collider, corners[k]);
    palClosest* closest = &found->nearest.closest;
    *closest = palClosestOnTriangle(found->point, v[0], v[1], v[2]);
    closest->triangle = triangle;
    int edges[2] = {-1, -1}; // that bound the facet where it is nearest
    if (closest->feature >= pal_featureVertex0)
    {
        edges[0] = (int)closest->feature - pal_featureVertex0;
        edges[1] = (edges[0] + 2) % 3;
    }
    else if (closest->feature != pal_featureFace)
        edges[0] = (int)closest->feature - pal_featureEdge0;
    int convex = -1, count = 0;
    for (int i = 0; i < 2 && edges[i] >= 0; i++)
        if (topology->edgeAngles[topology->triangleEdges[triangle][edges[i]]] > flatAngle)
        {
            convex = edges[i];
            count++;
        }
    if (count > 0)
        return count == 1 && takeEdge(search, triangle, convex, found);
    found->nearest.normal = palCollider_Normal(collider, triangle, pal_featureFace);
    found->nearest.gap = palDot(found->nearest.normal, palSub(found->point, v[0]));
    return true;
}

// Whether a facet bounds the free space around a node, beside the plane of the nearest point.
static bool isBeside(const palWireSearch* search, const candidate* nearest, int triangle,
                     candidate* found)
{
    const palNearest* first = &nearest->nearest;
    *found = *nearest;
    if (triangle == first->closest.triangle || !takeFacet(search, triangle, found))
        return false;
    palVec3 n = found->nearest.normal, c = found->nearest.closest.point;
    return found->nearest.gap > 0.0 && palDot(n, first->normal) < flatFacets &&
           palDistance(c, first->closest.point) > noise &&
           palDot(n, palSub(first->closest.point, c)) > noise;
}

// Whether a plane like it is among the contacts.
static bool isKnown(const palLink* links, int count, const candidate* found)
{
    for (int i = 0; i < count; i++)
        if (palDot(links[i].axes[0], found->nearest.normal) > flatFacets)
            return true;
    return false;
}

// Appends a contact, in order of the gap after the first. Of more than fit the farthest is left
// out.
static int insert(const palWireSearch* search, const candidate* found, int capacity, palLink* links,
                  int count)
{
    int at = count < capacity ? count : capacity - 1;
    if (count >= capacity && (capacity < 2 || found->nearest.gap >= links[at].gap))
        return count + 1;
    for (; at > 1 && links[at - 1].gap > found->nearest.gap; at--)
        links[at] = links[at - 1];
    links[at] = makeLink(search, found);
    return count + 1;
}

int palFindWireContactsAt(const palWireSearch* search, int node, double bound, int capacity,
                          palLink* links, double* distance)
{
    const palBeamModel* model = search->wire->model;
    double reach = search->threshold + search->wire->radius;
    int element = node < model->elementCount ? node : node - 1;
    candidate nearest, found;
    *distance = INFINITY;
    if (!sampleAt(search, fmax(bound, reach), element, (double)(node - element), &nearest))
        return 0;
    *distance = nearest.nearest.gap;
    bool isHeld = (model->held[node] & pal_holdPosition) == pal_holdPosition;
    if (nearest.nearest.gap > reach || isHeld || capacity < 1 || isTied(search, nearest.place))
        return 0;
    nearest.key = palWireContact_NodeKey(node);
    links[0] = makeLink(search, &nearest);
    int triangles[facetsMost], count = 1;
    int facets = palBvh_Within(search->collider->bvh, nearest.point, reach, facetsMost, triangles);
    for (int i = 0; i < facets && i < facetsMost && nearest.nearest.gap > 0.0; i++)
        if (isBeside(search, &nearest, triangles[i], &found) &&
            !isKnown(links, count < capacity ? count : capacity, &found))
            count = insert(search, &found, capacity, links, count);
    return count;
}

bool palFindWireContactWithin(const palWireSearch* search, int element, palLink* link,
                              double* distance)
{
    candidate found;
    if (!findWithin(search, search->threshold + search->wire->radius, element, &found, distance) ||
        isTied(search, found.place))
        return false;
    *link = makeLink(search, &found);
    return true;
}
