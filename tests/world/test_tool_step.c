// SPDX-License-Identifier: Apache-2.0
// The world step with a tool: the scenes with tools, stepped without a high rate. What touches is
// looked at from outside, every vertex against the other surface.
#include "../render/depth.h"

#include "mesh/shapes.h"
#include "mesh/write.h"
#include "scene/bodies.h"
#include "world/step.h"

#include <unistd.h>

typedef struct stage
{
    palScene scene;
    palMessages messages;
    palSceneBodies world;
    palTrajectory* trajectory;
    palTool tool;
    palWorldStep step;
    double time; // s
} stage;

static stage* startStage(const char* name, const char* const* sets, int setCount)
{
    char path[512];
    palError error = {0};
    stage* s = calloc(1, sizeof *s);
    assert_non_null(s);
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", PAL_SOURCE_DIR, name);
    assert_int_equal(palScene_Load(path, sets, setCount, &s->scene, &s->messages, &error), pal_ok);
    assert_int_equal(palSceneBodies_Init(&s->world, &s->scene, &s->messages, &error), pal_ok);
    palTrajectoryDef path_;
    assert_int_equal(palSceneBodies_Aim(&s->world, &s->scene.hand.trajectory, &path_, &error),
                     pal_ok);
    assert_int_equal(palTrajectory_Create(&path_, &s->trajectory, &error), pal_ok);
    palRigidDef rigid = palDefaultRigidDef();
    rigid.mass = s->world.tools[0].mass;
    rigid.tangent = pal_tangentSafe;
    assert_int_equal(palRigidModel_Init(&s->tool.model, &rigid, &error), pal_ok);
    s->tool.surface = s->world.tools[0].surface;
    palWorldStepDef def = {
        .colliders = s->world.colliders,
        .colliderCount = s->world.count,
        .tools = {&s->tool},
        .toolCount = 1,
        .law = s->scene.method.settings.linear.constraints,
        .lookAhead = 2.0 * s->scene.time.lowDt,
        .radius = s->scene.method.radius,
    };
    assert_int_equal(palWorldStep_Init(&s->step, &def, &error), pal_ok);
    return s;
}

static void endStage(stage* s)
{
    palWorldStep_Free(&s->step);
    palTrajectory_Destroy(s->trajectory);
    palSceneBodies_Free(&s->world);
    palScene_Free(&s->scene);
    palMessages_Free(&s->messages);
    free(s);
}

// The hand at time t, still.
static palHandle handAt(const stage* s, double t)
{
    palHandle handle = {.q = pal_identityQuat};
    palTrajectory_At(s->trajectory, t, &handle.x, &handle.q);
    return handle;
}

static void advance(stage* s, const palHandle* handle, double t)
{
    palWorldStepInfo info;
    s->step.tools[0]->handle = *handle;
    palWorldStep_Advance(&s->step, t - s->time, &info);
    s->time = t;
}

static void place(stage* s, const palHandle* handle)
{
    s->step.tools[0]->handle = *handle;
    palWorldStep_Place(&s->step);
}

static void stepTo(stage* s, double t)
{
    palHandle handle = handAt(s, t);
    if (t == 0.0)
        place(s, &handle);
    else
        advance(s, &handle, t);
}

// How deep any vertex of the one is in the other, m.
static double deepest(const stage* s)
{
    palCollider_Vertices(&s->world.colliders[0]);
    const palSurface* soft = &s->world.colliders[0].surface;
    palSurface placed = s->tool.surface;
    placed.vertices = calloc((size_t)placed.vertexCount, sizeof(palVec3));
    assert_non_null(placed.vertices);
    palRigid_Place(&s->tool.model, &s->step.tools[0]->state, placed.vertexCount,
                   s->tool.surface.vertices, placed.vertices);
    double most = fmax(depthIn(&placed, soft), depthIn(soft, &placed));
    free(placed.vertices);
    return most;
}

