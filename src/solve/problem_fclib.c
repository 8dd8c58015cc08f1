// SPDX-License-Identifier: Apache-2.0
// FCLib's stored friction problems (Acary, Brémond and others, "FCLib: a collection of discrete 3D
// frictional contact problems"), read directly with HDF5: FCLib's reader exits on a damaged file.
//
//     local    u = W r + V λ + q,  0 = Vᵀ r + R λ + s
//     global   M v = H r + G λ + f,  u = Hᵀ v + w,  0 = Gᵀ v + b
//
// A global problem is condensed: with B = [H G],
//
//     W = Bᵀ M⁻¹ B,  δ_free = Bᵀ M⁻¹ f + [w b].
//
// Contacts become cones; the equalities follow as one bilateral block.
#include "base/error.h"
#include "solve/stored.h"

#include <stdlib.h>

#ifdef PAL_HAVE_HDF5

#include <hdf5.h>
#include <string.h>

typedef struct palFclib
{
    hid_t file;
    const char* path;
    const char* group; // "fclib_local" or "fclib_global"
    palError* error;
} palFclib;

static palResult damaged(palFclib* fclib, const char* name, const char* what)
{
    palError_Set(fclib->error, pal_errorInput, "/%s/%s %s", fclib->group, name, what);
    palError_Remedy(fclib->error, "the file may be damaged or not an FCLib problem");
    return palError_At(fclib->error, fclib->path, 0, 0);
}

// Whether group/name exists; HDF5 requires each link of the path to be checked.
static bool has(const palFclib* fclib, const char* name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", fclib->group, name);
    for (char* slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
    {
        *slash = '\0';
        bool exists = H5Lexists(fclib->file, path, H5P_DEFAULT) > 0;
        *slash = '/';
        if (!exists)
            return false;
    }
    return H5Lexists(fclib->file, path, H5P_DEFAULT) > 0;
}

// Reads the dataset group/name of exactly `count` numbers of an HDF5 memory type.
static palResult readArray(palFclib* fclib, const char* name, hid_t type, size_t count,
                           void* values)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", fclib->group, name);
    if (!has(fclib, name))
        return damaged(fclib, name, "is missing");
    hid_t set = H5Dopen2(fclib->file, path, H5P_DEFAULT);
    if (set < 0)
        return damaged(fclib, name, "is not a dataset");
    hid_t space = H5Dget_space(set);
    bool fits = space >= 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)count;
    bool read = fits && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (space >= 0)
        H5Sclose(space);
    H5Dclose(set);
    return read ? pal_ok : damaged(fclib, name, fits ? "cannot be read" : "has a wrong length");
}

static palResult readWhole(palFclib* fclib, const char* name, int low, int high, int* value)
{
    palResult result = readArray(fclib, name, H5T_NATIVE_INT, 1, value);
    if (result == pal_ok && (*value < low || *value > high))
    {
        palError_Set(fclib->error, pal_errorInput, "/%s/%s is %d; the allowed range is %d to %d",
                     fclib->group, name, *value, low, high);
        result = palError_At(fclib->error, fclib->path, 0, 0);
    }
    return result;
}

// A matrix of the file, converted to dense storage.
typedef struct palFclibMatrix
{
    int m, n;
    double* A; // owned, [m][n]
} palFclibMatrix;

// Adds one entry of the compressed or triplet form. Returns false if it is out of range.
static bool addEntry(palFclibMatrix* matrix, int row, int column, double value)
{
    if (row < 0 || row >= matrix->m || column < 0 || column >= matrix->n)
        return false;
    matrix->A[(size_t)row * (size_t)matrix->n + (size_t)column] += value;
    return true;
}

static bool areWithin(const int* indices, int count, int end)
{
    bool within = true;
    for (int k = 0; k < count; k++)
        within = within && indices[k] >= 0 && indices[k] < end;
    return within;
}

