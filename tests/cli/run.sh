#!/bin/sh
# run.sh GSOLVE JSON_KEYS SOURCE: tries the command as a user would, in a folder of its own.
gsolve=$1
json_keys=$2
source=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/here"
cd "$folder/here" || exit 1
for program in "$gsolve" "$json_keys"; do
    [ -x "$program" ] && continue
    echo "run.sh: $program is missing: build the targets gsolve_command and json_keys first, or everything"
    exit 1
done
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    out: /' out | head -20
    sed 's/^/    err: /' err | head -20
}

# run CODE ARGUMENT...: the command must exit with CODE; out and err hold what it said, none of it a
# control character.
run() {
    code=$1
    shift
    what="gsolve $*"
    "$gsolve" "$@" >out 2>err </dev/null
    got=$?
    [ $got -eq "$code" ] || fail "$what: exit code $got, not $code"
    if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" out err; then fail "$what: control characters"; fi
    if [ "$code" -eq 1 ]; then
        grep -q '^gsolve: .' err || fail "$what: no sentence"
        [ "$(wc -l <err)" -eq 1 ] || fail "$what: more than one line on stderr"
    elif [ "$code" -eq 0 ] && [ -s err ]; then
        fail "$what: something on stderr"
    fi
}

# said TEXT... and complained TEXT...: what the last run wrote holds them.
said() {
    for text; do grep -qF -- "$text" out || fail "$what: did not say '$text'"; done
}
complained() {
    for text; do grep -qF -- "$text" err || fail "$what: did not complain '$text'"; done
}
json() {
    "$json_keys" "$@" >keys || fail "$what: $(cat keys)"
}

# --- files -------------------------------------------------------------------------------------
mkdir out_here
cat >A.mtx <<'END'
%%MatrixMarket matrix coordinate real symmetric
3 3 5
1 1 4
2 1 -1
2 2 4
3 2 -1
3 3 4
END
printf '%%%%MatrixMarket matrix array real general\n3 1\n2\n4\n10\n' >b.mtx # x = 1, 2, 3
printf '%%%%MatrixMarket matrix array real general\n3 2\n3\n2\n3\n2\n4\n10\n' >b2.mtx
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\n1\n1\n1\n' >b4.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\nx\n1\n' >bad_b.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n3 2 1\n' >bad.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 1\n' >unsymmetric.mtx
printf '%%%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n' >complex.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n2 2 1\n3 1 1\n' >tall.mtx
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n' >indefinite.mtx
: >empty.mtx

# --- help --------------------------------------------------------------------------------------
run 0 --help
said 'Examples' 'gsolve -A A.mtx' 'compare' 'convert'
run 0 --version
said 'gsolve '
for command in solve info compare generate convert list; do
    run 0 $command --help
    said 'usage: gsolve' '--help' '--json' 'Exit code'
    run 0 help $command
    said "gsolve $command:"
done
run 0 solve --help
for option in --device --format --solver --precond --type --rtol --atol --maxit --threads --history \
    --monitor --profile --quiet --cache --seed --x0; do
    said "$option"
done
run 0 --man
cmp -s out "$source/docs/gsolve.1" || fail 'docs/gsolve.1 is not what gsolve --man prints; build the target man'

# --- solving -----------------------------------------------------------------------------------
run 0 -A gen:poisson2d,n=20 -b ones
said 'cg + amg (chosen: looks like a discretised elliptic operator' 'estimated relative times: jacobi 1,' 'amg is chosen: at most 2 ms slower, but more robust'
run 0 -A gen:poisson3d,n=20 -b ones --solver gmres
said 'gmres + ic (ic chosen'
run 0 -A A.mtx -b b.mtx -x x.mtx --history h.csv --json r.json
said 'converged' 'iterations' 'residual' 'memory' 'preconditioner' 'chosen' 'x           written to x.mtx'
awk '!/^%/ && NF == 1 { n++; if (($1 - n) ^ 2 > 1e-14) bad = 1 } END { exit bad || n != 3 }' x.mtx ||
    fail "$what: x is wrong"
grep -q '^iteration,residual$' h.csv && grep -q '^0,1$' h.csv || fail "$what: the history is wrong"
json r.json matrix.rows=3 matrix.cols=3 matrix.entries=7 matrix.symmetric=true matrix.source=A.mtx \
    device format.name format.form format.note format.bytes format.build_seconds \
    format.convert_seconds precond.name precond.setup_seconds solver.name \
    outcome=converged explanation iterations residual 'history[]' seconds.read seconds.build \
    seconds.setup seconds.solve seconds.total memory_peak rhs=b.mtx x_error=null
run 0 solve A.mtx
said 'A*ones' 'error'
run 0 -A A.mtx --json -
json out outcome=converged 'rhs=A*ones'
run 0 -A A.mtx -b b2.mtx --json - --solver cg --precond jacobi
json out rhs_columns=2 'columns[]' solver.name=cg precond.name=jacobi
for solver in cg pipecg bicg bicgstab cgs tfqmr idr gmres fgmres minres lsqr lsmr block_cg block_gmres refine direct auto cg,rtol=1e-10; do
    run 0 -A gen:poisson2d,n=12 --solver $solver
    said 'converged'
