/* gzip.c: inflates a file into memory, one gzip member after the other, without long ranges of
 * comments and blank lines. Deflate packs a thousand bytes of them into one, so that a small file
 * could otherwise need much memory. The text is probed for them every 32 KiB, and read line by line
 * only where a probe finds a comment; so a text without long comments costs nothing. */
#define ZLIB_CONST /* z_stream.next_in is const */
#include "io/input.h"

#include <string.h>
#include <zlib.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "io/unpack.h"

#define STEP      ((size_t)1 << 24) /* bytes inflated between two calls of progress */
#define SPARE     64   /* bytes after the text, so that inflate finds the end of the stream */
#define MOST_GAIN 1032 /* the most bytes that deflate packs into one byte */
#define MIN_SKIP  ((size_t)1 << 16) /* bytes of the shortest range of comments that is removed */
#define PROBE     (MIN_SKIP / 2)

typedef struct inflated_text { /* the inflated text so far */
    char *data;
    size_t bytes, capacity;
    size_t checked; /* the offset of the first line that has not been checked */
    gs_skip *skip;  /* the removed lines */
    int64_t skips, skip_capacity;
    int64_t skipped_bytes;
} inflated_text;

/* --- long comments ---------------------------------------------------------------------------- */

typedef struct comment_filter { /* one pass over the new part of a text */
    inflated_text *text;
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

static gsolve_status grow_skips(inflated_text *text, gsolve_context *ctx)
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
    const inflated_text *text = s->text;
    return text->skips && text->skip[text->skips - 1].at == (size_t)(s->to - text->data);
}

/* Removes the text up to the line at stop. If the text ends within a comment, its first character
 * remains. */
