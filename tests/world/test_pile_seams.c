// SPDX-License-Identifier: Apache-2.0
// What slides and rolls over parts that abut goes as over one part, and stops where one rises.
#include "pile_rig.h"
#include "rigid_meshes.h"

static const double g = 9.81;
static const double mu = 0.3;

typedef struct Tiles
{
    double size;    // m, of one
    double gap;     // m, between two
    double step;    // m, by which each is higher or lower than the next one
    double density; // 0: fixed
} Tiles;

static void setFriction(palPileBodyDef* body, double friction)
{
    body->material.friction = body->material.kineticFriction = friction;
}

// A floor of 8 x 8 tiles, level with z = 0, about y = 0 and from x = 0 on.
static void addTiles(palPileRig* rig, Tiles tiles)
{
    const double thickness = 0.02, pitch = tiles.size + tiles.gap;
    const palRigidShape* shape = boxShape(rig, tiles.size, tiles.size, thickness);
    if (tiles.density > 0.0)
        addFloor(rig, 0.0)->pose.x.z = -thickness;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
        {
            double height = (i + j) % 2 == 0 ? 0.0 : tiles.step;
            palVec3 x = {(i + 0.5) * pitch, (j - 3.5) * pitch, height - 0.5 * thickness};
            setFriction(addShape(rig, shape, tiles.density, x), mu);
        }
}

// How far a box slides that is put on a floor with a speed, as a share of what Coulomb's law says.
static double slideOver(Tiles tiles, palVec3 size, double y, double angle)
{
    palPileRig* rig = makeRig();
    addTiles(rig, tiles);
    palVec3 x = {0.6 * size.x, y, 0.5 * size.z + fmax(tiles.step, 0.0)};
    palPileBodyDef* box = addShape(rig, boxShape(rig, size.x, size.y, size.z), 1000.0, x);
    box->pose.q = palMakeQuatRotationVector(palMakeVec3(0.0, 0.0, angle));
    setFriction(box, mu);
    double way = 2.5 * tiles.size;
    box->velocity.x = sqrt(2.0 * mu * g * way);
    palPile* pile = startRig(rig);
    runFor(pile, 1.1 * box->velocity.x / (mu * g));
    palVec3 end = pile->bodies[pile->bodyCount - 1].state.x;
    freeRig(rig);
    return hypot(end.x - x.x, end.y - x.y) / way;
}

