// SPDX-License-Identifier: Apache-2.0
// A driver in C++17, outside the tree: a hand that holds still 2 mm below the table's upper side
// and checks what it is given.
#include <palpate/session.h>

#include <cmath>
#include <cstdio>

struct palDevice
{
    palVec3 position;
    palDeviceOutput output; // of the last write
};

static void tellLimits(const palDevice*, palDeviceLimits* limits)
{
    limits->maxForce = 1.0;
    limits->hasForce = true;
    limits->channelCount = 3;
    limits->maxFingerForce = 0.5;
    limits->maxGripperForce = 0.5;
    limits->mass = 0.1;
}

static void readState(palDevice* device, double, palDeviceState* state)
{
    state->position = device->position;
    state->orientation.w = 1.0;
    state->fresh = true;
}

static void writeForce(palDevice* device, const palDeviceOutput* output)
{
    device->output = *output;
}

int main(int, char** argv)
{
    palDeviceOps ops = {};
    ops.size = sizeof ops;
    ops.name = "still";
    ops.summary = "holds still";
    ops.limits = tellLimits;
    ops.read = readState;
    ops.write = writeForce;

    const char* const sets[] = {
        "coupling={stiffness: 1000, damping: 0.8, mass: 0.001}",
        "objects=[{name: block, shape: {kind: box, size: [0.1, 0.04, 0.1]}, "
        "position: [0, -0.02, 0]}]",
    };
    palDevice device = {};
    device.position.y = 0.001;
    palSessionDef def = palDefaultSessionDef();
    def.scene = argv[1];
    def.sets = sets;
    def.setCount = 2;
    def.deviceOps = &ops;
    def.device = &device;
    palSession* session = nullptr;
    palError error = {};
    if (palSession_Create(&def, &session, &error) != pal_ok)
    {
        std::fprintf(stderr, "%s; %s\n", error.text, error.remedy);
        return 1;
    }
    palStep step = {};
    for (int i = 0; i < 500; i++)
    {
        palSession_Step(session, &step);
        device.position.y = std::fmax(-0.002, device.position.y - 1e-5);
    }
    palSession_Destroy(session);
    // 2 N are asked for, 1 N arrives; fingers and gripper get nothing.
    const palDeviceOutput& out = device.output;
    bool isRight = std::fabs(step.force.y - 2.0) < 1e-4 && out.size == sizeof out &&
                   out.channelCount == 3 && std::fabs(out.channels[0].force.y - 1.0) < 1e-9 &&
                   out.channels[2].force.y == 0.0 && out.gripperForce == 0.0;
    if (!isRight)
        std::fprintf(stderr, "asked for %g N, %d channels, %g N written\n", step.force.y,
                     out.channelCount, out.channels[0].force.y);
    return isRight ? 0 : 1;
}
