// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "scene/scene.h"
#include "scene/schema.h"
#include "scene/setting.h"
#include "scene/soft_schema.h"
#include "scene/wire_schema.h"

#include <palpate/session.h>
#include <palpate/world.h>

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define GOOD(call) good((call), &error)

static void good(palResult result, const palError* error)
{
    if (result != pal_ok)
        print_error("%s: %s; %s\n", error->file, error->text, error->remedy);
    assert_int_equal(result, pal_ok);
}

// A box of 0.1 x 0.04 x 0.1 m around the origin, as arrays.
static palSurface grid;

static int makeGrid(void** state)
{
    (void)state;
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    box.size = (palVec3){0.1, 0.04, 0.1};
    return palMakeShape(&box, &grid, NULL) != pal_ok;
}

static int freeGrid(void** state)
{
    (void)state;
    palSurface_Free(&grid);
    return 0;
}

static palSurfaceDef boxOfArrays(void)
{
    palSurfaceDef def = palDefaultSurfaceDef();
    def.vertices = &grid.vertices[0].x;
    def.vertexCount = grid.vertexCount;
    def.triangles = grid.triangles[0];
    def.triangleCount = grid.triangleCount;
    return def;
}

static palWorld* create(palWorldDef def)
{
    palWorld* world;
    palError error = {0};
    GOOD(palWorld_Create(&def, &world, &error));
    return world;
}

static palBodyId addBox(palWorld* world, const char* name, palVec3 position,
                        const palSoftObjectDef* soft)
{
    palError error = {0};
    palBodyId id;
    palSurfaceDef box = boxOfArrays();
    palObjectDef def = palDefaultObjectDef();
    def.name = name;
    def.surface = &box;
    def.position = position;
    def.soft = soft;
    GOOD(palWorld_AddObject(world, &def, &id, &error));
    return id;
}

static palHandId addPoint(palWorld* world, palVec3 position)
{
    palError error = {0};
    palHandId id;
    palHandDef def = palDefaultHandDef();
    def.position = position;
    GOOD(palWorld_AddHand(world, &def, &id, &error));
    return id;
}

static palHandState handAfter(palWorld* world, palHandId hand)
{
    palHandState state = palMakeHandState();
    assert_int_equal(palWorld_GetHand(world, hand, &state), pal_ok);
    return state;
}

// The upper side of the box is at y = 0.02: at depth d below it the force is the coupling's k d.
static void a_hand_that_is_set_below_a_surface_feels_its_coupling(void** state)
{
    (void)state;
    palError error = {0};
    palWorld* world = create(palDefaultWorldDef());
    palBodyId box = addBox(world, "box", (palVec3){0}, NULL);
    assert_int_equal(palWorld_FindBody(world, "box").index, box.index);
    palHandId hand = addPoint(world, (palVec3){0.01, 0.025, 0.01});
    // A hand at the top beside `hands` is found with the whole.
    GOOD(palWorld_Set(world, "coupling.damping=0.8", &error));
    assert_int_equal(palWorld_Prepare(world, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "exclude each other"));
    palWorld_Destroy(world);

    world = create(palDefaultWorldDef());
    addBox(world, "box", (palVec3){0}, NULL);
    hand = addPoint(world, (palVec3){0.01, 0.025, 0.01});
    assert_int_equal(palWorld_HandAt(world, 0).index, hand.index);
    assert_int_equal(palWorld_HandAt(world, 1).index, 0);
    assert_false(palWorld_SetTarget(world, hand, (palVec3){0}, (palQuat){1, 0, 0, 0}));
    GOOD(palWorld_Prepare(world, &error));
    assert_true(palWorld_Time(world) < 0.0);
    assert_true(
        palWorld_SetTarget(world, hand, (palVec3){0.01, 0.018, 0.01}, (palQuat){1, 0, 0, 0}));
    for (int i = 0; i < 500; i++)
        GOOD(palWorld_Step(world, &error));
    ASSERT_NEAR(palWorld_Time(world), 0.499, 1e-12);
    palHandState after = handAfter(world, hand);
    // The proxy stays nanometres outside.
    ASSERT_NEAR(after.force.y, 1000.0 * 0.002, 1e-5);
    ASSERT_NEAR(after.position.y, 0.02, 1e-6);
    ASSERT_NEAR(after.device.y, 0.018, 1e-15);
    palWorld_Destroy(world);
}

