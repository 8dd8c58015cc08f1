// SPDX-License-Identifier: Apache-2.0
#include "body/soft.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    tetSlots = 10, // blocks (a, b), a >= b, of an element
    hexSlots = 36,
};

// Elements of less than this share of their volume at rest count as inverted.
static const double invertedVolume = 0.05;

palSoftDef palDefaultSoftDef(void)
{
    return (palSoftDef){
        .material = {.young = 10e3, .poisson = 0.4, .density = 1000.0},
        .stiffnessDamping = 0.005,
    };
}

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

// Orders the corners as their rows in K, so that no block of the lower triangle needs transposing.
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

// The same elements side by side; where there is no memory for it, they stay one by one.
static void makeLanes(palSoftBody* body)
{
    size_t groups = ((size_t)body->tetCount + pal_lanes - 1) / pal_lanes;
    body->usesLanes = palLanes_AreThere();
    if (!body->usesLanes || groups == 0)
        return;
    body->tetLanes = aligned_alloc(_Alignof(palTetLanes), groups * sizeof *body->tetLanes);
    for (int t = 0; t < (int)groups * pal_lanes && body->tetLanes != NULL; t++)
        palTetLanes_Set(&body->tetLanes[t / pal_lanes], t % pal_lanes,
                        &body->tetModels[t < body->tetCount ? t : body->tetCount - 1]);
}

