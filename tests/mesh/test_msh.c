// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

#include <unistd.h>

// One tet and one hex of two regions, a named surface of two triangles and a point. Nodes: the unit
// cube 11..18 (ringed as a hex), 40 above it, 99 unused.
static const double points[10][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1},
                                     {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0, 0, 2}, {9, 9, 9}};
static const int tags[10] = {11, 12, 13, 14, 15, 16, 17, 18, 40, 99};

// The elements: Gmsh type, physical group, entity, nodes.
static const struct
{
    int type, group, entity, count, nodes[8];
} cells[5] = {
    {15, 5, 1, 1, {40}},
    {2, 7, 2, 3, {11, 13, 12}},
    {2, 7, 2, 3, {11, 14, 13}},
    {4, 2, 3, 4, {15, 16, 17, 40}},
    {5, 3, 4, 8, {11, 12, 13, 14, 15, 16, 17, 18}},
};

static void putNames(File* file)
{
    putText(file, "$PhysicalNames\n4\n0 5 \"tip\"\n2 7 \"the floor\"\n3 2 \"cap\"\n3 3 \"box\"\n"
                  "$EndPhysicalNames\n");
}

static void expectContents(const File* file, bool names)
{
    palVolumeFacts facts;
    palVolume v = mustLoad(pal_volumeMsh, file->data, file->size, &facts, NULL);
    assert_int_equal(v.vertexCount, 9);
    assert_int_equal(v.tetCount, 1);
    assert_int_equal(v.hexCount, 1);
    ASSERT_NEAR(facts.volume, 1.0 + 1.0 / 6.0, 1e-15);
    assert_int_equal(facts.repairs.unreferenced, 1);
    assert_int_equal(facts.repairs.mirrored, 0);
    assert_int_equal(v.labels[0], 2);
    assert_int_equal(v.labels[1], 3);
    assert_int_equal(v.regionCount, 2);
    assert_string_equal(v.regions[0].name, names ? "cap" : "");
    assert_string_equal(v.regions[1].name, names ? "box" : "");
    assert_int_equal(v.nodeSetCount, 2);
    const palNodeSet* floor = mustFindSet(&v, names ? "the floor" : "surface 7", 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(floor->vertices[i], i);
    assert_int_equal(mustFindSet(&v, names ? "tip" : "points 5", 1)->vertices[0], 8);
    palVolume_Free(&v);
}

static void version_1_is_read(void** state)
{
    (void)state;
    File file = {0};
    putText(&file, "$NOD\n10\n");
    for (int i = 0; i < 10; i++)
        putText(&file, "%d %g %g %g\n", tags[i], points[i][0], points[i][1], points[i][2]);
    putText(&file, "$ENDNOD\n$ELM\n5\n");
    for (int i = 0; i < 5; i++)
    {
        putText(&file, "%d %d %d %d %d", i + 1, cells[i].type, cells[i].group, cells[i].entity,
                cells[i].count);
        for (int k = 0; k < cells[i].count; k++)
            putText(&file, " %d", cells[i].nodes[k]);
        putText(&file, "\n");
    }
    putText(&file, "$ENDELM\n");
    expectContents(&file, false);
    expectCutsRefused(pal_volumeMsh, file.data, file.size - strlen("$ENDELM\n"));
}

static void version_2_ascii_is_read(void** state)
{
    (void)state;
    File file = {0};
    putText(&file, "$Comments\nany text $ here\n$EndComments\n$MeshFormat\r\n2.2 0 8\r\n"
                   "$EndMeshFormat\r\n");
    putNames(&file);
    putText(&file, "$Nodes\n10\n");
    for (int i = 0; i < 10; i++)
        putText(&file, "%d %g %g %g\n", tags[i], points[i][0], points[i][1], points[i][2]);
    putText(&file, "$EndNodes\n$Elements\n5\n");
    for (int i = 0; i < 5; i++)
    {
        putText(&file, "%d %d 3 %d %d 0", i + 1, cells[i].type, cells[i].group, cells[i].entity);
        for (int k = 0; k < cells[i].count; k++)
            putText(&file, " %d", cells[i].nodes[k]);
        putText(&file, "\n");
    }
    putText(&file, "$EndElements\n");
    size_t end = file.size - strlen("$EndElements\n");
    putText(&file, "$NodeData\n1\n\"field\"\n$EndNodeData\n");
    expectContents(&file, true);
    expectCutsRefused(pal_volumeMsh, file.data, end);
}

static void version_2_binary_of_both_orders_is_read(void** state)
{
    (void)state;
    for (int big = 0; big < 2; big++)
    {
        File file = {.big = big};
        putText(&file, "$MeshFormat\n2.2 1 8\n");
        putInt(&file, 1);
        putText(&file, "\n$EndMeshFormat\n");
        putNames(&file);
        putText(&file, "$Nodes\n10\n");
        for (int i = 0; i < 10; i++)
        {
            putInt(&file, tags[i]);
            for (int k = 0; k < 3; k++)
                putDouble(&file, points[i][k]);
        }
        putText(&file, "\n$EndNodes\n$Elements\n5\n");
        for (int i = 0; i < 5; i++)
        {
            // The two triangles are one run.
            if (i != 2)
            {
                putInt(&file, cells[i].type);
                putInt(&file, i == 1 ? 2 : 1);
                putInt(&file, 2);
            }
            putInt(&file, i + 1);
            putInt(&file, cells[i].group);
            putInt(&file, cells[i].entity);
            for (int k = 0; k < cells[i].count; k++)
                putInt(&file, cells[i].nodes[k]);
        }
        putText(&file, "\n$EndElements\n");
        expectContents(&file, true);
        expectCutsRefused(pal_volumeMsh, file.data, file.size - strlen("\n$EndElements\n"));
    }
}

// Puts a number of 4.1: text, or binary of its type.
static void put(File* file, bool text, char type, double value)
{
    if (text)
        putText(file, "%.17g ", value);
    else if (type == 'd')
        putDouble(file, value);
    else if (type == 's')
        putLong(file, (int64_t)value);
    else
        putInt(file, (int)value);
}

static void putAll(File* file, bool text, const char* types, const double* values)
{
    for (int i = 0; types[i] != '\0'; i++)
        put(file, text, types[i], values[i]);
}

#define PUT(types, ...) putAll(&file, text, types, (const double[]){__VA_ARGS__})

static File makeVersion4(bool text, bool big)
{
    File file = {.big = big};
    putText(&file, "$MeshFormat\n4.1 %d 8\n", text ? 0 : 1);
    if (!text)
        putInt(&file, 1);
    putText(&file, "\n$EndMeshFormat\n");
    putNames(&file);
    putText(&file, "$Entities\n");
    PUT("ssss", 1, 1, 1, 2);
    PUT("idddsi", 1, 0, 0, 2, 1, 5);
    PUT("iddddddssii", 9, 0, 0, 0, 1, 1, 1, 0, 2, 1, -1); // a curve in no group, two ends
    PUT("iddddddsisi", 2, 0, 0, 0, 1, 1, 0, 1, 7, 1, 9);
    PUT("iddddddsisi", 3, 0, 0, 1, 1, 1, 2, 1, 2, 1, 2);
    PUT("iddddddsisi", 4, 0, 0, 0, 1, 1, 1, 1, 3, 1, -2);
    putText(&file, "\n$EndEntities\n$Nodes\n");
    PUT("ssss", 2, 10, 11, 99);
    // The first two nodes lie on the surface, with parameters u and v.
    PUT("iiisss", 2, 2, 1, 2, tags[0], tags[1]);
    for (int i = 0; i < 2; i++)
        PUT("ddddd", points[i][0], points[i][1], points[i][2], 0.5, 0.25);
    PUT("iiis", 3, 4, 0, 8);
    for (int i = 2; i < 10; i++)
        PUT("s", tags[i]);
    for (int i = 2; i < 10; i++)
        PUT("ddd", points[i][0], points[i][1], points[i][2]);
    putText(&file, "\n$EndNodes\n$Elements\n");
    PUT("ssss", 4, 5, 1, 5);
    static const int dimensions[5] = {0, 2, 2, 3, 3};
    for (int i = 0; i < 5; i++)
    {
        if (i != 2)
            PUT("iiis", dimensions[i], cells[i].entity, cells[i].type, i == 1 ? 2 : 1);
        PUT("s", i + 1);
        for (int k = 0; k < cells[i].count; k++)
            PUT("s", cells[i].nodes[k]);
    }
    return file;
}

static void version_4_of_every_encoding_is_read(void** state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++)
    {
        File file = makeVersion4(variant == 0, variant == 2);
        // The last number of a text could be cut and still be a number.
        size_t end = file.size - (variant == 0 ? 4 : 0);
        putText(&file, "\n$EndElements\n");
        expectContents(&file, true);
        expectCutsRefused(pal_volumeMsh, file.data, end);
    }
}

