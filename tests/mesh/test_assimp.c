// SPDX-License-Identifier: Apache-2.0
// OBJ and glTF. Single precision holds the unit cube exactly.
#include "bodies.h"

#ifdef PAL_HAVE_ASSIMP

static void writeObj(char* text)
{
    strcpy(text, "# cube\nmtllib none.mtl\no cube\n");
    for (int i = 0; i < 8; i++)
        sprintf(text + strlen(text), "v %d %d %d\n", i & 1, i >> 1 & 1, i >> 2 & 1);
    strcat(text, "vt 0 0\nvn 0 0 1\nvn 0 1 0\nusemtl none\ns off\n");
    for (int i = 0; i < 6; i++)
    {
        strcat(text, "f");
        for (int k = 0; k < 4; k++)
            // Every way to write a corner; normals that differ must not part the vertices.
            sprintf(text + strlen(text),
                    i % 3 == 0   ? " %d//1"
                    : i % 3 == 1 ? " %d/1/2"
                                 : " %d",
                    i == 5 ? cubeSquares[i][k] - 8 : cubeSquares[i][k] + 1);
        strcat(text, "\n");
    }
}

static void obj_is_read(void** state)
{
    (void)state;
    char text[4096];
    palMessages notes = {0};
    writeObj(text);
    expectCube(pal_surfaceObj, text, strlen(text), pal_zeroVec3, &notes);
    assert_int_equal(notes.count, 0);
    strcat(text, "l 1 2\n");
    expectCube(pal_surfaceObj, text, strlen(text), pal_zeroVec3, &notes);
    assert_true(isTold(&notes, "1 line and 0 points ignored"));
    palMessages_Free(&notes);
}

static void faults_of_obj_are_named_with_their_line(void** state)
{
    (void)state;
#define REFUSED(text, words, line) expectRefusal(pal_surfaceObj, text, strlen(text), words, line)
#define THREE                      "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    expectRefusal(pal_surfaceObj, "", 0, "empty", 0);
    REFUSED("# nothing\n", "", 0);
    REFUSED(THREE "f 1 2 4\n", "vertex 4", 4);
    REFUSED(THREE "f 1 2 -4\n", "vertex -4", 4);
    REFUSED(THREE "f 1 2 0\n", "vertex 0", 4);
    REFUSED(THREE "f 1 2\n", "three corners", 4);
    REFUSED(THREE "f 1 2 x\n", "not an index", 4);
    REFUSED("v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", "not finite", 2);
    REFUSED("v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", "three numbers", 2);
    REFUSED(THREE "l 1 2\nl 2 3\n", "lines and no triangle", 0);
    REFUSED(THREE, "no triangle", 0);
    REFUSED(THREE "f 1 2 2\n", "no area", 0);
#undef THREE
#undef REFUSED
}

// A cube as glTF: positions and 16-bit indices in one buffer, moved by its node.
static size_t writeGlb(unsigned char* data)
{
    const char* json =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"mesh\":0,\"translation\":[1,2,3]}],\"meshes\":[{\"primitives\":["
        "{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\","
        "\"min\":[0,0,0],\"max\":[1,1,1]},"
        "{\"bufferView\":1,\"componentType\":5123,\"count\":36,\"type\":\"SCALAR\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":96},"
        "{\"buffer\":0,\"byteOffset\":96,\"byteLength\":72}],\"buffers\":[{\"byteLength\":168}]}";
    uint32_t jsonSize = (uint32_t)(strlen(json) + 3) / 4 * 4, binSize = 168;
    uint32_t head[5] = {0x46546c67, 2, 28 + jsonSize + binSize, jsonSize, 0x4e4f534a};
    memcpy(data, head, sizeof head);
    memset(data + 20, ' ', jsonSize);
    memcpy(data + 20, json, strlen(json));
    uint32_t chunk[2] = {binSize, 0x004e4942};
    memcpy(data + 20 + jsonSize, chunk, sizeof chunk);
    unsigned char* body = data + 28 + jsonSize;
    for (int i = 0; i < 24; i++)
    {
        float number = (float)(i / 3 >> i % 3 & 1);
        memcpy(body + 4 * i, &number, 4);
    }
    for (int i = 0; i < 36; i++)
    {
        uint16_t index = (uint16_t)cubeTriangles[i / 3][i % 3];
        memcpy(body + 96 + 2 * i, &index, 2);
    }
    return head[2];
}

static void gltf_is_read_with_its_node_transforms(void** state)
{
    (void)state;
    unsigned char data[2048];
    size_t size = writeGlb(data);
    expectCube(pal_surfaceGlb, data, size, palMakeVec3(1, 2, 3), NULL);
    for (size_t cut = 0; cut < size; cut += 5)
    {
        palSurface surface;
        palError error;
        assert_int_equal(loadData(pal_surfaceGlb, data, cut, &surface, NULL, NULL, &error),
                         pal_errorInput);
    }
}

static void text_gltf_is_read_with_the_file_beside_it(void** state)
{
    (void)state;
    char directory[] = "/tmp/palpate-gltf-XXXXXX";
    assert_non_null(mkdtemp(directory));
    char gltfPath[64], binPath[64];
    snprintf(gltfPath, sizeof gltfPath, "%s/cube.gltf", directory);
    snprintf(binPath, sizeof binPath, "%s/cube.bin", directory);
    unsigned char data[2048];
    size_t size = writeGlb(data);
    FILE* bin = fopen(binPath, "wb");
    fwrite(data + size - 168, 1, 168, bin);
    fclose(bin);
    // The same description, its buffer named.
    const char* json = (const char*)data + 20;
    const char* end = strstr(json, "\"byteLength\":168");
    FILE* gltf = fopen(gltfPath, "wb");
    fprintf(gltf, "%.*s\"uri\":\"cube.bin\",\"byteLength\":168}]}", (int)(end - json), json);
    fclose(gltf);
    palSurface surface;
    palSurfaceFacts facts;
    palError error;
    palLoadDef def = palDefaultLoadDef();
    palResult result = palSurface_Load(gltfPath, &def, &surface, &facts, NULL, &error);
    remove(gltfPath);
    remove(binPath);
    remove(directory);
    assert_int_equal(result, pal_ok);
    ASSERT_NEAR(facts.volume, 1.0, 1e-12);
    palSurface_Free(&surface);
}

static void what_is_no_gltf_is_refused(void** state)
{
    (void)state;
    const char* text = "solid cube\n";
    expectRefusal(pal_surfaceGltf, text, strlen(text), "not glTF", 0);
    expectRefusal(pal_surfaceGlb, text, strlen(text), "not glTF", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_is_read),
        cmocka_unit_test(faults_of_obj_are_named_with_their_line),
        cmocka_unit_test(gltf_is_read_with_its_node_transforms),
        cmocka_unit_test(text_gltf_is_read_with_the_file_beside_it),
        cmocka_unit_test(what_is_no_gltf_is_refused),
    };
    return RUN(tests);
}

#else

static void obj_and_gltf_are_read(void** state)
{
    (void)state;
    SKIP("built without Assimp");
}

static void a_build_without_assimp_says_what_is_missing(void** state)
{
    (void)state;
    palSurface surface;
    palError error;
    assert_int_equal(loadData(pal_surfaceObj, "v 0 0 0\n", 8, &surface, NULL, NULL, &error),
                     pal_errorUnusable);
    assert_non_null(strstr(error.remedy, "libassimp-dev"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_and_gltf_are_read),
        cmocka_unit_test(a_build_without_assimp_says_what_is_missing),
    };
    return RUN(tests);
}

#endif
