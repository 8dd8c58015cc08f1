// SPDX-License-Identifier: Apache-2.0
#include "body/stress.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palResult palStress_Init(palStress* stress, const palSoftBody* body, palError* error)
{
    size_t count = (size_t)body->nodeCount;
    *stress = (palStress){.body = body};
    stress->nodes = calloc(count + 1, sizeof *stress->nodes);
    stress->sums = calloc(count + 1, sizeof *stress->sums);
    if (stress->nodes != NULL && stress->sums != NULL)
        return pal_ok;
    palStress_Free(stress);
    return palError_Memory(error, "the stress of a soft body", 2 * count * sizeof *stress->nodes);
}

void palStress_Free(palStress* stress)
{
    free(stress->nodes);
    free(stress->sums);
    *stress = (palStress){0};
}

void palStress_Restart(palStress* stress)
{
    memset(stress->sums, 0, (size_t)stress->body->nodeCount * sizeof *stress->sums);
    stress->next = 0;
    stress->isWhole = false;
}

// √(3/2 s:s) of σ = λ tr(ε) I + 2 μ ε: the deviator of σ is 2 μ times that of ε. Times s of
// stiffening.h, 2 W/V = λ tr(ε)² + 2 μ ε:ε.
static double vonMises(palMat3 F, palLame lame, double b)
{
    palMat3 RtF = palMat3Mul(palMat3Transpose(palMat3Rotation(F)), F);
    double mean = (RtF.m[0][0] + RtF.m[1][1] + RtF.m[2][2]) / 3.0;
    double square = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            double s = 0.5 * (RtF.m[i][j] + RtF.m[j][i]) - (i == j) * mean;
            square += s * s;
        }
    double trace = 3.0 * (mean - 1.0), all = square + trace * trace / 3.0;
    double q = (lame.lambda * trace * trace + 2.0 * lame.mu * all) / palLame_Young(lame);
    return palStiffen(b, q).s * 2.0 * lame.mu * sqrt(1.5 * square);
}

// F = Σ xa gaᵀ, relative to one corner for digits: the gradients sum to zero.
static palMat3 gradientOf(const palSoftBody* body, const int* nodes, const palVec3* g, int count)
{
    palMat3 F = {0};
    for (int a = 1; a < count; a++)
        F = palMat3MulAdd(F, 1.0, palOuter(palSub(body->x[nodes[a]], body->x[nodes[0]]), g[a]));
    return F;
}

static double tetStress(const palSoftBody* body, int t)
{
    const palTetElement* model = &body->tetModels[t];
    return vonMises(gradientOf(body, body->tets[t], model->g, 4), model->lame, body->stiffening);
}

static double hexStress(const palSoftBody* body, int h)
{
    const palHexShape* shape = &body->hexModels[body->hexShapes[h]];
    const palMaterial material = {.young = body->hexYoung[h], .poisson = body->poisson};
    return vonMises(gradientOf(body, body->hexes[h], shape->g, 8), palMaterial_Lame(&material),
                    body->stiffening);
}

double palSoftBody_ElementStress(const palSoftBody* body, int element)
{
    return element < body->tetCount ? tetStress(body, element)
                                    : hexStress(body, element - body->tetCount);
}

static void visit(palStress* stress, int element)
{
    const palSoftBody* body = stress->body;
    bool isTet = element < body->tetCount;
    int h = element - body->tetCount;
    int count = isTet ? 4 : 8;
    const int* nodes = isTet ? body->tets[element] : body->hexes[h];
    double volume =
        isTet ? body->tetModels[element].volume : body->hexModels[body->hexShapes[h]].volume;
    double share = volume / count * palSoftBody_ElementStress(body, element);
    for (int a = 0; a < count; a++)
        stress->sums[nodes[a]] += share;
}

static void endTurn(palStress* stress)
{
    const palSoftBody* body = stress->body;
    for (int i = 0; i < body->nodeCount; i++)
    {
        stress->nodes[i] =
            body->mass[i] > 0.0 ? body->density * stress->sums[i] / body->mass[i] : 0.0;
        stress->sums[i] = 0.0;
    }
    stress->next = 0;
    stress->isWhole = true;
}

int palStress_Advance(palStress* stress, int most)
{
    int elements = stress->body->tetCount + stress->body->hexCount;
    int end = most < elements - stress->next ? stress->next + most : elements;
    int count = end - stress->next;
    for (; stress->next < end; stress->next++)
        visit(stress, stress->next);
    if (stress->next == elements)
        endTurn(stress);
    return count;
}
