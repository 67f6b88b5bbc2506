#!/usr/bin/env bash
# Installs missing packages and builds gsolve in build/: all of it, or with --target NAME what that target needs.
# --folder FOLDER, before --target, is another folder. Other arguments go to cmake.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build target=all
if [ "${1:-}" = --folder ]; then
    folder=$2
    shift 2
fi
if [ "${1:-}" = --target ]; then
    target=$2
    shift 2
fi
scripts/install_dependencies.sh
mkdir -p "$folder"
log=$folder/build.log
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build "$folder" --target "$target" >>"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }
