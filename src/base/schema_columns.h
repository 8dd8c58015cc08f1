// SPDX-License-Identifier: Apache-2.0
// Columns that repeat in the tables of a schema; for the .c files that have such tables.
#ifndef PAL_BASE_SCHEMA_COLUMNS_H
#define PAL_BASE_SCHEMA_COLUMNS_H

#include "base/schema.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define KIND(kind)   (1u << (kind))

// Key, type and field; the range with its unit; text of a given field.
#define FIELD(word, kind, type_, field) .name = word, .type = kind, .offset = offsetof(type_, field)
#define RANGE(from, to, unit_)          .low = from, .high = to, .unit = unit_
#define BYTES(type_, field)             .size = sizeof((type_*)0)->field

static inline const char* nameIn(const char* const* names, int count, int index)
{
    return index >= 0 && index < count ? names[index] : NULL;
}

#endif
