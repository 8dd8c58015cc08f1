// SPDX-License-Identifier: Apache-2.0
// The public session: run it, step it, stop it, hold it in a simulated hand.
#include "scene_session.h"

#include "device/simulated.h"
#include "math/vec3.h"

#include <palpate/session.h>

#include <sys/stat.h>
#include <unistd.h>

//--------------------------------------------------------------------------------------------------
// A hand that yields

typedef struct lean
{
    double mean, deviation; // N, of the force while the hand holds still
    double largest;         // N, of all
    double energy;          // J, the most that the hand was ever given
    double held;            // J, given while the hand holds still
    double received;        // J, the most that the hand had received at its own end
} lean;

// The hand of wall-simulated.yaml arrives before 1 s and holds still until 1.7 s.
static lean leanOnWall(palSession* session)
{
    lean seen = {0};
    palStep step = {0}, last = {0};
    double sum = 0.0, squares = 0.0, energy = 0.0;
    int count = 0;
    for (int k = 0; k < 3000; k++)
    {
        palSession_Step(session, &step);
        assert_true(palIsFinite(step.out));
        double given = k > 0 ? palDot(last.out, palSub(step.device, last.device)) : 0.0;
        energy += given;
        seen.energy = fmax(seen.energy, energy);
        seen.largest = fmax(seen.largest, palLength(step.out));
        if (step.t >= 1.2 && step.t < 1.7)
        {
            sum += step.out.y;
            squares += step.out.y * step.out.y;
            seen.held += given;
            count++;
        }
        last = step;
    }
    seen.received = palSession_Measure(session)->handEnergyLargest;
    seen.mean = sum / count;
    seen.deviation = sqrt(fmax(0.0, squares / count - seen.mean * seen.mean));
    return seen;
}

static void a_hand_leans_stably_on_a_wall_with_every_device(void** state)
{
    (void)state;
    const char* const methods[] = {"accurate", "standard", "penalty"};
    for (int i = 0; palDevicePresetAt(i) != NULL; i++)
        for (int j = 0; j < 3; j++)
        {
            const palDevicePreset* preset = palDevicePresetAt(i);
            char presetSet[64], methodSet[64];
            snprintf(presetSet, sizeof presetSet, "device.preset=%s", preset->name);
            snprintf(methodSet, sizeof methodSet, "method.name=%s", methods[j]);
            const char* sets[] = {presetSet, methodSet};
            palSession* session = createSession("wall-simulated.yaml", sets, 2);
            lean seen = leanOnWall(session);
            palSession_Destroy(session);

            // It settles: what trembles is less than a hand feels, 1 % of the force.
            ASSERT_BELOW(0.4, seen.mean);
            ASSERT_BELOW(seen.deviation, 0.01 * seen.mean);
            ASSERT_BELOW(seen.largest, fmin(preset->limits.maxForce, 2.0 * seen.mean));
            // A wall gives nothing: no more than the rounding of the encoder hides on the way in
            // and on the way out.
            double hidden = 2.0 * seen.largest * preset->resolution + 1e-6;
            ASSERT_BELOW(seen.energy, hidden);
            ASSERT_BELOW(seen.held, 0.1 * hidden);
            ASSERT_BELOW(seen.received, 1e-6);
        }
}

static void a_coupling_that_the_device_cannot_render_is_cut_with_a_reason(void** state)
{
    (void)state;
    const char* sets[] = {"coupling.stiffness=100000"};
    palSession* session = createSession("wall-simulated.yaml", sets, 1);
    bool isWarning = false;
    const palError* message = palSession_Message(session, 0, &isWarning);
    assert_non_null(message);
    assert_true(isWarning);
    assert_non_null(strstr(message->text, "100000 N/m is more than the device renders stably"));
    assert_non_null(strstr(message->remedy, "at most 5000 N/m"));
    assert_null(palSession_Message(session, 1, &isWarning));
    const char* used = strstr(palSession_Summary(session), "\"coupling_stiffness_N_m\": ");
    assert_non_null(used);
    ASSERT_BELOW(strtod(used + strlen("\"coupling_stiffness_N_m\": "), NULL), 5000.0);

    // And what is left is stable.
    lean seen = leanOnWall(session);
    ASSERT_BELOW(seen.deviation, 0.01 * seen.mean);
    palSession_Destroy(session);
}

//--------------------------------------------------------------------------------------------------
// Run and step

static void stopEarly(void* user, double done)
{
    palSession* session = *(palSession**)user;
    if (done < 0.9)
        palSession_Stop(session);
}

