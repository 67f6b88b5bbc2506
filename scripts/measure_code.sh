#!/usr/bin/env bash
# Measures the source of the library and the command: size, functions, casts, cycles, words.
#
# usage: scripts/measure_code.sh [--json] [TREE...]
#
# TREE: a source tree (default: the one of this script). Two trees, for example one before and one after a change, make
# a table of two columns. The files are those with the endings .c .h .cu .cuh in include/ core/ vector/ matrix/ dist/ mpi/
# spmv/ factor/ spgemm/ precond/ solver/ io/ cli/. Everything is counted in a copy that clang-format has formatted by
# TREE's .clang-format, so that the style of a line does not matter; where clang-format is not found (CLANG_FORMAT names
# another), the files are counted as they stand. Needs python3. measure_code.py does the work.
#
#   code lines      lines that hold anything but blanks and comments; directives and lone braces count
#   comment lines   lines that hold a comment and no code; lines that hold both are counted apart
#   comment share   comment lines / (comment lines + code lines)
#   files           a folder's own files, without those of the folders in it; the lines of a file are all its lines
#   functions       definitions with a body, in headers, structures and namespaces too; what a macro expands to is not
#                   seen, and a kernel body that is included for several types counts once. A function's lines run from
#                   its first word ("template", "static") to its last brace, blank lines and comments included
#   parameters      those of a definition; function pointers are declarations (*name)(...) in structures and the like
#   C casts         "(type)" before an operand, where all words of type are names of types: basic types, names that end
#                   in _t, typedefs, structures of C++, parameters of templates, macros that stand for a type.
#                   "(void)call()" is not counted; "T(x)" is not. C++ casts are static_cast, reinterpret_cast, const_cast
#   through uintptr_t   a cast to a pointer directly before a cast to uintptr_t, intptr_t, size_t or ptrdiff_t
#   hidden casts    calls of functions that only wrap such a cast: static, or in a header, at most 12 lines long, with a
#                   cast of a parameter declared const to a pointer that is not; and uses of macros that hold such a cast
#   drop const      casts through uintptr_t and const_cast whose type does not hold "const", and all hidden casts.
#                   (gcc -Wcast-qual finds the C casts that drop const without uintptr_t.)
#   cycles          groups of nodes in which each reaches each other, the nodes in them, and the edges inside them.
#                   Headers: each file is a node. Modules: files of a folder with the same stem are one node, see
#                   tests/check_cycles.py. Calls: .c and .cu files are nodes; a call is a name before "(" that another
#                   file defines as a function that is not static. A function or macro of a header counts as part of
#                   the files that call it. Calls through pointers and of the functions that report errors do not count.
#                   tests/check_cycles.py finds the calls in object files instead
#   told            the type gs_told, and the member told of a context
#   gs_device_cuda  the name in code, outside core/
#   words           the words that the glossary replaces, in all their forms, as parts of identifiers (split at _ and at
#                   capitals), as words of comments and strings (without #include), and in the names of files. Words with
#                   an ordinary use beside the private one are counted apart: these need not come to zero
set -euo pipefail
exec python3 "$(dirname "$0")/measure_code.py" "$@"
