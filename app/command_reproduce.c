// SPDX-License-Identifier: Apache-2.0
// `palpate reproduce`: runs the papers' experiments and compares the measured results with those
// reported in the papers.
#include "comparison.h"
#include "experiments.h"
#include "page.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct palReproduceOptions
{
    const char* out;
    double seconds;
    bool list;
    bool quiet;
} palReproduceOptions;

// The outputs to which the results of the experiments are written.
typedef struct palFindings
{
    const palReproduceOptions* options;
    FILE* page;
    palJson json;
} palFindings;

static int listExperiments(void)
{
    for (int i = 0; palExperimentAt(i) != NULL; i++)
        printf("%-22s %s (%s)\n", palExperimentAt(i)->name, palExperimentAt(i)->title,
               palExperimentAt(i)->paper);
    return 0;
}

static int unknownExperiment(const char* word)
{
    const char* names[64];
    int count = 0;
    while (count < 64 && palExperimentAt(count) != NULL)
        names[count] = palExperimentAt(count)->name, count++;
    return palPrintUnknown(&pal_commandReproduce, "experiment", word, names, count,
                           "see palpate reproduce --list");
}

static const palReportRun* findRun(const palReport* report, const char* method)
{
    for (int i = 0; i < report->runCount; i++)
        if (strcmp(report->runs[i].method, method) == 0)
            return &report->runs[i];
    return NULL;
}

static void writeClaim(palFindings* findings, const palClaim* claim, const palReport* report)
{
    palQuantity measured;
    const palReportRun* run = findRun(report, claim->method);
    if (run == NULL || !palReport_Quantity(run, claim->key, &measured))
        return;
    if (!findings->options->quiet)
        printf("  %-10s %-44s %-28s %.4g %s\n", claim->method, measured.name, claim->paper,
               measured.value, measured.unit);
    fprintf(findings->page, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%.4g %s</td></tr>\n",
            claim->method, measured.name, claim->paper, measured.value, measured.unit);
    palJson_BeginObject(&findings->json, NULL);
    palJson_Text(&findings->json, "method", claim->method);
    palJson_Text(&findings->json, "quantity", claim->key);
    palJson_Text(&findings->json, "paper", claim->paper);
    palJson_Number(&findings->json, "here", measured.value);
    palJson_End(&findings->json);
}

static void writeExperiment(palFindings* findings, const palExperiment* experiment,
                            const palReport* report)
{
    fprintf(
        findings->page,
        "<h2>%s</h2>\n<p>%s. Scene %s. <a href=\"%s/report.html\">Figures and all numbers</a>"
        "</p>\n<table>\n<thead><tr><th>method</th><th>quantity</th><th>paper</th><th>measured</th>"
        "</tr></thead>\n<tbody>\n",
        experiment->title, experiment->paper, experiment->scene, experiment->name);
    palJson_BeginObject(&findings->json, NULL);
    palJson_Text(&findings->json, "name", experiment->name);
    palJson_Text(&findings->json, "paper", experiment->paper);
    palJson_Text(&findings->json, "scene", experiment->scene);
    palJson_BeginArray(&findings->json, "findings");
    for (int i = 0; i < pal_claimsMax && experiment->claims[i].method != NULL; i++)
        writeClaim(findings, &experiment->claims[i], report);
    palJson_End(&findings->json);
    palJson_End(&findings->json);
    fprintf(findings->page, "</tbody>\n</table>\n");
}

