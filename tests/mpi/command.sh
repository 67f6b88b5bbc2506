#!/bin/sh
# command.sh MPIRUN GSOLVE: the command gsolve under mpirun: one solve over all ranks, one report, errors once, files
# read and written; and a sentence where gsolve-mpi is missing.
set -eu
. "$(dirname "$0")/ranks.sh"
# Open MPI starts sooner with ob1, and does not wait a second for each job that fails
export OMPI_MCA_pml=ob1 OMPI_MCA_odls_base_sigkill_timeout=0

ranks 3 "$gsolve" -A gen:poisson3d,n=12 --ranks all --json "$work/r.json"
[ "$code" = 0 ] || fail "3 ranks: exit code $code"
[ "$(grep -c '^outcome     converged' "$work/out")" = 1 ] || fail "not exactly one report"
grep -q '"ranks":	3' "$work/r.json" || fail "JSON without ranks: $(cat "$work/r.json")"
grep -q '"transport":	"mpi"' "$work/r.json" || fail "JSON without transport"

"$gsolve" -A gen:poisson2d,n=15 -x "$work/one.mtx" --solver cg --precond jacobi --rtol 1e-12 >/dev/null
"$gsolve" generate poisson2d,n=15 -o "$work/A.mtx" >/dev/null
ranks 2 "$gsolve" "$work/A.mtx" -x "$work/two.mtx" --solver cg --precond jacobi --rtol 1e-12 --quiet
[ "$code" = 0 ] || fail "a file: exit code $code"
[ -s "$work/out" ] && fail "--quiet printed"
[ "$(grep -vc '^%' "$work/one.mtx")" = "$(grep -vc '^%' "$work/two.mtx")" ] || fail "solutions of other lengths"
ranks 3 "$gsolve" "$work/A.mtx" -b "$work/one.mtx" --x0 "$work/two.mtx" --format sell
[ "$code" = 0 ] || fail "vectors from files: exit code $code"

ranks 2 "$gsolve" -A gen:poisson2d,n=30 --solver cg --precond none --maxit 2
[ "$code" = 2 ] || fail "not converged: exit code $code"
ranks 2 "$gsolve" -A "$work/nothing.mtx" --json "$work/e.json"
[ "$code" = 1 ] || fail "no file: exit code $code"
[ "$(grep -c '^gsolve: .*nothing.mtx' "$work/error")" = 1 ] || fail "not exactly one sentence"
grep -q '"error":' "$work/e.json" || fail "JSON without the error"
ranks 2 "$gsolve" -A gen:poisson2d --plot
[ "$code" = 1 ] || fail "--plot: exit code $code"
grep -q 'gsolve: --plot is not among' "$work/error" || fail "--plot without a sentence"
ranks 2 "$gsolve" convert gen:poisson2d -o "$work/B.mtx"
[ "$code" = 1 ] || fail "convert: exit code $code"
grep -q 'gsolve: gsolve convert works on one rank' "$work/error" || fail "convert without a sentence"

# --partition: the solution is that of the given rows, in their order
for spec in blocks auto metis scotch; do
    ranks 3 "$gsolve" "$work/A.mtx" -b "$work/one.mtx" --x0 "$work/two.mtx" -x "$work/$spec.mtx" --partition "$spec" \
        --solver cg --precond jacobi --rtol 1e-12 --json "$work/p.json"
    if grep -q "this build of gsolve has none" "$work/error"; then continue; fi
    [ "$code" = 0 ] || fail "--partition $spec: exit code $code"
    grep -q '^partition   ' "$work/out" || fail "--partition $spec: no line"
    grep -q '"ghosts":' "$work/p.json" || fail "--partition $spec: JSON without ghosts"
done
"$gsolve" "$work/A.mtx" -b "$work/one.mtx" -x "$work/expected.mtx" --solver cg --precond jacobi --rtol 1e-12 >/dev/null
for spec in blocks metis; do
    [ -f "$work/$spec.mtx" ] || continue
    awk 'FNR == 1 { file++ } /^%/ || NF > 1 { next }
         file == 1 { x[++n] = $1; next } { d = $1 - x[++m]; if (d * d > 1e-12 * (1 + x[m] * x[m])) bad = 1 }
         END { exit bad || n != 225 || m != n }' "$work/expected.mtx" "$work/$spec.mtx" || fail "--partition $spec: another solution"
