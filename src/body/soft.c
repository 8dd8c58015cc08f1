// SPDX-License-Identifier: Apache-2.0
#include "body/soft.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palSoftDef palDefaultSoftDef(void)
{
    return (palSoftDef){
        .material = {.young = 10e3, .poisson = 0.4, .density = 1000.0},
        .stiffnessDamping = 0.005,
    };
}

// An element's factor; without a list 1.
static double factorOf(const double* factors, int element)
{
    return factors != NULL ? factors[element] : 1.0;
}

static palResult flatElement(palError* error, int element)
{
    palError_Set(error, pal_errorInput, "element %d of the volume is flat or inverted at rest",
                 element);
    return palError_Remedy(error, "mend the mesh: palpate mesh FILE lists the worst elements");
}

// Orders the corners by their rows in K, so that the lower triangle has no transposed blocks.
static void orderCorners(const palSoftBody* body, int nodes[4], palTetElement* model)
{
    for (int a = 1; a < 4; a++)
        for (int b = a; b > 0 && body->freeIndex[nodes[b - 1]] > body->freeIndex[nodes[b]]; b--)
        {
            int node = nodes[b];
            nodes[b] = nodes[b - 1], nodes[b - 1] = node;
            palVec3 g = model->g[b];
            model->g[b] = model->g[b - 1], model->g[b - 1] = g;
        }
}

static palResult makeTets(palSoftBody* body, const palSoftDef* def, palError* error)
{
    const palVolume* volume = def->volume;
    palLame lame = palMaterial_Lame(&def->material);
    for (int t = 0; t < body->tetCount; t++)
    {
        memcpy(body->tets[t], volume->tets[t], sizeof body->tets[t]);
        palVec3 rest[4];
        for (int a = 0; a < 4; a++)
            rest[a] = body->rest[body->tets[t][a]];
        double fill = factorOf(def->fill, t);
        double factor = fill * factorOf(def->stiffer, t);
        palLame scaled = {factor * lame.lambda, factor * lame.mu};
        if (!palTetElement_Init(&body->tetModels[t], rest, scaled))
            return flatElement(error, t);
        orderCorners(body, body->tets[t], &body->tetModels[t]);
        for (int a = 0; a < 4; a++)
            body->mass[body->tets[t][a]] +=
                0.25 * fill * def->material.density * body->tetModels[t].volume;
    }
    return pal_ok;
}

// Copies the elements into SIMD lanes, if there are any; the last group is filled up.
static void fillLanes(palSoftBody* body)
{
    int groups = (body->tetCount + pal_lanes - 1) / pal_lanes;
    for (int t = 0; t < groups * pal_lanes && body->tetLanes != NULL; t++)
        palTetLanes_Set(&body->tetLanes[t / pal_lanes], t % pal_lanes,
                        &body->tetModels[t < body->tetCount ? t : body->tetCount - 1]);
}

// Where memory is short for the lanes, elements are linearised one by one.
static void makeLanes(palSoftBody* body)
{
    size_t groups = ((size_t)body->tetCount + pal_lanes - 1) / pal_lanes;
    body->usesLanes = palLanes_AreThere();
    if (!body->usesLanes || groups == 0)
        return;
    body->tetLanes = aligned_alloc(_Alignof(palTetLanes), groups * sizeof *body->tetLanes);
    fillLanes(body);
}

void palSoftBody_SetYoung(palSoftBody* body, double young)
{
    double scale = young / body->young;
    for (int t = 0; t < body->tetCount; t++)
    {
        body->tetModels[t].lame.lambda *= scale;
        body->tetModels[t].lame.mu *= scale;
    }
    for (int h = 0; h < body->hexCount; h++)
        body->hexYoung[h] *= scale;
    fillLanes(body);
    body->young = young;
}

