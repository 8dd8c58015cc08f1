// SPDX-License-Identifier: Apache-2.0
// The matrix of a soft cube: n x n x n cells, five tetrahedra per cell, linear isotropic
// elasticity, backward Euler: A = M + h² K. One face is fixed: its nodes have mass but no
// stiffness. Used by tests and benchmarks.
//
// The stiffness between corners a and b of a tetrahedron of volume V with shape gradients g:
//     V (λ ga gbᵀ + μ gb gaᵀ + μ (ga·gb) I)
#ifndef PAL_BENCH_ELASTIC_BLOCK_H
#define PAL_BENCH_ELASTIC_BLOCK_H

#include "linalg/block_matrix.h"

#include <stdlib.h>

typedef struct palElasticBlock
{
    int n;            // cells per side
    double size;      // of the cube, m
    double young;     // Pa
    double poisson;   //
    double density;   // kg/m³
    double dt;        // h, s
    double twist;     // rad: rotation of the material, from 0 at the fixed face to this
    int nodeCount;    // (n + 1)³
    int tetCount;     // 5 n³
    int (*tets)[4];   // owned, [tetCount]
    palVec3* nodes;   // owned, [nodeCount], m; node i + (n + 1) (j + (n + 1) k) at (i, j, k)
    int (*slots)[10]; // owned, [tetCount]: blocks in A of the pairs (a, b), a >= b, row by row
    palBlockMatrix A; // owned
} palElasticBlock;

static inline palElasticBlock palMakeElasticBlock(int n)
{
    return (palElasticBlock){
        .n = n, .size = 0.1, .young = 10e3, .poisson = 0.4, .density = 1000.0, .dt = 0.01};
}

static inline int palElasticBlock_Node(const palElasticBlock* block, int i, int j, int k)
{
    return i + (block->n + 1) * (j + (block->n + 1) * k);
}

static inline bool palElasticBlock_IsHeld(const palElasticBlock* block, int node)
{
    return node < (block->n + 1) * (block->n + 1);
}

// Five tetrahedra per cell: four at alternate corners and one in the middle. Cells of odd parity
// are mirrored, so that the diagonals of neighbours match.
static inline void palElasticBlock_CutCell(palElasticBlock* block, int i, int j, int k)
{
    static const int corners[5][4] = {
        {0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7}};
    int flip = (i + j + k) & 1;
    for (int t = 0; t < 5; t++)
    {
        int* tet = block->tets[block->tetCount++];
        for (int c = 0; c < 4; c++)
        {
            int corner = corners[t][c] ^ flip;
            tet[c] = palElasticBlock_Node(block, i + (corner & 1), j + (corner >> 1 & 1),
                                          k + (corner >> 2));
        }
    }
}

// Shape gradients, 1/m, and the volume, m³.
static inline double palElasticBlock_Gradients(const palElasticBlock* block, const int tet[4],
                                               palVec3 g[4])
{
    palVec3 x0 = block->nodes[tet[0]];
    palVec3 a = palSub(block->nodes[tet[1]], x0);
    palVec3 b = palSub(block->nodes[tet[2]], x0);
    palVec3 c = palSub(block->nodes[tet[3]], x0);
    double six = palDot(a, palCross(b, c));
    g[1] = palScale(1.0 / six, palCross(b, c));
    g[2] = palScale(1.0 / six, palCross(c, a));
    g[3] = palScale(1.0 / six, palCross(a, b));
    g[0] = palScale(-1.0, palAdd(g[1], palAdd(g[2], g[3])));
    // Rotated about the vertical axis, proportional to the distance from the fixed face.
    double angle = block->twist * x0.z / block->size;
    palQuat turn = {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
    for (int k = 0; k < 4; k++)
        g[k] = palRotate(turn, g[k]);
    return (six < 0.0 ? -six : six) / 6.0;
}

/// Assembles A with the material and twist of the block.
static inline void palElasticBlock_Assemble(palElasticBlock* block)
{
    double mu = block->young / (2.0 * (1.0 + block->poisson));
    double lambda =
        block->young * block->poisson / ((1.0 + block->poisson) * (1.0 - 2.0 * block->poisson));
    double h2 = block->dt * block->dt;
    palBlockMatrix_Clear(&block->A);
    for (int t = 0; t < block->tetCount; t++)
    {
        const int* tet = block->tets[t];
        palVec3 g[4];
        double V = palElasticBlock_Gradients(block, tet, g);
        int at = 0;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b <= a; b++)
            {
                int slot = block->slots[t][at++];
                bool turned = tet[a] < tet[b];
                palVec3 ga = g[turned ? b : a];
                palVec3 gb = g[turned ? a : b];
                palMat3 m = {0};
                if (a == b)
                    m = palMat3MulAdd(m, 0.25 * block->density * V, pal_identityMat3);
                if (!palElasticBlock_IsHeld(block, tet[a]) &&
                    !palElasticBlock_IsHeld(block, tet[b]))
                {
                    m = palMat3MulAdd(m, h2 * V * lambda, palOuter(ga, gb));
                    m = palMat3MulAdd(m, h2 * V * mu, palOuter(gb, ga));
                    m = palMat3MulAdd(m, h2 * V * mu * palDot(ga, gb), pal_identityMat3);
                }
                palBlockMatrix_Add(&block->A, slot, m);
            }
    }
}

static inline void palElasticBlock_Free(palElasticBlock* block)
{
    free(block->tets);
    free(block->nodes);
    free(block->slots);
    palBlockMatrix_Free(&block->A);
}

/// Creates the mesh, the sparsity pattern and the matrix of a block from palMakeElasticBlock.
static inline palResult palElasticBlock_Init(palElasticBlock* block, palError* error)
{
    int n = block->n;
    block->nodeCount = (n + 1) * (n + 1) * (n + 1);
    block->tets = malloc((size_t)(5 * n * n * n) * sizeof *block->tets);
    block->slots = malloc((size_t)(5 * n * n * n) * sizeof *block->slots);
    block->nodes = malloc((size_t)block->nodeCount * sizeof *block->nodes);
    palResult result = block->tets != NULL && block->slots != NULL && block->nodes != NULL
                           ? pal_ok
                           : pal_errorMemory;
    for (int k = 0; k <= n && result == pal_ok; k++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++)
            {
                block->nodes[palElasticBlock_Node(block, i, j, k)] =
                    palScale(block->size / n, palMakeVec3(i, j, k));
                if (i < n && j < n && k < n)
                    palElasticBlock_CutCell(block, i, j, k);
            }
    if (result == pal_ok)
        result = palBlockMatrix_InitElements(&block->A, block->nodeCount, &block->tets[0][0], 4,
                                             block->tetCount, error);
    if (result != pal_ok)
    {
        palElasticBlock_Free(block);
        return result;
    }
    for (int t = 0; t < block->tetCount; t++)
    {
        const int* tet = block->tets[t];
        int at = 0;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b <= a; b++)
                block->slots[t][at++] = tet[a] > tet[b]
                                            ? palBlockMatrix_Slot(&block->A, tet[a], tet[b])
                                            : palBlockMatrix_Slot(&block->A, tet[b], tet[a]);
    }
    palElasticBlock_Assemble(block);
    return pal_ok;
}

#endif
