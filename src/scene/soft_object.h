// SPDX-License-Identifier: Apache-2.0
// A soft object of a scene: its volume, its surface tied to it, and the body made of it.
//
//     a volume mesh                  its own elements; the surface is its boundary
//     box, cylinder, elements: tets  likewise, generated
//     any other closed surface       embedded in a grid of hexes (mesh/voxelize.h)
#ifndef PAL_SCENE_SOFT_OBJECT_H
#define PAL_SCENE_SOFT_OBJECT_H

#include "mesh/volume_facts.h"
#include "mesh/voxelize.h"
#include "scene/bodies.h"

typedef struct palSoftObject
{
    const palScene* scene;        // borrowed
    const palSceneObject* object; // borrowed
    palSurface surface;           // owned: what is touched, placed in the world, m; the collider
                                  // takes it over
    palVolume volume;             // owned: likewise
    palEmbedding embedding;       // owned: of the surface in hexes; without points where the
                                  // surface is the volume's boundary
    int* boundary;                // owned, [surface vertices]: the volume's vertex of each; or NULL
    double* fill;                 // owned, [elements]; NULL: all full
    double massShare;             // of a surface: its volume by that of the filled cells
    palVolumeFacts facts;
} palSoftObject;

/// Whether the object is, or is made from, a volume rather than a surface.
bool palSceneObject_HasVolume(const palSceneObject* object);

/// Makes the volume of an object that has one, and the surface that bounds it.
palResult palSoftObject_FromVolume(palSoftObject* soft, const palScene* scene,
                                   const palSceneObject* object, palMessages* messages,
                                   palError* error);

/// Embeds a closed surface, which is taken over (also on failure).
palResult palSoftObject_FromSurface(palSoftObject* soft, const palScene* scene,
                                    const palSceneObject* object, palSurface* surface,
                                    palMessages* messages, palError* error);

/// Makes the body with what holds it and binds it to the collider, which has taken the surface.
palResult palSoftObject_Bind(palSoftObject* soft, palCollider* collider, palMessages* messages,
                             palError* error);
void palSoftObject_Free(palSoftObject* soft);

#endif
