/* ilu_sweep.c: sweeps of the smoother ilu, for one column or several, see ilu.c. */
#include "precond/amg/smoothers/ilu_sweep.h"

#include "core/try.h"
#include "precond/amg/smoothers/relax.h"
#include "precond/chebyshev/polynomial.h"
#include "vector/layout.h"
#include "vector/vector.h"

static int64_t count(gsolve_dense v)
{
    return (int64_t)v.nrows * v.ncols;
}

/* A matrix as subtract reads it: a triangle, or A. */
typedef struct operand {
    const gsolve_matrix *T;
    const gsolve_csr *rows;
    bool fused;
    double mean;
} operand;

static operand operand_of(const gs_ilu_side *t)
{
    return (operand){t->T, &t->rows, t->fused, t->mean};
}

/* r = b - T x, or with T'. r overlaps neither b nor x. */
static gsolve_status subtract(const operand *t, gsolve_context *ctx, bool transposed,
                              gsolve_dense b, gsolve_dense x, gsolve_dense r)
{
    gsolve_status status;

    if (t->fused && !transposed) {
        return GS_KERNELS(gs_relax, ctx, b.type)
            ->residual(ctx->queue, t->rows, t->mean, b.ncols, b.value, x.value, r.value);
    }
    TRY(GS_KERNELS(gs_vector, ctx, b.type)->copy(ctx->queue, count(b), b.type, b.value, r.value));
    TRY((transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(t->T, -1, x, 1, r));
done:
    return status;
}

/* One of the two work vectors, for as many columns as space has. */
static void *work_vector(const gs_ilu *s, gsolve_dense space, int which)
{
    if (space.ncols > 1) return gs_extra_vector(space, 1 + which);
    return which ? s->z.value : s->y.value;
}

/* *y ~ (I + T)^-1 r, or with T', in one of the two work vectors. */
static gsolve_status solve(const gs_ilu *s, gsolve_context *ctx, const gs_ilu_side *t,
                           bool transposed, gsolve_dense r, gsolve_dense space, gsolve_dense *y)
{
    const operand T = operand_of(t);
    gsolve_dense current = r, next = r;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < s->steps; k++) {
        next.value = work_vector(s, space, current.value == work_vector(s, space, 0));
        TRY(subtract(&T, ctx, transposed, r, current, next));
        current = next;
    }
    *y = current;
done:
    return status;
}

/* *z ~ M^-1 r, or M^-T r, in one of the two work vectors. r may be space, which is overwritten. */
static gsolve_status solve_iteratively(const gs_ilu *s, gsolve_context *ctx, bool transposed,
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
static gsolve_status solve_exactly(const gs_ilu *s, gsolve_context *ctx, bool transposed,
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

gsolve_status gs_ilu_sweep(const void *self, gsolve_context *ctx, const gs_level_view *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero, bool back)
{
    const gs_ilu *s = self;
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, b.type);
    const operand A = {level->matrix, level->A, s->fused, s->mean};
    gsolve_dense r = b, z = space;
    gsolve_status status;

    (void)back;
    if (!zero) {
        TRY(subtract(&A, ctx, level->transposed, b, x, space));
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
