// SPDX-License-Identifier: Apache-2.0
#include "linalg/factor_worker.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum
{
    threadNice = 5, // nice value: the simulation loops take precedence when cores are scarce
};

// Factors the copy into `next`. Release: a reader of the new state also sees the factor.
static void factorNext(palFactorWorker* worker)
{
    int64_t begin = palClock_Now();
    bool succeeded = palCholesky_Factor(worker->next, &worker->A, NULL) == pal_ok;
    worker->nextSeconds = 1e-9 * (double)(palClock_Now() - begin);
    atomic_store_explicit(&worker->state, succeeded ? pal_factorMade : pal_factorFailed,
                          memory_order_release);
}

static void* work(void* argument)
{
    palFactorWorker* worker = argument;
#if defined(__linux__)
    setpriority(PRIO_PROCESS, (id_t)gettid(), threadNice); // per thread on Linux
#endif
    for (;;)
    {
        while (sem_wait(&worker->wake) != 0 && errno == EINTR)
        {
        }
        // Relaxed: no other data depends on it, and sem_post was called after the store.
        if (atomic_load_explicit(&worker->quit, memory_order_relaxed))
            return NULL;
        // Acquire: the copy of the matrix was written before the state.
        if (atomic_load_explicit(&worker->state, memory_order_acquire) == pal_factorUnderWay)
            factorNext(worker);
    }
}

static palResult start(palFactorWorker* worker, palError* error)
{
    int failure = sem_init(&worker->wake, 0, 0) == 0 ? 0 : errno;
    bool hasSemaphore = failure == 0;
    if (hasSemaphore)
        failure = pthread_create(&worker->thread, NULL, work, worker);
    worker->hasThread = failure == 0;
    if (failure == 0)
        return pal_ok;
    if (hasSemaphore)
        sem_destroy(&worker->wake);
    palError_Set(error, pal_errorRun, "cannot start the factorisation thread: %s",
                 strerror(failure));
    return palError_Remedy(error, "raise the limit on threads (ulimit -u)");
}

palResult palFactorWorker_Create(palCholesky* cholesky, const palBlockMatrix* A,
                                 palFactorWorker** worker, palError* error)
{
    *worker = NULL;
    palFactorWorker* created = calloc(1, sizeof *created);
    if (created == NULL)
    {
        palCholesky_Destroy(cholesky);
        return palError_Memory(error, "the factor of a matrix", sizeof *created);
    }
    created->newest = cholesky;
    atomic_init(&created->state, pal_factorNone);
    atomic_init(&created->quit, false);
    palResult result = palBlockMatrix_InitLike(&created->A, A, error);
    size_t bytes = (size_t)A->blockCount * sizeof *created->newestA;
    created->newestA = calloc(1, bytes);
    if (result == pal_ok && created->newestA == NULL)
        result = palError_Memory(error, "the factor of a matrix", bytes);
    if (result == pal_ok)
        result = palCholesky_CreateTwin(created->newest, &created->next, error);
    if (result == pal_ok)
        result = start(created, error);
    if (result == pal_ok)
        *worker = created;
    else
        palFactorWorker_Destroy(created);
    return result;
}

void palFactorWorker_Destroy(palFactorWorker* worker)
{
    if (worker == NULL)
        return;
    if (worker->hasThread)
    {
        // Relaxed: sem_post and pthread_join order the accesses.
        atomic_store_explicit(&worker->quit, true, memory_order_relaxed);
        sem_post(&worker->wake);
        pthread_join(worker->thread, NULL);
        sem_destroy(&worker->wake);
    }
    palCholesky_Destroy(worker->newest);
    palCholesky_Destroy(worker->next);
    palBlockMatrix_Free(&worker->A);
    free(worker->newestA);
    free(worker);
}

// Copies the matrix. Release: a reader of the new state also sees the copy.
static void copyMatrix(palFactorWorker* worker, const palBlockMatrix* A, double time)
{
    memcpy(worker->A.blocks, A->blocks, (size_t)A->blockCount * sizeof *A->blocks);
    worker->nextTime = time;
    atomic_store_explicit(&worker->state, pal_factorUnderWay, memory_order_release);
}

void palFactorWorker_Ask(palFactorWorker* worker, const palBlockMatrix* A, double time)
{
    copyMatrix(worker, A, time);
    sem_post(&worker->wake);
}

void palFactorWorker_Make(palFactorWorker* worker, const palBlockMatrix* A, double time)
{
    copyMatrix(worker, A, time);
    factorNext(worker);
}

palFactorState palFactorWorker_Take(palFactorWorker* worker)
{
    // Acquire: the factor was written before the state.
    unsigned state = atomic_load_explicit(&worker->state, memory_order_acquire);
    if (state == pal_factorNone || state == pal_factorUnderWay)
        return state;
    worker->seconds = worker->nextSeconds;
    if (state == pal_factorMade)
    {
        palCholesky* older = worker->newest;
        worker->newest = worker->next;
        worker->next = older;
        palMat3* olderA = worker->newestA;
        worker->newestA = worker->A.blocks;
        worker->A.blocks = olderA;
        worker->time = worker->nextTime;
        worker->made++;
    }
    // Relaxed: the thread waits on the semaphore and reads only the state that Ask stores later.
    atomic_store_explicit(&worker->state, pal_factorNone, memory_order_relaxed);
    return state;
}

void palFactorWorker_Archive(palFactorWorker* worker, palArchive* archive)
{
    const int64_t poll = 100000; // ns
    // Acquire: the factor was written before the state.
    unsigned state = atomic_load_explicit(&worker->state, memory_order_acquire);
    while (state == pal_factorUnderWay)
    {
        palClock_SleepUntil(palClock_Now() + poll);
        state = atomic_load_explicit(&worker->state, memory_order_acquire);
    }
    palBlockMatrix newest = worker->A;
    newest.blocks = worker->newestA;
    PAL_ARCHIVE_ARRAY(archive, newest.blocks, newest.blockCount);
    palCholesky_Archive(worker->newest, &newest, archive);
    PAL_ARCHIVE(archive, state);
    PAL_ARCHIVE(archive, worker->time);
    PAL_ARCHIVE(archive, worker->made);
    PAL_ARCHIVE(archive, worker->nextTime);
    PAL_ARCHIVE_ARRAY(archive, worker->A.blocks,
                      state != pal_factorNone ? worker->A.blockCount : 0);
    if (!archive->isRestoring)
        return;
    if (state != pal_factorNone)
        factorNext(worker);
    // Relaxed: the thread waits on the semaphore.
    atomic_store_explicit(&worker->state, state, memory_order_relaxed);
}
