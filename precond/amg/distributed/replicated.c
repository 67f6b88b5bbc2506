/* replicated.c: the coarse levels that every rank holds, see replicated.h. */
#include "precond/amg/distributed/replicated.h"

#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/rows.h"

/* --- all rows --------------------------------------------------------------------------------- */

/* What this rank sends: the lengths of its rows, and its columns in 32 bits. */
typedef struct own_pattern {
    int32_t *length, *col;
} own_pattern;

static gsolve_status make_pattern(own_pattern *p, gsolve_context *ctx, const gsolve_dist_csr *own)
{
    const int64_t entries = gs_dist_start(own, own->rows.count);
    gsolve_status status;

    if (own->rows.total > INT32_MAX) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "amg: %lld rows are too many for one rank",
                           (long long)own->rows.total);
    }
    ALLOC(ctx, GSOLVE_HOST, p->length, own->rows.count);
    ALLOC(ctx, GSOLVE_HOST, p->col, entries);
    for (int32_t i = 0; i < own->rows.count; i++) {
        p->length[i] = (int32_t)(gs_dist_start(own, i + 1) - gs_dist_start(own, i));
    }
    for (int64_t k = 0; k < entries; k++) p->col[k] = (int32_t)own->col[k];
done:
    return status;
}

/* csr->start from the lengths of all rows, which are in `length`. */
static void add_lengths(const gs_csr_arrays *to, const int32_t *length)
{
    int64_t at = 0;

    for (int32_t i = 0; i < to->csr.nrows; i++) {
        gs_set_start(to, i, at);
        at += length[i];
    }
    gs_set_start(to, to->csr.nrows, at);
}

/* *csr = all rows of the matrix whose rows on this rank are `own`, owned. Sets rows and entries,
 * which updates need; drops both if it fails. Collective. */
static gsolve_status gather_matrix(gsolve_csr *csr, gs_gather *rows, gs_gather *entries,
                                   gsolve_context *ctx, const gsolve_dist_csr *own)
{
    const size_t value = gs_type_size(own->type);
    gsolve_csr all = {0};
    own_pattern p = {0};
    int32_t *length = NULL;
    gsolve_status status;

    memset(entries, 0, sizeof *entries);
    TRY(gs_gather_new(rows, ctx, own->rows.count));
    TRY(gs_gather_new(entries, ctx, gs_dist_start(own, own->rows.count)));
    TRY(gs_comm_check(ctx->comm, make_pattern(&p, ctx, own)));
    status = gs_csr_new(&all, ctx, (int32_t)own->rows.total, (int32_t)own->rows.total,
                        gs_gather_total(entries, ctx), own->type);
    length = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)own->rows.total, sizeof *length);
    if (!length) status = GSOLVE_NO_MEMORY;
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_gather_reserve(rows, ctx, sizeof(double)));
    TRY(gs_gather_reserve(entries, ctx, sizeof(double)));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &all);
    TRY(gs_gather_run(rows, ctx, sizeof *length, p.length, length));
    add_lengths(&to, length);
    TRY(gs_gather_run(entries, ctx, sizeof *p.col, p.col, to.col));
    TRY(gs_gather_run(entries, ctx, value, own->value, to.value));
    *csr = all;
    memset(&all, 0, sizeof all);
done:
    gsolve_csr_free(&all, ctx);
    gsolve_free(ctx, GSOLVE_HOST, p.length);
    gsolve_free(ctx, GSOLVE_HOST, p.col);
    gsolve_free(ctx, GSOLVE_HOST, length);
    if (status != GSOLVE_OK) {
        gs_gather_drop(rows, ctx);
        gs_gather_drop(entries, ctx);
    }
    return status;
}

/* *B = the near-null vectors of all ranks. */
static gsolve_status gather_vectors(gsolve_dense *B, gs_gather *rows, gsolve_context *ctx,
                                    gsolve_dense own)
{
    const int32_t n = (int32_t)gs_gather_total(rows, ctx);
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, gs_dense_new(B, ctx, GSOLVE_HOST, own.type, n, own.ncols)));
    for (int32_t c = 0; c < own.ncols; c++) {
        TRY(gs_gather_run(rows, ctx, gs_type_size(own.type), gs_column_of(own, c).value,
                          gs_column_of(*B, c).value));
    }
done:
    return status;
}

/* --- creation --------------------------------------------------------------------------------- */

/* Rows in a sentence are those of the whole matrix, as they are counted here. */
static gsolve_status build(gs_replicated *T, gsolve_context *ctx, const gsolve_csr *csr,
                           gsolve_type type, gsolve_dense *near_null, int32_t block,
                           const gs_amg_options *options, const gs_finer_levels *finer)
{
    const int64_t first = ctx->first_row;
    gsolve_status status;

    ctx->first_row = 0;
    status = gs_hierarchy_build_below(&T->h, ctx, csr, type, near_null, block, options, finer);
    ctx->first_row = first;
    return gs_comm_check(ctx->comm, status);
}

gsolve_status gs_replicated_new(gs_replicated **out, gsolve_context *ctx,
                                const gsolve_dist_csr *rows, gsolve_type type,
                                gsolve_dense near_null, int32_t block,
                                const gs_amg_options *options, const gs_finer_levels *finer)
{
    gs_replicated *T;
    gsolve_csr csr = {0};
    gsolve_dense B = {0};
    gsolve_status status;

    T = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *T);
    if (T) memset(T, 0, sizeof *T);
    TRY(gs_comm_check(ctx->comm, T ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gather_matrix(&csr, &T->rows, &T->entries, ctx, rows));
    TRY(gather_vectors(&B, &T->rows, ctx, near_null));
    TRY(build(T, ctx, &csr, type, &B, block, options, finer));
    *out = T;
    T = NULL;
done:
    gsolve_csr_free(&csr, ctx);
    gsolve_free(ctx, GSOLVE_HOST, B.value);
    gs_replicated_destroy(T, ctx);
    return status;
}

/* --- new values ------------------------------------------------------------------------------- */

gsolve_status gs_replicated_update(gs_replicated *T, gsolve_context *ctx,
                                   const gsolve_dist_csr *rows)
{
    const int64_t first = ctx->first_row;
    gsolve_csr csr = {.type = rows->type};
    void *value;
    gsolve_status status;

    csr.value = value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)gs_gather_total(&T->entries, ctx),
                                     gs_type_size(rows->type));
    TRY(gs_comm_check(ctx->comm, value ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gs_gather_run(&T->entries, ctx, gs_type_size(rows->type), rows->value, value));
    ctx->first_row = 0;
    status = gs_hierarchy_update(T->h, ctx, &csr);
    ctx->first_row = first;
    TRY(gs_comm_check(ctx->comm, status));
done:
    gsolve_free(ctx, GSOLVE_HOST, value);
    return status;
}
