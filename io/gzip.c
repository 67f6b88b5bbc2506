/* gzip.c: inflates a whole file into memory; one member after the other. */
#include "io/gzip.h"

#include <string.h>

#include "core/try.h"
#include "io/input.h"

#define STEP      ((size_t)1 << 24) /* bytes inflated between two calls of progress */
#define MOST_GAIN 1032              /* deflate's best: a byte holds not more than these */

void *gs_gzip_alloc(void *ctx, unsigned count, unsigned size)
{
    return gsolve_alloc(ctx, GSOLVE_HOST, count, size);
}

void gs_gzip_free(void *ctx, void *block)
{
    gsolve_free(ctx, GSOLVE_HOST, block);
}

typedef struct growing { /* the inflated text so far */
    char *data;
    size_t bytes, room;
} growing;

static gsolve_status grow(growing *g, gsolve_context *ctx, size_t room)
{
    char *data = gsolve_alloc(ctx, GSOLVE_HOST, room, 1);

    if (!data) return GSOLVE_NO_MEMORY;
    if (g->bytes) memcpy(data, g->data, g->bytes);
    gsolve_free(ctx, GSOLVE_HOST, g->data);
    g->data = data;
    g->room = room;
    return GSOLVE_OK;
}

/* The length that the end of the file announces, modulo 2^32, if that is credible. */
static size_t expected_length(const unsigned char *from, size_t bytes)
{
    const unsigned char *p = from + bytes - 4;
    const size_t length = p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;

    return length / MOST_GAIN > bytes ? bytes : length;
}

/* The sentence's line is that of the text inflated so far. */
static gsolve_status complain(const gs_input *in, const growing *g, const char *what)
{
    gs_input text = *in;

    text.begin = g->data;
    return gs_input_fail(&text, g->data + g->bytes, "%s", what);
}

/* Feeds z a part of what is left, for both counts in z have 32 bits only. */
static int step(z_stream *z, const gs_input *in, growing *g)
{
    const size_t left = (size_t)((const unsigned char *)in->end - z->next_in);
    const size_t room = g->room - g->bytes, out = room < STEP ? room : STEP;
    int code;

    z->avail_in = left < STEP ? (unsigned)left : (unsigned)STEP;
    z->next_out = (unsigned char *)g->data + g->bytes;
    z->avail_out = (unsigned)out;
    code = inflate(z, Z_NO_FLUSH);
    g->bytes += out - z->avail_out;
    return code;
}

static gsolve_status inflate_members(z_stream *z, const gs_input *in, growing *g)
{
    const unsigned char *end = (const unsigned char *)in->end;
    gsolve_status status = GSOLVE_OK;

    for (;;) {
        if (g->bytes == g->room) TRY(grow(g, in->ctx, 2 * g->room));
        const int code = step(z, in, g);
        gs_input_progress(in, (const char *)z->next_in - in->begin, in->end - in->begin);
        if (code == Z_STREAM_END) {
            if (z->next_in == end) break;
            if (*z->next_in != 0x1f)
                return complain(in, g, "after the compressed data comes other data");
            inflateReset(z);
        } else if (code == Z_MEM_ERROR) {
            return GSOLVE_NO_MEMORY; /* gs_gzip_alloc has said so */
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            return complain(in, g, "from here on the compressed data is damaged");
        } else if (z->next_in == end && g->bytes < g->room) {
            return complain(in, g, "here the compressed data breaks off: the file is truncated");
        }
    }
done:
    return status;
}

gsolve_status gs_gzip_inflate(const gs_input *in, char **text, size_t *bytes)
{
    const size_t packed = (size_t)(in->end - in->begin);
    z_stream z = {.zalloc = gs_gzip_alloc, .zfree = gs_gzip_free, .opaque = in->ctx};
    growing g = {0};
    gsolve_status status;

    if (packed < 18) return gs_input_fail(in, in->begin, "the compressed file is truncated");
    TRY(grow(&g, in->ctx, expected_length((const unsigned char *)in->begin, packed) + 64));
    z.next_in = (z_const unsigned char *)(uintptr_t)in->begin;
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) {
        status = GSOLVE_NO_MEMORY;
        goto done;
    }
    status = inflate_members(&z, in, &g);
    inflateEnd(&z);
    if (status != GSOLVE_OK) goto done;
    *text = g.data;
    *bytes = g.bytes;
    g.data = NULL;
done:
    gsolve_free(in->ctx, GSOLVE_HOST, g.data);
    return status;
}
