// SPDX-License-Identifier: Apache-2.0
// haptic.csv, low.csv and contacts.csv: the recording that other tools rely on. Columns are only
// ever appended.
#ifndef PAL_RUNTIME_RECORDING_H
#define PAL_RUNTIME_RECORDING_H

#include "runtime/record.h"

#include <stdio.h>

typedef struct palRecording
{
    FILE* haptic;   // owned
    FILE* low;      // owned
    FILE* contacts; // owned; NULL where they are not recorded
    char directory[512];
    bool turns; // six degrees of freedom: orientations are recorded too
} palRecording;

/// Creates the directory where it is missing and both files with their header lines, for so many
/// hands. `turns`: a haptic body has an orientation.
palResult palRecording_Open(palRecording* recording, const char* directory, int hands, bool turns,
                            palError* error);
/// Adds contacts.csv: a row for each contact that pushes in a step. Closes the recording where that
/// fails.
palResult palRecording_OpenContacts(palRecording* recording, palError* error);
void palRecording_Tick(palRecording* recording, const palTickRecord* record);
void palRecording_Low(palRecording* recording, const palLowRecord* record);
/// Closes the files. Fails where anything could not be written.
palResult palRecording_Close(palRecording* recording, palError* error);

#endif
