// SPDX-License-Identifier: Apache-2.0
// Palpate: declarations shared by all public headers: export macro, version, results and errors.
//
// The library never prints and never exits. A function that can fail on input returns a palResult
// and fills a palError, whose text describes the error and whose remedy suggests a correction.
// The functions of this header may be called from any thread.
#ifndef PALPATE_BASE_H
#define PALPATE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PAL_API               __attribute__((visibility("default")))
#define PAL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PAL_API
#define PAL_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C"
{
#endif

#define PAL_VERSION_MAJOR 0
#define PAL_VERSION_MINOR 1
#define PAL_VERSION_PATCH 0

/// The version of the library that is linked, for example "0.1.0".
PAL_API const char* palVersion(void);

/// The optional features of this build by index, NULL past the end: "assimp 5.2", ...
PAL_API const char* palFeature(int index);

/// A point or a vector. The unit (metres, newtons, ...) is stated where it is used.
typedef struct palVec3
{
    double x, y, z;
} palVec3;

/// A rotation as a unit quaternion w + xi + yj + zk.
typedef struct palQuat
{
    double w, x, y, z;
} palQuat;

typedef enum palResult
{
    pal_ok = 0,
    pal_errorInput,    ///< a file, scene or argument is wrong; the program exits with 2
    pal_errorFile,     ///< a file cannot be opened, read or written
    pal_errorMemory,   ///< an allocation at set-up failed
    pal_errorUnusable, ///< a device or an optional feature is not available
    pal_errorRun,      ///< the run itself failed; the program exits with 1
} palResult;

/// A message for the user: location, description and remedy. Empty strings and zeros: unknown.
typedef struct palError
{
    palResult code;
    int line;   ///< 1-based line in `file`
    int column; ///< 1-based column in `file`
    char file[512];
    char text[512];
    char remedy[1024];
} palError;

/// Writes "file:line:column: text; remedy" (the known parts) to `out`, always zero-terminated.
/// Returns the length of the complete message.
PAL_API size_t palError_Format(const palError* error, char* out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
