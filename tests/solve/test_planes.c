// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/random.h"
#include "solve/problem_copy.h"

static const double w = 5e-4; // m/N, of a proxy of 1 g on a coupling of 1000 N/m

// The proxy's own compliance, or that plus a surface that gives way.
static palMat3 randomCompliance(palRandom* random)
{
    palMat3 W = palMakeMat3Scale(w);
    if (palRandom_Below(random, 2) == 0)
        return W;
    for (int i = 0; i < 3; i++)
    {
        palVec3 v = palMakeVec3(palRandom_Normal(random), palRandom_Normal(random),
                                palRandom_Normal(random));
        W = palMat3MulAdd(W, w, palOuter(v, v));
    }
    return W;
}

static palVec3 randomUnit(palRandom* random)
{
    return palNormalize(
        palMakeVec3(palRandom_Normal(random), palRandom_Normal(random), palRandom_Normal(random)));
}

// Planes about a point near the origin, all with `inside` on their free side.
static int randomPlanes(palRandom* random, int count, palPlane* planes)
{
    for (int i = 0; i < count; i++)
    {
        palVec3 n = randomUnit(random);
        planes[i] = (palPlane){n, -palRandom_Range(random, 0.0, 1e-3), 0.0};
    }
    return count;
}

// The laws, from their definition: no gap negative, no force pulls, no force across a gap, and the
// forces move the goal to y.
static void checkLaws(const palPlane* planes, int count, palVec3 goal, const palMat3* W,
                      const palPlanesResult* result)
{
    palVec3 y = goal;
    for (int i = 0; i < result->count; i++)
    {
        const palPlane* plane = &planes[result->binding[i]];
        assert_true(result->lambda[i] >= 0.0);
        ASSERT_NEAR(palDot(plane->n, result->y) - plane->d, 0.0, 1e-13);
        y = palMulAdd(y, result->lambda[i], palMat3Apply(*W, plane->n));
    }
    ASSERT_BELOW(palDistance(y, result->y), 1e-12);
    for (int i = 0; i < count; i++)
        ASSERT_BELOW(planes[i].d - palDot(planes[i].n, result->y), 1e-13);
}

static void frictionless_problems_obey_signorini(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    int counts[4] = {0};
    for (int trial = 0; trial < 20000; trial++)
    {
        palPlane planes[pal_planesMax];
        int count = randomPlanes(&random, 1 + palRandom_Below(&random, 6), planes);
        palVec3 goal = palScale(palRandom_Range(&random, 0.0, 5e-3), randomUnit(&random));
        palMat3 W = randomCompliance(&random);
        palPlanesResult result = palSolvePlanes(planes, count, pal_zeroVec3, goal, &W, 1e-13);
        assert_true(result.solved);
        checkLaws(planes, count, goal, &W, &result);
        counts[result.count]++;
    }
    for (int i = 0; i < 4; i++)
        assert_true(counts[i] > 100); // free, on a plane, in a crease, in a corner
}

// Distance in the metric of W⁻¹, times √w.
static double farness(palMat3 W, palVec3 y, palVec3 goal)
{
    palMat3 stiffness;
    assert_true(palMat3Inverse(W, &stiffness));
    palVec3 d = palSub(y, goal);
    return sqrt(w * palDot(d, palMat3Apply(stiffness, d)));
}

static void it_is_the_nearest_feasible_point(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    for (int trial = 0; trial < 500; trial++)
    {
        palPlane planes[pal_planesMax];
        int count = randomPlanes(&random, 4, planes);
        palVec3 goal = palScale(3e-3, randomUnit(&random));
        palMat3 W = randomCompliance(&random);
        palPlanesResult result = palSolvePlanes(planes, count, pal_zeroVec3, goal, &W, 1e-13);
        double best = farness(W, result.y, goal);
        for (int k = 0; k < 200; k++)
        {
            palVec3 other =
                palMulAdd(result.y, palRandom_Range(&random, 0.0, 2e-3), randomUnit(&random));
            bool feasible = true;
            for (int i = 0; i < count; i++)
                feasible &= palDot(planes[i].n, other) >= planes[i].d;
            if (feasible)
                ASSERT_BELOW(best, farness(W, other, goal) * (1.0 + 1e-9) + 1e-12);
        }
    }
}

