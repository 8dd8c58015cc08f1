// SPDX-License-Identifier: Apache-2.0
#include "body/beam.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palBeamDef palDefaultBeamDef(void)
{
    return (palBeamDef){
        .sectionCount = 1,
        .material = {.young = 200e9, .poisson = 0.3, .density = 7850.0}, // steel
        .coupling = {.node = -1},
        .stiffnessDamping = 1e-4,
        .implicitness = 1.0,
    };
}

static palResult bad(palError* error, const char* what, double value, const char* remedy)
{
    palError_Set(error, pal_errorInput, "a beam: %s is %g", what, value);
    return palError_Remedy(error, "%s", remedy);
}

static palResult checkSections(const palBeamDef* def, palError* error)
{
    if (def->sectionCount != 1 && def->sectionCount != def->nodeCount - 1)
        return bad(error, "the number of sections", def->sectionCount,
                   "give one, or one for each element");
    for (int i = 0; i < def->sectionCount; i++)
    {
        const palBeamSection* s = &def->sections[i];
        const double values[] = {s->area,    s->inertiaY, s->inertiaZ,
                                 s->torsion, s->shearY,   s->shearZ};
        for (int k = 0; k < 6; k++)
            if (!(values[k] > 0.0) || !isfinite(values[k]))
                return bad(error, "a property of the section", values[k],
                           "give the section sizes above 0, and a tube an inner radius below the "
                           "outer one");
    }
    return pal_ok;
}

static palResult check(const palBeamDef* def, palError* error)
{
    const palMaterial* material = &def->material;
    if (def->nodeCount < 2 || def->points == NULL || def->sections == NULL)
        return bad(error, "the number of nodes", def->nodeCount,
                   "give two or more points and a section");
    if (!(material->young > 0.0) || !isfinite(material->young))
        return bad(error, "Young's modulus", material->young, "give it in Pa, above 0");
    if (!(material->poisson > -1.0) || !(material->poisson <= 0.5))
        return bad(error, "Poisson's ratio", material->poisson, "it is above -1 and at most 0.5");
    if (!(material->density > 0.0) || !isfinite(material->density))
        return bad(error, "the density", material->density, "give it in kg/m³, above 0");
    if (!(def->massDamping >= 0.0) || !isfinite(def->massDamping))
        return bad(error, "the mass damping", def->massDamping, "give it in 1/s, 0 or more");
    if (!(def->stiffnessDamping >= 0.0) || !isfinite(def->stiffnessDamping))
        return bad(error, "the stiffness damping", def->stiffnessDamping,
                   "give it in s, 0 or more");
    if (!(def->implicitness >= 0.5) || !(def->implicitness <= 1.0))
        return bad(error, "the implicitness", def->implicitness,
                   "1 is backward Euler, 0.5 the implicit midpoint rule");
    if (def->coupling.node >= def->nodeCount)
        return bad(error, "the node of the coupling", def->coupling.node, "nodes count from 0");
    for (int i = 0; i < def->nodeCount; i++)
        if (!palIsFinite(def->points[i]) ||
            (i > 0 && !(palDistance(def->points[i], def->points[i - 1]) > 0.0)))
            return bad(
                error,
                "the index of a point that is not finite, or that repeats the one before it,", i,
                "give points that follow each other along the beam");
    return checkSections(def, error);
}

static palVec3 chordOf(const palVec3* points, int element)
{
    return palNormalize(palSub(points[element + 1], points[element]));
}

// The smallest rotation that takes the unit vector a to the unit vector b.
static palQuat shortestRotation(palVec3 a, palVec3 b)
{
    palVec3 axis = palCross(a, b);
    return palNormalizeQuat((palQuat){1.0 + palDot(a, b), axis.x, axis.y, axis.z});
}

// Frames of the nodes at rest: x along the mean of the chords that meet there, rotated from node to
// node by the smallest rotation, so that they have no twist.
static void makeRotations(palBeamModel* model)
{
    int last = model->nodeCount - 1;
    palVec3 tangent = chordOf(model->restX, 0);
    palQuat q = shortestRotation(palMakeVec3(1, 0, 0), tangent);
    // The smallest rotation from x to -x is not unique: take that about z.
    if (tangent.x < -1.0 + 1e-12)
        q = (palQuat){0.0, 0.0, 0.0, 1.0};
    model->restQ[0] = q;
    for (int i = 1; i <= last; i++)
    {
        palVec3 next = chordOf(model->restX, i - 1);
        if (i < last)
            next = palNormalize(palAdd(next, chordOf(model->restX, i)));
        q = palNormalizeQuat(palMulQuat(shortestRotation(tangent, next), q));
        model->restQ[i] = q;
        tangent = next;
    }
}

