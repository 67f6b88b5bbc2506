#!/usr/bin/env bash
# release.sh [--check] [--tests REGEX] [--python] [--debian] OUT: makes the release of the commit HEAD and checks it.
# The folder OUT/gsolve-VERSION gets gsolve-VERSION.tar.gz, its SHA-256 sum and the release notes. It appears when every check has
# passed; on a failure nothing is left. The checks: all files name one version and are dated; the archive is unpacked in an empty
# folder, built for the CPU without warnings, tested, installed, and the installed command and a program that uses it are run.
#   --check        only checks: the version may be one that is not released, and nothing is written; OUT is left out
#   --tests REGEX  runs the tests whose names match, not all
#   --python       builds the wheel and the source distribution of the Python package from the archive, checks and adds them
#   --debian       builds the Debian packages from the archive, checks and adds them
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "release.sh: $*" >&2; exit 1; }
usage() { sed -n '2,9s/^# //p' scripts/release.sh >&2; exit 1; }
check='' python='' debian='' tests=() out=''
while [ $# -gt 0 ]; do
  case $1 in
  --check) check=1 ;;
  --python) python=1 ;;
  --debian) debian=1 ;;
  --tests) [ $# -gt 1 ] || usage && tests=(-R "$2") && shift ;;
  -*) usage ;;
  *) [ -z "$out" ] || usage && out=$1 ;;
  esac
  shift
done
if [ -n "$check" ]; then [ -z "$out" ] || usage; else [ -n "$out" ] || usage; fi

git rev-parse --is-inside-work-tree >/dev/null 2>&1 || fail "a release is made from a clone, since the archive holds what is committed"
git diff --quiet HEAD || fail "files differ from the last commit; commit or discard the changes, since the archive holds what is committed"
if [ -n "$check" ]; then version=$(python3 scripts/versions.py); else version=$(python3 scripts/versions.py --released); fi
name=gsolve-$version
if [ -z "$check" ]; then
  out=$(mkdir -p "$out" && cd "$out" && pwd)
  [ ! -e "$out/$name" ] || fail "$out/$name exists; remove it, or choose another folder"
  stage=$(mktemp -d "$out/.$name.XXXXXX")
else
  stage=$(mktemp -d)
fi
work=$(mktemp -d)
trap 'rm -rf "$work" "$stage"' EXIT
trap 'exit 1' INT TERM # runs the line above

step() { # WHAT COMMAND...
  echo "$1"
  "${@:2}" >"$work/log" 2>&1 || { tail -n 60 "$work/log" >&2 && fail "$1 failed"; }
}

git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$stage/$name.tar.gz"
(cd "$stage" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
python3 scripts/versions.py --notes >"$stage/notes.md"
mkdir "$work/empty"
tar xzf "$stage/$name.tar.gz" -C "$work/empty"
cd "$work/empty/$name"
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
step "configure $name in an empty folder" cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DGSOLVE_CUDA=OFF -DGSOLVE_WERROR=ON
step "build" cmake --build build
step "test" ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" "${tests[@]}"
grep -E 'tests passed|not run|Skipped' "$work/log" || true
step "install" cmake --install build --prefix "$work/prefix"
step "run the installed command" "$work/prefix/bin/gsolve" -A gen:poisson2d,n=20
says=$("$work/prefix/bin/gsolve" --version | head -n 1)
[ "$says" = "gsolve $version" ] || fail "the installed command says '$says', not 'gsolve $version'"
pc=$(dirname "$(find "$work/prefix" -name gsolve.pc)")
export PKG_CONFIG_PATH=$pc
# shellcheck disable=SC2046 # options are words
step "compile a program with the installed library" cc -std=c11 examples/1_solve.c -o "$work/program" $(pkg-config --cflags --libs gsolve) \
  -Wl,-rpath,"$(dirname "$pc")" -lm
step "run it" "$work/program"
if [ -n "$python" ]; then step "Python: wheel and source distribution" scripts/check_python.sh "$stage"; fi
if [ -n "$debian" ]; then step "Debian packages" scripts/check_debian.sh --install "$stage/debian"; fi

if [ -n "$check" ]; then
  echo "$name passes all checks; nothing was written"
else
  chmod 755 "$stage"
  mv -T "$stage" "$out/$name"
  echo "$out/$name"
  cat "$out/$name/$name.tar.gz.sha256"
fi