static void shallow_creases_are_solved_at_once(void** state)
{
    (void)state;
    const palMat3 W = palMakeMat3Scale(w);
    // Two planes that rise from the crease x = 0 by 0.01 degrees to either side.
    for (double degrees = 10.0; degrees > 1e-3; degrees *= 0.1)
    {
        double angle = degrees * PAL_PI / 180.0;
        palPlane planes[2] = {{{sin(angle), cos(angle), 0.0}, 0.0, 0.0},
                              {{-sin(angle), cos(angle), 0.0}, 0.0, 0.0}};
        palVec3 goal = {1e-9, -1e-3, 2e-3};
        palPlanesResult result = palSolvePlanes(planes, 2, pal_zeroVec3, goal, &W, 1e-13);
        assert_true(result.solved);
        assert_int_equal(result.count, 2);
        ASSERT_BELOW(palDistance(result.y, palMakeVec3(0.0, 0.0, 2e-3)), 1e-12);
    }
}

static void a_point_sticks_within_the_cone_and_slides_on_it(void** state)
{
    (void)state;
    const palMat3 W = palMakeMat3Scale(w);
    const double friction = 0.4;
    palPlane plane = {{0.0, 0.0, 1.0}, 0.0, friction};
    palRandom random = palMakeRandom(3);
    for (int trial = 0; trial < 2000; trial++)
    {
        palVec3 from = {palRandom_Range(&random, -1e-3, 1e-3),
                        palRandom_Range(&random, -1e-3, 1e-3), 0.0};
        palVec3 goal = palAdd(from, palMakeVec3(palRandom_Range(&random, -1e-3, 1e-3),
                                                palRandom_Range(&random, -1e-3, 1e-3),
                                                -palRandom_Range(&random, 1e-5, 2e-3)));
        palPlanesResult result = palSolvePlanes(&plane, 1, from, goal, &W, 1e-13);
        // Force of the surface on the point: normal and tangential.
        palVec3 force = palScale(1.0 / w, palSub(result.y, goal));
        palVec3 sliding = palSub(result.y, from);
        double tangential = hypot(force.x, force.y);
        ASSERT_NEAR(result.y.z, 0.0, 1e-15);
        ASSERT_BELOW(tangential, friction * force.z * (1.0 + 1e-12));
        if (palLength(sliding) < 1e-12)
            continue; // sticks, anywhere within the cone
        ASSERT_NEAR(tangential, friction * force.z, 1e-12 / w);
        ASSERT_NEAR(palDot(palNormalize(force), palNormalize(sliding)),
                    -friction / hypot(1.0, friction), 1e-9); // against the motion
    }
}

static void a_crease_holds_along_itself_by_both_normal_forces(void** state)
{
    (void)state;
    const palMat3 W = palMakeMat3Scale(w);
    // A right-angled groove along x; the goal pulls along it and down into both sides.
    palPlane planes[2] = {{{0.0, 1.0, 0.0}, 0.0, 0.2}, {{0.0, 0.0, 1.0}, 0.0, 0.1}};
    for (int i = 0; i < 2; i++)
    {
        double pull = i == 0 ? 0.3e-3 : 1e-3; // below and above 0.2 · 1 mm + 0.1 · 2 mm = 0.4 mm
        palPlanesResult result =
            palSolvePlanes(planes, 2, pal_zeroVec3, palMakeVec3(pull, -1e-3, -2e-3), &W, 1e-13);
        assert_true(result.solved);
        assert_int_equal(result.count, 2);
        ASSERT_NEAR(result.y.x, fmax(0.0, pull - 0.4e-3), 1e-15);
        ASSERT_NEAR(hypot(result.y.y, result.y.z), 0.0, 1e-15);
    }
}

static void what_cannot_be_solved_is_told_with_its_violation(void** state)
{
    (void)state;
    const palMat3 W = palMakeMat3Scale(w);
    // Two planes that face away from each other leave no room.
    palPlane planes[2] = {{{0.0, 0.0, 1.0}, 1e-3, 0.0}, {{0.0, 0.0, -1.0}, 1e-3, 0.0}};
    palPlanesResult result = palSolvePlanes(planes, 2, pal_zeroVec3, pal_zeroVec3, &W, 1e-13);
    assert_false(result.solved);
    ASSERT_BELOW(1e-3, result.violation);
}

