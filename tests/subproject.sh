#!/bin/sh
# subproject.sh SOURCE CC [LAUNCHER]: builds tests/subproject, a project that contains gsolve, runs it and installs it.
set -eu
source=$1 cc=$2 launcher=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; cat "$work/log"; exit 1; }

# Without optimisation, because nothing is measured.
cmake -S "$source/tests/subproject" -B "$work/build" -DGSOLVE_SOURCE="$source" -DGSOLVE_CUDA=OFF -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" >"$work/log" 2>&1 || fail configure
cmake --build "$work/build" -j 2 >"$work/log" 2>&1 || fail build
for target in man docs format check_format peers; do
    cmake --build "$work/build" --target "$target" >"$work/log" 2>&1 || fail "the target $target"
    grep -q "own $target" "$work/log" || fail "the target $target is not that of the project"
done
cd "$work/build"
ctest >"$work/log" 2>&1 || fail ctest
grep -q '^100% tests passed.* out of 1$' "$work/log" || fail 'tests of gsolve are among those of the project'
cmake --install . --prefix "$work/prefix" >"$work/log" 2>&1 || fail install
find "$work/prefix" -type f | sed "s|$work/prefix/||" >"$work/log"
[ "$(cat "$work/log")" = bin/application ] || fail 'the installation has files of gsolve'
# The settings of a user who gives none: with CUDA where there is a CUDA compiler.
cmake -S "$source/tests/subproject" -B "$work/defaults" -DGSOLVE_SOURCE="$source" >"$work/log" 2>&1 || fail 'configure with the defaults'
echo 'a project that contains gsolve builds, runs and installs'
