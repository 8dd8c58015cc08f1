// SPDX-License-Identifier: Apache-2.0
// palpate methods: what each method takes in the hand, and what it takes part with.
#include "base/json.h"
#include "options.h"
#include "render/method.h"

#include <stdio.h>

// What a form takes, but not together with rigid objects that move.
static void printExcluded(const palMethodOps* form)
{
    const char* before = " (not with ";
    for (int part = 0; part < pal_partKindCount; part++)
        if (form->notWithFree & form->accepts & PAL_ACCEPTS(part))
        {
            printf("%s%s", before, palPartKind_Name(part));
            before = ", ";
        }
    printf("%s", form->notWithFree != 0 ? ")" : "");
}

static void printForm(const palMethodOps* form)
{
    const char* before = "";
    printf("  %-12s %-8s ", "", palHandKind_Name(form->hand));
    for (int part = 0; part < pal_partKindCount; part++)
        if (form->accepts & PAL_ACCEPTS(part))
        {
            printf("%s%s", before, palPartKind_Name(part));
            before = ", ";
            if (part == pal_partFree)
                printExcluded(form);
        }
    printf("\n");
}

static void printText(void)
{
    printf("  method       in hand  takes part with\n");
    for (int i = 0; palMethodAt(i) != NULL; i++)
    {
        const palMethodEntry* method = palMethodAt(i);
        printf("\n  %-12s %s\n", method->name, method->summary);
        if (method->limits != NULL)
            printf("  %-12s %s\n", "", method->limits);
        for (int hand = 0; hand < pal_handKindCount; hand++)
            if (method->forms[hand] != NULL)
                printForm(method->forms[hand]);
    }
    printf(
        "\nA scene with anything else is refused, with the line and the methods that would do.\n");
}

static int printJson(void)
{
    palJson json = {0};
    palJson_BeginObject(&json, NULL);
    palJson_BeginArray(&json, "methods");
    for (int i = 0; palMethodAt(i) != NULL; i++)
    {
        const palMethodEntry* method = palMethodAt(i);
        palJson_BeginObject(&json, NULL);
        palJson_Text(&json, "name", method->name);
        palJson_Text(&json, "summary", method->summary);
        palJson_Text(&json, "limits", method->limits != NULL ? method->limits : "");
        palJson_BeginArray(&json, "hands");
        for (int hand = 0; hand < pal_handKindCount; hand++)
        {
            if (method->forms[hand] == NULL)
                continue;
            palJson_BeginObject(&json, NULL);
            palJson_Text(&json, "holds", palHandKind_Name(hand));
            for (int part = 0; part < pal_partKindCount; part++)
                palJson_Bool(&json, palPartKind_Name(part),
                             (method->forms[hand]->accepts & PAL_ACCEPTS(part)) != 0);
            palJson_BeginArray(&json, "not_with_rigid_objects_that_move");
            for (int part = 0; part < pal_partKindCount; part++)
                if (method->forms[hand]->notWithFree & PAL_ACCEPTS(part))
                    palJson_Text(&json, NULL, palPartKind_Name(part));
            palJson_End(&json);
            palJson_End(&json);
        }
        palJson_End(&json);
        palJson_End(&json);
    }
    palJson_End(&json);
    palJson_End(&json);
    return palPrintJson(&json);
}

static int run(int argc, char** argv)
{
    bool asJson = false;
    const palOption options[] = {
        {"json", pal_optionFlag, &asJson, NULL, "the same for programs"},
    };
    int count = palOptions_Parse(&pal_commandMethods, options, 1, argc, argv, 0, NULL);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (asJson)
        return printJson();
    printText();
    return 0;
}

const palCommand pal_commandMethods = {
    .name = "methods",
    .summary = "which hand body and which objects each contact method takes",
    .usage = "[options]",
    .examples = "  palpate methods\n  palpate methods --json\n",
    .run = run,
};
