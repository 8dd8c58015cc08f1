// SPDX-License-Identifier: Apache-2.0
#include "options.h"
#include "plot.h"
#include "scene_path.h"

#include <palpate/session.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    setTextMax = 2048,
};

typedef struct palRunOptions
{
    const char* scene;
    const char* method;
    const char* device;
    const char* out;
    double seconds;
    palOptionList sets;
    bool realtime, json, quiet, plot;
} palRunOptions;

static palSession* running; // what the interrupt signal ends

static void interrupt(int signal)
{
    (void)signal;
    if (running != NULL)
        palSession_Stop(running);
}

static void showProgress(void* user, double done)
{
    (void)user;
    fprintf(stderr, "\r%3.0f %%", 100.0 * done);
    if (done >= 1.0)
        fprintf(stderr, "\r     \r");
}

// Adds "key=value" to the scene changes. The flags of the command are short forms of --set. A value
// that is too long is cut, and the scene's check then says what is wrong with it.
static void addSet(palOptionList* sets, char* memory, const char* key, const char* value)
{
    int length = snprintf(memory, setTextMax, "%s=%s", key, value);
    if (length > 0 && sets->count < (int)(sizeof sets->items / sizeof sets->items[0]))
        sets->items[sets->count++] = memory;
}

// --device replay:FILE.csv or simulated:PRESET.
static void addDeviceSets(palOptionList* sets, const char* device, char memory[3][setTextMax])
{
    char driver[32];
    size_t length = strcspn(device, ":");
    snprintf(driver, sizeof driver, "%.*s", (int)length, device);
    addSet(sets, memory[0], "device.driver", driver);
    if (device[length] != ':')
        return;
    const char* argument = device + length + 1;
    if (strcmp(driver, "replay") != 0)
    {
        addSet(sets, memory[1], "device.preset", argument);
        return;
    }
    char value[setTextMax];
    snprintf(value, sizeof value, "{kind: file, file: \"%s\"}", argument);
    addSet(sets, memory[2], "trajectory", value);
}

static void printMessages(const palSession* session, int* shown)
{
    bool isWarning;
    const palError* message;
    for (; (message = palSession_Message(session, *shown, &isWarning)) != NULL; (*shown)++)
    {
        char text[2048];
        palError_Format(message, text, sizeof text);
        fprintf(stderr, "palpate: %s: %s\n", isWarning ? "warning" : "note", text);
    }
}

static int runSession(palSession* session, const palRunOptions* options)
{
    palError error = {0};
    palRunDef def = {
        .mode = options->realtime ? pal_modeRealtime : pal_modeLockstep,
        .directory = options->out,
        .progress = isatty(STDERR_FILENO) && !options->quiet ? showProgress : NULL,
    };
    int shown = 0;
    if (!options->quiet)
        printMessages(session, &shown);
    running = session;
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    palResult result = palSession_Run(session, &def, &error);
    running = NULL;
    if (result != pal_ok)
        return palTell(&error);
    if (!options->quiet)
        printMessages(session, &shown);
    if (options->plot && palPlotRun(options->out, session, &error) != pal_ok)
        return palTell(&error);
    if (options->json)
        fputs(palSession_Summary(session), stdout);
    else if (!options->quiet)
        printf("%s\nwrote %s/haptic.csv, low.csv, summary.json%s\n", palSession_Verdict(session),
               options->out, options->plot ? " and plots (*.svg, *.png)" : "");
    return 0;
}

static int run(int argc, char** argv)
{
    palRunOptions options = {.out = "out"};
    const palOption table[] = {
        {"method", pal_optionText, &options.method, "NAME",
         "contact method, in place of the scene's"},
        {"set", pal_optionList, &options.sets, "KEY=VALUE",
         "change a scene value, for example "
         "objects.0.friction=0.3; may be repeated"},
        {"device", pal_optionText, &options.device, "DEVICE",
         "replay:FILE.csv or simulated:PRESET (see palpate devices)"},
        {"seconds", pal_optionNumber, &options.seconds, "S", "length of the run"},
        {"realtime", pal_optionFlag, &options.realtime, NULL,
         "two threads on the clock instead of lockstep in virtual time"},
        {"out", pal_optionText, &options.out, "DIR", "where the recording goes (default: out)"},
        {"plot", pal_optionFlag, &options.plot, NULL, "draw path, force and step times (gnuplot)"},
        {"json", pal_optionFlag, &options.json, NULL, "print the summary to standard output"},
        {"quiet", pal_optionFlag, &options.quiet, NULL, "print nothing but errors"},
    };
    const char* scene;
    int count = palOptions_Parse(&pal_commandRun, table, sizeof table / sizeof table[0], argc, argv,
                                 1, &scene);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (count == 0)
    {
        fprintf(stderr, "palpate run: error: which scene? See palpate run --help\n");
        return 2;
    }

    char memory[5][setTextMax];
    char seconds[40];
    if (options.method != NULL)
        addSet(&options.sets, memory[0], "method.name", options.method);
    snprintf(seconds, sizeof seconds, "%.17g", options.seconds);
    if (options.seconds != 0.0)
        addSet(&options.sets, memory[1], "time.seconds", seconds);
    if (options.device != NULL)
        addDeviceSets(&options.sets, options.device, memory + 2);

    char path[pal_scenePathMax];
    palError error = {0};
    if (palScenePath_Find(scene, path, &error) != pal_ok)
        return palTell(&error);
    palSessionDef def = palDefaultSessionDef();
    def.scene = path;
    def.sets = options.sets.items;
    def.setCount = options.sets.count;
    palSession* session;
    if (palSession_Create(&def, &session, &error) != pal_ok)
        return palTell(&error);
    int code = runSession(session, &options);
    palSession_Destroy(session);
    return code;
}

const palCommand pal_commandRun = {
    .name = "run",
    .summary = "run a scene without a screen: haptic.csv, low.csv, summary.json, plots",
    .usage = "SCENE [options]",
    .examples = "  palpate run sine-static --plot          a shipped scene, by its name\n"
                "  palpate run scenes/sine-static.yaml --method penalty --out out/penalty\n"
                "  palpate run scenes/touch.yaml --set objects.0.mesh=part.stl --set "
                "objects.0.unit=mm\n"
                "  palpate run scenes/touch.yaml --device simulated:omega.3 --realtime\n"
                "  palpate run scenes/touch.yaml --device replay:out/haptic.csv\n",
    .run = run,
};
