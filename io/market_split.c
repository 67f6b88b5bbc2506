/* market_split.c: splits the entries of a Matrix Market file at line ends: one stretch of the text
 * for each rank, one segment of it for each thread. The numbers of lines give the position of the
 * first entry of each segment. */
#include <omp.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "io/market_segment.h"

#define MIN_SEGMENT ((int64_t)1 << 17) /* bytes */

/* --- counting --------------------------------------------------------------------------------- */

typedef int64_t counting(const char *p, const char *end);

static int64_t count_line_ends(const char *p, const char *end)
{
    int64_t lines = 0;

    while (p < end) {
        const int64_t n = end - p < 255 * 64 ? end - p : 255 * 64;
        uint8_t some[64] = {0}; /* each counts to 255 at most */
        int64_t k = 0;
        for (; k + 64 <= n; k += 64) {
            for (int l = 0; l < 64; l++) some[l] += p[k + l] == '\n';
        }
        for (int l = 0; l < 64; l++) lines += some[l];
        for (; k < n; k++) lines += p[k] == '\n';
        p += n;
    }
    return lines;
}

/* The lines of whole lines; the last one of a file has no line end here. */
static int64_t count_lines(const char *p, const char *end)
{
    return count_line_ends(p, end) + (p < end && end[-1] != '\n');
}

/* The lines that are neither blank nor comments. */
static int64_t count_entry_lines(const char *p, const char *end)
{
    int64_t lines = 0;

    while (p < end) {
        p = gs_skip_blanks(p, end);
        lines += p < end && *p != '\n' && *p != '%';
        p = gs_line_end(p, end);
        if (p < end) p++;
    }
    return lines;
}

/* Whole lines of at most about GS_STRIDE bytes. */
static const char *end_of_stride(const char *p, const char *end)
{
    if (end - p <= GS_STRIDE) return end;
    p = gs_line_end(p + GS_STRIDE, end);
    return p < end ? p + 1 : end;
}

/* More lines than there probably are, from samples; the exact number of a short text. */
static int64_t estimate_lines(const char *begin, const char *end)
{
    enum { SAMPLES = 64, SAMPLE = 4096 };
    const int64_t size = end - begin;
    int64_t lines = 0;

    if (size < 4 * SAMPLES * SAMPLE) return count_lines(begin, end);
    for (int k = 0; k < SAMPLES; k++) {
        const char *p = begin + (size - SAMPLE) / (SAMPLES - 1) * k;
        lines += count_line_ends(p, p + SAMPLE);
    }
    return (int64_t)(1.05 * (double)lines * (double)size / (SAMPLES * SAMPLE)) + 1000;
}

static int64_t count_segment(const gs_parsing *job, const gs_segment *segment, counting *count)
{
    int64_t lines = 0;

    for (const char *p = segment->begin, *stop; p < segment->end; p = stop) {
        stop = end_of_stride(p, segment->end);
        lines += count(p, stop);
        gs_input_forget(job->in, p, stop);
        if (gs_stop_asked(job->in->ctx)) break;
    }
    return lines;
}

/* Sets the capacity of each segment to its number of lines. *first: the lines of the ranks before;
 * *total: those of all ranks. */
static gsolve_status count_segments(gs_parsing *job, counting *count, int64_t *first,
                                    int64_t *total)
{
    int64_t lines = 0;
    gsolve_status status;

#pragma omp parallel for schedule(static, 1) num_threads(job->count)
    for (int k = 0; k < job->count; k++) {
        job->segments[k].capacity = count_segment(job, &job->segments[k], count);
    }
    for (int k = 0; k < job->count; k++) lines += job->segments[k].capacity;
    TRY(gs_comm_defer(job->comm, gs_check_interrupt(job->in->ctx)));
    TRY(gs_comm_place(job->comm, lines, first, total));
done:
    return status;
}

/* --- splitting -------------------------------------------------------------------------------- */

/* The first line of part k of `parts` parts of whole lines in [begin, end). */
static const char *begin_of_part(const char *begin, const char *end, int64_t k, int64_t parts)
{
    const int64_t size = end - begin;

    if (k == 0 || k == parts) return k ? end : begin;
    const char *p = gs_line_end(begin + size / parts * k + size % parts * k / parts, end);
    return p < end ? p + 1 : end;
}

static void split_stretch(gs_parsing *job, const char *begin, const char *end)
{
    int64_t count = gsolve_threads(job->in->ctx);

    if (count > (end - begin) / MIN_SEGMENT) count = (end - begin) / MIN_SEGMENT;
    job->count = count < 1 ? 1 : count > GS_MAX_SEGMENTS ? GS_MAX_SEGMENTS : (int)count;
    for (int k = 0; k < job->count; k++) {
        job->segments[k] = (gs_segment){.begin = begin_of_part(begin, end, k, job->count),
                                        .end = begin_of_part(begin, end, k + 1, job->count)};
    }
}

/* Positions from the numbers of lines. `before`: entries of the ranks before. What exceeds the
 * number of entries in the header has no capacity, so that the parser reports it. */
static void assign_positions(gs_parsing *job, int64_t before)
{
    int64_t left = job->m->entries > before ? job->m->entries - before : 0;

    job->capacity = 0;
    for (int k = 0; k < job->count; k++) {
        gs_segment *segment = &job->segments[k];
        if (segment->capacity > left) segment->capacity = left;
        segment->first = job->capacity;
        job->capacity += segment->capacity;
        left -= segment->capacity;
    }
}

/* Sets the segments of this rank. */
static void split_text(gs_parsing *job)
{
    const char *begin = job->m->body, *end = job->in->end;
    const int rank = job->comm ? job->comm->rank : 0, ranks = gs_comm_ranks(job->comm);

    while (end > begin && (gs_is_blank(end[-1]) || end[-1] == '\n')) end--;
    split_stretch(job, begin_of_part(begin, end, rank, ranks),
                  begin_of_part(begin, end, (int64_t)rank + 1, ranks));
}

void gs_split_roughly(gs_parsing *job)
{
    split_text(job);
#pragma omp parallel for schedule(static, 1) num_threads(job->count)
    for (int k = 0; k < job->count; k++) {
        gs_segment *segment = &job->segments[k];
        segment->capacity = job->count == 1 ? estimate_lines(segment->begin, segment->end)
                                            : count_segment(job, segment, count_lines);
    }
    assign_positions(job, 0);
}

gsolve_status gs_split_text(gs_parsing *job)
{
    int64_t before = 0, lines;
    gsolve_status status = GSOLVE_OK;

    split_text(job);
    if (gs_comm_ranks(job->comm) == 1 && job->count == 1) {
        job->segments[0].capacity = job->m->entries;
    } else {
        TRY(count_segments(job, count_lines, &before, &lines));
        if (lines != job->m->entries) { /* there are comments or blank lines, or an error */
            TRY(count_segments(job, count_entry_lines, &before, &lines));
        }
    }
    assign_positions(job, before);
done:
    return status;
}
