// SPDX-License-Identifier: Apache-2.0
// The linearisation of a soft body: elastic forces and stiffness assembled from the elements, and
// the system A(h) made of them.
#include "body/soft.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Elements of less than this share of their volume at rest count as inverted.
static const double invertedVolume = 0.05;

//--------------------------------------------------------------------------------------------------
// The pattern of K

// Where the lower-triangle blocks of an element go in K: an index into K.blocks, stored as ~index
// where the block is transposed there, INT32_MIN where a node is held.
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

palResult palSoftBody_InitStiffness(palSoftBody* body, palError* error)
{
    size_t most = pal_tetBlocks * (size_t)body->tetCount + pal_hexBlocks * (size_t)body->hexCount;
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
        findSlots(body, body->tets[t], 4, body->slots + pal_tetBlocks * t);
    for (int h = 0; h < body->hexCount; h++)
        findSlots(body, body->hexes[h], 8,
                  body->slots + pal_tetBlocks * body->tetCount + pal_hexBlocks * h);
    return pal_ok;
}

//--------------------------------------------------------------------------------------------------
// Forces and stiffness

static void addForce(palSoftBody* body, int node, palVec3 f)
{
    int i = body->freeIndex[node];
    if (i < 0)
        return;
    body->force[3 * i] += f.x;
    body->force[3 * i + 1] += f.y;
    body->force[3 * i + 2] += f.z;
}

// Adds a block to K in place: passing it by value would cost as much as the addition.
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

static const int* slotsOf(const palSoftBody* body, int element)
{
    int h = element - body->tetCount;
    return body->slots +
           (h < 0 ? pal_tetBlocks * element : pal_tetBlocks * body->tetCount + pal_hexBlocks * h);
}

// Adds the forces of an element and its blocks, each with c fa fbᵀ of stiffening.h.
static void addElement(palSoftBody* body, int element, const palVec3* force, const palMat3* blocks,
                       double c)
{
    int count;
    const int* nodes = palSoftBody_ElementNodes(body, element, &count);
    const int* slots = slotsOf(body, element);
    for (int a = 0, k = 0; a < count; a++)
    {
        addForce(body, nodes[a], force[a]);
        for (int b = 0; b <= a; b++, k++)
        {
            if (!(c > 0.0))
            {
                addBlock(body, slots[k], &blocks[k]);
                continue;
            }
            palMat3 block = palMat3MulAdd(blocks[k], c, palOuter(force[a], force[b]));
            addBlock(body, slots[k], &block);
        }
    }
}

// Adds what volume_limit.h has for an element of this volume over that at rest.
static void limitVolume(palSoftBody* body, int element, double J)
{
    body->volume[element] = J;
    if (!(J < pal_volumeLinear) || body->isUnlimited[element])
        return;
    int count;
    const int* nodes = palSoftBody_ElementNodes(body, element, &count);
    palVec3 x[8], push[8];
    for (int a = 0; a < count; a++)
        x[a] = body->x[nodes[a]];
    const palVec3* g = palSoftBody_ElementGradients(body, element);
    palMat3 cofactors = palMat3Cofactors(palSoftBody_Gradient(x, g, count));
    palVolumeLimit limit = palLimitVolume(J);
    double modulus = palSoftBody_ElementModulus(body, element);
    const int* slots = slotsOf(body, element);
    for (int a = 0, k = 0; a < count; a++)
    {
        push[a] = palMat3Apply(cofactors, g[a]);
        addForce(body, nodes[a], palScale(modulus * limit.p, push[a]));
        palVec3 column = palScale(modulus * limit.slope, push[a]);
        for (int b = 0; b <= a; b++, k++)
        {
            palMat3 block = palOuter(column, push[b]);
            addBlock(body, slots[k], &block);
        }
    }
}

// Makes the forces of an element those of a stiffening one. Returns s, and c.
static double stiffenForces(const palSoftBody* body, int element, const int* nodes, int count,
                            palMat3 R, palVec3* force, double* c)
{
    palVec3 x[8], rest[8];
    for (int a = 0; a < count; a++)
    {
        x[a] = body->x[nodes[a]];
        rest[a] = body->rest[nodes[a]];
    }
    double modulus = palSoftBody_ElementModulus(body, element);
    palStiffening at = palStiffen(body->stiffening,
                                  2.0 * palCorotationalEnergy(x, rest, force, count, R) / modulus);
    *c = palStiffening_RankOne(at, modulus);
    for (int a = 0; a < count; a++)
        force[a] = palScale(at.s, force[a]);
    return at.s;
}

