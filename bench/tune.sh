#!/usr/bin/env bash
build=$1
for v in "768 256 8 3 1" "1280 256 8 3 0" "1024 256 8 4 1"; do set -- $v
cmake -B $build -DCMAKE_CUDA_FLAGS="-DTILE_WORK=$1 -DMOST_SHORT=$2 -DTILE_BLOCKS=$3 -DWIDE_R=$4 -DWIDE_CS=$5" >/dev/null; cmake --build $build -j 16 --target bench_device >/dev/null 2>&1 || { echo buildfail; continue; }
echo "== $v"
for m in gen:elasticity3d,n=80 gen:band,n=500000,row=60,width=3000 gen:rmat,scale=20,degree=16 gen:web,n=1000000 gen:lp,n=4000,cols=1100000,row=2700 gen:circuit,n=700000 gen:emptyrows,n=4000000; do
timeout 60 $build/bench/bench_device product $m csr cusparse,alg=csr1 | head -1 | python3 -c "
import sys,json
r=json.loads(sys.stdin.read()); print(f\"{r['matrix'][:24]:26}{r['median_ms']:.4f} floor {r['floor_ms']/r['median_ms']:.2f} ratio {r['ratio']:.3f}\")"
done; done