static palVec3 yAxis(palQuat q)
{
    return palRotate(q, palMakeVec3(0, 1, 0));
}

static palQuat quatOf(palMat3 R)
{
    // The largest of the four components is computed first, the others as quotients by it.
    double t[4] = {R.m[0][0] + R.m[1][1] + R.m[2][2], R.m[0][0], R.m[1][1], R.m[2][2]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (t[i] > t[k])
            k = i;
    double wx = R.m[2][1] - R.m[1][2], wy = R.m[0][2] - R.m[2][0], wz = R.m[1][0] - R.m[0][1];
    double xy = R.m[1][0] + R.m[0][1], xz = R.m[0][2] + R.m[2][0], yz = R.m[2][1] + R.m[1][2];
    double largest = 1.0 + 2.0 * t[k] - t[0];
    if (k == 0)
        return palNormalizeQuat((palQuat){1.0 + t[0], wx, wy, wz});
    if (k == 1)
        return palNormalizeQuat((palQuat){wx, largest, xy, xz});
    if (k == 2)
        return palNormalizeQuat((palQuat){wy, xy, largest, yz});
    return palNormalizeQuat((palQuat){wz, xz, yz, largest});
}

static palResult makeElements(palBeamModel* model, const palBeamDef* def, palError* error)
{
    for (int e = 0; e < model->elementCount; e++)
    {
        const palVec3* x = model->restX + e;
        const palQuat* q = model->restQ + e;
        const palBeamSection* section = &def->sections[def->sectionCount == 1 ? 0 : e];
        palBeamElement* element = &model->elements[e];
        *element = palMakeBeamElement(palDistance(x[0], x[1]), section, &def->material);
        palQuat frame = quatOf(palBeamElement_Frame(x[0], x[1], yAxis(q[0]), yAxis(q[1])));
        for (int k = 0; k < 2; k++)
        {
            element->restRotation[k] = palMulQuat(palConjugate(q[k]), frame);
            // 45° between a node and its element: 90° between neighbouring elements.
            if (!(fabs(element->restRotation[k].w) > cos(0.125 * PAL_PI)))
                return bad(error, "the node where it bends by a right angle or more", e + k,
                           "give the curve more points");
            model->mass[e + k] += 0.5 * element->mass;
            model->inertia[e + k] =
                palAdd(model->inertia[e + k],
                       palScale(0.5, palMakeVec3(element->rotary[0], element->rotary[1],
                                                 element->rotary[2])));
        }
        if (model->consistent != NULL)
            palBeamElement_Mass(element, model->consistent[e]);
    }
    return pal_ok;
}

static bool allocate(palBeamModel* model, palBeamMass mass)
{
    size_t nodes = (size_t)model->nodeCount;
    size_t elements = (size_t)model->elementCount;
    model->elements = calloc(elements, sizeof *model->elements);
    model->restX = calloc(nodes, sizeof *model->restX);
    model->restQ = calloc(nodes, sizeof *model->restQ);
    model->inertia = calloc(nodes, sizeof *model->inertia);
    model->mass = calloc(nodes, sizeof *model->mass);
    model->held = calloc(nodes, sizeof *model->held);
    if (mass == pal_beamMassConsistent)
        model->consistent = calloc(elements, sizeof *model->consistent);
    return model->elements && model->restX && model->restQ && model->inertia && model->mass &&
           model->held && (model->consistent || mass != pal_beamMassConsistent);
}

static palResult make(palBeamModel* model, const palBeamDef* def, palError* error)
{
    if (!allocate(model, def->mass))
        return palError_Memory(error, "a beam", (size_t)model->nodeCount * sizeof(palBeamElement));
    size_t nodes = (size_t)model->nodeCount;
    memcpy(model->restX, def->points, nodes * sizeof *model->restX);
    if (def->held != NULL)
        memcpy(model->held, def->held, nodes * sizeof *model->held);
    if (def->rotations == NULL)
        makeRotations(model);
    else
        for (int i = 0; i < model->nodeCount; i++)
            model->restQ[i] = palNormalizeQuat(def->rotations[i]);
    return makeElements(model, def, error);
}

palResult palBeamModel_Create(const palBeamDef* def, palBeamModel** model, palError* error)
{
    *model = NULL;
    palResult result = check(def, error);
    if (result != pal_ok)
        return result;
    palBeamModel* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "a beam", sizeof *created);
    created->nodeCount = def->nodeCount;
    created->elementCount = def->nodeCount - 1;
    created->coupling = def->coupling;
    created->alpha = def->massDamping;
    created->beta = def->stiffnessDamping;
    created->theta = def->implicitness;
    created->gravity = def->gravity;
    result = make(created, def, error);
    if (result != pal_ok)
    {
        palBeamModel_Destroy(created);
        return result;
    }
    *model = created;
    return pal_ok;
}

