#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves behind is usable from outside: pkg-config, CMake, C and C++, shared
# and static, and from wherever the tree is moved to.
set -euo pipefail

fail()
{
    echo "error: $*" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$PWD
warnings=(-Wall -Wextra -Wshadow -Wpedantic -Wconversion -Werror)

# Installed, then moved: nothing may remember the first place.
cmake --install "$PAL_BUILD" --prefix "$work/first" > "$work/log" || fail "$(cat "$work/log")"
mv "$work/first" "$work/tree"
grep -rlF "$work/first" "$work/tree" && fail "these files remember where they were installed"
pc=$(find "$work/tree" -name palpate.pc)
lib=$(dirname "$(find "$work/tree" -name libpalpate.a)")
scene=$work/tree/share/palpate/scenes/touch.yaml
export PKG_CONFIG_PATH=${pc%/*}

# Versions agree: package, program, header.
version=$(pkg-config --modversion palpate)
"$work/tree/bin/palpate" --version | grep -qx "palpate $version" ||
    fail "the package says $version, the program $("$work/tree/bin/palpate" --version | head -1)"

# The shared library has a soname, and its consumer needs no other library.
read -ra flags <<< "$(pkg-config --cflags --libs palpate)"
cc -std=c17 "${warnings[@]}" tests/package/consumer.c "${flags[@]}" -lm -o "$work/shared"
readelf -d "$work/shared" | grep "NEEDED.*\[libpalpate\.so\.${version%.*}\]" > /dev/null ||
    fail "the consumer does not ask for libpalpate.so.${version%.*}"
LD_LIBRARY_PATH=$lib "$work/shared" "$scene" || fail "the consumer of the shared library failed"

# A driver in C++.
g++ -std=c++17 "${warnings[@]}" -pedantic tests/package/driver.cpp "${flags[@]}" -o "$work/driver"
LD_LIBRARY_PATH=$lib "$work/driver" "$scene" || fail "the driver in C++ failed"

# The examples, built as their first lines say, print what their physics says.
for example in "$work/tree"/share/palpate/examples/*.c; do
    name=$(basename "$example" .c)
    cc -std=c17 "${warnings[@]}" "$example" "${flags[@]}" -lm -o "$work/$name"
    LD_LIBRARY_PATH=$lib "$work/$name" > "$work/$name.out" || fail "the example $name failed"
done
grep -q '^1.499 s: finger at -1.0000 mm, force 1.0000 N$' "$work/own_device.out" ||
    fail "the finger does not come to rest at its own force: $(cat "$work/own_device.out")"
grep -q '^left 0.[0-9]* N, right 0.000 N$' "$work/two_hands.out" ||
    fail "a hand that does not touch feels something: $(cat "$work/two_hands.out")"
awk -F '[ ,]+' '{ left[NR] = $2; right[NR] = $5 }
    END { exit !(left[2] < left[1] && left[2] > 0.8 * left[1] && left[2] == right[2]) }' \
    "$work/two_hands.out" || fail "two hands do not share the cushion: $(cat "$work/two_hands.out")"
grep -q ', and deeper again the same$' "$work/two_futures.out" ||
    fail "a restored state goes on in another way: $(cat "$work/two_futures.out")"
grep -q '^1.499 s: 0.050 m, -*0.000 m/s, asleep$' "$work/falling_box.out" ||
    fail "the box does not come to rest on the floor: $(cat "$work/falling_box.out")"
[ "$(wc -l < examples/array_world.c)" -le 80 ] || fail "the example array_world is no short program"
tail -1 "$work/array_world.out" | grep -q '^3\.[0-9]* s: 0\.[0-9]* m, [0-9.]* N, [0-9.]* N$' ||
    fail "the world from arrays does not run for 4 s: $(tail -1 "$work/array_world.out")"
grep -q '^500 steps, force 4.99' "$work/own_loop.out" ||
    fail "the hand is not held at the ball's surface: $(cat "$work/own_loop.out")"
grep -q '^normal 9.8100 N, friction -2.0000 N,' "$work/solve_contacts.out" ||
    fail "friction does not hold the block: $(cat "$work/solve_contacts.out")"

# The static library, with the private libraries that pkg-config names.
read -ra flags <<< "$(pkg-config --static --cflags --libs palpate)"
cc -std=c17 "${warnings[@]}" tests/package/consumer.c "${flags[@]/#-lpalpate/-l:libpalpate.a}" -lm \
    -o "$work/static"
readelf -d "$work/static" | grep libpalpate > /dev/null && fail "the static consumer needs libpalpate.so"
"$work/static" "$scene" || fail "the consumer of the static library failed"

# The CMake package, both kinds.
cmake -S tests/package -B "$work/project" -G Ninja -DCMAKE_PREFIX_PATH="$work/tree" \
    > "$work/log" 2>&1 && cmake --build "$work/project" >> "$work/log" 2>&1 ||
    fail "find_package(palpate): $(cat "$work/log")"
for kind in static shared; do
    "$work/project/consumer_$kind" "$scene" || fail "the consumer of palpate::$kind failed"
done

# Every public header alone, as C17 and as C++17.
for header in "$work/tree"/include/palpate/*.h; do
    name=palpate/${header##*/}
    for language in "gcc -std=c17 -x c" "g++ -std=c++17 -x c++"; do
        echo "#include <$name>" |
            $language "${warnings[@]}" -pedantic -fsyntax-only -I "$work/tree/include" - ||
            fail "$name does not stand alone for $language"
    done
done

# The shared library exports what the public headers declare: no more and no less.
nm -D --defined-only --with-symbol-versions "$lib/libpalpate.so" | awk '$2 == "T" { print $3 }' |
    sort > "$work/versioned"
grep -v '@@PALPATE_' "$work/versioned" > "$work/log" && fail "exported without a version: $(cat "$work/log")"
sed 's/@.*//' "$work/versioned" > "$work/exported"
grep -hv '^#' "$work/tree"/include/palpate/*.h | tr '\n' ' ' | grep -oE 'PAL_API [^;(]*\(' |
    sed -E 's/.*[ *]([A-Za-z0-9_]+)\($/\1/' | sort > "$work/declared"
diff "$work/declared" "$work/exported" > "$work/log" ||
    fail "declared (<) and exported (>) functions differ: $(cat "$work/log")"

# The installed program finds its scenes by name from anywhere, and says which there are.
cd "$work"
tree/bin/palpate run touch --quiet --seconds 0.1 --out "$work/out" || fail "palpate run touch"
[ -s out/summary.json ] || fail "palpate run touch wrote no summary"
code=0
tree/bin/palpate run tuch 2> log || code=$?
[ "$code" = 2 ] || fail "an unknown scene exits with $code, not 2"
grep -q "did you mean 'touch'" log || fail "no suggestion for 'tuch': $(cat log)"
for file in "$source"/scenes/*.yaml; do
    name=$(basename "$file" .yaml)
    grep -qw -- "$name" log || fail "'$name' is not among the scenes that are listed: $(cat log)"
done
