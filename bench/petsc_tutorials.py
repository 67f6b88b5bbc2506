#!/usr/bin/env python3
"""petsc_tutorials.py: tutorials of PETSc, as Debian ships them, with the PCs gamg and hypre and with the plug-in.

    bench/petsc_tutorials.py build/petsc/libgsolve_petsc.so            measure, record, and renew the table of docs/howto/petsc.md
    bench/petsc_tutorials.py build/petsc/libgsolve_petsc.so --check    small sizes: each must converge; exit code 77 where PETSc is not there
    bench/petsc_tutorials.py --table [--check]                         the table from the record, or whether the page has it

The programs are compiled from the sources in the folder that GSOLVE_PETSC_EXAMPLES names, or in Debian's libpetsc3.18-dev-examples. They run on
one rank with one thread. The tolerance is |b - A x| <= 1e-8 |b| for all. Times are user and system seconds of the processor for the whole
program: the least of --runs runs. So another load on the machine disturbs them little. `rest` is the program without a solve.
"""
import argparse
import datetime
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
RECORD = SOURCE / "bench/results/cpu/petsc_tutorials.json"
PAGE = SOURCE / "docs/howto/petsc.md"
BEGIN, END = "<!-- table:begin, by bench/petsc_tutorials.py -->", "<!-- table:end -->"

CG = "-ksp_type cg -ksp_norm_type unpreconditioned"
GMRES = "-ksp_type gmres -ksp_pc_side right"
# name, folder, what it solves, options, options of the small size, method of PETSc, prefix, options for `rest`
CASES = [
    ("ex2", "ksp/ksp", "Poisson, 2-D", "-m 1000 -n 1000", "-m 60 -n 60", CG, "", None),
    ("ex23", "ksp/ksp", "second derivative, 1-D", "-n 1000000", "-n 2000", CG, "", None),
    ("ex29", "ksp/ksp", "diffusion that varies, 2-D", "-da_refine 8", "-da_refine 4", GMRES, "", None),
    ("ex54", "ksp/ksp", "bilinear elements, 2-D", "-ne 700", "-ne 40", CG, "", None),
    ("ex56", "ksp/ksp", "elasticity, 3-D, two materials", "-ne 32 -use_mat_nearnullspace", "-ne 9 -use_mat_nearnullspace", CG, "", None),
    ("ex42", "ksp/ksp", "Stokes, 3-D", "-mx 16", "-mx 6", GMRES, "stokes_", None),
    ("ex19", "snes", "cavity, 2-D, by Newton's method", "-da_refine 5", "-da_refine 3", GMRES, "", "-snes_max_it 0"),
]
# name of a column, and its options; {p} is the prefix of the options
SOLVERS = [
    ("gamg", "{method} -{p}pc_type gamg"),
    ("hypre", "{method} -{p}pc_type hypre"),
    ("-pc_type gsolve", "{method} -{p}pc_type gsolve"),
    ("... -pc_gsolve_precond amg", "{method} -{p}pc_type gsolve -{p}pc_gsolve_precond amg"),
    ("-ksp_type gsolve", "-{p}ksp_type gsolve -{p}pc_type gsolve"),
]
# Other ways to use the plug-in, for --check: program of CASES, ranks, options.
WAYS = [
    ("ex19", 1, "-da_refine 3 -snes_mf_operator -ksp_type gsolve"),
    ("ex2", 3, "-m 60 -n 60 -ksp_type gsolve"),
    ("ex19", 2, "-da_refine 3 -sub_pc_type gsolve"),
    ("ex19", 2, "-da_refine 3 -ksp_type gsolve"),
    ("ex54", 3, "-ne 40 -ksp_type gsolve -pc_type gamg"),
    ("ex56", 2, "-ne 9 -ksp_type gsolve -two_solves"),
    ("ex29", 1, "-da_refine 5 -pc_type mg -mg_coarse_pc_type gsolve -mg_levels_ksp_type richardson -mg_levels_pc_type gsolve "
                "-mg_levels_pc_gsolve_precond ilu"),
    ("ex54", 2, "-ne 60 -pc_type asm -sub_pc_type gsolve"),
    ("ex56", 1, "-ne 9 -ksp_type gsolve -two_solves -use_mat_nearnullspace"),
    ("ex56", 2, "-ne 9 -sub_ksp_type gsolve"),
]
WITHOUT = "-{p}ksp_type preonly -{p}pc_type none"


def examples():
    """The folder of the tutorials, or None."""
    folders = [os.environ.get("GSOLVE_PETSC_EXAMPLES", "")] + sorted(glob.glob("/usr/share/petsc/3.*/share/petsc/examples/src"))
    return next((Path(f) for f in folders if f and (Path(f) / "ksp/ksp/tutorials/ex2.c").exists()), None)


def compiler():
    """The compiler's command with the flags of PETSc, or what is missing."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if flags.returncode:
        return None, "PETSc (pkg-config PETSc)"
    return (os.environ.get("MPICC", "mpicc"), flags.stdout.split()), ""


def build(folder, root, cc, name, part):
    program = folder / name
    command = [cc[0], "-O2", "-w", "-o", str(program), str(root / part / "tutorials" / f"{name}.c"), *cc[1], "-lm"]
    subprocess.run(command, check=True)
    return program


def run(program, options, folder, ranks=1):
    """Iterations (None if a solve has not converged), processor seconds, and the text."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
    with open(folder / "out", "w+") as out:
        before = os.times()
        try:
            start = ["mpirun", "-n", str(ranks), str(program)] if ranks > 1 else [str(program)]
            code = subprocess.run([*start, *options.split()], stdout=out, stderr=subprocess.STDOUT, env=environment, timeout=600).returncode
        except subprocess.TimeoutExpired:
            code = -1
        after = os.times()
        out.seek(0)
        text = out.read()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    solves = re.findall(r"Linear (?:\w+ )?solve (converged|did not converge) due to \w+ iterations (\d+)", text)
    converged = code == 0 and solves and all(s[0] == "converged" for s in solves)
    return sum(int(s[1]) for s in solves) if converged else None, seconds, text


