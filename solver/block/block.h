/* block.h: kernels of block_cg and block_gmres, on blocks of b <= GS_BLOCK columns of n rows. Small
 * matrices are column-major arrays of double on the device, their columns GS_BLOCK apart. d: the
 * diagonal of M^-1, of n numbers, if M is a diagonal, else NULL. See block_cg.c for the symbols. */
#ifndef GS_SOLVER_BLOCK_BLOCK_H
#define GS_SOLVER_BLOCK_BLOCK_H

#include "vector/vector.h"

#define GS_BLOCK 16

/* The number of columns of each block but the last, if no block may have more than `most`: the
 * blocks get about the same number. */
static inline int gs_block_width(int32_t columns, int most)
{
    const int blocks = (columns + most - 1) / most;

    return (columns + blocks - 1) / blocks;
}

typedef struct gs_block_columns { /* stride: elements between columns */
    void *v;
    int64_t stride;
} gs_block_columns;

typedef struct gs_block_places { /* column j begins at element at[j] */
    void *v;
    int64_t at[GS_BLOCK];
} gs_block_places;

/* The small matrices of one block; the arrays begin at its first column. */
typedef struct gs_block_small {
    double *G, *WW, *xi, *alpha, *t, *zeta, *sigma;
    double *rr;                      /* |r|^2 of each column */
    gs_convergence_test convergence; /* of the first column */
    int b, all;                      /* columns; with those behind that have left, see block_cg.c */
} gs_block_small;

/* Two small matrices that a block is multiplied by: t is b x b, zeta all x b or NULL. */
typedef struct gs_block_factors {
    const double *t, *zeta;
    int b, all;
} gs_block_factors;

typedef struct gs_block_kernels {
    size_t space_size; /* bytes of space, on the device, that gram and squares need; begins as 0 */
    /* G = U'V, b x b */
    gsolve_status (*gram)(gs_queue *q, int64_t n, int b, gs_block_columns U, gs_block_columns V,
                          double *G, void *space);
    /* a->G = W'Z, all x b, and a->WW = W'W. If Z has no values Z = d W, or Z = W if d is NULL. */
    gsolve_status (*squares)(gs_queue *q, int64_t n, const gs_block_small *a, gs_block_columns W,
                             gs_block_columns Z, const void *d, void *space);
    /* X += S a->alpha in the columns that have not ended, W -= Q a->xi in all */
    gsolve_status (*step)(gs_queue *q, int64_t n, const gs_block_small *a, gs_block_columns S,
                          gs_block_columns Q, gs_block_places X, gs_block_columns W,
                          const int *ended);
    /* S = Z t + S zeta, or Z t without zeta, and W = W t, in b columns. Z and d as in squares; S
     * may be W, or Z. */
    gsolve_status (*combine)(gs_queue *q, int64_t n, const gs_block_factors *f, gs_block_columns Z,
                             const void *d, gs_block_columns S, gs_block_columns W);
    /* xi = G^-1, alpha = xi sigma */
    gsolve_status (*solve)(gs_queue *q, const gs_block_small *a);
    /* G = zeta'zeta and t, with which W t = w; then |r_c|^2 = sigma_c'WW sigma_c, the convergence
     * test of each column, and sigma = zeta sigma. At the start there is no test, and sigma = zeta.
     * zeta is stored transposed, with -E t below it, where E is G below its first b rows. */
    gsolve_status (*orthogonal)(gs_queue *q, const gs_block_small *a, bool start);
} gs_block_kernels;

#define GS_DEPENDENT 1e-13 /* the square of the sine between a vector and those before it */

extern const gs_block_kernels GS_HOST_TABLES(gs_block);
extern const gs_block_kernels gs_block_cuda[GSOLVE_TYPE_COUNT];

/* The body of an operation of a method: runs the statements, which set status, for every block of
 * about equally many columns, at most `most`: columns first to first + b. Together they move
 * `vectors` vectors of each column. */
#define GS_EACH_BLOCK(most, class, vectors, ...)                                   \
    const int width_ = gs_block_width(k->wide, most);                              \
    gsolve_status status = GSOLVE_OK;                                              \
    gs_begin_block(k, class, (double)(vectors) * k->csr.nrows * k->wide);          \
    for (int first = 0; first < k->wide && status == GSOLVE_OK; first += width_) { \
        const int b = k->wide - first < width_ ? k->wide - first : width_;         \
        __VA_ARGS__;                                                               \
    }                                                                              \
    gs_end_block(k);                                                               \
    return status

/* In an operation: the queue of its kernels, and the columns of a block. */
#define QUEUE     k->ctx->queue
#define OF(which) ((gs_block_columns){gs_column_of(which, first).value, (which).stride})

/* --- block_gmres ------------------------------------------------------------------------------
 * Kernels beside those above: a basis of blocks of b <= GS_BLOCK vectors of n rows, and the small
 * least-squares problem, on the device. See block_gmres.c for the symbols. */

/* The first count blocks of a basis: vector (j, c) begins at (j apart + c) stride. */
typedef struct gs_arnoldi_basis {
    const void *v;
    int64_t stride; /* elements between the vectors of a block */
    int apart;      /* vectors from one block to the next */
    int count, b;
} gs_arnoldi_basis;

