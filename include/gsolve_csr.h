/* gsolve_csr.h: operations on sparse matrices in CSR:
 *
 *     statistics            gsolve_csr_statistics, gsolve_csr_inspect
 *     transpose, new type   gsolve_csr_transpose, gsolve_csr_convert
 *     from another library  gsolve_csr_import
 *     from triplets         gsolve_assembly, whose values can be recomputed
 *     C = A B               gsolve_csr_multiply; gsolve_product, whose values can be recomputed
 *     C = R A P             gsolve_galerkin, whose values can be recomputed
 *     dense blocks (BSR)    gsolve_blocked
 *
 * A function that sets a gsolve_csr or a gsolve_blocked allocates its arrays in the context, and
 * the caller frees them with gsolve_csr_free or gsolve_blocked_free. The exceptions are
 * gsolve_assembly_csr, gsolve_product_csr and gsolve_galerkin_csr, which return views. Every
 * function that gets a matrix checks it and fails with GSOLVE_BAD_MATRIX if it is malformed (see
 * gsolve_csr). Entries may be in any order within a row, and duplicates are summed, unless the
 * function says otherwise.
 */
#ifndef GSOLVE_CSR_H
#define GSOLVE_CSR_H

#include "gsolve_arrays.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- statistics of a matrix ----------------------------------------------------- */

/* Statistics of the pattern and of the values of a matrix, after duplicates are summed. The
 * automatic choices, the command "gsolve info" and gsolve_solver_explain use them.
 *
 * tol is 1e-12 for GSOLVE_F64 and 1e-6 for GSOLVE_F32. off_i is the sum of |a_ij| over all j other
 * than i. m_i is the largest |a_ij| of row i. A diagonal entry is a_ii with i below nrows and
 * ncols. */
typedef struct gsolve_statistics {
    size_t size; /* set by GSOLVE_INIT */
    int32_t nrows, ncols;
    int64_t entries;
    bool symmetric_pattern;      /* a_ij is stored if and only if a_ji is; false if not square */
    bool symmetric;              /* symmetric_pattern, and for all i and j: |a_ij - a_ji| <=
                                    tol (max(|a_ij|, |a_ji|) + 0.01 sqrt(|a_ii a_jj|)) */
    bool skew;                   /* symmetric_pattern, at least one entry, a zero diagonal,
                                    and this bound for |a_ij + a_ji| */
    bool symmetric_rest;         /* symmetric, or the nonzero entries are after the removal of the
                                    rows whose only nonzero entry is on the diagonal, and of the
                                    columns of these rows: Dirichlet conditions, where the rows
                                    were replaced and the columns kept. Of a matrix that is
                                    distributed over ranks: symmetric */
    int32_t empty_rows;          /* number of rows without entries */
    int32_t first_empty_row;     /* index of the first of these rows, or -1 if there is none */
    int32_t empty_cols;          /* number of columns without entries */
    int32_t zero_diagonals;      /* number of diagonal entries that are 0 or not stored */
    int32_t first_zero_diagonal; /* row of the first of these, or -1 if there is none */
    int32_t negative_diagonals;  /* number of diagonal entries below 0 */
    int32_t shortest_row;        /* number of entries of the shortest row */
    int32_t longest_row;         /* number of entries of the longest row */
    int32_t bandwidth;           /* largest |i - j| of an entry a_ij */
    int32_t block;               /* largest b from 2 to 8 such that the pattern consists of dense
                                    b x b blocks whose corners are at multiples of b; else 1. It is
                                    the number of unknowns of a node in many systems of PDEs */
    int32_t dominant_rows;       /* number of rows with |a_ii| > 0, |a_ii| >= (1 - 1e-14) off_i */
    int32_t zero_sum_rows;       /* number of rows of two or more entries with |sum of a_ij| <=
                                    1e-12 (sum of |a_ij|) */
    int64_t positive_off;        /* number of off-diagonal entries with a_ij > 0, a_ij >= tol m_i */
    double mean_row;             /* entries / nrows */
    double deviation_row;        /* standard deviation of the number of entries of a row */
    double dominance;            /* smallest |a_ii| / off_i of the rows with off_i > 0; infinite if
                                    there is no such row */
    double spread;               /* largest |a_ii| / smallest nonzero |a_ii|; 0 if all are 0 */
    double mean_dominance;       /* mean of min(1, |a_ii| / off_i) over all rows; a row counts as 0
                                    if a_ii = 0, else as 1 if off_i = 0 */
    double scaling;              /* largest m_i / smallest nonzero m_i; 0 if all are 0 */
    double least, largest;       /* smallest nonzero and largest |a_ij|; 0 if all are 0 */
    int64_t length[32];          /* histogram of row lengths. length[0]: number of empty rows;
                                    length[k]: number of rows with 2^(k-1) to 2^k - 1 entries */
} gsolve_statistics;

