// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

#include "base/random.h"

static void an_inverted_hex_is_counted_not_turned(void** state)
{
    (void)state;
    File file = {0};
    putText(&file, "MeshVersionFormatted 1\nDimension 3\nVertices 8\n");
    for (int k = 0; k < 8; k++)
        putText(&file, "%g %g %g 0\n", k == 6 ? -0.9 : pal_hexCorners[k][0],
                k == 6 ? -0.9 : pal_hexCorners[k][1], pal_hexCorners[k][2]);
    putText(&file, "Hexahedra 1\n1 2 3 4 5 6 7 8 0\nEnd\n");
    palVolumeFacts facts;
    palMessages notes = {0};
    palVolume v = mustLoad(pal_volumeMedit, file.data, file.size, &facts, &notes);
    assert_int_equal(facts.inverted, 1);
    assert_int_equal(facts.repairs.mirrored, 0);
    assert_true(isTold(&notes, "inverted"));
    palMessages_Free(&notes);
    palVolume_Free(&v);
}

static void a_mirrored_hex_is_turned(void** state)
{
    (void)state;
    File file = {0};
    putText(&file, "MeshVersionFormatted 1\nDimension 3\nVertices 8\n");
    for (int k = 0; k < 8; k++)
        putText(&file, "%g %g %g 0\n", pal_hexCorners[k][0], pal_hexCorners[k][1],
                -pal_hexCorners[k][2]);
    putText(&file, "Hexahedra 1\n1 2 3 4 5 6 7 8 0\nEnd\n");
    palVolumeFacts facts;
    palVolume v = mustLoad(pal_volumeMedit, file.data, file.size, &facts, NULL);
    ASSERT_NEAR(facts.volume, 8.0, 1e-14);
    ASSERT_NEAR(facts.worstHex, 1.0, 1e-14);
    assert_int_equal(facts.repairs.mirrored, 1);
    palVolume_Free(&v);
}

static void a_flat_element_is_dropped_and_told(void** state)
{
    (void)state;
    const char* text =
        "MeshVersionFormatted 1\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
        "0 0 1 0\n1 1 0 0\nTetrahedra 2\n1 2 3 4 0\n1 2 3 5 0\nEnd\n";
    palVolumeFacts facts;
    palMessages notes = {0};
    palVolume v = mustLoad(pal_volumeMedit, text, strlen(text), &facts, &notes);
    assert_int_equal(v.tetCount, 1);
    assert_int_equal(v.vertexCount, 4);
    assert_int_equal(facts.repairs.flat, 1);
    assert_true(isTold(&notes, "of zero volume"));
    palMessages_Free(&notes);
    palVolume_Free(&v);
}

// Splits a prism or pyramid under random numbers of its corners. The tets must fill it, and every
// quad must be cut from its lowest corner.
static void split_cells_cut_every_face_from_its_lowest_corner(void** state)
{
    (void)state;
    static const int quads[3][4] = {{0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
    const palVec3 prism[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    palRandom random = palMakeRandom(3);
    for (int round = 0; round < 500; round++)
    {
        int number[6] = {0, 1, 2, 3, 4, 5}, tets[3][4];
        palVec3 place[6];
        for (int k = 5; k > 0; k--)
        {
            int j = palRandom_Below(&random, k + 1), kept = number[k];
            number[k] = number[j], number[j] = kept;
        }
        for (int k = 0; k < 6; k++)
            place[number[k]] = prism[k];
        palSplitPrism(number, tets);
        for (int t = 0; t < 3; t++)
            ASSERT_NEAR(palTetDeterminant(place[tets[t][0]], place[tets[t][1]], place[tets[t][2]],
                                          place[tets[t][3]]),
                        1.0, 1e-15);
        for (int q = 0; q < 3; q++)
        {
            int low = 0;
            for (int k = 1; k < 4; k++)
                if (number[quads[q][k]] < number[quads[q][low]])
                    low = k;
            // The diagonal from the lowest corner is an edge of a tet; the other one is not.
            int ends[2][2] = {{number[quads[q][low]], number[quads[q][(low + 2) % 4]]},
                              {number[quads[q][(low + 1) % 4]], number[quads[q][(low + 3) % 4]]}};
            for (int d = 0; d < 2; d++)
            {
                bool found = false;
                for (int t = 0; t < 3; t++)
                {
                    int hits = 0;
                    for (int k = 0; k < 4; k++)
                        hits += tets[t][k] == ends[d][0] || tets[t][k] == ends[d][1];
                    found |= hits == 2;
                }
                assert_int_equal(found, d == 0);
            }
        }
    }
    int tets[2][4];
    palSplitPyramid((const int[]){7, 3, 9, 5, 1}, tets);
    assert_memory_equal(tets, ((const int[2][4]){{3, 9, 5, 1}, {3, 5, 7, 1}}), sizeof tets);
    palSplitPyramid((const int[]){7, 8, 2, 5, 1}, tets);
    assert_memory_equal(tets, ((const int[2][4]){{7, 8, 2, 1}, {7, 2, 5, 1}}), sizeof tets);
}

static void nodes_may_have_any_numbers(void** state)
{
    (void)state;
    // The first three run on over the end of what 64 bits hold; an element may name any number.
    const int64_t ids[2][4] = {{INT64_MAX - 1, INT64_MAX, INT64_MIN, 5},
                               {INT64_MAX - 3, INT64_MAX - 2, INT64_MAX - 1, INT64_MAX}};
    const palVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 2; i++)
    {
        palVolumeBuilder builder = {0};
        palVolume volume;
        palError error;
        for (int k = 0; k < 4; k++)
            assert_int_equal(palVolumeBuilder_AddVertex(&builder, ids[i][k], corners[k], &error),
                             pal_ok);
        assert_int_equal(palVolumeBuilder_AddCell(&builder, pal_cellTet, ids[i], NULL, 0, &error),
                         pal_ok);
        const int64_t wrong[4] = {ids[i][0], ids[i][1], ids[i][2], INT64_MIN + 7};
        assert_int_equal(palVolumeBuilder_AddCell(&builder, pal_cellTet, wrong, NULL, 0, &error),
                         pal_errorInput);
        assert_int_equal(palVolumeBuilder_Finish(&builder, &volume, &error), pal_ok);
        ASSERT_NEAR(palVolume_ElementVolume(&volume, 0), 1.0 / 6.0, 1e-15);
        palVolume_Free(&volume);
        palVolumeBuilder_Free(&builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inverted_hex_is_counted_not_turned),
        cmocka_unit_test(a_mirrored_hex_is_turned),
        cmocka_unit_test(a_flat_element_is_dropped_and_told),
        cmocka_unit_test(nodes_may_have_any_numbers),
        cmocka_unit_test(split_cells_cut_every_face_from_its_lowest_corner),
    };
    return RUN(tests);
}
