#!/usr/bin/env bash
# run_device.sh BUILD OUT [MATRICES]: the benchmarks on the GPU; records in OUT/bench_device.jsonl, a table on the terminal.
# MATRICES: a folder with bcsstk16.mtx.gz and bcsstk18.mtx.gz of the SuiteSparse collection, solved too where they are there.
# WHAT, "products blocks solves krylov mixed amg" if not set, says which; REFINE, "refine,inner=cg", is the spec that is compared with cg.
set -euo pipefail
build=$1 out=$2 matrices=${3:-}
what=" ${WHAT:-products blocks solves krylov mixed amg} "
records=$out/bench_device.jsonl
: >"$records"
source "$(dirname "$0")/common.sh"
if [[ $what == *" products "* ]]; then
  for matrix in "${generated[@]}"; do
    measure bench_device product "$matrix" csr "${vendor[@]}"
  done
fi
if [[ $what == *" blocks "* ]]; then
  for matrix in gen:poisson3d,n=256 gen:band,n=500000,row=60,width=3000 gen:rmat,scale=20,degree=16 gen:random,n=1000000,row=16; do
    measure bench_device transposed "$matrix" csr cusparse,alg=csr2
    for columns in 4 8; do measure bench_device block "$matrix" $columns csr cusparse,alg=csr1 cusparse,alg=csr2; done
  done
fi
if [[ $what == *" solves "* ]]; then
  for n in 64 128 256; do measure bench_device solve gen:poisson3d,n=$n cg jacobi csr cusparse; done
  for method in bicgstab gmres; do measure bench_device solve gen:convdiff3d,n=128 $method jacobi csr cusparse; done
fi
if [[ $what == *" krylov "* ]]; then
  for n in 64 128 256; do measure bench_krylov_device gen:poisson3d,n=$n cg; done
  for method in bicgstab gmres; do measure bench_krylov_device gen:convdiff3d,n=128 $method; done
fi
if [[ $what == *" mixed "* ]]; then
  for matrix in gen:poisson3d,n=160 gen:poisson3d27,n=100 gen:elasticity3d,n=60 gen:jump3d,n=128 gen:anisotropic3d,n=128 \
      "$matrices/bcsstk16.mtx.gz" "$matrices/bcsstk18.mtx.gz"; do
    case $matrix in
    gen:*) ;;
    *) [ -f "$matrix" ] || continue ;;
    esac
    measure bench_mixed --refine "${REFINE:-refine,inner=cg}" "$matrix"
  done
fi
if [[ $what == *" amg "* ]]; then
  measure bench_amg
fi
python3 - "$records" <<'P'
import json, math, sys
ratios = []
for line in open(sys.argv[1]):
    r = json.loads(line)
    name = r["matrix"].split("/")[-1].replace("gen:", "")
    text = f"{r.get('operation', '')[:5]:5} {r['columns']:2} {name[:30]:30} {r['what'][:40]:40} {r['median_ms']:9.4f} ms"
    if r["floor_ms"]:
        text += f"  floor {r['floor_ms']:8.4f}  {r['floor_ms'] / r['median_ms']:5.2f}"
    if r["ratio"]:
        text += f"  ratio {r['ratio']:6.3f}"
    if r["ratio"] and "difference" in r:
        text += f"  diff {r['difference']:.1e}"
    if r["bench"] == "bench_krylov_device":
        text += f"  {r['iterations']} iterations, peer {r.get('peer_iterations')} by {r['peer']}"
    if r["bench"] == "bench_mixed":
        text += f"  {r['products']} products, residual {r['residual']:.1e}, set-up {r['setup_ms']:.1f} ms"
        ratios += [r["ratio"]] if r["ratio"] else []
    print(text)
if ratios:
    print(f"cg / refine, geometric mean of {len(ratios)}: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}")
P
