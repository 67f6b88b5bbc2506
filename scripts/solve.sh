#!/usr/bin/env bash
# Installs missing packages, builds gsolve for the CPU, and runs it with the arguments of this script.
# Without arguments it solves a system of linear elasticity.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
"$top/scripts/build.sh" -DGSOLVE_CUDA=OFF
[ $# -gt 0 ] || set -- -A gen:elasticity3d,n=20 -b ones
exec "$top/build/cli/gsolve" "$@"