done
ranks 1 "$gsolve" "$work/A.mtx" --partition auto
[ "$code" = 0 ] || fail "--partition on one rank: exit code $code"
ranks 2 "$gsolve" "$work/A.mtx" -b random --partition block
[ "$code" = 1 ] || fail "--partition block: exit code $code"
grep -q "gsolve: there is no partition 'block'" "$work/error" || fail "--partition block without a sentence"
ranks 3 "$gsolve" info gen:shuffled3d,n=8 --json "$work/i.json"
[ "$code" = 0 ] || fail "info: exit code $code"
grep -q '^ghosts      ' "$work/out" || fail "info without ghosts"
grep -q '"most_neighbours":	2' "$work/i.json" || fail "info: JSON without neighbours"
for option in "--rtol 1e-6" "--rhs $work/nothing.mtx" "--format nosuch" "-x $work/unused.mtx" "--null-space constants"; do
    # shellcheck disable=SC2086 # the words of $option
    ranks 2 "$gsolve" info gen:poisson2d $option
    [ "$code" = 1 ] || fail "info $option: exit code $code"
    grep -q "gsolve: --[a-z-]* belongs to gsolve solve" "$work/error" || fail "info $option without a sentence"
done
ranks 2 "$gsolve" info gen:poisson2d,n=5 --partition blocks --device cpu --threads 1 --quiet
[ "$code" = 0 ] || fail "the options of info: exit code $code"
for command in solve info; do
    ranks 2 "$gsolve" $command gen:random,n=80,cols=50 --partition blocks
    [ "$code" = 1 ] || fail "$command --partition, 80 x 50: exit code $code"
    grep -q 'gsolve: --partition needs a square matrix; .* is 80 x 50' "$work/error" || fail "$command --partition, 80 x 50: no sentence"
done
ranks 2 "$gsolve" gen:poisson2d -b random --seed one
[ "$code" = 1 ] || fail "--seed one: exit code $code"
grep -q 'gsolve: --seed needs a whole number' "$work/error" || fail "--seed without a sentence"
ranks 2 "$gsolve" gen:poisson2d,n=5 --solution "$work/three.mtx" --quiet
[ -s "$work/three.mtx" ] || fail "no solution"
ranks 2 "$gsolve" --help
grep -q 'usage: mpirun' "$work/out" || fail "no help"

# --ranks: a small system takes one rank, a large one all; a named method takes all unless --ranks says otherwise
used() { sed -n 's/.*"ranks":[^0-9]*\([0-9]*\).*/\1/p' "$work/r.json"; }
expect_ranks() { # N ARGUMENTS: three ranks are started, and N of them solve
    expected=$1
    shift
    ranks 3 "$gsolve" "$@" --json "$work/r.json"
    [ "$code" = 0 ] || fail "$*: exit code $code"
    [ "$(used)" = "$expected" ] || fail "$*: $(used) ranks, not $expected"
    grep -q '"ranks_started":	3' "$work/r.json" || fail "$*: JSON without the started ranks"
}
expect_ranks 1 "$work/A.mtx" -x "$work/few.mtx" --rtol 1e-12 -b "$work/one.mtx"
grep -q '^ranks       1 of 3 by mpi' "$work/out" || fail "one of 3 ranks: not in the report"
grep -q 'too small for 3: an iteration is estimated to take .* us on 1 rank and .*; --ranks all takes all' "$work/out" ||
    fail "one of 3 ranks: no reason"
grep -q '"ranks_reason":	"the system is too small' "$work/r.json" || fail "one of 3 ranks: JSON without the reason"
expect_ranks 1 --ranks 1 "$work/A.mtx" -x "$work/only.mtx" --rtol 1e-12 -b "$work/one.mtx"
cmp -s "$work/few.mtx" "$work/only.mtx" || fail "--ranks 1 and a small system: other solutions"
expect_ranks 3 --ranks all "$work/A.mtx" -x "$work/all.mtx" --rtol 1e-12 -b "$work/one.mtx"
grep -q 'too small' "$work/out" && fail "--ranks all: a reason"
awk 'FNR == 1 { file++ } /^%/ || NF > 1 { next }
     file == 1 { x[++n] = $1; next } { d = $1 - x[++m]; if (d * d > 1e-12 * (1 + x[m] * x[m])) bad = 1 }
     END { exit bad || n != 225 || m != n }' "$work/few.mtx" "$work/all.mtx" || fail "fewer ranks: another solution"
