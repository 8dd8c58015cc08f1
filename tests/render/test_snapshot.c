// SPDX-License-Identifier: Apache-2.0
// A snapshot that gets no memory fails in order.
#include "allocations.h"
#include "check.h"
#include "render/snapshot.h"

#include <string.h>

static void refused_memory_is_an_error_and_leaves_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    const palSnapshotDef def = {
        .contactCapacity = 4, .usesPatch = true, .softCount = 1, .ownSize = 100};
    palSnapshot snapshot;
    palError error;
    int before = allocations;
    assert_int_equal(palSnapshot_Init(&snapshot, &def, &error), pal_ok);
    int all = allocations - before;
    assert_true(all >= 6);
    palSnapshot_Free(&snapshot);
    for (int k = 0; k < all; k++)
    {
        int held = live;
        error = (palError){0};
        refused = allocations + k;
        palResult result = palSnapshot_Init(&snapshot, &def, &error);
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
