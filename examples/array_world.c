// SPDX-License-Identifier: Apache-2.0
// A soft ring from arrays on a table, pressed by two hands in real time; a thread looks on 60 times
// a second and makes it stiffer. The table carries the ring, 0.813 N, and what the hands feel.
//     cc array_world.c $(pkg-config --cflags --libs palpate) -lm -o array_world
#define _XOPEN_SOURCE 700
#include <math.h>
#include <palpate/world.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static palWorld* world;
static palBodyId ring;
static palHandId hands[2];

static void build(void)
{
    const double table[4][3] = {{-0.1, 0, -0.1}, {-0.1, 0, 0.1}, {0.1, 0, 0.1}, {0.1, 0, -0.1}};
    palVec3 vertices[48 * 16]; // of the ring: 48 sections with 16 each
    int triangles[2 * 48 * 16][3];
    for (int i = 0; i < 48 * 16; i++)
    {
        double a = 2 * M_PI / 48 * (i / 16), b = 2 * M_PI / 16 * (i % 16), r = 30 + 12 * cos(b);
        vertices[i] = (palVec3){1e-3 * r * cos(a), 1e-3 * (12.1 + 12 * sin(b)), 1e-3 * r * sin(a)};
        int up = i % 16 < 15 ? i + 1 : i - 15, next = (i + 16) % 768, last = (up + 16) % 768;
        memcpy(triangles[2 * i], (int[6]){i, up, last, i, last, next}, 6 * sizeof(int));
    }
    palWorldDef def = palDefaultWorldDef();
    def.gravity.y = -9.81;
    palWorld_Create(&def, &world, NULL);
    palSurfaceDef flat = palMakeSurfaceDef(table[0], 4, (int[6]){0, 1, 2, 0, 2, 3}, 2);
    palSurfaceDef round = palMakeSurfaceDef(&vertices[0].x, 48 * 16, triangles[0], 2 * 48 * 16);
    palSoftObjectDef foam = palDefaultSoftObjectDef();
    palObjectDef body = palDefaultObjectDef();
    body.friction = 0.5;
    body.surface = &flat;
    palWorld_AddObject(world, &body, NULL, NULL); // palWorld_Start tells what is wrong with it
    body.surface = &round;
    body.soft = &foam;
    palWorld_AddObject(world, &body, &ring, NULL);
    palHandDef hand = palDefaultHandDef();
    hand.position = (palVec3){-0.03, 0.03, 0.0};
    palWorld_AddHand(world, &hand, &hands[0], NULL);
    hand.position.x = 0.03;
    palWorld_AddHand(world, &hand, &hands[1], NULL);
}

static void* look(void* reader)
{
    palShapeView view = palMakeShapeView();
    palContact contact = palMakeContact();
    for (double t = 0.0; t < 4.0; t = palWorldReader_Time(reader))
    {
        double forces[2] = {0.0, 0.0}; // on the table, on the ring by the hands
        for (int i = 0; palWorldReader_Contact(reader, i, &contact); i++)
            forces[contact.hand.index != 0] += fabs(contact.force.y);
        if (palWorldReader_Body(reader, ring, &view)) // vertex 4 is below the right hand
            printf("%.3f s: %.5f m, %.3f N, %.3f N\n", t, view.vertices[4].y, forces[1], forces[0]);
        palWorld_SetYoung(world, ring, t < 2.0 ? 10e3 : 20e3, NULL); // Pa
        nanosleep(&(struct timespec){.tv_nsec = 1000000000 / 60}, NULL);
        palWorldReader_Update(reader);
    }
    return NULL;
}

int main(void)
{
    palError error;
    palWorldReader* reader;
    pthread_t viewer;
    build();
    if (palWorld_Start(world, &error) || palWorld_OpenReader(world, &reader, &error))
        return fprintf(stderr, "%s: %s; %s\n", error.file, error.text, error.remedy);
    pthread_create(&viewer, NULL, look, reader);
    for (int i = 0; i < 2; i++)
        palWorld_SetTarget(world, hands[i], (palVec3){0.06 * i - 0.03, 0.02, 0}, (palQuat){.w = 1});
    pthread_join(viewer, NULL);
    palWorld_Destroy(world);
    return 0;
}
