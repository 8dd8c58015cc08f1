// SPDX-License-Identifier: Apache-2.0
// The half-space method on a plane, where a half-space is exact. `accurate` must do the same there.
#include "contact_laws.h"

#include "base/random.h"

static const char* const methods[] = {"standard", "accurate"};

// `accurate` keeps its planes a hair above the surface: 1e-7 of the radius.
static double liftOf(const char* method, const palEngineDef* def)
{
    return strcmp(method, "accurate") == 0 ? 1.1e-7 * def->methodDef.radius : 0.0;
}

static palQuat randomRotation(palRandom* random)
{
    palVec3 axis = {palRandom_Normal(random), palRandom_Normal(random), palRandom_Normal(random)};
    return palMakeQuatRotationVector(palScale(palRandom_Range(random, 0, 3), palNormalize(axis)));
}

// A plane, turned somehow, and its normal.
static contactPlane makePlane(rig* r, palRandom* random, double friction)
{
    palShapeDef shape = rigPlane();
    palQuat rotation = randomRotation(random);
    palVec3 position = {palRandom_Range(random, -0.1, 0.1), palRandom_Range(random, -0.1, 0.1),
                        palRandom_Range(random, -0.1, 0.1)};
    rigShape(r, &shape, rotation, position, friction);
    return (contactPlane){position, palRotate(rotation, palMakeVec3(0, 0, 1)), friction};
}

// Starts a method with the device at a height over the plane. Returns how far above the plane a
// resting proxy may be.
static double start(rig* r, const char* method, const contactPlane* plane, double height)
{
    palEngineDef def = rigDef(method);
    rigStart(r, def, palMulAdd(plane->point, height, plane->n));
    return liftOf(method, &def);
}

// A hand that dives in and comes out again; it wanders sideways for 0.1 s and rests for 0.1 s.
static palVec3 wander(const contactPlane* plane, int k)
{
    double t = 1e-3 * k;
    double moved = k / 100 % 2 == 0 ? t : 0.1 * (k / 100);
    palVec3 t1, t2;
    palTangents(plane->n, &t1, &t2);
    palVec3 to = palMulAdd(plane->point, 0.004 * cos(13 * t), plane->n);
    return palMulAdd(palMulAdd(to, 0.01 * sin(5 * moved), t1), 0.01 * cos(7 * moved), t2);
}

static void newton_signorini_and_coulomb_hold_at_every_tick(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    for (int turn = 0; turn < 24; turn++)
    {
        rig r;
        contactPlane plane = makePlane(&r, &random, turn / 2 % 3 * 0.4);
        double lift = start(&r, methods[turn % 2], &plane, 0.004);
        int touching = 0, sliding = 0, free = 0;
        for (int k = 1; k <= 1000; k++)
        {
            r.device.position = wander(&plane, k);
            r.device.velocity = palScale(1e3, palSub(wander(&plane, k), wander(&plane, k - 1)));
            contactOutcome outcome = checkedStep(&r, &plane, lift);
            touching += outcome.normal > 1e-3;
            sliding += outcome.normal > 1e-3 && outcome.slide > 1e-9;
            free += outcome.normal < 1e-6;
        }
        assert_in_range(touching, 300, 700);
        assert_in_range(sliding, 100, 700);
        assert_in_range(free, 200, 700);
        rigFree(&r);
    }
}

static void a_resting_proxy_is_on_the_plane_and_the_force_is_that_of_the_coupling(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    for (int turn = 0; turn < 12; turn++)
    {
        rig r;
        contactPlane plane = makePlane(&r, &random, 0.2);
        double lift = start(&r, methods[turn % 2], &plane, 0.002);
        const double depth = 0.0025;
        r.device.position = palMulAdd(plane.point, -depth, plane.n);
        palTickRecord record = {0};
        for (int k = 0; k < 300; k++)
            record = rigStep(&r);
        double stiffness = r.engine->def.hands[0].body.stiffness;
        palVec3 expected = palScale(stiffness * depth, plane.n);
        ASSERT_BELOW(palDistance(record.hands[0].force, expected), stiffness * lift + 1e-9);
        ASSERT_BELOW(palDistance(record.hands[0].proxy, plane.point), lift + 1e-12);
        ASSERT_BELOW(palLength(r.engine->hands[0].body.v), 1e-12);
        rigFree(&r);
    }
}

static void nothing_holds_the_proxy_back_when_the_hand_leaves(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(7);
    for (int turn = 0; turn < 12; turn++)
    {
        rig r;
        contactPlane plane = makePlane(&r, &random, 0.8);
        start(&r, methods[turn % 2], &plane, 0.0);
        r.device.position = palMulAdd(plane.point, -0.002, plane.n);
        for (int k = 0; k < 100; k++)
            rigStep(&r);

        // Above the plane: the motion is the free one to the last digits.
        r.device.position = palMulAdd(plane.point, 0.003, plane.n);
        const palPointModel* body = &r.engine->def.hands[0].body;
        for (int k = 0; k < 100; k++)
        {
            palPointState before = r.engine->hands[0].body;
            palPointFree free = palPoint_FreeMotion(body, &before, r.device.position, pal_zeroVec3);
            assert_int_equal(rigStep(&r).hands[0].active, 0);
            ASSERT_BELOW(palDistance(r.engine->hands[0].body.x, free.x), 1e-15);
            ASSERT_BELOW(palDistance(r.engine->hands[0].body.v, free.v), 1e-12);
        }
        rigFree(&r);
    }
}

