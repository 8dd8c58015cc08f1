// SPDX-License-Identifier: Apache-2.0
// A hand that holds still on a soft block comes to rest, whatever device it holds.
#include "scene_session.h"

#include "device/simulated.h"
#include "math/vec3.h"

#include <palpate/device.h>
#include <palpate/session.h>

typedef struct Hold
{
    double mean, variance; // N, N²: of the force two seconds after the hand has arrived
    double energy;         // J, given to the hand from then on
} Hold;

// The hand of block-soft.yaml arrives after 1 s.
static Hold holdStill(const char* preset)
{
    char presetSet[64];
    snprintf(presetSet, sizeof presetSet, "device.preset=%s", preset);
    const char* sets[] = {presetSet, "objects.0.soft.resolution=4", "trajectory.hold=3"};
    palSession* session = createSession("block-soft.yaml", sets, 3);
    Hold hold = {0};
    palStep step = {0}, last = {0};
    double sum = 0.0, squares = 0.0;
    int count = 0;
    for (int k = 0; k < 3600; k++, last = step)
    {
        palSession_Step(session, &step);
        if (k < 3100)
            continue;
        sum += step.force.y;
        squares += step.force.y * step.force.y;
        hold.energy += palDot(last.out, palSub(step.device, last.device));
        count++;
    }
    palSession_Destroy(session);
    hold.mean = sum / count;
    hold.variance = fmax(0.0, squares / count - hold.mean * hold.mean);
    return hold;
}

static void a_hand_holding_still_on_a_soft_block_settles_with_every_device(void** state)
{
    (void)state;
    for (int i = 0; palDevicePresetAt(i) != NULL; i++)
    {
        const palDevicePreset* preset = palDevicePresetAt(i);
        Hold hold = holdStill(preset->name);
        ASSERT_BELOW(0.3, hold.mean);
        // A step of the encoder moves the force by what is felt there: the depth is 10 mm at most.
        double trembling = hold.mean / 0.01 * preset->resolution;
        ASSERT_BELOW(hold.variance, 1e-4 + trembling * trembling);
        ASSERT_BELOW(hold.energy, hold.mean * preset->resolution + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_holding_still_on_a_soft_block_settles_with_every_device),
    };
    return RUN(tests);
}
