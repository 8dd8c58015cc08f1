// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

// A prism under a tet: the triangle (0,0) (1,0) (0,1) extruded to z = 1, apex (0, 0, 2).
static const double points[7][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                    {1, 0, 1}, {0, 1, 1}, {0, 0, 2}};
static const int prism[7] = {1, 2, 3, 4, 5, 6, 8}; // and the reference
static const int tet[5] = {4, 5, 6, 7, 9};
static const int floorTriangle[4] = {1, 3, 2, 5};

static void expectContents(const void* data, size_t size)
{
    palVolumeFacts facts;
    palMessages notes = {0};
    palVolume v = mustLoad(pal_volumeMedit, data, size, &facts, &notes);
    assert_int_equal(v.vertexCount, 7);
    assert_int_equal(v.tetCount, 4);
    ASSERT_NEAR(facts.volume, 0.5 + 1.0 / 6.0, 1e-15);
    assert_int_equal(facts.repairs.prisms, 1);
    assert_true(isTold(&notes, "prism"));
    assert_true(facts.surface.solid);
    ASSERT_NEAR(facts.surface.volume, 0.5 + 1.0 / 6.0, 1e-15);
    assert_int_equal(v.regionCount, 2);
    assert_int_equal(v.regions[0].label, 8);
    assert_int_equal(v.regions[1].label, 9);
    mustFindSet(&v, "surface 5", 3);
    palMessages_Free(&notes);
    palVolume_Free(&v);
}

static void ascii_is_read(void** state)
{
    (void)state;
    File file = {0};
    putText(&file, "MeshVersionFormatted 2\n# a comment\nDimension\n3\n\nVertices\n7\n");
    for (int i = 0; i < 7; i++)
        putText(&file, "%g %g %g 0\n", points[i][0], points[i][1], points[i][2]);
    putText(&file, "Normals 1\n0 0 1\nTriangles\n1\n1 3 2 5\nPrisms 1\n1 2 3 4 5 6 8\n"
                   "Tetrahedra 1\n4 5 6 7 ");
    size_t end = file.size;
    putText(&file, "9\nEnd\n");
    expectContents(file.data, file.size);
    // From the prism on, what is read so far is a volume already.
    size_t prisms = (size_t)((unsigned char*)memmem(file.data, end, "Tetrahedra", 10) - file.data);
    expectCutsRefused(pal_volumeMedit, file.data, prisms - 2);
    assert_true(end > prisms);
}

static void putReal(File* file, int version, double value)
{
    if (version == 1)
        putFloat(file, value);
    else
        putDouble(file, value);
}

static void putWhole(File* file, int version, int value)
{
    if (version == 4)
        putLong(file, value);
    else
        putInt(file, value);
}

// Puts a keyword's code and a place for the next one's position. Returns that place.
static size_t begin(File* file, int version, int code)
{
    putInt(file, code);
    size_t place = file->size;
    file->size += version >= 3 ? 8 : 4;
    return place;
}

static void end(File* file, int version, size_t place)
{
    size_t size = file->size;
    file->size = place;
    if (version >= 3)
        putLong(file, (int64_t)size);
    else
        putInt(file, (int)size);
    file->size = size;
}

static void putCell(File* file, int version, int code, const int* numbers, int count)
{
    size_t place = begin(file, version, code);
    putWhole(file, version, 1);
    for (int k = 0; k < count; k++)
        putWhole(file, version, numbers[k]);
    end(file, version, place);
}

static void binary_of_every_version_and_order_is_read(void** state)
{
    (void)state;
    for (int version = 1; version <= 4; version++)
        for (int big = 0; big < 2; big++)
        {
            File file = {.big = big};
            putInt(&file, 1);
            putInt(&file, version);
            size_t place = begin(&file, version, 3);
            putInt(&file, 3);
            end(&file, version, place);
            place = begin(&file, version, 4);
            putWhole(&file, version, 7);
            for (int i = 0; i < 7; i++)
            {
                for (int k = 0; k < 3; k++)
                    putReal(&file, version, points[i][k]);
                putWhole(&file, version, 0);
            }
            end(&file, version, place);
            place = begin(&file, version, 20); // normals, which are passed over
            putText(&file, "anything");
            end(&file, version, place);
            putCell(&file, version, 6, floorTriangle, 4);
            putCell(&file, version, 9, prism, 7);
            putCell(&file, version, 8, tet, 5);
            size_t needed = file.size;
            putInt(&file, 54);
            if (version >= 3)
                putLong(&file, 0);
            else
                putInt(&file, 0);
            expectContents(file.data, file.size);
            expectCutsRefused(pal_volumeMedit, file.data, needed);
        }
}

static void faults_are_named_with_their_line(void** state)
{
    (void)state;
#define HEAD "MeshVersionFormatted 1\nDimension 3\n"
#define REFUSED(text, words, line)                                                                 \
    expectVolumeRefusal(pal_volumeMedit, text, strlen(text), words, line)
    REFUSED("Vertices\n", "MeshVersionFormatted", 1);
    REFUSED("MeshVersionFormatted 1\nDimension 2\n", "2 dimensions", 2);
    REFUSED(HEAD "Vertices 1000\n0 0 0 0\n", "fit into the file", 3);
    REFUSED(HEAD "Vertices 1\n0 0 x 0\n", "'x'", 4);
    REFUSED(HEAD "Vertices 1\n0 0 0 0\nTetrahedra 1\n1 1 1 2 0\n", "node 2", 6);
    REFUSED(HEAD "Vertices 1\n0 0 0 0\nTriangles 1\n1 1 1 0\nEnd\n", "it is a surface", 0);
    REFUSED(HEAD "Tetrahedra 1\n1 2 3 4 0\n", "node 1", 4);
    REFUSED(HEAD "Vertices 1\n0 0 0 0\n17\n", "'17'", 5);
#undef REFUSED
}

static void a_broken_chain_of_keywords_is_refused(void** state)
{
    (void)state;
    File file = {0};
    putInt(&file, 1);
    putInt(&file, 2);
    putInt(&file, 20);
    putInt(&file, 8); // points at itself
    expectVolumeRefusal(pal_volumeMedit, file.data, file.size, "list of keywords", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_is_read),
        cmocka_unit_test(binary_of_every_version_and_order_is_read),
        cmocka_unit_test(faults_are_named_with_their_line),
        cmocka_unit_test(a_broken_chain_of_keywords_is_refused),
    };
    return RUN(tests);
}
