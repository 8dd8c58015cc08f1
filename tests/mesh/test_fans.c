// SPDX-License-Identifier: Apache-2.0
// Opening a fan leaves the surface as it is, with fewer triangles in its middle.
#include "check.h"

#include "mesh/fans.h"
#include "mesh/halfedge.h"

#include <stdlib.h>

enum
{
    allowed = 48,
};

static const double radius = 0.05; // m
static const double height = 0.04; // m

// A cylinder of n sides whose ends are fans; the upper one is a cone of that height.
static palSurface makeFans(int n, double tip)
{
    palSurface s = {.vertexCount = 2 * n + 2, .triangleCount = 4 * n};
    s.vertices = calloc((size_t)s.vertexCount, sizeof *s.vertices);
    s.triangles = calloc((size_t)s.triangleCount, sizeof *s.triangles);
    assert_non_null(s.vertices);
    assert_non_null(s.triangles);
    for (int i = 0; i < n; i++)
    {
        double angle = 2.0 * M_PI * i / n;
        int j = (i + 1) % n;
        s.vertices[i] = palMakeVec3(radius * cos(angle), radius * sin(angle), height);
        s.vertices[n + i] = palMakeVec3(radius * cos(angle), radius * sin(angle), 0.0);
        const int four[4][3] = {
            {2 * n, i, j}, {i, n + i, n + j}, {i, n + j, j}, {2 * n + 1, n + j, n + i}};
        memcpy(s.triangles[4 * i], four, sizeof four);
    }
    s.vertices[2 * n] = palMakeVec3(0.0, 0.0, height + tip);
    s.vertices[2 * n + 1] = palMakeVec3(0.0, 0.0, 0.0);
    return s;
}

static double volumeOf(const palSurface* s, double* area)
{
    double volume = 0.0;
    *area = 0.0;
    for (int t = 0; t < s->triangleCount; t++)
    {
        const palVec3 a = s->vertices[s->triangles[t][0]];
        const palVec3 b = s->vertices[s->triangles[t][1]];
        const palVec3 c = s->vertices[s->triangles[t][2]];
        double twice = palLength(palCross(palSub(b, a), palSub(c, a)));
        assert_true(twice > 0.0);
        *area += 0.5 * twice;
        volume += palDot(a, palCross(b, c)) / 6.0;
    }
    return volume;
}

static int mostTriangles(palSurface* s)
{
    palHalfEdges h;
    int most = 0;
    assert_int_equal(palHalfEdges_Init(&h, s, NULL), pal_ok);
    for (int v = 0; v < s->vertexCount; v++)
    {
        int valence = palHalfEdges_Valence(&h, v);
        most = valence > most ? valence : most;
    }
    palHalfEdges_Free(&h);
    return most;
}

static void flat_fans_are_opened_and_the_surface_stays(void** state)
{
    (void)state;
    static const int sides[] = {49, 100, 400, 2000};
    for (int i = 0; i < 4; i++)
    {
        palFanFacts facts;
        palSurface s = makeFans(sides[i], 0.0);
        double area, areaBefore;
        double before = volumeOf(&s, &areaBefore);
        assert_int_equal(mostTriangles(&s), sides[i]);
        assert_int_equal(palOpenFans(&s, allowed, &facts, NULL), pal_ok);
        assert_int_equal(facts.opened, 2);
        assert_int_equal(facts.left, 0);
        assert_in_range(mostTriangles(&s), 3, allowed);
        ASSERT_NEAR(volumeOf(&s, &area), before, 1e-12 * before);
        ASSERT_NEAR(area, areaBefore, 1e-12 * area);
        palSurface_Free(&s);
    }
}

static void a_tip_is_left_and_told(void** state)
{
    (void)state;
    palFanFacts facts;
    palSurface s = makeFans(400, 0.05);
    double area, areaBefore;
    double before = volumeOf(&s, &areaBefore);
    assert_int_equal(palOpenFans(&s, allowed, &facts, NULL), pal_ok);
    assert_int_equal(facts.opened, 1);
    assert_int_equal(facts.left, 1);
    assert_in_range(facts.most, allowed + 1, 400);
    // Where the tip is thinned out it is by edges that lie in the surface, nearly.
    ASSERT_NEAR(volumeOf(&s, &area), before, 1e-3 * before);
    palSurface_Free(&s);
}

static void small_fans_are_not_touched(void** state)
{
    (void)state;
    palFanFacts facts;
    palSurface s = makeFans(allowed, 0.0), same = makeFans(allowed, 0.0);
    assert_int_equal(palOpenFans(&s, allowed, &facts, NULL), pal_ok);
    assert_int_equal(facts.opened + facts.left, 0);
    assert_memory_equal(s.triangles, same.triangles, (size_t)s.triangleCount * sizeof *s.triangles);
    palSurface_Free(&s);
    palSurface_Free(&same);
}

static void an_open_surface_stays_as_it_is(void** state)
{
    (void)state;
    palFanFacts facts;
    palSurface s = makeFans(100, 0.0), same = makeFans(100, 0.0);
    s.triangleCount--;
    assert_int_equal(palOpenFans(&s, allowed, &facts, NULL), pal_ok);
    assert_int_equal(facts.opened, 0);
    assert_int_equal(facts.left, 2);
    assert_memory_equal(s.triangles, same.triangles, (size_t)s.triangleCount * sizeof *s.triangles);
    palSurface_Free(&s);
    palSurface_Free(&same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_fans_are_opened_and_the_surface_stays),
        cmocka_unit_test(a_tip_is_left_and_told),
        cmocka_unit_test(small_fans_are_not_touched),
        cmocka_unit_test(an_open_surface_stays_as_it_is),
    };
    return RUN(tests);
}
