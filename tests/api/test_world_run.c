// SPDX-License-Identifier: Apache-2.0
// Worlds as programs may use them by mistake: calls in another order, NULL, ids of another world, a
// device that fails. Each gives one clear message, or does nothing. And several worlds at once.
#include "check.h"

#include <palpate/world.h>

#include <math.h>
#include <pthread.h>
#include <time.h>

#define GOOD(call) good((call), &error)

static void good(palResult result, const palError* error)
{
    if (result != pal_ok)
        print_error("%s: %s; %s\n", error->file, error->text, error->remedy);
    assert_int_equal(result, pal_ok);
}

#define REFUSED(call, words)                                                                       \
    do                                                                                             \
    {                                                                                              \
        memset(&error, 0, sizeof error);                                                           \
        assert_int_equal((call), pal_errorInput);                                                  \
        if (strstr(error.text, words) == NULL)                                                     \
            fail_msg("'%s', not '%s'", error.text, words);                                         \
        assert_true(error.remedy[0] != '\0');                                                      \
    } while (0)

static palWorld* createEmpty(void)
{
    palError error = {0};
    palWorld* world;
    palWorldDef def = palDefaultWorldDef();
    GOOD(palWorld_Create(&def, &world, &error));
    return world;
}

// A box with its upper side at y = 0.02, which may be soft, and held below.
static palBodyId addBox(palWorld* world, bool isSoft)
{
    palError error = {0};
    palSurfaceDef box = palDefaultSurfaceDef();
    box.shape = "box";
    box.shapeSize = (palVec3){0.1, 0.04, 0.1};
    palFixedDef floor = palDefaultFixedDef();
    floor.kind = pal_fixedPlane;
    floor.centre.y = -0.0199;
    floor.normal.y = 1.0;
    palSoftObjectDef soft = palDefaultSoftObjectDef();
    soft.fixed = &floor;
    soft.fixedCount = 1;
    palObjectDef def = palDefaultObjectDef();
    def.surface = &box;
    def.soft = isSoft ? &soft : NULL;
    palBodyId id;
    GOOD(palWorld_AddObject(world, &def, &id, &error));
    return id;
}

static palHandId addHand(palWorld* world, double y)
{
    palError error = {0};
    palHandDef def = palDefaultHandDef();
    def.position = (palVec3){0.01, y, 0.01};
    palHandId id;
    GOOD(palWorld_AddHand(world, &def, &id, &error));
    return id;
}

static void calls_in_another_order_are_refused(void** state)
{
    (void)state;
    palError error = {0};
    palHandState hand = palMakeHandState();
    palWorldReader* reader;
    palWorld* world = createEmpty();
    palWorld_Stop(world);
    assert_false(palWorld_Tick(world));
    assert_true(palWorld_Time(world) < 0.0);
    REFUSED(palWorld_Step(world, &error), "no hand");
    REFUSED(palWorld_Start(world, &error), "no hand");
    REFUSED(palWorld_OpenReader(world, &reader, &error), "not prepared");
    assert_null(reader);
    palBodyId box = addBox(world, false);
    palHandId id = addHand(world, 0.025);
    REFUSED(palWorld_SetFriction(world, box, 0.1, &error), "not prepared");
    assert_int_equal(palWorld_GetHand(world, id, &hand), pal_errorInput);

    // While it runs with threads of its own.
    GOOD(palWorld_Start(world, &error));
    REFUSED(palWorld_Set(world, "time.dt=0.002", &error), "prepared");
    REFUSED(palWorld_Start(world, &error), "runs already");
    REFUSED(palWorld_StartLow(world, &error), "runs already");
    REFUSED(palWorld_Step(world, &error), "runs already");
    assert_false(palWorld_Tick(world));
    assert_int_equal(palWorld_GetHand(world, id, &hand), pal_errorInput);
    palWorld_Stop(world);
    palWorld_Stop(world);
    assert_int_equal(palWorld_GetHand(world, id, &hand), pal_errorInput);
    GOOD(palWorld_Step(world, &error));
    assert_int_equal(palWorld_GetHand(world, id, &hand), pal_ok);

    // With the caller's loop.
    GOOD(palWorld_StartLow(world, &error));
    assert_true(palWorld_Tick(world));
    REFUSED(palWorld_Step(world, &error), "runs already");
    palWorld_Stop(world);
    assert_false(palWorld_Tick(world));

    // Destroyed while it runs and is watched.
    GOOD(palWorld_Start(world, &error));
    GOOD(palWorld_OpenReader(world, &reader, &error));
    palWorld_Destroy(world);
}

