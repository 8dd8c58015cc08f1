// SPDX-License-Identifier: Apache-2.0
// A soft block beside a rigid one, without friction: what contact holds does not move again.
#include "scene_session.h"

static const char text[] =
    "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 2, dt: 0.001, low_dt: 0.033}\n"
    "method: {name: accurate, radius: 0.015}\ntrajectory: {kind: path, points: "
    "[{t: 0, at: [-0.0125, 0.005, %g]}, {t: 0.4, at: [-0.0125, -0.005, %g]}]}\nobjects:\n"
    "  - {name: block, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [-0.025, -0.025, "
    "0.025], friction: 0, soft: {young: 10000, poisson: 0.3, elements: tets, resolution: 4, "
    "fixed: [{nodes: ymin}]}}\n"
    "  - {name: wall, shape: {kind: box, size: [0.1, 0.05, 0.05]}, position: [0, -0.025, -0.025], "
    "friction: 0}\n";

// Pressed at different distances from the wall and held, the force and the surface come to rest.
static void a_block_pressed_beside_a_wall_comes_to_rest(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const double distances[] = {5e-4, 3e-3, 0.0125}; // m
    for (int k = 0; k < 3; k++)
    {
        char scene[2048];
        snprintf(scene, sizeof scene, text, distances[k], distances[k]);
        palSession* session = startScene(scene);
        const palEngine* engine = palSession_Engine(session);
        const palSurface* surface = &engine->methods.methods[0]->def.colliders[0].surface;
        palVec3* rest = malloc((size_t)surface->vertexCount * sizeof *rest);
        palStep step = {0};
        for (int i = 0; i < 1400; i++)
            palSession_Step(session, &step);
        memcpy(rest, surface->vertices, (size_t)surface->vertexCount * sizeof *rest);
        double force = step.force.y, change = 0.0, moved = 0.0;
        for (int i = 0; i < 400; i++)
        {
            palSession_Step(session, &step);
            change = fmax(change, fabs(step.force.y - force));
            for (int v = 0; v < surface->vertexCount; v++)
                moved = fmax(moved, palDistance(surface->vertices[v], rest[v]));
        }
        print_message("%g m: %.4f N, changes by %.1e N, moves by %.1e m\n", distances[k], force,
                      change, moved);
        ASSERT_BELOW(0.1, force);
        ASSERT_BELOW(change, 1e-3);
        ASSERT_BELOW(moved, 2e-5);
        free(rest);
        palSession_Destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_pressed_beside_a_wall_comes_to_rest),
    };
    return RUN(tests);
}
