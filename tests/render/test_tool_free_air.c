// SPDX-License-Identifier: Apache-2.0
// A hand with a tool in free air feels the inertia of the tool and nothing else, however fast it
// goes and however near to things; what the tool touches after that it touches at the right place.
#include "course.h"
#include "tool_rig.h"

#include "render/common.h"
#include "world/hand.h"

typedef enum Kind
{
    bead,   // a sphere
    brick,  // a box
    stylus, // a rod with round ends, held away from its middle
    kinds,
} Kind;

static const char* const kindNames[kinds] = {"sphere", "box", "stylus"};

static void makeTool(palTool* tool, Kind kind, double grams)
{
    palShapeDef shape = palDefaultShapeDef(kind == bead    ? pal_shapeSphere
                                           : kind == brick ? pal_shapeBox
                                                           : pal_shapeProbe);
    shape.radius = kind == bead ? 0.008 : 0.003;
    shape.height = 0.06;
    shape.size = palMakeVec3(0.016, 0.012, 0.02);
    shape.resolution = kind == brick ? 4 : 12;
    *tool = (palTool){0};
    assert_int_equal(palMakeShape(&shape, &tool->surface, NULL), pal_ok);
    palRigidDef def = toolRigidDef(&tool->surface);
    double scale = 1e-3 * grams / def.mass.mass;
    def.mass.mass *= scale;
    def.mass.inertia = palMat3Mul(palMakeMat3Scale(scale), def.mass.inertia);
    def.gripPosition = palMakeVec3(0.0, 0.0, kind == stylus ? 0.015 : 0.0);
    assert_int_equal(palRigidModel_Init(&tool->model, &def, NULL), pal_ok);
}

// A course of the tool's handle, with how it is turned.
typedef struct Flight
{
    Course course;
    palVec3 turns[samplesMax]; // by tick, rotation vectors
} Flight;

static palVec3 flightPath(const void* user, double t)
{
    return along(&((const Flight*)user)->course, t);
}

static palVec3 flightTurn(const void* user, double t)
{
    const Flight* flight = user;
    Course turns = {.count = flight->course.count, .dt = flight->course.dt};
    memcpy(turns.at, flight->turns, (size_t)turns.count * sizeof *turns.at);
    return along(&turns, t);
}

// How far a convex tool reaches against a direction from where it is held, m.
static double support(const palTool* tool, palVec3 turn, palVec3 n)
{
    palVec3 v = palInvRotate(palMakeQuatRotationVector(turn), n);
    double most = 0.0;
    for (int i = 0; i < tool->surface.vertexCount; i++)
        most =
            fmax(most, -palDot(v, palSub(tool->surface.vertices[i], tool->model.def.gripPosition)));
    return most;
}

// The course of a point at `distance`, farther out by what the tool reaches towards the thing, and
// at that speed again.
static void planFlight(Flight* flight, const palRig* rig, Thing thing, Way way, double distance,
                       double speed, int seed)
{
    static Course narrow;
    static palVec3 wide[samplesMax], turns[samplesMax];
    palRandom random = palMakeRandom((uint64_t)seed + 100);
    palVec3 base = randomDirection(&random), axis = randomDirection(&random);
    plan(&narrow, thing, way, distance, speed, seed);
    double length = 0.0;
    for (int k = 0; k < narrow.count; k++)
    {
        palVec3 at = narrow.at[k];
        palNearest nearest;
        assert_true(palColliders_Nearest(rig->colliders, 1, at, INFINITY, &nearest));
        bool isRound = thing == ball || thing == scan;
        palVec3 n = palNormalize(isRound ? at : palSub(at, nearest.closest.point));
        length += k > 0 ? palDistance(at, narrow.at[k - 1]) : 0.0;
        turns[k] = palMulAdd(base, 0.5 * sin(10.0 * length), axis);
        wide[k] = palMulAdd(at, support(rig->def.tool, turns[k], n) + (isRound ? 6e-4 : 0.0), n);
    }
    Course* course = &flight->course;
    course->count = narrow.count;
    course->dt = narrow.dt;
    double s = 0.0; // along the part from wide[i] to the next
    for (int k = 0, i = 0; k < course->count; k++, s += speed * course->dt)
    {
        double part;
        while (i < narrow.count - 2 && s > (part = palDistance(wide[i], wide[i + 1])))
        {
            s -= part;
            i++;
        }
        double share = fmin(1.0, s / fmax(palDistance(wide[i], wide[i + 1]), 1e-12));
        course->at[k] = palLerp(wide[i], wide[i + 1], share);
        flight->turns[k] = palLerp(turns[i], turns[i + 1], share);
    }
}

// The tool where nothing is: what its inertia and weight give the hand.
typedef struct Alone
{
    palRigidState state;
    palVec3 force, torque;
} Alone;

static void flyAlone(Alone* alone, const palTool* tool, palDevice* device, double t)
{
    palDeviceState hand;
    rigRead(device, t, &hand);
    palHandle handle = palHandle_FromDevice(&hand);
    palRigidStep step = palRigid_Free(&tool->model, &alone->state, &handle, device->dt);
    alone->state = palRigidStep_Integrate(&step, &tool->model, step.free);
    palWrench wrench = palRigid_HandWrench(&tool->model, &alone->state, &handle);
    alone->force = wrench.force;
    alone->torque = wrench.torque;
}

