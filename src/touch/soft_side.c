// SPDX-License-Identifier: Apache-2.0
#include "touch/soft_side.h"

#include "base/error.h"
#include "collide/tube.h"

#include <stdlib.h>
#include <string.h>

enum
{
    tieEntries = 48, // a row that ties bodies: two points of three vertices in eight nodes each
};

int palSoftSide_Count(const palMethodDef* def)
{
    int count = 0;
    for (int i = 0; i < palMethodDef_Surfaces(def); i++)
        count += palCollider_Yields(&def->colliders[i]);
    return count;
}

// The soft bodies in the order of the colliders, then the wires. Returns how many are soft.
static int collectBodies(palSoftSide* side, palSoftBody** bodies)
{
    int count = 0, soft = 0;
    for (int i = 0; i < side->colliderCount; i++)
    {
        bool yields = palCollider_Yields(&side->colliders[i]);
        side->softOf[i] = yields ? count : -1;
        if (!yields)
            continue;
        side->objects[count++] = i;
        if (side->colliders[i].soft != NULL)
            bodies[soft++] = side->colliders[i].soft;
    }
    return soft;
}

palWireSide* palSoftSide_Wire(const palSoftSide* side, int object)
{
    int number = side->softOf[object] - side->islands->bodyCount;
    return number >= 0 ? &side->wires[number] : NULL;
}

int palSoftSide_Island(const palSoftSide* side, int object)
{
    int number = side->softOf[object];
    return palSoftSide_Wire(side, object) != NULL ? number : side->islands->islandOf[number];
}

static palResult createWires(palSoftSide* side, const palMethodDef* def, palError* error)
{
    palResult result = pal_ok;
    if (def->wireCount == 0)
        return pal_ok;
    side->wires = calloc((size_t)def->wireCount, sizeof *side->wires);
    if (side->wires == NULL)
        return palError_Memory(error, "the contact side of wires",
                               (size_t)def->wireCount * sizeof *side->wires);
    for (int i = 0; i < def->wireCount && result == pal_ok; i++)
        result = palWireSide_Init(&side->wires[side->wireCount++], &side->world->step, i,
                                  &def->colliders[def->colliderCount + i], side->handCount, error);
    return result;
}

// What there is one of for each surface.
static palResult allocateBySurface(palSoftSide* side, palError* error)
{
    size_t count = (size_t)side->colliderCount + 1;
    side->softOf = calloc(count, sizeof *side->softOf);
    side->objects = calloc(count, sizeof *side->objects);
    side->contacts = calloc(count, sizeof *side->contacts);
    side->patchIsland = calloc(count, sizeof *side->patchIsland);
    side->stamps = calloc(count, sizeof *side->stamps);
    side->nearParts = calloc(count, sizeof *side->nearParts);
    side->nodes = calloc(count, sizeof *side->nodes);
    side->radii = calloc(count, sizeof *side->radii);
    side->touched = calloc(count, sizeof *side->touched);
    side->islandContacts = calloc(count, sizeof *side->islandContacts);
    side->pushes = calloc(count, sizeof *side->pushes);
    bool isComplete = side->softOf && side->objects && side->contacts && side->patchIsland &&
                      side->stamps && side->nearParts && side->nodes && side->radii &&
                      side->touched && side->islandContacts && side->pushes;
    return isComplete ? pal_ok : palError_Memory(error, "the contact side of soft bodies", count);
}

// The dots of all soft bodies, close enough for the smallest tip, but not so close that the circle
// of the largest cannot hold them (pal_tipDotsMax).
static palResult makeTips(palSoftSide* side, int count, palError* error)
{
    double least = INFINITY, most = 0.0;
    for (int h = 0; h < side->handCount; h++)
    {
        most = fmax(most, side->tipRadius[h]);
        if (side->tipRadius[h] > 0.0)
            least = fmin(least, side->tipRadius[h]);
    }
    if (least == INFINITY)
        return pal_ok;
    size_t surfaces = (size_t)side->colliderCount;
    side->tips = calloc(surfaces, sizeof *side->tips);
    side->pressed = calloc(surfaces * (size_t)side->handCount, sizeof *side->pressed);
    palResult result = pal_ok;
    if (side->tips == NULL || side->pressed == NULL)
        result = palError_Memory(error, "the tips of hands", surfaces * sizeof *side->tips);
    for (int i = 0; i < count && result == pal_ok; i++)
    {
        const palCollider* collider = &side->colliders[side->objects[i]];
        result = palTipDots_Init(&side->tips[i], &collider->surface, &collider->skin,
                                 collider->soft, fmax(least, 0.5 * most), error);
    }
    return result;
}

