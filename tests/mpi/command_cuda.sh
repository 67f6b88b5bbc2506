#!/bin/sh
# command_cuda.sh MPIRUN GSOLVE: gsolve with ranks on GPUs, which share one if there is only one: the iterations of the
# CPU, what the report and the JSON say, and an error. Skipped (77) without a GPU.
set -eu
. "$(dirname "$0")/ranks.sh"

solve() { ranks 2 "$gsolve" "$@" --json "$work/r.json"; }
iterations() { sed -n 's/.*"iterations":[^0-9]*\([0-9]*\).*/\1/p' "$work/r.json"; }

if ! "$gsolve" -A gen:poisson2d,n=5 --device cuda --quiet >"$work/out" 2>"$work/error"; then
    if grep -q 'no CUDA\|cannot be used' "$work/error"; then
        echo "skipped: $(cat "$work/error")"
        exit 77
    fi
    fail "one rank"
fi
for of in "cg jacobi" "gmres ilu"; do
    set -- -A gen:poisson3d,n=20 --solver "${of% *}" --precond "${of#* }"
    solve "$@"
    [ "$code" = 0 ] || fail "2 ranks on the CPU: exit code $code"
    cpu=$(iterations)
    solve "$@" --device cuda
    [ "$code" = 0 ] || fail "2 ranks on a GPU: exit code $code"
    gpu=$(iterations)
    [ "$gpu" -ge $((cpu - 2)) ] && [ "$gpu" -le $((cpu + 2)) ] || fail "$of: $gpu iterations, and $cpu on the CPU"
    grep -q '"ranks":	2' "$work/r.json" || fail "JSON without ranks: $(cat "$work/r.json")"
    grep -q '"transport":	"staged mpi"' "$work/r.json" || fail "JSON without transport: $(cat "$work/r.json")"
    grep -q '"device":	"cuda"' "$work/r.json" || fail "JSON without the device: $(cat "$work/r.json")"
    grep -q '^ranks       2 by staged mpi' "$work/out" || fail "report without the transport"
done
solve -A gen:poisson2d,n=30 --device cuda,index=1000
[ "$code" = 1 ] || fail "no such GPU: exit code $code"
[ "$(grep -c '^gsolve: rank 0: CUDA device 1000' "$work/error")" = 1 ] || fail "not exactly one sentence"
