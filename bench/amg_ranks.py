#!/usr/bin/env python3
"""Multigrid over MPI processes of this host: gsolve beside PETSc's GAMG and hypre's BoomerAMG, all with cg.

usage: bench/amg_ranks.py BUILD [--runs K] [--ranks P] [--more Q] [--all] [--quick] [--mpirun MPIRUN] [--json FILE]

BUILD is a build folder with libgsolve and libgsolve_mpi. amg_ranks.c, compiled with the PETSc that pkg-config names,
gives each process the same rows of each system, b = A 1, x0 = 0 and |b - Ax| <= 1e-8 |b|. With P processes (2), one
thread each, the solvers take turns in one process, K times (5) after one turn that does not count; the medians of
set-up and solve count. Each also runs once in a process of its own, where memory is touched for the first time: that is
"first", set-up and solve. With Q processes (4; 0: none) and with one, iterations and residuals are compared, not times.
For each system the peers have the fastest of the configurations in CANDIDATES; --all measures all of them. --quick:
small systems and two runs, to try the script.
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HYPRE = "-pc_type hypre -pc_hypre_type boomeramg"


def boomeramg(**options):
    """BoomerAMG for three dimensions, as hypre's manual advises: HMIS, ext+i, four entries in a row of P."""
    options = {"coarsen_type": "HMIS", "interp_type": "ext+i", "P_max": 4, **options}
    return HYPRE + "".join(f" -pc_hypre_boomeramg_{key} {value}" for key, value in options.items())


def gamg(**options):
    return "-pc_type gamg" + "".join(f" -pc_gamg_{key} {value}" for key, value in options.items())


SCALAR = [gamg(), gamg(threshold=0.01), gamg(threshold=0.02),
          boomeramg(strong_threshold=0.5), boomeramg(strong_threshold=0.5, agg_nl=1), boomeramg(strong_threshold=0.25),
          boomeramg(strong_threshold=0.25, agg_nl=1),
          boomeramg(strong_threshold=0.5, agg_nl=1, relax_type_all="l1scaled-Jacobi")]
ELASTIC = [gamg(), gamg(threshold=0.01), gamg(threshold=0.02),
           boomeramg(strong_threshold=0.5), boomeramg(strong_threshold=0.9),
           boomeramg(strong_threshold=0.5, nodal_coarsen=4),
           boomeramg(strong_threshold=0.25, nodal_coarsen=1, vec_interp_variant=3)]
# mis2 is what amg takes over ranks; it is named so that one rank takes it, too.
# generator, n, n with --quick, preconditioner of gsolve, configurations, the fastest GAMG and BoomerAMG of them
CANDIDATES = [
    ("poisson3d", 100, 24, "amg,aggregation=mis2", SCALAR, (gamg(), boomeramg(strong_threshold=0.25, agg_nl=1))),
    ("jump3d", 100, 24, "amg,aggregation=mis2", SCALAR, (gamg(), boomeramg(strong_threshold=0.25, agg_nl=1))),
    ("elasticity3d", 40, 8, "amg,aggregation=mis2,near_null=given", ELASTIC, (gamg(), boomeramg(strong_threshold=0.5))),
]


def compile_program(build, folder):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], capture_output=True, text=True)
    if flags.returncode != 0:
        sys.exit("amg_ranks.py: pkg-config finds no PETSc; install petsc-dev")
    program, build = os.path.join(folder, "amg_ranks"), os.path.abspath(build)
    folders = [build, os.path.join(build, "mpi")]
    command = ["mpicc", "-O2", os.path.join(HERE, "amg_ranks.c"), "-o", program, "-I" + os.path.join(HERE, "..", "include"),
               *flags.stdout.split(), *("-L" + f for f in folders), "-lgsolve_mpi", "-lgsolve",
               "-Wl,-rpath," + ":".join(folders)]
    if subprocess.run(command).returncode != 0:
        sys.exit("amg_ranks.py: amg_ranks.c does not compile")
    return program


def run(args, program, processes, matrix, edge, runs, configurations):
    """The runs of each configuration, in order."""
    options = ["--oversubscribe"] if processes > (os.cpu_count() or 1) else ["--bind-to", "core"]
    version = subprocess.run([args.mpirun, "--version"], capture_output=True, text=True).stdout
    if "Open MPI" not in version:
        options = []
    elif os.getuid() == 0:
        options.append("--allow-run-as-root")
    command = [args.mpirun, *options, "-n", str(processes), program, matrix, str(edge), str(runs), *configurations]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    records = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [[r for r in records if r["configuration"] == k] for k in range(len(configurations))]


