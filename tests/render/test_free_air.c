// SPDX-License-Identifier: Apache-2.0
// A hand in free air feels nothing, however fast it goes and however near to things; what it
// touches after that it touches at the right place.
#include "path_rig.h"

#include "base/random.h"

typedef enum Thing
{
    ball,
    cube,
    plate, // 1 mm thick
    scan,  // a ball with bumps of a fine mesh
    things,
} Thing;

static const char* const names[things] = {"ball", "cube", "plate", "scan"};
static const double ballRadius = 0.04;                // m
static const palVec3 cubeSize = {0.06, 0.06, 0.06};   // m
static const palVec3 plateSize = {0.08, 0.08, 0.001}; // m

enum
{
    samplesMax = 2000,
};

typedef struct Course
{
    palVec3 at[samplesMax]; // by tick, m
    int count;
    double dt;
} Course;

static palVec3 along(const void* user, double t)
{
    const Course* course = user;
    double s = fmax(0.0, fmin(t / course->dt, course->count - 1.0));
    int k = (int)s < course->count - 1 ? (int)s : course->count - 2;
    return palLerp(course->at[k], course->at[k + 1], s - k);
}

// How far the scan is from its centre in a direction.
static double scanRadius(palVec3 u)
{
    return ballRadius + 5e-4 * sin(40.0 * u.x) * sin(40.0 * u.y + 1.0) * sin(40.0 * u.z + 2.0);
}

// The place at a distance from the surface, in a direction from the middle.
static palVec3 placeAt(Thing thing, palVec3 u, double distance)
{
    if (thing == ball)
        return palScale(ballRadius + distance, u);
    if (thing == scan)
        return palScale(scanRadius(u) + distance, u);
    palVec3 half = palScale(0.5, thing == cube ? cubeSize : plateSize);
    palVec3 far = palScale(0.07, u);
    palVec3 on = palMaxVec3(palNeg(half), palMinVec3(half, far));
    return palMulAdd(on, distance, palNormalize(palSub(far, on)));
}

static palVec3 randomDirection(palRandom* random)
{
    palVec3 u;
    do
        u = palMakeVec3(palRandom_Range(random, -1.0, 1.0), palRandom_Range(random, -1.0, 1.0),
                        palRandom_Range(random, -1.0, 1.0));
    while (palLength(u) > 1.0 || palLength(u) < 0.1);
    return palNormalize(u);
}

typedef enum Way
{
    line,
    circle,
    wander, // in all directions along the surface
    ways,
} Way;

static const char* const wayNames[ways] = {"line", "circle", "wander"};

static void plan(Course* course, Thing thing, Way way, double distance, double speed, int seed)
{
    palRandom random = palMakeRandom((uint64_t)seed);
    course->count = samplesMax / 2;
    course->dt = 1e-3;
    palVec3 u = randomDirection(&random),
            axis = palNormalize(palCross(u, randomDirection(&random)));
    palVec3 at = placeAt(thing, u, distance);
    if (way == line)
    {
        // Past the thing and back.
        double reach = 0.15, phase = 0.0;
        palVec3 middle = palScale(thing == scan   ? ballRadius + 6e-4 + distance
                                  : thing == ball ? ballRadius + distance
                                                  : 0.0,
                                  u);
        if (thing == cube || thing == plate)
        {
            u = palMakeVec3(0.0, 0.0, 1.0);
            middle = palMakeVec3(0.01, 0.02,
                                 0.5 * (thing == cube ? cubeSize.z : plateSize.z) + distance);
            axis = palNormalize(palMakeVec3(palRandom_Range(&random, -1.0, 1.0), 1.0, 0.0));
        }
        for (int k = 0; k < course->count; k++, phase += speed * course->dt)
        {
            double s = fmod(phase, 4.0 * reach);
            s = s < 2.0 * reach ? s - reach : 3.0 * reach - s;
            course->at[k] = palMulAdd(middle, s, axis);
        }
        return;
    }
    for (int k = 0; k < course->count; k++)
    {
        course->at[k] = at;
        // In small parts, until the way of a tick is made.
        for (int part = 0; part < 400 && palDistance(at, course->at[k]) < speed * course->dt;
             part++)
        {
            palQuat turn = palMakeQuatRotationVector(palScale(speed * course->dt / 4.0, axis));
            u = palNormalize(palRotate(turn, u));
            at = placeAt(thing, u, distance);
        }
        if (way == wander)
        {
            axis = palAdd(axis, palScale(0.2, randomDirection(&random)));
            axis = palNormalize(palSub(axis, palScale(palDot(axis, u), u)));
        }
    }
}

static void addThing(palRig* rig, Thing thing, double friction)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeSphere);
    shape.radius = ballRadius;
    if (thing == cube)
        rigAddBox(rig, cubeSize, 10, friction, rigHome);
    else if (thing == plate)
        rigAddBox(rig, plateSize, 20, friction, rigHome);
    else if (thing == ball)
        rigAddShape(rig, &shape, friction, rigHome);
    else
    {
        shape.resolution = 400;
        palSurface surface;
        assert_int_equal(palMakeShape(&shape, &surface, NULL), pal_ok);
        for (int i = 0; i < surface.vertexCount; i++)
        {
            palVec3 u = palNormalize(surface.vertices[i]);
            surface.vertices[i] = palScale(scanRadius(u), u);
        }
        rigAdd(rig, &surface, friction, rigHome);
    }
}

