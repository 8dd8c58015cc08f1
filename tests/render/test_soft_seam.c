// SPDX-License-Identifier: Apache-2.0
// Where soft bodies abut: a hand on the seam or beside it feels at least one of them and at most
// what one body of both would give; bodies that are tied feel as one.
#include "soft_blocks.h"

static const double cell = 0.0125; // m
static const double top = 0.05;    // m
static const double young = 10e3;  // Pa

enum
{
    tiesMax = 300,
};

// Blocks of 5 cm that meet at x = 0, and what there may be beside them.
typedef enum arrangement
{
    oneAlone, // x < 0
    twoApart, // both, each for itself
    twoTied,  // both, their nodes at x = 0 tied
    oneWhole, // one volume of both
    besideRigid,
} arrangement;

static blockDef blockOf(double low, double high, double stiffness, double friction)
{
    return (blockDef){{low, -0.025, 0.0}, {high, 0.025, top}, cell, stiffness, friction};
}

// Rows between all equal nodes of the first two blocks.
typedef struct tying
{
    palTies ties;
    int start[tiesMax + 1];
    int bodies[2 * tiesMax], nodes[2 * tiesMax];
    palVec3 values[2 * tiesMax];
    double forces[tiesMax];
} tying;

static void tie(tying* t, const blocks* b)
{
    const palSoftBody* first = b->colliders[0].soft;
    const palSoftBody* second = b->colliders[1].soft;
    int rows = 0, entry = 0;
    for (int i = 0; i < first->nodeCount; i++)
        for (int j = 0; j < second->nodeCount && first->freeIndex[i] >= 0; j++)
            for (int c = 0; c < 3 && palDistance(first->rest[i], second->rest[j]) < 1e-9; c++)
            {
                palVec3 axis = palMakeVec3(c == 0, c == 1, c == 2);
                assert_true(rows < tiesMax);
                t->start[rows++] = entry;
                for (int k = 0; k < 2; k++, entry++)
                {
                    t->bodies[entry] = k;
                    t->nodes[entry] = k == 0 ? i : j;
                    t->values[entry] = k == 0 ? axis : palNeg(axis);
                }
            }
    t->start[rows] = entry;
    t->ties = (palTies){.maxRows = tiesMax, .forces = t->forces};
    t->ties.rows = (palGlueRows){rows, t->start, t->bodies, t->nodes, t->values};
}

static void arrange(blocks* b, tying* t, arrangement kind, double friction)
{
    blockDef left = blockOf(-0.05, kind == oneWhole ? 0.05 : 0.0, young, friction);
    blockDef right = blockOf(0.0, 0.05, kind == besideRigid ? 0.0 : young, friction);
    *b = (blocks){0};
    blocksAdd(b, &left);
    if (kind == twoApart || kind == twoTied || kind == besideRigid)
        blocksAdd(b, &right);
    if (kind == twoTied)
    {
        tie(t, b);
        b->ties = &t->ties;
    }
}

// The force at rest of a hand that presses by `depth` there.
static palTickRecord press(blocks* b, const char* method, double x, double y, double depth,
                           int ticks)
{
    palTickRecord record = {0};
    blocksGo(b, palMakeVec3(x, y, top + 5e-3), 0.0);
    blocksGo(b, palMakeVec3(x, y, top - depth), 0.4);
    blocksStart(b, method, 0.033);
    for (int k = 0; k < ticks; k++)
        record = blocksStep(b);
    return record;
}

static double pressedForce(arrangement kind, const char* method, double x, double friction)
{
    static tying t;
    blocks b;
    arrange(&b, &t, kind, friction);
    double force = press(&b, method, x, 0.0, 0.01, 2000).force.z;
    blocksFree(&b);
    return force;
}

static void theSeamIsFelt(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard"};
    static const double places[] = {0.0, -0.5e-3};
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < 2; p++)
        {
            double alone = pressedForce(oneAlone, methods[i], places[p], 0.5);
            double two = pressedForce(twoApart, methods[i], places[p], 0.5);
            double whole = pressedForce(oneWhole, methods[i], places[p], 0.5);
            // A point exactly on the edge of a block slides off it, and between two that nothing
            // ties; beside the edge it does not.
            assert_true(p == 0 || two > 0.3);
            assert_true(two >= 0.999 * alone - 2e-3);
            assert_true(two <= 1.001 * whole);
        }
}

static void tiedBlocksFeelAsOne(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard", "penalty"};
    static const double places[] = {0.0, -0.5e-3, 4e-3};
    for (int i = 0; i < 3; i++)
        for (int p = 0; p < 3; p++)
        {
            double tied = pressedForce(twoTied, methods[i], places[p], 0.5);
            double whole = pressedForce(oneWhole, methods[i], places[p], 0.5);
            ASSERT_NEAR(tied / whole, 1.0, 0.02);
        }
}

