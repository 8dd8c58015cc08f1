// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/random.h"
#include "device/trajectory.h"

static palTrajectory* make(palTrajectoryDef def)
{
    palTrajectory* trajectory;
    palError error;
    assert_int_equal(palTrajectory_Create(&def, &trajectory, &error), pal_ok);
    return trajectory;
}

// At its own times.
static palTrajectoryDef fileDef(void)
{
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryFile);
    def.timeOffset = 0.0;
    return def;
}

static palTrajectory* fromCsvWith(palTrajectoryDef def, const char* text)
{
    palTrajectory* trajectory;
    palError error = {0};
    if (palTrajectory_CreateFromCsv(&def, text, strlen(text), "test.csv", &trajectory, &error) !=
        pal_ok)
        fail_msg("%s", error.text);
    return trajectory;
}

static palTrajectory* fromCsv(const char* text)
{
    return fromCsvWith(fileDef(), text);
}

static palVec3 at(const palTrajectory* trajectory, double t)
{
    palVec3 p;
    palQuat q;
    palTrajectory_At(trajectory, t, &p, &q);
    return p;
}

static void expectPoint(palVec3 p, double x, double y, double z, double tolerance)
{
    ASSERT_NEAR(p.x, x, tolerance);
    ASSERT_NEAR(p.y, y, tolerance);
    ASSERT_NEAR(p.z, z, tolerance);
}

static void every_kind_has_a_name_and_a_default_that_works(void** state)
{
    (void)state;
    for (int kind = 0; kind < pal_trajectoryFile; kind++)
    {
        assert_non_null(palTrajectoryKind_Name(kind));
        palPathPoint rest = {0};
        palTrajectoryDef def = palDefaultTrajectoryDef(kind);
        def.points = &rest; // the one thing that a path must be given
        def.pointCount = 1;
        palTrajectory* trajectory = make(def);
        assert_true(palIsFinite(at(trajectory, 0.7)));
        palTrajectory_Destroy(trajectory);
    }
    assert_string_equal(palTrajectoryKind_Name(pal_trajectoryPress), "press");
    assert_null(palTrajectoryKind_Name(pal_trajectoryKindCount));
}

static void line_has_its_speed_and_rests_at_both_ends(void** state)
{
    (void)state;
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryLine);
    def.start = palMakeVec3(0.01, 0.02, 0.03);
    def.end = palMakeVec3(0.01, 0.05, 0.07); // 50 mm along (0, 0.6, 0.8)
    def.speed = 0.1;
    palTrajectory* line = make(def);
    expectPoint(at(line, -1.0), 0.01, 0.02, 0.03, 0.0);
    expectPoint(at(line, 0.2), 0.01, 0.02 + 0.012, 0.03 + 0.016, 1e-15);
    expectPoint(at(line, 9.0), 0.01, 0.05, 0.07, 0.0);
    ASSERT_NEAR(palTrajectory_Duration(line), 0.5, 1e-15);
    palTrajectory_Destroy(line);
}

static void sine_follows_its_formula(void** state)
{
    (void)state;
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectorySine);
    def.start = palMakeVec3(1.0, 2.0, 3.0);
    def.speed = 0.08, def.amplitude = 0.004, def.wavelength = 0.04, def.offset = -0.001;
    palTrajectory* sine = make(def);
    // An eighth, a quarter and three quarters of a wave.
    expectPoint(at(sine, 0.0625), 1.005, 2.0 + 0.004 * sqrt(0.5) - 0.001, 3.0, 1e-14);
    expectPoint(at(sine, 0.125), 1.01, 2.003, 3.0, 1e-14);
    expectPoint(at(sine, 0.375), 1.03, 1.995, 3.0, 1e-14);
    assert_true(isinf(palTrajectory_Duration(sine)));
    palTrajectory_Destroy(sine);
}

static void circle_keeps_radius_plane_and_speed(void** state)
{
    (void)state;
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryCircle);
    def.centre = palMakeVec3(0.1, -0.2, 0.3);
    def.axis = palMakeVec3(2.0, -1.0, 0.5);
    def.radius = 0.03, def.speed = 0.12;
    palTrajectory* circle = make(def);
    palVec3 n = palNormalize(def.axis);
    double e = 1e-5;
    for (double t = 0.0; t < 5.0; t += 0.173)
    {
        palVec3 r = palSub(at(circle, t), def.centre);
        ASSERT_NEAR(palLength(r), 0.03, 1e-15);
        ASSERT_NEAR(palDot(r, n), 0.0, 1e-15);
        palVec3 v = palScale(0.5 / e, palSub(at(circle, t + e + 1e-4), at(circle, t - e + 1e-4)));
        ASSERT_NEAR(palLength(v), 0.12, 1e-8);
        assert_true(palDot(palCross(r, v), n) > 0.0);
    }
    ASSERT_NEAR(palDistance(at(circle, 0.0), at(circle, 2.0 * PAL_PI * 0.03 / 0.12)), 0.0, 1e-15);
    palTrajectory_Destroy(circle);
}

