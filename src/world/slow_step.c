// SPDX-License-Identifier: Apache-2.0
// What a slower loop publishes, and its own step in the form of the paper.
#include "world/slow_loop.h"

#include <string.h>

// The body of this loop that has an end of a link, or NULL.
static const palWorldBody* bodyOf(const palSlowLoop* loop, const palPlace* end)
{
    for (int i = 0; i < loop->bodyCount; i++)
        if (palSlowBody_Has(&loop->bodies[i], end))
            return loop->world.bodies[end->body];
    return NULL;
}

// Σ ± axis·p over the ends on this loop's bodies, and the rotations of welded ends.
static void placeLink(const palSlowLoop* loop, const palLink* link, double* start, palQuat turns[2])
{
    int count = link->kind == pal_linkContact ? 1 : 3;
    for (int r = 0; r < palLink_Rows(link); r++)
        start[r] = 0.0;
    turns[0] = turns[1] = pal_identityQuat;
    for (int e = 0; e < 2; e++)
    {
        const palWorldBody* body = bodyOf(loop, &link->ends[e]);
        if (body == NULL)
            continue;
        double sign = e == 0 ? 1.0 : -1.0;
        palVec3 point = body->ops->point(body, &link->ends[e], false);
        for (int r = 0; r < count; r++)
            start[r] += sign * palDot(link->axes[r], point);
        if (palLink_Turns(link))
            turns[e] = body->ops->orientation(body, &link->ends[e], false);
    }
}

// x_free(h) of the modes: one step of h without new forces.
static void freeStep(const palSlowPart* part, double h, palModesState* state, palModes* modes)
{
    *modes = part->modes;
    palModes_SetTime(modes, h);
    palModes_Start(modes, state);
    palModes_Advance(modes, NULL, state);
}

// The second compliance matrix, W(dt), and the term of eq. (11): both from the same modes.
static void describeBody(const palSlowLoop* loop, const palSlowBody* body,
                         palSlowSnapshot* snapshot)
{
    const palMethodDef* def = loop->def;
    const palSlowPart* part = body->part;
    const palRowSet* set = &part->sets[0];
    double hW = def->settings.compliance.step == pal_complianceAtLowDt ? loop->h : def->body.dt;
    double hFree =
        def->settings.compliance.correction == pal_correctionOff ? loop->h : def->body.dt;
    palModes_AddCompliance(&part->modes, hW, set->B, part->width, set->row, set->count, snapshot->W,
                           snapshot->rowCount);
    if (!palIsFrozen(def))
        return;
    palModes modes;
    palModesState state;
    freeStep(part, hFree, &state, &modes);
    for (int i = 0; i < set->count; i++)
        snapshot->free[set->row[i]] += palModes_Sum(&modes, palSlowPart_B(part, set, i), state.q);
}

void palSlowLoop_Describe(palSlowLoop* loop, palSlowSnapshot* snapshot)
{
    const palMethodDef* def = loop->def;
    snapshot->contactCount = loop->world.linkCount;
    memcpy(snapshot->contacts, loop->world.links,
           (size_t)loop->world.linkCount * sizeof loop->world.links[0]);
    for (int i = 0; i < def->jointCount; i++)
    {
        placeLink(loop, &loop->joints[i], snapshot->start + loop->jointFirst[i],
                  snapshot->turns[i]);
        memcpy(snapshot->axes[i], loop->joints[i].axes, sizeof snapshot->axes[i]);
    }
    int first = loop->jointRows;
    for (int i = 0; i < loop->world.linkCount; i++)
    {
        palQuat unused[2];
        placeLink(loop, &loop->world.links[i], snapshot->start + first, unused);
        first += palLink_Rows(&loop->world.links[i]);
    }
    int nodes = 0;
    for (int i = 0; i < loop->bodyCount; i++)
    {
        const palBeamState* state = loop->bodies[i].beam.state;
        if (loop->bodies[i].wire < 0)
            continue;
        memcpy(snapshot->x + nodes, state->x, (size_t)state->nodeCount * sizeof *state->x);
        memcpy(snapshot->q + nodes, state->q, (size_t)state->nodeCount * sizeof *state->q);
        nodes += state->nodeCount;
    }
    size_t rows = (size_t)first;
    snapshot->rowCount = first;
    memset(snapshot->free, 0, rows * sizeof *snapshot->free);
    memset(snapshot->W, 0, rows * rows * sizeof *snapshot->W);
    snapshot->partCount = loop->bodyCount;
    for (int i = 0; i < loop->bodyCount; i++)
    {
        describeBody(loop, &loop->bodies[i], snapshot);
        palSlowPart_Copy(&snapshot->parts[i], loop->bodies[i].part);
    }
}

