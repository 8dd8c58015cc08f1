// SPDX-License-Identifier: Apache-2.0
#include "solve/sparse_workspace.h"

#include "base/block.h"
#include "base/error.h"
#include "solve/anderson.h"
#include "solve/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void placeArrays(palSparseWorkspace* workspace, palBlock* block)
{
    size_t rows = (size_t)workspace->rowsMax;
    size_t bodies = (size_t)workspace->bodiesMax + 1;
    workspace->roots = palBlock_Take(block, bodies * sizeof(palRootMass));
    workspace->twist = palBlock_Take(block, bodies * sizeof(palScaledTwist));
    workspace->sums = palBlock_Take(block, bodies * sizeof(double));
    workspace->J = palBlock_Take(block, rows * sizeof(palScaledRow));
    workspace->units = palBlock_Take(block, rows * sizeof(palSparseUnit));
    workspace->factors = palBlock_Take(block, rows * sizeof(palUnitFactor));
    workspace->cones = palBlock_Take(block, (size_t)workspace->blocksMax * sizeof(palSparseCone));
    workspace->history = palBlock_Take(block, pal_andersonArrays * rows * sizeof(double));
    double** arrays[] = {
        &workspace->scale,   &workspace->diagonal, &workspace->softness,
        &workspace->gapFree, &workspace->lambda,   &workspace->best,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = palBlock_Take(block, rows * sizeof(double));
}

palResult palSparseWorkspace_Create(int bodiesMax, int rowsMax, int blocksMax,
                                    palSparseWorkspace** workspace, palError* error)
{
    const int most = 10000000;
    *workspace = NULL;
    if (bodiesMax < 0 || rowsMax < 0 || blocksMax < 0 || bodiesMax > most || rowsMax > most ||
        blocksMax > most)
        return palError_Set(error, pal_errorInput,
                            "invalid solver workspace size: %d bodies, %d rows, %d blocks; each "
                            "may be 0 to %d",
                            bodiesMax, rowsMax, blocksMax, most);
    palSparseWorkspace* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "a solver workspace", sizeof *created);
    created->bodiesMax = bodiesMax;
    created->rowsMax = rowsMax;
    created->blocksMax = blocksMax;
    palBlock block = {0};
    placeArrays(created, &block);
    created->memory = aligned_alloc(64, block.used);
    if (created->memory == NULL)
    {
        free(created);
        return palError_Memory(error, "a solver workspace", block.used);
    }
    // Touch every page now, so that no page fault occurs in a solve.
    memset(created->memory, 0, block.used);
    block = (palBlock){.memory = created->memory};
    placeArrays(created, &block);
    *workspace = created;
    return pal_ok;
}

void palSparseWorkspace_Destroy(palSparseWorkspace* workspace)
{
    if (workspace == NULL)
        return;
    free(workspace->memory);
    free(workspace);
}

//--------------------------------------------------------------------------------------------------
// Loading a problem

// √x where x is positive; NaN stays NaN.
static double rootOf(double x)
{
    return x > 0.0 || isnan(x) ? sqrt(x) : 0.0;
}

// h L with L Lᵀ = M⁻¹, by Cholesky's method. A pivot of zero, of an axis about which the body does
// not turn, leaves its column zero.
static palRootMass rootMass(const palInverseMass* body, double h)
{
    const double(*I)[3] = body->inertia.m;
    palRootMass root = {.linear = h * rootOf(body->mass), .coupled = -1};
    double* L = root.angular;
    L[0] = rootOf(I[0][0]);
    double inverse = L[0] != 0.0 ? 1.0 / L[0] : 0.0;
    L[1] = I[1][0] * inverse;
    L[3] = I[2][0] * inverse;
    L[2] = rootOf(I[1][1] - L[1] * L[1]);
    inverse = L[2] != 0.0 ? 1.0 / L[2] : 0.0;
    L[4] = (I[2][1] - L[3] * L[1]) * inverse;
    L[5] = rootOf(I[2][2] - L[3] * L[3] - L[4] * L[4]);
    for (int i = 0; i < 6; i++)
        L[i] *= h;
    return root;
}

