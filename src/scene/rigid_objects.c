// SPDX-License-Identifier: Apache-2.0
#include "scene/rigid_objects.h"

#include "base/error.h"
#include "device/trajectory.h"

#include <stdlib.h>
#include <string.h>

static bool usesPile(const palScene* scene)
{
    return (palScene_Parts(scene) & PAL_ACCEPTS(pal_partFree)) != 0 ||
           strcmp(scene->method.name, "impulse") == 0;
}

static palPose poseOf(const palSceneObject* object)
{
    return (palPose){object->position, palSceneObject_Rotation(object)};
}

// Whether two objects have the same shape in their own frames.
static bool haveSameShape(const palSceneObject* a, const palSceneObject* b)
{
    if (a->surface != NULL || b->surface != NULL || a->scale != b->scale ||
        strcmp(a->mesh, b->mesh) != 0)
        return false;
    if (a->mesh[0] != '\0')
        return a->unit == b->unit;
    const palShapeDef *p = &a->shape, *q = &b->shape;
    return p->kind == q->kind && palDistance(p->size, q->size) == 0.0 && p->radius == q->radius &&
           p->height == q->height && p->amplitude == q->amplitude &&
           p->wavelength == q->wavelength && p->resolution == q->resolution;
}

// What the surface of an object holds, in the object's frame.
static palResult makeMeshShape(const palSceneObject* object, const palCollider* collider,
                               palRigidShape* shape, palError* error)
{
    palSurface local = {0};
    palPose pose = poseOf(object);
    palResult result = palSurface_Copy(&collider->surface, &local, error);
    if (result != pal_ok)
        return result;
    palQuat back = palConjugate(pose.q);
    palSurface_Transform(&local, 1.0, back, palNeg(palRotate(back, pose.x)));
    result = palRigidShape_InitMesh(shape, &local, error);
    palSurface_Free(&local);
    return result;
}

// The exact shape that a kind stands for. Returns false where it has none.
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
    else if (kind == pal_shapeProbe)
        *result = palRigidShape_InitCapsule(shape, s * def->radius, s * def->height, error);
    else if (kind == pal_shapeHalfSpace)
        *result = palRigidShape_InitHalfSpace(shape);
    else
        return false;
    return true;
}

static palResult makeShape(const palSceneObject* object, const palCollider* collider,
                           palRigidShape* shape, palError* error)
{
    palResult result;
    return makeExact(object, shape, &result, error) ? result
                                                    : makeMeshShape(object, collider, shape, error);
}

static palResult addToolShape(palSceneBodies* world, const palScene* scene, int hand,
                              palError* error)
{
    palSceneToolBody* tool = &world->tools[hand];
    palSceneObject object = palSceneTool_Object(&palScene_HandAt(scene, hand)->tool);
    palResult result = pal_ok;
    if (makeExact(&object, &tool->exact, &result, error) && result == pal_ok)
        tool->part = (palPilePart){&tool->exact, poseOf(&object)};
    return result;
}

static palResult refuse(const palScene* scene, int index, palError* error)
{
    return palScene_At(scene, scene->objects[index].place, "objects", error);
}

static palResult findShape(palSceneBodies* world, const palScene* scene, int index,
                           const palRigidShape** shape, palError* error)
{
    for (int i = 0; i < index; i++)
        if (!scene->objects[i].isSoft && haveSameShape(&scene->objects[i], &scene->objects[index]))
        {
            *shape = world->parts[i].shape;
            return pal_ok;
        }
    palRigidShape* made = &world->shapes[index];
    *shape = made;
    if (makeShape(&scene->objects[index], &world->colliders[index], made, error) == pal_ok)
        return pal_ok;
    return refuse(scene, index, error);
}

static palResult setMass(const palScene* scene, int index, const palRigidShape* shape,
                         palPileBodyDef* body, palError* error)
{
    const palSceneObject* object = &scene->objects[index];
    palMass mass = shape->unitMass;
    if (!(mass.mass > 0.0))
    {
        palError_Set(error, pal_errorInput, "'%s' is to move and holds no volume", object->name);
        palError_Remedy(error, "use a closed shape, or take motion: free out");
        return refuse(scene, index, error);
    }
    double density = isnan(object->mass) ? object->density : object->mass / mass.mass;
    mass.mass *= density;
    mass.inertia = palMat3MulAdd((palMat3){0}, density, mass.inertia);
    body->mass = mass;
    return palMass_Check(&mass, error) == pal_ok ? pal_ok : refuse(scene, index, error);
}

