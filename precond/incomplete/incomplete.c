/* incomplete.c: the stored factors of factorisation.c, and the preconditioners ilu and ic, which
 * solve with them. */
#include "precond/incomplete/incomplete.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "factor/transform.h"
#include "precond/diagonal.h"
#include "precond/handle.h"

/* --- stored factors --------------------------------------------------------------------------- */

static void destroy_transposed(gs_factors *f, gsolve_context *ctx)
{
    gs_triangle_destroy(&f->lower_transposed, ctx);
    gs_triangle_destroy(&f->upper_transposed, ctx);
}

static gsolve_status store_diagonal(gs_factors *f, gsolve_context *ctx, gsolve_type type, int32_t n,
                                    const double *d)
{
    const size_t bytes = (size_t)n * gs_type_size(type);
    void *draft = gs_draft(ctx, f->d, bytes);

    if (!draft) return GSOLVE_NO_MEMORY;
    for (int32_t i = 0; i < n; i++) gs_put_value(draft, type, i, d[i]);
    return gs_draft_put(ctx, f->d, draft, bytes);
}

/* Stores L, U and the reciprocals of D. The structures of an earlier call are used again. */
static gsolve_status store_factors(gs_factors *f, gsolve_context *ctx, gsolve_type type,
                                   const gs_strict_triangle *L, const gs_strict_triangle *U,
                                   const double *d)
{
    gsolve_status status;

    if (!f->upper.rows.start) TRY(gs_triangle_create(&f->upper, ctx, type, U));
    if (!f->d) f->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)L->n, gs_type_size(type));
    if (!f->d) return GSOLVE_NO_MEMORY;
    TRY(gs_triangle_fill(&f->lower, ctx, L));
    TRY(gs_triangle_fill(&f->upper, ctx, U));
    TRY(store_diagonal(f, ctx, type, L->n, d));
    destroy_transposed(f, ctx);
done:
    return status;
}

gsolve_status gs_factors_compute(gs_factors *f, gsolve_context *ctx, const gsolve_csr *csr,
                                 const char *who, bool symmetric, bool allow_zero_diagonal,
                                 double *shift)
{
    const gs_incomplete_args args = {who, &f->lower.schedule, allow_zero_diagonal, f->row_number};
    gs_strict_triangle L = {0}, U = {0};
    double *d = NULL, least = *shift;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, d, csr->nrows);
    TRY(gs_strict_triangle_extract(&L, ctx, csr, false));
    if (!f->lower.rows.start) TRY(gs_triangle_create(&f->lower, ctx, csr->type, &L));
    if (symmetric) {
        TRY(gs_incomplete_cholesky(&L, d, ctx, csr, &args, &least));
        TRY(gs_strict_triangle_transpose(&U, ctx, &L));
    } else {
        TRY(gs_strict_triangle_extract(&U, ctx, csr, true));
        TRY(gs_incomplete_lu(&L, &U, d, ctx, csr, &args, &least));
    }
    TRY(store_factors(f, ctx, csr->type, &L, &U, d));
    *shift = least;
done:
    gs_strict_triangle_free(&U, ctx);
    gs_strict_triangle_free(&L, ctx);
    gsolve_free(ctx, GSOLVE_HOST, d);
    return status;
}

size_t gs_factors_bytes(const gs_factors *f)
{
    const size_t d = (size_t)f->lower.rows.nrows * gs_type_size(f->lower.rows.type);

    return gs_triangle_bytes(&f->lower) + gs_triangle_bytes(&f->upper) + d;
}

void gs_factors_destroy(gs_factors *f, gsolve_context *ctx)
{
    destroy_transposed(f, ctx);
    gs_triangle_destroy(&f->lower, ctx);
    gs_triangle_destroy(&f->upper, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, f->d);
    memset(f, 0, sizeof *f);
}

static gsolve_status make_transposed(gs_factors *f, gsolve_context *ctx)
{
    gsolve_status status;

    if (f->upper_transposed.rows.start) return GSOLVE_OK;
    TRY(gs_triangle_transpose(&f->lower_transposed, ctx, &f->upper));
    TRY(gs_triangle_transpose(&f->upper_transposed, ctx, &f->lower));
done:
    if (status != GSOLVE_OK) destroy_transposed(f, ctx);
    return status;
}

