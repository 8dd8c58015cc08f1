// SPDX-License-Identifier: Apache-2.0
#include "touch/tool_crossings.h"

#include "collide/continuous.h"

static const double lookAheadShare = 0.02; // of the query radius: searched beyond a tick's motion
static const double withinShare = 2.0;     // surface offsets: tolerance past the ends of edges
static const double insideShare = 20.0;    // surface offsets: overlap that solves leave
static const double entryShare = 0.25;     // of a tick's motion: overlap while going around an edge
static const double keptExcess = 0.1;      // sine by which the normal may leave the normal cones
static const double sameNormal = 1e-6;     // between the normals of triangles of one face

enum
{
    addedPerPass = 4, // contacts
};

// The examination of one feature.
typedef struct Look
{
    palToolShell* shell;
    const palNearFeature* near;
    palSharpFeature start, end; // the feature in the tool's frame
    palSharpFeature base;       // at the start, with soft surfaces at their base position
    double way;                 // m: bound of the motion in the tick, relative to the tool
    double distance;            // m: to the closest edge of the tool that was visited
    int count;                  // of shell->crossings
} Look;

// A feature in the tool's frame, with the tool at `state` and the vertices of soft surfaces at
// `surface`.
static palSharpFeature seenAt(const palToolShell* shell, const palRigidState* state,
                              const palVec3* surface, const palSharpFeature* feature,
                              const palSoftFeature* soft)
{
    palSharpFeature there = palSoftFeature_At(soft, feature, surface);
    return palShellFeatures_FeatureToTool(&shell->tool.tool->model, state, &there);
}

// Whether a feature is convex: a soft one may have bent the other way since it was found.
static bool isSharp(const palToolShell* shell, const palSharpFeature* seen,
                    const palSoftFeature* soft)
{
    if (soft->isSoft && seen->isVertex)
        return palToolSoft_SticksOut(shell->soft, soft->part, soft->ends[0]);
    return palShellFeatures_IsConvex(&shell->features, soft, seen);
}

static palVec3 toWorld(const palToolShell* shell, palVec3 x)
{
    return palRigid_Point(&shell->tool.tool->model, &shell->tool.state, x);
}

// Sets the plane of a contact with the normal n and the place x on the object, both in the tool's
// frame at the start of the tick.
static void placeContact(const palToolShell* shell, palShellContact* contact, palVec3 n, palVec3 x)
{
    contact->plane.n = palRotate(shell->tool.state.q, n);
    contact->plane.d = palDot(contact->plane.n, toWorld(shell, x)) + shell->surfaceOffset;
}

static void addCrossing(Look* look, const palShellContact* contact, double depth)
{
    palToolShell* shell = look->shell;
    if (look->count == pal_crossingsMax)
        return;
    shell->crossings[look->count] = *contact;
    shell->candidates[look->count] =
        (palShellCandidate){look->count, depth, toWorld(shell, contact->link.ends[0].local)};
    look->count++;
}

// ---------------------------------------------------------------------------------------------
// Two edges

// The contact with the tool as it is at the start of the tick; false where the edges are parallel.
static bool makeEdgeContact(const palToolShell* shell, const palSharpFeature* seen,
                            palShellContact* contact, palEdgeGap* gap)
{
    const palSharpFeature* edge = &shell->features.edges.features[contact->part];
    if (!palEdgeGap_Make(edge, seen, gap))
        return false;
    contact->link.ends[0].local =
        palLerp(edge->ends[0], edge->ends[1], fmin(fmax(gap->s, 0.0), 1.0));
    placeContact(shell, contact, gap->n, palLerp(seen->ends[0], seen->ends[1], gap->t));
    contact->sign = gap->sign;
    contact->spot = palSoftFeature_Spot(&contact->soft, gap->t);
    return true;
}

