// SPDX-License-Identifier: Apache-2.0
#include "solve/lemke.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

// The problem is written as  w = q + M z,  0 <= w ⊥ z >= 0, with free pairs for bilateral rows:
//
//     unilateral   w = δ, z = λ
//     low only     w = δ, z = λ − low
//     high only    w = −δ, z = high − λ
//     both         w = δ + v, z = λ − low, and a second pair for the upper bound:
//                  s = high − low − z >= 0  ⊥  v >= 0
//
// and stored as a dictionary: every basic variable is an affine function of the non-basic ones,
//
//     x_basic[i] = T[i][count + 1] + Σ_j T[i][j] x_nonbasic[j].
//
// Variable k < count is w_k, count + k is z_k, 2·count is the artificial variable z0 of column
// `count`. Gaps are divided by the problem's scale and compliances by the largest, so that the
// entries are about 1 and the thresholds below are relative.
//
// The free λ of bilateral rows are eliminated. Where their equations do not determine all of them,
// there are two ways:
//
//     split    every free λ is z − z' with two pairs, w = δ and w' = −δ: the matrix stays
//              semi-definite if it was, and such problems are solved if they have a solution
//              (Cottle, Pang and Stone, "The Linear Complementarity Problem", theorem 4.4.13)
//     borrow   pairs are exchanged, z basic and w not, that determine the free λ with them: in
//              circuits, whose matrices are not semi-definite, equations of currents are in rows of
//              voltages and the reverse
//
// Pivots that start from w end in a ray in games, although there are solutions. The method may
// start from any basis that has one variable of each pair; so others are tried, each with one or
// two pairs exchanged, if W is no compliance.
typedef struct palDictionary
{
    int count;         // pairs
    size_t stride;     // count + 2
    double* T;         // [count][stride]
    int* basic;        // [count]
    int* nonbasic;     // [count + 1]
    int* rowOf;        // [count]: the problem's row of a pair
    int* start;        // [count]: the variable of each pair that is basic before the first pivot
    bool* freePair;    // [count]
    int upper;         // pairs from here on are upper bounds
    int second;        // pairs from here on are of z' of free λ
    double forceScale; // λ = forceScale · z, N
    double gapScale;   // m
    const palRowKernels* kernels;
} palDictionary;

static const double tinyPivot = 1e-11;
static const double freeSlack = 1e-8; // residual of a dependent equation, relative to the scale

enum
{
    startsMax = 200, // bases that are tried
};

typedef struct palShift
{
    double sign;  // of z and w relative to λ and δ
    double start; // λ at z = 0, N
} palShift;

static palShift shiftOf(const palUnit* unit)
{
    if (unit->kind == pal_unitBilateral)
        return (palShift){1.0, 0.0};
    if (isinf(unit->low) && isinf(unit->high))
        return (palShift){1.0, 0.0};
    return isinf(unit->low) ? (palShift){-1.0, unit->high} : (palShift){1.0, unit->low};
}

static bool isFreeUnit(const palUnit* unit)
{
    return unit->kind == pal_unitBilateral || (isinf(unit->low) && isinf(unit->high));
}

typedef enum palPairs
{
    pairsOfRows,   // one per movable row
    pairsOfBounds, // of upper bounds
    pairsOfSplit,  // z' of free λ
} palPairs;

static void listPairs(const palSolveWorkspace* workspace, palPairs which, bool split,
                      palDictionary* dictionary)
{
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palUnit* unit = &workspace->units[u];
        bool both = unit->kind == pal_unitBox && !isinf(unit->low) && !isinf(unit->high);
        bool isListed = which == pairsOfRows || (which == pairsOfBounds ? both : isFreeUnit(unit));
        for (int i = 0; i < unit->size && !unit->immovable && isListed; i++)
        {
            dictionary->rowOf[dictionary->count] = unit->row + i;
            dictionary->freePair[dictionary->count] = isFreeUnit(unit) && !split;
            dictionary->count++;
        }
    }
}

