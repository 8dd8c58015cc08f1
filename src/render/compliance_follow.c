// SPDX-License-Identifier: Apache-2.0
// Contacts of wires with rigid surfaces, in method `compliance`, which every tick carries along.
//
// A snapshot has the contact of a wire as a plane where the wire was when it was found. A wire
// under the tension T that runs at the speed v over a curve of radius R leaves that plane along
// its tangent, and is drawn back at the next snapshot, Δ later: that takes T v Δ/(2 R²) of each
// length. So the high rate has copies of the contacts, and before each step puts them where the
// wire will be at its end, but for its motion into the surface. A snapshot only says which nodes
// are near. Within the elements beside these a contact is where the distance along the wire is
// least; these are sought anew in every tick, since a wire that runs over an edge takes it from
// element to element.
#include "base/error.h"
#include "constraint/wire_contact.h"
#include "render/compliance.h"

#include <stdlib.h>
#include <string.h>

static const double noise = 1e-10;    // m: directions of shorter vectors are rounding
static const double seenShare = 2.0;  // of the motion of a step: contacts are known this far ahead
static const double seenLeast = 1e-5; // m, and this

// A wire and a rigid body that are near each other, in the tick under way.
typedef struct neighbours
{
    const palSteppedWire* wire;
    int wireEnd;                 // of the contacts: the tool is the first of its own
    const palSteppedTool* rigid; // NULL: it does not move
    const palCollider* collider; // its surface, in its frame
    int body;                    // its id
    double stride;               // m: the longest motion of a node in the step
} neighbours;

//--------------------------------------------------------------------------------------------------
// Set-up

static palResult makeFrame(palCompliance* compliance, const palSteppedTool* rigid, palError* error)
{
    palSurface surface;
    palResult result = palSurface_Copy(&rigid->tool->surface, &surface, error);
    if (result != pal_ok)
        return result;
    return palCollider_Init(&compliance->frames[rigid->body], &surface, 0.0, error);
}

static palResult allocate(palCompliance* compliance, palError* error)
{
    const palMethodDef* def = compliance->def;
    size_t bodies = (size_t)(def->colliderCount + def->wireCount + compliance->shared.handCount);
    const palWire* longest = compliance->wires[0].wire;
    for (int i = 0; i < compliance->wireCount; i++)
        if (compliance->wires[i].wire->model->nodeCount > longest->model->nodeCount)
            longest = compliance->wires[i].wire;
    compliance->frameCount = (int)bodies;
    compliance->frames = calloc(bodies, sizeof *compliance->frames);
    compliance->within = calloc((size_t)compliance->withinMost, sizeof *compliance->within);
    if (compliance->frames == NULL || compliance->within == NULL)
        return palError_Memory(error, "contacts of wires", bodies * sizeof *compliance->frames);
    return palBeamState_Init(&compliance->ahead, longest->model, error);
}

palResult palCompliance_InitFollow(palCompliance* compliance, palError* error)
{
    palResult result = compliance->wireCount > 0 ? allocate(compliance, error) : pal_ok;
    for (int i = 0; i < compliance->objectCount && compliance->frames != NULL && result == pal_ok;
         i++)
        result = makeFrame(compliance, &compliance->objects[i], error);
    for (int i = 0; i < compliance->shared.handCount && compliance->frames != NULL; i++)
        if (compliance->held[i].wire < 0 && result == pal_ok)
            result = makeFrame(compliance, &compliance->held[i].tool, error);
    return result;
}

void palCompliance_FreeFollow(palCompliance* compliance)
{
    for (int i = 0; i < compliance->frameCount && compliance->frames != NULL; i++)
        palCollider_Free(&compliance->frames[i]);
    palBeamState_Free(&compliance->ahead);
    free(compliance->frames);
    free(compliance->within);
}

//--------------------------------------------------------------------------------------------------
// The tick

