#!/usr/bin/env python3
"""check.py: runs what README.md, CONTRIBUTING.md and docs/ show. From the top of the sources:

    tests/docs/check.py build-cpu/cli/gsolve build-cpu/libgsolve.so . [--update] [--host] [PAGE...]

Every page runs in a folder of its own. Its blocks, by their language:

console   Each line that begins with "$ " is a command, and the lines below it are its output. Commands run that begin with a word of RUN.
          A command ends with exit code 0 or 2 (1 where the output has an error), and prints what the page shows. Not compared: times,
          rates and amounts of memory; the line of the device; shares in percent; figures of gsolve compare and of --profile. A line
          "..." stands for any lines, and "..." in a line for any text. examples/NAME is the program examples/NAME.c.
c, cpp    With "main(" a program, which is compiled, linked with LIBRARY and run, and returns 0. A program that prints begins with
          "/* NAME.c:", and a command ./NAME shows its output. A block with "#include" and without "main(" is compiled. Any other block
          is a fragment: it is compiled as the body of a function that sees the variables of the PRELUDE.
python, edp, cmake  A file that begins with "# NAME.py:", "// NAME.edp:" or "# CMakeLists.txt", for later commands.

A fragment and a block that is not run need a mark on the line above them, and the marks are counted:

    <!-- fragment -->            a part of a program
    <!-- not run: REASON -->     commands that do not begin with a word of RUN, or a program that nothing runs
    <!-- quoted from FILE -->    each line is in this file of the sources, perhaps in several strings of C

A page with "<!-- needs: THINGS -->" is about a host, another program that uses gsolve. It runs with --host only, and then all of its
commands run; export holds for the commands that follow. THINGS are python:MODULE, command:NAME, file:PATH and library:NAME (of the
build); what is missing is named, and the exit code is 77. A page with "<!-- run by tests/FILE -->" belongs to that test and is left out.

A page with "<!-- run by FILE -->" belongs to this test, which names the page; it is left out here, and counted.

--update writes the present output into the pages. CFLAGS: further options of the compiler. GSOLVE_PYTHON: the python3 to try first.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
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
PRELUDE_CPP = """
#include <gsolve.hpp>
#include <iostream>
static int n;
static std::vector<int> start, col;
static std::vector<double> value, new_value, b, x;
"""
RUN = re.compile(r"(GSOLVE_\w+=\S+ )*(gsolve|mpirun|head|printf|grep|cat|\./\S+|examples/\S+|scripts/solve\.sh)( |$)")
PYTHON_PAGES = {page: "python/tests/test_docs.py" for page in (  # whose Python programs another test runs
    "docs/start/python.md", "docs/tutorials/python_cupy.md", "docs/tutorials/python_pyamg.md", "docs/tutorials/python_pytorch.md",
    "docs/tutorials/python_scikit_fem.md", "docs/tutorials/python_scipy.md")}
COMMAND_LIKE = re.compile(r"(\$ |sudo |pip |gsolve -|cmake |ctest |g?cc |gfortran |python3? |import |#include)")
RANKS = Path(__file__).resolve().parents[1] / "mpi" / "run.sh"  # runs a command under mpirun
WORD = re.compile(r"[A-Za-z_]{3,}")
NUMBER = r"\d[\d.]*(?:e[+-]\d+)?"
MACHINE = re.compile(r"^(device|bandwidth|iteration|verdict|rounds|memory) |\d %$|^ +build \+")  # lines that depend on the machine


COMPILES = re.compile(r"^INFO:|^Calling FFC")  # lines of hosts that compile something in their first run


class Page:
    """A page, the folder of its programs, and what was found."""

    def __init__(self, path, of, folder):
        self.path, self.name, self.folder = path, str(path.relative_to(of.source)), Path(folder)
        self.source, self.library, self.update, self.host = of.source, of.library, of.update, of.host
        self.environment = environment(of, self.folder)
        self.failures, self.counts = [], Counter()
        self.shown = [line[2:] for line in path.read_text().split("\n") if line.startswith("$ ")]

        self.exports = ""

    def fail(self, at, text):
        self.failures.append(f"{self.name}:{at}: {text}")

    def run(self, command):
        if command.startswith("export "):
            self.exports += command + "\n"
        done = subprocess.run(["bash", "-o", "pipefail", "-c", self.exports + command], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=900 if self.host else 300)
        lines = [line for line in done.stdout.rstrip("\n").split("\n") if not COMPILES.match(line)]
        return done.returncode, lines if done.stdout.strip() else []


def built(name, of):
    """The path of a library of the build."""
    return next((path for path in (of.library.parent / name, of.library.parent / "petsc" / name) if path.exists()), of.library.parent / name)


def environment(of, folder):
    """Commands find gsolve, and pkg-config finds this build of it."""
    package = folder / "pkgconfig"
    package.mkdir()
    flags = os.environ.get("CFLAGS", "")
    (package / "gsolve.pc").write_text(
        f"libdir={built('libgsolve_petsc.so', of).parent}\nName: gsolve\nDescription: this build\nVersion: 0\nCflags: -I{of.source}/include {flags}\n"
        f"Libs: -L{of.library.parent} -lgsolve -Wl,-rpath,{of.library.parent} {flags}\n")
    path = [str(of.gsolve.parent)] + ([os.path.dirname(os.path.abspath(shutil.which(of.python)))] if of.host else []) + [os.environ["PATH"]]
    return dict(os.environ, PATH=":".join(path), PKG_CONFIG_PATH=str(package), GSOLVE_DEVICE="cpu", CUDA_VISIBLE_DEVICES="", OMP_WAIT_POLICY="passive",
                PYTHONPATH=str(of.library.parent / "python"), PYTHONDONTWRITEBYTECODE="1", XDG_CACHE_HOME=str(folder / "cache"),
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1", OPENBLAS_NUM_THREADS="1",
                LD_LIBRARY_PATH=f"{of.library.parent}:{os.environ.get('LD_LIBRARY_PATH', '')}")


def masked(line):
    """The line without what differs from run to run."""
    line = re.sub(NUMBER + r" ?(ms|us|s|min)\b", "TIME", line)
    line = re.sub(NUMBER + r" ?([kMG]?B(/s)?)\b", "BYTES", line)
    line = re.sub(r"\b([5-9]\d|\d{3,}) iterations", "MANY iterations", line)  # rounding decides the last of many
    return re.sub(r"\s+", " ", line).strip()


def wording(lines):
    """The words of a table of measurements, without those of its slowest rows."""
    lines = [re.sub(r"stopped: .*| never ", " ", line) for line in lines if not MACHINE.search(line)]
    return {word for line in lines for word in WORD.findall(line)}


def difference(command, shown, text):
    """What the page shows and the command no longer prints, in words; None if they agree."""
    if re.search(r"gsolve compare|--profile|--repeat", command):
        missing = wording(shown) - wording(text)
        return f"no longer prints {' '.join(sorted(missing))}" if missing else None
    shown = [masked(line) for line in shown if not MACHINE.search(line)]
    text = [masked(line) for line in text if not MACHINE.search(line)]
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in shown)
    if re.fullmatch(pattern, "".join(line + "\n" for line in text)):
        return None
    gone = [line for line in shown if line not in text and "..." not in line] or ["the same lines in this order"]
    new = [line for line in text if line not in shown]
    return f"no longer prints '{gone[0]}'" + (f" but '{new[0]}'" if new else "")


def can_run(page, command):
    """Whether the build has what the command needs: mpirun starts gsolve-mpi, and --partition takes METIS."""
    if not command.startswith("mpirun "):
        return True
    gsolve = shutil.which("gsolve", path=page.environment["PATH"])
    if not (shutil.which("mpirun") and gsolve and (Path(gsolve).resolve().parent / "gsolve-mpi").exists()):
        return False
    return "--partition" not in command or page.run(f"{RANKS} mpirun 1 gsolve info gen:poisson2d,n=5 --partition metis")[0] == 0


def run_command(page, at, command, shown):
    """Runs a command and compares its output; returns its present output."""
    example = re.match(r"(?:GSOLVE_\w+=\S+ )*examples/(\w+)", command)
    if example:
        compile_program(page, at, page.source / f"examples/{example[1]}.c", page.folder / "examples" / example[1])
    if not can_run(page, command):
        return shown
    line = re.sub(r"^mpirun -n (\d+) ", rf"{RANKS} mpirun \1 ", command)
    code, text = page.run(re.sub(r"^scripts/solve\.sh$", "gsolve -A gen:elasticity3d,n=20 -b ones", line))
    page.counts["commands"] += 1
    fails = any(line.startswith("gsolve: ") for line in (text if page.update else shown))
    if code not in (0, 2) and not (code == 1 and fails) and "| head" not in command and "| grep" not in command:
        page.fail(at, f"'{command}' ended with exit code {code}: {' '.join(text[-2:])}")
    differs = difference(command, shown, text)
    if differs and not page.update:
        page.fail(at, f"'{command}' {differs}")
    if not differs and any("..." in line for line in shown):
        return shown
    return text[:max(len(shown) - 1, 1)] + ["..."] if shown and shown[-1] == "..." and len(text) >= len(shown) else text


def check_console(page, at, block, mark):
    """Returns the block with its present output."""
    commands, left = [], []
    for line in block:
        if line.startswith("$ "):
            commands.append([line[2:], []])
        elif commands and commands[-1][0].endswith("\\"):
            commands[-1][0] += "\n" + line
        elif commands:
            commands[-1][1].append(line)
    out = []
    for command, shown in commands:
        out += ("$ " + command).split("\n")
        compiles = re.match(r"(cc|c\+\+) .*pkg-config", command) and shutil.which("pkg-config") and page.library.suffix != ".a"
        if RUN.match(command) or (compiles or page.host) and not mark:
            out += run_command(page, at, command, shown)
        else:
            out += shown
            if not re.match(r"git clone|(cc|c\+\+) .*pkg-config", command):
                left.append(command)
    if left and not mark.startswith("not run: "):
        page.fail(at, f"no test runs '{left[0]}'; write <!-- not run: REASON --> above the block")
    if mark and not left:
        page.fail(at, f"every command runs, so the mark '{mark}' has no effect")
    page.counts["commands that are not run"] += len(left)
    return out


def compile_program(page, at, program, output, link=True):
    """Compiles a program of C or C++, and links it if asked."""
    cpp = program.suffix != ".c"
    compiler = os.environ.get("CXX", "c++") if cpp else os.environ.get("CC", "cc")
    flags = ["-std=c++17" if cpp else "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", f"-I{page.source}/include"]
    output.parent.mkdir(exist_ok=True)
    end = ["-o", str(output), str(page.library), "-lm", "-lpthread", f"-Wl,-rpath,{page.library.parent}"] if link else ["-c", "-o", "/dev/null"]
    done = subprocess.run([compiler, *flags, *os.environ.get("CFLAGS", "").split(), str(program), *end], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        page.fail(at, f"the program does not compile: {done.stdout[:1500]}")
    return not done.returncode


def fragment(text, language):
    if language == "cpp":
        head, body = "".join(re.findall(r"#include.*\n", text)), re.sub(r"#include.*\n", "", text)
        return head + PRELUDE_CPP + "int fragment();\nint fragment()\n{\n" + body + "return 0;\n}\n"
    return PRELUDE + "int fragment(void);\nint fragment(void)\n{\n" + text + "(void)ctx, (void)A, (void)M, (void)S, (void)csr, (void)b, (void)x;\n" \
        "(void)result, (void)status, (void)stream, (void)n;\nreturn 0;\n}\n"


def check_compiled(page, at, block, mark, language):
    """A program, a function or a fragment in C or C++."""
    text = "\n".join(block) + "\n"
    name = re.match(r"/\* (\w+\.(?:c|cpp|cc)):", text)
    main = "main(" in text
    part = not main and (mark.startswith("fragment") or "#include" not in text)
    if part and not mark.startswith("fragment"):
        return page.fail(at, "this block is a part of a program; write <!-- fragment --> above it")
    if mark and not part:
        return page.fail(at, f"this block is a whole, so the mark '{mark}' has no effect")
    program = page.folder / (name[1] if name else f"program_{at}.{language}")
    program.write_text(fragment(text, language) if part else text)
    page.counts["fragments" if part else "programs" if main else "functions"] += 1
    if main and "print" in text and not any(c.startswith(f"./{program.stem}") for c in page.shown):
        page.fail(at, f"no command of the page shows what this program prints; begin it with /* NAME.{language}: ... and add $ ./NAME")
    if page.host:
        return None  # a command of the page compiles it
    runs = main and page.library.suffix != ".a"
    if compile_program(page, at, program, program.with_suffix(""), runs) and runs:
        code, out = page.run(f"./{program.stem}")
        if code:
            page.fail(at, f"the program returned {code}: {' '.join(out)[:300]}")
    return None


def check_script(page, at, block, mark, language):
    """A program that a later command interprets."""
    ending = dict(python="py", cmake="txt").get(language, language)
    name = re.match(rf"(?:#|//) (\w+\.{ending})\b", block[0])
    if mark.startswith(("fragment", "not run: ")):
        page.counts["fragments" if mark.startswith("fragment") else "programs that are not run"] += 1
    elif page.name in PYTHON_PAGES and Path(page.name).name in (page.source / PYTHON_PAGES[page.name]).read_text():
        page.counts["programs"] += 1
    elif not name or not any((name[1] if language != "cmake" else "cmake") in command for command in page.shown):
        page.fail(at, "no command runs this program; begin it with its name, and run it below, or mark it")
    else:
        (page.folder / name[1]).write_text("\n".join(block) + "\n")
        page.counts["programs"] += 1


def check_quoted(page, at, block, name):
    """Each line is in a file of the sources."""
    text = re.sub(r"\s+", " ", re.sub(r'"\s*\n\s*"', "", (page.source / name).read_text()))
    for line in block:
        if re.sub(r"\s+", " ", line).strip() not in text:
            page.fail(at, f"{name} does not have '{line.strip()}'")
    page.counts["quotations"] += 1


def check_block(page, at, block, mark, language):
    """Returns the block with its present output."""
    if language == "console":
        now = check_console(page, at, block, mark)
        return now if page.update else block
    if language in ("c", "cpp"):
        check_compiled(page, at, block, mark, language)
    elif language in ("python", "edp", "cmake", "fortran"):
        check_script(page, at, block, mark, language)
    elif mark.startswith("quoted from "):
        check_quoted(page, at, block, mark.split()[2])
    elif language not in ("", "text"):
        page.fail(at, f"check.py does not know the language '{language}'; use console for commands")
    elif any(COMMAND_LIKE.match(line) for line in block) and not mark:
        page.fail(at, "this block has commands; write ```console, or <!-- not run: REASON --> above it")
    else:
        page.counts["programs that are not run"] += bool(mark)
    return block


def check_page(page):
    lines, out, k = page.path.read_text().split("\n"), [], 0
    while k < len(lines):
        fence = re.match(r"^( *)```(\w*)$", lines[k])
        mark = re.match(r"<!-- (fragment|not run: .*|quoted from .*) -->$", lines[k - 1]) if k else None
        out.append(lines[k])
        k += 1
        if not fence:
            continue
        begin = k
        while lines[k].strip() != "```":
            k += 1
        out += check_block(page, begin, lines[begin:k], mark[1] if mark else "", fence[2])
        out.append(lines[k])
        k += 1
    if page.update and out != lines:
        page.path.write_text("\n".join(out))


def run_elsewhere(path, source):
    """Whether another test runs the page."""
    found = re.search(r"^<!-- run by (\S+) -->$", path.read_text(), re.M)
    return found and path.name in (source / found[1]).read_text()


def needs(path):
    found = re.search(r"^<!-- needs: (.*) -->$", path.read_text(), re.M)
    return found[1].split() if found else []


def runs(command, environment):
    return shutil.which(command[0]) and subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def missing(things, of):
    """What is not installed; of.python becomes an interpreter that has the modules."""
    modules = [thing[7:] for thing in things if thing.startswith("python:")]
    environment = dict(os.environ, PYTHONPATH=str(of.library.parent / "python"))
    candidates = (os.environ.get("GSOLVE_PYTHON", "python3"), "/usr/bin/python3", "python3")

    def python_with(modules):
        return next((p for p in candidates if runs([p, "-c", "import " + ", ".join(modules)], environment)), None)

    of.python = python_with(modules or ["sys"])
    gone = []
    if not of.python:
        absent = [module for module in modules if not python_with([module])]
        gone.append("the Python package " + ", ".join(absent) if absent else "one python3 that has all of " + ", ".join(modules))
    for kind, name in (thing.split(":") for thing in things):
        if kind == "command" and not shutil.which(name) or kind == "file" and not Path(name).exists() \
                or kind == "library" and not built(name, of).exists():
            gone.append(f"the {kind} {name}")
    return gone


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gsolve", type=Path, help="the command")
    parser.add_argument("library", type=Path, help="the library that programs are linked with")
    parser.add_argument("source", type=Path, help="the top of the sources")
    parser.add_argument("pages", nargs="*", help="pages to check, by their path from source; all by default")
    parser.add_argument("--update", action="store_true", help="write the present output into the pages")
    parser.add_argument("--host", action="store_true", help="check pages about hosts, not the others")
    of = parser.parse_intermixed_args()
    of.gsolve, of.library, of.source, of.python = of.gsolve.resolve(), of.library.resolve(), of.source.resolve(), None
    paths = [of.source / p for p in of.pages] or [of.source / "README.md", of.source / "CONTRIBUTING.md", *sorted((of.source / "docs").rglob("*.md"))]
    failures, counts = [], Counter()
    for path in paths:
        things = needs(path)
        if re.search(r"^<!-- run by tests/\S+ -->$", path.read_text(), re.M):
            continue
        if bool(things) != of.host or path == of.source / "docs/reference/c.md":  # c.md: declarations of the headers
            continue
        if run_elsewhere(path, of.source):
            counts["pages of other tests"] += 1
            continue
        gone = missing(things, of)
        if gone:
            print(f"skipped: {path.relative_to(of.source)} needs {' and '.join(gone)}; scripts/check.sh --hosts installs hosts")
            sys.exit(77)
        with tempfile.TemporaryDirectory() as folder:
            page = Page(path, of, folder)
            check_page(page)
        failures += page.failures
        counts += page.counts + Counter(pages=1)
    print("\n".join(failures + [", ".join(f"{n} {what}" for what, n in sorted(counts.items()))]))
    sys.exit(1 if failures else 0)


main()
