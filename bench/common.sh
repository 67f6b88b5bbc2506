# common.sh: what the scripts that measure share: the generated systems, and how a record is taken. Needs $build and $records.
generated=(gen:poisson3d,n=256 gen:poisson3d27,n=160 gen:elasticity3d,n=80 gen:band,n=500000,row=60,width=3000
  gen:rmat,scale=20,degree=16 gen:web,n=1000000 gen:circuit,n=700000 gen:poisson2d,n=4096 gen:tridiagonal,n=16000000
  gen:random,n=1000000,row=16 gen:lp,n=4000,cols=1100000,row=2700 gen:emptyrows,n=4000000 gen:shuffled3d,n=128)
vendor=(cusparse,alg=csr1 cusparse,alg=csr2 cusparse,alg=coo cusparse,alg=sell cusparse,alg=bsr)

measure() { # PROGRAM ARGUMENTS...: what a format refuses goes to the terminal
  local begin=$SECONDS
  timeout "${LIMIT:-200}" "$build/bench/$1" "${@:2}" >>"$records" || echo "failed: $*"
  if [ -n "${VERBOSE:-}" ]; then echo "$((SECONDS - begin)) s: $*" | cut -c 1-100; fi
}

# The matrices of a folder, one a line: no right-hand sides or solutions, and nothing complex.
matrices_of() { # FOLDER
  find "$1" -name '*.mtx.gz' ! -name '*_b.mtx.gz' ! -name '*_x.mtx.gz' ! -name 'form_*' | sort | while read -r file; do
    case $(head -c 2000 "$file" | gzip -dc 2>/dev/null | head -c 60) in # a file cut short ends gzip with an error
    *complex*) ;;
    *) echo "$file" ;;
    esac
  done
}
