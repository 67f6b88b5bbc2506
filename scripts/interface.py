"""interface.py: the functions, structs, enumerations and function types that the public headers declare."""
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent / "docs"))
import headers

TOP = headers.TOP


@dataclass
class Variable:
    """A parameter or a member: "const gsolve_csr *csr" has the base gsolve_csr and one star."""
    base: str
    stars: int
    constant: bool
    name: str
    count: str = ""  # of an array
    function: bool = False  # a pointer to a function


@dataclass
class Function:
    name: str
    returns: Variable
    parameters: list
    header: str


@dataclass
class Struct:
    name: str
    members: list
    header: str


@dataclass
class Enumeration:
    name: str
    values: list
    header: str


def variable(text):
    """A Variable from a declaration with one name."""
    pointer = re.search(r"\(\*(\w+)\)\s*\(", text)
    if pointer:
        return Variable("", 0, False, pointer[1], function=True)
    declared = re.match(r"\s*(const )?(?:struct )?(\w+)\s*((?:\*|const\b|\s)*)(\w*)\s*(?:\[([^]]*)\])?\s*$", text, re.S)
    if not declared:
        raise ValueError(f"cannot read the declaration '{text}'")
    constant, base, stars, name, count = declared.groups()
    return Variable(base, stars.count("*"), bool(constant), name, count or "")


def members(body):
    for declaration in body.split(";"):
        if "(*" in declaration:
            yield variable(declaration)
        elif declaration.strip():
            first, *others = declaration.split(",")
            one = variable(first)
            yield one
            for other in others:  # "int a, b": no name has a star of its own
                yield variable(f"{'const ' if one.constant else ''}{one.base} {other.strip()}")


def without_comments(header):
    text = (TOP / "include" / header).read_text()
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def lists(text):
    """The enumerators of macros such as GSOLVE_STATUS_LIST."""
    found = re.findall(r"#define (\w+_LIST)\(X\)((?:[^\n]*\\\n)*[^\n]*)", text)
    return {name: re.findall(r"X\((\w+),", body) for name, body in found}


def types(header):
    """The structs and enumerations of a header, in their order."""
    text = without_comments(header)
    expand = lists(text)
    for kind, body, name in re.findall(r"typedef (struct|enum) \w+ \{(.*?)\n?\} (\w+);", text, re.S):
        if kind == "struct":
            yield Struct(name, list(members(body)), header)
            continue
        for macro, values in expand.items():
            body = re.sub(rf"{macro}\(\w+\)", " ".join(value + "," for value in values), body)
        yield Enumeration(name, re.findall(r"\b(GSOLVE_\w+)", body), header)


def functions(header):
    """The functions that a header marks with GSOLVE_API."""
    text = re.sub(r"^#.*\n", "", without_comments(header), flags=re.M)
    for returns, name, parameters in re.findall(r"^GSOLVE_API ([^;(]*?)(\w+)\(([^;]*)\);", text, re.M):
        every = [] if parameters.strip() == "void" else parameters.split(",")
        if parameters.strip().endswith("..."):
            continue
        yield Function(name, variable(returns), [variable(p) for p in every], header)


def function_types():
    """The names of types of functions, such as gsolve_monitor."""
    text = "".join(without_comments(name) for name in headers.HEADERS)
    return set(re.findall(r"^typedef [^;{]*?\b(\w+)\([^;{]*\);", text, re.M))


def layouts(cc):
    """For each type a line with its size, and one for each member (offset, size, name) or enumerator; None if a pointer
    has not 8 bytes."""
    lines = ["#include <stdio.h>"] + [f'#include "{name}"' for name in headers.HEADERS]
    lines += ['#define MEMBER(type, name) printf("    %zu %zu %s\\n", offsetof(type, name), sizeof(((type *)0)->name), #name)',
              '#define VALUE(name) printf("    %d %s\\n", (int)name, #name)', "int main(void) {"]
    for found in (t for name in headers.HEADERS for t in types(name)):
        if isinstance(found, Struct):
            lines.append(f'printf("{found.name} %zu\\n", sizeof({found.name}));')
            lines += [f"MEMBER({found.name}, {m.name});" for m in found.members]
        else:
            lines.append(f'printf("{found.name}\\n");')
            lines += [f"VALUE({value});" for value in found.values]
    lines.append("return sizeof(void *) == 8 ? 0 : 77; }")
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "layouts.c", Path(folder) / "layouts"
        source.write_text("\n".join(lines))
        subprocess.run([cc, "-std=c11", f"-I{TOP / 'include'}", str(source), "-o", str(program)], check=True)
        result = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    return None if result.returncode == 77 else result.stdout