static palContactMaterial materialOf(const palSceneObject* object)
{
    const palSceneContact* c = &object->contact;
    return (palContactMaterial){
        .friction = object->friction,
        .kineticFriction = isnan(c->kineticFriction) ? object->friction
                                                     : fmin(c->kineticFriction, object->friction),
        .restitution = c->restitution,
        .law = c->law,
        .frequency = c->frequency,
        .dampingRatio = c->dampingRatio,
        .stiffness = c->stiffness,
        .damping = c->damping,
    };
}

// The pose of a driven object at a time: along its path, from where it is at first.
static palPose driveAlong(const void* context, double t)
{
    const palSceneDrive* drive = context;
    palVec3 x;
    palQuat q;
    palTrajectory_At(drive->path, t, &x, &q);
    return (palPose){x, palMulQuat(q, drive->orientation)};
}

static palResult setDrive(palSceneBodies* world, const palScene* scene, int index,
                          palPileBodyDef* body, palError* error)
{
    const palSceneObject* object = &scene->objects[index];
    palTrajectoryDef path = palDefaultTrajectoryDef(pal_trajectoryPath);
    path.points = object->path;
    path.pointCount = object->pathCount;
    palSceneDrive* drive = &world->drives[index];
    drive->orientation = palSceneObject_Rotation(object);
    body->drive = driveAlong;
    body->driver = drive;
    if (object->pathCount == 0)
    {
        palError_Set(error, pal_errorInput, "'%s' is driven and has no path", object->name);
        palError_Remedy(error, "give it one, as path: [{t: 0, at: [0, 0, 0]}, {t: 1, at: [0.1, 0, "
                               "0]}]");
        return refuse(scene, index, error);
    }
    palResult result = palTrajectory_Create(&path, &drive->path, error);
    return result == pal_ok ? pal_ok : refuse(scene, index, error);
}

static palResult addObject(palSceneBodies* world, const palScene* scene, int index, palError* error)
{
    const palSceneObject* object = &scene->objects[index];
    const double degree = 3.14159265358979323846 / 180.0;
    palPileBodyDef* body = &world->pileBodies[index];
    *body = palDefaultPileBodyDef();
    body->id = index;
    body->motion = object->motion;
    body->parts = &world->parts[index];
    body->pose = poseOf(object);
    body->velocity = object->velocity;
    body->spin = palScale(degree, object->spin);
    body->damping = object->damping;
    body->material = materialOf(object);
    world->parts[index].pose = pal_identityPose;
    if (object->isSoft)
    {
        body->motion = pal_motionFixed; // a method that moves rigid bodies refuses it
        return pal_ok;
    }
    body->partCount = 1;
    palResult result = findShape(world, scene, index, &world->parts[index].shape, error);
    if (result == pal_ok && object->motion == pal_motionFree)
        result = setMass(scene, index, world->parts[index].shape, body, error);
    if (result == pal_ok && object->motion == pal_motionDriven)
        result = setDrive(world, scene, index, body, error);
    return result;
}

// Masses that are far apart converge slowly.
static void warnAboutMasses(const palSceneBodies* world, const palScene* scene,
                            palMessages* messages)
{
    int least = -1, most = -1;
    for (int i = 0; i < scene->objectCount; i++)
    {
        const palPileBodyDef* bodies = world->pileBodies;
        if (bodies[i].motion != pal_motionFree)
            continue;
        least = least < 0 || bodies[i].mass.mass < bodies[least].mass.mass ? i : least;
        most = most < 0 || bodies[i].mass.mass > bodies[most].mass.mass ? i : most;
    }
    const double farApart = 1e6;
    if (least < 0 ||
        world->pileBodies[most].mass.mass < farApart * world->pileBodies[least].mass.mass)
        return;
    palError* warning =
        palMessages_Add(messages, pal_severityWarning,
                        "'%s' has %.3g kg and '%s' %.3g kg: contacts between them "
                        "may not settle",
                        scene->objects[most].name, world->pileBodies[most].mass.mass,
                        scene->objects[least].name, world->pileBodies[least].mass.mass);
    palError_At(warning, scene->file, scene->objects[least].place.line,
                scene->objects[least].place.column);
    palError_Remedy(warning, "give them masses within a factor of a million");
}

