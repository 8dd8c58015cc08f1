// SPDX-License-Identifier: Apache-2.0
#include "mesh/vessel.h"

#include "base/error.h"
#include "math/quat.h"
#include "mesh/shape_parts.h"

#include <stdlib.h>

// Of a corner whose bend is not given: times the outer radius.
static const double usualBend = 4.0;
// Cells are at most this many times as long as wide.
static const double longestCell = 4.0;
// rad: a corner that turns by less is straight.
static const double straightAngle = 1e-6;
// Of the distance of two points: pieces that overlap by less are rounding.
static const double overlapIgnored = 1e-9;

// Two straight pieces of 60 mm, and between them a quarter of a circle with a radius of 30 mm.
static palVesselPoint usualPoints[] = {
    {.at = {0.0, 0.0, 0.0}, .radius = NAN, .bend = NAN},
    {.at = {0.09, 0.0, 0.0}, .radius = NAN, .bend = 0.03},
    {.at = {0.09, 0.09, 0.0}, .radius = NAN, .bend = NAN},
};
static const palVesselBranch usualBranch = {.points = usualPoints, .pointCount = 3};

int palVessel_Branches(const palShapeDef* def, const palVesselBranch** branches)
{
    *branches = def->branchCount > 0 ? def->branches : &usualBranch;
    return def->branchCount > 0 ? def->branchCount : 1;
}

//--------------------------------------------------------------------------------------------------
// Centrelines

static double radiusAt(const palShapeDef* def, const palVesselPoint* point)
{
    return isnan(point->radius) ? def->radius : point->radius;
}

static palResult refuse(const char* what, int branch, int point, const char* remedy,
                        palError* error)
{
    palError_Set(error, pal_errorInput, "branch %d of the vessel %s at point %d", branch, what,
                 point);
    return palError_Remedy(error, "%s", remedy);
}

static double outerRadius(const palShapeDef* def, double radius)
{
    return radius + (def->vessel == pal_vesselWall ? def->wall : 0.0);
}

// The arc at a corner between two unit directions; `cut` is the length that it takes of both.
static palVesselPiece roundCorner(const palShapeDef* def, const palVesselPoint* point,
                                  palVec3 before, palVec3 after, double* cut)
{
    double radius = radiusAt(def, point);
    palVec3 across = palCross(before, after);
    double angle = atan2(palLength(across), palDot(before, after));
    palVesselPiece arc = {.isArc = true, .radii = {radius, radius}, .corner = point->at};
    arc.angle = angle;
    arc.bend = isnan(point->bend) ? usualBend * outerRadius(def, radius) : point->bend;
    *cut = angle > straightAngle ? arc.bend * tan(0.5 * angle) : 0.0;
    if (angle <= straightAngle)
        return arc;
    arc.axis = palNormalize(across);
    arc.start = palMulAdd(point->at, -*cut, before);
    arc.end = palMulAdd(point->at, *cut, after);
    arc.centre = palMulAdd(arc.start, arc.bend, palCross(arc.axis, before));
    return arc;
}

static palResult checkBranch(const palShapeDef* def, const palVesselBranch* branch, int index,
                             palError* error)
{
    if (branch->pointCount < 2)
    {
        palError_Set(error, pal_errorInput, "branch %d of the vessel has %d points", index,
                     branch->pointCount);
        return palError_Remedy(error, "give it two or more");
    }
    for (int i = 0; i < branch->pointCount; i++)
    {
        palResult result = palShape_CheckLength(def, "the lumen's radius",
                                                radiusAt(def, &branch->points[i]), error);
        if (result != pal_ok)
            return result;
        if (i > 0 && !(palDistance(branch->points[i - 1].at, branch->points[i].at) > 0.0))
            return refuse("stands still", index, i, "give points that are apart", error);
    }
    return pal_ok;
}

