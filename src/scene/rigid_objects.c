// SPDX-License-Identifier: Apache-2.0
#include "scene/rigid_objects.h"

#include "base/error.h"
#include "device/trajectory.h"
#include "scene/rigid_pairs.h"
#include "scene/rigid_shapes.h"

#include <stdlib.h>
#include <string.h>

static bool usesPile(const palScene* scene)
{
    return (palScene_Parts(scene) & PAL_ACCEPTS(pal_partFree)) != 0 ||
           strcmp(scene->method.name, "impulse") == 0;
}

static palResult refuse(const palScene* scene, int index, palError* error)
{
    return palScene_At(scene, scene->objects[index].place, "objects", error);
}

// All parts together at their densities.
static palMass sumParts(const palSceneObject* object, const palPilePart* parts, int count)
{
    palMass moved[2], sum = {0};
    for (int i = 0; i < count; i++)
    {
        double own = object->partCount > 0 ? object->parts[i].density : NAN;
        palMass mass = palMass_Moved(parts[i].shape->unitMass, parts[i].pose.q, parts[i].pose.x);
        mass.mass *= isnan(own) ? object->density : own;
        mass.inertia =
            palMat3MulAdd((palMat3){0}, isnan(own) ? object->density : own, mass.inertia);
        moved[0] = sum;
        moved[1] = mass;
        sum = palMass_Sum(moved, 2);
    }
    return sum;
}

