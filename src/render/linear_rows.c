// SPDX-License-Identifier: Apache-2.0
#include "render/linear_rows.h"

#include "base/error.h"
#include "solve/dense.h"

#include <stdlib.h>
#include <string.h>

enum
{
    stride = pal_tickRowsMax,
    normalStride = pal_tickContactsMax,
    openMin = pal_tickContactsMax / 8, // places that are kept for open contacts
};

static const double facesAlike = 0.95; // cosine, within a group
static const double wireFollows = 1.0; // m: as far as its compliance says
static const double redundancy = 1e-9; // of its own compliance: added to a row of the support

void palTickBuilder_Free(palTickBuilder* b)
{
    palRows_Destroy(b->fast);
    palRows_Destroy(b->slow);
    void* const owned[] = {b->links, b->normals, b->velocity, b->support,  b->vector, b->row,
                           b->J,     b->group,   b->weight,   b->distance, b->P};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    *b = (palTickBuilder){0};
}

palResult palTickBuilder_Init(palTickBuilder* b, palWorldStep* world, palLinearWork* work,
                              palError* error)
{
    // A ring holds with two links of one row.
    size_t contacts = (size_t)(world->contactsMax + 2 * world->jointCount);
    size_t rows = 3 * (size_t)world->contactsMax + (size_t)world->jointRows;
    *b = (palTickBuilder){.world = world, .work = work};
    b->links = calloc(contacts, sizeof *b->links);
    b->normals = calloc(contacts, sizeof *b->normals);
    b->velocity = calloc(rows, sizeof *b->velocity);
    b->support = calloc(rows * rows, sizeof *b->support);
    b->vector = calloc(rows, sizeof *b->vector);
    b->row = calloc(rows, sizeof *b->row);
    b->J = calloc(rows, sizeof *b->J);
    b->group = calloc(contacts, sizeof *b->group);
    b->weight = calloc(contacts, sizeof *b->weight);
    b->distance = calloc(contacts, sizeof *b->distance);
    b->P = calloc(rows, sizeof *b->P);
    palResult result = pal_ok;
    if (!b->links || !b->normals || !b->velocity || !b->support || !b->vector || !b->row || !b->J ||
        !b->group || !b->weight || !b->distance || !b->P)
        result = palError_Memory(error, "the contact model", rows * rows * sizeof *b->support);
    palRowsDef def = {.rowCapacity = (int)rows};
    if (result == pal_ok)
        result = palRows_CreateFor(&def, &b->fast, error);
    if (result == pal_ok)
        result = palRows_CreateFor(&def, &b->slow, error);
    return result;
}

//--------------------------------------------------------------------------------------------------
// The soft bodies

// The rows from `count` on are kept closed, and eliminated from those before.
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
            const double* of = rows->W + (size_t)(count + k) * step;
            for (int j = 0; j < count; j++)
                W[j] -= b->vector[k] * of[j];
            if (velocity != NULL)
                velocity[i] -= b->vector[k] * velocity[count + k];
        }
    }
}

// A row of a joint that only it has.
static palLink makeAxis(const palLink* joint, int axis)
{
    palLink link = *joint;
    link.kind = pal_linkContact;
    link.friction = 0.0;
    link.axes[0] = joint->axes[axis];
    return link;
}

// Joints between other bodies; rings hold across the wire.
static int gatherJoints(const palWorldStep* world, palLink* links, int count)
{
    for (int i = 0; i < world->jointCount; i++)
    {
        const palWorldJoint* joint = &world->joints[i];
        if (joint->link.kind != pal_linkRing || joint->stop != 0)
            links[count++] = joint->link;
        else
            for (int axis = 0; axis < 2; axis++)
                links[count++] = makeAxis(&joint->link, axis);
    }
    return count;
}

// Closed contacts between other bodies; those that slide hold along the normal only.
static int gatherSupport(const palTickBuilder* b, palLink* links, int count)
{
    const palWorldStep* world = b->world;
    for (int i = 0; i < world->linkCount; i++)
    {
        const palLink* link = &world->links[i];
        if (palWorldStep_IsTools(world, link) || !(link->lambda[0] > 0.0))
            continue;
        links[count] = *link;
        if (hypot(link->lambda[1], link->lambda[2]) >= 0.999 * link->friction * link->lambda[0])
            links[count].friction = 0.0;
        count++;
    }
    return gatherJoints(world, links, count);
}

