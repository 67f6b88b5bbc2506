/* setup_file_write.c: writes files that hold a set-up, see setup_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/try.h"
#include "matrix/setup_file_format.h"

/* --- the matrix ------------------------------------------------------------------------------- */

static gsolve_status hash_values(uint64_t *hash, gsolve_context *ctx, const gsolve_csr *csr,
                                 int64_t entries, gsolve_type type)
{
    float *narrow = NULL;
    gsolve_status status = GSOLVE_OK;

    if (type == csr->type) {
        *hash = gs_hash(ctx, csr->value, (size_t)entries * gs_type_size(type), GS_SETUP_VERSION);
        return GSOLVE_OK;
    }
    if (csr->type == GSOLVE_F32) { /* no set-up is wider than its matrix */
        *hash = 0;
        return GSOLVE_OK;
    }
    ALLOC(ctx, GSOLVE_HOST, narrow, entries);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t k = 0; k < entries; k++) narrow[k] = (float)((const double *)csr->value)[k];
    *hash = gs_hash(ctx, narrow, (size_t)entries * sizeof *narrow, GS_SETUP_VERSION);
done:
    gsolve_free(ctx, GSOLVE_HOST, narrow);
    return status;
}

gsolve_status gs_saved_set_matrix(gs_saved_head *head, gsolve_context *ctx, const gsolve_csr *csr)
{
    head->n = csr->nrows;
    head->entries = gs_start(csr, csr->nrows);
    head->pattern = gs_csr_pattern_hash(ctx, csr);
    return hash_values(&head->values, ctx, csr, head->entries, (gsolve_type)head->stored);
}

/* --- writing ---------------------------------------------------------------------------------- */

static gsolve_status write_error(const gs_saving *s, int code)
{
    return gsolve_fail(s->ctx, GSOLVE_BAD_FILE, "cannot write %.400s: %s", s->file.path,
                       strerror(code));
}

static gsolve_status write_bytes(gs_saving *s, const void *data, size_t bytes)
{
    const int code = gs_replace_write(&s->file, data, bytes);

    s->bytes += (int64_t)bytes;
    return code ? write_error(s, code) : GSOLVE_OK;
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
    code = gs_replace_begin(&s->file, ctx, path);
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

/* --- before a file is replaced ---------------------------------------------------------------- */

bool gs_setup_file_exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && (!S_ISREG(about.st_mode) || about.st_size > 0);
}

bool gs_setup_file_is_writable(const char *path)
{
    char magic[sizeof GS_SETUP_MAGIC] = "";
    struct stat about;
    int file;
    bool good;

    if (!gs_setup_file_exists(path)) return true;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    good = file >= 0 && pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
           memcmp(magic, GS_SETUP_MAGIC, sizeof magic) == 0;
    if (file >= 0) close(file);
    return good;
}
