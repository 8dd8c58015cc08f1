// SPDX-License-Identifier: Apache-2.0
// The state of a world, saved and restored: from there it goes on bit for bit, the same world or
// another made as it was. Compared are all forces, poses and contacts of every tick, all surfaces
// of every low-rate step, and how each was solved.
#include "matrix_scene.h"

#include "api/world_state.h"
#include "render/common.h"

#include <palpate/session.h>
#include <palpate/world.h>

#include <unistd.h>

#define GOOD(call) good((call), &error)

static void good(palResult result, const palError* error)
{
    if (result != pal_ok)
        print_error("%s:%d: %s; %s\n", error->file, error->line, error->text, error->remedy);
    assert_int_equal(result, pal_ok);
}

//--------------------------------------------------------------------------------------------------
// Worlds

static const char* scene; // the text of the scene under test, or
static const char* path;  // its file
static const char* sets[4];
static int setCount;

// Before every test.
static int clear(void** state)
{
    (void)state;
    scene = path = NULL;
    setCount = 0;
    return 0;
}

static palWorld* makeWorld(void)
{
    palError error = {0};
    palWorld* world;
    char file[] = "/tmp/palpate-state-XXXXXX";
    if (scene != NULL)
    {
        int descriptor = mkstemp(file);
        assert_true(descriptor >= 0);
        assert_int_equal(write(descriptor, scene, strlen(scene)), strlen(scene));
        close(descriptor);
    }
    GOOD(palWorld_Load(scene != NULL ? file : path, sets, setCount, &world, &error));
    GOOD(palWorld_Prepare(world, &error));
    if (scene != NULL)
        unlink(file);
    return world;
}

typedef struct Block
{
    void* bytes;
    size_t size;
} Block;

static Block save(palWorld* world)
{
    palError error = {0};
    Block block = {0};
    GOOD(palWorld_SaveState(world, NULL, &block.size, &error));
    block.bytes = malloc(block.size);
    GOOD(palWorld_SaveState(world, block.bytes, &block.size, &error));
    return block;
}

static void restore(palWorld* world, Block block)
{
    palError error = {0};
    GOOD(palWorld_RestoreState(world, block.bytes, block.size, &error));
}

//--------------------------------------------------------------------------------------------------
// What is seen of a run

enum
{
    ticksMax = 2000,
};

typedef struct Trace
{
    int count;
    uint64_t ticks[ticksMax];
} Trace;

#define ADD(hash, value) ((hash) = palHash((hash), &(value), sizeof(value)))

static uint64_t hashHand(uint64_t hash, const palHandRecord* hand)
{
    ADD(hash, hand->device);
    ADD(hash, hand->deviceTurn);
    ADD(hash, hand->proxy);
    ADD(hash, hand->proxyTurn);
    ADD(hash, hand->force);
    ADD(hash, hand->torque);
    ADD(hash, hand->out);
    ADD(hash, hand->handEnergy);
    ADD(hash, hand->constraints);
    ADD(hash, hand->active);
    ADD(hash, hand->iterations);
    ADD(hash, hand->residual);
    ADD(hash, hand->surfaceGap);
    ADD(hash, hand->held);
    ADD(hash, hand->converged);
    return hash;
}

static uint64_t hashShape(uint64_t hash, const palShapeView* view)
{
    hash = palHash(hash, view->vertices, (size_t)view->vertexCount * sizeof *view->vertices);
    ADD(hash, view->position);
    ADD(hash, view->orientation);
    ADD(hash, view->time);
    return hash;
}

// Surfaces and contacts as a reader sees them, once it has seen a step of both rates.
static uint64_t hashReader(uint64_t hash, const palWorld* world, palWorldReader* reader)
{
    palShapeView view = palMakeShapeView();
    palContact contact = palMakeContact();
    if (!palWorldReader_Update(reader))
        return hash;
    for (int i = 0; i < world->bodies.count + world->bodies.wireCount; i++)
    {
        bool isWire = i >= world->bodies.count;
        palBodyId id = palWorld_BodyId(world, isWire ? i - world->bodies.count : i, isWire);
        if (palWorldReader_Body(reader, id, &view))
            hash = hashShape(hash, &view);
    }
    for (int i = 0; i < world->handCount; i++)
        if (palWorldReader_Tool(reader, palWorld_HandAt(world, i), &view))
            hash = hashShape(hash, &view);
    for (int i = 0; palWorldReader_Contact(reader, i, &contact); i++)
    {
        ADD(hash, contact.body.index);
        ADD(hash, contact.other.index);
        ADD(hash, contact.point);
        ADD(hash, contact.normal);
        ADD(hash, contact.gap);
        ADD(hash, contact.force);
    }
    return hash;
}

