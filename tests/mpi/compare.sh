#!/bin/sh
# compare.sh MPIRUN GSOLVE: gsolve compare and the page of --html under mpirun: the rows of one rank, errors once, files
# complete or not at all.
set -eu
. "$(dirname "$0")/ranks.sh"

# rows_of JSON: names, methods, outcomes and iterations of the rows, sorted
rows_of() {
    sed '/"matrices":/q' "$1" | grep -E '"(name|solver|precond|outcome|iterations)":' |
        awk '{ printf "%s ", $0 } /"iterations":/ { print "" }' | sort
}

# same_rows ARGUMENTS: one process and three ranks give the same rows, and three the keys of ranks
same_rows() {
    "$gsolve" compare "$@" --repeat 1 --device cpu --json "$work/one.json" >/dev/null
    ranks 3 "$gsolve" compare "$@" --repeat 1 --json "$work/three.json"
    [ "$code" = 0 ] || fail "compare $*: exit code $code"
    rows_of "$work/one.json" >"$work/one.rows"
    rows_of "$work/three.json" >"$work/three.rows"
    [ -s "$work/one.rows" ] || fail "compare $*: no rows"
    cmp -s "$work/one.rows" "$work/three.rows" || fail "compare $*: other rows: $(diff "$work/one.rows" "$work/three.rows")"
    grep -q '"ranks":	3' "$work/three.json" || fail "compare $*: JSON without ranks"
    grep -q '"transport":	"mpi"' "$work/three.json" || fail "compare $*: JSON without transport"
    if command -v python3 >/dev/null; then python3 -m json.tool "$work/three.json" >"$work/text" || fail "compare $*: no JSON"; fi
}

"$gsolve" generate convdiff3d,n=6 -o "$work/A.mtx" >/dev/null
same_rows gen:poisson3d,n=8 --solvers cg,bicgstab,minres --preconds jacobi,chebyshev,none
same_rows gen:poisson3d,n=8 --solver cg --precond jacobi -b random,k=2 --seed 3 # all formats
[ "$(grep -c '^csr ' "$work/out")" = 2 ] || fail "compare: not two tables"
same_rows "$work/A.mtx" gen:poisson2d,n=12 --solvers gmres --preconds jacobi,none --formats csr,sell --columns-count 2 --rtol 1e-6
grep -q '^profile ' "$work/out" || fail "compare of two matrices: no profile"
same_rows gen:random,n=90,cols=40 --formats sell,bce

# random numbers are those of one rank: so is the residual of the fourth iteration
residual_of() { sed -n 's/.*"residual":[^0-9]*\([0-9.e+-]*\).*/\1/p' "$1" | awk '{ printf "%.4e", $1; exit }'; }
set -- compare gen:poisson2d,n=15 -b random --seed 4 --solvers cg --preconds jacobi --maxit 4 --device cpu
"$gsolve" "$@" --json "$work/one.json" >/dev/null && fail "converged in 4 iterations"
ranks 3 "$gsolve" "$@" --json "$work/three.json"
[ "$code" = 2 ] || fail "compare --maxit 4: exit code $code"
[ "$(residual_of "$work/one.json")" = "$(residual_of "$work/three.json")" ] || fail "another right-hand side of the same seed"

# a row that fails has a sentence, and the others are there
ranks 3 "$gsolve" compare "$work/A.mtx" --solvers direct,gmres,cg --preconds ilu --repeat 1 --csv "$work/rows.csv" --partition blocks
[ "$code" = 0 ] || fail "a row that fails: exit code $code"
grep -q '^direct .*set-up failed: direct does not work with a matrix that is distributed' "$work/out" || fail "direct without a sentence"
grep -q '^gmres + ilu .*converged' "$work/out" || fail "a row that fails: no other row"
grep -q '^partition   blocks: ' "$work/out" || fail "compare --partition: no line"
[ "$(wc -l <"$work/rows.csv")" = 4 ] || fail "not three lines of comma-separated values"
ranks 2 "$gsolve" compare "$work/A.mtx" --solvers cg --preconds none --maxit 2 --quiet
[ "$code" = 2 ] || fail "nothing solved: exit code $code"
[ -s "$work/out" ] && fail "compare --quiet printed"
ranks 3 "$gsolve" compare gen:poisson2d,n=9 --solvers cg --preconds jacobi --repeat 2 --ranks 2
[ "$code" = 0 ] || fail "compare --ranks 2: exit code $code"
grep -q '^ranks       2 of 3 by mpi' "$work/out" || fail "compare --ranks 2: not in the report"
ranks 1 "$gsolve" compare gen:poisson2d,n=9 --formats sell --repeat 1 --ranks all
[ "$code" = 0 ] || fail "compare --ranks on one rank: exit code $code"
ranks 2 "$gsolve" compare --help
[ "$(grep -c '^usage: gsolve compare' "$work/out")" = 1 ] || fail "compare: not exactly one help"
echo "ranks = 2" >"$work/options.txt"
code=0
"$gsolve" compare gen:poisson2d --config "$work/options.txt" 2>"$work/error" || code=$?
[ "$code" = 1 ] || fail "--ranks in a file: exit code $code"
grep -q 'gsolve: --ranks is for several ranks' "$work/error" || fail "--ranks in a file: no sentence"

