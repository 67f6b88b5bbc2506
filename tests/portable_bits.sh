#!/bin/sh
# portable_bits.sh GSOLVE...: solves by every method, preconditioner and format with each of the
# commands, of builds for other processors or by other compilers, with 1, 2 and 16 threads; every x
# must be that of the first command with one thread, bit for bit. Left out: auto, which may choose by
# time, and direct, whose library is compiled elsewhere.
[ $# -gt 0 ] || { echo "usage: portable_bits.sh GSOLVE..." >&2; exit 2; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export OMP_WAIT_POLICY=passive # threads that wait leave the processors to others
first=$1
solves=0 failures=0

names() { # of what the command lists under $1
    "$first" list "$1" | sed -n 's/^  \([a-z][a-z_0-9]*\) .*/\1/p' | grep -vx -e auto -e direct -e cusparse
}

# x of one solve, or the exit code; a solve may end without converging
solution() {
    rm -f "$folder/x.mtx"
    "$@" -x "$folder/x.mtx" >/dev/null 2>&1 </dev/null
    echo "exit code $?" >"$folder/code"
    [ -f "$folder/x.mtx" ] && cat "$folder/x.mtx" "$folder/code" || cat "$folder/code"
}

compare() { # MATRIX RIGHT_HAND_SIDES FORMAT OPTION...
    matrix=$1 rhs=$2 format=$3
    shift 3
    set -- -b "$rhs" --format "$format" "$@"
    solves=$((solves + 1))
    solution "$first" -A "$matrix" "$@" --threads 1 >"$folder/want"
    for gsolve in $commands; do
        for threads in 1 2 16; do
            solution "$gsolve" -A "$matrix" "$@" --threads $threads >"$folder/got"
            cmp -s "$folder/want" "$folder/got" && continue
            failures=$((failures + 1))
            echo "$gsolve -A $matrix $* --threads $threads: another x"
        done
    done
}

commands=$*
for gsolve in $commands; do
    "$gsolve" --version >/dev/null || { echo "portable_bits.sh: $gsolve does not run" >&2; exit 2; }
done
methods=$(names solvers) preconds=$(names preconds) formats=$(names formats)
for method in $methods; do
    compare gen:poisson3d,n=14 random csr --solver "$method,maxit=40" --precond jacobi
    compare gen:convdiff3d,n=14 random csr --solver "$method,maxit=40" --precond none
    compare gen:convdiff3d,n=12 random csr --solver "$method,maxit=20" --precond ilu --type f32
done
for precond in $preconds; do
    compare gen:elasticity3d,n=6 random csr --solver cg,maxit=40 --precond "$precond"
    compare gen:convdiff3d,n=14 random csr --solver bicgstab,maxit=40 --precond "$precond"
done
for format in $formats; do
    compare gen:rmat,scale=12 random "$format" --solver bicgstab,maxit=10 --precond jacobi
    compare gen:poisson3d,n=14 random,k=5 "$format" --solver cg,maxit=40 --precond jacobi
done
echo "$solves solves, $failures with another x"
[ $failures -eq 0 ]
