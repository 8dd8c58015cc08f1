// SPDX-License-Identifier: Apache-2.0
// Methods agree at rest: the same block, pressed 5 mm deep and held, pushes a hand equally under
// every method that takes what the hand holds, but for the springs that a method puts in series.
#include "scene_session.h"

#include "render/method.h"

static const double depth = 0.005;     // m, of the device below where it touches
static const double coupling = 1000.0; // N/m
static const double penalty = 10000.0; // N/m

// A block with its top at y = 0, held at its bottom, and what is beside it.
static const char sceneText[] =
    "palpate: 1\n"
    "time: {seconds: 2, dt: 0.001, low_dt: 0.02, latency: 0.01}\n"
    "method: {name: %s, radius: 0.012, penalty_stiffness: %g}\n"
    "coupling: {stiffness: %g, damping: 1}\n"
    "trajectory: {kind: path, points: [{t: 0, at: [%g, %g, 0.003]}, {t: 0.5, at: [%g, %g, 0.003]},"
    " {t: 2, at: [%g, %g, 0.003]}]}\n"
    "objects:\n"
    "  - {name: block, shape: {kind: box, size: [0.05, 0.04, 0.05]}, position: [0, -0.02, 0],"
    " friction: 0.3, soft: {young: %g, stiffening: %g, poisson: 0.3, elements: tets, resolution: 6,"
    " fixed: [{nodes: ymin}]}}\n%s%s";

static const char rigidBeside[] =
    "  - {name: wall, shape: {kind: box, size: [0.02, 0.06, 0.05]}, position: [0.036, -0.03, 0],"
    " friction: 0.3}\n";

typedef struct Hand
{
    palHandKind kind;
    const char* text;
    double height; // m, of the device when it touches
} Hand;

static const Hand hands[] = {
    {pal_handPoint, "", 0.0},
    {pal_handTool, "tool: {shape: {kind: sphere, radius: 0.006, resolution: 10}}\n", 0.006},
    {pal_handTool, "tool: {shape: {kind: box, size: [0.016, 0.01, 0.016], resolution: 4}}\n",
     0.005},
};

// The force at rest, N, upwards, with the device `deep` below where it touches.
static double restForce(const char* method, const Hand* hand, double x, double deep, double young,
                        double stiffening, const char* beside)
{
    char text[2048];
    snprintf(text, sizeof text, sceneText, method, penalty, coupling, x, hand->height + 0.002, x,
             hand->height - deep, x, hand->height - deep, young, stiffening, beside, hand->text);
    palSession* session = startScene(text);
    palStep step = {0};
    double sum = 0.0;
    const int ticks = 1500, last = 200;
    for (int k = 0; k < ticks; k++)
    {
        palSession_Step(session, &step);
        sum += k >= ticks - last ? step.force.y : 0.0;
    }
    palSession_Destroy(session);
    return sum / last;
}

// The spring that a method puts between the hand and the tissue besides the coupling, N/m.
static double springOf(const char* method)
{
    if (strcmp(method, "penalty") == 0)
        return penalty;
    return strcmp(method, "coupling") == 0 ? coupling : INFINITY;
}

// How deep the device goes: as much deeper as the spring gives way to the force.
static double depthFor(const char* method, double force)
{
    return depth + force / springOf(method);
}

static void compareMethods(const Hand* hand, double x, double young, double stiffening,
                           const char* beside)
{
    unsigned parts = PAL_ACCEPTS(pal_partSoft);
    if (beside[0] != '\0')
        parts |= PAL_ACCEPTS(pal_partStatic);
    const char* reference = hand->kind == pal_handPoint ? "accurate" : "linear";
    double expected =
        restForce(reference, hand, x, depthFor(reference, 0.0), young, stiffening, beside);
    assert_true(expected > 0.05);
    int different = 0;
    for (int i = 0; palMethodAt(i) != NULL; i++)
    {
        const char* method = palMethodAt(i)->name;
        if (strcmp(method, reference) == 0 ||
            !palMethodOps_Accepts(palMethodAt(i)->forms[hand->kind], parts))
            continue;
        double force =
            restForce(method, hand, x, depthFor(method, expected), young, stiffening, beside);
        double off = force / expected - 1.0;
        print_message("%s, %s, x %g, %g Pa, b %g: %s %.4f N, %+.2f %%\n",
                      palHandKind_Name(hand->kind), beside[0] != '\0' ? "wall" : "alone", x, young,
                      stiffening, method, force, 100.0 * off);
        different += !(fabs(off) < 0.02);
    }
    assert_int_equal(different, 0);
}

static void a_soft_block_pushes_equally_under_every_method(void** state)
{
    (void)state;
    SKIP_SLOWED();
    for (size_t i = 0; i < sizeof hands / sizeof hands[0]; i++)
        for (int k = 0; k < 2; k++)
            compareMethods(&hands[i], 0.002, k == 0 ? 5e3 : 3e4, 0.0, "");
}

static void a_stiffening_block_pushes_equally_under_every_method(void** state)
{
    (void)state;
    SKIP_SLOWED();
    compareMethods(&hands[0], 0.002, 5e3, 6.0, "");
    compareMethods(&hands[1], 0.002, 5e3, 6.0, "");
}

static void a_soft_block_beside_a_rigid_one_pushes_equally_under_every_method(void** state)
{
    (void)state;
    SKIP_SLOWED();
    for (size_t i = 0; i < sizeof hands / sizeof hands[0]; i++)
        compareMethods(&hands[i], 0.012, 1e4, 0.0, rigidBeside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soft_block_pushes_equally_under_every_method),
        cmocka_unit_test(a_stiffening_block_pushes_equally_under_every_method),
        cmocka_unit_test(a_soft_block_beside_a_rigid_one_pushes_equally_under_every_method),
    };
    return RUN(tests);
}
