// SPDX-License-Identifier: Apache-2.0
#include "solve/impact.h"

#include "base/error.h"
#include "solve/row_basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    pal_impactDofs = 6, // of a body in w and B: M^½ v, then G⁻¹ ω with I⁻¹ = G Gᵀ
};

// Relative to the largest change of speed that is asked for: what an active set leaves unresolved.
#define PAL_IMPACT_TOLERANCE 1e-13

// Of the largest impulse of a round: one that pulls by less is rounding, and not counted.
#define PAL_PULLING_SHARE 1e-9

// The lower triangle of G, row by row: 00, 10, 11, 20, 21, 22.
typedef struct palImpactRoot
{
    double mass; // √(1/m)
    double inertia[6];
} palImpactRoot;

struct palImpactWorkspace
{
    int bodiesMax;
    int rowsMax;
    void* memory;
    palImpactRoot* roots;   // [bodiesMax]
    double* w;              // [bodiesMax * pal_impactDofs]
    double* change;         // likewise: Δw of a round
    double* total;          // likewise: of all rounds
    double* B;              // [rowsMax][n]
    double* set;            // [rowsMax][n]: the rows of B that take part in the round
    int* member;            // [rowsMax]: their rows
    double* norm;           // [rowsMax]: |row| of the set
    double* target;         // [rowsMax]: change of speed asked for, -(1 + e) J v₀
    double* speed;          // [rowsMax]: J v, of all rows
    double* trial;          // [rowsMax]
    double* y;              // [rowsMax]: Δw = Σ y V
    double* impulse;        // [rowsMax]: p of the set
    bool* isPassed;         // [rowsMax]: left out, since only rounding asks for it
    palRowBasis basis;      // of the set, or of those that push
    palRowBasis transposed; // of Lᵀ: the pseudo-inverse
};

//--------------------------------------------------------------------------------------------------
// Memory

static void placeArrays(palImpactWorkspace* workspace, palBlock* block)
{
    size_t rows = (size_t)workspace->rowsMax;
    size_t dofs = (size_t)workspace->bodiesMax * pal_impactDofs;
    workspace->roots = palBlock_Take(block, (size_t)workspace->bodiesMax * sizeof(palImpactRoot));
    workspace->w = palBlock_Take(block, dofs * sizeof(double));
    workspace->change = palBlock_Take(block, dofs * sizeof(double));
    workspace->total = palBlock_Take(block, dofs * sizeof(double));
    workspace->B = palBlock_Take(block, rows * dofs * sizeof(double));
    workspace->set = palBlock_Take(block, rows * dofs * sizeof(double));
    workspace->member = palBlock_Take(block, rows * sizeof(int));
    workspace->isPassed = palBlock_Take(block, rows * sizeof(bool));
    double** arrays[] = {
        &workspace->norm,  &workspace->target, &workspace->speed,
        &workspace->trial, &workspace->y,      &workspace->impulse,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = palBlock_Take(block, rows * sizeof(double));
    palRowBasis_Place(&workspace->basis, workspace->rowsMax, (int)dofs, block);
    palRowBasis_Place(&workspace->transposed, workspace->rowsMax, workspace->rowsMax, block);
}

palResult palImpactWorkspace_Create(int bodiesMax, int rowsMax, palImpactWorkspace** workspace,
                                    palError* error)
{
    const int most = 10000;
    *workspace = NULL;
    if (bodiesMax < 1 || rowsMax < 1 || bodiesMax > most || rowsMax > most)
        return palError_Set(error, pal_errorInput,
                            "invalid size of a collision: %d bodies, %d contacts; each may be 1 to "
                            "%d",
                            bodiesMax, rowsMax, most);
    palImpactWorkspace* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "a workspace of collisions", sizeof *created);
    created->bodiesMax = bodiesMax;
    created->rowsMax = rowsMax;
    palBlock block = {0};
    placeArrays(created, &block);
    created->memory = aligned_alloc(64, block.used);
    if (created->memory == NULL)
    {
        free(created);
        return palError_Memory(error, "a workspace of collisions", block.used);
    }
    // Touch every page now, so that no page fault occurs in a solve.
    memset(created->memory, 0, block.used);
    block = (palBlock){.memory = created->memory};
    placeArrays(created, &block);
    *workspace = created;
    return pal_ok;
}

void palImpactWorkspace_Destroy(palImpactWorkspace* workspace)
{
    if (workspace == NULL)
        return;
    free(workspace->memory);
    free(workspace);
}

