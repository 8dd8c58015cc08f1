// SPDX-License-Identifier: Apache-2.0
#include "collide/moving_tree.h"

#include "base/error.h"

#include <stdlib.h>

enum
{
    heightMax = 64, // of a tree that is kept in balance, for more items than memory holds
};

palResult palMovingTree_Init(palMovingTree* tree, int capacity, palError* error)
{
    size_t count = (size_t)capacity;
    *tree = (palMovingTree){
        .capacity = capacity,
        .nodes = malloc((2 * count + 1) * sizeof *tree->nodes),
        .leaves = malloc((count + 1) * sizeof *tree->leaves),
        .root = -1,
    };
    if (tree->nodes == NULL || tree->leaves == NULL)
    {
        palMovingTree_Free(tree);
        return palError_Memory(error, "the tree of bodies", 2 * count * sizeof *tree->nodes);
    }
    for (int i = 0; i < capacity; i++)
        tree->leaves[i] = -1;
    for (int i = 0; i < 2 * capacity; i++)
        tree->nodes[i] = (palMovingNode){.parent = i + 1 < 2 * capacity ? i + 1 : -1};
    tree->unused = capacity > 0 ? 0 : -1;
    return pal_ok;
}

void palMovingTree_Free(palMovingTree* tree)
{
    free(tree->nodes);
    free(tree->leaves);
    *tree = (palMovingTree){.root = -1};
}

static int takeNode(palMovingTree* tree)
{
    int node = tree->unused;
    tree->unused = tree->nodes[node].parent;
    return node;
}

static void returnNode(palMovingTree* tree, int node)
{
    tree->nodes[node].parent = tree->unused;
    tree->unused = node;
}

// Half the area of a box: how likely it meets another one.
static double areaOf(palBounds box)
{
    palVec3 d = palSub(box.high, box.low);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static double areaOfBoth(palBounds a, palBounds b)
{
    return areaOf(palBounds_Union(a, b));
}

// Box and height of an inner node from its children.
static void renew(palMovingTree* tree, int node)
{
    palMovingNode* n = &tree->nodes[node];
    const palMovingNode *a = &tree->nodes[n->children[0]], *b = &tree->nodes[n->children[1]];
    n->box = palBounds_Union(a->box, b->box);
    n->height = 1 + (a->height > b->height ? a->height : b->height);
}

static void replaceChild(palMovingTree* tree, int parent, int old, int new)
{
    tree->nodes[new].parent = parent;
    if (parent < 0)
        tree->root = new;
    else
        tree->nodes[parent].children[tree->nodes[parent].children[1] == old] = new;
}

// Where one child is higher than the other by more than one, its higher child takes the place of
// the other: an AVL rotation. Returns the node that is on top then.
static int balance(palMovingTree* tree, int node)
{
    palMovingNode* n = &tree->nodes[node];
    int difference = tree->nodes[n->children[1]].height - tree->nodes[n->children[0]].height;
    if (difference >= -1 && difference <= 1)
        return node;
    int side = difference > 0;
    int up = n->children[side];
    palMovingNode* u = &tree->nodes[up];
    int higher = tree->nodes[u->children[1]].height > tree->nodes[u->children[0]].height;
    int inner = u->children[!higher];
    replaceChild(tree, n->parent, node, up);
    n->children[side] = inner;
    tree->nodes[inner].parent = node;
    u->children[!higher] = node;
    n->parent = up;
    renew(tree, node);
    renew(tree, up);
    return up;
}

static void renewUpwards(palMovingTree* tree, int node)
{
    while (node >= 0)
    {
        renew(tree, node);
        node = tree->nodes[balance(tree, node)].parent;
    }
}

// The node beside which a new leaf costs the least: the area of the new node, and what the boxes
// above it grow by.
static int findSibling(const palMovingTree* tree, palBounds box)
{
    int node = tree->root;
    while (tree->nodes[node].children[0] >= 0)
    {
        const palMovingNode* n = &tree->nodes[node];
        double both = areaOfBoth(n->box, box);
        double inherited = both - areaOf(n->box);
        double costs[2];
        for (int k = 0; k < 2; k++)
        {
            const palMovingNode* child = &tree->nodes[n->children[k]];
            costs[k] = inherited + areaOfBoth(child->box, box);
            if (child->children[0] >= 0)
                costs[k] -= areaOf(child->box);
        }
        if (both < costs[0] && both < costs[1])
            break;
        node = n->children[costs[1] < costs[0]];
    }
    return node;
}

static void insert(palMovingTree* tree, int leaf)
{
    if (tree->root < 0)
    {
        tree->root = leaf;
        tree->nodes[leaf].parent = -1;
        return;
    }
    int sibling = findSibling(tree, tree->nodes[leaf].box);
    int top = takeNode(tree);
    replaceChild(tree, tree->nodes[sibling].parent, sibling, top);
    tree->nodes[top].children[0] = sibling;
    tree->nodes[top].children[1] = leaf;
    tree->nodes[sibling].parent = tree->nodes[leaf].parent = top;
    renewUpwards(tree, top);
}

static void takeOut(palMovingTree* tree, int leaf)
{
    int parent = tree->nodes[leaf].parent;
    if (parent < 0)
    {
        tree->root = -1;
        return;
    }
    int sibling = tree->nodes[parent].children[tree->nodes[parent].children[0] == leaf];
    int above = tree->nodes[parent].parent;
    replaceChild(tree, above, parent, sibling);
    returnNode(tree, parent);
    renewUpwards(tree, above);
}

void palMovingTree_Put(palMovingTree* tree, int item, palBounds box)
{
    int leaf = tree->leaves[item];
    if (leaf >= 0)
        takeOut(tree, leaf);
    else
        leaf = tree->leaves[item] = takeNode(tree);
    tree->nodes[leaf] = (palMovingNode){.box = box, .children = {-1, -1}, .item = item};
    insert(tree, leaf);
}

void palMovingTree_Remove(palMovingTree* tree, int item)
{
    int leaf = tree->leaves[item];
    if (leaf < 0)
        return;
    takeOut(tree, leaf);
    returnNode(tree, leaf);
    tree->leaves[item] = -1;
}

int palMovingTree_Find(const palMovingTree* tree, palBounds box, int capacity, int* items)
{
    int stack[heightMax + 1];
    int depth = 0, count = 0;
    if (tree->root >= 0)
        stack[depth++] = tree->root;
    while (depth > 0)
    {
        const palMovingNode* node = &tree->nodes[stack[--depth]];
        if (!palBounds_Meet(node->box, box))
            continue;
        if (node->children[0] >= 0)
        {
            stack[depth++] = node->children[1];
            stack[depth++] = node->children[0];
        }
        else if (count++ < capacity)
        {
            items[count - 1] = node->item;
        }
    }
    return count;
}

void palMovingTree_Archive(palMovingTree* tree, palArchive* archive)
{
    PAL_ARCHIVE(archive, tree->root);
    PAL_ARCHIVE(archive, tree->unused);
    PAL_ARCHIVE_ARRAY(archive, tree->nodes, 2 * tree->capacity);
    PAL_ARCHIVE_ARRAY(archive, tree->leaves, tree->capacity);
}