static palResult addStraight(int branch, int point, palVesselPiece piece, double whole,
                             palVec3 along, palVesselPiece* pieces, int* count, palError* error)
{
    double length = palDot(along, palSub(piece.end, piece.start));
    if (length < -overlapIgnored * whole)
        return refuse("has bends that do not fit between their neighbours", branch, point,
                      "move the points apart, or give smaller bends", error);
    if (length > overlapIgnored * whole)
        pieces[(*count)++] = piece;
    return pal_ok;
}

palResult palVessel_Pieces(const palShapeDef* def, int branch, palVesselPiece* pieces, int* count,
                           palError* error)
{
    const palVesselBranch* branches;
    palVessel_Branches(def, &branches);
    const palVesselPoint* points = branches[branch].points;
    int last = branches[branch].pointCount - 1;
    palResult result = checkBranch(def, &branches[branch], branch, error);
    *count = 0;
    palVesselPiece straight = {.start = points[0].at};
    straight.radii[0] = result == pal_ok ? radiusAt(def, &points[0]) : 0.0;
    for (int i = 1; i <= last && result == pal_ok; i++)
    {
        double whole = palDistance(points[i - 1].at, points[i].at), cut = 0.0;
        palVec3 along = palNormalize(palSub(points[i].at, points[i - 1].at));
        palVesselPiece arc = {.angle = 0.0};
        if (i < last)
            arc = roundCorner(def, &points[i], along,
                              palNormalize(palSub(points[i + 1].at, points[i].at)), &cut);
        straight.end = cut > 0.0 ? arc.start : points[i].at;
        straight.radii[1] = radiusAt(def, &points[i]);
        if (cut > 0.0 && !(arc.bend > outerRadius(def, straight.radii[1])))
            return refuse("is bent within its own radius", branch, i,
                          "give a bend larger than the radius with the wall", error);
        result = addStraight(branch, i, straight, whole, along, pieces, count, error);
        if (cut > 0.0)
            pieces[(*count)++] = arc;
        straight.start = cut > 0.0 ? arc.end : points[i].at;
        straight.radii[0] = straight.radii[1];
    }
    return result;
}

palVec3 palVesselPiece_Tangent(const palVesselPiece* piece, bool atEnd)
{
    if (!piece->isArc)
        return palNormalize(palSub(piece->end, piece->start));
    palVec3 from = atEnd ? piece->corner : piece->start;
    return palNormalize(palSub(atEnd ? piece->end : piece->corner, from));
}

//--------------------------------------------------------------------------------------------------
// One branch: rings

// A ring's place on the centreline.
typedef struct station
{
    palVec3 x;     // m
    palVec3 u, v;  // unit, across the centreline, carried along without twist
    double radius; // of the lumen, m
} station;

// Rings between the start and the end of a piece, the end included.
static int ringsOf(const palShapeDef* def, const palVesselPiece* piece)
{
    double radius = fmin(piece->radii[0], piece->radii[1]);
    double cell = longestCell * 2.0 * PAL_PI * radius / def->resolution;
    if (!piece->isArc)
        return (int)fmax(1.0, ceil(palDistance(piece->start, piece->end) / cell));
    // As far from the arc as a facet is from the circle: R (1 - cos(φ/2)) = r (1 - cos(π/n)).
    double sagitta = radius * (1.0 - cos(PAL_PI / def->resolution));
    double outside = piece->bend + outerRadius(def, radius);
    double step = fmin(2.0 * acos(1.0 - sagitta / outside), cell / piece->bend);
    return (int)fmax(1.0, ceil(piece->angle / step));
}

static station follow(const palVesselPiece* piece, const station* start, double share)
{
    station s = *start;
    s.radius = piece->radii[0] + share * (piece->radii[1] - piece->radii[0]);
    if (!piece->isArc)
    {
        s.x = palLerp(piece->start, piece->end, share);
        return s;
    }
    palQuat turn = palMakeQuatRotationVector(palScale(share * piece->angle, piece->axis));
    s.x = palAdd(piece->centre, palRotate(turn, palSub(piece->start, piece->centre)));
    s.u = palRotate(turn, start->u);
    s.v = palRotate(turn, start->v);
    return s;
}

