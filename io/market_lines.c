/* market_lines.c: parses lines of a Matrix Market file. parse_common_line, with scan.h, is fast,
 * accepts common lines only, and reads beyond the line. parse_line handles all other lines and the
 * last ones, and finds errors. */
#include <math.h>
#include <omp.h>

#include "core/interrupt.h"
#include "io/market_segment.h"
#include "io/scan.h"

#define FAST_LINE_BYTES 256 /* the most bytes that parse_common_line reads */

/* --- a common line ------------------------------------------------------------------ */

GS_ALWAYS_INLINE const char *skip_short_blanks(const char *p)
{
    for (int k = 0; k < 16 && (*p == ' ' || *p == '\t'); k++) p++;
    return p;
}

GS_ALWAYS_INLINE const char *scan_integer(const char *p, double *value)
{
    const bool negative = *p == '-';
    uint64_t n;

    p = gs_scan_integer(p + negative, &n);
    if (p) *value = negative ? -(double)n : (double)n;
    return p;
}

/* Parses the line at p as the k-th entry and returns the next line; NULL: parse_line must parse it.
 */
GS_ALWAYS_INLINE const char *parse_common_line(const char *p, const gs_market *m, bool array,
                                               gs_field field, const gs_triplets *t, int64_t k)
{
    uint64_t i = 1, j = 0;

    p = skip_short_blanks(p);
    if (!array) {
        p = gs_scan_integer(p, &i);
        if (!p || i - 1 >= (uint64_t)m->nrows || (*p != ' ' && *p != '\t')) return NULL;
        p = gs_scan_integer(skip_short_blanks(p + 1), &j);
        if (!p || j - 1 >= (uint64_t)m->ncols) return NULL;
        if (i == j && m->symmetry == GSOLVE_SKEW) return NULL;
        t->i[k] = (int32_t)(i - 1);
        t->j[k] = (int32_t)(j - 1);
        if (field != GS_PATTERN) {
            if (*p != ' ' && *p != '\t') return NULL;
            p = skip_short_blanks(p + 1);
        }
    }
    if (field != GS_PATTERN) {
        p = field == GS_REAL ? gs_scan_real(p, &t->v[k]) : scan_integer(p, &t->v[k]);
        if (!p) return NULL;
    }
    if (*p != '\n') {
        p = skip_short_blanks(p);
        p += *p == '\r';
    }
    return *p == '\n' ? p + 1 : NULL;
}

/* --- any line ----------------------------------------------------------------------- */

static bool parse_index(gs_word word, int32_t most, int32_t *index)
{
    const int64_t n = gs_word_integer(word);

    if (n < 1 || n > most) return false;
    *index = (int32_t)(n - 1);
    return true;
}

static bool parse_value(gs_word word, gs_field field, double *value)
{
    gs_real real;

    if (gs_number_read(word.begin, word.end, 0, &real) != word.end || word.begin == word.end) {
        return false;
    }
    *value = real.value;
    return isfinite(real.value) && (real.integer || field == GS_REAL);
}

/* Parses the line at *p and moves *p to its end; *word: the word that is wrong. */
static gs_line_status parse_line(const char **p, const gs_market *m, const gs_input *in,
                                 const gs_triplets *t, int64_t k, bool full, gs_word *word)
{
    int32_t i = 0, j = 0;
    double value = 1;

    *word = gs_next_word(p, in->end);
    if (word->begin == word->end) return GS_BLANK;
    if (*word->begin == '%') {
        *p = gs_line_end(*p, in->end);
        return GS_BLANK;
    }
    if (full) return GS_MORE_ENTRIES;
    if (!m->array) {
        if (!parse_index(*word, m->nrows, &i)) return GS_BAD_ROW;
        *word = gs_next_word(p, in->end);
        if (!parse_index(*word, m->ncols, &j)) return GS_BAD_COLUMN;
        t->i[k] = i;
        t->j[k] = j;
        if (m->field != GS_PATTERN) *word = gs_next_word(p, in->end);
    }
    if (m->field != GS_PATTERN) {
        if (!parse_value(*word, m->field, &value)) return GS_BAD_VALUE;
        if (m->symmetry == GSOLVE_SKEW && !m->array && i == j && value != 0) return GS_ON_DIAGONAL;
        t->v[k] = value;
    }
    *word = gs_next_word(p, in->end);
    return word->begin == word->end ? GS_ENTRY : GS_MORE_WORDS;
}

/* --- a segment ------------------------------------------------------------------------ */

GS_ALWAYS_INLINE const char *parse_stride(const gs_parsing *job, gs_segment *segment, const char *p,
                                          const char *stop, bool array, gs_field field)
{
    const char *fast_end = job->in->end - FAST_LINE_BYTES;

    while (p < stop) {
        const int64_t k = segment->first + segment->count;
        const bool full = segment->count == segment->capacity;
        const char *next = NULL;

        if (p <= fast_end && !full) next = parse_common_line(p, job->m, array, field, &job->t, k);
        if (next) {
            segment->count++;
            p = next;
            continue;
        }
        const gs_line_status j = parse_line(&p, job->m, job->in, &job->t, k, full, &segment->word);
        segment->count += j == GS_ENTRY;
        if (j > GS_BLANK) {
            segment->error = j;
            return NULL;
        }
        p++; /* the '\n' */
    }
    return p;
}

/* Calls parse_stride with constants, so that the compiler makes a loop for each type. */
static const char *parse_stride_of(const gs_parsing *job, gs_segment *segment, const char *p,
                                   const char *stop)
{
    const bool array = job->m->array;

    switch (job->m->field) {
    case GS_PATTERN: return parse_stride(job, segment, p, stop, false, GS_PATTERN);
    case GS_INTEGER:
        return array ? parse_stride(job, segment, p, stop, true, GS_INTEGER)
                     : parse_stride(job, segment, p, stop, false, GS_INTEGER);
    default:
        return array ? parse_stride(job, segment, p, stop, true, GS_REAL)
                     : parse_stride(job, segment, p, stop, false, GS_REAL);
    }
}

void gs_parse_segment(const gs_parsing *job, gs_segment *segment)
{
    const bool reports = omp_get_thread_num() == 0;
    const int64_t parts = (int64_t)job->count * gs_comm_ranks(job->comm);
    const char *p = segment->begin;

    while (p && p < segment->end) {
        const char *from = p, *stop = segment->end - p > GS_STRIDE ? p + GS_STRIDE : segment->end;
        p = parse_stride_of(job, segment, p, stop);
        if (!p) return;
        gs_input_forget(job->in, from, p);
        if (reports) {
            gs_input_progress(job->in, (p - segment->begin) * parts,
                              (segment->end - segment->begin) * parts);
        }
        if (gs_stop_asked(job->in->ctx)) return;
    }
}
