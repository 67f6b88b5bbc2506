/* xz.c: unpacks xz by liblzma. */
#include <lzma.h>

#include "io/unpack.h"

typedef struct xz {
    lzma_allocator allocator;
    lzma_stream z;
} xz;

static void *allocate(void *ctx, size_t count, size_t size)
{
    return gsolve_alloc(ctx, GSOLVE_HOST, count, size);
}

static void release(void *ctx, void *block)
{
    gsolve_free(ctx, GSOLVE_HOST, block);
}

static void *begin(gsolve_context *ctx)
{
    xz *x = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *x);

    if (!x) return NULL;
    *x = (xz){{allocate, release, ctx}, LZMA_STREAM_INIT};
    x->z.allocator = &x->allocator;
    if (lzma_stream_decoder(&x->z, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK) return x;
    gsolve_free(ctx, GSOLVE_HOST, x);
    return NULL;
}

static gs_unpack_end step(void *state, gs_unpack_step *s)
{
    xz *x = state;
    lzma_ret code;

    x->z.next_in = s->in;
    x->z.avail_in = (size_t)(s->in_end - s->in);
    x->z.next_out = s->out;
    x->z.avail_out = (size_t)(s->out_end - s->out);
    code = lzma_code(&x->z, x->z.avail_in ? LZMA_RUN : LZMA_FINISH);
    s->in = x->z.next_in;
    s->out = x->z.next_out;
    return code == LZMA_OK || code == LZMA_BUF_ERROR ? GS_UNPACK_GO_ON
           : code == LZMA_STREAM_END                 ? GS_UNPACK_END
           : code == LZMA_MEM_ERROR                  ? GS_UNPACK_NO_MEMORY
                                                     : GS_UNPACK_DAMAGED;
}

static void end(void *state, gsolve_context *ctx)
{
    xz *x = state;

    lzma_end(&x->z);
    gsolve_free(ctx, GSOLVE_HOST, x);
}

const gs_unpacker gs_xz = {"xz",
                           "\xfd"
                           "7zXZ",
                           5,
                           "xz -dk",
                           "liblzma-dev",
                           "GSOLVE_XZ",
                           begin,
                           step,
                           end};
