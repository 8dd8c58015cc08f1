// SPDX-License-Identifier: Apache-2.0
// Wires and joints under every method, through whole sessions: what the hand feels of a wire
// against the formula of the beam, and the same scene at rest under different methods.
#include "scene_session.h"

#include "render/compliance.h"
#include "world/step.h"

#define WIRE(more) "section: {shape: circle, radius: 0.002}, young: 2.0e+9, density: 1200" more

static const palMethod* methodOf(palSession* session)
{
    return ((palEngine*)palSession_Engine(session))->methods.methods[0];
}

// Steps for so long. Returns the last step; `jump` gets the largest change of the force in the
// second half.
static palStep run(palSession* session, int ticks, double* jump)
{
    palStep step = {0};
    *jump = 0.0;
    for (int k = 0; k < ticks; k++)
    {
        palVec3 before = step.force;
        palSession_Step(session, &step);
        if (k > ticks / 2)
            *jump = fmax(*jump, palDistance(step.force, before));
    }
    return step;
}

// F = 192 E I δ / L³ in the middle of a wire that is clamped at both ends, whatever the rates.
static void a_point_feels_a_wire_as_a_beam(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const methods[] = {"accurate", "standard", "penalty"};
    const double rates[] = {0.01, 0.033, 0.05};
    const double r = 0.002, L = 0.16;
    double stiffness = 192.0 * 2e9 * 0.25 * PAL_PI * r * r * r * r / (L * L * L);
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++)
        {
            char text[2048];
            snprintf(text, sizeof text,
                     "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 2, dt: 0.001, low_dt: %g, "
                     "latency: %g}\nmethod: {name: %s, radius: 0.01}\ntrajectory: {kind: path, "
                     "points: [{t: 0, at: [0, 0, 0.004]}, {t: 0.5, at: [0, 0, 0.0016]}]}\n"
                     "objects: []\nwires:\n  - {name: string, start: [-0.08, 0, 0], end: [0.08, 0, "
                     "0], elements: 16, clamped: both, " WIRE(", damping: {mass: 10}") "}\n",
                     rates[k], rates[k], methods[m]);
            palSession* session = startScene(text);
            double jump;
            palStep step = run(session, 1500, &jump);
            const palWorldWire* wire = palWorldStep_Wire(methodOf(session)->shared->world, 0);
            double bent = -wire->state.x[8].z;
            print_message("%s, %g s: %.4f N, bent %.4e m, %.1f N/m of %.1f N/m, jump %.2e N\n",
                          methods[m], rates[k], step.force.z, bent, step.force.z / bent, stiffness,
                          jump);
            ASSERT_BELOW(0.05, step.force.z);
            ASSERT_NEAR(step.force.z / bent, stiffness, 0.02 * stiffness);
            ASSERT_BELOW(jump, 1e-5);
            palSession_Destroy(session);
        }
}

// A wire that lies on a block and hangs over its edge, one that lies across it, one that is joined
// to a soft block, and a tool that is elsewhere.
static const char resting[] =
    "gravity: [0, 0, -9.81]\ntime: {seconds: 4, dt: 0.001, low_dt: 0.02, latency: 0.02}\n"
    "trajectory: {kind: line, start: [0.5, 0, 0.3], end: [0.5, 0, 0.31]}\n"
    "tool: {shape: {kind: sphere, radius: 0.005, resolution: 6}}\n"
    "objects:\n"
    "  - {name: block, shape: {kind: box, size: [0.1, 0.1, 0.04]}, position: [0, 0, -0.02], "
    "friction: 0.5}\n"
    "  - {name: soft, shape: {kind: box, size: [0.04, 0.04, 0.04]}, position: [0, 0.2, 0], soft: "
    "{young: 20000, poisson: 0.3, density: 1000, elements: tets, resolution: 3, fixed: "
    "[{nodes: zmin}]}}\n"
    "wires:\n"
    "  - {name: over, start: [-0.04, 0, 0.003], end: [0.12, 0, 0.003], elements: 16, section: "
    "{shape: circle, radius: 0.001}, young: 1.0e+9, density: 4000, friction: 0.5, damping: "
    "{mass: 10}}\n"
    "  - {name: across, start: [-0.03, -0.04, 0.006], end: [-0.03, 0.04, 0.006], elements: 8, "
    "section: {shape: circle, radius: 0.001}, young: 1.0e+9, density: 4000, friction: 0.5, "
    "damping: {mass: 10}}\n"
    "  - {name: hung, start: [0.02, 0.2, 0.015], end: [0.12, 0.2, 0.015], elements: 10, section: "
    "{shape: circle, radius: 0.001}, young: 1.0e+9, density: 4000, clamped: end, damping: "
    "{mass: 10}}\n"
    "joints:\n  - {kind: ball, wire: hung, at: 0, to: soft}\n";

