// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "check.h"

static void pieces_are_aligned_and_apart(void** state)
{
    (void)state;
    palArena arena;
    assert_int_equal(palArena_Init(&arena, 1024, NULL), pal_ok);
    unsigned char* a = palArena_Alloc(&arena, 10, "a");
    double* b = palArena_Doubles(&arena, 8, "b");
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_int_equal((uintptr_t)b % 64, 0);
    assert_true((unsigned char*)b >= a + 10);
    assert_int_equal(arena.used, 128);
    palArena_Free(&arena);
}

static void release_returns_to_the_mark_and_keeps_the_high_water_mark(void** state)
{
    (void)state;
    palArena arena;
    palArena_Init(&arena, 4096, NULL);
    palArena_Alloc(&arena, 64, "kept");
    palArenaMark mark = palArena_Mark(&arena);
    palArena_Alloc(&arena, 1024, "large");
    palArena_Release(&arena, mark);
    assert_int_equal(arena.used, 64);
    assert_int_equal(arena.highWater, 64 + 1024);
    assert_string_equal(arena.largest, "large");
    palArena_Free(&arena);
}

static void a_full_arena_refuses_counts_and_says_how_much_was_wanted(void** state)
{
    (void)state;
    palArena arena;
    palArena_Init(&arena, 256, NULL);
    assert_non_null(palArena_Alloc(&arena, 256, "all"));
    assert_null(palArena_Alloc(&arena, 64, "more"));
    assert_int_equal(arena.shortfalls, 1);
    assert_int_equal(arena.highWater, 320);
    assert_int_equal(arena.used, 256);
    palArena_Free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(release_returns_to_the_mark_and_keeps_the_high_water_mark),
        cmocka_unit_test(a_full_arena_refuses_counts_and_says_how_much_was_wanted),
    };
    return RUN(tests);
}
