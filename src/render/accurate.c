// SPDX-License-Identifier: Apache-2.0
// `accurate`: contact that stays right between updates.
//
// T. Knott and T. Kuhlen, "Accurate contact modeling for multi-rate single-point haptic rendering
// of static and deformable environments", 2015. Equation and section numbers are the paper's.
//
// Every triangle near the proxy becomes a geometrically limited constraint (GLC, section 3.3).
// Together they describe the surface wherever the proxy may go until the next snapshot.
//
//     paper (section 3.2)                                             here
//     L1  dynamics problem, A and b of eq. (3)                        L1  describe, soft_side.h
//     L2  proximity query                                             L3  find
//     L3  GLCs: ψ, τ1, τ2 with their bounds, eqs. (6), (7);           L4  describe, patch.h
//         outer trust region, eq. (13)                                L4  describe
//     L4  response matrices Aψ, eq. (5), and Aτ, eq. (11)             L5  describe, soft_patch.h
//     L5  share data with the high rate                               L7  pipelines.c
//
//     H1  device state                                                H1  pipelines.c
//     H2  bψ, Δbψ, eq. (5), bτ, Δbτ, eq. (11): x_free, eq. (14)       H2  moveFreely
//                                              ψ, τ on the way there  H3  findGaps
//     H3  solve (sections 3.4, 3.5), iterating over                   H4  solve, walk.h
//           active set, eqs. (9), (11)
//           convex sets, eq. (8)
//           in each the least violated plane, eq. (12)
//           other constraints: friction
//           inner trust region
//     H4  new object states, eq. (3)                                  H5  correct
//     H5  coupling force to the device                                H6  pipelines.c
//     H6  share object states with the low rate                       H6  pipelines.c
//
// The new state of soft bodies (section 4) is L6 of the following low-rate step, `advance`.
//
// Where this goes beyond the paper (for the solver see walk.h):
//   - The outer trust region is the whole ball that the query covers, not the box in it, centred
//     where the proxy will be in the middle of the snapshot's life. Where the ball is empty it
//     extends to the closest surface, so that a hand in free space is not held.
//   - Soft surfaces move at the high rate too (soft_patch.h), and the compliance of the solver is
//     that of proxy and body together (soft_touch.h). The proxy slides on them by normals that are
//     continuous across faces, as with `standard`: both agree at rest.
#include "base/error.h"
#include "render/common.h"
#include "touch/shell.h"
#include "touch/soft_touch.h"
#include "touch/walk.h"

#include <stdlib.h>

static const double leadShare = 0.75;  // of the radius: largest offset of the ball's centre
static const double rigidDepth = 1e-5; // d of eq. (7) as a share of the radius
static const double softDepth = 5e-3;  // likewise: a soft surface may rotate under the proxy

typedef struct palAccurate
{
    palMethod method;
    palShell* shells;     // owned, [colliderCount]; of surfaces felt as point shells
    palSoftContact* soft; // borrowed: what the hands share; NULL where nothing is soft
    palSoftTouch* touch;  // owned, high rate; likewise

    // The low-rate step under way: the ball that is described, and the triangles in it.
    palVec3 centre;               // m
    double radius;                // m
    double clearance;             // m, where it is empty: distance of the closest surface
    int found[pal_patchFacesMax]; // by collider
    int* counts;                  // owned, [surfaces]: of each collider
    int total;

    // The tick under way.
    palPointFree free;
    palWalk walk;
    palVec3 lambda; // on the proxy, N
} palAccurate;

static void release(palMethod* method)
{
    palAccurate* accurate = (palAccurate*)method;
    for (int i = 0; i < method->def.colliderCount && accurate->shells != NULL; i++)
        palShell_Free(&accurate->shells[i]);
    free(accurate->shells);
    free(accurate->counts);
    if (accurate->touch != NULL)
        palSoftTouch_Free(accurate->touch);
    free(accurate->touch);
}

static palResult makeShells(palAccurate* accurate, palError* error)
{
    const palMethodDef* def = &accurate->method.def;
    size_t count = (size_t)def->colliderCount + 1;
    accurate->shells = calloc(count, sizeof *accurate->shells);
    accurate->counts = calloc((size_t)palMethodDef_Surfaces(def) + 1, sizeof *accurate->counts);
    if (accurate->shells == NULL || accurate->counts == NULL)
        return palError_Memory(error, "point shells", count * sizeof *accurate->shells);
    palResult result = pal_ok;
    for (int i = 0; i < def->colliderCount && result == pal_ok; i++)
        if (def->colliders[i].points)
            result = palShell_Init(&accurate->shells[i], &def->colliders[i], error);
    return result;
}

