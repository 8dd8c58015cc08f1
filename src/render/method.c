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
        .forms = {[pal_handPoint] = &pal_methodPenalty, [pal_handTool] = &pal_methodPenaltyTool},
    },
    {
        .name = "compliance",
        .summary = "wires, tools and soft bodies, each at its own rate (Dervaux et al. 2013)",
        .forms =
            {[pal_handTool] = &pal_methodComplianceTool, [pal_handWire] = &pal_methodCompliance},
    },
    {
        .name = "linear",
        .summary = "tool contact as a linear model of the other forces (Otaduy and Gross 2007)",
        .forms = {[pal_handTool] = &pal_methodLinear},
    },
    {
        .name = "coupling",
        .summary = "a second coupling to the low-rate simulation of the tool (baseline)",
        .forms = {[pal_handTool] = &pal_methodCoupling},
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

palResult palMethod_Create(const palMethodOps* ops, const palMethodDef* def, palMethod** method,
                           palError* error)
{
    *method = NULL;
    palMethod* created = calloc(1, ops->size);
    if (created == NULL)
        return palError_Memory(error, ops->name, ops->size);
    created->ops = ops;
    created->def = *def;
    created->reportCapacity = usualReport;
    created->problemRows = 3 * pal_planesMax;
    palResult result = ops->init != NULL ? ops->init(created, error) : pal_ok;
    if (result != pal_ok)
    {
        palMethod_Destroy(created);
        return result;
    }
    *method = created;
    return pal_ok;
}

palResult palMethod_MakeSnapshot(const palMethod* method, int loop, palSnapshot* snapshot,
                                 palError* error)
{
    *snapshot = (palSnapshot){.loop = loop};
    palResult result = method->ops->makeSnapshot(method, loop, snapshot, error);
    if (result != pal_ok)
        palSnapshot_Free(snapshot);
    return result;
}

void palMethod_Destroy(palMethod* method)
{
    if (method == NULL)
        return;
    if (method->ops->free != NULL)
        method->ops->free(method);
    free(method);
}
