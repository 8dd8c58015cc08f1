// SPDX-License-Identifier: Apache-2.0
// The example that builds its world from arrays: in real time as it is (palWorld_Start), and in
// lockstep beside the scene file that it is saved as.
int runExample(void);
#define main runExample
#include "../../examples/array_world.c"
#undef main

#include "check.h"

#include <unistd.h>

// In real time as it is. A busy machine, or a sanitizer, may make its low rate late, so that what
// is felt says little; it ends by itself and shows numbers 60 times a second or less often.
static void the_example_runs_in_real_time(void** state)
{
    (void)state;
    FILE* output = tmpfile();
    assert_non_null(output);
    fflush(stdout);
    int terminal = dup(STDOUT_FILENO);
    dup2(fileno(output), STDOUT_FILENO);
    int result = runExample();
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    assert_int_equal(result, 0);
    rewind(output);
    double t = 0.0, last = 0.0, height, felt, carried;
    int lines = 0;
    for (; fscanf(output, "%lf s: %lf m, %lf N, %lf N\n", &t, &height, &felt, &carried) == 4;
         lines++)
    {
        assert_true(t >= last && isfinite(height) && felt >= 0.0 && carried >= 0.0);
        last = t;
    }
    assert_true(feof(output));
    assert_true(lines > 10 && last < 4.0);
    fclose(output);
}

// One step of both worlds, after which they are alike.
static void stepBoth(palWorld* worlds[2], palWorldReader* readers[2])
{
    palHandState hand[2];
    palShapeView view[2] = {palMakeShapeView(), palMakeShapeView()};
    palError error;
    for (int i = 0; i < 2; i++)
    {
        palWorld* each = worlds[i];
        for (int k = 0; k < 2; k++)
            palWorld_SetTarget(each, palWorld_HandAt(each, k),
                               (palVec3){0.06 * k - 0.03, 0.02, 0.0}, (palQuat){.w = 1.0});
        assert_int_equal(palWorld_Step(each, &error), pal_ok);
        hand[i] = palMakeHandState();
        assert_int_equal(palWorld_GetHand(each, palWorld_HandAt(each, 1), &hand[i]), pal_ok);
        palWorldReader_Update(readers[i]);
        assert_true(palWorldReader_Body(readers[i], palWorld_FindBody(each, "object1"), &view[i]));
    }
    assert_memory_equal(&hand[0], &hand[1], sizeof hand[0]);
    assert_int_equal(view[0].vertexCount, view[1].vertexCount);
    assert_memory_equal(view[0].vertices, view[1].vertices,
                        (size_t)view[0].vertexCount * sizeof *view[0].vertices);
}

// What the table carries is the weight of the ring, that of its polygons, and what the hands feel.
// Returns the latter.
static double checkBalance(palWorldReader* reader)
{
    double weight = 1000.0 * 9.81 * 0.03 * 0.012 * 0.012 * (48.0 * sin(2 * M_PI / 48)) *
                    (16.0 / 2.0 * sin(2 * M_PI / 16));
    double forces[2] = {0.0, 0.0};
    palContact contact = palMakeContact();
    for (int i = 0; palWorldReader_Contact(reader, i, &contact); i++)
        forces[contact.hand.index != 0] += fabs(contact.force.y);
    ASSERT_NEAR(forces[0], weight + forces[1], 1e-4 * weight);
    return forces[1];
}

static void saved_as_a_scene_file_it_runs_bit_for_bit_the_same(void** state)
{
    (void)state;
    palError error;
    char folder[] = "/tmp/palpate-array-XXXXXX", path[64], command[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ring.yaml", folder);
    build();
    assert_int_equal(palWorld_Save(world, path, &error), pal_ok);
    palWorld* worlds[2] = {world, NULL};
    palWorldReader* readers[2];
    assert_int_equal(palWorld_Load(path, NULL, 0, &worlds[1], &error), pal_ok);
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(palWorld_Prepare(worlds[i], &error), pal_ok);
        assert_int_equal(palWorld_OpenReader(worlds[i], &readers[i], &error), pal_ok);
    }
    for (int i = 0; i < 800; i++)
        stepBoth(worlds, readers);
    double soft = checkBalance(readers[0]);
    for (int k = 0; k < 2; k++)
        palWorld_SetYoung(worlds[k], palWorld_FindBody(worlds[k], "object1"), 20e3, NULL);
    for (int i = 0; i < 800; i++)
        stepBoth(worlds, readers);
    double stiff = checkBalance(readers[0]);
    // A ring of twice the stiffness: nearly twice the force, for the coupling is far stiffer.
    print_message("%g N soft, %g N stiff\n", soft, stiff);
    assert_true(stiff > 1.9 * soft && stiff < 2.0 * soft);
    palWorld_Destroy(worlds[0]);
    palWorld_Destroy(worlds[1]);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_runs_in_real_time),
        cmocka_unit_test(saved_as_a_scene_file_it_runs_bit_for_bit_the_same),
    };
    return RUN(tests);
}
