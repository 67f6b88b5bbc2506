/* write_npz.h: the parts of write_binary.c: the file that is being written, and NumPy's formats. */
#ifndef GS_IO_WRITE_NPZ_H
#define GS_IO_WRITE_NPZ_H

#include "core/replace.h"
#include "gsolve_plugin.h"

typedef struct gs_file {
    gsolve_context *ctx;
    gs_replacement replacement;
} gs_file;

/* Begins the file; on failure there is nothing to end. path must stay until the end. In
 * write_file.c, as the next two. */
gsolve_status gs_file_begin(gs_file *f, gsolve_context *ctx, const char *path);

/* status: the result of the writes; the file appears only if it is GSOLVE_OK. Returns status, or
 * the error of completing the file. */
gsolve_status gs_file_end(gs_file *f, gsolve_status status);

/* Writes bytes at the end of the file. */
gsolve_status gs_file_put(gs_file *f, const void *data, int64_t bytes);

/* A matrix, as scipy.sparse.save_npz(..., compressed=False) writes it. */
gsolve_status gs_put_npz(gs_file *f, const gsolve_csr *csr);

/* A vector, or a column-major matrix. */
gsolve_status gs_put_npy(gs_file *f, const gsolve_dense *v);

#endif
