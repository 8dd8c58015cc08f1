// SPDX-License-Identifier: Apache-2.0
// Drawings of what a method moves: wires, tools, and the stress of soft bodies.
#include "soft_fixture.h"

#include "runtime/drawing.h"

enum
{
    wireNodes = 5,
};

// A hand that holds a tool and shares a wire, and does nothing else.
typedef struct Mover
{
    palShared shared;
    palMethod methods[2];
    palHands hands;
    palSurface surface;
    palVec3 positions[wireNodes];
    palQuat rotations[wireNodes];
} Mover;

static bool moverWire(const palShared* shared, const palHapticState* hand, int index,
                      palWireView* wire)
{
    const Mover* mover = (const Mover*)shared;
    (void)hand;
    *wire = (palWireView){wireNodes, 0.5e-3, mover->positions, mover->rotations};
    return index < 1;
}

// A tool where the proxy is.
static bool moverTool(const palMethod* method, const palHapticHand* hand, palToolView* tool)
{
    const Mover* mover = (const Mover*)method->shared;
    *tool = (palToolView){.surface = &mover->surface, .orientation = pal_identityQuat};
    if (hand != NULL)
        tool->position = hand->body.x;
    return true;
}

static const palSharedOps moverShared = {.wire = moverWire};
static const palMethodOps moverOps = {.name = "mover", .tool = moverTool};

static void wires_and_tools_are_drawn_where_the_method_has_them(void** state)
{
    (void)state;
    Mover mover = {.shared.ops = &moverShared};
    for (int i = 0; i < 2; i++)
    {
        mover.methods[i] = (palMethod){.ops = &moverOps, .shared = &mover.shared};
        mover.hands.methods[i] = &mover.methods[i];
    }
    mover.hands.count = 2;
    mover.hands.shared = &mover.shared;
    palDrawing drawing, copy;
    assert_int_equal(palDrawing_Init(&drawing, &mover.hands, NULL), pal_ok);
    assert_int_equal(palDrawing_Init(&copy, &mover.hands, NULL), pal_ok);
    assert_int_equal(drawing.wireCount, 1);
    assert_int_equal(drawing.wires[0].nodeCount, wireNodes);
    ASSERT_NEAR(drawing.wires[0].radius, 0.5e-3, 0.0);
    assert_int_equal(drawing.toolCount, 2);
    assert_ptr_equal(drawing.tools[1].surface, &mover.surface);

    for (int i = 0; i < wireNodes; i++)
    {
        mover.positions[i] = palMakeVec3(0.01 * i, 0.02, 0.03);
        mover.rotations[i] = palMakeQuatRotationVector(palMakeVec3(0.1 * i, 0, 0));
    }
    const palHapticState hand = {.hands = {{.body.x = {1, 2, 3}}, {.body.x = {1, 3, 3}}}};
    const palSnapshot snapshot = {.sequence = 7, .time = 0.25};
    palDrawing_Fill(&drawing, &mover.hands, &snapshot, &hand);
    palDrawing_Copy(&copy, &drawing);
    mover.positions[2] = palMakeVec3(9, 9, 9); // what was drawn stays
    ASSERT_NEAR(copy.time, 0.25, 0.0);
    ASSERT_NEAR(copy.wires[0].positions[2].x, 0.02, 0.0);
    ASSERT_NEAR(palRotationVector(copy.wires[0].rotations[3]).x, 0.3, 1e-12);
    ASSERT_NEAR(copy.tools[0].position.y, 2.0, 0.0);
    ASSERT_NEAR(copy.tools[1].position.y, 3.0, 0.0);
    palDrawing_Free(&drawing);
    assert_int_equal(copy.wires[0].nodeCount, wireNodes);
    palDrawing_Free(&copy);
}

// A soft block whose surface is its nodes, compressed by the strain along z.
typedef struct Block
{
    softFixture f;
    palCollider collider;
    int* nodes;
    double* weights;
    palMethod method;
    palShared shared;
    palHands hands;
} Block;

