// SPDX-License-Identifier: Apache-2.0
// Soft bodies for tests: a volume, the body made of it, and its full-space reference.
#ifndef PAL_TESTS_SOFT_FIXTURE_H
#define PAL_TESTS_SOFT_FIXTURE_H

#include "../../bench/soft_reference.h"
#include "check.h"

#include "base/random.h"
#include "math/quat.h"

/// Whether a node is held; x is its place at rest.
typedef bool softHeld(palVec3 x);

typedef struct softFixture
{
    palVolume volume;
    palSoftBody* body;
    palSoftReference reference;
} softFixture;

/// A body of the fixture's volume.
static inline void softMakeBody(softFixture* f, palSoftDef def, softHeld* isHeld)
{
    bool* held = calloc((size_t)f->volume.vertexCount, sizeof *held);
    for (int i = 0; i < f->volume.vertexCount && isHeld != NULL; i++)
        held[i] = isHeld(f->volume.vertices[i]);
    def.volume = &f->volume;
    def.held = held;
    assert_int_equal(palSoftBody_Create(&def, &f->body, NULL), pal_ok);
    assert_int_equal(palSoftReference_Init(&f->reference, f->body, NULL), pal_ok);
    free(held);
}

static inline palVolumeShapeDef softBlock(palVolumeCut cut, palVec3 size, int nx, int ny, int nz)
{
    palVolumeShapeDef def = palDefaultVolumeShapeDef(pal_volumeBlock);
    def.cut = cut;
    def.size = size;
    def.cells[0] = nx, def.cells[1] = ny, def.cells[2] = nz;
    return def;
}

static inline void softMake(softFixture* f, const palVolumeShapeDef* shape, palSoftDef def,
                            softHeld* isHeld)
{
    *f = (softFixture){0};
    assert_int_equal(palMakeVolumeShape(shape, &f->volume, NULL), pal_ok);
    softMakeBody(f, def, isHeld);
}

static inline void softFree(softFixture* f)
{
    palSoftReference_Free(&f->reference);
    palSoftBody_Destroy(f->body);
    palVolume_Free(&f->volume);
}

/// The longest way of a node from its place at rest, m.
static inline double softFarthest(const palSoftBody* body)
{
    double farthest = 0.0;
    for (int i = 0; i < body->nodeCount; i++)
        farthest = fmax(farthest, palDistance(body->x[i], body->rest[i]));
    return farthest;
}

/// The longest entry of the body's force vector, N.
static inline double softLargestForce(const palSoftBody* body)
{
    double largest = 0.0;
    for (int i = 0; i < 3 * body->freeCount; i++)
        largest = fmax(largest, fabs(body->force[i]));
    return largest;
}

static inline palVec3 softRandomVector(palRandom* random, double size)
{
    return palMakeVec3(size * palRandom_Normal(random), size * palRandom_Normal(random),
                       size * palRandom_Normal(random));
}

static inline palMat3 softRandomRotation(palRandom* random)
{
    palVec3 x = palNormalize(softRandomVector(random, 1.0));
    palVec3 y = palNormalize(palCross(x, softRandomVector(random, 1.0)));
    return palMakeMat3Columns(x, y, palCross(x, y));
}

#endif
