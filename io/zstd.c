/* zstd.c: unpacks Zstandard by libzstd. */
#include <zstd.h>

#include "io/unpack.h"

static void *begin(gsolve_context *ctx)
{
    ZSTD_DStream *z = ZSTD_createDStream();

    if (!z) gsolve_fail(ctx, GSOLVE_NO_MEMORY, "out of memory: libzstd cannot start");
    return z;
}

static gs_unpack_end step(void *state, gs_unpack_step *s)
{
    ZSTD_inBuffer in = {s->in, (size_t)(s->in_end - s->in), 0};
    ZSTD_outBuffer out = {s->out, (size_t)(s->out_end - s->out), 0};
    const size_t code = ZSTD_decompressStream(state, &out, &in);

    s->in += in.pos;
    s->out += out.pos;
    if (ZSTD_isError(code)) return GS_UNPACK_DAMAGED;
    return code == 0 ? GS_UNPACK_END : GS_UNPACK_GO_ON;
}

static void end(void *state, gsolve_context *ctx)
{
    (void)ctx;
    ZSTD_freeDStream(state);
}

const gs_unpacker gs_zstd = {
    "zstd", "\x28\xb5\x2f\xfd", 4, "zstd -dk", "libzstd-dev", "GSOLVE_ZSTD", begin, step, end};