// The largest overlap of a pair at the start, m.
static double depthOf(const palPile* pile, const palPilePair* pair)
{
    const palPileContact* contacts = palPile_Contacts(pile, pair);
    double depth = 0.0;
    for (int i = 0; i < pair->count; i++)
        depth = fmax(depth, -contacts[i].gap);
    return depth;
}

// What is inside each other at the start is pushed apart, which the user should know of.
static palResult warnAboutOverlaps(const palSceneBodies* world, const palScene* scene,
                                   palMessages* messages, palError* error)
{
    const double tolerable = 1e-4; // m
    palPile* pile;
    palResult result = palPile_Create(&world->pile, &pile, error);
    if (result != pal_ok)
        return result;
    palPile_Step(pile); // its contacts are those of the start
    for (int i = 0; i < pile->pairCapacity; i++)
    {
        const palPilePair* pair = &pile->pairs[i];
        if (pair->items[0] < 0 || depthOf(pile, pair) < tolerable)
            continue;
        const palSceneObject* a = &scene->objects[pile->items[pair->items[0]].body];
        const palSceneObject* b = &scene->objects[pile->items[pair->items[1]].body];
        palError* warning =
            palMessages_Add(messages, pal_severityWarning,
                            "'%s' and '%s' are %.2g mm inside each other at the start", a->name,
                            b->name, 1e3 * depthOf(pile, pair));
        palError_At(warning, scene->file, b->place.line, b->place.column);
        palError_Remedy(warning, "move them apart; they are pushed apart within the first moments");
    }
    palPile_Destroy(pile);
    return pal_ok;
}

palResult palSceneBodies_AddRigid(palSceneBodies* world, const palScene* scene,
                                  palMessages* messages, palError* error)
{
    if (!usesPile(scene))
        return pal_ok;
    size_t count = (size_t)scene->objectCount + 1;
    world->shapes = calloc(count, sizeof *world->shapes);
    world->pileBodies = calloc(count, sizeof *world->pileBodies);
    world->parts = calloc(count, sizeof *world->parts);
    world->drives = calloc(count, sizeof *world->drives);
    world->rigidCount = scene->objectCount;
    if (world->shapes == NULL || world->pileBodies == NULL || world->parts == NULL ||
        world->drives == NULL)
        return palError_Memory(error, "rigid objects", count * sizeof *world->pileBodies);
    palResult result = pal_ok;
    for (int i = 0; i < scene->objectCount && result == pal_ok; i++)
        result = addObject(world, scene, i, error);
    for (int i = 0; i < palScene_HandCount(scene) && result == pal_ok; i++)
        if (palScene_HandAt(scene, i)->hasTool)
            result = addToolShape(world, scene, i, error);
    if (result != pal_ok)
        return result;
    warnAboutMasses(world, scene, messages);
    world->pile = palDefaultRigidPileDef();
    world->pile.bodies = world->pileBodies;
    world->pile.bodyCount = scene->objectCount;
    world->pile.gravity = scene->gravity;
    world->pile.dt = scene->time.dt;
    world->hasPile = true;
    return warnAboutOverlaps(world, scene, messages, error);
}

void palSceneBodies_FreeRigid(palSceneBodies* world)
{
    for (int i = 0; i < world->rigidCount; i++)
    {
        if (world->shapes != NULL)
            palRigidShape_Free(&world->shapes[i]);
        if (world->drives != NULL)
            palTrajectory_Destroy(world->drives[i].path);
    }
    for (int i = 0; i < pal_handsMax; i++)
        palRigidShape_Free(&world->tools[i].exact);
    free(world->shapes);
    free(world->pileBodies);
    free(world->parts);
    free(world->drives);
}
