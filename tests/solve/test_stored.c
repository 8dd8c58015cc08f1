// SPDX-License-Identifier: Apache-2.0
// The file formats of contact problems.
#include "comma_locale.h"
#include "solve/sample.h"
#include "solve/stored.h"

#ifdef PAL_HAVE_HDF5
#include <hdf5.h>
#endif

#include <unistd.h>

static palResult parse(const char* text, palStoredProblem* stored, palError* error)
{
    return palStoredProblem_Parse("problem.txt", text, strlen(text), stored, error);
}

static void checkMatrix(const palStoredProblem* stored, const double* expected)
{
    int n = stored->problem.rows;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            ASSERT_NEAR(stored->W[i * stored->problem.stride + j], expected[i * n + j], 0.0);
}

static void a_written_problem_reads_back_bit_for_bit(void** state)
{
    (void)state;
    char path[] = "/tmp/palpate_problem_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    for (palLaw law = pal_lawUnilateral; law <= pal_lawTorsion; law++)
        for (int asymmetric = 0; asymmetric < 2; asymmetric++)
        {
            palSampleDef def = palDefaultSampleDef();
            palStoredProblem stored, back;
            palError error = {0};
            def.law = law;
            def.joints = 4;
            assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
            int n = stored.problem.rows;
            stored.problem.asymmetric = asymmetric;
            if (asymmetric)
                stored.W[1] *= 1.5;
            for (int i = 0; i < n; i++)
                stored.lambda[i] = sqrt(i) / 3.0;
            assert_int_equal(palContactProblem_Write(&stored.problem, stored.lambda, path, &error),
                             pal_ok);
            assert_int_equal(palStoredProblem_Read(path, &back, &error), pal_ok);
            assert_string_equal(back.format, "palpate problem");
            assert_int_equal(back.problem.rows, n);
            assert_int_equal(back.problem.blockCount, stored.problem.blockCount);
            assert_int_equal(back.problem.asymmetric, asymmetric);
            assert_true(back.hasGuess);
            size_t size = (size_t)n * sizeof(double);
            assert_memory_equal(back.gapFree, stored.gapFree, size);
            assert_memory_equal(back.lambda, stored.lambda, size);
            for (int i = 0; i < n; i++)
                assert_memory_equal(back.W + i * back.problem.stride,
                                    stored.W + i * stored.problem.stride, size);
            for (int b = 0; b < stored.problem.blockCount; b++)
            {
                assert_int_equal(back.blocks[b].law, stored.blocks[b].law);
                assert_int_equal(back.blocks[b].row, stored.blocks[b].row);
                assert_int_equal(back.blocks[b].size, stored.blocks[b].size);
                if (stored.blocks[b].law >= pal_lawPyramid)
                    ASSERT_NEAR(back.blocks[b].mu, stored.blocks[b].mu, 0.0);
            }
            palStoredProblem_Free(&stored);
            palStoredProblem_Free(&back);
        }
    unlink(path);
}

// Read and written with a point under a locale that has a comma.
static void numbers_do_not_depend_on_the_locale(void** state)
{
    (void)state;
    if (!enterCommaLocale())
        SKIP(NO_COMMA_LOCALE);
    char path[] = "/tmp/palpate_problem_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    palStoredProblem stored, back;
    const char text[] = "palpate-problem 1 rows 1 block unilateral 1\n"
                        "matrix symmetric 0.5 gap -0.25";
    palResult parsed = parse(text, &stored, NULL);
    palResult written = palContactProblem_Write(&stored.problem, NULL, path, NULL);
    leaveCommaLocale();
    assert_int_equal(parsed, pal_ok);
    assert_int_equal(written, pal_ok);
    assert_int_equal(palStoredProblem_Read(path, &back, NULL), pal_ok);
    ASSERT_NEAR(back.W[0], 0.5, 0.0);
    ASSERT_NEAR(back.gapFree[0], -0.25, 0.0);
    palStoredProblem_Free(&stored);
    palStoredProblem_Free(&back);
    unlink(path);
}

