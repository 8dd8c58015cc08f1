// SPDX-License-Identifier: Apache-2.0
#include "constraint/wire_pair.h"

#include "collide/box_tree.h"
#include "collide/continuous.h"

enum
{
    pieces = 4,       // chords of an element to begin with
    zooms = 3,        // each to a quarter of the interval before
    newtons = 4,      // steps of Gauss and Newton after them
    passedMax = 16,   // crossings within one step that are remembered
    apartAlong = 4,   // elements between two parts of one wire that may touch
    apartInRadii = 8, // likewise, lengths in radii
};

static const double tiedElements = 1.5; // from a joint of the two, within which they do not touch
static const double sameElements = 2.0; // that a contact may slide along its wires in a step
static const double sagShare = 0.1;     // of an element's length, beside its chord
static const double parallelCosine = 0.95; // of wires that run side by side
static const double atEnd = 1e-6;          // of s
static const double significant = 1e-3;    // of a radius: a minimum less deep is none

// A place of each wire, near each other.
typedef struct pair
{
    palBeamPlace place[2];
    palVec3 point[2]; // m
    double distance;  // m
    palVec3 normal;   // from wire 1 to wire 0
    int key;
} pair;

// Where two elements went through each other within the step.
typedef struct passing
{
    double along[2];
    palBeamPlace place[2];
    palVec3 normal; // before they did
    bool isUsed;
} passing;

typedef struct finding
{
    const palWirePairSearch* search;
    double kept;  // m: sum of the radii
    double reach; // m, between the axes, of anything that could matter
    bool isSelf;  // both are the same wire
    passing passed[passedMax];
    int passedCount;
    palLink* links;
    int capacity;
    int count;
    int dropped;
} finding;

static double alongOf(palBeamPlace place)
{
    return place.element + place.s;
}

static palVec3 pointAt(const finding* f, int w, int element, double s)
{
    const palWireAt* at = &f->search->wires[w];
    return palBeam_Point(at->wire->model, at->state, (palBeamPlace){.element = element, .s = s});
}

// dp/ds, by differences, m.
static palVec3 slopeAt(const finding* f, int w, palBeamPlace place)
{
    const double half = 1.0 / 1024.0;
    double low = fmax(0.0, place.s - half), high = fmin(1.0, place.s + half);
    palVec3 moved = palSub(pointAt(f, w, place.element, high), pointAt(f, w, place.element, low));
    return palScale(1.0 / (high - low), moved);
}

static palVec3 tangentAt(const finding* f, int w, palBeamPlace place)
{
    return palNormalize(slopeAt(f, w, place));
}

static palVec3 velocityAt(const finding* f, int w, palBeamPlace place)
{
    const palVec3* v = f->search->wires[w].state->v + place.element;
    return palLerp(v[0], v[1], place.s);
}

static double lengthOf(const finding* f, int w, int element)
{
    return f->search->wires[w].wire->model->elements[element].length;
}

// Whether the wires are joined there, or are parts of one wire that hang together.
static bool isTied(const finding* f, double along0, double along1)
{
    const palWirePairSearch* search = f->search;
    if (f->isSelf)
    {
        double length = fabs(along0 - along1) * lengthOf(f, 0, (int)fmin(along0, along1));
        return fabs(along0 - along1) < apartAlong || length < 0.5 * apartInRadii * f->kept;
    }
    for (int i = 0; i < search->jointCount; i++)
        for (int e = 0; e < 2; e++)
        {
            const palPlace* a = &search->joints[i].ends[e];
            const palPlace* b = &search->joints[i].ends[1 - e];
            if (a->kind == pal_placeWire && b->kind == pal_placeWire &&
                a->body == search->wires[0].body && b->body == search->wires[1].body &&
                fabs(alongOf(a->beam) - along0) < tiedElements &&
                fabs(alongOf(b->beam) - along1) < tiedElements)
                return true;
        }
    return false;
}

//--------------------------------------------------------------------------------------------------
// The nearest places of two elements

// The nearest places of the chords into which an interval of each element is divided.
static void searchChords(const finding* f, const int element[2], const double low[2],
                         const double high[2], int chords, double at[2])
{
    palVec3 points[2][pieces + 1];
    double least = INFINITY;
    for (int w = 0; w < 2; w++)
        for (int k = 0; k <= chords; k++)
            points[w][k] =
                pointAt(f, w, element[w], low[w] + (high[w] - low[w]) * (double)k / chords);
    for (int a = 0; a < chords; a++)
        for (int b = 0; b < chords; b++)
        {
            double s, t;
            double squared = palClosestOnSegments(points[0] + a, points[1] + b, &s, &t);
            if (!(squared < least))
                continue;
            least = squared;
            at[0] = low[0] + (high[0] - low[0]) * (a + s) / chords;
            at[1] = low[1] + (high[1] - low[1]) * (b + t) / chords;
        }
}

