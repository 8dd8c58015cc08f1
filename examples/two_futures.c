// SPDX-License-Identifier: Apache-2.0
// Two futures of one moment: a hand presses a cushion for half a second, the state is saved, and
// the hand goes deeper once and lifts once from there.
//
//     cc two_futures.c $(pkg-config --cflags --libs palpate) -o two_futures
//
// The first future is run twice, and is the same to the last bit.
#include <palpate/world.h>

#include <stdio.h>
#include <stdlib.h>

static palWorld* world;
static palHandId hand;
static palError error;

// Moves the hand to a height for half a second. Returns what it feels then, N.
static double feel(double height)
{
    palWorld_SetTarget(world, hand, (palVec3){0.0, height, 0.0}, (palQuat){.w = 1.0});
    for (int step = 0; step < 500; step++)
        if (palWorld_Step(world, &error) != pal_ok)
            return 0.0;
    palHandState state = palMakeHandState();
    palWorld_GetHand(world, hand, &state);
    return state.force.y;
}

int main(void)
{
    palWorldDef worldDef = palDefaultWorldDef();
    palWorld_Create(&worldDef, &world, NULL);
    palSurfaceDef block = palDefaultSurfaceDef();
    block.shape = "box";
    block.shapeSize = (palVec3){0.08, 0.03, 0.08};
    palFixedDef glue = palDefaultFixedDef(); // what is at y = -10 mm or below does not move
    glue.kind = pal_fixedPlane;
    glue.normal.y = 1.0;
    glue.centre.y = -0.01;
    palSoftObjectDef foam = palDefaultSoftObjectDef();
    foam.fixed = &glue;
    foam.fixedCount = 1;
    palObjectDef cushion = palDefaultObjectDef();
    cushion.surface = &block;
    cushion.soft = &foam;
    palWorld_AddObject(world, &cushion, NULL, NULL);
    palHandDef handDef = palDefaultHandDef();
    handDef.position.y = 0.016;
    palWorld_AddHand(world, &handDef, &hand, NULL);
    if (palWorld_Prepare(world, &error) != pal_ok)
        return fprintf(stderr, "two_futures: %s: %s; %s\n", error.file, error.text, error.remedy);

    printf("now %.3f N\n", feel(0.012));
    size_t size;
    palWorld_SaveState(world, NULL, &size, &error); // how many bytes it has now
    void* saved = malloc(size);
    palWorld_SaveState(world, saved, &size, &error);
    double deeper = feel(0.010);
    palWorld_RestoreState(world, saved, size, &error);
    double lifted = feel(0.014);
    palWorld_RestoreState(world, saved, size, &error);
    printf("deeper %.3f N, lifted %.3f N, %s\n", deeper, lifted,
           feel(0.010) == deeper ? "and deeper again the same" : "but deeper again another");
    free(saved);
    palWorld_Destroy(world);
    return 0;
}
