// SPDX-License-Identifier: Apache-2.0
// Messages from a page, validated before use.
//
// Binary messages are the hand (56 bytes) and acknowledgements (8 bytes):
//
//     hand  u8 1, u8 0, u16 0, u32 buttons, f64 time, f64[3] position, f32[4] orientation
//     ack   u8 2, u8 0, u16 0, u32 number of the frame
//
// Text messages are a verb and, after one space, its argument: "pause", "set method.name=penalty".
// A message longer than pal_messageMax, not UTF-8 or not exactly of these forms is rejected.
#ifndef PAL_LIVE_MESSAGE_H
#define PAL_LIVE_MESSAGE_H

#include "device/browser.h"

enum
{
    pal_messageMax = 1024, // bytes
};

typedef enum palVerb
{
    pal_verbHand,    // binary
    pal_verbAck,     // binary
    pal_verbDrive,   // take control of the hand
    pal_verbOpen,    // NAME: a scene of the gallery
    pal_verbGallery, // close the scene
    pal_verbPause,
    pal_verbResume,
    pal_verbStep, // COUNT: 1 to 1000 high-rate steps, then pause
    pal_verbReset,
    pal_verbSet,    // PATH=VALUE: a scene value
    pal_verbUnset,  // PATH: restore the scene's value
    pal_verbRecord, // start a recording
    pal_verbStop,   // stop the recording
    pal_verbReplay, // NAME: of a recording
    pal_verbSeek,   // SECONDS into the replay
    pal_verbLive,   // end the replay
    pal_verbChoose, // HAND, from 0: the one that this client sees, and that its mouse takes
    pal_verbColour, // NAME: plain, displacement or stress, for this client only
    pal_verbCount,
} palVerb;

typedef struct palViewMessage
{
    palVerb verb;
    palHandSample hand;            // hand
    uint32_t number;               // ack: of the frame; step: how many; choose: hand; colour: field
    double seconds;                // seek
    char text[pal_messageMax + 1]; // open, set, unset, replay
} palViewMessage;

/// Parses a message. Returns false, with a readable reason, if it is invalid.
bool palViewMessage_Parse(const void* data, size_t size, bool isBinary, palViewMessage* message,
                          const char** reason);

#endif
