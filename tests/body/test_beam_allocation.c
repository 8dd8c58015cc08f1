// SPDX-License-Identifier: Apache-2.0
// After set-up a wire allocates nothing, and a set-up that gets no memory fails in order: this
// test's own allocators count their calls and can refuse one. A sanitizer brings its own: nothing
// to count there.
#include "beam_fixture.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define PAL_COUNTS 1

static int allocations = 0;
static int live = 0;     // given out and not freed
static int refused = -1; // the allocation that fails

void __libc_free(void* memory);
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);

static void* counted(void* memory)
{
    live += memory != NULL;
    return memory;
}

void* malloc(size_t size)
{
    return allocations++ == refused ? NULL : counted(__libc_malloc(size));
}

void* calloc(size_t count, size_t size)
{
    return allocations++ == refused ? NULL : counted(__libc_calloc(count, size));
}

void free(void* memory)
{
    live -= memory != NULL;
    __libc_free(memory);
}

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

static void stepsAllocateNothing(void** state)
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
    skip();
#endif
}

static void refusedMemoryIsAnErrorAndLeaksNothing(void** state)
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
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepsAllocateNothing),
        cmocka_unit_test(refusedMemoryIsAnErrorAndLeaksNothing),
    };
    return RUN(tests);
}
