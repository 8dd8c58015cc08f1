// SPDX-License-Identifier: Apache-2.0
// The joints of a scene.
#include "scene/wires.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const double touching = 1e-3; // m: what is joined is no farther apart at the start

//--------------------------------------------------------------------------------------------------
// Ends

static int findWire(const palSceneBodies* world, const char* name)
{
    for (int i = 0; i < world->wireCount; i++)
        if (strcmp(world->wires[i].name, name) == 0)
            return i;
    return -1;
}

static int findObject(const palScene* scene, const char* name)
{
    for (int i = 0; i < scene->objectCount; i++)
        if (strcmp(scene->objects[i].name, name) == 0)
            return i;
    return -1;
}

static palResult refuseJoint(const palScene* scene, const palSceneJoint* joint, palError* error)
{
    return palScene_At(scene, joint->place, "joints", error);
}

static palResult unknownName(const palScene* scene, const palSceneJoint* joint, const char* name,
                             bool wiresOnly, palError* error)
{
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; i < scene->wireCount && used + 1 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                                 scene->wires[i].name);
    for (int i = 0; i < scene->objectCount && !wiresOnly && used + 1 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                                 scene->objects[i].name);
    for (int i = 0; i < palScene_HandCount(scene) && !wiresOnly && used + 1 < sizeof names; i++)
    {
        char tool[16];
        if (palScene_HandAt(scene, i)->hasTool)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : "", palToolName(i, tool));
    }
    palError_Set(error, pal_errorInput, "nothing is named '%s'", name);
    palError_Remedy(error, "there %s %s%s", wiresOnly ? "are the wires" : "are", names,
                    wiresOnly ? "" : ", and world");
    return refuseJoint(scene, joint, error);
}

static palBeamPlace placeAt(const palBeamModel* model, double share)
{
    double at = share * model->elementCount;
    int element = (int)at;
    element = element < model->elementCount ? element : model->elementCount - 1;
    return (palBeamPlace){.element = element, .s = at - element};
}

static palVec3 restPoint(const palBeamModel* model, palBeamPlace place)
{
    return palLerp(model->restX[place.element], model->restX[place.element + 1], place.s);
}

static palBeamPlace nearestPlace(const palBeamModel* model, palVec3 point)
{
    palBeamPlace best = {0};
    double least = INFINITY;
    for (int e = 0; e < model->elementCount; e++)
    {
        palVec3 chord = palSub(model->restX[e + 1], model->restX[e]);
        double s = palDot(palSub(point, model->restX[e]), chord) / palLengthSquared(chord);
        palBeamPlace place = {.element = e, .s = fmin(fmax(s, 0.0), 1.0)};
        double d = palDistance(point, restPoint(model, place));
        if (d < least)
        {
            least = d;
            best = place;
        }
    }
    return best;
}

// The orientation of an end at rest.
static palQuat restTurn(const palSceneBodies* world, const palPlace* end)
{
    if (end->kind != pal_placeWire)
        return pal_identityQuat;
    const palBeamModel* model = world->wires[end->body - world->count].model;
    palBeamState rest = {.nodeCount = model->nodeCount, .x = model->restX, .q = model->restQ};
    return palBeam_Rotation(model, &rest, end->beam);
}

// The place of a named thing nearest to a point of the world: of a wire, of an object's surface, of
// the tool, or of the world itself. Gives the point there. The frame of the tool is not known
// before the device is read: its places, and those of objects that move, are in the world until
// then.
static palResult findEnd(const palSceneBodies* world, const palScene* scene,
                         const palSceneJoint* joint, const char* name, palVec3 point, palPlace* end,
                         palVec3* at, palError* error)
{
    int wire = findWire(world, name);
    int object = findObject(scene, name);
    *end = palMakeFixedPlace(-1, point);
    *at = point;
    if (wire >= 0)
    {
        const palBeamModel* model = world->wires[wire].model;
        *end = palMakeWirePlace(world->count + wire, nearestPlace(model, point));
        *at = restPoint(model, end->beam);
        return pal_ok;
    }
    int tool = palScene_FindTool(scene, name);
    if (object < 0 && tool >= 0)
    {
        end->kind = pal_placeRigid;
        end->body = world->count + scene->wireCount + palScene_HandRank(scene, tool);
        return pal_ok;
    }
    if (object < 0)
        return strcmp(name, "world") == 0 ? pal_ok : unknownName(scene, joint, name, false, error);
    const palCollider* collider = &world->colliders[object];
    palNearest nearest;
    palClosest closest;
    palBvh_Closest(collider->bvh, point, INFINITY, &closest);
    end->local = *at = closest.point;
    end->body = object;
    // A rigid solid can be held within as well.
    if (collider->soft == NULL && collider->closed &&
        palColliders_Nearest(collider, 1, point, INFINITY, &nearest) && nearest.gap < 0.0)
        end->local = *at = point;
    if (scene->objects[object].motion != pal_motionFixed)
        end->kind = pal_placeRigid;
    if (collider->soft == NULL)
        return pal_ok;
    end->kind = pal_placeSurface;
    end->on = palMakeTrianglePlace(collider->surface.triangles[closest.triangle], closest.weights);
    return pal_ok;
}

