// SPDX-License-Identifier: Apache-2.0
// The faults of one scene, collected with the place of the YAML node they are about: a line of the
// file, or the --set that brought the node in.
#ifndef PAL_SCENE_FAULTS_H
#define PAL_SCENE_FAULTS_H

#include "base/messages.h"
#include "scene/yaml.h"

enum
{
    pal_faultsMax = 50, // reported a file; the rest is counted
};

typedef struct palFaults
{
    palMessages* messages;   // borrowed
    const char* file;        // borrowed, stands for the scene in messages
    const char* const* sets; // borrowed, what a node's origin counts: "path=value" of a --set;
                             // "@place" or "@path=value" of what a program gave
    int before;              // messages that were there before the faults
    int count;               // faults found, reported or not
} palFaults;

static inline palFaults palMakeFaults(palMessages* messages, const char* file,
                                      const char* const* sets)
{
    return (palFaults){.messages = messages, .file = file, .sets = sets, .before = messages->count};
}

/// Adds a fault of a node's value; NULL: of the file as a whole. Returns the message for
/// palError_Remedy, or NULL where it is one too many.
palError* palFaults_Add(palFaults* faults, const palYamlNode* node, const char* format, ...)
    PAL_PRINTF(3, 4);

/// The same at a node's key.
palError* palFaults_AddAtKey(palFaults* faults, const palYamlNode* node, const char* format, ...)
    PAL_PRINTF(3, 4);

/// Adds an error of another module about the text of the given origin (-1: the file).
void palFaults_AddError(palFaults* faults, int origin, const palError* error);

/// The last message, which says how many faults were not reported, if any.
void palFaults_End(palFaults* faults);

/// The result of the faults so far: the first of them is the error, or that there was no memory for
/// its message. pal_ok: there are none.
palResult palFaults_Conclude(const palFaults* faults, palError* error);

#endif
