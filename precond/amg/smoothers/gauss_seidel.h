/* gauss_seidel.h: Gauss-Seidel, x_i += d_i (b_i - sum_j a_ij x_j), row by row with the newest
 * values.
 *
 * On a GPU: multicolour Gauss-Seidel. All rows of a colour are updated at once, colour after
 * colour. No two rows of a colour are neighbours, and d_i = 1 / a_ii.
 *
 * On the CPU: Gauss-Seidel within blocks of consecutive rows, Jacobi between blocks. The blocks
 * depend on n only, not on the number of threads. d_i = 1 / a_ii if |a_ii| >= 1.5 s_i, else 1 /
 * (a_ii + sign(a_ii) s_i / 2), where s_i = sum |a_ij| over the j of other blocks. This converges if
 * A is positive definite, because A without its diagonal blocks lies between -diag(s) and diag(s)
 * (Baker, Falgout, Kolev and Yang, SIAM Journal on Scientific Computing 33, 2011). */
#ifndef GS_PRECOND_AMG_SMOOTHERS_GAUSS_SEIDEL_H
#define GS_PRECOND_AMG_SMOOTHERS_GAUSS_SEIDEL_H

#include "matrix/csr.h"

#define GS_GAUSS_SEIDEL_MAX_BLOCKS 32 /* at most */
#define GS_GAUSS_SEIDEL_MIN_ROWS   4096
#define GS_GAUSS_SEIDEL_LARGE      1.5 /* |a_ii| over s_i, from which on d_i = 1 / a_ii */

/* The rows sorted by colours 0 to count - 1. */
typedef struct gs_colours {
    int32_t count;
    int32_t *colour, *row; /* n each: the colour of a row; the rows of each colour, ascending */
    int32_t *first;        /* count + 1: the position in row where each colour begins */
    int32_t *begin;        /* a copy of first on the host */
    int64_t entries;       /* of A */
} gs_colours;

typedef struct gs_sweep_vectors {
    const void *d, *b; /* d: one number per row */
    void *x;
    void *work; /* like x; each kernel says what it is for */
} gs_sweep_vectors;

typedef struct gs_gauss_seidel_kernels {
    /* The first three members are NULL on the CPU. colour[i] = the smallest colour that no
     * neighbour of row i of higher gs_colour_priority has. Neighbours: columns of row i in A or in
     * B = A'. *count: number of colours. B NULL: A's pattern is assumed symmetric; if it is not,
     * *count = -1. */
    gsolve_status (*colour)(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                            int32_t *colour, int32_t *count);
    /* The vectors below have at most GS_AMG_COLUMNS columns, row-major. This one: x = d * b in the
     * rows of colour `which`, 0 in the others. */
    gsolve_status (*begin)(gs_queue *q, int64_t n, int32_t columns, const int32_t *colour,
                           int32_t which, const void *d, const void *b, void *x);
    /* Sweeps the colours from `from` on, upwards or (back) downwards. work is not used. */
    gsolve_status (*colours)(gs_queue *q, const gsolve_csr *A, const gs_colours *C, int32_t columns,
                             int32_t from, bool back, gs_sweep_vectors v);
    /* The members below are NULL on a GPU. d = the d_i of the blocks. blocks: a sweep over the rows
     * of each block, upwards or (back) downwards. zero: x counts as 0. Else the old x is copied to
     * work first. */
    gsolve_status (*block_diagonal)(gs_queue *q, const gsolve_csr *A, void *d);
    gsolve_status (*blocks)(gs_queue *q, const gsolve_csr *A, int32_t columns, bool zero, bool back,
                            gs_sweep_vectors v);
    /* a sweep of blocks with A'; work = b - A' x on entry, and is overwritten */
    gsolve_status (*transposed_blocks)(gs_queue *q, const gsolve_csr *A, int32_t columns, bool zero,
                                       bool back, gs_sweep_vectors v);
} gs_gauss_seidel_kernels;

extern const gs_gauss_seidel_kernels GS_HOST_TABLES(gs_gauss_seidel);
extern const gs_gauss_seidel_kernels gs_gauss_seidel_cuda[GSOLVE_TYPE_COUNT];

/* *C = the colours of A, which lies where kernels read it. create allocates all arrays; destroy
 * frees them. */
gsolve_status gs_colours_create(gs_colours *C, gsolve_context *ctx, const gsolve_csr *A,
                                int64_t entries);
void gs_colours_destroy(gs_colours *C, gsolve_context *ctx);

#endif