// nz >= 0: triplets; -1: compressed columns; -2: compressed rows. In triplets, i are the rows and p
// the columns, as CSparse has them and Siconos writes them; fclib.h says the opposite, which is
// taken where only that fits the size of the matrix.
static bool expand(palFclibMatrix* matrix, int nz, const int* p, const int* i, const double* x,
                   int entries)
{
    bool valid = true;
    bool isSwapped = nz > 0 && !(areWithin(i, nz, matrix->m) && areWithin(p, nz, matrix->n));
    for (int k = 0; nz >= 0 && k < nz; k++)
        valid = valid && addEntry(matrix, isSwapped ? p[k] : i[k], isSwapped ? i[k] : p[k], x[k]);
    int lines = nz == -1 ? matrix->n : matrix->m;
    for (int line = 0; nz < 0 && line < lines; line++)
    {
        valid = valid && p[line] >= 0 && p[line] <= p[line + 1] && p[line + 1] <= entries;
        for (int k = valid ? p[line] : 0; valid && k < p[line + 1]; k++)
            valid =
                nz == -1 ? addEntry(matrix, i[k], line, x[k]) : addEntry(matrix, line, i[k], x[k]);
    }
    return valid;
}

static palResult readMatrix(palFclib* fclib, const char* name, palFclibMatrix* matrix)
{
    enum
    {
        entriesMax = 25000000
    };
    char path[5][64];
    const char* const parts[5] = {"m", "n", "nz", "nzmax", "p"};
    int values[4];
    for (int k = 0; k < 5; k++)
        snprintf(path[k], sizeof path[k], "%s/%s", name, parts[k]);
    const int low[4] = {0, 0, -2, 0};
    const int high[4] = {pal_storedRowsMax, pal_storedRowsMax, entriesMax, entriesMax};
    for (int k = 0; k < 4; k++)
    {
        palResult result = readWhole(fclib, path[k], low[k], high[k], &values[k]);
        if (result != pal_ok)
            return result;
    }
    matrix->m = values[0];
    matrix->n = values[1];
    int nz = values[2];
    int entries = nz >= 0 ? nz : values[3];
    int pointers = nz >= 0 ? nz : (nz == -1 ? matrix->n : matrix->m) + 1;
    int* p = calloc((size_t)pointers + 1, sizeof *p);
    int* i = calloc((size_t)entries + 1, sizeof *i);
    double* x = calloc((size_t)entries + 1, sizeof *x);
    matrix->A = calloc((size_t)matrix->m * (size_t)matrix->n + 1, sizeof *matrix->A);
    palResult result = pal_ok;
    if (p == NULL || i == NULL || x == NULL || matrix->A == NULL)
        result = palError_Memory(fclib->error, "a matrix", (size_t)entries * sizeof *x);
    if (result == pal_ok)
        result = readArray(fclib, path[4], H5T_NATIVE_INT, (size_t)pointers, p);
    snprintf(path[0], sizeof path[0], "%s/i", name);
    snprintf(path[1], sizeof path[1], "%s/x", name);
    if (result == pal_ok)
        result = readArray(fclib, path[0], H5T_NATIVE_INT, (size_t)entries, i);
    if (result == pal_ok)
        result = readArray(fclib, path[1], H5T_NATIVE_DOUBLE, (size_t)entries, x);
    if (result == pal_ok && !expand(matrix, nz, p, i, x, entries))
        result = damaged(fclib, name, "has an entry outside the matrix");
    free(p);
    free(i);
    free(x);
    return result;
}

