/* dist_market.c: a Matrix Market file that all ranks can open: each parses its stretch of the text.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Whether this is the name of a regular file; its size and time stamp. */
static bool is_regular(const char *path, int64_t seen[SEEN])
{
    struct stat about;

    if (gsolve_descriptor_of(path, STDIN_FILENO) >= 0) return false;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    seen[SIZE] = about.st_size;
    seen[TIME] = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
    return true;
}

/* Opens the file. in->begin NULL: it cannot be opened, or is no Matrix Market file. */
static gsolve_status open_text(gs_input *in, gsolve_context *ctx, const char *path,
                               const gsolve_read_options *options, int64_t seen[SEEN])
{
    gsolve_status status;

    *in = (gs_input){.ctx = ctx};
    if (!is_regular(path, seen)) return GSOLVE_OK;
    status = gs_input_file(in, ctx, path, options);
    if (status == GSOLVE_BAD_FILE) return GSOLVE_OK;
    if (status == GSOLVE_OK && !gs_market_is(in->begin, in->end)) {
        gs_input_close(in);
        in->begin = NULL;
    }
    return status;
}

/* Reads the head. status: its error. */
static void describe(int64_t seen[SEEN], gs_market *m, gs_input *in, gsolve_status *status)
{
    *status = gs_market_head(m, in);
    seen[USABLE] = *status == GSOLVE_BAD_FILE || (*status == GSOLVE_OK && !m->array);
    seen[ROWS] = m->nrows;
    seen[COLUMNS] = m->ncols;
    seen[ENTRIES] = m->entries;
    seen[KIND] = 8 * (int64_t)m->field + (int64_t)m->symmetry;
    seen[BODY] = m->body ? m->body - in->begin : 0;
    seen[STATUS] = (int64_t)*status;
}

gsolve_status gs_market_open_dist(gs_input *in, gs_market *m, bool *is_market, gsolve_context *ctx,
                                  const char *path, const gsolve_read_options *options)
{
    int64_t seen[SEEN] = {0};
    gsolve_status status, head = GSOLVE_OK;

    *is_market = false;
    status = open_text(in, ctx, path, options, seen);
    TRY(gs_comm_check(ctx->comm, status));
    if (in->begin) describe(seen, m, in, &head);
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
    TRY(gs_assemble_dist(&A, ctx, m, &t, count, &in->source.duplicates));
    TRY(gs_divide_rows(csr, ctx, &A, m->ncols));
done:
    gs_triplets_free(&t, ctx);
    gsolve_csr_free(&A, ctx);
    return status;
}
