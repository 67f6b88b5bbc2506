#!/usr/bin/env bash
# Installs what is missing, builds gsolve (with CUDA, for one architecture, where nvcc is found) and
# passes all tests. Arguments go to cmake: scripts/check.sh -DGSOLVE_NATIVE=OFF
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
"$top/scripts/build.sh" -DCMAKE_CUDA_ARCHITECTURES=90 -DGSOLVE_WERROR=ON "$@"
# Tests ask for more threads than small machines have: threads that wait leave the cores to others.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
jobs=$(nproc)
exec ctest --test-dir "$top/build" --output-on-failure -j $((jobs < 8 ? jobs : 8))
