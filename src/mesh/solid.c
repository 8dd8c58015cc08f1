// SPDX-License-Identifier: Apache-2.0
#include "mesh/solid.h"

#include "base/assert.h"

static palArc makeArc(palVec3 a, palVec3 b, palVec3 c)
{
    // The circumcentre of a triangle:
    //     a + (|ac|² (ab × ac) × ab + |ab|² ac × (ab × ac)) / (2 |ab × ac|²)
    palVec3 ab = palSub(b, a), ac = palSub(c, a);
    palVec3 normal = palCross(ab, ac);
    palVec3 sum = palAdd(palScale(palLengthSquared(ac), palCross(normal, ab)),
                         palScale(palLengthSquared(ab), palCross(ac, normal)));
    palArc arc = {.normal = palNormalize(normal)};
    arc.centre = palMulAdd(a, 0.5 / palLengthSquared(normal), sum);
    arc.radius = palDistance(a, arc.centre);
    // The middle of the arc is on b's side of the chord from a to c.
    palVec3 across = palNormalize(palCross(ac, arc.normal));
    arc.middle = palDot(across, ab) > 0.0 ? across : palNeg(across);
    arc.side = palCross(arc.normal, arc.middle);
    palVec3 end = palScale(1.0 / arc.radius, palSub(a, arc.centre));
    arc.cosine = palDot(end, arc.middle);
    arc.sine = fabs(palDot(end, arc.side));
    return arc;
}

// A bounding sphere of the part.
static palBall makeBall(const palPart* part, const palArc* arc)
{
    bool bent = part->kind == pal_partTube || part->kind == pal_partPlate;
    palVec3 end = bent ? part->c : part->b;
    palBall ball = {palLerp(part->a, end, 0.5), 0.5 * palDistance(part->a, end)};
    // The point of an arc farthest from the middle of its chord is an end or the middle.
    palVec3 top = palMulAdd(arc->centre, arc->radius, arc->middle);
    if (bent)
        ball.radius = fmax(ball.radius, palDistance(ball.centre, top));
    ball.radius += fmax(part->radius, part->radiusB) + part->width;
    return ball;
}

palSolid palMakeSolid(const palPart* parts, int count, palBounds bounds, double scale)
{
    PAL_ASSERT(count <= pal_solidPartsMax);
    palSolid solid = {.count = count, .parts = parts, .scale = scale};
    solid.bounds = (palBounds){palScale(scale, bounds.low), palScale(scale, bounds.high)};
    for (int i = 0; i < count; i++)
    {
        if (parts[i].kind == pal_partTube || parts[i].kind == pal_partPlate)
            solid.arcs[i] = makeArc(parts[i].a, parts[i].b, parts[i].c);
        solid.balls[i] = makeBall(&parts[i], &solid.arcs[i]);
    }
    return solid;
}

// The distance from p to the arc, projected into its plane; *height is the distance from the plane.
static double arcDistance(const palArc* arc, palVec3 p, double* height)
{
    palVec3 q = palSub(p, arc->centre);
    double x = palDot(q, arc->middle);
    double y = fabs(palDot(q, arc->side));
    *height = palDot(q, arc->normal);
    // Within the arc's angle the nearest point is on the circle, otherwise it is an end.
    if (y * arc->cosine <= x * arc->sine)
        return fabs(sqrt(x * x + y * y) - arc->radius);
    double dx = x - arc->radius * arc->cosine;
    double dy = y - arc->radius * arc->sine;
    return sqrt(dx * dx + dy * dy);
}

// The distance to a rectangle with half sides (w, h), centred at the origin, with rounded corners.
static double roundedRectangle(double x, double y, double w, double h, double rounding)
{
    double dx = fabs(x) - w + rounding;
    double dy = fabs(y) - h + rounding;
    double ox = fmax(dx, 0.0), oy = fmax(dy, 0.0);
    double outside = sqrt(ox * ox + oy * oy);
    return outside + fmin(fmax(dx, dy), 0.0) - rounding;
}

// Cylindrical coordinates of p: along the axis from a to b, measured from a, and distance from it.
static void axisCoordinates(palVec3 p, palVec3 a, palVec3 b, double* length, double* along,
                            double* away)
{
    palVec3 axis = palSub(b, a), q = palSub(p, a);
    *length = palLength(axis);
    *along = palDot(q, axis) / *length;
    *away = sqrt(fmax(palLengthSquared(q) - *along * *along, 0.0));
}

static double coneDistance(const palPart* part, palVec3 p)
{
    // The ball at s has the radius r - k s, k = (r - r') / length. The distance to it,
    //     sqrt(away² + (along - s)²) - r + k s,
    // is convex in s and minimal at s = along - away k / sqrt(1 - k²): k is the sine of the cone's
    // half angle.
    double length, along, away;
    axisCoordinates(p, part->a, part->b, &length, &along, &away);
    double k = (part->radius - part->radiusB) / length;
    double s = fmin(fmax(along - away * k / sqrt(1.0 - k * k), 0.0), length);
    return sqrt(away * away + (along - s) * (along - s)) - part->radius + k * s;
}

static double discDistance(const palPart* part, palVec3 p)
{
    double length, along, away;
    axisCoordinates(p, part->a, part->b, &length, &along, &away);
    return roundedRectangle(away, along - 0.5 * length, part->radius, 0.5 * length, part->edge);
}

static double partDistance(const palPart* part, const palArc* arc, palVec3 p)
{
    double distance, height;
    switch (part->kind)
    {
    case pal_partCone:
        return coneDistance(part, p);
    case pal_partTube:
        distance = arcDistance(arc, p, &height);
        return sqrt(distance * distance + height * height) - part->radius;
    case pal_partPlate:
        distance = arcDistance(arc, p, &height);
        return roundedRectangle(distance, height, part->radius, part->width, part->edge);
    case pal_partDisc:
        return discDistance(part, p);
    }
    return INFINITY;
}

// The minimum of a and b, smooth if they differ by less than `blend`: then the quadratic term
// h² blend / 4, h = 1 - |a - b| / blend, is subtracted, which makes the first derivatives agree.
// Source: the polynomial smooth minimum in I. Quilez, "Smooth minimum", 2013.
double palSmoothMin(double a, double b, double blend)
{
    double h = blend > 0.0 ? fmax(1.0 - fabs(a - b) / blend, 0.0) : 0.0;
    return fmin(a, b) - 0.25 * h * h * blend;
}

double palSolid_Value(palVec3 p, const void* data)
{
    const palSolid* solid = data;
    palVec3 q = palScale(1.0 / solid->scale, p);
    double value = partDistance(&solid->parts[0], &solid->arcs[0], q);
    for (int i = 1; i < solid->count; i++)
    {
        // A difference is the union of the complements.
        const palPart* part = &solid->parts[i];
        double sign = part->cut ? -1.0 : 1.0;
        // A part farther away than the current value plus the blend has no effect.
        double reach = sign * value + part->blend + solid->balls[i].radius;
        if (reach < 0.0 || palLengthSquared(palSub(q, solid->balls[i].centre)) > reach * reach)
            continue;
        double distance = partDistance(part, &solid->arcs[i], q);
        value = sign * palSmoothMin(sign * value, distance, part->blend);
    }
    return solid->scale * value;
}
