#!/bin/sh
# command.sh MPIRUN GSOLVE: the command gsolve under mpirun: one solve over all ranks, one report, errors once, files
# read and written; and a sentence where gsolve-mpi is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mpirun=$1
gsolve=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

fail() {
    echo "$1"
    cat "$work/out" "$work/error"
    exit 1
}

# ranks N ARGUMENT...: runs gsolve; its output is in $work/out, its messages in $work/error, its exit code in $code
ranks() {
    n=$1
    shift
    code=0
    "$here/run.sh" "$mpirun" "$n" "$@" >"$work/out" 2>"$work/error" || code=$?
    if [ "$code" = 77 ]; then
        cat "$work/out"
        exit 77
    fi
}

ranks 3 "$gsolve" -A gen:poisson3d,n=12 --json "$work/r.json"
[ "$code" = 0 ] || fail "3 ranks: exit code $code"
[ "$(grep -c '^outcome     converged' "$work/out")" = 1 ] || fail "not exactly one report"
grep -q '"ranks":	3' "$work/r.json" || fail "JSON without ranks: $(cat "$work/r.json")"
grep -q '"transport":	"mpi"' "$work/r.json" || fail "JSON without transport"

"$gsolve" -A gen:poisson2d,n=15 -x "$work/one.mtx" --solver cg --precond jacobi --rtol 1e-12 >/dev/null
"$gsolve" generate poisson2d,n=15 -o "$work/A.mtx" >/dev/null
ranks 2 "$gsolve" "$work/A.mtx" -x "$work/two.mtx" --solver cg --precond jacobi --rtol 1e-12 --quiet
[ "$code" = 0 ] || fail "a file: exit code $code"
[ -s "$work/out" ] && fail "--quiet printed"
[ "$(grep -vc '^%' "$work/one.mtx")" = "$(grep -vc '^%' "$work/two.mtx")" ] || fail "solutions of other lengths"
ranks 3 "$gsolve" "$work/A.mtx" -b "$work/one.mtx" --x0 "$work/two.mtx" --format sell
[ "$code" = 0 ] || fail "vectors from files: exit code $code"

ranks 2 "$gsolve" -A gen:poisson2d,n=30 --solver cg --precond none --maxit 2
[ "$code" = 2 ] || fail "not converged: exit code $code"
ranks 2 "$gsolve" -A "$work/nothing.mtx" --json "$work/e.json"
[ "$code" = 1 ] || fail "no file: exit code $code"
[ "$(grep -c '^gsolve: .*nothing.mtx' "$work/error")" = 1 ] || fail "not exactly one sentence"
grep -q '"error":' "$work/e.json" || fail "JSON without the error"
ranks 2 "$gsolve" -A gen:poisson2d --plot
[ "$code" = 1 ] || fail "--plot: exit code $code"
grep -q 'gsolve: --plot is not among' "$work/error" || fail "--plot without a sentence"
ranks 2 "$gsolve" convert gen:poisson2d -o "$work/B.mtx"
[ "$code" = 1 ] || fail "convert: exit code $code"
grep -q 'gsolve: gsolve convert works on one rank' "$work/error" || fail "convert without a sentence"

# --partition: the solution is that of the given rows, in their order
for spec in blocks auto metis scotch; do
    ranks 3 "$gsolve" "$work/A.mtx" -b "$work/one.mtx" --x0 "$work/two.mtx" -x "$work/$spec.mtx" --partition "$spec" \
        --solver cg --precond jacobi --rtol 1e-12 --json "$work/p.json"
    if grep -q "this build of gsolve has none" "$work/error"; then continue; fi
    [ "$code" = 0 ] || fail "--partition $spec: exit code $code"
    grep -q '^partition   ' "$work/out" || fail "--partition $spec: no line"
    grep -q '"ghosts":' "$work/p.json" || fail "--partition $spec: JSON without ghosts"
done
"$gsolve" "$work/A.mtx" -b "$work/one.mtx" -x "$work/expected.mtx" --solver cg --precond jacobi --rtol 1e-12 >/dev/null
for spec in blocks metis; do
    [ -f "$work/$spec.mtx" ] || continue
    awk 'FNR == 1 { file++ } /^%/ || NF > 1 { next }
         file == 1 { x[++n] = $1; next } { d = $1 - x[++m]; if (d * d > 1e-12 * (1 + x[m] * x[m])) bad = 1 }
         END { exit bad || n != 225 || m != n }' "$work/expected.mtx" "$work/$spec.mtx" || fail "--partition $spec: another solution"
done
ranks 1 "$gsolve" "$work/A.mtx" --partition auto
[ "$code" = 0 ] || fail "--partition on one rank: exit code $code"
ranks 2 "$gsolve" "$work/A.mtx" -b random --partition block
[ "$code" = 1 ] || fail "--partition block: exit code $code"
grep -q "gsolve: there is no partition 'block'" "$work/error" || fail "--partition block without a sentence"
ranks 3 "$gsolve" info gen:shuffled3d,n=8 --json "$work/i.json"
[ "$code" = 0 ] || fail "info: exit code $code"
grep -q '^ghosts      ' "$work/out" || fail "info without ghosts"
grep -q '"most_neighbours":	2' "$work/i.json" || fail "info: JSON without neighbours"
ranks 2 "$gsolve" gen:poisson2d -b random --seed one
[ "$code" = 1 ] || fail "--seed one: exit code $code"
grep -q 'gsolve: --seed needs a whole number' "$work/error" || fail "--seed without a sentence"
ranks 2 "$gsolve" gen:poisson2d,n=5 --solution "$work/three.mtx" --quiet
[ -s "$work/three.mtx" ] || fail "no solution"
ranks 2 "$gsolve" --help
grep -q 'usage: mpirun' "$work/out" || fail "no help"

cp "$gsolve" "$work/gsolve" # gsolve-mpi is not beside it
PATH=/usr/bin:/bin LD_LIBRARY_PATH=$(dirname "$(dirname "$gsolve")"):${LD_LIBRARY_PATH:-} ranks 2 "$work/gsolve" -A gen:poisson2d
[ "$code" = 1 ] || fail "without gsolve-mpi: exit code $code"
[ "$(grep -c 'gsolve-mpi, which solves one system' "$work/error")" = 1 ] || fail "without gsolve-mpi: no sentence"
PATH=/usr/bin:/bin "$gsolve" -A gen:poisson2d,n=10 >"$work/out" || fail "without mpirun"
