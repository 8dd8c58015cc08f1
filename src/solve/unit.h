// SPDX-License-Identifier: Apache-2.0
// A unit: the rows that one step of a sweep solves together, and exactly.
//
// A block of unilateral or box rows is a unit a row; bilateral rows go in groups of up to six; a
// frictional block is one unit. Torsion rows are scaled by the radius ρ before they come here
// (λ/ρ in N, ρ δ in m), which makes the elliptic cone of pal_lawTorsion a circular one.
#ifndef PAL_SOLVE_UNIT_H
#define PAL_SOLVE_UNIT_H

#include <palpate/solve.h>

enum
{
    pal_unitMaxRows = 6,
    pal_coneMaxRows = 4,
};

typedef enum palUnitKind
{
    pal_unitUnilateral,
    pal_unitBilateral,
    pal_unitBox,
    pal_unitPyramid,
    pal_unitCone,
} palUnitKind;

typedef struct palUnit
{
    palUnitKind kind;
    int row;    // first row, in the problem or in the view that holds the unit
    int size;   // rows
    bool dead;  // nothing can move its first row: W is zero there
    double mu;  // pyramid, cone
    double low; // box, N
    double high;
    double w;    // the scale of the natural map: Wii, for cones the largest of the block, m/N
    double slip; // cone: |δt|/|λt| of the last sliding solution, m/N; the next one starts there
} palUnit;

/// What a unit's solve needs of its own block of W; made once a solve.
typedef union palUnitFactor
{
    // Bilateral: the inverse of the block; rows and columns of dependent rows are zero.
    double inverse[pal_unitMaxRows * pal_unitMaxRows];

    // Pyramid and cone: the block A; for a cone also the eigenvectors V and eigenvalues β of its
    // Schur complement Att − Atn Ant / Ann, and c = Vᵀ Atn / Ann.
    struct
    {
        double A[pal_coneMaxRows * pal_coneMaxRows];
        double V[9];
        double beta[3];
        double c[3];
    } contact;
} palUnitFactor;

/// Fills the factor from the block A, [size][size]. An asymmetric block is taken by its symmetric
/// part, which changes the way to the solution and not the solution.
void palUnit_Prepare(palUnit* unit, const double* A, palUnitFactor* factor);

/// Solves the unit's law for δ' = gap + A (λ' − λ), exactly. Writes λ' − λ to `change` and returns
/// false where it is all zero. `omega` relaxes: λ' = P(λ + ω (exact − λ)).
bool palUnit_Solve(palUnit* unit, const palUnitFactor* factor, const double* gap,
                   const double* lambda, double omega, double* change);

/// Puts λ on the set of forces that the law allows, by the shortest way.
void palUnit_Project(const palUnit* unit, double* lambda);

/// The natural map's residual of a unit, m; `diagonal` holds its rows' Wii. `force` takes it in N.
double palUnit_Residual(const palUnit* unit, const double* diagonal, const double* gap,
                        const double* lambda, double* force);

/// Whether the unit is at rest: λ = 0 is a solution of it at this gap.
bool palUnit_Rests(const palUnit* unit, const double* gap, const double* lambda);

#endif
