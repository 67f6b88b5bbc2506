/* market_entries.c: the entries of a Matrix Market file, parsed by all threads of all ranks. Of
 * several errors the first in the file is reported. */
#include <omp.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "io/dist.h"
#include "io/market_segment.h"

/* --- errors ----------------------------------------------------------------------------------- */

static gsolve_status report_error(const gs_parsing *job, const gs_segment *segment)
{
    const gs_market *m = job->m;
    const gs_input *in = job->in;
    const char *at = segment->word.begin;
    const int64_t k = segment->first + segment->count;
    char token[GS_TOKEN];

    gs_input_token(token, at, segment->word.end);
    if (!token[0] && segment->error <= GS_BAD_VALUE) {
        return gs_input_fail(in, at, "the %s is missing",
                             segment->error == GS_BAD_ROW      ? "row"
                             : segment->error == GS_BAD_COLUMN ? "column"
                                                               : "value");
    }
    switch (segment->error) {
    case GS_BAD_ROW:
    case GS_BAD_COLUMN:
        return gs_input_fail(in, at, "the %s is '%s'; it must be a whole number from 1 to %d",
                             segment->error == GS_BAD_ROW ? "row" : "column", token,
                             segment->error == GS_BAD_ROW ? m->nrows : m->ncols);
    case GS_BAD_VALUE:
        return gs_input_fail(in, at, "the value is '%s'; it must be a %s", token,
                             m->field == GS_INTEGER
                                 ? "whole number"
                                 : "finite decimal number in the range of a double");
    case GS_ON_DIAGONAL:
        return gs_input_fail(
            in, at,
            "the diagonal entry in row %d (counted from 1) of a skew-symmetric matrix is %s; it "
            "must be 0",
            job->t.i[k] + 1, token);
    case GS_MORE_WORDS:
        return gs_input_fail(in, at, "unexpected '%s' at the end of the line; a line holds %s only",
                             token,
                             m->array                 ? "one value"
                             : m->field == GS_PATTERN ? "row and column"
                                                      : "row, column and value");
    default:
        return gs_input_fail(in, at,
                             "'%s' begins one entry more than the %lld that the header declares",
                             token, (long long)m->entries);
    }
}

/* The sides of the diagonal on which entries lie: 1 below, 2 above, 3 both. */
static inline int side_of(const gs_triplets *t, int64_t k)
{
    return (t->i[k] > t->j[k]) | (t->i[k] < t->j[k]) << 1;
}

static int sides_of(const gs_parsing *job, int64_t count)
{
    int sides = 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(job->in->ctx)) \
    reduction(| : sides)
    for (int64_t k = 0; k < count; k++) sides |= side_of(&job->t, k);
    return sides;
}

/* *before = the sides of the entries of the ranks before this one. */
static gsolve_status sides_before(gs_comm *comm, int sides, int *before)
{
    gsolve_status status = GSOLVE_OK;

    *before = 0;
    if (!comm) return GSOLVE_OK;
    comm->send[0] = sides;
    TRY(gs_comm_allgather(comm, comm->send, sizeof *comm->send, comm->recv));
    for (int r = 0; r < comm->rank; r++) *before |= (int)comm->recv[r];
done:
    return status;
}

/* The error of the first entry after which both sides have been seen. sides: of the ranks before.
 */
static gsolve_status report_side(const gs_parsing *job, int sides)
{
    const char *p = job->segments[0].begin;
    int64_t other = 0;

    while ((sides |= side_of(&job->t, other)) != 3) other++;
    for (int64_t k = -1;; p = gs_line_end(p, job->in->end) + 1) {
        const gs_word word = gs_next_word(&p, job->in->end);
        if (word.begin < word.end && *word.begin != '%') k++;
        if (k == other) break;
    }
    return gs_input_fail(
        job->in, p,
        "the entry in row %d and column %d (counted from 1) and those before it lie on different "
        "sides of the diagonal; a symmetric, skew-symmetric or hermitian file "
        "holds one triangle only",
        job->t.i[other] + 1, job->t.j[other] + 1);
}

/* A symmetric file holds one triangle. The standard says the lower one; files with the upper one
 * exist. Both triangles would be ambiguous. */
static gsolve_status check_side(const gs_parsing *job, int64_t count)
{
    int sides, before;
    gsolve_status status = GSOLVE_OK;

    if (job->m->array || job->m->symmetry == GSOLVE_GENERAL) return GSOLVE_OK;
    sides = sides_of(job, count);
    TRY(sides_before(job->comm, sides, &before));
    if (before != 3 && (before | sides) == 3) status = report_side(job, before);
    TRY(gs_check_file(job->comm, status));
done:
    return status;
}

