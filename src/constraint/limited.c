// SPDX-License-Identifier: Apache-2.0
#include "constraint/limited.h"

// Three edges as linear limits, relative to the centroid.
static void limitByEdges(palLimited* limited, const palVec3 corner[3])
{
    limited->limitCount = 3;
    limited->size = INFINITY;
    for (int k = 0; k < 3; k++)
    {
        palVec3 along = palSub(corner[(k + 1) % 3], corner[k]);
        palVec3 inward = palNormalize(palCross(limited->n, along));
        limited->limit[k] = inward;
        limited->offset[k] = palDot(inward, palSub(limited->c, corner[k]));
        limited->size = fmin(limited->size, 3.0 * limited->offset[k]); // the height on this edge
    }
}

// The rectangle |τ1| <= s1, |τ2| <= s2 of eq. (6) about c.
static void limitByRectangle(palLimited* limited, palVec3 t1, palVec3 t2, double s1, double s2)
{
    limited->limitCount = 4;
    limited->limit[0] = t1;
    limited->limit[1] = palNeg(t1);
    limited->limit[2] = t2;
    limited->limit[3] = palNeg(t2);
    limited->offset[0] = limited->offset[1] = s1;
    limited->offset[2] = limited->offset[3] = s2;
    limited->size = fmin(s1, s2);
    limited->reach = hypot(s1, s2);
}

bool palLimited_FromTriangle(palLimited* limited, palLimitShape shape, palVec3 a, palVec3 b,
                             palVec3 c)
{
    const palVec3 corner[3] = {a, b, c};
    *limited = (palLimited){.kind = pal_limitedFace, .corner = {a, b, c}, .cornerCount = 3};
    limited->c = palScale(1.0 / 3.0, palAdd(a, palAdd(b, c)));
    limited->n = palNormalize(palCross(palSub(b, a), palSub(c, a)));
    if (palLengthSquared(limited->n) == 0.0)
        return false;
    limitByEdges(limited, corner);
    if (shape == pal_limitTriangle)
        return true;

    // The rectangle along the first edge that holds every corner.
    palVec3 t1 = palNormalize(palSub(b, a));
    palVec3 t2 = palCross(limited->n, t1);
    double s1 = 0.0, s2 = 0.0;
    for (int k = 0; k < 3; k++)
    {
        palVec3 r = palSub(corner[k], limited->c);
        s1 = fmax(s1, fabs(palDot(t1, r)));
        s2 = fmax(s2, fabs(palDot(t2, r)));
    }
    limitByRectangle(limited, t1, t2, s1, s2);
    return true;
}

void palLimited_FromEdge(palLimited* limited, palVec3 a, palVec3 b, palVec3 n1, palVec3 m1,
                         palVec3 n2, palVec3 m2)
{
    *limited =
        (palLimited){.kind = pal_limitedEdge, .limitCount = 4, .corner = {a, b}, .cornerCount = 2};
    palVec3 along = palNormalize(palSub(b, a));
    double half = 0.5 * palDistance(a, b);
    limited->c = palLerp(a, b, 0.5);
    limited->n = palNormalize(palAdd(n1, n2));
    // The wedge: outside both faces' prisms, that is on the far side of each prism's wall.
    limited->limit[0] = palNeg(m1);
    limited->limit[1] = palNeg(m2);
    limited->limit[2] = along;
    limited->limit[3] = palNeg(along);
    limited->offset[2] = limited->offset[3] = half;
    limited->size = half;
}

void palLimited_FromPoint(palLimited* limited, palVec3 point, palVec3 n, double s)
{
    *limited = (palLimited){
        .kind = pal_limitedPoint, .c = point, .n = n, .corner = {point}, .cornerCount = 1};
    palVec3 t1, t2;
    palTangents(n, &t1, &t2);
    limitByRectangle(limited, t1, t2, s, s);
    limited->depth = s;
    limited->reach = sqrt(3.0) * s;
}
