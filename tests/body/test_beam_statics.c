// SPDX-License-Identifier: Apache-2.0
// Wires at rest under load, against the theory of beams and rods.
#include "beam_fixture.h"

static const double young = 200e9, poisson = 0.3;

static double shearModulus(void)
{
    return young / (2.0 * (1.0 + poisson));
}

static palBeamDef steel(const palBeamSection* section)
{
    palBeamDef def = palDefaultBeamDef();
    def.sections = section;
    def.stiffnessDamping = 0.0;
    return def;
}

// So long a step that mass is nothing: each is a step of Newton's method.
static const double longStep = 10.0;

// Loads the tip along y and z, along x, and by a torque about x; compares with the sums of bending
// and shear. `ratio` is the share of shear along y that the test must be able to see.
static void checkCantilever(palBeamSection section, int elements, double length, double ratio)
{
    wire w;
    wireMakeStraight(&w, steel(&section), elements, length, pal_holdNode);
    double EIy = young * section.inertiaY, EIz = young * section.inertiaZ;
    double G = shearModulus();
    double F = 1e-6 * EIz / (length * length);
    const double load[6] = {F, F, F, F * length, 0.0, 0.0};
    memcpy(wireTip(&w), load, sizeof load);
    wireSettle(&w, longStep, 1e-14 * length, 50);
    palVec3 tip = palSub(w.state.x[elements], w.points[elements]);
    palVec3 turn = palRotationVector(w.state.q[elements]);
    double cube = F * length * length * length;
    double shearY = F * length / (G * section.shearY);
    ASSERT_BELOW(ratio, shearY / (cube / (3.0 * EIz)));
    double y = cube / (3.0 * EIz) + shearY;
    double z = cube / (3.0 * EIy) + F * length / (G * section.shearZ);
    ASSERT_NEAR(tip.y, y, 1e-5 * y);
    ASSERT_NEAR(tip.z, z, 1e-5 * z);
    ASSERT_NEAR(turn.x, F * length * length / (G * section.torsion),
                1e-5 * F * length * length / (G * section.torsion));
    ASSERT_NEAR(turn.y, -F * length * length / (2.0 * EIy), 1e-5 * fabs(turn.y));
    ASSERT_NEAR(turn.z, F * length * length / (2.0 * EIz), 1e-5 * fabs(turn.z));
    wireFree(&w);
}

static void a_loaded_tip_bends_and_shears(void** state)
{
    (void)state;
    checkCantilever(palMakeRoundSection(5e-3, poisson), 1, 1.0, 0.0);
    checkCantilever(palMakeRoundSection(5e-3, poisson), 16, 1.0, 0.0);
    checkCantilever(palMakeTubeSection(5e-3, 4e-3, poisson), 8, 1.0, 0.0);
    checkCantilever(palMakeBoxSection(0.06, 0.03, poisson), 1, 0.1, 0.25);
    checkCantilever(palMakeBoxSection(0.06, 0.03, poisson), 10, 0.1, 0.25);
}

static void axial_loads_stretch(void** state)
{
    (void)state;
    palBeamSection section = palMakeRoundSection(5e-3, poisson);
    wire w;
    wireMakeStraight(&w, steel(&section), 5, 1.0, pal_holdNode);
    double F = 1e-4 * young * section.area;
    wireTip(&w)[0] = F;
    wireSettle(&w, longStep, 1e-14, 50);
    ASSERT_NEAR(w.state.x[5].x - 1.0, 1e-4, 1e-12);
    wireFree(&w);
}

// The tip of a beam of stepped sections: the sum over the elements of ∫ F (L - x)² / E I dx.
static void tapered_beams_bend_by_the_sum_of_their_parts(void** state)
{
    (void)state;
    enum
    {
        count = 8,
    };
    palBeamSection sections[count];
    for (int e = 0; e < count; e++)
        sections[e] = palMakeRoundSection(5e-3 - 4e-4 * e, poisson);
    palBeamDef def = steel(sections);
    def.sectionCount = count;
    wire w;
    wireMakeStraight(&w, def, count, 0.5, pal_holdNode);
    const double F = 1e-3, part = 0.5 / count;
    wireTip(&w)[1] = F;
    wireSettle(&w, longStep, 1e-15, 50);
    double expected = 0.0;
    for (int e = 0; e < count; e++)
    {
        double from = 0.5 - part * e, to = from - part;
        expected += F * (from * from * from - to * to * to) / (3.0 * young * sections[e].inertiaZ) +
                    F * part / (shearModulus() * sections[e].shearY);
    }
    ASSERT_NEAR(w.state.x[count].y, expected, 1e-5 * expected);
    wireFree(&w);
}

