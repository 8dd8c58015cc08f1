// SPDX-License-Identifier: Apache-2.0
#include "scene/rigid_shapes.h"

#include "base/error.h"

#include <string.h>

palPose palSceneObject_Pose(const palSceneObject* object)
{
    return (palPose){object->position, palSceneObject_Rotation(object)};
}

static bool haveSamePoints(const palShapeDef* a, const palShapeDef* b)
{
    if (a->pointCount != b->pointCount)
        return false;
    for (int i = 0; i < a->pointCount; i++)
        if (palDistance(a->points[i].at, b->points[i].at) != 0.0)
            return false;
    return true;
}

// Whether two objects have the same shape in their own frames.
static bool haveSameShape(const palSceneObject* a, const palSceneObject* b)
{
    if (a->surface != NULL || b->surface != NULL || a->scale != b->scale ||
        a->tolerance != b->tolerance || strcmp(a->mesh, b->mesh) != 0 ||
        a->representation != b->representation)
        return false;
    if (a->mesh[0] != '\0')
        return a->unit == b->unit;
    const palShapeDef *p = &a->shape, *q = &b->shape;
    return p->kind == q->kind && palDistance(p->size, q->size) == 0.0 && p->radius == q->radius &&
           p->height == q->height && p->amplitude == q->amplitude &&
           p->wavelength == q->wavelength && p->resolution == q->resolution && haveSamePoints(p, q);
}

// The exact round shape or box that a kind stands for. Returns false where it has none.
static bool makeExact(const palSceneObject* object, palRigidShape* shape, palResult* result,
                      palError* error)
{
    const palShapeDef* def = &object->shape;
    const double s = object->scale;
    palShapeKind kind = object->mesh[0] != '\0' ? pal_shapeKindCount : def->kind;
    if (kind == pal_shapeBox)
        *result = palRigidShape_InitBox(shape, palScale(s, def->size), error);
    else if (kind == pal_shapeSphere)
        *result = palRigidShape_InitSphere(shape, s * def->radius, error);
    else if (kind == pal_shapeCylinder || kind == pal_shapePeg)
        *result = palRigidShape_InitCylinder(shape, s * def->radius, s * def->height, error);
    else if (kind == pal_shapeProbe || kind == pal_shapeCapsule)
        *result = palRigidShape_InitCapsule(shape, s * def->radius, s * def->height, error);
    else if (kind == pal_shapeHalfSpace)
        *result = palRigidShape_InitHalfSpace(shape);
    else
        return false;
    return true;
}

// What a surface in the object's frame holds: a convex polyhedron where it shall be or is one.
static palResult makeSolid(const palSceneObject* object, const palSurface* local,
                           palRigidShape* shape, palError* error)
{
    bool isHull = object->representation == pal_representHull;
    if (object->mesh[0] == '\0' && !isHull)
        isHull = object->shape.kind == pal_shapeHull ||
                 (object->shape.kind == pal_shapeExtrusion &&
                  palRigidShape_InitConvexSurface(shape, local, NULL) == pal_ok);
    if (shape->extent > 0.0)
        return pal_ok;
    return isHull ? palRigidShape_InitConvexSurface(shape, local, error)
                  : palRigidShape_InitMesh(shape, local, error);
}

// The surface of an object that stands in the world, in the object's frame.
static palResult takeSurface(const palScene* scene, const palSceneObject* object,
                             const palCollider* collider, palSurface* local, palError* error)
{
    palSceneObject origin = *object;
    palMessages told = {0}; // when the object was made
    if (collider == NULL)
    {
        origin.position = origin.rotation = pal_zeroVec3;
        palResult result = palSceneObject_Surface(scene, &origin, local, &told, error);
        palMessages_Free(&told);
        return result;
    }
    palPose pose = palSceneObject_Pose(object);
    palQuat back = palConjugate(pose.q);
    palResult result = palSurface_Copy(&collider->surface, local, error);
    if (result == pal_ok)
        palSurface_Transform(local, 1.0, back, palNeg(palRotate(back, pose.x)));
    return result;
}

// The shape of an object, or of a part, whose surface no collider has.
static palResult findShape(palSceneBodies* world, const palScene* scene,
                           const palSceneObject* object, const palCollider* collider,
                           const palRigidShape** shape, palError* error)
{
    for (int i = 0; i < world->shapeCount; i++)
        if (haveSameShape(&world->shapes[i].of, object))
        {
            *shape = &world->shapes[i].shape;
            return pal_ok;
        }
    palSceneShape* made = &world->shapes[world->shapeCount++];
    palResult result;
    made->of = *object;
    *shape = &made->shape;
    if (!makeExact(object, &made->shape, &result, error))
    {
        palSurface local = {0};
        result = takeSurface(scene, object, collider, &local, error);
        if (result == pal_ok)
            result = makeSolid(object, &local, &made->shape, error);
        palSurface_Free(&local);
    }
    return result == pal_ok ? pal_ok : palScene_At(scene, object->place, "objects", error);
}

palResult palSceneBodies_MakeParts(palSceneBodies* world, const palScene* scene, int index,
                                   palPilePart* parts, palError* error)
{
    const palSceneObject* object = &scene->objects[index];
    parts[0].pose = pal_identityPose;
    if (object->partCount == 0)
        return findShape(world, scene, object, &world->colliders[index], &parts[0].shape, error);
    palResult result = pal_ok;
    for (int i = 0; i < object->partCount && result == pal_ok; i++)
    {
        palSceneObject part = palScenePart_Object(&object->parts[i]);
        part.scale *= object->scale;
        part.representation = object->representation;
        parts[i].pose = palSceneObject_Pose(&part);
        parts[i].pose.x = palScale(object->scale, parts[i].pose.x);
        result = findShape(world, scene, &part, NULL, &parts[i].shape, error);
    }
    return result;
}

palResult palSceneBodies_MakeToolPart(palSceneBodies* world, const palScene* scene, int hand,
                                      palError* error)
{
    palSceneToolBody* tool = &world->tools[hand];
    palSceneObject object = palSceneTool_Object(&palScene_HandAt(scene, hand)->tool);
    palResult result = pal_ok;
    if (makeExact(&object, &tool->exact, &result, error) && result == pal_ok)
        tool->part = (palPilePart){&tool->exact, palSceneObject_Pose(&object)};
    return result;
}
