// SPDX-License-Identifier: Apache-2.0
#include "live/playback.h"

#include "base/error.h"
#include "base/file.h"
#include "base/plain_locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    columnsMax = 192,
    rowsMax = 4000000, // slightly more than an hour at 1 kHz
};

typedef struct Column
{
    const char* name;
    size_t offset; // in palTickRecord
    bool isWhole;
    bool isNeeded;
} Column;

#define NUMBER(word, field, needed)                                                                \
    {                                                                                              \
        word, offsetof(palTickRecord, field), false, needed                                        \
    }
#define WHOLE(word, field)                                                                         \
    {                                                                                              \
        word, offsetof(palTickRecord, field), true, false                                          \
    }

static const Column known[] = {
    NUMBER("t", t, true),
    NUMBER("dev_x", hands[0].device.x, true),
    NUMBER("dev_y", hands[0].device.y, true),
    NUMBER("dev_z", hands[0].device.z, true),
    NUMBER("proxy_x", hands[0].proxy.x, true),
    NUMBER("proxy_y", hands[0].proxy.y, true),
    NUMBER("proxy_z", hands[0].proxy.z, true),
    NUMBER("force_x", hands[0].force.x, true),
    NUMBER("force_y", hands[0].force.y, true),
    NUMBER("force_z", hands[0].force.z, true),
    NUMBER("torque_x", hands[0].torque.x, false),
    NUMBER("torque_y", hands[0].torque.y, false),
    NUMBER("torque_z", hands[0].torque.z, false),
    NUMBER("out_x", hands[0].out.x, false),
    NUMBER("out_y", hands[0].out.y, false),
    NUMBER("out_z", hands[0].out.z, false),
    WHOLE("constraints", hands[0].constraints),
    WHOLE("active", hands[0].active),
    WHOLE("iterations", hands[0].iterations),
    NUMBER("residual", hands[0].residual, false),
    NUMBER("step_us", stepUs, false),
    NUMBER("snapshot_age_ms", snapshotAgeMs, false),
    NUMBER("proxy_qw", hands[0].proxyTurn.w, false),
    NUMBER("proxy_qx", hands[0].proxyTurn.x, false),
    NUMBER("proxy_qy", hands[0].proxyTurn.y, false),
    NUMBER("proxy_qz", hands[0].proxyTurn.z, false),
    NUMBER("dev_qw", hands[0].deviceTurn.w, false),
    NUMBER("dev_qx", hands[0].deviceTurn.x, false),
    NUMBER("dev_qy", hands[0].deviceTurn.y, false),
    NUMBER("dev_qz", hands[0].deviceTurn.z, false),
};
enum
{
    knownCount = sizeof known / sizeof known[0],
};

typedef struct Reader
{
    const char* path;
    FILE* file;
    char* line;
    size_t capacity;
    int lineNumber;
    int column[columnsMax]; // index in `known` of each cell; -1: ignored
    int hand[columnsMax];   // whose column it is
    int columnCount;
    int handCount;
    palError* error;
} Reader;

static palResult fail(const Reader* reader, const char* text, const char* word)
{
    palError_Set(reader->error, pal_errorInput, text, word);
    palError_At(reader->error, reader->path, reader->lineNumber, 0);
    return palError_Remedy(reader->error, "use a haptic.csv written by palpate");
}

// A last line without a line end is truncated, for example by a full disk, and is ignored.
static bool nextLine(Reader* reader)
{
    ssize_t length = getline(&reader->line, &reader->capacity, reader->file);
    reader->lineNumber++;
    if (length > 0 && reader->line[length - 1] != '\n')
        return false;
    while (length > 0 && strchr("\r\n", reader->line[length - 1]) != NULL)
        reader->line[--length] = '\0';
    return length > 0;
}

// The hand of a column by its prefix, "hand1_" and on, which is skipped; 0 without.
static int handOf(char** cell)
{
    const char* name = *cell;
    bool isNext = strncmp(name, "hand", 4) == 0 && name[4] >= '1' && name[4] < '0' + pal_handsMax &&
                  name[5] == '_';
    *cell += isNext ? 6 : 0;
    return isNext ? name[4] - '0' : 0;
}

static bool isOfHand(const Column* column)
{
    return column->offset >= offsetof(palTickRecord, hands);
}

static palResult readHeader(Reader* reader)
{
    bool found[knownCount] = {false};
    if (!nextLine(reader))
        return fail(reader, "the recording is empty", "");
    char* rest = reader->line;
    for (char* cell; (cell = strsep(&rest, ",")) != NULL; reader->columnCount++)
    {
        if (reader->columnCount == columnsMax)
            return fail(reader, "too many columns for a recording", "");
        int hand = handOf(&cell);
        reader->column[reader->columnCount] = -1;
        reader->hand[reader->columnCount] = hand;
        for (int i = 0; i < knownCount; i++)
            if (strcmp(cell, known[i].name) == 0 && (hand == 0 || isOfHand(&known[i])))
                reader->column[reader->columnCount] = i, found[i] = found[i] || hand == 0;
        if (reader->column[reader->columnCount] >= 0 && hand >= reader->handCount)
            reader->handCount = hand + 1;
    }
    for (int i = 0; i < knownCount; i++)
        if (known[i].isNeeded && !found[i])
            return fail(reader, "the column '%s' is missing", known[i].name);
    return pal_ok;
}

