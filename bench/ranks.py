#!/usr/bin/env python3
"""Times of gsolve over MPI processes on this host: against OpenMP threads on as many cores, and against PETSc.

usage: bench/ranks.py BUILD [--n N] [--ranks P] [--runs K] [--mpirun MPIRUN] [--no-petsc] [--device cuda] [--file FILE] [--json FILE]

BUILD is a build folder with gsolve and gsolve-mpi (configured with MPI). Each line is a time per iteration in ms: the
median of K runs that alternate between both programs. Part 1: poisson3d, N points along an edge, cg with jacobi: P
processes with one thread each, bound to cores, against one process with P threads. Part 2: PETSc with the same rows on
each of P processes: cg with jacobi for poisson3d, and gmres(30) with ILU(0) in each rank's block for convdiff3d
(peclet=1). The peer is compiled with the PETSc that pkg-config names, and needs the MPI of that PETSc.

With --file FILE, a Matrix Market file: only the time to read it, by P processes and by one, with one thread each.

With --device cuda: P processes on GPUs, which share them if there are fewer, against one process on one GPU, cg with
jacobi: poisson3d with N points along each edge (strong scaling), and with P N along one (weak scaling, against N).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, environment=None):
    """The last line or the whole standard output of a command, as JSON."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode not in (0, 2):
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout[done.stdout.index("{"):])


def mpirun(args, processes, command):
    options = ["--bind-to", "core"]
    version = subprocess.run([args.mpirun, "--version"], capture_output=True, text=True).stdout
    if "Open MPI" in version and os.getuid() == 0:
        options.append("--allow-run-as-root")
    return [args.mpirun, *options, "-n", str(processes), *command]


def gsolve(args, processes, threads, matrix, solver, precond):
    command = [os.path.join(args.build, "cli", "gsolve"), "-A", matrix, "--solver", solver, "--precond", precond,
               "--format", "csr", "--threads", str(threads), "--device", args.device, "--json", "-"]
    if processes > 1:
        command = mpirun(args, processes, command)
    result = run(command, {"OMP_WAIT_POLICY": "active"} if processes == 1 else {"OMP_NUM_THREADS": "1"})
    return {"iterations": result["iterations"], "solve": result["seconds"]["solve"], "read": result["seconds"]["read"]}


def petsc(args, peer, matrix, solver, precond):
    name = matrix.split(":")[1].split(",")[0]
    return run(mpirun(args, args.ranks, [peer, name, str(args.n), solver.split(",")[0], precond, "1"]),
               {"OMP_NUM_THREADS": "1"})


def compile_peer(folder):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], capture_output=True, text=True)
    peer = os.path.join(folder, "peer_ranks_petsc")
    if flags.returncode == 0:
        command = ["mpicc", "-O2", os.path.join(HERE, "peer_ranks_petsc.c"), "-o", peer, *flags.stdout.split()]
        if subprocess.run(command).returncode == 0:
            return peer
    return None


def alternate(args, what, ours, theirs):
    """Runs both alternately and prints a line; ours and theirs are (name, function)."""
    runs = {ours[0]: [], theirs[0]: []}
    for _ in range(args.runs):
        for name, call in (ours, theirs):
            runs[name].append(call())
    step = {name: [1e3 * r["solve"] / max(1, r["iterations"]) for r in results] for name, results in runs.items()}
    middle = {name: statistics.median(times) for name, times in step.items()}
    record = {"what": what, "ours": ours[0], "peer": theirs[0], "iterations": runs[ours[0]][0]["iterations"],
              "peer_iterations": runs[theirs[0]][0]["iterations"], "median_ms": middle[ours[0]],
              "min_ms": min(step[ours[0]]), "max_ms": max(step[ours[0]]), "peer_ms": middle[theirs[0]],
              "peer_min_ms": min(step[theirs[0]]), "peer_max_ms": max(step[theirs[0]]), "runs": args.runs,
              "ratio": middle[theirs[0]] / middle[ours[0]]}
    print(f"{what:34} {ours[0]:22} {record['iterations']:5} its {middle[ours[0]]:8.3f} ms"
          f" ({record['min_ms']:.3f} to {record['max_ms']:.3f});  {theirs[0]:22} {record['peer_iterations']:5} its"
          f" {middle[theirs[0]]:8.3f} ms ({record['peer_min_ms']:.3f} to {record['peer_max_ms']:.3f});"
          f"  ratio {record['ratio']:.3f}", flush=True)
    return record


