// SPDX-License-Identifier: Apache-2.0
// A scene file: what is there, what touches it, how the hand moves, and at which rates.
//
// The file is YAML, versioned ("palpate: 1"), SI units throughout. One table (schema.c) holds every
// key with its type, unit, range, default and meaning; reading, checking, defaults, --set, writing
// and the page docs/scenes.md all come from it. The keys of a device driver are in the driver's own
// table, which hangs below it. palScene is what a file becomes: plain values, every one set, files
// with the folder of the scene before them. Nothing here loads a mesh (bodies.h) or opens a device
// (api/session.h).
#ifndef PAL_SCENE_SCENE_H
#define PAL_SCENE_SCENE_H

#include "base/messages.h"
#include "base/schema.h"
#include "constraint/link.h"
#include "device/driver.h"
#include "device/safety.h"
#include "device/trajectory.h"
#include "math/quat.h"
#include "mesh/shapes.h"
#include "render/method.h"
#include "scene/yaml.h"
#include "world/settings.h"

#include <palpate/world.h>

enum
{
    pal_sceneTextMax = 512, // bytes of a name or path, with its end
    pal_sceneGivenBytes = 512,
    pal_objectsMax = 1000, // that rigid bodies move among, or that are repeated
};

typedef enum palLengthUnit
{
    pal_unitMetre,
    pal_unitCentimetre,
    pal_unitMillimetre,
    pal_unitInch,
    pal_unitCount,
} palLengthUnit;

/// How a surface is felt.
typedef enum palRepresentation
{
    pal_representTriangles, // as it is
    pal_representPoints,    // as a point shell: a contact plane a vertex
    pal_representHull,      // as a convex polyhedron, to rigid bodies that move
} palRepresentation;

/// Where the scene names a file. Line 0: not in the scene file but in a --set.
typedef palSchemaPlace palScenePlace;

/// The shape in which a soft object starts.
typedef enum palSoftStart
{
    pal_startSettled,  // at rest under gravity
    pal_startUnloaded, // as if there were none
} palSoftStart;

typedef struct palSceneSphere
{
    palVec3 centre; // m
    double radius;  // m
} palSceneSphere;

typedef struct palScenePlane
{
    palVec3 point;  // m
    palVec3 normal; // any length; what is behind it is meant
} palScenePlane;

/// Rayleigh's constants.
typedef struct palSceneDamping
{
    double mass;      // α, 1/s
    double stiffness; // β, s
} palSceneDamping;

/// soft.fixed[i]: nodes that do not move. Exactly one of the four is given. World frame, at rest.
typedef struct palSceneFixed
{
    palScenePlace place;
    bool isBox, isSphere, isPlane;
    palBounds box; // m
    palSceneSphere sphere;
    palScenePlane plane;
    char nodes[64]; // a node set of the volume; empty where one of the others is given
} palSceneFixed;

/// soft.regions[i]: a part that is stiffer or softer than the rest.
typedef struct palSceneRegion
{
    palScenePlace place;
    bool isBox;
    palBounds box;   // m: elements whose middle is in it
    char region[64]; // a region of the volume; empty where a box is given
    double young;    // Pa
} palSceneRegion;

/// objects[i].soft: what a soft object is made of and where it is held.
typedef struct palSceneSoft
{
    double young;      // Pa
    double poisson;    // ν
    double stiffening; // b of body/stiffening.h
    double density;    // kg/m³
    palElementKind elements;
    int resolution; // cells along the longest side
    palSoftStart start;
    palSceneDamping damping;
    palSceneFixed* fixed; // owned, [fixedCount]
    int fixedCount;
    palSceneRegion* regions; // owned, [regionCount]
    int regionCount;
} palSceneSoft;

/// contact, objects[i].contact: how rigid objects touch.
typedef struct palSceneContact
{
    palContactLaw law;
    double frequency;       // Hz
    double dampingRatio;    // 1: critical
    double stiffness;       // N/m
    double damping;         // N·s/m
    double restitution;     // 0..1
    double kineticFriction; // NaN: the object's friction
} palSceneContact;

/// objects[i].parts[k]: one shape of several.
typedef struct palScenePart
{
    palScenePlace place;
    char mesh[pal_sceneTextMax]; // file, ready to open; empty: the shape is used
    palScenePlace meshPlace;
    palShapeDef shape;  // alternative to mesh
    palLengthUnit unit; // of the mesh file
    double scale;       // applied after the unit
    double tolerance;   // m: triangles are merged within it; 0: never
    palVec3 position;   // m, in the object's frame
    palVec3 rotation;   // rotation vector, degrees
    double density;     // kg/m³; NaN: the object's
} palScenePart;

