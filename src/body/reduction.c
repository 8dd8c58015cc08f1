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

static int rowCount(const palReduction* r)
{
    return 3 * r->K->nodeCount;
}

// The upper triangle of the Gram matrix of M^½ V.
static void fillGram(const palReduction* r, double* S)
{
    int n = rowCount(r);
    int u = r->unitCount, d = r->denseCount, c = u + d;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, d, n, 1.0, r->W, n, 0.0, S + u * c + u, c);
    for (int i = 0; i < u; i++)
    {
        for (int j = i; j < u; j++)
            S[i * c + j] = r->unitRow[i] == r->unitRow[j];
        for (int j = 0; j < d; j++)
            S[i * c + u + j] = r->W[(size_t)j * (size_t)n + (size_t)r->unitRow[i]];
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

// VᵀKV.
static void fillStiffness(const palReduction* r, double* raw)
{
    int n = rowCount(r);
    int u = r->unitCount, d = r->denseCount, c = u + d;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, d, d, n, 1.0, r->V, n, r->KV, n, 0.0,
                raw + u * c + u, c);
    for (int i = 0; i < u; i++)
    {
        for (int j = 0; j < u; j++)
            raw[i * c + j] =
                r->unitScale[i] * r->unitScale[j] * entryOf(r->K, r->unitRow[i], r->unitRow[j]);
        for (int j = 0; j < d; j++)
            raw[i * c + u + j] = raw[(u + j) * c + i] =
                r->unitScale[i] * r->KV[(size_t)j * (size_t)n + (size_t)r->unitRow[i]];
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
    fillGram(reduction, gram.mass);
    fillStiffness(reduction, gram.stiffness);
    return palGram_Diagonalise(&gram, turn, k);
}