// The rows of W, with forces and gaps as `shift` says by row of the problem.
static void fillRows(const palRun* run, palDictionary* dictionary, const palShift* shift)
{
    const palContactProblem* problem = run->problem;
    double compliance = dictionary->gapScale / dictionary->forceScale;
    for (int i = 0; i < dictionary->upper; i++)
    {
        int row = dictionary->rowOf[i];
        const double* W = problem->W + (size_t)row * (size_t)problem->stride;
        double* T = dictionary->T + (size_t)i * dictionary->stride;
        double q = problem->gapFree[row];
        for (int j = 0; j < problem->rows; j++)
            q += W[j] * shift[j].start;
        // The force of an immovable row is constant and part of the shift.
        for (int j = 0; j < dictionary->upper; j++)
            T[j] = shift[row].sign * shift[dictionary->rowOf[j]].sign * W[dictionary->rowOf[j]] /
                   compliance;
        T[dictionary->count + 1] = shift[row].sign * q / dictionary->gapScale;
    }
}

static int pairOfRow(const palDictionary* dictionary, int row)
{
    int pair = 0;
    while (dictionary->rowOf[pair] != row)
        pair++;
    return pair;
}

static void fillBounds(const palSolveWorkspace* workspace, palDictionary* dictionary)
{
    for (int k = dictionary->upper; k < dictionary->second; k++)
    {
        int row = dictionary->rowOf[k];
        int pair = pairOfRow(dictionary, row);
        const palUnit* unit = workspace->units;
        while (unit->row != row)
            unit++;
        dictionary->T[(size_t)pair * dictionary->stride + (size_t)k] = 1.0;
        dictionary->T[(size_t)k * dictionary->stride + (size_t)pair] = -1.0;
        dictionary->T[(size_t)k * dictionary->stride + (size_t)dictionary->count + 1] =
            (unit->high - unit->low) / dictionary->forceScale;
    }
}

// A second pair of a free λ: its column is the negative of that of the first, then its row.
static void fillSplit(palDictionary* dictionary)
{
    for (int k = dictionary->second; k < dictionary->count; k++)
    {
        int pair = pairOfRow(dictionary, dictionary->rowOf[k]);
        for (int i = 0; i < dictionary->second; i++)
        {
            double* T = dictionary->T + (size_t)i * dictionary->stride;
            T[k] = -T[pair];
        }
    }
    for (int k = dictionary->second; k < dictionary->count; k++)
    {
        int pair = pairOfRow(dictionary, dictionary->rowOf[k]);
        const double* first = dictionary->T + (size_t)pair * dictionary->stride;
        double* T = dictionary->T + (size_t)k * dictionary->stride;
        for (size_t j = 0; j < dictionary->stride; j++)
            T[j] = -first[j];
    }
}

// Exchanges basic row r with non-basic column c.
static void pivot(palDictionary* dictionary, int r, int c)
{
    size_t stride = dictionary->stride;
    double* row = dictionary->T + (size_t)r * stride;
    double p = 1.0 / row[c];
    for (size_t j = 0; j < stride; j++)
        row[j] *= -p;
    row[c] = p;
    for (int i = 0; i < dictionary->count; i++)
    {
        double* other = dictionary->T + (size_t)i * stride;
        double factor = other[c];
        if (i == r || factor == 0.0)
            continue;
        other[c] = 0.0;
        dictionary->kernels->add((int)stride, 1, row, stride, &factor, other);
    }
    int entering = dictionary->nonbasic[c];
    dictionary->nonbasic[c] = dictionary->basic[r];
    dictionary->basic[r] = entering;
}

static bool isFree(const palDictionary* dictionary, int variable)
{
    int count = dictionary->count;
    return variable < 2 * count && dictionary->freePair[variable % count];
}

static bool isLate(const palRun* run)
{
    return run->deadline != 0 && palClock_Now() >= run->deadline;
}

static double* rowAt(const palDictionary* dictionary, int i)
{
    return dictionary->T + (size_t)i * dictionary->stride;
}

// Whether row i is the equation of a bilateral row that determines no variable yet.
static bool isOpenEquation(const palDictionary* dictionary, int i)
{
    return isFree(dictionary, dictionary->basic[i]) && dictionary->basic[i] < dictionary->count;
}

// Whether column c is a free λ that no equation determines yet.
static bool isOpenForce(const palDictionary* dictionary, int c)
{
    int variable = dictionary->nonbasic[c];
    return isFree(dictionary, variable) && variable >= dictionary->count;
}

