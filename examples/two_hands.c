// SPDX-License-Identifier: Apache-2.0
// Two hands on one soft cushion, 20 mm apart, in virtual time: every call of palWorld_Step is one
// millisecond, however long it takes, and a run repeats bit for bit.
//
//     cc two_hands.c $(pkg-config --cflags --libs palpate) -o two_hands
//
// The cushion gives way under both, so that each hand feels less than it does alone at that depth.
#include <palpate/world.h>

#include <stdio.h>

int main(void)
{
    palWorld* world;
    palWorldDef worldDef = palDefaultWorldDef();
    palWorld_Create(&worldDef, &world, NULL);

    palSurfaceDef block = palDefaultSurfaceDef();
    block.shape = "box";
    block.shapeSize = (palVec3){0.08, 0.03, 0.08};
    palFixedDef glue = palDefaultFixedDef(); // what is at y = 0 or below does not move
    glue.kind = pal_fixedPlane;
    glue.normal.y = 1.0;
    palSoftObjectDef foam = palDefaultSoftObjectDef();
    foam.young = 20e3; // Pa
    foam.fixed = &glue;
    foam.fixedCount = 1;
    palObjectDef cushion = palDefaultObjectDef();
    cushion.surface = &block;
    cushion.soft = &foam;
    cushion.position.y = 0.015;
    palWorld_AddObject(world, &cushion, NULL, NULL);

    palHandDef handDef = palDefaultHandDef();
    palHandId hands[2];
    for (int i = 0; i < 2; i++)
    {
        handDef.position = (palVec3){0.02 * i - 0.01, 0.031, 0.0};
        palWorld_AddHand(world, &handDef, &hands[i], NULL);
    }

    // The first hand goes 3 mm into the cushion, then the second beside it.
    palError error; // also of what was added
    palResult result = palWorld_Prepare(world, &error);
    for (int step = 0; step < 2000 && result == pal_ok; step++)
    {
        int i = step / 1000;
        palVec3 below = {0.02 * i - 0.01, 0.027, 0.0};
        palWorld_SetTarget(world, hands[i], below, (palQuat){.w = 1.0});
        result = palWorld_Step(world, &error);
        palHandState left = palMakeHandState(), right = palMakeHandState();
        palWorld_GetHand(world, hands[0], &left);
        palWorld_GetHand(world, hands[1], &right);
        if (step % 1000 == 999)
            printf("left %.3f N, right %.3f N\n", left.force.y, right.force.y);
    }
    if (result != pal_ok)
        fprintf(stderr, "two_hands: %s: %s; %s\n", error.file, error.text, error.remedy);
    palWorld_Destroy(world);
    return result == pal_ok ? 0 : 1;
}
