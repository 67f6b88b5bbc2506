/* write_npz.h: the parts of write_binary.c: the file that is being written, and NumPy's formats. */
#ifndef GS_IO_WRITE_NPZ_H
#define GS_IO_WRITE_NPZ_H

#include "core/replace.h"
#include "gsolve_plugin.h"

typedef struct gs_file {
    gsolve_context *ctx;
    gs_replacement replacement;
} gs_file;

/* Writes bytes at the end of the file. */
gsolve_status gs_file_put(gs_file *f, const void *data, int64_t bytes);

/* A matrix, as scipy.sparse.save_npz(..., compressed=False) writes it. */
gsolve_status gs_put_npz(gs_file *f, const gsolve_csr *csr);

/* A vector, or a column-major matrix. */
gsolve_status gs_put_npy(gs_file *f, const gsolve_dense *v);

#endif
