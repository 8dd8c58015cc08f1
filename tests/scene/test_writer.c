// SPDX-License-Identifier: Apache-2.0
// A scene that is written is read back to the same values, bit for bit, and runs the same.
#include "check.h"
#include "same_scene.h"

#include "base/random.h"
#include "scene/given.h"
#include "scene/writer.h"

#include <dirent.h>
#include <palpate/session.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/palpate-writer-XXXXXX";

static int makeFolder(void** state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int removeFolder(void** state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0;
}

// The scene as text; the caller frees it.
static char* print(const palScene* scene, const char* directory)
{
    char* text = NULL;
    size_t length;
    FILE* file = open_memstream(&text, &length);
    assert_non_null(file);
    palScene_Print(scene, directory, file);
    fclose(file);
    return text;
}

// Reads what is written and compares.
static void checkCopy(const palScene* scene)
{
    static palScene copy;
    palError error = {0};
    char* text = print(scene, NULL);
    palResult result =
        palScene_Parse(text, strlen(text), "/nowhere/copy.yaml", NULL, 0, &copy, NULL, &error);
    const char* other = result == pal_ok ? findDifference(scene, &copy) : error.text;
    if (other != NULL)
        fail_msg("%s\n%s", other, text);
    char* again = print(&copy, NULL);
    assert_string_equal(text, again);
    palScene_Free(&copy);
    free(text);
    free(again);
}

//--------------------------------------------------------------------------------------------------
// Scenes made by chance from the schema

static void emitNumber(FILE* file, palRandom* random, double low, double high)
{
    double value = palRandom_Range(random, low, high);
    int form = palRandom_Below(random, 6);
    if (form == 0 && low > 0.0)
        value = exp(palRandom_Range(random, log(low), log(high)));
    if (form == 1)
        value = low;
    if (form == 2)
        value = high;
    if (form == 3)
        value = round(1000.0 * value) / 1000.0;
    value = fmin(fmax(value, low), high);
    fprintf(file, "%.17g", value);
}

static void emitVector(FILE* file, palRandom* random, const palSchemaKey* key)
{
    for (int i = 0; i < 3; i++)
    {
        fputs(i == 0 ? "[" : ", ", file);
        emitNumber(file, random, key->low, key->high);
    }
    fputc(']', file);
}

static const char* chooseText(palRandom* random)
{
    static const char* const texts[] = {
        "word",
        "two words",
        "\"\"",
        "'it''s'",
        "\"a \\\"quote\\\" and a \\\\\"",
        "\"  blanks around  \"",
        "\"line\\nbreak\\ttab\\rreturn\"",
        "\"\\x01\\x7F\\x85\\u2028\\u2029\\uFEFF\\uFFFE\\uFFFF\"",
        "\"\\xA0\\u200B Grüße 漢字 😀\"",
        "\"# no comment\"",
        "\"a: b, [c] {d} & * ! | > % @ `\"",
        "\"- item\"",
        "\"yes\"",
        "On",
        "\"null\"",
        "\"~\"",
        "\"1e5\"",
        "\".inf\"",
        "\"---\"",
        "\"?\"",
    };
    return texts[palRandom_Below(random, sizeof texts / sizeof texts[0])];
}

// Any text, but no text twice: joints need names of which each means one thing.
static void emitText(FILE* file, palRandom* random)
{
    static int count;
    const char* text = chooseText(random);
    size_t length = strlen(text);
    const char* end = strchr("\"'", text[length - 1]);
    fprintf(file, "%.*s%d%s", (int)(length - (end != NULL)), text, ++count,
            end != NULL ? text + length - 1 : "");
}

static bool isOfRigid; // the scene is for method `impulse`, if it names one

// Values that contradict no others.
static bool emitConsistent(FILE* file, palRandom* random, const palSchemaKey* key)
{
    static double lastTime;
    static const struct
    {
        const char* name;
        double low, high;
    } ranges[] = {{"dt", 1e-3, 2e-3}, {"low_dt", 0.01, 1},  {"latency", 0, 1e-3},
                  {"spin", 0, 1e-4},  {"poisson", 0, 0.49}, {"object", 0, 0},
                  {"loop", 1, 1},     {"t", 0, 0},          {"pick", -1, -1}};
    bool isHeldEnd = strcmp(key->name, "hand") == 0 || strcmp(key->name, "end") == 0;
    if (isHeldEnd && key->type == pal_schemaChoice)
        return fputs("none", file) >= 0;
    if (isOfRigid && key->type == pal_schemaName && palFindMethod(key->nameAt(0)) != NULL)
        return fputs("impulse", file) >= 0;
    if (strcmp(key->name, "count") == 0)
        return fprintf(file, "[%d, 1, %d]", 1 + palRandom_Below(random, 3),
                       1 + palRandom_Below(random, 2)) > 0;
    // Repeated objects must not leave the range of positions.
    if (strcmp(key->name, "step") == 0 || strcmp(key->name, "stagger") == 0)
        return fputs("[0, 0, 0]", file) >= 0;
    if (strcmp(key->name, "motion") == 0) // few methods take what moves
        return fputs("fixed", file) >= 0;
    if (strcmp(key->name, "t") == 0)
        return fprintf(file, "%.17g",
                       lastTime = fmod(lastTime, 3000.0) + 0.1 * palRandom_Unit(random)) > 0;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (strcmp(key->name, ranges[i].name) == 0 && key->type != pal_schemaVector)
        {
            emitNumber(file, random, ranges[i].low, ranges[i].high);
            return true;
        }
    return false;
}

static void emitTable(FILE* file, palRandom* random, const palSchemaTable* table);

static bool isHands(const palSchemaKey* key)
{
    return strcmp(key->name, "hands") == 0;
}

static void emitValue(FILE* file, palRandom* random, const palSchemaKey* key)
{
    int count = 0;
    if (emitConsistent(file, random, key))
        return;
    switch (key->type)
    {
    case pal_schemaWhole:
        fprintf(file, "%.0f", floor(palRandom_Range(random, key->low, key->high + 0.999)));
        break;
    case pal_schemaNumber:
        emitNumber(file, random, key->low, key->high);
        break;
    case pal_schemaVector:
        emitVector(file, random, key);
        break;
    case pal_schemaBox:
        fputc('[', file);
        emitVector(file, random, key);
        fputs(", ", file);
        emitVector(file, random, key);
        fputc(']', file);
        break;
    case pal_schemaText:
        emitText(file, random);
        break;
    case pal_schemaPath:
        fprintf(file, "\"%s\"",
                palRandom_Below(random, 2) ? "/else where/it's \\\"b\\\" \\u2028.stl"
                                           : "sub/ünï #1.obj");
        break;
    case pal_schemaChoice:
    case pal_schemaName:
        while (key->nameAt(count) != NULL)
            count++;
        fputs(key->nameAt(palRandom_Below(random, count)), file);
        break;
    case pal_schemaMap:
        emitTable(file, random, key->table);
        break;
    case pal_schemaList:
        count = palRandom_Below(random, key->size > 0 && key->size < 3 ? (int)key->size + 1 : 4);
        count += count == 0 && (key->group != 0 || key->required || isHands(key));
        for (int i = 0; i < count; i++)
        {
            fputs(i == 0 ? "[" : ", ", file);
            emitTable(file, random, key->table);
        }
        fputs(count == 0 ? "[]" : "]", file);
    }
}

// How often each key was given, over all scenes; by its address.
static struct
{
    const palSchemaKey* key;
    int times;
    int pending; // in the scene that is being made
} seen[400];
static int seenCount;

static void countKey(const palSchemaKey* key, int times)
{
    int i = 0;
    while (i < seenCount && seen[i].key != key)
        i++;
    assert_true(i < 400);
    seen[i].key = key;
    seen[i].pending += times;
    seenCount += i == seenCount;
}

// Counts what the last scene gave, if it is used.
static void countGiven(bool isUsed)
{
    for (int i = 0; i < seenCount; i++)
    {
        seen[i].times += isUsed ? seen[i].pending : 0;
        seen[i].pending = 0;
    }
}

// The key of the group that is given.
static const palSchemaKey* chooseOfGroup(const palSchemaTable* table, int kind, int group,
                                         palRandom* random)
{
    const palSchemaKey* rivals[8];
    int count = 0;
    for (int i = 0; i < table->keyCount; i++)
        if (table->keys[i].group == group && palSchema_Uses(&table->keys[i], kind))
            rivals[count++] = &table->keys[i];
    return rivals[palRandom_Below(random, count)];
}

// A scene has `hands`, or the keys of one hand at the top; every hand has a trajectory. Returns
// whether that decides if the key is given.
static bool isDecidedByForm(const palSchemaTable* table, const palSchemaKey* key, bool usesHands,
                            bool* isGiven)
{
    const palSchemaTable* hand = palSchema_Find(palSceneSchema(), "hands")->table;
    bool isOfScene = table == palSceneSchema();
    bool isTrajectory = strcmp(key->name, "trajectory") == 0;
    *isGiven = isOfScene ? (isHands(key) ? usesHands : isTrajectory && !usesHands) : isTrajectory;
    if (table == hand)
        return isTrajectory;
    return isOfScene &&
           (isHands(key) || isTrajectory || (usesHands && palSchema_Find(hand, key->name) != NULL));
}

// What only scenes for `impulse` have, because few others go with it.
static bool isForRigid(const palSchemaTable* table, const palSchemaKey* key)
{
    static const char* const ofJoints[] = {"low", "high", "friction"};
    bool isOne = strcmp(key->name, "repeat") == 0;
    for (int i = 0; i < 3 && strcmp(table->noun, "joint") == 0; i++)
        isOne = isOne || strcmp(key->name, ofJoints[i]) == 0;
    return isOne;
}

static void emitKeys(FILE* file, palRandom* random, const palSchemaTable* table, int kind,
                     const char** separator)
{
    bool usesHands = table == palSceneSchema() && palRandom_Below(random, 2) == 1;
    const palSchemaKey* ofGroup = NULL; // every table has one group at most
    const palSchemaKey* given[64] = {NULL};
    int givenCount = 0;
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        if (!palSchema_Uses(key, kind) || (table->byKind && i == 0))
            continue;
        assert_true(key->group <= 1);
        if (key->group != 0 && ofGroup == NULL)
            ofGroup = chooseOfGroup(table, kind, key->group, random);
        bool isGiven = key->group != 0 ? key == ofGroup : palRandom_Below(random, 2) == 1;
        bool isNeedless = key->needs == NULL;
        for (int k = 0; k < givenCount && !isNeedless; k++)
            isNeedless = strcmp(key->needs, given[k]->name) == 0;
        isGiven = isGiven && isNeedless;
        bool byForm;
        if (isDecidedByForm(table, key, usesHands, &byForm))
            isGiven = byForm;
        isGiven = isGiven && (isOfRigid || !isForRigid(table, key));
        if (!isGiven && !key->required)
            continue;
        assert_true(givenCount < 64);
        given[givenCount++] = key;
        fprintf(file, "%s%s: ", *separator, key->name);
        *separator = ", ";
        emitValue(file, random, key);
        countKey(key, 1);
    }
}

