// SPDX-License-Identifier: Apache-2.0
// A world whose high rate is the program's own loop, as in a simulator that serves its device
// itself: every millisecond it moves the hand and takes the force. Contacts are found by a thread
// of the library, and another reader shows what happens ten times a second.
//
//     cc own_loop.c $(pkg-config --cflags --libs palpate) -o own_loop
//     ./own_loop
#define _POSIX_C_SOURCE 200809L
#include <palpate/world.h>

#include <stdio.h>
#include <time.h>

int main(void)
{
    palWorld* world;
    palWorldDef worldDef = palDefaultWorldDef();
    palWorld_Create(&worldDef, &world, NULL);
    palSurfaceDef ball = palDefaultSurfaceDef();
    ball.shape = "sphere";
    ball.shapeRadius = 0.04;
    palObjectDef object = palDefaultObjectDef();
    object.surface = &ball;
    palWorld_AddObject(world, &object, NULL, NULL);
    palHandDef handDef = palDefaultHandDef();
    handDef.position.y = 0.045;
    palHandId hand;
    palWorld_AddHand(world, &handDef, &hand, NULL);

    palError error; // also of what was added
    palWorldReader* reader;
    palResult result = palWorld_StartLow(world, &error);
    if (result == pal_ok)
        result = palWorld_OpenReader(world, &reader, &error);
    if (result != pal_ok)
    {
        fprintf(stderr, "own_loop: %s: %s; %s\n", error.file, error.text, error.remedy);
        palWorld_Destroy(world);
        return 1;
    }

    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    palHandState state = palMakeHandState();
    for (int i = 0; i < 500; i++) // 0.5 s: down by 10 mm in the first half
    {
        palVec3 place = {0.0, 0.045 - 4e-5 * (i < 250 ? i : 250), 0.0};
        palQuat still = {1.0, 0.0, 0.0, 0.0};
        palWorld_SetTarget(world, hand, place, still);
        palWorld_Tick(world);
        palWorld_GetHand(world, hand, &state); // state.out is for the device
        if (i % 100 == 99 && palWorldReader_Update(reader))
        {
            palContact contact = palMakeContact();
            bool touches = palWorldReader_Contact(reader, 0, &contact);
            printf("%.3f s: %s\n", palWorld_Time(world), touches ? "touching" : "free");
        }
        next.tv_nsec += 1000000;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    palWorldStatistics statistics = palMakeWorldStatistics();
    palWorldReader_Update(reader);
    palWorldReader_Statistics(reader, &statistics);
    palWorld_Destroy(world); // stops it and closes its readers
    printf("%d steps, force %.3f N\n", (int)statistics.steps, state.force.y);
    return 0;
}