static void our_format_reads_every_law(void** state)
{
    (void)state;
    palStoredProblem stored;
    palError error = {0};
    const char* text = "palpate-problem 1 # a remark\n"
                       "rows 11\n"
                       "block unilateral 1\n"
                       "block bilateral 1\n"
                       "block box 1 low -2 high inf\n"
                       "block pyramid 2 mu 0.25\n"
                       "block torsion 4 mu 0.5 radius 0.01\n"
                       "block box 2 high 3\n"
                       "matrix symmetric\n"
                       "1\n0 2\n0 0 3\n0 0 0 4\n0 0 0 1 5\n0 0 0 0 0 6\n0 0 0 0 0 0 7\n"
                       "0 0 0 0 0 0 0 8\n0 0 0 0 0 0 0 0 9\n0 0 0 0 0 0 0 0 0 10\n"
                       "0 0 0 0 0 0 0 0 0 0 11\n"
                       "gap -1 2 3 4 5 6 7 8 9 10 1.5e-3\n";
    assert_int_equal(parse(text, &stored, &error), pal_ok);
    assert_int_equal(stored.problem.blockCount, 6);
    assert_false(stored.problem.asymmetric);
    assert_false(stored.hasGuess);
    assert_int_equal(stored.blocks[3].law, pal_lawPyramid);
    assert_int_equal(stored.blocks[4].row, 5);
    ASSERT_NEAR(stored.blocks[2].low, -2.0, 0.0);
    assert_true(isinf(stored.blocks[2].high));
    assert_true(isinf(stored.blocks[5].low));
    ASSERT_NEAR(stored.blocks[4].radius, 0.01, 0.0);
    ASSERT_NEAR(stored.W[3 * stored.problem.stride + 4], 1.0, 0.0);
    ASSERT_NEAR(stored.gapFree[10], 1.5e-3, 0.0);
    palStoredProblem_Free(&stored);
}

