/* text.c: files into memory. */
#include "io/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/try.h"

gsolve_status gs_text_fail(gsolve_context *ctx, const gs_text *text, int64_t line,
                           const char *format, ...)
{
    char sentence[700];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return gsolve_fail(ctx, GSOLVE_BAD_FILE, "%.280s:%lld: %s", text->name, (long long)line,
                       sentence);
}

int64_t gs_text_line(const gs_text *text, const char *at)
{
    int64_t line = 1;
    const char *p = text->data;

    while (p < at && (p = memchr(p, '\n', (size_t)(at - p)))) {
        line++;
        p++;
    }
    return line;
}

void gs_text_free(gs_text *text, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, text->block);
    memset(text, 0, sizeof *text);
}

/* Inflates the gzip members in text into a block of its own, which grows as it must. */
static gsolve_status inflate_text(gs_text *text, gsolve_context *ctx)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)text->data};
    size_t room = text->size * 4 + 4096, used = 0, taken = 0;
    char *block = NULL;
    int code = Z_OK;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, block, room);
    if (inflateInit2(&z, 15 + 32) != Z_OK) {
        status = gsolve_fail(ctx, GSOLVE_NO_MEMORY, "out of memory while decompressing %.280s",
                             text->name);
        goto done;
    }
    while (taken < text->size) {
        const size_t left = text->size - taken, piece = left < 1u << 30 ? left : 1u << 30;
        if (room - used < room / 4) {
            char *larger;
            ALLOC(ctx, GSOLVE_HOST, larger, room * 2);
            memcpy(larger, block, used);
            gsolve_free(ctx, GSOLVE_HOST, block);
            block = larger;
            room *= 2;
        }
        const size_t space = room - used < 1u << 30 ? room - used : 1u << 30;
        z.avail_in = (unsigned)piece;
        z.avail_out = (unsigned)space;
        z.next_out = (unsigned char *)block + used;
        code = inflate(&z, Z_NO_FLUSH);
        taken += piece - z.avail_in;
        used += space - z.avail_out;
        if (code == Z_STREAM_END && taken < text->size) code = inflateReset(&z); /* next member */
        if (code != Z_OK && !(code == Z_STREAM_END && taken == text->size)) break;
    }
    if (code != Z_STREAM_END) {
        status = gsolve_fail(ctx, GSOLVE_BAD_FILE,
                             "%.280s:1: the compressed data are damaged or end too soon (%s)",
                             text->name, z.msg ? z.msg : "truncated");
        goto done;
    }
    gsolve_free(ctx, GSOLVE_HOST, text->block);
    text->block = block;
    text->data = block;
    text->size = used;
    block = NULL;
done:
    inflateEnd(&z);
    gsolve_free(ctx, GSOLVE_HOST, block);
    return status;
}

gsolve_status gs_text_load(gs_text *out, gsolve_context *ctx, const char *path)
{
    gs_text text = {.name = path};
    struct stat about;
    gsolve_status status = GSOLVE_OK;
    const int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || fstat(file, &about) != 0) {
        status = gsolve_fail(ctx, GSOLVE_BAD_FILE, "cannot open %.280s: %s", path, strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        status = gsolve_fail(ctx, GSOLVE_BAD_FILE, "%.280s is not a regular file", path);
    } else if (about.st_size == 0) {
        status = gsolve_fail(ctx, GSOLVE_BAD_FILE, "%.280s:1: the file is empty", path);
    }
    if (status != GSOLVE_OK) goto done;
    text.size = (size_t)about.st_size;
    text.block = gs_map_file(ctx, file, 0, text.size);
    text.data = text.block;
    status = text.block ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (status == GSOLVE_OK && text.size > 2 && memcmp(text.data, "\x1f\x8b", 2) == 0) {
        TRY(inflate_text(&text, ctx));
    }
    if (status == GSOLVE_OK) {
        *out = text;
        memset(&text, 0, sizeof text);
    }
done:
    if (file >= 0) close(file);
    gs_text_free(&text, ctx);
    return status;
}
