// SPDX-License-Identifier: Apache-2.0
#include "body/island.h"

#include "base/error.h"
#include "body/island_space.h"
#include "body/reduction.h"
#include "linalg/block_many.h"

#include <cblas.h>
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
    islands->work = calloc(palReduction_WorkSize(), sizeof(double));
    bool isComplete = islands->parts && islands->islandOf && islands->islands &&
                      islands->bodyLists && islands->work;
    size_t turn = (size_t)pal_responseColumnsMax * pal_modesMax;
    for (size_t i = 0; i < count && isComplete; i++)
    {
        islands->islands[i].turn = calloc(turn, sizeof(double));
        isComplete = islands->islands[i].turn != NULL;
    }
    return isComplete ? pal_ok
                      : palError_Memory(error, "the islands of soft bodies",
                                        count * turn * sizeof(double));
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
            free(islands->islands[i].turn);
    }
    palGlue_Destroy(islands->glue);
    free(islands->parts);
    free(islands->islandOf);
    free(islands->islands);
    free(islands->bodyLists);
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
    int parent[pal_islandBodiesMax];
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

// y[mode] = Σ turn[column][mode] (V[column] · x), x stacked: right-hand side `right` of each body.
static void projectOnModes(const palIslands* islands, const palIsland* island, int right, double* y)
{
    int m = island->modes.count;
    double along[pal_responseColumnsMax];
    for (int j = 0; j < island->unitCount; j++)
    {
        const palResponse* part = palIslands_Part(islands, island, island->unitBody[j]);
        along[j] = island->unitScale[j] * palResponse_Right(part, right)[island->unitRow[j]];
    }
    for (int b = 0; b < island->bodyCount; b++)
    {
        const palResponse* part = palIslands_Part(islands, island, b);
        int n = (int)palResponse_Rows(part);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, island->denseCount, n, 1.0, part->V, n,
                    palResponse_Right(part, right), 1, b > 0 ? 1.0 : 0.0, along + island->unitCount,
                    1);
    }
    cblas_dgemv(CblasRowMajor, CblasTrans, island->unitCount + island->denseCount, m, 1.0,
                island->turn, m, along, 1, 0.0, y, 1);
}

static palReduction reductionOf(const palIslands* islands, const palIsland* island,
                                palReducedBody* bodies)
{
    for (int b = 0; b < island->bodyCount; b++)
    {
        const palResponse* part = palIslands_Part(islands, island, b);
        bodies[b] = (palReducedBody){&part->body->K, part->V, part->KV, part->W};
    }
    return (palReduction){
        .bodyCount = island->bodyCount,
        .bodies = bodies,
        .unitCount = island->unitCount,
        .unitBody = island->unitBody,
        .unitRow = island->unitRow,
        .unitScale = island->unitScale,
        .denseCount = island->denseCount,
        .work = islands->work,
    };
}

// K times the columns, and the modes. Returns how many there are.
static int findModes(palIslands* islands, palIsland* island)
{
    palReducedBody bodies[pal_islandBodiesMax];
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        palBlockMatrix_MultiplyMany(&part->body->K, NULL, island->denseCount, part->V, part->KV,
                                    palResponse_Rows(part), part->b);
    }
    palReduction reduction = reductionOf(islands, island, bodies);
    return palReduction_Diagonalise(&reduction, island->turn, island->modes.k);
}

// Whether A(h*) is positive definite as far as the modes show; k[0] is the least. Where it is not,
// large bodies take the safe tangent. Returns whether one did.
static bool takeSafeTangents(palIslands* islands, palIsland* island)
{
    double h = pal_responseStep;
    bool isTaken = false;
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        const palSoftBody* body = part->body;
        bool isDefinite =
            1.0 + h * body->alpha + (h * body->beta + h * h) * island->modes.k[0] > 0.0;
        if (!isDefinite && palSoftFactor_TakeSafeTangent(part->factor))
            isTaken = true;
    }
    return isTaken;
}

// Damping of the modes: Rayleigh's of each body by its share.
static void setDamping(palIslands* islands, palIsland* island, double h)
{
    palModes* modes = &island->modes;
    const palSoftBody* first = palIslands_Part(islands, island, 0)->body;
    bool isSame = true;
    for (int b = 1; b < island->bodyCount; b++)
    {
        const palSoftBody* body = palIslands_Part(islands, island, b)->body;
        isSame &= body->alpha == first->alpha && body->beta == first->beta;
    }
    palModes_SetStep(modes, h, first->alpha, first->beta);
    if (isSame)
        return;
    palReducedBody bodies[pal_islandBodiesMax];
    palReduction reduction = reductionOf(islands, island, bodies);
    memset(modes->d, 0, (size_t)modes->count * sizeof *modes->d);
    for (int b = 0; b < island->bodyCount; b++)
    {
        const palSoftBody* body = palIslands_Part(islands, island, b)->body;
        double mass[pal_modesMax], stiffness[pal_modesMax];
        palReduction_Shares(&reduction, b, island->turn, modes->count, mass, stiffness);
        for (int i = 0; i < modes->count; i++)
            modes->d[i] += body->alpha * mass[i] + body->beta * fmax(0.0, stiffness[i]);
    }
    palModes_SetTime(modes, h);
}

