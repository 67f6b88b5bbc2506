#!/bin/bash
# pipes.sh GSOLVE: standard input and output, FIFOs, devices and open descriptors as inputs and outputs of the command; options
# from a file; arguments that look like options; numbers of threads.
gsolve=$1
[ -x "$gsolve" ] || { echo "pipes.sh: $gsolve is missing: build the target gsolve_command first"; exit 1; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/logs" "$folder/here" "$folder/cache"
cd "$folder/here" || exit 1
export XDG_CACHE_HOME=$folder/cache
out=$folder/logs/out
err=$folder/logs/err
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    out: /' "$out" | head -12
    sed 's/^/    err: /' "$err" | head -12
}

# run CODE ARGUMENT...: standard input is that of the caller
run() {
    code=$1
    shift
    what="gsolve $*"
    timeout 60 "$gsolve" "$@" >"$out" 2>"$err"
    got=$?
    [ $got -eq "$code" ] || fail "$what: exit code $got, not $code"
    [ "$code" -ne 0 ] || [ ! -s "$err" ] || fail "$what: something on stderr"
    [ "$code" -ne 1 ] || [ "$(wc -l <"$err")" -eq 1 ] || fail "$what: not one line on stderr"
}
said() { for text; do grep -qF -- "$text" "$out" || fail "$what: did not say '$text'"; done; }
complained() { for text; do grep -qF -- "$text" "$err" || fail "$what: did not complain '$text'"; done; }
same() { cmp -s "$1" "$2" || fail "$what: $1 and $2 differ"; }
only() { # only FILE...: the folder holds these files and no others
    [ "$(ls -A | sort | tr '\n' ' ')" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] || fail "$what: the folder holds $(ls -A | tr '\n' ' ')"
}

"$gsolve" generate poisson2d,n=9 -o A.mtx -q && gzip -k A.mtx || exit 1
"$gsolve" -A A.mtx -b random -x b.mtx -q && "$gsolve" -A A.mtx -b b.mtx -x x.mtx -q || exit 1
files=(A.mtx A.mtx.gz b.mtx x.mtx)

# --- standard input ----------------------------------------------------------------------------
run 0 -A - <A.mtx
said 'matrix      standard input: Matrix Market, 81 x 81'
run 0 - < <(cat A.mtx.gz)
said 'standard input: Matrix Market, 81 x 81' 'converged'
run 0 -A A.mtx -b - -x ../y.mtx < <(cat b.mtx)
said 'b           standard input'
same x.mtx ../y.mtx
run 0 -A A.mtx -b b.mtx --x0 - --solver cg --precond jacobi < <(cat x.mtx)
said 'iterations  0'
run 0 -A /dev/stdin -q <A.mtx
run 0 -A /dev/fd/0 -q < <(cat A.mtx)
run 0 info - --json - < <(cat A.mtx)
said '"source":	"standard input"'
run 0 compare - --repeat 1 --formats csr -q < <(cat A.mtx)
{ head -c 3 >/dev/null; run 0 -A - -q; } < <(printf 'xyz'; cat A.mtx)
run 1 -A - </dev/null
complained 'standard input: the file is empty'
run 1 -A - < <(head -4 A.mtx)
complained 'standard input:3: the header declares 369 entries'
run 1 -A - < <(head -c 300 A.mtx.gz)
complained 'standard input:' 'truncated'
run 1 -A - -b - <A.mtx
complained 'standard input is given for two inputs'
run 1 -A /dev/stdin --x0 - <A.mtx
complained 'standard input is given for two inputs'
run 1 compare - - <A.mtx
complained 'standard input is given for two inputs'
run 1 convert - A.mtx <A.mtx
complained 'A.mtx is both input and output'
only "${files[@]}"

# --- standard output ---------------------------------------------------------------------------
run 0 -A A.mtx -b b.mtx -x - </dev/null
same "$out" x.mtx
run 0 -A A.mtx -b b.mtx -x /dev/stdout
same "$out" x.mtx
run 0 generate poisson2d,n=9 -o -
same "$out" A.mtx
run 0 convert A.mtx.gz -
grep -v '^%' A.mtx >../expected
grep -v '^%' "$out" >../found
same ../expected ../found
run 0 convert - - <A.mtx.gz
grep -v '^%' "$out" >../found
same ../expected ../found
run 0 convert x.mtx - --dense
said 'array real general'
run 0 -A A.mtx --history -
[ "$(head -1 "$out")" = iteration,residual ] || fail "$what: the first line is no head"
run 0 compare A.mtx --formats csr --repeat 1 --csv -
[ "$(cut -c1-12 "$out" | head -1)" = matrix,rows, ] || fail "$what: the first line is no head"
run 0 compare A.mtx --formats csr --repeat 1 --html -
[ "$(head -c 15 "$out")" = '<!doctype html>' ] || fail "$what: no page"
for twice in '-x - --json -' '--json - --history /dev/stdout' '-x /dev/fd/1 --history -'; do
    run 1 -A A.mtx $twice
    complained 'standard output is the name of two outputs'
