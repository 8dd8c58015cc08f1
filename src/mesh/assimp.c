// SPDX-License-Identifier: Apache-2.0
// OBJ and glTF through Assimp. It is used only for parsing; triangulation, welding and
// cleaning are done here: its triangulation terminates the process on damaged faces, and its
// welding uses another tolerance. Files that it would misread without an error are checked before
// and after.
#include "base/error.h"
#include "mesh/read.h"
#include "mesh/scan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef PAL_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <pthread.h>

// Imports share state inside Assimp.
static pthread_mutex_t importLock = PTHREAD_MUTEX_INITIALIZER;

static palResult fault(palError* error, int line, const char* text, const char* remedy)
{
    palError_Set(error, pal_errorInput, "%s", text);
    palError_Remedy(error, "%s", remedy);
    if (line > 0)
        palError_At(error, NULL, line, 0);
    return pal_errorInput;
}

// Reads the vertex index at the start of a corner "v", "v/t", "v//n" or "v/t/n".
static bool cornerIndex(const char* corner, int* index)
{
    size_t length = strcspn(corner, "/");
    palScan scan = palMakeScan(corner, length, 0);
    return palScan_Whole(&scan, index);
}

// Checks the corners of one OBJ face. `before` vertices precede it, `vertexCount` are in the file.
static palResult checkObjFace(palScan* scan, int before, int vertexCount, palError* error)
{
    char corner[64];
    int count = 0;
    for (; palScan_Word(scan, corner, sizeof corner); count++)
    {
        int index;
        if (!cornerIndex(corner, &index))
            return fault(error, scan->line, "a face corner is not an index",
                         "the file is truncated or damaged: export it again");
        int vertex = index < 0 ? before + index + 1 : index;
        if (vertex < 1 || vertex > vertexCount)
        {
            palError_Set(error, pal_errorInput, "a face refers to vertex %d, but the file has %d",
                         index, vertexCount);
            palError_Remedy(error, "the file is truncated or damaged: export it again");
            palError_At(error, NULL, scan->line, 0);
            return pal_errorInput;
        }
    }
    if (count >= 3)
        return pal_ok;
    return fault(error, scan->line, "a face has fewer than three corners",
                 "the file is truncated or damaged: export it again");
}

static palResult checkObjVertex(palScan* scan, palError* error)
{
    for (int i = 0; i < 3; i++)
    {
        double number;
        palScan_SkipInLine(scan);
        if (!palScan_Number(scan, &number))
            return fault(error, scan->line, "a vertex has fewer than three numbers",
                         "the file is truncated or damaged: export it again");
        if (!isfinite(number))
            return fault(error, scan->line, "a vertex is not finite",
                         "repair the vertex in a mesh editor and export again");
    }
    return pal_ok;
}

// A truncated OBJ file is valid up to its last line. Truncation is detected by a corner without its
// vertex or by an incomplete last line.
static palResult checkObj(const palSurfaceBytes* bytes, int* expectedFaces, palError* error)
{
    if (memmem(bytes->data, bytes->size, "\\\n", 2) != NULL)
        return pal_ok; // continued lines are handled by Assimp only
    char word[8];
    int vertexCount = 0;
    palScan scan = palMakeScan(bytes->data, bytes->size, '#');
    for (; palScan_Skip(&scan); palScan_NextLine(&scan))
        vertexCount += palScan_Word(&scan, word, sizeof word) && strcmp(word, "v") == 0;

    int before = 0;
    int lines = 0;
    *expectedFaces = 0;
    scan = palMakeScan(bytes->data, bytes->size, '#');
    for (; palScan_Skip(&scan); palScan_NextLine(&scan))
    {
        palResult result = pal_ok;
        palScan_Word(&scan, word, sizeof word);
        if (strcmp(word, "v") == 0)
        {
            result = checkObjVertex(&scan, error);
            before++;
        }
        else if (strcmp(word, "f") == 0)
        {
            result = checkObjFace(&scan, before, vertexCount, error);
            (*expectedFaces)++;
        }
        lines += strcmp(word, "l") == 0;
        if (result != pal_ok)
            return result;
    }
    if (*expectedFaces > 0)
        return pal_ok;
    palError_Set(error, pal_errorInput, "the file has %d points, %d lines and no triangle",
                 vertexCount, lines);
    palError_Remedy(error, "export the model as a triangle surface");
    return pal_errorInput;
}

