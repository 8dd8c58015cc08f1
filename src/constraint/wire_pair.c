// SPDX-License-Identifier: Apache-2.0
#include "constraint/wire_pair.h"

#include "collide/continuous.h"

enum
{
    crossingsMax = 16,   // of one step
    selfElementsMin = 4, // between two parts of one wire that may touch
    selfRadiiMin = 8,    // likewise, arc length in radii
};

static const double jointedElements = 1.5;  // around a joint of the two wires: no contacts there
static const double slideMax = 2.0;         // elements that a contact slides along a wire in a step
static const double endTolerance = 1e-6;    // of s: closer to an end is at the end
static const double radiusTolerance = 1e-3; // of the sum of the radii: shorter distances have no
                                            // direction

// A place on each wire, near each other: a contact in the making.
typedef struct candidate
{
    palWirePlaces at;
    palVec3 normal; // unit, from wire 1 to wire 0
    int key;        // odd: of two elements; even: of a node of wires that run side by side
} candidate;

// Where the chords of two elements passed through each other within the step.
typedef struct crossing
{
    double along[2]; // elements
    palBeamPlace place[2];
    palVec3 normal; // unit, from wire 1 to wire 0 before they did
    bool isUsed;    // by a contact
} crossing;

typedef struct finder
{
    const palWirePairSearch* search;
    const palWireAt* wires; // search->wires
    double contactDistance; // m: sum of the radii
    double reach;           // m: search distance between the axes
    bool isSelf;            // both are the same wire
    crossing crossings[crossingsMax];
    int crossingCount;
    palLink* links; // borrowed, [capacity]
    int capacity;
    int count;
    int dropped;
} finder;

// Whether no contact is possible at these arc coordinates: a joint of the two wires is near, or
// they are neighbouring parts of one wire.
static bool isJoined(const finder* f, double along0, double along1)
{
    const palWirePairSearch* search = f->search;
    if (f->isSelf)
    {
        double elements = fabs(along0 - along1);
        double length = elements * palWireAt_Length(&f->wires[0], (int)fmin(along0, along1));
        return elements < selfElementsMin || length < 0.5 * selfRadiiMin * f->contactDistance;
    }
    for (int i = 0; i < search->jointCount; i++)
        for (int e = 0; e < 2; e++)
        {
            const palPlace* a = &search->joints[i].ends[e];
            const palPlace* b = &search->joints[i].ends[1 - e];
            if (a->kind == pal_placeWire && b->kind == pal_placeWire &&
                a->body == search->wires[0].body && b->body == search->wires[1].body &&
                fabs(palWire_Along(a->beam) - along0) < jointedElements &&
                fabs(palWire_Along(b->beam) - along1) < jointedElements)
                return true;
        }
    return false;
}

//--------------------------------------------------------------------------------------------------
// Sides

// Whether a link is a contact of these two wires.
static bool isOfPair(const palWirePairSearch* search, const palLink* last)
{
    return last->kind == pal_linkContact && last->ends[0].kind == pal_placeWire &&
           last->ends[1].kind == pal_placeWire && last->ends[0].body == search->wires[0].body &&
           last->ends[1].body == search->wires[1].body;
}

// How far a contact and a candidate are apart along the wires, elements.
static double slidBetween(const palLink* link, const candidate* now)
{
    return fmax(fabs(palWire_Along(link->ends[0].beam) - palWire_Along(now->at.place[0])),
                fabs(palWire_Along(link->ends[1].beam) - palWire_Along(now->at.place[1])));
}

// The contact of the step before that this one continues, or NULL.
static const palLink* findLast(const finder* f, const candidate* now)
{
    const palWirePairSearch* search = f->search;
    const palLink* best = NULL;
    double least = slideMax;
    for (int i = 0; i < search->lastCount; i++)
    {
        const palLink* last = &search->last[i];
        if (!isOfPair(search, last) || last->key % 2 != now->key % 2)
            continue;
        double slid = slidBetween(last, now);
        bool isNode = now->key % 2 == 0;
        if (isNode ? last->key == now->key : slid < least)
        {
            least = slid;
            best = last;
        }
    }
    return best;
}