// Planes of two bodies that yield: each plane's force moves its own body, and the laws hold for
// both.
static void planes_of_several_bodies_hold_each_body(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(21);
    for (int trial = 0; trial < 500; trial++)
    {
        palPlaneBody bodies[3];
        palPlaneBodies all = {.count = 3, .w = 4e-4, .bodies = bodies};
        palPlane planes[3];
        int owners[3];
        palVec3 goal = {0.0, 0.0, -1e-3};
        for (int b = 0; b < 3; b++)
        {
            palMat3 W = palMakeMat3Scale(b == 2 ? 0.0 : palRandom_Range(&random, 1e-5, 1e-3));
            palPlaneBody_Set(&bodies[b], all.w, &W);
            bodies[b].x = palMakeVec3(0.0, 0.0, 2e-3);
            palVec3 n = {palRandom_Range(&random, -0.6, 0.6), palRandom_Range(&random, -0.6, 0.6),
                         1.0};
            double mu = trial % 2 == 0 ? 0.0 : palRandom_Range(&random, 0.0, 0.8);
            planes[b] = (palPlane){palNormalize(n), 0.0, mu};
            owners[b] = b;
        }
        palPlanesForces result = palSolvePlanesOfBodies(planes, owners, 3, goal, &all, 1e-13);
        assert_true(trial % 2 == 1 || result.planes.solved);
        ASSERT_BELOW(result.planes.violation, trial % 2 == 0 ? 1e-12 : 1e-6);
        for (int i = 0; i < result.planes.count; i++)
        {
            int b = owners[result.planes.binding[i]];
            palVec3 y = palPlaneBodies_Place(&all, goal, &result, b);
            assert_true(result.planes.lambda[i] >= 0.0);
            ASSERT_BELOW(fabs(palDot(planes[b].n, y)), trial % 2 == 0 ? 1e-12 : 1e-6);
        }
        // The forces are those that put each body's place where it is.
        palVec3 forces[3];
        for (int i = 0; i < result.bodyCount; i++)
            bodies[result.bodies[i]].x =
                palPlaneBodies_Place(&all, goal, &result, result.bodies[i]);
        assert_true(result.bodyCount > 0);
        assert_true(palPlaneBodies_Forces(&all, goal, result.bodies, result.bodyCount, forces));
        for (int i = 0; i < result.bodyCount; i++)
            ASSERT_BELOW(palDistance(forces[i], result.forces[i]), 1e-6);
    }
}

// Equal planes of two bodies side by side share the load as their stiffnesses do.
static void a_seam_shares_the_load(void** state)
{
    (void)state;
    palPlaneBody bodies[2];
    palPlaneBodies all = {.count = 2, .w = 4e-4, .bodies = bodies};
    const palPlane planes[2] = {{{0, 0, 1}, 0.0, 0.3}, {{0, 0, 1}, 0.0, 0.3}};
    const int owners[2] = {0, 1};
    for (int b = 0; b < 2; b++)
    {
        palMat3 W = palMakeMat3Scale(b == 0 ? 2e-4 : 6e-4);
        palPlaneBody_Set(&bodies[b], all.w, &W);
        bodies[b].x = pal_zeroVec3;
    }
    palPlanesForces result =
        palSolvePlanesOfBodies(planes, owners, 2, palMakeVec3(0, 0, -1e-3), &all, 1e-13);
    assert_true(result.planes.solved);
    assert_int_equal(result.planes.count, 2);
    // w (f1 + f2) + W1 f1 = w (f1 + f2) + W2 f2 = 1 mm
    double f1 = 1e-3 / (4e-4 * (1.0 + 2e-4 / 6e-4) + 2e-4);
    ASSERT_NEAR(result.planes.lambda[0], f1, 1e-9);
    ASSERT_NEAR(result.planes.lambda[1], f1 / 3.0, 1e-9);
}

