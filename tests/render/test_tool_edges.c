// SPDX-License-Identifier: Apache-2.0
// Where a tool touches between the points of its shell: edge on edge, face on spike, and a face
// that is dragged over a rim. The tools here touch with their corners alone, which are far from
// where they meet what is there; whether anything is inside is measured on all edges of both
// meshes.
#include "tool_rig.h"

static const double stiffness = 1000.0; // N/m, of the coupling
static const double left = 4e-7;        // m, of overlap: what solves may leave at a radius of 20 mm
static const double barWidth = 0.004;   // m
static const double barLength = 0.1;    // m

// Down to a depth, and aside from 0.6 s to 1 s.
typedef struct press
{
    palVec3 above; // m: where the tool touches
    double height; // m: where it comes from, above that
    double depth;  // m: where it goes, below that
    double speed;  // m/s
    palVec3 aside; // m
} press;

static palVec3 pressing(const void* user, double t)
{
    const press* p = user;
    double y = fmax(p->height - p->speed * t, -p->depth);
    double aside = fmin(1.0, fmax(0.0, (t - 0.6) / 0.4));
    return palAdd(palAdd(p->above, palMakeVec3(0.0, y, 0.0)), palScale(aside, p->aside));
}

// A bar that lies along x with an edge below and an edge above, turned about y.
static palQuat barTurn(double angle)
{
    palQuat roll = palMakeQuatRotationVector(palMakeVec3(0.25 * PAL_PI, 0.0, 0.0));
    return palMulQuat(palMakeQuatRotationVector(palMakeVec3(0.0, angle, 0.0)), roll);
}

static void makeBar(palTool* tool)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeBox);
    shape.size = palMakeVec3(barLength, barWidth, barWidth);
    shape.resolution = 3;
    assert_int_equal(palMakeShape(&shape, &tool->surface, NULL), pal_ok);
    palSurface_Transform(&tool->surface, 1.0, barTurn(0.0), pal_zeroVec3);
    palRigidDef def = toolRigidDef(&tool->surface);
    assert_int_equal(palRigidModel_Init(&tool->model, &def, NULL), pal_ok);
}

static void startOnBar(palRig* rig, const char* method, const palTool* tool, const press* p,
                       double angle, double friction)
{
    rigInit(rig, &(palRigDef){.method = method,
                              .path = pressing,
                              .user = p,
                              .seconds = 1.5,
                              .tool = tool,
                              .spacing = 1.0});
    palRigPose pose = rigHome;
    pose.rotation = barTurn(angle);
    rigAddBox(rig, palMakeVec3(barLength, barWidth, barWidth), 3, friction, pose);
    rigStart(rig);
}

static void a_bar_is_held_by_a_bar_that_it_crosses(void** state)
{
    (void)state;
    static const double angles[] = {0.5 * PAL_PI, 0.3 * PAL_PI, -0.1 * PAL_PI, 0.01 * PAL_PI};
    static const double speeds[] = {0.1, 0.3, 1.0};
    const double depth = 1e-3, touching = sqrt(2.0) * barWidth;
    palTool tool = {0};
    palCollider truth;
    makeBar(&tool);
    toolCollider(&tool, &truth);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
        {
            palRig rig;
            press p = {
                .above = {0.0, touching, 0.0}, .height = 0.02, .depth = depth, .speed = speeds[k]};
            startOnBar(&rig, "accurate", &tool, &p, angles[i], 0.2);
            palTickRecord record;
            while (rigStep(&rig, &record))
                ASSERT_BELOW(toolDepth(&rig, &truth, &record), left);
            ASSERT_NEAR(record.hands[0].force.y, stiffness * depth, 1e-4);
            ASSERT_NEAR(record.hands[0].proxy.y, touching, 1e-6);
            assert_int_equal(record.contactCount, 1);
            ASSERT_NEAR(-record.contacts[0].force.y, stiffness * depth, 1e-4);
            ASSERT_NEAR(record.contacts[0].point.y, 0.5 * touching, 1e-6);
            rigFree(&rig);
        }
    palCollider_Free(&truth);
    palSurface_Free(&tool.surface);
}

