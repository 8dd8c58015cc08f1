// SPDX-License-Identifier: Apache-2.0
#include "touch/soft_patch.h"

#include "base/error.h"
#include "collide/triangle.h"
#include "solve/dense.h"

#include <stdlib.h>
#include <string.h>

enum
{
    gapFaces = 8, // looked at for the distance to the surface
    looseMax = 6, // modes of an island that are observed
};

static const double looseFrequency = 30.0; // rad/s: below that nothing but contact holds a mode
static const double observerPole = 0.8;    // a tick

// ---------------------------------------------------------------------------------------------
// Making

palResult palSoftPatch_Init(palSoftPatch* patch, int bodies, const palMethodDef* defs, int hands,
                            palError* error)
{
    int full = hands * (bodies < pal_softFullParts ? bodies : pal_softFullParts);
    int parts = palSoftPatch_Parts(bodies, defs, hands);
    *patch = (palSoftPatch){
        .bodyCapacity = parts,
        .vertexCapacity = full * pal_softVerticesMax,
        .faceCapacity = full * 2 * pal_softVerticesMax,
    };
    size_t vertices = (size_t)patch->vertexCapacity;
    for (patch->tableSize = 1; patch->tableSize < 2 * patch->vertexCapacity;)
        patch->tableSize *= 2;
    patch->table = malloc((size_t)patch->tableSize * sizeof *patch->table);
    for (int h = 0; h < hands; h++)
        patch->hasTip[h] = defs[h].tipRadius > 0.0;
    patch->parts = calloc((size_t)parts, sizeof *patch->parts);
    patch->islands = calloc((size_t)bodies, sizeof *patch->islands);
    patch->start = calloc(vertices, sizeof *patch->start);
    patch->surfaceVertex = calloc(vertices, sizeof *patch->surfaceVertex);
    patch->shapes = calloc(vertices, sizeof *patch->shapes);
    patch->faces = calloc((size_t)patch->faceCapacity, sizeof *patch->faces);
    patch->slits = calloc(vertices, sizeof *patch->slits);
    if (patch->table && patch->parts && patch->islands && patch->start && patch->surfaceVertex &&
        patch->shapes && patch->faces && patch->slits)
    {
        palSoftPatch_Clear(patch, 0.0);
        return pal_ok;
    }
    palSoftPatch_Free(patch);
    return palError_Memory(error, "the soft part of a snapshot", vertices * sizeof(palModeShape));
}

void palSoftPatch_Free(palSoftPatch* patch)
{
    free(patch->parts);
    free(patch->islands);
    free(patch->start);
    free(patch->surfaceVertex);
    free(patch->shapes);
    free(patch->faces);
    free(patch->slits);
    free(patch->table);
    *patch = (palSoftPatch){0};
}

void palSoftPatch_Clear(palSoftPatch* patch, double time)
{
    patch->time = time;
    patch->partCount = patch->islandCount = patch->vertexCount = patch->faceCount = 0;
    patch->slitCount = 0;
    memset(patch->table, -1, (size_t)patch->tableSize * sizeof *patch->table);
}

void palSoftPatch_Copy(palSoftPatch* to, const palSoftPatch* from)
{
    size_t vertices = (size_t)from->vertexCount;
    to->time = from->time;
    to->partCount = from->partCount;
    to->islandCount = from->islandCount;
    to->vertexCount = from->vertexCount;
    to->faceCount = from->faceCount;
    to->slitCount = from->slitCount;
    memcpy(to->parts, from->parts, (size_t)from->partCount * sizeof *to->parts);
    memcpy(to->islands, from->islands, (size_t)from->islandCount * sizeof *to->islands);
    memcpy(to->start, from->start, vertices * sizeof *to->start);
    memcpy(to->surfaceVertex, from->surfaceVertex, vertices * sizeof *to->surfaceVertex);
    memcpy(to->shapes, from->shapes, vertices * sizeof *to->shapes);
    memcpy(to->faces, from->faces, (size_t)from->faceCount * sizeof *to->faces);
    memcpy(to->slits, from->slits, (size_t)from->slitCount * sizeof *to->slits);
    memcpy(to->table, from->table, (size_t)from->tableSize * sizeof *to->table);
}

