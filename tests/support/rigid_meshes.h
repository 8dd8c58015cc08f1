// SPDX-License-Identifier: Apache-2.0
// Meshes as shapes of rigid bodies, for tests of their contacts.
#ifndef PAL_TESTS_RIGID_MESHES_H
#define PAL_TESTS_RIGID_MESHES_H

#include "collide/rigid_contact.h"
#include "mesh/shapes.h"
#include "soup.h"

/// Takes the surface over.
static inline palRigidShape meshOf(palSurface surface)
{
    palRigidShape shape;
    palError error;
    if (palRigidShape_InitMesh(&shape, &surface, &error) != pal_ok)
        fail_msg("%s; %s", error.text, error.remedy);
    palSurface_Free(&surface);
    return shape;
}

static inline palRigidShape shapeMesh(palShapeDef def)
{
    palSurface surface;
    palError error;
    if (palMakeShape(&def, &surface, &error) != pal_ok)
        fail_msg("%s; %s", error.text, error.remedy);
    return meshOf(surface);
}

static inline palRigidShape boxMesh(palVec3 size, int resolution)
{
    return shapeMesh((palShapeDef){.kind = pal_shapeBox, .size = size, .resolution = resolution});
}

static inline palRigidShape boxOf(palVec3 size)
{
    palRigidShape shape;
    assert_int_equal(palRigidShape_InitBox(&shape, size, NULL), pal_ok);
    return shape;
}

/// A closed profile in x > 0, z, clockwise, turned about z: a ring.
static inline palRigidShape ringOf(const palVec3* profile, int count, int around)
{
    palSurface surface = makeSurface(count * around, 2 * count * around);
    for (int i = 0; i < around; i++)
        for (int k = 0; k < count; k++)
        {
            double angle = 2.0 * PAL_PI * i / around;
            palVec3 p = profile[k];
            surface.vertices[count * i + k] = palMakeVec3(p.x * cos(angle), p.x * sin(angle), p.z);
            int a = count * i + k, b = count * i + (k + 1) % count;
            int c = count * ((i + 1) % around) + k,
                d = count * ((i + 1) % around) + (k + 1) % count;
            int* t = surface.triangles[2 * (count * i + k)];
            t[0] = a, t[1] = b, t[2] = d;
            t[3] = a, t[4] = d, t[5] = c;
        }
    return meshOf(surface);
}

/// A ring with a square section and `rows` rows of triangles along its bore.
static inline palRigidShape tubeOf(double inner, double outer, double height, int rows, int around)
{
    palVec3 profile[64];
    int count = 0;
    for (int i = 0; i <= rows; i++)
        profile[count++] = palMakeVec3(inner, 0, -0.5 * height + height * i / rows);
    profile[count++] = palMakeVec3(outer, 0, 0.5 * height);
    profile[count++] = palMakeVec3(outer, 0, -0.5 * height);
    return ringOf(profile, count, around);
}

static inline palRigidShape torusOf(double radius, double tube, int around)
{
    palVec3 profile[64];
    int count = around / 2;
    for (int i = 0; i < count; i++)
    {
        double angle = -2.0 * PAL_PI * i / count;
        profile[i] = palMakeVec3(radius + tube * cos(angle), 0, tube * sin(angle));
    }
    return ringOf(profile, count, around);
}

/// A slab with its top at z = 0, of n x n cells whose inner vertices and diagonals are random.
static inline palRigidShape floorOf(double size, double thickness, int n, uint64_t seed)
{
    palRandom random = palMakeRandom(seed);
    int side = n + 1, layer = side * side, t = 0;
    palSurface s = makeSurface(2 * layer, 4 * n * n + 8 * n);
    for (int i = 0; i < layer; i++)
    {
        int x = i % side, y = i / side;
        bool inner = x > 0 && x < n && y > 0 && y < n;
        double cell = size / n, shift = inner ? 0.3 * cell : 0.0;
        palVec3 p = {x * cell - 0.5 * size + palRandom_Range(&random, -shift, shift),
                     y * cell - 0.5 * size + palRandom_Range(&random, -shift, shift), 0.0};
        s.vertices[i] = p;
        s.vertices[layer + i] = palMakeVec3(p.x, p.y, -thickness);
    }
    for (int i = 0; i < n * n; i++)
    {
        int a = i % n + side * (i / n), q[4] = {a, a + 1, a + 1 + side, a + side};
        int turn = palRandom_Unit(&random) < 0.5 ? 0 : 1;
        for (int k = 0; k < 2; k++)
        {
            const int c[3] = {q[turn], q[(turn + 1 + k) % 4], q[(turn + 2 + k) % 4]};
            for (int m = 0; m < 3; m++)
            {
                s.triangles[t][m] = c[m];
                s.triangles[t + 1][m] = layer + c[2 - m];
            }
            t += 2;
        }
    }
    for (int i = 0; i < 4 * n; i++)
    {
        int k = i % n;
        int a = i / n == 0   ? k
                : i / n == 1 ? n + side * k
                : i / n == 2 ? layer - 1 - k
                             : side * (n - k);
        int b = i / n == 0 ? a + 1 : i / n == 1 ? a + side : i / n == 2 ? a - 1 : a - side;
        const int c[2][3] = {{a, layer + a, layer + b}, {a, layer + b, b}};
        memcpy(s.triangles[t], c, sizeof c);
        t += 2;
    }
    return meshOf(s);
}

static inline palPose poseOf(palVec3 x, palVec3 rotation)
{
    return (palPose){x, palMakeQuatRotationVector(rotation)};
}

enum
{
    foundMax = 512,
};

typedef struct Found
{
    int count;
    int left;
    palRigidContact contacts[foundMax];
} Found;

static inline Found findContacts(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                                 palPose poseB, double distance)
{
    Found found;
    found.count = palRigidMesh_Contacts(a, poseA, b, poseB, distance, NULL, foundMax,
                                        found.contacts, &found.left);
    for (int i = 0; i < found.count; i++)
    {
        const palRigidContact* c = &found.contacts[i];
        assert_true(palIsFinite(c->onA) && palIsFinite(c->onB));
        assert_float_equal(palLength(c->normal), 1.0, 1e-12);
        assert_float_equal(c->gap, palDot(c->normal, palSub(c->onA, c->onB)), 1e-15);
        assert_true(c->gap <= distance + 1e-12);
        for (int k = 0; k < i; k++)
            assert_true(found.contacts[k].key != c->key);
    }
    return found;
}

static inline double smallestGap(const Found* found)
{
    double least = INFINITY;
    for (int i = 0; i < found->count; i++)
        least = fmin(least, found->contacts[i].gap);
    return least;
}

static inline bool hasSameKeys(const Found* a, const Found* b)
{
    for (int i = 0; i < a->count; i++)
    {
        bool known = false;
        for (int k = 0; k < b->count && !known; k++)
            known = a->contacts[i].key == b->contacts[k].key;
        if (!known)
            return false;
    }
    return a->count == b->count;
}

static inline void printContacts(const Found* found)
{
    for (int i = 0; i < found->count; i++)
    {
        const palRigidContact* c = &found->contacts[i];
        print_message("%d:%u:%u gap %.3g um n %.3f %.3f %.3f at %.3f %.3f %.3f mm\n",
                      (int)(c->key >> 60), (unsigned)(c->key >> 30 & 0x3fffffff),
                      (unsigned)(c->key & 0x3fffffff), 1e6 * c->gap, c->normal.x, c->normal.y,
                      c->normal.z, 1e3 * c->onB.x, 1e3 * c->onB.y, 1e3 * c->onB.z);
    }
}

#endif
