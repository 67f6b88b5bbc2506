#!/bin/sh
# run.sh FC LIBRARY SOURCE PYTHON CC: compiles the module gsolve without a warning, compares the sizes of its types with those
# in C, and runs module.f90. CFLAGS: of the build.
set -eu
fc=$1 library=$2 source=$3 python=$4 cc=$5
case $library in *.a) echo 'skipped: the library is static'; exit 77 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$python" "$source/scripts/fortran.py" --program --cc "$cc" >sizes.f90
for program in sizes.f90 "$source/tests/fortran/module.f90"; do
    # shellcheck disable=SC2086 # CFLAGS are words
    "$fc" -std=f2018 -Wall -Wextra -Werror ${CFLAGS:-} "$source/include/gsolve.f90" "$program" -o program "$library" \
        -Wl,-rpath,"$(dirname "$library")"
    ./program
done