/* Computes the statistics of csr. The call takes as long as about five products y = A x. For a
 * matrix handle use gsolve_matrix_statistics. If csr is on the device, the statistics are computed
 * there and have the same bits, unless the columns of some row do not ascend strictly. */
GSOLVE_API gsolve_status gsolve_csr_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                               gsolve_statistics *statistics);

/* What an inspection of a matrix found. A function that takes one does not read the matrix again to
 * find it. */
typedef struct gsolve_inspection {
    size_t size;      /* set by GSOLVE_INIT */
    bool clean;       /* the rows are valid, their columns ascend strictly, and the offsets have
                         32 bits if they fit */
    uint64_t pattern; /* hash of the sizes, offsets and columns */
    gsolve_statistics statistics;
} gsolve_inspection;

/* Checks csr, which is on the host or on the device, as gsolve_matrix_create does, and computes its
 * statistics. `pattern` is 0 if csr is not clean. Fails with GSOLVE_BAD_MATRIX
 * if csr is malformed. */
GSOLVE_API gsolve_status gsolve_csr_inspect(gsolve_context *ctx, const gsolve_csr *csr,
                                            gsolve_inspection *inspection);

/* --- transpose and conversion --------------------------------------------------- */

/* Computes C = A'. The columns of each row of C ascend; duplicates of A stay duplicates. A and C
 * are on the host. Fails with GSOLVE_UNSUPPORTED if A is on the device. */
GSOLVE_API gsolve_status gsolve_csr_transpose(gsolve_csr *C, gsolve_context *ctx,
                                              const gsolve_csr *A);

/* Copies A to B with values of another type. The order of the entries and duplicates stay. A and B
 * are on the host. Fails with GSOLVE_BAD_MATRIX if float cannot hold a value: the value would
 * become infinite, or a nonzero value would become 0. Fails with GSOLVE_UNSUPPORTED if A is on the
 * device. */
GSOLVE_API gsolve_status gsolve_csr_convert(gsolve_csr *B, gsolve_context *ctx, gsolve_type type,
                                            const gsolve_csr *A);

/* --- matrices of other libraries ------------------------------------------------ */

/* The type of row or column numbers: int32_t or int64_t. */
typedef enum gsolve_index { GSOLVE_I32, GSOLVE_I64 } gsolve_index;

/* Which entries of a matrix are given: all, or those of one triangle and the diagonal of a
 * symmetric matrix. */
typedef enum gsolve_part { GSOLVE_FULL, GSOLVE_LOWER, GSOLVE_UPPER } gsolve_part;

/* A sparse matrix on the host in the layout of another library: compressed rows (CSR) or compressed
 * columns (CSC), with numbers from 0 or from 1. In these comments a line is a row of CSR or a
 * column of CSC. The entries of line i have the positions start[i] - base to start[i + 1] - base -
 * 1 in the arrays `index` and `value`. A member that is 0 means: CSR, all entries, numbers from 0,
 * GSOLVE_O32, GSOLVE_I32, GSOLVE_F32. */
