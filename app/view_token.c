// SPDX-License-Identifier: Apache-2.0
#include "view_token.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    pathMax = 1024,
};

// $XDG_STATE_HOME/palpate, created if it is missing. Returns false if there is no such directory.
static bool findDirectory(char* path)
{
    const char* state = getenv("XDG_STATE_HOME");
    const char* home = getenv("HOME");
    char parents[2][pathMax] = {"", ""};
    if (state != NULL && state[0] == '/')
    {
        snprintf(parents[1], pathMax, "%s", state);
    }
    else if (home != NULL && home[0] == '/')
    {
        snprintf(parents[0], pathMax, "%.900s/.local", home);
        snprintf(parents[1], pathMax, "%.900s/.local/state", home);
    }
    else
    {
        return false;
    }
    for (int i = 0; i < 2; i++)
        if (parents[i][0] != '\0')
            mkdir(parents[i], 0700);
    int length = snprintf(path, pathMax, "%.900s/palpate", parents[1]);
    return length < pathMax && (mkdir(path, 0700) == 0 || errno == EEXIST);
}

static bool isToken(const char* text)
{
    return strlen(text) == pal_tokenLength && strspn(text, "0123456789abcdef") == pal_tokenLength;
}

// Reads a token from a file that only this user can read and write.
static bool readToken(const char* path, char token[pal_tokenLength + 1])
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    if (file < 0)
        return false;
    bool isPrivate = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                     status.st_uid == geteuid() && (status.st_mode & 077) == 0;
    ssize_t length = isPrivate ? read(file, token, pal_tokenLength) : 0;
    close(file);
    token[length > 0 ? length : 0] = '\0';
    return isToken(token);
}

static void storeToken(const char* path, const char* token)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    bool isWritten =
        fchmod(file, 0600) == 0 && write(file, token, pal_tokenLength) == (ssize_t)pal_tokenLength;
    close(file);
    if (!isWritten)
        unlink(path);
}

palResult palViewToken_Get(char token[pal_tokenLength + 1], palError* error)
{
    char path[pathMax + 16];
    char directory[pathMax] = "";
    bool canStore = findDirectory(directory);
    snprintf(path, sizeof path, "%s/view-token", directory);
    if (canStore && readToken(path, token))
        return pal_ok;
    unsigned char bytes[pal_tokenLength / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return palError_Set(error, pal_errorRun, "no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    if (canStore)
        storeToken(path, token);
    return pal_ok;
}

bool palViewToken_IsSame(const char* token, const char* other)
{
    if (strlen(other) != pal_tokenLength)
        return false;
    unsigned char difference = 0;
    for (size_t i = 0; i < pal_tokenLength; i++)
        difference |= (unsigned char)(token[i] ^ other[i]);
    return difference == 0;
}