//--------------------------------------------------------------------------------------------------
// Checks

// The slower loop of an end, from 1; 0: at the high rate, or it does not move.
static int loopOf(const palSceneBodies* world, const palPlace* end)
{
    if (end->kind == pal_placeSurface)
        return world->colliders[end->body].loop + 1;
    return end->kind == pal_placeWire ? world->wires[end->body - world->count].loop : 0;
}

static bool hasAxis(const palSceneJoint* joint)
{
    return joint->kind == pal_linkHinge || joint->kind == pal_linkSlider;
}

// The motion that is left: only a hinge and a slider have an axis, limits and friction. Returns
// whether they are good.
static bool checkAxis(const palSceneJoint* joint, palError* error)
{
    if (hasAxis(joint) && !(joint->hasAxis && palLength(joint->axis) > 1e-9))
    {
        const char* kind = joint->kind == pal_linkHinge ? "hinge" : "slider";
        palError_Set(error, pal_errorInput, "the axis of a %s %s", kind,
                     joint->hasAxis ? "has no direction" : "is not given");
        palError_Remedy(error, "give axis: [0, 0, 1], for example");
        return false;
    }
    if (hasAxis(joint) || !palSceneJoint_IsSlider(joint))
        return true;
    const char* key = !isnan(joint->low) ? "low" : !isnan(joint->high) ? "high" : "friction";
    palError_Set(error, pal_errorInput, "'%s' is for joints of kind hinge and slider", key);
    palError_Remedy(error, "take it out, or use kind: hinge");
    return false;
}

// What a kind of joint cannot do. Returns whether it can.
static bool checkKind(const palSceneBodies* world, const palSceneJoint* joint, const palLink* link,
                      const char* name, palError* error)
{
    const palPlace* ends = link->ends;
    int loops[2] = {loopOf(world, &ends[0]), loopOf(world, &ends[1])};
    if (joint->kind == pal_linkRing && ends[0].kind != pal_placeWire)
    {
        palError_Set(error, pal_errorInput, "a ring joins %s and %s, and neither is a wire", name,
                     joint->to);
        palError_Remedy(error, "use kind: ball");
    }
    else if (joint->kind == pal_linkRing && loops[0] != 0)
    {
        palError_Set(error, pal_errorInput, "%s, which slides, is not at the high rate", name);
        palError_Remedy(error, "give it loop: 0");
    }
    else if (joint->kind == pal_linkHinge && loops[0] > 0 && loops[1] > 0 && loops[0] != loops[1])
    {
        palError_Set(error, pal_errorInput, "a hinge joins %s and %s of two different loops", name,
                     joint->to);
        palError_Remedy(error, "give both the same loop, or one loop: 0");
    }
    else
        return checkAxis(joint, error);
    return false;
}

// Whether an end does not move.
static bool isStill(const palScene* scene, const palPlace* end)
{
    bool isDriven = end->kind == pal_placeRigid && end->body < scene->objectCount &&
                    scene->objects[end->body].motion == pal_motionDriven;
    return end->kind == pal_placeFixed || isDriven;
}

static palResult checkJoint(const palSceneBodies* world, const palScene* scene,
                            const palSceneJoint* joint, const palLink* link, double apart,
                            palError* error)
{
    const char* name = joint->body[0] != '\0' ? joint->body : joint->wire;
    const palPlace* ends = link->ends;
    if (isStill(scene, &ends[0]) && isStill(scene, &ends[1]))
    {
        palError_Set(error, pal_errorInput, "%s and %s do not move: nothing can be joined", name,
                     joint->to);
        palError_Remedy(error,
                        "join something soft, an object with motion: free, a wire or the tool");
    }
    else if (ends[0].body == ends[1].body)
    {
        palError_Set(error, pal_errorInput, "%s is joined to itself", name);
        palError_Remedy(error, "name another thing with `to`");
    }
    else if (apart > touching)
    {
        palError_Set(error, pal_errorInput, "%s is %.3g mm from %s where they are joined", name,
                     1e3 * apart, joint->to);
        palError_Remedy(error, "move one of them: at most %g mm are made up for", 1e3 * touching);
    }
    else if (checkKind(world, joint, link, name, error))
        return pal_ok;
    return refuseJoint(scene, joint, error);
}

//--------------------------------------------------------------------------------------------------
// Making

