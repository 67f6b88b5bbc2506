/* gsolve_matrix.h: a sparse matrix in a storage format, and its products y = A x.
 *
 * In this header, vectors of a product have the value type of the matrix. They are on the host or
 * on the device of the matrix, and may have one or several columns.
 */
#ifndef GSOLVE_MATRIX_H
#define GSOLVE_MATRIX_H

#include "gsolve_arrays.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- create and update ---------------------------------------------------------- */

/* A sparse matrix: a copy of its rows, and their converted form in a storage format. */
typedef struct gsolve_matrix gsolve_matrix;

/* Creates a matrix from compressed rows, of which it stores a copy. spec names a format; see
 * docs/understand/formats.md. The format "auto" starts as csr and can switch to a faster format,
 * see gsolve_matrix_adapt. The entries of csr may be in any order within a row; duplicates are
 * summed.
 *
 * A matrix csr on the device is checked and copied there. The library copies it to the host only if
 * the columns of some row do not ascend strictly, or if a later call needs the rows on the host.
 * These calls are: a solver with method "auto", "direct" or "refine" with type=f32,
 * gsolve_solver_explain, gsolve_matrix_csr, and products with A' if the format cannot compute them.
 *
 * Fails with GSOLVE_BAD_MATRIX if the offsets decrease, a column is out of range, or a value is NaN
 * or infinite. Fails with GSOLVE_NO_MEMORY before any copy if the rows and their converted form
 * do not fit into the device's memory. */
gsolve_status gsolve_matrix_create(gsolve_matrix **A, gsolve_context *ctx, const char *spec,
                                   const gsolve_csr *csr);

/* Creates a matrix and takes ownership of csr's arrays instead of copying them. A function of the
 * library must have allocated the arrays in ctx, on the host or on the device. *csr is cleared. On
 * failure the caller keeps the arrays. The errors are those of gsolve_matrix_create. */
gsolve_status gsolve_matrix_create_owned(gsolve_matrix **A, gsolve_context *ctx, const char *spec,
                                         gsolve_csr *csr);

/* Frees the matrix. */
void gsolve_matrix_destroy(gsolve_matrix **A);

/* Replaces the values of A by those of csr. csr has the pattern that was given to
 * gsolve_matrix_create; the order of the entries and the duplicates are also the same. Fails with
 * GSOLVE_BAD_MATRIX if the pattern or the type differs; A is then unchanged. After GSOLVE_NO_MEMORY
 * or GSOLVE_DEVICE_FAILED the values of A are undefined until an update succeeds. */
gsolve_status gsolve_matrix_update(gsolve_matrix *A, const gsolve_csr *csr);

/* --- products ------------------------------------------------------------------- */

/* y = alpha A x + beta y. If beta is 0, y is not read. x and y may be column-major or row-major,
 * each on its own. Products with many row-major columns are the fastest, see
 * docs/understand/formats.md. If x and y are on the device, the call may return before the product
 * is complete; later calls in the context see the result. */
gsolve_status gsolve_matrix_apply(const gsolve_matrix *A, double alpha, gsolve_dense x, double beta,
                                  gsolve_dense y);

/* y = alpha A' x + beta y, with the rules of gsolve_matrix_apply. If the format has no product with
 * A', the first call converts A' into the same format and keeps it. */
gsolve_status gsolve_matrix_apply_transpose(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                            double beta, gsolve_dense y);

/* y = A x, and for each column c the inner products wy[c] = w_c'y_c and yy[c] = y_c'y_c. yy may be
 * NULL. w has the shape of y and may be x. All vectors are column-major. The arrays wy and yy have
 * the location of x. */
gsolve_status gsolve_matrix_apply_dot(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                                      gsolve_dense w, double *wy, double *yy);

/* Computes relative[c] = |b_c - A x_c| / |b_c| for each column c, or |A x_c| if b_c = 0. The
 * computation uses double precision and the rows of A instead of the converted form. b and x are
 * column-major and of any type. relative is on the host. */
gsolve_status gsolve_matrix_residual(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                     double *relative);

/* --- information ---------------------------------------------------------------- */

typedef struct gsolve_matrix_info {
    const char *format; /* the name of the format */
    char form[64];      /* spec of the format that multiplies now; differs from format for "auto" */
    int32_t nrows, ncols;
    gsolve_type type;
    int64_t entries;        /* entries of A */
    int64_t stored;         /* entries that the format stores, with its padding */
    size_t bytes;           /* bytes that one product y = A x reads and writes */
    double build_seconds;   /* time of the conversion in gsolve_matrix_create */
    double convert_seconds; /* time of later conversions by "auto" */
    uint64_t version;       /* 1 after the creation; each update adds 1 */
    int changes;            /* how often "auto" has switched the format */
    char note[200];         /* parameters that the format chose, or what "auto" did, or "" */
} gsolve_matrix_info;

