// SPDX-License-Identifier: Apache-2.0
#include "device/trajectory.h"

#include "base/error.h"
#include "device/trajectory_csv.h"

#include <stdlib.h>
#include <string.h>

// s in which a press reaches its speed and leaves it: short beside a press, long beside a step.
static const double longestRamp = 0.1;

struct palTrajectory
{
    palTrajectoryDef def;
    palVec3 u, v;                 // line, press: u is the unit direction; circle: the plane's frame
    double length;                // line, press: of the way from start to end, m
    double ramp;                  // press: s to reach the speed
    palTrajectorySamples samples; // file: owned
};

static const char* const kindNames[pal_trajectoryKindCount] = {
    [pal_trajectoryLine] = "line",     [pal_trajectorySine] = "sine",
    [pal_trajectoryCircle] = "circle", [pal_trajectoryPress] = "press",
    [pal_trajectoryPath] = "path",     [pal_trajectoryFile] = "file",
};

const char* palTrajectoryKind_Name(palTrajectoryKind kind)
{
    return kind >= 0 && kind < pal_trajectoryKindCount ? kindNames[kind] : NULL;
}

palTrajectoryDef palDefaultTrajectoryDef(palTrajectoryKind kind)
{
    return (palTrajectoryDef){
        .kind = kind,
        .end = {0.1, 0.0, 0.0},
        .axis = {0.0, 0.0, 1.0},
        .radius = 0.02,
        .speed = 0.05, // a slow stroke of the hand
        .amplitude = 0.005,
        .wavelength = 0.05,
        .direction = {0.0, 0.0, -1.0},
        .gap = 0.01,
        .depth = 0.005,
        .hold = 1.0,
        .timeUnit = 1.0,
        .timeOffset = NAN,
        .scale = 1.0,
    };
}

//--------------------------------------------------------------------------------------------------
// Checks

static palResult refuse(palError* error, const palTrajectoryDef* def, const char* what,
                        const char* remedy)
{
    palError_Set(error, pal_errorInput, "trajectory %s: %s", kindNames[def->kind], what);
    palError_Remedy(error, "%s", remedy);
    return pal_errorInput;
}

static bool allFinite(const palTrajectoryDef* def)
{
    return palIsFinite(def->start) && palIsFinite(def->end) && palIsFinite(def->centre) &&
           palIsFinite(def->axis) && palIsFinite(def->direction) && palIsFinite(def->target) &&
           isfinite(def->radius) && isfinite(def->speed) && isfinite(def->amplitude) &&
           isfinite(def->wavelength) && isfinite(def->offset) && isfinite(def->gap) &&
           isfinite(def->depth) && isfinite(def->hold);
}

static palResult checkPath(const palTrajectoryDef* def, palError* error)
{
    if (def->pointCount < 1)
        return refuse(error, def, "it has no points", "give one or more points");
    for (int i = 0; i < def->pointCount; i++)
    {
        const palPathPoint* point = &def->points[i];
        if (!isfinite(point->t) || !palIsFinite(point->at) || !palIsFinite(point->turn))
            return refuse(error, def, "a number is not finite", "give every number a finite value");
        if (i > 0 && !(point->t > def->points[i - 1].t))
            return refuse(error, def, "time does not increase from point to point",
                          "put the points in the order of their times");
    }
    return pal_ok;
}

static palResult checkFrame(const palTrajectoryDef* def, palError* error)
{
    if (!(def->timeUnit > 0.0 && def->scale > 0.0) || isinf(def->timeUnit) || isinf(def->scale))
        return refuse(error, def, "a unit or the scale is not positive and finite",
                      "give s and m per unit of the file");
    if (isinf(def->timeOffset) || !palIsFinite(def->rotation) || !palIsFinite(def->position))
        return refuse(error, def, "a number is not finite", "give every number a finite value");
    return pal_ok;
}

