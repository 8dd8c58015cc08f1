// SPDX-License-Identifier: Apache-2.0
// Rigid bodies that move in a world that a program builds by calls: falling, resting, hanging.
#include "check.h"

#include "math/vec3.h"

#include <palpate/world.h>

#include <stdlib.h>

static palWorld* makeWorld(void)
{
    palWorldDef def = palDefaultWorldDef();
    palWorld* world = NULL;
    palError error = {0};
    def.method = "impulse";
    def.gravity = (palVec3){0, 0, -9.81};
    def.lowDt = 0.01;
    assert_int_equal(palWorld_Create(&def, &world, &error), pal_ok);
    palHandDef hand = palDefaultHandDef();
    hand.position = (palVec3){1, 1, 1};
    assert_int_equal(palWorld_AddHand(world, &hand, NULL, &error), pal_ok);
    return world;
}

static palBodyId addObject(palWorld* world, const char* shape, palVec3 size, palVec3 position,
                           palMotionKind motion)
{
    palSurfaceDef surface = palDefaultSurfaceDef();
    palObjectDef def = palDefaultObjectDef();
    palBodyId id;
    palError error = {0};
    surface.shape = shape;
    surface.shapeSize = size;
    def.surface = &surface;
    def.position = position;
    def.motion = motion;
    def.friction = 0.5;
    if (palWorld_AddObject(world, &def, &id, &error) != pal_ok)
        fail_msg("%s: %s", error.file, error.text);
    return id;
}

static void step(palWorld* world, int steps)
{
    palError error = {0};
    for (int k = 0; k < steps; k++)
        if (palWorld_Step(world, &error) != pal_ok)
            fail_msg("%s: %s", error.file, error.text);
}

static palBodyState stateOf(const palWorld* world, palBodyId body)
{
    palBodyState state = palMakeBodyState();
    assert_int_equal(palWorld_GetBody(world, body, &state), pal_ok);
    return state;
}

static void a_box_falls_on_a_floor_and_falls_asleep(void** state)
{
    (void)state;
    palWorld* world = makeWorld();
    palBodyId floor = addObject(world, "half-space", pal_zeroVec3, pal_zeroVec3, pal_motionFixed);
    palBodyId box =
        addObject(world, "box", (palVec3){0.1, 0.1, 0.1}, (palVec3){0, 0, 0.15}, pal_motionFree);
    palBodyState unread = palMakeBodyState();
    assert_int_equal(palWorld_GetBody(world, box, &unread), pal_errorInput);
    step(world, 100);
    palBodyState falling = stateOf(world, box);
    ASSERT_NEAR(falling.velocity.z, -9.81 * 0.1, 1e-9);
    ASSERT_NEAR(falling.position.z, 0.15 - 0.5 * 9.81 * 0.01, 6e-4);
    assert_false(falling.isAsleep);
    step(world, 2000);
    palBodyState resting = stateOf(world, box);
    ASSERT_NEAR(resting.position.z, 0.05, 2e-4);
    assert_true(resting.isAsleep);
    ASSERT_NEAR(resting.time, 2.099, 1e-9);
    assert_true(palLength(stateOf(world, floor).position) == 0.0);
    palWorld_Destroy(world);
}

static void a_reader_sees_the_poses_that_the_low_rate_took(void** state)
{
    (void)state;
    palWorld* world = makeWorld();
    palBodyId box =
        addObject(world, "box", (palVec3){0.1, 0.1, 0.1}, (palVec3){0, 0, 1}, pal_motionFree);
    palWorldReader* reader;
    palBodyState seen = palMakeBodyState();
    palShapeView view = palMakeShapeView();
    assert_int_equal(palWorld_Prepare(world, NULL), pal_ok);
    assert_int_equal(palWorld_OpenReader(world, &reader, NULL), pal_ok);
    step(world, 205);
    palWorldReader_Update(reader);
    assert_true(palWorldReader_Motion(reader, box, &seen));
    assert_true(seen.time > 0.18 && seen.time < 0.205);
    ASSERT_NEAR(seen.velocity.z, -9.81 * seen.time, 0.011);
    ASSERT_NEAR(seen.position.z, 1.0 - 0.5 * 9.81 * seen.time * seen.time, 3.5e-3); // a step
    // The vertices stay in the frame that the view has.
    assert_true(palWorldReader_Body(reader, box, &view));
    ASSERT_NEAR(view.position.z, seen.position.z - 1.0, 1e-12);
    palWorld_CloseReader(reader);
    palWorld_Destroy(world);
}

static void a_slider_with_limits_is_added_by_calls(void** state)
{
    (void)state;
    palWorld* world = makeWorld();
    palBodyId box = addObject(world, "box", (palVec3){0.1, 0.1, 0.1}, pal_zeroVec3, pal_motionFree);
    palJointDef joint = palDefaultJointDef();
    palError error = {0};
    joint.kind = pal_jointSlider;
    joint.body = box;
    joint.axis = (palVec3){0, 0, 1};
    joint.isLimited = true;
    joint.low = -0.02;
    assert_int_equal(palWorld_AddJoint(world, &joint, NULL, &error), pal_ok);
    step(world, 1000);
    ASSERT_NEAR(stateOf(world, box).position.z, -0.02, 2e-5);
    palWorld_Destroy(world);
}

