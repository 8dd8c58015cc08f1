// SPDX-License-Identifier: Apache-2.0
#include "world/pile.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Room for pairs: in a dense heap of equal bodies each has some 14 neighbours, and boxes are larger
// than bodies.
static const int pairsPerItem = 16;
static const int pairsLeast = 64;

palContactMaterial palDefaultContactMaterial(void)
{
    return (palContactMaterial){
        .friction = 0.5,
        .kineticFriction = 0.5,
        .law = pal_contactCompliant,
        .frequency = 200.0,
        .dampingRatio = 5.0,
        .stiffness = 1e5,
        .damping = 100.0,
    };
}

palPileBodyDef palDefaultPileBodyDef(void)
{
    return (palPileBodyDef){
        .motion = pal_motionFree,
        .mass = {.mass = 1.0, .inertia = palMakeMat3Scale(1e-3)},
        .pose = pal_identityPose,
        .material = palDefaultContactMaterial(),
        .layers = 1,
        .touches = UINT32_MAX,
    };
}

palRigidPileDef palDefaultRigidPileDef(void)
{
    palRigidPileDef def = {
        .gravity = {0.0, 0.0, -9.81},
        .dt = 1e-3,
        .sweeps = 10,
        .sweepsMost = 10,
        .restitutionSpeed = 0.05,
        .sleeps = true,
        .handMaterial = palDefaultContactMaterial(),
    };
    def.handMaterial.friction = def.handMaterial.kineticFriction = 0.0; // that of what they touch
    for (int i = 0; i < pal_handsMax; i++)
        def.hands[i] = (palPileHandDef){.layers = 1u, .touches = UINT32_MAX};
    return def;
}

//--------------------------------------------------------------------------------------------------
// Set-up

void palPile_PlaceItems(palPile* pile, const palPileBody* body)
{
    const palPose centre = {body->state.x, body->state.q};
    for (int i = body->firstItem; i < body->firstItem + body->itemCount; i++)
        pile->items[i].pose = palMulPose(centre, pile->items[i].local);
}

// A point passes what it meets whatever its own size is.
static double widthOf(const palPileBodyDef* def, const palRigidShape* shape)
{
    if (def->meetsMoving && shape->kind == pal_rigidSphere)
        return INFINITY;
    palVec3 size = palSub(shape->bounds.high, shape->bounds.low);
    return fmin(fmin(size.x, size.y), size.z);
}

// Makes a body as large as a part of it asks for.
static void include(palPileBody* body, const palRigidShape* shape, palPose local)
{
    palBounds box = palRigidShape_Bounds(shape, local);
    body->extent = fmax(body->extent, palLength(local.x) + shape->extent);
    body->half = palMaxVec3(body->half, palMaxVec3(palNeg(box.low), box.high));
}

static void addItems(palPile* pile, const palPileBodyDef* def, palPileBody* body)
{
    for (int i = 0; i < def->partCount; i++)
    {
        const palPilePart* part = &def->parts[i];
        palPose local = {palSub(part->pose.x, body->centre), part->pose.q};
        pile->items[pile->itemCount] = (palPileItem){
            .shape = part->shape,
            .body = (int)(body - pile->bodies),
            .local = local,
            .firstPair = -1,
            .isBoundless = part->shape->kind == pal_rigidHalfSpace,
            .extent = part->shape->extent,
            .width = widthOf(def, part->shape),
        };
        if (pile->items[pile->itemCount].isBoundless)
            pile->boundless[pile->boundlessCount++] = pile->itemCount;
        else
            include(body, part->shape, local);
        pile->itemCount++;
    }
}

