// SPDX-License-Identifier: Apache-2.0
// palpate view: touch a scene in a browser.
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

// Waits for the signals that end the program; they are blocked in every thread.
static void waitForEnd(const sigset_t* ends)
{
    int received;
    sigwait(ends, &received);
}

// What to open on this machine.
static void tellAddress(const char* address, int port, const char* token)
{
    bool isAll = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
    bool isHere = isAll || strcmp(address, "127.0.0.1") == 0;
    bool isV6 = !isHere && strchr(address, ':') != NULL;
    printf("Open http://%s%s%s:%d/?token=%s\n", isV6 ? "[" : "", isHere ? "localhost" : address,
           isV6 ? "]" : "", port, token);
    if (isAll)
        printf("On other machines the name of this one takes the place of localhost.\n");
    printf("Ctrl-C ends it.\n");
    fflush(stdout);
}

static int serve(const palViewOptions* options, palLive* live, const palGallery* gallery,
                 const sigset_t* ends)
{
    palError error = {0};
    char token[pal_tokenLength + 1];
    if (palViewToken_Get(token, &error) != pal_ok)
        return palTell(&error);
    palViewServerDef def = {
        .address = options->address,
        .port = options->port,
        .token = token,
        .live = live,
        .gallery = gallery,
    };
    palViewServer* server;
    if (palViewServer_Start(&def, &server, &error) != pal_ok)
        return palTell(&error);
    tellAddress(options->address, palViewServer_Port(server), token);
    waitForEnd(ends);
    palViewServer_Stop(server);
    return 0;
}

static int view(const palViewOptions* options)
{
    // Before any thread starts, so that all inherit it.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);

    palError error = {0};
    char scene[pal_scenePathMax];
    if (options->scene != NULL && palScenePath_Find(options->scene, scene, &error) != pal_ok)
        return palTell(&error);
    palGallery gallery;
    if (palGallery_Find(&gallery, options->scenes, &error) != pal_ok)
        return palTell(&error);
    palLiveDef def = {
        .scene = options->scene != NULL ? scene : NULL,
        .sets = options->sets.items,
        .setCount = options->sets.count,
        .recordings = options->out,
        .replay = options->replay,
    };
    palLive* live;
    if (palLive_Create(&def, &live, &error) != pal_ok)
        return palTell(&error);
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
         "contact method, in place of the scene's"},
        {"set", pal_optionList, &given, "KEY=VALUE",
         "change a scene value; device.driver=replay lets the scene's own hand move"},
        {"out", pal_optionText, &options.out, "DIR", "where recordings go (default: out/view)"},
        {"replay", pal_optionText, &options.replay, "DIR", "begin with the recording in DIR"},
        {"scenes", pal_optionText, &options.scenes, "DIR", "the scenes of the gallery"},
    };
    int count = palOptions_Parse(&pal_commandView, table, sizeof table / sizeof table[0], argc,
                                 argv, 1, &options.scene);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (options.port < 0 || options.port > 65535)
        return palTellUsage(&pal_commandView, "--port is 0 to 65535");
    if (strcmp(options.address, "localhost") == 0)
        options.address = "127.0.0.1";
    if (options.replay != NULL && options.scene == NULL)
        return palTellUsage(&pal_commandView, "--replay needs the scene that was recorded");
    // The mouse is the device, unless a --set says otherwise.
    palSceneSets_Add(&options.sets, "device.driver", "browser");
    if (options.method != NULL)
        palSceneSets_Add(&options.sets, "method.name", options.method);
    palSceneSets_AddList(&options.sets, &given);
    return view(&options);
}

const palCommand pal_commandView = {
    .name = "view",
    .summary = "touch a scene in a browser; the mouse is the device",
    .usage = "[SCENE] [options]",
    .examples = "  palpate view                              a gallery of scenes\n"
                "  palpate view statue --method accurate     a shipped scene, by its name\n"
                "  palpate view scenes/sine-static.yaml --set device.driver=replay\n"
                "  palpate view scenes/touch.yaml --replay out\n",
    .run = run,
};
