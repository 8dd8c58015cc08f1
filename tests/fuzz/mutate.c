// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: every seed as it is, cut short at many lengths, and with a
// few random changes. The same inputs in the same order on every run; how many there are depends on
// the processor time given, so that slow builds (sanitizers) do not take minutes.
//
//     fuzz_NAME SEED-DIRECTORY SECONDS
#include "base/random.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum
{
    maxSeeds = 64,
    cuts = 400,              // lengths a seed is cut to, at most
    roundsPerSecond = 50000, // mutations, at most
};

typedef struct Seed
{
    unsigned char* data; // owned
    size_t size;
} Seed;

// Characters that numbers, lists and headers are made of.
static const char telling[] = "0123456789-+.eE \n\t/\\{}[]\",:naif#";

// Numbers that break sizes and indices, in both byte orders.
static const uint32_t hard[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000,
                                0x01000000, 0x7fc00000, 0x0000c07f, 0x7f800000, 0xffffff7f};

// Runs the target on a copy of exactly this size, so that a sanitizer sees a read past its end.
static void feed(const unsigned char* data, size_t size)
{
    unsigned char* copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        exit(1);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void feedCuts(const Seed* seed)
{
    size_t step = seed->size / cuts + 1;
    for (size_t size = 0; size <= seed->size; size += step)
        feed(seed->data, size);
}

static void changeOnce(palRandom* random, unsigned char* data, size_t size)
{
    size_t at = (size_t)(palRandom_Unit(random) * (double)size);
    size_t left = size - at;
    switch (palRandom_Below(random, 5))
    {
    case 0:
        data[at] ^= (unsigned char)(1 << palRandom_Below(random, 8));
        break;
    case 1:
        data[at] = (unsigned char)palRandom_Below(random, 256);
        break;
    case 2:
        data[at] = (unsigned char)telling[palRandom_Below(random, sizeof telling - 1)];
        break;
    case 3:
        memcpy(data + at, &hard[palRandom_Below(random, sizeof hard / sizeof hard[0])],
               left < 4 ? left : 4);
        break;
    default: // a piece is repeated elsewhere
    {
        size_t length = (size_t)palRandom_Below(random, 32);
        size_t from = (size_t)(palRandom_Unit(random) * (double)size);
        size_t most = size - from < left ? size - from : left;
        memmove(data + at, data + from, length < most ? length : most);
    }
    }
}

static void feedMutations(const Seed* seeds, int count, int seconds)
{
    palRandom random = palMakeRandom(1);
    clock_t end = clock() + (clock_t)seconds * CLOCKS_PER_SEC;
    for (int round = 0; round < seconds * roundsPerSecond && clock() < end; round++)
    {
        const Seed* seed = &seeds[round % count];
        if (seed->size == 0)
            continue;
        unsigned char* data = malloc(seed->size);
        if (data == NULL)
            exit(1);
        memcpy(data, seed->data, seed->size);
        int changes = 1 + palRandom_Below(&random, 6);
        for (int i = 0; i < changes; i++)
            changeOnce(&random, data, seed->size);
        feed(data, seed->size);
        free(data);
    }
}

static bool readSeed(const char* path, Seed* seed)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL)
        return false;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    seed->size = size > 0 ? (size_t)size : 0;
    seed->data = malloc(seed->size + 1);
    bool complete = seed->data != NULL && fread(seed->data, 1, seed->size, file) == seed->size;
    fclose(file);
    return complete;
}

static int byName(const void* a, const void* b)
{
    return strcmp(*(char* const*)a, *(char* const*)b);
}

// The seeds' names in alphabetical order, as directories have none.
static int listSeeds(const char* directory, char** names)
{
    int count = 0;
    DIR* listing = opendir(directory);
    if (listing == NULL)
        return 0;
    for (struct dirent* entry; count < maxSeeds && (entry = readdir(listing)) != NULL;)
        if (entry->d_name[0] != '.')
            names[count++] = strdup(entry->d_name);
    closedir(listing);
    qsort(names, (size_t)count, sizeof *names, byName);
    return count;
}

int main(int argc, char** argv)
{
    char* names[maxSeeds];
    Seed seeds[maxSeeds] = {0};
    int count = argc == 3 ? listSeeds(argv[1], names) : 0;
    for (int i = 0; i < count; i++)
    {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], names[i]);
        if (!readSeed(path, &seeds[i]))
        {
            fprintf(stderr, "%s: cannot be read\n", path);
            return 1;
        }
        feed(seeds[i].data, seeds[i].size);
        feedCuts(&seeds[i]);
        free(names[i]);
    }
    if (count == 0)
    {
        fprintf(stderr, "no seeds: give the directory that holds them, and seconds\n");
        return 1;
    }
    feedMutations(seeds, count, atoi(argv[2]));
    for (int i = 0; i < count; i++)
        free(seeds[i].data);
    return 0;
}
