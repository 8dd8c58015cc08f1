// SPDX-License-Identifier: Apache-2.0
// The connected clients: a sending thread for each, and the client that drives.
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
    struct mg_connection* connection; // NULL: this slot is free
    pthread_t sender;
    bool hasSender;
    uint64_t since;        // order of arrival
    uint32_t sent;         // number of the last frame sent
    uint32_t acknowledged; // number of the last frame acknowledged
    unsigned sentVersion;  // version of the client list that it has received
    palFrameField field;   // to colour by
    int hand;              // whose plots it shows
    bool isClosing;
} palViewClient;

struct palViewClients
{
    palLive* live;             // borrowed
    const palGallery* gallery; // borrowed
    pthread_mutex_t lock;
    pthread_cond_t changed;
    palViewClient slots[pal_clientsMax];
    palViewClient* driver; // NULL: none
    uint64_t arrivals;
    unsigned version; // counts arrivals, departures and changes of the driver
};

void palViewClients_Init(palViewClients* clients, palLive* live, const palGallery* gallery);
void palViewClients_Free(palViewClients* clients);

/// A slot for a new connection, or NULL if all are in use. Nothing is sent yet.
palViewClient* palViewClients_Add(palViewClients* clients, struct mg_connection* connection);
/// Starts to send. Returns false if no thread can be created.
bool palViewClient_Start(palViewClient* client);
/// Handles a message. Returns false if the connection must be closed.
bool palViewClient_Receive(palViewClient* client, const void* data, size_t size, bool isBinary);
/// Stops sending and frees the slot.
void palViewClient_Remove(palViewClient* client);

#endif