static palResult checkDef(const palTrajectoryDef* def, palError* error)
{
    palTrajectoryKind kind = def->kind;
    if (palTrajectoryKind_Name(kind) == NULL)
    {
        palError_Set(error, pal_errorInput, "trajectory kind %d does not exist", (int)kind);
        return palError_Remedy(error, "use line, sine, circle, press, path or file");
    }
    if (kind == pal_trajectoryFile)
    {
        if (def->file[0] == '\0')
            return refuse(error, def, "no file is named", "set trajectory.file");
        return checkFrame(def, error);
    }
    if (kind == pal_trajectoryPath)
        return checkPath(def, error);
    if (!allFinite(def))
        return refuse(error, def, "a number is not finite", "give every number a finite value");
    if (!(def->speed > 0.0))
        return refuse(error, def, "speed is not positive", "give a speed above zero, in m/s");
    if (kind == pal_trajectorySine && !(def->wavelength > 0.0))
        return refuse(error, def, "wavelength is not positive", "give a length above zero, in m");
    if (kind == pal_trajectoryCircle && !(def->radius > 0.0))
        return refuse(error, def, "radius is not positive", "give a radius above zero, in m");
    if (kind == pal_trajectoryCircle && palLength(palNormalize(def->axis)) == 0.0)
        return refuse(error, def, "axis has no length", "give the normal of the circle's plane");
    if (kind == pal_trajectoryPress && palLength(palNormalize(def->direction)) == 0.0)
        return refuse(error, def, "direction has no length", "say which way to push");
    if (kind == pal_trajectoryPress && (def->gap + def->depth < 0.0 || def->hold < 0.0))
        return refuse(error, def, "it ends before it starts",
                      "gap + depth and hold must not be negative");
    return pal_ok;
}

//--------------------------------------------------------------------------------------------------
// Making

static palResult allocate(palTrajectory** trajectory, palError* error)
{
    *trajectory = calloc(1, sizeof **trajectory);
    return *trajectory != NULL ? pal_ok
                               : palError_Memory(error, "a trajectory", sizeof **trajectory);
}

static palResult copyPoints(palTrajectory* trajectory, const palTrajectoryDef* def, palError* error)
{
    size_t size = (size_t)def->pointCount * sizeof *def->points;
    trajectory->def.points = malloc(size);
    if (trajectory->def.points == NULL)
        return palError_Memory(error, "the points of a trajectory", size);
    memcpy(trajectory->def.points, def->points, size);
    return pal_ok;
}

static void prepare(palTrajectory* trajectory)
{
    const palTrajectoryDef* def = &trajectory->def;
    if (def->kind == pal_trajectoryLine)
    {
        palVec3 way = palSub(def->end, def->start);
        trajectory->u = palNormalize(way);
        trajectory->length = palLength(way);
    }
    else if (def->kind == pal_trajectoryCircle)
    {
        palTangents(palNormalize(def->axis), &trajectory->u, &trajectory->v);
    }
    else if (def->kind == pal_trajectoryPress)
    {
        trajectory->u = palNormalize(def->direction);
        trajectory->length = def->gap + def->depth;
        trajectory->ramp = fmin(longestRamp, trajectory->length / def->speed);
    }
}

// From the numbers of the file to the path in the scene, which must not be over at the start.
static palResult place(palTrajectory* trajectory, const char* name, palError* error)
{
    const palTrajectoryDef* def = &trajectory->def;
    palTrajectorySamples* samples = &trajectory->samples;
    palResult result = palTrajectorySamples_Place(samples, def, error);
    double end = result == pal_ok ? samples->t[samples->count - 1] : 0.0;
    if (result != pal_ok || isnan(def->timeOffset) || end >= 0.0)
        return result;
    palError_Set(error, pal_errorInput,
                 "with the time offset of %g s the recording is over before t = 0: its last row is "
                 "at %g s",
                 def->timeOffset, end);
    palError_Remedy(error, "leave trajectory.time_offset out, and it begins at 0");
    return palError_At(error, name, 1, 1);
}

