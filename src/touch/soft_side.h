// SPDX-License-Identifier: Apache-2.0
// The low rate's side of soft bodies: moves them through the forces that the high rate gave, makes
// the model of their answers, and describes the part that may be touched next.
//
//     L6 of the last step   advance through the recorded forces, in steps of dt; `response: frozen`
//                           with a force of its own in one step of ΔT, against the proxy as it was
//                           when that step began
//     L1, L5                linearise, factor, modes                    body/response.h
//     L3, L4                faces around the proxy, with their motion   touch/soft_patch.h
#ifndef PAL_TOUCH_SOFT_SIDE_H
#define PAL_TOUCH_SOFT_SIDE_H

#include "body/island.h"
#include "touch/abut.h"
#include "touch/soft_hold.h"
#include "touch/soft_patch.h"
#include "touch/wire_side.h"
#include "world/def.h"
#include "world/soft_world.h"

enum
{
    pal_nodeShapesMax = 512, // nodes under the vertices of a patch
};

/// Where a hand may touch.
typedef struct palHandPlaces
{
    const palVec3* places; // borrowed, [count], m
    int count;
    double radius; // m: around each of them; Describe makes it less where it cannot hold them
} palHandPlaces;

/// What of one body is near the hands.
typedef struct palNearPart
{
    int count;                     // triangles within the balls
    int first;                     // of them in palSoftSide.triangles
    bool isNear[pal_handsMax];     // some are in those of that hand
    palVec3 closest[pal_handsMax]; // the surface point nearest to a place of that hand, m
} palNearPart;

typedef struct palSoftSide
{
    palCollider* colliders; // borrowed, [colliderCount]; soft ones are moved
    int colliderCount;      // with the surfaces of wires
    double dt;              // s, of the high rate
    double radius;          // m, of the proximity query
    int handCount;
    bool isTool[pal_handsMax];        // the hand touches with many points
    double tipRadius[pal_handsMax];   // m, of its tip (body/tip.h); 0: none
    palHandPlaces near[pal_handsMax]; // where each may touch. Written by their methods before
                                      // Describe
    bool frozen;         // one hand; the low rate finds its own contact force, in one step:
    double proxyMass;    // kg, of its haptic body
    palHapticHand hand;  // at `time`
    palIslands* islands; // owned: of the soft bodies, in their order
    palWireSide* wires;  // owned, [wireCount]
    int wireCount;
    int* softOf;        // owned, by collider: its number among the soft bodies, then the wires;
                        // -1: rigid
    int* objects;       // owned: and back
    palSoftPatch patch; // owned: what the last snapshot was given
    palSoftHold hold;   // owned: where tools push
    palTrack forces;    // of palSoftForce: those of the high rate
    double time;        // s, the bodies' own time
    double** contacts;  // owned, by soft body: force vector, N
    int* patchIsland;   // owned, by island: which it is of the patch; -1: none. Those of wires come
                        // after as many as there are soft bodies
    palSoftWorld* world;       // owned: contact among the objects; NULL: none is possible
    palTies* ties;             // of the world; NULL: nothing ties the bodies
    palGlueRows builtTies;     // borrowed: those of the present islands
    palAbut abut;              // owned: where objects cover each other
    palTipDots* tips;          // owned, by soft body; NULL: no hand has a tip
    double* pressed;           // owned, by hand and soft body: N, how hard the tip presses, as
                               // `patch` has it
    palModeShape* nodeShapes;  // owned, [pal_nodeShapesMax + 1]
    int* nodeSlots;            // owned, by node of the largest body: of its shape; -1: none yet
    palVec3* meanNormals;      // owned, by vertex of the patch: sums of normals
    int* spreadNodes;          // owned, likewise: nodes that a circle reaches,
    double* spreadShares;      // owned, and their shares of the force; zero elsewhere
    int* triangles;            // owned, [faceCapacity of the patch]: of a query
    int* found;                // owned, likewise: around one of several places
    int** stamps;              // owned, by soft body, [triangles]: the query that met each last
    int query;                 // of this number
    palWorldStepInfo stepInfo; // of the last correction
    int failures;              // systems that could not be factored

    // Workspace, owned, by collider or soft body.
    palNearPart* nearParts;
    int (*nodes)[pal_responseNodesMax];
    double (*radii)[pal_responseNodesMax];
    palTouchedNodes* touched;
    const double** islandContacts;
    palVec3* pushes;
} palSoftSide;

/// How many colliders are soft, and how many wires there are.
int palSoftSide_Count(const palMethodDef* def);

/// For hands with these definitions.
palResult palSoftSide_Init(palSoftSide* side, const palMethodDef* defs, int handCount,
                           palError* error);
void palSoftSide_Free(palSoftSide* side);

/// Between two steps, after the colliders.
void palSoftSide_Archive(palSoftSide* side, palArchive* archive);

/// The newest contact forces that moved the bodies.
static inline const palSoftForce* palSoftSide_Last(const palSoftSide* side)
{
    return (const palSoftForce*)side->forces.last;
}

/// L6 of the step that ends at the time of `state`: moves every soft body through the forces that
/// the high rate gave until then. Surfaces and trees follow.
void palSoftSide_Advance(palSoftSide* side, const palHapticState* state);

/// L1..L5: fills `patch` with the faces of all soft bodies around the places of side->near, or as
/// far as it can hold them: the radii that it covers are then there.
void palSoftSide_Describe(palSoftSide* side, palSoftPatch* patch);

/// The wire of a collider; NULL where it has none.
palWireSide* palSoftSide_Wire(const palSoftSide* side, int object);
/// The island of a body; a wire is one of its own.
int palSoftSide_Island(const palSoftSide* side, int object);
/// Adds a force of a hand on a soft body to a vector of its rows.
void palSoftSide_AddForce(const palSoftSide* side, const palSoftPush* push, double* rows);
/// How hard the tip of a hand presses a soft body.
static inline double* palSoftSide_Pressed(const palSoftSide* side, int hand, int soft)
{
    return &side->pressed[hand * side->colliderCount + soft];
}

/// The circle of a hand's tip around a vertex of a soft body's surface; of no dots where it has
/// none.
void palSoftSide_Circle(const palSoftSide* side, int hand, int soft, int vertex,
                        palTipCircle* circle);
/// Empties that of a soft body, contacts[soft].
void palSoftSide_ClearContact(palSoftSide* side, int soft);

/// What large bodies had to do with in the last step: the oldest factor, the most iterations.
void palSoftSide_AddInfo(const palSoftSide* side, palLowInfo* info);

#endif
