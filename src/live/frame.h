// SPDX-License-Identifier: Apache-2.0
// A frame: the binary data sent to the page for display. docs/viewer.md describes it for other
// programs.
//
// Little-endian. A header of 32 bytes, then sections, each with a header of 8 bytes and padded to a
// multiple of 8, so that a reader can use arrays over the bytes:
//
//     header    u32 "PALF", u16 version, u16 sections, u32 number, u32 epoch, f64 t, u32 stream,
//               u32 bytes (of the whole frame)
//     section   u32 kind, u32 bytes (without the padding)
//
// A section of unknown kind is skipped by its length.
#ifndef PAL_LIVE_FRAME_H
#define PAL_LIVE_FRAME_H

#include "live/history.h"
#include "math/quat.h"
#include "mesh/surface.h"
#include "runtime/drawing.h"

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
                           // f64[4]: the proxy's orientation. Of the first hand
    pal_frameTicks = 4,    // u32 count, u32 columns, u32 restart, u32 0, f64 t0; rows of
                           // f32[1 + columns]: t - t0, palTickSample.values
    pal_frameContacts = 5, // u32 count, u32 0; rows of f32[10]: point, normal, force on the object,
                           // gap
    pal_frameLimited = 6,  // u32 count, u32 sets; rows of u32 triangle, u16 object, i8 set, u8 kind
    pal_frameTrust = 7,    // f32[4] for each hand: centre, radius
    pal_frameValues = 8,   // UTF-8 JSON: the values of the scene; sent when they change
    pal_framePoses = 9,    // palFramePoses, see palFrame_Poses
    pal_frameNextHand = 10, // as pal_frameHand, of each hand after the first, in their order
} palFrameSection;

/// The kind of a body; the page has one drawing function for each.
typedef enum palBodyKind
{
    pal_bodyRigidSurface = 1,
    pal_bodySoftSurface = 2,
    pal_bodyTool = 3, // a mesh in body coordinates, sent once; then its pose
    pal_bodyWire = 4, // no mesh: the poses of its nodes and its radius
} palBodyKind;

/// The quantity stored at the vertices of a body.
typedef enum palFrameField
{
    pal_fieldNone = 0,
    pal_fieldDisplacement = 1, // m
    pal_fieldStress = 2,       // Pa, von Mises
} palFrameField;

/// A body to draw. All pointers are borrowed. Encoding:
///
///     u32 id, kind, vertices, triangles, field, name bytes; f32[3] per vertex; u32[3] per
///     triangle; f32 per vertex if there is a field; the name
///
/// After the first time, a body is sent only when it has moved, without triangles and name.
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
    const float* field; // a number per vertex for colouring; NULL without a field
} palFrameBody;

/// The pose of a rigid body, or the poses of the nodes of a wire; of a rigid surface how it has
/// moved from where it was sent. All pointers are borrowed.
/// Encoding:
///
///     u32 id, kind, count, f32 radius; rows of f32[7]: position, quaternion (w, x, y, z)
typedef struct palFramePoses
{
    palBodyKind kind;
    int id; // unique among all bodies of a scene
    int count;
    double radius;            // m; of a wire. Of a rigid surface 1 where it sleeps, else 0
    const palVec3* positions; // m
    const palQuat* rotations;
} palFramePoses;

typedef struct palFrame
{
    unsigned char* bytes; // owned
    size_t length;
    size_t capacity;
    size_t section; // offset of the open section's header
    bool failed;    // out of memory: the frame is incomplete
} palFrame;

typedef struct palFrameHead
{
    uint32_t number; // counts the frames of one client, which acknowledges it
    uint32_t epoch;  // changes when the set of bodies changes
    uint32_t stream; // of the ticks
    double t;        // s
} palFrameHead;

void palFrame_Free(palFrame* frame);

/// Starts a new frame in the same memory.
void palFrame_Begin(palFrame* frame, const palFrameHead* head);
void palFrame_Status(palFrame* frame, const char* json);
void palFrame_Values(palFrame* frame, const char* json);
/// `whole`: with triangles and name, for a page that has not received the body yet.
void palFrame_Body(palFrame* frame, const palFrameBody* body, bool whole);
void palFrame_Poses(palFrame* frame, const palFramePoses* poses);
/// Every hand of the step.
void palFrame_Hands(palFrame* frame, const palTickRecord* record);
/// At most `countMax` samples of the cursor's hand after the cursor; moves the cursor past them.
void palFrame_Ticks(palFrame* frame, const palHistory* history, palHistoryCursor* cursor,
                    int countMax);
/// The contacts of the step.
void palFrame_Contacts(palFrame* frame, const palTickRecord* record);
/// Limited constraints and trust region.
void palFrame_Drawing(palFrame* frame, const palDrawing* drawing);
/// The deformed soft surfaces, with the field if available, and the poses of rigid objects that
/// move, of tools and wires. Ids: those of the colliders, then the tools, then the wires.
void palFrame_Bodies(palFrame* frame, const palDrawing* drawing, palFrameField field);
/// The requested field of a surface; *field becomes pal_fieldNone if it is not available.
const float* palDrawnField(const palDrawnSurface* drawn, palFrameField* field);

#endif
