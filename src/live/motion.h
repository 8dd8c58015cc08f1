// SPDX-License-Identifier: Apache-2.0
// The motion of bodies of a recording: bodies.palf, so that a replay can show them at any time, and
// poses.csv, the rigid objects that move for whoever reads tables.
//
// The file is a sequence of frames (frame.h) that contain only the bodies, with increasing t.
// Frames are written at 60 Hz, or less often to stay below 5 MB/s; an incomplete last frame is
// ignored when the file is read.
#ifndef PAL_LIVE_MOTION_H
#define PAL_LIVE_MOTION_H

#include "live/frame.h"

#include <stdio.h>

typedef struct palMotionWriter
{
    FILE* file;     // owned; NULL: closed
    FILE* poses;    // owned; NULL: no rigid object has moved yet
    palFrame frame; // owned
    double next;    // s, earliest time of the next frame
    uint32_t count;
    int failure; // errno of the first write error
    char path[4352];
    char posesPath[4352];
} palMotionWriter;

/// Whether a drawing has soft bodies, rigid ones that move, tools or wires.
bool palMotion_IsNeeded(const palDrawing* drawing);

/// Creates the file in an existing directory.
palResult palMotionWriter_Open(palMotionWriter* writer, const char* directory, palError* error);
/// Writes the drawing if a frame is due.
void palMotionWriter_Add(palMotionWriter* writer, const palDrawing* drawing);
/// Fails if there was a write error. Closing a closed writer succeeds.
palResult palMotionWriter_Close(palMotionWriter* writer, palError* error);

typedef struct palMotionFrame
{
    double t;      // s
    long offset;   // bytes from the start of the file
    size_t length; // bytes
} palMotionFrame;

typedef struct palMotion
{
    FILE* file;             // owned; NULL: no file
    palMotionFrame* frames; // owned, [count], t not decreasing
    int count;
    unsigned char* bytes; // owned, [lengthMax]
    size_t lengthMax;     // bytes of the longest frame
    char path[4352];
} palMotion;

/// Opens the file in the directory. Without a file the result has no frames.
palResult palMotion_Open(palMotion* motion, const char* directory, palError* error);
void palMotion_Close(palMotion* motion);

/// The last frame at or before t, or the first; -1 if there is none.
int palMotion_FrameAt(const palMotion* motion, double t);
/// Copies a frame into a drawing of the recorded scene. Fails if it is damaged or belongs to
/// another scene; the drawing may then be partly changed.
palResult palMotion_Show(palMotion* motion, int index, palDrawing* drawing, palError* error);

#endif
