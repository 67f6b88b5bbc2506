/* smoothers.c: those that divide by a diagonal: l1_jacobi, spai0, chebyshev. l1_jacobi and
 * chebyshev take D = diag(sum_j |a_ij|), which is no smaller than A where A is symmetric (x'Ax <=
 * x'Dx), so that 1 bounds the spectrum of D^-1 A without an estimate. All are polynomials in
 * D^-1 A times D^-1, so that the sweep back is the sweep.
 *
 * Where the level is multiplied by its rows, of similar lengths, or by slices on a GPU, a step is
 * one pass over these, from x_k into the vector that holds x_k-1; else it is a product and a pass
 * over vectors. */
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/smoothers/relax.h"
#include "precond/amg/smoothers/smoother.h"
#include "precond/chebyshev/polynomial.h"
#include "spmv/step.h"
#include "vector/vector.h"

typedef struct relaxation {
    gs_inverse_diagonal kind;
    void *d;        /* D's reciprocals */
    gsolve_dense p; /* chebyshev's direction, where a step, or one with A', is two passes; space */
    int degree;     /* of the polynomial; of jacobi: its steps */
    double omega;   /* jacobi: factor of a step */
    int its;        /* chebyshev: see gs_polynomial_most */
    gs_polynomial polynomial;
    bool fused;  /* a step is one pass over rows */
    bool sliced; /* ... with one column one over the matrix's slices */
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
static gsolve_status set_spectrum(relaxation *s, gsolve_context *ctx, const gs_level_view *level)
{
    gsolve_dense q = {0};
    double *square = NULL;
    gsolve_status status = GSOLVE_OK;

    s->polynomial.most = 1;
    if (s->its == 0) return GSOLVE_OK;
    TRY(gs_dense_new(&q, ctx, gs_location(ctx), level->A->type, level->A->nrows, 1));
    ALLOC(ctx, GSOLVE_DEVICE, square, 1);
    TRY(gs_polynomial_most(&s->polynomial.most, ctx, level->matrix, s->d, s->its, s->p, q, square));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, square);
    gsolve_free(ctx, GSOLVE_DEVICE, q.value);
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gs_level_view *level,
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

static gsolve_status build(void **self, gsolve_context *ctx, const gs_level_view *level,
                           relaxation is)
{
    const gsolve_csr *A = level->A;
    const bool keeps = is.omega == 0 && is.degree > 1; /* the last direction */
    relaxation *s = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s, 1);
    *s = is;
    s->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)A->nrows, gs_type_size(A->type));
    TRY(s->d ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_relax_applies(&s->fused, &s->mean, ctx, level->matrix, A));
    gsolve_matrix_describe(level->matrix, &s->A);
    s->even = s->fused;
    s->sliced = gs_matrix_can_step(level->matrix);
    if (strcmp(s->A.format, "csr") != 0) {
        TRY(gs_relax_rows_are_even(&s->even, ctx, A, s->mean, level->longest));
    }
    if (s->its > 0 || (keeps && (!(s->fused || s->sliced) || level->nonsymmetric))) {
        TRY(gs_dense_new(&s->p, ctx, gs_location(ctx), A->type, A->nrows, 1));
    }
    TRY(update(s, ctx, level, NULL));
    *self = s;
    s = NULL;
done:
    if (s) destroy(s, ctx);
    return status;
}

static gsolve_status build_jacobi(void **self, gsolve_context *ctx, const gs_level_view *level,
                                  const gs_amg_options *options)
{
    return build(
        self, ctx, level,
        (relaxation){.kind = GS_L1_SUMS, .degree = options->degree, .omega = options->omega});
}

static gsolve_status build_spai0(void **self, gsolve_context *ctx, const gs_level_view *level,
                                 const gs_amg_options *options)
{
    (void)options;
    return build(self, ctx, level, (relaxation){.kind = GS_LEAST_SQUARES, .degree = 1, .omega = 1});
}

static gsolve_status build_chebyshev(void **self, gsolve_context *ctx, const gs_level_view *level,
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

static gs_polynomial_step next_step(const relaxation *S, gs_polynomial_step s)
{
    return S->omega != 0 ? s : gs_polynomial_next(S->polynomial, s);
}

/* From 0, x itself is the direction after the first step; after the last it is not needed. */
static gsolve_status sweep_apart(const relaxation *S, gsolve_context *ctx,
                                 const gs_level_view *level, gsolve_dense b, gsolve_dense x,
                                 gsolve_dense space, bool zero)
{
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, b.type);
    void *p = b.ncols > 1 ? gs_extra_vector(space, 1) : S->p.value;
    gs_polynomial_step s = first_step(S);
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < S->degree; k++) {
        const bool first = zero && k == 0;
        gs_stepped v = {.d = S->d, .b = b.value, .x = x.value};
        if (k > 0) s = next_step(S, s);
        if (!first) {
            TRY(gs_level_multiply(level, 1, x, 0, space));
            v.Ax = space.value;
            v.old = zero && k == 1 ? x.value : p;
            v.p = S->omega == 0 && k + 1 < S->degree ? p : NULL;
        }
        TRY(kernels->step(ctx->queue, b.nrows, b.ncols, s.a, s.c, v));
    }
done:
    return status;
}

