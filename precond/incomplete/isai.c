/* isai.c: incomplete sparse approximate inverse (Anzt, Huckle, Braeckle and Dongarra, Parallel
 * Computing 71, 2018) of the factors of ilu or ic: z = W1 W0 r, so that an application is two
 * products and no substitution.
 *
 *   ilu  T0 = I + L       T1 = D (I + U)        W0 T0 = I on the rows of T0's pattern,
 *   ic   T0 = (I + L) E   T1 = T0', E^2 = D     T1 W1 = I on the columns of T1's.
 *
 * Rows for the one and columns for the other make M symmetric where A is; with ic, W1 = W0' and M
 * is positive definite whatever was left out. A step of relaxation, y += W (x - T y), multiplies
 * the error of y = W x by I - W T, which is strictly triangular: the more steps, the nearer to the
 * substitution. It commutes with transposition, so that M stays symmetric. */
#include "precond/incomplete/isai.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/handle.h"
#include "precond/incomplete/incomplete.h"
#include "vector/layout.h"
#include "vector/vector.h"

enum { STRIP = 8 }; /* columns that are multiplied together, by rows */

static const gsolve_option options[] = {
    {"factors", "what is inverted: those of ilu or, A symmetric, of ic", GSOLVE_CHOICE,
     offsetof(gs_isai_options, factors), GS_ISAI_ILU, 0, 0, "ilu|ic"},
    {"power", "the inverse has the pattern of a factor to this power", GSOLVE_INT,
     offsetof(gs_isai_options, power), 1, 1, 10, NULL},
    {"longest", "entries of a row of the inverse, beyond which it has a lower power", GSOLVE_INT,
     offsetof(gs_isai_options, longest), 512, 1, 1000000, NULL},
    {"relax", "steps towards the exact solve, of two more products a factor each", GSOLVE_INT,
     offsetof(gs_isai_options, relax), 0, 0, 20, NULL},
    {"shift", "as for ilu and ic", GSOLVE_REAL, offsetof(gs_isai_options, shift), 0, 0,
     GS_MOST_SHIFT, NULL},
    {0},
};

/* Vectors beside r and z. */
static int32_t spaces(const gs_isai_self *M)
{
    return M->options.relax > 0 ? 2 : 1;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gs_isai_self *M = self;

    gs_isai_drop(M->factor);
    gs_isai_drop(M->transposed);
    gs_schedule_destroy(&M->schedule, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, M->column.value);
    gsolve_free(ctx, GSOLVE_DEVICE, M->strip.value);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    gs_isai_self *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->options = *(const gs_isai_options *)chosen;
    TRY(gs_dense_new(&M->column, ctx, gs_location(ctx), csr->type, csr->nrows, spaces(M)));
    TRY(gs_isai_setup(M, ctx, csr));
    *self = M;
    M = NULL;
done:
    if (M) destroy(M, ctx);
    return status;
}

/* --- applying --------------------------------------------------------------------------------- */

/* y = W x, and the steps y += W (x - T y); q: work space if there are any. */
static gsolve_status solve(const gs_isai_self *M, gsolve_context *ctx, gs_isai_inverse factor,
                           gsolve_dense x, gsolve_dense y, gsolve_dense q)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, x.type);
    gsolve_status status;

    TRY(gsolve_matrix_apply(factor.W, 1, x, 0, y));
    for (int step = 0; step < M->options.relax; step++) {
        TRY(vector->copy(ctx->queue, (int64_t)x.nrows * x.ncols, x.type, x.value, q.value));
        TRY(gsolve_matrix_apply(factor.T, -1, y, 1, q));
        TRY(gsolve_matrix_apply(factor.W, 1, q, 1, y));
    }
done:
    return status;
}

/* z = W1 W0 r for one column. */
static gsolve_status apply_one(const gs_isai_self *M, gsolve_context *ctx,
                               const gs_isai_inverse *factor, gsolve_dense r, gsolve_dense z)
{
    gsolve_dense y = gs_column_of(M->column, 0), q = gs_column_of(M->column, spaces(M) - 1);
    gsolve_status status;

    TRY(solve(M, ctx, factor[0], r, y, q));
    TRY(solve(M, ctx, factor[1], y, z, q));
done:
    return status;
}

/* The same for several, at most STRIP, which share the passes over W and T: by rows they do so
 * best. */
static gsolve_status apply_several(const gs_isai_self *M, gsolve_context *ctx,
                                   const gs_isai_inverse *factor, gsolve_dense r, gsolve_dense z)
{
    gsolve_dense v[3]; /* r and z, y, q */
    gsolve_status status;

    for (int32_t k = 0; k < 1 + spaces(M); k++) {
        v[k] = gs_column_of(M->strip, k * STRIP);
        v[k].ncols = r.ncols;
        v[k].stride = r.ncols;
        v[k].layout = GSOLVE_ROW_MAJOR;
    }
    TRY(gs_change_layout(ctx, r, v[0]));
    TRY(solve(M, ctx, factor[0], v[0], v[1], v[spaces(M)]));
    TRY(solve(M, ctx, factor[1], v[1], v[0], v[spaces(M)]));
    TRY(gs_change_layout(ctx, v[0], z));
done:
    return status;
}

/* The constness of the handle is about what M stands for, and not about what is made on the way. */
static gsolve_status apply_factors(gs_isai_self *M, gsolve_context *ctx,
                                   const gs_isai_inverse *factor, gsolve_dense r, gsolve_dense z)
{
    const int32_t columns = (1 + spaces(M)) * STRIP;
    gsolve_status status = GSOLVE_OK;

    if (r.ncols > 1 && !M->strip.value) {
        TRY(gs_dense_new(&M->strip, ctx, gs_location(ctx), r.type, r.nrows, columns));
    }
    for (int32_t c = 0; c < r.ncols; c += STRIP) {
        gsolve_dense some = gs_column_of(r, c), out = gs_column_of(z, c);
        some.ncols = out.ncols = r.ncols - c < STRIP ? r.ncols - c : STRIP;
        TRY((some.ncols > 1 ? apply_several : apply_one)(M, ctx, factor, some, out));
    }
done:
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    gs_isai_self *M = self;
    return apply_factors(M, ctx, M->factor, r, z);
}

/* With ic M is symmetric. */
static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    gs_isai_self *M = self;
    gsolve_status status;

    if (M->options.factors == GS_ISAI_IC) return apply_factors(M, ctx, M->factor, r, z);
    TRY(gs_isai_need_transposed(M, ctx));
    TRY(apply_factors(M, ctx, M->transposed, r, z));
done:
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    return gs_isai_setup(self, ctx, csr);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const gs_isai_self *M = self;
    char rows[100] = "", shift[40] = "";

    if (M->shift > 0) snprintf(shift, sizeof shift, "shift %.3g", M->shift);
    if (M->shortened > 0) {
        snprintf(rows, sizeof rows, "%d rows, longer than %d, of a lower power", M->shortened,
                 M->options.longest);
    }
    snprintf(info->note, sizeof info->note, "%s%s%s", shift, *shift && *rows ? ", " : "", rows);
}

const gsolve_precond_kind gs_isai = {
    .plugin = {"isai", "sparse approximate inverse of the factors of ilu or ic: products only",
               options, sizeof(gs_isai_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update,
    .describe = describe,
};
