// SPDX-License-Identifier: Apache-2.0
// Free rigid bodies against closed-form mechanics.
#include "base/random.h"
#include "pile_rig.h"

static const double g = 9.81;

// What rolls from rest on a slope without sliding has g sin(angle) / (1 + I / m r²).
static double rollingAcceleration(const palRigidShape* (*make)(palPileRig*), palQuat q)
{
    const double angle = 0.3, seconds = 0.5;
    palPileRig* rig = makeRig();
    addFloor(rig, angle)->material.friction = 1.0;
    rig->bodies[0].material.kineticFriction = 1.0;
    const palRigidShape* shape = make(rig);
    palVec3 normal = {sin(angle), 0.0, cos(angle)};
    addShape(rig, shape, 1000.0, palScale(shape->radius, normal))->pose.q = q;
    palPile* pile = startRig(rig);
    runFor(pile, 0.1);
    palVec3 before = pile->bodies[1].state.v;
    runFor(pile, seconds);
    double gained =
        palDot(palSub(pile->bodies[1].state.v, before), palMakeVec3(cos(angle), 0.0, -sin(angle)));
    freeRig(rig);
    return gained / seconds / (g * sin(angle));
}

static const palRigidShape* ball(palPileRig* rig)
{
    return sphereShape(rig, 0.02);
}

static const palRigidShape* roller(palPileRig* rig)
{
    return cylinderShape(rig, 0.02, 0.05);
}

static void round_bodies_roll_down_a_slope_as_their_inertia_says(void** state)
{
    (void)state;
    palQuat lying = palMakeQuatRotationVector(palMakeVec3(1.5707963267948966, 0.0, 0.0));
    ASSERT_NEAR(rollingAcceleration(ball, pal_identityQuat), 5.0 / 7.0, 0.01 * 5.0 / 7.0);
    ASSERT_NEAR(rollingAcceleration(roller, lying), 2.0 / 3.0, 0.01 * 2.0 / 3.0);
}

// A hoop is a thin ring: here a roller whose inertia is given.
static void a_hoop_rolls_with_half_of_the_slope(void** state)
{
    (void)state;
    const double angle = 0.2;
    palPileRig* rig = makeRig();
    addFloor(rig, angle)->material.friction = 1.0;
    const palRigidShape* shape = cylinderShape(rig, 0.05, 0.01);
    palPileBodyDef* hoop = addShape(
        rig, shape, 1000.0, palScale(shape->radius, palMakeVec3(sin(angle), 0.0, cos(angle))));
    hoop->pose.q = palMakeQuatRotationVector(palMakeVec3(1.5707963267948966, 0.0, 0.0));
    double r2 = 0.05 * 0.05 * hoop->mass.mass;
    hoop->mass.inertia = (palMat3){{{0.5 * r2, 0, 0}, {0, 0.5 * r2, 0}, {0, 0, r2}}};
    palPile* pile = startRig(rig);
    runFor(pile, 0.6);
    ASSERT_NEAR(palLength(pile->bodies[1].state.v) / (0.6 * g * sin(angle)), 0.5, 0.005);
    freeRig(rig);
}

// Two logs side by side and a third on top of them. How far the top sinks in half a second.
static double sinkOfLogs(double mu)
{
    const double r = 0.02;
    palPileRig* rig = makeRig();
    palPileBodyDef* floor = addFloor(rig, 0.0);
    floor->material.friction = floor->material.kineticFriction = mu;
    const palRigidShape* log = roller(rig);
    for (int i = 0; i < 3; i++)
    {
        palVec3 x = {i == 2 ? 0.0 : (2 * i - 1) * r, 0.0, i == 2 ? (1.0 + sqrt(3.0)) * r : r};
        palPileBodyDef* body = addShape(rig, log, 1000.0, x);
        body->pose.q = palMakeQuatRotationVector(palMakeVec3(1.5707963267948966, 0.0, 0.0));
        body->material.friction = body->material.kineticFriction = mu;
    }
    rig->def.sleeps = false;
    rig->def.sweepsMost = 200;
    palPile* pile = startRig(rig);
    runFor(pile, 0.5);
    double sink = (1.0 + sqrt(3.0)) * r - pile->bodies[3].state.x.z;
    freeRig(rig);
    return sink;
}

