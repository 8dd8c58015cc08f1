// SPDX-License-Identifier: Apache-2.0
#include "view_server.h"

#include "base/error.h"
#include "view_clients.h"
#include "view_page.h"
#include "view_token.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct palViewServer
{
    palViewServerDef def;
    struct mg_context* context; // owned
    palViewClients clients;
    int port;
    bool isLocal;         // listens on the loopback interface only
    char firstError[256]; // CivetWeb's first message: the cause of a failure
};

//--------------------------------------------------------------------------------------------------
// Access control

// The name without the port: "localhost" of "localhost:8765".
static size_t hostLength(const char* host)
{
    const char* colon = strrchr(host, ':');
    return colon != NULL && strchr(colon, ']') == NULL ? (size_t)(colon - host) : strlen(host);
}

// Protects against DNS rebinding: a page of another site whose name resolves to this machine has
// that name in the Host header.
static bool isOurHost(const palViewServer* server, const char* host)
{
    static const char* const names[] = {"localhost", "127.0.0.1", "[::1]"};
    if (host == NULL)
        return false;
    size_t length = hostLength(host);
    for (int i = 0; i < 3; i++)
        if (strlen(names[i]) == length && strncmp(names[i], host, length) == 0)
            return true;
    return !server->isLocal;
}

// A browser sends the origin of the page that opens a socket; other programs send none.
static bool isOurOrigin(const char* origin, const char* host)
{
    const char scheme[] = "http://";
    return origin == NULL || (strncmp(origin, scheme, strlen(scheme)) == 0 &&
                              strcmp(origin + strlen(scheme), host) == 0);
}

static bool hasToken(const palViewServer* server, const struct mg_request_info* request)
{
    char token[pal_tokenLength + 8];
    const char* query = request->query_string;
    return query != NULL && mg_get_var(query, strlen(query), "token", token, sizeof token) > 0 &&
           palViewToken_IsSame(server->def.token, token);
}

//--------------------------------------------------------------------------------------------------
// Pages

static void sendHead(struct mg_connection* connection, int status, const char* word,
                     const char* type, size_t size)
{
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
              "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
              "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
              "Content-Security-Policy: default-src 'self'; style-src 'self' 'unsafe-inline'; "
              "img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'\r\n\r\n",
              status, word, type, size);
}

static int sendText(struct mg_connection* connection, int status, const char* word,
                    const char* type, const char* text)
{
    sendHead(connection, status, word, type, strlen(text));
    mg_write(connection, text, strlen(text));
    return status;
}

static int refuse(struct mg_connection* connection, int status, const char* word, const char* text)
{
    return sendText(connection, status, word, "text/plain; charset=utf-8", text);
}

static int sendGallery(const palViewServer* server, struct mg_connection* connection)
{
    char* json = palGallery_Json(server->def.gallery);
    if (json == NULL)
        return refuse(connection, 500, "Internal Server Error", "out of memory\n");
    int status = sendText(connection, 200, "OK", "application/json", json);
    free(json);
    return status;
}

static int sendPicture(const palViewServer* server, struct mg_connection* connection,
                       const char* name)
{
    char path[pal_scenePathMax];
    char bytes[16384];
    FILE* file = palGallery_PicturePath(server->def.gallery, name, path) ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return refuse(connection, 404, "Not Found", "no such picture\n");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    sendHead(connection, 200, "OK", "image/png", size > 0 ? (size_t)size : 0);
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        mg_write(connection, bytes, count);
    fclose(file);
    return 200;
}

static int answer(struct mg_connection* connection, void* user)
{
    const palViewServer* server = user;
    const struct mg_request_info* request = mg_get_request_info(connection);
    const char* path = request->local_uri;
    if (!isOurHost(server, mg_get_header(connection, "Host")))
        return refuse(connection, 403, "Forbidden",
                      "this server accepts requests for localhost only\n");
    if (strcmp(request->request_method, "GET") != 0)
        return refuse(connection, 405, "Method Not Allowed", "GET only\n");
    palPageFile file;
    if (palPage_Find(path, &file))
    {
        sendHead(connection, 200, "OK", file.type, file.size);
        mg_write(connection, file.bytes, file.size);
        return 200;
    }
    // Everything except the files of the page requires the token.
    if (!hasToken(server, request))
        return refuse(
            connection, 403, "Forbidden",
            "the token is missing or wrong; open the address that palpate view printed\n");
    if (strcmp(path, "/gallery") == 0)
        return sendGallery(server, connection);
    if (strncmp(path, "/picture/", 9) == 0)
        return sendPicture(server, connection, path + 9);
    return refuse(connection, 404, "Not Found", "no such resource\n");
}

//--------------------------------------------------------------------------------------------------
// Sockets

static int connectSocket(const struct mg_connection* connection, void* user)
{
    const palViewServer* server = user;
    const char* host = mg_get_header(connection, "Host");
    bool isAllowed = isOurHost(server, host) &&
                     isOurOrigin(mg_get_header(connection, "Origin"), host) &&
                     hasToken(server, mg_get_request_info(connection));
    return isAllowed ? 0 : 1;
}

