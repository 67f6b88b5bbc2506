#!/usr/bin/env bash
# Installs missing packages, builds gsolve (with CUDA, for one architecture, if nvcc is found) and runs
# all tests. Arguments go to cmake: scripts/check.sh -DBUILD_SHARED_LIBS=OFF
# scripts/check.sh --python checks the wheel and the source distribution of the Python package instead (check_python.sh).
# scripts/check.sh --hosts installs programs that use gsolve, and runs the tests of gsolve in them instead (check_hosts.sh).
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in -h | --help) sed -n '2,5s/^# //p' "$0" && exit 0 ;; esac
if [ "${1:-}" = --python ]; then exec "$top/scripts/check_python.sh" "${@:2}"; fi
if [ "${1:-}" = --hosts ]; then exec "$top/scripts/check_hosts.sh" "${@:2}"; fi
"$top/scripts/build.sh" -DCMAKE_CUDA_ARCHITECTURES=90 -DGSOLVE_WERROR=ON "$@"
# Tests use more threads than small machines have cores; with this, waiting threads free their cores.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
jobs=$(nproc)
exec ctest --test-dir "$top/build" --output-on-failure -j $((jobs < 8 ? jobs : 8))
