// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "scene/scene.h"
#include "scene/setting.h"

// Calls `visit` for every key of a table and of the tables below it, with each kind's defaults.
static void forEachKey(const palSchemaTable* table,
                       void (*visit)(const palSchemaTable* table, const palSchemaKey* key,
                                     const void* defaults))
{
    static palScene record; // room for any table's struct
    for (int kind = 0; kind == 0 || (table->byKind && table->keys[0].nameAt(kind)); kind++)
    {
        palSetting_SetDefaults(table, kind, &record);
        for (int i = 0; i < table->keyCount; i++)
            if (!table->byKind || palSchema_Uses(&table->keys[i], kind))
                visit(table, &table->keys[i], &record);
    }
    for (int i = 0; i < table->keyCount; i++)
        if (table->keys[i].table != NULL)
            forEachKey(table->keys[i].table, visit);
    for (int kind = 0; table->kindTableAt != NULL && table->keys[0].nameAt(kind); kind++)
        if (palSchema_KindTable(table, kind) != NULL)
            forEachKey(palSchema_KindTable(table, kind), visit);
}

static void checkInRange(const palSchemaKey* key, double value)
{
    if (value < key->low || value > key->high)
        print_error("default of '%s'\n", key->name);
    assert_true(value >= key->low && value <= key->high);
}

static void checkDefault(const palSchemaTable* table, const palSchemaKey* key, const void* defaults)
{
    (void)table;
    const void* field = (const char*)defaults + key->offset;
    const palVec3* vector = field;
    if (key->required || key->group != 0)
        return;
    switch (key->type)
    {
    case pal_schemaWhole:
        checkInRange(key, *(const int*)field);
        break;
    case pal_schemaNumber:
        if (key->unset != NULL)
            assert_true(isnan(*(const double*)field));
        else
            checkInRange(key, *(const double*)field);
        break;
    case pal_schemaVector:
        checkInRange(key, vector->x);
        checkInRange(key, vector->y);
        checkInRange(key, vector->z);
        if (key->nonZero)
            assert_true(palLength(*vector) > 0.0);
        break;
    case pal_schemaChoice:
        assert_non_null(key->nameAt(*(const int*)field));
        break;
    case pal_schemaName:
        assert_true(palSetting_FindName(key, field) >= 0);
        break;
    default:
        break;
    }
}

static void every_default_is_allowed(void** state)
{
    (void)state;
    forEachKey(palSceneSchema(), checkDefault);
}

static void checkFallback(const palSchemaTable* table, const palSchemaKey* key,
                          const void* defaults)
{
    (void)table;
    if (key->fallback == NULL)
        return;
    char value[256];
    palSetting_FormatValue(key, defaults, value, sizeof value);
    assert_string_equal(value, key->fallback[0] != '\0' ? key->fallback : "\"\"");
}

static void defaults_equal_the_table(void** state)
{
    (void)state;
    forEachKey(palSceneSchema(), checkFallback);
}

static void checkShape(const palSchemaTable* table, const palSchemaKey* key, const void* defaults)
{
    (void)defaults;
    assert_true(key->meaning != NULL && key->meaning[0] != '\0');
    assert_ptr_equal(palSchema_Find(table, key->name), key);
    bool isText =
        key->type == pal_schemaText || key->type == pal_schemaPath || key->type == pal_schemaName;
    size_t size = isText                          ? key->size
                  : key->type == pal_schemaVector ? sizeof(palVec3)
                  : key->type == pal_schemaNumber ? sizeof(double)
                  : key->type == pal_schemaList   ? sizeof(void*)
                  : key->type == pal_schemaMap    ? key->table->size
                                                  : sizeof(int);
    assert_true(size > 0 && key->offset + size <= table->size);
    if (key->needs != NULL)
        assert_non_null(palSchema_Find(table, key->needs));
    if (key->type == pal_schemaPath) // so that a file is found beside the scene
        assert_true(key->place > 0 && key->place + sizeof(palSchemaPlace) <= table->size);
    if (key->type == pal_schemaNumber || key->type == pal_schemaVector)
        assert_true(key->low < key->high);
}

// Every value has a bit of its own that says whether it is given (scene/given.h).
static void checkBit(const palSchemaTable* table, const palSchemaKey* key, const void* defaults)
{
    (void)defaults;
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* other = &table->keys[i];
        if (other == key || other->table != NULL || key->table != NULL)
            continue;
        if (other->offset / 4 == key->offset / 4)
            fail_msg("'%s' and '%s' share a bit", key->name, other->name);
    }
}

static void no_two_values_share_the_bit_that_says_whether_they_are_given(void** state)
{
    (void)state;
    forEachKey(palSceneSchema(), checkBit);
}

static void every_key_fits_its_struct_and_is_found_by_name(void** state)
{
    (void)state;
    forEachKey(palSceneSchema(), checkShape);
}

static void numbers_are_decimal_and_nothing_else(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        double value;
    } good[] = {{"0", 0},      {"-1", -1},     {"+2.5", 2.5},    {".5", 0.5},  {"5.", 5},
                {"1e3", 1000}, {"1E-3", 1e-3}, {"-0.1e+2", -10}, {"007", 7.0}, {"1e-400", 0}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    {
        double number;
        assert_true(palSetting_ParseNumber(good[i].text, &number));
        ASSERT_NEAR(number, good[i].value, 0);
    }
    static const char* const bad[] = {"",     "-",   ".",     "e5",   "1e",  "1e+", "1 ", " 1",
                                      "0x10", "1,5", "1_000", "1.2.", "--1", "1m",  "in", "nano"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    {
        double number;
        assert_false(palSetting_ParseNumber(bad[i], &number));
    }
    static const char* const endless[] = {"inf", "-.inf", ".NaN", "nan", "1e999", "-1e999"};
    for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++)
    {
        double number;
        assert_true(palSetting_ParseNumber(endless[i], &number));
        assert_false(isfinite(number));
    }
}

static void lists_are_cut_to_the_buffer_and_measured_whole(void** state)
{
    (void)state;
    const palSchemaTable* table = palSceneSchema();
    char whole[512], part[16];
    size_t length = palSetting_FormatKeys(table, -1, whole, sizeof whole);
    assert_int_equal(strlen(whole), length);
    assert_int_equal(strncmp(whole, "palpate, name, description, ", 28), 0);
    assert_int_equal(palSetting_FormatKeys(table, -1, part, sizeof part), length);
    assert_int_equal(strlen(part), sizeof part - 1);
    assert_int_equal(strncmp(part, whole, sizeof part - 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_is_allowed),
        cmocka_unit_test(defaults_equal_the_table),
        cmocka_unit_test(every_key_fits_its_struct_and_is_found_by_name),
        cmocka_unit_test(no_two_values_share_the_bit_that_says_whether_they_are_given),
        cmocka_unit_test(numbers_are_decimal_and_nothing_else),
        cmocka_unit_test(lists_are_cut_to_the_buffer_and_measured_whole),
    };
    return RUN(tests);
}