// The displacement of the vertices of a part in the modes that there are.
static void archiveShapes(palSoftPatch* patch, const palSoftPart* part, palArchive* archive)
{
    for (int v = part->vertexBegin; v < part->vertexEnd; v++)
        for (int c = 0; c < 3; c++)
            PAL_ARCHIVE_ARRAY(archive, patch->shapes[v].b[c], patch->islands[part->island].count);
}

void palSoftPatch_Archive(palSoftPatch* patch, palArchive* archive)
{
    PAL_ARCHIVE(archive, patch->time);
    PAL_ARCHIVE(archive, patch->partCount);
    PAL_ARCHIVE(archive, patch->islandCount);
    PAL_ARCHIVE(archive, patch->vertexCount);
    PAL_ARCHIVE(archive, patch->faceCount);
    PAL_ARCHIVE(archive, patch->slitCount);
    PAL_ARCHIVE_ARRAY(archive, patch->parts, patch->partCount);
    for (int i = 0; i < patch->islandCount; i++)
        palModes_Archive(&patch->islands[i], archive);
    PAL_ARCHIVE_ARRAY(archive, patch->start, patch->vertexCount);
    PAL_ARCHIVE_ARRAY(archive, patch->surfaceVertex, patch->vertexCount);
    for (int i = 0; i < patch->partCount; i++)
        archiveShapes(patch, &patch->parts[i], archive);
    PAL_ARCHIVE_ARRAY(archive, patch->faces, patch->faceCount);
    PAL_ARCHIVE_ARRAY(archive, patch->slits, patch->slitCount);
    PAL_ARCHIVE_ARRAY(archive, patch->table, patch->tableSize);
}

palResult palSoftMotion_Init(palSoftMotion* motion, int bodies, int hands, palError* error)
{
    size_t count = (size_t)bodies * (size_t)hands;
    *motion = (palSoftMotion){.bodies = bodies, .shiftCount = count};
    motion->shifts = calloc(count, sizeof *motion->shifts);
    palResult result = motion->shifts != NULL ? palReducedMotion_Init(&motion->modes, bodies, error)
                                              : palError_Memory(error, "the motion of soft bodies",
                                                                count * sizeof *motion->shifts);
    if (result != pal_ok)
        palSoftMotion_Free(motion);
    return result;
}

void palSoftMotion_Free(palSoftMotion* motion)
{
    palReducedMotion_Free(&motion->modes);
    free(motion->shifts);
    *motion = (palSoftMotion){0};
}

void palSoftMotion_Archive(palSoftMotion* motion, palArchive* archive)
{
    palReducedMotion_Archive(&motion->modes, motion->bodies, archive);
    PAL_ARCHIVE_ARRAY(archive, motion->shifts, motion->shiftCount);
    PAL_ARCHIVE(archive, motion->fade);
    PAL_ARCHIVE(archive, motion->touched);
}

// ---------------------------------------------------------------------------------------------
// Points of a patch

int palSoftPatch_Parts(int bodies, const palMethodDef* defs, int hands)
{
    int tips = 0;
    for (int h = 0; h < hands; h++)
        tips += defs[h].tipRadius > 0.0;
    return bodies * (tips + (tips < hands));
}

int palSoftPatch_Part(const palSoftPatch* patch, int object, int hand)
{
    int own = hand >= 0 && patch->hasTip[hand] ? hand : -1;
    for (int i = 0; i < patch->partCount; i++)
        if (patch->parts[i].object == object && patch->parts[i].hand == own)
            return i;
    return -1;
}

// Where a vertex of a part is in the table, or the free place for it. Linear probing; the table is
// at most half full.
static int* findEntry(const palSoftPatch* patch, int part, int surfaceVertex)
{
    unsigned mask = (unsigned)patch->tableSize - 1;
    unsigned hash = (unsigned)surfaceVertex * 2654435761u + (unsigned)part * 40503u;
    for (unsigned i = (hash >> 8) & mask;; i = (i + 1) & mask)
    {
        int vertex = patch->table[i];
        if (vertex < 0 ||
            (patch->surfaceVertex[vertex] == surfaceVertex &&
             vertex >= patch->parts[part].vertexBegin && vertex < patch->parts[part].vertexEnd))
            return &patch->table[i];
    }
}

int palSoftPatch_Find(const palSoftPatch* patch, int part, int surfaceVertex)
{
    return *findEntry(patch, part, surfaceVertex);
}

