// SPDX-License-Identifier: Apache-2.0
// Ticks that are watched: allocations and locks are counted by definitions of our own that go on to
// the C library's; system calls are found by making ticks in a child in which the kernel allows
// none.
#ifndef PAL_TESTS_SEALED_TICKS_H
#define PAL_TESTS_SEALED_TICKS_H

#include "check.h"

#include "runtime/engine.h"

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
// In a child

// What a child made of its ticks.
typedef struct outcome
{
    bool killed; // by the kernel, for a system call
    int touching, free;
    int allocations, locks;
    int contacts;    // reported, of all ticks
    int problemRows; // of the largest problem that was copied
} outcome;

// Whether the kernel lets a process forbid itself system calls.
static inline bool canSeal(void)
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
        startCounting();
        for (int k = 0; k < ticks; k++)
        {
            palTickRecord record;
            palEngine_Tick(engine, t + k * engine->def.dt, &record);
            palEngine_Note(engine, &record, 1000);
            record.hands[0].active > 0 ? seen.touching++ : seen.free++;
            seen.contacts += record.contactCount;
            if (engine->problems[0] != NULL && engine->problems[0]->problem.rows > seen.problemRows)
                seen.problemRows = engine->problems[0]->problem.rows;
        }
        counting = false;
        seen.allocations = allocations;
        seen.locks = locks;
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

#endif
