// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

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
        palVolumeFacts_Report(&facts, &notes);
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
    palVolumeFacts_Report(&facts, &notes);
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
    palVolumeFacts_Report(&facts, &notes);
    assert_true(isTold(&notes, "2 parts"));
    palMessages_Free(&notes);
    palVolume_Free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quality_of_known_elements_is_known),
        cmocka_unit_test(a_good_mesh_has_nothing_to_tell),
        cmocka_unit_test(an_overlap_is_seen_at_its_faces),
        cmocka_unit_test(repeated_elements_and_separate_parts_are_told),
    };
    return RUN(tests);
}
