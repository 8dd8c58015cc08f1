// SPDX-License-Identifier: Apache-2.0
#include "touch/tool_soft.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double overtakenShare = 0.1; // of the query radius: see palToolSoft.overtaken

// ---------------------------------------------------------------------------------------------
// Set-up

static palResult allocate(palToolSoft* soft, const palMethodDef* def, palError* error)
{
    const palSoftPatch* sizes = &soft->contact->side.patch;
    size_t vertices = (size_t)sizes->vertexCapacity;
    size_t bodies = (size_t)sizes->bodyCapacity;
    size_t surfaces = (size_t)palMethodDef_Surfaces(def);
    int all = 0;
    soft->offsets = calloc(surfaces, sizeof *soft->offsets);
    for (int i = 0; i < palMethodDef_Surfaces(def) && soft->offsets != NULL; i++)
    {
        soft->offsets[i] = all;
        all += palCollider_Yields(&def->colliders[i]) ? def->colliders[i].surface.vertexCount : 0;
    }
    soft->old = calloc(vertices, sizeof *soft->old);
    soft->free = calloc(vertices, sizeof *soft->free);
    soft->base = calloc(vertices, sizeof *soft->base);
    soft->end = calloc(vertices, sizeof *soft->end);
    soft->shift = calloc(vertices, sizeof *soft->shift);
    soft->known = malloc((size_t)all * sizeof *soft->known);
    soft->keys = calloc(vertices, sizeof *soft->keys);
    soft->near = calloc(vertices, sizeof *soft->near);
    soft->isNear = calloc(vertices, sizeof *soft->isNear);
    soft->views = calloc(bodies, sizeof *soft->views);
    soft->limitedOf = calloc((size_t)sizes->faceCapacity, sizeof *soft->limitedOf);
    soft->faceOf = calloc(pal_patchMax, sizeof *soft->faceOf);
    soft->expected = calloc(bodies, sizeof *soft->expected);
    soft->response = calloc(bodies, sizeof *soft->response);
    if (!soft->offsets || !soft->old || !soft->free || !soft->base || !soft->end || !soft->shift ||
        !soft->known || !soft->keys || !soft->near || !soft->isNear || !soft->views ||
        !soft->limitedOf || !soft->faceOf || !soft->expected || !soft->response)
        return palError_Memory(error, "a tool on soft bodies", vertices * sizeof *soft->old);
    memset(soft->known, -1, (size_t)all * sizeof *soft->known);
    return palPatch_Init(&soft->faces, error);
}

palResult palToolSoft_Create(const palMethodDef* def, palSoftContact* contact, double surfaceOffset,
                             palToolSoft** soft, palError* error)
{
    *soft = NULL;
    if (contact == NULL)
        return pal_ok;
    palToolSoft* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "a tool on soft bodies", sizeof *created);
    created->contact = contact;
    created->hand = def->hand;
    created->surfaceOffset = surfaceOffset;
    created->overtaken = overtakenShare * def->radius;
    created->fade.ticks = (int)round(def->lowDt / def->body.dt);
    palResult result = allocate(created, def, error);
    if (result != pal_ok)
        palToolSoft_Destroy(created);
    else
        *soft = created;
    return result;
}

void palToolSoft_Destroy(palToolSoft* soft)
{
    if (soft == NULL)
        return;
    palPatch_Free(&soft->faces);
    free(soft->old);
    free(soft->free);
    free(soft->base);
    free(soft->end);
    free(soft->shift);
    free(soft->offsets);
    free(soft->known);
    free(soft->keys);
    free(soft->near);
    free(soft->isNear);
    free(soft->views);
    free(soft->limitedOf);
    free(soft->faceOf);
    free(soft->expected);
    free(soft->response);
    free(soft);
}

// Enters the vertices of the patch, or with `isIn` false takes them out.
static void indexKeys(palToolSoft* soft, bool isIn)
{
    for (int i = 0; i < soft->keyCount; i++)
        soft->known[soft->keys[i]] = isIn ? i : -1;
}

