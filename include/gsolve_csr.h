/* gsolve_csr.h: operations on sparse matrices in compressed rows: statistics, transpose, products
 * of two and of three matrices, and matrices of dense blocks.
 *
 * A function that returns a gsolve_csr here allocates its arrays in the context. Free them with
 * gsolve_csr_free. The library checks every matrix that it is given and fails with
 * GSOLVE_BAD_MATRIX if offsets decrease, a column is out of range, or a value is NaN or infinite.
 */
#ifndef GSOLVE_CSR_H
#define GSOLVE_CSR_H

#include "gsolve_arrays.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- statistics of a matrix ----------------------------------------------------- */

/* Statistics of the pattern and of the values of a matrix. The automatic choices, gsolve info and
 * gsolve_solver_explain use them. */
typedef struct gsolve_statistics {
    int32_t nrows, ncols;
    int64_t entries;
    bool symmetric_pattern;            /* a_ij is stored if a_ji is; false if not square */
    bool symmetric, skew;              /* A = A', A = -A' up to rounding; false if not square */
    int32_t empty_rows;                /* number of rows without entries */
    int32_t first_empty_row;           /* or -1 */
    int32_t empty_cols;                /* number of columns without entries */
    int32_t zero_diagonals;            /* number of diagonal entries that are 0 or not stored */
    int32_t first_zero_diagonal;       /* its row, or -1 */
    int32_t negative_diagonals;        /* number of diagonal entries below 0 */
    int32_t shortest_row, longest_row; /* entries in a row */
    int32_t bandwidth;                 /* largest |i - j| of an entry */
    int32_t block;         /* unknowns per node if the pattern consists of dense blocks, else 1 */
    int32_t dominant_rows; /* rows with |a_ii| >= sum of |a_ij| over j != i */
    int32_t zero_sum_rows; /* rows whose entries sum to 0 up to rounding */
    int64_t positive_off;  /* off-diagonal entries above 1e-12 (GSOLVE_F32: 1e-6) times the largest
                              |a_ij| of their row */
    double mean_row, deviation_row; /* mean and standard deviation of the entries in a row */
    double dominance;               /* smallest |a_ii| / sum of |a_ij| over j != i */
    double spread;                  /* largest |a_ii| / smallest nonzero |a_ii| */
    double mean_dominance; /* mean over the rows of min(1, |a_ii| / sum of |a_ij| over j != i) */
    double scaling;        /* with m_i = max |a_ij| of row i: largest m_i / smallest nonzero m_i */
    double least, largest; /* smallest and largest nonzero |a_ij| */
    int64_t length[32];    /* length[0]: number of empty rows; length[k]: number of rows with
                              2^(k-1) to 2^k - 1 entries */
} gsolve_statistics;

/* Computes the statistics of csr. The cost is that of about five products y = A x. Fails with
 * GSOLVE_UNSUPPORTED if csr is on the device, and with GSOLVE_BAD_MATRIX if it is malformed. */
gsolve_status gsolve_csr_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                    gsolve_statistics *statistics);

/* --- transpose and conversion --------------------------------------------------- */

/* C = A' on the host, with ascending columns in every row. Fails with GSOLVE_BAD_MATRIX if A is
 * malformed, and with GSOLVE_UNSUPPORTED if A is on the device. */
gsolve_status gsolve_csr_transpose(gsolve_csr *C, gsolve_context *ctx, const gsolve_csr *A);

/* B = A on the host, with values of another type. Fails with GSOLVE_BAD_MATRIX if A is malformed,
 * or if float cannot hold a value: the value would become infinite, or a nonzero would become 0.
 * Fails with GSOLVE_UNSUPPORTED if A is on the device. */
gsolve_status gsolve_csr_convert(gsolve_csr *B, gsolve_context *ctx, gsolve_type type,
                                 const gsolve_csr *A);

/* Frees the three arrays of C, which a function of the library allocated in ctx, and clears *C. */
void gsolve_csr_free(gsolve_csr *C, gsolve_context *ctx);

/* --- products of two matrices --------------------------------------------------- */

/* C = A B, where A is m x k and B is k x n. spec names a product method; "auto" chooses by the row
 * lengths. A and B have the same value type and the same location. Their entries may be in any
 * order within a row; duplicates are summed.
 *
 * C has the location of A and B, and ascending columns. It contains every entry that the patterns
 * of A and B produce, even if its value is 0. The bits of C are reproducible for all methods but
 * "cusparse".
 *
 * Fails with GSOLVE_BAD_MATRIX if A or B is malformed or their shapes do not match, with
 * GSOLVE_UNSUPPORTED if the method does not run on the device, and with GSOLVE_NO_MEMORY if C does
 * not fit. */
gsolve_status gsolve_csr_multiply(gsolve_csr *C, gsolve_context *ctx, const char *spec,
                                  const gsolve_csr *A, const gsolve_csr *B);

/* A product C = A B whose values can be recomputed. The handle stores C, the patterns of A and B,
 * and a plan. */
typedef struct gsolve_product gsolve_product;

typedef struct gsolve_product_info {
    const char *method;    /* the method in use; for "auto" the method that it chose */
    int32_t nrows, ncols;  /* of C */
    int64_t products;      /* multiplications of two numbers */
    int64_t entries;       /* of C */
    double compression;    /* products / entries; 0 if C has no entries */
    int bands;             /* number of bands of rows in which C was computed */
    size_t bytes;          /* bytes that the handle holds */
    size_t peak;           /* largest number of temporary bytes during the creation */
    double seconds;        /* time of the creation, with the checks */
    double update_seconds; /* time of the last update; 0 before the first */
} gsolve_product_info;

