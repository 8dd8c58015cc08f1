// SPDX-License-Identifier: Apache-2.0
#include "mesh/volume_write.h"

#include "base/error.h"
#include "base/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The node sets of each vertex: sets[start[v]..start[v+1]-1], ascending.
typedef struct Membership
{
    int* start; // owned, [vertexCount + 2]
    int* sets;  // owned
} Membership;

typedef struct Job
{
    const palVolume* volume;
    Membership membership;
} Job;

static palResult findMembership(const palVolume* volume, Membership* m, palError* error)
{
    size_t total = 0;
    for (int s = 0; s < volume->nodeSetCount; s++)
        total += (size_t)volume->nodeSets[s].count;
    m->start = calloc((size_t)volume->vertexCount + 2, sizeof *m->start);
    m->sets = malloc((total + 1) * sizeof *m->sets);
    if (m->start == NULL || m->sets == NULL)
        return palError_Memory(error, "node sets", total * sizeof *m->sets);
    for (int s = 0; s < volume->nodeSetCount; s++)
        for (int i = 0; i < volume->nodeSets[s].count; i++)
            m->start[volume->nodeSets[s].vertices[i] + 2]++;
    for (int v = 0; v < volume->vertexCount; v++)
        m->start[v + 2] += m->start[v + 1];
    // While sets are inserted, start[v + 1] runs from the first position of v to that of v + 1.
    for (int s = 0; s < volume->nodeSetCount; s++)
        for (int i = 0; i < volume->nodeSets[s].count; i++)
            m->sets[m->start[volume->nodeSets[s].vertices[i] + 1]++] = s;
    return pal_ok;
}

// Replaces quotes and control characters, which would corrupt the line.
static void putName(FILE* file, const char* name)
{
    for (; *name != '\0'; name++)
        fputc(*name == '"' || iscntrl((unsigned char)*name) ? '_' : *name, file);
}

static void putNames(const palVolume* volume, FILE* file)
{
    int named = 0;
    for (int i = 0; i < volume->regionCount; i++)
        named += volume->regions[i].name[0] != '\0';
    fprintf(file, "$PhysicalNames\n%d\n", volume->nodeSetCount + named);
    for (int i = 0; i < volume->nodeSetCount; i++)
    {
        fprintf(file, "0 %d \"", i + 1);
        putName(file, volume->nodeSets[i].name);
        fputs("\"\n", file);
    }
    for (int i = 0; i < volume->regionCount; i++)
    {
        if (volume->regions[i].name[0] == '\0')
            continue;
        fprintf(file, "3 %d \"", volume->regions[i].label);
        putName(file, volume->regions[i].name);
        fputs("\"\n", file);
    }
    fputs("$EndPhysicalNames\n", file);
}

static void putCorners(const palVolume* volume, int element, int base, FILE* file)
{
    bool tet = element < volume->tetCount;
    const int* corners = tet ? volume->tets[element] : volume->hexes[element - volume->tetCount];
    for (int k = 0; k < (tet ? 4 : 8); k++)
        fprintf(file, " %d", corners[k] + base);
    fputc('\n', file);
}

static void putPoint(palVec3 p, FILE* file)
{
    fprintf(file, "%.17g %.17g %.17g\n", p.x, p.y, p.z);
}

static void writeMsh22(const void* data, FILE* file)
{
    const Job* job = data;
    const palVolume* volume = job->volume;
    int elements = volume->tetCount + volume->hexCount, points = 0, number = 0;
    for (int s = 0; s < volume->nodeSetCount; s++)
        points += volume->nodeSets[s].count;
    fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", file);
    putNames(volume, file);
    fprintf(file, "$Nodes\n%d\n", volume->vertexCount);
    for (int v = 0; v < volume->vertexCount; v++)
    {
        fprintf(file, "%d ", v + 1);
        putPoint(volume->vertices[v], file);
    }
    fprintf(file, "$EndNodes\n$Elements\n%d\n", points + elements);
    for (int s = 0; s < volume->nodeSetCount; s++)
        for (int i = 0; i < volume->nodeSets[s].count; i++)
        {
            int v = volume->nodeSets[s].vertices[i] + 1;
            fprintf(file, "%d 15 2 %d %d %d\n", ++number, s + 1, v, v);
        }
    for (int e = 0; e < elements; e++)
    {
        int label = volume->labels[e];
        fprintf(file, "%d %d 2 %d %d", ++number, e < volume->tetCount ? 4 : 5, label, label);
        putCorners(volume, e, 1, file);
    }
    fputs("$EndElements\n", file);
}

static bool inSet(const Membership* m, int v)
{
    return m->start[v + 1] > m->start[v];
}

// Every node of a set is written as a point of the model, every region as a volume; elements
// without a region are in a volume without a group, which is the last. Tags count from 1.
static void putEntities(const Job* job, int points, FILE* file)
{
    const palVolume* volume = job->volume;
    const Membership* m = &job->membership;
    palBounds b = palVolume_Bounds(volume);
    fprintf(file, "$Entities\n%d 0 0 %d\n", points, volume->regionCount + 1);
    for (int v = 0; v < volume->vertexCount; v++)
    {
        if (!inSet(m, v))
            continue;
        palVec3 p = volume->vertices[v];
        fprintf(file, "%d %.17g %.17g %.17g %d", v + 1, p.x, p.y, p.z,
                m->start[v + 1] - m->start[v]);
        for (int i = m->start[v]; i < m->start[v + 1]; i++)
            fprintf(file, " %d", m->sets[i] + 1);
        fputc('\n', file);
    }
    for (int r = 0; r <= volume->regionCount; r++)
    {
        fprintf(file, "%d %.17g %.17g %.17g %.17g %.17g %.17g ", r + 1, b.low.x, b.low.y, b.low.z,
                b.high.x, b.high.y, b.high.z);
        if (r < volume->regionCount)
            fprintf(file, "1 %d 0\n", volume->regions[r].label);
        else
            fputs("0 0\n", file);
    }
    fputs("$EndEntities\n", file);
}

