/* gsolve_matrix.h: a sparse matrix in a storage format, or a function of the caller that computes
 * products with a matrix, and their products with vectors, y = A x.
 *
 * Rules for the vectors of a product, here called x and y: A is nrows x ncols, x has ncols elements
 * and y has nrows (x has nrows and y has ncols for a product with A'). Both have the value type of
 * A and the same number of columns, one or more, which are independent vectors. Each of them is on
 * the host or on the device. They must not overlap. A function that gets other vectors fails with
 * GSOLVE_BAD_ARGUMENT; overlap is not checked.
 */
#ifndef GSOLVE_MATRIX_H
#define GSOLVE_MATRIX_H

#include "gsolve_csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- create and update ---------------------------------------------------------- */

/* A matrix. It consists of its CSR copy (the matrix in CSR, with ascending columns and without
 * duplicates) and of its converted form (the matrix in a storage format). The library owns both.
 * Or it is an operator (gsolve_matrix_create_operator) and has neither of them. */
typedef struct gsolve_matrix gsolve_matrix;

/* Creates a matrix from csr, which it copies. `spec` names a storage format, see
 * docs/understand/formats.md. The format "auto" starts as "csr" and can switch to a faster format,
 * see gsolve_matrix_adapt. csr is on the host or on the device. Its entries may be in any order
 * within a row; duplicates are summed.
 *
 * If csr is on the device, the library checks and copies it there. It keeps a second copy on the
 * host only if the columns of some row of csr do not ascend strictly, or after a call that reads
 * the matrix on the host. These calls are: gsolve_matrix_csr; gsolve_matrix_update with a csr on
 * the host; gsolve_precond_create_from and gsolve_precond_update_from, except for kinds that work
 * on the device, such as "amg"; gsolve_solver_create with the method "direct" or "refine", or with
 * "lsqr" or "lsmr" and accept=singular; gsolve_solver_explain.
 *
 * Fails with GSOLVE_BAD_MATRIX if csr is malformed, with GSOLVE_UNSUPPORTED if the format cannot
 * store the matrix, and with GSOLVE_NO_MEMORY. On a GPU the latter happens before anything is
 * copied to the device, if the CSR copy and the converted form are estimated not to fit into its
 * free memory. */
GSOLVE_API gsolve_status gsolve_matrix_create(gsolve_matrix **A, gsolve_context *ctx,
                                              const char *spec, const gsolve_csr *csr);

/* Creates a matrix that takes ownership of the arrays of csr instead of copying them. The arrays
 * must have been allocated in ctx by a function of the library, such as gsolve_alloc or
 * gsolve_read_matrix, on the host or on the device. All members of *csr are set to 0. After a
 * failure *csr is unchanged and the caller keeps the arrays. The errors are those of
 * gsolve_matrix_create. */
GSOLVE_API gsolve_status gsolve_matrix_create_owned(gsolve_matrix **A, gsolve_context *ctx,
                                                    const char *spec, gsolve_csr *csr);

/* gsolve_matrix_create_owned for a csr on the host that was inspected before: by
 * gsolve_csr_inspect, or by the run that wrote the cache from which gsolve_read_matrix read csr
 * (gsolve_source). The rows are not read again to check them or to compute their statistics. If
 * `inspection` is not clean, this is gsolve_matrix_create_owned. Fails with GSOLVE_BAD_ARGUMENT if
 * `inspection` belongs to a matrix with other sizes. If it belongs to another matrix with these
 * sizes, the behaviour is undefined. */
GSOLVE_API gsolve_status gsolve_matrix_create_inspected(gsolve_matrix **A, gsolve_context *ctx,
                                                        const char *spec, gsolve_csr *csr,
                                                        const gsolve_inspection *inspection);

