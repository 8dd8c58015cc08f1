// SPDX-License-Identifier: Apache-2.0
// What is put down stays where it is: towers, walls, heaps, and the sleep of what rests.
#include "base/random.h"
#include "pile_rig.h"

static const double brick = 0.05; // m

// How a stack behaves: after half a second, and over ten seconds.
typedef struct Rest
{
    double energy;  // J, the largest kinetic energy after half a second
    double drift;   // m, the farthest that a body goes after half a second
    double deepest; // m
} Rest;

static Rest observe(palPile* pile, double seconds)
{
    Rest rest = {0};
    static palVec3 at[rigBodiesMax];
    runFor(pile, 0.5);
    for (int i = 0; i < pile->bodyCount; i++)
        at[i] = pile->bodies[i].state.x;
    for (int n = (int)lround(seconds / pile->def.dt); n > 0; n--)
    {
        palPile_Step(pile);
        rest.energy = fmax(rest.energy, palPile_KineticEnergy(pile));
        rest.deepest = fmax(rest.deepest, pile->info.deepest);
    }
    for (int i = 0; i < pile->bodyCount; i++)
        rest.drift = fmax(rest.drift, palDistance(at[i], pile->bodies[i].state.x));
    return rest;
}

static palPileRig* tower(int count, double mass)
{
    palPileRig* rig = makeRig();
    addFloor(rig, 0.0);
    const palRigidShape* box = boxShape(rig, brick, brick, brick);
    for (int i = 0; i < count; i++)
        addShape(rig, box, mass / (brick * brick * brick),
                 palMakeVec3(0.0, 0.0, (0.5 + i) * brick));
    rig->def.sleeps = false;
    return rig;
}

static void a_tower_stands(void** state)
{
    (void)state;
    const double masses[] = {0.075, 1.0};
    for (int i = 0; i < 2; i++)
    {
        palPileRig* rig = tower(10, masses[i]);
        Rest rest = observe(startRig(rig), 10.0);
        print_message("tower of %g kg: %.2g J, drift %.3g mm, depth %.3g mm\n", masses[i],
                      rest.energy, 1e3 * rest.drift, 1e3 * rest.deepest);
        ASSERT_BELOW(rest.energy, 1e-6);
        ASSERT_BELOW(rest.drift, 1e-4);
        ASSERT_BELOW(rest.deepest, 1.5e-4);
        freeRig(rig);
    }
}

static void a_wall_with_half_bricks_stands(void** state)
{
    (void)state;
    palPileRig* rig = makeRig();
    addFloor(rig, 0.0);
    const palRigidShape* whole = boxShape(rig, brick, brick, brick);
    const palRigidShape* half = boxShape(rig, 0.5 * brick, brick, brick);
    for (int row = 0; row < 5; row++)
    {
        double z = (0.5 + row) * brick;
        bool isShifted = row % 2 == 1;
        for (int i = 0; i < (isShifted ? 9 : 10); i++)
            addShape(rig, whole, 600.0, palMakeVec3((0.5 + i + 0.5 * isShifted) * brick, 0.0, z));
        for (int i = 0; isShifted && i < 2; i++)
            addShape(rig, half, 600.0, palMakeVec3((i == 0 ? 0.25 : 9.75) * brick, 0.0, z));
    }
    rig->def.sleeps = false;
    assert_int_equal(rig->bodyCount, 53);
    Rest rest = observe(startRig(rig), 10.0);
    print_message("wall: %.2g J, drift %.3g mm, depth %.3g mm, %d contacts\n", rest.energy,
                  1e3 * rest.drift, 1e3 * rest.deepest, rig->pile->info.contacts);
    ASSERT_BELOW(rest.energy, 1e-6);
    ASSERT_BELOW(rest.drift, 5e-5);
    ASSERT_BELOW(rest.deepest, 1.5e-4);
    freeRig(rig);
}

static void a_box_carries_one_of_a_hundred_times_its_mass(void** state)
{
    (void)state;
    palPileRig* rig = tower(1, 0.1);
    const palRigidShape* box = boxShape(rig, brick, brick, brick);
    addShape(rig, box, 10.0 / (brick * brick * brick), palMakeVec3(0.0, 0.0, 1.5 * brick));
    Rest rest = observe(startRig(rig), 5.0);
    print_message("100 : 1: %.2g J, drift %.3g mm, depth %.3g mm\n", rest.energy, 1e3 * rest.drift,
                  1e3 * rest.deepest);
    ASSERT_BELOW(rest.drift, 1e-3);
    ASSERT_BELOW(rest.deepest, 1e-3);
    freeRig(rig);
}

static int countAsleep(const palPile* pile)
{
    int count = 0;
    for (int i = 0; i < pile->bodyCount; i++)
        count += pile->bodies[i].isAsleep;
    return count;
}

