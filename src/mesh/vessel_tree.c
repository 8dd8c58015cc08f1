// SPDX-License-Identifier: Apache-2.0
// A vessel of several branches. With L the distance from the lumen, negative within it, a smooth
// union of the tubes of all pieces:
//
//     wall     |L - w/2| - w/2, w its thickness; free ends are cut by discs, with a rounded rim
//     lumen    L, cut likewise; the triangles of the discs are taken out again
#include "base/error.h"
#include "math/quat.h"
#include "mesh/implicit.h"
#include "mesh/shape_parts.h"
#include "mesh/solid.h"
#include "mesh/vessel.h"

#include <stdlib.h>

// Of the radius of a branch: width of the transition to the branches before it.
static const double junctionBlend = 0.5;
// Of the wall: of the rim at an open end.
static const double rimBlend = 0.5;
// A disc that cuts an end is wider than it by this factor.
static const double discReach = 1.3;
// Of its own radius: how far within the lumen of the others a branch begins.
static const double beginsWithin = 0.9;
// Cells across a wall at least.
static const double cellsAcross = 2.0;
// Of a cell: vertices farther than this from the lumen are of the discs at its ends.
static const double onLumen = 0.02;

typedef struct vesselTree
{
    const palShapeDef* def;
    palPart parts[pal_solidPartsMax]; // tubes, with the ends lengthened
    int count;
    palPart discs[pal_solidPartsMax]; // what is beyond the ends
    int discCount;
    palSolid lumen, beyond;
    palBounds bounds; // m
    double narrowest; // radius of a lumen, m
} vesselTree;

static double wallOf(const vesselTree* tree)
{
    return tree->def->vessel == pal_vesselWall ? tree->def->wall : 0.0;
}

static double wallField(palVec3 p, const void* data)
{
    const vesselTree* tree = data;
    double wall = wallOf(tree);
    double shell = fabs(palSolid_Value(p, &tree->lumen) - 0.5 * wall) - 0.5 * wall;
    return -palSmoothMin(-shell, palSolid_Value(p, &tree->beyond), rimBlend * wall);
}

static double lumenField(palVec3 p, const void* data)
{
    const vesselTree* tree = data;
    return fmax(palSolid_Value(p, &tree->lumen), -palSolid_Value(p, &tree->beyond));
}

static void include(vesselTree* tree, palVec3 p, double radius)
{
    palVec3 r = palMakeVec3(radius, radius, radius);
    tree->bounds.low = palMinVec3(tree->bounds.low, palSub(p, r));
    tree->bounds.high = palMaxVec3(tree->bounds.high, palAdd(p, r));
}

static palResult tooMany(palError* error)
{
    palError_Set(error, pal_errorInput, "the vessel has too many pieces");
    return palError_Remedy(error, "use at most %d straight pieces, bends and ends together",
                           (int)pal_solidPartsMax);
}

static void addPiece(vesselTree* tree, const palVesselPiece* piece, double blend)
{
    palPart* part = &tree->parts[tree->count++];
    *part = (palPart){
        .kind = piece->isArc ? pal_partTube : pal_partCone,
        .a = piece->start,
        .b = piece->end,
        .radius = piece->radii[0],
        .radiusB = piece->radii[1],
        .blend = blend,
    };
    if (piece->isArc)
    {
        palQuat half = palMakeQuatRotationVector(palScale(0.5 * piece->angle, piece->axis));
        part->c = piece->end;
        part->b = palAdd(piece->centre, palRotate(half, palSub(piece->start, piece->centre)));
    }
    double reach = fmax(piece->radii[0], piece->radii[1]) + wallOf(tree);
    include(tree, piece->start, reach);
    include(tree, piece->end, reach);
    if (piece->isArc)
        include(tree, piece->corner, reach);
    tree->narrowest = fmin(tree->narrowest, fmin(piece->radii[0], piece->radii[1]));
}

// The tube goes on beyond an end, and a disc cuts it there.
static void openEnd(vesselTree* tree, const palVesselPiece* piece, bool atEnd)
{
    double radius = piece->radii[atEnd], outer = radius + wallOf(tree);
    palVec3 at = atEnd ? piece->end : piece->start;
    palVec3 out = palScale(atEnd ? 1.0 : -1.0, palVesselPiece_Tangent(piece, atEnd));
    palVec3 beyond = palMulAdd(at, outer, out);
    tree->parts[tree->count++] =
        (palPart){.kind = pal_partCone, .a = at, .b = beyond, .radius = radius, .radiusB = radius};
    tree->discs[tree->discCount++] = (palPart){.kind = pal_partDisc,
                                               .a = at,
                                               .b = palMulAdd(beyond, 2.0 * outer, out),
                                               .radius = discReach * outer};
}

