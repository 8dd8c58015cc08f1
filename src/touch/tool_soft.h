// SPDX-License-Identifier: Apache-2.0
// The soft surfaces around a tool that touches with points, in one tick: where they were, where
// they would be without contact, where the forces of the last solve put them, and how they give
// way.
//
// Contact is decided on the surface as it would be at the end of the tick with the forces f⁰ of the
// last one, which is nearly as it will be. A point of the tool that is at p, over the place c of
// the surface, which other forces f leave elsewhere by Δ(c), is there at
//
//     y = p - Δ(c),     Δ(c) = -Σ_j W_soft(c, c_j) f_j + Σ_j W_soft(c, c⁰_j) f⁰_j
//
// so that rows, sweeps and walks of rigid surroundings serve for soft ones. (For one point
// soft_touch.h takes the surface without forces. Near one of its vertices that is a millimetre off
// and leans the other way, which many points at once would feel.) A row along d gets, by the modes
// of the island that it is on, with Φ the shape of its place,
//
//     B = -dᵀ Φ,   W += h² B diag(a) Bᵀ
//
// and friction holds the point to the place, which moves freely within the tick too. Features that
// meet features are taken as they are: their ends move with the vertices.
//
// A new snapshot has the vertices in slightly different places. Each is kept where it was, and what
// it is off by fades (world/fade.h): no contact jumps, however many there are.
#ifndef PAL_TOUCH_TOOL_SOFT_H
#define PAL_TOUCH_TOOL_SOFT_H

#include "touch/soft_contact.h"

enum
{
    pal_toolProbesMax = 1024,
    pal_shellContactsMax = 48,
};

/// A place on a soft surface, by vertices of the present patch.
typedef struct palSoftSpot
{
    bool isSoft; // false: it is on a rigid surface, and all else is unused
    int part;    // of the patch
    palSurfacePlace on;
} palSoftSpot;

/// A point of the tool near a soft surface.
typedef struct palSoftProbe
{
    int point;        // of the shell
    palSoftSpot spot; // nearest to it at the start of the tick
    int face;         // of the patch that it is on
    palVec3 start;    // m: where it is over the base surface, as far from that as it was
    double clearance; // m, from there to the surface
} palSoftProbe;

typedef struct palToolSoft
{
    palSoftContact* contact;   // owned
    const palSoftPatch* patch; // borrowed: of the tick under way
    bool isNew;                // the patch is
    double overtaken;          // m: a surface that has come over a point by less takes it along
    double surfaceOffset;      // m

    // The vertices of the patch.
    palVec3* base;  // owned: m, at the end of this tick with the forces of the last one
    palVec3* old;   // owned, of those near the tool: m, at the end of the last tick
    palVec3* free;  // owned, likewise: m, at the end of this one without contact
    palVec3* end;   // owned, likewise: m, and with the forces of the last solve
    palVec3* shift; // owned: m: against the modes, when the patch was new
    palFade fade;   // of the shifts
    double moved;   // m: no vertex is farther from where the snapshot has it
    double way;     // m: the farthest that one near the tool went in the last tick
    double yield;   // m: the farthest that the last solve has one from `base`

    // Which vertex of the patch is which of all surfaces.
    int* offsets; // owned, of a collider's vertices among all
    int* known;   // owned, by vertex of all surfaces: its index in the patch, or -1
    int* keys;    // owned, by vertex of the patch: and back
    int keyCount;

    // What is near the tool.
    int* near; // owned, vertices of the patch: those of the faces below
    int nearCount;
    bool* isNear;    // owned, by vertex of the patch
    palPatch faces;  // owned: the faces of all parts where they would be without contact
    palPatch* views; // owned, by part: its share of them
    int* faceOf;     // owned, by place among all of them: which face of the patch it is
    int* limitedOf;  // owned, by face of the patch: its place in the part's view; -1: not near
    double reach;    // m: faces and probes are known as far from the points of the tool
    int hints
        [pal_toolProbesMax]; // by point of the shell: the face below it in the last tick, or -1
    int probeCount;
    palSoftProbe probes[pal_toolProbesMax];

    // Contacts, by slot.
    uint64_t used;
    palSoftSpot spots[pal_shellContactsMax];
    palModeShape shapes[pal_shellContactsMax];
    uint64_t crossed[pal_shellContactsMax]; // slots of which `cross` is known
    palMat3 cross[pal_shellContactsMax]
                 [pal_shellContactsMax];   // m/N: the motion at one by a force at another
    double (*expected)[pal_shapeModesMax]; // owned, by island: q by the forces of the last tick
    double (*response)[pal_shapeModesMax]; // owned, likewise: by those of the last solve, less that
} palToolSoft;

