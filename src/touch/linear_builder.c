// SPDX-License-Identifier: Apache-2.0 Workspace of the rows of method `linear`, and the compliance
// of the soft bodies in them, with what these rest on.
#include "touch/linear_rows.h"

#include "base/error.h"
#include "solve/dense.h"

#include <stdlib.h>
#include <string.h>

static const double redundancy = 1e-9; // of its diagonal entry, added to it: support rows may be
                                       // redundant

void palTickBuilder_Free(palTickBuilder* b)
{
    palRows_Destroy(b->fast);
    palRows_Destroy(b->slow);
    void* const owned[] = {b->links, b->normals, b->velocity, b->support, b->vector, b->row,  b->J,
                           b->group, b->weight,  b->distance, b->P,       b->axes,   b->aside};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    *b = (palTickBuilder){0};
}

palResult palTickBuilder_Init(palTickBuilder* b, palWorldStep* world, palWorldRigid* tool,
                              palLinearWork* work, palError* error)
{
    // A link for every row of a joint, at most, and in a tick for the other sides of ridges.
    size_t contacts = (size_t)(world->contactsMax + world->jointRows) + pal_tickContactsMax;
    size_t rows = 3 * (size_t)world->contactsMax + (size_t)world->jointRows + pal_tickRowsMax;
    *b = (palTickBuilder){.world = world, .tool = tool, .work = work};
    b->links = calloc(contacts, sizeof *b->links);
    b->normals = calloc(contacts, sizeof *b->normals);
    b->axes = calloc((size_t)world->jointRows + 1, sizeof *b->axes);
    b->velocity = calloc(rows, sizeof *b->velocity);
    b->support = calloc(rows * rows, sizeof *b->support);
    b->vector = calloc(rows, sizeof *b->vector);
    b->row = calloc(rows, sizeof *b->row);
    b->J = calloc(rows, sizeof *b->J);
    b->group = calloc(contacts, sizeof *b->group);
    b->aside = calloc(contacts, sizeof *b->aside);
    b->weight = calloc(contacts, sizeof *b->weight);
    b->distance = calloc(contacts, sizeof *b->distance);
    b->P = calloc(rows, sizeof *b->P);
    palResult result = pal_ok;
    if (!b->links || !b->normals || !b->axes || !b->velocity || !b->support || !b->vector ||
        !b->row || !b->J || !b->group || !b->aside || !b->weight || !b->distance || !b->P)
        result = palError_Memory(error, "the contact model", rows * rows * sizeof *b->support);
    palRowsDef def = {.rowCapacity = (int)rows};
    if (result == pal_ok)
        result = palRows_CreateFor(&def, &b->fast, error);
    if (result == pal_ok)
        result = palRows_CreateFor(&def, &b->slow, error);
    return result;
}

//--------------------------------------------------------------------------------------------------
// The soft bodies and their supports

// Eliminates the rows from `count` on, which stay closed: the Schur complement of W_ss.
static void condense(palTickBuilder* b, palRows* rows, int count, double* velocity)
{
    const palRowKernels* kernels = palRowKernels_Best();
    int n = rows->count - count;
    size_t step = (size_t)rows->stride;
    if (n == 0)
        return;
    for (int i = 0; i < n; i++)
    {
        const double* W = rows->W + (size_t)(count + i) * step + count;
        memcpy(b->support + (size_t)i * step, W, (size_t)n * sizeof *W);
        b->support[(size_t)i * step + (size_t)i] += redundancy * W[i];
    }
    palLdl_Factor(n, b->support, step, kernels);
    for (int i = 0; i < count; i++)
    {
        double* W = rows->W + (size_t)i * step;
        memcpy(b->vector, W + count, (size_t)n * sizeof *W);
        palLdl_Solve(n, b->support, step, kernels, b->vector);
        for (int k = 0; k < n; k++)
        {
            const double* row = rows->W + (size_t)(count + k) * step;
            for (int j = 0; j < count; j++)
                W[j] -= b->vector[k] * row[j];
            if (velocity != NULL)
                velocity[i] -= b->vector[k] * velocity[count + k];
        }
    }
}

static bool isOfTool(const palTickBuilder* b, const palLink* joint)
{
    int tool = b->tool->base.id;
    return joint->ends[0].body == tool || joint->ends[1].body == tool;
}

// A link with only one row of a joint.
static palLink makeAxis(const palLink* joint, int row)
{
    palLink link = *joint;
    link.kind = pal_linkAxis;
    link.axes[0] = palLink_Axis(joint, row, &link.isAngular);
    return link;
}

