// SPDX-License-Identifier: Apache-2.0
// Contacts of the high rate's wires with rigid surfaces, in method `compliance`, which every tick
// finds afresh.
//
// A contact that a snapshot has is a plane where the wire was when it was found. A wire under the
// tension T that runs at the speed v over a curve of radius R leaves that plane along its tangent,
// and is drawn back at the next snapshot, Δ later: that takes T v Δ/(2 R²) of each length. So the
// tick looks itself, for the wire where it will be at the end of the step but for its motion into
// what it touched in the last one, and from there for the planes of all facets that it may reach
// (constraint/wire_contact.h). Within elements a contact is where the distance along the wire is
// least.
//
// Most nodes are far from most surfaces: each remembers how far it may move before there can be a
// contact, so that what is left out changes nothing. Forces may take a node farther in a step than
// its velocity does, as when a bent wire snaps: once λ is known the tick looks again where it takes
// the wires, adds the contacts that it had not known there, and solves again.
#include "base/error.h"
#include "constraint/wire_contact.h"
#include "render/compliance.h"

#include <stdlib.h>
#include <string.h>

enum
{
    contactsOfNode = 8, // planes around a node
    contactsMost = 320, // of all wires together
};

static const double seenShare = 2.0;  // of the motion of a step: contacts are known this far ahead
static const double seenLeast = 1e-5; // m, and this
static const double seenRadii = 0.25; // of the wire's radius: and facets beside the nearest one
static const double farBound = 0.02;  // m: as far as a surface is looked for
static const double missedDepth = 1e-6;      // m: less is no contact that was missed
static const double sameNormal = 0.999;      // cosine: a contact that is known, but for its turning
static const double beforeWall = 1.0 - 1e-6; // of the way to a wall: still on the near side
static const double strideShare = 0.5; // of the wire's radius: farther motion may jump over a wall

// How far a node, or both ends of an element, may move before it can touch.
typedef struct clearance
{
    palVec3 at[2]; // m, in the frame of the body
    double room;   // m; 0: not known
} clearance;

// A wire and a rigid body that may touch.
struct palWireMeeting
{
    const palSteppedWire* wire;
    int wireEnd;                 // of the contacts: a tool in the hand is the first of its own
    const palSteppedTool* rigid; // NULL: it does not move
    const palCollider* collider; // its surface, in its frame
    int body;                    // its id
    double planes, edges;        // m: how far from where the wire was looked for the contacts of
                                 // nodes and elements are known in this tick
    clearance* nodes;            // owned, [nodes]
    clearance* elements;         // owned, [elements]
};

// A meeting in the tick under way.
typedef struct look
{
    palCompliance* compliance;
    palWireMeeting* meeting;
    palWireSearch search;
    double stride; // m: the longest motion of a node in the step
    bool isAfter;  // λ is known
    int missed;    // contacts that were added then
} look;

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

static palResult makeFrames(palCompliance* compliance, palError* error)
{
    palResult result = pal_ok;
    for (int i = 0; i < compliance->objectCount && result == pal_ok; i++)
        result = makeFrame(compliance, &compliance->objects[i], error);
    for (int i = 0; i < compliance->shared.handCount && result == pal_ok; i++)
        if (compliance->held[i].wire < 0)
            result = makeFrame(compliance, &compliance->held[i].tool, error);
    return result;
}

static palResult meet(palCompliance* compliance, int wire, int body, palError* error)
{
    const palMethodDef* def = compliance->def;
    const palSteppedTool* rigid = palCompliance_Rigid(compliance, body);
    palWireMeeting* meeting = &compliance->meetings[compliance->meetingCount++];
    *meeting = (palWireMeeting){
        .wire = &compliance->wires[wire],
        .wireEnd = body >= def->colliderCount,
        .rigid = rigid,
        .collider = rigid != NULL ? &compliance->frames[body] : &def->colliders[body],
        .body = body,
    };
    int nodes = meeting->wire->wire->model->nodeCount;
    meeting->nodes = calloc((size_t)nodes, sizeof *meeting->nodes);
    meeting->elements = calloc((size_t)nodes, sizeof *meeting->elements);
    if (meeting->nodes == NULL || meeting->elements == NULL)
        return palError_Memory(error, "contacts of wires", (size_t)nodes * sizeof(clearance));
    return pal_ok;
}