static void emitTable(FILE* file, palRandom* random, const palSchemaTable* table)
{
    const char* separator = "{";
    int kind = -1;
    if (table->byKind)
    {
        const palSchemaKey* first = &table->keys[0];
        int count = 0;
        while (first->nameAt(count) != NULL)
            count++;
        kind = palRandom_Below(random, count);
        fprintf(file, "{%s: %s", first->name, first->nameAt(kind));
        separator = ", ";
        countKey(first, 1);
    }
    emitKeys(file, random, table, kind, &separator);
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    if (further != NULL)
        emitKeys(file, random, further, -1, &separator);
    fputs(separator[0] == '{' ? "{}" : "}", file);
}

// Enters every key of the schema with no occurrence yet.
static void enterKeys(const palSchemaTable* table)
{
    for (int i = 0; i < table->keyCount; i++)
    {
        countKey(&table->keys[i], 0);
        if (table->keys[i].table != NULL)
            enterKeys(table->keys[i].table);
    }
    for (int kind = 0; table->kindTableAt != NULL && table->keys[0].nameAt(kind) != NULL; kind++)
        if (palSchema_KindTable(table, kind) != NULL)
            enterKeys(palSchema_KindTable(table, kind));
}

// Chance also makes scenes whose parts do not go together, such as a method and what the hand
// holds: those are left out. Nothing else may be wrong with them.
static void checkFaults(const palMessages* messages)
{
    static const char* const allowed[] = {" in the hand",  "does not take",   "cannot touch",
                                          "does not know", "is for one hand", "cannot be repeated"};
    for (int i = 0; i < messages->count; i++)
    {
        const char* text = messages->items[i].what.text;
        bool isAllowed = false;
        for (size_t j = 0; j < sizeof allowed / sizeof allowed[0]; j++)
            isAllowed = isAllowed || strstr(text, allowed[j]) != NULL;
        if (!isAllowed)
            fail_msg("%s", text);
    }
}

