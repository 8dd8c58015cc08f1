// SPDX-License-Identifier: Apache-2.0
// The space in which a response answers: the parts of response.h that fill it.
#ifndef PAL_BODY_RESPONSE_SPACE_H
#define PAL_BODY_RESPONSE_SPACE_H

#include "body/response.h"

// h*, s: the time scale at which the space is built. Between the periods that a hand feels (20 Hz)
// and rest; the accuracy varies little from 10 to 33 ms.
static const double pal_responseStep = 0.02;

static inline size_t palResponse_Rows(const palResponse* response)
{
    return 3 * (size_t)response->body->freeCount;
}

/// Whether another thread makes its factors.
static inline bool palResponse_IsLarge(const palResponse* response)
{
    return response->worker != NULL;
}

/// A dense column of V, and a right-hand side.
static inline double* palResponse_Column(const palResponse* response, int index)
{
    return response->V + (size_t)index * palResponse_Rows(response);
}

static inline double* palResponse_Right(const palResponse* response, int index)
{
    return response->b + (size_t)index * palResponse_Rows(response);
}

/// y = M x
static inline void palResponse_MassTimes(const palResponse* response, const double* x, double* y)
{
    for (int i = 0; i < response->body->freeCount; i++)
        for (int c = 0; c < 3; c++)
            y[3 * i + c] = response->mass[i] * x[3 * i + c];
}

/// Linearises the body and sees to a factor. Returns false where there is none.
bool palResponse_Prepare(palResponse* response);

/// Linearises again, with the safe tangent, in this step and those to come: for a large body whose
/// A turns out not to be definite, as a factor a step would have found out when it failed.
void palResponse_TakeSafeTangent(palResponse* response);

/// Fills the columns of V for forces at `nodes`. Returns false where the state is not finite.
bool palResponse_CollectColumns(palResponse* response, const int* nodes, int nodeCount,
                                const double* contact);

#endif