// Takes ticks; what is seen goes into the trace.
static Trace run(palWorld* world, int ticks)
{
    Trace trace = {.count = ticks};
    palError error = {0};
    palWorldReader* reader;
    GOOD(palWorld_OpenReader(world, &reader, &error));
    for (int k = 0; k < ticks; k++)
    {
        uint64_t hash = 0;
        GOOD(palWorld_Step(world, &error));
        ADD(hash, world->last.t);
        ADD(hash, world->last.snapshotAgeMs);
        for (int i = 0; i < world->handCount; i++)
            hash = hashHand(hash, &world->last.hands[i]);
        for (int i = 0; i < world->engine->loopCount; i++)
        {
            const palLowRecord* low = &world->engine->loops[i].record;
            // The record of the last low-rate step before is not part of a state.
            if (low->t != world->last.t)
                continue;
            ADD(hash, low->contacts);
            ADD(hash, low->constraints);
            ADD(hash, low->iterations);
            ADD(hash, low->residual);
        }
        trace.ticks[k] = hashReader(hash, world, reader);
    }
    palWorld_CloseReader(reader);
    return trace;
}

static void compare(const char* name, const char* what, const Trace* a, const Trace* b)
{
    for (int k = 0; k < a->count; k++)
        if (a->ticks[k] != b->ticks[k])
            fail_msg("%s: %s differs from tick %d on", name, what, k);
}

typedef void Act(palWorld* world);

// Before `before` ticks are over, `act` is done `early` ticks before; `after` ticks are compared.
typedef struct Times
{
    int before, early, after;
} Times;

static const Times usual = {227, 5, 60};

// A run that was never saved, one that was, the same restored, and a fresh one restored.
static void checkState(const char* name, Times times, Act* act)
{
    palWorld *worlds[3], *fresh;
    Trace untouched, saved, restored;
    Block block = {0};
    for (int i = 0; i < 2; i++)
    {
        worlds[i] = makeWorld();
        run(worlds[i], times.before - times.early);
        if (act != NULL)
            act(worlds[i]);
        run(worlds[i], times.early);
        if (i == 1)
            block = save(worlds[i]);
        *(i == 0 ? &untouched : &saved) = run(worlds[i], times.after);
    }
    compare(name, "a run that was saved", &untouched, &saved);
    // Later, and as it is at its beginning.
    restore(worlds[1], block);
    restored = run(worlds[1], times.after);
    compare(name, "the same world restored", &untouched, &restored);
    fresh = makeWorld();
    restore(fresh, block);
    ASSERT_NEAR(palWorld_Time(fresh), (times.before - 1) * fresh->scene.time.dt, 1e-12);
    restored = run(fresh, times.after);
    compare(name, "another world restored", &untouched, &restored);
    // What is left of another contact does no harm.
    restore(worlds[0], block);
    restored = run(worlds[0], times.after);
    compare(name, "a world that had gone on, restored", &untouched, &restored);
    if (getenv("PAL_VERBOSE") != NULL)
        print_message("%s: %zu bytes\n", name, block.size);
    free(block.bytes);
    palWorld_Destroy(worlds[0]);
    palWorld_Destroy(worlds[1]);
    palWorld_Destroy(fresh);
}

static void checkText(const char* name, const char* text, Times times, Act* act)
{
    scene = text;
    checkState(name, times, act);
    scene = NULL;
}

static void checkCell(const char* method, palHandKind hand, unsigned parts)
{
    char name[128];
    char* text = makeMatrixScene(method, hand, parts);
    snprintf(name, sizeof name, "%s with %s, parts %x", method, palHandKind_Name(hand), parts);
    checkText(name, text, usual, NULL);
    free(text);
}

// The snapshot of the last low-rate step is under way when the state is saved.
static void every_method_goes_on_bit_for_bit_with_all_that_it_accepts(void** state)
{
    (void)state;
    SKIP_SLOWED();
    sets[0] = "time.latency=0.013";
    setCount = 1;
    forEachCell(checkCell);
}

