/* market_lines.c: reads the entries of a Matrix Market file. The text is split at line ends into
 * one segment for each thread; the numbers of lines give the position of the first entry of each
 * segment. parse_common_line, with scan.h, is fast, accepts common lines only, and reads beyond the
 * line. parse_line handles all other lines and the last ones, and finds errors. */
#include "io/market.h"

#include <math.h>
#include <omp.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "io/scan.h"

#define MAX_SEGMENTS    64
#define MIN_SEGMENT     ((int64_t)1 << 17)
#define STRIDE          ((int64_t)1 << 22) /* bytes between two calls of progress */
#define FAST_LINE_BYTES 256                /* the most bytes that parse_common_line reads */

typedef enum line_status {
    ENTRY,
    BLANK,
    BAD_ROW,
    BAD_COLUMN,
    BAD_VALUE,
    ON_DIAGONAL,
    MORE_WORDS,
    MORE_ENTRIES
} line_status;

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
static line_status parse_line(const char **p, const gs_market *m, const gs_input *in,
                              const gs_triplets *t, int64_t k, bool full, gs_word *word)
{
    int32_t i = 0, j = 0;
    double value = 1;

    *word = gs_next_word(p, in->end);
    if (word->begin == word->end) return BLANK;
    if (*word->begin == '%') {
        *p = gs_line_end(*p, in->end);
        return BLANK;
    }
    if (full) return MORE_ENTRIES;
    if (!m->array) {
        if (!parse_index(*word, m->nrows, &i)) return BAD_ROW;
        *word = gs_next_word(p, in->end);
        if (!parse_index(*word, m->ncols, &j)) return BAD_COLUMN;
        t->i[k] = i;
        t->j[k] = j;
        if (m->field != GS_PATTERN) *word = gs_next_word(p, in->end);
    }
    if (m->field != GS_PATTERN) {
        if (!parse_value(*word, m->field, &value)) return BAD_VALUE;
        if (m->symmetry == GSOLVE_SKEW && !m->array && i == j && value != 0) return ON_DIAGONAL;
        t->v[k] = value;
    }
    *word = gs_next_word(p, in->end);
    return word->begin == word->end ? ENTRY : MORE_WORDS;
}

typedef struct text_segment {
    const char *begin, *end;
    int64_t first, capacity,
        count;         /* of its entries: the first position, the most, and the number */
    line_status error; /* the error at word; ENTRY: none */
    gs_word word;
} text_segment;

typedef struct parsing {
    const gs_market *m;
    const gs_input *in;
    gs_triplets t;
    int count;
    text_segment segments[MAX_SEGMENTS];
} parsing;

/* --- a segment ------------------------------------------------------------------------ */

GS_ALWAYS_INLINE const char *parse_stride(const parsing *job, text_segment *segment, const char *p,
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
        const line_status j = parse_line(&p, job->m, job->in, &job->t, k, full, &segment->word);
        segment->count += j == ENTRY;
        if (j > BLANK) {
            segment->error = j;
            return NULL;
        }
        p++; /* the '\n' */
    }
    return p;
}

