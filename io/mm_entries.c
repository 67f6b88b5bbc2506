/* mm_entries.c: the entries of a Matrix Market file, in parallel. The body is cut into pieces at line
 * ends; the line ends are counted first, which tells each piece where its entries go, and errors
 * their line. The last lines are parsed from a copy with room behind it, so that the parsing of numbers
 * need not look out for the end. */
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "core/try.h"
#include "io/mm.h"
#include "io/number.h"

#define PIECE ((int64_t)1 << 20)
#define TAIL  64 /* bytes that parsing may look ahead */

typedef struct mm_piece {
    const char *begin, *end; /* whole lines */
    int64_t line;            /* number of the first */
    int64_t slot, count;     /* where its entries go, how many there are */
    const char *bad;         /* first line that is wrong, or NULL */
    int64_t bad_line;
} mm_piece;

typedef struct mm_job {
    const gs_text *text;
    const gs_mm_head *head;
    gs_mm_entries *e;
    int64_t room;
    mm_piece *pieces;
    int npieces;
    char *tail; /* copy of the last lines */
} mm_job;

static inline bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static inline const char *skip_space(const char *p)
{
    while (is_space(*p)) p++;
    return p;
}

static int64_t count_lines(const char *p, const char *end)
{
    int64_t lines = 0;

#pragma omp simd reduction(+ : lines)
    for (int64_t k = 0; k < end - p; k++) lines += p[k] == '\n';
    return lines;
}

/* --- a line ------------------------------------------------------------------------------------- */

/* A row or column number from 1 to most, made to count from 0, with space or the line's end behind. */
static inline bool take_index(const char **p, int64_t most, int32_t *index)
{
    int64_t number;

    *p = skip_space(*p);
    if (!gs_parse_integer(p, &number) || number < 1 || number > most) return false;
    *index = (int32_t)(number - 1);
    return is_space(**p) || **p == '\n';
}

/* The entry in the line at *p, to slot; moves *p behind the line. False: the line is wrong. */
static inline bool take_entry(const char **p, const mm_job *job, int64_t slot)
{
    const gs_mm_head *head = job->head;
    const gs_mm_entries *e = job->e;

    if (slot >= job->room) return false;
    if (!head->array) {
        if (!take_index(p, head->nrows, &e->i[slot])) return false;
        if (!take_index(p, head->ncols, &e->j[slot])) return false;
    }
    if (head->field != MM_PATTERN) {
        *p = skip_space(*p);
        if (!gs_parse_double(p, &e->v[slot])) return false;
        if (head->symmetry == GSOLVE_SKEW && !head->array && e->i[slot] == e->j[slot] &&
            e->v[slot] != 0) {
            return false;
        }
    }
    *p = skip_space(*p);
    return *(*p)++ == '\n';
}

static void parse_piece(const mm_job *job, mm_piece *piece)
{
    int64_t line = piece->line;

    for (const char *p = piece->begin; p < piece->end; line++) {
        const char *begin = p;
        p = skip_space(p);
        if (*p == '\n') {
            p++;
        } else if (*p == '%') {
            p = (const char *)memchr(p, '\n', (size_t)(piece->end - p)) + 1;
        } else if (take_entry(&p, job, piece->slot + piece->count)) {
            piece->count++;
        } else {
            piece->bad = begin;
            piece->bad_line = line;
            return;
        }
    }
}

/* --- errors ------------------------------------------------------------------------------------- */

static gsolve_status bad_index(gsolve_context *ctx, const mm_job *job, int64_t line, const char *what,
                               const char *found, int64_t most)
{
    return gs_text_fail(ctx, job->text, line,
                        "the %s number is '%.*s'; allowed are whole numbers from 1 to %lld", what,
                        (int)(strcspn(found, " \t\r\n") < 30 ? strcspn(found, " \t\r\n") : 30),
                        found, (long long)most);
}

