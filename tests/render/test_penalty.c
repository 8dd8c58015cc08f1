// SPDX-License-Identifier: Apache-2.0
// The spring at the closest half-space: what it gets right, and the defect that it is there to
// show.
#include "rig.h"

static void startOnPlane(rig* r, palEngineDef def, double friction, double height)
{
    palShapeDef plane = rigPlane();
    rigShape(r, &plane, pal_identityQuat, pal_zeroVec3, friction);
    rigStart(r, def, palMakeVec3(0, 0, height));
}

static void a_resting_proxy_is_force_over_stiffness_inside(void** state)
{
    (void)state;
    const double stiffnesses[] = {300.0, 2000.0, 50000.0};
    const double depths[] = {0.0005, 0.003};
    for (int i = 0; i < 6; i++)
    {
        palEngineDef def = rigDef("penalty");
        double k = def.methodDef.settings.penalty.stiffness = stiffnesses[i % 3];
        double depth = depths[i / 3];
        rig r;
        startOnPlane(&r, def, 0.3, 0.001);
        r.device.position.z = -depth;
        palTickRecord record = {0};
        for (int n = 0; n < 2000; n++)
            record = rigStep(&r);

        // Two springs in series: coupling and surface.
        double K = def.hands[0].body.stiffness;
        double force = depth * K * k / (K + k);
        ASSERT_NEAR(record.hands[0].force.z, force, 1e-6 * force);
        ASSERT_NEAR(-record.hands[0].proxy.z, record.hands[0].force.z / k,
                    1e-6 * record.hands[0].force.z / k);
        rigFree(&r);
    }
}

static void the_surface_never_pulls(void** state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
    {
        palEngineDef def = rigDef("penalty");
        def.methodDef.settings.penalty.damping = i * 10.0;
        rig r;
        startOnPlane(&r, def, 0.0, 0.005);
        const palPointModel* body = &def.hands[0].body;
        int touching = 0;
        for (int k = 0; k < 2000; k++)
        {
            double z = 0.005 * cos(0.02 * k);
            r.device.velocity.z = 1e3 * (z - r.device.position.z);
            r.device.position.z = z;
            palPointState before = r.engine->hands[0].body;
            palTickRecord record = rigStep(&r);
            // Newton's law tells the surface's force without asking the method.
            double lambda = body->mass / body->dt * (r.engine->hands[0].body.v.z - before.v.z) +
                            palPoint_CouplingForce(body, &r.engine->hands[0].body,
                                                   r.device.position, r.device.velocity)
                                .z;
            if (lambda > 1e-6)
                ASSERT_NEAR(record.hands[0].force.z, lambda, 0.1);
            ASSERT_BELOW(-lambda, 1e-9);
            touching += lambda > 1e-6;
        }
        assert_in_range(touching, 500, 1500);
        rigFree(&r);
    }
}

static void any_stiffness_is_stable(void** state)
{
    (void)state;
    const double stiffnesses[] = {1e3, 1e5, 1e7, 1e9};
    for (int i = 0; i < 4; i++)
    {
        palEngineDef def = rigDef("penalty");
        def.methodDef.settings.penalty.stiffness = stiffnesses[i];
        def.methodDef.settings.penalty.damping = 0.0;
        def.hands[0].body.damping = 0.0;
        rig r;
        startOnPlane(&r, def, 0.0, 0.002);
        r.device.position.z = -0.001;
        // No more energy than the stretched coupling had to begin with.
        double K = def.hands[0].body.stiffness;
        double energy = 0.5 * K * 0.003 * 0.003;
        for (int k = 0; k < 500; k++)
        {
            rigStep(&r);
            double z = r.engine->hands[0].body.x.z, v = r.engine->hands[0].body.v.z;
            double inside = fmin(z, 0.0);
            double now = 0.5 * def.hands[0].body.mass * v * v +
                         0.5 * K * (z + 0.001) * (z + 0.001) +
                         0.5 * stiffnesses[i] * inside * inside;
            ASSERT_BELOW(now, energy * (1 + 1e-12));
        }
        rigFree(&r);
    }
}

static void friction_holds_within_the_cone_and_slides_on_it(void** state)
{
    (void)state;
    rig r;
    startOnPlane(&r, rigDef("penalty"), 0.5, 0.0);
    r.device.position.z = -0.002;
    for (int k = 0; k < 500; k++)
        rigStep(&r);
    double held = r.engine->hands[0].body.x.x;
    double normal = r.device.force.z;
    double K = r.engine->def.hands[0].body.stiffness;
    r.device.position.x = 0.45 * normal / K;
    for (int k = 0; k < 500; k++)
        rigStep(&r);
    ASSERT_NEAR(r.engine->hands[0].body.x.x, held, 1e-12);
    // Drawn along at 50 mm/s, what pulls is what friction holds.
    palTickRecord record = {0};
    for (int k = 0; k < 500; k++)
    {
        r.device.velocity.x = 0.05;
        r.device.position.x += 0.05e-3;
        record = rigStep(&r);
    }
    ASSERT_NEAR(-record.hands[0].force.x, 0.5 * record.hands[0].force.z, 1e-6);
    rigFree(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resting_proxy_is_force_over_stiffness_inside),
        cmocka_unit_test(the_surface_never_pulls),
        cmocka_unit_test(any_stiffness_is_stable),
        cmocka_unit_test(friction_holds_within_the_cone_and_slides_on_it),
    };
    return RUN(tests);
}
