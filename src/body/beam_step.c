// SPDX-License-Identifier: Apache-2.0
// One step of a wire, with the formulas of beam.h.
#include "base/error.h"
#include "body/beam.h"

#include <stdlib.h>
#include <string.h>

palResult palBeamWork_Init(palBeamWork* work, const palBeamModel* model, int rowCapacity,
                           palError* error)
{
    int nodes = model->nodeCount;
    size_t rows = 6 * (size_t)nodes;
    *work = (palBeamWork){
        .nodeCount = nodes,
        .rowCapacity = rowCapacity,
        .poses = calloc((size_t)model->elementCount, sizeof *work->poses),
        .force = calloc(rows, sizeof(double)),
        .external = calloc(rows, sizeof(double)),
        .jump = calloc(rows, sizeof(double)),
        .b = calloc(rows, sizeof(double)),
        .dv = calloc(rows, sizeof(double)),
        .freeDv = calloc(rows, sizeof(double)),
        .contact = calloc(rows, sizeof(double)),
        .scratch = calloc(2 * rows, sizeof(double)),
        .Z = calloc((size_t)rowCapacity * rows + 1, sizeof(double)),
    };
    palResult result = pal_ok;
    if (!work->poses || !work->force || !work->external || !work->jump || !work->b || !work->dv ||
        !work->freeDv || !work->contact || !work->scratch || !work->Z)
        result = palError_Memory(error, "a step of a beam",
                                 (9 + (size_t)rowCapacity) * rows * sizeof(double));
    if (result == pal_ok)
        result = palBlockTridiagonal_Init(&work->M, nodes, error);
    if (result == pal_ok)
        result = palBlockTridiagonal_Init(&work->K, nodes, error);
    if (result == pal_ok)
        result = palBlockTridiagonal_Init(&work->A, nodes, error);
    if (result == pal_ok)
        result = palTridiagonalFactor_Init(&work->L, nodes, error);
    if (result != pal_ok)
        palBeamWork_Free(work);
    return result;
}

void palBeamWork_Free(palBeamWork* work)
{
    palBlockTridiagonal_Free(&work->M);
    palBlockTridiagonal_Free(&work->K);
    palBlockTridiagonal_Free(&work->A);
    palTridiagonalFactor_Free(&work->L);
    free(work->poses);
    free(work->force);
    free(work->external);
    free(work->jump);
    free(work->b);
    free(work->dv);
    free(work->freeDv);
    free(work->contact);
    free(work->scratch);
    free(work->Z);
    *work = (palBeamWork){0};
}

void palBeamWork_Archive(palBeamWork* work, palArchive* archive)
{
    PAL_ARCHIVE_ARRAY(archive, work->external, 6 * work->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, work->jump, 6 * work->nodeCount);
}

// Adds the 3x3 matrix a at (row, column) of a block.
static void addPart(palBlock6* block, int row, int column, double scale, palMat3 a)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            block->m[row + r][column + c] += scale * a.m[r][c];
}

// R diag(I) Rᵀ: the inertia of a node in world axes.
static palMat3 worldInertia(palVec3 I, palQuat q)
{
    palMat3 R = palMakeMat3Quat(q);
    palMat3 scaled = R;
    for (int r = 0; r < 3; r++)
    {
        scaled.m[r][0] *= I.x;
        scaled.m[r][1] *= I.y;
        scaled.m[r][2] *= I.z;
    }
    return palMat3Mul(scaled, palMat3Transpose(R));
}

static void assembleLumped(const palBeamModel* model, const palBeamState* state, palBeamWork* work)
{
    for (int i = 0; i < model->nodeCount; i++)
    {
        addPart(&work->M.diagonal[i], 0, 0, model->mass[i], pal_identityMat3);
        addPart(&work->M.diagonal[i], 3, 3, 1.0, worldInertia(model->inertia[i], state->q[i]));
    }
}

// Adds the 6x6 block at (row, column) of an element's mass, rotated from its frame E to the world.
static void addRotatedMass(const double mass[12][12], int row, int column, palMat3 E,
                           palBlock6* block)
{
    for (int r = 0; r < 6; r += 3)
        for (int c = 0; c < 6; c += 3)
        {
            palMat3 part;
            for (int k = 0; k < 9; k++)
                part.m[k / 3][k % 3] = mass[row + r + k / 3][column + c + k % 3];
            addPart(block, r, c, 1.0, palMat3Mul(palMat3Mul(E, part), palMat3Transpose(E)));
        }
}

