// SPDX-License-Identifier: Apache-2.0
// The high-rate tick allocates nothing, locks nothing and makes no system call: every method, with
// both built-in devices, in free motion and in contact.
//
// Allocations and locks are counted by definitions of our own that go on to the C library's; system
// calls are found by making ticks in a child in which the kernel allows none.
#include "rig.h"

#include "device/replay.h"
#include "device/simulated.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SANITIZED "a sanitizer allocates, locks and calls the system itself"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool isSanitized = true;
#else
static const bool isSanitized = false;
#endif

//--------------------------------------------------------------------------------------------------
// Counting

static _Thread_local bool counting; // of this thread: a library may have others of its own
static int allocations;
static int locks;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

void* malloc(size_t size)
{
    allocations += counting;
    return __libc_malloc(size);
}

void* calloc(size_t count, size_t size)
{
    allocations += counting;
    return __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size)
{
    allocations += counting;
    return __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size)
{
    allocations += counting;
    return __libc_memalign(alignment, size);
}

void* memalign(size_t alignment, size_t size)
{
    allocations += counting;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size)
{
    allocations += counting;
    *memory = __libc_memalign(alignment, size);
    return *memory != NULL ? 0 : ENOMEM;
}

void free(void* memory)
{
    allocations += counting;
    __libc_free(memory);
}

// A lock or a wait of this name: counted, then the C library's.
#define COUNT_LOCK(name, type)                                                                     \
    int name(type* object)                                                                         \
    {                                                                                              \
        static int (*next)(type*);                                                                 \
        locks += counting;                                                                         \
        if (next == NULL)                                                                          \
            *(void**)&next = dlsym(RTLD_NEXT, #name);                                              \
        return next(object);                                                                       \
    }

COUNT_LOCK(pthread_mutex_lock, pthread_mutex_t)
COUNT_LOCK(pthread_mutex_trylock, pthread_mutex_t)
COUNT_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
COUNT_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
COUNT_LOCK(pthread_barrier_wait, pthread_barrier_t)
COUNT_LOCK(sem_wait, sem_t)

int pthread_spin_lock(pthread_spinlock_t* lock)
{
    static int (*next)(pthread_spinlock_t*);
    locks += counting;
    if (next == NULL)
        *(void**)&next = dlsym(RTLD_NEXT, "pthread_spin_lock");
    return next(lock);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex)
{
    static int (*next)(pthread_cond_t*, pthread_mutex_t*);
    locks += counting;
    if (next == NULL)
        *(void**)&next = dlsym(RTLD_NEXT, "pthread_cond_wait");
    return next(condition, mutex);
}

#endif

static void startCounting(void)
{
    allocations = locks = 0;
    counting = true;
}

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
    palReplayDef replay = {.trajectory = p->trajectory, .dt = 1e-3};
    palSimulatedDef simulated = {
        .preset = palFindDevicePreset("omega.3"),
        .hand = palDefaultHandDef(),
        .trajectory = p->trajectory,
        .dt = 1e-3,
    };
    p->ops = ops;
    bool isReplay = ops == &pal_replayDevice;
    assert_int_equal(ops->open(isReplay ? (void*)&replay : (void*)&simulated, &p->device, &error),
                     pal_ok);
    palEngineDef engine = rigDef("standard");
    engine.method = method;
    engine.deviceOps = ops;
    engine.device = p->device;
    engine.keepRecords = true;
    palVec3 direction = palNormalize(def.direction);
    makeWire(p, palMulAdd(def.target, -def.gap, direction), direction);
    engine.methodDef.wires = &p->wire;
    engine.methodDef.wireCount = 1;
    rigStart(&p->r, engine, pal_zeroVec3);
}

static void endPress(press* p)
{
    rigFree(&p->r);
    p->ops->close(p->device);
    palTrajectory_Destroy(p->trajectory);
    palBeamModel_Destroy(p->wire.model);
}

// Calls check(press) for every method, and its form for tools where it has one, with either device.
static void forEach(void (*check)(press* p))
{
    const palDeviceOps* const devices[] = {&pal_replayDevice, &pal_simulatedDevice};
    for (int i = 0; palMethodAt(i) != NULL; i++)
        for (int j = 0; j < 4; j++)
        {
            const palMethodOps* method = palMethodHolding(palMethodAt(i), j >= 2);
            if (j >= 2 && method == palMethodAt(i))
                break;
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
        touching += rigStep(&p->r).active > 0;
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

// What a child made of its ticks.
typedef struct outcome
{
    bool killed; // by the kernel, for a system call
    int touching, free;
} outcome;

// Whether the kernel lets a process forbid itself system calls.
static bool canSeal(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        int failure = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        syscall(SYS_exit, failure);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Makes ticks in a child that may only write and exit. Its memory is a copy: the engine here stays.
static outcome tickInChild(palEngine* engine, int ticks)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        outcome seen = {0};
        double t = (double)engine->nextTick * engine->def.dt;
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            _exit(1);
        for (int k = 0; k < ticks; k++)
        {
            palTickRecord record;
            palEngine_Tick(engine, t + k * engine->def.dt, &record);
            palEngine_Note(engine, &record, 1000);
            record.active > 0 ? seen.touching++ : seen.free++;
        }
        ssize_t written = write(ends[1], &seen, sizeof seen);
        syscall(SYS_exit, written == sizeof seen ? 0 : 1);
    }
    int status;
    outcome seen = {0};
    close(ends[1]);
    ssize_t length = read(ends[0], &seen, sizeof seen);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    seen.killed = length != sizeof seen || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    return seen;
}

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

static void allocatingHigh(palMethod* method, const palSnapshot* snapshot,
                           const palDeviceState* device, palPointState* body, palHighInfo* info)
{
    void* volatile memory = malloc(64);
    free(memory);
    pal_methodStandard.high(method, snapshot, device, body, info);
}

static void lockingHigh(palMethod* method, const palSnapshot* snapshot,
                        const palDeviceState* device, palPointState* body, palHighInfo* info)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pal_methodStandard.high(method, snapshot, device, body, info);
}

static void callingHigh(palMethod* method, const palSnapshot* snapshot,
                        const palDeviceState* device, palPointState* body, palHighInfo* info)
{
    syscall(SYS_getppid);
    pal_methodStandard.high(method, snapshot, device, body, info);
}

static void a_tick_that_breaks_the_contract_is_caught(void** state)
{
    (void)state;
    if (isSanitized)
        SKIP(SANITIZED);
    void (*const highs[])(palMethod*, const palSnapshot*, const palDeviceState*, palPointState*,
                          palHighInfo*) = {allocatingHigh, lockingHigh, callingHigh};
    for (int i = 0; i < 3; i++)
    {
        palMethodOps ops = pal_methodStandard;
        ops.high = highs[i];
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
