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
    mpicc=$(PKG_CONFIG_PATH=$pc pkg-config --variable=mpicc gsolve_mpi 2>/dev/null || true)
    if [ -n "$mpicc" ]; then # the command of 20_ranks.c, and a path for the loader since the prefix is no folder of the system
        # shellcheck disable=SC2046 # flags are words
        ( export PKG_CONFIG_PATH="$pc" && cd "$work/make" &&
          "$mpicc" -std=c11 ../examples/20_ranks.c -o 20_ranks $(pkg-config --cflags --libs gsolve_mpi) -Wl,-rpath,"$(pkg-config --variable=libdir gsolve_mpi)" )
    fi
fi
for folder in $folders; do
    for example in "$source"/examples/*.c "$source"/examples/*.cpp "$source"/examples/*.f90; do
        name=$(basename "$example" | sed 's/\.[^.]*$//')
        case $example in *.cpp | *.f90 | *_ranks.c) [ -x "$work/$folder/$name" ] || continue ;; esac # no compiler for it, or no MPI
        echo "== $folder $name"
        "$work/$folder/$name"
    done
    # The same program in C, C++ and Fortran prints the same first line. Its steps allocate nothing on the CPU, so it does not see a GPU here.
    for name in 15_heat 16_heat 17_heat; do
        [ ! -x "$work/$folder/$name" ] || CUDA_VISIBLE_DEVICES='' "$work/$folder/$name" | head -n 1 >"$work/$folder/$name.out"
        [ ! -x "$work/$folder/$name" ] || cmp "$work/$folder/15_heat.out" "$work/$folder/$name.out"
    done
    grep -q 'allocations after the first step: 0$' "$work/$folder/15_heat.out"
done

# find_package(gsolve COMPONENTS cuda): found by a build with CUDA only, and gsolve_CUDA says which one it is.
find_component() { # COMPONENT
    mkdir -p "$work/find"
    cat >"$work/find/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(find LANGUAGES C)
find_package(gsolve REQUIRED COMPONENTS $1)
message(STATUS "gsolve_CUDA is \${gsolve_CUDA}")
END
    rm -rf "$work/find/build"
    cmake -S "$work/find" -B "$work/find/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1
}
says() { grep -q -- "$1" "$work/log" || { cat "$work/log"; echo "FAILED: find_package does not say '$1'"; exit 1; }; }
with_cuda=$(sed -n 's/^set(gsolve_CUDA \(.*\))$/\1/p' "$(find "$work/prefix" -name gsolve-config.cmake)")
if find_component cuda; then
    says 'gsolve_CUDA is ON'
    [ "$with_cuda" = ON ]
else
    [ "$with_cuda" = OFF ]
    says 'was built without CUDA'
fi
find_component '' || { cat "$work/log"; exit 1; }
says "gsolve_CUDA is $with_cuda"
if find_component nonsense; then echo 'FAILED: a component that does not exist is found'; exit 1; fi
says "no component 'nonsense'"
"$work/prefix/bin/gsolve" -A gen:poisson2d,n=20
[ "$folders" != cmake ] || { echo "skipped: the examples with pkg-config, since pkg-config or make is missing"; exit 77; }