static void errors_name_the_place_and_the_remedy(void** state)
{
    (void)state;
    const struct
    {
        const char* text;
        int line;
        int column;
        const char* part; // of the message
    } cases[] = {
        {"palpate-problem 2\n", 1, 17, "version"},
        {"palpate-problem 1\nrow 3\n", 2, 1, "'rows' is expected"},
        {"palpate-problem 1\nrows 1\nblock unilaterl 1\nmatrix symmetric 1\ngap 1\n", 3, 7,
         "did you mean 'unilateral'"},
        {"palpate-problem 1\nrows 2\nblock cone 3 mu 1\nmatrix symmetric 1 0 1\ngap 1 1\n", 3, 12,
         "number of rows"},
        {"palpate-problem 1\nrows 1\nblock unilateral 1\nmatrix symmetric\n1x\ngap 1\n", 5, 1,
         "'1x' is not a number"},
        {"palpate-problem 1\nrows 1\nblock unilateral 1\nmatrix symmetric\nnan\ngap 1\n", 5, 1,
         "'nan' is not a number"},
        {"palpate-problem 1\nrows 1\nblock unilateral 1\nmatrix symmetric 1\ngap\n", 6, 1,
         "the file ends"},
        {"palpate-problem 1\nrows 1\nblock unilateral 1\nmatrix symmetric 1\ngap 1 2\n", 5, 7,
         "unexpected text"},
        {"palpate-problem 1\nrows 4000\nblock unilateral 4000\n", 2, 10, "too short"},
        {"palpate-problem 1\nrows 1\nblock cone 1\nmatrix symmetric 1\ngap 1\n", 0, 0,
         "do not fit the law cone"},
        {"what is this\n", 1, 1, "unknown format"},
        {"", 1, 1, "unknown format"},
        {"3\n2\n0\n3\n3\n", 6, 1, "the file ends"},
        {"2\n0\n2\n2\n2 2\n1 0 0 one\n1 1\n", 6, 7, "'one' is not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        palStoredProblem stored;
        palError error = {0};
        assert_int_equal(parse(cases[i].text, &stored, &error), pal_errorInput);
        char message[2048];
        palError_Format(&error, message, sizeof message);
        if (strstr(message, cases[i].part) == NULL || error.line != cases[i].line ||
            error.column != cases[i].column || strcmp(error.file, "problem.txt") != 0)
        {
            print_error("%zu: %s\n", i, message);
            fail();
        }
        assert_null(stored.W);
    }
    palStoredProblem stored;
    palError error = {0};
    assert_int_equal(palStoredProblem_Read("/nowhere/problem.txt", &stored, &error), pal_errorFile);
}

static void siconos_dense_lcp_is_read_by_columns(void** state)
{
    (void)state;
    palStoredProblem stored;
    palError error = {0};
    const char* text = "2\n0\n2\n2\n2\t2\n 4.0e0 1.0\n 2.0 3.0\n -1 -2\n";
    const double M[] = {4, 2, 1, 3};
    assert_int_equal(parse(text, &stored, &error), pal_ok);
    assert_string_equal(stored.format, "Siconos LCP");
    assert_true(stored.problem.asymmetric);
    checkMatrix(&stored, M);
    ASSERT_NEAR(stored.gapFree[1], -2.0, 0.0);
    assert_int_equal(stored.blocks[0].law, pal_lawUnilateral);
    palStoredProblem_Free(&stored);
}

// What follows q are the bounds of a relay, unless it is a solution of the LCP or no such numbers.
static void siconos_relays_are_told_from_solved_lcps(void** state)
{
    (void)state;
    const struct
    {
        const char* rest;
        bool isRelay;
    } cases[] = {{"-1 -1 1 2", true},    {"0 0 1 1", true},  {"0.25 0 0 2.25", false},
                 {"-1 -1 1", false},     {"1 1 0 0", false}, {"0 0 1 1 1", false},
                 {"0 0 1 remark", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        palStoredProblem stored;
        palError error = {0};
        char text[100];
        snprintf(text, sizeof text, "2\n0\n2\n2\n2\t2\n 4 1\n 1 3\n -1 2\n%s\n", cases[i].rest);
        assert_int_equal(parse(text, &stored, &error), pal_ok);
        assert_string_equal(stored.format, cases[i].isRelay ? "Siconos relay" : "Siconos LCP");
        assert_int_equal(stored.problem.blockCount, cases[i].isRelay ? 2 : 1);
        assert_int_equal(stored.blocks[0].law, cases[i].isRelay ? pal_lawBox : pal_lawUnilateral);
        if (i == 0)
            assert_true(stored.blocks[1].low == -1.0 && stored.blocks[1].high == 2.0);
        palStoredProblem_Free(&stored);
    }
}

static void siconos_friction_with_sparse_blocks_is_read(void** state)
{
    (void)state;
    // Two contacts; blocks (0,0), (0,1), (1,0) and (1,1) of 3 × 3, by columns.
    const char* text = "3\n2\n1\n6\n6\n4\n2\n2\n3 6\n3 6\n3\n4\n0 2 4\n0 1 0 1\n"
                       "0\n10 0 0 0 11 0 0 0 12\n"
                       "1\n1 2 3 4 5 6 7 8 9\n"
                       "2\n1 4 7 2 5 8 3 6 9\n"
                       "3\n20 0 0 0 21 0 0 0 22\n"
                       "-1 2 3 -4 5 6\n0.3 0.4\n1\n";
    const double W[] = {10, 0, 0, 1,  4, 7, 0, 11, 0, 2, 5,  8, 0, 0, 12, 3, 6, 9,
                        1,  2, 3, 20, 0, 0, 4, 5,  6, 0, 21, 0, 7, 8, 9,  0, 0, 22};
    palStoredProblem stored;
    palError error = {0};
    assert_int_equal(parse(text, &stored, &error), pal_ok);
    assert_string_equal(stored.format, "Siconos friction");
    checkMatrix(&stored, W);
    assert_false(stored.problem.asymmetric);
    assert_int_equal(stored.problem.blockCount, 2);
    ASSERT_NEAR(stored.blocks[1].mu, 0.4, 0.0);
    ASSERT_NEAR(stored.gapFree[3], -4.0, 0.0);
    palStoredProblem_Free(&stored);
}

// The same matrix dense and as CSparse prints it, of triplets and of columns, one of them empty.
static void siconos_friction_with_a_sparse_matrix_is_read(void** state)
{
    (void)state;
    const char* const texts[] = {
        "2\n2\n0\n4\n4\n4 4\n4 1 0 0\n1 5 0 -2\n0 0 0 0\n0 -2 0 7\n-1 2 3 -4\n0.3 0.4\n",
        "2\n2\n2\n4\n4\n1\nCSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis\n"
        "triplet: 4-by-4, nzmax: 12 nnz: 7\n    0 0 : 4\n    1 0 : 1\n    0 1 : 1\n    1 1 : 5\n"
        "    3 1 : -2\n    1 3 : -2\n    3 3 : 7\n -1e0 2 3 -4 \n 0.3 0.4 \n",
        "2\n2\n2\n4\n4\n2\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis\n"
        "4-by-4, nzmax: 7 nnz: 7, 1-norm: 9\n    col 0 : locations 0 to 1\n      0 : 4\n      1 : "
        "1\n"
        "    col 1 : locations 2 to 4\n      0 : 1\n      1 : 5\n      3 : -2\n"
        "    col 2 : locations 5 to 4\n    col 3 : locations 5 to 6\n      1 : -2\n      3 : 7\n"
        "-1 2 3 -4\n0.3 0.4\n",
    };
    const double W[] = {4, 1, 0, 0, 1, 5, 0, -2, 0, 0, 0, 0, 0, -2, 0, 7};
    for (int i = 0; i < 3; i++)
    {
        palStoredProblem stored;
        palError error = {0};
        if (parse(texts[i], &stored, &error) != pal_ok)
            fail_msg("%d:%d: %s", error.line, error.column, error.text);
        assert_string_equal(stored.format, "Siconos friction");
        checkMatrix(&stored, W);
        assert_int_equal(stored.problem.blockCount, 2);
        assert_int_equal(stored.blocks[1].size, 2);
        ASSERT_NEAR(stored.blocks[1].mu, 0.4, 0.0);
        ASSERT_NEAR(stored.gapFree[3], -4.0, 0.0);
        palStoredProblem_Free(&stored);
        // Cut anywhere before the last number it is refused.
        for (size_t length = 0; length + 4 < strlen(texts[i]); length++)
        {
            assert_int_equal(palStoredProblem_Parse("x", texts[i], length, &stored, &error),
                             pal_errorInput);
            palStoredProblem_Free(&stored);
        }
    }
}

// Two masses of 2 and 4 and a contact between them, in two dimensions: as in the test of FCLib's
// global problems below. With as many velocities as rows, a global problem begins as a local one.
static void siconos_global_friction_is_condensed(void** state)
{
    (void)state;
    const char* const texts[] = {
        "2\n1\n0\n2\n2\n2 2\n2 0\n0 4\n0\n2\n2\n2 2\n1 -1\n0.5 0\n6 8 0.25 1\n0.2\n1\n",
        "2\n1\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n0\n0\n2 0 0 4\n"
        "0\n2\n2\n2 2\n1 -1\n0.5 0\n6 8 0.25 1\n0.2\n1\n",
        "2\n1\n2\n2\n2\n1\nCSparse\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 2\n1 1 : 4\n"
        "2\n2\n2\n2\nCSparse\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 2\ncol 0 : locations 0 to 1\n"
        "0 : 1\n1 : -1\ncol 1 : locations 2 to 2\n0 : 0.5\n6 8 0.25 1\n0.2\n1\n",
    };
    const double W[] = {0.75, 0.25, 0.25, 0.125};
    palStoredProblem stored;
    palError error = {0};
    for (int i = 0; i < 3; i++)
    {
        if (parse(texts[i], &stored, &error) != pal_ok)
            fail_msg("%d:%d: %s", error.line, error.column, error.text);
        assert_string_equal(stored.format, "Siconos global friction");
        checkMatrix(&stored, W);
        ASSERT_NEAR(stored.gapFree[0], 3.0 - 2.0 + 0.25, 1e-15);
        ASSERT_NEAR(stored.gapFree[1], 1.5 + 1.0, 1e-15);
        ASSERT_NEAR(stored.blocks[0].mu, 0.2, 0.0);
        palStoredProblem_Free(&stored);
    }
    // More velocities than rows; without contacts there is nothing to solve.
    const char* three = "2\n1\n0\n3\n3\n3 3\n2 0 0 0 4 0 0 0 5\n0\n3\n2\n3 2\n1 -1 0 0.5 0 0\n"
                        "6 8 9 0.25 1\n0.2\n";
    assert_int_equal(parse(three, &stored, &error), pal_ok);
    checkMatrix(&stored, W);
    palStoredProblem_Free(&stored);
    const char* none = "2\n0\n0\n3\n3\n3 3\n2 0 0 0 4 0 0 0 5\n0\n3\n0\n3 0\n6 8 9\n";
    assert_int_equal(parse(none, &stored, &error), pal_ok);
    assert_int_equal(stored.problem.rows, 0);
    palStoredProblem_Free(&stored);

    // A mass that is not positive, and rolling friction.
    const char* bad = "2\n1\n0\n2\n2\n2 2\n2 0\n0 -4\n0\n2\n2\n2 2\n1 -1\n0.5 0\n6 8 0.25 1\n0.2\n";
    assert_int_equal(parse(bad, &stored, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "positive definite"));
    palStoredProblem_Free(&stored);
    assert_int_equal(parse("5\n2\n0\n10\n10\n10 10\n1 2 3\n", &stored, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "rolling friction"));
}

static void siconos_mixed_problems_are_read_in_all_three_forms(void** state)
{
    (void)state;
    // One equality, two complementarities: M = [A C; D B].
    const double M[] = {1, 5, 6, 7, 1, 2, 8, 3, 4};
    const char* texts[] = {
        "1\n0\n1\n2\n0 1 3\n0 1\n0\n3\n3\n3 3\n1 7 8\n5 1 3\n6 2 4\n9 10 11\n",
        "0\n1\n1\n2\n1\n1 2\n3 4\n5 6\n7\n8\n9\n10 11\n",
        "1\n2\n\n3\n\n1\n\n1 2\n3 4\n\n5 6\n\n7\n8\n\n9\n\n10\n11\n\n0.1 0.2 0.3 0.4 0.5\n",
    };
    for (int i = 0; i < 3; i++)
    {
        palStoredProblem stored;
        palError error = {0};
        assert_int_equal(parse(texts[i], &stored, &error), pal_ok);
        assert_string_equal(stored.format, "Siconos mixed LCP");
        checkMatrix(&stored, M);
        assert_int_equal(stored.problem.blockCount, 2);
        assert_int_equal(stored.blocks[0].law, pal_lawBilateral);
        assert_int_equal(stored.blocks[1].law, pal_lawUnilateral);
        assert_int_equal(stored.blocks[1].size, 2);
        ASSERT_NEAR(stored.gapFree[2], 11.0, 0.0);
        palStoredProblem_Free(&stored);
    }
}

#ifdef PAL_HAVE_HDF5

static void putArray(hid_t file, const char* path, hid_t type, int count, const void* values)
{
    hid_t creation = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(creation, 1);
    hsize_t size = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(file, path, type, space, creation, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(creation);
}

// A dense matrix in one of FCLib's forms: 0 triplets as Siconos writes them, 1 as fclib.h describes
// them, -1 compressed columns, -2 rows.
static void putMatrix(hid_t file, const char* group, int m, int n, const double* A, int form)
{
    int p[64] = {0}, i[64];
    double x[64];
    int count = 0, lines = form == -2 ? m : n, across = form == -2 ? n : m;
    for (int line = 0; line < lines; line++)
    {
        for (int k = 0; k < across; k++)
        {
            double value = form == -2 ? A[line * n + k] : A[k * n + line];
            if (value == 0.0)
                continue;
            if (form == 0)
                p[count] = line;
            if (form == 1)
                p[count] = k;
            i[count] = form == 1 ? line : k;
            x[count++] = value;
        }
        if (form < 0)
            p[line + 1] = count;
    }
    int nz = form >= 0 ? count : form;
    const struct
    {
        const char* name;
        int count;
        const void* values;
    } parts[] = {{"m", 1, &m},
                 {"n", 1, &n},
                 {"nz", 1, &nz},
                 {"nzmax", 1, &count},
                 {"p", form >= 0 ? count : lines + 1, p},
                 {"i", count, i}};
    char path[128];
    for (int k = 0; k < 6; k++)
    {
        snprintf(path, sizeof path, "%s/%s", group, parts[k].name);
        putArray(file, path, H5T_NATIVE_INT, parts[k].count, parts[k].values);
    }
    snprintf(path, sizeof path, "%s/x", group);
    putArray(file, path, H5T_NATIVE_DOUBLE, count, x);
}

static hid_t newFile(char* path)
{
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void fclib_local_problems_are_read_with_their_equalities(void** state)
{
    (void)state;
    const double W[] = {4, 1, 0, 1, 5, 2, 0, 2, 6};
    const double V[] = {1, 2, 3};
    const double R[] = {7};
    const double whole[] = {4, 1, 0, 1, 1, 5, 2, 2, 0, 2, 6, 3, 1, 2, 3, 7};
    const double q[] = {-1, 2, 3}, s[] = {8}, mu[] = {0.7};
    const int dimension = 3;
    for (int form = -2; form <= 1; form++)
    {
        char path[] = "/tmp/palpate_fclib_XXXXXX";
        hid_t file = newFile(path);
        putMatrix(file, "fclib_local/W", 3, 3, W, form);
        putMatrix(file, "fclib_local/V", 3, 1, V, form);
        putMatrix(file, "fclib_local/R", 1, 1, R, form);
        putArray(file, "fclib_local/spacedim", H5T_NATIVE_INT, 1, &dimension);
        putArray(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 3, q);
        putArray(file, "fclib_local/vectors/s", H5T_NATIVE_DOUBLE, 1, s);
        putArray(file, "fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, mu);
        H5Fclose(file);
        palStoredProblem stored;
        palError error = {0};
        assert_int_equal(palStoredProblem_Read(path, &stored, &error), pal_ok);
        assert_string_equal(stored.format, "FCLib local");
        checkMatrix(&stored, whole);
        ASSERT_NEAR(stored.gapFree[3], 8.0, 0.0);
        ASSERT_NEAR(stored.blocks[0].mu, 0.7, 0.0);
        assert_int_equal(stored.blocks[1].law, pal_lawBilateral);
        palStoredProblem_Free(&stored);
        unlink(path);
    }
}

static void fclib_global_problems_are_condensed(void** state)
{
    (void)state;
    // Two masses and a contact on their difference, and a third mass that it does not touch:
    // M = diag(2, 4, 5), H = [1 0.5; -1 0; 0 0] in two dimensions: W = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w.
    const double M[] = {2, 0, 0, 0, 4, 0, 0, 0, 5};
    const double H[] = {1, 0.5, -1, 0, 0, 0};
    const double f[] = {6, 8, 9}, w[] = {0.25, 1}, mu[] = {0.2};
    const double W[] = {0.75, 0.25, 0.25, 0.125};
    const int dimension = 2;
    for (int form = -2; form <= 0; form++)
    {
        char path[] = "/tmp/palpate_fclib_XXXXXX";
        hid_t file = newFile(path);
        putMatrix(file, "fclib_global/M", 3, 3, M, form);
        putMatrix(file, "fclib_global/H", 3, 2, H, form);
        putArray(file, "fclib_global/spacedim", H5T_NATIVE_INT, 1, &dimension);
        putArray(file, "fclib_global/vectors/f", H5T_NATIVE_DOUBLE, 3, f);
        putArray(file, "fclib_global/vectors/w", H5T_NATIVE_DOUBLE, 2, w);
        putArray(file, "fclib_global/vectors/mu", H5T_NATIVE_DOUBLE, 1, mu);
        H5Fclose(file);
        palStoredProblem stored;
        palError error = {0};
        if (palStoredProblem_Read(path, &stored, &error) != pal_ok)
            fail_msg("%s", error.text);
        assert_string_equal(stored.format, "FCLib global");
        checkMatrix(&stored, W);
        ASSERT_NEAR(stored.gapFree[0], 3.0 - 2.0 + 0.25, 1e-15);
        ASSERT_NEAR(stored.gapFree[1], 1.5 + 1.0, 1e-15);
        palStoredProblem_Free(&stored);
        unlink(path);
    }
}

static void damaged_fclib_files_are_told(void** state)
{
    (void)state;
    const double q[] = {-1, 2};
    const int dimension = 3;
    char path[] = "/tmp/palpate_fclib_XXXXXX";
    hid_t file = newFile(path);
    putArray(file, "fclib_local/spacedim", H5T_NATIVE_INT, 1, &dimension);
    putArray(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 2, q);
    H5Fclose(file);
    palStoredProblem stored;
    palError error = {0};
    assert_int_equal(palStoredProblem_Read(path, &stored, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "/fclib_local/W/m is missing"));
    assert_string_equal(error.file, path);
    // Cut off after the signature.
    FILE* cut = fopen(path, "wb");
    assert_non_null(cut);
    fwrite("\211HDF\r\n\032\nrest", 1, 12, cut);
    fclose(cut);
    assert_int_equal(palStoredProblem_Read(path, &stored, &error), pal_errorInput);
    unlink(path);
}

#else

static void fclib_problems_are_read(void** state)
{
    (void)state;
    SKIP("built without HDF5");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_problem_reads_back_bit_for_bit),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(our_format_reads_every_law),
        cmocka_unit_test(errors_name_the_place_and_the_remedy),
        cmocka_unit_test(siconos_dense_lcp_is_read_by_columns),
        cmocka_unit_test(siconos_relays_are_told_from_solved_lcps),
        cmocka_unit_test(siconos_friction_with_sparse_blocks_is_read),
        cmocka_unit_test(siconos_friction_with_a_sparse_matrix_is_read),
        cmocka_unit_test(siconos_global_friction_is_condensed),
        cmocka_unit_test(siconos_mixed_problems_are_read_in_all_three_forms),
#ifdef PAL_HAVE_HDF5
        cmocka_unit_test(fclib_local_problems_are_read_with_their_equalities),
        cmocka_unit_test(fclib_global_problems_are_condensed),
        cmocka_unit_test(damaged_fclib_files_are_told),
#else
        cmocka_unit_test(fclib_problems_are_read),
#endif
    };
    return RUN(tests);
}
