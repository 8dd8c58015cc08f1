// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/random.h"
#include "solve/impact.h"

#include <lapacke.h>

enum
{
    bodiesMax = 6,
    rowsMax = 12,
    dofsMax = 6 * bodiesMax,
};

// A group of bodies that collide.
typedef struct group
{
    int bodyCount;
    int rows;
    double mass[bodiesMax];
    palMat3 inertia[bodiesMax];
    palInverseMass inverses[bodiesMax];
    palTwist velocities[bodiesMax];
    palPairRow J[rowsMax];
    int ends[rowsMax][2];
    double restitution[rowsMax];
    bool areIndependent; // no contact is near another one
} group;

typedef struct result
{
    palTwist velocities[bodiesMax];
    double p[rowsMax];
    palWrench momentum[bodiesMax];
    palImpactInfo info;
} result;

static palImpactWorkspace* makeWorkspace(void)
{
    palImpactWorkspace* workspace = NULL;
    assert_int_equal(palImpactWorkspace_Create(bodiesMax, rowsMax, &workspace, NULL), pal_ok);
    return workspace;
}

static palImpactProblem problemOf(const group* g)
{
    return (palImpactProblem){
        .bodyCount = g->bodyCount,
        .bodies = g->inverses,
        .rows = g->rows,
        .J = g->J,
        .ends = g->ends,
        .restitution = g->restitution,
    };
}

static result resolve(const group* g, palImpactSettings settings, palImpactWorkspace* workspace)
{
    result r;
    memcpy(r.velocities, g->velocities, sizeof r.velocities);
    const palImpactProblem problem = problemOf(g);
    palImpactProblem_Resolve(&problem, &settings, workspace, r.velocities, r.p, r.momentum,
                             &r.info);
    return r;
}

static double rateOf(const group* g, int row, const palTwist* velocities)
{
    double sum = 0.0;
    for (int side = 0; side < 2; side++)
        if (g->ends[row][side] >= 0)
        {
            const palTwist* u = &velocities[g->ends[row][side]];
            const palWrench* wrench = &g->J[row].wrench[side];
            sum += palDot(wrench->force, u->v) + palDot(wrench->torque, u->omega);
        }
    return sum;
}

static double energyOf(const group* g, const palTwist* velocities)
{
    double sum = 0.0;
    for (int i = 0; i < g->bodyCount; i++)
    {
        const palTwist* u = &velocities[i];
        sum += 0.5 * g->mass[i] * palLengthSquared(u->v) +
               0.5 * palDot(u->omega, palMat3Apply(g->inertia[i], u->omega));
    }
    return sum;
}

static double fastestOf(const group* g)
{
    double fastest = 0.0;
    for (int i = 0; i < g->rows; i++)
        fastest = fmax(fastest, fabs(rateOf(g, i, g->velocities)));
    return fastest;
}

//--------------------------------------------------------------------------------------------------
// Groups

static void addBody(group* g, double mass, palMat3 inertia, palTwist velocity)
{
    int i = g->bodyCount++;
    g->mass[i] = mass;
    g->inertia[i] = inertia;
    g->inverses[i].mass = 1.0 / mass;
    assert_true(palMat3Inverse(inertia, &g->inverses[i].inertia));
    g->velocities[i] = velocity;
}

static palMat3 diagonal(double x, double y, double z)
{
    return palMakeMat3Columns(palMakeVec3(x, 0, 0), palMakeVec3(0, y, 0), palMakeVec3(0, 0, z));
}

// arms: from the centres of mass to the contact; the normal pushes the first body.
static void addContact(group* g, int a, int b, const palVec3 arms[2], palVec3 n, double e)
{
    int row = g->rows++;
    g->ends[row][0] = a;
    g->ends[row][1] = b;
    g->J[row].wrench[0] = (palWrench){n, palCross(arms[0], n)};
    g->J[row].wrench[1] = (palWrench){palNeg(n), palNeg(palCross(arms[1], n))};
    g->restitution[row] = e;
}

