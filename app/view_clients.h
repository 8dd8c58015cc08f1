// SPDX-License-Identifier: Apache-2.0
// Who looks on: a sending thread each, and the one who drives.
#ifndef PAL_APP_VIEW_CLIENTS_H
#define PAL_APP_VIEW_CLIENTS_H

#include "live/live.h"
#include "view_gallery.h"

#include <civetweb.h>
#include <pthread.h>

enum
{
    pal_clientsMax = 16,
};

typedef struct palViewClients palViewClients;

typedef struct palViewClient
{
    palViewClients* clients;
    struct mg_connection* connection; // NULL: this place is free
    pthread_t sender;
    bool hasSender;
    uint64_t since;      // order of arrival
    uint32_t sent;       // the frame that is under way or on the screen
    uint32_t seen;       // and the last one acknowledged
    unsigned told;       // version of what it was told about the others
    palFrameField field; // that it wants to see
    bool isClosing;
} palViewClient;

struct palViewClients
{
    palLive* live;             // borrowed
    const palGallery* gallery; // borrowed
    pthread_mutex_t lock;
    pthread_cond_t changed;
    palViewClient places[pal_clientsMax];
    palViewClient* driver; // NULL: none
    uint64_t arrivals;
    unsigned version; // counts who came, went or began to drive
};

void palViewClients_Init(palViewClients* clients, palLive* live, const palGallery* gallery);
void palViewClients_Free(palViewClients* clients);

/// A place for a new connection, or NULL where all are taken. Nothing is sent yet.
palViewClient* palViewClients_Add(palViewClients* clients, struct mg_connection* connection);
/// Starts to send. Returns false where no thread can be had.
bool palViewClient_Start(palViewClient* client);
/// Hears a message. Returns false where the connection is to be closed.
bool palViewClient_Hear(palViewClient* client, const void* data, size_t size, bool isBinary);
/// Ends the sending and frees the place.
void palViewClient_Remove(palViewClient* client);

#endif