static palWorld* makeSoftWorld(void)
{
    palError error = {0};
    palWorldDef def = palDefaultWorldDef();
    def.gravity = (palVec3){0, -9.81, 0};
    palWorld* world = create(def);
    palFixedDef floor = palDefaultFixedDef();
    floor.kind = pal_fixedPlane;
    floor.centre = (palVec3){0, -0.019, 0};
    floor.normal = (palVec3){0, 1, 0};
    palSoftObjectDef soft = palDefaultSoftObjectDef();
    soft.young = 12345.678;
    soft.resolution = 5;
    soft.fixed = &floor;
    soft.fixedCount = 1;
    addBox(world, "block", (palVec3){0}, &soft);
    addBox(world, NULL, (palVec3){0.1234567890123, 0, 0}, NULL);
    palSurfaceDef peg = palDefaultSurfaceDef();
    peg.shape = "sphere";
    peg.shapeRadius = 0.006;
    peg.shapeResolution = 12;
    palHandDef hand = palDefaultHandDef();
    hand.kind = pal_handTool;
    hand.tool = &peg;
    hand.position = (palVec3){0.003, 0.03, 0.001};
    GOOD(palWorld_AddHand(world, &hand, NULL, &error));
    addPoint(world, (palVec3){-0.02, 0.025, 0});
    return world;
}

// Moves both hands down into the block and records what they feel.
static void pressBoth(palWorld* world, palHandState* states, int steps)
{
    palError error = {0};
    GOOD(palWorld_Prepare(world, &error));
    for (int i = 0; i < steps; i++)
    {
        double down = 2e-5 * i;
        palQuat still = {1, 0, 0, 0};
        palWorld_SetTarget(world, palWorld_HandAt(world, 0), (palVec3){0.003, 0.03 - down, 0.001},
                           still);
        palWorld_SetTarget(world, palWorld_HandAt(world, 1), (palVec3){-0.02, 0.025 - down, 0},
                           still);
        GOOD(palWorld_Step(world, &error));
        states[2 * i] = handAfter(world, palWorld_HandAt(world, 0));
        states[2 * i + 1] = handAfter(world, palWorld_HandAt(world, 1));
    }
}

static void a_world_that_is_saved_and_loaded_runs_bit_for_bit_the_same(void** state)
{
    (void)state;
    enum
    {
        steps = 400,
    };
    palError error = {0};
    char folder[] = "/tmp/palpate-world-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[128], command[128];
    snprintf(path, sizeof path, "%s/world.yaml", folder);
    palWorld* first = makeSoftWorld();
    GOOD(palWorld_Save(first, path, &error));
    palWorld* second;
    GOOD(palWorld_Load(path, NULL, 0, &second, &error));
    static palHandState a[2 * steps], b[2 * steps];
    pressBoth(first, a, steps);
    pressBoth(second, b, steps);
    assert_memory_equal(a, b, sizeof a);
    print_message("%g N, %g N\n", a[2 * steps - 2].force.y, a[2 * steps - 1].force.y);
    assert_true(a[2 * steps - 2].force.y > 0.05);
    assert_true(a[2 * steps - 1].force.y > 0.05);
    palWorld_Destroy(first);
    palWorld_Destroy(second);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

// An addition that is refused names the member, and leaves the world as it was.
static void what_is_wrong_with_a_def_is_told_with_its_member(void** state)
{
    (void)state;
    palError error = {0};
    palWorld* world = create(palDefaultWorldDef());
    palSurfaceDef box = boxOfArrays();
    palSoftObjectDef soft = palDefaultSoftObjectDef();
    palObjectDef def = palDefaultObjectDef();
    def.surface = &box;
    def.soft = &soft;
#define REFUSED(add, place, words)                                                                 \
    do                                                                                             \
    {                                                                                              \
        memset(&error, 0, sizeof error);                                                           \
        assert_int_equal((add), pal_errorInput);                                                   \
        assert_string_equal(error.file, place);                                                    \
        assert_non_null(strstr(error.text, words));                                                \
        assert_true(error.remedy[0] != '\0');                                                      \
    } while (0)
    soft.young = 0.0;
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palSoftObjectDef.young",
            "out of range");
    soft.young = NAN;
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palSoftObjectDef.young", "finite");
    soft = palDefaultSoftObjectDef();
    soft.fixedCount = 1;
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palFixedDef", "size");
    soft.fixedCount = 0;
    def.position.y = INFINITY;
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palObjectDef.position", "finite");
    def.position.y = 0.0;
    box.file = "both.ply";
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palSurfaceDef", "more than one");
    box.file = NULL;
    box.vertexCount--;
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palSurfaceDef.triangles", "has vertex");
    box = palDefaultSurfaceDef();
    box.shape = "blox";
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palSurfaceDef.shape", "blox");
    box.shape = "sphere";
    box.shapeRadius = -1.0;
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palSurfaceDef.shapeRadius", "range");
    def = (palObjectDef){0};
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palObjectDef", "size");

    palWireDef wire = palDefaultWireDef();
    REFUSED(palWorld_AddWire(world, &wire, NULL, &error), "palWireDef.points", "two points");
    palJointDef joint = palDefaultJointDef();
    REFUSED(palWorld_AddJoint(world, &joint, NULL, &error), "palJointDef.body", "no such body");
    palHandDef hand = palDefaultHandDef();
    hand.kind = pal_handTool;
    REFUSED(palWorld_AddHand(world, &hand, NULL, &error), "palHandDef.tool", "no surface");
    hand = palDefaultHandDef();
    hand.driver = "omega";
    REFUSED(palWorld_AddHand(world, &hand, NULL, &error), "palHandDef.driver", "omega");
    assert_int_equal(palWorld_HandAt(world, 0).index, 0);
    palWorldDef odd = palDefaultWorldDef();
    odd.dt = -1.0;
    palWorld* none;
    REFUSED(palWorld_Create(&odd, &none, &error), "palWorldDef.dt", "range");
    assert_null(none);

    // What only shows in the whole: nothing to hold it, then a name that is taken, then nothing.
    assert_int_equal(palWorld_Prepare(world, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "no hand"));
    addBox(world, "a", (palVec3){0}, NULL);
    def = palDefaultObjectDef();
    def.name = "a";
    box = boxOfArrays();
    def.surface = &box;
    REFUSED(palWorld_AddObject(world, &def, NULL, &error), "palObjectDef.name", "named 'a'");
    addPoint(world, (palVec3){0, 0.1, 0});
    GOOD(palWorld_Prepare(world, &error));
    def.name = NULL;
    assert_int_equal(palWorld_AddObject(world, &def, NULL, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "prepared"));
    palWorld_Destroy(world);
#undef REFUSED
}