/// objects[i].repeat: the file has it as one, the scene as several (repeat.h).
typedef struct palSceneRepeat
{
    palVec3 count;   // along x, y and z, whole numbers
    palVec3 step;    // m, from one to the next
    palVec3 stagger; // m, of every second row
} palSceneRepeat;

/// objects[i].side: which side of a surface without an inside is free.
typedef enum palSurfaceSide
{
    pal_sideFront, // from which the corners of a triangle run counter-clockwise
    pal_sideBack,
} palSurfaceSide;

/// objects[i]: one thing to touch.
typedef struct palSceneObject
{
    palScenePlace place;
    char name[64];
    char mesh[pal_sceneTextMax]; // file, ready to open; empty: the shape is used
    palScenePlace meshPlace;
    palShapeDef shape;   // alternative to mesh
    palScenePart* parts; // owned, [partCount]: alternative to mesh and shape
    int partCount;
    palLengthUnit unit;  // of the mesh file
    double scale;        // applied after the unit
    double tolerance;    // m: triangles are merged within it; 0: never
    palSurfaceSide side; // of an open surface
    palVec3 position;    // m
    palVec3 rotation;    // rotation vector, degrees
    double friction;     // Coulomb's coefficient
    char layer[64];      // empty: none
    bool isRepeated;     // `repeat` is given: only to who reads a tree that was not expanded
    palSceneRepeat repeat;
    palMotionKind motion;
    double density; // free: kg/m³
    double mass;    // free: kg; NaN: from the density
    bool hasCentre, hasInertia;
    palVec3 centre;     // free: of mass, in the object's frame, m
    palVec3 inertia;    // free: moments about the centre along the object's axes, kg·m²
    palVec3 products;   // free: elements xy, xz, yz of the tensor, kg·m²
    palVec3 velocity;   // free: m/s
    palVec3 spin;       // free: degrees/s
    double damping;     // free: 1/s
    palPathPoint* path; // owned, [pathCount]: driven
    int pathCount;
    palSceneContact contact;
    palRepresentation representation;
    bool isSoft; // `soft` is given
    palSceneSoft soft;
    palScenePlace softPlace;
    int loop;                  // soft: 1, 2, ...: which loop slower than the high rate steps it
    const palSurface* surface; // borrowed: what `mesh` stands for, in memory; NULL: a file
} palSceneObject;

/// tool: the rigid thing in the hand.
typedef struct palSceneTool
{
    char mesh[pal_sceneTextMax]; // file, ready to open; empty: the shape is used
    palScenePlace meshPlace;
    palShapeDef shape;         // alternative to mesh
    palLengthUnit unit;        // of the mesh file
    double scale;              // applied after the unit
    double tolerance;          // m: triangles are merged within it; 0: never
    palVec3 position;          // of the mesh's origin from the device point, m
    palVec3 rotation;          // rotation vector, degrees
    double density;            // kg/m³
    double mass;               // kg; NaN: from the density
    double spacing;            // of its points, m; 0: by its size
    const palSurface* surface; // borrowed: what `mesh` stands for, in memory; NULL: a file
} palSceneTool;

typedef enum palSectionShape
{
    pal_sectionCircle,
    pal_sectionTube,
    pal_sectionRectangle,
} palSectionShape;

/// wires[i].section.
typedef struct palSceneSection
{
    palSectionShape shape;
    double radius; // m
    double inner;  // m
    double width;  // m, along y
    double height; // m, along z
} palSceneSection;

typedef enum palWireGrip
{
    pal_gripRigid,
    pal_gripSpring,
} palWireGrip;

typedef enum palWireIntegrator
{
    pal_integratorEuler,
    pal_integratorMidpoint,
} palWireIntegrator;

typedef struct palSceneWirePoint
{
    palVec3 at; // m
} palSceneWirePoint;

/// wires[i].
typedef struct palSceneWire
{
    palScenePlace place;
    char name[64];
    bool isStraight;           // start and end are given
    palVec3 start, end;        // m
    palSceneWirePoint* points; // owned, [pointCount]
    int pointCount;
    int elements;
    palSceneSection section;
    palMaterial material;
    palSceneDamping damping;
    palWireEnd hand;
    palWireGrip grip;
    palWireEnd clamped;
    palBeamMass mass;
    palWireIntegrator integrator;
    double friction; // Coulomb's coefficient
    int loop;
} palSceneWire;

/// joints[i].
typedef struct palSceneJoint
{
    palScenePlace place;
    palLinkKind kind;
    char wire[64];
    double at;     // 0..1 along it
    char body[64]; // alternative to wire: any object, wire, `tool`
    char to[64];
    bool hasPoint;
    palVec3 point; // m, in the world at rest
    bool hasAxis;
    palVec3 axis;    // of a hinge or slider, any length
    double low;      // of a hinge, degrees, or slider, m, from where it is at the start; NaN: none
    double high;     // likewise
    double friction; // of a hinge, N·m, or slider, N
    double radius;   // m: of the material of soft objects that is held as a whole
} palSceneJoint;

