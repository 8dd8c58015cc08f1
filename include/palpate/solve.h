// SPDX-License-Identifier: Apache-2.0
// Palpate: contact problems and their solvers.
//
// Every method leads to the same kind of problem: find the forces λ (N) and the gaps δ (m) with
//
//     δ = δ_free + W λ          W = h² J A⁻¹ Jᵀ, the compliance in m/N, symmetric, semi-definite
//
// and a law between δ and λ for each block of rows (palLaw). A solver consists of settings, info
// and workspace: the workspace is created once for the largest problem.
//
// THE REAL-TIME CONTRACT. palContactProblem_Solve and palContactProblem_Residual do not allocate,
// lock or do I/O. Their work is bounded by the sweeps and the time in the settings; the clock is
// read once per sweep. When the budget ends, the best iterate so far is returned with its residual
// and a flag. The solvers are deterministic: the same problem, settings and starting λ give bitwise
// equal results on the same processor, unless a time budget ends the solve.
//
// DEGENERATE INPUT has a defined outcome, and λ is never NaN:
//   - no rows, or no blocks: converged, residual 0.
//   - an immovable row (its row of W is zero): λ = 0. If its law does not hold for δ_free, the
//     violation in metres is its residual, and the solve is flagged infeasible.
//   - W rank-deficient, rows redundant: one of the solutions; all have the same δ, and the
//     distribution of force among redundant rows depends on the starting λ and the row order.
//   - μ = 0: no tangential force. Torsion radius 0: no torsional torque.
//   - bilateral rows that contradict each other: the best iterate found, never converged; the
//     direct solver flags it infeasible.
//   - NaN or infinity in the input: λ = 0, residual infinite, flagged not finite.
#ifndef PALPATE_SOLVE_H
#define PALPATE_SOLVE_H

#include <palpate/base.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// The relation of δ and λ in a block of rows. Rows of a frictional block: the normal first.
typedef enum palLaw
{
    /// Signorini, each row: 0 <= λ ⊥ δ >= 0. Any number of rows.
    pal_lawUnilateral,
    /// Each row: δ = 0, λ free. Any number of rows; up to six at a time are solved together.
    pal_lawBilateral,
    /// Each row: low <= λ <= high; δ = 0 strictly between, δ >= 0 at low, δ <= 0 at high. Bounds
    /// may be infinite.
    pal_lawBox,
    /// Coulomb, linearised row by row: Signorini on the first, |λt| <= μ λn separately on each of
    /// the one or two tangential rows. Two or three rows.
    pal_lawPyramid,
    /// Coulomb with the exact cone |λt| <= μ λn: sticking has δt = 0, sliding has δt opposite to
    /// λt. Two or three rows.
    pal_lawCone,
    /// Coulomb with torsion, four rows (n, t1, t2, torsion about n): the elliptic limit surface
    /// |λt|² + (λz/ρ)² <= (μ λn)², with slip (δt, ρ² δz) opposite to (λt, λz): maximum dissipation
    /// over the limit surface. λz is a torque in N·m, δz an angle in rad.
    pal_lawTorsion,
} palLaw;

typedef struct palContactBlock
{
    palLaw law;
    int row;       ///< first row; the blocks follow each other without gaps or overlaps
    int size;      ///< rows
    double mu;     ///< friction coefficient, >= 0 (pyramid, cone, torsion)
    double radius; ///< torsion: ρ, m, >= 0
    double low;    ///< box: N, may be -INFINITY
    double high;   ///< box: N, >= low, may be INFINITY
} palContactBlock;

/// A problem; every pointer is borrowed.
typedef struct palContactProblem
{
    int rows;
    int blockCount;
    int stride;                    ///< doubles from one row of W to the next, >= rows
    bool asymmetric;               ///< W is not symmetric; slower, without guaranteed convergence
    const double* W;               ///< [rows][stride], m/N
    const double* gapFree;         ///< δ_free, [rows], m
    const palContactBlock* blocks; ///< [blockCount], in the order of their rows
} palContactProblem;

/// Checks sizes, order and parameters of the blocks. Solve does not check them.
PAL_API palResult palContactProblem_Check(const palContactProblem* problem, palError* error);

/// The name of a law in problem files: "unilateral", ...; NULL past the last.
PAL_API const char* palLawName(palLaw law);

typedef enum palSolver
{
    /// Direct if every law is linear, otherwise Newton: for high accuracy. Where the direct solver
    /// fails with a matrix that cannot be a compliance, Newton as well.
    pal_solverAutomatic,
    /// Nonsmooth Gauss-Seidel: one block after another, each solved exactly. For a fixed budget.
    pal_solverGaussSeidel,
    /// The same sweep as the gradient of a nonlinear conjugate gradient method (Silcowitz, Niebe
    /// and Erleben 2010).
    pal_solverConjugate,
    /// Block principal pivoting (Júdice and Pires 1994), Lemke's method if it cycles. For
    /// unilateral, bilateral and box rows; a problem with friction is solved by pal_solverNewton.
    pal_solverDirect,
    /// Gauss-Seidel sweeps, then Newton steps on the natural map (Alart and Curnier 1991) while
    /// they reduce the residual, and proximal steps (Rockafellar 1976) where these fail.
    pal_solverNewton,
} palSolver;

