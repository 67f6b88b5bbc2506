/* write_binary.h: formats that the name of an output file chooses. */
#ifndef GS_IO_WRITE_BINARY_H
#define GS_IO_WRITE_BINARY_H

#include "gsolve_io.h"
#include "io/input.h"

typedef enum gs_output {
    GS_OUTPUT_MARKET, /* every other name */
    GS_OUTPUT_NPZ,
    GS_OUTPUT_NPY,
    GS_OUTPUT_PETSC, /* .petsc or .bin */
    GS_OUTPUT_TEXT,  /* .txt */
    GS_OUTPUT_OTHER  /* a name of a format that gsolve does not write, such as .mat */
} gs_output;

gs_output gs_output_of(const char *path);

/* Writes csr, which has been checked, with all entries: these formats have no symmetric form, so
 * any other symmetry than GSOLVE_GENERAL is refused. `format` is not GS_OUTPUT_MARKET. */
gsolve_status gs_write_binary_matrix(gsolve_context *ctx, const char *path, gs_output format,
                                     const gsolve_csr *csr, gsolve_symmetry symmetry);

/* Writes v, which has been checked. */
gsolve_status gs_write_binary_dense(gsolve_context *ctx, const char *path, gs_output format,
                                    const gsolve_dense *v);

#endif
