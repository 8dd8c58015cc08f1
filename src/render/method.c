// SPDX-License-Identifier: Apache-2.0
#include "render/method.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const palMethodOps* const methods[] = {
    &pal_methodAccurate,   &pal_methodStandard, &pal_methodPenalty,
    &pal_methodCompliance, &pal_methodLinear,   &pal_methodCoupling,
};
static const int methodCount = sizeof methods / sizeof methods[0];

const palMethodOps* palMethodAt(int index)
{
    return index >= 0 && index < methodCount ? methods[index] : NULL;
}

const palMethodOps* palFindMethod(const char* name)
{
    for (int i = 0; i < methodCount; i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}

const palMethodOps* palMethodHolding(const palMethodOps* ops, bool tool)
{
    return tool && ops->withTool != NULL ? ops->withTool : ops;
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
    palResult result = ops->init != NULL ? ops->init(created, error) : pal_ok;
    if (result != pal_ok)
    {
        palMethod_Destroy(created);
        return result;
    }
    *method = created;
    return pal_ok;
}

void palMethod_Destroy(palMethod* method)
{
    if (method == NULL)
        return;
    if (method->ops->free != NULL)
        method->ops->free(method);
    free(method);
}
