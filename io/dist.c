/* dist.c: where matrices and vectors come from whose rows are distributed over ranks: each rank
 * generates its rows; all ranks read a file; or rank 0 reads a file and sends them. */
#include "io/dist.h"

#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "dist/pieces.h"
#include "dist/row_range.h"
#include "io/generators.h"

static bool is_first(const gsolve_context *ctx)
{
    return !ctx->comm || ctx->comm->rank == 0;
}

/* --- matrices --------------------------------------------------------------------------------- */

static gsolve_status generate(gsolve_dist_csr *csr, gsolve_context *ctx, const char *name,
                              gsolve_source *source)
{
    gs_row_slice slice = {.rank = ctx->comm ? ctx->comm->rank : 0,
                          .ranks = gs_comm_ranks(ctx->comm)};
    gsolve_csr rows = {0};
    gs_dist_arrays a = {0};
    int64_t entries;
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, gs_generate(&rows, ctx, name + 4, &slice)));
    entries = gs_start(&rows, rows.nrows);
    TRY(gs_comm_check(ctx->comm, gs_dist_arrays_new(&a, ctx, rows.nrows, entries)));
    for (int32_t i = 0; i <= rows.nrows; i++) a.start[i] = gs_start(&rows, i);
    for (int64_t k = 0; k < entries; k++) a.col[k] = rows.col[k];
    memcpy(a.value, rows.value, (size_t)entries * sizeof *a.value);
    if (source) source->stored = entries;
    gs_dist_csr_own(csr, slice.rows, slice.cols, &a);
done:
    gs_dist_arrays_free(&a, ctx);
    gsolve_csr_free(&rows, ctx);
    return status;
}

/* Rank 0 reads, and sends the others their rows. */
static gsolve_status read_on_first(gsolve_dist_csr *csr, gsolve_context *ctx, const char *name,
                                   const gsolve_read_options *options, gsolve_source *source)
{
    static const int32_t no_rows = 0;
    const bool first = is_first(ctx);
    gsolve_csr all = {0}, A = {.start = &no_rows};
    int64_t ncols;
    gsolve_status status;

    TRY(gs_check_file(ctx->comm,
                      first ? gsolve_read_matrix(&all, ctx, name, options, source) : GSOLVE_OK));
    if (first) A = all;
    ncols = A.ncols;
    TRY(gs_share(ctx->comm, &ncols, sizeof ncols));
    status = gs_divide_rows(csr, ctx, &A, ncols);
    if (first) all = A;
done:
    gsolve_csr_free(&all, ctx);
    return status;
}

static gsolve_status read_text(gsolve_dist_csr *csr, bool *found, gsolve_context *ctx,
                               const char *name, const gsolve_read_options *options,
                               gsolve_source *source)
{
    gs_input in;
    gs_market m;
    gsolve_status status;

    TRY(gs_market_open_dist(&in, &m, found, ctx, name, options));
    if (!*found) goto done;
    status = gs_market_read_dist(csr, &in, &m);
    gs_input_close(&in);
    memcpy(in.source.stamp, source->stamp, sizeof in.source.stamp);
    *source = in.source;
done:
    return status;
}

/* What all ranks want with the cache: 0, or 1 to read it, plus 2 to write it. */
static gsolve_status agree_on_cache(int *use, gsolve_context *ctx,
                                    const gsolve_read_options *options)
{
    *use = options && options->cache ? (options->cache_read_only ? 1 : 3) : 0;
    return gs_share(ctx->comm, use, sizeof *use);
}

/* All ranks read the cache or the text. Rank 0 reads what others cannot, and files whose cache it
 * writes. */
static gsolve_status read_file(gsolve_dist_csr *csr, gsolve_context *ctx, const char *name,
                               const gsolve_read_options *options, gsolve_source *source)
{
    gsolve_source own = GSOLVE_INIT(gsolve_source);
    bool found = false;
    int use;
    gsolve_status status = GSOLVE_OK;

    if (gs_comm_ranks(ctx->comm) > 1) {
        TRY(agree_on_cache(&use, ctx, options));
        if (use & 1) TRY(gs_cache_read_dist(csr, &found, ctx, name, &own));
        if (!found && !(use & 2)) TRY(read_text(csr, &found, ctx, name, options, &own));
    }
    if (!found) return read_on_first(csr, ctx, name, options, source);
    if (is_first(ctx)) GS_FILL_INFO(gsolve_source, source, &own);
done:
    return status;
}