static void what_is_written_is_read_back(void** state)
{
    (void)state;
    static const palMshVersion versions[2] = {pal_msh22, pal_msh41};
    char path[] = "/tmp/palpate-XXXXXX.msh";
    close(mkstemps(path, 4));
    for (int cut = 0; cut < 3; cut++)
        for (int i = 0; i < 2; i++)
        {
            palVolume v = makeShape(pal_volumeGraded, cut, 3, 2, 4), back;
            palError error;
            v.labels[3] = 9;
            v.labels[5] = 0;
            assert_int_equal(palVolume_AddRegion(&v, 9, "inclusion", &error), pal_ok);
            assert_int_equal(palVolume_Write(&v, path, versions[i], &error), pal_ok);
            assert_int_equal(palVolume_Load(path, 1.0, &back, NULL, NULL, &error), pal_ok);
            expectSame(&v, &back, true);
            palVolume_Free(&v);
            palVolume_Free(&back);
        }
    remove(path);
}

#define HEAD  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"

static void faults_are_named_with_their_line(void** state)
{
    (void)state;
#define REFUSED(text, words, line)                                                                 \
    expectVolumeRefusal(pal_volumeMsh, text, strlen(text), words, line)
    REFUSED("", "no volume element", 0);
    REFUSED("hello\n", "'hello'", 1);
    REFUSED("$MeshFormat\n3 0 8\n", "format 3", 2);
    REFUSED("$MeshFormat\n4 0 8\n", "format 4", 2);
    REFUSED("$Nodes\n4\n", "precedes $MeshFormat", 1);
    REFUSED(HEAD "$Nodes\n2\n1 0 0 0\n2 1 x 0\n", "'x'", 7);
    REFUSED(HEAD "$Nodes\n4000000\n1 0 0 0\n", "fit into the file", 5);
    REFUSED(HEAD "$Nodes\n2\n1 0 0 0\n1 0 0 nan\n$EndNodes\n", "not finite", 7);
    REFUSED(HEAD NODES "$Elements\n1\n1 4 2 0 0 1 2 3 5\n$EndElements\n", "node 5", 13);
    REFUSED(HEAD NODES "$Elements\n1\n1 77 2 0 0 1 2 3 4\n$EndElements\n", "type 77", 13);
    REFUSED(HEAD NODES "$Elements\n1\n1 2 2 0 0 1 2 3\n$EndElements\n", "it is a surface", 0);
    REFUSED(HEAD NODES "$Elements\n1\n1 4 2 0 0 1 2 3 3\n$EndElements\n", "no volume", 0);
    REFUSED(HEAD "$Nodes\n2\n7 0 0 0\n7 1 0 0\n$EndNodes\n$Elements\n1\n1 15 0 7\n",
            "two nodes have the number 7", 11);
    REFUSED(HEAD NODES "$Elements\n1\n1 4 2 0 0 1 2 3 4\n5\n", "has no $End", 14);
#undef REFUSED
}

