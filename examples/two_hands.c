// SPDX-License-Identifier: Apache-2.0
// A world made by a program: a table from arrays, a soft cushion glued to it, and two hands that
// press on the cushion, 20 mm apart.
//
//     cc two_hands.c $(pkg-config --cflags --libs palpate) -o two_hands
//
// The cushion gives way under both, so that each hand feels less than it does alone at that depth.
#include <palpate/world.h>

#include <stdio.h>

// A box of 200 x 20 x 200 mm below y = 0.
static const double vertices[8][3] = {
    {-0.1, -0.02, -0.1}, {0.1, -0.02, -0.1}, {0.1, 0.0, -0.1}, {-0.1, 0.0, -0.1},
    {-0.1, -0.02, 0.1},  {0.1, -0.02, 0.1},  {0.1, 0.0, 0.1},  {-0.1, 0.0, 0.1},
};
static const int triangles[12][3] = {
    {0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
    {2, 3, 7}, {2, 7, 6}, {0, 4, 7}, {0, 7, 3}, {1, 2, 6}, {1, 6, 5},
};

static palResult build(palWorld* world, palHandId hands[2], palError* error)
{
    palSurfaceDef box = palDefaultSurfaceDef(), block = palDefaultSurfaceDef();
    box.vertices = &vertices[0][0];
    box.vertexCount = 8;
    box.triangles = &triangles[0][0];
    box.triangleCount = 12;
    palObjectDef table = palDefaultObjectDef(), cushion = palDefaultObjectDef();
    table.surface = &box;

    block.shape = "box";
    block.shapeSize = (palVec3){0.08, 0.03, 0.08};
    palFixedDef glue = palDefaultFixedDef(); // what is below the top of the table does not move
    glue.kind = pal_fixedPlane;
    glue.normal.y = 1.0;
    palSoftObjectDef foam = palDefaultSoftObjectDef();
    foam.young = 20e3; // Pa
    foam.fixed = &glue;
    foam.fixedCount = 1;
    cushion.surface = &block;
    cushion.soft = &foam;
    cushion.position.y = 0.015;

    palResult result = palWorld_AddObject(world, &table, NULL, error);
    if (result == pal_ok)
        result = palWorld_AddObject(world, &cushion, NULL, error);
    palHandDef hand = palDefaultHandDef();
    for (int i = 0; i < 2 && result == pal_ok; i++)
    {
        hand.position = (palVec3){i == 0 ? -0.01 : 0.01, 0.031, 0.0};
        result = palWorld_AddHand(world, &hand, &hands[i], error);
    }
    return result == pal_ok ? palWorld_Prepare(world, error) : result;
}

int main(void)
{
    palError error;
    palWorld* world;
    palHandId hands[2];
    palHandState left = palMakeHandState(), right = palMakeHandState();
    palWorldDef def = palDefaultWorldDef();
    palResult result = palWorld_Create(&def, &world, &error);
    if (result == pal_ok)
        result = build(world, hands, &error);
    // The first hand goes 3 mm into the cushion, then the second beside it.
    for (int step = 0; step < 2000 && result == pal_ok; step++)
    {
        int i = step < 1000 ? 0 : 1;
        palWorld_SetTarget(world, hands[i], (palVec3){i == 0 ? -0.01 : 0.01, 0.027, 0.0},
                           (palQuat){1.0, 0.0, 0.0, 0.0});
        result = palWorld_Step(world, &error);
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