static palResult allocate(palSoftSide* side, palSoftBody* const* bodies, int count,
                          const palMethodDef* defs, palError* error)
{
    int nodes = 0;
    palResult result =
        palSoftPatch_Init(&side->patch, count + side->wireCount, defs, side->handCount, error);
    if (result == pal_ok)
        result = makeTips(side, count, error);
    if (result == pal_ok)
        result = palSoftHold_Init(&side->hold, error);
    if (result != pal_ok)
        return result;
    size_t bytes = (pal_nodeShapesMax + 1) * sizeof *side->nodeShapes;
    side->nodeShapes = calloc(pal_nodeShapesMax + 1, sizeof *side->nodeShapes);
    for (int i = 0; i < count; i++)
        nodes = bodies[i]->nodeCount > nodes ? bodies[i]->nodeCount : nodes;
    side->nodeSlots = malloc(((size_t)nodes + 1) * sizeof *side->nodeSlots);
    side->meanNormals = calloc((size_t)side->patch.vertexCapacity, sizeof *side->meanNormals);
    side->spreadNodes = malloc(((size_t)nodes + 1) * sizeof *side->spreadNodes);
    side->spreadShares = calloc((size_t)nodes + 1, sizeof *side->spreadShares);
    for (int i = 0; i < nodes && side->nodeSlots != NULL; i++)
        side->nodeSlots[i] = -1;
    side->triangles = calloc((size_t)side->patch.faceCapacity, sizeof *side->triangles);
    side->found = calloc((size_t)side->patch.faceCapacity, sizeof *side->found);
    bool isComplete = side->nodeShapes && side->nodeSlots && side->meanNormals &&
                      side->spreadNodes && side->spreadShares && side->triangles && side->found;
    for (int i = 0; i < count + side->wireCount && isComplete; i++)
    {
        const palSurface* surface = &side->colliders[side->objects[i]].surface;
        size_t rows = i < count ? 3 * (size_t)bodies[i]->freeCount : 0;
        side->contacts[i] = calloc(rows + 3, sizeof(double));
        side->stamps[i] = calloc((size_t)surface->triangleCount + 1, sizeof(int));
        isComplete = side->contacts[i] && side->stamps[i];
    }
    return isComplete ? pal_ok : palError_Memory(error, "the contact side of soft bodies", bytes);
}

// Nodes of an island that the modes answer exactly, for all hands.
static int answeredNodes(const palSoftSide* side)
{
    int count = 0;
    for (int i = 0; i < side->handCount; i++)
        count += side->isTool[i] ? pal_toolNodesMax : pal_responseNodes;
    return count < pal_responseNodesMax ? count : pal_responseNodesMax;
}

palResult palSoftSide_Init(palSoftSide* side, const palMethodDef* defs, int handCount,
                           palError* error)
{
    const palMethodDef* def = &defs[0]; // what all hands have in common
    *side = (palSoftSide){
        .colliders = def->colliders,
        .colliderCount = palMethodDef_Surfaces(def),
        .handCount = handCount,
    };
    for (int i = 0; i < handCount; i++)
    {
        side->isTool[i] = defs[i].tool != NULL;
        side->tipRadius[i] = defs[i].tipRadius;
    }
    side->dt = def->body.dt;
    side->proxyMass = def->body.mass;
    side->frozen = palIsFrozen(def);
    side->radius = def->radius;
    palSoftWorldDef world = {
        .colliders = def->colliders,
        .colliderCount = def->colliderCount,
        .factor = palMethodDef_SoftFactor(def),
        .wires = def->wires,
        .wireCount = def->wireCount,
        .joints = def->joints,
        .jointCount = def->jointCount,
        .lookAhead = def->lowDt + def->latency,
        .radius = def->radius,
    };
    palSoftBody** bodies = malloc(((size_t)side->colliderCount + 1) * sizeof *bodies);
    palResult result = bodies != NULL ? allocateBySurface(side, error)
                                      : palError_Memory(error, "the soft bodies", sizeof *bodies);
    if (result == pal_ok && def->ties == NULL)
        result = palSoftWorld_Create(&world, &side->world, error);
    side->ties = side->world != NULL ? &side->world->ties : def->ties;
    int count = result == pal_ok ? collectBodies(side, bodies) : 0;
    palIslandsDef islands = {
        .factor = palMethodDef_SoftFactor(def),
        .bodies = bodies,
        .bodyCount = count,
        .maxRows = side->ties != NULL ? side->ties->maxRows : 0,
    };
    islands.nodes = answeredNodes(side);
    islands.maxEntries = tieEntries * islands.maxRows;
    if (side->ties != NULL && side->ties->maxEntries > 0)
        islands.maxEntries = side->ties->maxEntries;
    if (result == pal_ok)
        result = palIslands_Create(&islands, &side->islands, error);
    if (result == pal_ok)
        result = createWires(side, def, error);
    if (result == pal_ok)
        result = allocate(side, bodies, count, defs, error);
    if (result == pal_ok)
        result =
            palTrack_Init(&side->forces, sizeof(palSoftPush), handCount * pal_softPushesMax, error);
    if (result == pal_ok)
        result = palAbut_Init(&side->abut, def->colliders, palMethodDef_Surfaces(def), def->radius,
                              error);
    free(bodies);
    if (result != pal_ok)
        palSoftSide_Free(side);
    return result;
}