void palSoftBody_Archive(palSoftBody* body, palArchive* archive)
{
    PAL_ARCHIVE(archive, body->young);
    PAL_ARCHIVE(archive, body->stiffening);
    PAL_ARCHIVE(archive, body->gravity);
    PAL_ARCHIVE_ARRAY(archive, body->x, body->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, body->v, body->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, body->load, body->nodeCount);
    for (int t = 0; t < body->tetCount; t++)
        PAL_ARCHIVE(archive, body->tetModels[t].lame);
    PAL_ARCHIVE_ARRAY(archive, body->hexYoung, body->hexCount);
    PAL_ARCHIVE_ARRAY(archive, body->K.blocks, body->K.blockCount);
    PAL_ARCHIVE(archive, body->tangent);
    PAL_ARCHIVE_ARRAY(archive, body->force, 3 * body->freeCount);
    PAL_ARCHIVE(archive, body->invertedCount);
    PAL_ARCHIVE_ARRAY(archive, body->isUnlimited, body->tetCount + body->hexCount);
    PAL_ARCHIVE(archive, body->unlimitedCount);
    if (archive->isRestoring)
        fillLanes(body);
}

// Whether a brick has this shape. Those of a grid all have the same, and share one stiffness.
static bool hasShape(const palHexShape* shape, const palVec3 rest[8])
{
    double size = palDistance(rest[0], rest[6]);
    for (int a = 1; a < 8; a++)
    {
        palVec3 corner = palSub(rest[a], rest[0]);
        palVec3 expected = palSub(shape->rest[a], shape->rest[0]);
        if (palDistance(corner, expected) > 1e-9 * size)
            return false;
    }
    return true;
}

static palResult makeHexes(palSoftBody* body, const palSoftDef* def, palError* error)
{
    const palVolume* volume = def->volume;
    for (int h = 0; h < body->hexCount; h++)
    {
        int element = body->tetCount + h;
        memcpy(body->hexes[h], volume->hexes[h], sizeof body->hexes[h]);
        palVec3 rest[8];
        for (int a = 0; a < 8; a++)
            rest[a] = body->rest[body->hexes[h][a]];
        int last = body->hexShapeCount - 1;
        if (last < 0 || !hasShape(&body->hexModels[last], rest))
        {
            if (!palHexShape_Init(&body->hexModels[++last], rest, def->material.poisson))
                return flatElement(error, element);
            body->hexShapeCount++;
        }
        double fill = factorOf(def->fill, element);
        body->hexShapes[h] = last;
        body->hexYoung[h] = fill * factorOf(def->stiffer, element) * def->material.young;
        for (int a = 0; a < 8; a++)
            body->mass[body->hexes[h][a]] +=
                0.125 * fill * def->material.density * body->hexModels[last].volume;
    }
    return pal_ok;
}

