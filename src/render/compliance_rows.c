// SPDX-License-Identifier: Apache-2.0
// H3 of method `compliance`: the rows of a tick, and what the bodies of slower loops add to
// them.
#include "render/compliance.h"

#include <string.h>

// Whether the ring stands at an end of its wire.
static int stopOf(const palCompliance* compliance, const palLink* joint)
{
    if (joint->kind != pal_linkRing)
        return 0;
    const palMethodDef* def = compliance->def;
    return palBeam_End(palMethodDef_Wire(def, joint->ends[0].body)->model, joint->ends[0].beam);
}

// The loop that places a ring: that of the body it is on.
static int loopOf(const palCompliance* compliance, const palPlace* end)
{
    const palMethodDef* def = compliance->def;
    if (end->kind == pal_placeSurface)
        return def->colliders[end->body].loop;
    if (end->kind == pal_placeWire && palMethodDef_Wire(def, end->body)->loop > 0)
        return palMethodDef_Wire(def, end->body)->loop - 1;
    return 0;
}

// λ of a contact of the last tick that is still there, or zero.
static void recall(const palCompliance* compliance, const palLink* contact, double* lambda)
{
    int rows = palLink_Rows(contact);
    memset(lambda, 0, (size_t)rows * sizeof *lambda);
    for (int i = 0; i < compliance->lastCount; i++)
    {
        const palLink* last = &compliance->lastContacts[i];
        if (palLink_IsSame(last, contact))
            memcpy(lambda, compliance->lastLambda[i], (size_t)rows * sizeof *lambda);
    }
}

// The slower loop that has an end of a joint; -1: none has.
static int slowLoopOf(const palCompliance* compliance, const palLink* joint)
{
    const palMethodDef* def = compliance->def;
    for (int e = 0; e < 2; e++)
    {
        const palPlace* end = &joint->ends[e];
        bool isSlow = end->kind == pal_placeSurface ||
                      (end->kind == pal_placeWire && palMethodDef_Wire(def, end->body)->loop > 0);
        if (isSlow)
            return loopOf(compliance, end);
    }
    return -1;
}

// The axes of a hinge: those that the rows of its slower body were made for, or else of now.
static void aimHinge(palCompliance* compliance, int index, const palSlowSnapshot* const* slow)
{
    palLink* joint = &compliance->joints[index];
    const palPlace* end = &joint->ends[1];
    int loop = slowLoopOf(compliance, joint);
    palQuat orientation = end->orientation;
    if (end->kind == pal_placeRigid)
        orientation = palCompliance_Rigid(compliance, end->body)->state.q;
    for (int w = 0; w < compliance->wireCount && end->kind == pal_placeWire; w++)
        if (compliance->wires[w].body == end->body)
            orientation = palBeam_Rotation(compliance->wires[w].wire->model,
                                           &compliance->wires[w].state, end->beam);
    if (loop >= 0)
        memcpy(joint->axes, slow[loop]->axes[index], sizeof joint->axes);
    else
        palLink_AimHinge(joint, orientation);
}

void palCompliance_Gather(palCompliance* compliance, const palSlowSnapshot* const* slow, bool isNew)
{
    palRows* rows = compliance->rows;
    const palMethodDef* def = compliance->def;
    palRows_Begin(rows);
    for (int i = 0; i < def->jointCount; i++)
    {
        palLink* joint = &compliance->joints[i];
        if (joint->kind == pal_linkRing)
            memcpy(joint->axes, slow[loopOf(compliance, &joint->ends[1])]->axes[i],
                   sizeof joint->axes);
        else if (joint->kind == pal_linkHinge)
            aimHinge(compliance, i, slow);
        palRows_Add(rows, joint, stopOf(compliance, joint));
    }
    compliance->contactLink = rows->linkCount;
    for (int l = 0; l < compliance->loopCount; l++)
    {
        compliance->views[l].firstRow = rows->count;
        for (int i = 0; i < slow[l]->contactCount; i++)
        {
            int first = rows->count;
            const palLink* contact = &slow[l]->contacts[i];
            if (palRows_Add(rows, contact, 0) && isNew)
                recall(compliance, contact, rows->lambda + first);
        }
        compliance->views[l].rowCount = rows->count - compliance->views[l].firstRow;
    }
    for (int i = 0; i < compliance->touchingCount; i++)
    {
        const palLink* contact = &compliance->touching[i];
        int first = rows->count;
        if (palRows_Add(rows, contact, 0))
            memcpy(rows->lambda + first, contact->lambda,
                   (size_t)palLink_Rows(contact) * sizeof(double));
    }
    palCompliance_AddPairs(compliance);
}