static void every_key_of_scenes_made_by_chance_survives(void** state)
{
    (void)state;
    static palScene scene;
    palRandom random = palMakeRandom(5);
    enterKeys(palSceneSchema());
    int tried = 0;
    for (int good = 0; good < 3000; tried++)
    {
        char* text = NULL;
        size_t length;
        FILE* file = open_memstream(&text, &length);
        isOfRigid = palRandom_Below(&random, 4) == 0;
        emitTable(file, &random, palSceneSchema());
        fclose(file);
        palMessages messages = {0};
        bool isGood = palScene_Parse(text, length, "/some where/chance.yaml", NULL, 0, &scene,
                                     &messages, NULL) == pal_ok;
        checkFaults(&messages);
        if (isGood)
            checkCopy(&scene);
        good += isGood;
        countGiven(isGood);
        palScene_Free(&scene);
        palMessages_Free(&messages);
        free(text);
        assert_true(tried < 100000);
    }
    print_message("3000 of %d scenes\n", tried);
    assert_true(seenCount > 100);
    for (int i = 0; i < seenCount; i++)
        if (seen[i].times < 5)
            fail_msg("key '%s' was given %d times", seen[i].key->name, seen[i].times);
}

//--------------------------------------------------------------------------------------------------
// Scenes that are shipped

