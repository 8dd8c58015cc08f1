// SPDX-License-Identifier: Apache-2.0
// Shapes of rigid objects in scenes: hulls, extrusions, several shapes as one body, rows and grids;
// masses that are given, and what no free body can be.
#include "scene_world.h"

#include "scene/bodies.h"

// clang-format off
#define HEAD "palpate: 1\ngravity: [0, 0, -9.81]\nmethod: {name: impulse}\n" \
             "trajectory: {kind: line, start: [1, 1, 1], end: [1, 1, 1.001]}\n"
#define FLOOR "objects:\n  - {name: floor, shape: {kind: half-space}, friction: 0.5}\n"
#define ELL "{kind: extrusion, height: 0.06, points: [{at: [0, 0, 0]}, {at: [0.1, 0, 0]}, " \
            "{at: [0.1, 0.02, 0]}, {at: [0.02, 0.02, 0]}, {at: [0.02, 0.1, 0]}, " \
            "{at: [0, 0.1, 0]}]}"
#define TETRA "{at: [0, 0, 0]}, {at: [0.1, 0, 0]}, {at: [0, 0.1, 0]}, {at: [0, 0, 0.1]}"
// clang-format on

// Writes a mesh and gives its path.
static void writeMesh(char path[64], const char* text)
{
    snprintf(path, 64, "/tmp/palpate-mesh-%d.obj", (int)getpid());
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// clang-format off
#define CORNERS "v 0 0 0\nv 0.1 0 0\nv 0.1 0.1 0\nv 0 0.1 0\n" \
                "v 0 0 0.1\nv 0.1 0 0.1\nv 0.1 0.1 0.1\nv 0 0.1 0.1\n"
#define SIDES "f 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n"
#define BOTTOM "f 1 3 2\nf 1 4 3\n"
#define TOP "f 5 6 7\nf 5 7 8\n"
// clang-format on

//--------------------------------------------------------------------------------------------------
// Hull and extrusion

static void a_hull_and_an_extrusion_rest_on_their_faces(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        HEAD FLOOR "  - {name: tetra, shape: {kind: hull, points: [" TETRA "]}, position: "
                   "[0, 0, 0.01], friction: 0.5, motion: free}\n"
                   "  - {name: wedge, shape: {kind: extrusion, height: 0.05, points: [{at: [0, 0, "
                   "0]}, {at: [0.1, 0, 0]}, {at: [0, 0.05, 0]}]}, position: [0.3, 0, 0.035], "
                   "friction: 0.5, motion: free}\n");
    stepWorld(world, 1500);
    ASSERT_NEAR(bodyOf(world, "tetra").position.z, 0.0, 1e-4);
    ASSERT_NEAR(bodyOf(world, "wedge").position.z, 0.025, 1e-4);
    assert_true(bodyOf(world, "tetra").isAsleep && bodyOf(world, "wedge").isAsleep);
    palWorld_Destroy(world);
}

// A capsule is round: it rolls down a slope with g sin α / (1 + I / (m r²)), where of its mass the
// share `caps`, a ball in all, has 2/5 m r² and the shaft 1/2 m r². As 16 triangles around, too.
static void a_capsule_rolls_as_its_inertia_says(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        "palpate: 1\ngravity: [1.7034738, 0, -9.6609640]\nmethod: {name: impulse}\n" // 10 degrees
        "trajectory: {kind: line, start: [1, 1, 1], end: [1, 1, 1.001]}\n" FLOOR
        "  - {name: rod, shape: {kind: capsule, radius: 0.02, height: 0.1, resolution: 16}, "
        "position: [0, 0, 0.02], rotation: [90, 0, 0], friction: 0.5, motion: free}\n");
    stepWorld(world, 500);
    double ball = 4.0 / 3.0 * 0.02, shaft = 0.06, caps = ball / (ball + shaft);
    double share = caps * 2.0 / 5.0 + (1.0 - caps) * 0.5;
    double way = 0.5 * 1.7034738 / (1.0 + share) * 0.25;
    ASSERT_NEAR(bodyOf(world, "rod").position.x / way, 1.0, 0.01);
    palWorld_Destroy(world);
}