static void visitEdge(int index, void* data)
{
    Look* look = data;
    const palToolShell* shell = look->shell;
    const palSharpFeature* edge = &shell->features.edges.features[index];
    double s, t;
    double distance = sqrt(palClosestOnSegments(edge->ends, look->start.ends, &s, &t));
    look->distance = fmin(look->distance, distance);
    palCrossingLimits limits = {
        .margin = withinShare * shell->surfaceOffset,
        .slack = insideShare * shell->surfaceOffset,
        .entry = insideShare * shell->surfaceOffset + entryShare * look->way,
    };
    palEdgeGap gap;
    if (distance > look->way + shell->surfaceOffset ||
        !palEdges_Cross(edge, &look->start, &look->end, &limits, &gap))
        return;
    palShellContact contact = {
        .kind = pal_shellEdge,
        .point = -1,
        .link.ends[1].body = look->near->object,
        .plane = {.friction = look->near->friction},
        .feature = look->near->feature,
        .soft = look->near->soft,
        .part = index,
    };
    double depth = -gap.sign * palEdgeGap_At(edge, &look->end, 1.0);
    palEdgeGap first;
    if (makeEdgeContact(shell, &look->base, &contact, &first) && first.sign == gap.sign)
        addCrossing(look, &contact, fmax(depth, shell->surfaceOffset));
}

static bool renewEdge(const palToolShell* shell, const palVec3* now, palShellContact* contact)
{
    const palSharpFeature* edge = &shell->features.edges.features[contact->part];
    palSharpFeature seen =
        seenAt(shell, &shell->tool.state, now, &contact->feature, &contact->soft);
    palSharpFeature base = seenAt(shell, &shell->tool.state, palToolShell_BaseSurface(shell),
                                  &contact->feature, &contact->soft);
    palEdgeGap gap;
    double sign = contact->sign;
    return isSharp(shell, &seen, &contact->soft) && palEdgeGap_Make(edge, &seen, &gap) &&
           gap.sign == sign && gap.excess <= keptExcess &&
           palEdgeGap_IsWithin(&gap, edge, &seen, withinShare * shell->surfaceOffset) &&
           makeEdgeContact(shell, &base, contact, &gap) && gap.sign == sign;
}

// ---------------------------------------------------------------------------------------------
// A vertex and a face of the tool

static void makeVertexContact(const palToolShell* shell, palVec3 x, palShellContact* contact)
{
    palVec3 n = palNeg(shell->features.normals[contact->part]);
    const palSurface* surface = &shell->tool.tool->surface;
    palVec3 corner = surface->vertices[surface->triangles[contact->part][0]];
    contact->link.ends[0].local = palMulAdd(x, palDot(n, palSub(corner, x)), n);
    placeContact(shell, contact, n, x);
    contact->spot = palSoftFeature_Spot(&contact->soft, 0.0);
}

// The triangle of the tool that a vertex crosses from outside; or, where the vertex goes around an
// edge of the tool, so that its straight path cuts through the edge, the triangle that it ends
// below. -1: none.
static int findStop(const Look* look)
{
    const palToolShell* shell = look->shell;
    const palVec3* normals = shell->features.normals;
    palVec3 start = look->start.ends[0], end = look->end.ends[0];
    palCrossing crossing;
    palClosest closest;
    if (!palBvh_FirstCrossing(shell->features.bvh, start, end, &crossing) ||
        palDot(normals[crossing.triangle], palSub(end, start)) >= 0.0)
        return -1;
    if (palSharpFeature_Admits(&look->start, palNeg(normals[crossing.triangle])))
        return crossing.triangle;
    bool isBelow = palBvh_Closest(shell->features.bvh, end, entryShare * look->way, &closest) &&
                   closest.feature == pal_featureFace &&
                   palDot(normals[closest.triangle], palSub(end, closest.point)) < 0.0 &&
                   palSharpFeature_Admits(&look->start, palNeg(normals[closest.triangle]));
    return isBelow ? closest.triangle : -1;
}

