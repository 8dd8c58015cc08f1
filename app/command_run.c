// SPDX-License-Identifier: Apache-2.0
#include "api/session.h"
#include "base/file.h"
#include "device/replay.h"
#include "live/motion.h"
#include "options.h"
#include "plot.h"
#include "scene_path.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct palRunOptions
{
    const char* scene;
    const char* method;
    const char* device;
    const char* out;
    const char* problems;
    double seconds;
    palOptionList sets;
    bool realtime, json, quiet, plot, contacts, bodies;
} palRunOptions;

static palSession* volatile running;        // the session that an interrupt stops
static volatile sig_atomic_t interruptedBy; // the signal, 0: none

// The first interrupt stops the run and keeps the recording; a second one ends the program.
static void interrupt(int number)
{
    interruptedBy = number;
    signal(number, SIG_DFL);
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

// replay:FILE.csv: the recording takes the place of the scene's trajectory.
static void addTrajectorySet(palSceneSets* sets, const char* file)
{
    // In single quotes YAML needs no escapes except for the quote, which is doubled.
    char value[pal_setTextMax] = "{kind: file, file: '";
    size_t used = strlen(value);
    for (const char* c = file; *c != '\0' && used < pal_setTextMax - 8; c++)
    {
        value[used++] = *c;
        if (*c == '\'')
            value[used++] = '\'';
    }
    strcpy(value + used, "'}");
    palSceneSets_Add(sets, "trajectory", value);
}

// The recording that --device replay:FILE.csv names; NULL: it names none.
static const char* recordingOf(const char* device)
{
    const char* prefix = "replay:";
    bool isNamed = device != NULL && strncmp(device, prefix, strlen(prefix)) == 0;
    return isNamed ? device + strlen(prefix) : NULL;
}

// --device DRIVER or DRIVER:VALUE, the value of the driver's first key. Returns false where the
// driver takes none.
static bool addDeviceSets(palSceneSets* sets, const char* device)
{
    char name[32], key[64];
    size_t length = strcspn(device, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, device);
    palSceneSets_Add(sets, "device.driver", name);
    const palDeviceOps* driver = palFindDeviceDriver(name);
    if (device[length] != ':' || driver == NULL) // the scene's check tells of an unknown one
        return true;
    const char* value = device + length + 1;
    if (driver == &pal_replayDevice)
    {
        addTrajectorySet(sets, value);
        return true;
    }
    if (driver->settings == NULL)
        return false;
    snprintf(key, sizeof key, "device.%s", driver->settings->keys[0].name);
    palSceneSets_Add(sets, key, value);
    return true;
}

static void recordDrawing(void* user, const palDrawing* drawing)
{
    palMotionWriter_Add(user, drawing);
}

// Records the motion of the bodies at 60 Hz.
static palResult watchBodies(palSession* session, const char* directory, palMotionWriter* writer,
                             palError* error)
{
    const palSessionWatch watch = {.drawing = recordDrawing, .user = writer, .every = 1.0 / 60.0};
    if (!palMakeDirectories(directory))
        return palCannotWrite(directory, error);
    palResult result = palMotionWriter_Open(writer, directory, error);
    return result == pal_ok ? palSession_Watch(session, &watch, error) : result;
}

static palResult runAndRecord(palSession* session, const palRunOptions* options,
                              const palRunDef* def, palError* error)
{
    palMotionWriter writer = {0};
    palResult result = pal_ok;
    if (options->bodies)
        result = watchBodies(session, options->out, &writer, error);
    if (result == pal_ok)
        result = palSession_Run(session, def, error);
    palResult closed = palMotionWriter_Close(&writer, result == pal_ok ? error : NULL);
    return result != pal_ok ? result : closed;
}

static int runSession(palSession* session, const palRunOptions* options)
{
    palError error = {0};
    palRunDef def = {
        .mode = options->realtime ? pal_modeRealtime : pal_modeLockstep,
        .directory = options->out,
        .contacts = options->contacts,
        .problems = options->problems,
        .progress = isatty(STDERR_FILENO) && !options->quiet ? showProgress : NULL,
    };
    int shown = 0;
    if (!options->quiet)
        palPrintMessages(session, &shown);
    running = session;
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    palResult result = runAndRecord(session, options, &def, &error);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    running = NULL;
    if (result != pal_ok)
        return palPrintError(&error);
    if (!options->quiet)
        palPrintMessages(session, &shown);
    if (options->plot && palPlotRun(options->out, session, &error) != pal_ok)
        return palPrintError(&error);
    const char* summary = options->json ? palSession_Summary(session) : NULL;
    if (summary != NULL)
        fputs(summary, stdout);
    else if (!options->quiet)
        printf("%s\nwrote %s/haptic.csv, low.csv, summary.json, scene.yaml%s%s%s\n",
               palSession_Verdict(session), options->out, options->contacts ? ", contacts.csv" : "",
               options->bodies ? ", bodies.palf" : "",
               options->plot ? " and plots (*.svg, *.png)" : "");
    if (interruptedBy == 0)
        return 0;
    // The exit code of a program ended by a signal: the recording is valid but incomplete.
    fprintf(stderr, "palpate: interrupted; the recording up to this point is in %s\n",
            options->out);
    return 128 + interruptedBy;
}

static int run(int argc, char** argv)
{
    palRunOptions options = {.out = "out", .seconds = NAN};
    const palOption table[] = {
        {"method", pal_optionText, &options.method, "NAME",
         "contact method, replaces that of the scene"},
        {"set", pal_optionList, &options.sets, "KEY=VALUE",
         "change a scene value, for example "
         "objects.0.friction=0.3; may be repeated"},
        {"device", pal_optionText, &options.device, "DEVICE",
         "another driver than the scene's, with the value of its first setting: "
         "replay:FILE.csv, simulated:PRESET (see palpate devices)"},
        {"seconds", pal_optionNumber, &options.seconds, "S", "length of the run"},
        {"realtime", pal_optionFlag, &options.realtime, NULL,
         "run in real time with one thread per rate instead of lockstep in virtual time"},
        {"out", pal_optionText, &options.out, "DIR", "directory of the recording (default: out)"},
        {"contacts", pal_optionFlag, &options.contacts, NULL,
         "also write contacts.csv: points, normals, gaps and forces of every step in contact"},
        {"bodies", pal_optionFlag, &options.bodies, NULL,
         "also write bodies.palf: the motion of bodies, tools and wires, for palpate view "
         "--replay"},
        {"plot", pal_optionFlag, &options.plot, NULL, "draw path, force and step times (gnuplot)"},
        {"dump-problems", pal_optionText, &options.problems, "DIR",
         "write the contact problems of every step of both rates, for palpate solve"},
        {"json", pal_optionFlag, &options.json, NULL, "print the summary to standard output"},
        {"quiet", pal_optionFlag, &options.quiet, NULL, "print only errors"},
    };
    const char* scene;
    int count = palOptions_Parse(&pal_commandRun, table, sizeof table / sizeof table[0], argc, argv,
                                 1, &scene);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (count == 0)
        return palPrintUsageError(&pal_commandRun, "no scene given");

    char path[pal_scenePathMax];
    palError error = {0};
    if (palScenePath_Find(scene, path, &error) != pal_ok)
        return palPrintError(&error);
    palSceneSets sets = {0};
    palSceneSets_AddList(&sets, &options.sets);
    if (options.method != NULL)
        palSceneSets_Add(&sets, "method.name", options.method);
    palSceneSets_AddSeconds(&sets, options.seconds);
    if (options.device != NULL && !addDeviceSets(&sets, options.device))
        return palPrintUsageError(&pal_commandRun,
                                  "this driver has no settings: --device takes its name "
                                  "only");
    const char* recording = recordingOf(options.device);
    if (recording != NULL && access(recording, R_OK) != 0)
    {
        palCannotRead(recording, &error);
        return palPrintError(&error);
    }
    palSessionDef def = palDefaultSessionDef();
    def.scene = path;
    def.sets = sets.items;
    def.setCount = sets.count;
    palSession* session;
    if (palSession_Create(&def, &session, &error) != pal_ok)
        return palPrintError(&error);
    int code = runSession(session, &options);
    palSession_Destroy(session);
    return code;
}

const palCommand pal_commandRun = {
    .name = "run",
    .summary = "run a scene without display: haptic.csv, low.csv, summary.json, plots",
    .usage = "SCENE [options]",
    .examples =
        "  palpate run sine-static --plot          an installed scene by name\n"
        "  palpate run scenes/sine-static.yaml --method penalty --out out/penalty\n"
        "  palpate run scenes/touch.yaml --set objects.0.mesh=part.stl --set "
        "objects.0.unit=mm\n"
        "  palpate run scenes/touch.yaml --device simulated:omega.3 --realtime\n"
        "  palpate run scenes/touch.yaml --device replay:out/haptic.csv\n"
        "  palpate run out --out again            the scene of a recording, as it ran\n"
        "\nAn interrupt (Ctrl-C) stops the run after the current step: the recording up to this "
        "point\nand its summary are written, and the exit code is 130 (143 for SIGTERM).\n",
    .run = run,
};
