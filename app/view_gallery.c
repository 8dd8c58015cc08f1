// SPDX-License-Identifier: Apache-2.0
#include "view_gallery.h"

#include "base/error.h"
#include "base/json.h"
#include "scene/scene.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool isSceneFile(const struct dirent* entry)
{
    const char* dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot != NULL && strcmp(dot, ".yaml") == 0;
}

static int selectScene(const struct dirent* entry)
{
    return isSceneFile(entry);
}

static bool hasScenes(const char* path)
{
    bool any = false;
    DIR* directory = opendir(path);
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        any = any || isSceneFile(entry);
    if (directory != NULL)
        closedir(directory);
    return any;
}

palResult palGallery_Find(palGallery* gallery, const char* requested, palError* error)
{
    *gallery = (palGallery){0};
    if (requested != NULL && hasScenes(requested))
    {
        snprintf(gallery->directory, sizeof gallery->directory, "%s", requested);
        return pal_ok;
    }
    if (requested != NULL)
    {
        palError_Set(error, pal_errorFile, "no scene files (*.yaml) here");
        palError_At(error, requested, 0, 0);
        return palError_Remedy(error, "use --scenes with a directory that contains some");
    }
    char directory[pal_scenePathMax];
    for (int i = 0; gallery->directory[0] == '\0' && palScenePath_Directory(i, directory); i++)
        if (hasScenes(directory))
            snprintf(gallery->directory, sizeof gallery->directory, "%s", directory);
    return pal_ok;
}

static bool findFile(const palGallery* gallery, const char* folder, const char* name,
                     const char* suffix, char path[pal_scenePathMax])
{
    struct stat status;
    if (gallery->directory[0] == '\0' || strchr(name, '/') != NULL || name[0] == '.' ||
        strlen(name) > 100)
        return false;
    int length =
        snprintf(path, pal_scenePathMax, "%s%s/%s%s", gallery->directory, folder, name, suffix);
    return length < pal_scenePathMax && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool palGallery_ScenePath(const palGallery* gallery, const char* name, char path[pal_scenePathMax])
{
    return findFile(gallery, "", name, ".yaml", path);
}

bool palGallery_PicturePath(const palGallery* gallery, const char* name,
                            char path[pal_scenePathMax])
{
    return findFile(gallery, "/pictures", name, ".png", path);
}

static void writeScene(const palGallery* gallery, const char* name, palScene* scene, palJson* json)
{
    char path[pal_scenePathMax];
    palError error = {0};
    palMessages messages = {0};
    if (!palGallery_ScenePath(gallery, name, path))
        return;
    palResult result = palScene_Load(path, NULL, 0, scene, &messages, &error);
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "id", name);
    palJson_Text(json, "name", result == pal_ok ? scene->name : name);
    palJson_Bool(json, "ok", result == pal_ok);
    if (result == pal_ok)
    {
        palJson_Text(json, "description", scene->description);
        palJson_Text(json, "method", scene->method.name);
        palJson_Whole(json, "objects", scene->objectCount);
    }
    else
    {
        char text[2048];
        palError_Format(&error, text, sizeof text);
        palJson_Text(json, "description", text);
    }
    palJson_Bool(json, "picture", palGallery_PicturePath(gallery, name, path));
    palJson_End(json);
    palMessages_Free(&messages);
    if (result == pal_ok)
        palScene_Free(scene);
}

char* palGallery_Json(const palGallery* gallery)
{
    palJson json = {0};
    struct dirent** entries = NULL;
    palScene* scene = malloc(sizeof *scene);
    int count = scene != NULL ? scandir(gallery->directory, &entries, selectScene, alphasort) : -1;
    palJson_BeginObject(&json, NULL);
    palJson_Text(&json, "directory", gallery->directory);
    palJson_Text(&json, "version", palVersion());
    palJson_BeginArray(&json, "scenes");
    for (int i = 0; i < count; i++)
    {
        *strrchr(entries[i]->d_name, '.') = '\0';
        writeScene(gallery, entries[i]->d_name, scene, &json);
        free(entries[i]);
    }
    palJson_End(&json);
    palJson_End(&json);
    free(entries);
    free(scene);
    if (json.failed)
        palJson_Free(&json);
    return json.text;
}
