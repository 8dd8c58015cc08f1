// SPDX-License-Identifier: Apache-2.0
// What bounces. A step has closed the contacts that form and moved the bodies there; now those that
// came faster than a least speed go back with e times it, at the poses at the end of the step:
//
//     u⁺ = u + M⁻¹ Jᵀ p,   0 <= p ⊥ J u⁺ - e |came| >= 0
//
// Several contacts at once, and bodies that turned meanwhile, could so get more energy than they
// had at the start of the step. What touches each other therefore takes only as much of p as leaves
// it no more than that.
#include "world/pile.h"

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
            makeRow(pile, contact, pile->pairOf[i], reboundOf(pile, contact, pile->pairOf[i]));
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
