// SPDX-License-Identifier: Apache-2.0
// Readers of a run: each finds the newest step whole, whatever its rate, whenever it was opened,
// and the loops neither wait nor allocate for it.
#include "scene_session.h"
#include "sealed_ticks.h"

#include "base/clock.h"

#include <pthread.h>

//--------------------------------------------------------------------------------------------------
// Threads

// A soft cube in free fall above a table that is far below: all its vertices have moved alike, so
// that a frame of two steps would show.
static const char* const falling =
    "palpate: 1\n"
    "gravity: [0, -0.1, 0]\n"
    "time: {seconds: 100, dt: 0.001, low_dt: 0.005, latency: 0.002}\n"
    "method: {name: accurate, radius: 0.02}\n"
    "trajectory: {kind: path, points: [{t: 0, at: [0, 1, 0]}]}\n"
    "objects:\n"
    "  - {name: table, shape: {kind: box, size: [1, 1, 1]}, position: [0, -90, 0]}\n"
    "  - name: cube\n"
    "    shape: {kind: box, size: [0.1, 0.1, 0.1]}\n"
    "    soft: {young: 10000, elements: tets, resolution: 3}\n";

typedef struct looker
{
    palEngine* engine;
    int64_t every;  // ns between looks; 0: none
    int rounds;     // how often it opens and closes
    int looks;      // new drawings of each round
    int drawings;   // seen in all
    int ticks;      // likewise
    double worst;   // m, between the displacements of vertices of one frame
    double off;     // m, between the fall and that of the frame's time
    bool inOrder;   // time never goes back
    bool isRefused; // a reader could not be opened
} looker;

static void lookAtDrawing(looker* l, const palDrawing* drawing)
{
    const palDrawnSurface* cube = &drawing->surfaces[0];
    double first = cube->vertices[0].y - cube->rest[0].y;
    for (int i = 0; i < cube->vertexCount; i++)
    {
        palVec3 moved = palSub(cube->vertices[i], cube->rest[i]);
        l->worst = fmax(l->worst, palLength(palSub(moved, palMakeVec3(0, first, 0))));
    }
    // Backward Euler: n steps of dt fall by g dt² n (n + 1) / 2.
    double t = cube->time;
    l->off = fmax(l->off, fabs(first + 0.05 * t * (t + 1e-3)));
    l->drawings++;
}

static void* look(void* argument)
{
    looker* l = argument;
    l->inOrder = true;
    for (int round = 0; round < l->rounds; round++)
    {
        palReader* reader;
        palError error;
        double drawn = -1.0, ticked = -1.0; // before the first step
        if (palEngine_OpenReader(l->engine, round % 2 == 1, &reader, &error) != pal_ok)
        {
            l->isRefused = true;
            return NULL;
        }
        palReader_ShowStress(reader, true);
        for (int seen = 0; seen < l->looks;)
        {
            bool isNew;
            const palDrawing* drawing = palReader_Drawing(reader, &isNew);
            if (isNew)
            {
                // Two low-rate steps may find the same haptic state.
                l->inOrder = l->inOrder && drawing->time >= drawn;
                drawn = drawing->time;
                lookAtDrawing(l, drawing);
                seen++;
            }
            const palTickReading* tick = palReader_Tick(reader, &isNew);
            if (isNew)
            {
                l->inOrder = l->inOrder && tick->record.t > ticked &&
                             tick->steps == (uint64_t)lround(1e3 * tick->record.t) + 1;
                ticked = tick->record.t;
                l->ticks++;
            }
            palClock_SleepUntil(palClock_Now() + l->every);
        }
        palEngine_CloseReader(l->engine, reader);
    }
    return NULL;
}

static void frames_are_whole_at_any_rate_of_readers_that_come_and_go(void** state)
{
    (void)state;
    palSession* session = startScene(falling);
    palEngine* engine = (palEngine*)palSession_Engine(session);
    looker lookers[3] = {
        {.engine = engine, .every = 100000, .rounds = 12, .looks = 8},
        {.engine = engine, .every = 16000000, .rounds = 4, .looks = 4},
        {.engine = engine, .every = 0, .rounds = 40, .looks = 1}, // comes and goes all the time
    };
    pthread_t threads[3];
    palError error;
    assert_int_equal(palSession_Start(session, false, &error), pal_ok);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look, &lookers[i]), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    palSession_End(session);
    for (int i = 0; i < 3; i++)
    {
        const looker* l = &lookers[i];
        assert_false(l->isRefused);
        assert_true(l->inOrder);
        assert_int_equal(l->drawings, l->rounds * l->looks);
        assert_true(l->ticks > 0);
        // After a tenth of a second the cube falls by 50 µm a step, and by more later.
        ASSERT_BELOW(l->worst, 5e-6);
        ASSERT_BELOW(l->off, 5e-6);
    }
    assert_int_equal(engine->readers.openCount, 0);
    palSession_Destroy(session);
}

//--------------------------------------------------------------------------------------------------
// Contents

