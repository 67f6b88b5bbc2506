/* ilu.c: the smoother ilu: x += M^-1 (b - A x), where M = (I + L) D (I + U) is the incomplete LU
 * factorisation of level 0. M is symmetric if A is, so that the sweep back equals the sweep.
 *
 * On the CPU these are the factors of the preconditioner ilu, and solves with them are exact. On a
 * GPU the factors are those of ilu.h, and a solve with I + T, T strictly triangular, is
 * approximated by Jacobi steps from y_0 = r,
 *
 *     y_k+1 = r - T y_k
 *
 * They reach the solution after at most n steps, and reduce oscillating errors first, which is what
 * a smoother needs (Anzt, Chow and Dongarra, Euro-Par 2015). */
#include "precond/amg/smoothers/ilu.h"

#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/smoothers/relax.h"
#include "precond/amg/smoothers/smoother.h"
#include "precond/chebyshev/polynomial.h"
#include "precond/incomplete/incomplete.h"
#include "spmv/handle.h"
#include "vector/layout.h"
#include "vector/vector.h"

const gs_ilu_kernels gs_ilu_host[GSOLVE_TYPE_COUNT]; /* none: the CPU has exact factors */

typedef struct ilu_matrix { /* L or U */
    gsolve_matrix *T;
    gsolve_csr rows; /* the rows of T */
    bool fused;      /* r - T y is one pass over the rows */
    double mean;     /* entries per row */
} ilu_matrix;

typedef struct ilu_smoother {
    bool exact;          /* CPU: exact solves with factors; else the members below */
    gs_factors *factors; /* NULL if not exact; the first transposed solve changes it */
    ilu_matrix L, U;
    void *d; /* reciprocals of D */
    gsolve_dense y, z;
    int steps;
    double scale; /* factor of M^-1 */
    bool fused;   /* fused and mean of A */
    double mean;
    gsolve_matrix_info A;
} ilu_smoother;

static void destroy(void *self, gsolve_context *ctx)
{
    ilu_smoother *s = self;

    if (s->factors) gs_factors_destroy(s->factors, ctx);
    gsolve_free(ctx, GSOLVE_HOST, s->factors);
    gsolve_matrix_destroy(&s->L.T);
    gsolve_matrix_destroy(&s->U.T);
    gsolve_free(ctx, GSOLVE_DEVICE, s->d);
    gsolve_free(ctx, GSOLVE_DEVICE, s->y.value);
    gsolve_free(ctx, GSOLVE_DEVICE, s->z.value);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

/* --- exact factors ---------------------------------------------------------------------------- */

static gsolve_status factor_exactly(ilu_smoother *s, gsolve_context *ctx, const gsolve_csr *A)
{
    double shift = 0;
    return gs_factors_compute(s->factors, ctx, A, "amg,smoother=ilu", false, true, &shift);
}

/* --- factors on a device ---------------------------------------------------------------------- */

/* Sets the values of the strict triangle t from the factorisation (s, d). The first call also makes
 * it a matrix, in this format. */
static gsolve_status set_side(ilu_matrix *t, gsolve_context *ctx, const gsolve_csr *A,
                              const char *format, const void *s, const void *d, bool upper)
{
    const gs_ilu_kernels *kernels = GS_SCALAR_KERNELS(gs_ilu, ctx, A->type);
    gsolve_csr made = {0};
    gsolve_status status;

    if (t->T) {
        TRY(kernels->put(ctx->queue, A, s, d, &t->rows, gs_owned_block(ctx, t->rows.value), upper));
        return gs_matrix_update_form(t->T);
    }
    TRY(kernels->side(&made, ctx, A, upper));
    TRY(kernels->put(ctx->queue, A, s, d, &made, gs_owned_block(ctx, made.value), upper));
    TRY(gs_matrix_create_unchecked(&t->T, ctx, format, &made));
    gsolve_matrix_device_csr(t->T, &t->rows);
    TRY(gs_relax_applies(&t->fused, &t->mean, ctx, t->T, &t->rows));
done:
    gsolve_csr_free(&made, ctx);
    return status;
}

/* Runs GS_ILU_SWEEPS sweeps, alternately between the two arrays of S and of d. S: s_ij for each
 * entry of A. d: 1 / D_ii. */
static gsolve_status factor_in_sweeps(ilu_smoother *s, gsolve_context *ctx, const gsolve_csr *A,
                                      void *const S[2], void *const d[2])
{
    const gs_ilu_kernels *kernels = GS_SCALAR_KERNELS(gs_ilu, ctx, A->type);
    const gs_polynomial_kernels *diagonal = GS_KERNELS(gs_polynomial, ctx, A->type);
    const void *old = A->value;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < 2; k++) TRY(diagonal->reciprocals(ctx->queue, A, GS_POINT_JACOBI, d[k]));
    for (int k = 0; k < GS_ILU_SWEEPS; k++) {
        TRY(kernels->sweep(ctx->queue, A, s->mean, old, d[k % 2], S[k % 2], d[(k + 1) % 2]));
        old = S[k % 2];
    }
done:
    return status;
}

