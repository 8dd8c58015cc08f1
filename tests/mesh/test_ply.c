// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

// A growing file in memory, in either byte order.
typedef struct File
{
    unsigned char data[4096];
    size_t size;
    bool big;
} File;

static void putText(File* file, const char* text)
{
    memcpy(file->data + file->size, text, strlen(text));
    file->size += strlen(text);
}

static void putBytes(File* file, const void* value, int size)
{
    const unsigned char* bytes = value; // of a little-endian machine
    for (int i = 0; i < size; i++)
        file->data[file->size++] = bytes[file->big ? size - 1 - i : i];
}

static void ascii_with_comments_and_unknown_elements_is_read(void** state)
{
    (void)state;
    char text[4096] = "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info none\r\n"
                      "element material 2\r\nproperty list uchar float colour\r\n"
                      "element vertex 8\r\nproperty float nx\r\nproperty float z\r\n"
                      "property float y\r\nproperty float x\r\nelement face 6\r\n"
                      "property uchar red\r\nproperty list uchar int vertex_index\r\n"
                      "end_header\r\n3 0.1 0.2 0.3\r\n0\r\n";
    for (int i = 0; i < 8; i++)
        sprintf(text + strlen(text), "9e9 %d %d %d\r\n", i >> 2 & 1, i >> 1 & 1, i & 1);
    for (int i = 0; i < 6; i++)
        sprintf(text + strlen(text), "255 4 %d %d %d %d\r\n", cubeSquares[i][0], cubeSquares[i][1],
                cubeSquares[i][2], cubeSquares[i][3]);
    expectCube(pal_surfacePly, text, strlen(text), pal_zeroVec3, NULL);
}

// Writes the cube with coordinates of one type and indices of another.
static void binary_of_every_type_and_order_is_read(void** state)
{
    (void)state;
    static const char* const names[] = {"char", "uint8", "short",   "uint16",
                                        "int",  "uint",  "float32", "double"};
    for (int big = 0; big < 2; big++)
        for (int type = 0; type < 8; type++)
        {
            File file = {.big = big};
            char header[512];
            const char* index = names[type % 6];
            sprintf(header,
                    "ply\nformat binary_%s_endian 1.0\nelement vertex 8\nproperty %s x\n"
                    "property %s y\nproperty %s z\nelement face 6\n"
                    "property list %s %s vertex_indices\nend_header\n",
                    big ? "big" : "little", names[type], names[type], names[type], index, index);
            putText(&file, header);
            static const int sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
            for (int i = 0; i < 24; i++)
            {
                int whole = i / 3 >> i % 3 & 1;
                float single = (float)whole;
                double wide = whole;
                putBytes(&file,
                         type == 7   ? (void*)&wide
                         : type == 6 ? (void*)&single
                                     : &whole,
                         sizes[type]);
            }
            for (int i = 0; i < 6; i++)
            {
                int count = 4;
                putBytes(&file, &count, sizes[type % 6]);
                for (int k = 0; k < 4; k++)
                    putBytes(&file, &cubeSquares[i][k], sizes[type % 6]);
            }
            expectCube(pal_surfacePly, file.data, file.size, pal_zeroVec3, NULL);
        }
}

static void strips_become_triangles_with_alternating_sense(void** state)
{
    (void)state;
    // Two strips around the cube; the first closes four sides, the others the lids.
    char text[2048] = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\n"
                      "property float y\nproperty float z\nelement tristrips 1\n"
                      "property list int int vertex_indices\nend_header\n";
    for (int i = 0; i < 8; i++)
        sprintf(text + strlen(text), "%d %d %d\n", i & 1, i >> 1 & 1, i >> 2 & 1);
    strcat(text, "21 0 2 1 3 5 7 4 6 0 2 -1 1 5 0 4 -1 2 6 3 7 -1\n");
    // 0 2 1: seen from below counter-clockwise, so that the strip faces outward.
    expectCube(pal_surfacePly, text, strlen(text), pal_zeroVec3, NULL);
}