static palTrajectoryDef pressDef(void)
{
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryPress);
    def.target = palMakeVec3(0.1, 0.2, 0.3);
    def.direction = palMakeVec3(0.0, -3.0, 0.0);
    def.gap = 0.02, def.depth = 0.01, def.hold = 0.4, def.speed = 0.1;
    return def;
}

static void press_goes_in_holds_and_comes_back(void** state)
{
    (void)state;
    palTrajectory* press = make(pressDef());
    // 30 mm at 100 mm/s and one ramp: 0.4 s a stroke.
    ASSERT_NEAR(palTrajectory_Duration(press), 0.4 + 0.4 + 0.4, 1e-14);
    expectPoint(at(press, -1.0), 0.1, 0.22, 0.3, 1e-15);
    expectPoint(at(press, 0.0), 0.1, 0.22, 0.3, 1e-15);
    expectPoint(at(press, 0.2), 0.1, 0.205, 0.3, 1e-15); // half way
    expectPoint(at(press, 0.4), 0.1, 0.19, 0.3, 1e-15);
    expectPoint(at(press, 0.79), 0.1, 0.19, 0.3, 1e-15);
    expectPoint(at(press, 1.0), 0.1, 0.205, 0.3, 1e-15);
    expectPoint(at(press, 5.0), 0.1, 0.22, 0.3, 1e-15);
    palTrajectory_Destroy(press);
}

static void press_never_exceeds_its_speed_and_accelerates_smoothly(void** state)
{
    (void)state;
    palTrajectory* press = make(pressDef());
    const double dt = 1e-4;
    double fastest = 0.0;
    for (double t = -0.01; t < 1.3; t += dt)
    {
        double v0 = (at(press, t + dt).y - at(press, t).y) / dt;
        double v1 = (at(press, t + 2 * dt).y - at(press, t + dt).y) / dt;
        fastest = fmax(fastest, fabs(v0));
        // Smoothstep's steepest slope is 3/2 of the mean.
        ASSERT_BELOW(fabs(v1 - v0) / dt, 1.5 * 0.1 / 0.1 * 1.001 + 1e-6);
    }
    ASSERT_NEAR(fastest, 0.1, 1e-9);
    palTrajectory_Destroy(press);
}

static void a_short_press_ramps_up_and_straight_down_again(void** state)
{
    (void)state;
    palTrajectoryDef def = pressDef();
    def.gap = 0.001, def.depth = 0.0; // 10 ms at full speed
    palTrajectory* press = make(def);
    ASSERT_NEAR(palTrajectory_Duration(press), 2 * 0.02 + 0.4, 1e-14);
    expectPoint(at(press, 0.01), 0.1, 0.2005, 0.3, 1e-15);
    expectPoint(at(press, 0.02), 0.1, 0.2, 0.3, 1e-15);
    palTrajectory_Destroy(press);
}

static void file_is_straight_between_rows_and_exact_at_them(void** state)
{
    (void)state;
    palTrajectory* file = fromCsv("t,x,y,z\n1,0,0,0\n1.5,0.1,0.2,0.3\n3.5,0.1,-0.2,0.3\n");
    expectPoint(at(file, -1.0), 0, 0, 0, 0.0);
    expectPoint(at(file, 1.25), 0.05, 0.1, 0.15, 1e-15);
    expectPoint(at(file, 1.5), 0.1, 0.2, 0.3, 0.0);
    expectPoint(at(file, 2.0), 0.1, 0.1, 0.3, 1e-15);
    expectPoint(at(file, 99.0), 0.1, -0.2, 0.3, 0.0);
    expectPoint(at(file, NAN), 0, 0, 0, 0.0);
    ASSERT_NEAR(palTrajectory_Duration(file), 3.5, 0.0);
    palTrajectory_Destroy(file);
}