gsolve_status gs_factors_apply(gs_factors *f, gsolve_context *ctx, bool transposed, gsolve_dense r,
                               gsolve_dense z)
{
    gs_triangle *first = &f->lower, *second = &f->upper;
    gsolve_status status;

    if (transposed) {
        TRY(make_transposed(f, ctx));
        first = &f->lower_transposed, second = &f->upper_transposed;
    }
    TRY(gs_triangle_solve_pair(first, second, ctx, f->d, r, z)); /* (I + U)^-1 D^-1 (I + L)^-1 r */
done:
    return status;
}

/* --- the preconditioners ---------------------------------------------------------------------- */

typedef struct incomplete_options {
    double shift;
    gs_transform_options transform;
} incomplete_options;

typedef struct incomplete {
    incomplete_options options;
    double shift; /* that was needed */
    gs_factors factors;
    gs_transform transform; /* the factors are those of P R A C P'; empty without scale and order */
    gsolve_dense work;      /* with a transform: a vector */
    gsolve_dense work_many; /* and GS_TRIANGLE_COLUMNS of them; empty until several columns come */
} incomplete;

#define SCALE                                                                                   \
    GS_SCALE_OPTION(incomplete_options,                                                         \
                    "factor a scaled A. symmetric: rows and columns, to a largest magnitude "   \
                    "near 1; rows: rows only (not ic); auto: symmetric or rows if the largest " \
                    "magnitudes of the rows differ by a factor of 100 or more")
#define ORDER                                                                                      \
    GS_ORDER_OPTION(incomplete_options,                                                            \
                    "factor a permuted A. rcm: reverse Cuthill-McKee, small bandwidth; amd: "      \
                    "approximate minimum degree; nd: nested dissection, if gsolve was built with " \
                    "METIS")

static const gsolve_option ilu_options[] = {
    {"shift",
     "factor A + shift S, where S is the diagonal matrix of the largest magnitude in each row, "
     "with the sign of a_ii; raised automatically on breakdown",
     GSOLVE_REAL, offsetof(incomplete_options, shift), 0, 0, GS_MAX_SHIFT, NULL},
    SCALE,
    ORDER,
    {0},
};

static const gsolve_option ic_options[] = {
    {"shift", "factor A + shift diag(A); raised automatically on breakdown", GSOLVE_REAL,
     offsetof(incomplete_options, shift), 0, 0, GS_MAX_SHIFT, NULL},
    SCALE,
    ORDER,
    {0},
};

/* Sets M->transform for csr, and M->factors to those of the transformed csr. A failed factorisation
 * changes nothing. */
static gsolve_status factor_transformed(incomplete *M, gsolve_context *ctx, const gsolve_csr *csr,
                                        bool symmetric, double *shift)
{
    const char *who = symmetric ? "ic" : "ilu";
    const bool is_new = !M->transform.in;
    gs_transform fresh = {0};
    gsolve_csr B = {0};
    gsolve_status status;

    TRY(is_new ? gs_transform_create(&fresh, ctx, &M->options.transform, symmetric, who, csr)
               : gs_transform_rescale(&fresh, ctx, &M->transform, csr));
    TRY(gs_transform_rows(&fresh, ctx, &B, csr));
    M->factors.row_number = fresh.order;
    TRY(gs_factors_compute(&M->factors, ctx, &B, who, symmetric, false, shift));
    if (is_new) {
        TRY(gs_transform_prepare(&fresh, ctx));
        TRY(gs_dense_new(&M->work, ctx, gs_location(ctx), csr->type, csr->nrows, 1));
    }
    TRY(gs_transform_replace(&M->transform, ctx, &fresh));
done:
    M->factors.row_number = NULL;
    gs_transform_destroy(&fresh, ctx);
    gsolve_csr_free(&B, ctx);
    return status;
}

static gsolve_status update(incomplete *M, gsolve_context *ctx, const gsolve_csr *csr,
                            bool symmetric)
{
    double shift = M->options.shift;
    gsolve_status status;

    if (gs_transform_wanted(&M->options.transform)) {
        TRY(factor_transformed(M, ctx, csr, symmetric, &shift));
    } else {
        TRY(gs_factors_compute(&M->factors, ctx, csr, symmetric ? "ic" : "ilu", symmetric, false,
                               &shift));
    }
    M->shift = shift;
done:
    return status;
}

