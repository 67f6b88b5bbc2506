#!/usr/bin/env python3
"""Finds cycles of includes and cycles of direct calls between the files of the library and the command.

usage: tests/check_cycles.py BUILD [--known FILE] [--write]

BUILD is a build folder of CMake; its compile_commands.json names the object files and their sources.

Includes: a node is a module: the files of one folder that share a stem (foo.c, foo.h, foo.cuh are one module;
foo_host.c is another). An edge is an #include "..." line, or a #define GS_..._BODY "..." line, which names a file that
another file includes.

Calls: a node is a source file that is compiled. An edge is a direct call in the object file: a relocation for a call
instruction to a function that another object file defines. Calls through tables of functions and functions passed as
arguments are not direct calls. Calls of the functions in ERRORS are not counted either. An inline function of a header
counts as part of each file that calls it.

Known cycles: FILE (default: cycles_known.txt beside this script) lists the edges that lie on a cycle today, one a line:

    include FROM -> TO        an edge between modules
    call FROM -> TO           an edge on a cycle of .c files
    cuda-call FROM -> TO      an edge on a cycle that passes through a .cu file; checked in builds with CUDA only

The check fails on an edge that lies on a cycle and is not listed, and on a listed edge that lies on no cycle any more.
--write writes the list instead; a build without CUDA keeps the lines cuda-call as they are.

Prints the groups of nodes that reach each other, and for each edge in them the shortest cycle through it.
Exit code 0: the edges are those of the list; 1: they are not; 77: this build cannot be checked.
"""

import argparse
import json
import os
import re
import struct
import sys

FOLDERS = ("include core vector matrix dist mpi spmv factor spgemm precond solver partition io cli").split()

# The functions that report an error. Every file may call them.
ERRORS = {"gsolve_fail", "gsolve_error", "gsolve_status_text", "gsolve_outcome_text", "cli_fail"}

# --- object files -----------------------------------------------------------------------------------------------------

ELF_CALLS = {62: {4}, 183: {282, 283}}  # x86-64: PLT32; AArch64: JUMP26, CALL26
ELF_LOADS = {62: {9, 41, 42}, 183: set()}  # x86-64: GOTPCREL, GOTPCRELX, REX_GOTPCRELX; calls where -fno-plt is given
CALL_OF_LOAD = (b"\xff\x15", b"\xff\x25")  # call, jmp *function@GOTPCREL(%rip)
SHT_SYMTAB, SHT_RELA, SHF_EXECINSTR = 2, 4, 4
STB_LOCAL, STT_FUNC = 0, 2


def read_object(path):
    """The functions that a 64-bit ELF object file defines, and the functions of other objects that it calls."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is not a 64-bit little-endian ELF object file")
    machine, = struct.unpack_from("<H", data, 18)
    if machine not in ELF_CALLS:
        raise ValueError(f"the relocations of ELF machine {machine} are not known")
    table, = struct.unpack_from("<Q", data, 40)
    entry, count = struct.unpack_from("<HH", data, 58)
    if count == 0:  # more sections than the header can count
        count, = struct.unpack_from("<Q", data, table + 32)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry) for i in range(count)]
    names, defined = [], set()
    for _, kind, _, _, offset, size, link, _, _, _ in sections:
        if kind != SHT_SYMTAB:
            continue
        text = sections[link][4]
        for at in range(offset, offset + size, 24):
            name, info, _, section, _, _ = struct.unpack_from("<IBBHQQ", data, at)
            name = data[text + name : data.index(0, text + name)].decode()
            outside = info >> 4 != STB_LOCAL
            names.append(name if outside and section == 0 else None)
            if outside and section != 0 and info & 15 == STT_FUNC:
                defined.add(name)
    called = set()
    for _, kind, _, _, offset, size, _, target, _, _ in sections:
        if kind != SHT_RELA or not sections[target][2] & SHF_EXECINSTR:
            continue
        for at in range(offset, offset + size, 24):
            place, info, _ = struct.unpack_from("<QQq", data, at)
            kind, name = info & 0xFFFFFFFF, names[info >> 32]
            before = sections[target][4] + place - 2
            if name and (kind in ELF_CALLS[machine] or
                         kind in ELF_LOADS[machine] and data[before : before + 2] in CALL_OF_LOAD):
                called.add(name)
    return defined, called


def object_files(build, root):
    """Pairs of a source of FOLDERS and its object file, each source once. OSError: a source is not compiled yet."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        commands = json.load(file)
    paths = {}
    for command in commands:
        source = os.path.relpath(os.path.join(command["directory"], command["file"]), root)
        output = re.search(r"\s-o\s+(\S+)", command["command"])
        if source.split(os.sep)[0] in FOLDERS and output and os.path.exists(os.path.join(root, source)):
            paths.setdefault(source, []).append(os.path.join(command["directory"], output.group(1)))
    for source, outputs in paths.items():
        built = [path for path in outputs if os.path.exists(path)]
        if not built:
            raise OSError(f"{source} is not compiled yet")
        paths[source] = max(built, key=os.path.getmtime)
    return sorted(paths.items())