// The notch of an angle is empty: a ball of 20 mm in it rests on both of its arms.
static void the_notch_of_an_extrusion_is_empty(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        HEAD "objects:\n  - {name: angle, shape: " ELL ", rotation: [90, 0, 0], friction: 0.2}\n"
             "  - {name: ball, shape: {kind: sphere, radius: 0.02}, position: [0.05, 0, 0.06], "
             "velocity: [-0.1, 0, 0], motion: free, friction: 0.2}\n");
    stepWorld(world, 3000);
    palVec3 ball = bodyOf(world, "ball").position;
    ASSERT_NEAR(ball.z, 0.04, 1e-4);
    assert_true(ball.x > 0.0398 && ball.x < 0.08);
    palWorld_Destroy(world);
}

static void a_mesh_that_is_convex_can_be_a_hull(void** state)
{
    (void)state;
    char path[64], text[1024];
    writeMesh(path, CORNERS BOTTOM SIDES TOP);
    snprintf(text, sizeof text,
             HEAD FLOOR "  - {name: cube, mesh: %s, representation: hull, position: [0, 0, 0.01], "
                        "motion: free, friction: 0.5}\n",
             path);
    palWorld* world = startWorld(text);
    stepWorld(world, 1000);
    ASSERT_NEAR(bodyOf(world, "cube").position.z, 0.0, 1e-4);
    palWorld_Destroy(world);
    remove(path);
}

//--------------------------------------------------------------------------------------------------
// Several shapes as one body

// Two halves tumble through the air as the whole does: mass, centre and inertia are the same.
static void two_halves_move_as_the_whole(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        HEAD "objects:\n  - {name: whole, shape: {kind: box, size: [0.1, 0.06, 0.02]}, velocity: "
             "[1, 0, 3], spin: [200, 300, 100], motion: free}\n"
             "  - {name: halves, parts: [{shape: {kind: box, size: [0.04, 0.06, 0.02]}, position: "
             "[-0.03, 0, 0]}, {shape: {kind: box, size: [0.06, 0.02, 0.06]}, rotation: [90, 0, 0], "
             "position: [0.02, 0, 0]}], position: [0, 1, 0], velocity: [1, 0, 3], spin: "
             "[200, 300, 100], motion: free}\n");
    stepWorld(world, 500);
    palBodyState whole = bodyOf(world, "whole"), halves = bodyOf(world, "halves");
    halves.position.y -= 1.0;
    ASSERT_NEAR(palDistance(whole.position, halves.position), 0.0, 1e-12);
    ASSERT_NEAR(palDistance(whole.spin, halves.spin), 0.0, 1e-9);
    ASSERT_NEAR(fabs(whole.orientation.w) - fabs(halves.orientation.w), 0.0, 1e-12);
    palWorld_Destroy(world);
}

// The heavier end of a hammer decides on which side of an edge it falls.
static void the_density_of_a_part_shifts_the_centre(void** state)
{
    (void)state;
    for (int heavy = 0; heavy < 2; heavy++)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD "objects:\n  - {name: post, shape: {kind: box, size: [0.02, 0.1, 0.2]}, "
                      "position: [0, 0, -0.1]}\n"
                      "  - {name: bar, parts: [{shape: {kind: box, size: [0.1, 0.02, 0.02]}, "
                      "position: [-0.05, 0, 0], density: %d}, {shape: {kind: box, size: [0.1, "
                      "0.02, 0.02]}, position: [0.05, 0, 0], density: %d}], position: [0, 0, 0.01]"
                      ", motion: free}\n",
                 heavy == 0 ? 7800 : 1000, heavy == 0 ? 1000 : 7800);
        palWorld* world = startWorld(text);
        stepWorld(world, 300);
        // About y a positive angle lowers the +x end.
        double tilt = bodyOf(world, "bar").orientation.y;
        assert_true(heavy == 0 ? tilt < -0.05 : tilt > 0.05);
        palWorld_Destroy(world);
    }
}