static void addBody(palPile* pile, const palPileBodyDef* def)
{
    bool isFree = def->motion == pal_motionFree;
    palPileBody* body = &pile->bodies[pile->bodyCount];
    *body = (palPileBody){
        .id = def->id,
        .motion = def->motion,
        .firstItem = pile->itemCount,
        .itemCount = def->partCount,
        .centre = isFree ? def->mass.centre : pal_zeroVec3,
        .damping = def->damping,
        .drive = def->drive,
        .driver = def->driver,
        .material = def->material,
        .layers = def->layers,
        .touches = def->touches,
        .isHeld = def->isHeld,
        .meetsMoving = def->meetsMoving,
        .decidesLaw = def->decidesLaw,
        .nextInSleep = pile->bodyCount,
        .index = -1,
    };
    if (isFree)
        body->inertia = palMakeInertia(&def->mass);
    addItems(pile, def, body);
    palPose pose = def->motion == pal_motionDriven ? def->drive(def->driver, 0.0) : def->pose;
    body->state.x = palPose_Point(pose, body->centre);
    body->state.q = palNormalizeQuat(pose.q);
    if (isFree)
    {
        body->state.v = def->velocity;
        body->state.L =
            palMat3Apply(palTurnedMat3(body->state.q, body->inertia.inertia), def->spin);
    }
    palPile_PlaceItems(pile, body);
    pile->bodyCount++;
}

