/* save_load.c: writes a preconditioner to a file, and creates one from a file. */
#include <string.h>

#include "core/try.h"
#include "dist/comm.h"
#include "precond/handle.h"
#include "spmv/handle.h"

static gsolve_status refuse_kind(gsolve_context *ctx, const gsolve_precond_kind *kind)
{
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "the preconditioner %s cannot be saved to a file; only amg and direct can "
                       "be saved",
                       kind->plugin.name);
}

/* --- writing ---------------------------------------------------------------------------------- */

static gsolve_status write_set_up(const gsolve_precond *M, const char *path,
                                  const gs_saved_head *head)
{
    gs_saving file;
    gsolve_status status;

    TRY(gs_save_begin(&file, M->ctx, path, head));
    status = gs_save_array(&file, M->spec, GSOLVE_HOST, (size_t)head->text);
    if (status == GSOLVE_OK) status = M->extension->save(M->self, M->ctx, &file);
    TRY(gs_save_end(&file, status));
done:
    return status;
}

gsolve_status gsolve_precond_save(const gsolve_precond *M, const char *path)
{
    gs_saved_head head;
    gsolve_csr rows, fetched = {0};
    const gsolve_csr *on_host = &rows;
    gsolve_status status;

    if (!M) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(M->ctx);
    if (!path) {
        return gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_precond_save: path is NULL");
    }
    if (!M->extension->save) {
        return refuse_kind(M->ctx, M->kind);
    }
    if (M->comm) {
        return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                           "gsolve_precond_save: the matrix of the preconditioner %s is "
                           "distributed over %d ranks; only one of one rank can be saved",
                           M->kind->plugin.name, gs_comm_ranks(M->comm));
    }
    M->extension->rows(M->self, &rows);
    if (!rows.start) return GSOLVE_NO_MEMORY; /* to restore them */
    TRY(gs_csr_to_host(&on_host, M->ctx, &fetched));
    TRY(gs_saved_set_head(&head, M->ctx, M->kind->plugin.name, M->spec, M->type, on_host));
    TRY(write_set_up(M, path, &head));
