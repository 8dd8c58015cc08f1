// SPDX-License-Identifier: Apache-2.0
#include "render/touch.h"

#include <string.h>

palTouch palMakeTouch(const palToolContact* contact, int object, double friction,
                      const palVec3* toolVertices)
{
    palTouch touch = {
        .object = object,
        .kind = contact->kind,
        .tool = contact->tool,
        .place = contact->soft,
        .onTool = palSurfacePlace_Point(&contact->tool, toolVertices),
        .n = contact->normal,
        .gap = contact->gap,
        .friction = friction,
    };
    palTangents(touch.n, &touch.t1, &touch.t2);
    return touch;
}

bool palTouch_IsSame(const palTouch* a, const palTouch* b)
{
    return a->object == b->object && a->kind == b->kind &&
           memcmp(a->tool.vertices, b->tool.vertices, sizeof a->tool.vertices) == 0 &&
           memcmp(a->place.vertices, b->place.vertices, sizeof a->place.vertices) == 0;
}

void palTouchRows_Fill(palTouchRows* rows, const palTouch* touches, int touchCount,
                       bool normalsOnly, const palRigidModel* model, const palRigidState* state)
{
    rows->touchCount = touchCount;
    rows->count = 0;
    for (int i = 0; i < touchCount; i++)
    {
        const palTouch* touch = &touches[i];
        const palVec3 directions[3] = {touch->n, touch->t1, touch->t2};
        palVec3 lever = palSub(palRigid_Point(model, state, touch->onTool), state->x);
        int size = touch->friction > 0.0 && !normalsOnly ? touch->oneWay ? 2 : 3 : 1;
        rows->first[i] = rows->count;
        for (int k = 0; k < size; k++)
        {
            rows->along[rows->count] = directions[k];
            rows->touchOf[rows->count] = (short)i;
            rows->J[rows->count++] = (palWrench){directions[k], palCross(lever, directions[k])};
        }
    }
    rows->first[touchCount] = rows->count;
}

// One row: -w d on every free node under the vertices of the place.
static void addRow(palTissueRows* tissue, const palSurfacePlace* place, palVec3 along,
                   const palCollider* collider)
{
    const palSkin* skin = &collider->skin;
    int entry = tissue->start[tissue->count];
    for (int k = 0; k < place->count; k++)
        for (int j = 0; j < skin->nodesEach; j++)
        {
            int at = place->vertices[k] * skin->nodesEach + j;
            double weight = place->weights[k] * skin->weights[at];
            int node = collider->soft->freeIndex[skin->nodes[at]];
            if (node < 0 || weight == 0.0)
                continue;
            tissue->nodes[entry] = node;
            tissue->values[entry++] = palScale(-weight, along);
        }
    tissue->start[++tissue->count] = entry;
}

void palTissueRows_Fill(palTissueRows* tissue, const palTouchRows* rows, const palTouch* touches,
                        int object, const palCollider* collider)
{
    tissue->count = 0;
    tissue->start[0] = 0;
    for (int r = 0; r < rows->count; r++)
    {
        const palTouch* touch = &touches[rows->touchOf[r]];
        if (touch->object != object)
            continue;
        tissue->rowOf[tissue->count] = r;
        addRow(tissue, &touch->place, rows->along[r], collider);
    }
    tissue->sparse = (palSparseRows){tissue->count, tissue->start, tissue->nodes, tissue->values};
}

bool palTissueRows_Add(palTissueRows* tissue, palSoftStep* step, double scale, double* W,
                       double* velocity)
{
    int n = tissue->count;
    if (n == 0)
        return true;
    if (!palSoftStep_Rows(step, &tissue->sparse))
        return false;
    if (W != NULL)
        palSoftStep_Compliance(step, scale, tissue->W, pal_touchRowsMax);
    if (velocity != NULL)
        palSoftStep_FreeVelocity(step, tissue->vector);
    for (int i = 0; i < n; i++)
    {
        int row = tissue->rowOf[i];
        for (int j = 0; j < n && W != NULL; j++)
            W[row * pal_touchRowsMax + tissue->rowOf[j]] += tissue->W[i * pal_touchRowsMax + j];
        if (velocity != NULL)
            velocity[row] += tissue->vector[i];
    }
    return true;
}

void palTouchRows_AddTool(const palTouchRows* rows, const palRigidStep* step, double scale,
                          double* W, double* velocity)
{
    for (int i = 0; i < rows->count; i++)
    {
        palTwist answer = palRigidStep_Response(step, rows->J[i]);
        velocity[i] += palRowDot(rows->J[i], step->free);
        for (int j = 0; j < rows->count; j++)
            W[i * pal_touchRowsMax + j] += scale * palRowDot(rows->J[j], answer);
    }
}

// The share of a row's compliance that the rows before it must leave.
static const double ownShare = 0.01;

int palPickRows(int count, const double* W, size_t stride, double* factor, int* order)
{
    int kept = 0;
    for (int k = 0; k < count; k++)
    {
        // One more row of Cholesky's factor, if its pivot is large enough.
        int row = order[k];
        double* mine = factor + (size_t)kept * stride;
        double pivot = W[(size_t)row * stride + (size_t)row];
        double least = ownShare * pivot;
        for (int i = 0; i < kept; i++)
        {
            const double* its = factor + (size_t)i * stride;
            mine[i] = W[(size_t)row * stride + (size_t)order[i]];
            for (int j = 0; j < i; j++)
                mine[i] -= mine[j] * its[j];
            mine[i] /= its[i];
            pivot -= mine[i] * mine[i];
        }
        if (!(pivot > least))
            continue;
        mine[kept] = sqrt(pivot);
        order[kept++] = row;
    }
    return kept;
}

palWrench palTouchRows_Wrench(const palTouchRows* rows, const double* lambda)
{
    palWrench sum = {pal_zeroVec3, pal_zeroVec3};
    for (int i = 0; i < rows->count; i++)
    {
        sum.force = palMulAdd(sum.force, lambda[i], rows->J[i].force);
        sum.torque = palMulAdd(sum.torque, lambda[i], rows->J[i].torque);
    }
    return sum;
}
