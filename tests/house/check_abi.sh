#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The binary interface is the one that is stored: sizes and offsets of every public struct, values of
# every constant, functions with their versions. Programs that were compiled before go on working as
# long as structs only grow at their end and nothing else of it changes.
# `PAL_BUILD=build tests/house/check_abi.sh --write` stores the present one.
set -euo pipefail

stored=tests/house/abi.txt
case $(uname -m) in
x86_64 | aarch64) ;;
*)
    echo "skipped: the interface is stored for processors of 64 bits"
    exit 77
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every definition of a struct or enum as one line: "struct NAME {members}", "enum NAME {constants}".
for header in include/palpate/*.h; do
    echo "#include <palpate/${header##*/}>"
done > "$work/all.c"
grep -hvE '^ *#' include/palpate/*.h | sed -e 's://.*::' | tr '\n' ' ' |
    grep -oE '(typedef )?(struct|enum)( pal[A-Za-z0-9]+)? *\{[^}]*\}' |
    sed -E 's/typedef //; s/ +/ /g' > "$work/definitions"

# A program that prints them.
{
    cat "$work/all.c"
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    awk '
    function trim(text) { gsub(/^ +| +$/, "", text); return text }
    {
        body = $0; sub(/^[^{]*\{/, "", body); sub(/\}$/, "", body)
        name = $2
    }
    $1 == "enum" {
        n = split(body, parts, ",")
        for (i = 1; i <= n; i++) {
            one = parts[i]; sub(/=.*/, "", one); one = trim(one)
            if (one != "") printf "printf(\"%s %%d\\n\", (int)%s);\n", one, one
        }
        next
    }
    {
        printf "printf(\"%s %%zu\\n\", sizeof(%s));\n", name, name
        n = split(body, members, ";")
        for (i = 1; i <= n; i++) {
            member = trim(members[i])
            if (member == "") continue
            if (match(member, /\(\*[A-Za-z0-9_]+\)/)) {
                member = substr(member, RSTART + 2, RLENGTH - 3)
            } else
                gsub(/\[[^]]*\]/, "", member)
            m = split(member, names, ",")
            for (k = 1; k <= m; k++) {
                one = trim(names[k]); sub(/.*[ *]/, "", one)
                printf "printf(\"%s.%s at %%zu, %%zu\\n\", offsetof(%s, %s), sizeof((%s*)0)->%s);\n", \
                    name, one, name, one, name, one
            }
        }
    }' "$work/definitions"
    echo 'return 0; }'
} > "$work/print.c"
cc -std=c17 -Iinclude "$work/print.c" -o "$work/print"
{
    "$work/print"
    nm -D --defined-only --with-symbol-versions "$PAL_BUILD/libpalpate.so" |
        awk '$2 == "T" { print $3 }' | sort
} > "$work/abi.txt"

# Nothing is missing: as many structs and functions as the headers have.
structs=$(grep -hE '^typedef struct pal[A-Za-z0-9]+$' include/palpate/*.h | wc -l)
printed=$(grep -cE '^pal[A-Za-z0-9]+ [0-9]+$' "$work/abi.txt")
[ "$structs" = "$printed" ] || { echo "$structs structs in the headers, $printed printed"; exit 1; }

if [ "${1:-}" = --write ]; then
    cp "$work/abi.txt" "$stored"
    exit 0
fi
diff "$stored" "$work/abi.txt" || {
    echo "the interface (>) is not the stored one (<): programs that were compiled before may break."
    echo "If it is meant to change, store it: PAL_BUILD=build tests/house/check_abi.sh --write"
    exit 1
}