// The same of a 6x6 matrix, in `to`.
static palRootMass coupledRoot(const palMat3 (*inverse)[2], double h, int index, palCoupledRoot* to)
{
    double(*L)[6] = to->L;
    memset(L, 0, sizeof to->L);
    for (int j = 0; j < 6; j++)
        for (int i = j; i < 6; i++)
        {
            double sum = inverse[i / 3][j / 3].m[i % 3][j % 3];
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? rootOf(sum) : L[j][j] != 0.0 ? sum / L[j][j] : 0.0;
        }
    for (int k = 0; k < 36; k++)
        L[k / 6][k % 6] *= h;
    return (palRootMass){.linear = L[0][0], .coupled = index};
}

// h Lᵀ times a wrench.
static void scaleCoupled(const palWrench* wrench, const palCoupledRoot* root, double* row)
{
    palVec3 f = wrench->force, t = wrench->torque;
    const double w[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
    memset(row, 0, pal_bodyDofs * sizeof *row);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k <= i; k++)
            row[k < 3 ? k : k + 1] += root->L[i][k] * w[i];
}

static void scaleWrench(const palSparseWorkspace* workspace, const palWrench* wrench,
                        const palRootMass* root, double* row)
{
    if (root->coupled >= 0)
    {
        scaleCoupled(wrench, &workspace->coupled[root->coupled], row);
        return;
    }
    const double* L = root->angular;
    palVec3 f = wrench->force, t = wrench->torque;
    row[0] = root->linear * f.x;
    row[1] = root->linear * f.y;
    row[2] = root->linear * f.z;
    row[4] = L[0] * t.x + L[1] * t.y + L[3] * t.z;
    row[5] = L[2] * t.y + L[4] * t.z;
    row[6] = L[5] * t.z;
    row[3] = row[7] = 0.0;
}