/* Creates a matrix from dense blocks, which it copies. The block columns of B must ascend strictly
 * in each block row. B is on the host or on the device. Each number of a block is an entry of the
 * matrix, even if it is 0.
 *
 * Square blocks of 2 x 2 to 8 x 8 in the formats "bsr" and "auto" are stored as blocks, in the
 * form "bsr": they are not converted to CSR first. Then A has no CSR copy at first. The first
 * call that reads the CSR copy makes it, on the device, from the blocks; it takes 12 bytes for each
 * number of type double, and 8 for float, where the blocks take 8 or 4 and the block columns.
 * Products with A do not read the CSR copy. gsolve_solver_create does, since the true residual is
 * computed from it, and so do gsolve_matrix_residual, gsolve_matrix_apply_transpose,
 * gsolve_matrix_csr, gsolve_matrix_device_csr, gsolve_matrix_statistics, gsolve_matrix_update and
 * the functions gsolve_precond_..._from. Other blocks and other formats are converted to CSR at
 * once, as gsolve_blocked_to_csr does.
 *
 * gsolve_precond_create_from with the kind "amg" takes the size of square blocks as its number of
 * unknowns per node, unless its option `block` gives another number.
 *
 * Fails with GSOLVE_BAD_MATRIX if B is malformed, if block columns do not ascend strictly, or if a
 * number is not finite; with GSOLVE_BAD_ARGUMENT if the option `block` of "bsr" is not the size of
 * the blocks; with GSOLVE_UNSUPPORTED if A would have 2^31 or more rows or columns; and with the
 * other errors of gsolve_matrix_create. */
GSOLVE_API gsolve_status gsolve_matrix_create_blocks(gsolve_matrix **A, gsolve_context *ctx,
                                                     const char *spec, const gsolve_blocked *B);

/* Frees the matrix. */
GSOLVE_API void gsolve_matrix_destroy(gsolve_matrix **A);

/* Replaces the values of A by those of csr, and updates the converted form. csr must have exactly
 * the pattern from which A was created, with the same order of the entries and the same duplicates.
 * It may be on the host or on the device, independently of where the first csr was. Fails with
 * GSOLVE_BAD_MATRIX if the pattern or the type differs, or if a value is not finite; A is then
 * unchanged. Fails with GSOLVE_UNSUPPORTED if A is an operator. After GSOLVE_NO_MEMORY or
 * GSOLVE_DEVICE_FAILED the values of A are undefined until an update succeeds.
 */
GSOLVE_API gsolve_status gsolve_matrix_update(gsolve_matrix *A, const gsolve_csr *csr);

/* Replaces the values of A by those of B, and updates the converted form. The blocks of B must have
 * the size, the type and the pattern of those from which gsolve_matrix_create_blocks made A; each
 * may be row-major or column-major, and on the host or on the device. On the CPU a matrix that is
 * stored as blocks is updated without an allocation. If A was created from CSR, or is not stored as
 * blocks, the call converts B to CSR and does what gsolve_matrix_update does. The errors are those
 * of gsolve_matrix_update. */
GSOLVE_API gsolve_status gsolve_matrix_update_blocks(gsolve_matrix *A, const gsolve_blocked *B);

/* Replaces the values of A by the sums that gsolve_assembly_set_values computes, and updates the
 * converted form. The sums are written to A directly; the matrix of the plan keeps its values.
 * `plan` belongs to the context of A, and A must have the pattern and the type of its matrix. The
 * first call for A and this plan compares the patterns; the next ones do not. With values on the
 * device and a format that reads the CSR copy, such as "csr", a call allocates nothing.
 *
 * Fails with GSOLVE_BAD_MATRIX if the pattern or the type differs; A is then unchanged. Fails with
 * GSOLVE_BAD_MATRIX if a sum is not finite; the sentence of gsolve_error names its row and column.
 * After this failure, GSOLVE_NO_MEMORY or GSOLVE_DEVICE_FAILED the values of A are undefined until
 * an update succeeds. Fails with GSOLVE_UNSUPPORTED if A is an operator. */
GSOLVE_API gsolve_status gsolve_matrix_update_assembled(gsolve_matrix *A, gsolve_assembly *plan,
                                                        const void *value,
                                                        gsolve_location location);

/* --- null spaces ---------------------------------------------------------------- */

/* A null space of a singular matrix: the vectors v with A v = 0 (right) or A'v = 0 (left). It is
 * spanned by the constant vector, whose elements are all 1, if `constants` is true, and by the
 * columns of `vectors`. The columns need not be orthogonal. They are column-major, of any type, on
 * the host or on the device, each with as many rows as A; ncols = 0: there are none. */
typedef struct gsolve_null_space {
    bool constants;       /* takes no memory */
    gsolve_dense vectors; /* the library copies them */
} gsolve_null_space;

