/* output.c: see output.h. */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

gsolve_status gs_output_open(gs_output *o, gsolve_context *ctx, const char *path, bool compress)
{
    memset(o, 0, sizeof *o);
    o->path = path;
    o->file = -1;
    if (snprintf(o->temporary, sizeof o->temporary, "%s.%ld.part", path, (long)getpid()) >=
        (int)sizeof o->temporary) {
        return gsolve_fail(ctx, GSOLVE_BAD_FILE, "the path %.100s... is too long", path);
    }
    o->buffer = gsolve_alloc(ctx, GSOLVE_HOST, GS_OUTPUT_ROOM, 1);
    if (!o->buffer) return GSOLVE_NO_MEMORY;
    o->file = open(o->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o->file < 0) {
        gsolve_free(ctx, GSOLVE_HOST, o->buffer);
        return gsolve_fail(ctx, GSOLVE_BAD_FILE, "cannot write %.280s: %s", path, strerror(errno));
    }
    if (compress) {
        o->gz = gzdopen(dup(o->file), "wb6");
        o->failed = !o->gz;
    }
    return GSOLVE_OK;
}

void gs_output_write(gs_output *o, const void *data, size_t bytes)
{
    while (bytes > 0 && !o->failed) {
        const size_t piece = bytes < (size_t)1 << 30 ? bytes : (size_t)1 << 30;
        const ssize_t done = o->gz ? gzwrite(o->gz, data, (unsigned)piece)
                                   : write(o->file, data, piece);
        if (done < 0 && errno == EINTR) continue;
        o->failed = done <= 0;
        if (o->failed) break;
        data = (const char *)data + done;
        bytes -= (size_t)done;
    }
}

static void flush(gs_output *o)
{
    gs_output_write(o, o->buffer, o->used);
    o->used = 0;
}

char *gs_output_begin(gs_output *o)
{
    if (o->used + 256 > GS_OUTPUT_ROOM) flush(o);
    return o->buffer + o->used;
}

gsolve_status gs_output_close(gs_output *o, gsolve_context *ctx, bool keep)
{
    int cause = 0;

    if (keep) flush(o);
    if (o->failed) cause = errno;
    if (o->gz && gzclose(o->gz) != Z_OK && !cause) cause = EIO;
    if (close(o->file) != 0 && !cause) cause = errno;
    gsolve_free(ctx, GSOLVE_HOST, o->buffer);
    if (keep && !cause && rename(o->temporary, o->path) != 0) cause = errno;
    if (keep && !cause) return GSOLVE_OK;
    unlink(o->temporary);
    if (!keep) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_FILE, "cannot write %.280s: %s", o->path, strerror(cause));
}