static void readings_have_the_contacts_of_both_rates_and_the_counts(void** state)
{
    (void)state;
    palSession* session = createSession("soft-on-soft.yaml", NULL, 0);
    palEngine* engine = (palEngine*)palSession_Engine(session);
    palReader* reader;
    palError error;
    bool isNew;
    assert_int_equal(palEngine_OpenReader(engine, false, &reader, &error), pal_ok);
    assert_null(palReader_Tick(reader, &isNew));
    assert_false(isNew);
    assert_null(palReader_Drawing(reader, &isNew));
    palTickRecord record;
    for (int k = 0; k < 2400; k++)
        palLockstep_Step(engine, &record);

    // The hand presses the cube: what the reader has of the tick is what the tick had.
    const palTickReading* tick = palReader_Tick(reader, &isNew);
    assert_true(isNew);
    ASSERT_NEAR(tick->record.t, 2.399, 1e-12);
    ASSERT_NEAR(palDistance(tick->record.hands[0].force, record.hands[0].force), 0.0, 0.0);
    assert_int_equal(tick->steps, 2400);
    assert_true(tick->longestUs >= tick->record.stepUs);
    assert_true(tick->record.contactCount > 0);
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < tick->record.contactCount; i++)
    {
        assert_int_equal(tick->record.contacts[i].object, 1);
        assert_int_equal(tick->record.contacts[i].hand, 0);
        sum = palAdd(sum, tick->record.contacts[i].force);
    }
    // On the proxy, of 1 g: its weight, the hand and the cube.
    ASSERT_NEAR(sum.y + record.hands[0].force.y, -9.81e-3, 1e-3);
    double push = -sum.y;
    assert_ptr_equal(palReader_Tick(reader, &isNew), tick);
    assert_false(isNew);

    // The cube lies on the block: these contacts are the low rate's, in each of its steps. They
    // carry the weight of the cube, 0.125 kg of 1000 kg/m³, and the push of the hand.
    const palDrawing* drawing = palReader_Drawing(reader, &isNew);
    const palLowReading* low = palReader_Low(reader, 0);
    assert_true(isNew && drawing->surfaceCount == 2 && low != NULL);
    assert_true(low->resting.count > 0);
    sum = pal_zeroVec3;
    for (int i = 0; i < low->resting.count; i++)
    {
        assert_int_equal(low->resting.items[i].hand, -1);
        double sign = low->resting.items[i].object == 1 ? 1.0 : -1.0;
        sum = palMulAdd(sum, sign, low->resting.items[i].force);
    }
    double carried = 0.125 * 9.81 + push;
    ASSERT_NEAR(sum.y, carried, 0.01 * carried);
    assert_int_equal(low->steps, engine->loops[0].statistics.steps);
    ASSERT_NEAR(low->record.stepMs, engine->loops[0].record.stepMs, 0.0);
    ASSERT_NEAR(drawing->surfaces[1].time, drawing->time, 0.0);
    // What is drawn of the cube is where its surface is.
    const palCollider* cube = &engine->methods.methods[0]->def.colliders[1];
    for (int i = 0; i < cube->surface.vertexCount; i++)
        ASSERT_NEAR(palDistance(drawing->surfaces[1].vertices[i], palCollider_Vertex(cube, i)), 0.0,
                    0.0);
    palEngine_CloseReader(engine, reader);
    palSession_Destroy(session);
}

static void as_many_readers_as_there_are_places_for(void** state)
{
    (void)state;
    palSession* session = startScene(falling);
    palEngine* engine = (palEngine*)palSession_Engine(session);
    palReader* readers[pal_readersMax];
    palReader* another;
    palError error;
    bool isNew;
    for (int i = 0; i < pal_readersMax; i++)
        assert_int_equal(palEngine_OpenReader(engine, false, &readers[i], &error), pal_ok);
    assert_int_equal(palEngine_OpenReader(engine, false, &another, &error), pal_errorInput);
    assert_null(another);
    assert_non_null(strstr(error.text, "8 readers"));
    palEngine_CloseReader(engine, readers[3]);
    assert_int_equal(palEngine_OpenReader(engine, false, &readers[3], &error), pal_ok);

    // Ticks with all of them make no system call, no allocation and no lock, nor does what the low
    // rate copies.
    palStep step;
    stepSession(session, 2, &step);
    if (isSanitized || !canSeal())
        SKIP_PART(SANITIZED);
    else
    {
        outcome seen = tickInChild(engine, 50);
        assert_false(seen.killed);
        assert_int_equal(seen.allocations + seen.locks, 0);
        startCounting();
        palLowStep low = {.state = &engine->loops[0].states[0],
                          .snapshot = &engine->loops[0].snapshots[0]};
        palReaders_FillLow(engine, 0, &low);
        counting = false;
        assert_int_equal(allocations + locks, 0);
    }
    for (int i = 0; i < pal_readersMax; i++)
        assert_true(palReader_Tick(readers[i], &isNew) != NULL);
    // Those that are open are freed with the engine.
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_whole_at_any_rate_of_readers_that_come_and_go),
        cmocka_unit_test(readings_have_the_contacts_of_both_rates_and_the_counts),
        cmocka_unit_test(as_many_readers_as_there_are_places_for),
    };
    return RUN(tests);
}
