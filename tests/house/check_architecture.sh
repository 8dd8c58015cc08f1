#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Include order is the architecture: a module includes itself and the modules before it. The public
# headers stand for themselves, and the library links nothing that only viewer, plots, tests or
# benchmarks need.
set -euo pipefail

modules=(base math linalg mesh body collide constraint solve world touch render device runtime scene api live)

# The modules that src/MODULE may include: those up to and with it.
allowed_for()
{
    local module
    for module in "${modules[@]}"; do
        echo "$module"
        [ "$module" = "$1" ] && return
    done
    echo "error: src/$1 is not in the order of modules" >&2
    exit 1
}

# "file:line: path" for every #include in the files given; a path in angles keeps its "<".
includes()
{
    grep -HnE '^[[:space:]]*#[[:space:]]*include' "$@" |
        sed -E 's/^([^:]+:[0-9]+):[^"<]*"?(<?[^">]+)[">].*/\1: \2/'
}

faults=0
fault()
{
    echo "$*" >&2
    faults=$((faults + 1))
}

# Modules. A quoted include names module/file.h; one without a module would hide where it comes from.
for directory in src/*/; do
    module=$(basename "$directory")
    allowed=" $(allowed_for "$module" | tr '\n' ' ')"
    while IFS=' ' read -r place path; do
        file=${path#<}
        first=${file%%/*}
        if [ "$first" = "$path" ]; then
            fault "$place includes \"$path\" without its module"
        elif [ -d "src/$first" ] && [[ $allowed != *" $first "* ]]; then
            fault "$place src/$module must not include $file: $first comes after it"
        elif [ "$first" = app ] || [ "$first" = bench ] || [ "$first" = viewer ]; then
            fault "$place src/$module must not include $file"
        fi
    done < <(includes "$directory"*.[ch])
done

# Public headers: each other and the C standard library.
standard=" assert float limits math stdarg stdbool stddef stdint string "
while IFS=' ' read -r place path; do
    path=${path#<}
    [[ $path == palpate/* || $standard == *" ${path%.h} "* ]] ||
        fault "$place a public header must not include $path"
done < <(includes include/palpate/*.h)

# The library.
for name in civetweb embree ode siconos fclib gnuplot cholmod gmsh cmocka; do
    ldd "$PAL_BUILD/libpalpate.so" | grep -i "lib$name" > /dev/null && fault "libpalpate.so links $name"
done

[ "$faults" = 0 ] || exit 1
