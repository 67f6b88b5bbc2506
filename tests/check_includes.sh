#!/bin/sh
# check_includes.sh SOURCE: who includes whom. Folders may include: core: core; spmv, io: core; solver: core;
# precond: core, and each of its kinds' folders only itself and the plain files of precond/; likewise the
# formats in spmv/; cli and examples: include/ and themselves. No conditional compilation in the
# library but include guards and what a body template needs.
set -eu
cd "$1"
bad=0
complain() { echo "$1"; bad=1; }

# allowed FOLDER PATTERN: the quoted includes of FOLDER's files must match PATTERN.
allowed() {
    [ -d "$1" ] || return 0
    found=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' "$1" --include='*.[ch]' --include='*.cu' --include='*.cuh' | grep -vE "\"($2)" || true)
    [ -z "$found" ] || complain "not allowed in $1/:
$found"
}
public='gsolve(_plugin|_io)?\.h"'
allowed core "core/|$public"
allowed spmv "core/|spmv/|$public"
allowed io "core/|io/|$public"
allowed precond "core/|precond/|$public"
allowed solver "core/|solver/|$public"
allowed cli "cli/|gsolve(_plugin|_io)?\.h\""
allowed examples "$public"
for family in spmv precond; do
    for folder in "$family"/*/; do
        [ -d "$folder" ] || continue
        own=${folder%/}
        found=$(grep -rnE "^#[[:space:]]*include[[:space:]]+\"$family/[a-z_0-9]+/" "$folder" | grep -v "\"$own/" | grep -v '"precond/jacobi/jacobi.h"' || true)
        [ -z "$found" ] || complain "$own includes a sibling:
$found"
    done
done
found=$(grep -rnE '^[[:space:]]*#[[:space:]]*(if|ifdef|elif)\b' core spmv precond solver --include='*.[ch]' | grep -v __cplusplus || true)
[ -z "$found" ] || complain "conditional compilation:
$found"
exit $bad