//--------------------------------------------------------------------------------------------------
// The paper's own step over ΔT

// δ_free(ΔT) and W(ΔT) of one body.
static void addBody(palRows* rows, const palSlowBody* body, double h)
{
    const palSlowPart* part = body->part;
    const palRowSet* set = &part->sets[0];
    palModes modes;
    palModesState state;
    freeStep(part, h, &state, &modes);
    palModes_AddCompliance(&modes, h, set->B, part->width, set->row, set->count, rows->W,
                           rows->stride);
    for (int i = 0; i < set->count; i++)
        rows->gap[set->row[i]] += palModes_Sum(&modes, palSlowPart_B(part, set, i), state.q);
}

static void gatherLinks(palSlowLoop* loop)
{
    palRows* rows = loop->rows;
    palRows_Begin(rows);
    for (int i = 0; i < loop->def->jointCount; i++)
        palRows_Add(rows, &loop->joints[i], 0);
    for (int i = 0; i < loop->world.linkCount; i++)
        palRows_Add(rows, &loop->world.links[i], 0);
    palRows_TakeAll(rows);
    for (int r = loop->jointRows; r < rows->count; r++)
        rows->lambda[r] = 0.0;
    for (int i = 0; i < rows->linkCount; i++)
    {
        double start[pal_linkRowsMax];
        palQuat turns[2];
        placeLink(loop, rows->links[i], start, turns);
        for (int r = 0; r < palLink_Rows(rows->links[i]); r++)
            rows->gap[rows->first[i] + r] += start[r];
        for (int e = 0; e < 2; e++)
            if (bodyOf(loop, &rows->links[i]->ends[e]) != NULL)
                rows->orientations[i][e] = turns[e];
    }
}

// The motion of one body under λ.
static void correctBody(const palSlowLoop* loop, palSlowBody* body)
{
    palModes modes;
    palModesState state;
    double p[pal_modesMax];
    freeStep(body->part, loop->h, &state, &modes);
    palSlowPart_Push(body->part, &body->part->sets[0], loop->rows->lambda, p);
    palModes_Correct(&modes, p, &state);
    palReduction_Move(&body->space.reduction, &state);
    if (body->object >= 0)
        palCollider_Follow(&loop->def->colliders[body->object]);
}

void palSlowLoop_Solve(palSlowLoop* loop)
{
    palRows* rows = loop->rows;
    // The hand, of which there is one, stays where it is.
    palBeamHand hand = {.x = loop->hands[0].x, .q = loop->hands[0].q};
    const palWorldRigid* tool = loop->world.tools[0];
    for (int i = 0; i < loop->wireCount; i++)
    {
        palSteppedWire* wire = &loop->wires[i];
        palBeamState_Copy(
            &wire->state,
            &palWorldStep_Wire(&loop->world, wire->body - loop->def->colliderCount)->state);
        palSteppedWire_Move(wire, loop->h, &hand);
    }
    if (loop->tool.tool != NULL)
    {
        palHandle still = {.x = tool->handle.x, .q = tool->handle.q};
        loop->tool.state = tool->state;
        palSteppedTool_Move(&loop->tool, loop->h, &still);
    }
    gatherLinks(loop);
    palRows_AddWires(rows, loop->wires, loop->wireCount);
    if (loop->tool.tool != NULL)
        palRows_AddTool(rows, &loop->tool);
    palRows_AddCompliance(rows, loop->wires, loop->wireCount);
    for (int i = 0; i < loop->bodyCount; i++)
        addBody(rows, &loop->bodies[i], loop->h);
    palRows_AddRotations(rows);
    palRows_Solve(rows);
    for (int i = 0; i < loop->bodyCount; i++)
        correctBody(loop, &loop->bodies[i]);
    // What the next step finds acting.
    palLinkForces* last = (palLinkForces*)loop->forces.last;
    last->head = (palTickForces){.sequence = loop->sequence - 1, .count = rows->count};
    memcpy(last->lambda, rows->lambda, (size_t)rows->count * sizeof(double));
}