def call_graph(objects):
    """graph[from][to] = the names called, from sources and their object files."""
    home, calls = {}, {}
    for source, path in objects:
        if os.path.basename(source) == "no_cuda.c":  # stands in for all .cu files
            continue
        defined, calls[source] = read_object(path)
        for name in defined:
            home.setdefault(name, source)
    graph = {source: {} for source in calls}
    for source, names in calls.items():
        for name in names - ERRORS:
            if home.get(name, source) != source:
                graph[source].setdefault(home[name], set()).add(name)
    return graph


# --- sources ----------------------------------------------------------------------------------------------------------

INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|define[ \t]+GS_\w*BODY)[ \t]*"([^"]+)"', re.M)


def source_files(root):
    """The paths of all C and CUDA files in FOLDERS, relative to root."""
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if re.search(r"\.(c|h|cu|cuh)$", name):
                    yield os.path.relpath(os.path.join(path, name), root)


def module_of(path):
    return os.path.splitext(path)[0]


def include_graph(root, node=module_of):
    """graph[from][to] = the files included; node: which node a file belongs to."""
    files = set(source_files(root))
    graph = {node(path): {} for path in files}
    for path in files:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        for target in INCLUDE.findall(text):
            for found in (target, os.path.join("include", target), os.path.join(os.path.dirname(path), target)):
                if found in files:
                    if node(found) != node(path):
                        graph[node(path)].setdefault(node(found), set()).add(found)
                    break
    return graph


# --- graphs -----------------------------------------------------------------------------------------------------------