/* Tells the library that the square matrix A is singular, and replaces an earlier null space. If
 * `left` is NULL, it is the same as `right`, as for a symmetric A. If `right` is NULL, too, A has
 * no null space any more. Solvers use the null space from their next run on, and updates keep it.
 *
 * Let L be an orthonormal basis of the left null space and P = I - L L'. b is in the range of A if
 * P b = b. All methods except "direct" then solve A x = P b, and x is the solution without a
 * component in the right null space, which is removed from the initial guess, too. If b is in the
 * range of A, x solves A x = b. Otherwise no x does; x minimises |b - A x|, and the outcome is
 * GSOLVE_LEAST_SQUARES (see gsolve_solver.h). "direct" fails with GSOLVE_UNSUPPORTED.
 *
 * A run removes the left null space from b once, and the right one after each application of the
 * preconditioner M: it uses M^-1 without its component there, as KSP of PETSc does. This reads the
 * vector twice and writes it once for constants. The library keeps orthonormal copies of `vectors`
 * in double precision; each solver holds a copy of b in double precision.
 *
 * Fails with GSOLVE_BAD_ARGUMENT if A is not square, if the vectors are linearly dependent, if the
 * dimensions of left and right differ, or if a vector v is not in the null space: |A v| > 1e-8 |A|
 * |v| for A in double precision, 1e-5 in single precision, where |A| is the size of A that a
 * product with a random vector shows. |A'v| is estimated by this product. The check is repeated by
 * the first run after an update of A, which then fails. After a failure A keeps its earlier null
 * space.
 *
 * If A is distributed over ranks, `vectors` hold the elements of this rank, and all ranks call the
 * function. */
GSOLVE_API gsolve_status gsolve_matrix_set_null_space(gsolve_matrix *A,
                                                      const gsolve_null_space *right,
                                                      const gsolve_null_space *left);

/* --- products ------------------------------------------------------------------- */

/* Computes y = alpha A x + beta y. If beta is 0, y is not read and may be uninitialised. x and y
 * may be column-major or row-major, independently of each other. With many columns, products are
 * fastest if both are row-major, see docs/understand/formats.md. If y is on the device, the call
 * may return before the product is complete (see "Asynchronous work" in gsolve.h). */
GSOLVE_API gsolve_status gsolve_matrix_apply(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                             double beta, gsolve_dense y);

/* Computes y = alpha A' x + beta y, with the rules of gsolve_matrix_apply. If the format has no
 * product with A', the first call converts A' to the same format and keeps it. */
GSOLVE_API gsolve_status gsolve_matrix_apply_transpose(const gsolve_matrix *A, double alpha,
                                                       gsolve_dense x, double beta, gsolve_dense y);

/* Computes y = A x, and the inner products wy[c] = w_c'y_c and yy[c] = y_c'y_c for each column c. w
 * has the shape and the type of y; it may be x, but not y. x, y and w are column-major. wy and yy
 * are arrays of one double for each column, at the location of x. yy may be NULL. */
GSOLVE_API gsolve_status gsolve_matrix_apply_dot(const gsolve_matrix *A, gsolve_dense x,
                                                 gsolve_dense y, gsolve_dense w, double *wy,
                                                 double *yy);

/* Computes relative_residual[c] = |b_c - A x_c| / |b_c| for each column c, or the absolute norm |A
 * x_c| if b_c = 0. The computation uses double precision and the CSR copy of A, not its converted
 * form; for an operator see gsolve_matrix_create_operator. If rounding errors of more than 2^-40
 * |b_c| may exceed the residual, it is computed again in doubled precision on the host, which then
 * keeps a copy of the rows. b has the shape of y in gsolve_matrix_apply. b and x are in any layout,
 * on the host or on the device, and of any type. `relative_residual` is an array of one double for
 * each column on the host. After a failure it can be set for some columns. */
GSOLVE_API gsolve_status gsolve_matrix_residual(const gsolve_matrix *A, gsolve_dense b,
                                                gsolve_dense x, double *relative_residual);

/* --- matrix-free operators ------------------------------------------------------ */