static void a_mirrored_tet_is_turned_and_told(void** state)
{
    (void)state;
    const char* text = HEAD NODES "$Elements\n1\n1 4 2 0 0 1 3 2 4\n$EndElements\n";
    palVolumeFacts facts;
    palMessages notes = {0};
    palVolume v = mustLoad(pal_volumeMsh, text, strlen(text), &facts, &notes);
    ASSERT_NEAR(palVolume_ElementVolume(&v, 0), 1.0 / 6.0, 1e-16);
    assert_int_equal(facts.repairs.mirrored, 1);
    assert_true(isTold(&notes, "mirrored"));
    palMessages_Free(&notes);
    palVolume_Free(&v);
}

static void a_second_order_tet_is_used_by_its_corners(void** state)
{
    (void)state;
    File file = {0};
    putText(&file, HEAD "$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
    for (int i = 5; i <= 10; i++)
        putText(&file, "%d 0.%d 0.3 0.2\n", i, i - 4);
    putText(&file, "$EndNodes\n$Elements\n1\n1 11 2 0 0 1 2 3 4 5 6 7 8 9 10\n$EndElements\n");
    palVolumeFacts facts;
    palMessages notes = {0};
    palVolume v = mustLoad(pal_volumeMsh, file.data, file.size, &facts, &notes);
    assert_int_equal(v.vertexCount, 4);
    ASSERT_NEAR(facts.volume, 1.0 / 6.0, 1e-16);
    assert_int_equal(facts.repairs.higherOrder, 1);
    assert_true(isTold(&notes, "higher-order"));
    palMessages_Free(&notes);
    palVolume_Free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_1_is_read),
        cmocka_unit_test(version_2_ascii_is_read),
        cmocka_unit_test(version_2_binary_of_both_orders_is_read),
        cmocka_unit_test(version_4_of_every_encoding_is_read),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(faults_are_named_with_their_line),
        cmocka_unit_test(a_mirrored_tet_is_turned_and_told),
        cmocka_unit_test(a_second_order_tet_is_used_by_its_corners),
    };
    return RUN(tests);
}