/// Whether it is of a kind, or has values, for rigid objects that move alone.
static inline bool palSceneJoint_IsSlider(const palSceneJoint* joint)
{
    return joint->kind == pal_linkSlider || !isnan(joint->low) || !isnan(joint->high) ||
           joint->friction > 0.0;
}

/// Whether two objects touch.
typedef enum palPairTouch
{
    pal_pairTouches,
    pal_pairNeverTouches,
} palPairTouch;

/// pairs[i]: objects that never touch, or touch in another way than their own values say.
typedef struct palScenePair
{
    palScenePlace place;
    char body[64], to[64]; // names of objects, of layers or of tools
    palPairTouch touch;
    double friction;         // the numbers: NaN where the objects' own count
    palSceneContact contact; // likewise
    bool hasLaw;
} palScenePair;

/// time.loops[i].
typedef struct palSceneLoop
{
    double dt;      // s
    double latency; // s
} palSceneLoop;

/// method: which one, and its numbers.
typedef struct palSceneMethod
{
    char name[32]; // "standard", "penalty", ...
    double radius; // m, of the proximity query around the proxy
    palMethodSettings settings;
} palSceneMethod;

/// coupling: between device and proxy. NaN: chosen within the device's limits
/// (device/coupling_limits.h).
typedef struct palSceneCoupling
{
    double stiffness;     // N/m
    double damping;       // N·s/m
    double mass;          // kg, of the proxy
    double turnStiffness; // N·m/rad, of a tool
    double turnDamping;   // N·m·s/rad, likewise
} palSceneCoupling;

/// Its gains.
static inline palCouplingValues palSceneCoupling_Values(const palSceneCoupling* coupling)
{
    return (palCouplingValues){coupling->stiffness, coupling->damping, coupling->turnStiffness,
                               coupling->turnDamping};
}

/// time: the two rates. The builder rounds lowDt and latency to whole multiples of dt.
typedef struct palSceneTime
{
    double seconds; // length of the run
    double dt;      // s, high-rate step
    double lowDt;   // s, low-rate step
    double latency; // s, from the start of a low-rate step until its snapshot arrives (lockstep)
    double spin;    // s, the end of each wait that is spent spinning (real time)
    palSceneLoop* loops; // owned, [loopCount], at most pal_loopsMax - 1: further rates
    int loopCount;
} palSceneTime;

/// device: who holds the proxy.
typedef struct palSceneDevice
{
    char driver[32]; // "replay", "simulated"
    // The struct that the driver's own keys fill, which it is opened with; zeros where it has none.
    _Alignas(max_align_t) unsigned char settings[pal_driverSettingsMax];
} palSceneDevice;

typedef enum palTimeUnit
{
    pal_timeSecond,
    pal_timeMillisecond,
    pal_timeMicrosecond,
    pal_timeNanosecond,
    pal_timeUnitCount,
} palTimeUnit;

/// trajectory: where the hand goes. With `object` >= 0 a press is placed on that object.
typedef struct palSceneTrajectory
{
    palTrajectoryDef def;    // def.file ready to open
    int object;              // press: index of the object it is placed on; -1: def.target is used
    palScenePlace filePlace; // of def.file
    palLengthUnit unit;      // file: of its positions
    palTimeUnit timeUnit;    // file: of its times
} palSceneTrajectory;

/// hands[i].wire: the wire that a hand holds.
typedef struct palSceneHandWire
{
    char name[64];
    palWireEnd end; // start or end
} palSceneHandWire;

/// hands[i], or the keys of the same names at the top: a hand and what it holds, at most one of
/// tool and wire; without either it touches with a point.
typedef struct palSceneHand
{
    palScenePlace place;
    palSceneDevice device;
    palScenePlace devicePlace;
    bool hasTrajectory; // `trajectory` is given
    palSceneTrajectory trajectory;
    bool hasTool; // `tool` is given
    palSceneTool tool;
    palScenePlace toolPlace;
    bool hasWire; // `wire` is given
    palSceneHandWire wire;
    double tipRadius; // m, of a point; 0: none
    int pick;         // the button of the device that picks up; -1: none does
    palSceneCoupling coupling;
    palSafetyDef safety; // NaN maxForce, maxTorque: the device's limits
} palSceneHand;

