// SPDX-License-Identifier: Apache-2.0
#include "scene/rigid_schema.h"

#include "base/schema_columns.h"
#include "scene/given.h"
#include "scene/setting.h"

#include <string.h>

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

static const char* touchNameAt(int index)
{
    static const char* const names[] = {
        [pal_pairTouches] = "contact",
        [pal_pairNeverTouches] = "never",
    };
    return nameIn(names, COUNT(names), index);
}

static const palSchemaKey contactKeys[] = {
    {FIELD("law", pal_schemaChoice, palSceneContact, law), .nameAt = lawNameAt,
     .fallback = "compliant",
     .meaning = "how closed contacts give way: in proportion to the mass that they move, by a "
                "`stiffness` and a `damping`, or not at all. Of two objects the first of these "
                "counts; where both have the same, the lower frequency, stiffness and damping and "
                "the higher damping ratio do"},
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
    .title = "contact, objects[].contact: how rigid objects touch",
    .intro = "For rigid objects that move, and what is rigid about them. The contact between two "
             "objects is implicit, so that no value makes it unstable. `compliance` has no "
             "restitution, and its contacts with soft objects and wires have `friction` alone. "
             "Each value is that of the object, where it gives one, else that "
             "of the scene, else the default. Of two objects that touch the values are combined as "
             "below, and what `pairs` says of the two counts in place of that. What the hand holds "
             "has the scene's values, and no friction of its own; under `accurate` and `standard` "
             "its contacts are rigid and under `penalty` springs of that method, unless `pairs` "
             "says else, and it has no restitution.",
    .keys = contactKeys,
    .keyCount = COUNT(contactKeys),
    .size = sizeof(palSceneContact),
};

static const palSchemaKey repeatKeys[] = {
    {FIELD("count", pal_schemaVector, palSceneRepeat, count), RANGE(1, 1000, NULL),
     .fallback = "[1, 1, 1]", .meaning = "how many along x, y and z"},
    {FIELD("step", pal_schemaVector, palSceneRepeat, step), RANGE(-100, 100, "m"),
     .fallback = "[0, 0, 0]", .meaning = "from one to the next, in the world"},
    {FIELD("stagger", pal_schemaVector, palSceneRepeat, stagger), RANGE(-100, 100, "m"),
     .fallback = "[0, 0, 0]",
     .meaning = "shifts every second row, counted along the last of the directions that has more "
                "than one: half a brick makes a wall"},
};
const palSchemaTable pal_repeatTable = {
    .noun = "repeat",
    .title = "objects[].repeat: rows and grids",
    .intro =
        "The object stands for several of the same, the first where its `position` is, x "
        "first, then y, then z. They share one shape. Those of an object with the name `brick` "
        "are `brick0`, `brick1`, ... `--set` counts objects as the file has them.",
    .keys = repeatKeys,
    .keyCount = COUNT(repeatKeys),
    .size = sizeof(palSceneRepeat),
};

#define OWN .unset = "as the two have it"
static const palSchemaKey pairKeys[] = {
    {FIELD("body", pal_schemaText, palScenePair, body), BYTES(palScenePair, body), .required = true,
     .meaning = "name of an object or of a `layer`, or `tool`: what the hand holds"},
    {FIELD("to", pal_schemaText, palScenePair, to), BYTES(palScenePair, to), .required = true,
     .meaning = "likewise; the same layer twice means its objects among themselves"},
    {FIELD("touch", pal_schemaChoice, palScenePair, touch), .nameAt = touchNameAt,
     .fallback = "contact", .meaning = "`never`: they pass through each other"},
    {FIELD("friction", pal_schemaNumber, palScenePair, friction), RANGE(0, 10, NULL), OWN,
     .meaning = "Coulomb's coefficient between the two"},
    {FIELD("kinetic_friction", pal_schemaNumber, palScenePair, contact.kineticFriction),
     RANGE(0, 10, NULL), OWN, .meaning = "while the contact slides; at most `friction`"},
    {FIELD("restitution", pal_schemaNumber, palScenePair, contact.restitution), RANGE(0, 1, NULL),
     OWN, .meaning = "share of the speed with which they part again"},
    {FIELD("law", pal_schemaChoice, palScenePair, contact.law), .nameAt = lawNameAt, OWN,
     .given = offsetof(palScenePair, hasLaw),
     .meaning = "as that of `contact`; not given: as the two have it"},
    {FIELD("frequency", pal_schemaNumber, palScenePair, contact.frequency), RANGE(1, 1e4, "Hz"),
     OWN, .meaning = "likewise"},
    {FIELD("damping_ratio", pal_schemaNumber, palScenePair, contact.dampingRatio),
     RANGE(0, 100, NULL), OWN, .meaning = "likewise"},
    {FIELD("stiffness", pal_schemaNumber, palScenePair, contact.stiffness), RANGE(1, 1e9, "N/m"),
     OWN, .meaning = "likewise"},
    {FIELD("damping", pal_schemaNumber, palScenePair, contact.damping), RANGE(0, 1e6, "N·s/m"), OWN,
     .meaning = "likewise"},
};
const palSchemaTable pal_pairTable = {
    .noun = "pair",
    .title = "pairs[]: what never touches, or touches in another way",
    .intro =
        "A list, for rigid objects that move. Where several speak of the same two objects, the "
        "later counts, value by value. What is joined never touches. All methods but "
        "`impulse` and `compliance` refuse a pair of the tool with what does not move.",
    .keys = pairKeys,
    .keyCount = COUNT(pairKeys),
    .size = sizeof(palScenePair),
    .placed = true,
};

void palScene_SpreadContact(palScene* scene)
{
    const palSchemaKey* objects = palSchema_Find(palSceneSchema(), "objects");
    palGiven given = palGiven_OfList(objects, scene);
    for (int i = 0; i < scene->objectCount; i++)
        for (int k = 0; k < pal_contactTable.keyCount; k++)
        {
            const palSchemaKey* key = &contactKeys[k];
            palSceneContact* own = &scene->objects[i].contact;
            size_t size = key->type == pal_schemaChoice ? sizeof(int) : sizeof(double);
            if (!palGiven_Has(given, key, own))
                memcpy(palSetting_At(key, own), palSetting_At(key, &scene->contact), size);
        }
}
