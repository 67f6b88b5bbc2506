/* diagonal_smoothers.c: the smoothers that divide by a diagonal D: l1_jacobi, spai0 and chebyshev.
 * l1_jacobi and chebyshev use D = diag(sum_j |a_ij|). For a symmetric A, x'Ax <= x'Dx, so that 1
 * bounds the spectrum of D^-1 A without an estimate. All are polynomials in D^-1 A times D^-1, so
 * that the sweep back equals the sweep.
 *
 * If the level's products use rows of similar lengths, or slices on a GPU, a step is one pass over
 * the matrix, from x_k into the vector that holds x_k-1. Else a step is a product and a pass over
 * vectors. */
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "precond/amg/smoothers/relax.h"
#include "precond/amg/smoothers/smoother.h"
#include "precond/chebyshev/polynomial.h"
#include "spmv/step.h"
#include "vector/vector.h"

typedef struct relaxation {
    gs_inverse_diagonal kind;
    void *memory;   /* of d; over ranks it has places for the rows of ghosts, too */
    void *d;        /* the reciprocals of D */
    gsolve_dense p; /* the direction of chebyshev, if a step is two passes or A is not symmetric;
                       else work space */
    int degree;     /* degree of the polynomial; for l1_jacobi the number of steps */
    double omega;   /* l1_jacobi: factor of a step */
    int its;        /* chebyshev: see gs_estimate_lambda_max */
    gs_polynomial polynomial;
    bool fused;  /* a step is one pass over the rows */
    bool sliced; /* for one column a step is one pass over the slices of the matrix */
    bool even;   /* for several columns a step can be one pass over the rows, while they exist */
    double mean; /* entries per row */
    gsolve_matrix_info A;
} relaxation;

static void destroy(void *self, gsolve_context *ctx)
{
    relaxation *s = self;

    gsolve_free(ctx, GSOLVE_DEVICE, s->memory);
    gsolve_free(ctx, GSOLVE_DEVICE, s->p.value);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

/* Sets the upper end of the spectrum of D^-1 A for the polynomial. 1 is a bound. */
static gsolve_status set_spectrum(relaxation *s, gsolve_context *ctx, const gs_level_view *level)
{
    gsolve_dense q = {0};
    double *square = NULL;
    gsolve_status status = GSOLVE_OK;

    s->polynomial.lambda_max = 1;
    if (s->its == 0) return GSOLVE_OK;
    status = gs_dense_new(&q, ctx, gs_location(ctx), level->A->type, gs_level_rows(level), 1);
    square = gsolve_alloc(ctx, GSOLVE_DEVICE, 1, sizeof *square);
    if (!square) status = GSOLVE_NO_MEMORY;
    TRY(gs_comm_check(gs_matrix_comm(level->matrix), status));
    TRY(gs_estimate_lambda_max(&s->polynomial.lambda_max, ctx, level->matrix, s->d, s->its, s->p, q,
                               square));
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
            ->reciprocals(ctx->queue, level->A, s->kind, s->memory));
    TRY(set_spectrum(s, ctx, level));
done:
    return status;
}

/* Sets which steps are one pass. Over ranks none is. */
static gsolve_status find_passes(relaxation *s, gsolve_context *ctx, const gs_level_view *level)
{
    const gsolve_csr *A = level->A;
    gsolve_status status;

    s->A.size = sizeof s->A;
    gsolve_matrix_describe(level->matrix, &s->A);
    if (level->over_ranks) return GSOLVE_OK;
    TRY(gs_relax_applies(&s->fused, &s->mean, ctx, level->matrix, A));
    s->even = s->fused;
    s->sliced = gs_matrix_can_step(level->matrix);
    if (strcmp(s->A.format, "csr") != 0) {
        TRY(gs_relax_rows_are_even(&s->even, ctx, A, s->mean, level->longest));
    }
done:
    return status;
}

