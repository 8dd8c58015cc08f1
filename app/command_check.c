// SPDX-License-Identifier: Apache-2.0
// palpate check: reports all errors in a scene file without running it.
#include "options.h"
#include "scene_path.h"

#include "base/error.h"
#include "base/json.h"
#include "scene/bodies.h"
#include "scene/writer.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct CheckOptions
{
    palOptionList sets;
    const char* write;
    bool json;
    bool reference;
} CheckOptions;

static int printReference(void)
{
    size_t length = palScene_Reference(NULL, 0);
    char* page = malloc(length + 1);
    if (page == NULL)
    {
        palError error;
        palError_Memory(&error, "the reference", length + 1);
        return palPrintError(&error);
    }
    palScene_Reference(page, length + 1);
    fputs(page, stdout);
    free(page);
    return 0;
}

static void printSummary(const char* path, const palScene* scene)
{
    printf("%s: ok\n", path);
    printf("  name      %s\n", scene->name);
    printf("  objects   %d\n", scene->objectCount);
    for (int i = 0; i < scene->objectCount; i++)
    {
        const palSceneObject* object = &scene->objects[i];
        const char* what = object->mesh[0]         ? object->mesh
                           : object->partCount > 0 ? "parts"
                                                   : palShapeKind_Name(object->shape.kind);
        printf("            %s: %s, friction %g", object->name, what, object->friction);
        if (object->isSoft)
            printf(", soft: %g Pa, Poisson %g", object->soft.young, object->soft.poisson);
        printf("\n");
    }
    for (int i = 0; i < scene->wireCount; i++)
        printf("  wire      %s: %d elements, loop %d\n", scene->wires[i].name,
               scene->wires[i].elements, scene->wires[i].loop);
    printf("  method    %s\n", scene->method.name);
    for (int i = 0; i < palScene_HandCount(scene); i++)
        printf("  device    %s, trajectory %s\n", palScene_HandAt(scene, i)->device.driver,
               palTrajectoryKind_Name(palScene_HandAt(scene, i)->trajectory.def.kind));
    printf("  rates     high %g Hz, low %g Hz", 1.0 / scene->time.dt, 1.0 / scene->time.lowDt);
    for (int i = 0; i < scene->time.loopCount; i++)
        printf(", %.3g Hz", 1.0 / scene->time.loops[i].dt);
    printf("\n");
    printf("  duration  %g s\n", scene->time.seconds);
}

static void writeMessages(palJson* json, const palMessages* messages)
{
    palJson_BeginArray(json, "messages");
    for (int i = 0; i < messages->count; i++)
    {
        const palError* what = &messages->items[i].what;
        palJson_BeginObject(json, NULL);
        palJson_Text(json, "severity", palSeverity_Name(messages->items[i].severity));
        palJson_Text(json, "file", what->file);
        palJson_Whole(json, "line", what->line);
        palJson_Whole(json, "column", what->column);
        palJson_Text(json, "text", what->text);
        palJson_Text(json, "remedy", what->remedy);
        palJson_End(json);
    }
    palJson_End(json);
}

// One JSON object for both outcomes; the properties of the scene are included only if it is valid.
static int printJson(const char* path, const palScene* scene, const palMessages* messages,
                     bool valid)
{
    palJson json = {0};
    palJson_BeginObject(&json, NULL);
    palJson_Text(&json, "scene", path);
    palJson_Bool(&json, "ok", valid);
    if (valid)
    {
        palJson_Text(&json, "name", scene->name);
        palJson_Whole(&json, "objects", scene->objectCount);
        palJson_Text(&json, "method", scene->method.name);
        const palSceneHand* hand = palScene_HandAt(scene, 0);
        palJson_Whole(&json, "hands", palScene_HandCount(scene));
        palJson_Text(&json, "device", hand->device.driver);
        palJson_Text(&json, "trajectory", palTrajectoryKind_Name(hand->trajectory.def.kind));
        palJson_Number(&json, "seconds", scene->time.seconds);
        palJson_Number(&json, "dt", scene->time.dt);
        palJson_Number(&json, "low_dt", scene->time.lowDt);
        palJson_Number(&json, "latency", scene->time.latency);
    }
    writeMessages(&json, messages);
    palJson_End(&json);
    int code = palPrintJson(&json);
    return code == 0 && !valid ? 2 : code;
}

static int checkScene(const char* path, const CheckOptions* options)
{
    palScene scene = {0};
    palMessages messages = {0};
    palError error;
    palResult result =
        palScene_Load(path, options->sets.items, options->sets.count, &scene, &messages, &error);
    if (result == pal_ok)
        palSceneBodies_Check(&scene, &messages);
    bool valid = result == pal_ok && palMessages_Count(&messages, pal_severityError) == 0;
    int code = 0;
    if (valid && options->write != NULL &&
        palScene_Write(&scene, options->write, NULL, &error) != pal_ok)
        code = palPrintError(&error);
    else if (options->json)
        code = printJson(path, &scene, &messages, valid);
    else if (valid)
        printSummary(path, &scene);
    else if (palMessages_Count(&messages, pal_severityError) == 0)
        code = palPrintError(&error);
    for (int i = 0; i < messages.count && !options->json; i++)
    {
        int printed = palPrintMessage(&messages.items[i]);
        code = printed != 0 ? printed : code;
    }
    palMessages_Free(&messages);
    palScene_Free(&scene);
    return code;
}

static int run(int argc, char** argv)
{
    CheckOptions given = {0};
    const palOption options[] = {
        {"set", pal_optionList, &given.sets, "PATH=VALUE", "change a value of the scene first"},
        {"write", pal_optionText, &given.write, "FILE",
         "write the scene as it would run: changes applied, defaults as comments"},
        {"json", pal_optionFlag, &given.json, NULL, "report as JSON on standard output"},
        {"reference", pal_optionFlag, &given.reference, NULL,
         "print the reference of all keys, docs/scenes.md"},
    };
    const char* operands[1];
    int count = palOptions_Parse(&pal_commandCheck, options, sizeof options / sizeof options[0],
                                 argc, argv, 1, operands);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (given.reference)
        return printReference();
    if (count == 0)
        return palPrintUsageError(&pal_commandCheck, "no scene given");
    char path[pal_scenePathMax];
    palError error = {0};
    if (palScenePath_Find(operands[0], path, &error) != pal_ok)
        return palPrintError(&error);
    return checkScene(path, &given);
}

const palCommand pal_commandCheck = {
    .name = "check",
    .summary = "report all errors in a scene file",
    .usage = "SCENE [options]",
    .examples = "  palpate check touch\n"
                "  palpate check scenes/touch.yaml --set objects.0.mesh=part.stl\n"
                "  palpate check scenes/touch.yaml --set method.name=penalty --json\n"
                "  palpate check touch --set method.name=penalty --write my-touch.yaml\n"
                "  palpate check --reference > docs/scenes.md\n",
    .run = run,
};
