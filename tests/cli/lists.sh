#!/bin/sh
# lists.sh GSOLVE SOURCE: every name that gsolve list prints stands in its row of README's table "What there is" and in its line of
# the man page, every list in the help of gsolve list, and every program and script of bench/ in bench/README.md. Every format stands in the
# overview of formats. No text of scripts/new.sh is left to fill in.
gsolve=$1
source=$2
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

# holds TEXT NAME...: each NAME stands in TEXT as a word; what says where that is.
holds() {
    text=" $(printf '%s' "$1" | tr '`|,;=:' '       ') "
    shift
    for name; do
        case $text in
        *" $name "*) ;;
        *) fail "$what lacks '$name'$remedy" ;;
        esac
    done
}

"$gsolve" --help >/dev/null || fail 'gsolve --help'
man=$(sed 's/\\-/-/g' "$source/docs/gsolve.1")
while read -r list label; do
    names=$("$gsolve" list "$list" | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p')
    [ -n "$names" ] || fail "gsolve list $list prints no name"
    what="README.md, row '$label'," remedy='; add it to the table "What there is"'
    # shellcheck disable=SC2086 # the names are words
    holds "$(grep "^| $label |" "$source/README.md")" $names
    what="docs/gsolve.1, '$label' in METHODS, FORMATS AND OTHER NAMES," remedy='; "make man" renews the page'
    # shellcheck disable=SC2086
    holds "$(echo "$man" | sed -n "/^\.SH METHODS, FORMATS/,/^\.SH EXIT/{/^\.B $label/{n;p;}}")" $names
    what='the help of gsolve list' remedy=
    holds "$("$gsolve" list --help | sed -n 's/^usage: .*\[\(.*\)\] \[options\]/\1/p')" "$list"
done <<END
solvers methods
preconds preconditioners
formats formats
products products of matrices
generators generators
devices devices
END

for name in $("$gsolve" list formats | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p'); do
    grep -q "\`$name\`" "$source/docs/understand/formats.md" || fail "docs/understand/formats.md lacks '$name'; add a line to its table"
done
left=$(cd "$source" && grep -rn 'FILL-IN' spmv precond solver io docs/understand docs/reference)
[ -z "$left" ] || fail "scripts/new.sh left texts to fill in:
$left"

# shellcheck disable=SC2012 # their names are words
programs=$(cd "$source/bench" && ls bench_*.c peer_*.c peer_*.cpp ./*.py ./*.sh tables/*.py tables/*.sh | sed 's|^\./||')
for program in $programs; do
    case $program in
    *.c | *.cpp) program=${program%.*} ;;
    esac
    grep -q "\`${program}[\` ]" "$source/bench/README.md" || fail "bench/README.md lacks '$program'"
done

[ "$failures" -eq 0 ]
