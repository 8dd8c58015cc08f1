// SPDX-License-Identifier: Apache-2.0
// The state of an engine between two ticks (base/archive.h): what both pipelines begin their next
// steps from. What a run was judged by, statistics and records, is not part of it.
#include "runtime/engine.h"

//--------------------------------------------------------------------------------------------------
// Buffers

static void archiveBuffer(palTripleBuffer* buffer, palArchive* archive)
{
    unsigned middle = atomic_load(&buffer->middle);
    PAL_ARCHIVE(archive, middle);
    PAL_ARCHIVE(archive, buffer->back);
    PAL_ARCHIVE(archive, buffer->front);
    if (archive->isRestoring)
        atomic_store(&buffer->middle, middle);
}

static void archiveSnapshot(const palHands* hands, palSnapshot* snapshot, palArchive* archive)
{
    palSnapshot_Archive(snapshot, archive);
    if (hands->shared->ops->archiveSnapshot != NULL)
        hands->shared->ops->archiveSnapshot(hands->shared, snapshot, archive);
    for (int i = 0; i < hands->count; i++)
        if (hands->methods[i]->ops->archiveSnapshot != NULL)
            hands->methods[i]->ops->archiveSnapshot(hands->methods[i], &snapshot->hands[i],
                                                    archive);
}

static void archiveState(const palHands* hands, palHapticState* state, palArchive* archive)
{
    PAL_ARCHIVE(archive, state->time);
    PAL_ARCHIVE(archive, state->hands);
    if (hands->shared->ops->archiveState != NULL)
        hands->shared->ops->archiveState(hands->shared, state, archive);
}

static void archiveLoop(const palHands* hands, palEngineLoop* loop, palArchive* archive)
{
    PAL_ARCHIVE(archive, loop->sequence);
    PAL_ARCHIVE(archive, loop->arrival);
    archiveBuffer(&loop->snapshotBuffer, archive);
    archiveBuffer(&loop->stateBuffer, archive);
    for (int i = 0; i < 3; i++)
    {
        archiveSnapshot(hands, &loop->snapshots[i], archive);
        archiveState(hands, &loop->states[i], archive);
    }
}

//--------------------------------------------------------------------------------------------------
// Values on their way

static void archiveValues(const palRunChanges* changes, palValues* values, palArchive* archive)
{
    PAL_ARCHIVE(archive, values->gravity);
    PAL_ARCHIVE(archive, values->couplings);
    PAL_ARCHIVE_ARRAY(archive, values->objects, changes->objectCount);
}

static void archiveFollower(const palRunChanges* changes, palFollower* follower,
                            palArchive* archive)
{
    archiveBuffer(&follower->buffer, archive);
    for (int i = 0; i < 3; i++)
        archiveValues(changes, &follower->slots[i], archive);
    archiveValues(changes, &follower->now, archive);
    PAL_ARCHIVE(archive, follower->stepsLeft);
}

// Also where the values go: what the hands hold, and the wires.
static void archiveChanges(palEngine* engine, palArchive* archive)
{
    palRunChanges* changes = &engine->changes;
    const palMethodDef* def = &engine->def.methodDef;
    pthread_mutex_lock(&changes->lock);
    archiveValues(changes, &changes->wanted, archive);
    for (int i = 0; i <= engine->loopCount; i++)
        archiveFollower(changes, i < engine->loopCount ? &changes->loops[i] : &changes->high,
                        archive);
    pthread_mutex_unlock(&changes->lock);
    for (int i = 0; i < engine->methods.count; i++)
    {
        PAL_ARCHIVE(archive, changes->tools[i].model);
        PAL_ARCHIVE(archive, engine->methods.methods[i]->def.body);
    }
    for (int i = 0; i < def->wireCount; i++)
    {
        PAL_ARCHIVE(archive, def->wires[i].model->gravity);
        PAL_ARCHIVE(archive, def->wires[i].model->coupling);
    }
}

//--------------------------------------------------------------------------------------------------

static void archiveHand(palEngineHand* hand, palArchive* archive)
{
    PAL_ARCHIVE(archive, hand->body);
    PAL_ARCHIVE(archive, hand->safety);
    PAL_ARCHIVE(archive, hand->output);
    PAL_ARCHIVE(archive, hand->device);
}

// Drivers of an earlier version end before it.
static void archiveDevice(const palEngineHandDef* hand, palArchive* archive)
{
    const palDeviceOps* ops = hand->deviceOps;
    if (ops->size >= offsetof(palDeviceOps, archive) + sizeof ops->archive && ops->archive != NULL)
        ops->archive(hand->device, archive);
}

// Bodies come before what is made of them; the devices, which may be the program's, last.
void palEngine_Archive(palEngine* engine, palArchive* archive)
{
    const palHands* hands = &engine->methods;
    const palMethodDef* def = &engine->def.methodDef;
    PAL_ARCHIVE(archive, engine->nextTick);
    for (int i = 0; i < palMethodDef_Surfaces(def); i++)
        palCollider_Archive(&def->colliders[i], archive);
    archiveChanges(engine, archive);
    if (hands->shared->ops->archive != NULL)
        hands->shared->ops->archive(hands->shared, archive);
    for (int i = 0; i < hands->count; i++)
    {
        if (hands->methods[i]->ops->archive != NULL)
            hands->methods[i]->ops->archive(hands->methods[i], archive);
        archiveHand(&engine->hands[i], archive);
    }
    for (int i = 0; i < engine->loopCount; i++)
        archiveLoop(hands, &engine->loops[i], archive);
    for (int i = 0; i < hands->count; i++)
        archiveDevice(&engine->def.hands[i], archive);
}
