// SPDX-License-Identifier: Apache-2.0
// What bounces. A step has closed the contacts that form and moved the bodies there; now those that
// came faster than a least speed go back with e times it, at the poses at the end of the step:
//
//     u⁺ = u + M⁻¹ Jᵀ p,   0 <= p ⊥ J u⁺ - v >= 0
//
// What touches is hit by what it touches, not by all at once: v is the speed with which a contact
// parts after the collisions of the step, one after another, each with e times the speed with which
// its contacts approach then (solve/impact.h). It is e |came| where nothing else touches. So the
// last ball of a row goes off when the first one is hit. Where more contacts push than are resolved
// so, all go back with e |came| at once.
//
// Several contacts at once, and bodies that turned meanwhile, could so get more energy than they
// had at the start of the step. What touches each other therefore takes only as much of p as leaves
// it no more than that.
#include "base/error.h"
#include "solve/impact.h"
#include "world/pile.h"

#include <stdlib.h>

enum
{
    impactRowsMax = 64, // contacts that push, whose collisions are resolved one after another
    impactRounds = 12,
};

struct palPileImpact
{
    palImpactWorkspace* workspace; // owned
    palTwist* velocities;          // owned, [bodies]
    palWrench* momentum;           // owned, [bodies]
    palPairRow J[impactRowsMax];
    int ends[impactRowsMax][2];
    double restitution[impactRowsMax], given[impactRowsMax], p[impactRowsMax];
};

palResult palPile_InitRebound(palPile* pile, palError* error)
{
    size_t bodies = (size_t)pile->bodyCount + 1;
    palPileImpact* impact = pile->impact = calloc(1, sizeof *impact);
    if (impact == NULL)
        return palError_Memory(error, "collisions", sizeof *impact);
    impact->velocities = calloc(bodies, sizeof *impact->velocities);
    impact->momentum = calloc(bodies, sizeof *impact->momentum);
    if (impact->velocities == NULL || impact->momentum == NULL)
        return palError_Memory(error, "collisions", bodies * sizeof *impact->momentum);
    return palImpactWorkspace_Create(pile->bodyCount, impactRowsMax, &impact->workspace, error);
}

void palPile_FreeRebound(palPile* pile)
{
    if (pile->impact == NULL)
        return;
    palImpactWorkspace_Destroy(pile->impact->workspace);
    free(pile->impact->velocities);
    free(pile->impact->momentum);
    free(pile->impact);
}

// Where a point of a body is at the end of the step.
static palVec3 carry(const palPileBody* body, palVec3 point)
{
    if (body->index < 0 && !body->isMoving)
        return point;
    const palPose end = {body->state.x, body->state.q};
    return palPose_Point(end, palPose_Local(body->start, point));
}

// The row of a contact at the end of the step. It takes the place of one that is done with.
static void makeRow(palPile* pile, const palPileContact* contact, palPilePair* pair, double target)
{
    const palPileBody* a = &pile->bodies[pile->items[pair->items[0]].body];
    const palPileBody* b = &pile->bodies[pile->items[pair->items[1]].body];
    palVec3 n = contact->axes[0];
    palVec3 onA = carry(a, palMulAdd(contact->point, 0.5 * contact->gap, n));
    palVec3 onB = carry(b, palMulAdd(contact->point, -0.5 * contact->gap, n));
    const palPairRow J = palPile_ContactRow(a, b, palLerp(onA, onB, 0.5), n);
    int row = pile->rowCount++;
    pile->J[row] = J;
    pile->gapFree[row] = pile->h * (palPile_Rate(&J, a, b, false) - target);
    pile->softness[row] = pile->lambda[row] = 0.0;
    pile->ends[row][0] = a->index;
    pile->ends[row][1] = b->index;
    pile->pairOf[row] = pair;
    pile->blocks[row] = (palContactBlock){.law = pal_lawUnilateral, .row = row, .size = 1};
}

// The speed with which a contact goes back; 0 where it does not bounce, as off what a caller moves.
static double reboundOf(const palPile* pile, const palPileContact* contact, const palPilePair* pair)
{
    const palPileBody* a = &pile->bodies[pile->items[pair->items[0]].body];
    const palPileBody* b = &pile->bodies[pile->items[pair->items[1]].body];
    double came = -palPile_Rate(&pile->J[contact->row], a, b, true);
    if (a->isHeld || b->isHeld)
        return 0.0;
    return came > pile->def.restitutionSpeed ? pair->material.restitution * came : 0.0;
}