/* Fails unless the entries of all ranks are as many as the header declares. */
static gsolve_status check_number(const gs_parsing *job, int64_t count)
{
    int64_t before, total;
    gsolve_status status = GSOLVE_OK;

    TRY(gs_comm_place(job->comm, count, &before, &total));
    if (total == job->m->entries) return GSOLVE_OK;
    if (!job->comm || job->comm->rank == 0) {
        status =
            gs_input_fail(job->in, job->in->end,
                          "the file ends after %lld of the %lld entries that the header declares",
                          (long long)total, (long long)job->m->entries);
    }
    TRY(gs_check_file(job->comm, status));
done:
    return status;
}

/* --- parsing ---------------------------------------------------------------------------------- */

static gsolve_status parse_segments(gs_parsing *job)
{
#pragma omp parallel for schedule(static, 1) num_threads(job->count)
    for (int k = 0; k < job->count; k++) gs_parse_segment(job, &job->segments[k]);
    return gs_check_interrupt(job->in->ctx);
}

static int64_t count_parsed(const gs_parsing *job)
{
    int64_t count = 0;

    for (int k = 0; k < job->count; k++) count += job->segments[k].count;
    return count;
}

static gsolve_status allocate(gs_triplets *t, const gs_parsing *job)
{
    gsolve_context *ctx = job->in->ctx;
    gsolve_status status = GSOLVE_OK;

    if (!job->m->array) {
        ALLOC(ctx, GSOLVE_HOST, t->i, job->capacity);
        ALLOC(ctx, GSOLVE_HOST, t->j, job->capacity);
    }
    if (job->m->field != GS_PATTERN) ALLOC(ctx, GSOLVE_HOST, t->v, job->capacity);
done:
    return status;
}

/* Parses without counting lines before. *done: all ranks have parsed all entries. If not, there is
 * an error, or a segment had too small a capacity. */
static gsolve_status parse_quickly(gs_parsing *job, bool *done)
{
    double sums[2] = {0, 0}; /* entries, and segments that are not as expected */
    gsolve_status status;

    gs_split_roughly(job);
    TRY(gs_comm_check(job->comm, allocate(&job->t, job)));
    TRY(gs_comm_defer(job->comm, parse_segments(job)));
    for (int k = 0; k < job->count; k++) {
        const gs_segment *segment = &job->segments[k];
        const bool gap = k + 1 < job->count && segment->count != segment->capacity;
        sums[1] += segment->error != GS_ENTRY || gap;
    }
    sums[0] = (double)count_parsed(job);
    TRY(gs_comm_sum_on_host(job->comm, sums, 2));
    *done = sums[1] == 0 && (int64_t)sums[0] == job->m->entries;
done:
    return status;
}

/* Parses with exact positions. Of several errors the first in the file is reported. */
static gsolve_status parse_exactly(gs_parsing *job)
{
    gsolve_status status;

    TRY(gs_split_text(job));
    TRY(gs_comm_check(job->comm, allocate(&job->t, job)));
    status = parse_segments(job);
    for (int k = 0; k < job->count && status == GSOLVE_OK; k++) {
        if (job->segments[k].error != GS_ENTRY) status = report_error(job, &job->segments[k]);
    }
    TRY(gs_check_file(job->comm, status));
    TRY(check_number(job, count_parsed(job)));
done:
    return status;
}

gsolve_status gs_market_lines(gs_triplets *t, int64_t *count, const gs_market *m,
                              const gs_input *in, gs_comm *comm)
{
    gs_parsing *job = gsolve_alloc(in->ctx, GSOLVE_HOST, 1, sizeof *job);
    bool parsed = false;
    gsolve_status status;

    if (job) *job = (gs_parsing){.m = m, .in = in, .comm = comm};
    TRY(gs_comm_check(comm, job ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    if (gs_comm_ranks(comm) > 1) {
        TRY(parse_quickly(job, &parsed));
        if (!parsed) gs_triplets_free(&job->t, in->ctx);
    }
    if (!parsed) TRY(parse_exactly(job));
    *count = count_parsed(job);
    TRY(check_side(job, *count));
    *t = job->t;
    job->t = (gs_triplets){0};
done:
    if (job) gs_triplets_free(&job->t, in->ctx);
    gsolve_free(in->ctx, GSOLVE_HOST, job);
    return status;
}

void gs_triplets_free(gs_triplets *t, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, t->i);
    gsolve_free(ctx, GSOLVE_HOST, t->j);
    gsolve_free(ctx, GSOLVE_HOST, t->v);
    *t = (gs_triplets){0};
}
