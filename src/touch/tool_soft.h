// SPDX-License-Identifier: Apache-2.0
// The soft surfaces around a tool shell in one tick: at the end of the last tick, after their free
// motion, under the forces of the last solve; and their compliance.
//
// Contact is determined on the base surface: the surface at the end of the tick under the forces f⁰
// of the last tick, which is close to the final one. Other forces f displace a place c of it by
// Δ(c). A point p of the tool over c therefore has, relative to the base surface, the position
//
//     y = p - Δ(c),     Δ(c) = -Σ_j W_soft(c, c_j) f_j + Σ_j W_soft(c, c⁰_j) f⁰_j
//
// so that rows, sweeps and walks for rigid surroundings apply to soft ones. (For one point
// soft_touch.h uses the surface without forces. Near one of its vertices that surface is a
// millimetre off and inclined the other way, which matters for many points at once.) A row along d
// adds, with the modes of its island and Φ the shape of its place,
//
//     B = -dᵀ Φ,   W += h² B diag(a) Bᵀ
//
// and friction acts between the point and the place, which moves freely within the tick too. Edges
// and vertices in contact with features move with their vertices.
//
// A new snapshot has the vertices in slightly different positions. Each stays where it was, with an
// offset that fades (world/fade.h): no contact jumps, however many there are.
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
    palSoftSpot spot; // closest to it at the start of the tick
    int face;         // of the patch below it
    palVec3 start;    // m: its start relative to the base surface, at its distance from the old one
    double clearance; // m, from `start` to the surface
} palSoftProbe;

typedef struct palToolSoft
{
    palSoftContact* contact;   // borrowed
    int hand;                  // that holds the tool
    const palSoftPatch* patch; // borrowed: of the tick under way
    uint64_t sequence;         // of its snapshot
    bool isNew;                // the patch is that of a new snapshot
    double overtaken;          // m: a point inside a surface by less is moved with the surface
    double surfaceOffset;      // m

    // The vertices of the patch.
    palVec3* base;  // owned: m, at the end of this tick under the forces of the last one
    palVec3* old;   // owned, of those near the tool: m, at the end of the last tick
    palVec3* free;  // owned, likewise: m, at the end of this tick without contact
    palVec3* end;   // owned, likewise: m, at the end of this tick under those of the last solve
    palVec3* shift; // owned: m, offset from the modes since the patch was new; fades
    palFade fade;   // of the shifts
    double moved;   // m: largest distance of a vertex from its position in the snapshot
    double way;     // m: largest motion of a vertex near the tool in the last tick
    double yield;   // m: largest distance between `end` and `base`

    // Index of the vertices of the patch among those of all surfaces.
    int* offsets; // owned, by collider: of its first vertex among all
    int* known;   // owned, by vertex of all surfaces: its index in the patch, or -1
    int* keys;    // owned, by vertex of the patch: its index among all
    int keyCount;

    // Near the tool.
    int* near; // owned: vertices of the patch, those of `faces`
    int nearCount;
    bool* isNear;    // owned, by vertex of the patch
    palPatch faces;  // owned: the faces of all parts on the base surface
    palPatch* views; // owned, by part: its range of `faces`
    int* faceOf;     // owned, by index in `faces`: its face of the patch
    int* limitedOf;  // owned, by face of the patch: its index in the part's view; -1: not near
    double reach;    // m: faces and probes are known within this distance of the tool's points
    int hints[pal_toolProbesMax]; // by point of the shell: face below it in the last tick, or -1
    int probeCount;
    palSoftProbe probes[pal_toolProbesMax];

    // Contacts, by slot.
    uint64_t used; // bit by slot
    palSoftSpot spots[pal_shellContactsMax];
    palModeShape shapes[pal_shellContactsMax];
    uint64_t crossed[pal_shellContactsMax]; // slots of which `cross` is known
    // m/N: displacement at one slot by a force at another.
    palMat3 cross[pal_shellContactsMax][pal_shellContactsMax];
    double (*expected)[pal_shapeModesMax]; // owned, by island: q by the forces of the last tick
    double (*response)[pal_shapeModesMax]; // owned, likewise: q by the last solve, less `expected`
} palToolSoft;

