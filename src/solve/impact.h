// SPDX-License-Identifier: Apache-2.0
// Impulses of rigid bodies that collide at several contacts at once, without friction
// (Constantinescu, Salcudean and Croft 2004, section 4).
//
//     M v⁺ = M v₀ + Jᵀ p                      (9)   p: impulses along the normals, N·s
//     J v⁺ = -e J v₀                          (12)  Newton's law, of velocities at the contacts
//     p    = -(1 + e) (J M⁻¹ Jᵀ)⁺ J v₀        (13), (14), where M is printed for M⁻¹
//     v⁺   = v₀ + M⁻¹ Jᵀ p                    (15), (20), where M⁻¹ Jᵀ is missing in print
//
// (11) asks each body alone for restitution, which two moving bodies cannot both have; (10) and
// (12) ask it of their relative velocity and are used here. (19), v⁺ = -v₀, holds only where the
// contacts leave no motion free.
//
// With B = J M^-½ = L V, V orthonormal (row_basis.h), and w = M^½ v the bodies are moved by the
// projector on the row space of B, not by p:
//
//     w⁺ = w - (1 + e) Vᵀ V w
//
// Kinetic energy is ½ |w|², so that it never grows and for e = 1 is kept to rounding, also where
// contacts are so close to each other that p is 10¹⁰ N·s and energy by way of p is off by 10⁻⁷.
//
// Two forms:
//
//   paper   every contact of the set goes back with -e, those that a push of others would move as
//           well: most groups then contain impulses that pull. They are kept, and counted.
//   push    Newton's law for contacts that only push,
//               0 <= p  ⊥  J v⁺ + e J v₀ >= 0
//           which is the minimum of ½ |Bᵀ p + (1 + e) w|² over p >= 0, found by an active-set
//           method (Lawson and Hanson). The energy changes by -½ (1-e)/(1+e) |Bᵀ p|².
//
// Contacts that recede do not take part. Those that approach after the others were resolved do in a
// further round, from the velocities that it starts with. The last round has e = 0 and in the push
// form all contacts, so that none approaches after it.
//
// With a different e at each contact (12) can make energy grow. All impulses of a round are then
// scaled by the largest share <= 1 at which it does not. Contacts that only push need it where some
// of them recede, and since those take part with the largest e of the set it is at least one half.
//
// Real-time: bounded, no allocation or I/O; deterministic.
#ifndef PAL_SOLVE_IMPACT_H
#define PAL_SOLVE_IMPACT_H

#include "solve/sparse.h"

typedef enum palImpactForm
{
    pal_impactPush,
    pal_impactPaper,
} palImpactForm;

typedef struct palImpactSettings
{
    palImpactForm form;
    bool isInTurn;        // only what approaches takes part, round by round
    double recedingSpeed; // m/s: contacts that recede faster do not take part
    double approachSpeed; // m/s: a round is made while a contact approaches faster
    int rounds;           // at most, >= 1
} palImpactSettings;

static inline palImpactSettings palDefaultImpactSettings(void)
{
    return (palImpactSettings){
        .recedingSpeed = 0.005,
        .approachSpeed = 1e-6,
        .rounds = 32,
    };
}

/// The contacts of a group. Rows of J are along unit normals, the first body is pushed along them.
typedef struct palImpactProblem
{
    int bodyCount;
    const palInverseMass* bodies; // borrowed, [bodyCount]; zeros of what an impulse does not move
    int rows;
    const palPairRow* J;       // borrowed, [rows]
    const int (*ends)[2];      // borrowed, [rows]: bodies; -1: what no impulse moves
    const double* restitution; // e, borrowed, [rows], 0..1
    const double* given; // borrowed, [rows], m/s: part of J v of ends -1 that move; NULL: none
} palImpactProblem;

typedef struct palImpactInfo
{
    int rounds;
    int contacts;        // most in one round
    int rank;            // of that round
    int pulling;         // impulses < 0 of all rounds, form paper
    double share;        // smallest θ of all rounds
    double energyBefore; // J, of the bodies that an impulse moves
    double energyAfter;
    double approach; // m/s, the fastest that is left
    bool isComplete; // no active set was cut off by its bound
} palImpactInfo;

typedef struct palImpactWorkspace palImpactWorkspace;

palResult palImpactWorkspace_Create(int bodiesMax, int rowsMax, palImpactWorkspace** workspace,
                                    palError* error);
void palImpactWorkspace_Destroy(palImpactWorkspace* workspace);

/// Changes the velocities of the bodies, [bodyCount]. p, [rows], receives the impulses of all
/// rounds, N·s, and momentum, [bodyCount], by how much momentum and angular momentum of each body
/// change: what the hand is given follows from it, since p may be large where it does nothing.
/// Nothing changes, and rounds is 0, where nothing approaches, where values are not finite, or
/// where the problem is larger than the workspace.
void palImpactProblem_Resolve(const palImpactProblem* problem, const palImpactSettings* settings,
                              palImpactWorkspace* workspace, palTwist* velocities, double* p,
                              palWrench* momentum, palImpactInfo* info);

#endif
