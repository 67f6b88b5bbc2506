/* save_load.c: writes the set-up of a solver to a file, and creates a solver from a file. */
#include <string.h>

#include "core/try.h"
#include "solver/run/run.h"

static gsolve_status refuse_method(gsolve_context *ctx, const char *spec)
{
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "the method %.200s has no set-up that can be saved to a file; only amg and "
                       "direct can be saved",
                       spec);
}

static gsolve_status write_set_up(const gsolve_solver *S, const char *path,
                                  const gs_saved_head *head)
{
    gs_saving file;
    gsolve_status status;

    TRY(gs_save_begin(&file, S->ctx, path, head));
    TRY(gs_save_end(&file, S->method->save(S, &file)));
done:
    return status;
}

gsolve_status gsolve_solver_save(const gsolve_solver *S, const char *path)
{
    gs_saved_head head;
    gsolve_csr rows;
    gsolve_status status;

    if (!S) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(S->ctx);
    if (!path) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solver_save: path is NULL");
    }
    if (!S->method->save) return refuse_method(S->ctx, S->method->plugin.name);
    TRY(gsolve_matrix_csr(S->A, &rows));
    TRY(gs_saved_set_head(&head, S->ctx, S->method->plugin.name, NULL, rows.type, &rows));
    TRY(write_set_up(S, path, &head));
done:
    return status;
}

/* The method of spec, if its set-up can be saved, else NULL. */
static const gs_method *saved_method(const char *spec)
{
    for (int k = 0; gs_methods[k]; k++) {
        const gs_method *method = (const gs_method *)(const void *)gs_methods[k];
        if (gs_spec_is(spec, method->plugin.name)) return method->save ? method : NULL;
    }
    return NULL;
}

static gsolve_status read_set_up(gsolve_solver **S, const char *spec, const gs_method *method,
                                 const gsolve_matrix *A, gs_loading *file)
{
    gsolve_solver *made = NULL;
    gsolve_csr rows;
    gsolve_status status;

    if (strcmp(file->head.kind, method->plugin.name) != 0) {
        return gsolve_fail(file->ctx, GSOLVE_BAD_SPEC,
                           "%.400s holds a set-up of %.31s and not of %s; give the name of another "
                           "file",
                           file->path, file->head.kind, method->plugin.name);
    }
    TRY(gsolve_matrix_csr(A, &rows));
    TRY(gs_load_check_matrix(file, &rows));
    TRY(gs_solver_create(&made, file->ctx, spec, A, NULL, file));
    TRY(gs_load_check_end(file));
    *S = made;
    made = NULL;
done:
    gsolve_solver_destroy(&made);
    return status;
}

gsolve_status gsolve_solver_load(gsolve_solver **S, gsolve_context *ctx, const char *spec,
                                 const gsolve_matrix *A, const char *path)
{
    const gs_method *method;
    gs_loading file;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!S || !spec || !A || !path) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solver_load: an argument is NULL");
    }
    method = saved_method(spec);
    if (!method) return refuse_method(ctx, spec);
    status = gs_load_begin(&file, ctx, path);
    if (status != GSOLVE_OK) return status;
    status = read_set_up(S, spec, method, A, &file);
    gs_load_end(&file);
    return status;
}