// What is dumped of the problem of several bodies, some of them tied, has the same solution.
static void the_stored_problem_of_several_bodies_has_the_same_forces(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    palProblemCopy copy;
    palSolveWorkspace* workspace;
    assert_int_equal(palProblemCopy_Init(&copy, 3 * pal_planesMax, NULL), pal_ok);
    assert_int_equal(palSolveWorkspace_Create(3 * pal_planesMax, true, &workspace, NULL), pal_ok);
    for (int trial = 0; trial < 200; trial++)
    {
        const double tie = trial % 2 == 0 ? 0.0 : 1e-4; // m/N
        palPlaneBody bodies[2];
        palMat3 cross[4] = {[1] = palMakeMat3Scale(tie), [2] = palMakeMat3Scale(tie)};
        palPlaneBodies all = {.count = 2, .w = 4e-4, .bodies = bodies, .cross = cross};
        palPlane planes[2];
        const int owners[2] = {0, 1};
        palVec3 goal = {0.0, 0.0, -1e-3};
        for (int b = 0; b < 2; b++)
        {
            palMat3 W = palMakeMat3Scale(palRandom_Range(&random, 2e-4, 1e-3));
            double lean = (b == 0 ? 1.0 : -1.0) * palRandom_Range(&random, 0.1, 0.6);
            palPlaneBody_Set(&bodies[b], all.w, &W);
            bodies[b].x = palMakeVec3(0.0, 0.0, 1e-4);
            planes[b] = (palPlane){palNormalize(palMakeVec3(lean, 0.0, 1.0)), 0.0, 0.0};
        }
        palPlanesForces result = palSolvePlanesOfBodies(planes, owners, 2, goal, &all, 1e-13);
        palProblemCopy_TakePlanes(&copy, planes, owners, 2, goal, &all, &result);
        assert_true(result.planes.solved);
        assert_int_equal(result.planes.count, 2);
        assert_int_equal(copy.problem.rows, 2);

        double lambda[2] = {0.0, 0.0};
        palSolveSettings settings = palDefaultSolveSettings();
        settings.tolerance = 1e-12;
        settings.maxSweeps = 10000;
        palSolveInfo info;
        palContactProblem_Solve(&copy.problem, &settings, workspace, lambda, &info);
        for (int i = 0; i < 2; i++)
        {
            ASSERT_NEAR(lambda[result.planes.binding[i]], result.planes.lambda[i], 1e-7);
            ASSERT_NEAR(copy.lambda[i], lambda[i], 1e-7);
        }
    }
    palSolveWorkspace_Destroy(workspace);
    palProblemCopy_Free(&copy);
}

// The closed form and the general solve are two ways to the same forces.
static void one_plane_that_yields_along_its_normal_has_the_forces_of_the_general_problem(
    void** state)
{
    (void)state;
    palRandom random = palMakeRandom(6);
    int counts[3] = {0}; // free, sliding, sticking
    for (int trial = 0; trial < 5000; trial++)
    {
        palPlane plane = {randomUnit(&random), 1e-4 * palRandom_Normal(&random),
                          palRandom_Range(&random, 0.0, 1.0)};
        double s = trial % 3 == 0 ? 0.0 : palRandom_Range(&random, 0.0, 3e-3); // m/N
        palVec3 goal = palScale(palRandom_Range(&random, 0.0, 2e-3), randomUnit(&random));
        palVec3 slide = palScale(1e-3 * palRandom_Normal(&random), randomUnit(&random));
        palVec3 from = palAdd(goal, slide);
        from = palMulAdd(from, fmax(0.0, plane.d - palDot(plane.n, from)), plane.n);
        palMat3 W = palMat3MulAdd(palMakeMat3Scale(w), s, palOuter(plane.n, plane.n)), stiffness;
        assert_true(palMat3Inverse(W, &stiffness));
        palPlanesResult general = palSolvePlanes(&plane, 1, from, goal, &W, 1e-13);
        palVec3 expected = palMat3Apply(stiffness, palSub(general.y, goal)), force;
        palPlanesResult result = palSolveYieldingPlane(&plane, from, goal, w, s, &force);
        assert_true(result.solved);
        assert_int_equal(result.count, general.count);
        ASSERT_BELOW(palDistance(result.y, general.y), 1e-12);
        ASSERT_BELOW(palDistance(force, expected), 1e-9);
        if (result.count > 0)
            ASSERT_NEAR(result.lambda[0], general.lambda[0], 1e-9);
        palVec3 moved = palSub(result.y, from);
        moved = palMulAdd(moved, -palDot(plane.n, moved), plane.n);
        counts[result.count == 0 ? 0 : palLength(moved) > 1e-12 ? 1 : 2]++;
    }
    for (int i = 0; i < 3; i++)
        assert_true(counts[i] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frictionless_problems_obey_signorini),
        cmocka_unit_test(it_is_the_nearest_feasible_point),
        cmocka_unit_test(shallow_creases_are_solved_at_once),
        cmocka_unit_test(a_point_sticks_within_the_cone_and_slides_on_it),
        cmocka_unit_test(a_crease_holds_along_itself_by_both_normal_forces),
        cmocka_unit_test(what_cannot_be_solved_is_told_with_its_violation),
        cmocka_unit_test(
            one_plane_that_yields_along_its_normal_has_the_forces_of_the_general_problem),
        cmocka_unit_test(planes_of_several_bodies_hold_each_body),
        cmocka_unit_test(a_seam_shares_the_load),
        cmocka_unit_test(the_stored_problem_of_several_bodies_has_the_same_forces),
    };
    return RUN(tests);
}
