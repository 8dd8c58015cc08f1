// SPDX-License-Identifier: Apache-2.0
#include "body/island.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)pal_responseColumnsMax <= (int)pal_shapeModesMax, "a mode for every column");

// ---------------------------------------------------------------------------------------------
// Making

static palResult allocate(palIslands* islands, palError* error)
{
    size_t count = (size_t)islands->bodyCount;
    islands->parts = calloc(count, sizeof *islands->parts);
    islands->islandOf = calloc(count, sizeof *islands->islandOf);
    islands->islands = calloc(count, sizeof *islands->islands);
    islands->bodyLists = calloc(count, sizeof *islands->bodyLists);
    islands->columnLists = calloc(count, sizeof *islands->columnLists);
    islands->parents = calloc(count, sizeof *islands->parents);
    islands->shares = calloc(count, sizeof *islands->shares);
    islands->contacts = calloc(count, sizeof *islands->contacts);
    islands->work = malloc(palReduction_WorkSize(pal_responseColumnsMax) * sizeof(double));
    if (!islands->parts || !islands->islandOf || !islands->islands || !islands->bodyLists ||
        !islands->columnLists || !islands->parents || !islands->shares || !islands->contacts ||
        !islands->work)
        return palError_Memory(error, "the islands of soft bodies",
                               count * sizeof *islands->islands);
    palResult result = pal_ok;
    for (size_t i = 0; i < count && result == pal_ok; i++)
        result = palReduction_Init(&islands->islands[i].reduction, pal_responseColumnsMax,
                                   islands->work, error);
    return result;
}

palResult palIslands_Create(const palIslandsDef* def, palIslands** islands, palError* error)
{
    *islands = NULL;
    palIslands* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the islands of soft bodies", sizeof *created);
    created->bodyCount = def->bodyCount;
    int nodes = def->nodes > 0 ? def->nodes : pal_responseNodes;
    palResult result = allocate(created, error);
    for (int i = 0; i < def->bodyCount && result == pal_ok; i++)
        result = palResponse_Create(&def->factor, def->bodies[i], nodes, def->maxRows > 0,
                                    &created->parts[i], error);
    if (result == pal_ok && def->maxRows > 0)
        result = palGlue_Create(created->parts, def->bodyCount, def->maxRows, def->maxEntries,
                                &created->glue, error);
    if (result != pal_ok)
    {
        palIslands_Destroy(created);
        return result;
    }
    *islands = created;
    return pal_ok;
}

void palIslands_Destroy(palIslands* islands)
{
    if (islands == NULL)
        return;
    for (int i = 0; i < islands->bodyCount; i++)
    {
        if (islands->parts != NULL)
            palResponse_Destroy(islands->parts[i]);
        if (islands->islands != NULL)
            palReduction_Free(&islands->islands[i].reduction);
    }
    palGlue_Destroy(islands->glue);
    free(islands->parts);
    free(islands->islandOf);
    free(islands->islands);
    free(islands->bodyLists);
    free(islands->columnLists);
    free(islands->parents);
    free(islands->shares);
    free(islands->contacts);
    free(islands->work);
    free(islands);
}

// ---------------------------------------------------------------------------------------------
// Which bodies belong together

// The least body that a body is tied to, over any number of others.
static int rootOf(const int* parent, int body)
{
    while (parent[body] != body)
        body = parent[body];
    return body;
}