// Four sums at once, which fill vector registers.
static double dotRows(const palScaledRow* a, const palScaledRow* b)
{
    double sum[4];
    for (int k = 0; k < 4; k++)
        sum[k] = a->on[0][k] * b->on[0][k] + a->on[0][k + 4] * b->on[0][k + 4] +
                 a->on[1][k] * b->on[1][k] + a->on[1][k + 4] * b->on[1][k + 4];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// J', its scale, δ_free and R of the rows of a block; the diagonal entries of W, not yet scaled, so
// that all are compared before it is known which count as zero. A block with one body at both ends
// acts on it through the first. Returns the block's part of the reference length.
static double loadRows(palSparseWorkspace* workspace, const palSparseProblem* problem,
                       const palContactBlock* block, const int slots[2], double* largest)
{
    double reference = 0.0;
    for (int i = 0; i < block->size; i++)
    {
        int row = block->row + i;
        palScaledRow* J = &workspace->J[row];
        for (int e = 0; e < 2; e++)
            scaleWrench(workspace, &problem->J[row].wrench[e], &workspace->roots[slots[e]],
                        J->on[e]);
        for (int k = 0; k < pal_bodyDofs && slots[0] == slots[1]; k++)
        {
            J->on[0][k] += J->on[1][k];
            J->on[1][k] = 0.0;
        }
        double d = dotRows(J, J) + problem->softness[row];
        double part = palContactBlock_GapScale(block, i, problem->gapFree[row], d);
        reference = part > reference || isnan(part) ? part : reference;
        *largest = d > *largest || isnan(d) ? d : *largest;
        double scale = palContactBlock_RowScale(block, i);
        for (int k = 0; k < pal_bodyDofs && scale != 1.0; k++)
        {
            J->on[0][k] *= scale;
            J->on[1][k] *= scale;
        }
        workspace->scale[row] = scale;
        workspace->softness[row] = scale * scale * problem->softness[row];
        workspace->gapFree[row] = scale * problem->gapFree[row];
        workspace->diagonal[row] = d;
    }
    return reference;
}

// The diagonal block A of W of a unit, [size][size].
static void diagonalBlock(const palSparseWorkspace* workspace, const palUnit* unit, double* A)
{
    const palScaledRow* J = workspace->J + unit->row;
    for (int i = 0; i < unit->size; i++)
        for (int j = 0; j <= i; j++)
            A[i * unit->size + j] = A[j * unit->size + i] =
                dotRows(&J[i], &J[j]) + (i == j ? workspace->softness[unit->row + i] : 0.0);
}

void palSparseWorkspace_Factor(palSparseWorkspace* workspace, int index)
{
    palSparseUnit* unit = &workspace->units[index];
    double A[pal_unitMaxRows * pal_unitMaxRows];
    if (unit->isPrepared)
        return;
    diagonalBlock(workspace, &unit->unit, A);
    palUnit_Prepare(&unit->unit, A, &workspace->factors[index]);
    unit->isPrepared = true;
}

// The inverse of a symmetric 3x3 matrix; false if it is nearly singular.
static bool invertSymmetric(const double A[9], double inverse[3][4])
{
    double c00 = A[4] * A[8] - A[5] * A[5];
    double c01 = A[2] * A[5] - A[1] * A[8];
    double c02 = A[1] * A[5] - A[2] * A[4];
    double determinant = A[0] * c00 + A[1] * c01 + A[2] * c02;
    if (!(determinant > 1e-10 * A[0] * A[4] * A[8]))
        return false;
    double d = 1.0 / determinant;
    inverse[0][0] = d * c00;
    inverse[0][1] = inverse[1][0] = d * c01;
    inverse[0][2] = inverse[2][0] = d * c02;
    inverse[1][1] = d * (A[0] * A[8] - A[2] * A[2]);
    inverse[1][2] = inverse[2][1] = d * (A[1] * A[2] - A[0] * A[5]);
    inverse[2][2] = d * (A[0] * A[4] - A[1] * A[1]);
    return true;
}

static const double couplingMax = 0.5;

static bool isOpposite(const palWrench wrench[2])
{
    return wrench[0].force.x == -wrench[1].force.x && wrench[0].force.y == -wrench[1].force.y &&
           wrench[0].force.z == -wrench[1].force.z;
}

// What the rows of a cone do to its bodies; false if the forces on them are not opposite, or turn a
// body that is pushed and push one that is turned.
static bool fillCone(const palSparseWorkspace* workspace, const palSparseProblem* problem,
                     const palSparseUnit* unit, palSparseCone* cone)
{
    // Whatever the force on a body that does not move, it has no effect.
    int end = workspace->roots[unit->slots[0]].linear != 0.0 ? 0 : 1;
    bool both = end == 0 && workspace->roots[unit->slots[1]].linear != 0.0;
    int row = unit->unit.row;
    for (int e = 0; e < 2; e++)
        if (workspace->roots[unit->slots[e]].coupled >= 0)
            return false;
    for (int i = 0; i < 3; i++)
    {
        const palWrench* wrench = problem->J[row + i].wrench;
        palVec3 f = end == 0 ? wrench[0].force : palNeg(wrench[1].force);
        if (both && !isOpposite(wrench))
            return false;
        cone->direction[i][0] = f.x;
        cone->direction[i][1] = f.y;
        cone->direction[i][2] = f.z;
        for (int e = 0; e < 2; e++)
            memcpy(cone->arm[e][i], workspace->J[row + i].on[e] + 4, sizeof cone->arm[e][i]);
        cone->gapFree[i] = workspace->gapFree[row + i];
        cone->softness[i] = workspace->softness[row + i];
    }
    for (int e = 0; e < 2; e++)
    {
        cone->slots[e] = unit->slots[e];
        cone->root[e] = workspace->roots[unit->slots[e]].linear;
    }
    return true;
}

// Adds the compact form of a unit that is a cone of three rows with opposite forces on two bodies.
static void addCone(palSparseWorkspace* workspace, const palSparseProblem* problem, int index)
{
    palSparseUnit* unit = &workspace->units[index];
    palSparseCone* cone = &workspace->cones[workspace->coneCount];
    double A[9];
    if (unit->unit.kind != pal_unitCone || unit->unit.size != 3 || unit->unit.immovable ||
        unit->slots[0] == unit->slots[1] || !fillCone(workspace, problem, unit, cone))
        return;
    diagonalBlock(workspace, &unit->unit, A);
    // Where friction moves the normal gap about as much as the normal force that allows it, a step
    // of the normal row and then of the others may not converge.
    if (unit->unit.mu * sqrt(A[1] * A[1] + A[2] * A[2]) > couplingMax * A[0] ||
        !invertSymmetric(A, cone->inverse))
        return;
    double mean = 0.5 * (A[4] + A[8]), half = 0.5 * (A[4] - A[8]);
    cone->row = unit->unit.row;
    cone->coupling[0] = A[1];
    cone->coupling[1] = A[2];
    cone->normal = 1.0 / A[0];
    cone->tangent = 1.0 / (mean + sqrt(half * half + A[5] * A[5]));
    cone->mu = unit->unit.mu;
    unit->cone = workspace->coneCount++;
}

// Divides a block into units and starts their λ.
static void loadUnits(palSparseWorkspace* workspace, const palSparseProblem* problem,
                      const palContactBlock* block, const int slots[2], double least,
                      const double* guess)
{
    for (int offset = 0; offset < block->size;)
    {
        int index = workspace->unitCount++;
        palSparseUnit* unit = &workspace->units[index];
        *unit = (palSparseUnit){palMakeUnit(block, offset), {slots[0], slots[1]}, -1, 0, false};
        int row = unit->unit.row;
        double first = workspace->diagonal[row];
        for (int i = row; i < row + unit->unit.size; i++)
            workspace->diagonal[i] *=
                workspace->diagonal[i] <= least ? 0.0 : workspace->scale[i] * workspace->scale[i];
        palUnit_Measure(&unit->unit, first, least, workspace->diagonal + row);
        palUnit_Start(&unit->unit, workspace->scale + row, workspace->gapFree[row],
                      guess != NULL ? guess + row : NULL, workspace->lambda + row);
        addCone(workspace, problem, index);
        if (unit->cone < 0)
            palSparseWorkspace_Factor(workspace, index);
        offset += unit->unit.size;
    }
}

double palSparseWorkspace_Load(palSparseWorkspace* workspace, const palSparseProblem* problem,
                               const double* guess)
{
    int world = problem->bodyCount;
    workspace->coupledCount = 0;
    for (int i = 0; i < problem->bodyCount; i++)
    {
        const palInverseMass* body = &problem->bodies[i];
        int index = workspace->coupledCount;
        bool isCoupled = body->coupled != NULL && index < pal_coupledMax;
        workspace->coupledCount += isCoupled;
        workspace->roots[i] =
            isCoupled ? coupledRoot(body->coupled, problem->h, index, &workspace->coupled[index])
                      : rootMass(body, problem->h);
    }
    workspace->roots[world] = (palRootMass){.coupled = -1};
    workspace->unitCount = workspace->coneCount = 0;
    double largest = 0.0, reference = 0.0;
    for (int b = 0; b < problem->blockCount; b++)
    {
        const int slots[2] = {problem->ends[b][0] >= 0 ? problem->ends[b][0] : world,
                              problem->ends[b][1] >= 0 ? problem->ends[b][1] : world};
        double part = loadRows(workspace, problem, &problem->blocks[b], slots, &largest);
        reference = part > reference || isnan(part) ? part : reference;
    }
    for (int b = 0; b < problem->blockCount; b++)
    {
        const int slots[2] = {problem->ends[b][0] >= 0 ? problem->ends[b][0] : world,
                              problem->ends[b][1] >= 0 ? problem->ends[b][1] : world};
        loadUnits(workspace, problem, &problem->blocks[b], slots, 1e-14 * largest, guess);
    }
    for (int u = workspace->unitCount - 1; u >= 0; u--)
        if (workspace->units[u].cone >= 0)
            workspace->units[u].coneRun =
                u + 1 < workspace->unitCount ? workspace->units[u + 1].coneRun + 1 : 1;
    palSparseJoints_Load(workspace);
    palSparseWorkspace_UpdateTwists(workspace, problem);
    return isfinite(largest) ? reference : largest;
}

//--------------------------------------------------------------------------------------------------
// λ, u' and δ

void palSparseWorkspace_UpdateTwists(palSparseWorkspace* workspace, const palSparseProblem* problem)
{
    memset(workspace->twist, 0, ((size_t)problem->bodyCount + 1) * sizeof *workspace->twist);
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palSparseUnit* unit = &workspace->units[u];
        palSparseWorkspace_Push(workspace, unit, workspace->lambda + unit->unit.row);
    }
}

