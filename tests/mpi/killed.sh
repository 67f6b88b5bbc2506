#!/bin/sh
# killed.sh MPIRUN GSOLVE: one of three processes of gsolve is killed, or stopped, in a solve. The others end: mpirun
# ends them, or, if it does not, they fail after the timeout with a sentence. Processes that a signal ends while they
# write leave no temporary file.
set -eu
. "$(dirname "$0")/ranks.sh"
export GSOLVE_TEST_KILLED="$work" # marks the processes of this test

# find_ranks RANKS: prints the processes that are these ranks and run
find_ranks() {
    for process in /proc/[0-9]*; do
        case $(readlink "$process/exe" 2>/dev/null) in */gsolve-mpi) ;; *) continue ;; esac
        tr '\0' '\n' <"$process/environ" >"$work/environ" 2>/dev/null || continue
        grep -q "^GSOLVE_TEST_KILLED=$work$" "$work/environ" || continue
        grep -q "^\\(OMPI_COMM_WORLD_RANK\\|PMI_RANK\\)=[$1]\$" "$work/environ" || continue
        echo "${process#/proc/}"
    done
}

# has_used PROCESS TICKS: whether it has used that much processor time, and so left the set-up behind
has_used() {
    # shellcheck disable=SC2004 # a sum of two numbers
    used=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 12,13 | tr ' ' '+')
    [ -n "$used" ] && [ "$(($used))" -ge "$2" ]
}

# solves: waits until all ranks solve; false if they have ended before
solves() {
    for _ in $(seq 600); do
        kill -0 "$launcher" 2>/dev/null || return 1
        count=0
        for process in $(find_ranks 012); do
            if has_used "$process" "$ticks"; then count=$((count + 1)); fi
        done
        if [ "$count" = 3 ]; then return 0; fi
        sleep 0.1
    done
    fail "three ranks do not solve"
}

# kill_one SIGNAL OPTIONS: of mpirun. On a busy machine the ranks may give up before the signal, since one of them did
# not run for the whole timeout. Then they are started again.
ticks=$(getconf CLK_TCK) # a second
kill_one() {
    for _ in $(seq 5); do
        MPIRUN_OPTIONS=$2 "$here/run.sh" "$mpirun" 3 "$gsolve" gen:poisson2d,n=100 \
            --solver cg,rtol=0,maxit=100000000,stall=100000000 --precond none --device cpu,timeout=2,threads=1 \
            >"$work/out" 2>"$work/error" &
        launcher=$!
        if solves; then
            victim=$(find_ranks 1)
            if [ -n "$victim" ] && kill -s "$1" "$victim" 2>/dev/null; then
                wait_for_end "$1"
                return 0
            fi
        fi
        wait "$launcher" || true
        if grep -q '^skipped' "$work/out"; then
            cat "$work/out"
            exit 77
        fi
        grep -q 'another rank is gone' "$work/error" || fail "the ranks ended before the signal $1"
    done
    fail "the ranks gave up five times before the signal $1"
}

wait_for_end() {
    for _ in $(seq 300); do
        kill -0 "$launcher" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -s KILL "$victim" 2>/dev/null || true
    kill "$launcher"
    fail "30 seconds after rank 1 got the signal $1, the others still run"
}

has_sentence() {
    grep -q 'gsolve: rank [02]: the transport mpi failed: another rank is gone' "$work/error" || fail "$1: no sentence"
}

# Ends both processes while they write. On a slow machine the file may be complete before.
end_writers() {
    "$here/run.sh" "$mpirun" 2 "$gsolve" gen:tridiagonal,n=2000000 --solver cg --precond none --maxit 1 \
        --device cpu,timeout=2,threads=1 -x "$work/x.mtx" >"$work/out" 2>"$work/error" &
    launcher=$!
    processes=
    while kill -0 "$launcher" 2>/dev/null; do
        set -- "$work"/x.mtx.*.tmp
        if [ -e "$1" ]; then break; fi
        if [ "$(echo $processes | wc -w)" -lt 2 ]; then processes=$(find_ranks 01); fi
    done
    kill $processes 2>/dev/null || true
    wait "$launcher" || true
    for _ in $(seq 100); do # mpirun may end before its processes
        set -- "$work"/x.mtx.*.tmp
        [ -e "$1" ] || return 0
        sleep 0.1
    done
    fail "a temporary file is left: $1"
}

end_writers
kill_one KILL ""
kill_one STOP ""
has_sentence "rank 1 was stopped"
if "$mpirun" --version 2>&1 | grep -qi 'open.*mpi\|open-mpi\|prrte'; then # MPICH always ends the others
    kill_one KILL --enable-recovery
    has_sentence "rank 1 was killed"
fi
