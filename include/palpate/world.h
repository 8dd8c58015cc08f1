// SPDX-License-Identifier: Apache-2.0
// Palpate: a world that a program builds: things to touch, hands that touch them, and the two rates
// that compute what the hands feel.
//
//     palWorldDef def = palDefaultWorldDef();
//     palWorld* world;
//     palError error;
//     if (palWorld_Create(&def, &world, &error) != pal_ok) ...
//     palSurfaceDef box = palDefaultSurfaceDef();
//     box.shape = "box";
//     palObjectDef table = palDefaultObjectDef();
//     table.surface = &box;
//     palWorld_AddObject(world, &table, NULL, &error);
//     palHandDef hand = palDefaultHandDef();      // a point that the program moves
//     palHandId id;
//     palWorld_AddHand(world, &hand, &id, &error);
//     while (...)
//     {
//         palWorld_SetTarget(world, id, position, orientation);
//         palWorld_Step(world, &error);           // one step of the high rate, 1 ms
//         palHandState state = palMakeHandState();
//         palWorld_GetHand(world, id, &state);    // state.force: on the hand, N
//     }
//     palWorld_Destroy(world);
//
// A world is what a scene file describes (docs/scenes.md): it can be read from one, saved to one,
// and every key of one can be set. It is built first and then prepared, which loads its meshes and
// opens its devices; what it consists of does not change after that.
//
// DEFS begin with `size`, which their maker sets: always start with palDefaultXxxDef(). They grow
// at their end only. Pointers in them are borrowed until the call returns, but for devices, which
// are used until the world is destroyed.
//
// THREADS. A world may be used by one thread at a time, unless a function says otherwise. While it
// runs in real time (palWorld_Start) only functions that say "any thread" may be called, and
// palWorld_Stop. Two worlds share no data.
//
// ERRORS. A palError names in its `file` the member that is wrong: "palSoftObjectDef.young". It may
// be NULL: the failure of a call that builds the world is then kept, and the first of them is told
// by palWorld_Prepare, or by the first step or start. So a world can be built without looking at
// every result. A value is checked when it is given: its type, its range, and what a def lacks.
// What depends on more than one addition, and what is in files, is checked by palWorld_Prepare.
//
// Units are SI, and rotations are rotation vectors in degrees where the scene file has them so.
#ifndef PALPATE_WORLD_H
#define PALPATE_WORLD_H

#include <palpate/device.h>

#include <string.h>

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct palWorld palWorld;

/// What was added to a world; `index` zero is none. An id is taken by the world that gave it alone.
typedef struct palBodyId
{
    uint32_t index;
    uint32_t world; ///< the number of the world
} palBodyId;

typedef struct palJointId
{
    uint32_t index;
    uint32_t world;
} palJointId;

typedef struct palHandId
{
    uint32_t index;
    uint32_t world;
} palHandId;

//--------------------------------------------------------------------------------------------------
// Building

typedef struct palWorldDef
{
    size_t size;
    const char* name;   ///< for reports
    const char* method; ///< how forces are computed; `palpate methods` lists them
    palVec3 gravity;    ///< m/s²
    double dt;          ///< s, step of the high rate, at which the devices are served
    double lowDt;       ///< s, step of the low rate, at which contacts are found
    double radius;      ///< m, around a hand in which they are sought
} palWorldDef;

