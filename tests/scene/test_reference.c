// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "scene/scene.h"
#include "scene/schema.h"

// The page, owned by the caller.
static char* makePage(void)
{
    size_t length = palScene_Reference(NULL, 0);
    char* page = malloc(length + 1);
    assert_non_null(page);
    assert_int_equal(palScene_Reference(page, length + 1), length);
    assert_int_equal(strlen(page), length);
    return page;
}

static void the_page_in_docs_is_up_to_date(void** state)
{
    (void)state;
    char* page = makePage();
    FILE* file = fopen(PAL_SOURCE_DIR "/docs/scenes.md", "rb");
    assert_non_null(file);
    char* kept = calloc(1, strlen(page) + 2);
    assert_non_null(kept);
    size_t length = fread(kept, 1, strlen(page) + 1, file);
    fclose(file);
    if (length != strlen(page) || strcmp(kept, page) != 0)
        print_error("write it anew: palpate check --reference > docs/scenes.md\n");
    assert_int_equal(length, strlen(page));
    assert_string_equal(kept, page);
    free(kept);
    free(page);
}

static void a_short_buffer_gets_the_beginning(void** state)
{
    (void)state;
    char* page = makePage();
    char begin[100];
    memset(begin, '#', sizeof begin);
    assert_int_equal(palScene_Reference(begin, sizeof begin), strlen(page));
    assert_int_equal(strlen(begin), sizeof begin - 1);
    assert_int_equal(strncmp(begin, page, sizeof begin - 1), 0);
    free(page);
}

static void the_example_of_the_page_is_a_good_scene(void** state)
{
    (void)state;
    char* page = makePage();
    const char* begin = strstr(page, "```yaml\n") + strlen("```yaml\n");
    const char* end = strstr(begin, "```");
    palScene scene = {0};
    palError error;
    palResult result =
        palScene_Parse(begin, (size_t)(end - begin), "example", NULL, 0, &scene, NULL, &error);
    if (result != pal_ok)
        print_error("%d: %s\n", error.line, error.text);
    assert_int_equal(result, pal_ok);
    assert_int_equal(scene.objectCount, 2);
    free(page);
    palScene_Free(&scene);
}

static void checkTable(const palSchemaTable* table, const char* page)
{
    const char* section = strstr(page, table->title);
    assert_non_null(section);
    const char* end = strstr(section, "\n## ");
    for (int i = 0; i < table->keyCount; i++)
    {
        char row[64];
        snprintf(row, sizeof row, "\n| `%s` | ", table->keys[i].name);
        const char* found = strstr(section, row);
        assert_true(found != NULL && (end == NULL || found < end));
        if (table->keys[i].table != NULL)
            checkTable(table->keys[i].table, page);
    }
    for (int kind = 0; table->kindTableAt != NULL && table->keys[0].nameAt(kind); kind++)
        if (palSchema_KindTable(table, kind) != NULL)
            checkTable(palSchema_KindTable(table, kind), page);
}

static void every_key_has_a_row_in_its_section(void** state)
{
    (void)state;
    char* page = makePage();
    checkTable(palSceneSchema(), page);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_in_docs_is_up_to_date),
        cmocka_unit_test(a_short_buffer_gets_the_beginning),
        cmocka_unit_test(the_example_of_the_page_is_a_good_scene),
        cmocka_unit_test(every_key_has_a_row_in_its_section),
    };
    return RUN(tests);
}
