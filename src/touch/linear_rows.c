// SPDX-License-Identifier: Apache-2.0
#include "touch/linear_rows.h"

#include <string.h>

enum
{
    stride = pal_tickRowsMax,
    normalStride = pal_tickContactsMax,
    openMin = pal_tickContactsMax / 8, // contacts of a tick reserved for open ones
};

static const double normalCosine = 0.95; // between the normals of a group, at least
static const double recovery = 0.02;     // m/s, at which overlaps of rigid bodies are undone
// Rigid contacts whose gaps are wider than this times the deepest overlap of the free motion, and
// than this, stay open whatever forces act at the others.
static const double openShare = 8.0;
static const double openLeast = 1e-5; // m
// Of its diagonal entry, added to it: a tool that is wedged between rigid sides takes any pair of
// opposite forces.
static const double rigidSoftness = 1e-4;
static const double wireIndentation = 1.0; // m: no limit; a wire follows by its compliance alone

//--------------------------------------------------------------------------------------------------
// Which contacts the tick has, and in which groups

// Whether two contacts may be in one group.
static bool areSimilar(const palLink* a, const palLink* b)
{
    return a->kind == pal_linkContact && b->kind == pal_linkContact &&
           a->ends[1].body == b->ends[1].body && a->friction == b->friction &&
           palDot(a->axes[0], b->axes[0]) > normalCosine;
}

// The distance between two contacts for grouping, m; more than any tool is long where they must not
// be in one group.
static double groupDistance(const palLink* a, const palLink* b)
{
    double distance = palDistance(a->ends[0].local, b->ends[0].local);
    return areSimilar(a, b) ? distance : 1.0 + distance;
}

// Groups the closed contacts by farthest-point sampling: each time the contact farthest from all
// seeds so far is the seed of a new group, and every contact is in the group of its closest seed.
// Returns the number of groups, at most `most`.
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
        b->weight[i] =
            b->links[i].kind == pal_linkAxis ? 1.0 : b->links[i].lambda[0] / sums[b->group[i]];
}

// Appends the open contacts with the smallest gaps, in their order, after `count` others. Returns
// the number of contacts then.
static int addOpen(palTickBuilder* b, int closed, int all, int count)
{
    // The gap up to which all fit, by bisection.
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

// Fills group, weight and seeds. Returns the number of contacts of the tick.
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
// P: the weights of the rows of all contacts in the rows of the tick

// The entries of P in row k of a contact.
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

// W_g = Pᵀ W P of the soft bodies, J_g = Pᵀ J, and the velocities Pᵀ v.
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
            // One row of W P, then its products with the entries of Pᵀ.
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

// The same without groups: every contact of the tick is one of the low rate.
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

// λ_g, and the remainder r in b->vector.
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
            double remainder = b->links[i].lambda[k];
            for (int e = 0; e < to.count; e++)
                remainder -= to.value[e] * out->force[to.row[e]];
            b->vector[rows->first[i] + k] = out->isAggregated ? remainder : 0.0;
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
    palTwist response = palRigidStep_Response(tool, out->remainder);
    for (int i = 0; i < rows->linkCount; i++)
        for (int k = 0; k < palLink_Rows(&b->links[i]); k++)
        {
            int row = rows->first[i] + k;
            const double* W = rows->W + (size_t)row * (size_t)rows->stride;
            double gap = tool->h * tool->h * palRowDot(b->J[row], response);
            for (int j = 0; j < rows->count; j++)
                gap += W[j] * r[j];
            palTickEntries to = b->P[rows->first[i] + k];
            for (int e = 0; e < to.count; e++)
                out->remainderGap[to.row[e]] += to.value[e] * gap;
        }
}

//--------------------------------------------------------------------------------------------------
// The rows of the tick