// What a contact is between; false where it is not one of a wire of this rate with what is rigid.
static bool identify(const palCompliance* compliance, const palLink* link, neighbours* pair)
{
    for (int e = 0; e < 2; e++)
    {
        const palPlace* end = &link->ends[e];
        const palPlace* other = &link->ends[1 - e];
        bool isRigid = other->kind == pal_placeFixed || other->kind == pal_placeRigid;
        if (end->kind != pal_placeWire || !isRigid || other->body < 0)
            continue;
        *pair = (neighbours){.wireEnd = e, .body = other->body};
        for (int w = 0; w < compliance->wireCount; w++)
            if (compliance->wires[w].body == end->body)
                pair->wire = &compliance->wires[w];
        bool isFixed = other->kind == pal_placeFixed;
        pair->rigid = isFixed ? NULL : palCompliance_Rigid(compliance, other->body);
        pair->collider =
            isFixed ? &compliance->def->colliders[other->body] : &compliance->frames[other->body];
        return pair->wire != NULL && !pair->wire->failed;
    }
    return false;
}

static palQuat orientationOf(const neighbours* pair)
{
    return pair->rigid != NULL ? pair->rigid->state.q : pal_identityQuat;
}

// From the surface to the wire.
static palVec3 normalOf(const neighbours* pair, const palLink* link)
{
    return palScale(pair->wireEnd == 0 ? 1.0 : -1.0, link->axes[0]);
}

// Whether a contact of the snapshot is one of a node of this pair.
static bool isOf(const neighbours* pair, const palLink* link)
{
    return link->ends[pair->wireEnd].kind == pal_placeWire &&
           link->ends[pair->wireEnd].body == pair->wire->body &&
           link->ends[1 - pair->wireEnd].body == pair->body;
}

static int nodeOf(const palLink* link, int wireEnd)
{
    const palBeamPlace* place = &link->ends[wireEnd].beam;
    return place->element + (int)lround(place->s);
}

// The wire at the end of the step as the body sees it, with the body where it is at the start.
static void lookAhead(palCompliance* compliance, neighbours* pair)
{
    const palBeamState* state = &pair->wire->state;
    const palSteppedTool* rigid = pair->rigid;
    double h = compliance->def->body.dt;
    palBeamState* ahead = &compliance->ahead;
    palVec3 omega =
        rigid != NULL ? palRigid_Omega(&rigid->tool->model, &rigid->state) : pal_zeroVec3;
    for (int i = 0; i < state->nodeCount; i++)
    {
        palVec3 v = state->v[i];
        if (rigid != NULL)
            v = palSub(v, palSteppedTool_Velocity(rigid, state->x[i]));
        ahead->v[i] = v;
        pair->stride = fmax(pair->stride, h * palLength(v));
        ahead->x[i] = palMulAdd(state->x[i], h, v);
        palVec3 turn = palScale(h, palSub(state->w[i], omega));
        ahead->q[i] = palMulQuat(palMakeQuatRotationVector(turn), state->q[i]);
    }
}

// Takes the motion into the surface back, so that the wire does not pass a thin one.
static void holdBack(palCompliance* compliance, const neighbours* pair, const palLink* link)
{
    int node = nodeOf(link, pair->wireEnd);
    palVec3 normal = normalOf(pair, link);
    double into = fmin(0.0, palDot(normal, compliance->ahead.v[node]));
    compliance->ahead.x[node] =
        palMulAdd(compliance->ahead.x[node], -compliance->def->body.dt * into, normal);
}

static void enterFrame(palCompliance* compliance, const neighbours* pair)
{
    palBeamState* ahead = &compliance->ahead;
    if (pair->rigid == NULL)
        return;
    palQuat back = palConjugate(pair->rigid->state.q);
    for (int i = 0; i < pair->wire->state.nodeCount; i++)
    {
        ahead->x[i] = palSteppedTool_Local(pair->rigid, ahead->x[i]);
        ahead->q[i] = palMulQuat(back, ahead->q[i]);
    }
}

// The axes of a contact with that normal: the tangents turn with it from those of before.
static void aim(palLink* link, palVec3 normal, palVec3 tangent)
{
    palVec3 along = palMulAdd(tangent, -palDot(tangent, normal), normal);
    link->axes[0] = normal;
    if (palLength(along) > noise)
    {
        link->axes[1] = palNormalize(along);
        link->axes[2] = palCross(normal, link->axes[1]);
    }
    else
        palTangents(normal, &link->axes[1], &link->axes[2]);
}