// Finds where the chords of elements passed through each other between the state before and the
// present one.
static void findCrossings(finder* f)
{
    const palWireAt* a = &f->wires[0];
    const palWireAt* b = &f->wires[1];
    if (a->before == NULL || b->before == NULL)
        return;
    for (int i = 0; i < a->wire->model->elementCount; i++)
        for (int j = f->isSelf ? i + selfElementsMin : 0; j < b->wire->model->elementCount; j++)
        {
            const palMovingPoint edgeA[2] = {{a->before[i], a->state->x[i]},
                                             {a->before[i + 1], a->state->x[i + 1]}};
            const palMovingPoint edgeB[2] = {{b->before[j], b->state->x[j]},
                                             {b->before[j + 1], b->state->x[j + 1]}};
            palImpact impact;
            if (f->crossingCount == crossingsMax ||
                !palBounds_Meet(palWireAt_SweptBox(a, i), palWireAt_SweptBox(b, j)) ||
                !palImpact_EdgeEdge(edgeA, edgeB, &impact) ||
                palLengthSquared(impact.normal) == 0.0)
                continue;
            crossing made = {
                .place = {{.element = i, .s = impact.weightsA[1]},
                          {.element = j, .s = impact.weightsB[1]}},
                .normal = impact.normal,
            };
            for (int w = 0; w < 2; w++)
                made.along[w] = palWire_Along(made.place[w]);
            if (!isJoined(f, made.along[0], made.along[1]))
                f->crossings[f->crossingCount++] = made;
        }
}

// The side on which the contact was, from the step before or from a crossing within this one.
// Returns false where neither is known.
static bool findSide(finder* f, const palLink* last, const candidate* now, palVec3* side)
{
    if (last != NULL)
        *side = last->axes[0];
    bool isKnown = last != NULL;
    for (int i = 0; i < f->crossingCount; i++)
    {
        crossing* crossed = &f->crossings[i];
        if (fabs(crossed->along[0] - palWire_Along(now->at.place[0])) > slideMax ||
            fabs(crossed->along[1] - palWire_Along(now->at.place[1])) > slideMax)
            continue;
        crossed->isUsed = true;
        if (!isKnown)
            *side = crossed->normal;
        isKnown = true;
    }
    return isKnown;
}

// The direction from place 1 to place 0; where the axes intersect, perpendicular to both wires.
static palVec3 normalOf(const finder* f, const candidate* found)
{
    palVec3 between = palSub(found->at.point[0], found->at.point[1]);
    if (found->at.distance > radiusTolerance * f->contactDistance)
        return palScale(1.0 / found->at.distance, between);
    palVec3 tangent = palWireAt_Tangent(&f->wires[1], found->at.place[1]), n, unused;
    palVec3 across = palCross(palWireAt_Tangent(&f->wires[0], found->at.place[0]), tangent);
    double sine = palLength(across);
    if (sine * sine > 1.0 - PAL_PARALLEL_WIRES * PAL_PARALLEL_WIRES)
        return palScale(1.0 / sine, across);
    palTangents(tangent, &n, &unused);
    return n;
}

//--------------------------------------------------------------------------------------------------
// Contacts

static palLink makeLink(const finder* f, const candidate* from)
{
    const palWireAt* wires = f->wires;
    palLink link = {
        .kind = pal_linkContact,
        .distance = f->contactDistance,
        .friction = fmax(wires[0].wire->friction, wires[1].wire->friction),
        .gap = palDot(from->normal, palSub(from->at.point[0], from->at.point[1])),
        .key = from->key,
    };
    link.axes[0] = from->normal;
    palTangents(link.axes[0], &link.axes[1], &link.axes[2]);
    for (int w = 0; w < 2; w++)
    {
        link.ends[w] = palMakeWirePlace(wires[w].body, from->at.place[w]);
        link.ends[w].local = from->at.point[w];
    }
    return link;
}

// Appends a contact; of more than fit the farthest is dropped.
static void keepNearest(finder* f, const palLink* link)
{
    int at = f->count;
    if (f->count < f->capacity)
    {
        f->links[f->count++] = *link;
        return;
    }
    f->dropped++;
    double most = link->gap;
    for (int i = 0; i < f->count; i++)
        if (f->links[i].gap > most)
        {
            most = f->links[i].gap;
            at = i;
        }
    if (at < f->count)
        f->links[at] = *link;
}

// Whether the same minimum was found from a neighbouring element.
static bool isDuplicate(const finder* f, const candidate* now)
{
    const double beside = 0.01; // of an element
    for (int i = 0; i < f->count; i++)
        if (f->links[i].key % 2 == now->key % 2 && slidBetween(&f->links[i], now) < beside)
            return true;
    return false;
}

