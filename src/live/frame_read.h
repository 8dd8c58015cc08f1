// SPDX-License-Identifier: Apache-2.0
// Frames read back, for recordings of how bodies moved (reel.h). What is read is checked: no count
// leads beyond the section that it stands in, and every number is finite.
#ifndef PAL_LIVE_FRAME_READ_H
#define PAL_LIVE_FRAME_READ_H

#include "live/frame.h"

enum
{
    pal_frameHeadBytes = 32,
};

/// Reads a head. Returns false where it is none, or of another version. *length: of the frame.
bool palFrameHead_Read(const unsigned char bytes[pal_frameHeadBytes], palFrameHead* head,
                       size_t* length);

/// Goes through the sections of a frame.
typedef struct palFrameReader
{
    const unsigned char* bytes; // borrowed
    size_t length;
    size_t at;
    unsigned left;              // sections
    bool failed;                // the frame is cut short or contradicts itself
    palFrameSection kind;       // of the present section
    const unsigned char* begin; // its content
    size_t size;                // bytes
} palFrameReader;

palFrameReader palMakeFrameReader(const unsigned char* bytes, size_t length);
/// The next section; false after the last, and where the frame is damaged.
bool palFrameReader_Next(palFrameReader* reader);

/// A body section: what it says of itself, and where its numbers are.
typedef struct palReadBody
{
    palBodyKind kind;
    int id;
    int vertexCount;
    palFrameField fieldKind;
    const unsigned char* vertices; // f32[3] each
    const unsigned char* field;    // f32 each; NULL without a field
} palReadBody;

/// The present section as a body, or as poses. Returns false where it is damaged.
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
/// The poses themselves; quaternions come out normalised.
bool palReadPoses_Get(const palReadPoses* poses, palVec3* positions, palQuat* rotations);

#endif
