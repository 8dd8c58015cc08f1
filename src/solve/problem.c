// SPDX-License-Identifier: Apache-2.0
#include "solve/problem.h"

#include "base/error.h"

#include <math.h>

static const char* const lawNames[] = {"unilateral", "bilateral", "box",
                                       "pyramid",    "cone",      "torsion"};
static const int lawCount = sizeof lawNames / sizeof lawNames[0];

const char* palLawName(palLaw law)
{
    return (int)law >= 0 && (int)law < lawCount ? lawNames[law] : NULL;
}

// The numbers of rows that a law allows; *most = 0: no limit.
static void lawSizes(palLaw law, int* least, int* rowsMax)
{
    *least = law == pal_lawTorsion ? 4 : law >= pal_lawPyramid ? 2 : 1;
    *rowsMax = law == pal_lawTorsion ? 4 : law >= pal_lawPyramid ? 3 : 0;
}

static palResult checkBlock(const palContactBlock* block, int index, int row, palError* error)
{
    const char* name = palLawName(block->law);
    if (name == NULL)
        return palError_Set(error, pal_errorInput, "block %d: unknown law %d", index, block->law);
    int least, rowsMax;
    lawSizes(block->law, &least, &rowsMax);
    if (block->row != row)
        return palError_Set(error, pal_errorInput,
                            "block %d starts at row %d, but the previous block ends at row %d",
                            index, block->row, row);
    if (block->size < least || (rowsMax > 0 && block->size > rowsMax))
        return palError_Set(error, pal_errorInput, "block %d: %d rows do not fit the law %s", index,
                            block->size, name);
    bool friction = block->law >= pal_lawPyramid;
    if (friction && !(block->mu >= 0.0 && isfinite(block->mu)))
        return palError_Set(error, pal_errorInput,
                            "block %d: friction coefficient %g must be 0 or more", index,
                            block->mu);
    if (block->law == pal_lawTorsion && !(block->radius >= 0.0 && isfinite(block->radius)))
        return palError_Set(error, pal_errorInput, "block %d: torsion radius %g must be 0 or more",
                            index, block->radius);
    if (block->law == pal_lawBox &&
        !(block->low <= block->high && block->low < INFINITY && block->high > -INFINITY))
        return palError_Set(error, pal_errorInput, "block %d: bounds %g and %g are not an interval",
                            index, block->low, block->high);
    return pal_ok;
}

palResult palContactProblem_Check(const palContactProblem* problem, palError* error)
{
    if (problem->rows < 0 || problem->blockCount < 0 || problem->stride < problem->rows)
        return palError_Set(error, pal_errorInput,
                            "invalid size: %d rows with a stride of %d and %d blocks",
                            problem->rows, problem->stride, problem->blockCount);
    int row = 0;
    for (int i = 0; i < problem->blockCount; i++)
    {
        palResult result = checkBlock(&problem->blocks[i], i, row, error);
        if (result != pal_ok)
            return result;
        if (problem->blocks[i].size > problem->rows - row)
            return palError_Set(error, pal_errorInput,
                                "block %d extends beyond the last of %d rows", i, problem->rows);
        row += problem->blocks[i].size;
    }
    if (row != problem->rows)
        return palError_Set(error, pal_errorInput, "the blocks cover %d of %d rows", row,
                            problem->rows);
    return pal_ok;
}

bool palContactProblem_IsLinear(const palContactProblem* problem)
{
    for (int i = 0; i < problem->blockCount; i++)
        if (problem->blocks[i].law >= pal_lawPyramid)
            return false;
    return true;
}

double palContactProblem_LeastDiagonal(const palContactProblem* problem)
{
    double largest = 0.0;
    for (int i = 0; i < problem->rows; i++)
    {
        double d = problem->W[(size_t)i * ((size_t)problem->stride + 1)];
        largest = d > largest || isnan(d) ? d : largest;
    }
    return 1e-14 * largest;
}

