// SPDX-License-Identifier: Apache-2.0
#include "render/method.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    usualReport = 4, // contacts of a point in one step: three planes hold it
};

#define YIELDS                                                                                     \
    "contacts of free bodies give way as contact.law says, in series with the coupling: 3 % off "  \
    "at 1000 N/m, 0 % if rigid"

static const palMethodEntry methods[] = {
    {
        .name = "accurate",
        .summary = "limited constraints, convex sets and trust regions (Knott and Kuhlen 2015)",
        .forms = {[pal_handPoint] = &pal_methodAccurate, [pal_handTool] = &pal_methodAccurateTool},
    },
    {
        .name = "standard",
        .summary =
            "closest half-space of the last low-rate query, Signorini and Coulomb (baseline)",
        .forms = {[pal_handPoint] = &pal_methodStandard, [pal_handTool] = &pal_methodStandardTool},
    },
    {
        .name = "penalty",
        .summary = "spring and damper at the closest half-space (baseline)",
        .limits =
            "its spring is in series with the coupling: a free body of 5 kg feels up to 39 % off "
            "at 1000 N/m",
        .forms = {[pal_handPoint] = &pal_methodPenalty, [pal_handTool] = &pal_methodPenaltyTool},
    },
    {
        .name = "compliance",
        .summary = "wires, tools, rigid and soft bodies, each at its rate (Dervaux et al. 2013)",
        .limits = YIELDS,
        .forms =
            {[pal_handTool] = &pal_methodComplianceTool, [pal_handWire] = &pal_methodCompliance},
    },
    {
        .name = "linear",
        .summary = "tool contact as a linear model of the other forces (Otaduy and Gross 2007)",
        .limits = YIELDS,
        .forms = {[pal_handTool] = &pal_methodLinear},
    },
    {
        .name = "coupling",
        .summary = "a second coupling to the low-rate simulation of the tool (baseline)",
        .limits =
            "a hand that moves is held back by stiffness x speed x age of the snapshot, in free "
            "air too: 0.5 N at 1000 N/m, 0.05 m/s, low_dt 10 ms",
        .forms = {[pal_handTool] = &pal_methodCoupling},
    },
    {
        .name = "impulse",
        .summary = "rigid bodies that move, in contacts that are rigid while they close and "
                   "compliant while they last (Constantinescu et al. 2004)",
        .limits = YIELDS,
        .forms = {[pal_handPoint] = &pal_methodImpulse, [pal_handTool] = &pal_methodImpulseTool},
    },
};
static const int methodCount = sizeof methods / sizeof methods[0];

const palMethodEntry* palMethodAt(int index)
{
    return index >= 0 && index < methodCount ? &methods[index] : NULL;
}