done
run 0 -A gen:poisson2d,n=12 --solver refine
said 'refine      1 inner iteration of cg in single precision'
run 0 -A gen:poisson2d,n=12 --solver refine --json -
json out solver.name=refine solver.note
for precond in none jacobi ilu ic isai isai,factors=ic,power=2,relax=1 auto; do run 0 -A gen:poisson2d,n=12 --precond $precond; done
run 0 -A gen:poisson2d,n=12 --type f32
said 'single precision'
run 0 -A gen:poisson2d,n=12 -b ones
run 0 -A gen:poisson2d,n=12 -b random --seed 7 --json one.json
run 0 -A gen:poisson2d,n=12 -b random --seed 7 --threads 2 --force --json two.json
[ "$(grep '"residual"' one.json)" = "$(grep '"residual"' two.json)" ] || fail 'two threads, other bits'
run 0 -A gen:poisson2d,n=12 -b random,k=1 --seed 7 --json two.json
[ "$(grep '"residual"' one.json)" = "$(grep '"residual"' two.json)" ] || fail 'k=1 is another column'
run 0 -A gen:poisson2d,n=12 -b random,k=5 --solver block_cg --columns -x many.mtx
said '5 columns' 'worst column' 'column  iterations' '       1  ' '       5  '
[ "$(grep -c converged out)" -eq 6 ] || fail "$what: not a line for each column"
[ "$(sed -n '/^[^%]/{p;q;}' many.mtx)" = '144 5' ] || fail "$what: x has not five columns"
run 0 -A gen:poisson2d,n=12 -b random,k=5 --json -
json out rhs_columns=5 'columns[]'
run 1 -A gen:poisson2d,n=12 -b random,k=0
complained 'random,k=N'
run 1 -A gen:poisson2d,n=12 -b random,k=5x
complained 'random,k=N'
run 0 compare -A gen:poisson2d,n=12 --formats csr,sell --columns-count 3 --repeat 1
said '3 columns in b and in each product'
run 0 compare -A gen:poisson2d,n=12 --formats csr --columns-count 3 --repeat 1 --json -
json out 'matrices[]'
run 0 -A gen:poisson2d,n=12 --device cpu,threads=1 --format csr --rtol 1e-4 --atol 1e-12 --maxit 500
run 0 -A A.mtx -b b.mtx --x0 x.mtx --json -
json out iterations=0
run 0 -A A.mtx --cache
[ -f A.mtx.gscache ] || fail "$what: no cache"
said 'binary copy written'
run 0 -A A.mtx --cache
said 'from the cache'
printf x | dd of=A.mtx.gscache bs=1 seek=300 conv=notrunc 2>/dev/null # the statistics in the cache
run 0 -A A.mtx --cache --type f32
said 'binary copy written'
run 0 -A A.mtx --cache --type f32
said 'from the cache'
rm -f A.mtx.gscache
run 0 generate poisson2d,n=300 -o cut.mtx
for seconds in 0.03 0.06 0.1 0.2 0.4; do # an interrupt leaves a whole cache or nothing
    rm -f cut.mtx.gscache
    timeout --preserve-status -s INT $seconds "$gsolve" -A cut.mtx --cache --solver cg --precond none --rtol 1e-30 >out 2>err || :
    for left in cut.mtx.gscache.*; do [ ! -e "$left" ] || fail "interrupted after $seconds s: $left is left"; done
    [ ! -e cut.mtx.gscache ] || { run 0 -A cut.mtx --cache; said 'from the cache'; }
done
rm -f cut.mtx cut.mtx.gscache
run 0 -A gen:neumann2d,n=30
said 'x = 0 is a solution'
! grep -q '^error' out || fail "$what: an error against x = 1, although b is 0"
run 0 -A gen:emptyrows
said 'x = 1 is not the only solution' 'attempt 1: the set-up failed'
run 0 -A gen:poisson2d,n=12 --solver cg,rtol=1e-4 --rtol 1e-10 --precond jacobi
said 'method      cg,rtol=1e-10 + jacobi'
run 0 -A gen:poisson2d,n=12 --precond amg
said 'cg + amg (cg chosen: symmetric with a positive diagonal)'
run 0 -A A.mtx --quiet
[ ! -s out ] || fail "$what: not quiet"
run 0 -A gen:poisson2d,n=12 --monitor --solver cg
said '           1  '
run 0 -A tall.mtx
said 'rectangular'
run 0 -A gen:poisson2d,n=12 --solver cg --precond jacobi --profile
said ' in the solve, which has no timers; ' ' of the bandwidth of a copy' '0 to the host in ' 'the same bits' 'product + dot' 'update of r' 'update of p and x' \
    'all iterations' '  profile (not in the total)'
awk '/^  operation/ { width = length($0); n = 1 } n && NF { rows++; if (length($0) != width) bad = 1 }
     /^  all iterations/ { n = 0 } END { exit bad || rows != 5 }' out || fail "$what: the table is crooked"
run 0 -A gen:poisson2d,n=12 --solver cg --precond jacobi --profile --json -
json out profile.iterations profile.iteration_seconds profile.iteration_bytes=22468 profile.bytes_per_second \
    profile.share_of_copy profile.copy_bytes_per_second profile.copies_to_host=0 profile.same_bits=true \
    'profile.classes[]' profile.total.iterations profile.total.seconds profile.total.bytes_per_second \
    profile.total.share_of_copy
for key in name calls bytes_per_call seconds share bytes_per_second share_of_copy; do
    grep -q "\"$key\"" out || fail "$what: the classes lack $key"
done
run 0 -A gen:poisson2d,n=12 -b ones --precond ic --profile
said 'preconditioner + dot' 'the same bits'
run 0 -A tall.mtx --solver direct --profile
run 2 -A gen:poisson2d,n=30 --solver cg --precond none --maxit 3 --profile
said 'in 3 iterations'

