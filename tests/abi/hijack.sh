#!/bin/sh
# hijack.sh CC NM INTERNAL SHARED SOURCE: builds hijack.c with a function for each internal function of the library, and
# runs it. INTERNAL: the static library with hidden functions; SHARED: libgsolve.so; CFLAGS: of the build.
set -eu
cc=$1 nm=$2 internal=$3 shared=$4 source=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '#include <stdlib.h>' >"$work/all.c"
"$nm" --defined-only "$internal" 2>/dev/null | awk '$2 == "T" && $3 ~ /^gs_/ {print $3}' | sort -u >"$work/names"
sed 's/.*/void &(void);\nvoid &(void)\n{\n    abort();\n}/' "$work/names" >>"$work/all.c"
count=$(wc -l <"$work/names")
[ "$count" -gt 100 ] && grep -qx gs_memory_need "$work/names" || { echo "FAILED: only $count internal functions found"; exit 1; }
# shellcheck disable=SC2086 # CFLAGS are words
"$cc" -std=c11 -O1 ${CFLAGS:-} -rdynamic -I"$source/include" "$source/tests/abi/hijack.c" "$work/all.c" -o "$work/hijack" \
    "$shared" -Wl,-rpath,"$(dirname "$shared")" -lm
"$work/hijack"
echo "the library called none of the $count functions of the application"
