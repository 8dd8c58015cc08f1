// SPDX-License-Identifier: Apache-2.0
// The space in which an island answers: the part of island.h that fills its columns.
#ifndef PAL_BODY_ISLAND_SPACE_H
#define PAL_BODY_ISLAND_SPACE_H

#include "body/island.h"
#include "body/response_space.h"

static inline palResponse* palIslands_Part(const palIslands* islands, const palIsland* island,
                                           int place)
{
    return islands->parts[island->bodies[place]];
}

/// Fills the columns of V for forces at the touched nodes. Returns false where a state is not
/// finite.
bool palIslands_CollectColumns(palIslands* islands, palIsland* island,
                               const palTouchedNodes* touched);

#endif
