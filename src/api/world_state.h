// SPDX-License-Identifier: Apache-2.0
// What a world consists of; shared by the files of it: world.c keeps it, world_add.c and
// world_hand.c add to it, world_setup.c prepares it, world_run.c runs it, world_save.c saves its
// state.
//
// Until it is prepared a world is the tree of a scene file (scene/yaml.h): read from one, or made
// node by node from the defs of a program. So there is one reader, one set of checks and one way to
// change a value. What a tree cannot hold, surfaces given as arrays and devices of the program, is
// kept beside it.
#ifndef PAL_API_WORLD_STATE_H
#define PAL_API_WORLD_STATE_H

#include "runtime/engine.h"
#include "scene/bodies.h"

#include <palpate/world.h>

enum
{
    pal_firstWireId = 1 << 24, // ids of objects are below it
};

/// A device of the program's own; NULL: the hand has another.
typedef struct palOwnDevice
{
    const palDeviceOps* ops;
    palDevice* device;
} palOwnDevice;

/// A hand that is prepared: its device, and the coupling and the limits that the device allows.
typedef struct palWorldHand
{
    palTrajectory* trajectory; // owned; NULL: there is none
    const palDeviceOps* deviceOps;
    palDevice* device;
    bool ownsDevice;
    palPointModel body;
    palSafetyDef safety;
    palTool tool; // where it holds one; the surface is that of the bodies
} palWorldHand;

struct palWorldReader
{
    palWorld* world;            // borrowed
    palReader* reader;          // the engine's
    const palTickReading* tick; // NULL: none yet
    const palDrawing* drawing;  // likewise
};

struct palWorld
{
    uint32_t number; // of all worlds of the process, from 1: that of its ids

    // What it shall be.
    palYamlNode* tree;           // owned
    char file[pal_sceneTextMax]; // that it was read from; empty: none
    const char** origins;        // owned, [originCount]: what the origins of nodes count
    int originCount;
    char** changes; // owned, [changeCount], with their texts: those of origins that are changes
    int changeCount;
    palSurface** surfaces; // owned, [surfaceCount], with what they point to: given as arrays
    int surfaceCount;
    palOwnDevice ownDevices[pal_handsMax];
    bool keepsRecords; // for a session, which takes them
    palError untold;   // the first failure to build it whose caller had no palError; pal_ok: none

    // What it is.
    palMessages messages;
    bool isRead; // `scene` is that of the tree
    palScene scene;
    bool isPrepared;
    palSceneBodies bodies;
    palWorldHand hands[pal_handsMax];
    int handCount;
    palEngine* engine;                      // owned
    palWorldReader readers[pal_readersMax]; // those of the engine that are open
    palTickRecord last;                     // of the last step; its contacts are gone
    bool hasStepped;
    bool isNoted; // that scheduling could not be had: one message, however many runs
};

// Ids. Where there is no world, or the id is another's or none, the place is -1.

static inline palBodyId palWorld_BodyId(const palWorld* world, int place, bool isWire)
{
    uint32_t first = isWire ? (uint32_t)pal_firstWireId : 0u;
    return (palBodyId){first + (uint32_t)place + 1u, world->number};
}

static inline palHandId palWorld_HandId(const palWorld* world, int place)
{
    return (palHandId){(uint32_t)place + 1u, world->number};
}

static inline bool palBodyId_IsWire(palBodyId id)
{
    return id.index > (uint32_t)pal_firstWireId;
}

/// Its place in the list of objects or of wires.
static inline int palWorld_BodyPlace(const palWorld* world, palBodyId id)
{
    int before = palBodyId_IsWire(id) ? pal_firstWireId : 0;
    return world != NULL && id.world == world->number ? (int)id.index - 1 - before : -1;
}

static inline int palWorld_HandPlace(const palWorld* world, palHandId id)
{
    bool isOurs = world != NULL && id.world == world->number && id.index <= pal_handsMax;
    return isOurs ? (int)id.index - 1 : -1;
}

/// An empty world with its number, or NULL without memory.
palWorld* palWorld_Allocate(void);

/// The mesh of an object or tool whose surface is surfaces[index]: no name of a file.
void palWorld_NameSurface(int index, char out[pal_sceneTextMax]);
/// Reads the tree, where it has changed since.
palResult palWorld_Read(palWorld* world, palError* error);
/// Sets the place of a node that a program gave: "@palSoftDef.young", a text that lasts. Returns
/// its origin, or -2 without memory.
int palWorld_Origin(palWorld* world, const char* place);
/// The error for an argument that may not be NULL.
palResult palIsNull(const char* what, palError* error);
/// Whether there is a world.
palResult palWorld_Check(const palWorld* world, palError* error);
/// And whether it is prepared.
palResult palWorld_CheckPrepared(const palWorld* world, palError* error);
/// Prepares it; fails where it runs in real time.
palResult palWorld_PrepareIdle(palWorld* world, palError* error);
/// Ends a call that builds: tells a failure to the caller, or keeps it for palWorld_Prepare.
palResult palWorld_Tell(palWorld* world, palResult result, const palError* own, palError* error);
/// Whether the world may still be changed.
palResult palWorld_MayChange(palWorld* world, palError* error);

/// What the driver of a hand is told.
palDriverContext palWorld_DriverContext(const palWorld* world, int index);
/// Opens the devices of the scene, or takes the program's.
palResult palWorld_OpenDevices(palWorld* world, palError* error);
/// What the scheduler could not have becomes a message.
void palWorld_TakeNote(palWorld* world);

/// Fills a def of this library's size: what the program's has not is the default that is there.
/// False where the program's has no size.
bool palTakeDef(const void* def, size_t size, void* full);
/// The error for that: the name of the def, "palHandDef".
palResult palNoSize(const char* def, palError* error);

palResult palNoSuchHand(palError* error);

/// As much of a hand as the state has room for.
void palHandState_Fill(palHandState* state, const palHandRecord* record);
/// A rigid object, which moves as `moving` says or, where that is NULL, not at all. False where the
/// object is not rigid.
bool palWorld_FillBody(const palWorld* world, int object, const palRigidView* moving, double time,
                       palBodyState* state);

/// Creates the engine of a world whose bodies stand and whose devices are open.
palResult palWorld_CreateEngine(palWorld* world, palError* error);

#endif
