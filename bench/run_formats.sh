#!/usr/bin/env bash
# run_formats.sh BUILD OUT [MATRICES]: products, conversions and iterations in every format beside cuSPARSE's, in fp64 and fp32, over the
# generated systems and the matrices of the folder MATRICES that have 100 000 entries or more. Records in OUT/bench_formats.jsonl; what
# they show, line by line, on the terminal (bench/formats_table.py). One process measures all formats on a matrix, so that they take turns.
# DEVICE=cpu: on the CPU with THREADS (1) threads beside CXSparse, smaller systems, OUT/bench_formats_cpu.jsonl.
# WHAT, "products matrices solves" if not set, says which; FORMATS and VARIANTS name other formats; ROUNDS is how often each takes its turn;
# VERBOSE=1 tells how long each process took.
set -euo pipefail
build=$1 out=$2 matrices=${3:-}
what=" ${WHAT:-products matrices solves} "
device=${DEVICE:-cuda} threads=${THREADS:-1}
here=$(dirname "$0")
source "$here/common.sh"
# Those whose padding may fill the memory come last: a format is refused when the others have taken it.
read -ra formats <<<"${FORMATS:-csr speculative segmented bce sell ellr bsr csr_vector csr_scalar ps coo hyb ell}"
read -ra variants <<<"${VARIANTS-bce,value=auto sell,value=auto}"
chosen=()
known=$("$build/cli/gsolve" list formats)
for format in "${formats[@]}" "${variants[@]}"; do
  if grep -q "^  ${format%%,*} " <<<"$known"; then chosen+=("$format"); else echo "not in this build: $format"; fi
done

if [ "$device" = cpu ]; then
  records=$out/bench_formats_cpu.jsonl
  : >"$records"
  if [[ $what == *" products "* ]]; then
    for matrix in gen:poisson3d,n=128 gen:poisson3d27,n=80 gen:elasticity3d,n=40 gen:band,n=250000,row=60,width=2000 gen:rmat,scale=19,degree=16 \
        gen:web,n=1000000 gen:circuit,n=700000 gen:poisson2d,n=2000 gen:tridiagonal,n=4000000 gen:random,n=500000,row=16 \
        gen:lp,n=4000,cols=1100000,row=2700 gen:emptyrows,n=2000000 gen:shuffled3d,n=100; do
      measure bench_spmv "$matrix" "$threads" "${ROUNDS:-9}" "${chosen[@]}"
    done
  fi
else
  records=$out/bench_formats.jsonl
  : >"$records"
  if [[ $what == *" products "* ]]; then
    for matrix in "${generated[@]}"; do
      measure bench_device --type both --rounds "${ROUNDS:-11}" product "$matrix" "${chosen[@]}" "${vendor[@]}"
    done
  fi
  if [[ $what == *" matrices "* && -n $matrices ]]; then
    matrices_of "$matrices" >"$out/matrices.txt"
    measure bench_device --type both --rounds "${ROUNDS:-11}" --least 100000 product "@$out/matrices.txt" "${chosen[@]}" "${vendor[@]}"
  fi
  if [[ $what == *" solves "* ]]; then # coo, hyb and the like are no formats for solves
    serious=()
    for format in "${chosen[@]}"; do
      case $format in
      csr | speculative | segmented | bce | sell | ellr) serious+=("$format") ;;
      esac
    done
    for n in 64 128 256; do measure bench_device --rounds 2 solve gen:poisson3d,n=$n cg jacobi "${serious[@]}" cusparse; done
    if grep -q '^  bsr ' <<<"$known"; then serious+=(bsr); fi
    measure bench_device --rounds 2 solve gen:elasticity3d,n=80 cg jacobi "${serious[@]}" cusparse
  fi
fi
python3 "$here/formats_table.py" "$records"
