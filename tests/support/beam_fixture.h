// SPDX-License-Identifier: Apache-2.0
// A wire to be tested: model, state and work together, stepped without contact.
#ifndef PAL_TESTS_BEAM_FIXTURE_H
#define PAL_TESTS_BEAM_FIXTURE_H

#include "base/random.h"
#include "body/beam.h"
#include "check.h"

enum
{
    wireNodesMax = 201,
    wireRowsMax = 40,
};

typedef struct wire
{
    palBeamModel* model;
    palBeamState state;
    palBeamWork work;
    palVec3 points[wireNodesMax];
    uint8_t held[wireNodesMax];
} wire;

static inline void wireMake(wire* w, palBeamDef def)
{
    palError error = {0};
    if (palBeamModel_Create(&def, &w->model, &error) != pal_ok)
        fail_msg("%s", error.text);
    assert_int_equal(palBeamState_Init(&w->state, w->model, NULL), pal_ok);
    assert_int_equal(palBeamWork_Init(&w->work, w->model, wireRowsMax, NULL), pal_ok);
}

// Straight along x from the origin, clamped there where `clamp` says so.
static inline void wireMakeStraight(wire* w, palBeamDef def, int elements, double length,
                                    uint8_t clamp)
{
    *w = (wire){0};
    for (int i = 0; i <= elements; i++)
        w->points[i] = palMakeVec3(length * i / elements, 0, 0);
    w->held[0] = clamp;
    def.nodeCount = elements + 1;
    def.points = w->points;
    def.held = w->held;
    wireMake(w, def);
}

static inline void wireFree(wire* w)
{
    palBeamModel_Destroy(w->model);
    palBeamState_Free(&w->state);
    palBeamWork_Free(&w->work);
}

static inline void wireStep(wire* w, double h, const palBeamHand* hand)
{
    palBeam_Linearise(w->model, &w->state, &w->work);
    assert_true(palBeam_Factor(w->model, h, &w->work));
    palBeam_FreeMotion(w->model, &w->state, hand, &w->work);
    palBeam_Integrate(w->model, &w->work, &w->state);
}

static inline double wireSpeed(const wire* w)
{
    double most = 0.0;
    for (int i = 0; i < w->state.nodeCount; i++)
        most = fmax(most, fmax(palLength(w->state.v[i]), 1e-3 * palLength(w->state.w[i])));
    return most;
}

// Steps until nothing moves more than `still` m/s.
static inline void wireSettle(wire* w, double h, double still, int most)
{
    for (int k = 0; k < most; k++)
    {
        wireStep(w, h, NULL);
        if (k > 10 && wireSpeed(w) < still)
            return;
    }
    fail_msg("still moving at %g m/s after %d steps", wireSpeed(w), most);
}

static inline double* wireTip(wire* w)
{
    return w->work.external + 6 * (w->model->nodeCount - 1);
}

static inline palVec3 wireRandomVector(palRandom* random, double size)
{
    return palMakeVec3(palRandom_Range(random, -size, size), palRandom_Range(random, -size, size),
                       palRandom_Range(random, -size, size));
}

// Momentum and angular momentum about the origin, with lumped masses.
static inline void wireMomenta(const wire* w, palVec3* momentum, palVec3* angular)
{
    *momentum = *angular = pal_zeroVec3;
    for (int i = 0; i < w->model->nodeCount; i++)
    {
        palVec3 p = palScale(w->model->mass[i], w->state.v[i]);
        palVec3 inertia = w->model->inertia[i];
        palVec3 local = palInvRotate(w->state.q[i], w->state.w[i]);
        palVec3 spin = palMakeVec3(inertia.x * local.x, inertia.y * local.y, inertia.z * local.z);
        *momentum = palAdd(*momentum, p);
        *angular = palAdd(*angular, palCross(w->state.x[i], p));
        *angular = palAdd(*angular, palRotate(w->state.q[i], spin));
    }
}

#endif
