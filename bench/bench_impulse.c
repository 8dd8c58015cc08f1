// SPDX-License-Identifier: Apache-2.0
// Impulses of bodies that collide at many contacts at once; baseline: LAPACK's singular value
// decomposition of the same matrix, from which the paper's form follows.
#include "bench.h"

#include "base/error.h"
#include "base/random.h"
#include "math/quat.h"
#include "solve/impact.h"

#include <lapacke.h>

#include <stdio.h>
#include <string.h>

enum
{
    groupCount = 32,
    rounds = 16,
    dofs = 6, // of a body
};

// A heap of balls in contact with each other and with the world, which all approach.
typedef struct Group
{
    palInverseMass inverses[10];
    palTwist velocities[10];
    palPairRow J[30];
    int ends[30][2];
    double restitution[30];
    double B[30 * 10 * dofs]; // J M^-½
} Group;

typedef struct Collisions
{
    int bodies, rows;
    palImpactSettings settings;
    palImpactWorkspace* workspace;
    Group groups[groupCount];
} Collisions;

static palVec3 randomVector(palRandom* random, double size)
{
    double x = palRandom_Range(random, -size, size), y = palRandom_Range(random, -size, size);
    return palMakeVec3(x, y, palRandom_Range(random, -size, size));
}

static void addContact(Group* group, palRandom* random, int bodies, int row)
{
    palVec3 n = palNormalize(randomVector(random, 1.0));
    double rate = 0.0;
    group->ends[row][0] = palRandom_Below(random, bodies);
    group->ends[row][1] = palRandom_Below(random, bodies + 1) - 1;
    if (group->ends[row][1] == group->ends[row][0])
        group->ends[row][1] = -1;
    for (int side = 0; side < 2; side++)
    {
        palVec3 force = side == 0 ? n : palNeg(n);
        palWrench wrench = {force, palCross(randomVector(random, 0.03), force)};
        group->J[row].wrench[side] = wrench;
        int body = group->ends[row][side];
        if (body >= 0)
            rate += palDot(wrench.force, group->velocities[body].v) +
                    palDot(wrench.torque, group->velocities[body].omega);
    }
    for (int side = 0; rate > 0.0 && side < 2; side++)
    {
        palWrench* wrench = &group->J[row].wrench[side];
        *wrench = (palWrench){palNeg(wrench->force), palNeg(wrench->torque)};
    }
}

static void makeGroup(Collisions* collisions, Group* group, palRandom* random)
{
    const int n = collisions->bodies * dofs;
    memset(group, 0, sizeof *group);
    for (int i = 0; i < collisions->bodies; i++)
    {
        double mass = palRandom_Range(random, 0.05, 1.0), turning = 0.4 * mass * 0.03 * 0.03;
        group->inverses[i].mass = 1.0 / mass;
        for (int k = 0; k < 3; k++)
            group->inverses[i].inertia.m[k][k] = 1.0 / turning;
        group->velocities[i] = (palTwist){randomVector(random, 0.3), randomVector(random, 3.0)};
    }
    for (int row = 0; row < collisions->rows; row++)
    {
        addContact(group, random, collisions->bodies, row);
        for (int side = 0; side < 2; side++)
        {
            int body = group->ends[row][side];
            if (body < 0)
                continue;
            const palWrench* wrench = &group->J[row].wrench[side];
            const palInverseMass* inverse = &group->inverses[body];
            palVec3 f = palScale(sqrt(inverse->mass), wrench->force);
            palVec3 t = palScale(sqrt(inverse->inertia.m[0][0]), wrench->torque);
            memcpy(group->B + row * n + body * dofs, (palVec3[2]){f, t}, sizeof(palVec3[2]));
        }
    }
}

static void ours(void* context)
{
    Collisions* collisions = context;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < groupCount; i++)
        {
            const Group* group = &collisions->groups[i];
            palTwist velocities[10];
            double p[30];
            palWrench momentum[10];
            palImpactInfo info;
            memcpy(velocities, group->velocities, sizeof velocities);
            const palImpactProblem problem = {
                .bodyCount = collisions->bodies,
                .bodies = group->inverses,
                .rows = collisions->rows,
                .J = group->J,
                .ends = group->ends,
                .restitution = group->restitution,
            };
            palImpactProblem_Resolve(&problem, &collisions->settings, collisions->workspace,
                                     velocities, p, momentum, &info);
        }
}

static void lapack(void* context)
{
    Collisions* collisions = context;
    const int m = collisions->rows, n = collisions->bodies * dofs;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < groupCount; i++)
        {
            double B[30 * 10 * dofs], singular[30], U[30 * 30], V[30 * 10 * dofs], work[30];
            memcpy(B, collisions->groups[i].B, sizeof B);
            LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'S', 'S', m, n, B, n, singular, U, m, V, n, work);
        }
}

static int compare(const palBenchSettings* settings, const char* name, int bodies, int rows,
                   palImpactForm form, palJson* json)
{
    static Collisions collisions;
    palError error = {0};
    palRandom random = palMakeRandom(1);
    collisions.bodies = bodies;
    collisions.rows = rows;
    collisions.settings = palDefaultImpactSettings();
    collisions.settings.form = form;
    if (palImpactWorkspace_Create(bodies, rows, &collisions.workspace, &error) != pal_ok)
    {
        fprintf(stderr, "error: %s\n", error.text);
        return 1;
    }
    for (int i = 0; i < groupCount; i++)
        makeGroup(&collisions, &collisions.groups[i], &random);
    const palBenchCase benchCase = {
        .name = name,
        .baselineName = "LAPACK's SVD",
        .unit = "us",
        .operations = groupCount * rounds,
        .ours = ours,
        .baseline = lapack,
        .context = &collisions,
        .isThreadTime = true,
    };
    palBench_Compare(settings, &benchCase, json);
    palImpactWorkspace_Destroy(collisions.workspace);
    return 0;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    const struct
    {
        const char* name;
        int bodies, rows;
        palImpactForm form;
    } cases[] = {
        {"12 contacts of 6 bodies, push", 6, 12, pal_impactPush},
        {"12 contacts of 6 bodies, paper", 6, 12, pal_impactPaper},
        {"30 contacts of 10 bodies, push", 10, 30, pal_impactPush},
        {"30 contacts of 10 bodies, paper", 10, 30, pal_impactPaper},
    };
    int result = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && result == 0; i++)
        result =
            compare(settings, cases[i].name, cases[i].bodies, cases[i].rows, cases[i].form, json);
    return result;
}

const palBenchmark pal_benchImpulse = {
    .name = "impulse",
    .summary = "impulses of bodies that collide at many contacts at once, against LAPACK",
    .run = run,
};