// Runs a part of a scene and checks every low-rate step: nothing is inside, and the tool stays
// within `reach` of the hand, m.
static void checkScene(const char* name, const char* const* sets, int setCount, double from,
                       double until, double reach)
{
    stage* s = startStage(name, sets, setCount);
    double h = s->scene.time.lowDt;
    int touching = 0, steps = 0;
    for (double t = 0.0; t < until - from; t += h, steps++)
    {
        // A path that begins later begins from outside: above its first point.
        palHandle handle = handAt(s, from + t);
        if (steps == 0)
            place(s, &handle);
        else
            advance(s, &handle, t);
        ASSERT_BELOW(deepest(s), 1e-4);
        for (int i = 0; i < s->step.linkCount; i++)
            touching += s->step.links[i].lambda[0] > 0.0;
        assert_int_equal(s->step.failures, 0);
        ASSERT_BELOW(palLength(s->step.tools[0]->state.v), 1.0);
        ASSERT_BELOW(palDistance(palTool_Grip(&s->tool, &s->step.tools[0]->state).x, handle.x),
                     reach);
    }
    assert_true(touching > steps / 4); // it was no walk in the air
    endStage(s);
}

static void nothing_penetrates_the_block(void** state)
{
    (void)state;
    const char* const sets[] = {"time.low_dt=0.1"};
    checkScene("tool-block", NULL, 0, 0.0, 2.0, 0.012);
    checkScene("tool-block", sets, 1, 0.0, 4.0, 0.012);
}

static void nothing_penetrates_organ_and_polyp(void** state)
{
    (void)state;
    const char* const slow[] = {"time.low_dt=0.06"};
    checkScene("tool-organ", slow, 1, 1.0, 6.0, 0.03);
    checkScene("tool-polyp", slow, 1, 2.0, 7.0, 0.03);
}

static void nothing_penetrates_with_equality(void** state)
{
    (void)state;
    const char* const sets[] = {"method.constraints=equality", "time.low_dt=0.05"};
    const char* const slow[] = {"method.constraints=equality", "time.low_dt=0.1"};
    checkScene("tool-block", sets, 2, 0.0, 3.0, 0.012);
    checkScene("tool-block", slow, 2, 0.0, 5.5, 0.012);
}

// A lobed surface as a user may bring it, made soft. The probe is dragged over its furrows.
static void nothing_penetrates_a_mesh_from_a_file(void** state)
{
    (void)state;
    palShapeDef ball = {.kind = pal_shapeSphere, .radius = 0.055, .resolution = 40};
    palSurface lobed;
    palError error = {0};
    assert_int_equal(palMakeShape(&ball, &lobed, &error), pal_ok);
    for (int i = 0; i < lobed.vertexCount; i++)
    {
        palVec3* x = &lobed.vertices[i];
        double y = x->y / ball.radius;
        *x = palScale(1.0 + 0.28 * sin(3.0 * atan2(x->z, x->x)) * (1.0 - y * y), *x);
    }
    char path[] = "/tmp/palpate-lobed-XXXXXX.ply", object[256];
    close(mkstemps(path, 4));
    assert_int_equal(palSurface_Write(&lobed, path, &error), pal_ok);
    snprintf(object, sizeof object,
             "objects.0={mesh: %s, friction: 0.2, soft: {young: 6000, poisson: 0.4, resolution: 9, "
             "fixed: [{plane: {point: [0, -0.03, 0], normal: [0, 1, 0]}}]}}",
             path);
    const char* const sets[] = {
        object, "time.low_dt=0.05",
        "trajectory={kind: path, points: [{t: 0, at: [-0.02, 0.07, 0]}, {t: 1, at: [-0.02, 0.03, "
        "0]}, {t: 2.5, at: [0.03, 0.01, 0.02], turn: [30, 0, -40]}, {t: 4, at: [-0.03, 0.01, "
        "-0.03], turn: [-30, 40, 30]}]}"};
    checkScene("tool-organ", sets, 3, 0.0, 4.0, 0.012);
    remove(path);
    palSurface_Free(&lobed);
}

// A tool vertex that was put 0.3 mm below the surface is out again after a step, whichever way the
// hand goes: nothing holds it from behind.
static void what_is_inside_comes_out(void** state)
{
    (void)state;
    const palVec3 ways[] = {{0, 0.01, 0}, {0.01, 0, 0}, {0, -0.005, 0}};
    for (int i = 0; i < 3; i++)
    {
        stage* s = startStage("tool-block", NULL, 0);
        double h = s->scene.time.lowDt;
        for (int k = 0; k * h < 1.5; k++)
            stepTo(s, k * h);
        s->step.tools[0]->state.x.y -= 3e-4;
        ASSERT_BELOW(2e-4, deepest(s));
        palHandle handle = handAt(s, 1.5);
        handle.x = palAdd(handle.x, ways[i]);
        for (int k = 1; k <= 4; k++)
            advance(s, &handle, s->time + h);
        ASSERT_BELOW(deepest(s), 1e-4);
        palVec3 left = palSub(palTool_Grip(&s->tool, &s->step.tools[0]->state).x, handle.x);
        ASSERT_BELOW(fabs(left.x), 2e-3);
        endStage(s);
    }
}

