/* comments.c: see comments.h. The text is probed every 32 KiB. It is read line by line only where a
 * probe finds a comment; so a text without long comments costs nothing. */
#include "io/comments.h"

#include <string.h>

#include "core/try.h"
#include "io/text.h"

#define MIN_SKIP ((size_t)1 << 16) /* bytes of the shortest range of comments that is removed */
#define PROBE    (MIN_SKIP / 2)

typedef struct comment_filter { /* one pass over the new part of a text */
    gs_inflated *text;
    gsolve_context *ctx;
    char *from, *end; /* the text that is not processed yet */
    char *to;         /* the place to which the remaining text is moved */
} comment_filter;

/* Whether the line at p is blank or a comment. The line may be incomplete. */
static bool is_blank_or_comment(const char *p, const char *end)
{
    p = gs_skip_blanks(p, end);
    return p == end || *p == '\n' || *p == '%';
}

/* The first line of the range of blank lines and comments that `line` belongs to. */
static char *first_comment_line(char *floor, char *line)
{
    while (line > floor) {
        char *newline = line - 1 > floor ? memrchr(floor, '\n', (size_t)(line - 1 - floor)) : NULL;
        char *before = newline ? newline + 1 : floor;
        if (!is_blank_or_comment(before, line)) break;
        line = before;
    }
    return line;
}

/* The first line from `line` on that is neither blank nor a comment, or the end of the text. */
static char *first_line_after_comments(char *line, char *end)
{
    while (line < end && is_blank_or_comment(line, end)) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline ? newline + 1 : end;
    }
    return line;
}

/* The line of the next probe, or NULL if the text ends before it. */
static char *probe(char *line, char *end)
{
    char *at = line + PROBE, *newline;

    if (end - line <= (ptrdiff_t)PROBE) return NULL;
    newline = memrchr(line, '\n', PROBE);
    if (!newline) newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : NULL;
}

/* Moves the text up to `up_to` behind the text that remains. */
static void keep_text(comment_filter *s, const char *up_to)
{
    const size_t bytes = (size_t)(up_to - s->from);

    if (s->to != s->from) memmove(s->to, s->from, bytes);
    s->to += bytes;
    s->from += bytes;
}

static gsolve_status grow_skips(gs_inflated *text, gsolve_context *ctx)
{
    const int64_t capacity = 2 * text->skip_capacity + 64;
    gs_skip *skip = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)capacity, sizeof *skip);

    if (!skip) return GSOLVE_NO_MEMORY;
    if (text->skips) memcpy(skip, text->skip, (size_t)text->skips * sizeof *skip);
    gsolve_free(ctx, GSOLVE_HOST, text->skip);
    text->skip = skip;
    text->skip_capacity = capacity;
    return GSOLVE_OK;
}

/* Whether lines have been removed at the end of the text that remains so far. */
static bool has_skip_here(const comment_filter *s)
{
    const gs_inflated *text = s->text;
    return text->skips && text->skip[text->skips - 1].at == (size_t)(s->to - text->data);
}

/* Removes the text up to the line at stop. If the text ends within a comment, its first character
 * remains. */
static gsolve_status skip_comments(comment_filter *s, char *stop)
{
    gs_inflated *text = s->text;
    int64_t lines = 0;
    gsolve_status status = GSOLVE_OK;

    if (!has_skip_here(s)) {
        if (text->skips == text->skip_capacity) TRY(grow_skips(text, s->ctx));
        text->skip[text->skips++] = (gs_skip){(size_t)(s->to - text->data), 0};
    }
    for (const char *p = s->from; p < stop; p++) lines += *p == '\n';
    text->skip[text->skips - 1].lines += lines;
    if (stop == s->end) {
        const char *newline = memrchr(s->from, '\n', (size_t)(stop - s->from));
        const char *last = gs_skip_blanks(newline ? newline + 1 : s->from, stop);
        if (last < stop) *--stop = '%';
    }
    text->skipped_bytes += stop - s->from;
    s->from = stop;
done:
    return status;
}

/* Removes the blank lines and comments around *line if they are long enough. *line becomes the
 * first line after them, or, if they reach to the end of the text and may continue, their
 * beginning. */
static gsolve_status pass_comments(comment_filter *s, char **line)
{
    char *begin = first_comment_line(s->from, *line),
         *stop = first_line_after_comments(*line, s->end);
    const bool continues = begin == s->from && has_skip_here(s);
    gsolve_status status = GSOLVE_OK;

    *line = stop < s->end ? stop : begin;
    if (continues || stop - begin >= (ptrdiff_t)MIN_SKIP) {
        keep_text(s, begin);
        TRY(skip_comments(s, stop));
        *line = s->from;
    }
done:
    return status;
}

/* The first line that may be removed: the one after the banner. */
static size_t begin_of_first_line(const gs_inflated *text)
{
    const char *newline = gs_market_is(text->data, text->data + text->bytes)
                              ? memchr(text->data, '\n', text->bytes)
                              : NULL;
    return newline ? (size_t)(newline + 1 - text->data) : 0;
}

gsolve_status gs_skip_comments(gs_inflated *text, gsolve_context *ctx)
{
    comment_filter s = {.text = text, .ctx = ctx, .end = text->data + text->bytes};
    gsolve_status status = GSOLVE_OK;
    char *line;

    if (text->checked == 0) text->checked = begin_of_first_line(text);
    if (text->checked == 0) return GSOLVE_OK;
    line = s.from = s.to = text->data + text->checked;
    for (char *next = line; next; next = probe(line, s.end)) {
        line = next;
        if (line == s.end || !is_blank_or_comment(line, s.end)) continue;
        TRY(pass_comments(&s, &line));
        if (line == s.end || is_blank_or_comment(line, s.end))
            break; /* the comments may continue */
    }
    const size_t ahead = (size_t)(s.end - line);
    keep_text(&s, s.end);
    text->bytes = (size_t)(s.to - text->data);
    text->checked = text->bytes - ahead;
done:
    return status;
}
