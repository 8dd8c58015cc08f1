// SPDX-License-Identifier: Apache-2.0
// Thin plates, rods and balls are thrown at each other in a room with thin walls: nothing passes.
#include "base/random.h"
#include "pile_rig.h"

enum
{
    wallCount = 6,
    bodyCount = 8,
    stepsOfThrow = 60,
    throwsAtAll = 10000,
    throwsSampled = 1200,
};

static const double roomHalf = 0.1;   // m
static const double wallHalf = 5e-4;  // m
static const double fastest = 10.0;   // m/s
static const double fastestSpin = 60; // rad/s

static palVec3 randomVector(palRandom* random, double most)
{
    palVec3 v;
    do
        v = palMakeVec3(palRandom_Range(random, -1.0, 1.0), palRandom_Range(random, -1.0, 1.0),
                        palRandom_Range(random, -1.0, 1.0));
    while (palLength(v) > 1.0);
    return palScale(most, v);
}

static void addRoom(palPileRig* rig, double restitution)
{
    const double width = 2.0 * (roomHalf + 2.0 * wallHalf), thickness = 2.0 * wallHalf;
    const palRigidShape* walls[3] = {
        boxShape(rig, thickness, width, width),
        boxShape(rig, width, thickness, width),
        boxShape(rig, width, width, thickness),
    };
    for (int i = 0; i < wallCount; i++)
    {
        double x = (i % 2 == 0 ? 1.0 : -1.0) * (roomHalf + wallHalf);
        palVec3 at = {i / 2 == 0 ? x : 0.0, i / 2 == 1 ? x : 0.0, i / 2 == 2 ? x : 0.0};
        addShape(rig, walls[i / 2], 0.0, at)->material.restitution = restitution;
    }
}

static palPileRig* makeRoom(palRandom* random)
{
    palPileRig* rig = makeRig();
    double restitution = palRandom_Range(random, 0.0, 0.9);
    addRoom(rig, restitution);
    palRigidShape* capsule = nextShape(rig);
    assert_int_equal(palRigidShape_InitCapsule(capsule, 1.5e-3, 0.08, NULL), pal_ok);
    const palRigidShape* shapes[bodyCount] = {
        boxShape(rig, 0.06, 0.04, 1e-3),
        cylinderShape(rig, 1e-3, 0.08),
        capsule,
        sphereShape(rig, 8e-3),
        sphereShape(rig, 2e-3),
        boxShape(rig, 0.08, 2e-3, 2e-3),
        cylinderShape(rig, 0.02, 1e-3),
        boxShape(rig, 0.02, 0.02, 0.02),
    };
    for (int i = 0; i < bodyCount; i++)
    {
        palVec3 at = {(i % 2 - 0.5) * 0.09, (i / 2 % 2 - 0.5) * 0.09, (i / 4 - 0.5) * 0.09};
        palPileBodyDef* body = addShape(rig, shapes[i], 2000.0, at);
        body->material.restitution = restitution;
        body->material.friction = body->material.kineticFriction =
            palRandom_Range(random, 0.0, 1.0);
    }
    rig->def.sleeps = false;
    return rig;
}

static void throwAll(palPile* pile, palRandom* random)
{
    for (int i = wallCount; i < pile->bodyCount; i++)
        palPile_Place(pile, i, palPile_Pose(pile, i), randomVector(random, fastest),
                      randomVector(random, fastestSpin));
}

static void assertInRoom(const palPile* pile)
{
    for (int i = wallCount; i < pile->bodyCount; i++)
    {
        palVec3 x = pile->bodies[i].state.x;
        double farthest = fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z));
        if (!(farthest < roomHalf))
            fail_msg("body %d at %g %g %g, %g s", i, x.x, x.y, x.z, pile->time);
    }
}

// On which side of a thin flat body the centre of another one is; 0 where it is beside it.
static int sideOf(const palPile* pile, int flat, int other)
{
    const palPileItem *a = &pile->items[flat], *b = &pile->items[other];
    palVec3 x = palPose_Local(a->pose, b->pose.x);
    palVec3 half = a->shape->bounds.high;
    bool isDisc = a->shape->kind == pal_rigidCylinder;
    bool isBeside =
        fabs(x.x) > half.x || fabs(x.y) > half.y || (isDisc && hypot(x.x, x.y) > a->shape->radius);
    return isBeside ? 0 : x.z > 0.0 ? 1 : -1;
}

