#!/usr/bin/env bash
# gpu.sh [check|bench|all] [OUT] [MATRICES]: on a machine with a GPU, builds for it, runs the tests there with those of the
# label cuda, the memory checker on the small ones, and the benchmarks of bench/run_device.sh, which takes MATRICES. OUT: a
# folder for logs.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-all} out=${2:-build-gpu/logs} matrices=${3:-}
mkdir -p "$out"
cmake -B build-gpu -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=native >"$out/configure.log"
cmake --build build-gpu -j "$(nproc)" >"$out/build.log" 2>&1 || { tail -30 "$out/build.log"; exit 1; }
if [ "$what" != bench ]; then
  ctest --test-dir build-gpu -j 8 --output-on-failure -LE slow >"$out/ctest.log" 2>&1 || true
  grep -E 'tests passed|Failed|Skipped|\(Not Run\)' "$out/ctest.log" || true
  for tool in memcheck racecheck initcheck; do
    for how in "poisson2d,n=12 cg jacobi" "poisson2d,n=12 cg,resident=off jacobi" "poisson2d,n=40 bicgstab jacobi" "poisson2d,n=40 refine jacobi" "convdiff3d,n=5 gmres ilu" "convdiff3d,n=5 bicgstab block_jacobi" "neumann2d,n=8 minres chebyshev" \
        "convdiff3d,n=5 bicg isai,relax=1" "circuit,n=3000,dense=2 cg ic" "web,n=2000,longest=1500 idr none"; do
      set -- $how
      rc=0
      timeout 200 compute-sanitizer --tool $tool --error-exitcode 9 build-gpu/cli/gsolve -A "gen:$1" --device cuda --solver "$2,maxit=40" \
        --precond "$3" >"$out/$tool.log" 2>&1 || rc=$?
      case $rc in
      0 | 2) echo "$tool $how: clean" ;;
      124) echo "$tool $how: not ended after 200 s" ;;
      *) echo "$tool $how: not clean" && grep '=====' "$out/$tool.log" | head -3 ;;
      esac
    done
  done
fi
if [ "$what" != check ]; then bench/run_device.sh build-gpu "$out" "$matrices"; fi
