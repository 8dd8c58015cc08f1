// SPDX-License-Identifier: Apache-2.0
// Contacts of a tool besides those of its shell points: its convex edges with convex edges of the
// surroundings, and its faces with their convex vertices (collide/sharp_feature.h).
//
// Set-up lists the relevant features. Between two points at a distance L an edge of the tool can
// penetrate an edge of the surroundings with the dihedral angle β by up to L β / 4 before the
// points touch; where that is below a tolerance, on finely meshed smooth surfaces, the points are
// enough.
//
// The low rate gives the high rate the features of the surroundings within reach of the tool, with
// a lower bound of the distance of each, the closest first. The closest pair at the described pose
// need not be the closest a few milliseconds later, so features are passed on, not pairs: the high
// rate finds the tool's feature in a tree over the tool's edges, which never changes.
#ifndef PAL_TOUCH_SHELL_FEATURES_H
#define PAL_TOUCH_SHELL_FEATURES_H

#include "body/tool.h"
#include "collide/sharp_feature.h"
#include "touch/tool_soft.h"
#include "world/def.h"

enum
{
    pal_shellFeaturesMax = 1024,                  // of a snapshot
    pal_shellFoundMax = 8 * pal_shellFeaturesMax, // within reach; the closest are chosen
    pal_shellPairsMax = 256,                      // of a snapshot with half-spaces
};

/// Vertices of the soft patch that move a feature.
typedef struct palSoftFeature
{
    bool isSoft;  // false: of a rigid surface; the rest is unused
    int part;     // of the patch
    int ends[2];  // the vertex, or the ends of the edge
    int wings[2]; // of an edge: the third corner of each of its faces, that to its left first
} palSoftFeature;

/// A feature of the surroundings near the tool.
typedef struct palNearFeature
{
    palSharpFeature feature; // world frame
    palSoftFeature soft;
    int object; // index of the collider
    double friction;
    double clearance; // m: lower bound of its distance from the tool at the described pose
} palNearFeature;

/// The features in a snapshot; part of palShellView. Written by palShellFeatures_FindNear.
typedef struct palFeatureView
{
    int count;
    int dropped;                               // features within reach beyond the capacity
    palNearFeature near[pal_shellFeaturesMax]; // by clearance
} palFeatureView;

/// A feature pair as a half-space at a point of the tool, kept until the next update: `standard`
/// and `penalty`.
typedef struct palNearPair
{
    palVec3 onTool;   // tool's frame, m
    palPlane plane;   // n·p >= d
    double clearance; // m; 0 where they overlap
    int object;
    palSoftSpot spot; // material point of a soft surface that the plane is fixed to
    palExtent extent;
} palNearPair;

typedef struct palPairView
{
    int count;
    palNearPair near[pal_shellPairsMax]; // by clearance
} palPairView;

typedef struct palShellFeatures
{
    const palMethodDef* def;   // borrowed
    const palTool* tool;       // borrowed
    bool isNeeded;             // the surroundings have relevant features
    palSharpFeatures edges;    // owned: of the tool, its frame
    palBvh* bvh;               // owned: of the tool's surface, its frame
    palVec3* normals;          // owned, [triangles of the tool], its frame
    palSharpFeatures* objects; // owned, [colliderCount], world frame; of soft ones in the patch
    double objectAngle;        // rad: edges of objects with a smaller dihedral angle are ignored
    double extent;             // m: largest distance of the tool's surface from its centre of mass

    // Low rate: workspace.
    palNearFeature* found; // owned, [pal_shellFoundMax]
    int* order;            // owned, [pal_shellFoundMax]
} palShellFeatures;

/// `spacing`: largest distance between the points along an edge of the tool, m.
palResult palShellFeatures_Init(palShellFeatures* features, const palMethodDef* def, double spacing,
                                palError* error);
void palShellFeatures_Free(palShellFeatures* features);

/// A world point in the tool's frame.
palVec3 palShellFeatures_ToTool(const palRigidModel* model, const palRigidState* state, palVec3 x);
/// A feature of the surroundings in the tool's frame.
palSharpFeature palShellFeatures_FeatureToTool(const palRigidModel* model,
                                               const palRigidState* state,
                                               const palSharpFeature* feature);

/// L3: finds the features within `reach`, m, of the tool at `pose`; of soft bodies those of the
/// patch in its present shape. Returns the distance within which all are in the view, m: `reach`,
/// or less where some were dropped.
double palShellFeatures_FindNear(palShellFeatures* features, const palRigidState* pose,
                                 double reach, const palSoftPatch* patch, palFeatureView* view);

/// A feature of a soft body with the vertices of the patch at `positions`; one of a rigid surface
/// is unchanged. Real-time.
palSharpFeature palSoftFeature_At(const palSoftFeature* soft, const palSharpFeature* feature,
                                  const palVec3* positions);
/// Whether a soft edge in its present shape is still convex by half of objectAngle; rigid ones are.
/// Real-time.
bool palShellFeatures_IsConvex(const palShellFeatures* features, const palSoftFeature* soft,
                               const palSharpFeature* edge);
/// The place at a share, 0..1, of the way from the first end to the second. Real-time.
palSoftSpot palSoftFeature_Spot(const palSoftFeature* soft, double share);

/// L4: the half-spaces of pairs of those features and the tool's at `pose`, within `reach`, m.
void palShellFeatures_FindPairs(const palShellFeatures* features, const palRigidState* pose,
                                double reach, const palFeatureView* view, palPairView* pairs);

#endif