static void readySocket(struct mg_connection* connection, void* user)
{
    palViewServer* server = user;
    palViewClient* client = palViewClients_Add(&server->clients, connection);
    mg_set_user_connection_data(connection, client);
    if (client != NULL)
        palViewClient_Start(client);
}

static int receiveSocket(struct mg_connection* connection, int bits, char* data, size_t size,
                         void* user)
{
    (void)user;
    palViewClient* client = mg_get_user_connection_data(connection);
    int opcode = bits & 0xf;
    bool isWhole = (bits & 0x80) != 0;
    if (opcode == MG_WEBSOCKET_OPCODE_PING || opcode == MG_WEBSOCKET_OPCODE_PONG)
        return 1;
    bool isText = opcode == MG_WEBSOCKET_OPCODE_TEXT;
    bool isBinary = opcode == MG_WEBSOCKET_OPCODE_BINARY;
    return client != NULL && isWhole && (isText || isBinary) &&
           palViewClient_Receive(client, data, size, isBinary);
}

static void closeSocket(const struct mg_connection* connection, void* user)
{
    (void)user;
    palViewClient* client = mg_get_user_connection_data(connection);
    if (client != NULL)
        palViewClient_Remove(client);
}

//--------------------------------------------------------------------------------------------------
// Start and stop

static int storeError(const struct mg_connection* connection, const char* text)
{
    palViewServer* server = mg_get_user_data(mg_get_context(connection));
    if (server != NULL && server->context == NULL && server->firstError[0] == '\0')
        snprintf(server->firstError, sizeof server->firstError, "%s", text);
    return 1;
}

// CivetWeb would also accept 999.1.1.1 and any name.
static bool isAddress(const char* text)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, text, bytes) == 1 ||
           (inet_pton(AF_INET6, text, bytes) == 1 && mg_check_feature(MG_FEATURES_IPV6));
}

static palResult refuseAddress(const char* address, palError* error)
{
    palError_Set(error, pal_errorInput, "--address: '%s' is not an address to listen on", address);
    return palError_Remedy(error, "use 127.0.0.1 for this machine only, or 0.0.0.0 for all "
                                  "networks");
}

static palResult cannotListen(const palViewServer* server, palError* error)
{
    const palViewServerDef* def = &server->def;
    palError_Set(error, pal_errorUnusable, "cannot listen on %s port %d: %s", def->address,
                 def->port, server->firstError[0] != '\0' ? server->firstError : "no reason given");
    return palError_Remedy(error, "if another program uses the port, choose one with --port, or "
                                  "--port 0 for any free port");
}

static palResult listenOn(palViewServer* server, palError* error)
{
    const palViewServerDef* def = &server->def;
    char ports[128], threads[16];
    if (!isAddress(def->address))
        return refuseAddress(def->address, error);
    bool isV6 = strchr(def->address, ':') != NULL;
    snprintf(ports, sizeof ports, isV6 ? "[%.64s]:%d" : "%.64s:%d", def->address, def->port);
    // A socket occupies a thread while it is open; pages need a few more.
    snprintf(threads, sizeof threads, "%d", pal_clientsMax + 8);
    const char* options[] = {
        "listening_ports",
        ports,
        "num_threads",
        threads,
        "request_timeout_ms",
        "10000",
        "websocket_timeout_ms",
        "10000",
        "enable_websocket_ping_pong",
        "yes",
        "enable_directory_listing",
        "no",
        "enable_keep_alive",
        "no",
        "tcp_nodelay",
        "1",
        NULL,
    };
    const struct mg_callbacks callbacks = {.log_message = storeError};
    server->context = mg_start(&callbacks, server, options);
    if (server->context == NULL)
        return cannotListen(server, error);
    struct mg_server_port bound[1];
    server->port = mg_get_server_ports(server->context, 1, bound) == 1 ? bound[0].port : def->port;
    mg_set_request_handler(server->context, "/", answer, server);
    mg_set_websocket_handler(server->context, "/socket", connectSocket, readySocket, receiveSocket,
                             closeSocket, server);
    return pal_ok;
}

palResult palViewServer_Start(const palViewServerDef* def, palViewServer** server, palError* error)
{
    *server = NULL;
    palViewServer* started = calloc(1, sizeof *started);
    if (started == NULL)
        return palError_Memory(error, "the server", sizeof *started);
    started->def = *def;
    started->isLocal = strncmp(def->address, "127.", 4) == 0 || strcmp(def->address, "::1") == 0;
    palViewClients_Init(&started->clients, def->live, def->gallery);
    mg_init_library(0);
    palResult result = listenOn(started, error);
    if (result != pal_ok)
    {
        palViewServer_Stop(started);
        return result;
    }
    *server = started;
    return pal_ok;
}

void palViewServer_Stop(palViewServer* server)
{
    if (server == NULL)
        return;
    if (server->context != NULL)
        mg_stop(server->context);
    mg_exit_library();
    palViewClients_Free(&server->clients);
    free(server);
}

int palViewServer_Port(const palViewServer* server)
{
    return server->port;
}
