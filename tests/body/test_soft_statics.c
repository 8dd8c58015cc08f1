// SPDX-License-Identifier: Apache-2.0
// Soft bodies at rest against the theory of elasticity: uniaxial load, cantilever, Hertz.
#include "soft_fixture.h"

#include "linalg/reach.h"

// The corners of an element that lie at height z; a whole face of it where they are three of a tet
// or four of a brick.
static int cornersAt(const softFixture* f, const int* nodes, int count, double z, int corners[8])
{
    int found = 0;
    for (int a = 0; a < count; a++)
        if (fabs(f->volume.vertices[nodes[a]].z - z) < 1e-9)
            corners[found++] = nodes[a];
    return found;
}

// Loads the faces at height z with the pressure p, Pa, along z: to every corner of a tet's face a
// third of p times its area, to every corner of a brick's rectangle a quarter.
static void load(softFixture* f, double p, double z)
{
    int elements = f->volume.tetCount + f->volume.hexCount;
    for (int e = 0; e < elements; e++)
    {
        bool isTet = e < f->volume.tetCount;
        const int* nodes = isTet ? f->volume.tets[e] : f->volume.hexes[e - f->volume.tetCount];
        int corners[8];
        int count = cornersAt(f, nodes, isTet ? 4 : 8, z, corners);
        if (count != (isTet ? 3 : 4))
            continue;
        const palVec3* v = f->volume.vertices;
        double area = palLength(
            palCross(palSub(v[corners[1]], v[corners[0]]), palSub(v[corners[2]], v[corners[0]])));
        for (int k = 0; k < count; k++)
            f->reference.external[3 * f->body->freeIndex[corners[k]] + 2] +=
                p * area / (isTet ? 6.0 : 4.0);
    }
}

// Stretched by the strain ε and thinned by ν ε, the body is at rest under the tension E ε exp(b ε²)
// on its ends: every node, inside and on the free sides.
static void stretchAlongOneAxis(palVolumeCut cut, double strain, double b)
{
    const palVec3 size = {0.05, 0.05, 0.1};
    palSoftDef def = palDefaultSoftDef();
    def.material = (palMaterial){.young = 30e3, .poisson = 0.45, .density = 900.0};
    def.stiffening = b;
    double tension = def.material.young * strain * exp(b * strain * strain);
    softFixture f;
    palVolumeShapeDef shape = softBlock(cut, size, 3, 3, 5);
    softMake(&f, &shape, def, NULL);
    load(&f, tension, 0.5 * size.z);
    load(&f, -tension, -0.5 * size.z);
    for (int i = 0; i < f.body->nodeCount; i++)
    {
        palVec3 r = f.body->rest[i];
        palVec3 u = {-strain * 0.45 * r.x, -strain * 0.45 * r.y, strain * r.z};
        f.body->x[i] = palAdd(r, u);
    }
    palSoftBody_Linearise(f.body, pal_tangentExact);
    double largest = softLargestForce(f.body);
    for (size_t i = 0; i < f.reference.rows; i++)
        ASSERT_NEAR(f.body->force[i] + f.reference.external[i], 0.0, 1e-12 * largest);
    softFree(&f);
}

static void uniaxial_stress_is_that_of_the_material(void** state)
{
    (void)state;
    static const palVolumeCut cuts[] = {pal_cutFive, pal_cutSix, pal_cutNone};
    for (int c = 0; c < 3; c++)
    {
        stretchAlongOneAxis(cuts[c], -0.08, 0.0);
        for (int i = -8; i <= 8; i++)
            if (i != 0)
                stretchAlongOneAxis(cuts[c], 0.05 * i, 10.0);
    }
}

static bool isAtGround(palVec3 x);

