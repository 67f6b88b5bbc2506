/* setup_file_replace.c: whether a set-up may replace a file, see setup_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/try.h"
#include "matrix/setup_file_format.h"

bool gs_setup_file_exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && (!S_ISREG(about.st_mode) || about.st_size > 0);
}

/* Fails unless the regular file begins as a set-up does, as far as it reaches. */
static gsolve_status check_begin(gsolve_context *ctx, const char *path)
{
    char magic[sizeof GS_SETUP_MAGIC] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const ssize_t size = file < 0 ? -1 : pread(file, magic, sizeof magic, 0);
    const int code = errno;

    if (file >= 0) close(file);
    if (size < 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_FILE, "cannot read %.400s: %s", path, strerror(code));
    }
    if (gs_setup_is_magic(magic, (size_t)size)) return GSOLVE_OK;
    return gs_setup_refuse_kind(ctx, path);
}

gsolve_status gs_setup_file_check(gsolve_context *ctx, const char *path)
{
    struct stat about;

    if (!*path) return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "path is empty; name a file");
    if (stat(path, &about) != 0) return GSOLVE_OK;
    if (!S_ISREG(about.st_mode)) return gs_setup_refuse_type(ctx, path, about.st_mode);
    return about.st_size == 0 ? GSOLVE_OK : check_begin(ctx, path);
}

/* text = the size that tells the two matrices apart, in parentheses, or "". */
static void describe_difference(char text[48], const gs_saved_head *h, const gs_saved_head *own)
{
    text[0] = 0;
    if (h->n != own->n) {
        snprintf(text, 48, " (%d rows)", h->n);
    } else if (h->entries != own->entries) {
        snprintf(text, 48, " (%lld entries)", (long long)h->entries);
    }
}

gsolve_status gs_setup_file_check_owner(gsolve_context *ctx, const char *path, const char *spec,
                                        const gsolve_csr *rows)
{
    gs_saved_head own = {.n = rows->nrows};
    gs_loading file;
    char size[48];

    if (gs_load_begin(&file, ctx, path) != GSOLVE_OK) { /* none, or a damaged one */
        ctx->error[0] = 0;
        return GSOLVE_OK;
    }
    gs_load_end(&file);
    if (!gs_spec_is(spec, file.head.kind)) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                           "%.400s holds a set-up of %.31s and not of %.*s; delete it or name "
                           "another file",
                           path, file.head.kind, (int)strcspn(spec, ","), spec);
    }
    own.entries = gs_start(rows, rows->nrows);
    own.pattern = gs_csr_pattern_hash(ctx, rows);
    if (gs_saved_same_pattern(&file.head, &own)) return GSOLVE_OK;
    describe_difference(size, &file.head, &own);
    return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                       "%.400s belongs to another matrix%s%s; delete it or name another file", path,
                       size, size[0] ? "" : " or to another order of this one");
}