/* Fills *info. */
void gsolve_matrix_describe(const gsolve_matrix *A, gsolve_matrix_info *info);

/* Estimates how many bytes a matrix made from csr would hold on the context's device. On the CPU
 * the number includes the rows. Nothing is built. csr is on the host. Fails with GSOLVE_UNSUPPORTED
 * if the format has no estimate, and with GSOLVE_BAD_MATRIX if csr is malformed. */
gsolve_status gsolve_matrix_memory(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                   size_t *bytes);

/* Fills *csr with a view of A's rows on the host. The columns of each row ascend, duplicates are
 * summed, and offsets have 32 bits if they fit. The view is valid until A is destroyed. If A was
 * created from rows on the device, the first call copies them to the host, and fails with
 * GSOLVE_NO_MEMORY if they do not fit there. */
gsolve_status gsolve_matrix_csr(const gsolve_matrix *A, gsolve_csr *csr);

/* Fills *csr with a view of A's rows in the memory that kernels of A's device read: the device's
 * memory for a GPU, else the host's. */
void gsolve_matrix_device_csr(const gsolve_matrix *A, gsolve_csr *csr);

/* --- products with vectors that stay on the host -------------------------------- */

/* Options of a streamed product. All members 0: the library chooses. */
typedef struct gsolve_stream_options {
    const char *format; /* for gsolve_csr_stream: the format of bands of rows; NULL: "csr" */
    size_t memory;      /* device memory for the chunks in bytes; 0: what is free */
    int32_t
        columns; /* columns in a chunk; 0: as many as fit into memory, in eight chunks or more */
    bool sequential; /* do not overlap copies and products; for comparisons */
} gsolve_stream_options;

typedef struct gsolve_stream_info {
    int32_t columns; /* columns in a chunk */
    int32_t chunks;  /* number of chunks of columns */
    int32_t bands;   /* number of bands of rows of A in each chunk; 1: A stayed on the device */
    size_t bytes;    /* device memory used for chunks and bands */
    double seconds;
} gsolve_stream_info;

/* y = alpha A x + beta y for x and y on the host that need not fit into the device's memory. The
 * call cuts x and y into chunks of columns. It copies one chunk to the device, multiplies another
 * one and copies a third one back at the same time. Copies are fastest if the memory of x and y is
 * page-locked (cudaHostAlloc, cudaHostRegister); otherwise they go through page-locked buffers. On
 * the CPU, or if x or y is on the device, the call is gsolve_matrix_apply. options and info may be
 * NULL. Fails with GSOLVE_NO_MEMORY if not even one column fits. */
gsolve_status gsolve_matrix_stream(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                   double beta, gsolve_dense y,
                                   const gsolve_stream_options *options, gsolve_stream_info *info);

/* y = alpha A x + beta y as gsolve_matrix_stream computes it, for a matrix csr on the host that
 * does not fit into the device's memory either. For each chunk of columns, the call copies bands of
 * rows to the device one after the other, converts each into options->format and multiplies. */
gsolve_status gsolve_csr_stream(gsolve_context *ctx, const gsolve_csr *csr, double alpha,
                                gsolve_dense x, double beta, gsolve_dense y,
                                const gsolve_stream_options *options, gsolve_stream_info *info);

/* --- formats that adapt to a run ------------------------------------------------ */

/* An estimate of the products that a run computes with a matrix. A run is a solve, or a loop of the
 * caller's own. */
typedef struct gsolve_run_estimate {
    int64_t made;     /* products that this run has computed so far; 0 starts a run */
    double remaining; /* expected number of further products; negative: unknown */
    double most;      /* upper bound of the number of further products */
    int32_t columns;  /* columns in each product */
    bool ended;       /* the run is over: made is final */
} gsolve_run_estimate;

/* What gsolve_matrix_adapt did. */
typedef struct gsolve_adaptation {
    bool changed; /* the format has changed: later products have other bits */
    bool final;   /* the format will not change again in this run */
} gsolve_adaptation;

/* Lets a format change its stored form between two products, if the change pays for itself within
 * the run. Only "auto" does so, and only in this call. The call can take as long as many products.
 * Solvers call it during a run. A loop of the caller's own may call it too. adaptation may be NULL.
 * If the memory for another form is missing, the form stays and the call succeeds. */
gsolve_status gsolve_matrix_adapt(const gsolve_matrix *A, const gsolve_run_estimate *estimate,
                                  gsolve_adaptation *adaptation);

#ifdef __cplusplus
}
#endif
#endif
