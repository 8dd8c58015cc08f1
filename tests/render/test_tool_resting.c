// SPDX-License-Identifier: Apache-2.0
// A tool that touches with points, at rest and against obstacles: what statics says of a flat tool
// on a floor, a peg in a hole, and plates thinner than its steps.
#include "tool_rig.h"

// ---------------------------------------------------------------------------------------------
// A box of 40 x 10 x 30 mm on a floor

static const double gravity = 9.81; // m/s²

// Where the hand is from some time on; it comes down from above.
typedef struct press
{
    palVec3 at;   // m, at last
    palVec3 push; // m: how much farther sideways it goes from 0.6 s to 1 s
} press;

static palVec3 pressing(const void* user, double t)
{
    const press* p = user;
    double down = fmin(1.0, t / 0.3);
    double aside = fmin(1.0, fmax(0.0, (t - 0.6) / 0.4));
    palVec3 above = palMakeVec3(0.0, 0.01 * (1.0 - down), 0.0);
    return palAdd(palAdd(p->at, above), palScale(aside, p->push));
}

// Held off its middle, without a spring for rotation: the hand pushes with a force through the
// grip, wherever that is.
static void makeBox(palTool* tool, palVec3 grip)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeBox);
    shape.size = palMakeVec3(0.04, 0.01, 0.03);
    shape.resolution = 4;
    assert_int_equal(palMakeShape(&shape, &tool->surface, NULL), pal_ok);
    palSurface_Transform(&tool->surface, 1.0, pal_identityQuat, palNeg(grip));
    palRigidDef def = toolRigidDef(&tool->surface);
    def.gravity = palMakeVec3(0.0, -gravity, 0.0);
    def.rotationStiffness = 0.0;
    def.rotationDamping = 1e-3;
    assert_int_equal(palRigidModel_Init(&tool->model, &def, NULL), pal_ok);
}

static void startOnFloor(palRig* rig, const char* method, const palTool* tool, const press* p,
                         double friction)
{
    rigInit(rig, &(palRigDef){
                     .method = method, .path = pressing, .user = p, .seconds = 2.0, .tool = tool});
    rigAddBox(rig, palMakeVec3(0.2, 0.02, 0.2), 16, friction, rigAt(0.0, -0.01, 0.0));
    rigStart(rig);
}

static void a_flat_tool_stands_where_statics_says(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard"};
    const palVec3 grip = {0.009, 0.005, -0.006}; // from the box's middle: on its upper side
    const double k = 1000.0, depth = 1e-3;
    for (int i = 0; i < 2; i++)
    {
        palTool tool = {0};
        palRig rig;
        press p = {.at = palMakeVec3(grip.x, 0.01 - depth, grip.z)};
        makeBox(&tool, grip);
        startOnFloor(&rig, methods[i], &tool, &p, 0.0);
        palTickRecord record;
        while (rigStep(&rig, &record))
            continue;
        // The floor carries weight and push, and where: the moments of both about the box's middle.
        double weight = gravity * tool.model.def.mass.mass;
        double push = k * depth;
        double carried = weight + push;
        assert_true(record.contactCount > 0);
        double sum = 0.0, momentX = 0.0, momentZ = 0.0;
        for (int c = 0; c < record.contactCount; c++)
        {
            const palContactForce* contact = &record.contacts[c];
            assert_true(-palDot(contact->force, contact->normal) > 0.0);
            sum -= contact->force.y;
            momentX -= contact->force.y * contact->point.x;
            momentZ -= contact->force.y * contact->point.z;
        }
        ASSERT_NEAR(sum, carried, 2e-4 * carried);
        ASSERT_NEAR(momentX / sum, push * grip.x / carried, 1e-5);
        ASSERT_NEAR(momentZ / sum, push * grip.z / carried, 1e-5);
        // The hand feels its own push, and no torque.
        ASSERT_NEAR(record.hands[0].force.y, push, 1e-4);
        ASSERT_NEAR(hypot(record.hands[0].force.x, record.hands[0].force.z), 0.0, 1e-3);
        ASSERT_NEAR(palLength(record.hands[0].torque), 0.0, 1e-6);
        palVec3 up = palRotate(record.hands[0].proxyTurn, palMakeVec3(0.0, 1.0, 0.0));
        ASSERT_NEAR(hypot(up.x, up.z), 0.0, 1e-7);
        rigFree(&rig);
        palSurface_Free(&tool.surface);
    }
}

