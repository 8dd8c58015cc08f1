// SPDX-License-Identifier: Apache-2.0
// The rows of contacts and their solve.
#include "world/pile.h"

// m/s: how fast overlap is removed at most, so that bodies that were put into each other are not
// thrown apart.
static const double recoverySpeed = 1.0;
// A contact that closes faster than this, m/s, and had no more than this share of the impulse that
// stops it in the last step, forms, and is rigid.
static const double formingSpeed = 0.01;
static const double formingShare = 0.1;
// A contact that lasts is rigid as well if it would be pressed in faster than formingSpeed, because
// something hits what it holds, and deeper than this share of the thinner part; how often that is
// looked for in a step.
static const double pressedShare = 0.05;
static const int roundsMost = 4;
// Contacts and joints that are swept over in a step, if that gives small problems more sweeps, and
// the residual at which they end, relative to the largest gap and to how far bodies fall in a step.
static const double sweptBlocks = 4000;
static const double smallTolerance = 1e-6;
static const double fallTolerance = 3e-5;
// A contact slides where its friction is at its limit, up to what the solve leaves open.
static const double slidingShare = 0.999;

static palTwist velocityOf(const palPileBody* body, bool atStart)
{
    if (body->motion == pal_motionFixed || body->isAsleep)
        return (palTwist){0};
    return atStart ? body->before : body->u;
}

palTwist palPile_Velocity(const palPile* pile, int body)
{
    return body >= 0 ? velocityOf(&pile->bodies[body], false) : (palTwist){0};
}

// Written in place: the copy of a whole row would wait for its parts.
static void fillRow(palPairRow* row, palVec3 armA, palVec3 armB, palVec3 axis)
{
    palVec3 opposite = palNeg(axis);
    row->wrench[0].force = axis;
    row->wrench[0].torque = palCross(armA, axis);
    row->wrench[1].force = opposite;
    row->wrench[1].torque = palCross(armB, opposite);
}

palPairRow palPile_ContactRow(const palPileBody* a, const palPileBody* b, palVec3 point,
                              palVec3 axis)
{
    palPairRow row;
    fillRow(&row, palSub(point, a->state.x), palSub(point, b->state.x), axis);
    return row;
}

// The velocity of a point of a against the same point of b.
static palVec3 slidingVelocity(const palPileBody* a, const palPileBody* b, palVec3 point,
                               bool atStart)
{
    palTwist ofA = velocityOf(a, atStart), ofB = velocityOf(b, atStart);
    palVec3 onA = palAdd(ofA.v, palCross(ofA.omega, palSub(point, a->state.x)));
    palVec3 onB = palAdd(ofB.v, palCross(ofB.omega, palSub(point, b->state.x)));
    return palSub(onA, onB);
}

double palPile_Rate(const palPairRow* row, const palPileBody* a, const palPileBody* b, bool atStart)
{
    return palRowDot(row->wrench[0], velocityOf(a, atStart)) +
           palRowDot(row->wrench[1], velocityOf(b, atStart));
}

double palPile_Mobility(const palPile* pile, const palPairRow* row, const int bodies[2])
{
    double mobility = 0.0;
    for (int k = 0; k < 2; k++)
    {
        const palPileBody* body = bodies[k] >= 0 ? &pile->bodies[bodies[k]] : NULL;
        if (body == NULL || body->index < 0)
            continue;
        palWrench w = row->wrench[k];
        mobility += palLengthSquared(w.force) / body->inertia.mass +
                    palDot(w.torque, palMat3Apply(body->worldInverse, w.torque));
    }
    return mobility;
}

void palPile_ApplyLaw(const palContactMaterial* material, double m, double h, double* beta,
                      double* R)
{
    double k = material->stiffness, c = material->damping;
    *beta = 1.0;
    *R = 0.0;
    if (material->law == pal_contactRigid)
        return;
    if (material->law == pal_contactCompliant)
    {
        double omega = 6.283185307179586 * material->frequency;
        k = m * omega * omega;
        c = 2.0 * material->dampingRatio * m * omega;
    }
    *beta = h * k / (h * k + c);
    *R = h / (h * k + c);
}

