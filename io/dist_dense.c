/* dist_dense.c: dense matrices of files: all ranks read a Matrix Market file, or rank 0 reads any
 * file; each rank gets its rows. */
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/gather.h"
#include "dist/pieces.h"
#include "io/dist.h"

gsolve_status gs_move_elements(gsolve_context *ctx, const gs_ownership *owner, void *part,
                               int64_t count, gsolve_dense v, bool to_part)
{
    const int rank = ctx->comm ? ctx->comm->rank : 0, ranks = owner->ranks;
    const int64_t *row = owner->first;
    gs_gather parts = {0};
    gs_pieces p = {0};
    gsolve_status status;

    TRY(gs_gather_new(&parts, ctx, count));
    TRY(gs_pieces_new(&p, ctx));
    for (int32_t c = 0; c < v.ncols; c++) {
        const int64_t *at = parts.first, column = c * row[ranks]; /* elements before it */
        void *own = gs_column_of(v, c).value;
        for (int r = 0; r <= ranks; r++) {
            (to_part ? p.in : p.out)[r] =
                gs_clamp(column + row[r], at[rank], at[rank + 1]) - at[rank];
            (to_part ? p.out : p.in)[r] =
                gs_clamp(at[r] - column, row[rank], row[rank + 1]) - row[rank];
        }
        TRY(gs_pieces_move(&p, ctx->comm, sizeof(double), to_part ? own : part,
                           to_part ? part : own));
    }
done:
    gs_gather_drop(&parts, ctx);
    gs_pieces_drop(&p, ctx);
    return status;
}

/* *v = this rank's rows of a matrix with ncols columns. part: its consecutive elements that this
 * rank has, by columns. */
static gsolve_status get_rows(gsolve_dense *v, gsolve_context *ctx, const gs_ownership *owner,
                              void *part, int64_t count, int32_t ncols)
{
    const int rank = ctx->comm ? ctx->comm->rank : 0;
    const int32_t rows = (int32_t)(owner->first[rank + 1] - owner->first[rank]);
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, gs_dense_new(v, ctx, GSOLVE_HOST, GSOLVE_F64, rows, ncols)));
    TRY(gs_move_elements(ctx, owner, part, count, *v, false));
done:
    return status;
}

static gsolve_status check_rows(gsolve_context *ctx, const gs_ownership *owner, const char *name,
                                int32_t nrows)
{
    const long long total = (long long)owner->first[owner->ranks];

    if (nrows == total) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_FILE, "%.400s has %d rows; the system has %lld",
                       strcmp(name, "-") == 0 ? "standard input" : name, nrows, total);
}

/* Rank 0 reads, and sends the others their rows. */
static gsolve_status read_on_first(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                   const gs_ownership *owner, const gsolve_read_options *options)
{
    gsolve_dense all = {0};
    gsolve_status status = GSOLVE_OK;

    if (gs_is_first(ctx)) status = gsolve_read_dense(&all, ctx, name, options, NULL);
    if (gs_is_first(ctx) && !status) status = check_rows(ctx, owner, name, all.nrows);
    TRY(gs_check_file(ctx->comm, status));
    int32_t ncols = all.ncols;
    TRY(gs_share(ctx->comm, &ncols, sizeof ncols));
    TRY(get_rows(v, ctx, owner, all.value, (int64_t)all.nrows * all.ncols, ncols));
done:
    gsolve_dense_free(&all, ctx);
    return status;
}

/* All ranks read the body of the file in `in`. The file has the entries of a sparse matrix, or all
 * elements by columns. */
static gsolve_status read_body(gsolve_dense *v, gs_input *in, const gs_market *m,
                               const gs_ownership *owner)
{
    gsolve_context *ctx = in->ctx;
    gs_triplets t = {0};
    gsolve_csr A = {0};
    int64_t count, duplicates;
    gsolve_status status;

    TRY(gs_market_lines(&t, &count, m, in, ctx->comm));
    gs_input_close(in);
    TRY(gs_check_file(ctx->comm, check_rows(ctx, owner, in->name, m->nrows)));
    if (m->array) {
        status = get_rows(v, ctx, owner, t.v, count, m->ncols);
    } else {
        TRY(gs_assemble_dist(&A, ctx, m, &t, count, owner->first, &duplicates));
        TRY(gs_comm_check(ctx->comm, gs_csr_to_dense(v, ctx, &A)));
    }
done:
    gs_triplets_free(&t, ctx);
    gsolve_csr_free(&A, ctx);
    return status;
}

/* *found: all ranks see the same Matrix Market file. */
static gsolve_status read_on_all(gsolve_dense *v, bool *found, gsolve_context *ctx,
                                 const char *name, const gs_ownership *owner,
                                 const gsolve_read_options *options)
{
    gs_input in;
    gs_market m;
    gsolve_status status;

    TRY(gs_market_open_dist(&in, &m, found, ctx, name, options, true));
    if (!*found) goto done;
    status = read_body(v, &in, &m, owner);
    gs_input_close(&in);
done:
    return status;
}

/* Rank 0 reads what others cannot, and caches. */
static gsolve_status read_dense(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                const gs_ownership *owner, const gsolve_read_options *options)
{
    bool found = false, cached = options && options->cache;
    gsolve_status status;

    TRY(gs_share(ctx->comm, &cached, sizeof cached));
    if (owner->ranks > 1 && !cached) TRY(read_on_all(v, &found, ctx, name, owner, options));
    if (!found) TRY(read_on_first(v, ctx, name, owner, options));
done:
    return status;
}

gsolve_status gsolve_read_dense_dist(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                     gsolve_row_range rows, const gsolve_read_options *options)
{
    gs_ownership owner = {0};
    gsolve_dense own = {0};
    gsolve_status status = GSOLVE_OK;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!v || !name) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_read_dense_dist: v or name is NULL");
    }
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_same_name(ctx, name));
    TRY(gs_ownership_new(&owner, ctx, &rows, "rows"));
    TRY(read_dense(&own, ctx, name, &owner, options));
    *v = own;
    own = (gsolve_dense){0};
done:
    gs_ownership_drop(&owner, ctx);
    gsolve_dense_free(&own, ctx);
    return status;
}
