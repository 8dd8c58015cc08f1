// SPDX-License-Identifier: Apache-2.0
#include "body/reducible.h"

#include "base/error.h"
#include "linalg/block_many.h"

#include <stdlib.h>
#include <string.h>

//--------------------------------------------------------------------------------------------------
// Soft bodies

palResult palReducibleSoft_Init(palReducibleSoft* soft, palSoftBody* body,
                                const palSoftFactorDef* def, palError* error)
{
    palSoftFactorDef factor = *def;
    factor.h = pal_reductionStep;
    size_t bytes = ((size_t)body->freeCount + 1) * sizeof *soft->mass;
    *soft = (palReducibleSoft){.body = body, .mass = malloc(bytes)};
    if (soft->mass == NULL)
        return palError_Memory(error, "the response of a soft body", bytes);
    for (int i = 0; i < body->nodeCount; i++)
        if (body->freeIndex[i] >= 0)
            soft->mass[body->freeIndex[i]] = body->mass[i];
    return palSoftFactor_Create(&factor, body, &soft->factor, error);
}

void palReducibleSoft_Free(palReducibleSoft* soft)
{
    palSoftFactor_Destroy(soft->factor);
    free(soft->mass);
    *soft = (palReducibleSoft){0};
}

static bool factorSoft(void* body, double h)
{
    palReducibleSoft* soft = body;
    if (!palSoftFactor_Prepare(soft->factor, h, false))
        return false;
    // The space may come from a safe factor; K of the modes is the true one where it makes sense.
    bool isSafe = soft->body->tangent == pal_tangentSafe;
    if (isSafe && !palSoftFactor_IsLarge(soft->factor) && soft->body->invertedCount == 0)
        palSoftBody_Linearise(soft->body, pal_tangentExact);
    return true;
}

static void solveSoft(void* body, int count, const double* b, double* x)
{
    palReducibleSoft* soft = body;
    palSoftFactor_Solve(soft->factor, count, b, x);
}

static bool refineSoft(void* body, const double* b, double* x)
{
    palReducibleSoft* soft = body;
    return !palSoftFactor_IsLarge(soft->factor) || palSoftFactor_SolveExactly(soft->factor, b, x);
}

static bool makeSafeSoft(void* body)
{
    palReducibleSoft* soft = body;
    return palSoftFactor_TakeSafeTangent(soft->factor);
}

static void instantSoft(void* body, double h, int count, const double* b, double* x)
{
    const palReducibleSoft* soft = body;
    size_t size = 3 * (size_t)soft->body->freeCount;
    (void)h;
    for (int k = 0; k < count; k++)
        for (size_t i = 0; i < size; i++)
            x[(size_t)k * size + i] = 1.0 / soft->mass[i / 3] * b[(size_t)k * size + i];
}

static void massSoft(const void* body, int count, const double* x, double* y)
{
    const palReducibleSoft* soft = body;
    int nodes = soft->body->freeCount;
    for (int k = 0; k < count; k++, x += 3 * nodes, y += 3 * nodes)
        for (int i = 0; i < nodes; i++)
            for (int c = 0; c < 3; c++)
                y[3 * i + c] = soft->mass[i] * x[3 * i + c];
}

static void stiffnessSoft(const void* body, int count, const double* x, double* y, double* work)
{
    const palReducibleSoft* soft = body;
    palBlockMatrix_MultiplyMany(&soft->body->K, NULL, count, x, y,
                                3 * (size_t)soft->body->freeCount, work);
}

static double entrySoft(const void* body, int row, int column)
{
    const palBlockMatrix* K = &((const palReducibleSoft*)body)->body->K;
    int high = row > column ? row : column;
    int low = row > column ? column : row;
    int slot = palBlockMatrix_Slot(K, high / 3, low / 3);
    return slot >= 0 ? K->blocks[slot].m[high % 3][low % 3] : 0.0;
}

static void stateSoft(const void* body, double* force, double* velocity)
{
    const palReducibleSoft* soft = body;
    memcpy(force, soft->body->force, 3 * (size_t)soft->body->freeCount * sizeof *force);
    palSoftBody_Velocities(soft->body, velocity);
}

