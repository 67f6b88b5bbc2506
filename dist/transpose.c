/* transpose.c: see transpose.h. A rank transposes its rows, with compact column numbers. Rows of
 * the result that other ranks own are sent there. A row of A' has the entries from lower ranks
 * first, then those of this rank, then those from higher ranks: these are ascending columns, since
 * they are rows of A. */
#include "dist/transpose.h"

#include <string.h>

#include "core/try.h"
#include "dist/column_map.h"
#include "dist/counts.h"
#include "dist/message_side.h"
#include "dist/row_range.h"

/* A row of A' as one rank sends it to another. */
typedef struct segment {
    int64_t row; /* as it travels: in the whole matrix; then: position of its entries in csr */
    int64_t length;
} segment;

struct gs_dist_transpose {
    gsolve_dist_csr csr;
    int64_t *start, *col; /* of csr */
    void *value;
    gsolve_csr local; /* the transpose of this rank's rows: the rows of other ranks, which are the
                         ghost columns of A, in their order, and then the own ones */
    void *order;      /* the number in A of each entry of local */
    int32_t ghosts;
    int64_t *own_at; /* of each own row of local: position of its entries in csr */
    int64_t segments;
    segment *received;
    gs_message_side in;  /* of entries; in.buffer: col or value of the received rows */
    gs_message_side out; /* of entries: those of the ghost columns */
};

/* --- this rank's rows ------------------------------------------------------------------------- */

/* The row of `local` of a column of A. */
static int32_t local_row(const gs_column_map *map, int64_t col)
{
    const int32_t compact = gs_column_compact(map, col);

    if (gs_column_is_own(map, col)) return map->ghosts + compact - map->below;
    return compact < map->below ? compact : compact - map->own.count;
}

static gsolve_status transpose_rows(gs_dist_transpose *T, gsolve_context *ctx, gs_column_map *map,
                                    const gsolve_dist_csr *A)
{
    const int64_t entries = gs_dist_start(A, A->rows.count);
    gsolve_csr rows;
    int32_t *col = NULL;
    gsolve_status status;

    TRY(gs_dist_shape(&rows, ctx, A));
    TRY(gs_column_map_new(map, ctx, A->cols, entries, A->col));
    ALLOC(ctx, GSOLVE_HOST, col, entries);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) if (entries > 10000)
    for (int64_t k = 0; k < entries; k++) col[k] = local_row(map, A->col[k]);
    rows.col = col;
    rows.ncols = gs_column_count(map);
    TRY(gs_transpose_host[A->type].make(&T->local, &T->order, ctx, &rows, entries));
    T->ghosts = map->ghosts;
done:
    gsolve_free(ctx, GSOLVE_HOST, col);
    return status;
}

/* --- the rows that are sent ------------------------------------------------------------------- */

/* Only the creation needs these. */
typedef struct plan {
    gs_column_map map;
    gs_ownership owner; /* of the columns of A */
    int64_t *number;    /* of rows, or of entries, for each rank */
    segment *sent;
    int64_t *next;           /* of each own row: position of its next entries in csr */
    gs_message_side in, out; /* of rows */
} plan;

static void drop_plan(plan *p, gsolve_context *ctx)
{
    gs_column_map_drop(&p->map, ctx);
    gs_ownership_drop(&p->owner, ctx);
    gs_message_side_drop(&p->in, ctx);
    gs_message_side_drop(&p->out, ctx);
    gsolve_free(ctx, GSOLVE_HOST, p->number);
    gsolve_free(ctx, GSOLVE_HOST, p->sent);
    gsolve_free(ctx, GSOLVE_HOST, p->next);
}

static gsolve_status list_sent(const gs_dist_transpose *T, gsolve_context *ctx, plan *p)
{
    const int ranks = p->owner.ranks;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, p->sent, T->ghosts);
    ALLOC(ctx, GSOLVE_HOST, p->number, ranks);
    memset(p->number, 0, (size_t)ranks * sizeof *p->number);
    for (int32_t g = 0; g < T->ghosts; g++) {
        p->number[gs_owner(&p->owner, p->map.ghost[g])]++;
        p->sent[g].row = p->map.ghost[g];
        p->sent[g].length = gs_start(&T->local, g + 1) - gs_start(&T->local, g);
    }
    TRY(gs_message_side_set(&p->out, ctx, ranks, p->number));
done:
    return status;
}

/* number[r] = the entries of these rows, which go to or come from rank r. */
static void count_entries(const gs_message_side *rows, int ranks, const segment *row,
                          int64_t *number)
{
    memset(number, 0, (size_t)ranks * sizeof *number);
    for (int m = 0; m < rows->count; m++) {
        for (int64_t k = rows->first[m]; k < rows->first[m + 1]; k++) {
            number[rows->rank[m]] += row[k].length;
        }
    }
}

