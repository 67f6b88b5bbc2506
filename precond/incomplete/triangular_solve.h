/* triangular_solve.h: solves with I + T, T a sparse strict triangle, for ilu and ic.
 *
 * Row i of the solve is z_i = r_i - sum_k t_ik z_k. The column that was solved last comes last in
 * the sum. The order of the sum does not depend on the schedule. T is stored in the order of the
 * schedule. A solve in fp64 moves 12 bytes per entry, 4 per row (8 with a schedule), and r and z
 * once. Several columns are solved together, row-major; the order of their sums may differ from
 * that of one column. */
#ifndef GS_PRECOND_INCOMPLETE_TRIANGULAR_SOLVE_H
#define GS_PRECOND_INCOMPLETE_TRIANGULAR_SOLVE_H

#include "matrix/csr.h"
#include "precond/incomplete/schedule.h"

typedef struct gs_strict_triangle { /* compressed rows of a strict triangle, in natural order, as a
                                       factorisation computes them */
    int32_t n;
    bool upper;
    int64_t *start; /* n + 1 */
    int32_t *col;   /* sorted */
    double *value;
} gs_strict_triangle;

void gs_strict_triangle_free(gs_strict_triangle *t, gsolve_context *ctx);

/* *t = the part of csr below its diagonal, or above it if upper. reload copies the values from csr
 * again. */
gsolve_status gs_strict_triangle_extract(gs_strict_triangle *t, gsolve_context *ctx,
                                         const gsolve_csr *csr, bool upper);
void gs_strict_triangle_reload(gs_strict_triangle *t, gsolve_context *ctx, const gsolve_csr *csr);

/* B = A': an upper triangle becomes a lower one, and the reverse. */
gsolve_status gs_strict_triangle_transpose(gs_strict_triangle *B, gsolve_context *ctx,
                                           const gs_strict_triangle *A);

enum { GS_TRIANGLE_COLUMNS = 8 }; /* columns that are solved together */

typedef struct gs_triangle {
    bool upper; /* solved from the last row to the first */
    gs_schedule schedule;
    gsolve_csr rows; /* stored in the order of the schedule; columns are indices of r and z */
    struct gs_vendor_triangle *vendor; /* on a GPU: solves instead of rows */
    void *batch; /* work space for several columns, owned by the first of a pair of triangles: 2 x n
                    x GS_TRIANGLE_COLUMNS; NULL until it is needed */
} gs_triangle;

typedef struct gs_triangle_kernels {
    /* NULL on the host. upload copies T's values to the device; the first call also makes all that
     * depends on the pattern. drop frees it. */
    gsolve_status (*upload)(gs_triangle *t, gsolve_context *ctx, const gs_strict_triangle *T);
    void (*drop)(gs_triangle *t, gsolve_context *ctx);
    /* Solves (I + T) z = r, or (I + T) z = d * r unless d is NULL, for at most GS_TRIANGLE_COLUMNS
     * columns, row-major, with `stride` numbers from row to row. stride is a power of two. r and z
     * may be the same if it is 1; else they do not overlap. */
    gsolve_status (*solve)(gs_queue *q, const gs_triangle *t, const void *d, int32_t columns,
                           int32_t stride, const void *r, void *z);
    bool pads; /* columns may be fewer than stride */
} gs_triangle_kernels;

extern const gs_triangle_kernels GS_HOST_TABLES(gs_triangle);
extern const gs_triangle_kernels gs_triangle_cuda[GSOLVE_TYPE_COUNT];

/* create makes the pattern and the schedule of I + T; fill sets the values, from a T of the same
 * pattern. */
gsolve_status gs_triangle_create(gs_triangle *t, gsolve_context *ctx, gsolve_type type,
                                 const gs_strict_triangle *T);
gsolve_status gs_triangle_fill(gs_triangle *t, gsolve_context *ctx, const gs_strict_triangle *T);
void gs_triangle_destroy(gs_triangle *t, gsolve_context *ctx);

/* order = the rows sorted by levels, ascending in each level. A row depends on rows of earlier
 * levels only. */
gsolve_status gs_triangle_level_order(const gs_triangle *t, gsolve_context *ctx, int32_t *order);

/* The bytes that a solve for one column moves. */
size_t gs_triangle_bytes(const gs_triangle *t);

/* *to = the solve with I + T', where t solves with I + T. */
gsolve_status gs_triangle_transpose(gs_triangle *to, gsolve_context *ctx, const gs_triangle *t);

/* z = (I + T2)^-1 (d * (I + T1)^-1 r) for any number of columns; T1 is first's triangle, T2
 * second's. r and z may be the same. */
gsolve_status gs_triangle_solve_pair(gs_triangle *first, const gs_triangle *second,
                                     gsolve_context *ctx, const void *d, gsolve_dense r,
                                     gsolve_dense z);

#endif
