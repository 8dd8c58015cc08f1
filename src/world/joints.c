// SPDX-License-Identifier: Apache-2.0
// Joints in the world step: rows of their own after those of the contacts. What they are wrong by
// at the end of a pass, because a body rotated, the next pass adds, as with contacts.
#include "world/step.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double gapAccepted = 2e-5;   // m, of a joint at the end of a pass
static const double turnAccepted = 1e-3;  // rad
static const double slideAccepted = 1e-4; // m, of a ring within a pass

palResult palWorldStep_InitJoints(palWorldStep* world, palError* error)
{
    const palWorldStepDef* def = &world->def;
    size_t bytes = (size_t)(def->jointCount + 1) * sizeof *world->joints;
    world->joints = calloc(1, bytes);
    if (world->joints == NULL)
        return palError_Memory(error, "the joints of the world", bytes);
    world->jointCount = def->jointCount;
    for (int i = 0; i < def->jointCount; i++)
    {
        world->joints[i].link = def->joints[i];
        world->jointRows += palLink_Rows(&def->joints[i]);
    }
    return pal_ok;
}

static palVec3 pointOf(const palWorldStep* world, const palPlace* place, bool isTrial)
{
    if (place->kind == pal_placeFixed)
        return place->local;
    const palWorldBody* body = world->bodies[place->body];
    return body->ops->point(body, place, isTrial);
}

static palQuat orientationOf(const palWorldStep* world, const palPlace* place, bool isTrial)
{
    if (place->kind == pal_placeFixed)
        return place->orientation;
    const palWorldBody* body = world->bodies[place->body];
    return body->ops->orientation(body, place, isTrial);
}

void palWorldStep_JointGaps(const palWorldStep* world, const palLink* link, bool isTrial,
                            double gaps[pal_linkRowsMax])
{
    palVec3 apart =
        palSub(pointOf(world, &link->ends[0], isTrial), pointOf(world, &link->ends[1], isTrial));
    for (int r = 0; r < 3; r++)
        gaps[r] = palDot(link->axes[r], apart);
    if (!palLink_Turns(link))
        return;
    const palQuat turned[2] = {orientationOf(world, &link->ends[0], isTrial),
                               orientationOf(world, &link->ends[1], isTrial)};
    palLink_RotationGaps(link, turned, gaps + 3);
}

double palWorldStep_JointGap(const palWorldStep* world, int joint, bool isTrial)
{
    const palWorldJoint* of = &world->joints[joint];
    double gaps[pal_linkRowsMax];
    palWorldStep_JointGaps(world, &of->link, isTrial, gaps);
    bool slides = of->link.kind == pal_linkRing && of->stop == 0;
    return sqrt(gaps[0] * gaps[0] + gaps[1] * gaps[1] + (slides ? 0.0 : gaps[2] * gaps[2]));
}

static bool shareVertex(const palSurfacePlace* a, const palSurfacePlace* b)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            if (a->vertices[i] == b->vertices[k])
                return true;
    return false;
}

// Whether a joint at that place holds a vertex of the other.
static bool isHeld(const palPlace* joined, const palSurfacePlace* on)
{
    const palAnchor* anchor = joined->anchor;
    for (int i = 0; anchor != NULL && i < anchor->vertexCount; i++)
        for (int k = 0; k < on->count; k++)
            if (anchor->vertices[i] == on->vertices[k])
                return true;
    return shareVertex(&joined->on, on);
}

bool palWorldStep_IsJoined(const palWorldStep* world, const palWorldPair* pair,
                           const palSurfacePlace* onA, const palSurfacePlace* onB)
{
    for (int i = 0; i < world->jointCount; i++)
        for (int e = 0; e < 2; e++)
        {
            const palPlace* a = &world->joints[i].link.ends[e];
            const palPlace* b = &world->joints[i].link.ends[1 - e];
            if (a->body == pair->a && b->body == pair->b &&
                ((a->kind == pal_placeSurface && isHeld(a, onA)) ||
                 (b->kind == pal_placeSurface && isHeld(b, onB))))
                return true;
        }
    return false;
}

//--------------------------------------------------------------------------------------------------
// Axes and places

void palWorldStep_PlaceJoints(palWorldStep* world)
{
    for (int i = 0; i < world->jointCount; i++)
    {
        palWorldJoint* joint = &world->joints[i];
        *joint = (palWorldJoint){.link = world->def.joints[i]};
        for (int e = 0; e < 2; e++)
        {
            const palPlace* end = &joint->link.ends[e];
            if (end->kind != pal_placeRigid)
                continue;
            const palWorldRigid* tool = palWorldStep_Tool(world, end->body);
            palLink_TakeFrame(&joint->link, e, palTool_Local(tool->tool, &tool->state, end->local),
                              tool->state.q);
        }
    }
}