def name_of(configuration):
    if configuration.startswith("gsolve"):
        return "gsolve"
    return "BoomerAMG" if "hypre" in configuration else "GAMG"


def summary(configuration, runs, first):
    """Medians of all runs but the first one, which warms up."""
    counted = runs[1:]
    record = {"solver": name_of(configuration), "configuration": configuration.split(" ", 1)[1],
              "iterations": runs[-1]["iterations"], "residual": max(r["residual"] for r in runs)}
    for key in ("build", "setup", "solve"):
        record[key] = statistics.median(r[key] for r in counted)
    totals = [r["setup"] + r["solve"] for r in counted]
    record.update(total=statistics.median(totals), least=min(totals), most=max(totals),
                  first=first["setup"] + first["solve"], bytes=first["bytes"])
    return record


def print_times(matrix, ranks, records):
    print(f"\n{matrix}, {ranks} ranks, cg; seconds\n"
          "solver     iterations  matrix  set-up   solve   total   (least to most)   first     MB  residual")
    for r in records:
        print(f"{r['solver']:10} {r['iterations']:10} {r['build']:7.3f} {r['setup']:7.3f} {r['solve']:7.3f}"
              f" {r['total']:7.3f}   ({r['least']:.3f} to {r['most']:.3f}) {r['first']:7.3f} {r['bytes'] / 1e6:6.0f}"
              f"  {r['residual']:.1e}  {r['configuration']}", flush=True)


def machine():
    """The processor, as Linux names it."""
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())


def measure(args, program, case):
    generator, n, small, precond, candidates, best = case
    n = small if args.quick else n
    matrix, edge = f"gen:{generator},n={n}", n if generator == "elasticity3d" else 0
    configurations = [f"gsolve csr {precond}", *("petsc " + c for c in (candidates if args.all else best))]
    runs = run(args, program, args.ranks, matrix, edge, args.runs + 1, configurations)
    first = [run(args, program, args.ranks, matrix, edge, 1, [c])[0][0] for c in configurations]
    records = [summary(c, r, f) for c, r, f in zip(configurations, runs, first)]
    print_times(matrix, args.ranks, records)
    for ranks in (1, args.more) if args.more else ():
        for record, (one,) in zip(records, run(args, program, ranks, matrix, edge, 1, configurations)):
            record[f"iterations_{ranks}"], record[f"residual_{ranks}"] = one["iterations"], one["residual"]
    if args.more:
        for r in records:
            print(f"{r['solver']:10} iterations on 1, {args.ranks}, {args.more} ranks: {r['iterations_1']},"
                  f" {r['iterations']}, {r[f'iterations_{args.more}']}; residual on {args.more}:"
                  f" {r[f'residual_{args.more}']:.1e}")
    peers = [r for r in records[1:] if r["iterations"] > 0]
    fastest = min(peers, key=lambda r: r["total"])
    ratio = fastest["total"] / records[0]["total"]
    print(f"fastest peer {fastest['solver']}: ratio {ratio:.2f}; of the first runs"
          f" {min(r['first'] for r in peers) / records[0]['first']:.2f}", flush=True)
    return {"matrix": matrix, "ranks": args.ranks, "ratio": ratio, "solvers": records}


def wrong(results):
    """What did not converge to the tolerance."""
    for result in results:
        for r in result["solvers"]:
            for key, value in r.items():
                if (key.startswith("iterations") and value < 0) or (key.startswith("residual") and value > 1.01e-8):
                    yield f"{result['matrix']}: {r['solver']}: {key} is {value}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--more", type=int, default=4)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--json")
    args = parser.parse_args()
    if args.quick:
        args.runs = 2
    with tempfile.TemporaryDirectory() as folder:
        program = compile_program(args.build, folder)
        results = [measure(args, program, case) for case in CANDIDATES]
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, cwd=HERE)
    petsc = subprocess.run(["pkg-config", "--modversion", "PETSc"], capture_output=True, text=True).stdout.strip()
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"bench": "amg_ranks", "petsc": petsc, "machine": machine(),
                       "cores": os.cpu_count(), "commit": commit.stdout.strip(), "runs": args.runs,
                       "date": str(datetime.date.today()), "systems": results}, file, indent=1)
            file.write("\n")
    failures = list(wrong(results))
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
