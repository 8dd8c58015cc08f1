// SPDX-License-Identifier: Apache-2.0
// Into how many parts a step is divided.
//
// The rows of contacts hold points on straight lines, while those of a body that turns by an angle
// φ leave them by up to φ² r / 2. A body with the speed v that is caught at its edge turns by
// h v / r, so that it may be (h v)² / 2 r from where its rows put it. In n parts of a step that is
// n² times less each time, n times less in all. It must be less than a part of what could be
// passed.
#include "world/pile.h"

static const int substepsMax = 16;
// Of the thinner of two parts: how far they may get into each other by turning.
static const double errorShare = 0.1;

// How far points of a body may be from the straight way of its rows.
static double errorOf(const palPile* pile, const palPileBody* body)
{
    bool isBall =
        body->itemCount == 1 && pile->items[body->firstItem].shape->kind == pal_rigidSphere;
    if (body->motion == pal_motionFixed || body->isAsleep || isBall || !(body->extent > 0.0))
        return 0.0;
    double way = pile->h * palPileBody_Speed(body);
    return fmin(0.5 * way / body->extent, 1.0) * way;
}

int palPile_Substeps(const palPile* pile)
{
    double most = 1.0;
    for (int i = 0; i < pile->awakeCount; i++)
    {
        const palPileBody* body = &pile->bodies[pile->awake[i]];
        double error = errorOf(pile, body);
        for (int k = body->firstItem; k < body->firstItem + body->itemCount && error > 0.0; k++)
            for (int p = pile->items[k].firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], k))
            {
                const int* items = pile->pairs[p].items;
                double width = fmin(pile->items[items[0]].width, pile->items[items[1]].width);
                most = fmax(most, error / (errorShare * width));
            }
    }
    return (int)fmin(ceil(most), substepsMax);
}
