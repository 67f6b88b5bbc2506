#!/usr/bin/env bash
build=$1
for v in "8"; do set -- $v
cmake -B $build -DCMAKE_CUDA_FLAGS="-DTILE_BLOCKS=$1" >/dev/null; cmake --build $build -j 16 --target bench_device >/dev/null 2>&1 || { echo buildfail; continue; }
echo "== $v"
for m in gen:rmat,scale=20,degree=16 gen:web,n=1000000 gen:circuit,n=700000 gen:emptyrows,n=4000000; do
timeout 60 $build/bench/bench_device product $m csr cusparse,alg=csr1 | head -1 | python3 -c "
import sys,json
r=json.loads(sys.stdin.read()); print(f\"{r['matrix'][:24]:26}{r['median_ms']:.4f} floor {r['floor_ms']/r['median_ms']:.2f} ratio {r['ratio']:.3f}\")"
done; done