// Bricks of a grid are all alike: one stiffness serves them all.
static bool isAlike(const palHexShape* shape, const palVec3 rest[8])
{
    double size = palDistance(rest[0], rest[6]);
    for (int a = 1; a < 8; a++)
    {
        palVec3 mine = palSub(rest[a], rest[0]);
        palVec3 its = palSub(shape->rest[a], shape->rest[0]);
        if (palDistance(mine, its) > 1e-9 * size)
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
        if (last < 0 || !isAlike(&body->hexModels[last], rest))
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

// The slots of an element's lower blocks in K; a slot of a transposed block is stored as ~slot.
static void findSlots(const palSoftBody* body, const int* nodes, int count, int* slots)
{
    int k = 0;
    for (int a = 0; a < count; a++)
        for (int b = 0; b <= a; b++, k++)
        {
            int i = body->freeIndex[nodes[a]];
            int j = body->freeIndex[nodes[b]];
            slots[k] = i < 0 || j < 0 ? INT32_MIN
                       : i >= j       ? palBlockMatrix_Slot(&body->K, i, j)
                                      : ~palBlockMatrix_Slot(&body->K, j, i);
        }
}

static palResult makePattern(palSoftBody* body, palError* error)
{
    size_t most = 10 * (size_t)body->tetCount + 36 * (size_t)body->hexCount;
    int(*pairs)[2] = malloc((most + 1) * sizeof *pairs);
    if (pairs == NULL)
        return palError_Memory(error, "the pattern of the stiffness", most * sizeof *pairs);
    size_t count = 0;
    for (int e = 0; e < body->tetCount + body->hexCount; e++)
    {
        bool isTet = e < body->tetCount;
        const int* nodes = isTet ? body->tets[e] : body->hexes[e - body->tetCount];
        for (int a = 0; a < (isTet ? 4 : 8); a++)
            for (int b = 0; b <= a; b++)
            {
                int i = body->freeIndex[nodes[a]];
                int j = body->freeIndex[nodes[b]];
                if (i < 0 || j < 0)
                    continue;
                pairs[count][0] = i;
                pairs[count++][1] = j;
            }
    }
    palResult result =
        palBlockMatrix_Init(&body->K, body->freeCount, (const int(*)[2])pairs, count, error);
    free(pairs);
    if (result != pal_ok)
        return result;
    for (int t = 0; t < body->tetCount; t++)
        findSlots(body, body->tets[t], 4, body->slots + tetSlots * t);
    for (int h = 0; h < body->hexCount; h++)
        findSlots(body, body->hexes[h], 8, body->slots + tetSlots * body->tetCount + hexSlots * h);
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
    body->slots = zeroed(tetSlots * tets + hexSlots * hexes, sizeof *body->slots);
    body->force = zeroed(3 * nodes, sizeof *body->force);
    return body->freeIndex && body->rest && body->x && body->v && body->mass && body->load &&
           body->tets && body->tetModels && body->hexes && body->hexShapes && body->hexYoung &&
           body->hexModels && body->slots && body->force;
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
    body->poisson = def->material.poisson;
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
    return result == pal_ok ? makePattern(body, error) : result;
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
        body->freeIndex, body->rest,      body->x,         body->v,     body->mass,
        body->load,      body->tets,      body->tetModels, body->hexes, body->hexShapes,
        body->hexYoung,  body->hexModels, body->slots,     body->force, body->tetLanes,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(body);
}

static void addForce(palSoftBody* body, int node, palVec3 f)
{
    int i = body->freeIndex[node];
    if (i < 0)
        return;
    body->force[3 * i] += f.x;
    body->force[3 * i + 1] += f.y;
    body->force[3 * i + 2] += f.z;
}

// In place: a matrix passed by value costs as much as the addition.
static void addBlock(palSoftBody* body, int slot, const palMat3* block)
{
    if (slot == INT32_MIN)
        return;
    double(*sum)[3] = body->K.blocks[slot >= 0 ? slot : ~slot].m;
    if (slot >= 0)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                sum[i][j] += block->m[i][j];
    else
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                sum[i][j] += block->m[j][i];
}

// F = Σ xa gaᵀ
static palMat3 gradientOf(const palVec3* x, const palVec3* g, int count)
{
    palMat3 F = {0};
    for (int a = 0; a < count; a++)
        F = palMat3MulAdd(F, 1.0, palOuter(x[a], g[a]));
    return F;
}

static void lineariseTet(palSoftBody* body, int t, palTangent tangent)
{
    const palTetElement* model = &body->tetModels[t];
    const int* nodes = body->tets[t];
    palVec3 x[4], force[4], turned[4], turning[4][3];
    for (int a = 0; a < 4; a++)
        x[a] = body->x[nodes[a]];
    palMat3 R = palTetElement_Forces(model, x, force);
    palMat3 F = gradientOf(x, model->g, 4);
    palMat3 G = palTurning(F, R, model->lame, tangent);
    body->invertedCount += palMat3Determinant(F) < invertedVolume;
    for (int a = 0; a < 4; a++)
    {
        addForce(body, nodes[a], force[a]);
        turned[a] = palMat3Apply(R, model->g[a]);
        palTurningColumns(model->volume, G, turned[a], turning[a]);
    }
    const int* slots = body->slots + tetSlots * t;
    for (int a = 0, k = 0; a < 4; a++)
        for (int b = 0; b <= a; b++, k++)
        {
            palMat3 block = palTetElement_Block(model, turned[a], turned[b]);
            palMat3 extra = palTurningBlock(turning[b], turned[a]);
            block = palMat3MulAdd(block, 1.0, extra);
            addBlock(body, slots[k], &block);
        }
}

// Adds a lane of a group to the forces and to K.
static void addLane(palSoftBody* body, int t, const palTetLanesState* state)
{
    int lane = t % pal_lanes;
    const int* slots = body->slots + tetSlots * t;
    for (int a = 0; a < 4; a++)
        addForce(body, body->tets[t][a],
                 palMakeVec3(state->force[a][0][lane], state->force[a][1][lane],
                             state->force[a][2][lane]));
    for (int k = 0; k < tetSlots; k++)
        addBlock(body, slots[k], &state->block[lane][k]);
    body->invertedCount += state->determinant[lane] < invertedVolume;
}

// The tetrahedra from t to t + pal_lanes - 1.
static void lineariseLanes(palSoftBody* body, int t, palTangent tangent)
{
    palTetLanesState state;
    for (int lane = 0; lane < pal_lanes; lane++)
    {
        const int* nodes = body->tets[t + lane < body->tetCount ? t + lane : body->tetCount - 1];
        for (int a = 0; a < 4; a++)
        {
            state.x[a][0][lane] = body->x[nodes[a]].x;
            state.x[a][1][lane] = body->x[nodes[a]].y;
            state.x[a][2][lane] = body->x[nodes[a]].z;
        }
    }
    palTetLanes_Linearise(&body->tetLanes[t / pal_lanes], tangent, &state);
    for (int lane = 0; lane < pal_lanes && t + lane < body->tetCount; lane++)
        addLane(body, t + lane, &state);
}

// The stress of a brick varies within it; what it adds is taken from the strain at the centre.
static void lineariseHex(palSoftBody* body, int h, palTangent tangent)
{
    const palHexShape* shape = &body->hexModels[body->hexShapes[h]];
    const int* nodes = body->hexes[h];
    palVec3 x[8], force[8];
    for (int a = 0; a < 8; a++)
        x[a] = body->x[nodes[a]];
    palMat3 R = palHexShape_Forces(shape, body->hexYoung[h], x, force);
    palMaterial material = {.young = body->hexYoung[h], .poisson = body->poisson};
    palMat3 F = gradientOf(x, shape->g, 8);
    palMat3 G = palTurning(F, R, palMaterial_Lame(&material), tangent);
    body->invertedCount += palMat3Determinant(F) < invertedVolume;
    palVec3 turned[8], turning[8][3];
    for (int a = 0; a < 8; a++)
    {
        addForce(body, nodes[a], force[a]);
        turned[a] = palMat3Apply(R, shape->g[a]);
        palTurningColumns(shape->volume, G, turned[a], turning[a]);
    }
    const int* slots = body->slots + tetSlots * body->tetCount + hexSlots * h;
    for (int a = 0, k = 0; a < 8; a++)
        for (int b = 0; b <= a; b++, k++)
        {
            palMat3 block = palHexShape_Block(shape, body->hexYoung[h], R, a, b);
            palMat3 extra = palTurningBlock(turning[b], turned[a]);
            block = palMat3MulAdd(block, 1.0, extra);
            addBlock(body, slots[k], &block);
        }
}

// Whether pal_lanes bricks from h on have one form.
static bool areAlike(const palSoftBody* body, int h)
{
    for (int lane = 1; lane < pal_lanes && h + pal_lanes <= body->hexCount; lane++)
        if (body->hexShapes[h + lane] != body->hexShapes[h])
            return false;
    return h + pal_lanes <= body->hexCount;
}

static void lineariseHexLanes(palSoftBody* body, int h, palTangent tangent)
{
    palHexLanesState state;
    for (int lane = 0; lane < pal_lanes; lane++)
    {
        state.young[lane] = body->hexYoung[h + lane];
        for (int a = 0; a < 8; a++)
        {
            palVec3 x = body->x[body->hexes[h + lane][a]];
            state.x[a][0][lane] = x.x;
            state.x[a][1][lane] = x.y;
            state.x[a][2][lane] = x.z;
        }
    }
    palHexLanes_Linearise(&body->hexModels[body->hexShapes[h]], body->poisson, tangent, &state);
    for (int lane = 0; lane < pal_lanes; lane++)
    {
        const int* slots = body->slots + tetSlots * body->tetCount + hexSlots * (h + lane);
        for (int a = 0; a < 8; a++)
            addForce(body, body->hexes[h + lane][a],
                     palMakeVec3(state.force[a][0][lane], state.force[a][1][lane],
                                 state.force[a][2][lane]));
        for (int k = 0; k < hexSlots; k++)
            addBlock(body, slots[k], &state.block[lane][k]);
        body->invertedCount += state.determinant[lane] < invertedVolume;
    }
}

void palSoftBody_Linearise(palSoftBody* body, palTangent tangent)
{
    palBlockMatrix_Clear(&body->K);
    body->invertedCount = 0;
    memset(body->force, 0, 3 * (size_t)body->freeCount * sizeof *body->force);
    for (int i = 0; i < body->nodeCount; i++)
        addForce(body, i, palMulAdd(body->load[i], body->mass[i], body->gravity));
    bool areWide = body->usesLanes && body->tetLanes != NULL;
    for (int t = 0; t < body->tetCount; t += areWide ? pal_lanes : 1)
        (areWide ? lineariseLanes : lineariseTet)(body, t, tangent);
    for (int h = 0; h < body->hexCount;)
    {
        bool isWide = body->usesLanes && areAlike(body, h);
        (isWide ? lineariseHexLanes : lineariseHex)(body, h, tangent);
        h += isWide ? pal_lanes : 1;
    }
}

palResult palSoftBody_InitSystem(const palSoftBody* body, palBlockMatrix* A, palError* error)
{
    return palBlockMatrix_InitLike(A, &body->K, error);
}

void palSoftBody_System(const palSoftBody* body, double h, palBlockMatrix* A)
{
    double stiffness = h * body->beta + h * h;
    double inertia = 1.0 + h * body->alpha;
    for (int s = 0; s < A->blockCount; s++)
        for (int k = 0; k < 9; k++)
            A->blocks[s].m[k / 3][k % 3] = stiffness * body->K.blocks[s].m[k / 3][k % 3];
    for (int i = 0; i < body->nodeCount; i++)
    {
        int row = body->freeIndex[i];
        if (row < 0)
            continue;
        palMat3* diagonal = &A->blocks[A->rowStart[row + 1] - 1];
        for (int k = 0; k < 3; k++)
            diagonal->m[k][k] += inertia * body->mass[i];
    }
}

bool palSoftBody_Factor(palSoftBody* body, double h, palBlockMatrix* A, palCholesky* factor)
{
    static const palTangent tangents[] = {pal_tangentExact, pal_tangentSafe};
    for (int i = 0; i < 2; i++)
    {
        palSoftBody_Linearise(body, tangents[i]);
        if (tangents[i] == pal_tangentExact && body->invertedCount > 0)
            continue;
        palSoftBody_System(body, h, A);
        if (palCholesky_Factor(factor, A, NULL) == pal_ok)
            return true;
    }
    return false;
}

// Adds an element's V F = Σ xa (V ga)ᵀ to each of its nodes.
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
    // Scaled to a volume of 1, at which the rotation is found fastest.
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

// Elastic energy of linear elasticity in the turned frame: -½ Σ fa · (xa - R x0a).
static double elasticEnergy(const palVec3* x, const palVec3* rest, const palVec3* force, int count,
                            palMat3 R)
{
    double energy = 0.0;
    for (int a = 0; a < count; a++)
    {
        palVec3 turned = palMat3Apply(R, palSub(rest[a], rest[0]));
        energy -= 0.5 * palDot(force[a], palSub(palSub(x[a], x[0]), turned));
    }
    return energy;
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
        int count = isTet ? 4 : 8;
        const int* nodes = isTet ? body->tets[e] : body->hexes[e - body->tetCount];
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
        energy += elasticEnergy(x, rest, force, count, R);
    }
    return energy;
}
