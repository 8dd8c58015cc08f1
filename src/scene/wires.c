// SPDX-License-Identifier: Apache-2.0
#include "scene/wires.h"

#include "base/error.h"
#include "collide/tube.h"
#include "render/method.h"

#include <stdio.h>
#include <stdlib.h>

static const double shortest = 1e-6; // m: of an element
// Of the grip until the device's limits are known, N/m and N·s/m.
static const double usualStiffness = 1000.0;
static const double usualDamping = 0.8;
// θ of the second-order integrator: as near to ½ as a taut wire bears (body/beam.h).
static const double ringing = 0.55;

static palBeamSection makeSection(const palSceneWire* wire)
{
    const palSceneSection* section = &wire->section;
    double poisson = wire->material.poisson;
    if (section->shape == pal_sectionRectangle)
        return palMakeBoxSection(section->width, section->height, poisson);
    if (section->shape == pal_sectionTube)
        return palMakeTubeSection(section->radius, section->inner, poisson);
    return palMakeRoundSection(section->radius, poisson);
}

// The point at a share of the length of a polyline.
static palVec3 alongPolyline(const palSceneWirePoint* points, int count, double length,
                             double share)
{
    double left = share * length;
    for (int i = 0; i + 1 < count; i++)
    {
        double piece = palDistance(points[i].at, points[i + 1].at);
        if (left <= piece || i + 2 == count)
            return palLerp(points[i].at, points[i + 1].at,
                           piece > 0.0 ? fmin(left / piece, 1.0) : 0.0);
        left -= piece;
    }
    return points[0].at;
}

// The nodes at rest, equally spaced. Returns the length of an element.
static double spaceNodes(const palSceneWire* wire, palVec3* nodes)
{
    const palSceneWirePoint ends[2] = {{wire->start}, {wire->end}};
    const palSceneWirePoint* points = wire->isStraight ? ends : wire->points;
    int count = wire->isStraight ? 2 : wire->pointCount;
    double length = 0.0;
    for (int i = 0; i + 1 < count; i++)
        length += palDistance(points[i].at, points[i + 1].at);
    for (int i = 0; i <= wire->elements; i++)
        nodes[i] = alongPolyline(points, count, length, (double)i / wire->elements);
    return count >= 2 ? length / wire->elements : 0.0;
}

static palResult checkWire(const palScene* scene, const palSceneWire* wire, double piece,
                           palError* error)
{
    palWireEnd end;
    bool isHeld = palScene_Holder(scene, (int)(wire - scene->wires), &end) >= 0;
    if (!(piece >= shortest))
    {
        palError_Set(error, pal_errorInput, "%s has no length", wire->name);
        palError_Remedy(error,
                        "its points must be apart: give start and end, or points, in metres");
    }
    else if (wire->section.shape == pal_sectionTube && wire->section.inner >= wire->section.radius)
    {
        palError_Set(error, pal_errorInput, "the tube of %s has no wall", wire->name);
        palError_Remedy(error, "section.inner must be below section.radius");
    }
    else if (isHeld && wire->loop != 0)
    {
        palError_Set(error, pal_errorInput, "the hand holds %s, which is not at the high rate",
                     wire->name);
        palError_Remedy(error, "give it loop: 0");
    }
    else
        return pal_ok;
    return palScene_At(scene, wire->place, "wires", error);
}

static void holdEnd(palWireEnd which, int last, uint8_t* held)
{
    if (which == pal_wireEndStart || which == pal_wireEndBoth)
        held[0] = pal_holdNode;
    if (which == pal_wireEndEnd || which == pal_wireEndBoth)
        held[last] = pal_holdNode;
}