// Whether a ring stands at an end of its wire.
static int stopOf(const palWorldStep* world, const palLink* link)
{
    const palWorldWire* wire = (const palWorldWire*)world->bodies[link->ends[0].body];
    return palBeam_End(wire->wire->model, link->ends[0].beam);
}

void palWorldStep_AimJoint(const palWorldStep* world, palLink* joint)
{
    if (joint->kind == pal_linkHinge)
        palLink_AimHinge(joint, orientationOf(world, &joint->ends[1], false));
    if (joint->kind == pal_linkRing)
        palLink_AimRing(joint, orientationOf(world, &joint->ends[0], false));
}

void palWorldStep_AimJoints(palWorldStep* world)
{
    for (int i = 0; i < world->jointCount; i++)
    {
        palWorldJoint* joint = &world->joints[i];
        memset(joint->gapError, 0, sizeof joint->gapError);
        palWorldStep_AimJoint(world, &joint->link);
        if (joint->link.kind == pal_linkRing)
            joint->stop = stopOf(world, &joint->link);
    }
}

// A ring goes to the place of its wire that is nearest in the trial state. Returns by how much, m.
static double slideRing(palWorldStep* world, palWorldJoint* joint)
{
    palLink* link = &joint->link;
    const palWorldWire* wire = (const palWorldWire*)world->bodies[link->ends[0].body];
    double gaps[pal_linkRowsMax];
    palWorldStep_JointGaps(world, link, true, gaps);
    if (gaps[2] == 0.0)
        return 0.0;
    palVec3 before = pointOf(world, &link->ends[0], true);
    link->ends[0].beam = palBeam_Slide(wire->wire->model, link->ends[0].beam, -gaps[2]);
    joint->stop = stopOf(world, link);
    return palDistance(before, pointOf(world, &link->ends[0], true));
}

//--------------------------------------------------------------------------------------------------
// Rows

void palWorldStep_AddJoints(palWorldStep* world)
{
    palRows* rows = world->rows;
    for (int i = 0; i < world->jointCount; i++)
    {
        const palWorldJoint* joint = &world->joints[i];
        palRows_Add(rows, &joint->link, joint->stop);
        for (int e = 0; e < 2; e++)
            memcpy(world->lambdaInside + e * rows->rowCapacity + rows->first[world->linkCount + i],
                   joint->predicted[e], (size_t)palLink_Rows(&joint->link) * sizeof(double));
    }
}

void palWorldStep_FillJoints(palWorldStep* world)
{
    palRows* rows = world->rows;
    for (int i = 0; i < world->jointCount; i++)
    {
        const palWorldJoint* joint = &world->joints[i];
        int first = rows->first[world->linkCount + i];
        double gaps[pal_linkRowsMax];
        palWorldStep_JointGaps(world, &joint->link, false, gaps);
        for (int r = 0; r < palLink_Rows(&joint->link); r++)
        {
            rows->gap[first + r] =
                world->h * world->velocity[first + r] + gaps[r] + joint->gapError[r];
            rows->lambda[first + r] = joint->lambda[r];
        }
    }
}

void palWorldStep_TakeJoints(palWorldStep* world)
{
    const palRows* rows = world->rows;
    for (int i = 0; i < world->jointCount; i++)
    {
        palWorldJoint* joint = &world->joints[i];
        memcpy(joint->lambda, rows->lambda + rows->first[world->linkCount + i],
               (size_t)palLink_Rows(&joint->link) * sizeof(double));
        memcpy(joint->link.lambda, joint->lambda, sizeof joint->link.lambda);
    }
}

bool palWorldStep_CorrectJoints(palWorldStep* world)
{
    const palRows* rows = world->rows;
    bool again = false;
    for (int i = 0; i < world->jointCount; i++)
    {
        palWorldJoint* joint = &world->joints[i];
        bool isRing = joint->link.kind == pal_linkRing;
        if (isRing && slideRing(world, joint) > slideAccepted)
        {
            // The rows of its new place.
            memset(joint->gapError, 0, sizeof joint->gapError);
            world->rowsChanged = again = true;
            continue;
        }
        double gaps[pal_linkRowsMax];
        palWorldStep_JointGaps(world, &joint->link, true, gaps);
        for (int r = 0; r < palLink_Rows(&joint->link); r++)
        {
            int row = rows->first[world->linkCount + i] + r;
            const double* W = rows->W + (size_t)row * (size_t)rows->stride;
            double linear = rows->gap[row];
            for (int c = 0; c < rows->count; c++)
                linear += W[c] * rows->lambda[c];
            joint->gapError[r] += gaps[r] - linear;
            bool isFree = isRing && r == 2 && joint->stop == 0;
            again = again || (!isFree && fabs(gaps[r]) > (r < 3 ? gapAccepted : turnAccepted));
        }
    }
    return again;
}
