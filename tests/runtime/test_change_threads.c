// SPDX-License-Identifier: Apache-2.0
// Values that several threads change while the loops run in theirs.
#include "press_scene.h"

#include "base/clock.h"

#include <pthread.h>

typedef struct setter
{
    palEngine* engine;
    int number;
} setter;

static void* keepSetting(void* argument)
{
    const setter* s = argument;
    palError error;
    for (int k = 0; k < 200; k++)
    {
        double share = (double)(k % 10) / 10.0;
        const palCouplingValues coupling = {800 + 200 * share, NAN, NAN, NAN};
        palEngine_SetYoung(s->engine, 0, 10000 + 2000 * share + s->number, &error);
        palEngine_SetFriction(s->engine, 0, 0.2 + 0.1 * share, &error);
        palEngine_SetGravity(s->engine, palMakeVec3(0, -share, 0), &error);
        palEngine_SetCoupling(s->engine, 0, &coupling, NULL, &error);
        palClock_SleepUntil(palClock_Now() + 1000000);
    }
    return NULL;
}

static void values_come_from_several_threads_while_a_run_lasts(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "linear", "coupling", "compliance"};
    for (int m = 0; m < 4; m++)
    {
        palSession* session = makePress(methods[m], false, NULL);
        palEngine* engine = engineOf(session);
        setter setters[2] = {{engine, 0}, {engine, 1}};
        pthread_t threads[2];
        palError error;
        palStep step;
        assert_int_equal(palSession_Start(session, false, &error), pal_ok);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, keepSetting, &setters[i]), 0);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        palSession_End(session);
        // The last values hold once their way is done.
        const palValues* wanted = &engine->changes.wanted;
        const palSoftBody* body = engine->methods.methods[0]->def.colliders[0].soft;
        stepSession(session, (pal_changeSteps + 3) * 33, &step);
        ASSERT_NEAR(body->young, wanted->objects[0].young, 0.0);
        ASSERT_NEAR(body->gravity.y, wanted->gravity.y, 0.0);
        ASSERT_NEAR(engine->methods.methods[0]->def.body.stiffness, wanted->couplings[0].stiffness,
                    0.0);
        assert_true(isfinite(palLength(step.force)));
        palSession_Destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_from_several_threads_while_a_run_lasts),
    };
    return RUN(tests);
}
