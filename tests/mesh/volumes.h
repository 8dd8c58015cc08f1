// SPDX-License-Identifier: Apache-2.0
// Small volumes, files in memory of either byte order, and what every volume must hold.
#ifndef PAL_TESTS_MESH_VOLUMES_H
#define PAL_TESTS_MESH_VOLUMES_H

#include "check.h"

#include "mesh/volume_load.h"
#include "mesh/volume_shapes.h"
#include "mesh/volume_write.h"

/// A growing file in memory.
typedef struct File
{
    unsigned char data[16384];
    size_t size;
    bool big; // byte order of what is put
} File;

static inline void putText(File* file, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    file->size += (size_t)vsnprintf((char*)file->data + file->size, sizeof file->data - file->size,
                                    format, args);
    va_end(args);
}

static inline void putBytes(File* file, const void* value, int size)
{
    const unsigned char* bytes = value; // of a little-endian machine
    for (int i = 0; i < size; i++)
        file->data[file->size++] = bytes[file->big ? size - 1 - i : i];
}

static inline void putInt(File* file, int value)
{
    putBytes(file, &value, 4);
}

static inline void putLong(File* file, int64_t value)
{
    putBytes(file, &value, 8);
}

static inline void putDouble(File* file, double value)
{
    putBytes(file, &value, 8);
}

static inline void putFloat(File* file, double value)
{
    float single = (float)value;
    putBytes(file, &single, 4);
}

static inline palResult loadVolumeData(palVolumeFormat format, const void* data, size_t size,
                                       palVolume* volume, palVolumeFacts* facts, palMessages* notes,
                                       palError* error)
{
    palVolumeBytes bytes = {.format = format, .data = data, .size = size};
    memset(error, 0, sizeof *error);
    return palVolume_LoadBytes(&bytes, 1.0, volume, facts, notes, error);
}

static inline palVolume mustLoad(palVolumeFormat format, const void* data, size_t size,
                                 palVolumeFacts* facts, palMessages* notes)
{
    palVolume volume;
    palError error;
    if (loadVolumeData(format, data, size, &volume, facts, notes, &error) != pal_ok)
        fail_msg("%s (line %d)", error.text, error.line);
    return volume;
}

static inline bool isTold(const palMessages* notes, const char* words)
{
    for (int i = 0; i < notes->count; i++)
        if (strstr(notes->items[i].what.text, words) != NULL)
            return true;
    return false;
}

/// Expects the load to fail with words in the text, on a line (0: none).
static inline void expectVolumeRefusal(palVolumeFormat format, const void* data, size_t size,
                                       const char* words, int line)
{
    palVolume volume;
    palError error;
    palResult result = loadVolumeData(format, data, size, &volume, NULL, NULL, &error);
    if (result != pal_errorInput || strstr(error.text, words) == NULL || error.line != line)
        fail_msg("result %d, line %d: '%s' does not say '%s' on line %d", result, error.line,
                 error.text, words, line);
    assert_true(error.remedy[0] != '\0');
    assert_null(volume.vertices);
}

/// Expects every shorter version of the file to be refused with a message.
static inline void expectCutsRefused(palVolumeFormat format, const unsigned char* data, size_t end)
{
    for (size_t size = 0; size < end; size++)
    {
        unsigned char* copy = malloc(size + 1);
        palVolume volume;
        palError error;
        memcpy(copy, data, size);
        palResult result = loadVolumeData(format, copy, size, &volume, NULL, NULL, &error);
        if (result == pal_ok)
            fail_msg("%zu of %zu bytes were read as a whole file", size, end);
        assert_true(error.text[0] != '\0');
        free(copy);
    }
}

static inline const palNodeSet* mustFindSet(const palVolume* volume, const char* name, int count)
{
    const palNodeSet* set = palVolume_FindNodeSet(volume, name);
    if (set == NULL)
        fail_msg("there is no node set '%s'", name);
    assert_int_equal(set->count, count);
    return set;
}

static inline palVolume makeShape(palVolumeShapeKind kind, palVolumeCut cut, int nx, int ny, int nz)
{
    palVolume volume;
    palError error;
    palVolumeShapeDef def = palDefaultVolumeShapeDef(kind);
    def.cut = cut;
    def.cells[0] = nx, def.cells[1] = ny, def.cells[2] = nz;
    assert_int_equal(palMakeVolumeShape(&def, &volume, &error), pal_ok);
    return volume;
}

static inline void expectSame(const palVolume* a, const palVolume* b, bool names)
{
    assert_int_equal(a->vertexCount, b->vertexCount);
    assert_int_equal(a->tetCount, b->tetCount);
    assert_int_equal(a->hexCount, b->hexCount);
    assert_int_equal(a->regionCount, b->regionCount);
    assert_int_equal(a->nodeSetCount, b->nodeSetCount);
    assert_memory_equal(a->vertices, b->vertices, (size_t)a->vertexCount * sizeof *a->vertices);
    if (a->tetCount > 0)
        assert_memory_equal(a->tets, b->tets, (size_t)a->tetCount * sizeof *a->tets);
    if (a->hexCount > 0)
        assert_memory_equal(a->hexes, b->hexes, (size_t)a->hexCount * sizeof *a->hexes);
    assert_memory_equal(a->labels, b->labels,
                        (size_t)(a->tetCount + a->hexCount) * sizeof *a->labels);
    for (int i = 0; i < a->regionCount; i++)
    {
        assert_int_equal(a->regions[i].label, b->regions[i].label);
        if (names)
            assert_string_equal(a->regions[i].name, b->regions[i].name);
    }
    for (int i = 0; i < a->nodeSetCount; i++)
    {
        assert_string_equal(a->nodeSets[i].name, b->nodeSets[i].name);
        assert_int_equal(a->nodeSets[i].count, b->nodeSets[i].count);
        assert_memory_equal(a->nodeSets[i].vertices, b->nodeSets[i].vertices,
                            (size_t)a->nodeSets[i].count * sizeof(int));
    }
}

#endif
