#!/usr/bin/env bash
# test_new.sh SOURCE CC: scripts/new.sh makes a plug-in of each kind in a copy of the sources; what it made, and the lists
# that it changed, compile without a warning, and a second plug-in of that name is refused.
set -euo pipefail
source=$1 cc=$2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

cd "$source"
cp -r CMakeLists.txt cmake include core vector matrix dist mpi spmv spgemm factor precond solver io docs scripts "$copy"
mkdir "$copy/tests"
cp tests/*.h tests/CMakeLists.txt "$copy/tests"
cd "$copy"
made=()
for kind in format method precond generator; do
    scripts/new.sh "$kind" "own_$kind" >said || fail "new.sh $kind"
    grep -q '^  1\. ' said || fail "new.sh $kind tells no next step"
    if scripts/new.sh "$kind" "own_$kind" >/dev/null 2>said; then fail "a second $kind of that name"; fi
    grep -q "there is a plug-in own_$kind" said || fail "new.sh $kind does not say that the name is taken"
    made+=("tests/test_own_$kind.c")
done
if scripts/new.sh format 2x 2>/dev/null; then fail 'a name that begins with a digit'; fi
for page in understand/formats/own_format reference/methods/own_method reference/preconditioners/own_precond; do
    [ -s "docs/$page.md" ] || fail "there is no docs/$page.md"
done
made+=(spmv/own_format/*.c solver/methods/own_method.c precond/own_precond/*.c io/generate_own_generator.c)
for file in "${made[@]}" spmv/formats.c solver/methods.c precond/kinds.c io/generate.c; do
    "$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Werror -fopenmp -fsyntax-only \
        -DGS_LEVEL_SUFFIX=baseline -DGS_LEVEL_BYTES=16 -Icmake/levels/one -Iinclude -I. "$file" || fail "$file"
done
if grep -rn '@[A-Z]*@\|template_name' "${made[@]}" docs/*/*/own_*; then fail 'a template has a word that new.sh does not know'; fi
for kind in format method precond generator; do
    grep -rqs "own_$kind" {spmv,solver,precond,io}/CMakeLists.txt || fail "CMake does not know own_$kind"
    grep -q "own_$kind" tests/CMakeLists.txt || [ "$kind" = generator ] || fail "no test apart of own_$kind"
done
grep -q '^  C methods/own_method.c methods/' solver/CMakeLists.txt || fail "own_method.c is not in the list of solver/methods"
grep -rq FILL-IN docs/understand/formats/own_format.md || fail 'a page has nothing to fill in'
