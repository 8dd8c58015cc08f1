// SPDX-License-Identifier: Apache-2.0
// The soft surfaces around the proxy in one tick: where they were, where they would be without
// contact, and how they give way.
//
// The walk (walk.h) sees each surface where it would be at the end of the tick if the proxy did not
// push (`patch`), and the proxy as far from it as it was: what the surface point under the proxy
// moves by, the start moves by too. The compliance W of proxy and surface together then makes the
// push of the one and the giving way of the other a single motion,
//
//     y = x_free + W f,   W = w I + W_soft
//     x⁺ = x_free + w f,  surface⁺ = surface_free - W_soft f
//
// which puts the proxy on the surface exactly, because y is a point of the free surface. Where
// several bodies are near, or rigid faces beside soft ones, there is a y for each of them
// (solve/planes.h).
//
// Where another body covers some of the faces, those beside them are extended up to it, over the
// slit between the bodies (abut.h).
//
// A proxy that pushed a body in the last tick is at a material point of it, and the walk starts
// there, also when a new snapshot has the surface in a slightly different place. One that did not
// is brought out if the surface has come over it.
#ifndef PAL_TOUCH_SOFT_TOUCH_H
#define PAL_TOUCH_SOFT_TOUCH_H

#include "touch/soft_contact.h"
#include "touch/walk.h"

enum
{
    pal_softNearMax = 96, // faces looked at in a tick
};

/// One soft body near the proxy.
typedef struct palTouchedBody
{
    int object; // index of the collider
    int part;   // of the present patch; -1: none of it is near

    // This tick.
    int faceBegin, faceEnd; // of palSoftTouch.faces
    palVec3 drift;          // m: how far its surface near the proxy has moved since the snapshot
    palVec3 start;          // where the walk begins on it, m
    int slot;               // its place among the bodies of the walk; -1: no face is near

    // The point under the proxy.
    palSurfacePlace point; // material; kept from tick to tick while the proxy pushes; of no
                           // vertices before it is known
    palVec3 beyond;        // m: from it to the proxy, where that is over a slit
    int face;           // of palSoftTouch.faces: where it was found; the next search begins there
    bool pushed;        // it did in the last tick
    palVec3 normal;     // there at the start of the tick, smooth; zero where it is not known
    bool hasShape;      // `shape` is that of the point
    palModeShape shape; //
    palMat3 W;          // of the surface there, m/N
} palTouchedBody;

typedef struct palSoftTouch
{
    int hand;               // whose proxy it is
    palTouchedBody* bodies; // owned, [bodyCount]: all soft ones
    int bodyCount;

    // The faces near the proxy.
    palPatch patch; // owned: where they would be; rigid faces near by are added
    int faces[pal_softNearMax];
    int faceCount;
    double reach;       // m: all that are nearer to the proxy are among them
    bool isShort;       // it is less than asked for: more are near than a tick looks at
    palVec3* old;       // owned, by vertex of the patch: m, at the end of the last tick
    palVec3* free;      // owned, likewise: m, at the end of this one without contact
    palVec3* extension; // owned, likewise: m, up to the body across a slit
    palVec3* outward;   // owned, likewise: sum of the normals of faces that are not covered
    uint64_t* stamp;    // owned, likewise: the tick in which they were computed
    uint64_t* oldStamp; // owned, likewise: that of `old`, computed where it is asked for
    bool isExtended;    // there are slits over which faces are extended
    uint64_t tick;

    // What the walk sees: bodies[0] is that under the proxy. Rigid faces are one body of them.
    bool isNear;                  // a soft face is near
    palVec3 drift;                // m: of the body under the proxy
    palVec3 rigidStart;           // m: where the walk begins among rigid faces
    int near[pal_planeBodiesMax]; // soft body of each slot; -1: the rigid faces
    palPlaneBody slots[pal_planeBodiesMax];
    palMat3 cross[pal_planeBodiesMax * pal_planeBodiesMax]; // W between bodies of one island
    palPlaneBodies seen;
    int8_t* owners; // owned, [surfaceCount], by object: its slot
    int surfaceCount;
} palSoftTouch;

