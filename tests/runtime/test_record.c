// SPDX-License-Identifier: Apache-2.0
// The ring between a loop and whoever records: complete, in order, and never in the loop's way.
#include "check.h"

#include "runtime/record.h"

#include <pthread.h>

typedef struct item
{
    uint64_t number;
    uint64_t square; // of the number: a record that was read half written would not fit
} item;

static item makeItem(uint64_t number)
{
    return (item){number, number * number};
}

static void records_come_out_in_the_order_they_went_in(void** state)
{
    (void)state;
    palRing ring;
    assert_int_equal(palRing_Init(&ring, sizeof(item), 5, NULL), pal_ok);
    assert_int_equal(ring.capacity, 8);
    uint64_t in = 0, out = 0;
    item taken;
    for (int round = 0; round < 100; round++)
    {
        for (int i = 0; i < 1 + round % 8; i++)
            palRing_Put(&ring, &(item){in, in * in}), in++;
        while (palRing_Take(&ring, &taken))
            assert_int_equal(taken.number, out++);
    }
    assert_int_equal(in, out);
    assert_int_equal(atomic_load(&ring.dropped), 0);
    palRing_Free(&ring);
}

static void a_full_ring_drops_the_newest_and_counts_them(void** state)
{
    (void)state;
    palRing ring;
    assert_int_equal(palRing_Init(&ring, sizeof(item), 8, NULL), pal_ok);
    for (uint64_t i = 0; i < 11; i++)
        palRing_Put(&ring, &(item){i, i * i});
    assert_int_equal(atomic_load(&ring.dropped), 3);
    item taken;
    for (uint64_t i = 0; i < 8; i++)
    {
        assert_true(palRing_Take(&ring, &taken));
        assert_int_equal(taken.number, i);
    }
    assert_false(palRing_Take(&ring, &taken));
    palRing_Free(&ring);
}

enum
{
    itemCount = 200000,
};

static void* produce(void* argument)
{
    palRing* ring = argument;
    for (uint64_t i = 1; i <= itemCount; i++)
    {
        item made = makeItem(i);
        palRing_Put(ring, &made);
    }
    return NULL;
}

static void two_threads_exchange_whole_records(void** state)
{
    (void)state;
    palRing ring;
    assert_int_equal(palRing_Init(&ring, sizeof(item), 64, NULL), pal_ok);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, produce, &ring), 0);
    uint64_t taken = 0, last = 0;
    // Until all are accounted for.
    while (taken + atomic_load(&ring.dropped) < itemCount)
    {
        item next;
        if (!palRing_Take(&ring, &next))
            continue;
        assert_true(next.number > last);
        assert_true(next.square == next.number * next.number);
        last = next.number;
        taken++;
    }
    pthread_join(thread, NULL);
    item none;
    assert_false(palRing_Take(&ring, &none));
    assert_true(taken > 0);
    palRing_Free(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_out_in_the_order_they_went_in),
        cmocka_unit_test(a_full_ring_drops_the_newest_and_counts_them),
        cmocka_unit_test(two_threads_exchange_whole_records),
    };
    return RUN(tests);
}
