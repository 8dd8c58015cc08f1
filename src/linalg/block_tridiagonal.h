// SPDX-License-Identifier: Apache-2.0
// Symmetric positive definite block-tridiagonal matrices with 6x6 blocks, as they arise from chains
// of bodies with six coordinates each.
//
//         | D0  C0ᵀ         |               | L0          |
//     A = | C0  D1  C1ᵀ     | = L Lᵀ,   L = | B0  L1      |   Li Liᵀ = Di - Bi-1 Bi-1ᵀ
//         |     C1  D2  ... |               |     B1  ... |   Bi = Ci Li⁻ᵀ
//
// Cholesky instead of LU: the matrices used here, M + h D + h² K, are symmetric positive definite,
// so that no pivoting is needed, half the work is saved, and a compliance is Zᵀ Z with Z = L⁻¹ Jᵀ,
// which needs only the forward substitution.
//
// Single rows may be held (fixed): they are removed from the system, and the solution is zero
// there. Factor and solve cost O(n). Nothing is allocated after Init, and the time depends only on
// n.
#ifndef PAL_LINALG_BLOCK_TRIDIAGONAL_H
#define PAL_LINALG_BLOCK_TRIDIAGONAL_H

#include <palpate/base.h>

enum
{
    pal_tridiagonalRows = 6, // scalar rows of a block
};

typedef struct palBlock6
{
    double m[6][6]; // [row][column]
} palBlock6;

typedef struct palBlockTridiagonal
{
    int blockCount;      // n
    palBlock6* diagonal; // owned, [n]: Di; both triangles are stored, the lower one is factored
    palBlock6* lower;    // owned, [n - 1]: Ci, the block (i + 1, i)
} palBlockTridiagonal;

/// The factor L. Written by Factor.
typedef struct palTridiagonalFactor
{
    int blockCount;
    palBlock6* diagonal; // owned, [n]: Li, lower triangle; its diagonal holds the reciprocals, and
                         // zero for held rows
    palBlock6* lower;    // owned, [n - 1]: Bi
    int64_t operations;  // block operations since Init, for cost measurements
} palTridiagonalFactor;

palResult palBlockTridiagonal_Init(palBlockTridiagonal* A, int blockCount, palError* error);
void palBlockTridiagonal_Free(palBlockTridiagonal* A);
void palBlockTridiagonal_Clear(palBlockTridiagonal* A);

/// y = A x, both [6 n], not overlapping.
void palBlockTridiagonal_Multiply(const palBlockTridiagonal* A, const double* x, double* y);

palResult palTridiagonalFactor_Init(palTridiagonalFactor* L, int blockCount, palError* error);
void palTridiagonalFactor_Free(palTridiagonalFactor* L);

/// Factors A without the held rows: bit r of held[i] is row r of block i; NULL: no row is held.
/// Returns false if the remaining matrix is not positive definite; the factor is then invalid.
bool palTridiagonalFactor_Factor(palTridiagonalFactor* L, const palBlockTridiagonal* A,
                                 const uint8_t* held);

/// y ← L⁻¹ y for a y that is zero before block `first`; those blocks are neither read nor written.
void palTridiagonalFactor_Forward(palTridiagonalFactor* L, int first, double* y);
/// y ← L⁻ᵀ y for the blocks from `first` on; earlier blocks are neither read nor written.
void palTridiagonalFactor_Backward(palTridiagonalFactor* L, int first, double* y);
/// x ← A⁻¹ x for an x that is zero before block `first`. Held rows become zero.
void palTridiagonalFactor_Solve(palTridiagonalFactor* L, int first, double* x);

#endif
