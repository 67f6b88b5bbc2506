/* gauss_seidel.h: Gauss-Seidel, x_i += d_i (b_i - sum_j a_ij x_j) row by row with what has been
 * reached.
 *
 * On a device of its own memory all rows of a colour at once, colour after colour: no two rows of a
 * colour are in each other's sum. On the CPU in blocks of consecutive rows that depend on n alone,
 * each from what the others held before the sweep; there d_i = 1 / a_ii where |a_ii| >= 1.5 s_i,
 * else 1 / (a_ii + sign(a_ii) s_i / 2), s_i = sum |a_ij| over the j of other blocks, with which the
 * whole converges where A is positive definite, since A without its blocks lies between -diag(s)
 * and diag(s) (Baker, Falgout, Kolev and Yang, SIAM Journal on Scientific Computing 33, 2011). */
#ifndef GS_PRECOND_AMG_SMOOTHERS_GAUSS_SEIDEL_H
#define GS_PRECOND_AMG_SMOOTHERS_GAUSS_SEIDEL_H

#include "matrix/csr.h"

#define GS_GAUSS_SEIDEL_MAX_BLOCKS 32 /* at most */
#define GS_GAUSS_SEIDEL_MIN_ROWS   4096
#define GS_GAUSS_SEIDEL_LARGE      1.5 /* a diagonal over the sum of what lies in other blocks */

/* Rows by colours, 0 to count - 1. */
typedef struct gs_colours {
    int32_t count;
    int32_t *colour, *row; /* n: each row's colour; the rows by colours, ascending in each */
    int32_t *first;        /* count + 1: where in row each colour begins; and n */
    int32_t *begin;        /* the same on the host */
    int64_t entries;       /* of A */
} gs_colours;

typedef struct gs_sweep_vectors {
    const void *d, *b; /* d: one number per row */
    void *x;
    void *work; /* like x; see the kernels */
} gs_sweep_vectors;

typedef struct gs_gauss_seidel_kernels {
    /* colour[i] = the least that none of those before i has: of its neighbours (columns of its row
     * in A or in B = A') those of higher gs_colour_priority. *count colours. B NULL: as if A's
     * pattern were symmetric; if it is not, *count = -1. */
    gsolve_status (*colour)(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                            int32_t *colour, int32_t *count);
    /* From here on vectors have so many columns, at most GS_AMG_COLUMNS, a row's numbers side by
     * side. x = d * b in the rows of one colour, 0 in the others */
    gsolve_status (*begin)(gs_queue *q, int64_t n, int32_t columns, const int32_t *colour,
                           int32_t which, const void *d, const void *b, void *x);
    /* colour after colour from one on, up to the last or (back) down to the first */
    gsolve_status (*colours)(gs_queue *q, const gsolve_csr *A, const gs_colours *C, int32_t columns,
                             int32_t from, bool back, gs_sweep_vectors v);
    /* The rest is NULL on a GPU. d of the blocks; their rows up or (back) down, old being room for
     * x; zero: x counts as 0, and old is not used. */
    gsolve_status (*block_diagonal)(gs_queue *q, const gsolve_csr *A, void *d);
    gsolve_status (*blocks)(gs_queue *q, const gsolve_csr *A, int32_t columns, bool zero, bool back,
                            gs_sweep_vectors v);
    /* the same with A'; r = b - A' x, which is overwritten */
    gsolve_status (*transposed_blocks)(gs_queue *q, const gsolve_csr *A, int32_t columns, bool zero,
                                       bool back, gs_sweep_vectors v);
} gs_gauss_seidel_kernels;

extern const gs_gauss_seidel_kernels gs_gauss_seidel_host[GSOLVE_TYPE_COUNT];
extern const gs_gauss_seidel_kernels gs_gauss_seidel_cuda[GSOLVE_TYPE_COUNT];

/* *C = colours of A, which is where ctx's kernels read it; all arrays are made. And their end. */
gsolve_status gs_colours_create(gs_colours *C, gsolve_context *ctx, const gsolve_csr *A,
                                int64_t entries);
void gs_colours_destroy(gs_colours *C, gsolve_context *ctx);

#endif
