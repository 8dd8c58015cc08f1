// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "render/method.h"
#include "scene/scene.h"
#include "scene/schema.h"
#include "scene/setting.h"

static const char base[] = "palpate: 1\n"
                           "seed: 5\n"
                           "gravity: [1, 2, 3]\n"
                           "trajectory: {kind: sine, speed: 0.1, amplitude: 0.002}\n"
                           "objects:\n"
                           "  - name: a\n"
                           "    shape: {kind: box}\n"
                           "  - mesh: b.stl\n"
                           "    unit: mm\n";

static palResult loadText(const char* text, const char* const* sets, int count, palScene* scene,
                          palMessages* messages)
{
    palError error;
    palScene_Free(scene);
    return palScene_Parse(text, strlen(text), "dir/x.yaml", sets, count, scene, messages, &error);
}

static palResult load(const char* const* sets, int count, palScene* scene, palMessages* messages)
{
    return loadText(base, sets, count, scene, messages);
}

static void apply(const char* set, palScene* scene)
{
    palMessages messages = {0};
    palResult result = load(&set, 1, scene, &messages);
    for (int i = 0; i < messages.count; i++)
        print_error("%s: %s\n", messages.items[i].what.file, messages.items[i].what.text);
    assert_int_equal(result, pal_ok);
    palMessages_Free(&messages);
}