/// A surface: vertices and triangles, or a file, or a shape from a few numbers. Exactly one of
/// `vertices`, `file` and `shape` is given.
typedef struct palSurfaceDef
{
    size_t size;
    const double* vertices; ///< [3 * vertexCount]: x, y, z of each
    const int* triangles;   ///< [3 * triangleCount]: vertices, counter-clockwise from outside
    int vertexCount;
    int triangleCount;
    const char* file;       ///< OBJ, STL, PLY, OFF, glTF; of soft objects also a volume: Gmsh .msh,
                            ///< VTK .vtk, Medit .mesh, TetGen .node
    const char* unit;       ///< of the file: "m", "cm", "mm", "in"
    const char* shape;      ///< "plane", "box", "cylinder", "sphere", ...: docs/scenes.md
    palVec3 shapeSize;      ///< m; this and the next: zero is the shape's own
    double shapeRadius;     ///< m
    double shapeHeight;     ///< m
    double shapeAmplitude;  ///< m
    double shapeWavelength; ///< m
    int shapeResolution;    ///< cells along the longest side
    double scale;           ///< enlarges, after the unit
    double tolerance; ///< m: triangles are merged where the surface moves by no more; 0: never
} palSurfaceDef;

typedef enum palFixedKind
{
    pal_fixedBox,    ///< nodes within `low`, `high`
    pal_fixedSphere, ///< nodes nearer to `centre` than `radius`
    pal_fixedPlane,  ///< nodes behind the plane through `centre` with `normal`
} palFixedKind;

/// Where a soft object is held, in the world.
typedef struct palFixedDef
{
    size_t size;
    palFixedKind kind;
    palVec3 low, high; ///< m
    palVec3 centre;    ///< m
    palVec3 normal;    ///< any length
    double radius;     ///< m
} palFixedDef;

typedef enum palElementKind
{
    pal_elementsHexes, ///< a grid that holds any closed surface
    pal_elementsTets,  ///< of a box or cylinder
} palElementKind;

/// What a soft object is made of.
typedef struct palSoftObjectDef
{
    size_t size;
    double young;             ///< Pa
    double poisson;           ///< Poisson's ratio, at most 0.49
    double density;           ///< kg/m³
    double massDamping;       ///< 1/s, Rayleigh's constants
    double stiffnessDamping;  ///< s
    palElementKind elements;  ///< not used by volume files
    int resolution;           ///< cells along the longest side; likewise
    int fixedCount;           ///< none: the object falls until it lies on something
    const palFixedDef* fixed; ///< [fixedCount], all of the same `size`
    double stiffening; ///< with strain ε: E ε exp(stiffening ε²) along one axis; 0: linear
} palSoftObjectDef;

/// How a rigid object moves. Method `impulse` moves them.
typedef enum palMotionKind
{
    pal_motionFixed,  ///< not at all
    pal_motionFree,   ///< as forces move it
    pal_motionDriven, ///< along the `path` of its scene key, whatever pushes it
} palMotionKind;

typedef struct palObjectDef
{
    size_t size;
    const char* name; ///< NULL: object0, object1, ...
    const palSurfaceDef* surface;
    const palSoftObjectDef* soft; ///< NULL: it is rigid
    palVec3 position;             ///< m, of the surface's origin
    palVec3 rotation;             ///< rotation vector, degrees
    double friction;              ///< Coulomb's coefficient
    palMotionKind motion;
    double density;   ///< kg/m³, of a free object: mass, centre and inertia follow from its shape
    double mass;      ///< kg, in place of the density; 0: by the density
    palVec3 velocity; ///< m/s, of its centre of mass at the start
    palVec3 spin;     ///< degrees/s, at the start
    double damping;   ///< 1/s, of its velocities
    double restitution; ///< 0..1; of two objects the larger counts
} palObjectDef;

typedef enum palWireEnd
{
    pal_wireEndNone,
    pal_wireEndStart,
    pal_wireEndEnd,
    pal_wireEndBoth,
} palWireEnd;

/// Something that bends: a beam of round section.
typedef struct palWireDef
{
    size_t size;
    const char* name;      ///< NULL: wire0, wire1, ...
    const palVec3* points; ///< [pointCount], m: two for a straight wire, more for a bent one
    int pointCount;
    int elements;       ///< beam elements of equal length
    double radius;      ///< m, of the section
    double innerRadius; ///< m, of a tube; 0: it is solid
    double young;       ///< Pa
    double poisson;
    double density;          ///< kg/m³
    double massDamping;      ///< 1/s, Rayleigh's constants
    double stiffnessDamping; ///< s
    double friction;         ///< Coulomb's coefficient
    palWireEnd clamped;      ///< ends that do not move
    int loop;                ///< 0: stepped at `dt`, 1: at `lowDt`
} palWireDef;