// Sets the blocks and friction coefficients of `rows` contact rows, then `equalities` bilateral
// rows.
static palResult makeProblem(palFclib* fclib, int rows, int equalities, palStoredProblem* stored)
{
    int dimension = 0;
    palResult result = readWhole(fclib, "spacedim", 2, 3, &dimension);
    if (result == pal_ok && rows % dimension != 0)
        result = damaged(fclib, "spacedim", "does not divide the number of rows");
    if (result == pal_ok && rows + equalities > pal_storedRowsMax)
        result = damaged(fclib, "vectors", "have more rows than supported");
    if (result != pal_ok)
        return result;
    int contacts = rows / dimension;
    result =
        palStoredProblem_Init(stored, rows + equalities, contacts + (equalities > 0), fclib->error);
    if (result != pal_ok)
        return result;
    // The array of λ temporarily holds the friction coefficients.
    result = readArray(fclib, "vectors/mu", H5T_NATIVE_DOUBLE, (size_t)contacts, stored->lambda);
    for (int i = 0; i < contacts; i++)
    {
        stored->blocks[i] = (palContactBlock){
            .law = pal_lawCone, .row = dimension * i, .size = dimension, .mu = stored->lambda[i]};
        stored->lambda[i] = 0.0;
    }
    if (equalities > 0)
        stored->blocks[contacts] =
            (palContactBlock){.law = pal_lawBilateral, .row = rows, .size = equalities};
    return result;
}

// Copies a block into W at (row, column), optionally transposed.
static void placePart(const palFclibMatrix* part, int row, int column, bool transposed,
                      palStoredProblem* stored)
{
    size_t stride = (size_t)stored->problem.stride;
    for (int i = 0; i < part->m; i++)
        for (int j = 0; j < part->n; j++)
            stored->W[(size_t)(row + (transposed ? j : i)) * stride +
                      (size_t)(column + (transposed ? i : j))] =
                part->A[(size_t)i * (size_t)part->n + (size_t)j];
}

static palResult readLocal(palFclib* fclib, palStoredProblem* stored)
{
    palFclibMatrix W = {0}, V = {0}, R = {0};
    bool mixed = has(fclib, "V");
    palResult result = readMatrix(fclib, "W", &W);
    if (result == pal_ok && mixed)
        result = readMatrix(fclib, "V", &V);
    if (result == pal_ok && mixed)
        result = readMatrix(fclib, "R", &R);
    if (result == pal_ok && (W.m != W.n || (mixed && (V.m != W.m || R.m != V.n || R.n != V.n))))
        result = damaged(fclib, "W", "and the related matrices have inconsistent sizes");
    if (result == pal_ok)
        result = makeProblem(fclib, W.m, V.n, stored);
    if (result == pal_ok)
    {
        placePart(&W, 0, 0, false, stored);
        placePart(&V, 0, W.m, false, stored);
        placePart(&V, W.m, 0, true, stored);
        placePart(&R, W.m, W.m, false, stored);
        result = readArray(fclib, "vectors/q", H5T_NATIVE_DOUBLE, (size_t)W.m, stored->gapFree);
    }
    if (result == pal_ok && mixed)
        result =
            readArray(fclib, "vectors/s", H5T_NATIVE_DOUBLE, (size_t)V.n, stored->gapFree + W.m);
    free(W.A);
    free(V.A);
    free(R.A);
    return result;
}

// Bᵀ of B = [H G], by rows.
static void fillTransposed(const palFclibMatrix* H, const palFclibMatrix* G, double* Bt)
{
    for (int r = 0; r < H->n + G->n; r++)
        for (int k = 0; k < H->m; k++)
        {
            const palFclibMatrix* part = r < H->n ? H : G;
            int column = r < H->n ? r : r - H->n;
            Bt[(size_t)r * (size_t)H->m + (size_t)k] =
                part->A[(size_t)k * (size_t)part->n + (size_t)column];
        }
}