/* Calls parse_stride with constants, so that the compiler makes a loop for each type. */
static const char *parse_stride_of(const parsing *job, text_segment *segment, const char *p,
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

static void parse_segment(const parsing *job, text_segment *segment)
{
    const bool reports = omp_get_thread_num() == 0;
    const char *p = segment->begin;

    while (p && p < segment->end) {
        const char *from = p, *stop = segment->end - p > STRIDE ? p + STRIDE : segment->end;
        p = parse_stride_of(job, segment, p, stop);
        if (!p) return;
        gs_input_forget(job->in, from, p);
        if (reports) {
            gs_input_progress(job->in, (p - segment->begin) * job->count,
                              (segment->end - segment->begin) * job->count);
        }
        if (gs_stop_asked(job->in->ctx)) return;
    }
}

/* --- all segments ------------------------------------------------------------------- */

static int64_t count_lines(const char *p, const char *end)
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

static int64_t count_segment(const parsing *job, const text_segment *segment)
{
    const char *end = segment->end;
    int64_t lines = 0;

    for (const char *p = segment->begin, *stop; p < end; p = stop) {
        stop = end - p > STRIDE ? p + STRIDE : end;
        lines += count_lines(p, stop);
        gs_input_forget(job->in, p, stop);
    }
    return lines;
}

/* Splits [begin, end) at line ends into job->count segments. */
static void split_at_line_ends(parsing *job, const char *begin, const char *end)
{
    const int64_t size = end - begin;

    for (int k = 0; k < job->count; k++) {
        const char *stop = end;
        if (k + 1 < job->count) {
            stop = gs_line_end(begin + size / job->count * (k + 1), end);
            if (stop < end) stop++;
        }
        job->segments[k] =
            (text_segment){.begin = k ? job->segments[k - 1].end : begin, .end = stop};
    }
}

/* Sets the position and capacity of each segment by its number of lines. Returns whether there are
 * as many lines as entries. */
static bool assign_positions(parsing *job)
{
    int64_t lines = 1; /* the last line has no line end here */

#pragma omp parallel for schedule(static, 1) num_threads(job->count)
    for (int k = 0; k < job->count; k++) {
        job->segments[k].capacity = count_segment(job, &job->segments[k]);
    }
    job->segments[job->count - 1].capacity++;
    for (int k = 1; k < job->count; k++) {
        job->segments[k].first = job->segments[k - 1].first + job->segments[k - 1].capacity;
    }
    lines = job->segments[job->count - 1].first + job->segments[job->count - 1].capacity;
    return lines == job->m->entries;
}

static void split_text(parsing *job)
{
    const char *begin = job->m->body, *end = job->in->end;
    int64_t count = gsolve_threads(job->in->ctx);

    while (end > begin && (gs_is_blank(end[-1]) || end[-1] == '\n')) end--;
    if (count > (end - begin) / MIN_SEGMENT) count = (end - begin) / MIN_SEGMENT;
    job->count = count < 1 ? 1 : count > MAX_SEGMENTS ? MAX_SEGMENTS : (int)count;
    split_at_line_ends(job, begin, end);
    if (job->count > 1 && assign_positions(job)) return;
    job->count = 1; /* comments or blank lines between the entries need a single segment */
    split_at_line_ends(job, begin, end);
    job->segments[0].capacity = job->m->entries;
}

static gsolve_status report_error(const parsing *job, const text_segment *segment)
{
    const gs_market *m = job->m;
    const gs_input *in = job->in;
    const char *at = segment->word.begin;
    const int64_t k = segment->first + segment->count;
    char token[GS_TOKEN];

    gs_input_token(token, at, segment->word.end);
    if (!token[0] && segment->error <= BAD_VALUE) {
        return gs_input_fail(in, at, "the %s is missing",
                             segment->error == BAD_ROW      ? "row"
                             : segment->error == BAD_COLUMN ? "column"
                                                            : "value");
    }
    switch (segment->error) {
    case BAD_ROW:
    case BAD_COLUMN:
        return gs_input_fail(in, at, "the %s is '%s'; it must be a whole number from 1 to %d",
                             segment->error == BAD_ROW ? "row" : "column", token,
                             segment->error == BAD_ROW ? m->nrows : m->ncols);
    case BAD_VALUE:
        return gs_input_fail(in, at, "the value is '%s'; it must be a %s", token,
                             m->field == GS_INTEGER
                                 ? "whole number"
                                 : "finite decimal number in the range of a double");
    case ON_DIAGONAL:
        return gs_input_fail(
            in, at,
            "the diagonal entry in row %d (counted from 1) of a skew-symmetric matrix is %s; it "
            "must be 0",
            job->t.i[k] + 1, token);
    case MORE_WORDS:
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

/* The first entry that lies on another side of the diagonal than an entry before it, or -1. */
static int64_t other_side(const parsing *job)
{
    const gs_triplets *t = &job->t;
    int sides = 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(job->in->ctx)) \
    reduction(| : sides)
    for (int64_t k = 0; k < job->m->entries; k++) {
        sides |= (t->i[k] > t->j[k]) | (t->i[k] < t->j[k]) << 1;
    }
    if (sides != 3) return -1;
    sides = 0;
    for (int64_t k = 0;; k++) {
        sides |= (t->i[k] > t->j[k]) | (t->i[k] < t->j[k]) << 1;
        if (sides == 3) return k;
    }
}

/* A symmetric file holds one triangle. The standard says the lower one; files with the upper one
 * exist. Both triangles would be ambiguous. */
static gsolve_status check_side(const parsing *job)
{
    const int64_t other =
        job->m->array || job->m->symmetry == GSOLVE_GENERAL ? -1 : other_side(job);
    const char *p = job->m->body;
    gs_word word;

    if (other < 0) return GSOLVE_OK;
    for (int64_t k = -1; k < other; p = gs_line_end(p, job->in->end) + 1) {
        word = gs_next_word(&p, job->in->end);
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

static gsolve_status parse(parsing *job)
{
    int64_t entries = 0;
    gsolve_status status;

    split_text(job);
#pragma omp parallel for schedule(static, 1) num_threads(job->count)
    for (int k = 0; k < job->count; k++) parse_segment(job, &job->segments[k]);
    status = gs_check_interrupt(job->in->ctx);
    if (status != GSOLVE_OK) return status;
    for (int k = 0; k < job->count; k++) {
        if (job->segments[k].error != ENTRY) return report_error(job, &job->segments[k]);
        entries += job->segments[k].count;
    }
    if (entries == job->m->entries) return check_side(job);
    return gs_input_fail(job->in, job->in->end,
                         "the file ends after %lld of the %lld entries that the header declares",
                         (long long)entries, (long long)job->m->entries);
}

gsolve_status gs_market_lines(gs_triplets *t, const gs_market *m, const gs_input *in)
{
    parsing *job = NULL;
    gs_triplets all = {0};
    gsolve_status status;

    ALLOC(in->ctx, GSOLVE_HOST, job, 1);
    if (!m->array) {
        ALLOC(in->ctx, GSOLVE_HOST, all.i, m->entries);
        ALLOC(in->ctx, GSOLVE_HOST, all.j, m->entries);
    }
    if (m->field != GS_PATTERN) ALLOC(in->ctx, GSOLVE_HOST, all.v, m->entries);
    job->m = m;
    job->in = in;
    job->t = all;
    TRY(parse(job));
    *t = all;
    all = (gs_triplets){0};
done:
    gsolve_free(in->ctx, GSOLVE_HOST, job);
    gs_triplets_free(&all, in->ctx);
    return status;
}

void gs_triplets_free(gs_triplets *t, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, t->i);
    gsolve_free(ctx, GSOLVE_HOST, t->j);
    gsolve_free(ctx, GSOLVE_HOST, t->v);
    *t = (gs_triplets){0};
}
