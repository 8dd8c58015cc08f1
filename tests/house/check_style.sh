#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One style: layout by clang-format, a licence line in every source, 100 columns, no blanks at the
# end of a line, no notes to oneself, and nothing about the machine that the tree was written on.
set -uo pipefail
shopt -s lastpipe # `tell` counts in this shell
export LC_ALL=C.UTF-8 # columns are characters

faults=0
# Reads faults from standard input and tells them under the heading given.
tell()
{
    local text
    text=$(cat)
    [ -z "$text" ] && return
    echo "$1:"
    sed 's/^/  /' <<< "$text"
    faults=$((faults + 1))
}

tree=$(find . \( -name .git -o -name 'build*' -o -name 'out*' -o -name node_modules -o -name seeds \
    -o -name __pycache__ -o -name .cache \) -prune -o -type f -print | sort)
c_files=$(grep -E '\.[ch]$' <<< "$tree")
sources=$(grep -E '\.(c|h|sh|py|js|mjs|css)$' <<< "$tree")
in_files() { xargs -d '\n' -a <(echo "$1") "${@:2}"; }

command -v clang-format > /dev/null || { echo "clang-format is missing; scripts/deps.sh test"; exit 1; }
in_files "$c_files" -P 2 -n 40 clang-format --dry-run --Werror 2>&1 | grep 'error:' |
    sed 's/: error.*//' | tell "layout differs; run clang-format -i on the file"

while read -r file; do
    lines=1
    [ "$(head -c 2 "$file")" = '#!' ] && lines=2
    head -n "$lines" "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
done <<< "$sources" | tell "the first line must be the SPDX line"

in_files "$c_files" grep -HnP '^.{101,}' | cut -c 1-80 | tell "over 100 columns"
in_files "$tree" grep -HnIP '[ \t]+$' | tell "blanks at the end of a line"
in_files "$tree" grep -HnIE 'TO[D]O|FIX[M]E' | tell "notes to oneself; put them in docs/roadmap.md"

# Folders of the machine, and the hosts that its package managers are set to, unless public.
in_files "$tree" grep -HnIE '/wor[k]/|/tmp/w[t]-|/roo[t]/|/hom[e]/[a-z]' |
    tell "paths of a build machine"
public='^(deb|security)\.debian\.org$|^registry\.npmjs\.org$'
hosts=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} ~/.npmrc 2> /dev/null |
    grep -v '^ *#' | grep -oE 'https?://[^/ ]+' | sed -E 's#^https?://([^@]*@)?##' | sort -u |
    grep -vE "$public")
[ -z "$hosts" ] || in_files "$tree" grep -lIF -e "$hosts" | tell "names of package hosts"

[ "$faults" = 0 ]