static void a_tower_falls_asleep_and_wakes_when_it_is_pushed(void** state)
{
    (void)state;
    palPileRig* rig = tower(10, 0.5);
    rig->def.sleeps = true;
    palPile* pile = startRig(rig);
    runFor(pile, 1.5);
    assert_int_equal(countAsleep(pile), 10);
    palPile_Push(pile, 5, pile->bodies[5].state.x, palMakeVec3(1.0, 0.0, 0.0));
    palPile_Step(pile);
    assert_int_equal(countAsleep(pile), 0);
    freeRig(rig);
}

// A sleeping box that is hit takes the momentum in the same step.
static void what_sleeps_is_hit_as_if_it_were_awake(void** state)
{
    (void)state;
    double speeds[2];
    for (int sleeps = 0; sleeps < 2; sleeps++)
    {
        palPileRig* rig = makeRig();
        rig->def.sleeps = sleeps;
        addFloor(rig, 0.0);
        const palRigidShape* box = boxShape(rig, brick, brick, brick);
        addShape(rig, box, 1000.0, palMakeVec3(0.0, 0.0, 0.5 * brick));
        palPileBodyDef* thrown = addShape(rig, box, 1000.0, palMakeVec3(-5.0, 0.0, 2.0 * brick));
        thrown->velocity = palMakeVec3(2.0, 0.0, 0.0);
        thrown->motion = pal_motionFree;
        palPile* pile = startRig(rig);
        runFor(pile, 1.2);
        palPile_Place(pile, 2, (palPose){{-0.2, 0.0, 0.5 * brick}, pal_identityQuat},
                      palMakeVec3(2.0, 0.0, 0.0), pal_zeroVec3);
        assert_int_equal(pile->bodies[1].isAsleep, sleeps);
        runFor(pile, 0.12);
        speeds[sleeps] = pile->bodies[1].state.v.x;
        freeRig(rig);
    }
    assert_true(speeds[0] > 0.1);
    ASSERT_NEAR(speeds[1], speeds[0], 0.05 * speeds[0]);
}

// Without gravity, two boxes that float, and one that swings 4 mm to each side in 2 s: slower than
// what trembles at rest, and in motion.
static void what_moves_slowly_stays_awake(void** state)
{
    (void)state;
    palPileRig* rig = makeRig();
    const palRigidShape* box = boxShape(rig, brick, brick, brick);
    rig->def.gravity = pal_zeroVec3;
    addShape(rig, box, 1000.0, pal_zeroVec3)->velocity = palMakeVec3(5e-4, 0.0, 0.0);
    addShape(rig, box, 1000.0, palMakeVec3(1.0, 0.0, 0.0))->spin = palMakeVec3(0.0, 0.0, 1e-2);
    addShape(rig, box, 1000.0, palMakeVec3(2.0, 0.0, 0.0));
    palPile* pile = startRig(rig);
    runFor(pile, 2.0);
    ASSERT_NEAR(pile->bodies[0].state.x.x, 1e-3, 1e-12);
    ASSERT_NEAR(palRotationVector(pile->bodies[1].state.q).z, 2e-2, 1e-9);
    assert_int_equal(countAsleep(pile), 1);
    freeRig(rig);

    const double length = 1.5, radius = 0.02; // of a rod that hangs by its end
    rig = makeRig();
    palPileBodyDef* rod = addShape(rig, cylinderShape(rig, radius, length), 1000.0,
                                   palMakeVec3(0.0, 0.0, -0.5 * length));
    rig->joints[rig->jointCount] = palDefaultPileJointDef();
    rig->joints[rig->jointCount++].bodies[1] = -1;
    rod->spin = palMakeVec3(0.0, 0.01, 0.0);
    rod->velocity = palMakeVec3(-0.5 * length * 0.01, 0.0, 0.0);
    double inertia = rod->mass.inertia.m[1][1] + rod->mass.mass * 0.25 * length * length;
    double omega = sqrt(rod->mass.mass * 9.81 * 0.5 * length / inertia);
    pile = startRig(rig);
    runFor(pile, 5.25 * 2.0 * PAL_PI / omega);
    ASSERT_NEAR(pile->bodies[0].state.x.x, -0.5 * length * 0.01 / omega, 0.03 * 0.0075 / omega);
    freeRig(rig);
}

static void a_body_that_loses_its_support_falls(void** state)
{
    (void)state;
    palPileRig* rig = tower(2, 0.5);
    rig->def.sleeps = true;
    palPile* pile = startRig(rig);
    runFor(pile, 1.5);
    assert_int_equal(countAsleep(pile), 2);
    palPile_Place(pile, 1, (palPose){{1.0, 0.0, 0.5 * brick}, pal_identityQuat}, pal_zeroVec3,
                  pal_zeroVec3);
    runFor(pile, 0.5);
    ASSERT_NEAR(pile->bodies[2].state.x.z, 0.5 * brick, 1e-3);
    freeRig(rig);
}

