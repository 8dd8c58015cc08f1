// SPDX-License-Identifier: Apache-2.0
// A wire of a scene: a beam, the rate at which it is stepped, and the hand that may hold it.
#ifndef PAL_BODY_WIRE_H
#define PAL_BODY_WIRE_H

#include "body/beam.h"

enum
{
    pal_wiresMax = 8,       // in one world
    pal_wireNodesMax = 256, // of all wires at the high rate together
};

typedef struct palWire
{
    char name[64];
    palBeamModel* model; // owned by the world
    int loop;            // 0: stepped at the high rate; 1, 2, ...: in that slower loop
    int handNode;        // the node that the hand holds; -1: none
    bool isSprung;       // by a spring and damper, the model's coupling; else rigidly
    double radius;       // of its surface, m
} palWire;

#endif