static gsolve_status factor_iteratively(ilu_smoother *s, gsolve_context *ctx, const gsolve_csr *A)
{
    const size_t size = gs_type_size(A->type);
    void *S[2] = {NULL, NULL}, *spare = NULL;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < 2; k++) {
        S[k] = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)s->A.entries, size);
        TRY(S[k] ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    }
    spare = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)A->nrows, size);
    TRY(spare ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    void *const d[2] = {GS_ILU_SWEEPS % 2 ? spare : s->d, GS_ILU_SWEEPS % 2 ? s->d : spare};
    TRY(factor_in_sweeps(s, ctx, A, S, d));
    TRY(set_side(&s->L, ctx, A, s->A.format, S[(GS_ILU_SWEEPS - 1) % 2], s->d, false));
    TRY(set_side(&s->U, ctx, A, s->A.format, S[(GS_ILU_SWEEPS - 1) % 2], s->d, true));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, S[0]);
    gsolve_free(ctx, GSOLVE_DEVICE, S[1]);
    gsolve_free(ctx, GSOLVE_DEVICE, spare);
    return status;
}

/* --- sweeps ----------------------------------------------------------------------------------- */

static int64_t count(gsolve_dense v)
{
    return (int64_t)v.nrows * v.ncols;
}

/* r = b - T x, or with T'. r overlaps neither b nor x. */
static gsolve_status subtract(const ilu_matrix *t, gsolve_context *ctx, bool transposed,
                              gsolve_dense b, gsolve_dense x, gsolve_dense r)
{
    gsolve_status status;

    if (t->fused && !transposed) {
        return GS_KERNELS(gs_relax, ctx, b.type)
            ->relax(ctx->queue, &t->rows, t->mean, b.ncols, x.value,
                    &(gs_step){.b = b.value, .y = r.value});
    }
    TRY(GS_KERNELS(gs_vector, ctx, b.type)->copy(ctx->queue, count(b), b.type, b.value, r.value));
    TRY((transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(t->T, -1, x, 1, r));
done:
    return status;
}

/* r = b - A x, or with A'. */
static gsolve_status residual(const ilu_smoother *s, gsolve_context *ctx,
                              const gs_level_view *level, gsolve_dense b, gsolve_dense x,
                              gsolve_dense r)
{
    if (!s->fused || level->transposed) return gs_level_residual(level, ctx, b, x, r);
    return GS_KERNELS(gs_relax, ctx, b.type)
        ->relax(ctx->queue, level->A, s->mean, b.ncols, x.value,
                &(gs_step){.b = b.value, .y = r.value});
}

/* One of the two work vectors, for as many columns as space has. */
static void *work_vector(const ilu_smoother *s, gsolve_dense space, int which)
{
    if (space.ncols > 1) return gs_extra_vector(space, 1 + which);
    return which ? s->z.value : s->y.value;
}

/* *y ~ (I + T)^-1 r, or with T', in one of the two work vectors. */
static gsolve_status solve(const ilu_smoother *s, gsolve_context *ctx, const ilu_matrix *t,
                           bool transposed, gsolve_dense r, gsolve_dense space, gsolve_dense *y)
{
    gsolve_dense current = r, next = r;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < s->steps; k++) {
        next.value = work_vector(s, space, current.value == work_vector(s, space, 0));
        TRY(subtract(t, ctx, transposed, r, current, next));
        current = next;
    }
    *y = current;
done:
    return status;
}