// With friction that lets nothing slide the methods press the same material point. Where the
// edge that is pressed can part from its neighbour, or rubs along it, the one half-space of
// `standard` slips over the edge: it is compared on tied blocks only.
static void accurateAndStandardAgreeAtRest(void** state)
{
    (void)state;
    static const arrangement kinds[] = {twoApart, twoTied, besideRigid};
    for (int k = 0; k < 3; k++)
    {
        double accurate = pressedForce(kinds[k], "accurate", -0.5e-3, 2.0);
        double alone = pressedForce(oneAlone, "accurate", -0.5e-3, 2.0);
        assert_true(accurate >= 0.999 * alone);
        if (kinds[k] != twoTied)
            continue;
        double standard = pressedForce(kinds[k], "standard", -0.5e-3, 2.0);
        ASSERT_NEAR(standard / accurate, 1.0, 0.05);
    }
}

// Two soft blocks and a rigid one meet in a corner; the hand is on one of the soft ones.
static void threeBodiesMeetInACorner(void** state)
{
    (void)state;
    double forces[3];
    for (int k = 0; k < 3; k++)
    {
        blocks b = {0};
        blockDef left = {{-0.05, -0.05, 0.0}, {0.0, 0.0, top}, cell, young, 0.5};
        blockDef right = {{0.0, -0.05, 0.0}, {0.05, 0.0, top}, cell, young, 0.5};
        blockDef rigid = {{-0.05, 0.0, 0.0}, {0.05, 0.05, top}, cell, 0.0, 0.5};
        blockDef whole = {{-0.05, -0.05, 0.0}, {0.05, 0.05, top}, cell, young, 0.5};
        blocksAdd(&b, k == 2 ? &whole : &left);
        if (k == 1)
        {
            blocksAdd(&b, &right);
            blocksAdd(&b, &rigid);
        }
        palTickRecord record = press(&b, "accurate", -0.5e-3, -0.5e-3, 0.01, 2000);
        forces[k] = record.force.z;
        assert_true(k != 1 || record.proxy.y < 1e-6);
        blocksFree(&b);
    }
    assert_true(forces[0] > 0.1);
    assert_true(forces[1] >= 0.999 * forces[0]);
    assert_true(forces[1] <= 1.001 * forces[2]);
}

// What a body gives at rest does not depend on the method; penalty has its spring in series.
static void theMethodsAgreeOnOneBlock(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard", "penalty"};
    double stiffness[3];
    for (int i = 0; i < 3; i++)
    {
        blocks b = {0};
        blockDef block = blockOf(-0.025, 0.025, young, 0.0);
        blocksAdd(&b, &block);
        palTickRecord record = press(&b, methods[i], 0.0, 0.0, 5e-3, 3400);
        double spring =
            i == 2 ? record.force.z / palDefaultEngineDef(NULL).methodDef.settings.penalty.stiffness
                   : 0.0;
        stiffness[i] = record.force.z / (top - record.proxy.z - spring);
        blocksFree(&b);
    }
    ASSERT_NEAR(stiffness[1] / stiffness[0], 1.0, 0.02);
    ASSERT_NEAR(stiffness[2] / stiffness[0], 1.0, 0.02);
}

// The largest change of force from tick to tick in a stroke over the seam.
static double strokeJump(arrangement kind, const char* method)
{
    static tying t;
    blocks b;
    arrange(&b, &t, kind, 0.3);
    const double depth = 3e-3, y = 3e-3;
    blocksGo(&b, palMakeVec3(-0.015, y, top + 5e-3), 0.0);
    blocksGo(&b, palMakeVec3(-0.015, y, top - depth), 0.3);
    blocksGo(&b, palMakeVec3(-0.015, y, top - depth), 0.3);
    blocksGo(&b, palMakeVec3(0.015, y, top - depth), 0.6);
    blocksStart(&b, method, 0.033);
    palVec3 before = pal_zeroVec3;
    double jump = 0.0;
    for (int k = 0; k < 1200; k++)
    {
        palTickRecord record = blocksStep(&b);
        if (k > 650)
            jump = fmax(jump, palDistance(record.force, before));
        before = record.force;
        assert_true(palIsFinite(record.force));
    }
    blocksFree(&b);
    return jump;
}

static void aStrokeOverATiedSeamIsSmooth(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard"};
    for (int i = 0; i < 2; i++)
    {
        double tied = strokeJump(twoTied, methods[i]);
        double whole = strokeJump(oneWhole, methods[i]);
        ASSERT_BELOW(tied, 2.0 * whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theSeamIsFelt),
        cmocka_unit_test(tiedBlocksFeelAsOne),
        cmocka_unit_test(accurateAndStandardAgreeAtRest),
        cmocka_unit_test(threeBodiesMeetInACorner),
        cmocka_unit_test(theMethodsAgreeOnOneBlock),
        cmocka_unit_test(aStrokeOverATiedSeamIsSmooth),
    };
    return RUN(tests);
}
