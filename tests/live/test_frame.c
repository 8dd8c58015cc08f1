// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "live/frame.h"

// A reader of its own, from the description in frame.h. The test runs on little-endian machines.
static uint32_t u32(const unsigned char* at)
{
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}

static float f32(const unsigned char* at)
{
    float value;
    memcpy(&value, at, 4);
    return value;
}

static double f64(const unsigned char* at)
{
    double value;
    memcpy(&value, at, 8);
    return value;
}

// The n-th section of a kind; checks the lengths of all on the way.
static const unsigned char* section(const palFrame* frame, uint32_t kind, int n, uint32_t* size)
{
    const unsigned char* found = NULL;
    unsigned count = frame->bytes[6] + 256u * frame->bytes[7];
    size_t at = 32;
    assert_memory_equal(frame->bytes, "PALF", 4);
    for (unsigned i = 0; i < count; i++)
    {
        assert_true(at + 8 <= frame->length && at % 8 == 0);
        uint32_t bytes = u32(frame->bytes + at + 4);
        if (u32(frame->bytes + at) == kind && n-- == 0)
        {
            found = frame->bytes + at + 8;
            *size = bytes;
        }
        at += 8 + (bytes + 7u) / 8u * 8u;
    }
    assert_int_equal(at, frame->length);
    return found;
}

static void the_head_says_which_frame_it_is(void** state)
{
    (void)state;
    palFrame frame = {0};
    palFrame_Begin(&frame, &(palFrameHead){.number = 7, .epoch = 3, .stream = 9, .t = 1.5});
    assert_int_equal(frame.length, 32);
    assert_int_equal(frame.bytes[4], pal_frameVersion);
    assert_int_equal(u32(frame.bytes + 8), 7);
    assert_int_equal(u32(frame.bytes + 12), 3);
    ASSERT_NEAR(f64(frame.bytes + 16), 1.5, 0);
    assert_int_equal(u32(frame.bytes + 24), 9);
    palFrame_Free(&frame);
}

static void texts_are_padded_and_read_back(void** state)
{
    (void)state;
    palFrame frame = {0};
    palFrame_Begin(&frame, &(palFrameHead){0});
    palFrame_Status(&frame, "{\"a\": 1}x");
    palFrame_Values(&frame, "{}");
    uint32_t size;
    const unsigned char* at = section(&frame, pal_frameStatus, 0, &size);
    assert_int_equal(size, 9);
    assert_memory_equal(at, "{\"a\": 1}x", 9);
    at = section(&frame, pal_frameValues, 0, &size);
    assert_int_equal(size, 2);
    assert_null(section(&frame, pal_frameHand, 0, &size));
    palFrame_Free(&frame);
}

// A deforming body: whole at first, then only where its vertices are.
static void a_body_that_moves_is_sent_without_its_triangles(void** state)
{
    (void)state;
    palVec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const float field[4] = {0, 0.5f, 1, 0.25f};
    palFrameBody body = {
        .kind = pal_bodySoftSurface,
        .id = 5,
        .name = "liver",
        .vertices = vertices,
        .vertexCount = 4,
        .triangles = triangles,
        .triangleCount = 2,
        .fieldKind = pal_fieldDisplacement,
        .field = field,
    };
    palFrame frame = {0};
    uint32_t size;
    palFrame_Begin(&frame, &(palFrameHead){0});
    palFrame_Body(&frame, &body, true);
    vertices[3].z = 0.75;
    palFrame_Body(&frame, &body, false);

    const unsigned char* whole = section(&frame, pal_frameBody, 0, &size);
    assert_int_equal(size, 24 + 4 * 12 + 2 * 12 + 4 * 4 + 5);
    assert_int_equal(u32(whole), 5);
    assert_int_equal(u32(whole + 4), pal_bodySoftSurface);
    assert_int_equal(u32(whole + 12), 2);
    ASSERT_NEAR(f32(whole + 24 + 3 * 12 + 8), 1.0, 0);
    assert_int_equal(u32(whole + 24 + 48 + 12 + 8), 3);
    ASSERT_NEAR(f32(whole + 24 + 48 + 24 + 4), 0.5, 0);
    assert_memory_equal(whole + 24 + 48 + 24 + 16, "liver", 5);

    const unsigned char* moved = section(&frame, pal_frameBody, 1, &size);
    assert_int_equal(size, 24 + 4 * 12 + 4 * 4);
    assert_int_equal(u32(moved + 12), 0);
    ASSERT_NEAR(f32(moved + 24 + 3 * 12 + 8), 0.75, 0);
    palFrame_Free(&frame);
}