//--------------------------------------------------------------------------------------------------
// Further scenes

#define BALL "tool: {shape: {kind: sphere, radius: 0.004, resolution: 8}}"
#define BLOCK(e, n)                                                                                \
    "{name: block, shape: {kind: box, size: [0.04, 0.03, 0.04]}, position: [0, -0.015, 0],"        \
    " friction: 0.2, soft: {young: 20000, elements: " e ", resolution: " n                         \
    ", fixed: [{box: [[-1, -1, -1], [1, -0.0299, 1]]}]}}"
#define PRESS(x, from, to)                                                                         \
    "trajectory: {kind: path, points: [{t: 0, at: [" x ", " from ", 0.002]}, {t: 0.2, at: [" x     \
    ", " to ", 0.002]}, {t: 0.4, at: [0.002, " to ", 0.002]}]}"

// A scene of one hand and a soft block under a method with settings.
static void checkPress(const char* method, const char* hand, const char* more, Times times,
                       Act* act)
{
    char text[4096];
    snprintf(text, sizeof text,
             "palpate: 1\ntime: {low_dt: 0.02, latency: 0.007}\nmethod: {%s, radius: 0.01}\n%s\n%s",
             method, hand, more);
    checkText(method, text, times, act);
}

static void checkLate(palWorld* world)
{
    const palSoftShared* shared = (const palSoftShared*)world->engine->methods.shared;
    const palSoftFactor* factor = shared->contact->side.islands->parts[0]->soft.factor;
    assert_true(factor->arrival > factor->step + 1);
}

// Factors of large bodies are late, and answers are kept from step to step.
static void large_bodies_go_on_with_the_factors_that_they_have(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const hands[] = {PRESS("0.001", "0.002", "-0.002"),
                                        PRESS("0.001", "0.006", "0.001") "\n" BALL};
    static const char* const methods[] = {"accurate", "standard", "linear", "compliance"};
    const Times times = {233, 5, 140};
    for (int m = 0; m < 4; m++)
        for (int h = m < 2 ? 0 : 1; h < 2; h++)
        {
            char method[128];
            snprintf(method, sizeof method, "name: %s, elements_at_once: 50", methods[m]);
            checkPress(method, hands[h], "objects: [" BLOCK("tets", "4") "]\n", times, NULL);
        }
    // By several steps.
    sets[0] = "time.latency=0";
    sets[1] = "time.low_dt=0.001";
    setCount = 2;
    checkPress("name: accurate, elements_at_once: 50", PRESS("0.001", "0.0003", "-0.004"),
               "objects: [" BLOCK("tets", "11") "]\n", (Times){46, 0, 8}, checkLate);
}

static void other_responses_and_laws_go_on_too(void** state)
{
    (void)state;
    checkPress("name: accurate, response: frozen", PRESS("0.001", "0.002", "-0.002"),
               "objects: [" BLOCK("hexes", "4") "]\n", usual, NULL);
    checkPress("name: compliance, response: frozen", PRESS("0.001", "0.006", "0.001") "\n" BALL,
               "objects: [" BLOCK("tets", "4") "]\n", usual, NULL);
    checkPress("name: linear, constraints: equality, filter: 0.05, model_step: low",
               PRESS("0.001", "0.006", "0.001") "\n" BALL, "objects: [" BLOCK("tets", "4") "]\n",
               usual, NULL);
    checkPress("name: linear, response: frozen", PRESS("0.001", "0.006", "0.001") "\n" BALL,
               "objects: [" BLOCK("tets", "4") "]\n", usual, NULL);
}

// A soft cube lies on a soft block since the start, or has fallen on it; both are pressed.
static void bodies_that_lie_on_each_other_go_on(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard", "linear", "coupling",
                                          "compliance"};
    for (int m = 0; m < 5; m++)
        for (int fallen = 0; fallen < 2; fallen++)
        {
            char method[64], more[2048];
            snprintf(method, sizeof method, "name: %s", methods[m]);
            snprintf(
                more, sizeof more,
                "objects:\n  - " BLOCK(
                    "tets",
                    "4") "\n  - {name: cube, shape: {kind: box, "
                         "size: [0.02, 0.02, 0.02]}, position: [0, %s, 0], friction: 0.4, soft: "
                         "{young: 15000, elements: hexes, resolution: 3%s}}\n",
                fallen ? "0.0115" : "0.0101", fallen ? ", start: unloaded" : "");
            checkPress(method,
                       m < 2
                           ? "gravity: [0, -9.81, 0]\n" PRESS("0.003", "0.025", "0.018")
                           : "gravity: [0, -9.81, 0]\n" PRESS("0.003", "0.026", "0.021") "\n" BALL,
                       more, usual, NULL);
        }
}

