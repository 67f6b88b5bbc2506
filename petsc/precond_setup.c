/* precond_setup.c: sets up a PC of type gsolve. */
#include "petsc/plugin.h"

/* Drops the matrix of several ranks that M was made from, unless M needs its products. */
static void drop_matrix(gs_petsc_pc *p)
{
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    if (p->M) gsolve_precond_describe(p->M, &info);
    if (p->M && strcmp(info.kind, "chebyshev") == 0) return;
    gsolve_matrix_destroy(&p->matrix);
}

PetscErrorCode gs_petsc_pc_drop(gs_petsc_pc *p)
{
    PetscFunctionBegin;
    gsolve_precond_destroy(&p->M);
    gsolve_matrix_destroy(&p->matrix);
    PetscCall(gs_petsc_function_clear(&p->shell));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the reason of a failure for this rank and for all ranks, which agree. */
static void set_failed(PC pc, PCFailedReason reason)
{
    pc->failedreason = reason;
    pc->failedreasonrank = reason;
}

/* A zero pivot is a failure that a KSP reports as KSP_DIVERGED_PC_FAILED; other statuses are
 * errors. */
static PetscErrorCode check_setup(PC pc, gsolve_status status)
{
    const gs_petsc_pc *p = pc->data;

    PetscFunctionBegin;
    if (status == GSOLVE_ZERO_PIVOT && !pc->erroriffailure) {
        PetscCall(PetscInfo(pc, "gsolve: %s\n", gsolve_error(p->host->ctx)));
        set_failed(pc, PC_FACTOR_NUMERIC_ZEROPIVOT);
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    GSOLVE_CALL(p->host, status);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- specs ---------------------------------------------------------------------------- */

/* "auto": amg where the program gives near-null vectors, which other kinds do not use; else the
 * preconditioner of gsolve's first choice that has one. csr NULL: for p->matrix, which is
 * distributed over ranks. */
static gsolve_status choose(PC pc, const gsolve_csr *csr, char *spec, size_t size)
{
    const gs_petsc_pc *p = pc->data;
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    PetscBool given = PETSC_FALSE;

    (void)gs_petsc_has_near_null(pc, &given);
    const char *known = !csr                       ? NULL
                        : given                    ? "amg"
                        : csr->nrows != csr->ncols ? "jacobi,normal=1"
                                                   : NULL;
    (void)PetscStrncpy(spec, known ? known : "none", size);
    if (known) return GSOLVE_OK;
    const gsolve_status status = csr ? gsolve_csr_statistics(p->host->ctx, csr, &statistics)
                                     : gsolve_matrix_statistics(p->matrix, &statistics);
    if (status != GSOLVE_OK) return status;
    for (int k = 0; gs_petsc_choose(p->host, &statistics, k, &choice); k++) {
        if (strcmp(choice.precond, "none") == 0) continue;
        (void)PetscStrncpy(spec, choice.precond, size);
        break;
    }
    return GSOLVE_OK;
}

/* Creates M for csr, or for p->matrix if csr is NULL. */
static gsolve_status create_from(PC pc, const gsolve_csr *csr)
{
    gs_petsc_pc *p = pc->data;
    char spec[256], own[320];
    gsolve_status status = GSOLVE_OK;

    (void)PetscStrncpy(spec, p->spec, sizeof spec);
    gsolve_tidy_spec(spec);
    if (strcmp(spec, "auto") == 0) status = choose(pc, csr, spec, sizeof spec);
    if (status != GSOLVE_OK) return status;
    if (gs_petsc_choice_of(pc, spec, own, sizeof own)) return GSOLVE_BAD_ARGUMENT;
    return csr ? gsolve_precond_create(&p->M, p->host->ctx, own, csr)
               : gsolve_precond_create_from(&p->M, p->host->ctx, own, p->matrix);
}

/* --- set-up --------------------------------------------------------------------------- */

static PetscErrorCode create_rows(PC pc)
{
    gs_petsc_pc *p = pc->data;
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    gs_petsc_rows rows;

    PetscFunctionBegin;
    PetscCall(gs_petsc_rows_open(pc->pmat, &rows));
    const gsolve_status status = create_from(pc, &rows.csr);
    PetscCall(gs_petsc_rows_close(&rows));
    PetscCall(check_setup(pc, status));
    if (status != GSOLVE_OK) PetscFunctionReturn(PETSC_SUCCESS);
    p->number = ++p->host->made;
    gsolve_precond_describe(p->M, &info);
    if (strstr(info.spec, "near_null=given")) PetscCall(gs_petsc_set_near_null(pc, p->M));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several ranks: M is made from a distributed matrix. */
static PetscErrorCode create_over_ranks(PC pc)
{
    gs_petsc_pc *p = pc->data;

    PetscFunctionBegin;
    PetscCall(gs_petsc_matrix_create(p->host, pc->pmat, "csr", &p->matrix));
    const gsolve_status status = create_from(pc, NULL);
    PetscCall(check_setup(pc, status));
    drop_matrix(p);
    if (status == GSOLVE_OK) p->number = ++p->host->made;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kinds that need products and the diagonal only. */
static PetscErrorCode create_shell(PC pc)
{
    gs_petsc_pc *p = pc->data;
    const char *type = ((PetscObject)pc->pmat)->type_name;
    const char *spec = strcmp(p->spec, "auto") == 0 ? "none" : p->spec;
    const PetscBool is_chebyshev = strncmp(spec, "chebyshev", 9) == 0 ? PETSC_TRUE : PETSC_FALSE;
    gsolve_dense D = {0};
    PetscBool has_diagonal;
    gsolve_status status;
    Vec diagonal = NULL;
    PetscInt n;

    PetscFunctionBegin;
    PetscCheck(is_chebyshev || strcmp(spec, "none") == 0, p->host->comm, PETSC_ERR_SUP,
               "-pc_gsolve_precond %s needs the rows of the matrix, and a matrix of type %s has "
               "none. Give a second matrix with rows to KSPSetOperators, or use "
               "-pc_gsolve_precond chebyshev for a positive definite operator, or none",
               spec, type);
    p->shell.mat = pc->pmat;
    PetscCall(gs_petsc_operator(p->host, &p->shell, &p->matrix));
    PetscCall(MatHasOperation(pc->pmat, MATOP_GET_DIAGONAL, &has_diagonal));
    if (is_chebyshev && has_diagonal) {
        PetscScalar *value;
        PetscCall(MatGetSize(pc->pmat, &n, NULL));
        PetscCall(MatCreateVecs(pc->pmat, &diagonal, NULL));
        PetscCall(MatGetDiagonal(pc->pmat, diagonal));
        PetscCall(VecGetArray(diagonal, &value));
        D = gsolve_vector(value, n);
        status = gsolve_precond_create_chebyshev(&p->M, p->host->ctx, spec, p->matrix, D);
        PetscCall(VecRestoreArray(diagonal, &value));
        PetscCall(VecDestroy(&diagonal));
    } else if (is_chebyshev) {
        status = gsolve_precond_create_chebyshev(&p->M, p->host->ctx, spec, p->matrix, D);
    } else {
        status = gsolve_precond_create_from(&p->M, p->host->ctx, spec, p->matrix);
    }
    PetscCall(gs_petsc_function_check(&p->shell));
    PetscCall(check_setup(pc, status));
    p->number = ++p->host->made;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode gs_petsc_pc_build(PC pc)
{
    gs_petsc_pc *p = pc->data;
    PetscBool has_rows;

    PetscFunctionBegin;
    PetscCall(gs_petsc_pc_drop(p));
    p->updates = 0;
    if (!p->host) PetscCall(gs_petsc_host_create(&p->host, (PetscObject)pc, p->device));
    PetscCall(PetscLogEventBegin(p->setup, pc, pc->pmat, 0, 0));
    PetscCall(gs_petsc_has_rows(pc->pmat, &has_rows));
    PetscCall(!has_rows             ? create_shell(pc)
              : p->host->ranks == 1 ? create_rows(pc)
                                    : create_over_ranks(pc));
    PetscCall(PetscLogEventEnd(p->setup, pc, pc->pmat, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Recomputes M for the present values. *status: GSOLVE_BAD_MATRIX if the pattern is another one. */
static PetscErrorCode update_values(PC pc, gsolve_status *status)
{
    gs_petsc_pc *p = pc->data;
    PetscBool fits = PETSC_TRUE;
    gs_petsc_rows rows;

    PetscFunctionBegin;
    if (p->host->ranks == 1) {
        PetscCall(gs_petsc_rows_open(pc->pmat, &rows));
        *status = gsolve_precond_update(p->M, &rows.csr);
        PetscCall(gs_petsc_rows_close(&rows));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (p->matrix) {
        PetscCall(gs_petsc_matrix_update(p->host, pc->pmat, p->matrix, &fits));
    } else {
        PetscCall(gs_petsc_matrix_create(p->host, pc->pmat, "csr", &p->matrix));
    }
    *status = fits ? gsolve_precond_update_from(p->M, p->matrix) : GSOLVE_BAD_MATRIX;
    drop_matrix(p);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values in the same pattern: M keeps what depends on the pattern only. */
static PetscErrorCode update(PC pc)
{
    gs_petsc_pc *p = pc->data;
    gsolve_status status = GSOLVE_OK;

    PetscFunctionBegin;
    PetscCall(PetscLogEventBegin(p->update, pc, pc->pmat, 0, 0));
    PetscCall(update_values(pc, &status));
    PetscCall(PetscLogEventEnd(p->update, pc, pc->pmat, 0, 0));
    if (status == GSOLVE_BAD_MATRIX) { /* PETSc does not notice each change of a pattern */
        PetscCall(gs_petsc_pc_build(pc));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    p->updates++;
    PetscCall(check_setup(pc, status));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode gs_petsc_pc_setup(PC pc)
{
    gs_petsc_pc *p = pc->data;
    PetscBool changed;

    PetscFunctionBegin;
    set_failed(pc, PC_NOERROR);
    if (p->left_to_solver) {
        PetscCall(gs_petsc_pc_drop(p));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(gs_petsc_note_near_null(pc, &changed));
    if (p->M && !p->shell.mat && pc->setupcalled && !changed && pc->flag == SAME_NONZERO_PATTERN) {
        PetscCall(update(pc));
    } else {
        PetscCall(gs_petsc_pc_build(pc));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* A KSP of type gsolve makes its PC work in its context, and may leave it without a set-up of its
 * own. */
PetscErrorCode gs_petsc_pc_share(PC pc, gs_petsc_host *host, PetscBool left_to_solver)
{
    gs_petsc_pc *p = pc->data;

    PetscFunctionBegin;
    if (p->host != host) {
        PetscCall(gs_petsc_pc_drop(p));
        gs_petsc_host_release(&p->host);
        p->host = gs_petsc_host_share(host);
        pc->setupcalled = 0;
    }
    if (p->left_to_solver != left_to_solver) {
        PetscCall(gs_petsc_pc_drop(p));
        pc->setupcalled = 0;
    }
    p->left_to_solver = left_to_solver;
    PetscFunctionReturn(PETSC_SUCCESS);
}
