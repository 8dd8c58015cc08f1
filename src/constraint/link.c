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

void palLink_TakeFrame(palLink* link, int end, palVec3 local, palQuat orientation)
{
    palQuat back = palConjugate(orientation);
    link->ends[end].local = local;
    link->hinge[end] = palRotate(back, link->hinge[end]);
    link->turn = end == 0 ? palMulQuat(link->turn, orientation) : palMulQuat(back, link->turn);
}

int palLink_RotationGaps(const palLink* link, const palQuat q[2], double gaps[3])
{
    int rows = palLink_Rows(link) - 3;
    if (!palLink_Turns(link))
        return 0;
    // How far the axis of end 0 is turned away from that of end 1, or end 0 from where it is
    // welded.
    palQuat tied = palMulQuat(q[1], link->turn);
    palVec3 ahead = link->kind == pal_linkHinge
                        ? palCross(palRotate(q[1], link->hinge[1]), palRotate(q[0], link->hinge[0]))
                        : palRotationVector(palMulQuat(q[0], palConjugate(tied)));
    for (int r = 0; r < rows; r++)
        gaps[r] = palDot(link->axes[r], ahead);
    return rows;
}

void palLink_Archive(palLink* link, palArchive* archive)
{
    const palAnchor* anchors[2] = {link->ends[0].anchor, link->ends[1].anchor};
    link->ends[0].anchor = link->ends[1].anchor = NULL;
    PAL_ARCHIVE(archive, *link);
    link->ends[0].anchor = anchors[0];
    link->ends[1].anchor = anchors[1];
}
