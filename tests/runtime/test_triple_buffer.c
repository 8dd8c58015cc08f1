// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "runtime/record.h"
#include "runtime/triple_buffer.h"

#include <pthread.h>

static void the_reader_sees_the_newest_and_only_once(void** state)
{
    (void)state;
    palTripleBuffer buffer;
    int slots[3] = {0};
    palTripleBuffer_Init(&buffer);
    bool isNew;
    palTripleBuffer_Newest(&buffer, &isNew);
    assert_false(isNew);
    for (int value = 1; value <= 3; value++)
    {
        slots[palTripleBuffer_Back(&buffer)] = value;
        palTripleBuffer_Publish(&buffer);
    }
    assert_int_equal(slots[palTripleBuffer_Newest(&buffer, &isNew)], 3);
    assert_true(isNew);
    assert_int_equal(slots[palTripleBuffer_Newest(&buffer, &isNew)], 3);
    assert_false(isNew);
}

enum
{
    words = 64,
    rounds = 100000,
};

typedef struct Shared
{
    palTripleBuffer buffer;
    uint64_t slots[3][words];
    _Atomic bool ended;
} Shared;

static void* writeRounds(void* argument)
{
    Shared* shared = argument;
    for (uint64_t round = 1; round <= rounds; round++)
    {
        uint64_t* slot = shared->slots[palTripleBuffer_Back(&shared->buffer)];
        for (int i = 0; i < words; i++)
            slot[i] = round;
        palTripleBuffer_Publish(&shared->buffer);
    }
    atomic_store(&shared->ended, true);
    return NULL;
}

static void a_slot_is_never_torn_and_never_goes_back_in_time(void** state)
{
    (void)state;
    static Shared shared;
    palTripleBuffer_Init(&shared.buffer);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, writeRounds, &shared), 0);
    uint64_t last = 0, torn = 0, backward = 0;
    bool isNew;
    while (!atomic_load(&shared.ended))
    {
        const uint64_t* slot = shared.slots[palTripleBuffer_Newest(&shared.buffer, &isNew)];
        uint64_t first = slot[0];
        for (int i = 1; i < words; i++)
            torn += slot[i] != first;
        backward += first < last;
        last = first;
    }
    pthread_join(writer, NULL);
    assert_int_equal(torn, 0);
    assert_int_equal(backward, 0);
    assert_int_equal(shared.slots[palTripleBuffer_Newest(&shared.buffer, &isNew)][0], rounds);
}

static void* putRecords(void* argument)
{
    palRing* ring = argument;
    for (int64_t i = 0; i < rounds; i++)
        palRing_Put(ring, &i);
    return NULL;
}

static void a_ring_keeps_order_and_counts_what_it_drops(void** state)
{
    (void)state;
    palRing ring;
    assert_int_equal(palRing_Init(&ring, sizeof(int64_t), 1000, NULL), pal_ok);
    assert_int_equal(ring.capacity, 1024);
    pthread_t producer;
    assert_int_equal(pthread_create(&producer, NULL, putRecords, &ring), 0);
    int64_t taken = 0, last = -1, value, disorder = 0;
    while (taken + (int64_t)atomic_load(&ring.dropped) < rounds)
    {
        if (!palRing_Take(&ring, &value))
            continue;
        disorder += value <= last;
        last = value;
        taken++;
    }
    pthread_join(producer, NULL);
    assert_int_equal(disorder, 0);
    assert_false(palRing_Take(&ring, &value));
    palRing_Free(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reader_sees_the_newest_and_only_once),
        cmocka_unit_test(a_slot_is_never_torn_and_never_goes_back_in_time),
        cmocka_unit_test(a_ring_keeps_order_and_counts_what_it_drops),
    };
    return RUN(tests);
}
