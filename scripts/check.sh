#!/usr/bin/env bash
# Installs missing packages, builds gsolve (with CUDA, for one architecture, if nvcc is found) and runs
# all tests. Arguments go to cmake: scripts/check.sh -DBUILD_SHARED_LIBS=OFF
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
"$top/scripts/build.sh" -DCMAKE_CUDA_ARCHITECTURES=90 -DGSOLVE_WERROR=ON "$@"
# Tests use more threads than small machines have cores; with this, waiting threads free their cores.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
jobs=$(nproc)
exec ctest --test-dir "$top/build" --output-on-failure -j $((jobs < 8 ? jobs : 8))
