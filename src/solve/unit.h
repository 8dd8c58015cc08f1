// SPDX-License-Identifier: Apache-2.0
// A unit: the rows that one step of a sweep solves together and exactly.
//
// A unilateral or box row is a unit of its own; bilateral rows form groups of up to six; a
// frictional block is one unit. Torsion rows have been scaled by the radius ρ (λ/ρ in N, ρ δ in m),
// which turns the elliptic cone of pal_lawTorsion into a circular one.
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
    int row;        // first row, in the problem or in the view that contains the unit
    int size;       // rows
    bool immovable; // W is zero in its first row: no force can move it
    double mu;      // pyramid, cone
    double low;     // box, N
    double high;
    double w;    // the scale of the natural map: Wii, for cones the largest of the block, m/N
    double slip; // cone: |δt|/|λt| of the last sliding solution, m/N; the next starting guess
} palUnit;

/// The factored diagonal block of W of a unit; computed once per solve.
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

/// Fills the factor from the block A, [size][size]. An asymmetric block is replaced by its
/// symmetric part, which changes the convergence but not the solution.
void palUnit_Prepare(palUnit* unit, const double* A, palUnitFactor* factor);

/// Solves the unit's law for δ' = gap + A (λ' − λ) exactly. Writes λ' − λ to `change`; returns
/// false if it is zero. `omega` is the relaxation: λ' = P(λ + ω (exact − λ)).
bool palUnit_Solve(palUnit* unit, const palUnitFactor* factor, const double* gap,
                   const double* lambda, double omega, double* change);

/// The starting λ of a unit: the guess (NULL: zero), of the problem, scaled and projected onto the
/// law's set. An immovable box row gets the bound given by the sign of `gapFree`, its first gap.
void palUnit_Start(const palUnit* unit, const double* scale, double gapFree, const double* guess,
                   double* lambda);

/// Projects λ onto the set of forces that the law allows.
void palUnit_Project(const palUnit* unit, double* lambda);

/// The natural-map residual of a unit, m; `diagonal` holds Wii of its rows. `force` receives it in
/// N.
double palUnit_Residual(const palUnit* unit, const double* diagonal, const double* gap,
                        const double* lambda, double* force);

/// Whether the unit is inactive: its current λ (0, or a bound of a box) satisfies its law at this
/// gap.
bool palUnit_IsInactive(const palUnit* unit, const double* gap, const double* lambda);

#endif
