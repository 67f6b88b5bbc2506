#!/bin/sh
# command_speed.sh GSOLVE FOLDER [DEVICE...]: the times and the memory of whole runs of the command GSOLVE, as a table.
#
# Makes two matrices in FOLDER, unless they are there: the 27-point Poisson matrix on 128^3 points (1.0 GB of text) and on 25^3
# points (5 MB). Solves each from its text and from its cache, on each DEVICE (default: cuda cpu), with 1, 2 and 16 threads. Each
# row is the median by wall time of RUNS runs (default 3) after one that warms up the page cache. Times are in seconds.
#   read ... solve  parts that the command reports; other: the rest of the wall time, such as the start of a GPU and the exit
#   memory          largest resident set, in MB;   times CSR: that divided by the bytes of the rows
# A cache is written by a run of GSOLVE itself; the row "text, writes" is the wall time of such a run.
set -eu
[ $# -ge 2 ] || { sed -n '2,/^set/{/^#/p}' "$0" | cut -c3- >&2; exit 1; }
gsolve=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- cuda cpu
mkdir -p "$folder"
for points in 25 ${LARGE:-128}; do
    [ -f "$folder/p27_$points.mtx" ] && continue
    "$gsolve" generate poisson3d27,n="$points" -o "$folder/p27_$points.mtx" >&2
done
exec python3 - "$gsolve" "$folder" "$@" <<'PYTHON'
import json, os, resource, subprocess, sys, time

gsolve, folder, devices = sys.argv[1], sys.argv[2], sys.argv[3:]
RUNS = int(os.environ.get("RUNS", "3"))
PARTS = ["read", "check", "build", "precond", "setup", "solve"]
HEAD = "| matrix | device | threads | from | " + " | ".join(PARTS) + " | other | wall | memory | times CSR |"


def run(matrix, device, threads, cache):
    """The parts of one run, its wall time, and its largest resident set in bytes."""
    out = os.path.join(folder, "out.json")
    words = [gsolve, "-A", matrix, "--device", device, "-q", "--json", out] + ["--cache"] * cache
    words += ["--threads", str(threads)]
    begin = time.monotonic()
    child = subprocess.Popen(words)
    status, usage = os.wait4(child.pid, 0)[1:]
    wall = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit("failed: " + " ".join(words))
    with open(out) as file:
        report = json.load(file)
    return wall, {p: report["seconds"].get(p, 0) for p in PARTS}, usage.ru_maxrss * 1024, report


def drop(matrix):
    if os.path.exists(matrix + ".gscache"):
        os.unlink(matrix + ".gscache")


def row(matrix, device, threads, source):
    runs = []
    for k in range(RUNS + 1):
        if source != "cache":
            drop(matrix)
        elif k == 0:
            run(matrix, device, threads, True)
        runs.append(run(matrix, device, threads, source != "text"))
    wall, parts, memory, report = sorted(runs[1:], key=lambda r: r[0])[RUNS // 2]
    n, entries = report["matrix"]["rows"], report["matrix"]["entries"]
    name = os.path.basename(matrix)
    times = [parts[p] for p in PARTS] + [wall - sum(parts.values()), wall]
    print(f"| {name} | {device} | {threads} | {source} | " + " | ".join(f"{t:.3f}" for t in times)
          + f" | {memory / 1e6:.0f} | {memory / (12 * entries + 4 * n):.2f} |", flush=True)


print(f"{subprocess.run([gsolve, '--version'], capture_output=True, text=True).stdout.split(chr(10))[0]}, "
      f"{os.cpu_count()} processors\n")
print(HEAD)
print("|" + "---|" * (HEAD.count("|") - 1))
for points in ["25", os.environ.get("LARGE", "128")]:
    for device in devices:
        for threads in (1, 2, 16):
            for source in ("text", "text, writes", "cache"):
                if threads <= (os.cpu_count() or 1):
                    row(os.path.join(folder, f"p27_{points}.mtx"), device, threads, source)
PYTHON
