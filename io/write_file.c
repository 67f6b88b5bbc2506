/* write_file.c: the file that write_binary.c writes, and the error of any file. */
#include <string.h>

#include "io/write.h"
#include "io/write_npz.h"

gsolve_status gs_write_error(gsolve_context *ctx, const char *path, int code)
{
    return gsolve_fail(ctx, GSOLVE_BAD_FILE, "cannot write %s%.400s: %s",
                       strcmp(path, "-") == 0 ? "to standard output" : "",
                       strcmp(path, "-") == 0 ? "" : path, strerror(code));
}

gsolve_status gs_file_put(gs_file *f, const void *data, int64_t bytes)
{
    const int code = gs_replace_write(&f->replacement, data, (size_t)bytes);

    if (code == 0) return GSOLVE_OK;
    return gs_write_error(f->ctx, f->replacement.path, code);
}

gsolve_status gs_file_begin(gs_file *f, gsolve_context *ctx, const char *path)
{
    int code;

    f->ctx = ctx;
    code = gs_replace_begin_any(&f->replacement, ctx, path);
    if (code == 0) return GSOLVE_OK;
    return gs_write_error(ctx, path, code);
}

gsolve_status gs_file_end(gs_file *f, gsolve_status status)
{
    const int code = gs_replace_end(&f->replacement, status == GSOLVE_OK, false);

    if (status != GSOLVE_OK || code == 0) return status;
    return gs_write_error(f->ctx, f->replacement.path, code);
}