// The elastica: E I θ'' = -F cos θ, θ(0) = 0, θ'(1) = 0, by Runge and Kutta from a guess of θ'(0)
// that is found by bisection. `load` is F L² / E I. Returns the tip.
static palVec3 shoot(double load, double curvature, double* endCurvature)
{
    const int steps = 2000;
    double h = 1.0 / steps, theta = 0.0, k = curvature, x = 0.0, y = 0.0;
    for (int i = 0; i < steps; i++)
    {
        double t1 = k, k1 = -load * cos(theta);
        double t2 = k + 0.5 * h * k1, k2 = -load * cos(theta + 0.5 * h * t1);
        double t3 = k + 0.5 * h * k2, k3 = -load * cos(theta + 0.5 * h * t2);
        double t4 = k + h * k3, k4 = -load * cos(theta + h * t3);
        double ta = theta + 0.5 * h * t1, tb = theta + 0.5 * h * t2, tc = theta + h * t3;
        x += h * (cos(theta) + 2.0 * cos(ta) + 2.0 * cos(tb) + cos(tc)) / 6.0;
        y += h * (sin(theta) + 2.0 * sin(ta) + 2.0 * sin(tb) + sin(tc)) / 6.0;
        theta += h * (t1 + 2.0 * t2 + 2.0 * t3 + t4) / 6.0;
        k += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
    }
    *endCurvature = k;
    return palMakeVec3(x, y, 0.0);
}

static palVec3 elastica(double load)
{
    double low = 0.0, high = load, end;
    palVec3 tip = pal_zeroVec3;
    for (int i = 0; i < 60; i++)
    {
        double middle = 0.5 * (low + high);
        tip = shoot(load, middle, &end);
        if (end > 0.0)
            high = middle;
        else
            low = middle;
    }
    return tip;
}

static void large_deflections_are_the_elastica(void** state)
{
    (void)state;
    const double loads[] = {0.5, 1.0, 3.0, 10.0};
    palBeamSection section = palMakeRoundSection(1e-3, poisson);
    // Mattiasson 1981 for 10: 0.81061 down, 0.55500 back.
    ASSERT_NEAR(elastica(10.0).y, 0.81061, 1e-5);
    ASSERT_NEAR(1.0 - elastica(10.0).x, 0.55500, 1e-5);
    for (int k = 0; k < 4; k++)
        for (int axis = 1; axis <= 2; axis++)
        {
            enum
            {
                count = 20,
            };
            wire w;
            wireMakeStraight(&w, steel(&section), count, 1.0, pal_holdNode);
            wireTip(&w)[axis] = loads[k] * young * section.inertiaZ;
            wireSettle(&w, 0.05, 1e-9, 4000);
            palVec3 tip = w.state.x[count];
            palVec3 expected = elastica(loads[k]);
            ASSERT_NEAR(tip.x, expected.x, 0.001);
            ASSERT_NEAR(axis == 1 ? tip.y : tip.z, expected.y, 0.001);
            wireFree(&w);
        }
}

