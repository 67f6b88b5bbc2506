#!/bin/sh
# test_cycles.sh SOURCE BUILD COMPILER: the cycles of the build are those of cycles_known.txt, and in a small tree of
# its own check_cycles.py finds each cycle that is planted, and nothing else. Exit code 77: no python3, or the object
# files cannot be read.
set -eu
check=$1/tests/check_cycles.py
build=$2
compiler=$3
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
code=0
python3 "$check" "$build" || code=$?
[ $code = 0 ] || exit $code

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

clean_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/core" "$tree/spmv"
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$tree" >"$tree/CMakeCache.txt"
    : >"$tree/known.txt"
    printf 'int gsolve_fail(void);\nint low(void);\n' >"$tree/core/low.h"
    printf '#include "core/low.h"\nint gsolve_fail(void) { return low(); }\n' >"$tree/core/context.c"
    printf '#include "core/low.h"\nint low(void) { return gsolve_fail(); }\n' >"$tree/core/low.c"
    printf '#include "core/low.h"\nint high(void);\n' >"$tree/spmv/high.h"
    printf '#include "spmv/high.h"\nint high(void) { return low(); }\n' >"$tree/spmv/high.c"
}

# run: compiles the tree and checks it.
run() {
    separator='['
    for file in core/context core/low spmv/high; do
        "$compiler" -O1 -fPIC -I"$tree" -c "$tree/$file.c" -o "$tree/$file.o"
        printf '%s{"directory": "%s", "file": "%s.c", "command": "cc -o %s.o -c %s.c"}\n' \
            "$separator" "$tree" "$file" "$file" "$file"
        separator=,
    done >"$tree/compile_commands.json"
    echo ']' >>"$tree/compile_commands.json"
    python3 "$check" "$tree" --known "$tree/known.txt" >"$tree/output"
}

# passes WHAT; finds WHAT LINE: how the check of the tree must end, and what it must print.
passes() {
    run || { echo "refused: $1"; cat "$tree/output"; failed=1; }
}
finds() {
    if run; then
        echo "not found: $1"
        failed=1
    elif ! grep -q "^$2" "$tree/output"; then
        echo "found elsewhere: $1"
        cat "$tree/output"
        failed=1
    fi
}

clean_tree
passes "a call of a function that reports an error"

printf 'int high(void);\n#include "core/low.h"\nint low(void) { return high(); }\n' >"$tree/core/low.c"
finds "a cycle of calls" "new: call core/low.c -> spmv/high.c"
printf 'call core/low.c -> spmv/high.c\ncall spmv/high.c -> core/low.c # known\n' >"$tree/known.txt"
passes "a known cycle"

clean_tree
printf 'call core/low.c -> spmv/high.c\n' >"$tree/known.txt"
finds "a cycle that is gone" "gone: call core/low.c -> spmv/high.c"

clean_tree
printf 'int high(void);\n#include "core/low.h"\nint (*table[])(void) = {high, gsolve_fail};\nint low(void) { return table[gsolve_fail()](); }\n' \
    >"$tree/core/low.c"
passes "a call through a table"

clean_tree
printf '#include "spmv/high.h"\n#include "core/low.h"\nint low(void) { return 0; }\n' >"$tree/core/low.c"
finds "a cycle of includes" "new: include core/low -> spmv/high"
exit $failed
