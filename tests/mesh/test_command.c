// SPDX-License-Identifier: Apache-2.0
// The program's mesh command, run as a person runs it.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/palpate-mesh-XXXXXX";

// Runs "palpate mesh ARGUMENTS" in the folder. Returns the exit code; output and errors in `text`.
static int palpate(const char* arguments, char* text, size_t size)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && '%s' mesh %s 2>&1", folder, PAL_PROGRAM, arguments);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(text, 1, size - 1, pipe);
    text[length] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int makeFolder(void** state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int removeFolder(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0;
}

static void writeFile(const char* name, const char* content)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static const char box[] = "OFF\n8 6 0\n"
                          "0 0 0\n20 0 0\n0 30 0\n20 30 0\n0 0 40\n20 0 40\n0 30 40\n20 30 40\n"
                          "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";

static void facts_are_printed_in_the_unit_that_is_given(void** state)
{
    (void)state;
    char text[8192];
    writeFile("box.off", box);
    assert_int_equal(palpate("box.off --unit mm", text, sizeof text), 0);
    assert_non_null(strstr(text, "20 x 30 x 40 mm"));
    assert_non_null(strstr(text, "24 cm3"));
    assert_non_null(strstr(text, "solid          yes"));
    assert_null(strstr(text, "warning"));
    assert_int_equal(palpate("box.off", text, sizeof text), 0);
    assert_non_null(strstr(text, "did you mean millimetres?"));
}

static void json_has_the_same_facts_in_si_units(void** state)
{
    (void)state;
    char text[8192];
    writeFile("box.off", box);
    assert_int_equal(palpate("box.off --unit cm --scale 0.1 --json", text, sizeof text), 0);
    assert_non_null(strstr(text, "\"solid\": true"));
    assert_non_null(strstr(text, "\"genus\": 0"));
    const char* volume = strstr(text, "\"volume_m3\": ");
    assert_non_null(volume);
    ASSERT_NEAR(strtod(volume + strlen("\"volume_m3\": "), NULL), 24e-6, 1e-17);
}

static void a_file_is_converted_to_metres(void** state)
{
    (void)state;
    char text[8192];
    writeFile("box.off", box);
    assert_int_equal(palpate("box.off --unit mm --out box.ply --quiet", text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(palpate("box.ply", text, sizeof text), 0);
    assert_non_null(strstr(text, "20 x 30 x 40 mm"));
}

static void a_shape_is_generated_to_size(void** state)
{
    (void)state;
    char text[8192];
    assert_int_equal(palpate("--generate box --size 0.2 --out made.ply", text, sizeof text), 0);
    assert_int_equal(palpate("made.ply --json", text, sizeof text), 0);
    assert_non_null(strstr(text, "\"solid\": true"));
    assert_int_equal(palpate("--generate bxo", text, sizeof text), 2);
    assert_non_null(strstr(text, "did you mean 'box'?"));
}

static void bad_input_is_one_clear_message_and_exit_2(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"", "give a mesh file"},
        {"none.stl", "none.stl: cannot be opened"},
        {"box.off --unit furlong", "use m, cm, mm or in"},
        {"box.off --scale 0", "--scale must be above 0"},
        {"box.off --size 3", "go with --generate"},
        {"box.off --generate box", "not both"},
        {"box.off --out box.xyz", ".ply, .stl, .obj or .off"},
        {"cut.off", "cut.off:3: the OFF header promises more"},
        {"box.off --unti mm", "did you mean '--unit'"},
    };
    writeFile("box.off", box);
    writeFile("cut.off", "OFF\n8 6 0\n0 0 0\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        char text[8192];
        assert_int_equal(palpate(cases[i][0], text, sizeof text), 2);
        if (strstr(text, cases[i][1]) == NULL)
            fail_msg("'%s' does not say '%s'", text, cases[i][1]);
        // One line.
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_printed_in_the_unit_that_is_given),
        cmocka_unit_test(json_has_the_same_facts_in_si_units),
        cmocka_unit_test(a_file_is_converted_to_metres),
        cmocka_unit_test(a_shape_is_generated_to_size),
        cmocka_unit_test(bad_input_is_one_clear_message_and_exit_2),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
