// SPDX-License-Identifier: Apache-2.0
// The papers' experiments: scene, methods, and the results reported in the paper.
#ifndef PAL_APP_EXPERIMENTS_H
#define PAL_APP_EXPERIMENTS_H

/// A result reported in a paper, to be compared with the measured value.
typedef struct palClaim
{
    const char* method; // of the run
    const char* key;    // the quantity, as in results.json of a comparison
    const char* paper;  // the reported value, as stated in the paper
} palClaim;

enum
{
    pal_claimsMax = 12,
    pal_experimentSetsMax = 6,
    pal_experimentMethodsMax = 4,
};

typedef struct palExperiment
{
    const char* name; // on the command line
    const char* title;
    const char* paper; // paper, and figure or section
    const char* scene;
    const char* sets[pal_experimentSetsMax];       // scene changes, NULL past the end
    const char* methods[pal_experimentMethodsMax]; // NULL past the end
    palClaim claims[pal_claimsMax];                // method NULL past the end
} palExperiment;

/// The experiments by index, NULL past the end.
const palExperiment* palExperimentAt(int index);

#endif
