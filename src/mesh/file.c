// SPDX-License-Identifier: Apache-2.0
#include "mesh/file.h"

#include "base/error.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// A file larger than this holds tens of millions of triangles: more than contact can use.
static const size_t maxFileBytes = (size_t)2 << 30;

static palResult fileError(palError* error, const char* what)
{
    palError_Set(error, pal_errorFile, "%s: %s", what, strerror(errno));
    palError_Remedy(error, "check the path and its permissions");
    return pal_errorFile;
}

static palResult readAll(FILE* file, unsigned char** data, size_t* size, palError* error)
{
    size_t capacity = 0;
    while (!feof(file))
    {
        if (*size == capacity)
        {
            capacity = capacity > 0 ? 2 * capacity : 65536;
            unsigned char* grown = capacity <= maxFileBytes ? realloc(*data, capacity) : NULL;
            if (grown == NULL)
                return palError_Memory(error, "a mesh file", capacity);
            *data = grown;
        }
        *size += fread(*data + *size, 1, capacity - *size, file);
        if (ferror(file))
            return fileError(error, "cannot be read");
    }
    return pal_ok;
}

palResult palReadFile(const char* path, unsigned char** data, size_t* size, palError* error)
{
    *data = NULL;
    *size = 0;
    FILE* file = fopen(path, "rb");
    palResult result =
        file != NULL ? readAll(file, data, size, error) : fileError(error, "cannot be opened");
    if (file != NULL)
        fclose(file);
    if (result == pal_ok)
        return pal_ok;
    free(*data);
    *data = NULL;
    palError_At(error, path, 0, 0);
    return result;
}

static palResult cannotWrite(const char* path, palError* error)
{
    palError_Set(error, pal_errorFile, "cannot be written: %s", strerror(errno));
    palError_Remedy(error, "check that the folder exists, may be written and has room");
    palError_At(error, path, 0, 0);
    return pal_errorFile;
}

palResult palWriteFile(const char* path, palFileWriter* write, const void* data, palError* error)
{
    char temporary[1024];
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= (int)sizeof temporary)
        return palError_Set(error, pal_errorFile, "the path is too long: %.100s…", path);
    FILE* file = fopen(temporary, "wb");
    if (file == NULL)
        return cannotWrite(path, error);
    // The "C" locale is built in and needs no memory.
    locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    write(data, file);
    uselocale(before);
    bool written = ferror(file) == 0;
    written = fclose(file) == 0 && written;
    if (written && rename(temporary, path) == 0)
        return pal_ok;
    cannotWrite(path, error);
    remove(temporary);
    return pal_errorFile;
}

bool palHasExtension(const char* path, const char* extension)
{
    const char* dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot, extension) == 0;
}