int palCompliance_RowOf(const palCompliance* compliance, int loop, int own)
{
    int jointRows = compliance->jointRows;
    return own < jointRows ? own : own - jointRows + compliance->views[loop].firstRow;
}

int palCompliance_RowsOf(const palCompliance* compliance, int loop)
{
    return compliance->jointRows + compliance->views[loop].rowCount;
}

// The loop's number of a row of the problem; -1: its bodies do not move it.
static int ownOf(const palCompliance* compliance, int loop, int row)
{
    const palLoopView* view = &compliance->views[loop];
    if (row < compliance->jointRows)
        return row;
    int own = row - view->firstRow;
    return own >= 0 && own < view->rowCount ? own + compliance->jointRows : -1;
}

void palCompliance_AddCompliance(palCompliance* compliance, int loop, const palSlowSnapshot* slow)
{
    palRows* rows = compliance->rows;
    for (int i = 0; i < rows->takenCount; i++)
        compliance->own[i] = ownOf(compliance, loop, rows->taken[i]);
    for (int i = 0; i < rows->takenCount; i++)
    {
        if (compliance->own[i] < 0)
            continue;
        const double* from = slow->W + (size_t)compliance->own[i] * (size_t)slow->rowCount;
        double* W = rows->W + (size_t)i * (size_t)rows->stride;
        for (int j = 0; j < rows->takenCount; j++)
            if (compliance->own[j] >= 0)
                W[j] += from[compliance->own[j]];
    }
}

void palCompliance_AddMotion(palCompliance* compliance, int loop, const palSlowSnapshot* slow)
{
    palRows* rows = compliance->rows;
    int count = 0;
    for (int i = 0; i < rows->takenCount; i++)
    {
        int own = ownOf(compliance, loop, rows->taken[i]);
        if (own >= 0 && rows->lambda[rows->taken[i]] != 0.0)
            compliance->own[count++] = own;
    }
    for (int r = 0; r < palCompliance_RowsOf(compliance, loop); r++)
    {
        int row = palCompliance_RowOf(compliance, loop, r);
        const double* W = slow->W + (size_t)r * (size_t)slow->rowCount;
        for (int i = 0; i < count && rows->takenAs[row] < 0; i++)
            rows->motion[row] +=
                W[compliance->own[i]] *
                rows->lambda[palCompliance_RowOf(compliance, loop, compliance->own[i])];
    }
}

void palCompliance_AddLoop(palCompliance* compliance, int loop, const palSlowSnapshot* slow)
{
    palRows* rows = compliance->rows;
    const palReducedMotion* motion = &compliance->views[loop].motion;
    bool frozen = palIsFrozen(compliance->def);
    int count = palCompliance_RowsOf(compliance, loop);
    for (int r = 0; r < count; r++)
    {
        int row = palCompliance_RowOf(compliance, loop, r);
        rows->gap[row] += slow->start[r];
        rows->gap[row] += frozen ? slow->free[r] : 0.0;
        rows->present[row] += slow->start[r];
    }
    for (int i = 0; i < slow->partCount && !frozen; i++)
    {
        const palSlowPart* part = &slow->parts[i];
        const palRowSet* set = &part->sets[0];
        for (int r = 0; r < set->count; r++)
        {
            int row = palCompliance_RowOf(compliance, loop, set->row[r]);
            const double* B = palSlowPart_B(part, set, r);
            rows->gap[row] += palModes_Sum(&part->modes, B, motion->free[i].q);
            if (rows->sliding[row])
                rows->gap[row] -= palModes_Sum(&part->modes, B, motion->state[i].q);
            else if (rows->deep[row] || compliance->isNew[loop])
                rows->present[row] += palModes_Sum(&part->modes, B, motion->state[i].q);
        }
    }
}

