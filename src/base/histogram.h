// SPDX-License-Identifier: Apache-2.0
// Percentiles of a stream of non-negative numbers, in constant memory and constant time per sample.
//
// A sample falls into one of 64 linear bins within its octave, so that a percentile has a relative
// error of at most 1/128 (half a bin) at any magnitude from 2^-48 to 2^48; mean and maximum are
// exact. Adding a sample does not allocate and makes no system call: it may be used in the
// high-rate tick.
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
    uint64_t count;   // accepted samples
    uint64_t refused; // rejected samples: NaN, negative or infinite
    uint64_t zeros;   // samples below the smallest bin, including zero
    double sum;       // of the accepted samples
    double max;       // 0 while count is 0
    uint32_t bins[pal_histogramBins];
} palHistogram;

void palHistogram_Clear(palHistogram* histogram);
void palHistogram_Add(palHistogram* histogram, double sample);

double palHistogram_Mean(const palHistogram* histogram);
/// The value below which the given fraction (0..1) of the samples lies; 0 while count is 0.
double palHistogram_Percentile(const palHistogram* histogram, double fraction);

#endif