typedef enum palHandKind
{
    pal_handPoint, ///< it touches with a point
    pal_handTool,  ///< it holds a rigid thing
    pal_handWire,  ///< it holds the end of a wire
} palHandKind;

/// A hand: what it holds, and the device that moves it. The device is your own (`deviceOps`,
/// `device`), or one of the library (`driver`), or, with neither, the program sets where the hand
/// shall be (palWorld_SetTarget).
typedef struct palHandDef
{
    size_t size;
    palHandKind kind;
    palWireEnd wireEnd;        ///< wire: which end
    palBodyId wire;            ///< wire: a wire of the world
    const palSurfaceDef* tool; ///< tool: a closed surface
    palVec3 toolPosition;      ///< m, of its origin from the device point
    palVec3 toolRotation;      ///< rotation vector, degrees
    double toolDensity;        ///< kg/m³
    double toolMass;           ///< kg; 0: by the density

    palVec3 position;        ///< m, where a hand without a device starts
    palVec3 rotation;        ///< rotation vector, degrees, likewise
    double targetInterval;   ///< s, in which it reaches a target that is set; 0: at once
    const char* driver;      ///< "simulated", ...; `palpate devices` lists them; NULL: none
    const char* const* keys; ///< [keyCount], "key=value" below `device`, of the driver
    int keyCount;
    const palDeviceOps*
        deviceOps;     ///< your own driver: limits, read and write are called; NULL: none
    palDevice* device; ///< the device opened by deviceOps

    double stiffness;     ///< N/m, of the coupling; 0: as the device allows
    double damping;       ///< N·s/m, likewise
    double turnStiffness; ///< N·m/rad, of a tool's orientation; 0: `stiffness` at a lever of 20 mm
    double turnDamping;   ///< N·m·s/rad; 0: `damping` likewise
    double mass;          ///< kg, of a point
    double maxForce;      ///< N; 0: the device's
    double tipRadius; ///< m, of a point: on soft bodies its force is spread as under such a ball
    int pick;         ///< the button that picks up free objects, from 0; -1: none does
} palHandDef;

typedef enum palJointKind
{
    pal_jointBall,   ///< two points stay together
    pal_jointWeld,   ///< and do not turn against each other
    pal_jointRing,   ///< the wire slides through the point
    pal_jointHinge,  ///< the points stay together and turn about `axis` only
    pal_jointSlider, ///< rigid objects under method `impulse`: they shift along `axis` only
} palJointKind;

/// What is tied to what: `body` to `to`, to the tool of `toHand`, or, with neither, to the world.
/// The two must touch there at the start.
typedef struct palJointDef
{
    size_t size;
    palJointKind kind;
    palBodyId body;
    palBodyId to;
    palHandId toHand;
    double at;     ///< where on a wire, 0..1 from its start; negative: at `point`
    palVec3 point; ///< m, where on other bodies, in the world at rest
    palVec3 axis;  ///< of a hinge or slider, any length
    double
        radius; ///< m, of the part of a soft body that is held as a whole; 0: a triangle or point
    bool isLimited;  ///< hinge, slider of rigid objects: `low` and `high` hold
    double low;      ///< degrees or m, from where it is at the start, 0 or less
    double high;     ///< 0 or more
    double friction; ///< hinge: N·m, slider: N
} palJointDef;

static inline palWorldDef palDefaultWorldDef(void)
{
    palWorldDef def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.name = "world";
    def.method = "accurate";
    def.dt = 0.001;
    def.lowDt = 0.033;
    def.radius = 0.02;
    return def;
}

static inline palSurfaceDef palDefaultSurfaceDef(void)
{
    palSurfaceDef def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.unit = "m";
    def.scale = 1.0;
    return def;
}

