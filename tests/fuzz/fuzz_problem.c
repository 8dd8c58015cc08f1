// SPDX-License-Identifier: Apache-2.0
// Problem files: whatever the bytes, reading ends in an error or in a problem that every solver
// survives with finite forces.
#include "target.h"

#include "solve/sparse_text.h"
#include "solve/stored.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum
{
    solvedRowsMax = 60,
};

// A problem of bodies, without forming W.
static void solveSparse(const char* text, size_t size)
{
    palStoredSparse stored;
    palError error;
    bool isSparse;
    if (palStoredSparse_Parse("input", text, size, &isSparse, &stored, &error) != pal_ok ||
        !isSparse)
        return;
    const palSparseProblem* problem = &stored.problem;
    palSparseWorkspace* workspace = NULL;
    palTwist* displacement = calloc((size_t)problem->bodyCount + 1, sizeof *displacement);
    if (displacement != NULL &&
        palSparseWorkspace_Create(problem->bodyCount, problem->rows, problem->blockCount,
                                  &workspace, &error) == pal_ok)
        for (palSolver solver = pal_solverAutomatic; palSolverName(solver) != NULL; solver++)
        {
            palSolveSettings settings = palDefaultSolveSettings();
            settings.solver = solver;
            settings.maxSweeps = 20;
            palSolveInfo info;
            palSparseProblem_Solve(problem, &settings, workspace, stored.lambda, displacement,
                                   &info);
            for (int i = 0; i < problem->rows; i++)
                require(isfinite(stored.lambda[i]) && !isnan(info.residual));
            for (int i = 0; i < problem->bodyCount; i++)
                require(!isnan(displacement[i].v.x) && !isnan(displacement[i].omega.z));
        }
    palSparseWorkspace_Destroy(workspace);
    free(displacement);
    palStoredSparse_Free(&stored);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    palStoredProblem stored;
    palError error;
    char* text = malloc(size + 1);
    if (text == NULL)
        return 0;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)data[i];
    text[size] = '\0';
    solveSparse(text, size);
    palResult result = palStoredProblem_Parse("input", text, size, &stored, &error);
    free(text);
    if (result != pal_ok)
        return 0;
    palSolveWorkspace* workspace = NULL;
    if (stored.problem.rows <= solvedRowsMax &&
        palSolveWorkspace_Create(stored.problem.rows, true, &workspace, &error) == pal_ok)
        for (palSolver solver = pal_solverAutomatic; palSolverName(solver) != NULL; solver++)
        {
            palSolveSettings settings = palDefaultSolveSettings();
            settings.solver = solver;
            settings.maxSweeps = 50;
            palSolveInfo info;
            palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info);
            for (int i = 0; i < stored.problem.rows; i++)
                require(isfinite(stored.lambda[i]) && !isnan(info.residual));
        }
    palSolveWorkspace_Destroy(workspace);
    palStoredProblem_Free(&stored);
    return 0;
}