// The change gives exactly one fault, told as "--set PATH: ...".
static void expectFault(const char* set, const char* told)
{
    palScene scene = {0};
    palMessages messages = {0};
    assert_int_equal(load(&set, 1, &scene, &messages), pal_errorInput);
    assert_int_equal(messages.count, 1);
    char text[1600];
    palError_Format(&messages.items[0].what, text, sizeof text);
    if (strncmp(text, told, strlen(told)) != 0)
        print_error("%s\n", text);
    assert_int_equal(strncmp(text, told, strlen(told)), 0);
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

static void values_are_replaced_and_added(void** state)
{
    (void)state;
    palScene scene = {0};
    apply("trajectory.speed=0.2", &scene);
    ASSERT_NEAR(scene.hand.trajectory.def.speed, 0.2, 0);
    ASSERT_NEAR(scene.hand.trajectory.def.amplitude, 0.002, 0);
    apply("time.dt=0.002", &scene);
    ASSERT_NEAR(scene.time.dt, 0.002, 0);
    apply("objects.1.position=[0,0,1]", &scene);
    ASSERT_NEAR(scene.objects[1].position.z, 1, 0);
    apply("gravity.1=-9.81", &scene);
    ASSERT_NEAR(scene.gravity.x, 1, 0);
    ASSERT_NEAR(scene.gravity.y, -9.81, 0);
    ASSERT_NEAR(scene.gravity.z, 3, 0);
    apply("safety.fade_time=0.2", &scene);
    ASSERT_NEAR(scene.hand.safety.fadeTime, 0.2, 0);
    apply("name=\"a = b\"", &scene);
    assert_string_equal(scene.name, "a = b");
    apply("coupling={stiffness: 500, mass: 0.01}", &scene);
    ASSERT_NEAR(scene.hand.coupling.stiffness, 500, 0);
    palScene_Free(&scene);
}

static void the_last_change_of_a_value_holds(void** state)
{
    (void)state;
    const char* const sets[] = {"seed=2", "seed=3"};
    palScene scene = {0};
    assert_int_equal(load(sets, 2, &scene, NULL), pal_ok);
    assert_int_equal(scene.seed, 3);
    palScene_Free(&scene);
}

static void an_index_past_the_end_appends(void** state)
{
    (void)state;
    palScene scene = {0};
    apply("objects.2.mesh=c.stl", &scene);
    assert_int_equal(scene.objectCount, 3);
    assert_string_equal(scene.objects[2].mesh, "c.stl");
    apply("objects.2={shape: {kind: sphere}}", &scene);
    assert_int_equal(scene.objects[2].shape.kind, pal_shapeSphere);
    apply("objects.0={shape: {kind: sphere}}", &scene);
    assert_int_equal(scene.objectCount, 2);
    assert_int_equal(scene.objects[0].shape.kind, pal_shapeSphere);
    assert_string_equal(scene.objects[0].name, "object0");
    apply("objects=[]", &scene);
    assert_int_equal(scene.objectCount, 0);
    palScene_Free(&scene);
}

static void a_mesh_replaces_the_shape_and_a_shape_the_mesh(void** state)
{
    (void)state;
    palScene scene = {0};
    apply("objects.0.mesh=part.stl", &scene);
    assert_string_equal(scene.objects[0].mesh, "part.stl");
    assert_string_equal(scene.objects[0].name, "a");

    // The mesh's unit goes with it.
    apply("objects.1.shape={kind: cylinder, height: 0.3}", &scene);
    assert_string_equal(scene.objects[1].mesh, "");
    assert_int_equal(scene.objects[1].shape.kind, pal_shapeCylinder);
    apply("objects.1.shape.kind=sphere", &scene);
    assert_int_equal(scene.objects[1].shape.kind, pal_shapeSphere);
    const char* const both[] = {"objects.0.mesh=part.stl", "objects.0.shape={kind: box}"};
    palMessages messages = {0};
    assert_int_equal(load(both, 2, &scene, &messages), pal_errorInput);
    assert_non_null(strstr(messages.items[0].what.text, "exclude each other"));
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

static void a_kind_drops_the_keys_of_the_old_one(void** state)
{
    (void)state;
    palScene scene = {0};
    apply("trajectory.kind=line", &scene);
    assert_int_equal(scene.hand.trajectory.def.kind, pal_trajectoryLine);
    ASSERT_NEAR(scene.hand.trajectory.def.speed, 0.1, 0);

    // Keys that were set by hand stay, and are reported.
    const char* const sets[] = {"trajectory.amplitude=0.1", "trajectory.kind=line"};
    palMessages messages = {0};
    assert_int_equal(load(sets, 2, &scene, &messages), pal_errorInput);
    assert_string_equal(messages.items[0].what.file, "--set trajectory.amplitude");
    assert_non_null(strstr(messages.items[0].what.text, "is not used by trajectory kind line"));
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

static void files_are_relative_to_the_working_directory(void** state)
{
    (void)state;
    palScene scene = {0};
    apply("objects.0.mesh=part.stl", &scene);
    assert_string_equal(scene.objects[0].mesh, "part.stl");
    assert_string_equal(scene.objects[1].mesh, "dir/b.stl");
    palError error = {.code = pal_errorFile};
    palScene_At(&scene, scene.objects[0].meshPlace, "objects.0.mesh", &error);
    assert_string_equal(error.file, "--set objects.0.mesh");
    error = (palError){.code = pal_errorFile};
    palScene_At(&scene, scene.objects[1].meshPlace, "objects.1.mesh", &error);
    assert_string_equal(error.file, "dir/x.yaml");
    assert_int_equal(error.line, 8);
    assert_int_equal(error.column, 11);
    palScene_Free(&scene);
}

static void faults_are_told_by_their_change(void** state)
{
    (void)state;
    expectFault("objects.0.mehs=a.stl",
                "--set objects.0.mehs: unknown key 'mehs' in object; did you mean 'mesh'?");
    expectFault("tiem.dt=1", "--set tiem.dt: unknown key 'tiem' in scene; did you mean 'time'?");
    expectFault("time.dt=1", "--set time.dt: 'dt' is out of range: 1; allowed: 1e-05 to 0.01 s");
    expectFault("time.dt=[", "--set time.dt: not valid YAML");
    expectFault("time.dt=", "--set time.dt: no value after '='");
    expectFault("time.dt", "--set time.dt: this is not a change; write path.to.key=value");
    expectFault("=1", "--set : this is not a change");
    expectFault("time..dt=1", "--set time..dt: this is not a change");
    expectFault("time.=1", "--set time.: this is not a change");
    expectFault("objects.3.mesh=a",
                "--set objects.3.mesh: '3' is not an index of this list; indices "
                "go from 0; the list has 2 elements, 2 appends");
    expectFault("objects.first.mesh=a", "--set objects.first.mesh: 'first' is not an index");
    expectFault("objects.00000000=a", "--set objects.00000000: '00000000' is not an index");
    expectFault("seed.x=1", "--set seed.x: 'seed' has no keys below it");
    expectFault("gravity.3=1", "--set gravity.3: '3' is not a component");
    expectFault("objects.0.position.1=1", "--set objects.0.position.1: '1' is not a component");
    expectFault("objects.2.name=c", "--set objects.2.name: object misses 'mesh' or 'shape'");
    expectFault("trajectory.object=0", "--set trajectory.object: 'object' is not used");
    expectFault("palpate=3", "--set palpate: scene format 3 is not known");
}

static void a_way_through_a_value_of_the_wrong_type_is_reported(void** state)
{
    (void)state;
    const char* text = "palpate: 1\ntime: 3\ntrajectory: {kind: line}\nobjects: [1]\n";
    const char* const sets[] = {"time.dt=0.001", "objects.0.name=a"};
    palScene scene = {0};
    palMessages messages = {0};
    palError error;
    palScene_Parse(text, strlen(text), "x.yaml", sets, 2, &scene, &messages, &error);
    assert_int_equal(messages.count, 4); // the two changes, and what is wrong in the file
    assert_string_equal(messages.items[0].what.text, "'time' is not a map in the file");
    assert_string_equal(messages.items[1].what.text, "element '0' is not a map in the file");
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

//--------------------------------------------------------------------------------------------------
// Every key of the schema

// A list of changes in the making.
typedef struct Sets
{
    char text[8][256];
    const char* items[8];
    int count;
} Sets;

static void addSet(Sets* sets, const char* path, const char* key, const char* value)
{
    assert_true(sets->count < 8);
    snprintf(sets->text[sets->count], sizeof sets->text[0], "%s%s=%s", path, key, value);
    sets->items[sets->count] = sets->text[sets->count];
    sets->count++;
}

// A value within the key's range, as YAML and as what the field must then hold.
typedef struct Sample
{
    char yaml[160];
    double number;
} Sample;

static Sample sampleOf(const palSchemaKey* key)
{
    Sample sample = {.yaml = "sample"};
    switch (key->type)
    {
    case pal_schemaWhole:
        sample.number = fmin(key->low + 1.0, key->high);
        snprintf(sample.yaml, sizeof sample.yaml, "%.0f", sample.number);
        break;
    case pal_schemaNumber:
        sample.number = key->low + 0.37 * (key->high - key->low);
        snprintf(sample.yaml, sizeof sample.yaml, "%.17g", sample.number);
        break;
    case pal_schemaVector:
        sample.number = key->low + 0.37 * (key->high - key->low);
        snprintf(sample.yaml, sizeof sample.yaml, "[%.17g, %.17g, %.17g]", sample.number, key->low,
                 key->high);
        break;
    case pal_schemaBox: // corners the wrong way round in y
        sample.number = key->low + 0.37 * (key->high - key->low);
        snprintf(sample.yaml, sizeof sample.yaml, "[[%.17g, %.17g, 0], [%.17g, %.17g, 1]]",
                 sample.number, key->high, key->high, key->low);
        break;
    case pal_schemaChoice:
    case pal_schemaName: // the last
        while (key->nameAt((int)sample.number + 1) != NULL)
            sample.number++;
        snprintf(sample.yaml, sizeof sample.yaml, "%s", key->nameAt((int)sample.number));
        break;
    case pal_schemaList: // corners of a shape
        snprintf(sample.yaml, sizeof sample.yaml, "[{at: [0, 0, 0]}]");
        break;
    default:
        break;
    }
    return sample;
}

static void checkField(const palSchemaKey* key, const void* record, const Sample* sample)
{
    const void* field = (const char*)record + key->offset;
    const palVec3* vector = field;
    switch (key->type)
    {
    case pal_schemaWhole:
    case pal_schemaChoice:
        assert_int_equal(*(const int*)field, (int)sample->number);
        break;
    case pal_schemaNumber:
        ASSERT_NEAR(*(const double*)field, sample->number, 0);
        break;
    case pal_schemaVector:
        ASSERT_NEAR(vector->x, sample->number, 0);
        ASSERT_NEAR(vector->y, key->low, 0);
        ASSERT_NEAR(vector->z, key->high, 0);
        break;
    case pal_schemaBox:
        ASSERT_NEAR(vector[0].x, sample->number, 0);
        ASSERT_NEAR(vector[0].y, key->low, 0);
        ASSERT_NEAR(vector[1].x, key->high, 0);
        ASSERT_NEAR(vector[1].y, key->high, 0);
        break;
    default:
        assert_string_equal(field, sample->yaml);
    }
}

// What must be given for `key` to be allowed: the kind, what the kind requires, one key of its
// group, and the key that it needs. Of tables without kinds the file has what they require, but for
// soft objects, of which it has none.
static void addCompany(Sets* sets, const palSchemaTable* table, const char* path,
                       const palSchemaKey* key, int kind)
{
    int lastGroup = key->group;
    bool isBare = table->byKind || strstr(path, ".soft.") != NULL;
    for (int i = 0; i < table->keyCount && isBare; i++)
    {
        const palSchemaKey* other = &table->keys[i];
        bool isKind = table->byKind && i == 0;
        if (other == key || !palSchema_Uses(other, kind))
            continue;
        if (isKind)
            addSet(sets, path, other->name, other->nameAt(kind));
        else if (other->required || other->group > lastGroup)
            addSet(sets, path, other->name, sampleOf(other).yaml);
        lastGroup = other->group > lastGroup ? other->group : lastGroup;
    }
    if (key->needs != NULL)
        addSet(sets, path, key->needs, sampleOf(palSchema_Find(table, key->needs)).yaml);
}

// The struct of a scene below a path such as "objects.0.soft.".
static const void* recordAt(const palScene* scene, const char* path)
{
    const palSchemaTable* table = palSceneSchema();
    const void* record = scene;
    while (*path != '\0')
    {
        char name[64] = "";
        memcpy(name, path, strcspn(path, "."));
        path += strlen(name) + 1;
        const palSchemaKey* key = palSchema_Find(table, name);
        bool isList = key->type == pal_schemaList;
        record = isList ? palSetting_Elements(key, record) : palSetting_AtConst(key, record);
        path += isList ? strlen("0.") : 0;
        table = key->table;
    }
    return record;
}

static const char baseOfHands[] = "palpate: 1\n"
                                  "hands: [{trajectory: {kind: sine, speed: 0.1}}]\n"
                                  "objects: [{shape: {kind: box}}, {shape: {kind: box}}]\n";

static void setKey(const palSchemaTable* table, const char* path, const palSchemaKey* key, int kind)
{
    Sample sample = sampleOf(key);
    Sets sets = {0};
    // The keys of a hand stand at the top, or below `hands`.
    bool isOfHands = strncmp(path, "hands.0.", 8) == 0;
    const char* top = isOfHands ? "hands.0." : "";
    const char* whole = path;
    path += strlen(top);
    // Times that contradict none of the samples.
    addSet(&sets, "", "time", "{dt: 0.01, low_dt: 1, latency: 0, spin: 0}");
    if (strncmp(path, "trajectory.points", 17) == 0)
        addSet(&sets, top, "trajectory", "{kind: path, points: [{t: 0, at: [0, 0, 0]}]}");
    // A loop that is named must be there.
    bool isLoop = strcmp(key->name, "loop") == 0;
    if (strncmp(path, "time.loops", 10) == 0 || isLoop)
        addSet(&sets, "", "time.loops", "[{dt: 0.5}]");
    // Corners and branches of a shape, parts of an object, and pairs.
    const char* corners = strstr(path, "shape.points.");
    const char* branches = strstr(path, "shape.branches.");
    const char* list = corners != NULL ? corners : branches;
    if (list != NULL)
    {
        char object[64] = "";
        memcpy(object, path, (size_t)(list - path));
        if (strstr(object, "parts") != NULL)
            addSet(&sets, "", "objects.0.parts", "[{shape: {kind: box}}]");
        addSet(&sets, top, object[0] != '\0' ? strcat(object, "shape") : "shape",
               corners != NULL ? "{kind: hull, points: [{at: [0, 0, 0]}]}"
                               : "{kind: vessel, branches: [{points: [{at: [0, 0, 0]}]}]}");
    }
    else if (strncmp(path, "objects.0.parts", 15) == 0)
        addSet(&sets, "", "objects.0.parts",
               key->needs != NULL || strcmp(key->name, "mesh") == 0 ? "[{mesh: sample}]"
                                                                    : "[{shape: {kind: box}}]");
    if (strncmp(path, "pairs", 5) == 0)
        addSet(&sets, "", "pairs", "[{body: sample, to: sample}]");
    // Sliders and limits are method impulse's.
    bool isLimit = strncmp(path, "joints", 6) == 0 &&
                   (strcmp(key->name, "kind") == 0 || strcmp(key->name, "low") == 0 ||
                    strcmp(key->name, "high") == 0 || strcmp(key->name, "friction") == 0);
    // Wires, joints and further rates are method compliance's, with a wire in the hand.
    bool isWire = strncmp(path, "wires", 5) == 0;
    if (isLimit)
        addSet(&sets, "", "method", "{name: impulse}");
    else if (isWire || strncmp(path, "joints", 6) == 0 || strncmp(path, "time.loops", 10) == 0 ||
             isLoop)
    {
        addSet(&sets, "", "method", "{name: compliance}");
        if (strncmp(path, "wires.0.points", 14) == 0)
            addSet(&sets, "", "wires", "[{points: [{at: [0, 0, 0]}], section: {shape: circle}}]");
        else
            addSet(&sets, "", "wires", "[{start: [0, 0, 0], section: {shape: circle}}]");
        addSet(&sets, "", "wires.1", "{start: [0, 0, 0], hand: start, section: {shape: circle}}");
    }
    // What moves is method impulse's.
    bool isMotion = strcmp(key->name, "motion") == 0 ||
                    (key->needs != NULL &&
                     (strcmp(key->needs, "motion") == 0 || strcmp(key->needs, "inertia") == 0));
    if (isMotion && strcmp(key->needs != NULL ? key->needs : "", "inertia") == 0)
        addSet(&sets, "", "objects.0.motion", "free");
    if (isMotion || strncmp(path, "objects.0.path", 14) == 0)
        addSet(&sets, "", "method", "{name: impulse}");
    if (strncmp(path, "objects.0.path", 14) == 0)
        addSet(&sets, "", "objects.0",
               "{shape: {kind: box}, motion: driven, path: [{t: 0, at: "
               "[0, 0, 0]}]}");
    // A button picks up what moves.
    if (strcmp(key->name, "pick") == 0)
    {
        addSet(&sets, "", "method", "{name: impulse}");
        addSet(&sets, "", "objects.0.motion", "free");
    }
    // A joint names a wire or a body.
    bool isBody =
        strcmp(key->name, "body") == 0 || (key->needs != NULL && strcmp(key->needs, "body") == 0);
    if (strncmp(path, "joints", 6) == 0)
        addSet(&sets, "", "joints", isBody ? "[{body: sample}]" : "[{wire: sample}]");
    // A tool and a method that has use for it go together.
    const palMethodEntry* method = palFindMethod(sample.yaml);
    bool usesTool = strcmp(path, "method.") == 0 && method != NULL &&
                    method->forms[pal_handPoint] == NULL && method->forms[pal_handTool] != NULL;
    bool needsShape = strcmp(path, "tool.") == 0 && key->group == 0 && key->needs == NULL;
    if (usesTool || needsShape)
        addSet(&sets, top, "tool", "{shape: {kind: peg}}");
    if (strncmp(path, "tool.", 5) == 0)
        addSet(&sets, "", "method", "{name: linear}");
    // The wire in a hand must be there.
    if (strcmp(path, "wire.") == 0)
    {
        addSet(&sets, "", "method", "{name: compliance}");
        addSet(&sets, "", "wires", "[{name: sample, start: [0, 0, 0], section: {shape: circle}}]");
        addSet(&sets, top, "wire", "{name: sample, end: start}");
    }
    bool isKind = table->byKind && key == &table->keys[0];
    addCompany(&sets, table, whole, key, isKind ? (int)sample.number : kind);
    addSet(&sets, whole, key->name, sample.yaml);
    palScene scene = {0};
    palMessages messages = {0};
    palResult result =
        loadText(isOfHands ? baseOfHands : base, sets.items, sets.count, &scene, &messages);
    for (int i = 0; i < messages.count; i++)
        print_error("%s%s: %s\n", whole, key->name, messages.items[i].what.text);
    assert_int_equal(result, pal_ok);
    checkField(key, recordAt(&scene, whole), &sample);
    palMessages_Free(&messages);
    palScene_Free(&scene);
}

// Sets every leaf below a table, with each kind that uses it. Returns the number of leaves.
static int setEveryKey(const palSchemaTable* table, const char* path)
{
    int count = 0;
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        if (key->table != NULL)
        {
            char below[96];
            bool isList = key->type == pal_schemaList;
            if (strcmp(key->name, "repeat") == 0)
                continue; // a scene has the objects that it stands for
            snprintf(below, sizeof below, "%s%s%s", path, key->name, isList ? ".0." : ".");
            count += setEveryKey(key->table, below);
            continue;
        }
        for (int kind = 0; kind == 0 || (table->byKind && table->keys[0].nameAt(kind)); kind++)
            if (!table->byKind || palSchema_Uses(key, kind))
                setKey(table, path, key, kind);
        count++;
    }
    return count;
}

static void every_key_of_the_schema_can_be_set(void** state)
{
    (void)state;
    int count = setEveryKey(palSceneSchema(), "");
    assert_true(count > 50);
}

static void another_driver_of_a_hand_drops_the_keys_of_the_old_one(void** state)
{
    (void)state;
    const char text[] = "palpate: 1\nobjects: []\nhands:\n  - trajectory: {kind: line}\n"
                        "    device: {driver: simulated, preset: omega.3}\n";
    const char* const sets[] = {"hands.0.device.driver=browser", "hands.0.device.latency=0.02"};
    palScene scene = {0};
    assert_int_equal(loadText(text, sets, 2, &scene, NULL), pal_ok);
    assert_string_equal(scene.hands[0].device.driver, "browser");
    palScene_Free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_driver_of_a_hand_drops_the_keys_of_the_old_one),
        cmocka_unit_test(values_are_replaced_and_added),
        cmocka_unit_test(the_last_change_of_a_value_holds),
        cmocka_unit_test(an_index_past_the_end_appends),
        cmocka_unit_test(a_mesh_replaces_the_shape_and_a_shape_the_mesh),
        cmocka_unit_test(a_kind_drops_the_keys_of_the_old_one),
        cmocka_unit_test(files_are_relative_to_the_working_directory),
        cmocka_unit_test(faults_are_told_by_their_change),
        cmocka_unit_test(a_way_through_a_value_of_the_wrong_type_is_reported),
        cmocka_unit_test(every_key_of_the_schema_can_be_set),
    };
    return RUN(tests);
}