typedef struct gsolve_foreign {
    int64_t nrows, ncols;    /* numbers of rows and of columns, 0 or more, below 2^31 */
    const void *start;       /* offsets, one more than lines; the first is `base` */
    const void *index;       /* of each entry: its column in CSR, its row in CSC, counted from
                                `base` on */
    const void *value;       /* the value of each entry */
    gsolve_offset offset;    /* type of the elements of start */
    gsolve_index index_type; /* type of the elements of index */
    gsolve_type type;        /* type of the elements of value */
    int base;                /* 0 or 1 */
    bool csc;                /* true: CSC; false: CSR */
    gsolve_part part;        /* GSOLVE_LOWER, GSOLVE_UPPER: for each entry below or above the
                                diagonal its mirror image is an entry, too */
} gsolve_foreign;

/* Copies a matrix of another library to csr, in rows with strictly ascending columns; duplicates
 * are summed. csr is on the host, in 32-bit offsets if its number of entries is below 2^31; free it
 * with gsolve_csr_free. The arrays of `from` remain the caller's. To use arrays of a GPU, copy them
 * to the host first.
 *
 * Every number is checked. Fails with GSOLVE_BAD_MATRIX if offsets decrease or do not begin at
 * `base`, if an index is out of range or lies in the triangle that `part` excludes, if a value is
 * not finite, or if `part` is not GSOLVE_FULL and the matrix is not square; with GSOLVE_UNSUPPORTED
 * if there are 2^31 or more rows or columns; with GSOLVE_BAD_ARGUMENT if another member is out of
 * range. The sentence of gsolve_error names the line and the entry, counted from `base` on. */
GSOLVE_API gsolve_status gsolve_csr_import(gsolve_csr *csr, gsolve_context *ctx,
                                           const gsolve_foreign *from);

/* Frees the three arrays of C, which a function of the library allocated in ctx, and sets all
 * members of *C to 0. Arrays that are NULL are allowed. */
GSOLVE_API void gsolve_csr_free(gsolve_csr *C, gsolve_context *ctx);

/* --- assembly from triplets ----------------------------------------------------- */

/* The positions of triplets (row, column, value) of a matrix, in any order. The entry a_ij is the
 * sum of the values of all triplets with row i and column j. A triplet whose row or column number
 * is negative is skipped: its value is not used. So rows and columns of unknowns that are known,
 * such as on a boundary, can get the number -1. A member that is 0 means: int32_t, numbers from 0,
 * all entries, on the host. */
typedef struct gsolve_triplets {
    int64_t nrows, ncols;     /* of the matrix, 0 or more, below 2^31 */
    int64_t count;            /* number of triplets, 0 or more */
    const void *row, *col;    /* of each triplet, counted from `base` on */
    gsolve_index index_type;  /* type of the elements of row and col */
    int base;                 /* 0 or 1 */
    gsolve_part part;         /* GSOLVE_LOWER, GSOLVE_UPPER: only triplets of this triangle and of
                                 the diagonal are given; each triplet off the diagonal is added to
                                 a_ij and to a_ji */
    gsolve_location location; /* of row and col */
} gsolve_triplets;

/* A plan that computes the values of a CSR matrix from the values of triplets, many times. It holds
 * the matrix where kernels of the device read it, and for each entry the numbers of its triplets:
 * 4 bytes for each triplet (8 for both halves of a symmetric matrix) and 4 bytes for each entry,
 * beside the matrix. */
typedef struct gsolve_assembly gsolve_assembly;

/* Numbers about an assembly. */
typedef struct gsolve_assembly_info {
    size_t size;          /* set by GSOLVE_INIT */
    int32_t nrows, ncols; /* of the matrix */
    gsolve_type type;     /* of its values */
    int64_t triplets;     /* number of triplets, with those that are skipped */
    int64_t skipped;      /* number of triplets with a negative row or column number */
    int64_t entries;      /* of the matrix */
    size_t bytes;         /* bytes that the handle holds */
    double seconds;       /* time of the creation */
} gsolve_assembly_info;

