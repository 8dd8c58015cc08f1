// SPDX-License-Identifier: Apache-2.0
// How soft bodies, tools and wires moved, beside the numbers of a recording: bodies.palf, so that a
// replay can show any moment of it.
//
// The file is a row of frames (frame.h) with the bodies alone, t increasing. A frame is written at
// a screen's rate, or less often where that would take more than 5 MB a second; what was cut short
// at the end is left out when it is read.
#ifndef PAL_LIVE_REEL_H
#define PAL_LIVE_REEL_H

#include "live/frame.h"

#include <stdio.h>

typedef struct palReelWriter
{
    FILE* file;     // owned; NULL: closed
    palFrame frame; // owned
    double next;    // s, before which no frame is written
    uint32_t count;
    int trouble; // errno of the first thing that could not be written
    char path[4352];
} palReelWriter;

/// Whether a drawing has anything that moves.
bool palReel_IsNeeded(const palDrawing* drawing);

/// Creates the file in a directory that is there.
palResult palReelWriter_Open(palReelWriter* writer, const char* directory, palError* error);
/// Writes the drawing where it is time for one.
void palReelWriter_Add(palReelWriter* writer, const palDrawing* drawing);
/// Fails where anything could not be written. A closed writer closes well.
palResult palReelWriter_Close(palReelWriter* writer, palError* error);

typedef struct palReelFrame
{
    double t;      // s
    long offset;   // bytes from the begin of the file
    size_t length; // bytes
} palReelFrame;

typedef struct palReel
{
    FILE* file;           // owned; NULL: there is none
    palReelFrame* frames; // owned, [count], t not decreasing
    int count;
    unsigned char* bytes; // owned, [most]
    size_t most;          // bytes of the longest frame
    char path[4352];
} palReel;

/// Opens the one in the directory. A directory without one gives an empty reel.
palResult palReel_Open(palReel* reel, const char* directory, palError* error);
void palReel_Close(palReel* reel);

/// The last frame not after t, or the first; -1 where there is none.
int palReel_FrameAt(const palReel* reel, double t);
/// Puts a frame into a drawing of the scene that was recorded. Fails where it is damaged or of
/// another scene; the drawing may then be changed in part.
palResult palReel_Show(palReel* reel, int index, palDrawing* drawing, palError* error);

#endif
