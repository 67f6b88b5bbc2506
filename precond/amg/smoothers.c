/* smoothers.c: those that divide by a diagonal: l1_jacobi, spai0, chebyshev. l1_jacobi and
 * chebyshev take D = diag(sum_j |a_ij|), which is no smaller than A where A is symmetric (x'Ax <=
 * x'Dx), so that 1 bounds the spectrum of D^-1 A without an estimate. All are polynomials in
 * D^-1 A times D^-1, so that the sweep back is the sweep.
 *
 * Where the level is multiplied by its rows, of similar lengths, a step is one pass over them, from
 * x_k into the vector that holds x_k-1; else it is a product and a pass over vectors. */
#include <string.h>

#include "core/stage.h"
#include "core/try.h"
#include "core/vector.h"
#include "precond/amg/amg.h"
#include "precond/amg/relax.h"
#include "precond/polynomial.h"

typedef struct relaxation {
    gs_inverse_diagonal kind;
    void *d;        /* D's reciprocals */
    gsolve_dense p; /* chebyshev's direction, where a step, or one with A', is two passes; space */
    int degree;     /* of the polynomial; 1: jacobi */
    double omega;   /* jacobi: factor of its step */
    int its;        /* chebyshev: see gs_polynomial_most */
    gs_polynomial polynomial;
    bool fused;  /* a step is one pass over rows */
    bool even;   /* it may be one for several columns, while the rows are there */
    double mean; /* entries a row */
    gsolve_matrix_info A;
} relaxation;

static void destroy(void *self, gsolve_context *ctx)
{
    relaxation *s = self;

    gsolve_free(ctx, GSOLVE_DEVICE, s->d);
    gsolve_free(ctx, GSOLVE_DEVICE, s->p.value);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

/* The part of the spectrum of D^-1 A, of which 1 is a bound, that a polynomial is for. */
static gsolve_status set_spectrum(relaxation *s, gsolve_context *ctx, const gs_fine *level)
{
    gsolve_dense q = {0};
    double *square = NULL;
    gsolve_status status = GSOLVE_OK;

    s->polynomial.most = 1;
    if (s->its == 0) return GSOLVE_OK;
    TRY(gs_dense_new(&q, ctx, gs_place(ctx), level->A->type, level->A->nrows, 1));
    ALLOC(ctx, GSOLVE_DEVICE, square, 1);
    TRY(gs_polynomial_most(&s->polynomial.most, ctx, level->matrix, s->d, s->its, s->p, q, square));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, square);
    gsolve_free(ctx, GSOLVE_DEVICE, q.value);
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gs_fine *level,
                            const gs_amg_options *options)
{
    relaxation *s = self;
    gsolve_status status;

    (void)options;
    TRY(GS_KERNELS(gs_polynomial, ctx, level->A->type)
            ->reciprocals(ctx->queue, level->A, s->kind, s->d));
    TRY(set_spectrum(s, ctx, level));
done:
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gs_fine *level, relaxation is)
{
    const gsolve_csr *A = level->A;
    relaxation *s = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s, 1);
    *s = is;
    s->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)A->nrows, gs_type_size(A->type));
    TRY(s->d ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_relax_suits(&s->fused, &s->mean, ctx, level->matrix, A));
    gsolve_matrix_describe(level->matrix, &s->A);
    s->even = s->fused;
    if (strcmp(s->A.format, "csr") != 0) {
        TRY(gs_relax_even(&s->even, ctx, A, s->mean, level->longest));
    }
    if (s->its > 0 || (s->degree > 1 && (!s->fused || level->lopsided))) {
        TRY(gs_dense_new(&s->p, ctx, gs_place(ctx), A->type, A->nrows, 1));
    }
    TRY(update(s, ctx, level, NULL));
    *self = s;
    s = NULL;
done:
    if (s) destroy(s, ctx);
    return status;
}

static gsolve_status build_jacobi(void **self, gsolve_context *ctx, const gs_fine *level,
                                  const gs_amg_options *options)
{
    return build(self, ctx, level,
                 (relaxation){.kind = GS_L1_SUMS, .degree = 1, .omega = options->omega});
}

static gsolve_status build_spai0(void **self, gsolve_context *ctx, const gs_fine *level,
                                 const gs_amg_options *options)
{
    (void)options;
    return build(self, ctx, level, (relaxation){.kind = GS_LEAST_SQUARES, .degree = 1, .omega = 1});
}

static gsolve_status build_chebyshev(void **self, gsolve_context *ctx, const gs_fine *level,
                                     const gs_amg_options *options)
{
    return build(self, ctx, level,
                 (relaxation){.kind = GS_L1_SUMS,
                              .degree = options->degree,
                              .its = options->its > 0 ? options->its : 0,
                              .polynomial.ratio = options->ratio});
}

/* --- steps ------------------------------------------------------------------------------------ */

static gs_polynomial_step first_step(const relaxation *S)
{
    if (S->omega != 0) return (gs_polynomial_step){.a = S->omega};
    return gs_polynomial_first(S->polynomial);
}