/* Goes through the line once more and says what is wrong with it. */
static gsolve_status blame(gsolve_context *ctx, const mm_job *job, const mm_piece *piece)
{
    const gs_mm_head *head = job->head;
    const char *p = skip_space(piece->bad), *word;
    int32_t i = 0, j = 0;
    double v = 0;

    if (piece->slot + piece->count >= job->room) {
        return gs_text_fail(ctx, job->text, piece->bad_line,
                            "more entries follow than the %lld that were announced",
                            (long long)head->entries);
    }
    if (!head->array) {
        word = p;
        if (!take_index(&p, head->nrows, &i)) {
            return bad_index(ctx, job, piece->bad_line, "row", word, head->nrows);
        }
        word = p = skip_space(p);
        if (!take_index(&p, head->ncols, &j)) {
            return bad_index(ctx, job, piece->bad_line, "column", word, head->ncols);
        }
    }
    word = p = skip_space(p);
    const int length = (int)(strcspn(word, " \t\r\n") < 40 ? strcspn(word, " \t\r\n") : 40);
    if (head->field != MM_PATTERN && !gs_parse_double(&p, &v)) {
        return gs_text_fail(ctx, job->text, piece->bad_line,
                            "the value is '%.*s'; allowed are finite numbers", length, word);
    }
    if (head->symmetry == GSOLVE_SKEW && !head->array && i == j && v != 0) {
        return gs_text_fail(ctx, job->text, piece->bad_line,
                            "the diagonal entry (%d, %d) of a skew-symmetric matrix is %g; it must "
                            "be 0",
                            i + 1, j + 1, v);
    }
    p = skip_space(p);
    return gs_text_fail(ctx, job->text, piece->bad_line,
                        "found '%.*s' behind the entry; a line holds one entry%s",
                        (int)(strcspn(p, "\r\n") < 40 ? strcspn(p, "\r\n") : 40), p,
                        head->array ? ": a value"
                        : head->field == MM_PATTERN ? ": a row and a column"
                                                    : ": a row, a column and a value");
}

/* --- the whole ---------------------------------------------------------------------------------- */

/* The piece that begins at begin; it ends with the line in which PIECE bytes are full. */
static const char *cut(const char *begin, const char *end)
{
    if (end - begin <= PIECE) return end;
    const char *stop = memchr(begin + PIECE, '\n', (size_t)(end - begin - PIECE));
    return stop ? stop + 1 : end;
}

/* Lays out the pieces: those of the text itself up to its last lines, and one for the copy of these. */
static gsolve_status lay_out(mm_job *job, gsolve_context *ctx)
{
    const char *body = job->head->body, *end = job->text->data + job->text->size, *main_end = body;
    gsolve_status status;

    if (end - body > TAIL) {
        const char *last = memrchr(body, '\n', (size_t)(end - body - TAIL));
        if (last) main_end = last + 1;
    }
    const size_t rest = (size_t)(end - main_end);
    ALLOC(ctx, GSOLVE_HOST, job->tail, rest + 1 + TAIL);
    memcpy(job->tail, main_end, rest);
    memset(job->tail + rest, 0, 1 + TAIL);
    job->tail[rest] = '\n';
    ALLOC(ctx, GSOLVE_HOST, job->pieces, (end - body) / PIECE + 2);
    for (const char *p = body; p < main_end; job->npieces++) {
        const mm_piece next = {.begin = p, .end = cut(p, main_end)};
        job->pieces[job->npieces] = next;
        p = next.end;
    }
    const mm_piece last = {.begin = job->tail, .end = job->tail + rest + 1};
    job->pieces[job->npieces++] = last;
done:
    return status;
}

/* Runs f(piece) over all pieces; the progress is told by one thread. */
static void parse_all(const mm_job *job, gsolve_context *ctx, const gsolve_read_options *options)
{
    int done = 0;

#pragma omp parallel for schedule(dynamic, 1) num_threads(gsolve_threads(ctx))
    for (int k = 0; k < job->npieces; k++) {
        int before;
        parse_piece(job, &job->pieces[k]);
#pragma omp atomic capture
        before = done++;
        if (options && options->progress && omp_get_thread_num() == 0) {
            options->progress((before + 1) * PIECE, job->npieces * PIECE, options->user);
        }
    }
}

