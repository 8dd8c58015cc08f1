#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# No product tells the loader where to look for libraries: an RPATH or RUNPATH with an empty or
# relative element would load a library that somebody placed beside a mesh. Checked in the headers of
# every binary, built and installed, and by placing such a library.
set -euo pipefail
unset LD_LIBRARY_PATH LD_PRELOAD LD_RUN_PATH

fail()
{
    echo "error: $*" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$PAL_BUILD" --prefix "$work/tree" > "$work/log" || fail "$(cat "$work/log")"
lib=$(dirname "$(find "$work/tree" -name libpalpate.a)")
pc=$(find "$work/tree" -name palpate.pc)
read -ra flags <<< "$(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs palpate)"
mkdir "$work/examples"
for example in "$work/tree"/share/palpate/examples/*.c; do
    cc -std=c17 "$example" "${flags[@]}" -lm -o "$work/examples/$(basename "$example" .c)"
done

# The headers: the program, the libraries, the tests, what is installed, and the examples.
count=0
while read -r file; do
    [ "$(head -c 4 "$file" | tr -d '\0')" = $'\x7fELF' ] || continue
    count=$((count + 1))
    path=$(readelf -d "$file" | grep -E '\((RPATH|RUNPATH)\)') || continue
    fail "$file has a library path: $path"
done < <(find "$PAL_BUILD" "$work/tree" "$work/examples" -type f \( -perm -u+x -o -name '*.so*' \))
[ "$count" -ge 6 ] || fail "only $count binaries were found"

# A libyaml that leaves a mark when it is loaded, in a folder with somebody's meshes.
mkdir "$work/meshes"
cat > "$work/planted.c" <<END
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void leaveMark(void)
{
    FILE* mark = fopen("$work/mark", "w");
    if (mark != NULL)
        fclose(mark);
    _exit(0);
}
END
readelf -d "$PALPATE" | grep 'NEEDED.*\[libyaml-0.so.2\]' > /dev/null ||
    fail "the program links another libyaml"
cc -shared -fPIC "$work/planted.c" -o "$work/meshes/libyaml-0.so.2"

cd "$work/meshes"

# With the folder on the path of the loader the mark appears: what follows can fail.
LD_LIBRARY_PATH=$work/meshes "$PALPATE" --version > /dev/null
[ -e "$work/mark" ] || fail "the library leaves no mark where it is loaded"
rm "$work/mark"

for product in "$PALPATE" "$work/tree/bin/palpate"; do
    "$product" --version > "$work/log" || fail "$product does not run: $(cat "$work/log")"
    [ ! -e "$work/mark" ] || fail "$product loads a library from the folder that it is started in"
done
for example in "$work"/examples/*; do
    LD_LIBRARY_PATH=$lib "$example" "$work/tree/share/palpate/scenes/touch.yaml" > "$work/log" ||
        fail "$example does not run: $(cat "$work/log")"
    [ ! -e "$work/mark" ] || fail "$example loads a library from the folder that it is started in"
done
