// SPDX-License-Identifier: Apache-2.0
// palpate fit: finds the values of a scene with which a press feels as measured.
#include "chart.h"
#include "fit.h"
#include "options.h"
#include "page.h"
#include "scene_path.h"

#include "api/session.h"
#include "base/file.h"
#include "scene/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct FitOptions
{
    const char* measured;
    const char* vary;
    const char* out;
    const char* write;
    palOptionList sets;
    bool json, quiet;
} FitOptions;

static void showProgress(void* user, const palFit* fit)
{
    (void)user;
    fprintf(stderr, "\rpress %d, iteration %d, residual %.4g N  ", fit->presses, fit->iterations,
            fit->rms);
}

static const char* unitOf(const palFitValue* value)
{
    return value->key->unit != NULL ? value->key->unit : "";
}

// ---------------------------------------------------------------------------------------------
// Files

static void writeTable(const void* data, FILE* file)
{
    const palFit* fit = data;
    fprintf(file, "depth_m,measured_N,fitted_N,residual_N\n");
    for (int i = 0; i < fit->measured->count; i++)
        fprintf(file, "%.9g,%.9g,%.9g,%.9g\n", fit->measured->depth[i], fit->measured->force[i],
                fit->force[i], fit->force[i] - fit->measured->force[i]);
}

static double residualAt(const palFit* fit, int i)
{
    return fit->force[i] - fit->measured->force[i];
}

// The measured points, and a line through the fitted ones or the residuals.
static void drawChart(const palFit* fit, const char* title, const char* yLabel, bool isResidual,
                      FILE* file)
{
    const palMeasured* measured = fit->measured;
    double low = 0.0, high = 0.0;
    for (int i = 0; i < measured->count; i++)
    {
        double values[2] = {isResidual ? residualAt(fit, i) : fit->force[i],
                            isResidual ? 0.0 : measured->force[i]};
        for (int k = 0; k < 2; k++)
        {
            low = fmin(low, values[k]);
            high = fmax(high, values[k]);
        }
    }
    double margin = 0.05 * (high - low) + 1e-9;
    palChartDef def = {
        .title = title,
        .xLabel = "depth, mm",
        .yLabel = yLabel,
        .xHigh = 1.05e3 * measured->depth[measured->count - 1] + 1e-6,
        .yLow = low - margin,
        .yHigh = high + margin,
        .width = 520.0,
        .height = isResidual ? 140.0 : 260.0,
    };
    palChart chart = palChart_Begin(file, &def);
    palChart_BeginPath(&chart, "line");
    for (int i = 0; i < measured->count; i++)
    {
        double y = isResidual ? residualAt(fit, i) : fit->force[i];
        (i == 0 ? palChart_Move : palChart_Line)(&chart, 1e3 * measured->depth[i], y);
    }
    palChart_EndPath(&chart);
    palChart_BeginPath(&chart, "point");
    for (int i = 0; i < measured->count; i++)
        palChart_Dot(&chart, 1e3 * measured->depth[i],
                     isResidual ? residualAt(fit, i) : measured->force[i]);
    palChart_EndPath(&chart);
    palChart_End(&chart);
}

static void writePage(const void* data, FILE* file)
{
    const palFit* fit = data;
    palPage_Begin(file, fit->scene, "fit");
    fprintf(file,
            "<p>%d measured points (<span class=\"k-proxy\">dots</span>) and the fitted "
            "force (line); residual %.4g N RMS.</p>\n<table>\n"
            "<tr><th>value</th><th>unit</th><th>fitted</th><th>standard error</th></tr>\n",
            fit->measured->count, fit->rms);
    for (int j = 0; j < fit->valueCount; j++)
        fprintf(file, "<tr><td>%s</td><td>%s</td><td>%.6g</td><td>%.3g</td></tr>\n",
                fit->values[j].path, unitOf(&fit->values[j]), fit->values[j].value,
                fit->values[j].error);
    fprintf(file, "</table>\n<div class=\"panels\">\n");
    drawChart(fit, "force over depth", "force, N", false, file);
    drawChart(fit, "residual: fitted less measured", "N", true, file);
    fprintf(file, "</div>\n");
    palPage_End(file);
}

static palResult writeScene(const palFit* fit, const char* path, palError* error)
{
    palSession* session;
    palResult result = palFit_CreateSession(fit, NULL, NULL, &session, error);
    if (result != pal_ok)
        return result;
    result = palScene_Write(palSession_Scene(session), path, "fitted by palpate fit", error);
    palSession_Destroy(session);
    return result;
}

static palResult writeFiles(const palFit* fit, const FitOptions* options, palError* error)
{
    char path[pal_scenePathMax];
    if (!palMakeDirectories(options->out))
        return palCannotWrite(options->out, error);
    snprintf(path, sizeof path, "%s/fit.csv", options->out);
    palResult result = palWriteFile(path, writeTable, fit, error);
    snprintf(path, sizeof path, "%s/fit.html", options->out);
    if (result == pal_ok)
        result = palWriteFile(path, writePage, fit, error);
    if (result == pal_ok && options->write != NULL)
        result = writeScene(fit, options->write, error);
    return result;
}

// ---------------------------------------------------------------------------------------------
// What is printed

