// SPDX-License-Identifier: Apache-2.0
// A free mass on an inclined plane, through the engine: below atan μ it holds, above it slides with
// g (sin θ - μ cos θ).
#include "rig.h"

#include "base/random.h"

static const char* const methods[] = {"standard", "accurate"};
static const double g = 9.81; // m/s²

typedef struct slope
{
    rig r;
    palVec3 down; // unit, the steepest way down
} slope;

// A plane turned anyhow, and gravity at the angle theta to it, downhill along any of its
// directions.
static void startSlope(slope* s, palRandom* random, const char* method, double mu, double theta)
{
    palVec3 axis = {palRandom_Normal(random), palRandom_Normal(random), palRandom_Normal(random)};
    palQuat rotation =
        palMakeQuatRotationVector(palScale(palRandom_Range(random, 0, 3), palNormalize(axis)));
    double heading = palRandom_Range(random, 0, 2 * PAL_PI);
    palShapeDef plane = rigPlane();
    rigShape(&s->r, &plane, rotation, pal_zeroVec3, mu);
    palVec3 n = palRotate(rotation, palMakeVec3(0, 0, 1));
    s->down = palRotate(rotation, palMakeVec3(cos(heading), sin(heading), 0));

    palEngineDef def = rigDef(method);
    palPointModel* body = &def.hands[0].body;
    body->stiffness = body->damping = 0.0;
    body->mass = 0.02;
    body->gravity = palAdd(palScale(g * sin(theta), s->down), palScale(-g * cos(theta), n));
    // A contact description that covers what a mass at 1 m/s reaches until the next.
    def.lowDt = def.methodDef.lowDt = 0.01;
    def.methodDef.radius = 0.1;
    rigStart(&s->r, def, palScale(0.01 * palRandom_Unit(random), s->down));
}

static void below_the_angle_of_friction_it_holds(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(17);
    const double mus[] = {0.1, 0.5, 1.0};
    const double shares[] = {0.0, 0.5, 0.99};
    for (int i = 0; i < 2 * 3 * 3 * 2; i++)
    {
        double mu = mus[i / 2 % 3];
        double theta = shares[i / 6 % 3] * atan(mu);
        slope s;
        startSlope(&s, &random, methods[i % 2], mu, theta);
        // Let it come down the hair that separates it from the plane.
        for (int k = 0; k < 50; k++)
            rigStep(&s.r);
        palVec3 rest = s.r.engine->hands[0].body.x;
        for (int k = 0; k < 2000; k++)
            rigStep(&s.r);
        ASSERT_BELOW(palDistance(s.r.engine->hands[0].body.x, rest), 1e-9);
        rigFree(&s.r);
    }
}

static void above_it_slides_as_fast_as_the_law_says(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(19);
    const double mus[] = {0.0, 0.1, 0.5, 1.0};
    const double extras[] = {0.05, 0.2};
    for (int i = 0; i < 2 * 4 * 2 * 2; i++)
    {
        double mu = mus[i / 2 % 4];
        double theta = atan(mu) + extras[i / 8 % 2];
        double a = g * (sin(theta) - mu * cos(theta));
        slope s;
        startSlope(&s, &random, methods[i % 2], mu, theta);
        for (int k = 0; k < 50; k++)
            rigStep(&s.r);
        palPointState begin = s.r.engine->hands[0].body;
        const int ticks = 300;
        for (int k = 0; k < ticks; k++)
            rigStep(&s.r);
        palPointState end = s.r.engine->hands[0].body;

        // Backward Euler adds h a to the velocity in each step, and moves by the new velocity.
        double h = s.r.engine->def.dt;
        palVec3 gained = palSub(end.v, begin.v);
        palVec3 expected = palScale(ticks * h * a, s.down);
        ASSERT_BELOW(palDistance(gained, expected), 1e-6 * palLength(expected));
        palVec3 way = palScale(ticks * h, begin.v);
        way = palMulAdd(way, 0.5 * ticks * (ticks + 1) * h * h * a, s.down);
        ASSERT_BELOW(palDistance(palSub(end.x, begin.x), way), 1e-6 * palLength(way));
        rigFree(&s.r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_the_angle_of_friction_it_holds),
        cmocka_unit_test(above_it_slides_as_fast_as_the_law_says),
    };
    return RUN(tests);
}
