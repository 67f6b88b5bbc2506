#!/bin/sh
# perturb.sh GSOLVE: x must not depend on what fresh memory holds. Where the C library fills what it
# allocates and frees as $MALLOC_PERTURB_ says (glibc), the command writes the same x for each value.
gsolve=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
runs=0

# same ARGUMENT...: x and the exit code for all values are those for the first, converged or not.
same() {
    for byte in 0 1 85 255; do
        rm -f "x$byte"
        MALLOC_PERTURB_=$byte "$gsolve" --threads 1 --force --maxit 25 -b random "$@" -x "x$byte" >out 2>&1
        code=$?
        [ $byte -eq 0 ] && first=$code
        runs=$((runs + 1))
        if [ ! -s "x$byte" ] || [ $code -ne $first ] || ! cmp -s x0 "x$byte"; then
            failures=$((failures + 1))
            echo "FAILED: gsolve $*: MALLOC_PERTURB_=$byte: exit code $code, not $first, or another x"
            sed 's/^/    /' out | tail -3
            return
        fi
    done
}

names() {
    "$gsolve" list "$1" | sed -n 's/^  \([a-z_]*\) .*/\1/p'
}

for matrix in gen:poisson3d,n=6 gen:rmat,scale=8; do
    for format in $(names formats); do
        same -A $matrix --solver bicg --precond jacobi --format "$format"
        same -A $matrix --solver bicg --precond jacobi --format "$format" --type f32 -b random,k=3
    done
    for solver in $(names solvers); do
        precond="--precond jacobi"
        [ "$solver" = direct ] && precond=
        same -A $matrix --solver "$solver" $precond
        same -A $matrix --solver "$solver" $precond --format sell -b random,k=3
    done
    same -A $matrix
    for precond in $(names preconds); do
        same -A $matrix --solver bicg --precond "$precond"
        same -A $matrix --solver bicg --precond "$precond" --type f32 -b random,k=3
    done
done
for matrix in gen:poisson3d,n=6 gen:convdiff3d,n=6 gen:elasticity3d,n=3 gen:rmat,scale=10; do
    for coarsening in sa sa,aggregation=mis2 ua classical classical,aggressive=2; do
        for cycle in v w k; do
            same -A $matrix --solver fgmres --precond \
                "amg,coarsest=5,coarsening=$coarsening,cycle=$cycle"
        done
        same -A $matrix --solver fgmres --precond "amg,coarsening=$coarsening"
        same -A $matrix --solver fgmres --precond "amg,complexity=1,coarsest=5,coarsening=$coarsening"
    done
    for smoother in l1_jacobi chebyshev spai0 gs ilu; do
        same -A $matrix --solver fgmres --precond "amg,coarsest=5,smoother=$smoother"
        same -A $matrix --solver bicg --precond "amg,coarsest=5,smoother=$smoother" -b random,k=3
    done
done
echo "$runs runs, $failures failures"
[ $runs -gt 400 ] || failures=1
[ $failures -eq 0 ]
