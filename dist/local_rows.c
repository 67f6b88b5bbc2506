/* local_rows.c: see local_rows.h. */
#include "dist/local_rows.h"

#include <string.h>

#include "core/try.h"

/* The rows that are fetched, in two parts, with the own rows between them. */
typedef struct parts {
    gs_fetched_rows fetched;
    int64_t below, own, above; /* entries of the three parts */
} parts;

static parts parts_of(const gs_local_rows *L, const gsolve_dist_csr *B)
{
    static const int64_t none[1] = {0};
    parts p = {.fetched = {.start = none}};

    if (L->fetch) p.fetched = gs_row_fetch_rows(L->fetch);
    p.below = p.fetched.start[L->below];
    p.own = gs_dist_start(B, B->rows.count);
    p.above = p.fetched.start[p.fetched.count] - p.below;
    return p;
}

/* `to` = elements of `width` bytes for the entries of all rows. fetched and own: those of the
 * fetched rows and of B. */
static void join(const parts *p, size_t width, const void *fetched, const void *own, void *to)
{
    const size_t below = (size_t)p->below * width, middle = (size_t)p->own * width;

    if (p->below > 0) memcpy(to, fetched, below);
    if (p->own > 0) memcpy((char *)to + below, own, middle);
    if (p->above > 0) {
        memcpy((char *)to + below + middle, (const char *)fetched + below,
               (size_t)p->above * width);
    }
}

static void set_start(const gs_csr_arrays *to, const gs_local_rows *L, const parts *p,
                      const gsolve_dist_csr *B)
{
    const int32_t own = B->rows.count;

    for (int32_t i = 0; i < L->below; i++) gs_set_start(to, i, p->fetched.start[i]);
    for (int32_t i = 0; i < own; i++)
        gs_set_start(to, L->below + i, p->below + gs_dist_start(B, i));
    for (int64_t i = L->below; i <= p->fetched.count; i++) {
        gs_set_start(to, own + i, p->own + p->fetched.start[i]);
    }
}

/* Sets L->map and the columns of L->csr. */
static gsolve_status number_columns(gs_local_rows *L, gsolve_context *ctx, const parts *p,
                                    const gsolve_dist_csr *B)
{
    const int64_t entries = p->below + p->own + p->above;
    int64_t *col = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, col, entries);
    join(p, sizeof *col, p->fetched.col, B->col, col);
    TRY(gs_column_map_new(&L->map, ctx, B->cols, entries, col));
    TRY(gs_csr_new(&L->csr, ctx, (int32_t)p->fetched.count + B->rows.count,
                   gs_column_count(&L->map), entries, B->type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &L->csr);
    gs_column_compact_all(&L->map, ctx, entries, col, to.col);
    set_start(&to, L, p, B);
done:
    gsolve_free(ctx, GSOLVE_HOST, col);
    return status;
}

static void join_values(gs_local_rows *L, const gsolve_context *ctx, const gsolve_dist_csr *B)
{
    const parts p = parts_of(L, B);

    join(&p, gs_type_size(B->type), p.fetched.value, B->value, gs_owned_block(ctx, L->csr.value));
}

gsolve_status gs_local_rows_new(gs_local_rows *L, gsolve_context *ctx, const gs_column_map *needed,
                                const gsolve_dist_csr *B)
{
    gs_ownership owner = {0};
    parts p;
    gsolve_status status = GSOLVE_OK;

    *L = (gs_local_rows){.below = needed ? needed->below : 0};
    if (needed) {
        TRY(gs_ownership_new(&owner, ctx, &B->rows, "rows"));
        TRY(gs_row_fetch_new(&L->fetch, ctx, &owner, needed->ghosts, needed->ghost, B));
    }
    p = parts_of(L, B);
    TRY(gs_comm_check(ctx->comm, number_columns(L, ctx, &p, B)));
    join_values(L, ctx, B);
done:
    gs_ownership_drop(&owner, ctx);
    if (status != GSOLVE_OK) gs_local_rows_drop(L, ctx);
    return status;
}

gsolve_status gs_local_rows_update(gs_local_rows *L, gsolve_context *ctx, const gsolve_dist_csr *B)
{
    gsolve_status status = GSOLVE_OK;

    if (L->fetch) TRY(gs_row_fetch_update(L->fetch, ctx, B));
    join_values(L, ctx, B);
done:
    return status;
}

void gs_local_rows_drop(gs_local_rows *L, gsolve_context *ctx)
{
    gs_row_fetch_drop(&L->fetch, ctx);
    gs_column_map_drop(&L->map, ctx);
    gsolve_csr_free(&L->csr, ctx);
    memset(L, 0, sizeof *L);
}