int palSoftPatch_AddVertex(palSoftPatch* patch, int surfaceVertex, palVec3 start)
{
    int* entry = findEntry(patch, patch->partCount - 1, surfaceVertex);
    if (*entry >= 0 || patch->vertexCount == patch->vertexCapacity)
        return *entry;
    *entry = patch->vertexCount;
    patch->start[patch->vertexCount] = start;
    patch->surfaceVertex[patch->vertexCount] = surfaceVertex;
    patch->parts[patch->partCount - 1].vertexEnd++;
    return patch->vertexCount++;
}

bool palSoftPatch_Shape(const palSoftPatch* patch, int part, const palSurfacePlace* point,
                        palModeShape* shape)
{
    int count = palSoftPatch_Modes(patch, part)->count;
    const double* w = point->weights;
    const palModeShape* of[3];
    for (int k = 0; k < 3; k++)
    {
        int vertex = palSoftPatch_Find(patch, part, point->vertices[k]);
        if (vertex < 0)
            return false;
        of[k] = &patch->shapes[vertex];
    }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < count; i++)
            shape->b[c][i] = w[0] * of[0]->b[c][i] + w[1] * of[1]->b[c][i] + w[2] * of[2]->b[c][i];
    return true;
}

void palSoftPatch_AddPush(const palModes* modes, const palModeShape* shape, palVec3 f, double* p)
{
    for (int i = 0; i < modes->count; i++)
        p[i] += shape->b[0][i] * f.x + shape->b[1][i] * f.y + shape->b[2][i] * f.z;
}

bool palSoftPatch_PushesOf(const palSoftPatch* patch, int island, const palTickForces* forces,
                           int first, int end, double* p)
{
    const palModes* modes = &patch->islands[island];
    bool acts = false;
    for (int i = 0; i < forces->count; i++)
    {
        const palSoftPush* push = &((const palSoftForce*)forces)->pushes[i];
        int part = palSoftPatch_Part(patch, push->object, push->hand);
        palModeShape shape;
        if (part < 0 || patch->parts[part].island != island || push->hand < first ||
            push->hand >= end || !palSoftPatch_Shape(patch, part, &push->at, &shape))
            continue;
        if (!acts)
            memset(p, 0, (size_t)modes->count * sizeof *p);
        palSoftPatch_AddPush(modes, &shape, push->force, p);
        acts = true;
    }
    return acts;
}

bool palSoftPatch_Pushes(const void* patch, int island, const palTickForces* forces, double* p)
{
    return palSoftPatch_PushesOf(patch, island, forces, 0, pal_handsMax, p);
}

palMat3 palSoftPatch_Compliance(const palModes* modes, const palModeShape* shape)
{
    const double(*b)[pal_shapeModesMax] = shape->b;
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    for (int i = 0; i < modes->count; i++)
    {
        double a = modes->a[i];
        xx += a * b[0][i] * b[0][i];
        xy += a * b[0][i] * b[1][i];
        xz += a * b[0][i] * b[2][i];
        yy += a * b[1][i] * b[1][i];
        yz += a * b[1][i] * b[2][i];
        zz += a * b[2][i] * b[2][i];
    }
    double hh = modes->h * modes->h;
    return (palMat3){
        {{hh * xx, hh * xy, hh * xz}, {hh * xy, hh * yy, hh * yz}, {hh * xz, hh * yz, hh * zz}}};
}