// Every wire of the high rate with every rigid body.
static palResult meetAll(palCompliance* compliance, palError* error)
{
    const palMethodDef* def = compliance->def;
    palResult result = pal_ok;
    for (int w = 0; w < compliance->wireCount; w++)
    {
        for (int i = 0; i < def->colliderCount && result == pal_ok; i++)
            if (!palCollider_Yields(&def->colliders[i]))
                result = meet(compliance, w, i, error);
        for (int i = 0; i < compliance->shared.handCount && result == pal_ok; i++)
            if (compliance->held[i].wire < 0)
                result = meet(compliance, w, compliance->held[i].tool.body, error);
    }
    return result;
}

int palCompliance_WireContactsMost(const palMethodDef* def)
{
    int nodes = 0;
    for (int i = 0; i < def->wireCount; i++)
        nodes += def->wires[i].loop == 0 ? def->wires[i].model->nodeCount : 0;
    int wanted = palIsFrozen(def) ? 0 : contactsOfNode * nodes;
    return wanted < contactsMost ? wanted : contactsMost;
}

palResult palCompliance_InitWires(palCompliance* compliance, palError* error)
{
    const palMethodDef* def = compliance->def;
    size_t bodies = (size_t)(def->colliderCount + def->wireCount + compliance->shared.handCount);
    if (compliance->wireCount == 0 || palIsFrozen(def))
        return pal_ok;
    const palWire* longest = compliance->wires[0].wire;
    for (int i = 0; i < compliance->wireCount; i++)
        if (compliance->wires[i].wire->model->nodeCount > longest->model->nodeCount)
            longest = compliance->wires[i].wire;
    size_t meetings = (size_t)compliance->wireCount * bodies;
    compliance->rubs = calloc(bodies, sizeof *compliance->rubs);
    compliance->frameCount = (int)bodies;
    compliance->frames = calloc(bodies, sizeof *compliance->frames);
    compliance->meetings = calloc(meetings, sizeof *compliance->meetings);
    compliance->touching =
        calloc((size_t)compliance->touchingMost + 1, sizeof *compliance->touching);
    if (!compliance->rubs || !compliance->frames || !compliance->meetings || !compliance->touching)
        return palError_Memory(error, "contacts of wires", meetings * sizeof(palWireMeeting));
    for (int i = 0; i < def->colliderCount; i++)
        compliance->rubs[i] = def->colliders[i].friction;
    palResult result = palBeamState_Init(&compliance->ahead, longest->model, error);
    if (result == pal_ok)
        result = makeFrames(compliance, error);
    return result == pal_ok ? meetAll(compliance, error) : result;
}

void palCompliance_FreeWires(palCompliance* compliance)
{
    for (int i = 0; i < compliance->frameCount && compliance->frames != NULL; i++)
        palCollider_Free(&compliance->frames[i]);
    for (int i = 0; i < compliance->meetingCount; i++)
    {
        free(compliance->meetings[i].nodes);
        free(compliance->meetings[i].elements);
    }
    palBeamState_Free(&compliance->ahead);
    free(compliance->rubs);
    free(compliance->frames);
    free(compliance->meetings);
    free(compliance->touching);
}

//--------------------------------------------------------------------------------------------------
// The wire at the end of the step, as a body sees it

// From the surface to the wire.
static palVec3 normalOf(const palWireMeeting* meeting, const palLink* link)
{
    return palScale(meeting->wireEnd == 0 ? 1.0 : -1.0, link->axes[0]);
}

static bool isOf(const palWireMeeting* meeting, const palLink* link)
{
    const palPlace* end = &link->ends[meeting->wireEnd];
    return end->kind == pal_placeWire && end->body == meeting->wire->body &&
           link->ends[1 - meeting->wireEnd].body == meeting->body;
}

// Takes the motion into what the wire touched back: it does not get there.
static void holdBack(const look* l)
{
    const palCompliance* compliance = l->compliance;
    palBeamState* ahead = &l->compliance->ahead;
    double h = compliance->def->body.dt;
    for (int i = 0; i < compliance->lastCount; i++)
    {
        const palLink* link = &compliance->lastContacts[i];
        if (!isOf(l->meeting, link) || link->key % 2 != 0)
            continue;
        const palBeamPlace* place = &link->ends[l->meeting->wireEnd].beam;
        palVec3 normal = normalOf(l->meeting, link);
        int node = place->element + (int)lround(place->s);
        double into = fmin(0.0, palDot(normal, ahead->v[node]));
        ahead->x[node] = palMulAdd(ahead->x[node], -h * into, normal);
        ahead->v[node] = palMulAdd(ahead->v[node], -into, normal);
    }
}

