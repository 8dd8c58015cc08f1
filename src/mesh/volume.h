// SPDX-License-Identifier: Apache-2.0
// A volume mesh for deformable bodies: tetrahedra and hexahedra with shared vertices.
//
// A tet (a, b, c, d) has det(b - a, c - a, d - a) > 0: seen from d the corners a, b, c are
// counter-clockwise. A hex has the corner order of VTK and Gmsh, in natural coordinates -1..1:
//
//         7-------6        corner  xi eta zeta        4  -  -  +
//        /|      /|          0      -  -  -           5  +  -  +
//       4-------5 |          1      +  -  -           6  +  +  +
//       | 3-----|-2          2      +  +  -           7  -  +  +
//       |/      |/           3      -  +  -
//       0-------1
//
// Elements are numbered consecutively: tet t is element t, hex h is element tetCount + h.
#ifndef PAL_MESH_VOLUME_H
#define PAL_MESH_VOLUME_H

#include "mesh/surface.h"

enum
{
    pal_volumeNameSize = 64, // of a region or a node set, including the final zero
};

/// A part of the volume, for example one material.
typedef struct palRegion
{
    int label;                     // of its elements
    char name[pal_volumeNameSize]; // empty if the file gives none
} palRegion;

/// A named set of vertices, for boundary conditions.
typedef struct palNodeSet
{
    char name[pal_volumeNameSize];
    int count;
    int* vertices; // owned, [count], ascending
} palNodeSet;

typedef struct palVolume
{
    int vertexCount;
    int tetCount;
    int hexCount;
    int regionCount;
    int nodeSetCount;
    palVec3* vertices;    // owned, [vertexCount], m
    int (*tets)[4];       // owned, [tetCount], vertex indices
    int (*hexes)[8];      // owned, [hexCount], vertex indices
    int* labels;          // owned, [tetCount + hexCount]: the region of an element; 0: none
    palRegion* regions;   // owned, [regionCount], ascending labels, each used by an element
    palNodeSet* nodeSets; // owned, [nodeSetCount], none empty
} palVolume;

/// The natural coordinates of a hex's corners.
extern const double pal_hexCorners[8][3];

/// Allocates arrays of the given sizes; labels are 0, the rest is uninitialised. No regions, no
/// node sets.
palResult palVolume_Init(palVolume* volume, int vertexCount, int tetCount, int hexCount,
                         palError* error);
void palVolume_Free(palVolume* volume);
palResult palVolume_Copy(const palVolume* volume, palVolume* copy, palError* error);

/// Adds a node set of `count` vertices, ascending and distinct; they are copied.
palResult palVolume_AddNodeSet(palVolume* volume, const char* name, const int* vertices, int count,
                               palError* error);
palResult palVolume_AddRegion(palVolume* volume, int label, const char* name, palError* error);

/// The node set of that name, or NULL.
const palNodeSet* palVolume_FindNodeSet(const palVolume* volume, const char* name);

/// The bounding box of the vertices; without vertices a point at the origin.
palBounds palVolume_Bounds(const palVolume* volume);

/// x -> position + rotation (scale x), in place; scale > 0.
void palVolume_Transform(palVolume* volume, double scale, palQuat rotation, palVec3 position);

/// Six times the signed volume of the tetrahedron a b c d.
static inline double palTetDeterminant(palVec3 a, palVec3 b, palVec3 c, palVec3 d)
{
    return palDot(palCross(palSub(b, a), palSub(c, a)), palSub(d, a));
}

/// The signed volume of a trilinear hexahedron, exact, m³.
double palHexVolume(const palVec3 corners[8]);

/// The signed volume of an element, m³.
double palVolume_ElementVolume(const palVolume* volume, int element);

/// The trilinear weights of the hex's corners at natural coordinates xi, eta, zeta in -1..1.
void palHexWeights(double xi, double eta, double zeta, double weights[8]);

#endif