// On which side of a rod along its axis another one passes; 0 where they do not cross.
static int crossingOf(const palPile* pile, int one, palVec3 along, double halfLength, int other,
                      palVec3 alongOther, double halfOther)
{
    palPose a = pile->items[one].pose, b = pile->items[other].pose;
    palVec3 u = palRotate(a.q, along), v = palRotate(b.q, alongOther), N = palCross(u, v);
    palVec3 r = palSub(b.x, a.x);
    double square = palLengthSquared(N);
    if (square < 0.05)
        return 0;
    double s = palDot(palCross(r, v), N) / square, t = palDot(palCross(r, u), N) / square;
    bool isBeside = fabs(s) > halfLength || fabs(t) > halfOther;
    return isBeside ? 0 : palDot(r, N) > 0.0 ? 1 : -1;
}

enum
{
    watched = 3 + 2 * bodyCount,
};

// Sides of all pairs of which one is flat, and of the rods.
static void takeSides(const palPile* pile, int sides[watched])
{
    const palVec3 z = {0.0, 0.0, 1.0}, x = {1.0, 0.0, 0.0};
    const int plate = wallCount, disc = wallCount + 6;
    for (int i = 0; i < bodyCount; i++)
    {
        sides[i] = i == 0 ? 0 : sideOf(pile, plate, wallCount + i);
        sides[bodyCount + i] = i == 6 ? 0 : sideOf(pile, disc, wallCount + i);
    }
    int* rods = &sides[2 * bodyCount];
    const int rod = wallCount + 1, capsule = wallCount + 2, beam = wallCount + 5;
    rods[0] = crossingOf(pile, rod, z, 0.04, capsule, z, 0.0385);
    rods[1] = crossingOf(pile, rod, z, 0.04, beam, x, 0.04);
    rods[2] = crossingOf(pile, capsule, z, 0.0385, beam, x, 0.04);
}

typedef struct Outcome
{
    double deepest; // m
    double gained;  // energy, of what was thrown
} Outcome;

// A step, of which each part is looked at: a rod that turns by half a radian in it may go around
// the end of another one and be across it before and after.
static void watchStep(palPile* pile, int sides[watched])
{
    int after[watched];
    palPile_Start(pile);
    while (pile->substep < pile->substeps)
    {
        palPile_BeginPart(pile);
        palPile_Solve(pile);
        palPile_EndPart(pile);
        takeSides(pile, after);
        for (int i = 0; i < watched; i++)
            assert_true(sides[i] * after[i] >= 0);
        memcpy(sides, after, sizeof after);
    }
    palPile_Finish(pile);
}

// Throws all bodies once, and watches them for a while.
static void watchThrow(palPile* pile, palRandom* random, Outcome* outcome)
{
    int sides[watched];
    throwAll(pile, random);
    takeSides(pile, sides);
    const double thrown = palPile_KineticEnergy(pile);
    double least = thrown + palPile_PotentialEnergy(pile);
    for (int n = 0; n < stepsOfThrow; n++)
    {
        watchStep(pile, sides);
        assertInRoom(pile);
        double energy = palPile_KineticEnergy(pile) + palPile_PotentialEnergy(pile);
        outcome->gained = fmax(outcome->gained, (energy - least) / thrown);
        outcome->deepest = fmax(outcome->deepest, pile->info.deepest);
        least = fmin(least, energy);
    }
}

static void nothing_passes_and_no_energy_comes_in_many_throws(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    const int throws = isLongRun() ? throwsAtAll : throwsSampled;
    Outcome outcome = {0};
    for (int done = 0; done < throws;)
    {
        palPileRig* rig = makeRoom(&random);
        palPile* pile = startRig(rig);
        for (int k = 0; k < 10; k++, done += bodyCount)
            watchThrow(pile, &random, &outcome);
        freeRig(rig);
    }
    print_message("%d throws: deepest %.3g mm, energy gained %.2g of what was thrown\n", throws,
                  1e3 * outcome.deepest, outcome.gained);
    ASSERT_BELOW(outcome.gained, 1e-3);
    ASSERT_BELOW(outcome.deepest, 4e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_passes_and_no_energy_comes_in_many_throws),
    };
    return RUN(tests);
}