expect_ranks 3 "$work/A.mtx" --solver cg --precond jacobi
expect_ranks 1 "$work/A.mtx" --solver cg --precond jacobi --ranks auto --partition blocks
expect_ranks 2 "$work/A.mtx" --ranks=2 --x0 "$work/two.mtx"
expect_ranks 3 gen:poisson3d,n=32
expect_ranks 2 gen:random,n=90,cols=40 -b random --ranks 2
expect_ranks 3 gen:random,n=90,cols=40 -b random
expect_ranks 2 info gen:poisson2d,n=20 --ranks 2
expect_ranks 3 info gen:poisson2d,n=5
ranks 3 "$gsolve" - --quiet --json "$work/r.json" <"$work/A.mtx"
[ "$code$(used)" = 01 ] || fail "a small system from standard input: exit code $code, $(used) ranks"
for number in 0 4 -1 two 1x ''; do
    ranks 3 "$gsolve" gen:poisson2d --ranks "$number"
    [ "$code" = 1 ] || fail "--ranks $number: exit code $code"
    [ "$(grep -c "gsolve: --ranks needs auto, all or a number from 1 to 3, not '$number'" "$work/error")" = 1 ] ||
        fail "--ranks $number: not exactly one sentence"
done
ranks 1 "$gsolve" gen:poisson2d,n=5 --ranks all
[ "$code" = 0 ] || fail "--ranks on one rank: exit code $code"
# while ranks are idle, the others fail with one sentence
ranks 3 "$gsolve" gen:poisson2d,n=12 --null-space constants
[ "$code" = 1 ] || fail "a failure while ranks are idle: exit code $code"
[ "$(grep -c '^gsolve: ' "$work/error")" = 1 ] || fail "a failure while ranks are idle: not exactly one sentence"
ranks 3 "$gsolve" gen:poisson2d,n=12 --maxit 1 --precond none --solver cg --ranks 2
[ "$code" = 2 ] || fail "not converged while a rank is idle: exit code $code"
code=0
timeout -s INT -k 60 3 "$here/run.sh" "$mpirun" 3 "$gsolve" gen:poisson2d,n=100 --ranks 2 --precond none \
    --solver cg,rtol=0,maxit=100000000,stall=100000000 >"$work/out" 2>"$work/error" || code=$?
[ "$code" != 0 ] && [ "$code" != 137 ] || fail "interrupted while a rank is idle: exit code $code"

# --profile: operations and messages, with the least and the most of all ranks
ranks 3 "$gsolve" gen:poisson3d,n=16 --solver cg --precond jacobi --format csr --profile --json "$work/r.json"
[ "$code" = 0 ] || fail "--profile: exit code $code"
for line in 'product + dot' 'halo exchange' 'sum over ranks' 'wait for other ranks'; do
    grep -q "^  $line  *[0-9]" "$work/out" || fail "--profile: no line of $line"
    grep -q "\"name\":	\"$line\"" "$work/r.json" || fail "--profile: JSON without $line"
done
grep -q 'least ms   most ms' "$work/out" || fail "--profile: no spread"
grep -q '^  rank [0-2] waits least, rank [0-2] most' "$work/out" || fail "--profile: no word on waiting"
grep -q '"most_rank":' "$work/r.json" || fail "--profile: JSON without the rank of the most"
grep -q '"same_bits":	true' "$work/r.json" || fail "--profile: other bits"
ranks 2 "$gsolve" gen:poisson3d,n=12 --precond none --solver cg --maxit 3 --profile
[ "$code" = 2 ] || fail "--profile of a solve that fails: exit code $code"
grep -q '^  halo exchange  *3' "$work/out" || fail "--profile of a solve that fails: no line"
ranks 3 "$gsolve" gen:poisson2d,n=10 --profile
grep -q 'least ms' "$work/out" && fail "--profile of one rank: a spread"
ranks 2 "$gsolve" gen:poisson2d --profile --quiet
[ "$code" = 1 ] || fail "--profile --quiet: exit code $code"
grep -q 'gsolve: --profile prints lines and --quiet suppresses them' "$work/error" || fail "--profile --quiet: no sentence"
ranks 2 "$gsolve" gen:poisson2d --profile --device cuda
[ "$code" = 1 ] || fail "--profile on GPUs: exit code $code"
grep -q 'gsolve: --profile over several ranks works on CPUs' "$work/error" || fail "--profile on GPUs: no sentence"
ranks 2 "$gsolve" info gen:poisson2d --profile
[ "$code" = 1 ] || fail "info --profile: exit code $code"

