// SPDX-License-Identifier: Apache-2.0
// A program that uses the library with its own device: a finger of 50 g that presses on a table
// with 1 N and moves under the force that Palpate computes.
//
//     cc own_device.c $(pkg-config --cflags --libs palpate) -o own_device
//     ./own_device touch.yaml
//
// At rest the contact force equals the pressing force: 1 N upward.
#include <palpate/session.h>

#include <stdio.h>

// palDevice is opaque to the library; each driver defines it.
struct palDevice
{
    palVec3 position; // m
    palVec3 velocity; // m/s
    palVec3 force;    // N, from Palpate, constant since the last write
    double time;      // s, of the last read
};

static const double fingerMass = 0.05;   // kg
static const double fingerDamping = 2.0; // N·s/m
static const double pressingForce = 1.0; // N, downward

// What the device can render; a zero means that no limit is known. With its damping the session
// keeps the coupling passive.
static void tellLimits(const palDevice* device, palDeviceLimits* limits)
{
    (void)device;
    limits->maxForce = 3.0;
    limits->passiveDamping = fingerDamping;
    limits->hasForce = true;
}

static double accelerate(double force, double velocity)
{
    return (force - fingerDamping * velocity) / fingerMass;
}

// The state at time t. A real driver reads its hardware; this one integrates the motion of the
// finger (semi-implicit Euler). Called once per high-rate step: it must not allocate, lock or wait.
static void readState(palDevice* device, double t, palDeviceState* state)
{
    double dt = t - device->time;
    palVec3* x = &device->position;
    palVec3* v = &device->velocity;
    v->x += dt * accelerate(device->force.x, v->x);
    v->y += dt * accelerate(device->force.y - pressingForce, v->y);
    v->z += dt * accelerate(device->force.z, v->z);
    x->x += dt * v->x;
    x->y += dt * v->y;
    x->z += dt * v->z;
    device->time = t;
    state->position = device->position;
    state->velocity = device->velocity;
    state->orientation = (palQuat){.w = 1.0};
    state->fresh = true;
}

// The force on the hand until the next write. A real driver sends it to its motors.
static void writeForce(palDevice* device, const palDeviceOutput* output)
{
    device->force = output->channels[0].force;
}

// The session receives an open device, so that probe, open and close are not needed.
static const palDeviceOps fingerOps = {
    .size = sizeof(palDeviceOps),
    .name = "finger",
    .summary = "a finger that presses with 1 N",
    .limits = tellLimits,
    .read = readState,
    .write = writeForce,
};

// Any value of the scene can be changed: here a table replaces the objects of the file.
static const char* const sets[] = {
    "method.name=accurate",
    "objects=[{name: table, shape: {kind: box, size: [0.2, 0.04, 0.2]}, position: [0, -0.02, 0], "
    "friction: 0.5}]",
};

static int printError(const palError* error)
{
    char text[2048];
    palError_Format(error, text, sizeof text);
    fprintf(stderr, "own_device: %s\n", text);
    return 1;
}

int main(int argc, char** argv)
{
    palDevice finger = {.position = {.y = 0.005}}; // 5 mm above the table
    palSessionDef def = palDefaultSessionDef();
    def.scene = argc > 1 ? argv[1] : "touch.yaml";
    def.sets = sets;
    def.setCount = sizeof sets / sizeof sets[0];
    def.deviceOps = &fingerOps;
    def.device = &finger;

    palSession* session;
    palError error;
    if (palSession_Create(&def, &session, &error) != pal_ok)
        return printError(&error);
    bool isWarning;
    const palError* message;
    for (int i = 0; (message = palSession_Message(session, i, &isWarning)) != NULL; i++)
        if (isWarning)
            printError(message);

    palStep step = {0};
    for (int i = 0; i < 1500; i++) // 1.5 s
    {
        palSession_Step(session, &step);
        if (i % 250 == 249)
            printf("%.3f s: finger at %7.4f mm, force %.4f N\n", step.t, 1e3 * step.device.y,
                   step.force.y);
    }
    printf("%s\n", palSession_Verdict(session));
    palSession_Destroy(session);
    return 0;
}
