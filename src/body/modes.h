// SPDX-License-Identifier: Apache-2.0
// Decoupled oscillators: what a soft body becomes in the space of its answers to contact.
//
//     q̈i + di q̇i + ki qi = gi + pi            pi = biᵀ f, the contact force on mode i
//
// and, advanced by backward Euler at the high rate,
//
//     q̇i⁺ = ai (q̇i + h (gi + pi - ki qi)),   qi⁺ = qi + h q̇i⁺
//     ai = 1/(1 + h di + h² ki)
//
// With Rayleigh's damping of one body di = α + β ki, or α where ki is negative: a loaded body may
// be unstable in rotation, like an inverted pendulum. Where bodies of different damping share modes
// di is the diagonal of VᵀDV, and what couples the modes is left out.
//
// FRICTION of bodies that slide on each other belongs to this motion. They move against each other
// by s = Σ bi qi: in two directions across the contact, and by turning about its normal, a length
// at the mean radius. The force f along these has |f| <= limit. In each step f is what stops s, or
// else as large as the limit allows and opposite to s: implicit Coulomb friction, with torsion as
// an ellipsoid. A step is first taken under the f of the last one, which is exact where both
// agree.
//
// A point of the surface moves by Σ bi qi (bi: three numbers a mode); a force f there within one
// step moves it by W f with W = h² Σ ai bi biᵀ, on top of the free motion.
#ifndef PAL_BODY_MODES_H
#define PAL_BODY_MODES_H

#include "base/archive.h"
#include "math/mat3.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum
{
    pal_modesMax = 512,
    pal_shapeModesMax = 368, // of a model whose points have shapes
    pal_rubsMax = 4,         // pairs of bodies that slide on each other
    pal_rubRows = 3,         // of each: two across the contact, and turning
    pal_rubSweeps = 2,       // over them in a step
};

/// Two bodies that slide on each other.
typedef struct palModesRub
{
    double b[pal_rubRows][pal_shapeModesMax]; // how the modes move them against each other
    double limit;                             // N
    double w;                                 // m/N: the largest compliance of these rows in a step
    int source;                               // which of those that were given
} palModesRub;

/// The model; constant between two linearisations.
typedef struct palModes
{
    int count;
    double h;               // s, the step that `a` is made for
    double k[pal_modesMax]; // 1/s²
    double d[pal_modesMax]; // damping, 1/s
    double g[pal_modesMax]; // generalised force of elasticity and gravity at the start, m/s² √kg
    double v0[pal_modesMax]; // q̇ at the start
    double a[pal_modesMax];  // as above
    int rubCount;
    palModesRub rubs[pal_rubsMax];
} palModes;

/// The state; q = 0 at the start.
typedef struct palModesState
{
    double q[pal_modesMax];
    double v[pal_modesMax];
    double rub[pal_rubsMax][pal_rubRows]; // N: friction in the last step
} palModesState;

/// How a point moves in each mode: bi of above, three numbers a mode.
typedef struct palModeShape
{
    double b[3][pal_shapeModesMax];
} palModeShape;

/// 1/a of one mode for the step h. In a long step a negative stiffness is clamped, so that the
/// compliance of the mode stays positive.
static inline double palModes_Resistance(const palModes* modes, int mode, double h)
{
    return 1.0 + h * modes->d[mode] + fmax(-0.5, h * h * modes->k[mode]);
}

/// Fills a for the step h, from k and d.
static inline void palModes_SetTime(palModes* modes, double h)
{
    modes->h = h;
    for (int i = 0; i < modes->count; i++)
        modes->a[i] = 1.0 / palModes_Resistance(modes, i, h);
}

/// The same, and d of Rayleigh's constants before.
static inline void palModes_SetStep(palModes* modes, double h, double alpha, double beta)
{
    for (int i = 0; i < modes->count; i++)
        modes->d[i] = alpha + beta * fmax(0.0, modes->k[i]);
    palModes_SetTime(modes, h);
}

static inline void palModes_Start(const palModes* modes, palModesState* state)
{
    for (int i = 0; i < modes->count; i++)
    {
        state->q[i] = 0.0;
        state->v[i] = modes->v0[i];
    }
    memset(state->rub, 0, sizeof state->rub);
}

