// SPDX-License-Identifier: Apache-2.0
// The settings of device drivers in scenes. This test has a registry of its own: two drivers of the
// build, the skeleton, and two that are made up here, whose settings are laid out differently.
#include "scene_session.h"

#include "base/schema_columns.h"
#include "device/replay.h"
#include "device/simulated.h"
#include "device/skeleton.h"
#include "scene/scene.h"

#include <unistd.h>

//--------------------------------------------------------------------------------------------------
// An arm with a setting of every kind

typedef enum ArmMode
{
    armSlow,
    armFast,
} ArmMode;

typedef struct ArmFilter
{
    int order;
    double cutoff; // Hz
} ArmFilter;

typedef struct ArmSettings
{
    char host[24];
    int port;
    double gain;
    double damping; // NaN: not given
    palVec3 offset; // m
    ArmMode mode;
    ArmFilter filter;
    char table[200];
    palSchemaPlace tablePlace;
} ArmSettings;

// What the arm was opened with.
static struct
{
    palDriverContext context;
    ArmSettings settings;
    int count;
} opened;

static const char* modeNameAt(int index)
{
    static const char* const names[] = {[armSlow] = "slow", [armFast] = "fast"};
    return nameIn(names, COUNT(names), index);
}

static ArmSettings defaultArm(void)
{
    return (ArmSettings){
        .host = "localhost",
        .port = 4000,
        .gain = 0.1,
        .offset = {0.0, 0.0, 0.05},
        .mode = armFast,
    };
}

static void setArmDefaults(int kind, void* record)
{
    (void)kind;
    *(ArmSettings*)record = defaultArm();
}

static const palSchemaKey filterKeys[] = {
    {FIELD("order", pal_schemaWhole, ArmFilter, order), RANGE(1, 4, NULL), .fallback = "2",
     .meaning = "of the filter"},
    {FIELD("cutoff", pal_schemaNumber, ArmFilter, cutoff), RANGE(1, 1000, "Hz"), .fallback = "50",
     .meaning = "of the filter"},
};
static const palSchemaTable filterTable = {
    .noun = "filter",
    .title = "device.filter",
    .keys = filterKeys,
    .keyCount = COUNT(filterKeys),
    .size = sizeof(ArmFilter),
};

static const palSchemaKey armKeys[] = {
    {FIELD("host", pal_schemaText, ArmSettings, host), BYTES(ArmSettings, host),
     .meaning = "where"},
    {FIELD("port", pal_schemaWhole, ArmSettings, port), RANGE(1, 65535, NULL), .meaning = "where"},
    {FIELD("gain", pal_schemaNumber, ArmSettings, gain), RANGE(0.01, 2, "N/V"),
     .meaning = "of the amplifier"},
    {FIELD("damping", pal_schemaNumber, ArmSettings, damping), RANGE(0, 100, "N·s/m"),
     .unset = "not known", .meaning = "of the mechanism"},
    {FIELD("offset", pal_schemaVector, ArmSettings, offset), RANGE(-1, 1, "m"), .meaning = "where"},
    {FIELD("mode", pal_schemaChoice, ArmSettings, mode), .nameAt = modeNameAt, .meaning = "how"},
    {FIELD("filter", pal_schemaMap, ArmSettings, filter), .table = &filterTable, .meaning = "how"},
    {FIELD("table", pal_schemaPath, ArmSettings, table), BYTES(ArmSettings, table),
     .place = offsetof(ArmSettings, tablePlace), .meaning = "a file"},
};
static const palSchemaTable armTable = {
    .noun = "device",
    .title = "device with driver `arm`",
    .keys = armKeys,
    .keyCount = COUNT(armKeys),
    .size = sizeof(ArmSettings),
    .setDefaults = setArmDefaults,
};