void palTickBuilder_FindAxes(palTickBuilder* b)
{
    const palWorldStep* world = b->world;
    b->axisCount = 0;
    for (int i = 0; i < world->jointCount; i++)
    {
        const palWorldJoint* joint = &world->joints[i];
        palLink link = joint->link;
        double gaps[pal_linkRowsMax];
        if (!isOfTool(b, &link))
            continue;
        palWorldStep_AimJoint(world, &link);
        palWorldStep_JointGaps(world, &link, false, gaps);
        for (int r = 0; r < palLink_Rows(&link); r++)
        {
            // A ring runs along its wire, unless it pulls at an end of it.
            if (link.kind == pal_linkRing && r == 2 && joint->lambda[r] == 0.0)
                continue;
            palLink* axis = &b->axes[b->axisCount++];
            *axis = makeAxis(&link, r);
            // Rotation is measured at this distance, so that all rows are in m and N.
            double length = axis->isAngular ? 0.5 * b->tool->base.size : 1.0;
            axis->axes[0] = palScale(length, axis->axes[0]);
            axis->gap = length * gaps[r];
            axis->lambda[0] = joint->lambda[r] / length;
        }
    }
}

// Appends the joints of other bodies; rings hold across the wire only, unless they are at a stop.
// Returns the number of links.
static int gatherJoints(const palTickBuilder* b, palLink* links, int count)
{
    const palWorldStep* world = b->world;
    for (int i = 0; i < world->jointCount; i++)
    {
        const palWorldJoint* joint = &world->joints[i];
        if (isOfTool(b, &joint->link))
            continue;
        if (joint->link.kind != pal_linkRing || joint->stop != 0)
            links[count++] = joint->link;
        else
            for (int axis = 0; axis < 2; axis++)
                links[count++] = makeAxis(&joint->link, axis);
    }
    return count;
}

// Appends the closed contacts between other bodies, of those that slide only the normal, and the
// joints. The tools of other hands stay where they are. Returns the number of links.
static int gatherSupport(const palTickBuilder* b, palLink* links, int count)
{
    const palWorldStep* world = b->world;
    for (int i = 0; i < world->linkCount; i++)
    {
        const palLink* link = &world->links[i];
        if (link->ends[0].body == b->tool->base.id || !(link->lambda[0] > 0.0))
            continue;
        links[count] = *link;
        if (hypot(link->lambda[1], link->lambda[2]) >= 0.999 * link->friction * link->lambda[0])
            links[count].friction = 0.0;
        count++;
    }
    return gatherJoints(b, links, count);
}

// Appends contacts on the other sides of ridges, as many as a tick has room for. Returns the number
// of links.
static int addAsides(palTickBuilder* b, int count)
{
    int all = count;
    for (int i = 0; i < count; i++)
    {
        const palLink* own = &b->links[i];
        b->aside[i] = -1;
        if (all >= pal_tickContactsMax || own->kind != pal_linkContact || !own->isRigid ||
            palLengthSquared(own->aside.normal) == 0.0)
            continue;
        palLink* link = &b->links[all];
        *link = *own;
        link->ends[0].local = own->aside.local;
        link->axes[0] = own->aside.normal;
        link->gap = own->aside.gap;
        link->turns = own->aside.turns;
        memset(link->lambda, 0, sizeof link->lambda);
        palTangents(link->axes[0], &link->axes[1], &link->axes[2]);
        b->aside[i] = all;
        b->aside[all++] = i;
    }
    return all;
}

void palTickBuilder_FillSoft(palTickBuilder* b, palRows* rows, int count, bool normalsOnly,
                             palWorldRate rate, double scale, double* velocity)
{
    const palWorldStep* world = b->world;
    palLink* links = rows == b->fast ? b->links : b->normals;
    memcpy(links, b->axes, (size_t)b->axisCount * sizeof *links);
    memcpy(links + b->axisCount, world->links, (size_t)(count - b->axisCount) * sizeof *links);
    for (int i = 0; i < count && normalsOnly; i++)
        links[i].friction = 0.0;
    if (!normalsOnly)
        count = addAsides(b, count);
    int total = gatherSupport(b, links, count);
    int toolRows = 0;
    palRows_Begin(rows);
    for (int i = 0; i < total; i++)
    {
        palRows_Add(rows, &links[i], 0);
        if (i == count - 1)
            toolRows = rows->count;
    }
    palRows_TakeAll(rows);
    if (velocity != NULL)
        memset(velocity, 0, (size_t)rows->count * sizeof *velocity);
    for (int i = 0; i < world->def.colliderCount + world->def.wireCount; i++)
    {
        palWorldBody* body = world->bodies[i];
        body->ops->takeRows(body, rows, NULL);
        body->ops->addCompliance(body, rate, scale, rows->W, (size_t)rows->stride, velocity);
    }
    condense(b, rows, toolRows, velocity);
    rows->count = toolRows;
    rows->linkCount = count;
}