// Brings the free λ of the bilateral rows into the basis, largest pivot first.
static palLemkeEnd eliminateFree(const palRun* run, palDictionary* dictionary)
{
    int count = dictionary->count;
    for (;;)
    {
        if (isLate(run))
            return pal_lemkeBudget;
        int r = -1, c = -1;
        double largest = tinyPivot;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count && isOpenEquation(dictionary, i); j++)
            {
                double size = fabs(rowAt(dictionary, i)[j]);
                if (isOpenForce(dictionary, j) && size > largest)
                {
                    largest = size;
                    r = i;
                    c = j;
                }
            }
        if (r < 0)
            return pal_lemkeSolved;
        pivot(dictionary, r, c);
    }
}

// The equations that are left hold by themselves; or they need forces of other rows, which only a
// matrix that is not a compliance has: *needsOthers; or there is no solution.
static palLemkeEnd judgeRemaining(const palDictionary* dictionary, bool* needsOthers)
{
    int count = dictionary->count;
    palLemkeEnd end = pal_lemkeSolved;
    for (int i = 0; i < count; i++)
    {
        if (!isOpenEquation(dictionary, i))
            continue;
        const double* row = rowAt(dictionary, i);
        if (fabs(row[count + 1]) > freeSlack)
            end = pal_lemkeRay;
        for (int j = 0; j < count; j++)
            *needsOthers = *needsOthers || (!isFree(dictionary, dictionary->nonbasic[j]) &&
                                            fabs(row[j]) > freeSlack);
    }
    return end;
}

static int findBasic(const palDictionary* dictionary, int variable)
{
    int i = 0;
    while (i < dictionary->count && dictionary->basic[i] != variable)
        i++;
    return i;
}

static int findNonbasic(const palDictionary* dictionary, int variable)
{
    int c = 0;
    while (c <= dictionary->count && dictionary->nonbasic[c] != variable)
        c++;
    return c;
}

// Exchanges one pair for each equation that is left: its z takes the equation, and a free λ that is
// left takes the row of its w. False if no pair does.
static bool borrowPairs(palDictionary* dictionary)
{
    int count = dictionary->count;
    for (;;)
    {
        int equation = 0;
        while (equation < count && !isOpenEquation(dictionary, equation))
            equation++;
        if (equation == count)
            return true;
        int bestPair = -1, bestForce = -1;
        double largest = tinyPivot;
        for (int k = 0; k < count; k++)
        {
            int row = findBasic(dictionary, k), column = findNonbasic(dictionary, count + k);
            if (dictionary->freePair[k] || row == count || column > count)
                continue;
            for (int c = 0; c < count; c++)
            {
                double size = fmin(fabs(rowAt(dictionary, equation)[column]),
                                   fabs(rowAt(dictionary, row)[c]));
                if (isOpenForce(dictionary, c) && size > largest)
                {
                    largest = size;
                    bestPair = k;
                    bestForce = c;
                }
            }
        }
        if (bestPair < 0)
            return false;
        int column = findNonbasic(dictionary, count + bestPair);
        pivot(dictionary, equation, column);
        pivot(dictionary, findBasic(dictionary, bestPair), bestForce);
    }
}

// The coefficient of ε_k in basic variable i where the k-th variable of the first basis is larger
// by ε_k: 1 if it is that variable; else that one is nonbasic, and lower by ε_k than what the
// dictionary has, or neither.
static double perturbation(const palDictionary* dictionary, int i, int k)
{
    if (dictionary->basic[i] == dictionary->start[k])
        return 1.0;
    int column = findNonbasic(dictionary, dictionary->start[k]);
    return column <= dictionary->count ? -rowAt(dictionary, i)[column] : 0.0;
}

// Of two rows with equal ratios in column c, whether the first is lexicographically smaller: as if
// q had been perturbed by ε_1 >> ε_2 >> ..., which makes all ratios different, so that no basis
// comes back (Cottle, Pang and Stone, "The Linear Complementarity Problem", 4.9).
static bool isBefore(const palDictionary* dictionary, int i, int j, int c)
{
    double pi = -dictionary->T[(size_t)i * dictionary->stride + (size_t)c];
    double pj = -dictionary->T[(size_t)j * dictionary->stride + (size_t)c];
    for (int k = 0; k < dictionary->count; k++)
    {
        if (dictionary->freePair[k])
            continue;
        double a = perturbation(dictionary, i, k) / pi, b = perturbation(dictionary, j, k) / pj;
        if (fabs(a - b) > 1e-10 * (1.0 + fabs(a) + fabs(b)))
            return a < b;
    }
    return pi > pj;
}

