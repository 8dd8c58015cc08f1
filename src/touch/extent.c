// SPDX-License-Identifier: Apache-2.0
#include "touch/extent.h"

static const double sectorShare = 0.92; // cos(π/8): an edge between two directions is nearer

// Two directions along a plane.
static void makeAxes(palVec3 n, palVec3* t1, palVec3* t2)
{
    palVec3 other = fabs(n.x) < 0.6 ? palMakeVec3(1.0, 0.0, 0.0) : palMakeVec3(0.0, 1.0, 0.0);
    *t1 = palNormalize(palCross(n, other));
    *t2 = palCross(n, *t1);
}

// The direction of that number.
static palVec3 directionOf(palVec3 n, int number)
{
    double angle = 2.0 * PAL_PI * number / pal_extentSectors;
    palVec3 t1, t2;
    makeAxes(n, &t1, &t2);
    return palAdd(palScale(cos(angle), t1), palScale(sin(angle), t2));
}

static bool isNear(const palBvh* bvh, palVec3 x, double tolerance)
{
    palClosest closest;
    return palBvh_Closest(bvh, x, tolerance, &closest);
}

// How far a surface goes along with a ray in the plane: twice as far as long as it does, and then
// half-way back.
static double followRay(const palBvh* bvh, palVec3 place, palVec3 along, double most,
                        double tolerance)
{
    double reach = 0.0, next = fmin(2.0 * tolerance, most);
    while (reach < most && isNear(bvh, palMulAdd(place, next, along), tolerance))
    {
        reach = next;
        next = fmin(2.0 * next, most);
    }
    double between = 0.5 * (reach + next);
    if (reach < most && isNear(bvh, palMulAdd(place, between, along), tolerance))
        reach = between;
    return reach;
}

void palExtent_Follow(palExtent* extent, palVec3 n, const palBvh* bvh, double most,
                      double tolerance)
{
    for (int k = 0; k < pal_extentSectors; k++)
        extent->reach[k] = followRay(bvh, extent->place, directionOf(n, k), most, tolerance);
}

void palExtent_FollowTool(palExtent* extent, palVec3 n, const palBvh* bvh, palQuat q,
                          palVec3 onTool, double most, double tolerance)
{
    for (int k = 0; k < pal_extentSectors; k++)
    {
        palVec3 back = palNeg(palInvRotate(q, directionOf(n, k)));
        extent->reach[k] = fmax(extent->reach[k], followRay(bvh, onTool, back, most, tolerance));
    }
}

bool palExtent_Crosses(const palExtent* extent, palVec3 place, palVec3 n, palVec3 a, palVec3 b)
{
    double before = palDot(n, palSub(a, place)), after = palDot(n, palSub(b, place));
    if (after >= 0.0 || !(after < before))
        return false;
    palVec3 t1, t2;
    makeAxes(n, &t1, &t2);
    palVec3 at = palSub(palLerp(a, b, fmax(0.0, before / (before - after))), place);
    double x = palDot(at, t1), y = palDot(at, t2), r = sqrt(x * x + y * y);
    double turns = atan2(y, x) / (2.0 * PAL_PI) * pal_extentSectors + pal_extentSectors;
    int sector = (int)turns % pal_extentSectors;
    double least = fmin(extent->reach[sector], extent->reach[(sector + 1) % pal_extentSectors]);
    return r <= sectorShare * least;
}
