// SPDX-License-Identifier: Apache-2.0
#include "base/schema.h"

#include <string.h>

const palSchemaKey* palSchema_Find(const palSchemaTable* table, const char* name)
{
    for (int i = 0; i < table->keyCount; i++)
        if (strcmp(table->keys[i].name, name) == 0)
            return &table->keys[i];
    return NULL;
}

bool palSchema_Uses(const palSchemaKey* key, int kind)
{
    return key->kinds == 0 || kind < 0 || (key->kinds & 1u << kind) != 0;
}

const palSchemaTable* palSchema_KindTable(const palSchemaTable* table, int kind)
{
    return table->kindTableAt != NULL && kind >= 0 ? table->kindTableAt(kind) : NULL;
}
