// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

#include <unistd.h>

static palResult loadPair(const char* nodes, const char* elements, palVolume* volume,
                          palVolumeFacts* facts, palError* error)
{
    palVolumeBytes bytes = {
        .format = pal_volumeTetgen,
        .data = (const unsigned char*)nodes,
        .size = strlen(nodes),
        .elements = (const unsigned char*)elements,
        .elementsSize = strlen(elements),
        .path = "a.node",
        .elementsPath = "a.ele",
    };
    memset(error, 0, sizeof *error);
    return palVolume_LoadBytes(&bytes, 1.0, volume, facts, NULL, error);
}

// Two tets over the triangle (0,0,0) (1,0,0) (0,1,0).
static void makePair(int base, int attributes, int markers, bool second, char* nodes,
                     char* elements)
{
    static const double p[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -2}};
    static const int t[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    int count = second ? 11 : 5;
    nodes += sprintf(nodes, "# nodes\n%d 3 %d %d\n", count, attributes, markers);
    for (int i = 0; i < count; i++)
    {
        const double* x = p[i < 5 ? i : 0];
        nodes += sprintf(nodes, "%d %g %g %g", i + base, x[0], x[1], x[2]);
        for (int k = 0; k < attributes; k++)
            nodes += sprintf(nodes, " 0.25");
        nodes += sprintf(nodes, markers ? " %d  # here\n" : "\n", i % 2 == 0 ? 7 : 0);
    }
    elements += sprintf(elements, "2 %d %d\n", second ? 10 : 4, attributes);
    for (int i = 0; i < 2; i++)
    {
        elements += sprintf(elements, "%d", i + base);
        for (int k = 0; k < 4; k++)
            elements += sprintf(elements, " %d", t[i][k] + base);
        for (int k = 0; second && k < 6; k++)
            elements += sprintf(elements, " %d", 5 + k + base);
        for (int k = 0; k < attributes; k++)
            elements += sprintf(elements, " %d", k == 0 ? 20 + i : 99);
        elements += sprintf(elements, "\n");
    }
}

static void every_variant_is_read(void** state)
{
    (void)state;
    for (int variant = 0; variant < 16; variant++)
    {
        char nodes[2048], elements[512];
        int base = variant & 1, markers = variant >> 1 & 1, attributes = (variant >> 2 & 1) * 2;
        bool second = variant >> 3;
        palVolume v;
        palVolumeFacts facts;
        palError error;
        makePair(base, attributes, markers, second, nodes, elements);
        if (loadPair(nodes, elements, &v, &facts, &error) != pal_ok)
            fail_msg("%s (%s:%d)", error.text, error.file, error.line);
        assert_int_equal(v.vertexCount, 5);
        assert_int_equal(v.tetCount, 2);
        ASSERT_NEAR(facts.volume, 0.5, 1e-16);
        assert_int_equal(facts.repairs.higherOrder, second ? 2 : 0);
        assert_int_equal(v.regionCount, attributes > 0 ? 2 : 0);
        assert_int_equal(v.labels[1], attributes > 0 ? 21 : 0);
        assert_int_equal(v.nodeSetCount, markers);
        if (markers)
            assert_int_equal(mustFindSet(&v, "points 7", 3)->vertices[1], 2);
        palVolume_Free(&v);
    }
}

static void cut_files_are_refused(void** state)
{
    (void)state;
    char nodes[2048], elements[512], cut[2048];
    palVolume v;
    palError error;
    makePair(1, 0, 0, false, nodes, elements);
    for (size_t size = 0; size + 2 < strlen(nodes); size++)
    {
        memcpy(cut, nodes, size);
        cut[size] = '\0';
        assert_int_equal(loadPair(cut, elements, &v, NULL, &error), pal_errorInput);
        assert_string_equal(error.file, strstr(error.text, "element refers") ? "a.ele" : "a.node");
    }
    for (size_t size = 0; size + 2 < strlen(elements); size++)
    {
        memcpy(cut, elements, size);
        cut[size] = '\0';
        assert_int_equal(loadPair(nodes, cut, &v, NULL, &error), pal_errorInput);
        assert_string_equal(error.file, "a.ele");
    }
}

static void faults_are_named_with_file_and_line(void** state)
{
    (void)state;
    static const char good[] = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    static const struct
    {
        const char *nodes, *elements, *words;
        int line;
    } cases[] = {
        {"4 2 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "", "2 dimensions", 1},
        {"400 3 0 0\n1 0 0 0\n", "", "fit into the file", 1},
        {"1 3 0 0\n1 0 inf 0\n", "", "not finite", 2},
        {good, "1 4 0\n1 1 2 3 5\n", "node 5", 2},
        {good, "1 5 0\n1 1 2 3 4 5\n", "5 nodes", 1},
        {good, "1 4 0\n1 1 2 3 x\n", "'x'", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        palVolume v;
        palError error;
        assert_int_equal(loadPair(cases[i].nodes, cases[i].elements, &v, NULL, &error),
                         pal_errorInput);
        if (strstr(error.text, cases[i].words) == NULL || error.line != cases[i].line)
            fail_msg("line %d: '%s' does not say '%s'", error.line, error.text, cases[i].words);
        assert_string_equal(error.file, i < 3 ? "a.node" : "a.ele");
    }
}

static void either_file_finds_the_other(void** state)
{
    (void)state;
    char folder[] = "/tmp/palpate-XXXXXX", path[2][64], nodes[2048], elements[512];
    assert_non_null(mkdtemp(folder));
    makePair(0, 0, 0, false, nodes, elements);
    snprintf(path[0], sizeof path[0], "%s/part.node", folder);
    snprintf(path[1], sizeof path[1], "%s/part.ele", folder);
    palVolume v;
    palError error = {0};
    for (int i = 0; i < 2; i++)
    {
        FILE* file = fopen(path[i], "w");
        fputs(i == 0 ? nodes : elements, file);
        fclose(file);
        // With the .node alone, what is missing is said.
        if (i > 0)
            continue;
        assert_int_equal(palVolume_Load(path[0], 1.0, &v, NULL, NULL, &error), pal_errorFile);
        assert_string_equal(error.file, path[1]);
        assert_non_null(strstr(error.remedy, "in one directory"));
    }
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(palVolume_Load(path[i], 0.001, &v, NULL, NULL, &error), pal_ok);
        ASSERT_NEAR(palVolume_Bounds(&v).high.x, 0.001, 1e-18);
        palVolume_Free(&v);
    }
    remove(path[0]);
    remove(path[1]);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_is_read),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(faults_are_named_with_file_and_line),
        cmocka_unit_test(either_file_finds_the_other),
    };
    return RUN(tests);
}