// A wire lies across a soft block, and is pressed down on it.
static void a_wire_that_is_pressed_goes_on(void** state)
{
    (void)state;
    const char* more = "objects: [" BLOCK(
        "tets", "4") "]\nwires:\n  - {name: wire, start: [-0.03, 0.0012, 0], end: [0.03, 0.0012, "
                     "0], elements: 8, section: {shape: circle, radius: 0.001}, young: 1.0e+9, "
                     "density: 1200, friction: 0.3}\n";
    checkPress("name: accurate", "gravity: [0, -9.81, 0]\n" PRESS("0.001", "0.006", "0.001"), more,
               usual, NULL);
    checkPress("name: penalty",
               "gravity: [0, -9.81, 0]\n" PRESS("0.001", "0.01", "0.005") "\n" BALL, more, usual,
               NULL);
}

static void several_hands_go_on(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "penalty", "linear", "compliance"};
    for (int m = 0; m < 4; m++)
    {
        char method[64];
        snprintf(method, sizeof method, "name: %s", methods[m]);
        checkPress(
            method,
            m < 2 ? "hands:\n  - {" PRESS("-0.008", "0.002", "-0.002") "}\n  - {" BALL ", " PRESS(
                        "0.01", "0.006", "0.001") "}"
                  : "hands:\n  - {" BALL
                    ", " PRESS("-0.008", "0.006", "0.001") "}\n  - {" BALL
                                                           ", " PRESS("0.01", "0.006", "0.001") "}",
            "objects: [" BLOCK("tets", "4") "]\n", usual, NULL);
    }
}

// A hand that yields, with friction in its device: its energy too.
static void a_simulated_hand_goes_on(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard"};
    for (int m = 0; m < 2; m++)
    {
        char method[64];
        snprintf(method, sizeof method, "name: %s", methods[m]);
        checkPress(method, "device: {driver: simulated}\n" PRESS("0.001", "0.002", "-0.002"),
                   "objects: [" BLOCK("tets", "4") "]\n", usual, NULL);
    }
}

// Every value that may change, twice, so that one is on its way and another has not begun.
static void changeAll(palWorld* world)
{
    palError error = {0};
    palBodyId block = palWorld_FindBody(world, "block");
    palHandId hand = palWorld_HandAt(world, 0);
    GOOD(palWorld_SetFriction(world, block, 0.6, &error));
    if (world->bodies.colliders[0].soft != NULL)
    {
        GOOD(palWorld_SetYoung(world, block, 31000.0, &error));
        GOOD(palWorld_SetStiffening(world, block, 5.0, &error));
    }
    palCouplingDef coupling = palDefaultCouplingDef();
    coupling.stiffness = 700.0;
    coupling.damping = 1.5;
    GOOD(palWorld_SetCoupling(world, hand, &coupling, &error));
    GOOD(palWorld_SetGravity(world, (palVec3){0.3, -4.0, 0.1}, &error));
}

static void values_that_are_changing_go_on_changing(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const methods[] = {"accurate", "penalty", "linear", "coupling",
                                          "compliance"};
    // Amid the way, before its start, and after its end.
    const Times times[3] = {{227, 45, 160}, {227, 0, 160}, {427, 210, 40}};
    const char* more = "objects: [" BLOCK(
        "tets", "4") "]\nwires:\n  - {name: other, start: [0.01, "
                     "0.012, 0], end: [0.01, 0.012, 0.04], elements: 3, clamped: start, section: "
                     "{shape: circle, radius: 0.0005}, young: 1.0e+9}\n";
    for (int m = 0; m < 5; m++)
        for (int k = 0; k < 3; k++)
        {
            char method[64];
            snprintf(method, sizeof method, "name: %s", methods[m]);
            checkPress(method,
                       m < 2 ? PRESS("0.001", "0.002", "-0.002")
                             : PRESS("0.001", "0.006", "0.001") "\n" BALL,
                       more, times[k], changeAll);
        }
    checkPress("name: accurate", PRESS("0.001", "0.002", "-0.002"),
               "objects: [" BLOCK("hexes", "4") "]\n", times[0], changeAll);
    char* held = makeMatrixScene("compliance", pal_handWire, PAL_ACCEPTS(pal_partSoft));
    sets[0] = "wires.0.grip=spring";
    setCount = 1;
    checkText("compliance with a sprung wire", held, times[0], changeAll);
    setCount = 0;
    free(held);
}

