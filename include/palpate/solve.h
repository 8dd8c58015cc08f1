// SPDX-License-Identifier: Apache-2.0
// Palpate: contact problems and their solvers.
//
// Every method ends in one problem:  find the forces λ (N) and the gaps δ (m) with
//
//     δ = δ_free + W λ          W = h² J A⁻¹ Jᵀ, the compliance in m/N, symmetric, semi-definite
//
// and a law between δ and λ, block of rows by block of rows (palLaw). A solver is settings, info
// and workspace: the workspace is made once for the largest problem.
//
// THE REAL-TIME CONTRACT. palContactProblem_Solve and palContactProblem_Residual allocate nothing,
// lock nothing and do no I/O. Their work is bounded by the sweeps and the time that the settings
// allow; the clock is read once a sweep. When the budget ends, the best iterate so far is returned
// with its residual and a flag. The solvers are deterministic: the same problem, settings and
// starting λ give the same bits on the same processor, as long as no time budget ends them.
//
// DEGENERATE INPUT has a defined outcome, and λ is never NaN:
//   - no rows, or no blocks: converged, residual 0.
//   - a row that nothing can move (its row of W is zero): λ = 0 there. It counts as a violation in
//     metres if its law does not hold for δ_free, and the solve is then flagged infeasible.
//   - W rank-deficient, rows redundant: one of the solutions; their δ is the same, the forces of
//     redundant rows share the load as the starting λ and the order of the rows say.
//   - μ = 0: no tangential force. Torsion radius 0: no torsional torque.
//   - bilateral rows that contradict each other: the best iterate found, never converged; the
//     direct solver flags it infeasible.
//   - NaN or infinity in what the solve reads: λ = 0, residual infinite, flagged not finite.
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
    /// Coulomb, linearised row by row: Signorini on the first, |λt| <= μ λn on the one or two
    /// tangential rows, each a box of its own. Two or three rows.
    pal_lawPyramid,
    /// Coulomb with the exact cone |λt| <= μ λn: sticking has δt = 0, sliding has δt against λt.
    /// Two or three rows.
    pal_lawCone,
    /// Coulomb with torsion, four rows (n, t1, t2, torsion about n): the elliptic limit surface
    /// |λt|² + (λz/ρ)² <= (μ λn)², with slip (δt, ρ² δz) against (λt, λz): of all forces that the
    /// surface allows, the one that dissipates most. λz is a torque in N·m, δz an angle in rad.
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
    bool asymmetric;               ///< W is not symmetric; slower, and convergence is not assured
    const double* W;               ///< [rows][stride], m/N
    const double* gapFree;         ///< δ_free, [rows], m
    const palContactBlock* blocks; ///< [blockCount], in the order of their rows
} palContactProblem;

/// Whether the shape is right: sizes, order and parameters of the blocks. Solve trusts it.
PAL_API palResult palContactProblem_Check(const palContactProblem* problem, palError* error);

/// The name of a law in problem files: "unilateral", ...; NULL past the last.
PAL_API const char* palLawName(palLaw law);

typedef enum palSolver
{
    /// Direct where every law is linear, else Newton where rows remain coupled: what to use when
    /// accuracy is asked for.
    pal_solverAutomatic,
    /// Nonsmooth Gauss-Seidel: blocks in turn, each solved exactly. What to use in a fixed budget.
    pal_solverGaussSeidel,
    /// The same sweep as the gradient of a nonlinear conjugate gradient method (Silcowitz, Niebe
    /// and Erleben 2010).
    pal_solverConjugate,
    /// Block principal pivoting (Júdice and Pires 1994), Lemke's method where it cycles. For
    /// unilateral, bilateral and box rows; a problem with friction goes to pal_solverNewton.
    pal_solverDirect,
    /// Gauss-Seidel sweeps, then Newton steps on the natural map (Alart and Curnier 1991) while
    /// they reduce the residual.
    pal_solverNewton,
} palSolver;

/// The name of a solver on the command line: "automatic", ...; NULL past the last.
PAL_API const char* palSolverName(palSolver solver);

