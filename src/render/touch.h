// SPDX-License-Identifier: Apache-2.0
// Touches of a tool, and the rows that they put on it and on soft bodies.
//
// A touch is a point of the tool over a point of an object's surface (eq. (8) of method `linear`):
//
//     gap     g  = n · (p_tool - p_object)                 m
//     rows    J  = (dᵀ, ((p - x) × d)ᵀ)  of the tool,      d = n, and with friction also t1, t2
//             Ju = -Σ wi dᵀ              of the object's surface vertices with weights wi, and so
//             of
//                                        the nodes that carry them
#ifndef PAL_RENDER_TOUCH_H
#define PAL_RENDER_TOUCH_H

#include "body/soft_step.h"
#include "body/tool.h"
#include "collide/collider.h"
#include "collide/tool_contact.h"
#include "render/method.h"

enum
{
    pal_touchesMax = 48,
    pal_touchRowsMax = 3 * pal_touchesMax,
    pal_touchEntriesMax = pal_touchRowsMax * 3 * pal_skinNodesMax,
};

typedef struct palTouch
{
    int object; // index of the collider
    palToolContactKind kind;
    palSurfacePlace tool;  // on the tool's surface
    palSurfacePlace place; // on the object's
    palVec3 onTool;        // the same point in the tool's frame, m
    palVec3 n, t1, t2;     // unit, from the object to the tool, and along the surface
    double gap;            // m
    double friction;       // Coulomb's coefficient; 0: one row, else three
    bool oneWay;           // friction along t1 only: two rows
    double force[3];       // of the last low-rate step along n, t1, t2, N
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

/// The rows of one soft object, for linalg/reach.h.
typedef struct palTissueRows
{
    int count;
    int rowOf[pal_touchRowsMax]; // which of all rows it is
    int start[pal_touchRowsMax + 1];
    int nodes[pal_touchEntriesMax];
    palVec3 values[pal_touchEntriesMax];
    palSparseRows sparse; // of the arrays above
    double W[pal_touchRowsMax * pal_touchRowsMax];
    double vector[pal_touchRowsMax]; // velocities or forces of the object's own rows
} palTissueRows;

/// Makes a touch of a contact that was found; `toolVertices` are in the tool's frame.
palTouch palMakeTouch(const palToolContact* contact, int object, double friction,
                      const palVec3* toolVertices);
bool palTouch_IsSame(const palTouch* a, const palTouch* b);

/// The rows with the tool at `state`. With `normalsOnly` a touch has one row whatever its friction.
void palTouchRows_Fill(palTouchRows* rows, const palTouch* touches, int touchCount,
                       bool normalsOnly, const palRigidModel* model, const palRigidState* state);

/// The rows among them that move `object`.
void palTissueRows_Fill(palTissueRows* tissue, const palTouchRows* rows, const palTouch* touches,
                        int object, const palCollider* collider);

/// Solves for the object's rows, and adds scale Ju Au⁻¹ Juᵀ to W and Ju u̇⁻ to `velocity`, either
/// of which may be NULL. W has pal_touchRowsMax numbers a row.
bool palTissueRows_Add(palTissueRows* tissue, palSoftStep* step, double scale, double* W,
                       double* velocity);

/// The tool's part: adds scale J A⁻¹ Jᵀ to W and J u⁻ to `velocity`.
void palTouchRows_AddTool(const palTouchRows* rows, const palRigidStep* step, double scale,
                          double* W, double* velocity);

/// Rows to ask equality of: goes through `order`, [count], and keeps in it, in front, the rows
/// whose compliance W is to more than a small share their own, not that of the rows kept before.
/// What depends on others can be asked nothing else without great forces. `factor` is workspace of
/// the shape of W. Returns how many are kept.
int palPickRows(int count, const double* W, size_t stride, double* factor, int* order);

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
