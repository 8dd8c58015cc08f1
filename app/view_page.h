// SPDX-License-Identifier: Apache-2.0
// The files of the page, embedded at build time.
#ifndef PAL_APP_VIEW_PAGE_H
#define PAL_APP_VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct palPageFile
{
    const char* path; // in the address, for example "/page.js"
    const char* type; // MIME
    const unsigned char* bytes;
    size_t size;
} palPageFile;

/// The file with that path. Returns false if there is none.
bool palPage_Find(const char* path, palPageFile* file);

#endif