static void the_hand_is_sent_in_full_precision(void** state)
{
    (void)state;
    const palTickRecord record = {
        .t = 0.1,
        .handCount = 3,
        .hands[2].proxy = {7, 8, 1.0 / 3.0},
        .hands[0].device = {0.1, 0.2, 0.3},
        .hands[0].proxy = {1.0 / 3.0, 2, 3},
        .hands[0].force = {4, 5, 6},
        .hands[0].torque = {7, 8, 9},
        .hands[0].out = {10, 11, 12},
        .hands[0].active = 3,
        .hands[0].constraints = 30,
        .hands[0].iterations = 4,
        .hands[0].held = true,
        .hands[0].deviceTurn = {0.5, -0.5, 0.5, -0.5},
        .hands[0].proxyTurn = {0.1, 0.7, 0.5, 0.5},
    };
    palFrame frame = {0};
    uint32_t size;
    palFrame_Begin(&frame, &(palFrameHead){0});
    palFrame_Hands(&frame, &record);
    const unsigned char* at = section(&frame, pal_frameHand, 0, &size);
    assert_int_equal(size, 19 * 8 + 6 * 4 + 4 * 8);
    ASSERT_NEAR(f64(at + 8 * 3), 1.0 / 3.0, 0);
    ASSERT_NEAR(f64(at + 8 * 14), 12, 0);
    ASSERT_NEAR(f64(at + 8 * 16), -0.5, 0);
    assert_int_equal(u32(at + 19 * 8), 3);
    assert_int_equal(u32(at + 19 * 8 + 12), 1);
    ASSERT_NEAR(f64(at + 19 * 8 + 24 + 8), 0.7, 0);
    // The others follow in their order.
    at = section(&frame, pal_frameNextHand, 1, &size);
    ASSERT_NEAR(f64(at + 8 * 5), 1.0 / 3.0, 0);
    palFrame_Free(&frame);
}

static void contacts_and_limited_constraints_are_listed(void** state)
{
    (void)state;
    const palContactForce contact = {
        .point = {1, 2, 3}, .normal = {0, 1, 0}, .force = {4, 5, 6}, .gap = 0.25};
    const palTickRecord record = {.contactCount = 1, .contacts = &contact};
    palDrawnLimited limited[3] = {{70000, 0, -1, 0}, {5, 2, 1, 0}, {6, 300, 0, 1}};
    const palDrawing drawing = {
        .limited = limited,
        .limitedCount = 3,
        .setCount = 2,
        .handCount = 2,
        .hands = {{.trustCentre = {1, 2, 3}, .trustRadius = 0.02},
                  {.trustCentre = {4, 5, 6}, .trustRadius = 0.03}},
    };
    palFrame frame = {0};
    uint32_t size;
    palFrame_Begin(&frame, &(palFrameHead){0});
    palFrame_Contacts(&frame, &record);
    palFrame_Drawing(&frame, &drawing);
    const unsigned char* at = section(&frame, pal_frameContacts, 0, &size);
    assert_int_equal(size, 8 + 40);
    ASSERT_NEAR(f32(at + 8 + 4), 2, 0);
    ASSERT_NEAR(f32(at + 8 + 32), 6, 0);
    ASSERT_NEAR(f32(at + 8 + 36), 0.25, 0);
    at = section(&frame, pal_frameLimited, 0, &size);
    assert_int_equal(u32(at), 3);
    assert_int_equal(u32(at + 4), 2);
    assert_int_equal(u32(at + 8), 70000);
    assert_int_equal((signed char)at[8 + 6], -1);
    assert_int_equal(at[16 + 4], 2);
    assert_int_equal(at[16 + 6], 1);
    assert_int_equal(at[24 + 4] + 256 * at[24 + 5], 300);
    assert_int_equal(at[24 + 7], 1);
    at = section(&frame, pal_frameTrust, 0, &size);
    assert_int_equal(size, 2 * 16);
    ASSERT_NEAR(f32(at + 12), 0.02, 1e-8);
    ASSERT_NEAR(f32(at + 16 + 12), 0.03, 1e-8);
    palFrame_Free(&frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_says_which_frame_it_is),
        cmocka_unit_test(texts_are_padded_and_read_back),
        cmocka_unit_test(a_body_that_moves_is_sent_without_its_triangles),
        cmocka_unit_test(the_hand_is_sent_in_full_precision),
        cmocka_unit_test(contacts_and_limited_constraints_are_listed),
    };
    return RUN(tests);
}