// A branch begins in the lumen of those before it.
static palResult checkStart(const vesselTree* tree, int branch, const palVesselPiece* first,
                            palError* error)
{
    palSolid before = palMakeSolid(tree->parts, tree->count, tree->bounds, 1.0);
    double depth = -palSolid_Value(first->start, &before);
    if (depth >= beginsWithin * first->radii[0])
        return pal_ok;
    palError_Set(error, pal_errorInput,
                 "branch %d of the vessel begins %.3g mm within the lumen of those before it",
                 branch, 1e3 * depth);
    return palError_Remedy(error,
                           "begin it on the centreline of one that is as wide as it at least, %g m",
                           first->radii[0]);
}

static palResult addBranch(vesselTree* tree, int branch, int pointCount, palError* error)
{
    int count = 0;
    palVesselPiece* pieces = calloc(2 * (size_t)pointCount + 1, sizeof *pieces);
    if (pieces == NULL)
        return palError_Memory(error, "a vessel", sizeof *pieces);
    palResult result = palVessel_Pieces(tree->def, branch, pieces, &count, error);
    if (result == pal_ok && tree->count + count + 2 > pal_solidPartsMax)
        result = tooMany(error);
    if (result == pal_ok && branch > 0)
        result = checkStart(tree, branch, &pieces[0], error);
    for (int i = 0; i < count && result == pal_ok; i++)
        addPiece(tree, &pieces[i], branch > 0 && i == 0 ? junctionBlend * pieces[0].radii[0] : 0.0);
    if (result == pal_ok && branch == 0)
        openEnd(tree, &pieces[0], false);
    if (result == pal_ok)
        openEnd(tree, &pieces[count - 1], true);
    free(pieces);
    return result;
}

// Keeps the triangles on the lumen, turned to face into it.
static void takeLumen(const vesselTree* tree, double cell, palSurface* surface)
{
    int kept = 0;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        int* corner = surface->triangles[t];
        double off = 0.0;
        for (int k = 0; k < 3; k++)
            off = fmax(off, fabs(palSolid_Value(surface->vertices[corner[k]], &tree->lumen)));
        if (off <= onLumen * cell)
            palShape_SetTriangle(surface, kept++, corner[0], corner[2], corner[1]);
    }
    surface->triangleCount = kept;
}

// Takes vertices out that no triangle has.
static palResult dropUnused(palSurface* surface, palError* error)
{
    int* number = calloc((size_t)surface->vertexCount + 1, sizeof *number);
    if (number == NULL)
        return palError_Memory(error, "a vessel", sizeof *number);
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
            number[surface->triangles[t][k]] = 1;
    int kept = 0;
    for (int v = 0; v < surface->vertexCount; v++)
    {
        surface->vertices[kept] = surface->vertices[v];
        kept += number[v];
        number[v] = kept - 1;
    }
    surface->vertexCount = kept;
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
            surface->triangles[t][k] = number[surface->triangles[t][k]];
    free(number);
    return pal_ok;
}

static palResult polygonise(vesselTree* tree, palSurface* surface, palError* error)
{
    bool hasWall = tree->def->vessel == pal_vesselWall;
    double cell = 2.0 * PAL_PI * tree->narrowest / tree->def->resolution;
    if (hasWall)
        cell = fmin(cell, tree->def->wall / cellsAcross);
    include(tree, tree->bounds.low, 2.0 * cell);
    include(tree, tree->bounds.high, 2.0 * cell);
    tree->lumen = palMakeSolid(tree->parts, tree->count, tree->bounds, 1.0);
    tree->beyond = palMakeSolid(tree->discs, tree->discCount, tree->bounds, 1.0);
    palVec3 extent = palSub(tree->bounds.high, tree->bounds.low);
    double cells = ceil(fmax(extent.x, fmax(extent.y, extent.z)) / cell);
    if (cells > pal_implicitCellsMax)
    {
        palError_Set(error, pal_errorInput,
                     "the vessel is too fine for its length: it needs %.0f cells along a side",
                     cells);
        return palError_Remedy(error, "use a lower resolution or a thicker wall, for %d cells",
                               (int)pal_implicitCellsMax);
    }
    palImplicitDef implicit = palDefaultImplicitDef();
    implicit.field = (palField){.value = hasWall ? wallField : lumenField, .data = tree};
    implicit.bounds = tree->bounds;
    implicit.cells = (int)fmax(cells, pal_implicitCellsMin);
    palResult result = palMakeImplicitSurface(&implicit, surface, error);
    if (result != pal_ok || hasWall)
        return result;
    takeLumen(tree, cell, surface);
    result = dropUnused(surface, error);
    if (result != pal_ok)
        palSurface_Free(surface);
    return result;
}

palResult palMakeVesselTree(const palShapeDef* def, palSurface* surface, palError* error)
{
    const palVesselBranch* branches;
    int count = palVessel_Branches(def, &branches);
    vesselTree* made = calloc(1, sizeof *made);
    if (made == NULL)
        return palError_Memory(error, "a vessel", sizeof *made);
    *made = (vesselTree){.def = def, .narrowest = INFINITY};
    made->bounds = (palBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    palResult result = pal_ok;
    for (int i = 0; i < count && result == pal_ok; i++)
        result = addBranch(made, i, branches[i].pointCount, error);
    if (result == pal_ok)
        result = polygonise(made, surface, error);
    free(made);
    return result;
}