/// The surface of vertices and triangles.
static inline palSurfaceDef palMakeSurfaceDef(const double* vertices, int vertexCount,
                                              const int* triangles, int triangleCount)
{
    palSurfaceDef def = palDefaultSurfaceDef();
    def.vertices = vertices;
    def.vertexCount = vertexCount;
    def.triangles = triangles;
    def.triangleCount = triangleCount;
    return def;
}

static inline palFixedDef palDefaultFixedDef(void)
{
    palFixedDef def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    return def;
}

static inline palSoftObjectDef palDefaultSoftObjectDef(void)
{
    palSoftObjectDef def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.young = 1e4;
    def.poisson = 0.4;
    def.density = 1000.0;
    def.stiffnessDamping = 0.005;
    def.resolution = 10;
    return def;
}

static inline palObjectDef palDefaultObjectDef(void)
{
    palObjectDef def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.density = 1000.0;
    return def;
}

static inline palWireDef palDefaultWireDef(void)
{
    palWireDef def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.elements = 10;
    def.radius = 0.001;
    def.young = 2e11;
    def.poisson = 0.3;
    def.density = 7800.0;
    def.massDamping = 1.0;
    return def;
}

static inline palHandDef palDefaultHandDef(void)
{
    palHandDef def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.wireEnd = pal_wireEndEnd;
    def.toolDensity = 1000.0;
    def.mass = 0.001;
    return def;
}

static inline palJointDef palDefaultJointDef(void)
{
    palJointDef def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.at = 1.0;
    return def;
}

/// An empty world. *world is NULL after a failure.
PAL_API palResult palWorld_Create(const palWorldDef* def, palWorld** world, palError* error);

/// The world of a scene file, with "path.to.key=value" changes, which may be added to.
PAL_API palResult palWorld_Load(const char* path, const char* const* sets, int setCount,
                                palWorld** world, palError* error);

/// Stops it, if it runs, and frees it. NULL is allowed.
PAL_API void palWorld_Destroy(palWorld* world);

/// Add to a world that is not prepared. The id may be NULL, and is zero after a failure. A world
/// that could not be added to is as it was.
PAL_API palResult palWorld_AddObject(palWorld* world, const palObjectDef* def, palBodyId* id,
                                     palError* error);
PAL_API palResult palWorld_AddWire(palWorld* world, const palWireDef* def, palBodyId* id,
                                   palError* error);
PAL_API palResult palWorld_AddJoint(palWorld* world, const palJointDef* def, palJointId* id,
                                    palError* error);
PAL_API palResult palWorld_AddHand(palWorld* world, const palHandDef* def, palHandId* id,
                                   palError* error);

/// Sets any key of the scene, as "objects.0.soft.damping.mass=2" (docs/scenes.md). Before the world
/// is prepared. A key that does not exist, and a value of another type or out of the key's range,
/// is refused at once, and the world stays as it was; what the key excludes or needs is found by
/// palWorld_Prepare.
PAL_API palResult palWorld_Set(palWorld* world, const char* change, palError* error);

/// Gives a hand a device of your own in place of the one it has. Before the world is prepared.
PAL_API palResult palWorld_SetDevice(palWorld* world, palHandId hand, const palDeviceOps* ops,
                                     palDevice* device, palError* error);

/// The object or wire of that name; zero where there is none.
PAL_API palBodyId palWorld_FindBody(const palWorld* world, const char* name);

/// The hand by its place in the scene, from 0; zero past the end.
PAL_API palHandId palWorld_HandAt(const palWorld* world, int place);

/// Writes the world as a scene file, and what was given as vertices and triangles as PLY files
/// beside it. Read again, a world runs the same bit for bit; only hands with devices of your own
/// then have none. A world of more than 200,000 values cannot be saved.
PAL_API palResult palWorld_Save(palWorld* world, const char* path, palError* error);