static gsolve_status allocate_received(gs_dist_transpose *T, gsolve_context *ctx, plan *p)
{
    gsolve_status status;

    TRY(gs_message_side_set(&p->in, ctx, p->owner.ranks, p->number));
    T->segments = gs_message_side_size(&p->in);
    ALLOC(ctx, GSOLVE_HOST, T->received, T->segments);
done:
    return status;
}

/* Tells the owners of A's columns which rows they get: T->received. */
static gsolve_status agree_on_rows(gs_dist_transpose *T, gsolve_context *ctx, plan *p)
{
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, list_sent(T, ctx, p)));
    TRY(gs_comm_exchange_counts(ctx->comm, p->number));
    TRY(gs_comm_check(ctx->comm, allocate_received(T, ctx, p)));
    TRY(gs_message_sides_exchange(ctx, sizeof(segment), &p->out, p->sent, &p->in, T->received));
done:
    return status;
}

/* --- positions -------------------------------------------------------------------------------- */

static int64_t own_length(const gs_dist_transpose *T, int32_t j)
{
    return gs_start(&T->local, T->ghosts + j + 1) - gs_start(&T->local, T->ghosts + j);
}

/* Sets T->start from the lengths of the own and the received rows. */
static void set_start(gs_dist_transpose *T)
{
    const int32_t count = T->csr.rows.count;

    T->start[0] = 0;
    for (int32_t j = 0; j < count; j++) T->start[j + 1] = own_length(T, j);
    for (int64_t s = 0; s < T->segments; s++) {
        T->start[T->received[s].row - T->csr.rows.first + 1] += T->received[s].length;
    }
    for (int32_t j = 0; j < count; j++) T->start[j + 1] += T->start[j];
}

/* Gives positions to the received rows from `begin` to `end` - 1. */
static void place_received(gs_dist_transpose *T, int64_t begin, int64_t end, int64_t *next)
{
    for (int64_t s = begin; s < end; s++) {
        segment *in = &T->received[s];
        int64_t *at = &next[in->row - T->csr.rows.first];
        in->row = *at;
        *at += in->length;
    }
}

/* Gives positions to the rows of lower ranks, the own ones, and those of higher ranks. */
static void place_rows(gs_dist_transpose *T, const plan *p, int rank)
{
    const int32_t count = T->csr.rows.count;
    int64_t lower = 0;

    for (int m = 0; m < p->in.count; m++) {
        if (p->in.rank[m] < rank) lower = p->in.first[m + 1];
    }
    memcpy(p->next, T->start, (size_t)count * sizeof *p->next);
    place_received(T, 0, lower, p->next);
    for (int32_t j = 0; j < count; j++) {
        T->own_at[j] = p->next[j];
        p->next[j] += own_length(T, j);
    }
    place_received(T, lower, T->segments, p->next);
}

static gsolve_status allocate_rows(gs_dist_transpose *T, gsolve_context *ctx, plan *p)
{
    const size_t count = (size_t)T->csr.rows.count;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, T->start, count + 1);
    ALLOC(ctx, GSOLVE_HOST, T->own_at, count);
    ALLOC(ctx, GSOLVE_HOST, p->next, count);
done:
    return status;
}

static gsolve_status allocate_entries(gs_dist_transpose *T, gsolve_context *ctx, int64_t entries)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, T->col, entries);
    T->value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, gs_type_size(T->csr.type));
    T->in.buffer =
        gsolve_alloc(ctx, GSOLVE_HOST, (size_t)gs_message_side_size(&T->in), sizeof *T->col);
    if (!T->value || !T->in.buffer) status = GSOLVE_NO_MEMORY;
done:
    return status;
}

