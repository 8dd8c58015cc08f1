// SPDX-License-Identifier: Apache-2.0
// Geometrically limited constraints (GLC): a contact plane that acts only near its own feature.
//
// Knott and Kuhlen 2015, section 3.3. A constraint belongs to a geometric feature of finite size,
// so it is restricted to a region of that size: with a frame (c, n, t1, t2) on the feature,
//
//     ψ  = nᵀ (x - c)             gap, eq. (2)
//     τi = tiᵀ (x - c)            tangential position
//     active while  |τi| <= si    eq. (6)      and  -d <= ψ <= 0    eq. (7)
//
// That rectangle (pal_limitRectangle) overlaps its neighbours wherever triangles are not right-
// angled, and reaches over concave edges into free space: on the paper's sine at 40 cells a wave
// it holds the proxy up to 36 µm off the surface. pal_limitTriangle replaces it by the triangle
// itself, which leaves 2 nm: three linear functions ek = mkᵀ (x - c) + ok >= 0, one an edge, mk the
// unit normal of the edge within the plane, pointing inward.
//
// A concave edge leaves a wedge below the surface that neither face's prism covers; it gets a
// constraint of its own, limited to that wedge and to the edge's length. A point of a point shell
// gets one of the size of its spacing.
#ifndef PAL_CONSTRAINT_LIMITED_H
#define PAL_CONSTRAINT_LIMITED_H

#include "math/vec3.h"

typedef enum palLimitShape
{
    pal_limitTriangle,  // three edges: exact
    pal_limitRectangle, // |τ1| <= s1, |τ2| <= s2: the paper's
} palLimitShape;

typedef enum palLimitedKind
{
    pal_limitedFace,  // a triangle
    pal_limitedEdge,  // a concave edge
    pal_limitedPoint, // a point of a point shell
} palLimitedKind;

/// One limited constraint. Lengths in metres.
typedef struct palLimited
{
    palVec3 c;         // on the feature: the triangle's centroid, the edge's middle, the point
    palVec3 corner[3]; // of the triangle; the edge's two ends; the point
    int cornerCount;
    palVec3 n;        // unit normal, away from the solid
    palVec3 limit[4]; // mk: unit directions of the linear limits
    double offset[4]; // ok: active while mkᵀ (x - c) + ok >= 0 for all k < limitCount
    int limitCount;   // 3 for triangles, 4 otherwise
    double size;      // the smallest extent: what a step may not skip (section 3.5)
    double reach;     // the region ends within this distance of c where it leaves the corners
    double depth;     // of a point: d of eq. (7), its own size, so that no step gets past it
    double friction;  // Coulomb's coefficient
    int object;       // index of the collider
    int triangle;     // index in its surface; of one of the two at an edge
    palLimitedKind kind;
    bool twoSided;  // part of an open sheet: acts on the side where the proxy is
    bool isCovered; // by another body: it holds what is outside, and lets what is inside pass
} palLimited;

/// The constraint of a triangle. Returns false for a needle that has no normal.
bool palLimited_FromTriangle(palLimited* limited, palLimitShape shape, palVec3 a, palVec3 b,
                             palVec3 c);

/// The constraint of the edge from a to b between faces with normals n1 and n2. Only for concave
/// edges. m1 points from the edge into face 1 within its plane, m2 into face 2.
void palLimited_FromEdge(palLimited* limited, palVec3 a, palVec3 b, palVec3 n1, palVec3 m1,
                         palVec3 n2, palVec3 m2);

/// The constraint of a point of a point shell with unit normal n, s metres from its neighbours.
void palLimited_FromPoint(palLimited* limited, palVec3 point, palVec3 n, double s);

/// ψ at x, m.
static inline double palLimited_Gap(const palLimited* limited, palVec3 x)
{
    return palDot(limited->n, palSub(x, limited->c));
}

/// Whether x is within the tangential limits, widened by `margin` metres.
static inline bool palLimited_Covers(const palLimited* limited, palVec3 x, double margin)
{
    palVec3 r = palSub(x, limited->c);
    for (int k = 0; k < limited->limitCount; k++)
        if (palDot(limited->limit[k], r) + limited->offset[k] < -margin)
            return false;
    return true;
}

/// Local convexity: two constraints belong to one convex piece if each one's feature is behind the
/// other's plane, within `tolerance` metres. The paper (section 3.3, after Ericson 2005) looks at
/// the centres only, which is the same for neighbours over an edge; across a saddle's vertex, where
/// a triangle may be partly in front of the other's plane, every corner has to be looked at.
static inline bool palLimited_AreConvex(const palLimited* a, const palLimited* b, double tolerance)
{
    for (int k = 0; k < b->cornerCount; k++)
        if (palLimited_Gap(a, b->corner[k]) > tolerance)
            return false;
    for (int k = 0; k < a->cornerCount; k++)
        if (palLimited_Gap(b, a->corner[k]) > tolerance)
            return false;
    return true;
}

#endif
