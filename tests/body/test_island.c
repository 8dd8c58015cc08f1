// SPDX-License-Identifier: Apache-2.0
// Bodies that rows tie to each other against one body of both: a soft cube on a soft block, node on
// node, and the mesh in which these nodes are one.
#include "soft_fixture.h"

#include "body/island.h"

#include <complex.h>

enum
{
    tiesMax = 64, // nodes
    rowsMax = 3 * tiesMax,
};

static const double cell = 0.0125;   // m
static const double lowStep = 33e-3; // s
static const double highStep = 1e-3; // s
static const palVec3 cubeSize = {0.05, 0.05, 0.05};
static const palVec3 blockSize = {0.1, 0.1, 0.05};

static bool isAtBottom(palVec3 x)
{
    return x.z < -0.05 + 1e-9;
}

static void makeVolume(palVolume* volume, palVec3 size, double z)
{
    palVolumeShapeDef shape = softBlock(pal_cutFive, size, (int)lround(size.x / cell),
                                        (int)lround(size.y / cell), (int)lround(size.z / cell));
    assert_int_equal(palMakeVolumeShape(&shape, volume, NULL), pal_ok);
    palVolume_Transform(volume, 1.0, pal_identityQuat, palMakeVec3(0.0, 0.0, z));
}

// The two bodies, and one of both.
typedef struct pair
{
    softFixture parts[2]; // the cube and the block below it
    softFixture whole;
    int ofWhole[2][1000]; // by node of a part
    palIslands* islands;
    int start[rowsMax + 1];
    int bodies[2 * rowsMax];
    int nodes[2 * rowsMax];
    palVec3 values[2 * rowsMax];
    palGlueRows rows;
    int top; // node in the middle of the cube's upper face
} pair;

// The volume in which equal vertices of both are one.
static void mergeVolumes(pair* p)
{
    palVolume* whole = &p->whole.volume;
    const palVolume* a = &p->parts[0].volume;
    const palVolume* b = &p->parts[1].volume;
    whole->vertices = calloc((size_t)(a->vertexCount + b->vertexCount), sizeof *whole->vertices);
    whole->tets = calloc((size_t)(a->tetCount + b->tetCount), sizeof *whole->tets);
    for (int part = 0; part < 2; part++)
    {
        const palVolume* volume = &p->parts[part].volume;
        for (int i = 0; i < volume->vertexCount; i++)
        {
            int k = 0;
            while (k < whole->vertexCount &&
                   palDistance(whole->vertices[k], volume->vertices[i]) > 1e-9)
                k++;
            if (k == whole->vertexCount)
                whole->vertices[whole->vertexCount++] = volume->vertices[i];
            p->ofWhole[part][i] = k;
        }
        for (int t = 0; t < volume->tetCount; t++, whole->tetCount++)
            for (int k = 0; k < 4; k++)
                whole->tets[whole->tetCount][k] = p->ofWhole[part][volume->tets[t][k]];
    }
}

// Three rows for every pair of equal nodes.
static void tieNodes(pair* p)
{
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int rows = 0, entry = 0;
    for (int i = 0; i < p->parts[0].volume.vertexCount; i++)
        for (int j = 0; j < p->parts[1].volume.vertexCount; j++)
            for (int c = 0; c < 3 && p->ofWhole[0][i] == p->ofWhole[1][j]; c++)
            {
                assert_true(rows < rowsMax);
                p->start[rows++] = entry;
                for (int k = 0; k < 2; k++, entry++)
                {
                    p->bodies[entry] = k;
                    p->nodes[entry] = k == 0 ? i : j;
                    p->values[entry] = palScale(k == 0 ? 1.0 : -1.0, axes[c]);
                }
            }
    p->start[rows] = entry;
    p->rows = (palGlueRows){rows, p->start, p->bodies, p->nodes, p->values};
    assert_true(rows > 60);
}

