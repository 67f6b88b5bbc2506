/* auto_setup_file.c: the file that keeps the set-up of an automatic solver. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "matrix/setup_file.h"
#include "solver/choose/auto_solver.h"

/* Fails if there is a file at path that is no set-up. */
static gsolve_status check_path(const gsolve_auto *S, const char *path)
{
    if (gs_setup_file_is_writable(path)) return GSOLVE_OK;
    return gsolve_fail(S->ctx, GSOLVE_BAD_FILE,
                       "%.400s is a file that gsolve_precond_save has not written; delete it, or "
                       "name another file for the set-up",
                       path);
}

gsolve_status gsolve_auto_set_setup_file(gsolve_auto *S, const char *path)
{
    char *copy = NULL;
    gsolve_status status = GSOLVE_OK;

    if (!S) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(S->ctx);
    if (path) TRY(check_path(S, path));
    if (path) {
        ALLOC(S->ctx, GSOLVE_HOST, copy, strlen(path) + 1);
        memcpy(copy, path, strlen(path) + 1);
    }
    gsolve_free(S->ctx, GSOLVE_HOST, S->setup_path);
    S->setup_path = copy;
done:
    return status;
}

/* S->setup_note = the last error without the advice after its last semicolon, which is for callers
 * of gsolve_precond_load. */
static void note_error(gsolve_auto *S)
{
    char *advice = NULL;

    snprintf(S->setup_note, sizeof S->setup_note, "%.599s", gsolve_error(S->ctx));
    for (char *at = S->setup_note; (at = strstr(at, "; ")); at++) advice = at;
    if (advice) *advice = 0;
    S->ctx->error[0] = 0;
}

/* Whether the file is for the method of choice c, and not for its preconditioner. */
static bool is_for_method(const gs_auto_choice *c)
{
    return gs_spec_is(c->precond, "none");
}

/* Reads S->S if `method`, else S->M, from S's file if there is one. *done: it has been read. A file
 * that does not fit is no failure. */
static gsolve_status read_file(gsolve_auto *S, const gs_auto_choice *c, bool method, bool *done)
{
    const gsolve_matrix *A = gs_auto_matrix_of(S, c);
    gsolve_status status;

    *done = false;
    S->setup_read = S->setup_written = false;
    S->setup_note[0] = 0;
    if (!gs_setup_file_exists(S->setup_path)) return GSOLVE_OK;
    status = method ? gsolve_solver_load(&S->S, S->ctx, c->method, A, S->setup_path)
                    : gsolve_precond_load(&S->M, S->ctx, c->precond, A, S->setup_path);
    *done = S->setup_read = status == GSOLVE_OK;
    if (*done || status == GSOLVE_NO_MEMORY || status == GSOLVE_DEVICE_FAILED) return status;
    note_error(S);
    return GSOLVE_OK;
}

/* Writes the file, unless the set-up cannot be saved or a foreign file has appeared there. */
static void write_file(gsolve_auto *S, bool method)
{
    gsolve_status status = check_path(S, S->setup_path);

    if (status == GSOLVE_OK) {
        status = method ? gsolve_solver_save(S->S, S->setup_path)
                        : gsolve_precond_save(S->M, S->setup_path);
    }
    S->setup_written = status == GSOLVE_OK;
    if (status != GSOLVE_OK) note_error(S);
}

gsolve_status gs_auto_create_precond(gsolve_auto *S, const gs_auto_choice *c)
{
    const bool uses_file = S->setup_path && !is_for_method(c);
    bool done = false;
    gsolve_status status = GSOLVE_OK;

    if (uses_file) TRY(read_file(S, c, false, &done));
    if (done) return GSOLVE_OK;
    TRY(gsolve_precond_create_from(&S->M, S->ctx, c->precond, gs_auto_matrix_of(S, c)));
    if (uses_file) write_file(S, false);
done:
    return status;
}

gsolve_status gs_auto_create_method(gsolve_auto *S, const gs_auto_choice *c)
{
    const bool uses_file = S->setup_path && is_for_method(c);
    bool done = false;
    gsolve_status status = GSOLVE_OK;

    if (uses_file) TRY(read_file(S, c, true, &done));
    if (done) return GSOLVE_OK;
    TRY(gsolve_solver_create(&S->S, S->ctx, c->method, gs_auto_matrix_of(S, c), S->M));
    if (uses_file) write_file(S, true);
done:
    return status;
}
