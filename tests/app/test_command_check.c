// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <sys/wait.h>

static char output[65536];

// Runs the program with the arguments, standard error joined to its output, and returns its code.
static int run(const char* arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "cd %s && %s %s 2>&1", PAL_SOURCE_DIR, PAL_PROGRAM,
             arguments);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_good_scene_is_summed_up(void** state)
{
    (void)state;
    assert_int_equal(run("check scenes/touch.yaml"), 0);
    assert_int_equal(strncmp(output, "scenes/touch.yaml: ok\n", 22), 0);
    assert_non_null(strstr(output, "ball: sphere"));
    assert_non_null(strstr(output, "high 1000 Hz"));
}

static void faults_exit_with_two(void** state)
{
    (void)state;
    assert_int_equal(run("check scenes/touch.yaml --set time.dt=5 --set sede=1"), 2);
    assert_non_null(strstr(output, "palpate: error: --set time.dt: 'dt' is out of range: 5; "
                                   "allowed: 1e-05 to 0.01 s\n"));
    assert_non_null(
        strstr(output, "--set sede: unknown key 'sede' in scene; did you mean 'seed'?"));
    assert_null(strstr(output, ": ok"));
    assert_int_equal(run("check no-such.yaml"), 2);
    assert_non_null(strstr(output, "no-such.yaml: cannot read: No such file"));
    assert_int_equal(run("check"), 2);
    assert_int_equal(run("check a.yaml b.yaml"), 2);
    assert_int_equal(run("check --sett x"), 2);
    assert_non_null(strstr(output, "did you mean '--set'?"));
}

static void named_files_must_be_readable(void** state)
{
    (void)state;
    assert_int_equal(run("check scenes/touch.yaml --set objects.0.mesh=no-such.stl"), 2);
    assert_non_null(strstr(output, "--set objects.0.mesh: cannot read 'no-such.stl'"));
    assert_int_equal(run("check scenes/touch.yaml --set 'trajectory={kind: file, file: no.csv}'"),
                     2);
    assert_non_null(strstr(output, "--set trajectory.file: cannot read 'no.csv'"));
}

// What a run would refuse is found without one: meshes that are none, methods that cannot.
static void objects_are_made_as_in_a_run(void** state)
{
    (void)state;
    assert_int_equal(run("check scenes/touch.yaml --set objects.0.mesh=LICENSE"), 2);
    assert_non_null(strstr(output, "LICENSE: "));
    assert_int_equal(run("check scenes/block-soft.yaml --set method.name=linear"), 2);
    assert_non_null(strstr(output, "--set method.name: method linear takes a tool in the hand"));
    assert_int_equal(run("check scenes/block-soft.yaml --set method.name=penalty"), 0);
    assert_int_equal(run("check scenes/block-soft.yaml"), 0);
    assert_non_null(strstr(output, "note: scenes/block-soft.yaml:16:"));
    assert_non_null(strstr(output, "block is soft: 729 nodes, 81 held; 2560 tets"));
}

// Two soft objects, each with a fault of its own: one message each, at its line.
static void every_faulty_object_is_told(void** state)
{
    (void)state;
    assert_int_equal(run("check tests/app/faulty-soft.yaml"), 2);
    assert_non_null(strstr(output, "faulty-soft.yaml:13:15: no node of jelly is in this part; its "
                                   "nodes are from [-0.05, -0.05, -0.05]"));
    assert_non_null(strstr(output, "faulty-soft.yaml:16:"));
    assert_non_null(strstr(output, "pudding has no node set 'bottom'; it has: xmin"));
    assert_non_null(strstr(output, "faulty-soft.yaml:20:"));
    assert_non_null(strstr(output, "element 0 of the volume is flat or inverted at rest; mend"));
    assert_int_equal(run("check tests/app/faulty-soft.yaml --json"), 2);
    assert_non_null(strstr(output, "\"severity\": \"error\""));
    assert_non_null(strstr(output, "\"line\": 13"));
}

static void json_holds_either_outcome(void** state)
{
    (void)state;
    assert_int_equal(run("check scenes/touch.yaml --json"), 0);
    assert_non_null(strstr(output, "\"ok\": true"));
    assert_non_null(strstr(output, "\"method\": \"standard\""));
    assert_int_equal(run("check scenes/touch.yaml --json --set time.dt=5"), 2);
    assert_non_null(strstr(output, "\"ok\": false"));
    assert_non_null(strstr(output, "\"remedy\": \"allowed: 1e-05 to 0.01 s\""));
    assert_null(strstr(output, "\"method\""));
}

static void the_reference_is_printed(void** state)
{
    (void)state;
    assert_int_equal(run("check --reference | diff - docs/scenes.md"), 0);
    assert_int_equal(run("check --help"), 0);
    assert_non_null(strstr(output, "--set PATH=VALUE"));
    assert_non_null(strstr(output, "examples:"));
}

static void a_scene_is_written_as_it_would_run(void** state)
{
    (void)state;
    char folder[] = "/tmp/palpate-check-XXXXXX", arguments[256], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/copy.yaml", folder);
    snprintf(arguments, sizeof arguments,
             "check scenes/touch.yaml --set objects.0.friction=0.31 --write %s", path);
    assert_int_equal(run(arguments), 0);
    assert_int_equal(strncmp(output, "scenes/touch.yaml: ok\n", 22), 0);
    snprintf(arguments, sizeof arguments, "check %s", path);
    assert_int_equal(run(arguments), 0);
    assert_non_null(strstr(output, "ball: sphere, friction 0.31"));

    // Onto itself too; and a faulty scene is not written.
    snprintf(arguments, sizeof arguments, "check %s --set time.seconds=0.5 --write %s", path, path);
    assert_int_equal(run(arguments), 0);
    snprintf(arguments, sizeof arguments, "check %s --set time.seconds=-1 --write %s", path, path);
    assert_int_equal(run(arguments), 2);
    snprintf(arguments, sizeof arguments, "check %s", path);
    assert_int_equal(run(arguments), 0);
    assert_non_null(strstr(output, "duration  0.5 s"));
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_scene_that_cannot_be_written_is_one_message(void** state)
{
    (void)state;
    static const char* const calls[] = {"check scenes/touch.yaml --write /proc/none/copy.yaml",
                                        "check scenes/touch.yaml --json --write /proc/none/c.yaml",
                                        "check scenes/touch.yaml --write /dev/full"};
    for (int i = 0; i < 3; i++)
    {
        assert_int_equal(run(calls[i]), 2);
        assert_non_null(strstr(output, ": cannot write: "));
        assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_scene_is_summed_up),
        cmocka_unit_test(faults_exit_with_two),
        cmocka_unit_test(named_files_must_be_readable),
        cmocka_unit_test(json_holds_either_outcome),
        cmocka_unit_test(the_reference_is_printed),
        cmocka_unit_test(a_scene_is_written_as_it_would_run),
        cmocka_unit_test(a_scene_that_cannot_be_written_is_one_message),
        cmocka_unit_test(objects_are_made_as_in_a_run),
        cmocka_unit_test(every_faulty_object_is_told),
    };
    return RUN(tests);
}
