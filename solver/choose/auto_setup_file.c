/* auto_setup_file.c: the file that keeps the set-up of an automatic solver. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "matrix/setup_file.h"
#include "solver/choose/auto_solver.h"

gsolve_status gsolve_auto_set_setup_file(gsolve_auto *S, const char *path)
{
    char *copy = NULL;
    gsolve_status status = GSOLVE_OK;

    if (!S) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(S->ctx);
    if (path) TRY(gs_setup_file_check(S->ctx, path));
    if (path) {
        ALLOC(S->ctx, GSOLVE_HOST, copy, strlen(path) + 1);
        memcpy(copy, path, strlen(path) + 1);
    }
    gsolve_free(S->ctx, GSOLVE_HOST, S->setup_path);
    S->setup_path = copy;
done:
    return status;
}

/* S->setup_note = why the file was not read: the last error without the advice after its last
 * semicolon, which is for callers of gsolve_precond_load. */
static void note_read_error(gsolve_auto *S)
{
    char *at, *advice = NULL;

    snprintf(S->setup_note, sizeof S->setup_note, "%.599s", gsolve_error(S->ctx));
    at = strstr(S->setup_note, S->setup_path); /* which may hold semicolons */
    at = at ? at + strlen(S->setup_path) : S->setup_note;
    for (; (at = strstr(at, "; ")); at++) advice = at;
    if (advice) *advice = 0;
    S->ctx->error[0] = 0;
}

/* S->setup_note = why the file was not written: the last error. If its sentence is about writing
 * alone, why the file was not read follows in parentheses. */
static void note_write_error(gsolve_auto *S)
{
    char unread[sizeof S->setup_note];
    const char *error = gsolve_error(S->ctx);
    const bool both = S->setup_note[0] && strncmp(error, "cannot write ", 13) == 0;

    memcpy(unread, S->setup_note, sizeof unread);
    snprintf(S->setup_note, sizeof S->setup_note, "%.450s%s%.140s%s", error, both ? " (" : "",
             both ? unread : "", both ? ")" : "");
    S->ctx->error[0] = 0;
}

/* Whether the file is for the method of choice c, and not for its preconditioner. */
static bool is_for_method(const gs_auto_choice *c)
{
    return gs_spec_is(c->precond, "none");
}

typedef enum file_state { ABSENT, UNFIT, UNSAVABLE, HAS_BEEN_READ } file_state;

/* Reads S->S if `method`, else S->M, from S's file if there is one. UNSAVABLE: no file can hold
 * choice c. A file that does not fit is no failure. */
static gsolve_status read_file(gsolve_auto *S, const gs_auto_choice *c, bool method,
                               file_state *state)
{
    const gsolve_matrix *A = gs_auto_matrix_of(S, c);
    gsolve_status status;

    *state = ABSENT;
    S->setup_read = S->setup_written = false;
    S->setup_note[0] = 0;
    if (!gs_setup_file_exists(S->setup_path)) return GSOLVE_OK;
    status = method ? gsolve_solver_load(&S->S, S->ctx, c->method, A, S->setup_path)
                    : gsolve_precond_load(&S->M, S->ctx, c->precond, A, S->setup_path);
    S->setup_read = status == GSOLVE_OK;
    *state = S->setup_read ? HAS_BEEN_READ : status == GSOLVE_UNSUPPORTED ? UNSAVABLE : UNFIT;
    if (S->setup_read || status == GSOLVE_NO_MEMORY || status == GSOLVE_DEVICE_FAILED) {
        return status;
    }
    note_read_error(S);
    return GSOLVE_OK;
}

/* Fails if the file holds a set-up for another pattern or of another kind. */
static gsolve_status check_owner(const gsolve_auto *S, const char *spec)
{
    gsolve_csr rows;
    gsolve_status status;

    TRY(gsolve_matrix_csr(S->A, &rows));
    TRY(gs_setup_file_check_owner(S->ctx, S->setup_path, spec, &rows));
done:
    return status;
}

/* Writes the file, unless the set-up cannot be saved, or it would replace one that is not for the
 * pattern of S->A and the kind of choice c. */
static void write_file(gsolve_auto *S, const gs_auto_choice *c, bool method, file_state state)
{
    gsolve_status status = GSOLVE_OK;

    if (state == UNFIT) status = check_owner(S, method ? c->method : c->precond);
    if (status == GSOLVE_OK) {
        status = method ? gsolve_solver_save(S->S, S->setup_path)
                        : gsolve_precond_save(S->M, S->setup_path);
    }
    S->setup_written = status == GSOLVE_OK;
    if (status != GSOLVE_OK) note_write_error(S);
}

gsolve_status gs_auto_create_precond(gsolve_auto *S, const gs_auto_choice *c)
{
    const bool uses_file = S->setup_path && !is_for_method(c);
    file_state state = ABSENT;
    gsolve_status status = GSOLVE_OK;

    if (uses_file) TRY(read_file(S, c, false, &state));
    if (state == HAS_BEEN_READ) return GSOLVE_OK;
    TRY(gsolve_precond_create_from(&S->M, S->ctx, c->precond, gs_auto_matrix_of(S, c)));
    if (uses_file) write_file(S, c, false, state);
done:
    return status;
}

gsolve_status gs_auto_create_method(gsolve_auto *S, const gs_auto_choice *c)
{
    const bool uses_file = S->setup_path && is_for_method(c);
    file_state state = ABSENT;
    gsolve_status status = GSOLVE_OK;

    if (uses_file) TRY(read_file(S, c, true, &state));
    if (state == HAS_BEEN_READ) return GSOLVE_OK;
    TRY(gsolve_solver_create(&S->S, S->ctx, c->method, gs_auto_matrix_of(S, c), S->M));
    if (uses_file) write_file(S, c, true, state);
done:
    return status;
}