// A column, free at its tip, buckles under π² E I / 4 L². Past that its tip turns by a, with
// P / P_E = (2 K(p) / π)², p = sin a/2, K the complete elliptic integral, and moves across by
// 2 p L / K(p) (Timoshenko and Gere). K by the arithmetic-geometric mean.
static double ellipticK(double p)
{
    double a = 1.0, b = sqrt(1.0 - p * p);
    for (int i = 0; i < 8; i++)
    {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * PAL_PI / a;
}

static void columns_buckle(void** state)
{
    (void)state;
    enum
    {
        count = 24,
    };
    palBeamSection section = palMakeRoundSection(1e-3, poisson);
    const double critical = 0.25 * PAL_PI * PAL_PI * young * section.inertiaZ; // 1 m
    const double turns[] = {0.0, PAL_PI / 3.0, PAL_PI / 2.0};
    for (int k = 0; k < 3; k++)
    {
        double p = sin(0.5 * turns[k]);
        double K = ellipticK(p);
        double ratio = k == 0 ? 0.9 : 4.0 * K * K / (PAL_PI * PAL_PI);
        wire w;
        wireMakeStraight(&w, steel(&section), count, 1.0, pal_holdNode);
        // A push aside to begin with.
        wireTip(&w)[1] = 0.05 * critical;
        for (int step = 0; step < 50; step++)
            wireStep(&w, 0.05, NULL);
        wireTip(&w)[0] = -ratio * critical;
        wireTip(&w)[1] = 0.0;
        wireSettle(&w, 0.05, 1e-8, 20000);
        ASSERT_NEAR(w.state.x[count].y, 2.0 * p / K, 0.005);
        wireFree(&w);
    }
}

// A constant moment M in a round rod turns its tangent about M at the rate |M| / E I: a helix, of
// curvature |M| sin a / E I and torsion |M| cos a / E I, a the angle between M and the tangent. The
// section turns about the tangent by a further M cos a (1/GJ - 1/EI) a metre.
typedef struct helix
{
    palVec3 axis; // of M, unit
    double rate;  // |M| / E I, 1/m
    double twist; // of the section, rad/m
} helix;

static palVec3 helixPoint(helix a, double s)
{
    // ∫ of along + across cos(rate s) + third sin(rate s), the tangent, which starts along x.
    palVec3 along = palScale(a.axis.x, a.axis);
    palVec3 across = palSub(palMakeVec3(1, 0, 0), along);
    palVec3 point = palMulAdd(palScale(s, along), sin(a.rate * s) / a.rate, across);
    return palMulAdd(point, (1.0 - cos(a.rate * s)) / a.rate, palCross(a.axis, across));
}

static palQuat helixRotation(helix a, double s)
{
    return palMulQuat(palMakeQuatRotationVector(palScale(a.rate * s, a.axis)),
                      palMakeQuatRotationVector(palMakeVec3(a.twist * s, 0, 0)));
}

// The ends are held at the poses of a helix of one turn: a moment alone at the tip would make the
// same curve, but does not conserve energy and sets a rod in motion (Ziegler).
static void held_at_the_ends_of_a_helix_a_rod_is_one(void** state)
{
    (void)state;
    enum
    {
        count = 40,
        steps = 400,
    };
    palBeamSection section = palMakeRoundSection(2e-3, poisson);
    double EI = young * section.inertiaY, GJ = shearModulus() * section.torsion;
    palVec3 axis = palMakeVec3(cos(PAL_PI / 3.0), 0.0, sin(PAL_PI / 3.0));
    const double h = 0.02;
    wire w;
    wireMakeStraight(&w, steel(&section), count, 1.0, pal_holdNode);
    w.model->held[count] = pal_holdNode;
    helix a;
    for (int step = 1; step <= 3 * steps; step++)
    {
        double rate = 2.0 * PAL_PI * fmin((double)step / steps, 1.0);
        a = (helix){axis, rate, rate * EI * axis.x * (1.0 / GJ - 1.0 / EI)};
        palBeam_Hold(w.model, count, helixPoint(a, 1.0), helixRotation(a, 1.0), h, &w.state,
                     &w.work);
        wireStep(&w, h, NULL);
    }
    ASSERT_BELOW(wireSpeed(&w), 1e-8);
    for (int i = 0; i <= count; i++)
    {
        double s = (double)i / count;
        palQuat off = palMulQuat(w.state.q[i], palConjugate(helixRotation(a, s)));
        ASSERT_BELOW(palDistance(w.state.x[i], helixPoint(a, s)), 0.002);
        ASSERT_BELOW(palLength(palRotationVector(off)), 0.01);
    }
    // The tip needs the moment, and next to no force.
    palVec3 force, torque;
    palBeam_Reaction(w.model, &w.work, count, &force, &torque);
    double moment = a.rate * EI;
    ASSERT_BELOW(palDistance(torque, palScale(moment, axis)), 0.01 * moment);
    ASSERT_BELOW(palLength(force), 0.02 * moment); // per metre of its arm
    wireFree(&w);
}

// An arc of radius r, unbent by the couple E I / r, is straight.
static void a_couple_straightens_an_arc(void** state)
{
    (void)state;
    enum
    {
        count = 24,
    };
    palBeamSection section = palMakeRoundSection(2e-3, poisson);
    const double r = 0.3;
    wire w = {0};
    for (int i = 0; i <= count; i++)
    {
        double angle = 0.5 * PAL_PI * i / count;
        w.points[i] = palMakeVec3(r * sin(angle), 0.0, r * (1.0 - cos(angle)));
    }
    w.held[0] = pal_holdNode;
    palBeamDef def = steel(&section);
    def.nodeCount = count + 1;
    def.points = w.points;
    def.held = w.held;
    wireMake(&w, def);
    // At rest it stays, whatever its shape.
    wireStep(&w, 0.02, NULL);
    ASSERT_BELOW(wireSpeed(&w), 1e-9);
    // The arc bends towards +z, that is about -y.
    wireTip(&w)[4] = young * section.inertiaY / r;
    wireSettle(&w, 0.02, 1e-10, 4000);
    palVec3 tip = palSub(w.state.x[count], w.state.x[0]);
    palVec3 start = palNormalize(palSub(w.state.x[1], w.state.x[0]));
    ASSERT_NEAR(palLength(tip), 0.5 * PAL_PI * r, 1e-3 * r);
    ASSERT_BELOW(palLength(palCross(start, palNormalize(tip))), 2e-3);
    wireFree(&w);
}

static void rest_is_the_same_at_every_step(void** state)
{
    (void)state;
    palBeamSection section = palMakeRoundSection(0.5e-3, poisson);
    const double steps[] = {1e-3, 5e-3, 20e-3, 1.0};
    const double thetas[] = {1.0, 0.5};
    palVec3 first = pal_zeroVec3;
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < (t == 0 ? 4 : 3); k++)
        {
            palBeamDef def = steel(&section);
            def.implicitness = thetas[t];
            def.massDamping = 20.0;
            def.stiffnessDamping = 2e-3;
            def.gravity = palMakeVec3(0, 0, -9.81);
            wire w;
            wireMakeStraight(&w, def, 10, 0.3, pal_holdNode);
            wireTip(&w)[1] = 0.05;
            wireSettle(&w, steps[k], 1e-10, 20000);
            if (t == 0 && k == 0)
                first = w.state.x[10];
            ASSERT_BELOW(palDistance(w.state.x[10], first), 1e-8);
            wireFree(&w);
        }
    ASSERT_BELOW(0.02, first.y); // a load that bends it well
}