// Mass, centre and inertia of a free body: from its parts, as far as they are not given.
static palResult setMass(const palScene* scene, int index, palPileBodyDef* body, palError* error)
{
    const palSceneObject* object = &scene->objects[index];
    palMass mass = sumParts(object, body->parts, body->partCount);
    if (!(mass.mass > 0.0))
    {
        palError_Set(error, pal_errorInput, "'%s' is to move and holds no volume", object->name);
        palError_Remedy(error, "use a closed shape, or take motion: free out");
        return refuse(scene, index, error);
    }
    if (!isnan(object->mass))
    {
        mass.inertia = palMat3MulAdd((palMat3){0}, object->mass / mass.mass, mass.inertia);
        mass.mass = object->mass;
    }
    palVec3 m = object->inertia, p = object->products;
    if (object->hasCentre)
        mass.centre = object->centre;
    if (object->hasInertia)
        mass.inertia = (palMat3){{{m.x, p.x, p.y}, {p.x, m.y, p.z}, {p.y, p.z, m.z}}};
    body->mass = mass;
    return palMass_Check(&mass, error) == pal_ok ? pal_ok : refuse(scene, index, error);
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

// What is sliding is held by no more than what sticks. Objects may get the scene's value and have
// a smaller friction of their own, which counts then.
static palResult checkFriction(const palScene* scene, int index, palError* error)
{
    const palSceneObject* object = &scene->objects[index];
    double kinetic = object->contact.kineticFriction;
    if (!(kinetic > object->friction) || kinetic == scene->contact.kineticFriction)
        return pal_ok;
    palError_Set(error, pal_errorInput,
                 "'kinetic_friction' of '%s' is %g, and its 'friction' is %g: nothing slides with "
                 "more than it sticks with",
                 object->name, kinetic, object->friction);
    palError_Remedy(error, "give it a 'kinetic_friction' of at most its 'friction'");
    return refuse(scene, index, error);
}

static palResult addObject(palSceneBodies* world, const palScene* scene, int index, palError* error)
{
    const palSceneObject* object = &scene->objects[index];
    palPileBodyDef* body = &world->pileBodies[index];
    palPilePart* parts = &world->parts[world->partCount];
    *body = palDefaultPileBodyDef();
    body->id = index;
    body->motion = object->motion;
    body->parts = parts;
    body->pose = palSceneObject_Pose(object);
    body->velocity = object->velocity;
    body->spin = palScale(PAL_PI / 180.0, object->spin);
    body->damping = object->damping;
    body->material = palScene_Material(scene, object);
    if (object->isSoft)
    {
        body->motion = pal_motionFixed; // a method that moves rigid bodies refuses it
        return pal_ok;
    }
    body->partCount = object->partCount > 0 ? object->partCount : 1;
    world->partCount += body->partCount;
    palResult result = checkFriction(scene, index, error);
    if (result == pal_ok)
        result = palSceneBodies_MakeParts(world, scene, index, parts, error);
    if (result == pal_ok && object->motion == pal_motionFree)
        result = setMass(scene, index, body, error);
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

// One step of the bodies as they are; what is joined does not touch.
static palResult stepOnce(const palSceneBodies* world, palPile** pile, palError* error)
{
    palRigidPileDef def = world->pile;
    int(*apart)[2] = malloc(((size_t)world->jointCount + 1) * sizeof *apart);
    if (apart == NULL)
        return palError_Memory(error, "joints", (size_t)world->jointCount * sizeof *apart);
    for (int i = 0; i < world->jointCount; i++)
    {
        int a = world->joints[i].ends[0].body, b = world->joints[i].ends[1].body;
        apart[def.apartCount][0] = a;
        apart[def.apartCount][1] = b;
        def.apartCount += a >= 0 && b >= 0;
    }
    def.apart = (const int(*)[2])apart;
    palResult result = palPile_Create(&def, pile, error);
    if (result == pal_ok)
        palPile_Step(*pile); // its contacts are those of the start
    free(apart);
    return result;
}

palResult palSceneBodies_FindOverlaps(const palSceneBodies* world, const palScene* scene,
                                      palMessages* messages, palError* error)
{
    const double tolerable = 1e-4; // m
    palPile* pile;
    if (!world->hasPile)
        return pal_ok;
    palResult result = stepOnce(world, &pile, error);
    if (result != pal_ok)
        return result;
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

static palResult allocate(palSceneBodies* world, const palScene* scene, palError* error)
{
    size_t count = (size_t)scene->objectCount + 1, parts = count;
    for (int i = 0; i < scene->objectCount; i++)
        parts += (size_t)scene->objects[i].partCount;
    world->shapes = calloc(parts, sizeof *world->shapes);
    world->pileBodies = calloc(count, sizeof *world->pileBodies);
    world->parts = calloc(parts, sizeof *world->parts);
    world->drives = calloc(count, sizeof *world->drives);
    world->rigidCount = scene->objectCount;
    if (world->shapes == NULL || world->pileBodies == NULL || world->parts == NULL ||
        world->drives == NULL)
        return palError_Memory(error, "rigid objects", parts * sizeof *world->shapes);
    return pal_ok;
}

palResult palSceneBodies_AddRigid(palSceneBodies* world, const palScene* scene,
                                  palMessages* messages, palError* error)
{
    if (!usesPile(scene))
        return pal_ok;
    palResult result = allocate(world, scene, error);
    for (int i = 0; i < scene->objectCount && result == pal_ok; i++)
        result = addObject(world, scene, i, error);
    for (int i = 0; i < palScene_HandCount(scene) && result == pal_ok; i++)
        if (palScene_HandAt(scene, i)->hasTool)
            result = palSceneBodies_MakeToolPart(world, scene, i, error);
    if (result != pal_ok)
        return result;
    warnAboutMasses(world, scene, messages);
    world->pile = palDefaultRigidPileDef();
    world->pile.bodies = world->pileBodies;
    world->pile.bodyCount = scene->objectCount;
    world->pile.handMaterial = palScene_Material(scene, NULL);
    world->pile.gravity = scene->gravity;
    world->pile.dt = scene->time.dt;
    world->hasPile = true;
    return palSceneBodies_AddPairs(world, scene, error);
}

void palSceneBodies_FreeRigid(palSceneBodies* world)
{
    for (int i = 0; i < world->shapeCount; i++)
        palRigidShape_Free(&world->shapes[i].shape);
    for (int i = 0; i < world->rigidCount && world->drives != NULL; i++)
        palTrajectory_Destroy(world->drives[i].path);
    for (int i = 0; i < pal_handsMax; i++)
        palRigidShape_Free(&world->tools[i].exact);
    free(world->shapes);
    free(world->pileBodies);
    free(world->parts);
    free(world->drives);
    free(world->pairs);
}
