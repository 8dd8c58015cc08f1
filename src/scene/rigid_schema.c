// SPDX-License-Identifier: Apache-2.0
#include "scene/rigid_schema.h"

#include "base/schema_columns.h"
#include "scene/scene.h"

const char* palMotionNameAt(int index)
{
    static const char* const names[] = {
        [pal_motionFixed] = "fixed",
        [pal_motionFree] = "free",
        [pal_motionDriven] = "driven",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* lawNameAt(int index)
{
    static const char* const names[] = {
        [pal_contactCompliant] = "compliant",
        [pal_contactStiff] = "stiff",
        [pal_contactRigid] = "rigid",
    };
    return nameIn(names, COUNT(names), index);
}

static const palSchemaKey contactKeys[] = {
    {FIELD("law", pal_schemaChoice, palSceneContact, law), .nameAt = lawNameAt,
     .fallback = "compliant",
     .meaning = "how closed contacts give way: in proportion to the mass that they move, by a "
                "`stiffness` and a `damping`, or not at all. Of two objects the first of these "
                "counts"},
    {FIELD("frequency", pal_schemaNumber, palSceneContact, frequency), RANGE(1, 1e4, "Hz"),
     .fallback = "200", .meaning = "`compliant`: of the mass on the contact"},
    {FIELD("damping_ratio", pal_schemaNumber, palSceneContact, dampingRatio), RANGE(0, 100, NULL),
     .fallback = "5", .meaning = "`compliant`: 1 is critical damping"},
    {FIELD("stiffness", pal_schemaNumber, palSceneContact, stiffness), RANGE(1, 1e9, "N/m"),
     .fallback = "10000", .meaning = "`stiff`: force by depth"},
    {FIELD("damping", pal_schemaNumber, palSceneContact, damping), RANGE(0, 1e6, "N·s/m"),
     .fallback = "100", .meaning = "`stiff`: force by speed"},
    {FIELD("restitution", pal_schemaNumber, palSceneContact, restitution), RANGE(0, 1, NULL),
     .fallback = "0",
     .meaning = "share of the speed with which two objects part again; of two the larger counts"},
    {FIELD("kinetic_friction", pal_schemaNumber, palSceneContact, kineticFriction),
     RANGE(0, 10, NULL), .unset = "`friction`",
     .meaning = "Coulomb's coefficient while the contact slides; at most `friction`"},
};
const palSchemaTable pal_contactTable = {
    .noun = "contact",
    .title = "objects[].contact: how rigid objects touch",
    .intro = "For method `impulse`. The contact between two objects is implicit, so that no value "
             "makes it unstable.",
    .keys = contactKeys,
    .keyCount = COUNT(contactKeys),
    .size = sizeof(palSceneContact),
};
