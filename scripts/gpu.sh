#!/usr/bin/env bash
# gpu.sh [check|bench|formats|tables|all] [OUT] [MATRICES]: on a machine with a GPU, builds for it and then
#   check    runs the tests there with those of the label cuda, and the memory checkers on small solves, by every format too
#   bench    the benchmarks of bench/run_device.sh
#   formats  every format beside cuSPARSE's (bench/run_formats.sh)
#   tables   the tables of the papers (bench/tables/run.sh)
# or all of these. OUT: a folder for logs. MATRICES: a folder of Matrix Market files for the last three. TOOLS: of compute-sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-all} out=${2:-build-gpu/logs} matrices=${3:-}
mkdir -p "$out"
cmake -B build-gpu -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=native >"$out/configure.log"
cmake --build build-gpu -j "$(nproc)" >"$out/build.log" 2>&1 || { tail -30 "$out/build.log"; exit 1; }
does() { [ "$what" = all ] || [ "$what" = "$1" ]; }
read -ra tools <<<"${TOOLS:-memcheck racecheck initcheck}"

sanitize() { # TOOL LABEL ARGUMENTS...: a solve of the command under a tool; 2 is the exit code of one that did not converge
  local tool=$1 label=$2 rc=0
  timeout 200 compute-sanitizer --tool "$tool" --error-exitcode 9 build-gpu/cli/gsolve "${@:3}" --device cuda >"$out/$tool.log" 2>&1 || rc=$?
  case $rc in
  0 | 2) echo "$tool $label: clean" ;;
  124) echo "$tool $label: not ended after 200 s" ;;
  *) echo "$tool $label: not clean ($rc)" && { grep '=====' "$out/$tool.log" || tail -1 "$out/$tool.log"; } | head -3 ;;
  esac
}

if does check; then
  ctest --test-dir build-gpu -j 8 --output-on-failure -LE slow >"$out/ctest.log" 2>&1 || true
  grep -E 'tests passed|Failed|Skipped|\(Not Run\)' "$out/ctest.log" || true
  formats=$(build-gpu/cli/gsolve list formats | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p')
  for tool in "${tools[@]}"; do
    for how in "poisson2d,n=12 cg jacobi" "poisson2d,n=12 cg,resident=off jacobi" "poisson2d,n=40 bicgstab jacobi" "poisson2d,n=40 refine jacobi" "convdiff3d,n=5 gmres ilu" "convdiff3d,n=5 bicgstab block_jacobi" "neumann2d,n=8 minres chebyshev" \
        "convdiff3d,n=5 bicg isai,relax=1" "poisson3d,n=8 cg amg" "poisson2d,n=40 cg amg" "convdiff3d,n=5 bicgstab amg" "circuit,n=3000,dense=2 cg ic" "web,n=2000,longest=1500 idr none"; do
      read -r matrix method precond <<<"$how"
      sanitize "$tool" "$how" -A "gen:$matrix" --solver "$method,maxit=40" --precond "$precond"
    done
    for format in $formats; do
      sanitize "$tool" "$format" -A gen:web,n=2000,longest=1500 --format "$format" --solver bicgstab,maxit=5,resident=off --precond none
    done
  done
fi
if does bench; then bench/run_device.sh build-gpu "$out" "$matrices"; fi
if does formats; then bench/run_formats.sh build-gpu "$out" "$matrices" | tee "$out/formats.md"; fi
if does tables; then bench/tables/run.sh build-gpu "$out" "$matrices"; fi