static palResult init(palMethod* method, palError* error)
{
    palAccurate* accurate = (palAccurate*)method;
    palResult result = makeShells(accurate, error);
    accurate->soft = palSoftShared_Contact(method);
    if (result != pal_ok || accurate->soft == NULL)
        return result;
    accurate->touch = calloc(1, sizeof *accurate->touch);
    if (accurate->touch == NULL)
        return palError_Memory(error, "touching soft bodies", sizeof *accurate->touch);
    return palSoftTouch_Init(accurate->touch, &method->def, accurate->soft, error);
}

static palResult makeSnapshot(const palMethod* method, palHandSnapshot* snapshot, palError* error)
{
    (void)method;
    return palPatch_Init(&snapshot->patch, error);
}

// The expected position of the proxy in the middle of the life of the snapshot being made,
// extrapolated by its velocity or, where the present trust region holds it, towards the device. At
// most leadShare of the radius ahead, so that the proxy is inside the ball.
static palVec3 predictCentre(const palMethodDef* def, const palHapticHand* hand, double radius)
{
    double middle = def->latency + 0.5 * def->lowDt;
    palVec3 ahead = palMulAdd(hand->device, middle, hand->deviceSpeed);
    palVec3 lead = hand->held ? palSub(ahead, hand->body.x) : palScale(middle, hand->body.v);
    double length = palLength(lead);
    double most = leadShare * radius;
    if (length > most)
        lead = palScale(most / length, lead);
    return palAdd(hand->body.x, lead);
}

// The number of triangles in a ball relative to the capacity of a contact description: that of the
// patch or that of the soft patch, whichever is more. Above 1 they do not fit.
static double fillRatio(const palMethodDef* def, palVec3 centre, double radius, int softRoom)
{
    int total = 0, soft = 0;
    for (int i = 0; i < palMethodDef_Surfaces(def); i++)
    {
        int count = palBvh_Within(def->colliders[i].bvh, centre, radius, 0, NULL);
        total += count;
        if (palCollider_Yields(&def->colliders[i]))
            soft += count;
    }
    return fmax((double)total / pal_patchFacesMax, (double)soft / softRoom);
}

// The largest ball, at most that of the query, whose triangles fit in a contact description. The
// proxy is inside it: nothing between the proxy and the ball would be described.
static double coveredBall(const palMethodDef* def, const palHapticHand* hand, int softRoom,
                          palVec3* centre)
{
    double radius = def->radius;
    const int shrinkingsMax = 60;
    for (int i = 0; i < shrinkingsMax; i++)
    {
        *centre = predictCentre(def, hand, radius);
        double full = fillRatio(def, *centre, radius, softRoom);
        if (full <= 1.0)
            break;
        // Count scales with area; the factor 0.9 guarantees progress.
        radius *= fmin(0.9, sqrt(1.0 / full));
    }
    return radius;
}

// The triangles within the ball.
static void findTriangles(palAccurate* accurate)
{
    const palMethodDef* def = &accurate->method.def;
    accurate->total = 0;
    for (int i = 0; i < palMethodDef_Surfaces(def); i++)
    {
        int room = pal_patchFacesMax - accurate->total;
        int count = palBvh_Within(def->colliders[i].bvh, accurate->centre, accurate->radius, room,
                                  accurate->found + accurate->total);
        accurate->counts[i] = count < room ? count : room;
        accurate->total += accurate->counts[i];
    }
}

// L4: a GLC for each face, then for each concave edge of closed surfaces. Soft bodies have a
// description of their own.
static void addConstraints(const palAccurate* accurate, palPatch* patch)
{
    const palMethodDef* def = &accurate->method.def;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0, k = 0; i < palMethodDef_Surfaces(def); i++)
            for (int j = 0; j < accurate->counts[i]; j++, k++)
            {
                if (palCollider_Yields(&def->colliders[i]) ||
                    (pass == 1 && !def->colliders[i].closed))
                    continue;
                if (def->colliders[i].points && pass == 0)
                    palShell_Add(&accurate->shells[i], &def->colliders[i], i, accurate->found[k],
                                 patch);
                else if (pass == 0)
                    palPatch_AddFace(patch, &def->colliders[i], i, accurate->found[k],
                                     def->settings.accurate.limits);
                else if (!def->colliders[i].points)
                    palPatch_AddConcaveEdges(patch, &def->colliders[i], i, accurate->found[k]);
            }
}

