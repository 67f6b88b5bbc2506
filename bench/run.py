#!/usr/bin/env python3
"""run.py BUILD [FOLDER]: runs the CPU benchmarks and their peers in turn, in several rounds, and writes the records to
bench/results/cpu/*.json and the tables between the marks of docs/benchmarks/cpu.md. BUILD: a build folder in which the
target peers was built too. FOLDER: for temporary files. $ONLY: products, solves or assembly, to
measure these alone. $PYTHON: a Python with SciPy. run.py --tables: writes the tables from the records, without measuring."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

build = pathlib.Path(sys.argv[1]) / "bench"
folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "/tmp")
top = pathlib.Path(__file__).resolve().parent.parent
page = top / "docs" / "benchmarks" / "cpu.md"
results = top / "bench" / "results" / "cpu"
results.mkdir(parents=True, exist_ok=True)
rounds = int(os.environ.get("ROUNDS", 3))
python = os.environ.get("PYTHON", "/usr/bin/python3")
commit = subprocess.run(["git", "-C", top, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
environment = dict(os.environ, GSOLVE_DEVICE="cpu", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(command, threads=1):
    out = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                         env=dict(environment, OMP_NUM_THREADS=str(threads)))
    return out.stdout.strip() if out.returncode == 0 else None


def peers(what, dump, threads, runs):
    """Each peer's command, by name."""
    found = {}
    if (build / "peer_petsc").exists():
        found["PETSc"] = ["mpirun", "--oversubscribe", "-n", threads, build / "peer_petsc", dump, what, runs]
    if (build / "peer_eigen").exists():
        found["Eigen"] = [build / "peer_eigen", dump, what, runs]
    if threads == 1 or what == "product":
        found["SciPy"] = [python, top / "bench" / "peer_scipy.py", dump, what, runs]
    return found


def assembly_peers(dump, runs):
    """Each peer's command, by name. All of them use one thread."""
    found = {"SciPy": [python, top / "bench" / "peer_assembly_scipy.py", dump, max(runs // 3, 1)]}
    for name in ("PETSc", "Eigen"):
        program = build / f"peer_assembly_{name.lower()}"
        if program.exists():
            found[name] = [program, dump, runs]
    return found


def measure(own, what, dump, threads, runs):
    """Rounds of ours and of every peer in turn; our median record with the peers' medians."""
    records, others, iterations = [], {}, {}
    for _ in range(rounds):
        out = run(own, threads)
        records.append(json.loads(out.splitlines()[0]))
        commands = assembly_peers(dump, runs) if what == "assembly" else peers(what, dump, threads, runs)
        for name, command in commands.items():
            out = run(command, threads)
            if out:
                ms, count = out.split()[-2:]
                others.setdefault(name, []).append(float(ms))
                iterations[name] = int(count)
    record = sorted(records, key=lambda r: r["median_ms"])[len(records) // 2]
    if record["bench"] == "bench_spmv":
        others["CXSparse"] = [r["peer_ms"] for r in records]
    record["peers_ms"] = {name: statistics.median(ms) for name, ms in others.items()}
    record["peer"] = min(record["peers_ms"], key=record["peers_ms"].get) if others else None
    record["peer_ms"] = record["peers_ms"].get(record["peer"])
    record["ratio"] = record["peer_ms"] / record["median_ms"] if others else None
    record["peers_iterations"] = iterations if what == "cg" else None
    if what == "assembly" and any(count != record["entries"] for count in iterations.values()):
        sys.exit(f"the peers have other entries: {iterations}, not {record['entries']}")
    record["rounds"] = rounds
    record["commit"], record["date"] = commit, time.strftime("%Y-%m-%d")
    record["machine"] = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    print(json.dumps(record), flush=True)
    return record


def table(records, title, unit, share="triad"):
    names = sorted({name for r in records for name in r["peers_ms"]})
    lines = [title, "", "| system | threads | gsolve | " + " | ".join(names) + " | best peer / gsolve | share of " + share + " |",
             "|---" * (len(names) + 5) + "|"]
    for r in records:
        cells = [f"{r['peers_ms'][n]:.2f}" if n in r["peers_ms"] else "" for n in names]
        lines.append(f"| `{r['matrix'].replace('gen:', '')}` | {r['threads']} | {r['median_ms']:.2f} | " + " | ".join(cells) +
                     f" | {r['ratio']:.2f} | {r['floor_ms'] / r['median_ms']:.2f} |")
    return lines + ["", unit, ""]


def write(name, records):
    (results / f"bench_{name}.json").write_text(json.dumps(records, indent=1) + "\n")


def measure_products(dump):
    records = []
    for matrix in ("gen:poisson3d,n=128", "gen:band,n=250000,row=60,width=2000", "gen:rmat,scale=19,degree=16"):
        run([build / "bench_spmv", matrix, 1, 1, "--dump", dump])
        for threads in (1, 2):
            records.append(measure([build / "bench_spmv", matrix, threads, 15], "product", dump, threads, 15))
    write("spmv", records)


def measure_solves(dump):
    run([build / "bench_spmv", "gen:poisson3d,n=100", 1, 1, "--dump", dump])
    write("krylov", [measure([build / "bench_krylov", "gen:poisson3d,n=100", threads, 3], "cg", dump, threads, 3)
                     for threads in (1, 2)])


def measure_assembly(dump):
    records = []
    for mesh in ("hex", "tet", "shuffled"):
        for threads in (1, 2):
            records.append(measure([build / "bench_assembly", mesh, 64, 9, "--dump", dump], "assembly", dump, threads, 9))
    write("assembly", records)


if sys.argv[1] != "--tables":
    parts = {"products": measure_products, "solves": measure_solves, "assembly": measure_assembly}
    for part in os.environ.get("ONLY", " ".join(parts)).split():
        parts[part](folder / "gsolve_bench.bin")
    (folder / "gsolve_bench.bin").unlink()
products, solves, assemblies = (json.loads((results / f"bench_{name}.json").read_text()) for name in ("spmv", "krylov", "assembly"))
lines = table(products, "Product y = A x in fp64, ms (medians; gsolve and the peers in turn):", "Share of triad: the time of the bytes that must move, at the bandwidth of STREAM triad in the same run, over the measured time.")
lines += table(solves, "One iteration of CG with Jacobi in fp64, ms; PETSc has as many ranks as threads:", "Iterations: " + "; ".join(
    f"{r['threads']} thread(s): gsolve {r['iterations']}, " + ", ".join(f"{k} {v}" for k, v in r["peers_iterations"].items()) for r in solves) + ".")
lines += table(assemblies, f"New values of a matrix from the triplets of finite elements in fp64, ms ({assemblies[0]['machine']}, {assemblies[0]['date']}). PETSc by "
               "`MatSetValuesCOO`, Eigen by `setFromTriplets`, SciPy by `tocsr`, with one thread each:",
               "Share of copy: the time of the bytes that must move, at the bandwidth of a copy in the same run, over the measured time. "
               "`shuffled` has the elements of `tet` in random order.", "copy")
text = page.read_text()
begin, end = text.index("<!-- bench:begin -->"), text.index("<!-- bench:end -->")
head = f"{solves[0]['machine']}, {solves[0]['date']}.\n\n"
page.write_text(text[:begin] + "<!-- bench:begin -->\n" + head + "\n".join(lines) + text[end:])
