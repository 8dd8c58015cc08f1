// SPDX-License-Identifier: Apache-2.0
#include "runtime/balance.h"

// Device and proxy are at rest while they have not gone farther than this, m, nor the force than
// this, N, for so long, s: 1 kg that is accelerated by less than 2 mm/s² makes 2 mN.
static const double restDistance = 2e-5;
static const double restForce = 0.01;
static const double restTime = 0.2;

static bool isSame(const palBalance* balance, const palBalanceTick* tick)
{
    return balance->hasBegun && palDistance(balance->device, tick->device) <= restDistance &&
           palDistance(balance->proxy, tick->proxy) <= restDistance &&
           palDistance(balance->force, tick->info->force) <= restForce;
}

double palBalance_Judge(palBalance* balance, const palBalanceTick* tick)
{
    const palContactReport* report = tick->info->contacts;
    if (!isSame(balance, tick))
        *balance = (palBalance){tick->device, tick->proxy, tick->info->force, tick->t, true};
    if (tick->t - balance->since < restTime || !tick->reports || report->dropped > 0)
        return NAN;
    palVec3 explained = tick->info->carried;
    for (int i = 0; i < report->count; i++)
        if (report->items[i].hand == tick->hand)
            explained = palSub(explained, report->items[i].force);
    return palDistance(tick->info->force, explained);
}
