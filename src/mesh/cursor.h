// SPDX-License-Identifier: Apache-2.0
// Numbers of a file that may be text or binary of either byte order: the readers say
// which number comes next and need not care how it is written.
#ifndef PAL_MESH_CURSOR_H
#define PAL_MESH_CURSOR_H

#include "mesh/scan.h"

typedef enum palEncoding
{
    pal_encodingText,
    pal_encodingLittle,
    pal_encodingBig,
} palEncoding;

typedef enum palScalar
{
    pal_scalarInt8,
    pal_scalarUint8,
    pal_scalarInt16,
    pal_scalarUint16,
    pal_scalarInt32,
    pal_scalarUint32,
    pal_scalarInt64,
    pal_scalarUint64,
    pal_scalarFloat32,
    pal_scalarFloat64,
    pal_scalarCount,
} palScalar;

typedef struct palCursor
{
    palScan scan;         // where the file is read, text or binary
    palEncoding encoding; // of what comes next
    bool binary;          // the file has binary data: faults are placed by byte, not by line
    const char* start;    // borrowed: the first byte
    const char* format;   // borrowed: the format's name for messages
    palError* error;      // borrowed
} palCursor;

palCursor palMakeCursor(const void* data, size_t size, const char* format, char comment,
                        palError* error);

/// The bytes of a binary scalar.
int palScalar_Size(palScalar type);

/// Sets the error, with the line of a text or the byte of a binary file. Returns pal_errorInput.
palResult palCursor_Fault(const palCursor* cursor, const char* remedy, const char* format, ...)
    PAL_PRINTF(3, 4);

/// Adds the place to an error that something else has set. Returns pal_errorInput.
palResult palCursor_Here(const palCursor* cursor);

/// Reads the next number. Text may hold line ends before it.
palResult palCursor_Real(palCursor* cursor, palScalar type, double* value);
/// The same for a whole number, at most 2^53 in size.
palResult palCursor_Whole(palCursor* cursor, palScalar type, int64_t* value);
/// The same for an int.
palResult palCursor_Int(palCursor* cursor, palScalar type, int* value);

/// Reads how many things follow, and refuses a number that is negative or needs more bytes than the
/// file has left. A thing consists of `numbers` numbers, in binary of `bytes` bytes in all.
palResult palCursor_Count(palCursor* cursor, palScalar type, int numbers, int bytes, int* count);

/// Refuses `count` things for which the file has no room, as palCursor_Count does.
palResult palCursor_Room(const palCursor* cursor, double count, int numbers, int bytes);

#endif
