// SPDX-License-Identifier: Apache-2.0
// Where a wire may touch a surface within the life of a snapshot, and where a soft surface may
// touch a rigid one.
//
// Along a wire the distance to the surface, as a function of arc length, is sampled at the nodes
// and within every element, exactly (palColliders_Nearest). Contacts are put
//
//     at every node that is near enough: a wire that lies on a surface touches along its length,
//     and in an element where the distance has a minimum of its own, which is where the wire passes
//     over an edge of the mesh: found by golden section.
//
// "Near enough" must cover the motion of one low-rate step; the nearest contacts are kept where
// there is no room for all.
#ifndef PAL_CONSTRAINT_WIRE_CONTACT_H
#define PAL_CONSTRAINT_WIRE_CONTACT_H

#include "constraint/link.h"

/// Contacts of one wire, whose nodes are those of `state`, with one collider. Returns how many, at
/// most `capacity`.
int palFindWireContacts(const palWire* wire, int wireIndex, const palBeamState* state,
                        const palCollider* collider, int object, double threshold, int capacity,
                        palLink* links);

/// Contacts of the vertices of a soft surface with a rigid collider, spread out as far as possible
/// where there is no room for all. Returns how many, at most `capacity`.
int palFindRestContacts(const palCollider* soft, int softIndex, const palCollider* rigid,
                        int rigidIndex, double threshold, int capacity, palLink* links);

#endif
