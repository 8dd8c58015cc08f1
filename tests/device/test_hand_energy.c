// SPDX-License-Identifier: Apache-2.0
// The energy that the simulated hand receives, -∫ f_hand · v dt, against closed forms, against an
// independent integration, and in runs that are passive and that are not.
#include "check.h"

#include "base/random.h"
#include "device/simulated.h"

#include <stdio.h>

static const double dt = 1e-3;

static palTrajectory* makeTarget(const char* text)
{
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryFile);
    palTrajectory* trajectory;
    palError error;
    assert_int_equal(
        palTrajectory_CreateFromCsv(&def, text, strlen(text), "target", &trajectory, &error),
        pal_ok);
    return trajectory;
}

static palDevice* openAt(const palDevicePreset* preset, palHumanHandDef hand,
                         const palTrajectory* target, double step)
{
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = target;
    context.dt = step;
    palDevice* device;
    palError error = {0};
    if (palSimulated_Open(&context, preset, &hand, &device, &error) != pal_ok)
        fail_msg("%s", error.text);
    return device;
}

static palDeviceState readAt(palDevice* device, double t)
{
    palDeviceState state = {.size = sizeof state};
    pal_simulatedDevice.read(device, t, &state);
    assert_true(state.features & pal_featureHandEnergy);
    return state;
}

static void push(palDevice* device, double x, double y)
{
    const palDeviceOutput output = {
        .size = sizeof output, .channelCount = 1, .channels = {{.force = {x, y, 0}}}};
    pal_simulatedDevice.write(device, &output);
}

//--------------------------------------------------------------------------------------------------
// Closed forms

// Device and hand pushed from rest by F: m x'' + c x' + k x = F.
typedef struct Pushed
{
    double F, m, c, k;
} Pushed;

static double velocityOf(Pushed p, double t)
{
    double a = p.c / (2 * p.m);
    double d = a * a - p.k / p.m;
    if (p.k == 0.0)
        return p.F / p.c * (1.0 - exp(-p.c / p.m * t));
    double w = sqrt(fabs(d));
    return p.F / (p.m * w) * exp(-a * t) * (d < 0.0 ? sin(w * t) : sinh(w * t));
}