static void a_file_cut_anywhere_is_refused(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    File file = {0};
    putText(&file, "ply\nformat binary_little_endian 1.0\nelement vertex 8\nproperty double x\n"
                   "property double y\nproperty double z\nelement face 12\n"
                   "property list uchar int vertex_indices\nend_header\n");
    for (int i = 0; i < 8; i++)
    {
        putBytes(&file, &cube.vertices[i].x, 8);
        putBytes(&file, &cube.vertices[i].y, 8);
        putBytes(&file, &cube.vertices[i].z, 8);
    }
    for (int i = 0; i < 12; i++)
    {
        file.data[file.size++] = 3;
        for (int k = 0; k < 3; k++)
            putBytes(&file, &cube.triangles[i][k], 4);
    }
    expectCube(pal_surfacePly, file.data, file.size, pal_zeroVec3, NULL);
    for (size_t size = 0; size < file.size; size++)
    {
        palSurface surface;
        palError error;
        assert_int_equal(loadData(pal_surfacePly, file.data, size, &surface, NULL, NULL, &error),
                         pal_errorInput);
        assert_true(error.text[0] != '\0');
    }
    palSurface_Free(&cube);
}

static void faults_are_named_with_their_line(void** state)
{
    (void)state;
#define HEAD                                                                                       \
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"                \
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
#define REFUSED(text, words, line) expectRefusal(pal_surfacePly, text, strlen(text), words, line)
    REFUSED("plx\n", "not a PLY", 1);
    REFUSED("ply\nformat ascii 1.0\nelement vertex 3\n", "end_header", 4);
    REFUSED("ply\nformat ternary 1.0\n", "ternary", 2);
    REFUSED("ply\nformat ascii 1.0\nelement vertex 3\nproperty quad x\n", "quad", 4);
    REFUSED("ply\nformat ascii 1.0\nelement vertex -3\n", "vertex", 3);
    REFUSED("ply\nformat ascii 1.0\nelement vertex 2000000000\nproperty float x\n"
            "property float y\nproperty float z\nend_header\n0 0 0\n",
            "fit into the file", 3);
    REFUSED(HEAD "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", "not finite", 11);
    REFUSED(HEAD "0 0 0\n1 x 0\n0 1 0\n3 0 1 2\n", "'x'", 11);
    REFUSED(HEAD "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "vertex 3", 13);
    REFUSED(HEAD "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "vertex -1", 13);
    REFUSED(HEAD "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "1 lines", 0);
    REFUSED(HEAD "0 0 0\n1 0 0\n0 1 0\n0\n", "3 points", 0);
#undef HEAD
#undef REFUSED
}

static void a_concave_face_is_cut_inside_its_outline(void** state)
{
    (void)state;
    // An arrowhead: a fan from its first corner would leave the outline and count area twice.
    const char* text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n"
                       "property float y\nproperty float z\nelement face 1\n"
                       "property list uchar int vertex_indices\nend_header\n"
                       "-2 -1 0\n0 0 0\n2 -1 0\n0 3 0\n4 0 1 2 3\n";
    palSurface surface;
    palSurfaceFacts facts;
    palError error;
    assert_int_equal(loadData(pal_surfacePly, text, strlen(text), &surface, &facts, NULL, &error),
                     pal_ok);
    assert_int_equal(facts.triangleCount, 2);
    ASSERT_NEAR(facts.area, 6.0, 1e-15); // shoelace: |(-2,-1) (0,0) (2,-1) (0,3)| = 12 / 2
    palSurface_Free(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_with_comments_and_unknown_elements_is_read),
        cmocka_unit_test(binary_of_every_type_and_order_is_read),
        cmocka_unit_test(strips_become_triangles_with_alternating_sense),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(faults_are_named_with_their_line),
        cmocka_unit_test(a_concave_face_is_cut_inside_its_outline),
    };
    return RUN(tests);
}
