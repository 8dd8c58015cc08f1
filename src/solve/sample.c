// SPDX-License-Identifier: Apache-2.0
#include "solve/sample.h"

#include "base/error.h"
#include "base/random.h"
#include "solve/rows.h"
#include "solve/stored.h"

#include <math.h>
#include <stdlib.h>

palSampleDef palDefaultSampleDef(void)
{
    return (palSampleDef){
        .seed = 1,
        .contacts = 10,
        .law = pal_lawCone,
        .dofs = 60,
        .local = 0.1,
        .conditioning = 1.0,
        .pressed = 0.5,
        .muLow = 0.5,
        .muHigh = 0.5,
    };
}

static int contactRows(palLaw law)
{
    return law == pal_lawTorsion ? 4 : law >= pal_lawPyramid ? 3 : 1;
}

static void fillBlocks(const palSampleDef* def, palRandom* random, palStoredProblem* stored)
{
    int row = 0;
    palContactBlock* block = stored->blocks;
    if (def->joints > 0)
    {
        *block++ = (palContactBlock){.law = pal_lawBilateral, .size = def->joints};
        row = def->joints;
    }
    int size = contactRows(def->law);
    for (int i = 0; i < def->contacts; i++, row += size)
        *block++ = (palContactBlock){
            .law = def->law,
            .row = row,
            .size = size,
            .mu = palRandom_Range(random, def->muLow, def->muHigh),
            .radius = 0.01,
            .low = -0.5,
            .high = 0.5,
        };
}

// J, [rows][dofs]. The signs of the normals are chosen so that the fraction `pressed` of the
// contacts closes under v.
static void fillRows(const palSampleDef* def, palRandom* random, int rows, const double* v,
                     double* J)
{
    int size = contactRows(def->law);
    for (int i = 0; i < rows; i++)
    {
        double* row = J + (size_t)i * (size_t)def->dofs;
        double speed = 0.0;
        for (int k = 0; k < def->dofs; k++)
        {
            row[k] = palRandom_Normal(random) / sqrt(def->dofs);
            speed += row[k] * v[k];
        }
        bool normal = i >= def->joints && (i - def->joints) % size == 0;
        bool closing = palRandom_Unit(random) < def->pressed;
        if (normal && closing == (speed > 0.0))
            for (int k = 0; k < def->dofs; k++)
                row[k] = -row[k];
        // A torsion row is an angle: 1/radius times a displacement.
        bool torsion =
            def->law == pal_lawTorsion && i >= def->joints && (i - def->joints) % size == 3;
        for (int k = 0; k < def->dofs && torsion; k++)
            row[k] *= 100.0;
    }
}

// Computes W from J, whose columns are first scaled by the square root of C.
static void fillCompliance(const palSampleDef* def, double* J, palStoredProblem* stored)
{
    const palRowKernels* kernels = palRowKernels_Best();
    size_t n = (size_t)stored->problem.rows;
    size_t stride = (size_t)stored->problem.stride;
    size_t dofs = (size_t)def->dofs;
    const double compliance = 1e-3; // m/N
    for (size_t k = 0; k < dofs; k++)
    {
        double fraction = dofs > 1 ? (double)k / (double)(dofs - 1) : 0.0;
        double root = pow(def->conditioning, -0.5 * fraction);
        for (size_t i = 0; i < n; i++)
            J[i * dofs + k] *= root;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
        {
            double sum = kernels->dot(def->dofs, J + i * dofs, J + j * dofs);
            sum += i == j ? def->local : 0.0;
            stored->W[i * stride + j] = compliance * sum;
            stored->W[j * stride + i] = compliance * sum;
        }
}

palResult palSampleProblem(const palSampleDef* def, palStoredProblem* stored, palError* error)
{
    palRandom random = palMakeRandom(def->seed);
    int rows = def->joints + def->contacts * contactRows(def->law);
    int blockCount = def->contacts + (def->joints > 0 ? 1 : 0);
    palResult result = palStoredProblem_Init(stored, rows, blockCount, error);
    if (result != pal_ok)
        return result;
    size_t dofs = (size_t)def->dofs;
    double* J = calloc(((size_t)rows + 1) * dofs + 1, sizeof *J);
    if (J == NULL)
    {
        palStoredProblem_Free(stored);
        return palError_Memory(error, "a random problem", ((size_t)rows + 1) * dofs * sizeof *J);
    }
    double* v = J + (size_t)rows * dofs;
    for (size_t k = 0; k < dofs; k++)
        v[k] = 1e-3 * palRandom_Normal(&random);
    fillBlocks(def, &random, stored);
    fillRows(def, &random, rows, v, J);
    for (int i = 0; i < rows; i++)
        for (size_t k = 0; k < dofs; k++)
            stored->gapFree[i] += J[(size_t)i * dofs + k] * v[k];
    fillCompliance(def, J, stored);
    free(J);
    return pal_ok;
}