static void null_is_refused_or_without_effect(void** state)
{
    (void)state;
    palError error = {0};
    const palHandId hand = {1, 1};
    const palBodyId body = {1, 1};
    const palVec3 origin = {0};
    const palQuat still = {1, 0, 0, 0};
    palWorld* world;
    palWorldReader* reader;
    palWorldDef def = palDefaultWorldDef();
    REFUSED(palWorld_Create(NULL, &world, &error), "def is missing");
    REFUSED(palWorld_Create(&def, NULL, &error), "NULL");
    REFUSED(palWorld_Load(NULL, NULL, 0, &world, &error), "NULL");
    REFUSED(palWorld_Load("a.yaml", NULL, 2, &world, &error), "NULL");
    assert_null(world);
    REFUSED(palWorld_AddObject(NULL, NULL, NULL, &error), "no world");
    REFUSED(palWorld_AddWire(NULL, NULL, NULL, &error), "no world");
    REFUSED(palWorld_AddJoint(NULL, NULL, NULL, &error), "no world");
    REFUSED(palWorld_AddHand(NULL, NULL, NULL, &error), "no world");
    REFUSED(palWorld_Set(NULL, NULL, &error), "no world");
    REFUSED(palWorld_SetDevice(NULL, hand, NULL, NULL, &error), "no world");
    REFUSED(palWorld_Save(NULL, NULL, &error), "no world");
    REFUSED(palWorld_Step(NULL, &error), "no world");
    REFUSED(palWorld_Start(NULL, &error), "no world");
    REFUSED(palWorld_SetYoung(NULL, body, 1e4, &error), "no world");
    REFUSED(palWorld_SetStiffening(NULL, body, 1, &error), "no world");
    REFUSED(palWorld_SetCoupling(NULL, hand, NULL, &error), "no world");
    REFUSED(palWorld_OpenReader(NULL, &reader, &error), "no world");
    assert_int_equal(palWorld_Prepare(NULL, NULL), pal_errorInput);
    assert_int_equal(palWorld_FindBody(NULL, "a").index, 0);
    assert_int_equal(palWorld_HandAt(NULL, 0).index, 0);
    assert_null(palWorld_Message(NULL, 0, NULL));
    assert_false(palWorld_Tick(NULL));
    assert_false(palWorld_SetTarget(NULL, hand, origin, still));
    assert_false(palWorldReader_Update(NULL));
    assert_false(palWorldReader_Hand(NULL, hand, NULL));
    assert_false(palWorldReader_Body(NULL, body, NULL));
    assert_false(palWorldReader_Tool(NULL, hand, NULL));
    assert_false(palWorldReader_Contact(NULL, 0, NULL));
    assert_false(palWorldReader_Statistics(NULL, NULL));
    palWorld_CloseReader(NULL);
    palWorld_Stop(NULL);
    palWorld_Destroy(NULL);

    world = createEmpty();
    REFUSED(palWorld_Set(world, NULL, &error), "not a change");
    REFUSED(palWorld_Save(world, NULL, &error), "NULL");
    palHandDef handDef = palDefaultHandDef();
    handDef.keyCount = 1;
    REFUSED(palWorld_AddHand(world, &handDef, NULL, &error), "NULL");
    handDef.keyCount = 0;
    const palDeviceOps ops = {.size = sizeof ops};
    handDef.deviceOps = &ops;
    REFUSED(palWorld_AddHand(world, &handDef, NULL, &error), "no limits, read or write");
    assert_int_equal(palWorld_HandAt(world, 0).index, 0);
    palWorld_Destroy(world);
}

static void ids_of_another_world_are_refused(void** state)
{
    (void)state;
    palError error = {0};
    palWorld *a = createEmpty(), *b = createEmpty();
    addBox(a, true);
    palHandId handOfA = addHand(a, 0.025);
    palBodyId boxOfB = addBox(b, true);
    palHandId handOfB = addHand(b, 0.025);
    GOOD(palWorld_Step(a, &error));
    palCouplingDef coupling = palDefaultCouplingDef();
    palHandState hand = palMakeHandState();
    REFUSED(palWorld_SetYoung(a, boxOfB, 1e4, &error), "no such object");
    REFUSED(palWorld_SetStiffening(a, boxOfB, 1, &error), "no such object");
    REFUSED(palWorld_SetFriction(a, (palBodyId){0}, 0.1, &error), "no such object");
    REFUSED(palWorld_SetCoupling(a, handOfB, &coupling, &error), "no such hand");
    REFUSED(palWorld_SetDevice(b, handOfA, NULL, NULL, &error), "no such hand");
    assert_false(palWorld_SetTarget(a, handOfB, (palVec3){0}, (palQuat){1, 0, 0, 0}));
    assert_true(palWorld_SetTarget(a, handOfA, (palVec3){0}, (palQuat){1, 0, 0, 0}));
    assert_false(palWorld_SetTarget(a, handOfA, (palVec3){101, 0, 0}, (palQuat){1, 0, 0, 0}));
    assert_int_equal(palWorld_GetHand(a, handOfB, &hand), pal_errorInput);
    palJointDef joint = palDefaultJointDef();
    joint.body = boxOfB;
    joint.toHand = handOfA;
    REFUSED(palWorld_AddJoint(b, &joint, NULL, &error), "no such hand");
    palWorld_Destroy(a);
    palWorld_Destroy(b);
}

static void four_hands_are_allowed_and_a_fifth_is_refused(void** state)
{
    (void)state;
    palError error = {0};
    palWorld* world = createEmpty();
    addBox(world, false);
    palHandId hands[4];
    for (int i = 0; i < 4; i++)
        hands[i] = addHand(world, 0.025);
    palHandDef def = palDefaultHandDef();
    palHandId fifth = {7, 7};
    REFUSED(palWorld_AddHand(world, &def, &fifth, &error), "has 4 hands");
    assert_int_equal(fifth.index, 0);
    GOOD(palWorld_Prepare(world, &error));
    for (int step = 0; step < 300; step++)
        for (int i = 0; i < 4; i++)
        {
            palVec3 place = {0.02 * i - 0.03, 0.018, 0};
            assert_true(palWorld_SetTarget(world, hands[i], place, (palQuat){1, 0, 0, 0}));
            if (i == 3)
                GOOD(palWorld_Step(world, &error));
        }
    palHandState state4 = palMakeHandState();
    for (int i = 0; i < 4; i++)
    {
        assert_int_equal(palWorld_GetHand(world, hands[i], &state4), pal_ok);
        ASSERT_NEAR(state4.force.y, 2.0, 1e-3); // 2 mm in, at 1000 N/m
    }
    palWorld_Destroy(world);
}

static void surfaces_that_are_none_are_refused_with_their_body(void** state)
{
    (void)state;
    palError error = {0};
    double vertices[8][3];
    static const int triangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                         {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                         {0, 4, 7}, {0, 7, 3}, {1, 2, 6}, {1, 6, 5}};
    for (int i = 0; i < 8; i++)
    {
        vertices[i][0] = i % 4 == 1 || i % 4 == 2 ? 0.05 : -0.05;
        vertices[i][1] = i % 4 >= 2 ? 0.02 : -0.02;
        vertices[i][2] = i >= 4 ? 0.05 : -0.05;
    }
    palWorld* world = createEmpty();
    palSurfaceDef surface = palMakeSurfaceDef(vertices[0], 8, triangles[0], 12);
    palSoftObjectDef soft = palDefaultSoftObjectDef();
    palObjectDef def = palDefaultObjectDef();
    def.surface = &surface;
    def.soft = &soft;
    vertices[3][1] = NAN;
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "vertex 3 is not finite");
    assert_string_equal(error.file, "palSurfaceDef.vertices");
    surface.triangleCount = 0;
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "no triangles");
    surface.triangleCount = 12;
    // Flat: closed, but there is nothing inside.
    for (int i = 0; i < 8; i++)
        vertices[i][1] = 0.0;
    GOOD(palWorld_AddObject(world, &def, NULL, &error));
    addHand(world, 0.1);
    REFUSED(palWorld_Prepare(world, &error), "encloses no volume");
    palWorld_Destroy(world);
    // All in one point: the message says which body it is.
    memset(vertices, 0, sizeof vertices);
    world = createEmpty();
    def.name = "dot";
    GOOD(palWorld_AddObject(world, &def, NULL, &error));
    addHand(world, 0.1);
    REFUSED(palWorld_Prepare(world, &error), "no area");
    assert_string_equal(error.file, "surface of dot");
    palWorld_Destroy(world);
}

