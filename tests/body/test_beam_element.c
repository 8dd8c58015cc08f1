// SPDX-License-Identifier: Apache-2.0
// One element and one step's linearisation, against finite differences and against a dense system.
#include "beam_fixture.h"

#include <lapacke.h>

enum
{
    elements = 6,
    nodes = elements + 1,
    size = 6 * nodes,
};

static palBeamSection box;

// A curved wire of a rectangular section, bent, twisted and turned at random.
static void makeCrooked(wire* w, palRandom* random, palBeamDef def)
{
    box = palMakeBoxSection(2e-3, 1e-3, 0.3);
    *w = (wire){0};
    for (int i = 0; i < nodes; i++)
        w->points[i] = palMakeVec3(0.02 * i, 1e-3 * i * i, 4e-4 * i * i);
    def.nodeCount = nodes;
    def.points = w->points;
    def.sections = &box;
    wireMake(w, def);
    palQuat turn = palMakeQuatRotationVector(wireRandomVector(random, 2.0));
    for (int i = 0; i < nodes; i++)
    {
        palVec3 bent = palAdd(w->state.x[i], wireRandomVector(random, 2e-3));
        palQuat spun = palMakeQuatRotationVector(wireRandomVector(random, 0.3));
        w->state.x[i] = palRotate(turn, bent);
        w->state.q[i] = palMulQuat(palMulQuat(turn, spun), w->state.q[i]);
        w->state.v[i] = wireRandomVector(random, 0.1);
        w->state.w[i] = wireRandomVector(random, 1.0);
    }
}

// Moves coordinate c of a state by amount.
static void nudge(palBeamState* state, int c, double amount)
{
    int node = c / 6;
    palVec3 axis = palMakeVec3(c % 3 == 0, c % 3 == 1, c % 3 == 2);
    if (c % 6 < 3)
        state->x[node] = palMulAdd(state->x[node], amount, axis);
    else
        state->q[node] =
            palMulQuat(palMakeQuatRotationVector(palScale(amount, axis)), state->q[node]);
}

static double largestForce(const wire* w)
{
    double most = 0.0;
    for (int r = 0; r < 6 * w->model->nodeCount; r++)
        most = fmax(most, fabs(w->work.force[r]));
    return most;
}

static void forces_are_the_gradient_of_the_energy(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    wire w;
    makeCrooked(&w, &random, palDefaultBeamDef());
    memset(w.state.v, 0, nodes * sizeof *w.state.v);
    memset(w.state.w, 0, nodes * sizeof *w.state.w);
    palBeam_Linearise(w.model, &w.state, &w.work);
    double scale = largestForce(&w);
    const double step = 1e-6;
    for (int c = 0; c < size; c++)
    {
        nudge(&w.state, c, step);
        double ahead = palBeam_Energy(w.model, &w.state);
        nudge(&w.state, c, -2.0 * step);
        double behind = palBeam_Energy(w.model, &w.state);
        nudge(&w.state, c, step);
        ASSERT_NEAR(w.work.force[c], -(ahead - behind) / (2.0 * step), 1e-6 * scale);
    }
    wireFree(&w);
}

static void forces_have_no_resultant_and_no_moment(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    wire w;
    makeCrooked(&w, &random, palDefaultBeamDef());
    memset(w.state.w, 0, nodes * sizeof *w.state.w);
    palBeam_Linearise(w.model, &w.state, &w.work);
    palVec3 force = pal_zeroVec3, moment = pal_zeroVec3;
    for (int i = 0; i < nodes; i++)
    {
        const double* f = w.work.force + 6 * i;
        palVec3 push = palMakeVec3(f[0], f[1], f[2]);
        force = palAdd(force, push);
        moment =
            palAdd(moment, palAdd(palCross(w.state.x[i], push), palMakeVec3(f[3], f[4], f[5])));
    }
    ASSERT_BELOW(palLength(force), 1e-13 * largestForce(&w));
    ASSERT_BELOW(palLength(moment), 1e-13 * largestForce(&w));
    wireFree(&w);
}

