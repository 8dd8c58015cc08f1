// SPDX-License-Identifier: Apache-2.0
// Three bodies that meet in a corner, two of them soft: a hand that presses near it feels at least
// one soft body at its edge, at most one block of both, and the same under every method.
#include "scene_session.h"

static const double depth = 0.005;    // m, of the device below the surface
static const double penalty = 2000.0; // N/m
static const double young = 1e4;      // Pa; that of the second body is three times as much

typedef enum Bodies
{
    softAlone,
    firmAlone,
    glued, // one block of both soft bodies, as stiff as the firm one
    three,
} Bodies;

static const char head[] =
    "palpate: 1\n"
    "time: {seconds: 2, dt: 0.001, low_dt: 0.033}\n"
    "method: {name: %s, radius: 0.015, penalty_stiffness: %g}\n"
    "trajectory: {kind: path, points: [{t: 0, at: [%g, 0.005, %g]}, {t: 0.4, at: [%g, %g, %g]},"
    " {t: 2, at: [%g, %g, %g]}]}\n"
    "objects:\n";

static const char block[] =
    "  - {name: block%d, shape: {kind: box, size: [%g, 0.05, %g]}, position: [%g, -0.025, %g],"
    " friction: %g, soft: {young: %g, poisson: 0.3, elements: tets, resolution: 4,"
    " fixed: [{nodes: ymin}]}}\n";

static const char wall[] =
    "  - {name: wall, shape: {kind: box, size: [0.1, 0.05, 0.05]}, position: [0, -0.025, -0.025],"
    " friction: %g}\n";

typedef struct Press
{
    double x, z; // m
    double friction;
} Press;

static void describe(char* text, size_t size, const char* method, const Press* p, Bodies bodies)
{
    int n = snprintf(text, size, head, method, penalty, p->x, p->z, p->x, -depth, p->z, p->x,
                     -depth, p->z);
    if (bodies == softAlone || bodies == three)
        n += snprintf(text + n, size - (size_t)n, block, 0, 0.05, 0.05, -0.025, 0.025, p->friction,
                      young);
    if (bodies == firmAlone || bodies == three)
        n += snprintf(text + n, size - (size_t)n, block, 1, 0.05, 0.05, 0.025, 0.025, p->friction,
                      3.0 * young);
    if (bodies == glued)
        n += snprintf(text + n, size - (size_t)n, block, 0, 0.1, 0.05, 0.0, 0.025, p->friction,
                      3.0 * young);
    if (bodies == three)
        snprintf(text + n, size - (size_t)n, wall, p->friction);
}

typedef struct Felt
{
    double stiffness; // N/m: the force at rest for the way that the tissue is pressed, the mean of
                      // the last half second, without the spring of `penalty`
    double jump;      // N: the largest change from tick to tick
} Felt;

static Felt press(const char* method, const Press* p, Bodies bodies)
{
    char text[2048];
    describe(text, sizeof text, method, p, bodies);
    palSession* session = startScene(text);
    palStep step = {0};
    palVec3 before = {0};
    double force = 0.0, way = 0.0, jump = 0.0;
    const int ticks = 1400, last = 500;
    for (int k = 0; k < ticks; k++)
    {
        palSession_Step(session, &step);
        jump = fmax(jump, palDistance(step.force, before));
        before = step.force;
        force += k >= ticks - last ? step.force.y : 0.0;
        way -= k >= ticks - last ? step.proxy.y : 0.0;
    }
    palSession_Destroy(session);
    double spring = strcmp(method, "penalty") == 0 ? penalty : INFINITY;
    return (Felt){force / (way - force / spring), jump};
}

static void the_methods_agree_near_a_corner_of_three_bodies(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const methods[] = {"accurate", "standard", "penalty"};
    static const double places[] = {-5e-4, 0.0, 5e-4}; // m
    for (int k = 0; k < 6; k++)
    {
        Press p = {places[k % 3], 5e-4, k < 3 ? 0.0 : 0.3};
        // On the seam the point may slide to either side.
        Press aside = {p.x > 0.0 ? p.x : places[0], p.z, p.friction};
        double least = press("accurate", &aside, p.x > 0.0 ? firmAlone : softAlone).stiffness;
        double most = press("accurate", &p, glued).stiffness;
        Felt felt[3];
        for (int i = 0; i < 3; i++)
        {
            felt[i] = press(methods[i], &p, three);
            print_message("x %g, friction %g: %s %.2f N/m, %.2f to %.2f, %.3f N\n", p.x, p.friction,
                          methods[i], felt[i].stiffness, least, most, felt[i].jump);
            ASSERT_BELOW(0.97 * least, felt[i].stiffness);
            ASSERT_BELOW(felt[i].stiffness, 1.02 * most);
            ASSERT_BELOW(felt[i].jump, 0.2);
        }
        ASSERT_NEAR(felt[1].stiffness / felt[0].stiffness, 1.0, 0.05);
        ASSERT_NEAR(felt[2].stiffness / felt[0].stiffness, 1.0, 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_methods_agree_near_a_corner_of_three_bodies),
    };
    return RUN(tests);
}
