// SPDX-License-Identifier: Apache-2.0
#include "touch/rigid_world.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// The ball of a point without a tip_radius, m; and of one that is a point to what stands still.
static const double pointRadius = 5e-4;
static const double turnsRadius = 1e-5;
// Of Gauss-Seidel where few bodies touch: what the hand feels is then solved to 10⁻⁶.
static const int sweepsMost = 200;
// A point does not turn, nor what it holds: the inertia of its ball, kg·m², is as if infinite.
static const double pointInertia = 1e9;
// Contacts of what a hand holds with what stands still.
static const int stopsMost = 96;
// Contacts of one body that are reported where those of all are, about.
static const int contactsPerBody = 16;

//--------------------------------------------------------------------------------------------------
// Set-up

// The tool: what the scene has for it, else what its surface holds.
static palResult makeToolPart(palRigidWorld* world, const palMethodDef* def, palPilePart* part,
                              palError* error)
{
    palRigidShape* shape = &world->shapes[def->hand];
    *part = def->toolPart != NULL ? *def->toolPart : (palPilePart){shape, pal_identityPose};
    if (def->toolPart != NULL)
        return pal_ok;
    if (palRigidShape_InitConvexSurface(shape, &def->tool->surface, NULL) == pal_ok)
        return pal_ok;
    return palRigidShape_InitMesh(shape, &def->tool->surface, error);
}

// Contacts with what hands hold are those of the method, where it has any, else the scene's.
static void takeLaw(const palContactMaterial* law, palPileBodyDef* body)
{
    palContactMaterial* material = &body->material;
    body->meetsMoving = true;
    body->decidesLaw = law->law != pal_contactCompliant;
    if (!body->decidesLaw)
        return;
    material->law = law->law;
    material->stiffness = law->stiffness;
    material->damping = law->damping;
}

static palResult makeHandBody(palRigidWorld* world, const palRigidPileDef* pile,
                              const palMethodDef* def, palHandTie tie, palPilePart* part,
                              palPileBodyDef* body, palError* error)
{
    *part = (palPilePart){.pose = pal_identityPose};
    *body = palDefaultPileBodyDef();
    body->id = palMethodDef_HandBody(def);
    body->parts = part;
    body->partCount = 1;
    body->material = pile->handMaterial;
    body->layers = pile->hands[def->hand].layers;
    body->touches = pile->hands[def->hand].touches;
    body->isHeld = tie != pal_tieHandles;
    if (tie == pal_tieTurns)
        takeLaw(&world->law, body);
    if (def->tool != NULL)
    {
        body->mass = def->tool->model.def.mass;
        return makeToolPart(world, def, part, error);
    }
    body->mass.mass = def->body.mass;
    body->mass.inertia = palMakeMat3Scale(pointInertia);
    part->shape = &world->shapes[def->hand];
    double radius = tie == pal_tieTurns    ? turnsRadius
                    : def->tipRadius > 0.0 ? def->tipRadius
                                           : pointRadius;
    return palRigidShape_InitSphere(&world->shapes[def->hand], radius, error);
}

// What a pile is made of: the bodies and joints of the scene, and those of the hands.
typedef struct Members
{
    palRigidPileDef def;
    palPileBodyDef* bodies;
    palPileJointDef* joints;
    int (*apart)[2]; // what is joined does not touch
    palPilePart parts[pal_handsMax];
} Members;

static bool holdsWire(const palMethodDef* def)
{
    for (int i = 0; i < def->wireCount; i++)
        if (def->wires[i].handNode >= 0 && def->wires[i].hand == def->hand)
            return true;
    return false;
}

static palResult addHands(palRigidWorld* world, palHandTie tie, Members* members, palError* error)
{
    palRigidPileDef* def = &members->def;
    for (int i = 0; i < world->handCount; i++)
    {
        world->hands[i] = -1;
        if (holdsWire(&world->defs[i]))
            continue;
        palPileBodyDef* body = &members->bodies[def->bodyCount];
        palResult result =
            makeHandBody(world, def, &world->defs[i], tie, &members->parts[i], body, error);
        if (result != pal_ok)
            return result;
        world->hands[i] = def->bodyCount++;
    }
    return pal_ok;
}