// Whether an end is on a body of that loop.
static bool isIn(const palCompliance* compliance, const palPlace* end, int loop)
{
    const palMethodDef* def = compliance->def;
    if (end->kind == pal_placeSurface)
        return def->colliders[end->body].loop == loop;
    return end->kind == pal_placeWire && palMethodDef_Wire(def, end->body)->loop == loop + 1;
}

void palCompliance_FindPlaces(const palCompliance* compliance, int loop,
                              const palSlowSnapshot* slow, palSlowPlaces* places)
{
    const palRows* rows = compliance->rows;
    memcpy(places->row, slow->start, (size_t)compliance->jointRows * sizeof places->row[0]);
    for (int i = 0; i < slow->partCount; i++)
    {
        const palRowSet* set = &slow->parts[i].sets[0];
        for (int r = 0; r < set->count; r++)
            if (set->row[r] < compliance->jointRows)
                places->row[set->row[r]] +=
                    palModes_Sum(&slow->parts[i].modes, palSlowPart_B(&slow->parts[i], set, r),
                                 compliance->views[loop].motion.state[i].q);
    }
    for (int i = 0; i < compliance->def->jointCount; i++)
        for (int e = 0; e < 2 && compliance->joints[i].kind == pal_linkWeld; e++)
        {
            const double* turned = places->row + rows->first[i] + 3;
            double sign = e == 0 ? 1.0 : -1.0;
            palVec3 turn = palMakeVec3(sign * turned[0], sign * turned[1], sign * turned[2]);
            places->turns[i][e] = palMulQuat(palMakeQuatRotationVector(turn), slow->turns[i][e]);
        }
}

// Rows along axes that change from snapshot to snapshot cannot be compared.
static bool hasSteadyAxes(const palLink* joint)
{
    return joint->kind != pal_linkRing && joint->kind != pal_linkHinge;
}

// What is left of the last jump, and that of a new snapshot.
static void addJump(const palCompliance* compliance, int loop, int index)
{
    const palLink* joint = &compliance->joints[index];
    const palLoopView* view = &compliance->views[loop];
    int first = compliance->rows->first[index];
    double* offset = view->offset + first;
    for (int r = 0; r < palLink_Rows(joint); r++)
        offset[r] *= view->fade.next;
    for (int e = 0; e < 2; e++)
    {
        if (!isIn(compliance, &joint->ends[e], loop) || joint->kind != pal_linkWeld)
            continue;
        palVec3 jump = palRotationVector(
            palMulQuat(view->placed.turns[index][e], palConjugate(view->now.turns[index][e])));
        for (int r = 0; r < 3; r++)
            offset[3 + r] += (e == 0 ? 1.0 : -1.0) * palDot(joint->axes[r], jump);
    }
    for (int r = 0; r < 3 && hasSteadyAxes(joint); r++)
        offset[r] += view->placed.row[first + r] - view->now.row[first + r];
}

// Contacts of surfaces; wires are light and may come out at once.
static bool isOfSurfaces(const palLink* contact)
{
    return contact->ends[0].kind != pal_placeWire && contact->ends[1].kind != pal_placeWire;
}

// Whether a contact pushed in the last tick.
static bool pushed(const palCompliance* compliance, const palLink* contact)
{
    double lambda[3];
    recall(compliance, contact, lambda);
    return lambda[0] > 0.0;
}