palResult palTrajectory_Create(const palTrajectoryDef* def, palTrajectory** trajectory,
                               palError* error)
{
    *trajectory = NULL;
    palResult result = checkDef(def, error);
    if (result == pal_ok)
        result = allocate(trajectory, error);
    if (result != pal_ok)
        return result;
    (*trajectory)->def = *def;
    (*trajectory)->def.points = NULL;
    prepare(*trajectory);
    if (def->kind == pal_trajectoryPath)
        result = copyPoints(*trajectory, def, error);
    if (def->kind == pal_trajectoryFile)
        result = palTrajectorySamples_Load(def->file, def->columns, &(*trajectory)->samples, error);
    if (def->kind == pal_trajectoryFile && result == pal_ok)
        result = place(*trajectory, def->file, error);
    if (result != pal_ok)
    {
        palTrajectory_Destroy(*trajectory);
        *trajectory = NULL;
    }
    return result;
}

palResult palTrajectory_CreateFromCsv(const palTrajectoryDef* def, const char* text, size_t length,
                                      const char* name, palTrajectory** trajectory, palError* error)
{
    *trajectory = NULL;
    palResult result = checkFrame(def, error);
    if (result == pal_ok)
        result = allocate(trajectory, error);
    if (result != pal_ok)
        return result;
    (*trajectory)->def = *def;
    (*trajectory)->def.points = NULL;
    result = palTrajectorySamples_Parse(text, length, def->columns, name, &(*trajectory)->samples,
                                        error);
    if (result == pal_ok)
        result = place(*trajectory, name, error);
    if (result != pal_ok)
    {
        palTrajectory_Destroy(*trajectory);
        *trajectory = NULL;
    }
    return result;
}

void palTrajectory_Destroy(palTrajectory* trajectory)
{
    if (trajectory == NULL)
        return;
    palTrajectorySamples_Free(&trajectory->samples);
    free(trajectory->def.points);
    free(trajectory);
}

//--------------------------------------------------------------------------------------------------
// Evaluating

static palVec3 linePoint(const palTrajectory* trajectory, double t)
{
    const palTrajectoryDef* def = &trajectory->def;
    double way = def->speed * t;
    return way < trajectory->length ? palMulAdd(def->start, way, trajectory->u) : def->end;
}

static palVec3 sinePoint(const palTrajectory* trajectory, double t)
{
    const palTrajectoryDef* def = &trajectory->def;
    double way = def->speed * t;
    double wave = def->amplitude * sin(2.0 * PAL_PI * way / def->wavelength);
    return palAdd(def->start, palMakeVec3(way, wave + def->offset, 0.0));
}

static palVec3 circlePoint(const palTrajectory* trajectory, double t)
{
    const palTrajectoryDef* def = &trajectory->def;
    double angle = def->speed * t / def->radius;
    palVec3 p = palMulAdd(def->centre, def->radius * cos(angle), trajectory->u);
    return palMulAdd(p, def->radius * sin(angle), trajectory->v);
}

// s that one stroke of a press takes. The ramps cover half of what full speed would.
static double strokeTime(const palTrajectory* trajectory)
{
    return trajectory->length / trajectory->def.speed + trajectory->ramp;
}

// The way of a stroke after t: speed · smoothstep(t / ramp) at both ends, the speed between them.
// The integral of smoothstep 3u² - 2u³ is u³ - u⁴/2, one half at u = 1.
static double strokeWay(const palTrajectory* trajectory, double t)
{
    double T = strokeTime(trajectory);
    double ramp = trajectory->ramp;
    double speed = trajectory->def.speed;
    if (t <= 0.0)
        return 0.0;
    if (t >= T)
        return trajectory->length;
    if (t > 0.5 * T)
        return trajectory->length - strokeWay(trajectory, T - t);
    if (t >= ramp)
        return speed * (t - 0.5 * ramp);
    double u = t / ramp;
    return speed * ramp * u * u * u * (1.0 - 0.5 * u);
}

