// SPDX-License-Identifier: Apache-2.0
// Reads frames, for recordings of the motion of bodies (motion.h). All data are checked: no count
// exceeds its section, and every number is finite.
#ifndef PAL_LIVE_FRAME_READ_H
#define PAL_LIVE_FRAME_READ_H

#include "live/frame.h"

enum
{
    pal_frameHeadBytes = 32,
};

/// Reads a header. Returns false if it is invalid or of another version. *length: of the frame.
bool palFrameHead_Read(const unsigned char bytes[pal_frameHeadBytes], palFrameHead* head,
                       size_t* length);

/// Iterates over the sections of a frame.
typedef struct palFrameReader
{
    const unsigned char* bytes; // borrowed
    size_t length;
    size_t at;
    unsigned sectionsLeft;
    bool failed;                // the frame is truncated or inconsistent
    palFrameSection kind;       // of the current section
    const unsigned char* begin; // its content
    size_t size;                // bytes
} palFrameReader;

palFrameReader palMakeFrameReader(const unsigned char* bytes, size_t length);
/// Moves to the next section; false after the last, or if the frame is damaged.
bool palFrameReader_Next(palFrameReader* reader);

/// A body section: its header and pointers to its numbers.
typedef struct palReadBody
{
    palBodyKind kind;
    int id;
    int vertexCount;
    palFrameField fieldKind;
    const unsigned char* vertices; // f32[3] each
    const unsigned char* field;    // f32 each; NULL without a field
} palReadBody;

/// The current section as a body, or as poses. Returns false if it is damaged.
bool palFrameReader_Body(const palFrameReader* reader, palReadBody* body);
bool palReadBody_Vertices(const palReadBody* body, palVec3* vertices);
bool palReadBody_Field(const palReadBody* body, float* field);

typedef struct palReadPoses
{
    palBodyKind kind;
    int id;
    int count;
    double radius;             // m
    const unsigned char* rows; // f32[7] each
} palReadPoses;

bool palFrameReader_Poses(const palFrameReader* reader, palReadPoses* poses);
/// The poses; quaternions are normalised.
bool palReadPoses_Get(const palReadPoses* poses, palVec3* positions, palQuat* rotations);

#endif
