/* setup_file_write.c: writes files that hold a set-up, see setup_file.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/try.h"
#include "matrix/setup_file_format.h"

static gsolve_status write_error(const gs_saving *s, int code)
{
    return gsolve_fail(s->ctx, GSOLVE_BAD_FILE, "cannot write %.400s: %s", s->file.path,
                       code == EACCES || code == EPERM ? "no permission" : strerror(code));
}

static gsolve_status write_bytes(gs_saving *s, const void *data, size_t bytes)
{
    const int code = gs_replace_write(&s->file, data, bytes);

    s->bytes += (int64_t)bytes;
    return code ? write_error(s, code) : GSOLVE_OK;
}

/* Renaming would replace a file without permission to write, too. */
static int check_permission(const char *path)
{
    return access(path, W_OK) != 0 && errno != ENOENT ? errno : 0;
}

gsolve_status gs_save_begin(gs_saving *s, gsolve_context *ctx, const char *path,
                            const gs_saved_head *head)
{
    const gs_setup_file_head space = {.size = 0}; /* gs_save_end writes the head */
    gsolve_status status;
    int code;

    s->ctx = ctx;
    s->head = *head;
    s->chain = GS_SETUP_VERSION;
    s->bytes = 0;
    s->file.path = path;
    status = gs_setup_file_check(ctx, path);
    if (status != GSOLVE_OK) return status;
    code = check_permission(path);
    if (!code) code = gs_replace_begin(&s->file, ctx, path);
    if (code) return write_error(s, code);
    status = write_bytes(s, &space, sizeof space);
    return status == GSOLVE_OK ? GSOLVE_OK : gs_save_end(s, status);
}

gsolve_status gs_save_array(gs_saving *s, const void *data, gsolve_location location, size_t bytes)
{
    static const char zeros[8];
    gs_setup_array_head h = {.bytes = bytes};
    void *copy = NULL;
    gsolve_status status = GSOLVE_OK;

    if (location != GSOLVE_HOST && gs_location(s->ctx) != GSOLVE_HOST) {
        copy = gsolve_alloc(s->ctx, GSOLVE_HOST, bytes, 1);
        TRY(copy ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        TRY(gsolve_copy(s->ctx, copy, GSOLVE_HOST, data, location, bytes));
        data = copy;
    }
    h.chain = s->chain = gs_setup_link(s->ctx, s->chain, data, bytes);
    TRY(write_bytes(s, &h, sizeof h));
    TRY(write_bytes(s, data, bytes));
    TRY(write_bytes(s, zeros, gs_setup_padding(bytes)));
done:
    gsolve_free(s->ctx, GSOLVE_HOST, copy);
    return status;
}

gsolve_status gs_save_csr(gs_saving *s, const gsolve_csr *csr, int64_t entries)
{
    const size_t count = (size_t)entries;
    gsolve_status status;

    TRY(gs_save_array(s, csr->start, csr->location,
                      ((size_t)csr->nrows + 1) * gs_offset_size(csr->offset)));
    TRY(gs_save_array(s, csr->col, csr->location, count * sizeof *csr->col));
    TRY(gs_save_array(s, csr->value, csr->location, count * gs_type_size(csr->type)));
done:
    return status;
}

/* Writes the head over its space at the beginning of the file. */
static gsolve_status write_head(const gs_saving *s)
{
    gs_setup_file_head h;

    memset(&h, 0, sizeof h);
    memcpy(h.magic, GS_SETUP_MAGIC, sizeof h.magic);
    h.version = GS_SETUP_VERSION;
    h.order = GS_SETUP_ORDER;
    h.size = s->bytes;
    h.last = s->chain;
    snprintf(h.library, sizeof h.library, "%.23s", gsolve_version());
    h.head = s->head;
    h.hash = gs_setup_hash_head(s->ctx, &h);
    const ssize_t written = pwrite(s->file.file, &h, sizeof h, 0);
    if (written == (ssize_t)sizeof h) return GSOLVE_OK;
    return write_error(s, written < 0 ? errno : ENOSPC);
}

gsolve_status gs_save_end(gs_saving *s, gsolve_status status)
{
    int code;

    if (status == GSOLVE_OK) status = write_head(s);
    /* not durable: reading refuses a file that a loss of power has damaged */
    code = gs_replace_end(&s->file, status == GSOLVE_OK, false);
    return status == GSOLVE_OK && code ? write_error(s, code) : status;
}
