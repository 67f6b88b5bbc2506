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

/* Writes the file, unless S->M cannot be saved, or a foreign file has appeared there. */
static void write_file(gsolve_auto *S)
{
    gsolve_status status = check_path(S, S->setup_path);

    if (status == GSOLVE_OK) status = gsolve_precond_save(S->M, S->setup_path);
    S->setup_written = status == GSOLVE_OK;
    if (status != GSOLVE_OK) note_error(S);
}

gsolve_status gs_auto_create_precond(gsolve_auto *S, const gs_auto_choice *c)
{
    gsolve_status status;

    S->setup_read = S->setup_written = false;
    S->setup_note[0] = 0;
    if (!S->setup_path) return gsolve_precond_create_from(&S->M, S->ctx, c->precond, S->A);
    if (gs_setup_file_exists(S->setup_path)) {
        status = gsolve_precond_load(&S->M, S->ctx, c->precond, S->A, S->setup_path);
        S->setup_read = status == GSOLVE_OK;
        if (status == GSOLVE_OK || status == GSOLVE_NO_MEMORY || status == GSOLVE_DEVICE_FAILED) {
            return status;
        }
        note_error(S);
    }
    TRY(gsolve_precond_create_from(&S->M, S->ctx, c->precond, S->A));
    write_file(S);
done:
    return status;
}