# refuse SENTENCE ARGUMENTS: exit code 1 and the sentence once
refuse() {
    sentence=$1
    shift
    ranks 2 "$gsolve" "$@"
    [ "$code" = 1 ] || fail "$*: exit code $code"
    [ "$(grep -c "^gsolve: .*$sentence" "$work/error")" = 1 ] || fail "$*: not exactly one sentence: $(cat "$work/error")"
}

echo kept >"$work/page.html"
refuse 'nothing.mtx: No such file' compare "$work/nothing.mtx" --html "$work/page.html" --json "$work/e.json"
grep -q '"error":	".*nothing.mtx' "$work/e.json" || fail "compare: JSON without the error"
refuse 'nothing.mtx: No such file' "$work/nothing.mtx" --html "$work/page.html"
[ "$(cat "$work/page.html")" = kept ] || fail "an error changed the page"
refuse "the folder '$work/none' does not exist" compare gen:poisson2d --html "$work/none/page.html"
refuse "the folder '$work/none' does not exist" gen:poisson2d --html "$work/none/page.html"
refuse 'is both input and output' "$work/A.mtx" --html "$work/A.mtx"
refuse "nothing.txt: No such file" compare gen:poisson2d,n=9 -b "$work/nothing.txt"
refuse 'works on CPUs; leave --device cuda out' compare gen:poisson2d --device cuda
refuse '--type f32 works on one rank' compare gen:poisson2d --type f32
refuse '--ranks auto needs one method' compare gen:poisson2d --ranks auto
refuse '--ranks needs ' compare gen:poisson2d --ranks 9
refuse "unknown format 'nosuch'" compare gen:poisson2d,n=9 --formats nosuch
refuse "no option '--nosuch'" compare gen:poisson2d --nosuch
refuse '--partition needs a square matrix' compare gen:random,n=90,cols=40 --partition blocks

# the page: complete, with the rows of each rank, a curve and the pattern
check_page() { # WORDS: that the page has
    [ "$code" = "$expected" ] || fail "--html: exit code $code"
    tail -n 1 "$work/page.html" | grep -q '</html>' || fail "--html: no end"
    for word in '"transport":"mpi"' '{"rank":2,"rows":' '"ghosts":' '"spy":{' "$@"; do
        grep -qF "$word" "$work/page.html" || fail "--html: no $word"
    done
    [ "$(find "$work" -name 'page.html?*' | wc -l)" = 0 ] || fail "--html left a temporary file"
}
expected=0
ranks 3 "$gsolve" gen:poisson3d,n=8 --solver cg --precond jacobi --html "$work/page.html" --profile --quiet
check_page '"curves":[{"attempt":1,"solver":"cg"' '"points":[[0,1],[1,' '"seconds_most":' '"command":"mpirun -n 3 gsolve gen:'
expected=2
ranks 3 "$gsolve" gen:convdiff3d,n=6 --solver cg,stall=50 --precond none --html "$work/page.html" --ranks all
check_page '"cause":"A is not symmetric, which cg needs."'
expected=0
ranks 3 "$gsolve" compare gen:poisson3d,n=8 --solvers cg --preconds jacobi --repeat 1 --html "$work/page.html"
check_page '"compares":"solvers"' '"history":[1,'
ranks 3 "$gsolve" compare gen:poisson3d,n=8 --formats sell --repeat 1 --html -
[ "$code" = 0 ] && tail -n 1 "$work/out" | grep -q '</html>' || fail "--html -: no page"
sed -n 1p "$work/out" | grep -q '^<!doctype html>' || fail "--html -: text before the page"