static palResult reproduceOne(palFindings* findings, const palExperiment* experiment,
                              palError* error)
{
    const palReproduceOptions* options = findings->options;
    char out[512];
    snprintf(out, sizeof out, "%s/%s", options->out, experiment->name);
    palOptionList sets = {.count = 0};
    for (int i = 0; i < pal_experimentSetsMax && experiment->sets[i] != NULL; i++)
        sets.items[sets.count++] = experiment->sets[i];
    palComparisonDef def = {
        .scene = experiment->scene,
        .sets = &sets,
        .seconds = options->seconds,
        .out = out,
        .quiet = options->quiet,
    };
    palComparison comparison;
    palResult result = palComparison_Init(&comparison, error);
    if (result != pal_ok)
        return result;
    for (int i = 0; i < pal_experimentMethodsMax && experiment->methods[i] != NULL; i++)
        palComparison_Add(&comparison, experiment->methods[i]);
    if (!options->quiet)
        printf("%s: %s (%s)\n", experiment->name, experiment->title, experiment->paper);
    fflush(stdout);
    result = palComparison_Run(&comparison, &def, error);
    if (result == pal_ok)
        writeExperiment(findings, experiment, &comparison.report);
    palComparison_Free(&comparison);
    return result;
}

static palResult openFindings(palFindings* findings, const char* page, palError* error)
{
    findings->page = palMakeDirectories(findings->options->out) ? fopen(page, "w") : NULL;
    if (findings->page == NULL)
        return palCannotWrite(page, error);
    palPage_Begin(findings->page, "Experiments from the papers", "reported and measured");
    fprintf(findings->page,
            "<p>Results reported in each paper and results measured with palpate %s. The papers "
            "used older machines: compare the contact behaviour, not the computing times.</p>\n",
            palVersion());
    palJson_BeginObject(&findings->json, NULL);
    palJson_Text(&findings->json, "version", palVersion());
    palJson_BeginArray(&findings->json, "experiments");
    return pal_ok;
}

static palResult reproduce(const palReproduceOptions* options, const char* name, palError* error)
{
    char page[600], results[600];
    snprintf(page, sizeof page, "%s/report.html", options->out);
    snprintf(results, sizeof results, "%s/results.json", options->out);
    palFindings findings = {.options = options};
    palResult result = openFindings(&findings, page, error);
    if (result != pal_ok)
        return result;
    for (int i = 0; palExperimentAt(i) != NULL && result == pal_ok; i++)
        if (name == NULL || strcmp(name, palExperimentAt(i)->name) == 0)
            result = reproduceOne(&findings, palExperimentAt(i), error);
    palJson_End(&findings.json);
    palJson_End(&findings.json);
    palPage_End(findings.page);
    bool isWhole = !ferror(findings.page);
    if ((fclose(findings.page) != 0 || !isWhole) && result == pal_ok)
        result = palCannotWrite(page, error);
    if (result == pal_ok)
        result = palJson_WriteFile(&findings.json, results, error);
    palJson_Free(&findings.json);
    if (result == pal_ok && !options->quiet)
        printf("wrote %s and %s\n", page, results);
    return result;
}

static int run(int argc, char** argv)
{
    palReproduceOptions options = {.out = "out/reproduce", .seconds = NAN};
    const palOption table[] = {
        {"list", pal_optionFlag, &options.list, NULL, "list the experiments and exit"},
        {"seconds", pal_optionNumber, &options.seconds, "S",
         "length of each run (default: the scene's)"},
        {"out", pal_optionText, &options.out, "DIR",
         "directory of the report (default: out/reproduce)"},
        {"quiet", pal_optionFlag, &options.quiet, NULL, "print only errors"},
    };
    const char* name = NULL;
    int count = palOptions_Parse(&pal_commandReproduce, table, sizeof table / sizeof table[0], argc,
                                 argv, 1, &name);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (options.list)
        return listExperiments();
    bool known = count == 0;
    for (int i = 0; palExperimentAt(i) != NULL && !known; i++)
        known = strcmp(name, palExperimentAt(i)->name) == 0;
    if (!known)
        return unknownExperiment(name);
    palError error = {0};
    return reproduce(&options, count > 0 ? name : NULL, &error) == pal_ok ? 0
                                                                          : palPrintError(&error);
}

const palCommand pal_commandReproduce = {
    .name = "reproduce",
    .summary = "run the papers' experiments: figures, and a table of reported and measured values",
    .usage = "[NAME] [options]",
    .examples = "  palpate reproduce\n"
                "  palpate reproduce accurate-sine --out out/sine\n"
                "  palpate reproduce --list\n",
    .run = run,
};