// A tray: what rolls away on a floor without end does not come to rest.
static void addTray(palPileRig* rig, double half, double height)
{
    const palRigidShape* along = boxShape(rig, 2.2 * half, 0.1 * half, height);
    const palRigidShape* across = boxShape(rig, 0.1 * half, 2.2 * half, height);
    for (int side = -1; side <= 1; side += 2)
    {
        addShape(rig, along, 0.0, palMakeVec3(0.0, 1.05 * side * half, 0.5 * height));
        addShape(rig, across, 0.0, palMakeVec3(1.05 * side * half, 0.0, 0.5 * height));
    }
}

static palPileRig* makeHeap(void)
{
    palRandom random = palMakeRandom(3);
    palPileRig* rig = makeRig();
    addFloor(rig, 0.0);
    addTray(rig, 0.12, 2.0);
    const palRigidShape* shapes[] = {
        boxShape(rig, 0.04, 0.05, 0.03),
        sphereShape(rig, 0.02),
        cylinderShape(rig, 0.02, 0.04),
        boxShape(rig, 0.06, 0.03, 0.03),
    };
    for (int i = 0; i < 50; i++)
    {
        palPileBodyDef* body =
            addShape(rig, shapes[i % 4], 800.0,
                     palMakeVec3(palRandom_Range(&random, -0.06, 0.06),
                                 palRandom_Range(&random, -0.06, 0.06), 0.05 + 0.03 * i));
        body->pose.q = palMakeQuatRotationVector(palMakeVec3(palRandom_Range(&random, -2.0, 2.0),
                                                             palRandom_Range(&random, -2.0, 2.0),
                                                             palRandom_Range(&random, -2.0, 2.0)));
    }
    return rig;
}

static double lowestOf(const palPile* pile)
{
    double lowest = INFINITY;
    for (int i = 1; i < pile->bodyCount; i++)
        lowest = fmin(lowest, pile->bodies[i].state.x.z);
    return lowest;
}

static void fifty_bodies_that_fall_on_a_heap_come_to_rest(void** state)
{
    (void)state;
    palPileRig* rig = makeHeap();
    palPile* pile = startRig(rig);
    double deepest = 0.0;
    for (int n = 0; n < 5000; n++)
    {
        palPile_Step(pile);
        deepest = fmax(deepest, n > 1000 ? pile->info.deepest : 0.0);
    }
    print_message("heap: %d asleep, %.2g J, deepest %.3g mm, lowest centre %.3g mm\n",
                  countAsleep(pile), palPile_KineticEnergy(pile), 1e3 * deepest,
                  1e3 * lowestOf(pile));
    assert_int_equal(countAsleep(pile), 50);
    ASSERT_BELOW(deepest, 5e-4);
    assert_true(lowestOf(pile) > 0.014);
    freeRig(rig);
}

// Ten minutes in the long run. A body that is hit gets 2 m/s; the energy that others have is that
// of the heap, never more.
static void a_heap_that_is_hit_every_second_stays_a_heap(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(17);
    palPileRig* rig = makeHeap();
    palPile* pile = startRig(rig);
    runFor(pile, 2.0);
    const int first = pile->bodyCount - 50, seconds = isLongRun() ? 600 : 5;
    double deepest = 0.0, gained = 0.0;
    for (int second = 0; second < seconds; second++)
    {
        int hit = first + (int)(50.0 * palRandom_Unit(&random));
        palVec3 v = {palRandom_Range(&random, -1.0, 1.0), palRandom_Range(&random, -1.0, 1.0), 1.4};
        palPile_Place(pile, hit, palPile_Pose(pile, hit), v, pal_zeroVec3);
        double before = palPile_KineticEnergy(pile) + palPile_PotentialEnergy(pile);
        for (int n = 0; n < 1000; n++)
        {
            palPile_Step(pile);
            deepest = fmax(deepest, pile->info.deepest);
        }
        gained = fmax(gained, palPile_KineticEnergy(pile) + palPile_PotentialEnergy(pile) - before);
        assert_true(lowestOf(pile) > 0.013);
    }
    runFor(pile, 5.0);
    print_message("heap hit %d times: %d asleep, deepest %.3g mm, gained %.2g J\n", seconds,
                  countAsleep(pile), 1e3 * deepest, gained);
    assert_int_equal(countAsleep(pile), 50);
    assert_int_equal(pile->info.leftOut, 0);
    ASSERT_BELOW(deepest, 2e-3);
    ASSERT_BELOW(gained, 1e-4);
    freeRig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tower_stands),
        cmocka_unit_test(a_wall_with_half_bricks_stands),
        cmocka_unit_test(a_box_carries_one_of_a_hundred_times_its_mass),
        cmocka_unit_test(a_tower_falls_asleep_and_wakes_when_it_is_pushed),
        cmocka_unit_test(what_sleeps_is_hit_as_if_it_were_awake),
        cmocka_unit_test(what_moves_slowly_stays_awake),
        cmocka_unit_test(a_body_that_loses_its_support_falls),
        cmocka_unit_test(fifty_bodies_that_fall_on_a_heap_come_to_rest),
        cmocka_unit_test(a_heap_that_is_hit_every_second_stays_a_heap),
    };
    return RUN(tests);
}