static void a_turned_wire_has_no_force(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    wire w;
    makeCrooked(&w, &random, palDefaultBeamDef());
    memset(w.state.v, 0, nodes * sizeof *w.state.v);
    memset(w.state.w, 0, nodes * sizeof *w.state.w);
    for (int trial = 0; trial < 20; trial++)
    {
        palQuat turn = palMakeQuatRotationVector(wireRandomVector(&random, 3.0));
        for (int i = 0; i < nodes; i++)
        {
            w.state.x[i] = palRotate(turn, w.model->restX[i]);
            w.state.q[i] = palMulQuat(turn, w.model->restQ[i]);
        }
        palBeam_Linearise(w.model, &w.state, &w.work);
        ASSERT_BELOW(largestForce(&w), 1e-12 * 200e9 * box.area);
        ASSERT_BELOW(palBeam_Energy(w.model, &w.state), 1e-24 * 200e9 * box.area);
    }
    wireFree(&w);
}

static void expand(const palBlockTridiagonal* A, double dense[size][size])
{
    memset(dense, 0, size * sizeof *dense);
    for (int i = 0; i < nodes; i++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
            {
                dense[6 * i + r][6 * i + c] = A->diagonal[i].m[r][c];
                if (i + 1 == nodes)
                    continue;
                dense[6 * i + 6 + r][6 * i + c] = A->lower[i].m[r][c];
                dense[6 * i + c][6 * i + 6 + r] = A->lower[i].m[r][c];
            }
}

// At rest, where nothing is stressed, K is the derivative of the force; it is symmetric and has six
// rigid motions and no other. Bent, it is still positive semi-definite.
static void stiffness_is_the_derivative_at_rest(void** state)
{
    (void)state;
    static double K[size][size], values[size];
    palRandom random = palMakeRandom(4);
    wire w;
    makeCrooked(&w, &random, palDefaultBeamDef());
    palBeam_Linearise(w.model, &w.state, &w.work);
    expand(&w.work.K, K);
    LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', size, K[0], size, values);
    ASSERT_BELOW(-values[0], 1e-12 * values[size - 1]);

    palBeamState_Free(&w.state);
    assert_int_equal(palBeamState_Init(&w.state, w.model, NULL), pal_ok);
    palBeam_Linearise(w.model, &w.state, &w.work);
    expand(&w.work.K, K);
    const double step = 1e-7;
    for (int c = 0; c < size; c++)
    {
        static double ahead[size];
        nudge(&w.state, c, step);
        palBeam_Linearise(w.model, &w.state, &w.work);
        memcpy(ahead, w.work.force, sizeof ahead);
        nudge(&w.state, c, -2.0 * step);
        palBeam_Linearise(w.model, &w.state, &w.work);
        for (int r = 0; r < size; r++)
            ASSERT_NEAR((w.work.force[r] - ahead[r]) / (2.0 * step), K[r][c],
                        1e-6 * sqrt(K[r][r] * K[c][c]));
        nudge(&w.state, c, step);
    }
    LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', size, K[0], size, values);
    ASSERT_BELOW(fabs(values[5]), 1e-12 * values[size - 1]);
    ASSERT_BELOW(1e-9 * values[size - 1], values[6]);
    wireFree(&w);
}

static const palBeamPlace places[] = {
    {.element = 0, .s = 0.0, .offset = {0.0, 1e-3, 5e-4}},
    {.element = 2, .s = 0.3, .offset = {0.0, -1e-3, 5e-4}},
    {.element = 4, .s = 0.8, .offset = {0.0, 0.0, 0.0}},
    {.element = 5, .s = 1.0, .offset = {0.0, 1e-3, -5e-4}},
};

static void rows_are_the_derivative_of_points(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    wire w;
    makeCrooked(&w, &random, palDefaultBeamDef());
    palBeam_Linearise(w.model, &w.state, &w.work);
    const double step = 1e-6;
    for (int p = 0; p < 4; p++)
    {
        palVec3 n = palNormalize(wireRandomVector(&random, 1.0));
        palBeamRow point = palBeam_PointRow(w.model, &w.work, places[p], n);
        palBeamRow turning = palBeam_RotationRow(w.model, &w.work, places[p], n);
        for (int c = 0; c < size; c++)
        {
            nudge(&w.state, c, step);
            palVec3 ahead = palBeam_Point(w.model, &w.state, places[p]);
            palQuat turned = palBeam_Rotation(w.model, &w.state, places[p]);
            nudge(&w.state, c, -2.0 * step);
            palVec3 moved = palSub(ahead, palBeam_Point(w.model, &w.state, places[p]));
            turned =
                palMulQuat(turned, palConjugate(palBeam_Rotation(w.model, &w.state, places[p])));
            nudge(&w.state, c, step);
            int own = c - 6 * places[p].element;
            bool inside = own >= 0 && own < pal_beamColumns;
            ASSERT_NEAR(palDot(n, moved) / (2.0 * step), inside ? point.J[own] : 0.0, 1e-7);
            ASSERT_NEAR(palDot(n, palRotationVector(turned)) / (2.0 * step),
                        inside ? turning.J[own] : 0.0, 1e-6);
        }
    }
    wireFree(&w);
}

static void ends_of_elements_are_nodes(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(6);
    wire w;
    makeCrooked(&w, &random, palDefaultBeamDef());
    for (int e = 0; e < elements; e++)
        for (int k = 0; k < 2; k++)
        {
            palBeamPlace place = {.element = e, .s = k};
            palQuat section = palMulQuat(w.state.q[e + k], w.model->elements[e].restRotation[k]);
            palQuat turn =
                palMulQuat(palBeam_Rotation(w.model, &w.state, place), palConjugate(section));
            ASSERT_BELOW(palDistance(palBeam_Point(w.model, &w.state, place), w.state.x[e + k]),
                         1e-15);
            ASSERT_BELOW(palLength(palRotationVector(turn)), 1e-13);
        }
    wireFree(&w);
}

// W, the correction and the motion of rows against LAPACK on the dense A.
static void compliance_and_correction_are_those_of_the_dense_system(void** state)
{
    (void)state;
    static double A[size][size], inverse[size][8];
    const double h = 1e-3;
    const double thetas[] = {1.0, 0.5};
    for (int t = 0; t < 2; t++)
    {
        palRandom random = palMakeRandom(7);
        wire w;
        palBeamDef def = palDefaultBeamDef();
        def.implicitness = thetas[t];
        makeCrooked(&w, &random, def);
        palBeam_Linearise(w.model, &w.state, &w.work);
        assert_true(palBeam_Factor(w.model, h, &w.work));
        palBeam_FreeMotion(w.model, &w.state, NULL, &w.work);
        palBeamRow rows[8];
        double lambda[8], before[8], W[8 * 9] = {0};
        for (int i = 0; i < 8; i++)
        {
            palVec3 n = palNormalize(wireRandomVector(&random, 1.0));
            rows[i] = i % 2 ? palBeam_RotationRow(w.model, &w.work, places[i / 2], n)
                            : palBeam_PointRow(w.model, &w.work, places[i / 2], n);
            lambda[i] = palRandom_Range(&random, -1.0, 1.0);
            before[i] = palBeam_RowMotion(w.model, &w.state, &w.work, &rows[i]);
            for (int r = 0; r < size; r++)
                inverse[r][i] = 0.0;
            for (int c = 0; c < pal_beamColumns; c++)
                inverse[6 * rows[i].element + c][i] = rows[i].J[c];
        }
        expand(&w.work.A, A);
        assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', size, 8, A[0], size, inverse[0], 8),
                         0);
        assert_true(palBeam_AddCompliance(w.model, &w.work, rows, 8, W, 9));
        palBeam_Correct(&w.work, rows, lambda, 8);
        for (int i = 0; i < 8; i++)
        {
            double column[size], moved = before[i];
            for (int j = 0; j < 8; j++)
            {
                for (int r = 0; r < size; r++)
                    column[r] = inverse[r][j];
                double expected = thetas[t] * h * h * palBeamRow_Apply(&rows[i], column);
                ASSERT_NEAR(W[9 * i + j], expected, 1e-9 * sqrt(W[10 * i] * W[10 * j]));
                moved += W[9 * i + j] * lambda[j];
            }
            // Gaps after = gaps before + W λ.
            ASSERT_NEAR(palBeam_RowMotion(w.model, &w.state, &w.work, &rows[i]), moved,
                        1e-9 * (fabs(moved) + fabs(before[i])));
        }
        assert_false(palBeam_AddCompliance(w.model, &w.work, rows, wireRowsMax + 1, W, 9));
        wireFree(&w);
    }
}

