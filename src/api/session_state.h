// SPDX-License-Identifier: Apache-2.0
// What a session consists of; shared by the files of it: session.c runs it, session_summary.c
// writes the results.
#ifndef PAL_API_SESSION_STATE_H
#define PAL_API_SESSION_STATE_H

#include "api/session.h"
#include "api/world_state.h"
#include "runtime/recording.h"
#include "runtime/verdict.h"

struct palSession
{
    palWorld* world;                   // owned, prepared
    palEngine* engine;                 // the world's
    palMeasure* measures;              // owned, [handCount]
    palBodyTotal* bodyTotals;          // owned, [objects]: of the first of them
    palToolGap toolGaps[pal_handsMax]; // of tools that touch with points; empty otherwise
    palRecording recording;
    bool isRecording;
    const palRunDef* run;  // borrowed, while a run lasts
    palReader* reader;     // of the watch; NULL where there is no observer
    palSessionWatch watch; // all NULL where there is no observer
    palRunMode mode;
    _Atomic int steered; // hand that the mouse has taken; -1: none. From any thread
    palProblemCopy problems[pal_handsMax]; // of the last tick, by hand, where they are written
    palProblemCopy lowProblem;             // of a low-rate step, until it is written
    palResult dumpResult;
    palError dumpError;
    palJson summary;
    palVerdict verdict;
};

#endif