static double gapOf(const neighbours* pair, const palLink* link)
{
    palVec3 x =
        palBeam_Point(pair->wire->wire->model, &pair->wire->state, link->ends[pair->wireEnd].beam);
    palVec3 on = link->ends[1 - pair->wireEnd].local;
    if (pair->rigid != NULL)
        on = palRigid_Point(&pair->rigid->tool->model, &pair->rigid->state, on);
    return palDot(normalOf(pair, link), palSub(x, on));
}

// Puts the contact of a node where the node will be. Of a surface that would turn its side it keeps
// the one that it has.
static void followNode(const palCompliance* compliance, const neighbours* pair, palLink* link)
{
    palPlace* on = &link->ends[1 - pair->wireEnd];
    palVec3 x = compliance->ahead.x[nodeOf(link, pair->wireEnd)];
    palNearest nearest;
    if (!palColliders_Nearest(pair->collider, 1, x, palDistance(x, on->local) + noise, &nearest))
        return;
    palVec3 normal = palRotate(orientationOf(pair), nearest.normal);
    if (palDot(normal, normalOf(pair, link)) <= 0.0)
        return;
    aim(link, palScale(pair->wireEnd == 0 ? 1.0 : -1.0, normal), link->axes[1]);
    on->local = nearest.closest.point;
    link->gap = gapOf(pair, link);
}

// The tangents of a contact of the last tick that is still there.
static palVec3 lastTangent(const palCompliance* compliance, const palLink* link)
{
    for (int i = 0; i < compliance->lastCount; i++)
        if (palLink_IsSame(&compliance->lastContacts[i], link))
            return compliance->lastContacts[i].axes[1];
    return pal_zeroVec3;
}

static void seekWithin(palCompliance* compliance, const neighbours* pair, int element,
                       const palLink* beside)
{
    const palWireSearch search = {
        .wire = pair->wire->wire,
        .body = pair->wire->body,
        .state = &compliance->ahead,
        .collider = pair->collider,
        .object = pair->body,
        .threshold = seenShare * pair->stride + seenLeast,
        .joints = compliance->joints,
        .jointCount = compliance->def->jointCount,
    };
    palLink found;
    if (compliance->withinCount == compliance->withinMost ||
        !palFindWireContactWithin(&search, element, &found))
        return;
    palLink* link = &compliance->within[compliance->withinCount++];
    *link = *beside;
    link->key = found.key;
    link->ends[pair->wireEnd].beam = found.ends[0].beam;
    link->ends[1 - pair->wireEnd].local = found.ends[1].local;
    palVec3 normal = palRotate(orientationOf(pair), found.axes[0]);
    aim(link, palScale(pair->wireEnd == 0 ? 1.0 : -1.0, normal), lastTangent(compliance, link));
    link->gap = gapOf(pair, link);
}

// The contacts of one pair, which stand together in the snapshot, `count` of them.
static void followPair(palCompliance* compliance, neighbours* pair, palLink* links, int count)
{
    lookAhead(compliance, pair);
    for (int i = 0; i < count; i++)
        holdBack(compliance, pair, &links[i]);
    enterFrame(compliance, pair);
    int last = -1; // element that was looked at
    for (int i = 0; i < count; i++)
    {
        int node = nodeOf(&links[i], pair->wireEnd);
        followNode(compliance, pair, &links[i]);
        for (int e = node - 1; e <= node; e++)
            if (e > last && e < pair->wire->wire->model->elementCount)
            {
                seekWithin(compliance, pair, e, &links[i]);
                last = e;
            }
    }
}

void palCompliance_FollowContacts(palCompliance* compliance, const palTick* tick)
{
    compliance->withinCount = 0;
    for (int l = 0; l < compliance->loopCount; l++)
    {
        palLoopView* view = &compliance->views[l];
        const palSlowSnapshot* slow = compliance->slow[l];
        int count = slow->contactCount;
        if (view->taken != tick->snapshots[l]->sequence)
            memcpy(view->contacts, slow->contacts, (size_t)count * sizeof *view->contacts);
        view->taken = tick->snapshots[l]->sequence;
        for (int i = 0; i < count && !palIsFrozen(compliance->def);)
        {
            neighbours pair;
            int end = i + 1;
            if (identify(compliance, &view->contacts[i], &pair))
            {
                while (end < count && isOf(&pair, &view->contacts[end]))
                    end++;
                followPair(compliance, &pair, view->contacts + i, end - i);
            }
            i = end;
        }
    }
}