done:
    if (M->extension->release_rows) M->extension->release_rows(M->self);
    gsolve_csr_free(&fetched, M->ctx);
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Fails if spec names a kind that cannot be saved. */
static gsolve_status check_savable(gsolve_context *ctx, const char *spec)
{
    const gsolve_plugin *plugin = NULL;
    void *options = NULL;
    gsolve_status status;

    if (!spec || gs_spec_is(spec, "auto")) return GSOLVE_OK;
    TRY(gs_plugin_parse(ctx, &ctx->preconds, gs_preconds, "preconditioner", spec, &plugin,
                        &options));
    const gsolve_precond_kind *kind = gs_precond_kind_of(plugin);
    if (!gs_precond_extension_of(kind)->load) status = refuse_kind(ctx, kind);
done:
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

/* Fails unless the file holds a preconditioner. */
static gsolve_status check_kind(const gs_loading *file)
{
    const gs_saved_head *h = &file->head;
    const gsolve_plugin *plugin;

    for (int k = 0; (plugin = gsolve_precond_at(file->ctx, k)); k++) {
        if (strcmp(plugin->name, h->kind) == 0) return GSOLVE_OK;
    }
    return gsolve_fail(file->ctx, GSOLVE_BAD_SPEC,
                       "%.400s holds a set-up of the method %.31s and no preconditioner; load it "
                       "by gsolve_solver_load",
                       file->path, h->kind);
}

/* Whether two sets of options of a plug-in are equal. */
static bool are_equal(const gsolve_plugin *plugin, const void *a, const void *b)
{
    static const size_t size[] = {[GSOLVE_INT] = sizeof(int),
                                  [GSOLVE_REAL] = sizeof(double),
                                  [GSOLVE_FLAG] = sizeof(bool),
                                  [GSOLVE_CHOICE] = sizeof(int)};

    for (const gsolve_option *o = plugin->option; o && o->key; o++) {
        if (memcmp((const char *)a + o->offset, (const char *)b + o->offset, size[o->kind]) != 0) {
            return false;
        }
    }
    return true;
}

/* Fails unless spec is NULL, "auto", or has the kind and the options of M. */
static gsolve_status check_spec(const gsolve_precond *M, const char *spec, const gs_loading *file)
{
    const gsolve_plugin *plugin = NULL;
    void *options = NULL;
    gsolve_status status;

    if (!spec || gs_spec_is(spec, "auto")) return GSOLVE_OK;
    TRY(gs_plugin_parse(M->ctx, &M->ctx->preconds, gs_preconds, "preconditioner", spec, &plugin,
                        &options));
    if (plugin != &M->kind->plugin || !are_equal(plugin, options, M->options)) {
        status = gsolve_fail(M->ctx, GSOLVE_BAD_SPEC,
                             "%.400s holds the preconditioner %.200s and not %.200s; create that "
                             "one and save it to another file",
                             file->path, M->spec, spec);
    }
done:
    gsolve_free(M->ctx, GSOLVE_HOST, options);
    return status;
}

/* *M = a handle with the kind and the options in the file, and without self. */
static gsolve_status new_handle(gsolve_precond **out, gsolve_context *ctx, const char *spec,
                                gs_loading *file)
{
    const size_t length = (size_t)file->head.text;
    const gsolve_plugin *plugin;
    gsolve_precond *M = NULL;
    char *text = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, text, length + 1);
    TRY(gs_load_array(file, text, length));
    text[length] = 0;
    TRY(gs_precond_new(&M, ctx, text));
    TRY(gs_plugin_parse(ctx, &ctx->preconds, gs_preconds, "preconditioner", text, &plugin,
                        &M->options));
    M->kind = gs_precond_kind_of(plugin);
    M->extension = gs_precond_extension_of(M->kind);
    if (!M->extension->load || strcmp(plugin->name, file->head.kind) != 0) {
        status = gs_load_damaged(file, "it names a preconditioner that cannot be saved");
        goto done;
    }
    TRY(check_spec(M, spec, file));
    *out = M;
    M = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, text);
    gsolve_precond_destroy(&M);
    return status;
}

/* Reads M from the file, for A. */
static gsolve_status read_set_up(gsolve_precond *M, const gsolve_matrix *A, gs_loading *file)
{
    const double begin = gs_now();
    const size_t held = M->ctx->bytes;
    gsolve_csr rows, csr;
    gsolve_status status;

    TRY(gsolve_matrix_csr(A, &rows));
    TRY(gs_load_check_matrix(file, &rows));
    TRY(gs_matrix_need_csr(A));
    gsolve_matrix_device_csr(A, &csr);
    M->n = rows.nrows;
    M->type = rows.type;
    TRY(M->extension->load(&M->self, M->ctx, &csr, &rows, M->options, file));
    TRY(gs_memory_synchronize(M->ctx, csr.location, csr.start)); /* kernels have read csr */
    M->bytes = M->ctx->bytes > held ? M->ctx->bytes - held : 0;
    TRY(gs_precond_set_null_space(M, A));
    M->setup_seconds = gs_now() - begin;
    M->version++;
    gs_log(M->ctx, "preconditioner %s: read from %s in %.3g s", M->spec, file->path,
           M->setup_seconds);
done:
    return status;
}

gsolve_status gsolve_precond_load(gsolve_precond **out, gsolve_context *ctx, const char *spec,
                                  const gsolve_matrix *A, const char *path)
{
    gs_loading file;
    gsolve_precond *M = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !A || !path) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_precond_load: an argument is NULL");
    }
    status = gs_matrix_check_rows(A);
    if (status == GSOLVE_OK) status = check_savable(ctx, spec);
    if (status == GSOLVE_OK) status = gs_load_begin(&file, ctx, path);
    if (status != GSOLVE_OK) return status;
    gs_range_push(ctx, "reading of the preconditioner");
    TRY(check_kind(&file));
    TRY(new_handle(&M, ctx, spec, &file));
    TRY(read_set_up(M, A, &file));
    *out = M;
    M = NULL;
done:
    gs_range_pop(ctx);
    gs_load_end(&file);
    gsolve_precond_destroy(&M);
    return status;
}
