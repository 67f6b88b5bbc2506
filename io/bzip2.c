/* bzip2.c: unpacks bzip2 by libbz2. */
#include <bzlib.h>
#include <string.h>

#include "io/unpack.h"

typedef struct bzip2 {
    bz_stream z;
    bool open;
} bzip2;

static void *allocate(void *ctx, int count, int size)
{
    return gsolve_alloc(ctx, GSOLVE_HOST, (size_t)count, (size_t)size);
}

static void release(void *ctx, void *block)
{
    gsolve_free(ctx, GSOLVE_HOST, block);
}

static void *begin(gsolve_context *ctx)
{
    bzip2 *b = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *b);

    if (b) *b = (bzip2){.z = {.bzalloc = allocate, .bzfree = release, .opaque = ctx}};
    return b;
}

static gs_unpack_end step(void *state, gs_unpack_step *s)
{
    bzip2 *b = state;
    int code;

    if (!b->open) {
        if (s->in == s->in_end) return GS_UNPACK_GO_ON;
        if (BZ2_bzDecompressInit(&b->z, 0, 0) != BZ_OK) return GS_UNPACK_NO_MEMORY;
        b->open = true;
    }
    b->z.next_in = (char *)(uintptr_t)s->in; /* it is not written */
    b->z.avail_in = (unsigned)(s->in_end - s->in);
    b->z.next_out = (char *)s->out;
    b->z.avail_out = (unsigned)(s->out_end - s->out);
    code = BZ2_bzDecompress(&b->z);
    s->in = s->in_end - b->z.avail_in;
    s->out = s->out_end - b->z.avail_out;
    if (code == BZ_STREAM_END) {
        BZ2_bzDecompressEnd(&b->z);
        b->open = false;
        return GS_UNPACK_END;
    }
    return code == BZ_OK          ? GS_UNPACK_GO_ON
           : code == BZ_MEM_ERROR ? GS_UNPACK_NO_MEMORY
                                  : GS_UNPACK_DAMAGED;
}

static void end(void *state, gsolve_context *ctx)
{
    bzip2 *b = state;

    if (b->open) BZ2_bzDecompressEnd(&b->z);
    gsolve_free(ctx, GSOLVE_HOST, b);
}

const gs_unpacker gs_bzip2 = {"bzip2",        "BZh", 3,    "bzip2 -dk", "libbz2-dev",
                              "GSOLVE_BZIP2", begin, step, end};
