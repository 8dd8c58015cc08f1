// SPDX-License-Identifier: Apache-2.0
// palpate devices: lists the device drivers, whether they can be used, and the presets.
#include "base/json.h"
#include "device/simulated.h"
#include "options.h"
#include "scene/setting.h"
#include "scene/values.h"

#include <stdio.h>

// Whether a driver can be used; if not, `reason` states why, with a remedy.
static bool canBeUsed(const palDeviceOps* driver, char* reason, size_t size)
{
    palError error = {0};
    reason[0] = '\0';
    if (driver->probe(&error) == pal_ok)
        return true;
    palError_Format(&error, reason, size);
    return false;
}

// A line for each key of a struct, with its default; `prefix` is the path of the struct.
static void printSettings(const palSchemaTable* table, const void* record, const char* prefix)
{
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        char path[96], value[256];
        snprintf(path, sizeof path, "%s.%s", prefix, key->name);
        if (key->type == pal_schemaMap)
        {
            printSettings(key->table, palSetting_AtConst(key, record), path);
            continue;
        }
        palSetting_FormatValue(key, record, value, sizeof value);
        bool hasUnit = key->unit != NULL && key->unset == NULL;
        printf("  %-12s %s: %s (default: %s%s%s)\n", "", path, key->meaning,
               key->required ? "none" : value, hasUnit ? " " : "", hasUnit ? key->unit : "");
    }
}

static void printDriver(const palDeviceOps* driver)
{
    char reason[1024];
    bool usable = canBeUsed(driver, reason, sizeof reason);
    printf("  %-12s %s\n  %-12s %s%s\n", driver->name, driver->summary, "",
           usable ? "can be used here" : "cannot be used here: ", reason);
    if (driver->settings == NULL)
        return;
    _Alignas(max_align_t) unsigned char defaults[pal_driverSettingsMax];
    palSetting_SetDefaults(driver->settings, -1, defaults);
    printSettings(driver->settings, defaults, "device");
}

static void printText(void)
{
    printf("drivers:\n");
    for (int i = 0; palDeviceDriver(i) != NULL; i++)
        printDriver(palDeviceDriver(i));
    printf("\npresets of the simulated device:\n"
           "                 force  torque  stiffness  damping  workspace    mass  damping"
           "  friction resolution\n"
           "                     N     N·m        N/m    N·s/m  radius mm       g    N·s/m"
           "         N         mm\n");
    for (int i = 0; palDevicePresetAt(i) != NULL; i++)
    {
        const palDevicePreset* preset = palDevicePresetAt(i);
        const palDeviceLimits* limits = &preset->limits;
        printf("  %-12s %7.1f %7.3f %10.0f %8.0f %10.1f %7.0f %8.2f %9.2f %10.4f\n", preset->name,
               limits->maxForce, limits->maxTorque, limits->maxStiffness, limits->maxDamping,
               1e3 * limits->workspace, 1e3 * preset->mass, preset->damping, preset->friction,
               1e3 * preset->resolution);
    }
}

static void describePreset(palJson* json, const palDevicePreset* preset)
{
    const palDeviceLimits* limits = &preset->limits;
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "name", preset->name);
    palJson_Number(json, "max_force_N", limits->maxForce);
    palJson_Number(json, "max_torque_Nm", limits->maxTorque);
    palJson_Number(json, "max_stiffness_N_per_m", limits->maxStiffness);
    palJson_Number(json, "max_damping_Ns_per_m", limits->maxDamping);
    palJson_Number(json, "workspace_radius_m", limits->workspace);
    palJson_Number(json, "mass_kg", preset->mass);
    palJson_Number(json, "damping_Ns_per_m", preset->damping);
    palJson_Number(json, "friction_N", preset->friction);
    palJson_Number(json, "resolution_m", preset->resolution);
    palJson_End(json);
}

static int printJson(void)
{
    char reason[1024];
    palJson json = {0};
    palJson_BeginObject(&json, NULL);
    palJson_BeginArray(&json, "drivers");
    for (int i = 0; palDeviceDriver(i) != NULL; i++)
    {
        const palDeviceOps* driver = palDeviceDriver(i);
        palJson_BeginObject(&json, NULL);
        palJson_Text(&json, "name", driver->name);
        palJson_Text(&json, "summary", driver->summary);
        palJson_Bool(&json, "usable", canBeUsed(driver, reason, sizeof reason));
        palJson_Text(&json, "reason", reason);
        palScene_WriteDriverKeys(driver, &json, "settings");
        palJson_End(&json);
    }
    palJson_End(&json);
    palJson_BeginArray(&json, "presets");
    for (int i = 0; palDevicePresetAt(i) != NULL; i++)
        describePreset(&json, palDevicePresetAt(i));
    palJson_End(&json);
    palJson_End(&json);
    return palPrintJson(&json);
}

static int run(int argc, char** argv)
{
    bool asJson = false;
    const palOption options[] = {
        {"json", pal_optionFlag, &asJson, NULL, "print JSON"},
    };
    int count = palOptions_Parse(&pal_commandDevices, options, 1, argc, argv, 0, NULL);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (asJson)
        return printJson();
    printText();
    return 0;
}

const palCommand pal_commandDevices = {
    .name = "devices",
    .summary = "the device drivers with their settings, whether each can be used here, presets",
    .usage = "[options]",
    .examples = "  palpate devices\n  palpate devices --json\n",
    .run = run,
};