/* A function of the caller that computes y = L x, where L is a linear map: a matrix A, its
 * transpose, or the inverse of a preconditioner. It must write every element of y; on entry y is
 * uninitialised. It must not write to x. x and y are column-major and do not overlap. Both have the
 * type of the operator, and one column, or the same number of columns if the flag
 * GSOLVE_FUNCTION_COLUMNS is set. Both are on the device if ctx is on a GPU (location
 * GSOLVE_DEVICE), else on the host. `user` is the pointer of the call that created the operator.
 * The function returns GSOLVE_OK. Otherwise the call that needed the product fails with this
 * status, and with the sentence that the function gave to gsolve_fail (gsolve_plugin.h).
 *
 * The function runs on the thread that called the library. It may apply other matrices and
 * preconditioners of ctx; on a GPU it must not call gsolve_solver_run for a solver of ctx.
 *
 * On a GPU the function enqueues its kernels on the stream gsolve_stream(ctx) (gsolve_plugin.h),
 * and may return before they have ended. A solver calls it one by one in its first iterations, and
 * then captures its iterations in a CUDA graph, which it launches repeatedly: the function is not
 * called for these iterations. So it must not wait for the stream, use another stream, read results
 * on the host, or pass arguments to its kernels that change from one call to the next, except
 * x.value and y.value. It may allocate memory on the GPU in its first call for a number of columns,
 * and not in later ones. A function that cannot obey these rules needs the flag
 * GSOLVE_FUNCTION_NO_CAPTURE. If the capture fails, for example because the function waited, the
 * solver calls the function in every iteration.
 *
 * The function is also called after a column has converged, with the same x, until the host has
 * read that all columns have. */
typedef gsolve_status gsolve_apply_function(gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                                            void *user);

/* What the library may assume of a function of the caller. The flags can be combined. */
typedef enum gsolve_function_flag {
    GSOLVE_FUNCTION_COLUMNS = 1,   /* it computes all columns of y in one call; without this flag it
                                      is called for one column after the other */
    GSOLVE_FUNCTION_SYMMETRIC = 2, /* L is symmetric. If apply_transpose is NULL, the library calls
                                      apply instead, and the method "auto" chooses "minres" */
    GSOLVE_FUNCTION_DEFINITE = 4,  /* only for an operator: as GSOLVE_FUNCTION_SYMMETRIC, and L is
                                      positive definite, so the method "auto" chooses "cg" */
    GSOLVE_FUNCTION_VARIABLE = 8, /* only for a preconditioner: L differs from one call to the next,
                                     see gsolve_precond_is_variable */
    GSOLVE_FUNCTION_NO_CAPTURE = 16 /* the function must not be called while a CUDA graph is
                                       captured. Solvers then launch their kernels one by one, which
                                       is slower for small systems. It has no effect on the CPU */
} gsolve_function_flag;

/* Creates an operator: a matrix of nrows x ncols with values of this type, of which the library
 * knows products only. apply computes y = A x. apply_transpose computes y = A' x and may be NULL;
 * calls that need A' then fail with GSOLVE_UNSUPPORTED. The library keeps both pointers and `user`
 * until the operator is destroyed. gsolve_matrix_info.format is "operator".
 *
 * All functions of this header that compute products, and all methods except "direct", take an
 * operator. alpha, beta, other layouts and vectors at other locations are the library's work. So
 * are residuals: |b - A x| is computed by the function, in the type of the operator, and the
 * subtraction and the norm in double precision. For an operator of type GSOLVE_F32 the residual, on
 * which "converged" rests, has the accuracy of single precision; the note of the solver says so.
 *
 * These fail with GSOLVE_UNSUPPORTED, because they need the rows of A: gsolve_matrix_csr,
 * gsolve_matrix_statistics, gsolve_matrix_update, the method "direct", and
 * gsolve_precond_create_from and gsolve_precond_update_from, except for the kind "none".
 * gsolve_matrix_device_csr gives a view whose arrays are NULL. The method "refine" runs its inner
 * method in the type of A. The method "auto" chooses "lsmr" if A is not square, else by the flags
 * (gsolve_matrix_set_flags), else "gmres", and no preconditioner. A preconditioner comes from an
 * approximate matrix (gsolve_precond_create), from the diagonal (gsolve_precond_create_chebyshev)
 * or from a function (gsolve_precond_create_function). */
GSOLVE_API gsolve_status gsolve_matrix_create_operator(
    gsolve_matrix **A, gsolve_context *ctx, int32_t nrows, int32_t ncols, gsolve_type type,
    gsolve_apply_function *apply, gsolve_apply_function *apply_transpose, void *user);

/* Tells the library that the function of the operator A computes products with another matrix of
 * the same shape from now on, and gives it another pointer `user`, which may be the same. Solvers
 * then capture their graphs again. Call it after each change of data that the function uses,
 * because kernel arguments are part of a captured graph. Fails with GSOLVE_UNSUPPORTED if A has
 * rows. */
