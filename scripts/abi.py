#!/usr/bin/env python3
"""abi.py: compares the binary interface of the library with the one that tests/abi/ records.

    scripts/abi.py LIBRARY [--update] [--nm NM] [--cc CC]

LIBRARY is a libgsolve.so. tests/abi/libgsolve.symbols lists the functions that it exports and the version in which each
appeared, in the format of Debian's symbols files; the Debian package uses it. tests/abi/layouts.txt lists the size of each public struct, the offset
and size of each of its members, and the value of each enumerator, for 64-bit machines. --update writes both files; then
the commit says why the interface changed. Exit code 1: a function is exported that does not begin with gsolve_, or the
interface differs from the files. 77: the layouts of this machine are others, because a pointer has not 8 bytes.
"""
import argparse
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import interface
from interface import headers

FOLDER = headers.TOP / "tests" / "abi"
SYMBOLS, LAYOUTS = FOLDER / "libgsolve.symbols", FOLDER / "layouts.txt"
HEAD = "libgsolve.so.{} libgsolve{} #MINVER#\n* Build-Depends-Package: libgsolve-dev"


# --- symbols ----------------------------------------------------------------------------------------------------------


def exported(library, nm):
    """The names of the dynamic symbols that the library defines; versions are absolute symbols and do not count."""
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return sorted(line.split()[-1].split("@")[0] for line in lines.splitlines() if line.split()[-2] != "A")


def declared():
    """The functions that the headers mark with GSOLVE_API."""
    text = "".join((headers.TOP / "include" / name).read_text() for name in headers.HEADERS)
    return sorted(re.findall(r"^GSOLVE_API [^;(]*?(\w+)\(", text, re.M))


def version():
    return re.search(r'#define GSOLVE_VERSION +"(.+)"', (headers.TOP / "include" / "gsolve_context.h").read_text())[1]


def recorded_symbols():
    """A dictionary from each name of the file to the version in which it appeared."""
    return dict(re.findall(r"^ (\w+)@Base (\S+)$", SYMBOLS.read_text() if SYMBOLS.exists() else "", re.M))


def symbols_text(names):
    known, now = recorded_symbols(), version()
    so = ".".join(now.split(".")[:2])
    return "\n".join([HEAD.format(so, so)] + [f" {name}@Base {known.get(name, now)}" for name in names]) + "\n"


def symbol_faults(names):
    listed, marked = recorded_symbols(), declared()
    yield from (f"{name} is exported, but does not begin with gsolve_; cmake/libgsolve.map must hide it"
                for name in names if not name.startswith("gsolve_"))
    yield from (f"{name} is exported, but no header marks it with GSOLVE_API" for name in names if name not in marked)
    yield from (f"{name} is marked with GSOLVE_API, but the library does not export it" for name in marked if name not in names)
    yield from (f"{name} is new; {SYMBOLS.name} does not list it" for name in names if name not in listed)
    yield from (f"{name} is no longer exported, but {SYMBOLS.name} lists it: programs that call it would not start"
                for name in listed if name not in names)


# --- layouts ----------------------------------------------------------------------------------------------------------


def by_type(text):
    return {block.split()[0]: block.splitlines()[1:] for block in re.split(r"\n(?=\S)", text.strip()) if block}


def layout_faults(now):
    before, after = by_type(LAYOUTS.read_text() if LAYOUTS.exists() else ""), by_type(now)
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield f"{name} is {'new' if old is None else 'gone'}"
        elif old != new:
            moved = [line.strip() for line in old if line not in new]
            added = [line.strip() for line in new if line not in old]
            yield f"{name} has changed: without '{', '.join(moved)}', with '{', '.join(added)}'"


# --- all of it --------------------------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--cc", default="cc")
    of = parser.parse_args()
    names, now = exported(of.library, of.nm), interface.layouts(of.cc)
    if of.update:
        FOLDER.mkdir(exist_ok=True)
        SYMBOLS.write_text(symbols_text(names))
        if now is not None:
            LAYOUTS.write_text(now)
    faults = list(symbol_faults(names)) + (list(layout_faults(now)) if now is not None else [])
    for fault in faults:
        print(fault)
    if faults:
        print(f"If the interface is to change, 'scripts/abi.py {of.library} --update' renews tests/abi/; the commit says why.")
    return 1 if faults else 0 if now is not None else 77


if __name__ == "__main__":
    sys.exit(main())
