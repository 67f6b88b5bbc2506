/* jacobi.c: M = diag(A), or its absolute value for methods that need M positive definite, or
 * diag(A'A) for lsqr and lsmr. */
#include "precond/jacobi/jacobi.h"

#include "precond/diagonal.h"
#include "precond/handle.h"

typedef struct jacobi_options {
    bool absolute;
    bool normal;
} jacobi_options;

typedef struct jacobi {
    jacobi_options options;
    gs_reciprocals inverse; /* 1 / d_i, in A's type */
} jacobi;

static const gsolve_option options[] = {
    {"abs", "1: divide by |a_ii|, which minres needs for indefinite systems", GSOLVE_FLAG,
     offsetof(jacobi_options, absolute), 0, 0, 1, NULL},
    {"normal",
     "1: divide by the diagonal of A^T A, the squares of the norms of A's columns, for lsqr and "
     "lsmr; A may have any shape",
     GSOLVE_FLAG, offsetof(jacobi_options, normal), 0, 0, 1, NULL},
    {0},
};

static void destroy(void *self, gsolve_context *ctx)
{
    gs_reciprocals_free(&((jacobi *)self)->inverse, ctx);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    jacobi *M = self;

    if (M->options.normal) return gs_column_reciprocals(ctx, "jacobi,normal=1", csr, &M->inverse);
    return gs_diagonal_reciprocals(ctx, "jacobi", csr, M->options.absolute, &M->inverse);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen, void *user)
{
    (void)user;
    return gs_precond_build(self, ctx, csr, chosen, &gs_jacobi, sizeof(jacobi));
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    const jacobi *M = self;
    return GS_KERNELS(gs_jacobi, ctx, r.type)->apply_columns(ctx->queue, M->inverse.d, r, z);
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z,
                               double *rz)
{
    const jacobi *M = self;
    return GS_KERNELS(gs_jacobi, ctx, r.type)
        ->apply(ctx->queue, r.nrows, M->inverse.d, r.value, z.value, rz);
}

static const void *diagonal(const void *self)
{
    return ((const jacobi *)self)->inverse.d;
}

static bool is_of_normal(const void *chosen)
{
    return ((const jacobi_options *)chosen)->normal;
}

/* The sums over columns are made on the host. */
static bool reads_anywhere(const void *chosen)
{
    return !is_of_normal(chosen);
}

const gs_precond_extension gs_jacobi_extension = {.anywhere = reads_anywhere,
                                                  .is_of_normal = is_of_normal};

const gsolve_precond_kind gs_jacobi = {
    .plugin = {"jacobi", "division by the diagonal", options, sizeof(jacobi_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply,
    .apply_dot = apply_dot,
    .diagonal = diagonal,
    .update = update,
};