# --- not converging ----------------------------------------------------------------------------
run 2 -A gen:poisson2d,n=30 --solver cg --precond none --maxit 3 -x out_here/last.mtx
said 'NOT CONVERGED: iteration limit' 'limit of 3 iterations' "$gsolve -A gen:poisson2d,n=30 -x out_here/last.mtx" 'which is not a solution'
[ -s out_here/last.mtx ] || fail "$what: no last iterate"
run 2 -A gen:poisson2d,n=30 --solver cg --precond none --maxit 3 --json -
json out 'outcome=iteration limit' iterations=3 'cause_name=iteration limit' cause remedy "command=$gsolve -A gen:poisson2d,n=30 --json -"
run 2 -A gen:poisson2d,n=30 --solver cg --precond none --maxit 3 --quiet
[ ! -s out ] || fail "$what: not quiet"
complained 'not converged' "Run: $gsolve -A gen:poisson2d,n=30"
run 1 -A indefinite.mtx -b ones --solver cg --precond none
complained 'the diagonal entry of row 2 (counted from 1) is -1' "Run: $gsolve -A indefinite.mtx -b ones"
run 2 -A indefinite.mtx -b ones --solver cg --precond none --force
said 'indefinite' 'the diagonal entry of row 2 (counted from 1) is -1' "$gsolve -A indefinite.mtx -b ones"
run 1 -A gen:convdiff3d,n=6 --solver minres
complained '|A - A^T| / |A| = ' 'minres needs a symmetric matrix'
run 2 -A gen:poisson2d,n=30 --solver cg --precond jacobi --rtol 1e-17 --history 'a b.csv'
said 'rounding level' "--history 'a b.csv'"
run 0 -A gen:poisson3d,n=20 --maxit 4 --json -
json out 'attempts[]' outcome=converged
run 0 -A gen:poisson3d,n=20 --maxit 4
said 'attempt 2' 'iteration limit after 4 iterations'
timeout --preserve-status -s INT 3 "$gsolve" -A gen:poisson2d,n=300 --solver gmres,restart=2,stall=0 \
    --precond none --maxit 100000000 --rtol 1e-12 >out 2>err
[ $? -eq 2 ] || fail 'interrupted: exit code'
what='interrupted'
said 'stopped' 'Interrupted after' 'total'
# A factorisation of 100 thousand million operations: the set-up, which cannot be stopped, is left at once.
mkdir cut_short
timeout --preserve-status -s INT 2 "$gsolve" -A gen:poisson3d,n=46 --solver direct -x cut_short/x.mtx >out 2>err
[ $? -eq 130 ] || fail 'interrupted in the set-up: exit code'
[ -z "$(ls -A cut_short)" ] || fail 'interrupted in the set-up: a file is left'
rmdir cut_short

# --- wrong input -------------------------------------------------------------------------------
cp A.mtx kept
mkfifo pipe
rm -f out err keys
ls -R >../files
wrong() { # wrong TEXT ARGUMENT...: an error that holds TEXT, and nothing written
    text=$1
    shift
    run 1 "$@"
    complained "$text"
    rm -f out err keys
    ls -R >../now
    cmp -s ../files ../now || fail "$what: left files"
}
x='out_here/new.mtx'
wrong 'missing.mtx' -A missing.mtx -x $x
wrong 'bad.mtx:4:' -A bad.mtx -x $x
wrong 'write gen:poisson2d,n=4' -A poisson2d,n=4 -x $x
wrong '-b takes a file, ones,' -A A.mtx -b missing.mtx -x $x
wrong 'or - for standard output' list --json
wrong 'such as gsolve list solvers' list solvers gmres
wrong 'amg,cycle=k changes' -A gen:poisson2d,n=50 --solver cg --precond amg,cycle=k
wrong 'complex' -A complex.mtx -x $x
wrong 'empty' -A empty.mtx -x $x
wrong 'out_here' -A out_here -x $x
wrong 'bad_b.mtx:4:' -A A.mtx -b bad_b.mtx -x $x --history out_here/h --json out_here/../out_here/../r.json
wrong 'is 4 x 1' -A A.mtx -b b4.mtx -x $x
wrong 'must have 3 rows' -A A.mtx -b b4.mtx -x $x
wrong 'the initial guess' -A A.mtx --x0 b4.mtx -x $x
wrong 'has 2 columns' -A A.mtx --x0 b2.mtx -x $x
wrong 'allowed: cg' -A A.mtx --solver cgg
wrong 'its options are' -A A.mtx --solver cg,colour=1
wrong 'rtol=-1' -A A.mtx --solver cg,rtol=-1
wrong 'allowed: none, jacobi' -A A.mtx --precond jacoby
wrong 'csr' -A A.mtx --format cssr
wrong 'cpu' -A A.mtx --device abacus
wrong 'uses no preconditioner' -A A.mtx --solver direct --precond ilu
wrong "not 'tiny'" -A A.mtx --rtol tiny
wrong "not '-1'" -A A.mtx --maxit -1
wrong "not '1.5'" -A A.mtx --maxit 1.5
wrong "not 'f16'" -A A.mtx --type f16
wrong "did you mean '--solver'" -A A.mtx --sovler cg
wrong "did you mean '--solver'" -A A.mtx -solver cg
wrong 'several options' -A A.mtx --s cg
wrong 'needs an argument' -A
wrong 'takes no argument' -A A.mtx --quiet=1
wrong 'unexpected argument' solve A.mtx b.mtx
wrong 'two matrices' info A.mtx -A A.mtx
wrong "the folder 'nowhere' does not exist" -A A.mtx -x nowhere/x.mtx
wrong 'it is a folder' -A A.mtx --json out_here
wrong 'both input and output' -A A.mtx -b b.mtx -x b.mtx
wrong 'not a regular file' -A A.mtx --precond amg --setup pipe
[ -p pipe ] || fail 'the pipe was replaced'
wrong 'two outputs' -A A.mtx -x $x --history $x
wrong 'there is no option' --bogus -A A.mtx --json A.mtx
cmp -s A.mtx kept || fail 'the error went into A.mtx'
wrong 'both input and output' -A A.mtx --json ./A.mtx
wrong 'both input and output' -A A.mtx --setup A.mtx
wrong 'is not a set-up file of gsolve; name another file' -A gen:poisson3d,n=11 --precond amg --setup A.mtx
wrong 'does not exist' -A gen:poisson3d,n=11 --precond amg --setup no_folder/levels
wrong 'is a directory; name a file' -A gen:poisson3d,n=11 --precond amg --setup out_here
cmp -s A.mtx kept || fail 'the error went into A.mtx'
wrong 'only one of them' -A A.mtx --monitor --quiet
wrong 'only one of them' -A A.mtx --profile --quiet
wrong 'no matrix is given'
wrong 'no matrix is given' solve
wrong "did you mean 'solve'" slove -A A.mtx
wrong 'missing.mtx: No such file' missing.mtx
wrong 'poisson2d' -A gen:nosuch
wrong 'no matrix is given' info
wrong 'missing.mtx' info missing.mtx
wrong 'bad.mtx:4:' info bad.mtx
wrong "unknown preconditioner 'jacobbi'" info A.mtx --precond jacobbi
wrong "did you mean '--json'" info A.mtx --jsno -
wrong 'no matrix is given' compare
wrong 'cssr' compare A.mtx --formats cssr --html out_here/p.html
wrong 'empty name' compare A.mtx --formats 'csr;;csr'
wrong 'empty name' compare A.mtx --formats ';'
wrong 'empty name' compare A.mtx --formats csr,
wrong 'not an empty word' compare A.mtx --formats ''
wrong 'colour' compare A.mtx --formats csr,colour=1
wrong 'from 1 to 99' compare A.mtx --repeat 0
wrong 'makes no products' compare A.mtx --solver direct
wrong "the folder 'nowhere' does not exist" compare A.mtx --html nowhere/p.html --csv out_here/p.csv
wrong 'it is a folder' compare A.mtx --csv out_here
wrong 'two outputs' compare A.mtx --json - --csv -
wrong 'two outputs' compare A.mtx --csv out_here/p --html out_here/p
wrong 'both input and output' compare -A kept -A A.mtx --html A.mtx
wrong 'missing.mtx' compare -A A.mtx -A missing.mtx --html out_here/p.html
wrong 'add --plot' -A A.mtx --ascii
wrong 'give only one' -A A.mtx --plot --quiet
wrong 'two outputs' -A A.mtx --html out_here/p --json out_here/p
wrong 'both input and output' -A A.mtx --html A.mtx
wrong "did you mean 'poisson2d'" compare -A A.mtx -A gen:poison2d,n=4 --html out_here/p.html
wrong 'bad.mtx:4:' compare -A A.mtx -A bad.mtx --html out_here/p.html --csv out_here/p.csv
wrong 'must have 3 rows' compare A.mtx -b b4.mtx
wrong 'no generator is given' generate
wrong 'no output file is given' generate poisson2d
wrong 'its options are' generate poisson2d,m=3 -o $x
wrong 'symmetric' generate random,n=50 -o $x --symmetric
wrong 'two file names' convert A.mtx
wrong 'must end in' convert A.mtx A.rb
wrong 'symmetric' convert unsymmetric.mtx $x --symmetric
wrong 'bad.mtx:4:' convert bad.mtx $x
wrong 'only one of them' convert A.mtx $x --symmetric --general
wrong 'both input and output' convert A.mtx A.mtx
wrong "did you mean 'solvers'" list solver
run 1 -A missing.mtx --json -
json out error
run 1 --bogus -A A.mtx --json -
json out error
run 1 -A A.mtx --json r.json --solver cgg
json r.json error
if [ -e /dev/full ]; then
    "$gsolve" list >/dev/full 2>err
    [ $? -eq 1 ] || fail 'a full disk goes unnoticed'