static void lineariseTet(palSoftBody* body, int t, palTangent tangent)
{
    palTetElement model = body->tetModels[t];
    const int* nodes = body->tets[t];
    palVec3 x[4], force[4], gradient[4], rotation[4][3];
    palMat3 blocks[pal_tetBlocks];
    for (int a = 0; a < 4; a++)
        x[a] = body->x[nodes[a]];
    palMat3 R = palTetElement_Forces(&model, x, force);
    palMat3 F = palSoftBody_Gradient(x, model.g, 4);
    double c, s = stiffenForces(body, t, nodes, 4, R, force, &c);
    double turning = palStiffening_Turning(s);
    palLame lame = {turning * model.lame.lambda, turning * model.lame.mu};
    palMat3 G = palTurning(F, R, lame, tangent);
    model.lame = (palLame){s * model.lame.lambda, s * model.lame.mu};
    double J = palMat3Determinant(F);
    body->invertedCount += J < invertedVolume;
    for (int a = 0, k = 0; a < 4; a++)
    {
        gradient[a] = palMat3Apply(R, model.g[a]);
        palTurningColumns(model.volume, G, gradient[a], rotation[a]);
        for (int b = 0; b <= a; b++, k++)
        {
            palMat3 block = palTetElement_Block(&model, gradient[a], gradient[b]);
            blocks[k] = palMat3MulAdd(block, 1.0, palTurningBlock(rotation[b], gradient[a]));
        }
    }
    addElement(body, t, force, blocks, c);
    limitVolume(body, t, J);
}

// Adds elements that are lanes, from `element` on: forces [corner][axis][lane], blocks of each lane
// after the other.
static void addLanes(palSoftBody* body, int element, int corners,
                     const double (*forces)[3][pal_lanes], const palMat3* blocks,
                     const double* determinant, const double* rankOne)
{
    bool isTet = element < body->tetCount;
    int end = isTet ? body->tetCount : body->tetCount + body->hexCount;
    int blockCount = isTet ? pal_tetBlocks : pal_hexBlocks;
    for (int lane = 0; lane < pal_lanes && element + lane < end; lane++)
    {
        palVec3 force[8];
        for (int a = 0; a < corners; a++)
            force[a] = palMakeVec3(forces[a][0][lane], forces[a][1][lane], forces[a][2][lane]);
        addElement(body, element + lane, force, blocks + lane * blockCount, rankOne[lane]);
        limitVolume(body, element + lane, determinant[lane]);
        body->invertedCount += determinant[lane] < invertedVolume;
    }
}

// The tetrahedra t to t + pal_lanes - 1 at once.
static void lineariseLanes(palSoftBody* body, int t, palTangent tangent)
{
    palTetLanesState state;
    state.stiffening = body->stiffening;
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
    addLanes(body, t, 4, (const double(*)[3][pal_lanes])state.force, state.block[0],
             state.determinant, state.rankOne);
}

// The stress of a brick varies within it; for the stiffness that comes from the rotation of R
// (turning.h) that of its centre is taken.
static void lineariseHex(palSoftBody* body, int h, palTangent tangent)
{
    const palHexShape* shape = &body->hexModels[body->hexShapes[h]];
    const int* nodes = body->hexes[h];
    palVec3 x[8], force[8];
    for (int a = 0; a < 8; a++)
        x[a] = body->x[nodes[a]];
    palMat3 R = palHexShape_Forces(shape, body->hexYoung[h], x, force);
    double c, s = stiffenForces(body, body->tetCount + h, nodes, 8, R, force, &c);
    palMaterial material = {.young = palStiffening_Turning(s) * body->hexYoung[h],
                            .poisson = body->poisson};
    palMat3 F = palSoftBody_Gradient(x, shape->g, 8);
    palMat3 G = palTurning(F, R, palMaterial_Lame(&material), tangent);
    double J = palMat3Determinant(F);
    body->invertedCount += J < invertedVolume;
    palVec3 gradient[8], rotation[8][3];
    palMat3 blocks[pal_hexBlocks];
    for (int a = 0, k = 0; a < 8; a++)
    {
        gradient[a] = palMat3Apply(R, shape->g[a]);
        palTurningColumns(shape->volume, G, gradient[a], rotation[a]);
        for (int b = 0; b <= a; b++, k++)
        {
            palMat3 block = palHexShape_Block(shape, s * body->hexYoung[h], R, a, b);
            blocks[k] = palMat3MulAdd(block, 1.0, palTurningBlock(rotation[b], gradient[a]));
        }
    }
    addElement(body, body->tetCount + h, force, blocks, c);
    limitVolume(body, body->tetCount + h, J);
}