static void lookAtVertex(Look* look)
{
    const palToolShell* shell = look->shell;
    palVec3 start = look->start.ends[0];
    palClosest closest;
    look->distance = INFINITY;
    if (!palBvh_Closest(shell->features.bvh, start, look->way + lookAheadShare * shell->def->radius,
                        &closest))
        return;
    look->distance = closest.distance;
    int triangle = closest.distance > look->way + shell->surfaceOffset ? -1 : findStop(look);
    if (triangle < 0)
        return;
    palShellContact contact = {
        .kind = pal_shellVertex,
        .point = -1,
        .link.ends[1].body = look->near->object,
        .plane = {.friction = look->near->friction},
        .feature = look->near->feature,
        .soft = look->near->soft,
        .part = triangle,
    };
    makeVertexContact(shell, look->base.ends[0], &contact);
    double depth =
        -palToolCrossings_Gap(shell, &shell->end, palToolShell_EndSurface(shell), &contact);
    addCrossing(look, &contact, fmax(depth, shell->surfaceOffset));
}

// The triangle below a vertex may be another one of the same face.
static bool renewVertex(const palToolShell* shell, const palVec3* now, palShellContact* contact)
{
    palSharpFeature seen =
        seenAt(shell, &shell->tool.state, now, &contact->feature, &contact->soft);
    palSharpFeature base = seenAt(shell, &shell->tool.state, palToolShell_BaseSurface(shell),
                                  &contact->feature, &contact->soft);
    palVec3 n = shell->features.normals[contact->part];
    palClosest closest;
    if (!isSharp(shell, &seen, &contact->soft) ||
        !palBvh_Closest(shell->features.bvh, seen.ends[0], insideShare * shell->surfaceOffset,
                        &closest) ||
        palDistance(shell->features.normals[closest.triangle], n) > sameNormal)
        return false;
    contact->part = closest.triangle;
    makeVertexContact(shell, seen.ends[0], contact);
    // Past the border of the face the closest point is not below the vertex.
    bool isOver = palDistance(contact->link.ends[0].local, closest.point) <=
                  withinShare * shell->surfaceOffset;
    makeVertexContact(shell, base.ends[0], contact);
    return isOver;
}

// ---------------------------------------------------------------------------------------------

bool palToolCrossings_Renew(const palToolShell* shell, const palVec3* now, palShellContact* contact)
{
    return contact->kind == pal_shellEdge ? renewEdge(shell, now, contact)
                                          : renewVertex(shell, now, contact);
}

double palToolCrossings_Gap(const palToolShell* shell, const palRigidState* state,
                            const palVec3* surface, const palShellContact* contact)
{
    palSharpFeature seen = seenAt(shell, state, surface, &contact->feature, &contact->soft);
    if (contact->kind == pal_shellEdge)
        return palEdgeGap_At(&shell->features.edges.features[contact->part], &seen, contact->sign) -
               shell->surfaceOffset;
    const palSurface* mesh = &shell->tool.tool->surface;
    palVec3 corner = mesh->vertices[mesh->triangles[contact->part][0]];
    return palDot(shell->features.normals[contact->part], palSub(seen.ends[0], corner)) -
           shell->surfaceOffset;
}

double palToolCrossings_Distance(const palToolShell* shell)
{
    double least = NAN;
    for (int i = 0; i < shell->contactCount; i++)
    {
        palShellContact contact = shell->contacts[i];
        if ((contact.kind == pal_shellEdge || contact.kind == pal_shellVertex) &&
            palToolCrossings_Renew(shell, palToolShell_EndSurface(shell), &contact))
            least = fmin(least, palToolCrossings_Gap(shell, &shell->tool.state,
                                                     palToolShell_EndSurface(shell), &contact) +
                                    shell->surfaceOffset);
    }
    return least;
}