def options_of(case, solver, plugin, size):
    large, small, method, prefix = case[3:7]
    method = re.sub(r"(^| )-", rf"\1-{prefix}", method)
    limit = f"-{prefix}ksp_rtol 1e-8 -{prefix}ksp_max_it 1000 -{prefix}ksp_converged_reason"
    return f"-dll_append {plugin} {small if size == 'small' else large} {limit} {solver.format(method=method, p=prefix)}"


def check(plugin, root, cc):
    """Each tutorial with each way to call the plug-in, at a small size, and other ways."""
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in CASES:
            program = build(folder, root, cc, case[0], case[1])
            for column, solver in SOLVERS[2:]:
                options = options_of(case, solver, plugin, "small")
                iterations, _, text = run(program, options, folder)
                error = re.search(r"Norm of error ([0-9.e+-]+)", text)
                print(f"{case[0]:5} {column:27} {iterations} iterations{', error ' + error[1] if error else ''}")
                if iterations is None or (error and float(error[1]) > 1e-5):
                    failures.append(f"{case[0]} {options}\n{text[-3000:]}")
        for name, ranks, options in WAYS:
            if ranks > 1 and not shutil.which("mpirun"):
                print(f"{name:5} {options} on {ranks} ranks: left out, mpirun is missing")
                continue
            iterations, _, text = run(folder / name, f"-dll_append {plugin} {options} -ksp_converged_reason", folder, ranks)
            print(f"{name:5} {options} on {ranks} ranks: {iterations} iterations")
            if iterations is None:
                failures.append(f"{name} {options}\n{text[-3000:]}")
    print("\n".join(failures))
    return 1 if failures else 0


def measure(plugin, root, cc, runs, only):
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in CASES:
            if only and case[0] not in only:
                continue
            program = build(folder, root, cc, case[0], case[1])
            row = {"program": case[0], "what": case[2], "options": case[3], "method": case[5], "solvers": {}}
            rest = f"{case[3]} " + (case[7] or WITHOUT.format(p=case[6]))
            row["rest"] = min(run(program, rest, folder)[1] for _ in range(runs))
            for column, solver in SOLVERS:
                results = [run(program, options_of(case, solver, plugin, "large"), folder)[:2] for _ in range(runs)]
                row["solvers"][column] = {"iterations": results[0][0], "seconds": min(r[1] for r in results)}
                print(case[0], column, row["solvers"][column], flush=True)
            rows.append(row)
    return rows


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def record(rows, runs):
    version = subprocess.run(["pkg-config", "--modversion", "PETSc"], stdout=subprocess.PIPE, text=True).stdout.strip()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=SOURCE, stdout=subprocess.PIPE, text=True).stdout.strip()
    RECORD.write_text(json.dumps({"bench": "petsc_tutorials", "petsc": version, "machine": processor(), "commit": commit, "runs": runs,
                                  "date": datetime.date.today().isoformat(), "rows": rows}, indent=1) + "\n")


def cell(result):
    if result["iterations"] is None:
        return "not converged"
    return f"{result['iterations']}, {result['seconds']:.2f} s"


def table():
    data = json.loads(RECORD.read_text())
    names = [name for name, _ in SOLVERS]
    lines = ["| program | problem | rest | " + " | ".join(n if n[0] != "-" and n[0] != "." else f"`{n}`" for n in names) + " |",
             "|---|---|---|" + "---|" * len(names)]
    for row in data["rows"]:
        cells = [cell(row["solvers"][n]) for n in names]
        lines.append(f"| `{row['program']} {row['options']}` | {row['what']} | {row['rest']:.2f} s | " + " | ".join(cells) + " |")
    lines += ["", f"{data['machine']}, one thread, PETSc {data['petsc']}, {data['date']}; the least of {data['runs']} runs."]
    return "\n".join(lines)


def page_with_table():
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:begin] + "\n" + table() + "\n" + text[end:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plugin", nargs="?", type=Path, help="libgsolve_petsc.so")
    parser.add_argument("--check", action="store_true", help="small sizes only, or with --table: compare")
    parser.add_argument("--table", action="store_true", help="renew the table from the record")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program (3)")
    parser.add_argument("--only", nargs="*", help="these programs; nothing is recorded")
    of = parser.parse_args()
    if of.table:
        if of.check and PAGE.read_text() != page_with_table():
            sys.exit(f"the table of {PAGE} is not that of {RECORD}: run {sys.argv[0]} --table")
        if not of.check:
            PAGE.write_text(page_with_table())
        return 0
    root, (cc, missing) = examples(), compiler()
    if not root or not cc:
        print(f"skipped: {missing or 'the tutorials of PETSc (libpetsc3.18-dev-examples) are missing'}")
        return 77
    plugin = of.plugin.resolve()
    if of.check:
        return check(plugin, root, cc)
    rows = measure(plugin, root, cc, of.runs, of.only)
    if not of.only:
        record(rows, of.runs)
        PAGE.write_text(page_with_table())
    return 0


sys.exit(main())