GSOLVE_API gsolve_status gsolve_matrix_update_operator(gsolve_matrix *A, void *user);

/* Sets the flags of the operator A, a combination of gsolve_function_flag. They are 0 at first.
 * Fails with GSOLVE_UNSUPPORTED if A has rows, and with GSOLVE_BAD_ARGUMENT for flags that are
 * unknown or do not suit A, such as GSOLVE_FUNCTION_SYMMETRIC if A is not square. */
GSOLVE_API gsolve_status gsolve_matrix_set_flags(gsolve_matrix *A, unsigned flags);

/* --- information ---------------------------------------------------------------- */

/* Numbers and names of a matrix. `format` is valid as long as the context. */
typedef struct gsolve_matrix_info {
    size_t size;        /* set by GSOLVE_INIT */
    const char *format; /* the name of the format */
    char form[64];      /* spec of the format of the converted form in use. It can differ from
                           `format` for "auto" and for registered formats */
    int32_t nrows, ncols;
    gsolve_type type;
    int64_t entries;        /* entries of A, after duplicates are summed; 0 for an operator */
    int64_t stored;         /* values that the converted form stores: entries and padding */
    size_t bytes;           /* bytes that one product y = A x with one column reads and writes, if
                               it reads x once; for an operator those of x and y */
    double build_seconds;   /* time of the conversion in gsolve_matrix_create */
    double convert_seconds; /* time of later conversions in gsolve_matrix_adapt */
    uint64_t version;       /* 1 after the creation; each update adds 1 */
    int changes;            /* number of times that gsolve_matrix_adapt has changed the form */
    char note[200];         /* parameters that the format chose, or what "auto" did, or "" */
    int32_t null_space;     /* dimension of the null space of gsolve_matrix_set_null_space, or 0 */
    int64_t total_rows;    /* of a matrix that is distributed over ranks: rows and entries of all */
    int64_t total_entries; /* ranks, where nrows, ncols and entries are those of this rank; else the
                              same as those */
} gsolve_matrix_info;

/* Sets all members of *info. */
GSOLVE_API void gsolve_matrix_describe(const gsolve_matrix *A, gsolve_matrix_info *info);

/* Estimates the number of bytes of the CSR copy and of the converted form that
 * gsolve_matrix_create(spec, csr) would allocate in the memory of the context's device, the GPU or
 * the host. Nothing is built. csr is on the host, else the call fails with GSOLVE_BAD_ARGUMENT.
 * Fails with GSOLVE_UNSUPPORTED if the format has no estimate, and with GSOLVE_BAD_MATRIX if csr is
 * malformed. */
GSOLVE_API gsolve_status gsolve_matrix_memory(gsolve_context *ctx, const char *spec,
                                              const gsolve_csr *csr, size_t *bytes);

/* Fills *csr with a view of A's CSR copy on the host. The offsets have 32 bits if the number of
 * entries is below 2^31. The view is read-only and valid until A is destroyed; an update of A
 * changes its values. If A was created from a csr on the device, the first call copies the matrix
 * to the host. Fails with GSOLVE_UNSUPPORTED if A is an operator. */
GSOLVE_API gsolve_status gsolve_matrix_csr(const gsolve_matrix *A, gsolve_csr *csr);

/* Computes the statistics of A, see gsolve_csr_statistics. The first call after the creation or an
 * update of A computes them, and the handle keeps them for later calls. Fails with
 * GSOLVE_UNSUPPORTED if A is an operator. */
GSOLVE_API gsolve_status gsolve_matrix_statistics(const gsolve_matrix *A,
                                                  gsolve_statistics *statistics);

/* Fills *csr with a view of A's CSR copy in the memory that kernels of A's device read: on a GPU
 * csr->location is GSOLVE_DEVICE, on the CPU it is GSOLVE_HOST. The view is read-only and valid
 * until A is destroyed. For an operator its arrays are NULL. If A was created from blocks, the
 * first call can make the CSR copy; if the memory for it is short, all members of *csr are set to
 * 0. */
GSOLVE_API void gsolve_matrix_device_csr(const gsolve_matrix *A, gsolve_csr *csr);

/* --- products with vectors that stay on the host -------------------------------- */

/* Options of a chunked product (gsolve_matrix_stream, gsolve_csr_stream). A chunk is a number of
 * consecutive columns of x and y, and a band is a number of consecutive rows of A, that are on the
 * device at the same time. Set all members to 0 for the defaults. */