// What holds a wire at rest is its weight and its load, with their moment.
static void reactions_balance_loads_and_weight(void** state)
{
    (void)state;
    palBeamSection section = palMakeRoundSection(0.5e-3, poisson);
    for (int mass = pal_beamMassLumped; mass <= pal_beamMassConsistent; mass++)
    {
        palBeamDef def = steel(&section);
        def.mass = (palBeamMass)mass;
        def.massDamping = 20.0;
        def.gravity = palMakeVec3(0, 0, -9.81);
        wire w;
        wireMakeStraight(&w, def, 10, 0.3, pal_holdNode);
        const palVec3 load = {0.0, 0.05, 0.02};
        wireTip(&w)[1] = load.y, wireTip(&w)[2] = load.z;
        wireSettle(&w, 0.02, 1e-11, 4000);
        wireStep(&w, 0.02, NULL);
        palVec3 force, torque, weight = pal_zeroVec3, moment;
        palBeam_Reaction(w.model, &w.work, 0, &force, &torque);
        moment = palCross(w.state.x[10], load);
        for (int i = 0; i <= 10; i++)
        {
            palVec3 part = palScale(w.model->mass[i], def.gravity);
            weight = palAdd(weight, part);
            moment = palAdd(moment, palCross(w.state.x[i], part));
        }
        ASSERT_NEAR(palLength(weight), 7850.0 * section.area * 0.3 * 9.81, 1e-12);
        ASSERT_BELOW(palLength(palAdd(force, palAdd(load, weight))), 1e-9);
        // With consistent mass an element's weight also has moments about its nodes, of some 1e-7.
        ASSERT_BELOW(palLength(palAdd(torque, moment)), mass == pal_beamMassLumped ? 1e-9 : 1e-5);
        wireFree(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_tip_bends_and_shears),
        cmocka_unit_test(axial_loads_stretch),
        cmocka_unit_test(tapered_beams_bend_by_the_sum_of_their_parts),
        cmocka_unit_test(large_deflections_are_the_elastica),
        cmocka_unit_test(columns_buckle),
        cmocka_unit_test(held_at_the_ends_of_a_helix_a_rod_is_one),
        cmocka_unit_test(a_couple_straightens_an_arc),
        cmocka_unit_test(rest_is_the_same_at_every_step),
        cmocka_unit_test(reactions_balance_loads_and_weight),
    };
    return RUN(tests);
}
