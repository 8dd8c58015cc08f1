// SPDX-License-Identifier: Apache-2.0
// Points of a wire, the rows of their motion, and its compliance.
//
// Between its nodes an element is the curve of Timoshenko's theory, in its frame E:
//
//     p(s) = (1 - s) xa + s xb + E r(s) + E exp θ(s) offset
//     r = (0, deflection of θz, -deflection of θy),   θ(s) = interpolated θa, θb
//
// so that with ψ an infinitesimal rotation of E, and T⁻¹ from changes of θ to rotations,
//
//     δp = (1 - s) δxa + s δxb + ψ × E r + E δr + ω × (E exp θ offset),   ω = ψ + E T⁻¹ δθ
#include "body/beam.h"

#include <string.h>

// The section at s, in the element's frame.
typedef struct section
{
    palBeamShape shape[2]; // of bending about y and z
    palVec3 r;             // of its centre from the chord, m
    palVec3 theta;
} section;

static section sectionAt(const palBeamElement* element, const double* d, double s)
{
    section at;
    for (int k = 0; k < 2; k++)
        at.shape[k] = palMakeBeamShape(element->length, element->phi[k], s);
    const palBeamShape* y = &at.shape[0];
    const palBeamShape* z = &at.shape[1];
    at.r = palMakeVec3(0.0, z->n[0] * d[3] + z->n[1] * d[6], -(y->n[0] * d[2] + y->n[1] * d[5]));
    at.theta = palMakeVec3((1.0 - s) * d[1] + s * d[4], y->g[0] * d[2] + y->g[1] * d[5],
                           z->g[0] * d[3] + z->g[1] * d[6]);
    return at;
}

palVec3 palBeam_Point(const palBeamModel* model, const palBeamState* state, palBeamPlace place)
{
    const palBeamElement* element = &model->elements[place.element];
    const palVec3* x = state->x + place.element;
    palBeamPose pose = palBeamElement_Strain(element, x, state->q + place.element);
    section at = sectionAt(element, pose.d, place.s);
    palVec3 across = palRotate(palMakeQuatRotationVector(at.theta), place.offset);
    return palAdd(palLerp(x[0], x[1], place.s), palMat3Apply(pose.E, palAdd(at.r, across)));
}

palQuat palBeam_Rotation(const palBeamModel* model, const palBeamState* state, palBeamPlace place)
{
    const palBeamElement* element = &model->elements[place.element];
    const palQuat* q = state->q + place.element;
    palBeamPose pose = palBeamElement_Strain(element, state->x + place.element, q);
    section at = sectionAt(element, pose.d, place.s);
    // E = Ra exp(-θa)
    palVec3 back = palMakeVec3(-pose.d[1], -pose.d[2], -pose.d[3]);
    palQuat E =
        palMulQuat(palMulQuat(q[0], element->restRotation[0]), palMakeQuatRotationVector(back));
    return palNormalizeQuat(palMulQuat(E, palMakeQuatRotationVector(at.theta)));
}

static palVec3 toLocal(palMat3 E, palVec3 a)
{
    return palMat3Apply(palMat3Transpose(E), a);
}

static void addScaled(double scale, const double from[pal_beamColumns], double to[pal_beamColumns])
{
    for (int c = 0; c < pal_beamColumns; c++)
        to[c] += scale * from[c];
}

// T⁻ᵀ c of the section's rotation: T⁻¹ = I + a [θ]× + b [θ]×², a = (1 - cos|θ|)/|θ|²,
// b = (|θ| - sin|θ|)/|θ|³ (Rodrigues), and [θ]×ᵀ = -[θ]×.
static palVec3 vectorToRotationTransposed(palVec3 theta, palVec3 c)
{
    double t2 = palLengthSquared(theta);
    double t = sqrt(t2);
    double a = t > 1e-3 ? (1.0 - cos(t)) / t2 : 0.5 - t2 / 24.0;
    double b = t > 1e-3 ? (t - sin(t)) / (t * t2) : 1.0 / 6.0 - t2 / 120.0;
    palVec3 once = palCross(theta, c);
    return palMulAdd(palMulAdd(c, -a, once), b, palCross(theta, once));
}

// Adds the coefficients of c·ω, c in the element's frame, ω the rotation of the section.
static void addRotation(const palBeamPose* pose, const section* at, double s, palVec3 c,
                        double J[pal_beamColumns])
{
    const palBeamShape* y = &at->shape[0];
    const palBeamShape* z = &at->shape[1];
    addScaled(c.x, pose->spin[0], J);
    addScaled(c.y, pose->spin[1], J);
    addScaled(c.z, pose->spin[2], J);
    palVec3 t = vectorToRotationTransposed(at->theta, c);
    addScaled((1.0 - s) * t.x, pose->B[1], J);
    addScaled(s * t.x, pose->B[4], J);
    addScaled(y->g[0] * t.y, pose->B[2], J);
    addScaled(y->g[1] * t.y, pose->B[5], J);
    addScaled(z->g[0] * t.z, pose->B[3], J);
    addScaled(z->g[1] * t.z, pose->B[6], J);
}