void palSoftSide_Free(palSoftSide* side)
{
    palIslands_Destroy(side->islands);
    for (int i = 0; i < side->wireCount; i++)
        palWireSide_Free(&side->wires[i]);
    free(side->wires);
    palSoftWorld_Destroy(side->world);
    palSoftPatch_Free(&side->patch);
    palSoftHold_Free(&side->hold);
    palAbut_Free(&side->abut);
    palTrack_Free(&side->forces);
    for (int i = 0; i < side->colliderCount && side->stamps != NULL && side->contacts != NULL; i++)
    {
        free(side->contacts[i]);
        free(side->stamps[i]);
    }
    free(side->softOf);
    free(side->objects);
    free(side->contacts);
    free(side->patchIsland);
    free(side->stamps);
    free(side->nearParts);
    free(side->nodes);
    free(side->radii);
    free(side->touched);
    free(side->islandContacts);
    free(side->pushes);
    for (int i = 0; i < side->colliderCount && side->tips != NULL; i++)
        palTipDots_Free(&side->tips[i]);
    free(side->tips);
    free(side->pressed);
    free(side->nodeShapes);
    free(side->nodeSlots);
    free(side->meanNormals);
    free(side->spreadNodes);
    free(side->spreadShares);
    free(side->triangles);
    free(side->found);
    *side = (palSoftSide){0};
}

void palSoftSide_Archive(palSoftSide* side, palArchive* archive)
{
    if (side->world != NULL)
        palSoftWorld_Archive(side->world, archive);
    if (archive->isRestoring && side->ties != NULL)
        side->builtTies = side->ties->rows; // as they are from one correction to the next
    palIslands_Archive(side->islands, archive);
    for (int i = 0; i < side->wireCount; i++)
        palWireSide_Archive(&side->wires[i], archive);
    PAL_ARCHIVE(archive, side->hand);
    PAL_ARCHIVE(archive, side->time);
    palSoftPatch_Archive(&side->patch, archive);
    palTrack_Archive(&side->forces, archive);
    PAL_ARCHIVE_ARRAY(archive, side->patchIsland, side->colliderCount);
    if (side->pressed != NULL)
        PAL_ARCHIVE_ARRAY(archive, side->pressed, side->colliderCount * side->handCount);
    palAbut_Archive(&side->abut, archive);
    PAL_ARCHIVE(archive, side->failures);
}

// ---------------------------------------------------------------------------------------------
// Motion

void palSoftSide_Circle(const palSoftSide* side, int hand, int soft, int vertex,
                        palTipCircle* circle)
{
    double R = side->tipRadius[hand];
    circle->count = 0;
    if (!(R > 0.0))
        return;
    const palCollider* collider = &side->colliders[side->objects[soft]];
    double a = palTip_Radius(R, *palSoftSide_Pressed(side, hand, soft), collider->soft);
    palTipDots_Circle(&side->tips[soft], &side->tips[soft].vertices[vertex], a, circle);
}