static int compareApart(const void* a, const void* b)
{
    const int *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static palResult initSlots(palContactSlots* slots, int size, int capacity, palError* error)
{
    slots->size = size;
    slots->capacity = slots->unusedCount = capacity;
    slots->contacts = calloc((size_t)(capacity * size + 1), sizeof *slots->contacts);
    slots->unused = malloc((size_t)(capacity + 1) * sizeof *slots->unused);
    if (slots->contacts == NULL || slots->unused == NULL)
        return palError_Memory(error, "contacts of rigid bodies",
                               (size_t)(capacity * size) * sizeof *slots->contacts);
    for (int i = 0; i < capacity; i++)
        slots->unused[i] = capacity - 1 - i;
    return pal_ok;
}

// Room for the pairs of all items; those with a mesh have blocks of their own.
static palResult initPairs(palPile* pile, int meshCount, palError* error)
{
    pile->pairCapacity = pairsPerItem * pile->itemCount + pairsLeast;
    int meshPairs = meshCount > 0 ? pairsPerItem * meshCount + pairsLeast : 0;
    pile->pairs = calloc((size_t)pile->pairCapacity, sizeof *pile->pairs);
    if (pile->pairs == NULL)
        return palError_Memory(error, "pairs of rigid bodies",
                               (size_t)pile->pairCapacity * sizeof *pile->pairs);
    for (int i = 0; i < pile->pairCapacity; i++)
        pile->pairs[i] = (palPilePair){
            .items = {-1, -1},
            .next = {i + 1 < pile->pairCapacity ? i + 1 : -1, -1},
        };
    palResult result = initSlots(&pile->slots[0], pal_pairContactsMax, pile->pairCapacity, error);
    if (result == pal_ok)
        result = initSlots(&pile->slots[1], pal_meshPairContactsMax, meshPairs, error);
    pile->blockCapacity = pal_pairContactsMax * pile->pairCapacity +
                          pal_meshPairContactsMax * meshPairs +
                          pal_pileJointBlocks * pile->jointCount + pile->stopCapacity;
    return result;
}

static palResult initProblem(palPile* pile, palError* error)
{
    size_t bodies = (size_t)pile->bodyCount + 1, blocks = (size_t)pile->blockCapacity;
    size_t rows = 3 * blocks + pal_pileJointRows * (size_t)pile->jointCount;
    pile->stops = calloc((size_t)pile->stopCapacity + 1, sizeof *pile->stops);
    pile->rowCapacity = (int)rows;
    pile->moving = malloc(bodies * sizeof *pile->moving);
    pile->inverses = malloc(bodies * sizeof *pile->inverses);
    pile->displacements = malloc(bodies * sizeof *pile->displacements);
    pile->isFixed = calloc(bodies, sizeof *pile->isFixed);
    pile->J = malloc(rows * sizeof *pile->J);
    pile->gapFree = malloc(rows * sizeof *pile->gapFree);
    pile->softness = malloc(rows * sizeof *pile->softness);
    pile->lambda = malloc(rows * sizeof *pile->lambda);
    pile->blocks = malloc(blocks * sizeof *pile->blocks);
    pile->ends = malloc(blocks * sizeof *pile->ends);
    pile->contactOf = malloc(blocks * sizeof *pile->contactOf);
    pile->pairOf = malloc(blocks * sizeof *pile->pairOf);
    if (pile->moving == NULL || pile->inverses == NULL || pile->displacements == NULL ||
        pile->isFixed == NULL || pile->J == NULL || pile->gapFree == NULL ||
        pile->softness == NULL || pile->lambda == NULL || pile->stops == NULL ||
        pile->blocks == NULL || pile->ends == NULL || pile->contactOf == NULL ||
        pile->pairOf == NULL)
        return palError_Memory(error, "contact rows of rigid bodies", rows * sizeof *pile->J);
    palResult result = palSparseWorkspace_Create(pile->bodyCount, pile->rowCapacity,
                                                 pile->blockCapacity, &pile->workspace, error);
    if (result == pal_ok)
        result =
            palContactIslands_Init(&pile->islands, pile->bodyCount, pile->blockCapacity, error);
    if (result == pal_ok)
        result = palPile_InitRebound(pile, error);
    return result;
}

static palResult initBodies(palPile* pile, const palRigidPileDef* def, int itemCount,
                            palError* error)
{
    size_t bodies = (size_t)def->bodyCount + 1, items = (size_t)itemCount + 1;
    pile->bodies = calloc(bodies, sizeof *pile->bodies);
    pile->awake = malloc(bodies * sizeof *pile->awake);
    pile->items = calloc(items, sizeof *pile->items);
    pile->boundless = malloc(items * sizeof *pile->boundless);
    pile->found = malloc(items * sizeof *pile->found);
    pile->apart = malloc(((size_t)def->apartCount + 1) * sizeof *pile->apart);
    pile->materials = malloc(((size_t)def->pairCount + 1) * sizeof *pile->materials);
    pile->joints = calloc((size_t)def->jointCount + 1, sizeof *pile->joints);
    if (pile->bodies == NULL || pile->awake == NULL || pile->items == NULL ||
        pile->boundless == NULL || pile->found == NULL || pile->apart == NULL ||
        pile->materials == NULL || pile->joints == NULL)
        return palError_Memory(error, "rigid bodies", bodies * sizeof *pile->bodies);
    for (int i = 0; i < def->bodyCount; i++)
        addBody(pile, &def->bodies[i]);
    for (int i = 0; i < def->jointCount; i++)
        palPile_InitJoint(pile, &def->joints[i]);
    palPile_WeighJoints(pile);
    for (int i = 0; i < def->apartCount; i++)
    {
        int a = def->apart[i][0], b = def->apart[i][1];
        pile->apart[i][0] = a < b ? a : b;
        pile->apart[i][1] = a < b ? b : a;
    }
    for (int i = 0; i < def->pairCount; i++)
        pile->materials[i] = def->pairs[i];
    pile->apartCount = def->apartCount;
    qsort(pile->apart, (size_t)pile->apartCount, sizeof *pile->apart, compareApart);
    return palMovingTree_Init(&pile->tree, itemCount, error);
}

palResult palPile_Create(const palRigidPileDef* def, palPile** out, palError* error)
{
    *out = NULL;
    palPile* pile = calloc(1, sizeof *pile);
    if (pile == NULL)
        return palError_Memory(error, "rigid bodies", sizeof *pile);
    pile->def = *def;
    pile->def.bodies = NULL;
    pile->def.apart = NULL;
    pile->def.pairs = NULL;
    pile->def.joints = NULL;
    pile->awakeChanged = true;
    pile->h = def->dt;
    pile->substeps = 1;
    pile->stopCapacity = def->stopCapacity;
    int itemCount = 0, meshCount = 0;
    for (int i = 0; i < def->bodyCount; i++)
    {
        const palPileBodyDef* body = &def->bodies[i];
        itemCount += body->partCount;
        for (int k = 0; k < body->partCount; k++)
            meshCount += body->parts[k].shape->kind == pal_rigidMesh;
    }
    palResult result = initBodies(pile, def, itemCount, error);
    if (result == pal_ok)
        result = initPairs(pile, meshCount, error);
    if (result == pal_ok)
        result = initProblem(pile, error);
    if (result != pal_ok)
    {
        palPile_Destroy(pile);
        return result;
    }
    *out = pile;
    return pal_ok;
}

void palPile_Destroy(palPile* pile)
{
    if (pile == NULL)
        return;
    void* arrays[] = {
        pile->bodies,
        pile->awake,
        pile->items,
        pile->boundless,
        pile->found,
        pile->apart,
        pile->materials,
        pile->joints,
        pile->stops,
        pile->pairs,
        pile->moving,
        pile->inverses,
        pile->displacements,
        pile->isFixed,
        pile->J,
        pile->gapFree,
        pile->softness,
        pile->lambda,
        pile->blocks,
        pile->ends,
        pile->contactOf,
        pile->pairOf,
        pile->slots[0].contacts,
        pile->slots[0].unused,
        pile->slots[1].contacts,
        pile->slots[1].unused,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    palMovingTree_Free(&pile->tree);
    palSparseWorkspace_Destroy(pile->workspace);
    palPile_FreeRebound(pile);
    palContactIslands_Free(&pile->islands);
    free(pile);
}

//--------------------------------------------------------------------------------------------------
// The step

// Driven bodies that stand still are like fixed ones.
static void drive(palPile* pile, palPileBody* body, double h)
{
    palPose end = body->drive(body->driver, pile->time + h);
    palVec3 v = palScale(1.0 / h, palSub(end.x, body->state.x));
    palQuat turn = palMulQuat(end.q, palConjugate(body->state.q));
    body->u = (palTwist){v, palScale(1.0 / h, palRotationVector(turn))};
    body->before = (palTwist){body->state.v, body->u.omega};
    body->isMoving = palLengthSquared(body->u.v) > 0.0 || palLengthSquared(body->u.omega) > 0.0;
}

void palPile_MoveFreely(palPile* pile, palPileBody* body)
{
    const double h = pile->h;
    if (body->motion == pal_motionDriven)
    {
        drive(pile, body, h);
        return;
    }
    palMat3 inverse = palTurnedMat3(body->state.q, body->inertia.inverse);
    double keep = 1.0 / (1.0 + h * body->damping);
    palVec3 push = palMulAdd(pile->def.gravity, 1.0 / body->inertia.mass, body->load.force);
    palVec3 L = palMulAdd(palScale(keep, body->state.L), h, body->load.torque);
    body->worldInertia = palTurnedMat3(body->state.q, body->inertia.inertia);
    body->worldInverse = inverse;
    body->before = (palTwist){body->state.v, palMat3Apply(inverse, body->state.L)};
    if (body->isHeld)
        return;
    body->u =
        (palTwist){palMulAdd(palScale(keep, body->state.v), h, push), palMat3Apply(inverse, L)};
}

double palPileBody_TurnSpeed(const palPileBody* body)
{
    // Of the farthest corner of a box, and of a ball.
    palVec3 w = palInvRotate(body->state.q, body->u.omega), half = body->half;
    palVec3 speed = {fabs(w.y) * half.z + fabs(w.z) * half.y,
                     fabs(w.z) * half.x + fabs(w.x) * half.z,
                     fabs(w.x) * half.y + fabs(w.y) * half.x};
    return fmin(palLength(speed), body->extent * palLength(w));
}

// 1: u⁻, and the largest speed of any point.
static void moveFreely(palPile* pile)
{
    pile->fastest = 0.0;
    for (int i = 0; i < pile->awakeCount; i++)
    {
        palPileBody* body = &pile->bodies[pile->awake[i]];
        palPile_MoveFreely(pile, body);
        pile->fastest = fmax(pile->fastest, palPileBody_Speed(body));
    }
}

// 6: the state at the end, with the velocities u.
static void move(palPile* pile)
{
    const double h = pile->h;
    for (int i = 0; i < pile->awakeCount; i++)
    {
        palPileBody* body = &pile->bodies[pile->awake[i]];
        body->start = (palPose){body->state.x, body->state.q};
        if (body->isHeld)
        {
            palPile_CarryHeld(pile, body);
            continue;
        }
        body->state.v = body->u.v;
        if (body->motion == pal_motionDriven)
        {
            palPose end = body->drive(body->driver, pile->time + h);
            body->state.x = end.x;
            body->state.q = palNormalizeQuat(end.q);
        }
        else
        {
            body->state.L = palMat3Apply(body->worldInertia, body->u.omega);
            body->state = palInertia_Move(&body->inertia, body->state, h);
        }
        palPile_PlaceItems(pile, body);
    }
}

static void listAwake(palPile* pile)
{
    if (!pile->awakeChanged)
        return;
    pile->awakeChanged = false;
    pile->awakeCount = 0;
    for (int i = 0; i < pile->bodyCount; i++)
        if (pile->bodies[i].motion != pal_motionFixed && !pile->bodies[i].isAsleep)
            pile->awake[pile->awakeCount++] = i;
}

// The stages up to 2.
static void moveAndFindPairs(palPile* pile)
{
    listAwake(pile);
    moveFreely(pile);        // 1
    palPile_FindPairs(pile); // 2
}

// The stages from 3 to the rows of 5.
static void findRows(palPile* pile)
{
    palPile_FindContacts(pile); // 3, 4
    palPile_JudgeSeams(pile);
    palPile_MakeRows(pile); // 5
}

// The stages from 6 on.
static void finishSubstep(palPile* pile)
{
    palPile_KeepForces(pile);
    move(pile);            // 6
    palPile_Rebound(pile); // 7
    palPile_Sleep(pile);   // 8
    pile->deepest = fmax(pile->deepest, pile->info.deepest);
    pile->time += pile->h;
}

static void clearLoads(palPile* pile)
{
    for (int i = 0; i < pile->awakeCount; i++)
        pile->bodies[pile->awake[i]].load = (palWrench){0};
}

void palPile_Start(palPile* pile)
{
    pile->h = pile->def.dt;
    pile->substep = 0;
    moveAndFindPairs(pile);
    pile->substeps = palPile_Substeps(pile);
    pile->h = pile->def.dt / pile->substeps;
}

void palPile_BeginPart(palPile* pile)
{
    if (pile->substeps > 1)
        moveAndFindPairs(pile);
    findRows(pile);
}

void palPile_EndPart(palPile* pile)
{
    finishSubstep(pile);
    pile->substep++;
}

void palPile_Finish(palPile* pile)
{
    clearLoads(pile);
}

void palPile_Step(palPile* pile)
{
    palPile_Start(pile);
    while (pile->substep < pile->substeps)
    {
        palPile_BeginPart(pile);
        palPile_Solve(pile);
        palPile_EndPart(pile);
    }
    palPile_Finish(pile);
}

void palPile_Begin(palPile* pile)
{
    pile->h = pile->def.dt;
    pile->substeps = 1;
    pile->substep = 0;
    moveAndFindPairs(pile);
    findRows(pile);
}

void palPile_End(palPile* pile)
{
    finishSubstep(pile);
    clearLoads(pile);
}

palRigidStep palPileBody_Step(const palPileBody* body, double h)
{
    palRigidStep step = {.h = h, .start = body->state, .free = body->u};
    if (body->motion != pal_motionFree)
        return step;
    step.inertia = body->worldInertia;
    step.inverse[0][0] = palMakeMat3Scale(1.0 / body->inertia.mass);
    step.inverse[1][1] = body->worldInverse;
    return step;
}

//--------------------------------------------------------------------------------------------------
// Between steps

void palPile_Wake(palPile* pile, int body)
{
    int i = body;
    do
    {
        palPileBody* b = &pile->bodies[i];
        i = b->nextInSleep;
        b->nextInSleep = (int)(b - pile->bodies);
        b->restTime = 0.0;
        pile->awakeChanged = pile->awakeChanged || b->isAsleep;
        b->isAsleep = false;
    } while (i != body);
}

void palPile_SetGravity(palPile* pile, palVec3 gravity)
{
    if (palDistance(gravity, pile->def.gravity) == 0.0)
        return;
    pile->def.gravity = gravity;
    for (int i = 0; i < pile->bodyCount; i++)
        if (pile->bodies[i].motion == pal_motionFree)
            palPile_Wake(pile, i);
}

void palPile_SetFriction(palPile* pile, int index, double friction)
{
    palContactMaterial* material = &pile->bodies[index].material;
    double ratio = material->friction > 0.0 ? material->kineticFriction / material->friction : 1.0;
    material->friction = friction;
    material->kineticFriction = ratio * friction;
    for (int i = 0; i < pile->pairCapacity; i++)
    {
        palPilePair* pair = &pile->pairs[i];
        if (pair->items[0] < 0)
            continue;
        int a = pile->items[pair->items[0]].body, b = pile->items[pair->items[1]].body;
        if (a != index && b != index)
            continue;
        pair->material = palPile_PairMaterial(pile, &pile->bodies[a], &pile->bodies[b]);
        for (int k = 0; k < 2; k++)
            if (pile->bodies[k == 0 ? a : b].motion == pal_motionFree)
                palPile_Wake(pile, k == 0 ? a : b);
    }
}

void palPile_Push(palPile* pile, int index, palVec3 point, palVec3 force)
{
    palPileBody* body = &pile->bodies[index];
    palVec3 arm = palSub(point, body->state.x);
    body->load.force = palAdd(body->load.force, force);
    body->load.torque = palAdd(body->load.torque, palCross(arm, force));
    palPile_Wake(pile, index);
}

void palPile_Place(palPile* pile, int index, palPose pose, palVec3 velocity, palVec3 spin)
{
    palPileBody* body = &pile->bodies[index];
    // What it was in contact with is no longer held by it.
    for (int i = body->firstItem; i < body->firstItem + body->itemCount; i++)
        for (int p = pile->items[i].firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], i))
            for (int k = 0; k < 2; k++)
                palPile_Wake(pile, pile->items[pile->pairs[p].items[k]].body);
    palPile_Wake(pile, index);
    body->state.x = palPose_Point(pose, body->centre);
    body->state.q = palNormalizeQuat(pose.q);
    body->state.v = velocity;
    body->state.L = palMat3Apply(palTurnedMat3(body->state.q, body->inertia.inertia), spin);
    palPile_PlaceItems(pile, body);
}

