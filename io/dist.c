/* dist.c: where matrices come from whose rows are distributed over ranks: each rank generates its
 * rows; all ranks read a file; or rank 0 reads a file and sends them. */
#include "io/dist.h"

#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "io/generators.h"

/* --- matrices --------------------------------------------------------------------------------- */

static gsolve_status generate(gsolve_dist_csr *csr, gsolve_context *ctx, const char *name,
                              gsolve_source *source)
{
    gs_row_slice slice = {.rank = ctx->comm ? ctx->comm->rank : 0,
                          .ranks = gs_comm_ranks(ctx->comm)};
    gsolve_csr rows = {0};
    gs_dist_arrays a = {0};
    gsolve_source own;
    int64_t entries, before, total;
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, gs_generate(&rows, ctx, name + 4, &slice)));
    entries = gs_start(&rows, rows.nrows);
    TRY(gs_comm_check(ctx->comm, gs_dist_arrays_new(&a, ctx, rows.nrows, entries)));
    for (int32_t i = 0; i <= rows.nrows; i++) a.start[i] = gs_start(&rows, i);
    for (int64_t k = 0; k < entries; k++) a.col[k] = rows.col[k];
    memcpy(a.value, rows.value, (size_t)entries * sizeof *a.value);
    TRY(gs_comm_place(ctx->comm, entries, &before, &total));
    own = gs_source_of_generator(total);
    GS_FILL_INFO(gsolve_source, source, &own);
    gs_dist_csr_own(csr, slice.rows, slice.cols, &a);
done:
    gs_dist_arrays_free(&a, ctx);
    gsolve_csr_free(&rows, ctx);
    return status;
}

/* Rank 0 reads, and sends the others their rows and *source. */
static gsolve_status read_on_first(gsolve_dist_csr *csr, gsolve_context *ctx, const char *name,
                                   const gsolve_read_options *options, gsolve_source *source)
{
    static const int32_t no_rows = 0;
    const bool first = gs_is_first(ctx);
    gsolve_csr all = {0}, A = {.start = &no_rows};
    int64_t ncols;
    gsolve_status status;

    TRY(gs_check_file(ctx->comm,
                      first ? gsolve_read_matrix(&all, ctx, name, options, source) : GSOLVE_OK));
    if (first) A = all;
    ncols = A.ncols;
    TRY(gs_share(ctx->comm, &ncols, sizeof ncols));
    TRY(gs_share(ctx->comm, source, sizeof *source));
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

    TRY(gs_market_open_dist(&in, &m, found, ctx, name, options, false));
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

/* All ranks read the cache, or the text and write the cache. Rank 0 reads what others cannot. */
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
        if (!found) TRY(read_text(csr, &found, ctx, name, options, &own));
        if (found && !own.cached && (use & 2)) {
            status = gs_cache_write_dist(csr, ctx, name, &own);
            if (status != GSOLVE_OK) gsolve_dist_csr_free(csr, ctx);
            TRY(status);
        }
    }
    if (!found) TRY(read_on_first(csr, ctx, name, options, &own));
    GS_FILL_INFO(gsolve_source, source, &own);
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
    TRY(gs_same_name(ctx, name));
    status = strncmp(name, "gen:", 4) == 0 ? generate(csr, ctx, name, source)
                                           : read_file(csr, ctx, name, options, source);
done:
    return status;
}
