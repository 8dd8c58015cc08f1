// SPDX-License-Identifier: Apache-2.0
// Percentiles of a stream of non-negative numbers in constant memory and constant time a sample.
//
// A sample falls into one of 64 linear bins within its octave, so that a percentile is known to
// 1/128 relative (half a bin) at any magnitude from 2^-48 to 2^48; mean and maximum are exact.
// Recording allocates nothing and calls nothing: it may be used below the high-rate tick.
#ifndef PAL_BASE_HISTOGRAM_H
#define PAL_BASE_HISTOGRAM_H

#include <palpate/base.h>

enum
{
    pal_histogramOctaves = 96,
    pal_histogramBinsPerOctave = 64,
    pal_histogramBins = pal_histogramOctaves * pal_histogramBinsPerOctave,
};

typedef struct palHistogram
{
    uint64_t count;   // samples, refused ones not among them
    uint64_t refused; // NaN and negative samples
    uint64_t zeros;   // samples below the smallest bin, zero among them
    double sum;       // of the samples
    double max;       // 0 while there are none
    uint32_t bins[pal_histogramBins];
} palHistogram;

void palHistogram_Clear(palHistogram* histogram);
void palHistogram_Add(palHistogram* histogram, double sample);

double palHistogram_Mean(const palHistogram* histogram);
/// The value below which the given share (0..1) of the samples lies; 0 while there are none.
double palHistogram_Percentile(const palHistogram* histogram, double share);

#endif
