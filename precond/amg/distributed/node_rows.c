/* node_rows.c: see node_rows.h. */
#include "precond/amg/distributed/node_rows.h"

#include <string.h>

#include "core/try.h"

/* --- nodes ------------------------------------------------------------------------------------ */

gsolve_status gs_check_rank_nodes(gsolve_context *ctx, const gsolve_row_range *rows, int32_t block)
{
    if (rows->total % block != 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "%lld unknowns are not nodes of %d unknowns each; set block= to a "
                           "divisor",
                           (long long)rows->total, block);
    }
    if (rows->first % block != 0 || rows->count % block != 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "amg: the rows of this rank, %lld to %lld, cut a node of %d unknowns; "
                           "divide the rows between nodes",
                           (long long)rows->first, (long long)rows->first + rows->count - 1, block);
    }
    return GSOLVE_OK;
}

static void set_nodes(gs_node_rows *L, const gsolve_row_range *rows, int32_t block)
{
    L->block = block;
    L->nodes = (gsolve_row_range){rows->first / block, rows->total / block, rows->count / block};
}

/* L->map = the nodes that the columns belong to. */
static gsolve_status number_nodes(gs_node_rows *L, gsolve_context *ctx, const gsolve_dist_csr *rows)
{
    const int64_t entries = gs_dist_start(rows, rows->rows.count);
    int64_t *node;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, node, entries);
    for (int64_t k = 0; k < entries; k++) node[k] = rows->col[k] / L->block;
    TRY(gs_column_map_new(&L->map, ctx, L->nodes, entries, node));
    L->all = gs_column_count(&L->map);
    if ((int64_t)L->all * L->block > INT32_MAX) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "amg: the rows of this rank use 2^31 columns or more; use more ranks");
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, node);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Writes the diagonals of the ghost rows from `row` to end - 1, from entry `at` on. */
static int64_t put_ghosts(const gs_csr_arrays *to, int32_t row, int32_t end, int64_t at)
{
    for (; row < end; row++) {
        gs_set_start(to, row, at);
        to->col[at] = row;
        gs_put_value(to->value, to->csr.type, at++, 1);
    }
    return at;
}

static int32_t compact_column(const gs_node_rows *L, int64_t col)
{
    const int64_t node = col / L->block;

    return gs_column_compact(&L->map, node) * L->block + (int32_t)(col - node * L->block);
}

static void put_rows(gs_node_rows *L, const gsolve_context *ctx, const gs_csr_arrays *to,
                     const gsolve_dist_csr *rows)
{
    const int64_t begin = put_ghosts(to, 0, L->first, 0);
    const int32_t end = L->first + L->count;

    L->begin = begin;
    for (int32_t i = 0; i < L->count; i++) {
        gs_set_start(to, L->first + i, begin + gs_dist_start(rows, i));
    }
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) if (L->entries > 10000)
    for (int64_t k = 0; k < L->entries; k++) to->col[begin + k] = compact_column(L, rows->col[k]);
    gs_set_start(to, L->all * L->block, put_ghosts(to, end, L->all * L->block, begin + L->entries));
}

static gsolve_status make_rows(gs_node_rows *L, gsolve_context *ctx, const gsolve_dist_csr *rows)
{
    int64_t ghosts;
    gsolve_status status;

    TRY(number_nodes(L, ctx, rows));
    ghosts = (int64_t)L->map.ghosts * L->block;
    L->first = L->map.below * L->block;
    L->count = rows->rows.count;
    L->entries = gs_dist_start(rows, L->count);
    TRY(gs_csr_new(&L->A, ctx, L->all * L->block, L->all * L->block, L->entries + ghosts,
                   rows->type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &L->A);
    put_rows(L, ctx, &to, rows);
    gs_node_rows_update(L, ctx, rows);
done:
    return status;
}

void gs_node_rows_update(gs_node_rows *L, const gsolve_context *ctx, const gsolve_dist_csr *rows)
{
    const size_t size = gs_type_size(L->A.type);

    if (L->entries == 0) return;
    memcpy((char *)gs_csr_arrays_of(ctx, &L->A).value + (size_t)L->begin * size, rows->value,
           (size_t)L->entries * size);
}

gsolve_status gs_node_rows_new(gs_node_rows *L, gsolve_context *ctx, const gsolve_dist_csr *rows,
                               int32_t block)
{
    gsolve_status status;

    memset(L, 0, sizeof *L);
    TRY(gs_comm_check(ctx->comm, gs_check_rank_nodes(ctx, &rows->rows, block)));
    set_nodes(L, &rows->rows, block);
    TRY(gs_ownership_new(&L->owner, ctx, &L->nodes, "nodes"));
    TRY(gs_comm_check(ctx->comm, make_rows(L, ctx, rows)));
    TRY(gs_halo_new(&L->halo, ctx, &L->map, &L->owner));
done:
    if (status != GSOLVE_OK) gs_node_rows_drop(L, ctx);
    return status;
}

void gs_node_rows_drop(gs_node_rows *L, gsolve_context *ctx)
{
    gs_halo_drop(&L->halo, ctx);
    gs_column_map_drop(&L->map, ctx);
    gs_ownership_drop(&L->owner, ctx);
    gsolve_csr_free(&L->A, ctx);
    gsolve_free(ctx, GSOLVE_HOST, L->in);
    gsolve_free(ctx, GSOLVE_HOST, L->out);
    memset(L, 0, sizeof *L);
}

/* --- exchange --------------------------------------------------------------------------------- */

gsolve_status gs_node_rows_reserve(gs_node_rows *L, gsolve_context *ctx, size_t width)
{
    const gs_halo *H = &L->halo;
    gsolve_status status = GSOLVE_OK;

    if (width <= L->width || gs_comm_ranks(ctx->comm) == 1) return GSOLVE_OK;
    L->width = 0;
    gsolve_free(ctx, GSOLVE_HOST, L->in);
    gsolve_free(ctx, GSOLVE_HOST, L->out);
    L->in = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)H->in.first[H->in.count], width);
    L->out = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)H->out.first[H->out.count], width);
    TRY(gs_comm_check(ctx->comm, L->in && L->out ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    L->width = width;
done:
    return status;
}

gsolve_status gs_node_rows_exchange(gs_node_rows *L, gsolve_context *ctx, size_t width, void *array)
{
    const gs_halo *H = &L->halo;
    const size_t below = (size_t)L->map.below * width, own = (size_t)L->nodes.count * width;
    const size_t above = (size_t)(L->map.ghosts - L->map.below) * width;
    char *at = array;
    gsolve_status status;

    if (gs_comm_ranks(ctx->comm) == 1) return GSOLVE_OK;
    for (int64_t k = 0; k < H->out.first[H->out.count]; k++) {
        memcpy(L->out + (size_t)k * width, at + below + (size_t)H->pack[k] * width, width);
    }
    TRY(gs_message_sides_exchange(ctx, width, &H->out, L->out, &H->in, L->in));
    if (below > 0) memcpy(at, L->in, below);
    if (above > 0) memcpy(at + below + own, L->in + below, above);
done:
    return status;
}