// The scale of a row's natural map: Wii; the row's largest entry if the diagonal is zero but the
// row is not (such a matrix is not a compliance); 0 if the whole row is zero.
static double rowDiagonal(const palContactProblem* problem, int row, double least)
{
    const double* W = problem->W + (size_t)row * (size_t)problem->stride;
    if (W[row] > least || isnan(W[row]))
        return W[row];
    double largest = 0.0;
    for (int j = 0; j < problem->rows; j++)
        largest = fmax(largest, fabs(W[j]));
    return largest > least ? largest : 0.0;
}

static const palUnitKind unitKinds[] = {
    [pal_lawUnilateral] = pal_unitUnilateral,
    [pal_lawBilateral] = pal_unitBilateral,
    [pal_lawBox] = pal_unitBox,
    [pal_lawPyramid] = pal_unitPyramid,
    [pal_lawCone] = pal_unitCone,
    [pal_lawTorsion] = pal_unitCone,
};

palUnit palMakeUnit(const palContactBlock* block, int offset)
{
    int remaining = block->size - offset;
    bool friction = block->law >= pal_lawPyramid;
    bool isGroup = friction || block->law == pal_lawBilateral;
    palUnit unit = {
        .kind = unitKinds[block->law],
        .row = block->row + offset,
        .size = !isGroup                      ? 1
                : remaining < pal_unitMaxRows ? remaining
                                              : pal_unitMaxRows,
        .mu = friction ? block->mu : 0.0,
        .low = block->law == pal_lawBilateral ? -INFINITY : 0.0,
        .high = INFINITY,
    };
    if (block->law == pal_lawBox)
    {
        unit.low = block->low;
        unit.high = block->high;
    }
    return unit;
}

double palContactBlock_RowScale(const palContactBlock* block, int offset)
{
    return block->law == pal_lawTorsion && offset == 3 ? block->radius : 1.0;
}

void palUnit_Measure(palUnit* unit, double first, double least, double* diagonal)
{
    bool friction = unit->kind == pal_unitPyramid || unit->kind == pal_unitCone;
    for (int i = 0; i < unit->size; i++)
        unit->w = diagonal[i] > unit->w || isnan(diagonal[i]) ? diagonal[i] : unit->w;
    unit->immovable = unit->w == 0.0 || (friction && first <= least);
    if (friction && unit->immovable)
        diagonal[0] = 0.0;
}

void palContactProblem_Unit(const palContactProblem* problem, const palContactBlock* block,
                            int offset, double least, palUnit* unit, double* scale,
                            double* diagonal)
{
    *unit = palMakeUnit(block, offset);
    for (int i = 0; i < unit->size; i++)
    {
        scale[i] = palContactBlock_RowScale(block, offset + i);
        diagonal[i] = rowDiagonal(problem, unit->row + i, least) * scale[i] * scale[i];
    }
    size_t first = (size_t)unit->row * ((size_t)problem->stride + 1);
    palUnit_Measure(unit, problem->W[first], least, diagonal);
}

double palContactBlock_GapScale(const palContactBlock* block, int offset, double gapFree, double w)
{
    double largest = palContactBlock_RowScale(block, offset) * fabs(gapFree);
    double forced = block->law == pal_lawBox ? fmax(fmax(block->low, -block->high), 0.0) : 0.0;
    return forced > 0.0 ? fmax(largest, forced * w) : largest;
}

double palContactProblem_Scale(const palContactProblem* problem)
{
    double largest = 0.0;
    for (int b = 0; b < problem->blockCount; b++)
    {
        const palContactBlock* block = &problem->blocks[b];
        for (int i = 0; i < block->size; i++)
        {
            size_t row = (size_t)(block->row + i);
            double w = problem->W[row * ((size_t)problem->stride + 1)];
            largest = fmax(largest, palContactBlock_GapScale(block, i, problem->gapFree[row], w));
        }
    }
    return largest;
}