static bool isKeyTaken(const finder* f, int key)
{
    for (int i = 0; i < f->count; i++)
        if (f->links[i].key == key)
            return true;
    return false;
}

// Gives a candidate its normal and key, and makes it a contact if it is near enough.
static void addCandidate(finder* f, candidate* found)
{
    palVec3 side = pal_zeroVec3;
    const palLink* last = findLast(f, found);
    found->normal = normalOf(f, found);
    if (findSide(f, last, found, &side) && palDot(side, found->normal) < 0.0)
        found->normal = palNeg(found->normal);
    if (last != NULL && !isKeyTaken(f, last->key))
        found->key = last->key;
    while (isKeyTaken(f, found->key))
        found->key += 2;
    palVec3 v0 = palWireAt_Velocity(&f->wires[0], found->at.place[0]);
    palVec3 v1 = palWireAt_Velocity(&f->wires[1], found->at.place[1]);
    palVec3 v = palSub(v0, v1);
    double closing = fmax(0.0, -palDot(found->normal, v));
    palLink link = makeLink(f, found);
    if (link.gap <= f->contactDistance + f->search->threshold + closing * f->search->horizon)
        keepNearest(f, &link);
}

// Whether the closest places of two elements are a local minimum of the distance between the wires:
// where one is at the end of its element, no neighbouring element is closer. Of neighbours that
// share the place only the first counts.
static bool isMinimum(const finder* f, const candidate* found)
{
    int step[2];
    for (int w = 0; w < 2; w++)
    {
        int last = f->wires[w].wire->model->elementCount - 1;
        const palBeamPlace* at = &found->at.place[w];
        bool isAtStart = at->s<endTolerance, isAtEnd = at->s> 1.0 - endTolerance;
        step[w] = isAtStart && at->element > 0 ? -1 : isAtEnd && at->element < last ? 1 : 0;
    }
    const double equal = radiusTolerance * radiusTolerance * f->contactDistance;
    const int element[2] = {found->at.place[0].element, found->at.place[1].element};
    for (int k = 1; k < 4; k++)
    {
        int i = element[0] + (k & 1 ? step[0] : 0);
        int j = element[1] + (k & 2 ? step[1] : 0);
        bool isFirst = i < element[0] || (i == element[0] && j < element[1]);
        if (i == element[0] && j == element[1])
            continue;
        double other = palClosestOnWires(f->wires, i, j).distance;
        if (other < found->at.distance - equal || (isFirst && other <= found->at.distance + equal))
            return false;
    }
    return true;
}

// The cosine of the angle between the wires at a candidate.
static double cosineBetween(const finder* f, const candidate* at)
{
    return palDot(palWireAt_Tangent(&f->wires[0], at->at.place[0]),
                  palWireAt_Tangent(&f->wires[1], at->at.place[1]));
}

// Whether the distance grows to both sides by more than rounding, which it does not where the wires
// are parallel.
static bool isStrictMinimum(const finder* f, const candidate* found)
{
    double cosine = cosineBetween(f, found), distance = found->at.distance;
    if (fabs(cosine) < PAL_PARALLEL_WIRES)
        return true;
    // A quarter of an element away along wire 0 the wires have diverged sideways by so much.
    double aside = 0.25 * palWireAt_Length(&f->wires[0], found->at.place[0].element) *
                   sqrt(fmax(0.0, 1.0 - cosine * cosine));
    return hypot(distance, aside) - distance > 0.5 * radiusTolerance * f->contactDistance;
}

// Contacts at the local minima of the distance between the curves.
static void findMinima(finder* f)
{
    int counts[2];
    for (int w = 0; w < 2; w++)
        counts[w] = f->wires[w].wire->model->elementCount;
    for (int i = 0; i < counts[0]; i++)
        for (int j = f->isSelf ? i + selfElementsMin : 0; j < counts[1]; j++)
        {
            if (!palWireElements_AreNear(f->wires, i, j, f->reach))
                continue;
            candidate found = {
                .at = palClosestOnWires(f->wires, i, j),
                .key = 2 * (i * counts[1] + j) + 1,
            };
            if (found.at.distance > f->reach ||
                isJoined(f, palWire_Along(found.at.place[0]), palWire_Along(found.at.place[1])) ||
                !isStrictMinimum(f, &found) || !isMinimum(f, &found) || isDuplicate(f, &found))
                continue;
            addCandidate(f, &found);
        }
}