static void sections_have_their_known_values(void** state)
{
    (void)state;
    palBeamSection round = palMakeRoundSection(0.01, 0.3);
    ASSERT_NEAR(round.area, PAL_PI * 1e-4, 1e-18);
    ASSERT_NEAR(round.inertiaY, PAL_PI * 1e-8 / 4.0, 1e-22);
    ASSERT_NEAR(round.torsion, PAL_PI * 1e-8 / 2.0, 1e-22);
    ASSERT_NEAR(round.shearY / round.area, 0.886, 5e-4); // Cowper's table, ν = 0.3
    palBeamSection thin = palMakeTubeSection(0.01, 0.00999, 0.3);
    ASSERT_NEAR(thin.shearY / thin.area, 0.531, 1e-3); // Cowper's table: thin round tube
    // Timoshenko and Goodier's table: 0.1406 a⁴ for the square, 0.229 a b³ for two to one.
    palBeamSection square = palMakeBoxSection(0.01, 0.01, 0.3);
    ASSERT_NEAR(square.torsion, 0.140577e-8, 1e-14);
    ASSERT_NEAR(square.shearY / square.area, 0.850, 5e-4);
    palBeamSection flat = palMakeBoxSection(0.01, 0.02, 0.3);
    ASSERT_NEAR(flat.torsion, 0.228682 * 0.02 * 1e-6, 1e-13);
    ASSERT_NEAR(flat.inertiaZ, 0.02 * 1e-6 / 12.0, 1e-20);
    ASSERT_NEAR(flat.inertiaY, 0.01 * 8e-6 / 12.0, 1e-20);
}

