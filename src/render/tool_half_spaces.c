// SPDX-License-Identifier: Apache-2.0
#include "render/tool_half_spaces.h"

#include "base/error.h"

#include <stdlib.h>

enum
{
    extentPoints = 128, // half-spaces whose extent is looked for
    extentPairs = 32,
};

palResult palHalfSpaceTool_Init(palMethod* method, palError* error)
{
    ((palHalfSpaceTool*)method)->lastTouch = -INFINITY;
    return palShellMethod_Init(method, error);
}

void palHalfSpaceTool_Free(palMethod* method)
{
    palToolShell_Free(&((palShellMethod*)method)->shell);
}

palResult palHalfSpaceTool_MakeSnapshot(const palMethod* method, palHandSnapshot* snapshot,
                                        palError* error)
{
    (void)method;
    snapshot->pairs = calloc(1, sizeof *snapshot->pairs);
    if (snapshot->pairs == NULL)
        return palError_Memory(error, "pairs of edges", sizeof *snapshot->pairs);
    return palShellMethod_AddView(snapshot, error);
}

void palHalfSpaceTool_Find(palMethod* method, palLowStep* step)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    const palMethodDef* def = &method->def;
    palShellView* view = palLowStep_View(step, method)->shell;

    // The tool at the end of a step if it goes on as it moves.
    palRigidState ahead = palLowStep_Hand(step, method)->tool;
    palVec3 turn = palScale(def->body.dt, palRigid_Omega(&def->tool->model, &ahead));
    ahead.x = palMulAdd(ahead.x, def->body.dt, ahead.v);
    ahead.q = palNormalizeQuat(palMulQuat(palMakeQuatRotationVector(turn), ahead.q));

    // A half-space for each near point.
    palToolShell_FindNear(shell, &ahead, def->radius, view);
    palToolShell_AskSoft(shell, view);
}

// How far the half-spaces go along with their surfaces: of the nearest, one of which is met first.
// A tool that is touched already needs none.
static void findExtents(const palToolShell* shell, palShellView* view, palPairView* pairs)
{
    const palMethodDef* def = shell->def;
    double most = def->radius, tolerance = PAL_EXTENT_SHARE * def->radius;
    for (int i = 0; i < view->count && i < extentPoints; i++)
        palExtent_Follow(&view->near[i].extent, view->near[i].plane.n,
                         def->colliders[view->near[i].object].bvh, most, tolerance);
    for (int i = 0; i < pairs->count && i < extentPairs; i++)
    {
        palNearPair* pair = &pairs->near[i];
        palExtent_Follow(&pair->extent, pair->plane.n, def->colliders[pair->object].bvh, most,
                         tolerance);
        palExtent_FollowTool(&pair->extent, pair->plane.n, shell->features.bvh, view->pose.q,
                             pair->onTool, most, tolerance);
    }
}

void palHalfSpaceTool_Describe(palMethod* method, palLowStep* step)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    const palMethodDef* def = &method->def;
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    palShellView* view = snapshot->shell;

    // Soft surfaces, and a half-space for each near pair.
    palToolShell_TakeSoft(shell, step->snapshot->soft, view);
    palToolShell_FindFeatures(shell, def->radius, step->snapshot->soft, view);
    palShellFeatures_FindPairs(&shell->features, &view->pose, def->radius, &view->features,
                               snapshot->pairs);
    if (!palLowStep_Hand(step, method)->touched)
        findExtents(shell, view, snapshot->pairs);
    snapshot->trustCentre = palLowStep_Hand(step, method)->body.x;
    snapshot->trustRadius = def->radius;
    snapshot->shrunk = view->features.dropped > 0;
    int contacts = view->count + snapshot->pairs->count;
    step->info.contacts += contacts;
    step->info.constraints += 3 * contacts;
}