static void file_equals_a_linear_search_over_its_rows(void** state)
{
    (void)state;
    enum
    {
        rows = 500
    };
    static char text[rows * 64];
    double t[rows], x[rows];
    palRandom random = palMakeRandom(7);
    int length = snprintf(text, sizeof text, "t,x,y,z\n");
    for (int i = 0; i < rows; i++)
    {
        t[i] = (i > 0 ? t[i - 1] : 0.0) + palRandom_Range(&random, 1e-4, 0.1);
        x[i] = palRandom_Normal(&random);
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%.17g,%.17g,0,0\n", t[i], x[i]);
    }
    palTrajectory* file = fromCsv(text);
    for (int k = 0; k < 5000; k++)
    {
        double time = palRandom_Range(&random, t[0], t[rows - 1]);
        int i = 0;
        while (t[i + 1] <= time)
            i++;
        double share = (time - t[i]) / (t[i + 1] - t[i]);
        ASSERT_NEAR(at(file, time).x, (1 - share) * x[i] + share * x[i + 1], 1e-14);
    }
    palTrajectory_Destroy(file);
}

static void orientation_turns_evenly_along_the_shorter_way(void** state)
{
    (void)state;
    // From 0 to 90 degrees about z, the second row with the other sign and not of unit length.
    palTrajectory* file = fromCsv("t,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,0,0,-2,0,0,-2\n");
    for (double t = 0.0; t <= 1.0; t += 0.125)
    {
        palVec3 p;
        palQuat q;
        palTrajectory_At(file, t, &p, &q);
        palVec3 turned = palRotate(q, palMakeVec3(1, 0, 0));
        expectPoint(turned, cos(0.5 * PAL_PI * t), sin(0.5 * PAL_PI * t), 0.0, 1e-14);
    }
    palTrajectory_Destroy(file);
}

static void a_recording_is_placed_in_time_and_space(void** state)
{
    (void)state;
    // Millimetres and milliseconds since an hour ago, of a frame turned by 90 degrees about z.
    const char* text = "t,x,y,z,qw,qx,qy,qz\n3600000,10,0,0,1,0,0,0\n3600500,10,20,0,1,0,0,0\n";
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryFile);
    def.timeUnit = 1e-3;
    def.scale = 2e-3;
    def.rotation = palMakeVec3(0, 0, 90);
    def.position = palMakeVec3(0.1, 0.2, 0.3);
    palTrajectory* file = fromCsvWith(def, text);
    ASSERT_NEAR(palTrajectory_Shift(file), -3600.0, 1e-9);
    ASSERT_NEAR(palTrajectory_Duration(file), 0.5, 1e-12);
    expectPoint(at(file, 0.0), 0.1, 0.22, 0.3, 1e-15);
    expectPoint(at(file, 0.25), 0.08, 0.22, 0.3, 1e-12);
    palVec3 x;
    palQuat q;
    palTrajectory_At(file, 0.25, &x, &q);
    expectPoint(palRotate(q, palMakeVec3(1, 0, 0)), 0, 1, 0, 1e-15);
    palTrajectory_Destroy(file);

    // An offset of the caller's is taken as it is.
    def.timeOffset = -3599.0;
    file = fromCsvWith(def, text);
    assert_true(palTrajectory_Shift(file) == 0.0);
    expectPoint(at(file, 1.25), 0.08, 0.22, 0.3, 1e-12);
    palTrajectory_Destroy(file);
    def.timeOffset = -4000.0;
    palError error;
    assert_int_equal(
        palTrajectory_CreateFromCsv(&def, text, strlen(text), "test.csv", &file, &error),
        pal_errorInput);
    assert_non_null(strstr(error.text, "over before"));

    // A recording of a run has its first row after one step: it is not shifted.
    def = palDefaultTrajectoryDef(pal_trajectoryFile);
    file = fromCsvWith(def, "t,x,y,z\n0.001,1,0,0\n0.002,2,0,0\n");
    assert_true(palTrajectory_Shift(file) == 0.0);
    expectPoint(at(file, 0.0015), 1.5, 0, 0, 1e-12);
    palTrajectory_Destroy(file);
}

// A hand that comes down, is stopped by a contact, rests, and slides on after a gap of 0.4 s.
static const char stopped[] = "t,x,y,z,qw,qx,qy,qz\n0,0,0.03,0,1,0,0,0\n0.01,0,0.02,0,1,0.1,0,0\n"
                              "0.02,0,0.01,0,1,0.2,0.05,0\n0.03,0,0,0,1,0.3,0.1,0.1\n"
                              "0.04,0,0,0,1,0.3,0.1,0.1\n0.05,0,0.00001,0,1,0.2,0.1,0.3\n"
                              "0.45,0.05,0.00001,0.01,1,0,0,1\n0.46,0.051,0,0.012,1,0,0.1,1\n"
                              "0.47,0.052,0,0.012,1,0,0.1,1\n";

static palVec3 velocityAt(const palTrajectory* trajectory, double t, double h)
{
    return palScale(1.0 / h, palSub(at(trajectory, t + h), at(trajectory, t)));
}

