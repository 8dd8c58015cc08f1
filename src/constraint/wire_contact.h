// SPDX-License-Identifier: Apache-2.0
// Where a wire may touch a surface within the life of a snapshot.
//
// Along a wire the distance to the surface, as a function of arc length, is sampled at the nodes
// and within every element, exactly (palColliders_Nearest). Contacts are put
//
//     at every node that is near enough: a wire that lies on a surface touches along its length,
//     and in an element where the distance has a minimum of its own, which is where the wire passes
//     over an edge of the mesh: found by golden section.
//
// "Near enough" must cover the motion of one low-rate step; the nearest contacts are kept where
// there is no room for all. Where a wire is tied to the same object the joint says all, and there
// are none.
#ifndef PAL_CONSTRAINT_WIRE_CONTACT_H
#define PAL_CONSTRAINT_WIRE_CONTACT_H

#include "body/wire.h"
#include "collide/collider.h"
#include "collide/moving_surface.h"
#include "constraint/link.h"

/// One wire and one collider.
typedef struct palWireSearch
{
    const palWire* wire;            // borrowed
    int body;                       // id of the wire
    const palBeamState* state;      // borrowed: where its nodes are
    const palCollider* collider;    // borrowed
    const palMovingSurface* moving; // borrowed: in place of the collider: the surface at the end of
                                    // a step. NULL: the collider's
    int object;                     // id of what has the surface
    double threshold;               // m, from the wire's surface
    const palLink* joints;          // borrowed, [jointCount]: some may tie the wire to the collider
    int jointCount;
} palWireSearch;

/// Contacts of the wire with the collider. Returns how many are written, at most `capacity`, and
/// adds the others to `dropped`.
int palFindWireContacts(const palWireSearch* search, int capacity, palLink* links, int* dropped);

#endif