/// The name of a solver on the command line: "automatic", ...; NULL past the last.
PAL_API const char* palSolverName(palSolver solver);

typedef struct palSolveSettings
{
    palSolver solver;
    double tolerance;  ///< of the residual in metres, relative to max |δ_free|
    double accuracy;   ///< m: a residual up to this is within the tolerance too, as is one that
                       ///< rounding leaves: eps times the magnitudes that W λ adds up
    int maxSweeps;     ///< Gauss-Seidel sweeps; steps of block pivoting, Newton and the
                       ///< proximal method count as sweeps. Lemke's method has its own limit of
                       ///< 40 pivots per row
    int64_t budget;    ///< ns; 0: no time limit
    double relaxation; ///< of a sweep: 1 plain, below 1 damped, up to 2 over-relaxed
    bool warmStart;    ///< λ holds a guess on entry; otherwise it starts at zero
    bool scalar;       ///< use the scalar row kernels even if the processor has AVX2
    double* history;   ///< borrowed, may be NULL: residual in metres after each sweep. Requires
                       ///< the residual of the whole problem in every sweep
    int historyCapacity;
} palSolveSettings;

/// Gauss-Seidel, tolerance 10⁻⁸, 200 sweeps, no time limit, no relaxation, cold start.
PAL_API palSolveSettings palDefaultSolveSettings(void);

typedef enum palSolveFlag
{
    pal_solveConverged = 1,   ///< the residual is within the tolerance
    pal_solveBudgetEnded = 2, ///< the limit of sweeps or time was reached
    pal_solveInfeasible = 4,  ///< no λ satisfies every law
    pal_solveNotFinite = 8,   ///< NaN or infinity in the problem
    pal_solveFellBack = 16,   ///< the direct solver used Lemke's method
} palSolveFlag;

typedef struct palSolveInfo
{
    unsigned flags;       ///< of palSolveFlag
    palSolver solver;     ///< the solver used; never automatic
    int sweeps;           ///< sweeps and steps
    int activeRows;       ///< rows with λ ≠ 0
    double residual;      ///< m: the largest Wii r over the blocks
    double residualForce; ///< N: the largest r = |λ − P(λ − δ/Wii)|
    double scale;         ///< m: reference length of the tolerance
    int historyCount;     ///< entries written to the history
} palSolveInfo;

/// The natural-map residual of any λ, with δ = δ_free + W λ recomputed: zero exactly at a solution.
/// P projects onto the set of forces that the law allows. Wii is the diagonal entry of the row; a
/// cone uses the largest of its block, and the De Saxcé shift δn + μ|δt| instead of δn, which turns
/// Coulomb's law into a complementarity of cones (De Saxcé and Feng 1998). `gap` receives δ,
/// [rows]. Fills residual, residualForce, activeRows, scale and the flags notFinite and infeasible
/// of info.
PAL_API void palContactProblem_Residual(const palContactProblem* problem, const double* lambda,
                                        double* gap, palSolveInfo* info);

typedef struct palSolveWorkspace palSolveWorkspace;

/// A workspace for problems of at most `maxRows` rows. `direct` adds the arrays of the direct and
/// the Newton solver, 4 maxRows² doubles; without it these solvers cannot be used.
PAL_API palResult palSolveWorkspace_Create(int maxRows, bool direct, palSolveWorkspace** workspace,
                                           palError* error);
PAL_API void palSolveWorkspace_Destroy(palSolveWorkspace* workspace);

/// Solves the problem. λ, [rows], holds the starting guess with settings->warmStart and receives
/// the result. Returns pal_errorInput with λ = 0 if the problem is larger than the workspace or the
/// workspace does not support the solver; everything else is reported in info.
PAL_API palResult palContactProblem_Solve(const palContactProblem* problem,
                                          const palSolveSettings* settings,
                                          palSolveWorkspace* workspace, double* lambda,
                                          palSolveInfo* info);

/// A problem that owns its arrays, as read from a file.
typedef struct palStoredProblem
{
    palContactProblem problem; ///< its pointers refer to the owned arrays below
    double* W;                 ///< owned
    double* gapFree;           ///< owned
    palContactBlock* blocks;   ///< owned
    double* lambda;            ///< owned; a guess from the file, or zeros
    bool hasGuess;
    const char* format; ///< "palpate problem", "Siconos LCP", "FCLib local", ...
} palStoredProblem;

/// Reads a problem in the palpate text format (docs/problems.md), the text formats of Siconos
/// Numerics for linear, mixed linear and friction problems, or FCLib's HDF5 if the build supports
/// it. The format is detected from the content.
PAL_API palResult palStoredProblem_Read(const char* path, palStoredProblem* stored,
                                        palError* error);
PAL_API void palStoredProblem_Free(palStoredProblem* stored);

/// Writes a problem in the palpate text format, with a guess or a solution `lambda` unless it is
/// NULL. Every number is read back exactly.
PAL_API palResult palContactProblem_Write(const palContactProblem* problem, const double* lambda,
                                          const char* path, palError* error);

#ifdef __cplusplus
}
#endif
#endif
