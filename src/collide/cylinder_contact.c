// SPDX-License-Identifier: Apache-2.0
// Contacts of a mesh with an exact cylinder: vertices of the mesh on its side, its caps and its
// rims; points of its rims on faces; edges on its side and across its rims.
#include "collide/mesh_query.h"

enum
{
    rimPoints = 8, // of a cap that lies on a face, fixed to the cylinder
    rimSteps = 12, // of Newton's method
};

// A cap that leans less than this on a face has no lowest point but lies on all its rim points: the
// difference is below a hundred thousandth of the radius. Sine.
static const double flatCap = 1e-4;

// A place on a rim: the point, and the unit vectors outward, along the rim and out of the cap.
typedef struct RimPlace
{
    palVec3 x;
    palVec3 outward;
    palVec3 along;
    palVec3 axis;
} RimPlace;

typedef struct Cylinder
{
    palMeshQuery* query;
    palVec3 centre;  // m
    palVec3 axes[3]; // unit; the last along the cylinder
    double radius;   // m
    double half;     // of its height, m
    double reach;    // m
    RimPlace rims[2][rimPoints];
} Cylinder;

static RimPlace rimPlace(const Cylinder* c, int end, palVec3 outward)
{
    palVec3 axis = end == 0 ? palNeg(c->axes[2]) : c->axes[2];
    palVec3 middle = palMulAdd(c->centre, c->half, axis);
    return (RimPlace){palMulAdd(middle, c->radius, outward), outward, palCross(c->axes[2], outward),
                      axis};
}

// A vertex of the mesh inside or beside: along the radius to the side, along the axis to a cap.
static void testVertex(const Cylinder* c, palVec3 v, int vertex)
{
    palMeshQuery* query = c->query;
    palVec3 from = palSub(v, c->centre);
    double z = palDot(c->axes[2], from);
    palVec3 radial = palMulAdd(from, -z, c->axes[2]);
    double rho = palLength(radial);
    palVec3 outward = palNormalize(radial);
    int end = z < 0.0 ? 0 : 1;
    palVec3 up = end == 0 ? palNeg(c->axes[2]) : c->axes[2];
    double side = rho - c->radius, cap = fabs(z) - c->half;
    if (side > c->reach || cap > c->reach || fmax(side, cap) < -query->depth)
        return;
    if (side > query->tolerance && cap > query->tolerance)
    {
        palVec3 x = rimPlace(c, end, outward).x, d = palSub(x, v);
        double distance = palLength(d);
        palVec3 n = palScale(1.0 / distance, d);
        if (distance <= query->distance &&
            palMeshSide_SticksOut(&query->b, vertex, n, pal_directionSlack))
            palMeshQuery_Add(query, x, v, n, palMeshQuery_Key(pal_pairEdgeVertex, end, vertex));
        return;
    }
    bool onSide = side <= query->distance && side >= -query->depth && cap <= query->tolerance &&
                  rho > 0.5 * c->radius &&
                  palMeshSide_SticksOut(&query->b, vertex, palNeg(outward), pal_vertexSlack);
    bool onCap = cap <= query->distance && cap >= -query->depth && side <= query->tolerance &&
                 palMeshSide_SticksOut(&query->b, vertex, palNeg(up), pal_vertexSlack);
    // Where both are ways out, the longer one is none.
    bool both = onSide && onCap;
    if (onSide && !(both && cap > 0.75 * side))
        palMeshQuery_Add(query, palMulAdd(v, -side, outward), v, palNeg(outward),
                         palMeshQuery_Key(pal_pairFaceVertex, 2, vertex));
    if (onCap && !(both && side > 0.75 * cap))
        palMeshQuery_Add(query, palMulAdd(v, -cap, up), v, palNeg(up),
                         palMeshQuery_Key(pal_pairFaceVertex, end, vertex));
}

// Whether a place on a rim comes first in a direction.
static bool rimSticksOut(const RimPlace* place, palVec3 direction)
{
    return palDot(direction, place->outward) >= -pal_vertexSlack &&
           palDot(direction, place->axis) >= -pal_vertexSlack &&
           fabs(palDot(direction, place->along)) <= pal_vertexSlack;
}

// Whether a place on a rim, `depth` behind the mesh's surface, is inside with no shorter way out.
static bool isInside(const Cylinder* c, const RimPlace* place, double reach, double depth)
{
    palVec3 shorter;
    palWayOut way = palMeshQuery_WayOut(c->query, &c->query->b, place->x, reach, depth, &shorter);
    return way == pal_wayOut || (way == pal_shorterWayOut && !rimSticksOut(place, palNeg(shorter)));
}