/// *soft is NULL where nothing is soft, and `contact` too.
palResult palToolSoft_Create(const palMethodDef* def, palSoftContact* contact, double surfaceOffset,
                             palToolSoft** soft, palError* error);
void palToolSoft_Destroy(palToolSoft* soft);

/// Between two ticks.
void palToolSoft_Archive(palToolSoft* soft, palArchive* archive);

/// Low rate: replaces the vertices of an object's surface by those of a patch. Returns false where
/// the patch does not contain them.
bool palSoftSpot_Anchor(palSoftSpot* spot, const palSoftPatch* patch, int object);

// High rate. Real-time.

/// H3: the turn of the tool on the surfaces. Clears what is near the tool.
void palToolSoft_Begin(palToolSoft* soft, const palSnapshot* snapshot);
/// Clears the vertices, faces and probes near the tool.
void palToolSoft_Clear(palToolSoft* soft);
/// Marks a vertex of a part as near: its positions are computed from now on.
void palToolSoft_Use(palToolSoft* soft, int part, int vertex);
/// The same for the vertices of a place; none on a rigid surface.
void palToolSoft_UseSpot(palToolSoft* soft, const palSoftSpot* spot);
/// Finds the faces within `reach`, m, of a box.
void palToolSoft_FindFaces(palToolSoft* soft, palVec3 low, palVec3 high, double reach,
                           palLimitShape limits);
/// Adds the probes of a point of the tool that is at x.
void palToolSoft_AddProbes(palToolSoft* soft, int point, palVec3 x);
/// The probe of a point on a part; NULL: it is not near.
const palSoftProbe* palToolSoft_Probe(const palToolSoft* soft, int point, int part);
/// Whether a vertex of a part is convex at the end of the last tick: no corner of its near faces is
/// above the plane through it.
bool palToolSoft_SticksOut(const palToolSoft* soft, int part, int vertex);
/// The face of a part with that triangle, in the part's view; -1: it is not near.
int palToolSoft_Face(const palToolSoft* soft, int part, int triangle);

/// The free motion of a place within the tick, m.
palVec3 palToolSoft_Step(const palToolSoft* soft, const palSoftSpot* spot);
/// Δ of a place with the vertices at soft->free or end, m; zero on rigid surfaces.
palVec3 palToolSoft_Yield(const palToolSoft* soft, const palSoftSpot* spot,
                          const palVec3* positions);
/// W_soft at a place, m/N; zero on rigid surfaces.
palMat3 palToolSoft_Compliance(const palToolSoft* soft, const palSoftSpot* spot);

/// A slot for a contact at a place; -1: it is on a rigid surface.
int palToolSoft_TakeSlot(palToolSoft* soft, const palSoftSpot* spot);
void palToolSoft_FreeSlot(palToolSoft* soft, int slot);
/// Updates a slot: its contact is at another place, or the modes have changed.
void palToolSoft_MoveSlot(palToolSoft* soft, int slot, const palSoftSpot* spot);
/// The displacement of the place of one slot by a force at that of another, m/N.
const palMat3* palToolSoft_Cross(palToolSoft* soft, int slot, int other);

/// Moves the near vertices to their positions under forces on the slots: forces[i], N, is on the
/// body at slots[i].
void palToolSoft_Respond(palToolSoft* soft, int count, const int* slots, const palVec3* forces);
/// H4: gives the bodies these forces, and ends the turn of the tool.
void palToolSoft_Push(palToolSoft* soft, int count, const int* slots, const palVec3* forces);
/// The signed distance of a probe, now at x, from its part after the tick, m.
double palToolSoft_Gap(const palToolSoft* soft, const palSoftProbe* probe, palVec3 x);
/// The same for a point over a place, with all faces of the part.
double palToolSoft_PointGap(const palToolSoft* soft, const palSoftSpot* spot, palVec3 x);

#endif