gsolve_status gsolve_read_matrix_dist(gsolve_dist_csr *csr, gsolve_context *ctx, const char *name,
                                      const gsolve_read_options *options, gsolve_source *source)
{
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = csr && name ? GS_CHECK_INFO(ctx, gsolve_source, source)
                         : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                                       "gsolve_read_matrix_dist: csr or name is NULL");
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_comm_same(ctx->comm, gs_hash(ctx, name, strlen(name), 0), "the name of the matrix"));
    status = strncmp(name, "gen:", 4) == 0 ? generate(csr, ctx, name, source)
                                           : read_file(csr, ctx, name, options, source);
done:
    return status;
}

/* --- vectors ---------------------------------------------------------------------------------- */

gsolve_status gs_move_columns(gsolve_context *ctx, gsolve_row_range rows, gsolve_dense all,
                              gsolve_dense v, bool to_first)
{
    const bool first = is_first(ctx);
    const int ranks = gs_comm_ranks(ctx->comm);
    gs_ownership owner = {0};
    gs_pieces p = {0};
    gsolve_status status;

    TRY(gs_ownership_new(&owner, ctx, &rows, "rows"));
    TRY(gs_pieces_new(&p, ctx));
    for (int r = 0; r <= ranks; r++) { /* between this rank's rows and rank 0 */
        (to_first ? p.out : p.in)[r] = r > 0 ? rows.count : 0;
        (to_first ? p.in : p.out)[r] = first ? owner.first[r] : 0;
    }
    for (int32_t c = 0; c < v.ncols; c++) {
        void *whole = first ? gs_column_of(all, c).value : NULL, *own = gs_column_of(v, c).value;
        TRY(gs_pieces_move(&p, ctx->comm, sizeof(double), to_first ? own : whole,
                           to_first ? whole : own));
    }
done:
    gs_ownership_drop(&owner, ctx);
    gs_pieces_drop(&p, ctx);
    return status;
}

gsolve_status gs_columns_new(gsolve_dense *v, gsolve_context *ctx, int64_t n, int32_t ncols)
{
    const size_t count = (size_t)n * (size_t)ncols;

    *v = (gsolve_dense){(int32_t)n,
                        ncols,
                        n,
                        gsolve_alloc(ctx, GSOLVE_HOST, count, sizeof(double)),
                        GSOLVE_F64,
                        GSOLVE_HOST,
                        GSOLVE_COLUMN_MAJOR};
    return v->value ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

static gsolve_status read_all(gsolve_dense *all, gsolve_context *ctx, const char *name,
                              gsolve_row_range rows, const gsolve_read_options *options)
{
    gsolve_status status;

    TRY(gsolve_read_dense(all, ctx, name, options, NULL));
    if (all->nrows != rows.total) {
        status = gsolve_fail(ctx, GSOLVE_BAD_FILE, "%s has %d rows; the system has %lld", name,
                             all->nrows, (long long)rows.total);
    }
done:
    return status;
}

gsolve_status gsolve_read_dense_dist(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                     gsolve_row_range rows, const gsolve_read_options *options)
{
    gsolve_dense all = {0}, own = {0};
    int64_t ncols;
    gsolve_status status = GSOLVE_OK;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!v || !name) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_read_dense_dist: v or name is NULL");
    }
    TRY(gs_comm_check(ctx->comm, status));
    if (is_first(ctx)) status = read_all(&all, ctx, name, rows, options);
    TRY(gs_check_file(ctx->comm, status));
    ncols = all.ncols;
    TRY(gs_share(ctx->comm, &ncols, sizeof ncols));
    TRY(gs_comm_check(ctx->comm, gs_columns_new(&own, ctx, rows.count, (int32_t)ncols)));
    TRY(gs_move_columns(ctx, rows, all, own, false));
    *v = own;
    own = (gsolve_dense){0};
done:
    gsolve_dense_free(&all, ctx);
    gsolve_dense_free(&own, ctx);
    return status;
}