static void addRimOnFace(const Cylinder* c, const RimPlace* place, const palMeshFace* face, int id)
{
    palMeshQuery* query = c->query;
    double height = palDot(face->normal, palSub(place->x, face->corners[0]));
    if (height > query->distance || height < -query->depth ||
        !palMeshQuery_IsOver(query, face, place->x) ||
        (height < -query->tolerance && !isInside(c, place, -height, -height)))
        return;
    int patch = query->b.shape->features.patches[face->triangle];
    palMeshQuery_Add(query, place->x, palMulAdd(place->x, -height, face->normal), face->normal,
                     palMeshQuery_Key(pal_pairVertexFace, id, patch));
}

// The points of both rims that come first against a face.
static void testFace(const Cylinder* c, const palMeshFace* face)
{
    palVec3 n = face->normal;
    double lean = palDot(n, c->axes[2]);
    palVec3 across = palMulAdd(n, -lean, c->axes[2]);
    double sine = palLength(across);
    double height = palDot(n, palSub(c->centre, face->corners[0]));
    double support = fabs(lean) * c->half + sine * c->radius;
    if (height - support > c->query->distance || height - support < -c->query->depth)
        return;
    for (int end = 0; end < 2; end++)
    {
        if ((end == 0 ? -lean : lean) > pal_vertexSlack)
            continue; // the upper end
        if (sine > flatCap)
        {
            RimPlace lowest = rimPlace(c, end, palScale(-1.0 / sine, across));
            addRimOnFace(c, &lowest, face, end);
        }
        for (int i = 0; i < rimPoints && sine <= pal_vertexSlack; i++)
            addRimOnFace(c, &c->rims[end][i], face, 2 + rimPoints * end + i);
    }
}

static void testSide(const Cylinder* c, const palMeshEdge* edge, int id)
{
    palMeshQuery* query = c->query;
    const palVec3 axis[2] = {palMulAdd(c->centre, -c->half, c->axes[2]),
                             palMulAdd(c->centre, c->half, c->axes[2])};
    palPerpendicular found;
    if (!palMeshQuery_Perpendicular(query, axis, edge->ends, c->reach + c->radius, &found))
        return;
    palVec3 n = palDot(found.n, palMeshEdge_Sum(edge)) < 0.0 ? palNeg(found.n) : found.n;
    if (!palMeshEdge_Clamp(edge, pal_edgeSlack, &n))
        return;
    double gap = palDot(n, palSub(found.onA, found.onB)) - c->radius;
    if (gap <= query->distance && gap >= -query->depth)
        palMeshQuery_Add(query, palMulAdd(found.onA, -c->radius, n), found.onB, n,
                         palMeshQuery_Key(pal_pairEdgeEdge, 2, id));
}

// The place of a rim where it is nearest to a line, or deepest below it, from a first guess:
// Newton's method for d · t = 0, d from the line's nearest point to the rim's and t along the rim.
static RimPlace nearestOnRim(const Cylinder* c, int end, const palMeshEdge* edge, palVec3 outward,
                             palVec3* onEdge)
{
    RimPlace place = rimPlace(c, end, outward);
    for (int i = 0; i < rimSteps; i++)
    {
        palVec3 from = palSub(place.x, edge->ends[0]);
        double s = palDot(from, edge->along), along = palDot(place.along, edge->along);
        palVec3 d = palMulAdd(from, -s, edge->along);
        double value = palDot(d, place.along);
        double slope = c->radius * (1.0 - along * along) - palDot(d, place.outward);
        *onEdge = palMulAdd(edge->ends[0], s, edge->along);
        if (fabs(value) <= 1e-3 * c->query->tolerance || !(fabs(slope) > 1e-6 * c->radius))
            break;
        double turn = fmax(fmin(-value / slope, 0.5), -0.5);
        palVec3 next = palMulAdd(palScale(cos(turn), place.outward), sin(turn), place.along);
        place = rimPlace(c, end, next);
    }
    return place;
}

// Turns a common perpendicular of rim and edge into the cones of both.
static bool turnIntoCones(const RimPlace* place, const palMeshEdge* edge, palVec3* n)
{
    if (palDot(*n, palMeshEdge_Sum(edge)) < 0.0)
        *n = palNeg(*n);
    double outward = palDot(*n, place->outward), up = palDot(*n, place->axis);
    if (outward > pal_edgeSlack || up > pal_edgeSlack)
        return false;
    palVec3 from = *n;
    if (!palMeshEdge_Clamp(edge, pal_edgeSlack, &from))
        return false;
    if (palDistance(from, *n) > 0.0)
        *n = from;
    else if (outward > 0.0)
        *n = palNeg(place->axis);
    else if (up > 0.0)
        *n = palNeg(place->outward);
    return true;
}