/// Loads the meshes, opens the devices and makes all that a step needs; what is wrong with the
/// world as a whole is found here. Done by the first step or start, where it was not before. After
/// a failure the world can be changed and prepared again.
PAL_API palResult palWorld_Prepare(palWorld* world, palError* error);

/// Notes and warnings so far by index: results of mesh checks, clamped values. Returns NULL past
/// the end. *isWarning distinguishes warnings from notes. Valid until the world is used again.
PAL_API const palError* palWorld_Message(const palWorld* world, int index, bool* isWarning);

//--------------------------------------------------------------------------------------------------
// Running

/// One step of the high rate in virtual time, in this thread, preceded by the low-rate step if it
/// is due. Repeats bit for bit.
PAL_API palResult palWorld_Step(palWorld* world, palError* error);

/// Runs in real time in threads of its own, one for each rate, from where it is until it is
/// stopped. What could not be had of the system (priority, locked memory) is told by
/// palWorld_Message.
PAL_API palResult palWorld_Start(palWorld* world, palError* error);

/// The same with the high rate in a thread of your own, which calls palWorld_Tick every `dt`; the
/// low rate has its own.
PAL_API palResult palWorld_StartLow(palWorld* world, palError* error);

/// One step of the high rate now. One thread at a time, between palWorld_StartLow and
/// palWorld_Stop; elsewhere it does nothing and returns false. Never allocates or waits, but for
/// your devices. Late calls are counted.
PAL_API bool palWorld_Tick(palWorld* world);

/// Ends a run in real time after the present steps; your own loop has ended before. The thread that
/// started it. Without effect where none lasts.
PAL_API void palWorld_Stop(palWorld* world);

/// The time of the last step, s; negative before the first. Not during a run in real time, but for
/// the thread that ticks.
PAL_API double palWorld_Time(const palWorld* world);

/// A hand after a step.
typedef struct palHandState
{
    size_t size;
    palVec3 device; ///< m, the device point
    palQuat deviceOrientation;
    palVec3 position;    ///< m, of the proxy: where the surfaces let the hand be
    palQuat orientation; ///< of it; identity of a point
    palVec3 force;       ///< N, on the hand, before the safety layer
    palVec3 torque;      ///< N·m, about the device point
    palVec3 out;         ///< N, the force that was written to the device
    int activeRows;      ///< constraint rows that hold it
} palHandState;

static inline palHandState palMakeHandState(void)
{
    palHandState state;
    memset(&state, 0, sizeof state);
    state.size = sizeof state;
    return state;
}

/// A hand after the last palWorld_Step or palWorld_Tick, in the thread that called it. During
/// palWorld_Start, and elsewhere, a reader has it. pal_errorInput where there was no such step,
/// neither at all nor since palWorld_Start, or there is no such hand.
PAL_API palResult palWorld_GetHand(const palWorld* world, palHandId hand, palHandState* state);

/// A rigid object after a step.
typedef struct palBodyState
{
    size_t size;
    palVec3 position; ///< m, of its origin
    palQuat orientation;
    palVec3 velocity; ///< m/s, of its centre of mass
    palVec3 spin;     ///< rad/s
    bool isAsleep;    ///< it rests, and costs nothing until something touches it
    double time;      ///< s, of the step
} palBodyState;

static inline palBodyState palMakeBodyState(void)
{
    palBodyState state;
    memset(&state, 0, sizeof state);
    state.size = sizeof state;
    return state;
}

/// A rigid object after the last palWorld_Step or palWorld_Tick, in the thread that called it;
/// others have palWorldReader_Motion. pal_errorInput where there was no such step, or the body is
/// soft, a wire or none.
PAL_API palResult palWorld_GetBody(const palWorld* world, palBodyId body, palBodyState* state);

/// Where a hand without a device shall be. Any thread, also while the world runs, and without
/// waiting; the last one counts. Returns false where the position is farther away than 100 m or not
/// finite, the orientation has no length, the world is not prepared, or the hand has a device.
PAL_API bool palWorld_SetTarget(palWorld* world, palHandId hand, palVec3 position,
                                palQuat orientation);