// A value is checked when it is set, and what is refused changes nothing: the world that was saved
// before is saved again.
static void a_key_that_is_set_is_checked_at_once(void** state)
{
    (void)state;
    static const struct
    {
        const char *change, *place, *words;
    } wrong[] = {
        {"objects.0.soft.young=0", "objects.0.soft.young", "out of range: 0"},
        {"objects.0.soft.young=stiff", "objects.0.soft.young", "needs a number"},
        {"objects.0.soft.damping={mass: -1}", "objects.0.soft.damping", "out of range: -1"},
        {"objects.0.position=[0, 1]", "objects.0.position", "three numbers"},
        {"objects.0.position.1=1e9", "objects.0.position.1", "out of range: 1e9"},
        {"objects.0.soft=7", "objects.0.soft", "'soft' needs"},
        {"hands.0.device.interval=-1", "hands.0.device.interval", "out of range: -1"},
        {"method.name=acurate", "method.name", "cannot be 'acurate'"},
        {"objects.0.sof.young=1", "objects.0.sof.young", "unknown key 'sof'"},
        {"objects.7.friction=1", "objects.7.friction", "not an index"},
        {"friction", "friction", "not a change"},
    };
    palError error = {0};
    char folder[] = "/tmp/palpate-set-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[2][64], command[256];
    palWorld* world = makeSoftWorld();
    GOOD(palWorld_Set(world, "objects.0.position=[0, 0.001, 0]", &error));
    for (int k = 0; k < 2; k++)
    {
        snprintf(path[k], sizeof path[k], "%s/%d", folder, k);
        assert_int_equal(mkdir(path[k], 0700), 0);
        snprintf(command, sizeof command, "%s/world.yaml", path[k]);
        GOOD(palWorld_Save(world, command, &error));
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        {
            assert_int_equal(palWorld_Set(world, wrong[i].change, &error), pal_errorInput);
            assert_string_equal(error.file, wrong[i].place);
            if (strstr(error.text, wrong[i].words) == NULL)
                fail_msg("%s: %s", wrong[i].change, error.text);
        }
    }
    snprintf(command, sizeof command, "sed -i s,/0/,/1/, %s/world.yaml && diff -r %s %s", path[0],
             path[0], path[1]);
    assert_int_equal(system(command), 0);
    // More may be set before it is whole.
    GOOD(palWorld_Set(world, "objects.2.name=ball", &error));
    assert_int_equal(palWorld_Prepare(world, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "misses 'mesh' or 'shape'"));
    GOOD(palWorld_Set(world, "objects.2.shape={kind: sphere, radius: 0.01}", &error));
    GOOD(palWorld_Set(world, "objects.2.position=[0, 0.5, 0]", &error));
    GOOD(palWorld_Prepare(world, &error));
    palWorld_Destroy(world);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

// Without a palError the first failure is kept for palWorld_Prepare, and told once.
static void a_failure_that_nobody_asked_for_is_told_by_prepare(void** state)
{
    (void)state;
    palError error = {0};
    palWorld* world = create(palDefaultWorldDef());
    addBox(world, "box", (palVec3){0}, NULL);
    addPoint(world, (palVec3){0, 0.1, 0});
    palObjectDef empty = palDefaultObjectDef();
    palBodyId id = {7, 1};
    assert_int_equal(palWorld_AddObject(world, &empty, &id, NULL), pal_errorInput);
    assert_int_equal(id.index, 0);
    assert_int_equal(palWorld_Set(world, "time.dt=-1", NULL), pal_errorInput);
    assert_int_equal(palWorld_Prepare(world, NULL), pal_errorInput);
    assert_int_equal(palWorld_Step(world, &error), pal_errorInput);
    assert_string_equal(error.file, "palObjectDef.surface");
    GOOD(palWorld_Step(world, &error));
    palWorld_Destroy(world);
}

// The warning of a world with these words; NULL: it has none.
static const palError* findWarning(const palWorld* world, const char* words)
{
    bool isWarning;
    const palError* message;
    for (int i = 0; (message = palWorld_Message(world, i, &isWarning)) != NULL; i++)
        if (isWarning && strstr(message->text, words) != NULL)
            return message;
    return NULL;
}

// What a hand feels that goes 4 mm into a soft cube, and which warnings there are.
static double pressCube(int surfaceResolution, int resolution, bool isStiff)
{
    palError error = {0};
    palWorld* world = create(palDefaultWorldDef());
    palSurfaceDef cube = palDefaultSurfaceDef();
    cube.shape = "box";
    cube.shapeSize = (palVec3){0.06, 0.06, 0.06};
    cube.shapeResolution = surfaceResolution;
    palFixedDef floor = palDefaultFixedDef();
    floor.kind = pal_fixedPlane;
    floor.centre.y = -0.0299;
    floor.normal.y = 1.0;
    palSoftObjectDef soft = palDefaultSoftObjectDef();
    soft.resolution = resolution;
    soft.fixed = &floor;
    soft.fixedCount = 1;
    palObjectDef def = palDefaultObjectDef();
    def.surface = &cube;
    def.soft = &soft;
    GOOD(palWorld_AddObject(world, &def, NULL, &error));
    palHandId hand = addPoint(world, (palVec3){0.003, 0.031, 0.002});
    GOOD(palWorld_Prepare(world, &error));
    assert_true((findWarning(world, "along its longest side") != NULL) == isStiff);
    for (int i = 0; i < 800; i++)
    {
        palVec3 place = {0.003, fmax(0.026, 0.031 - 2e-5 * i), 0.002};
        palWorld_SetTarget(world, hand, place, (palQuat){1, 0, 0, 0});
        GOOD(palWorld_Step(world, &error));
    }
    double force = handAfter(world, hand).force.y;
    palWorld_Destroy(world);
    return force;
}

// A surface that is too coarse for its grid is divided, and feels as a finer one does; a grid that
// is too coarse is told.
static void a_soft_object_that_is_too_coarse_is_divided_or_told(void** state)
{
    (void)state;
    SKIP_SLOWED();
    double truth = pressCube(20, 10, false);
    ASSERT_NEAR(pressCube(10, 10, false), truth, 0.05 * truth);
    ASSERT_NEAR(pressCube(5, 10, false), truth, 0.25 * truth);
    ASSERT_NEAR(pressCube(4, 10, false), truth, 0.1 * truth);
    ASSERT_NEAR(pressCube(2, 10, false), truth, 0.1 * truth);
    ASSERT_BELOW(2.0 * truth, pressCube(10, 2, true));
}

// More than the 10,000 values that a small scene has at most, and more than any scene may have.
static void large_worlds_are_read_back_or_not_saved(void** state)
{
    (void)state;
    enum
    {
        count = 3000,
        tooMany = 30000,
    };
    palError error = {0};
    palSurfaceDef box = palDefaultSurfaceDef();
    box.shape = "box";
    palObjectDef def = palDefaultObjectDef();
    def.surface = &box;
    palWorld *world = create(palDefaultWorldDef()), *again;
    for (int i = 0; i < count; i++)
    {
        def.position.x = 0.02 * i;
        GOOD(palWorld_AddObject(world, &def, NULL, &error));
    }
    addPoint(world, (palVec3){0, 1, 0});
    char folder[] = "/tmp/palpate-large-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/world.yaml", folder);
    GOOD(palWorld_Save(world, path, &error));
    GOOD(palWorld_Load(path, NULL, 0, &again, &error));
    assert_int_equal(palWorld_FindBody(again, "object2999").index, count);
    palWorld_Destroy(again);
    unlink(path);

    for (int i = count; i < tooMany; i++)
        GOOD(palWorld_AddObject(world, &def, NULL, &error));
    assert_int_equal(palWorld_Save(world, path, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "more than"));
    assert_int_equal(access(path, F_OK), -1);
    palWorld_Destroy(world);
    rmdir(folder);
}

