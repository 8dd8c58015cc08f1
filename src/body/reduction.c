// SPDX-License-Identifier: Apache-2.0
#include "body/reduction.h"

#include "body/gram.h"
#include "body/response.h"

#include <cblas.h>

enum
{
    columnsMax = pal_responseColumnsMax,
    square = columnsMax * columnsMax,
};

// VᵀMV, VᵀKV, and what their diagonalisation needs.
size_t palReduction_WorkSize(void)
{
    return 2 * (size_t)square + palGram_WorkSize(columnsMax);
}

static int rowCount(const palReducedBody* body)
{
    return 3 * body->K->nodeCount;
}

// One body's share of the upper triangle of the Gram matrix of M^½ V, added to or put in its place.
static void fillGram(const palReduction* r, int b, bool adds, double* S)
{
    const palReducedBody* body = &r->bodies[b];
    int n = rowCount(body);
    int u = r->unitCount, d = r->denseCount, c = u + d;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, d, n, 1.0, body->W, n, adds ? 1.0 : 0.0,
                S + u * c + u, c);
    for (int i = 0; i < u; i++)
    {
        bool isHere = r->unitBody[i] == b;
        for (int j = i; j < u; j++)
            S[i * c + j] = (adds ? S[i * c + j] : 0.0) +
                           (isHere && r->unitBody[j] == b && r->unitRow[i] == r->unitRow[j]);
        for (int j = 0; j < d; j++)
            S[i * c + u + j] =
                (adds ? S[i * c + u + j] : 0.0) +
                (isHere ? body->W[(size_t)j * (size_t)n + (size_t)r->unitRow[i]] : 0.0);
    }
}

// An entry of K.
static double entryOf(const palBlockMatrix* K, int row, int column)
{
    int high = row > column ? row : column;
    int low = row > column ? column : row;
    int slot = palBlockMatrix_Slot(K, high / 3, low / 3);
    return slot >= 0 ? K->blocks[slot].m[high % 3][low % 3] : 0.0;
}

// One body's share of VᵀKV, likewise.
static void fillStiffness(const palReduction* r, int b, bool adds, double* raw)
{
    const palReducedBody* body = &r->bodies[b];
    int n = rowCount(body);
    int u = r->unitCount, d = r->denseCount, c = u + d;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, d, d, n, 1.0, body->V, n, body->KV, n,
                adds ? 1.0 : 0.0, raw + u * c + u, c);
    for (int i = 0; i < u; i++)
    {
        bool isHere = r->unitBody[i] == b;
        for (int j = 0; j < u; j++)
        {
            double product = isHere && r->unitBody[j] == b
                                 ? r->unitScale[i] * r->unitScale[j] *
                                       entryOf(body->K, r->unitRow[i], r->unitRow[j])
                                 : 0.0;
            raw[i * c + j] = (adds ? raw[i * c + j] : 0.0) + product;
        }
        for (int j = 0; j < d; j++)
        {
            double product =
                isHere ? r->unitScale[i] * body->KV[(size_t)j * (size_t)n + (size_t)r->unitRow[i]]
                       : 0.0;
            raw[i * c + u + j] = raw[(u + j) * c + i] = (adds ? raw[i * c + u + j] : 0.0) + product;
        }
    }
}

int palReduction_Diagonalise(const palReduction* reduction, double* turn, double* k)
{
    palGram gram = {
        .columns = reduction->unitCount + reduction->denseCount,
        .mass = reduction->work,
        .stiffness = reduction->work + square,
        .work = reduction->work + 2 * (size_t)square,
    };
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        fillGram(reduction, b, b > 0, gram.mass);
        fillStiffness(reduction, b, b > 0, gram.stiffness);
    }
    return palGram_Diagonalise(&gram, turn, k);
}

// Σ turn[i][m] P[i][j] turn[j][m] for every mode m; P symmetric.
static void projectDiagonal(const double* P, const double* turn, int columns, int modes,
                            double* half, double* diagonal)
{
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, columns, modes, 1.0, P, columns, turn, modes,
                0.0, half, modes);
    for (int m = 0; m < modes; m++)
        diagonal[m] = cblas_ddot(columns, turn + m, modes, half + m, modes);
}

void palReduction_Shares(const palReduction* reduction, int body, const double* turn, int modes,
                         double* mass, double* stiffness)
{
    int columns = reduction->unitCount + reduction->denseCount;
    double* P = reduction->work;
    double* half = reduction->work + square;
    fillGram(reduction, body, false, P);
    projectDiagonal(P, turn, columns, modes, half, mass);
    fillStiffness(reduction, body, false, P);
    projectDiagonal(P, turn, columns, modes, half, stiffness);
}