/// Which buttons such a hand has down from now on, a bit each, the lowest for button 0
/// (palHandDef.pick). Any thread, likewise. Returns false where the world is not prepared or the
/// hand has a device.
PAL_API bool palWorld_SetButtons(palWorld* world, palHandId hand, uint32_t buttons);

//--------------------------------------------------------------------------------------------------
// Keeping its state
//
// All that the next steps begin from, as a block of bytes: bodies, contacts, hands, values that are
// changing, the time. A world that goes on from it in lockstep has the same forces, poses and
// contacts, bit for bit, as the one that was saved: the same world, or another that was made from
// the same defs or scene, also one that palWorld_Save wrote, in any process with this build of the
// library. Not part of it are statistics, and what readers have seen: they show the restored state
// from its next steps on.
//
// The library's devices `target`, `replay` and `simulated` are part of it, and your own where they
// have palDeviceOps.archive. Others, as every real device, are where they are.

/// Writes the state to `block`, which has room for *size bytes, and sets *size to its length. Where
/// `block` is NULL only that: it changes from step to step. The world must not run in real time; it
/// goes on as if it had not been saved.
PAL_API palResult palWorld_SaveState(palWorld* world, void* block, size_t* size, palError* error);

/// Restores it. Refuses the state of another world or of another version of the library, a block
/// that is cut short or damaged, and a world that runs in real time; the world is then as it was.
PAL_API palResult palWorld_RestoreState(palWorld* world, const void* block, size_t size,
                                        palError* error);

//--------------------------------------------------------------------------------------------------
// Changing while it runs
//
// Values of a prepared world. Any thread, at any time; of several values the last counts. They wait
// for each other for a moment, never for the two rates, which never wait for them. What is out of
// the range of its key in scene files is refused.
//
// The next 8 low-rate steps, and the high-rate steps of that time, go to the new value in equal
// parts, and no force jumps: it changes from step to step by no more than 1.25 times what the
// largest of these parts makes of it at rest; where it goes with the value, 1.25/8 of the whole.

/// Coulomb's coefficient of an object.
PAL_API palResult palWorld_SetFriction(palWorld* world, palBodyId body, double friction,
                                       palError* error);
/// Young's modulus of a soft object, Pa.
PAL_API palResult palWorld_SetYoung(palWorld* world, palBodyId body, double young, palError* error);
/// How much it stiffens with strain, as palSoftObjectDef.stiffening.
PAL_API palResult palWorld_SetStiffening(palWorld* world, palBodyId body, double stiffening,
                                         palError* error);
/// m/s²
PAL_API palResult palWorld_SetGravity(palWorld* world, palVec3 gravity, palError* error);

/// The coupling of a hand; 0: the default, which goes with what is given.
typedef struct palCouplingDef
{
    size_t size;
    double stiffness;     ///< N/m, cut to what the device renders stably
    double damping;       ///< N·s/m, likewise
    double turnStiffness; ///< N·m/rad, of a tool's orientation
    double turnDamping;   ///< N·m·s/rad
} palCouplingDef;

static inline palCouplingDef palDefaultCouplingDef(void)
{
    palCouplingDef def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    return def;
}

PAL_API palResult palWorld_SetCoupling(palWorld* world, palHandId hand,
                                       const palCouplingDef* coupling, palError* error);

//--------------------------------------------------------------------------------------------------
// Reading while it runs

/// Someone who looks on: each has the newest whole step of every rate, as long as it likes, and
/// holds nothing up. Up to 8 at once. A reader may be used by one thread at a time.
typedef struct palWorldReader palWorldReader;

/// Opens a reader of a prepared world. Any thread, at any time.
PAL_API palResult palWorld_OpenReader(palWorld* world, palWorldReader** reader, palError* error);