void palToolSoft_Archive(palToolSoft* soft, palArchive* archive)
{
    indexKeys(soft, false);
    PAL_ARCHIVE(archive, soft->sequence);
    PAL_ARCHIVE(archive, soft->keyCount);
    PAL_ARCHIVE_ARRAY(archive, soft->keys, soft->keyCount);
    indexKeys(soft, true);
    PAL_ARCHIVE_ARRAY(archive, soft->end, soft->keyCount);
    PAL_ARCHIVE_ARRAY(archive, soft->shift, soft->keyCount);
    PAL_ARCHIVE_ARRAY(archive, soft->isNear, soft->keyCount);
    PAL_ARCHIVE(archive, soft->fade);
    PAL_ARCHIVE(archive, soft->way);
    PAL_ARCHIVE(archive, soft->hints);
    PAL_ARCHIVE(archive, soft->used);
    for (int i = 0; i < pal_shellContactsMax; i++)
    {
        if (!(soft->used >> i & 1))
            continue;
        PAL_ARCHIVE(archive, soft->spots[i]);
        PAL_ARCHIVE(archive, soft->shapes[i]);
        PAL_ARCHIVE(archive, soft->crossed[i]);
        PAL_ARCHIVE(archive, soft->cross[i]);
    }
}

// ---------------------------------------------------------------------------------------------
// Places

bool palSoftSpot_Anchor(palSoftSpot* spot, const palSoftPatch* patch, int object)
{
    spot->part = palSoftPatch_Part(patch, object, -1);
    spot->isSoft = spot->part >= 0;
    for (int k = 0; k < 3 && spot->isSoft; k++)
    {
        spot->on.vertices[k] = palSoftPatch_Find(patch, spot->part, spot->on.vertices[k]);
        spot->isSoft = spot->on.vertices[k] >= 0;
    }
    return spot->isSoft;
}

palVec3 palToolSoft_Step(const palToolSoft* soft, const palSoftSpot* spot)
{
    if (!spot->isSoft)
        return pal_zeroVec3;
    return palSub(palSurfacePlace_Point(&spot->on, soft->free),
                  palSurfacePlace_Point(&spot->on, soft->old));
}

palVec3 palToolSoft_Yield(const palToolSoft* soft, const palSoftSpot* spot,
                          const palVec3* positions)
{
    palVec3 moved = pal_zeroVec3;
    for (int k = 0; k < 3 && spot->isSoft; k++)
    {
        int v = spot->on.vertices[k];
        moved = palMulAdd(moved, spot->on.weights[k], palSub(positions[v], soft->base[v]));
    }
    return moved;
}

static void readShape(const palToolSoft* soft, const palSoftSpot* spot, palModeShape* shape)
{
    int count = palSoftPatch_Modes(soft->patch, spot->part)->count;
    const palModeShape* shapes = soft->patch->shapes;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < count; i++)
            shape->b[c][i] = spot->on.weights[0] * shapes[spot->on.vertices[0]].b[c][i] +
                             spot->on.weights[1] * shapes[spot->on.vertices[1]].b[c][i] +
                             spot->on.weights[2] * shapes[spot->on.vertices[2]].b[c][i];
}

palMat3 palToolSoft_Compliance(const palToolSoft* soft, const palSoftSpot* spot)
{
    palModeShape shape;
    if (!spot->isSoft)
        return (palMat3){0};
    readShape(soft, spot, &shape);
    return palSoftPatch_Compliance(palSoftPatch_Modes(soft->patch, spot->part), &shape);
}

// ---------------------------------------------------------------------------------------------
// Motion

// Indexes the vertices of a new patch; those that were near the tool stay where they were.
static void takePatch(palToolSoft* soft)
{
    const palSoftPatch* patch = soft->patch;
    const palSoftMotion* motion = &soft->contact->motion;
    for (int p = 0; p < patch->partCount; p++)
        for (int v = patch->parts[p].vertexBegin; v < patch->parts[p].vertexEnd; v++)
        {
            int last = soft->known[soft->offsets[patch->parts[p].object] + patch->surfaceVertex[v]];
            soft->shift[v] = pal_zeroVec3;
            if (last >= 0 && soft->isNear[last])
                soft->shift[v] =
                    palSub(soft->end[last],
                           palSoftPatch_Vertex(patch, p, v, palSoftMotion_Now(motion, patch, p)));
        }
    indexKeys(soft, false);
    soft->keyCount = patch->vertexCount;
    for (int p = 0; p < patch->partCount; p++)
        for (int v = patch->parts[p].vertexBegin; v < patch->parts[p].vertexEnd; v++)
            soft->keys[v] = soft->offsets[patch->parts[p].object] + patch->surfaceVertex[v];
    indexKeys(soft, true);
    palFade_Start(&soft->fade);
}

// p = h² a p: the displacement of the modes of an island by the generalised forces p within the
// tick.
static void scaleResponse(const palModes* modes, double* p)
{
    for (int i = 0; i < modes->count; i++)
        p[i] *= modes->h * modes->h * modes->a[i];
}