// A pendulum whose centre and inertia are given: T = 2 pi sqrt((I + m d²) / (m g d)).
static void centre_and_inertia_that_are_given_count(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        HEAD "objects:\n  - {name: disc, shape: {kind: sphere, radius: 0.02}, motion: free, mass: "
             "0.5, centre: [0.003, 0, -0.15], inertia: [0.004, 0.004, 0.001]}\n"
             "joints: [{kind: hinge, body: disc, to: world, point: [0, 0, 0], axis: [0, 1, 0]}]\n");
    const double m = 0.5, d = hypot(0.003, 0.15);
    const double period = 2.0 * PAL_PI * sqrt((0.004 + m * d * d) / (m * 9.81 * d));
    int last = 0, first = -1, crossings = 0;
    double before = 0.0;
    for (int k = 0; crossings < 9 && k < 8000; k++)
    {
        stepWorld(world, 1);
        double omega = bodyOf(world, "disc").spin.y;
        bool isTurned = k > 0 && (omega > 0.0) != (before > 0.0);
        before = omega;
        crossings += isTurned;
        last = isTurned ? k : last;
        first = isTurned && first < 0 ? k : first;
    }
    ASSERT_NEAR(0.001 * (last - first) / 4.0, period, 0.005 * period);
    palWorld_Destroy(world);
}

//--------------------------------------------------------------------------------------------------
// Rows and grids

static void a_repeated_object_is_a_grid_of_one_shape(void** state)
{
    (void)state;
    const char* text =
        HEAD FLOOR "  - {name: brick, shape: {kind: box, size: [0.1, 0.05, 0.05], resolution: 2}, "
                   "position: [1, 0, 0.025], motion: free, repeat: {count: [10, 1, 5], step: [0.1, "
                   "0, 0.05], stagger: [0.05, 0, 0]}}\n";
    palScene scene;
    palSceneBodies bodies;
    palMessages messages = {0};
    palError error = {0};
    assert_int_equal(palScene_Parse(text, strlen(text), "grid", NULL, 0, &scene, &messages, &error),
                     pal_ok);
    assert_int_equal(scene.objectCount, 51);
    assert_string_equal(scene.objects[1].name, "brick0");
    assert_string_equal(scene.objects[50].name, "brick49");
    // x first; the second of the five rows is shifted.
    ASSERT_NEAR(scene.objects[2].position.x, 1.1, 1e-12);
    ASSERT_NEAR(scene.objects[11].position.x, 1.05, 1e-12);
    ASSERT_NEAR(scene.objects[11].position.z, 0.075, 1e-12);
    ASSERT_NEAR(scene.objects[50].position.x, 1.9, 1e-12);
    assert_int_equal(scene.objects[50].place.line, 7);
    assert_int_equal(palSceneBodies_Init(&bodies, &scene, &messages, &error), pal_ok);
    assert_int_equal(bodies.shapeCount, 2); // the floor's and the bricks'
    assert_ptr_equal(bodies.pileBodies[1].parts->shape, bodies.pileBodies[50].parts->shape);
    palSceneBodies_Free(&bodies);
    palScene_Free(&scene);
    palMessages_Free(&messages);
}

static void a_thousand_objects_are_taken_and_one_more_is_not(void** state)
{
    (void)state;
    const char* form = HEAD FLOOR
        "  - {name: box, shape: {kind: box, size: [0.01, 0.01, 0.01], resolution: 2}, position: "
        "[0, 0, 0.005], motion: free, repeat: {count: [%d, 3, 1], step: [0.02, 0.02, 0]}}\n";
    char text[1024];
    snprintf(text, sizeof text, form, 333);
    palWorld* world = startWorld(text);
    stepWorld(world, 2);
    assert_true(palWorld_FindBody(world, "box998").index != 0);
    palWorld_Destroy(world);
    snprintf(text, sizeof text, form, 334);
    refuseWorld(text, 7, "1003 objects");
    char* many = malloc(200000);
    assert_non_null(many);
    size_t used = (size_t)sprintf(many, "%s", HEAD "objects:\n");
    for (int i = 0; i < 1001; i++)
        used += (size_t)sprintf(many + used, "  - {shape: {kind: sphere, radius: 0.01}}\n");
    refuseWorld(many, 6 + 1000, "1001 objects");
    free(many);
}

