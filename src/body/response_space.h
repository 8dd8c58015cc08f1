// SPDX-License-Identifier: Apache-2.0
// One body's part in the making of an island's columns: its answers and its free motion.
#ifndef PAL_BODY_RESPONSE_SPACE_H
#define PAL_BODY_RESPONSE_SPACE_H

#include "body/response.h"

enum
{
    pal_answersAStep = 4, // nodes whose x1 is made anew in a step of a large body
};

static inline size_t palResponse_Rows(const palResponse* response)
{
    return 3 * (size_t)response->soft.body->freeCount;
}

/// Whether another thread makes its factors.
static inline bool palResponse_IsLarge(const palResponse* response)
{
    return palSoftFactor_IsLarge(response->soft.factor);
}

/// A dense column of V, and a right-hand side.
static inline double* palResponse_Column(const palResponse* response, int index)
{
    return palReducedBody_Column(&response->columns, index);
}

static inline double* palResponse_Right(const palResponse* response, int index)
{
    return palReducedBody_Right(&response->columns, index);
}

/// x = A⁻¹ b for `count` vectors side by side; x replaces b.
static inline void palResponse_Solve(palResponse* response, double* b, int count)
{
    palSoftFactor_Solve(response->soft.factor, count, b, b);
}

/// y = M x
static inline void palResponse_MassTimes(const palResponse* response, const double* x, double* y)
{
    response->columns.ops.mass(&response->soft, 1, x, y);
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

/// A⁻¹ of that for a large body, with the present A, into right-hand side 0. Returns false where
/// the state is not finite.
bool palResponse_SolveFree(palResponse* response, const double* contact);

#endif
