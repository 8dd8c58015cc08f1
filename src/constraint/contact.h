// SPDX-License-Identifier: Apache-2.0
// A point contact: one frame on a surface and the rows that it puts on the haptic point.
//
//     gap        ψ  = nᵀ (x - c)         J_n = nᵀ       m, negative inside
//     sliding    τi = tiᵀ (x - x_old)    J_i = tiᵀ      m, in this step
//
// For the point body A is a number times the identity and (n, t1, t2) are orthonormal, so that
// W = J A⁻¹ Jᵀ h² is the same number times the 3x3 identity for one contact.
#ifndef PAL_CONSTRAINT_CONTACT_H
#define PAL_CONSTRAINT_CONTACT_H

#include "math/vec3.h"

typedef struct palContactFrame
{
    palVec3 c;         // a point of the plane, m
    palVec3 n;         // unit normal, away from the solid
    palVec3 t1, t2;    // unit tangents, (t1, t2, n) right-handed
    double friction;   // Coulomb's coefficient
    int object;        // index of the collider
    int triangle;      // index in its surface
    int vertices[3];   // of that triangle
    double weights[3]; // c = sum of weights times vertices, where c is on the surface
} palContactFrame;

static inline palContactFrame palMakeContactFrame(palVec3 c, palVec3 n, double friction, int object,
                                                  int triangle)
{
    palContactFrame frame = {.c = c, .n = n, .friction = friction, .object = object};
    frame.triangle = triangle;
    palTangents(n, &frame.t1, &frame.t2);
    return frame;
}

/// A contact that pushes in one step: a row of contacts.csv.
typedef struct palContactForce
{
    int object;     // id of the body that is pushed
    int other;      // id of the body that pushes it
    int hand;       // index of the hand that holds the other one; -1: none does
    palVec3 point;  // on the object's surface, m
    palVec3 normal; // unit, away from the object
    double gap;     // m, between the surfaces along the normal
    double area;    // m² that the contact stands for; 0: a point
    palVec3 force;  // on the object, friction included, N
} palContactForce;

/// The contacts that push in one step. What does not fit is counted.
typedef struct palContactReport
{
    palContactForce* items; // borrowed, [capacity]
    int capacity;
    int count;
    int dropped;
} palContactReport;

static inline void palContactReport_Add(palContactReport* report, const palContactForce* contact)
{
    if (report->count < report->capacity)
        report->items[report->count++] = *contact;
    else
        report->dropped++;
}

/// ψ at x, m.
static inline double palContactFrame_Gap(const palContactFrame* frame, palVec3 x)
{
    return palDot(frame->n, palSub(x, frame->c));
}

/// Contact forces in the frame's coordinates -> world: Jᵀ λ, N.
static inline palVec3 palContactFrame_Force(const palContactFrame* frame, const double lambda[3])
{
    palVec3 f = palScale(lambda[0], frame->n);
    f = palMulAdd(f, lambda[1], frame->t1);
    return palMulAdd(f, lambda[2], frame->t2);
}

#endif
