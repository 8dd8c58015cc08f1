#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The documents tell the truth: every file that they name is there, every command that they show is
# accepted with the options shown, and so are the examples in the program's own help; code is that
# of the examples.
set -euo pipefail
shopt -s nullglob

faults=0
fault()
{
    echo "$*" >&2
    faults=$((faults + 1))
}

documents=(README.md docs/*.md)
[ -e README.md ] || documents=(docs/*.md)

# `src/room/file.c` in backticks. NAME, ROOM and NOUN stand for anything; {h,c} and * as in a shell.
rooms='(\.ci|app|bench|cmake|docs|examples|include|scenes|scripts|src|tests|viewer)'
paths_in()
{
    { grep -oE '`[^`]+`' "$1" || true; } | tr -d '`' |
        { grep -E "^$rooms/[A-Za-z0-9_./{},*-]*$|^(demo|test)\.sh$" || true; } | sort -u
}
for document in "${documents[@]}"; do
    while read -r path; do
        pattern=$(sed -E 's/(NAME|ROOM|NOUN)/*/g' <<< "$path")
        eval "found=($pattern)" # letters, digits and _./{},*- only
        for file in "${found[@]}"; do
            [ -e "$file" ] || fault "$document names $path, but there is no $file"
        done
        [ ${#found[@]} -gt 0 ] || fault "$document names $path, but nothing matches it"
    done < <(paths_in "$document")

    # Links to files, relative to the document.
    while read -r target; do
        [ -e "$(dirname "$document")/$target" ] || fault "$document links $target, which is not there"
    done < <({ grep -oE '\]\([^)#: ]+' "$document" || true; } | sed 's/^](//' | sort -u)
done

# Code that docs/embedding.md shows is that of the examples.
while read -r line; do
    grep -qF -- "$line" examples/*.c || fault "docs/embedding.md shows code that no example has: $line"
done < <(grep '^    ' docs/embedding.md | sed 's/^ *//')

# A command line: the command is known and every option is in its help.
declare -A helps
check_command()
{
    local place=$1 command=$2 option
    shift 2
    [[ $command == [a-z]* ]] || return 0
    if [ -z "${helps[$command]:-}" ]; then
        if ! helps[$command]=$("$PALPATE" "$command" --help 2>&1); then
            fault "$place: palpate $command is not accepted: ${helps[$command]}"
            return 0
        fi
    fi
    for option in "$@"; do
        option=${option%%=*}
        [[ $option =~ ^--[a-z][a-z-]*$ ]] || continue
        grep -qE -- "^ +$option( |$)" <<< "${helps[$command]}" ||
            fault "$place: palpate $command has no option $option"
    done
}

# Lines that start with palpate, continued lines joined, comments and pipes cut off.
commands_in()
{
    sed -e ':a' -e '/\\$/N; s/\\\n//; ta' |
        { grep -oE '^ *(\$ )?((\./)?build/)?palpate [a-z].*' || true; } |
        sed -E 's/^ *(\$ )?((\.\/)?build\/)?palpate //; s/ +#.*//; s/ *[|>&;].*//'
}
for document in "${documents[@]}"; do
    while read -ra words; do
        check_command "$document" "${words[@]}"
    done < <(awk '/^```/ { inside = !inside; next } inside || /^    /' "$document" | commands_in)
done
while read -r command; do
    while read -ra words; do
        check_command "palpate $command --help" "${words[@]}"
    done < <("$PALPATE" "$command" --help | sed -n '/^examples:/,$p' | commands_in)
done < <("$PALPATE" --help | sed -n '/^commands:/,/^$/p' | awk '/^  / { print $1 }')

[ "$faults" = 0 ]
