// SPDX-License-Identifier: Apache-2.0
// What a joint holds of a soft body: its rows against differences of its motion, and the forces
// that they give.
#include "check.h"

#include "base/random.h"
#include "body/anchor.h"

enum
{
    nodeCount = 40,
};

// Nodes on a wavy sheet, all of them held; moved, turned and strained away from rest.
static palAnchor makeAnchor(palVec3* x)
{
    palAnchor anchor = {.count = nodeCount, .arm = {0.002, -0.001, 0.003}};
    palRandom random = palMakeRandom(7);
    palVec3 centroid = pal_zeroVec3;
    double sum = 0.0;
    for (int i = 0; i < nodeCount; i++)
    {
        anchor.nodes[i] = i;
        anchor.weights[i] = 0.5 + palRandom_Unit(&random);
        sum += anchor.weights[i];
        anchor.offsets[i] = palMakeVec3(0.004 * (i % 8), 0.004 * (i / 8), 0.001 * (i % 3));
    }
    for (int i = 0; i < nodeCount; i++)
    {
        anchor.weights[i] /= sum;
        centroid = palMulAdd(centroid, anchor.weights[i], anchor.offsets[i]);
    }
    palQuat turn = palMakeQuatRotationVector(palMakeVec3(0.8, -1.1, 0.4));
    for (int i = 0; i < nodeCount; i++)
    {
        anchor.offsets[i] = palSub(anchor.offsets[i], centroid);
        palVec3 strained = anchor.offsets[i];
        strained.x *= 1.1 + 2.0 * strained.y;
        strained.z += 5.0 * strained.x * strained.y;
        x[i] = palAdd(palMakeVec3(0.3, 0.1, -0.2), palRotate(turn, strained));
    }
    return anchor;
}

static palVec3 randomVector(palRandom* random)
{
    double a = palRandom_Unit(random), b = palRandom_Unit(random);
    return palMakeVec3(a - 0.5, b - 0.5, palRandom_Unit(random) - 0.5);
}

// Σ values · u against the motion of point and orientation by central differences.
static void rows_are_the_derivatives_of_point_and_orientation(void** state)
{
    (void)state;
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    palVec3 x[nodeCount], u[nodeCount], moved[2][nodeCount], values[nodeCount];
    int nodes[nodeCount];
    palAnchor anchor = makeAnchor(x);
    palPlace place = {.kind = pal_placeSurface, .anchor = &anchor};
    palRandom random = palMakeRandom(11);
    const double h = 1e-6; // m
    for (int i = 0; i < nodeCount; i++)
    {
        u[i] = randomVector(&random);
        for (int side = 0; side < 2; side++)
            moved[side][i] = palMulAdd(x[i], side == 0 ? h : -h, u[i]);
    }
    palVec3 velocity = palScale(0.5 / h, palSub(palAnchor_State(&anchor, moved[0]).point,
                                                palAnchor_State(&anchor, moved[1]).point));
    palVec3 omega = palScale(0.5 / h, palRotationVector(palMulQuat(
                                          palAnchor_Orientation(&anchor, moved[0]),
                                          palConjugate(palAnchor_Orientation(&anchor, moved[1])))));
    for (int r = 0; r < 6; r++)
    {
        int count = palSoftPlace_Row(&place, NULL, x, axes[r % 3], r >= 3, nodes, values);
        double sum = 0.0;
        for (int k = 0; k < count; k++)
            sum += palDot(values[k], u[nodes[k]]);
        double expected = palDot(axes[r % 3], r < 3 ? velocity : omega);
        ASSERT_NEAR(sum, expected, 1e-6 * palLength(r < 3 ? velocity : omega));
    }
}

// The forces of a row are one force at the point, or one torque.
static void forces_of_a_row_add_up_to_its_axis(void** state)
{
    (void)state;
    palVec3 x[nodeCount], values[nodeCount];
    int nodes[nodeCount];
    palAnchor anchor = makeAnchor(x);
    palPlace place = {.kind = pal_placeSurface, .anchor = &anchor};
    palVec3 point = palAnchor_State(&anchor, x).point, axis = {0.36, 0.48, -0.8};
    for (int angular = 0; angular < 2; angular++)
    {
        palVec3 force = pal_zeroVec3, torque = pal_zeroVec3;
        int count = palSoftPlace_Row(&place, NULL, x, axis, angular, nodes, values);
        for (int k = 0; k < count; k++)
        {
            force = palAdd(force, values[k]);
            torque = palAdd(torque, palCross(palSub(x[nodes[k]], point), values[k]));
        }
        ASSERT_BELOW(palDistance(force, angular ? pal_zeroVec3 : axis), 1e-11);
        ASSERT_BELOW(palDistance(torque, angular ? axis : pal_zeroVec3), 1e-11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_derivatives_of_point_and_orientation),
        cmocka_unit_test(forces_of_a_row_add_up_to_its_axis),
    };
    return RUN(tests);
}
