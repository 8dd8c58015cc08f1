// SPDX-License-Identifier: Apache-2.0
// The mixed problem of one step: the rows of all links, with what every body adds to them.
//
//     δ = δ_free + W λ,   W = Σ over the bodies h² J A⁻¹ Jᵀ
//
// Both rates build it the same way: Begin; Add the links, which puts in what does not move, and the
// contacts that rigid bodies have among themselves; add every body that moves, after its free
// motion (palRows_AddWires for wires that are stepped here; reduced bodies add their modes);
// AddRotations; take rows into the problem and add the compliance of every body; Solve; and give λ
// to the bodies.
//
// Either all rows are taken (palRows_TakeAll), or those of joints, of contacts that pushed in the
// last step, and of contacts that close under the λ of that. W then has the size of what is active
// and not of what is near. The solution has λ = 0 for a contact that is left out, and so has that
// of the whole problem, if its δ under the forces found is not negative. Those that they close are
// taken as well, and the larger problem is solved from the λ found:
//
//     TakeActive;  FindMotion, of other bodies into `motion`;  TakeClosed
//     do
//         ClearCompliance;  AddCompliance, of other bodies into W;  Solve;
//         FindMotion, of other bodies into `motion`
//     while (TakeClosed)
//
// It ends, since after `pal_rowsRounds` times all rows are taken.
//
// Rows, links and all arrays have the capacities that Create was given.
#ifndef PAL_CONSTRAINT_ROWS_H
#define PAL_CONSTRAINT_ROWS_H

#include "body/tool.h"
#include "body/wire.h"
#include "constraint/link.h"

/// m: rounding error of a gap, a difference of positions up to some ten metres from the origin. A
/// residual below it is not significant, however small all gaps of a step are.
#define PAL_GAP_ROUNDING 1e-14

enum
{
    pal_rowsRounds = 5, // times that closed contacts are taken in a step before all rows are
};

typedef struct palRows
{
    int rowCapacity;
    int linkCapacity;
    int linkCount;
    const palLink** links;      // owned, [linkCapacity]; the links borrowed until λ is given
    int* first;                 // owned, [linkCapacity]: row of each
    palQuat (*orientations)[2]; // owned, [linkCapacity]: welds: of the frames of both ends
    bool* failed;               // owned, [linkCapacity]: an end is on a wire that failed
    int count;                  // rows
    bool* sliding;              // owned, [rowCapacity]: of motion within the step, not of position
    double* gap;                // owned, [rowCapacity]: δ_free, m or rad
    double recovery;            // m: wires and soft bodies that were found deeper than this are
                                // pushed out by at most this in one step, so that the force does
                                // not jump
    bool* deep;                 // owned, [rowCapacity]: normal rows of such contacts
    double* present;            // owned, [rowCapacity]: their δ at the start of the step, m; each
                                // body that is added adds to it
    double* softness;           // owned, [rowCapacity]: compliance of the rows' own, m/N
    double* lambda;             // owned, [rowCapacity]: N or N·m; the guess before Solve
    palContactBlock* blocks;    // owned, [2 linkCapacity]
    int blockCount;

    // What is taken of them. With all rows, these are the rows of the problem and its blocks.
    int takenCount;
    int* taken;               // owned, [takenCount], ascending: row of each row of the problem
    int* takenAs;             // owned, [rowCapacity]: row of the problem; -1: it is left out
    int stride;               // of W: takenCount rounded up
    double* W;                // owned, [takenCount][stride]: m/N
    int round;                // how often rows were taken in this step
    bool isPart;              // rows are left out: of the problem as it is solved
    double* gapOf;            // owned, [takenCount]: δ_free
    double* lambdaOf;         // owned, [takenCount]: λ
    palContactBlock* blockOf; // owned, [2 linkCapacity]
    int blockOfCount;
    double* motion; // owned, [rowCapacity]: of rows that are left out: W λ, m

    // Rows on the wires of this rate: a link has one for each end on a wire. Owned, [2
    // rowCapacity].
    int wireRowCount;
    palBeamRow* wireRows;
    int* wireOf;            // index among the stepped wires
    int* rowOf;             // row of the problem
    double* signOf;         // + for end 0, - for end 1
    double* wireFree;       // m or rad: their free motion
    double* wireGiven;      // λ, with the sign, that the wires have by now
    palBeamRow* wireTaken;  // workspace: the rows of one wire that are taken, ...
    int* wireTakenOf;       // ... and which of wireRows they are
    double* wireLambda;     // workspace
    double* wireCompliance; // owned, [2 rowCapacity]²: of one wire's rows, m/N

    // Rows on the tools and other rigid bodies of this rate, likewise.
    int toolRowCount;
    palWrench* toolRows;  // with the sign of the end
    palTwist* toolTwists; // h² A⁻¹ of each
    int* toolRowOf;
    int* toolOf;     // id of the body
    int* toolColumn; // workspace: row of the problem of each
    // What AddPair was given, of either body: it comes to these rows with its body.
    int pairRowCount;
    palWrench* pairRows;
    int* pairRowOf;
    int* pairOf;

    palSolveSettings settings;    // of Solve
    palSolveWorkspace* workspace; // owned
    palSolveInfo info;            // of the last Solve
} palRows;

