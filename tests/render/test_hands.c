// SPDX-License-Identifier: Apache-2.0
// Several hands: with points and with tools, on rigid and on soft bodies.
#include "sealed_ticks.h"
#include "soft_blocks.h"

#include "render/common.h"

#include <string.h>

static const char* const methods[] = {"accurate", "standard", "penalty"};
enum
{
    methodCount = 3,
};

static const double lowDt = 0.01; // s

// A ball of 4 mm in the hand, 1000 kg/m³.
static void makeBall(palTool* tool)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeSphere);
    palRigidDef def = palDefaultRigidDef();
    shape.radius = 4e-3;
    shape.resolution = 8;
    assert_int_equal(palMakeShape(&shape, &tool->surface, NULL), pal_ok);
    assert_int_equal(palMass_FromSurface(&tool->surface, 1000.0, &def.mass, NULL), pal_ok);
    def.tangent = pal_tangentSafe;
    assert_int_equal(palRigidModel_Init(&tool->model, &def, NULL), pal_ok);
}

// Down by `depth` from 2 mm above `at`, where a hand with a ball in it is higher by its radius.
static void press(blocks* b, int hand, palVec3 at, double depth)
{
    double above = b->tools[hand] != NULL ? 4e-3 : 0.0;
    blocksGoHand(b, hand, palAdd(at, palMakeVec3(0, 0, 0.002 + above)), 0.0);
    blocksGoHand(b, hand, palAdd(at, palMakeVec3(0, 0, above - depth)), 0.3);
}

static palTickRecord run(blocks* b, double seconds)
{
    palTickRecord record = {0};
    for (int k = 0; k < (int)lround(1e3 * seconds); k++)
        record = blocksStep(b);
    return record;
}

//--------------------------------------------------------------------------------------------------
// Rigid

static const blockDef steps[2] = {
    {.low = {-0.05, -0.02, -0.02}, .high = {-0.01, 0.02, 0.0}, .friction = 0.3},
    {.low = {0.01, -0.02, -0.02}, .high = {0.05, 0.02, 0.005}, .friction = 0.1},
};

// The hands of `which`, as bits; each presses and then slides on an object of its own.
static void startOnRigid(blocks* b, const char* method, int which, const palTool* const* tools)
{
    const palVec3 at[2] = {{-0.03, 0.003, 0.0}, {0.03, -0.002, 0.005}};
    int hand = 0;
    *b = (blocks){0};
    for (int i = 0; i < 2; i++)
        blocksAdd(b, &steps[i]);
    for (int i = 0; i < 2; i++)
    {
        if (!(which >> i & 1))
            continue;
        b->tools[hand] = tools[i];
        press(b, hand, at[i], 0.002);
        palVec3 last = b->hands[hand].at[1];
        blocksGoHand(b, hand, palAdd(last, palMakeVec3(0.004, 0.006, 0.0)), 0.2);
        hand++;
    }
    blocksStart(b, method, lowDt);
}

// Hands on two rigid objects feel what each feels alone, to the last bit.
static void on_two_rigid_objects_each_is_alone(void** state)
{
    (void)state;
    palTool ball = {0};
    makeBall(&ball);
    const palTool* const held[4][2] = {{NULL, NULL}, {&ball, &ball}, {NULL, &ball}, {&ball, NULL}};
    for (int m = 0; m < methodCount; m++)
        for (int k = 0; k < 4; k++)
        {
            blocks both, alone[2];
            startOnRigid(&both, methods[m], 3, held[k]);
            for (int i = 0; i < 2; i++)
                startOnRigid(&alone[i], methods[m], 1 << i, held[k]);
            int touching[2] = {0, 0};
            for (int t = 0; t < 600; t++)
            {
                palTickRecord record = blocksStep(&both);
                assert_int_equal(record.handCount, 2);
                for (int i = 0; i < 2; i++)
                {
                    palHandRecord one = blocksStep(&alone[i]).hands[0];
                    const palHandRecord* two = &record.hands[i];
                    assert_memory_equal(&one.force, &two->force, sizeof one.force);
                    assert_memory_equal(&one.torque, &two->torque, sizeof one.torque);
                    assert_memory_equal(&one.proxy, &two->proxy, sizeof one.proxy);
                    touching[i] += palLength(one.force) > 0.1;
                }
                for (int i = 0; i < record.contactCount; i++)
                    assert_int_equal(record.contacts[i].hand, record.contacts[i].object);
            }
            assert_true(touching[0] > 300 && touching[1] > 300);
            blocksFree(&both);
            blocksFree(&alone[0]);
            blocksFree(&alone[1]);
        }
    palSurface_Free(&ball.surface);
}

//--------------------------------------------------------------------------------------------------
// Soft

