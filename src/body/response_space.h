// SPDX-License-Identifier: Apache-2.0
// One body's part in the making of an island's columns: its answers and its free motion.
#ifndef PAL_BODY_RESPONSE_SPACE_H
#define PAL_BODY_RESPONSE_SPACE_H

#include "body/response.h"

// h*, s: the time scale at which the space is built. Between the periods that a hand feels (20 Hz)
// and rest; the accuracy varies little from 10 to 33 ms.
static const double pal_responseStep = 0.02;

enum
{
    pal_answersAStep = 4, // nodes whose x1 is made anew in a step of a large body
};

static inline size_t palResponse_Rows(const palResponse* response)
{
    return 3 * (size_t)response->body->freeCount;
}

/// Whether another thread makes its factors.
static inline bool palResponse_IsLarge(const palResponse* response)
{
    return palSoftFactor_IsLarge(response->factor);
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

/// x = A⁻¹ b for `count` vectors side by side; x replaces b.
static inline void palResponse_Solve(palResponse* response, double* b, int count)
{
    palSoftFactor_Solve(response->factor, count, b, b);
}

/// y = M x
static inline void palResponse_MassTimes(const palResponse* response, const double* x, double* y)
{
    for (int i = 0; i < response->body->freeCount; i++)
        for (int c = 0; c < 3; c++)
            y[3 * i + c] = response->mass[i] * x[3 * i + c];
}

/// Which answers to make now for the touched nodes; all of a body that has a factor a step. Returns
/// their number.
int palResponse_ChooseAnswers(palResponse* response, const int* touched, int touchedCount,
                              int* chosen);

/// Unit forces at the nodes of the chosen answers, from right-hand side `first` on.
void palResponse_SetUnitForces(palResponse* response, int first, const int* chosen, int count);

/// Of a large body: keeps the answers that were just made, from right-hand side `first` on, of
/// length 1 in M and in the nodes' own frames.
void palResponse_KeepAnswers(palResponse* response, int first, const int* chosen, int count);
/// A kept answer (three times its place, and the axis) as the body is turned now.
void palResponse_KeptAnswer(const palResponse* response, int index, double* x);

/// What A⁻¹ is applied to for the body's own motion: the forces that nothing balances. `contact`
/// may be NULL.
void palResponse_SetUnbalanced(const palResponse* response, const double* contact, double* b);

/// A⁻¹ of that for a large body, with the present A, into right-hand side 0. Returns false where the
/// state is not finite.
bool palResponse_SolveFree(palResponse* response, const double* contact);

#endif
