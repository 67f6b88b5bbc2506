#!/bin/sh
# examples.sh GSOLVE JSON_KEYS: gsolve list NAME shows what each name is, needs and comes from, and an example, which runs. The
# same as JSON.
gsolve=$1
json_keys=$2
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
fail() { failures=$((failures + 1)) && echo "FAILED: $*"; }

for list in solvers preconds formats products generators devices; do
    for name in $("$gsolve" list $list | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p'); do
        "$gsolve" list "$name" >shown || fail "gsolve list $name"
        for label in what needs source; do
            grep -q "^  $label  *[^ ]" shown || fail "gsolve list $name has no line '$label'; cli/plugin_notes.c has the notes"
        done
        echo "$list $name" >>names
        "$gsolve" list "$name" --json - >json
        "$json_keys" json "${list}[0].name=$name" "${list}[0].needs" "${list}[0].source" || fail "gsolve list $name --json"
        case $list in products) continue ;; esac
        "$json_keys" json "${list}[0].example" || fail "gsolve list $name --json has no example"
        sed -n "s/^  example  *gsolve //p" shown >>examples
    done
done
[ "$(wc -l <names)" -ge 55 ] || fail "only $(wc -l <names) names"
sort -u examples >unique
while IFS= read -r arguments; do
    case $arguments in *'--device cuda'*) continue ;; esac # needs a GPU
    # shellcheck disable=SC2086 # the arguments are words
    "$gsolve" $arguments >out 2>err || fail "gsolve $arguments: $(cat err)"
done <unique
[ "$(wc -l <unique)" -ge 50 ] || fail "only $(wc -l <unique) examples"

# Without a name the list is short; the options are in the lists and at the names.
[ "$("$gsolve" list | wc -l)" -lt 90 ] || fail "gsolve list prints $("$gsolve" list | wc -l) lines"
"$gsolve" list | grep -q 'restart=' && fail 'gsolve list prints options'
"$gsolve" list solvers | grep -q 'restart=30' || fail 'gsolve list solvers prints no options'
"$gsolve" list GMRES | grep -q 'restart=30 .*(whole number, 1 to 1000)' || fail 'gsolve list GMRES'
"$gsolve" list auto | grep -c '^auto: ' | grep -qx 2 || fail 'gsolve list auto shows the format and the product'
[ "$failures" -eq 0 ]
