// SPDX-License-Identifier: Apache-2.0
// Touches of a tool with points, and the rows that they put on it.
//
// A touch is a point of the tool over a point of an object's surface:
//
//     gap     g = n · (p_tool - p_object)                m
//     rows    J = (dᵀ, ((p - x) × d)ᵀ)  of the tool,     d = n, and with friction also t1, t2
#ifndef PAL_TOUCH_TOUCH_H
#define PAL_TOUCH_TOUCH_H

#include "body/tool.h"
#include "world/def.h"

enum
{
    pal_touchesMax = 48,
    pal_touchRowsMax = 3 * pal_touchesMax,
};

typedef struct palTouch
{
    int object;        // index of the collider
    palVec3 onTool;    // in the tool's frame, m
    palVec3 n, t1, t2; // unit, from the object to the tool, and along the surface
    double gap;        // m
    double friction;   // Coulomb's coefficient; 0: one row, else three
    bool oneWay;       // friction along t1 only: two rows
    double force[3];   // of the last low-rate step along n, t1, t2, N
} palTouch;

/// The rows of touches on the tool.
typedef struct palTouchRows
{
    int touchCount;
    int count;                       // of rows
    int first[pal_touchesMax + 1];   // row of each touch's normal; its tangents follow
    palWrench J[pal_touchRowsMax];   // of the tool
    palVec3 along[pal_touchRowsMax]; // d
    short touchOf[pal_touchRowsMax]; // whose row it is
} palTouchRows;

/// The rows with the tool at `state`. With `normalsOnly` a touch has one row whatever its friction.
void palTouchRows_Fill(palTouchRows* rows, const palTouch* touches, int touchCount,
                       bool normalsOnly, const palRigidModel* model, const palRigidState* state);

/// The tool's part: adds scale J A⁻¹ Jᵀ to W and J u⁻ to `velocity`.
void palTouchRows_AddTool(const palTouchRows* rows, const palRigidStep* step, double scale,
                          double* W, double* velocity);

/// Jᵀ λ on the tool.
palWrench palTouchRows_Wrench(const palTouchRows* rows, const double* lambda);

/// Reports a touch that pushes with `push` along `normal`; `force` is on the object, friction
/// included, and `hand` the id of the tool.
static inline void palReportTouch(palHighInfo* info, int object, int hand, palVec3 point,
                                  palVec3 normal, double push, palVec3 force)
{
    palContactForce contact = {
        .object = object,
        .other = hand,
        .point = point,
        .normal = normal,
        .force = force,
    };
    if (push > 0.0)
        palContactReport_Add(info->contacts, &contact);
}

#endif
