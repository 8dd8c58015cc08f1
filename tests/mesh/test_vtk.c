// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

#include <unistd.h>

// A unit cube as a voxel, a hex beside it, a pyramid on top whose apex is vertex 12, a triangle of
// the floor. The vertices are (i, j, k) with i fastest, three along x.
static const double points[13][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0},    {0, 1, 0}, {1, 1, 0},
                                     {2, 1, 0}, {0, 0, 1}, {1, 0, 1},    {2, 0, 1}, {0, 1, 1},
                                     {1, 1, 1}, {2, 1, 1}, {0.5, 0.5, 2}};
static const int cells[4][9] = {{8, 0, 1, 3, 4, 6, 7, 9, 10},
                                {8, 1, 2, 5, 4, 7, 8, 11, 10},
                                {5, 6, 7, 10, 9, 12},
                                {3, 0, 3, 1}};
static const int types[4] = {11, 12, 14, 5};
static const int labels[4] = {4, 4, 6, 3};

static void expectContents(const File* file)
{
    palVolumeFacts facts;
    palMessages notes = {0};
    palVolume v = mustLoad(pal_volumeVtk, file->data, file->size, &facts, &notes);
    assert_int_equal(v.vertexCount, 13);
    assert_int_equal(v.hexCount, 2);
    assert_int_equal(v.tetCount, 2);
    ASSERT_NEAR(facts.volume, 2.0 + 1.0 / 3.0, 1e-14);
    assert_int_equal(facts.repairs.pyramids, 1);
    assert_int_equal(facts.repairs.mirrored, 0);
    assert_true(isTold(&notes, "pyramid"));
    // The pyramid's base is cut as the voxel's top is: the boundary is closed and of one part.
    assert_int_equal(facts.components, 1);
    assert_int_equal(facts.mixedFaces, 2);
    assert_int_equal(facts.foldedFaces, 0);
    assert_true(facts.surface.solid);
    ASSERT_NEAR(facts.surface.volume, 2.0 + 1.0 / 3.0, 1e-14);
    assert_int_equal(v.regionCount, 2);
    assert_int_equal(v.labels[0], 6);
    assert_int_equal(v.labels[2], 4);
    const palNodeSet* floor = mustFindSet(&v, "surface 3", 3);
    assert_int_equal(floor->vertices[2], 3);
    const palNodeSet* top = mustFindSet(&v, "the top", 1);
    assert_int_equal(top->vertices[0], 12);
    palMessages_Free(&notes);
    palVolume_Free(&v);
}

// Numbers as text, or big-endian.
static void putNumber(File* file, bool text, char type, double value)
{
    int whole = (int)value;
    if (text)
        putText(file, "%g ", value);
    else if (type == 'd')
        putDouble(file, value);
    else if (type == 'f')
        putFloat(file, value);
    else if (type == 'l')
        putLong(file, whole);
    else
        putBytes(file, &whole, type == 'b' ? 1 : 4);
}

static void putCells(File* file, bool text, bool offsets)
{
    if (!offsets)
    {
        putText(file, "CELLS 4 28\n");
        for (int i = 0; i < 4; i++)
            for (int k = 0; k <= cells[i][0]; k++)
                putNumber(file, text, 'i', cells[i][k]);
    }
    else
    {
        int end = 0;
        putText(file, "CELLS 5 24\nOFFSETS vtktypeint64\n");
        putNumber(file, text, 'l', 0);
        for (int i = 0; i < 4; i++)
            putNumber(file, text, 'l', end += cells[i][0]);
        putText(file, "\nCONNECTIVITY vtktypeint64\n");
        for (int i = 0; i < 4; i++)
            for (int k = 1; k <= cells[i][0]; k++)
                putNumber(file, text, 'l', cells[i][k]);
    }
}

static File makeFile(bool text, bool offsets, bool field)
{
    File file = {.big = true};
    putText(&file, "# vtk DataFile Version %s\nby hand\n%s\nDATASET UNSTRUCTURED_GRID\n",
            offsets ? "5.1" : "2.0", text ? "ASCII" : "BINARY");
    putText(&file, "POINTS 13 %s\n", offsets ? "float" : "double");
    for (int i = 0; i < 39; i++)
        putNumber(&file, text, offsets ? 'f' : 'd', points[i / 3][i % 3]);
    putText(&file, "\n");
    putCells(&file, text, offsets);
    putText(&file, "\nCELL_TYPES 4\n");
    for (int i = 0; i < 4; i++)
        putNumber(&file, text, 'i', types[i]);
    putText(&file, "\nPOINT_DATA 13\nVECTORS force float\n");
    for (int i = 0; i < 39; i++)
        putNumber(&file, text, 'f', 0.5);
    putText(&file, "\nSCALARS node_set_the%%20top int\nLOOKUP_TABLE default\n");
    for (int i = 0; i < 13; i++)
        putNumber(&file, text, 'i', i == 12);
    putText(&file, "\nMETADATA\nINFORMATION 0\n\n");
    if (field)
        putText(&file, "CELL_DATA 4\nFIELD FieldData 1\nMaterial 1 4 unsigned_char\n");
    else
        putText(&file, "CELL_DATA 4\nSCALARS region int 1\nLOOKUP_TABLE default\n");
    for (int i = 0; i < 4; i++)
        putNumber(&file, text, field ? 'b' : 'i', labels[i]);
    return file;
}

