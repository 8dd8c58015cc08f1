// SPDX-License-Identifier: Apache-2.0
// Where the vertices of a soft surface may touch another surface, rigid or soft, within the life of
// a snapshot.
//
// Every vertex that touches gets a contact, as far as there is room; of those that are only near
// enough for the motion of a step, a few that are far apart. What is near enough is the threshold
// and, on top of it, what the vertex comes nearer within `horizon` at its present speed. Vertices
// that are held get none.
#ifndef PAL_CONSTRAINT_REST_CONTACT_H
#define PAL_CONSTRAINT_REST_CONTACT_H

#include "collide/collider.h"
#include "constraint/link.h"

enum
{
    pal_restContactsMax = 64, // of one soft surface with one other
};

typedef struct palRestSearch
{
    const palCollider* soft;  // borrowed: whose vertices
    int softIndex;            // its id
    const palCollider* other; // borrowed: the surface that they touch
    int otherIndex;
    double threshold;      // m
    double horizon;        // s, that the contacts must cover
    const palLink* joints; // borrowed, [jointCount]: where the two are joined they do not touch
    int jointCount;
} palRestSearch;

/// The deepest vertex first, then those farthest apart. Returns how many are written, at most
/// `capacity`, and adds to `dropped` the vertices that touch and found no room.
int palFindRestContacts(const palRestSearch* search, int capacity, palLink* links, int* dropped);

#endif
