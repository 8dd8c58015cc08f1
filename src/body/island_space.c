// SPDX-License-Identifier: Apache-2.0
#include "body/island.h"

#include <cblas.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Columns

static void clearRight(const palResponse* part, int right)
{
    memset(palResponse_Right(part, right), 0, palResponse_Rows(part) * sizeof(double));
}

static int answersOf(const palIslands* islands, const palIsland* island)
{
    int count = 0;
    for (int b = 0; b < island->bodyCount; b++)
        count += palIslands_Part(islands, island, b)->answerCount;
    return count;
}

// M Σ x1 for each direction, from right-hand side `first` on.
static void setMeans(const palIslands* islands, const palIsland* island, int first)
{
    int answers = answersOf(islands, island);
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        int n = (int)palResponse_Rows(part);
        for (int c = 0; c < 3; c++)
        {
            double* sum = palResponse_Right(part, first + c);
            memset(sum, 0, (size_t)n * sizeof *sum);
            for (int i = 0; i < answers; i++)
                cblas_daxpy(n, 1.0, palResponse_Column(part, pal_answersColumn + 3 * i + c), 1, sum,
                            1);
            palResponse_MassTimes(part, sum, sum);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Solves

static bool isGlued(const palIsland* island)
{
    return island->rowCount > 0;
}

// The answers x1 of one body, as they are without ties, in the right-hand sides of the island's
// answers; those of the others are zero on it. The free motion is right-hand side 0.
static bool solvePart(palResponse* part, const palShareOfTouch* share, int answers,
                      const double* contact)
{
    int first = 1 + 3 * share->firstAnswer;
    int own = 3 * part->answerCount;
    bool isLarge = palResponse_IsLarge(part);
    bool isFinite = true;
    if (isLarge)
        isFinite = palResponse_SolveFree(part, contact);
    else
        palResponse_SetUnbalanced(part, contact, palResponse_Right(part, 0));
    palResponse_SetUnitForces(part, first, share->chosen, share->chosenCount);
    if (!isLarge && first == 1)
        palResponse_Solve(part, palResponse_Right(part, 0), 1 + own);
    else
    {
        if (!isLarge)
            palResponse_Solve(part, palResponse_Right(part, 0), 1);
        palResponse_Solve(part, palResponse_Right(part, first), 3 * share->chosenCount);
    }
    if (isLarge)
    {
        palResponse_KeepAnswers(part, first, share->chosen, share->chosenCount);
        for (int k = 0; k < own; k++)
            palResponse_KeptAnswer(part, k, palResponse_Right(part, first + k));
    }
    for (int k = 1; k < 1 + 3 * answers; k++)
        if (k < first || k >= first + own)
            clearRight(part, k);
    return isFinite;
}

static void project(palIslands* islands, const palIsland* island, int vectors)
{
    if (isGlued(island))
        palGlue_Project(islands->glue, islands->parts, island->bodies, island->bodyCount, 0,
                        vectors);
}

// Few iterations of conjugate gradients leave a share of what they are given: of large bodies what
// the ties balance is taken off before. contacts[b] is then the contact force less that.
static void balanceTies(palIslands* islands, const palIsland* island,
                        const palTouchedNodes* touched, const double** contacts)
{
    bool isAnyLarge = false;
    for (int b = 0; b < island->bodyCount; b++)
    {
        contacts[b] = touched[island->bodies[b]].contact;
        isAnyLarge |= palResponse_IsLarge(palIslands_Part(islands, island, b));
    }
    if (!isAnyLarge || !isGlued(island))
        return;
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        palResponse_SetUnbalanced(part, contacts[b], palResponse_Right(part, 0));
        palResponse_Solve(part, palResponse_Right(part, 0), 1);
    }
    palGlue_Balance(islands->glue, islands->parts, island->bodies, island->bodyCount, 0);
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        double* less = palResponse_Column(part, pal_freeColumn);
        const double* tied = palResponse_Right(part, 0);
        for (size_t i = 0; i < palResponse_Rows(part); i++)
            less[i] = (contacts[b] != NULL ? contacts[b][i] : 0.0) - tied[i];
        contacts[b] = less;
    }
}

// The answers and the free motion, then their successors in right-hand sides 0 to 3.
static bool solveAll(palIslands* islands, const palIsland* island, const palShareOfTouch* shares,
                     const palTouchedNodes* touched)
{
    int answers = answersOf(islands, island);
    bool isFinite = true;
    const double** contacts = islands->contacts;
    balanceTies(islands, island, touched, contacts);
    for (int b = 0; b < island->bodyCount; b++)
        isFinite &=
            solvePart(palIslands_Part(islands, island, b), &shares[b], answers, contacts[b]);
    if (!isFinite)
        return false;
    project(islands, island, 1 + 3 * answers);
    palReduction_Store(&island->reduction, pal_freeColumn, 0);
    for (int k = 0; k < 3 * answers; k++)
        palReduction_Store(&island->reduction, pal_answersColumn + k, 1 + k);
    setMeans(islands, island, 1);
    int successors = answers > 0 ? 4 : 1;
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        palResponse_MassTimes(part, palResponse_Column(part, pal_freeColumn),
                              palResponse_Right(part, 0));
        palResponse_Solve(part, palResponse_Right(part, 0), successors);
    }
    project(islands, island, successors);
    return true;
}