// The distance of the edges of a cube or a plate from the tool, m, where it is below `least`.
static double edgeDistance(const palRig* rig, const palCollider* tool, const palRigidState* state,
                           double least)
{
    palBounds box = palSurface_Bounds(&rig->colliders[0].surface);
    for (int i = 0; i < 24; i++)
    {
        // From corner i / 3 along axis i % 3, where that goes up.
        int corner = i / 3, axis = i % 3;
        if (corner >> axis & 1)
            continue;
        palVec3 ends[2];
        for (int k = 0; k < 2; k++)
        {
            int at = corner | k << axis;
            palVec3 x =
                palMakeVec3(at & 1 ? box.high.x : box.low.x, at & 2 ? box.high.y : box.low.y,
                            at & 4 ? box.high.z : box.low.z);
            ends[k] = palShellFeatures_ToTool(&rig->tool.model, state, x);
        }
        least = segmentDistance(tool, ends[0], ends[1], least);
    }
    return least;
}

// Whether an edge of the tool goes through the thing.
static bool isThrough(const palRig* rig, const palCollider* tool, const palRigidState* state)
{
    palCrossing crossing;
    for (int e = 0; e < tool->topology.edgeCount; e++)
    {
        palVec3 ends[2];
        for (int k = 0; k < 2; k++)
            ends[k] = palRigid_Point(&rig->tool.model, state,
                                     tool->surface.vertices[tool->topology.edges[e][k]]);
        if (palBvh_FirstCrossing(rig->colliders[0].bvh, ends[0], ends[1], &crossing))
            return true;
    }
    return false;
}

// Its distance from the thing, m.
static double aloneGap(const palRig* rig, const palCollider* tool, Thing thing, const Alone* alone)
{
    const palMethod* method = rig->engine->methods.methods[0];
    int count;
    const palVec3* points = method->ops->points(method, &count);
    bool isSharp = thing == cube || thing == plate;
    double least = INFINITY;
    if (isThrough(rig, tool, &alone->state))
        return 0.0;
    for (int i = 0; i < count; i++)
    {
        palVec3 x = palRigid_Point(&rig->tool.model, &alone->state, points[i]);
        palNearest nearest;
        if (palColliders_Nearest(rig->colliders, 1, x, least, &nearest))
            least = fmax(0.0, nearest.gap);
    }
    return isSharp ? edgeDistance(rig, tool, &alone->state, least) : least;
}

// How far any place of the tool is from where it was, m, at most.
static double apart(const palRig* rig, const palRigidState* a, const palRigidState* b)
{
    palVec3 turn = palRotationVector(palMulQuat(a->q, palConjugate(b->q)));
    double reach = 0.0;
    for (int i = 0; i < rig->tool.surface.vertexCount; i++)
        reach = fmax(reach, palLength(rig->tool.surface.vertices[i]));
    return palDistance(a->x, b->x) + 2.0 * reach * palLength(turn);
}

typedef struct Felt
{
    double force;  // N, at most, beyond that of the tool alone
    double torque; // N·m
    int ticks;     // until the tool alone would touch something
    int held;      // of those
} Felt;

static Felt fly(palRig* rig, const palCollider* tool, Thing thing)
{
    const double clear = 1e-4; // m
    Felt felt = {0};
    Alone alone;
    palTickRecord record;
    double free = 0.0; // m: so far from `measured` it touches nothing
    palRigidState measured = {0};
    rig->def.seconds = isLongRun() ? 1.0 : 0.3;
    rigStart(rig);
    alone.state = ((const palShellMethod*)rig->engine->methods.methods[0])->shell.tool.state;
    while (rigStep(rig, &record))
    {
        const palHandRecord* hand = &record.hands[0];
        flyAlone(&alone, rig->def.tool, &rig->device, record.t);
        if (felt.ticks == 0 || apart(rig, &alone.state, &measured) >= free)
        {
            measured = alone.state;
            free = aloneGap(rig, tool, thing, &alone) - clear;
        }
        if (free < 0.0)
            break;
        felt.force = fmax(felt.force, palDistance(hand->force, alone.force));
        felt.torque = fmax(felt.torque, palDistance(hand->torque, alone.torque));
        felt.ticks++;
        felt.held += hand->held;
    }
    return felt;
}

// What all flights under a method showed.
typedef struct Flights
{
    int held, ticks;
} Flights;