static void an_edge_holds_by_friction(void** state)
{
    (void)state;
    const double friction = 0.3, depth = 1e-3, touching = sqrt(2.0) * barWidth;
    palTool tool = {0};
    palCollider truth;
    makeBar(&tool);
    toolCollider(&tool, &truth);
    for (int i = 0; i < 2; i++)
    {
        // 70 % of what friction holds, then 130 %, to the side along both bars.
        double share = i == 0 ? 0.7 : 1.3, limit = friction * stiffness * depth;
        palRig rig;
        press p = {.above = {0.0, touching, 0.0}, .height = 0.01, .depth = depth, .speed = 0.1};
        p.aside = palScale(share * limit / stiffness, palMakeVec3(sqrt(0.5), 0.0, sqrt(0.5)));
        startOnBar(&rig, "accurate", &tool, &p, 0.5 * PAL_PI, friction);
        palTickRecord record, first = {0};
        while (rigStep(&rig, &record))
        {
            ASSERT_BELOW(toolDepth(&rig, &truth, &record), left);
            if (record.t < 1.1)
                first = record;
        }
        double held = hypot(record.hands[0].force.x, record.hands[0].force.z);
        if (i == 0)
        {
            ASSERT_BELOW(palDistance(record.hands[0].proxy, first.hands[0].proxy), 1e-8);
            // The force that holds the edge also turns the tool about its grip.
            double turning = tool.model.def.rotationStiffness, lever = 0.5 * touching;
            double give = 1.0 + stiffness * lever * lever / turning;
            ASSERT_NEAR(held, share * limit / give, 1e-4);
        }
        else
            ASSERT_NEAR(held, limit, 0.01 * limit);
        rigFree(&rig);
    }
    palCollider_Free(&truth);
    palSurface_Free(&tool.surface);
}

// A needle of 2 mm that stands on its base, 20 mm high, its tip in the origin.
static void addNeedle(palRig* rig, double friction)
{
    static const palVec3 corners[4] = {
        {0, 0, 0}, {0.001, -0.02, 0}, {-0.0005, -0.02, 0.0009}, {-0.0005, -0.02, -0.0009}};
    static const int triangles[4][3] = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}};
    palSurface surface;
    assert_int_equal(palSurface_Init(&surface, 4, 4, NULL), pal_ok);
    memcpy(surface.vertices, corners, sizeof corners);
    memcpy(surface.triangles, triangles, sizeof triangles);
    rigAdd(rig, &surface, friction, rigHome);
}

static void a_face_is_held_by_a_needle(void** state)
{
    (void)state;
    static const double speeds[] = {0.1, 0.3, 1.0};
    const double depth = 1e-3, thick = 0.004;
    palTool tool = {0};
    palCollider truth;
    toolBox(&tool, palMakeVec3(0.06, thick, 0.06), 3);
    toolCollider(&tool, &truth);
    for (int k = 0; k < 3; k++)
    {
        palRig rig;
        press p = {.above = {0.0, 0.5 * thick, 0.0},
                   .height = 0.02,
                   .depth = depth,
                   .speed = speeds[k],
                   .aside = {0.01, 0.0, 0.004}};
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .path = pressing,
                                   .user = &p,
                                   .seconds = 1.5,
                                   .tool = &tool,
                                   .spacing = 1.0});
        addNeedle(&rig, 0.1);
        rigStart(&rig);
        palTickRecord record;
        while (rigStep(&rig, &record))
        {
            ASSERT_BELOW(toolDepth(&rig, &truth, &record), left);
            if (fabs(record.t - 0.55) < 5e-4)
            {
                // The force of the coupling at rest, and nothing else.
                ASSERT_NEAR(record.hands[0].force.y, stiffness * depth, 1e-4);
                ASSERT_NEAR(hypot(record.hands[0].force.x, record.hands[0].force.z), 0.0, 1e-4);
                ASSERT_NEAR(record.hands[0].proxy.y, 0.5 * thick, 1e-6);
            }
        }
        // Off its middle the tool leans over, and lies on the tip all the same.
        palVec3 tip = palInvRotate(record.hands[0].proxyTurn, palNeg(record.hands[0].proxy));
        ASSERT_NEAR(tip.y, -0.5 * thick, 1e-6);
        assert_true(record.hands[0].force.y > 0.5 * stiffness * depth);
        rigFree(&rig);
    }
    palCollider_Free(&truth);
    palSurface_Free(&tool.surface);
}

// ---------------------------------------------------------------------------------------------
// A flat tool of 20 mm and the rim of a table in x = 0

static const double high = 0.01; // m, of the tool

// Pressed onto the table, out over its rim until its middle hangs over by `out`, and back, or on.
typedef struct drag
{
    double out;   // m
    double speed; // m/s
    bool returns;
    double turn; // rad about the vertical
} drag;

static const double dragDepth = 1e-3; // m

static palVec3 dragging(const void* user, double t)
{
    const drag* d = user;
    double y = fmax(0.5 * high + 0.005 - 0.1 * t, 0.5 * high - dragDepth);
    double gone = d->speed * fmax(0.0, t - 0.1);
    double x = -0.02 + gone, most = d->out;
    if (d->returns && x > most)
        x = fmax(-0.02, 2.0 * most - x);
    return palMakeVec3(fmin(x, most), y, 0.001);
}

static palVec3 turnedBy(const void* user, double t)
{
    (void)t;
    return palMakeVec3(0.0, ((const drag*)user)->turn, 0.0);
}

