// SPDX-License-Identifier: Apache-2.0
// What the hand feels of a free body that it pushes to and fro, beside a mass on the coupling.
#include "scene_session.h"

#include <complex.h>

static const double dt = 1e-3, stiffness = 1000.0, damping = 20.0;
static const double toolMass = 0.05, gravity = 1.0, speed = 0.005;

typedef struct Case
{
    const char* method;
    const char* law;        // of the contacts
    double mass, frequency; // kg, Hz
} Case;

// The complex amplitude of the force over that of the hand, N/m, of a mass on the coupling, solved
// by the implicit Euler method: s = (1 - exp(-iw dt)) / dt.
static double complex impedanceOfMass(const Case* it)
{
    double complex s = (1.0 - cexp(-2.0 * I * PAL_PI * it->frequency * dt)) / dt;
    double complex coupling = stiffness + s * damping, inertia = (it->mass + toolMass) * s * s;
    return coupling * inertia / (coupling + inertia);
}

// A box lies on the tool that moves it up and down, and weighs enough to stay there.
static double complex impedanceOf(const Case* it, double lowDt)
{
    char text[2048];
    double omega = 2.0 * PAL_PI * it->frequency, weight = (it->mass + toolMass) * gravity;
    snprintf(text, sizeof text,
             "palpate: 1\ngravity: [0, %g, 0]\ntime: {seconds: 100, low_dt: %g}\nmethod: {name: "
             "%s}\ncontact: {law: %s}\ncoupling: {stiffness: %g, damping: %g}\ntool: {shape: "
             "{kind: box, size: [0.04, 0.04, 0.04]}, mass: %g}\ntrajectory: {kind: sine, speed: "
             "%g, start: [0, 0, 0], amplitude: %.9g, wavelength: %.9g, offset: %.9g}\nobjects:\n"
             "  - {name: box, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0, 0.045, "
             "0], motion: free, mass: %g, friction: 0.5}\n",
             -gravity, lowDt, it->method, it->law, stiffness, damping, toolMass, speed,
             0.2 * weight / cabs(impedanceOfMass(it)), speed / it->frequency, weight / stiffness,
             it->mass);
    palSession* session = startScene(text);
    // What the start leaves swings out with damping / (2 mass).
    int wait = (int)lround((1.0 + 0.6 * it->mass) / dt);
    int steps = (int)lround(2.0 / it->frequency / dt);
    double complex force = 0.0, device = 0.0;
    for (int k = 0; k < wait + steps; k++)
    {
        palStep step;
        palSession_Step(session, &step);
        if (k < wait)
            continue;
        double complex turn = cexp(-I * omega * k * dt);
        force += turn * step.force.y;
        device += turn * step.device.y;
    }
    palSession_Destroy(session);
    return -force / device;
}

// By how much the impedance is off, of 1; the same at a low rate of 30 Hz and of 1 kHz.
static double errorOf(const Case* it)
{
    double complex law = impedanceOfMass(it), measured = impedanceOf(it, 0.033);
    ASSERT_NEAR(cabs(impedanceOf(it, 0.001) / measured - 1.0), 0.0, 1e-6);
    double error = cabs(measured / law - 1.0);
    print_message("%s, %s, %g kg, %g Hz: %.2f N/m, %.2f %% off\n", it->method, it->law, it->mass,
                  it->frequency, cabs(measured), 100.0 * error);
    return error;
}

static void check(const char* method, const char* law, double allowed)
{
    static const double masses[] = {0.05, 0.5, 5.0}, frequencies[] = {0.5, 2.0, 10.0};
    for (int m = 0; m < 3; m++)
        for (int f = 0; f < 3; f++)
            if (isLongRun() || (m == 0 && f == 2) || (m == 2 && f == 2))
            {
                Case it = {method, law, masses[m], frequencies[f]};
                ASSERT_BELOW(errorOf(&it), allowed);
            }
}

static void a_free_body_feels_as_heavy_as_it_is(void** state)
{
    (void)state;
    check("accurate", "compliant", 0.001);
    check("linear", "rigid", 0.001);
    if (!isLongRun())
        return;
    check("standard", "compliant", 0.001);
    check("impulse", "rigid", 0.001);
}

// Contacts that give way with the tool's mass at 200 Hz, 79 kN/m here, are a spring in series with
// the coupling.
static void a_contact_that_yields_softens_the_coupling_by_its_share(void** state)
{
    (void)state;
    check("linear", "compliant", 0.05);
    if (!isLongRun())
        return;
    check("impulse", "compliant", 0.05);
    check("compliance", "compliant", 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_feels_as_heavy_as_it_is),
        cmocka_unit_test(a_contact_that_yields_softens_the_coupling_by_its_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
