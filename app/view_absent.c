// SPDX-License-Identifier: Apache-2.0
// Replaces view_server.c in a build without CivetWeb or without Node for bundling the page.
#include "base/error.h"
#include "view_server.h"

palResult palViewServer_Start(const palViewServerDef* def, palViewServer** server, palError* error)
{
    (void)def;
    *server = NULL;
    palError_Set(error, pal_errorUnusable, "this build has no viewer");
    return palError_Remedy(error, "install libcivetweb-dev, nodejs and npm (scripts/deps.sh run) "
                                  "and build again");
}

void palViewServer_Stop(palViewServer* server)
{
    (void)server;
}

int palViewServer_Port(const palViewServer* server)
{
    (void)server;
    return 0;
}