/* Entries of later pieces move up where a piece had fewer than lines. */
static int64_t close_gaps(const mm_job *job)
{
    const gs_mm_entries *e = job->e;
    int64_t used = 0;

    for (int k = 0; k < job->npieces; k++) {
        const mm_piece *piece = &job->pieces[k];
        const size_t count = (size_t)piece->count;
        if (piece->slot != used) {
            if (e->i) memmove(e->i + used, e->i + piece->slot, count * sizeof *e->i);
            if (e->j) memmove(e->j + used, e->j + piece->slot, count * sizeof *e->j);
            if (e->v) memmove(e->v + used, e->v + piece->slot, count * sizeof *e->v);
        }
        used += piece->count;
    }
    return used;
}

static gsolve_status parse_body(mm_job *job, gsolve_context *ctx, const gsolve_read_options *options)
{
    int64_t line = job->head->line, lines = 0;

#pragma omp parallel for schedule(dynamic, 4) num_threads(gsolve_threads(ctx))
    for (int k = 0; k < job->npieces; k++) {
        job->pieces[k].slot = count_lines(job->pieces[k].begin, job->pieces[k].end);
    }
    for (int k = 0; k < job->npieces; k++) {
        const int64_t count = job->pieces[k].slot;
        job->pieces[k].line = line;
        job->pieces[k].slot = lines;
        line += count;
        lines += count;
    }
    /* without blank lines or comments, lines - 1 is the number of entries; else the slots of later
     * pieces may lie behind the room, and the pieces are parsed one after the other */
    if (lines <= job->room) {
        parse_all(job, ctx, options);
    } else {
        int64_t used = 0;
        for (int k = 0; k < job->npieces; k++) {
            job->pieces[k].slot = used;
            parse_piece(job, &job->pieces[k]);
            used += job->pieces[k].count;
            if (job->pieces[k].bad) break;
        }
    }
    for (int k = 0; k < job->npieces; k++) {
        if (job->pieces[k].bad) return blame(ctx, job, &job->pieces[k]);
    }
    const int64_t found = close_gaps(job);
    if (found == job->head->entries) return GSOLVE_OK;
    return gs_text_fail(ctx, job->text, line - 1,
                        "%lld entries were announced and %lld found; the file is %s",
                        (long long)job->head->entries, (long long)found,
                        found < job->head->entries ? "truncated" : "too long");
}

void gs_mm_free_entries(gs_mm_entries *e, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, e->i);
    gsolve_free(ctx, GSOLVE_HOST, e->j);
    gsolve_free(ctx, GSOLVE_HOST, e->v);
    memset(e, 0, sizeof *e);
}

gsolve_status gs_mm_read_entries(gs_mm_entries *out, gsolve_context *ctx, const gs_text *text,
                                 const gs_mm_head *head, int64_t room,
                                 const gsolve_read_options *options)
{
    gs_mm_entries e = {0};
    mm_job job = {.text = text, .head = head, .e = &e, .room = room};
    gsolve_status status;

    if (!head->array) {
        ALLOC(ctx, GSOLVE_HOST, e.i, room);
        ALLOC(ctx, GSOLVE_HOST, e.j, room);
    }
    if (head->field != MM_PATTERN) ALLOC(ctx, GSOLVE_HOST, e.v, room);
    TRY(lay_out(&job, ctx));
    TRY(parse_body(&job, ctx, options));
    *out = e;
    memset(&e, 0, sizeof e);
done:
    gsolve_free(ctx, GSOLVE_HOST, job.pieces);
    gsolve_free(ctx, GSOLVE_HOST, job.tail);
    gs_mm_free_entries(&e, ctx);
    return status;
}