static void a_tool_passes_a_rim_without_catching(void** state)
{
    (void)state;
    static const drag drags[] = {
        {.out = 0.03, .speed = 0.1},
        {.out = 0.03, .speed = 0.1, .turn = 0.3},
        {.out = 0.03, .speed = 1.0, .turn = 0.1},
        {.out = 0.0031, .speed = 0.05, .returns = true},
        {.out = 0.0063, .speed = 0.1, .returns = true},
        {.out = 0.0063, .speed = 0.1, .returns = true, .turn = 0.4},
        {.out = 0.0031, .speed = 0.5, .returns = true},
    };
    const double friction = 0.2;
    palTool tool = {0};
    palCollider truth;
    toolBox(&tool, palMakeVec3(0.02, high, 0.02), 3);
    toolCollider(&tool, &truth);
    for (size_t i = 0; i < sizeof drags / sizeof drags[0]; i++)
    {
        const drag* d = &drags[i];
        palRig rig;
        double way = d->returns ? 2.0 * d->out + 0.04 : d->out + 0.02;
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .path = dragging,
                                   .turn = turnedBy,
                                   .user = d,
                                   .seconds = 0.3 + way / d->speed,
                                   .tool = &tool,
                                   .spacing = 1.0});
        rigAddBox(&rig, palMakeVec3(0.2, 0.02, 0.2), 10, friction, rigAt(-0.1, -0.01, 0.0));
        rigStart(&rig);
        palTickRecord record;
        double most = 0.0;
        while (rigStep(&rig, &record))
        {
            ASSERT_BELOW(toolDepth(&rig, &truth, &record), left);
            if (record.t > 0.15)
                most = fmax(most, fabs(record.hands[0].force.x));
        }
        // Friction, and v √(k m) of a tool that is brought up to speed at once; nothing catches.
        double push = stiffness * dragDepth;
        double start = d->speed * sqrt(stiffness * tool.model.def.mass.mass);
        ASSERT_BELOW(most, 1.1 * (friction * push + start));
        ASSERT_NEAR(record.hands[0].force.y, d->returns ? push : 0.0, 1e-3);
        ASSERT_BELOW(fabs(record.hands[0].force.x), 1.1 * friction * push);
        rigFree(&rig);
    }
    palCollider_Free(&truth);
    palSurface_Free(&tool.surface);
}

// ---------------------------------------------------------------------------------------------
// A bar that tumbles among bars, a needle and the corner of a box, always pressed into something

typedef struct tumble
{
    double pace; // of the motion: 1 is some 0.1 m/s at the middle, and a rad/s
} tumble;

static palVec3 among(const void* user, double t)
{
    double a = ((const tumble*)user)->pace * t;
    return palMakeVec3(0.02 * sin(3.1 * a), 0.006 + 0.008 * cos(4.3 * a), 0.02 * sin(2.3 * a));
}

static palVec3 tumbling(const void* user, double t)
{
    double a = ((const tumble*)user)->pace * t;
    return palMakeVec3(0.9 * sin(0.7 * a), 1.4 * sin(1.1 * a), 0.5 * sin(1.9 * a));
}

static void nothing_passes_a_tumbling_bar(void** state)
{
    (void)state;
    static const double paces[] = {1.0, 3.0, 8.0};
    palTool tool = {0};
    palCollider truth;
    makeBar(&tool);
    toolCollider(&tool, &truth);
    for (int i = 0; i < 3; i++)
    {
        tumble motion = {paces[i]};
        palRig rig;
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .path = among,
                                   .turn = tumbling,
                                   .user = &motion,
                                   .seconds = 4.0 / paces[i] + 0.5,
                                   .tool = &tool,
                                   .spacing = 1.0});
        palRigPose pose = rigAt(0.012, -0.004, 0.0);
        pose.rotation = barTurn(0.5 * PAL_PI);
        rigAddBox(&rig, palMakeVec3(barLength, barWidth, barWidth), 3, 0.2, pose);
        rigAddBox(&rig, palMakeVec3(0.01, 0.02, 0.01), 2, 0.2, rigAt(-0.02, -0.012, 0.01));
        addNeedle(&rig, 0.2);
        rigStart(&rig);
        palTickRecord record;
        int contact = 0;
        while (rigStep(&rig, &record))
        {
            ASSERT_BELOW(toolDepth(&rig, &truth, &record), left);
            // The bars hold it back by as much as the hand goes too deep, and no more.
            ASSERT_BELOW(palDistance(record.hands[0].proxy, among(&motion, record.t)), 0.01);
            contact += record.hands[0].active > 0;
        }
        assert_true(contact > (int)rig.ticks / 4);
        rigFree(&rig);
    }
    palCollider_Free(&truth);
    palSurface_Free(&tool.surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_is_held_by_a_bar_that_it_crosses),
        cmocka_unit_test(an_edge_holds_by_friction),
        cmocka_unit_test(a_face_is_held_by_a_needle),
        cmocka_unit_test(a_tool_passes_a_rim_without_catching),
        cmocka_unit_test(nothing_passes_a_tumbling_bar),
    };
    return RUN(tests);
}