// Puts the places, and what follows from them.
static void setPlaces(const finding* f, const int element[2], const double at[2], pair* found)
{
    for (int w = 0; w < 2; w++)
    {
        found->place[w] = (palBeamPlace){.element = element[w], .s = at[w]};
        found->point[w] = pointAt(f, w, element[w], at[w]);
    }
    found->distance = palDistance(found->point[0], found->point[1]);
}

// Where the line between the places is square to both wires, unless they are parallel.
static void makeSquare(const finding* f, const int element[2], double at[2], pair* found)
{
    for (int k = 0; k < newtons; k++)
    {
        palVec3 a = slopeAt(f, 0, found->place[0]), b = slopeAt(f, 1, found->place[1]);
        palVec3 between = palSub(found->point[0], found->point[1]);
        double aa = palLengthSquared(a), bb = palLengthSquared(b), ab = palDot(a, b);
        double determinant = aa * bb - ab * ab;
        if (determinant < (1.0 - parallelCosine * parallelCosine) * aa * bb)
            return;
        double ra = -palDot(between, a), rb = palDot(between, b);
        at[0] = fmin(fmax(at[0] + (bb * ra + ab * rb) / determinant, 0.0), 1.0);
        at[1] = fmin(fmax(at[1] + (ab * ra + aa * rb) / determinant, 0.0), 1.0);
        setPlaces(f, element, at, found);
    }
}

// On the curves: the chords of ever smaller intervals about the nearest places.
static pair nearestOn(const finding* f, int element0, int element1)
{
    const int element[2] = {element0, element1};
    double low[2] = {0.0, 0.0}, high[2] = {1.0, 1.0}, at[2] = {0.5, 0.5};
    pair found = {.key = 0};
    searchChords(f, element, low, high, pieces, at);
    double half = 0.5 / pieces;
    for (int k = 0; k < zooms; k++, half /= pieces)
    {
        for (int w = 0; w < 2; w++)
        {
            low[w] = fmax(0.0, at[w] - half);
            high[w] = fmin(1.0, at[w] + half);
        }
        searchChords(f, element, low, high, 2, at);
    }
    setPlaces(f, element, at, &found);
    makeSquare(f, element, at, &found);
    return found;
}

static palBounds chordBox(const palVec3* x)
{
    return (palBounds){palMinVec3(x[0], x[1]), palMaxVec3(x[0], x[1])};
}

// Whether the chords of two elements come within reach of each other.
static bool isClose(const finding* f, int i, int j, double reach)
{
    const palVec3* a = f->search->wires[0].state->x + i;
    const palVec3* b = f->search->wires[1].state->x + j;
    double wide = reach + sagShare * (lengthOf(f, 0, i) + lengthOf(f, 1, j));
    double s, t;
    return palBounds_Meet(palBounds_Grown(chordBox(a), wide), chordBox(b)) &&
           palClosestOnSegments(a, b, &s, &t) <= wide * wide;
}

//--------------------------------------------------------------------------------------------------
// Sides

static bool isOfPair(const palWirePairSearch* search, const palLink* last)
{
    return last->kind == pal_linkContact && last->ends[0].kind == pal_placeWire &&
           last->ends[1].kind == pal_placeWire && last->ends[0].body == search->wires[0].body &&
           last->ends[1].body == search->wires[1].body;
}

// The contact of the step before that this one continues, or NULL.
static const palLink* findLast(const finding* f, const pair* now)
{
    const palWirePairSearch* search = f->search;
    const palLink* best = NULL;
    double least = sameElements;
    for (int i = 0; i < search->lastCount; i++)
    {
        const palLink* last = &search->last[i];
        if (!isOfPair(search, last) || last->key % 2 != now->key % 2)
            continue;
        double slid = fmax(fabs(alongOf(last->ends[0].beam) - alongOf(now->place[0])),
                           fabs(alongOf(last->ends[1].beam) - alongOf(now->place[1])));
        bool isNode = now->key % 2 == 0;
        if (isNode ? last->key == now->key : slid < least)
        {
            least = slid;
            best = last;
        }
    }
    return best;
}

