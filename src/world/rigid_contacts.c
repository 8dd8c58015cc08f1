// SPDX-License-Identifier: Apache-2.0
// Contacts of two rigid bodies that both have an inside, in the world step.
//
// They are found by directions (collide/mesh_query.h): the same features touch 10 µm apart and
// 10 µm inside each other, so that no clearance is needed between the surfaces. A pair has at most
// 48 contacts, chosen so that they stop every motion up to the next search nearly as soon as all
// would (collide/contact_patches.h).
//
// What the bodies meet within a step is known from its start, up to the distance that was searched.
// What a trial meets beyond is found on its way, in parts no longer than the depth to which
// overlaps are found.
#include "collide/mesh_query.h"
#include "collide/ridge_planes.h"
#include "world/step.h"

enum
{
    contactsMost = 48, // of a pair
    partsMost = 64,    // of the motion to a trial state that are looked at
};

static const double partShare = 0.012;  // of the smaller solid's half diagonal: the longest part
static const double startSlack = 2.0;   // times the overlap that there is at the start: may remain
static const double samePlane = 0.9999; // cosine between normals

bool palWorldStep_AreSolid(const palWorldStep* world, const palWorldPair* pair)
{
    const palWorldBody *a = world->bodies[pair->a], *b = world->bodies[pair->b];
    return !palWorldStep_IsSearch(world) && a->solid != NULL && b->solid != NULL;
}

static palPose between(palPose from, palPose to, double share)
{
    return (palPose){palLerp(from.x, to.x, share), palSlerp(from.q, to.q, share)};
}

// The contacts at a share of the way to the trial state.
static int findAt(const palWorldStep* world, palWorldPair* pair, double share, double distance,
                  palRigidContact contacts[contactsMost], int* unseen)
{
    const palWorldBody *a = world->bodies[pair->a], *b = world->bodies[pair->b];
    palPose poseA = palWorldBody_Pose(a, true), poseB = palWorldBody_Pose(b, true);
    if (share < 1.0)
    {
        poseA = between(palWorldBody_Pose(a, false), poseA, share);
        poseB = between(palWorldBody_Pose(b, false), poseB, share);
    }
    return palRigidShapes_Contacts(a->solid, poseA, b->solid, poseB, distance, &pair->cache,
                                   contactsMost, contacts, unseen);
}

static palPlace placeOf(const palWorldBody* body, palVec3 point)
{
    palPlace place = palMakeFixedPlace(body->id, point);
    if (body->ops->moves)
    {
        palPose pose = palWorldBody_Pose(body, true);
        place.kind = pal_placeRigid;
        place.local = palRotate(palConjugate(pose.q), palSub(point, pose.x));
    }
    return place;
}

// A link for a contact of the trial state.
static palLink makeLink(const palWorldStep* world, const palWorldPair* pair,
                        const palRigidContact* contact)
{
    palLink link = {
        .kind = pal_linkContact,
        .ends = {placeOf(world->bodies[pair->a], contact->onA),
                 placeOf(world->bodies[pair->b], contact->onB)},
        .axes = {contact->normal},
        .turn = pal_identityQuat,
        .distance = pair->clearance,
        .friction = pair->friction,
        .gap = contact->gap,
        .isRigid = true,
        .turns = palMeshQuery_Pair(contact->key) == pal_pairFaceVertex,
    };
    // The features, by which a contact is known again.
    for (int e = 0; e < 2; e++)
        link.ends[e].on.vertices[0] = (int)(contact->key >> (e == 0 ? 32 : 0) & 0xffffffffu);
    palTangents(link.axes[0], &link.axes[1], &link.axes[2]);
    link.key = (int)((contact->key * 0x9e3779b97f4a7c15u >> 33) & 0x7fffffffu);
    return link;
}

// How much a gap along n at a point of a tool will close until the next search, m.
static double closingOf(const palWorldStep* world, const palWorldRigid* tool, palVec3 n,
                        palVec3 point)
{
    const palRigidState* state = &tool->state;
    palVec3 omega = palRigid_Omega(&tool->tool->model, state);
    palVec3 v = palAdd(state->v, palCross(omega, palSub(point, state->x)));
    return -world->def.lookAhead * palDot(n, v);
}

// Takes the plane that keeps the most distance at the end of the tool's present motion, of those by
// which the features of a contact are apart now. Returns its index, -1 for the contact's own. A
// face has no other, and the direction between the closest points of two ridges is none.
static int takePlane(const palWorldStep* world, const palWorldRigid* tool, double tolerance,
                     const palRidgePlane* planes, int count, palRigidContact* contact)
{
    palFeaturePair features = palMeshQuery_Pair(contact->key);
    if (features == pal_pairVertexFace || features == pal_pairFaceVertex)
        return -1;
    double most = -INFINITY;
    if (features == pal_pairEdgeEdge)
        most = contact->gap - closingOf(world, tool, contact->normal, contact->onA);
    int best = -1;
    for (int i = 0; i < count; i++)
    {
        double gap = planes[i].gap - closingOf(world, tool, planes[i].normal, planes[i].onA);
        if (planes[i].gap >= -tolerance && gap > most)
            most = gap, best = i;
    }
    if (best >= 0)
    {
        contact->normal = planes[best].normal;
        contact->gap = planes[best].gap;
        contact->onA = planes[best].onA;
        contact->onB = planes[best].onB;
    }
    return best;
}

