// SPDX-License-Identifier: Apache-2.0
// Whether one step of the haptic point on a plane is what mechanics asks for, found from the states
// before and after it alone.
//
// Newton's law, integrated by backward Euler, gives the contact force without asking the method:
//
//     λ = m (v⁺ - v)/h - m g + k (x⁺ - x_dev) + b (v⁺ - v_dev)
//
// and then  0 <= λn ⟂ gap⁺ >= 0,  |λt| <= μ λn,  and where the point slides λt is against the
// sliding and on the cone. A step that begins above the plane may slide freely until it meets it.
#ifndef PAL_TESTS_CONTACT_LAWS_H
#define PAL_TESTS_CONTACT_LAWS_H

#include "rig.h"

typedef struct contactPlane
{
    palVec3 point, n;
    double friction;
} contactPlane;

typedef struct contactOutcome
{
    palVec3 force; // λ, N
    double normal; // N
    double gap;    // m
    double slide;  // m, tangential in this step
} contactOutcome;

/// Makes a step and checks it. `lift` is how far above the plane a resting point may be, m.
static inline contactOutcome checkedStep(rig* r, const contactPlane* plane, double lift)
{
    const palPointModel* body = &r->engine->def.hands[0].body;
    palPointState before = r->engine->hands[0].body;
    palTickRecord record = rigStep(r);
    palPointState after = r->engine->hands[0].body;

    palVec3 inertia = palScale(body->mass / body->dt, palSub(after.v, before.v));
    palVec3 coupling = palPoint_CouplingForce(body, &after, r->device.position, r->device.velocity);
    palVec3 lambda = palAdd(palMulAdd(inertia, -body->mass, body->gravity), coupling);
    palVec3 step = palSub(after.x, before.x);
    contactOutcome outcome = {
        .force = lambda,
        .normal = palDot(plane->n, lambda),
        .gap = palDot(plane->n, palSub(after.x, plane->point)),
    };
    palVec3 tangential = palMulAdd(lambda, -outcome.normal, plane->n);
    palVec3 slide = palMulAdd(step, -palDot(plane->n, step), plane->n);
    outcome.slide = palLength(slide);

    // λ comes out of differences of positions over W: rounding of 1e-16 m is 1e-13 N and more.
    double stiffness = palPointModel_A(body) / (body->dt * body->dt);
    const double resolution = 1e-14; // m
    double tolerance = stiffness * resolution + 1e-9;
    ASSERT_BELOW(palDistance(step, palScale(body->dt, after.v)), resolution);
    ASSERT_BELOW(-outcome.normal, tolerance);
    ASSERT_BELOW(-outcome.gap, resolution);
    if (outcome.normal > tolerance)
    {
        ASSERT_BELOW(outcome.gap, lift + resolution);
        ASSERT_BELOW(palDistance(record.hands[0].force, coupling), 1e-15); // the hand gets it all
    }
    double limit = plane->friction * outcome.normal;
    ASSERT_BELOW(palLength(tangential), limit + tolerance);
    bool wasTouching = palDot(plane->n, palSub(before.x, plane->point)) <= lift + resolution;
    if (wasTouching && outcome.slide > 1e-12 && limit > 1e-6)
    {
        ASSERT_NEAR(palLength(tangential), limit, 1e-6 * limit + tolerance);
        ASSERT_NEAR(palDot(tangential, slide), -palLength(tangential) * outcome.slide,
                    1e-6 * limit * outcome.slide + tolerance * 1e-9);
    }
    return outcome;
}

#endif