// The box that the chord of an element sweeps.
static palBounds sweptBox(const palWireAt* wire, int element)
{
    palBounds now = chordBox(wire->state->x + element);
    palBounds before = chordBox(wire->before + element);
    return (palBounds){palMinVec3(now.low, before.low), palMaxVec3(now.high, before.high)};
}

// Finds where elements went through each other between the state before and the present one.
static void findPassings(finding* f)
{
    const palWireAt* a = &f->search->wires[0];
    const palWireAt* b = &f->search->wires[1];
    if (a->before == NULL || b->before == NULL)
        return;
    for (int i = 0; i < a->wire->model->elementCount; i++)
        for (int j = f->isSelf ? i + apartAlong : 0; j < b->wire->model->elementCount; j++)
        {
            const palMovingPoint edgeA[2] = {{a->before[i], a->state->x[i]},
                                             {a->before[i + 1], a->state->x[i + 1]}};
            const palMovingPoint edgeB[2] = {{b->before[j], b->state->x[j]},
                                             {b->before[j + 1], b->state->x[j + 1]}};
            palImpact impact;
            if (f->passedCount == passedMax || !palBounds_Meet(sweptBox(a, i), sweptBox(b, j)) ||
                !palImpact_EdgeEdge(edgeA, edgeB, &impact) ||
                palLengthSquared(impact.normal) == 0.0)
                continue;
            passing made = {
                .place = {{.element = i, .s = impact.weightsA[1]},
                          {.element = j, .s = impact.weightsB[1]}},
                .normal = impact.normal,
            };
            for (int w = 0; w < 2; w++)
                made.along[w] = alongOf(made.place[w]);
            if (!isTied(f, made.along[0], made.along[1]))
                f->passed[f->passedCount++] = made;
        }
}

// The side on which the contact was, from the step before or from a passing within this one.
// Returns false where neither is known.
static bool findSide(finding* f, const palLink* last, const pair* now, palVec3* side)
{
    if (last != NULL)
        *side = last->axes[0];
    bool isKnown = last != NULL;
    for (int i = 0; i < f->passedCount; i++)
    {
        passing* passed = &f->passed[i];
        if (fabs(passed->along[0] - alongOf(now->place[0])) > sameElements ||
            fabs(passed->along[1] - alongOf(now->place[1])) > sameElements)
            continue;
        passed->isUsed = true;
        if (!isKnown)
            *side = passed->normal;
        isKnown = true;
    }
    return isKnown;
}

// From one place to the other; across both wires where these are as good as the same.
static palVec3 normalOf(const finding* f, const pair* found)
{
    palVec3 between = palSub(found->point[0], found->point[1]);
    if (found->distance > significant * f->kept)
        return palScale(1.0 / found->distance, between);
    palVec3 tangent = tangentAt(f, 1, found->place[1]), n, unused;
    palVec3 across = palCross(tangentAt(f, 0, found->place[0]), tangent);
    double sine = palLength(across);
    if (sine * sine > 1.0 - parallelCosine * parallelCosine)
        return palScale(1.0 / sine, across);
    palTangents(tangent, &n, &unused);
    return n;
}

//--------------------------------------------------------------------------------------------------
// Contacts

static palLink makeLink(const finding* f, const pair* from)
{
    const palWireAt* wires = f->search->wires;
    palLink link = {
        .kind = pal_linkContact,
        .distance = f->kept,
        .friction = fmax(wires[0].wire->friction, wires[1].wire->friction),
        .gap = palDot(from->normal, palSub(from->point[0], from->point[1])),
        .key = from->key,
    };
    link.axes[0] = from->normal;
    palTangents(link.axes[0], &link.axes[1], &link.axes[2]);
    for (int w = 0; w < 2; w++)
    {
        link.ends[w] = palMakeWirePlace(wires[w].body, from->place[w]);
        link.ends[w].local = from->point[w];
    }
    return link;
}

// Appends a contact; of more than fit the farthest is dropped.
static void keepNearest(finding* f, const palLink* link)
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

// Whether the same crossing was found from the element beside.
static bool isFound(const finding* f, const pair* now)
{
    const double beside = 0.01; // of an element
    for (int i = 0; i < f->count; i++)
        if (f->links[i].key % 2 == now->key % 2 &&
            fabs(alongOf(f->links[i].ends[0].beam) - alongOf(now->place[0])) < beside &&
            fabs(alongOf(f->links[i].ends[1].beam) - alongOf(now->place[1])) < beside)
            return true;
    return false;
}

static bool isKeyTaken(const finding* f, int key)
{
    for (int i = 0; i < f->count; i++)
        if (f->links[i].key == key)
            return true;
    return false;
}