static void every_variant_is_read(void** state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++)
    {
        bool text = variant & 1;
        File file = makeFile(text, variant & 2, variant & 4);
        size_t end = file.size - (text ? 4 : 0);
        putText(&file, "\n");
        expectContents(&file);
        // Everything up to the last type is needed; the attributes are optional as a whole.
        size_t needed = (size_t)((unsigned char*)memmem(file.data, end, "POINT_DATA", 10) -
                                 file.data - (text ? 4 : 1));
        expectCutsRefused(pal_volumeVtk, file.data, needed);
    }
}

static void what_is_written_is_read_back(void** state)
{
    (void)state;
    char path[] = "/tmp/palpate-XXXXXX.vtk";
    close(mkstemps(path, 4));
    for (int cut = 0; cut < 3; cut++)
    {
        palVolume v = makeShape(pal_volumeBlock, cut, 2, 3, 2), back;
        palError error;
        assert_int_equal(palVolume_AddNodeSet(&v, "a b%c", (const int[]){3, 5}, 2, &error), pal_ok);
        assert_int_equal(palVolume_Write(&v, path, pal_msh41, &error), pal_ok);
        assert_int_equal(palVolume_Load(path, 1.0, &back, NULL, NULL, &error), pal_ok);
        expectSame(&v, &back, false);
        palVolume_Free(&v);
        palVolume_Free(&back);
    }
    remove(path);
}

// The unit tetrahedron and cube as second-order cells: corners first, the rest elsewhere.
static void higher_order_cells_are_used_by_their_corners(void** state)
{
    (void)state;
    static const struct
    {
        int type, nodes;
        double volume;
    } cases[] = {{24, 10, 1.0 / 6.0}, {71, 20, 1.0 / 6.0}, {25, 20, 1.0}, {29, 27, 1.0},
                 {33, 24, 1.0},       {72, 64, 1.0},       {26, 15, 0.5}, {27, 13, 1.0 / 3.0}};
    static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const double tet[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double prism[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    static const double pyramid[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
    {
        File file = {0};
        int type = cases[c].type, nodes = cases[c].nodes;
        bool isTet = type == 24 || type == 71;
        const double(*corners)[3] = isTet ? tet : type == 26 ? prism : type == 27 ? pyramid : cube;
        int count = isTet ? 4 : type == 26 ? 6 : type == 27 ? 5 : 8;
        putText(&file,
                "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                "POINTS %d float\n",
                nodes);
        for (int i = 0; i < nodes; i++)
            if (i < count)
                putText(&file, "%g %g %g\n", corners[i][0], corners[i][1], corners[i][2]);
            else
                putText(&file, "5 %d 5\n", i);
        putText(&file, "CELLS 1 %d\n%d", nodes + 1, nodes);
        for (int i = 0; i < nodes; i++)
            putText(&file, " %d", i);
        putText(&file, "\nCELL_TYPES 1\n%d\n", type);
        palVolumeFacts facts;
        palVolume v = mustLoad(pal_volumeVtk, file.data, file.size, &facts, NULL);
        ASSERT_NEAR(facts.volume, cases[c].volume, 1e-15);
        assert_int_equal(facts.repairs.higherOrder, 1);
        assert_int_equal(facts.repairs.unreferenced, nodes - count);
        palVolume_Free(&v);
    }
}

static void faults_are_named_with_their_line(void** state)
{
    (void)state;
#define HEAD "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define TET  HEAD "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
#define REFUSED(text, words, line)                                                                 \
    expectVolumeRefusal(pal_volumeVtk, text, strlen(text), words, line)
    REFUSED("<?xml version=\"1.0\"?>\n", "# vtk DataFile", 1);
    REFUSED("# vtk DataFile Version 3.0\n\nTERNARY\n", "TERNARY", 3);
    REFUSED("# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\n", "surface", 4);
    REFUSED("# vtk DataFile Version 3.0\n\nASCII\nDATASET STRUCTURED_POINTS\n", "STRUCTURED", 4);
    REFUSED(HEAD "POINTS 1000000 float\n0 0 0\n", "fit into the file", 5);
    REFUSED(HEAD "POINTS 1 quad\n0 0 0\n", "quad", 5);
    REFUSED(TET "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", "node 4", 8);
    REFUSED(TET "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n42\n", "type 42", 10);
    REFUSED(TET "CELLS 1 5\n4 0 1 2 3\n", "no CELL_TYPES", 9);
    REFUSED(TET "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "3 corners", 8);
    REFUSED(TET "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n", "it is a surface", 0);
    REFUSED(TET "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nNONSENSE\n", "NONSENSE", 11);
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_is_read),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(higher_order_cells_are_used_by_their_corners),
        cmocka_unit_test(faults_are_named_with_their_line),
    };
    return RUN(tests);
}
