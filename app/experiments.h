// SPDX-License-Identifier: Apache-2.0
// The papers' experiments: which scene, under which methods, and what the paper says of each.
#ifndef PAL_APP_EXPERIMENTS_H
#define PAL_APP_EXPERIMENTS_H

/// Something that a paper says of its experiment, beside what is measured here.
typedef struct palClaim
{
    const char* method; // whose run
    const char* key;    // the quantity, as results.json of a comparison calls it
    const char* paper;  // what the paper reports, in its own unit or in words
} palClaim;

enum
{
    pal_claimsMax = 12,
    pal_experimentSetsMax = 6,
    pal_experimentMethodsMax = 4,
};

typedef struct palExperiment
{
    const char* name; // as the command line calls it
    const char* title;
    const char* paper; // where it is described
    const char* scene;
    const char* sets[pal_experimentSetsMax];       // scene changes, NULL past the end
    const char* methods[pal_experimentMethodsMax]; // NULL past the end
    palClaim claims[pal_claimsMax];                // method NULL past the end
} palExperiment;

/// One a call, NULL past the end.
const palExperiment* palExperimentAt(int index);

#endif
