// SPDX-License-Identifier: Apache-2.0
#include "scene/wire_schema.h"

#include "base/schema_columns.h"
#include "scene/scene.h"

static const char* sectionNameAt(int index)
{
    static const char* const names[] = {
        [pal_sectionCircle] = "circle",
        [pal_sectionTube] = "tube",
        [pal_sectionRectangle] = "rectangle",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* endNameAt(int index)
{
    static const char* const names[] = {
        [pal_wireEndNone] = "none",
        [pal_wireEndStart] = "start",
        [pal_wireEndEnd] = "end",
        [pal_wireEndBoth] = "both",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* handNameAt(int index)
{
    return index < pal_wireEndBoth ? endNameAt(index) : NULL;
}

static const char* gripNameAt(int index)
{
    static const char* const names[] = {
        [pal_gripRigid] = "rigid",
        [pal_gripSpring] = "spring",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* integratorNameAt(int index)
{
    static const char* const names[] = {
        [pal_integratorEuler] = "euler",
        [pal_integratorMidpoint] = "midpoint",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* massNameAt(int index)
{
    static const char* const names[] = {
        [pal_beamMassLumped] = "lumped",
        [pal_beamMassConsistent] = "consistent",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* jointNameAt(int index)
{
    static const char* const names[] = {
        [pal_linkBall] = "ball",   [pal_linkWeld] = "weld",     [pal_linkRing] = "ring",
        [pal_linkHinge] = "hinge", [pal_linkSlider] = "slider",
    };
    return nameIn(names, COUNT(names), index);
}

static const palSchemaKey sectionKeys[] = {
    {FIELD("shape", pal_schemaChoice, palSceneSection, shape), .nameAt = sectionNameAt,
     .required = true, .meaning = "of the cross-section"},
    {FIELD("radius", pal_schemaNumber, palSceneSection, radius), RANGE(1e-5, 0.1, "m"),
     .fallback = "0.001", .kinds = KIND(pal_sectionCircle) | KIND(pal_sectionTube),
     .meaning = "outer one"},
    {FIELD("inner", pal_schemaNumber, palSceneSection, inner), RANGE(1e-6, 0.1, "m"),
     .fallback = "0.0005", .kinds = KIND(pal_sectionTube), .meaning = "inner radius"},
    {FIELD("width", pal_schemaNumber, palSceneSection, width), RANGE(1e-5, 0.1, "m"),
     .fallback = "0.002", .kinds = KIND(pal_sectionRectangle), .meaning = "along y of the section"},
    {FIELD("height", pal_schemaNumber, palSceneSection, height), RANGE(1e-5, 0.1, "m"),
     .fallback = "0.002", .kinds = KIND(pal_sectionRectangle), .meaning = "along z of the section"},
};
static const palSchemaTable sectionTable = {
    .noun = "section",
    .title = "wires[].section: the cross-section",
    .keys = sectionKeys,
    .keyCount = COUNT(sectionKeys),
    .size = sizeof(palSceneSection),
    .byKind = true,
};

static const palSchemaKey wirePointKeys[] = {
    {FIELD("at", pal_schemaVector, palSceneWirePoint, at), RANGE(-100, 100, "m"), .required = true,
     .meaning = "where the wire passes at rest"},
};
static const palSchemaTable wirePointTable = {
    .noun = "point of the wire",
    .title = "wires[].points: a bent wire",
    .keys = wirePointKeys,
    .keyCount = COUNT(wirePointKeys),
    .size = sizeof(palSceneWirePoint),
};

static const palSchemaKey wireDampingKeys[] = {
    {FIELD("mass", pal_schemaNumber, palSceneDamping, mass), RANGE(0, 1e4, "1/s"), .fallback = "1",
     .meaning = "slows every motion, as in a thick fluid"},
    {FIELD("stiffness", pal_schemaNumber, palSceneDamping, stiffness), RANGE(0, 10, "s"),
     .fallback = "0", .meaning = "slows deformation"},
};
static const palSchemaTable wireDampingTable = {
    .noun = "damping",
    .title = "wires[].damping: Rayleigh's constants",
    .keys = wireDampingKeys,
    .keyCount = COUNT(wireDampingKeys),
    .size = sizeof(palSceneDamping),
};

enum
{
    formGroup = 1,
};
static const palSchemaKey wireKeys[] = {
    {FIELD("name", pal_schemaText, palSceneWire, name), BYTES(palSceneWire, name),
     .unset = "wire0, wire1, ...", .meaning = "for joints and reports"},
    {FIELD("start", pal_schemaVector, palSceneWire, start), RANGE(-100, 100, "m"),
     .fallback = "[0, 0, 0]", .group = formGroup, .given = offsetof(palSceneWire, isStraight),
     .meaning = "one end of a straight wire"},
    {FIELD("end", pal_schemaVector, palSceneWire, end), RANGE(-100, 100, "m"),
     .fallback = "[0.1, 0, 0]", .needs = "start", .meaning = "its other end"},
    {FIELD("points", pal_schemaList, palSceneWire, points),
     .count = offsetof(palSceneWire, pointCount), .table = &wirePointTable, .group = formGroup,
     .meaning = "a wire that is bent at rest: two or more points, in order"},
    {FIELD("elements", pal_schemaWhole, palSceneWire, elements), RANGE(1, 200, NULL),
     .fallback = "10", .meaning = "beam elements of equal length"},
    {FIELD("section", pal_schemaMap, palSceneWire, section), .table = &sectionTable,
     .required = true, .meaning = "cross-section"},
    {FIELD("young", pal_schemaNumber, palSceneWire, material.young), RANGE(1, 1e13, "Pa"),
     .fallback = "2e+11", .meaning = "Young's modulus: steel 200e9, nitinol 60e9, nylon 3e9"},
    {FIELD("poisson", pal_schemaNumber, palSceneWire, material.poisson), RANGE(0, 0.5, NULL),
     .fallback = "0.3", .meaning = "Poisson's ratio"},
    {FIELD("density", pal_schemaNumber, palSceneWire, material.density), RANGE(1, 1e5, "kg/m³"),
     .fallback = "7800", .meaning = "of the material"},
    {FIELD("damping", pal_schemaMap, palSceneWire, damping), .table = &wireDampingTable,
     .meaning = "how motion dies away"},
    {FIELD("hand", pal_schemaChoice, palSceneWire, hand), .nameAt = handNameAt, .fallback = "none",
     .meaning = "which end the hand holds, with its rotation"},
    {FIELD("grip", pal_schemaChoice, palSceneWire, grip), .nameAt = gripNameAt, .fallback = "rigid",
     .meaning = "how the hand holds it: the end is where the hand is, or the scene's `coupling` "
                "pulls it there, which is kinder to a device"},
    {FIELD("clamped", pal_schemaChoice, palSceneWire, clamped), .nameAt = endNameAt,
     .fallback = "none", .meaning = "which ends do not move"},
    {FIELD("mass", pal_schemaChoice, palSceneWire, mass), .nameAt = massNameAt,
     .fallback = "lumped", .meaning = "at the nodes, or as the elements bend"},
    {FIELD("integrator", pal_schemaChoice, palSceneWire, integrator), .nameAt = integratorNameAt,
     .fallback = "euler",
     .meaning = "backward `euler`, which damps fast vibrations, or implicit `midpoint`, which "
                "keeps them, at the high rate"},
    {FIELD("friction", pal_schemaNumber, palSceneWire, friction), RANGE(0, 10, NULL),
     .fallback = "0",
     .meaning = "Coulomb's coefficient of its surface; of two things that touch the larger counts"},
    {FIELD("loop", pal_schemaWhole, palSceneWire, loop), RANGE(0, pal_loopsMax, NULL),
     .fallback = "0", .meaning = "0: stepped at `dt`; 1: at `low_dt`; 2, ...: at `time.loops`"},
};
const palSchemaTable pal_wireTable = {
    .noun = "wire",
    .title = "wires[]: what bends",
    .intro = "A list: beams in series. Under method `compliance` the hand may hold one of them.",
    .keys = wireKeys,
    .keyCount = COUNT(wireKeys),
    .size = sizeof(palSceneWire),
    .placed = true,
};

enum
{
    bodyGroup = 1,
};
static const palSchemaKey jointKeys[] = {
    {FIELD("kind", pal_schemaChoice, palSceneJoint, kind), .nameAt = jointNameAt,
     .fallback = "ball",
     .meaning = "`ball`: the two points stay together; `weld`: and do not turn against each other; "
                "`hinge`: and turn about `axis` only; `ring`: the wire slides through the point; "
                "`slider`: of rigid objects that move, which shift along `axis` only; not under "
                "`compliance`"},
    {FIELD("wire", pal_schemaText, palSceneJoint, wire), BYTES(palSceneJoint, wire),
     .group = bodyGroup, .meaning = "name of a wire, joined at `at`"},
    {FIELD("at", pal_schemaNumber, palSceneJoint, at), RANGE(0, 1, NULL), .fallback = "1",
     .needs = "wire", .meaning = "where on it: 0 is its start, 1 its end"},
    {FIELD("body", pal_schemaText, palSceneJoint, body), BYTES(palSceneJoint, body),
     .group = bodyGroup, .meaning = "name of an object or wire, or `tool`, joined at `point`"},
    {FIELD("point", pal_schemaVector, palSceneJoint, point), RANGE(-100, 100, "m"),
     .fallback = "[0, 0, 0]", .needs = "body", .given = offsetof(palSceneJoint, hasPoint),
     .meaning = "where, in the world at rest"},
    {FIELD("to", pal_schemaText, palSceneJoint, to), BYTES(palSceneJoint, to), .fallback = "world",
     .meaning = "name of another object or wire, whose nearest point is taken; `tool`, or `world`"},
    {FIELD("axis", pal_schemaVector, palSceneJoint, axis), RANGE(-100, 100, NULL), .unset = "none",
     .given = offsetof(palSceneJoint, hasAxis),
     .meaning =
         "`hinge`, `slider`, required: about or along which they move, in the world at rest; "
         "any length"},
    {FIELD("low", pal_schemaNumber, palSceneJoint, low), RANGE(-36000, 0, NULL),
     .unset = "no limit",
     .meaning = "`hinge` in degrees, `slider` in metres: how far `body` may turn or shift against "
                "`to`, backwards about or along `axis`, from where it is at the start"},
    {FIELD("high", pal_schemaNumber, palSceneJoint, high), RANGE(0, 36000, NULL),
     .unset = "no limit", .meaning = "the same forwards"},
    {FIELD("friction", pal_schemaNumber, palSceneJoint, friction), RANGE(0, 1e6, NULL),
     .fallback = "0", .meaning = "`hinge` in N·m, `slider` in N: what it takes to move it"},
    {FIELD("radius", pal_schemaNumber, palSceneJoint, radius), RANGE(0, 100, "m"), .fallback = "0",
     .meaning =
         "of a soft object, its surface within this distance, as far as it faces the same way, "
         "is held as a whole; 0: a weld or hinge holds the triangle there, other kinds the "
         "point"},
};
const palSchemaTable pal_jointTable = {
    .noun = "joint",
    .title = "joints[]: what is tied to what",
    .intro =
        "A list. The two must touch at the start: within a millimetre. What is joined does not "
        "touch otherwise: a lid rests where `low` or `high` of its hinge holds it. Limits and "
        "friction are for rigid objects that move, not under `compliance`.",
    .keys = jointKeys,
    .keyCount = COUNT(jointKeys),
    .size = sizeof(palSceneJoint),
    .placed = true,
};

static const palSchemaKey handWireKeys[] = {
    {FIELD("name", pal_schemaText, palSceneHandWire, name), BYTES(palSceneHandWire, name),
     .required = true, .meaning = "of one of `wires`"},
    {FIELD("end", pal_schemaChoice, palSceneHandWire, end), .nameAt = handNameAt, .required = true,
     .meaning = "by which of its ends"},
};
const palSchemaTable pal_handWireTable = {
    .noun = "wire of a hand",
    .title = "hands[].wire: the wire in the hand",
    .intro = "The same as `hand` of that wire, which means the first hand.",
    .keys = handWireKeys,
    .keyCount = COUNT(handWireKeys),
    .size = sizeof(palSceneHandWire),
};

static const palSchemaKey loopKeys[] = {
    {FIELD("dt", pal_schemaNumber, palSceneLoop, dt), RANGE(1e-5, 1, "s"), .required = true,
     .meaning = "its step"},
    {FIELD("latency", pal_schemaNumber, palSceneLoop, latency), RANGE(0, 1, "s"),
     .unset = "its step", .meaning = "lockstep: until the high rate gets its result"},
};
const palSchemaTable pal_loopTable = {
    .noun = "loop",
    .title = "time.loops[]: further rates",
    .intro = "For method `compliance`. The loop of `low_dt` is the first; these are the second and "
             "on.",
    .keys = loopKeys,
    .keyCount = COUNT(loopKeys),
    .size = sizeof(palSceneLoop),
};