// A slab 20 mm thick: what is pressed at one place is felt 80 mm away by less than a thousandth.
static void startOnSlab(blocks* b, const char* method, int which, const palTool* tool)
{
    const palVec3 at[2] = {{-0.04, 0.0, 0.0}, {0.04, 0.004, 0.0}};
    int hand = 0;
    *b = (blocks){0};
    blocksAdd(b, &(blockDef){{-0.08, -0.03, -0.02}, {0.08, 0.03, 0.0}, 0.01, 1e4, 0.2});
    for (int i = 0; i < 2; i++)
    {
        if (!(which >> i & 1))
            continue;
        b->tools[hand] = tool;
        press(b, hand++, at[i], 0.003 + 0.001 * i);
    }
    blocksStart(b, method, lowDt);
}

static void far_apart_on_one_body_each_is_alone(void** state)
{
    (void)state;
    SKIP_SLOWED();
    palTool ball = {0};
    makeBall(&ball);
    for (int m = 0; m < methodCount; m++)
        for (int k = 0; k < 2; k++)
        {
            palVec3 force[2];
            const palTool* tool = k == 0 ? NULL : &ball;
            blocks b;
            for (int i = 0; i < 2; i++)
            {
                startOnSlab(&b, methods[m], 1 << i, tool);
                force[i] = run(&b, 0.8).hands[0].force;
                blocksFree(&b);
            }
            startOnSlab(&b, methods[m], 3, tool);
            palTickRecord record = run(&b, 0.8);
            for (int i = 0; i < 2; i++)
            {
                print_message("%s, %s: %.5f N alone, %.5f N with another\n", methods[m],
                              tool != NULL ? "tool" : "point", palLength(force[i]),
                              palLength(record.hands[i].force));
                assert_true(palLength(force[i]) > 0.1);
                ASSERT_BELOW(palDistance(record.hands[i].force, force[i]),
                             0.01 * palLength(force[i]));
            }
            blocksFree(&b);
        }
    palSurface_Free(&ball.surface);
}

// The body at rest under the forces that the hands gave last, found by Newton's method. Returns
// where the pushed places are then.
static int settle(palCollider* collider, const palSoftForce* given, palVec3* places)
{
    palSoftReference reference;
    assert_int_equal(palSoftReference_Init(&reference, collider->soft, NULL), pal_ok);
    for (int i = 0; i < given->head.count; i++)
        palSkin_AddForce(&collider->skin, collider->soft, &given->pushes[i].at,
                         given->pushes[i].force, reference.external);
    palSoftBody_Linearise(collider->soft, pal_tangentExact);
    ASSERT_BELOW(palSoftReference_Settle(&reference, 1e-10, 100), 1e-9);
    palSoftReference_Free(&reference);
    palCollider_Follow(collider);
    for (int i = 0; i < given->head.count; i++)
        places[i] = palCollider_Point(collider, &given->pushes[i].at);
    return given->head.count;
}

// Two points 2 mm apart share an indentation: each is as deep as the forces of both make the body
// there, by an independent solution of the whole body.
static void on_one_patch_they_share_the_indentation(void** state)
{
    (void)state;
    SKIP_SLOWED();
    const palVec3 at[2] = {{-0.001, 0.0013, 0.0}, {0.001, 0.0007, 0.0}};
    for (int m = 0; m < 2; m++)
    {
        blocks b = {0}, alone = {0};
        const blockDef block = {{-0.04, -0.04, -0.04}, {0.04, 0.04, 0.0}, 0.01, 1e4, 0.0};
        blocksAdd(&b, &block);
        blocksAdd(&alone, &block);
        for (int i = 0; i < 2; i++)
            press(&b, i, at[i], 0.001);
        press(&alone, 0, at[0], 0.001);
        blocksStart(&b, methods[m], lowDt);
        blocksStart(&alone, methods[m], lowDt);
        palTickRecord record = run(&b, 1.5);
        palVec3 one = run(&alone, 1.5).hands[0].force;
        const palSoftContact* contact = palSoftShared_Contact(b.engine->methods.methods[0]);
        const palSoftForce* given = palSoftSide_Last(&contact->side);
        palVec3 places[pal_softForcesMax];
        assert_int_equal(settle(&b.colliders[0], given, places), 2);
        double sum = 0.0;
        for (int i = 0; i < 2; i++)
        {
            int hand = given->pushes[i].hand;
            const palHandRecord* of = &record.hands[hand];
            print_message("%s, hand %d: %.4f N, %.1f um deep; the body %.1f um\n", methods[m], hand,
                          of->force.z, -1e6 * of->proxy.z, -1e6 * places[i].z);
            ASSERT_NEAR(of->force.z, -given->pushes[i].force.z, 1e-4 * of->force.z);
            ASSERT_NEAR(of->proxy.z, places[i].z, -1e-3 * places[i].z);
            sum += of->force.z;
        }
        // Together they have little more than one alone, and not twice as much.
        print_message("both %.4f N, one alone %.4f N\n", sum, one.z);
        ASSERT_BELOW(one.z, sum);
        ASSERT_BELOW(sum, 1.4 * one.z);
        blocksFree(&b);
        blocksFree(&alone);
    }
}

// The momentum of a soft body, kg·m/s.
static palVec3 momentumOf(const palSoftBody* body)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < body->nodeCount; i++)
        sum = palMulAdd(sum, body->mass[i], body->v[i]);
    return sum;
}