palMat3 palSoftPatch_CrossCompliance(const palModes* modes, const palModeShape* at,
                                     const palModeShape* of)
{
    palMat3 W = {0};
    double hh = modes->h * modes->h;
    for (int i = 0; i < modes->count; i++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                W.m[r][c] += hh * modes->a[i] * at->b[r][i] * of->b[c][i];
    return W;
}

palMat3 palSoftPatch_SharedCompliance(const palModes* modes, const palModeShape* at,
                                      const palModeShape* of)
{
    const double less = 1e-3;
    palMat3 none = {0};
    return palMat3MulAdd(none, 1.0 - less, palSoftPatch_CrossCompliance(modes, at, of));
}

palVec3 palSoftPatch_Displacement(const palModes* modes, const palModeShape* shape, const double* q)
{
    return palMakeVec3(palModes_Sum(modes, shape->b[0], q), palModes_Sum(modes, shape->b[1], q),
                       palModes_Sum(modes, shape->b[2], q));
}

palVec3 palSoftPatch_Point(const palSoftPatch* patch, int part, const palSurfacePlace* point,
                           const palModeShape* shape, const double* q)
{
    palVec3 p = palSoftPatch_Displacement(palSoftPatch_Modes(patch, part), shape, q);
    for (int k = 0; k < 3; k++)
        p = palMulAdd(p, point->weights[k],
                      patch->start[palSoftPatch_Find(patch, part, point->vertices[k])]);
    return p;
}

palVec3 palSoftPatch_Vertex(const palSoftPatch* patch, int part, int vertex, const double* q)
{
    return palAdd(patch->start[vertex], palSoftPatch_Displacement(palSoftPatch_Modes(patch, part),
                                                                  &patch->shapes[vertex], q));
}

// ---------------------------------------------------------------------------------------------
// The distance to a part

// A distance within which gapFaces faces are of a point at the start: that many have their centres
// there.
static double boundNearest(const palSoftPatch* patch, const palSoftPart* part, palVec3 seen)
{
    double squares[gapFaces];
    int count = 0;
    for (int f = part->faceBegin; f < part->faceEnd; f++)
    {
        double square = palLengthSquared(palSub(seen, patch->faces[f].centre));
        if (count == gapFaces && square >= squares[count - 1])
            continue;
        int i = count < gapFaces ? count++ : count - 1;
        for (; i > 0 && squares[i - 1] > square; i--)
            squares[i] = squares[i - 1];
        squares[i] = square;
    }
    return count == gapFaces ? sqrt(squares[count - 1]) : INFINITY;
}

// The faces nearest to a point at the start, at most gapFaces of them, nearest first.
static int nearestFaces(const palSoftPatch* patch, const palSoftPart* part, palVec3 seen,
                        int* faces)
{
    double distances[gapFaces];
    double most = boundNearest(patch, part, seen);
    int count = 0;
    for (int f = part->faceBegin; f < part->faceEnd; f++)
    {
        const palSoftFace* face = &patch->faces[f];
        double farthest = count == gapFaces ? distances[count - 1] : INFINITY;
        palVec3 a = patch->start[face->vertices[0]], b = patch->start[face->vertices[1]];
        palVec3 c = patch->start[face->vertices[2]];
        if (palTriangleIsBeyond(seen, a, b, c, farthest < most ? farthest : most))
            continue;
        palClosest closest = palClosestOnTriangle(seen, a, b, c);
        if (closest.distance >= farthest)
            continue;
        int i = count < gapFaces ? count++ : count - 1;
        for (; i > 0 && distances[i - 1] > closest.distance; i--)
            distances[i] = distances[i - 1], faces[i] = faces[i - 1];
        distances[i] = closest.distance;
        faces[i] = f;
    }
    return count;
}

void palSoftPatch_Nearest(const palSoftPatch* patch, int part, palVec3 x, palSurfacePlace* at,
                          palVec3* point, palVec3* normal)
{
    int faces[gapFaces];
    if (nearestFaces(patch, &patch->parts[part], x, faces) == 0)
        return;
    const palSoftFace* face = &patch->faces[faces[0]];
    const int* v = face->vertices;
    palClosest closest =
        palClosestOnTriangle(x, patch->start[v[0]], patch->start[v[1]], patch->start[v[2]]);
    int on[3];
    palVec3 sum = pal_zeroVec3;
    for (int k = 0; k < 3; k++)
    {
        on[k] = patch->surfaceVertex[v[k]];
        sum = palMulAdd(sum, closest.weights[k], face->normals[k]);
    }
    *at = palMakeTrianglePlace(on, closest.weights);
    *point = closest.point;
    *normal = palNormalize(sum);
}

// Vertices of a few faces, each placed once.
typedef struct palPlaced
{
    int count;
    int vertices[3 * gapFaces];
    palVec3 positions[3 * gapFaces];
} palPlaced;

static palVec3 placeOnce(palPlaced* placed, const palSoftPatch* patch, int part, int vertex,
                         const double* q)
{
    int i = 0;
    while (i < placed->count && placed->vertices[i] != vertex)
        i++;
    if (i == placed->count)
    {
        placed->vertices[placed->count] = vertex;
        placed->positions[placed->count++] = palSoftPatch_Vertex(patch, part, vertex, q);
    }
    return placed->positions[i];
}

double palSoftPatch_Gap(const palSoftPatch* patch, int part, const double* q, palVec3 x,
                        palVec3 drift)
{
    // At an edge or corner the mean normal of the faces that are equally near tells the side.
    const double same = 1e-12; // m
    int faces[gapFaces];
    int count = part >= 0 ? nearestFaces(patch, &patch->parts[part], palSub(x, drift), faces) : 0;
    double least = INFINITY;
    palVec3 normal = pal_zeroVec3, offset = pal_zeroVec3;
    palPlaced placed;
    placed.count = 0;
    for (int i = 0; i < count; i++)
    {
        palVec3 v[3];
        for (int k = 0; k < 3; k++)
            v[k] = placeOnce(&placed, patch, part, patch->faces[faces[i]].vertices[k], q);
        if (palTriangleIsBeyond(x, v[0], v[1], v[2], least + same))
            continue;
        palClosest closest = palClosestOnTriangle(x, v[0], v[1], v[2]);
        palVec3 n = palNormalize(palCross(palSub(v[1], v[0]), palSub(v[2], v[0])));
        if (closest.distance < least - same)
        {
            normal = n;
            offset = palSub(x, closest.point);
        }
        else if (closest.distance < least + same)
            normal = palAdd(normal, n);
        least = fmin(least, closest.distance);
    }
    if (count == 0)
        return NAN;
    return palDot(offset, normal) < 0.0 ? -least : least;
}

// ---------------------------------------------------------------------------------------------
// Motion

// How far places are off in modes: the normal equations of their best fit, without their mean.
typedef struct Observation
{
    int count;                         // modes
    int modes[looseMax];               // their indices
    int places;                        // how many
    double N[looseMax][looseMax];      // upper half
    double r[looseMax];                // then the solution
    double sumB[3][looseMax], sumE[3]; // of the places, for their mean
} Observation;

// The modes that nothing but contact holds: of a free body its translation and rotation.
static void findLoose(const palModes* modes, Observation* seen)
{
    for (int i = 0; i < modes->count && seen->count < looseMax; i++)
        if (modes->k[i] < looseFrequency * looseFrequency)
            seen->modes[seen->count++] = i;
}

static void addPlace(Observation* seen, const palModeShape* shape, palVec3 off)
{
    const double e[3] = {off.x, off.y, off.z};
    seen->places++;
    for (int c = 0; c < 3; c++)
    {
        const double* b = shape->b[c];
        seen->sumE[c] += e[c];
        for (int i = 0; i < seen->count; i++)
        {
            seen->r[i] += b[seen->modes[i]] * e[c];
            seen->sumB[c][i] += b[seen->modes[i]];
            for (int j = 0; j <= i; j++)
                seen->N[j][i] += b[seen->modes[i]] * b[seen->modes[j]];
        }
    }
}

// Takes the mean out: without it a translation has no part in the fit, and the solution, which is
// orthogonal to that in the modes, leaves momentum and centre of mass as they are. A hundredth of
// the trace before that is added, so that places close to each other, which tell little of a
// rotation, correct little of it.
static void centre(Observation* seen)
{
    double trace = 0.0;
    for (int i = 0; i < seen->count; i++)
        trace += seen->N[i][i];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < seen->count; i++)
        {
            double mean = seen->sumB[c][i] / seen->places;
            seen->r[i] -= mean * seen->sumE[c];
            for (int j = 0; j <= i; j++)
                seen->N[j][i] -= mean * seen->sumB[c][j];
        }
    for (int i = 0; i < seen->count; i++)
        seen->N[i][i] += 0.01 * trace;
}

