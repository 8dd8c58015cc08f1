// SPDX-License-Identifier: Apache-2.0
#include "collide/rigid_contact.h"

#include "collide/convex.h"

#include <string.h>

// Of the smaller extent: gaps that are the same up to rounding.
static const double gapTolerance = 1e-9;
// Contacts that are spread over this many times the gap, and over this many times what hangs lower
// beside them, prove the direction.
static const double spreadOverGap = 20.0;
static const double spreadOverHanging = 1e3;

static bool isPolyhedron(const palConvex* convex)
{
    return convex->shape->kind == pal_rigidBox || convex->shape->kind == pal_rigidHull;
}

static palVec3 centreOf(const palConvex* convex)
{
    return palConvex_Point(convex, convex->shape->unitMass.centre);
}

// The direction of the last time, else from one centre to the other.
static palVec3 startOf(const palConvex* a, const palConvex* b, const palRigidPairCache* cache)
{
    palVec3 start = palMat3Apply(a->R, cache->axis);
    if (!(palLengthSquared(start) > 0.25))
        start = palNormalize(palSub(centreOf(a), centreOf(b)));
    return palLengthSquared(start) > 0.25 ? start : palMakeVec3(0, 0, 1);
}

static palConvexGap flip(palConvexGap gap)
{
    return (palConvexGap){gap.onB, gap.onA, palNeg(gap.normal), gap.gap};
}

// The closest points of two cores that are apart, with the radii around them.
static bool findClosest(const palConvex* a, const palConvex* b, palVec3 start, palConvexGap* gap)
{
    if (!palConvex_Distance(a, b, start, gap))
        return false;
    double ofA = palConvex_Radius(a), ofB = palConvex_Radius(b);
    gap->onA = palMulAdd(gap->onA, -ofA, gap->normal);
    gap->onB = palMulAdd(gap->onB, ofB, gap->normal);
    gap->gap -= ofA + ofB;
    return true;
}

// The square of the width of the contacts across their longest extent.
static double widthOf(const palRigidContact* contacts, int count)
{
    double length = 0.0, width = 0.0; // squares
    palVec3 along = pal_zeroVec3;
    for (int i = 1; i < count; i++)
    {
        palVec3 way = palSub(contacts[i].onA, contacts[0].onA);
        if (palLengthSquared(way) > length)
            length = palLengthSquared(way), along = way;
    }
    for (int i = 1; i < count; i++)
    {
        palVec3 across = palCross(palSub(contacts[i].onA, contacts[0].onA), along);
        double square = palLengthSquared(across);
        width = square > width ? square : width;
    }
    return length > 0.0 ? width / length : 0.0;
}

// Whether the contacts prove that no other direction separates the pair by less, or is that of
// closer points. While the pair is apart, they do if the smallest gap is that of the pair: these
// are the closest points. Contacts that are spread in all directions over much more than the gaps
// do as well: along another direction, what is on one side of one body is deep in the other side
// of the other, so that the best one differs by a milliradian at most. `rimError`: how much lower
// than the contacts the pair may be.
static bool areProof(const palRigidContact* contacts, int count, const palConvexGap* gap,
                     double size, double rimError)
{
    double smallest = INFINITY;
    for (int i = 0; i < count; i++)
    {
        palVec3 sideways = palMulAdd(palSub(contacts[i].onA, contacts[i].onB), -contacts[i].gap,
                                     contacts[i].normal);
        if (contacts[i].gap < smallest &&
            palLengthSquared(sideways) <= gapTolerance * gapTolerance * size * size)
            smallest = contacts[i].gap;
    }
    double beyond = smallest - gap->gap - rimError; // of the pair where it does not overlap
    bool closest = beyond <= 1e-6 * fabs(gap->gap) + gapTolerance * size;
    if (closest && gap->gap > gapTolerance * size)
        return true;
    double spread = spreadOverGap * fmax(fabs(gap->gap), fabs(smallest)) + 1e-4 * size;
    spread = fmax(spread, spreadOverHanging * beyond);
    return count >= 3 && widthOf(contacts, count) > spread * spread;
}

static bool isCylinder(const palConvex* convex)
{
    return convex->shape->kind == pal_rigidCylinder;
}

// How much lower the rim of a cylinder that stands may be than its contact points.
static double rimErrorOf(const palConvex* convex, palVec3 normal)
{
    if (!isCylinder(convex))
        return 0.0;
    double tilt = palLength(palCross(normal, palConvex_Axis(convex)));
    return tilt < pal_standingTilt ? 0.08 * convex->shape->radius * tilt : 0.0;
}

static palConvexGap separate(const palConvex* a, const palConvex* b, double distance,
                             palConvexGap start, palSeparation among)
{
    if (isCylinder(a))
        return palConvex_SeparateCylinder(a, b, distance, start, among);
    if (isCylinder(b))
        return flip(palConvex_SeparateCylinder(b, a, distance, flip(start), among));
    if (a->shape->kind == pal_rigidBox && b->shape->kind == pal_rigidBox)
        return palConvex_SeparateBoxes(a, b, distance);
    return palConvex_SeparateFaces(a, b, distance, start, among);
}

