/* automatic.c: the automatic solver of gsolve with what PETSc knows of the unknowns. */
#include "petsc/plugin.h"

enum { MOST_CHOICES = 16 };

/* A choice of gsolve, with the options that this file adds. */
typedef struct choice {
    char method[64], precond[128];
} choice;

/* The choices that gsolve makes by itself, with block size and near-null vectors for "amg".
 * *differs: one of them has got some. */
static PetscErrorCode list_choices(KSP ksp, choice *list, int *count, PetscBool *differs)
{
    gs_petsc_ksp *k = ksp->data;
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice own = GSOLVE_INIT(gsolve_choice);

    PetscFunctionBegin;
    *differs = PETSC_FALSE;
    *count = 0;
    GSOLVE_CALL(k->host, gsolve_matrix_statistics(k->A, &statistics));
    for (; *count < MOST_CHOICES && gs_petsc_choose(k->host, &statistics, *count, &own); ++*count) {
        choice *c = &list[*count];
        PetscCall(PetscStrncpy(c->method, own.method, sizeof c->method));
        PetscCall(gs_petsc_choice_of(ksp->pc, own.precond, c->precond, sizeof c->precond));
        if (strcmp(own.precond, c->precond) != 0) *differs = PETSC_TRUE;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Brings "amg" with near-null vectors to the front: they come from a program that knows the
 * problem, which the statistics of the matrix may not show. Where gsolve begins without a
 * preconditioner, or with minres, the matrix is not one for "amg", and the order stays. */
static PetscErrorCode prefer_near_null(KSP ksp, choice *list, int *count)
{
    choice first = list[0];
    int at = 0;

    PetscFunctionBegin;
    if (*count == 0 || strcmp(first.precond, "none") == 0 ||
        strncmp(first.method, "minres", 6) == 0) {
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    while (at < *count && !strstr(list[at].precond, "near_null=given")) at++;
    if (at < *count) {
        first = list[at];
    } else {
        PetscCall(gs_petsc_choice_of(ksp->pc, "amg", first.precond, sizeof first.precond));
        if (*count == MOST_CHOICES) at = --*count;
        ++*count;
    }
    memmove(list + 1, list, (size_t)at * sizeof *list);
    list[0] = first;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* An "amg" with near_null=given is set up when it gets its vectors, before its first run. */
static bool set_near_null(const gsolve_attempt *attempt, void *user)
{
    KSP ksp = user;
    gs_petsc_ksp *k = ksp->data;

    if (attempt->stage == GSOLVE_ATTEMPT_IS_SET_UP && !attempt->kept && attempt->M && !k->error &&
        strstr(attempt->precond, "near_null=given")) {
        k->error = gs_petsc_set_near_null(ksp->pc, attempt->M);
    }
    return !k->error;
}

/* Gives k->automatic the choices with block sizes and near-null vectors, where they differ from
 * those that it makes itself. */
PetscErrorCode gs_petsc_ksp_automatic(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;
    const char *methods[MOST_CHOICES], *preconds[MOST_CHOICES];
    choice list[MOST_CHOICES];
    PetscInt block, rows, columns;
    PetscBool given, differs;
    int count;

    PetscFunctionBegin;
    PetscCall(MatGetSize(ksp->pc->pmat, &rows, &columns));
    if (rows != columns) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatGetBlockSize(ksp->pc->pmat, &block));
    PetscCall(gs_petsc_has_near_null(ksp->pc, &given));
    if (k->host->ranks > 1) given = PETSC_FALSE; /* there is no "amg" */
    if (block == 1 && !given) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(list_choices(ksp, list, &count, &differs));
    if (given) PetscCall(prefer_near_null(ksp, list, &count));
    if (!differs && !given) PetscFunctionReturn(PETSC_SUCCESS);
    for (int c = 0; c < count; c++) {
        methods[c] = list[c].method;
        preconds[c] = list[c].precond;
    }
    GSOLVE_CALL(k->host, gsolve_auto_set_choices(k->automatic, count, methods, preconds));
    gsolve_auto_set_attempt_monitor(k->automatic, set_near_null, ksp);
    PetscFunctionReturn(PETSC_SUCCESS);
}