static bool buildIsland(palIslands* islands, int index, const palTouchedNodes* touched,
                        const palGlueRows* rows, double h)
{
    palIsland* island = &islands->islands[index];
    palModes* modes = &island->modes;
    modes->count = 0;
    island->rowCount = 0;
    if (rows != NULL && rows->count > 0 && islands->glue != NULL && island->factored)
    {
        island->rowCount =
            palGlue_Take(islands->glue, islands->parts, island->bodies, island->bodyCount, rows);
        islands->gluedIsland = index;
    }
    island->factored = island->factored && palIslands_CollectColumns(islands, island, touched);
    if (!island->factored)
        return false;
    int m = findModes(islands, island);
    if (m > 0 && takeSafeTangents(islands, island))
        m = findModes(islands, island);
    if (m == 0)
        return false;
    modes->count = m;
    for (int i = 0; i < m; i++)
        modes->k[i] = fmax(0.0, modes->k[i]); // rounding of rigid motions
    setDamping(islands, island, h);

    // g and the velocity at the start; v is one of the columns, so that nothing of it is lost but
    // what ties forbid.
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        memcpy(palResponse_Right(part, 0), part->body->force,
               palResponse_Rows(part) * sizeof(double));
        palSoftBody_Velocities(part->body, palResponse_Right(part, 1));
        palResponse_MassTimes(part, palResponse_Right(part, 1), palResponse_Right(part, 1));
    }
    projectOnModes(islands, island, 0, modes->g);
    projectOnModes(islands, island, 1, modes->v0);
    return true;
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
            part->factor->now = now;
            island->factored &= palSoftFactor_Prepare(part->factor, pal_responseStep, false);
        }
        failures += !buildIsland(islands, i, touched, rows, h);
    }
    return failures;
}

void palIslands_NodeShape(const palIslands* islands, int body, int node, palModeShape* shape)
{
    const palIsland* island = &islands->islands[islands->islandOf[body]];
    const palResponse* part = islands->parts[body];
    int row = part->body->freeIndex[node];
    int m = island->modes.count;
    int units = island->unitCount;
    for (int c = 0; c < 3; c++)
    {
        double* b = shape->b[c];
        memset(b, 0, (size_t)m * sizeof *b);
        for (int j = 0; row >= 0 && j < units; j++)
        {
            bool isHere =
                island->bodies[island->unitBody[j]] == body && island->unitRow[j] == 3 * row + c;
            for (int i = 0; i < m && isHere; i++)
                b[i] += island->unitScale[j] * island->turn[j * m + i];
        }
        for (int j = 0; row >= 0 && j < island->denseCount; j++)
        {
            double value = palResponse_Column(part, j)[3 * row + c];
            for (int i = 0; i < m; i++)
                b[i] += value * island->turn[(units + j) * m + i];
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Motion

// Σ columns · (turn · coefficients), into right-hand side `right` of each body.
static void expand(palIslands* islands, const palIsland* island, const double* coefficients,
                   int right)
{
    int m = island->modes.count;
    double along[pal_responseColumnsMax];
    cblas_dgemv(CblasRowMajor, CblasNoTrans, island->unitCount + island->denseCount, m, 1.0,
                island->turn, m, coefficients, 1, 0.0, along, 1);
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        int n = (int)palResponse_Rows(part);
        cblas_dgemv(CblasRowMajor, CblasTrans, island->denseCount, n, 1.0, part->V, n,
                    along + island->unitCount, 1, 0.0, palResponse_Right(part, right), 1);
    }
    for (int j = 0; j < island->unitCount; j++)
    {
        palResponse* part = palIslands_Part(islands, island, island->unitBody[j]);
        palResponse_Right(part, right)[island->unitRow[j]] += island->unitScale[j] * along[j];
    }
}

void palIslands_Move(palIslands* islands, int index, const palModesState* state)
{
    const palIsland* island = &islands->islands[index];
    if (island->modes.count == 0)
        return;
    expand(islands, island, state->q, 0);
    expand(islands, island, state->v, 1);
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        palSoftBody_Move(part->body, palResponse_Right(part, 0), palResponse_Right(part, 1));
    }
}

// The mean over the time T of what the ties have to balance, with x and v from the start of it and
// the forces f at the start:
//
//     f + f_contact - K (x̄ + β Δx/T) - α M Δx/T - M Δv/T  =  -Cᵀ λ̄
//
// in right-hand side 0; x̄, Δx and Δv are in 0 to 2.
static void findImbalance(palResponse* part, double seconds, const double* contact)
{
    const palSoftBody* body = part->body;
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
        double momentum = part->mass[i / 3] * (body->alpha * moved[i] + faster[i]) / seconds;
        mean[i] = body->force[i] + (contact != NULL ? contact[i] : 0.0) - product[i] - momentum;
    }
}

void palIslands_Reaction(palIslands* islands, int index, const palGlueRows* rows,
                         const palIslandReplay* replay, double* lambda)
{
    palIsland* island = &islands->islands[index];
    double faster[pal_modesMax];
    if (island->modes.count == 0 || island->rowCount == 0 || !(replay->seconds > 0.0))
        return;
    if (islands->gluedIsland != index)
        palGlue_Take(islands->glue, islands->parts, island->bodies, island->bodyCount, rows);
    islands->gluedIsland = index;
    for (int i = 0; i < island->modes.count; i++)
        faster[i] = replay->end.v[i] - island->modes.v0[i];
    expand(islands, island, replay->meanPlace, 0);
    expand(islands, island, replay->end.q, 1);
    expand(islands, island, faster, 2);
    for (int b = 0; b < island->bodyCount; b++)
        findImbalance(palIslands_Part(islands, island, b), replay->seconds,
                      replay->contact != NULL ? replay->contact[b] : NULL);
    palGlue_Reaction(islands->glue, islands->parts, island->bodies, island->bodyCount, 0, lambda);
}
