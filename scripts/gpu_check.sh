#!/usr/bin/env bash
# gpu_check.sh [OUT]: on a machine with a GPU, builds, runs all tests, and runs small solves under compute-sanitizer. If everything
# passes on an H200, writes bench/results/h200/checked.json, and a copy into OUT (build-gpu/logs), the folder for logs.
# GSOLVE_COMMIT names the commit that is checked, since a copied tree has no history.
# A call takes 9 minutes at most. Exit code 3: work is left; call again. build-gpu/check keeps the results so far, for this commit.
# Exit code 1: something failed, and no record is written; the next call repeats everything except the build.
# JOBS: the number of tests that run at once (6). TOOLS: tools of compute-sanitizer. LIMIT: seconds of a call (520).
set -euo pipefail
cd "$(dirname "$0")/.."
export out=${1:-build-gpu/logs} state=build-gpu/check
commit=${GSOLVE_COMMIT:-} jobs=${JOBS:-6}
record=bench/results/h200/checked.json
read -ra tools <<<"${TOOLS:-memcheck racecheck initcheck}"
begin=$(date +%s)
export deadline=$((begin + ${LIMIT:-520}))

fail() { echo "$*" >&2; exit 1; }
left() { echo $((deadline - $(date +%s))); } # seconds
has_time() { [ "$(left)" -gt "$1" ]; }

[[ $commit =~ ^[0-9a-f]{7,40}$ ]] || fail "GSOLVE_COMMIT must name the commit that is checked, by 7 to 40 hexadecimal digits"
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1) || fail "nvidia-smi finds no GPU"
mkdir -p "$out" "$state"
[ "$(cat "$state/commit" 2>/dev/null)" = "$commit" ] || { rm -rf "$state" && mkdir -p "$state" && echo "$commit" >"$state/commit"; }
# Files of names of tests (passed, skipped), of sanitizer runs (clean), of failures (red), and of the seconds of each call.
touch "$state"/{passed,skipped,clean,red,seconds}

end() { # CODE
  if [ "$1" -eq 1 ]; then rm -rf "$state"; else echo $(($(date +%s) - begin)) >>"$state/seconds"; fi
  exit "$1"
}

stop() { echo "left: $1; call again" && end 3; }

# --- build -------------------------------------------------------------------------------------

build() {
  local code=0
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}; fi
  cmake -B build-gpu -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=native >"$out/configure.log" 2>&1 ||
    { tail -30 "$out/configure.log" && end 1; }
  timeout "$(left)" cmake --build build-gpu -j "$(nproc)" >"$out/build.log" 2>&1 || code=$?
  case $code in
  0) ;;
  124) stop "the rest of the build, all tests and all sanitizer runs" ;;
  *) tail -30 "$out/build.log" && end 1 ;;
  esac
}

# --- tests -------------------------------------------------------------------------------------

tests() { ctest --test-dir build-gpu -N "$@" | sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p' | sort; }
tests_left() { tests | grep -vxF -f "$state/passed" -f "$state/skipped" -f <(sed 's/:.*//' "$state/red") || true; }

run_tests() {
  local name status ended
  [ -n "$(tests -L cuda)" ] || echo "this build has no test for a GPU: was nvcc found?" >>"$state/red"
  [ -n "$(tests_left)" ] || return 0
  ended=$(cat "$state/passed" "$state/skipped" | paste -sd '|')
  OMP_WAIT_POLICY=passive TZ=UTC0 timeout -k 5 "$(left)" ctest --test-dir build-gpu -j "$jobs" --output-on-failure -E "^($ended)\$" \
    --stop-time "$(date -u -d "@$((deadline - 10))" +%T)" >"$out/ctest.log" 2>&1 || true
  while read -r name status; do
    case $status in
    Passed) echo "$name" >>"$state/passed" ;;
    Skipped) echo "$name" >>"$state/skipped" ;;
    Timeout) if has_time 12; then echo "$name: not ended in time" >>"$state/red"; fi ;; # else stopped by the limit of this call
    *) echo "$name: $status" >>"$state/red" ;;
    esac
  done < <(sed -n 's/^ *[0-9]*\/[0-9]* *Test *#[0-9]*: \([^ ]*\) [ .*]*\([A-Z][A-Za-z: ]*[A-Za-z]\) .*/\1 \2/p' "$out/ctest.log")
  if has_time 12; then # ctest ended by itself
    for name in $(tests_left); do echo "$name: not run" >>"$state/red"; done
  fi
  for name in $(comm -12 <(sort -u "$state/skipped") <(tests -L cuda)); do echo "$name: skipped, on a machine with a GPU" >>"$state/red"; done
}

# --- small solves under compute-sanitizer ------------------------------------------------------

