#!/usr/bin/env bash
# run.sh PYTHON BUILD: runs the tests of the Python package that BUILD contains. Exit code 77, which means skipped, if parts are missing.
set -euo pipefail
[ $# -eq 2 ] || { echo "skipped: python3 was not found" && exit 77; }
python=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
missing=$("$python" -c '
import importlib.util
print(*(name for name in ("cffi", "numpy", "scipy", "pytest") if importlib.util.find_spec(name) is None))')
[ -z "$missing" ] || { echo "skipped: this Python lacks $missing" && exit 77; }
ls "$build"/python/pygsolve/_gsolve.*.so >/dev/null 2>&1 || { echo "skipped: this build has no Python package (GSOLVE_PYTHON_PACKAGE)" && exit 77; }
PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 exec "$python" -m pytest -q -p no:cacheprovider --rootdir "$here" "$here"