static palResult openArm(const palDriverContext* context, const void* settings, palDevice** device,
                         palError* error)
{
    const ArmSettings* given = settings;
    *device = NULL;
    opened.context = *context;
    opened.settings = *given;
    opened.count++;
    if (strcmp(given->host, "nowhere") == 0)
    {
        palError* told = error;
        told->code = pal_errorUnusable;
        told->file[0] = '\0';
        told->line = told->column = 0;
        snprintf(told->text, sizeof told->text, "arm: no answer from %s", given->host);
        snprintf(told->remedy, sizeof told->remedy, "switch it on");
        return pal_errorUnusable;
    }
    *device = (palDevice*)&opened;
    return pal_ok;
}

static void closeArm(palDevice* device)
{
    (void)device;
    opened.count--;
}

static void armLimits(const palDevice* device, palDeviceLimits* limits)
{
    (void)device;
    double damping = opened.settings.damping;
    limits->hasForce = true;
    limits->passiveDamping = isnan(damping) ? 0.0 : damping;
}

static void readArm(palDevice* device, double t, palDeviceState* state)
{
    (void)device;
    (void)t;
    *state = (palDeviceState){.position = opened.context.home, .fresh = true};
    state->orientation.w = 1.0;
}

static const palDeviceOps armDevice = {
    .name = "arm",
    .summary = "an arm that is not there",
    .settings = &armTable,
    .probe = palDriver_ProbeNothing,
    .open = openArm,
    .close = closeArm,
    .limits = armLimits,
    .read = readArm,
    .write = palDriver_IgnoreForce,
};

//--------------------------------------------------------------------------------------------------
// A glove, whose port is another thing than the arm's, and which must be told its name

typedef struct GloveSettings
{
    double port; // mm
    char name[16];
} GloveSettings;

static void setGloveDefaults(int kind, void* record)
{
    (void)kind;
    *(GloveSettings*)record = (GloveSettings){.port = 2.5};
}

static const palSchemaKey gloveKeys[] = {
    {FIELD("port", pal_schemaNumber, GloveSettings, port), RANGE(1, 5, "mm"), .meaning = "a hole"},
    {FIELD("name", pal_schemaText, GloveSettings, name), BYTES(GloveSettings, name),
     .required = true, .meaning = "which one"},
};
static const palSchemaTable gloveTable = {
    .noun = "device",
    .title = "device with driver `glove`",
    .keys = gloveKeys,
    .keyCount = COUNT(gloveKeys),
    .size = sizeof(GloveSettings),
    .setDefaults = setGloveDefaults,
};

static const palDeviceOps gloveDevice = {.name = "glove", .settings = &gloveTable};

//--------------------------------------------------------------------------------------------------
// The registry, in place of src/device/registry.c

static const palDeviceOps* const drivers[] = {
    &pal_replayDevice, &pal_simulatedDevice, &pal_skeletonDevice, &armDevice, &gloveDevice,
};

const palDeviceOps* palDeviceDriver(int index)
{
    return index >= 0 && index < COUNT(drivers) ? drivers[index] : NULL;
}

const palDeviceOps* palFindDeviceDriver(const char* name)
{
    for (int i = 0; i < COUNT(drivers); i++)
        if (strcmp(drivers[i]->name, name) == 0)
            return drivers[i];
    return NULL;
}

//--------------------------------------------------------------------------------------------------
// Scenes

#define GOOD                                                                                       \
    "palpate: 1\n"                                                                                 \
    "trajectory: {kind: line, start: [0.1, 0.2, 0.3], end: [0.1, 0.2, 0.4]}\n"                     \
    "objects:\n"                                                                                   \
    "  - {shape: {kind: box}, position: [0, 0, -1]}\n"

static const char allOfTheArm[] =
    GOOD "time: {dt: 0.002, low_dt: 0.03, latency: 0.01}\n"
         "device: {driver: arm, host: 10.0.0.7, port: 99, gain: 0.75, damping: 3,\n"
         "         offset: [0.1, -0.2, 0.3], mode: slow, filter: {cutoff: 20}, table: t.csv}\n";