// Wires in slower loops, welds, rings and hinges, and three rates: the scenes that are shipped.
static void shipped_scenes_go_on(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const files[] = {"three-rates.yaml", "wire-cylinder.yaml",
                                        "wires-crossing.yaml", "soft-on-soft.yaml", "rocker.yaml"};
    const Times times = {311, 0, 70};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    {
        char file[512];
        snprintf(file, sizeof file, "%s/scenes/%s", PAL_SOURCE_DIR, files[i]);
        path = file;
        checkState(files[i], times, NULL);
    }
    // In a corner of three bodies, with slits between them.
    const Times corner = {1810, 0, 70};
    path = PAL_SOURCE_DIR "/scenes/three-bodies-corner.yaml";
    checkState("three-bodies-corner.yaml", corner, NULL);
    sets[0] = "method.name=standard";
    setCount = 1;
    checkState("three-bodies-corner.yaml, standard", corner, NULL);
}

//--------------------------------------------------------------------------------------------------
// Moments

// Before the first step, and after every one of a low-rate step with its latency.
static void a_state_may_be_saved_between_any_two_ticks(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const names[] = {"accurate", "linear", "compliance"};
    for (int m = 0; m < 3; m++)
    {
        char* text = makeMatrixScene(names[m], pal_handTool,
                                     PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSoft));
        scene = text;
        sets[0] = "time.latency=0.013";
        setCount = 1;
        palWorld* world = makeWorld();
        palWorld* other = makeWorld();
        for (int k = 0; k < 264; k += k == 1 ? 238 : 1)
        {
            while (palWorld_Time(world) / 0.001 + 1.5 < k)
                run(world, 1);
            Block block = save(world);
            Trace on = run(world, 25);
            restore(other, block);
            Trace restored = run(other, 25);
            compare(names[m], "a world restored between two ticks", &on, &restored);
            restore(world, block);
            free(block.bytes);
        }
        palWorld_Destroy(world);
        palWorld_Destroy(other);
        setCount = 0;
        scene = NULL;
        free(text);
    }
}

//--------------------------------------------------------------------------------------------------
// Worlds that programs build

// A soft block of arrays, pressed by a point that the program sets.
static palWorld* buildWorld(const palSurface* box, double young, palHandId* hand)
{
    palError error = {0};
    palWorld* world;
    palWorldDef def = palDefaultWorldDef();
    def.gravity = (palVec3){0, -9.81, 0};
    def.lowDt = 0.02;
    GOOD(palWorld_Create(&def, &world, &error));
    palSurfaceDef surface = palDefaultSurfaceDef();
    surface.vertices = &box->vertices[0].x;
    surface.vertexCount = box->vertexCount;
    surface.triangles = box->triangles[0];
    surface.triangleCount = box->triangleCount;
    palFixedDef floor = palDefaultFixedDef();
    floor.kind = pal_fixedPlane;
    floor.centre = (palVec3){0, -0.019, 0};
    floor.normal = (palVec3){0, 1, 0};
    palSoftObjectDef soft = palDefaultSoftObjectDef();
    soft.young = young;
    soft.resolution = 5;
    soft.fixed = &floor;
    soft.fixedCount = 1;
    palObjectDef object = palDefaultObjectDef();
    object.surface = &surface;
    object.soft = &soft;
    GOOD(palWorld_AddObject(world, &object, NULL, &error));
    palHandDef point = palDefaultHandDef();
    point.position = (palVec3){0.01, 0.024, 0.01};
    point.targetInterval = 0.05;
    GOOD(palWorld_AddHand(world, &point, hand, &error));
    for (int i = 0; i < setCount; i++)
        GOOD(palWorld_Set(world, sets[i], &error));
    return world;
}

// The same, prepared.
static palWorld* prepareWorld(const palSurface* box, double young, palHandId* hand)
{
    palError error = {0};
    palWorld* world = buildWorld(box, young, hand);
    GOOD(palWorld_Prepare(world, &error));
    return world;
}

