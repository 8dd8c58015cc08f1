// SPDX-License-Identifier: Apache-2.0
// palpate view: interact with a scene in a browser.
#include "options.h"
#include "scene_path.h"
#include "view_server.h"
#include "view_token.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum
{
    defaultPort = 8765,
};

typedef struct palViewOptions
{
    const char* scene;
    const char* method;
    const char* address;
    const char* scenes;
    const char* out;
    const char* replay;
    int port;
    palSceneSets sets;
} palViewOptions;

// Waits for a signal that ends the program; these signals are blocked in every thread.
static void waitForEnd(const sigset_t* ends)
{
    int received;
    sigwait(ends, &received);
}

// Prints the address to open.
static void printAddress(const char* address, int port, const char* token)
{
    bool isAll = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
    bool isHere = isAll || strcmp(address, "127.0.0.1") == 0;
    bool isV6 = !isHere && strchr(address, ':') != NULL;
    printf("Open http://%s%s%s:%d/?token=%s\n", isV6 ? "[" : "", isHere ? "localhost" : address,
           isV6 ? "]" : "", port, token);
    if (isAll)
        printf("On other machines, replace localhost by the name of this machine.\n");
    printf("Press Ctrl-C to stop.\n");
    fflush(stdout);
}

static int serve(const palViewOptions* options, palLive* live, const palGallery* gallery,
                 const sigset_t* ends)
{
    palError error = {0};
    char token[pal_tokenLength + 1];
    if (palViewToken_Get(token, &error) != pal_ok)
        return palPrintError(&error);
    palViewServerDef def = {
        .address = options->address,
        .port = options->port,
        .token = token,
        .live = live,
        .gallery = gallery,
    };
    palViewServer* server;
    if (palViewServer_Start(&def, &server, &error) != pal_ok)
        return palPrintError(&error);
    printAddress(options->address, palViewServer_Port(server), token);
    waitForEnd(ends);
    palViewServer_Stop(server);
    return 0;
}

static int view(const palViewOptions* options)
{
    // Block the signals before any thread starts, so that all threads inherit the mask.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);

    palError error = {0};
    char scene[pal_scenePathMax];
    if (options->scene != NULL && palScenePath_Find(options->scene, scene, &error) != pal_ok)
        return palPrintError(&error);
    palGallery gallery;
    if (palGallery_Find(&gallery, options->scenes, &error) != pal_ok)
        return palPrintError(&error);
    palLiveDef def = {
        .scene = options->scene != NULL ? scene : NULL,
        .sets = options->sets.items,
        .setCount = options->sets.count,
        .recordings = options->out,
        .replay = options->replay,
    };
    palLive* live;
    if (palLive_Create(&def, &live, &error) != pal_ok)
        return palPrintError(&error);
    int code = serve(options, live, &gallery, &ends);
    palLive_Destroy(live);
    return code;
}

static int run(int argc, char** argv)
{
    palViewOptions options = {.address = "127.0.0.1", .port = defaultPort, .out = "out/view"};
    palOptionList given = {0};
    const palOption table[] = {
        {"port", pal_optionWhole, &options.port, "N", "port to serve on (default 8765; 0: any)"},
        {"address", pal_optionText, &options.address, "A",
         "address to listen on (default 127.0.0.1, this machine only)"},
        {"method", pal_optionText, &options.method, "NAME",
         "contact method, replaces that of the scene"},
        {"set", pal_optionList, &given, "KEY=VALUE",
         "change a scene value; device.driver=replay uses the scene's trajectory"},
        {"out", pal_optionText, &options.out, "DIR", "directory of recordings (default: out/view)"},
        {"replay", pal_optionText, &options.replay, "DIR", "start with the recording in DIR"},
        {"scenes", pal_optionText, &options.scenes, "DIR",
         "directory of the scenes in the gallery"},
    };
    int count = palOptions_Parse(&pal_commandView, table, sizeof table / sizeof table[0], argc,
                                 argv, 1, &options.scene);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (options.port < 0 || options.port > 65535)
        return palPrintUsageError(&pal_commandView, "--port must be 0 to 65535");
    if (strcmp(options.address, "localhost") == 0)
        options.address = "127.0.0.1";
    if (options.replay != NULL && options.scene == NULL)
        return palPrintUsageError(&pal_commandView, "--replay requires the recorded scene");
    // The mouse is the device, unless --set chooses another.
    palSceneSets_Add(&options.sets, "device.driver", "browser");
    if (options.method != NULL)
        palSceneSets_Add(&options.sets, "method.name", options.method);
    palSceneSets_AddList(&options.sets, &given);
    return view(&options);
}

const palCommand pal_commandView = {
    .name = "view",
    .summary = "interact with a scene in a browser; the mouse is the device",
    .usage = "[SCENE] [options]",
    .examples = "  palpate view                              a gallery of scenes\n"
                "  palpate view statue --method accurate     an installed scene by name\n"
                "  palpate view scenes/sine-static.yaml --set device.driver=replay\n"
                "  palpate view scenes/touch.yaml --replay out\n",
    .run = run,
};