// A block that sleeps on a slope slides once its friction is taken away, and one that sleeps on a
// floor once gravity is turned.
static void what_sleeps_wakes_when_friction_or_gravity_change(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++)
    {
        palWorld* world = makeWorld();
        palError error = {0};
        palBodyId floor =
            addObject(world, "half-space", pal_zeroVec3, pal_zeroVec3, pal_motionFixed);
        palBodyId box = addObject(world, "box", (palVec3){0.1, 0.1, 0.04}, (palVec3){0, 0, 0.02},
                                  pal_motionFree);
        const palVec3 tilted = {9.81 * sin(0.3), 0, -9.81 * cos(0.3)}; // tan 0.3 = 0.31
        assert_int_equal(palWorld_Prepare(world, &error), pal_ok);
        assert_int_equal(palWorld_SetGravity(world, tilted, &error), pal_ok);
        step(world, 2000);
        assert_true(stateOf(world, box).isAsleep);
        ASSERT_NEAR(stateOf(world, box).position.x, 0.0, 1e-3);
        if (which == 0)
        {
            assert_int_equal(palWorld_SetFriction(world, floor, 0.1, &error), pal_ok);
            assert_int_equal(palWorld_SetFriction(world, box, 0.1, &error), pal_ok);
        }
        else
            assert_int_equal(palWorld_SetGravity(world, (palVec3){9.81, 0, -9.81}, &error), pal_ok);
        step(world, 500);
        assert_true(stateOf(world, box).position.x > 0.05);
        palWorld_Destroy(world);
    }
}

// The friction that a saved world has come to is that of the world that goes on from it.
static void a_changed_friction_is_part_of_the_state(void** state)
{
    (void)state;
    palWorld* worlds[2];
    palBodyId boxes[2];
    palError error = {0};
    for (int i = 0; i < 2; i++)
    {
        worlds[i] = makeWorld();
        addObject(worlds[i], "half-space", pal_zeroVec3, pal_zeroVec3, pal_motionFixed);
        boxes[i] = addObject(worlds[i], "box", (palVec3){0.1, 0.1, 0.04}, (palVec3){0, 0, 0.02},
                             pal_motionFree);
        assert_int_equal(palWorld_Prepare(worlds[i], &error), pal_ok);
    }
    palWorld_SetFriction(worlds[0], boxes[0], 0.9, &error);
    palWorld_SetGravity(worlds[0], (palVec3){6.0, 0, -9.81}, &error);
    step(worlds[0], 500);
    size_t size;
    assert_int_equal(palWorld_SaveState(worlds[0], NULL, &size, &error), pal_ok);
    void* saved = malloc(size);
    assert_non_null(saved);
    assert_int_equal(palWorld_SaveState(worlds[0], saved, &size, &error), pal_ok);
    assert_int_equal(palWorld_RestoreState(worlds[1], saved, size, &error), pal_ok);
    free(saved);
    step(worlds[0], 300);
    step(worlds[1], 300);
    palBodyState one = stateOf(worlds[0], boxes[0]), other = stateOf(worlds[1], boxes[1]);
    ASSERT_BELOW(one.position.x, 1e-3); // 0.9 holds it, 0.5 would not
    assert_memory_equal(&one, &other, sizeof one);
    palWorld_Destroy(worlds[0]);
    palWorld_Destroy(worlds[1]);
}

static void what_a_free_body_cannot_be_is_refused_by_its_member(void** state)
{
    (void)state;
    palWorld* world = makeWorld();
    palSurfaceDef surface = palDefaultSurfaceDef();
    palObjectDef def = palDefaultObjectDef();
    palError error = {0};
    surface.shape = "box";
    def.surface = &surface;
    def.motion = pal_motionFree;
    def.mass = -1.0;
    assert_int_equal(palWorld_AddObject(world, &def, NULL, &error), pal_errorInput);
    assert_string_equal(error.file, "palObjectDef.mass");
    def.mass = 0.0;
    def.restitution = 2.0;
    assert_int_equal(palWorld_AddObject(world, &def, NULL, &error), pal_errorInput);
    assert_string_equal(error.file, "palObjectDef.restitution");
    palWorld_Destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_falls_on_a_floor_and_falls_asleep),
        cmocka_unit_test(a_reader_sees_the_poses_that_the_low_rate_took),
        cmocka_unit_test(a_slider_with_limits_is_added_by_calls),
        cmocka_unit_test(what_sleeps_wakes_when_friction_or_gravity_change),
        cmocka_unit_test(a_changed_friction_is_part_of_the_state),
        cmocka_unit_test(what_a_free_body_cannot_be_is_refused_by_its_member),
    };
    return RUN(tests);
}