static palSurface makeBox(double width)
{
    palSurface box;
    palShapeDef shape = palDefaultShapeDef(pal_shapeBox);
    shape.size = (palVec3){width, 0.04, 0.1};
    assert_int_equal(palMakeShape(&shape, &box, NULL), pal_ok);
    return box;
}

static const palQuat upright = {1, 0, 0, 0};

// With a target on its way, and one that no tick has read.
static void a_world_that_was_written_as_a_scene_file_takes_the_state(void** state)
{
    (void)state;
    palError error = {0};
    palSurface box = makeBox(0.1);
    palHandId hand;
    palWorld* world = prepareWorld(&box, 12345.678, &hand);
    assert_true(palWorld_SetTarget(world, hand, (palVec3){0.01, 0.015, 0.01}, upright));
    run(world, 130);
    assert_true(palWorld_SetTarget(world, hand, (palVec3){0.013, 0.014, 0.01}, upright));
    run(world, 20);
    palHandState before = palMakeHandState(), after = palMakeHandState();
    GOOD(palWorld_GetHand(world, hand, &before));
    assert_true(before.force.y > 0.1);
    assert_true(palWorld_SetTarget(world, hand, (palVec3){0.01, 0.017, 0.012}, upright));
    Block block = save(world);
    Trace on = run(world, 150);

    char folder[] = "/tmp/palpate-state-XXXXXX", file[64], mesh[64];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/world.yaml", folder);
    snprintf(mesh, sizeof mesh, "%s/world-0.ply", folder);
    GOOD(palWorld_Save(world, file, &error));
    palWorld* loaded;
    GOOD(palWorld_Load(file, NULL, 0, &loaded, &error));
    GOOD(palWorld_Prepare(loaded, &error));
    restore(loaded, block);
    GOOD(palWorld_GetHand(loaded, palWorld_HandAt(loaded, 0), &after));
    assert_memory_equal(&before, &after, offsetof(palHandState, activeRows));
    Trace restored = run(loaded, 150);
    compare("arrays", "the world of the file", &on, &restored);
    free(block.bytes);
    palWorld_Destroy(world);
    palWorld_Destroy(loaded);
    palSurface_Free(&box);
    unlink(file);
    unlink(mesh);
    rmdir(folder);
}

// A device of the program's own, with and without a state.
struct palDevice
{
    palVec3 position; // m
    int reads;
};

static void tellLimits(const palDevice* device, palDeviceLimits* limits)
{
    (void)device, (void)limits;
}

static void readDevice(palDevice* device, double t, palDeviceState* seen)
{
    (void)t;
    device->reads++;
    device->position.y -= 3e-5;
    seen->position = device->position;
    seen->fresh = true;
}

static void writeDevice(palDevice* device, const palDeviceOutput* output)
{
    device->position.y += 1e-6 * output->channels[0].force.y;
}

static void archiveDevice(palDevice* device, palArchive* archive)
{
    bool isRestored = palArchive_Restores(archive);
    palArchive_Block(archive, &device->position, sizeof device->position);
    device->reads = isRestored ? -1 : device->reads;
}

static void a_device_of_the_programs_own_is_restored_where_it_can_be(void** state)
{
    (void)state;
    palError error = {0};
    palSurface box = makeBox(0.1);
    for (int i = 0; i < 3; i++)
    {
        palDeviceOps ops = {
            .size = i == 2 ? offsetof(palDeviceOps, archive) : sizeof ops,
            .name = "own",
            .limits = tellLimits,
            .read = readDevice,
            .write = writeDevice,
            .archive = i == 1 ? NULL : archiveDevice,
        };
        palDevice device = {.position = {0.01, 0.0235, 0.01}};
        palHandId hand;
        palWorld* world = buildWorld(&box, 1e4, &hand);
        GOOD(palWorld_SetDevice(world, hand, &ops, &device, &error));
        GOOD(palWorld_Prepare(world, &error));
        run(world, 200);
        palVec3 saved = device.position;
        Block block = save(world);
        Trace on = run(world, 60);
        palVec3 later = device.position;
        restore(world, block);
        palVec3 now = device.position;
        assert_memory_equal(&now, i == 0 ? &saved : &later, sizeof now);
        assert_int_equal(device.reads == -1, i == 0);
        Trace restored = run(world, 60);
        assert_int_equal(memcmp(&on, &restored, sizeof on) == 0, i == 0);
        free(block.bytes);
        palWorld_Destroy(world);
    }
    palSurface_Free(&box);
}

