// SPDX-License-Identifier: Apache-2.0
#include "solve/sparse_joints.h"

#include "solve/sparse_workspace.h"

#include <math.h>
#include <string.h>

// A pivot that is a smaller share of the diagonal is of a row that depends on others.
static const double dependent = 1e-10;

static bool isFixed(const palSparseWorkspace* workspace, int slot)
{
    const palRootMass* root = &workspace->roots[slot];
    return root->coupled < 0 && root->linear == 0.0;
}

static bool isJoint(const palSparseUnit* unit)
{
    return unit->unit.kind == pal_unitBilateral && !unit->unit.immovable;
}

// Forgets which row is the first one to move a body; false where there are no two joints.
static bool begin(palSparseWorkspace* workspace)
{
    int count = 0;
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palSparseUnit* unit = &workspace->units[u];
        if (!isJoint(unit))
            continue;
        count++;
        for (int e = 0; e < 2; e++)
            workspace->sums[unit->slots[e]] = -1.0;
    }
    return count > 1;
}

// Lists the units, their rows and the envelope. sums of a body is the first row that moves it.
static bool list(palSparseWorkspace* workspace, palSparseJoints* joints)
{
    double* firstOf = workspace->sums;
    int entries = 0, coupled = 0;
    double work = 0.0;
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palSparseUnit* unit = &workspace->units[u];
        if (!isJoint(unit))
            continue;
        const int start = joints->rows;
        int first = start;
        for (int e = 0; e < 2; e++)
            if (!isFixed(workspace, unit->slots[e]))
            {
                double* known = &firstOf[unit->slots[e]];
                *known = *known < 0.0 ? start : *known;
                first = *known < first ? (int)*known : first;
            }
        coupled += first < start;
        if (start + unit->unit.size > pal_jointRowsMax)
            return false;
        for (int i = start; i < start + unit->unit.size; i++)
        {
            joints->first[i] = first;
            joints->entry[i] = entries;
            entries += i - first + 1;
            work += 0.5 * (i - first + 1) * (i - first + 1);
            if (entries > pal_jointEntriesMax || work > pal_jointWorkMax)
                return false;
        }
        joints->units[joints->unitCount++] = u;
        joints->rows += unit->unit.size;
    }
    return coupled > 0;
}

// W of two rows: what they share through the bodies of their units.
static double share(const palSparseWorkspace* workspace, const palSparseUnit* a, int i,
                    const palSparseUnit* b, int j)
{
    const palScaledRow *p = &workspace->J[i], *q = &workspace->J[j];
    double sum = i == j ? workspace->softness[i] : 0.0;
    for (int e = 0; e < 2; e++)
        for (int f = 0; f < 2; f++)
            for (int k = 0; k < pal_bodyDofs && a->slots[e] == b->slots[f]; k++)
                sum += p->on[e][k] * q->on[f][k];
    return sum;
}

// The entries of W within the envelope.
static void fill(const palSparseWorkspace* workspace, palSparseJoints* joints)
{
    for (int u = 0, row = 0; u < joints->unitCount; u++)
    {
        const palSparseUnit* unit = &workspace->units[joints->units[u]];
        for (int v = 0, column = 0; v <= u; v++)
        {
            const palSparseUnit* other = &workspace->units[joints->units[v]];
            for (int j = 0; j < other->unit.size; j++, column++)
                for (int i = 0; i < unit->unit.size && column >= joints->first[row]; i++)
                    if (column <= row + i)
                        joints->L[joints->entry[row + i] + column - joints->first[row]] =
                            share(workspace, unit, unit->unit.row + i, other, other->unit.row + j);
        }
        row += unit->unit.size;
    }
}

// Σ L[i][k] L[j][k] over k < j.
static double dotRows(const palSparseJoints* joints, int i, int j)
{
    int from = joints->first[i] > joints->first[j] ? joints->first[i] : joints->first[j];
    const double* a = joints->L + joints->entry[i] - joints->first[i];
    const double* b = joints->L + joints->entry[j] - joints->first[j];
    double sum = 0.0;
    for (int k = from; k < j; k++)
        sum += a[k] * b[k];
    return sum;
}

static void factor(palSparseJoints* joints)
{
    for (int i = 0; i < joints->rows; i++)
    {
        double* row = joints->L + joints->entry[i] - joints->first[i];
        for (int j = joints->first[i]; j < i; j++)
            row[j] = (row[j] - dotRows(joints, i, j)) * joints->inverse[j];
        double pivot = row[i] - dotRows(joints, i, i);
        joints->inverse[i] = pivot > dependent * row[i] ? 1.0 / sqrt(pivot) : 0.0;
    }
}

void palSparseJoints_Load(palSparseWorkspace* workspace)
{
    palSparseJoints* joints = &workspace->joints;
    joints->unitCount = joints->rows = 0;
    if (!begin(workspace) || !list(workspace, joints))
    {
        joints->unitCount = 0;
        return;
    }
    fill(workspace, joints);
    factor(joints);
}

void palSparseJoints_Solve(palSparseWorkspace* workspace)
{
    palSparseJoints* joints = &workspace->joints;
    double* x = joints->change;
    for (int u = 0, row = 0; u < joints->unitCount; u++)
    {
        const palSparseUnit* unit = &workspace->units[joints->units[u]];
        palSparseWorkspace_Gap(workspace, unit, &x[row]);
        row += unit->unit.size;
    }
    for (int i = 0; i < joints->rows; i++)
    {
        const double* L = joints->L + joints->entry[i] - joints->first[i];
        double sum = -x[i];
        for (int k = joints->first[i]; k < i; k++)
            sum -= L[k] * x[k];
        x[i] = sum * joints->inverse[i];
    }
    for (int i = joints->rows - 1; i >= 0; i--)
    {
        const double* L = joints->L + joints->entry[i] - joints->first[i];
        x[i] *= joints->inverse[i];
        for (int k = joints->first[i]; k < i; k++)
            x[k] -= L[k] * x[i];
    }
    for (int u = 0, row = 0; u < joints->unitCount; u++)
    {
        const palSparseUnit* unit = &workspace->units[joints->units[u]];
        for (int i = 0; i < unit->unit.size; i++)
            workspace->lambda[unit->unit.row + i] += x[row + i];
        palSparseWorkspace_Push(workspace, unit, &x[row]);
        row += unit->unit.size;
    }
}