// Gives the pair its normal and key and keeps it if it is near enough.
static void addPair(finding* f, pair* found)
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
    palVec3 v = palSub(velocityAt(f, 0, found->place[0]), velocityAt(f, 1, found->place[1]));
    double closing = fmax(0.0, -palDot(found->normal, v));
    palLink link = makeLink(f, found);
    if (link.gap <= f->kept + f->search->threshold + closing * f->search->horizon)
        keepNearest(f, &link);
}

// Whether the nearest places of two elements are so of the wires: where one is at the end of its
// element, that no neighbour is nearer. Of neighbours that share the place the first has it.
static bool isMinimum(const finding* f, const pair* found)
{
    int step[2];
    for (int w = 0; w < 2; w++)
    {
        int last = f->search->wires[w].wire->model->elementCount - 1;
        const palBeamPlace* at = &found->place[w];
        step[w] = at->s < atEnd && at->element > 0            ? -1
                  : at->s > 1.0 - atEnd && at->element < last ? 1
                                                              : 0;
    }
    const double equal = significant * significant * f->kept;
    for (int k = 1; k < 4; k++)
    {
        int i = found->place[0].element + (k & 1 ? step[0] : 0);
        int j = found->place[1].element + (k & 2 ? step[1] : 0);
        bool isFirst = i < found->place[0].element ||
                       (i == found->place[0].element && j < found->place[1].element);
        if (i == found->place[0].element && j == found->place[1].element)
            continue;
        double distance = nearestOn(f, i, j).distance;
        if (distance < found->distance - equal || (isFirst && distance <= found->distance + equal))
            return false;
    }
    return true;
}

// Whether the distance grows on both sides by more than rounding: not of wires that are parallel.
static bool isCrossing(const finding* f, const pair* found)
{
    palVec3 tangent[2] = {tangentAt(f, 0, found->place[0]), tangentAt(f, 1, found->place[1])};
    double cosine = palDot(tangent[0], tangent[1]);
    if (fabs(cosine) < parallelCosine)
        return true;
    double aside =
        0.25 * lengthOf(f, 0, found->place[0].element) * sqrt(fmax(0.0, 1.0 - cosine * cosine));
    return hypot(found->distance, aside) - found->distance > 0.5 * significant * f->kept;
}

static void findMinima(finding* f)
{
    int counts[2];
    for (int w = 0; w < 2; w++)
        counts[w] = f->search->wires[w].wire->model->elementCount;
    for (int i = 0; i < counts[0]; i++)
        for (int j = f->isSelf ? i + apartAlong : 0; j < counts[1]; j++)
        {
            if (!isClose(f, i, j, f->reach))
                continue;
            pair found = nearestOn(f, i, j);
            found.key = 2 * (i * counts[1] + j) + 1;
            if (found.distance > f->reach ||
                isTied(f, alongOf(found.place[0]), alongOf(found.place[1])) ||
                !isCrossing(f, &found) || !isMinimum(f, &found) || isFound(f, &found))
                continue;
            addPair(f, &found);
        }
}

//--------------------------------------------------------------------------------------------------
// Side by side

// The place of element `element` of the other wire nearest to a point.
static double nearestToPoint(const finding* f, int other, int element, palVec3 x)
{
    double low = 0.0, high = 1.0, s = 0.5;
    for (int k = 0; k < zooms; k++)
    {
        palVec3 a = pointAt(f, other, element, low);
        palVec3 chord = palSub(pointAt(f, other, element, high), a);
        double share = palDot(palSub(x, a), chord) / palLengthSquared(chord);
        s = low + (high - low) * fmin(fmax(share, 0.0), 1.0);
        double half = 0.125 * (high - low);
        low = fmax(0.0, s - half);
        high = fmin(1.0, s + half);
    }
    return s;
}

// The place of the other wire nearest to a node, if they run side by side there.
static bool findBeside(const finding* f, int w, int node, pair* found)
{
    const palBeamModel* other = f->search->wires[1 - w].wire->model;
    const palBeamModel* own = f->search->wires[w].wire->model;
    int element[2] = {0, 0};
    double at[2] = {0.0, 0.0};
    element[w] = node < own->elementCount ? node : node - 1;
    at[w] = node - element[w];
    found->distance = INFINITY;
    for (int e = 0; e < other->elementCount; e++)
    {
        int both[2] = {element[0], element[1]};
        both[1 - w] = e;
        if (!isClose(f, both[0], both[1], f->reach) || (f->isSelf && e < node + apartAlong))
            continue;
        pair tried = *found;
        at[1 - w] = nearestToPoint(f, 1 - w, e, f->search->wires[w].state->x[node]);
        setPlaces(f, both, at, &tried);
        if (tried.distance < found->distance)
            *found = tried;
    }
    if (!(found->distance <= f->reach))
        return false;
    palVec3 tangent[2] = {tangentAt(f, 0, found->place[0]), tangentAt(f, 1, found->place[1])};
    palVec3 between = palSub(found->point[0], found->point[1]);
    return fabs(palDot(tangent[0], tangent[1])) >= parallelCosine &&
           fabs(palDot(between, tangent[1 - w])) < 0.5 * found->distance;
}