static bool parseRow(Reader* reader, palTickRecord* row)
{
    char* rest = reader->line;
    *row = (palTickRecord){.handCount = reader->handCount};
    for (int i = 0; i < row->handCount; i++)
        row->hands[i] = (palHandRecord){
            .proxyTurn = pal_identityQuat,
            .deviceTurn = pal_identityQuat,
            .handEnergy = NAN, // not recorded
        };
    for (int i = 0; i < reader->columnCount; i++)
    {
        char* cell = strsep(&rest, ",");
        if (cell == NULL)
            return false;
        if (reader->column[i] < 0)
            continue;
        const Column* column = &known[reader->column[i]];
        char* end;
        double value = strtod(cell, &end);
        if (end == cell || *end != '\0' || !isfinite(value) || fabs(value) > 1e9)
            return false;
        char* field = (char*)row + column->offset + (size_t)reader->hand[i] * sizeof(palHandRecord);
        if (column->isWhole)
            *(int*)field = (int)value;
        else
            *(double*)field = value;
    }
    return true;
}

static palResult grow(palPlayback* playback, int* capacity, palError* error)
{
    if (playback->count < *capacity)
        return pal_ok;
    int newCapacity = *capacity > 0 ? 2 * *capacity : 4096;
    palTickRecord* rows = realloc(playback->rows, (size_t)newCapacity * sizeof *rows);
    if (rows != NULL)
        playback->rows = rows;
    double(*energy)[pal_handsMax] = realloc(playback->energy, (size_t)newCapacity * sizeof *energy);
    if (energy != NULL)
        playback->energy = energy;
    if (rows == NULL || energy == NULL)
        return palError_Memory(error, "the recording", (size_t)newCapacity * sizeof *rows);
    *capacity = newCapacity;
    return pal_ok;
}

// As in runtime/measure.c: the force of the previous step acts during the motion of the hand.
static double energyAfter(const palPlayback* playback, const palTickRecord* row, int hand)
{
    if (playback->count == 0)
        return 0.0;
    const palHandRecord* last = &playback->rows[playback->count - 1].hands[hand];
    palVec3 moved = palSub(row->hands[hand].device, last->device);
    return playback->energy[playback->count - 1][hand] + palDot(last->out, moved);
}

static palResult readRows(Reader* reader, palPlayback* playback)
{
    int capacity = 0;
    while (nextLine(reader))
    {
        palTickRecord row;
        if (!parseRow(reader, &row))
            return fail(reader, "not a row of numbers that matches the header", "");
        if (playback->count > 0 && !(row.t > playback->rows[playback->count - 1].t))
            return fail(reader, "time does not increase", "");
        if (playback->count == rowsMax)
            return fail(reader, "the recording is longer than an hour", "");
        palResult result = grow(playback, &capacity, reader->error);
        if (result != pal_ok)
            return result;
        for (int i = 0; i < row.handCount; i++)
            playback->energy[playback->count][i] = energyAfter(playback, &row, i);
        playback->rows[playback->count++] = row;
    }
    return playback->count > 0 ? pal_ok : fail(reader, "the recording has no rows", "");
}

palResult palPlayback_Load(const char* path, palPlayback* playback, palError* error)
{
    *playback = (palPlayback){0};
    Reader reader = {.path = path, .error = error, .file = fopen(path, "r")};
    if (reader.file == NULL)
        return palCannotRead(path, error);
    locale_t previous = palPlainLocale_Enter();
    palResult result = readHeader(&reader);
    if (result == pal_ok)
        result = readRows(&reader, playback);
    palPlainLocale_Leave(previous);
    if (result != pal_ok)
        palPlayback_Free(playback);
    fclose(reader.file);
    free(reader.line);
    return result;
}

void palPlayback_Free(palPlayback* playback)
{
    free(playback->rows);
    free(playback->energy);
    *playback = (palPlayback){0};
}

int palPlayback_RowAt(const palPlayback* playback, double t)
{
    double at = playback->rows[0].t + t;
    int low = 0;
    int high = playback->count; // rows[low].t <= at < rows[high].t, once low is not the first
    while (high - low > 1)
    {
        int middle = low + (high - low) / 2;
        if (playback->rows[middle].t <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double palPlayback_Seconds(const palPlayback* playback)
{
    return playback->rows[playback->count - 1].t - playback->rows[0].t;
}