static void* zeroed(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

static bool allocate(palSoftBody* body)
{
    size_t nodes = (size_t)body->nodeCount;
    size_t tets = (size_t)body->tetCount;
    size_t hexes = (size_t)body->hexCount;
    body->freeIndex = zeroed(nodes, sizeof *body->freeIndex);
    body->rest = zeroed(nodes, sizeof *body->rest);
    body->x = zeroed(nodes, sizeof *body->x);
    body->v = zeroed(nodes, sizeof *body->v);
    body->mass = zeroed(nodes, sizeof *body->mass);
    body->load = zeroed(nodes, sizeof *body->load);
    body->tets = zeroed(tets, sizeof *body->tets);
    body->tetModels = zeroed(tets, sizeof *body->tetModels);
    body->hexes = zeroed(hexes, sizeof *body->hexes);
    body->hexShapes = zeroed(hexes, sizeof *body->hexShapes);
    body->hexYoung = zeroed(hexes, sizeof *body->hexYoung);
    body->hexModels = zeroed(hexes, sizeof *body->hexModels);
    body->slots = zeroed(pal_tetBlocks * tets + pal_hexBlocks * hexes, sizeof *body->slots);
    body->force = zeroed(3 * nodes, sizeof *body->force);
    body->isUnlimited = zeroed(tets + hexes, sizeof *body->isUnlimited);
    body->volume = zeroed(tets + hexes, sizeof *body->volume);
    body->isInsideOut = zeroed(nodes, sizeof *body->isInsideOut);
    return body->freeIndex && body->rest && body->x && body->v && body->mass && body->load &&
           body->tets && body->tetModels && body->hexes && body->hexShapes && body->hexYoung &&
           body->hexModels && body->slots && body->force && body->isUnlimited && body->volume &&
           body->isInsideOut;
}

static palResult make(palSoftBody* body, const palSoftDef* def, palError* error)
{
    const palVolume* volume = def->volume;
    body->nodeCount = volume->vertexCount;
    body->tetCount = volume->tetCount;
    body->hexCount = volume->hexCount;
    body->alpha = def->massDamping;
    body->beta = def->stiffnessDamping;
    body->gravity = def->gravity;
    body->young = def->material.young;
    body->poisson = def->material.poisson;
    body->stiffening = def->stiffening;
    body->density = def->material.density;
    if (!allocate(body))
        return palError_Memory(error, "a soft body", (size_t)body->nodeCount * 100);
    for (int i = 0; i < body->nodeCount; i++)
    {
        body->rest[i] = body->x[i] = volume->vertices[i];
        bool held = def->held != NULL && def->held[i];
        body->freeIndex[i] = held ? -1 : body->freeCount++;
    }
    palResult result = makeTets(body, def, error);
    makeLanes(body);
    if (result == pal_ok)
        result = makeHexes(body, def, error);
    if (result == pal_ok && body->freeCount == 0)
    {
        palError_Set(error, pal_errorInput, "every node of the soft body is held");
        result = palError_Remedy(error, "hold fewer nodes, or make the object rigid");
    }
    return result == pal_ok ? palSoftBody_InitStiffness(body, error) : result;
}

palResult palSoftBody_Create(const palSoftDef* def, palSoftBody** body, palError* error)
{
    *body = NULL;
    palSoftBody* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "a soft body", sizeof *created);
    palResult result = make(created, def, error);
    if (result != pal_ok)
    {
        palSoftBody_Destroy(created);
        return result;
    }
    palSoftBody_Linearise(created, pal_tangentExact);
    *body = created;
    return pal_ok;
}

