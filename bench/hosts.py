#!/usr/bin/env python3
"""hosts.py BUILD [--eigen FOLDER] [--mfem FOLDER] [--runs N]: whole solves with matrices of Eigen and MFEM, by their own solvers and by
gsolve_eigen.hpp and gsolve_mfem.hpp, one after another in one process; medians of N runs, with one thread, since Eigen and MFEM of the wheel
solve with one. Compiles host_eigen.cpp and host_mfem.cpp with the library of BUILD, writes results/cpu/hosts_eigen.json and hosts_mfem.json,
and the tables of docs/howto/hosts/eigen.md and mfem.md. --mfem: by default MFEM of the wheel mfem of this Python."""
import argparse
import datetime
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
EIGEN = {"Poisson in 3D": "gen:poisson3d,n=64", "jumping coefficient": "gen:jump3d,n=48", "convection-diffusion": "gen:convdiff3d,n=48"}
MFEM = {"Poisson, order 2": "poisson", "the same by partial assembly": "partial", "elasticity": "elasticity"}


def compiled(name, build, folder, options):
    program = Path(folder) / name
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O3", "-march=native", "-DNDEBUG", TOP / f"bench/{name}.cpp", "-o", program,
                    f"-I{TOP}/include", f"-L{build}", "-lgsolve", f"-Wl,-rpath,{build}", *options], check=True)
    return program


def processor():
    names = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    return names[0] if names else platform.machine()


def measured(program, systems, runs):
    records = []
    for system, argument in systems.items():
        done = subprocess.run([program, argument, str(runs)], stdout=subprocess.PIPE, text=True, check=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
        lines = [line.split(";") for line in done.stdout.split("\n") if ";" in line]
        for solver, setup, solve, iterations, residual in lines[1:]:
            records.append({"system": system, "rows": int(lines[0][0]), "entries": int(lines[0][1]), "solver": solver, "setup_ms": float(setup),
                            "solve_ms": float(solve), "iterations": int(iterations), "residual": float(residual), "runs": runs, "threads": 1,
                            "machine": processor(), "date": datetime.date.today().isoformat()})
            print(records[-1], flush=True)
    return records


def table(records, library):
    first = records[0]
    lines = [f"One thread of {first['machine']}, {first['date']}, {library}; medians of {first['runs']} runs, to a true residual of 1e-8. `bench/hosts.py` made the "
             "table. -1 iterations: not converged.", "",
             "| system | unknowns | solver | set-up, ms | solve, ms | together, ms | iterations |", "|---|---|---|---|---|---|---|"]
    for r in records:
        lines.append(f"| {r['system']} | {r['rows']} | {r['solver']} | {r['setup_ms']:.0f} | {r['solve_ms']:.0f} | {r['setup_ms'] + r['solve_ms']:.0f} | "
                     f"{r['iterations']} |")
    return lines


def record(name, library, program, systems, runs):
    records = measured(program, systems, runs)
    (TOP / f"bench/results/cpu/hosts_{name}.json").write_text(json.dumps(records, indent=1) + "\n")
    page = TOP / f"docs/howto/hosts/{name}.md"
    text = page.read_text()
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    page.write_text(text[:text.index(begin) + len(begin)] + "\n".join(table(records, library)) + "\n" + text[text.index(end):])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--eigen", type=Path, default=Path("/usr/include/eigen3"))
    parser.add_argument("--mfem", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    of = parser.parse_args()
    wheel = importlib.util.find_spec("mfem")
    mfem = of.mfem or (Path(wheel.submodule_search_locations[0]) / "external/ser" if wheel else None)
    build = of.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        if (of.eigen / "Eigen/Sparse").exists():
            record("eigen", "Eigen", compiled("host_eigen", build, folder, ["-isystem", of.eigen]), EIGEN, of.runs)
        else:
            print(f"{of.eigen} has no Eigen: set --eigen", file=sys.stderr)
        if mfem and (mfem / "include/mfem.hpp").exists():
            options = ["-isystem", mfem / "include", f"-L{mfem}/lib", "-lmfem", f"-Wl,-rpath,{mfem}/lib"]
            record("mfem", "MFEM", compiled("host_mfem", build, folder, options), MFEM, of.runs)
        else:
            print("MFEM was not found: set --mfem, or install the wheel mfem for this Python", file=sys.stderr)


main()