// Writes the runs of elements of one kind and region if `file` is not NULL; returns the number of
// runs.
static int putRuns(const palVolume* volume, int number, FILE* file)
{
    int elements = volume->tetCount + volume->hexCount, runs = 0;
    for (int e = 0, end; e < elements; e = end)
    {
        bool tet = e < volume->tetCount;
        int region = 0;
        for (end = e + 1; end < elements && (end < volume->tetCount) == tet; end++)
            if (volume->labels[end] != volume->labels[e])
                break;
        runs++;
        if (file == NULL)
            continue;
        while (region < volume->regionCount && volume->regions[region].label != volume->labels[e])
            region++;
        fprintf(file, "3 %d %d %d\n", region + 1, tet ? 4 : 5, end - e);
        for (int i = e; i < end; i++)
        {
            fprintf(file, "%d", number++);
            putCorners(volume, i, 1, file);
        }
    }
    return runs;
}

static void writeMsh41(const void* data, FILE* file)
{
    const Job* job = data;
    const palVolume* volume = job->volume;
    int n = volume->vertexCount, elements = volume->tetCount + volume->hexCount, points = 0;
    for (int v = 0; v < n; v++)
        points += inSet(&job->membership, v);
    fputs("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", file);
    putNames(volume, file);
    putEntities(job, points, file);
    fprintf(file, "$Nodes\n1 %d 1 %d\n3 1 0 %d\n", n, n, n);
    for (int v = 0; v < n; v++)
        fprintf(file, "%d\n", v + 1);
    for (int v = 0; v < n; v++)
        putPoint(volume->vertices[v], file);
    fprintf(file, "$EndNodes\n$Elements\n%d %d 1 %d\n", points + putRuns(volume, 0, NULL),
            points + elements, points + elements);
    int number = 1;
    for (int v = 0; v < n; v++)
        if (inSet(&job->membership, v))
            fprintf(file, "0 %d 15 1\n%d %d\n", v + 1, number++, v + 1);
    putRuns(volume, number, file);
    fputs("$EndElements\n", file);
}

static void putVtkName(FILE* file, const char* name)
{
    for (; *name != '\0'; name++)
        if (isalnum((unsigned char)*name) || strchr("_-+.:", *name) != NULL)
            fputc(*name, file);
        else
            fprintf(file, "%%%02X", (unsigned char)*name);
}

static void putNodeSets(const palVolume* volume, FILE* file)
{
    if (volume->nodeSetCount > 0)
        fprintf(file, "POINT_DATA %d\n", volume->vertexCount);
    for (int s = 0; s < volume->nodeSetCount; s++)
    {
        const palNodeSet* set = &volume->nodeSets[s];
        fputs("SCALARS node_set_", file);
        putVtkName(file, set->name);
        fputs(" int 1\nLOOKUP_TABLE default\n", file);
        for (int v = 0, i = 0; v < volume->vertexCount; v++)
        {
            bool member = i < set->count && set->vertices[i] == v;
            i += member;
            fputs(member ? "1\n" : "0\n", file);
        }
    }
}

static void writeVtk(const void* data, FILE* file)
{
    const palVolume* volume = ((const Job*)data)->volume;
    int elements = volume->tetCount + volume->hexCount;
    fprintf(file,
            "# vtk DataFile Version 3.0\nPalpate %s, metres\nASCII\n"
            "DATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
            palVersion(), volume->vertexCount);
    for (int v = 0; v < volume->vertexCount; v++)
        putPoint(volume->vertices[v], file);
    fprintf(file, "CELLS %d %lld\n", elements, 5LL * volume->tetCount + 9LL * volume->hexCount);
    for (int e = 0; e < elements; e++)
    {
        fputc(e < volume->tetCount ? '4' : '8', file);
        putCorners(volume, e, 0, file);
    }
    fprintf(file, "CELL_TYPES %d\n", elements);
    for (int e = 0; e < elements; e++)
        fputs(e < volume->tetCount ? "10\n" : "12\n", file);
    fprintf(file, "CELL_DATA %d\nSCALARS region int 1\nLOOKUP_TABLE default\n", elements);
    for (int e = 0; e < elements; e++)
        fprintf(file, "%d\n", volume->labels[e]);
    putNodeSets(volume, file);
}

palResult palVolume_Write(const palVolume* volume, const char* path, palMshVersion version,
                          palError* error)
{
    palFileWriter* write = NULL;
    if (palHasExtension(path, ".msh"))
        write = version == pal_msh22 ? writeMsh22 : writeMsh41;
    else if (palHasExtension(path, ".vtk"))
        write = writeVtk;
    if (write == NULL)
    {
        palError_Set(error, pal_errorInput, "no volume mesh can be written in this format");
        palError_Remedy(error, "use .msh or .vtk");
        return palError_At(error, path, 0, 0);
    }
    Job job = {.volume = volume};
    palResult result = findMembership(volume, &job.membership, error);
    if (result == pal_ok)
        result = palWriteFile(path, write, &job, error);
    free(job.membership.start);
    free(job.membership.sets);
    return result;
}