void palTickBuilder_FillSoft(palTickBuilder* b, palRows* rows, int count, bool normalsOnly,
                             palWorldRate rate, double scale, double* velocity)
{
    const palWorldStep* world = b->world;
    palLink* links = rows == b->fast ? b->links : b->normals;
    memcpy(links, world->links, (size_t)count * sizeof *links);
    for (int i = 0; i < count && normalsOnly; i++)
        links[i].friction = 0.0;
    int total = gatherSupport(b, links, count);
    int toolRows = 0;
    palRows_Begin(rows);
    for (int i = 0; i < total; i++)
    {
        palRows_Add(rows, &links[i], 0);
        if (i == count - 1)
            toolRows = rows->count;
    }
    palRows_ClearCompliance(rows);
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

//--------------------------------------------------------------------------------------------------
// Which contacts the tick knows, and as what

static bool areAlike(const palLink* a, const palLink* b)
{
    return a->ends[1].body == b->ends[1].body && a->friction == b->friction &&
           palDot(a->axes[0], b->axes[0]) > facesAlike;
}

// The distance of two contacts for the groups: beyond everything where they do not face alike.
static double groupDistance(const palLink* a, const palLink* b)
{
    double distance = palDistance(a->ends[0].local, b->ends[0].local);
    return areAlike(a, b) ? distance : 1.0 + distance;
}

// At most `most` groups of the closed contacts: each time the one farthest from all before begins a
// new one, and the others join the nearest. Returns how many.
static int groupClosed(palTickBuilder* b, int closed, int most)
{
    const palLink* links = b->links;
    int count = 0, next = 0;
    for (int i = 0; i < closed; i++)
        b->distance[i] = INFINITY;
    while (count < most && b->distance[next] > 0.0)
    {
        b->seeds[count] = next;
        for (int i = 0; i < closed; i++)
        {
            double distance = i == next ? 0.0 : groupDistance(&links[i], &links[next]);
            if (!(distance < b->distance[i]))
                continue;
            b->distance[i] = distance;
            b->group[i] = count;
        }
        count++;
        for (int i = 0; i < closed; i++)
            next = b->distance[i] > b->distance[next] ? i : next;
    }
    return count;
}

// wi = λi / Σ λ of each group.
static void weighGroups(palTickBuilder* b, int closed)
{
    double sums[pal_tickContactsMax] = {0};
    for (int i = 0; i < closed; i++)
        sums[b->group[i]] += b->links[i].lambda[0];
    for (int i = 0; i < closed; i++)
        b->weight[i] = b->links[i].lambda[0] / sums[b->group[i]];
}

// The open contacts with the least gaps, in their order, from `count` on.
static int addOpen(palTickBuilder* b, int closed, int all, int count)
{
    // The largest gap that finds room, by bisection.
    int room = pal_tickContactsMax - count;
    double low = -1.0, high = 1.0;
    for (int i = 0; i < 50 && all - closed > room; i++)
    {
        double middle = 0.5 * (low + high);
        int below = 0;
        for (int k = closed; k < all; k++)
            below += b->links[k].gap <= middle;
        if (below <= room)
            low = middle;
        else
            high = middle;
    }
    for (int k = closed; k < all; k++)
    {
        bool fits = all - closed <= room || b->links[k].gap <= low;
        b->group[k] = fits ? count : -1;
        b->weight[k] = 1.0;
        if (fits)
            b->seeds[count++] = k;
    }
    return count;
}

// Fills group, weight and seeds. Returns how many contacts the tick has.
static int chooseContacts(palTickBuilder* b, int all, int closed, palTickRows* out)
{
    int open = all - closed;
    int room = pal_tickContactsMax - (open < openMin ? open : openMin);
    out->isAggregated = closed > room && all > pal_tickContactsMax;
    out->closed = closed;
    for (int i = 0; i < closed; i++)
    {
        b->group[i] = i;
        b->weight[i] = 1.0;
        if (!out->isAggregated)
            b->seeds[i] = i;
    }
    if (out->isAggregated)
    {
        out->closed = groupClosed(b, closed, room);
        weighGroups(b, closed);
    }
    int count = addOpen(b, closed, all, out->closed);
    out->leftOut = open - (count - out->closed);
    return count;
}

//--------------------------------------------------------------------------------------------------
// P: what a row of all contacts has in the rows of the tick

static palTickEntries entriesOf(const palTickBuilder* b, const palTickRows* out, int contact, int k)
{
    int g = b->group[contact];
    double w = b->weight[contact];
    if (g < 0)
        return (palTickEntries){0};
    int first = out->first[g];
    if (k == 0 || !out->isAggregated)
        return (palTickEntries){1, {first + k}, {w}};
    const palVec3* axes = b->links[b->seeds[g]].axes;
    palVec3 t = b->links[contact].axes[k];
    return (palTickEntries){
        2, {first + 1, first + 2}, {w * palDot(axes[1], t), w * palDot(axes[2], t)}};
}

static void fillEntries(palTickBuilder* b, const palTickRows* out)
{
    const palRows* rows = b->fast;
    for (int i = 0; i < rows->linkCount; i++)
        for (int k = 0; k < palLink_Rows(&b->links[i]); k++)
            b->P[rows->first[i] + k] = entriesOf(b, out, i, k);
}

// W = Pᵀ W P of the soft bodies, and J and velocities by P.
static void aggregate(palTickBuilder* b, palTickRows* out)
{
    const palRows* rows = b->fast;
    for (int r = 0; r < out->count; r++)
    {
        memset(out->W + (size_t)r * stride, 0, (size_t)out->count * sizeof *out->W);
        out->softVelocity[r] = 0.0;
        out->J[r] = (palWrench){pal_zeroVec3, pal_zeroVec3};
    }
    for (int i = 0; i < rows->linkCount; i++)
        for (int k = 0; k < palLink_Rows(&b->links[i]) && b->group[i] >= 0; k++)
        {
            // One row of W P, then its share in the rows of the tick.
            int row = rows->first[i] + k;
            const double* W = rows->W + (size_t)row * (size_t)rows->stride;
            memset(b->row, 0, (size_t)out->count * sizeof *b->row);
            for (int j = 0; j < rows->count; j++)
                for (int e = 0; e < b->P[j].count; e++)
                    b->row[b->P[j].row[e]] += W[j] * b->P[j].value[e];
            palTickEntries to = b->P[rows->first[i] + k];
            for (int e = 0; e < to.count; e++)
            {
                double value = to.value[e];
                double* sum = out->W + (size_t)to.row[e] * stride;
                for (int c = 0; c < out->count; c++)
                    sum[c] += value * b->row[c];
                palWrench* J = &out->J[to.row[e]];
                J->force = palMulAdd(J->force, value, b->J[row].force);
                J->torque = palMulAdd(J->torque, value, b->J[row].torque);
                out->softVelocity[to.row[e]] += value * b->velocity[row];
            }
        }
}

// The same where every contact of the tick is one of the low rate's.
static void copyRows(palTickBuilder* b, palTickRows* out)
{
    const palRows* rows = b->fast;
    for (int c = 0; c < out->contactCount; c++)
        for (int k = 0; k < out->blocks[c].size; k++)
        {
            int row = rows->first[b->seeds[c]] + k, to = out->first[c] + k;
            const double* W = rows->W + (size_t)row * (size_t)rows->stride;
            out->J[to] = b->J[row];
            out->softVelocity[to] = b->velocity[row];
            for (int d = 0; d < out->contactCount; d++)
                memcpy(out->W + (size_t)to * stride + out->first[d], W + rows->first[b->seeds[d]],
                       (size_t)out->blocks[d].size * sizeof *W);
        }
}

// λ_g, and the remainder in the place of the velocities.
static void splitForces(palTickBuilder* b, palTickRows* out)
{
    const palRows* rows = b->fast;
    memset(out->force, 0, sizeof out->force);
    for (int i = 0; i < rows->linkCount; i++)
        for (int k = 0; k < palLink_Rows(&b->links[i]); k++)
        {
            palTickEntries to = b->P[rows->first[i] + k];
            for (int e = 0; e < to.count; e++)
                out->force[to.row[e]] += to.value[e] / b->weight[i] * b->links[i].lambda[k];
        }
    for (int i = 0; i < rows->linkCount; i++)
        for (int k = 0; k < palLink_Rows(&b->links[i]); k++)
        {
            palTickEntries to = b->P[rows->first[i] + k];
            double rest = b->links[i].lambda[k];
            for (int e = 0; e < to.count; e++)
                rest -= to.value[e] * out->force[to.row[e]];
            b->vector[rows->first[i] + k] = out->isAggregated ? rest : 0.0;
        }
}

// Jᵀ r, and Pᵀ W r with the compliance of the tool.
static void addRemainder(palTickBuilder* b, palTickRows* out, const palRigidStep* tool)
{
    const palRows* rows = b->fast;
    const double* r = b->vector;
    out->remainder = (palWrench){pal_zeroVec3, pal_zeroVec3};
    memset(out->remainderGap, 0, (size_t)out->count * sizeof *out->remainderGap);
    if (!out->isAggregated)
        return;
    for (int i = 0; i < rows->count; i++)
    {
        out->remainder.force = palMulAdd(out->remainder.force, r[i], b->J[i].force);
        out->remainder.torque = palMulAdd(out->remainder.torque, r[i], b->J[i].torque);
    }
    palTwist answer = palRigidStep_Response(tool, out->remainder);
    for (int i = 0; i < rows->linkCount; i++)
        for (int k = 0; k < palLink_Rows(&b->links[i]); k++)
        {
            int row = rows->first[i] + k;
            const double* W = rows->W + (size_t)row * (size_t)rows->stride;
            double gap = tool->h * tool->h * palRowDot(b->J[row], answer);
            for (int j = 0; j < rows->count; j++)
                gap += W[j] * r[j];
            palTickEntries to = b->P[rows->first[i] + k];
            for (int e = 0; e < to.count; e++)
                out->remainderGap[to.row[e]] += to.value[e] * gap;
        }
}

//--------------------------------------------------------------------------------------------------
// The rows of the tick

// How far the tissue at a contact is pressed in from where it rests, m; wires follow a tool freely.
static double pressedIn(const palWorldStep* world, const palLink* link)
{
    const palWorldSoft* soft = palWorldStep_Soft(world, link->ends[1].body);
    if (palWorldStep_IsWires(link))
        return wireFollows;
    if (soft == NULL)
        return 0.0;
    const palSkin* skin = &soft->collider->skin;
    const palSoftBody* body = soft->collider->soft;
    const palSurfacePlace* on = &link->ends[1].on;
    double depth = 0.0;
    for (int k = 0; k < on->count; k++)
        for (int j = 0; j < skin->nodesEach; j++)
        {
            int at = on->vertices[k] * skin->nodesEach + j;
            palVec3 moved = palSub(body->rest[skin->nodes[at]], body->x[skin->nodes[at]]);
            depth += on->weights[k] * skin->weights[at] * palDot(link->axes[0], moved);
        }
    return fmax(depth, 0.0);
}

// The low rate's compliance of the closed normals by groups, in place of that of all of them.
static void groupSlow(palTickBuilder* b, int closed, int groups)
{
    palRows* rows = b->slow;
    size_t step = (size_t)rows->stride;
    for (int i = 0; i < closed; i++)
    {
        double* W = rows->W + (size_t)i * step;
        memset(b->row, 0, (size_t)groups * sizeof *b->row);
        for (int j = 0; j < closed; j++)
            b->row[b->group[j]] += b->weight[j] * W[j];
        memcpy(W, b->row, (size_t)groups * sizeof *W);
    }
    // Row by row into `support`, which has the same stride.
    for (int g = 0; g < groups; g++)
        memset(b->support + (size_t)g * step, 0, (size_t)groups * sizeof(double));
    for (int i = 0; i < closed; i++)
        for (int g = 0; g < groups; g++)
            b->support[(size_t)b->group[i] * step + (size_t)g] +=
                b->weight[i] * rows->W[(size_t)i * step + (size_t)g];
    for (int g = 0; g < groups; g++)
        memcpy(rows->W + (size_t)g * step, b->support + (size_t)g * step,
               (size_t)groups * sizeof(double));
}

// How the normals go on while the tool moves the closed contacts, and by how much the tissue gives
// way at them, as far as it can follow a tool that recedes. W is that of the soft bodies alone.
static void fillFollowing(palTickBuilder* b, int closed, palTickRows* out)
{
    palWorldStep* world = b->world;
    palRows* slow = b->slow;
    palTickBuilder_FillSoft(b, slow, closed, true, pal_rateStep, world->h * world->h, NULL);
    if (out->isAggregated)
        groupSlow(b, closed, out->closed);
    for (int i = 0; i < out->contactCount; i++)
        for (int j = 0; j < out->closed; j++)
            out->R[i * normalStride + j] = out->W[out->first[i] * stride + out->first[j]];
    palLinearModel_Follow(out->contactCount, out->closed, slow->W, (size_t)slow->stride, out->R,
                          normalStride, b->work);
    double most[pal_tickContactsMax] = {0};
    for (int i = 0; i < closed; i++)
        most[b->group[i]] += b->weight[i] * pressedIn(world, &b->links[i]);
    for (int i = 0; i < out->closed; i++)
    {
        out->depth[i] = 0.0;
        for (int j = 0; j < out->closed; j++)
            out->depth[i] +=
                slow->W[(size_t)i * (size_t)slow->stride + (size_t)j] * out->force[out->first[j]];
        // Clamp to the real indentation; linear compliance overestimates it in crushed tissue.
        out->depth[i] = fmin(fmax(out->depth[i], 0.0), most[i]);
    }
}

// Places, normals, laws and gaps; the rows of each contact.
static void fillContacts(palTickBuilder* b, int all, palTickRows* out)
{
    const palRigidState* state = &b->world->tool->state;
    const palRigidModel* model = &b->world->tool->tool->model;
    out->count = 0;
    for (int c = 0; c < out->contactCount; c++)
    {
        const palLink* link = &b->links[b->seeds[c]];
        out->first[c] = out->count;
        palLink_Blocks(link, out->count, 0, &out->blocks[c]);
        for (int k = 0; k < out->blocks[c].size; k++)
            out->along[out->count++] = link->axes[k];
        out->object[c] = link->ends[1].body;
        out->onTool[c] = out->normal[c] = pal_zeroVec3;
        out->gap[c] = 0.0;
    }
    out->first[out->contactCount] = out->count;
    for (int i = 0; i < all; i++)
    {
        const palLink* link = &b->links[i];
        int c = b->group[i];
        if (c < 0)
            continue;
        out->onTool[c] = palMulAdd(out->onTool[c], b->weight[i], link->ends[0].local);
        out->normal[c] = palMulAdd(out->normal[c], b->weight[i], link->axes[0]);
        out->gap[c] += b->weight[i] * (link->gap - link->distance);
    }
    for (int c = 0; c < out->contactCount; c++)
    {
        out->point[c] = palRigid_Point(model, state, out->onTool[c]);
        if (out->isAggregated)
            out->normal[c] = palNormalize(out->normal[c]);
    }
}

void palTickRows_Build(palTickRows* out, palTickBuilder* b, const palRigidStep* tool, int count,
                       int closed, bool follows)
{
    palWorldRigid* rigid = b->world->tool;
    double dt = tool->h;
    palTickBuilder_FillSoft(b, b->fast, count, false, pal_rateFast, dt * dt, b->velocity);
    rigid->base.ops->takeRows(&rigid->base, b->fast, NULL);
    memcpy(b->J, rigid->J, (size_t)b->fast->count * sizeof *b->J);
    out->contactCount = chooseContacts(b, count, closed, out);
    fillContacts(b, count, out);
    fillEntries(b, out);
    (out->isAggregated ? aggregate : copyRows)(b, out);
    splitForces(b, out);
    addRemainder(b, out, tool);
    out->follows = follows;
    if (follows)
        fillFollowing(b, closed, out);
    for (int i = 0; i < out->count; i++)
    {
        palTwist answer = palRigidStep_Response(tool, out->J[i]);
        for (int j = 0; j < out->count; j++)
            out->W[i * stride + j] += dt * dt * palRowDot(out->J[j], answer);
    }
}

//--------------------------------------------------------------------------------------------------
// High rate

void palTickRows_FreeGaps(const palTickRows* in, const palRigidModel* model,
                          const palRigidState* haptic, const palRigidStep* step, double* gapFree)
{
    palMat3 basis = palMakeMat3Quat(haptic->q);
    double gap[pal_tickContactsMax], followed[pal_tickContactsMax];
    int n = in->contactCount;
    for (int i = 0; i < n; i++)
    {
        palVec3 lever = palSub(in->onTool[i], model->def.mass.centre);
        palVec3 p = palAdd(haptic->x, palMat3Apply(basis, lever));
        palVec3 moved = palSub(p, in->point[i]);
        gap[i] = in->gap[i] + palDot(in->normal[i], moved);
        if (i >= in->closed || !in->follows)
            continue;
        // Tissue that is pressed in comes along with a tool that recedes, as far as it was.
        followed[i] = fmin(gap[i], in->depth[i]);
        gap[i] -= fmax(followed[i], 0.0);
    }
    for (int r = 0; r < in->count; r++)
        gapFree[r] = step->h * (palRowDot(in->J[r], step->free) + in->softVelocity[r]);
    for (int r = 0; r < in->count && in->isAggregated; r++)
        gapFree[r] += in->remainderGap[r];
    for (int i = 0; i < n; i++)
    {
        double* of = &gapFree[in->first[i]];
        *of += fmax(gap[i], 0.0);
        for (int j = 0; j < in->closed && in->follows; j++)
            *of += in->R[i * normalStride + j] * followed[j];
    }
}

palWrench palTickRows_Wrench(const palTickRows* in, const double* lambda)
{
    palWrench sum = {pal_zeroVec3, pal_zeroVec3};
    for (int i = 0; i < in->count; i++)
    {
        sum.force = palMulAdd(sum.force, lambda[i], in->J[i].force);
        sum.torque = palMulAdd(sum.torque, lambda[i], in->J[i].torque);
    }
    if (in->isAggregated)
    {
        sum.force = palAdd(sum.force, in->remainder.force);
        sum.torque = palAdd(sum.torque, in->remainder.torque);
    }
    return sum;
}