/* *z ~ M^-1 r, or M^-T r, in one of the two work vectors. r may be space, which is overwritten. */
static gsolve_status solve_iteratively(const ilu_smoother *s, gsolve_context *ctx, bool transposed,
                                       gsolve_dense r, gsolve_dense space, gsolve_dense *z)
{
    gsolve_dense y;
    gsolve_status status;

    TRY(solve(s, ctx, transposed ? &s->U : &s->L, transposed, r, space, &y));
    TRY(GS_KERNELS(gs_polynomial, ctx, r.type)
            ->step(ctx->queue, r.nrows, r.ncols, s->scale, 0,
                   (gs_step_vectors){.d = s->d, .b = y.value, .x = space.value}));
    TRY(solve(s, ctx, transposed ? &s->L : &s->U, transposed, space, space, z));
done:
    return status;
}

/* space = M^-1 r, or M^-T r, by exact solves, which take column-major vectors. r may be space. */
static gsolve_status solve_exactly(const ilu_smoother *s, gsolve_context *ctx, bool transposed,
                                   gsolve_dense r, gsolve_dense space)
{
    gsolve_dense y = space;
    gsolve_status status;

    if (r.ncols == 1) return gs_factors_apply(s->factors, ctx, transposed, r, space);
    y.value = gs_extra_vector(space, 1);
    y.layout = GSOLVE_COLUMN_MAJOR;
    y.stride = y.nrows;
    TRY(gs_change_layout(ctx, r, y));
    TRY(gs_factors_apply(s->factors, ctx, transposed, y, y));
    TRY(gs_change_layout(ctx, y, space));
done:
    return status;
}

static gsolve_status sweep(const void *self, gsolve_context *ctx, const gs_level_view *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero, bool back)
{
    const ilu_smoother *s = self;
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, b.type);
    gsolve_dense r = b, z = space;
    gsolve_status status;

    (void)back;
    if (!zero) {
        TRY(residual(s, ctx, level, b, x, space));
        r = space;
    }
    if (s->exact) {
        TRY(solve_exactly(s, ctx, level->transposed, r, space));
    } else {
        TRY(solve_iteratively(s, ctx, level->transposed, r, space, &z));
    }
    if (zero) return vector->copy(ctx->queue, count(x), x.type, z.value, x.value);
    TRY(vector->axpby(ctx->queue, count(x), (gs_ratio){.sign = 1}, z.value, (gs_ratio){.sign = 1},
                      x.value));
done:
    return status;
}

/* --- set-up ----------------------------------------------------------------------------------- */

#define MAX_EIGENVALUE \
    1.5 /* largest eigenvalue of M^-1 A after scaling; from 2 on a sweep amplifies the error */
#define DEFAULT_ITS 8

typedef struct sweep_space {
    const ilu_smoother *s;
    const gs_level_view *level;
    gsolve_dense r, space;
} sweep_space;

/* A gs_linear_map: p = M^-1 A (scale p). */
static gsolve_status apply_sweep(const void *data, gsolve_context *ctx, double scale,
                                 gsolve_dense p)
{
    const sweep_space *w = data;
    gsolve_status status;

    TRY(gs_level_multiply(w->level, scale, p, 0, w->r));
    TRY(sweep(w->s, ctx, w->level, w->r, p, w->space, true, false));
done:
    return status;
}