static void enterFrame(const look* l)
{
    const palSteppedTool* rigid = l->meeting->rigid;
    palBeamState* ahead = &l->compliance->ahead;
    if (rigid == NULL)
        return;
    palQuat back = palConjugate(rigid->state.q);
    for (int i = 0; i < l->meeting->wire->state.nodeCount; i++)
    {
        ahead->x[i] = palSteppedTool_Local(rigid, ahead->x[i]);
        ahead->q[i] = palMulQuat(back, ahead->q[i]);
    }
}

// Where the wire is now, in the frame of the body.
static palVec3 presentOf(const palWireMeeting* meeting, int node)
{
    palVec3 x = meeting->wire->state.x[node];
    return meeting->rigid != NULL ? palSteppedTool_Local(meeting->rigid, x) : x;
}

// A motion that goes through a wall is looked at from where it begins or, once λ is known, from
// where it meets the wall: from behind, the nearest face may be that on the other side.
static void stayBefore(const look* l)
{
    palBeamState* ahead = &l->compliance->ahead;
    for (int i = 0; i < l->meeting->wire->state.nodeCount; i++)
    {
        palVec3 x = presentOf(l->meeting, i);
        palCrossing crossing;
        if (palDistance(x, ahead->x[i]) > strideShare * l->meeting->wire->wire->radius &&
            palBvh_FirstCrossing(l->meeting->collider->bvh, x, ahead->x[i], &crossing))
            ahead->x[i] = l->isAfter ? palLerp(x, crossing.point, beforeWall) : x;
    }
}

static void lookAhead(look* l)
{
    const palBeamState* state = &l->meeting->wire->state;
    const palSteppedTool* rigid = l->meeting->rigid;
    double h = l->compliance->def->body.dt;
    palBeamState* ahead = &l->compliance->ahead;
    palVec3 omega =
        rigid != NULL ? palRigid_Omega(&rigid->tool->model, &rigid->state) : pal_zeroVec3;
    l->stride = 0.0;
    for (int i = 0; i < state->nodeCount; i++)
    {
        palVec3 v = state->v[i];
        if (rigid != NULL)
            v = palSub(v, palSteppedTool_Velocity(rigid, state->x[i]));
        ahead->v[i] = v;
        l->stride = fmax(l->stride, h * palLength(v));
        ahead->x[i] = palMulAdd(state->x[i], h, v);
        palVec3 turn = palScale(h, palSub(state->w[i], omega));
        ahead->q[i] = palMulQuat(palMakeQuatRotationVector(turn), state->q[i]);
    }
    holdBack(l);
    enterFrame(l);
    stayBefore(l);
}

// Whether the box of the wire reaches that of the body.
static bool isNear(const look* l, double reach)
{
    const palBeamState* ahead = &l->compliance->ahead;
    int count = l->meeting->wire->state.nodeCount;
    palBounds box = {ahead->x[0], ahead->x[0]};
    for (int i = 1; i < count; i++)
        box = palBounds_With(box, ahead->x[i]);
    reach += l->meeting->wire->wire->model->elements[0].length;
    return palBounds_Meet(palBounds_Grown(box, reach), palBvh_Bounds(l->meeting->collider->bvh));
}

//--------------------------------------------------------------------------------------------------
// Contacts