// Whether the half-space of that number, of the near points and then of the near pairs, is among
// the contacts.
static bool hasContact(const palToolShell* shell, const palHalfSpaceView* view, int index)
{
    bool isPoint = index < view->shell->count;
    palShellContactKind kind = isPoint ? pal_shellPoint : pal_shellPair;
    int part = isPoint ? view->shell->near[index].point : index - view->shell->count;
    for (int i = 0; i < shell->contactCount; i++)
        if (shell->contacts[i].kind == kind && shell->contacts[i].part == part)
            return true;
    return false;
}

// A half-space where the soft surface that it is fixed to is now.
static palPlane planeNow(const palToolShell* shell, palPlane plane, const palSoftSpot* spot)
{
    if (!spot->isSoft)
        return plane;
    palToolSoft_UseSpot(shell->soft, spot);
    plane.d = palDot(plane.n, palSurfacePlace_Point(&spot->on, shell->soft->base));
    return plane;
}

// How far the present forces compress the spring of the surface, m, at least.
static palVec3 compression(const palToolShell* shell)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < shell->contactCount && shell->give > 0.0; i++)
        sum = palMulAdd(sum, shell->give * shell->contacts[i].link.lambda[0],
                        shell->contacts[i].link.axes[0]);
    return sum;
}

// How far the place of the tool at the half-space of that number ends behind it, m, and where. The
// surface gives way by `compressed`.
static double depthAt(const palToolShell* shell, const palHalfSpaceView* view, int index,
                      palVec3 compressed, palVec3* at)
{
    bool isPoint = index < view->shell->count;
    const palNearPoint* near = &view->shell->near[isPoint ? index : 0];
    const palNearPair* pair = &view->pairs->near[isPoint ? 0 : index - view->shell->count];
    const palSoftSpot* spot = isPoint ? &near->spot : &pair->spot;
    palPlane plane = planeNow(shell, isPoint ? near->plane : pair->plane, spot);
    palVec3 onTool = isPoint ? shell->points[near->point] : pair->onTool;
    *at = palRigid_Point(&shell->tool.tool->model, &shell->end, onTool);
    palVec3 seen = *at;
    if (spot->isSoft)
        seen = palSub(seen, palToolSoft_Yield(shell->soft, spot, shell->soft->end));
    return plane.d - palDot(plane.n, seen) - fmax(0.0, palDot(plane.n, compressed));
}

// The half-space of that number: of the near points, then of the near pairs.
static palShellContact contactOf(const palToolShell* shell, const palHalfSpaceView* view, int index)
{
    if (index >= view->shell->count)
    {
        const palNearPair* pair = &view->pairs->near[index - view->shell->count];
        return (palShellContact){
            .kind = pal_shellPair,
            .point = -1,
            .part = index - view->shell->count,
            .link.ends[1].body = pair->object,
            .link.ends[0].local = pair->onTool,
            .plane = planeNow(shell, pair->plane, &pair->spot),
            .spot = pair->spot,
        };
    }
    const palNearPoint* near = &view->shell->near[index];
    return (palShellContact){
        .kind = pal_shellPoint,
        .point = near->point,
        .part = near->point,
        .link.ends[1].body = near->object,
        .link.ends[0].local = shell->points[near->point],
        .plane = planeNow(shell, near->plane, &near->spot),
        .spot = near->spot,
    };
}

// Half-spaces of the newest snapshot for the points that were held by those of the last one.
static void renewPlanes(palToolShell* shell, const palHalfSpaceView* view)
{
    int points[pal_shellContactsMax], parts[pal_shellContactsMax];
    int count = shell->contactCount;
    for (int i = 0; i < count; i++)
    {
        points[i] = shell->contacts[i].point;
        parts[i] = palShellContact_SoftPart(&shell->contacts[i]);
    }
    for (int i = 0; i < count; i++)
    {
        palVec3 force = palToolShell_Force(shell, points[i], parts[i]);
        palToolShell_Remove(shell, points[i], parts[i]);
        palShellContact contact =
            contactOf(shell, view, palToolShell_FindPoint(shell, view->shell, points[i]));
        palToolShell_Add(shell, &contact, force);
    }
}