//--------------------------------------------------------------------------------------------------
// What is refused

static void refuseObject(const char* object, const char* what)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD FLOOR "  - %s\n", object);
    refuseWorld(text, 7, what);
}

static void what_cannot_be_a_free_body_is_refused(void** state)
{
    (void)state;
    refuseObject("{shape: {kind: half-space}, motion: free}", "holds no volume");
    refuseObject("{shape: {kind: box}, motion: free, mass: 1, inertia: [1, 1, 3]}", "no body has");
    refuseObject("{shape: {kind: box}, motion: free, mass: 1, inertia: [1, 1, 0]}", "no body has");
    refuseObject("{shape: {kind: box}, motion: free, mass: 1, inertia: [1, 1, 1], "
                 "inertia_products: [2, 0, 0]}",
                 "no body has");
    refuseObject("{shape: {kind: box}, motion: free, mass: 0}", "'mass'");
    refuseObject("{shape: {kind: box}, inertia: [1, 1, 1]}", "'inertia'");
    refuseObject("{shape: {kind: hull, points: [" TETRA ", {at: [0.02, 0.02, 0.02]}]}}",
                 "not convex: point 4 is 20 mm");
    refuseObject("{shape: {kind: hull, points: [{at: [0, 0, 0]}, {at: [1, 0, 0]}, {at: [0, 1, 0]}, "
                 "{at: [1, 1, 0]}]}}",
                 "plane");
    refuseObject("{shape: {kind: extrusion, points: [{at: [0, 0, 0]}, {at: [1, 1, 0]}, "
                 "{at: [1, 0, 0]}, {at: [0, 1, 0]}]}}",
                 "area");
    refuseObject("{shape: {kind: extrusion, points: [{at: [0, 0, 0]}, {at: [1, 0, 0]}]}}",
                 "2 corners");
    refuseObject("{shape: " ELL ", representation: hull}", "convex");
    refuseObject("{shape: {kind: box}, friction: -0.1}", "'friction'");
    refuseObject("{shape: {kind: box}, contact: {restitution: 1.1}}", "'restitution'");
    refuseObject("{shape: {kind: box}, friction: 0.3, contact: {kinetic_friction: 0.5}}",
                 "more than it sticks");
    refuseObject("{shape: {kind: box}, repeat: {count: [1.5, 1, 1]}}", "whole number");
    refuseObject("{shape: {kind: box}, soft: {}, repeat: {count: [2, 1, 1]}}",
                 "cannot be repeated");
    refuseObject("{parts: [{shape: {kind: half-space}}], motion: free}", "holds no volume");
}

static void refuseMesh(const char* mesh, const char* keys, const char* what)
{
    char path[64], object[256];
    writeMesh(path, mesh);
    snprintf(object, sizeof object, "{mesh: %s, motion: free%s}", path, keys);
    refuseObject(object, what);
    remove(path);
}

static void meshes_that_hold_nothing_are_refused(void** state)
{
    (void)state;
    refuseMesh(CORNERS BOTTOM SIDES, "", "closed");
}

