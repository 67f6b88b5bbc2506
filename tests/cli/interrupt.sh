#!/usr/bin/env bash
# interrupt.sh GSOLVE: Ctrl-C at any moment, --time-limit, and the line on a terminal. Whatever the moment: the exit code is one of
# those in the help, a report or a sentence says what was reached, and no temporary file stays.
set -u
gsolve=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir here # the files that a run writes

fail() { # fail TEXT: shows the last run and ends
    echo "FAILED: $what: $1"
    echo "--- exit code $code; standard output:"; tail -20 out
    echo "--- standard error:"; cat err
    exit 1
}
# Runs gsolve; SIGINT arrives after the time $1, once or, with $1 = 0.4+0.3, again 0.3 s later.
interrupt() {
    local first=${1%+*} second=${1#*+}
    shift
    what="gsolve $* (Ctrl-C after $first s)"
    rm -rf here/*
    : >out
    : >err
    env --default-signal=INT "$gsolve" "$@" >out 2>err &
    pid=$!
    sleep "$first"
    kill -INT $pid 2>err_of_kill
    if [ "$second" != "$first" ]; then
        sleep "$second"
        kill -INT $pid 2>err_of_kill
    fi
    wait $pid
    code=$?
}
no_temporary() {
    local left
    left=$(ls -A here | grep -v -x -e x.mtx -e r.json -e h.csv)
    [ -z "$left" ] || fail "left $left"
}
# Exit code 0: it had ended; 2: a report; 130: a sentence, or the command had hardly begun.
check() {
    case $code in
    0) grep -q '^outcome     converged' out || fail 'no report' ;;
    2) grep -q '^outcome     NOT CONVERGED: stopped' out && grep -q '^residual ' out || fail 'no report' ;;
    130)
        [ ! -s err ] || grep -q '^gsolve: interrupted while ' err || fail 'no sentence'
        [ "$(wc -l <err)" -le 1 ] || fail 'more than one sentence'
        ;;
    *) fail 'exit code' ;;
    esac
    [ $code -eq 130 ] || grep -q '"outcome"' here/r.json || fail 'no JSON'
    no_temporary
}
limit() { # limit CODE SECONDS ARGUMENT...: a run with a time limit, which ends soon after it
    local expected=$1 seconds=$2
    shift 2
    what="gsolve $* --time-limit $seconds"
    rm -rf here/*
    begin=$(date +%s)
    "$gsolve" "$@" --time-limit "$seconds" >out 2>err
    code=$?
    [ $code -eq "$expected" ] || fail 'exit code'
    [ $(($(date +%s) - begin)) -le 20 ] || fail 'ended late'
    no_temporary
}

endless="--solver gmres,restart=2,stall=0 --precond none --maxit 100000000 --rtol 1e-14"
"$gsolve" generate poisson3d,n=40 -o B.mtx.gz --quiet

# --- Ctrl-C at many moments: reading, check, set-up, solve, writing --------------------------------------------------------------


for k in 0 1 2 3 4 5 6 7 8 9; do
    ln -f B.mtx.gz A.mtx.gz # the file of a cache that is not complete would stay beside it
    rm -f A.mtx.gz.gscache*
    interrupt 0.0$k -A A.mtx.gz --cache --precond amg -x here/x.mtx --json here/r.json --history here/h.csv
    check
    left=$(echo A.mtx.gz.gscache.*)
    [ "$left" = 'A.mtx.gz.gscache.*' ] || fail "left $left"
done
for at in 0.1 0.15 0.2 0.3 0.5; do
    interrupt $at -A gen:poisson3d,n=70 --solver cg --precond amg -x here/x.mtx --json here/r.json
    check
    interrupt $at -A gen:poisson3d,n=50 --solver gmres --precond isai,power=3 -x here/x.mtx --json here/r.json
    check
done
# shellcheck disable=SC2086
interrupt 1.5 -A gen:poisson2d,n=200 $endless -x here/x.mtx --json here/r.json
[ $code -eq 2 ] || fail 'exit code'
check
[ -s here/x.mtx ] || fail 'no best iterate'
grep -q 'Interrupted after' out || fail 'the cause is missing'
# A factorisation of 100 thousand million operations, which the library cannot stop; then a second Ctrl-C.
for at in 1.5 1+0.3; do
    interrupt $at -A gen:poisson3d,n=46 --solver direct -x here/x.mtx
    [ $code -eq 130 ] || fail 'exit code'
    grep -q '^gsolve: interrupted while setting up the method direct' err || fail 'no sentence'
    no_temporary
done
# The best iterate of an attempt before.
interrupt 1.5 -A gen:poisson2d,n=200 --quiet $endless
[ $code -eq 2 ] && [ ! -s out ] && grep -q 'not converged (stopped)' err || fail 'quiet'

# compare shows what was measured, and says that results are missing
for what in --formats=csr --solvers=cg; do
    interrupt 1.5 compare gen:poisson3d,n=50 gen:poisson2d,n=10 $what --repeat 99
    [ $code -eq 2 ] || [ $code -eq 130 ] || fail 'exit code'
    [ $code -eq 130 ] || grep -q '^interrupted The comparison is not complete. Matrices begun: [12] of 2' out || fail 'not said'
done

# --- the time limit ---------------------------------------------------------------------------------------------------------------
# shellcheck disable=SC2086
limit 2 0.5 -A gen:poisson2d,n=200 $endless -x here/x.mtx --json here/r.json
grep -q 'NOT CONVERGED: time limit reached' out || fail 'no outcome'
grep -q '"outcome":.*"time limit reached"' here/r.json || fail 'no outcome in JSON'
[ -s here/x.mtx ] || fail 'no best iterate'
limit 2 1 -A gen:poisson3d,n=46 --solver direct -x here/x.mtx
grep -q '^gsolve: the time limit was reached while setting up the method direct' err || fail 'no sentence'
limit 2 0.000001 -A B.mtx.gz --json here/r.json
grep -q '^gsolve: the time limit was reached while reading B.mtx.gz' err || fail 'no sentence'
grep -q '"error":.*the time limit was reached while reading' here/r.json || fail 'no JSON'
limit 0 1000 -A B.mtx.gz --quiet
for bad in -1 nan x; do
    limit 1 $bad -A B.mtx.gz
    grep -q 'time-limit takes a number from 0' err || fail 'no sentence'
done

# --- a terminal -------------------------------------------------------------------------------------------------------------------
what='gsolve on a terminal'
code=0
"$gsolve" -A gen:poisson3d,n=50 --solver cg --precond amg >out 2>err
grep -q $'\r' out && fail 'control characters in a file'
if script -qec true /dev/null >/dev/null 2>&1; then
    # Stages are shown after 0.1 s. With one thread of a CPU, this set-up takes far longer.
    script -qec "'$gsolve' -A gen:poisson3d,n=90 --solver cg --precond amg --maxit 3 --device cpu --threads 1" /dev/null >out 2>err </dev/null
    for text in 'generating gen:poisson3d' 'checking the matrix' 'converting the matrix' 'setting up the method cg' 'of level [0-9]'; do
        grep -q "$text" out || fail "the terminal does not show '$text'"
    done
    "$gsolve" generate poisson3d,n=90 -o C.mtx --quiet
    script -qec "'$gsolve' convert C.mtx D.mtx.gz" /dev/null >out 2>err </dev/null
    grep -q 'reading C.mtx' out || fail 'the terminal does not show the reading'
fi
echo passed