fi

for value in 1e-50 1e50; do # neither is a number of single precision
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 %s\n' $value >single.mtx
    run 1 -A single.mtx --type f32
    complained 'the entry in row 2 and column 2 (counted from 1) is 1e' 'in single precision; scale the matrix'
    run 0 -A single.mtx
done

# --- a set-up in a file --------------------------------------------------------------------------
run 0 -A gen:poisson3d,n=12 --precond amg --setup levels
said 'set-up      written to levels'
run 0 -A gen:poisson3d,n=12 --precond amg --setup levels --json -
json out precond.setup_file.name=levels precond.setup_file.read=true precond.setup_file.written=false \
    precond.setup_file.note=
run 0 -A gen:poisson3d,n=12 --precond amg,smoother=gs --setup levels
said 'levels holds the preconditioner amg and not amg,smoother=gs; computed again and rewritten'
cp levels kept_levels
run 0 -A gen:poisson3d,n=11 --precond amg,smoother=gs --setup levels --json -
json out precond.setup_file.read=false precond.setup_file.written=false
run 0 -A gen:poisson3d,n=11 --precond amg --setup levels
said 'not written, because levels belongs to another matrix (1728 rows); delete it or name another file'
run 0 -A gen:poisson3d,n=12 --precond amg,smoother=gs --order rcm --setup levels
said 'not written, because levels belongs to another matrix or to another order of this one; delete it'
run 0 -A gen:poisson3d,n=12 --solver direct --setup levels
said 'not written, because levels holds a set-up of amg and not of direct; delete it or name another file'
run 0 -A gen:poisson3d,n=11 --precond jacobi --setup levels
said 'not written, because the preconditioner jacobi cannot be saved to a file; only amg and direct can be saved'
cmp -s levels kept_levels || fail 'a set-up of another matrix or kind was overwritten'
head -c 2000 kept_levels >levels
run 0 -A gen:poisson3d,n=12 --precond amg --setup levels
said "levels is truncated: 2000 of $(wc -c <kept_levels) bytes; computed again and rewritten"
head -c 100 kept_levels >levels
run 0 -A gen:poisson3d,n=12 --precond amg --setup levels
said 'levels is truncated: 100 bytes; computed again and rewritten'
printf 'x' | dd of=levels bs=1 seek=3000 conv=notrunc 2>/dev/null
run 0 -A gen:poisson3d,n=12 --precond amg --setup levels
said 'levels is damaged (a checksum is wrong); computed again and rewritten'
run 0 -A gen:poisson3d,n=12 --precond amg --setup levels
said 'set-up      read from levels'
if [ -d /proc/self ]; then
    run 0 -A gen:poisson3d,n=12 --precond amg --setup /proc/x.setup
    said 'not written to /proc/x.setup: No such file or directory'