static void assembleConsistent(const palBeamModel* model, palBeamWork* work)
{
    for (int e = 0; e < model->elementCount; e++)
    {
        const double(*mass)[12] = (const double(*)[12])model->consistent[e];
        palMat3 E = work->poses[e].E;
        addRotatedMass(mass, 0, 0, E, &work->M.diagonal[e]);
        addRotatedMass(mass, 6, 0, E, &work->M.lower[e]);
        addRotatedMass(mass, 6, 6, E, &work->M.diagonal[e + 1]);
    }
}

static double* scratchAt(const palBeamWork* work, int index)
{
    return work->scratch + 6 * (size_t)index * (size_t)work->nodeCount;
}

static void put(double* y, palVec3 a)
{
    y[0] = a.x, y[1] = a.y, y[2] = a.z;
}

static palVec3 get(const double* y)
{
    return palMakeVec3(y[0], y[1], y[2]);
}

static void add(double* y, double scale, palVec3 a)
{
    put(y, palMulAdd(get(y), scale, a));
}

void palBeam_Linearise(const palBeamModel* model, const palBeamState* state, palBeamWork* work)
{
    size_t rows = 6 * (size_t)model->nodeCount;
    memset(work->force, 0, rows * sizeof(double));
    palBlockTridiagonal_Clear(&work->K);
    palBlockTridiagonal_Clear(&work->M);
    for (int e = 0; e < model->elementCount; e++)
    {
        const palBeamElement* element = &model->elements[e];
        palBeamPose* pose = &work->poses[e];
        *pose = palBeamElement_Pose(element, state->x + e, state->q + e);
        pose->tension = state->tension[e];
        palBeamElement_AddForce(element, pose, work->force + 6 * e);
        palBeamElement_AddStiffness(element, pose, &work->K.diagonal[e], &work->K.lower[e],
                                    &work->K.diagonal[e + 1]);
    }
    if (model->consistent != NULL)
        assembleConsistent(model, work);
    else
        assembleLumped(model, state, work);
    // Gravity: M times a uniform acceleration.
    double* uniform = scratchAt(work, 0);
    double* weight = scratchAt(work, 1);
    memset(uniform, 0, rows * sizeof(double));
    for (int i = 0; i < model->nodeCount; i++)
        put(uniform + 6 * i, model->gravity);
    palBlockTridiagonal_Multiply(&work->M, uniform, weight);
    for (size_t r = 0; r < rows; r++)
        work->force[r] += weight[r];
    // The gyroscopic torque of the sections, -ω × I ω.
    for (int i = 0; i < model->nodeCount; i++)
    {
        palMat3 I = worldInertia(model->inertia[i], state->q[i]);
        palVec3 w = state->w[i];
        add(work->force + 6 * i + 3, -1.0, palCross(w, palMat3Apply(I, w)));
    }
}

// The held components of a become those of target; the change is added to jump.
static palVec3 prescribe(palVec3 a, palVec3 target, unsigned held, double* jump)
{
    double from[3], to[3];
    put(from, a);
    put(to, target);
    for (int k = 0; k < 3; k++)
        if (held >> k & 1u)
        {
            jump[k] += to[k] - from[k];
            from[k] = to[k];
        }
    return get(from);
}

void palBeam_Hold(const palBeamModel* model, int node, palVec3 x, palQuat q, double h,
                  palBeamState* state, palBeamWork* work)
{
    palQuat rotation = palMulQuat(q, palConjugate(state->q[node]));
    palVec3 v = palScale(1.0 / h, palSub(x, state->x[node]));
    palVec3 w = palScale(1.0 / h, palRotationVector(rotation));
    unsigned held = model->held[node];
    double* jump = work->jump + 6 * node;
    state->v[node] = prescribe(state->v[node], v, held, jump);
    state->w[node] = prescribe(state->w[node], w, held >> 3, jump + 3);
}

// Adds the coupling to A(h), with k = θ² h².
static void addCoupling(const palBeamCoupling* coupling, double h, double k, palBlock6* block)
{
    for (int r = 0; r < 3; r++)
    {
        block->m[r][r] += k * coupling->stiffness + h * coupling->damping;
        block->m[3 + r][3 + r] += k * coupling->rotationStiffness + h * coupling->rotationDamping;
    }
}