static void findSideBySide(finding* f)
{
    const palBeamModel* models[2] = {f->search->wires[0].wire->model,
                                     f->search->wires[1].wire->model};
    int w = models[1]->elements[0].length < models[0]->elements[0].length ? 1 : 0;
    for (int node = 0; node < models[w]->nodeCount; node++)
    {
        pair found = {.key = 2 * node};
        // What is held cannot be pushed.
        bool isHeld = (models[w]->held[node] & pal_holdPosition) == pal_holdPosition;
        if (!isHeld && findBeside(f, w, node, &found) &&
            !isTied(f, alongOf(found.place[0]), alongOf(found.place[1])))
            addPair(f, &found);
    }
}

//--------------------------------------------------------------------------------------------------

static palVec3 meanVelocity(const palBeamState* state)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < state->nodeCount; i++)
        sum = palAdd(sum, state->v[i]);
    return palScale(1.0 / state->nodeCount, sum);
}

// A bound of the speed at which places of two wires approach each other.
static double approachSpeed(const palBeamState* a, const palBeamState* b)
{
    palVec3 mean[2] = {meanVelocity(a), meanVelocity(b)};
    const palBeamState* states[2] = {a, b};
    double speed = palDistance(mean[0], mean[1]);
    for (int w = 0; w < 2; w++)
    {
        double most = 0.0;
        for (int i = 0; i < states[w]->nodeCount; i++)
            most = fmax(most, palDistance(states[w]->v[i], mean[w]));
        speed += most;
    }
    return speed;
}

// Whether the boxes that two whole wires sweep are too far apart for anything.
static bool areApart(const finding* f)
{
    palBounds boxes[2];
    for (int w = 0; w < 2; w++)
    {
        const palWireAt* wire = &f->search->wires[w];
        double wide = 0.5 * f->reach;
        boxes[w] = (palBounds){wire->state->x[0], wire->state->x[0]};
        for (int i = 0; i < wire->state->nodeCount; i++)
        {
            boxes[w] = palBounds_With(boxes[w], wire->state->x[i]);
            if (wire->before != NULL)
                boxes[w] = palBounds_With(boxes[w], wire->before[i]);
            wide = fmax(wide, 0.5 * f->reach + sagShare * lengthOf(f, w, i > 0 ? i - 1 : 0));
        }
        boxes[w] = palBounds_Grown(boxes[w], wide);
    }
    return !palBounds_Meet(boxes[0], boxes[1]);
}

// Passings beside which no contact was found: the wires are far apart by now.
static void addPassings(finding* f)
{
    for (int i = 0; i < f->passedCount; i++)
    {
        const passing* passed = &f->passed[i];
        if (passed->isUsed)
            continue;
        const palBeamModel* model = f->search->wires[1].wire->model;
        pair found = {
            .normal = passed->normal,
            .key =
                2 * (passed->place[0].element * model->elementCount + passed->place[1].element) + 1,
        };
        const int element[2] = {passed->place[0].element, passed->place[1].element};
        const double at[2] = {passed->place[0].s, passed->place[1].s};
        setPlaces(f, element, at, &found);
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
    double speed = approachSpeed(wires[0].state, wires[1].state);
    finding f = {
        .search = search,
        .kept = wires[0].wire->radius + wires[1].wire->radius,
        .isSelf = wires[0].body == wires[1].body,
        .links = links,
        .capacity = capacity,
    };
    // Wires that are on the wrong side of each other are looked for as far as they are apart.
    double behind = 0.0;
    for (int i = 0; i < search->lastCount; i++)
        if (isOfPair(search, &search->last[i]))
            behind = fmax(behind, -search->last[i].gap);
    f.reach = f.kept + search->threshold + speed * search->horizon + behind;
    if (areApart(&f))
        return 0;
    findPassings(&f);
    findMinima(&f);
    findSideBySide(&f);
    addPassings(&f);
    *dropped += f.dropped;
    return f.count;
}