static gsolve_status skip_comments(comment_filter *s, char *stop)
{
    inflated_text *text = s->text;
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
static size_t begin_of_first_line(const inflated_text *text)
{
    const char *newline = gs_market_is(text->data, text->data + text->bytes)
                              ? memchr(text->data, '\n', text->bytes)
                              : NULL;
    return newline ? (size_t)(newline + 1 - text->data) : 0;
}

/* Removes ranges of 64 KiB or more of comments and blank lines from the Matrix Market text in
 * text->data. Must be called whenever the text has grown. */
static gsolve_status skip_long_comments(inflated_text *text, gsolve_context *ctx)
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

/* --- inflating -------------------------------------------------------------------------------- */

void *gs_gzip_alloc(void *ctx, unsigned count, unsigned size)
{
    return gsolve_alloc(ctx, GSOLVE_HOST, count, size);
}

void gs_gzip_free(void *ctx, void *block)
{
    gsolve_free(ctx, GSOLVE_HOST, block);
}

static gsolve_status grow(inflated_text *text, gsolve_context *ctx, size_t capacity)
{
    char *data = gsolve_alloc(ctx, GSOLVE_HOST, capacity, 1);

    if (!data) return GSOLVE_NO_MEMORY;
    if (text->bytes) memcpy(data, text->data, text->bytes);
    gsolve_free(ctx, GSOLVE_HOST, text->data);
    text->data = data;
    text->capacity = capacity;
    return GSOLVE_OK;
}

/* The length of the text modulo 2^32, which is in the last four bytes of the file. If a file of
 * this size cannot hold that much: the size of the file. */
static size_t expected_length(const unsigned char *from, size_t bytes)
{
    const unsigned char *p = from + bytes - 4;
    const size_t length = p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;

    return length / MOST_GAIN > bytes ? bytes : length;
}

/* Enlarges the text to the smaller of two estimates: the length in the last four bytes of the file,
 * and 1.25 times the length that follows from the compression of the part read so far. The new
 * capacity is at most eight times the old one, so that the memory stays in proportion to the text
 * that remains without comments. */
static gsolve_status grow_further(inflated_text *text, const gs_input *in, const z_stream *z)
{
    const size_t packed = (size_t)(in->end - in->begin);
    const size_t read = (size_t)((const char *)z->next_in - in->begin);
    const size_t declared = expected_length((const unsigned char *)in->begin, packed) + SPARE;
    const double estimate = 1.25 * (double)text->bytes * (double)packed / (double)read + SPARE;
    const size_t limit = 8 * text->capacity;
    size_t capacity = estimate < (double)limit ? (size_t)estimate : limit;

    if (declared > text->capacity && declared < capacity) capacity = declared;
    return grow(text, in->ctx, capacity);
}

/* Fails with the line at which the text inflated so far ends. */
static gsolve_status fail_at_end(const gs_input *in, const inflated_text *text, const char *what)
{
    gs_input inflated = *in;

    inflated.begin = text->data;
    inflated.skip = text->skip;
    inflated.skips = text->skips;
    return gs_input_fail(&inflated, text->data + text->bytes, "%s", what);
}

/* Inflates at most STEP bytes, as the counts in z have only 32 bits. */
static int step(z_stream *z, const gs_input *in, inflated_text *text)
{
    const size_t left = (size_t)((const unsigned char *)in->end - z->next_in);
    const size_t capacity = text->capacity - text->bytes, out = capacity < STEP ? capacity : STEP;
    int code;

    z->avail_in = left < STEP ? (unsigned)left : (unsigned)STEP;
    z->next_out = (unsigned char *)text->data + text->bytes;
    z->avail_out = (unsigned)out;
    code = inflate(z, Z_NO_FLUSH);
    text->bytes += out - z->avail_out;
    return code;
}

static gsolve_status inflate_members(z_stream *z, const gs_input *in, inflated_text *text)
{
    const unsigned char *end = (const unsigned char *)in->end;
    gsolve_status status = GSOLVE_OK;

    for (;;) {
        if (text->bytes == text->capacity) TRY(grow_further(text, in, z));
        const int code = step(z, in, text);
        const bool full = text->bytes == text->capacity; /* there may be more to inflate */
        TRY(skip_long_comments(text, in->ctx));
        gs_input_progress(in, (const char *)z->next_in - in->begin, in->end - in->begin);
        TRY(gs_check_interrupt(in->ctx));
        if (code == Z_STREAM_END) {
            if (z->next_in == end) break;
            if (*z->next_in != 0x1f)
                return fail_at_end(in, text, "other data follow the compressed data");
            inflateReset(z);
        } else if (code == Z_MEM_ERROR) {
            return GSOLVE_NO_MEMORY; /* gs_gzip_alloc has recorded the error */
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            return fail_at_end(in, text, "the compressed data are damaged from this line on");
        } else if (z->next_in == end && !full) {
            return fail_at_end(in, text,
                               "the compressed data end in this line; the file is truncated");
        }
    }
done:
    return status;
}

/* in takes ownership of text's blocks. */
static void take_ownership(gs_input *in, inflated_text *text)
{
    in->block[1] = text->data;
    in->block[2] = text->skip;
    in->skip = text->skip;
    in->skips = text->skips;
    in->begin = text->data;
    in->end = text->data + text->bytes;
    in->source.bytes = (int64_t)text->bytes + text->skipped_bytes;
    *text = (inflated_text){0};
}

static gsolve_status inflate_file(gs_input *in)
{
    const size_t packed = (size_t)(in->end - in->begin);
    z_stream z = {.zalloc = gs_gzip_alloc, .zfree = gs_gzip_free, .opaque = in->ctx};
    inflated_text text = {0};
    size_t first;
    gsolve_status status;

    if (packed < 18) return gs_input_fail(in, in->begin, "the compressed file is truncated");
    first = expected_length((const unsigned char *)in->begin, packed);
    TRY(grow(&text, in->ctx, (first < STEP ? first : STEP) + SPARE));
    z.next_in = (const unsigned char *)in->begin;
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) {
        status = GSOLVE_NO_MEMORY;
        goto done;
    }
    status = inflate_members(&z, in, &text);
    inflateEnd(&z);
    if (status == GSOLVE_OK) take_ownership(in, &text);
done:
    gsolve_free(in->ctx, GSOLVE_HOST, text.data);
    gsolve_free(in->ctx, GSOLVE_HOST, text.skip);
    return status;
}

gsolve_status gs_input_unpack(gs_input *in)
{
    const unsigned char *p = (const unsigned char *)in->begin;

    const gs_unpacker *u = gs_unpacker_of(in->begin, in->end);

    if (u) return gs_unpack(in, u);
    if (in->end - in->begin < 2 || p[0] != 0x1f || p[1] != 0x8b) return GSOLVE_OK;
    return inflate_file(in);
}
