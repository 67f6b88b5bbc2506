/* coarsest.c: the exact solve on the coarsest level: by factors on the host, or on a device with
 * memory of its own by the inverse, a dense matrix. That is made there, where the matrix is
 * symmetric and positive definite, or where elimination without pivots turns out to have been
 * right; else it comes from the factors. */
#include "precond/amg/coarsest/coarsest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/amg/coarsest/factors.h"
#include "precond/amg/coarsest/invert.h"
#include "precond/amg/kernels.h"
#include "vector/vector.h"

#define DENSE_ROWS  512  /* of an inverse that takes no longer than a level more */
#define FACTOR_ROWS 2000 /* of a factor on the CPU, likewise */
#define LU_ROWS     600  /* where A is not symmetric, which takes 20 times as long, on one thread */
#define MANY        20000 /* entries with which it fills, as in three dimensions */

/* --- the inverse where the matrix lies -------------------------------------------------------- */

/* Whether elimination without pivots was right, as factors.c would see it; where A is not
 * symmetric, by what the inverse leaves. */
static bool was_right(const gs_inverted *found, gsolve_type type, int32_t vectors,
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

/* c->inverse, and c->transposed where that differs. Both stay NULL where it takes the factors. */
static gsolve_status invert_there(gs_coarsest *c, gsolve_context *ctx, const gs_level_view *level)
{
    void *inverse = new_square(c, ctx, GSOLVE_DEVICE);
    void *transposed = level->nonsymmetric ? new_square(c, ctx, GSOLVE_DEVICE) : NULL;
    gs_inverted found;
    gsolve_status status = GSOLVE_NO_MEMORY;

    if (!inverse || (level->nonsymmetric && !transposed)) goto done;
    TRY(GS_KERNELS(gs_invert, ctx, c->type)
            ->invert(inverse, transposed, &found, ctx, level->A, level->near_null));
    if (was_right(&found, c->type, level->near_null.ncols, level->nonsymmetric)) {
        c->inverse = inverse;
        c->transposed = transposed;
        inverse = transposed = NULL;
    }
done:
    gsolve_free(ctx, GSOLVE_DEVICE, inverse);
    gsolve_free(ctx, GSOLVE_DEVICE, transposed);
    return status;
}

/* --- the inverse from factors ----------------------------------------------------------------- */

/* rows (n x n) = A^-1 or A^-T, row by row, in c's type: row i is A^-T e_i. */
static void invert(const gs_coarsest *c, bool transposed, void *rows)
{
    gs_coarsest_factors *F = c->factors;
    const int64_t n = c->n;

    for (int64_t i = 0; i < n; i++) {
        memset(F->b, 0, (size_t)n * sizeof *F->b);
        F->b[i] = 1;
        gs_coarsest_factors_solve(F, !transposed);
        for (int64_t j = 0; j < n; j++) {
            if (c->type == GSOLVE_F32) {
                ((float *)rows)[i * n + j] = (float)F->x[j];
            } else {
                ((double *)rows)[i * n + j] = F->x[j];
            }
        }
    }
}

static gsolve_status send(void **to, gsolve_context *ctx, const gs_coarsest *c, bool transposed)
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

/* The factors are given up. */
static gsolve_status invert_factors(gs_coarsest *c, gsolve_context *ctx)
{
    gsolve_status status;

    TRY(send(&c->inverse, ctx, c, false));
    if (!c->factors->cholesky) TRY(send(&c->transposed, ctx, c, true));
done:
    gs_coarsest_factors_destroy(c->factors, ctx);
    c->factors = NULL;
    return status;
}

/* c->count = 0, whose bits are those of the number 0. */
static gsolve_status begin_count(gs_coarsest *c, gsolve_context *ctx)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, c->count, 1);
    TRY(GS_KERNELS(gs_vector, ctx, GSOLVE_F64)->zero(ctx->queue, 1, c->count));
done:
    return status;
}

/* --- both ------------------------------------------------------------------------------------- */

int32_t gs_coarsest_max_rows(const gsolve_context *ctx, const gs_amg_options *options,
                             bool symmetric, int64_t entries)
{
    if (options->coarsest > 0) return options->coarsest;
    if (gs_location(ctx) == GSOLVE_DEVICE) return DENSE_ROWS;
    return symmetric && entries <= MANY ? FACTOR_ROWS : LU_ROWS;
}

static void tell(gs_coarsest *c)
{
    const gs_coarsest_factors *F = c->factors;

    if (!F) return;
    if (F->nulls > 0) {
        snprintf(c->note, sizeof c->note, "singular: %d null vector%s", F->nulls,
                 F->nulls > 1 ? "s" : "");
    } else if (F->shift > 0) {
        snprintf(c->note, sizeof c->note, "coarsest level shifted by %.1g", F->shift);
    }
}

gsolve_status gs_coarsest_build(gs_coarsest *out, gsolve_context *ctx, const gs_level_view *level)
{
    gs_coarsest c = {.n = level->A->nrows, .type = level->A->type};
    const bool there = gs_location(ctx) == GSOLVE_DEVICE && c.n > 0;
    gsolve_status status;

    if (there) TRY(invert_there(&c, ctx, level));
    if (!c.inverse) TRY(gs_coarsest_factors_create(&c.factors, ctx, level));
    tell(&c);
    if (there && !c.inverse) TRY(invert_factors(&c, ctx));
    if (there) TRY(begin_count(&c, ctx));
    gs_coarsest_drop(out, ctx);
    *out = c;
    memset(&c, 0, sizeof c);
done:
    gs_coarsest_drop(&c, ctx);
    return status;
}

void gs_coarsest_drop(gs_coarsest *c, gsolve_context *ctx)
{
    gs_coarsest_factors_destroy(c->factors, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, c->inverse);
    gsolve_free(ctx, GSOLVE_DEVICE, c->transposed);
    gsolve_free(ctx, GSOLVE_DEVICE, c->count);
    memset(c, 0, sizeof *c);
}

/* Column c by the factors. */
static void solve_column(const gs_coarsest *C, bool transposed, gsolve_dense b, gsolve_dense x,
                         int32_t c)
{
    gs_coarsest_factors *F = C->factors;

    for (int64_t i = 0, k = c; i < C->n; i++, k += b.ncols) {
        F->b[i] = C->type == GSOLVE_F32 ? (double)((float *)b.value)[k] : ((double *)b.value)[k];
    }
    gs_coarsest_factors_solve(F, transposed);
    for (int64_t i = 0, k = c; i < C->n; i++, k += b.ncols) {
        if (C->type == GSOLVE_F32) {
            ((float *)x.value)[k] = (float)F->x[i];
        } else {
            ((double *)x.value)[k] = F->x[i];
        }
    }
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
    const gs_coarsest_factors *F = c->factors;

    if (c->n == 0) return 0;
    if (!F) return vectors + (size_t)c->n * (size_t)c->n * gs_type_size(c->type);
    return vectors + 12 * (size_t)(F->numeric->L->nzmax +
                                   (F->cholesky ? F->numeric->L->nzmax : F->numeric->U->nzmax));
}
