// SPDX-License-Identifier: Apache-2.0
// A frame: what the page gets to draw, in binary. docs/viewer.md describes it for other programs.
//
// Little-endian throughout. A head of 32 bytes, then sections, each with a head of 8 bytes and
// padded to a multiple of 8, so that a reader may lay arrays over the bytes:
//
//     head      u32 "PALF", u16 version, u16 sections, u32 number, u32 epoch, f64 t, u32 stream,
//               u32 bytes (of the whole frame)
//     section   u32 kind, u32 bytes (without the padding)
//
// A section of a kind that the reader does not know is skipped by its length.
#ifndef PAL_LIVE_FRAME_H
#define PAL_LIVE_FRAME_H

#include "live/history.h"
#include "math/quat.h"
#include "mesh/surface.h"
#include "render/drawing.h"

enum
{
    pal_frameVersion = 1,
};

typedef enum palFrameSection
{
    pal_frameStatus = 1,   // UTF-8 JSON
    pal_frameBody = 2,     // palFrameBody, see palFrame_Body
    pal_frameHand = 3,     // f64[15]: device, proxy, force, torque, out; f64[4]: the device's
                           // orientation; u32: active, constraints, iterations, held, contacts, 0;
                           // f64[4]: the proxy's orientation
    pal_frameTicks = 4,    // u32 count, u32 columns, u32 restart, u32 0, f64 t0; rows of
                           // f32[1 + columns]: t - t0, palTickSample.values
    pal_frameContacts = 5, // u32 count, u32 0; rows of f32[10]: point, normal, force on the object,
                           // gap
    pal_frameLimited = 6,  // u32 count, u32 sets; rows of u32 triangle, u16 object, i8 set, u8 kind
    pal_frameTrust = 7,    // f32[4]: centre, radius
    pal_frameValues = 8,   // UTF-8 JSON: the values of the scene; when they change
    pal_framePoses = 9,    // palFramePoses, see palFrame_Poses
} palFrameSection;

/// What kind of thing a body is; the page has one way of drawing for each.
typedef enum palBodyKind
{
    pal_bodyRigidSurface = 1,
    pal_bodySoftSurface = 2,
    pal_bodyTool = 3, // a mesh in its own frame, sent once; then its pose
    pal_bodyWire = 4, // no mesh: the poses of its nodes and its radius
} palBodyKind;

/// What the numbers at the vertices of a body mean.
typedef enum palFrameField
{
    pal_fieldNone = 0,
    pal_fieldDisplacement = 1, // m
    pal_fieldStress = 2,       // Pa, von Mises
} palFrameField;

/// A body to draw. Everything is borrowed.
///     u32 id, kind, vertices, triangles, field, name bytes; f32[3] a vertex; u32[3] a triangle;
///     f32 a vertex where there is a field; the name
/// A body that the page knows is sent again only when it has moved, without triangles and name.
typedef struct palFrameBody
{
    palBodyKind kind;
    int id;
    const char* name;
    const palVec3* vertices; // m
    int vertexCount;
    const int (*triangles)[3];
    int triangleCount;
    palFrameField fieldKind;
    const float* field; // a number a vertex to colour by; NULL without a field
} palFrameBody;

/// Where a body is that moves as a whole, or where the nodes of a wire are. Everything is borrowed.
///     u32 id, kind, count, f32 radius; rows of f32[7]: position, quaternion (w, x, y, z)
typedef struct palFramePoses
{
    palBodyKind kind;
    int id; // unique among all bodies of a scene
    int count;
    double radius;            // m; of a wire
    const palVec3* positions; // m
    const palQuat* rotations;
} palFramePoses;

typedef struct palFrame
{
    unsigned char* bytes; // owned
    size_t length;
    size_t capacity;
    size_t section; // where the open section's head is
    bool failed;    // out of memory: the frame is incomplete
} palFrame;

typedef struct palFrameHead
{
    uint32_t number; // counts the frames of one client; what it acknowledges
    uint32_t epoch;  // changes when the bodies do
    uint32_t stream; // of the ticks
    double t;        // s
} palFrameHead;

void palFrame_Free(palFrame* frame);

/// Starts over in the same memory.
void palFrame_Begin(palFrame* frame, const palFrameHead* head);
void palFrame_Status(palFrame* frame, const char* json);
void palFrame_Values(palFrame* frame, const char* json);
/// With triangles and name for a page that does not know the body yet.
void palFrame_Body(palFrame* frame, const palFrameBody* body, bool whole);
void palFrame_Poses(palFrame* frame, const palFramePoses* poses);
void palFrame_Hand(palFrame* frame, const palTickRecord* record);
/// At most `most` samples that the cursor has not seen; moves the cursor past them.
void palFrame_Ticks(palFrame* frame, const palHistory* history, palHistoryCursor* cursor, int most);
/// The contacts of that step.
void palFrame_Contacts(palFrame* frame, const palTickRecord* record);
/// Limited constraints and trust region.
void palFrame_Drawing(palFrame* frame, const palDrawing* drawing);
/// Soft surfaces where they are, with that field where there is one, and the poses of tools and
/// wires. Ids: those of the colliders, then the tools, then the wires.
void palFrame_Bodies(palFrame* frame, const palDrawing* drawing, palFrameField field);
/// The field of a surface that was asked for, or none where it is not there.
const float* palDrawnField(const palDrawnSurface* drawn, palFrameField* field);

#endif
