// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "base/messages.h"
#include "base/spelling.h"
#include "check.h"

static void a_message_has_place_text_and_remedy(void** state)
{
    (void)state;
    palError error;
    char text[256];
    palError_Set(&error, pal_errorInput, "unknown key '%s'", "yuong");
    palError_At(&error, "block.yaml", 5, 3);
    palError_At(&error, "outer.yaml", 1, 1); // the innermost place wins
    palError_Remedy(&error, "did you mean '%s'?", "young");
    palError_Format(&error, text, sizeof text);
    assert_string_equal(text, "block.yaml:5:3: unknown key 'yuong'; did you mean 'young'?");
}

static void a_small_buffer_is_terminated_and_the_length_is_told(void** state)
{
    (void)state;
    palError error;
    char text[8];
    palError_Set(&error, pal_errorInput, "0123456789");
    assert_int_equal(palError_Format(&error, text, sizeof text), 10);
    assert_string_equal(text, "0123456");
}

static void messages_are_counted_by_severity(void** state)
{
    (void)state;
    palMessages messages = {0};
    for (int i = 0; i < 20; i++)
        palMessages_Add(&messages, i % 2 ? pal_severityWarning : pal_severityNote, "%d", i);
    palError_Remedy(palMessages_Add(&messages, pal_severityError, "bad"), "mend it");
    assert_int_equal(palMessages_Count(&messages, pal_severityNote), 10);
    assert_int_equal(palMessages_Count(&messages, pal_severityWarning), 10);
    assert_int_equal(messages.items[20].what.code, pal_errorInput);
    assert_string_equal(messages.items[20].what.remedy, "mend it");
    palMessages_Free(&messages);
    assert_null(palMessages_Add(NULL, pal_severityNote, "nowhere"));
}

static void the_nearest_word_is_found_and_strangers_are_not(void** state)
{
    (void)state;
    const char* const words[] = {"friction", "position", NULL, "mesh", "scale"};
    assert_string_equal(palNearestWord("fricton", words, 5), "friction");
    assert_string_equal(palNearestWord("Mesh", words, 5), "mesh");
    assert_string_equal(palNearestWord("mehs", words, 5), "mesh");
    assert_null(palNearestWord("gravity", words, 5));
    assert_null(palNearestWord("x", words, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_has_place_text_and_remedy),
        cmocka_unit_test(a_small_buffer_is_terminated_and_the_length_is_told),
        cmocka_unit_test(messages_are_counted_by_severity),
        cmocka_unit_test(the_nearest_word_is_found_and_strangers_are_not),
    };
    return RUN(tests);
}