// A tool that is turned against its device is turned back by the gains of its coupling.
static void the_coupling_of_rotation_can_be_given_and_changed(void** state)
{
    (void)state;
    palError error = {0};
    palWorld* world = create(palDefaultWorldDef());
    addBox(world, "box", (palVec3){0}, NULL);
    palSurfaceDef plate = palDefaultSurfaceDef();
    plate.shape = "box";
    plate.shapeSize = (palVec3){0.04, 0.01, 0.04};
    palHandDef def = palDefaultHandDef();
    def.kind = pal_handTool;
    def.tool = &plate;
    def.position.y = 0.024; // its lower side is a millimetre inside the box
    def.turnStiffness = 0.5;
    palHandId hand;
    GOOD(palWorld_AddHand(world, &def, &hand, &error));
    GOOD(palWorld_Prepare(world, &error));
    // Turned by 0.02 rad, the flat plate stays flat on the box: the torque is k_r times that.
    const palQuat turned = {cos(0.01), 0, 0, sin(0.01)};
    assert_true(palWorld_SetTarget(world, hand, def.position, turned));
    for (int i = 0; i < 400; i++)
        GOOD(palWorld_Step(world, &error));
    ASSERT_NEAR(handAfter(world, hand).torque.z, -0.5 * 0.02, 0.05 * 0.5 * 0.02);
    palCouplingDef coupling = palDefaultCouplingDef();
    coupling.turnStiffness = 1.0;
    GOOD(palWorld_SetCoupling(world, hand, &coupling, &error));
    for (int i = 0; i < 600; i++)
        GOOD(palWorld_Step(world, &error));
    ASSERT_NEAR(handAfter(world, hand).torque.z, -1.0 * 0.02, 0.05 * 0.02);
    coupling.turnDamping = NAN;
    assert_int_equal(palWorld_SetCoupling(world, hand, &coupling, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "'turn_damping' is out of range"));
    palWorld_Destroy(world);
}