// Gives one byte more in every call.
static void archiveMore(palDevice* device, palArchive* archive)
{
    palArchive_Block(archive, &device->position, (size_t)++device->reads % sizeof device->position);
}

static void a_device_that_gives_more_than_it_counted_is_told(void** state)
{
    (void)state;
    palError error = {0};
    palSurface box = makeBox(0.1);
    const palDeviceOps ops = {
        .size = sizeof ops,
        .name = "own",
        .limits = tellLimits,
        .read = readDevice,
        .write = writeDevice,
        .archive = archiveMore,
    };
    palDevice device = {.position = {0.01, 0.0235, 0.01}};
    palHandId hand;
    palWorld* world = buildWorld(&box, 1e4, &hand);
    GOOD(palWorld_SetDevice(world, hand, &ops, &device, &error));
    GOOD(palWorld_Prepare(world, &error));
    size_t size = 1 << 26;
    void* block = malloc(size);
    assert_int_equal(palWorld_SaveState(world, block, &size, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "1 bytes more or less"));
    free(block);
    palWorld_Destroy(world);
    palSurface_Free(&box);
}

//--------------------------------------------------------------------------------------------------
// Another process

static const char* const processScene = PAL_SOURCE_DIR "/scenes/stylus-soft.yaml";

enum
{
    processTicks = 100,
};

// With a file this program is the other process: it restores from it and prints what it sees.
static int continueFrom(const char* file)
{
    Block block = {malloc(1 << 26), 0};
    FILE* stream = fopen(file, "rb");
    block.size = fread(block.bytes, 1, 1 << 26, stream);
    fclose(stream);
    path = processScene;
    palWorld* world = makeWorld();
    restore(world, block);
    Trace trace = run(world, processTicks);
    printf("%016llx\n",
           (unsigned long long)palHash(0, trace.ticks, processTicks * sizeof trace.ticks[0]));
    free(block.bytes);
    palWorld_Destroy(world);
    return 0;
}

static void another_process_goes_on_bit_for_bit(void** state)
{
    (void)state;
    char file[] = "/tmp/palpate-state-XXXXXX", self[512] = {0}, command[1024], seen[64], here[64];
    path = processScene;
    palWorld* world = makeWorld();
    run(world, 900);
    assert_true(world->last.hands[0].active > 0);
    Block block = save(world);
    Trace on = run(world, processTicks);
    snprintf(here, sizeof here, "%016llx\n",
             (unsigned long long)palHash(0, on.ticks, processTicks * sizeof on.ticks[0]));
    int descriptor = mkstemp(file);
    assert_int_equal(write(descriptor, block.bytes, block.size), block.size);
    close(descriptor);
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command, "'%s' %s", self, file);
    FILE* pipe = popen(command, "r");
    assert_non_null(fgets(seen, sizeof seen, pipe));
    assert_int_equal(pclose(pipe), 0);
    assert_string_equal(seen, here);
    unlink(file);
    free(block.bytes);
    palWorld_Destroy(world);
}

//--------------------------------------------------------------------------------------------------
// Refusals

static void refused(palWorld* world, const void* bytes, size_t size, const char* why)
{
    palError error = {0};
    palResult result = palWorld_RestoreState(world, bytes, size, &error);
    if (result != pal_errorInput || strstr(error.text, why) == NULL)
        fail_msg("%d, '%s' instead of '%s'", result, error.text, why);
    assert_true(error.remedy[0] != '\0');
}

