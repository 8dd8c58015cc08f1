// SPDX-License-Identifier: Apache-2.0
// palpate: the command line program. One file per command, command_NAME.c.
#include "options.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

static const palCommand* const commands[] = {
    &pal_commandRun,   &pal_commandView,    &pal_commandCompare, &pal_commandReproduce,
    &pal_commandFit,   &pal_commandCheck,   &pal_commandMesh,    &pal_commandSolve,
    &pal_commandBench, &pal_commandDevices, &pal_commandMethods,
};
static const int commandCount = sizeof commands / sizeof commands[0];

static int printVersion(void)
{
    printf("palpate %s\n", palVersion());
    for (int i = 0; palFeature(i) != NULL; i++)
        printf("  with %s\n", palFeature(i));
    return 0;
}

static int printHelp(void)
{
    printf("palpate %s: haptic rendering at two rates\n\nusage: palpate COMMAND ...\n\ncommands:\n",
           palVersion());
    for (int i = 0; i < commandCount; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n  palpate COMMAND --help   options and examples of a command\n"
           "  palpate --version        version and optional features of this build\n"
           "\nexit code: 0 success, 1 the run failed, 2 usage error or invalid input\n");
    return 0;
}

static int unknownCommand(const char* word)
{
    const char* names[sizeof commands / sizeof commands[0]];
    for (int i = 0; i < commandCount; i++)
        names[i] = commands[i]->name;
    return palPrintUnknown(NULL, "command", word, names, commandCount, "see palpate --help");
}

static int runCommand(int argc, char** argv)
{
    if (argc < 2)
    {
        printHelp();
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return printHelp();
    if (strcmp(argv[1], "--version") == 0)
        return printVersion();
    for (int i = 0; i < commandCount; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 1, argv + 1);
    return unknownCommand(argv[1]);
}

int main(int argc, char** argv)
{
    // BLAS threads would compete with the high-rate thread, and results would depend on their
    // number.
    openblas_set_num_threads(1);
    int code = runCommand(argc, argv);
    // Report output that could not be written, for example on a full disk.
    bool isPrinted = !ferror(stdout);
    if (fflush(stdout) == 0 && isPrinted)
        return code;
    fprintf(stderr, "palpate: error: cannot write to standard output; check for free space\n");
    return code != 0 ? code : 1;
}