/* *out = given, with its arrays. Local. */
static gsolve_status create(relaxation **out, gsolve_context *ctx, const gs_level_view *level,
                            relaxation given)
{
    const gsolve_csr *A = level->A;
    const bool needs_direction =
        given.omega == 0 && given.degree > 1; /* whether a sweep stores directions */
    relaxation *s;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s, 1);
    *s = given;
    *out = s;
    s->memory = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)A->nrows, gs_type_size(A->type));
    TRY(s->memory ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    s->d = (char *)s->memory + (size_t)level->first * gs_type_size(A->type);
    TRY(find_passes(s, ctx, level));
    if (s->its > 0 || (needs_direction && (!(s->fused || s->sliced) || level->nonsymmetric))) {
        TRY(gs_dense_new(&s->p, ctx, gs_location(ctx), A->type, gs_level_rows(level), 1));
    }
done:
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gs_level_view *level,
                           relaxation given)
{
    relaxation *s = NULL;
    gsolve_status status;

    TRY(gs_comm_check(gs_matrix_comm(level->matrix), create(&s, ctx, level, given)));
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

/* A sweep of products and passes over vectors. From zero, x is the direction after the first step.
 * After the last step no direction is needed. */
static gsolve_status sweep_unfused(const relaxation *S, gsolve_context *ctx,
                                   const gs_level_view *level, gsolve_dense b, gsolve_dense x,
                                   gsolve_dense space, bool zero)
{
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, b.type);
    void *p = b.ncols > 1 ? gs_extra_vector(space, 1) : S->p.value;
    gs_polynomial_step s = first_step(S);
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < S->degree; k++) {
        const bool first = zero && k == 0;
        gs_step_vectors v = {.d = S->d, .b = b.value, .x = x.value};
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

/* y = x + s->a d * (b - A x) + s->c (x - old), or y = b - A x if s is NULL. */
static gsolve_status fused_pass(const relaxation *S, gsolve_context *ctx,
                                const gs_level_view *level, const gs_polynomial_step *s,
                                gsolve_dense b, const void *x, const void *old, void *y)
{
    gs_step step = {.b = b.value, .old = old, .y = y};

    if (s) step.a = s->a, step.c = s->c, step.d = S->d;
    if (S->sliced && b.ncols == 1) return gs_matrix_step(level->matrix, x, &step);
    return GS_KERNELS(gs_relax, ctx, b.type)
        ->relax(ctx->queue, level->A, S->mean, b.ncols, x, &step);
}

/* The last step of a cycle that writes its result in double precision. */
static gsolve_status last_pass_f64(const relaxation *S, const gs_level_view *level,
                                   gs_polynomial_step s, const void *b, const void *x,
                                   const void *old)
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

static gsolve_status first_step_from_zero(const relaxation *S, gsolve_context *ctx,
                                          const gs_level_view *level, double a, gsolve_dense b,
                                          void *x)
{
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, b.type);

    if (level->f64_in) {
        return kernels->step_from_f64(ctx->queue, b.nrows, a, S->d, level->f64_in->r, b.value, x);
    }
    return kernels->step(ctx->queue, b.nrows, b.ncols, a, 0,
                         (gs_step_vectors){.d = S->d, .b = b.value, .x = x});
}

/* A sweep of fused passes, alternately from x to space and back; x_k - x_k-1 serves as the
 * direction. */
static gsolve_status sweep_fused(const relaxation *S, gsolve_context *ctx,
                                 const gs_level_view *level, gsolve_dense b, gsolve_dense x,
                                 gsolve_dense space, bool zero)
{
    const int passes = zero ? S->degree - 1 : S->degree;
    void *current = zero && passes % 2 ? space.value : x.value;
    void *before = current == x.value ? space.value : x.value;
    gs_polynomial_step s = first_step(S);
    gsolve_status status = GSOLVE_OK;

    if (zero) TRY(first_step_from_zero(S, ctx, level, s.a, b, current));
    for (int k = 0; k < passes; k++) {
        void *after = before;
        const void *old = zero && k == 0 ? NULL : before;
        if (zero || k > 0) s = next_step(S, s);
        if (level->f64_out && k + 1 == passes)
            return last_pass_f64(S, level, s, b.value, current, old);
        TRY(fused_pass(S, ctx, level, &s, b, current, old, after));
        before = current;
        current = after;
    }
    if (current == space.value) {
        TRY(GS_KERNELS(gs_vector, ctx, x.type)
                ->copy(ctx->queue, (int64_t)x.nrows * x.ncols, x.type, space.value, x.value));
    }
done:
    return status;
}

#define FEW_ROWS 1000000

/* Whether a step on this many columns is one pass over the matrix. Slices are faster than rows for
 * one column. They are faster for several columns too if there are many rows; with a thread per
 * row, a small matrix does not fill a GPU. */
static bool is_fused(const relaxation *s, const gs_level_view *level, int32_t columns)
{
    const bool small_even = s->even && level->A->col && level->A->nrows <= FEW_ROWS;

    return !level->transposed && (s->fused || (columns > 1 ? small_even : s->sliced));
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
    return (is_fused(s, level, b.ncols) ? sweep_fused : sweep_unfused)(s, ctx, level, b, x, space,
                                                                       zero);
}

static gsolve_status residual(const void *self, gsolve_context *ctx, const gs_level_view *level,
                              gsolve_dense b, gsolve_dense x, gsolve_dense r)
{
    const relaxation *s = self;

    if (!is_fused(s, level, b.ncols)) return gs_level_residual(level, ctx, b, x, r);
    return fused_pass(s, ctx, level, NULL, b, x.value, NULL, r.value);
}

/* Bytes of a sweep. One pass: the matrix, b, d, x and the vector before x. Two passes: the product,
 * and b, d, x twice; for a polynomial also p twice. */
static size_t bytes(const void *self, const gs_level_view *level)
{
    const relaxation *s = self;
    const size_t vector = (size_t)gs_level_rows(level) * gs_type_size(level->A->type);
    const bool needs_direction = s->omega == 0 && s->degree > 1;
    const size_t beside = s->fused || s->sliced ? (s->degree > 1 ? 3 : 4) : needs_direction ? 7 : 5;

    return (size_t)s->degree * (s->A.bytes + beside * vector);
}

/* What the three smoothers share. */
#define SHARED_MEMBERS                                                          \
    .update = update, .destroy = destroy, .sweep = sweep, .residual = residual, \
    .fuses_f64 = fuses_f64, .bytes = bytes, .symmetric = true

const gs_smoother gs_amg_l1_jacobi = {SHARED_MEMBERS, .build = build_jacobi};
const gs_smoother gs_amg_spai0 = {SHARED_MEMBERS, .build = build_spai0};
const gs_smoother gs_amg_chebyshev = {SHARED_MEMBERS, .build = build_chebyshev, .extra_vectors = 1};
