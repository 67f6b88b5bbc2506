#!/bin/sh
# typos.sh GSOLVE TABLE: each line of the table is "arguments | text": gsolve refuses the arguments with exit code 1 and one
# sentence that contains the text. Then: specs in other cases and with blanks are accepted.
gsolve=$1
table=$2
failures=0
lines=0
said=$(mktemp)
trap 'rm -f "$said"' EXIT
set -f # no file names for the words of a line

while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    arguments=${line%% | *} text=${line#* | } lines=$((lines + 1))
    # shellcheck disable=SC2086 # the arguments are words
    "$gsolve" $arguments >/dev/null 2>"$said"
    code=$?
    if [ "$code" -ne 1 ] || [ "$(wc -l <"$said")" -ne 1 ] || ! grep -qF -- "$text" "$said"; then
        failures=$((failures + 1))
        echo "FAILED: gsolve $arguments: exit code $code, without '$text':"
        cat "$said"
    fi
done <"$table"
[ "$lines" -ge 30 ] || { echo "FAILED: only $lines lines in $table" && exit 1; }

accepted() {
    "$gsolve" -A 'gen:Poisson2d, n = 9' -q "$@" 2>"$said" || {
        failures=$((failures + 1))
        echo "FAILED: gsolve $*" && cat "$said"
    }
}
accepted --solver CG
accepted --solver 'GMRES, restart = 20, rtol=1e-9' --precond ILU
accepted --solver 'Direct, factor= cholesky'
accepted --solver 'cg ,maxit=99' --precond ' Block_Jacobi , size=3' --format 'SELL, slice=8' --device 'CPU, threads=1'
accepted --precond 'AMG, smoother=chebyshev'
accepted --solver Auto --precond AUTO --format AUTO
[ "$failures" -eq 0 ]
