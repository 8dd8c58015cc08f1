// SPDX-License-Identifier: Apache-2.0
// Method `linear` with more contacts than a tick has rows for: a fine plate pressed on the block.
// The tick's force at rest is that of the low rate, which is stepped on its own beside it.
#include "check.h"

#include "scene/bodies.h"
#include "touch/linear_rows.h"
#include "world/hand.h"

#include <string.h>

static const double lowDt = 33e-3; // s

typedef struct plate
{
    palScene scene;
    palMessages messages;
    palSceneBodies world;
    palTool tool;
} plate;

static plate* makePlate(int cells)
{
    char text[1024];
    palError error = {0};
    plate* p = calloc(1, sizeof *p);
    assert_non_null(p);
    snprintf(text, sizeof text,
             "palpate: 1\nmethod: {name: linear}\n"
             "tool: {shape: {kind: box, size: [0.07, 0.01, 0.07], resolution: %d}}\n"
             "trajectory: {kind: line, start: [0, 0.1, 0], end: [0, 0, 0], speed: 0.1}\n"
             "objects: [{shape: {kind: box, size: [0.1, 0.1, 0.1]}, friction: 0.2, soft: {elements:"
             " tets, resolution: 8, fixed: [{nodes: ymin}]}}]\n",
             cells);
    assert_int_equal(
        palScene_Parse(text, strlen(text), "test", NULL, 0, &p->scene, &p->messages, &error),
        pal_ok);
    assert_int_equal(palSceneBodies_Init(&p->world, &p->scene, &p->messages, &error), pal_ok);
    palRigidDef rigid = palDefaultRigidDef();
    rigid.mass = p->world.tools[0].mass;
    rigid.tangent = pal_tangentSafe;
    assert_int_equal(palRigidModel_Init(&p->tool.model, &rigid, &error), pal_ok);
    p->tool.surface = p->world.tools[0].surface;
    return p;
}

static void freePlate(plate* p)
{
    palSceneBodies_Free(&p->world);
    palScene_Free(&p->scene);
    palMessages_Free(&p->messages);
    free(p);
}

// Down and a little aside, then still.
static palHandle handAt(int step)
{
    double down = fmin(1.0, step / 20.0);
    return (palHandle){
        .x = {1e-3 * down, 0.0555 - 0.006 * down, 5e-4 * down},
        .q = pal_identityQuat,
    };
}

// Force and torque on the hand at rest, from the low rate alone; `contacts` that push.
static palWrench restOfWorld(plate* p, int steps, int* contacts)
{
    palWorldStep world;
    palWorldStepInfo info;
    palWorldStepDef def = {
        .colliders = p->world.colliders,
        .colliderCount = p->world.count,
        .tools = {&p->tool},
        .toolCount = 1,
        .lookAhead = 2.0 * lowDt,
        .radius = 0.02,
    };
    assert_int_equal(palWorldStep_Init(&world, &def, NULL), pal_ok);
    palHandle handle = world.tools[0]->handle = handAt(0);
    palWorldStep_Place(&world);
    for (int k = 1; k < steps; k++)
    {
        handle = world.tools[0]->handle = handAt(k);
        palWorldStep_Advance(&world, lowDt, &info);
    }
    *contacts = 0;
    for (int i = 0; i < world.linkCount; i++)
        *contacts += world.links[i].lambda[0] > 0.0;
    palWrench wrench = palRigid_HandWrench(&p->tool.model, &world.tools[0]->state, &handle);
    palWorldStep_Free(&world);
    return wrench;
}