static void wires_rest_alike_under_every_method(void** state)
{
    (void)state;
    static const char* const methods[] = {"compliance", "accurate", "standard",
                                          "penalty",    "linear",   "coupling"};
    double sag[6], middle[6], held[6];
    for (int m = 0; m < 6; m++)
    {
        char text[4096];
        snprintf(text, sizeof text, "palpate: 1\nmethod: {name: %s, radius: 0.004}\n%s", methods[m],
                 resting);
        palSession* session = startScene(text);
        double jump;
        run(session, 4000, &jump);
        const palMethod* method = methodOf(session);
        const palBeamState* states[3];
        for (int w = 0; w < 3; w++)
            states[w] = method->shared->world != NULL
                            ? &palWorldStep_Wire(method->shared->world, w)->state
                            : &((const palCompliance*)method->shared)->wires[w].state;
        sag[m] = 0.001 - states[0]->x[16].z;
        middle[m] = 0.015 - states[2]->x[5].z;
        held[m] = 0.015 - states[2]->x[0].z;
        print_message("%-10s over the edge %.4e m, hung %.4e m, joint %.4e m\n", methods[m], sag[m],
                      middle[m], held[m]);
        palSession_Destroy(session);
        ASSERT_NEAR(sag[m], sag[0], 0.02 * sag[0]);
        ASSERT_NEAR(middle[m], middle[0], 0.02 * middle[0]);
        ASSERT_NEAR(held[m], held[0], 0.02 * held[0] + 1e-5);
    }
    ASSERT_BELOW(5e-4, sag[0]);
}

// Two soft blocks that joints tie are felt as one: pressed on the far one, the near one bends too.
// They overlap by 0.2 mm at the start, so that they do not touch each other: with contact between
// the abutting faces the joints would not decide alone what is felt.
static void joints_are_felt_through(void** state)
{
    (void)state;
    double force[2];
    for (int k = 0; k < 2; k++)
    {
        char text[4096];
        const char* block =
            "friction: 0.3, soft: {young: 50000, poisson: 0.3, density: 1000, elements: tets, "
            "resolution: 4, damping: {mass: 10, stiffness: 0.002}";
        snprintf(text, sizeof text,
                 "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 3, dt: 0.001, low_dt: %g, "
                 "latency: %g}\nmethod: {name: accurate, radius: 0.01}\ntrajectory: {kind: path, "
                 "points: [{t: 0, at: [0.05, 0, 0.025]}, {t: 1, at: [0.05, 0, 0.017]}]}\n"
                 "objects:\n  - {name: one, shape: {kind: box, size: [0.04, 0.04, 0.04]}, %s, "
                 "fixed: [{nodes: xmin}]}}\n  - {name: two, shape: {kind: box, size: [0.04, 0.04, "
                 "0.04]}, position: [0.0398, 0, 0], %s}}\njoints:\n"
                 "  - {kind: ball, body: two, to: one, point: [0.0198, 0.015, 0.015]}\n"
                 "  - {kind: ball, body: two, to: one, point: [0.0198, -0.015, 0.015]}\n"
                 "  - {kind: ball, body: two, to: one, point: [0.0198, 0.015, -0.015]}\n"
                 "  - {kind: ball, body: two, to: one, point: [0.0198, -0.015, -0.015]}\n",
                 k == 0 ? 0.033 : 0.002, k == 0 ? 0.033 : 0.002, block, block);
        palSession* session = startScene(text);
        double jump;
        palStep step = run(session, 2500, &jump);
        const palWorldStep* world = methodOf(session)->shared->world;
        double open = 0.0;
        for (int i = 0; i < world->jointCount; i++)
            open = fmax(open, palWorldStep_JointGap(world, i, false));
        force[k] = step.force.z;
        print_message("%.4f N, jump %.2e N, joints open by %.2e m\n", force[k], jump, open);
        ASSERT_BELOW(open, 1e-4);
        ASSERT_BELOW(jump, 5e-3);
        palSession_Destroy(session);
    }
    ASSERT_BELOW(0.05, force[0]);
    ASSERT_NEAR(force[0], force[1], 0.005 * force[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_feels_a_wire_as_a_beam),
        cmocka_unit_test(wires_rest_alike_under_every_method),
        cmocka_unit_test(joints_are_felt_through),
    };
    return RUN(tests);
}
