#!/usr/bin/env python3
"""extension.py OUT.c COMPILER INCLUDE: writes the C source of the extension module pygsolve._gsolve. The declarations come from
the public headers, by way of the preprocessor; cffi makes the module of them."""
import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

OWN = """
typedef struct pygsolve_watch { double *history; int length, capacity; } pygsolve_watch;
bool pygsolve_interrupt(void *user);
bool pygsolve_monitor(int iteration, double residual, void *user);
bool pygsolve_attempt(const gsolve_attempt *attempt, void *user);
pygsolve_watch *pygsolve_new_watch(void);
void pygsolve_free_watch(pygsolve_watch *watch);
void *pygsolve_load(const char *name);
const char *pygsolve_load_error(void);
void *pygsolve_symbol(void *library, const char *name);
bool pygsolve_is_own(void *library);
extern "Python" int pygsolve_handle_signals(void);
extern "Python" gsolve_status pygsolve_apply(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user);
extern "Python" gsolve_status pygsolve_apply_transpose(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user);
extern "Python" void pygsolve_log(const char *line, void *user);
"""
STANDARD = ("stdbool.h", "stddef.h", "stdint.h", "stdarg.h")


def declarations(compiler, include):
    """What the public headers declare, without the standard headers' own declarations and without bodies of functions."""
    with tempfile.TemporaryDirectory() as empty:
        for name in STANDARD:
            (pathlib.Path(empty) / name).write_text("")
        source = '#include "gsolve.h"\n#include "gsolve_io.h"\n#include "gsolve_plugin.h"\n'
        command = [compiler, "-E", "-P", "-nostdinc", f"-I{empty}", f"-I{include}", "-DGSOLVE_API=", "-D__attribute__(x)=", "-x", "c", "-"]
        text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"static inline [^;{]*\{(?:[^{}]|\{[^{}]*\})*\}", "", text)
    return re.sub(r"\bsizeof\(", "sizeof(", text)


def main():
    out, compiler, include = sys.argv[1:]
    builder = cffi.FFI()
    builder.cdef(declarations(compiler, include) + OWN)
    builder.set_source("pygsolve._gsolve", '#include "extension.h"\n')
    builder.emit_c_code(out)


main()
