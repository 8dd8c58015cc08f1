// SPDX-License-Identifier: Apache-2.0
// The viewer's server: the page, the gallery, and a socket for each client.
//
// A client gets the newest frame when it has acknowledged the one before, from a thread of its own:
// a slow or dead client holds up nobody. One client drives, the first or whoever asked last; what
// the others say, other than that they want to drive, is not heard.
//
// Who may come in: requests must name this machine as their host, sockets must come from our own
// page (Origin), and both must carry the token of the address. A socket that says anything that is
// not a message (live/message.h) is closed.
#ifndef PAL_APP_VIEW_SERVER_H
#define PAL_APP_VIEW_SERVER_H

#include "live/live.h"
#include "view_gallery.h"

typedef struct palViewServerDef
{
    const char* address; // to listen on, "127.0.0.1"
    int port;            // 0: any that is free
    const char* token;
    palLive* live;             // borrowed
    const palGallery* gallery; // borrowed
} palViewServerDef;

typedef struct palViewServer palViewServer;

palResult palViewServer_Start(const palViewServerDef* def, palViewServer** server, palError* error);
void palViewServer_Stop(palViewServer* server);

/// The port that it listens on.
int palViewServer_Port(const palViewServer* server);

#endif
