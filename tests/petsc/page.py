#!/usr/bin/env python3
"""page.py PLUGIN [--update]: runs the commands that docs/howto/petsc.md shows, with tutorials of PETSc, and compares their output.

Commands that begin with ./ and mpirun are run. Their output must have every word and every whole number of the page, but for times and residuals:
words and numbers of iterations must be equal. --update writes the present output into the page. Exit code 77: PETSc or its tutorials are missing.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
PAGE = SOURCE / "docs/howto/petsc.md"
TUTORIALS = Path(os.environ.get("GSOLVE_PETSC_EXAMPLES", "/usr/share/petsc/3.18/share/petsc/examples/src")) / "ksp/ksp/tutorials"
DIFFERS = re.compile(r"\d+\.\d+(e[+-]?\d+)?( [mn]?s| MB)?")  # numbers that may differ between machines


def build(folder):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if flags.returncode or not (TUTORIALS / "ex2.c").exists():
        print("skipped: PETSc, or its tutorials (libpetsc3.18-dev-examples), are missing")
        sys.exit(77)
    for name in ("ex2", "ex56"):
        subprocess.run([os.environ.get("MPICC", "mpicc"), "-w", "-o", f"{folder}/{name}", f"{TUTORIALS}/{name}.c", *flags.stdout.split(), "-lm"], check=True)


def run(command, folder, plugin):
    environment = dict(os.environ, PETSC_OPTIONS=f"-dll_append {plugin}", OMP_WAIT_POLICY="passive", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.stdout.rstrip("\n").split("\n")


def main():
    plugin, update = Path(sys.argv[1]).resolve(), "--update" in sys.argv
    failures, out, shown, command = [], [], [], None

    def finish():
        if command is None:
            return
        text = run(command, folder, plugin)
        if update:
            out.extend(text)
            return
        out.extend(shown)
        if [DIFFERS.sub("#", line) for line in shown] != [DIFFERS.sub("#", line) for line in text]:
            failures.append("$ " + command + "\n  now prints\n" + "\n".join(text))

    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        inside = False
        for line in PAGE.read_text().split("\n"):
            fence = line.startswith("```")
            if inside and (fence or line.startswith("$ ")):
                finish()
                command, shown = None, []
            if fence:
                inside = line == "```console" if not inside else False
            elif inside and line.startswith("$ "):
                command = line[2:] if line.startswith(("$ ./", "$ mpirun")) else None
            elif inside and command is not None:
                shown.append(line)
                continue
            out.append(line)
    if update:
        PAGE.write_text("\n".join(out))
    print("\n".join(failures) or "every command prints what the page shows")
    return 1 if failures else 0


sys.exit(main())
