/* division.c: how the rows of a distributed matrix are divided. */
#include "core/info.h"
#include "core/try.h"
#include "dist/column_map.h"
#include "dist/row_range.h"
#include "dist/rows.h"

/* The numbers of this rank. */
typedef struct share {
    double rows, entries, ghosts, cut, neighbours;
} share;

static int count_neighbours(const gs_column_map *map, const gs_ownership *owner)
{
    int found = 0, last = -1;

    for (int32_t g = 0; g < map->ghosts; g++) { /* they ascend, and so do their owners */
        const int rank = gs_owner(owner, map->ghost[g]);
        found += rank != last;
        last = rank;
    }
    return found;
}

static gsolve_status count(share *s, gsolve_context *ctx, const gsolve_dist_csr *csr,
                           const gsolve_csr *shape, const gs_ownership *owner)
{
    const int64_t entries = gs_start(shape, shape->nrows);
    gs_column_map map = {0};
    int64_t cut = 0;
    gsolve_status status;

    TRY(gs_column_map_new(&map, ctx, csr->cols, entries, csr->col));
    for (int64_t k = 0; k < entries; k++) cut += !gs_column_is_own(&map, csr->col[k]);
    *s = (share){csr->rows.count, (double)entries, map.ghosts, (double)cut,
                 count_neighbours(&map, owner)};
done:
    gs_column_map_drop(&map, ctx);
    return status;
}

static gsolve_status combine(gsolve_division_info *info, gsolve_context *ctx, const share *s)
{
    double sum[] = {s->entries, s->ghosts, s->cut};
    double most[] = {s->rows, s->entries, s->ghosts, s->neighbours};
    gsolve_status status;

    TRY(gs_comm_sum_on_host(ctx->comm, sum, 3));
    TRY(gs_comm_largest(ctx->comm, most, 4));
    info->ranks = gs_comm_ranks(ctx->comm);
    info->entries = (int64_t)sum[0];
    info->ghosts = (int64_t)sum[1];
    info->cut = (int64_t)sum[2];
    info->most_rows = (int64_t)most[0];
    info->most_entries = (int64_t)most[1];
    info->most_ghosts = (int64_t)most[2];
    info->most_neighbours = (int)most[3];
done:
    return status;
}

static gsolve_status divide(gsolve_division_info *info, gsolve_context *ctx,
                            const gsolve_dist_csr *csr)
{
    gs_ownership rows = {0}, owner = {0};
    gsolve_csr shape = {0};
    share s = {0};
    gsolve_status status = gs_dist_shape(&shape, ctx, csr);

    if (status == GSOLVE_OK) status = gs_dist_check_entries(ctx, csr, &shape);
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_ownership_new(&rows, ctx, &csr->rows, "rows"));
    TRY(gs_ownership_new(&owner, ctx, &csr->cols, "columns"));
    TRY(gs_comm_check(ctx->comm, count(&s, ctx, csr, &shape, &owner)));
    info->rows = csr->rows.total;
    TRY(combine(info, ctx, &s));
done:
    gs_ownership_drop(&rows, ctx);
    gs_ownership_drop(&owner, ctx);
    return status;
}

gsolve_status gsolve_dist_csr_division(gsolve_context *ctx, const gsolve_dist_csr *csr,
                                       gsolve_division_info *info)
{
    gsolve_division_info found = GSOLVE_INIT(gsolve_division_info);
    gsolve_dist_csr own;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!csr || !info || !csr->start || csr->rows.count < 0 || csr->location != GSOLVE_HOST ||
        (unsigned)csr->type >= GSOLVE_TYPE_COUNT) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                             "gsolve_dist_csr_division: an argument is NULL, or csr has no "
                             "offsets, an unknown type, or is not on the host");
    } else {
        status = GS_CHECK_INFO(ctx, gsolve_division_info, info);
    }
    TRY(gs_comm_check(ctx->comm, status));
    own = gs_dist_complete(csr);
    TRY(divide(&found, ctx, &own));
    GS_FILL_INFO(gsolve_division_info, info, &found);
done:
    return status;
}
