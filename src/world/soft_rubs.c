// SPDX-License-Identifier: Apache-2.0
#include "world/soft_rubs.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// How much of the change of its load a pair takes over in a step.
static const double loadRenewal = 0.3;

palResult palSoftRubs_Init(palSoftRubs* rubs, int contactsMax, int pairCount, palError* error)
{
    size_t contacts = (size_t)contactsMax + 1, rows = pal_rubRows * contacts;
    size_t entries = 6 * rows * pal_skinNodesMax;
    *rubs = (palSoftRubs){
        .maxEntries = (int)entries,
        .start = calloc(rows + 1, sizeof *rubs->start),
        .bodies = calloc(entries, sizeof *rubs->bodies),
        .nodes = calloc(entries, sizeof *rubs->nodes),
        .values = calloc(entries, sizeof *rubs->values),
        .limits = calloc(contacts, sizeof *rubs->limits),
        .forces = calloc(rows, sizeof *rubs->forces),
        .axes = calloc(contacts, sizeof *rubs->axes),
        .of = calloc(contacts, sizeof *rubs->of),
        .shares = calloc(contacts, sizeof *rubs->shares),
        .loads = calloc((size_t)pairCount + 1, sizeof *rubs->loads),
        .pairCount = pairCount,
    };
    if (!rubs->start || !rubs->bodies || !rubs->nodes || !rubs->values || !rubs->limits ||
        !rubs->forces || !rubs->axes || !rubs->of || !rubs->shares || !rubs->loads)
        return palError_Memory(error, "the friction of soft bodies",
                               entries * sizeof *rubs->values);
    return pal_ok;
}