// A large body that nothing ties: the free motion, then the rest side by side, with the sums of x1
// of the last step. Where most of the touch is new those are of other nodes, and x2 is solved after
// x1.
static bool solveLarge(palIslands* islands, const palIsland* island, const palShareOfTouch* share,
                       const double* contact)
{
    palResponse* part = palIslands_Part(islands, island, 0);
    int successors = 4, count = share->chosenCount;
    if (!palResponse_SolveFree(part, contact))
        return false;
    palReduction_Store(&island->reduction, pal_freeColumn, 0);
    palResponse_MassTimes(part, palResponse_Column(part, pal_freeColumn),
                          palResponse_Right(part, 0));
    setMeans(islands, island, 1);
    palResponse_SetUnitForces(part, successors, share->chosen, count);
    palResponse_Solve(part, palResponse_Right(part, 0), successors + 3 * count);
    palResponse_KeepAnswers(part, successors, share->chosen, count);
    for (int k = 0; k < 3 * part->answerCount; k++)
    {
        palResponse_KeptAnswer(part, k, palResponse_Right(part, successors));
        palReduction_Store(&island->reduction, pal_answersColumn + k, successors);
    }
    if (count <= pal_answersAStep)
        return true;
    setMeans(islands, island, 1);
    palResponse_Solve(part, palResponse_Right(part, 1), 3);
    return true;
}

// ---------------------------------------------------------------------------------------------
// What is touched

// The nodes of each body: all that are given where it is alone, else as many as its share of the
// room.
static void shareTouch(palIslands* islands, const palIsland* island, const palTouchedNodes* touched,
                       palShareOfTouch* shares)
{
    int touchedBodies = 0, answers = 0;
    for (int b = 0; b < island->bodyCount; b++)
        touchedBodies += touched[island->bodies[b]].count > 0;
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        const palTouchedNodes* given = &touched[island->bodies[b]];
        int room = part->nodes / (touchedBodies > 0 ? touchedBodies : 1);
        palShareOfTouch* share = &shares[b];
        share->nodeCount = 0;
        for (int k = 0; k < given->count && share->nodeCount < room; k++)
            if (part->soft.body->freeIndex[given->nodes[k]] >= 0)
            {
                share->radii[share->nodeCount] = given->radii != NULL ? given->radii[k] : 0.0;
                share->nodes[share->nodeCount++] = given->nodes[k];
            }
        part->tip = given->tip;
        share->chosenCount = palResponse_ChooseAnswers(part, share->nodes, share->radii,
                                                       share->nodeCount, share->chosen);
        share->firstAnswer = answers;
        answers += part->answerCount;
    }
}

// The columns M⁻¹Jᵀ: one number each; of tied nodes brought to C x = 0, which makes them dense.
static void collectUnits(palIslands* islands, palIsland* island, const palShareOfTouch* shares)
{
    int column = pal_answersColumn + 3 * answersOf(islands, island);
    palReduction* reduction = &island->reduction;
    reduction->unitCount = 0;
    for (int b = 0; b < island->bodyCount; b++)
        for (int k = 0; k < shares[b].nodeCount; k++)
        {
            palResponse* part = palIslands_Part(islands, island, b);
            int row = part->soft.body->freeIndex[shares[b].nodes[k]];
            bool isTied =
                isGlued(island) && islands->glue->parts[island->bodies[b]].isTied[row] != 0;
            for (int c = 0; c < 3 && !isTied; c++)
            {
                int unit = reduction->unitCount++;
                reduction->unitBody[unit] = b;
                reduction->unitRow[unit] = 3 * row + c;
                reduction->unitScale[unit] = 1.0 / sqrt(part->soft.body->mass[shares[b].nodes[k]]);
            }
            for (int c = 0; c < 3 && isTied; c++)
            {
                for (int other = 0; other < island->bodyCount; other++)
                    clearRight(palIslands_Part(islands, island, other), 0);
                palResponse_Right(part, 0)[3 * row + c] = 1.0;
                palGlue_ProjectInstant(islands->glue, islands->parts, island->bodies,
                                       island->bodyCount, 0, 1);
                palReduction_Store(&island->reduction, column++, 0);
            }
        }
    reduction->denseCount = column;
}

bool palIslands_CollectColumns(palIslands* islands, palIsland* island,
                               const palTouchedNodes* touched)
{
    palShareOfTouch* shares = islands->shares;
    palResponse* first = palIslands_Part(islands, island, 0);
    bool isAlone = island->bodyCount == 1 && !isGlued(island);
    shareTouch(islands, island, touched, shares);
    bool isFinite =
        isAlone && palResponse_IsLarge(first)
            ? solveLarge(islands, island, &shares[0], touched[island->bodies[0]].contact)
            : solveAll(islands, island, shares, touched);
    if (!isFinite)
        return false;
    palReduction_Store(&island->reduction, pal_freeNextColumn, 0);
    for (int c = 0; c < 3; c++)
    {
        for (int b = 0; b < island->bodyCount && answersOf(islands, island) == 0; b++)
            clearRight(palIslands_Part(islands, island, b), 1 + c);
        palReduction_Store(&island->reduction, pal_meansColumn + c, 1 + c);
    }
    for (int b = 0; b < island->bodyCount; b++)
    {
        palResponse* part = palIslands_Part(islands, island, b);
        palSoftBody_Velocities(part->soft.body, palResponse_Right(part, 0));
        palSoftBody_Rigid(part->soft.body, palResponse_Right(part, 1), palResponse_Right(part, 2));
    }
    if (isGlued(island))
        palGlue_ProjectInstant(islands->glue, islands->parts, island->bodies, island->bodyCount, 0,
                               3);
    palReduction_Store(&island->reduction, pal_velocityColumn, 0);
    palReduction_Store(&island->reduction, pal_translationColumn, 1);
    palReduction_Store(&island->reduction, pal_rotationColumn, 2);
    collectUnits(islands, island, shares);
    return true;
}
