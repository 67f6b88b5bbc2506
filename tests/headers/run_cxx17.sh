#!/bin/sh
# run_cxx17.sh CXX LIBRARY SOURCE: compiles and runs gsolve_hpp.cpp; gsolve.hpp has at most 250 lines. CFLAGS: of the build.
set -eu
cxx=$1 library=$2 source=$3
case $library in *.a) echo 'skipped: the library is static'; exit 77 ;; esac
lines=$(wc -l <"$source/include/gsolve.hpp")
[ "$lines" -le 250 ] || { echo "FAILED: gsolve.hpp has $lines lines"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086 # CFLAGS are words
"$cxx" -std=c++17 -O1 ${CFLAGS:-} -I"$source/include" "$source/tests/headers/gsolve_hpp.cpp" -o "$work/program" "$library" \
    -Wl,-rpath,"$(dirname "$library")"
"$work/program"
