// SPDX-License-Identifier: Apache-2.0
// Contacts of a wire with a surface that are needed until the next snapshot.
//
// Along a wire the distance to the surface, as a function of arc length, is sampled at the nodes
// and within every element, exactly (palColliders_Nearest). There is a contact
//
//     at every node within `threshold`: a wire on a surface touches along its length;
//     in an element where the distance has an interior minimum, which is where the wire passes over
//     an edge of the mesh: found by golden section.
//
// The threshold must cover the motion of one low-rate step. Where the capacity is short the closest
// contacts are kept. Near a joint of the wire with the same object there are none.
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
    const palBeamState* state;      // borrowed
    const palCollider* collider;    // borrowed
    const palMovingSurface* moving; // borrowed: the surface at the end of a step, used instead of
                                    // the collider's; NULL: the collider's
    int object;                     // body id of the surface
    double threshold;               // m, from the wire's surface
    const palLink* joints;          // borrowed, [jointCount]: some may tie the wire to the collider
    int jointCount;
    bool nodesOnly; // those within elements are sought elsewhere
} palWireSearch;

/// Writes the contacts of the wire with the collider to `links`, at most `capacity`. Returns how
/// many were written, and adds the number of the others to `dropped`.
int palFindWireContacts(const palWireSearch* search, int capacity, palLink* links, int* dropped);

/// The contact within an element, if there is one. Real-time.
bool palFindWireContactWithin(const palWireSearch* search, int element, palLink* link);

/// The key of the contact of a node, and of that within an element.
static inline int palWireContact_NodeKey(int node)
{
    return 2 * node;
}

static inline int palWireContact_ElementKey(int element)
{
    return 2 * element + 1;
}

#endif