static void it_neither_creeps_nor_turns_below_the_limit_of_friction(void** state)
{
    (void)state;
    const palVec3 grip = {0.0, 0.005, 0.008};
    const double friction = 0.3;
    palTool tool = {0};
    makeBox(&tool, grip);
    double carried = gravity * tool.model.def.mass.mass + 1.0;
    for (int i = 0; i < 2; i++)
    {
        // 70 % of the limit, then 130 %, past the middle so that it would turn as well.
        double share = i == 0 ? 0.7 : 1.3;
        palRig rig;
        press p = {.at = palMakeVec3(0.0, 0.009, grip.z),
                   .push = {share * friction * carried / 1000.0, 0.0, 0.0}};
        startOnFloor(&rig, "accurate", &tool, &p, friction);
        palTickRecord record, first = {0};
        while (rigStep(&rig, &record))
            if (record.t < 1.2)
                first = record;
        double moved = palDistance(record.hands[0].proxy, first.hands[0].proxy);
        double turned = palLength(palRotationVector(
            palMulQuat(record.hands[0].proxyTurn, palConjugate(first.hands[0].proxyTurn))));
        if (i == 0)
        {
            ASSERT_BELOW(moved, 1e-8);
            ASSERT_BELOW(turned, 1e-7);
            ASSERT_NEAR(-record.hands[0].force.x, share * friction * carried, 1e-3);
            assert_true(palDistance(record.hands[0].proxy, p.at) < 2e-3);
        }
        else
            // Above it, it has gone after the hand until friction holds it, and turned by then.
            ASSERT_BELOW(hypot(record.hands[0].force.x, record.hands[0].force.z),
                         1.001 * friction * carried);
        rigFree(&rig);
    }
    palSurface_Free(&tool.surface);
}

// ---------------------------------------------------------------------------------------------
// A square peg of 9.8 mm and a hole of 10 mm in a plate of 10 mm
//
// The hand holds it a millimetre above its lower end, so that what the walls push against is within
// the hole: points know nothing of a rim that presses between them.

static const double aboveEnd = 1e-3; // m

typedef struct drop
{
    double speed;  // m/s
    double offset; // m, sideways
    double tilt;   // rad
    double lean;   // m, farther sideways once the peg is 3 mm in the hole
} drop;

static palVec3 dropping(const void* user, double t)
{
    const drop* d = user;
    double end = fmax(0.01 - d->speed * fmax(0.0, t - 0.02), -0.009);
    double lean = d->lean * fmin(1.0, fmax(0.0, (-0.003 - end) / 0.004));
    return palMakeVec3(d->offset + lean, end + aboveEnd, -0.5 * d->offset - 0.7 * lean);
}

static palVec3 tilted(const void* user, double t)
{
    const drop* d = user;
    (void)t;
    return palMakeVec3(d->tilt, 0.0, -1.5 * d->tilt);
}

// Four bars around the hole, the upper side in y = 0.
static void addHole(palRig* rig)
{
    const double hole = 0.01, bar = 0.02, thick = 0.01;
    double middle = 0.5 * (hole + bar);
    palVec3 across = palMakeVec3(bar, thick, hole);
    palVec3 along = palMakeVec3(hole + 2.0 * bar, thick, bar);
    rigAddBox(rig, across, 8, 0.1, rigAt(middle, -0.5 * thick, 0.0));
    rigAddBox(rig, across, 8, 0.1, rigAt(-middle, -0.5 * thick, 0.0));
    rigAddBox(rig, along, 20, 0.1, rigAt(0.0, -0.5 * thick, middle));
    rigAddBox(rig, along, 20, 0.1, rigAt(0.0, -0.5 * thick, -middle));
}