static void rigidSoft(const void* body, double* translation, double* rotation)
{
    palSoftBody_Rigid(((const palReducibleSoft*)body)->body, translation, rotation);
}

static void moveSoft(void* body, const double* dx, const double* velocity)
{
    palReducibleSoft* soft = body;
    palSoftBody_Move(soft->body, dx, velocity);
}

palReducible palReducibleSoft_Ops(palReducibleSoft* soft)
{
    return (palReducible){
        .body = soft,
        .size = 3 * soft->body->freeCount,
        .alpha = soft->body->alpha,
        .beta = soft->body->beta,
        .softening = 1.0 / (pal_reductionStep * pal_reductionStep),
        .factor = factorSoft,
        .solve = solveSoft,
        .refine = refineSoft,
        .makeSafe = makeSafeSoft,
        .instant = instantSoft,
        .mass = massSoft,
        .stiffness = stiffnessSoft,
        .entry = entrySoft,
        .state = stateSoft,
        .rigid = rigidSoft,
        .move = moveSoft,
    };
}

// Adds a number to the entry of that index, which may be there already.
static void addEntry(palSparseRow* row, int index, double value)
{
    for (int k = 0; k < row->count; k++)
        if (row->index[k] == index)
        {
            row->value[k] += value;
            return;
        }
    row->index[row->count] = index;
    row->value[row->count++] = value;
}

palSparseRow palReducibleSoft_Row(const palSoftBody* body, const palSkin* skin,
                                  const palPlace* place, palVec3 axis, bool turning)
{
    palSparseRow row = {0};
    int nodes[pal_rowEntriesMax / 3];
    palVec3 values[pal_rowEntriesMax / 3];
    int count = palSoftPlace_Row(place, skin, body->x, axis, turning, nodes, values);
    for (int k = 0; k < count; k++)
    {
        int free = body->freeIndex[nodes[k]];
        const double along[3] = {values[k].x, values[k].y, values[k].z};
        for (int c = 0; c < 3 && free >= 0; c++)
            addEntry(&row, 3 * free + c, along[c]);
    }
    return row;
}

//--------------------------------------------------------------------------------------------------
// Wires

// K += k c cᵀ of the springs.
static void addTies(palReducibleBeam* beam)
{
    palBlockTridiagonal* K = &beam->work->K;
    for (int i = 0; i < beam->tieCount; i++)
    {
        const palBeamTie* tie = &beam->ties[i];
        int e = tie->row.element;
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
            {
                const double* J = tie->row.J;
                K->diagonal[e].m[r][c] += tie->stiffness * J[r] * J[c];
                K->lower[e].m[r][c] += tie->stiffness * J[6 + r] * J[c];
                K->diagonal[e + 1].m[r][c] += tie->stiffness * J[6 + r] * J[6 + c];
            }
    }
}

static bool factorBeam(void* body, double h)
{
    palReducibleBeam* beam = body;
    beam->h = h;
    palBeam_Linearise(beam->model, beam->state, beam->work);
    addTies(beam);
    return palBeam_Factor(beam->model, h, beam->work);
}

static void solveBeam(void* body, int count, const double* b, double* x)
{
    palReducibleBeam* beam = body;
    size_t size = 6 * (size_t)beam->model->nodeCount;
    memcpy(x, b, (size_t)count * size * sizeof *x);
    for (int k = 0; k < count; k++)
        palTridiagonalFactor_Solve(&beam->work->L, 0, x + (size_t)k * size);
}

// A is always definite, and its factor that of the present state.
static bool refineBeam(void* body, const double* b, double* x)
{
    (void)body, (void)b, (void)x;
    return true;
}

static bool makeSafeBeam(void* body)
{
    (void)body;
    return false;
}

static void instantBeam(void* body, double h, int count, const double* b, double* x)
{
    palReducibleBeam* beam = body;
    palBeam_Factor(beam->model, h, beam->work);
    solveBeam(beam, count, b, x);
    palBeam_Factor(beam->model, beam->h, beam->work);
}

static void massBeam(const void* body, int count, const double* x, double* y)
{
    const palReducibleBeam* beam = body;
    int size = 6 * beam->model->nodeCount;
    for (int k = 0; k < count; k++, x += size, y += size)
        palBlockTridiagonal_Multiply(&beam->work->M, x, y);
}

