// SPDX-License-Identifier: Apache-2.0
// Where a tool may touch an object's surface within the life of a snapshot: pairs of features whose
// distance is a local minimum (collide/surface_pair.h). All that touch, as far as there is room,
// and of those that are only near enough a few that are far apart.
#ifndef PAL_CONSTRAINT_TOOL_CONTACT_H
#define PAL_CONSTRAINT_TOOL_CONTACT_H

#include "body/tool.h"
#include "collide/collider.h"
#include "collide/surface_pair.h"
#include "constraint/link.h"

enum
{
    pal_toolContactsMax = 32, // with one object
};

/// A tool and one object.
typedef struct palToolSearch
{
    const palSteppedTool* tool; // borrowed
    const palVec3* vertices;    // borrowed: of the tool, in the world, m
    const palCollider* other;   // borrowed
    int otherIndex;
    palMovingSurface* moving; // borrowed: the tool's surface, at `vertices`
    palMovingSurface* still;  // borrowed: the object's; moved here
    palContactList* list;     // borrowed: workspace
    double threshold;         // m
    double horizon;           // s, that the contacts must cover
} palToolSearch;

/// Returns how many are written, at most `capacity`, and adds to `dropped` those that touch and
/// found no room.
int palFindToolContacts(const palToolSearch* search, int capacity, palLink* links, int* dropped);

#endif