static palVec3 pressPoint(const palTrajectory* trajectory, double t)
{
    const palTrajectoryDef* def = &trajectory->def;
    double T = strokeTime(trajectory);
    bool pressing = t < T + def->hold;
    double way = strokeWay(trajectory, pressing ? t : 2.0 * T + def->hold - t);
    return palMulAdd(def->target, way - def->gap, trajectory->u);
}

// From point to point, each way in the time given, with 6u⁵ - 15u⁴ + 10u³: speed and acceleration
// are zero at the points, as a hand moves between them (minimum jerk: Flash and Hogan 1985).
static void pathPoint(const palTrajectory* trajectory, double t, palVec3* position,
                      palQuat* orientation)
{
    const palPathPoint* points = trajectory->def.points;
    int next = 0;
    while (next < trajectory->def.pointCount && points[next].t <= t)
        next++;
    const palPathPoint* from = &points[next > 0 ? next - 1 : 0];
    const palPathPoint* to = &points[next < trajectory->def.pointCount ? next : next - 1];
    double u = to->t > from->t ? (t - from->t) / (to->t - from->t) : 0.0;
    double share = u * u * u * (10.0 + u * (6.0 * u - 15.0));
    palQuat a = palMakeQuatRotationVector(palScale(PAL_PI / 180.0, from->turn));
    palQuat b = palMakeQuatRotationVector(palScale(PAL_PI / 180.0, to->turn));
    *position = palLerp(from->at, to->at, share);
    *orientation = palSlerp(a, b, share);
}

void palTrajectory_At(const palTrajectory* trajectory, double t, palVec3* position,
                      palQuat* orientation)
{
    *orientation = pal_identityQuat;
    double since = t > 0.0 ? t : 0.0;
    switch (trajectory->def.kind)
    {
    case pal_trajectoryLine:
        *position = linePoint(trajectory, since);
        break;
    case pal_trajectorySine:
        *position = sinePoint(trajectory, since);
        break;
    case pal_trajectoryCircle:
        *position = circlePoint(trajectory, since);
        break;
    case pal_trajectoryPress:
        *position = pressPoint(trajectory, since);
        break;
    case pal_trajectoryPath:
        pathPoint(trajectory, since, position, orientation);
        break;
    default:
        palTrajectorySamples_At(&trajectory->samples, t, position, orientation);
    }
}

static uint32_t pathButtons(const palTrajectory* trajectory, double t)
{
    const palPathPoint* points = trajectory->def.points;
    int last = trajectory->def.pointCount - 1;
    while (last >= 0 && points[last].t > t)
        last--;
    return last >= 0 ? (uint32_t)points[last].buttons : 0;
}

uint32_t palTrajectory_Buttons(const palTrajectory* trajectory, double t)
{
    if (trajectory->def.kind == pal_trajectoryPath)
        return pathButtons(trajectory, t);
    return trajectory->def.kind == pal_trajectoryFile
               ? palTrajectorySamples_Buttons(&trajectory->samples, t)
               : 0;
}

double palTrajectory_Duration(const palTrajectory* trajectory)
{
    const palTrajectoryDef* def = &trajectory->def;
    switch (def->kind)
    {
    case pal_trajectoryLine:
        return trajectory->length / def->speed;
    case pal_trajectoryPress:
        return 2.0 * strokeTime(trajectory) + def->hold;
    case pal_trajectoryPath:
        return fmax(0.0, def->points[def->pointCount - 1].t);
    case pal_trajectoryFile:
        return fmax(0.0, trajectory->samples.t[trajectory->samples.count - 1]);
    default:
        return INFINITY;
    }
}

double palTrajectory_Shift(const palTrajectory* trajectory)
{
    return trajectory->samples.shift;
}
