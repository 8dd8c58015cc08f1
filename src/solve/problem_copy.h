// SPDX-License-Identifier: Apache-2.0
// A copy of the contact problem that a step solved, with its solution, to be written to a file. The
// memory is allocated at set-up, so that a tick can take a copy.
#ifndef PAL_SOLVE_PROBLEM_COPY_H
#define PAL_SOLVE_PROBLEM_COPY_H

#include "solve/planes.h"
#include "solve/sparse.h"

#include <palpate/solve.h>

typedef struct palProblemCopy
{
    int rowCapacity;
    palContactProblem problem; // of the arrays below; no rows: nothing was solved
    double* W;                 // owned, [rowCapacity]²
    double* gapFree;           // owned, [rowCapacity]
    double* lambda;            // owned, [rowCapacity]
    palContactBlock* blocks;   // owned, [rowCapacity]
    bool isSolved;             // lambda is the solution
    int dropped;               // problems that had more rows
} palProblemCopy;

palResult palProblemCopy_Init(palProblemCopy* copy, int rowCapacity, palError* error);
void palProblemCopy_Free(palProblemCopy* copy);

/// No problem.
void palProblemCopy_Clear(palProblemCopy* copy);
/// Copies a problem, and its solution unless it is NULL. Nothing happens where `copy` is NULL.
/// Real-time.
void palProblemCopy_Take(palProblemCopy* copy, const palContactProblem* problem,
                         const double* lambda);
/// The same for a problem of bodies and rows, with W formed. Real-time.
void palProblemCopy_TakeSparse(palProblemCopy* copy, const palSparseProblem* problem,
                               const double* lambda);
/// The same for the problem of palSolvePlanesOfBodies and its result: a plane is one unilateral
/// row, or a cone of three rows where there is friction. What several planes of a body do to hold
/// the point along them is shared by what each could. Real-time.
void palProblemCopy_TakePlanes(palProblemCopy* copy, const palPlane* planes, const int* owners,
                               int count, palVec3 goal, const palPlaneBodies* bodies,
                               const palPlanesForces* forces);
/// The same for that of palSolvePlanes, with the force that its result is by.
void palProblemCopy_TakeOwnPlanes(palProblemCopy* copy, const palPlane* planes, int count,
                                  palVec3 from, palVec3 goal, const palMat3* W,
                                  const palPlanesResult* result, palVec3 force);

/// Writes it in the text format of palContactProblem_Write.
palResult palProblemCopy_Write(const palProblemCopy* copy, const char* path, palError* error);

#endif