static uint32_t littleWord(const unsigned char* d)
{
    return d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

// A .glb file: magic, version 2, length; then chunks of length, type and bytes (glTF 2.0, 4.4).
// Assimp allocates the declared chunk length, so no chunk may be longer than the file.
static bool isGlb(const unsigned char* data, size_t size)
{
    if (size < 20 || memcmp(data, "glTF\2\0\0\0", 8) != 0 || littleWord(data + 8) > size)
        return false;
    size_t end = littleWord(data + 8);
    size_t at = 12;
    while (end >= 8 && at <= end - 8)
    {
        size_t length = littleWord(data + at);
        if (length > end - at - 8)
            return false;
        at += 8 + length;
    }
    return at == end;
}

// If a file is not glTF, Assimp tries every other format: such files are rejected here.
static palResult checkGltf(const palSurfaceBytes* bytes, palError* error)
{
    if (bytes->format == pal_surfaceGlb && !isGlb(bytes->data, bytes->size))
        return fault(error, 0, "the file is not glTF 2.0 binary, or is truncated",
                     "copy it again, or export it as glTF 2.0, PLY or STL");
    palScan scan = palMakeScan(bytes->data, bytes->size, 0);
    if (bytes->format == pal_surfaceGlb ||
        (palScan_Skip(&scan) && *scan.at == '{' &&
         memmem(bytes->data, bytes->size, "\"asset\"", 7) != NULL))
        return pal_ok;
    return fault(error, 0, "the file is not glTF 2.0", "export it as glTF 2.0, PLY or STL");
}

// Counts the faces, to be compared with the imported mesh; leaves -1 where they are unknown.
static palResult checkBefore(const palSurfaceBytes* bytes, int* expectedFaces, palError* error)
{
    if (bytes->size == 0)
        return fault(error, 0, "the file is empty", "export the mesh again");
    return bytes->format == pal_surfaceObj ? checkObj(bytes, expectedFaces, error)
                                           : checkGltf(bytes, error);
}

// Adds one mesh. The faces' indices count from the mesh's first vertex.
static palResult addMesh(const struct aiMesh* mesh, palSurfaceBuilder* builder, int* faces,
                         palError* error)
{
    int base = builder->surface.vertexCount;
    if (mesh->mNumVertices > (unsigned)(INT_MAX - base))
        return fault(error, 0, "the file has more than 2^31 vertices", "simplify the mesh");
    palResult result = pal_ok;
    for (unsigned i = 0; i < mesh->mNumVertices && result == pal_ok; i++)
    {
        struct aiVector3D v = mesh->mVertices[i];
        result = palSurfaceBuilder_AddVertex(builder, palMakeVec3(v.x, v.y, v.z), error);
    }
    int cornersMax = 0;
    for (unsigned i = 0; i < mesh->mNumFaces; i++)
        cornersMax = mesh->mFaces[i].mNumIndices > (unsigned)cornersMax
                         ? (int)mesh->mFaces[i].mNumIndices
                         : cornersMax;
    int* corners = malloc(((size_t)cornersMax + 1) * sizeof *corners);
    if (corners == NULL)
        return palError_Memory(error, "a face", (size_t)cornersMax * sizeof *corners);
    for (unsigned i = 0; i < mesh->mNumFaces && result == pal_ok; i++)
    {
        const struct aiFace* face = &mesh->mFaces[i];
        for (unsigned k = 0; k < face->mNumIndices; k++)
            corners[k] =
                face->mIndices[k] < mesh->mNumVertices ? base + (int)face->mIndices[k] : -1;
        *faces += face->mNumIndices >= 3;
        result = palSurfaceBuilder_AddPolygon(builder, corners, (int)face->mNumIndices, error);
    }
    free(corners);
    return result;
}

static palResult addScene(const struct aiScene* scene, palSurfaceBuilder* builder,
                          int expectedFaces, palMessages* notes, palError* error)
{
    int faces = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; i++)
    {
        palResult result = addMesh(scene->mMeshes[i], builder, &faces, error);
        if (result != pal_ok)
            return result;
    }
    if (expectedFaces >= 0 && faces != expectedFaces)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "only %d of the %d faces in the file could be read", faces,
                                        expectedFaces),
                        "compare the shape with the original, or export it as PLY");
    return pal_ok;
}

// Runs Assimp. glTF text is read by path, because it may refer to other files.
static const struct aiScene* import(const palSurfaceBytes* bytes)
{
    static const char* const hints[] = {
        [pal_surfaceObj] = "obj",
        [pal_surfaceGltf] = "gltf",
        [pal_surfaceGlb] = "glb",
    };
    const unsigned steps = aiProcess_RemoveComponent | aiProcess_PreTransformVertices;
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    if (properties == NULL)
        return NULL;
    aiSetImportPropertyInteger(properties, AI_CONFIG_PP_RVC_FLAGS,
                               aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                   aiComponent_COLORS | aiComponent_TEXCOORDS |
                                   aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
                                   aiComponent_TEXTURES | aiComponent_LIGHTS | aiComponent_CAMERAS |
                                   aiComponent_MATERIALS);
    const struct aiScene* scene;
    if (bytes->format == pal_surfaceGltf && bytes->path != NULL)
        scene = aiImportFileExWithProperties(bytes->path, steps, NULL, properties);
    else
        scene =
            aiImportFileFromMemoryWithProperties((const char*)bytes->data, (unsigned)bytes->size,
                                                 steps, hints[bytes->format], properties);
    aiReleasePropertyStore(properties);
    return scene;
}

palResult palReadAssimp(const palSurfaceBytes* bytes, palSurfaceBuilder* builder,
                        palMessages* notes, palError* error)
{
    int expectedFaces = -1;
    palResult result = checkBefore(bytes, &expectedFaces, error);
    if (result != pal_ok)
        return result;
    pthread_mutex_lock(&importLock);
    const struct aiScene* scene = import(bytes);
    if (scene == NULL)
    {
        palError_Set(error, pal_errorInput, "the file cannot be read: %s", aiGetErrorString());
        palError_Remedy(error, "export it again, or as PLY");
        result = pal_errorInput;
    }
    else
    {
        result = addScene(scene, builder, expectedFaces, notes, error);
        aiReleaseImport(scene);
    }
    pthread_mutex_unlock(&importLock);
    return result;
}

#else

palResult palReadAssimp(const palSurfaceBytes* bytes, palSurfaceBuilder* builder,
                        palMessages* notes, palError* error)
{
    (void)bytes, (void)builder, (void)notes;
    palError_Set(error, pal_errorUnusable, "this build reads PLY, STL and OFF only");
    palError_Remedy(error, "install libassimp-dev and build again, or convert the file to PLY");
    return pal_errorUnusable;
}

#endif
