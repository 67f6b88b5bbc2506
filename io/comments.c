/* comments.c: see comments.h. A text is probed every 32 KiB, and only where a probe meets a comment
 * is it read line by line: a text without long comments costs nothing. */
#include "io/comments.h"

#include <string.h>

#include "core/try.h"
#include "io/text.h"

#define LEAST ((size_t)1 << 16) /* bytes of comments that are left out */
#define PROBE (LEAST / 2)

typedef struct sieve { /* one pass over the new part of a text */
    gs_inflated *text;
    gsolve_context *ctx;
    char *from, *end; /* what is yet to be kept or left out */
    char *to;         /* where what is kept goes */
} sieve;

/* Whether the line at p is blank or a comment, as far as it has come. */
static bool says_nothing(const char *p, const char *end)
{
    p = gs_skip_blanks(p, end);
    return p == end || *p == '\n' || *p == '%';
}

/* The first of the lines up to line, which says nothing, that say nothing. */
static char *begin_of_comments(char *floor, char *line)
{
    while (line > floor) {
        char *newline = line - 1 > floor ? memrchr(floor, '\n', (size_t)(line - 1 - floor)) : NULL;
        char *before = newline ? newline + 1 : floor;
        if (!says_nothing(before, line)) break;
        line = before;
    }
    return line;
}

/* The first line from line on that says something, or the end of the text. */
static char *end_of_comments(char *line, char *end)
{
    while (line < end && says_nothing(line, end)) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline ? newline + 1 : end;
    }
    return line;
}

/* The line that the next probe meets; NULL: the text ends before. */
static char *probe(char *line, char *end)
{
    char *at = line + PROBE, *newline;

    if (end - line <= (ptrdiff_t)PROBE) return NULL;
    newline = memrchr(line, '\n', PROBE);
    if (!newline) newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : NULL;
}

static void keep(sieve *s, const char *up_to)
{
    const size_t bytes = (size_t)(up_to - s->from);

    if (s->to != s->from) memmove(s->to, s->from, bytes);
    s->to += bytes;
    s->from += bytes;
}

static gsolve_status grow_skips(gs_inflated *text, gsolve_context *ctx)
{
    const int64_t room = 2 * text->skip_room + 64;
    gs_skip *skip = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)room, sizeof *skip);

    if (!skip) return GSOLVE_NO_MEMORY;
    if (text->skips) memcpy(skip, text->skip, (size_t)text->skips * sizeof *skip);
    gsolve_free(ctx, GSOLVE_HOST, text->skip);
    text->skip = skip;
    text->skip_room = room;
    return GSOLVE_OK;
}

/* Whether lines were left out where the kept text ends. */
static bool skipped_here(const sieve *s)
{
    const gs_inflated *text = s->text;
    return text->skips && text->skip[text->skips - 1].at == (size_t)(s->to - text->data);
}

/* Leaves out all up to the line at stop. Of a comment that is yet to go on its first character
 * stays. */
static gsolve_status leave_out(sieve *s, char *stop)
{
    gs_inflated *text = s->text;
    int64_t lines = 0;
    gsolve_status status = GSOLVE_OK;

    if (!skipped_here(s)) {
        if (text->skips == text->skip_room) TRY(grow_skips(text, s->ctx));
        text->skip[text->skips++] = (gs_skip){(size_t)(s->to - text->data), 0};
    }
    for (const char *p = s->from; p < stop; p++) lines += *p == '\n';
    text->skip[text->skips - 1].lines += lines;
    if (stop == s->end) {
        const char *newline = memrchr(s->from, '\n', (size_t)(stop - s->from));
        const char *last = gs_skip_blanks(newline ? newline + 1 : s->from, stop);
        if (last < stop) *--stop = '%';
    }
    text->left_out += stop - s->from;
    s->from = stop;
done:
    return status;
}

/* *line, which says nothing, becomes the first that says something, or where the comments begin
 * that reach to the end of the text and may go on. Leaves out what there is enough of. */
static gsolve_status pass_comments(sieve *s, char **line)
{
    char *begin = begin_of_comments(s->from, *line), *stop = end_of_comments(*line, s->end);
    const bool goes_on = begin == s->from && skipped_here(s);
    gsolve_status status = GSOLVE_OK;

    *line = stop < s->end ? stop : begin;
    if (goes_on || stop - begin >= (ptrdiff_t)LEAST) {
        keep(s, begin);
        TRY(leave_out(s, stop));
        *line = s->from;
    }
done:
    return status;
}

/* Where the first line that may be left out begins: behind the banner. */
static size_t begin_of_lines(const gs_inflated *text)
{
    const char *newline = gs_market_is(text->data, text->data + text->bytes)
                              ? memchr(text->data, '\n', text->bytes)
                              : NULL;
    return newline ? (size_t)(newline + 1 - text->data) : 0;
}

gsolve_status gs_leave_out_comments(gs_inflated *text, gsolve_context *ctx)
{
    sieve s = {.text = text, .ctx = ctx, .end = text->data + text->bytes};
    gsolve_status status = GSOLVE_OK;
    char *line;

    if (text->judged == 0) text->judged = begin_of_lines(text);
    if (text->judged == 0) return GSOLVE_OK;
    line = s.from = s.to = text->data + text->judged;
    for (char *next = line; next; next = probe(line, s.end)) {
        line = next;
        if (line == s.end || !says_nothing(line, s.end)) continue;
        TRY(pass_comments(&s, &line));
        if (line == s.end || says_nothing(line, s.end)) break; /* the comments may go on */
    }
    const size_t ahead = (size_t)(s.end - line);
    keep(&s, s.end);
    text->bytes = (size_t)(s.to - text->data);
    text->judged = text->bytes - ahead;
done:
    return status;
}