void palSoftSide_AddForce(const palSoftSide* side, const palSoftPush* push, double* rows)
{
    const palCollider* collider = &side->colliders[push->object];
    int soft = side->softOf[push->object];
    palTipCircle circle;
    if (!(side->tipRadius[push->hand] > 0.0))
        palSkin_AddForce(&collider->skin, collider->soft, &push->at, push->force, rows);
    for (int k = 0; k < 3 && side->tipRadius[push->hand] > 0.0; k++)
    {
        palVec3 force = palScale(push->at.weights[k], push->force);
        palSurfacePlace vertex = palMakeVertexPlace(push->at.vertices[k]);
        palSoftSide_Circle(side, push->hand, soft, push->at.vertices[k], &circle);
        if (circle.count > 0)
            palTipDots_AddForce(&side->tips[soft], &circle, force, rows);
        else
            palSkin_AddForce(&collider->skin, collider->soft, &vertex, force, rows);
    }
}

void palSoftSide_ClearContact(palSoftSide* side, int soft)
{
    const palSoftBody* body = side->colliders[side->objects[soft]].soft;
    memset(side->contacts[soft], 0, 3 * (size_t)body->freeCount * sizeof(double));
}

// The generalised forces of a tick on an island.
static bool pushIsland(const void* of, int index, const palTickForces* forces, double* p)
{
    const palSoftSide* side = of;
    return side->patchIsland[index] >= 0 &&
           palSoftPatch_Pushes(&side->patch, side->patchIsland[index], forces, p);
}

// Keeps its unstable modes where the high rate saw them.
static void observeIsland(const void* of, int index, const palTickForces* forces,
                          palModesState* state)
{
    const palSoftSide* side = of;
    palSoftPatch_Observe(&side->patch, side->patchIsland[index], forces, state);
}

// As pushIsland, and adds the forces to the vectors of its bodies.
static bool pushTied(const void* of, int index, const palTickForces* forces, double* p)
{
    const palSoftSide* side = of;
    const palSoftPush* pushes = ((const palSoftForce*)forces)->pushes;
    bool acts = pushIsland(side, index, forces, p);
    for (int i = 0; i < forces->count && acts; i++)
    {
        int object = pushes[i].object;
        if (palSoftSide_Island(side, object) == index)
            palSoftSide_AddForce(side, &pushes[i], side->contacts[side->softOf[object]]);
    }
    return acts;
}

// Whether some of an island's nodes are held. One that hands alone hold keeps its momentum, and is
// corrected by observeIsland.
static bool isHeld(const palSoftSide* side, const palIsland* island)
{
    for (int b = 0; b < island->bodyCount; b++)
    {
        const palSoftBody* body = side->colliders[side->objects[island->bodies[b]]].soft;
        if (body->freeCount < body->nodeCount)
            return true;
    }
    return false;
}

// Keeps the places that tools pushed in the last tick of a replay where the high rate saw them. The
// forces for that are added to the vectors of tied bodies.
static void holdPlaces(palSoftSide* side, int index, bool isTied, palReplay* replay)
{
    const palTickForces* last = NULL;
    const palTickForces* forces;
    int patchIsland = side->patchIsland[index];
    for (int k = 0; (forces = palTrack_Before(&side->forces, replay->until + 0.5 * side->dt, k));
         k++)
        last = forces;
    if (last == NULL || patchIsland < 0 || replay->steps == 0 ||
        !isHeld(side, &side->islands->islands[index]))
        return;
    const palSoftForce* given = (const palSoftForce*)last;
    palSoftHold_Correct(&side->hold, &side->patch, patchIsland, given, side->isTool,
                        replay->steps * side->dt, &replay->end);
    for (int i = 0; i < side->hold.count && isTied; i++)
    {
        palSoftPush push = given->pushes[side->hold.pushes[i]];
        push.force = palScale(replay->steps * side->hold.lambda[i], side->hold.directions[i]);
        palSoftSide_AddForce(side, &push, side->contacts[side->softOf[push.object]]);
    }
}

// The mean forces of the rows that tie an island, after its replay; contacts hold the sums of
// forces over the steps.
static void findTieForces(palSoftSide* side, int index, const palReplay* replay)
{
    const palIsland* island = &side->islands->islands[index];
    const double** contact = side->islandContacts;
    for (int b = 0; b < island->bodyCount; b++)
    {
        int soft = island->bodies[b];
        int rows = 3 * side->colliders[side->objects[soft]].soft->freeCount;
        for (int i = 0; i < rows; i++)
            side->contacts[soft][i] /= replay->steps;
        contact[b] = side->contacts[soft];
    }
    palIslandReplay motion = {replay->steps * side->dt, &replay->end, replay->mean, contact};
    palIslands_Reaction(side->islands, index, &side->builtTies, &motion, side->ties->forces);
}

