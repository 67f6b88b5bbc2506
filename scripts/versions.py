#!/usr/bin/env python3
"""versions.py: checks that every file names the version of include/gsolve_context.h, and prints it.

    scripts/versions.py [--released | --notes] [--top FOLDER]

The header defines the version. CMake and the Python package read it from there; the other files are written by hand, and
docs/gsolve.1 by the command. Without a date in CHANGELOG.md the version is not released: then CITATION.cff has no date either,
and debian/changelog says UNRELEASED. --released: it must be released. --notes: prints the changes of this version.
Exit code 1 and a line for each file that disagrees."""
import argparse
import re
import sys
from pathlib import Path

HEADER = "include/gsolve_context.h"
PLACES = {  # file: what stands before the version and after it
    "CITATION.cff": (r"^version: ", "$"),
    "debian/changelog": (r"\Agsolve \(", r"-[\w.+~]+\) "),
    "CHANGELOG.md": (r"\A# Changes\n(?:(?!## ).*\n)*## ", r" \("),
    "packaging/gsolve.spec": (r"^Version: +", "$"),
    "packaging/conda/recipe.yaml": (r"^  version: ", "$"),
    "docs/gsolve.1": (r'^\.TH GSOLVE 1 "" "gsolve ', '"'),
}
SO_PLACES = {  # the same for the version in the name of the library
    "tests/abi/libgsolve.symbols": (r"\Alibgsolve\.so\.", r" libgsolve"),
    "debian/control": (r"^Package: libgsolve", r"$"),
    "packaging/gsolve.spec": (r"^%global so ", "$"),
}
VERSION = r"(\d[\w.]*)"


def found(top, name, before, after):
    """The version in a file, or a sentence in place of it."""
    path = top / name
    match = re.search(before + VERSION + after, path.read_text(), re.M) if path.exists() else None
    return match[1] if match else "no version in its place" if path.exists() else "nothing: there is no such file"


def header_version(top, faults):
    text = (top / HEADER).read_text()
    parts = [re.search(rf"#define GSOLVE_VERSION_{part} +(\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    version = re.search(r'#define GSOLVE_VERSION +"(.+)"', text)[1]
    if ".".join(parts) != version:
        faults.append(f"{HEADER}: GSOLVE_VERSION is {version}, but the three numbers above it are {' '.join(parts)}")
    return version


def check_release(top, released, faults):
    """The date of CHANGELOG.md, of CITATION.cff and of debian/changelog: all or none."""
    state = re.search(r"^## \S+ \((.+)\)$", (top / "CHANGELOG.md").read_text(), re.M)[1]
    dated = re.search(r"^date-released: ['\"]?([\d-]+)", (top / "CITATION.cff").read_text(), re.M)
    debian = re.match(r"gsolve \(.*\) (\w+);", (top / "debian/changelog").read_text())[1]
    if state == "not released":
        if released:
            faults.append("CHANGELOG.md: the version is not released; write its date in place of 'not released'")
        if dated:
            faults.append(f"CITATION.cff has the date {dated[1]}, but CHANGELOG.md says 'not released'")
        if debian != "UNRELEASED":
            faults.append(f"debian/changelog says {debian}, but CHANGELOG.md says 'not released'")
        return
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", state):
        faults.append(f"CHANGELOG.md: '({state})' is neither a date such as 2026-12-31 nor 'not released'")
    if not dated or dated[1] != state:
        faults.append(f"CITATION.cff: date-released is {dated[1] if dated else 'missing'}, but CHANGELOG.md says {state}")
    if debian == "UNRELEASED":
        faults.append(f"debian/changelog says UNRELEASED, but CHANGELOG.md says {state}")


def check_debian_names(top, so, faults):
    """The files of debian/ that belong to the library, and its list of symbols."""
    names = {path.name for path in (top / "debian").glob("libgsolve[0-9]*")}
    for kind in ("install", "symbols"):
        if f"libgsolve{so}.{kind}" not in names:
            faults.append(f"debian/libgsolve{so}.{kind} is missing; there are {' '.join(sorted(names)) or 'no such files'}")
    faults += [f"debian/{name} is not of libgsolve{so}" for name in sorted(names) if not name.startswith(f"libgsolve{so}.")]
    symbols = top / "debian" / f"libgsolve{so}.symbols"
    if symbols.exists() and symbols.read_text() != (top / "tests/abi/libgsolve.symbols").read_text():
        faults.append(f"{symbols.relative_to(top)} differs from tests/abi/libgsolve.symbols")


def notes(top, version):
    text = (top / "CHANGELOG.md").read_text()
    return re.search(rf"^## {re.escape(version)} \(.*?(?=^## |\Z)", text, re.M | re.S)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--released", action="store_true")
    parser.add_argument("--notes", action="store_true")
    parser.add_argument("--top", type=Path, default=Path(__file__).resolve().parents[1])
    of = parser.parse_args()
    faults = []
    version = header_version(of.top, faults)
    so = ".".join(version.split(".")[:2])
    for wanted, places in ((version, PLACES), (so, SO_PLACES)):
        for name, around in places.items():
            says = found(of.top, name, *around)
            if says != wanted:
                faults.append(f"{name} has {says}; {HEADER} has {wanted}")
    if not faults:
        check_release(of.top, of.released, faults)
        check_debian_names(of.top, so, faults)
    if faults:
        print(*faults, sep="\n", file=sys.stderr)
        return 1
    print(notes(of.top, version) if of.notes else version, end="" if of.notes else "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
