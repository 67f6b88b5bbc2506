#!/bin/sh
# run.sh MPIRUN RANKS PROGRAM [ARGUMENT...]: runs the program on that many ranks of this host, more than it has
# processors if need be, with Open MPI or MPICH, also as root. MPIRUN_OPTIONS: more options of mpirun. Exit code 77 and
# the reason if mpirun does not work.
set -u
mpirun=$1
ranks=$2
shift 2
if "$mpirun" --version 2>&1 | grep -qi 'open.*mpi\|open-mpi\|prrte'; then
    set -- --oversubscribe --mca btl_base_warn_component_unused 0 -n "$ranks" "$@"
    if [ "$(id -u)" = 0 ]; then set -- --allow-run-as-root "$@"; fi
else
    set -- -n "$ranks" "$@"
fi
OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
export OMP_NUM_THREADS OMP_WAIT_POLICY
if ! "$mpirun" ${1:+--version} >/dev/null 2>&1; then
    echo "skipped: $mpirun does not run"
    exit 77
fi
# shellcheck disable=SC2086 # the words of the options
exec "$mpirun" ${MPIRUN_OPTIONS:-} "$@"
