// SPDX-License-Identifier: Apache-2.0
#include "scene_path.h"

#include "base/error.h"
#include "base/spelling.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    directoryCount = 2,
    namesMax = 128,
    nameMax = 64,
};

typedef struct SceneNames
{
    char names[namesMax][nameMax];
    int count;
} SceneNames;

// PAL_SCENE_DIR is relative to the program's directory, so that an installed tree can be moved.
bool palScenePath_Directory(int index, char directory[pal_scenePathMax])
{
    char program[pal_scenePathMax / 2];
    snprintf(directory, pal_scenePathMax, "scenes");
    if (index == 0 || index >= directoryCount)
        return index == 0;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char* slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    snprintf(directory, pal_scenePathMax, "%s/%s", program, PAL_SCENE_DIR);
    return true;
}

// Adds the name of "name.yaml" to the list, unless it is in it.
static void addName(SceneNames* list, const char* file)
{
    const char* dot = strrchr(file, '.');
    if (dot == NULL || strcmp(dot, ".yaml") != 0 || dot - file >= nameMax ||
        list->count == namesMax)
        return;
    char* name = list->names[list->count];
    snprintf(name, nameMax, "%.*s", (int)(dot - file), file);
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return;
    list->count++;
}

static int compareNames(const void* a, const void* b)
{
    return strcmp(a, b);
}

static void listScenes(SceneNames* list)
{
    list->count = 0;
    for (int i = 0; i < directoryCount; i++)
    {
        char path[pal_scenePathMax];
        palScenePath_Directory(i, path);
        DIR* directory = opendir(path);
        if (directory == NULL)
            continue;
        for (struct dirent* entry; (entry = readdir(directory)) != NULL;)
            addName(list, entry->d_name);
        closedir(directory);
    }
    qsort(list->names, (size_t)list->count, sizeof list->names[0], compareNames);
}

// "a, b, c", truncated after a complete name if it is too long.
static void joinNames(const SceneNames* list, char* out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < list->count; i++)
    {
        const char* name = list->names[i];
        const char* comma = i > 0 ? ", " : "";
        if (length + strlen(comma) + strlen(name) + sizeof ", ..." > size)
        {
            snprintf(out + length, size - length, ", ...");
            return;
        }
        length += (size_t)snprintf(out + length, size - length, "%s%s", comma, name);
    }
}

static palResult unknownScene(const char* scene, palError* error)
{
    SceneNames list;
    const char* words[namesMax];
    char names[sizeof error->remedy - 80]; // the words around them
    listScenes(&list);
    for (int i = 0; i < list.count; i++)
        words[i] = list.names[i];
    joinNames(&list, names, sizeof names);
    const char* suggestion = palNearestWord(scene, words, list.count);
    palError_Set(error, pal_errorInput, "there is no scene '%.100s'", scene);
    if (list.count == 0)
        return palError_Remedy(error,
                               "use the path of a scene file; there is no directory 'scenes' "
                               "here or installed with this program");
    if (suggestion != NULL)
        return palError_Remedy(error, "did you mean '%s'? Available scenes: %s", suggestion, names);
    return palError_Remedy(error, "use the path of a scene file, or one of: %s", names);
}

static bool isFile(const char* path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

// The scene of a recording, if this is the directory of one.
static bool findRecorded(const char* directory, char path[pal_scenePathMax])
{
    int length = snprintf(path, pal_scenePathMax, "%s/scene.yaml", directory);
    return length < pal_scenePathMax && isFile(path);
}

palResult palScenePath_Find(const char* scene, char path[pal_scenePathMax], palError* error)
{
    bool isPath = strpbrk(scene, "/.") != NULL;
    if (isPath && findRecorded(scene, path))
        return pal_ok;
    int length = snprintf(path, pal_scenePathMax, "%s", scene);
    if (length >= pal_scenePathMax)
        return palError_Set(error, pal_errorInput, "the path of the scene is too long");
    if (isPath || isFile(scene))
        return pal_ok;
    for (int i = 0; i < directoryCount; i++)
    {
        char directory[pal_scenePathMax];
        palScenePath_Directory(i, directory);
        length = snprintf(path, pal_scenePathMax, "%s/%s.yaml", directory, scene);
        if (length < pal_scenePathMax && isFile(path))
            return pal_ok;
    }
    return findRecorded(scene, path) ? pal_ok : unknownScene(scene, error);
}
