/* graph.c: partitions of the graph of a distributed matrix. Rank 0 gathers its pattern, forms that
 * of A + A', and sends each rank the new owners of its rows. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "partition/partition.h"
#include "partition/traffic.h"

/* --- names ------------------------------------------------------------------------------------ */

gsolve_status gs_partitioner_named(const gs_partitioner **found, gsolve_context *ctx,
                                   const char *spec)
{
    static const gs_partitioner *const all[] = {&gs_metis_partitioner, &gs_scotch_partitioner};

    *found = NULL;
    if (strcmp(spec, "blocks") == 0 || strcmp(spec, "auto") == 0) return GSOLVE_OK;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (strcmp(spec, all[k]->name) != 0) continue;
        if (!all[k]->divide) return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "%s", all[k]->lacks);
        *found = all[k];
        return GSOLVE_OK;
    }
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                       "there is no partition '%s'; use blocks, metis, scotch or auto", spec);
}

const gs_partitioner *gs_partitioner_built(void)
{
    if (gs_metis_partitioner.divide) return &gs_metis_partitioner;
    return gs_scotch_partitioner.divide ? &gs_scotch_partitioner : NULL;
}

/* --- the pattern of this rank ----------------------------------------------------------------- */

typedef struct pattern {
    int64_t *length; /* of each row */
    int32_t *col;    /* ascending strictly in each row */
    int32_t *weight; /* of each row */
    int64_t entries;
} pattern;

static void drop_pattern(pattern *p, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, p->length);
    gsolve_free(ctx, GSOLVE_HOST, p->col);
    gsolve_free(ctx, GSOLVE_HOST, p->weight);
}

static gsolve_status new_pattern(pattern *p, gsolve_context *ctx, int64_t rows, int64_t entries)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, p->length, rows);
    ALLOC(ctx, GSOLVE_HOST, p->col, entries);
    ALLOC(ctx, GSOLVE_HOST, p->weight, rows);
    p->entries = entries;
done:
    return status;
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* Writes the columns of a row, sorted and each once; returns their number. */
static int64_t put_row(int32_t *to, const int64_t *col, int64_t count)
{
    bool ascending = true;
    int64_t left = 0;

    for (int64_t k = 0; k < count; k++) {
        to[k] = (int32_t)col[k];
        ascending = ascending && (k == 0 || to[k - 1] < to[k]);
    }
    if (ascending) return count;
    qsort(to, (size_t)count, sizeof *to, compare);
    for (int64_t k = 0; k < count; k++) {
        if (left == 0 || to[left - 1] != to[k]) to[left++] = to[k];
    }
    return left;
}

static void put_rows(pattern *p, const gsolve_dist_csr *csr, const gsolve_csr *shape)
{
    int64_t at = 0;

    for (int32_t i = 0; i < shape->nrows; i++) {
        const int64_t begin = gs_start(shape, i);
        p->length[i] = put_row(p->col + at, csr->col + begin, gs_start(shape, i + 1) - begin);
        p->weight[i] = (int32_t)gs_row_weight(shape, i);
        at += p->length[i];
    }
    p->entries = at;
}

/* --- rank 0 ----------------------------------------------------------------------------------- */

/* The pattern as a matrix; its values, which the transposition copies, are 0. */
static gsolve_status make_csr(gsolve_csr *csr, gsolve_context *ctx, const pattern *p, int32_t n)
{
    gsolve_status status;

    TRY(gs_csr_new(csr, ctx, n, n, p->entries, GSOLVE_F32));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, csr);
    int64_t at = 0;
    for (int32_t i = 0; i < n; i++) {
        gs_set_start(&to, i, at);
        at += p->length[i];
    }
    gs_set_start(&to, n, at);
    memcpy(to.col, p->col, (size_t)at * sizeof *p->col);
    memset(to.value, 0, (size_t)at * sizeof(float));
done:
    return status;
}

