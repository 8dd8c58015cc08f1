// SPDX-License-Identifier: Apache-2.0
// The contact solver without a session, for use in other simulations: a block of 1 kg rests on two
// points and is pushed sideways with 2 N. The solver computes the friction forces that hold it.
//
//     cc solve_contacts.c $(pkg-config --cflags --libs palpate) -lm -o solve_contacts
//
// With a time step h, a free block of mass m that starts at rest moves by h² F / m in a step: that
// is the free gap, negative if it penetrates. A force λ at a point moves the block by W λ,
//
//     W = h² J M⁻¹ Jᵀ;
//
// here the block only translates, so that a force at either point moves both equally. The contact
// forces must balance the weight and the push.
#include <palpate/solve.h>

#include <stdio.h>

enum
{
    rows = 6, // a normal and two tangents at each of two points
};

static const double h = 0.001;  // s
static const double mass = 1.0; // kg
static const double push = 2.0; // N
static const double weight = 9.81;

int main(void)
{
    // Rows: normal, tangent along the push, tangent perpendicular to it; the same for both points.
    double W[rows][rows] = {{0}};
    double gapFree[rows];
    for (int i = 0; i < rows; i++)
    {
        int axis = i % 3;
        W[i][axis] = W[i][axis + 3] = h * h / mass;
        gapFree[i] = (axis == 0 ? -weight : axis == 1 ? push : 0.0) * h * h / mass;
    }
    const palContactBlock blocks[2] = {
        {.law = pal_lawCone, .row = 0, .size = 3, .mu = 0.4},
        {.law = pal_lawCone, .row = 3, .size = 3, .mu = 0.4},
    };
    const palContactProblem problem = {
        .rows = rows,
        .blockCount = 2,
        .stride = rows,
        .W = &W[0][0],
        .gapFree = gapFree,
        .blocks = blocks,
    };

    palError error;
    palSolveWorkspace* workspace;
    if (palContactProblem_Check(&problem, &error) != pal_ok ||
        palSolveWorkspace_Create(rows, false, &workspace, &error) != pal_ok)
    {
        fprintf(stderr, "solve_contacts: %s\n", error.text);
        return 1;
    }
    palSolveSettings settings = palDefaultSolveSettings();
    palSolveInfo info;
    double lambda[rows] = {0};
    palContactProblem_Solve(&problem, &settings, workspace, lambda, &info);
    palSolveWorkspace_Destroy(workspace);

    printf("normal %.4f N, friction %.4f N, after %d sweeps, residual %.1g m\n",
           lambda[0] + lambda[3], lambda[1] + lambda[4], info.sweeps, info.residual);
    return info.flags & pal_solveConverged ? 0 : 1;
}
