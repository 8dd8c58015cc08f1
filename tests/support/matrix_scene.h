// SPDX-License-Identifier: Apache-2.0
// The cells of the table of methods: what the hand holds times what the scene contains, each as a
// scene in which the hand presses and rests.
#ifndef PAL_TESTS_MATRIX_SCENE_H
#define PAL_TESTS_MATRIX_SCENE_H

#include "check.h"

#include "render/method.h"

// A scene for a method, a hand and the parts besides: a block 40 mm wide with its top at y = 0.
static inline void writeMatrixScene(FILE* file, const char* method, palHandKind hand,
                                    unsigned parts)
{
    bool isSoft = parts & PAL_ACCEPTS(pal_partSoft);
    fprintf(file, "palpate: 1\ntime: {seconds: 1, dt: 0.001, low_dt: 0.02%s}\n",
            parts & PAL_ACCEPTS(pal_partLoop) ? ", loops: [{dt: 0.005}]" : "");
    fprintf(file, "method: {name: %s, radius: 0.01}\n", method);
    double height = hand == pal_handTool ? 0.007 : 0.002; // m, of the hand's point when it touches
    fprintf(file,
            "trajectory: {kind: path, points: [{t: 0, at: [0.001, %g, 0.002]}, {t: 0.1, at: [0.001,"
            " %g, 0.002]}, {t: 0.3, at: [0.001, %g, 0.002]}]}\n",
            height + 0.003, height + 0.003, height - 0.005);
    fprintf(file, "objects:\n  - {name: block, shape: {kind: box, size: [0.04, 0.03, 0.04]},"
                  " position: [0, -0.015, 0], friction: 0.2");
    if (parts & PAL_ACCEPTS(pal_partPoints))
        fprintf(file, ", representation: points");
    if (isSoft)
        fprintf(file, ", soft: {young: 20000, elements: tets, resolution: 3, fixed:"
                      " [{nodes: ymin}]}");
    fprintf(file, "}\n");
    if (isSoft && parts & PAL_ACCEPTS(pal_partStatic))
        fprintf(file, "  - {name: wall, shape: {kind: box, size: [0.02, 0.03, 0.04]}, position:"
                      " [0.031, -0.015, 0]}\n");
    bool isSlider = parts & PAL_ACCEPTS(pal_partSlider);
    bool isAnother = parts & (PAL_ACCEPTS(pal_partWire) | PAL_ACCEPTS(pal_partJoint));
    bool isTethered = parts & PAL_ACCEPTS(pal_partToolJoint);
    // Without wires, joints are those of rigid objects that move.
    const unsigned rigid = parts & PAL_RIGID_PARTS;
    bool hasWires =
        palMethodOps_Accepts(palFindMethodForm(method, hand), rigid | PAL_ACCEPTS(pal_partWire));
    // A tool that is joined to the brick must come down to the block before the brick does.
    const double brickHeight = !hasWires && isTethered ? 0.010 : 0.006; // m
    if (parts & PAL_ACCEPTS(pal_partFree) || (!hasWires && (isAnother || isTethered || isSlider)))
        fprintf(file,
                "  - {name: brick, shape: {kind: box, size: [0.008, 0.008, 0.008]}, position:"
                " [-0.012, %g, %g], motion: free, friction: 0.2, mass: 0.01}\n",
                brickHeight, hasWires ? 0.014 : 0.002);
    if (hand == pal_handTool)
        fprintf(file, "tool: {shape: {kind: sphere, radius: 0.005, resolution: 8}}\n");
    if (!hasWires && (isAnother || isTethered || isSlider))
        fprintf(file, "joints:\n");
    if (!hasWires && isAnother)
        fprintf(file,
                "  - {kind: hinge, body: brick, to: world, point: [-0.016, %g, 0.002],"
                " axis: [0, 0, 1]}\n",
                brickHeight);
    if (!hasWires && isSlider && !isAnother)
        fprintf(file,
                "  - {kind: slider, body: brick, to: world, point: [-0.016, %g, 0.002],"
                " axis: [1, 0, 0], low: -0.001, high: 0.002, friction: 0.01}\n",
                brickHeight);
    if (!hasWires && isTethered)
        fprintf(file, "  - {kind: ball, body: tool, to: brick, point: [-0.008, 0.01, 0.002]}\n");
    if (!hasWires)
        return;
    if (hand == pal_handWire || isAnother || isTethered)
        fprintf(file, "wires:\n");
    if (hand == pal_handWire)
        fprintf(file, "  - {name: held, start: [-0.03, 0.004, 0.002], end: [0.005, 0.004, 0.002],"
                      " elements: 4, hand: start, section: {shape: circle, radius: 0.0005},"
                      " young: 1.0e+9}\n");
    if (isAnother)
        fprintf(file, "  - {name: other, start: [0.01, 0.012, 0], end: [0.01, 0.012, 0.04],"
                      " elements: 3, clamped: start, section: {shape: circle, radius: 0.0005},"
                      " young: 1.0e+9}\n");
    if (isTethered)
        fprintf(file, "  - {name: tether, start: [0.001, 0.01, 0.002], end: [0.041, 0.01, 0.002],"
                      " elements: 4, clamped: end, section: {shape: circle, radius: 0.0003},"
                      " young: 1.0e+7}\n");
    if (isTethered || parts & PAL_ACCEPTS(pal_partJoint))
        fprintf(file, "joints:\n");
    if (parts & PAL_ACCEPTS(pal_partJoint))
        fprintf(file, "  - {kind: ball, wire: other, at: 1, to: world}\n");
    if (parts & PAL_ACCEPTS(pal_partJoint) && parts & PAL_ACCEPTS(pal_partFree))
        fprintf(file, "  - {kind: hinge, body: brick, to: world, point: [-0.016, 0.006, 0.014],"
                      " axis: [0, 0, 1]}\n");
    if (isSoft && parts & PAL_ACCEPTS(pal_partJoint))
        fprintf(file, "  - {kind: weld, body: block, to: world, point: [-0.02, -0.015, 0], radius: "
                      "0.01}\n  - {kind: hinge, body: block, to: world, point: [0, -0.015, 0.02], "
                      "axis: [1, 0, 0]}\n");
    if (isTethered)
        fprintf(file, "  - {kind: ball, body: tool, to: tether, point: [0.001, 0.01, 0.002]}\n");
}