//--------------------------------------------------------------------------------------------------
// Parallel wires

// The place of the other wire closest to a node of wire w, if the wires are parallel there.
static bool findParallel(const finder* f, int w, int node, candidate* found)
{
    const palBeamModel* other = f->wires[1 - w].wire->model;
    const palBeamModel* own = f->wires[w].wire->model;
    int element[2] = {0, 0};
    double at[2] = {0.0, 0.0};
    element[w] = node < own->elementCount ? node : node - 1;
    at[w] = node - element[w];
    found->at.distance = INFINITY;
    for (int e = 0; e < other->elementCount; e++)
    {
        int both[2] = {element[0], element[1]};
        both[1 - w] = e;
        if (!palWireElements_AreNear(f->wires, both[0], both[1], f->reach) ||
            (f->isSelf && e < node + selfElementsMin))
            continue;
        at[1 - w] = palClosestOnWire(&f->wires[1 - w], e, f->wires[w].state->x[node]);
        palWirePlaces tried = palMakeWirePlaces(f->wires, both, at);
        if (tried.distance < found->at.distance)
            found->at = tried;
    }
    if (!(found->at.distance <= f->reach))
        return false;
    // Not beyond the end of the other wire.
    palVec3 tangent = palWireAt_Tangent(&f->wires[1 - w], found->at.place[1 - w]);
    palVec3 between = palSub(found->at.point[0], found->at.point[1]);
    return fabs(cosineBetween(f, found)) >= PAL_PARALLEL_WIRES &&
           fabs(palDot(between, tangent)) < 0.5 * found->at.distance;
}

// Contacts at the nodes of the wire with the shorter elements, where the wires are parallel.
static void findParallelNodes(finder* f)
{
    const palBeamModel* models[2] = {f->wires[0].wire->model, f->wires[1].wire->model};
    int w = models[1]->elements[0].length < models[0]->elements[0].length ? 1 : 0;
    for (int node = 0; node < models[w]->nodeCount; node++)
    {
        candidate found = {.key = 2 * node};
        // A contact force on a held node moves nothing.
        bool isHeld = (models[w]->held[node] & pal_holdPosition) == pal_holdPosition;
        if (!isHeld && findParallel(f, w, node, &found) &&
            !isJoined(f, palWire_Along(found.at.place[0]), palWire_Along(found.at.place[1])))
            addCandidate(f, &found);
    }
}

//--------------------------------------------------------------------------------------------------

// Contacts at crossings near which no other contact was found, since the wires are far apart again.
static void addCrossings(finder* f)
{
    for (int i = 0; i < f->crossingCount; i++)
    {
        const crossing* crossed = &f->crossings[i];
        if (crossed->isUsed)
            continue;
        const int element[2] = {crossed->place[0].element, crossed->place[1].element};
        const double s[2] = {crossed->place[0].s, crossed->place[1].s};
        candidate found = {
            .at = palMakeWirePlaces(f->wires, element, s),
            .normal = crossed->normal,
            .key = 2 * (element[0] * f->wires[1].wire->model->elementCount + element[1]) + 1,
        };
        while (isKeyTaken(f, found.key))
            found.key += 2;
        palLink link = makeLink(f, &found);
        keepNearest(f, &link);
    }
}

int palFindWirePairContacts(const palWirePairSearch* search, int capacity, palLink* links,
                            int* dropped)
{
    const palWireAt* wires = search->wires;
    double speed = palWires_ApproachSpeed(wires[0].state, wires[1].state);
    finder f = {
        .search = search,
        .wires = wires,
        .contactDistance = wires[0].wire->radius + wires[1].wire->radius,
        .isSelf = wires[0].body == wires[1].body,
        .links = links,
        .capacity = capacity,
    };
    // Wires on the wrong side of each other are searched for within their penetration.
    double penetration = 0.0;
    for (int i = 0; i < search->lastCount; i++)
        if (isOfPair(search, &search->last[i]))
            penetration = fmax(penetration, -search->last[i].gap);
    f.reach = f.contactDistance + search->threshold + speed * search->horizon + penetration;
    if (palWires_AreApart(wires, f.reach))
        return 0;
    findCrossings(&f);
    findMinima(&f);
    findParallelNodes(&f);
    addCrossings(&f);
    *dropped += f.dropped;
    return f.count;
}
