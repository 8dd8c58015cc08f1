// SPDX-License-Identifier: Apache-2.0
// A tree over the boxes of bodies that move: which of them meet a given box.
//
// Every body has a leaf with a box that is somewhat larger than the body, so that a body that moves
// little stays in it and the tree stays as it is. A body that leaves its box is taken out and put
// in again, where it makes the boxes above it grow the least. Bodies that rest cost nothing.
// Nothing is allocated after Init; the tree depends on the order of the calls only.
#ifndef PAL_COLLIDE_MOVING_TREE_H
#define PAL_COLLIDE_MOVING_TREE_H

#include "base/archive.h"
#include "collide/box_tree.h"

/// A node: a leaf, or two children.
typedef struct palMovingNode
{
    palBounds box;
    int parent;      // -1: the root; of an unused node the next unused one
    int children[2]; // -1: a leaf
    int height;      // 0: a leaf
    int item;        // of a leaf: whose
} palMovingNode;

typedef struct palMovingTree
{
    int capacity;         // of items
    palMovingNode* nodes; // owned, [2 capacity]
    int* leaves;          // owned, [capacity]: of each item; -1: it is not in the tree
    int root;             // -1: empty
    int unused;           // first unused node; -1: none
} palMovingTree;

/// A tree of the items 0 .. capacity - 1, none of them in it.
palResult palMovingTree_Init(palMovingTree* tree, int capacity, palError* error);
void palMovingTree_Free(palMovingTree* tree);

/// Puts an item in, or moves it: its box becomes `box`, finite. Items keep their boxes until then.
void palMovingTree_Put(palMovingTree* tree, int item, palBounds box);
void palMovingTree_Remove(palMovingTree* tree, int item);

/// The box of an item in the tree.
static inline palBounds palMovingTree_Box(const palMovingTree* tree, int item)
{
    return tree->nodes[tree->leaves[item]].box;
}

/// Writes the items whose boxes meet `box`, at most `capacity`. Returns how many there are.
int palMovingTree_Find(const palMovingTree* tree, palBounds box, int capacity, int* items);

void palMovingTree_Archive(palMovingTree* tree, palArchive* archive);

#endif