// Ratio test: the row that limits column c first, or -1. Ties: z0 first, then lexicographically.
static int ratioTest(const palDictionary* dictionary, int c)
{
    int count = dictionary->count;
    int best = -1;
    double bestRatio = INFINITY;
    for (int i = 0; i < count; i++)
    {
        const double* row = dictionary->T + (size_t)i * dictionary->stride;
        if (isFree(dictionary, dictionary->basic[i]) || row[c] > -tinyPivot)
            continue;
        double ratio = fmax(row[count + 1], 0.0) / -row[c];
        double slack = 1e-10 * (1.0 + fmin(ratio, bestRatio));
        bool isTie = best >= 0 && fabs(ratio - bestRatio) <= slack;
        bool isFirst =
            isTie ? dictionary->basic[i] == 2 * count ||
                        (dictionary->basic[best] != 2 * count && isBefore(dictionary, i, best, c))
                  : ratio < bestRatio;
        if (isFirst)
            best = i;
        bestRatio = fmin(ratio, bestRatio);
    }
    return best;
}

// z0 enters at the most negative row; then, in each step, the complement of the leaving variable.
static palLemkeEnd complementaryPivots(palRun* run, palDictionary* dictionary)
{
    int count = dictionary->count;
    for (int k = 0; k < count; k++)
        dictionary->start[k] = findBasic(dictionary, k) < count ? k : count + k;
    int r = -1;
    for (int i = 0; i < count; i++)
    {
        double* row = dictionary->T + (size_t)i * dictionary->stride;
        bool bound = !isFree(dictionary, dictionary->basic[i]);
        row[count] = bound ? 1.0 : 0.0;
        // Of equal ones the last, which is lexicographically smallest.
        if (bound && row[count + 1] < 0.0 &&
            (r < 0 ||
             row[count + 1] <= dictionary->T[(size_t)r * dictionary->stride + (size_t)count + 1]))
            r = i;
    }
    if (r < 0)
        return pal_lemkeSolved;
    int c = count;
    const int maxPivots = 20 * count + 20;
    for (int step = 0; step < maxPivots; step++)
    {
        if (isLate(run))
            return pal_lemkeBudget;
        int leaving = dictionary->basic[r];
        pivot(dictionary, r, c);
        if (leaving == 2 * count)
            return pal_lemkeSolved;
        int entering = leaving < count ? leaving + count : leaving - count;
        c = findNonbasic(dictionary, entering);
        r = ratioTest(dictionary, c);
        if (r < 0)
            return pal_lemkeRay;
    }
    return pal_lemkeBudget;
}

static void readSolution(const palDictionary* dictionary, const palShift* shift, double* lambda)
{
    int count = dictionary->count;
    for (int i = 0; i < dictionary->upper; i++)
        lambda[dictionary->rowOf[i]] = shift[dictionary->rowOf[i]].start;
    for (int i = 0; i < count; i++)
    {
        int pair = dictionary->basic[i] - count;
        bool isSecond = pair >= dictionary->second && pair < count;
        if (pair < 0 || (pair >= dictionary->upper && !isSecond))
            continue;
        int row = dictionary->rowOf[pair];
        double z = dictionary->T[(size_t)i * dictionary->stride + (size_t)count + 1];
        lambda[row] += (isSecond ? -1.0 : 1.0) * shift[row].sign * z * dictionary->forceScale;
    }
}

// The dictionary before the first pivot.
static void fill(const palRun* run, const palShift* shift, bool split, palDictionary* dictionary)
{
    const palSolveWorkspace* workspace = run->workspace;
    dictionary->count = 0;
    listPairs(workspace, pairsOfRows, split, dictionary);
    dictionary->upper = dictionary->count;
    listPairs(workspace, pairsOfBounds, split, dictionary);
    dictionary->second = dictionary->count;
    if (split)
        listPairs(workspace, pairsOfSplit, split, dictionary);
    int count = dictionary->count;
    dictionary->stride = (size_t)count + 2;
    memset(dictionary->T, 0, (size_t)count * dictionary->stride * sizeof(double));
    fillRows(run, dictionary, shift);
    fillBounds(workspace, dictionary);
    fillSplit(dictionary);
    for (int i = 0; i < count; i++)
    {
        dictionary->basic[i] = i;
        dictionary->nonbasic[i] = count + i;
    }
    dictionary->nonbasic[count] = 2 * count;
}