// What is refused changes nothing: the world goes on as if nobody had asked.
static void a_damaged_block_is_refused(void** state)
{
    (void)state;
    palSurface box = makeBox(0.1);
    palHandId hand;
    palWorld* world = prepareWorld(&box, 1e4, &hand);
    run(world, 100);
    Block block = save(world);
    Trace on = run(world, 50);
    restore(world, block);
    unsigned char* bytes = block.bytes;
    // Too little room is told, with the size.
    size_t size = 10;
    palError error = {0};
    assert_int_equal(palWorld_SaveState(world, bytes, &size, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "there is room for 10"));
    assert_int_equal(size, block.size);
    assert_int_equal(palWorld_SaveState(world, bytes, NULL, &error), pal_errorInput);
    refused(world, NULL, block.size, "is NULL");
    refused(world, bytes, 0, "no state");
    refused(world, bytes, 40, "no state");
    refused(world, bytes, block.size - 1, "cut short");
    refused(world, bytes, block.size / 2, "cut short");
    for (size_t i = 0; i < block.size; i += i < 80 ? 1 : block.size / 97)
    {
        bool isSize = i >= 32 && i < 40;
        bytes[i] ^= 0x10;
        refused(world, bytes, block.size, i < 8 ? "no state" : isSize ? "cut short" : "damaged");
        bytes[i] ^= 0x10;
    }
    // Of another version, with the right sum.
    static const uint64_t none = 0;
    bytes[8] = '9';
    memcpy(bytes + 48, &none, sizeof none);
    uint64_t sum = palHash(palHash(0, bytes, 56), bytes + 56, block.size - 56);
    memcpy(bytes + 48, &sum, sizeof sum);
    refused(world, bytes, block.size, "another build, version 9");
    Trace after = run(world, 50);
    compare("refused", "a world that refused", &on, &after);
    free(block.bytes);
    palWorld_Destroy(world);
    palSurface_Free(&box);
}

static void the_state_of_another_world_is_refused(void** state)
{
    (void)state;
    palError error = {0};
    palSurface box = makeBox(0.1), wider = makeBox(0.11);
    palHandId hand;
    palWorld* world = prepareWorld(&box, 1e4, &hand);
    run(world, 30);
    Block block = save(world);
    static const char* const others[] = {"time.dt=0.0005",
                                         "time.low_dt=0.04",
                                         "time.latency=0.001",
                                         "method.name=standard",
                                         "objects.0.friction=0.3",
                                         "gravity=[0, -9.8, 0]",
                                         "hands.0.coupling.mass=0.002"};
    for (size_t i = 0; i < sizeof others / sizeof others[0] + 2; i++)
    {
        Trace traces[2];
        setCount = i >= 2;
        sets[0] = i >= 2 ? others[i - 2] : NULL;
        for (int k = 0; k < 2; k++)
        {
            palWorld* other = prepareWorld(i == 0 ? &wider : &box, i == 1 ? 1.1e4 : 1e4, &hand);
            run(other, 10);
            if (k == 1)
                refused(other, block.bytes, block.size, "another world");
            traces[k] = run(other, 30);
            palWorld_Destroy(other);
        }
        compare(i >= 2 ? sets[0] : "another body", "a world that refused", &traces[0], &traces[1]);
    }
    setCount = 0;
    palObjectDef object = palDefaultObjectDef();
    palSurfaceDef sphere = palDefaultSurfaceDef();
    sphere.shape = "sphere";
    object.surface = &sphere;
    object.position = (palVec3){0, 0.2, 0};
    palWorld* more = buildWorld(&box, 1e4, &hand);
    GOOD(palWorld_AddObject(more, &object, NULL, &error));
    refused(more, block.bytes, block.size, "another world");
    palWorld_Destroy(more);
    free(block.bytes);
    palWorld_Destroy(world);
    palSurface_Free(&box);
    palSurface_Free(&wider);
}

#define TEST(function) cmocka_unit_test_setup(function, clear)

int main(int argc, char** argv)
{
    if (argc > 1)
        return continueFrom(argv[1]);
    const struct CMUnitTest tests[] = {
        TEST(every_method_goes_on_bit_for_bit_with_all_that_it_accepts),
        TEST(large_bodies_go_on_with_the_factors_that_they_have),
        TEST(other_responses_and_laws_go_on_too),
        TEST(bodies_that_lie_on_each_other_go_on),
        TEST(a_wire_that_is_pressed_goes_on),
        TEST(several_hands_go_on),
        TEST(a_simulated_hand_goes_on),
        TEST(values_that_are_changing_go_on_changing),
        TEST(shipped_scenes_go_on),
        TEST(a_state_may_be_saved_between_any_two_ticks),
        TEST(a_world_that_was_written_as_a_scene_file_takes_the_state),
        TEST(a_device_of_the_programs_own_is_restored_where_it_can_be),
        TEST(a_device_that_gives_more_than_it_counted_is_told),
        TEST(another_process_goes_on_bit_for_bit),
        TEST(a_damaged_block_is_refused),
        TEST(the_state_of_another_world_is_refused),
    };
    return RUN(tests);
}