// Of the other planes the one that keeps the most distance now.
static void setAside(const palWorldStep* world, const palWorldPair* pair,
                     const palRidgePlane* planes, int count, palLink* link)
{
    const palRidgePlane* best = NULL;
    for (int i = 0; i < count; i++)
        if (palDot(planes[i].normal, link->axes[0]) < samePlane &&
            (best == NULL || planes[i].gap > best->gap))
            best = &planes[i];
    if (best == NULL)
        return;
    link->aside = (palLinkAside){
        .normal = best->normal,
        .local = placeOf(world->bodies[pair->a], best->onA).local,
        .gap = best->gap,
        .turns = best->isOfA,
    };
}

// A link for a contact of a tool, which may slide over ridges until the next search.
static palLink makeToolLink(const palWorldStep* world, const palWorldPair* pair, double reach,
                            palRigidContact* contact)
{
    const palWorldBody *a = world->bodies[pair->a], *b = world->bodies[pair->b];
    const palWorldRigid* tool = palWorldStep_Tool(world, pair->a);
    palRidgePlane planes[pal_ridgePlanesMax + 1];
    int count = 0;
    if (tool != NULL)
        count = palRigidMesh_RidgePlanes(a->solid, palWorldBody_Pose(a, true), b->solid,
                                         palWorldBody_Pose(b, true), contact, reach, planes);
    palRigidContact own = *contact;
    int taken = takePlane(world, tool, pair->tolerance, planes, count, contact);
    if (taken >= 0 && palMeshQuery_Pair(own.key) == pal_pairEdgeEdge)
        planes[count++] = (palRidgePlane){own.normal, own.onA, own.onB, own.gap, false};
    palLink link = makeLink(world, pair, contact);
    link.turns = taken >= 0 ? planes[taken].isOfA : link.turns;
    setAside(world, pair, planes, count, &link);
    return link;
}

void palWorldStep_FindSolids(palWorldStep* world, palWorldPair* pair, double reach)
{
    palRigidContact contacts[contactsMost];
    int unseen;
    pair->cache.slides = palWorldStep_Tool(world, pair->a) != NULL;
    int count = findAt(world, pair, 1.0, reach, contacts, &unseen);
    pair->cache.slides = false;
    world->overflow = world->overflow || unseen > 0;
    for (int i = 0; i < count; i++)
    {
        palLink link = makeToolLink(world, pair, reach, &contacts[i]);
        if (world->linkCount == world->contactsMax)
            world->leftOut++;
        else
            palWorldStep_AddContact(world, pair, &link);
    }
}

// The number of parts in which the motion to the trial state is looked at.
static int partsOf(const palWorldStep* world, const palWorldPair* pair)
{
    const palWorldBody *a = world->bodies[pair->a], *b = world->bodies[pair->b];
    double travel = a->travel + b->travel;
    double longest = partShare * 0.5 * fmin(a->size, b->size);
    return (int)fmax(1.0, fmin(ceil(travel / longest), partsMost));
}

static double deepestOf(const palRigidContact* contacts, int count)
{
    double deepest = 0.0;
    for (int i = 0; i < count; i++)
        deepest = fmax(deepest, -contacts[i].gap);
    return deepest;
}

// The first contacts on the way that overlap by more than `depth`. Returns their number, and the
// share of the way where that is, and where it was not yet.
static int findFirst(palWorldStep* world, palWorldPair* pair, double depth,
                     palRigidContact contacts[contactsMost], double* at, double* before)
{
    int parts = partsOf(world, pair), unseen;
    *before = 0.0;
    for (int k = 1; k <= parts; k++)
    {
        *at = (double)k / parts;
        int count = findAt(world, pair, *at, pair->tolerance, contacts, &unseen);
        world->overflow = world->overflow || unseen > 0;
        if (deepestOf(contacts, count) > depth)
            return count;
        *before = *at;
    }
    return 0;
}

bool palWorldStep_CollideSolids(palWorldStep* world, palWorldPair* pair, double spacing)
{
    (void)spacing;
    palRigidContact contacts[contactsMost];
    double at, before;
    bool any = false;
    int count = findFirst(world, pair, pair->tolerance, contacts, &at, &before);
    for (int i = 0; i < count; i++)
    {
        if (contacts[i].gap > -pair->tolerance)
            continue;
        any = true;
        if (world->linkCount == world->contactsMax)
            palWorldStep_Drop(world, palWorldStep_IsIdle);
        palLink link = makeLink(world, pair, &contacts[i]);
        palWorldStep_PutContact(world, pair, &link);
    }
    return any;
}

double palWorldStep_PushSolids(palWorldStep* world, palWorldPair* pair, double most)
{
    palRigidContact contacts[contactsMost];
    int unseen;
    int count = findAt(world, pair, 1.0, pair->tolerance, contacts, &unseen);
    palWorldBody *a = world->bodies[pair->a], *b = world->bodies[pair->b];
    double shareA = palWorldStep_ShareOfA(a, b);
    for (int i = 0; i < count; i++)
    {
        double depth = -contacts[i].gap;
        if (!(depth > pair->tolerance))
            continue;
        palVec3 out = palScale(fmin(depth, most), contacts[i].normal);
        palSurfacePlace none = palMakeVertexPlace(0); // a rigid body moves as a whole
        if (shareA > 0.0)
            a->ops->push(a, &none, palScale(shareA, out), depth);
        if (shareA < 1.0)
            b->ops->push(b, &none, palScale(shareA - 1.0, out), depth);
        world->pushed++;
    }
    return deepestOf(contacts, count);
}

double palWorldStep_FirstSolidCollision(palWorldStep* world, palWorldPair* pair, double most)
{
    palRigidContact contacts[contactsMost];
    int unseen;
    int count = findAt(world, pair, 0.0, pair->tolerance, contacts, &unseen);
    double depth = fmax(most, startSlack * deepestOf(contacts, count));
    double at, before;
    return findFirst(world, pair, depth, contacts, &at, &before) > 0 ? before : 1.0;
}