palBeamPlace palBeam_Slide(const palBeamModel* model, palBeamPlace place, double by)
{
    double s = place.s + by / model->elements[place.element].length;
    int last = model->elementCount - 1;
    for (int k = 0; k < last && s < 0.0 && place.element > 0; k++)
    {
        s *= model->elements[place.element].length / model->elements[place.element - 1].length;
        s += 1.0;
        place.element--;
    }
    for (int k = 0; k < last && s > 1.0 && place.element < last; k++)
    {
        s -= 1.0;
        s *= model->elements[place.element].length / model->elements[place.element + 1].length;
        place.element++;
    }
    place.s = fmin(fmax(s, 0.0), 1.0);
    return place;
}

palBeamRow palBeam_PointRow(const palBeamModel* model, const palBeamWork* work, palBeamPlace place,
                            palVec3 direction)
{
    const palBeamPose* pose = &work->poses[place.element];
    double s = place.s;
    section at = sectionAt(&model->elements[place.element], pose->d, s);
    palBeamRow row = {.element = place.element};
    const double world[3] = {direction.x, direction.y, direction.z};
    for (int k = 0; k < 3; k++)
    {
        row.J[k] = (1.0 - s) * world[k];
        row.J[6 + k] = s * world[k];
    }
    palVec3 n = toLocal(pose->E, direction);
    // n·(ψ × r) = ψ·(r × n)
    palVec3 arm = palCross(at.r, n);
    addScaled(arm.x, pose->spin[0], row.J);
    addScaled(arm.y, pose->spin[1], row.J);
    addScaled(arm.z, pose->spin[2], row.J);
    addScaled(n.y * at.shape[1].n[0], pose->B[3], row.J);
    addScaled(n.y * at.shape[1].n[1], pose->B[6], row.J);
    addScaled(-n.z * at.shape[0].n[0], pose->B[2], row.J);
    addScaled(-n.z * at.shape[0].n[1], pose->B[5], row.J);
    palVec3 across = palRotate(palMakeQuatRotationVector(at.theta), place.offset);
    addRotation(pose, &at, s, palCross(across, n), row.J);
    return row;
}

palBeamRow palBeam_RotationRow(const palBeamModel* model, const palBeamWork* work,
                               palBeamPlace place, palVec3 axis)
{
    const palBeamPose* pose = &work->poses[place.element];
    section at = sectionAt(&model->elements[place.element], pose->d, place.s);
    palBeamRow row = {.element = place.element};
    addRotation(pose, &at, place.s, toLocal(pose->E, axis), row.J);
    return row;
}

double palBeamRow_Apply(const palBeamRow* row, const double* y)
{
    const double* at = y + 6 * row->element;
    double sum = 0.0;
    for (int c = 0; c < pal_beamColumns; c++)
        sum += row->J[c] * at[c];
    return sum;
}

static double rowMotion(const palBeamModel* model, const palBeamState* state, double h,
                        const palBeamRow* row, const double* dv)
{
    double v[pal_beamColumns];
    for (int k = 0; k < 2; k++)
    {
        palVec3 velocity = state->v[row->element + k];
        palVec3 omega = state->w[row->element + k];
        const double both[6] = {velocity.x, velocity.y, velocity.z, omega.x, omega.y, omega.z};
        memcpy(v + 6 * k, both, sizeof both);
    }
    double sum = model->theta * palBeamRow_Apply(row, dv);
    for (int c = 0; c < pal_beamColumns; c++)
        sum += row->J[c] * v[c];
    return h * sum;
}

double palBeam_RowMotion(const palBeamModel* model, const palBeamState* state,
                         const palBeamWork* work, const palBeamRow* row)
{
    return rowMotion(model, state, work->h, row, work->dv);
}

double palBeam_FreeRowMotion(const palBeamModel* model, const palBeamState* state,
                             const palBeamWork* work, const palBeamRow* row)
{
    return rowMotion(model, state, work->h, row, work->freeDv);
}

// a·b of vectors with six numbers per node. Six independent sums, which the processor can overlap.
static double product(const double* a, const double* b, int size)
{
    double sums[6] = {0.0};
    for (int i = 0; i < size; i += 6)
        for (int k = 0; k < 6; k++)
            sums[k] += a[i + k] * b[i + k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) + (sums[4] + sums[5]);
}

bool palBeam_AddCompliance(const palBeamModel* model, palBeamWork* work, const palBeamRow* rows,
                           int count, double* W, int stride)
{
    int size = 6 * work->nodeCount;
    double scale = model->theta * work->h * work->h;
    if (count > work->rowCapacity)
        return false;
    for (int i = 0; i < count; i++)
    {
        int first = 6 * rows[i].element;
        double* zi = work->Z + (size_t)i * (size_t)size;
        memcpy(zi + first, rows[i].J, sizeof rows[i].J);
        memset(zi + first + pal_beamColumns, 0,
               (size_t)(size - first - pal_beamColumns) * sizeof *zi);
        palTridiagonalFactor_Forward(&work->L, rows[i].element, zi);
        for (int j = 0; j <= i; j++)
        {
            const double* zj = work->Z + (size_t)j * (size_t)size;
            int both = 6 * (rows[i].element > rows[j].element ? rows[i].element : rows[j].element);
            double sum = product(zi + both, zj + both, size - both);
            W[i * stride + j] += scale * sum;
            if (j < i)
                W[j * stride + i] += scale * sum;
        }
    }
    return true;
}
