// SPDX-License-Identifier: Apache-2.0
// A tool that touches with points, on the move: it stays outside and on the surface, its force is
// as smooth at 30 Hz as at one rate, and its tip alone feels what a point feels.
#include "tool_rig.h"

static const double amplitude = 0.005;   // m
static const double wavelength = 0.025;  // m
static const double depth = 1e-3;        // m
static const double beginning = -0.0625; // m

typedef struct wave
{
    double speed; // m/s
    double lift;  // m: of what the hand holds above the tool's lowest point
} wave;

static palVec3 alongWave(const void* user, double t)
{
    const wave* w = user;
    double x = beginning + w->speed * t;
    return palMakeVec3(x, amplitude * sin(2.0 * PAL_PI * x / wavelength) - depth + w->lift, 0.0);
}

// Leans to both sides on the way.
static palVec3 leaning(const void* user, double t)
{
    (void)user;
    return palMakeVec3(0.3 * sin(9.0 * t), 0.0, 0.15 * sin(7.0 * t));
}

static void addWave(palRig* rig, double friction)
{
    palShapeDef sine = palDefaultShapeDef(pal_shapeSine);
    sine.amplitude = amplitude;
    sine.wavelength = wavelength;
    sine.size = palMakeVec3(0.3, 0.0, 0.05);
    sine.resolution = 480;
    rigAddShape(rig, &sine, friction, rigHome);
}

// What a run is judged by.
typedef struct judged
{
    int steps, contact, held;
    double inside;     // m, the deepest of any point
    double overlap;    // m, the deepest of any edge of the surface inside the tool
    double distance;   // m, of the tool to the surface while there is force
    double jump;       // N
    double turn;       // rad, between successive forces
    double torqueJump; // N·m
    palVec3* forces;   // owned
} judged;

static judged judge(palRig* rig, const char* method, double lowDt, double latency)
{
    rig->def.method = method;
    rig->def.lowDt = lowDt;
    rig->def.latency = latency;
    rigStart(rig);
    judged j = {.forces = calloc(rig->ticks, sizeof(palVec3))};
    assert_non_null(j.forces);
    palTickRecord record, last = {0};
    palCollider tool = {0};
    if (rig->def.tool != NULL)
        toolCollider(rig->def.tool, &tool);
    while (rigStep(rig, &record))
    {
        // Every point and every edge, in every third step.
        double gap = 0.0;
        if (rig->def.tool != NULL && j.steps % 3 == 0)
        {
            gap = toolDistance(rig, &tool, &record, 0.012);
            j.overlap = fmax(j.overlap, toolDepth(rig, &tool, &record));
        }
        j.forces[j.steps++] = record.hands[0].force;
        j.held += record.hands[0].held;
        j.inside = fmax(j.inside, -gap);
        if (record.t > 0.03)
        {
            j.contact += record.hands[0].active > 0;
            if (record.hands[0].active > 0)
                j.distance = fmax(j.distance, gap);
            j.jump = fmax(j.jump, palDistance(record.hands[0].force, last.hands[0].force));
            j.torqueJump =
                fmax(j.torqueJump, palDistance(record.hands[0].torque, last.hands[0].torque));
            double sine = palLength(palCross(record.hands[0].force, last.hands[0].force));
            j.turn = fmax(j.turn, atan2(sine, palDot(record.hands[0].force, last.hands[0].force)));
        }
        last = record;
    }
    palCollider_Free(&tool);
    return j;
}

// RMS of the difference over the RMS of b.
static double difference(const judged* a, const judged* b)
{
    double apart = 0.0, size = 0.0;
    for (int i = 30; i < a->steps; i++)
    {
        apart += palLengthSquared(palSub(a->forces[i], b->forces[i]));
        size += palLengthSquared(b->forces[i]);
    }
    return sqrt(apart / size);
}

// A stylus whose tip of 2 mm fits into the wave, held 6 mm above it.
static void makeStylus(palTool* tool)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeProbe);
    shape.radius = 0.002;
    shape.height = 0.024;
    shape.resolution = 16;
    toolOfShape(tool, &shape);
    palSurface_Transform(&tool->surface, 1.0,
                         palMakeQuatRotationVector(palMakeVec3(0.5 * PAL_PI, 0.0, 0.0)),
                         palMakeVec3(0.0, 0.006, 0.0));
    palRigidDef def = toolRigidDef(&tool->surface);
    assert_int_equal(palRigidModel_Init(&tool->model, &def, NULL), pal_ok);
}