void palSoftPatch_Observe(const void* of, int island, const palTickForces* forces,
                          palModesState* state)
{
    const palSoftPatch* patch = of;
    const palModes* modes = &patch->islands[island];
    Observation seen = {0};
    findLoose(modes, &seen);
    for (int i = 0; i < forces->count && seen.count > 0; i++)
    {
        const palSoftPush* push = &((const palSoftForce*)forces)->pushes[i];
        int part = palSoftPatch_Part(patch, push->object, push->hand);
        palModeShape shape;
        if (part >= 0 && patch->parts[part].island == island &&
            palSoftPatch_Shape(patch, part, &push->at, &shape))
            addPlace(&seen, &shape,
                     palSub(push->x, palSoftPatch_Point(patch, part, &push->at, &shape, state->q)));
    }
    if (seen.places < 2)
        return;
    centre(&seen);
    const palRowKernels* kernels = palRowKernels_Best();
    palLdl_Factor(seen.count, seen.N[0], looseMax, kernels);
    palLdl_Solve(seen.count, seen.N[0], looseMax, kernels, seen.r);
    for (int i = 0; i < seen.count; i++)
    {
        state->q[seen.modes[i]] += (1.0 - observerPole * observerPole) * seen.r[i];
        state->v[seen.modes[i]] +=
            (1.0 - observerPole) * (1.0 - observerPole) / modes->h * seen.r[i];
    }
}