static void makeBlock(Block* block, int cells, double strain)
{
    static const palMethodOps still = {.name = "still"};
    static const palSharedOps stillShared = {0};
    *block = (Block){0};
    palVolumeShapeDef shape = softBlock(pal_cutFive, (palVec3){0.1, 0.1, 0.1}, cells, cells, cells);
    softMake(&block->f, &shape, palDefaultSoftDef(), NULL);
    palSoftBody* body = block->f.body;
    block->nodes = malloc((size_t)body->nodeCount * sizeof *block->nodes);
    block->weights = malloc((size_t)body->nodeCount * sizeof *block->weights);
    for (int i = 0; i < body->nodeCount; i++)
    {
        block->nodes[i] = i;
        block->weights[i] = 1.0;
        palVec3 r = body->rest[i];
        body->x[i] =
            palMakeVec3((1 + 0.4 * strain) * r.x, (1 + 0.4 * strain) * r.y, (1 - strain) * r.z);
    }
    block->collider = (palCollider){
        .surface = {.vertexCount = body->nodeCount, .vertices = body->rest},
        .soft = body,
        .skin = {body->nodeCount, 1, block->nodes, block->weights},
    };
    block->method = (palMethod){.ops = &still};
    block->shared = (palShared){.ops = &stillShared};
    block->hands = (palHands){
        .count = 1,
        .defs = {{.colliders = &block->collider, .colliderCount = 1}},
        .methods = {&block->method},
        .shared = &block->shared,
    };
}

static void freeBlock(Block* block)
{
    free(block->nodes);
    free(block->weights);
    softFree(&block->f);
}

// The default material has E = 10 kPa and ν = 0.4: a strain of 5 % is 500 Pa everywhere.
static void the_stress_is_drawn_when_it_is_wanted(void** state)
{
    (void)state;
    Block block;
    palDrawing drawing;
    palDrawingWork work;
    makeBlock(&block, 4, 0.05);
    assert_int_equal(palDrawing_Init(&drawing, &block.hands, NULL), pal_ok);
    assert_int_equal(palDrawingWork_Init(&work, &block.hands, NULL), pal_ok);
    palDrawing_FillStress(&drawing, &work, &block.hands, false);
    assert_false(drawing.surfaces[0].hasStress);
    palDrawing_FillStress(&drawing, &work, &block.hands, true);
    assert_true(drawing.surfaces[0].hasStress);
    for (int i = 0; i < drawing.surfaces[0].vertexCount; i++)
        ASSERT_NEAR(drawing.surfaces[0].stress[i], 500.0, 1e-3);
    palDrawing_FillStress(&drawing, &work, &block.hands, false);
    assert_false(drawing.surfaces[0].hasStress);
    palDrawingWork_Free(&work);
    palDrawing_Free(&drawing);
    freeBlock(&block);
}

// 10,985 tetrahedra: each step visits a part of them, and the stress is there after the last.
static void the_stress_of_a_large_body_takes_several_steps(void** state)
{
    (void)state;
    Block block;
    palDrawing drawing;
    palDrawingWork work;
    makeBlock(&block, 13, 0.05);
    assert_int_equal(palDrawing_Init(&drawing, &block.hands, NULL), pal_ok);
    assert_int_equal(palDrawingWork_Init(&work, &block.hands, NULL), pal_ok);
    int steps = 0;
    for (int before = 0; !drawing.surfaces[0].hasStress; before = work.stresses[0].next, steps++)
    {
        palDrawing_FillStress(&drawing, &work, &block.hands, true);
        assert_true(work.stresses[0].next - before <= 4096);
    }
    assert_int_equal(steps, 3);
    ASSERT_NEAR(drawing.surfaces[0].stress[100], 500.0, 1e-3);
    palDrawingWork_Free(&work);
    palDrawing_Free(&drawing);
    freeBlock(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wires_and_tools_are_drawn_where_the_method_has_them),
        cmocka_unit_test(the_stress_is_drawn_when_it_is_wanted),
        cmocka_unit_test(the_stress_of_a_large_body_takes_several_steps),
    };
    return RUN(tests);
}
