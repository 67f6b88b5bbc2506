/* sink.c: writes text to a file, through zlib if the file is compressed. */
#include "io/sink.h"

#include <string.h>

#define PACKED ((unsigned)1 << 18)

static gsolve_status write_error(const gs_sink *sink, int code)
{
    return gsolve_fail(sink->ctx, GSOLVE_BAD_FILE, "cannot write %.400s: %s",
                       sink->replacement.path, strerror(code));
}

static bool ends_in_gz(const char *path)
{
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

static gsolve_status open_packer(gs_sink *sink, gsolve_context *ctx)
{
    sink->packed = gsolve_alloc(ctx, GSOLVE_HOST, PACKED, 1);
    if (!sink->packed) return GSOLVE_NO_MEMORY;
    sink->z = (z_stream){.zalloc = gs_gzip_alloc, .zfree = gs_gzip_free, .opaque = ctx};
    if (deflateInit2(&sink->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) == Z_OK) {
        return GSOLVE_OK;
    }
    gsolve_free(ctx, GSOLVE_HOST, sink->packed);
    return GSOLVE_NO_MEMORY;
}

gsolve_status gs_sink_open(gs_sink *sink, gsolve_context *ctx, const char *path)
{
    gsolve_status status = GSOLVE_OK;
    int code;

    sink->ctx = ctx;
    sink->replacement.path = path;
    sink->compressed = ends_in_gz(path);
    if (sink->compressed) status = open_packer(sink, ctx);
    if (status != GSOLVE_OK) return status;
    code = gs_replace_begin(&sink->replacement, ctx, path);
    if (code == 0) return GSOLVE_OK;
    status = write_error(sink, code);
    if (sink->compressed) {
        deflateEnd(&sink->z);
        gsolve_free(ctx, GSOLVE_HOST, sink->packed);
    }
    return status;
}

static gsolve_status pack(gs_sink *sink, const char *text, size_t bytes, int flush)
{
    z_stream *z = &sink->z;

    z->next_in = (const unsigned char *)text;
    z->avail_in = (unsigned)bytes;
    do {
        z->next_out = sink->packed;
        z->avail_out = PACKED;
        deflate(z, flush);
        const int code = gs_replace_write(&sink->replacement, sink->packed, PACKED - z->avail_out);
        if (code) return write_error(sink, code);
    } while (z->avail_out == 0);
    return GSOLVE_OK;
}

gsolve_status gs_sink_write(gs_sink *sink, const char *text, size_t bytes)
{
    gsolve_status status = GSOLVE_OK;

    if (!sink->compressed) {
        const int code = gs_replace_write(&sink->replacement, text, bytes);
        return code ? write_error(sink, code) : GSOLVE_OK;
    }
    while (bytes > 0 && status == GSOLVE_OK) {
        const size_t some = bytes < 1u << 30 ? bytes : 1u << 30;
        status = pack(sink, text, some, Z_NO_FLUSH);
        text += some;
        bytes -= some;
    }
    return status;
}

gsolve_status gs_sink_close(gs_sink *sink, gsolve_status status)
{
    int code;

    if (sink->compressed) {
        if (status == GSOLVE_OK) status = pack(sink, "", 0, Z_FINISH);
        deflateEnd(&sink->z);
        gsolve_free(sink->ctx, GSOLVE_HOST, sink->packed);
    }
    code = gs_replace_end(&sink->replacement, status == GSOLVE_OK, false);
    return status == GSOLVE_OK && code ? write_error(sink, code) : status;
}
