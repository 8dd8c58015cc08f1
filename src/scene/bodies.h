// SPDX-License-Identifier: Apache-2.0
// The things of a scene, loaded, placed and ready to be touched.
#ifndef PAL_SCENE_BODIES_H
#define PAL_SCENE_BODIES_H

#include "body/anchor.h"
#include "body/mass.h"
#include "collide/collider.h"
#include "constraint/link.h"
#include "scene/scene.h"
#include "world/pile.h"

/// The tool of a hand.
typedef struct palSceneToolBody
{
    palSurface surface;  // owned: in the frame of the handle
    palMass mass;        // likewise
    palRigidShape exact; // owned: what it is to rigid bodies that move, where that is exact
    palPilePart part;    // of it; without a shape where it is what the surface holds
} palSceneToolBody;

/// A shape that any number of objects and parts share.
typedef struct palSceneShape
{
    palSceneObject of; // the first that has it
    palRigidShape shape;
} palSceneShape;

/// What moves a driven object.
typedef struct palSceneDrive
{
    palTrajectory* path; // owned
    palQuat orientation; // of the object at first
} palSceneDrive;

typedef struct palSceneBodies
{
    palCollider* colliders; // owned, [count] in the order of the scene's objects, then the
                            // surfaces of the wires
    int count;
    palSceneToolBody tools[pal_handsMax]; // of the hands that hold one
    palWire* wires;                       // owned, [wireCount], with their models
    int wireCount;
    palLink* joints; // owned, [jointCount]
    int jointCount;
    palAnchor** anchors; // owned, [anchorCount]: of the joints
    int anchorCount;

    // All objects as rigid bodies, where one of them moves (scene/rigid_objects.h).
    bool hasPile;
    palRigidPileDef pile;       // of the arrays below
    int rigidCount;             // objects
    palPileBodyDef* pileBodies; // owned, [rigidCount]
    palSceneDrive* drives;      // owned, [rigidCount]
    palPilePart* parts;         // owned: of all objects, one after the other
    int partCount;
    palSceneShape* shapes; // owned: each of which some of them have
    int shapeCount;
    palPilePairDef* pairs; // owned
} palSceneBodies;

/// The surface of an object in the world.
palResult palSceneObject_Surface(const palScene* scene, const palSceneObject* object,
                                 palSurface* surface, palMessages* messages, palError* error);
/// Loads or generates every object and places it. Messages say what the meshes are like.
palResult palSceneBodies_Init(palSceneBodies* world, const palScene* scene, palMessages* messages,
                              palError* error);
/// Makes every object as palSceneBodies_Init does, and the trajectories, and keeps none: what is
/// refused becomes a message for each.
void palSceneBodies_Check(const palScene* scene, palMessages* messages);
void palSceneBodies_Free(palSceneBodies* world);

/// Where a hand goes: *trajectory, which the caller destroys, or NULL where the scene does not say.
palResult palSceneBodies_MakeTrajectory(const palSceneBodies* world, const palScene* scene,
                                        int hand, palTrajectory** trajectory, palMessages* messages,
                                        palError* error);

/// The trajectory of a hand in SI units, with a press aimed at its object: at the middle of what is
/// seen of the object along the direction, which is the point farthest from where a press would
/// miss it. Gap and depth that the scene leaves open are filled in.
palResult palSceneBodies_Aim(const palSceneBodies* world, const palSceneTrajectory* trajectory,
                             palTrajectoryDef* aimed, palError* error);

#endif