palPose palPile_Pose(const palPile* pile, int body)
{
    const palPileBody* b = &pile->bodies[body];
    return (palPose){palSub(b->state.x, palRotate(b->state.q, b->centre)), b->state.q};
}

double palPile_KineticEnergy(const palPile* pile)
{
    double energy = 0.0;
    for (int i = 0; i < pile->bodyCount; i++)
        if (pile->bodies[i].motion == pal_motionFree)
            energy += palInertia_Energy(&pile->bodies[i].inertia, &pile->bodies[i].state);
    return energy;
}

double palPile_PotentialEnergy(const palPile* pile)
{
    double energy = 0.0;
    for (int i = 0; i < pile->bodyCount; i++)
        if (pile->bodies[i].motion == pal_motionFree)
            energy -=
                pile->bodies[i].inertia.mass * palDot(pile->def.gravity, pile->bodies[i].state.x);
    return energy;
}

int palPile_CountTouching(const palPile* pile)
{
    int count = 0;
    for (int i = 0; i < pile->pairCapacity; i++)
    {
        const palPilePair* pair = &pile->pairs[i];
        const palPileContact* contacts = palPile_Contacts(pile, pair);
        for (int k = 0; pair->items[0] >= 0 && k < pair->count; k++)
            count += contacts[k].lambda[0] > 0.0;
    }
    return count;
}

