// SPDX-License-Identifier: Apache-2.0
// Running the program as a person runs it: in a folder of its own, output and errors apart.
#ifndef PAL_TESTS_PROGRAM_H
#define PAL_TESTS_PROGRAM_H

#include "check.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char programFolder[] = "/tmp/palpate-test-XXXXXX";

/// Standard output and standard error of the last call.
static char programOutput[1 << 16];
static char programErrors[1 << 16];

static inline int makeProgramFolder(void** state)
{
    (void)state;
    return mkdtemp(programFolder) == NULL;
}

static inline int removeProgramFolder(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", programFolder);
    return system(command) != 0;
}

/// A path in the folder.
static inline const char* inFolder(const char* name)
{
    static char paths[4][512];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", programFolder, name);
    return path;
}

/// The whole of a file, terminated; the caller frees it.
static inline char* readWhole(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char* text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = '\0';
    fclose(file);
    return text;
}

static inline void writeWhole(const char* name, const char* content, size_t length)
{
    FILE* file = fopen(inFolder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static inline void writeText(const char* name, const char* text)
{
    writeWhole(name, text, strlen(text));
}

static inline void keep(const char* name, char* text, size_t size)
{
    char* whole = readWhole(inFolder(name));
    snprintf(text, size, "%s", whole);
    free(whole);
}

/// Runs "palpate ARGUMENTS" in the folder, where scenes/ is at hand. Returns the exit code.
static inline int palpate(const char* arguments)
{
    char command[2048];
    snprintf(command, sizeof command,
             "cd %s && ln -sfn %s/scenes scenes && '%s' %s > stdout.txt 2> stderr.txt",
             programFolder, PAL_SOURCE_DIR, PAL_PROGRAM, arguments);
    int status = system(command);
    keep("stdout.txt", programOutput, sizeof programOutput);
    keep("stderr.txt", programErrors, sizeof programErrors);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/// The number after "name": in JSON text, or after "member": within the object "name".
static inline double jsonNumber(const char* json, const char* name, const char* member)
{
    char key[128];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char* at = strstr(json, key);
    if (at != NULL && member != NULL)
    {
        snprintf(key, sizeof key, "\"%s\": ", member);
        at = strstr(at, key);
    }
    if (at == NULL)
        fail_msg("no \"%s\"", name);
    return strtod(at + strlen(key), NULL);
}

#endif
