// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "scene/yaml.h"

static palYamlNode* parse(const char* text)
{
    palYamlNode* root;
    palError error;
    assert_int_equal(palYaml_Parse(text, strlen(text), -1, &root, &error), pal_ok);
    return root;
}

static void expectRefusal(const char* text, size_t length, int line, int column, const char* words)
{
    palYamlNode* root;
    palError error = {0};
    assert_int_equal(palYaml_Parse(text, length, -1, &root, &error), pal_errorInput);
    assert_null(root);
    assert_non_null(strstr(error.text, words));
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    assert_true(error.remedy[0] != '\0');
}

static void expectRefusalOf(const char* text, int line, int column, const char* words)
{
    expectRefusal(text, strlen(text), line, column, words);
}

static void nodes_know_their_place(void** state)
{
    (void)state;
    palYamlNode* root = parse("a: 1\nb:\n  - x\n  - {c: 'd'}\n# µ\nµ: 2\n");
    assert_int_equal(root->kind, pal_yamlMap);
    assert_int_equal(root->childCount, 3);
    const palYamlNode* b = palYamlNode_Find(root, "b");
    assert_int_equal(b->kind, pal_yamlList);
    assert_int_equal(b->keyLine, 2);
    assert_int_equal(b->keyColumn, 1);
    assert_int_equal(b->line, 3);
    assert_int_equal(b->column, 3);
    const palYamlNode* d = palYamlNode_Find(palYamlNode_At(b, 1), "c");
    assert_string_equal(d->text, "d");
    assert_false(d->plain);
    assert_int_equal(d->line, 4);
    assert_int_equal(d->column, 9);
    assert_int_equal(d->keyColumn, 6);
    assert_null(palYamlNode_At(b, 2));

    // Columns count characters, not bytes.
    const palYamlNode* micro = palYamlNode_Find(root, "µ");
    assert_int_equal(micro->line, 6);
    assert_int_equal(micro->column, 4);
    palYamlNode_Destroy(root);
}

static void a_key_given_twice_is_marked(void** state)
{
    (void)state;
    palYamlNode* root = parse("a: 1\nb: 2\na: 3\n");
    assert_int_equal(root->childCount, 3);
    assert_int_equal(root->first->twinLine, 0);
    assert_int_equal(root->last->twinLine, 1);
    palYamlNode_Destroy(root);
}

static void children_are_replaced_and_taken_out(void** state)
{
    (void)state;
    palYamlNode* list = parse("[a, b, c]");
    palYamlNode_Replace(list, list->last, palYamlNode_Create(pal_yamlMap, 7));
    assert_int_equal(list->last->origin, 7);
    palYamlNode_Replace(list, palYamlNode_At(list, 1), NULL);
    assert_int_equal(list->childCount, 2);
    assert_ptr_equal(list->first->next, list->last);
    palYamlNode_Replace(list, list->last, NULL);
    assert_ptr_equal(list->first, list->last);
    palYamlNode_Replace(list, list->first, NULL);
    assert_null(list->first);
    assert_null(list->last);
    palYamlNode* one = palYamlNode_Create(pal_yamlList, -1);
    palYamlNode_Append(list, one);
    assert_ptr_equal(list->first, one);
    palYamlNode_Destroy(list);
}

static void an_empty_text_has_no_root(void** state)
{
    (void)state;
    assert_null(parse(""));
    assert_null(parse("# nothing but a comment\n\n"));
}

static void references_tags_and_documents_are_refused(void** state)
{
    (void)state;
    expectRefusalOf("a: &x 1\nb: *x\n", 1, 4, "anchors");
    expectRefusalOf("b: *x\n", 1, 4, "aliases");
    expectRefusalOf("a: !!str 1\n", 1, 4, "tags");
    expectRefusalOf("a: 1\n---\nb: 2\n", 2, 1, "second document");
    expectRefusalOf("? [a]\n: 1\n", 1, 3, "key");
    expectRefusalOf("a: \"x\\0y\"\n", 1, 4, "NUL");
    expectRefusalOf("\"x\\0y\": 1\n", 1, 1, "NUL");
}

static void syntax_errors_have_a_place(void** state)
{
    (void)state;
    expectRefusalOf("a: [1, 2\nb: 3\n", 2, 2, "begun in line 1");
    expectRefusalOf("a: 'open\n", 2, 1, "not valid YAML");
    expectRefusalOf("a:\n\tb: 1\n", 2, 1, "tab");
}

