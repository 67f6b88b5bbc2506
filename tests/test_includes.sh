#!/bin/sh
# test_includes.sh SOURCE: the check passes on the source, and fails on each planted violation.
set -eu
source=$1 check=$1/tests/check_includes.sh
sh "$check" "$source"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
plant() { # FILE LINE
    rm -rf "$work/tree"; mkdir -p "$work/tree"
    for folder in core spmv precond solver io cli examples; do cp -r "$source/$folder" "$work/tree/"; done
    printf '%s\n' "$2" >>"$work/tree/$1"
    if sh "$check" "$work/tree" >/dev/null 2>&1; then echo "not noticed: $1: $2"; exit 1; fi
}
plant core/csr.c '#include "spmv/matrix.h"'
plant solver/cg.c '#include "spmv/matrix.h"'
plant solver/cg.c '#include "precond/precond.h"'
plant cli/main.c '#include "core/csr.h"'
plant examples/1_solve.c '#include "core/csr.h"'
plant precond/ic/ic.c '#include "precond/ilu/ilu.h"'
plant spmv/matrix.c '#ifdef GSOLVE_CUDA'
echo "include directions hold"
