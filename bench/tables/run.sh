#!/usr/bin/env bash
# run.sh BUILD OUT [MATRICES]: the tables of the papers that the formats come from, measured anew on the GPU: on generated stand-ins for the
# matrices of these tables (papers.json names them), and on those of the folder MATRICES that have 100 000 entries or more. Records in
# OUT/tables_*.jsonl, the tables beside the published figures in OUT/tables.md. WHAT, "segspmv speculative bce fastspmm real", says which.
set -euo pipefail
build=$1 out=$2 matrices=${3:-}
what=" ${WHAT:-segspmv speculative bce fastspmm real} "
here=$(dirname "$0")
source "$here/../common.sh"
csr=(cusparse,alg=csr1 cusparse,alg=csr2)
LIMIT=${LIMIT:-280}

stand_ins() { # PAPER TYPE FORMAT...
  records=$out/tables_$1.jsonl
  : >"$records"
  python3 "$here/tables.py" --list "$1" >"$out/tables_$1.txt"
  measure bench_device --type "$2" --rounds "${ROUNDS:-9}" product "@$out/tables_$1.txt" "${@:3}"
}
if [[ $what == *" segspmv "* ]]; then
  stand_ins segspmv f32 csr segmented csr_scalar csr_vector ps "${csr[@]}"
fi
if [[ $what == *" speculative "* ]]; then
  stand_ins speculative both csr speculative csr_scalar csr_vector "${csr[@]}"
fi
if [[ $what == *" bce "* ]]; then
  stand_ins bce both csr bce sell hyb "${csr[@]}" cusparse,alg=coo cusparse,alg=bsr ell
fi
if [[ $what == *" fastspmm "* ]]; then # columns that travel: 1 GB of them, 2048 at most
  records=$out/tables_fastspmm.jsonl
  : >"$records"
  python3 "$here/tables.py" --list fastspmm | while read -r matrix; do
    rows=$(sed 's/[^,]*,n=\([0-9]*\).*/\1/' <<<"$matrix")
    columns=$((250000000 / rows < 2048 ? 250000000 / rows : 2048))
    measure bench_spmm --type f32 --layout rows --rounds "${ROUNDS:-9}" "$matrix" 8,32 ellr
    measure bench_stream "$matrix" ellr "$columns" f32
    for threads in ${THREADS:-1 2 4 8}; do
      GSOLVE_DEVICE=cpu,threads=$threads measure bench_spmm --type f32 --layout rows --rounds 1 "$matrix" 8 csr
    done
  done
fi
if [[ $what == *" real "* && -n $matrices ]]; then
  records=$out/tables_real.jsonl
  : >"$records"
  matrices_of "$matrices" >"$out/matrices.txt"
  measure bench_device --type both --rounds "${ROUNDS:-9}" --least 100000 product "@$out/matrices.txt" csr segmented speculative bce \
    csr_scalar csr_vector ps hyb "${csr[@]}" cusparse,alg=coo cusparse,alg=bsr ell
fi
python3 "$here/tables.py" "$out" | tee "$out/tables.md"