static void reportContact(const palPile* pile, const palPilePair* pair,
                          const palPileContact* contact, palContactReport* report)
{
    palVec3 onA = pal_zeroVec3;
    for (int k = 0; k < 3; k++)
        onA = palMulAdd(onA, contact->lambda[k], contact->axes[k]);
    const palContactForce force = {
        .object = pile->bodies[pile->items[pair->items[0]].body].id,
        .other = pile->bodies[pile->items[pair->items[1]].body].id,
        .hand = -1,
        .point = palMulAdd(contact->point, 0.5 * contact->gap, contact->axes[0]),
        .normal = palNeg(contact->axes[0]),
        .gap = contact->gap,
        .force = onA,
    };
    palContactReport_Add(report, &force);
}

static void reportPair(const palPile* pile, const palPilePair* pair, palContactReport* report)
{
    const palPileContact* contacts = palPile_Contacts(pile, pair);
    for (int i = 0; i < pair->count; i++)
        if (contacts[i].lambda[0] > 0.0)
            reportContact(pile, pair, &contacts[i], report);
}

void palPile_Report(const palPile* pile, int body, palContactReport* report)
{
    if (body < 0)
    {
        for (int p = 0; p < pile->pairCapacity; p++)
            if (pile->pairs[p].items[0] >= 0)
                reportPair(pile, &pile->pairs[p], report);
        return;
    }
    const palPileBody* b = &pile->bodies[body];
    for (int i = b->firstItem; i < b->firstItem + b->itemCount; i++)
        for (int p = pile->items[i].firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], i))
            reportPair(pile, &pile->pairs[p], report);
}

