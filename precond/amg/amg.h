/* amg.h: what the parts of algebraic multigrid hand to each other: a level, how it is coarsened,
 * how it is smoothed. Everything lies where ctx's kernels work (gs_location), from the first level
 * to the last; the host sees sizes, and the coarsest matrix where it is factored there. */
#ifndef GS_PRECOND_AMG_AMG_H
#define GS_PRECOND_AMG_AMG_H

#include "matrix/csr.h"

typedef struct gs_amg_options gs_amg_options;

enum { GS_AMG_COLUMNS = 8 }; /* that a cycle is made for at once, at most */

/* --- coarsening ------------------------------------------------------------------------------- */

/* What a cycle in single precision begins and ends with, in double: z = M^-1 r, *rz = r'z unless rz
 * is NULL. */
typedef struct gs_ends {
    const double *r;
    double *z, *rz;
} gs_ends;

/* What is coarsened. */
typedef struct gs_fine {
    const gsolve_csr *A;         /* n x n, columns ascending */
    const gsolve_matrix *matrix; /* the same, to multiply with */
    int32_t block;               /* unknowns a node: unknown i belongs to node i / block */
    gsolve_dense near_null;      /* n x k, k >= 1: what smoothing hardly changes; of A's type */
    int level;                   /* 0: the finest */
    int32_t longest;             /* entries of A's longest row; 0: nobody has looked */
    bool lopsided;               /* A is not symmetric */
    bool transposed;             /* sweeps are those for A': products are with it */
    const gs_ends *from, *to; /* of a sweep whose smoother widens, else NULL: from->r is what b is
                                 still to become; x goes to to->z, and is not needed */
} gs_fine;

/* y = alpha A x + beta y, or with A' where the sweep is for that. */
static inline gsolve_status gs_fine_multiply(const gs_fine *fine, double alpha, gsolve_dense x,
                                             double beta, gsolve_dense y)
{
    return (fine->transposed ? gsolve_matrix_apply_transpose
                             : gsolve_matrix_apply)(fine->matrix, alpha, x, beta, y);
}

/* What coarsening gives. */
typedef struct gs_transfer {
    gsolve_csr P, R; /* owned: n x m, and its transpose (for classical and symmetric: P') */
    int32_t block;   /* unknowns a node on the coarse level */
    gsolve_dense
        near_null; /* owned: m x k, P near_null = that of the fine level, as well as may be */
    void *kept;    /* what update needs of aggregates, patterns and orders */
    char note[80]; /* "212 aggregates" */
} gs_transfer;

/* Frees what it owns but kept, and clears it. */
void gs_transfer_clear(gs_transfer *T, gsolve_context *ctx);

/* A way to coarsen: sa, ua, classical. */
typedef struct gs_coarsening {
    gsolve_plugin plugin; /* only its name and summary: the options are those of amg */
    gsolve_status (*build)(gs_transfer *T, gsolve_context *ctx, const gs_fine *fine,
                           const gs_amg_options *options);
    /* fine has new values in the same pattern, and the same near_null: P's and R's values anew;
     * aggregates, patterns, orders and T's near_null stay */
    gsolve_status (*update)(gs_transfer *T, gsolve_context *ctx, const gs_fine *fine,
                            const gs_amg_options *options);
    void (*destroy)(gs_transfer *T, gsolve_context *ctx); /* all that T owns */
} gs_coarsening;

extern const gs_coarsening gs_amg_sa, gs_amg_ua, gs_amg_classical;

/* *B = the rigid motions of an elastic body, owned, of that type, in ctx's place: 3 or 6 columns
 * from the 2 or 3 coordinates of its nodes in xyz's rows, which lie there too; displacement c of
 * node I is row I d + c for d coordinates. GSOLVE_BAD_ARGUMENT: other numbers of coordinates. */
gsolve_status gs_rigid_body_modes(gsolve_dense *B, gsolve_context *ctx, gsolve_type type,
                                  gsolve_dense xyz);

/* --- smoothing -------------------------------------------------------------------------------- */

/* A way to smooth, set up for one level. */
typedef struct gs_smoother {
    gsolve_plugin plugin; /* only its name and summary: the options are those of amg */
    gsolve_status (*build)(void **self, gsolve_context *ctx, const gs_fine *level,
                           const gs_amg_options *options);
    gsolve_status (*update)(void *self, gsolve_context *ctx, const gs_fine *level,
                            const gs_amg_options *options);
    void (*destroy)(void *self, gsolve_context *ctx);
    /* One sweep over one column, or several by rows, side by side: x += S (b - A x). zero: x counts
     * as 0 on entry and is not read. back: in the opposite order (S'), which the sweeps after the
     * coarse level take, so that the cycle is symmetric where A is. space: like x, to use, and for
     * several columns gs_more_space. Allocates and waits for nothing. */
    gsolve_status (*sweep)(const void *self, gsolve_context *ctx, const gs_fine *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero,
                           bool back);
    /* optional, else gs_fine_residual: r = b - A x, of vectors as those of a sweep */
    gsolve_status (*residual)(const void *self, gsolve_context *ctx, const gs_fine *level,
                              gsolve_dense b, gsolve_dense x, gsolve_dense r);
    /* optional: whether sweeps over one column heed from (where zero) and to (where not) */
    bool (*widens)(const void *self, const gs_fine *level);
    size_t (*bytes)(const void *self, const gs_fine *level); /* that a sweep moves */
    bool row_major; /* a sweep reads the level's rows, in whatever format it is */
    bool even;      /* the sweep back is the sweep */
    int spaces;     /* that a sweep over several columns uses beside space */
} gs_smoother;

/* r = b - A x, or with A', by the level's matrix. */
gsolve_status gs_fine_residual(const gs_fine *level, gsolve_context *ctx, gsolve_dense b,
                               gsolve_dense x, gsolve_dense r);

/* The which-th of the spaces, from 1 on; space: that of several columns. */
static inline void *gs_more_space(gsolve_dense space, int which)
{
    const size_t size = (size_t)space.nrows * GS_AMG_COLUMNS * gs_type_size(space.type);

    return (char *)space.value + (size_t)which * size;
}

extern const gs_smoother gs_amg_l1_jacobi, gs_amg_chebyshev, gs_amg_spai0, gs_amg_gs, gs_amg_ilu;

/* --- options: the table stands in amg.c --------------------------------------------------------
 */

struct gs_amg_options {
    int coarsening;  /* sa, ua, classical */
    double strength; /* sa: |a_ij| > strength sqrt(a_ii a_jj), on nodes the norms of blocks; ua: the
                        share of the strongest that a connection must have to be paired; classical:
                        -a_ij >= strength max -a_ik. negative: as the kind's default */
    int block;       /* unknowns a node; 0: found */
    /* sa */
    int aggregation; /* as gs_aggregation: auto, greedy, mis2 */
    double damping;  /* negative: settled by gs_hierarchy_build. Of the prolongator's smoothing:
                        damping / rho(D^-1 A); 0: none */
    /* ua */
    int pairings; /* aggregates of at most 2^pairings */
    /* classical */
    int interpolation; /* extended_i, one_point */
    int aggressive;    /* first levels coarsened aggressively */
    int most;          /* entries of a row of P, 0: any */
    double truncate;   /* entries of P below that share of the row's largest are dropped */
    /* smoothing */
    int smoother, pre, post, degree, its;
    double ratio, omega;
    /* cycle */
    int cycle, levels, coarsest;
    int type, format, reuse, near_null;
    double complexity;
};

#endif
