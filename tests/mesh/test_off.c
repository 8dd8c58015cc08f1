// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

// The cube as text: a keyword, what follows each vertex and each face.
static void writeCube(char* text, const char* keyword, const char* afterVertex,
                      const char* afterFace)
{
    sprintf(text, "%s 8 6 12\n# the vertices\n\n", keyword);
    for (int i = 0; i < 8; i++)
        sprintf(text + strlen(text), "%d %d %d%s\n", i & 1, i >> 1 & 1, i >> 2 & 1, afterVertex);
    for (int i = 0; i < 6; i++)
        sprintf(text + strlen(text), "4 %d %d %d %d%s\n", cubeSquares[i][0], cubeSquares[i][1],
                cubeSquares[i][2], cubeSquares[i][3], afterFace);
}

static void text_with_and_without_extras_is_read(void** state)
{
    (void)state;
    char text[4096];
    writeCube(text, "OFF\n", "", "");
    expectCube(pal_surfaceOff, text, strlen(text), pal_zeroVec3, NULL);
    writeCube(text, "OFF", "", " 0.5 0.5 0.5");
    expectCube(pal_surfaceOff, text, strlen(text), pal_zeroVec3, NULL);
    writeCube(text, "# made by hand\r\nCOFF\r\n", " 255 0 0 255", " 3");
    expectCube(pal_surfaceOff, text, strlen(text), pal_zeroVec3, NULL);
    writeCube(text, "STCNOFF", " 0 0 1 1 0 0 1 0.5 0.5", " # grey");
    expectCube(pal_surfaceOff, text, strlen(text), pal_zeroVec3, NULL);
    writeCube(text, "", "", "");
    expectCube(pal_surfaceOff, text, strlen(text), pal_zeroVec3, NULL);
}

static size_t putWord(unsigned char* data, size_t at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        data[at + (size_t)i] = (unsigned char)(word >> (24 - 8 * i));
    return at + 4;
}

// With `colours` per face; -1: without their number.
static size_t writeBinaryCube(unsigned char* data, const char* keyword, int extras, int colours)
{
    size_t at = strlen(keyword);
    memcpy(data, keyword, at);
    at = putWord(data, at, 8);
    at = putWord(data, at, 6);
    at = putWord(data, at, 12);
    for (int i = 0; i < 8; i++)
    {
        for (int k = 0; k < 3; k++)
            at = putWord(data, at, i >> k & 1 ? 0x3f800000 : 0); // 1.0f and 0.0f
        for (int k = 0; k < extras; k++)
            at = putWord(data, at, 0x7fc00000);
    }
    for (int i = 0; i < 6; i++)
    {
        at = putWord(data, at, 4);
        for (int k = 0; k < 4; k++)
            at = putWord(data, at, (uint32_t)cubeSquares[i][k]);
        if (colours >= 0)
            at = putWord(data, at, (uint32_t)colours);
        for (int k = 0; k < colours; k++)
            at = putWord(data, at, 0x3f000000);
    }
    return at;
}

static void binary_with_and_without_extras_is_read(void** state)
{
    (void)state;
    unsigned char data[4096];
    expectCube(pal_surfaceOff, data, writeBinaryCube(data, "OFF BINARY\n", 0, 0), pal_zeroVec3,
               NULL);
    expectCube(pal_surfaceOff, data, writeBinaryCube(data, "OFF BINARY\r\n", 0, 3), pal_zeroVec3,
               NULL);
    expectCube(pal_surfaceOff, data, writeBinaryCube(data, "CNOFF BINARY\n", 7, 4), pal_zeroVec3,
               NULL);
    expectCube(pal_surfaceOff, data, writeBinaryCube(data, "OFF BINARY\n", 0, -1), pal_zeroVec3,
               NULL);
}

static void a_file_cut_anywhere_is_refused(void** state)
{
    (void)state;
    unsigned char data[4096];
    char text[4096];
    writeCube(text, "OFF", "", " 3");
    // Binary with one colour, none, and without their number.
    size_t sizes[4] = {strlen(text) - 3};
    for (int i = 1; i < 4; i++)
        sizes[i] = writeBinaryCube(data, "OFF BINARY\n", 0, 2 - i);
    for (int binary = 0; binary < 4; binary++)
        for (size_t size = 0; size < sizes[binary]; size++)
        {
            if (binary > 0 && size == 0)
                writeBinaryCube(data, "OFF BINARY\n", 0, 2 - binary);
            palSurface surface;
            palError error;
            const void* bytes = binary ? (const void*)data : text;
            // A number that is cut can still be a number: only the last corner's may be.
            palResult result = loadData(pal_surfaceOff, bytes, size, &surface, NULL, NULL, &error);
            assert_int_equal(result, pal_errorInput);
            assert_true(error.text[0] != '\0');
        }
}

static void faults_are_named_with_their_line(void** state)
{
    (void)state;
#define REFUSED(text, words, line) expectRefusal(pal_surfaceOff, text, strlen(text), words, line)
    REFUSED("", "empty", 1);
    REFUSED("4OFF\n3 1 0\n", "whole number", 1);
    REFUSED("nOFF\n3 1 0\n", "keyword", 1);
    REFUSED("OFF\n2000000000 1 0\n0 0 0\n", "declares more", 3);
    REFUSED("OFF\n-3 1 0\n0 0 0\n", "declares more", 3);
    REFUSED("OFF\n3 1 0\n0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n", "vertex 1 is not finite", 4);
    REFUSED("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", "vertex 7", 6);
    REFUSED("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n900 0 1 7\n", "corners", 6);
    REFUSED("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "1 lines", 0);
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_with_and_without_extras_is_read),
        cmocka_unit_test(binary_with_and_without_extras_is_read),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(faults_are_named_with_their_line),
    };
    return RUN(tests);
}