static void a_box_slides_over_tiles_as_over_one_box(void** state)
{
    (void)state;
    const Tiles floors[] = {
        {0.1, 0.0, 0.0, 0.0},   {0.1, 1e-6, 0.0, 0.0}, {0.1, 0.0, 1e-6, 0.0},
        {0.1, 0.0, -1e-6, 0.0}, {0.1, 1e-3, 0.0, 0.0},
    };
    const palVec3 sizes[] = {{0.05, 0.05, 0.02}, {0.15, 0.15, 0.05}, {0.02, 0.02, 0.01}};
    for (size_t i = 0; i < sizeof floors / sizeof floors[0]; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        {
            ASSERT_NEAR(slideOver(floors[i], sizes[k], 0.0, 0.0), 1.0, 0.01);
            ASSERT_NEAR(slideOver(floors[i], sizes[k], 0.03, 0.4), 1.0, 0.01);
        }
}

static void a_box_slides_over_heavy_tiles_that_lie_free(void** state)
{
    (void)state;
    const Tiles tiles = {0.1, 0.0, 0.0, 8000.0};
    ASSERT_NEAR(slideOver(tiles, palMakeVec3(0.05, 0.05, 0.02), 0.03, 0.4), 1.0, 0.01);
}

// The speed of what rolls down a slope of planks with 20 seams, as a share of that on one plank.
static double rollOver(const palRigidShape* (*make)(palPileRig*), palQuat q, double gap)
{
    const double angle = 0.1, width = 0.05, thickness = 0.02, start = 0.5 * width;
    palPileRig* rig = makeRig();
    rig->def.gravity = palMakeVec3(g * sin(angle), 0.0, -g * cos(angle));
    const palRigidShape* plank = boxShape(rig, width, 0.2, thickness);
    for (int i = 0; i < 24; i++)
        setFriction(addShape(rig, plank, 0.0,
                             palMakeVec3((i + 0.5) * (width + gap), 0.0, -0.5 * thickness)),
                    1.0);
    const palRigidShape* shape = make(rig);
    palVec3 x = {start, 0.0, shape->radius};
    palPileBodyDef* body = addShape(rig, shape, 1000.0, x);
    body->pose.q = q;
    double inertia = fmin(body->mass.inertia.m[0][0], body->mass.inertia.m[2][2]);
    double share = 1.0 / (1.0 + inertia / (body->mass.mass * shape->radius * shape->radius));
    palPile* pile = startRig(rig);
    const palPileBody* roller = &pile->bodies[pile->bodyCount - 1];
    while (roller->state.x.x < start + 20.0 * width && pile->time < 5.0)
        palPile_Step(pile);
    double way = roller->state.x.x - start;
    double truth = sqrt(2.0 * share * g * sin(angle) * way), speed = roller->state.v.x;
    freeRig(rig);
    return speed / truth;
}

static const palRigidShape* ball(palPileRig* rig)
{
    return sphereShape(rig, 0.02);
}

static const palRigidShape* heavyBall(palPileRig* rig)
{
    return sphereShape(rig, 0.05);
}

static const palRigidShape* roll(palPileRig* rig)
{
    return cylinderShape(rig, 0.02, 0.06);
}

static void what_rolls_over_twenty_seams_has_the_speed_of_its_inertia(void** state)
{
    (void)state;
    const palQuat lying = palMakeQuatRotationVector(palMakeVec3(1.5707963267948966, 0.0, 0.0));
    const double gaps[] = {0.0, 1e-6};
    for (int i = 0; i < 2; i++)
    {
        ASSERT_NEAR(rollOver(ball, pal_identityQuat, gaps[i]), 1.0, 0.01);
        ASSERT_NEAR(rollOver(heavyBall, pal_identityQuat, gaps[i]), 1.0, 0.01);
        ASSERT_NEAR(rollOver(roll, lying, gaps[i]), 1.0, 0.01);
    }
}

// Where the front of a box is that was thrown along a floor against a step of a second plank, which
// begins at x = 0.
static double frontAtStep(double height, double speed)
{
    palPileRig* rig = makeRig();
    const palRigidShape* plank = boxShape(rig, 0.5, 0.5, 0.1);
    setFriction(addShape(rig, plank, 0.0, palMakeVec3(-0.25, 0.0, -0.05)), mu);
    setFriction(addShape(rig, plank, 0.0, palMakeVec3(0.25, 0.0, height - 0.05)), mu);
    palPileBodyDef* box =
        addShape(rig, boxShape(rig, 0.05, 0.05, 0.02), 1000.0, palMakeVec3(-0.1, 0.0, 0.01));
    setFriction(box, mu);
    box->velocity.x = speed;
    palPile* pile = startRig(rig);
    runFor(pile, 1.0);
    double front = pile->bodies[2].state.x.x + 0.025;
    freeRig(rig);
    return front;
}

// A ball that rolls against a step turns about its edge, with the share 1 - 5 h / 7 r of its speed,
// and climbs it if that is enough for the height. Returns where it is after a while.
static double ballAtStep(double height, double speed)
{
    const double r = 0.02;
    palPileRig* rig = makeRig();
    const palRigidShape* plank = boxShape(rig, 0.5, 0.5, 0.1);
    setFriction(addShape(rig, plank, 0.0, palMakeVec3(-0.25, 0.0, -0.05)), 1.0);
    setFriction(addShape(rig, plank, 0.0, palMakeVec3(0.25, 0.0, height - 0.05)), 1.0);
    palPileBodyDef* body = addShape(rig, sphereShape(rig, r), 1000.0, palMakeVec3(-0.05, 0.0, r));
    body->velocity.x = speed;
    body->spin.y = speed / r;
    palPile* pile = startRig(rig);
    runFor(pile, 1.0);
    double x = pile->bodies[2].state.x.x;
    freeRig(rig);
    return x;
}

static void a_ball_climbs_a_step_if_its_speed_is_enough(void** state)
{
    (void)state;
    const double height = 1e-3, share = 1.0 - 5.0 * height / (7.0 * 0.02);
    double least = sqrt(10.0 / 7.0 * g * height) / share;
    assert_true(ballAtStep(height, 0.95 * least) < 0.0);
    assert_true(ballAtStep(height, 1.05 * least) > 0.0);
}

static void a_step_of_a_millimetre_stops_a_box(void** state)
{
    (void)state;
    ASSERT_NEAR(frontAtStep(1e-3, 0.8), 0.0, 2e-4);
    ASSERT_NEAR(frontAtStep(0.1, 0.8), 0.0, 2e-4);
    ASSERT_NEAR(frontAtStep(0.0, 0.8), 0.8 * 0.8 / (2.0 * mu * g) - 0.075, 2e-3);
}

// The same with the planks and the body as meshes, or with the planks as parts of one body.
static double slideOverPlanks(bool areMeshes, bool isMesh, bool isOneBody)
{
    const double width = 0.06, way = 0.15, thickness = 0.02;
    palPileRig* rig = makeRig();
    palRigidShape* plank = nextShape(rig);
    palVec3 size = {width, 0.2, thickness};
    *plank = areMeshes ? boxMesh(size, 4) : boxOf(size);
    palPilePart parts[5];
    for (int i = 0; i < 5; i++)
    {
        palVec3 x = {(i + 0.5) * width, 0.0, -0.5 * thickness};
        parts[i] = (palPilePart){plank, {x, pal_identityQuat}};
        if (!isOneBody)
            setFriction(addShape(rig, plank, 0.0, x), mu);
    }
    if (isOneBody)
    {
        palPileBodyDef* planks = addShape(rig, plank, 0.0, pal_zeroVec3);
        setFriction(planks, mu);
        planks->parts = parts;
        planks->partCount = 5;
    }
    palRigidShape* shape = nextShape(rig);
    size = palMakeVec3(0.05, 0.04, 0.02);
    *shape = isMesh ? boxMesh(size, 3) : boxOf(size);
    palPileBodyDef* box = addShape(rig, shape, 1000.0, palMakeVec3(0.03, 0.0, 0.01));
    setFriction(box, mu);
    box->velocity.x = sqrt(2.0 * mu * g * way);
    palPile* pile = startRig(rig);
    runFor(pile, 1.1 * box->velocity.x / (mu * g));
    double slid = pile->bodies[pile->bodyCount - 1].state.x.x - 0.03;
    freeRig(rig);
    return slid / way;
}

static void seams_of_meshes_and_of_parts_of_one_body_are_smooth(void** state)
{
    (void)state;
    ASSERT_NEAR(slideOverPlanks(true, false, false), 1.0, 0.01);
    ASSERT_NEAR(slideOverPlanks(false, true, false), 1.0, 0.01);
    ASSERT_NEAR(slideOverPlanks(true, true, false), 1.0, 0.01);
    ASSERT_NEAR(slideOverPlanks(false, false, true), 1.0, 0.01);
    ASSERT_NEAR(slideOverPlanks(true, true, true), 1.0, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_slides_over_tiles_as_over_one_box),
        cmocka_unit_test(a_box_slides_over_heavy_tiles_that_lie_free),
        cmocka_unit_test(what_rolls_over_twenty_seams_has_the_speed_of_its_inertia),
        cmocka_unit_test(seams_of_meshes_and_of_parts_of_one_body_are_smooth),
        cmocka_unit_test(a_ball_climbs_a_step_if_its_speed_is_enough),
        cmocka_unit_test(a_step_of_a_millimetre_stops_a_box),
    };
    return RUN(tests);
}
