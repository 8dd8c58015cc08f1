// SPDX-License-Identifier: Apache-2.0
#include "constraint/link.h"

// A ring may run along its wire; at an end it is stopped, and can only be drawn back.
static int ringBlocks(int row, int stop, palContactBlock blocks[2])
{
    blocks[0] = (palContactBlock){.law = pal_lawBilateral, .row = row, .size = 2};
    blocks[1] = (palContactBlock){
        .law = pal_lawBox,
        .row = row + 2,
        .size = 1,
        .low = stop < 0   ? 0.0
               : stop > 0 ? -INFINITY
                          : 0.0,
        .high = stop < 0 ? INFINITY : 0.0,
    };
    return 2;
}

int palLink_Blocks(const palLink* link, int row, int stop, palContactBlock blocks[2])
{
    if (link->kind == pal_linkRing)
        return ringBlocks(row, stop, blocks);
    palLaw law = pal_lawBilateral;
    if (link->kind == pal_linkContact)
        law = link->friction > 0.0 ? pal_lawCone : pal_lawUnilateral;
    blocks[0] = (palContactBlock){
        .law = law,
        .row = row,
        .size = palLink_Rows(link),
        .mu = link->friction,
    };
    return 1;
}