// The indentation of the tissue at a contact: its displacement from rest against the normal, m.
static double indentation(const palWorldStep* world, const palLink* link)
{
    if (link->kind == pal_linkAxis)
        return 0.0; // what is joined follows without a limit
    if (palWorldStep_IsWires(link))
        return wireIndentation;
    const palWorldSoft* soft = palWorldStep_Soft(world, link->ends[1].body);
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

// Replaces the compliance of the closed normals over a low-rate step by that of their groups.
static void aggregateSlow(palTickBuilder* b, int closed, int groups)
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
    // Summed in `support`, which has the same stride.
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

// R, how the gaps of all normals change with the tool's motion at the closed contacts, and depth,
// how far the tissue at these can follow a receding tool. W is that of the soft bodies alone.
static void fillFollowing(palTickBuilder* b, int closed, palTickRows* out)
{
    palWorldStep* world = b->world;
    palRows* slow = b->slow;
    palTickBuilder_FillSoft(b, slow, closed, true, pal_rateStep, world->h * world->h, NULL);
    if (out->isAggregated)
        aggregateSlow(b, closed, out->closed);
    for (int i = 0; i < out->contactCount; i++)
        for (int j = 0; j < out->closed; j++)
            out->R[i * normalStride + j] = out->W[out->first[i] * stride + out->first[j]];
    palLinearModel_Follow(out->contactCount, out->closed, slow->W, (size_t)slow->stride, out->R,
                          normalStride, b->work);
    double depthMax[pal_tickContactsMax] = {0};
    for (int i = 0; i < closed; i++)
        depthMax[b->group[i]] += b->weight[i] * indentation(world, &b->links[i]);
    for (int i = 0; i < out->closed; i++)
    {
        out->depth[i] = 0.0;
        for (int j = 0; j < out->closed; j++)
            out->depth[i] +=
                slow->W[(size_t)i * (size_t)slow->stride + (size_t)j] * out->force[out->first[j]];
        // Clamp to the real indentation; linear compliance overestimates it in crushed tissue. What
        // is joined follows all the way.
        bool isJoined = out->blocks[i].law == pal_lawBilateral;
        out->depth[i] = isJoined ? INFINITY : fmin(fmax(out->depth[i], 0.0), depthMax[i]);
    }
}

// Points, normals, laws, gaps and row numbers of the contacts.
static void fillContacts(palTickBuilder* b, int all, palTickRows* out)
{
    const palRigidState* state = &b->tool->state;
    const palRigidModel* model = &b->tool->tool->model;
    out->count = 0;
    for (int c = 0; c < out->contactCount; c++)
    {
        const palLink* link = &b->links[b->seeds[c]];
        out->first[c] = out->count;
        palLink_Blocks(link, out->count, 0, &out->blocks[c]);
        for (int k = 0; k < out->blocks[c].size; k++)
            out->along[out->count++] = link->axes[k];
        out->object[c] = link->ends[1].body;
        out->key[c] = link->key;
        out->onTool[c] = out->normal[c] = pal_zeroVec3;
        out->isRigid[c] = link->isRigid;
        out->turns[c] = link->turns && !out->isAggregated;
        out->isAngular[c] = link->kind == pal_linkAxis && link->isAngular;
        out->gap[c] = 0.0;
    }
    out->orientation = state->q;
    out->first[out->contactCount] = out->count;
    for (int i = 0; i < all; i++)
    {
        const palLink* link = &b->links[i];
        int c = b->group[i];
        if (c < 0)
            continue;
        int end = link->ends[0].body == b->tool->base.id ? 0 : 1;
        out->onTool[c] = palMulAdd(out->onTool[c], b->weight[i], link->ends[end].local);
        out->normal[c] =
            palMulAdd(out->normal[c], end == 0 ? b->weight[i] : -b->weight[i], link->axes[0]);
        out->gap[c] += b->weight[i] * (link->gap - link->distance);
    }
    for (int c = 0; c < out->contactCount; c++)
    {
        int aside = out->isAggregated ? -1 : b->aside[b->seeds[c]];
        out->aside[c] = aside >= 0 ? b->group[aside] : -1;
        out->point[c] = palRigid_Point(model, state, out->onTool[c]);
        if (out->isAggregated && !out->isAngular[c])
            out->normal[c] = palNormalize(out->normal[c]);
    }
}

void palTickRows_Build(palTickRows* out, palTickBuilder* b, const palRigidStep* tool, int count,
                       int closed, bool follows)
{
    palWorldRigid* rigid = b->tool;
    double dt = tool->h;
    palTickBuilder_FindAxes(b);
    count += b->axisCount;
    closed += b->axisCount;
    palTickBuilder_FillSoft(b, b->fast, count, false, pal_rateFast, dt * dt, b->velocity);
    count = b->fast->linkCount;
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
        palTwist response = palRigidStep_Response(tool, out->J[i]);
        for (int j = 0; j < out->count; j++)
            out->W[i * stride + j] += dt * dt * palRowDot(out->J[j], response);
    }
    for (int c = 0; c < out->contactCount; c++)
        for (int i = out->first[c]; i < out->first[c + 1] && out->isRigid[c]; i++)
            out->W[i * stride + i] *= 1.0 + rigidSoftness;
}

