#!/usr/bin/env python3
"""check.py: runs what README.md, CONTRIBUTING.md and docs/ show. From the top of the sources:

    tests/docs/check.py build-cpu/cli/gsolve build-cpu/libgsolve.so . [--update] [PAGE...]

A block "```console": each line that begins with "$ " is a command. Commands that begin with gsolve, head, printf or ./NAME, and
scripts/solve.sh alone, are run, in a folder of its own for each page. A command must end with exit code 0 or 2 (1 where the block shows an
error), and its output must have every word of the recorded output. Numbers, times, the line of the device and the output of gsolve compare
are not compared. A last line "..." stands for the rest of the output. --update writes the present output into the page.

A block "```c" with "main(" is a program: it is compiled, linked with LIBRARY and run, and must return 0. If it begins with "/* NAME.c:",
later commands of the page may run it as ./NAME. Other blocks with "#include" are compiled. A block without "#include" is compiled as the
body of a function that sees the variables of PRELUDE.

CFLAGS: further options of the compiler.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PRELUDE = """
#include <gsolve.h>
#include <gsolve_io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static gsolve_context *ctx;
static gsolve_matrix *A;
static gsolve_precond *M;
static gsolve_solver *S;
static gsolve_csr csr;
static gsolve_dense b, x;
static gsolve_result result;
static gsolve_status status;
static void *stream;
static int32_t n;
"""
RUN = ("gsolve ", "head ", "printf ", "./", "mpirun ")  # what a command begins with that is run
RANKS = Path(__file__).resolve().parents[1] / "mpi" / "run.sh"  # runs a command under mpirun
WORD = re.compile(r"[A-Za-z_]{3,}")


def run_command(line, folder, environment):
    line = re.sub(r"^mpirun -n (\d+) ", rf"{RANKS} mpirun \1 ", line)
    line = re.sub(r"^scripts/solve\.sh$", "gsolve -A gen:elasticity3d,n=20 -b ones", line)
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.returncode, done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []


def can_run(command, environment):
    """Whether the build has what the command needs: mpirun starts gsolve-mpi."""
    if not command.startswith("mpirun "):
        return True
    gsolve = shutil.which("gsolve", path=environment["PATH"])
    return bool(shutil.which("mpirun") and gsolve and (Path(gsolve).resolve().parent / "gsolve-mpi").exists())


def compared(line):
    """Whether a recorded line says the same on every machine."""
    return not line.startswith("device") and not re.search(r"\d %$", line)


def words(lines):
    return {word for line in lines for word in WORD.findall(line)}


def check_console(page, at, block, folder, environment, update, failures):
    """Returns the block with its present output."""
    out, recorded, pending = [], [], None
    commands = []
    for line in block:
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
    for command, shown in commands:
        out.append("$ " + command)
        if not command.startswith(RUN) and command != "scripts/solve.sh" or not can_run(command, environment):
            out += shown
            continue
        code, text = run_command(command, folder, environment)
        fails = any(line.startswith("gsolve: ") for line in (text if update else shown))
        if code not in (0, 2) and not (code == 1 and fails) and "| head" not in command and "| grep" not in command:
            failures.append(f"{page}:{at}: '{command}' ended with exit code {code}: {' '.join(text[:2])}")
        if shown and shown[-1] == "...":
            text = text[:max(len(shown) - 1, 1)] + ["..."] if len(text) >= len(shown) else text
        missing = words(filter(compared, shown)) - words(text)
        if command.startswith("gsolve compare"):
            missing = set()  # which format is the fastest depends on the machine
        if missing and not update:
            failures.append(f"{page}:{at}: '{command}' no longer prints {' '.join(sorted(missing))}")
        out += text
    return out


def check_program(page, at, block, folder, library, source, environment, failures):
    text = "\n".join(block) + "\n"
    if "#include" not in text:
        text = PRELUDE + "int fragment(void);\nint fragment(void)\n{\n" + text + "(void)ctx, (void)A, (void)M, (void)S, (void)csr, (void)b, (void)x;\n" \
            "(void)result, (void)status, (void)stream, (void)n;\nreturn 0;\n}\n"
    name = re.match(r"/\* (\w+)\.c:", text)
    program = folder / f"{name[1] if name else f'program_{at}'}.c"
    program.write_text(text)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", f"-I{source}/include"] + os.environ.get("CFLAGS", "").split()
    runs = "main(" in text and library.suffix != ".a"
    link = ["-o", str(program.with_suffix("")), str(library), "-lm", f"-Wl,-rpath,{library.parent}"] if runs else ["-c", "-o", "/dev/null"]
    done = subprocess.run([os.environ.get("CC", "cc"), *flags, str(program), *link], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        failures.append(f"{page}:{at}: the program does not compile: {done.stdout[:1500]}")
    elif runs:
        done = subprocess.run([str(program.with_suffix(""))], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=300)
        if done.returncode:
            failures.append(f"{page}:{at}: the program returned {done.returncode}: {done.stdout[:300]}")


def check_page(path, gsolve, library, source, update, failures):
    page = path.relative_to(source)
    lines, out, k = path.read_text().split("\n"), [], 0
    environment = dict(os.environ, PATH=f"{gsolve.parent}:{os.environ['PATH']}", GSOLVE_DEVICE="cpu", OMP_WAIT_POLICY="passive")
    with tempfile.TemporaryDirectory() as folder:
        while k < len(lines):
            fence = re.match(r"^( *)```(console|c)$", lines[k])
            out.append(lines[k])
            k += 1
            if not fence:
                continue
            begin = k
            while lines[k].strip() != "```":
                k += 1
            block = lines[begin:k]
            if fence[2] == "console":
                now = check_console(page, begin, block, folder, environment, update, failures)
                block = now if update else block
            else:
                check_program(page, begin, block, Path(folder), library, source, environment, failures)
            out += block
    if update and out != lines:
        path.write_text("\n".join(out))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gsolve", type=Path, help="the command")
    parser.add_argument("library", type=Path, help="the library that programs are linked with")
    parser.add_argument("source", type=Path, help="the top of the sources")
    parser.add_argument("pages", nargs="*", help="pages to check, by their path from source; all by default")
    parser.add_argument("--update", action="store_true", help="write the present output into the pages")
    of = parser.parse_intermixed_args()
    gsolve, library, source = of.gsolve.resolve(), of.library.resolve(), of.source.resolve()
    pages = [source / p for p in of.pages] or [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").rglob("*.md"))]
    failures = []
    for path in pages:
        if "reference" not in path.relative_to(source).parts:
            check_page(path, gsolve, library, source, of.update, failures)
    print("\n".join(failures) or f"{len(pages)} pages: every command and program runs")
    sys.exit(1 if failures else 0)


main()
