// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

palResult palError_Set(palError* error, palResult code, const char* format, ...)
{
    if (error == NULL)
        return code;
    memset(error, 0, sizeof *error);
    error->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return code;
}

palResult palError_At(palError* error, const char* file, int line, int column)
{
    if (error == NULL)
        return pal_errorInput;
    if (error->file[0] == '\0' && file != NULL)
        snprintf(error->file, sizeof error->file, "%s", file);
    if (error->line == 0)
    {
        error->line = line;
        error->column = column;
    }
    return error->code;
}

palResult palError_Remedy(palError* error, const char* format, ...)
{
    if (error == NULL)
        return pal_errorInput;
    va_list args;
    va_start(args, format);
    vsnprintf(error->remedy, sizeof error->remedy, format, args);
    va_end(args);
    return error->code;
}

palResult palError_Memory(palError* error, const char* what, size_t bytes)
{
    palError_Set(error, pal_errorMemory, "out of memory: %zu bytes for %s", bytes, what);
    palError_Remedy(error, "use a smaller model or a machine with more memory");
    return pal_errorMemory;
}

size_t palError_Format(const palError* error, char* out, size_t size)
{
    char where[600] = "";
    if (error->file[0] != '\0' && error->line > 0 && error->column > 0)
        snprintf(where, sizeof where, "%s:%d:%d: ", error->file, error->line, error->column);
    else if (error->file[0] != '\0' && error->line > 0)
        snprintf(where, sizeof where, "%s:%d: ", error->file, error->line);
    else if (error->file[0] != '\0')
        snprintf(where, sizeof where, "%s: ", error->file);
    const char* separator = error->remedy[0] != '\0' ? "; " : "";
    int length = snprintf(out, size, "%s%s%s%s", where, error->text, separator, error->remedy);
    return length > 0 ? (size_t)length : 0;
}