static bool isAnyRebound(const palPile* pile)
{
    for (int i = 0; i < pile->blockCount; i++)
    {
        const palPileContact* contact = pile->contactOf[i];
        if (contact != NULL && contact->lambda[0] > 0.0 &&
            reboundOf(pile, contact, pile->pairOf[i]) > 0.0)
            return true;
    }
    return false;
}

// The contact of a block that pushes; none of a held body, off which nothing bounces.
static const palPileContact* collisionOf(const palPile* pile, int block)
{
    const palPileContact* contact = pile->contactOf[block];
    if (contact == NULL || !(contact->lambda[0] > 0.0))
        return NULL;
    const int* items = pile->pairOf[block]->items;
    bool isHeld = pile->bodies[pile->items[items[0]].body].isHeld ||
                  pile->bodies[pile->items[items[1]].body].isHeld;
    return isHeld ? NULL : contact;
}

// A contact that may collide, with what bodies that no force moves give to its speed.
static void addCollision(const palPile* pile, int block, const palPileContact* contact, int row)
{
    palPileImpact* impact = pile->impact;
    impact->J[row] = pile->J[contact->row];
    impact->restitution[row] = pile->pairOf[block]->material.restitution;
    impact->given[row] = 0.0;
    for (int k = 0; k < 2; k++)
    {
        const palPileBody* body = &pile->bodies[pile->items[pile->pairOf[block]->items[k]].body];
        impact->ends[row][k] = body->index;
        if (body->index < 0)
            impact->given[row] += palRowDot(impact->J[row].wrench[k], body->before);
    }
}

static double speedAfter(const palPileImpact* impact, int row)
{
    double speed = impact->given[row];
    for (int k = 0; k < 2; k++)
        if (impact->ends[row][k] >= 0)
            speed += palRowDot(impact->J[row].wrench[k], impact->velocities[impact->ends[row][k]]);
    return speed;
}

// The speed with which each contact that pushes parts, in the place of the λ of its row, which is
// kept already. In rows as at the start of the step.
static void findSpeeds(palPile* pile)
{
    palPileImpact* impact = pile->impact;
    const palPileContact* contact;
    int count = 0;
    for (int i = 0; i < pile->blockCount; i++)
    {
        if (pile->contactOf[i] != NULL)
            pile->lambda[pile->contactOf[i]->row] =
                reboundOf(pile, pile->contactOf[i], pile->pairOf[i]);
        if ((contact = collisionOf(pile, i)) != NULL && ++count <= impactRowsMax)
            addCollision(pile, i, contact, count - 1);
    }
    if (count < 2 || count > impactRowsMax)
        return;
    for (int i = 0; i < pile->movingCount; i++)
        impact->velocities[i] = pile->bodies[pile->moving[i]].before;
    const palImpactProblem problem = {
        .bodyCount = pile->movingCount,
        .bodies = pile->inverses,
        .rows = count,
        .J = impact->J,
        .ends = (const int(*)[2])impact->ends,
        .restitution = impact->restitution,
        .given = impact->given,
    };
    palImpactSettings settings = palDefaultImpactSettings();
    settings.isInTurn = true;
    settings.approachSpeed = pile->def.restitutionSpeed;
    settings.rounds = impactRounds;
    palImpactInfo info;
    palImpactProblem_Resolve(&problem, &settings, impact->workspace, impact->velocities, impact->p,
                             impact->momentum, &info);
    count = 0;
    for (int i = 0; i < pile->blockCount && info.rounds > 0; i++)
        if ((contact = collisionOf(pile, i)) != NULL)
            pile->lambda[contact->row] = fmax(speedAfter(impact, count++), 0.0);
}

// Velocities and inertia at the end of the step.
static void takeEnd(palPile* pile)
{
    for (int i = 0; i < pile->movingCount; i++)
    {
        palPileBody* body = &pile->bodies[pile->moving[i]];
        body->u = (palTwist){body->state.v, palInertia_Omega(&body->inertia, &body->state)};
        pile->inverses[i].inertia = palTurnedMat3(body->state.q, body->inertia.inverse);
    }
}