static palVec3 vectorAt(const double* x)
{
    return palMakeVec3(x[0], x[1], x[2]);
}

static void addVector(double* y, double scale, palVec3 a)
{
    y[0] += scale * a.x;
    y[1] += scale * a.y;
    y[2] += scale * a.z;
}

// K₀ and the tension of the chords.
static void stiffnessBeam(const void* body, int count, const double* x, double* y, double* work)
{
    const palReducibleBeam* beam = body;
    int size = 6 * beam->model->nodeCount;
    (void)work;
    for (int k = 0; k < count; k++, x += size, y += size)
    {
        palBlockTridiagonal_Multiply(&beam->work->K, x, y);
        for (int e = 0; e < beam->model->elementCount; e++)
        {
            palMat3 tension = palBeamPose_Tension(&beam->work->poses[e]);
            palVec3 stretch = palSub(vectorAt(x + 6 * (e + 1)), vectorAt(x + 6 * e));
            palVec3 pull = palMat3Apply(tension, stretch);
            addVector(y + 6 * e, -1.0, pull);
            addVector(y + 6 * (e + 1), 1.0, pull);
        }
    }
}

// Held coordinates do not move, whatever force they bear.
static void stateBeam(const void* body, double* force, double* velocity)
{
    const palReducibleBeam* beam = body;
    memset(velocity, 0, 6 * (size_t)beam->model->nodeCount * sizeof *velocity);
    for (int i = 0; i < beam->model->nodeCount; i++)
    {
        addVector(velocity + 6 * i, 1.0, beam->state->v[i]);
        addVector(velocity + 6 * i + 3, 1.0, beam->state->w[i]);
        for (int r = 0; r < 6; r++)
        {
            double load = beam->load != NULL ? beam->load[6 * i + r] : 0.0;
            bool isHeld = beam->model->held[i] >> r & 1u;
            force[6 * i + r] = isHeld ? 0.0 : beam->work->force[6 * i + r] + load;
        }
    }
}

static void moveBeam(void* body, const double* dx, const double* velocity)
{
    palReducibleBeam* beam = body;
    for (int i = 0; i < beam->model->nodeCount; i++)
    {
        palQuat turn = palMakeQuatRotationVector(vectorAt(dx + 6 * i + 3));
        beam->state->x[i] = palAdd(beam->state->x[i], vectorAt(dx + 6 * i));
        beam->state->q[i] = palNormalizeQuat(palMulQuat(turn, beam->state->q[i]));
        beam->state->v[i] = vectorAt(velocity + 6 * i);
        beam->state->w[i] = vectorAt(velocity + 6 * i + 3);
    }
    palBeam_SetTensions(beam->model, beam->state);
}

palReducible palReducibleBeam_Ops(palReducibleBeam* beam)
{
    return (palReducible){
        .body = beam,
        .size = 6 * beam->model->nodeCount,
        .alpha = beam->model->alpha,
        .beta = beam->model->beta,
        .factor = factorBeam,
        .solve = solveBeam,
        .refine = refineBeam,
        .makeSafe = makeSafeBeam,
        .instant = instantBeam,
        .mass = massBeam,
        .stiffness = stiffnessBeam,
        .state = stateBeam,
        .move = moveBeam,
    };
}

palSparseRow palReducibleBeam_Sparse(const palReducibleBeam* beam, const palBeamRow* full)
{
    palSparseRow row = {0};
    for (int c = 0; c < pal_beamColumns; c++)
    {
        int node = full->element + c / 6;
        bool isHeld = beam->model->held[node] >> c % 6 & 1u;
        if (full->J[c] == 0.0 || isHeld)
            continue;
        row.index[row.count] = 6 * full->element + c;
        row.value[row.count++] = full->J[c];
    }
    return row;
}

palSparseRow palReducibleBeam_Row(const palReducibleBeam* beam, palBeamPlace place,
                                  palVec3 direction, bool turning)
{
    palBeamRow full = turning ? palBeam_RotationRow(beam->model, beam->work, place, direction)
                              : palBeam_PointRow(beam->model, beam->work, place, direction);
    return palReducibleBeam_Sparse(beam, &full);
}
