// SPDX-License-Identifier: Apache-2.0
// Anderson's acceleration of a fixed-point iteration x = g(x) ("Iterative procedures for nonlinear
// integral equations", 1965; Walker and Ni 2011).
//
// The next x is the combination of the last values of g whose changes f = g(x) − x combine to the
// smallest one, in the norm with the given weights. Where g is linear that is GMRES on the last few
// steps. Where the change after such a step is more than twice the smallest one so far, the step is
// taken back, and some plain ones follow before the combination starts anew: twice as many as the
// last time if nothing was gained since.
#ifndef PAL_SOLVE_ANDERSON_H
#define PAL_SOLVE_ANDERSON_H

#include "solve/rows.h"

enum
{
    pal_andersonDepth = 5,
    /// Doubles of memory for each number of x.
    pal_andersonArrays = 2 * pal_andersonDepth + 3,
};

typedef struct palAnderson
{
    const palRowKernels* kernels;
    int n;
    int count;     // of differences that are known
    int next;      // where the next one goes
    bool isKnown;  // f and g are those of the last step
    double least;  // |f|² so far
    double goal;   // |f|² at which combinations have gained something since they were taken back
    int pause;     // plain steps that follow
    int pauseNext; // after the next step that is taken back
    double gram[pal_andersonDepth][pal_andersonDepth]; // F Fᵀ
    double* before;                                    // [n]: x
    double* f;                                         // [n], of the last step, weighted
    double* g;                                         // [n], of the last step
    double* F;                                         // [depth][n]: differences of f
    double* G;                                         // [depth][n]: differences of g
} palAnderson;

/// Divides `memory`, [pal_andersonArrays * n], borrowed; forgets everything.
palAnderson palMakeAnderson(int n, const palRowKernels* kernels, double* memory);

/// Stores x before an evaluation of g.
void palAnderson_Begin(palAnderson* anderson, const double* x);

/// x holds g(x) and receives the next x. The square of the norm is Σ weight x². Returns false if
/// the next x is g(x).
bool palAnderson_End(palAnderson* anderson, const double* weights, double* x);

#endif
