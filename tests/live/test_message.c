// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "live/message.h"

static palViewMessage message;
static const char* reason;

static bool isText(const char* text)
{
    return palViewMessage_Parse(text, strlen(text), false, &message, &reason);
}

// A hand as a page writes it; the test runs on little-endian machines.
static size_t makeHand(unsigned char bytes[56], double time, palVec3 x, const float q[4])
{
    memset(bytes, 0, 56);
    bytes[0] = 1;
    bytes[4] = 3;
    memcpy(bytes + 8, &time, 8);
    memcpy(bytes + 16, &x, 24);
    memcpy(bytes + 40, q, 16);
    return 56;
}

static void a_hand_is_read(void** state)
{
    (void)state;
    unsigned char bytes[56];
    const float q[4] = {0.6f, 0, 0.8f, 0};
    size_t size = makeHand(bytes, 12.5, palMakeVec3(0.01, -0.02, 3), q);
    assert_true(palViewMessage_Parse(bytes, size, true, &message, &reason));
    assert_int_equal(message.verb, pal_verbHand);
    assert_int_equal(message.hand.buttons, 3);
    ASSERT_NEAR(message.hand.time, 12.5, 0);
    ASSERT_NEAR(message.hand.position.y, -0.02, 0);
    ASSERT_NEAR(message.hand.orientation.y, 0.8, 1e-7);
}

static void a_hand_that_is_none_is_refused(void** state)
{
    (void)state;
    unsigned char bytes[57] = {0};
    const float q[4] = {1, 0, 0, 0};
    const float none[4] = {0, 0, 0, 0};
    const float wild[4] = {NAN, 0, 0, 0};
    const palVec3 far[] = {{NAN, 0, 0}, {0, 101, 0}, {0, 0, -INFINITY}};
    for (int i = 0; i < 3; i++)
        assert_false(
            palViewMessage_Parse(bytes, makeHand(bytes, 1, far[i], q), true, &message, &reason));
    assert_false(palViewMessage_Parse(bytes, makeHand(bytes, 1, pal_zeroVec3, none), true, &message,
                                      &reason));
    assert_false(palViewMessage_Parse(bytes, makeHand(bytes, 1, pal_zeroVec3, wild), true, &message,
                                      &reason));
    assert_false(palViewMessage_Parse(bytes, makeHand(bytes, NAN, pal_zeroVec3, q), true, &message,
                                      &reason));
    makeHand(bytes, 1, pal_zeroVec3, q);
    assert_true(palViewMessage_Parse(bytes, 56, true, &message, &reason));
    assert_false(palViewMessage_Parse(bytes, 55, true, &message, &reason));
    assert_false(palViewMessage_Parse(bytes, 57, true, &message, &reason));
    bytes[2] = 1;
    assert_false(palViewMessage_Parse(bytes, 56, true, &message, &reason));
}

static void an_acknowledgement_is_read(void** state)
{
    (void)state;
    const unsigned char bytes[8] = {2, 0, 0, 0, 0x78, 0x56, 0x34, 0x12};
    assert_true(palViewMessage_Parse(bytes, 8, true, &message, &reason));
    assert_int_equal(message.verb, pal_verbAck);
    assert_int_equal(message.number, 0x12345678);
    assert_false(palViewMessage_Parse(bytes, 7, true, &message, &reason));
    assert_false(palViewMessage_Parse(bytes, 8, false, &message, &reason));
}

static void verbs_take_their_arguments(void** state)
{
    (void)state;
    assert_true(isText("pause"));
    assert_int_equal(message.verb, pal_verbPause);
    assert_true(isText("set objects.0.position=[0, 0, 1]"));
    assert_int_equal(message.verb, pal_verbSet);
    assert_string_equal(message.text, "objects.0.position=[0, 0, 1]");
    assert_true(isText("set name=Gr\xc3\xbc\xc3\x9f Gott \xf0\x9f\x99\x82"));
    assert_true(isText("unset method.name"));
    assert_string_equal(message.text, "method.name");
    assert_true(isText("step 12"));
    assert_int_equal(message.number, 12);
    assert_true(isText("seek 1.25"));
    ASSERT_NEAR(message.seconds, 1.25, 0);
    assert_true(isText("open sine-static"));
    assert_string_equal(message.text, "sine-static");
    assert_true(isText("replay recording-1"));
    assert_true(isText("choose 3"));
    assert_int_equal(message.number, 3);
    assert_true(isText("colour stress"));
    assert_int_equal(message.verb, pal_verbColour);
    assert_int_equal(message.number, 2);
    assert_true(isText("colour plain"));
    assert_int_equal(message.number, 0);
}

static void everything_else_is_refused(void** state)
{
    (void)state;
    const char* const wrong[] = {
        "",
        " ",
        "paus",
        "pause now",
        "Pause",
        "pause\n",
        "hand",
        "ack",
        "step",
        "step 0",
        "choose",
        "choose 4",
        "choose -1",
        "choose 1 ",
        "colour",
        "colour red",
        "colour stress ",
        "step 1001",
        "step 1.5",
        "step nan",
        "step 0x10",
        "seek",
        "seek -1",
        "seek inf",
        "seek 1e7",
        "seek 1 2",
        "set",
        "set method",
        "set =1",
        "set .a=1",
        "set a.=1",
        "set a b=1",
        "set a/b=1",
        "unset",
        "unset a=1",
        "open",
        "open ../touch",
        "open a/b",
        "open .hidden",
        "open a b",
        "replay /etc",
        "replay ..",
        "drive me",
        "set a=\x01",
        "set a=\x7f",
        "set a=\xff",
        "set a=\xc3",
        "set a=\xc0\xaf",
        "set a=\xed\xa0\x80",
        "set a=\xf4\x90\x80\x80",
        "set a=\xe2\x82",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    {
        if (isText(wrong[i]))
            fail_msg("'%s' was taken", wrong[i]);
        assert_true(strlen(reason) > 0);
    }
    assert_false(palViewMessage_Parse("pause\0", 6, false, &message, &reason));
}

static void the_length_is_limited(void** state)
{
    (void)state;
    char text[pal_messageMax + 2] = "set a=";
    memset(text + 6, 'x', sizeof text - 7);
    text[pal_messageMax] = '\0';
    assert_true(isText(text));
    text[pal_messageMax] = 'x';
    text[pal_messageMax + 1] = '\0';
    assert_false(isText(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_is_read),
        cmocka_unit_test(a_hand_that_is_none_is_refused),
        cmocka_unit_test(an_acknowledgement_is_read),
        cmocka_unit_test(verbs_take_their_arguments),
        cmocka_unit_test(everything_else_is_refused),
        cmocka_unit_test(the_length_is_limited),
    };
    return RUN(tests);
}
