#!/usr/bin/env bash
# gpu_check.sh SOURCE: scripts/gpu.sh check with a suite of its own, and with programs of its own in place of cmake, nvidia-smi and
# compute-sanitizer: when it is green, when not, and that it goes on where a call ended.
set -eu
source=$1
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
mkdir -p "$top/scripts" "$top/bin" "$top/build-gpu/cli"
cp "$source"/scripts/gpu*.sh "$top/scripts/"
cd "$top"
record=bench/results/h200/checked.json
unset LIMIT JOBS
export PATH=$top/bin:$PATH GSOLVE_COMMIT=0123456789abcdef TOOLS="memcheck racecheck"

program() { # PATH BODY
  printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"
}
fail() { echo "FAILED: $*" && sed 's/^/    /' said && exit 1; }

# run CODE: gpu.sh check must exit with it.
run() {
  local code=0
  scripts/gpu.sh check logs >said 2>&1 || code=$?
  [ "$code" -eq "$1" ] || fail "exit code $code, not $1"
  [ "$code" -eq 0 ] || [ ! -e "$record" ] || fail "a record of what is not green"
}
said() { grep -q -- "$1" said || fail "did not say '$1'"; }

# suite NAME COMMAND...: the tests a and b, and a cuda test gpu that is COMMAND
suite() {
  cat >build-gpu/CTestTestfile.cmake <<END
add_test(a "$top/bin/count" a)
add_test(b "$top/bin/skip")
set_tests_properties(b PROPERTIES SKIP_RETURN_CODE 77)
add_test(gpu $1)
set_tests_properties(gpu PROPERTIES SKIP_RETURN_CODE 77 LABELS cuda TIMEOUT 30)
END
}

program bin/cmake ':'
program bin/nvidia-smi 'echo NVIDIA H200'
program bin/compute-sanitizer "echo \"\$*\" >>$top/sanitized; exit 2"
program bin/count "echo \$1 >>$top/counted"
program bin/skip 'exit 77'
program build-gpu/cli/gsolve 'echo "  csr     compressed rows"'

suite "\"$top/bin/count\" gpu"
run 0
grep -q '^ "commit": "0123456789abcdef",$' "$record" || fail 'no commit in the record'
grep -q '"tests_passed": 2,' "$record" || fail 'two tests have passed'
grep -q '"tests_skipped": \["b"\],' "$record" || fail 'one test was skipped'
grep -q '"sanitizer_runs": {"memcheck": 28, "racecheck": 25},' "$record" || fail '23 solves, a format and a program, by two tools, and three programs by one'
cmp -s "$record" logs/checked.json || fail 'no copy of the record among the logs'
[ "$(wc -l <sanitized)" -eq 53 ] || fail 'a run under compute-sanitizer is missing or was repeated'
rm "$record"

run 0 # for the same commit nothing is repeated
[ "$(cat sanitized counted | wc -l)" -eq 55 ] || fail 'what is done was repeated'
rm "$record"
GSOLVE_COMMIT=abcdef0 run 0 # for another commit everything is
[ "$(wc -l <counted)" -eq 4 ] || fail 'another commit was not checked'
rm "$record"

(unset GSOLVE_COMMIT && run 1 && said 'GSOLVE_COMMIT must name')

suite "\"$top/bin/skip\""
GSOLVE_COMMIT=abcdef1 run 1
said 'gpu: skipped, on a machine with a GPU'
suite "\"$top/bin/count\" gpu"
GSOLVE_COMMIT=abcdef1 run 0 # red is not kept
rm "$record"
sed -i 's/ LABELS cuda//' build-gpu/CTestTestfile.cmake
GSOLVE_COMMIT=abcdef1 run 1
said 'no test for a GPU'
suite '"false"'
GSOLVE_COMMIT=abcdef2 run 1
said 'gpu: Failed'
suite "\"$top/bin/count\" gpu"
program bin/compute-sanitizer 'echo "===== a race"; exit 9'
GSOLVE_COMMIT=abcdef3 run 1
said 'racecheck -A gen:poisson2d,n=12 --solver cg,maxit=40 --precond jacobi: not clean (9)'
said '===== a race'

# A call that ends before its tests have: the next one does what is left.
program bin/compute-sanitizer 'exit 0'
program bin/sleeper "[ -z \"\$LIMIT\" ] || exec sleep 100"
suite "\"$top/bin/sleeper\""
: >counted
export GSOLVE_COMMIT=abcdef4
LIMIT=18 TOOLS=memcheck run 3
said 'call again'
TOOLS=memcheck run 0
[ "$(wc -l <counted)" -eq 1 ] || fail 'a test that had passed was repeated'
