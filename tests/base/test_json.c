// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "check.h"

static void nested_values_are_written_with_commas_and_indentation(void** state)
{
    (void)state;
    palJson json = {0};
    palJson_BeginObject(&json, NULL);
    palJson_Whole(&json, "rows", 3);
    palJson_BeginArray(&json, "names");
    palJson_Text(&json, NULL, "a");
    palJson_Text(&json, NULL, "b");
    palJson_End(&json);
    palJson_BeginObject(&json, "empty");
    palJson_End(&json);
    palJson_End(&json);
    assert_string_equal(json.text,
                        "{\n  \"rows\": 3,\n  \"names\": [\n    \"a\",\n    \"b\"\n  ],\n"
                        "  \"empty\": {}\n}\n");
    palJson_Free(&json);
}

static void numbers_read_back_exactly_and_nan_is_null(void** state)
{
    (void)state;
    const double values[] = {0.1, 1.0 / 3.0, 1e-300, 123456789.123456789, -0.0, 5e-324};
    for (int i = 0; i < 6; i++)
    {
        palJson json = {0};
        palJson_Number(&json, NULL, values[i]);
        assert_true(strtod(json.text, NULL) == values[i]);
        palJson_Free(&json);
    }
    palJson json = {0};
    palJson_Number(&json, NULL, NAN);
    assert_string_equal(json.text, "null");
    palJson_Free(&json);
}

static void text_is_escaped(void** state)
{
    (void)state;
    palJson json = {0};
    palJson_Text(&json, NULL, "a\"b\\c\n\x01µ");
    assert_string_equal(json.text, "\"a\\\"b\\\\c\\u000a\\u0001µ\"");
    palJson_Free(&json);
}

static void a_file_that_cannot_be_written_is_an_error_with_its_path(void** state)
{
    (void)state;
    palJson json = {0};
    palError error;
    palJson_Whole(&json, NULL, 1);
    assert_int_equal(palJson_WriteFile(&json, "/nowhere/at/all.json", &error), pal_errorFile);
    assert_string_equal(error.file, "/nowhere/at/all.json");
    palJson_Free(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_values_are_written_with_commas_and_indentation),
        cmocka_unit_test(numbers_read_back_exactly_and_nan_is_null),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(a_file_that_cannot_be_written_is_an_error_with_its_path),
    };
    return RUN(tests);
}