void palSparseWorkspace_Push(palSparseWorkspace* workspace, const palSparseUnit* unit,
                             const double* change)
{
    const palScaledRow* J = workspace->J + unit->unit.row;
    for (int e = 0; e < 2; e++)
    {
        double* u = workspace->twist[unit->slots[e]].u;
        for (int i = 0; i < unit->unit.size; i++)
            for (int k = 0; k < pal_bodyDofs; k++)
                u[k] += change[i] * J[i].on[e][k];
    }
}

palTwist palSparseWorkspace_Displacement(const palSparseWorkspace* workspace, int body)
{
    const palRootMass* root = &workspace->roots[body];
    const double* u = workspace->twist[body].u;
    const double* L = root->angular;
    if (root->coupled >= 0)
    {
        double d[6] = {0};
        for (int i = 0; i < 6; i++)
            for (int k = 0; k <= i; k++)
                d[i] += workspace->coupled[root->coupled].L[i][k] * u[k < 3 ? k : k + 1];
        return (palTwist){{d[0], d[1], d[2]}, {d[3], d[4], d[5]}};
    }
    return (palTwist){
        {root->linear * u[0], root->linear * u[1], root->linear * u[2]},
        {L[0] * u[4], L[1] * u[4] + L[2] * u[5], L[3] * u[4] + L[4] * u[5] + L[5] * u[6]},
    };
}

