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
} palWireSearch;

/// Writes the contacts of the wire with the collider to `links`, at most `capacity`. Returns how
/// many were written, and adds the number of the others to `dropped`.
int palFindWireContacts(const palWireSearch* search, int capacity, palLink* links, int* dropped);

/// Looks at one node alone. Real-time. `bound`: m, how far the surface is looked for.
///
/// In a groove, and so in a tube, the nearest plane does not keep a wire in: it slides along one
/// facet past the next, whose plane sends it back past the first. So there is a contact with the
/// nearest point, and one with the plane of every facet that is within the threshold, faces the
/// node, and has the nearest point on its free side: with all of these the node is in the convex
/// piece of the free space that it can reach.
///
/// Writes at most `capacity` contacts, the nearest first; returns how many there are in all.
/// *distance receives that of the node's axis from the surface; INFINITY: more than `bound`.
int palFindWireContactsAt(const palWireSearch* search, int node, double bound, int capacity,
                          palLink* links, double* distance);

/// The contact within an element, if there is one. Real-time. *distance receives a lower bound of
/// that of its axis from the surface.
bool palFindWireContactWithin(const palWireSearch* search, int element, palLink* link,
                              double* distance);

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
