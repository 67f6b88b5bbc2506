/* triangle.h: solves with a sparse triangle, for ilu and ic.
 *
 * Row i of the solve is z_i = d_i r_i - sum_k v_k z_{c_k}; the division by the diagonal is in d and in
 * v beforehand. With many threads the rows are taken level by level: those of a level depend on
 * earlier levels only. A row's sum has one order in either case, so that the bits are the same. One
 * solve moves 12 bytes an entry in fp64, 8 a row, and d, r and z once. */
#ifndef GS_TRIANGLE_H
#define GS_TRIANGLE_H

#include "core/csr.h"

typedef struct gs_triangle {
    gsolve_type type;
    int32_t n;
    bool upper;          /* solved from the last row to the first */
    int64_t *start;      /* n + 1; of the rows in the order in which they are stored */
    int32_t *col;        /* in a row ending with the column that is solved last */
    void *value, *d;     /* scaled as above; d NULL: ones; d in the order of storage */
    int32_t levels;      /* 0: rows in their own order */
    int32_t *level;      /* levels + 1: where each begins */
    int32_t *row;        /* n: the row stored at each place; NULL: i, or n - 1 - i if upper */
    int64_t *from;       /* for each entry the one of the given triangle; for updates */
} gs_triangle;

typedef struct gs_triangle_kernels {
    gsolve_status (*solve)(gs_queue *q, const gs_triangle *t, const void *r, void *z);
} gs_triangle_kernels;

extern const gs_triangle_kernels gs_triangle_host[GSOLVE_TYPE_COUNT];
extern const gs_triangle_kernels gs_triangle_cuda[GSOLVE_TYPE_COUNT];

/* The solve with the rows [start[i], start[i+1]) of (col, value), ascending columns, all below (or,
 * upper, above) the diagonal, whose entries are pivot[i], or ones where pivot is NULL. */
gsolve_status gs_triangle_create(gs_triangle *t, gsolve_context *ctx, gsolve_type type, bool upper,
                                 int32_t n, const int64_t *start, const int32_t *col,
                                 const double *value, const double *pivot);

/* New values in the same rows. */
void gs_triangle_update(gs_triangle *t, gsolve_context *ctx, const double *value,
                        const double *pivot);
void gs_triangle_destroy(gs_triangle *t, gsolve_context *ctx);

/* z = T^-1 r, column by column; r and z may be the same. */
gsolve_status gs_triangle_solve(const gs_triangle *t, gsolve_context *ctx, gsolve_dense r,
                                gsolve_dense z);

#endif
