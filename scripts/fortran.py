#!/usr/bin/env python3
"""fortran.py: makes include/gsolve.f90, the Fortran module of the C interface, from the public headers.

    scripts/fortran.py [--cc CC]             writes the module
    scripts/fortran.py --check [--cc CC]     exit code 1 and a line if it is stale
    scripts/fortran.py --program [--cc CC]   prints a Fortran program that compares the sizes of its types with those in C

gsolve_plugin.h is left out: plug-ins are written in C. A handle is a type(c_ptr). A parameter is optional where the comment
in the header says that it may be NULL.
"""
import re
import sys

sys.dont_write_bytecode = True
import interface
from interface import headers

MODULE = interface.TOP / "include" / "gsolve.f90"
HEADERS = [name for name in headers.HEADERS if name != "gsolve_plugin.h"]
NUMBERS = {"int": "integer(c_int)", "unsigned": "integer(c_int)", "int32_t": "integer(c_int32_t)", "int64_t": "integer(c_int64_t)",
           "uint64_t": "integer(c_int64_t)",
           "size_t": "integer(c_size_t)", "double": "real(c_double)", "float": "real(c_float)", "bool": "logical(c_bool)",
           "char": "character(kind=c_char)", "unsigned": "integer(c_int)"}

HEAD = """! gsolve.f90: the C interface of gsolve for Fortran 2018. Compile it with your program; the headers describe each function.
!
! Made by scripts/fortran.py. Do not edit.
!
! Handles (context, matrix, ...) are of type(c_ptr); initialise them with c_null_ptr. Strings end with c_null_char, such as
! "cg"//c_null_char. Rows and columns count from 0, as in C. Arrays that gsolve_csr_view and gsolve_vector describe must have the
! attribute target. gsolve_string turns a text of the library into a character string. The members of a struct are 0, .false. or
! null when it is declared, and its member `size` is set.
module gsolve
  use, intrinsic :: iso_c_binding
  implicit none
  private :: strlen
"""

TAIL = """
  interface
    pure function strlen(text) bind(C) result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

  ! A view of one vector, or of the columns of an array.
  interface gsolve_vector
    module procedure vector_of_one, vector_of_columns
  end interface
  private :: vector_of_one, vector_of_columns

contains

  ! A view of a matrix with size(start) - 1 rows, in compressed rows with double values. ncols: the number of rows if it is absent.
  function gsolve_csr_view(start, col, value, ncols) result(csr)
    integer(c_int32_t), intent(in), target, contiguous :: start(:), col(:)
    real(c_double), intent(in), target, contiguous :: value(:)
    integer(c_int32_t), intent(in), optional :: ncols
    type(gsolve_csr) :: csr

    csr%nrows = size(start, kind=c_int32_t) - 1
    csr%ncols = csr%nrows
    if (present(ncols)) csr%ncols = ncols
    csr%start = c_loc(start)
    csr%col = c_loc(col)
    csr%value = c_loc(value)
    csr%offset = GSOLVE_O32
    csr%type = GSOLVE_F64
    csr%location = GSOLVE_HOST
  end function

  function vector_of_one(x) result(v)
    real(c_double), intent(in), target, contiguous :: x(:)
    type(gsolve_dense) :: v

    v = gsolve_dense(size(x, kind=c_int32_t), 1, size(x, kind=c_int64_t), c_loc(x), GSOLVE_F64, GSOLVE_HOST, &
                     GSOLVE_COLUMN_MAJOR)
  end function

  function vector_of_columns(x) result(v)
    real(c_double), intent(in), target, contiguous :: x(:, :)
    type(gsolve_dense) :: v

    v = gsolve_dense(size(x, 1, c_int32_t), size(x, 2, c_int32_t), size(x, 1, c_int64_t), c_loc(x), GSOLVE_F64, GSOLVE_HOST, &
                     GSOLVE_COLUMN_MAJOR)
  end function

  ! A text of the library, such as gsolve_error(ctx).
  function gsolve_string(text) result(string)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: string
    character(kind=c_char), pointer :: c(:)
    integer :: i, length

    length = 0
    if (c_associated(text)) length = int(strlen(text))
    allocate (character(length) :: string)
    if (length == 0) return
    call c_f_pointer(text, c, [length])
    do i = 1, length
      string(i:i) = c(i)
    end do
  end function
end module
"""


def names():
    """The structs and enumerations that the module declares, and all names of handles and functions."""
    found = [t for name in HEADERS for t in interface.types(name)]
    return {t.name for t in found if isinstance(t, interface.Struct)}, {t.name for t in found if not isinstance(t, interface.Struct)}


STRUCTS, ENUMERATIONS = names()
CALLBACKS = interface.function_types()


def value_type(v):
    """The Fortran type of a member, or of a parameter that is passed by value."""
    if v.function or v.base in CALLBACKS:
        return "type(c_funptr)"
    if v.stars:
        return "type(c_ptr)"
    if v.base in ENUMERATIONS:
        return "integer(c_int)"
    if v.base in STRUCTS:
        return f"type({v.base})"
    if v.base not in NUMBERS:
        raise ValueError(f"scripts/fortran.py does not know the type {v.base} of {v.name}; add it to NUMBERS")
    return NUMBERS[v.base]


def comments():
    """The comment of each function."""
    return {d.name: b.comment + " " + b.notes.get(d.name, "") for name in HEADERS for s in headers.sections(name)[1] for b in s.blocks
            for d in b.declarations}


