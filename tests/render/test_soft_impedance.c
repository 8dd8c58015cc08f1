// SPDX-License-Identifier: Apache-2.0
// What a hand feels on a soft body, against a truth that shares nothing with the engine but the
// mesh: the complex stiffness of linear elasticity about rest,
//
//     Z(ω) = K + iω D - ω² M,   D = β K
//
// with K from strain matrices and Hooke's law in Voigt's form, dense, solved by LAPACK. The hand
// presses a little, so that contact lasts, and moves to and fro by a quarter of that.
#include "../../bench/soft_press.h"
#include "check.h"

#include <complex.h>
#include <lapacke.h>

static const double depth = 0.2e-3;      // m, of the hand
static const double amplitude = 0.05e-3; // m
static const double dt = 1e-3;           // s

//--------------------------------------------------------------------------------------------------
// The truth

typedef struct dense
{
    int rows; // of the free nodes, three a node
    int row;  // z of the touched node
    double* K;
    double* M; // diagonal
} dense;

// Gradients of the four shape functions: the rows below the first of the inverse of [1 x; ...]ᵀ.
static double gradients(const palVec3 x[4], double g[4][3])
{
    double V[16], inverse[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    lapack_int pivots[4];
    for (int a = 0; a < 4; a++)
    {
        V[4 * a] = 1.0;
        V[4 * a + 1] = x[a].x, V[4 * a + 2] = x[a].y, V[4 * a + 3] = x[a].z;
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, 4, 4, V, 4, pivots, inverse, 4), 0);
    double determinant = 1.0;
    for (int k = 0; k < 4; k++)
        determinant *= V[5 * k];
    for (int a = 0; a < 4; a++)
        for (int c = 0; c < 3; c++)
            g[a][c] = inverse[4 * (c + 1) + a];
    return fabs(determinant) / 6.0;
}

// B: strains xx, yy, zz, xy, yz, zx of the twelve displacements.
static void strainMatrix(const double g[4][3], double B[6][12])
{
    memset(B, 0, 6 * sizeof B[0]);
    for (int a = 0; a < 4; a++)
        for (int c = 0; c < 3; c++)
        {
            B[c][3 * a + c] = g[a][c];
            B[3 + c][3 * a + c] = g[a][(c + 1) % 3];
            B[3 + c][3 * a + (c + 1) % 3] = g[a][c];
        }
}

static void hooke(double young, double nu, double C[6][6])
{
    memset(C, 0, 6 * sizeof C[0]);
    double scale = young / ((1.0 + nu) * (1.0 - 2.0 * nu));
    for (int i = 0; i < 3; i++)
    {
        for (int j = 0; j < 3; j++)
            C[i][j] = scale * (i == j ? 1.0 - nu : nu);
        C[3 + i][3 + i] = scale * 0.5 * (1.0 - 2.0 * nu);
    }
}

static void addTet(dense* truth, const palVolume* volume, const int* place, int t,
                   const double C[6][6], double density)
{
    palVec3 x[4];
    double g[4][3], B[6][12];
    for (int a = 0; a < 4; a++)
        x[a] = volume->vertices[volume->tets[t][a]];
    double V = gradients(x, g);
    strainMatrix(g, B);
    for (int i = 0; i < 12; i++)
    {
        int row = place[volume->tets[t][i / 3]];
        if (row < 0)
            continue;
        truth->M[row + i % 3] += 0.25 * density * V;
        for (int j = 0; j < 12; j++)
        {
            int column = place[volume->tets[t][j / 3]];
            double sum = 0.0;
            for (int p = 0; p < 6; p++)
                for (int q = 0; q < 6; q++)
                    sum += B[p][i] * C[p][q] * B[q][j];
            if (column >= 0)
                truth->K[(row + i % 3) * truth->rows + column + j % 3] += V * sum;
        }
    }
}

// The cube of soft_press.h: 10 cm, on a held face, touched in the middle of the top.
static void makeTruth(dense* truth, const palSoftPressDef* def)
{
    palVolumeShapeDef shape = palDefaultVolumeShapeDef(pal_volumeBlock);
    shape.cut = pal_cutFive;
    shape.size = palMakeVec3(0.1, 0.1, 0.1);
    shape.cells[0] = shape.cells[1] = shape.cells[2] = def->cells;
    palVolume volume;
    assert_int_equal(palMakeVolumeShape(&shape, &volume, NULL), pal_ok);
    int* place = malloc((size_t)volume.vertexCount * sizeof *place);
    assert_non_null(place);
    *truth = (dense){0};
    for (int i = 0; i < volume.vertexCount; i++)
    {
        palVec3 x = volume.vertices[i];
        place[i] = x.z < -0.05 + 1e-9 ? -1 : truth->rows;
        if (palDistance(x, palMakeVec3(0.0, 0.0, 0.05)) < 1e-9)
            truth->row = place[i] + 2;
        truth->rows += place[i] >= 0 ? 3 : 0;
    }
    size_t n = (size_t)truth->rows;
    truth->K = calloc(n * n, sizeof(double));
    truth->M = calloc(n, sizeof(double));
    assert_true(truth->K != NULL && truth->M != NULL);
    double C[6][6];
    hooke(def->young, 0.4, C);
    for (int t = 0; t < volume.tetCount; t++)
        addTet(truth, &volume, place, t, (const double(*)[6])C, 1000.0);
    free(place);
    palVolume_Free(&volume);
}

