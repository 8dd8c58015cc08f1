// SPDX-License-Identifier: Apache-2.0
// A chart as inline SVG: frame, ticks and paths in data units. Colours are CSS classes, which the
// page defines for the light and the dark colour scheme.
#ifndef PAL_APP_CHART_H
#define PAL_APP_CHART_H

#include <stdio.h>

typedef struct palChartDef
{
    const char* title;
    const char* xLabel;
    const char* yLabel;
    double xLow, xHigh; // range of the data
    double yLow, yHigh;
    double width; // of the drawing area, in the SVG's units
    double height;
} palChartDef;

typedef struct palChart
{
    palChartDef def;
    FILE* file; // borrowed
} palChart;

/// Writes the frame with its ticks. Ranges must not be empty.
palChart palChart_Begin(FILE* file, const palChartDef* def);
void palChart_End(palChart* chart);

/// A path of class `style`: moves and lines in data units, clipped at the frame.
void palChart_BeginPath(palChart* chart, const char* style);
void palChart_Move(palChart* chart, double x, double y);
void palChart_Line(palChart* chart, double x, double y);
/// A dot, if the style has round line caps.
void palChart_Dot(palChart* chart, double x, double y);
void palChart_EndPath(palChart* chart);

/// y over x as a line; for a long series the minimum and maximum of each pixel column.
void palChart_Series(palChart* chart, const char* style, const double* x, const double* y,
                     int count);

#endif