/// Σ b q over the modes, as four independent partial sums, so that additions overlap. Real-time.
static inline double palModes_Sum(const palModes* modes, const double* b, const double* q)
{
    double sums[4] = {0, 0, 0, 0};
    int whole = modes->count & ~3;
    for (int i = 0; i < whole; i += 4)
        for (int k = 0; k < 4; k++)
            sums[k] += b[i + k] * q[i + k];
    for (int i = whole; i < modes->count; i++)
        sums[0] += b[i] * q[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// One step under the generalised forces p; p may be NULL. Real-time.
static inline void palModes_Advance(const palModes* modes, const double* p, palModesState* state)
{
    double h = modes->h;
    for (int i = 0; i < modes->count; i++)
    {
        double push = modes->g[i] - modes->k[i] * state->q[i] + (p != NULL ? p[i] : 0.0);
        state->v[i] = modes->a[i] * (state->v[i] + h * push);
        state->q[i] += h * state->v[i];
    }
}

/// Adds to a state that was advanced freely what the force with generalised components p does
/// within the same step. Real-time.
static inline void palModes_Correct(const palModes* modes, const double* p, palModesState* state)
{
    double h = modes->h;
    for (int i = 0; i < modes->count; i++)
    {
        double dv = modes->a[i] * h * p[i];
        state->v[i] += dv;
        state->q[i] += h * dv;
    }
}

/// p += the friction of the last step. Real-time.
static inline void palModes_AddRubs(const palModes* modes, const palModesState* state, double* p)
{
    for (int j = 0; j < modes->rubCount; j++)
        for (int r = 0; r < pal_rubRows; r++)
            for (int i = 0; i < modes->count; i++)
                p[i] += state->rub[j][r] * modes->rubs[j].b[r][i];
}

/// Corrects the friction of a step that was taken under that of the last one, from q `before`.
/// Real-time.
static inline void palModes_Rub(const palModes* modes, const double* before, palModesState* state)
{
    for (int k = 0; k < pal_rubSweeps * modes->rubCount; k++)
    {
        const palModesRub* rub = &modes->rubs[k % modes->rubCount];
        double* f = state->rub[k % modes->rubCount];
        double x = f[0], y = f[1], z = f[2];
        for (int i = 0; i < modes->count; i++)
        {
            double moved = (state->q[i] - before[i]) / rub->w;
            x -= rub->b[0][i] * moved;
            y -= rub->b[1][i] * moved;
            z -= rub->b[2][i] * moved;
        }
        double size = sqrt(x * x + y * y + z * z);
        double scale = size > rub->limit ? rub->limit / size : 1.0;
        double dx = scale * x - f[0], dy = scale * y - f[1], dz = scale * z - f[2];
        for (int i = 0; i < modes->count; i++)
        {
            double push = dx * rub->b[0][i] + dy * rub->b[1][i] + dz * rub->b[2][i];
            double dv = modes->a[i] * modes->h * push;
            state->v[i] += dv;
            state->q[i] += modes->h * dv;
        }
        f[0] = scale * x;
        f[1] = scale * y;
        f[2] = scale * z;
    }
}

/// What is used of them.
static inline void palModes_Archive(palModes* modes, palArchive* archive)
{
    PAL_ARCHIVE(archive, modes->count);
    PAL_ARCHIVE(archive, modes->h);
    PAL_ARCHIVE_ARRAY(archive, modes->k, modes->count);
    PAL_ARCHIVE_ARRAY(archive, modes->d, modes->count);
    PAL_ARCHIVE_ARRAY(archive, modes->g, modes->count);
    PAL_ARCHIVE_ARRAY(archive, modes->v0, modes->count);
    PAL_ARCHIVE_ARRAY(archive, modes->a, modes->count);
    PAL_ARCHIVE(archive, modes->rubCount);
    PAL_ARCHIVE_ARRAY(archive, modes->rubs, modes->rubCount);
}

/// W[row[i] * stride + row[j]] += h² Σ a b_i b_j over the modes, for `count` rows of B, each of
/// `width` numbers; a is that of the step h. `row` may be NULL: i, j themselves.
static inline void palModes_AddCompliance(const palModes* modes, double h, const double* B,
                                          int width, const int* row, int count, double* W,
                                          int stride)
{
    double scaled[pal_modesMax];
    for (int i = 0; i < count; i++)
    {
        const double* b = B + (size_t)i * (size_t)width;
        size_t atI = (size_t)(row != NULL ? row[i] : i);
        for (int k = 0; k < modes->count; k++)
            scaled[k] = h * h / palModes_Resistance(modes, k, h) * b[k];
        for (int j = 0; j <= i; j++)
        {
            size_t atJ = (size_t)(row != NULL ? row[j] : j);
            double w = palModes_Sum(modes, scaled, B + (size_t)j * (size_t)width);
            W[atI * (size_t)stride + atJ] += w;
            if (j < i)
                W[atJ * (size_t)stride + atI] += w;
        }
    }
}

#endif
