#!/usr/bin/env bash
# completion.sh GSOLVE: the scripts of gsolve completion offer options, words, names, keys and values; in bash, and in zsh
# where it is installed. The lines of the table: the command line before the cursor, after '=>' the words that must be offered,
# each of them as the whole word (in bash readline sees only what follows the last '=' or ':').
set -uo pipefail
gsolve=$1
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

"$gsolve" completion bash >"$folder/bash" || fail 'gsolve completion bash'
"$gsolve" completion zsh >"$folder/zsh" || fail 'gsolve completion zsh'
if "$gsolve" completion fish 2>"$folder/said"; then fail 'gsolve completion fish'; fi
grep -q 'bash and zsh' "$folder/said" || fail 'the sentence about fish'
cd "$folder" && touch one.mtx 'two words.mtx' || exit 1

cat >cases <<'CASES'
gsolve sol => solve
gsolve solve --so => --solver --solution
gsolve --prec => --precond
gsolve -A x --solver gm => gmres
gsolve -A x --solver gmres,res => gmres,restart=
gsolve -A x --solver gmres,rtol=1e-3,ba => gmres,rtol=1e-3,basis=
gsolve -A x --solver gmres,basis= => gmres,basis=f32 gmres,basis=f64
gsolve -A x --solver=gmres,basis=f => gmres,basis=f32 gmres,basis=f64
gsolve -A x --precond block => block_jacobi
gsolve -A x --precond jacobi,abs= => jacobi,abs=0 jacobi,abs=1
gsolve -A x --device cp => cpu
gsolve info x --type f => f32 f64
gsolve -A gen:poisson3 => gen:poisson3d gen:poisson3d27
gsolve -A gen:poisson2d,n => gen:poisson2d,n= gen:poisson2d,nx= gen:poisson2d,ny=
gsolve -A x -b rando => random random,k=
gsolve -A x --null-space co => constants
gsolve generate trid => tridiagonal
gsolve list bic => bicg bicgstab
gsolve list pre => preconds
gsolve help gen => generate
gsolve compare x --formats csr,se => csr,sell csr,segmented
CASES

# check SHELL LINE EXPECTED...: the words in the file `got` are EXPECTED.
check() {
    local shell=$1 line=$2
    shift 2
    [ "$(sort -u got | tr '\n' ' ')" = "$(printf '%s\n' "$@" | sort -u | tr '\n' ' ')" ] ||
        fail "$shell: '$line' offers $(tr '\n' ' ' <got), not $*"
}

in_bash() { # LINE: the whole words that bash would offer, in `got`
    bash -c '. ./bash || exit 1
        COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
        _gsolve
        cur=${1##* }
        case $cur in --*=*) cur=${cur#*=} ;; esac
        before=
        case $cur in *=*) before=${cur%=*}= ;; gen:*) before=gen: ;; esac
        for word in "${COMPREPLY[@]}"; do echo "$before$word"; done' - "$1" >got 2>err
    [ ! -s err ] || fail "bash: '$1': $(cat err)"
}

in_zsh() { # LINE
    zsh -f -c 'compdef() { :; }
        compadd() { shift; [[ $1 != "" ]] || shift; [[ $1 != -- ]] || shift; print -rl -- "$@" >>all; }
        compset() { :; }
        _files() { :; }
        : >all
        . ./zsh || exit 1
        words=(${(s: :)1}) CURRENT=$#words
        _gsolve
        cur=${words[-1]}
        case $cur in --*=*) cur=${cur#*=} ;; esac
        while IFS= read -r word; do if [[ $word == $cur* ]]; then print -r -- $word; fi; done <all' - "$1" >got 2>err
    [ ! -s err ] || fail "zsh: '$1': $(cat err)"
}

while IFS= read -r case; do
    line=${case% => *} expected=${case#* => }
    # shellcheck disable=SC2086 # expected has several words
    in_bash "$line" && check bash "$line" $expected
    # shellcheck disable=SC2086
    if command -v zsh >/dev/null; then in_zsh "$line" && check zsh "$line" $expected; fi
done <cases

in_bash 'gsolve -A '
for word in one.mtx 'two words.mtx' gen:; do grep -qx "$word" got || fail "after -A: $(cat got)"; done
in_bash 'gsolve -A x --maxit '
[ ! -s got ] || fail "the number of --maxit: $(cat got)"
zsh -n zsh 2>/dev/null || ! command -v zsh >/dev/null || fail 'the syntax of the script of zsh'
[ "$failures" -eq 0 ]