/// The same as text, to be freed.
static inline char* makeMatrixScene(const char* method, palHandKind hand, unsigned parts)
{
    char* text = NULL;
    size_t size;
    FILE* file = open_memstream(&text, &size);
    assert_non_null(file);
    writeMatrixScene(file, method, hand, parts);
    fclose(file);
    return text;
}

/// Each kind of object alone, with each other part, and everything at once that goes together.
static inline void forEachCell(void (*visit)(const char* method, palHandKind hand, unsigned parts))
{
    for (int i = 0; palMethodAt(i) != NULL; i++)
        for (int hand = 0; hand < pal_handKindCount; hand++)
        {
            const palMethodOps* form = palMethodAt(i)->forms[hand];
            if (form == NULL)
                continue;
            for (int object = pal_partStatic; object <= pal_partSoft; object++)
                for (int part = pal_partStatic; part < pal_partKindCount; part++)
                {
                    unsigned parts = PAL_ACCEPTS(object) | PAL_ACCEPTS(part);
                    if (part != pal_partSheet && palMethodOps_Accepts(form, parts))
                        visit(palMethodAt(i)->name, hand, parts);
                }
            unsigned all = form->accepts & ~PAL_ACCEPTS(pal_partPoints);
            if (form->notWithFree != 0)
                visit(palMethodAt(i)->name, hand, all & ~PAL_RIGID_PARTS);
            visit(palMethodAt(i)->name, hand, all & ~form->notWithFree);
        }
}

#endif