/* Sets the offsets of the result, the positions of its parts, and T->in and T->out. */
static gsolve_status place_all(gs_dist_transpose *T, gsolve_context *ctx, plan *p)
{
    const int ranks = p->owner.ranks;
    gsolve_status status;

    count_entries(&p->out, ranks, p->sent, p->number);
    TRY(gs_message_side_set(&T->out, ctx, ranks, p->number));
    count_entries(&p->in, ranks, T->received, p->number);
    TRY(gs_message_side_set(&T->in, ctx, ranks, p->number));
    TRY(allocate_rows(T, ctx, p));
    set_start(T);
    place_rows(T, p, ctx->comm ? ctx->comm->rank : 0);
    TRY(allocate_entries(T, ctx, T->start[T->csr.rows.count]));
    T->csr.start = T->start;
    T->csr.col = T->col;
    T->csr.value = T->value;
done:
    return status;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* `to` = elements of `width` bytes for each entry of the result. from: those of local. */
static gsolve_status exchange_entries(gs_dist_transpose *T, gsolve_context *ctx, size_t width,
                                      const void *from, void *to)
{
    const char *own = from, *received = T->in.buffer;
    gsolve_status status;

    TRY(gs_message_sides_exchange(ctx, width, &T->out, from, &T->in, T->in.buffer));
    own += (size_t)gs_start(&T->local, T->ghosts) * width;
    for (int32_t j = 0; j < T->csr.rows.count; j++) {
        const size_t bytes = (size_t)own_length(T, j) * width;
        if (bytes > 0) memcpy((char *)to + (size_t)T->own_at[j] * width, own, bytes);
        own += bytes;
    }
    for (int64_t s = 0; s < T->segments; s++) {
        const size_t bytes = (size_t)T->received[s].length * width;
        memcpy((char *)to + (size_t)T->received[s].row * width, received, bytes);
        received += bytes;
    }
done:
    return status;
}

/* The columns of the result, which are rows of A. */
static gsolve_status exchange_columns(gs_dist_transpose *T, gsolve_context *ctx)
{
    const int64_t entries = gs_start(&T->local, T->local.nrows);
    int64_t *col;
    gsolve_status status;

    col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *col);
    TRY(gs_comm_check(ctx->comm, col ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int64_t k = 0; k < entries; k++) col[k] = T->csr.cols.first + T->local.col[k];
    TRY(exchange_entries(T, ctx, sizeof *col, col, T->col));
    gsolve_free(ctx, GSOLVE_HOST, gs_owned_block(ctx, T->local.col)); /* no longer needed */
    T->local.col = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, col);
    return status;
}

/* --- all ranks -------------------------------------------------------------------------------- */

static gsolve_status create(gs_dist_transpose *T, gsolve_context *ctx, plan *p,
                            const gsolve_dist_csr *A)
{
    gsolve_status status;

    TRY(gs_ownership_new(&p->owner, ctx, &A->cols, "columns"));
    TRY(gs_comm_check(ctx->comm, transpose_rows(T, ctx, &p->map, A)));
    TRY(agree_on_rows(T, ctx, p));
    TRY(gs_comm_check(ctx->comm, place_all(T, ctx, p)));
    TRY(exchange_columns(T, ctx));
    TRY(exchange_entries(T, ctx, gs_type_size(A->type), T->local.value, T->value));
done:
    return status;
}

gsolve_status gs_dist_transpose_new(gs_dist_transpose **out, gsolve_context *ctx,
                                    const gsolve_dist_csr *A)
{
    gs_dist_transpose *T;
    plan p = {0};
    gsolve_status status;

    *out = NULL;
    T = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *T);
    if (T) { /* another rank may fail */
        *T = (gs_dist_transpose){
            .csr = {.rows = A->cols, .cols = A->rows, .offset = GSOLVE_O64, .type = A->type}};
    }
    TRY(gs_comm_check(ctx->comm, T ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(create(T, ctx, &p, A));
    *out = T;
    T = NULL;
done:
    drop_plan(&p, ctx);
    gs_dist_transpose_drop(&T, ctx);
    return status;
}

const gsolve_dist_csr *gs_dist_transpose_csr(const gs_dist_transpose *T)
{
    return &T->csr;
}

gsolve_status gs_dist_transpose_update(gs_dist_transpose *T, gsolve_context *ctx,
                                       const gsolve_dist_csr *A)
{
    const gsolve_csr values = {.nrows = A->rows.count,
                               .start = A->start,
                               .value = A->value,
                               .offset = A->offset,
                               .type = A->type};

    gs_transpose_host[A->type].refill(&T->local, T->order, ctx, &values);
    return exchange_entries(T, ctx, gs_type_size(A->type), T->local.value, T->value);
}

void gs_dist_transpose_take(gs_dist_transpose *T, gsolve_dist_csr *csr)
{
    *csr = T->csr;
    T->start = T->col = NULL;
    T->value = NULL;
}

void gs_dist_transpose_drop(gs_dist_transpose **handle, gsolve_context *ctx)
{
    gs_dist_transpose *T = *handle;

    if (!T) return;
    gs_message_side_drop(&T->in, ctx);
    gs_message_side_drop(&T->out, ctx);
    gsolve_csr_free(&T->local, ctx);
    gsolve_free(ctx, GSOLVE_HOST, T->order);
    gsolve_free(ctx, GSOLVE_HOST, T->own_at);
    gsolve_free(ctx, GSOLVE_HOST, T->received);
    gsolve_free(ctx, GSOLVE_HOST, T->start);
    gsolve_free(ctx, GSOLVE_HOST, T->col);
    gsolve_free(ctx, GSOLVE_HOST, T->value);
    gsolve_free(ctx, GSOLVE_HOST, T);
    *handle = NULL;
}
