// SPDX-License-Identifier: Apache-2.0
// A box falls on a floor, in virtual time, and is asked where it is.
//
//     cc falling_box.c $(pkg-config --cflags --libs palpate) -o falling_box
//
// Under method `impulse` rigid bodies move, touch, rest and fall asleep.
#include <palpate/world.h>

#include <stdio.h>

int main(void)
{
    palError error;
    palWorld* world;
    palWorldDef worldDef = palDefaultWorldDef();
    worldDef.method = "impulse";
    worldDef.gravity.z = -9.81;
    palWorld_Create(&worldDef, &world, NULL);
    palSurfaceDef below = palDefaultSurfaceDef();
    below.shape = "half-space"; // everything below z = 0
    palObjectDef floor = palDefaultObjectDef();
    floor.surface = &below;
    palWorld_AddObject(world, &floor, NULL, NULL);
    palSurfaceDef cube = palDefaultSurfaceDef();
    cube.shape = "box"; // 0.1 m a side
    palObjectDef thing = palDefaultObjectDef();
    thing.surface = &cube;
    thing.position.z = 0.15;
    thing.motion = pal_motionFree;
    palBodyId box;
    palWorld_AddObject(world, &thing, &box, NULL);
    palHandDef hand = palDefaultHandDef(); // far from both
    hand.position.x = 1.0;
    palWorld_AddHand(world, &hand, NULL, NULL);

    for (int step = 1; step <= 1500; step++)
    {
        if (palWorld_Step(world, &error) != pal_ok)
            return fprintf(stderr, "falling_box: %s: %s; %s\n", error.file, error.text,
                           error.remedy);
        if (step % 500 != 0 && step != 50)
            continue;
        palBodyState state = palMakeBodyState();
        palWorld_GetBody(world, box, &state);
        printf("%.3f s: %.3f m, %.3f m/s, %s\n", state.time, state.position.z, state.velocity.z,
               state.isAsleep ? "asleep" : "awake");
    }
    palWorld_Destroy(world);
    return 0;
}