// A def of an earlier version has less at its end, and the rest is as it was then.
static void a_shorter_def_is_taken(void** state)
{
    (void)state;
    palError error = {0};
    palWorld* world = create(palDefaultWorldDef());
    palSurfaceDef box = boxOfArrays();
    palObjectDef def = palDefaultObjectDef();
    def.surface = &box;
    def.friction = NAN; // beyond its end
    def.size = offsetof(palObjectDef, friction);
    GOOD(palWorld_AddObject(world, &def, NULL, &error));
    palWorld_Destroy(world);
}

// Two thin wires: one in the hand, one that hangs on it by a joint.
static void wires_joints_and_a_wire_in_the_hand_are_built(void** state)
{
    (void)state;
    palError error = {0};
    palWorldDef worldDef = palDefaultWorldDef();
    worldDef.method = "compliance";
    palWorld* world = create(worldDef);
    const palVec3 points[] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}};
    palWireDef def = palDefaultWireDef();
    def.points = points;
    def.pointCount = 2;
    def.name = "held";
    palBodyId held, other;
    GOOD(palWorld_AddWire(world, &def, &held, &error));
    def.points = points + 1;
    def.name = NULL;
    def.clamped = pal_wireEndEnd;
    GOOD(palWorld_AddWire(world, &def, &other, &error));
    assert_int_equal(palWorld_FindBody(world, "wire1").index, other.index);
    palJointDef joint = palDefaultJointDef();
    joint.body = held;
    joint.to = other;
    palJointId id;
    GOOD(palWorld_AddJoint(world, &joint, &id, &error));
    assert_int_equal(id.index, 1);
    palHandDef hand = palDefaultHandDef();
    hand.kind = pal_handWire;
    hand.wire = held;
    hand.wireEnd = pal_wireEndStart;
    palHandId grip;
    GOOD(palWorld_AddHand(world, &hand, &grip, &error));
    GOOD(palWorld_Prepare(world, &error));
    // Pushed along, the two are a rod between the hand and the clamp.
    for (int i = 0; i < 200; i++)
    {
        palWorld_SetTarget(world, grip, (palVec3){1e-6 * fmin(i, 100), 0, 0},
                           (palQuat){1, 0, 0, 0});
        GOOD(palWorld_Step(world, &error));
    }
    assert_true(handAfter(world, grip).force.x < -1.0);
    palWorld_Destroy(world);
}

