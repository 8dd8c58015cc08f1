// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include "base/error.h"
#include "base/plain_locale.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum
{
    pathMax = 4096,          // bytes; PATH_MAX on Linux
    initialCapacity = 65536, // bytes of the read buffer, doubled as needed
};

palResult palCannotRead(const char* path, palError* error)
{
    palError_Set(error, pal_errorFile, "cannot read: %s", strerror(errno));
    palError_Remedy(error, "check the path and its permissions");
    palError_At(error, path, 0, 0);
    return pal_errorFile;
}

palResult palCannotWrite(const char* path, palError* error)
{
    palError_Set(error, pal_errorFile, "cannot write: %s", strerror(errno));
    palError_Remedy(error, "check that the directory exists, is writable and has free space");
    palError_At(error, path, 0, 0);
    return pal_errorFile;
}

//--------------------------------------------------------------------------------------------------
// Reading

static palResult tooLarge(const char* path, size_t sizeMax, palError* error)
{
    palError_Set(error, pal_errorInput, "file is larger than the limit of %zu MB", sizeMax >> 20);
    palError_Remedy(error, "check that this is the intended file");
    palError_At(error, path, 0, 0);
    return pal_errorInput;
}

// Reads to the end of the file, or until more than sizeMax bytes have been read.
static palResult readAll(FILE* file, const char* path, size_t sizeMax, char** data, size_t* size,
                         palError* error)
{
    for (size_t capacity = initialCapacity;; capacity *= 2)
    {
        char* grown = realloc(*data, capacity);
        if (grown == NULL)
            return palError_Memory(error, path, capacity);
        *data = grown;
        *size += fread(*data + *size, 1, capacity - *size - 1, file);
        if (ferror(file))
            return palCannotRead(path, error);
        if (*size > sizeMax)
            return tooLarge(path, sizeMax, error);
        (*data)[*size] = '\0';
        if (*size < capacity - 1)
            return pal_ok;
    }
}

palResult palReadFile(const char* path, size_t sizeMax, char** data, size_t* size, palError* error)
{
    *data = NULL;
    *size = 0;
    FILE* file = fopen(path, "rb");
    if (file == NULL)
        return palCannotRead(path, error);
    palResult result = readAll(file, path, sizeMax, data, size, error);
    fclose(file);
    if (result == pal_ok)
        return pal_ok;
    free(*data);
    *data = NULL;
    *size = 0;
    return result;
}

//--------------------------------------------------------------------------------------------------
// Writing

// A pipe or a device is written to directly, never replaced.
static bool isReplaceable(const char* path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

palResult palWriteFile(const char* path, palFileWriter* write, const void* data, palError* error)
{
    char temporary[pathMax];
    bool isReplaced = isReplaceable(path);
    int length = snprintf(temporary, sizeof temporary, "%s%s", path, isReplaced ? ".part" : "");
    errno = ENAMETOOLONG;
    FILE* file = length < (int)sizeof temporary ? fopen(temporary, "wb") : NULL;
    if (file == NULL)
        return palCannotWrite(path, error);
    locale_t previous = palPlainLocale_Enter();
    write(data, file);
    palPlainLocale_Leave(previous);

    // ferror reports a failed write without its reason; a full disk is the most likely one. fclose
    // writes what is still buffered.
    int reason = ferror(file) ? ENOSPC : 0;
    if (fclose(file) != 0)
        reason = errno;
    if (reason == 0 && isReplaced && rename(temporary, path) != 0)
        reason = errno;
    if (reason == 0)
        return pal_ok;
    if (isReplaced)
        remove(temporary);
    errno = reason;
    return palCannotWrite(path, error);
}

bool palMakeDirectories(const char* path)
{
    char partial[pathMax];
    if (snprintf(partial, sizeof partial, "%s", path) >= (int)sizeof partial)
    {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char* c = partial; *c != '\0'; c++)
    {
        if (*c != '/' || c == partial)
            continue;
        *c = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return false;
        *c = '/';
    }
    return mkdir(partial, 0777) == 0 || errno == EEXIST;
}

bool palHasExtension(const char* path, const char* extension)
{
    const char* dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot, extension) == 0;
}

int palFindExtension(const char* path, const palExtension* table, int count)
{
    for (int i = 0; i < count; i++)
        if (palHasExtension(path, table[i].text))
            return table[i].meaning;
    return -1;
}
