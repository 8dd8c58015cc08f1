// SPDX-License-Identifier: Apache-2.0
// Command line options from a table: parsing, suggestions for misspelt names, and the help text.
#ifndef PAL_APP_OPTIONS_H
#define PAL_APP_OPTIONS_H

#include "base/json.h"
#include "base/messages.h"

#include <palpate/session.h>

typedef enum palOptionKind
{
    pal_optionFlag,   // value: bool*
    pal_optionText,   // value: const char**
    pal_optionNumber, // value: double*
    pal_optionWhole,  // value: int*
    pal_optionList,   // value: palOptionList*, may be repeated
} palOptionKind;

enum
{
    pal_listItemsMax = 64,
};

typedef struct palOptionList
{
    const char* items[pal_listItemsMax]; // borrowed from argv
    int count;
} palOptionList;

typedef struct palOption
{
    const char* name; // without the dashes
    palOptionKind kind;
    void* value;
    const char* argument; // its name in the help, NULL for flags
    const char* help;
} palOption;

/// A command of the program.
typedef struct palCommand
{
    const char* name;
    const char* summary; // one line
    const char* usage;   // after "palpate NAME ", for example "SCENE [options]"
    const char* examples;
    int (*run)(int argc, char** argv); // argv[0] is the command's name; returns the exit code
} palCommand;

extern const palCommand pal_commandRun;
extern const palCommand pal_commandView;
extern const palCommand pal_commandCompare;
extern const palCommand pal_commandReproduce;
extern const palCommand pal_commandCheck;
extern const palCommand pal_commandFit;
extern const palCommand pal_commandMesh;
extern const palCommand pal_commandSolve;
extern const palCommand pal_commandBench;
extern const palCommand pal_commandDevices;
extern const palCommand pal_commandMethods;

/// Parses argv[1..]: options into their values, the rest into `operands` (at most `capacity`).
/// Returns the number of operands; -1 after --help was printed (exit code 0); -2 after a usage
/// error was printed (exit code 2).
int palOptions_Parse(const palCommand* command, const palOption* options, int optionCount, int argc,
                     char** argv, int capacity, const char** operands);

enum
{
    pal_setTextMax = 2048, // bytes of a scene change made by a flag, including the final zero
    pal_flagSetsMax = 4,
};

/// The scene changes of a command: those of --set, and of flags that are abbreviations for --set;
/// of two changes to the same value the later one applies. Initialise to zero. Must not be moved:
/// items point into it.
typedef struct palSceneSets
{
    const char* items[pal_listItemsMax + pal_flagSetsMax];
    int count;
    char memory[pal_flagSetsMax][pal_setTextMax];
    int flagCount;
} palSceneSets;

/// Adds all changes of --set.
void palSceneSets_AddList(palSceneSets* sets, const palOptionList* list);
/// Adds "key=value", at most pal_flagSetsMax times. A value that is too long is truncated, and the
/// check of the scene then reports an error.
void palSceneSets_Add(palSceneSets* sets, const char* key, const char* value);
/// Adds "time.seconds=S" unless it is NaN, which means the duration of the scene.
void palSceneSets_AddSeconds(palSceneSets* sets, double seconds);

/// Prints "palpate NAME: error: TEXT; see palpate NAME --help" and returns the exit code, 2.
int palPrintUsageError(const palCommand* command, const char* text);

/// The same for a `word` that is not one of the `names` of a `kind` ("benchmark"): with the most
/// similar name, or with `fallback` if none is similar. command NULL: an error of the program
/// itself.
int palPrintUnknown(const palCommand* command, const char* kind, const char* word,
                    const char* const* names, int count, const char* fallback);

/// Prints the JSON to standard output, frees it, and returns the exit code.
int palPrintJson(palJson* json);

/// Prints "palpate: error: …" with location and remedy and returns the exit code: 2 for input,
/// files and unusable devices, 1 otherwise.
int palPrintError(const palError* error);

/// Prints a message with its severity and returns the exit code: 0 for notes and warnings.
int palPrintMessage(const palMessage* message);

/// Prints the notes and warnings of a session from index *shown on, and advances *shown.
void palPrintMessages(const palSession* session, int* shown);

#endif