// A tool past one thing, by all ways, distances and speeds.
static void flyPast(const char* method, Kind kind, double grams, Thing thing, Flights* all)
{
    static const double distances[] = {5e-4, 0.01, 2e-3, 0.025, 0.05}; // m
    static const double speeds[] = {2.0, 1.0, 0.1, 0.4};               // m/s
    static Flight flight;
    bool isLong = isLongRun();
    palTool tool;
    palCollider collider;
    makeTool(&tool, kind, grams);
    toolCollider(&tool, &collider);
    palRig rig;
    rigInit(&rig, &(palRigDef){.method = method,
                               .path = flightPath,
                               .turn = flightTurn,
                               .user = &flight,
                               .tool = &tool});
    addThing(&rig, thing, 0.2);
    for (int way = 0; way < ways; way++)
        for (int d = 0; d < (isLong ? 5 : 2); d++)
            for (int v = 0; v < (isLong ? 4 : 2); v++)
            {
                if (!isLong && d != v)
                    continue;
                planFlight(&flight, &rig, thing, way, distances[d], speeds[v], d + v);
                Felt felt = fly(&rig, &collider, thing);
                if (isLong || felt.force > 0.05)
                    print_message("%s, %s of %g g, %s, %s at %g mm, %g m/s: %.4f N, "
                                  "%.5f N m, %d ticks, held %d\n",
                                  method, kindNames[kind], grams, names[thing], wayNames[way],
                                  1e3 * distances[d], speeds[v], felt.force, felt.torque,
                                  felt.ticks, felt.held);
                ASSERT_BELOW(felt.force, 0.05);
                ASSERT_BELOW(felt.torque, 1e-3);
                all->held += felt.held;
                all->ticks += felt.ticks;
            }
    rigFree(&rig);
    palCollider_Free(&collider);
    palSurface_Free(&tool.surface);
}

static Flights flyPastAll(const char* method)
{
    static const double masses[] = {5.0, 20.0, 100.0}; // g
    bool isLong = isLongRun();
    Flights all = {0};
    for (int kind = 0; kind < kinds; kind++)
        for (int mass = 0; mass < (isLong ? 3 : 1); mass++)
            for (int thing = 0; thing < things; thing++)
                if (isLong || thing != scan || kind == bead)
                    flyPast(method, kind, masses[mass], thing, &all);
    return all;
}

static void a_hand_with_a_tool_feels_its_inertia_alone(void** state)
{
    (void)state;
    Flights all = flyPastAll("accurate");
    assert_true(all.held > 500 && all.ticks > 5000); // else little was tested
}

static void so_it_does_under_methods_of_half_spaces(void** state)
{
    (void)state;
    assert_true(flyPastAll("standard").ticks > 5000);
    if (isLongRun())
        flyPastAll("penalty");
    else
    {
        Flights all = {0};
        flyPast("penalty", bead, 5.0, ball, &all);
        flyPast("penalty", brick, 5.0, cube, &all);
    }
}

// Fast past the thing and then into it, with the tool as it is.
static void planToolDive(Flight* flight, const palTool* tool, Thing thing, palVec3 u, double depth,
                         double speed)
{
    planDive(&flight->course, thing, u, depth, speed);
    double reach = support(tool, pal_zeroVec3, u);
    for (int k = 0; k < flight->course.count; k++)
    {
        flight->course.at[k] = palMulAdd(flight->course.at[k], reach, u);
        flight->turns[k] = pal_zeroVec3;
    }
}

static void what_the_tool_meets_after_it_is_met_at_the_right_place(void** state)
{
    (void)state;
    static Flight flight;
    palRandom random = palMakeRandom(3);
    int held = 0;
    for (int kind = 0; kind < kinds; kind++)
        for (int thing = 0; thing < scan; thing++)
        {
            palTool tool;
            makeTool(&tool, kind, 20.0);
            palRig rig;
            rigInit(&rig, &(palRigDef){.method = "accurate",
                                       .path = flightPath,
                                       .turn = flightTurn,
                                       .user = &flight,
                                       .tool = &tool});
            rig.def.seconds = 0.5;
            addThing(&rig, thing, 0.0);
            for (int i = 0; i < (isLongRun() ? 50 : 2); i++)
            {
                // Of the plate right through it: it must be met where the hand came from.
                palVec3 up = palMakeVec3(0.0, 0.0, 1.0);
                palVec3 u = thing == plate ? up : randomDirection(&random);
                palTickRecord record;
                planToolDive(&flight, &tool, thing, u, 0.004, 0.5 + 0.4 * ((i + 3) % 5));
                rigStart(&rig);
                for (int k = 0; rigStep(&rig, &record); k++)
                {
                    if (isLongRun() || k % 4 == 0)
                        ASSERT_BELOW(-toolGap(&rig, &record), 1e-6);
                    held += record.hands[0].held;
                    if (thing == plate)
                        ASSERT_BELOW(0.5 * plateSize.z, record.hands[0].proxy.z);
                }
                const palHandRecord* end = &record.hands[0];
                if (thing != plate && (thing != ball || kind != bead))
                    continue; // it may have turned or slid aside
                assert_true(end->active > 0 && !end->held);
                // 4 mm deep in a straight line, at 1000 N/m.
                ASSERT_NEAR(palDot(end->force, u), 4.0, 0.3);
            }
            rigFree(&rig);
            palSurface_Free(&tool.surface);
        }
    assert_true(held > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_with_a_tool_feels_its_inertia_alone),
        cmocka_unit_test(so_it_does_under_methods_of_half_spaces),
        cmocka_unit_test(what_the_tool_meets_after_it_is_met_at_the_right_place),
    };
    return RUN(tests);
}
