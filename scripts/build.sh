#!/usr/bin/env bash
# Installs missing packages and builds gsolve in the folder build/: all of it, or with --target NAME what that target
# needs. Other arguments go to cmake.
set -euo pipefail
cd "$(dirname "$0")/.."
target=all
if [ "${1:-}" = --target ]; then
    target=$2
    shift 2
fi
scripts/install_dependencies.sh
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >build.log 2>&1 || { cat build.log; exit 1; }
cmake --build build --target "$target" >>build.log 2>&1 || { tail -n 60 build.log; exit 1; }
mv build.log build/build.log
