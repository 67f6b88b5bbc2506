#!/usr/bin/env bash
# gpu.sh [check|bench|formats|tables|all] [OUT] [MATRICES]: on a machine with a GPU, builds for it and then
#   check    runs all tests, and small solves under the memory checkers (scripts/gpu_check.sh describes how to resume it)
#   bench    the benchmarks of bench/run_device.sh
#   formats  every format and those of cuSPARSE (bench/run_formats.sh)
#   tables   the tables of the papers (bench/tables/run.sh)
#   all      all of these
# OUT: a folder for logs. MATRICES: a folder of Matrix Market files for bench, formats and tables.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-all} out=${2:-build-gpu/logs} matrices=${3:-}
does() { [ "$what" = all ] || [ "$what" = "$1" ]; }
if does check; then scripts/gpu_check.sh "$out"; fi
[ "$what" != check ] || exit 0
mkdir -p "$out"
cmake -B build-gpu -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=native >"$out/configure.log"
cmake --build build-gpu -j "$(nproc)" >"$out/build.log" 2>&1 || { tail -30 "$out/build.log"; exit 1; }
if does bench; then bench/run_device.sh build-gpu "$out" "$matrices"; fi
if does formats; then bench/run_formats.sh build-gpu "$out" "$matrices" | tee "$out/formats.md"; fi
if does tables; then bench/tables/run.sh build-gpu "$out" "$matrices"; fi
