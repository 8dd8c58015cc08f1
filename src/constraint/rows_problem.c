// SPDX-License-Identifier: Apache-2.0
// The problem that is made of the rows of a step: which of them are in it, and its solution.
#include "constraint/rows.h"

#include <math.h>
#include <string.h>

//--------------------------------------------------------------------------------------------------
// What is off before anything is solved

// Rows without force and gap: where the failed wire has them is not known.
static void disableFailedLink(palRows* rows, int index)
{
    int first = rows->first[index];
    int end = first + palLink_Rows(rows->links[index]);
    for (int r = first; r < end; r++)
        rows->gap[r] = 0.0;
    for (int b = 0; b < rows->blockCount; b++)
    {
        palContactBlock* block = &rows->blocks[b];
        if (block->row >= first && block->row < end)
            *block = (palContactBlock){.law = pal_lawBox, .row = block->row, .size = block->size};
    }
}

// A deep contact need only come out by `recovery`.
static void limitRecovery(palRows* rows, int index)
{
    int row = rows->first[index];
    rows->gap[row] -= fmin(0.0, rows->present[row] + rows->recovery);
}

static void prepareLinks(palRows* rows)
{
    for (int i = 0; i < rows->linkCount; i++)
    {
        if (rows->deep[rows->first[i]])
            limitRecovery(rows, i);
        if (rows->failed[i])
            disableFailedLink(rows, i);
    }
}

//--------------------------------------------------------------------------------------------------
// Which rows are taken

// A block that may be left out: a contact, whose normal row is the first. Without force and with
// δ >= 0 there its law holds.
static bool isContact(const palContactBlock* block)
{
    return (block->law == pal_lawUnilateral && block->size == 1) || block->law == pal_lawCone ||
           block->law == pal_lawPyramid || block->law == pal_lawTorsion;
}

static bool isTaken(const palRows* rows, const palContactBlock* block)
{
    return rows->takenAs[block->row] >= 0;
}

static void mark(palRows* rows, const palContactBlock* block, bool taken)
{
    for (int r = block->row; r < block->row + block->size; r++)
        rows->takenAs[r] = taken ? 0 : -1;
}

// Numbers the rows that are marked.
static void number(palRows* rows)
{
    rows->takenCount = 0;
    for (int r = 0; r < rows->count; r++)
    {
        if (rows->takenAs[r] < 0)
            continue;
        rows->takenAs[r] = rows->takenCount;
        rows->taken[rows->takenCount++] = r;
    }
    rows->isPart = rows->takenCount < rows->count;
}

void palRows_ClearCompliance(palRows* rows)
{
    rows->stride = (rows->takenCount + 3) & ~3;
    memset(rows->W, 0, (size_t)rows->takenCount * (size_t)rows->stride * sizeof *rows->W);
    for (int r = 0; r < rows->takenCount; r++)
        rows->W[(size_t)r * ((size_t)rows->stride + 1)] = rows->softness[rows->taken[r]];
}

void palRows_TakeAll(palRows* rows)
{
    memset(rows->takenAs, 0, (size_t)rows->count * sizeof *rows->takenAs);
    number(rows);
    palRows_ClearCompliance(rows);
}

void palRows_TakeActive(palRows* rows)
{
    prepareLinks(rows);
    rows->round = 1;
    for (int b = 0; b < rows->blockCount; b++)
    {
        const palContactBlock* block = &rows->blocks[b];
        bool taken = !isContact(block) || rows->lambda[block->row] > 0.0;
        mark(rows, block, taken);
        if (!taken)
            memset(rows->lambda + block->row, 0, (size_t)block->size * sizeof *rows->lambda);
    }
    number(rows);
}

bool palRows_TakeClosed(palRows* rows)
{
    const palSolveSettings* settings = &rows->settings;
    double allowed = fmax(settings->tolerance * rows->info.scale, settings->accuracy);
    bool isAny = false;
    for (int b = 0; b < rows->blockCount && rows->isPart; b++)
    {
        const palContactBlock* block = &rows->blocks[b];
        if (isTaken(rows, block) || rows->gap[block->row] + rows->motion[block->row] >= -allowed)
            continue;
        mark(rows, block, true);
        isAny = true;
    }
    if (!isAny)
        return false;
    if (++rows->round > pal_rowsRounds)
        memset(rows->takenAs, 0, (size_t)rows->count * sizeof *rows->takenAs);
    number(rows);
    return true;
}

//--------------------------------------------------------------------------------------------------
// The problem

palContactProblem palRows_Problem(const palRows* rows)
{
    return (palContactProblem){
        .rows = rows->isPart ? rows->takenCount : rows->count,
        .blockCount = rows->isPart ? rows->blockOfCount : rows->blockCount,
        .stride = rows->stride,
        .W = rows->W,
        .gapFree = rows->isPart ? rows->gapOf : rows->gap,
        .blocks = rows->isPart ? rows->blockOf : rows->blocks,
    };
}

const double* palRows_ProblemLambda(const palRows* rows)
{
    return rows->isPart ? rows->lambdaOf : rows->lambda;
}

// What is taken, one behind the other.
static void gather(palRows* rows)
{
    for (int r = 0; r < rows->takenCount; r++)
    {
        rows->gapOf[r] = rows->gap[rows->taken[r]];
        rows->lambdaOf[r] = rows->lambda[rows->taken[r]];
    }
    rows->blockOfCount = 0;
    for (int b = 0; b < rows->blockCount; b++)
    {
        if (!isTaken(rows, &rows->blocks[b]))
            continue;
        palContactBlock* block = &rows->blockOf[rows->blockOfCount++];
        *block = rows->blocks[b];
        block->row = rows->takenAs[block->row];
    }
}

void palRows_Solve(palRows* rows)
{
    if (rows->round == 0)
        prepareLinks(rows);
    if (rows->isPart)
        gather(rows);
    palContactProblem problem = palRows_Problem(rows);
    double* lambda = rows->isPart ? rows->lambdaOf : rows->lambda;
    palContactProblem_Solve(&problem, &rows->settings, rows->workspace, lambda, &rows->info);
    for (int r = 0; r < rows->takenCount && rows->isPart; r++)
        rows->lambda[rows->taken[r]] = lambda[r];
}

double palRows_Gap(const palRows* rows, int row)
{
    const double* W = rows->W + (size_t)rows->takenAs[row] * (size_t)rows->stride;
    double gap = rows->gap[row];
    for (int c = 0; c < rows->takenCount; c++)
        gap += W[c] * rows->lambda[rows->taken[c]];
    return gap;
}
