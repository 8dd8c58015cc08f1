// SPDX-License-Identifier: Apache-2.0
#include "solve/sample_boxes.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

static const palVec3 boxSize = {0.2, 0.1, 0.1}; // m
static const double boxMass = 2.0;              // kg
static const double gravity = 9.81;             // m/s²
static const double penetration = 1e-5;         // m

palSampleBoxesDef palDefaultSampleBoxesDef(void)
{
    return (palSampleBoxesDef){
        .seed = 1,
        .columns = 7,
        .depth = 1,
        .layers = 8,
        .points = 4,
        .massRatio = 1.0,
        .mu = 0.5,
        .frequency = 200.0,
        .damping = 5.0,
        .h = 1e-3,
    };
}

// The problem under construction. Without arrays it only counts boxes.
typedef struct palBoxesBuilder
{
    const palSampleBoxesDef* def;
    palRandom random;
    palStoredSparse* stored; // NULL: counts
    palVec3* centres;        // [bodyCount]
    palTwist* twists;        // [bodyCount]: of the free motion
    int bodyCount;
    int blockCount;
} palBoxesBuilder;

static double coordinate(palVec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static palVec3 axisVector(int axis)
{
    return palMakeVec3(axis == 0, axis == 1, axis == 2);
}

static palVec3 randomVector(palRandom* random, double deviation)
{
    double x = deviation * palRandom_Normal(random), y = deviation * palRandom_Normal(random);
    return palMakeVec3(x, y, deviation * palRandom_Normal(random));
}

static void addBox(palBoxesBuilder* builder, palVec3 centre, int layer)
{
    const palSampleBoxesDef* def = builder->def;
    int index = builder->bodyCount++;
    if (builder->stored == NULL)
        return;
    double spread = exp(def->disorder * palRandom_Normal(&builder->random));
    double mass = boxMass * spread * (layer % 2 ? def->massRatio : 1.0);
    double x = boxSize.x * boxSize.x, y = boxSize.y * boxSize.y, z = boxSize.z * boxSize.z;
    palInverseMass* body = &builder->stored->bodies[index];
    body->mass = 1.0 / mass;
    body->inertia.m[0][0] = 12.0 / (mass * (y + z));
    body->inertia.m[1][1] = 12.0 / (mass * (x + z));
    body->inertia.m[2][2] = 12.0 / (mass * (x + y));
    builder->centres[index] = centre;
    builder->twists[index].v = randomVector(&builder->random, def->speed);
    builder->twists[index].v.z -= gravity * def->h;
    builder->twists[index].omega = randomVector(&builder->random, def->speed / boxSize.x);
}

static void addBoxes(palBoxesBuilder* builder)
{
    const palSampleBoxesDef* def = builder->def;
    for (int layer = 0; layer < def->layers; layer++)
        for (int j = 0; j < def->depth - (def->depth > 1 ? layer % 2 : 0); j++)
            for (int i = 0; i < def->columns - layer % 2; i++)
            {
                double shift = 0.5 * (layer % 2);
                addBox(builder,
                       palMakeVec3((i + shift) * boxSize.x,
                                   (j + (def->depth > 1 ? shift : 0.0)) * boxSize.y,
                                   (layer + 0.5) * boxSize.z),
                       layer);
            }
}

static double effectiveMass(const palSparseProblem* problem, const palPairRow* row,
                            const int ends[2])
{
    double inverse = 0.0;
    for (int e = 0; e < 2; e++)
        if (ends[e] >= 0)
        {
            const palInverseMass* body = &problem->bodies[ends[e]];
            palVec3 t = row->wrench[e].torque;
            inverse += body->mass * palLengthSquared(row->wrench[e].force) +
                       palDot(t, palMat3Apply(body->inertia, t));
        }
    return 1.0 / inverse;
}

// One contact point: three rows. n is the push on the first body.
static void addContact(palBoxesBuilder* builder, int first, int second, palVec3 point, palVec3 n)
{
    const palSampleBoxesDef* def = builder->def;
    int index = builder->blockCount++;
    palStoredSparse* stored = builder->stored;
    if (stored == NULL)
        return;
    n = palNormalize(palAdd(n, randomVector(&builder->random, def->disorder)));
    point = palAdd(point, randomVector(&builder->random, def->disorder * boxSize.z));
    int row = 3 * index;
    const int ends[2] = {first, second};
    stored->ends[index][0] = first;
    stored->ends[index][1] = second;
    stored->blocks[index] =
        (palContactBlock){.law = pal_lawCone, .row = row, .size = 3, .mu = def->mu};
    palVec3 directions[3] = {n};
    palTangents(n, &directions[1], &directions[2]);
    for (int i = 0; i < 3; i++)
        for (int e = 0; e < 2; e++)
            if (ends[e] >= 0)
            {
                palVec3 force = e == 0 ? directions[i] : palNeg(directions[i]);
                palVec3 torque = palCross(palSub(point, builder->centres[ends[e]]), force);
                const palTwist* twist = &builder->twists[ends[e]];
                stored->J[row + i].wrench[e] = (palWrench){force, torque};
                stored->gapFree[row + i] +=
                    def->h * (palDot(force, twist->v) + palDot(torque, twist->omega));
            }
    double omega = 2.0 * PAL_PI * def->frequency;
    double mass = effectiveMass(&stored->problem, &stored->J[row], ends);
    double k = mass * omega * omega, c = 2.0 * def->damping * mass * omega;
    bool isSoft = def->frequency > 0.0;
    stored->softness[row] = isSoft ? def->h / (def->h * k + c) : 0.0;
    stored->gapFree[row] -= isSoft ? penetration * def->h * k / (def->h * k + c) : 0.0;
}

// The contact points of a rectangle with normal `axis`: corners, then middles of its edges.
static void addFace(palBoxesBuilder* builder, int first, int second, palVec3 centre, palVec3 half,
                    int axis)
{
    static const int corners[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                      {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < builder->def->points; i++)
    {
        palVec3 point = palMulAdd(centre, corners[i][0] * coordinate(half, u), axisVector(u));
        point = palMulAdd(point, corners[i][1] * coordinate(half, v), axisVector(v));
        addContact(builder, first, second, point, axisVector(axis));
    }
}

// The face that two boxes share, if any; the first is the one further along the axis.
static void addPair(palBoxesBuilder* builder, int a, int b)
{
    palVec3 apart = palSub(builder->centres[b], builder->centres[a]);
    for (int axis = 0; axis < 3; axis++)
    {
        double half[3], centre[3];
        bool touches = true;
        for (int k = 0; k < 3; k++)
        {
            double size = coordinate(boxSize, k), d = coordinate(apart, k);
            half[k] = 0.5 * (size - fabs(d));
            centre[k] = coordinate(builder->centres[a], k) + 0.5 * d;
            touches &= k == axis ? fabs(fabs(d) - size) < 1e-6 : half[k] > 1e-6;
        }
        if (!touches)
            continue;
        bool ahead = coordinate(apart, axis) > 0.0;
        addFace(builder, ahead ? b : a, ahead ? a : b, palMakeVec3(centre[0], centre[1], centre[2]),
                palMakeVec3(half[0], half[1], half[2]), axis);
    }
}

static void addContacts(palBoxesBuilder* builder)
{
    for (int b = 0; b < builder->bodyCount; b++)
    {
        if (builder->centres[b].z < boxSize.z)
        {
            palVec3 foot = builder->centres[b];
            foot.z = 0.0;
            addFace(builder, b, -1, foot, palScale(0.5, boxSize), 2);
        }
        for (int a = 0; a < b; a++)
            addPair(builder, a, b);
    }
}

palResult palSampleBoxes(const palSampleBoxesDef* def, palStoredSparse* stored, palError* error)
{
    palBoxesBuilder builder = {.def = def, .random = palMakeRandom(def->seed)};
    addBoxes(&builder);
    // No box touches more than twelve others and the floor.
    int bodyCount = builder.bodyCount, blocksMax = 7 * def->points * bodyCount;
    palResult result = palStoredSparse_Init(stored, bodyCount, 3 * blocksMax, blocksMax, error);
    if (result != pal_ok)
        return result;
    builder.bodyCount = 0;
    builder.stored = stored;
    builder.centres = calloc((size_t)bodyCount + 1, sizeof *builder.centres);
    builder.twists = calloc((size_t)bodyCount + 1, sizeof *builder.twists);
    if (builder.centres != NULL && builder.twists != NULL)
    {
        addBoxes(&builder);
        addContacts(&builder);
    }
    else
        result = pal_errorMemory;
    stored->problem.h = def->h;
    stored->problem.blockCount = builder.blockCount;
    stored->problem.rows = 3 * builder.blockCount;
    free(builder.centres);
    free(builder.twists);
    return result;
}