static palResult parse(const char* text, const char* const* sets, int setCount, palScene* scene,
                       palMessages* messages)
{
    palError error;
    palScene_Free(scene);
    return palScene_Parse(text, strlen(text), "dir/x.yaml", sets, setCount, scene, messages,
                          &error);
}

static const ArmSettings* armOf(const palScene* scene)
{
    return (const void*)scene->hand.device.settings;
}

// The one message about the scene.
static void expectFault(const char* text, const char* const* sets, int setCount, const char* told)
{
    palScene scene = {0};
    palMessages messages = {0};
    assert_int_equal(parse(text, sets, setCount, &scene, &messages), pal_errorInput);
    char found[1600];
    for (int i = 0; i < messages.count; i++)
    {
        palError_Format(&messages.items[i].what, found, sizeof found);
        if (i > 0 || strncmp(found, told, strlen(told)) != 0)
            print_error("%s\n", found);
    }
    assert_int_equal(messages.count, 1);
    assert_int_equal(strncmp(found, told, strlen(told)), 0);
    assert_true(messages.items[0].what.remedy[0] != '\0');
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

static void load(const char* text, const char* const* sets, int setCount, palScene* scene)
{
    palMessages messages = {0};
    palResult result = parse(text, sets, setCount, scene, &messages);
    for (int i = 0; i < messages.count; i++)
        print_error("%s: %s\n", messages.items[i].what.file, messages.items[i].what.text);
    assert_int_equal(result, pal_ok);
    palMessages_Free(&messages);
}

// The session of a scene file with this text.
static palResult createFrom(const char* text, palSession** session, palError* error)
{
    char path[] = "/tmp/palpate-driver-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    palSessionDef def = palDefaultSessionDef();
    def.scene = path;
    palResult result = palSession_Create(&def, session, error);
    unlink(path);
    return result;
}

static void a_driver_is_opened_with_exactly_its_values(void** state)
{
    (void)state;
    palSession* session;
    palError error = {0};
    assert_int_equal(createFrom(allOfTheArm, &session, &error), pal_ok);
    assert_int_equal(opened.count, 1);
    const ArmSettings* arm = &opened.settings;
    assert_string_equal(arm->host, "10.0.0.7");
    assert_int_equal(arm->port, 99);
    ASSERT_NEAR(arm->gain, 0.75, 0.0);
    ASSERT_NEAR(arm->damping, 3.0, 0.0);
    ASSERT_NEAR(arm->offset.x, 0.1, 0.0);
    ASSERT_NEAR(arm->offset.y, -0.2, 0.0);
    ASSERT_NEAR(arm->offset.z, 0.3, 0.0);
    assert_int_equal(arm->mode, armSlow);
    assert_int_equal(arm->filter.order, 2);
    ASSERT_NEAR(arm->filter.cutoff, 20.0, 0.0);
    assert_string_equal(arm->table, "/tmp/t.csv");
    palSession_Destroy(session);
    assert_int_equal(opened.count, 0);
}

static void every_driver_gets_what_the_session_knows(void** state)
{
    (void)state;
    palSession* session;
    palError error = {0};
    assert_int_equal(createFrom(allOfTheArm, &session, &error), pal_ok);
    const palDriverContext* context = &opened.context;
    assert_non_null(context->trajectory);
    ASSERT_NEAR(context->dt, 0.002, 0.0);
    ASSERT_NEAR(context->home.z, 0.3, 0.0);
    ASSERT_NEAR(context->homeOrientation.w, 1.0, 0.0);
    ASSERT_NEAR(context->maxSpeed, 0.02 / sqrt(3.0) / 0.04, 1e-12);
    assert_true(context->now() > 0);
    palSession_Destroy(session);
}

static void what_a_scene_leaves_out_has_the_drivers_default(void** state)
{
    (void)state;
    palSession* session;
    palError error = {0};
    assert_int_equal(createFrom(GOOD "device: {driver: arm}\n", &session, &error), pal_ok);
    ArmSettings arm = defaultArm();
    assert_string_equal(opened.settings.host, arm.host);
    assert_int_equal(opened.settings.port, arm.port);
    ASSERT_NEAR(opened.settings.gain, arm.gain, 0.0);
    assert_true(isnan(opened.settings.damping));
    ASSERT_NEAR(opened.settings.offset.z, 0.05, 0.0);
    assert_int_equal(opened.settings.mode, armFast);
    assert_int_equal(opened.settings.filter.order, 2);
    assert_string_equal(opened.settings.table, "");
    palSession_Destroy(session);
}

static void the_skeleton_works_in_a_scene_as_it_is(void** state)
{
    (void)state;
    palScene scene = {0};
    load(GOOD "device: {driver: skeleton, origin: [0, 1, 0]}\n", NULL, 0, &scene);
    const palSkeletonSettings* skeleton = (const void*)scene.hand.device.settings;
    ASSERT_NEAR(skeleton->origin.y, 1.0, 0.0);
    ASSERT_NEAR(skeleton->scale, 1.0, 0.0);
    assert_int_equal(skeleton->buttons, 32);
    palSession* session;
    palError error = {0};
    palStep step;
    assert_int_equal(createFrom(GOOD "device: {driver: skeleton}\n", &session, &error), pal_ok);
    palSession_Step(session, &step);
    ASSERT_NEAR(step.device.z, 0.3, 0.0);
    // All of its channels are written, those that no method asks for with zero.
    const palDeviceOutput* output = &palSession_Engine(session)->hands[0].output;
    assert_int_equal(output->channelCount, 6);
    for (int i = 1; i < 6; i++)
        assert_true(palLength(output->channels[i].force) == 0.0);
    palSession_Destroy(session);
    palScene_Free(&scene);
}

static void faults_are_told_with_their_place_and_a_remedy(void** state)
{
    (void)state;
    // Misspelt, also below a map.
    expectFault(GOOD "device: {driver: arm, gian: 1}\n", NULL, 0,
                "dir/x.yaml:5:23: unknown key 'gian' in device; did you mean 'gain'? Allowed: "
                "driver, host, port, gain, damping, offset, mode, filter, table");
    expectFault(GOOD "device: {driver: arm, filter: {cutof: 1}}\n", NULL, 0,
                "dir/x.yaml:5:32: unknown key 'cutof' in filter; did you mean 'cutoff'?");
    // Out of range.
    expectFault(GOOD "device:\n  driver: arm\n  gain: 3\n", NULL, 0,
                "dir/x.yaml:7:9: 'gain' is out of range: 3; allowed: 0.01 to 2 N/V");
    expectFault(GOOD "device: {driver: arm, offset: [0, 0, 2]}\n", NULL, 0,
                "dir/x.yaml:5:38: 'offset' is out of range: 2; allowed: -1 to 1 m");
    // Of the wrong kind.
    expectFault(GOOD "device: {driver: arm, gain: strong}\n", NULL, 0,
                "dir/x.yaml:5:29: 'gain' needs a number, found text 'strong'; give the value in "
                "N/V");
    expectFault(GOOD "device: {driver: arm, mode: fats}\n", NULL, 0,
                "dir/x.yaml:5:29: 'mode' cannot be 'fats'; did you mean 'fast'?");
    // Missing, and twice.
    expectFault(GOOD "device: {driver: glove}\n", NULL, 0,
                "dir/x.yaml:5:9: device misses the key 'name'; add name: text");
    expectFault(GOOD "device: {driver: arm, port: 1, port: 2}\n", NULL, 0,
                "dir/x.yaml:5:32: key 'port' is given twice");
    // No driver of that name: what belongs to it cannot be judged.
    expectFault(GOOD "device: {driver: amr, port: many, any: 1}\n", NULL, 0,
                "dir/x.yaml:5:18: 'driver' cannot be 'amr'; did you mean 'arm'?");
}

static void keys_of_another_driver_are_told_with_the_one_that_takes_them(void** state)
{
    (void)state;
    expectFault(GOOD "device: {driver: replay, preset: touch}\n", NULL, 0,
                "dir/x.yaml:5:26: 'preset' is used by driver simulated, not by replay; remove it, "
                "or use driver: simulated; allowed with replay: driver");
    expectFault(GOOD "device: {hand: {mass: 1}}\n", NULL, 0,
                "dir/x.yaml:5:10: 'hand' is used by driver simulated, not by replay");
    expectFault(GOOD "device: {driver: simulated, port: 2}\n", NULL, 0,
                "dir/x.yaml:5:29: 'port' is used by driver arm or glove, not by simulated; remove "
                "it, or use driver: arm or glove; allowed with simulated: driver, preset, hand");
}

static void changes_reach_the_drivers_keys(void** state)
{
    (void)state;
    palScene scene = {0};
    const char* const sets[] = {"device.gain=0.5", "device.filter.order=4", "device.offset.1=0.7",
                                "device.table=other.csv"};
    load(allOfTheArm, sets, 4, &scene);
    ASSERT_NEAR(armOf(&scene)->gain, 0.5, 0.0);
    assert_int_equal(armOf(&scene)->filter.order, 4);
    ASSERT_NEAR(armOf(&scene)->filter.cutoff, 20.0, 0.0);
    ASSERT_NEAR(armOf(&scene)->offset.x, 0.1, 0.0);
    ASSERT_NEAR(armOf(&scene)->offset.y, 0.7, 0.0);
    assert_string_equal(armOf(&scene)->table, "other.csv");
    load(allOfTheArm, NULL, 0, &scene);
    assert_string_equal(armOf(&scene)->table, "dir/t.csv");

    const char* const misspelt[] = {"device.gian=1"};
    expectFault(allOfTheArm, misspelt, 1,
                "--set device.gian: unknown key 'gian' in device; did you mean 'gain'?");
    const char* const outside[] = {"device.gain=3"};
    expectFault(allOfTheArm, outside, 1,
                "--set device.gain: 'gain' is out of range: 3; allowed: 0.01 to 2 N/V");
    const char* const foreign[] = {"device.hand.mass=1"};
    expectFault(allOfTheArm, foreign, 1,
                "--set device.hand.mass: 'hand' is used by driver simulated, not by arm");
    const char* const deeper[] = {"device.gain.x=3"};
    expectFault(allOfTheArm, deeper, 1, "--set device.gain.x: 'gain' has no keys below it");
    palScene_Free(&scene);
}

static void another_driver_leaves_the_files_settings_out(void** state)
{
    (void)state;
    palScene scene = {0};
    const char* const replay[] = {"device.driver=replay"};
    load(allOfTheArm, replay, 1, &scene);
    assert_string_equal(scene.hand.device.driver, "replay");
    // Also what nobody could read, because nobody does.
    load(GOOD "device: {driver: arm, gian: 1, port: many}\n", replay, 1, &scene);

    // A key of the same name is not taken over, which here would be out of range.
    const char* const glove[] = {"device.driver=glove", "device.name=left"};
    load(allOfTheArm, glove, 2, &scene);
    const GloveSettings* settings = (const void*)scene.hand.device.settings;
    ASSERT_NEAR(settings->port, 2.5, 0.0);
    assert_string_equal(settings->name, "left");
    // Nor does it count as given.
    const char* const nameless[] = {"device.driver=glove"};
    expectFault(GOOD "device: {driver: arm, name: x}\n", nameless, 1,
                "dir/x.yaml:5:9: device misses the key 'name'");

    // The settings may come before their driver.
    const char* const before[] = {"device.name=left", "device.driver=glove"};
    load(allOfTheArm, before, 2, &scene);
    palScene_Free(&scene);
}

static void the_files_driver_keeps_its_settings(void** state)
{
    (void)state;
    palScene scene = {0};
    const char* const same[] = {"device.driver=arm"};
    load(allOfTheArm, same, 1, &scene);
    assert_int_equal(armOf(&scene)->port, 99);
    // Also after another one in between, as a default of the program's.
    const char* const back[] = {"device.driver=replay", "device.driver=arm", "device.gain=1"};
    load(allOfTheArm, back, 3, &scene);
    assert_int_equal(armOf(&scene)->port, 99);
    ASSERT_NEAR(armOf(&scene)->gain, 1.0, 0.0);
    // A whole map replaces the file's.
    const char* const whole[] = {"device={driver: arm, gain: 2}"};
    load(allOfTheArm, whole, 1, &scene);
    assert_int_equal(armOf(&scene)->port, 4000);
    palScene_Free(&scene);
}

static void a_change_for_a_driver_that_is_not_used_is_told(void** state)
{
    (void)state;
    const char* const sets[] = {"device.preset=touch", "device.driver=replay"};
    expectFault(allOfTheArm, sets, 2,
                "--set device.preset: 'preset' is used by driver simulated, not by replay");
    // Also within a map of the file.
    const char* const within[] = {"device.filter.order=1", "device.driver=replay"};
    expectFault(allOfTheArm, within, 2,
                "--set device.filter.order: 'filter' is used by driver arm, not by replay");
}

static void a_driver_that_cannot_be_opened_is_told_with_its_place(void** state)
{
    (void)state;
    palSession* session;
    palError error = {0};
    opened.count = 0;
    assert_int_equal(createFrom(GOOD "device:\n  driver: arm\n  host: nowhere\n", &session, &error),
                     pal_errorUnusable);
    assert_null(session);
    assert_int_equal(opened.count, 1); // and was not closed
    assert_string_equal(error.text, "arm: no answer from nowhere");
    assert_int_equal(strncmp(error.file, "/tmp/palpate-driver-", 20), 0);
    assert_int_equal(error.line, 6);
    opened.count = 0;
}

// K dt/2 + B <= b: 3 N·s/m at 2 ms leave 3000 N/m to an undamped spring.
static void the_coupling_is_passive_with_the_damping_that_a_driver_reports(void** state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%scoupling: {stiffness: 5000, damping: 0}\n", allOfTheArm);
    palSession* session;
    palError error = {0};
    assert_int_equal(createFrom(text, &session, &error), pal_ok);
    bool isWarning = false;
    const palError* message = palSession_Message(session, 0, &isWarning);
    assert_non_null(message);
    assert_true(isWarning);
    assert_non_null(strstr(message->text, "the 3 N·s/m of device and hand; 3000 N/m is used"));
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_is_opened_with_exactly_its_values),
        cmocka_unit_test(every_driver_gets_what_the_session_knows),
        cmocka_unit_test(what_a_scene_leaves_out_has_the_drivers_default),
        cmocka_unit_test(the_skeleton_works_in_a_scene_as_it_is),
        cmocka_unit_test(faults_are_told_with_their_place_and_a_remedy),
        cmocka_unit_test(keys_of_another_driver_are_told_with_the_one_that_takes_them),
        cmocka_unit_test(changes_reach_the_drivers_keys),
        cmocka_unit_test(another_driver_leaves_the_files_settings_out),
        cmocka_unit_test(the_files_driver_keeps_its_settings),
        cmocka_unit_test(a_change_for_a_driver_that_is_not_used_is_told),
        cmocka_unit_test(a_driver_that_cannot_be_opened_is_told_with_its_place),
        cmocka_unit_test(the_coupling_is_passive_with_the_damping_that_a_driver_reports),
    };
    return RUN(tests);
}