// The body of the pile with an id of the world; -1: the world itself, a wire or a soft body.
static int bodyOf(const palRigidWorld* world, int id)
{
    for (int i = 0; i < world->handCount; i++)
        if (world->hands[i] >= 0 && palMethodDef_HandBody(&world->defs[i]) == id)
            return world->hands[i];
    return id < world->defs->colliderCount ? id : -1;
}

static void addJoint(Members* members, const palLink* link, const int bodies[2])
{
    palPileJointDef* joint = &members->joints[members->def.jointCount++];
    *joint = palDefaultPileJointDef();
    joint->kind = link->kind == pal_linkWeld     ? pal_pileWeld
                  : link->kind == pal_linkHinge  ? pal_pileHinge
                  : link->kind == pal_linkSlider ? pal_pileSlider
                                                 : pal_pileBall;
    joint->point = link->ends[0].local;
    if (link->kind == pal_linkHinge || link->kind == pal_linkSlider)
    {
        joint->axis = link->hinge[1];
        joint->low = link->low;
        joint->high = link->high;
        joint->friction = link->jointFriction;
    }
    for (int k = 0; k < 2; k++)
        joint->bodies[k] = bodies[k];
}

static void addJoints(palRigidWorld* world, palHandTie tie, Members* members)
{
    palRigidPileDef* def = &members->def;
    for (int i = 0; i < world->defs->jointCount; i++)
    {
        const palLink* link = &world->defs->joints[i];
        const int bodies[2] = {bodyOf(world, link->ends[0].body),
                               bodyOf(world, link->ends[1].body)};
        if (tie != pal_tieOutside)
            addJoint(members, link, bodies);
        if (bodies[0] >= 0 && bodies[1] >= 0)
            memcpy(members->apart[def->apartCount++], bodies, sizeof bodies);
    }
    world->firstHandle = def->jointCount;
    for (int i = 0; i < world->handCount && tie == pal_tieHandles; i++)
    {
        palPileJointDef* handle = &members->joints[def->jointCount++];
        *handle = palDefaultPileJointDef();
        handle->kind = pal_pileHandle;
        handle->bodies[0] = world->hands[i];
        handle->bodies[1] = -1;
    }
    world->firstTie = def->jointCount;
    for (int i = 0; i < world->handCount; i++)
    {
        palPileJointDef* hold = &members->joints[def->jointCount++];
        *hold = palDefaultPileJointDef();
        hold->kind = pal_pileTie;
        hold->bodies[0] = hold->bodies[1] = -1;
    }
}

static palResult allocateMembers(Members* members, int jointCount, palError* error)
{
    palRigidPileDef* def = &members->def;
    size_t bodies = (size_t)(def->bodyCount + pal_handsMax);
    size_t joints = (size_t)(jointCount + 2 * pal_handsMax + def->apartCount);
    members->bodies = malloc(bodies * sizeof *members->bodies);
    members->joints = malloc(joints * sizeof *members->joints);
    members->apart = malloc(joints * sizeof *members->apart);
    if (members->bodies == NULL || members->joints == NULL || members->apart == NULL)
        return palError_Memory(error, "rigid bodies", bodies * sizeof *members->bodies);
    if (def->bodyCount > 0)
        memcpy(members->bodies, def->bodies, (size_t)def->bodyCount * sizeof *def->bodies);
    def->bodies = members->bodies;
    def->joints = members->joints;
    def->apart = (const int(*)[2])members->apart;
    return pal_ok;
}

static palResult createPile(palRigidWorld* world, palHandTie tie, palError* error)
{
    const palMethodDef* first = world->defs;
    Members members = {
        .def = first->pile != NULL ? *first->pile : palDefaultRigidPileDef(),
    };
    members.def.dt = first->body.dt;
    members.def.sweepsMost = sweepsMost;
    members.def.gravity = first->body.gravity;
    members.def.sleeps = tie != pal_tieOutside;
    members.def.stopCapacity = tie == pal_tieTurns ? stopsMost * world->handCount : 0;
    world->objectCount = members.def.bodyCount;
    palResult result = allocateMembers(&members, first->jointCount, error);
    if (result == pal_ok)
        result = addHands(world, tie, &members, error);
    if (result == pal_ok)
    {
        addJoints(world, tie, &members);
        result = palPile_Create(&members.def, &world->pile, error);
    }
    free(members.bodies);
    free(members.joints);
    free(members.apart);
    return result;
}

