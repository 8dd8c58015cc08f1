// SPDX-License-Identifier: Apache-2.0
// A snapshot that gets no memory fails in order.
#include "allocations.h"
#include "check.h"
#include "touch/snapshot.h"

#include <string.h>

#ifdef PAL_COUNTS
static palResult make(palSnapshot* snapshot, palError* error)
{
    palSnapshot_Init(snapshot, 0);
    palResult result = palPatch_Init(&snapshot->hands[0].patch, error);
    if (result == pal_ok)
        result = palHandSnapshot_AddContacts(&snapshot->hands[0], 4, error);
    if (result == pal_ok)
        result = palSnapshot_AddSoft(snapshot, 1, &(palMethodDef){0}, 1, error);
    if (result != pal_ok)
        palSnapshot_Free(snapshot);
    return result;
}
#endif

static void refused_memory_is_an_error_and_leaves_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palSnapshot snapshot;
    palError error;
    int before = allocations;
    assert_int_equal(make(&snapshot, &error), pal_ok);
    int all = allocations - before;
    assert_true(all >= 6);
    palSnapshot_Free(&snapshot);
    for (int k = 0; k < all; k++)
    {
        int held = live;
        error = (palError){0};
        refused = allocations + k;
        palResult result = make(&snapshot, &error);
        refused = -1;
        assert_int_equal(result, pal_errorMemory);
        assert_true(strlen(error.text) > 0);
        assert_int_equal(live, held);
    }
#else
    SKIP(UNCOUNTED);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_memory_is_an_error_and_leaves_nothing),
    };
    return RUN(tests);
}