/* The small matrices of one block of columns after `steps` steps of a cycle. All are column-major.
 * Columns of G and t are GS_BLOCK apart, those of the others ld. Row and column (j, c) of H is j b
 * + c. After the reflections a column of H holds R down to the diagonal. */
typedef struct gs_arnoldi_small {
    int b, steps;
    int64_t ld;
    double *H;     /* its first column */
    double *Q;     /* 2 b x 2 b for each step: the product of its reflections */
    double *g;     /* b right-hand sides */
    double *again; /* b columns: coefficients of a second pass; y */
    double *G, *t;
    int *once;      /* whether one pass is enough */
    int *length;    /* steps of this cycle that are not yet added to x */
    int *no_update; /* for each column: whether x gets no correction */
    double *rr;     /* |r|^2 of each column */
    const int *ended;
    double noise; /* a vector that a pass shortens by this factor is only rounding errors */
} gs_arnoldi_small;

/* The columns of H that this step computes, or those of g at the start of a cycle. */
static inline double *gs_arnoldi_current(const gs_arnoldi_small *a)
{
    return a->steps > 0 ? a->H + (int64_t)(a->steps - 1) * a->b * a->ld : a->g;
}

typedef struct gs_arnoldi_kernels {
    /* bytes of zeroed space that project and subtract need, for bases of `vectors` vectors */
    size_t (*space)(int64_t n, int vectors, int b);
    /* C = V'W */
    gsolve_status (*project)(gs_queue *q, int64_t n, gs_arnoldi_basis V, gs_block_columns W,
                             double *C, int64_t ld, void *space);
    /* W -= V C, G = W'W */
    gsolve_status (*subtract)(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C,
                              int64_t ld, gs_block_columns W, double *G, void *space);
    /* Y = V C; Y may be V where that is one block */
    gsolve_status (*times)(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C, int64_t ld,
                           gs_block_columns Y);
    /* After the first pass. From G = W'W: t, with which W t is orthonormal, and S with W = (W t) S.
     * S goes to the rows of H below those of the pass; at the start of a cycle (steps is 0) to the
     * first rows of g, where columns that have ended count as 0. Then also length = 0 and no_update
     * = 1. Sets once. The last pass, this or the second, applies the reflections to the columns of
     * H and to g, and sets rr, and length = steps. */
    gsolve_status (*first)(gs_queue *q, const gs_arnoldi_small *a);
    /* After the second pass, over W t, with coefficients `again`: corrects H, or g, and t. */
    gsolve_status (*second)(gs_queue *q, const gs_arnoldi_small *a);
    /* again = y with R y = g, of length steps; no_update = whether there are none. */
    gsolve_status (*solve)(gs_queue *q, const gs_arnoldi_small *a);
    /* y is added to x: length = 0, no_update = 1. */
    gsolve_status (*close)(gs_queue *q, const gs_arnoldi_small *a);
} gs_arnoldi_kernels;

#define GS_ONE_PASS_ENOUGH \
    0.01 /* one pass is enough if all pivots, and all ratios of squared norms, exceed it */

extern const gs_arnoldi_kernels GS_HOST_TABLES(gs_arnoldi);
extern const gs_arnoldi_kernels gs_arnoldi_cuda[GSOLVE_TYPE_COUNT];

/* --- small matrices on the host: block_factor.c -------------------------------------------------
 * The pivoted Cholesky factorisation of a Gram matrix reveals linearly dependent vectors. block.cuh
 * has the GPU's version. */

/* The factors of a Gram matrix G = W'W: D G D = L L' in the rows and columns order[0..rank), with
 * d_i = G_ii^-1/2. The other vectors depend on these, up to rounding. L's columns are in the order
 * of the pivots. t = D L'^-1, so that W t is orthonormal in its first rank columns and 0 in the
 * others, and W = W t zeta' with zeta = L D^-1. */
typedef struct gs_block_factor {
    int rank, order[GS_BLOCK];
    double least; /* the smallest pivot; 1 if there is none */
    double d[GS_BLOCK], L[GS_BLOCK][GS_BLOCK], rest[GS_BLOCK][GS_BLOCK], t[GS_BLOCK][GS_BLOCK];
} gs_block_factor;

/* G is b x b, its columns GS_BLOCK apart. Vectors whose squared norm is at most floor[i] count as
 * 0; NULL: 0. */
void gs_block_factorise(gs_block_factor *f, int b, const double *G, const double *floor);

static inline double gs_block_zeta(const gs_block_factor *f, int i, int m)
{
    return f->d[i] > 0 ? f->L[i][m] / f->d[i] : 0;
}

/* For block_cg, see there for the symbols: the first `keep` of b columns stay. All matrices are
 * column-major, their columns GS_BLOCK apart. Given G = S'A S and the first keep columns of sigma,
 * computes U and T, b x b, and new values of those columns of sigma, so that R = (w U) sigma with
 * the first keep rows of sigma. The last columns of S T are D with D'A D = I. Its first keep
 * columns are those of S U, made conjugate to D. */
void gs_block_narrow(int b, int keep, const double *G, double *sigma, double *U, double *T);

#endif