void palSoftRubs_Free(palSoftRubs* rubs)
{
    void* const owned[] = {
        rubs->start,  rubs->bodies, rubs->nodes, rubs->values, rubs->limits,
        rubs->forces, rubs->axes,   rubs->of,    rubs->shares, rubs->loads,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    *rubs = (palSoftRubs){0};
}

palRubs palSoftRubs_Rows(const palSoftRubs* rubs)
{
    return (palRubs){
        .count = rubs->count,
        .rows = {pal_rubRows * rubs->count, rubs->start, rubs->bodies, rubs->nodes, rubs->values},
        .limits = rubs->limits,
        .forces = rubs->forces,
    };
}

// Adds to the entry of that node in the row under way, `first` to the end.
static void addEntry(palSoftRubs* rubs, int first, int body, int node, palVec3 value)
{
    int e = first;
    while (e < rubs->entryCount && (rubs->bodies[e] != body || rubs->nodes[e] != node))
        e++;
    if (e == rubs->maxEntries)
        return;
    if (e == rubs->entryCount)
    {
        rubs->bodies[e] = body;
        rubs->nodes[e] = node;
        rubs->values[e] = pal_zeroVec3;
        rubs->entryCount++;
    }
    rubs->values[e] = palAdd(rubs->values[e], value);
}

// A contact's share of the row along an axis.
static void addContact(palSoftRubs* rubs, const palRubbing* rubbing, const palLink* link,
                       palVec3 axis, int first)
{
    for (int e = 0; e < 2; e++)
    {
        const palPlace* end = &link->ends[e];
        const palCollider* collider = &rubbing->colliders[end->body];
        int nodes[pal_anchorNodesMax];
        palVec3 values[pal_anchorNodesMax];
        if (end->kind != pal_placeSurface || collider->soft == NULL)
            continue;
        int count = palSoftPlace_Row(end, &collider->skin, collider->soft->x,
                                     e == 0 ? axis : palNeg(axis), false, nodes, values);
        for (int k = 0; k < count; k++)
            if (collider->soft->freeIndex[nodes[k]] >= 0)
                addEntry(rubs, first, rubbing->softOf[end->body], nodes[k], values[k]);
    }
}

// The load of a pair, Σ μ λn, and the share of each of its contacts.
static double takeContacts(palSoftRubs* rubs, const palRubbing* rubbing, int pair)
{
    double sum = 0.0, load = 0.0;
    for (int i = 0; i < rubbing->linkCount; i++)
    {
        const palLink* link = &rubbing->links[i];
        if (rubbing->pairOf[i] != pair || rubs->of[i] != pal_rubPending)
            continue;
        rubs->of[i] = rubs->count;
        sum += link->lambda[0];
        load += link->friction * link->lambda[0];
    }
    for (int i = 0; i < rubbing->linkCount; i++)
        if (rubs->of[i] == rubs->count)
            rubs->shares[i] = rubbing->links[i].lambda[0] / sum;
    return load;
}

// The directions in which the rows move the contacts of the pair under way.
static void findAxes(palSoftRubs* rubs, const palRubbing* rubbing)
{
    palVec3 normal = pal_zeroVec3, middle = pal_zeroVec3, t1, t2;
    double squared = 0.0;
    for (int i = 0; i < rubbing->linkCount; i++)
    {
        if (rubs->of[i] != rubs->count)
            continue;
        normal = palMulAdd(normal, rubs->shares[i], rubbing->links[i].axes[0]);
        middle = palMulAdd(middle, rubs->shares[i], rubbing->at[i]);
    }
    normal = palNormalize(normal);
    palTangents(normal, &t1, &t2);
    for (int i = 0; i < rubbing->linkCount; i++)
    {
        if (rubs->of[i] != rubs->count)
            continue;
        palVec3 turning = palCross(normal, palSub(rubbing->at[i], middle));
        squared += rubs->shares[i] * palLengthSquared(turning);
        rubs->axes[i][0] = t1;
        rubs->axes[i][1] = t2;
        rubs->axes[i][2] = turning;
    }
    double scale = squared > 0.0 ? 1.0 / sqrt(squared) : 0.0;
    for (int i = 0; i < rubbing->linkCount; i++)
        if (rubs->of[i] == rubs->count)
            rubs->axes[i][2] = palScale(scale, rubs->axes[i][2]);
}

// The rows of a pair.
static void addPair(palSoftRubs* rubs, const palRubbing* rubbing, int pair)
{
    int index = rubs->count;
    double load = takeContacts(rubs, rubbing, pair);
    findAxes(rubs, rubbing);
    for (int r = 0; r < pal_rubRows; r++)
    {
        int first = rubs->entryCount;
        for (int i = 0; i < rubbing->linkCount; i++)
            if (rubs->of[i] == index)
                addContact(rubs, rubbing, &rubbing->links[i],
                           palScale(rubs->shares[i], rubs->axes[i][r]), first);
        rubs->forces[pal_rubRows * index + r] = 0.0;
        rubs->start[pal_rubRows * index + r + 1] = rubs->entryCount;
    }
    double before = rubs->loads[pair] > 0.0 ? rubs->loads[pair] : load;
    rubs->limits[index] = rubs->loads[pair] = before + loadRenewal * (load - before);
    rubs->count++;
}

void palSoftRubs_Find(palSoftRubs* rubs, const palRubbing* rubbing)
{
    rubs->count = rubs->entryCount = 0;
    rubs->start[0] = 0;
    for (int i = 0; i < rubbing->linkCount; i++)
        if (rubs->of[i] == pal_rubPending)
            addPair(rubs, rubbing, rubbing->pairOf[i]);
    for (int pair = 0; pair < rubs->pairCount; pair++)
    {
        bool slides = false;
        for (int i = 0; i < rubbing->linkCount && !slides; i++)
            slides = rubs->of[i] >= 0 && rubbing->pairOf[i] == pair;
        rubs->loads[pair] = slides ? rubs->loads[pair] : 0.0;
    }
}

bool palSoftRubs_Predicted(const palSoftRubs* rubs, int index, const palLink* link,
                           double lambda[3])
{
    int rub = rubs->of[index];
    if (rub < 0)
        return false;
    palVec3 force = pal_zeroVec3;
    for (int r = 0; r < pal_rubRows; r++)
        force = palMulAdd(force, rubs->forces[pal_rubRows * rub + r], rubs->axes[index][r]);
    for (int r = 1; r < palLink_Rows(link); r++)
        lambda[r] = rubs->shares[index] * palDot(force, link->axes[r]);
    return true;
}

void palSoftRubs_Archive(palSoftRubs* rubs, int contacts, palArchive* archive)
{
    int count;
    PAL_ARCHIVE(archive, rubs->count);
    PAL_ARCHIVE(archive, rubs->entryCount);
    count = rubs->count;
    PAL_ARCHIVE_ARRAY(archive, rubs->start, pal_rubRows * count + 1);
    PAL_ARCHIVE_ARRAY(archive, rubs->bodies, rubs->entryCount);
    PAL_ARCHIVE_ARRAY(archive, rubs->nodes, rubs->entryCount);
    PAL_ARCHIVE_ARRAY(archive, rubs->values, rubs->entryCount);
    PAL_ARCHIVE_ARRAY(archive, rubs->limits, count);
    PAL_ARCHIVE_ARRAY(archive, rubs->forces, pal_rubRows * count);
    PAL_ARCHIVE_ARRAY(archive, rubs->axes, contacts);
    PAL_ARCHIVE_ARRAY(archive, rubs->of, contacts);
    PAL_ARCHIVE_ARRAY(archive, rubs->shares, contacts);
    PAL_ARCHIVE_ARRAY(archive, rubs->loads, rubs->pairCount);
}