done
"$gsolve" generate poisson2d,n=300 -o - 2>"$err" | head -1 >"$out"
[ "${PIPESTATUS[0]}" -eq 141 ] && [ ! -s "$err" ] || fail 'a reader that stops reading'
"$gsolve" generate poisson2d,n=300 -o - >/dev/full 2>"$err" && fail 'a full device'
what='a full device'
complained 'cannot write to standard output: No space left on device'
for output in '--json -' '-x -' '--history -' '--csv -' --plot ''; do
    what="gsolve $output on a full device"
    case $output in
    --csv*) "$gsolve" compare A.mtx --formats csr --repeat 1 $output >/dev/full 2>"$err" ;;
    *) "$gsolve" -A A.mtx $output >/dev/full 2>"$err" ;;
    esac
    [ $? -eq 1 ] && [ "$(cat "$err")" = 'gsolve: cannot write to standard output: No space left on device' ] || fail "$what"
done
"$gsolve" generate poisson2d,n=9 -o - | "$gsolve" -A - -x - | "$gsolve" -A A.mtx -b - --json - >"$out" 2>"$err" || fail 'three in a row'
only "${files[@]}"

# --- FIFOs, process substitution, descriptors, devices -----------------------------------------
mkfifo ../fifo
cat A.mtx >../fifo &
run 0 -A ../fifo --cache -q
wait
[ ! -e ../fifo.gscache ] && [ -z "$(ls -A ../cache)" ] || fail "$what: a cache of a pipe"
cat ../fifo >../y.mtx &
run 0 -A A.mtx -b b.mtx -x ../fifo
wait
same x.mtx ../y.mtx
[ -p ../fifo ] || fail "$what: the FIFO was replaced"
for format in npy petsc txt; do # the names of other formats
    mkfifo ../fifo.$format
    cat ../fifo.$format >../y.$format &
    run 0 -A A.mtx -b b.mtx -x ../fifo.$format
    wait
    run 0 -A A.mtx -b ../y.$format --x0 ../y.$format
    [ -p ../fifo.$format ] || fail "$what: the FIFO was replaced"
done
mkfifo ../fifo.npz
cat ../fifo.npz >../y.npz &
run 0 convert A.mtx ../fifo.npz
wait
run 0 -A ../y.npz -q

# A link stays, and the file that it names is written: complete or not at all, also a new one
mkdir ../links
echo old >../links/old.mtx
ln -s links/old.mtx ../first.mtx
ln -s first.mtx ../second.mtx
ln -s links/new.mtx ../new.mtx
ln -s loop.mtx ../loop.mtx
ln -s links/none/y.mtx ../dangling.mtx
ln -s links/r.json ../r.json
for name in second new; do
    run 0 -A A.mtx -b b.mtx -x ../$name.mtx --json ../r.json
    same x.mtx ../$name.mtx
    [ -L ../$name.mtx ] && [ -L ../first.mtx ] || fail "$what: the link was replaced"
done
same x.mtx ../links/old.mtx
same x.mtx ../links/new.mtx
run 1 -A A.mtx -x ../loop.mtx
complained 'cannot write ../loop.mtx: Too many levels of symbolic links'
run 1 -A A.mtx -x ../dangling.mtx
complained 'cannot write ../dangling.mtx: No such file or directory'
[ "$(ls ../links | tr '\n' ' ')" = 'new.mtx old.mtx r.json ' ] || fail "$what: the folder of links holds $(ls ../links | tr '\n' ' ')"
run 0 -A <(cat A.mtx.gz) -b <(cat b.mtx) -x >(cat >../y.mtx; : >../done) --json >(cat >/dev/null)
for _ in $(seq 100); do [ -e ../done ] && break; sleep 0.05; done
same x.mtx ../y.mtx
run 0 -A A.mtx -x /dev/null --history /dev/null --json /dev/null
run 0 generate poisson2d,n=9 -o /dev/null
run 0 convert A.mtx /dev/null
[ -c /dev/null ] || fail "$what: /dev/null was replaced"
run 0 convert A.mtx >(cat >../y.mtx; : >../done2) -q
for _ in $(seq 100); do [ -e ../done2 ] && break; sleep 0.05; done
grep -v '^%' ../y.mtx >../found
same ../expected ../found
"$gsolve" -A A.mtx -q --history /dev/fd/7 -x /dev/fd/8 7>../h.csv 8>../y.mtx || fail 'descriptors'
grep -q '^iteration,residual$' ../h.csv && [ "$(grep -vc '^%' ../y.mtx)" -eq 82 ] || fail 'descriptors: other text'
echo before >../both
"$gsolve" -A A.mtx -q --history /dev/stderr 2>>../both || fail 'stderr'
[ "$(head -2 ../both | tr '\n' ' ')" = 'before iteration,residual ' ] || fail 'stderr: the text before is lost'
run 1 -A A.mtx -x /dev/fd/77
complained 'cannot write /dev/fd/77: Bad file descriptor'
run 1 -A /dev/null
complained '/dev/null: the file is empty'
run 1 -A /dev/zero
complained '/dev/zero: it is a device'
run 1 -A A.mtx --precond amg --setup ../fifo
complained 'not a regular file'
run 0 -A A.mtx -x ./-
[ -f ./- ] || fail "$what: no file of that name"
rm ./-
only "${files[@]}"

