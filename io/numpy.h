/* numpy.h: NumPy's arrays: .npy files, and the members of .npz files. */
#ifndef GS_IO_NUMPY_H
#define GS_IO_NUMPY_H

#include "io/binary.h"

typedef struct gs_npy {
    gs_array array; /* kind 'S' or 'U': text; its size is that of an element */
    int dims;       /* 0 to 3 */
    int64_t shape[3];
    bool fortran; /* column-major, else row-major */
} gs_npy;

bool gs_npy_is(const char *begin, const char *end);

/* *a = the array whose file, or member, is data[0..bytes). what: its name for error messages, or
 * NULL. */
gsolve_status gs_npy_parse(gs_npy *a, const char *data, int64_t bytes, const char *what,
                           const gs_input *in);

/* *v = an array of one or two dimensions; one dimension is a column. */
gsolve_status gs_npy_to_dense(gsolve_dense *v, const gs_npy *a, gs_input *in);

/* A .npy file. */
gsolve_status gs_npy_dense(gsolve_dense *v, gs_input *in);
gsolve_status gs_npy_matrix(gsolve_csr *csr, gs_input *in);

/* A .npz file: a matrix that scipy.sparse.save_npz wrote; or an archive with one array. */
gsolve_status gs_npz_dense(gsolve_dense *v, gs_input *in);
gsolve_status gs_npz_matrix(gsolve_csr *csr, gs_input *in);

#endif