// A new snapshot: nothing is known of its half-spaces, and the way before it is of no interest.
static void takeSnapshot(palHalfSpaceTool* tool, const palSnapshot* snapshot,
                         const palHalfSpaceView* view)
{
    palTrail* recent = &tool->recent;
    double time = snapshot->time + 0.5 * tool->base.method.def.body.dt;
    int old = 0;
    for (int i = 0; i < view->shell->count + view->pairs->count; i++)
        tool->meetings[i] = pal_meetingUnknown;
    while (old < recent->count && recent->times[old] <= time)
        old++;
    if (old > 0)
        tool->at = (palRigidState){.x = recent->places[old - 1], .q = recent->turns[old - 1]};
    palTrail_Drop(recent, old);
}

// What holds the tool already stops it, also when its force vanishes for a moment.
static void noteContacts(palHalfSpaceTool* tool, const palHalfSpaceView* view)
{
    const palToolShell* shell = &tool->base.shell;
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palShellContact* contact = &shell->contacts[i];
        int index = contact->kind == pal_shellPair
                        ? view->shell->count + contact->part
                        : palToolShell_FindPoint(shell, view->shell, contact->point);
        tool->meetings[index] = pal_meetingStops;
    }
}

void palHalfSpaceTool_FindGaps(palMethod* method, palTick* tick)
{
    palHalfSpaceTool* tool = (palHalfSpaceTool*)method;
    palToolShell* shell = &tool->base.shell;
    palHalfSpaceView view = palHalfSpaceView_Of(tick->view);
    bool isNew = shell->sequence != tick->snapshots[0]->sequence;
    tool->isInTouch = tool->lastTouch >= tick->snapshots[0]->time;
    palToolShell_Begin(shell, tick->snapshots[0]);
    palToolShell_Keep(shell, tick->view);
    if (isNew)
    {
        takeSnapshot(tool, tick->snapshots[0], &view);
        renewPlanes(shell, &view);
    }
    noteContacts(tool, &view);
}

void palHalfSpaceTool_Correct(palMethod* method, palTick* tick)
{
    palHalfSpaceTool* tool = (palHalfSpaceTool*)method;
    palShellMethod_Correct(method, tick);
    const palToolShell* shell = &tool->base.shell;
    const palRigidState* state = &shell->tool.state;
    tool->isTouched = false;
    for (int i = 0; i < shell->contactCount; i++)
        tool->isTouched = tool->isTouched || shell->contacts[i].link.lambda[0] > 0.0;
    if (tool->isTouched)
        tool->lastTouch = tick->device.time;
    palTrail_Add(&tool->recent, state->x, state->q, tick->device.time);
}

void palHalfSpaceTool_WriteState(const palMethod* method, palHapticHand* state)
{
    palShellMethod_WriteState(method, state);
    state->touched = ((const palHalfSpaceTool*)method)->isTouched;
}

void palHalfSpaceTool_Archive(palMethod* method, palArchive* archive)
{
    palHalfSpaceTool* tool = (palHalfSpaceTool*)method;
    palShellMethod_Archive(method, archive);
    palTrail_Archive(&tool->recent, archive);
    PAL_ARCHIVE(archive, tool->at);
    PAL_ARCHIVE(archive, tool->lastTouch);
    PAL_ARCHIVE(archive, tool->meetings);
}

// The place of the tool at a half-space, its plane where that is now, and its extent.
typedef struct Crossing
{
    palVec3 onTool; // tool's frame, m
    const palExtent* extent;
    palPlane plane;
    palVec3 place; // m, on the surface
    palVec3 step;  // m, of that within this tick
} Crossing;