static void makePair(pair* p, double young, bool isLate)
{
    *p = (pair){.top = -1};
    palSoftDef def = palDefaultSoftDef();
    def.material.young = young;
    def.stiffnessDamping = 0.005;
    makeVolume(&p->parts[0].volume, cubeSize, 0.5 * cubeSize.z);
    makeVolume(&p->parts[1].volume, blockSize, -0.5 * blockSize.z);
    mergeVolumes(p);
    softMakeBody(&p->parts[0], def, isAtBottom);
    softMakeBody(&p->parts[1], def, isAtBottom);
    softMakeBody(&p->whole, def, isAtBottom);
    for (int i = 0; i < p->parts[0].volume.vertexCount; i++)
        if (palDistance(p->parts[0].volume.vertices[i], palMakeVec3(0, 0, cubeSize.z)) < 1e-9)
            p->top = i;
    tieNodes(p);
    palSoftBody* bodies[2] = {p->parts[0].body, p->parts[1].body};
    palIslandsDef islands = {palDefaultSoftFactorDef(), bodies, 2, rowsMax, 2 * rowsMax, 0};
    if (isLate)
    {
        islands.factor.elementsAtOnce = 1;
        islands.factor.lateSteps = 3;
    }
    assert_int_equal(palIslands_Create(&islands, &p->islands, NULL), pal_ok);
}

static void freePair(pair* p)
{
    palIslands_Destroy(p->islands);
    for (int i = 0; i < 2; i++)
        softFree(&p->parts[i]);
    softFree(&p->whole);
}

static double pressureAt(double frequency, double t)
{
    double full = 0.5 * fmin(1.0, t / 0.1);
    return full + (t > 0.1 ? 0.25 * sin(2.0 * M_PI * frequency * (t - 0.1)) : 0.0);
}

// One low-rate step of the tied bodies, from time t on, through the force on the node at the top;
// where that is in each tick goes to z.
static void stepPair(pair* p, double frequency, double t, double* z, double* lambda)
{
    const palSoftBody* cube = p->parts[0].body;
    double* contact = calloc(3 * (size_t)cube->freeCount, sizeof *contact);
    int row = cube->freeIndex[p->top];
    contact[3 * row + 2] = -pressureAt(frequency, t);
    palTouchedNodes touched[2] = {{&p->top, 1, contact, NULL, NULL}, {0}};
    assert_int_equal(palIslands_Build(p->islands, touched, &p->rows, highStep, t), 0);
    assert_int_equal(p->islands->islandCount, 1);
    const palModes* modes = &p->islands->islands[0].reduction.modes;
    palModeShape shape;
    palModesState end;
    double meanPlace[pal_modesMax] = {0};
    palIslands_NodeShape(p->islands, 0, p->top, &shape);
    palModes_Start(modes, &end);
    int steps = (int)lround(lowStep / highStep);
    double mean = 0.0;
    for (int k = 1; k <= steps; k++)
    {
        double push[pal_modesMax];
        double force = pressureAt(frequency, t + k * highStep);
        mean += force / steps;
        for (int i = 0; i < modes->count; i++)
            push[i] = -force * shape.b[2][i];
        palModes_Advance(modes, push, &end);
        for (int i = 0; i < modes->count; i++)
            meanPlace[i] += end.q[i] / steps;
        z[k - 1] = cube->x[p->top].z + palModes_Sum(modes, shape.b[2], end.q);
    }
    contact[3 * row + 2] = -mean;
    const double* const contacts[2] = {contact, NULL};
    palIslandReplay replay = {lowStep, &end, meanPlace, contacts};
    if (lambda != NULL)
        palIslands_Reaction(p->islands, 0, &p->rows, &replay, lambda);
    palIslands_Move(p->islands, 0, &end);
    free(contact);
}

static double farthestFromWhole(const pair* p)
{
    double farthest = 0.0;
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < p->parts[part].body->nodeCount; i++)
            farthest = fmax(farthest, palDistance(p->parts[part].body->x[i],
                                                  p->whole.body->x[p->ofWhole[part][i]]));
    return farthest;
}