// The force between two logs passes through the point where the lower one touches the floor: 15°
// from the normal. Their resistance to slow rolling takes a few percent of that.
static void stacked_logs_stand_where_friction_is_above_the_tangent_of_15_degrees(void** state)
{
    (void)state;
    const double least = tan(15.0 * 3.14159265358979 / 180.0);
    ASSERT_BELOW(sinkOfLogs(1.02 * least), 1e-4);
    assert_true(sinkOfLogs(0.95 * least) > 1e-3);
}

static void setFriction(palPile* pile, double mu)
{
    for (int i = 0; i < pile->bodyCount; i++)
        palPile_SetFriction(pile, i, mu);
}

// Three logs, two on them and one on top. Each of the outer ones carries as above, at tan 15°. The
// equations of all six leave the friction at the top open, and none of its values holds them with
// less than 0.434 at the inner contacts of the middle row; where friction holds from the start, as
// springs of any stiffness share the load, these have 0.50 to 0.53. So a pile that stands on more
// is held by 0.6, without creeping apart, and falls with 0.42.
static void a_pile_of_six_logs_stands_where_statics_can_hold_it(void** state)
{
    (void)state;
    const double r = 0.02;
    palPileRig* rig = makeRig();
    addFloor(rig, 0.0);
    const palRigidShape* log = roller(rig);
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3 - row; k++)
        {
            palVec3 x = {r * (2 * k - 2 + row), 0.0, r * (1.0 + row * sqrt(3.0))};
            addShape(rig, log, 1000.0, x)->pose.q =
                palMakeQuatRotationVector(palMakeVec3(1.5707963267948966, 0.0, 0.0));
        }
    rig->def.sleeps = false;
    palPile* pile = startRig(rig);
    setFriction(pile, 0.9);
    runFor(pile, 0.5);
    double out = pile->bodies[3].state.x.x, in = pile->bodies[1].state.x.x;
    setFriction(pile, 0.6);
    runFor(pile, 1.5);
    ASSERT_BELOW(fabs(pile->bodies[3].state.x.x - out), 2e-6);
    ASSERT_BELOW(fabs(pile->bodies[1].state.x.x - in), 2e-6);
    ASSERT_BELOW(palPile_KineticEnergy(pile), 1e-9);
    setFriction(pile, 0.42);
    runFor(pile, 0.5);
    assert_true(pile->bodies[6].state.x.z < 3.5 * r);
    freeRig(rig);
}

// A ball on a level floor, and the time and the way until it stands still.
static double stopBall(palVec3 velocity, palVec3 spin, double* way)
{
    palPileRig* rig = makeRig();
    addFloor(rig, 0.0);
    palPileBodyDef* body = addShape(rig, ball(rig), 1000.0, palMakeVec3(0.0, 0.0, 0.02));
    body->velocity = velocity;
    body->spin = spin;
    rig->def.sleeps = false;
    palPile* pile = startRig(rig);
    do
        palPile_Step(pile);
    while (palPileBody_Speed(&pile->bodies[1]) > 1e-4 && pile->time < 10.0);
    double time = pile->time;
    *way = pile->bodies[1].state.x.x;
    freeRig(rig);
    return time;
}