// A free block between two hands that press it from both sides.
static void startSqueeze(blocks* b, const char* method, const palTool* tool, double shift)
{
    double away = 0.02 + (tool != NULL ? 4e-3 : 0.0);
    *b = (blocks){0};
    blocksAddFree(b, &(blockDef){{-0.02, -0.02, -0.02}, {0.02, 0.02, 0.02}, 0.01, 1e4, 0.5});
    for (int i = 0; i < 2; i++)
    {
        double side = i == 0 ? -1.0 : 1.0;
        b->tools[i] = tool;
        blocksGoHand(b, i, palMakeVec3(side * (away + 0.001 + shift * i), 0.0003, 0.0002), 0.0);
        blocksGoHand(b, i, palMakeVec3(side * (away - 0.002 + shift * i), 0.0003, 0.0002), 0.2);
    }
    blocksStart(b, method, lowDt);
}

// At rest the forces are equal and opposite.
static void a_free_block_is_squeezed_by_equal_forces(void** state)
{
    (void)state;
    SKIP_SLOWED();
    palTool ball = {0};
    makeBall(&ball);
    for (int m = 0; m < methodCount; m++)
        for (int k = 0; k < 2; k++)
        {
            blocks b;
            startSqueeze(&b, methods[m], k == 0 ? NULL : &ball, 0.0);
            palTickRecord record = run(&b, 2.0);
            palVec3 one = record.hands[0].force, other = record.hands[1].force;
            print_message("%s, %s: %.4f N and %.4f N, apart %.1e N; momentum %.1e\n", methods[m],
                          k == 0 ? "points" : "tools", one.x, other.x,
                          palLength(palAdd(one, other)),
                          palLength(momentumOf(b.colliders[0].soft)));
            ASSERT_BELOW(0.05, -one.x);
            ASSERT_BELOW(palLength(palAdd(one, other)), 0.01 * palLength(one));
            blocksFree(&b);
        }
    palSurface_Free(&ball.surface);
}

// Pushed by one hand against the other, the block has the momentum that the forces of both gave it.
static void momentum_is_what_the_hands_gave(void** state)
{
    (void)state;
    for (int m = 0; m < methodCount; m++)
    {
        blocks b;
        palVec3 impulse[601] = {{0}};
        double largest = 0.0, off = 0.0;
        startSqueeze(&b, methods[m], NULL, 0.001);
        const palSoftContact* contact = palSoftShared_Contact(b.engine->methods.methods[0]);
        for (int k = 1; k <= 600; k++)
        {
            palTickRecord record = blocksStep(&b);
            impulse[k] = impulse[k - 1];
            for (int i = 0; i < record.contactCount; i++)
                impulse[k] = palMulAdd(impulse[k], 1e-3, record.contacts[i].force);
            // The low rate has the body at the end of an earlier tick.
            int at = (int)lround(1e3 * contact->side.time) + 1;
            palVec3 has = momentumOf(b.colliders[0].soft);
            if (at <= k)
                off = fmax(off, palDistance(has, impulse[at]));
            largest = fmax(largest, palLength(has));
        }
        print_message("%s: momentum up to %.2e kg m/s, off by %.1e\n", methods[m], largest, off);
        assert_true(largest > 1e-4);
        ASSERT_BELOW(off, 1e-3 * largest);
        blocksFree(&b);
    }
}

//--------------------------------------------------------------------------------------------------
// The real-time contract

// Ticks of two hands on a soft body make no allocation, no lock and no system call.
static void ticks_of_two_hands_are_real_time(void** state)
{
    (void)state;
    if (isSanitized || !canSeal())
        SKIP(SANITIZED);
    palTool ball = {0};
    makeBall(&ball);
    for (int m = 0; m < methodCount; m++)
        for (int k = 0; k < 3; k++)
        {
            blocks b = {0};
            blocksAdd(&b, &(blockDef){{-0.04, -0.04, -0.04}, {0.04, 0.04, 0.0}, 0.01, 1e4, 0.2});
            for (int i = 0; i < 2; i++)
            {
                b.tools[i] = k > i ? &ball : NULL;
                press(&b, i, palMakeVec3(0.012 * i, 0.0, 0.0), 0.003);
            }
            blocksStart(&b, methods[m], lowDt);
            int touching = 0;
            for (int n = 0; n < 10; n++)
            {
                run(&b, 0.04);
                outcome seen = tickInChild(b.engine, 5);
                assert_false(seen.killed);
                assert_int_equal(seen.allocations, 0);
                assert_int_equal(seen.locks, 0);
                touching += seen.touching;
            }
            assert_true(touching > 20);
            blocksFree(&b);
        }
    palSurface_Free(&ball.surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_two_rigid_objects_each_is_alone),
        cmocka_unit_test(far_apart_on_one_body_each_is_alone),
        cmocka_unit_test(on_one_patch_they_share_the_indentation),
        cmocka_unit_test(a_free_block_is_squeezed_by_equal_forces),
        cmocka_unit_test(momentum_is_what_the_hands_gave),
        cmocka_unit_test(ticks_of_two_hands_are_real_time),
    };
    return RUN(tests);
}