def read_file(args):
    """Times to read a file, in ms, and the speed-up. Nothing is solved; the least time counts where others use the machine."""
    times = {ranks: [] for ranks in (args.ranks, 1)}
    for _ in range(args.runs):
        for ranks, seconds in times.items():
            seconds.append(1e3 * gsolve(args, ranks, 1, args.file, "cg,maxit=1", "none")["read"])
    middle, least = ({ranks: choose(seconds) for ranks, seconds in times.items()} for choose in (statistics.median, min))
    megabytes = os.path.getsize(args.file) / 1e6
    for ranks, seconds in times.items():
        print(f"read {megabytes:.0f} MB, {ranks} ranks: {middle[ranks]:8.1f} ms ({least[ranks]:.1f} to {max(seconds):.1f}),"
              f" speed-up {middle[1] / middle[ranks]:.2f}, of the least times {least[1] / least[ranks]:.2f}")
    return [{"what": "read", "megabytes": megabytes, "ranks": ranks, "median_ms": middle[ranks], "min_ms": least[ranks],
             "max_ms": max(seconds), "runs": args.runs} for ranks, seconds in times.items()]


def on_gpus(args):
    """Strong and weak scaling on GPUs. A step takes equally long on each rank, so the ratio is a speed-up or an efficiency."""
    n, records = args.n, []
    one, longer = f"gen:poisson3d,n={n}", f"gen:poisson3d,nx={n},ny={n},nz={args.ranks * n}"
    for what, matrix in (("strong", one), ("weak", longer)):
        records.append(alternate(
            args, f"{what}: poisson3d n={n} cg+jacobi",
            (f"gsolve {args.ranks} ranks", lambda m=matrix: gsolve(args, args.ranks, 1, m, "cg,maxit=200,rtol=0", "jacobi")),
            ("gsolve 1 rank", lambda: gsolve(args, 1, 1, one, "cg,maxit=200,rtol=0", "jacobi"))))
    return records


def write(args, records):
    if args.json:
        with open(args.json, "w") as file:
            json.dump(records, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--n", type=int, default=128)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--no-petsc", action="store_true")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--file")
    parser.add_argument("--json")
    args = parser.parse_args()
    if args.file:
        write(args, read_file(args))
        return
    if args.device == "cuda":
        write(args, on_gpus(args))
        return
    poisson, convection = f"gen:poisson3d,n={args.n}", f"gen:convdiff3d,n={args.n},peclet=1"
    ranks, threads = f"gsolve {args.ranks}x1", f"gsolve 1x{args.ranks}"
    records = [alternate(args, f"poisson3d n={args.n} cg+jacobi",
                         (ranks, lambda: gsolve(args, args.ranks, 1, poisson, "cg", "jacobi")),
                         (threads, lambda: gsolve(args, 1, args.ranks, poisson, "cg", "jacobi")))]
    with tempfile.TemporaryDirectory() as folder:
        peer = None if args.no_petsc else compile_peer(folder)
        if not peer and not args.no_petsc:
            print("PETSc is not found, or does not compile: no comparison with it")
        for matrix, solver, precond in ((poisson, "cg", "jacobi"), (convection, "gmres,restart=30", "ilu")):
            if peer:
                name = matrix.split(":")[1].split(",")[0]
                records.append(alternate(
                    args, f"{name} n={args.n} {solver.split(',')[0]}+{precond}",
                    (ranks, lambda m=matrix, s=solver, p=precond: gsolve(args, args.ranks, 1, m, s, p)),
                    (f"PETSc {args.ranks}x1",
                     lambda m=matrix, s=solver, p=precond: petsc(args, peer, m, s, p))))
    write(args, records)


if __name__ == "__main__":
    main()
