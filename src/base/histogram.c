// SPDX-License-Identifier: Apache-2.0
#include "base/histogram.h"

#include <math.h>
#include <string.h>

static const int lowestExponent = -47; // frexp's exponent of 2^-48

void palHistogram_Clear(palHistogram* histogram)
{
    memset(histogram, 0, sizeof *histogram);
}

void palHistogram_Add(palHistogram* histogram, double sample)
{
    if (!(sample >= 0.0) || isinf(sample))
    {
        histogram->refused++;
        return;
    }
    histogram->count++;
    histogram->sum += sample;
    if (sample > histogram->max)
        histogram->max = sample;

    // sample = mantissa · 2^exponent with mantissa in [0.5, 1).
    int exponent;
    double mantissa = frexp(sample, &exponent);
    int octave = exponent - lowestExponent;
    if (sample == 0.0 || octave < 0)
    {
        histogram->zeros++;
        return;
    }
    if (octave >= pal_histogramOctaves)
    {
        octave = pal_histogramOctaves - 1;
        mantissa = 0.999999;
    }
    int bin = (int)((mantissa - 0.5) * 2.0 * pal_histogramBinsPerOctave);
    histogram->bins[octave * pal_histogramBinsPerOctave + bin]++;
}

double palHistogram_Mean(const palHistogram* histogram)
{
    return histogram->count > 0 ? histogram->sum / (double)histogram->count : 0.0;
}

static double binCentre(int index)
{
    int octave = index / pal_histogramBinsPerOctave;
    int bin = index % pal_histogramBinsPerOctave;
    double mantissa = 0.5 + (bin + 0.5) / (2.0 * pal_histogramBinsPerOctave);
    return ldexp(mantissa, octave + lowestExponent);
}

double palHistogram_Percentile(const palHistogram* histogram, double fraction)
{
    if (histogram->count == 0)
        return 0.0;
    // The rank is at least 1, so that fraction 0 is the smallest sample.
    double exactRank = ceil(fraction * (double)histogram->count);
    uint64_t rank = exactRank < 1.0 ? 1 : (uint64_t)exactRank;
    uint64_t cumulative = histogram->zeros;
    if (cumulative >= rank)
        return 0.0;
    for (int i = 0; i < pal_histogramBins; i++)
    {
        cumulative += histogram->bins[i];
        if (cumulative >= rank)
            return fmin(binCentre(i), histogram->max);
    }
    return histogram->max;
}
