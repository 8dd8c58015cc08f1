// SPDX-License-Identifier: Apache-2.0
// Contacts with a force, as they are reported.
#ifndef PAL_CONSTRAINT_CONTACT_H
#define PAL_CONSTRAINT_CONTACT_H

#include "math/vec3.h"

enum
{
    pal_handsMax = 4, // hands of an engine
};

/// A contact with a force in one step: a row of contacts.csv.
typedef struct palContactForce
{
    int object;     // id of the body that is pushed
    int other;      // id of the body that pushes it
    int hand;       // index of the hand that holds the other one; -1: none does
    palVec3 point;  // on the object's surface, m
    palVec3 normal; // unit, away from the object
    double gap;     // m, between the surfaces along the normal
    double area;    // m² that the contact represents; 0: a point
    palVec3 force;  // on the object, friction included, N
} palContactForce;

/// The contacts with a force in one step. Those beyond the capacity are counted.
typedef struct palContactReport
{
    palContactForce* items; // borrowed, [capacity]
    int capacity;
    int count;
    int dropped;
} palContactReport;

static inline void palContactReport_Add(palContactReport* report, const palContactForce* contact)
{
    if (report->count < report->capacity)
        report->items[report->count++] = *contact;
    else
        report->dropped++;
}

#endif
