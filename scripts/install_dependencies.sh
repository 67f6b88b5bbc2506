#!/usr/bin/env bash
# Installs the packages that gsolve needs on Debian or Ubuntu, and those that let it read more kinds of files, if they are missing. Prints nothing if none is.
set -euo pipefail
packages=(gcc g++ cmake ninja-build pkg-config libsuitesparse-dev zlib1g-dev libcmocka-dev libcjson-dev
    libbz2-dev liblzma-dev libzstd-dev libmatio-dev)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
echo "installing ${missing[*]}"
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