enum
{
    noFault = -1,
};

// A device that presses 2 mm into the box, and for a while tells what no device can.
struct palDevice
{
    int fault;
    int reads;
    int faultEnd;
    double out; // N
};

static void tellLimits(const palDevice* device, palDeviceLimits* limits)
{
    (void)device;
    limits->hasForce = true;
}

static void readFaulty(palDevice* device, double t, palDeviceState* state)
{
    (void)t;
    state->position = (palVec3){0.01, 0.018, 0.01};
    state->orientation = (palQuat){1, 0, 0, 0};
    state->fresh = true;
    int read = device->reads++;
    if (read < 300 || read >= device->faultEnd)
        return;
    switch (device->fault)
    {
    case 0:
        state->position.x = NAN;
        break;
    case 1:
        state->velocity.y = INFINITY;
        break;
    case 2:
        state->orientation.x = NAN;
        break;
    case 3:
        state->position.y = -1e10;
        break;
    case 4:
        state->fresh = false;
        break;
    case 5:
        state->orientation = (palQuat){0}; // is taken for one that is not measured
        break;
    default:
        break;
    }
}

static void writeForce(palDevice* device, const palDeviceOutput* output)
{
    assert_true(isfinite(output->channels[0].force.x) && isfinite(output->channels[0].force.y));
    device->out = output->channels[0].force.y;
}

static const palDeviceOps faultyOps = {
    .size = sizeof(palDeviceOps),
    .name = "faulty",
    .limits = tellLimits,
    .read = readFaulty,
    .write = writeForce,
};

// What the device was given in the last tick of its failure, and 0.4 s later, N.
typedef struct outputs
{
    double last, later;
} outputs;

// Steps a world with a device that fails in ticks 300 to `end`.
static outputs failUntil(int fault, int end, bool isTool, bool isSoft)
{
    palError error = {0};
    palDevice device = {.fault = fault,
                        .faultEnd = end + 2}; // two reads come before the first tick
    palSurfaceDef ball = palDefaultSurfaceDef();
    ball.shape = "sphere";
    ball.shapeRadius = 0.005;
    palWorld* world = createEmpty();
    addBox(world, isSoft);
    palHandDef def = palDefaultHandDef();
    def.deviceOps = &faultyOps;
    def.device = &device;
    def.kind = isTool ? pal_handTool : pal_handPoint;
    def.tool = isTool ? &ball : NULL;
    GOOD(palWorld_AddHand(world, &def, NULL, &error));
    outputs out = {0};
    for (int i = 0; i < end + 400; i++)
    {
        GOOD(palWorld_Step(world, &error));
        out.last = i == end - 3 ? device.out : out.last;
    }
    out.later = device.out;
    assert_true(out.later > 0.05);
    palWorld_Destroy(world);
    return out;
}

// For a moment nothing is felt of it; after 0.2 s the force fades in 0.1 s, and comes back as it
// would have been.
static void a_device_that_tells_nonsense_is_taken_for_silent(void** state)
{
    (void)state;
    SKIP_SLOWED();
    for (int kind = 0; kind < 4; kind += 3) // a point on what is hard, a tool on what is soft
    {
        outputs soon = failUntil(noFault, 400, kind & 1, kind & 2);
        outputs late = failUntil(noFault, 700, kind & 1, kind & 2);
        for (int fault = 0; fault < 5; fault++)
        {
            outputs brief = failUntil(fault, 400, kind & 1, kind & 2);
            ASSERT_NEAR(brief.last, soon.last, 0.0);
            ASSERT_NEAR(brief.later, soon.later, 0.0);
            outputs longer = failUntil(fault, 700, kind & 1, kind & 2);
            ASSERT_NEAR(longer.last, 0.0, 0.0);
            ASSERT_NEAR(longer.later, late.later, 1e-9);
        }
        ASSERT_NEAR(failUntil(5, 700, kind & 1, kind & 2).last, late.last, 0.0);
    }
}

