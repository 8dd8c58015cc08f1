// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/schema.h"
#include "device/simulated.h"

static void every_driver_is_complete_and_found_by_its_name(void** state)
{
    (void)state;
    int count = 0;
    for (; palDeviceDriver(count) != NULL; count++)
    {
        const palDeviceOps* driver = palDeviceDriver(count);
        assert_ptr_equal(palFindDeviceDriver(driver->name), driver);
        assert_true(driver->summary[0] != '\0');
        assert_non_null(driver->probe);
        assert_non_null(driver->open);
        assert_non_null(driver->close);
        assert_non_null(driver->limits);
        assert_non_null(driver->read);
        assert_non_null(driver->write);
    }
    assert_non_null(palFindDeviceDriver("replay"));
    assert_non_null(palFindDeviceDriver("simulated"));
    assert_null(palFindDeviceDriver("nonesuch"));
    assert_null(palFindDeviceDriver(NULL));
    assert_null(palDeviceDriver(-1));
    assert_null(palDeviceDriver(count));
}

static void every_driver_that_cannot_be_used_says_why(void** state)
{
    (void)state;
    for (int i = 0; palDeviceDriver(i) != NULL; i++)
    {
        palError error = {0};
        if (palDeviceDriver(i)->probe(&error) != pal_ok)
            assert_true(error.text[0] != '\0' && error.remedy[0] != '\0');
    }
}

static void every_drivers_settings_fit_into_a_scene(void** state)
{
    (void)state;
    for (int i = 0; palDeviceDriver(i) != NULL; i++)
    {
        const palSchemaTable* settings = palDeviceDriver(i)->settings;
        if (settings == NULL)
            continue;
        assert_true(settings->size > 0 && settings->size <= pal_driverSettingsMax);
        assert_true(settings->keyCount > 0 && !settings->byKind && settings->setDefaults != NULL);
        assert_string_equal(settings->noun, "device");
        assert_non_null(strstr(settings->title, palDeviceDriver(i)->name));
        assert_null(palSchema_Find(settings, "driver"));
    }
}

// The limits as CHAI3D's CPhantomDevices.cpp and CDeltaDevices.cpp have them.
static void presets_have_the_published_limits(void** state)
{
    (void)state;
    const struct
    {
        const char* name;
        double force, torque, stiffness, damping, workspace;
    } expected[] = {
        {"touch", 3.3, 0, 400, 4, 0.075},         {"omni", 3.3, 0, 700, 5, 0.1},
        {"desktop", 7.9, 0, 1000, 5, 0.1},        {"premium-1.5", 8.5, 0.188, 800, 5, 0.12},
        {"premium-3.0", 22, 0.188, 1000, 5, .25}, {"omega.3", 12, 0, 5000, 30, 0.075},
        {"omega.6", 12, 0, 5000, 30, 0.075},      {"omega.7", 12, 0, 5000, 30, 0.075},
        {"delta.3", 20, 0, 5000, 30, 0.15},       {"sigma.7", 12, 0.2, 4000, 30, 0.075},
        {"lambda.7", 12, 0.2, 8000, 30, 0.1125},  {"falcon", 8, 0, 3000, 20, 0.04},
    };
    const int count = sizeof expected / sizeof expected[0];
    for (int i = 0; i < count; i++)
    {
        const palDevicePreset* preset = palFindDevicePreset(expected[i].name);
        assert_non_null(preset);
        ASSERT_NEAR(preset->limits.maxForce, expected[i].force, 0.0);
        ASSERT_NEAR(preset->limits.maxTorque, expected[i].torque, 0.0);
        ASSERT_NEAR(preset->limits.maxStiffness, expected[i].stiffness, 0.0);
        ASSERT_NEAR(preset->limits.maxDamping, expected[i].damping, 0.0);
        ASSERT_NEAR(preset->limits.workspace, expected[i].workspace, 0.0);
        assert_true(preset->limits.hasForce);
        assert_true(preset->mass > 0.0 && preset->damping > 0.0 && preset->friction > 0.0);
        assert_true(preset->resolution > 0.0 && preset->resolution < 1e-4);
    }
    assert_non_null(palDevicePresetAt(count - 1));
    assert_null(palDevicePresetAt(count));
    assert_null(palFindDevicePreset("nonesuch"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_driver_is_complete_and_found_by_its_name),
        cmocka_unit_test(every_driver_that_cannot_be_used_says_why),
        cmocka_unit_test(every_drivers_settings_fit_into_a_scene),
        cmocka_unit_test(presets_have_the_published_limits),
    };
    return RUN(tests);
}
