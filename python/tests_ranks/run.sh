#!/usr/bin/env bash
# run.sh MPIRUN RANKS PYTHON BUILD: runs the tests of the Python package on several ranks. Exit code 77, which means skipped, if parts are missing.
set -euo pipefail
[ $# -eq 4 ] || { echo "skipped: mpirun or python3 was not found" && exit 77; }
mpirun=$1 ranks=$2 python=$3 build=$4
here=$(cd "$(dirname "$0")" && pwd)
missing=$("$python" -c '
import importlib.util
print(*(name for name in ("cffi", "numpy", "scipy", "pytest", "mpi4py") if importlib.util.find_spec(name) is None))')
[ -z "$missing" ] || { echo "skipped: this Python lacks $missing" && exit 77; }
ls "$build"/python/pygsolve/_gsolve.*.so >/dev/null 2>&1 || { echo "skipped: this build has no Python package (GSOLVE_PYTHON_PACKAGE)" && exit 77; }
mpi_of() { ldd "$1" | grep -oE 'lib(mpi|mpich)\.so\.[0-9]+' | sort -u; }
of_mpi4py=$(mpi_of "$("$python" -c 'from mpi4py import MPI; print(MPI.__file__)')") of_gsolve=$(mpi_of "$build"/mpi/libgsolve_mpi.so)
[ "$of_mpi4py" = "$of_gsolve" ] || { echo "skipped: mpi4py needs $of_mpi4py, and this build $of_gsolve" && exit 77; }
PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 exec "$here/../../tests/mpi/run.sh" "$mpirun" "$ranks" \
  "$python" -m pytest -q -p no:cacheprovider --rootdir "$here" "$here"