// At rest the tied bodies are where the one body is, and the ties carry the force.
static void statics(double young, bool isLate)
{
    pair* p = calloc(1, sizeof *p);
    double z[64], lambda[rowsMax];
    makePair(p, young, isLate);
    for (int k = 0; k < 60; k++)
        stepPair(p, 0.0, 10.0 + lowStep * k, z, lambda);
    size_t row = 3 * (size_t)p->whole.body->freeIndex[p->ofWhole[0][p->top]] + 2;
    p->whole.reference.external[row] = -0.5;
    ASSERT_BELOW(palSoftReference_Settle(&p->whole.reference, 1e-11, 100), 1e-11);
    ASSERT_BELOW(farthestFromWhole(p), 1e-4 * softFarthest(p->whole.body));
    double carried = 0.0;
    for (int r = 2; r < p->rows.count; r += 3)
        carried += lambda[r];
    ASSERT_NEAR(carried, 0.5, 1e-3);
    freePair(p);
    free(p);
}

static void tiedBodiesRestWhereOneBodyDoes(void** state)
{
    (void)state;
    statics(10e3, false);
    statics(50e3, false);
}

static void soDoThoseWithLateFactors(void** state)
{
    (void)state;
    statics(10e3, true);
}

// The first harmonic of the motion of the top, m.
static double complex motionAt(pair* p, double frequency, bool isWhole)
{
    double period = 1.0 / frequency;
    int settling = (int)round(1e3 * (0.1 + ceil(0.5 / period) * period));
    int measured = (int)round(1e3 * ceil(0.5 / period) * period);
    int node = p->ofWhole[0][p->top];
    size_t row = 3 * (size_t)p->whole.body->freeIndex[node] + 2;
    double complex sum = 0.0;
    double z[64];
    int steps = (int)lround(lowStep / highStep);
    for (int k = 0; k < settling + measured; k++)
    {
        double t = highStep * (k + 1);
        if (isWhole)
        {
            p->whole.reference.external[row] = -pressureAt(frequency, t);
            assert_true(palSoftReference_Step(&p->whole.reference, highStep));
        }
        else if (k % steps == 0)
            stepPair(p, frequency, highStep * k, z, NULL);
        double at = isWhole ? p->whole.body->x[node].z : z[k % steps];
        if (k >= settling)
            sum += at * cexp(-I * 2.0 * M_PI * frequency * (t - 0.1));
    }
    return 2.0 * sum / measured;
}

static void tiedBodiesYieldAsOneBodyDoes(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const double frequencies[] = {1.0, 2.0, 10.0};
    for (int i = 0; i < 3; i++)
    {
        double complex truth = 0.0;
        for (int late = 0; late < 2; late++)
        {
            pair* p = calloc(1, sizeof *p);
            makePair(p, 10e3, late == 1);
            if (late == 0)
                truth = motionAt(p, frequencies[i], true);
            double complex tied = motionAt(p, frequencies[i], false);
            ASSERT_BELOW(cabs(tied / truth - 1.0), 0.05);
            freePair(p);
            free(p);
        }
    }
}

// Without rows each is an island of its own, and the cube, which nothing holds, falls away.
static void withoutRowsThereAreTwoIslands(void** state)
{
    (void)state;
    pair* p = calloc(1, sizeof *p);
    makePair(p, 10e3, false);
    palTouchedNodes touched[2] = {{&p->top, 1, NULL, NULL, NULL}, {0}};
    palGlueRows none = {0};
    assert_int_equal(palIslands_Build(p->islands, touched, &none, highStep, 0.0), 0);
    assert_int_equal(p->islands->islandCount, 2);
    assert_int_equal(palIslands_Build(p->islands, touched, NULL, highStep, 0.0), 0);
    assert_int_equal(p->islands->islandCount, 2);
    assert_true(p->islands->islands[0].reduction.modes.count >
                p->islands->islands[1].reduction.modes.count);
    freePair(p);
    free(p);
}

