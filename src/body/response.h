// SPDX-License-Identifier: Apache-2.0
// How a soft body answers forces near a few of its nodes: its part of a small model for the high
// rate. Bodies that are tied to each other are modelled together, as an island (body/island.h).
//
// The columns of the reduction (body/reduction.h), for unit forces at the touched nodes: M⁻¹Jᵀ, x1,
// and of x2 one for each direction, A⁻¹ M Σ x1: the answers to neighbours differ near by. Measured
// against the full body stepped at 1 kHz, a 10 cm block of 2560 tets pressed by 10 mm, with
// snapshots every 33 ms that are 33 ms late (palpate bench feel): the impedance is within 3.8 % up
// to 20 Hz for 10 kPa and within 1.5 % for 50 kPa; an x2 of its own for every row, and an x3,
// change that by less than 0.1 %.
//
// LARGE BODIES (body/soft_factor.h). x1 and x2 are solved with the factor that stands in; the
// answer to the unbalanced force, which has to be right for the body to settle, with the present A.
// The x1 of nodes touched before are kept, turn with the nodes, and are renewed four nodes a step;
// those of nodes newly touched are made at once, so that a first touch is felt as later ones are:
// on a block of 20,480 tets that is touched at 0.1 m/s it differs from that with a factor a step by
// less than 1 % (palpate bench soft). So a step takes bounded work: with a point at most 28 solves
// side by side and 3 after them, in single precision like the factor, and one for each iteration.
#ifndef PAL_BODY_RESPONSE_H
#define PAL_BODY_RESPONSE_H

#include "body/reduction.h"
#include "body/tip.h"

enum
{
    pal_responseNodes = 12,    // touched nodes of an island, for each hand that is a point,
    pal_toolNodes = 20,        // and for each tool, or
    pal_toolNodesMax = 60,     // as many as it pushes: it touches with many points;
    pal_responseNodesMax = 60, // of all hands
    pal_responseUnitsMax = 3 * pal_responseNodesMax, // columns M⁻¹Jᵀ
    pal_responseDenseMax = pal_responseUnitsMax + 8, // the others
    pal_responseColumnsMax = pal_responseUnitsMax + pal_responseDenseMax,
    pal_answersAStep = 4, // nodes whose x1 is recomputed in one step of a large body
};

_Static_assert((int)pal_responseUnitsMax <= (int)pal_unitsMax, "a unit for every force");

/// The dense columns of V, one below the other. The answers x1 follow, three a node.
enum
{
    pal_velocityColumn = 0,
    pal_translationColumn, // of the velocity, as a whole
    pal_rotationColumn,    // likewise
    pal_freeNextColumn,
    pal_meansColumn,
    pal_freeColumn = pal_meansColumn + 3,
    pal_answersColumn,
};

/// An answer x1 that is kept, three columns.
typedef struct palAnswer
{
    int node;
    double radius;   // m, of the circle around it; 0: the node alone
    uint64_t factor; // with which factor it was made
} palAnswer;

typedef struct palResponse
{
    palReducibleSoft soft;  // owned: with the factor of A(h*)
    palReducedBody columns; // owned: its rows of the island's dense columns
    const palTipDots* tip;  // borrowed: of this step; NULL: forces act at nodes alone
    int nodes;              // touched nodes, at most
    double* kept;           // owned, [answers][3][3 freeCount]: x1 of length 1 in M, in the nodes'
                            // own frames; NULL where answers are made in every step
    palAnswer answers[pal_responseNodesMax]; // [answerCount]: of this body
    int answerCount;
} palResponse;

/// def->h is set to h*. `nodes`: touched nodes, at most. `isTied`: rows may tie it to other bodies.
palResult palResponse_Create(const palSoftFactorDef* def, palSoftBody* body, int nodes, bool isTied,
                             palResponse** response, palError* error);
void palResponse_Destroy(palResponse* response);

/// With the first `columns` of its columns; of a large body with all, also those that a later step
/// may take as they are.
void palResponse_Archive(palResponse* response, int columns, palArchive* archive);

// Its part in the making of an island's columns.

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
int palResponse_ChooseAnswers(palResponse* response, const int* touched, const double* radii,
                              int touchedCount, int* chosen);

/// Unit forces at the nodes of the chosen answers, or within circles around them, from right-hand
/// side `first` on.
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