typedef struct gsolve_stream_options {
    const char *format; /* for gsolve_csr_stream: spec of the format of a band; NULL: "csr" */
    size_t memory;   /* device memory that the product may use, in bytes; 0: 80 % of what is free */
    int32_t columns; /* columns in a chunk. 0: gsolve_matrix_stream takes the number that gives 8 to
                        32 chunks in most cases, or a smaller number if only that fits into
                        `memory`; gsolve_csr_stream takes as many as fit into half of `memory` */
    bool sequential; /* true: wait for each copy and each product before the next one begins. It
                        shows how much time the overlap saves */
} gsolve_stream_options;

/* What a chunked product did. */
typedef struct gsolve_stream_info {
    size_t size;     /* set by GSOLVE_INIT */
    int32_t columns; /* columns in a chunk */
    int32_t chunks;  /* number of chunks */
    int32_t bands;   /* number of bands of rows into which A was cut; 1: all rows of A were on the
                        device at once */
    size_t bytes;    /* device memory for chunks and bands, for bands estimated; 0 on the CPU */
    double seconds;  /* time of the call */
} gsolve_stream_info;

/* Computes y = alpha A x + beta y for x and y on the host that need not fit into the memory of the
 * GPU. The call cuts the columns of x and y into chunks. At the same time it copies one chunk to
 * the device, multiplies another one and copies a third one back. Copies are fastest if the memory
 * of x and y is page-locked (cudaHostAlloc, cudaHostRegister); otherwise they pass through
 * page-locked buffers of the library. The word "stream" in the name has nothing to do with CUDA
 * streams.
 *
 * On the CPU, or if x or y is on the device, the call does what gsolve_matrix_apply does. `options`
 * and `info` may be NULL. Fails with GSOLVE_NO_MEMORY if not even one column fits, or not the
 * number of columns that `options` asks for. */
GSOLVE_API gsolve_status gsolve_matrix_stream(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                              double beta, gsolve_dense y,
                                              const gsolve_stream_options *options,
                                              gsolve_stream_info *info);

/* Computes y = alpha A x + beta y as gsolve_matrix_stream does, for a matrix A = csr that need not
 * fit into the memory of the GPU either. For each chunk of columns, the call copies one band of
 * rows after the other to the device, converts it to the format options->format and multiplies.
 * csr, x and y must be on the host, else the call fails with GSOLVE_BAD_ARGUMENT. On the CPU it
 * creates a matrix, multiplies and destroys the matrix. Fails with GSOLVE_BAD_MATRIX if csr is
 * malformed. */
GSOLVE_API gsolve_status gsolve_csr_stream(gsolve_context *ctx, const gsolve_csr *csr, double alpha,
                                           gsolve_dense x, double beta, gsolve_dense y,
                                           const gsolve_stream_options *options,
                                           gsolve_stream_info *info);

/* --- the format "auto" adapts to a run ------------------------------------------ */

/* An estimate of the number of products that a run computes with a matrix. A run is one call of
 * gsolve_solver_run, or a loop of the caller with products. A product with several columns counts
 * once. */
typedef struct gsolve_run_estimate {
    int64_t made;     /* number of products that this run has computed so far */
    double remaining; /* expected number of further products; negative: unknown */
    double most;      /* upper bound of the number of further products; INFINITY if unknown */
    int32_t columns;  /* columns in each product */
    bool ended;       /* true: the run has ended, and `made` is its total. The next call with false
                         belongs to a new run */
} gsolve_run_estimate;

/* What gsolve_matrix_adapt did. */
typedef struct gsolve_adaptation {
    bool changed; /* the format has changed: the last bits of later products can differ from those
                     before */
    bool final;   /* the format will not change again in this run, so more calls are useless */
} gsolve_adaptation;

/* Lets the format "auto" change the converted form between two products. No other format does so,
 * and "auto" does so only in this call. It changes the form if the time that faster products are
 * expected to save in the run is more than the time of the conversion. The call can take as long as
 * many products. Solvers call it during a run; a loop of the caller may call it, too. A is const
 * because the matrix itself does not change. `adaptation` may be NULL. If the memory for another
 * form does not suffice, the form stays and the call succeeds. */
GSOLVE_API gsolve_status gsolve_matrix_adapt(const gsolve_matrix *A,
                                             const gsolve_run_estimate *estimate,
                                             gsolve_adaptation *adaptation);

#ifdef __cplusplus
}
#endif
#endif