// The wire's contacts come with its end first, and from the frame of the body.
static void finish(const look* l, palLink* link)
{
    const palWireMeeting* meeting = l->meeting;
    const palSteppedTool* rigid = meeting->rigid;
    palVec3 normal = link->axes[0], on = link->ends[1].local;
    link->friction = fmax(meeting->wire->wire->friction, l->compliance->rubs[meeting->body]);
    if (rigid != NULL)
    {
        link->ends[1].kind = pal_placeRigid;
        normal = palRotate(rigid->state.q, normal);
        on = palRigid_Point(&rigid->tool->model, &rigid->state, on);
    }
    palVec3 x =
        palBeam_Point(meeting->wire->wire->model, &meeting->wire->state, link->ends[0].beam);
    link->gap = palDot(normal, palSub(x, on));
    if (meeting->wireEnd == 1)
    {
        palPlace first = link->ends[0];
        link->ends[0] = link->ends[1];
        link->ends[1] = first;
        normal = palNeg(normal);
    }
    link->axes[0] = normal;
    palTangents(normal, &link->axes[1], &link->axes[2]);
    memset(link->lambda, 0, sizeof link->lambda);
}

static bool isKnown(const look* l, const palLink* link)
{
    const palCompliance* compliance = l->compliance;
    for (int i = 0; i < compliance->touchingCount; i++)
        if (palLink_IsSame(&compliance->touching[i], link) &&
            palDot(compliance->touching[i].axes[0], link->axes[0]) > sameNormal)
            return true;
    return false;
}

static void addMissed(look* l, const palLink* link)
{
    palCompliance* compliance = l->compliance;
    if (isKnown(l, link))
        return;
    if (compliance->touchingCount == compliance->touchingMost)
    {
        compliance->leftOut++;
        return;
    }
    palLink* kept = &compliance->touching[compliance->touchingCount++];
    *kept = *link;
    l->missed += palRows_AddMissed(compliance->rows, kept, compliance->wires, compliance->wireCount,
                                   l->meeting->rigid);
}

// Adds a contact; where there is no room, in place of the farthest.
static void add(look* l, palLink* link)
{
    palCompliance* compliance = l->compliance;
    finish(l, link);
    if (l->isAfter)
    {
        addMissed(l, link);
        return;
    }
    if (compliance->touchingCount < compliance->touchingMost)
    {
        compliance->touching[compliance->touchingCount++] = *link;
        return;
    }
    int worst = 0;
    for (int i = 1; i < compliance->touchingCount; i++)
        if (compliance->touching[i].gap > compliance->touching[worst].gap)
            worst = i;
    compliance->leftOut++;
    if (compliance->touching[worst].gap > link->gap)
        compliance->touching[worst] = *link;
}

static bool isClear(const clearance* clear, palVec3 first, palVec3 second, double reach)
{
    double moved = fmax(palDistance(clear->at[0], first), palDistance(clear->at[1], second));
    return clear->room - moved > reach;
}

static void lookAtNode(look* l, int node, double reach)
{
    palLink links[contactsOfNode];
    double distance;
    palVec3 at = l->compliance->ahead.x[node];
    clearance* clear = &l->meeting->nodes[node];
    if (isClear(clear, at, at, reach) ||
        (l->isAfter && palDistance(clear->at[0], at) <= l->meeting->planes))
        return;
    int found = palFindWireContactsAt(&l->search, node, farBound, contactsOfNode, links, &distance);
    if (!l->isAfter)
        *clear = (clearance){{at, at}, fmin(distance, farBound)};
    for (int i = 0; i < found && i < contactsOfNode; i++)
        add(l, &links[i]);
    l->compliance->leftOut += found > contactsOfNode ? found - contactsOfNode : 0;
}

static void lookWithin(look* l, int element, double reach)
{
    palLink link;
    double distance;
    const palVec3* x = &l->compliance->ahead.x[element];
    const clearance* nodes = &l->meeting->nodes[element];
    // The distance changes along the wire by at most the length.
    double ends = nodes[0].room - palDistance(nodes[0].at[0], x[0]) + nodes[1].room -
                  palDistance(nodes[1].at[0], x[1]);
    clearance* clear = &l->meeting->elements[element];
    if (0.5 * (ends - palDistance(x[0], x[1])) > reach || isClear(clear, x[0], x[1], reach) ||
        (l->isAfter && palDistance(clear->at[0], x[0]) <= l->meeting->edges &&
         palDistance(clear->at[1], x[1]) <= l->meeting->edges))
        return;
    bool isFound = palFindWireContactWithin(&l->search, element, &link, &distance);
    if (!l->isAfter)
        *clear = (clearance){{x[0], x[1]}, distance};
    if (isFound)
        add(l, &link);
}

