// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

#include "base/random.h"
#include "mesh/quality.h"

static palVolumeFacts factsOf(const palVolume* volume)
{
    palVolumeFacts facts;
    palError error;
    assert_int_equal(palVolume_Check(volume, &facts, &error), pal_ok);
    return facts;
}

static void the_quality_of_known_elements_is_known(void** state)
{
    (void)state;
    static const int tet[4] = {0, 1, 2, 3};
    const palVec3 regular[4] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};
    ASSERT_NEAR(palTetQuality(regular, tet), 1.0, 1e-15);
    // The corner of a cube: V = 1/6, edges 1, 1, 1, √2, √2, √2, mean square 3/2.
    const palVec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ASSERT_NEAR(palTetQuality(corner, tet), sqrt(2.0) / pow(1.5, 1.5), 1e-15);
    ASSERT_NEAR(palTetQuality(corner, (const int[]){0, 2, 1, 3}), -sqrt(2.0) / pow(1.5, 1.5),
                1e-15);
    // A sheared cube: unit edges at 60 degrees, determinant sin 60.
    static const int hex[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    palVec3 sheared[8];
    for (int k = 0; k < 8; k++)
    {
        double x = 0.5 * (pal_hexCorners[k][0] + 1.0), y = 0.5 * (pal_hexCorners[k][1] + 1.0);
        sheared[k] = palMakeVec3(x + 0.5 * y, sqrt(0.75) * y, 0.5 * (pal_hexCorners[k][2] + 1.0));
    }
    ASSERT_NEAR(palHexQuality(sheared, hex).smallest, sqrt(0.75), 1e-15);
    ASSERT_NEAR(palHexFullness(sheared, hex), sqrt(0.75), 1e-15);
}

static void a_good_mesh_has_nothing_to_tell(void** state)
{
    (void)state;
    for (int kind = 0; kind < pal_volumeShapeKindCount; kind++)
    {
        palVolumeShapeDef def = palDefaultVolumeShapeDef(kind);
        palVolume v;
        palError error;
        assert_int_equal(palMakeVolumeShape(&def, &v, &error), pal_ok);
        palVolumeFacts facts = factsOf(&v);
        palMessages notes = {0};
        palVolumeFacts_Tell(&facts, &notes);
        assert_int_equal(notes.count, 0);
        assert_int_equal(facts.components, 1);
        assert_true(facts.worstTet > 0.1);
        assert_true(facts.surface.solid);
        palMessages_Free(&notes);
        palVolume_Free(&v);
    }
}

static void an_overlap_is_seen_at_its_faces(void** state)
{
    (void)state;
    // A vertex of the block's inside moved far out: some tets are inverted. Turned so that their
    // volume is positive, they lie on the wrong side of faces they share.
    palVolume v = makeShape(pal_volumeBlock, pal_cutSix, 2, 2, 2);
    v.vertices[13] = palMakeVec3(0.2, 0.0, 0.0);
    palVolumeFacts facts = factsOf(&v);
    int inverted = facts.inverted;
    assert_true(inverted > 0);
    for (int t = 0; t < v.tetCount; t++)
        if (palVolume_ElementVolume(&v, t) < 0.0)
        {
            int kept = v.tets[t][0];
            v.tets[t][0] = v.tets[t][1];
            v.tets[t][1] = kept;
        }
    facts = factsOf(&v);
    assert_int_equal(facts.inverted, 0);
    assert_true(facts.foldedFaces > 0);
    palMessages notes = {0};
    palVolumeFacts_Tell(&facts, &notes);
    assert_true(isTold(&notes, "overlaps itself"));
    palMessages_Free(&notes);
    palVolume_Free(&v);
}

static void repeated_elements_and_separate_parts_are_told(void** state)
{
    (void)state;
    palVolume v = makeShape(pal_volumeBlock, pal_cutNone, 3, 1, 1);
    palMessages notes = {0};
    memcpy(v.hexes[1], v.hexes[0], sizeof v.hexes[1]);
    palVolumeFacts facts = factsOf(&v);
    // Twelve triangles twice in the same sense, and the third hex apart.
    assert_int_equal(facts.foldedFaces, 12);
    assert_int_equal(facts.components, 2);
    palVolumeFacts_Tell(&facts, &notes);
    assert_true(isTold(&notes, "2 parts"));
    palMessages_Free(&notes);
    palVolume_Free(&v);
}

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
    assert_true(isTold(&notes, "without volume"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quality_of_known_elements_is_known),
        cmocka_unit_test(a_good_mesh_has_nothing_to_tell),
        cmocka_unit_test(an_overlap_is_seen_at_its_faces),
        cmocka_unit_test(repeated_elements_and_separate_parts_are_told),
        cmocka_unit_test(an_inverted_hex_is_counted_not_turned),
        cmocka_unit_test(a_mirrored_hex_is_turned),
        cmocka_unit_test(a_flat_element_is_dropped_and_told),
        cmocka_unit_test(split_cells_cut_every_face_from_its_lowest_corner),
    };
    return RUN(tests);
}