typedef struct palSolveSettings
{
    palSolver solver;
    double tolerance;  ///< of the residual in metres, relative to max |δ_free|
    int maxSweeps;     ///< Gauss-Seidel sweeps, and block pivoting or Newton steps counted as
                       ///< sweeps. Lemke's method ends after 40 pivots a row, whatever this says
    int64_t budget;    ///< ns; 0: no limit of time
    double relaxation; ///< of a sweep: 1 plain, below 1 damped, up to 2 over-relaxed
    bool warmStart;    ///< λ holds a guess on entry; otherwise it starts at zero
    bool scalar;       ///< use the scalar row kernels even where the processor has AVX2
    double* history;   ///< borrowed, may be NULL: residual in metres after each sweep. Costs the
                       ///< residual of the whole problem a sweep
    int historyCapacity;
} palSolveSettings;

/// Gauss-Seidel, 10⁻⁸, 200 sweeps, no limit of time, no relaxation, cold.
PAL_API palSolveSettings palDefaultSolveSettings(void);

typedef enum palSolveFlag
{
    pal_solveConverged = 1,   ///< the residual is within the tolerance
    pal_solveBudgetEnded = 2, ///< sweeps or time ended first
    pal_solveInfeasible = 4,  ///< no λ satisfies every law
    pal_solveNotFinite = 8,   ///< NaN or infinity in the problem
    pal_solveFellBack = 16,   ///< the direct solver went on to Lemke's method
} palSolveFlag;

typedef struct palSolveInfo
{
    unsigned flags;       ///< of palSolveFlag
    palSolver solver;     ///< the one that ran; never automatic
    int sweeps;           ///< and steps
    int activeRows;       ///< rows with λ ≠ 0
    double residual;      ///< m: the largest Wii r over the blocks
    double residualForce; ///< N: the largest r = |λ − P(λ − δ/Wii)|
    double scale;         ///< m: what the tolerance is relative to
    int historyCount;     ///< entries written to the history
} palSolveInfo;

/// The natural-map residual of any λ, from δ = δ_free + W λ computed afresh: zero exactly at a
/// solution. P projects on the set of forces that the law allows. Wii is the row's own diagonal
/// entry; a cone has one for the block, the largest, and the De Saxcé shift δn + μ|δt| in place of
/// δn, which turns Coulomb's law into a complementarity of cones (De Saxcé and Feng 1998). `gap`
/// takes δ, [rows]. Fills residual, residualForce, activeRows, scale and the flags notFinite and
/// infeasible of info.
PAL_API void palContactProblem_Residual(const palContactProblem* problem, const double* lambda,
                                        double* gap, palSolveInfo* info);

typedef struct palSolveWorkspace palSolveWorkspace;

/// A workspace for problems of at most `maxRows` rows. `direct` adds what the direct and the Newton
/// solver need: 4 maxRows² doubles more. Without it they are not to be asked for.
PAL_API palResult palSolveWorkspace_Create(int maxRows, bool direct, palSolveWorkspace** workspace,
                                           palError* error);
PAL_API void palSolveWorkspace_Destroy(palSolveWorkspace* workspace);

/// Solves the problem. λ, [rows], holds the starting guess where settings say so, and the result.
/// A problem larger than the workspace, or a solver that the workspace was not made for, is
/// refused with pal_errorInput and λ = 0; everything else is told by info.
PAL_API palResult palContactProblem_Solve(const palContactProblem* problem,
                                          const palSolveSettings* settings,
                                          palSolveWorkspace* workspace, double* lambda,
                                          palSolveInfo* info);

/// A problem that owns its arrays, as read from a file.
typedef struct palStoredProblem
{
    palContactProblem problem; ///< its pointers are the owned arrays below
    double* W;                 ///< owned
    double* gapFree;           ///< owned
    palContactBlock* blocks;   ///< owned
    double* lambda;            ///< owned; a guess from the file, or zeros
    bool hasGuess;
    const char* format; ///< "palpate problem", "Siconos LCP", "FCLib local", ...
} palStoredProblem;

/// Reads a problem: our text format (docs/problems.md), the text formats of Siconos Numerics for
/// linear, mixed linear and friction problems, and FCLib's HDF5 where the build has it. The format
/// is told by the content.
PAL_API palResult palStoredProblem_Read(const char* path, palStoredProblem* stored,
                                        palError* error);
PAL_API void palStoredProblem_Free(palStoredProblem* stored);

/// Writes a problem in our text format, with a guess or a solution `lambda` unless it is NULL.
/// Every number survives the round trip.
PAL_API palResult palContactProblem_Write(const palContactProblem* problem, const double* lambda,
                                          const char* path, palError* error);

#ifdef __cplusplus
}
#endif
#endif