static int printJson(const palFit* fit)
{
    palJson json = {0};
    palJson_BeginObject(&json, NULL);
    palJson_Text(&json, "scene", fit->scene);
    palJson_Bool(&json, "converged", fit->isConverged);
    palJson_Whole(&json, "points", fit->measured->count);
    palJson_Whole(&json, "iterations", fit->iterations);
    palJson_Whole(&json, "presses", fit->presses);
    palJson_Number(&json, "residual_rms_n", fit->rms);
    palJson_BeginArray(&json, "values");
    for (int j = 0; j < fit->valueCount; j++)
    {
        palJson_BeginObject(&json, NULL);
        palJson_Text(&json, "path", fit->values[j].path);
        palJson_Text(&json, "unit", unitOf(&fit->values[j]));
        palJson_Number(&json, "value", fit->values[j].value);
        palJson_Number(&json, "standard_error", fit->values[j].error);
        palJson_End(&json);
    }
    palJson_End(&json);
    palJson_End(&json);
    return palPrintJson(&json);
}

static int printResult(const palFit* fit, const FitOptions* options)
{
    double largest = 0.0;
    for (int i = 0; i < fit->measured->count; i++)
        largest = fmax(largest, fabs(fit->measured->force[i]));
    if (options->json)
        return printJson(fit);
    for (int j = 0; j < fit->valueCount; j++)
        printf("%-28s %.6g%s%s, standard error %.3g\n", fit->values[j].path, fit->values[j].value,
               fit->values[j].key->unit != NULL ? " " : "", unitOf(&fit->values[j]),
               fit->values[j].error);
    if (options->quiet)
        return 0;
    printf("residual %.4g N RMS, %.2g %% of the largest force; %d points, %d iterations, %d "
           "presses%s\nwrote %s/fit.html, fit.csv%s%s\n",
           fit->rms, 100.0 * fit->rms / fmax(largest, 1e-12), fit->measured->count, fit->iterations,
           fit->presses, fit->isConverged ? "" : "; not converged: try other values to begin with",
           options->out, options->write != NULL ? " and " : "",
           options->write != NULL ? options->write : "");
    return 0;
}

static int fitScene(const char* scene, const FitOptions* options)
{
    palMeasured measured;
    palError error = {0};
    palResult result = palMeasured_Load(&measured, options->measured, &error);
    if (result != pal_ok)
        return palPrintError(&error);
    bool isShown = isatty(STDERR_FILENO) && !options->quiet;
    palFit fit = {
        .scene = scene,
        .sets = options->sets.items,
        .setCount = options->sets.count,
        .measured = &measured,
        .progress = isShown ? showProgress : NULL,
    };
    result = palFit_Init(&fit, options->vary, &error);
    if (result == pal_ok)
        result = palFit_Run(&fit, &error);
    if (isShown)
        fprintf(stderr, "\r%60s\r", "");
    if (result == pal_ok)
        result = writeFiles(&fit, options, &error);
    int code = result == pal_ok ? printResult(&fit, options) : palPrintError(&error);
    if (code == 0 && !fit.isConverged)
        code = 1;
    palFit_Free(&fit);
    palMeasured_Free(&measured);
    return code;
}

static int run(int argc, char** argv)
{
    FitOptions given = {.out = "fit"};
    const palOption options[] = {
        {"measured", pal_optionText, &given.measured, "FILE.csv",
         "the measurement: columns depth_m, counted from the first touch, and force_N"},
        {"vary", pal_optionText, &given.vary, "PATH,...",
         "the values to find, up to 8, beginning with those of the scene"},
        {"set", pal_optionList, &given.sets, "PATH=VALUE", "change a value of the scene first"},
        {"out", pal_optionText, &given.out, "DIR",
         "directory of fit.html, the plots, and fit.csv (default: fit)"},
        {"write", pal_optionText, &given.write, "FILE", "also write the scene with these values"},
        {"json", pal_optionFlag, &given.json, NULL, "print the result as JSON"},
        {"quiet", pal_optionFlag, &given.quiet, NULL, "print only the values"},
    };
    const char* scene;
    int count = palOptions_Parse(&pal_commandFit, options, sizeof options / sizeof options[0], argc,
                                 argv, 1, &scene);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (count == 0)
        return palPrintUsageError(&pal_commandFit, "no scene given");
    if (given.measured == NULL)
        return palPrintUsageError(&pal_commandFit, "no measurement given (--measured FILE.csv)");
    if (given.vary == NULL)
        return palPrintUsageError(&pal_commandFit, "nothing to find given (--vary PATH)");
    char path[pal_scenePathMax];
    palError error = {0};
    if (palScenePath_Find(scene, path, &error) != pal_ok)
        return palPrintError(&error);
    return fitScene(path, &given);
}

const palCommand pal_commandFit = {
    .name = "fit",
    .summary = "find values of a scene with which a press feels as measured",
    .usage = "SCENE --measured FILE.csv --vary PATH,... [options]",
    .examples =
        "  palpate fit block-soft --measured liver.csv --vary objects.0.soft.young\n"
        "  palpate fit block-soft --measured liver.csv --set objects.0.soft.stiffening=5 \\\n"
        "      --vary objects.0.soft.young,objects.0.soft.stiffening --write liver.yaml\n",
    .run = run,
};
