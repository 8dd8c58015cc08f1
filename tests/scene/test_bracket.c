// SPDX-License-Identifier: Apache-2.0
// A bracket with two pins, and a block with two holes for them, both from STL files: with 0.05 mm
// of play a side it goes in and out, askew it meets the rim until the hand corrects.
#include "scene_session.h"

#include "math/mat3.h"
#include "mesh/write.h"

enum
{
    sides = 128,
    trianglesMax = 32 * sides,
};

static const double pinRadius = 0.005, holeRadius = 0.00505, pinLength = 0.015;
static const double half = 0.015; // m: half the distance of the pins, and half a square about each

typedef struct Mesh
{
    palVec3 vertices[3 * trianglesMax];
    int triangles[trianglesMax][3];
    int count;
} Mesh;

static void addTriangle(Mesh* mesh, palVec3 a, palVec3 b, palVec3 c)
{
    const palVec3 corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++)
    {
        mesh->vertices[3 * mesh->count + k] = corners[k];
        mesh->triangles[mesh->count][k] = 3 * mesh->count + k;
    }
    mesh->count++;
}

static void addQuad(Mesh* mesh, palVec3 a, palVec3 b, palVec3 c, palVec3 d)
{
    addTriangle(mesh, a, b, c);
    addTriangle(mesh, a, c, d);
}

static palVec3 onCircle(double cx, double radius, double phase, int k, double z)
{
    double angle = 2.0 * PAL_PI * (k + phase) / sides;
    return palMakeVec3(cx + radius * cos(angle), radius * sin(angle), z);
}

static palVec3 onSquare(double cx, int k, double z)
{
    double c = cos(2.0 * PAL_PI * k / sides), s = sin(2.0 * PAL_PI * k / sides);
    double size = half / fmax(fabs(c), fabs(s));
    // The two squares share a side: its vertices are the same.
    double x = cx + size * c;
    return palMakeVec3(fabs(x) < 1e-9 ? 0.0 : x, size * s, z);
}

// The part about one pin or hole that sector k has: the block is below z = 0, the plate above it.
static void addSector(Mesh* mesh, double cx, int k, bool isBlock)
{
    double low = isBlock ? -0.02 : 0.0, high = isBlock ? 0.0 : 0.005;
    double radius = isBlock ? holeRadius : pinRadius, phase = isBlock ? 0.5 : 0.0;
    double tip = isBlock ? low : -pinLength;
    int m = k + 1;
    palVec3 c[2] = {onCircle(cx, radius, phase, k, 0.0), onCircle(cx, radius, phase, m, 0.0)};
    palVec3 t[2] = {onCircle(cx, radius, phase, k, tip), onCircle(cx, radius, phase, m, tip)};
    palVec3 l[2] = {onSquare(cx, k, low), onSquare(cx, m % sides, low)};
    palVec3 h[2] = {onSquare(cx, k, high), onSquare(cx, m % sides, high)};
    if (isBlock)
    {
        addQuad(mesh, c[0], h[0], h[1], c[1]);
        addQuad(mesh, t[0], t[1], l[1], l[0]);
        addQuad(mesh, c[0], c[1], t[1], t[0]);
    }
    else
    {
        palVec3 middle = {cx, 0.0, tip}, top = {cx, 0.0, high};
        addQuad(mesh, c[0], c[1], l[1], l[0]);
        addQuad(mesh, c[0], t[0], t[1], c[1]);
        addTriangle(mesh, middle, t[1], t[0]);
        addTriangle(mesh, top, h[0], h[1]);
    }
    if (l[0].x != 0.0 || l[1].x != 0.0)
        addQuad(mesh, l[0], l[1], h[1], h[0]);
}

static void writePart(const char* path, bool isBlock)
{
    Mesh* mesh = calloc(1, sizeof *mesh);
    assert_non_null(mesh);
    for (int k = 0; k < 2 * sides; k++)
        addSector(mesh, k < sides ? -half : half, k % sides, isBlock);
    palSurface surface = {3 * mesh->count, mesh->count, mesh->vertices, mesh->triangles};
    palError error = {0};
    assert_int_equal(palSurface_Write(&surface, path, &error), pal_ok);
    free(mesh);
}

// How far a point is inside the sides of a prism about z, m.
static double depthInSides(palVec3 x, double radius, double phase)
{
    double side = 2.0 * PAL_PI / sides;
    double off = remainder(atan2(x.y, x.x) - (phase + 0.5) * side, side);
    return radius * cos(0.5 * side) - hypot(x.x, x.y) * cos(off);
}