/* Sorts the positions of the triplets and creates the matrix with values of this type, which are 0
 * at first. row and col are on the host or on the device, and need not be kept; on a GPU the device
 * sorts them. The matrix has an entry for each position of a triplet. The columns of each row
 * ascend strictly.
 *
 * Fails with GSOLVE_BAD_MATRIX if a number is out of range or a triplet lies in the triangle that
 * `part` excludes; the sentence of gsolve_error names the first such triplet, counted from `base`
 * on. Fails with GSOLVE_BAD_MATRIX if `part` is not GSOLVE_FULL and the matrix is not square; with
 * GSOLVE_UNSUPPORTED if there are 2^31 or more rows or columns, or 2^32 or more triplets, where
 * `part` counts them twice; with GSOLVE_BAD_ARGUMENT if another member is out of range. */
GSOLVE_API gsolve_status gsolve_assembly_create(gsolve_assembly **plan, gsolve_context *ctx,
                                                gsolve_type type, const gsolve_triplets *triplets);

/* Frees the plan and its matrix. */
GSOLVE_API void gsolve_assembly_destroy(gsolve_assembly **plan);

/* Sets each entry of the matrix to the sum of the values of its triplets. `value` has as many
 * elements as there are triplets, of the type of the matrix, and is on the host or on the device.
 *
 * The values of an entry are added one after the other, in the order of the triplets and in the
 * type of the matrix. So the bits do not depend on the number of threads, and a GPU computes the
 * bits of a CPU. The values are not checked; functions that get the matrix check it.
 *
 * The call allocates nothing, with one exception: on a GPU the first call with values on the host
 * allocates memory of the device for them, which the plan keeps. On a GPU the call reads values on
 * the device after it has returned (see "Asynchronous work" in gsolve.h). */
GSOLVE_API gsolve_status gsolve_assembly_set_values(gsolve_assembly *plan, const void *value,
                                                    gsolve_location location);

/* Adds to each entry of the matrix the sum of the values of its triplets, which is computed first.
 * Otherwise it is as gsolve_assembly_set_values. */
GSOLVE_API gsolve_status gsolve_assembly_add_values(gsolve_assembly *plan, const void *value,
                                                    gsolve_location location);

/* Fills *csr with a view of the matrix in the memory that kernels of the device read: on a GPU
 * csr->location is GSOLVE_DEVICE, on the CPU it is GSOLVE_HOST. The view is read-only and valid
 * until the plan is destroyed; the two functions above change its values.
 *
 * gsolve_matrix_create copies it into a matrix handle. gsolve_matrix_update_assembled then adds
 * later values directly in this handle. */
GSOLVE_API gsolve_status gsolve_assembly_csr(const gsolve_assembly *plan, gsolve_csr *csr);

/* Sets all members of *info. */
GSOLVE_API void gsolve_assembly_describe(const gsolve_assembly *plan, gsolve_assembly_info *info);

/* --- products of two matrices --------------------------------------------------- */

/* Computes C = A B, where A is m x k, B is k x n and C is m x n. `spec` names a product method;
 * "auto" chooses one from the patterns of A and B. A and B must have the same value type and the
 * same location, else the call fails with GSOLVE_BAD_ARGUMENT. B may be A.
 *
 * C has the location of A and B. It has an entry c_ij wherever some a_ik and b_kj are entries, even
 * if the value of c_ij is 0. The bits of C are reproducible for all product methods except
 * "cusparse".
 *
 * Fails with GSOLVE_BAD_MATRIX if the number of columns of A is not that of the rows of B, and with
 * GSOLVE_UNSUPPORTED if the product method does not run on the device. */
GSOLVE_API gsolve_status gsolve_csr_multiply(gsolve_csr *C, gsolve_context *ctx, const char *spec,
                                             const gsolve_csr *A, const gsolve_csr *B);

/* A product C = A B whose values can be recomputed. The handle stores C, the patterns of A and B,
 * and a plan: what the product method keeps so that an update need not search the patterns. All of
 * these are where kernels of the device read them. If A and B were on the host and the device is a
 * GPU, gsolve_product_csr stores a copy of C on the host, too. */
typedef struct gsolve_product gsolve_product;