static palResult readGlobalParts(palFclib* fclib, palFclibMatrix* M, palFclibMatrix* H,
                                 palFclibMatrix* G, palStoredProblem* stored)
{
    bool mixed = has(fclib, "G");
    palResult result = readMatrix(fclib, "M", M);
    if (result == pal_ok)
        result = readMatrix(fclib, "H", H);
    if (result == pal_ok && mixed)
        result = readMatrix(fclib, "G", G);
    if (result == pal_ok && (M->m != M->n || H->m != M->m || (mixed && G->m != M->m)))
        result = damaged(fclib, "M", "and the related matrices have inconsistent sizes");
    if (result == pal_ok)
        result = makeProblem(fclib, H->n, G->n, stored);
    if (result == pal_ok)
        result = readArray(fclib, "vectors/w", H5T_NATIVE_DOUBLE, (size_t)H->n, stored->gapFree);
    if (result == pal_ok && mixed)
        result =
            readArray(fclib, "vectors/b", H5T_NATIVE_DOUBLE, (size_t)G->n, stored->gapFree + H->n);
    return result;
}

static palResult readGlobal(palFclib* fclib, palStoredProblem* stored)
{
    palFclibMatrix M = {0}, H = {0}, G = {0};
    double* f = NULL;
    double* Bt = NULL;
    palResult result = readGlobalParts(fclib, &M, &H, &G, stored);
    if (result == pal_ok)
    {
        size_t size = (size_t)stored->problem.rows * (size_t)M.n + 1;
        f = calloc((size_t)M.n + 1, sizeof *f);
        Bt = calloc(size, sizeof *Bt);
        if (f == NULL || Bt == NULL)
            result = palError_Memory(fclib->error, "condensing a problem", size * sizeof *Bt);
    }
    if (result == pal_ok)
        result = readArray(fclib, "vectors/f", H5T_NATIVE_DOUBLE, (size_t)M.n, f);
    if (result == pal_ok)
    {
        fillTransposed(&H, &G, Bt);
        result = palStoredProblem_Condense(stored, M.n, M.A, Bt, f, fclib->error);
        if (result != pal_ok)
            palError_At(fclib->error, fclib->path, 0, 0);
    }
    free(f);
    free(Bt);
    free(M.A);
    free(H.A);
    free(G.A);
    return result;
}

static palResult readProblem(palFclib* fclib, palStoredProblem* stored)
{
    bool local = H5Lexists(fclib->file, "fclib_local", H5P_DEFAULT) > 0;
    if (!local && H5Lexists(fclib->file, "fclib_global", H5P_DEFAULT) <= 0)
    {
        palError_Set(fclib->error, pal_errorInput,
                     "this HDF5 file has neither /fclib_local nor /fclib_global");
        return palError_At(fclib->error, fclib->path, 0, 0);
    }
    fclib->group = local ? "fclib_local" : "fclib_global";
    palResult result = local ? readLocal(fclib, stored) : readGlobal(fclib, stored);
    if (result != pal_ok)
        return result;
    stored->format = local ? "FCLib local" : "FCLib global";
    palStoredProblem_Symmetrize(stored);
    result = palContactProblem_Check(&stored->problem, fclib->error);
    if (result != pal_ok)
        palError_At(fclib->error, fclib->path, 0, 0);
    return result;
}

palResult palStoredProblem_ReadFclib(const char* path, palStoredProblem* stored, palError* error)
{
    // Suppress HDF5's printing of errors.
    H5E_auto2_t report;
    void* context;
    H5Eget_auto2(H5E_DEFAULT, &report, &context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    palFclib fclib = {.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
                      .path = path,
                      .group = "",
                      .error = error};
    palResult result;
    if (fclib.file < 0)
    {
        palError_Set(error, pal_errorInput, "this HDF5 file cannot be opened; it may be damaged");
        result = palError_At(error, path, 0, 0);
    }
    else
    {
        result = readProblem(&fclib, stored);
        H5Fclose(fclib.file);
    }
    H5Eset_auto2(H5E_DEFAULT, report, context);
    return result;
}

#else

palResult palStoredProblem_ReadFclib(const char* path, palStoredProblem* stored, palError* error)
{
    (void)stored;
    palError_Set(error, pal_errorUnusable, "this build cannot read HDF5 files");
    palError_Remedy(error, "install libhdf5-dev (a dependency of libfclib-dev) and build again");
    palError_At(error, path, 0, 0);
    return pal_errorUnusable;
}

#endif