// The points that were pushed last stay where they were; what the new snapshot moves them by fades.
static void keepPoints(palSoftMotion* motion, const palSoftPatch* patch, const palTrack* given)
{
    memset(motion->shifts, 0, motion->shiftCount * sizeof *motion->shifts);
    if (given->ticks == 0 || motion->fade.ticks == 0)
        return;
    palFade_Start(&motion->fade);
    const palSoftForce* last = (const palSoftForce*)palTrack_Tick(given, given->ticks - 1);
    for (int i = 0; i < last->head.count; i++)
    {
        const palSurfacePlace* point = &last->pushes[i].at;
        int part = palSoftPatch_Part(patch, last->pushes[i].object, last->pushes[i].hand);
        palModeShape shape;
        int hand = last->pushes[i].hand;
        if (part < 0 || !motion->keepsPoint[hand] ||
            !palSoftPatch_Shape(patch, part, point, &shape))
            continue;
        palVec3 now =
            palSoftPatch_Point(patch, part, point, &shape, palSoftMotion_Now(motion, patch, part));
        motion->shifts[hand * motion->bodies + part] = palSub(motion->touched[i], now);
    }
}

void palSoftMotion_Begin(palSoftMotion* motion, const palSoftPatch* patch, uint64_t sequence,
                         const palTrack* given, bool frozen)
{
    palReducedMotion* modes = &motion->modes;
    bool isNew = modes->sequence != sequence;
    modes->sequence = sequence;
    for (int i = 0; i < patch->islandCount; i++)
    {
        if (frozen)
            palModes_Start(&patch->islands[i], &modes->state[i]);
        else if (isNew)
            palReducedMotion_CatchUp(modes, &patch->islands[i], patch, i, palSoftPatch_Pushes,
                                     palSoftPatch_Observe, patch->time, given);
        palReducedMotion_MoveFreely(modes, &patch->islands[i], i);
    }
    if (isNew && !frozen)
        keepPoints(motion, patch, given);
    palFade_Advance(&motion->fade);
}

// The motion of each push's body by its force.
void palSoftMotion_Push(palSoftMotion* motion, const palSoftPatch* patch, const palSoftPush* pushes,
                        int count, const palModeShape* const* shapes)
{
    for (int i = 0; i < count; i++)
    {
        int part = palSoftPatch_Part(patch, pushes[i].object, pushes[i].hand);
        const palModes* modes = palSoftPatch_Modes(patch, part);
        double p[pal_modesMax];
        memset(p, 0, (size_t)modes->count * sizeof *p);
        palSoftPatch_AddPush(modes, shapes[i], pushes[i].force, p);
        palModes_Correct(modes, p, &motion->modes.free[patch->parts[part].island]);
    }
}

void palSoftMotion_End(palSoftMotion* motion, const palSoftPatch* patch, palSoftForce* force,
                       const palModeShape* const* shapes)
{
    for (int i = 0; i < patch->islandCount; i++)
        palReducedMotion_Take(&motion->modes, &patch->islands[i], i);
    for (int i = 0; i < force->head.count; i++)
    {
        palSoftPush* push = &force->pushes[i];
        int part = palSoftPatch_Part(patch, push->object, push->hand);
        push->x = palSoftPatch_Point(patch, part, &push->at, shapes[i],
                                     palSoftMotion_Now(motion, patch, part));
        if (motion->keepsPoint[push->hand])
            motion->touched[i] = palAdd(push->x, palSoftMotion_ShiftNext(motion, push->hand, part));
    }
}
