// SPDX-License-Identifier: Apache-2.0
// The state of a world as a block of bytes: a header by which to know it, and what the engine's
// archive has (runtime/archive.c).
#include "api/world_state.h"

#include "base/error.h"
#include "scene/writer.h"

#include <string.h>

static const char magic[8] = "palstate";

typedef struct Header
{
    char magic[8];
    char version[16];  // of the library
    uint64_t layout;   // differs between builds whose structs do
    uint64_t size;     // bytes of the block
    uint64_t world;    // hash of what the world was made from
    uint64_t checksum; // of the block, with 0 here
} Header;

//--------------------------------------------------------------------------------------------------
// Of which world it is

static uint64_t hashSurface(uint64_t hash, const palSurface* surface, bool withVertices)
{
    size_t triangles = (size_t)surface->triangleCount * sizeof *surface->triangles;
    size_t vertices = (size_t)surface->vertexCount * sizeof *surface->vertices;
    hash = palHash(hash, surface->triangles, triangles);
    return withVertices ? palHash(hash, surface->vertices, vertices) : hash;
}

static uint64_t hashSoft(uint64_t hash, const palSoftBody* soft, const palSkin* skin)
{
    size_t nodes = (size_t)soft->nodeCount;
    size_t entries = (size_t)skin->vertexCount * (size_t)skin->nodesEach;
    hash = palHash(hash, soft->rest, nodes * sizeof *soft->rest);
    hash = palHash(hash, soft->mass, nodes * sizeof *soft->mass);
    hash = palHash(hash, soft->freeIndex, nodes * sizeof *soft->freeIndex);
    hash = palHash(hash, soft->tets, (size_t)soft->tetCount * sizeof *soft->tets);
    hash = palHash(hash, soft->hexes, (size_t)soft->hexCount * sizeof *soft->hexes);
    return palHash(hash, skin->weights, entries * sizeof *skin->weights);
}

// All values of the scene, and what it has from files or arrays: none of it changes in a run.
static palResult hashWorld(const palWorld* world, uint64_t* hash, palError* error)
{
    const palSceneBodies* bodies = &world->bodies;
    palResult result = palScene_Hash(&world->scene, hash, error);
    for (int i = 0; i < bodies->count; i++)
    {
        const palCollider* collider = &bodies->colliders[i];
        *hash = hashSurface(*hash, &collider->surface, collider->soft == NULL);
        if (collider->soft != NULL)
            *hash = hashSoft(*hash, collider->soft, &collider->skin);
    }
    for (int i = 0; i < world->handCount; i++)
        *hash = hashSurface(*hash, &bodies->tools[i].surface, true);
    return result;
}

static palResult makeHeader(const palWorld* world, size_t size, Header* header, palError* error)
{
    *header = (Header){.layout = sizeof(palEngine), .size = size};
    memcpy(header->magic, magic, sizeof magic);
    strncpy(header->version, palVersion(), sizeof header->version - 1);
    return hashWorld(world, &header->world, error);
}

// Of a header and the bytes that follow it.
static uint64_t checksumOf(Header header, const void* block, size_t size)
{
    header.checksum = 0;
    uint64_t hash = palHash(0, &header, sizeof header);
    return palHash(hash, (const unsigned char*)block + sizeof header, size - sizeof header);
}

//--------------------------------------------------------------------------------------------------
// Saving and restoring

static void archiveWorld(palWorld* world, palArchive* archive)
{
    PAL_ARCHIVE(archive, world->hasStepped);
    PAL_ARCHIVE_ARRAY(archive, world->last.hands, world->handCount);
    palEngine_Archive(world->engine, archive);
}

// What a device of the program gives must be as much every time.
static palResult checkUsed(const palArchive* archive, palError* error)
{
    if (archive->used == archive->size)
        return pal_ok;
    palError_Set(error, pal_errorInput, "a device gives %zu bytes more or less than it counted",
                 archive->used > archive->size ? archive->used - archive->size
                                               : archive->size - archive->used);
    return palError_Remedy(error, "let palDeviceOps.archive give the same blocks in every call");
}

static palResult save(palWorld* world, void* block, size_t* size, palError* error)
{
    palResult result = palWorld_PrepareIdle(world, error);
    if (result == pal_ok && size == NULL)
        result = palIsNull("the place for the size", error);
    if (result != pal_ok)
        return result;
    palArchive archive = {.used = sizeof(Header)};
    archiveWorld(world, &archive);
    size_t room = *size;
    *size = archive.used;
    if (block == NULL)
        return pal_ok;
    if (room < *size)
    {
        palError_Set(error, pal_errorInput, "the state has %zu bytes, there is room for %zu", *size,
                     room);
        return palError_Remedy(error, "ask for its size first, with a block of NULL");
    }
    archive = (palArchive){.bytes = block, .size = *size, .used = sizeof(Header)};
    archiveWorld(world, &archive);
    result = checkUsed(&archive, error);
    Header header;
    if (result == pal_ok)
        result = makeHeader(world, *size, &header, error);
    if (result != pal_ok)
        return result;
    header.checksum = checksumOf(header, block, *size);
    memcpy(block, &header, sizeof header);
    return pal_ok;
}

palResult palWorld_SaveState(palWorld* world, void* block, size_t* size, palError* error)
{
    palError own;
    return palWorld_Tell(NULL, save(world, block, size, &own), &own, error);
}

static palResult refuse(palError* error, const char* why)
{
    palError_Set(error, pal_errorInput, "%s", why);
    return palError_Remedy(error, "give a block as palWorld_SaveState wrote it");
}

static palResult check(const palWorld* world, const void* block, size_t size, palError* error)
{
    Header header, own;
    if (block == NULL)
        return palIsNull("the state", error);
    if (size < sizeof header || memcmp(block, magic, sizeof magic) != 0)
        return refuse(error, "this is no state of a world");
    memcpy(&header, block, sizeof header);
    if (header.size != size)
        return refuse(error, "the state is cut short, or something follows it");
    if (header.checksum != checksumOf(header, block, size))
        return refuse(error, "the state is damaged");
    palResult result = makeHeader(world, size, &own, error);
    if (result != pal_ok)
        return result;
    if (memcmp(header.version, own.version, sizeof own.version) != 0 || header.layout != own.layout)
    {
        palError_Set(error, pal_errorInput, "the state was saved by another build, version %s",
                     header.version);
        return palError_Remedy(error, "restore it with the library that saved it");
    }
    if (header.world == own.world)
        return pal_ok;
    palError_Set(error, pal_errorInput, "the state is that of another world");
    return palError_Remedy(error, "restore it into the one that was saved, or one made as it was");
}

static palResult restore(palWorld* world, const void* block, size_t size, palError* error)
{
    palResult result = palWorld_PrepareIdle(world, error);
    if (result == pal_ok)
        result = check(world, block, size, error);
    if (result != pal_ok)
        return result;
    palArchive archive = {
        .bytes = (unsigned char*)block,
        .size = size,
        .used = sizeof(Header),
        .isRestoring = true,
    };
    archiveWorld(world, &archive);
    return checkUsed(&archive, error);
}

palResult palWorld_RestoreState(palWorld* world, const void* block, size_t size, palError* error)
{
    palError own;
    return palWorld_Tell(NULL, restore(world, block, size, &own), &own, error);
}