// The number of features at the front of the view that may touch in this tick.
static int countExamined(const palToolShell* shell, const palFeatureView* view,
                         const palRigidState* pose)
{
    return palCountWithin(&view->near[0].clearance, sizeof view->near[0], view->count,
                          palToolShell_Moved(shell, pose));
}

void palToolCrossings_Use(const palToolShell* shell, const palSoftFeature* soft)
{
    for (int k = 0; k < 2 && soft->isSoft; k++)
    {
        palToolSoft_Use(shell->soft, soft->part, soft->ends[k]);
        palToolSoft_Use(shell->soft, soft->part, soft->wings[k]);
    }
}

static void lookAt(Look* look, double* lookAgain)
{
    const palToolShell* shell = look->shell;
    const palSharpFeature* feature = &look->near->feature;
    const palSoftFeature* soft = &look->near->soft;
    double reach = look->way + lookAheadShare * shell->def->radius;
    palToolCrossings_Use(shell, soft);
    look->start =
        seenAt(shell, &shell->tool.state, soft->isSoft ? shell->soft->old : NULL, feature, soft);
    look->base = seenAt(shell, &shell->tool.state, palToolShell_BaseSurface(shell), feature, soft);
    look->end = seenAt(shell, &shell->end, palToolShell_EndSurface(shell), feature, soft);
    look->distance = INFINITY;
    if (!isSharp(shell, &look->start, soft))
        look->distance = 0.0;
    else if (look->near->feature.isVertex)
        lookAtVertex(look);
    else
        palSharpFeatures_Visit(&shell->features.edges, look->start.ends[0], look->start.ends[1],
                               reach, visitEdge, look);
    *lookAgain = shell->travelled + fmin(look->distance, reach) - shell->surfaceOffset;
}

// Lists the features that cross the tool on its way to shell->end in shell->crossings. Returns how
// many there are.
static int findCrossings(palToolShell* shell, const palShellView* view)
{
    double way = palToolShell_Apart(shell, &shell->tool.state, &shell->end);
    way += shell->soft != NULL ? shell->soft->way + shell->soft->yield : 0.0;
    int examined = countExamined(shell, &view->features, &view->pose);
    Look look = {.shell = shell, .way = way};
    for (int i = 0; i < examined; i++)
    {
        if (shell->travelled + way < shell->lookAgain[i])
            continue;
        look.near = &view->features.near[i];
        lookAt(&look, &shell->lookAgain[i]);
    }
    return look.count;
}

static bool hasContact(const palToolShell* shell, const palShellContact* contact)
{
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palShellContact* own = &shell->contacts[i];
        if (own->kind == contact->kind && own->link.ends[1].body == contact->link.ends[1].body &&
            own->feature.id == contact->feature.id &&
            (own->kind == pal_shellVertex || own->part == contact->part))
            return true;
    }
    return false;
}

bool palToolCrossings_Review(palToolShell* shell, const palShellView* view)
{
    palShellCandidate* candidates = shell->candidates;
    int count = findCrossings(shell, view);
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!hasContact(shell, &shell->crossings[i]))
            candidates[kept++] = candidates[i];
    bool changed = false;
    for (int k = 0; k < addedPerPass && k < kept; k++)
    {
        palPickCandidate(candidates, kept, k);
        changed |= palToolShell_Add(shell, &shell->crossings[candidates[k].near], pal_zeroVec3);
    }
    return changed;
}

bool palToolCrossings_AreFree(palToolShell* shell, const palShellView* view, bool strictly)
{
    double allowed = strictly ? 0.0 : insideShare * shell->surfaceOffset;
    int count = findCrossings(shell, view);
    for (int i = 0; i < count; i++)
        if (shell->candidates[i].depth > allowed && !shell->crossings[i].soft.isSoft)
            return false;
    return true;
}

bool palToolCrossings_AreNone(palToolShell* shell, const palShellView* view)
{
    return findCrossings(shell, view) == 0;
}