// A bar that is held at one end and pulled at the other, solved: at a distance from the end it is
// stretched as the law says, to 1 %.
static void a_bar_is_stretched_by_the_law(void** state)
{
    (void)state;
    static const palVolumeCut cuts[] = {pal_cutSix, pal_cutNone};
    const palVec3 size = {0.01, 0.01, 0.05};
    palSoftDef def = palDefaultSoftDef();
    def.material = (palMaterial){.young = 30e3, .poisson = 0.3, .density = 900.0};
    def.stiffening = 6.0;
    const double strain = 0.35;
    for (int k = 0; k < 2; k++)
    {
        softFixture f;
        palVolumeShapeDef shape = softBlock(cuts[k], size, 2, 2, 10);
        softMake(&f, &shape, def, isAtGround);
        load(&f, def.material.young * strain * exp(def.stiffening * strain * strain), 0.5 * size.z);
        ASSERT_BELOW(palSoftReference_Settle(&f.reference, 1e-9, 60), 1e-9);
        double height[2] = {0.0, 0.0};
        for (int i = 0; i < f.body->nodeCount; i++)
            for (int end = 0; end < 2; end++)
                if (fabs(f.body->rest[i].z - (end == 0 ? 0.0 : 0.02)) < 1e-9)
                    height[end] += f.body->x[i].z / 9.0;
        double found = (height[1] - height[0]) / 0.02 - 1.0;
        print_message("%s: strain %.5f, %.5f by the law\n", k == 0 ? "tets" : "bricks", found,
                      strain);
        ASSERT_NEAR(found / strain, 1.0, 0.01);
        softFree(&f);
    }
}

static const double beamLength = 1.0; // m
static const double beamHeight = 0.1; // m

static bool isAtWall(palVec3 x)
{
    return x.x < -0.5 * beamLength + 1e-9;
}

// The deflection of the tip under the beam's own weight over that of Timoshenko's beam,
// w = q L⁴/(8 E I) + q L²/(2 κ G A), κ = 10 (1 + ν)/(12 + 11 ν) (Cowper 1966).
static double cantilever(palVolumeCut cut, int layers)
{
    const double nu = 0.3, young = 1e6, density = 1000.0;
    palSoftDef def = palDefaultSoftDef();
    def.material = (palMaterial){.young = young, .poisson = nu, .density = density};
    def.gravity = palMakeVec3(0.0, 0.0, -1e-4); // so little that the theory is linear
    // A narrow beam: the width does not matter to its deflection.
    int across = layers / 2;
    palVolumeShapeDef shape = softBlock(cut, palMakeVec3(beamLength, 0.5 * beamHeight, beamHeight),
                                        10 * layers, across, layers);
    softFixture f;
    softMake(&f, &shape, def, isAtWall);
    ASSERT_BELOW(palSoftReference_Settle(&f.reference, 1e-12, 20), 1e-12);
    double tip = 0.0;
    int count = 0;
    for (int i = 0; i < f.body->nodeCount; i++)
        if (f.body->rest[i].x > 0.5 * beamLength - 1e-9)
        {
            tip += f.body->rest[i].z - f.body->x[i].z;
            count++;
        }
    softFree(&f);
    double load = density * 1e-4; // a volume, N/m³
    double shear = young / (2.0 * (1.0 + nu));
    double kappa = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    double w = 12.0 * load * pow(beamLength, 4.0) / (8.0 * young * beamHeight * beamHeight) +
               load * beamLength * beamLength / (2.0 * kappa * shear);
    return tip / count / w;
}

static void convergesToTheBeam(palVolumeCut cut, double bound)
{
    double before = 1.0;
    for (int layers = 2; layers <= 8; layers *= 2)
    {
        double error = fabs(cantilever(cut, layers) - 1.0);
        assert_true(error < before);
        before = error;
    }
    ASSERT_BELOW(before, bound);
}

static void a_cantilever_of_bricks_converges_to_the_beam(void** state)
{
    (void)state;
    convergesToTheBeam(pal_cutNone, 0.02);
}

static void a_cantilever_of_tets_converges_to_the_beam(void** state)
{
    (void)state;
    convergesToTheBeam(pal_cutFive, 0.04);
}

static const double blockDepth = 0.05; // m

static bool isAtGround(palVec3 x)
{
    return x.z < -0.5 * blockDepth + 1e-9;
}