/* Estimates the largest eigenvalue of M^-1 A by power iterations, and scales M^-1 if it is above
 * MAX_EIGENVALUE. The fewer Jacobi steps, the larger it can be. */
static gsolve_status set_scale(ilu_smoother *s, gsolve_context *ctx, const gs_level_view *level,
                               int its)
{
    const gsolve_csr *A = level->A;
    sweep_space w = {.s = s, .level = level};
    gsolve_dense p = {0};
    double growth = 0, *square = NULL;
    gsolve_status status = GSOLVE_OK;

    s->scale = 1;
    if (its == 0) return GSOLVE_OK;
    TRY(gs_dense_new(&p, ctx, gs_location(ctx), A->type, A->nrows, 1));
    TRY(gs_dense_new(&w.r, ctx, gs_location(ctx), A->type, A->nrows, 1));
    TRY(gs_dense_new(&w.space, ctx, gs_location(ctx), A->type, A->nrows, 1));
    ALLOC(ctx, GSOLVE_DEVICE, square, 1);
    TRY(gs_power_iteration(&growth, ctx, NULL, apply_sweep, &w, its, p, square));
    if (growth > MAX_EIGENVALUE) s->scale = MAX_EIGENVALUE / growth;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, square);
    gsolve_free(ctx, GSOLVE_DEVICE, p.value);
    gsolve_free(ctx, GSOLVE_DEVICE, w.r.value);
    gsolve_free(ctx, GSOLVE_DEVICE, w.space.value);
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gs_level_view *level,
                            const gs_amg_options *options)
{
    ilu_smoother *s = self;
    gsolve_status status;

    if (s->exact) return factor_exactly(s, ctx, level->A);
    TRY(factor_iteratively(s, ctx, level->A));
    TRY(set_scale(s, ctx, level, options->its < 0 ? DEFAULT_ITS : options->its));
done:
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gs_level_view *level,
                           const gs_amg_options *options)
{
    const gsolve_csr *A = level->A;
    ilu_smoother *s = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s, 1);
    memset(s, 0, sizeof *s);
    s->exact = !GS_SCALAR_KERNELS(gs_ilu, ctx, A->type)->sweep;
    s->steps = options->degree;
    s->A.size = sizeof s->A;
    gsolve_matrix_describe(level->matrix, &s->A);
    TRY(gs_relax_applies(&s->fused, &s->mean, ctx, level->matrix, A));
    if (s->exact) {
        ALLOC(ctx, GSOLVE_HOST, s->factors, 1);
        memset(s->factors, 0, sizeof *s->factors);
    } else {
        s->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)A->nrows, gs_type_size(A->type));
        TRY(s->d ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        TRY(gs_dense_new(&s->y, ctx, gs_location(ctx), A->type, A->nrows, 1));
        TRY(gs_dense_new(&s->z, ctx, gs_location(ctx), A->type, A->nrows, 1));
    }
    TRY(update(s, ctx, level, options));
    *self = s;
    s = NULL;
done:
    if (s) destroy(s, ctx);
    return status;
}

/* Moves A with b, x and r; both factors; z, and x twice. */
static size_t bytes(const void *self, const gs_level_view *level)
{
    const ilu_smoother *s = self;
    const size_t vector = (size_t)level->A->nrows * gs_type_size(level->A->type);
    gsolve_matrix_info L = GSOLVE_INIT(gsolve_matrix_info), U = GSOLVE_INIT(gsolve_matrix_info);

    if (s->exact) return s->A.bytes + gs_factors_bytes(s->factors) + 6 * vector;
    gsolve_matrix_describe(s->L.T, &L);
    gsolve_matrix_describe(s->U.T, &U);
    return s->A.bytes + (size_t)s->steps * (L.bytes + U.bytes + 6 * vector) + 9 * vector;
}

const gs_smoother gs_amg_ilu = {
    .build = build,
    .update = update,
    .destroy = destroy,
    .sweep = sweep,
    .bytes = bytes,
    .extra_vectors = 2,
};