// The resistance has the lever of 0.004 of the radius against slow rolling, and that of a tenth of
// it, times μ, against turning on the spot: with 2/5 m r² and 7/5 m r² as inertia.
static void a_ball_on_a_floor_comes_to_rest(void** state)
{
    (void)state;
    const double r = 0.02, speed = 0.04, spin = 60.0, rolling = 5.0 / 7.0 * 4e-3 * g;
    double way;
    double time = stopBall(palMakeVec3(speed, 0.0, 0.0), palMakeVec3(0.0, speed / r, 0.0), &way);
    ASSERT_NEAR(time, speed / rolling, 0.01 * speed / rolling);
    ASSERT_NEAR(way, 0.5 * speed * speed / rolling, 0.01 * 0.5 * speed * speed / rolling);
    double turning = 0.1 * 0.5 * g / (0.4 * r);
    time = stopBall(pal_zeroVec3, palMakeVec3(0.0, 0.0, spin), &way);
    ASSERT_NEAR(time, spin / turning, 0.01 * spin / turning);
    ASSERT_NEAR(way, 0.0, 1e-9);
}

static palPileRig* boxOnSlope(double angle, double mu, palVec3 size)
{
    palPileRig* rig = makeRig();
    palPileBodyDef* floor = addFloor(rig, angle);
    floor->material.friction = floor->material.kineticFriction = mu;
    const palRigidShape* shape = boxShape(rig, size.x, size.y, size.z);
    palPileBodyDef* box = addShape(
        rig, shape, 1000.0, palScale(0.5 * size.z, palMakeVec3(sin(angle), 0.0, cos(angle))));
    box->pose.q = palMakeQuatRotationVector(palMakeVec3(0.0, angle, 0.0));
    box->material.friction = box->material.kineticFriction = mu;
    return rig;
}

static double slipOnSlope(double slope, double mu)
{
    palPileRig* rig = boxOnSlope(atan(slope), mu, palMakeVec3(0.05, 0.05, 0.02));
    palPile* pile = startRig(rig);
    palVec3 start = pile->bodies[1].state.x;
    runFor(pile, 1.0);
    double slip = palDistance(pile->bodies[1].state.x, start);
    freeRig(rig);
    return slip;
}

static void a_box_sticks_below_the_angle_of_friction_and_slips_above(void** state)
{
    (void)state;
    const double frictions[] = {0.05, 0.1, 0.2, 0.4, 0.6};
    for (int i = 0; i < 5; i++)
    {
        double mu = frictions[i], slip = slipOnSlope(1.01 * mu, mu);
        assert_true(slipOnSlope(0.99 * mu, mu) < 1e-4);
        ASSERT_NEAR(slip, 0.5 * g * 0.01 * mu * cos(atan(1.01 * mu)), 0.03 * slip);
    }
}

static void a_box_slides_as_far_as_friction_lets_it(void** state)
{
    (void)state;
    const double speed = 1.0, mu = 0.3;
    palPileRig* rig = boxOnSlope(0.0, mu, palMakeVec3(0.05, 0.05, 0.02));
    rig->bodies[1].velocity = palMakeVec3(speed, 0.0, 0.0);
    palPile* pile = startRig(rig);
    runFor(pile, 1.0);
    double way = speed * speed / (2.0 * mu * g);
    ASSERT_NEAR(pile->bodies[1].state.x.x, way, 0.01 * way);
    freeRig(rig);
}

static bool tipsOver(double slope, double width, double height)
{
    palPileRig* rig = boxOnSlope(atan(slope), 2.0, palMakeVec3(width, 0.05, height));
    palPile* pile = startRig(rig);
    runFor(pile, 2.0);
    palVec3 up = palRotate(pile->bodies[1].state.q, palMakeVec3(0.0, 0.0, 1.0));
    bool isOver = palDot(up, palMakeVec3(sin(atan(slope)), 0.0, cos(atan(slope)))) < 0.9;
    freeRig(rig);
    return isOver;
}

static void a_box_tips_where_its_weight_is_beyond_its_edge(void** state)
{
    (void)state;
    const double width = 0.04, height = 0.08;
    assert_false(tipsOver(0.99 * width / height, width, height));
    assert_true(tipsOver(1.01 * width / height, width, height));
}