// The contacts along a normal, or none where the pair is farther apart.
static int takeContacts(const palConvex* a, const palConvex* b, double distance,
                        const palConvexGap* gap, palRigidContact contacts[pal_manifoldMax])
{
    return gap->gap > distance ? 0 : palConvex_Manifold(a, b, gap, distance, contacts);
}

static int findContacts(const palConvex* a, const palConvex* b, double distance, palVec3 start,
                        palConvexGap* gap, palRigidContact contacts[pal_manifoldMax])
{
    double size = fmin(a->shape->extent, b->shape->extent);
    *gap = palConvex_GapAlong(a, b, start);
    if (gap->gap > distance)
        return 0;
    const palConvexGap first = *gap;
    bool cylinder = isCylinder(a) || isCylinder(b), polyhedra = isPolyhedron(a) && isPolyhedron(b);
    // Cores that are apart: the closest points tell all.
    if (!cylinder && !polyhedra && findClosest(a, b, start, gap))
        return takeContacts(a, b, distance, gap, contacts);
    int count = 0;
    bool flat = (cylinder || polyhedra) && palConvex_Radius(a) + palConvex_Radius(b) == 0.0;
    for (palSeparation among = flat ? pal_separateByFaces : pal_separateByAll;
         among <= pal_separateByAll; among++)
    {
        *gap = separate(a, b, distance, first, among);
        count = takeContacts(a, b, distance, gap, contacts);
        double rimError = rimErrorOf(a, gap->normal) + rimErrorOf(b, gap->normal);
        if (gap->gap > distance || areProof(contacts, count, gap, size, rimError))
            return count;
    }
    // Closest at a vertex of both, or at a vertex of one and an edge of the other.
    if (polyhedra && findClosest(a, b, gap->normal, gap))
        count = takeContacts(a, b, distance, gap, contacts);
    if (count > 0 || gap->gap > distance)
        return count;
    contacts[0] = (palRigidContact){gap->onA, gap->onB, gap->normal, gap->gap, 0};
    return 1;
}

// A convex shape on a half-space. `isA`: the half-space is b.
static int onHalfSpace(const palConvex* convex, const palConvex* space, double distance, bool isA,
                       palRigidContact contacts[pal_manifoldMax])
{
    palVec3 normal = palConvex_Axis(space);
    int count = palConvex_OnPlane(convex, normal, palDot(normal, space->x), distance, contacts);
    for (int i = 0; i < count && !isA; i++)
    {
        palRigidContact* contact = &contacts[i];
        palVec3 swap = contact->onA;
        contact->onA = contact->onB, contact->onB = swap;
        contact->normal = palNeg(contact->normal);
    }
    return count;
}

// Moves the `capacity` contacts with the smallest gaps to the front, in their order.
static int keepSmallest(palRigidContact* contacts, int count, int capacity)
{
    while (count > capacity)
    {
        int largest = 0;
        for (int i = 1; i < count; i++)
            if (contacts[i].gap > contacts[largest].gap)
                largest = i;
        count--;
        memmove(&contacts[largest], &contacts[largest + 1],
                (size_t)(count - largest) * sizeof *contacts);
    }
    return count;
}

int palRigidShapes_Contacts(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                            palPose poseB, double distance, palRigidPairCache* cache, int capacity,
                            palRigidContact* contacts, int* left)
{
    if (a->kind == pal_rigidMesh || b->kind == pal_rigidMesh)
        return palRigidMesh_Contacts(a, poseA, b, poseB, distance, cache, capacity, contacts, left);
    palVec3 origin = a->kind == pal_rigidHalfSpace ? poseB.x : poseA.x;
    palConvex first = palMakeConvex(a, poseA, origin), second = palMakeConvex(b, poseB, origin);
    palRigidContact found[pal_manifoldMax];
    int count;
    if (b->kind == pal_rigidHalfSpace)
        count = onHalfSpace(&first, &second, distance, true, found);
    else if (a->kind == pal_rigidHalfSpace)
        count = onHalfSpace(&second, &first, distance, false, found);
    else
    {
        palConvexGap gap;
        count =
            findContacts(&first, &second, distance, startOf(&first, &second, cache), &gap, found);
        cache->axis = palConvex_Direction(&first, gap.normal);
    }
    int kept = keepSmallest(found, count, capacity);
    if (left != NULL)
        *left = count - kept;
    for (int i = 0; i < kept; i++)
    {
        contacts[i] = found[i];
        contacts[i].onA = palAdd(found[i].onA, origin);
        contacts[i].onB = palAdd(found[i].onB, origin);
    }
    return kept;
}