static gsolve_status divide(int32_t *part, gsolve_context *ctx, const gs_partitioner *by,
                            const pattern *p, int32_t n)
{
    const int parts = gs_comm_ranks(ctx->comm);
    gsolve_csr csr = {0};
    gs_adjacency g = {0};
    gsolve_status status;

    TRY(make_csr(&csr, ctx, p, n));
    TRY(gs_adjacency_new(&g, ctx, &csr));
    gsolve_csr_free(&csr, ctx);
    if (g.start[n] > INT_MAX) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "%s partitions graphs with at most %d entries of A + A' off the "
                             "diagonal, and this matrix has %lld; use the partition blocks",
                             by->name, INT_MAX, (long long)g.start[n]);
    } else if (g.start[n] == 0 || n < parts || parts == 1) { /* any partition is good */
        for (int32_t i = 0; i < n; i++) part[i] = (int32_t)((int64_t)i * parts / n);
    } else {
        status = by->divide(part, ctx, &g, p->weight, parts);
    }
done:
    gsolve_csr_free(&csr, ctx);
    gs_adjacency_drop(&g, ctx);
    return status;
}

/* --- all ranks -------------------------------------------------------------------------------- */

/* Fails on all ranks if the graph is too large for the partitioners, which count in int. */
static gsolve_status check_size(gsolve_context *ctx, const gs_partitioner *by,
                                const gsolve_csr *shape, int64_t rows)
{
    int64_t before, total, sum = 0;
    gsolve_status status;

    for (int32_t i = 0; i < shape->nrows; i++) sum += gs_row_weight(shape, i);
    TRY(gs_comm_place(ctx->comm, sum, &before, &total));
    if (rows < INT_MAX && total < INT_MAX) return GSOLVE_OK;
    status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                         "%s partitions matrices with fewer than 2^31 rows and entries, and this "
                         "one has %lld rows and about %lld entries; use the partition blocks",
                         by->name, (long long)rows, (long long)total);
done:
    return status;
}

/* Gathers lengths, columns and weights on rank 0. rows: from each rank to rank 0. */
static gsolve_status gather(pattern *all, gsolve_context *ctx, const pattern *own,
                            const gs_traffic *rows, int64_t total)
{
    gs_traffic entries = {0};
    int64_t count = 0;
    gsolve_status status = gs_traffic_new(&entries, ctx);

    TRY(gs_comm_check(ctx->comm, status));
    entries.out[0] = own->entries;
    TRY(gs_traffic_agree(&entries, ctx, NULL, NULL));
    for (int r = 0; r < entries.ranks; r++) count += entries.in[r];
    TRY(gs_comm_check(ctx->comm, new_pattern(all, ctx, entries.rank == 0 ? total : 0, count)));
    TRY(gs_traffic_move(rows, ctx, false, sizeof *own->length, own->length, all->length));
    TRY(gs_traffic_move(rows, ctx, false, sizeof *own->weight, own->weight, all->weight));
    TRY(gs_traffic_move(&entries, ctx, false, sizeof *own->col, own->col, all->col));
done:
    gs_traffic_drop(&entries, ctx);
    return status;
}

static gsolve_status divide_on_first(int32_t *part, gsolve_context *ctx, const gs_partitioner *by,
                                     const pattern *own, const gs_traffic *rows, int64_t total)
{
    int32_t *all_parts = NULL;
    pattern all = {0};
    gsolve_status status;

    TRY(gather(&all, ctx, own, rows, total));
    if (rows->rank == 0) {
        all_parts = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)total, sizeof *all_parts);
        status = all_parts ? divide(all_parts, ctx, by, &all, (int32_t)total) : GSOLVE_NO_MEMORY;
    }
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_traffic_move(rows, ctx, true, sizeof *part, all_parts, part));
done:
    gsolve_free(ctx, GSOLVE_HOST, all_parts);
    drop_pattern(&all, ctx);
    return status;
}

gsolve_status gs_divide_graph(int32_t *part, gsolve_context *ctx, const gs_partitioner *by,
                              const gsolve_dist_csr *csr, const gsolve_csr *shape)
{
    gs_traffic rows = {0};
    pattern own = {0};
    gsolve_status status;

    TRY(check_size(ctx, by, shape, csr->rows.total));
    status = gs_traffic_new(&rows, ctx);
    if (status == GSOLVE_OK) {
        status = new_pattern(&own, ctx, shape->nrows, gs_start(shape, shape->nrows));
    }
    TRY(gs_comm_check(ctx->comm, status));
    put_rows(&own, csr, shape);
    rows.out[0] = shape->nrows;
    TRY(gs_traffic_agree(&rows, ctx, NULL, NULL));
    TRY(divide_on_first(part, ctx, by, &own, &rows, csr->rows.total));
done:
    gs_traffic_drop(&rows, ctx);
    drop_pattern(&own, ctx);
    return status;
}
