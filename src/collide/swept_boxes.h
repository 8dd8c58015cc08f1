// SPDX-License-Identifier: Apache-2.0
// The boxes that the triangles of a soft surface sweep through in a step, computed where somebody
// looks.
//
// The tree over them is cut into clusters: nodes whose vertices hang on few nodes of the body,
// however many triangles lie there. After a step the box of a cluster is that of its nodes before
// and after, since every vertex is a mean of them, and the boxes above it are made of those. A
// query that comes to such a box has the triangles of the cluster placed first. What is found is
// what a tree over all swept boxes finds, in the same order.
//
// A box tree (box_tree.h) of which this is a part fits itself; only one thread may ask.
#ifndef PAL_COLLIDE_SWEPT_BOXES_H
#define PAL_COLLIDE_SWEPT_BOXES_H

#include "collide/box_tree.h"
#include "collide/placement.h"

typedef struct palSweptCluster
{
    int node;                   // of the tree
    int triangleBegin;          // in palBoxTree.order
    int triangleEnd;            // likewise
    int cornerBegin, cornerEnd; // in palSweptBoxes.corners
    double travel;              // m: no vertex moves farther between before and after
} palSweptCluster;

typedef struct palSweptBoxes
{
    palPlacement* places[2];   // borrowed: the surface before and after the step
    palBounds* boxes;          // borrowed, [triangles]
    palSweptCluster* clusters; // owned
    int clusterCount;
    int* upper; // owned: the nodes of the tree above the clusters, parents first
    int upperCount;
    int* corners; // owned: the nodes of the body that the vertices of each cluster hang on
    int cornerCount;
    int* pending;    // owned, by node of the tree: the cluster that is not fitted; -1: none
    double overhang; // the largest sum of negative weights of a vertex: it may lie outside of the
                     // box of its nodes by this share of it
    uint64_t* marks; // owned, a bit for each vertex or triangle: workspace of searches
} palSweptBoxes;

/// Cuts a tree over the boxes of the triangles of places[0] and places[1].
palResult palSweptBoxes_Create(palBoxTree* tree, palBounds* boxes, palPlacement* before,
                               palPlacement* after, palSweptBoxes** swept, palError* error);
void palSweptBoxes_Destroy(palSweptBoxes* swept);

/// Bounds all boxes by the nodes of both placements.
void palSweptBoxes_Defer(palSweptBoxes* swept, palBoxTree* tree);
/// The largest distance of a vertex before from the same after, m: looks at the clusters whose
/// nodes move far enough.
double palSweptBoxes_Travel(const palSweptBoxes* swept, const palBoxTree* tree);
/// Computes all boxes of a cluster.
void palSweptBoxes_Fit(const palSweptBoxes* swept, const palBoxTree* tree, int cluster);
/// Somebody else computed all boxes and nodes of the tree.
void palSweptBoxes_SetFitted(palSweptBoxes* swept);

#endif