// L3: all triangles around the expected position of the proxy.
static void find(palMethod* method, palLowStep* step)
{
    palAccurate* accurate = (palAccurate*)method;
    const palMethodDef* def = &method->def;
    int softRoom = accurate->soft != NULL ? accurate->soft->side.patch.vertexCapacity : 1;
    accurate->radius = coveredBall(def, palLowStep_Hand(step, method), softRoom, &accurate->centre);
    findTriangles(accurate);
    palNearest nearest;
    bool isAnything =
        accurate->total == 0 && palColliders_Nearest(def->colliders, palMethodDef_Surfaces(def),
                                                     accurate->centre, INFINITY, &nearest);
    accurate->clearance = isAnything ? nearest.closest.distance : INFINITY;
    if (accurate->soft != NULL)
        accurate->soft->side.near[def->hand] =
            (palHandPlaces){&accurate->centre, 1, accurate->radius};
}

// L4: the GLCs of all but soft bodies, and the outer trust region.
static void describe(palMethod* method, palLowStep* step)
{
    palAccurate* accurate = (palAccurate*)method;
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    double radius = accurate->radius;
    if (accurate->soft != NULL)
        radius = accurate->soft->side.near[method->def.hand].radius;
    palPatch_Clear(&snapshot->patch, accurate->centre);
    addConstraints(accurate, &snapshot->patch);
    snapshot->trustCentre = accurate->centre;
    snapshot->trustRadius = accurate->total > 0 ? radius : accurate->clearance;
    snapshot->trustRadius -= fmin(snapshot->patch.overhang, 0.5 * radius);
    snapshot->shrunk = radius < method->def.radius;
    int contacts = snapshot->patch.count;
    if (accurate->soft != NULL)
        contacts += step->snapshot->soft->faceCount;
    step->info.contacts += contacts;
    step->info.constraints += 3 * contacts; // one normal, two of friction
}

// Shortens the motion to half the distance within which all faces of this tick are known: while the
// proxy slides it goes at most twice as far.
static palVec3 shortenGoal(const palWalk* walk, const palSoftTouch* touch)
{
    double way = palDistance(walk->x, walk->goal);
    double most = 0.5 * touch->reach;
    return way > most ? palLerp(walk->x, walk->goal, most / way) : walk->goal;
}

// H2: free motion of the proxy, eq. (3) with λ = 0, giving x_free of eq. (14).
static void moveFreely(palMethod* method, palTick* tick)
{
    palAccurate* accurate = (palAccurate*)method;
    const palDeviceState* device = &tick->device;
    accurate->free =
        palPoint_FreeMotion(&method->def.body, tick->body, device->position, device->velocity);
}

// H3: the surfaces on the way there: rigid ones of the snapshot, soft ones after their free motion.
static void findGaps(palMethod* method, palTick* tick)
{
    palAccurate* accurate = (palAccurate*)method;
    const palHandSnapshot* snapshot = tick->view;
    palSoftTouch* touch = accurate->touch;
    palWalk* walk = &accurate->walk;
    *walk = (palWalk){
        .patch = &snapshot->patch,
        .trustCentre = snapshot->trustCentre,
        .trustRadius = snapshot->trustRadius,
        .unit = method->def.radius,
        .depth = rigidDepth * method->def.radius,
        .goal = accurate->free.x,
        .x = tick->body->x,
    };
    if (touch == NULL)
        return;
    palSoftContact_BeginTurn(accurate->soft, snapshot->whole->soft, method->def.hand);
    palSoftTouch_Find(touch, accurate->soft, snapshot, walk->x, walk->goal,
                      PAL_SURFACE_OFFSET * walk->unit, method->def.settings.accurate.limits);
    walk->depth = softDepth * walk->unit;
    if (touch->isShort)
        walk->goal = shortenGoal(walk, touch);
    // The trust region moves with the described soft surface, unless rigid faces are near.
    if (snapshot->patch.count == 0)
        walk->trustCentre = palAdd(walk->trustCentre, touch->drift);
}

