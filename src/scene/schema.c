// SPDX-License-Identifier: Apache-2.0
#include "scene/schema.h"

#include "base/schema_columns.h"
#include "render/method.h"
#include "scene/rigid_schema.h"
#include "scene/scene.h"
#include "scene/shape_schema.h"
#include "scene/soft_schema.h"
#include "scene/wire_schema.h"

static const char* timeUnitNameAt(int index)
{
    static const char* const names[pal_timeUnitCount] = {
        [pal_timeSecond] = "s",
        [pal_timeMillisecond] = "ms",
        [pal_timeMicrosecond] = "us",
        [pal_timeNanosecond] = "ns",
    };
    return nameIn(names, pal_timeUnitCount, index);
}

static const char* interpolationNameAt(int index)
{
    static const char* const names[] = {
        [pal_interpolateLinear] = "linear",
        [pal_interpolateSmooth] = "smooth",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* methodNameAt(int index)
{
    const palMethodEntry* method = palMethodAt(index);
    return method != NULL ? method->name : NULL;
}

static const char* limitNameAt(int index)
{
    static const char* const names[] = {
        [pal_limitTriangle] = "triangle",
        [pal_limitRectangle] = "rectangle",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* representationNameAt(int index)
{
    static const char* const names[] = {
        [pal_representTriangles] = "triangles",
        [pal_representPoints] = "points",
        [pal_representHull] = "hull",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* responseNameAt(int index)
{
    static const char* const names[] = {
        [pal_softAdvanced] = "advanced",
        [pal_softFrozen] = "frozen",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* toolLawNameAt(int index)
{
    static const char* const names[] = {
        [pal_toolContact] = "contact",
        [pal_toolEquality] = "equality",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* toolRateNameAt(int index)
{
    static const char* const names[] = {
        [pal_toolHighRate] = "high",
        [pal_toolLowRate] = "low",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* correctionNameAt(int index)
{
    static const char* const names[] = {[pal_correctionOn] = "on", [pal_correctionOff] = "off"};
    return nameIn(names, COUNT(names), index);
}

static const char* stepNameAt(int index)
{
    static const char* const names[] = {
        [pal_complianceAtDt] = "dt",
        [pal_complianceAtLowDt] = "low_dt",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* forceNameAt(int index)
{
    static const char* const names[] = {
        [pal_forceReaction] = "reaction",
        [pal_forceConstraints] = "constraints",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* driverNameAt(int index)
{
    const palDeviceOps* driver = palDeviceDriver(index);
    return driver != NULL ? driver->name : NULL;
}

static const palSchemaTable* driverTableAt(int index)
{
    const palDeviceOps* driver = palDeviceDriver(index);
    return driver != NULL ? driver->settings : NULL;
}

static const char* trajectoryNameAt(int index)
{
    return index < pal_trajectoryKindCount ? palTrajectoryKind_Name((palTrajectoryKind)index)
                                           : NULL;
}

static void setTrajectoryDefaults(int kind, void* record)
{
    *(palSceneTrajectory*)record = (palSceneTrajectory){
        .def = palDefaultTrajectoryDef((palTrajectoryKind)kind),
        .object = -1,
    };
}

static void setSafetyDefaults(int kind, void* record)
{
    (void)kind;
    *(palSafetyDef*)record = palDefaultSafetyDef();
}

static const palSchemaKey timeKeys[] = {
    {FIELD("seconds", pal_schemaNumber, palSceneTime, seconds), RANGE(0.001, 3600, "s"),
     .fallback = "3", .meaning = "length of the run"},
    {FIELD("dt", pal_schemaNumber, palSceneTime, dt), RANGE(1e-5, 0.01, "s"), .fallback = "0.001",
     .meaning = "step of the high rate, at which the device is served"},
    {FIELD("low_dt", pal_schemaNumber, palSceneTime, lowDt), RANGE(1e-5, 1, "s"),
     .fallback = "0.033",
     .meaning = "step of the low rate, at which contacts are found; at least `dt`"},
    {FIELD("latency", pal_schemaNumber, palSceneTime, latency), RANGE(0, 1, "s"),
     .unset = "0.005, at most `low_dt`; with soft objects `low_dt`",
     .meaning = "lockstep: from the start of a low-rate step until the high rate gets its result; "
                "at most `low_dt`"},
    {FIELD("spin", pal_schemaNumber, palSceneTime, spin), RANGE(0, 0.01, "s"), .fallback = "0.0001",
     .meaning = "real time: the end of each wait that is spent spinning; at most `dt`"},
    {FIELD("loops", pal_schemaList, palSceneTime, loops), .size = pal_loopsMax - 1,
     .count = offsetof(palSceneTime, loopCount), .table = &pal_loopTable,
     .meaning = "`compliance`: rates besides these two"},
};
static const palSchemaTable timeTable = {
    .noun = "time",
    .title = "time: length and rates",
    .intro =
        "The two rates need not divide each other: `low_dt` and `latency` are rounded to whole "
        "steps of `dt`.",
    .keys = timeKeys,
    .keyCount = COUNT(timeKeys),
    .size = sizeof(palSceneTime),
};

static const palSchemaKey methodKeys[] = {
    {FIELD("name", pal_schemaName, palSceneMethod, name), BYTES(palSceneMethod, name),
     .nameAt = methodNameAt, .fallback = "standard", .meaning = "how the force is computed"},
    {FIELD("radius", pal_schemaNumber, palSceneMethod, radius), RANGE(1e-4, 10, "m"),
     .fallback = "0.02", .meaning = "contacts are sought this far around the proxy"},
    {FIELD("limits", pal_schemaChoice, palSceneMethod, settings.accurate.limits),
     .nameAt = limitNameAt, .fallback = "triangle",
     .meaning =
         "`accurate`: where a contact plane acts: on its triangle, or on the rectangle of the "
         "paper"},
    {FIELD("merge_within", pal_schemaNumber, palSceneMethod, settings.accurate.tolerance),
     RANGE(0, 1e-3, "m"), .fallback = "1e-06",
     .meaning = "`accurate` with a point: where more triangles of static objects are near than a "
                "snapshot holds, they are merged into larger ones within this distance, or within "
                "up to 16 times it where these are still too many. Where a hand holds a tool: "
                "tools and rigid objects of more than 16000 triangles are, when they are loaded. "
                "0: never"},
    {FIELD("response", pal_schemaChoice, palSceneMethod, settings.soft.response),
     .nameAt = responseNameAt, .fallback = "advanced",
     .meaning = "soft objects between two low-rate steps: advanced at the high rate, or frozen as "
                "in the paper of Dervaux et al."},
    {FIELD("elements_at_once", pal_schemaWhole, palSceneMethod, settings.soft.elementsAtOnce),
     RANGE(0, 100000000, NULL), .fallback = "0",
     .meaning =
         "soft objects of more elements than this: the system is factored by another "
         "thread, and earlier factors serve meanwhile; 0: those whose factor takes more than "
         "1.5e8 operations, as of compact objects of 7000 tets or 800 bricks"},
    {FIELD("penalty_stiffness", pal_schemaNumber, palSceneMethod, settings.penalty.stiffness),
     RANGE(1, 1e6, "N/m"), .fallback = "2000", .meaning = "`penalty`: force by depth"},
    {FIELD("penalty_damping", pal_schemaNumber, palSceneMethod, settings.penalty.damping),
     RANGE(0, 1e4, "N·s/m"), .fallback = "1", .meaning = "`penalty`: force by speed of approach"},
    {FIELD("constraints", pal_schemaChoice, palSceneMethod, settings.linear.constraints),
     .nameAt = toolLawNameAt, .fallback = "contact",
     .meaning = "`linear`, `coupling`: contacts that push and rub, or the frictionless `equality` "
                "of the paper of Otaduy and Gross, which also pulls"},
    {FIELD("model_step", pal_schemaChoice, palSceneMethod, settings.linear.modelStep),
     .nameAt = toolRateNameAt, .fallback = "high",
     .meaning = "`linear` with `equality`: the step that the contact model is made for, that of "
                "the `high` or of the `low` rate"},
    {FIELD("filter", pal_schemaNumber, palSceneMethod, settings.linear.filter), RANGE(0, 1, "s"),
     .unset = "half of a `low_dt` above 0.05 s, else 0",
     .meaning = "`linear` with `equality`: time constant of a low-pass on the contact model; 0: "
                "none"},
    {FIELD("force", pal_schemaChoice, palSceneMethod, settings.compliance.force),
     .nameAt = forceNameAt, .fallback = "reaction",
     .meaning = "`compliance`: what the hand feels: the reaction of the held end, or as in the "
                "paper the sum of the constraint forces"},
    {FIELD("compliance_step", pal_schemaChoice, palSceneMethod, settings.compliance.step),
     .nameAt = stepNameAt, .fallback = "dt",
     .meaning = "`compliance`, frozen: the step of the soft bodies' compliance at the high rate; "
                "`low_dt` is wrong, to see why"},
    {FIELD("correction", pal_schemaChoice, palSceneMethod, settings.compliance.correction),
     .nameAt = correctionNameAt, .fallback = "on",
     .meaning = "`compliance`, frozen: the term of eq. (11); `off` is wrong, to see why"},
};
static const palSchemaTable methodTable = {
    .noun = "method",
    .title = "method: how the force is computed",
    .intro = "The numbers of other methods may stay in the file, so that `--set method.name=...` "
             "compares methods on one scene.",
    .keys = methodKeys,
    .keyCount = COUNT(methodKeys),
    .size = sizeof(palSceneMethod),
};

static const palSchemaKey couplingKeys[] = {
    {FIELD("stiffness", pal_schemaNumber, palSceneCoupling, stiffness), RANGE(1, 1e6, "N/m"),
     .unset = "1000, or less as the device allows", .meaning = "spring between device and proxy"},
    {FIELD("damping", pal_schemaNumber, palSceneCoupling, damping), RANGE(0, 1e4, "N·s/m"),
     .unset = "0.8 at 1000 N/m, or less as the device allows",
     .meaning = "damper between device and proxy"},
    {FIELD("mass", pal_schemaNumber, palSceneCoupling, mass), RANGE(1e-5, 10, "kg"),
     .fallback = "0.001", .meaning = "mass of the proxy; a `tool` has its own"},
    {FIELD("turn_stiffness", pal_schemaNumber, palSceneCoupling, turnStiffness),
     RANGE(1e-4, 1e4, "N·m/rad"), .unset = "`stiffness` at a lever of 20 mm",
     .meaning = "`tool`: spring between the orientations of device and tool"},
    {FIELD("turn_damping", pal_schemaNumber, palSceneCoupling, turnDamping),
     RANGE(0, 100, "N·m·s/rad"), .unset = "`damping` at a lever of 20 mm",
     .meaning = "`tool`: damper between them"},
};
static const palSchemaTable couplingTable = {
    .noun = "coupling",
    .title = "coupling: between device and proxy",
    .intro =
        "The proxy is the point that stays on the surface while the hand goes in; a spring and "
        "a damper join it to the device, and their force is what the hand feels.",
    .keys = couplingKeys,
    .keyCount = COUNT(couplingKeys),
    .size = sizeof(palSceneCoupling),
};

static const palSchemaKey deviceKeys[] = {
    {FIELD("driver", pal_schemaName, palSceneDevice, driver), BYTES(palSceneDevice, driver),
     .nameAt = driverNameAt, .listedBy = "palpate devices", .fallback = "replay",
     .meaning = "who moves: `replay` follows the trajectory exactly, `simulated` is a device in a "
                "hand that yields"},
};
static const palSchemaTable deviceTable = {
    .noun = "device",
    .title = "device: who holds the proxy",
    .intro = "Each driver has keys of its own, which stand beside `driver`. A key of another "
             "driver is an error; with `--set device.driver=...` or `--device ...` the keys of the "
             "file's driver are left out.",
    .keys = deviceKeys,
    .keyCount = COUNT(deviceKeys),
    .size = sizeof(palSceneDevice),
    .byKind = true,
    .kindTableAt = driverTableAt,
    .kindOffset = offsetof(palSceneDevice, settings),
    .kindSize = sizeof((palSceneDevice*)0)->settings,
};

enum
{
    lineKind = KIND(pal_trajectoryLine),
    sineKind = KIND(pal_trajectorySine),
    circleKind = KIND(pal_trajectoryCircle),
    pressKind = KIND(pal_trajectoryPress),
    pathKind = KIND(pal_trajectoryPath),
    fileKind = KIND(pal_trajectoryFile),
    targetGroup = 1,
};
static const palSchemaKey pathPointKeys[] = {
    {FIELD("t", pal_schemaNumber, palPathPoint, t), RANGE(0, 3600, "s"), .required = true,
     .meaning = "when it is there; later than the point before"},
    {FIELD("at", pal_schemaVector, palPathPoint, at), RANGE(-100, 100, "m"), .required = true,
     .meaning = "where"},
    {FIELD("turn", pal_schemaVector, palPathPoint, turn), RANGE(-360, 360, "degrees"),
     .fallback = "[0, 0, 0]", .meaning = "how it is turned, as a rotation vector"},
    {FIELD("buttons", pal_schemaWhole, palPathPoint, buttons), RANGE(0, 65535, NULL),
     .fallback = "0",
     .meaning = "of the device that are down from then to the next point: 1 for button 0, 2 for "
                "button 1, 4 for button 2, and their sums"},
};
static const palSchemaTable pathPointTable = {
    .noun = "point of the path",
    .title = "trajectory.points: where the hand is, and when",
    .intro = "Between two points the hand moves smoothly, and it rests at each for an instant; it "
             "stays still between two points at the same place.",
    .keys = pathPointKeys,
    .keyCount = COUNT(pathPointKeys),
    .size = sizeof(palPathPoint),
};
static const palSchemaTable drivenPointTable = {
    .noun = "point of the path",
    .title = "objects[].path: where a driven object is, and when",
    .intro = "It moves between them as a hand does.",
    .keys = pathPointKeys,
    .keyCount = COUNT(pathPointKeys) - 1, // it has no buttons
    .size = sizeof(palPathPoint),
};

static const palSchemaKey trajectoryKeys[] = {
    {FIELD("kind", pal_schemaChoice, palSceneTrajectory, def.kind), .nameAt = trajectoryNameAt,
     .required = true, .meaning = "which of the paths below"},
    {FIELD("start", pal_schemaVector, palSceneTrajectory, def.start), RANGE(-100, 100, "m"),
     .kinds = lineKind | sineKind, .meaning = "first point"},
    {FIELD("end", pal_schemaVector, palSceneTrajectory, def.end), RANGE(-100, 100, "m"),
     .kinds = lineKind, .meaning = "last point; the hand rests there"},
    {FIELD("centre", pal_schemaVector, palSceneTrajectory, def.centre), RANGE(-100, 100, "m"),
     .kinds = circleKind, .meaning = "of the circle"},
    {FIELD("axis", pal_schemaVector, palSceneTrajectory, def.axis), RANGE(-1e3, 1e3, NULL),
     .nonZero = true, .kinds = circleKind, .meaning = "normal of the circle's plane, any length"},
    {FIELD("radius", pal_schemaNumber, palSceneTrajectory, def.radius), RANGE(1e-5, 10, "m"),
     .kinds = circleKind, .meaning = "of the circle"},
    {FIELD("speed", pal_schemaNumber, palSceneTrajectory, def.speed), RANGE(1e-5, 10, "m/s"),
     .kinds = lineKind | sineKind | circleKind | pressKind,
     .meaning = "along the path; `sine`: along x"},
    {FIELD("amplitude", pal_schemaNumber, palSceneTrajectory, def.amplitude), RANGE(-1, 1, "m"),
     .kinds = sineKind, .meaning = "of the wave in y"},
    {FIELD("wavelength", pal_schemaNumber, palSceneTrajectory, def.wavelength),
     RANGE(1e-4, 10, "m"), .kinds = sineKind, .meaning = "of the wave along x"},
    {FIELD("offset", pal_schemaNumber, palSceneTrajectory, def.offset), RANGE(-1, 1, "m"),
     .kinds = sineKind, .meaning = "added to y; negative: below"},
    {FIELD("object", pal_schemaWhole, palSceneTrajectory, object), RANGE(0, 999999, NULL),
     .kinds = pressKind, .group = targetGroup,
     .meaning = "the object to press on, counted from 0; the target is the middle of what is seen "
                "of it along the direction"},
    {FIELD("target", pal_schemaVector, palSceneTrajectory, def.target), RANGE(-100, 100, "m"),
     .kinds = pressKind, .group = targetGroup, .meaning = "the point to press on"},
    {FIELD("direction", pal_schemaVector, palSceneTrajectory, def.direction),
     RANGE(-1e3, 1e3, NULL), .nonZero = true, .kinds = pressKind,
     .meaning = "where the hand pushes, any length"},
    {FIELD("gap", pal_schemaNumber, palSceneTrajectory, def.gap), RANGE(0, 1, "m"),
     .unset = "0.01, at most the object's diagonal", .kinds = pressKind,
     .meaning = "starts this far outside the target"},
    {FIELD("depth", pal_schemaNumber, palSceneTrajectory, def.depth), RANGE(0, 1, "m"),
     .unset = "0.005, at most a tenth of the object's diagonal", .kinds = pressKind,
     .meaning = "goes this far beyond it"},
    {FIELD("hold", pal_schemaNumber, palSceneTrajectory, def.hold), RANGE(0, 3600, "s"),
     .kinds = pressKind, .meaning = "stays there this long, then goes back"},
    {FIELD("points", pal_schemaList, palSceneTrajectory, def.points),
     .count = offsetof(palSceneTrajectory, def.pointCount), .table = &pathPointTable,
     .required = true, .kinds = pathKind, .meaning = "the points, in the order of their times"},
    {FIELD("file", pal_schemaPath, palSceneTrajectory, def.file),
     BYTES(palSceneTrajectory, def.file), .place = offsetof(palSceneTrajectory, filePlace),
     .required = true, .kinds = fileKind,
     .meaning = "a CSV with columns t,x,y,z and optionally qw,qx,qy,qz and buttons, as those of "
                "`points`"},
    {FIELD("columns", pal_schemaText, palSceneTrajectory, def.columns),
     BYTES(palSceneTrajectory, def.columns), .unset = "as in the file", .kinds = fileKind,
     .meaning =
         "the file's names for t,x,y,z or t,x,y,z,qw,qx,qy,qz, and after these for buttons or "
         "not, in this order: `\"time,px,py,pz\"`"},
    {FIELD("unit", pal_schemaChoice, palSceneTrajectory, unit), .nameAt = palUnitNameAt,
     .kinds = fileKind, .meaning = "unit of length in the file"},
    {FIELD("time_unit", pal_schemaChoice, palSceneTrajectory, timeUnit), .nameAt = timeUnitNameAt,
     .kinds = fileKind, .meaning = "unit of t in the file"},
    {FIELD("time_offset", pal_schemaNumber, palSceneTrajectory, def.timeOffset),
     RANGE(-1e19, 1e19, "s"), .unset = "the first row is at 0", .kinds = fileKind,
     .meaning = "added to the times; 0 keeps them. The hand rests before the first row and after "
                "the last"},
    {FIELD("scale", pal_schemaNumber, palSceneTrajectory, def.scale), RANGE(1e-6, 1e6, NULL),
     .kinds = fileKind, .meaning = "enlarges the recorded motion, after the unit"},
    {FIELD("rotation", pal_schemaVector, palSceneTrajectory, def.rotation), RANGE(-360, 360, "deg"),
     .kinds = fileKind,
     .meaning = "how the recorded frame is turned in the scene, as a rotation vector; recorded "
                "orientations turn with it"},
    {FIELD("position", pal_schemaVector, palSceneTrajectory, def.position), RANGE(-100, 100, "m"),
     .kinds = fileKind, .meaning = "where the origin of the recorded frame is in the scene"},
    {FIELD("interpolation", pal_schemaChoice, palSceneTrajectory, def.interpolation),
     .nameAt = interpolationNameAt, .kinds = fileKind,
     .meaning = "between the rows: `linear`, or `smooth` with a continuous velocity, for files "
                "coarser than the high rate; neither overshoots, and over a gap in the times the "
                "hand moves from its one end to the other"},
};
static const palSchemaTable trajectoryTable = {
    .noun = "trajectory",
    .title = "trajectory: where the hand goes",
    .intro =
        "A `line`, a `sine` wave along x, a `circle`, a `press` into a surface and back, a "
        "`path` from point to point, or a recording from a `file`. Each kind has keys of its own.",
    .keys = trajectoryKeys,
    .keyCount = COUNT(trajectoryKeys),
    .size = sizeof(palSceneTrajectory),
    .byKind = true,
    .setDefaults = setTrajectoryDefaults,
};

static const palSchemaKey safetyKeys[] = {
    {FIELD("max_force", pal_schemaNumber, palSafetyDef, maxForce), RANGE(0.01, 1000, "N"),
     .unset = "the device's limit", .meaning = "no force is longer"},
    {FIELD("max_torque", pal_schemaNumber, palSafetyDef, maxTorque), RANGE(1e-4, 100, "N·m"),
     .unset = "the device's limit", .meaning = "no torque is longer"},
    {FIELD("slew_rate", pal_schemaNumber, palSafetyDef, slewRate), RANGE(1, 1e6, "N/s"),
     .meaning = "no force changes faster"},
    {FIELD("stale_after", pal_schemaNumber, palSafetyDef, staleAfter), RANGE(0.001, 10, "s"),
     .meaning = "a low-rate result or device state older than this fades the force"},
    {FIELD("fade_time", pal_schemaNumber, palSafetyDef, fadeTime), RANGE(0.001, 10, "s"),
     .meaning = "how long a fade takes"},
};
static const palSchemaTable safetyTable = {
    .noun = "safety",
    .title = "safety: what may reach the hand",
    .intro = "The last thing that every force passes.",
    .keys = safetyKeys,
    .keyCount = COUNT(safetyKeys),
    .size = sizeof(palSafetyDef),
    .setDefaults = setSafetyDefaults,
};

enum
{
    surfaceGroup = 1,
};
static const char* sideNameAt(int index)
{
    static const char* const names[] = {
        [pal_sideFront] = "front",
        [pal_sideBack] = "back",
    };
    return nameIn(names, COUNT(names), index);
}

static const palSchemaKey objectKeys[] = {
    {FIELD("name", pal_schemaText, palSceneObject, name), BYTES(palSceneObject, name),
     .unset = "object0, object1, ...", .meaning = "for reports"},
    {FIELD("mesh", pal_schemaPath, palSceneObject, mesh), BYTES(palSceneObject, mesh),
     .place = offsetof(palSceneObject, meshPlace), .group = surfaceGroup,
     .meaning = "a surface file: OBJ, STL, PLY, OFF or glTF; or a volume file: Gmsh .msh, VTK "
                "legacy .vtk, Medit .mesh, TetGen .node"},
    {FIELD("shape", pal_schemaMap, palSceneObject, shape), .table = &pal_shapeTable,
     .group = surfaceGroup, .meaning = "a surface from a few numbers"},
    {FIELD("parts", pal_schemaList, palSceneObject, parts),
     .count = offsetof(palSceneObject, partCount), .table = &pal_partTable, .group = surfaceGroup,
     .meaning = "several of them as one rigid body"},
    {FIELD("unit", pal_schemaChoice, palSceneObject, unit), .nameAt = palUnitNameAt,
     .fallback = "m", .needs = "mesh", .meaning = "unit of length in the mesh file"},
    {FIELD("scale", pal_schemaNumber, palSceneObject, scale), RANGE(1e-6, 1e6, NULL),
     .fallback = "1", .meaning = "enlarges, after the unit"},
    {FIELD("tolerance", pal_schemaNumber, palSceneObject, tolerance), RANGE(0, 0.01, "m"),
     .fallback = "0",
     .meaning = "triangles are merged into larger ones where the surface moves by no more than "
                "this; 0: never"},
    {FIELD("side", pal_schemaChoice, palSceneObject, side), .nameAt = sideNameAt,
     .fallback = "front",
     .meaning = "of an open surface, such as the segmented lumen of a vessel: which side is free, "
                "the one from which the corners of a triangle run counter-clockwise or its `back`; "
                "wires stay on it"},
    {FIELD("position", pal_schemaVector, palSceneObject, position), RANGE(-100, 100, "m"),
     .fallback = "[0, 0, 0]", .meaning = "where the object's origin is"},
    {FIELD("rotation", pal_schemaVector, palSceneObject, rotation), RANGE(-360, 360, "deg"),
     .fallback = "[0, 0, 0]",
     .meaning = "rotation vector: its direction is the axis, its length "
                "the angle"},
    {FIELD("friction", pal_schemaNumber, palSceneObject, friction), RANGE(0, 10, NULL),
     .fallback = "0", .meaning = "Coulomb's coefficient"},
    {FIELD("layer", pal_schemaText, palSceneObject, layer), BYTES(palSceneObject, layer),
     .unset = "none", .meaning = "a name for several objects, for `pairs`"},
    {FIELD("repeat", pal_schemaMap, palSceneObject, repeat), .table = &pal_repeatTable,
     .given = offsetof(palSceneObject, isRepeated),
     .meaning = "a rigid object several times, in rows and grids"},
    {FIELD("motion", pal_schemaChoice, palSceneObject, motion), .nameAt = palMotionNameAt,
     .fallback = "fixed",
     .meaning =
         "rigid objects: `free` moves as forces move it, and is closed, with triangles that face "
         "outward; `driven` along its `path`, whatever pushes it; `palpate methods` lists the "
         "methods"},
    {FIELD("density", pal_schemaNumber, palSceneObject, density), RANGE(1, 1e5, "kg/m³"),
     .fallback = "1000", .needs = "motion",
     .meaning = "`free`: mass, centre and inertia follow from the shape"},
    {FIELD("mass", pal_schemaNumber, palSceneObject, mass), RANGE(1e-6, 1e6, "kg"),
     .unset = "from the density", .needs = "motion", .meaning = "`free`: in place of the density"},
    {FIELD("centre", pal_schemaVector, palSceneObject, centre), RANGE(-100, 100, "m"),
     .unset = "from the shape", .needs = "motion", .given = offsetof(palSceneObject, hasCentre),
     .meaning = "`free`: of mass, in the object's frame"},
    {FIELD("inertia", pal_schemaVector, palSceneObject, inertia), RANGE(0, 1e6, "kg·m²"),
     .unset = "from the shape", .needs = "motion", .given = offsetof(palSceneObject, hasInertia),
     .meaning = "`free`: moments about axes through the centre of mass that are parallel to those "
                "of the object"},
    {FIELD("inertia_products", pal_schemaVector, palSceneObject, products),
     RANGE(-1e6, 1e6, "kg·m²"), .fallback = "[0, 0, 0]", .needs = "inertia",
     .meaning = "`free`: the elements xy, xz, yz of the inertia tensor"},
    {FIELD("velocity", pal_schemaVector, palSceneObject, velocity), RANGE(-100, 100, "m/s"),
     .fallback = "[0, 0, 0]", .needs = "motion",
     .meaning = "`free`: of the centre of mass at the start"},
    {FIELD("spin", pal_schemaVector, palSceneObject, spin), RANGE(-1e5, 1e5, "deg/s"),
     .fallback = "[0, 0, 0]", .needs = "motion",
     .meaning = "`free`: angular velocity at the start"},
    {FIELD("damping", pal_schemaNumber, palSceneObject, damping), RANGE(0, 1e3, "1/s"),
     .fallback = "0", .needs = "motion", .meaning = "`free`: slows every motion, as in a fluid"},
    {FIELD("path", pal_schemaList, palSceneObject, path),
     .count = offsetof(palSceneObject, pathCount), .table = &drivenPointTable, .needs = "motion",
     .meaning = "`driven`: where its origin is, and when; `turn` comes after its `rotation`"},
    {FIELD("contact", pal_schemaMap, palSceneObject, contact), .table = &pal_contactTable,
     .meaning = "how it touches other rigid objects, in place of the scene's `contact`"},
    {FIELD("representation", pal_schemaChoice, palSceneObject, representation),
     .nameAt = representationNameAt, .fallback = "triangles",
     .meaning = "`triangles`: felt as it is; `points`, under `accurate`: as a point shell of its "
                "vertices; `hull`, under `impulse`: as the convex polyhedron that it is, with "
                "plane faces"},
    {FIELD("soft", pal_schemaMap, palSceneObject, soft), .table = &pal_softTable,
     .given = offsetof(palSceneObject, isSoft), .place = offsetof(palSceneObject, softPlace),
     .meaning = "makes it deformable; rigid without"},
    {FIELD("loop", pal_schemaWhole, palSceneObject, loop), RANGE(1, pal_loopsMax, NULL),
     .fallback = "1",
     .meaning = "`compliance`: which loop steps a soft object: 1 at `low_dt`, 2, ... at "
                "`time.loops`"},
};
static const palSchemaTable objectTable = {
    .noun = "object",
    .title = "objects[]: what is touched",
    .intro = "A list, of at most 1000 where rigid ones may move or `repeat` is used. Each object "
             "has a `mesh`, a `shape` or `parts`.",
    .keys = objectKeys,
    .keyCount = COUNT(objectKeys),
    .size = sizeof(palSceneObject),
    .placed = true,
};

static const palSchemaKey toolKeys[] = {
    {FIELD("mesh", pal_schemaPath, palSceneTool, mesh), BYTES(palSceneTool, mesh),
     .place = offsetof(palSceneTool, meshPlace), .group = surfaceGroup,
     .meaning = "a closed surface: OBJ, STL, PLY, OFF or glTF"},
    {FIELD("shape", pal_schemaMap, palSceneTool, shape), .table = &pal_shapeTable,
     .group = surfaceGroup, .meaning = "a closed surface from a few numbers"},
    {FIELD("unit", pal_schemaChoice, palSceneTool, unit), .nameAt = palUnitNameAt, .fallback = "m",
     .needs = "mesh", .meaning = "unit of length in the mesh file"},
    {FIELD("scale", pal_schemaNumber, palSceneTool, scale), RANGE(1e-6, 1e6, NULL), .fallback = "1",
     .meaning = "enlarges, after the unit"},
    {FIELD("tolerance", pal_schemaNumber, palSceneTool, tolerance), RANGE(0, 0.01, "m"),
     .fallback = "0",
     .meaning = "triangles are merged into larger ones where the surface moves by no more than "
                "this; 0: never"},
    {FIELD("position", pal_schemaVector, palSceneTool, position), RANGE(-10, 10, "m"),
     .fallback = "[0, 0, 0]",
     .meaning = "where the mesh's origin is, seen from the device point, which the hand holds"},
    {FIELD("rotation", pal_schemaVector, palSceneTool, rotation), RANGE(-360, 360, "deg"),
     .fallback = "[0, 0, 0]",
     .meaning = "how the mesh is turned in the hand, as a rotation vector"},
    {FIELD("density", pal_schemaNumber, palSceneTool, density), RANGE(1, 1e5, "kg/m³"),
     .fallback = "1000", .meaning = "mass, centre and inertia follow from the mesh"},
    {FIELD("mass", pal_schemaNumber, palSceneTool, mass), RANGE(1e-5, 10, "kg"),
     .unset = "from the density", .meaning = "in place of the density"},
    {FIELD("spacing", pal_schemaNumber, palSceneTool, spacing), RANGE(0, 1, "m"), .fallback = "0",
     .meaning =
         "`accurate`, `standard`, `penalty`: the points of the surface that touch are its "
         "vertices, and "
         "others between them where they are farther apart than this, or 1024 of them, evenly, "
         "where they are more; 0: a twentieth of the tool's size"},
};
static const palSchemaTable toolTable = {
    .noun = "tool",
    .title = "tool: the rigid thing in the hand",
    .intro = "Six degrees of freedom. Methods `linear`, `coupling` and `compliance` touch with its "
             "whole surface, `accurate`, `standard` and `penalty` with points and edges of it. "
             "Its friction on an object is the object's.",
    .keys = toolKeys,
    .keyCount = COUNT(toolKeys),
    .size = sizeof(palSceneTool),
};

// The keys of a hand, which stand at the top where there is only one. `of` is the struct and `at`
// the path in it.
#define HAND_KEYS(of, at)                                                                          \
    {FIELD("coupling", pal_schemaMap, of, at coupling), .table = &couplingTable,                   \
     .meaning = "between device and proxy"},                                                       \
        {FIELD("device", pal_schemaMap, of, at device), .table = &deviceTable,                     \
         .place = offsetof(of, at devicePlace), .meaning = "who holds the proxy"},                 \
        {FIELD("trajectory", pal_schemaMap, of, at trajectory), .table = &trajectoryTable,         \
         .given = offsetof(of, at hasTrajectory),                                                  \
         .meaning = "where the hand goes; only driver `target` has none"},                         \
        {FIELD("tool", pal_schemaMap, of, at tool), .table = &toolTable,                           \
         .given = offsetof(of, at hasTool), .place = offsetof(of, at toolPlace),                   \
         .meaning = "the rigid thing in the hand; without, the hand touches with a point"},        \
        {FIELD("tip_radius", pal_schemaNumber, of, at tipRadius), RANGE(0, 0.1, "m"),              \
         .fallback = "0",                                                                          \
         .meaning = "of the point: on soft objects its force is spread as under a ball of this "   \
                    "radius"},                                                                     \
        {FIELD("pick", pal_schemaWhole, of, at pick), RANGE(-1, 31, NULL), .fallback = "0",        \
         .meaning = "where rigid objects move: while this button of the device is down, counted "  \
                    "from 0, the hand holds the free object that its tool or point touches; -1: "  \
                    "it picks nothing up"},                                                        \
    {                                                                                              \
        FIELD("safety", pal_schemaMap, of, at safety), .table = &safetyTable,                      \
                                                       .meaning = "what may reach the hand"        \
    }

static const palSchemaKey handKeys[] = {
    HAND_KEYS(palSceneHand, ),
    {FIELD("wire", pal_schemaMap, palSceneHand, wire), .table = &pal_handWireTable,
     .given = offsetof(palSceneHand, hasWire), .meaning = "the wire in the hand"},
};
static const palSchemaTable handTable = {
    .noun = "hand",
    .title = "hands[]: several hands",
    .intro = "A list. Each hand has a device of its own, and holds a `tool`, a `wire` or nothing: "
             "then it touches with a point. Its keys are those that stand at the top where there "
             "is only one hand; a scene has one of the two forms.",
    .keys = handKeys,
    .keyCount = COUNT(handKeys),
    .size = sizeof(palSceneHand),
    .placed = true,
};

static const palSchemaKey sceneKeys[] = {
    {FIELD("palpate", pal_schemaWhole, palScene, version), RANGE(1, 1, NULL), .required = true,
     .meaning = "version of the format"},
    {FIELD("name", pal_schemaText, palScene, name), BYTES(palScene, name),
     .unset = "the file's name", .meaning = "for reports"},
    {FIELD("description", pal_schemaText, palScene, description), BYTES(palScene, description),
     .fallback = "", .meaning = "what the scene is for"},
    {FIELD("seed", pal_schemaWhole, palScene, seed), RANGE(0, 2147483647, NULL), .fallback = "1",
     .meaning = "of random numbers; written to summary.json. No method of this version draws any"},
    {FIELD("gravity", pal_schemaVector, palScene, gravity), RANGE(-100, 100, "m/s²"),
     .fallback = "[0, 0, 0]", .meaning = "acts on the proxy and on bodies"},
    {FIELD("time", pal_schemaMap, palScene, time), .table = &timeTable,
     .meaning = "length and rates"},
    {FIELD("method", pal_schemaMap, palScene, method), .table = &methodTable,
     .meaning = "how the force is computed"},
    HAND_KEYS(palScene, hand.),
    {FIELD("hands", pal_schemaList, palScene, hands), .size = pal_handsMax,
     .count = offsetof(palScene, handCount), .table = &handTable,
     .meaning = "several hands, instead of `coupling`, `device`, `trajectory`, `tool` and "
                "`safety` here"},
    {FIELD("contact", pal_schemaMap, palScene, contact), .table = &pal_contactTable,
     .meaning = "how rigid objects touch"},
    {FIELD("objects", pal_schemaList, palScene, objects), .count = offsetof(palScene, objectCount),
     .table = &objectTable, .required = true, .meaning = "what is touched; `[]` for none"},
    {FIELD("wires", pal_schemaList, palScene, wires), .count = offsetof(palScene, wireCount),
     .table = &pal_wireTable, .meaning = "what bends: guidewires, threads, rods"},
    {FIELD("joints", pal_schemaList, palScene, joints), .count = offsetof(palScene, jointCount),
     .table = &pal_jointTable, .meaning = "what is tied to what"},
    {FIELD("pairs", pal_schemaList, palScene, pairs), .count = offsetof(palScene, pairCount),
     .table = &pal_pairTable, .meaning = "rigid objects that never touch, or touch in another way"},
};
static const palSchemaTable sceneTable = {
    .noun = "scene",
    .title = "The scene",
    .keys = sceneKeys,
    .keyCount = COUNT(sceneKeys),
    .size = sizeof(palScene),
};

const palSchemaTable* palSceneSchema(void)
{
    return &sceneTable;
}