// Goes over the whole course. Returns the largest force, N; *held is in how many ticks the proxy
// was held back, *behind how far it was from the device at most.
static double fly(palRig* rig, int* held, double* behind)
{
    palTickRecord record;
    double most = 0.0;
    *held = 0;
    *behind = 0.0;
    rigStart(rig);
    while (rigStep(rig, &record))
    {
        const palHandRecord* hand = &record.hands[0];
        most = fmax(most, palLength(hand->force));
        *held += hand->held;
        *behind = fmax(*behind, palDistance(hand->proxy, hand->device));
        ASSERT_BELOW(-rigGap(rig, hand->proxy), 1e-9);
        assert_int_equal(hand->active, 0);
    }
    return most;
}

static void a_hand_in_free_air_feels_nothing(void** state)
{
    (void)state;
    static const double distances[] = {5e-4, 0.01, 2e-3, 0.025, 0.05}; // m
    static const double speeds[] = {2.0, 0.4, 0.1, 1.0};               // m/s
    static Course course;
    bool isLong = isLongRun();
    int heldOfAll = 0;
    for (int thing = 0; thing < things; thing++)
    {
        palRig rig;
        rigInit(&rig, &(palRigDef){.method = "accurate", .path = along, .user = &course});
        addThing(&rig, thing, 0.2);
        for (int seed = 0; seed < (isLong ? 10 : 1); seed++)
            for (int way = 0; way < ways; way++)
                for (int d = 0; d < (isLong ? 5 : 2); d++)
                    for (int v = 0; v < (isLong ? 4 : 2); v++)
                    {
                        int held;
                        double behind;
                        plan(&course, thing, way, distances[d], speeds[v], seed);
                        double most = fly(&rig, &held, &behind);
                        heldOfAll += held;
                        if (isLong || most > 0.05)
                            print_message("%s, %s at %g mm, %g m/s: %.4f N, held %d, %.1f mm\n",
                                          names[thing], wayNames[way], 1e3 * distances[d],
                                          speeds[v], most, held, 1e3 * behind);
                        ASSERT_BELOW(most, 0.05);
                    }
        rigFree(&rig);
    }
    assert_true(heldOfAll > 0); // else nothing was tested
}

// From afar at 2 m/s past the thing, and then into it by `depth`, where it stays.
static void planDive(Course* course, Thing thing, palVec3 u, double depth, double speed)
{
    palVec3 side = palNormalize(palCross(u, palMakeVec3(0.3, -0.5, 0.7)));
    palVec3 end = placeAt(thing, u, -depth);
    palVec3 above = placeAt(thing, u, 0.02);
    palVec3 far = palMulAdd(palMulAdd(above, 0.1, side), 0.05, u);
    double lengths[] = {palDistance(far, above), palDistance(above, end)};
    course->count = 500;
    course->dt = 1e-3;
    for (int k = 0; k < course->count; k++)
    {
        double s = fmin(speed * course->dt * k, lengths[0] + lengths[1]);
        course->at[k] = s < lengths[0] ? palLerp(far, above, s / lengths[0])
                                       : palLerp(above, end, (s - lengths[0]) / lengths[1]);
    }
}

static void what_is_met_after_it_is_met_at_the_right_place(void** state)
{
    (void)state;
    static Course course;
    const double stiffness = 1000.0; // N/m, of the rig
    palRandom random = palMakeRandom(3);
    int heldOfAll = 0;
    for (int thing = 0; thing < things; thing++)
    {
        palRig rig;
        rigInit(&rig, &(palRigDef){.method = "accurate", .path = along, .user = &course});
        rig.def.seconds = 0.5;
        addThing(&rig, thing, 0.0);
        for (int i = 0; i < (isLongRun() ? 200 : 20); i++)
        {
            // Of the plate right through it: it must be met on the side where the hand came from.
            palVec3 u = thing == plate ? palMakeVec3(0.0, 0.0, 1.0) : randomDirection(&random);
            double depth = thing == plate ? 0.004 : 0.002;
            palTickRecord record;
            bool isMet = false;
            planDive(&course, thing, u, depth, 0.5 + 0.1 * i);
            rigStart(&rig);
            while (rigStep(&rig, &record))
            {
                ASSERT_BELOW(-rigGap(&rig, record.hands[0].proxy), 1e-9);
                if (thing == plate)
                    ASSERT_BELOW(0.5 * plateSize.z, record.hands[0].proxy.z);
                heldOfAll += record.hands[0].held;
                isMet = isMet || record.hands[0].active > 0;
                if (!isMet)
                    ASSERT_BELOW(palLength(record.hands[0].force), 0.05);
            }
            const palHandRecord* end = &record.hands[0];
            ASSERT_BELOW(rigGap(&rig, end->proxy), 1e-8);
            // No place of the surface near by is nearer to the hand.
            palNearest nearest;
            assert_true(palColliders_Nearest(rig.colliders, 1, end->device, INFINITY, &nearest));
            double most = (thing == plate ? depth : nearest.closest.distance) + 2e-6;
            if (thing == ball || thing == plate)
                ASSERT_BELOW(palDistance(end->proxy, end->device), most);
            ASSERT_NEAR(palLength(end->force), stiffness * palDistance(end->proxy, end->device),
                        1e-6);
        }
        rigFree(&rig);
    }
    assert_true(heldOfAll > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_in_free_air_feels_nothing),
        cmocka_unit_test(what_is_met_after_it_is_met_at_the_right_place),
    };
    return RUN(tests);
}