// Rigid surfaces: the constrained position, and the force that leads there.
static void solveRigid(palAccurate* accurate, palTick* tick)
{
    palWalk* walk = &accurate->walk;
    walk->W = palMakeMat3Scale(accurate->free.compliance);
    palMat3Inverse(walk->W, &walk->stiffness);
    palWalk_Solve(walk, &tick->info);
    accurate->lambda = palMat3Apply(walk->stiffness, palSub(walk->x, walk->goal));
}

// The same with soft surfaces, whose compliance adds to the proxy's. Where the proxy slides it is
// evaluated again at the new point.
static void solveSoft(palAccurate* accurate, palTick* tick)
{
    const int passes = 2;
    const palHandSnapshot* snapshot = tick->view;
    palSoftTouch* touch = accurate->touch;
    palWalk* walk = &accurate->walk;
    for (int pass = 0; pass < passes; pass++)
    {
        palSoftTouch_Begin(touch, snapshot, accurate->free.compliance, walk);
        palWalk_Solve(walk, &tick->info);
        if (!palSoftTouch_Slide(touch, snapshot, walk))
            break;
    }
    palSoftTouch_Smooth(touch, snapshot, walk, &tick->info);
    walk->goal = accurate->free.x;
    accurate->lambda =
        palSoftTouch_Push(touch, accurate->soft, snapshot, walk, tick->info.active > 0);
}

// H4: contact force on the proxy, sections 3.4 and 3.5.
static void solve(palMethod* method, palTick* tick)
{
    palAccurate* accurate = (palAccurate*)method;
    if (accurate->soft != NULL)
        solveSoft(accurate, tick);
    else
        solveRigid(accurate, tick);
    tick->info.constraints = 3 * accurate->walk.patch->count;
}

// H5: eq. (3) with that force, and the coupling force on the hand.
static void correct(palMethod* method, palTick* tick)
{
    palAccurate* accurate = (palAccurate*)method;
    const palPointModel* model = &method->def.body;
    const palDeviceState* device = &tick->device;
    palPointState* body = tick->body;
    palHighInfo* info = &tick->info;
    *body = palPoint_Correct(model, &accurate->free, accurate->lambda);
    if (accurate->soft == NULL)
        body->x = accurate->walk.x; // the same to rounding, which matters just above the surface
    else
        info->surfaceGap = palSoftTouch_Gap(accurate->touch, accurate->soft, tick->view, body->x);
    palWalk_Report(&accurate->walk, accurate->lambda, body->x, &method->def, info);
    info->force = palPoint_CouplingForce(model, body, device->position, device->velocity);
}

static void archiveMethod(palMethod* method, palArchive* archive)
{
    palAccurate* accurate = (palAccurate*)method;
    if (accurate->touch != NULL)
        palSoftTouch_Archive(accurate->touch, archive);
}

// For drawing, as Fig. 6 of the paper: the active GLCs at x and their convex sets. x was reached a
// step ago, so that the tolerances are ten times those of the solver.
static int actingSets(const palMethod* method, const palHandSnapshot* snapshot, palVec3 x,
                      int capacity, int* limited, int* set)
{
    double unit = 10.0 * method->def.radius;
    palWalk walk = {
        .patch = &snapshot->patch, .unit = unit, .depth = rigidDepth * unit, .goal = x, .x = x};
    int sets[pal_walkActiveMax];
    palWalk_FindSets(&walk, sets);
    int count = walk.activeCount < capacity ? walk.activeCount : capacity;
    for (int i = 0; i < count; i++)
    {
        limited[i] = walk.active[i];
        set[i] = sets[i];
    }
    return count;
}

const palMethodOps pal_methodAccurate = {
    .name = "accurate",
    .hand = pal_handPoint,
    .shared = &pal_sharedSoft,
    .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSoft) |
               PAL_ACCEPTS(pal_partPoints) | PAL_ACCEPTS(pal_partWire) | PAL_ACCEPTS(pal_partJoint),
    .size = sizeof(palAccurate),
    .trustShare = 1.0,
    .init = init,
    .free = release,
    .makeSnapshot = makeSnapshot,
    .find = find,
    .describe = describe,
    .moveFreely = moveFreely,
    .findGaps = findGaps,
    .solve = solve,
    .correct = correct,
    .archive = archiveMethod,
    .actingSets = actingSets,
};
