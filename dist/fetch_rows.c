/* fetch_rows.c: see fetch_rows.h. A rank sends the numbers of the rows that it needs to their
 * owners, gets their lengths, and then their columns and values. */
#include "dist/fetch_rows.h"

#include <string.h>

#include "core/try.h"
#include "dist/counts.h"
#include "dist/message_side.h"

struct gs_row_fetch {
    int64_t count, *start, *col; /* the fetched rows */
    void *value;
    gsolve_type type;
    int64_t given;       /* number of rows that this rank sends */
    int32_t *give;       /* their local numbers, in the order of the messages */
    gs_message_side in;  /* of entries; in.buffer is NULL: they arrive in col and value */
    gs_message_side out; /* of entries; out.buffer: col or value of all sent rows */
};

/* Only the creation needs these. */
typedef struct request {
    int64_t *number;          /* of rows, or of entries, for each rank */
    gs_message_side in, out;  /* of rows, as those of gs_row_fetch */
    int64_t *asked, *lengths; /* of the rows to send: their numbers, and their entries */
} request;

static void drop_request(request *r, gsolve_context *ctx)
{
    gs_message_side_drop(&r->in, ctx);
    gs_message_side_drop(&r->out, ctx);
    gsolve_free(ctx, GSOLVE_HOST, r->number);
    gsolve_free(ctx, GSOLVE_HOST, r->asked);
    gsolve_free(ctx, GSOLVE_HOST, r->lengths);
}

/* --- which rows ------------------------------------------------------------------------------- */

static gsolve_status allocate_rows(gs_row_fetch *F, gsolve_context *ctx, request *r)
{
    gsolve_status status;

    F->given = gs_message_side_size(&r->out);
    ALLOC(ctx, GSOLVE_HOST, F->start, (size_t)F->count + 1);
    ALLOC(ctx, GSOLVE_HOST, F->give, F->given);
    ALLOC(ctx, GSOLVE_HOST, r->asked, F->given);
    ALLOC(ctx, GSOLVE_HOST, r->lengths, F->given);
done:
    return status;
}

/* Sets r->in, r->out, F->give and r->lengths. */
static gsolve_status agree_on_rows(gs_row_fetch *F, gsolve_context *ctx, request *r,
                                   const gs_ownership *owner, const int64_t *row,
                                   const gsolve_dist_csr *B)
{
    const int ranks = owner->ranks;
    gsolve_status status;

    r->number = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks, sizeof *r->number);
    status = r->number ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (r->number) {
        memset(r->number, 0, (size_t)ranks * sizeof *r->number);
        for (int64_t k = 0; k < F->count; k++) r->number[gs_owner(owner, row[k])]++;
        status = gs_message_side_set(&r->in, ctx, ranks, r->number);
    }
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_comm_exchange_counts(ctx->comm, r->number));
    status = gs_message_side_set(&r->out, ctx, ranks, r->number);
    if (status == GSOLVE_OK) status = allocate_rows(F, ctx, r);
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_message_sides_exchange(ctx, sizeof *row, &r->in, row, &r->out, r->asked));
    for (int64_t k = 0; k < F->given; k++) {
        const int32_t i = (int32_t)(r->asked[k] - B->rows.first);
        F->give[k] = i;
        r->lengths[k] = gs_dist_start(B, i + 1) - gs_dist_start(B, i);
    }
done:
    return status;
}

/* --- their entries ---------------------------------------------------------------------------- */

/* number[r] = the entries of the message to or from rank r. start: of the rows of all messages. */
static void count_entries(const gs_message_side *rows, int ranks, const int64_t *start,
                          int64_t *number)
{
    memset(number, 0, (size_t)ranks * sizeof *number);
    for (int m = 0; m < rows->count; m++) {
        number[rows->rank[m]] = start[rows->first[m + 1]] - start[rows->first[m]];
    }
}

static gsolve_status allocate_entries(gs_row_fetch *F, gsolve_context *ctx)
{
    const size_t got = (size_t)F->start[F->count], sent = (size_t)gs_message_side_size(&F->out);
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, F->col, got);
    F->value = gsolve_alloc(ctx, GSOLVE_HOST, got, gs_type_size(F->type));
    F->out.buffer = gsolve_alloc(ctx, GSOLVE_HOST, sent, sizeof *F->col);
    if (!F->value || !F->out.buffer) status = GSOLVE_NO_MEMORY;