// b ∫ v² dt over a high-rate step, by Simpson's rule.
static double dissipated(Pushed p, double b, double t)
{
    const int parts = 20;
    double h = dt / parts, sum = 0.0;
    for (int i = 0; i <= parts; i++)
    {
        double v = velocityOf(p, t + i * h);
        sum += (i == 0 || i == parts ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * v * v;
    }
    return b * sum * h / 3.0;
}

// Work of the motor and of the hand = kinetic energy of the mechanism + what its damping took.
static void motor_and_hand_give_what_the_mechanism_keeps_and_loses(void** state)
{
    (void)state;
    const palHumanHandDef hands[] = {
        {300.0, 5.0, 0.1}, {200.0, 40.0, 0.3}, {0.0, 3.0, 0.2}, {300.0, 0.0, 0.1}};
    palTrajectory* target = makeTarget("t,x,y,z\n0,0,0,0\n");
    for (int i = 0; i < 4; i++)
    {
        palDevicePreset preset = {.name = "ideal", .mass = 0.05, .damping = i == 3 ? 0.0 : 0.4};
        Pushed p = {2.0, 0.05 + hands[i].mass, preset.damping + hands[i].damping,
                    hands[i].stiffness};
        palDevice* device = openAt(&preset, hands[i], target, dt);
        double lost = 0.0, most = 0.0;
        readAt(device, 0.0);
        push(device, p.F, 0.0);
        for (int step = 1; step <= 400; step++)
        {
            palDeviceState seen = readAt(device, step * dt);
            double v = velocityOf(p, step * dt);
            double motor = p.F * seen.position.x;
            double kinetic = 0.5 * preset.mass * v * v;
            lost += dissipated(p, preset.damping, (step - 1) * dt);
            ASSERT_NEAR(motor - seen.handEnergy, kinetic + lost, 1e-13 + 1e-12 * motor);
            most = fmax(most, seen.handEnergy);
        }
        ASSERT_BELOW(1e-3, most);
        pal_simulatedDevice.close(device);
    }
    palTrajectory_Destroy(target);
}

// A hand that is nothing but a mass holds its kinetic energy. Pushed off, it meets a spring without
// loss, of which a sampled force gives the exact motion x += v h + a h² / 2. Returns how much more
// it has after the wall than before, as a share of what it had.
static double bounceFrom(double stiffness, double step)
{
    const palDevicePreset preset = {.name = "ideal", .mass = 0.05};
    const palHumanHandDef hand = {.mass = 0.15};
    const double wall = 0.01, mass = 0.2;
    palTrajectory* target = makeTarget("t,x,y,z\n0,0,0,0\n");
    palDevice* device = openAt(&preset, hand, target, step);
    double x = 0.0, v = 0.0, before = 0.0, least = INFINITY, after = 0.0;
    for (int n = 0; n * step < 0.3 && x >= 0.0; n++)
    {
        palDeviceState seen = readAt(device, n * step);
        ASSERT_NEAR(seen.position.x, x, 1e-12);
        ASSERT_NEAR(seen.handEnergy, 0.5 * hand.mass * v * v, 1e-13);
        bool pushed = n * step < 0.05 - 0.5 * step;
        if (x > wall)
            least = fmin(least, seen.handEnergy);
        else if (!pushed)
            *(v > 0.0 ? &before : &after) = seen.handEnergy;
        double force = pushed ? 0.4 : x > wall ? -stiffness * (x - wall) : 0.0;
        push(device, force, 0.0);
        x += v * step + 0.5 * force / mass * step * step;
        v += force / mass * step;
    }
    // 20 mN·s on 0.2 kg: 0.1 m/s.
    ASSERT_NEAR(before, 0.5 * 0.15 * 0.01, 1e-12);
    ASSERT_BELOW(least, 0.05 * before); // it had given nearly all to the wall
    assert_true(after > 0.0);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
    return after / before - 1.0;
}

static void a_spring_without_loss_gives_back_what_it_was_given(void** state)
{
    (void)state;
    double coarse = bounceFrom(1000.0, 1e-3);
    double fine = bounceFrom(1000.0, 1e-4);
    double finest = bounceFrom(1000.0, 1e-5);
    // What sampling adds goes with the step.
    assert_true(coarse > 0.0);
    ASSERT_BELOW(fabs(fine), 0.25 * coarse);
    ASSERT_BELOW(fabs(finest), 2e-3);
}

// A spring whose force comes a step late feeds an oscillation; the hand, a mass, holds 3/4 of its
// kinetic energy.
static void a_late_spring_gives_the_energy_of_the_growing_oscillation(void** state)
{
    (void)state;
    const palDevicePreset preset = {.name = "ideal", .mass = 0.05};
    const palHumanHandDef hand = {.mass = 0.15};
    const double stiffness = 2000.0, mass = 0.2;
    palTrajectory* target = makeTarget("t,x,y,z\n0,0,0,0\n");
    palDevice* device = openAt(&preset, hand, target, dt);
    double x = 0.0, v = 0.0, late = 1.0, largest = 0.0;
    for (int n = 0; n < 600; n++)
    {
        palDeviceState seen = readAt(device, n * dt);
        double truth = 0.5 * hand.mass * v * v;
        ASSERT_NEAR(seen.handEnergy, truth, 1e-9 * largest + 1e-15);
        largest = fmax(largest, truth);
        push(device, late, 0.0);
        x += v * dt + 0.5 * late / mass * dt * dt;
        v += late / mass * dt;
        late = -stiffness * seen.position.x;
    }
    ASSERT_BELOW(1e-3, largest); // J; the first push gave 2 µJ
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
}

//--------------------------------------------------------------------------------------------------
// A moving target

// One axis of the equation of simulated.h, with the energy as a third state.
typedef struct Motion
{
    double x, v, energy;
} Motion;

typedef struct Axis
{
    double force, target, targetSpeed; // N, m at the start of the step, m/s
} Axis;

static Motion rateOf(const palDevicePreset* preset, const palHumanHandDef* hand, Axis axis,
                     Motion at, double t)
{
    double grip = hand->stiffness * (axis.target + axis.targetSpeed * t - at.x) +
                  hand->damping * (axis.targetSpeed - at.v);
    double sum = axis.force + grip - preset->damping * at.v;
    return (Motion){at.v, sum / (preset->mass + hand->mass), -grip * at.v};
}

static Motion advanceBy(Motion at, double h, Motion rate)
{
    return (Motion){at.x + h * rate.x, at.v + h * rate.v, at.energy + h * rate.energy};
}

// Runge and Kutta's method, twenty steps in one of the device's.
static Motion integrate(const palDevicePreset* preset, const palHumanHandDef* hand, Axis axis,
                        Motion at)
{
    const double h = dt / 20;
    for (int i = 0; i < 20; i++)
    {
        double t = i * h;
        Motion a = rateOf(preset, hand, axis, at, t);
        Motion b = rateOf(preset, hand, axis, advanceBy(at, h / 2, a), t + h / 2);
        Motion c = rateOf(preset, hand, axis, advanceBy(at, h / 2, b), t + h / 2);
        Motion d = rateOf(preset, hand, axis, advanceBy(at, h, c), t + h);
        at = advanceBy(at, h / 6, a);
        at = advanceBy(at, h / 3, b);
        at = advanceBy(at, h / 3, c);
        at = advanceBy(at, h / 6, d);
    }
    return at;
}

static void a_moving_hand_receives_what_an_independent_integration_says(void** state)
{
    (void)state;
    const char* path = "t,x,y,z\n0,0,0,0\n0.05,0.01,-0.002,0\n0.1,0.004,0.01,0\n0.2,0.004,0,0\n";
    const double times[] = {0.0, 0.05, 0.1, 0.2, INFINITY};
    const double xs[] = {0.0, 0.01, 0.004, 0.004}, ys[] = {0.0, -0.002, 0.01, 0.0};
    const palHumanHandDef hands[] = {{300.0, 5.0, 0.1}, {800.0, 0.0, 0.0}, {0.0, 6.0, 0.2}};
    palTrajectory* target = makeTarget(path);
    for (int i = 0; i < 3; i++)
    {
        const palDevicePreset preset = {.name = "ideal", .mass = 0.08, .damping = 0.3 * i};
        palDevice* device = openAt(&preset, hands[i], target, dt);
        palRandom random = palMakeRandom(9);
        Motion x = {0}, y = {0};
        readAt(device, 0.0);
        for (int step = 0; step < 300; step++)
        {
            double t = step * dt, fx = palRandom_Normal(&random), fy = palRandom_Normal(&random);
            int k = 0;
            while (t > times[k + 1] - 0.5 * dt)
                k++;
            double span = k < 3 ? times[k + 1] - times[k] : INFINITY;
            double vx = k < 3 ? (xs[k + 1] - xs[k]) / span : 0.0;
            double vy = k < 3 ? (ys[k + 1] - ys[k]) / span : 0.0;
            push(device, fx, fy);
            x = integrate(&preset, &hands[i], (Axis){fx, xs[k] + vx * (t - times[k]), vx}, x);
            y = integrate(&preset, &hands[i], (Axis){fy, ys[k] + vy * (t - times[k]), vy}, y);
            palDeviceState seen = readAt(device, (step + 1) * dt);
            double kinetic = 0.5 * hands[i].mass * (x.v * x.v + y.v * y.v);
            ASSERT_NEAR(seen.position.x, x.x, 1e-10);
            ASSERT_NEAR(seen.handEnergy, x.energy + y.energy + kinetic, 1e-10);
        }
        pal_simulatedDevice.close(device);
    }
    palTrajectory_Destroy(target);
}

//--------------------------------------------------------------------------------------------------
// Friction

// Drawn along at a steady speed, the hand pays for friction and damping, and for nothing else.
static void the_hand_pays_for_the_friction_that_it_overcomes(void** state)
{
    (void)state;
    palTrajectory* target = makeTarget("t,x,y,z\n0,0,0,0\n10,1,0,0\n");
    const palDevicePreset preset = {
        .name = "rubbing", .mass = 0.1, .damping = 1.5, .friction = 0.5};
    palDevice* device = openAt(&preset, palDefaultHumanHandDef(), target, dt);
    double from = 0.0, to = 0.0;
    for (int step = 0; step <= 2500; step++)
    {
        to = readAt(device, step * dt).handEnergy;
        from = step == 1500 ? to : from;
    }
    ASSERT_NEAR(from - to, (0.5 + 1.5 * 0.1) * 0.1 * 1.0, 1e-12);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
}

static void nothing_passes_while_friction_holds_the_device(void** state)
{
    (void)state;
    palTrajectory* target = makeTarget("t,x,y,z\n0,0,0,0\n1,0.001,0,0\n");
    const palDevicePreset preset = {.name = "rubbing", .mass = 0.1, .friction = 0.5};
    palDevice* device = openAt(&preset, palDefaultHumanHandDef(), target, dt);
    for (int step = 0; step <= 1000; step++)
    {
        assert_true(readAt(device, step * dt).handEnergy == 0.0);
        push(device, 0.1 * sin(0.1 * step), 0.0);
    }
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
}

// A hand that is a mass, pushed off and stopped by friction, keeps nothing.
static void friction_that_stops_the_device_takes_the_energy_of_the_hand(void** state)
{
    (void)state;
    palTrajectory* target = makeTarget("t,x,y,z\n0,0,0,0\n");
    const palDevicePreset preset = {.name = "rubbing", .mass = 0.05, .friction = 0.5};
    palDevice* device = openAt(&preset, (palHumanHandDef){.mass = 0.15}, target, dt);
    readAt(device, 0.0);
    push(device, 1.5, 0.0);
    for (int step = 1; step <= 100; step++)
        readAt(device, step * dt);
    push(device, 0.0, 0.0);
    ASSERT_NEAR(readAt(device, 0.1).handEnergy, 0.5 * 0.15 * 0.25, 1e-13);
    for (int step = 101; step <= 320; step++)
        readAt(device, step * dt);
    ASSERT_NEAR(readAt(device, 0.32).handEnergy, 0.0, 1e-14);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motor_and_hand_give_what_the_mechanism_keeps_and_loses),
        cmocka_unit_test(a_spring_without_loss_gives_back_what_it_was_given),
        cmocka_unit_test(a_late_spring_gives_the_energy_of_the_growing_oscillation),
        cmocka_unit_test(a_moving_hand_receives_what_an_independent_integration_says),
        cmocka_unit_test(the_hand_pays_for_the_friction_that_it_overcomes),
        cmocka_unit_test(nothing_passes_while_friction_holds_the_device),
        cmocka_unit_test(friction_that_stops_the_device_takes_the_energy_of_the_hand),
    };
    return RUN(tests);
}
