#!/bin/bash
# release.sh SOURCE: scripts/release.sh with stand-ins for what builds and tests. It refuses what is no release, leaves nothing
# after a failure, and writes the same archive twice. Skipped (77) without git.
set -euo pipefail
source=$1
command -v git >/dev/null || { echo "skipped: git is not installed"; exit 77; }
git -C "$source" rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "skipped: the sources are no clone of git"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/top" "$work/bin" "$work/out"
(cd "$source" && tar cf - scripts include CITATION.cff CHANGELOG.md LICENSE debian packaging docs/gsolve.1 tests/abi examples/1_solve.c) | tar xf - -C "$work/top"
cd "$work/top"
version=$(python3 scripts/versions.py)
commit() { git -c user.name=test -c user.email=test@test.invalid commit -q -a -m "$1"; }
git init -q .
git add -A
commit sources

stand_in() { printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1"; }
# cmake --install makes a command that says its version, and the folder of gsolve.pc
stand_in cmake "[ \"\$1\" = --install ] || exit 0
mkdir -p \"\$4/bin\" \"\$4/lib/pkgconfig\"
touch \"\$4/lib/pkgconfig/gsolve.pc\"
printf '#!/bin/sh\necho gsolve $version\n' >\"\$4/bin/gsolve\"
chmod +x \"\$4/bin/gsolve\""
stand_in ctest 'echo "100% tests passed, 0 tests failed out of 1"'
stand_in pkg-config 'exit 0'
stand_in cc 'while [ "$1" != -o ]; do shift; done; printf "#!/bin/sh\n" >"$2" && chmod +x "$2"'
export PATH=$work/bin:$PATH
release() { scripts/release.sh "$@" >"$work/log" 2>&1; }
refuses() { # WORD ARGUMENT...: it fails, says WORD, and leaves nothing
  if release "${@:2}"; then echo "FAILED: not refused: ${*:2}"; exit 1; fi
  grep -q -- "$1" "$work/log" || { cat "$work/log"; echo "FAILED: no '$1'"; exit 1; }
  [ -z "$(ls -A "$work/out")" ] || { ls -A "$work/out"; echo "FAILED: something is left"; exit 1; }
}
release --check || { cat "$work/log"; exit 1; }
grep -q 'nothing was written' "$work/log"

# a date in all files: a release
sed -i "s/^## $version (.*)/## $version (not released)/" CHANGELOG.md
sed -i '/^date-released/d' CITATION.cff
sed -i '1s/) [a-zA-Z]*;/) UNRELEASED;/' debian/changelog
git diff --quiet HEAD || commit "not released"
refuses 'is not released' "$work/out"
sed -i "s/^## $version (.*)/## $version (2027-01-31)/" CHANGELOG.md
echo 'date-released: 2027-01-31' >>CITATION.cff
sed -i '1s/UNRELEASED/unstable/' debian/changelog
refuses 'differ from the last commit' "$work/out"
commit released

stand_in ctest 'echo "the test foo failed"; exit 8'
refuses 'the test foo failed' "$work/out"
stand_in ctest 'exit 0'
sed "s/echo gsolve $version/echo gsolve 9.9.9/" "$work/bin/cmake" >"$work/cmake_wrong" # an old command is found
cp "$work/bin/cmake" "$work/cmake_right"
cp "$work/cmake_wrong" "$work/bin/cmake"
refuses "says 'gsolve 9.9.9'" "$work/out"
cp "$work/cmake_right" "$work/bin/cmake"

release "$work/out" || { cat "$work/log"; exit 1; }
cd "$work/out/gsolve-$version"
sha256sum --quiet -c "gsolve-$version.tar.gz.sha256"
tar tzf "gsolve-$version.tar.gz" >"$work/list"
grep -qx "gsolve-$version/include/gsolve.h" "$work/list"
grep -q "^## $version (2027-01-31)" notes.md
cp "gsolve-$version.tar.gz" "$work/first.tar.gz"
cd "$work/top"
if release "$work/out"; then echo "FAILED: a release was overwritten"; exit 1; fi
rm -r "$work/out/gsolve-$version"
release "$work/out"
cmp "$work/first.tar.gz" "$work/out/gsolve-$version/gsolve-$version.tar.gz"
[ "$(ls -A "$work/out")" = "gsolve-$version" ]
echo "release.sh refuses, leaves nothing, and repeats"