static void archiveSlots(palContactSlots* slots, palArchive* archive)
{
    PAL_ARCHIVE(archive, slots->unusedCount);
    PAL_ARCHIVE_ARRAY(archive, slots->unused, slots->capacity);
    PAL_ARCHIVE_ARRAY(archive, slots->contacts, slots->capacity * slots->size);
}

void palPile_Archive(palPile* pile, palArchive* archive)
{
    PAL_ARCHIVE(archive, pile->time);
    PAL_ARCHIVE(archive, pile->info);
    PAL_ARCHIVE(archive, pile->deepest);
    PAL_ARCHIVE(archive, pile->def.gravity);
    for (int i = 0; i < pile->bodyCount; i++)
    {
        palPileBody* body = &pile->bodies[i];
        PAL_ARCHIVE(archive, body->state);
        PAL_ARCHIVE(archive, body->load);
        PAL_ARCHIVE(archive, body->material);
        PAL_ARCHIVE(archive, body->isAsleep);
        PAL_ARCHIVE(archive, body->restTime);
        PAL_ARCHIVE(archive, body->restPose);
        PAL_ARCHIVE(archive, body->nextInSleep);
    }
    for (int i = 0; i < pile->jointCount; i++)
    {
        PAL_ARCHIVE(archive, pile->joints[i].angle);
        PAL_ARCHIVE(archive, pile->joints[i].handle);
        PAL_ARCHIVE(archive, pile->joints[i].gains);
        PAL_ARCHIVE(archive, pile->joints[i].lambda);
        PAL_ARCHIVE(archive, pile->joints[i].mean);
        PAL_ARCHIVE(archive, pile->joints[i].bodies);
        PAL_ARCHIVE(archive, pile->joints[i].frames);
    }
    for (int i = 0; i < pile->itemCount; i++)
        PAL_ARCHIVE(archive, pile->items[i].firstPair);
    palMovingTree_Archive(&pile->tree, archive);
    PAL_ARCHIVE(archive, pile->unusedPair);
    PAL_ARCHIVE_ARRAY(archive, pile->pairs, pile->pairCapacity);
    archiveSlots(&pile->slots[0], archive);
    archiveSlots(&pile->slots[1], archive);
    for (int i = 0; i < pile->bodyCount; i++)
        palPile_PlaceItems(pile, &pile->bodies[i]);
    pile->awakeChanged = true;
}