fi

# A file that may be read and not written.
mkdir read_only
mv levels read_only
chmod 444 read_only/levels
chmod 555 read_only
plain=$gsolve
if [ "$(id -u)" -eq 0 ]; then # root may write everything
    chmod 755 "$folder" # of mktemp, which is for its owner alone
    cat >as_nobody <<END
#!/bin/sh
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$gsolve" "\$@"
END
    chmod +x as_nobody
    gsolve=./as_nobody
fi
if "$gsolve" list >out 2>err; then
    run 0 -A gen:poisson3d,n=12 --precond amg --setup read_only/levels
    said 'set-up      read from read_only/levels'
    run 0 -A gen:poisson3d,n=12 --precond amg,smoother=gs --setup read_only/levels
    said 'not written to read_only/levels: no permission (read_only/levels holds the preconditioner amg and not'
    chmod 755 read_only
    chmod 000 read_only/levels
    run 1 -A gen:poisson3d,n=12 --precond amg --setup read_only/levels
    complained 'cannot read read_only/levels: Permission denied'
else
    echo 'skipped: no other user can be taken'
fi
gsolve=$plain
chmod 755 read_only
rm -f read_only/levels as_nobody kept_levels
rmdir read_only

# --- the other commands ------------------------------------------------------------------------
run 0 info A.mtx
said 'positive definite' 'bandwidth' 'symmetric' '####' 'auto' 'memory'
said 'device' 'memory' 'for A in the format csr' 'space of cg,' 'space of bicgstab,' 'space of gmres,restart=30,'
run 0 info -A gen:neumann2d,n=5
said 'singular'
run 0 info gen:poisson3d,n=5 --json -
json out matrix.rows=125 statistics.bandwidth=25 'auto[]' 'row_lengths[]' statistics.definiteness \
    memory_estimate.device=cpu memory_estimate.type=f64 'memory_estimate.formats[]' 'memory_estimate.solvers[]'
run 0 info gen:poisson3d,n=5 --type f32 --device cpu --json -
json out memory_estimate.type=f32
run 0 info gen:poisson3d,n=12 --precond amg,coarsest=40
said 'operator complexity' 'grid complexity' 'peak during set-up' 'entries/row' 'bytes/product' 'csr     f64'
run 0 info gen:poisson3d,n=12 --precond amg,coarsest=40 --json -
json out precond.name=amg precond.device=cpu precond.bytes precond.peak_bytes precond.setup_seconds \
    precond.operator_complexity precond.grid_complexity 'precond.levels[0].rows=1728' \
    'precond.levels[1].entries' 'precond.levels[1].mean_row' 'precond.levels[1].form=csr' \
    'precond.levels[1].bytes'
run 0 info gen:poisson3d,n=5 --precond ilu
said 'ilu' 'peak during set-up'
run 0 info tall.mtx
said 'rectangular'
run 0 info tall.mtx --precond jacobi
said 'needs a square matrix'
run 0 generate poisson2d,n=7 -o P.mtx --symmetric
said '49 x 49' 'P.mtx'
run 0 generate gen:convdiff3d,n=4 -o C.mtx.gz --json -
json out matrix.rows=64 output=C.mtx.gz
run 0 convert P.mtx P.npz
said 'symmetric: the file holds one triangle' 'all entries'
run 0 convert P.npz P.petsc
said 'SciPy'
printf '# b\n1\n2\n3\n' >b.txt
run 0 -A A.mtx -b b.txt -x x.npy --solver direct
run 0 convert x.npy x_again.txt
said 'an array of 3 x 1'
printf '1 2 3\n' >row.txt
run 0 -A A.mtx -b row.txt -x x_row.txt --solver direct
cmp -s x_again.txt x_row.txt || fail "$what: the solutions differ"
run 0 -A P.petsc
said 'PETSc' '49 x 49'
run 1 convert P.npz P4.npz --symmetric
complained 'have a symmetric form'
run 1 generate poisson2d,n=7 -o P.npy
complained '.npz'
rm -f b.txt x.npy x_again.txt row.txt x_row.txt P.npz P.petsc
run 0 convert P.mtx P2.mtx.gz
said 'lower triangle'
run 0 convert P2.mtx.gz P3.mtx --general
said 'all entries'
run 0 info P3.mtx --json three.json
run 0 info gen:poisson2d,n=7 --json here.json
statistics_in() { sed -n '/"statistics"/,/}/p' "$1"; }
[ -n "$(statistics_in here.json)" ] && [ "$(statistics_in three.json)" = "$(statistics_in here.json)" ] || fail 'P3.mtx is another matrix'
run 0 convert b2.mtx b3.mtx.gz --dense
said '3 x 2'
run 0 -A A.mtx -b b3.mtx.gz
for what in formats solvers preconds products generators devices; do run 0 list $what; done
run 0 list
said 'csr' 'gmres' 'block_jacobi' 'poisson3d' 'gustavson' 'cpu'
run 0 list solvers
said 'restart=30' 'auto|cholesky|lu|qr'
run 0 list cpu
said 'found:'
run 0 list --json -
json out 'formats[]' 'solvers[]' 'preconds[]' 'products[]' 'generators[]' 'devices[]'

