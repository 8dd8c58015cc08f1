// SPDX-License-Identifier: Apache-2.0
// The step arena: one block allocated at build time, handed out in named pieces during a step and
// released to a mark at its end. Nothing is freed singly, nothing is allocated in a step.
//
//     palArenaMark mark = palArena_Mark(arena);
//     double* gap = palArena_Doubles(arena, rows, "gap");
//     ...
//     palArena_Release(arena, mark);
//
// When the arena is full a piece is NULL and the shortfall is counted: the step that asked gives up
// in a defined way, and the caller sees `shortfall` and grows the arena between steps.
#ifndef PAL_BASE_ARENA_H
#define PAL_BASE_ARENA_H

#include <palpate/base.h>

typedef struct palArena
{
    unsigned char* memory; // owned, 64-byte aligned
    size_t capacity;       // bytes
    size_t used;           // bytes handed out now
    size_t highWater;      // the most that was ever asked for at once, bytes (may exceed capacity)
    size_t shortfalls;     // pieces refused
    const char* largest;   // the name of the largest piece ever handed out (borrowed literal)
    size_t largestSize;    // and its size, bytes
} palArena;

typedef size_t palArenaMark;

palResult palArena_Init(palArena* arena, size_t capacity, palError* error);
void palArena_Free(palArena* arena);

palArenaMark palArena_Mark(const palArena* arena);
void palArena_Release(palArena* arena, palArenaMark mark);

/// A piece of `size` bytes, 64-byte aligned and not cleared, or NULL. `name` must be a literal.
void* palArena_Alloc(palArena* arena, size_t size, const char* name);
double* palArena_Doubles(palArena* arena, size_t count, const char* name);
int* palArena_Ints(palArena* arena, size_t count, const char* name);

#endif