/// *soft is NULL where nothing is soft.
palResult palToolSoft_Create(const palMethodDef* def, double surfaceOffset, palToolSoft** soft,
                             palError* error);
void palToolSoft_Destroy(palToolSoft* soft);

/// Low rate: a place on an object that is given by vertices of its surface, in a patch that holds
/// them; false where it does not.
bool palSoftSpot_Anchor(palSoftSpot* spot, const palSoftPatch* patch, int object);

// High rate. Real-time.

/// H2: the motion of the surfaces. What is near the tool is forgotten.
void palToolSoft_Begin(palToolSoft* soft, const palSnapshot* snapshot);
/// Forgets what is near the tool.
void palToolSoft_Clear(palToolSoft* soft);
/// A vertex of a part is near: it moves with the forces from now on.
void palToolSoft_Use(palToolSoft* soft, int part, int vertex);
/// And those of a place; none on a rigid surface.
void palToolSoft_UseSpot(palToolSoft* soft, const palSoftSpot* spot);
/// Finds the faces within `reach` of a box.
void palToolSoft_FindFaces(palToolSoft* soft, palVec3 low, palVec3 high, double reach,
                           palLimitShape limits);
/// Finds what is within reach of a point of the tool that is at x.
void palToolSoft_AddProbes(palToolSoft* soft, int point, palVec3 x);
/// The probe of a point on a part; NULL: it is not near.
const palSoftProbe* palToolSoft_Probe(const palToolSoft* soft, int point, int part);
/// Whether a vertex of a part sticks out as it was at the end of the last tick: the near faces that
/// hold it fall away from a plane.
bool palToolSoft_SticksOut(const palToolSoft* soft, int part, int vertex);
/// The face of a part with that triangle, in the part's view; -1: it is not near.
int palToolSoft_Face(const palToolSoft* soft, int part, int triangle);

/// How a place moves freely within the tick, m.
palVec3 palToolSoft_Step(const palToolSoft* soft, const palSoftSpot* spot);
/// Δ of a place with the vertices at soft->free or end, m; zero on rigid surfaces.
palVec3 palToolSoft_Yield(const palToolSoft* soft, const palSoftSpot* spot,
                          const palVec3* positions);
/// W_soft at a place, m/N; zero on rigid surfaces.
palMat3 palToolSoft_Compliance(const palToolSoft* soft, const palSoftSpot* spot);

/// A slot for a contact at a place; -1: it is on a rigid surface.
int palToolSoft_TakeSlot(palToolSoft* soft, const palSoftSpot* spot);
void palToolSoft_FreeSlot(palToolSoft* soft, int slot);
/// The contact of a slot is at another place, or the modes are others.
void palToolSoft_MoveSlot(palToolSoft* soft, int slot, const palSoftSpot* spot);
/// How the place of one slot moves by a force at that of another, m/N.
const palMat3* palToolSoft_Cross(palToolSoft* soft, int slot, int other);

/// Moves the near vertices to where forces on the slots put them: forces[i] is on the body at
/// slots[i].
void palToolSoft_Respond(palToolSoft* soft, int count, const int* slots, const palVec3* forces);
/// H5: gives the bodies these forces.
void palToolSoft_End(palToolSoft* soft, const palSnapshot* snapshot, double now, int count,
                     const int* slots, const palVec3* forces);
/// The signed distance of a probe, now at x, to its part as it is now, m.
double palToolSoft_Gap(const palToolSoft* soft, const palSoftProbe* probe, palVec3 x);
/// The same of a point over a place, with all faces of the part.
double palToolSoft_PointGap(const palToolSoft* soft, const palSoftSpot* spot, palVec3 x);

#endif