static void a_stopped_run_goes_on_where_it_was(void** state)
{
    (void)state;
    palSession* whole = createSession("touch.yaml", NULL, 0);
    palSession* parts = createSession("touch.yaml", NULL, 0);
    palError error = {0};
    palRunDef plain = {.mode = pal_modeLockstep};
    palRunDef stopping = {.mode = pal_modeLockstep, .progress = stopEarly, .user = &parts};
    assert_int_equal(palSession_Run(parts, &stopping, &error), pal_ok);
    assert_non_null(strstr(palSession_Summary(parts), "\"complete\": false"));
    assert_non_null(strstr(palSession_Summary(parts), "\"haptic_steps\": 1024"));
    assert_int_equal(palSession_Run(parts, &plain, &error), pal_ok);
    assert_int_equal(palSession_Run(whole, &plain, &error), pal_ok);
    assert_non_null(strstr(palSession_Summary(parts), "\"complete\": true"));
    assert_non_null(strstr(palSession_Summary(parts), "\"haptic_steps\": 2000"));

    // The same forces: the part of the summary that no clock touches.
    const char* a = strstr(palSession_Summary(whole), "\"force_N\"");
    const char* b = strstr(palSession_Summary(parts), "\"force_N\"");
    assert_non_null(a);
    assert_non_null(b);
    assert_string_equal(a, b);
    palSession_Destroy(whole);
    palSession_Destroy(parts);
}