def says(comment, name, word):
    """Whether a sentence of the comment has the word and names the parameter."""
    return any(re.search(word, sentence) and re.search(rf"(?<![\w']){name}(?![\w'])", sentence) for sentence in re.split(r"[.;:]\s", comment))


def parameter(p, comment):
    """The declaration of a dummy argument."""
    if not p.stars or p.base in CALLBACKS or p.base == "void" or (p.stars == 1 and p.base not in STRUCTS | ENUMERATIONS | set(NUMBERS)):
        return f"{value_type(p)}, value :: {p.name}"
    if p.stars == 2 and p.constant:
        return f"type(c_ptr), intent(in) :: {p.name}(*)"
    if p.stars == 2:
        return f"type(c_ptr), intent(inout) :: {p.name}"
    one = interface.Variable(p.base, 0, False, p.name)
    intent = "intent(in)" if p.constant else "intent(inout)"
    optional = ", optional" if says(comment, p.name, r"\bNULL\b") else ""
    array = p.base in NUMBERS and (p.constant or says(comment, p.name, r"\barrays?\b"))
    return f"{value_type(one)}, {intent}{optional} :: {p.name}{'(*)' if array else ''}"


def wrapped(line, indent):
    """A line of at most 120 columns, continued at commas."""
    out = ""
    while len(line) > 120:
        cut = line.rindex(", ", 0, 116) + 2
        out += line[:cut] + "&\n"
        line = " " * (indent + 4) + line[cut:]
    return out + line + "\n"


def procedure(f, comment):
    kind = "subroutine" if f.returns.base == "void" and not f.returns.stars else "function"
    text = wrapped(f"    {kind} {f.name}({', '.join(p.name for p in f.parameters)}) bind(C)", 4) + "      import\n"
    lower = [p.name.lower() for p in f.parameters]
    if len(set(lower)) < len(lower):
        raise ValueError(f"two parameters of {f.name} differ only by case, which Fortran ignores; rename one in the header")
    text += "".join(f"      {parameter(p, comment)}\n" for p in f.parameters)
    if kind == "function":
        text += f"      {value_type(f.returns)} :: {f.name}\n"
    return text + f"    end {kind}\n"


def measured(cc):
    """The size of each struct, and the value of each enumerator, in C."""
    layouts = interface.layouts(cc)
    if layouts is None:
        sys.exit(77)
    return ({name: int(size) for name, size in re.findall(r"^(\w+) (\d+)$", layouts, re.M)},
            {name: int(value) for value, name in re.findall(r"^    (-?\d+) (GSOLVE_\w+)$", layouts, re.M)})


def initial_value(v):
    """What GSOLVE_INIT and = {0} set in C. A struct in a struct has the initial values of its own members."""
    kind = value_type(v)
    known = {"type(c_ptr)": "c_null_ptr", "type(c_funptr)": "c_null_funptr", "logical(c_bool)": ".false._c_bool",
             "character(kind=c_char)": "c_null_char"}
    if kind.startswith(("integer", "real")):
        return " = 0"
    return f" = {known[kind]}" if kind in known else ""


def struct_text(s, size):
    text = f"\n  type, bind(C) :: {s.name}\n"
    takes_size = s.members[0].name == "size"
    for m in s.members:
        initial = initial_value(m)
        if m == s.members[0] and takes_size:
            initial = f" = {size}_c_size_t ! as GSOLVE_INIT"
        text += f"    {value_type(m)} :: {m.name}{f'({m.count})' if m.count else ''}{initial}\n"
    return text + "  end type\n"


def module(cc):
    text, (size, value) = HEAD, measured(cc)
    taken = {f.name for name in HEADERS for f in interface.functions(name)} | STRUCTS
    for name in HEADERS:
        for e in (t for t in interface.types(name) if not isinstance(t, interface.Struct)):
            text += f"\n  ! {e.name}\n"
            text += "".join(f"  integer(c_int), parameter :: {v}{'_VALUE' if v.lower() in taken else ''} = {value[v]}\n"
                            for v in e.values if not v.endswith("_COUNT"))
    for name in sorted(HEADERS, key=lambda name: name == "gsolve.h"):
        text += "".join(struct_text(t, size[t.name]) for t in interface.types(name) if isinstance(t, interface.Struct))
    comment = comments()
    for name in HEADERS:
        text += f"\n  ! {name}\n  interface\n" + "".join(procedure(f, comment[f.name]) for f in interface.functions(name)) + "  end interface\n"
    return text + TAIL


def program(cc):
    size = {name: number for name, number in measured(cc)[0].items() if name in STRUCTS}
    text = "program sizes\n  use gsolve\n  implicit none\n"
    text += "".join(f"  type({name}) :: a{k}\n" for k, name in enumerate(size))
    text += "".join(f'  if (c_sizeof(a{k}) /= {number}) error stop "{name}"\n' for k, (name, number) in enumerate(size.items()))
    return text + f'  print "(i0, a)", {len(size)}, " types have the sizes of C"\nend program\n'


def main(arguments):
    cc = arguments[arguments.index("--cc") + 1] if "--cc" in arguments else "cc"
    if "--program" in arguments:
        print(program(cc), end="")
        return 0
    text = module(cc)
    if "--check" not in arguments:
        MODULE.write_text(text)
    elif not MODULE.exists() or MODULE.read_text() != text:
        print("include/gsolve.f90 is stale; make interface or scripts/fortran.py renews it")
        return 1
    return 0


if __name__ == "__main__":
    if set(sys.argv[1:2]) - {"--check", "--program", "--cc"}:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