// A closed mesh that faces inward is no solid to move. What does not move is turned over, and the
// user is told.
static void a_mesh_that_is_inside_out_is_refused_as_a_free_body(void** state)
{
    (void)state;
    const char* mesh = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 2 3\nf 1 4 2\nf 1 3 4\n"
                       "f 2 4 3\n";
    char path[64], text[1024];
    refuseMesh(mesh, "", "inside out");
    refuseMesh(mesh, ", mass: 0.1", "inside out");
    writeMesh(path, mesh);
    snprintf(text, sizeof text, "{parts: [{shape: {kind: box}}, {mesh: %s}], motion: free}", path);
    refuseObject(text, "inside out");
    snprintf(text, sizeof text, HEAD FLOOR "  - {name: part, mesh: %s, position: [0, 0, 0.1]}\n",
             path);
    palWorld* world = startWorld(text);
    bool isTold = false, isWarning;
    const palError* message;
    for (int i = 0; (message = palWorld_Message(world, i, &isWarning)) != NULL; i++)
        isTold = isTold || strstr(message->text, "flipped to face outward") != NULL;
    assert_true(isTold);
    palWorld_Destroy(world);
    remove(path);
}

static void masses_far_apart_and_overlaps_are_warned_of(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        HEAD FLOOR "  - {name: heavy, shape: {kind: box}, position: [0, 0, 0.05], motion: free, "
                   "mass: 1000}\n  - {name: light, shape: {kind: box}, position: [0, 0, 0.148], "
                   "motion: free, mass: 0.001}\n");
    assert_true(isWarned(world, "'heavy' has 1e+03 kg and 'light' 0.001 kg"));
    assert_true(isWarned(world, "'heavy' and 'light' are 2 mm inside each other"));
    palWorld_Destroy(world);
}

// A polygon of 24 sides in place of a circle is narrower at the middle of its sides than the play.
static void play_that_is_less_than_the_height_of_facets_is_told(void** state)
{
    (void)state;
    for (int coarse = 0; coarse < 2; coarse++)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD FLOOR "  - {name: hole, shape: {kind: sleeve, radius: 0.01005, resolution: "
                            "%d}, position: [0, 0, 0.1]}\n  - {name: pin, shape: {kind: cylinder, "
                            "radius: 0.01, resolution: 64}, position: [0, 0, 0.2], motion: free}\n",
                 coarse ? 24 : 48);
        palWorld* world = startWorld(text);
        assert_int_equal(
            isWarned(world,
                     "'pin' has 0.05 mm of play a side in 'hole', whose holes and shafts are "
                     "polygons: facets of 'hole' are 0.086 mm high"),
            coarse);
        palWorld_Destroy(world);
    }
}

// What is joined may overlap: it does not touch.
static void overlaps_of_what_is_joined_are_not_warned_of(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        HEAD FLOOR "  - {name: a, shape: {kind: box}, position: [0, 0, 0.05], motion: free}\n"
                   "  - {name: b, shape: {kind: box}, position: [0.09, 0, 0.05], motion: free}\n"
                   "joints: [{kind: weld, body: a, to: b, point: [0.045, 0, 0.05]}]\n");
    assert_false(isWarned(world, "inside each other"));
    palWorld_Destroy(world);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_hull_and_an_extrusion_rest_on_their_faces),
        cmocka_unit_test(a_capsule_rolls_as_its_inertia_says),
        cmocka_unit_test(the_notch_of_an_extrusion_is_empty),
        cmocka_unit_test(a_mesh_that_is_convex_can_be_a_hull),
        cmocka_unit_test(two_halves_move_as_the_whole),
        cmocka_unit_test(the_density_of_a_part_shifts_the_centre),
        cmocka_unit_test(centre_and_inertia_that_are_given_count),
        cmocka_unit_test(a_repeated_object_is_a_grid_of_one_shape),
        cmocka_unit_test(a_thousand_objects_are_taken_and_one_more_is_not),
        cmocka_unit_test(what_cannot_be_a_free_body_is_refused),
        cmocka_unit_test(meshes_that_hold_nothing_are_refused),
        cmocka_unit_test(a_mesh_that_is_inside_out_is_refused_as_a_free_body),
        cmocka_unit_test(masses_far_apart_and_overlaps_are_warned_of),
        cmocka_unit_test(play_that_is_less_than_the_height_of_facets_is_told),
        cmocka_unit_test(overlaps_of_what_is_joined_are_not_warned_of),
    };
    return RUN(all);
}