/// Closes it; what it showed is gone. NULL is allowed. Any thread. Those that are still open are
/// closed when the world is destroyed, and are not to be used after that.
PAL_API void palWorld_CloseReader(palWorldReader* reader);

/// Takes the newest steps, which the functions below show until the next call. Returns whether
/// there is anything that was not seen before.
PAL_API bool palWorldReader_Update(palWorldReader* reader);

/// The time of the newest step of the high rate that it took, s; negative: there was none yet.
PAL_API double palWorldReader_Time(const palWorldReader* reader);

/// A hand; false where there was no step yet, or there is no such hand.
PAL_API bool palWorldReader_Hand(const palWorldReader* reader, palHandId hand, palHandState* state);

/// The shape of a body or tool. The arrays stay until the next palWorldReader_Update.
typedef struct palShapeView
{
    size_t size;
    const palVec3* vertices; ///< [vertexCount], m; of a wire its nodes, from its start
    const int* triangles;    ///< [3 * triangleCount], the same at all times; NULL of a wire
    int vertexCount;
    int triangleCount;
    palVec3 position; ///< m, of the frame of the vertices; the world's but for tools and rigid
                      ///< objects that move
    palQuat orientation;
    double time;   ///< s, of the step that left it here
    double radius; ///< m, of a wire
} palShapeView;

static inline palShapeView palMakeShapeView(void)
{
    palShapeView view;
    memset(&view, 0, sizeof view);
    view.size = sizeof view;
    return view;
}

/// An object or wire, and the tool of a hand, as the low rate left it. False where there was no
/// step yet, or no such thing. (An object that does not move is there from the beginning.)
PAL_API bool palWorldReader_Body(const palWorldReader* reader, palBodyId body, palShapeView* view);
PAL_API bool palWorldReader_Tool(const palWorldReader* reader, palHandId hand, palShapeView* view);

/// A rigid object as the low rate saw it last. False where there was no step yet, or the body is
/// soft, a wire or none.
PAL_API bool palWorldReader_Motion(const palWorldReader* reader, palBodyId body,
                                   palBodyState* state);

/// The unit normals at the vertices of a view, of `count` of them: what its triangles give, by
/// their area.
PAL_API void palShapeView_Normals(const palShapeView* view, palVec3* normals, int count);

/// A contact that pushes.
typedef struct palContact
{
    size_t size;
    palBodyId body;  ///< that is pushed; zero: the tool of `hand`
    palBodyId other; ///< that pushes it; zero: what a hand holds, or touches with
    palHandId hand;  ///< that takes part; zero: none
    palVec3 point;   ///< m, on the body
    palVec3 normal;  ///< unit, away from the body
    double gap;      ///< m, along it
    palVec3 force;   ///< N, on the body, friction included
} palContact;

static inline palContact palMakeContact(void)
{
    palContact contact;
    memset(&contact, 0, sizeof contact);
    contact.size = sizeof contact;
    return contact;
}

/// The contacts of the newest step by index; false past the end.
PAL_API bool palWorldReader_Contact(const palWorldReader* reader, int index, palContact* contact);

typedef struct palWorldStatistics
{
    size_t size;
    double time;                ///< s, of the newest high-rate step
    double longestStep;         ///< s, of the high rate so far
    uint64_t steps;             ///< of the high rate so far
    uint64_t deadlineMisses;    ///< of them late, or longer than `dt`
    uint64_t unconverged;       ///< of them whose solver did not reach its tolerance
    uint64_t lowSteps;          ///< of the low rate so far
    uint64_t lowDeadlineMisses; ///< of them longer than `lowDt`
} palWorldStatistics;

static inline palWorldStatistics palMakeWorldStatistics(void)
{
    palWorldStatistics statistics;
    memset(&statistics, 0, sizeof statistics);
    statistics.size = sizeof statistics;
    return statistics;
}

PAL_API bool palWorldReader_Statistics(const palWorldReader* reader,
                                       palWorldStatistics* statistics);

#ifdef __cplusplus
}
#endif
#endif
