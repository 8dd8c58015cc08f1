// SPDX-License-Identifier: Apache-2.0
// A world with a device of the program's own: a finger of 50 g that presses on a table with 1 N and
// moves under the force that Palpate computes.
//
//     cc own_device.c $(pkg-config --cflags --libs palpate) -o own_device
//
// At rest the contact force equals the pressing force: 1 N upward.
#include <palpate/world.h>

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

// What the device can render; a zero means that no limit is known. With its damping the coupling is
// kept passive.
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

// The world receives an open device, so that probe, open and close are not needed.
static const palDeviceOps fingerOps = {
    .size = sizeof(palDeviceOps),
    .name = "finger",
    .summary = "a finger that presses with 1 N",
    .limits = tellLimits,
    .read = readState,
    .write = writeForce,
};

static void printError(const palError* error)
{
    char text[2048];
    palError_Format(error, text, sizeof text);
    fprintf(stderr, "own_device: %s\n", text);
}

int main(void)
{
    palDevice finger = {.position = {.y = 0.005}}; // 5 mm above the table
    palSurfaceDef box = palDefaultSurfaceDef();
    box.shape = "box";
    box.shapeSize = (palVec3){0.2, 0.04, 0.2};
    palObjectDef table = palDefaultObjectDef();
    table.surface = &box;
    table.position.y = -0.02;
    table.friction = 0.5;
    palHandDef handDef = palDefaultHandDef();
    handDef.deviceOps = &fingerOps;
    handDef.device = &finger;

    palError error;
    palWorld* world;
    palHandId hand;
    palWorldDef worldDef = palDefaultWorldDef();
    palWorld_Create(&worldDef, &world, NULL);
    palWorld_AddObject(world, &table, NULL, NULL);
    palWorld_AddHand(world, &handDef, &hand, NULL);
    palResult result = palWorld_Prepare(world, &error); // also tells what was wrong before
    bool isWarning;
    const palError* message;
    for (int i = 0; (message = palWorld_Message(world, i, &isWarning)) != NULL; i++)
        if (isWarning)
            printError(message);

    palHandState state = palMakeHandState();
    for (int i = 0; i < 1500 && result == pal_ok; i++) // 1.5 s
    {
        result = palWorld_Step(world, &error);
        palWorld_GetHand(world, hand, &state);
        if (i % 250 == 249)
            printf("%.3f s: finger at %7.4f mm, force %.4f N\n", palWorld_Time(world),
                   1e3 * state.device.y, state.force.y);
    }
    if (result != pal_ok)
        printError(&error);
    palWorld_Destroy(world);
    return result == pal_ok ? 0 : 1;
}
