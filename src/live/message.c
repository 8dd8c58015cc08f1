// SPDX-License-Identifier: Apache-2.0
#include "live/message.h"

#include "base/plain_locale.h"
#include "base/utf8.h"
#include "live/bytes.h"
#include "live/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    handBytes = 56,
    ackBytes = 8,
    nameMax = 128, // bytes of a scene's or recording's name
    pathMax = 128, // bytes of the path of a value
    stepsMax = 1000,
};

static const double positionMax = 100.0; // m: limit of scene coordinates (src/scene/schema.c)
static const double secondsMax = 1e6;    // s

// The type of a verb's argument.
typedef enum Argument
{
    argumentNone,
    argumentName,
    argumentPath,
    argumentChange,
    argumentCount,
    argumentHand,
    argumentSeconds,
    argumentColour,
} Argument;

static const struct
{
    const char* word; // NULL: binary
    Argument argument;
} verbs[pal_verbCount] = {
    [pal_verbDrive] = {"drive", argumentNone},     [pal_verbOpen] = {"open", argumentName},
    [pal_verbGallery] = {"gallery", argumentNone}, [pal_verbPause] = {"pause", argumentNone},
    [pal_verbResume] = {"resume", argumentNone},   [pal_verbStep] = {"step", argumentCount},
    [pal_verbReset] = {"reset", argumentNone},     [pal_verbSet] = {"set", argumentChange},
    [pal_verbUnset] = {"unset", argumentPath},     [pal_verbRecord] = {"record", argumentNone},
    [pal_verbStop] = {"stop", argumentNone},       [pal_verbReplay] = {"replay", argumentName},
    [pal_verbSeek] = {"seek", argumentSeconds},    [pal_verbLive] = {"live", argumentNone},
    [pal_verbChoose] = {"choose", argumentHand},   [pal_verbColour] = {"colour", argumentColour},
};

//--------------------------------------------------------------------------------------------------
// Binary

static bool isWithin(double value, double bound)
{
    return value >= -bound && value <= bound; // false for NaN
}

static bool parseHand(const unsigned char* bytes, palHandSample* hand)
{
    *hand = (palHandSample){
        .buttons = palBytes_LoadU32(bytes + 4),
        .time = palBytes_LoadF64(bytes + 8),
        .position = {palBytes_LoadF64(bytes + 16), palBytes_LoadF64(bytes + 24),
                     palBytes_LoadF64(bytes + 32)},
        .orientation = {palBytes_LoadF32(bytes + 40), palBytes_LoadF32(bytes + 44),
                        palBytes_LoadF32(bytes + 48), palBytes_LoadF32(bytes + 52)},
    };
    const palQuat* q = &hand->orientation;
    double length = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    return isWithin(hand->time, 1e10) && isWithin(hand->position.x, positionMax) &&
           isWithin(hand->position.y, positionMax) && isWithin(hand->position.z, positionMax) &&
           length > 0.5 && length < 2.0;
}

static bool parseBinary(const unsigned char* bytes, size_t size, palViewMessage* message,
                        const char** reason)
{
    bool isHand = size == handBytes && bytes[0] == 1;
    bool isAck = size == ackBytes && bytes[0] == 2;
    *reason = "not a hand (56 bytes) or an acknowledgement (8 bytes)";
    if ((!isHand && !isAck) || palBytes_Load(bytes + 1, 3) != 0)
        return false;
    message->verb = isHand ? pal_verbHand : pal_verbAck;
    if (isAck)
    {
        message->number = palBytes_LoadU32(bytes + 4);
        return true;
    }
    *reason =
        "a hand position that is not finite or out of range, or an orientation that is not a unit "
        "quaternion";
    return parseHand(bytes, &message->hand);
}

//--------------------------------------------------------------------------------------------------
// Text

// UTF-8 without control characters.
static bool isText(const unsigned char* at, size_t size)
{
    for (size_t i = 0; i < size;)
    {
        size_t length = palUtf8_Length(at + i, size - i);
        if (length == 0 || at[i] < 0x20 || at[i] == 0x7f)
            return false;
        i += length;
    }
    return true;
}

static bool isWordCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A file name without a directory: letters, digits, "_", "-" and, except at the start, ".".
static bool isName(const char* text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (!isWordCharacter(text[i]) && text[i] != '-' && (text[i] != '.' || i == 0))
            return false;
    return length > 0 && length <= nameMax;
}

// Keys and indices joined by dots.
static bool isPath(const char* text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isWordCharacter(text[i]) && (text[i] != '.' || i == 0 || i + 1 == length))
            return false;
    return length > 0 && length <= pathMax;
}

static bool parseNumber(const char* text, double low, double high, double* number)
{
    char* end;
    if (strspn(text, "0123456789.eE+-") != strlen(text))
        return false;
    locale_t previous = palPlainLocale_Enter();
    *number = strtod(text, &end);
    palPlainLocale_Leave(previous);
    return end != text && *end == '\0' && *number >= low && *number <= high;
}

static bool parseColour(const char* text, uint32_t* field)
{
    static const char* const names[] = {
        [pal_fieldNone] = "plain",
        [pal_fieldDisplacement] = "displacement",
        [pal_fieldStress] = "stress",
    };
    for (*field = 0; *field < sizeof names / sizeof names[0]; ++*field)
        if (strcmp(text, names[*field]) == 0)
            return true;
    return false;
}

static bool checkArgument(Argument kind, const char* text, palViewMessage* message)
{
    double number;
    switch (kind)
    {
    case argumentNone:
        return text[0] == '\0';
    case argumentName:
        return isName(text);
    case argumentPath:
        return isPath(text, strlen(text));
    case argumentChange:
        return strchr(text, '=') != NULL && isPath(text, strcspn(text, "="));
    case argumentCount:
        if (!parseNumber(text, 1.0, stepsMax, &number) || number != floor(number))
            return false;
        message->number = (uint32_t)number;
        return true;
    case argumentHand:
        message->number = (uint32_t)(text[0] - '0');
        return text[0] >= '0' && text[0] < '0' + pal_handsMax && text[1] == '\0';
    case argumentSeconds:
        return parseNumber(text, 0.0, secondsMax, &message->seconds);
    case argumentColour:
        return parseColour(text, &message->number);
    }
    return false;
}

static bool parseText(const char* text, size_t size, palViewMessage* message, const char** reason)
{
    *reason = "not printable UTF-8";
    if (!isText((const unsigned char*)text, size))
        return false;
    memcpy(message->text, text, size);
    message->text[size] = '\0';
    size_t word = strcspn(message->text, " ");
    *reason = "an unknown verb";
    for (int i = 0; i < pal_verbCount; i++)
    {
        if (verbs[i].word == NULL || strlen(verbs[i].word) != word ||
            memcmp(verbs[i].word, message->text, word) != 0)
            continue;
        message->verb = (palVerb)i;
        size_t begin = message->text[word] == ' ' ? word + 1 : word;
        memmove(message->text, message->text + begin, size - begin + 1);
        *reason = "an invalid argument of the verb";
        return checkArgument(verbs[i].argument, message->text, message);
    }
    return false;
}

bool palViewMessage_Parse(const void* data, size_t size, bool isBinary, palViewMessage* message,
                          const char** reason)
{
    *message = (palViewMessage){0};
    *reason = "empty, or longer than 1024 bytes";
    if (size == 0 || size > pal_messageMax)
        return false;
    return isBinary ? parseBinary(data, size, message, reason)
                    : parseText(data, size, message, reason);
}
