// SPDX-License-Identifier: Apache-2.0
// The viewer's server: the page, the gallery, and a socket for each client.
//
// Each client has its own sending thread and gets the newest frame after it has acknowledged the
// previous one: a slow or dead client does not delay others. One client drives, the first or the
// one that requested it last; of the others only that request and the choice of colours are
// accepted.
//
// Access: requests must name this machine as host, sockets must come from the viewer's page
// (Origin), and both must carry the token of the address. A socket that sends an invalid message
// (live/message.h) is closed.
#ifndef PAL_APP_VIEW_SERVER_H
#define PAL_APP_VIEW_SERVER_H

#include "live/live.h"
#include "view_gallery.h"

typedef struct palViewServerDef
{
    const char* address; // to listen on, "127.0.0.1"
    int port;            // 0: any free port
    const char* token;
    palLive* live;             // borrowed
    const palGallery* gallery; // borrowed
} palViewServerDef;

typedef struct palViewServer palViewServer;

palResult palViewServer_Start(const palViewServerDef* def, palViewServer** server, palError* error);
void palViewServer_Stop(palViewServer* server);

/// The port on which it listens.
int palViewServer_Port(const palViewServer* server);

#endif
