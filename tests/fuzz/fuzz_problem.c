// SPDX-License-Identifier: Apache-2.0
// Problem files: whatever the bytes, reading ends in an error or in a problem that every solver
// survives with finite forces.
#include "target.h"

#include "solve/stored.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum
{
    solvedRowsMax = 60,
};

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
