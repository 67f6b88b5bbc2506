#!/bin/sh
# versions.sh SOURCE PYTHON: scripts/versions.py finds each file that names another version, and each date that is missing.
set -eu
source=$1 python=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
versions() { "$python" "$source/scripts/versions.py" --top "$work/top" "$@" >"$work/out" 2>&1; }
fresh() {
    rm -rf "$work/top"
    mkdir "$work/top"
    (cd "$source" && tar cf - include CITATION.cff CHANGELOG.md debian packaging docs/gsolve.1 tests/abi) | tar xf - -C "$work/top"
}
finds() { # WORD...: the faults have the words
    if versions; then echo "FAILED: no fault found; expected: $*"; exit 1; fi
    for word in "$@"; do grep -q -- "$word" "$work/out" || { cat "$work/out"; echo "FAILED: no '$word'"; exit 1; }; done
}
version=$("$python" "$source/scripts/versions.py") # agrees now
so=${version%.*} next=${version%.*}.$((${version##*.} + 1))

for file in CITATION.cff debian/changelog CHANGELOG.md packaging/gsolve.spec packaging/conda/recipe.yaml docs/gsolve.1; do
    fresh
    sed -i "1,/$version/s/$version/$next/" "$work/top/$file"
    finds "^$file has $next"
done
fresh
sed -i 's/GSOLVE_VERSION_MINOR /&9/' "$work/top/include/gsolve_context.h"
finds 'three numbers'
fresh
sed -i "s/^Package: libgsolve$so\$/Package: libgsolve9.9/" "$work/top/debian/control"
finds '^debian/control has 9\.9'
fresh
rm "$work/top/debian/libgsolve$so.symbols"
finds "libgsolve$so.symbols is missing"
sed 1d "$source/tests/abi/libgsolve.symbols" >"$work/top/debian/libgsolve$so.symbols"
finds 'differs from tests/abi'

fresh # a release has one date in all files
sed -i "s/^## $version (.*)/## $version (2027-01-31)/" "$work/top/CHANGELOG.md"
sed -i '/^date-released/d' "$work/top/CITATION.cff"
finds 'date-released'
echo 'date-released: 2027-01-31' >>"$work/top/CITATION.cff"
sed -i '1s/) [a-zA-Z]*;/) UNRELEASED;/' "$work/top/debian/changelog"
finds UNRELEASED
sed -i '1s/UNRELEASED/unstable/' "$work/top/debian/changelog"
versions --released || { cat "$work/out"; exit 1; }
echo "all faults found"