static void a_ball_bounces_to_the_square_of_its_restitution(void** state)
{
    (void)state;
    const double e = 0.7, drop = 0.5, r = 0.02;
    palPileRig* rig = makeRig();
    addFloor(rig, 0.0);
    addShape(rig, sphereShape(rig, r), 1000.0, palMakeVec3(0.0, 0.0, r + drop))
        ->material.restitution = e;
    palPile* pile = startRig(rig);
    runFor(pile, sqrt(2.0 * drop / g) + 0.01);
    double top = 0.0;
    for (int i = 0; i < 400; i++)
    {
        palPile_Step(pile);
        top = fmax(top, pile->bodies[1].state.x.z - r);
    }
    ASSERT_NEAR(top, e * e * drop, 0.02 * e * e * drop);
    freeRig(rig);
}

// m1 v1 + m2 v2 is kept, and the relative speed is reversed by e.
static void two_spheres_collide_as_in_closed_form(void** state)
{
    (void)state;
    for (int i = 0; i <= 2; i++)
    {
        const double e = 0.5 * i, v = 2.0;
        palPileRig* rig = makeRig();
        rig->def.gravity = pal_zeroVec3;
        palPileBodyDef* a =
            addShape(rig, sphereShape(rig, 0.02), 1000.0, palMakeVec3(-0.1, 0.0, 0.0));
        a->velocity = palMakeVec3(v, 0.0, 0.0);
        a->material.restitution = e;
        addShape(rig, sphereShape(rig, 0.03), 2000.0, palMakeVec3(0.1, 0.0, 0.0));
        palPile* pile = startRig(rig);
        runFor(pile, 0.2);
        double m1 = pile->bodies[0].inertia.mass, m2 = pile->bodies[1].inertia.mass;
        double common = m1 * v / (m1 + m2);
        ASSERT_NEAR(pile->bodies[0].state.v.x, common - e * m2 * v / (m1 + m2), 1e-6);
        ASSERT_NEAR(pile->bodies[1].state.v.x, common + e * m1 * v / (m1 + m2), 1e-6);
        freeRig(rig);
    }
}

static void momentum_of_a_free_group_is_kept(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(8);
    palPileRig* rig = makeRig();
    rig->def.gravity = pal_zeroVec3;
    const palRigidShape* box = boxShape(rig, 0.04, 0.03, 0.05);
    const palRigidShape* sphere = sphereShape(rig, 0.02);
    for (int i = 0; i < 27; i++)
    {
        palVec3 x = {0.06 * (i % 3), 0.06 * (i / 3 % 3), 0.06 * (i / 9)};
        palPileBodyDef* body = addShape(rig, i % 2 ? box : sphere, 500.0 * (1 + i % 4), x);
        body->velocity = palScale(-8.0, palSub(x, palMakeVec3(0.06, 0.06, 0.06)));
        body->spin = palMakeVec3(palRandom_Range(&random, -10.0, 10.0),
                                 palRandom_Range(&random, -10.0, 10.0), 3.0);
        body->material.restitution = 0.3 * (i % 3);
    }
    palPile* pile = startRig(rig);
    palVec3 before = pal_zeroVec3, after = pal_zeroVec3;
    double size = 0.0;
    for (int i = 0; i < pile->bodyCount; i++)
    {
        before = palMulAdd(before, pile->bodies[i].inertia.mass, pile->bodies[i].state.v);
        size += pile->bodies[i].inertia.mass * palLength(pile->bodies[i].state.v);
    }
    int contacts = 0;
    for (int i = 0; i < 200; i++)
    {
        palPile_Step(pile);
        contacts += pile->info.contacts;
    }
    for (int i = 0; i < pile->bodyCount; i++)
        after = palMulAdd(after, pile->bodies[i].inertia.mass, pile->bodies[i].state.v);
    assert_true(contacts > 100);
    assert_true(palDistance(before, after) <= 1e-12 * size);
    freeRig(rig);
}