static palVec3 turnRateAt(const palTrajectory* trajectory, double t, double h)
{
    palVec3 x;
    palQuat a, b;
    palTrajectory_At(trajectory, t, &x, &a);
    palTrajectory_At(trajectory, t + h, &x, &b);
    return palScale(1.0 / h, palRotationVector(palMulQuat(b, palConjugate(a))));
}

static void smooth_is_exact_at_the_rows_and_continuous_in_velocity(void** state)
{
    (void)state;
    palTrajectoryDef def = fileDef();
    def.interpolation = pal_interpolateSmooth;
    palTrajectory* file = fromCsvWith(def, stopped);
    palTrajectory* linear = fromCsv(stopped);
    static const double rows[] = {0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.45, 0.46, 0.47};
    const double h = 1e-7;
    double jump = 0.0, turnJump = 0.0, linearJump = 0.0;
    for (int i = 0; i < 9; i++)
    {
        palVec3 x, y;
        palQuat p, q;
        palTrajectory_At(file, rows[i], &x, &p);
        palTrajectory_At(linear, rows[i], &y, &q);
        assert_memory_equal(&x, &y, sizeof x);
        assert_memory_equal(&p, &q, sizeof p);
        // The slope changes by at most some 6 |d| h / interval within h: here 6 · 1 · 1e-7 / 0.01.
        jump =
            fmax(jump, palDistance(velocityAt(file, rows[i], h), velocityAt(file, rows[i] - h, h)));
        turnJump = fmax(
            turnJump, palDistance(turnRateAt(file, rows[i], h), turnRateAt(file, rows[i] - h, h)));
        linearJump = fmax(linearJump, palDistance(velocityAt(linear, rows[i], h),
                                                  velocityAt(linear, rows[i] - h, h)));
    }
    ASSERT_BELOW(jump, 2e-4);
    ASSERT_BELOW(turnJump, 0.02); // of some 40 rad/s
    assert_true(linearJump > 0.5);
    palTrajectory_Destroy(linear);
    palTrajectory_Destroy(file);
}

static void smooth_stays_between_the_rows(void** state)
{
    (void)state;
    palTrajectoryDef def = fileDef();
    def.interpolation = pal_interpolateSmooth;
    palTrajectory* file = fromCsvWith(def, stopped);
    static const double rows[] = {0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.45, 0.46, 0.47};
    for (int i = 0; i + 1 < 9; i++)
    {
        palVec3 a = at(file, rows[i]), b = at(file, rows[i + 1]), before = a;
        for (int k = 0; k <= 100; k++)
        {
            palVec3 x = at(file, rows[i] + (rows[i + 1] - rows[i]) * k / 100.0);
            assert_true(x.x >= fmin(a.x, b.x) - 1e-15 && x.x <= fmax(a.x, b.x) + 1e-15);
            assert_true(x.y >= fmin(a.y, b.y) - 1e-15 && x.y <= fmax(a.y, b.y) + 1e-15);
            assert_true(x.z >= fmin(a.z, b.z) - 1e-15 && x.z <= fmax(a.z, b.z) + 1e-15);
            assert_true((x.x - before.x) * (b.x - a.x) >= -1e-17); // never back
            before = x;
        }
    }
    palTrajectory_Destroy(file);
}

// A circle of 1 Hz recorded at 100 Hz: between the rows the curve is nearer to it than the lines.
static void smooth_follows_a_motion_closer_than_lines(void** state)
{
    (void)state;
    static char text[101 * 64];
    int length = snprintf(text, sizeof text, "t,x,y,z\n");
    for (int i = 0; i <= 100; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%.17g,%.17g,%.17g,0\n",
                           0.01 * i, cos(0.02 * PAL_PI * i), sin(0.02 * PAL_PI * i));
    double sums[2] = {0};
    for (int smooth = 0; smooth < 2; smooth++)
    {
        palTrajectoryDef def = fileDef();
        def.interpolation = smooth ? pal_interpolateSmooth : pal_interpolateLinear;
        palTrajectory* file = fromCsvWith(def, text);
        for (int k = 20; k < 980; k++)
        {
            palVec3 x = at(file, 1e-3 * k);
            palVec3 truth = {cos(2e-3 * PAL_PI * k), sin(2e-3 * PAL_PI * k), 0.0};
            sums[smooth] += palDistance(x, truth) * palDistance(x, truth);
        }
        palTrajectory_Destroy(file);
    }
    ASSERT_BELOW(sqrt(sums[1]), 0.25 * sqrt(sums[0]));
}

