// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/archive.h"

typedef struct Thing
{
    int count;
    double values[4]; // [count] are used
    bool isOn;
} Thing;

static void archiveThing(Thing* thing, palArchive* archive)
{
    PAL_ARCHIVE(archive, thing->count);
    PAL_ARCHIVE_ARRAY(archive, thing->values, thing->count);
    PAL_ARCHIVE(archive, thing->isOn);
}

static void one_function_counts_saves_and_restores(void** state)
{
    (void)state;
    Thing saved = {3, {1.5, -2.5, 3.5, 4.5}, true}, restored = {1, {7, 7, 7, 7}, false};
    palArchive archive = {0};
    unsigned char bytes[64];
    archiveThing(&saved, &archive);
    assert_int_equal(archive.used, sizeof(int) + 3 * sizeof(double) + sizeof(bool));
    assert_false(palArchive_Restores(&archive));
    archive = (palArchive){.bytes = bytes, .size = archive.used};
    archiveThing(&saved, &archive);
    archive = (palArchive){.bytes = bytes, .size = archive.used, .isRestoring = true};
    assert_true(palArchive_Restores(&archive));
    archiveThing(&restored, &archive);
    assert_int_equal(archive.used, archive.size);
    assert_int_equal(restored.count, 3);
    assert_memory_equal(restored.values, saved.values, 3 * sizeof(double));
    assert_true(restored.values[3] == 7.0);
    assert_true(restored.isOn);
}

// What does not fit is neither written nor read.
static void nothing_is_done_beyond_the_end(void** state)
{
    (void)state;
    int64_t numbers[2] = {1, 2};
    unsigned char bytes[16] = {0};
    palArchive archive = {.bytes = bytes, .size = 12};
    PAL_ARCHIVE(&archive, numbers[0]);
    PAL_ARCHIVE(&archive, numbers[1]);
    assert_int_equal(archive.used, 16);
    assert_int_equal(bytes[0], 1);
    for (int i = 8; i < 16; i++)
        assert_int_equal(bytes[i], 0);
    archive = (palArchive){.bytes = bytes, .size = 12, .isRestoring = true};
    PAL_ARCHIVE(&archive, numbers[1]);
    PAL_ARCHIVE(&archive, numbers[0]);
    assert_int_equal(numbers[0], 1);
    assert_int_equal(numbers[1], 1);
}

static void a_hash_tells_any_changed_bit_and_the_length(void** state)
{
    (void)state;
    unsigned char bytes[43] = "what is hashed may have any length at all";
    uint64_t whole = palHash(0, bytes, sizeof bytes);
    for (size_t i = 0; i < 8 * sizeof bytes; i++)
    {
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        assert_true(palHash(0, bytes, sizeof bytes) != whole);
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    assert_true(palHash(0, bytes, sizeof bytes) == whole);
    // The last byte is zero.
    assert_true(palHash(0, bytes, sizeof bytes - 1) != whole);
    assert_true(palHash(1, bytes, sizeof bytes) != whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_function_counts_saves_and_restores),
        cmocka_unit_test(nothing_is_done_beyond_the_end),
        cmocka_unit_test(a_hash_tells_any_changed_bit_and_the_length),
    };
    return RUN(tests);
}
