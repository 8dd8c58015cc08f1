// SPDX-License-Identifier: Apache-2.0
// Factors made by another thread, for matrices too large for a factor a step.
//
// The caller asks for the factor of the matrix that it has now, goes on with the last finished one,
// and takes the new one when it is done:
//
//     if (palFactorWorker_Take(w) != pal_factorUnderWay)      no wait: done or not
//         palFactorWorker_Ask(w, &A, now);                    copies A and wakes the thread
//     palCholesky_Solve(w->newest, b, x);                     of an earlier A: a preconditioner
//
// Two factors are enough: `next` is the thread's from Ask until `state` says that it is done, and
// the caller's otherwise; Take exchanges the two. Neither side ever waits for the other, except
// that Destroy joins the thread. The caller is one thread.
//
// palFactorWorker_Make does the same in the caller's thread, for runs in virtual time.
#ifndef PAL_LINALG_FACTOR_WORKER_H
#define PAL_LINALG_FACTOR_WORKER_H

#include "linalg/cholesky.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/// What became of the last matrix that was asked for.
typedef enum palFactorState
{
    pal_factorNone,     // nothing was asked for, or it was taken
    pal_factorUnderWay, // the thread is at it
    pal_factorMade,     // `next` is ready
    pal_factorFailed,   // it is not positive definite
} palFactorState;

typedef struct palFactorWorker
{
    palCholesky* newest; // owned: the last finished factor; the caller's
    double time;         // s: of the matrix that it is the factor of
    double seconds;      // that the last factorisation took; to be read when it was taken
    uint64_t made;       // factors taken so far

    // The thread's while under way.
    palCholesky* next;      // owned
    palBlockMatrix A;       // owned: a copy of what was asked for
    double nextTime;        // s
    double nextSeconds;     //
    _Atomic unsigned state; // palFactorState

    sem_t wake;
    pthread_t thread;
    _Atomic bool quit;
    bool hasThread;
} palFactorWorker;

/// Analyses the pattern of A and starts the thread, which sleeps until it is asked. There is no
/// factor yet: newest->isFactored is false.
palResult palFactorWorker_Create(const palCholeskyDef* def, const palBlockMatrix* A,
                                 palFactorWorker** worker, palError* error);
void palFactorWorker_Destroy(palFactorWorker* worker);

/// Asks the thread for the factor of A, of the pattern of Create; `time` is the caller's stamp.
/// Not while one is under way or not taken.
void palFactorWorker_Ask(palFactorWorker* worker, const palBlockMatrix* A, double time);
/// The same, done at once in the calling thread.
void palFactorWorker_Make(palFactorWorker* worker, const palBlockMatrix* A, double time);

/// Makes a finished factor the newest. Returns what was there: UnderWay: not yet; Failed: the
/// newest stays as it is.
palFactorState palFactorWorker_Take(palFactorWorker* worker);

#endif