// How far the touched node gives way to a unit force on it at s = iω, m/N.
static double complex complianceAt(const dense* truth, double beta, double complex s)
{
    size_t n = (size_t)truth->rows;
    double complex* Z = malloc(n * n * sizeof *Z);
    double complex* x = calloc(n, sizeof *x);
    lapack_int* pivots = malloc(n * sizeof *pivots);
    assert_true(Z != NULL && x != NULL && pivots != NULL);
    for (size_t i = 0; i < n * n; i++)
        Z[i] = (1.0 + s * beta) * truth->K[i];
    for (size_t i = 0; i < n; i++)
        Z[i * n + i] += s * s * truth->M[i];
    x[truth->row] = 1.0;
    assert_int_equal(
        LAPACKE_zgesv(LAPACK_ROW_MAJOR, (lapack_int)n, 1, Z, (lapack_int)n, pivots, x, 1), 0);
    double complex compliance = x[truth->row];
    free(Z);
    free(x);
    free(pivots);
    return compliance;
}

// The body behind the coupling: the proxy is x, the hand's force (k + b s)(x_hand - x) and
// m s² x = (k + b s)(x_hand - x) - x/C.
static double complex truthAt(const dense* truth, const palSoftPressDef* def, double complex s)
{
    const double k = 1000.0, b = 0.8, m = 1e-3;
    double complex coupling = k + b * s;
    double complex body = 1.0 / complianceAt(truth, def->beta, s);
    return coupling * (1.0 - coupling / (body + coupling + m * s * s));
}

//--------------------------------------------------------------------------------------------------
// The engine

static const double rampSeconds = 0.2;
static const double swingStart = 0.6; // s

static double swingDepth(const void* user, double t)
{
    const double* frequency = user;
    double d = -0.5e-3 + (depth + 0.5e-3) * fmin(1.0, t / rampSeconds);
    double phase = 2.0 * M_PI * *frequency * (t - swingStart);
    return t > swingStart ? d + amplitude * sin(phase) : d;
}

// The first harmonic of the force over the hand's, N/m.
static double complex feltAt(palSoftPressDef def, double frequency)
{
    def.path = swingDepth;
    def.user = &frequency;
    palSoftPress press;
    assert_int_equal(palSoftPress_Init(&press, &def, false, NULL), pal_ok);
    double period = 1.0 / frequency;
    int settling = (int)round((swingStart + ceil(0.3 / period) * period) / dt);
    int measured = (int)round(ceil(0.4 / period) * period / dt);
    double complex sum = 0.0;
    for (int k = 0; k < settling + measured; k++)
    {
        palPressSample sample = palSoftPress_Step(&press);
        double complex turn = cexp(-2.0 * I * M_PI * frequency * (sample.t - swingStart));
        if (k >= settling)
            sum += sample.force * turn;
        assert_true(k < 500 || sample.force > 0.0);
    }
    palSoftPress_Free(&press);
    // The hand's is amplitude · sin: its harmonic is -i amplitude/2.
    return 2.0 * I * sum / measured / amplitude;
}

// Off by how much from linear elasticity in continuous time, and from the same stepped by backward
// Euler at the high rate, for which s = (1 - exp(-iω h))/h.
static void compare(palSoftPressDef def, double frequency, double continuous, double stepped)
{
    dense truth;
    makeTruth(&truth, &def);
    double complex s = 2.0 * I * M_PI * frequency;
    double complex felt = feltAt(def, frequency);
    ASSERT_BELOW(cabs(felt / truthAt(&truth, &def, s) - 1.0), continuous);
    ASSERT_BELOW(cabs(felt / truthAt(&truth, &def, (1.0 - cexp(-s * dt)) / dt) - 1.0), stepped);
    free(truth.K);
    free(truth.M);
}

static void below_resonance_it_is_that_of_linear_elasticity(void** state)
{
    (void)state;
    static const double frequencies[] = {0.5, 1.0, 2.0, 5.0};
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 2;
    for (int i = 0; i < 4; i++)
        compare(def, frequencies[i], 0.01, 0.005);
    def.cells = 4;
    compare(def, 2.0, 0.01, 0.005);
    compare(def, 5.0, 0.01, 0.005);
    def.young = 50e3;
    compare(def, 5.0, 0.01, 0.005);
    compare(def, 10.0, 0.01, 0.005);
}

// The block of 10 kPa resonates near 10 Hz, where backward Euler damps like a β greater by its step
// of 1 ms (ζ = ω h/2): that is felt, and is no fault of the model.
static void at_resonance_only_the_step_is_felt(void** state)
{
    (void)state;
    palSoftPressDef def = palDefaultSoftPressDef();
    for (def.cells = 2; def.cells <= 4; def.cells += 2)
        compare(def, 10.0, 0.1, 0.01);
}

static void standard_feels_the_same_in_the_middle(void** state)
{
    (void)state;
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 2;
    def.method = "standard";
    compare(def, 2.0, 0.01, 0.005);
    compare(def, 10.0, 0.1, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_resonance_it_is_that_of_linear_elasticity),
        cmocka_unit_test(at_resonance_only_the_step_is_felt),
        cmocka_unit_test(standard_feels_the_same_in_the_middle),
    };
    return RUN(tests);
}