//--------------------------------------------------------------------------------------------------
// Velocities and rows in the metric of the masses

static double rootOf(double x, double zero)
{
    return x > zero ? sqrt(x) : 0.0;
}

static double over(double x, double y)
{
    return y > 0.0 ? x / y : 0.0;
}

// I⁻¹ = G Gᵀ. Where a body does not turn about some axis a pivot is zero but for rounding, and its
// column of G is left out.
static palImpactRoot rootMassOf(const palInverseMass* body)
{
    const double(*a)[3] = body->inertia.m;
    const double rounding = 1e-14 * (a[0][0] + a[1][1] + a[2][2]);
    palImpactRoot root = {.mass = rootOf(body->mass, 0.0)};
    double* g = root.inertia;
    g[0] = rootOf(a[0][0], rounding);
    g[1] = over(a[1][0], g[0]);
    g[2] = rootOf(a[1][1] - g[1] * g[1], rounding);
    g[3] = over(a[2][0], g[0]);
    g[4] = over(a[2][1] - g[3] * g[1], g[2]);
    g[5] = rootOf(a[2][2] - g[3] * g[3] - g[4] * g[4], rounding);
    return root;
}

// (mass v, Gᵀ x): a wrench as a row of B.
static void rowOf(const palImpactRoot* root, const palWrench* wrench, double* out)
{
    const double* g = root->inertia;
    palVec3 f = palScale(root->mass, wrench->force), t = wrench->torque;
    const double row[pal_impactDofs] = {
        f.x, f.y, f.z, g[0] * t.x + g[1] * t.y + g[3] * t.z, g[2] * t.y + g[4] * t.z, g[5] * t.z};
    memcpy(out, row, sizeof row);
}

// w = (√m v, G⁻¹ ω)
static void scaleTwist(const palImpactRoot* root, const palTwist* u, double* w)
{
    const double* g = root->inertia;
    w[0] = over(u->v.x, root->mass);
    w[1] = over(u->v.y, root->mass);
    w[2] = over(u->v.z, root->mass);
    w[3] = over(u->omega.x, g[0]);
    w[4] = over(u->omega.y - g[1] * w[3], g[2]);
    w[5] = over(u->omega.z - g[3] * w[3] - g[4] * w[4], g[5]);
}

// The velocity of a Δw.
static palTwist twistOf(const palImpactRoot* root, const double* w)
{
    const double* g = root->inertia;
    return (palTwist){
        {root->mass * w[0], root->mass * w[1], root->mass * w[2]},
        {g[0] * w[3], g[1] * w[3] + g[2] * w[4], g[3] * w[3] + g[4] * w[4] + g[5] * w[5]},
    };
}

// The momentum of a Δw: (√m v', G⁻ᵀ w').
static palWrench momentumOf(const palImpactRoot* root, const double* w)
{
    const double* g = root->inertia;
    palWrench momentum = {{over(w[0], root->mass), over(w[1], root->mass), over(w[2], root->mass)},
                          pal_zeroVec3};
    palVec3* L = &momentum.torque;
    L->z = over(w[5], g[5]);
    L->y = over(w[4] - g[4] * L->z, g[2]);
    L->x = over(w[3] - g[1] * L->y - g[3] * L->z, g[0]);
    return momentum;
}

static void makeRows(const palImpactProblem* problem, palImpactWorkspace* workspace, int n)
{
    memset(workspace->B, 0, (size_t)problem->rows * (size_t)n * sizeof(double));
    for (int i = 0; i < problem->rows; i++)
        for (int side = 0; side < 2; side++)
        {
            int body = problem->ends[i][side];
            if (body >= 0)
                rowOf(&workspace->roots[body], &problem->J[i].wrench[side],
                      workspace->B + i * n + body * pal_impactDofs);
        }
}

// J v of all contacts; returns the fastest approach.
static double measureSpeeds(const palImpactProblem* problem, palImpactWorkspace* workspace, int n)
{
    double fastest = 0.0;
    for (int i = 0; i < problem->rows; i++)
    {
        workspace->speed[i] = palRowBasis_Dot(n, workspace->B + i * n, workspace->w) +
                              (problem->given != NULL ? problem->given[i] : 0.0);
        fastest = fmax(fastest, -workspace->speed[i]);
    }
    return fastest;
}

//--------------------------------------------------------------------------------------------------
// A round

// The contacts of a round: their rows, and the change of speed that Newton's law asks for.
typedef struct palImpactSet
{
    int n; // columns
    int rows;
    bool isUniform; // one e and no given speed: the target is -(1 + e) B w
    double e;       // the largest
} palImpactSet;

