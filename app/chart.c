// SPDX-License-Identifier: Apache-2.0
#include "chart.h"

#include <math.h>

// Margins around the drawing area for ticks and labels.
static const double leftMargin = 52.0;
static const double rightMargin = 12.0;
static const double topMargin = 26.0;
static const double bottomMargin = 40.0;

static double toSvgX(const palChart* chart, double x)
{
    const palChartDef* d = &chart->def;
    return leftMargin + d->width * (x - d->xLow) / (d->xHigh - d->xLow);
}

static double toSvgY(const palChart* chart, double y)
{
    const palChartDef* d = &chart->def;
    return topMargin + d->height * (d->yHigh - y) / (d->yHigh - d->yLow);
}

// A tick spacing of 1, 2 or 5 times a power of ten, with at most `countMax` ticks in the range.
static double tickStep(double range, int countMax)
{
    double stepMin = range / countMax;
    double power = pow(10.0, floor(log10(stepMin)));
    double ratio = stepMin / power;
    return power * (ratio <= 1.0 ? 1.0 : ratio <= 2.0 ? 2.0 : ratio <= 5.0 ? 5.0 : 10.0);
}

static void drawTicks(const palChart* chart)
{
    const palChartDef* d = &chart->def;
    double step = tickStep(d->xHigh - d->xLow, (int)fmax(2.0, d->width / 70.0));
    double bottom = topMargin + d->height;
    for (double k = ceil(d->xLow / step - 1e-9); k * step <= d->xHigh + 1e-9 * step; k++)
    {
        double x = toSvgX(chart, k * step);
        fprintf(chart->file,
                "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>"
                "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.6g</text>\n",
                x, topMargin, bottom, x, bottom + 15.0, k == 0.0 ? 0.0 : k * step);
    }
    step = tickStep(d->yHigh - d->yLow, (int)fmax(2.0, d->height / 35.0));
    for (double k = ceil(d->yLow / step - 1e-9); k * step <= d->yHigh + 1e-9 * step; k++)
    {
        double y = toSvgY(chart, k * step);
        fprintf(chart->file,
                "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>"
                "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
                leftMargin, y, d->width, leftMargin - 6.0, y + 4.0, k == 0.0 ? 0.0 : k * step);
    }
}

palChart palChart_Begin(FILE* file, const palChartDef* def)
{
    palChart chart = {*def, file};
    double width = leftMargin + def->width + rightMargin;
    double height = topMargin + def->height + bottomMargin;
    fprintf(file, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">\n", width, height,
            def->title);
    drawTicks(&chart);
    fprintf(file, "<text class=\"title\" x=\"%.1f\" y=\"16\">%s</text>\n", leftMargin, def->title);
    fprintf(file, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
            leftMargin + 0.5 * def->width, height - 6.0, def->xLabel);
    fprintf(file,
            "<text class=\"label\" transform=\"translate(12 %.1f) rotate(-90)\" "
            "text-anchor=\"middle\">%s</text>\n",
            topMargin + 0.5 * def->height, def->yLabel);
    // A nested SVG clips the paths at the frame.
    fprintf(file,
            "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n"
            "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f "
            "%.1f\">\n",
            leftMargin, topMargin, def->width, def->height, leftMargin, topMargin, def->width,
            def->height, leftMargin, topMargin, def->width, def->height);
    return chart;
}

void palChart_End(palChart* chart)
{
    fprintf(chart->file, "</svg></svg>\n");
}

void palChart_BeginPath(palChart* chart, const char* style)
{
    fprintf(chart->file, "<path class=\"%s\" d=\"", style);
}

void palChart_Move(palChart* chart, double x, double y)
{
    fprintf(chart->file, "M%.2f %.2f", toSvgX(chart, x), toSvgY(chart, y));
}

void palChart_Line(palChart* chart, double x, double y)
{
    fprintf(chart->file, "L%.2f %.2f", toSvgX(chart, x), toSvgY(chart, y));
}

void palChart_Dot(palChart* chart, double x, double y)
{
    fprintf(chart->file, "M%.2f %.2fh0", toSvgX(chart, x), toSvgY(chart, y));
}

void palChart_EndPath(palChart* chart)
{
    fprintf(chart->file, "\"/>\n");
}

void palChart_Series(palChart* chart, const char* style, const double* x, const double* y,
                     int count)
{
    int columns = (int)(2.0 * chart->def.width);
    int stride = count > 2 * columns ? (count + columns - 1) / columns : 1;
    palChart_BeginPath(chart, style);
    for (int i = 0; i < count; i += stride)
    {
        double low = y[i], high = y[i];
        for (int k = i; k < count && k < i + stride; k++)
        {
            low = fmin(low, y[k]);
            high = fmax(high, y[k]);
        }
        if (i == 0)
            palChart_Move(chart, x[i], low);
        else
            palChart_Line(chart, x[i], low);
        if (high > low)
            palChart_Line(chart, x[i], high);
    }
    palChart_EndPath(chart);
}
