// SPDX-License-Identifier: Apache-2.0
// Every driver of the build: its defaults, written out as a scene, are read back as they were.
#include "check.h"

#include "device/browser.h"
#include "device/simulated.h"
#include "scene/scene.h"
#include "scene/setting.h"

static const char good[] = "palpate: 1\ntrajectory: {kind: line}\nobjects: []\n";

static void parse(const char* device, const char* const* sets, int count, palScene* scene)
{
    char text[8192];
    palError error;
    snprintf(text, sizeof text, "%sdevice: {%s}\n", good, device);
    palScene_Free(scene);
    palResult result = palScene_Parse(text, strlen(text), "x", sets, count, scene, NULL, &error);
    if (result != pal_ok)
        print_error("%s\n%d: %s\n", text, error.line, error.text);
    assert_int_equal(result, pal_ok);
}

// Appends ", key: value" for every key that has a default.
static void appendKeys(const palSchemaTable* table, const void* record, char* out, size_t size)
{
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        const void* field = palSetting_AtConst(key, record);
        char value[512];
        palSetting_FormatValue(key, record, value, sizeof value);
        size_t length = strlen(out);
        if (key->required || key->unset != NULL || key->type == pal_schemaList || key->group != 0)
            continue;
        if (key->type != pal_schemaMap)
        {
            snprintf(out + length, size - length, ", %s: %s", key->name, value);
            continue;
        }
        char below[2048] = "";
        appendKeys(key->table, field, below, sizeof below);
        snprintf(out + length, size - length, ", %s: {%s}", key->name,
                 below[0] != '\0' ? below + 2 : "");
    }
}

// The fields that keys fill are the same, to the last bit.
static void compareKeys(const palSchemaTable* table, const void* a, const void* b)
{
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        const void* x = palSetting_AtConst(key, a);
        const void* y = palSetting_AtConst(key, b);
        if (key->type == pal_schemaMap)
            compareKeys(key->table, x, y);
        else if (key->type == pal_schemaNumber)
            assert_memory_equal(x, y, sizeof(double));
        else if (key->type == pal_schemaVector)
            assert_memory_equal(x, y, sizeof(palVec3));
        else if (key->type == pal_schemaWhole || key->type == pal_schemaChoice)
            assert_memory_equal(x, y, sizeof(int));
        else if (key->size > 0 && key->type != pal_schemaList)
            assert_string_equal(x, y);
    }
}

static void defaults_written_out_are_read_back(void** state)
{
    (void)state;
    for (int i = 0; palDeviceDriver(i) != NULL; i++)
    {
        const palDeviceOps* driver = palDeviceDriver(i);
        char device[4096];
        palScene byDefault = {0}, written = {0};
        snprintf(device, sizeof device, "driver: %s", driver->name);
        parse(device, NULL, 0, &byDefault);
        assert_string_equal(byDefault.hand.device.driver, driver->name);
        if (driver->settings != NULL)
        {
            appendKeys(driver->settings, byDefault.hand.device.settings, device, sizeof device);
            parse(device, NULL, 0, &written);
            compareKeys(driver->settings, byDefault.hand.device.settings,
                        written.hand.device.settings);
        }
        palScene_Free(&byDefault);
        palScene_Free(&written);
    }
}

static void the_defaults_are_the_drivers(void** state)
{
    (void)state;
    palScene scene = {0};
    parse("driver: simulated", NULL, 0, &scene);
    const palSimulatedSettings* simulated = (const void*)scene.hand.device.settings;
    palSimulatedSettings hand = palDefaultSimulatedSettings();
    assert_string_equal(simulated->preset, hand.preset);
    ASSERT_NEAR(simulated->hand.stiffness, hand.hand.stiffness, 0.0);
    ASSERT_NEAR(simulated->hand.mass, hand.hand.mass, 0.0);
    parse("driver: browser", NULL, 0, &scene);
    const palBrowserSettings* browser = (const void*)scene.hand.device.settings;
    ASSERT_NEAR(browser->latency, palDefaultBrowserSettings().latency, 0.0);
    assert_true(isnan(browser->maxSpeed));
    palScene_Free(&scene);
}

static void every_number_can_be_set(void** state)
{
    (void)state;
    const char* const sets[] = {"device.driver=browser", "device.latency=0.02",
                                "device.stale_after=0.5", "device.max_speed=0.3"};
    palScene scene = {0};
    parse("driver: simulated, preset: touch, hand: {mass: 1}", sets, 4, &scene);
    const palBrowserSettings* browser = (const void*)scene.hand.device.settings;
    ASSERT_NEAR(browser->latency, 0.02, 0.0);
    ASSERT_NEAR(browser->staleAfter, 0.5, 0.0);
    ASSERT_NEAR(browser->maxSpeed, 0.3, 0.0);
    palScene_Free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_written_out_are_read_back),
        cmocka_unit_test(the_defaults_are_the_drivers),
        cmocka_unit_test(every_number_can_be_set),
    };
    return RUN(tests);
}