typedef struct palScene
{
    int version;
    char name[64];
    char description[pal_sceneTextMax];
    int seed;
    palVec3 gravity; // m/s², acts on the proxy and on bodies
    palSceneTime time;
    palSceneMethod method;
    palSceneHand hand;   // the only one, given by keys at the top; not used with `hands`
    palSceneHand* hands; // owned, [handCount]; none: `hand`
    int handCount;
    palSceneContact contact; // of objects that do not say otherwise
    palSceneObject* objects; // owned, [objectCount]
    int objectCount;
    palSceneWire* wires; // owned, [wireCount]
    int wireCount;
    palSceneJoint* joints; // owned, [jointCount]
    int jointCount;
    palScenePair* pairs; // owned, [pairCount]
    int pairCount;
    char directory[pal_sceneTextMax]; // of the scene file, with a trailing slash, or empty
    char file[pal_sceneTextMax];      // the scene file
    // Which values the file or a --set gives, the others being defaults: one bit for each four
    // bytes above, at the first byte of a value (given.h).
    unsigned char given[pal_sceneGivenBytes];
} palScene;

/// Reads a scene. `sets` are "path.to.key=value" changes applied before checking. Every fault of
/// the file is appended to `messages` with its line and column; the result is pal_errorInput if
/// there is any, and `error` is the first. Every value of `scene` is set when the result is pal_ok;
/// otherwise its lists are empty.
palResult palScene_Load(const char* path, const char* const* sets, int setCount, palScene* scene,
                        palMessages* messages, palError* error);

/// The same from memory; `name` stands for the file in messages.
palResult palScene_Parse(const char* text, size_t length, const char* name, const char* const* sets,
                         int setCount, palScene* scene, palMessages* messages, palError* error);

/// The same as palScene_Load, and gives the tree that was read, with the changes in it, to the
/// caller; NULL after a failure.
palResult palScene_LoadTree(const char* path, const char* const* sets, int setCount,
                            palScene* scene, palYamlNode** tree, palMessages* messages,
                            palError* error);

/// A scene from such a tree. `sets` are what the origins of its nodes count (faults.h), `name` is
/// that of the file, or empty.
palResult palScene_FromTree(const palYamlNode* tree, const char* name, const char* const* sets,
                            palScene* scene, palMessages* messages, palError* error);

/// Releases the lists of a scene. One that is all zeros may be freed as well.
void palScene_Free(palScene* scene);

/// The hands, in whichever of the two forms they are given; at least one.
int palScene_HandCount(const palScene* scene);
const palSceneHand* palScene_HandAt(const palScene* scene, int hand);
/// The path of a key of a hand, for messages: "hands.1.device", or "device" in the short form.
const char* palScene_HandKey(const palScene* scene, int hand, const char* key, char out[64]);

/// What a hand holds.
palHandKind palScene_HandKind(const palScene* scene, int hand);
/// How many hands before it hold a point or a tool: these have ids of bodies in that order.
int palScene_HandRank(const palScene* scene, int hand);
/// The wire that a hand holds, or -1.
int palScene_HeldWire(const palScene* scene, int hand);
/// The hand that holds a wire, and at which end; -1: none does. `wires[].hand` means the first.
int palScene_Holder(const palScene* scene, int wire, palWireEnd* end);
/// What joints call the tool of a hand: `tool` of the first, `tool1`, ... of the others.
const char* palToolName(int hand, char out[16]);
/// The hand whose tool has that name, or -1.
int palScene_FindTool(const palScene* scene, const char* name);

/// What the scene contains besides, as bits of PAL_ACCEPTS.
unsigned palScene_Parts(const palScene* scene);
/// Whether a hand holds a wire.
bool palScene_UsesWires(const palScene* scene);

/// Metres a unit.
double palLengthUnit_Metres(palLengthUnit unit);
/// The surface part of a tool, as that of an object.
palSceneObject palSceneTool_Object(const palSceneTool* tool);
/// Whether a method moves what the hands hold, and everything that is there takes part.
bool palScene_Fits(const palScene* scene, const palMethodEntry* method);
/// The surface part of a part of an object, as that of an object in its frame.
palSceneObject palScenePart_Object(const palScenePart* part);
/// How the object is turned in the world.
palQuat palSceneObject_Rotation(const palSceneObject* object);

/// Adds the place of a named file to an error: the line in the scene file, "--set KEY", or the key
/// alone where there is no file.
palResult palScene_At(const palScene* scene, palScenePlace place, const char* key, palError* error);

/// Whether a file that the scene names at `place` can be read; if not, the error is of that place.
palResult palScene_FindFile(const palScene* scene, palScenePlace place, const char* key,
                            const char* file, palError* error);

/// Writes docs/scenes.md, the reference of every key, to `out` (at most `size` bytes). Returns the
/// length of the whole page.
size_t palScene_Reference(char* out, size_t size);

#endif