static void a_tool_stays_on_the_wave_as_in_a_single_rate_run(void** state)
{
    (void)state;
    static const double speeds[] = {0.1, 0.25};
    palTool tool = {0};
    makeStylus(&tool);
    for (int i = 0; i < 2; i++)
    {
        palRig rig;
        wave w = {speeds[i], 0.006};
        rigInit(&rig, &(palRigDef){.path = alongWave,
                                   .turn = leaning,
                                   .user = &w,
                                   .seconds = 0.05 / speeds[i],
                                   .radius = 0.012,
                                   .tool = &tool});
        addWave(&rig, 0.1);
        judged multi = judge(&rig, "accurate", 0.033, 0.005);
        judged single = judge(&rig, "accurate", 0.001, -1.0);
        assert_true(multi.contact > multi.steps - 35);
        assert_int_equal(multi.held, 0);
        // No point is ever inside, and no edge by more than what solves leave.
        ASSERT_BELOW(multi.inside, 0.0);
        ASSERT_BELOW(single.inside, 0.0);
        ASSERT_BELOW(multi.overlap, 3e-7);
        ASSERT_BELOW(single.overlap, 3e-7);
        // On the surface, but for the one tick in which an edge has slid past the end of another.
        ASSERT_BELOW(multi.distance, 0.15 * speeds[i] * 1e-3);
        // An update is not felt.
        ASSERT_BELOW(multi.jump, 1.05 * single.jump);
        ASSERT_BELOW(multi.turn, 1.05 * single.turn);
        ASSERT_BELOW(multi.torqueJump, 1.05 * single.torqueJump);
        ASSERT_BELOW(difference(&multi, &single), 0.01);
        // The closest half-space of each point is left, and jumps at updates.
        judged standard = judge(&rig, "standard", 0.033, 0.005);
        assert_true(standard.distance > 2e-4);
        assert_true(standard.jump > 3.0 * multi.jump);
        free(multi.forces);
        free(single.forces);
        free(standard.forces);
        rigFree(&rig);
    }
    palSurface_Free(&tool.surface);
}

static void a_tip_alone_feels_what_a_point_feels(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard", "penalty"};
    static const double bounds[] = {2e-4, 1e-5, 1e-5};
    palTool tool = {0};
    toolTip(&tool);
    for (int i = 0; i < 3; i++)
    {
        palRig rig;
        wave w = {0.1, 0.0};
        rigInit(&rig, &(palRigDef){.path = alongWave, .user = &w, .seconds = 0.5, .radius = 0.018});
        addWave(&rig, 0.1);
        judged point = judge(&rig, methods[i], 0.033, 0.005);
        rig.def.tool = &tool;
        rig.def.spacing = 1.0;
        judged tip = judge(&rig, methods[i], 0.033, 0.005);
        // The point is placed on the surface at first, the tool just outside. In the air the mass
        // of the tool is felt, that of the point is not.
        int compared = 0;
        for (int k = 30; k < point.steps; k++)
        {
            if (palLength(point.forces[k]) < 0.05)
                continue;
            compared++;
            ASSERT_BELOW(palDistance(point.forces[k], tip.forces[k]), bounds[i]);
        }
        assert_true(compared > 300);
        free(point.forces);
        free(tip.forces);
        rigFree(&rig);
    }
    palSurface_Free(&tool.surface);
}

// Around and over the thing, always somewhat inside, turning all the while.
typedef struct orbit
{
    palVec3 centre, size; // m
} orbit;

static palVec3 around(const void* user, double t)
{
    const orbit* o = user;
    palVec3 d = palMakeVec3(cos(2.1 * t) * cos(0.9 * t), sin(1.3 * t), sin(2.1 * t) * cos(0.9 * t));
    return palAdd(o->centre, palMakeVec3(o->size.x * d.x, o->size.y * d.y, o->size.z * d.z));
}

static palVec3 tumbling(const void* user, double t)
{
    (void)user;
    return palMakeVec3(1.2 * sin(1.7 * t), 1.5 * sin(1.1 * t), 1.0 * sin(2.3 * t));
}

static void no_point_gets_into_any_shape(void** state)
{
    (void)state;
    static const palShapeKind kinds[] = {pal_shapeStatue, pal_shapeRocker};
    palTool tool = {0};
    makeStylus(&tool);
    for (int s = 0; s < 2; s++)
    {
        palRig rig;
        palShapeDef shape = palDefaultShapeDef(kinds[s]);
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .turn = tumbling,
                                   .path = around,
                                   .seconds = 1.5,
                                   .tool = &tool});
        rigAddShape(&rig, &shape, 0.2, rigHome);
        palBounds bounds = palSurface_Bounds(&rig.colliders[0].surface);
        orbit o = {palLerp(bounds.low, bounds.high, 0.5),
                   palScale(0.5, palSub(bounds.high, bounds.low))};
        rig.def.user = &o;
        rigStart(&rig);
        int contact = 0;
        palTickRecord record;
        for (int k = 0; rigStep(&rig, &record); k++)
        {
            contact += record.hands[0].active > 0;
            if (k % 5 == 0)
                ASSERT_BELOW(-toolGap(&rig, &record), 0.0);
        }
        assert_true(contact > 200);
        rigFree(&rig);
    }
    palSurface_Free(&tool.surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tool_stays_on_the_wave_as_in_a_single_rate_run),
        cmocka_unit_test(a_tip_alone_feels_what_a_point_feels),
        cmocka_unit_test(no_point_gets_into_any_shape),
    };
    return RUN(tests);
}
