#!/usr/bin/env bash
# Installs what is missing, builds gsolve for the CPU, and solves a system: a beam of steel, or what is
# given as arguments of gsolve.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
"$top/scripts/build.sh" -DGSOLVE_CUDA=OFF
[ $# -gt 0 ] || set -- -A gen:elasticity3d,n=20 -b ones
exec "$top/build/cli/gsolve" "$@"
