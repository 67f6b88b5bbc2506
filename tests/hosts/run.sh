#!/bin/sh
# run.sh eigen|eigen_suite|mfem CXX LIBRARY SOURCE: compiles and runs tests of gsolve_eigen.hpp or gsolve_mfem.hpp. Exit code 77, which means
# skipped, if a part is missing. EIGEN: the folder of Eigen's headers. GSOLVE_EIGEN_SOURCE: Eigen's sources, for its own tests. GSOLVE_MFEM_DIR:
# the folder of MFEM with include/ and lib/; by default that in the wheel mfem of GSOLVE_PYTHON. CFLAGS: of the build.
set -eu
name=$1 cxx=$2 library=$3 source=$4
skip() { echo "skipped: $1"; exit 77; }
case $library in *.a) skip 'the library is static' ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build() { # PROGRAM SOURCE OPTION...: without optimisation, which takes longer than the tests
    program=$work/$1 text=$2
    shift 2
    # shellcheck disable=SC2086 # CFLAGS are words
    "$cxx" -std=c++17 -O0 -Wall -Wextra -Werror ${CFLAGS:-} -I"$source/include" "$text" -o "$program" "$library" "$@" \
        -Wl,-rpath,"$(dirname "$library")"
}
lines() { # HEADER...: the promise of 150 lines
    for header; do [ "$(wc -l <"$source/include/$header")" -le 150 ] || { echo "FAILED: $header has more than 150 lines"; exit 1; }; done
}
cd "$work"
case $name in
eigen | eigen_suite)
    [ -e "${EIGEN:-}/Eigen/Sparse" ] || skip 'Eigen 3 is missing (libeigen3-dev)'
    lines gsolve_eigen.hpp
    ;;
mfem)
    of_wheel='import importlib.util as u; print(u.find_spec("mfem").submodule_search_locations[0] + "/external/ser")'
    mfem=${GSOLVE_MFEM_DIR:-$("${GSOLVE_PYTHON:-python3}" -c "$of_wheel" 2>/dev/null || true)}
    [ -e "$mfem/include/mfem.hpp" ] || skip 'MFEM is missing (set GSOLVE_MFEM_DIR, or install the wheel mfem of PyPI for GSOLVE_PYTHON)'
    lines gsolve_mfem.hpp gsolve_mfem_precond.hpp
    ;;
esac
case $name in
eigen)
    build eigen "$source/tests/hosts/eigen.cpp" -isystem "$EIGEN"
    build example "$source/examples/21_eigen.cpp" -isystem "$EIGEN"
    ./eigen
    ./example
    ;;
eigen_suite)
    [ -e "${GSOLVE_EIGEN_SOURCE:-}/test/sparse_solver.h" ] || skip "Eigen's sources are missing (set GSOLVE_EIGEN_SOURCE; apt-get source eigen3)"
    suite() { # NAME OPTION...: runs each test three times, with the random numbers of seed 1
        test=$1
        shift
        echo "== $test"
        build "$test" "$source/tests/hosts/eigen_suite.cpp" -w -DEIGEN_TEST_MAX_SIZE=320 -isystem "$EIGEN" -isystem "$GSOLVE_EIGEN_SOURCE/test" "$@"
        "./$test" r3 s1
    }
    suite cg -DCG -DSOLVER
    suite bicgstab -DSOLVER
    suite cg_precond -DCG
    suite bicgstab_precond
    ;;
mfem)
    build mfem "$source/tests/hosts/mfem.cpp" -isystem "$mfem/include" -L"$mfem/lib" -lmfem -Wl,-rpath,"$mfem/lib"
    LD_LIBRARY_PATH=$mfem/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    if [ -e "$mfem/examples/ex1" ] && [ -e "$mfem/examples/ex2" ]; then # MFEM's own programs, built
        cp "$mfem/examples/ex1" "$mfem/examples/ex2" . # which a wheel may hold without the permission to run them
        chmod +x ex1 ex2
        ./ex1 -m "$mfem/data/star.mesh" -no-vis >log || { cat log; exit 1; }
        mv sol.gf ex1.gf
        ./ex2 -m "$mfem/data/beam-tri.mesh" -no-vis >log || { cat log; exit 1; }
        mv sol.gf ex2.gf
        ./mfem ex1.gf "$mfem/data/star.mesh" ex2.gf "$mfem/data/beam-tri.mesh"
    else
        ./mfem
    fi
    ;;
esac
