/* triangular_solve.h: solves with I + T, T a sparse strict triangle, for ilu and ic.
 *
 * Row i of the solve is z_i = r_i - sum_k t_ik z_k, the column solved last coming last in the sum,
 * which has one order whatever the schedule. T is stored in the order of the schedule. One solve
 * moves 12 bytes an entry in fp64, 4 a row (8 with a schedule), and r and z once. Several columns
 * go through a solve together, by rows; their sums may run in another order than one's. */
#ifndef GS_PRECOND_INCOMPLETE_TRIANGULAR_SOLVE_H
#define GS_PRECOND_INCOMPLETE_TRIANGULAR_SOLVE_H

#include "matrix/csr.h"
#include "precond/incomplete/schedule.h"

typedef struct gs_strict_triangle { /* a strict triangle by its rows, in their own order, while it
                              is computed */
    int32_t n;
    bool upper;
    int64_t *start; /* n + 1 */
    int32_t *col;   /* ascending */
    double *value;
} gs_strict_triangle;

gsolve_status gs_strict_triangle_new(gs_strict_triangle *t, gsolve_context *ctx, int32_t n,
                                     bool upper, int64_t entries);
void gs_strict_triangle_free(gs_strict_triangle *t, gsolve_context *ctx);

/* The part of csr below (upper: above) its diagonal; and its values put there again. */
gsolve_status gs_strict_triangle_extract(gs_strict_triangle *t, gsolve_context *ctx,
                                         const gsolve_csr *csr, bool upper);
void gs_strict_triangle_reload(gs_strict_triangle *t, gsolve_context *ctx, const gsolve_csr *csr);

/* B = A', of the other kind. */
gsolve_status gs_strict_triangle_transpose(gs_strict_triangle *B, gsolve_context *ctx,
                                           const gs_strict_triangle *A);

enum { GS_TRIANGLE_COLUMNS = 8 }; /* columns that are solved together */

typedef struct gs_triangle {
    bool upper; /* solved from the last row to the first */
    gs_schedule schedule;
    gsolve_csr rows; /* in the order of the schedule; row numbers are those of r and z */
    struct gs_vendor_triangle *vendor; /* on CUDA, and then it is what solves */
    void *batch; /* of the triangle that is solved first: twice n x GS_TRIANGLE_COLUMNS; NULL until
                   several columns come */
} gs_triangle;

typedef struct gs_triangle_kernels {
    /* NULL on the host. T's values to the device, where all that depends on the pattern is made
     * the first time; and that undone. */
    gsolve_status (*upload)(gs_triangle *t, gsolve_context *ctx, const gs_strict_triangle *T);
    void (*drop)(gs_triangle *t, gsolve_context *ctx);
    /* (I + T) z = r, or = d * r if d; r and z may be the same. */
    gsolve_status (*solve)(gs_queue *q, const gs_triangle *t, const void *d, const void *r,
                           void *z);
    /* The same for several columns by rows, a power of 2 of numbers apart, at most
     * GS_TRIANGLE_COLUMNS; r and z are not the same. */
    gsolve_status (*solve_columns)(gs_queue *q, const gs_triangle *t, const void *d,
                                   int32_t columns, int32_t stride, const void *r, void *z);
    bool pads; /* columns may be fewer than stride */
} gs_triangle_kernels;

extern const gs_triangle_kernels gs_triangle_host[GSOLVE_TYPE_COUNT];
extern const gs_triangle_kernels gs_triangle_cuda[GSOLVE_TYPE_COUNT];

/* Pattern and schedule of I + T; the values follow by fill, of the same pattern. */
gsolve_status gs_triangle_create(gs_triangle *t, gsolve_context *ctx, gsolve_type type,
                                 const gs_strict_triangle *T);
gsolve_status gs_triangle_fill(gs_triangle *t, gsolve_context *ctx, const gs_strict_triangle *T);
void gs_triangle_destroy(gs_triangle *t, gsolve_context *ctx);

/* order = the rows level by level: each after those that it depends on, which are in levels before,
 * and ascending in a level. */
gsolve_status gs_triangle_level_order(const gs_triangle *t, gsolve_context *ctx, int32_t *order);

/* Bytes that a solve for one column moves. */
size_t gs_triangle_bytes(const gs_triangle *t);

/* T of I + T again. */
gsolve_status gs_triangle_unpack(gs_strict_triangle *T, gsolve_context *ctx, const gs_triangle *t);

/* z = (I + T2)^-1 d * (I + T1)^-1 r, T1 being first's, for any columns; r and z may be the same. */
gsolve_status gs_triangle_solve_pair(gs_triangle *first, const gs_triangle *second,
                                     gsolve_context *ctx, const void *d, gsolve_dense r,
                                     gsolve_dense z);

#endif