// Whether the bricks h to h + pal_lanes - 1 have the same shape.
static bool haveOneShape(const palSoftBody* body, int h)
{
    for (int lane = 1; lane < pal_lanes && h + pal_lanes <= body->hexCount; lane++)
        if (body->hexShapes[h + lane] != body->hexShapes[h])
            return false;
    return h + pal_lanes <= body->hexCount;
}

// The bricks h to h + pal_lanes - 1 at once.
static void lineariseHexLanes(palSoftBody* body, int h, palTangent tangent)
{
    palHexLanesState state;
    state.stiffening = body->stiffening;
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
    addLanes(body, body->tetCount + h, 8, (const double(*)[3][pal_lanes])state.force,
             state.block[0], state.determinant, state.rankOne);
}

static void lineariseElements(palSoftBody* body, palTangent tangent)
{
    palBlockMatrix_Clear(&body->K);
    body->tangent = tangent;
    body->invertedCount = 0;
    memset(body->force, 0, 3 * (size_t)body->freeCount * sizeof *body->force);
    for (int i = 0; i < body->nodeCount; i++)
        addForce(body, i, palMulAdd(body->load[i], body->mass[i], body->gravity));
    bool inLanes = body->usesLanes && body->tetLanes != NULL;
    for (int t = 0; t < body->tetCount; t += inLanes ? pal_lanes : 1)
        (inLanes ? lineariseLanes : lineariseTet)(body, t, tangent);
    for (int h = 0; h < body->hexCount;)
    {
        bool hexInLanes = body->usesLanes && haveOneShape(body, h);
        (hexInLanes ? lineariseHexLanes : lineariseHex)(body, h, tangent);
        h += hexInLanes ? pal_lanes : 1;
    }
}

// Takes the limit of volume from elements that share a node with one that is inside out, and gives
// it back, as volume_limit.h says. Returns whether it changed any.
static bool updateLimits(palSoftBody* body)
{
    int elements = body->tetCount + body->hexCount, count;
    bool isAny = body->unlimitedCount > 0, isChanged = false;
    for (int e = 0; e < elements && !isAny; e++)
        isAny = body->volume[e] < 0.0;
    if (!isAny)
        return false;
    memset(body->isInsideOut, 0, (size_t)body->nodeCount * sizeof *body->isInsideOut);
    for (int e = 0; e < elements; e++)
    {
        const int* nodes = palSoftBody_ElementNodes(body, e, &count);
        for (int a = 0; a < count && body->volume[e] < 0.0; a++)
            body->isInsideOut[nodes[a]] = true;
    }
    body->unlimitedCount = 0;
    for (int e = 0; e < elements; e++)
    {
        const int* nodes = palSoftBody_ElementNodes(body, e, &count);
        bool was = body->isUnlimited[e], is = was && body->volume[e] < pal_volumeLinear;
        for (int a = 0; a < count && !is; a++)
            is = body->isInsideOut[nodes[a]];
        body->isUnlimited[e] = is;
        body->unlimitedCount += is;
        isChanged |= is != was;
    }
    return isChanged;
}

void palSoftBody_Linearise(palSoftBody* body, palTangent tangent)
{
    lineariseElements(body, tangent);
    if (updateLimits(body))
        lineariseElements(body, tangent);
}

//--------------------------------------------------------------------------------------------------
// The system

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