static void join(int* parent, int a, int b)
{
    a = rootOf(parent, a);
    b = rootOf(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

// Every body an island of its own, then joined by the rows. Lists are in the order of the bodies.
static void formIslands(palIslands* islands, const palGlueRows* rows)
{
    int* parent = islands->parents;
    for (int i = 0; i < islands->bodyCount; i++)
        parent[i] = i;
    for (int r = 0; rows != NULL && r < rows->count; r++)
        for (int e = rows->start[r] + 1; e < rows->start[r + 1]; e++)
            join(parent, rows->bodies[rows->start[r]], rows->bodies[e]);
    int* next = islands->bodyLists;
    islands->islandCount = 0;
    for (int root = 0; root < islands->bodyCount; root++)
    {
        if (rootOf(parent, root) != root)
            continue;
        palIsland* island = &islands->islands[islands->islandCount];
        island->bodies = next;
        island->bodyCount = 0;
        for (int i = root; i < islands->bodyCount; i++)
        {
            if (rootOf(parent, i) != root)
                continue;
            islands->islandOf[i] = islands->islandCount;
            island->bodies[island->bodyCount++] = i;
        }
        next += island->bodyCount;
        islands->islandCount++;
    }
}

// ---------------------------------------------------------------------------------------------
// Modes

// The bodies of an island for its reduction.
static void listColumns(palIslands* islands, palIsland* island)
{
    palReduction* reduction = &island->reduction;
    reduction->bodies = islands->columnLists + (island->bodies - islands->bodyLists);
    reduction->bodyCount = island->bodyCount;
    for (int b = 0; b < island->bodyCount; b++)
        reduction->bodies[b] = &palIslands_Part(islands, island, b)->columns;
}

static bool buildIsland(palIslands* islands, int index, const palTouchedNodes* touched,
                        const palGlueRows* rows, double h)
{
    palIsland* island = &islands->islands[index];
    palReduction* reduction = &island->reduction;
    reduction->modes.count = reduction->modes.rubCount = 0;
    listColumns(islands, island);
    island->rowCount = 0;
    if (rows != NULL && rows->count > 0 && islands->glue != NULL && island->factored)
    {
        island->rowCount =
            palGlue_Take(islands->glue, islands->parts, island->bodies, island->bodyCount, rows);
        islands->gluedIsland = index;
    }
    island->factored = island->factored && palIslands_CollectColumns(islands, island, touched);
    return island->factored && palReduction_FindModes(reduction, h);
}

int palIslands_Build(palIslands* islands, const palTouchedNodes* touched, const palGlueRows* rows,
                     double h, double now)
{
    int failures = 0;
    formIslands(islands, rows);
    islands->gluedIsland = -1;
    for (int i = 0; i < islands->islandCount; i++)
    {
        palIsland* island = &islands->islands[i];
        island->factored = true;
        for (int b = 0; b < island->bodyCount; b++)
        {
            palResponse* part = palIslands_Part(islands, island, b);
            part->soft.factor->now = now;
            island->factored &= palSoftFactor_Prepare(part->soft.factor, pal_reductionStep, false);
        }
        failures += !buildIsland(islands, i, touched, rows, h);
    }
    return failures;
}

// The place of a body among those of its island.
static int placeIn(const palIsland* island, int body)
{
    int place = 0;
    while (island->bodies[place] != body)
        place++;
    return place;
}

void palIslands_NodeShape(const palIslands* islands, int body, int node, palModeShape* shape)
{
    const palIsland* island = &islands->islands[islands->islandOf[body]];
    int free = islands->parts[body]->soft.body->freeIndex[node];
    for (int c = 0; c < 3; c++)
    {
        palSparseRow row; // of one entry, or none where the node is held
        row.count = free >= 0;
        row.index[0] = 3 * free + c;
        row.value[0] = 1.0;
        palReduction_Project(&island->reduction, placeIn(island, body), &row, shape->b[c]);
    }
}

// ---------------------------------------------------------------------------------------------
// Friction

// How the modes of an island move a row. Returns false where it is not of its bodies alone.
static bool projectRow(const palIslands* islands, int index, const palGlueRows* rows, int r,
                       double* b)
{
    const palIsland* island = &islands->islands[index];
    int modes = island->reduction.modes.count;
    memset(b, 0, (size_t)modes * sizeof *b);
    for (int e = rows->start[r]; e < rows->start[r + 1];)
    {
        int body = rows->bodies[e];
        double part[pal_shapeModesMax];
        palSparseRow row;
        row.count = 0;
        if (islands->islandOf[body] != index)
            return false;
        for (; e < rows->start[r + 1] && rows->bodies[e] == body &&
               row.count + 3 <= pal_rowEntriesMax;
             e++)
        {
            int free = islands->parts[body]->soft.body->freeIndex[rows->nodes[e]];
            const double value[3] = {rows->values[e].x, rows->values[e].y, rows->values[e].z};
            for (int c = 0; c < 3 && free >= 0; c++)
            {
                row.index[row.count] = 3 * free + c;
                row.value[row.count++] = value[c];
            }
        }
        palReduction_Project(&island->reduction, placeIn(island, body), &row, part);
        for (int i = 0; i < modes; i++)
            b[i] += part[i];
    }
    return true;
}

void palIslands_AddRubs(palIslands* islands, const palRubs* rubs)
{
    for (int k = 0; k < rubs->count; k++)
    {
        int row = pal_rubRows * k, first = rubs->rows.start[row];
        if (first == rubs->rows.start[row + 1])
            continue;
        int index = islands->islandOf[rubs->rows.bodies[first]];
        palModes* modes = &islands->islands[index].reduction.modes;
        if (modes->count == 0 || modes->rubCount == pal_rubsMax)
            continue;
        palModesRub* rub = &modes->rubs[modes->rubCount];
        bool isWhole = true;
        rub->w = 0.0;
        for (int r = 0; r < pal_rubRows; r++)
        {
            double w = 0.0;
            isWhole = projectRow(islands, index, &rubs->rows, row + r, rub->b[r]) && isWhole;
            for (int i = 0; i < modes->count; i++)
                w += modes->h * modes->h * modes->a[i] * rub->b[r][i] * rub->b[r][i];
            rub->w = fmax(rub->w, w);
        }
        rub->limit = rubs->limits[k];
        rub->source = k;
        modes->rubCount += isWhole && rub->w > 0.0;
    }
}

// ---------------------------------------------------------------------------------------------
// Motion

void palIslands_Move(palIslands* islands, int index, const palModesState* state)
{
    palReduction_Move(&islands->islands[index].reduction, state);
}

// The mean over the time T of what the ties have to balance, with x and v from the start of it and
// the forces f at the start:
//
//     f + f_contact - K (x̄ + β Δx/T) - α M Δx/T - M Δv/T  =  -Cᵀ λ̄
//
// in right-hand side 0; x̄, Δx and Δv are in 0 to 2.
static void findImbalance(palResponse* part, double seconds, const double* contact)
{
    const palSoftBody* body = part->soft.body;
    size_t n = palResponse_Rows(part);
    double* mean = palResponse_Right(part, 0);
    double* moved = palResponse_Right(part, 1);
    double* faster = palResponse_Right(part, 2);
    double* product = palResponse_Right(part, 3);
    for (size_t i = 0; i < n; i++)
        mean[i] += body->beta / seconds * moved[i];
    palBlockMatrix_Multiply(&body->K, mean, product);
    for (size_t i = 0; i < n; i++)
    {
        double momentum = part->soft.mass[i / 3] * (body->alpha * moved[i] + faster[i]) / seconds;
        mean[i] = body->force[i] + (contact != NULL ? contact[i] : 0.0) - product[i] - momentum;
    }
}

void palIslands_Reaction(palIslands* islands, int index, const palGlueRows* rows,
                         const palIslandReplay* replay, double* lambda)
{
    const palIsland* island = &islands->islands[index];
    const palModes* modes = &island->reduction.modes;
    double faster[pal_modesMax];
    if (modes->count == 0 || island->rowCount == 0 || !(replay->seconds > 0.0))
        return;
    if (islands->gluedIsland != index)
        palGlue_Take(islands->glue, islands->parts, island->bodies, island->bodyCount, rows);
    islands->gluedIsland = index;
    for (int i = 0; i < modes->count; i++)
        faster[i] = replay->end->v[i] - modes->v0[i];
    palReduction_Expand(&island->reduction, replay->meanPlace, 0);
    palReduction_Expand(&island->reduction, replay->end->q, 1);
    palReduction_Expand(&island->reduction, faster, 2);
    for (int b = 0; b < island->bodyCount; b++)
        findImbalance(palIslands_Part(islands, island, b), replay->seconds,
                      replay->contact != NULL ? replay->contact[b] : NULL);
    palGlue_Reaction(islands->glue, islands->parts, island->bodies, island->bodyCount, 0, lambda);
}

void palIslands_Archive(palIslands* islands, palArchive* archive)
{
    int* bodies = islands->bodyLists;
    PAL_ARCHIVE(archive, islands->islandCount);
    PAL_ARCHIVE_ARRAY(archive, islands->islandOf, islands->bodyCount);
    PAL_ARCHIVE_ARRAY(archive, islands->bodyLists, islands->bodyCount);
    for (int i = 0; i < islands->islandCount; i++)
    {
        palIsland* island = &islands->islands[i];
        PAL_ARCHIVE(archive, island->bodyCount);
        PAL_ARCHIVE(archive, island->rowCount);
        PAL_ARCHIVE(archive, island->factored);
        island->bodies = bodies;
        bodies += island->bodyCount;
        listColumns(islands, island);
        palReduction_Archive(&island->reduction, archive);
        for (int b = 0; b < island->bodyCount; b++)
            palResponse_Archive(palIslands_Part(islands, island, b), island->reduction.denseCount,
                                archive);
    }
    if (archive->isRestoring)
        islands->gluedIsland = -1; // its rows are taken again
}
