/* automatic.c: the automatic solver of gsolve with what PETSc knows of the unknowns. */
#include "plugin.h"

enum { MOST_CHOICES = 16, SPEC = 128 };

/* The automatic solver of gsolve detects blocks. Where the program gives a block size or near-null
 * vectors, its choices with "amg" get them. */
static PetscErrorCode list_choices(KSP ksp, char methods[][SPEC], char preconds[][SPEC], int *count,
                                   PetscBool *differs)
{
    gs_petsc_ksp *k = ksp->data;
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    PetscFunctionBegin;
    *differs = PETSC_FALSE;
    *count = 0;
    GSOLVE_CALL(k->host, gsolve_matrix_statistics(k->A, &statistics));
    while (*count < MOST_CHOICES &&
           gsolve_auto_choose(k->host->ctx, &statistics, *count, &choice)) {
        PetscCall(PetscStrncpy(methods[*count], choice.method, SPEC));
        PetscCall(gs_petsc_choice_of(ksp->pc, choice.precond, preconds[*count], SPEC));
        if (strcmp(choice.precond, preconds[*count]) != 0) *differs = PETSC_TRUE;
        ++*count;
    }
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
    char methods[MOST_CHOICES][SPEC], preconds[MOST_CHOICES][SPEC];
    const char *method[MOST_CHOICES], *precond[MOST_CHOICES];
    PetscInt block, rows, columns;
    PetscBool given, differs;
    int count;

    PetscFunctionBegin;
    PetscCall(MatGetSize(ksp->pc->pmat, &rows, &columns));
    if (rows != columns) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatGetBlockSize(ksp->pc->pmat, &block));
    PetscCall(gs_petsc_has_near_null(ksp->pc, &given));
    if (block == 1 && !given) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(list_choices(ksp, methods, preconds, &count, &differs));
    if (!differs) PetscFunctionReturn(PETSC_SUCCESS);
    for (int c = 0; c < count; c++) {
        method[c] = methods[c];
        precond[c] = preconds[c];
    }
    GSOLVE_CALL(k->host, gsolve_auto_set_choices(k->automatic, count, method, precond));
    gsolve_auto_set_attempt_monitor(k->automatic, set_near_null, ksp);
    PetscFunctionReturn(PETSC_SUCCESS);
}
