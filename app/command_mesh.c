// SPDX-License-Identifier: Apache-2.0
#include "options.h"

static int run(int argc, char** argv)
{
    const char* operands[1];
    int count = palOptions_Parse(&pal_commandMesh, NULL, 0, argc, argv, 1, operands);
    return count == -1 ? 0 : 2;
}

const palCommand pal_commandMesh = {
    .name = "mesh",
    .summary = "",
    .usage = "",
    .run = run,
};
