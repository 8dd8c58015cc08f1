// SPDX-License-Identifier: Apache-2.0
// A chart as inline SVG: frame, ticks and paths in the units of the data. Colours are classes, so
// that the page decides what they look like in light and in dark.
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

/// A path of class `style`: moves and lines in data units, cut off at the frame.
void palChart_BeginPath(palChart* chart, const char* style);
void palChart_Move(palChart* chart, double x, double y);
void palChart_Line(palChart* chart, double x, double y);
/// A dot, where the style has round line ends.
void palChart_Dot(palChart* chart, double x, double y);
void palChart_EndPath(palChart* chart);

/// y over x as a line; of a long series the lowest and the highest value in each column.
void palChart_Series(palChart* chart, const char* style, const double* x, const double* y,
                     int count);

#endif
