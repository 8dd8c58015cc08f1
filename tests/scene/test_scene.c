// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "device/simulated.h"
#include "scene/scene.h"

#include <glob.h>

// A scene without faults, for the tests to spoil: the version, one object, one trajectory.
#define GOOD                                                                                       \
    "palpate: 1\n"                                                                                 \
    "trajectory: {kind: line}\n"                                                                   \
    "objects:\n"                                                                                   \
    "  - shape: {kind: box}\n"

static palResult parse(const char* text, palScene* scene, palMessages* messages)
{
    palError error;
    palScene_Free(scene);
    return palScene_Parse(text, strlen(text), "x.yaml", NULL, 0, scene, messages, &error);
}

// The text has exactly one fault, there, whose message and remedy hold the words.
static void expectFault(const char* text, int line, int column, const char* words,
                        const char* remedy)
{
    palScene scene = {0};
    palMessages messages = {0};
    palError first = {0};
    palResult result =
        palScene_Parse(text, strlen(text), "x.yaml", NULL, 0, &scene, &messages, &first);
    assert_int_equal(result, pal_errorInput);
    for (int i = 1; i < messages.count; i++)
        print_error("%s\n", messages.items[i].what.text);
    assert_int_equal(messages.count, 1);
    const palError* fault = &messages.items[0].what;
    if (strstr(fault->text, words) == NULL || strstr(fault->remedy, remedy) == NULL)
        print_error("%s; %s\n", fault->text, fault->remedy);
    assert_non_null(strstr(fault->text, words));
    assert_non_null(strstr(fault->remedy, remedy));
    assert_string_equal(fault->file, "x.yaml");
    assert_int_equal(fault->line, line);
    assert_int_equal(fault->column, column);
    assert_string_equal(first.text, fault->text);
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

static void every_value_of_a_file_is_read(void** state)
{
    (void)state;
    palScene scene = {0};
    palMessages messages = {0};
    const char* text =
        "palpate: 1\n"
        "name: n\n"
        "description: 'd: e'\n"
        "seed: 7\n"
        "gravity: [0, -9.81, 0]\n"
        "time: {seconds: 3.5, dt: 2e-3, low_dt: 0.04, latency: 0.01, spin: 0}\n"
        "method: {name: penalty, radius: .03, penalty_stiffness: 500, penalty_damping: 2}\n"
        "coupling: {stiffness: 900, damping: 0.7, mass: 0.002}\n"
        "device: {driver: simulated, preset: touch, hand: {stiffness: 1, damping: 2, mass: 3}}\n"
        "trajectory: {kind: press, object: 1, direction: [0, -2, 0], gap: 0.01, depth: 0.002, "
        "speed: 0.05, hold: 0.5}\n"
        "safety: {max_force: 3, max_torque: 0.1, slew_rate: 500, stale_after: 0.3, fade_time: "
        "0.2}\n"
        "objects:\n"
        "  - name: a\n"
        "    shape: {kind: sine, size: [0.3, 0, 0.05], amplitude: 0.005, wavelength: 0.025,\n"
        "            resolution: 1200}\n"
        "    friction: 0.1\n"
        "  - mesh: part.stl\n"
        "    unit: mm\n"
        "    scale: 2\n"
        "    position: [1, 2, 3]\n"
        "    rotation: [0, 0, 90]\n";
    palError error;
    assert_int_equal(
        palScene_Parse(text, strlen(text), "dir/x.yaml", NULL, 0, &scene, &messages, &error),
        pal_ok);
    assert_int_equal(messages.count, 0);
    assert_string_equal(scene.name, "n");
    assert_string_equal(scene.description, "d: e");
    assert_int_equal(scene.seed, 7);
    ASSERT_NEAR(scene.gravity.y, -9.81, 0);
    ASSERT_NEAR(scene.time.seconds, 3.5, 0);
    ASSERT_NEAR(scene.time.dt, 0.002, 0);
    ASSERT_NEAR(scene.time.lowDt, 0.04, 0);
    ASSERT_NEAR(scene.time.latency, 0.01, 0);
    ASSERT_NEAR(scene.time.spin, 0, 0);
    assert_string_equal(scene.method.name, "penalty");
    ASSERT_NEAR(scene.method.radius, 0.03, 0);
    ASSERT_NEAR(scene.method.settings.penalty.stiffness, 500, 0);
    ASSERT_NEAR(scene.method.settings.penalty.damping, 2, 0);
    ASSERT_NEAR(scene.hand.coupling.stiffness, 900, 0);
    ASSERT_NEAR(scene.hand.coupling.damping, 0.7, 0);
    ASSERT_NEAR(scene.hand.coupling.mass, 0.002, 0);
    assert_string_equal(scene.hand.device.driver, "simulated");
    const palSimulatedSettings* simulated = (const void*)scene.hand.device.settings;
    assert_string_equal(simulated->preset, "touch");
    ASSERT_NEAR(simulated->hand.stiffness, 1, 0);
    ASSERT_NEAR(simulated->hand.damping, 2, 0);
    ASSERT_NEAR(simulated->hand.mass, 3, 0);
    assert_int_equal(scene.hand.devicePlace.line, 9);
    assert_int_equal(scene.hand.trajectory.def.kind, pal_trajectoryPress);
    assert_int_equal(scene.hand.trajectory.object, 1);
    ASSERT_NEAR(scene.hand.trajectory.def.direction.y, -2, 0);
    ASSERT_NEAR(scene.hand.trajectory.def.hold, 0.5, 0);
    ASSERT_NEAR(scene.hand.safety.maxForce, 3, 0);
    ASSERT_NEAR(scene.hand.safety.fadeTime, 0.2, 0);
    assert_int_equal(scene.objectCount, 2);
    assert_int_equal(scene.objects[0].shape.kind, pal_shapeSine);
    ASSERT_NEAR(scene.objects[0].shape.size.z, 0.05, 0);
    assert_int_equal(scene.objects[0].shape.resolution, 1200);
    ASSERT_NEAR(scene.objects[0].friction, 0.1, 0);
    assert_string_equal(scene.objects[1].name, "object1");
    assert_string_equal(scene.objects[1].mesh, "dir/part.stl");
    assert_int_equal(scene.objects[1].meshPlace.line, 17);
    assert_int_equal(scene.objects[1].meshPlace.column, 11);
    assert_int_equal(scene.objects[1].unit, pal_unitMillimetre);
    ASSERT_NEAR(scene.objects[1].position.z, 3, 0);
    ASSERT_NEAR(scene.objects[1].rotation.z, 90, 0);
    assert_string_equal(scene.directory, "dir/");
    palScene_Free(&scene);
}

static void what_is_left_out_has_its_default(void** state)
{
    (void)state;
    palScene scene = {0};
    assert_int_equal(parse(GOOD, &scene, NULL), pal_ok);
    assert_string_equal(scene.name, "x");
    assert_string_equal(scene.directory, "");
    assert_int_equal(scene.seed, 1);
    ASSERT_NEAR(scene.time.dt, 0.001, 0);
    ASSERT_NEAR(scene.time.lowDt, 0.033, 0);
    ASSERT_NEAR(scene.hand.coupling.mass, 0.001, 0);
    assert_true(isnan(scene.hand.coupling.stiffness));
    assert_true(isnan(scene.hand.coupling.damping));
    assert_true(isnan(scene.hand.safety.maxForce));
    assert_true(isnan(scene.hand.safety.maxTorque));
    assert_int_equal(scene.hand.trajectory.object, -1);
    assert_string_equal(scene.objects[0].name, "object0");
    ASSERT_NEAR(scene.objects[0].scale, 1, 0);

    // The other rooms' makers give theirs.
    palSafetyDef safety = palDefaultSafetyDef();
    ASSERT_NEAR(scene.hand.safety.slewRate, safety.slewRate, 0);
    assert_string_equal(scene.hand.device.driver, "replay");
    palTrajectoryDef line = palDefaultTrajectoryDef(pal_trajectoryLine);
    ASSERT_NEAR(palDistance(scene.hand.trajectory.def.end, line.end), 0, 0);
    ASSERT_NEAR(scene.hand.trajectory.def.speed, line.speed, 0);
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    ASSERT_NEAR(palDistance(scene.objects[0].shape.size, box.size), 0, 0);
    palScene_Free(&scene);
}

static void unknown_keys_are_reported_with_the_nearest(void** state)
{
    (void)state;
    expectFault(GOOD "tiem: {dt: 0.001}\n", 5, 1, "unknown key 'tiem' in scene",
                "did you mean 'time'? Allowed: palpate, name,");
    expectFault(GOOD "time:\n  latencey: 0.001\n", 6, 3, "unknown key 'latencey' in time",
                "did you mean 'latency'?");
    expectFault(GOOD "    frction: 1\n", 5, 5, "unknown key 'frction' in object", "'friction'");
    expectFault(GOOD "xyzzy: 1\n", 5, 1, "unknown key 'xyzzy'", "allowed: palpate, name,");
}

static void keys_given_twice_are_reported(void** state)
{
    (void)state;
    expectFault(GOOD "seed: 1\nseed: 2\n", 6, 1, "'seed' is given twice", "line 5");
}

static void wrong_types_are_reported(void** state)
{
    (void)state;
    expectFault(GOOD "time: {dt: fast}\n", 5, 12, "'dt' needs a number, found text 'fast'", "in s");
    expectFault(GOOD "method: {radius: 20 mm}\n", 5, 18, "found text '20 mm'", "in m, without");
    expectFault(GOOD "method: {radius: '0.02'}\n", 5, 18, "found text '0.02'", "");
    expectFault(GOOD "method: {radius: 0x10}\n", 5, 18, "needs a number", "");
    expectFault(GOOD "method: {radius: 1_0}\n", 5, 18, "needs a number", "");
    expectFault(GOOD "method: {radius: 1e}\n", 5, 18, "needs a number", "");
    expectFault(GOOD "method: {radius: .}\n", 5, 18, "needs a number", "");
    expectFault(GOOD "method: {radius: [1]}\n", 5, 18, "found a list", "");
    expectFault(GOOD "seed: 1.5\n", 5, 7, "'seed' needs a whole number", "");
    expectFault(GOOD "gravity: 9.81\n", 5, 10, "'gravity' needs a list of three numbers",
                "gravity: [0, 0, 1]");
    expectFault(GOOD "gravity: [0, 1]\n", 5, 10, "found 2", "gravity: [0, 0, 1]");
    expectFault(GOOD "gravity: [0, 1, x]\n", 5, 17, "needs a list of three numbers", "");
    expectFault(GOOD "name: [a]\n", 5, 7, "'name' needs text, found a list", "");
    expectFault(GOOD "name:\n", 5, 6, "'name' needs text, found nothing", "");
    expectFault(GOOD "time: 5\n", 5, 7, "time needs a map, found text", "seconds, dt");
    expectFault("palpate: 1\ntrajectory: {kind: line}\nobjects: {a: 1}\n", 3, 10,
                "'objects' needs a list, found a map", "");
    expectFault("palpate: 1\ntrajectory: {kind: line}\nobjects: [1]\n", 3, 11,
                "object needs a map, found text", "mesh, shape");
    expectFault("[1, 2]\n", 1, 1, "scene needs a map, found a list", "palpate");
    expectFault("just words\n", 1, 1, "scene needs a map, found text", "palpate");
}

static void values_out_of_range_are_reported_with_range_and_unit(void** state)
{
    (void)state;
    expectFault(GOOD "time: {dt: 0.02}\n", 5, 12, "'dt' is out of range: 0.02",
                "allowed: 1e-05 to 0.01 s");
    expectFault(GOOD "time: {seconds: 3601}\n", 5, 17, "'seconds' is out of range", "to 3600 s");
    expectFault(GOOD "    friction: -0.1\n", 5, 15, "'friction' is out of range: -0.1", "0 to 10");
    expectFault(GOOD "gravity: [0, -981, 0]\n", 5, 14, "'gravity' is out of range: -981",
                "-100 to 100 m/s²");
    expectFault(GOOD "seed: 1e10\n", 5, 7, "'seed' is out of range", "0 to 2147483647");
    char text[1024];
    snprintf(text, sizeof text, "%sname: %0*d\n", GOOD, 64, 0);
    expectFault(text, 5, 7, "'name' is longer than 63 bytes", "shorten");
    snprintf(text, sizeof text, "%sname: %0*d\n", GOOD, 63, 0);
    palScene scene = {0};
    assert_int_equal(parse(text, &scene, NULL), pal_ok);
    assert_int_equal(strlen(scene.name), 63);
    palScene_Free(&scene);
}

static void numbers_that_are_not_finite_are_reported(void** state)
{
    (void)state;
    expectFault(GOOD "method: {radius: .inf}\n", 5, 18, "'radius' is not finite", "to 10 m");
    expectFault(GOOD "method: {radius: NaN}\n", 5, 18, "'radius' is not finite", "");
    expectFault(GOOD "method: {radius: -1e999}\n", 5, 18, "'radius' is not finite", "");
}

static void unknown_names_are_reported_with_the_nearest(void** state)
{
    (void)state;
    expectFault(GOOD "method: {name: standart}\n", 5, 16, "'name' cannot be 'standart'",
                "did you mean 'standard'? Allowed: ");
    // Nothing is said of what such a method would take.
    expectFault("palpate: 1\nmethod: {name: complianc}\ntrajectory: {kind: line}\nobjects: []\n"
                "wires: [{start: [0, 0, 0], end: [0, 0, 0.1], elements: 4, hand: end,"
                " section: {shape: circle, radius: 0.001}}]\n",
                2, 16, "'name' cannot be 'complianc'", "did you mean 'compliance'? Allowed: ");
    expectFault(GOOD "device: {driver: simulated, preset: omega3}\n", 5, 37,
                "'preset' cannot be 'omega3'", "'omega.3'");
    expectFault("palpate: 1\ntrajectory: {kind: spiral}\nobjects: []\n", 2, 20,
                "'kind' cannot be 'spiral'", "allowed: line, sine, circle, press, path, file");
}

static void missing_keys_are_reported(void** state)
{
    (void)state;
    expectFault("trajectory: {kind: line}\nobjects: []\n", 1, 1, "scene misses the key 'palpate'",
                "add palpate");
    expectFault("palpate: 1\nobjects: []\n", 1, 1, "misses the key 'trajectory'", "");
    expectFault("palpate: 1\ntrajectory: {kind: line}\n", 1, 1, "misses the key 'objects'", "");
    expectFault("palpate: 1\ntrajectory: {speed: 1}\nobjects: []\n", 2, 13,
                "trajectory misses the key 'kind'", "");
    expectFault("palpate: 1\ntrajectory: {kind: file}\nobjects: []\n", 2, 13,
                "trajectory misses the key 'file'", "a file name");
}

static void alternatives_are_reported(void** state)
{
    (void)state;
    expectFault(GOOD "  - name: b\n", 5, 5, "object misses 'mesh' or 'shape'",
                "exactly one of 'mesh' or 'shape'");
    expectFault(GOOD "    mesh: a.stl\n", 5, 5, "'shape' and 'mesh' exclude each other", "one of");
    expectFault("palpate: 1\ntrajectory: {kind: press}\n"
                "objects: [{mesh: a.stl}]\n",
                2, 13, "trajectory misses 'object' or 'target'", "one of");
    expectFault(GOOD "    unit: mm\n", 5, 5, "'unit' is used together with 'mesh' only", "remove");
}

static void keys_of_another_kind_are_reported(void** state)
{
    (void)state;
    expectFault("palpate: 1\ntrajectory: {kind: line, radius: 1}\nobjects: []\n", 2, 26,
                "'radius' is not used by trajectory kind line", "allowed: kind, start, end, speed");
    expectFault("palpate: 1\ntrajectory: {kind: line}\n"
                "objects: [{shape: {kind: sphere, height: 1}}]\n",
                3, 34, "'height' is not used by shape kind sphere", "kind, radius, resolution");
}

static void another_version_is_the_only_fault(void** state)
{
    (void)state;
    expectFault("palpate: 2\nnew_key: 1\n", 1, 10, "scene format 2 is not known", "palpate: 1");
}

static void an_empty_file_is_reported(void** state)
{
    (void)state;
    expectFault("", 0, 0, "empty", "palpate: 1");
    expectFault("# only a comment\n", 0, 0, "empty", "palpate: 1");
    expectFault("---\n", 0, 0, "empty", "palpate: 1");
}

static void faults_of_the_text_itself_are_reported(void** state)
{
    (void)state;
    expectFault(GOOD "time:\n\tdt: 1\n", 6, 1, "tab", "spaces");
    expectFault(GOOD "---\npalpate: 1\n", 5, 1, "second document", "one scene");
    expectFault(GOOD "name: *x\n", 5, 7, "aliases", "write");
    expectFault(GOOD "name: \xFF\n", 5, 7, "UTF-8", "UTF-8");
    expectFault("[[[[[[[[[[[[[[[[[[[[[[", 1, 17, "16 deep", "bracket");
}

static void values_that_contradict_each_other_are_reported(void** state)
{
    (void)state;
    expectFault(GOOD "time: {dt: 0.01, low_dt: 0.005, latency: 0}\n", 5, 26,
                "'low_dt' (0.005 s) is shorter than 'dt' (0.01 s)", "");
    expectFault(GOOD "time: {latency: 0.05}\n", 5, 17,
                "'latency' (0.05 s) is longer than 'low_dt' (0.033 s)", "");
    expectFault("palpate: 1\nobjects: []\ntrajectory:\n  kind: path\n  points:\n"
                "    - {t: 1, at: [0, 0, 0]}\n    - {t: 0.5, at: [0, 0, 0]}\n",
                7, 11, "'t' is 0.5 s, not later than the point before", "in the order");
    expectFault(GOOD "time: {spin: 0.002}\n", 5, 14, "'spin' (0.002 s) is longer than 'dt'", "");
    expectFault("palpate: 1\ntrajectory: {kind: press, object: 1}\nobjects: [{mesh: a.stl}]\n", 2,
                35, "'object' is 1, but the scene has 1 object", "from 0");
    expectFault("palpate: 1\ntrajectory: {kind: press, target: [0, 0, 0], direction: [0, 0, 0]}\n"
                "objects: []\n",
                2, 57, "'direction' is a direction and has no length", "zero");
}

// What the file does not say cannot contradict it.
static void the_latency_is_at_most_a_short_step(void** state)
{
    (void)state;
    palScene scene = {0};
    assert_int_equal(parse(GOOD "time: {low_dt: 0.002}\n", &scene, NULL), pal_ok);
    ASSERT_NEAR(scene.time.latency, 0.002, 0);
    assert_int_equal(parse(GOOD "time: {low_dt: 0.02}\n", &scene, NULL), pal_ok);
    ASSERT_NEAR(scene.time.latency, 0.005, 0);
    palScene_Free(&scene);
}

static void all_faults_are_collected(void** state)
{
    (void)state;
    palScene scene = {0};
    palMessages messages = {0};
    palError error;
    const char* text = GOOD "seed: x\ntime: {dt: 1, latency: y}\nbad: 1\n";
    assert_int_equal(
        palScene_Parse(text, strlen(text), "x.yaml", NULL, 0, &scene, &messages, &error),
        pal_errorInput);
    assert_int_equal(messages.count, 4);
    static const int lines[] = {5, 6, 6, 7};
    for (int i = 0; i < 4; i++)
        assert_int_equal(messages.items[i].what.line, lines[i]);
    char told[1600];
    palError_Format(&messages.items[0].what, told, sizeof told);
    assert_non_null(strstr(told, "x.yaml:5:7: 'seed' needs a whole number, found text 'x'"));
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

static void faults_past_the_fiftieth_are_counted(void** state)
{
    (void)state;
    char text[8192] = GOOD;
    for (int i = 0; i < 60; i++)
    {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "bad%d: 1\n", i);
    }
    palScene scene = {0};
    palMessages messages = {0};
    assert_int_equal(parse(text, &scene, &messages), pal_errorInput);
    assert_int_equal(messages.count, 51);
    assert_string_equal(messages.items[50].what.text, "10 more faults");
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

static void a_thousand_objects_are_read(void** state)
{
    (void)state;
    static char text[32768] = "palpate: 1\ntrajectory: {kind: line}\nobjects:\n";
    char* end = text + strlen(text);
    for (int i = 0; i < 1000; i++)
        end = stpcpy(end, "  - mesh: a.stl\n");
    palScene scene = {0};
    assert_int_equal(parse(text, &scene, NULL), pal_ok);
    assert_int_equal(scene.objectCount, 1000);
    assert_string_equal(scene.objects[999].mesh, "a.stl");
    palScene_Free(&scene);
}

static void a_path_too_long_with_its_folder_is_reported(void** state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "palpate: 1\ntrajectory: {kind: line}\nobjects: [{mesh: %0*d}]\n",
             500, 0);
    palScene scene = {0};
    palError error;
    assert_int_equal(palScene_Parse(text, strlen(text), "a/x.yaml", NULL, 0, &scene, NULL, &error),
                     pal_ok);
    palScene_Free(&scene);
    assert_int_equal(
        palScene_Parse(text, strlen(text), "a/long/folder/x.yaml", NULL, 0, &scene, NULL, &error),
        pal_errorInput);
    assert_int_equal(error.line, 3);
    assert_non_null(strstr(error.text, "longer than 511 bytes"));
    palScene_Free(&scene);
}

static void control_characters_do_not_reach_messages(void** state)
{
    (void)state;
    expectFault(GOOD "\"a\\eb\": 1\n", 5, 1, "unknown key 'a?b'", "allowed");
}

static void a_file_that_cannot_be_read_is_reported(void** state)
{
    (void)state;
    palScene scene = {0};
    palMessages messages = {0};
    palError error;
    assert_int_equal(palScene_Load("no/such.yaml", NULL, 0, &scene, &messages, &error),
                     pal_errorFile);
    assert_string_equal(error.file, "no/such.yaml");
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(messages.count, 1);
    assert_int_equal(palScene_Load("/", NULL, 0, &scene, NULL, &error), pal_errorFile);
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

static void every_shipped_scene_is_good(void** state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(PAL_SOURCE_DIR "/scenes/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
    {
        palScene scene = {0};
        palError error;
        palResult result = palScene_Load(found.gl_pathv[i], NULL, 0, &scene, NULL, &error);
        if (result != pal_ok)
            print_error("%s:%d: %s\n", error.file, error.line, error.text);
        assert_int_equal(result, pal_ok);
        const char* base = strrchr(found.gl_pathv[i], '/') + 1;
        assert_int_equal(strncmp(base, scene.name, strlen(base) - strlen(".yaml")), 0);
        assert_true(scene.description[0] != '\0');
        palScene_Free(&scene);
    }
    globfree(&found);
}

#define TWO_HANDS                                                                                  \
    "palpate: 1\n"                                                                                 \
    "method: {name: compliance}\n"                                                                 \
    "objects: [{shape: {kind: box}}]\n"                                                            \
    "wires: [{name: a, start: [0, 0, 0], end: [1, 0, 0], section: {shape: circle}}, "              \
    "{name: b, start: [0, 1, 0], end: [1, 1, 0], section: {shape: circle}}]\n"                     \
    "hands:\n"

static void several_hands_are_read(void** state)
{
    (void)state;
    palScene scene = {0};
    palMessages messages = {0};
    const char* text = TWO_HANDS "  - trajectory: {kind: line}\n"
                                 "    wire: {name: b, end: end}\n"
                                 "    coupling: {stiffness: 300}\n"
                                 "  - trajectory: {kind: circle}\n"
                                 "    device: {driver: simulated, preset: omega.3}\n"
                                 "    tool: {shape: {kind: peg}}\n"
                                 "    safety: {max_force: 2}\n";
    palResult result = parse(text, &scene, &messages);
    for (int i = 0; i < messages.count; i++)
        print_error("%s\n", messages.items[i].what.text);
    assert_int_equal(result, pal_ok);
    assert_int_equal(palScene_HandCount(&scene), 2);
    palWireEnd end;
    assert_int_equal(palScene_HandKind(&scene, 0), pal_handWire);
    assert_int_equal(palScene_HeldWire(&scene, 0), 1);
    assert_int_equal(palScene_Holder(&scene, 1, &end), 0);
    assert_int_equal(end, pal_wireEndEnd);
    assert_int_equal(palScene_Holder(&scene, 0, &end), -1);
    ASSERT_NEAR(palScene_HandAt(&scene, 0)->coupling.stiffness, 300, 0);
    const palSceneHand* second = palScene_HandAt(&scene, 1);
    assert_int_equal(palScene_HandKind(&scene, 1), pal_handTool);
    assert_string_equal(second->device.driver, "simulated");
    assert_int_equal(second->trajectory.def.kind, pal_trajectoryCircle);
    ASSERT_NEAR(second->safety.maxForce, 2, 0);
    assert_int_equal(second->place.line, 9);
    assert_int_equal(palScene_FindTool(&scene, "tool1"), 1);
    assert_int_equal(palScene_FindTool(&scene, "tool"), -1);
    palScene_Free(&scene);
    palMessages_Free(&messages);
}

static void faults_of_hands_have_their_place(void** state)
{
    (void)state;
    // Both forms at once.
    expectFault(GOOD "hands: [{trajectory: {kind: line}}]\n", 2, 1,
                "'trajectory' and 'hands' exclude each other", "hands.0.trajectory");
    // One too many.
    expectFault("palpate: 1\ntrajectory: {kind: line}\nobjects: []\nhands: [{}, {}, {}, {}, {}]\n",
                4, 8, "'hands' has 5 elements", "at most 4");
    expectFault("palpate: 1\nobjects: []\nhands:\n  - trajectory: {kind: line}\n  - device: {}\n",
                5, 5, "hand misses the key 'trajectory'", "");
    expectFault("palpate: 1\nobjects: []\nhands:\n  - trajectory: {kind: press, object: 3}\n", 4,
                39, "'object' is 3, but the scene has 0 objects", "counted from 0");
    expectFault(TWO_HANDS "  - trajectory: {kind: line}\n    wire: {name: c, end: end}\n"
                          "    tool: {shape: {kind: peg}}\n",
                7, 18, "there is no wire named 'c'", "`wires`");
    expectFault(TWO_HANDS "  - trajectory: {kind: line}\n    wire: {name: a, end: end}\n"
                          "  - trajectory: {kind: line}\n    wire: {name: a, end: start}\n",
                9, 18, "another hand holds the wire 'a'", "one hand");
    expectFault(TWO_HANDS "  - trajectory: {kind: line}\n    wire: {name: a, end: end}\n"
                          "    tool: {shape: {kind: peg}}\n",
                8, 11, "the hand holds a tool and the wire 'a'", "take the tool");
    expectFault("palpate: 1\nmethod: {name: standard}\nobjects: []\nhands:\n"
                "  - trajectory: {kind: line}\n    device: {driver: simulated, latency: 1}\n",
                6, 33, "'latency' is used by driver browser", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_hands_are_read),
        cmocka_unit_test(faults_of_hands_have_their_place),
        cmocka_unit_test(every_value_of_a_file_is_read),
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(unknown_keys_are_reported_with_the_nearest),
        cmocka_unit_test(keys_given_twice_are_reported),
        cmocka_unit_test(wrong_types_are_reported),
        cmocka_unit_test(values_out_of_range_are_reported_with_range_and_unit),
        cmocka_unit_test(numbers_that_are_not_finite_are_reported),
        cmocka_unit_test(unknown_names_are_reported_with_the_nearest),
        cmocka_unit_test(missing_keys_are_reported),
        cmocka_unit_test(alternatives_are_reported),
        cmocka_unit_test(keys_of_another_kind_are_reported),
        cmocka_unit_test(another_version_is_the_only_fault),
        cmocka_unit_test(an_empty_file_is_reported),
        cmocka_unit_test(faults_of_the_text_itself_are_reported),
        cmocka_unit_test(values_that_contradict_each_other_are_reported),
        cmocka_unit_test(the_latency_is_at_most_a_short_step),
        cmocka_unit_test(all_faults_are_collected),
        cmocka_unit_test(faults_past_the_fiftieth_are_counted),
        cmocka_unit_test(a_thousand_objects_are_read),
        cmocka_unit_test(a_path_too_long_with_its_folder_is_reported),
        cmocka_unit_test(control_characters_do_not_reach_messages),
        cmocka_unit_test(a_file_that_cannot_be_read_is_reported),
        cmocka_unit_test(every_shipped_scene_is_good),
    };
    return RUN(tests);
}