done:
    return status;
}

/* Sets F->in and F->out from the lengths of the rows: F->start of those to fetch, r->lengths of
 * those to send. */
static gsolve_status set_entries(gs_row_fetch *F, gsolve_context *ctx, request *r, int ranks)
{
    int64_t *start = NULL, at = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, start, (size_t)F->given + 1);
    for (int64_t k = 0; k < F->given; k++) {
        start[k] = at;
        at += r->lengths[k];
    }
    start[F->given] = at;
    F->start[0] = 0;
    for (int64_t k = 0; k < F->count; k++) F->start[k + 1] += F->start[k];
    count_entries(&r->in, ranks, F->start, r->number);
    TRY(gs_message_side_set(&F->in, ctx, ranks, r->number));
    count_entries(&r->out, ranks, start, r->number);
    TRY(gs_message_side_set(&F->out, ctx, ranks, r->number));
    TRY(allocate_entries(F, ctx));
done:
    gsolve_free(ctx, GSOLVE_HOST, start);
    return status;
}

/* `to` = the elements of `from`, of `width` bytes for each entry of B, for the fetched rows. */
static gsolve_status exchange_entries(gs_row_fetch *F, gsolve_context *ctx,
                                      const gsolve_dist_csr *B, size_t width, const void *from,
                                      void *to)
{
    char *packed = F->out.buffer;

    for (int64_t k = 0; k < F->given; k++) {
        const int64_t begin = gs_dist_start(B, F->give[k]), end = gs_dist_start(B, F->give[k] + 1);
        if (begin == end) continue;
        memcpy(packed, (const char *)from + (size_t)begin * width, (size_t)(end - begin) * width);
        packed += (size_t)(end - begin) * width;
    }
    return gs_message_sides_exchange(ctx, width, &F->out, F->out.buffer, &F->in, to);
}

/* --- all ranks -------------------------------------------------------------------------------- */

static gsolve_status fetch(gs_row_fetch *F, gsolve_context *ctx, request *r,
                           const gs_ownership *owner, const int64_t *row, const gsolve_dist_csr *B)
{
    gsolve_status status;

    TRY(agree_on_rows(F, ctx, r, owner, row, B));
    TRY(gs_message_sides_exchange(ctx, sizeof *r->lengths, &r->out, r->lengths, &r->in,
                                  F->start + 1));
    TRY(gs_comm_check(ctx->comm, set_entries(F, ctx, r, owner->ranks)));
    TRY(exchange_entries(F, ctx, B, sizeof *B->col, B->col, F->col));
    TRY(gs_row_fetch_update(F, ctx, B));
done:
    return status;
}

gsolve_status gs_row_fetch_new(gs_row_fetch **out, gsolve_context *ctx, const gs_ownership *owner,
                               int64_t count, const int64_t *row, const gsolve_dist_csr *B)
{
    gs_row_fetch *F;
    request r = {0};
    gsolve_status status;

    *out = NULL;
    F = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *F);
    if (F) *F = (gs_row_fetch){.count = count, .type = B->type}; /* another rank may fail */
    TRY(gs_comm_check(ctx->comm, F ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(fetch(F, ctx, &r, owner, row, B));
    *out = F;
    F = NULL;
done:
    drop_request(&r, ctx);
    gs_row_fetch_drop(&F, ctx);
    return status;
}

gs_fetched_rows gs_row_fetch_rows(const gs_row_fetch *F)
{
    return (gs_fetched_rows){F->count, F->start, F->col, F->value, F->type};
}

gsolve_status gs_row_fetch_update(gs_row_fetch *F, gsolve_context *ctx, const gsolve_dist_csr *B)
{
    return exchange_entries(F, ctx, B, gs_type_size(F->type), B->value, F->value);
}

void gs_row_fetch_drop(gs_row_fetch **handle, gsolve_context *ctx)
{
    gs_row_fetch *F = *handle;

    if (!F) return;
    gs_message_side_drop(&F->in, ctx);
    gs_message_side_drop(&F->out, ctx);
    gsolve_free(ctx, GSOLVE_HOST, F->start);
    gsolve_free(ctx, GSOLVE_HOST, F->col);
    gsolve_free(ctx, GSOLVE_HOST, F->value);
    gsolve_free(ctx, GSOLVE_HOST, F->give);
    gsolve_free(ctx, GSOLVE_HOST, F);
    *handle = NULL;
}
