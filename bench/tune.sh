#!/usr/bin/env bash
build=$1
for v in "2 1 2 __ldg 1536 32" "2 1 1 __ldg 1024 32" "2 2 2 __ldg 1536 16" "1 2 2 __ldg 1024 16" "2 1 1 __ldcs 512 32" "3 1 2 __ldg 1536 32" "2 2 1 __ldg 1536 8"; do set -- $v
cmake -B $build -DCMAKE_CUDA_FLAGS="-DCSR_AT=$1 -DCSR_U=$2 -DCSR_FILL=$3 -DCSR_LD=$4 -DCSR_TILE=$5 -DCSR_OWN=$6" >/dev/null; cmake --build $build -j 16 --target bench_device >/dev/null 2>&1 || { echo buildfail; continue; }
echo "== $v"
for m in gen:poisson3d,n=256 gen:poisson3d27,n=160 gen:elasticity3d,n=80 gen:band,n=500000,row=60,width=3000 gen:rmat,scale=20,degree=16 gen:web,n=1000000 gen:tridiagonal,n=16000000 gen:poisson2d,n=4096 gen:random,n=1000000,row=16 gen:emptyrows,n=4000000; do
timeout 60 $build/bench/bench_device product $m csr cusparse,alg=csr1 | head -1 | python3 -c "
import sys,json
r=json.loads(sys.stdin.read()); print(f\"{r['matrix'][:24]:26}{r['median_ms']:.4f} floor {r['floor_ms']/r['median_ms']:.2f} ratio {r['ratio']:.3f}\")"
done; done
