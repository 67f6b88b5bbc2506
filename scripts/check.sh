#!/usr/bin/env bash
# Installs what is missing, builds gsolve (with CUDA, for one architecture, where nvcc is found) and
# passes all tests. Arguments go to cmake: scripts/check.sh -DGSOLVE_NATIVE=OFF
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
"$top/scripts/build.sh" -DCMAKE_CUDA_ARCHITECTURES=90 -DGSOLVE_WERROR=ON "$@"
exec ctest --test-dir "$top/build" --output-on-failure
