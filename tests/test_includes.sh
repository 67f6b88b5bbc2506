#!/bin/sh
# test_includes.sh SOURCE: the source passes check_includes.sh, and so does a small tree of its own,
# in which each offence planted, one at a time, is found.
set -eu
check=$1/tests/check_includes.sh
sh "$check" "$1"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

clean_tree() {
    rm -rf "${tree:?}"/*
    for folder in include core vector matrix factor spmv/csr spmv/ell spmv/sliced spgemm/esc spgemm/hash spgemm/galerkin io precond/amg precond/jacobi precond/incomplete solver/methods cli examples; do
        mkdir -p "$tree/$folder"
    done
    printf '#ifndef A_H\n#define A_H\n#ifdef __cplusplus\n#endif\n#endif\n' >"$tree/matrix/csr.h"
    printf '#include "matrix/csr.h"\n#include "spmv/csr/csr.h"\n#include "spmv/ell/ell.h"\n' >"$tree/spmv/formats.c"
    printf '#include "spmv/csr/csr.h"\n#include "spmv/handle.h"\n' >"$tree/spmv/csr/csr.c"
    printf '#include "spmv/sliced/sliced.h"\n' >"$tree/spmv/ell/ell.c"
    printf '#include "matrix/csr.h"\n#include "spgemm/spgemm.h"\n' >"$tree/spgemm/esc/esc.c"
    printf '#include "spgemm/hash/hash.h"\n' >"$tree/spgemm/galerkin/triple.c"
    printf '#include "spmv/handle.h"\n#include "io/cache.h"\n#include "core/try.h"\n' >"$tree/precond/amg.c"
    printf '#include <math.h>\n#include "gsolve_io.h"\n#include "solver/method.h"\n' >"$tree/solver/cg.c"
    printf '#if __BYTE_ORDER__ == 1\n#endif\n' >"$tree/io/scan.h"
    printf '#include <sys/stat.h>\n#include "gsolve.h"\n#include "cli/cli.h"\n' >"$tree/cli/main.c"
}

# plant FILE LINE: sees that FILE with that line (\n separates lines) is found out.
plant() {
    clean_tree
    printf '%b\n' "$2" >"$tree/$1"
    if output=$(sh "$check" "$tree"); then
        echo "not found: $1: $2"
        failed=1
    elif ! echo "$output" | grep -q "^$1:[0-9]*: "; then
        echo "found elsewhere: $1: $2: $output"
        failed=1
    fi
}

clean_tree
sh "$check" "$tree" || { echo "the clean tree is refused"; failed=1; }

plant include/gsolve.h '#include "matrix/csr.h"'
plant core/memory.c '#include "vector/vector.h"'
plant core/memory.c '#include "matrix/csr.h"'
plant vector/vector.h '#include "matrix/csr.h"'
plant matrix/csr.c '#include "spmv/handle.h"'
plant factor/lu.c '#include "spmv/handle.h"'
plant matrix/csr.c '#include "io/cache.h"'
plant matrix/csr.c '#include <solver/method.h>'
plant matrix/csr.c '#include "csr.h"'
plant matrix/csr.c '#include "../include/gsolve.h"'
plant spmv/handle.c '#include "precond/handle.h"'
plant spmv/handle.c '#include "io/cache.h"'
plant spmv/ell/ell.c '#include "spmv/csr/csr.h"'
plant spmv/ell/ell_cuda.cu '#include "spmv/csr/csr.h"'
plant spmv/sliced/sliced.c '#include "spmv/ell/ell.h"'
plant spgemm/esc/esc.c '#include "spgemm/hash/hash.h"'
plant spgemm/hash/hash.c '#include "spgemm/galerkin/triple.h"'
plant spgemm/galerkin/triple.c '#include "spgemm/esc/esc.h"'
plant spgemm/esc/esc.c '#include "spmv/handle.h"'
plant spgemm/product.c '#include "precond/handle.h"'
plant io/read.c '#include "spmv/handle.h"'
plant precond/amg.c '#include "solver/method.h"'
plant precond/incomplete/incomplete.c '#include "precond/ilu/ilu.h"'
plant spmv/ell/ell_host.c '#define GS_BODY "spmv/csr/csr_body.h"'
plant spmv/ell/ell_rows.h '#define GS_COLUMNS_BODY "spmv/csr/csr_columns.h"'
plant solver/methods/cg.c '#include "spmv/handle.h"'
plant solver/methods/cg.c '#include "precond/handle.h"'
plant solver/method.h '#ifndef K_H\n#define K_H\n#  include  "precond/handle.h"\n#endif'
plant cli/main.c '#include "matrix/csr.h"'
plant examples/1_solve.c '#include "cli/cli.h"'
plant matrix/csr.c '#ifdef GSOLVE_CUDA\n#endif'
plant matrix/csr.c '#include "matrix/csr.h"\n#if 0\n#endif'
plant matrix/csr.h '#ifndef GSOLVE_CUDA\n#include "core/try.h"\n#endif'
plant solver/methods/cg.c '# if defined(_OPENMP)\n#endif'
plant precond/amg.h '#ifndef A_H\n#define A_H\n#ifndef B\n#define B\n#endif\n#endif'
exit $failed
