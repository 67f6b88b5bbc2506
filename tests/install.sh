#!/bin/sh
# install.sh BUILD SOURCE: installs the build into a fresh prefix, builds the examples outside the tree with
# CMake and with pkg-config, and runs every one. Without pkg-config or make it ends as skipped.
set -eu
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cp -r "$source/examples" "$work/examples"
cmake -S "$work/examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/cmake" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
folders=cmake
if command -v pkg-config >/dev/null && command -v make >/dev/null; then
    pc=$(dirname "$(find "$work/prefix" -name gsolve.pc)")
    mkdir "$work/make"
    ( cd "$work/make" && PKG_CONFIG_PATH=$pc make -s -f ../examples/Makefile )
    folders="cmake make"
fi
for folder in $folders; do
    for example in 1_solve 2_poisson 3_fem 4_monitor 5_many_rhs 6_own_format 7_own_precond 8_coarse 9_steps; do
        echo "== $folder $example"
        "$work/$folder/$example"
    done
done
"$work/prefix/bin/gsolve" -A gen:poisson2d,n=20
[ "$folders" != cmake ] || { echo "skipped: the examples with pkg-config, since pkg-config or make is missing"; exit 77; }