# --- arguments ---------------------------------------------------------------------------------
run 1 -A A.mtx --json --quiet
complained "--json needs a file name, or - for standard output; '--quiet' looks like an option"
run 1 -A -b ones
complained "--matrix needs an argument: FILE; '-b' looks like an option"
run 1 -A A.mtx --maxit -q
complained '--maxit needs an argument: N'
run 1 -A A.mtx --rtol -1
complained "not '-1'"
run 0 -A A.mtx --json=--quiet
[ -s ./--quiet ] || fail "$what: no file of that name"
rm ./--quiet
run 1 -A A.mtx -A A.mtx.gz
complained "two matrices are given, 'A.mtx' and 'A.mtx.gz'"
run 1 A.mtx -A A.mtx.gz
complained 'two matrices are given'
run 0 A.mtx
said 'A.mtx: Matrix Market'
run 0 A.mtx --solver cg --precond jacobi
said 'cg + jacobi'
run 0 --solver cg A.mtx --precond jacobi
said 'cg + jacobi'
run 0 gen:poisson2d,n=4 -q
run 1 ./missing -q
complained './missing: No such file'
run 1 compre A.mtx
complained "did you mean 'compare'"
run 1 -A A.mtx --threads 4096
complained '4096 threads are asked for, and gsolve may use' 'add --force'
run 1 -A A.mtx --device cpu,threads=4096
complained '4096 threads'
run 0 -A A.mtx --threads 65 --force -q
# A main thread that is bound to one core does not hide the others.
OMP_PROC_BIND=close run 0 -A A.mtx --threads "$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)" -q
run 0 -A A.mtx --threads 1 -q
OMP_NUM_THREADS=65 run 0 -A A.mtx -q

# --- options from a file -----------------------------------------------------------------------
printf '# a comment\nmatrix = A.mtx\n\nrtol 1e-3 # another one\nsolver=cg,stall=0\n--precond   jacobi\nquiet no\nx0=\t x.mtx \n' >../o.txt
run 0 --config ../o.txt
said 'matrix      A.mtx' 'cg,stall=0,rtol=0.001 + jacobi'
run 0 --config ../o.txt --rtol 1e-6 -A A.mtx.gz
said 'matrix      A.mtx.gz' 'cg,stall=0,rtol=1e-06 + jacobi'
run 0 A.mtx.gz --config ../o.txt
said 'matrix      A.mtx.gz'
printf 'quiet\nmatrix A.mtx' >../o.txt
run 0 --config ../o.txt
[ ! -s "$out" ] || fail "$what: not quiet"
printf 'matrix A.mtx\nmatrix b.mtx\n' >../o.txt
run 1 --config ../o.txt
complained "../o.txt:2: two matrices are given, 'A.mtx' and 'b.mtx'"
while IFS='|' read -r line text; do
    printf '\n%s\n' "$line" >../o.txt
    run 1 A.mtx --config ../o.txt --json ../e.json
    complained "../o.txt:2: $text"
    grep -qF "o.txt:2: " ../e.json || fail "$what: the JSON does not hold the error"
done <<'END'
sovler cg|gsolve solve has no option 'sovler'; did you mean 'solver'?
qqqqqq|gsolve solve has no option 'qqqqqq'
rtol|rtol needs a value: X
rtol = tiny|--rtol takes a number from 0 to 1, not 'tiny'
type f16|--type takes one of f32|f64, not 'f16'
quiet perhaps|quiet takes yes or no, not 'perhaps'
config = o.txt|config is allowed on the command line only
END
run 0 A.mtx --config - < <(echo quiet)
run 1 - --config - </dev/null
complained 'two inputs'
for wrong in missing.txt . A.mtx.gz; do
    run 1 A.mtx --config $wrong
    complained "--config $wrong: "
done
run 0 A.mtx --config /dev/null -q
only "${files[@]}"

[ $failures -eq 0 ] && echo 'all is well'
exit $failures
