// SPDX-License-Identifier: Apache-2.0
#include "page.h"

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1d2430;--soft:#5d6775;--grid:#e6e9ee;"
    "--edge:#9aa4b2;--surface:#39414e;--device:#1f6fd1;--coupling:#8fbcf0;--proxy:#17803d;"
    "--force:#5cb87f;--line:#1f6fd1;--jump:#c2410c}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14181f;--ink:#e4e8ee;--soft:#97a3b3;"
    "--grid:#2a313c;--edge:#566172;--surface:#c9d1dc;--device:#6cb0ff;--coupling:#2f5f96;"
    "--proxy:#5fe08f;--force:#2c7a4b;--line:#6cb0ff;--jump:#ff9152}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);"
    "max-width:1500px;margin:0 auto;padding:24px}\n"
    "h1{font-size:1.6em;margin:0}h2{font-size:1.15em;margin:1.6em 0 .3em}\n"
    "p{margin:.3em 0;color:var(--soft);max-width:60em}\n"
    ".panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:14px}\n"
    "svg{width:100%;height:auto;display:block}svg svg{overflow:hidden}\n"
    "path{fill:none;stroke-linecap:round;stroke-linejoin:round}\n"
    "text{font:11px system-ui,sans-serif;fill:var(--soft)}"
    "text.title{font-size:14px;font-weight:600;fill:var(--ink)}\n"
    ".grid{stroke:var(--grid);stroke-width:1}"
    ".frame{fill:none;stroke:var(--edge);stroke-width:1}\n"
    ".surface{stroke:var(--surface);stroke-width:2}"
    ".coupling{stroke:var(--coupling);stroke-width:.6}"
    ".force{stroke:var(--force);stroke-width:.6}\n"
    ".device{stroke:var(--device);stroke-width:2.4}.proxy{stroke:var(--proxy);stroke-width:3}\n"
    ".point{stroke:var(--proxy);stroke-width:6}"
    ".line{stroke:var(--line);stroke-width:1.1}.line.jump{stroke:var(--jump)}\n"
    ".k-device{color:var(--device)}.k-proxy{color:var(--proxy)}\n"
    "table{border-collapse:collapse;margin-top:.5em;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.25em 1em .25em 0;text-align:right;border-bottom:1px solid var(--grid)}"
    "th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}"
    "td:nth-child(2){color:var(--soft)}\n";

void palPage_Text(FILE* file, const char* text)
{
    for (; *text != '\0'; text++)
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(file, "&#%d;", *text);
        else
            fputc(*text, file);
}

void palPage_Begin(FILE* file, const char* title, const char* what)
{
    fprintf(file, "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    palPage_Text(file, title);
    fprintf(file, ": %s</title>\n<style>\n%s</style></head>\n<body>\n<h1>", what, style);
    palPage_Text(file, title);
    fprintf(file, "</h1>\n");
}

void palPage_End(FILE* file)
{
    fprintf(file, "</body>\n</html>\n");
}