void palPile_AddBlock(palPile* pile, palContactBlock block, const int bodies[2])
{
    int index = pile->blockCount++;
    block.row = pile->rowCount;
    pile->rowCount += block.size;
    pile->blocks[index] = block;
    for (int k = 0; k < 2; k++)
        pile->ends[index][k] = bodies[k] >= 0 ? pile->bodies[bodies[k]].index : -1;
    pile->contactOf[index] = NULL;
    pile->pairOf[index] = NULL;
}

static void addContact(palPile* pile, palPilePair* pair, palPileContact* contact)
{
    const double h = pile->h;
    const int bodies[2] = {pile->items[pair->items[0]].body, pile->items[pair->items[1]].body};
    const palPileBody *a = &pile->bodies[bodies[0]], *b = &pile->bodies[bodies[1]];
    const double mu = contact->isSliding ? pair->material.kineticFriction : pair->material.friction;
    const int size = mu > 0.0 ? 3 : 1, row = pile->rowCount;
    const palVec3 p = contact->point, v = slidingVelocity(a, b, p, false);
    const palVec3 armA = palSub(p, a->state.x), armB = palSub(p, b->state.x);
    contact->row = row;
    for (int k = 0; k < size; k++)
    {
        fillRow(&pile->J[row + k], armA, armB, contact->axes[k]);
        pile->gapFree[row + k] = h * palDot(contact->axes[k], v);
        pile->softness[row + k] = 0.0;
        pile->lambda[row + k] = contact->lambda[k];
    }
    if (contact->gap > 0.0)
    {
        pile->gapFree[row] += contact->gap;
    }
    else
    {
        double beta, m = 1.0 / palPile_Mobility(pile, &pile->J[row], bodies);
        palPile_ApplyLaw(&pair->material, m, h, &beta, &pile->softness[row]);
        pile->gapFree[row] += fmax(beta * contact->gap, -h * recoverySpeed);
        double came = -palDot(contact->axes[0], slidingVelocity(a, b, p, true));
        if (came > formingSpeed && h * contact->lambda[0] < formingShare * m * came)
            pile->softness[row] = 0.0;
    }
    const palContactBlock block = {
        .law = size == 3 ? pal_lawCone : pal_lawUnilateral,
        .size = size,
        .mu = mu,
    };
    palPile_AddBlock(pile, block, bodies);
    pile->contactOf[pile->blockCount - 1] = contact;
    pile->pairOf[pile->blockCount - 1] = pair;
}

static void listMoving(palPile* pile)
{
    pile->movingCount = 0;
    for (int i = 0; i < pile->awakeCount; i++)
    {
        palPileBody* body = &pile->bodies[pile->awake[i]];
        if (body->motion != pal_motionFree)
            continue;
        body->index = pile->movingCount;
        pile->moving[pile->movingCount] = pile->awake[i];
        pile->inverses[pile->movingCount++] =
            (palInverseMass){1.0 / body->inertia.mass, body->worldInverse,
                             body->isCoupled ? (const palMat3(*)[2])body->coupled : NULL};
    }
}

void palPile_MakeRows(palPile* pile)
{
    pile->rowCount = pile->blockCount = 0;
    listMoving(pile);
    palPile_ResistRolling(pile);
    palPile_AddJoints(pile);
    for (int i = 0; i < pile->awakeCount; i++)
    {
        const palPileBody* body = &pile->bodies[pile->awake[i]];
        for (int k = body->firstItem; k < body->firstItem + body->itemCount; k++)
        {
            for (int p = pile->items[k].firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], k))
            {
                palPilePair* pair = &pile->pairs[p];
                palPileContact* contacts = palPile_Contacts(pile, pair);
                for (int c = 0; palPile_IsFirst(pile, pair, k) && c < pair->count; c++)
                    addContact(pile, pair, &contacts[c]);
            }
        }
    }
    pile->ownRows = pile->rowCount;
    pile->ownBlocks = pile->blockCount;
    pile->stopCount = 0;
}

palSparseProblem palPile_Problem(const palPile* pile)
{
    return (palSparseProblem){
        .h = pile->h,
        .bodyCount = pile->movingCount,
        .bodies = pile->inverses,
        .rows = pile->rowCount,
        .J = pile->J,
        .gapFree = pile->gapFree,
        .softness = pile->softness,
        .blockCount = pile->blockCount,
        .blocks = pile->blocks,
        .ends = (const int(*)[2])pile->ends,
    };
}

