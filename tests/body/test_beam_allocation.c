// SPDX-License-Identifier: Apache-2.0
// After set-up a wire allocates nothing, and a set-up that gets no memory fails in order.
#include "allocations.h"
#include "beam_fixture.h"

#ifdef PAL_COUNTS
static palBeamSection section;

static palBeamDef consistentWire(void)
{
    static const palVec3 points[3] = {{0, 0, 0}, {0.01, 0, 0}, {0.02, 0, 0}};
    section = palMakeRoundSection(1e-3, 0.3);
    palBeamDef def = palDefaultBeamDef();
    def.nodeCount = 3;
    def.points = points;
    def.sections = &section;
    def.mass = pal_beamMassConsistent;
    return def;
}
#endif

static void steps_allocate_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    wire w = {0};
    int before = allocations;
    wireMake(&w, consistentWire());
    assert_true(allocations > before);
    before = allocations;
    double W[4] = {0};
    const double lambda[2] = {0.1, 0.2};
    palBeamPlace place = {.element = 1, .s = 0.5};
    for (int k = 0; k < 10; k++)
    {
        wireStep(&w, 1e-3, NULL);
        palBeamRow rows[2] = {palBeam_PointRow(w.model, &w.work, place, palMakeVec3(0, 1, 0)),
                              palBeam_RotationRow(w.model, &w.work, place, palMakeVec3(0, 1, 0))};
        assert_true(palBeam_AddCompliance(w.model, &w.work, rows, 2, W, 2));
        palBeam_Correct(&w.work, rows, lambda, 2);
    }
    assert_int_equal(allocations, before);
    wireFree(&w);
#else
    SKIP(UNCOUNTED);
#endif
}

static void refused_memory_is_an_error_and_leaks_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palBeamDef def = consistentWire();
    int failures = 0;
    for (int k = 0; k < 100; k++)
    {
        palBeamModel* model = NULL;
        palBeamState beam = {0};
        palBeamWork work = {0};
        palError error = {0};
        int before = live;
        refused = allocations + k;
        palResult result = palBeamModel_Create(&def, &model, &error);
        if (result == pal_ok)
            result = palBeamState_Init(&beam, model, &error);
        if (result == pal_ok)
            result = palBeamWork_Init(&work, model, 4, &error);
        refused = -1;
        palBeamModel_Destroy(model);
        palBeamState_Free(&beam);
        palBeamWork_Free(&work);
        assert_int_equal(live, before);
        if (result == pal_ok)
            break;
        assert_int_equal(result, pal_errorMemory);
        failures++;
    }
    assert_true(failures > 20 && failures < 100);
#else
    SKIP(UNCOUNTED);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(refused_memory_is_an_error_and_leaks_nothing),
    };
    return RUN(tests);
}