void palSoftBody_Destroy(palSoftBody* body)
{
    if (body == NULL)
        return;
    palBlockMatrix_Free(&body->K);
    void* const owned[] = {
        body->freeIndex,   body->rest,      body->x,           body->v,     body->mass,
        body->load,        body->tets,      body->tetModels,   body->hexes, body->hexShapes,
        body->hexYoung,    body->hexModels, body->slots,       body->force, body->tetLanes,
        body->isUnlimited, body->volume,    body->isInsideOut,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(body);
}

// Adds V F = Σ xa (V ga)ᵀ, an element's deformation gradient weighted by its volume, to each of its
// nodes.
static inline void addGradient(const palSoftBody* body, const int* nodes, int count,
                               const palVec3* g, double volume, palMat3* sums)
{
    double F[3][3] = {{0.0}};
    for (int a = 0; a < count; a++)
    {
        const palVec3* x = &body->x[nodes[a]];
        double column[3] = {volume * g[a].x, volume * g[a].y, volume * g[a].z};
        for (int j = 0; j < 3; j++)
        {
            F[0][j] += x->x * column[j];
            F[1][j] += x->y * column[j];
            F[2][j] += x->z * column[j];
        }
    }
    for (int a = 0; a < count; a++)
    {
        int row = body->freeIndex[nodes[a]];
        for (int i = 0; row >= 0 && i < 3; i++)
            for (int j = 0; j < 3; j++)
                sums[row].m[i][j] += F[i][j];
    }
}

void palSoftBody_Frames(const palSoftBody* body, palMat3* frames)
{
    memset(frames, 0, (size_t)body->freeCount * sizeof *frames);
    for (int t = 0; t < body->tetCount; t++)
        addGradient(body, body->tets[t], 4, body->tetModels[t].g, body->tetModels[t].volume,
                    frames);
    for (int h = 0; h < body->hexCount; h++)
    {
        const palHexShape* shape = &body->hexModels[body->hexShapes[h]];
        addGradient(body, body->hexes[h], 8, shape->g, shape->volume, frames);
    }
    // Scaled to determinant 1, for which the iteration for the rotation converges fastest.
    for (int i = 0; i < body->freeCount; i++)
    {
        double scale = cbrt(fabs(palMat3Determinant(frames[i])));
        frames[i] = palMat3Rotation(
            palMat3MulAdd((palMat3){0}, scale > 0.0 ? 1.0 / scale : 1.0, frames[i]));
    }
}

void palSoftBody_Velocities(const palSoftBody* body, double* v)
{
    for (int i = 0; i < body->nodeCount; i++)
    {
        int row = body->freeIndex[i];
        if (row < 0)
            continue;
        v[3 * row] = body->v[i].x;
        v[3 * row + 1] = body->v[i].y;
        v[3 * row + 2] = body->v[i].z;
    }
}

void palSoftBody_Move(palSoftBody* body, const double* dx, const double* velocity)
{
    for (int i = 0; i < body->nodeCount; i++)
    {
        int row = body->freeIndex[i];
        if (row < 0)
            continue;
        if (dx != NULL)
            body->x[i] =
                palAdd(body->x[i], palMakeVec3(dx[3 * row], dx[3 * row + 1], dx[3 * row + 2]));
        if (velocity != NULL)
            body->v[i] =
                palMakeVec3(velocity[3 * row], velocity[3 * row + 1], velocity[3 * row + 2]);
    }
}

double palSoftBody_Mass(const palSoftBody* body)
{
    double mass = 0.0;
    for (int i = 0; i < body->nodeCount; i++)
        mass += body->mass[i];
    return mass;
}

static palVec3 centreOf(const palSoftBody* body)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < body->nodeCount; i++)
        sum = palMulAdd(sum, body->mass[i], body->x[i]);
    return palScale(1.0 / palSoftBody_Mass(body), sum);
}

palMomenta palSoftBody_Momenta(const palSoftBody* body)
{
    palVec3 centre = centreOf(body);
    palMomenta sum = {pal_zeroVec3, pal_zeroVec3};
    for (int i = 0; i < body->nodeCount; i++)
    {
        palVec3 own = palScale(body->mass[i], body->v[i]);
        sum.linear = palAdd(sum.linear, own);
        sum.angular = palAdd(sum.angular, palCross(palSub(body->x[i], centre), own));
    }
    return sum;
}

// ω of the rotation as a whole with that angular momentum: I ω = L, I = Σ m (r² 1 - r rᵀ).
static palVec3 turningOf(const palSoftBody* body, palVec3 centre, palVec3 spin)
{
    palMat3 inertia = {0}, inverse;
    for (int i = 0; i < body->nodeCount; i++)
    {
        palVec3 r = palSub(body->x[i], centre);
        inertia = palMat3MulAdd(inertia, body->mass[i], palMakeMat3Scale(palLengthSquared(r)));
        inertia = palMat3MulAdd(inertia, -body->mass[i], palOuter(r, r));
    }
    palMat3Inverse(inertia, &inverse); // zero where there is none
    return palMat3Apply(inverse, spin);
}

// Whether nothing but gravity acts on it by itself.
static bool isLoose(const palSoftBody* body)
{
    for (int i = 0; i < body->nodeCount; i++)
        if (body->freeIndex[i] < 0 || palLengthSquared(body->load[i]) > 0.0)
            return false;
    return true;
}

