// SPDX-License-Identifier: Apache-2.0
#include "view_page.h"

#include <string.h>

// PAL_PAGE_DIR is the directory of the bundle (cmake/Viewer.cmake).
#define EMBED(name, file)                                                                          \
    extern const unsigned char name[];                                                             \
    extern const unsigned char name##End[];                                                        \
    __asm__(".section .rodata\n"                                                                   \
            ".balign 16\n" #name ":\n"                                                             \
            ".incbin \"" PAL_PAGE_DIR "/" file "\"\n" #name "End:\n"                               \
            ".byte 0\n"                                                                            \
            ".previous\n")

EMBED(palPageHtml, "index.html");
EMBED(palPageScript, "page.js");
EMBED(palPageStyle, "page.css");

bool palPage_Find(const char* path, palPageFile* file)
{
    const struct
    {
        palPageFile file;
        const unsigned char* end;
    } files[] = {
        {{"/", "text/html; charset=utf-8", palPageHtml, 0}, palPageHtmlEnd},
        {{"/page.js", "text/javascript; charset=utf-8", palPageScript, 0}, palPageScriptEnd},
        {{"/page.css", "text/css; charset=utf-8", palPageStyle, 0}, palPageStyleEnd},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    {
        if (strcmp(files[i].file.path, path) != 0)
            continue;
        *file = files[i].file;
        file->size = (size_t)(files[i].end - file->bytes);
        return true;
    }
    return false;
}