static void a_loaded_world_can_be_added_to(void** state)
{
    (void)state;
    palError error = {0};
    palWorld* world;
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/touch.yaml", PAL_SOURCE_DIR);
    const char* sets[] = {"method.name=accurate"};
    GOOD(palWorld_Load(path, sets, 1, &world, &error));
    palHandId first = palWorld_HandAt(world, 0);
    assert_int_equal(first.index, 1);
    palHandId second = addPoint(world, (palVec3){0, 0.5, 0});
    assert_int_equal(second.index, 2);
    addBox(world, "new", (palVec3){0, 0.4, 0}, NULL);
    GOOD(palWorld_Set(world, "hands.0.coupling.stiffness=321", &error));
    GOOD(palWorld_Step(world, &error));
    assert_false(palWorld_SetTarget(world, first, (palVec3){0}, (palQuat){1, 0, 0, 0}));
    assert_true(palWorld_SetTarget(world, second, (palVec3){0, 0.42, 0}, (palQuat){1, 0, 0, 0}));
    palWorld_Destroy(world);
}

static void sleepFor(double seconds)
{
    struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

// A reader that waits for the force of a hand, while the world runs in real time.
static palHandState awaitForce(palWorldReader* reader, palHandId hand, double force)
{
    palHandState seen = palMakeHandState();
    for (int i = 0; i < 20000; i++)
    {
        palWorldReader_Update(reader);
        if (palWorldReader_Hand(reader, hand, &seen) && fabs(seen.force.y - force) < 1e-3)
            return seen;
        sleepFor(0.005);
    }
    fail_msg("%g N, not %g N", seen.force.y, force);
    return seen;
}

static void a_world_in_its_own_threads_is_read_and_changed(void** state)
{
    (void)state;
    palError error = {0};
    palWorld* world = create(palDefaultWorldDef());
    palBodyId box = addBox(world, "box", (palVec3){0}, NULL);
    palHandId hand = addPoint(world, (palVec3){0.01, 0.025, 0.01});
    palWorldReader* reader;
    assert_int_equal(palWorld_OpenReader(world, &reader, &error), pal_errorInput);
    GOOD(palWorld_Start(world, &error));
    assert_int_equal(palWorld_Start(world, &error), pal_errorInput);
    GOOD(palWorld_OpenReader(world, &reader, &error));
    assert_true(
        palWorld_SetTarget(world, hand, (palVec3){0.01, 0.018, 0.01}, (palQuat){1, 0, 0, 0}));
    palHandState seen = awaitForce(reader, hand, 2.0);
    ASSERT_NEAR(seen.position.y, 0.02, 1e-6);

    // The contact is the hand's, on the box, which it pushes down.
    palContact contact = palMakeContact();
    assert_true(palWorldReader_Contact(reader, 0, &contact));
    assert_false(palWorldReader_Contact(reader, 1, &contact));
    assert_int_equal(contact.body.index, box.index);
    assert_int_equal(contact.other.index, 0);
    assert_int_equal(contact.hand.index, hand.index);
    ASSERT_NEAR(contact.normal.y, 1.0, 1e-9);
    ASSERT_NEAR(contact.force.y, -2.0, 1e-2);

    palShapeView view = palMakeShapeView();
    assert_true(palWorldReader_Body(reader, box, &view));
    assert_int_equal(view.triangleCount, grid.triangleCount);
    palVec3* normals = calloc((size_t)view.vertexCount, sizeof *normals);
    palShapeView_Normals(&view, normals, view.vertexCount);
    for (int i = 0; i < view.vertexCount; i++)
    {
        ASSERT_NEAR(palLength(normals[i]), 1.0, 1e-12);
        assert_true(palDot(normals[i], view.vertices[i]) > 0.0);
    }
    free(normals);

    palCouplingDef coupling = palDefaultCouplingDef();
    coupling.stiffness = 500.0;
    GOOD(palWorld_SetCoupling(world, hand, &coupling, &error));
    awaitForce(reader, hand, 1.0);
    assert_int_equal(palWorld_SetFriction(world, (palBodyId){7, box.world}, 0.1, &error),
                     pal_errorInput);
    GOOD(palWorld_SetFriction(world, box, 0.1, &error));
    palWorldStatistics statistics = palMakeWorldStatistics();
    assert_true(palWorldReader_Statistics(reader, &statistics));
    assert_true(statistics.steps > 0 && statistics.lowSteps > 0);
    palWorld_Stop(world);
    palWorld_CloseReader(reader);
    palWorld_CloseReader(NULL);
    palWorld_Stop(world);
    palWorld_Destroy(world);
}

// Its soft body is large: another thread may be at a factor when it is stopped.
static void a_state_is_that_of_a_world_that_does_not_run(void** state)
{
    (void)state;
    enum
    {
        steps = 80,
    };
    palError error = {0};
    palWorld* worlds[2] = {makeSoftWorld(), makeSoftWorld()};
    static palHandState a[2 * steps], b[2 * steps];
    for (int i = 0; i < 2; i++)
        GOOD(palWorld_Set(worlds[i], "method.elements_at_once=10", &error));
    pressBoth(worlds[0], a, steps);
    size_t size = 0;
    GOOD(palWorld_SaveState(worlds[0], NULL, &size, &error));
    void* block = malloc(2 * size);
    GOOD(palWorld_SaveState(worlds[0], block, &size, &error));
    GOOD(palWorld_Start(worlds[0], &error));
    assert_int_equal(palWorld_RestoreState(worlds[0], block, size, &error), pal_errorInput);
    assert_string_equal(error.text, "the world runs already");
    assert_int_equal(palWorld_SaveState(worlds[0], block, &size, &error), pal_errorInput);
    sleepFor(0.1);
    palWorld_Stop(worlds[0]);
    // Wherever the run has left it.
    size *= 2;
    GOOD(palWorld_SaveState(worlds[0], block, &size, &error));
    GOOD(palWorld_RestoreState(worlds[1], block, size, &error));
    pressBoth(worlds[0], a, steps);
    pressBoth(worlds[1], b, steps);
    for (int i = 0; i < 2 * steps; i++) // but for the padding
        assert_memory_equal(&a[i], &b[i], offsetof(palHandState, activeRows) + sizeof(int));
    free(block);
    palWorld_Destroy(worlds[0]);
    palWorld_Destroy(worlds[1]);
}

static void the_high_rate_may_be_the_callers_own(void** state)
{
    (void)state;
    palError error = {0};
    palWorld* world = create(palDefaultWorldDef());
    addBox(world, "box", (palVec3){0}, NULL);
    palHandId hand = addPoint(world, (palVec3){0.01, 0.021, 0.01});
    GOOD(palWorld_StartLow(world, &error));
    palWorld_SetTarget(world, hand, (palVec3){0.01, 0.018, 0.01}, (palQuat){1, 0, 0, 0});
    for (int i = 0; i < 300; i++)
    {
        palWorld_Tick(world);
        sleepFor(0.001);
    }
    ASSERT_NEAR(handAfter(world, hand).force.y, 2.0, 1e-3);
    palWorld_Stop(world);
    ASSERT_NEAR(palWorld_Time(world), 0.299, 1e-12);
    // And on in virtual time.
    GOOD(palWorld_Step(world, &error));
    ASSERT_NEAR(handAfter(world, hand).force.y, 2.0, 1e-3);
    palWorld_Destroy(world);
}

// What a soft object, a wire and a tool look like after a step.
static void moved_things_are_shown_as_they_are(void** state)
{
    (void)state;
    palWorld* world = makeSoftWorld();
    palError error = {0};
    GOOD(palWorld_Prepare(world, &error));
    palWorldReader* reader;
    GOOD(palWorld_OpenReader(world, &reader, &error));
    static palHandState states[800];
    pressBoth(world, states, 400);
    assert_true(palWorldReader_Update(reader));
    assert_false(palWorldReader_Update(reader));
    palShapeView block = palMakeShapeView(), tool = palMakeShapeView();
    assert_true(palWorldReader_Body(reader, palWorld_FindBody(world, "block"), &block));
    double lowest = INFINITY;
    for (int i = 0; i < block.vertexCount; i++)
        if (fabs(grid.vertices[i].y - 0.02) < 1e-9)
            lowest = fmin(lowest, block.vertices[i].y);
    assert_true(lowest < 0.02 - 0.001 && lowest > 0.01);
    assert_true(palWorldReader_Tool(reader, palWorld_HandAt(world, 0), &tool));
    assert_false(palWorldReader_Tool(reader, palWorld_HandAt(world, 1), &tool));
    ASSERT_NEAR(palDistance(tool.position, states[798].position), 0, 0);
    // A body that is not there.
    assert_false(palWorldReader_Body(reader, (palBodyId){0}, &block));
    assert_false(palWorldReader_Body(
        reader, (palBodyId){99, palWorld_FindBody(world, "block").world}, &block));
    palWorld_CloseReader(reader);
    palWorld_Destroy(world);
}

static void the_defaults_are_those_of_scene_files(void** state)
{
    (void)state;
    palSceneSoft soft;
    palSceneWire wire;
    palSetting_SetDefaults(&pal_softTable, -1, &soft);
    palSetting_SetDefaults(&pal_wireTable, -1, &wire);
    palSoftObjectDef softDef = palDefaultSoftObjectDef();
    ASSERT_NEAR(softDef.young, soft.young, 0);
    ASSERT_NEAR(softDef.poisson, soft.poisson, 0);
    ASSERT_NEAR(softDef.stiffening, soft.stiffening, 0);
    ASSERT_NEAR(softDef.density, soft.density, 0);
    ASSERT_NEAR(softDef.massDamping, soft.damping.mass, 0);
    ASSERT_NEAR(softDef.stiffnessDamping, soft.damping.stiffness, 0);
    assert_int_equal(softDef.resolution, soft.resolution);
    assert_int_equal(softDef.elements, soft.elements);
    palWireDef wireDef = palDefaultWireDef();
    assert_int_equal(wireDef.elements, wire.elements);
    ASSERT_NEAR(wireDef.young, wire.material.young, 0);
    ASSERT_NEAR(wireDef.poisson, wire.material.poisson, 0);
    ASSERT_NEAR(wireDef.density, wire.material.density, 0);
    ASSERT_NEAR(wireDef.massDamping, wire.damping.mass, 0);
    ASSERT_NEAR(wireDef.stiffnessDamping, wire.damping.stiffness, 0);
    static palScene scene;
    palSetting_SetDefaults(palSceneSchema(), -1, &scene);
    palWorldDef world = palDefaultWorldDef();
    ASSERT_NEAR(world.dt, scene.time.dt, 0);
    ASSERT_NEAR(world.lowDt, scene.time.lowDt, 0);
    ASSERT_NEAR(world.radius, scene.method.radius, 0);
    ASSERT_NEAR(palDefaultHandDef().mass, scene.hand.coupling.mass, 0);
    ASSERT_NEAR(palDefaultHandDef().toolDensity, scene.hand.tool.density, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_that_is_set_below_a_surface_feels_its_coupling),
        cmocka_unit_test(a_world_that_is_saved_and_loaded_runs_bit_for_bit_the_same),
        cmocka_unit_test(what_is_wrong_with_a_def_is_told_with_its_member),
        cmocka_unit_test(a_key_that_is_set_is_checked_at_once),
        cmocka_unit_test(a_failure_that_nobody_asked_for_is_told_by_prepare),
        cmocka_unit_test(a_soft_object_that_is_too_coarse_is_divided_or_told),
        cmocka_unit_test(large_worlds_are_read_back_or_not_saved),
        cmocka_unit_test(the_coupling_of_rotation_can_be_given_and_changed),
        cmocka_unit_test(a_shorter_def_is_taken),
        cmocka_unit_test(wires_joints_and_a_wire_in_the_hand_are_built),
        cmocka_unit_test(a_loaded_world_can_be_added_to),
        cmocka_unit_test(a_world_in_its_own_threads_is_read_and_changed),
        cmocka_unit_test(a_state_is_that_of_a_world_that_does_not_run),
        cmocka_unit_test(the_high_rate_may_be_the_callers_own),
        cmocka_unit_test(moved_things_are_shown_as_they_are),
        cmocka_unit_test(the_defaults_are_those_of_scene_files),
    };
    return RUN_WITHIN(tests, makeGrid, freeGrid);
}
