// SPDX-License-Identifier: Apache-2.0
// A wire of a scene: a beam, the rate at which it is stepped, and a hand that may hold it; and
// the same wire as one rate steps it.
#ifndef PAL_BODY_WIRE_H
#define PAL_BODY_WIRE_H

#include "body/beam.h"

enum
{
    pal_wireNodesMax = 1024, // of one wire
};

typedef struct palWire
{
    char name[64];
    palBeamModel* model; // owned by the world
    int loop;            // 0: stepped at the high rate; 1, 2, ...: in that slower loop
    int handNode;        // the node that a hand holds; -1: none
    int hand;            // index of that hand
    bool isSprung;       // by a spring and damper, the model's coupling; else rigidly
    double radius;       // of its surface, m
    double friction;     // Coulomb's coefficient of its surface
} palWire;

/// The spring and damper of a grip: stiffness in N/m and damping in N·s/m along every axis, and
/// about every axis those of fingers at a lever of one centimetre.
palBeamCoupling palMakeWireCoupling(int node, double stiffness, double damping);

/// A wire with its state at one rate.
typedef struct palSteppedWire
{
    const palWire* wire; // borrowed
    int body;            // its id
    palBeamState state;  // owned
    palBeamWork work;    // owned
    bool failed;         // A was not positive definite: it did not move in the last step
} palSteppedWire;

/// With a capacity of `maxRows` rows of constraints.
palResult palSteppedWire_Init(palSteppedWire* stepped, const palWire* wire, int body, int maxRows,
                              palError* error);
void palSteppedWire_Free(palSteppedWire* stepped);
void palSteppedWire_Archive(palSteppedWire* stepped, palArchive* archive);

/// Free motion over h; the node in the hand goes where the hand is within it, or is pulled there.
void palSteppedWire_Move(palSteppedWire* stepped, double h, const palBeamHand* hand);

#endif