static void forEachShipped(void (*visit)(const char* path))
{
    int count = 0;
    DIR* directory = opendir(PAL_SOURCE_DIR "/scenes");
    assert_non_null(directory);
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;)
    {
        char path[600];
        const char* dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".yaml") != 0)
            continue;
        snprintf(path, sizeof path, "%s/scenes/%s", PAL_SOURCE_DIR, entry->d_name);
        visit(path);
        count++;
    }
    closedir(directory);
    assert_true(count > 15);
}

static void checkShipped(const char* path)
{
    static palScene scene;
    assert_int_equal(palScene_Load(path, NULL, 0, &scene, NULL, NULL), pal_ok);
    checkCopy(&scene);
    palScene_Free(&scene);
}

static void shipped_scenes_survive(void** state)
{
    (void)state;
    forEachShipped(checkShipped);
}

static palSession* openSession(const char* path)
{
    palSessionDef def = palDefaultSessionDef();
    palSession* session;
    palError error = {0};
    def.scene = path;
    if (palSession_Create(&def, &session, &error) != pal_ok)
        fail_msg("%s: %s", path, error.text);
    return session;
}

static void checkRun(const char* path)
{
    static palScene scene;
    char copy[64];
    palError error = {0};
    snprintf(copy, sizeof copy, "%s/copy.yaml", folder);
    assert_int_equal(palScene_Load(path, NULL, 0, &scene, NULL, NULL), pal_ok);
    assert_int_equal(palScene_Write(&scene, copy, NULL, &error), pal_ok);
    palScene_Free(&scene);
    palSession* first = openSession(path);
    palSession* second = openSession(copy);
    for (int i = 0; i < 250; i++)
    {
        palStep a, b;
        palSession_Step(first, &a);
        palSession_Step(second, &b);
        if (memcmp(&a, &b, offsetof(palStep, active)) != 0 || a.active != b.active)
            fail_msg("%s: step %d differs", path, i);
    }
    palSession_Destroy(first);
    palSession_Destroy(second);
}

static void copies_of_shipped_scenes_run_bit_for_bit_the_same(void** state)
{
    (void)state;
    SKIP_SLOWED();
    forEachShipped(checkRun);
}

//--------------------------------------------------------------------------------------------------
// What is written

static const char base[] = "palpate: 1\n"
                           "time: {dt: 0.001}\n"
                           "coupling: {damping: 0.5}\n"
                           "trajectory: {kind: press, object: 0}\n"
                           "objects:\n"
                           "  - shape: {kind: box}\n"
                           "    soft: {}\n"
                           "  - mesh: part.stl\n";

