#!/usr/bin/env bash
# Installs missing packages, builds the command gsolve for the CPU, without tests and benchmarks, and runs it with the
# arguments of this script.
# Without arguments it solves a system of linear elasticity.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
"$top/scripts/build.sh" --target gsolve_command -DGSOLVE_CUDA=OFF
[ $# -gt 0 ] || set -- -A gen:elasticity3d,n=20 -b ones
exec "$top/build/cli/gsolve" "$@"