palResult palRows_Create(int rowCapacity, palRows** rows, palError* error);

/// What rows are made for.
typedef struct palRowsDef
{
    int rowCapacity;
    bool withWires;  // AddWires and MoveWires may be called
    bool hasTool;    // AddTool and MoveTool may be called
    bool withSolver; // Solve may be called
} palRowsDef;

/// Rows that need less memory than palRows_Create takes for all.
palResult palRows_CreateFor(const palRowsDef* def, palRows** rows, palError* error);
void palRows_Destroy(palRows* rows);

/// λ, from which the next problem starts.
void palRows_Archive(palRows* rows, palArchive* archive);

/// Empties the problem.
void palRows_Begin(palRows* rows);
/// Adds a link, with what its fixed ends contribute; `stop` as palLink_Blocks takes it. Returns
/// false where there is no room. λ of its rows is left as it was.
bool palRows_Add(palRows* rows, const palLink* link, int stop);
enum
{
    pal_pairBlockRows = 6,
};

/// A contact or joint of two rigid bodies of this rate that is no link: of a pile (world/pile.h).
typedef struct palPairBlock
{
    palContactBlock block;              // `row` is filled in
    int bodies[2];                      // ids; -1: no force moves it
    palWrench J[pal_pairBlockRows][2];  // [block.size]: on either body
    double gapFree[pal_pairBlockRows];  // m or rad, with the free motion of both
    double softness[pal_pairBlockRows]; // m/N, 1/(N·m)
    double lambda[pal_pairBlockRows];   // N, N·m, the guess
} palPairBlock;

/// Adds them, after the links. Returns their first row; -1 where there is no room.
int palRows_AddPair(palRows* rows, const palPairBlock* pair);
/// Adds the wires of this rate: δ_free from their free motion. The links of a wire that failed hold
/// nothing.
void palRows_AddWires(palRows* rows, const palSteppedWire* wires, int wireCount);
/// Adds a tool, or another rigid body, of this rate, after its free motion.
void palRows_AddTool(palRows* rows, const palSteppedTool* tool);
/// After all bodies: the rotation rows of welds.
void palRows_AddRotations(palRows* rows);

/// After the last link and pair: takes all rows, and no body has added anything to W.
void palRows_TakeAll(palRows* rows);
/// After δ_free of all bodies: takes joints, and contacts that pushed.
void palRows_TakeActive(palRows* rows);
/// No body has added anything to W of the rows that are taken.
void palRows_ClearCompliance(palRows* rows);
/// The compliance of the wires and the rigid bodies of this rate, which have been added.
void palRows_AddCompliance(palRows* rows, palSteppedWire* wires, int wireCount);

/// The problem as it was solved, to be stored, and its λ.
palContactProblem palRows_Problem(const palRows* rows);
const double* palRows_ProblemLambda(const palRows* rows);
/// Finds λ, from the present one.
void palRows_Solve(palRows* rows);
/// δ of a row that is taken, m.
double palRows_Gap(const palRows* rows, int row);

/// Adds a contact that a first solution has shown, after the last TakeClosed: of wires and rigid
/// bodies of this rate, NULL where it has none. What was solved stands as the guess. Returns false
/// where there is no room.
bool palRows_AddMissed(palRows* rows, const palLink* link, const palSteppedWire* wires,
                       int wireCount, const palSteppedTool* tool);
/// Gives λ to the wires.
void palRows_CorrectWires(palRows* rows, palSteppedWire* wires, int wireCount);
/// Gives λ to the wires, and finds the motion under it of the rows that are left out: that of wires
/// and rigid bodies of this rate.
void palRows_FindMotion(palRows* rows, palSteppedWire* wires, int wireCount);
/// Takes those of them that λ closes as well. Returns false where there are none: what was solved
/// has the λ of the problem with all rows.
bool palRows_TakeClosed(palRows* rows);

/// The motion of the wires under λ.
void palRows_MoveWires(palRows* rows, palSteppedWire* wires, int wireCount);
/// Jᵀ λ on the rigid body with that id.
palWrench palRows_ToolWrench(const palRows* rows, int tool);
/// The motion of a tool under λ.
void palRows_MoveTool(const palRows* rows, palSteppedTool* tool);

#endif