static palVec3 randomVector(palRandom* random, double size, bool isPlanar)
{
    double x = size * palRandom_Normal(random), y = size * palRandom_Normal(random);
    return palMakeVec3(x, y, isPlanar ? 0.0 : size * palRandom_Normal(random));
}

static void addRandomBody(group* g, palRandom* random, bool isPlanar)
{
    double mass = pow(10.0, palRandom_Range(random, -2.0, 2.0));
    double size = palRandom_Range(random, 0.01, 0.1);
    palMat3 inertia = diagonal(0, 0, 0);
    for (int k = 0; k < 4; k++) // of four points of the body
    {
        palVec3 r = randomVector(random, size, false);
        double square = palLengthSquared(r);
        const double x[3] = {r.x, r.y, r.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                inertia.m[i][j] += 0.25 * mass * ((i == j ? square : 0.0) - x[i] * x[j]);
    }
    palTwist u = {randomVector(random, 0.3, isPlanar), randomVector(random, 3.0, false)};
    if (isPlanar)
        u.omega.x = u.omega.y = 0.0;
    addBody(g, mass, inertia, u);
    if (isPlanar)
        g->inverses[g->bodyCount - 1].inertia = diagonal(0, 0, 1.0 / inertia.m[2][2]);
}

// A contact near the last one: the same normal, 10⁻⁹ to 10⁻⁴ m beside it, or the same place.
static void addNearContact(group* g, palRandom* random, palVec3 arms[2], palVec3 n, double e,
                           bool isPlanar)
{
    double apart =
        palRandom_Below(random, 4) == 0 ? 0.0 : pow(10.0, palRandom_Range(random, -9.0, -4.0));
    palVec3 step = randomVector(random, apart, isPlanar);
    arms[0] = palAdd(arms[0], step);
    arms[1] = palAdd(arms[1], step);
    const int* ends = g->ends[g->rows - 1];
    addContact(g, ends[0], ends[1], arms, n, e);
    g->areIndependent = false;
}

// 1 to 6 bodies with 1 to 12 contacts, all of which approach.
static group randomGroup(palRandom* random, bool hasOneE)
{
    group g = {.areIndependent = true};
    bool isPlanar = palRandom_Below(random, 2) == 0;
    int bodies = 1 + palRandom_Below(random, bodiesMax),
        rows = 1 + palRandom_Below(random, rowsMax);
    while (g.bodyCount < bodies)
        addRandomBody(&g, random, isPlanar);
    const double special[3] = {0.0, 1.0, palRandom_Unit(random)};
    double e = special[palRandom_Below(random, 3)];
    palVec3 n = pal_zeroVec3, arms[2];
    while (g.rows < rows)
    {
        if (g.rows > 0 && palRandom_Below(random, 4) == 0)
        {
            addNearContact(&g, random, arms, n, hasOneE ? e : palRandom_Unit(random), isPlanar);
            continue;
        }
        int a = palRandom_Below(random, bodies), b = palRandom_Below(random, bodies + 1) - 1;
        n = palNormalize(randomVector(random, 1.0, isPlanar));
        for (int side = 0; side < 2; side++)
            arms[side] = randomVector(random, 0.05, isPlanar);
        addContact(&g, a, b == a ? -1 : b, arms, n, hasOneE ? e : palRandom_Unit(random));
        if (rateOf(&g, g.rows - 1, g.velocities) > 0.0)
        {
            g.rows--;
            n = palNeg(n);
            addContact(&g, a, b == a ? -1 : b, arms, n, g.restitution[g.rows]);
        }
    }
    for (int i = 0; i < g.bodyCount; i++)
        if (isPlanar)
            g.inertia[i] = diagonal(0, 0, g.inertia[i].m[2][2]);
    return g;
}

static int groupCount(void)
{
    return isLongRun() ? 100000 : 3000;
}

//--------------------------------------------------------------------------------------------------
// Properties of any group

static void energy_never_grows_and_is_kept_by_elastic_collisions(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    palRandom random = palMakeRandom(1);
    for (int i = 0; i < groupCount(); i++)
    {
        const group g = randomGroup(&random, true);
        palImpactSettings settings = palDefaultImpactSettings();
        settings.form = (palImpactForm)(i % 2);
        const result r = resolve(&g, settings, workspace);
        double before = energyOf(&g, g.velocities), after = energyOf(&g, r.velocities);
        ASSERT_BELOW(after, before * (1.0 + 1e-12));
        ASSERT_NEAR(r.info.energyBefore, before, 1e-12 * before);
        ASSERT_NEAR(r.info.energyAfter, after, 1e-12 * before);
        if (g.restitution[0] == 1.0 && r.info.rounds < settings.rounds)
            ASSERT_NEAR(after, before, 1e-12 * before);
        assert_true(r.info.isComplete);
    }
    palImpactWorkspace_Destroy(workspace);
}

static void the_paper_s_form_has_newton_s_restitution_at_every_contact(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    palRandom random = palMakeRandom(2);
    palImpactSettings settings = palDefaultImpactSettings();
    settings.form = pal_impactPaper;
    int groupsThatPull = 0;
    for (int i = 0; i < groupCount(); i++)
    {
        const group g = randomGroup(&random, true);
        const result r = resolve(&g, settings, workspace);
        double tolerance = (g.areIndependent ? 1e-10 : 1e-6) * fastestOf(&g);
        for (int k = 0; k < g.rows; k++)
            ASSERT_NEAR(rateOf(&g, k, r.velocities),
                        -g.restitution[k] * rateOf(&g, k, g.velocities), tolerance);
        groupsThatPull += r.info.pulling > 0;
    }
    assert_true(groupsThatPull > groupCount() / 3); // what the other form is for
    palImpactWorkspace_Destroy(workspace);
}

static void contacts_that_only_push_obey_newton_s_law(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    palRandom random = palMakeRandom(3);
    for (int i = 0; i < groupCount(); i++)
    {
        const group g = randomGroup(&random, true);
        const result r = resolve(&g, palDefaultImpactSettings(), workspace);
        double fastest = fastestOf(&g), given = 0.0;
        assert_int_equal(r.info.rounds, 1);
        for (int k = 0; k < g.rows; k++)
        {
            double u = rateOf(&g, k, r.velocities);
            double excess = u + g.restitution[k] * rateOf(&g, k, g.velocities);
            assert_true(r.p[k] >= 0.0);
            ASSERT_BELOW(-u, 1e-10 * fastest);
            ASSERT_BELOW(-excess, 1e-10 * fastest);
            if (r.p[k] > 0.0)
                ASSERT_NEAR(excess, 0.0, 1e-10 * fastest);
            given += 0.5 * r.p[k] * (u + rateOf(&g, k, g.velocities));
        }
        // The energy lost is the work of the impulses.
        double before = energyOf(&g, g.velocities);
        ASSERT_NEAR(energyOf(&g, r.velocities) - before, given, 1e-9 * before);
    }
    palImpactWorkspace_Destroy(workspace);
}

static void with_any_mixture_of_restitution_energy_never_grows_and_nothing_approaches(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    palRandom random = palMakeRandom(4);
    double least = 1.0;
    for (int i = 0; i < groupCount(); i++)
    {
        const group g = randomGroup(&random, false);
        palImpactSettings settings = palDefaultImpactSettings();
        settings.isInTurn = palRandom_Below(&random, 4) == 0;
        const result r = resolve(&g, settings, workspace);
        double before = energyOf(&g, g.velocities);
        ASSERT_BELOW(energyOf(&g, r.velocities), before * (1.0 + 1e-12));
        for (int k = 0; k < g.rows; k++)
        {
            assert_true(r.p[k] >= 0.0);
            ASSERT_BELOW(-rateOf(&g, k, r.velocities), 1.0001 * settings.approachSpeed);
        }
        assert_true(r.info.share >= 0.5 - 1e-12);
        settings.form = pal_impactPaper;
        const result paper = resolve(&g, settings, workspace);
        ASSERT_BELOW(energyOf(&g, paper.velocities), before * (1.0 + 1e-12));
        least = fmin(least, paper.info.share);
    }
    assert_true(least < 1.0); // energy would have grown
    palImpactWorkspace_Destroy(workspace);
}

static void the_momentum_given_is_that_of_the_impulses(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    palRandom random = palMakeRandom(5);
    for (int i = 0; i < 300; i++)
    {
        const group g = randomGroup(&random, true);
        const result r = resolve(&g, palDefaultImpactSettings(), workspace);
        for (int b = 0; b < g.bodyCount; b++)
        {
            palVec3 force = pal_zeroVec3, torque = pal_zeroVec3;
            double scale = 1e-12;
            for (int k = 0; k < g.rows; k++)
                for (int side = 0; side < 2; side++)
                    if (g.ends[k][side] == b)
                    {
                        force = palMulAdd(force, r.p[k], g.J[k].wrench[side].force);
                        torque = palMulAdd(torque, r.p[k], g.J[k].wrench[side].torque);
                        scale = fmax(scale, r.p[k]);
                    }
            bool isPlanar = g.inertia[b].m[0][0] == 0.0;
            palVec3 change = palScale(g.mass[b], palSub(r.velocities[b].v, g.velocities[b].v));
            ASSERT_NEAR(palDistance(r.momentum[b].force, change), 0.0, 1e-9 * scale);
            ASSERT_NEAR(palDistance(r.momentum[b].force, force), 0.0, 1e-7 * scale);
            ASSERT_NEAR(r.momentum[b].torque.z, torque.z, 1e-7 * scale);
            if (!isPlanar)
                ASSERT_NEAR(palDistance(r.momentum[b].torque, torque), 0.0, 1e-7 * scale);
        }
    }
    palImpactWorkspace_Destroy(workspace);
}

//--------------------------------------------------------------------------------------------------
// Oracles

// J M⁻¹ Jᵀ by the sparse solver's own code, apart from that of the resolver.
static void formW(const group* g, double* W)
{
    palContactBlock blocks[rowsMax];
    for (int i = 0; i < g->rows; i++)
        blocks[i] = (palContactBlock){.law = pal_lawUnilateral, .row = i, .size = 1};
    const double zeros[rowsMax] = {0.0};
    const palSparseProblem problem = {
        .h = 1.0,
        .bodyCount = g->bodyCount,
        .bodies = g->inverses,
        .rows = g->rows,
        .J = g->J,
        .gapFree = zeros,
        .softness = zeros,
        .blockCount = g->rows,
        .blocks = blocks,
        .ends = g->ends,
    };
    palSparseProblem_Dense(&problem, W);
}

// v₀ + M⁻¹ Jᵀ p, relative at a contact: v₀ + W p.
static double rateAfter(const group* g, const double* W, const double* p, int row)
{
    double sum = rateOf(g, row, g->velocities);
    for (int j = 0; j < g->rows; j++)
        sum += W[row * g->rows + j] * p[j];
    return sum;
}

static void the_paper_s_impulses_are_those_of_lapack_s_pseudo_inverse(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    palRandom random = palMakeRandom(6);
    palImpactSettings settings = palDefaultImpactSettings();
    settings.form = pal_impactPaper;
    int compared = 0;
    for (int i = 0; i < 3000; i++)
    {
        group g = randomGroup(&random, true);
        // The rank of J M⁻¹ Jᵀ is not clear where contacts are near each other.
        if (!g.areIndependent)
            continue;
        double W[rowsMax * rowsMax], copy[rowsMax * rowsMax], p[rowsMax], values[rowsMax];
        formW(&g, W);
        memcpy(copy, W, sizeof copy);
        for (int k = 0; k < g.rows; k++)
            p[k] = -(1.0 + g.restitution[k]) * rateOf(&g, k, g.velocities);
        int rank = 0;
        assert_int_equal(LAPACKE_dgelsd(LAPACK_ROW_MAJOR, g.rows, g.rows, 1, copy, g.rows, p, 1,
                                        values, 1e-12, &rank),
                         0);
        if (values[rank - 1] < 1e-7 * values[0])
            continue;
        const result r = resolve(&g, settings, workspace);
        assert_int_equal(r.info.rank, rank);
        double largest = 0.0;
        for (int k = 0; k < g.rows; k++)
            largest = fmax(largest, fabs(p[k]));
        for (int k = 0; k < g.rows; k++)
            ASSERT_NEAR(r.p[k], p[k], 1e-6 * largest);
        compared++;
    }
    assert_true(compared > 300);
    palImpactWorkspace_Destroy(workspace);
}

static void contacts_that_push_are_those_of_a_dense_complementarity_solver(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    palSolveWorkspace* dense = NULL;
    assert_int_equal(palSolveWorkspace_Create(rowsMax, rowsMax, &dense, NULL), pal_ok);
    palRandom random = palMakeRandom(7);
    palSolveSettings direct = palDefaultSolveSettings();
    direct.solver = pal_solverDirect;
    int compared = 0;
    for (int i = 0; i < 1000; i++)
    {
        group g = randomGroup(&random, true);
        double W[rowsMax * rowsMax], free[rowsMax], p[rowsMax] = {0.0};
        palContactBlock blocks[rowsMax];
        formW(&g, W);
        for (int k = 0; k < g.rows; k++)
        {
            free[k] = (1.0 + g.restitution[k]) * rateOf(&g, k, g.velocities);
            blocks[k] = (palContactBlock){.law = pal_lawUnilateral, .row = k, .size = 1};
        }
        const palContactProblem problem = {
            .rows = g.rows,
            .blockCount = g.rows,
            .stride = g.rows,
            .W = W,
            .gapFree = free,
            .blocks = blocks,
        };
        direct.tolerance = 1e-12;
        palSolveInfo info;
        palContactProblem_Solve(&problem, &direct, dense, p, &info);
        if ((info.flags & pal_solveConverged) == 0)
            continue;
        const result r = resolve(&g, palDefaultImpactSettings(), workspace);
        double fastest = fastestOf(&g);
        for (int k = 0; k < g.rows; k++)
            ASSERT_NEAR(rateOf(&g, k, r.velocities), rateAfter(&g, W, p, k), 1e-6 * fastest);
        compared++;
    }
    assert_true(compared > 800);
    palSolveWorkspace_Destroy(dense);
    palImpactWorkspace_Destroy(workspace);
}

//--------------------------------------------------------------------------------------------------
// Known cases

static const palVec3 pal_up = {0, 1, 0};
static const palVec3 noArms[2];

static void two_spheres_exchange_momentum_as_the_closed_form_says(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    const double m1 = 0.3, m2 = 1.1, v1 = -0.7, v2 = 0.2, e = 0.6;
    for (int form = 0; form < 2; form++)
    {
        group g = {0};
        addBody(&g, m1, diagonal(1, 1, 1), (palTwist){{0.1, v1, 0}, {1, 2, 3}});
        addBody(&g, m2, diagonal(1, 1, 1), (palTwist){{0, v2, 0.3}, pal_zeroVec3});
        addContact(&g, 0, 1, noArms, pal_up, e);
        palImpactSettings settings = palDefaultImpactSettings();
        settings.form = (palImpactForm)form;
        const result r = resolve(&g, settings, workspace);
        double p = (1.0 + e) * (v2 - v1) * m1 * m2 / (m1 + m2);
        ASSERT_NEAR(r.p[0], p, 1e-14);
        ASSERT_NEAR(r.velocities[0].v.y, v1 + p / m1, 1e-14);
        ASSERT_NEAR(r.velocities[1].v.y, v2 - p / m2, 1e-14);
        ASSERT_NEAR(r.velocities[0].v.x, 0.1, 0.0);
        ASSERT_NEAR(r.velocities[0].omega.y, 2.0, 0.0);
        ASSERT_NEAR(r.momentum[0].force.y, p, 1e-14);
    }
    palImpactWorkspace_Destroy(workspace);
}

// A body of 0.25 kg that meets a plane above or beside its centre: the braking pulse m v.
static void a_body_that_meets_a_plane_with_its_centre_gives_all_its_momentum(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    group g = {0};
    addBody(&g, 0.25, diagonal(1e-4, 1e-4, 1e-4), (palTwist){{0, -0.15, 0}, pal_zeroVec3});
    addContact(&g, 0, -1, noArms, pal_up, 0.0);
    const result r = resolve(&g, palDefaultImpactSettings(), workspace);
    ASSERT_NEAR(r.momentum[0].force.y, 0.25 * 0.15, 1e-16);
    ASSERT_NEAR(r.velocities[0].v.y, 0.0, 1e-16);
    palImpactWorkspace_Destroy(workspace);
}

// A rod of 0.2 m, falling level on supports at its ends, or on one of them.
static group makeRod(int supports, double e)
{
    group g = {0};
    double mass = 0.5, length = 0.2, turning = mass * length * length / 12.0;
    addBody(&g, mass, diagonal(turning, turning, turning), (palTwist){{0, -1, 0}, pal_zeroVec3});
    for (int i = 0; i < supports; i++)
    {
        const palVec3 arms[2] = {{i == 0 ? 0.1 : -0.1, 0, 0}, pal_zeroVec3};
        addContact(&g, 0, -1, arms, pal_up, e);
    }
    return g;
}

static void a_rod_on_two_supports_stops_and_on_one_turns(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    const group two = makeRod(2, 0.0), one = makeRod(1, 0.0);
    result r = resolve(&two, palDefaultImpactSettings(), workspace);
    ASSERT_NEAR(r.velocities[0].v.y, 0.0, 1e-15);
    ASSERT_NEAR(r.velocities[0].omega.z, 0.0, 1e-14);
    ASSERT_NEAR(r.p[0], 0.25, 1e-15);
    ASSERT_NEAR(r.p[1], 0.25, 1e-15);
    // p (1/m + r²/I) = v, with r²/I = 3/m.
    r = resolve(&one, palDefaultImpactSettings(), workspace);
    ASSERT_NEAR(r.p[0], 0.125, 1e-15);
    ASSERT_NEAR(r.velocities[0].v.y, -0.75, 1e-15);
    ASSERT_NEAR(r.velocities[0].omega.z, 7.5, 1e-13);
    palImpactWorkspace_Destroy(workspace);
}

static void a_point_that_flies_into_a_corner_comes_back_the_way_it_came(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    group g = {0};
    addBody(&g, 0.4, diagonal(1, 1, 1), (palTwist){{-0.3, -0.8, -0.2}, pal_zeroVec3});
    const palVec3 normals[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
        addContact(&g, 0, -1, noArms, normals[i], 1.0);
    const result r = resolve(&g, palDefaultImpactSettings(), workspace);
    ASSERT_NEAR(palDistance(r.velocities[0].v, palNeg(g.velocities[0].v)), 0.0, 1e-15);
    palImpactWorkspace_Destroy(workspace);
}

// Five balls in a row, the first of which comes with 1 m/s.
static group makeCradle(void)
{
    group g = {0};
    for (int i = 0; i < 5; i++)
        addBody(&g, 0.1, diagonal(1, 1, 1), (palTwist){{0, i == 0 ? 1.0 : 0.0, 0}, pal_zeroVec3});
    for (int i = 0; i < 4; i++)
        addContact(&g, i + 1, i, noArms, pal_up, 1.0);
    return g;
}

static void the_balls_of_a_cradle_move_together_or_the_last_alone_in_turn(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    const group g = makeCradle();
    for (int form = 0; form < 2; form++)
    {
        palImpactSettings settings = palDefaultImpactSettings();
        settings.form = (palImpactForm)form;
        result r = resolve(&g, settings, workspace);
        assert_int_equal(r.info.contacts, 4);
        for (int i = 0; i < 5; i++)
            ASSERT_NEAR(r.velocities[i].v.y, i == 0 ? -0.6 : 0.4, 1e-14);
        settings.isInTurn = true;
        r = resolve(&g, settings, workspace);
        assert_int_equal(r.info.rounds, 4);
        for (int i = 0; i < 5; i++)
            ASSERT_NEAR(r.velocities[i].v.y, i == 4 ? 1.0 : 0.0, 1e-14);
    }
    palImpactWorkspace_Destroy(workspace);
}

static void what_moves_by_itself_gives_its_speed(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    for (int form = 0; form < 2; form++)
    {
        group g = {0};
        addBody(&g, 0.2, diagonal(1, 1, 1), (palTwist){0});
        addContact(&g, 0, -1, noArms, pal_up, 0.5);
        palImpactProblem problem = problemOf(&g);
        const double given[1] = {-0.4}; // a wall that comes from below
        problem.given = given;
        palImpactSettings settings = palDefaultImpactSettings();
        settings.form = (palImpactForm)form;
        result r = {.velocities = {{{0}}}};
        palImpactProblem_Resolve(&problem, &settings, workspace, r.velocities, r.p, r.momentum,
                                 &r.info);
        ASSERT_NEAR(r.velocities[0].v.y, 0.6, 1e-15);
    }
    palImpactWorkspace_Destroy(workspace);
}

static void nothing_changes_where_nothing_approaches_or_a_value_is_no_number(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = makeWorkspace();
    group g = makeRod(2, 0.3);
    g.velocities[0].v.y = 0.1;
    result r = resolve(&g, palDefaultImpactSettings(), workspace);
    assert_int_equal(r.info.rounds, 0);
    ASSERT_NEAR(r.velocities[0].v.y, 0.1, 0.0);
    g = makeRod(2, 0.3);
    g.J[0].wrench[0].torque.x = NAN;
    r = resolve(&g, palDefaultImpactSettings(), workspace);
    assert_int_equal(r.info.rounds, 0);
    ASSERT_NEAR(r.velocities[0].v.y, -1.0, 0.0);
    ASSERT_NEAR(r.p[0], 0.0, 0.0);
    palImpactWorkspace_Destroy(workspace);
}

static void a_workspace_of_no_size_is_refused(void** state)
{
    (void)state;
    palImpactWorkspace* workspace = NULL;
    palError error = {0};
    assert_int_equal(palImpactWorkspace_Create(0, 3, &workspace, &error), pal_errorInput);
    assert_null(workspace);
    assert_non_null(strstr(error.text, "0 bodies"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_never_grows_and_is_kept_by_elastic_collisions),
        cmocka_unit_test(the_paper_s_form_has_newton_s_restitution_at_every_contact),
        cmocka_unit_test(contacts_that_only_push_obey_newton_s_law),
        cmocka_unit_test(with_any_mixture_of_restitution_energy_never_grows_and_nothing_approaches),
        cmocka_unit_test(the_momentum_given_is_that_of_the_impulses),
        cmocka_unit_test(the_paper_s_impulses_are_those_of_lapack_s_pseudo_inverse),
        cmocka_unit_test(contacts_that_push_are_those_of_a_dense_complementarity_solver),
        cmocka_unit_test(two_spheres_exchange_momentum_as_the_closed_form_says),
        cmocka_unit_test(a_body_that_meets_a_plane_with_its_centre_gives_all_its_momentum),
        cmocka_unit_test(a_rod_on_two_supports_stops_and_on_one_turns),
        cmocka_unit_test(a_point_that_flies_into_a_corner_comes_back_the_way_it_came),
        cmocka_unit_test(the_balls_of_a_cradle_move_together_or_the_last_alone_in_turn),
        cmocka_unit_test(what_moves_by_itself_gives_its_speed),
        cmocka_unit_test(nothing_changes_where_nothing_approaches_or_a_value_is_no_number),
        cmocka_unit_test(a_workspace_of_no_size_is_refused),
    };
    return RUN(tests);
}