static void testRim(const Cylinder* c, int end, const palMeshEdge* edge, palVec3 guess, int id)
{
    palMeshQuery* query = c->query;
    palVec3 onEdge;
    RimPlace place = nearestOnRim(c, end, edge, guess, &onEdge);
    palVec3 d = palSub(place.x, onEdge), N = palCross(place.along, edge->along);
    double s = palDot(palSub(onEdge, edge->ends[0]), edge->along);
    double length = palDistance(edge->ends[0], edge->ends[1]), distance = palLength(d);
    if (s < -query->tolerance || s > length + query->tolerance || distance > c->reach ||
        fabs(palDot(d, place.along)) > query->tolerance)
        return;
    // Where the rim runs along the edge, only their distance gives a direction.
    bool isParallel = palLength(N) < 1e-6;
    if (isParallel && distance <= query->tolerance)
        return;
    palVec3 n = palNormalize(isParallel ? d : N);
    if (!turnIntoCones(&place, edge, &n))
        return;
    double gap = palDot(n, d);
    double depth = -gap * fmin(palDot(n, edge->normals[0]), palDot(n, edge->normals[1]));
    if (gap <= query->distance && gap >= -query->depth &&
        (gap >= -query->tolerance || isInside(c, &place, distance, depth)))
        palMeshQuery_Add(query, place.x, onEdge, n,
                         palMeshQuery_Key(pal_pairEdgeEdge, id >> 28, id & ((1 << 28) - 1)));
}

// Where the line of an edge crosses the rim as seen along the axis, or is nearest to it.
static void testRims(const Cylinder* c, const palMeshEdge* edge, int id)
{
    palVec3 from = palSub(edge->ends[0], c->centre);
    double x = palDot(from, c->axes[0]), y = palDot(from, c->axes[1]);
    double u = palDot(edge->along, c->axes[0]), v = palDot(edge->along, c->axes[1]);
    double square = u * u + v * v;
    if (square < 1e-12)
        return; // along the axis
    double middle = -(x * u + y * v) / square;
    double apart = (x + middle * u) * (x + middle * u) + (y + middle * v) * (y + middle * v);
    double chord = c->radius * c->radius - apart;
    double step = chord > 0.0 ? sqrt(chord / square) : 0.0;
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < (step > 0.0 ? 2 : 1); i++)
        {
            double s = middle + (i == 0 ? -step : step);
            double px = x + s * u, py = y + s * v;
            palVec3 outward = palNormalize(palMulAdd(palScale(px, c->axes[0]), py, c->axes[1]));
            if (palLengthSquared(outward) > 0.0)
                testRim(c, end, edge, outward, (2 * end + i) << 28 | id);
        }
}

static bool testLeaf(int leaf, void* data)
{
    const Cylinder* c = data;
    palMeshQuery* query = c->query;
    const palRigidShape* mesh = query->b.shape;
    int triangles[pal_bvhWidth];
    int count = palMeshQuery_Triangles(query, leaf, triangles);
    for (int t = 0; t < count; t++)
    {
        int triangle = triangles[t];
        palMeshFace face = palMeshSide_Face(&query->b, triangle);
        testFace(c, &face);
        unsigned owned = mesh->features.owned[triangle];
        for (int k = 0; k < 3; k++)
        {
            if (owned >> k & 1)
                testVertex(c, face.corners[k], mesh->surface.triangles[triangle][k]);
            if (!(owned >> (3 + k) & 1))
                continue;
            palMeshEdge edge = palMeshFace_Edge(&face, k);
            testSide(c, &edge, mesh->topology.triangleEdges[triangle][k]);
            testRims(c, &edge, mesh->topology.triangleEdges[triangle][k]);
        }
    }
    return count >= 0;
}

int palMeshQuery_Cylinder(palMeshQuery* query, const palRigidShape* shape, palPose pose)
{
    Cylinder c = {
        .query = query,
        .centre = pose.x,
        .radius = shape->radius,
        .half = shape->halfHeight,
        .reach = fmax(query->distance, query->depth),
    };
    for (int k = 0; k < 3; k++)
        c.axes[k] = palRotate(pose.q, palMakeVec3(k == 0, k == 1, k == 2));
    for (int i = 0; i < 2 * rimPoints; i++)
    {
        double angle = 2.0 * PAL_PI / rimPoints * (i / 2);
        palVec3 outward = palMulAdd(palScale(cos(angle), c.axes[0]), sin(angle), c.axes[1]);
        c.rims[i % 2][i / 2] = rimPlace(&c, i % 2, outward);
    }
    palVec3 axis = c.axes[2];
    palVec3 grow = {
        c.reach + c.half * fabs(axis.x) + c.radius * sqrt(fmax(1.0 - axis.x * axis.x, 0.0)),
        c.reach + c.half * fabs(axis.y) + c.radius * sqrt(fmax(1.0 - axis.y * axis.y, 0.0)),
        c.reach + c.half * fabs(axis.z) + c.radius * sqrt(fmax(1.0 - axis.z * axis.z, 0.0)),
    };
    palBounds box = {palSub(c.centre, grow), palAdd(c.centre, grow)};
    query->leavesLeft = pal_meshLeavesMax;
    return palBvh_VisitBox(query->b.shape->bvh, box, testLeaf, &c);
}