// Makes rows of the contacts that push: those that came fast go back, and none of the others is
// pressed on.
static void makeRows(palPile* pile)
{
    const int blocks = pile->blockCount;
    pile->rowCount = 0;
    for (int i = 0; i < blocks; i++)
    {
        const palPileContact* contact = pile->contactOf[i];
        if (contact != NULL && contact->lambda[0] > 0.0)
            makeRow(pile, contact, pile->pairOf[i], pile->lambda[contact->row]);
    }
    pile->blockCount = pile->rowCount;
}

static double energyOf(const palPileBody* body, palTwist u, palMat3 inertia)
{
    return 0.5 * body->inertia.mass * palLengthSquared(u.v) +
           0.5 * palDot(u.omega, palMat3Apply(inertia, u.omega));
}

// The share of the change of velocity that leaves an island no more energy than it had at the start
// of the step: E + b s + c s² <= E₀.
static double shareOf(const palPile* pile, int island)
{
    const palContactIslands* islands = &pile->islands;
    double before = 0.0, now = 0.0, b = 0.0, c = 0.0;
    for (int i = islands->bodyStart[island]; i < islands->bodyStart[island + 1]; i++)
    {
        const palPileBody* body = &pile->bodies[pile->moving[islands->bodies[i]]];
        palMat3 inertia = palTurnedMat3(body->state.q, body->inertia.inertia);
        palTwist d = pile->displacements[islands->bodies[i]];
        palTwist change = {palScale(1.0 / pile->h, d.v), palScale(1.0 / pile->h, d.omega)};
        before += energyOf(body, body->before, body->worldInertia);
        now += energyOf(body, body->u, inertia);
        b += body->inertia.mass * palDot(body->u.v, change.v) + palDot(body->state.L, change.omega);
        c += energyOf(body, change, inertia);
    }
    double room = fmax(before - now, 0.0);
    return c > 0.0 ? fmin((-b + sqrt(b * b + 4.0 * c * room)) / (2.0 * c), 1.0) : 1.0;
}

// What a body that moves by itself hits gets energy from it.
static bool isDriven(const palPile* pile, int island)
{
    const palContactIslands* islands = &pile->islands;
    for (int i = islands->blockStart[island]; i < islands->blockStart[island + 1]; i++)
    {
        const int* items = pile->pairOf[islands->blocks[i]]->items;
        if (pile->bodies[pile->items[items[0]].body].isMoving ||
            pile->bodies[pile->items[items[1]].body].isMoving)
            return true;
    }
    return false;
}

static void apply(palPile* pile, int island)
{
    const palContactIslands* islands = &pile->islands;
    double share = isDriven(pile, island) ? 1.0 : shareOf(pile, island);
    for (int i = islands->bodyStart[island]; i < islands->bodyStart[island + 1]; i++)
    {
        palPileBody* body = &pile->bodies[pile->moving[islands->bodies[i]]];
        palMat3 inertia = palTurnedMat3(body->state.q, body->inertia.inertia);
        palTwist change = pile->displacements[islands->bodies[i]];
        body->state.v = palMulAdd(body->state.v, share / pile->h, change.v);
        body->state.L =
            palMulAdd(body->state.L, share / pile->h, palMat3Apply(inertia, change.omega));
    }
}

void palPile_Rebound(palPile* pile)
{
    pile->hasRebounded = isAnyRebound(pile);
    if (!pile->hasRebounded)
        return;
    findSpeeds(pile);
    takeEnd(pile);
    makeRows(pile);
    const palSparseProblem problem = palPile_Problem(pile);
    const palSolveSettings settings = palPile_SolveSettings(pile);
    palSolveInfo info;
    palSparseProblem_Solve(&problem, &settings, pile->workspace, pile->lambda, pile->displacements,
                           &info);
    int count = palContactIslands_Find(&pile->islands, pile->movingCount, pile->isFixed,
                                       pile->blockCount, (const int(*)[2])pile->ends);
    for (int i = 0; i < count; i++)
        apply(pile, i);
}