palResult palRigidWorld_Init(palRigidWorld* world, const palMethodDef* defs, int handCount,
                             palHandTie tie, palError* error)
{
    world->defs = defs;
    world->handCount = handCount;
    palResult result = createPile(world, tie, error);
    if (result != pal_ok)
        return result;
    size_t size = (size_t)world->pile->bodyCount * sizeof *world->starts;
    world->starts = malloc(size);
    if (world->starts == NULL)
        return palError_Memory(error, "rigid bodies", size);
    for (int i = 0; i < world->pile->bodyCount; i++)
        world->starts[i] = palPile_Pose(world->pile, i);
    return pal_ok;
}

void palRigidWorld_Free(palRigidWorld* world)
{
    palPile_Destroy(world->pile);
    for (int i = 0; i < pal_handsMax; i++)
        palRigidShape_Free(&world->shapes[i]);
    free(world->starts);
}

//--------------------------------------------------------------------------------------------------
// What is published

palResult palRigidWorld_MakeState(const palRigidWorld* world, palHapticState* state,
                                  palError* error)
{
    size_t size = (size_t)(world->pile->bodyCount + 1) * sizeof *state->rigid;
    state->rigid = calloc(1, size);
    return state->rigid != NULL ? pal_ok : palError_Memory(error, "poses of rigid bodies", size);
}

void palRigidWorld_ArchiveState(palHapticState* state, palArchive* archive)
{
    PAL_ARCHIVE(archive, state->rigidCount);
    PAL_ARCHIVE_ARRAY(archive, state->rigid, state->rigidCount);
}

int palRigidWorld_UpdateContacts(const palRigidWorld* world)
{
    return contactsPerBody * world->pile->bodyCount;
}

bool palRigidWorld_View(const palRigidWorld* world, int object, palRigidView* view)
{
    const palPile* pile = world->pile;
    if (object >= world->objectCount || pile->bodies[object].motion == pal_motionFixed)
        return false;
    const palPileBody* body = &pile->bodies[object];
    palPose now = palPile_Pose(pile, object), start = world->starts[object];
    palQuat turn = palMulQuat(now.q, palConjugate(start.q));
    *view = (palRigidView){
        .object = body->id,
        .pose = now,
        .moved = {palSub(now.x, palRotate(turn, start.x)), turn},
        .v = body->state.v,
        .omega = body->motion == pal_motionFree ? palInertia_Omega(&body->inertia, &body->state)
                                                : body->u.omega,
        .isAsleep = body->isAsleep,
    };
    return true;
}

palRigidTotals palRigidWorld_Totals(const palRigidWorld* world)
{
    const palPile* pile = world->pile;
    palRigidTotals sum = {.contacts = palPile_CountTouching(pile), .deepest = pile->deepest};
    for (int i = 0; i < world->objectCount; i++)
    {
        const palPileBody* body = &pile->bodies[i];
        if (body->motion != pal_motionFree)
            continue;
        sum.bodies++;
        sum.asleep += body->isAsleep;
        sum.kinetic += palInertia_Energy(&body->inertia, &body->state);
        sum.potential -= body->inertia.mass * palDot(pile->def.gravity, body->state.x);
    }
    return sum;
}

void palRigidWorld_WriteState(const palRigidWorld* world, palHapticState* state)
{
    state->rigidCount = 0;
    for (int i = 0; i < world->objectCount; i++)
        state->rigidCount += palRigidWorld_View(world, i, &state->rigid[state->rigidCount]);
}

void palRigidWorld_Archive(palRigidWorld* world, palArchive* archive)
{
    PAL_ARCHIVE(archive, world->sequence);
    palPile_Archive(world->pile, archive);
}

void palRigidWorld_Report(palRigidWorld* world, int hand, uint64_t sequence,
                          palContactReport* report)
{
    bool isFirst = hand == 0 && sequence != world->sequence;
    int first = report->count;
    if (isFirst || world->hands[hand] >= 0)
        palPile_Report(world->pile, isFirst ? -1 : world->hands[hand], report);
    if (isFirst)
        world->sequence = sequence;
    for (int i = first; i < report->count; i++)
        for (int k = 0; k < world->handCount; k++)
            if (report->items[i].other == palMethodDef_HandBody(&world->defs[k]) &&
                world->hands[k] >= 0)
                report->items[i].hand = k;
}