// What the joint holds of the soft bodies at its ends.
static palResult makeAnchors(palSceneBodies* world, const palScene* scene,
                             const palSceneJoint* joint, palLink* link, palError* error)
{
    palResult result = pal_ok;
    for (int e = 0; e < 2 && result == pal_ok; e++)
    {
        palPlace* end = &link->ends[e];
        if (end->kind != pal_placeSurface || !(palLink_Turns(link) || joint->radius > 0.0))
            continue;
        const palCollider* collider = &world->colliders[end->body];
        palAnchor* anchor;
        result = palAnchor_Create(collider->soft, &collider->skin, &collider->surface, &end->on,
                                  joint->radius, &anchor, error);
        if (result != pal_ok)
            return refuseJoint(scene, joint, error);
        end->anchor = world->anchors[world->anchorCount++] = anchor;
    }
    return result;
}

// The first end, and the point of the world at which they are joined.
static palResult findFirst(const palSceneBodies* world, const palScene* scene,
                           const palSceneJoint* joint, palPlace* end, palVec3* point,
                           palError* error)
{
    int wire = findWire(world, joint->wire);
    if (joint->body[0] != '\0' && !joint->hasPoint)
    {
        palError_Set(error, pal_errorInput, "where %s is joined is not said", joint->body);
        palError_Remedy(error, "give point: [x, y, z], in metres in the world");
        return refuseJoint(scene, joint, error);
    }
    if (joint->body[0] != '\0')
        return findEnd(world, scene, joint, joint->body, joint->point, end, point, error);
    if (wire < 0)
        return unknownName(scene, joint, joint->wire, true, error);
    const palBeamModel* model = world->wires[wire].model;
    *end = palMakeWirePlace(world->count + wire, placeAt(model, joint->at));
    *point = restPoint(model, end->beam);
    return pal_ok;
}

// The motion that a hinge or slider leaves, in radians or metres.
static void setLimits(const palSceneJoint* joint, palLink* link)
{
    const double unit = joint->kind == pal_linkHinge ? PAL_PI / 180.0 : 1.0;
    link->low = isnan(joint->low) ? -INFINITY : unit * joint->low;
    link->high = isnan(joint->high) ? INFINITY : unit * joint->high;
    link->jointFriction = joint->friction;
}

static palResult makeJoint(palSceneBodies* world, const palScene* scene, const palSceneJoint* joint,
                           palError* error)
{
    palLink link = {
        .kind = joint->kind,
        .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        .turn = pal_identityQuat,
    };
    palVec3 point, at;
    palResult result = findFirst(world, scene, joint, &link.ends[0], &point, error);
    palVec3 wanted = joint->body[0] != '\0' ? joint->point : point;
    if (result == pal_ok)
        result = findEnd(world, scene, joint, joint->to, wanted, &link.ends[1], &at, error);
    if (result != pal_ok)
        return result;
    // The wire of a ring is its first end.
    if (joint->kind == pal_linkRing && link.ends[0].kind != pal_placeWire)
    {
        palPlace first = link.ends[0];
        link.ends[0] = link.ends[1];
        link.ends[1] = first;
    }
    double apart = fmax(palDistance(point, at), palDistance(point, wanted));
    result = checkJoint(world, scene, joint, &link, apart, error);
    if (result != pal_ok)
        return result;
    result = makeAnchors(world, scene, joint, &link, error);
    const palQuat turns[2] = {restTurn(world, &link.ends[0]), restTurn(world, &link.ends[1])};
    link.turn = palMulQuat(palConjugate(turns[1]), turns[0]);
    for (int e = 0; e < 2 && hasAxis(joint); e++)
        link.hinge[e] = palRotate(palConjugate(turns[e]), palNormalize(joint->axis));
    if (joint->kind == pal_linkHinge)
        palLink_AimHinge(&link, turns[1]);
    setLimits(joint, &link);
    world->joints[world->jointCount++] = link;
    return result;
}

palResult palSceneBodies_AddJoints(palSceneBodies* world, const palScene* scene, palError* error)
{
    palResult result = pal_ok;
    for (int i = 0; i < scene->jointCount && result == pal_ok; i++)
        result = makeJoint(world, scene, &scene->joints[i], error);
    return result;
}

palLink palSceneBodies_HoldJoint(const palSceneBodies* world, const palLink* joint,
                                 const bool* moves)
{
    palLink link = *joint;
    for (int e = 0; e < 2; e++)
    {
        palPlace* end = &link.ends[e];
        bool isSoft = end->kind == pal_placeSurface;
        if (end->kind == pal_placeFixed || (isSoft && moves[end->body]))
            continue;
        palVec3 at = end->local;
        if (isSoft)
            at = palCollider_Point(&world->colliders[end->body], &end->on);
        if (end->kind == pal_placeWire)
            at = restPoint(world->wires[end->body - world->count].model, end->beam);
        palPlace held = palMakeFixedPlace(end->kind == pal_placeRigid ? -1 : end->body, at);
        held.on = end->on;
        held.orientation = restTurn(world, end);
        *end = held;
    }
    if (link.kind == pal_linkRing)
        link.kind = pal_linkBall;
    return link;
}
