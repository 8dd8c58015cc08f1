// SPDX-License-Identifier: Apache-2.0
// Problem files of bodies and rows: what is written is read back exactly, and errors name the place
// and the remedy.
#include "check.h"

#include "solve/sample_boxes.h"
#include "solve/sparse_text.h"
#include "solve/stored.h"

static const char* const path = "sparse_problem.tmp.txt";

static void assertSame(const palStoredSparse* a, const palStoredSparse* b)
{
    size_t rows = (size_t)a->problem.rows, blocks = (size_t)a->problem.blockCount;
    assert_int_equal(a->problem.bodyCount, b->problem.bodyCount);
    assert_int_equal(a->problem.rows, b->problem.rows);
    assert_int_equal(a->problem.blockCount, b->problem.blockCount);
    assert_true(a->problem.h == b->problem.h);
    assert_memory_equal(a->bodies, b->bodies, (size_t)a->problem.bodyCount * sizeof *a->bodies);
    assert_memory_equal(a->J, b->J, rows * sizeof *a->J);
    assert_memory_equal(a->gapFree, b->gapFree, rows * sizeof(double));
    assert_memory_equal(a->softness, b->softness, rows * sizeof(double));
    assert_memory_equal(a->lambda, b->lambda, rows * sizeof(double));
    assert_memory_equal(a->ends, b->ends, blocks * sizeof *a->ends);
    for (size_t i = 0; i < blocks; i++)
    {
        assert_int_equal(a->blocks[i].law, b->blocks[i].law);
        assert_int_equal(a->blocks[i].size, b->blocks[i].size);
        assert_true(a->blocks[i].mu == b->blocks[i].mu);
    }
}

static void a_pile_is_read_back_exactly(void** state)
{
    (void)state;
    // 3 x 3 x 3 boxes, and more than a thousand with more than 20,000 rows.
    for (int n = 0; n < 2; n++)
    {
        palSampleBoxesDef def = palDefaultSampleBoxesDef();
        def.columns = def.depth = def.layers = n == 0 ? 3 : 11;
        def.disorder = 0.1;
        def.speed = 0.1;
        palStoredSparse stored, back;
        bool isSparse;
        assert_int_equal(palSampleBoxes(&def, &stored, NULL), pal_ok);
        for (int i = 0; i < stored.problem.rows; i++)
            stored.lambda[i] = 1.0 / (i + 3.0);
        assert_true(n == 0 || (stored.problem.bodyCount > 1000 && stored.problem.rows > 20000));
        assert_int_equal(palSparseProblem_Write(&stored.problem, stored.lambda, path, NULL),
                         pal_ok);
        assert_int_equal(palStoredSparse_Read(path, &isSparse, &back, NULL), pal_ok);
        assert_true(isSparse && back.hasGuess);
        assertSame(&stored, &back);
        palStoredSparse_Free(&back);
        palStoredSparse_Free(&stored);
    }
    remove(path);
}

static void read_with_its_matrix_it_is_the_same_problem(void** state)
{
    (void)state;
    palSampleBoxesDef def = palDefaultSampleBoxesDef();
    def.columns = def.layers = 2;
    palStoredSparse stored;
    palStoredProblem dense;
    assert_int_equal(palSampleBoxes(&def, &stored, NULL), pal_ok);
    assert_int_equal(palSparseProblem_Write(&stored.problem, NULL, path, NULL), pal_ok);
    assert_int_equal(palStoredProblem_Read(path, &dense, NULL), pal_ok);
    size_t n = (size_t)stored.problem.rows;
    double* W = calloc(n * n, sizeof *W);
    palSparseProblem_Dense(&stored.problem, W);
    for (size_t i = 0; i < n; i++)
        assert_memory_equal(dense.W + i * (size_t)dense.problem.stride, W + i * n,
                            n * sizeof(double));
    assert_memory_equal(dense.gapFree, stored.gapFree, n * sizeof(double));
    assert_false(dense.hasGuess);
    free(W);
    palStoredProblem_Free(&dense);
    palStoredSparse_Free(&stored);
    remove(path);
}