static palImpactSet gatherSet(const palImpactProblem* problem, const palImpactSettings* settings,
                              palImpactWorkspace* workspace, int n, bool isLast)
{
    palImpactSet set = {.n = n, .isUniform = problem->given == NULL};
    const bool isAll = isLast && settings->form == pal_impactPush;
    const double most = settings->isInTurn ? -settings->approachSpeed : settings->recedingSpeed;
    double least = 1.0;
    for (int i = 0; i < problem->rows; i++)
        if (isAll || workspace->speed[i] <= most)
        {
            const double* row = workspace->B + i * n;
            double e = isLast ? 0.0 : problem->restitution[i];
            workspace->member[set.rows] = i;
            workspace->norm[set.rows] = sqrt(palRowBasis_Dot(n, row, row));
            memcpy(workspace->set + set.rows * n, row, (size_t)n * sizeof *row);
            set.rows++;
            set.e = fmax(set.e, e);
            least = fmin(least, e);
        }
    set.isUniform &= least >= set.e;
    for (int i = 0; i < set.rows; i++)
    {
        int row = workspace->member[i];
        double speed = workspace->speed[row];
        double e = isLast ? 0.0 : speed > 0.0 ? set.e : problem->restitution[row];
        workspace->target[i] = -(1.0 + e) * speed;
    }
    return set;
}

// Δw = Σ y V
static void makeChange(palImpactWorkspace* workspace, int n)
{
    memset(workspace->change, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < workspace->basis.rank; k++)
    {
        const double* direction = palRowBasis_Direction(&workspace->basis, k);
        for (int i = 0; i < n; i++)
            workspace->change[i] += workspace->y[k] * direction[i];
    }
}

// y = -(1 + e) V w: the projector, where the targets are those of one e.
static void project(palImpactWorkspace* workspace, const palImpactSet* set)
{
    for (int k = 0; k < workspace->basis.rank; k++)
        workspace->y[k] =
            -(1.0 + set->e) *
            palRowBasis_Dot(set->n, palRowBasis_Direction(&workspace->basis, k), workspace->w);
}

// The paper's form. L = Uᵀ Tᵀ with U orthonormal and T lower triangular gives (14) by
// y = T⁻ᵀ U t and p = Uᵀ T⁻¹ y.
static void resolvePaper(palImpactWorkspace* workspace, const palImpactSet* set)
{
    palRowBasis* basis = &workspace->basis;
    palRowBasis* transposed = &workspace->transposed;
    palRowBasis_Span(basis, workspace->set, set->rows, set->n);
    palRowBasis_Clear(transposed, set->rows);
    for (int k = 0; k < basis->rank; k++)
    {
        for (int i = 0; i < set->rows; i++)
            workspace->trial[i] = k <= i ? palRowBasis_Coefficients(basis, i)[k] : 0.0;
        palRowBasis_Add(transposed, workspace->trial, palRowBasis_Coefficients(transposed, k));
    }
    if (set->isUniform)
        project(workspace, set);
    else
    {
        for (int i = 0; i < set->rows; i++)
            workspace->impulse[i] = workspace->target[basis->order[i]];
        for (int k = 0; k < transposed->rank; k++)
            workspace->trial[k] = palRowBasis_Dot(set->rows, palRowBasis_Direction(transposed, k),
                                                  workspace->impulse);
        palRowBasis_Backward(transposed, workspace->trial, workspace->y);
    }
    palRowBasis_Forward(transposed, workspace->y, workspace->trial);
    for (int i = 0; i < set->rows; i++)
    {
        double p = 0.0;
        for (int k = 0; k < transposed->rank; k++)
            p += palRowBasis_Direction(transposed, k)[i] * workspace->trial[k];
        workspace->impulse[basis->order[i]] = p;
    }
    makeChange(workspace, set->n);
}

// J v⁺ + e J v₀ of a contact of the set.
static double excessOf(const palImpactWorkspace* workspace, const palImpactSet* set, int i)
{
    const double* row = workspace->set + i * set->n;
    double sum = palRowBasis_Dot(set->n, row, workspace->change);
    return set->isUniform ? sum + (1.0 + set->e) * palRowBasis_Dot(set->n, row, workspace->w)
                          : sum - workspace->target[i];
}