static void bytes_that_are_not_utf8_are_refused(void** state)
{
    (void)state;
    expectRefusalOf("a: 1\nb: \xFF\n", 2, 4, "UTF-8");
    expectRefusalOf("a: \xC0\xAF\n", 1, 4, "UTF-8");     // overlong
    expectRefusalOf("a: \xED\xA0\x80\n", 1, 4, "UTF-8"); // surrogate
    expectRefusalOf("a: \xF4\x90\x80\x80\n", 1, 4, "UTF-8");
    expectRefusalOf("a: \xE2\x82", 1, 4, "UTF-8"); // cut short
    expectRefusalOf("\xFF\xFE"
                    "a",
                    1, 1, "UTF-8"); // UTF-16
    expectRefusal("a: \0b", 5, 1, 4, "control");
    expectRefusalOf("a: \x1B[31m", 1, 4, "control");
    expectRefusalOf("a: \xC2\x9B", 1, 4, "control");
    expectRefusalOf("a: \xEF\xBF\xBE", 1, 4, "control");
    expectRefusalOf("a: \xEF\xBB\xBF", 1, 4, "control");
    palYamlNode* root = parse("\xEF\xBB\xBF"
                              "a: \xE2\x82\xAC\xF0\x9F\x98\x80\xC2\x85\n");
    assert_non_null(palYamlNode_Find(root, "a"));
    palYamlNode_Destroy(root);
}

// A text of `count` pieces.
static char* repeat(const char* piece, size_t count)
{
    size_t length = strlen(piece);
    char* text = malloc(count * length + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * length, piece, length);
    text[count * length] = '\0';
    return text;
}

static void depth_is_capped_at_sixteen(void** state)
{
    (void)state;
    palYamlNode* root = parse("[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]");
    palYamlNode_Destroy(root);
    expectRefusalOf("[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", 1, 17, "16 deep");
}

// A megabyte each of what nests, repeats or never ends. Nested brackets alone take libyaml minutes.
static void hostile_texts_are_refused(void** state)
{
    (void)state;
    static const char* const pieces[] = {
        "[",    "{",   "- ",  "? ",  "{a: ", "[a, ",  "- a\n", "\"",
        "a: {", "|\n", "&a ", "!a ", "%a\n", "---\n", "a: b\n"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
    {
        char* text = repeat(pieces[i], 1000000 / strlen(pieces[i]));
        palYamlNode* root;
        palError error = {0};
        assert_int_equal(palYaml_Parse(text, strlen(text), -1, &root, &error), pal_errorInput);
        assert_true(error.line > 0 && error.text[0] != '\0');
        free(text);
    }
}

static void size_and_number_of_values_are_capped(void** state)
{
    (void)state;
    char* text = repeat("# filler\n", (16 << 20) / 9 + 1);
    expectRefusal(text, (16 << 20) + 1, 0, 0, "16 MB");
    palYamlNode* root;
    palError error;
    assert_int_equal(palYaml_Parse(text, 16 << 20, -1, &root, &error), pal_ok);
    free(text);

    text = repeat("- 1\n", 199999);
    assert_int_equal(palYaml_Parse(text, strlen(text), -1, &root, &error), pal_ok);
    assert_int_equal(root->childCount, 199999);
    palYamlNode_Destroy(root);
    free(text);
    text = repeat("- 1\n", 200000);
    expectRefusalOf(text, 200000, 3, "200000 values");
    free(text);
    text = repeat("a: 1\n", 1001);
    expectRefusalOf(text, 1001, 1, "1000 keys");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_know_their_place),
        cmocka_unit_test(a_key_given_twice_is_marked),
        cmocka_unit_test(children_are_replaced_and_taken_out),
        cmocka_unit_test(an_empty_text_has_no_root),
        cmocka_unit_test(references_tags_and_documents_are_refused),
        cmocka_unit_test(syntax_errors_have_a_place),
        cmocka_unit_test(bytes_that_are_not_utf8_are_refused),
        cmocka_unit_test(depth_is_capped_at_sixteen),
        cmocka_unit_test(hostile_texts_are_refused),
        cmocka_unit_test(size_and_number_of_values_are_capped),
    };
    return RUN(tests);
}
