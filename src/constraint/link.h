// SPDX-License-Identifier: Apache-2.0
// A link: what ties or separates two places, each of any body.
//
//     ball      three rows, δ = p0 - p1 = 0                                   bilateral
//     weld      six: also the rotation vector of q0 (q1 turn)⁻¹               bilateral
//     ring      the wire of end 0 slides through end 1: two rows across it    bilateral
//               and one along it, which stops the ring at the wire's ends
//     hinge     five: the ball's, and two of the turning across its axis      bilateral
//     slider    between rigid bodies that move (world/pile.h)
//     axis      one row of one of these, along its first axis or about it     bilateral
//     contact   normal row δ = n·(p0 - p1) - distance                         unilateral
//               and, with friction, two rows of sliding within a step, or     Coulomb
//               one where it may slide along t1 only
//
// Rows are along the link's axes; J has the sign + for end 0 and - for end 1, so that λ pushes the
// ends apart.
#ifndef PAL_CONSTRAINT_LINK_H
#define PAL_CONSTRAINT_LINK_H

#include "base/archive.h"
#include "body/place.h"
#include "constraint/contact.h"

#include <palpate/solve.h>

enum
{
    pal_linkRowsMax = 6, // of one link
};

typedef enum palLinkKind
{
    pal_linkBall,
    pal_linkWeld,
    pal_linkRing,
    pal_linkHinge,
    pal_linkSlider,
    pal_linkAxis,
    pal_linkContact,
} palLinkKind;

// The other side of a ridge: a contact where it keeps more distance than the contact's own plane.
typedef struct palLinkAside
{
    palVec3 normal; // unit, from end 1 to end 0; zero: there is none
    palVec3 local;  // the place of end 0 by which it is measured
    double gap;     // m, when it was found
    bool turns;     // the normal is that of a face of end 0
} palLinkAside;

typedef struct palLink
{
    palLinkKind kind;
    palPlace ends[2];
    palVec3 axes[3];  // unit, orthogonal. Contact: the normal, from end 1 to end 0, and tangents;
                      // ring: two across and one along the wire; hinge: two across its axis and
                      // the axis; else those of the world
    bool isAngular;   // axis: about it
    palQuat turn;     // weld: from the frame of end 1 to that of end 0
    palVec3 hinge[2]; // hinge, slider: its axis in the frame of each end

    // Hinge and slider of rigid bodies that move: the motion that is left, of end 0 against end 1,
    // from where it is at the start.
    double low, high;     // rad or m; infinite: no limit
    double jointFriction; // N·m or N

    // Contact.
    double distance;                // kept along the normal, m
    double friction;                // Coulomb's coefficient
    bool oneWay;                    // it slides along the first tangent only
    double gap;                     // m, n·(p0 - p1) when it was found
    double lambda[pal_linkRowsMax]; // N or N·m, of its rows, when it was solved last
    palVec3 load;                   // N: friction on end 0 that a prediction of its bodies'
                                    // motion contains as a constant force (world/soft_world.h)
    int key;                        // which of its pair of bodies, the same from step to step
    bool isRigid;                   // neither body yields, so that an overlap is undone
    bool turns;                     // of these: the normal is that of a face of end 0
    palLinkAside aside;             // of these
} palLink;

/// Rows of the link, in the order of its axes; those of rotation come last.
static inline int palLink_Rows(const palLink* link)
{
    if (link->kind == pal_linkWeld)
        return 6;
    if (link->kind == pal_linkHinge)
        return 5;
    if (link->kind == pal_linkAxis)
        return 1;
    if (link->kind != pal_linkContact)
        return 3;
    return link->friction == 0.0 ? 1 : link->oneWay ? 2 : 3;
}

/// The direction of a row, and whether it is one of rotation.
static inline palVec3 palLink_Axis(const palLink* link, int row, bool* angular)
{
    *angular = link->kind == pal_linkAxis ? link->isAngular : row >= 3;
    return link->axes[row % 3];
}

/// The force on end 0 by λ of the rows, which is opposite to that on end 1, N.
static inline palVec3 palLink_Force(const palLink* link, const double* lambda)
{
    palVec3 force = pal_zeroVec3;
    for (int r = 0; r < 3 && r < palLink_Rows(link); r++)
        force = palMulAdd(force, lambda[r], link->axes[r]);
    return force;
}

/// How a contact that pushes with λ is reported: at the place of end 1, held by no hand.
static inline palContactForce palLink_Report(const palLink* link, const double* lambda)
{
    return (palContactForce){
        .object = link->ends[1].body,
        .other = link->ends[0].body,
        .hand = -1,
        .point = link->ends[1].local,
        .normal = link->axes[0],
        .force = palNeg(palLink_Force(link, lambda)),
    };
}

/// Whether the orientations of its ends matter.
static inline bool palLink_Turns(const palLink* link)
{
    return link->kind == pal_linkWeld || link->kind == pal_linkHinge;
}

/// The axes of a hinge whose end 1 has that orientation.
static inline void palLink_AimHinge(palLink* link, palQuat orientation)
{
    link->axes[2] = palRotate(orientation, link->hinge[1]);
    palTangents(link->axes[2], &link->axes[0], &link->axes[1]);
}

/// The axes of a ring on a wire whose section there has that orientation.
static inline void palLink_AimRing(palLink* link, palQuat orientation)
{
    link->axes[0] = palRotate(orientation, palMakeVec3(0, 1, 0));
    link->axes[1] = palRotate(orientation, palMakeVec3(0, 0, 1));
    link->axes[2] = palRotate(orientation, palMakeVec3(1, 0, 0));
}

/// Gives an end on a rigid body, whose place is that of a point of the world, to the body: `local`
/// is the point in its frame, which has that orientation.
void palLink_TakeFrame(palLink* link, int end, palVec3 local, palQuat orientation);

/// δ of the rows of rotation, rad, with the ends at those orientations. Returns how many there are.
int palLink_RotationGaps(const palLink* link, const palQuat orientations[2], double gaps[3]);

/// Without the anchors of its ends, which are constant: those of a joint are set at set-up, and
/// contacts have none.
void palLink_Archive(palLink* link, palArchive* archive);

/// Whether two contacts are the same one at different times.
static inline bool palLink_IsSame(const palLink* a, const palLink* b)
{
    return a->key == b->key && a->ends[0].body == b->ends[0].body &&
           a->ends[1].body == b->ends[1].body;
}

/// The law of the link, beginning at `row`, as one or two blocks. `stop` is for rings: 1 at the
/// wire's first end, -1 at its last, 0 between. Returns how many blocks.
int palLink_Blocks(const palLink* link, int row, int stop, palContactBlock blocks[2]);

#endif