// The contact of the set that Newton's law misses by most, in proportion to its row; -1: none.
static int findMissed(const palImpactWorkspace* workspace, const palImpactSet* set,
                      double tolerance)
{
    int worst = -1;
    double least = -tolerance;
    for (int i = 0; i < set->rows; i++)
    {
        if (workspace->isPassed[i] || workspace->impulse[i] > 0.0)
            continue;
        double excess = excessOf(workspace, set, i) / workspace->norm[i];
        if (excess < least)
        {
            least = excess;
            worst = i;
        }
    }
    return worst;
}

// y and the impulses in `trial` of those that push, as if all others were free.
static void solvePushing(palImpactWorkspace* workspace, const palImpactSet* set)
{
    palRowBasis* basis = &workspace->basis;
    if (set->isUniform)
        project(workspace, set);
    else
    {
        for (int k = 0; k < basis->rank; k++)
            workspace->trial[k] = workspace->target[basis->order[k]];
        palRowBasis_Forward(basis, workspace->trial, workspace->y);
    }
    palRowBasis_Backward(basis, workspace->y, workspace->trial);
}

static bool addPushing(palImpactWorkspace* workspace, const palImpactSet* set, int i)
{
    palRowBasis* basis = &workspace->basis;
    int k = basis->rank;
    if (k == basis->rowsMax ||
        !palRowBasis_Add(basis, workspace->set + i * set->n, palRowBasis_Coefficients(basis, k)))
        return false;
    basis->order[k] = i;
    return true;
}

// Goes from the impulses towards those of `trial` until the first is zero, and takes those that are
// zero out.
static void stepToBound(palImpactWorkspace* workspace, const palImpactSet* set)
{
    palRowBasis* basis = &workspace->basis;
    const int count = basis->rank;
    double share = 1.0;
    for (int k = 0; k < count; k++)
    {
        double from = workspace->impulse[basis->order[k]];
        if (workspace->trial[k] <= 0.0)
            share = fmin(share, over(from, from - workspace->trial[k]));
    }
    int kept = 0;
    for (int k = 0; k < count; k++)
    {
        int i = basis->order[k];
        double from = workspace->impulse[i];
        double p = from + share * (workspace->trial[k] - from);
        bool isOut =
            workspace->trial[k] <= 0.0 && (from <= 0.0 || p <= PAL_IMPACT_TOLERANCE * from);
        workspace->impulse[i] = isOut ? 0.0 : p;
        if (!isOut)
            basis->order[kept++] = i;
    }
    palRowBasis_Clear(basis, set->n);
    for (int k = 0; k < kept; k++)
        if (!addPushing(workspace, set, basis->order[k]))
            workspace->impulse[basis->order[k]] = 0.0;
}

// Takes contacts out until all that are left push; then these are the impulses.
static void settlePushing(palImpactWorkspace* workspace, const palImpactSet* set)
{
    palRowBasis* basis = &workspace->basis;
    for (int left = set->rows + 1; left > 0; left--)
    {
        solvePushing(workspace, set);
        bool areAllPushing = true;
        for (int k = 0; k < basis->rank; k++)
            areAllPushing &= workspace->trial[k] > 0.0;
        if (areAllPushing)
            break;
        stepToBound(workspace, set);
    }
    for (int k = 0; k < basis->rank; k++)
        workspace->impulse[basis->order[k]] = workspace->trial[k];
    makeChange(workspace, set->n);
}

// Contacts that only push: adds the contact that Newton's law misses by most, solves, takes out
// what would pull. Returns false if its bound ended it.
static bool resolvePush(palImpactWorkspace* workspace, const palImpactSet* set)
{
    double largest = 0.0;
    for (int i = 0; i < set->rows; i++)
    {
        workspace->isPassed[i] = !(workspace->norm[i] > 0.0);
        workspace->impulse[i] = 0.0;
        if (!workspace->isPassed[i])
            largest = fmax(largest, fabs(workspace->target[i]) / workspace->norm[i]);
    }
    palRowBasis_Clear(&workspace->basis, set->n);
    memset(workspace->change, 0, (size_t)set->n * sizeof(double));
    for (int left = 4 * set->rows + 8; left > 0; left--)
    {
        int next = findMissed(workspace, set, PAL_IMPACT_TOLERANCE * largest);
        if (next < 0)
            return true;
        if (addPushing(workspace, set, next))
            settlePushing(workspace, set);
        workspace->isPassed[next] = workspace->impulse[next] <= 0.0;
    }
    return false;
}