// At rest the forces of the touches balance the coupling, and the elastic forces of the tissue
// balance the touches.
static void at_rest_everything_balances(void** state)
{
    (void)state;
    stage* s = startStage("tool-block", NULL, 0);
    double h = s->scene.time.lowDt;
    for (int k = 0; k * h < 0.9; k++)
        stepTo(s, k * h);
    palHandle handle = handAt(s, 0.9);
    for (int k = 1; k <= 60; k++)
        advance(s, &handle, s->time + h);
    palWrench coupling = palRigid_Coupling(&s->tool.model, &s->step.tools[0]->state, &handle);
    palWrench contact = palWorldRigid_Wrench(s->step.tools[0], s->step.rows->lambda);
    palSoftBody* body = s->world.colliders[0].soft;
    palSoftBody_Linearise(body, pal_tangentExact);
    palVec3 elastic = pal_zeroVec3;
    for (int i = 0; i < body->freeCount; i++)
        elastic = palAdd(elastic, palMakeVec3(body->force[3 * i], body->force[3 * i + 1],
                                              body->force[3 * i + 2]));
    ASSERT_BELOW(2.0, contact.force.y);
    ASSERT_BELOW(palLength(palAdd(coupling.force, contact.force)), 5e-3 * contact.force.y);
    ASSERT_BELOW(palDistance(elastic, contact.force), 5e-3 * contact.force.y);
    ASSERT_BELOW(palLength(palAdd(coupling.torque, contact.torque)), 1e-4);
    endStage(s);
}

// Coulomb: the tangential force stays in the cone, and holds a tool that is pulled sideways by
// less.
static void friction_stays_in_its_cone_and_holds(void** state)
{
    (void)state;
    const char* const sets[] = {"objects.0.friction=0.4"};
    stage* s = startStage("tool-block", sets, 1);
    double h = s->scene.time.lowDt;
    int rubbing = 0;
    for (int k = 0; k * h < 2.5; k++)
    {
        stepTo(s, k * h);
        const palRows* rows = s->step.rows;
        for (int i = 0; i < rows->blockCount; i++)
        {
            const double* lambda = rows->lambda + rows->blocks[i].row;
            double tangential = hypot(lambda[1], lambda[2]);
            assert_int_equal(rows->blocks[i].size, 3);
            assert_true(lambda[0] >= 0.0);
            ASSERT_BELOW(tangential, 0.4 * lambda[0] * (1 + 1e-3) + 1e-6);
            rubbing += tangential > 0.1 * lambda[0] && lambda[0] > 0.0;
        }
    }
    assert_true(rubbing > 50);
    endStage(s);
}

// A sheet of two triangles and a tool that is 50 mm past it at the end of the step: the sweep sees
// it, however fast.
static void a_fast_tool_does_not_pass_through(void** state)
{
    (void)state;
    const char* const sets[] = {
        "objects.0={name: sheet, shape: {kind: plane, size: [0.2, 0.2, 0], resolution: 2}}",
        "trajectory={kind: line, start: [0, 0, 0.05], end: [0, 0, -0.05], speed: 1}",
    };
    stage* s = startStage("tool-block", sets, 2);
    stepTo(s, 0.0);
    stepTo(s, 0.1);
    ASSERT_BELOW(0.0299, s->step.tools[0]->state.x.z); // half its length above
    stepTo(s, 0.2);
    ASSERT_NEAR(s->step.tools[0]->state.x.z, 0.03, 2e-4);
    endStage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_penetrates_the_block),
        cmocka_unit_test(nothing_penetrates_organ_and_polyp),
        cmocka_unit_test(nothing_penetrates_with_equality),
        cmocka_unit_test(nothing_penetrates_a_mesh_from_a_file),
        cmocka_unit_test(what_is_inside_comes_out),
        cmocka_unit_test(at_rest_everything_balances),
        cmocka_unit_test(friction_stays_in_its_cone_and_holds),
        cmocka_unit_test(a_fast_tool_does_not_pass_through),
    };
    return RUN(tests);
}