static void steps_are_the_same_as_a_run(void** state)
{
    (void)state;
    char directory[] = "/tmp/palpate-session-XXXXXX";
    assert_non_null(mkdtemp(directory));
    palSession* run = createSession("touch.yaml", NULL, 0);
    palSession* stepped = createSession("touch.yaml", NULL, 0);
    palError error = {0};
    palRunDef def = {.mode = pal_modeLockstep, .directory = directory};
    assert_int_equal(palSession_Run(run, &def, &error), pal_ok);
    char path[128], line[2048];
    snprintf(path, sizeof path, "%s/haptic.csv", directory);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    int rows = 0;
    while (fgets(line, sizeof line, file) != NULL)
    {
        palStep step;
        palSession_Step(stepped, &step);
        double v[10];
        char* at = line;
        for (int i = 0; i < 10; i++)
            v[i] = strtod(at, &at), at++;
        assert_true(v[0] == step.t);
        assert_true(v[1] == step.device.x && v[2] == step.device.y && v[3] == step.device.z);
        assert_true(v[4] == step.proxy.x && v[5] == step.proxy.y && v[6] == step.proxy.z);
        assert_true(v[7] == step.force.x && v[8] == step.force.y && v[9] == step.force.z);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 2000);
    palSession_Destroy(run);
    palSession_Destroy(stepped);
    char command[160];
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

//--------------------------------------------------------------------------------------------------
// A device of the caller's own

struct palDevice
{
    double height;  // m
    double largest; // N, that was written
};

static void ownLimits(const palDevice* device, palDeviceLimits* limits)
{
    (void)device;
    limits->maxForce = 1.5;
    limits->maxStiffness = 800.0;
    limits->hasForce = true;
}

static void ownRead(palDevice* device, double t, palDeviceState* state)
{
    (void)t;
    state->position = palMakeVec3(0, device->height, 0);
    state->orientation.w = 1.0;
    state->fresh = true;
}

static void ownWrite(palDevice* device, const palDeviceOutput* output)
{
    device->largest = fmax(device->largest, palLength(output->channels[0].force));
}

static void a_driver_of_the_callers_own_is_driven_within_its_limits(void** state)
{
    (void)state;
    const palDeviceOps ops = {
        .size = sizeof ops, .name = "own", .limits = ownLimits, .read = ownRead, .write = ownWrite};
    palDevice device = {.height = 0.01};
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/wall-simulated.yaml", PAL_SOURCE_DIR);
    palSessionDef def = palDefaultSessionDef();
    def.scene = path;
    def.deviceOps = &ops;
    def.device = &device;
    palSession* session;
    palError error;
    assert_int_equal(palSession_Create(&def, &session, &error), pal_ok);
    palStep step;
    palSession_Step(session, &step);
    assert_true(step.device.y == 0.01 && device.largest == 0.0);
    device.height = -0.005;
    for (int k = 0; k < 500; k++)
        palSession_Step(session, &step);
    // 5 mm at 800 N/m are 4 N on the proxy; 1.5 N arrive.
    ASSERT_NEAR(step.force.y, 4.0, 1e-6);
    ASSERT_NEAR(step.out.y, 1.5, 1e-12);
    ASSERT_NEAR(device.largest, 1.5, 1e-12);
    // What its hand receives is not known.
    assert_null(strstr(palSession_Summary(session), "hand_energy_J"));
    palSession_Destroy(session);

    palDeviceOps unsized = ops;
    unsized.size = 0;
    def.deviceOps = &unsized;
    assert_int_equal(palSession_Create(&def, &session, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "size"));
    assert_null(session);
}

static double numberAfter(const char* text, const char* key)
{
    const char* found = strstr(text, key);
    assert_non_null(found);
    return strtod(found + strlen(key), NULL);
}

static void the_summary_tells_what_the_simulated_hand_received(void** state)
{
    (void)state;
    palSession* session = createSession("wall-simulated.yaml", NULL, 0);
    palStep step;
    for (int k = 0; k < 3000; k++)
        palSession_Step(session, &step);
    const char* hand = strstr(palSession_Summary(session), "\"hand_energy_J\": {");
    assert_non_null(hand);
    const palMeasure* measure = palSession_Measure(session);
    ASSERT_NEAR(numberAfter(hand, "\"net\": "), measure->handEnergy, 0.0);
    ASSERT_NEAR(numberAfter(hand, "\"largest\": "), measure->handEnergyLargest, 0.0);
    // The hand went 14.5 mm and back against 0.15 N of friction and 0.5 N·s/m at 50 mm/s, give and
    // take what it spent on the wall.
    ASSERT_BELOW(measure->handEnergy, -2.0 * 0.15 * 0.010);
    ASSERT_BELOW(-2.0 * (0.15 + 0.5 * 0.05) * 0.015 - 1e-3, measure->handEnergy);
    palSession_Destroy(session);
}

static void the_recording_of_a_driver_of_the_callers_own_says_so(void** state)
{
    (void)state;
    const palDeviceOps ops = {
        .size = sizeof ops, .name = "own", .limits = ownLimits, .read = ownRead, .write = ownWrite};
    palDevice device = {.height = 0.01};
    char path[512], text[8192], directory[] = "/tmp/palpate-own-XXXXXX", command[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/scenes/touch.yaml", PAL_SOURCE_DIR);
    palSessionDef def = palDefaultSessionDef();
    def.scene = path;
    def.deviceOps = &ops;
    def.device = &device;
    palSession* session;
    assert_int_equal(palSession_Create(&def, &session, NULL), pal_ok);
    const palRunDef run = {.directory = directory};
    assert_int_equal(palSession_Run(session, &run, NULL), pal_ok);
    palSession_Destroy(session);
    snprintf(path, sizeof path, "%s/scene.yaml", directory);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "\n# Run with the program's own device 'own'"));
    // What its limits decided.
    assert_non_null(strstr(text, "\n#   stiffness: 800\n"));
    assert_non_null(strstr(text, "\n#   max_force: 1.5\n"));
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

static void a_scene_that_cannot_be_used_leaves_nothing_behind(void** state)
{
    (void)state;
    const char* const sets[] = {"objects.0.mesh=no-such.stl",
                                "trajectory={kind: file, file: no.csv}", "method.name=none",
                                "objects.0.shape={kind: sphere, radius: -1}"};
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/touch.yaml", PAL_SOURCE_DIR);
    for (int i = 0; i < 5; i++)
    {
        palSessionDef def = palDefaultSessionDef();
        def.scene = i < 4 ? path : "no-such.yaml";
        def.sets = &sets[i < 4 ? i : 0];
        def.setCount = i < 4;
        palSession* session = (palSession*)&def;
        palError error = {0};
        assert_int_not_equal(palSession_Create(&def, &session, &error), pal_ok);
        assert_null(session);
        assert_true(error.text[0] != '\0' && error.remedy[0] != '\0' && error.file[0] != '\0');
    }
}

static void a_session_without_a_scene_is_refused_with_or_without_an_error(void** state)
{
    (void)state;
    palSessionDef def = palDefaultSessionDef();
    palSession* session;
    palError error;
    assert_int_equal(palSession_Create(&def, &session, &error), pal_errorInput);
    assert_null(session);
    assert_true(error.text[0] != '\0' && error.remedy[0] != '\0');
    assert_int_equal(palSession_Create(&def, &session, NULL), pal_errorInput);
    def.scene = "/no/such.yaml";
    assert_int_equal(palSession_Create(&def, &session, NULL), pal_errorFile);
    palSession_Destroy(NULL);

    session = createSession("touch.yaml", NULL, 0);
    const palRunDef run = {.directory = "/proc/none"};
    assert_int_equal(palSession_Run(session, &run, NULL), pal_errorFile);
    palSession_Destroy(session);
}

static palResult createWithHands(const char* hands, palSession** session, palError* error)
{
    const char text[] = "palpate: 1\nmethod: {name: accurate}\n"
                        "objects: [{shape: {kind: box, size: [0.1, 0.04, 0.1]}}]\n%s";
    char path[] = "/tmp/palpate-hands-XXXXXX";
    FILE* file = fdopen(mkstemp(path), "w");
    fprintf(file, text, hands);
    fclose(file);
    palSessionDef def = palDefaultSessionDef();
    def.scene = path;
    palResult result = palSession_Create(&def, session, error);
    unlink(path);
    return result;
}

#define PRESS "trajectory: {kind: press, object: 0, direction: [0, -1, 0], gap: 0.001, hold: 1}"

static void a_list_of_one_hand_is_the_same_as_the_short_form(void** state)
{
    (void)state;
    palSession *shortForm, *listed;
    palError error;
    assert_int_equal(createWithHands("coupling: {stiffness: 700}\n" PRESS "\n", &shortForm, &error),
                     pal_ok);
    assert_int_equal(
        createWithHands("hands: [{coupling: {stiffness: 700}, " PRESS "}]\n", &listed, &error),
        pal_ok);
    palStep a = {0}, b = {0};
    for (int i = 0; i < 500; i++)
    {
        palSession_Step(shortForm, &a);
        palSession_Step(listed, &b);
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_true(a.force.y > 0.5);
    palSession_Destroy(shortForm);
    palSession_Destroy(listed);
}

// The header, and the row of a time, of a recorded haptic.csv.
static void readRow(const char* directory, double t, char* header, char* row, int size)
{
    char path[96];
    snprintf(path, sizeof path, "%s/haptic.csv", directory);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(header, size, file));
    while (fgets(row, size, file) != NULL && strtod(row, NULL) < t - 1e-9)
        ;
    fclose(file);
}

// The number in the column of that name.
static double columnOf(const char* header, const char* row, const char* name)
{
    size_t length = strlen(name);
    const char *at = header, *cell = row;
    while (at != NULL && cell != NULL)
    {
        if (strncmp(at, name, length) == 0 && strcspn(at, ",\n") == length)
            return strtod(cell, NULL);
        at = strchr(at, ',');
        cell = strchr(cell, ',');
        at += at != NULL;
        cell += cell != NULL;
    }
    fail_msg("no column %s", name);
    return NAN;
}

// Two hands, of which the second presses deeper: the columns of the first keep their names, those
// of the second follow with a prefix, and the summary tells of both.
static void a_recording_of_two_hands_has_the_columns_of_both(void** state)
{
    (void)state;
    static const char hands[] =
        "hands:\n  - {" PRESS "}\n"
        "  - {coupling: {stiffness: 500}, trajectory: {kind: path, points: [{t: 0, at: [0.02, "
        "0.021, 0]}, {t: 0.2, at: [0.02, 0.016, 0]}]}}\n";
    char directory[] = "/tmp/palpate-hands-XXXXXX", header[2048], row[2048], command[96];
    palSession* session;
    palError error;
    assert_non_null(mkdtemp(directory));
    assert_int_equal(createWithHands(hands, &session, &error), pal_ok);
    const char* one = palSession_Summary(session);
    assert_non_null(one);
    const palRunDef run = {.directory = directory, .contacts = true};
    assert_int_equal(palSession_Run(session, &run, &error), pal_ok);
    readRow(directory, 0.4, header, row, sizeof header);
    assert_int_equal(strncmp(header, "t,dev_x,dev_y,dev_z,proxy_x,", 28), 0);
    ASSERT_NEAR(columnOf(header, row, "hand1_dev_x"), 0.02, 1e-15);
    ASSERT_NEAR(columnOf(header, row, "hand1_force_y"), 500 * 0.004, 1e-3);
    ASSERT_NEAR(columnOf(header, row, "hand1_out_y"), 500 * 0.004, 1e-3);
    assert_true(columnOf(header, row, "force_y") > 0.5);
    assert_true(columnOf(header, row, "hand1_converged") == 1.0);
    assert_null(strstr(header, "hand1_t,"));
    assert_null(strstr(header, "hand1_step_us"));
    const char* summary = palSession_Summary(session);
    const char* second = strstr(summary, "\"hands\"");
    assert_non_null(second);
    assert_non_null(strstr(second, "\"coupling_stiffness_N_m\": 500"));
    assert_non_null(strstr(second, "\"safety_steps\""));
    palSession_Destroy(session);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_one_hand_is_the_same_as_the_short_form),
        cmocka_unit_test(a_recording_of_two_hands_has_the_columns_of_both),
        cmocka_unit_test(a_session_without_a_scene_is_refused_with_or_without_an_error),
        cmocka_unit_test(a_hand_leans_stably_on_a_wall_with_every_device),
        cmocka_unit_test(a_coupling_that_the_device_cannot_render_is_cut_with_a_reason),
        cmocka_unit_test(a_stopped_run_goes_on_where_it_was),
        cmocka_unit_test(steps_are_the_same_as_a_run),
        cmocka_unit_test(a_driver_of_the_callers_own_is_driven_within_its_limits),
        cmocka_unit_test(the_summary_tells_what_the_simulated_hand_received),
        cmocka_unit_test(the_recording_of_a_driver_of_the_callers_own_says_so),
        cmocka_unit_test(a_scene_that_cannot_be_used_leaves_nothing_behind),
    };
    return RUN(tests);
}