static void masses_are_inverted(void** state)
{
    (void)state;
    const char* text = "palpate-problem 1\nrows 0\nstep 1e-3\nbodies 3\n"
                       "body mass 2 0.5 0 0.25 0 0 0.125\nbody inverse 3 1 0 2 0 0 0\nbody fixed\n"
                       "jacobian gap softness\n";
    palStoredSparse stored;
    bool isSparse;
    assert_int_equal(palStoredSparse_Parse("x", text, strlen(text), &isSparse, &stored, NULL),
                     pal_ok);
    ASSERT_NEAR(stored.bodies[0].mass, 0.5, 0.0);
    ASSERT_NEAR(stored.bodies[0].inertia.m[2][2], 8.0, 1e-14);
    ASSERT_NEAR(stored.bodies[1].inertia.m[1][1], 2.0, 0.0);
    ASSERT_NEAR(stored.bodies[2].mass, 0.0, 0.0);
    palStoredSparse_Free(&stored);
}

static void errors_name_the_place_and_the_remedy(void** state)
{
    (void)state;
#define HEAD "palpate-problem 1\nrows 1\nstep 1e-3\n"
#define FILL "\n# to be long enough for what the head announces ........................\n"
    static const struct
    {
        const char* text;
        int line;
        const char* what;
    } cases[] = {
        {"palpate-problem 1\nrows 1\nstep 0\nbodies 0" FILL, 3, "must be positive"},
        {HEAD "body fixed" FILL, 4, "'bodies' is expected"},
        {HEAD "bodies 1\nbody fixed", 4, "too short"},
        {HEAD "bodies 100000000" FILL, 4, "from 0 to 1000000"},
        {HEAD "bodies 1\nbody heavy" FILL, 5, "'mass', 'inverse' or 'fixed'"},
        {HEAD "bodies 1\nbody mass -1 1 0 1 0 0 1" FILL, 5, "write 'fixed'"},
        {HEAD "bodies 1\nbody mass 1 1 0 0 0 0 1" FILL, 5, "write 'fixed'"},
        {HEAD "bodies 1\nbody inverse 1 1 2 1 0 0 1" FILL, 5, "negative eigenvalues"},
        {HEAD "bodies 1\nbody inverse 1 1 0 one" FILL, 5, "'one' is not a number"},
        {HEAD "bodies 1\nbody fixed\nblock unilateral 1\n" FILL, 6, "'between 0 world'"},
        {HEAD "bodies 1\nbody fixed\nblock unilateral 1 between 0 1\n" FILL, 6, "from 0 to 0"},
        {HEAD "bodies 0\nblock unilateral 1 between 0 world\n" FILL, 5, "'world' is expected"},
        {HEAD "bodies 0\nblock cone 1 between world world\n" FILL, 0, "do not fit the law"},
        {HEAD "bodies 0\nblock unilateral 1 between world world\ngap" FILL, 6, "'jacobian'"},
        {HEAD "bodies 0\nblock unilateral 1 between world world\n"
              "jacobian 1 2 3 4 5 6 7 8 9 10 11 12\ngap 1\nsoftness\n-1" FILL,
         9, "write 0 for a rigid row"},
        {HEAD "bodies 0\nblock unilateral 1 between world world\n"
              "jacobian 1 2 3 4 5 6 7 8 9 10 11 12\ngap 1\nend" FILL,
         8, "unexpected text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        palStoredSparse stored;
        palError error = {0};
        char message[1024];
        bool isSparse;
        assert_int_equal(palStoredSparse_Parse("pile.txt", cases[i].text, strlen(cases[i].text),
                                               &isSparse, &stored, &error),
                         pal_errorInput);
        palError_Format(&error, message, sizeof message);
        if (strstr(message, cases[i].what) == NULL || error.line != cases[i].line ||
            strstr(message, "pile.txt") == NULL)
        {
            print_error("%zu: %s (line %d, expected %d)\n", i, message, error.line, cases[i].line);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pile_is_read_back_exactly),
        cmocka_unit_test(read_with_its_matrix_it_is_the_same_problem),
        cmocka_unit_test(masses_are_inverted),
        cmocka_unit_test(errors_name_the_place_and_the_remedy),
    };
    return RUN(tests);
}