sanitizer_runs() { # prints a line for each run: TOOL ARGUMENTS
  local tool matrix method precond format formats longest
  formats=$(build-gpu/cli/gsolve list formats | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p')
  for tool in "${tools[@]}"; do
    while read -r matrix method precond; do
      echo "$tool -A gen:$matrix --solver $method,maxit=40 --precond $precond"
    done <<'END'
poisson2d,n=12 cg jacobi
poisson2d,n=12 cg,resident=off jacobi
poisson2d,n=40 bicgstab jacobi
poisson2d,n=40 refine jacobi
convdiff3d,n=5 gmres ilu
convdiff3d,n=5 bicgstab block_jacobi
neumann2d,n=8 minres chebyshev
convdiff3d,n=5 bicg isai,relax=1
random,n=90,cols=40 lsqr jacobi,normal=1
emptyrows,n=90 lsmr jacobi,normal=1
convdiff3d,n=5 lsmr ilu
poisson3d,n=8 cg amg
poisson2d,n=40 cg amg
convdiff3d,n=5 bicgstab amg
circuit,n=300,dense=2 cg ic
web,n=2000,longest=1500 idr none
poisson2d,n=12 cg,norm=preconditioned,spectrum=on ic
convdiff3d,n=5 gmres,spectrum=on ilu
neumann2d,n=8 minres jacobi --null-space constants
neumann2d,n=12 cg amg --null-space constants
poisson2d,n=12 cg ic,order=rcm,scale=symmetric
convdiff3d,n=5 bicg ilu,order=amd,scale=rows
convdiff3d,n=5 gmres ilu --scale rows --order rcm
END
    # operators, matrices from blocks and assemblies, which the command does not have
    [ "$tool" != memcheck ] || printf 'memcheck %s\n' test_stencil test_matrix_blocks test_assembly_matrix
    [ "$tool" != racecheck ] || printf 'racecheck %s\n' test_assembly_matrix
    # three ranks, threads, on one GPU; initcheck with one column, as it reports the padding that swaps of columns copy
    [ "$tool" != memcheck ] || echo "memcheck test_dist_solve few"
    [ "$tool" != initcheck ] || echo "initcheck test_dist_solve few 1"
    for format in $formats; do
      [ "$tool $format" != "racecheck cusparse" ] || continue # races within the vendor's own kernels
      longest=1500
      if [ "$format" = ell ]; then longest=100; fi # ell refuses longer rows, because of the padding
      echo "$tool -A gen:web,n=2000,longest=$longest --format $format --solver bicgstab,maxit=5,resident=off --precond none"
    done
  done
}
runs_left() { sanitizer_runs | grep -vxF -f "$state/clean" || true; }

# shellcheck disable=SC2317 # xargs calls it
sanitize() { # "TOOL ARGUMENTS", or "TOOL PROGRAM" with a program of tests/
  local tool arguments log code=0 seconds most=200
  read -r tool arguments <<<"$1"
  read -ra arguments <<<"$arguments"
  case ${arguments[0]} in
  test_*) arguments[0]=build-gpu/tests/${arguments[0]} ;;
  *) arguments=(build-gpu/cli/gsolve "${arguments[@]}" --device cuda) ;;
  esac
  seconds=$((deadline - $(date +%s)))
  [ "$seconds" -gt 20 ] || return 0
  log=$(mktemp "$state/run.XXXXXX")
  GSOLVE_TEST_DEVICE=cuda timeout $((seconds < most ? seconds : most)) compute-sanitizer --tool "$tool" --error-exitcode 9 \
    "${arguments[@]}" >"$log" 2>&1 || code=$?
  case $code in
  0 | 2) echo "$1" >>"$state/clean" ;; # 2: did not converge
  124) [ "$seconds" -lt "$most" ] || echo "$1: not ended after $most s" >>"$state/red" ;;
  *) { echo "$1: not clean ($code)"; { grep '=====' "$log" || tail -1 "$log"; } | head -3; } >>"$state/red" ;;
  esac
  rm "$log"
}
export -f sanitize

# --- the record --------------------------------------------------------------------------------

quoted_list() { sed 's/.*/"&"/' | paste -sd ',' | sed 's/,/, /g'; }

write_record() {
  local counts
  counts=$(for tool in "${tools[@]}"; do echo "\"$tool\": $(grep -c "^$tool " "$state/clean")"; done | paste -sd ',' | sed 's/,/, /g')
  mkdir -p "$(dirname "$record")"
  cat >"$record" <<END
{
 "commit": "$commit",
 "date": "$(date -u +%F)",
 "device": "$device",
 "tests_passed": $(wc -l <"$state/passed"),
 "tests_skipped": [$(quoted_list <"$state/skipped")],
 "sanitizer_runs": {$counts},
 "seconds": $(awk -v now="$(($(date +%s) - begin))" '{s += $1} END {print s + now}' "$state/seconds")
}
END
  cp "$record" "$out/"
  cat "$record"
}

build
has_time 15 || stop "all tests that have not passed, and the sanitizer runs"
run_tests
# shellcheck disable=SC2016
runs_left | xargs -d '\n' -r -P 6 -I RUN bash -c 'sanitize "$1"' sanitize RUN
echo "tests: $(wc -l <"$state/passed") passed, $(wc -l <"$state/skipped") skipped, $(tests_left | wc -l) left; sanitizer runs: $(wc -l <"$state/clean") clean"
if [ -s "$state/red" ]; then echo "failed:" && cat "$state/red" && end 1; fi
missing=$(tests_left; runs_left)
if [ -n "$missing" ]; then echo "left:" && echo "$missing" && echo "call again" && end 3; fi
case $device in
*H200*) write_record ;;
*) echo "everything passed on $device; a record is written only on an H200" ;;
esac
end 0