// Rows given twice, as contacts found from both sides, change nothing.
static void rowsGivenTwiceChangeNothing(void** state)
{
    (void)state;
    double z[2][64];
    for (int twice = 0; twice < 2; twice++)
    {
        pair* p = calloc(1, sizeof *p);
        makePair(p, 10e3, false);
        int half = 3 * ((p->rows.count / 3) / 2);
        int rows = half;
        for (int r = 0; r < half && twice == 1; r++, rows++)
            for (int k = 0; k < 2; k++)
            {
                p->start[rows + 1] = 2 * (rows + 1);
                p->bodies[2 * rows + k] = p->bodies[2 * r + k];
                p->nodes[2 * rows + k] = p->nodes[2 * r + k];
                p->values[2 * rows + k] = palNeg(p->values[2 * r + k]);
            }
        p->rows.count = rows;
        stepPair(p, 5.0, 0.2, z[twice], NULL);
        freePair(p);
        free(p);
    }
    for (int k = 0; k < 33; k++)
        ASSERT_NEAR(z[1][k], z[0][k], 1e-9);
}

// The largest motion of a row in any mode, as a share of the largest of a node.
static double rowsMove(const pair* p)
{
    static palModeShape shapes[2][1000];
    double farthest = 0.0, most = 0.0;
    const palModes* modes = &p->islands->islands[0].reduction.modes;
    assert_true(modes->count > 10);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < p->parts[b].body->nodeCount; i++)
            palIslands_NodeShape(p->islands, b, i, &shapes[b][i]);
    for (int m = 0; m < modes->count; m++)
    {
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < 3 * p->parts[b].body->nodeCount; i++)
                farthest = fmax(farthest, fabs(shapes[b][i / 3].b[i % 3][m]));
        for (int r = 0; r < p->rows.count; r++)
        {
            double moved = 0.0;
            for (int e = p->start[r]; e < p->start[r + 1]; e++)
            {
                const palModeShape* shape = &shapes[p->bodies[e]][p->nodes[e]];
                moved += palDot(p->values[e],
                                palMakeVec3(shape->b[0][m], shape->b[1][m], shape->b[2][m]));
            }
            most = fmax(most, fabs(moved));
        }
    }
    return most / farthest;
}

// Also where the hand is on tied nodes and the rows, which hold the cube by its bottom at something
// fixed, take up all of its force.
static void whatRowsTieMovesInNoMode(void** state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
    {
        bool isFixed = k % 2 == 1, isLate = k / 2 == 1;
        pair* p = calloc(1, sizeof *p);
        makePair(p, 10e3, isLate);
        for (int r = 0; r < p->rows.count && isFixed; r++)
        {
            int e = p->start[r];
            p->bodies[r] = p->bodies[e], p->nodes[r] = p->nodes[e], p->values[r] = p->values[e];
            p->start[r] = r;
        }
        p->start[p->rows.count] = isFixed ? p->rows.count : 2 * p->rows.count;
        const int nodes[2] = {p->top, p->nodes[0]};
        palTouchedNodes touched[2] = {{nodes, 2, NULL, NULL, NULL}, {0}};
        for (int step = 0; step < 6; step++)
            assert_int_equal(
                palIslands_Build(p->islands, touched, &p->rows, highStep, lowStep * step), 0);
        ASSERT_BELOW(rowsMove(p), isLate ? 1e-5 : 1e-12); // late factors are of single precision
        freePair(p);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiedBodiesRestWhereOneBodyDoes),
        cmocka_unit_test(soDoThoseWithLateFactors),
        cmocka_unit_test(tiedBodiesYieldAsOneBodyDoes),
        cmocka_unit_test(withoutRowsThereAreTwoIslands),
        cmocka_unit_test(rowsGivenTwiceChangeNothing),
        cmocka_unit_test(whatRowsTieMovesInNoMode),
    };
    return RUN(tests);
}