const palMethodEntry* palFindMethod(const char* name)
{
    for (int i = 0; i < methodCount; i++)
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

const palMethodOps* palFindMethodForm(const char* name, palHandKind hand)
{
    const palMethodEntry* method = palFindMethod(name);
    return method != NULL ? method->forms[hand] : NULL;
}

const char* palHandKind_Name(palHandKind hand)
{
    static const char* const names[pal_handKindCount] = {
        [pal_handPoint] = "a point",
        [pal_handTool] = "a tool",
        [pal_handWire] = "a wire",
    };
    return names[hand];
}

const char* palPartKind_Name(palPartKind part)
{
    static const char* const names[pal_partKindCount] = {
        [pal_partStatic] = "static objects",
        [pal_partSoft] = "soft objects",
        [pal_partWire] = "wires",
        [pal_partJoint] = "joints",
        [pal_partLoop] = "additional rates",
        [pal_partPoints] = "objects as point shells",
        [pal_partToolJoint] = "joints with the tool",
        [pal_partFree] = "rigid objects that move",
        [pal_partSheet] = "open sheets",
        [pal_partSlider] = "sliders, limits and friction of joints",
    };
    return names[part];
}

void palListMethods(palHandKind hand, unsigned parts, char* names, size_t size)
{
    int total = 0, listed = 0;
    size_t used = 0;
    names[0] = '\0';
    for (int i = 0; i < methodCount; i++)
        total += palMethodOps_Accepts(methods[i].forms[hand], parts);
    for (int i = 0; i < methodCount && used < size; i++)
    {
        if (!palMethodOps_Accepts(methods[i].forms[hand], parts))
            continue;
        const char* between = listed == 0 ? "" : listed + 1 == total ? " or " : ", ";
        used += (size_t)snprintf(names + used, size - used, "%s%s", between, methods[i].name);
        listed++;
    }
}

//--------------------------------------------------------------------------------------------------
// The methods of the hands

static palResult createShared(palHands* hands, const palSharedOps* ops, palError* error)
{
    hands->shared = calloc(1, ops->size);
    if (hands->shared == NULL)
        return palError_Memory(error, "what the hands share", ops->size);
    hands->shared->ops = ops;
    hands->shared->defs = hands->defs;
    hands->shared->handCount = hands->count;
    hands->shared->methods = hands->methods;
    return ops->init != NULL ? ops->init(hands->shared, error) : pal_ok;
}

static palResult createMethod(palHands* hands, const palMethodOps* ops, int hand, palError* error)
{
    palMethod* created = calloc(1, ops->size);
    if (created == NULL)
        return palError_Memory(error, ops->name, ops->size);
    hands->methods[hand] = created;
    created->ops = ops;
    created->def = hands->defs[hand];
    created->shared = hands->shared;
    created->reportCapacity = usualReport;
    created->problemRows = 3 * pal_planesMax;
    return ops->init != NULL ? ops->init(created, error) : pal_ok;
}

static palResult checkHands(const palMethodOps* const* forms, const palMethodDef* defs, int count,
                            palError* error)
{
    for (int i = 1; i < count; i++)
        if (forms[i]->shared != forms[0]->shared || strcmp(forms[i]->name, forms[0]->name) != 0)
        {
            palError_Set(error, pal_errorInput, "the hands have the methods %s and %s",
                         forms[0]->name, forms[i]->name);
            return palError_Remedy(error, "use one method for all hands");
        }
    if (count > 1 && palIsFrozen(&defs[0]))
    {
        palError_Set(error, pal_errorInput, "response: frozen is for one hand, there are %d",
                     count);
        return palError_Remedy(error, "use response: advanced");
    }
    return pal_ok;
}

palResult palHands_Init(palHands* hands, const palMethodOps* const* forms, const palMethodDef* defs,
                        int count, palError* error)
{
    int rank = 0;
    *hands = (palHands){.count = count};
    for (int i = 0; i < count; i++)
    {
        hands->defs[i] = defs[i];
        hands->defs[i].hand = i;
        hands->defs[i].rank = rank;
        rank += forms[i]->hand != pal_handWire;
    }
    palResult result = checkHands(forms, defs, count, error);
    if (result == pal_ok)
        result = createShared(hands, forms[0]->shared, error);
    for (int i = 0; i < count && result == pal_ok; i++)
        result = createMethod(hands, forms[i], i, error);
    if (result != pal_ok)
        palHands_Free(hands);
    return result;
}

void palHands_Free(palHands* hands)
{
    for (int i = 0; i < hands->count; i++)
    {
        palMethod* method = hands->methods[i];
        if (method != NULL && method->ops->free != NULL)
            method->ops->free(method);
        free(method);
    }
    if (hands->shared != NULL && hands->shared->ops->free != NULL)
        hands->shared->ops->free(hands->shared);
    free(hands->shared);
    *hands = (palHands){0};
}

palResult palHands_MakeSnapshot(const palHands* hands, int loop, palSnapshot* snapshot,
                                palError* error)
{
    palResult result = pal_ok;
    palSnapshot_Init(snapshot, loop);
    if (hands->shared->ops->makeSnapshot != NULL)
        result = hands->shared->ops->makeSnapshot(hands->shared, snapshot, error);
    for (int i = 0; i < hands->count && result == pal_ok; i++)
        if (hands->methods[i]->ops->makeSnapshot != NULL)
            result =
                hands->methods[i]->ops->makeSnapshot(hands->methods[i], &snapshot->hands[i], error);
    if (result != pal_ok)
        palSnapshot_Free(snapshot);
    return result;
}