// Exchanges the pairs j and k, of which both w are basic: alone if j = k. False if that is no
// basis.
static bool exchangePairs(palDictionary* dictionary, int j, int k)
{
    int count = dictionary->count;
    const int enters[2] = {count + k, count + j}, leaves[2] = {j, k};
    for (int i = 0; i < (j == k ? 1 : 2); i++)
    {
        int r = findBasic(dictionary, leaves[i]), c = findNonbasic(dictionary, enters[i]);
        if (r == count || c > count || fabs(rowAt(dictionary, r)[c]) < tinyPivot)
            return false;
        pivot(dictionary, r, c);
    }
    return true;
}

// The dictionary with the free λ eliminated, split or with borrowed pairs.
static palLemkeEnd begin(const palRun* run, const palShift* shift, bool borrows,
                         palDictionary* dictionary)
{
    bool needsOthers = false;
    fill(run, shift, false, dictionary);
    palLemkeEnd end = eliminateFree(run, dictionary);
    if (end != pal_lemkeSolved)
        return end;
    end = judgeRemaining(dictionary, &needsOthers);
    if (!needsOthers || (borrows && borrowPairs(dictionary)))
        return needsOthers ? pal_lemkeSolved : end;
    fill(run, shift, true, dictionary);
    return pal_lemkeSolved;
}

// Pivots from other bases: without, with one and with two pairs exchanged.
static palLemkeEnd tryOtherStarts(palRun* run, const palShift* shift, palDictionary* dictionary)
{
    palLemkeEnd end = begin(run, shift, true, dictionary);
    if (end == pal_lemkeSolved)
        end = complementaryPivots(run, dictionary);
    int pairs = dictionary->count;
    for (int j = 0, starts = 0; j < pairs && end == pal_lemkeRay; j++)
        for (int k = j; k < pairs && starts < startsMax && end == pal_lemkeRay; k++)
        {
            end = begin(run, shift, true, dictionary);
            if (end != pal_lemkeSolved)
                return end;
            bool isBasis = j < dictionary->count && k < dictionary->count &&
                           !dictionary->freePair[j] && !dictionary->freePair[k] &&
                           exchangePairs(dictionary, j, k);
            end = isBasis ? complementaryPivots(run, dictionary) : pal_lemkeRay;
            starts += isBasis;
        }
    return end;
}

palLemkeEnd palLemke(palRun* run)
{
    palSolveWorkspace* workspace = run->workspace;
    size_t n = (size_t)workspace->maxRows;
    palDictionary dictionary = {
        .T = workspace->matrix,
        .basic = workspace->indices,
        .nonbasic = workspace->indices + 2 * n,
        .rowOf = workspace->indices + 4 * n + 1,
        .start = workspace->indices + 6 * n + 1,
        .freePair = workspace->marks,
        .gapScale = run->info->scale,
        .kernels = workspace->kernels,
    };
    palShift* shift = (palShift*)workspace->vectors;
    double compliance = 0.0;
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palUnit* unit = &workspace->units[u];
        compliance = fmax(compliance, unit->w);
        for (int i = 0; i < unit->size; i++)
        {
            int row = unit->row + i;
            shift[row] = unit->immovable ? (palShift){1.0, workspace->lambda[row]} : shiftOf(unit);
        }
    }
    dictionary.forceScale = dictionary.gapScale / compliance;
    palLemkeEnd end = begin(run, shift, false, &dictionary);
    if (end == pal_lemkeSolved)
        end = complementaryPivots(run, &dictionary);
    if (end == pal_lemkeRay && run->problem->asymmetric)
        end = tryOtherStarts(run, shift, &dictionary);
    if (end == pal_lemkeSolved)
        readSolution(&dictionary, shift, workspace->lambda);
    return end;
}