// The terms of the chord of element e that K₀ does not contain: `ofTension` times the geometric
// stiffness of its tension, and h times a damping of its stretching, of 2 (1 - θ) h times the axial
// stiffness. Longitudinal waves are faster than any practical step resolves; where backward Euler
// does not damp them this does, without effect on bending.
static palMat3 chordStiffness(const palBeamModel* model, const palBeamWork* work, int e,
                              double ofTension, double h)
{
    const palBeamElement* element = &model->elements[e];
    palVec3 e1 = palMat3Column(work->poses[e].E, 0);
    double damping = 2.0 * (1.0 - model->theta) * h * element->axial;
    palMat3 tension = palBeamPose_Tension(&work->poses[e]);
    palMat3 stretching = palMat3MulAdd((palMat3){0}, h * damping, palOuter(e1, e1));
    return palMat3MulAdd(stretching, ofTension, tension);
}

bool palBeam_Factor(const palBeamModel* model, double h, palBeamWork* work)
{
    double theta = model->theta;
    double k = theta * theta * h * h;
    double ofK = k + h * model->beta;
    double ofM = 1.0 + h * model->alpha;
    work->h = h;
    for (int i = 0; i < model->nodeCount; i++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
            {
                work->A.diagonal[i].m[r][c] =
                    ofM * work->M.diagonal[i].m[r][c] + ofK * work->K.diagonal[i].m[r][c];
                work->A.lower[i].m[r][c] =
                    ofM * work->M.lower[i].m[r][c] + ofK * work->K.lower[i].m[r][c];
            }
    for (int e = 0; e < model->elementCount; e++)
    {
        palMat3 chord = chordStiffness(model, work, e, k, h);
        addPart(&work->A.diagonal[e], 0, 0, 1.0, chord);
        addPart(&work->A.lower[e], 0, 0, -1.0, chord);
        addPart(&work->A.diagonal[e + 1], 0, 0, 1.0, chord);
    }
    if (model->coupling.node >= 0)
        addCoupling(&model->coupling, h, k, &work->A.diagonal[model->coupling.node]);
    return palTridiagonalFactor_Factor(&work->L, &work->A, model->held);
}

void palBeam_CouplingForce(const palBeamModel* model, const palBeamState* state,
                           const palBeamHand* hand, palVec3* force, palVec3* torque)
{
    const palBeamCoupling* c = &model->coupling;
    int node = c->node;
    *force = *torque = pal_zeroVec3;
    if (node < 0)
        return;
    palQuat rotation = palMulQuat(state->q[node], palConjugate(hand->q));
    *force = palMulAdd(palScale(c->stiffness, palSub(state->x[node], hand->x)), c->damping,
                       palSub(state->v[node], hand->v));
    *torque = palMulAdd(palScale(c->rotationStiffness, palRotationVector(rotation)),
                        c->rotationDamping, palSub(state->w[node], hand->w));
}

static void gatherVelocities(const palBeamState* state, double* v)
{
    for (int i = 0; i < state->nodeCount; i++)
    {
        put(v + 6 * i, state->v[i]);
        put(v + 6 * i + 3, state->w[i]);
    }
}

// Adds the force of the coupling to b: its present value, and its change in the step by v.
static void addCouplingForce(const palBeamModel* model, const palBeamState* state,
                             const palBeamHand* hand, palBeamWork* work)
{
    const palBeamCoupling* c = &model->coupling;
    palVec3 force, torque;
    palBeam_CouplingForce(model, state, hand, &force, &torque);
    double h = work->h;
    double ahead = model->theta * h;
    force = palMulAdd(force, ahead * c->stiffness, state->v[c->node]);
    torque = palMulAdd(torque, ahead * c->rotationStiffness, state->w[c->node]);
    add(work->b + 6 * c->node, -h, force);
    add(work->b + 6 * c->node + 3, -h, torque);
}

void palBeam_FreeMotion(const palBeamModel* model, const palBeamState* state,
                        const palBeamHand* hand, palBeamWork* work)
{
    size_t rows = 6 * (size_t)model->nodeCount;
    double h = work->h;
    double ahead = model->theta * h;
    double* v = scratchAt(work, 0);
    double* product = scratchAt(work, 1);
    gatherVelocities(state, v);
    palBlockTridiagonal_Multiply(&work->K, v, product);
    for (size_t r = 0; r < rows; r++)
        work->b[r] = h * (work->force[r] + work->external[r] - (model->beta + ahead) * product[r]);
    for (int e = 0; e < model->elementCount; e++)
    {
        palMat3 chord = chordStiffness(model, work, e, h * ahead, h);
        palVec3 pull = palMat3Apply(chord, palSub(state->v[e + 1], state->v[e]));
        add(work->b + 6 * e, 1.0, pull);
        add(work->b + 6 * (e + 1), -1.0, pull);
    }
    // Mass damping, and the momentum of the change of prescribed velocities.
    for (size_t r = 0; r < rows; r++)
        v[r] = h * model->alpha * v[r] + work->jump[r];
    palBlockTridiagonal_Multiply(&work->M, v, product);
    for (size_t r = 0; r < rows; r++)
        work->b[r] -= product[r];
    if (hand != NULL && model->coupling.node >= 0)
        addCouplingForce(model, state, hand, work);
    memset(work->jump, 0, rows * sizeof(double));
    memset(work->contact, 0, rows * sizeof(double));
    memcpy(work->dv, work->b, rows * sizeof(double));
    palTridiagonalFactor_Solve(&work->L, 0, work->dv);
    memcpy(work->freeDv, work->dv, rows * sizeof(double));
}

void palBeam_Correct(palBeamWork* work, const palBeamRow* rows, const double* lambda, int count)
{
    size_t size = 6 * (size_t)work->nodeCount;
    double* change = scratchAt(work, 0);
    int first = work->nodeCount - 1;
    memset(change, 0, size * sizeof(double));
    for (int i = 0; i < count; i++)
    {
        double* at = change + 6 * rows[i].element;
        for (int c = 0; c < pal_beamColumns; c++)
            at[c] += rows[i].J[c] * lambda[i];
        first = rows[i].element < first ? rows[i].element : first;
    }
    for (size_t r = 0; r < size; r++)
        work->contact[r] += change[r];
    palTridiagonalFactor_Solve(&work->L, first, change);
    for (size_t r = 0; r < size; r++)
        work->dv[r] += work->h * change[r];
}

// The linearised tensions at the end of the step.
static void findTensions(const palBeamModel* model, const palBeamWork* work, palBeamState* state)
{
    for (int e = 0; e < model->elementCount; e++)
    {
        const palBeamPose* pose = &work->poses[e];
        const double* dv = work->dv + 6 * e;
        palVec3 speed = palSub(state->v[e + 1], state->v[e]);
        palVec3 change = palSub(get(dv + 6), get(dv));
        palVec3 e1 = palMat3Column(pose->E, 0);
        double stretching = palDot(e1, palMulAdd(speed, model->theta, change));
        state->tension[e] = model->elements[e].axial * (pose->d[0] + work->h * stretching);
    }
}

void palBeam_SetTensions(const palBeamModel* model, palBeamState* state)
{
    for (int e = 0; e < model->elementCount; e++)
    {
        const palBeamElement* element = &model->elements[e];
        palBeamPose pose = palBeamElement_Strain(element, state->x + e, state->q + e);
        state->tension[e] = element->axial * pose.d[0];
    }
}

void palBeam_Integrate(const palBeamModel* model, const palBeamWork* work, palBeamState* state)
{
    double h = work->h;
    double theta = model->theta;
    findTensions(model, work, state);
    for (int i = 0; i < model->nodeCount; i++)
    {
        palVec3 dv = get(work->dv + 6 * i);
        palVec3 dw = get(work->dv + 6 * i + 3);
        palVec3 rotation = palScale(h, palMulAdd(state->w[i], theta, dw));
        state->x[i] = palMulAdd(state->x[i], h, palMulAdd(state->v[i], theta, dv));
        state->q[i] =
            palNormalizeQuat(palMulQuat(palMakeQuatRotationVector(rotation), state->q[i]));
        state->v[i] = palAdd(state->v[i], dv);
        state->w[i] = palAdd(state->w[i], dw);
    }
}

void palBeam_Reaction(const palBeamModel* model, const palBeamWork* work, int node, palVec3* force,
                      palVec3* torque)
{
    const palBlockTridiagonal* A = &work->A;
    const double* dv = work->dv + 6 * node;
    double reaction[6];
    for (int r = 0; r < 6; r++)
    {
        double sum = -work->b[6 * node + r];
        for (int c = 0; c < 6; c++)
        {
            sum += A->diagonal[node].m[r][c] * dv[c];
            if (node > 0)
                sum += A->lower[node - 1].m[r][c] * dv[c - 6];
            if (node + 1 < work->nodeCount)
                sum += A->lower[node].m[c][r] * dv[c + 6];
        }
        bool isHeld = model->held[node] >> r & 1u;
        reaction[r] = isHeld ? sum / work->h - work->contact[6 * node + r] : 0.0;
    }
    *force = get(reaction);
    *torque = get(reaction + 3);
}