/* y = x + s->a d * (b - A x) + s->c (x - old), or the residual where s is NULL. */
static gsolve_status pass(const relaxation *S, gsolve_context *ctx, const gs_level_view *level,
                          const gs_polynomial_step *s, gsolve_dense b, const void *x,
                          const void *old, void *y)
{
    const gs_relax_kernels *rows = GS_KERNELS(gs_relax, ctx, b.type);
    gs_step step = {.b = b.value, .old = old, .y = y};

    if (S->sliced && b.ncols == 1) {
        if (s) step.a = s->a, step.c = s->c, step.d = S->d;
        return gs_matrix_step(level->matrix, x, &step);
    }
    if (!s) return rows->residual(ctx->queue, level->A, S->mean, b.ncols, b.value, x, y);
    return rows->relax(ctx->queue, level->A, S->mean, b.ncols, s->a, s->c, S->d, b.value, x, old,
                       y);
}

/* The last step of a cycle that ends in double precision. */
static gsolve_status pass_wide(const relaxation *S, const gs_level_view *level,
                               gs_polynomial_step s, const void *b, const void *x, const void *old)
{
    const gs_step step = {.a = s.a,
                          .c = s.c,
                          .d = S->d,
                          .b = b,
                          .old = old,
                          .wide = level->f64_out->z,
                          .ry = level->f64_out->rz,
                          .r = level->f64_out->r};

    return gs_matrix_step(level->matrix, x, &step);
}

static gsolve_status begin_from_zero(const relaxation *S, gsolve_context *ctx,
                                     const gs_level_view *level, double a, gsolve_dense b, void *x)
{
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, b.type);

    if (level->f64_in) {
        return kernels->narrow(ctx->queue, b.nrows, a, S->d, level->f64_in->r, b.value, x);
    }
    return kernels->step(ctx->queue, b.nrows, b.ncols, a, 0,
                         (gs_stepped){.d = S->d, .b = b.value, .x = x});
}

/* The same to and fro between x and space, with x_k - x_k-1 for p. */
static gsolve_status sweep_fused(const relaxation *S, gsolve_context *ctx,
                                 const gs_level_view *level, gsolve_dense b, gsolve_dense x,
                                 gsolve_dense space, bool zero)
{
    const int passes = zero ? S->degree - 1 : S->degree;
    void *now = zero && passes % 2 ? space.value : x.value;
    void *before = now == x.value ? space.value : x.value;
    gs_polynomial_step s = first_step(S);
    gsolve_status status = GSOLVE_OK;

    if (zero) TRY(begin_from_zero(S, ctx, level, s.a, b, now));
    for (int k = 0; k < passes; k++) {
        void *after = before;
        const void *old = zero && k == 0 ? NULL : before;
        if (zero || k > 0) s = next_step(S, s);
        if (level->f64_out && k + 1 == passes) return pass_wide(S, level, s, b.value, now, old);
        TRY(pass(S, ctx, level, &s, b, now, old, after));
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

/* Whether a step on so many columns is one pass. Slices are faster than rows for one column, and
 * for several where there are many rows: with a thread to a row, few keep a GPU waiting. */
static bool in_one_pass(const relaxation *s, const gs_level_view *level, int32_t columns)
{
    const bool few = s->even && level->A->col && level->A->nrows <= FEW_ROWS;

    return !level->transposed && (s->fused || (columns > 1 ? few : s->sliced));
}

static bool fuses_f64(const void *self, const gs_level_view *level)
{
    return ((const relaxation *)self)->sliced && level->A->type == GSOLVE_F32;
}

static gsolve_status sweep(const void *self, gsolve_context *ctx, const gs_level_view *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero, bool back)
{
    const relaxation *s = self;

    (void)back;
    return (in_one_pass(s, level, b.ncols) ? sweep_fused : sweep_apart)(s, ctx, level, b, x, space,
                                                                        zero);
}

static gsolve_status residual(const void *self, gsolve_context *ctx, const gs_level_view *level,
                              gsolve_dense b, gsolve_dense x, gsolve_dense r)
{
    const relaxation *s = self;

    if (!in_one_pass(s, level, b.ncols)) return gs_level_residual(level, ctx, b, x, r);
    return pass(s, ctx, level, NULL, b, x.value, NULL, r.value);
}

/* Passes over the matrix with b, d, x and what was before it; else with b, d, x twice and, for a
 * polynomial, p twice beside the product. */
static size_t bytes(const void *self, const gs_level_view *level)
{
    const relaxation *s = self;
    const size_t vector = (size_t)level->A->nrows * gs_type_size(level->A->type);
    const bool keeps = s->omega == 0 && s->degree > 1;
    const size_t beside = s->fused || s->sliced ? (s->degree > 1 ? 3 : 4) : keeps ? 7 : 5;

    return (size_t)s->degree * (s->A.bytes + beside * vector);
}

const gs_smoother gs_amg_l1_jacobi = {
    .plugin = {"l1_jacobi", "division by the sums of the rows' magnitudes", NULL, 0},
    .build = build_jacobi,
    .update = update,
    .destroy = destroy,
    .sweep = sweep,
    .residual = residual,
    .fuses_f64 = fuses_f64,
    .bytes = bytes,
    .symmetric = true,
};

const gs_smoother gs_amg_spai0 = {
    .plugin = {"spai0", "product with the diagonal closest to the inverse", NULL, 0},
    .build = build_spai0,
    .update = update,
    .destroy = destroy,
    .sweep = sweep,
    .residual = residual,
    .fuses_f64 = fuses_f64,
    .bytes = bytes,
    .symmetric = true,
};

const gs_smoother gs_amg_chebyshev = {
    .plugin = {"chebyshev", "polynomial in the matrix divided by those sums", NULL, 0},
    .build = build_chebyshev,
    .update = update,
    .destroy = destroy,
    .sweep = sweep,
    .residual = residual,
    .fuses_f64 = fuses_f64,
    .bytes = bytes,
    .symmetric = true,
    .extra_vectors = 1,
};