// How deep pins and block are in each other, by the corners of their rims, m.
static double depthOf(const palStep* step)
{
    palMat3 R = palMakeMat3Quat(step->turn);
    double deepest = -1.0;
    for (int i = 0; i < 2 * sides; i++)
    {
        palVec3 centre = {i < sides ? -half : half, 0.0, 0.0};
        palVec3 pin = onCircle(centre.x, pinRadius, 0.0, i % sides, -pinLength);
        palVec3 x = palAdd(step->proxy, palMat3Apply(R, pin));
        double in = fmin(-depthInSides(palSub(x, centre), holeRadius, 0.5), -x.z);
        palVec3 rim = onCircle(centre.x, holeRadius, 0.5, i % sides, 0.0);
        palVec3 local = palMat3Apply(palMat3Transpose(R), palSub(rim, step->proxy));
        double out = fmin(depthInSides(palSub(local, centre), pinRadius, 0.0), local.z + pinLength);
        deepest = fmax(deepest, fmax(in, out));
    }
    return deepest;
}

typedef struct Felt
{
    double force, jump, depth; // the largest: N, N in a tick, m
    double forceIn, jumpIn;    // of these, once it is in
    palStep last;
} Felt;

static Felt feel(const char* method, const char* way, int ticks)
{
    char folder[] = "/tmp/palpate-bracket-XXXXXX", bracket[64], block[64], text[2048];
    assert_non_null(mkdtemp(folder));
    snprintf(bracket, sizeof bracket, "%s/bracket.stl", folder);
    snprintf(block, sizeof block, "%s/block.stl", folder);
    writePart(bracket, false);
    writePart(block, true);
    snprintf(text, sizeof text,
             "palpate: 1\nmethod: {name: %s}\ntime: {seconds: 10, low_dt: 0.02, latency: 0.005}\n"
             "coupling: {stiffness: 1000, damping: 2}\ntool: {mesh: %s, mass: 0.05}\n"
             "trajectory: {kind: path, points: [%s]}\nobjects:\n  - {name: block, mesh: %s, "
             "friction: 0.1}\n",
             method, bracket, way, block);
    palSession* session = startScene(text);
    unlink(bracket);
    unlink(block);
    rmdir(folder);
    Felt felt = {.depth = -1.0};
    palVec3 force = pal_zeroVec3;
    for (int k = 0; k < ticks; k++)
    {
        palStep* step = &felt.last;
        palSession_Step(session, step);
        double now = palLength(step->force), jump = palDistance(step->force, force);
        bool isIn = step->proxy.z < pinLength - 5e-4;
        felt.force = fmax(felt.force, now);
        felt.jump = fmax(felt.jump, jump);
        felt.forceIn = isIn ? fmax(felt.forceIn, now) : felt.forceIn;
        felt.jumpIn = isIn ? fmax(felt.jumpIn, jump) : felt.jumpIn;
        felt.depth = fmax(felt.depth, depthOf(step));
        force = step->force;
    }
    palSession_Destroy(session);
    print_message("%s: %.3f N, %.3f N in a tick, once it is in %.3f N, %.3f N; %.1f um deep\n",
                  method, felt.force, felt.jump, felt.forceIn, felt.jumpIn, 1e6 * felt.depth);
    return felt;
}

static void a_bracket_goes_in_and_out(void** state)
{
    (void)state;
    static const char* const methods[] = {"linear", "accurate"};
    for (int i = 0; i < 2; i++)
    {
        Felt felt = feel(methods[i],
                         "{t: 0, at: [0.00002, 0.00001, 0.016]}, {t: 0.7, at: [0.00002, 0.00001, "
                         "0.002]}, {t: 0.9, at: [0, 0, 0.002]}, {t: 1.6, at: [0, 0, 0.016]}",
                         1600);
        ASSERT_BELOW(felt.force, 0.2);
        ASSERT_BELOW(felt.jump, 0.01);
        ASSERT_BELOW(felt.depth, 5e-6);
        SKIP_SLOWED();
    }
}

static void a_bracket_that_comes_askew_goes_in_as_the_hand_corrects(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const methods[] = {"linear", "accurate"};
    for (int i = 0; i < 2; i++)
    {
        Felt felt =
            feel(methods[i],
                 "{t: 0, at: [0.0005, 0, 0.017], turn: [0, 1, 0]}, {t: 0.8, at: [0.0005, 0, "
                 "0.0145], turn: [0, 1, 0]}, {t: 1.3, at: [0, 0, 0.0147]}, {t: 1.6, at: [0, 0, "
                 "0.0147]}, {t: 2.6, at: [0, 0, 0.002]}",
                 2600);
        assert_true(felt.force > 0.3); // on the rim
        ASSERT_BELOW(felt.last.proxy.z, 0.0021);
        ASSERT_BELOW(felt.forceIn, 0.2);
        ASSERT_BELOW(felt.jump, 0.3);
        ASSERT_BELOW(felt.jumpIn, 0.3);
        ASSERT_BELOW(felt.depth, 5e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bracket_goes_in_and_out),
        cmocka_unit_test(a_bracket_that_comes_askew_goes_in_as_the_hand_corrects),
    };
    return RUN(tests);
}
