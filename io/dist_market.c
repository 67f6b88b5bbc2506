/* dist_market.c: a Matrix Market file that all ranks can open: each parses its stretch of the text.
 */
#include <string.h>
#include <sys/stat.h>

#include "core/try.h"
#include "io/dist.h"

/* What a rank sees of a file, as numbers that are compared. */
enum { USABLE, SIZE, TIME, ROWS, COLUMNS, ENTRIES, KIND, BODY, STATUS, SEEN };

/* *seen_by_all: the file is usable on all ranks, and the same. */
static gsolve_status compare(bool *seen_by_all, gs_comm *comm, const int64_t seen[SEEN])
{
    const char *all = (const char *)comm->recv;
    const size_t bytes = SEEN * sizeof *seen;
    gsolve_status status;

    TRY(gs_comm_allgather(comm, seen, bytes, comm->recv));
    *seen_by_all = true;
    for (int r = 0; r < comm->ranks; r++) {
        int64_t usable;
        memcpy(&usable, all + (size_t)r * bytes, sizeof usable);
        *seen_by_all = *seen_by_all && usable && memcmp(all + (size_t)r * bytes, all, bytes) == 0;
    }
done:
    return status;
}

/* Whether this is the name of a regular file, not of a descriptor: those of ranks differ. */
static bool is_regular(const char *path)
{
    struct stat about;

    return gsolve_descriptor_of(path, 0) < 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Opens the file. in->begin NULL: it cannot be opened, or is no Matrix Market file. */
static gsolve_status open_text(gs_input *in, gsolve_context *ctx, const char *path,
                               const gsolve_read_options *options)
{
    gsolve_status status;

    *in = (gs_input){.ctx = ctx};
    if (!is_regular(path)) return GSOLVE_OK;
    status = gs_input_file(in, ctx, path, options);
    if (status == GSOLVE_BAD_FILE) return GSOLVE_OK;
    if (status == GSOLVE_OK && !gs_market_is(in->begin, in->end)) {
        gs_input_close(in);
        in->begin = NULL;
    }
    return status;
}

/* Reads the head. status: its error. */
static void describe(int64_t seen[SEEN], gs_market *m, gs_input *in, bool dense,
                     gsolve_status *status)
{
    *status = dense ? gs_market_dense_head(m, in) : gs_market_head(m, in);
    seen[USABLE] = *status != GSOLVE_OK || !m->array || (dense && m->symmetry == GSOLVE_GENERAL);
    seen[SIZE] = in->source.bytes;
    seen[TIME] = in->changed;
    seen[ROWS] = m->nrows;
    seen[COLUMNS] = m->ncols;
    seen[ENTRIES] = m->entries;
    seen[KIND] = 16 * m->array + 4 * (int64_t)m->field + (int64_t)m->symmetry;
    seen[BODY] = m->body ? m->body - in->begin : 0;
    seen[STATUS] = (int64_t)*status;
}

gsolve_status gs_market_open_dist(gs_input *in, gs_market *m, bool *is_market, gsolve_context *ctx,
                                  const char *path, const gsolve_read_options *options, bool dense)
{
    int64_t seen[SEEN] = {0};
    gsolve_status status, head = GSOLVE_OK;

    *is_market = false;
    status = open_text(in, ctx, path, options);
    TRY(gs_comm_check(ctx->comm, status));
    if (in->begin) describe(seen, m, in, dense, &head);
    TRY(compare(is_market, ctx->comm, seen));
    if (*is_market) TRY(gs_check_file(ctx->comm, head));
done:
    if (status != GSOLVE_OK || !*is_market) gs_input_close(in);
    return status;
}

gsolve_status gs_market_read_dist(gsolve_dist_csr *csr, gs_input *in, const gs_market *m)
{
    gsolve_context *ctx = in->ctx;
    gs_triplets t = {0};
    gsolve_csr A = {0};
    int64_t count;
    gsolve_status status;

    TRY(gs_market_lines(&t, &count, m, in, ctx->comm));
    gs_input_close(in);
    TRY(gs_assemble_dist(&A, ctx, m, &t, count, NULL, &in->source.duplicates));
    TRY(gs_divide_rows(csr, ctx, &A, m->ncols));
done:
    gs_triplets_free(&t, ctx);
    gsolve_csr_free(&A, ctx);
    return status;
}
