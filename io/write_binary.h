/* write_binary.h: writes NumPy's, SciPy's and PETSc's formats, and vectors as plain text. */
#ifndef GS_IO_WRITE_BINARY_H
#define GS_IO_WRITE_BINARY_H

#include "gsolve_io.h"
#include "io/input.h"

/* Writes csr, which has been checked, with all entries: these formats have no symmetric form, so
 * any other symmetry than GSOLVE_GENERAL is refused. `format` is not GSOLVE_FILE_MARKET. */
gsolve_status gs_write_binary_matrix(gsolve_context *ctx, const char *path,
                                     gsolve_file_format format, const gsolve_csr *csr,
                                     gsolve_symmetry symmetry);

/* Writes v, which has been checked. */
gsolve_status gs_write_binary_dense(gsolve_context *ctx, const char *path,
                                    gsolve_file_format format, const gsolve_dense *v);

#endif