// The same from the ticks of the method; the largest change from tick to tick at the end, N.
static palWrench restOfTicks(plate* p, int steps, int* rows, double* change)
{
    const palMethodOps* ops = palFindMethodForm("linear", pal_handTool);
    palHands hands;
    palSnapshot snapshot;
    palMethodDef def = {
        .body = {.mass = 1e-3, .stiffness = 1000.0, .damping = 0.8, .dt = 1e-3},
        .lowDt = lowDt,
        .latency = lowDt,
        .radius = 0.02,
        .colliders = p->world.colliders,
        .colliderCount = p->world.count,
        .tool = &p->tool,
    };
    assert_int_equal(palHands_Init(&hands, &ops, &def, 1, NULL), pal_ok);
    assert_int_equal(palHands_MakeSnapshot(&hands, 0, &snapshot, NULL), pal_ok);
    palMethod* method = hands.methods[0];
    palShared* shared = hands.shared;
    palWrench last = {pal_zeroVec3, pal_zeroVec3};
    palPointState body;
    *change = 0.0;
    for (int k = 0; k < steps; k++)
    {
        palHandle handle = handAt(k);
        palRigidState haptic = {.q = pal_identityQuat};
        palHapticState haptics = {
            .time = k * lowDt,
            .hands[0] = {.device = handle.x,
                         .deviceTurn = handle.q,
                         .coupling = palRigidModel_Coupling(&p->tool.model),
                         .tool = haptic},
        };
        palDeviceState device = {.position = handle.x, .orientation = handle.q};
        palLowStep low = {.state = &haptics, .snapshot = &snapshot};
        if (k == 0)
        {
            ops->place(method, &device);
            shared->ops->place(shared);
            body = ops->point(method);
        }
        shared->ops->advance(shared, &low);
        shared->ops->describe(shared, &low);
        ops->describe(method, &low);
        snapshot.sequence++;
        for (int t = 0; t < 33; t++)
        {
            palContactReport report = {0};
            palTick tick = {
                .device = device,
                .snapshots = {&snapshot},
                .view = &snapshot.hands[0],
                .body = &body,
                .info.contacts = &report,
            };
            ops->moveFreely(method, &tick);
            ops->findGaps(method, &tick);
            ops->solve(method, &tick);
            ops->correct(method, &tick);
            const palHighInfo* info = &tick.info;
            *change = k > steps - 3 ? fmax(*change, palDistance(info->force, last.force)) : 0.0;
            last = (palWrench){info->force, info->torque};
            *rows = info->constraints;
        }
    }
    palSnapshot_Free(&snapshot);
    palHands_Free(&hands);
    return last;
}

static void the_force_at_rest_is_that_of_the_low_rate(void** state)
{
    (void)state;
    const int cells[] = {4, 16};
    const int steps = 90;
    for (int i = 0; i < 2; i++)
    {
        plate* p = makePlate(cells[i]);
        int contacts, rows;
        double change;
        palWrench low = restOfWorld(p, steps, &contacts);
        palSoftBody* body = p->world.colliders[0].soft;
        memcpy(body->x, body->rest, (size_t)body->nodeCount * sizeof *body->x);
        memset(body->v, 0, (size_t)body->nodeCount * sizeof *body->v);
        palCollider_Follow(&p->world.colliders[0]);
        palWrench tick = restOfTicks(p, steps, &rows, &change);
        double off = palDistance(low.force, tick.force);
        print_message("%d contacts push, %d rows in the tick: %.4f N at rest, tick off by %.1e N, "
                      "%.1e N·m, changes by %.1e N\n",
                      contacts, rows, palLength(low.force), off,
                      palDistance(low.torque, tick.torque), change);
        ASSERT_BELOW(1.0, palLength(low.force));
        ASSERT_BELOW(off, 2e-3 * palLength(low.force));
        ASSERT_BELOW(palDistance(low.torque, tick.torque), 1e-4);
        ASSERT_BELOW(change, 1e-3 * palLength(low.force));
        assert_true(i == 0 || contacts > pal_tickContactsMax);
        assert_true(rows <= pal_tickRowsMax);
        freePlate(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_force_at_rest_is_that_of_the_low_rate),
    };
    return RUN(tests);
}