void palSparseWorkspace_Gap(const palSparseWorkspace* workspace, const palSparseUnit* unit,
                            double* gap)
{
    int row = unit->unit.row;
    const palScaledRow* J = workspace->J + row;
    const double* first = workspace->twist[unit->slots[0]].u;
    const double* second = workspace->twist[unit->slots[1]].u;
    for (int i = 0; i < unit->unit.size; i++)
    {
        double sum = 0.0;
        for (int k = 0; k < pal_bodyDofs; k++)
            sum += J[i].on[0][k] * first[k] + J[i].on[1][k] * second[k];
        gap[i] = workspace->gapFree[row + i] +
                 workspace->softness[row + i] * workspace->lambda[row + i] + sum;
    }
}

double palSparseWorkspace_Residual(const palSparseWorkspace* workspace, double* force,
                                   double* immovable)
{
    double worst = 0.0;
    *force = *immovable = 0.0;
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palSparseUnit* unit = &workspace->units[u];
        int row = unit->unit.row;
        double gap[pal_unitMaxRows], unitForce;
        palSparseWorkspace_Gap(workspace, unit, gap);
        double r = palUnit_Residual(&unit->unit, workspace->diagonal + row, gap,
                                    workspace->lambda + row, &unitForce);
        if (unit->unit.immovable)
        {
            *immovable = fmax(*immovable, r);
            continue;
        }
        worst = r > worst || isnan(r) ? r : worst;
        *force = fmax(*force, unitForce);
    }
    return worst;
}