def components(graph):
    """The strongly connected components of more than one node, as sorted lists (Tarjan, without recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, edges = work[-1]
            for to in edges:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    on_stack.add(to)
                    work.append((to, iter(sorted(graph.get(to, ())))))
                    break
                if to in on_stack:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    group = stack[at:]
                    del stack[at:]
                    on_stack.difference_update(group)
                    if len(group) > 1:
                        found.append(sorted(group))
    return sorted(found)


def cyclic_edges(graph):
    """The edges that lie on a cycle: those inside a strongly connected component."""
    return {(a, b) for group in components(graph) for a in group for b in graph[a] if b in group}


def shortest_path(graph, start, goal):
    came, queue = {start: None}, [start]
    for node in queue:
        if node == goal:
            path = []
            while node is not None:
                path.append(node)
                node = came[node]
            return path[::-1]
        for to in sorted(graph.get(node, ())):
            if to not in came:
                came[to] = node
                queue.append(to)
    return None


def cycles(graph):
    """For each edge on a cycle the shortest cycle through it, each cycle once, as lists of nodes."""
    found = set()
    for a, b in cyclic_edges(graph):
        path = shortest_path(graph, b, a)
        at = path.index(min(path))
        found.add(tuple(path[at:] + path[:at]))
    return sorted(found, key=lambda path: (len(path), path))


def print_cycles(title, graph):
    groups, chains = components(graph), cycles(graph)
    print(f"cycles of {title}: {len(groups)} groups, {sum(map(len, groups))} files, "
          f"{len(cyclic_edges(graph))} edges, {len(chains)} shortest cycles")
    for group in groups:
        print(f"  group of {len(group)}: {' '.join(group)}")
        for chain in chains:
            if chain[0] not in group:
                continue
            text = chain[0]
            for a, b in zip(chain, chain[1:] + chain[:1]):
                text += f" -> {b} ({', '.join(sorted(graph[a][b]))})"
            print(f"    {text}")


# --- the list of known cycles -----------------------------------------------------------------------------------------

HEAD = """# The edges that lie on a cycle of includes or of direct calls between files; see check_cycles.py.
# The list may only become shorter. "tests/check_cycles.py BUILD --write" writes it.
"""


def read_known(path):
    edges = {"include": set(), "call": set(), "cuda-call": set()}
    if os.path.exists(path):
        with open(path) as file:
            for number, line in enumerate(file, 1):
                line = line.split("#")[0].strip()
                match = re.fullmatch(r"(include|call|cuda-call)\s+(\S+)\s+->\s+(\S+)", line)
                if line and not match:
                    sys.exit(f"{path}:{number}: expected 'include|call|cuda-call FROM -> TO'")
                if match:
                    edges[match.group(1)].add((match.group(2), match.group(3)))
    return edges


def write_known(path, edges):
    with open(path, "w") as file:
        file.write(HEAD)
        for kind in ("include", "call", "cuda-call"):
            for a, b in sorted(edges[kind]):
                file.write(f"{kind} {a} -> {b}\n")


def without_cuda(graph):
    return {a: {b: names for b, names in to.items() if not b.endswith(".cu")}
            for a, to in graph.items() if not a.endswith(".cu")}


def compare(known, edges, path, absent):
    """Whether the edges on cycles are those that are known; prints the differences.

    absent: sources that exist but are no part of this build; known edges of theirs are not checked."""
    same = True
    for kind, found in edges.items():
        for a, b in sorted(found - known[kind]):
            print(f"new: {kind} {a} -> {b} lies on a cycle")
            same = False
        for a, b in sorted(known[kind] - found):
            if a not in absent and b not in absent:
                print(f"gone: {kind} {a} -> {b} lies on no cycle any more; remove the line from {path}")
                same = False
    return same


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Finds cycles of includes and of direct calls between files.")
    parser.add_argument("build")
    parser.add_argument("--known", default=os.path.join(here, "cycles_known.txt"))
    parser.add_argument("--write", action="store_true", help="write the list of known cycles")
    arguments = parser.parse_args()
    with open(os.path.join(arguments.build, "CMakeCache.txt")) as file:
        root = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", file.read(), re.M).group(1)

    includes = include_graph(root)
    try:
        calls = call_graph(object_files(arguments.build, root))
    except (OSError, ValueError) as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    if not any(calls.values()):
        print("skipped: no direct calls in the object files; link-time optimisation hides them")
        sys.exit(77)
    edges = {"include": cyclic_edges(includes), "call": cyclic_edges(without_cuda(calls))}
    if any(source.endswith(".cu") for source in calls):
        edges["cuda-call"] = cyclic_edges(calls) - edges["call"]
    print_cycles("includes", includes)
    print_cycles("direct calls", calls)
    known = read_known(arguments.known)
    if arguments.write:
        write_known(arguments.known, {**known, **edges})
    elif not compare(known, edges, arguments.known, set(source_files(root)) - set(calls)):
        sys.exit(1)


if __name__ == "__main__":
    main()