/* Computes C = A B and keeps what an update needs. The arguments and the errors are those of
 * gsolve_csr_multiply. */
gsolve_status gsolve_product_create(gsolve_product **P, gsolve_context *ctx, const char *spec,
                                    const gsolve_csr *A, const gsolve_csr *B);

/* Frees the product and its C. */
void gsolve_product_destroy(gsolve_product **P);

/* Recomputes C = A B from new values. A and B have the patterns that they had at the creation; the
 * order of their entries and duplicates may differ. The bits are those of a new product, except for
 * "cusparse". Fails with GSOLVE_BAD_MATRIX if a pattern or a type differs; C is then unchanged.
 * After GSOLVE_NO_MEMORY or GSOLVE_DEVICE_FAILED the values of C are undefined until an update
 * succeeds. */
gsolve_status gsolve_product_update(gsolve_product *P, const gsolve_csr *A, const gsolve_csr *B);

/* Fills *C with a view of the product, at the location of A and B. The view is valid until the next
 * update of P or until P is destroyed. */
gsolve_status gsolve_product_csr(gsolve_product *P, gsolve_csr *C);

/* Fills *info. */
void gsolve_product_describe(const gsolve_product *P, gsolve_product_info *info);

/* --- Galerkin products ---------------------------------------------------------- */

/* A product C = R A P (m x n times n x n times n x m): the coarse matrix of a multigrid method. Its
 * values can be recomputed. */
typedef struct gsolve_galerkin gsolve_galerkin;

/* Computes C = R A P and keeps what an update needs. If R is NULL, R = P' and follows the values of
 * P. A is square. All matrices have the same type and the same location. spec and the errors are
 * those of gsolve_csr_multiply. */
gsolve_status gsolve_galerkin_create(gsolve_galerkin **G, gsolve_context *ctx, const char *spec,
                                     const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P);

/* Frees the product and its C. */
void gsolve_galerkin_destroy(gsolve_galerkin **G);

/* Recomputes C from new values in the same patterns. If R or P is NULL, its values stay as they
 * are. R must be NULL if it was NULL at the creation. The errors are those of
 * gsolve_product_update. */
gsolve_status gsolve_galerkin_update(gsolve_galerkin *G, const gsolve_csr *R, const gsolve_csr *A,
                                     const gsolve_csr *P);

/* Fills *C with a view of the product, as gsolve_product_csr does. */
gsolve_status gsolve_galerkin_csr(gsolve_galerkin *G, gsolve_csr *C);

/* Fills *info. entries counts the entries of C. products and bytes are those of both
 * multiplications together. peak is that of the multiplication with the larger peak. If the method
 * is "at once", which "auto" prefers, C is computed in one step and all numbers belong to it. */
void gsolve_galerkin_describe(const gsolve_galerkin *G, gsolve_product_info *info);

/* --- matrices of dense blocks --------------------------------------------------- */

/* A sparse matrix of dense blocks in compressed block rows (BSR). Functions that take a gsolve_csr
 * do not take it. */
typedef struct gsolve_blocked {
    int32_t nrows, ncols;     /* number of block rows and of block columns */
    const void *start;        /* nrows + 1 offsets, counted in blocks; the first is 0 */
    const int32_t *col;       /* the block column of each block */
    const void *value;        /* height x width numbers for each block, row-major */
    gsolve_offset offset;     /* the type of start's elements */
    gsolve_type type;         /* the type of value's elements */
    gsolve_location location; /* of all three arrays */
    int32_t height, width;    /* of a block: 1 to 8 each */
} gsolve_blocked;

/* B = A in blocks of height x width numbers. B stores each block in which A has an entry, and fills
 * the rest of the block with 0. A may have its entries in any order within a row; duplicates are
 * summed. B has the location of A and ascending block columns. Free it with gsolve_blocked_free.
 * Fails with GSOLVE_BAD_MATRIX if A is malformed, or if the rows are not a multiple of height or
 * the columns not a multiple of width. */
gsolve_status gsolve_blocked_from_csr(gsolve_blocked *B, gsolve_context *ctx, int32_t height,
                                      int32_t width, const gsolve_csr *A);

/* A = B as ordinary compressed rows. Each number of a block becomes an entry, even if it is 0. */
gsolve_status gsolve_blocked_to_csr(gsolve_csr *A, gsolve_context *ctx, const gsolve_blocked *B);

/* C = A B, where A has r x s blocks, B has s x t blocks and C has r x t blocks. The block columns
 * of A and B must ascend strictly in every row. spec is as for gsolve_csr_multiply; the methods
 * "esc" and "auto" work on blocks. Fails with GSOLVE_UNSUPPORTED for another method, and with
 * GSOLVE_BAD_MATRIX if A or B is malformed or their shapes do not match. Free C with
 * gsolve_blocked_free. */
gsolve_status gsolve_blocked_multiply(gsolve_blocked *C, gsolve_context *ctx, const char *spec,
                                      const gsolve_blocked *A, const gsolve_blocked *B);

/* Frees the three arrays of B, which a function of the library allocated in ctx, and clears *B. */
void gsolve_blocked_free(gsolve_blocked *B, gsolve_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
