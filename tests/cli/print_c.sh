#!/bin/sh
# print_c.sh GSOLVE PROGRAM SOLUTION ARGUMENT...: PROGRAM is what gsolve ARGUMENT... -x SOLUTION --print-c prints, compiled. It must end
# as the command does, and write the same solution, bit for bit.
gsolve=$1
program=$2
solution=$3
shift 3
[ -x "$program" ] || { echo "print_c.sh: $program is missing: build everything first"; exit 1; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

"$program" >said 2>&1
code=$?
cat said
mv "$solution" by_program || exit 1
"$gsolve" "$@" -x by_command >out 2>&1
expected=$?
[ $code -eq $expected ] || { echo "the program ends with $code and the command with $expected"; exit 1; }
grep -v '^%' by_program >a
grep -v '^%' by_command >b
cmp a b || { echo 'another solution'; exit 1; }
iterations=$(sed -n 's/^iterations *\([0-9]*\).*/\1/p' out)
grep -q " after $iterations iterations" said || { echo "not $iterations iterations"; exit 1; }
! "$gsolve" "$@" --print-c --monitor >printed 2>&1 && grep -q 'leave --monitor out' printed || { echo '--monitor is not refused'; exit 1; }