static Crossing crossingOf(const palToolShell* shell, const palHalfSpaceView* view, int index)
{
    bool isPoint = index < view->shell->count;
    const palNearPoint* near = &view->shell->near[isPoint ? index : 0];
    const palNearPair* pair = &view->pairs->near[isPoint ? 0 : index - view->shell->count];
    const palSoftSpot* spot = isPoint ? &near->spot : &pair->spot;
    Crossing crossing = {
        .onTool = isPoint ? shell->points[near->point] : pair->onTool,
        .extent = isPoint ? &near->extent : &pair->extent,
        .plane = planeNow(shell, isPoint ? near->plane : pair->plane, spot),
    };
    crossing.place = crossing.extent->place;
    if (spot->isSoft)
    {
        crossing.place = palSurfacePlace_Point(&spot->on, shell->soft->base);
        crossing.step = palToolSoft_Step(shell->soft, spot);
    }
    return crossing;
}

// Whether the place crossed its half-space on its way since the snapshot was made, where the
// surface is.
static bool hasCrossed(const palHalfSpaceTool* tool, const Crossing* crossing)
{
    const palRigidModel* model = &tool->base.shell.tool.tool->model;
    palVec3 from = palRigid_Point(model, &tool->at, crossing->onTool);
    for (int i = 0; i < tool->recent.count; i++)
    {
        palRigidState pose = {.x = tool->recent.places[i], .q = tool->recent.turns[i]};
        palVec3 to = palRigid_Point(model, &pose, crossing->onTool);
        if (palExtent_Crosses(crossing->extent, crossing->place, crossing->plane.n, from, to))
            return true;
        from = to;
    }
    return false;
}

// Whether a half-space stops the tool, which would end behind it at `end`: not where nothing has
// touched the tool since it was made and its place crosses the plane beyond the surface.
static bool stops(palHalfSpaceTool* tool, const palHalfSpaceView* view, int index, palVec3 end)
{
    const palToolShell* shell = &tool->base.shell;
    const double behind = fmax(2.0 * shell->surfaceOffset, 1e-6 * shell->def->radius); // m
    Crossing crossing = crossingOf(shell, view, index);
    palMeeting* meeting = &tool->meetings[index];
    palVec3 n = crossing.plane.n;
    palVec3 from =
        palAdd(palRigid_Point(&shell->tool.tool->model, &shell->tool.state, crossing.onTool),
               crossing.step);
    bool isBehind = palDot(n, palSub(from, crossing.place)) < -behind;
    if (!isBehind)
        *meeting = pal_meetingUnknown;
    if (*meeting != pal_meetingUnknown)
        return *meeting == pal_meetingStops;
    bool isMet = isBehind ? crossing.extent->gap < 0.0 || hasCrossed(tool, &crossing)
                          : palExtent_Crosses(crossing.extent, crossing.place, n, from, end);
    *meeting = tool->isInTouch || isMet ? pal_meetingStops : pal_meetingMissed;
    return *meeting == pal_meetingStops;
}

bool palHalfSpaceTool_Review(palHalfSpaceTool* tool, const palHalfSpaceView* view, double depth,
                             int most)
{
    palToolShell* shell = &tool->base.shell;
    int examined = palToolShell_Examined(shell, view->shell);
    palVec3 compressed = compression(shell);
    int count = 0;
    for (int i = 0; i < view->shell->count + view->pairs->count; i++)
    {
        // Points past those are clear of everything.
        if (i == examined)
            i = view->shell->count;
        if (i == view->shell->count + view->pairs->count)
            break;
        palVec3 at;
        double behind = depthAt(shell, view, i, compressed, &at);
        if (behind > depth && !hasContact(shell, view, i) && stops(tool, view, i, at))
            tool->candidates[count++] = (palShellCandidate){i, behind, at};
    }
    bool changed = false;
    for (int k = 0; k < most && k < count; k++)
    {
        palPickCandidate(tool->candidates, count, k);
        palShellContact contact = contactOf(shell, view, tool->candidates[k].near);
        changed |= palToolShell_Add(shell, &contact, pal_zeroVec3);
    }
    return changed;
}
