/* market_lines.c: the entries of a Matrix Market file. The text is cut into one piece per thread,
 * at line ends; where each piece's entries go is known from the number of its lines. */
#include <omp.h>

#include "core/try.h"
#include "io/market_line.h"

#define MOST_PIECES 64
#define LEAST_PIECE ((int64_t)1 << 17)
#define STRIDE      ((int64_t)1 << 22) /* bytes between two calls of progress */

typedef struct part {
    const char *begin, *end;
    int64_t first, room, count; /* its entries: where they go, how many at most, how many */
    judgement bad;              /* what stopped it, at word; else ENTRY */
    gs_word word;
} part;

typedef struct parsing {
    const gs_market *m;
    const gs_input *in;
    gs_triplets t;
    int count;
    part pieces[MOST_PIECES];
} parsing;

/* --- a piece ------------------------------------------------------------------------ */

GS_ALWAYS_INLINE const char *parse_stride(const parsing *job, part *piece, const char *p,
                                          const char *stop, bool array, gs_field field)
{
    const char *fast_end = job->in->end - GS_LINE_ROOM;

    while (p < stop) {
        const int64_t k = piece->first + piece->count;
        const bool full = piece->count == piece->room;
        const char *next = NULL;

        if (p <= fast_end && !full) next = fast_line(p, job->m, array, field, &job->t, k);
        if (next) {
            piece->count++;
            p = next;
            continue;
        }
        const judgement j = slow_line(&p, job->m, job->in, &job->t, k, full, &piece->word);
        piece->count += j == ENTRY;
        if (j > BLANK) {
            piece->bad = j;
            return NULL;
        }
        p++; /* the '\n' */
    }
    return p;
}

/* Told by the type: the compiler makes one loop for each. */
static const char *parse_stride_of(const parsing *job, part *piece, const char *p, const char *stop)
{
    const bool array = job->m->array;

    switch (job->m->field) {
    case GS_PATTERN: return parse_stride(job, piece, p, stop, false, GS_PATTERN);
    case GS_INTEGER:
        return array ? parse_stride(job, piece, p, stop, true, GS_INTEGER)
                     : parse_stride(job, piece, p, stop, false, GS_INTEGER);
    default:
        return array ? parse_stride(job, piece, p, stop, true, GS_REAL)
                     : parse_stride(job, piece, p, stop, false, GS_REAL);
    }
}

static void parse_piece(const parsing *job, part *piece)
{
    const bool tells = omp_get_thread_num() == 0;
    const char *p = piece->begin;

    while (p && p < piece->end) {
        const char *stop = piece->end - p > STRIDE ? p + STRIDE : piece->end;
        p = parse_stride_of(job, piece, p, stop);
        if (p && tells) {
            gs_input_progress(job->in, (p - piece->begin) * job->count,
                              (piece->end - piece->begin) * job->count);
        }
    }
}

/* --- the whole ---------------------------------------------------------------------- */

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

/* Cuts [begin, end) into job->count pieces at line ends. */
static void cut(parsing *job, const char *begin, const char *end)
{
    const int64_t size = end - begin;

    for (int k = 0; k < job->count; k++) {
        const char *stop = end;
        if (k + 1 < job->count) {
            stop = gs_line_end(begin + size / job->count * (k + 1), end);
            if (stop < end) stop++;
        }
        job->pieces[k] = (part){.begin = k ? job->pieces[k - 1].end : begin, .end = stop};
    }
}

/* Gives each piece as much room as it has lines; whether these are just the entries. */
static bool share_room(parsing *job)
{
    int64_t lines = 1; /* the last line has lost its end */

#pragma omp parallel for schedule(static, 1) num_threads(job->count)
    for (int k = 0; k < job->count; k++) {
        job->pieces[k].room = count_lines(job->pieces[k].begin, job->pieces[k].end);
    }
    job->pieces[job->count - 1].room++;
    for (int k = 1; k < job->count; k++) {
        job->pieces[k].first = job->pieces[k - 1].first + job->pieces[k - 1].room;
    }
    lines = job->pieces[job->count - 1].first + job->pieces[job->count - 1].room;
    return lines == job->m->entries;
}

static void lay_out(parsing *job)
{
    const char *begin = job->m->body, *end = job->in->end;
    int64_t count = gsolve_threads(job->in->ctx);

    while (end > begin && (gs_is_blank(end[-1]) || end[-1] == '\n')) end--;
    if (count > (end - begin) / LEAST_PIECE) count = (end - begin) / LEAST_PIECE;
    job->count = count < 1 ? 1 : count > MOST_PIECES ? MOST_PIECES : (int)count;
    cut(job, begin, end);
    if (job->count > 1 && share_room(job)) return;
    job->count = 1; /* also where comments or blank lines stand between the entries */
    cut(job, begin, end);
    job->pieces[0].room = job->m->entries;
}

static gsolve_status explain(const parsing *job, const part *piece)
{
    const gs_market *m = job->m;
    const gs_input *in = job->in;
    const char *at = piece->word.begin;
    const int64_t k = piece->first + piece->count;
    char token[GS_TOKEN];

    gs_input_token(token, at, piece->word.end);
    switch (piece->bad) {
    case BAD_ROW:
    case BAD_COLUMN:
        return gs_input_fail(in, at, "the %s is '%s'; it must be a whole number from 1 to %d",
                             piece->bad == BAD_ROW ? "row" : "column", token,
                             piece->bad == BAD_ROW ? m->nrows : m->ncols);
    case BAD_VALUE:
        return gs_input_fail(in, at, "the value is '%s'; it must be a %s", token,
                             m->field == GS_INTEGER ? "whole number"
                                                    : "finite decimal number that a double holds");
    case ON_DIAGONAL:
        return gs_input_fail(in, at,
                             "the diagonal entry in row %d of a skew-symmetric matrix is %s; it "
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

/* The first entry that lies on the other side of the diagonal than those before, or -1. */
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

/* A symmetric file holds one triangle, by the standard the lower; files with the upper one are
 * about. One with both would be ambiguous. */
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
    return gs_input_fail(job->in, p,
                         "the entry in row %d and column %d and those before it lie on different "
                         "sides of the diagonal; a symmetric, skew-symmetric or hermitian file "
                         "holds one triangle only",
                         job->t.i[other] + 1, job->t.j[other] + 1);
}

static gsolve_status parse(parsing *job)
{
    int64_t entries = 0;

    lay_out(job);
#pragma omp parallel for schedule(static, 1) num_threads(job->count)
    for (int k = 0; k < job->count; k++) parse_piece(job, &job->pieces[k]);
    for (int k = 0; k < job->count; k++) {
        if (job->pieces[k].bad != ENTRY) return explain(job, &job->pieces[k]);
        entries += job->pieces[k].count;
    }
    if (entries == job->m->entries) return check_side(job);
    return gs_input_fail(job->in, job->in->end, "the file ends after %lld of %lld entries",
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
