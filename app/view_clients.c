// SPDX-License-Identifier: Apache-2.0
#include "view_clients.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double framePeriod = 1.0 / 60.0; // s: the screen rate
static const double waitMax = 0.25;           // s, until the connection is checked again

void palViewClients_Init(palViewClients* clients, palLive* live, const palGallery* gallery)
{
    *clients = (palViewClients){.live = live, .gallery = gallery};
    pthread_mutex_init(&clients->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&clients->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void palViewClients_Free(palViewClients* clients)
{
    pthread_cond_destroy(&clients->changed);
    pthread_mutex_destroy(&clients->lock);
}

static void setDriver(palViewClients* clients, palViewClient* driver)
{
    clients->driver = driver;
    clients->version++;
    pthread_cond_broadcast(&clients->changed);
}

palViewClient* palViewClients_Add(palViewClients* clients, struct mg_connection* connection)
{
    palViewClient* found = NULL;
    pthread_mutex_lock(&clients->lock);
    for (int i = 0; i < pal_clientsMax && found == NULL; i++)
        if (clients->slots[i].connection == NULL)
            found = &clients->slots[i];
    if (found != NULL)
    {
        *found = (palViewClient){
            .clients = clients, .connection = connection, .since = ++clients->arrivals};
        setDriver(clients, clients->driver != NULL ? clients->driver : found);
    }
    pthread_mutex_unlock(&clients->lock);
    return found;
}

//--------------------------------------------------------------------------------------------------
// Sending

// The number of clients and the driver, for one client. With the lock. Returns false if unchanged.
static bool describe(palViewClient* client, char* text, size_t size)
{
    palViewClients* clients = client->clients;
    if (client->sentVersion == clients->version)
        return false;
    client->sentVersion = clients->version;
    int count = 0;
    for (int i = 0; i < pal_clientsMax; i++)
        count += clients->slots[i].connection != NULL;
    snprintf(text, size, "{\"clients\": %d, \"driving\": %s, \"driven\": %s}", count,
             clients->driver == client ? "true" : "false",
             clients->driver != NULL ? "true" : "false");
    return true;
}

// Waits until the client has acknowledged the last frame, or the list of clients has changed.
static void awaitAcknowledgement(palViewClient* client)
{
    palViewClients* clients = client->clients;
    struct timespec until = palClock_After(waitMax);
    int late = 0;
    while (!client->isClosing && client->acknowledged != client->sent &&
           client->sentVersion == clients->version && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&clients->changed, &clients->lock, &until);
}

static bool sendFrame(palViewClient* client, palLiveReader* reader, palFrame* frame)
{
    palLive_Encode(client->clients->live, reader, frame);
    if (frame->failed)
        return false;
    pthread_mutex_lock(&client->clients->lock);
    client->sent = reader->number;
    pthread_mutex_unlock(&client->clients->lock);
    return mg_websocket_write(client->connection, MG_WEBSOCKET_OPCODE_BINARY,
                              (const char*)frame->bytes, frame->length) > 0;
}

static void* sendThread(void* argument)
{
    palViewClient* client = argument;
    palViewClients* clients = client->clients;
    palLiveReader reader = {0};
    palFrame frame = {0};
    bool isOpen = true;
    int64_t next = 0;
    while (isOpen)
    {
        char text[128];
        pthread_mutex_lock(&clients->lock);
        awaitAcknowledgement(client);
        bool hasChanged = describe(client, text, sizeof text);
        bool isReady = client->acknowledged == client->sent;
        reader.field = client->field;
        if (reader.cursor.hand != client->hand)
            reader.cursor = (palHistoryCursor){.hand = client->hand};
        isOpen = !client->isClosing;
        pthread_mutex_unlock(&clients->lock);
        if (isOpen && hasChanged)
            isOpen = mg_websocket_write(client->connection, MG_WEBSOCKET_OPCODE_TEXT, text,
                                        strlen(text)) > 0;
        if (!isOpen || !isReady || !palLive_Wait(clients->live, &reader, waitMax))
            continue;
        palClock_SleepUntil(next);
        next = palClock_Now() + (int64_t)(1e9 * framePeriod);
        isOpen = sendFrame(client, &reader, &frame);
    }
    palFrame_Free(&frame);
    return NULL;
}

bool palViewClient_Start(palViewClient* client)
{
    client->hasSender = pthread_create(&client->sender, NULL, sendThread, client) == 0;
    return client->hasSender;
}

void palViewClient_Remove(palViewClient* client)
{
    palViewClients* clients = client->clients;
    pthread_mutex_lock(&clients->lock);
    client->isClosing = true;
    pthread_cond_broadcast(&clients->changed);
    pthread_mutex_unlock(&clients->lock);
    if (client->hasSender)
        pthread_join(client->sender, NULL);
    pthread_mutex_lock(&clients->lock);
    client->connection = NULL;
    palViewClient* newDriver = clients->driver == client ? NULL : clients->driver;
    for (int i = 0; i < pal_clientsMax && clients->driver == client; i++)
    {
        palViewClient* other = &clients->slots[i];
        if (other->connection != NULL && (newDriver == NULL || other->since < newDriver->since))
            newDriver = other;
    }
    setDriver(clients, newDriver);
    pthread_mutex_unlock(&clients->lock);
}

//--------------------------------------------------------------------------------------------------
// Receiving

static void acknowledge(palViewClient* client, uint32_t number)
{
    palViewClients* clients = client->clients;
    pthread_mutex_lock(&clients->lock);
    // Only the last frame sent can be acknowledged.
    if (number == client->sent)
        client->acknowledged = number;
    pthread_cond_broadcast(&clients->changed);
    pthread_mutex_unlock(&clients->lock);
}

static void openByName(palViewClients* clients, const char* name)
{
    char path[pal_scenePathMax];
    if (palGallery_ScenePath(clients->gallery, name, path))
        palLive_Open(clients->live, path);
}

// The hand that the client sees; the mouse of the one that drives takes it.
static void chooseHand(palViewClient* client, int hand)
{
    client->hand = hand;
    if (client->clients->driver == client)
        palLive_Steer(client->clients->live, hand);
}

bool palViewClient_Receive(palViewClient* client, const void* data, size_t size, bool isBinary)
{
    palViewClients* clients = client->clients;
    palViewMessage message;
    const char* reason;
    if (!palViewMessage_Parse(data, size, isBinary, &message, &reason))
        return false;
    if (message.verb == pal_verbAck)
    {
        acknowledge(client, message.number);
        return true;
    }
    // Locked during the action: the hand may be posted by one thread at a time.
    pthread_mutex_lock(&clients->lock);
    if (message.verb == pal_verbDrive)
        setDriver(clients, client);
    else if (message.verb == pal_verbColour)
        client->field = (palFrameField)message.number;
    else if (message.verb == pal_verbChoose)
        chooseHand(client, (int)message.number);
    else if (clients->driver == client && message.verb == pal_verbHand)
        palLive_Hand(clients->live, &message.hand);
    else if (clients->driver == client && message.verb == pal_verbOpen)
        openByName(clients, message.text);
    else if (clients->driver == client)
        palLive_Post(clients->live, &message);
    pthread_mutex_unlock(&clients->lock);
    return true;
}