static gsolve_status update_ilu(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    return update(self, ctx, csr, false);
}

static gsolve_status update_ic(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    return update(self, ctx, csr, true);
}

static gsolve_status build_ilu(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                               const void *chosen, void *user)
{
    (void)user;
    return gs_precond_build(self, ctx, csr, chosen, &gs_ilu, sizeof(incomplete));
}

static gsolve_status build_ic(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                              const void *chosen, void *user)
{
    (void)user;
    return gs_precond_build(self, ctx, csr, chosen, &gs_ic, sizeof(incomplete));
}

static void destroy(void *self, gsolve_context *ctx)
{
    incomplete *M = self;

    gs_factors_destroy(&M->factors, ctx);
    gs_transform_destroy(&M->transform, ctx);
    gsolve_free(ctx, gs_location(ctx), M->work.value);
    gsolve_free(ctx, gs_location(ctx), M->work_many.value);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

/* *work = work space for this many columns. It is allocated once and stays where it is, because
 * recorded steps of a run hold its address. */
static gsolve_status need_work(incomplete *M, gsolve_context *ctx, int32_t columns,
                               gsolve_dense *work)
{
    gsolve_status status = GSOLVE_OK;

    if (columns > 1 && !M->work_many.value) {
        TRY(gs_dense_new(&M->work_many, ctx, gs_location(ctx), M->work.type, M->work.nrows,
                         GS_TRIANGLE_COLUMNS));
    }
    *work = columns > 1 ? M->work_many : M->work;
done:
    return status;
}

/* z = C P' (I + U)^-1 D^-1 (I + L)^-1 P R r, or the transposed product. */
static gsolve_status apply_transformed(incomplete *M, gsolve_context *ctx, bool transposed,
                                       gsolve_dense r, gsolve_dense z)
{
    gsolve_dense space;
    gsolve_status status;

    TRY(need_work(M, ctx, r.ncols, &space));
    for (int32_t c = 0; c < r.ncols; c += GS_TRIANGLE_COLUMNS) {
        const gsolve_dense from = gs_some_columns(r, c, GS_TRIANGLE_COLUMNS);
        const gsolve_dense work = gs_some_columns(space, 0, from.ncols);
        TRY(gs_transform_in(&M->transform, transposed, from, work));
        TRY(gs_factors_apply(&M->factors, ctx, transposed, work, work));
        TRY(gs_transform_out(&M->transform, transposed, work,
                             gs_some_columns(z, c, GS_TRIANGLE_COLUMNS)));
    }
done:
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    incomplete *M = self;

    if (M->transform.in) return apply_transformed(M, ctx, false, r, z);
    return gs_factors_apply(&M->factors, ctx, false, r, z);
}

/* The first transposed application builds the transposed factors. */
static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    incomplete *M = self;

    if (M->transform.in) return apply_transformed(M, ctx, true, r, z);
    return gs_factors_apply(&M->factors, ctx, true, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const incomplete *M = self;
    char transform[80] = "";
    const size_t vectors = (size_t)M->work.nrows * (2 * gs_type_size(M->work.type) + 4);

    info->moved = gs_factors_bytes(&M->factors);
    if (M->transform.in) {
        info->moved += 2 * vectors;
        gs_transform_describe(&M->transform, transform, sizeof transform);
    }
    snprintf(info->note, sizeof info->note, "%s", transform);
    if (M->shift > 0) {
        snprintf(info->note, sizeof info->note, "%s%sshift %.3g", transform,
                 transform[0] ? ", " : "", M->shift);
    }
}

const gsolve_precond_kind gs_ilu = {
    .plugin = {"ilu", "incomplete LU, level 0", ilu_options, sizeof(incomplete_options)},
    .build = build_ilu,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update_ilu,
    .describe = describe,
};

const gsolve_precond_kind gs_ic = {
    .plugin = {"ic", "incomplete Cholesky, level 0; A symmetric positive definite (not checked)",
               ic_options, sizeof(incomplete_options)},
    .build = build_ic,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply,
    .update = update_ic,
    .describe = describe,
};