// The nodes of the face zmax within `reach` of its centre, one row along z each.
typedef struct hertz
{
    int count;
    int start[401];
    int nodes[400];
    palVec3 values[400];
    double gap[400]; // m, of the sphere above the flat face
    double W[400 * 400];
    double lambda[400];
} hertz;

static void findRows(hertz* h, const palSoftBody* body, double reach, double radius, double depth)
{
    for (int i = 0; i < body->nodeCount; i++)
    {
        palVec3 x = body->rest[i];
        double r2 = x.x * x.x + x.y * x.y;
        if (x.z < 0.5 * blockDepth - 1e-9 || r2 > reach * reach)
            continue;
        assert_true(h->count < 400);
        h->start[h->count] = h->count;
        h->nodes[h->count] = body->freeIndex[i];
        h->values[h->count] = palMakeVec3(0.0, 0.0, -1.0);
        h->gap[h->count++] = r2 / (2.0 * radius) - depth;
    }
    h->start[h->count] = h->count;
}

// 0 <= λ ⟂ gap + W λ >= 0 by Gauss-Seidel.
static void solveRows(hertz* h)
{
    for (int sweep = 0; sweep < 3000; sweep++)
        for (int i = 0; i < h->count; i++)
        {
            double gap = h->gap[i];
            for (int j = 0; j < h->count; j++)
                gap += h->W[i * h->count + j] * h->lambda[j];
            h->lambda[i] = fmax(0.0, h->lambda[i] - gap / h->W[i * h->count + i]);
        }
}

// F = 4/3 E/(1 - ν²) √R d^(3/2) (Hertz 1881), with the contact circle of radius √(R d) a tenth of
// the block's half width.
static void a_sphere_indents_as_hertz_says(void** state)
{
    (void)state;
    const double radius = 0.05, depth = 0.5e-3, nu = 0.3, young = 50e3;
    palSoftDef def = palDefaultSoftDef();
    def.material = (palMaterial){.young = young, .poisson = nu, .density = 1000.0};
    palVolumeShapeDef shape = palDefaultVolumeShapeDef(pal_volumeGraded);
    shape.cut = pal_cutNone;
    shape.size = palMakeVec3(0.1, 0.1, blockDepth);
    shape.cells[0] = shape.cells[1] = 20, shape.cells[2] = 12;
    shape.grading = 12.0;
    softFixture f;
    softMake(&f, &shape, def, isAtGround);
    assert_true(palSoftReference_FactorStiffness(&f.reference));
    hertz* h = calloc(1, sizeof *h);
    findRows(h, f.body, 2.0 * sqrt(radius * depth), radius, depth);
    palReach* reach;
    assert_int_equal(palReach_Create(f.reference.factor, h->count, h->count, &reach, NULL), pal_ok);
    palSparseRows J = {h->count, h->start, h->nodes, h->values};
    assert_true(palReach_Solve(reach, &J));
    palReach_Gram(reach, PAL_SOFT_LONG_STEP * PAL_SOFT_LONG_STEP, h->W, (size_t)h->count);
    solveRows(h);
    double force = 0.0;
    int active = 0;
    for (int i = 0; i < h->count; i++)
    {
        force += h->lambda[i];
        active += h->lambda[i] > 0.0;
    }
    double theory = 4.0 / 3.0 * young / (1.0 - nu * nu) * sqrt(radius) * pow(depth, 1.5);
    assert_true(active > 20);
    ASSERT_NEAR(force / theory, 1.0, 0.1);
    palReach_Destroy(reach);
    free(h);
    softFree(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniaxial_stress_is_that_of_the_material),
        cmocka_unit_test(a_bar_is_stretched_by_the_law),
        cmocka_unit_test(a_cantilever_of_bricks_converges_to_the_beam),
        cmocka_unit_test(a_cantilever_of_tets_converges_to_the_beam),
        cmocka_unit_test(a_sphere_indents_as_hertz_says),
    };
    return RUN(tests);
}
