// SPDX-License-Identifier: Apache-2.0
// A link: what ties or separates two points, each of a wire, of a soft surface or of the world.
//
//     ball      three rows, δ = p0 - p1 = 0                                   bilateral
//     weld      six: also the rotation vector of q0 (q1 turn)⁻¹               bilateral
//     ring      the wire of end 0 slides through end 1: two rows across it    bilateral
//               and one along it, which stops the ring at the wire's ends
//     contact   normal row δ = n·(p0 - p1) - distance                         unilateral
//               and, with friction, two rows of sliding within a step         Coulomb
//
// Rows are along the link's axes; J has the sign + for end 0 and - for end 1, so that λ pushes the
// ends apart.
#ifndef PAL_CONSTRAINT_LINK_H
#define PAL_CONSTRAINT_LINK_H

#include "body/wire.h"
#include "collide/collider.h"

#include <palpate/solve.h>

enum
{
    pal_linkRowsMax = 6, // of one link
    pal_jointsMax = 16,  // links of a scene that last
};

typedef enum palEndKind
{
    pal_endWorld,
    pal_endWire,
    pal_endSoft,
} palEndKind;

typedef struct palLinkEnd
{
    palEndKind kind;
    int body;           // index of the wire or of the collider; -1: the world itself
    palBeamPlace place; // of the wire
    int vertices[3];    // of the soft surface
    double weights[3];
    palVec3 point; // of the world, m
    palQuat turn;  // of the world: how what is welded there is turned
} palLinkEnd;

typedef enum palLinkKind
{
    pal_linkBall,
    pal_linkWeld,
    pal_linkRing,
    pal_linkContact,
} palLinkKind;

typedef struct palLink
{
    palLinkKind kind;
    palLinkEnd ends[2];
    palVec3 axes[3]; // unit, orthogonal. Contact: the normal, from end 1 to end 0, and tangents;
                     // ring: two across and one along the wire; else those of the world
    palQuat turn;    // weld: from the frame of end 1 to that of end 0
    double distance; // contact: kept along the normal, m
    double friction; // contact: Coulomb's coefficient
    int object;      // contact: index of the collider; -1 for joints
    int key;         // contact: which of its kind, the same from step to step
} palLink;

/// Rows of the link, in the order of its axes; a weld's three of rotation come last.
static inline int palLink_Rows(const palLink* link)
{
    if (link->kind == pal_linkWeld)
        return 6;
    return link->kind == pal_linkContact && link->friction == 0.0 ? 1 : 3;
}

/// The direction of a row, and whether it is one of rotation.
static inline palVec3 palLink_Axis(const palLink* link, int row, bool* turning)
{
    *turning = row >= 3;
    return link->axes[row % 3];
}

/// The law of the link, beginning at `row`, as one or two blocks. `stop` is for rings: 1 at the
/// wire's first end, -1 at its last, 0 between. Returns how many blocks.
int palLink_Blocks(const palLink* link, int row, int stop, palContactBlock blocks[2]);

/// Where a point of a soft surface is, m.
palVec3 palLinkEnd_SoftPoint(const palLinkEnd* end, const palCollider* collider);

#endif