//--------------------------------------------------------------------------------------------------
// High rate

// Whether a contact does not act, since the other side of its ridge keeps more distance.
static bool isBeside(const palTickRows* in, const double* gap, int contact)
{
    int other = in->aside[contact];
    return other >= 0 &&
           (gap[contact] < gap[other] || (gap[contact] == gap[other] && contact > other));
}

void palTickRows_FreeGaps(const palTickRows* in, const palRigidModel* model,
                          const palRigidState* haptic, const palRigidStep* step, double* gapFree)
{
    palMat3 basis = palMakeMat3Quat(haptic->q);
    palMat3 turn = palMakeMat3Quat(palMulQuat(haptic->q, palConjugate(in->orientation)));
    palVec3 turned = palRotationVector(palMulQuat(haptic->q, palConjugate(in->orientation)));
    double gap[pal_tickContactsMax], followed[pal_tickContactsMax];
    int n = in->contactCount;
    double deepest = 0.0;
    for (int i = 0; i < n; i++)
    {
        palVec3 lever = palSub(in->onTool[i], model->def.mass.centre);
        palVec3 p = palAdd(haptic->x, palMat3Apply(basis, lever));
        palVec3 moved = in->isAngular[i] ? turned : palSub(p, in->point[i]);
        palVec3 apart = palMulAdd(moved, in->gap[i], in->normal[i]);
        followed[i] = 0.0;
        gap[i] = in->turns[i] ? palDot(palMat3Apply(turn, in->normal[i]), apart)
                              : in->gap[i] + palDot(in->normal[i], moved);
        if (i >= in->closed || !in->follows || in->isRigid[i])
            continue;
        // Indented tissue follows a receding tool, up to its indentation.
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
        double least = in->isRigid[i] ? -recovery * step->h : 0.0;
        *of += in->blocks[i].law == pal_lawBilateral ? 0.0 : fmax(gap[i], least);
        for (int j = 0; j < in->closed && in->follows; j++)
            *of += in->R[i * normalStride + j] * followed[j];
        if (in->blocks[i].law != pal_lawBilateral && !isBeside(in, gap, i))
            deepest = fmax(deepest, -*of);
    }
    for (int i = 0; i < n; i++)
    {
        double open = openShare * deepest + openLeast, *of = &gapFree[in->first[i]];
        if (in->isRigid[i] && (*of > open || isBeside(in, gap, i)))
            *of = INFINITY;
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

void palTickRows_Archive(palTickRows* rows, palArchive* archive)
{
    PAL_ARCHIVE(archive, rows->contactCount);
    PAL_ARCHIVE(archive, rows->count);
    PAL_ARCHIVE(archive, rows->closed);
    PAL_ARCHIVE(archive, rows->leftOut);
    PAL_ARCHIVE(archive, rows->follows);
    PAL_ARCHIVE(archive, rows->isAggregated);
    PAL_ARCHIVE(archive, rows->orientation);
    PAL_ARCHIVE(archive, rows->remainder);
    PAL_ARCHIVE(archive, rows->force); // a tick starts from all of them
    PAL_ARCHIVE_ARRAY(archive, rows->first, rows->contactCount + 1);
    PAL_ARCHIVE_ARRAY(archive, rows->blocks, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->onTool, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->point, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->normal, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->isAngular, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->gap, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->isRigid, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->turns, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->depth, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->object, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->aside, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->key, rows->contactCount);
    PAL_ARCHIVE_ARRAY(archive, rows->J, rows->count);
    PAL_ARCHIVE_ARRAY(archive, rows->along, rows->count);
    PAL_ARCHIVE_ARRAY(archive, rows->softVelocity, rows->count);
    PAL_ARCHIVE_ARRAY(archive, rows->remainderGap, rows->count);
    PAL_ARCHIVE_ARRAY(archive, rows->W, rows->count * pal_tickRowsMax);
    PAL_ARCHIVE_ARRAY(archive, rows->R, rows->contactCount * pal_tickContactsMax);
}