/* From 0, x itself is the direction after the first step; after the last it is not needed. */
static gsolve_status sweep_apart(const relaxation *S, gsolve_context *ctx, const gs_fine *level,
                                 gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero)
{
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, b.type);
    void *p = b.ncols > 1 ? gs_more_space(space, 1) : S->p.value;
    gs_polynomial_step s = first_step(S);
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < S->degree; k++) {
        const bool first = zero && k == 0;
        gs_stepped v = {.d = S->d, .b = b.value, .x = x.value};
        if (k > 0) s = gs_polynomial_next(S->polynomial, s);
        if (!first) {
            TRY(gs_fine_multiply(level, 1, x, 0, space));
            v.Ax = space.value;
            v.old = zero && k == 1 ? x.value : p;
            v.p = k + 1 < S->degree ? p : NULL;
        }
        TRY(kernels->step(ctx->queue, b.nrows, b.ncols, s.a, s.c, v));
    }
done:
    return status;
}

/* The same to and fro between x and space, with x_k - x_k-1 for p. */
static gsolve_status sweep_fused(const relaxation *S, gsolve_context *ctx, const gs_fine *level,
                                 gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero)
{
    const gs_relax_kernels *kernels = GS_KERNELS(gs_relax, ctx, b.type);
    const int passes = zero ? S->degree - 1 : S->degree;
    void *now = zero && passes % 2 ? space.value : x.value;
    void *before = now == x.value ? space.value : x.value;
    gs_polynomial_step s = first_step(S);
    gsolve_status status = GSOLVE_OK;

    if (zero) {
        TRY(GS_KERNELS(gs_polynomial, ctx, b.type)
                ->step(ctx->queue, b.nrows, b.ncols, s.a, 0,
                       (gs_stepped){.d = S->d, .b = b.value, .x = now}));
    }
    for (int k = 0; k < passes; k++) {
        void *after = before;
        if (zero || k > 0) s = gs_polynomial_next(S->polynomial, s);
        TRY(kernels->relax(ctx->queue, level->A, S->mean, b.ncols, s.a, s.c, S->d, b.value, now,
                           zero && k == 0 ? NULL : before, after));
        before = now;
        now = after;
    }
    if (now == space.value) {
        TRY(GS_KERNELS(gs_vector, ctx, x.type)
                ->copy(ctx->queue, (int64_t)x.nrows * x.ncols, x.type, space.value, x.value));
    }
done:
    return status;
}

#define FEW_ROWS 1000000

/* Whether products with so many columns are passes over rows. Slices are faster for one column, and
 * for several where there are many rows: with a thread to a row, few keep a GPU waiting. */
static bool by_rows(const relaxation *s, const gs_fine *level, int32_t columns)
{
    const bool few = s->even && level->A->col && level->A->nrows <= FEW_ROWS;

    return !level->transposed && (s->fused || (columns > 1 && few));
}

static gsolve_status sweep(const void *self, gsolve_context *ctx, const gs_fine *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero, bool back)
{
    const relaxation *s = self;

    (void)back;
    return (by_rows(s, level, b.ncols) ? sweep_fused : sweep_apart)(s, ctx, level, b, x, space,
                                                                    zero);
}

gsolve_status gs_fine_residual(const gs_fine *level, gsolve_context *ctx, gsolve_dense b,
                               gsolve_dense x, gsolve_dense r)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, b.type)
            ->copy(ctx->queue, (int64_t)b.nrows * b.ncols, b.type, b.value, r.value));
    TRY(gs_fine_multiply(level, -1, x, 1, r));
done:
    return status;
}

static gsolve_status residual(const void *self, gsolve_context *ctx, const gs_fine *level,
                              gsolve_dense b, gsolve_dense x, gsolve_dense r)
{
    const relaxation *s = self;

    if (!by_rows(s, level, b.ncols)) return gs_fine_residual(level, ctx, b, x, r);
    return GS_KERNELS(gs_relax, ctx, b.type)
        ->residual(ctx->queue, level->A, s->mean, b.ncols, b.value, x.value, r.value);
}

/* Passes over the matrix with b, d, x and what was before it; else with b, d, x twice and p twice
 * beside the product. */
static size_t bytes(const void *self, const gs_fine *level)
{
    const relaxation *s = self;
    const size_t vector = (size_t)level->A->nrows * gs_type_size(level->A->type);
    const size_t beside = s->fused ? (s->degree > 1 ? 3 : 4) : s->degree > 1 ? 7 : 5;

    return (size_t)s->degree * (s->A.bytes + beside * vector);
}

const gs_smoother gs_amg_l1_jacobi = {
    .plugin = {"l1_jacobi", "division by the sums of the rows' magnitudes", NULL, 0},
    .build = build_jacobi,
    .update = update,
    .destroy = destroy,
    .sweep = sweep,
    .residual = residual,
    .bytes = bytes,
};

const gs_smoother gs_amg_spai0 = {
    .plugin = {"spai0", "product with the diagonal closest to the inverse", NULL, 0},
    .build = build_spai0,
    .update = update,
    .destroy = destroy,
    .sweep = sweep,
    .residual = residual,
    .bytes = bytes,
};

const gs_smoother gs_amg_chebyshev = {
    .plugin = {"chebyshev", "polynomial in the matrix divided by those sums", NULL, 0},
    .build = build_chebyshev,
    .update = update,
    .destroy = destroy,
    .sweep = sweep,
    .residual = residual,
    .bytes = bytes,
    .spaces = 1,
};
