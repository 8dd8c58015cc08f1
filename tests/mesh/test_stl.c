// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

static size_t writeTextStl(char* text)
{
    strcpy(text, "solid cube of 12\n");
    for (int t = 0; t < 12; t++)
    {
        strcat(text, "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3; k++)
        {
            int i = cubeTriangles[t][k];
            sprintf(text + strlen(text), "      vertex %d %d.0e0 %d\n", i & 1, i >> 1 & 1,
                    i >> 2 & 1);
        }
        strcat(text, "    endloop\n  endfacet\n");
    }
    strcat(text, "endsolid cube\n");
    return strlen(text);
}

static void text_is_read(void** state)
{
    (void)state;
    char text[4096];
    size_t size = writeTextStl(text);
    palMessages notes = {0};
    expectCube(pal_surfaceStl, text, size, pal_zeroVec3, &notes);
    assert_int_equal(notes.count, 0);
    // Without its end the file is read, and the doubt told.
    expectCube(pal_surfaceStl, text, size - strlen("endsolid cube\n"), pal_zeroVec3, &notes);
    assert_true(isTold(&notes, "endsolid"));
    palMessages_Free(&notes);
    // Cut inside the last facet.
    size_t cut = (size_t)(strstr(text + 1500, "vertex") - text);
    palSurface surface;
    palError error;
    assert_int_equal(loadData(pal_surfaceStl, text, cut, &surface, NULL, NULL, &error),
                     pal_errorInput);
    assert_non_null(strstr(error.text, "truncated"));
}

static size_t writeBinaryStl(unsigned char* data, const char* header)
{
    memset(data, ' ', 80);
    memcpy(data, header, strlen(header));
    uint32_t count = 12;
    memcpy(data + 80, &count, 4); // little-endian, as this machine
    size_t at = 84;
    for (int t = 0; t < 12; t++)
    {
        float numbers[12] = {0};
        for (int k = 0; k < 9; k++)
            numbers[3 + k] = (float)(cubeTriangles[t][k / 3] >> k % 3 & 1);
        memcpy(data + at, numbers, 48);
        memset(data + at + 48, 0, 2);
        at += 50;
    }
    return at;
}

static void binary_is_read_also_when_it_says_solid(void** state)
{
    (void)state;
    unsigned char data[1024] = {0};
    palMessages notes = {0};
    size_t size = writeBinaryStl(data, "made by hand");
    expectCube(pal_surfaceStl, data, size, pal_zeroVec3, &notes);
    assert_int_equal(notes.count, 0);
    expectCube(pal_surfaceStl, data, size + 7, pal_zeroVec3, &notes);
    assert_true(isTold(&notes, "7 bytes after"));
    size = writeBinaryStl(data, "solid made by a careless program");
    expectCube(pal_surfaceStl, data, size, pal_zeroVec3, &notes);
    palMessages_Free(&notes);
}

static void binary_cut_anywhere_is_refused(void** state)
{
    (void)state;
    unsigned char data[1024];
    size_t whole = writeBinaryStl(data, "made by hand");
    for (size_t size = 0; size < whole; size += 3)
    {
        palSurface surface;
        palError error;
        assert_int_equal(loadData(pal_surfaceStl, data, size, &surface, NULL, NULL, &error),
                         pal_errorInput);
    }
    expectRefusal(pal_surfaceStl, data, whole - 1, "12 triangles but contains only 11", 0);
    float bad = NAN;
    memcpy(data + 84 + 12, &bad, 4);
    expectRefusal(pal_surfaceStl, data, whole, "not finite", 0);
}

// What writers of text files do differently from each other, a string replaced by another.
static void variants_of_text_are_read(void** state)
{
    (void)state;
    static const char* const variants[][2] = {
        {"endsolid cube", "endsolid"},
        {"endsolid cube", "end solid cube"},
        {"endsolid cube", "end solid"},
        {"endsolid", "EndSolid"},
        {"endfacet", "end facet"},
        {"endloop", "end loop"},
        {"solid cube of 12", "\n SOLID"},
        {"solid cube of 12", "solid facet vertex endsolid"},
        {"facet normal 0 0 0", "facet"},
        {"facet normal", "FACET NORMAL"},
        {"vertex", "VERTEX"},
        {"\n", "\r\n"},
        {"\n", "\r"},
        {"endsolid cube\n", "endsolid cube\nsolid rest\nendsolid rest\n"},
    };
    char text[4096];
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
    {
        writeTextStl(text);
        char changed[8192] = "";
        const char* from = text;
        for (const char* hit; (hit = strstr(from, variants[i][0])) != NULL;)
        {
            strncat(changed, from, (size_t)(hit - from));
            strcat(changed, variants[i][1]);
            from = hit + strlen(variants[i][0]);
        }
        strcat(changed, from);
        palMessages notes = {0};
        expectCube(pal_surfaceStl, changed, strlen(changed), pal_zeroVec3, &notes);
        assert_int_equal(notes.count, 0);
        palMessages_Free(&notes);
    }
}

static void faults_are_named_with_their_line(void** state)
{
    (void)state;
#define REFUSED(text, words, line) expectRefusal(pal_surfaceStl, text, strlen(text), words, line)
#define FACET                      "solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
    REFUSED("", "empty", 0);
    REFUSED("sold\n", "neither", 0);
    REFUSED("solid a\nendsolid a\n", "empty", 0);
    REFUSED(FACET "endloop\nendfacet\nfacet\n", "three vertices", 8);
    REFUSED(FACET "vertex 0 1\n", "three numbers", 6);
    REFUSED(FACET "vertex 0 1 inf\n", "not finite", 6);
    REFUSED(FACET "vertex 0 1 1e39\n", "not finite", 6);
#undef FACET
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_read),
        cmocka_unit_test(binary_is_read_also_when_it_says_solid),
        cmocka_unit_test(binary_cut_anywhere_is_refused),
        cmocka_unit_test(variants_of_text_are_read),
        cmocka_unit_test(faults_are_named_with_their_line),
    };
    return RUN(tests);
}