static double slideAt(double dt)
{
    palPileRig* rig = boxOnSlope(0.0, 0.3, palMakeVec3(0.05, 0.05, 0.02));
    rig->bodies[1].velocity = palMakeVec3(1.0, 0.0, 0.0);
    rig->def.dt = dt;
    palPile* pile = startRig(rig);
    runFor(pile, 0.25);
    double x = pile->bodies[1].state.x.x;
    freeRig(rig);
    return x;
}

static void the_error_of_a_slide_halves_with_the_step(void** state)
{
    (void)state;
    const double exact = 0.25 - 0.5 * 0.3 * g * 0.25 * 0.25;
    double error2 = fabs(slideAt(2e-3) - exact), error1 = fabs(slideAt(1e-3) - exact);
    assert_true(error1 < 0.6 * error2);
}

static void a_hinge_swings_with_the_period_of_a_pendulum(void** state)
{
    (void)state;
    const double length = 0.2;
    palPileRig* rig = makeRig();
    palPileBodyDef* bar = addShape(rig, boxShape(rig, 0.02, 0.02, length), 1000.0,
                                   palMakeVec3(0.0, 0.0, -0.5 * length));
    rig->joints[rig->jointCount] = palDefaultPileJointDef();
    palPileJointDef* hinge = &rig->joints[rig->jointCount++];
    hinge->kind = pal_pileHinge;
    hinge->bodies[1] = -1;
    hinge->axis = palMakeVec3(0.0, 1.0, 0.0);
    double inertia = bar->mass.inertia.m[1][1] + bar->mass.mass * 0.25 * length * length;
    double period = 6.283185307179586 * sqrt(inertia / (bar->mass.mass * g * 0.5 * length));
    bar->spin = palMakeVec3(0.0, 0.5, 0.0);
    bar->velocity = palMakeVec3(-0.5 * 0.5 * length, 0.0, 0.0);
    palPile* pile = startRig(rig);
    double last = 0.0, first = 0.0;
    int crossings = 0;
    for (int i = 0; i < 5000; i++)
    {
        double before = pile->bodies[0].state.x.x;
        palPile_Step(pile);
        double after = pile->bodies[0].state.x.x;
        if (before > 0.0 && after <= 0.0)
        {
            last = pile->time - 1e-3 * after / (after - before);
            first = crossings++ == 0 ? last : first;
        }
        assert_true(palPile_JointGap(pile, 0) < 1e-4);
    }
    assert_true(crossings >= 5);
    ASSERT_NEAR((last - first) / (crossings - 1), period, 0.005 * period);
    freeRig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_bodies_roll_down_a_slope_as_their_inertia_says),
        cmocka_unit_test(a_hoop_rolls_with_half_of_the_slope),
        cmocka_unit_test(stacked_logs_stand_where_friction_is_above_the_tangent_of_15_degrees),
        cmocka_unit_test(a_pile_of_six_logs_stands_where_statics_can_hold_it),
        cmocka_unit_test(a_ball_on_a_floor_comes_to_rest),
        cmocka_unit_test(a_box_sticks_below_the_angle_of_friction_and_slips_above),
        cmocka_unit_test(a_box_slides_as_far_as_friction_lets_it),
        cmocka_unit_test(a_box_tips_where_its_weight_is_beyond_its_edge),
        cmocka_unit_test(a_ball_bounces_to_the_square_of_its_restitution),
        cmocka_unit_test(two_spheres_collide_as_in_closed_form),
        cmocka_unit_test(momentum_of_a_free_group_is_kept),
        cmocka_unit_test(the_error_of_a_slide_halves_with_the_step),
        cmocka_unit_test(a_hinge_swings_with_the_period_of_a_pendulum),
    };
    return RUN(tests);
}
