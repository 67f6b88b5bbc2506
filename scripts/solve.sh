#!/usr/bin/env bash
# Installs missing packages, builds the command gsolve in build-solve/ for the CPU of this machine, without tests and
# benchmarks, and runs it with the arguments of this script.
# Without arguments it solves a system of linear elasticity.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
# One processor needs no code for others (GSOLVE_LEVELS), which would take a third of the time.
"$top/scripts/build.sh" --folder build-solve --target gsolve_command -DGSOLVE_CUDA=OFF -DGSOLVE_LEVELS=OFF \
    -DCMAKE_C_FLAGS=-march=native -DGSOLVE_TESTS=OFF -DGSOLVE_BENCH=OFF -DGSOLVE_PETSC=OFF -DGSOLVE_PYTHON_PACKAGE=OFF
[ $# -gt 0 ] || set -- -A gen:elasticity3d,n=20 -b ones
exec "$top/build-solve/cli/gsolve" "$@"