static void lookAll(look* l, double nodes, double elements)
{
    palCompliance* compliance = l->compliance;
    const palWire* wire = l->meeting->wire->wire;
    l->search = (palWireSearch){
        .wire = wire,
        .body = l->meeting->wire->body,
        .state = &compliance->ahead,
        .collider = l->meeting->collider,
        .object = l->meeting->body,
        .threshold = nodes,
        .joints = compliance->joints,
        .jointCount = compliance->def->jointCount,
    };
    for (int i = 0; i < wire->model->nodeCount; i++)
        lookAtNode(l, i, nodes + wire->radius);
    l->search.threshold = elements;
    for (int e = 0; e < wire->model->elementCount; e++)
        lookWithin(l, e, elements + wire->radius);
}

// Before λ is known.
static void lookBefore(palCompliance* compliance, palWireMeeting* meeting)
{
    look l = {.compliance = compliance, .meeting = meeting};
    const palWire* wire = meeting->wire->wire;
    if (meeting->wire->failed)
        return;
    lookAhead(&l);
    meeting->edges = seenShare * l.stride + seenLeast;
    meeting->planes = meeting->edges + seenRadii * wire->radius;
    if (isNear(&l, meeting->planes + wire->radius))
        lookAll(&l, meeting->planes, meeting->edges);
}

// Gives the force of a contact of the last tick to the one whose plane is most like its own, and
// its tangents, turned with the normal.
static void handOver(palCompliance* compliance, int last)
{
    const palLink* from = &compliance->lastContacts[last];
    palLink* to = NULL;
    for (int i = 0; i < compliance->touchingCount; i++)
    {
        palLink* link = &compliance->touching[i];
        if (palLink_IsSame(link, from) && (to == NULL || palDot(link->axes[0], from->axes[0]) >
                                                             palDot(to->axes[0], from->axes[0])))
            to = link;
    }
    if (to == NULL)
        return;
    palVec3 along = palMulAdd(from->axes[1], -palDot(from->axes[1], to->axes[0]), to->axes[0]);
    memcpy(to->lambda, compliance->lastLambda[last], sizeof compliance->lastLambda[last]);
    if (palLengthSquared(along) > 0.0)
    {
        to->axes[1] = palNormalize(along);
        to->axes[2] = palCross(to->axes[0], to->axes[1]);
    }
}

void palCompliance_FindWireContacts(palCompliance* compliance)
{
    compliance->touchingCount = 0;
    for (int i = 0; i < compliance->meetingCount; i++)
        lookBefore(compliance, &compliance->meetings[i]);
    for (int i = 0; i < compliance->lastCount; i++)
        handOver(compliance, i);
}

// Where λ takes the wire, as the body sees it where λ takes that.
static void lookAtEnd(look* l)
{
    palCompliance* compliance = l->compliance;
    const palSteppedWire* wire = l->meeting->wire;
    palBeamState* ahead = &compliance->ahead;
    ahead->nodeCount = wire->state.nodeCount;
    palBeamState_Copy(ahead, &wire->state);
    palBeam_Integrate(wire->wire->model, &wire->work, ahead);
    if (l->meeting->rigid == NULL)
        return;
    palSteppedTool moved = *l->meeting->rigid;
    palRows_MoveTool(compliance->rows, &moved);
    palQuat back = palConjugate(moved.state.q);
    for (int i = 0; i < ahead->nodeCount; i++)
    {
        ahead->x[i] = palSteppedTool_Local(&moved, ahead->x[i]);
        ahead->q[i] = palMulQuat(back, ahead->q[i]);
    }
}

static bool lookAfter(palCompliance* compliance, palWireMeeting* meeting)
{
    look l = {.compliance = compliance, .meeting = meeting, .isAfter = true};
    double radius = meeting->wire->wire->radius;
    if (meeting->wire->failed)
        return false;
    lookAtEnd(&l);
    if (!isNear(&l, radius))
        return false;
    stayBefore(&l);
    lookAll(&l, -missedDepth, -missedDepth);
    return l.missed > 0;
}

bool palCompliance_FindMissed(palCompliance* compliance)
{
    bool isAny = false;
    palRows_CorrectWires(compliance->rows, compliance->wires, compliance->wireCount);
    for (int i = 0; i < compliance->meetingCount; i++)
        isAny = lookAfter(compliance, &compliance->meetings[i]) || isAny;
    return isAny;
}