palResult palSoftTouch_Init(palSoftTouch* touch, const palMethodDef* def,
                            const palSoftContact* contact, palError* error);
void palSoftTouch_Free(palSoftTouch* touch);

void palSoftTouch_Archive(palSoftTouch* touch, palArchive* archive);

/// Finds the faces around the way from x to goal, the points under x and where the walk starts.
/// `offset` is the height above the surface at which the walk rests, m. Real-time.
void palSoftTouch_Find(palSoftTouch* touch, const palSoftContact* contact,
                       const palHandSnapshot* snapshot, palVec3 x, palVec3 goal, double offset,
                       palLimitShape limits);

/// Forgets the bodies that the proxy pushed in the last tick: it has gone elsewhere. Real-time.
void palSoftTouch_Release(palSoftTouch* touch);

/// Gives the walk the bodies, with w the compliance of the proxy, and puts it at the start.
void palSoftTouch_Begin(palSoftTouch* touch, const palHandSnapshot* snapshot, double w,
                        palWalk* walk);

/// Moves the points to those under where the walk ended on each body. Returns whether one changed
/// on which the result depends.
bool palSoftTouch_Slide(palSoftTouch* touch, const palHandSnapshot* snapshot, const palWalk* walk);

/// After the walk, where one body alone pushes and did so before: the proxy slides on its surface
/// as if that were smooth. In a dimple the faces of a coarse mesh lean; with their own normals a
/// point without enough friction would slide to the next vertex, an artefact of the mesh. Where it
/// would slide far, or onto faces that lean much more, the walk's result stays. Real-time.
void palSoftTouch_Smooth(palSoftTouch* touch, const palHandSnapshot* snapshot, palWalk* walk,
                         palHighInfo* info);

/// After the walk: gives the soft bodies that the proxy pushes their forces. Returns that on the
/// proxy, N.
palVec3 palSoftTouch_Push(palSoftTouch* touch, palSoftContact* contact,
                          const palHandSnapshot* snapshot, const palWalk* walk, bool isActive);

/// After palSoftContact_End: the signed distance from x to the nearest soft surface as it is now,
/// m; NAN where none is near. Real-time.
double palSoftTouch_Gap(const palSoftTouch* touch, const palSoftContact* contact,
                        const palHandSnapshot* snapshot, palVec3 x);

// Parts of it (soft_faces.c). Real-time.

/// Finds the faces within `reach` of x, m, and where they are in this tick. Where there are too
/// many the reach is made smaller. Slits are wide in relation to `unit`, m.
void palSoftTouch_FindFaces(palSoftTouch* touch, const palSoftPatch* soft,
                            const palSoftMotion* motion, palVec3 x, double reach, double unit);
/// Adds those of a body to the patch.
void palSoftTouch_AddFaces(palSoftTouch* touch, const palSoftPatch* soft,
                           const palTouchedBody* body, palLimitShape limits);
/// Where the vertices of a body's near faces were at the end of the last tick.
void palSoftTouch_PlaceOld(palSoftTouch* touch, const palSoftPatch* soft,
                           const palSoftMotion* motion, const palTouchedBody* body);
/// Puts the point of a body at the place of its near faces closest to x, with the vertices at
/// `positions`: over a slit at the material point nearest to that. Returns how far x is from the
/// place, m.
double palSoftTouch_FindPoint(const palSoftTouch* touch, const palSoftPatch* soft,
                              palTouchedBody* body, const palVec3* positions, palVec3 x);
/// The point on the free surface, and the normal there: the mean of the near faces that hold it, of
/// those that are not covered if there are any.
palVec3 palSoftTouch_FreePoint(const palSoftTouch* touch, const palSoftPatch* soft,
                               const palTouchedBody* body, palVec3* normal);
/// Whether the near faces hold the material point of the last tick.
bool palSoftTouch_HoldsPoint(const palSoftTouch* touch, const palSoftPatch* soft,
                             const palTouchedBody* body);
/// The smooth normal at a point that pushes; zero where it is not known.
palVec3 palSoftTouch_SmoothNormal(const palSoftTouch* touch, const palSoftPatch* soft,
                                  const palTouchedBody* body);

#endif