palSolveSettings palPile_SolveSettings(const palPile* pile)
{
    palSolveSettings settings = palDefaultSolveSettings();
    double most = sweptBlocks / fmax(pile->blockCount, 1);
    settings.maxSweeps = (int)fmin(fmax(most, pile->def.sweeps), pile->def.sweepsMost);
    if (settings.maxSweeps > pile->def.sweeps)
    {
        settings.tolerance = smallTolerance;
        settings.accuracy = fallTolerance * palLength(pile->def.gravity) * pile->h * pile->h;
    }
    else
    {
        settings.tolerance = 0.0;
    }
    settings.warmStart = true;
    return settings;
}

void palPile_KeepForces(palPile* pile)
{
    for (int i = 0; i < pile->blockCount; i++)
    {
        const palContactBlock* block = &pile->blocks[i];
        palPileContact* contact = pile->contactOf[i];
        if (contact == NULL)
            continue;
        for (int k = 0; k < 3; k++)
            contact->lambda[k] = k < block->size ? pile->lambda[block->row + k] : 0.0;
        double tangential = hypot(contact->lambda[1], contact->lambda[2]);
        contact->isSliding =
            tangential > 0.0 && tangential >= slidingShare * block->mu * contact->lambda[0];
    }
    palPile_KeepJointForces(pile);
}

// How far a row goes in this step with what the solve found, m.
static double wayOf(const palPile* pile, const palPairRow* J, const palPileBody* a,
                    const palPileBody* b)
{
    double way = pile->h * palPile_Rate(J, a, b, false);
    if (a->index >= 0)
        way += palRowDot(J->wrench[0], pile->displacements[a->index]);
    if (b->index >= 0)
        way += palRowDot(J->wrench[1], pile->displacements[b->index]);
    return way;
}

// Makes contacts rigid that are pressed in fast. Returns whether there are any.
static bool stiffen(palPile* pile)
{
    bool isAny = false;
    for (int i = 0; i < pile->blockCount; i++)
    {
        const palPileContact* contact = pile->contactOf[i];
        if (contact == NULL || pile->softness[contact->row] == 0.0)
            continue;
        const int* items = pile->pairOf[i]->items;
        const palPileBody* a = &pile->bodies[pile->items[items[0]].body];
        const palPileBody* b = &pile->bodies[pile->items[items[1]].body];
        const palPairRow* J = &pile->J[contact->row];
        double way = wayOf(pile, J, a, b);
        double width = fmin(pile->items[items[0]].width, pile->items[items[1]].width);
        if (way > -pile->h * formingSpeed || contact->gap + way > -pressedShare * width)
            continue;
        pile->softness[contact->row] = 0.0;
        pile->gapFree[contact->row] = pile->h * palPile_Rate(J, a, b, false);
        isAny = true;
    }
    return isAny;
}

// The forces of the rows as they are, without moving anything.
void palPile_SolveRows(palPile* pile)
{
    const palSparseProblem problem = palPile_Problem(pile);
    const palSolveSettings settings = palPile_SolveSettings(pile);
    palSolveInfo info = {0};
    int round = 0;
    do
        palSparseProblem_Solve(&problem, &settings, pile->workspace, pile->lambda,
                               pile->displacements, &info);
    while (++round < roundsMost && stiffen(pile));
    palProblemCopy_TakeSparse(pile->problem, &problem, pile->lambda);
    pile->info.awake = pile->movingCount;
    pile->info.contacts = pile->blockCount;
    pile->info.rows = pile->rowCount;
    pile->info.active = info.activeRows;
    pile->info.sweeps = info.sweeps;
    pile->info.residual = info.residual;
}

void palPile_TakeForces(palPile* pile)
{
    for (int i = 0; i < pile->movingCount; i++)
    {
        palPileBody* body = &pile->bodies[pile->moving[i]];
        body->u.v = palMulAdd(body->u.v, 1.0 / pile->h, pile->displacements[i].v);
        body->u.omega = palMulAdd(body->u.omega, 1.0 / pile->h, pile->displacements[i].omega);
    }
}

void palPile_Solve(palPile* pile)
{
    palPile_SolveRows(pile);
    palPile_TakeForces(pile);
}