static void placeStations(const palShapeDef* def, const palVesselPiece* pieces, int pieceCount,
                          station* stations)
{
    stations[0] = (station){.x = pieces[0].start, .radius = pieces[0].radii[0]};
    palTangents(palVesselPiece_Tangent(&pieces[0], false), &stations[0].u, &stations[0].v);
    int at = 0;
    for (int p = 0; p < pieceCount; p++)
    {
        int rings = ringsOf(def, &pieces[p]), first = at;
        for (int k = 1; k <= rings; k++)
            stations[++at] = follow(&pieces[p], &stations[first], (double)k / rings);
    }
}

static void placeRing(palSurface* surface, int ring, int around, const station* s, double radius)
{
    for (int i = 0; i < around; i++)
    {
        double angle = 2.0 * PAL_PI * i / around;
        palVec3 out =
            palAdd(palScale(radius * cos(angle), s->u), palScale(radius * sin(angle), s->v));
        surface->vertices[ring * around + i] = palAdd(s->x, out);
    }
}

// Rings outside from the start to the end, and within back to the start; of the lumen alone only
// the latter.
static palResult sweep(const palShapeDef* def, const station* stations, int count,
                       palSurface* surface, palError* error)
{
    bool hasWall = def->vessel == pal_vesselWall;
    int around = def->resolution, rings = hasWall ? 2 * count : count;
    int rows = hasWall ? rings : rings - 1;
    palResult result =
        palShape_Init(def, (double)rings * around, 2.0 * rows * around, surface, error);
    if (result != pal_ok)
        return result;
    for (int k = 0; k < count; k++)
    {
        const station* s = &stations[k];
        if (hasWall)
            placeRing(surface, k, around, s, s->radius + def->wall);
        placeRing(surface, rings - 1 - k, around, s, s->radius);
    }
    int t = 0;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < around; i++)
        {
            int low = r * around, high = (r + 1) % rings * around, next = (i + 1) % around;
            t = palShape_SetCell(surface, t, low + i, low + next, high + next, high + i);
        }
    return pal_ok;
}

static palResult makeTube(const palShapeDef* def, palSurface* surface, palError* error)
{
    const palVesselBranch* branches;
    palVessel_Branches(def, &branches);
    int count = 0, stationCount = 1;
    palVesselPiece* pieces = calloc(2 * (size_t)branches[0].pointCount + 1, sizeof *pieces);
    if (pieces == NULL)
        return palError_Memory(error, "a vessel", sizeof *pieces);
    palResult result = palVessel_Pieces(def, 0, pieces, &count, error);
    for (int i = 0; i < count && result == pal_ok; i++)
        stationCount += ringsOf(def, &pieces[i]);
    station* stations = calloc((size_t)stationCount, sizeof *stations);
    if (stations == NULL && result == pal_ok)
        result = palError_Memory(error, "a vessel", (size_t)stationCount * sizeof *stations);
    if (result == pal_ok)
    {
        placeStations(def, pieces, count, stations);
        result = sweep(def, stations, stationCount, surface, error);
    }
    free(stations);
    free(pieces);
    return result;
}

palResult palMakeVessel(const palShapeDef* def, palSurface* surface, palError* error)
{
    const palVesselBranch* branches;
    palResult result = palShape_CheckLength(def, "the radius", def->radius, error);
    if (result == pal_ok && def->vessel == pal_vesselWall)
        result = palShape_CheckLength(def, "the wall", def->wall, error);
    if (result != pal_ok)
        return result;
    return palVessel_Branches(def, &branches) == 1 ? makeTube(def, surface, error)
                                                   : palMakeVesselTree(def, surface, error);
}