static void wrong_definitions_are_refused(void** state)
{
    (void)state;
    const palVec3 points[3] = {{0, 0, 0}, {0.01, 0, 0}, {0.02, 0, 0}};
    const palVec3 repeated[3] = {{0, 0, 0}, {0.01, 0, 0}, {0.01, 0, 0}};
    const palVec3 sharp[3] = {{0, 0, 0}, {0.01, 0, 0}, {0, 1e-4, 0}};
    palBeamSection round = palMakeRoundSection(1e-3, 0.3);
    palBeamSection none = palMakeRoundSection(0.0, 0.3);
    palBeamDef good = palDefaultBeamDef();
    good.nodeCount = 3;
    good.points = points;
    good.sections = &round;
    palBeamDef wrong[12];
    for (int k = 0; k < 12; k++)
        wrong[k] = good;
    wrong[0].nodeCount = 1;
    wrong[1].points = repeated;
    wrong[2].points = sharp;
    wrong[3].sections = &none;
    wrong[4].sectionCount = 3;
    wrong[5].material.young = 0.0;
    wrong[6].material.poisson = 0.6;
    wrong[7].material.density = NAN;
    wrong[8].implicitness = 0.4;
    wrong[9].stiffnessDamping = -1.0;
    wrong[10].coupling.node = 3;
    wrong[11].massDamping = INFINITY;
    for (int k = 0; k < 12; k++)
    {
        palBeamModel* model;
        palError error = {0};
        assert_int_equal(palBeamModel_Create(&wrong[k], &model, &error), pal_errorInput);
        assert_null(model);
        assert_true(strlen(error.text) > 0 && strlen(error.remedy) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(forces_have_no_resultant_and_no_moment),
        cmocka_unit_test(a_turned_wire_has_no_force),
        cmocka_unit_test(stiffness_is_the_derivative_at_rest),
        cmocka_unit_test(rows_are_the_derivative_of_points),
        cmocka_unit_test(ends_of_elements_are_nodes),
        cmocka_unit_test(compliance_and_correction_are_those_of_the_dense_system),
        cmocka_unit_test(sections_have_their_known_values),
        cmocka_unit_test(wrong_definitions_are_refused),
    };
    return RUN(tests);
}