// What touched stays in touch, and what a new snapshot brings in inside stays where it is: from
// there both go where the snapshot has them as the offset fades.
static void addDepths(const palCompliance* compliance, int loop)
{
    const palRows* rows = compliance->rows;
    const palLoopView* view = &compliance->views[loop];
    double* offset = view->offset + compliance->jointRows;
    memset(offset, 0, (size_t)view->rowCount * sizeof *offset);
    for (int i = compliance->contactLink; i < rows->linkCount; i++)
    {
        int own = rows->first[i] - view->firstRow;
        double gap = rows->present[rows->first[i]];
        if (own < 0 || own >= view->rowCount || !isOfSurfaces(rows->links[i]))
            continue;
        if (gap < 0.0 || (gap < rows->recovery && pushed(compliance, rows->links[i])))
            offset[own] = -gap;
    }
}

void palCompliance_BlendJump(palCompliance* compliance, int loop, const palSlowSnapshot* slow,
                             bool isNew)
{
    palLoopView* view = &compliance->views[loop];
    if (isNew)
    {
        palCompliance_FindPlaces(compliance, loop, slow, &view->now);
        for (int i = 0; i < compliance->def->jointCount; i++)
            addJump(compliance, loop, i);
        addDepths(compliance, loop);
        palFade_Start(&view->fade);
    }
    palFade_Advance(&view->fade);
    for (int r = 0; r < palCompliance_RowsOf(compliance, loop); r++)
    {
        int row = palCompliance_RowOf(compliance, loop, r);
        compliance->rows->gap[row] += view->fade.next * view->offset[r];
        compliance->rows->present[row] += view->fade.next * view->offset[r];
    }
}

// Whether a joint holds a body of that loop, and can be compared.
static bool isHeldBy(const palCompliance* compliance, const palLink* joint, int loop)
{
    bool isAny = false;
    for (int e = 0; e < 2; e++)
    {
        const palPlace* end = &joint->ends[e];
        bool yields = end->kind != pal_placeSurface ||
                      palCollider_Yields(&compliance->def->colliders[end->body]);
        isAny = isAny || (yields && isIn(compliance, end, loop));
    }
    return isAny && hasSteadyAxes(joint);
}

bool palCompliance_WidestJoint(const palCompliance* compliance, double* gap, int* joint)
{
    bool isAny = false;
    *gap = 0.0;
    for (int l = 0; l < compliance->loopCount; l++)
    {
        const palLoopView* view = &compliance->views[l];
        for (int i = 0; i < compliance->def->jointCount; i++)
        {
            const double* offset = view->offset + compliance->rows->first[i];
            double open = view->fade.next * palLength(palMakeVec3(offset[0], offset[1], offset[2]));
            if (!isHeldBy(compliance, &compliance->joints[i], l))
                continue;
            isAny = true;
            *joint = open > *gap ? i : *joint;
            *gap = fmax(*gap, open);
        }
    }
    return isAny;
}

void palCompliance_PlaceTurns(palCompliance* compliance, const palSlowSnapshot* const* slow)
{
    const palMethodDef* def = compliance->def;
    for (int i = 0; i < def->jointCount; i++)
        for (int e = 0; e < 2 && palLink_Turns(&compliance->joints[i]); e++)
        {
            const palPlace* end = &compliance->joints[i].ends[e];
            if (end->kind == pal_placeSurface ||
                (end->kind == pal_placeWire && palMethodDef_Wire(def, end->body)->loop > 0))
                compliance->rows->orientations[i][e] = slow[loopOf(compliance, end)]->turns[i][e];
        }
}

// How far a ring is ahead is δ of its third row.
void palCompliance_SlideRings(palCompliance* compliance)
{
    const palRows* rows = compliance->rows;
    for (int i = 0; i < compliance->def->jointCount; i++)
    {
        palLink* joint = &compliance->joints[i];
        if (joint->kind != pal_linkRing)
            continue;
        double ahead = palRows_Gap(rows, rows->first[i] + 2);
        const palBeamModel* model = palMethodDef_Wire(compliance->def, joint->ends[0].body)->model;
        joint->ends[0].beam = palBeam_Slide(model, joint->ends[0].beam, -ahead);
    }
}