# A signal that ends the command while it writes a file: no temporary file stays.
for signal in TERM HUP; do
    what="generate, ended by SIG$signal"
    "$gsolve" generate gen:poisson2d,n=700 -o big.mtx.gz >out 2>err </dev/null &
    process=$!
    tries=0
    until ls big.mtx.gz* >files 2>&1 || [ $tries -ge 400 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    kill -s $signal $process 2>/dev/null
    wait $process 2>/dev/null
    ls big.mtx.gz.*.tmp >files 2>&1 && fail "$what: $(cat files) is still there"
    rm -f big.mtx.gz*
done

# --- curves in the terminal ----------------------------------------------------------------------
LC_ALL=C run 0 -A gen:poisson2d,n=20 --solver cg --precond jacobi --plot
said '1e+00 +**' '1e-08 +---' 'iteration' 'tolerance 1e-08' '* cg + jacobi: converged after '
[ "$(sed -n '/logarithmic/,/iteration$/p' out | wc -L)" -eq 80 ] || fail "$what: not 80 columns"
[ "$(grep -c '^ \{10\}|\|^ *1e[-+][0-9]* +' out)" -eq 16 ] || fail "$what: not 16 rows"
run 0 -A gen:poisson3d,n=20 --maxit 1 --plot --ascii
said '* 1 cg,' 'o 2 cg,' 'tolerance 1e-08'
! LC_ALL=C grep -q '[^ -~]' out || fail "$what: not ASCII"
if [ "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" = UTF-8 ]; then
    LC_ALL=C.UTF-8 run 0 -A gen:poisson2d,n=20 --solver cg --precond jacobi --plot
    LC_ALL=C grep -q "$(printf '1e+00 \342\224\244\342[\240-\243]')" out || fail "$what: no dots"
fi
"$gsolve" -A A.mtx --plot --json - >out 2>err || fail "--plot --json -: exit code"
json out outcome=converged
grep -q '^ *iteration$' err || fail '--plot --json -: no curve on standard error'

# --- pages ----------------------------------------------------------------------------------------
run 0 -A A.mtx --html p.html
cp p.html out
said '<!doctype html>' '"outcome":"converged"' '"command":"gsolve -A A.mtx --html p.html"' '</html>'

# --- comparing formats -------------------------------------------------------------------------
run 0 compare gen:poisson2d,n=20 --repeat 3 --json c.json --csv c.csv --html c.html
said 'build ms' 'product ms' 'GFLOP/s' '/ copy' 'padding' 'faster from' 'csr' 'cxsparse' 'rounds      3;' \
    'fastest     build + 10 iterations: ' 'build + 10000 iterations: '
json c.json date device=cpu type=f64 interrupted=false 'matrices[].rtol=1e-08' 'matrices[].copy_bytes_per_second' \
    'matrices[].matrix.rows=400' 'matrices[].solver' 'matrices[].precond_seconds' 'matrices[].rounds=3' \
    'matrices[].row_lengths[3]=396' 'matrices[].fastest[3].iterations=10000' 'matrices[].fastest[3].format' \
    'matrices[].rows[].format=csr' 'matrices[].rows[].error=null' 'matrices[].rows[].outcome=converged' \
    'matrices[].rows[].overtakes=false' 'matrices[].rows[].overtakes_at=null' 'matrices[].rows[].padding=0' \
    'matrices[].rows[1].format'
for key in build_seconds build_products product_seconds product_least_seconds product_most_seconds gflops bytes \
    bytes_per_second share_of_copy stored product_error iterations residual iteration_seconds \
    setup_seconds solve_seconds total_seconds seconds_at_10 seconds_at_10000; do
    json c.json "matrices[].rows[1].$key"
done
cp c.csv out # every line has as many fields, and what 1000 iterations cost is build + 1000 of one
sed 's/"[^"]*"/q/g' c.csv | awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; n = NF; next }
    { rows++; cost = $at["build_ms"] + 1000 * $at["iteration_ms"]; d = $at["at_1000_ms"] - cost
      if (NF != n || d * d > 1e-12 * cost * cost || !($at["residual"] < 1e-8)) bad = 1 }
    END { exit bad || rows < 2 || n != 32 }' || fail "$what: the CSV is wrong"
cp c.html out
said '<!doctype html>' 'width=device-width' "default-src 'none'" '"source":"gen:poisson2d,n=20"' '</html>' # page.py reads pages
run 0 compare -A A.mtx -b b.mtx --formats cxsparse --solver cg --precond none --repeat 1 --json -
json out 'matrices[].rows[0].format=csr' 'matrices[].rows[1].format=cxsparse' 'matrices[].solver=cg' \
    'matrices[].rows[1].outcome=converged' 'matrices[].rhs=b.mtx'