# standard input, which is that of rank 0; and standard output
ranks 2 "$gsolve" - -x - --quiet --solver cg --rtol 1e-12 <"$work/A.mtx"
[ "$code" = 0 ] || fail "the matrix from standard input: exit code $code"
[ "$(grep -vc '^%' "$work/one.mtx")" = "$(grep -vc '^%' "$work/out")" ] || fail "x to standard output has another length"
cp "$work/one.mtx" "$work/b.mtx"
ranks 3 "$gsolve" -A "$work/A.mtx" -b - --x0 "$work/one.mtx" <"$work/b.mtx"
[ "$code" = 0 ] || fail "b from standard input: exit code $code"
grep -q '^b           standard input' "$work/out" || fail "b from standard input is not in the report"
ranks 2 "$gsolve" -A - -b - <"$work/A.mtx"
[ "$code" = 1 ] || fail "two inputs from standard input: exit code $code"
grep -q 'standard input is given for two inputs' "$work/error" || fail "two inputs from standard input: no sentence"

# files are checked before the work: an input stays as it is, also if the call fails for another reason
cp "$work/A.mtx" "$work/input.mtx"
refused() { # SENTENCE ARGUMENTS
    sentence=$1
    shift
    ranks 2 "$gsolve" "$work/input.mtx" "$@"
    [ "$code" = 1 ] || fail "$*: exit code $code"
    [ "$(grep -c "^gsolve: .*$sentence" "$work/error")" = 1 ] || fail "$*: not exactly one sentence"
    cmp -s "$work/A.mtx" "$work/input.mtx" || fail "$*: the input has changed"
}
refused 'is both input and output' -x "$work/input.mtx"
refused 'is both input and output' --json "$work/input.mtx"
refused 'not among what gsolve does with several ranks' --json "$work/input.mtx" --nosuch
refused 'not among what gsolve does with several ranks' --nosuch --json "$work/input.mtx"
ranks 2 "$gsolve" --json "$work/input.mtx" --nosuch -A "$work/input.mtx"
cmp -s "$work/A.mtx" "$work/input.mtx" || fail "the JSON of an error replaced a matrix whose option was not parsed"
ranks 2 "$gsolve" "$work/input.mtx" --json "$work/e.json" --nosuch
grep -q '"error":	"--nosuch is not among' "$work/e.json" || fail "an unknown option: JSON without the error"
code=0
"$gsolve" --json "$work/input.mtx" --nosuch "-A=$work/input.mtx" 2>"$work/error" || code=$?
[ "$code" = 1 ] || fail "one rank, --nosuch: exit code $code"
cmp -s "$work/A.mtx" "$work/input.mtx" || fail "one rank: the JSON of an error replaced a matrix"
refused 'is the name of two outputs' -x "$work/y.mtx" --json "$work/y.mtx"
refused "the folder '$work/nofolder' does not exist" --json "$work/nofolder/r.json"
refused "the folder '$work/nofolder' does not exist" -x "$work/nofolder/x.mtx"

# why a solve failed, and what to do
ranks 3 "$gsolve" gen:convdiff3d,n=6 --solver cg,stall=50 --precond none --json "$work/r.json"
[ "$code" = 2 ] || fail "cg on a nonsymmetric matrix: exit code $code"
grep -q '^outcome     NOT CONVERGED' "$work/out" || fail "no NOT CONVERGED"
grep -q '^why         A is not symmetric, which cg needs' "$work/out" || fail "no cause"
grep -q '^try         Let gsolve choose the method' "$work/out" || fail "no remedy"
grep -q '"cause_name":	"not symmetric"' "$work/r.json" || fail "JSON without the cause"

