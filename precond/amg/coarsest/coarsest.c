/* coarsest.c: the exact solve on the coarsest level. The host solves with sparse factors. A GPU
 * multiplies with the dense inverse. The GPU computes the inverse itself if A is symmetric positive
 * definite, or if elimination without pivoting turns out to be accurate; else it comes from the
 * factors. */
#include "precond/amg/coarsest/coarsest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "factor/direct_factors.h"
#include "precond/amg/coarsest/invert.h"
#include "precond/amg/kernels.h"
#include "vector/vector.h"

#define SMALL static inline
#include "precond/amg/transfer/transfer_rules.h"

#define DENSE_ROWS 512 /* of a dense inverse: its product takes no longer than one more level */
#define FACTOR_ROWS \
    2000 /* of sparse factors on the CPU: their solve takes no longer than one more level */
#define LU_ROWS \
    600 /* if A is not symmetric: LU takes 20 times as long as Cholesky, on one thread */
#define SPARSE_FILL_ENTRIES                                               \
    20000 /* entries from which on factors fill in as in three dimensions \
           */

const gs_invert_kernels gs_invert_host[GSOLVE_TYPE_COUNT]; /* none: the CPU has sparse factors */

/* --- inverse by elimination on the device ----------------------------------------------------- */

/* Whether the inverse by elimination without pivoting is accurate, and A is regular by the same
 * test as in factor/direct_factors.c. If A is not symmetric, the residual of the inverse decides.
 */
static bool is_accurate(const gs_inverted *found, gsolve_type type, int32_t vectors,
                        bool nonsymmetric)
{
    const double rounding = type == GSOLVE_F32 ? 1e-5 : 1e-12;
    const double null = type == GSOLVE_F32 ? 1e-6 : 1e-12;
    const bool fits =
        nonsymmetric ? found->residual <= 1e-9 : found->asymmetry <= rounding * found->norm;

    for (int32_t c = 0; c < vectors && c < GS_MAX_NULL; c++) {
        const double image = found->image[c], largest = found->largest[c];
        if (largest > 0 && !(image > null * found->norm * largest)) return false;
    }
    return fits && found->least_pivot > 1e-14 * found->most_pivot && isfinite(found->most_pivot);
}

static void *new_square(const gs_coarsest *c, gsolve_context *ctx, gsolve_location location)
{
    return gsolve_alloc(ctx, location, (size_t)c->n * (size_t)c->n, gs_type_size(c->type));
}

/* Computes c->inverse, and c->transposed if it differs. Both stay NULL if this is not accurate, and
 * factors are needed. */
static gsolve_status invert_on_device(gs_coarsest *c, gsolve_context *ctx,
                                      const gs_level_view *level)
{
    void *inverse = new_square(c, ctx, GSOLVE_DEVICE);
    void *transposed = level->nonsymmetric ? new_square(c, ctx, GSOLVE_DEVICE) : NULL;
    gs_inverted found;
    gsolve_status status = GSOLVE_NO_MEMORY;

    if (!inverse || (level->nonsymmetric && !transposed)) goto done;
    TRY(GS_SCALAR_KERNELS(gs_invert, ctx, c->type)
            ->invert(inverse, transposed, &found, ctx, level->A, level->near_null));
    if (is_accurate(&found, c->type, level->near_null.ncols, level->nonsymmetric)) {
        c->inverse = inverse;
        c->transposed = transposed;
        inverse = transposed = NULL;
    }
done:
    gsolve_free(ctx, GSOLVE_DEVICE, inverse);
    gsolve_free(ctx, GSOLVE_DEVICE, transposed);
    return status;
}

/* --- inverse from factors --------------------------------------------------------------------- */

/* rows = A^-1, or A^-T if transposed: n x n, row-major, in c's type. Row i of A^-1 is A^-T e_i. */
static void invert(const gs_coarsest *c, bool transposed, void *rows)
{
    const gsolve_dense to = {.value = rows, .type = c->type};
    gs_direct_factors *F = c->factors;
    const int64_t n = c->n;

    for (int64_t i = 0; i < n; i++) {
        memset(F->b, 0, (size_t)n * sizeof *F->b);
        F->b[i] = 1;
        gs_direct_factors_solve(F, !transposed);
        for (int64_t j = 0; j < n; j++) gs_set_element(to, i * n + j, 0, F->x[j]);
    }
}

static gsolve_status upload_inverse(void **to, gsolve_context *ctx, const gs_coarsest *c,
                                    bool transposed)
{
    const size_t bytes = (size_t)c->n * (size_t)c->n * gs_type_size(c->type);
    void *rows = new_square(c, ctx, GSOLVE_HOST);
    gsolve_status status = rows ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    TRY(status);
    invert(c, transposed, rows);
    *to = new_square(c, ctx, GSOLVE_DEVICE);
    TRY(*to ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gsolve_copy(ctx, *to, gs_location(ctx), rows, GSOLVE_HOST, bytes));
done:
    gsolve_free(ctx, GSOLVE_HOST, rows);
    return status;
}

