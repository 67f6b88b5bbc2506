#!/usr/bin/env bash
# run_device.sh BUILD OUT: the benchmarks on the GPU; records in OUT/bench_device.jsonl, a table on the terminal.
set -euo pipefail
build=$1 out=$2
records=$out/bench_device.jsonl
: >"$records"
for matrix in gen:poisson3d,n=256 gen:poisson3d27,n=160 gen:elasticity3d,n=80 gen:band,n=500000,row=60,width=3000 \
    gen:rmat,scale=20,degree=16 gen:web,n=1000000 gen:circuit,n=700000 gen:poisson2d,n=4096 gen:tridiagonal,n=16000000 \
    gen:random,n=1000000,row=16 gen:lp,n=4000,cols=1100000,row=2700 gen:emptyrows,n=4000000; do
  timeout 200 "$build/bench/bench_device" product "$matrix" csr cusparse,alg=csr1 cusparse,alg=csr2 cusparse,alg=coo \
    cusparse,alg=sell cusparse,alg=bsr >>"$records" || echo "failed: $matrix"
done
for matrix in gen:poisson3d,n=256 gen:band,n=500000,row=60,width=3000 gen:rmat,scale=20,degree=16 gen:random,n=1000000,row=16; do
  timeout 200 "$build/bench/bench_device" transposed "$matrix" csr cusparse,alg=csr2 >>"$records" || echo "failed: transposed $matrix"
  for columns in 4 8; do
    timeout 200 "$build/bench/bench_device" block "$matrix" $columns csr cusparse,alg=csr1 cusparse,alg=csr2 >>"$records" ||
      echo "failed: $columns columns of $matrix"
  done
done
for n in 64 128 256; do
  timeout 200 "$build/bench/bench_device" solve gen:poisson3d,n=$n cg jacobi csr cusparse >>"$records" || echo "failed: cg $n"
done
for method in bicgstab gmres; do
  timeout 200 "$build/bench/bench_device" solve gen:convdiff3d,n=128 $method jacobi csr cusparse >>"$records" ||
    echo "failed: $method"
done
python3 - "$records" <<'P'
import json, sys
for line in open(sys.argv[1]):
    r = json.loads(line)
    print(f"{r['operation'][:5]:5} {r['columns']:2} {r['matrix'][4:34]:30} {r['what'][:30]:30} {r['median_ms']:9.4f} ms  floor {r['floor_ms']:8.4f}  "
          f"{r['floor_ms'] / r['median_ms']:5.2f}  ratio {r['ratio']:6.3f}  setup {r['setup_ms']:8.2f}  diff {r['difference']:.1e}")
P