// The mean friction of an island over its replay, for the world, and of tied bodies as a part of
// what acts on them.
static void takeRubs(palSoftSide* side, bool isTied, const palReplay* replay)
{
    const palModes* modes = replay->modes;
    for (int j = 0; j < modes->rubCount; j++)
        for (int r = 0; r < pal_rubRows; r++)
        {
            palRubs rubs = palSoftRubs_Rows(&side->world->rubs);
            int row = pal_rubRows * modes->rubs[j].source + r;
            double force = replay->steps * replay->rub[j][r];
            rubs.forces[row] = replay->rub[j][r];
            for (int e = rubs.rows.start[row]; e < rubs.rows.start[row + 1] && isTied; e++)
            {
                int soft = rubs.rows.bodies[e];
                int free = side->colliders[side->objects[soft]].soft->freeIndex[rubs.rows.nodes[e]];
                const palVec3 at = rubs.rows.values[e];
                side->contacts[soft][3 * free] += force * at.x;
                side->contacts[soft][3 * free + 1] += force * at.y;
                side->contacts[soft][3 * free + 2] += force * at.z;
            }
        }
}

static void advanceFinely(palSoftSide* side, int index, double until)
{
    const palIsland* island = &side->islands->islands[index];
    bool isTied = island->rowCount > 0 && side->ties->forces != NULL;
    palReplay replay = {&island->reduction.modes, side->time, until, side->dt, .steps = 0};
    for (int b = 0; b < island->bodyCount && isTied; b++)
        palSoftSide_ClearContact(side, island->bodies[b]);
    palTrack_Replay(&side->forces, &replay, side, index, isTied ? pushTied : pushIsland,
                    observeIsland);
    holdPlaces(side, index, isTied, &replay);
    takeRubs(side, isTied, &replay);
    if (isTied && replay.steps > 0)
        findTieForces(side, index, &replay);
    palSoftBody* first = side->colliders[side->objects[island->bodies[0]]].soft;
    bool isFree = island->bodyCount == 1 && island->rowCount == 0 && !replay.isPushed;
    palMomenta before = palSoftBody_Momenta(first);
    palIslands_Move(side->islands, index, &replay.end);
    if (isFree)
        palSoftBody_KeepMomenta(first, before, replay.dt, replay.steps);
}

// Whether the hand pushed a wire before t.
static bool isPushed(const palSoftSide* side, const palWireSide* wire, double t)
{
    const palTickForces* forces;
    for (int k = 0; (forces = palTrack_Before(&side->forces, t, k)) != NULL; k++)
        for (int i = 0; i < forces->count; i++)
            if (palSoftSide_Wire(side, ((const palSoftForce*)forces)->pushes[i].object) == wire)
                return true;
    return false;
}

static void advanceWire(palSoftSide* side, int index, double until)
{
    palWireSide* wire = &side->wires[index];
    palReplay replay = {&wire->space.reduction.modes, side->time, until, side->dt, .steps = 0};
    // What the hand does not touch is stepped by the world in full.
    if (!isPushed(side, wire, until + 0.5 * side->dt))
        return;
    palTrack_Replay(&side->forces, &replay, side, side->islands->bodyCount + index, pushIsland,
                    NULL);
    if (replay.steps > 0)
        palWireSide_Predict(wire, &replay.end, replay.mean);
}

// Where the proxy copy of the low rate was imposed on a body (L1, L2 of the paper): where the hand
// pushed it, else where the proxy was. A pressed surface springs up past the proxy, which is then
// nearest to another side where an edge is near.
static palVec3 imposedAt(const palSoftSide* side, int object)
{
    const palSoftForce* last = palSoftSide_Last(side);
    for (int i = 0; i < last->head.count; i++)
        if (last->pushes[i].object == object)
            return palCollider_Point(&side->colliders[object], &last->pushes[i].at);
    return side->hand.body.x;
}

// Where that copy may touch the body: at the nearest point, whether it touched before or not.
static bool findPlane(const palSoftSide* side, int object, palModeShape* shape, palVec3* point,
                      palVec3* normal)
{
    const palCollider* collider = &side->colliders[object];
    palNearest nearest;
    int part = palSoftPatch_Part(&side->patch, object, 0);
    if (part < 0 ||
        !palColliders_Nearest(collider, 1, imposedAt(side, object), side->radius, &nearest))
        return false;
    palSurfacePlace at = palMakeTrianglePlace(collider->surface.triangles[nearest.closest.triangle],
                                              nearest.closest.weights);
    *point = nearest.closest.point;
    *normal = palCollider_ContactNormal(collider, &nearest);
    return palSoftPatch_Shape(&side->patch, part, &at, shape);
}