// The vertices under the forces of the last tick.
static void placeBase(palToolSoft* soft)
{
    const palSoftPatch* patch = soft->patch;
    const palSoftMotion* motion = &soft->contact->motion;
    const palTrack* given = &soft->contact->side.forces;
    double farthest = 0.0;
    for (int i = 0; i < patch->islandCount; i++)
    {
        const palModes* modes = &patch->islands[i];
        if (given->ticks == 0 ||
            !palSoftPatch_PushesOf(patch, i, palTrack_Tick(given, given->ticks - 1), soft->hand,
                                   soft->hand + 1, soft->expected[i]))
            memset(soft->expected[i], 0, (size_t)modes->count * sizeof(double));
        scaleResponse(modes, soft->expected[i]);
    }
    for (int p = 0; p < patch->partCount; p++)
    {
        double q[pal_modesMax];
        int island = patch->parts[p].island;
        for (int i = 0; i < patch->islands[island].count; i++)
            q[i] = motion->modes.free[island].q[i] + soft->expected[island][i];
        for (int v = patch->parts[p].vertexBegin; v < patch->parts[p].vertexEnd; v++)
        {
            soft->base[v] =
                palMulAdd(palSoftPatch_Vertex(patch, p, v, q), soft->fade.next, soft->shift[v]);
            farthest = fmax(farthest, palLengthSquared(palSub(soft->base[v], patch->start[v])));
        }
    }
    soft->moved = sqrt(farthest) + soft->way;
}

void palToolSoft_Begin(palToolSoft* soft, const palSnapshot* snapshot)
{
    soft->patch = snapshot->soft;
    soft->isNew = soft->sequence != snapshot->sequence;
    soft->sequence = snapshot->sequence;
    palSoftContact_BeginTurn(soft->contact, soft->patch, soft->hand);
    if (soft->isNew)
        takePatch(soft);
    palFade_Advance(&soft->fade);
    placeBase(soft);
    palToolSoft_Clear(soft);
}

// ---------------------------------------------------------------------------------------------
// What is near

void palToolSoft_Clear(palToolSoft* soft)
{
    memset(soft->isNear, 0, (size_t)soft->patch->vertexCapacity * sizeof *soft->isNear);
    soft->nearCount = 0;
    soft->probeCount = 0;
    soft->yield = 0.0;
    for (int i = 0; i < soft->patch->islandCount; i++)
        memset(soft->response[i], 0, (size_t)soft->patch->islands[i].count * sizeof(double));
}

// Moves a vertex by the response of its island.
static void respond(palToolSoft* soft, int part, int vertex)
{
    const palSoftPatch* patch = soft->patch;
    int island = patch->parts[part].island;
    soft->end[vertex] =
        palAdd(soft->base[vertex],
               palSoftPatch_Displacement(&patch->islands[island], &patch->shapes[vertex],
                                         soft->response[island]));
}

void palToolSoft_Use(palToolSoft* soft, int part, int vertex)
{
    const palSoftPatch* patch = soft->patch;
    int island = patch->parts[part].island;
    if (soft->isNear[vertex])
        return;
    soft->isNear[vertex] = true;
    soft->near[soft->nearCount++] = vertex;
    soft->old[vertex] =
        palMulAdd(palSoftPatch_Vertex(patch, part, vertex,
                                      palSoftMotion_Now(&soft->contact->motion, patch, part)),
                  soft->fade.now, soft->shift[vertex]);
    soft->free[vertex] =
        palSub(soft->base[vertex],
               palSoftPatch_Displacement(&patch->islands[island], &patch->shapes[vertex],
                                         soft->expected[island]));
    respond(soft, part, vertex);
}

void palToolSoft_UseSpot(palToolSoft* soft, const palSoftSpot* spot)
{
    for (int k = 0; k < 3 && spot->isSoft; k++)
        palToolSoft_Use(soft, spot->part, spot->on.vertices[k]);
}

// ---------------------------------------------------------------------------------------------
// Contacts

void palToolSoft_MoveSlot(palToolSoft* soft, int slot, const palSoftSpot* spot)
{
    soft->spots[slot] = *spot;
    readShape(soft, spot, &soft->shapes[slot]);
    soft->crossed[slot] = 0;
    for (int i = 0; i < pal_shellContactsMax; i++)
        soft->crossed[i] &= ~(UINT64_C(1) << slot);
}

int palToolSoft_TakeSlot(palToolSoft* soft, const palSoftSpot* spot)
{
    int slot = 0;
    if (!spot->isSoft)
        return -1;
    while (soft->used >> slot & 1)
        slot++;
    soft->used |= UINT64_C(1) << slot;
    palToolSoft_MoveSlot(soft, slot, spot);
    return slot;
}