run 0 compare A.mtx --formats 'cxsparse;csr,csr' --repeat 1 --csv -
[ "$(grep -o 'format\|"cxsparse"\|"csr"' out | tr '\n' ' ')" = 'format "cxsparse" "csr" "csr" ' ] || fail "$what: other formats"
[ "$(sed 's/"[^"]*"/q/g' out | cut -d, -f27 | sed -n 3p)" = '' ] || fail "$what: csr overtakes itself"
run 0 compare A.mtx -b b2.mtx --repeat 1 --solver cg,rtol=1e-3,rtol=1e-10 --atol 1e-14
said 'tolerance   |b - Ax| <= max(1e-10 |b|, 1e-14)'
run 0 compare A.mtx --repeat 1 --quiet --html q.html
[ ! -s out ] || fail "$what: not quiet"
run 0 compare A.mtx --type f32 --formats cxsparse --repeat 1 --html q.html --csv q.csv
said 'cxsparse    cxsparse supports only f64'
grep -q ',,,,"cxsparse supports only f64' q.csv && grep -q '"cxsparse supports only f64' q.html || fail "$what: no sentence"
run 0 compare tall.mtx --repeat 1 --html q.html
said 'not square' 'no solve'
run 0 compare -A A.mtx -A gen:poisson2d,n=9 tall.mtx --repeat 1 --json m.json --csv m.csv --html m.html
said 'means       speed-up over csr: geometric' 'build / product'
json m.json 'matrices[2].matrix.source=tall.mtx' 'matrices[2].solves=false' 'means[].format=csr' \
    'means[].matrices=3' 'means[].at_1000=1' 'means[].total=1'
grep -q '"means":\[{' m.html || fail "$what: the page lacks the means"
run 2 compare gen:poisson2d,n=30 --solver cg --precond none --maxit 3 --repeat 1
said 'NOT CONVERGED: iteration limit'
timeout --preserve-status -s INT 3 "$gsolve" compare gen:poisson2d,n=300 --solver gmres,restart=2,stall=0 \
    --precond none --maxit 100000000 --rtol 1e-12 --html stopped.html >out 2>err
[ $? -eq 2 ] || fail 'compare, interrupted: exit code'
what='compare, interrupted'
said 'interrupted' 'none: interrupted'
grep -q '"interrupted":true' stopped.html || fail "$what: the page does not say so"
for name in $(sed -n 's/_host_format/_format/; s/.*&gs_\(.*\)_format\.plugin.*/\1/p' "$source/spmv/formats.c" | sort -u); do
    [ -s "$source/docs/understand/formats/$name.md" ] || fail "the format $name has no page docs/understand/formats/$name.md"
    grep -qF "(formats/$name.md)" "$source/docs/understand/formats.md" || fail "docs/understand/formats.md does not lead to $name"
done

# --- the device --------------------------------------------------------------------------------
before=${GSOLVE_DEVICE-auto}
export GSOLVE_DEVICE=auto
small='small: the CPU needs less time than the start of a GPU'
not_said() {
    for text; do ! grep -qF -- "$text" out || fail "$what: said '$text'"; done
}
if "$gsolve" list devices | grep -q '^  cuda '; then
    run 0 -A A.mtx --json small.json
    said 'device      cpu: ' "$small"
    grep -qF "$small" small.json || fail "$what: the JSON does not say why"
    "$gsolve" -A A.mtx --device cuda >out 2>err # what the user says is done, or refused
    code=$?
    what='--device cuda'
    not_said "$small"
    [ $code -eq 0 ] && said 'device      cuda: '
    [ $code -eq 1 ] && complained 'CUDA device 0 cannot be used'
else
    run 0 -A A.mtx
    said 'device      cpu: ' 'this build of gsolve has no CUDA'
    run 1 -A A.mtx --device cuda
    complained 'has no CUDA'
fi
for how in '--device cpu' '--threads 1' '--device cpu --format csr'; do
    run 0 -A A.mtx $how
    not_said "$small" 'CUDA'
done
run 0 -A gen:poisson2d,n=210 --rtol 1e-2
not_said "$small"
GSOLVE_DEVICE=$before

# --- least squares -----------------------------------------------------------------------------
run 0 -A gen:random,n=60,cols=20 -b random --json l.json
said 'least squares' 'x is a least-squares solution'
json l.json 'outcome=least squares' normal_residual solver.name=direct
run 0 -A gen:lp --json l.json # QR would take 7.7 billion operations
said 'direct,work=0.1 + none' 'the set-up failed: the factors would hold up to' 'by attempt 2 of 2, lsmr + jacobi'
json l.json outcome=converged solver.name=lsmr
run 0 -A gen:random,n=60,cols=20 -b random --solver lsmr
said 'least squares' 'lsmr + jacobi,normal=1 (jacobi,normal=1 chosen: it approximates A^T A)'
run 0 -A gen:emptyrows,n=60 -b random --precond jacobi,normal=1
said 'least squares' 'lsmr chosen: the preconditioner approximates A^T A'
run 2 -A gen:poisson2d,n=30 -b random --solver lsmr,accept=singular --rtol 1e-3
said 'NOT CONVERGED: least-squares residual reached, system not solved' 'Nothing shows that A is singular'
said 'Let gsolve choose the method'
run 1 -A gen:random,n=60,cols=20 --solver lsqr --precond jacobi
complained 'for lsqr and lsmr use jacobi,normal=1 or none'
run 1 -A gen:random,n=60,cols=20 --solver direct,library=umfpack
complained 'umfpack does LU of square matrices, and this one is 60 x 20; leave library out (QR is by cxsparse)'
run 0 -A gen:poisson2d,n=30 -b random --solver lsmr --rtol 1e-3
said 'least squares'
run 1 -A gen:poisson2d,n=30 --solver cg --precond jacobi,normal=1
complained 'cg needs a preconditioner of A'

# --- null spaces -------------------------------------------------------------------------------
run 0 -A gen:neumann2d,n=20 -b random --null-space constants --json n.json
said 'least squares' 'without its component in the left null space' 'dimension 1' 'outside the range of A'
run 0 -A gen:neumann2d,n=20 -b random,k=2 --null-space constants --solver minres --precond none --json n.json
json n.json 'outcome=least squares' null_space.source=constants null_space.dimension=1 null_space.removed \
    null_space.projected_residual columns[1].removed columns[1].projected_residual
run 0 -A gen:neumann2d,n=20 -b A*ones --null-space constants --solver cg --precond jacobi
said 'converged'
run 2 -A gen:neumann2d,n=20 -b random --solver cg --precond jacobi --maxit 50
said '--null-space constants'
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n1 2 -2\n2 2 1\n' >two.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\n2\n' >v.mtx
run 0 -A two.mtx -b ones --null-space v.mtx --solver cg --precond jacobi -x x.mtx
said 'least squares'
run 1 -A two.mtx -b ones --null-space constants
complained '--null-space constants: the constant vector is not in the null space of A'
run 1 -A two.mtx --null-space missing.mtx
complained 'no such file; write constants, or a file name'
run 1 -A gen:poisson2d,n=4 --null-space v.mtx
complained 'the null space, v.mtx, is 2 x 1'
run 1 -A two.mtx --null-space v.mtx -x v.mtx
complained 'v.mtx is both input and output'
run 1 -A two.mtx --null-space v.mtx --solver direct
complained 'direct cannot solve with a matrix that has a null space'

printf '%%%%MatrixMarket matrix array real general\n2 1\n1\n-2\n' >left.mtx # A = (1 -1; 0.5 -0.5): A (1, 1)' = 0, A' (1, -2)' = 0
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 -1\n2 1 0.5\n2 2 -0.5\n' >unsym.mtx
run 0 -A unsym.mtx -b ones --null-space constants --left-null-space left.mtx --solver gmres --precond none --json n.json
said 'least squares' 'dimension 1'
json n.json null_space.source=constants null_space.left_source=left.mtx
run 1 -A unsym.mtx -b ones --null-space constants --solver gmres --precond none
complained 'A is not symmetric' 'as the left one by --left-null-space FILE'
run 1 -A unsym.mtx -b ones --null-space constants --left-null-space constants
complained "--left-null-space constants: the left null space is wrong: the constant vector is not in the null space of A'"
run 1 -A unsym.mtx -b ones --left-null-space left.mtx
complained '--left-null-space needs --null-space'
run 1 -A unsym.mtx -b ones --null-space constants --left-null-space missing.mtx
complained '--left-null-space missing.mtx: no such file'
run 1 -A unsym.mtx -b ones --null-space constants --left-null-space left.mtx -x left.mtx
complained 'left.mtx is both input and output'

# --- scale and order -----------------------------------------------------------------------------
run 2 -A gen:jump3d,n=12,cells=3,contrast=1e12 -b ones --solver cg,stall=100 --precond none
said 'A is badly scaled' '--scale auto'
run 0 -A gen:jump3d,n=12,cells=3,contrast=1e12 -b ones --solver cg,stall=100 --precond none --scale auto --json n.json
said 'symmetric scaling'
json n.json 'outcome=converged' 'solver.transform=symmetric scaling'
run 0 -A gen:convdiff3d,n=8 -b random,k=3 --scale rows --order rcm --columns
said 'scaled rows, rcm order' 'converged'
run 0 -A gen:poisson2d,n=20 --scale rows # not by cg
said 'scaled rows' 'not symmetric'
run 1 -A gen:poisson2d,n=20 --scale rows --solver cg --precond jacobi
complained 'cg needs a symmetric matrix' 'use scale=symmetric'
not_said 'method'
run 1 -A gen:poisson2d,n=20 --scale columns
complained '--scale takes one of none|rows|symmetric|auto'
run 1 -A gen:poisson2d,n=20 --order rcm --profile
complained '--profile'
run 1 -A gen:random,n=30,cols=20 --order amd
complained '--order needs a square matrix and this one is 30 x 20; leave it out'
run 1 -A gen:random,n=30,cols=20 --scale auto --order amd --solver lsqr
complained '--scale and --order need a square matrix and this one is 30 x 20; leave them out'
run 1 -A gen:neumann2d,n=9 --null-space constants --scale auto
complained '--scale cannot be combined with --null-space'
run 1 -A gen:poisson2d,n=9 --scale rows --precond ic
complained 'ic needs a symmetric matrix' 'use scale=symmetric'
run 1 -A gen:poisson2d,n=9 --solver cg,scale=auto
complained "cg has no option 'scale'" 'in the command: --scale and --order'
run 1 -A gen:poisson2d,n=9 --precond jacobi,order=rcm
complained "jacobi has no option 'order'" 'in the command: --scale and --order'
run 0 -A gen:convdiff3d,n=8 --order rcm --solver direct --json n.json
json n.json 'solver.spec=direct,order=none' 'solver.transform=rcm order'
run 0 -A gen:convdiff3d,n=8 --solver direct,order=rcm,scale=rows
said 'direct      LU by cxsparse, scaled rows, rcm order: '
run 1 -A gen:convdiff3d,n=8 --solver direct,scale=rows,factor=qr
complained 'direct has no scale and order for factor=qr; leave them out'
run 2 -A gen:convdiff3d,n=8 -b ones --solver bicgstab,maxit=1 --precond ilu
said 'Let gsolve choose the method (auto)'

# --- how a command ends ------------------------------------------------------------------------
run 1 nosuch --json n.json
json n.json "error=there is no command 'nosuch'; gsolve --help shows all commands, and gsolve -A FILE solves a system"
run 1 --json=n.json -A
json n.json error
run 1 compare gen:poisson2d,n=5 missing.mtx
complained 'missing.mtx: No such file or directory'
run 2 compare gen:poisson2d,n=40 --formats csr --solver cg --precond none --maxit 3 --repeat 1 --json n.json
said 'why         The limit of 3 iterations was reached' 'Let gsolve choose the method (auto)'
json n.json 'rows[].outcome=iteration limit' 'rows[].reason'
grep -q '"reason":.*The limit of 3 iterations' n.json || fail "$what: no reason in JSON"
run 0 -A gen:poisson2d,n=20 --repeat 9999 --time-limit 2 # nothing on standard error
said 'the time limit was reached before all 9999 solves were made'
run 2 -A gen:poisson2d,n=60 -b ones --rtol 1e-16 --json n.json
said 'The residual stagnated at rounding level' '--rtol '
grep -q '"attempts"' n.json && fail "$what: another method was tried after rounding level"
run 0 -A gen:poisson2d,n=20 --json n.json
json n.json x_error

# --- a terminal --------------------------------------------------------------------------------
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    what='on a terminal'
    : >err
    script -qec "'$gsolve' -A gen:poisson2d,n=20" /dev/null </dev/null >out 2>&1
    said 'setting up' 'converged' "$(printf '\r')"
    script -qec "'$gsolve' compare -A gen:poisson2d,n=20 --repeat 2" /dev/null </dev/null >out 2>&1
    said 'round 2  csr' 'faster from' "$(printf '\r')"
fi

[ $failures -eq 0 ] && echo 'all is well'
exit $failures
