/* dist_file.c: see dist_file.h. */
#include "io/dist_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/try.h"
#include "io/dist.h"
#include "io/write.h"

/* What the other ranks need to know of the file of rank 0. */
typedef struct temporary_file {
    char name[sizeof((gs_replacement *)NULL)->temporary];
    int64_t bytes, inode;
} temporary_file;

static gsolve_status begin(gs_dist_file *f, temporary_file *t, const char *path, const void *first,
                           size_t bytes)
{
    struct stat about;
    int code = gs_replace_begin(&f->replacement, f->ctx, path);

    f->is_open = code == 0;
    if (!code) code = gs_replace_write(&f->replacement, first, bytes);
    if (!code && fstat(f->replacement.file, &about) != 0) code = errno;
    if (code) return gs_write_error(f->ctx, path, code);
    memcpy(t->name, f->replacement.temporary, sizeof t->name);
    t->bytes = (int64_t)bytes;
    t->inode = (int64_t)about.st_ino;
    return GSOLVE_OK;
}

static void join(gs_dist_file *f, const temporary_file *t, const char *path)
{
    struct stat about;

    if (gs_replace_join(&f->replacement, f->ctx, path, t->name) != 0) return;
    f->is_open = fstat(f->replacement.file, &about) == 0 && S_ISREG(about.st_mode) &&
                 about.st_size == t->bytes && (int64_t)about.st_ino == t->inode;
    if (!f->is_open) gs_replace_leave(&f->replacement);
}

/* status: of all ranks, as far as this one knows. Returns it, or this rank's error. */
static gsolve_status end(gs_dist_file *f, gsolve_status status)
{
    int code;

    if (!f->is_open) return status;
    f->is_open = false;
    code = gs_is_first(f->ctx) ? gs_replace_end(&f->replacement, status == GSOLVE_OK, false)
                               : gs_replace_leave(&f->replacement);
    return status == GSOLVE_OK && code ? gs_write_error(f->ctx, f->replacement.path, code) : status;
}

gsolve_status gs_dist_file_open(gs_dist_file *f, bool *opened, gsolve_context *ctx,
                                const char *path, const void *first, size_t *bytes)
{
    temporary_file t = {0};
    gsolve_status status = GSOLVE_OK;

    f->ctx = ctx;
    f->is_open = *opened = false;
    if (gs_is_first(ctx)) status = begin(f, &t, path, first, *bytes);
    TRY(gs_check_file(ctx->comm, status));
    TRY(gs_share(ctx->comm, &t, sizeof t));
    if (!gs_is_first(ctx)) join(f, &t, path);
    TRY(gs_agree(opened, ctx, f->is_open));
    *bytes = (size_t)t.bytes;
done:
    if (!*opened) end(f, GSOLVE_BAD_FILE);
    return status;
}

gsolve_status gs_dist_file_close(gs_dist_file *f, gsolve_status local)
{
    gsolve_status status = gs_is_first(f->ctx) ? local : end(f, local);

    TRY(gs_check_file(f->ctx->comm, status)); /* the others have closed it */
    TRY(gs_check_file(f->ctx->comm, end(f, GSOLVE_OK)));
done:
    end(f, status);
    return status;
}