// The contact force of the low rate's own step h, as a generalised force on the modes: the proxy
// copy, tied to the device as it was at the start, against the body, which has moved freely to
// `state`. Both give way: δ = n·(x_free - c_free) + n·(W_proxy + W_soft) n λ.
static bool solveContact(const palSoftSide* side, int object, const palModes* modes, double h,
                         const palModesState* state, double* p)
{
    palModeShape shape;
    palVec3 c, n;
    if (!findPlane(side, object, &shape, &c, &n))
        return false;
    palPointModel model = {
        .mass = side->proxyMass,
        .stiffness = side->hand.coupling.stiffness,
        .damping = side->hand.coupling.damping,
        .gravity = side->hand.gravity,
        .dt = h,
    };
    palPointFree free =
        palPoint_FreeMotion(&model, &side->hand.body, side->hand.device, pal_zeroVec3);
    palVec3 moved = pal_zeroVec3;
    double W = free.compliance;
    for (int i = 0; i < modes->count; i++)
    {
        palVec3 b = {shape.b[0][i], shape.b[1][i], shape.b[2][i]};
        moved = palMulAdd(moved, state->q[i], b);
        W += h * h * modes->a[i] * palDot(n, b) * palDot(n, b);
    }
    double gap = palDot(n, palSub(free.x, palAdd(c, moved)));
    double lambda = fmax(0.0, -gap / W);
    for (int i = 0; i < modes->count; i++)
        p[i] = -lambda * (n.x * shape.b[0][i] + n.y * shape.b[1][i] + n.z * shape.b[2][i]);
    return lambda > 0.0;
}

// The frozen form's step, that of Dervaux et al.: free motion over the whole time at once, contact
// with a copy of the proxy, correction.
static void advanceAtOnce(palSoftSide* side, int index, double until)
{
    const palIsland* island = &side->islands->islands[index];
    palModes modes = island->reduction.modes;
    palModesState state;
    double h = until - side->time;
    if (!(h > 0.0))
        return;
    palModes_Start(&modes, &state);
    palModes_SetTime(&modes, h);
    palModes_Advance(&modes, NULL, &state);
    double p[pal_modesMax];
    for (int b = 0; b < island->bodyCount; b++)
        if (solveContact(side, side->objects[island->bodies[b]], &modes, h, &state, p))
            palModes_Correct(&modes, p, &state);
    palIslands_Move(side->islands, index, &state);
}

void palSoftSide_Advance(palSoftSide* side, const palHapticState* state)
{
    palTrack_Collect(&side->forces);
    if (side->world != NULL)
        palSoftWorld_Begin(side->world);
    for (int i = 0; i < side->islands->islandCount; i++)
    {
        if (side->frozen)
            advanceAtOnce(side, i, state->time);
        else
            advanceFinely(side, i, state->time);
    }
    for (int i = 0; i < side->wireCount; i++)
        if (side->wires[i].isBuilt)
            advanceWire(side, i, state->time);
    palTrack_Forget(&side->forces, state->time + 0.5 * side->dt);
    const palSoftForce* last = palSoftSide_Last(side);
    palVec3* pushes = side->pushes;
    memset(pushes, 0, (size_t)side->colliderCount * sizeof *pushes);
    for (int i = 0; i < last->head.count; i++)
    {
        palVec3* push = &pushes[last->pushes[i].object];
        *push = palAdd(*push, last->pushes[i].force);
    }
    if (side->world != NULL)
        palSoftWorld_Correct(side->world, state->time - side->time, pushes, &side->stepInfo);
    for (int i = 0; i < side->wireCount; i++)
        palTube_Follow(side->wires[i].tube, side->wires[i].beam.model, &side->wires[i].wire->state);
    if (side->world == NULL)
        for (int i = 0; i < side->islands->bodyCount; i++)
            palCollider_Follow(&side->colliders[side->objects[i]]);
    side->time = state->time;
    side->hand = state->hands[0];
}

void palSoftSide_AddInfo(const palSoftSide* side, palLowInfo* info)
{
    info->failures = side->failures;
    for (int i = 0; i < side->islands->bodyCount; i++)
        palLowInfo_AddFactor(info, side->islands->parts[i]->soft.factor);
    if (side->world != NULL)
        palLowInfo_AddWorld(info, &side->world->step);
}