// The largest share of Δw at which the energy w·Δw + ½ |Δw|² does not grow.
static double passiveShare(const palImpactWorkspace* workspace, int n)
{
    double square = palRowBasis_Dot(n, workspace->change, workspace->change);
    double along = palRowBasis_Dot(n, workspace->change, workspace->w);
    return square > 0.0 ? fmax(fmin(-2.0 * along / square, 1.0), 0.0) : 1.0;
}

// Applies the change of a round, and adds it up.
static void applyRound(const palImpactProblem* problem, palImpactWorkspace* workspace,
                       const palImpactSet* set, double* p, palImpactInfo* info)
{
    double share = set->isUniform || problem->given != NULL ? 1.0 : passiveShare(workspace, set->n);
    for (int i = 0; i < set->n; i++)
    {
        workspace->w[i] += share * workspace->change[i];
        workspace->total[i] += share * workspace->change[i];
    }
    double largest = 0.0;
    for (int i = 0; i < set->rows; i++)
    {
        p[workspace->member[i]] += share * workspace->impulse[i];
        largest = fmax(largest, fabs(workspace->impulse[i]));
    }
    for (int i = 0; i < set->rows; i++)
        info->pulling += workspace->impulse[i] < -PAL_PULLING_SHARE * largest;
    info->rounds++;
    info->share = fmin(info->share, share);
    if (set->rows > info->contacts)
    {
        info->contacts = set->rows;
        info->rank = workspace->basis.rank;
    }
}

//--------------------------------------------------------------------------------------------------
// The collision

static bool isFinite(const palImpactProblem* problem, const palImpactWorkspace* workspace, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += fabs(workspace->w[i]);
    for (int i = 0; i < problem->rows * n; i++)
        sum += fabs(workspace->B[i]);
    for (int i = 0; i < problem->rows; i++)
        sum += fabs(workspace->speed[i]) + fabs(problem->restitution[i]);
    return isfinite(sum);
}

static bool begin(const palImpactProblem* problem, palImpactWorkspace* workspace,
                  const palTwist* velocities, palImpactInfo* info)
{
    const int n = problem->bodyCount * pal_impactDofs;
    if (problem->bodyCount > workspace->bodiesMax || problem->rows > workspace->rowsMax)
        return false;
    for (int i = 0; i < problem->bodyCount; i++)
    {
        workspace->roots[i] = rootMassOf(&problem->bodies[i]);
        scaleTwist(&workspace->roots[i], &velocities[i], workspace->w + i * pal_impactDofs);
    }
    memset(workspace->total, 0, (size_t)n * sizeof(double));
    makeRows(problem, workspace, n);
    info->approach = measureSpeeds(problem, workspace, n);
    info->energyBefore = info->energyAfter = 0.5 * palRowBasis_Dot(n, workspace->w, workspace->w);
    return isFinite(problem, workspace, n);
}

void palImpactProblem_Resolve(const palImpactProblem* problem, const palImpactSettings* settings,
                              palImpactWorkspace* workspace, palTwist* velocities, double* p,
                              palWrench* momentum, palImpactInfo* info)
{
    const int n = problem->bodyCount * pal_impactDofs;
    *info = (palImpactInfo){.share = 1.0, .isComplete = true};
    memset(p, 0, (size_t)problem->rows * sizeof *p);
    memset(momentum, 0, (size_t)problem->bodyCount * sizeof *momentum);
    if (!begin(problem, workspace, velocities, info))
    {
        *info = (palImpactInfo){.share = 1.0, .isComplete = true};
        return;
    }
    while (info->approach > settings->approachSpeed && info->rounds < settings->rounds)
    {
        const bool isLast = info->rounds + 1 == settings->rounds;
        const palImpactSet set = gatherSet(problem, settings, workspace, n, isLast);
        if (settings->form == pal_impactPaper)
            resolvePaper(workspace, &set);
        else
            info->isComplete &= resolvePush(workspace, &set);
        applyRound(problem, workspace, &set, p, info);
        info->approach = measureSpeeds(problem, workspace, n);
    }
    for (int i = 0; i < problem->bodyCount; i++)
    {
        const double* total = workspace->total + i * pal_impactDofs;
        palTwist change = twistOf(&workspace->roots[i], total);
        velocities[i].v = palAdd(velocities[i].v, change.v);
        velocities[i].omega = palAdd(velocities[i].omega, change.omega);
        momentum[i] = momentumOf(&workspace->roots[i], total);
    }
    info->energyAfter = 0.5 * palRowBasis_Dot(n, workspace->w, workspace->w);
}