static palResult makeWire(palSceneBodies* world, const palScene* scene, const palSceneWire* from,
                          palError* error)
{
    palVec3 nodes[pal_wireNodesMax];
    uint8_t held[pal_wireNodesMax] = {0};
    double piece = spaceNodes(from, nodes);
    palResult result = checkWire(scene, from, piece, error);
    if (result != pal_ok)
        return result;
    palBeamSection section = makeSection(from);
    palWireEnd end;
    int holder = palScene_Holder(scene, (int)(from - scene->wires), &end);
    bool isHeld = holder >= 0;
    if (isHeld && from->grip == pal_gripRigid)
        holdEnd(end, from->elements, held);
    holdEnd(from->clamped, from->elements, held);
    palBeamDef def = palDefaultBeamDef();
    def.nodeCount = from->elements + 1;
    def.points = nodes;
    def.sections = &section;
    def.sectionCount = 1;
    def.material = from->material;
    def.held = held;
    def.mass = from->mass;
    def.massDamping = from->damping.mass;
    def.stiffnessDamping = from->damping.stiffness;
    const palMethodOps* method = palFindMethodForm(scene->method.name, palScene_HandKind(scene, 0));
    bool isFast = from->loop == 0 && palMethodOps_Accepts(method, PAL_ACCEPTS(pal_partLoop));
    bool isMidpoint = from->integrator == pal_integratorMidpoint && isFast;
    def.implicitness = isMidpoint ? ringing : 1.0;
    def.gravity = scene->gravity;
    palWire* wire = &world->wires[world->wireCount];
    *wire = (palWire){
        .loop = from->loop,
        .radius = section.reach,
        .friction = from->friction,
        .handNode = -1,
    };
    snprintf(wire->name, sizeof wire->name, "%s", from->name);
    if (isHeld)
    {
        wire->handNode = end == pal_wireEndStart ? 0 : from->elements;
        wire->hand = holder;
    }
    wire->isSprung = wire->handNode >= 0 && from->grip == pal_gripSpring;
    if (wire->isSprung)
        def.coupling = palMakeWireCoupling(wire->handNode, usualStiffness, usualDamping);
    result = palBeamModel_Create(&def, &wire->model, error);
    if (result != pal_ok)
        return palScene_At(scene, from->place, "wires", error);
    return palTube_Init(&world->colliders[world->count + world->wireCount++], wire, error);
}

//--------------------------------------------------------------------------------------------------

// What method compliance needs of a scene: no more than one wire in a hand.
static palResult checkHands(const palScene* scene, palError* error)
{
    palWireEnd end;
    int held = 0, hands = 0;
    for (int i = 0; i < scene->wireCount; i++)
        held += palScene_Holder(scene, i, &end) >= 0;
    for (int i = 0; i < palScene_HandCount(scene); i++)
        hands += palScene_HandKind(scene, i) == pal_handWire;
    if (held <= hands || hands == 0)
        return pal_ok;
    palError_Set(error, pal_errorInput,
                 "method compliance needs one wire that the hand holds, not several");
    palError_Remedy(error, "give one of `wires` hand: start or hand: end");
    palScenePlace place = scene->wireCount > 0 ? scene->wires[0].place : (palScenePlace){0};
    return place.line > 0 ? palScene_At(scene, place, "wires", error)
                          : palError_At(error, scene->file, 0, 0);
}

static palResult allocate(palSceneBodies* world, const palScene* scene, palError* error)
{
    size_t wires = (size_t)scene->wireCount * sizeof *world->wires;
    size_t joints = (size_t)scene->jointCount * sizeof *world->joints;
    world->wires = calloc(1, wires + 1);
    world->joints = calloc(1, joints + 1);
    world->anchors = calloc(2 * (size_t)scene->jointCount + 1, sizeof *world->anchors);
    if (world->wires == NULL || world->joints == NULL || world->anchors == NULL)
        return palError_Memory(error, "the wires and joints of the scene", wires + joints);
    return pal_ok;
}

palResult palSceneBodies_AddWires(palSceneBodies* world, const palScene* scene, palError* error)
{
    palResult result = checkHands(scene, error);
    if (result == pal_ok)
        result = allocate(world, scene, error);
    for (int i = 0; i < scene->wireCount && result == pal_ok; i++)
        result = makeWire(world, scene, &scene->wires[i], error);
    if (result == pal_ok)
        result = palSceneBodies_AddJoints(world, scene, error);
    return result;
}