static gsolve_status create_factors(gs_coarsest *c, gsolve_context *ctx, const gs_level_view *level)
{
    gsolve_dense candidates = level->near_null; /* of the null space */

    if (candidates.ncols > GS_MAX_NULL) candidates.ncols = GS_MAX_NULL;
    return gs_direct_factors_create(&c->factors, ctx, "amg: the coarsest level", level->A,
                                    candidates, level->null_space);
}

static bool is_cholesky(const gs_direct_factors *F)
{
    return F->factors && F->factors->request.kind == GS_CHOLESKY;
}

/* Replaces the factors by the dense inverse. */
static gsolve_status invert_factors(gs_coarsest *c, gsolve_context *ctx)
{
    gsolve_status status;

    TRY(upload_inverse(&c->inverse, ctx, c, false));
    if (!is_cholesky(c->factors)) TRY(upload_inverse(&c->transposed, ctx, c, true));
done:
    gs_direct_factors_destroy(c->factors, ctx);
    c->factors = NULL;
    return status;
}

/* c->count = 0; the bits of 0.0 are those of the integer 0. */
static gsolve_status reset_count(gs_coarsest *c, gsolve_context *ctx)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, c->count, 1);
    TRY(GS_KERNELS(gs_vector, ctx, GSOLVE_F64)->zero(ctx->queue, 1, c->count));
done:
    return status;
}

/* --- the solve -------------------------------------------------------------------------------- */

int32_t gs_coarsest_max_rows(const gsolve_context *ctx, const gs_amg_options *options,
                             bool symmetric, int64_t entries)
{
    if (options->coarsest > 0) return options->coarsest;
    if (gs_location(ctx) == GSOLVE_DEVICE) return DENSE_ROWS;
    return symmetric && entries <= SPARSE_FILL_ENTRIES ? FACTOR_ROWS : LU_ROWS;
}

static void set_note(gs_coarsest *c)
{
    const gs_direct_factors *F = c->factors;

    if (!F) return;
    if (F->nulls > 0) {
        snprintf(c->note, sizeof c->note, "coarsest level singular: %d null vector%s", F->nulls,
                 F->nulls > 1 ? "s" : "");
    } else if (F->shift > 0) {
        snprintf(c->note, sizeof c->note, "coarsest level shifted by %.1g", F->shift);
    }
}

gsolve_status gs_coarsest_build(gs_coarsest *out, gsolve_context *ctx, const gs_level_view *level)
{
    gs_coarsest c = {.n = level->A->nrows, .type = level->A->type};
    const bool on_device = GS_KERNELS(gs_amg, ctx, c.type)->dense && c.n > 0;
    gsolve_status status;

    if (on_device && level->null_space == 0) TRY(invert_on_device(&c, ctx, level));
    if (!c.inverse) TRY(create_factors(&c, ctx, level));
    set_note(&c);
    if (on_device && !c.inverse) TRY(invert_factors(&c, ctx));
    if (on_device) TRY(reset_count(&c, ctx));
    gs_coarsest_destroy(out, ctx);
    *out = c;
    memset(&c, 0, sizeof c);
done:
    gs_coarsest_destroy(&c, ctx);
    return status;
}

void gs_coarsest_destroy(gs_coarsest *c, gsolve_context *ctx)
{
    gs_direct_factors_destroy(c->factors, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, c->inverse);
    gsolve_free(ctx, GSOLVE_DEVICE, c->transposed);
    gsolve_free(ctx, GSOLVE_DEVICE, c->count);
    memset(c, 0, sizeof *c);
}

/* Solves for column c with the factors. */
static void solve_column(const gs_coarsest *C, bool transposed, gsolve_dense b, gsolve_dense x,
                         int32_t c)
{
    gs_direct_factors *F = C->factors;

    for (int64_t i = 0; i < C->n; i++) F->b[i] = gs_element(b, i * b.ncols + c, 0);
    gs_direct_factors_solve(F, transposed);
    for (int64_t i = 0; i < C->n; i++) gs_set_element(x, i * b.ncols + c, 0, F->x[i]);
}

gsolve_status gs_coarsest_solve(const gs_coarsest *c, gsolve_context *ctx, bool transposed,
                                gsolve_dense b, gsolve_dense x)
{
    if (c->n == 0) return GSOLVE_OK;
    if (c->inverse) {
        return GS_KERNELS(gs_amg, ctx, c->type)
            ->dense(ctx->queue, c->n, b.ncols,
                    transposed && c->transposed ? c->transposed : c->inverse, b.value, x.value,
                    c->count);
    }
    for (int32_t j = 0; j < b.ncols; j++) solve_column(c, transposed, b, x, j);
    return GSOLVE_OK;
}

size_t gs_coarsest_bytes(const gs_coarsest *c)
{
    const size_t vectors = 2 * (size_t)c->n * gs_type_size(c->type);
    const gs_direct_factors *F = c->factors;

    if (c->n == 0) return 0;
    if (!F) return vectors + (size_t)c->n * (size_t)c->n * gs_type_size(c->type);
    return vectors +
           12 * (size_t)gs_factorisation_cost(F->factors).entries * (is_cholesky(F) ? 2 : 1);
}
