// SPDX-License-Identifier: Apache-2.0
// Factorisation in a background thread, for matrices too large to be factored in every step.
//
// The caller requests the factor of the current matrix, continues with the last finished factor,
// and takes the new one when it is ready:
//
//     if (palFactorWorker_Take(w) != pal_factorUnderWay)   does not wait
//         palFactorWorker_Ask(w, &A, now);                 copies A and wakes the thread
//     palCholesky_Solve(w->newest, b, x);                  factor of an earlier A: preconditioner
//
// Two factors are enough: `next` belongs to the thread from Ask until `state` changes to Made or
// Failed, and to the caller otherwise; Take exchanges the two. Neither side ever waits for the
// other, except that Destroy joins the thread. There is one calling thread.
//
// palFactorWorker_Make does the same in the calling thread, for runs in virtual time.
#ifndef PAL_LINALG_FACTOR_WORKER_H
#define PAL_LINALG_FACTOR_WORKER_H

#include "linalg/cholesky.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/// The state of the last request.
typedef enum palFactorState
{
    pal_factorNone,     // no request, or its result was taken
    pal_factorUnderWay, // the thread is factoring
    pal_factorMade,     // `next` is ready
    pal_factorFailed,   // the matrix is not positive definite
} palFactorState;

typedef struct palFactorWorker
{
    palCholesky* newest; // owned: the last finished factor; used by the caller only
    palMat3* newestA;    // owned: the blocks of its matrix
    double time;         // s: time stamp of the matrix of `newest`
    double seconds;      // duration of the last factorisation; valid after Take
    uint64_t made;       // factors taken so far

    // Used by the thread while state is UnderWay.
    palCholesky* next;      // owned
    palBlockMatrix A;       // owned: a copy of the requested matrix
    double nextTime;        // s
    double nextSeconds;     //
    _Atomic unsigned state; // palFactorState

    sem_t wake;
    pthread_t thread;
    _Atomic bool quit;
    bool hasThread;
} palFactorWorker;

/// Takes a factor of the pattern of A over, also on failure, and starts the thread, which waits for
/// requests. There is no factor yet: newest->isFactored is false.
palResult palFactorWorker_Create(palCholesky* cholesky, const palBlockMatrix* A,
                                 palFactorWorker** worker, palError* error);
void palFactorWorker_Destroy(palFactorWorker* worker);

/// Requests the factor of A, which has the pattern given to Create; `time` is stored with it. Must
/// not be called while a request is under way or its result has not been taken.
void palFactorWorker_Ask(palFactorWorker* worker, const palBlockMatrix* A, double time);
/// The same, computed immediately in the calling thread.
void palFactorWorker_Make(palFactorWorker* worker, const palBlockMatrix* A, double time);

/// Makes a finished factor the newest. Returns the state found; with UnderWay or Failed the newest
/// factor is unchanged.
palFactorState palFactorWorker_Take(palFactorWorker* worker);

/// Waits for a request under way. The factors are made anew from their matrices.
void palFactorWorker_Archive(palFactorWorker* worker, palArchive* archive);

#endif