# a null space, by name and from a file
ranks 3 "$gsolve" gen:neumann2d,n=12 --null-space constants -b random --json "$work/r.json"
[ "$code" = 0 ] || fail "a null space: exit code $code"
grep -q '^outcome     least squares' "$work/out" || fail "a null space: no least-squares solution"
grep -q '^null space  dimension 1;' "$work/out" || fail "a null space: not in the report"
grep -q '"null_space":' "$work/r.json" || fail "a null space: not in the JSON"
{ echo '%%MatrixMarket matrix array real general' && echo '144 1' && seq 144 | sed 's/.*/2/'; } >"$work/twos.mtx"
ranks 2 "$gsolve" gen:neumann2d,n=12 --null-space "$work/twos.mtx" --left-null-space constants
[ "$code" = 0 ] || fail "a null space from a file: exit code $code"
ranks 2 "$gsolve" gen:poisson2d,n=12 --null-space constants
[ "$code" = 1 ] || fail "a wrong null space: exit code $code"
grep -q 'the constant vector is not in the null space' "$work/error" || fail "a wrong null space: no sentence"
ranks 3 "$gsolve" gen:random,n=90,cols=40 -b random
grep -q '^outcome     least squares' "$work/out" || fail "a rectangular system: no least-squares solution"

# A launcher of another MPI starts processes that do not know each other. One of them says so.
if "$mpirun" --version 2>&1 | grep -qi 'open.*mpi\|open-mpi\|prrte'; then
    other=PMI others="mpirun.mpich"
else
    other=OMPI_COMM_WORLD others="mpirun.openmpi --oversubscribe"
    if [ "$(id -u)" = 0 ]; then others="$others --allow-run-as-root"; fi
fi
for rank in 0 1; do
    code=0
    env "${other}_SIZE=2" "${other}_RANK=$rank" "$gsolve" gen:poisson2d >"$work/out" 2>"$work/error" || code=$?
    [ "$code" = 1 ] || fail "as rank $rank of another MPI: exit code $code"
    [ "$(grep -c 'does not belong to the MPI' "$work/error")" = $((1 - rank)) ] || fail "as rank $rank of another MPI"
done
if command -v "${others%% *}" >/dev/null; then
    code=0
    # shellcheck disable=SC2086 # the words of $others
    $others -n 2 "$gsolve" gen:poisson2d >"$work/out" 2>"$work/error" || code=$?
    [ "$code" != 0 ] || fail "$others: exit code 0"
    [ "$(grep -c 'does not belong to the MPI' "$work/error")" = 1 ] || fail "$others: not exactly one sentence"
    [ -s "$work/out" ] && fail "$others: a report"
fi

cp "$gsolve" "$work/gsolve" # gsolve-mpi is not beside it
PATH=/usr/bin:/bin LD_LIBRARY_PATH=$(dirname "$(dirname "$gsolve")"):${LD_LIBRARY_PATH:-} ranks 2 "$work/gsolve" -A gen:poisson2d
[ "$code" = 1 ] || fail "without gsolve-mpi: exit code $code"
[ "$(grep -c 'gsolve-mpi, which solves one system' "$work/error")" = 1 ] || fail "without gsolve-mpi: no sentence"
code=0
PATH=/usr/bin:/bin LD_LIBRARY_PATH=$(dirname "$(dirname "$gsolve")"):${LD_LIBRARY_PATH:-} PMIX_RANK=0 SLURM_NTASKS=2 SLURM_PROCID=0 \
    "$work/gsolve" -A gen:poisson2d >"$work/out" 2>"$work/error" || code=$?
[ "$code" = 1 ] || fail "started by srun: exit code $code"
grep -q 'gsolve: 2 ranks were started' "$work/error" || fail "started by srun: no sentence"

# A main thread that OpenMP has bound to one core leaves gsolve-mpi all of them.
printf '#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status\n' >"$work/gsolve-mpi"
chmod 755 "$work/gsolve-mpi"
grep Cpus_allowed_list /proc/self/status >"$work/all"
for bind in close spread false; do
    OMP_PROC_BIND=$bind OMP_PLACES=cores LD_LIBRARY_PATH=$(dirname "$(dirname "$gsolve")"):${LD_LIBRARY_PATH:-} SLURM_NTASKS=2 PMIX_RANK=0 \
        "$work/gsolve" gen:poisson2d >"$work/out" 2>"$work/error" || fail "with OMP_PROC_BIND=$bind"
    cmp -s "$work/out" "$work/all" || fail "with OMP_PROC_BIND=$bind: other processors than $(cat "$work/all")"
done
rm "$work/gsolve-mpi"

SLURM_NTASKS=2 "$gsolve" -A gen:poisson2d,n=10 >"$work/out" || fail "in a batch job without srun"
PATH=/usr/bin:/bin "$gsolve" -A gen:poisson2d,n=10 >"$work/out" || fail "without mpirun"