/* Numbers about a product, for gsolve_product_describe and gsolve_galerkin_describe. */
typedef struct gsolve_product_info {
    size_t size;           /* set by GSOLVE_INIT */
    const char *method;    /* product method in use; for "auto" the one that it chose. A constant
                              string */
    int32_t nrows, ncols;  /* of C */
    int64_t products;      /* number of multiplications a_ik b_kj */
    int64_t entries;       /* of C */
    double compression;    /* products / entries; 0 if C has no entries */
    int bands;             /* number of parts, each of consecutive rows of C, that were computed one
                              after the other to limit the temporary memory */
    size_t bytes;          /* bytes that the handle holds */
    size_t peak;           /* largest number of temporary bytes during the creation, without C */
    double seconds;        /* time of the creation, with the checks */
    double update_seconds; /* time of the last update; 0 if there was none */
} gsolve_product_info;

/* Computes C = A B and keeps what an update needs. The arguments and the errors are those of
 * gsolve_csr_multiply. */
GSOLVE_API gsolve_status gsolve_product_create(gsolve_product **product, gsolve_context *ctx,
                                               const char *spec, const gsolve_csr *A,
                                               const gsolve_csr *B);

/* Frees the product and its C. */
GSOLVE_API void gsolve_product_destroy(gsolve_product **product);

/* Recomputes C = A B from new values. A and B must have the patterns that they had at the creation,
 * after duplicates are summed. The order of their entries and their location may differ. The bits
 * are those of a new product, except for "cusparse". Fails with GSOLVE_BAD_MATRIX if a pattern or a
 * type differs; C is then unchanged. After GSOLVE_NO_MEMORY or GSOLVE_DEVICE_FAILED the values of C
 * are undefined until an update succeeds. */
GSOLVE_API gsolve_status gsolve_product_update(gsolve_product *product, const gsolve_csr *A,
                                               const gsolve_csr *B);

/* Fills *C with a view of the product, at the location that A and B had at the creation. The
 * handle owns the arrays. The view is valid until `product` is updated or destroyed; after an
 * update call this function again. */
GSOLVE_API gsolve_status gsolve_product_csr(gsolve_product *product, gsolve_csr *C);

/* Sets all members of *info. */
GSOLVE_API void gsolve_product_describe(const gsolve_product *product, gsolve_product_info *info);

/* --- Galerkin products ---------------------------------------------------------- */

/* A product C = R A P whose values can be recomputed: the coarse matrix of a multigrid method. A is
 * n x n, P (the prolongation) is n x m, R (the restriction) is m x n and C is m x m. */
typedef struct gsolve_galerkin gsolve_galerkin;

/* Computes C = R A P and keeps what an update needs. R may be NULL: then R = P', and an update with
 * a new P changes R, too. The matrices must have the same value type and the same location, else
 * the call fails with GSOLVE_BAD_ARGUMENT. `spec` and the other errors are those of
 * gsolve_csr_multiply; an A that is not square gives GSOLVE_BAD_MATRIX, too. */
GSOLVE_API gsolve_status gsolve_galerkin_create(gsolve_galerkin **G, gsolve_context *ctx,
                                                const char *spec, const gsolve_csr *R,
                                                const gsolve_csr *A, const gsolve_csr *P);

/* Frees the product and its C. */
GSOLVE_API void gsolve_galerkin_destroy(gsolve_galerkin **G);

/* Recomputes C from the values of A, and of R and P where they are not NULL. If P is NULL, P keeps
 * its values. If R is NULL, R keeps its values. If R was NULL at the creation, R must be NULL
 * here, and R = P' for the new P. The conditions and the errors are those of gsolve_product_update.
 */
GSOLVE_API gsolve_status gsolve_galerkin_update(gsolve_galerkin *G, const gsolve_csr *R,
                                                const gsolve_csr *A, const gsolve_csr *P);

/* Fills *C with a view of the product, as gsolve_product_csr does. */
GSOLVE_API gsolve_status gsolve_galerkin_csr(gsolve_galerkin *G, gsolve_csr *C);

/* Sets all members of *info. Usually C is computed by two multiplications, A P and then R times
 * this product: `products` is the sum of both, `peak` and `bands` are the larger of both values.
 *
 * With the spec "auto" a special kernel computes R A P and does not keep A P: on the CPU always, on
 * a GPU if the rows of R, A, A P and C are short enough. Then `method` is "at once", `bands` is 1,
 * and `products` counts all multiplications. */
