#!/usr/bin/env bash
# gpu.sh [check|bench|all] [OUT]: on a machine with a GPU, builds for it, runs the tests there with those of the label
# cuda, the memory checker on the small ones, and the benchmarks of bench/run_device.sh. OUT: a folder for logs.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-all} out=${2:-build-gpu/logs}
mkdir -p "$out"
cmake -B build-gpu -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=native >"$out/configure.log"
cmake --build build-gpu -j "$(nproc)" >"$out/build.log" 2>&1 || { tail -30 "$out/build.log"; exit 1; }
if [ "$what" != bench ]; then
  ctest --test-dir build-gpu -j 8 --output-on-failure -LE slow >"$out/ctest.log" 2>&1 || true
  grep -E 'tests passed|Failed|Skipped|\(Not Run\)' "$out/ctest.log" || true
  for tool in memcheck racecheck initcheck; do
    if compute-sanitizer --tool $tool --error-exitcode 9 build-gpu/cli/gsolve -A gen:poisson2d,n=12 --device cuda \
        --solver cg --precond jacobi >"$out/$tool.log" 2>&1; then echo "$tool: clean"; else echo "$tool: rc $?"; tail -20 "$out/$tool.log"; fi
  done
fi
if [ "$what" != check ]; then bench/run_device.sh build-gpu "$out"; fi