static void expectRefused(palTrajectoryDef def, const char* word)
{
    palTrajectory* trajectory;
    palError error;
    assert_int_equal(palTrajectory_Create(&def, &trajectory, &error), pal_errorInput);
    assert_null(trajectory);
    assert_non_null(strstr(error.text, word));
    assert_true(error.remedy[0] != '\0');
}

static void impossible_numbers_are_refused_with_a_remedy(void** state)
{
    (void)state;
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryLine);
    def.speed = 0.0;
    expectRefused(def, "speed");
    def.speed = NAN;
    expectRefused(def, "finite");
    def = palDefaultTrajectoryDef(pal_trajectorySine);
    def.wavelength = 0.0;
    expectRefused(def, "wavelength");
    def = palDefaultTrajectoryDef(pal_trajectoryCircle);
    def.radius = -1.0;
    expectRefused(def, "radius");
    def.radius = 1.0, def.axis = pal_zeroVec3;
    expectRefused(def, "axis");
    def = palDefaultTrajectoryDef(pal_trajectoryPress);
    def.direction = pal_zeroVec3;
    expectRefused(def, "direction");
    def = palDefaultTrajectoryDef(pal_trajectoryPress);
    def.hold = -1.0;
    expectRefused(def, "ends before");
    def = palDefaultTrajectoryDef(pal_trajectoryFile);
    expectRefused(def, "no file");
    strcpy(def.file, "some.csv");
    def.scale = 0.0;
    expectRefused(def, "scale");
    def.kind = pal_trajectoryKindCount;
    expectRefused(def, "kind");
}

static void path_rests_at_its_points_and_turns_between_them(void** state)
{
    (void)state;
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryPath);
    palPathPoint points[] = {
        {.t = 1.0, .at = {0.0, 0.1, 0.0}},
        {.t = 2.0, .at = {0.4, 0.1, 0.0}, .turn = {0.0, 0.0, 90.0}},
        {.t = 4.0, .at = {0.4, 0.1, 0.0}, .turn = {0.0, 0.0, 90.0}},
    };
    def.points = points;
    def.pointCount = 3;
    palTrajectory* path = make(def);
    assert_true(palTrajectory_Duration(path) == 4.0);
    expectPoint(at(path, 0.0), 0.0, 0.1, 0.0, 0.0);
    expectPoint(at(path, 1.5), 0.2, 0.1, 0.0, 1e-15); // half way
    expectPoint(at(path, 3.0), 0.4, 0.1, 0.0, 1e-15);
    expectPoint(at(path, 9.0), 0.4, 0.1, 0.0, 1e-15);
    // At rest at the points: the way grows with the cube of the time.
    expectPoint(at(path, 1.001), 0.4 * 10e-9 * (1.0 - 1.5e-3 + 0.6e-6), 0.1, 0.0, 1e-15);
    palVec3 unused;
    palQuat turn;
    palTrajectory_At(path, 1.5, &unused, &turn);
    palVec3 r = palRotationVector(turn);
    ASSERT_NEAR(r.z, PAL_PI / 4.0, 1e-14);
    palTrajectory_Destroy(path);

    palError error;
    def.points[2].t = 2.0;
    assert_int_equal(palTrajectory_Create(&def, &path, &error), pal_errorInput);
    def.pointCount = 0;
    assert_int_equal(palTrajectory_Create(&def, &path, &error), pal_errorInput);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_name_and_a_default_that_works),
        cmocka_unit_test(line_has_its_speed_and_rests_at_both_ends),
        cmocka_unit_test(sine_follows_its_formula),
        cmocka_unit_test(circle_keeps_radius_plane_and_speed),
        cmocka_unit_test(press_goes_in_holds_and_comes_back),
        cmocka_unit_test(path_rests_at_its_points_and_turns_between_them),
        cmocka_unit_test(press_never_exceeds_its_speed_and_accelerates_smoothly),
        cmocka_unit_test(a_short_press_ramps_up_and_straight_down_again),
        cmocka_unit_test(file_is_straight_between_rows_and_exact_at_them),
        cmocka_unit_test(file_equals_a_linear_search_over_its_rows),
        cmocka_unit_test(orientation_turns_evenly_along_the_shorter_way),
        cmocka_unit_test(a_recording_is_placed_in_time_and_space),
        cmocka_unit_test(smooth_is_exact_at_the_rows_and_continuous_in_velocity),
        cmocka_unit_test(smooth_stays_between_the_rows),
        cmocka_unit_test(smooth_follows_a_motion_closer_than_lines),
        cmocka_unit_test(impossible_numbers_are_refused_with_a_remedy),
    };
    return RUN(tests);
}
