// SPDX-License-Identifier: Apache-2.0
// Reads numbers from a file that may be text or binary of either byte order: a format's reader
// requests the type of the next number, independent of the encoding.
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
    palScan scan;         // the position in the file, text or binary
    palEncoding encoding; // of the data that follows
    bool binary;          // the file has binary data: errors give the byte, not the line
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

/// Adds the location to an error that was set elsewhere. Returns pal_errorInput.
palResult palCursor_AddLocation(const palCursor* cursor);

/// Reads the next number. In text, line ends before it are skipped.
palResult palCursor_Real(palCursor* cursor, palScalar type, double* value);
/// The same for a whole number, at most 2^53 in size.
palResult palCursor_Whole(palCursor* cursor, palScalar type, int64_t* value);
/// The same for an int.
palResult palCursor_Int(palCursor* cursor, palScalar type, int* value);

/// Reads the number of entries that follow and rejects it if it is negative or exceeds the rest of
/// the file. An entry consists of `numbers` numbers, in binary of `bytes` bytes in total.
palResult palCursor_Count(palCursor* cursor, palScalar type, int numbers, int bytes, int* count);

/// Rejects a `count` of entries that exceeds the rest of the file, as palCursor_Count does.
palResult palCursor_CheckRoom(const palCursor* cursor, double count, int numbers, int bytes);

#endif