static void a_peg_goes_into_its_hole_and_never_into_the_plate(void** state)
{
    (void)state;
    static const drop drops[] = {
        {.speed = 0.1, .offset = 5e-5, .lean = 1e-3},
        {.speed = 0.3, .lean = 1.5e-3},
        {.speed = 1.0, .offset = 5e-5, .lean = 1e-3},
        {.speed = 0.2, .offset = 3e-5, .tilt = 5e-3},
        {.speed = 0.5, .offset = 2e-3},
    };
    palTool tool = {0};
    toolBox(&tool, palMakeVec3(0.0098, 0.02, 0.0098), 8);
    palSurface_Transform(&tool.surface, 1.0, pal_identityQuat,
                         palMakeVec3(0.0, 0.01 - aboveEnd, 0.0));
    palRigidDef def = toolRigidDef(&tool.surface);
    assert_int_equal(palRigidModel_Init(&tool.model, &def, NULL), pal_ok);
    for (size_t i = 0; i < sizeof drops / sizeof drops[0]; i++)
    {
        palRig rig;
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .path = dropping,
                                   .turn = tilted,
                                   .user = &drops[i],
                                   .seconds = 0.08 + 0.02 / drops[i].speed,
                                   .radius = 0.01,
                                   .tool = &tool});
        addHole(&rig);
        rigStart(&rig);
        palTickRecord record;
        while (rigStep(&rig, &record))
            ASSERT_BELOW(-toolGap(&rig, &record), 0.0);
        // In the hole where the hand is over it, 2 mm off on the plate. The walls hold it aside
        // from the hand, and their friction, at most a tenth of that force, leaves it a little
        // above.
        bool fits = drops[i].offset < 1e-3;
        double aside = fabs(record.hands[0].force.x) + fabs(record.hands[0].force.z);
        ASSERT_NEAR(record.hands[0].proxy.y, fits ? -0.008 : aboveEnd,
                    fits ? 1e-4 * aside + 1e-5 : 1e-4);
        assert_true(drops[i].lean == 0.0 || aside > 0.5);
        rigFree(&rig);
    }
    palSurface_Free(&tool.surface);
}

// ---------------------------------------------------------------------------------------------
// Plates

static palVec3 through(const void* user, double t)
{
    double speed = *(const double*)user;
    return palMakeVec3(0.003 * sin(20.0 * t), 0.02 - speed * t, 0.0);
}

static palVec3 swinging(const void* user, double t)
{
    (void)user;
    return palMakeVec3(0.4 * sin(15.0 * t), 0.0, 0.5 * sin(11.0 * t));
}

static void no_point_passes_a_plate_thinner_than_its_steps(void** state)
{
    (void)state;
    static const double speeds[] = {0.1, 0.5, 1.0};
    palTool tool = {0};
    palShapeDef shape = palDefaultShapeDef(pal_shapePeg);
    shape.radius = 0.004;
    shape.height = 0.012;
    toolOfShape(&tool, &shape);
    for (int i = 0; i < 3; i++)
    {
        palRig rig;
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .path = through,
                                   .turn = swinging,
                                   .user = &speeds[i],
                                   .seconds = 0.06 / speeds[i],
                                   .tool = &tool});
        rigAddBox(&rig, palMakeVec3(0.1, 2e-4, 0.1), 20, 0.2, rigHome);
        rigStart(&rig);
        const palMethod* method = rig.engine->methods.methods[0];
        int count;
        const palVec3* points = method->ops->points(method, &count);
        palTickRecord record;
        while (rigStep(&rig, &record))
            for (int k = 0; k < count; k++)
            {
                palVec3 x =
                    palAdd(record.hands[0].proxy, palRotate(record.hands[0].proxyTurn, points[k]));
                if (!(x.y > 1e-4))
                    fail_msg("at %g s a point is at y = %g", record.t, x.y);
            }
        // It was pressed against it.
        assert_true(record.hands[0].force.y > 10.0);
        rigFree(&rig);
    }
    palSurface_Free(&tool.surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_tool_stands_where_statics_says),
        cmocka_unit_test(it_neither_creeps_nor_turns_below_the_limit_of_friction),
        cmocka_unit_test(a_peg_goes_into_its_hole_and_never_into_the_plate),
        cmocka_unit_test(no_point_passes_a_plate_thinner_than_its_steps),
    };
    return RUN(tests);
}