GSOLVE_API void gsolve_galerkin_describe(const gsolve_galerkin *G, gsolve_product_info *info);

/* --- matrices of dense blocks --------------------------------------------------- */

/* A sparse matrix of dense blocks of height x width numbers, in block compressed sparse rows (BSR).
 * The array `value` holds the numbers of one block after the other. Number (r, c) of block k is
 *
 *     value[(k * height + r) * width + c]    row-major
 *     value[(k * width + c) * height + r]    column-major
 *
 * The functions of this section accept it, and gsolve_matrix_create_blocks and
 * gsolve_matrix_update_blocks of gsolve_matrix.h. Copying or dropping the struct neither copies nor
 * frees arrays. */
typedef struct gsolve_blocked {
    int32_t nrows, ncols;     /* number of block rows and of block columns */
    const void *start;        /* nrows + 1 offsets, counted in blocks; the first is 0 */
    const int32_t *col;       /* the block column of each block */
    const void *value;        /* height x width numbers for each block */
    gsolve_offset offset;     /* type of the elements of start */
    gsolve_type type;         /* type of the elements of value */
    gsolve_location location; /* of all three arrays */
    int32_t height, width;    /* of a block: 1 to 8 each */
    bool column_major;        /* of the numbers in a block; false: row-major, as in all blocks that
                                 the library returns */
} gsolve_blocked;

/* Returns a view of a square matrix of n x n blocks of size x size doubles on the host, row-major,
 * with 32-bit offsets. The arrays remain the caller's. */
static inline gsolve_blocked gsolve_blocked_view(int32_t n, int32_t size, const int32_t *start,
                                                 const int32_t *col, const double *value)
{
    gsolve_blocked B = {n,          n,           start, col,  value, GSOLVE_O32,
                        GSOLVE_F64, GSOLVE_HOST, size,  size, false};
    return B;
}

/* Converts A to B with blocks of height x width numbers, 1 to 8 each. B stores each block in which
 * A has an entry, and fills the rest of the block with 0. The block columns of B ascend strictly in
 * each row. B has the location of A. Fails with GSOLVE_BAD_MATRIX if the number of rows is not a
 * multiple of `height`, or the number of columns not a multiple of `width`. */
GSOLVE_API gsolve_status gsolve_blocked_from_csr(gsolve_blocked *B, gsolve_context *ctx,
                                                 int32_t height, int32_t width,
                                                 const gsolve_csr *A);

/* Converts B to A. Each number of a block becomes an entry, even if it is 0. A has the location of
 * B. Fails with GSOLVE_BAD_MATRIX if B is malformed or the block columns do not ascend strictly in
 * each row, and with GSOLVE_UNSUPPORTED if A would have 2^31 or more rows or columns. */
GSOLVE_API gsolve_status gsolve_blocked_to_csr(gsolve_csr *A, gsolve_context *ctx,
                                               const gsolve_blocked *B);

/* Computes C = A B, where A has r x s blocks, B has s x t blocks and C has r x t blocks. A and B
 * must have the same value type and the same location, else the call fails with
 * GSOLVE_BAD_ARGUMENT. C has this type and this location, too. The blocks of A and B must be
 * row-major, else the call fails with GSOLVE_UNSUPPORTED. The block columns of A
 * and B must ascend strictly in each row. `spec` is as for gsolve_csr_multiply. For blocks larger
 * than 1 x 1 only the product methods "esc" (expand, sort, compress) and "auto", which then means
 * "esc", work; others fail with GSOLVE_UNSUPPORTED. Fails with GSOLVE_BAD_MATRIX if A or B is
 * malformed or their shapes do not match. */
GSOLVE_API gsolve_status gsolve_blocked_multiply(gsolve_blocked *C, gsolve_context *ctx,
                                                 const char *spec, const gsolve_blocked *A,
                                                 const gsolve_blocked *B);

/* Frees the three arrays of B, which a function of the library allocated in ctx, and sets all
 * members of *B to 0. */
GSOLVE_API void gsolve_blocked_free(gsolve_blocked *B, gsolve_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
