// SPDX-License-Identifier: Apache-2.0
// A volume that grows while a file is read: vertices under the file's numbers for them, then cells
// of every kind. Its end sorts out what a body can use.
#ifndef PAL_MESH_VOLUME_BUILDER_H
#define PAL_MESH_VOLUME_BUILDER_H

#include "mesh/volume.h"

enum
{
    pal_cellCornersMax = 8,
    pal_cellLabelsMax = 64, // groups that a cell may be in
};

typedef enum palCellKind
{
    pal_cellPoint,
    pal_cellLine,
    pal_cellTriangle,
    pal_cellQuad,
    pal_cellTet,
    pal_cellHex,
    pal_cellPrism,   // the triangles 0 1 2 and 3 4 5, 3 above 0; becomes three tets
    pal_cellPyramid, // the base 0 1 2 3 and the apex 4; becomes two tets
    pal_cellNone,
} palCellKind;

/// What was done to the cells of a file.
typedef struct palVolumeRepairs
{
    int higherOrder;  // cells with nodes besides the corners, which are used alone
    int prisms;       // cut into three tets each
    int pyramids;     // cut into two tets each
    int mirrored;     // elements whose corners were given in the mirrored order and exchanged
    int flat;         // elements without volume, dropped
    int unreferenced; // vertices that no element uses, dropped
} palVolumeRepairs;

typedef struct palVolumeName
{
    int dimension; // of the group: 0..3
    int tag;
    char name[pal_volumeNameSize];
} palVolumeName;

typedef struct palMember
{
    int dimension; // of the group: 0..2
    int tag;
    int vertex;
} palMember;

typedef struct palVertexId
{
    int64_t id; // in the file
    int vertex;
} palVertexId;

typedef struct palVolumeBuilder
{
    palVec3* vertices; // owned
    palVertexId* ids;  // owned, [vertexCount]; sorted once cells are added
    int vertexCount;
    int vertexCapacity;
    int idCapacity;
    bool consecutive; // the ids run on from the first one
    bool sealed;      // no vertex may follow
    int (*tets)[4];   // owned
    int (*hexes)[8];  // owned
    int* tetLabels;   // owned
    int* hexLabels;   // owned
    int tetCount, tetCapacity, tetLabelCapacity;
    int hexCount, hexCapacity, hexLabelCapacity;
    palMember* members; // owned: who is in which group of points, curves or surfaces
    int memberCount, memberCapacity;
    palVolumeName* names; // owned
    int nameCount, nameCapacity;
    int faces; // triangles and quads seen
    palVolumeRepairs repairs;
} palVolumeBuilder;

void palVolumeBuilder_Free(palVolumeBuilder* builder);

/// The corners of a cell and its dimension.
int palCellKind_Corners(palCellKind kind);
int palCellKind_Dimension(palCellKind kind);

/// Adds a vertex. Fails with pal_errorInput where it is not finite or cells have been added.
palResult palVolumeBuilder_AddVertex(palVolumeBuilder* builder, int64_t id, palVec3 vertex,
                                     palError* error);

/// Adds a cell with the ids of its corners. Volume cells take the first label as their region;
/// the vertices of others become members of the groups that the labels name. 0 is no label.
palResult palVolumeBuilder_AddCell(palVolumeBuilder* builder, palCellKind kind, const int64_t* ids,
                                   const int* labels, int labelCount, palError* error);

/// Makes a vertex, given by its id, a member of a group.
palResult palVolumeBuilder_AddMember(palVolumeBuilder* builder, int dimension, int tag, int64_t id,
                                     palError* error);
palResult palVolumeBuilder_AddName(palVolumeBuilder* builder, int dimension, int tag,
                                   const char* name, palError* error);

/// Turns what was added into a volume: mirrored elements are turned, flat ones and unused vertices
/// dropped, groups become node sets and regions. Fails where no volume is left.
palResult palVolumeBuilder_Finish(palVolumeBuilder* builder, palVolume* volume, palError* error);

/// Cuts a prism (three tets) so that every quad face is cut from its lowest index: cells that share
/// the face cut it alike.
void palSplitPrism(const int prism[6], int tets[3][4]);
/// The same for a pyramid (two tets).
void palSplitPyramid(const int pyramid[5], int tets[2][4]);

#endif
