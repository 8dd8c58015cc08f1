// SPDX-License-Identifier: Apache-2.0
#include "render/half_space.h"

#include "base/clock.h"

void palHalfSpace_Low(palMethod* method, const palHapticState* hand, palSnapshot* snapshot,
                      palLowInfo* info)
{
    const palMethodDef* def = &method->def;

    // L1, L2: nothing moves but the proxy.
    // L3: the closest surface point within the radius.
    int64_t begin = palClock_Now();
    palNearest nearest;
    bool found = palColliders_Nearest(def->colliders, def->colliderCount, hand->body.x, def->radius,
                                      &nearest);
    info->collideMs = 1e-6 * (double)(palClock_Now() - begin);

    // L4: one plane through it. L5: the proxy's compliance is a number that the high rate knows.
    snapshot->contactCount = 0;
    if (found)
    {
        double friction = def->colliders[nearest.object].friction;
        snapshot->contacts[snapshot->contactCount++] =
            palMakeContactFrame(nearest.closest.point, nearest.normal, friction, nearest.object,
                                nearest.closest.triangle);
        info->constraints = friction > 0.0 ? 3 : 1;
    }
    snapshot->trustCentre = hand->body.x;
    snapshot->trustRadius = def->radius;
    info->contacts = snapshot->contactCount;
}