void palToolSoft_FreeSlot(palToolSoft* soft, int slot)
{
    if (slot >= 0)
        soft->used &= ~(UINT64_C(1) << slot);
}

const palMat3* palToolSoft_Cross(palToolSoft* soft, int slot, int other)
{
    palMat3* W = &soft->cross[slot][other];
    if (soft->crossed[slot] >> other & 1)
        return W;
    const palSoftPart* parts = soft->patch->parts;
    int a = soft->spots[slot].part, b = soft->spots[other].part;
    *W = (palMat3){0};
    if (parts[a].island == parts[b].island)
        *W = palSoftPatch_CrossCompliance(palSoftPatch_Modes(soft->patch, a), &soft->shapes[slot],
                                          &soft->shapes[other]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            soft->cross[other][slot].m[c][r] = W->m[r][c];
    soft->crossed[slot] |= UINT64_C(1) << other;
    soft->crossed[other] |= UINT64_C(1) << slot;
    return W;
}

// The displacement of the modes of every island by the forces of this tick, less the expected one.
static void findResponse(palToolSoft* soft, int count, const int* slots, const palVec3* forces)
{
    const palSoftPatch* patch = soft->patch;
    for (int i = 0; i < patch->islandCount; i++)
        memset(soft->response[i], 0, (size_t)patch->islands[i].count * sizeof(double));
    for (int i = 0; i < count; i++)
    {
        int island = patch->parts[soft->spots[slots[i]].part].island;
        palSoftPatch_AddPush(&patch->islands[island], &soft->shapes[slots[i]], forces[i],
                             soft->response[island]);
    }
    for (int i = 0; i < patch->islandCount; i++)
    {
        scaleResponse(&patch->islands[i], soft->response[i]);
        for (int m = 0; m < patch->islands[i].count; m++)
            soft->response[i][m] -= soft->expected[i][m];
    }
}

void palToolSoft_Respond(palToolSoft* soft, int count, const int* slots, const palVec3* forces)
{
    double longest = 0.0;
    findResponse(soft, count, slots, forces);
    for (int p = 0; p < soft->patch->partCount; p++)
        for (int i = 0; i < soft->nearCount; i++)
        {
            int v = soft->near[i];
            if (v < soft->patch->parts[p].vertexBegin || v >= soft->patch->parts[p].vertexEnd)
                continue;
            respond(soft, p, v);
            longest = fmax(longest, palLengthSquared(palSub(soft->end[v], soft->base[v])));
        }
    soft->yield = sqrt(longest);
}

// A place by vertices of the surface instead of those of the patch.
static palSurfacePlace placeOf(const palToolSoft* soft, const palSoftSpot* spot)
{
    const int* names = soft->patch->surfaceVertex;
    const int* v = spot->on.vertices;
    return palMakeTrianglePlace((const int[3]){names[v[0]], names[v[1]], names[v[2]]},
                                spot->on.weights);
}

void palToolSoft_Push(palToolSoft* soft, int count, const int* slots, const palVec3* forces)
{
    palSoftPush pushes[pal_softPushesMax];
    const palModeShape* shapes[pal_softPushesMax];
    double longest = 0.0;
    palToolSoft_Respond(soft, count, slots, forces);
    for (int i = 0; i < soft->nearCount; i++)
        longest = fmax(
            longest, palLengthSquared(palSub(soft->end[soft->near[i]], soft->old[soft->near[i]])));
    soft->way = sqrt(longest);
    for (int i = 0; i < count; i++)
    {
        const palSoftSpot* spot = &soft->spots[slots[i]];
        shapes[i] = &soft->shapes[slots[i]];
        pushes[i] = (palSoftPush){
            .object = soft->patch->parts[spot->part].object,
            .at = placeOf(soft, spot),
            .force = forces[i],
        };
    }
    palSoftContact_Push(soft->contact, soft->patch, soft->hand, pushes, count, shapes);
}

double palToolSoft_PointGap(const palToolSoft* soft, const palSoftSpot* spot, palVec3 x)
{
    palVec3 now = palSurfacePlace_Point(&spot->on, soft->end);
    palVec3 shift = palScale(soft->fade.next, palSurfacePlace_Point(&spot->on, soft->shift));
    palVec3 drift =
        palSub(palSub(now, shift), palSurfacePlace_Point(&spot->on, soft->patch->start));
    const double* q = palSoftMotion_Now(&soft->contact->motion, soft->patch, spot->part);
    return palSoftPatch_Gap(soft->patch, spot->part, q, palSub(x, shift), drift);
}