static char* printBase(const char* const* sets, int count)
{
    static palScene scene;
    palError error = {0};
    if (palScene_Parse(base, strlen(base), "/scenes/base.yaml", sets, count, &scene, NULL,
                       &error) != pal_ok)
        fail_msg("%s", error.text);
    checkCopy(&scene);
    char* text = print(&scene, NULL);
    palScene_Free(&scene);
    return text;
}

static void checkLines(const char* text, const char* const* lines, int count)
{
    for (int i = 0; i < count; i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("no line '%s' in\n%s", lines[i], text);
}

static void defaults_are_comments_and_what_is_given_is_not(void** state)
{
    (void)state;
    char* text = printBase(NULL, 0);
    static const char* const lines[] = {
        "\nname: base\n", // not that of the copy's file
        "\n# seed: 1\n",
        "\n# gravity: [0, 0, 0]\n",
        "\ntime:\n  # seconds: 3\n  dt: 0.001\n  # low_dt: 0.033\n  # latency: 0.033\n",
        "\n# method:\n#   name: standard\n#   radius: 0.02\n",
        "\ncoupling:\n  # stiffness: (1000, or less as the device allows)\n  damping: 0.5\n",
        "\ntrajectory:\n  kind: press\n  # speed: ",
        "\n  object: 0\n",
        "\nobjects:\n  - # name: object0\n    shape:\n      kind: box\n      # size: ",
        "\n    soft: {}\n      # young: 10000\n",
        "\n      # damping:\n      #   mass: 0\n      #   stiffness: 0.005\n      # fixed: []\n",
        "\n  - # name: object1\n    mesh: \"/scenes/part.stl\"\n    # unit: m\n",
        "\n# wires: []\n",
    };
    checkLines(text, lines, sizeof lines / sizeof lines[0]);
    // One of two that exclude each other, what needs another key, what is not there.
    assert_null(strstr(text, "target"));
    assert_null(strstr(text, "tool"));
    assert_int_equal(strstr(text, "# unit") > strstr(text, "part.stl"), 1);
    assert_ptr_equal(strstr(text, "soft"), strstr(strstr(text, "objects"), "soft"));
    free(text);
}

static void changes_are_applied(void** state)
{
    (void)state;
    static const char* const sets[] = {
        "seed=1",
        "objects.0.friction=0.3",
        "trajectory={kind: circle, radius: 0.1}",
        "device.driver=simulated",
        "device.hand.mass=0.25",
        "objects.1.shape={kind: sphere}",
        "tool={shape: {kind: peg}}",
        "method.name=linear",
    };
    char* text = printBase(sets, sizeof sets / sizeof sets[0]);
    static const char* const lines[] = {
        "\nseed: 1\n", // given, though the default
        "\n    friction: 0.3\n",
        "\n  kind: circle\n",
        "\n  radius: 0.1\n",
        "\n  driver: simulated\n  # preset: ",
        "\n  hand:\n    # stiffness: ",
        "\n    mass: 0.25\n",
        "\n      kind: sphere\n",
        "\ntool:\n  shape:\n    kind: peg\n",
        "\nmethod:\n  name: linear\n",
    };
    checkLines(text, lines, sizeof lines / sizeof lines[0]);
    assert_null(strstr(text, "part.stl"));
    assert_null(strstr(text, "depth"));
    free(text);
}

// What a program that knows YAML only in general makes of the words: the text they stand for.
static void words_that_mean_something_else_in_yaml_are_quoted(void** state)
{
    (void)state;
    static const char* const sets[] = {"objects.0.name=\"yes\"", "objects.1.name=\"1e5\"",
                                       "description=\"a\\nb: #c\"", "method.correction=off"};
    char* text = printBase(sets, 4);
    static const char* const lines[] = {" name: \"yes\"\n", " name: \"1e5\"\n",
                                        "description: \"a\\u000Ab: #c\"\n",
                                        " correction: \"off\"\n"};
    checkLines(text, lines, 4);
    free(text);
}

//--------------------------------------------------------------------------------------------------
// Files

static void makeFile(const char* name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

// Files are found from the directory of the scene, from that of the copy, and from anywhere else.
static void files_are_found_from_any_directory(void** state)
{
    (void)state;
    static palScene scene, copy;
    char before[512], expected[128];
    const char* text = "palpate: 1\ntrajectory: {kind: file, file: ../hand.csv}\n"
                       "objects: [{mesh: part.stl}, {mesh: ../other/b.stl}]\n";
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_true(mkdir("scenes", 0777) == 0 && mkdir("other", 0777) == 0);
    makeFile("hand.csv");
    makeFile("scenes/part.stl");
    makeFile("other/b.stl");
    assert_int_equal(
        palScene_Parse(text, strlen(text), "scenes/s.yaml", NULL, 0, &scene, NULL, NULL), pal_ok);
    assert_int_equal(palScene_Write(&scene, "scenes/copy.yaml", NULL, NULL), pal_ok);
    assert_int_equal(chdir("/"), 0);
    char path[128];
    snprintf(path, sizeof path, "%s/scenes/copy.yaml", folder);
    assert_int_equal(palScene_Load(path, NULL, 0, &copy, NULL, NULL), pal_ok);
    assert_int_equal(access(copy.hand.trajectory.def.file, R_OK), 0);
    assert_int_equal(access(copy.objects[0].mesh, R_OK), 0);
    assert_int_equal(access(copy.objects[1].mesh, R_OK), 0);
    // What lies beside the copy moves with it; what lies elsewhere stays there.
    palScene_Free(&copy);
    snprintf(path, sizeof path, "mv %s/scenes %s/moved", folder, folder);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/moved/copy.yaml", folder);
    assert_int_equal(palScene_Load(path, NULL, 0, &copy, NULL, NULL), pal_ok);
    snprintf(expected, sizeof expected, "%s/moved/part.stl", folder);
    assert_string_equal(copy.objects[0].mesh, expected);
    snprintf(expected, sizeof expected, "%s/other/b.stl", folder);
    assert_string_equal(copy.objects[1].mesh, expected);
    palScene_Free(&copy);
    palScene_Free(&scene);
    assert_int_equal(chdir(before), 0);
}

static void a_path_that_is_not_utf8_is_marked(void** state)
{
    (void)state;
    static palScene scene;
    const char* text = "palpate: 1\ntrajectory: {kind: line}\nobjects: [{mesh: a.stl}]\n";
    assert_int_equal(
        palScene_Parse(text, strlen(text), "/b\xE4r/s.yaml", NULL, 0, &scene, NULL, NULL), pal_ok);
    char* printed = print(&scene, NULL);
    assert_non_null(strstr(printed, "mesh: \"/b\\uFFFDr/a.stl\"  # the path is not UTF-8"));
    palScene_Free(&scene);
    free(printed);
}

static void a_copy_that_cannot_be_written_is_one_error_and_leaves_nothing(void** state)
{
    (void)state;
    static palScene scene;
    palError error = {0};
    char path[128];
    assert_int_equal(palScene_Parse(base, strlen(base), "base.yaml", NULL, 0, &scene, NULL, NULL),
                     pal_ok);
    snprintf(path, sizeof path, "%s/missing/copy.yaml", folder);
    assert_int_equal(palScene_Write(&scene, path, NULL, &error), pal_errorFile);
    assert_string_equal(error.file, path);
    assert_int_equal(access(path, F_OK), -1);
    error = (palError){0};
    assert_int_equal(palScene_Write(&scene, "/dev/full", NULL, &error), pal_errorFile);
    assert_non_null(strstr(error.text, "No space left"));
    palScene_Free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_of_scenes_made_by_chance_survives),
        cmocka_unit_test(shipped_scenes_survive),
        cmocka_unit_test(copies_of_shipped_scenes_run_bit_for_bit_the_same),
        cmocka_unit_test(defaults_are_comments_and_what_is_given_is_not),
        cmocka_unit_test(changes_are_applied),
        cmocka_unit_test(words_that_mean_something_else_in_yaml_are_quoted),
        cmocka_unit_test(files_are_found_from_any_directory),
        cmocka_unit_test(a_path_that_is_not_utf8_is_marked),
        cmocka_unit_test(a_copy_that_cannot_be_written_is_one_error_and_leaves_nothing),
    };
    return RUN_WITHIN(tests, makeFolder, removeFolder);
}
