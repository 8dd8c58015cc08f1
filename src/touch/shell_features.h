// SPDX-License-Identifier: Apache-2.0
// What a tool touches with besides the points of its shell: its convex edges, on convex edges of
// the surroundings, and its faces, on their convex vertices (collide/sharp_feature.h).
//
// Set-up lists the features that matter. Between two points that are L apart a tool's edge can sink
// into an edge of the surroundings bent by β as far as L β / 4 before the points are stopped; where
// that is below a tolerance, on finely meshed smooth surfaces, the points are enough.
//
// The low rate gives the high rate the features of the surroundings within reach of the tool, with
// a lower bound of the distance of each, the nearest first. A feature pair that is the closest at
// the described pose need not be so a few milliseconds later, so features are handed over, not
// pairs: the high rate finds the tool's part in a tree over the tool's edges, which never changes.
#ifndef PAL_TOUCH_SHELL_FEATURES_H
#define PAL_TOUCH_SHELL_FEATURES_H

#include "body/tool.h"
#include "collide/sharp_feature.h"
#include "touch/tool_soft.h"
#include "world/def.h"

enum
{
    pal_shellFeaturesMax = 1024,                  // of a snapshot
    pal_shellFoundMax = 8 * pal_shellFeaturesMax, // within reach, of which those are the nearest
    pal_shellPairsMax = 256,                      // of a snapshot with half-spaces
};

/// Vertices of the soft patch that move a feature.
typedef struct palSoftFeature
{
    bool isSoft; // false: it is of a rigid surface, and all else is unused
    int part;    // of the patch
    int ends[2];
    int wings[2]; // of an edge: the third corner of each of its faces, that to its left first
} palSoftFeature;

/// A feature of the surroundings near the tool.
typedef struct palNearFeature
{
    palSharpFeature feature; // world frame
    palSoftFeature soft;
    int object; // whose it is
    double friction;
    double clearance; // m: it is at least so far from the tool at the described pose
} palNearFeature;

/// What the high rate is given of them; part of palShellView.
typedef struct palFeatureView
{
    int count;
    int dropped;                               // within reach, and not among them
    palNearFeature near[pal_shellFeaturesMax]; // by their clearance
} palFeatureView;

/// A feature pair as a half-space at a point of the tool, kept until the next update: `standard`
/// and `penalty`.
typedef struct palNearPair
{
    palVec3 onTool;   // tool's frame, m
    palPlane plane;   // n·p >= d
    double clearance; // m; 0 where they overlap
    int object;
    palSoftSpot spot; // where the plane is fixed to a soft surface
} palNearPair;

typedef struct palPairView
{
    int count;
    palNearPair near[pal_shellPairsMax]; // by their clearance
} palPairView;

typedef struct palShellFeatures
{
    const palMethodDef* def;   // borrowed
    const palTool* tool;       // borrowed
    bool isNeeded;             // the surroundings have features that matter
    palSharpFeatures edges;    // owned: of the tool, its frame
    palBvh* bvh;               // owned: of the tool's surface, its frame
    palVec3* normals;          // owned, [triangles of the tool], its frame
    palSharpFeatures* objects; // owned, [colliderCount], world frame; of soft ones near the patch
    bool** wanted;             // owned, [colliderCount], of soft ones [vertices]: in the patch
    double objectAngle;        // rad: edges of objects bent less do not matter
    double extent;             // m: the farthest place of the tool from its centre of mass

    // Low rate: workspace.
    palNearFeature* found; // owned, [pal_shellFoundMax]
    int* order;            // owned, [pal_shellFoundMax]
} palShellFeatures;

/// `spacing`: how far apart the points along an edge of the tool are at most, m.
palResult palShellFeatures_Init(palShellFeatures* features, const palMethodDef* def, double spacing,
                                palError* error);
void palShellFeatures_Free(palShellFeatures* features);

/// A world point in the tool's frame.
palVec3 palShellFeatures_ToTool(const palRigidModel* model, const palRigidState* state, palVec3 x);
/// A feature of the surroundings in the tool's frame.
palSharpFeature palShellFeatures_FeatureToTool(const palRigidModel* model,
                                               const palRigidState* state,
                                               const palSharpFeature* feature);

/// Low rate: the features within `reach` of the tool at `pose`; of soft bodies those of the patch,
/// as they are bent now. Returns how far all are known, m: as far as that, or to the nearest that
/// was dropped.
double palShellFeatures_FindNear(palShellFeatures* features, const palRigidState* pose,
                                 double reach, const palSoftPatch* patch, palFeatureView* view);

/// A feature of a soft body with the vertices of the patch at `positions`; one of a rigid surface
/// as it is. Real-time.
palSharpFeature palSoftFeature_At(const palSoftFeature* soft, const palSharpFeature* feature,
                                  const palVec3* positions);
/// Whether a soft edge, as it is then, still bends away from the outside by half of what matters;
/// rigid ones do. Real-time.
bool palShellFeatures_IsConvex(const palShellFeatures* features, const palSoftFeature* soft,
                               const palSharpFeature* edge);
/// The place at a share of the way from its first end to the second. Real-time.
palSoftSpot palSoftFeature_Spot(const palSoftFeature* soft, double share);

/// Low rate: the pairs of those features and the tool's at `pose`, as half-spaces.
void palShellFeatures_FindPairs(const palShellFeatures* features, const palRigidState* pose,
                                double reach, const palFeatureView* view, palPairView* pairs);

#endif
