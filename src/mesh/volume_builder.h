// SPDX-License-Identifier: Apache-2.0
// Builds a volume while a file is read: vertices with the ids of the file, then cells of any kind.
// Finish repairs the elements and removes unusable ones.
#ifndef PAL_MESH_VOLUME_BUILDER_H
#define PAL_MESH_VOLUME_BUILDER_H

#include "mesh/volume.h"

enum
{
    pal_cellCornersMax = 8,
    pal_cellLabelsMax = 64, // groups per cell
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

/// Changes made to the cells of a file.
typedef struct palVolumeRepairs
{
    int higherOrder;  // cells with additional nodes, of which only the corners are used
    int prisms;       // split into three tets each
    int pyramids;     // split into two tets each
    int mirrored;     // elements with mirrored corner order, reordered
    int flat;         // elements of zero volume, removed
    int unreferenced; // unused vertices, removed
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
    bool consecutive; // the ids are consecutive
    bool sealed;      // no more vertices may be added
    int (*tets)[4];   // owned
    int (*hexes)[8];  // owned
    int* tetLabels;   // owned
    int* hexLabels;   // owned
    int tetCount, tetCapacity, tetLabelCapacity;
    int hexCount, hexCapacity, hexLabelCapacity;
    palMember* members; // owned: vertices of the groups of points, curves and surfaces
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

/// Adds a vertex. Fails with pal_errorInput if it is not finite or cells have been added.
palResult palVolumeBuilder_AddVertex(palVolumeBuilder* builder, int64_t id, palVec3 vertex,
                                     palError* error);

/// Adds a cell with the ids of its corners. The first label of a volume cell is its region; the
/// vertices of other cells become members of the groups given by the labels. 0 means no label.
palResult palVolumeBuilder_AddCell(palVolumeBuilder* builder, palCellKind kind, const int64_t* ids,
                                   const int* labels, int labelCount, palError* error);

/// Adds a vertex, given by its id, to a group.
palResult palVolumeBuilder_AddMember(palVolumeBuilder* builder, int dimension, int tag, int64_t id,
                                     palError* error);
palResult palVolumeBuilder_AddName(palVolumeBuilder* builder, int dimension, int tag,
                                   const char* name, palError* error);

/// Creates the volume: mirrored elements are reordered, flat ones and unused vertices removed,
/// groups become node sets and regions. Fails if no element remains.
palResult palVolumeBuilder_Finish(palVolumeBuilder* builder, palVolume* volume, palError* error);

/// Splits a prism into three tets so that every quad face is split from its lowest index: cells
/// that share the face split it in the same way.
void palSplitPrism(const int prism[6], int tets[3][4]);
/// The same for a pyramid, into two tets.
void palSplitPyramid(const int pyramid[5], int tets[2][4]);

#endif
