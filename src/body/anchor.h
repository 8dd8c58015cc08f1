// SPDX-License-Identifier: Apache-2.0
// The material of a soft body that a joint holds: the nodes around a place, moved as one rigid
// piece in the sense of least squares. With weights w, centroid c = Σ w x and the offsets r from
// the centroid at rest,
//
//     R     the rotation nearest to Σ w (x - c) rᵀ                    (Horn 1988)
//     p     c + R arm, the place itself
//
// and for velocities u of the nodes, with S = Σ w (x - c) (R r)ᵀ, which is symmetric,
//
//     ω     G⁻¹ Σ w (R r) × u,  G = tr(S) 1 - S
//     ṗ     Σ w u + ω × R arm
//
// are exactly the derivatives. The forces of a row about a unit axis, the transpose, are
// w (G⁻¹ axis) × R r: their sum is zero, and their torque is the axis.
#ifndef PAL_BODY_ANCHOR_H
#define PAL_BODY_ANCHOR_H

#include "body/place.h"
#include "body/skin.h"
#include "math/mat3.h"
#include "mesh/surface.h"

enum
{
    pal_anchorNodesMax = 64, // of more, as many far apart are chosen
};

struct palAnchor
{
    int count;
    int nodes[pal_anchorNodesMax];
    double weights[pal_anchorNodesMax];  // sum 1
    palVec3 offsets[pal_anchorNodesMax]; // m, from the centroid at rest
    palVec3 arm;                         // m, of the place from there, at rest
    double size;                         // m, mean distance of the nodes from the centroid (rms)
    int vertexCount;
    int* vertices; // owned, [vertexCount]: of the surface, that it consists of
};

/// The surface within `radius` of a place that faces as it does there, and the triangle there.
/// Vertices have the weights of their areas. Fails where its nodes are on a line.
palResult palAnchor_Create(const palSoftBody* body, const palSkin* skin, const palSurface* surface,
                           const palSurfacePlace* on, double radius, palAnchor** anchor,
                           palError* error);
void palAnchor_Destroy(palAnchor* anchor);

/// Where it is, with the nodes at x.
typedef struct palAnchorState
{
    palVec3 point;
    palMat3 rotation;  // R
    palMat3 toTurning; // G⁻¹, 1/m²
} palAnchorState;

palAnchorState palAnchor_State(const palAnchor* anchor, const palVec3* x);
palQuat palAnchor_Orientation(const palAnchor* anchor, const palVec3* x);

/// A row of J on a soft body: the motion of a place of its surface along an axis, or, where it has
/// an anchor, the turning of that about it, as Σ values · u of nodes, held ones included, with the
/// nodes at x. Returns the number of entries, at most palSoftPlace_Entries.
int palSoftPlace_Row(const palPlace* place, const palSkin* skin, const palVec3* x, palVec3 axis,
                     bool angular, int* nodes, palVec3* values);
int palSoftPlace_Entries(const palPlace* place, const palSkin* skin);

#endif