static void an_impact_does_not_bounce(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(11);
    for (int turn = 0; turn < 12; turn++)
    {
        rig r;
        contactPlane plane = makePlane(&r, &random, 0.0);
        // A free mass, thrown at the plane from 10 mm at 0.1 to 1 m/s.
        palEngineDef def = rigDef(methods[turn % 2]);
        def.hands[0].body.stiffness = def.hands[0].body.damping = 0.0;
        rigStart(&r, def, palMulAdd(plane.point, 0.01, plane.n));
        double speed = 0.1 + 0.9 * turn / 11.0;
        r.engine->hands[0].body.v = palScale(-speed, plane.n);
        double lift = liftOf(methods[turn % 2], &def);
        for (int k = 0; k < 300; k++)
        {
            checkedStep(&r, &plane, lift);
            ASSERT_BELOW(palDot(r.engine->hands[0].body.v, plane.n), 1e-12);
        }
        // All of the velocity is gone, and the mass lies where it came down.
        ASSERT_BELOW(palLength(r.engine->hands[0].body.v), 1e-12);
        ASSERT_NEAR(palDot(plane.n, palSub(r.engine->hands[0].body.x, plane.point)), 0.0,
                    lift + 1e-14);
        rigFree(&r);
    }
}

// What the proxy will have passed at the end of the step is on the other side.
static void a_thin_plate_stops_a_fast_hand(void** state)
{
    (void)state;
    const double thickness = 1e-4;
    palShapeDef plate = palDefaultShapeDef(pal_shapeBox);
    plate.size = palMakeVec3(0.1, 0.1, thickness);
    for (int turn = 0; turn < 12; turn++)
    {
        rig r;
        rigShape(&r, &plate, pal_identityQuat, pal_zeroVec3, 0.0);
        palEngineDef def = rigDef(methods[turn % 2]);
        def.latency = def.methodDef.latency = 0.0;
        def.lowDt = def.methodDef.lowDt = def.dt;
        const palVec3 start = {1e-3, 2e-3, 0.0123};
        const double speed = 0.5 + 0.5 * turn; // m/s: 0.5 to 6 mm a step
        rigStart(&r, def, start);
        for (int k = 1; k <= 100; k++)
        {
            double z = fmax(-1e-3, start.z - speed * 1e-3 * k);
            r.device.velocity = palMakeVec3(0.0, 0.0, z > -1e-3 ? -speed : 0.0);
            r.device.position = palMakeVec3(start.x, start.y, z);
            ASSERT_BELOW(0.5 * thickness - 1e-12, rigStep(&r).hands[0].proxy.z);
        }
        ASSERT_NEAR(r.engine->hands[0].body.x.z, 0.5 * thickness, 1e-8);
        rigFree(&r);
    }
}

// The way of the proxy from a vertex, m: pressed 3 mm on it and pulled 4 mm sideways.
static double wayFromVertex(const char* method, int vertex, double angle)
{
    rig r;
    palShapeDef shape = palDefaultShapeDef(pal_shapeSphere);
    shape.resolution = 8;
    shape.radius = 0.04;
    rigShape(&r, &shape, pal_identityQuat, pal_zeroVec3, 0.9);
    palVec3 x = r.collider.surface.vertices[vertex], t1, t2;
    palVec3 n = palNormalize(x);
    palTangents(n, &t1, &t2);
    palVec3 along = palMulAdd(palScale(cos(angle), t1), sin(angle), t2);
    rigStart(&r, rigDef(method), palMulAdd(x, 0.002, n));
    palTickRecord record = {0};
    for (int k = 0; k < 600; k++)
    {
        double down = 0.003 - 0.005 * fmax(0.0, 1.0 - k / 150.0);
        double aside = 0.004 * fmin(1.0, fmax(0.0, (k - 200) / 300.0));
        r.device.position = palMulAdd(palMulAdd(x, -down, n), aside, along);
        record = rigStep(&r);
    }
    rigFree(&r);
    return palDistance(record.hands[0].proxy, x);
}

// The pull is 1.33 times the pressure and friction 0.9 of it: the proxy leaves the vertex whichever
// way it is pulled, although on a face that leans against the pull by 20° it would be held.
static void a_vertex_holds_no_more_than_friction_does(void** state)
{
    (void)state;
    for (int turn = 0; turn < 24; turn++)
    {
        double angle = PAL_PI / 6.0 * turn;
        double way = wayFromVertex("standard", 13 + turn % 5, angle);
        double expected = wayFromVertex("accurate", 13 + turn % 5, angle);
        assert_true(way > 0.002);
        ASSERT_NEAR(way, expected, 0.02 * expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_signorini_and_coulomb_hold_at_every_tick),
        cmocka_unit_test(a_resting_proxy_is_on_the_plane_and_the_force_is_that_of_the_coupling),
        cmocka_unit_test(nothing_holds_the_proxy_back_when_the_hand_leaves),
        cmocka_unit_test(a_vertex_holds_no_more_than_friction_does),
        cmocka_unit_test(an_impact_does_not_bounce),
        cmocka_unit_test(a_thin_plate_stops_a_fast_hand),
    };
    return RUN(tests);
}
