// SPDX-License-Identifier: Apache-2.0
// Soft bodies as small models for the high rate: islands, each with one set of modes.
//
// A body that nothing ties to others is an island of its own: its columns (body/response.h), turned
// into modes (body/reduction.h). Bodies tied to each other by rows C (body/glue.h) are
// one island. Its columns are stacked vectors with rows on all its bodies,
//
//     x1 = A⁻¹ Jᵀ, ...       A = diag(A_b), each then brought to C x = 0,
//
// so that its modes move the bodies together, and forces on one are felt by the others: what lies
// below carries what is pressed. The tick needs no rows for it.
//
// Work and memory are those of the bodies: each is linearised and factored once, with a factor a
// step or a late one, and holds its own rows of the columns.
#ifndef PAL_BODY_ISLAND_H
#define PAL_BODY_ISLAND_H

#include "body/glue.h"
#include "body/response.h"

/// Where a body is touched, for one step.
typedef struct palTouchedNodes
{
    const int* nodes; // borrowed, [count], nearest first; held ones are skipped
    int count;
    const double* contact; // borrowed, [3 freeCount]: the contact force that acts now, N: what it
                           // balances is not unbalanced; NULL: none
    const palTipDots* tip; // borrowed: a round tip touches it (tip.h), around node i within a
    const double* radii;   // circle of radii[i], m; 0: at the node alone; NULL: at nodes alone
} palTouchedNodes;

/// What is touched of one body of an island.
typedef struct palShareOfTouch
{
    int nodes[pal_responseNodesMax]; // that are free
    double radii[pal_responseNodesMax];
    int nodeCount;
    int chosen[pal_responseNodesMax]; // answers that are made now
    int chosenCount;
    int firstAnswer; // its answers follow those of the bodies before it
} palShareOfTouch;

typedef struct palIsland
{
    int* bodies; // borrowed, [bodyCount], ascending
    int bodyCount;
    int rowCount;           // that tie them
    bool factored;          // false where a system was not positive definite
    palReduction reduction; // owned: with the modes at the high rate's step
} palIsland;

typedef struct palIslandsDef
{
    palSoftFactorDef factor;    // of every body; the step is that of the responses
    palSoftBody* const* bodies; // borrowed, [bodyCount]
    int bodyCount;
    int maxRows;    // that tie bodies of one island; 0: none ever do
    int maxEntries; // of these rows
    int nodes;      // touched nodes of an island, at most; 0: the usual
} palIslandsDef;

/// All soft bodies of a scene.
typedef struct palIslands
{
    palResponse** parts; // owned, [bodyCount]
    int bodyCount;
    int* islandOf;      // owned, [bodyCount]
    palIsland* islands; // owned, [bodyCount]; islandCount of them are used
    int islandCount;
    palGlue* glue;                // owned; NULL where nothing is ever tied
    int gluedIsland;              // whose rows it holds
    int* bodyLists;               // owned: of the islands
    palReducedBody** columnLists; // owned: likewise, their columns
    double* work;                 // owned: small matrices

    // Workspace, owned, [bodyCount].
    int* parents;
    palShareOfTouch* shares;
    const double** contacts;
} palIslands;

palResult palIslands_Create(const palIslandsDef* def, palIslands** islands, palError* error);
void palIslands_Destroy(palIslands* islands);

/// Linearises every body at its present state, forms the islands and builds their modes for forces
/// at the touched nodes, [bodyCount]; of an island with several bodies their nearest, as many as
/// there is room for. `rows` tie bodies; NULL: none do. `h` is the high rate's step, `now` the
/// time. No allocation. Returns how many islands could not be factored; they have no modes.
int palIslands_Build(palIslands* islands, const palTouchedNodes* touched, const palGlueRows* rows,
                     double h, double now);

/// Adds friction to the modes of the islands, after Build, whose rows tie the bodies of each pair.
/// Of more than `pal_rubsMax` in an island the first are taken.
void palIslands_AddRubs(palIslands* islands, const palRubs* rubs);

/// After the bodies, between two builds.
void palIslands_Archive(palIslands* islands, palArchive* archive);

/// How a node of a body moves in each mode of its island; zero for held nodes.
void palIslands_NodeShape(const palIslands* islands, int body, int node, palModeShape* shape);

/// Moves the bodies of an island by a state of its modes, and gives them that state's velocity.
void palIslands_Move(palIslands* islands, int island, const palModesState* state);

/// What the modes of an island went through from one linearisation to the next.
typedef struct palIslandReplay
{
    double seconds;
    const palModesState* end;     // borrowed: the state at the end
    const double* meanPlace;      // borrowed, [modes]: mean of q over the steps
    const double* const* contact; // borrowed, by place in palIsland.bodies, each [3 freeCount] or
                                  // NULL: mean contact force, N
} palIslandReplay;

/// The mean forces lambda of the rows that tied the island over that time, N, lambda[r] for row r
/// of `rows`, which are those of Build; of rows elsewhere it stays. Before the next Build.
void palIslands_Reaction(palIslands* islands, int island, const palGlueRows* rows,
                         const palIslandReplay* replay, double* lambda);

// Parts of it.

static inline palResponse* palIslands_Part(const palIslands* islands, const palIsland* island,
                                           int place)
{
    return islands->parts[island->bodies[place]];
}

/// island_space.c: fills the columns of V for forces at the touched nodes. Returns false where a
/// state is not finite.
bool palIslands_CollectColumns(palIslands* islands, palIsland* island,
                               const palTouchedNodes* touched);

#endif