void palSoftBody_SetMomentum(palSoftBody* body, palVec3 momentum)
{
    if (!isLoose(body))
        return;
    palVec3 missing = palSub(momentum, palSoftBody_Momenta(body).linear);
    palVec3 faster = palScale(1.0 / palSoftBody_Mass(body), missing);
    for (int i = 0; i < body->nodeCount; i++)
        body->v[i] = palAdd(body->v[i], faster);
}

void palSoftBody_KeepMomenta(palSoftBody* body, palMomenta before, double h, int steps)
{
    if (!isLoose(body))
        return;
    double mass = palSoftBody_Mass(body), damping = 1.0 / (1.0 + h * body->alpha);
    for (int k = 0; k < steps; k++)
    {
        before.linear = palScale(damping, palMulAdd(before.linear, h * mass, body->gravity));
        before.angular = palScale(damping, before.angular);
    }
    palVec3 centre = centreOf(body);
    palMomenta now = palSoftBody_Momenta(body);
    palVec3 faster = palScale(1.0 / mass, palSub(before.linear, now.linear));
    palVec3 turning = turningOf(body, centre, palSub(before.angular, now.angular));
    for (int i = 0; i < body->nodeCount; i++)
    {
        palVec3 more = palAdd(faster, palCross(turning, palSub(body->x[i], centre)));
        body->v[i] = palAdd(body->v[i], more);
    }
}

void palSoftBody_Rigid(const palSoftBody* body, double* translation, double* rotation)
{
    size_t bytes = 3 * (size_t)body->freeCount * sizeof *rotation;
    memset(translation, 0, bytes);
    memset(rotation, 0, bytes);
    if (body->freeCount < body->nodeCount)
        return;
    palVec3 centre = centreOf(body);
    palMomenta momenta = palSoftBody_Momenta(body);
    palVec3 v = palScale(1.0 / palSoftBody_Mass(body), momenta.linear);
    palVec3 turning = turningOf(body, centre, momenta.angular);
    for (int i = 0; i < body->nodeCount; i++)
    {
        size_t row = 3 * (size_t)body->freeIndex[i];
        palVec3 w = palCross(turning, palSub(body->x[i], centre));
        memcpy(translation + row, &v, sizeof v);
        memcpy(rotation + row, &w, sizeof w);
    }
}

double palSoftBody_ElementModulus(const palSoftBody* body, int element)
{
    int h = element - body->tetCount;
    if (h >= 0)
        return body->hexYoung[h] * body->hexModels[body->hexShapes[h]].volume;
    return palLame_Young(body->tetModels[element].lame) * body->tetModels[element].volume;
}

double palSoftBody_Energy(const palSoftBody* body)
{
    double energy = 0.0;
    for (int i = 0; i < body->nodeCount; i++)
        energy += body->mass[i] * (0.5 * palLengthSquared(body->v[i]) -
                                   palDot(body->gravity, palSub(body->x[i], body->rest[i])));
    for (int e = 0; e < body->tetCount + body->hexCount; e++)
    {
        bool isTet = e < body->tetCount;
        int count;
        const int* nodes = palSoftBody_ElementNodes(body, e, &count);
        palVec3 x[8], rest[8], force[8];
        for (int a = 0; a < count; a++)
        {
            x[a] = body->x[nodes[a]];
            rest[a] = body->rest[nodes[a]];
        }
        int h = e - body->tetCount;
        palMat3 R = isTet ? palTetElement_Forces(&body->tetModels[e], x, force)
                          : palHexShape_Forces(&body->hexModels[body->hexShapes[h]],
                                               body->hexYoung[h], x, force);
        double modulus = palSoftBody_ElementModulus(body, e);
        double q = 2.0 * palCorotationalEnergy(x, rest, force, count, R) / modulus;
        energy += 0.5 * modulus * palStiffen(body->stiffening, q).sum;
        const palVec3* g = palSoftBody_ElementGradients(body, e);
        double J = palMat3Determinant(palSoftBody_Gradient(x, g, count));
        if (!body->isUnlimited[e])
            energy += modulus * palLimitVolume(J).energy;
    }
    return energy;
}
