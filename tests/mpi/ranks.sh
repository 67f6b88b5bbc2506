# ranks.sh: what the tests of the command with MPI share. They source it with their arguments MPIRUN GSOLVE.
here=$(cd "$(dirname "$0")" && pwd)
mpirun=$1
gsolve=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

fail() {
    echo "$1"
    cat "$work/out" "$work/error"
    exit 1
}

# ranks N COMMAND...: runs a command; its output is in $work/out, its messages in $work/error, its exit code in $code
ranks() {
    n=$1
    shift
    code=0
    "$here/run.sh" "$mpirun" "$n" "$@" >"$work/out" 2>"$work/error" || code=$?
    if [ "$code" = 77 ]; then
        cat "$work/out"
        exit 77
    fi
}