void palBeamModel_Destroy(palBeamModel* model)
{
    if (model == NULL)
        return;
    free(model->elements);
    free(model->restX);
    free(model->restQ);
    free(model->inertia);
    free(model->mass);
    free(model->consistent);
    free(model->held);
    free(model);
}

palResult palBeamState_Init(palBeamState* state, const palBeamModel* model, palError* error)
{
    size_t nodes = (size_t)model->nodeCount;
    *state = (palBeamState){
        .nodeCount = model->nodeCount,
        .x = calloc(nodes, sizeof *state->x),
        .q = calloc(nodes, sizeof *state->q),
        .v = calloc(nodes, sizeof *state->v),
        .w = calloc(nodes, sizeof *state->w),
        .tension = calloc(nodes, sizeof *state->tension),
    };
    if (!state->x || !state->q || !state->v || !state->w || !state->tension)
    {
        palBeamState_Free(state);
        return palError_Memory(error, "the state of a beam", nodes * 14 * sizeof(double));
    }
    memcpy(state->x, model->restX, nodes * sizeof *state->x);
    memcpy(state->q, model->restQ, nodes * sizeof *state->q);
    return pal_ok;
}

void palBeamState_Free(palBeamState* state)
{
    free(state->x);
    free(state->q);
    free(state->v);
    free(state->w);
    free(state->tension);
    *state = (palBeamState){0};
}

void palBeamState_Copy(palBeamState* to, const palBeamState* from)
{
    size_t nodes = (size_t)from->nodeCount;
    memcpy(to->x, from->x, nodes * sizeof *to->x);
    memcpy(to->q, from->q, nodes * sizeof *to->q);
    memcpy(to->v, from->v, nodes * sizeof *to->v);
    memcpy(to->w, from->w, nodes * sizeof *to->w);
    memcpy(to->tension, from->tension, nodes * sizeof *to->tension);
}

void palBeamState_Archive(palBeamState* state, palArchive* archive)
{
    PAL_ARCHIVE_ARRAY(archive, state->x, state->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, state->q, state->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, state->v, state->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, state->w, state->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, state->tension, state->nodeCount - 1);
}

static palVec3 nodeInertiaTimes(const palBeamModel* model, int node, palQuat q, palVec3 w)
{
    palVec3 I = model->inertia[node];
    palVec3 local = palInvRotate(q, w);
    return palRotate(q, palMakeVec3(I.x * local.x, I.y * local.y, I.z * local.z));
}

double palBeam_Energy(const palBeamModel* model, const palBeamState* state)
{
    double energy = 0.0;
    for (int i = 0; i < model->nodeCount; i++)
    {
        palVec3 spin = nodeInertiaTimes(model, i, state->q[i], state->w[i]);
        energy += 0.5 * model->mass[i] * palLengthSquared(state->v[i]) +
                  0.5 * palDot(state->w[i], spin) -
                  model->mass[i] * palDot(model->gravity, state->x[i]);
    }
    for (int e = 0; e < model->elementCount; e++)
    {
        palBeamPose pose = palBeamElement_Strain(&model->elements[e], state->x + e, state->q + e);
        double stress[pal_beamStrains];
        palBeamElement_Stress(&model->elements[e], pose.d, stress);
        for (int k = 0; k < pal_beamStrains; k++)
            energy += 0.5 * stress[k] * pose.d[k];
    }
    return energy;
}
