/* gzip.c: inflates a file into memory, one gzip member after the other, without long comments. */
#include "io/gzip.h"

#include <string.h>

#include "core/try.h"
#include "io/comments.h"

#define STEP      ((size_t)1 << 24) /* bytes inflated between two calls of progress */
#define SPARE     64   /* bytes after the text, so that inflate finds the end of the stream */
#define MOST_GAIN 1032 /* the most bytes that deflate packs into one byte */

void *gs_gzip_alloc(void *ctx, unsigned count, unsigned size)
{
    return gsolve_alloc(ctx, GSOLVE_HOST, count, size);
}

void gs_gzip_free(void *ctx, void *block)
{
    gsolve_free(ctx, GSOLVE_HOST, block);
}

static gsolve_status grow(gs_inflated *text, gsolve_context *ctx, size_t capacity)
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
static gsolve_status grow_further(gs_inflated *text, const gs_input *in, const z_stream *z)
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
static gsolve_status fail_at_end(const gs_input *in, const gs_inflated *text, const char *what)
{
    gs_input inflated = *in;

    inflated.begin = text->data;
    inflated.skip = text->skip;
    inflated.skips = text->skips;
    return gs_input_fail(&inflated, text->data + text->bytes, "%s", what);
}

/* Inflates at most STEP bytes, as the counts in z have only 32 bits. */
static int step(z_stream *z, const gs_input *in, gs_inflated *text)
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

static gsolve_status inflate_members(z_stream *z, const gs_input *in, gs_inflated *text)
{
    const unsigned char *end = (const unsigned char *)in->end;
    gsolve_status status = GSOLVE_OK;

    for (;;) {
        if (text->bytes == text->capacity) TRY(grow_further(text, in, z));
        const int code = step(z, in, text);
        const bool full = text->bytes == text->capacity; /* there may be more to inflate */
        TRY(gs_skip_comments(text, in->ctx));
        gs_input_progress(in, (const char *)z->next_in - in->begin, in->end - in->begin);
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
static void take_ownership(gs_input *in, gs_inflated *text)
{
    in->block[1] = text->data;
    in->block[2] = text->skip;
    in->skip = text->skip;
    in->skips = text->skips;
    in->begin = text->data;
    in->end = text->data + text->bytes;
    in->source.bytes = (int64_t)text->bytes + text->skipped_bytes;
    *text = (gs_inflated){0};
}

static gsolve_status inflate_file(gs_input *in)
{
    const size_t packed = (size_t)(in->end - in->begin);
    z_stream z = {.zalloc = gs_gzip_alloc, .zfree = gs_gzip_free, .opaque = in->ctx};
    gs_inflated text = {0};
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

    if (in->end - in->begin < 2 || p[0] != 0x1f || p[1] != 0x8b) return GSOLVE_OK;
    return inflate_file(in);
}
