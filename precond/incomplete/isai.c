/* isai.c: incomplete sparse approximate inverse (Anzt, Huckle, Braeckle and Dongarra, Parallel
 * Computing 71, 2018) of the factors of ilu or ic: z = W1 W0 r. An application is two products and
 * no triangular solve.
 *
 *   ilu  T0 = I + L       T1 = D (I + U)        W0 T0 = I on the rows of T0's pattern,
 *   ic   T0 = (I + L) E   T1 = T0', E^2 = D     T1 W1 = I on the columns of T1's pattern.
 *
 * Rows for W0 and columns for W1 make M symmetric if A is. With ic, W1 = W0', and M is positive
 * definite for any pattern. A relaxation step y += W (x - T y) multiplies the error of y = W x by I
 * - W T, which is strictly triangular, so that more steps come closer to the triangular solve. The
 * step commutes with transposition, so that M stays symmetric. */
#include "precond/incomplete/isai.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/handle.h"
#include "precond/incomplete/incomplete.h"
#include "vector/layout.h"
#include "vector/vector.h"

enum { BLOCK_COLUMNS = 8 }; /* columns per product, row-major */

static const gsolve_option options[] = {
    {"factors",
     "the factors whose inverses are approximated; ilu: those of ilu; ic: those of ic, for a "
     "symmetric A",
     GSOLVE_CHOICE, offsetof(gs_isai_options, factors), GS_ISAI_ILU, 0, 0, "ilu|ic"},
    {"power", "the approximate inverse of a factor T has the pattern of T^power", GSOLVE_INT,
     offsetof(gs_isai_options, power), 1, 1, 10, NULL},
    {"longest",
     "limit of the entries per row of the inverse; a row that would have more uses a lower power, "
     "but at least 1 (power 1 may exceed the limit)",
     GSOLVE_INT, offsetof(gs_isai_options, longest), 512, 1, 1000000, NULL},
    {"relax",
     "number of relaxation steps that improve each triangular solve; each step costs two more "
     "products per factor",
     GSOLVE_INT, offsetof(gs_isai_options, relax), 0, 0, 20, NULL},
    {"shift", "initial shift, as in ilu and ic; raised automatically on breakdown", GSOLVE_REAL,
     offsetof(gs_isai_options, shift), 0, 0, GS_MAX_SHIFT, NULL},
    {0},
};

/* The number of work vectors beside r and z. */
static int32_t work_vectors(const gs_isai_data *M)
{
    return M->options.relax > 0 ? 2 : 1;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gs_isai_data *M = self;

    gs_isai_destroy_inverses(M->factor);
    gs_isai_destroy_inverses(M->transposed);
    gs_schedule_destroy(&M->schedule, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, M->column.value);
    gsolve_free(ctx, GSOLVE_DEVICE, M->block.value);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    gs_isai_data *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->options = *(const gs_isai_options *)chosen;
    TRY(gs_dense_new(&M->column, ctx, gs_location(ctx), csr->type, csr->nrows, work_vectors(M)));
    TRY(gs_isai_setup(M, ctx, csr));
    *self = M;
    M = NULL;
done:
    if (M) destroy(M, ctx);
    return status;
}

/* --- application ------------------------------------------------------------------------------ */

/* y = W x, then the relaxation steps y += W (x - T y). q: work space for the steps. */
static gsolve_status solve(const gs_isai_data *M, gsolve_context *ctx, gs_isai_inverse factor,
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
static gsolve_status apply_one(const gs_isai_data *M, gsolve_context *ctx,
                               const gs_isai_inverse *factor, gsolve_dense r, gsolve_dense z)
{
    gsolve_dense y = gs_column_of(M->column, 0), q = gs_column_of(M->column, work_vectors(M) - 1);
    gsolve_status status;

    TRY(solve(M, ctx, factor[0], r, y, q));
    TRY(solve(M, ctx, factor[1], y, z, q));
done:
    return status;
}

/* z = W1 W0 r for up to BLOCK_COLUMNS columns in row-major order, which share the passes over W and
 * T. */
static gsolve_status apply_several(const gs_isai_data *M, gsolve_context *ctx,
                                   const gs_isai_inverse *factor, gsolve_dense r, gsolve_dense z)
{
    gsolve_dense v[3]; /* r and z, y, q */
    gsolve_status status;

    for (int32_t k = 0; k < 1 + work_vectors(M); k++) {
        v[k] = gs_column_of(M->block, k * BLOCK_COLUMNS);
        v[k].ncols = r.ncols;
        v[k].stride = r.ncols;
        v[k].layout = GSOLVE_ROW_MAJOR;
    }
    TRY(gs_change_layout(ctx, r, v[0]));
    TRY(solve(M, ctx, factor[0], v[0], v[1], v[work_vectors(M)]));
    TRY(solve(M, ctx, factor[1], v[1], v[0], v[work_vectors(M)]));
    TRY(gs_change_layout(ctx, v[0], z));
done:
    return status;
}

/* self is const, but the first application to several columns allocates their work space. */
static gsolve_status apply_factors(gs_isai_data *M, gsolve_context *ctx,
                                   const gs_isai_inverse *factor, gsolve_dense r, gsolve_dense z)
{
    const int32_t columns = (1 + work_vectors(M)) * BLOCK_COLUMNS;
    gsolve_status status = GSOLVE_OK;

    if (r.ncols > 1 && !M->block.value) {
        TRY(gs_dense_new(&M->block, ctx, gs_location(ctx), r.type, r.nrows, columns));
    }
    for (int32_t c = 0; c < r.ncols; c += BLOCK_COLUMNS) {
        gsolve_dense in = gs_column_of(r, c), out = gs_column_of(z, c);
        in.ncols = out.ncols = r.ncols - c < BLOCK_COLUMNS ? r.ncols - c : BLOCK_COLUMNS;
        TRY((in.ncols > 1 ? apply_several : apply_one)(M, ctx, factor, in, out));
    }
done:
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    gs_isai_data *M = self;
    return apply_factors(M, ctx, M->factor, r, z);
}

/* With ic, M is symmetric. */
static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    gs_isai_data *M = self;
    gsolve_status status;

    if (M->options.factors == GS_ISAI_IC) return apply_factors(M, ctx, M->factor, r, z);
    TRY(gs_isai_make_transposed(M, ctx));
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
    const gs_isai_data *M = self;
    char rows[100] = "", shift[40] = "";

    if (M->shift > 0) snprintf(shift, sizeof shift, "shift %.3g", M->shift);
    if (M->shortened > 0) {
        snprintf(rows, sizeof rows, "%d rows with more than %d entries have a lower power",
                 M->shortened, M->options.longest);
    }
    snprintf(info->note, sizeof info->note, "%s%s%s", shift, *shift && *rows ? ", " : "", rows);
}

const gsolve_precond_kind gs_isai = {
    .plugin = {"isai",
               "incomplete sparse approximate inverse of the factors of ilu or ic; applied by "
               "matrix-vector products",
               options, sizeof(gs_isai_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update,
    .describe = describe,
};
