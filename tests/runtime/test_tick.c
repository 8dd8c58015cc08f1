// SPDX-License-Identifier: Apache-2.0
// The high-rate tick allocates nothing, locks nothing and makes no system call: every method, with
// both built-in devices, in free motion and in contact.
#include "rig.h"
#include "sealed_ticks.h"

#include "device/replay.h"
#include "device/simulated.h"

//--------------------------------------------------------------------------------------------------
// A press on a ball: free motion, touch, rest in contact, and away again

typedef struct press
{
    rig r;
    palWire wire; // for the method whose haptic body it is: its tip leads the hand
    palTrajectory* trajectory;
    const palDeviceOps* ops;
    palDevice* device;
} press;

enum
{
    pressTicks = 1500,
};

// Thirty millimetres of wire behind the tip.
static void makeWire(press* p, palVec3 tip, palVec3 direction)
{
    enum
    {
        nodes = 5,
    };
    palVec3 points[nodes];
    uint8_t held[nodes] = {pal_holdNode};
    palError error;
    for (int i = 0; i < nodes; i++)
        points[i] = palMulAdd(tip, -0.03 * (nodes - 1 - i) / (nodes - 1), direction);
    palBeamSection section = palMakeRoundSection(1e-3, 0.3);
    palBeamDef def = palDefaultBeamDef();
    def.nodeCount = nodes;
    def.points = points;
    def.sections = &section;
    def.sectionCount = 1;
    def.material = (palMaterial){.young = 2e9, .poisson = 0.3, .density = 1200.0};
    def.held = held;
    p->wire = (palWire){.name = "wire", .handNode = 0, .radius = 1e-3};
    assert_int_equal(palBeamModel_Create(&def, &p->wire.model, &error), pal_ok);
}

static void startPress(press* p, const palMethodOps* method, const palDeviceOps* ops)
{
    palShapeDef ball = palDefaultShapeDef(pal_shapeSphere);
    rigShape(&p->r, &ball, pal_identityQuat, pal_zeroVec3, 0.3);
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryPress);
    def.target = palMakeVec3(0.0, 0.0, ball.radius);
    def.direction = palMakeVec3(0.3, 0.0, -1.0);
    def.gap = 0.01, def.depth = 0.004, def.speed = 0.05, def.hold = 0.5;
    palError error;
    assert_int_equal(palTrajectory_Create(&def, &p->trajectory, &error), pal_ok);
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = p->trajectory;
    palSimulatedSettings simulated = palDefaultSimulatedSettings();
    p->ops = ops;
    assert_int_equal(
        ops->open(&context, ops == &pal_simulatedDevice ? &simulated : NULL, &p->device, &error),
        pal_ok);
    palEngineDef engine = rigDef("standard");
    engine.hands[0].method = method;
    engine.hands[0].deviceOps = ops;
    engine.hands[0].device = p->device;
    engine.keepRecords = true;
    palVec3 direction = palNormalize(def.direction);
    makeWire(p, palMulAdd(def.target, -def.gap, direction), direction);
    engine.methodDef.wires = &p->wire;
    engine.methodDef.wireCount = method->hand == pal_handWire;
    rigStart(&p->r, engine, pal_zeroVec3);
}

static void endPress(press* p)
{
    rigFree(&p->r);
    p->ops->close(p->device);
    palTrajectory_Destroy(p->trajectory);
    palBeamModel_Destroy(p->wire.model);
}

// Calls check(press) for every method and every kind of hand that it has a form for, with either
// device.
static void forEach(void (*check)(press* p))
{
    const palDeviceOps* const devices[] = {&pal_replayDevice, &pal_simulatedDevice};
    for (int i = 0; palMethodAt(i) != NULL; i++)
        for (int j = 0; j < 2 * pal_handKindCount; j++)
        {
            const palMethodOps* method = palMethodAt(i)->forms[j / 2];
            if (!rigTakes(method))
                continue;
            press p;
            startPress(&p, method, devices[j % 2]);
            check(&p);
            endPress(&p);
        }
}

static void countPress(press* p)
{
    int touching = 0;
    startCounting();
    for (int k = 0; k < pressTicks; k++)
        touching += rigStep(&p->r).hands[0].active > 0;
    counting = false;
    assert_int_equal(allocations, 0);
    assert_int_equal(locks, 0);
    // Both states were there.
    assert_in_range(touching, 300, pressTicks - 150);
}

static void neither_rate_allocates_or_locks(void** state)
{
    (void)state;
    if (isSanitized)
        SKIP(SANITIZED);
    forEach(countPress);
}

//--------------------------------------------------------------------------------------------------
// No system call

static void sealPress(press* p)
{
    int touching = 0, free = 0;
    for (int k = 0; k < pressTicks; k++)
    {
        rigStep(&p->r);
        if (k % 50 != 0)
            continue;
        outcome seen = tickInChild(p->r.engine, 40);
        assert_false(seen.killed);
        touching += seen.touching;
        free += seen.free;
    }
    assert_in_range(touching, 100, 2000);
    assert_in_range(free, 100, 2000);
}

static void a_tick_makes_no_system_call(void** state)
{
    (void)state;
    if (isSanitized)
        SKIP(SANITIZED);
    if (!canSeal())
        SKIP("the kernel has no strict seccomp mode");
    forEach(sealPress);
}

//--------------------------------------------------------------------------------------------------
// The checks themselves can fail

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void allocatingSolve(palMethod* method, palTick* tick)
{
    void* volatile memory = malloc(64);
    free(memory);
    pal_methodStandard.solve(method, tick);
}

static void lockingSolve(palMethod* method, palTick* tick)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pal_methodStandard.solve(method, tick);
}

static void callingSolve(palMethod* method, palTick* tick)
{
    syscall(SYS_getppid);
    pal_methodStandard.solve(method, tick);
}

static void a_tick_that_breaks_the_contract_is_caught(void** state)
{
    (void)state;
    if (isSanitized)
        SKIP(SANITIZED);
    palTickStage* const solves[] = {allocatingSolve, lockingSolve, callingSolve};
    for (int i = 0; i < 3; i++)
    {
        palMethodOps ops = pal_methodStandard;
        ops.solve = solves[i];
        press p;
        startPress(&p, &ops, &pal_replayDevice);
        startCounting();
        rigStep(&p.r);
        counting = false;
        assert_int_equal(allocations, i == 0 ? 2 : 0);
        assert_int_equal(locks, i == 1 ? 1 : 0);
        if (i == 2 && canSeal())
            assert_true(tickInChild(p.r.engine, 1).killed);
        endPress(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neither_rate_allocates_or_locks),
        cmocka_unit_test(a_tick_makes_no_system_call),
        cmocka_unit_test(a_tick_that_breaks_the_contract_is_caught),
    };
    return RUN(tests);
}