enum
{
    pressSteps = 300,
};

// Presses into a soft box in lockstep and keeps what is felt, [pressSteps].
static void* press(void* forces)
{
    palError error = {0};
    palWorld* world = createEmpty();
    palBodyId box = addBox(world, true);
    palHandId hand = addHand(world, 0.022);
    GOOD(palWorld_Prepare(world, &error));
    palWorld_SetTarget(world, hand, (palVec3){0.01, 0.018, 0.01}, (palQuat){1, 0, 0, 0});
    for (int i = 0; i < pressSteps; i++)
    {
        palHandState state = palMakeHandState();
        if (i == 150)
            GOOD(palWorld_SetYoung(world, box, 2e4, &error));
        GOOD(palWorld_Step(world, &error));
        assert_int_equal(palWorld_GetHand(world, hand, &state), pal_ok);
        ((double*)forces)[i] = state.force.y;
    }
    palWorld_Destroy(world);
    return NULL;
}

// Worlds that are made and stepped at once, beside one in real time, repeat bit for bit.
static void worlds_in_several_threads_do_not_disturb_each_other(void** state)
{
    (void)state;
    enum
    {
        threadCount = 4,
        rounds = 3,
    };
    static double alone[pressSteps], forces[threadCount][pressSteps];
    palError error = {0};
    palWorld* live = createEmpty();
    addBox(live, true);
    addHand(live, 0.019);
    GOOD(palWorld_Start(live, &error));
    press(alone);
    assert_true(alone[pressSteps - 1] > 0.05);
    for (int r = 0; r < rounds; r++)
    {
        pthread_t threads[threadCount];
        for (int i = 0; i < threadCount; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, press, forces[i]), 0);
        for (int i = 0; i < threadCount; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < threadCount; i++)
            assert_memory_equal(forces[i], alone, sizeof alone);
    }
    palWorld_Destroy(live);
}

// The caller's own loop stands still for 0.1 s: the force stays, the late tick is counted.
static void a_loop_that_stalls_is_counted_and_goes_on(void** state)
{
    (void)state;
    palError error = {0};
    palWorldReader* reader;
    palWorld* world = createEmpty();
    addBox(world, true);
    palHandId hand = addHand(world, 0.018);
    GOOD(palWorld_StartLow(world, &error));
    GOOD(palWorld_OpenReader(world, &reader, &error));
    palHandState before = palMakeHandState(), after = palMakeHandState();
    palWorldStatistics counts[2] = {palMakeWorldStatistics(), palMakeWorldStatistics()};
    for (int i = 0; i < 600; i++)
    {
        const struct timespec ms = {.tv_nsec = 1000000}, stall = {.tv_nsec = 100000000};
        assert_true(palWorld_Tick(world));
        if (i == 499)
        {
            palWorld_GetHand(world, hand, &before);
            palWorldReader_Update(reader);
            assert_true(palWorldReader_Statistics(reader, &counts[0]));
        }
        nanosleep(i == 499 ? &stall : &ms, NULL);
    }
    palWorld_GetHand(world, hand, &after);
    palWorldReader_Update(reader);
    assert_true(palWorldReader_Statistics(reader, &counts[1]));
    assert_true(counts[1].deadlineMisses > counts[0].deadlineMisses);
    assert_int_equal(counts[1].steps, 600);
    ASSERT_NEAR(palWorld_Time(world), 0.599, 1e-9);
    ASSERT_NEAR(after.force.y, before.force.y, 0.01 * before.force.y);
    palWorld_Destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_in_another_order_are_refused),
        cmocka_unit_test(null_is_refused_or_without_effect),
        cmocka_unit_test(ids_of_another_world_are_refused),
        cmocka_unit_test(four_hands_are_allowed_and_a_fifth_is_refused),
        cmocka_unit_test(surfaces_that_are_none_are_refused_with_their_body),
        cmocka_unit_test(a_device_that_tells_nonsense_is_taken_for_silent),
        cmocka_unit_test(worlds_in_several_threads_do_not_disturb_each_other),
        cmocka_unit_test(a_loop_that_stalls_is_counted_and_goes_on),
    };
    return RUN(tests);
}
