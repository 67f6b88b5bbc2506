/* precond.c: PC of type gsolve. */
#include "petsc/plugin.h"

/* --- set-up --------------------------------------------------------------------------- */

static PetscErrorCode drop(gs_petsc_pc *p)
{
    PetscFunctionBegin;
    gsolve_precond_destroy(&p->M);
    gsolve_matrix_destroy(&p->operator);
    PetscCall(gs_petsc_function_clear(&p->shell));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the reason of a failure for this rank and for all ranks, which are one. */
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

/* "auto": amg where the program gives near-null vectors, which other kinds do not use; else the
 * preconditioner of gsolve's first choice that has one. */
static gsolve_status choose(PC pc, const gsolve_csr *csr, char *spec, size_t size)
{
    const gs_petsc_pc *p = pc->data;
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    PetscBool given = PETSC_FALSE;

    (void)gs_petsc_has_near_null(pc, &given);
    const char *known = given ? "amg" : csr->nrows != csr->ncols ? "jacobi,normal=1" : NULL;
    (void)PetscStrncpy(spec, known ? known : "none", size);
    if (known) return GSOLVE_OK;
    const gsolve_status status = gsolve_csr_statistics(p->host->ctx, csr, &statistics);
    if (status != GSOLVE_OK) return status;
    for (int k = 0; gsolve_auto_choose(p->host->ctx, &statistics, k, &choice); k++) {
        if (strcmp(choice.precond, "none") == 0) continue;
        (void)PetscStrncpy(spec, choice.precond, size);
        break;
    }
    return GSOLVE_OK;
}

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
    return gsolve_precond_create(&p->M, p->host->ctx, own, csr);
}

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
    PetscCheck(is_chebyshev || strcmp(spec, "none") == 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "-pc_gsolve_precond %s needs the rows of the matrix, and a matrix of type %s has "
               "none. Give a second matrix with rows to KSPSetOperators, or use "
               "-pc_gsolve_precond chebyshev for a positive definite operator, or none",
               spec, type);
    p->shell.mat = pc->pmat;
    PetscCall(gs_petsc_operator(p->host, &p->shell, &p->operator));
    PetscCall(MatHasOperation(pc->pmat, MATOP_GET_DIAGONAL, &has_diagonal));
    if (is_chebyshev && has_diagonal) {
        PetscScalar *value;
        PetscCall(MatGetSize(pc->pmat, &n, NULL));
        PetscCall(MatCreateVecs(pc->pmat, &diagonal, NULL));
        PetscCall(MatGetDiagonal(pc->pmat, diagonal));
        PetscCall(VecGetArray(diagonal, &value));
        D = gsolve_vector(value, n);
        status = gsolve_precond_create_chebyshev(&p->M, p->host->ctx, spec, p->operator, D);
        PetscCall(VecRestoreArray(diagonal, &value));
        PetscCall(VecDestroy(&diagonal));
    } else if (is_chebyshev) {
        status = gsolve_precond_create_chebyshev(&p->M, p->host->ctx, spec, p->operator, D);
    } else {
        status = gsolve_precond_create_from(&p->M, p->host->ctx, spec, p->operator);
    }
    PetscCall(gs_petsc_function_check(&p->shell));
    PetscCall(check_setup(pc, status));
    p->number = ++p->host->made;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(PC pc)
{
    gs_petsc_pc *p = pc->data;
    PetscBool has_rows;

    PetscFunctionBegin;
    PetscCall(drop(p));
    p->updates = 0;
    if (!p->host) PetscCall(gs_petsc_host_create(&p->host, p->device));
    PetscCall(PetscLogEventBegin(p->setup, pc, pc->pmat, 0, 0));
    PetscCall(gs_petsc_has_rows(pc->pmat, &has_rows));
    PetscCall(has_rows ? create_rows(pc) : create_shell(pc));
    PetscCall(PetscLogEventEnd(p->setup, pc, pc->pmat, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values in the same pattern: M keeps what depends on the pattern only. */
static PetscErrorCode update(PC pc)
{
    gs_petsc_pc *p = pc->data;
    gs_petsc_rows rows;

    PetscFunctionBegin;
    PetscCall(PetscLogEventBegin(p->update, pc, pc->pmat, 0, 0));
    PetscCall(gs_petsc_rows_open(pc->pmat, &rows));
    const gsolve_status status = gsolve_precond_update(p->M, &rows.csr);
    PetscCall(gs_petsc_rows_close(&rows));
    PetscCall(PetscLogEventEnd(p->update, pc, pc->pmat, 0, 0));
    if (status == GSOLVE_BAD_MATRIX) { /* PETSc does not notice each change of a pattern */
        PetscCall(create(pc));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    p->updates++;
    PetscCall(check_setup(pc, status));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pc_setup(PC pc)
{
    gs_petsc_pc *p = pc->data;
    PetscBool changed;

    PetscFunctionBegin;
    PetscCall(gs_petsc_one_rank((PetscObject)pc, "-pc_type gsolve",
                                "-pc_type bjacobi -sub_pc_type gsolve, or -pc_type asm "
                                "-sub_pc_type gsolve"));
    set_failed(pc, PC_NOERROR);
    if (p->left_to_solver) {
        PetscCall(drop(p));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(gs_petsc_note_near_null(pc, &changed));
    if (p->M && !p->operator&& pc->setupcalled && !changed && pc->flag == SAME_NONZERO_PATTERN) {
        PetscCall(update(pc));
    } else {
        PetscCall(create(pc));
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
        PetscCall(drop(p));
        gs_petsc_host_release(&p->host);
        p->host = gs_petsc_host_share(host);
        pc->setupcalled = 0;
    }
    if (p->left_to_solver != left_to_solver) {
        PetscCall(drop(p));
        pc->setupcalled = 0;
    }
    p->left_to_solver = left_to_solver;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- apply ---------------------------------------------------------------------------- */

/* After a set-up that failed, the result is infinite: a KSP then stops with
 * KSP_DIVERGED_PC_FAILED. */
static PetscErrorCode apply_to(PC pc, Vec r, Vec z, PetscBool transposed)
{
    gs_petsc_pc *p = pc->data;
    const PetscScalar *from;
    PetscScalar *to;
    PetscInt n;

    PetscFunctionBegin;
    if (!p->M && p->left_to_solver) PetscCall(create(pc));
    if (!p->M || pc->failedreason) {
        PetscCall(VecSet(z, PETSC_INFINITY));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscLogEventBegin(p->apply, pc, r, z, 0));
    PetscCall(VecGetSize(r, &n));
    PetscCall(VecGetArrayRead(r, &from));
    PetscCall(VecGetArrayWrite(z, &to));
    const gsolve_dense x = gsolve_vector((double *)from, n), y = gsolve_vector(to, n);
    const gsolve_status status =
        transposed ? gsolve_precond_apply_transpose(p->M, x, y) : gsolve_precond_apply(p->M, x, y);
    PetscCall(VecRestoreArrayWrite(z, &to));
    PetscCall(VecRestoreArrayRead(r, &from));
    PetscCall(PetscLogEventEnd(p->apply, pc, r, z, 0));
    PetscCall(gs_petsc_function_check(&p->shell));
    GSOLVE_CALL(p->host, status);
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pc_apply(PC pc, Vec r, Vec z)
{
    PetscFunctionBegin;
    PetscCall(apply_to(pc, r, z, PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pc_apply_transpose(PC pc, Vec r, Vec z)
{
    PetscFunctionBegin;
    PetscCall(apply_to(pc, r, z, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pc_matapply(PC pc, Mat R, Mat Z)
{
    gs_petsc_pc *p = pc->data;
    PetscInt n, columns, rstride, zstride;
    const PetscScalar *from;
    PetscScalar *to;

    PetscFunctionBegin;
    if (!p->M && p->left_to_solver) PetscCall(create(pc));
    PetscCheck(p->M && !pc->failedreason, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "The set-up of -pc_gsolve_precond %s failed", p->spec);
    PetscCall(PetscLogEventBegin(p->apply, pc, R, Z, 0));
    PetscCall(MatGetSize(R, &n, &columns));
    PetscCall(MatDenseGetLDA(R, &rstride));
    PetscCall(MatDenseGetLDA(Z, &zstride));
    PetscCall(MatDenseGetArrayRead(R, &from));
    PetscCall(MatDenseGetArrayWrite(Z, &to));
    gsolve_dense x = gsolve_vector((double *)from, n), y = gsolve_vector(to, n);
    x.ncols = y.ncols = columns;
    x.stride = rstride;
    y.stride = zstride;
    const gsolve_status status = gsolve_precond_apply(p->M, x, y);
    PetscCall(MatDenseRestoreArrayWrite(Z, &to));
    PetscCall(MatDenseRestoreArrayRead(R, &from));
    PetscCall(PetscLogEventEnd(p->apply, pc, R, Z, 0));
    PetscCall(gs_petsc_function_check(&p->shell));
    GSOLVE_CALL(p->host, status);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* A KSP calls it before it iterates. */
static PetscErrorCode pc_presolve(PC pc, KSP ksp, Vec b, Vec x)
{
    const gs_petsc_pc *p = pc->data;
    PetscBool own;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPGSOLVE, &own)); /* its runs call it */
    (void)b, (void)x;
    if (p->M && !own) gsolve_precond_begin_solve(p->M, 1);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- options and view ----------------------------------------------------------------- */

/* Takes over the text of an option, if it has been set and differs. */
PetscErrorCode gs_petsc_take(const char *text, PetscBool set, char **to, PetscBool *changed)
{
    PetscBool same;

    PetscFunctionBegin;
    if (!set) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscStrcmp(text, *to, &same));
    if (same) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscFree(*to));
    PetscCall(PetscStrallocpy(text, to));
    *changed = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pc_options(PC pc, PetscOptionItems *PetscOptionsObject)
{
    gs_petsc_pc *p = pc->data;
    PetscBool set, spec_changed = PETSC_FALSE, device_changed = PETSC_FALSE;
    char help[640], text[256];

    PetscFunctionBegin;
    PetscCall(gs_petsc_help(PetscOptionsObject->printhelp,
                            "Preconditioner NAME,key=value,... (gsolve list NAME shows its keys): "
                            "auto or one of",
                            GS_PRECONDS, help, sizeof help));
    PetscOptionsHeadBegin(PetscOptionsObject, "gsolve preconditioner");
    PetscCall(PetscOptionsString("-pc_gsolve_precond", help, "gsolve_petsc.h", p->spec, text,
                                 sizeof text, &set));
    PetscCall(gs_petsc_take(text, set, &p->spec, &spec_changed));
    PetscCall(PetscOptionsString("-pc_gsolve_device",
                                 "Device: cpu, cpu,threads=N, cuda or auto (a KSP of type gsolve "
                                 "has an option of its own)",
                                 "gsolve_petsc.h", p->device, text, sizeof text, &set));
    PetscCall(gs_petsc_take(text, set, &p->device, &device_changed));
    PetscOptionsHeadEnd();
    if (spec_changed || device_changed) {
        PetscCall(drop(p));
        pc->setupcalled = 0;
    }
    if (device_changed) gs_petsc_host_release(&p->host);
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_levels(const gsolve_precond *M, PetscViewer viewer)
{
    gsolve_level_info level = GSOLVE_INIT(gsolve_level_info);

    PetscFunctionBegin;
    for (int k = 0; gsolve_precond_level(M, k, &level); k++) {
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "  level %d: %d rows, %lld entries, %s, %s\n", k, (int)level.rows,
            (long long)level.entries, level.type == GSOLVE_F32 ? "single" : "double", level.form));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pc_view(PC pc, PetscViewer viewer)
{
    const gs_petsc_pc *p = pc->data;
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    PetscBool is_ascii;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &is_ascii));
    if (!is_ascii) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscViewerASCIIPrintf(viewer, "  -pc_gsolve_precond %s\n", p->spec));
    if (p->left_to_solver) {
        PetscCall(PetscViewerASCIIPrintf(viewer, "  the KSP chooses it and sets it up\n"));
    }
    if (!p->M) PetscFunctionReturn(PETSC_SUCCESS);
    gsolve_precond_describe(p->M, &info);
    PetscCall(PetscViewerASCIIPrintf(viewer, "  in use: %s\n", info.spec));
    if (info.note[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "  set-up: %s\n", info.note));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  memory: %.1f MB, updates: %d\n",
                                     (double)info.bytes * 1e-6, p->updates));
    if (gsolve_precond_is_variable(p->M)) {
        PetscCall(PetscViewerASCIIPrintf(viewer, "  differs between applications: needs a "
                                                 "flexible KSP, such as fgmres\n"));
    }
    PetscCall(view_levels(p->M, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- create and destroy --------------------------------------------------------------- */

static PetscErrorCode pc_reset(PC pc)
{
    PetscFunctionBegin;
    PetscCall(drop(pc->data));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pc_destroy(PC pc)
{
    gs_petsc_pc *p = pc->data;

    PetscFunctionBegin;
    PetscCall(drop(p));
    gs_petsc_host_release(&p->host);
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSetCoordinates_C", NULL));
    PetscCall(PetscFree(p->xyz));
    PetscCall(PetscFree(p->spec));
    PetscCall(PetscFree(p->device));
    PetscCall(PetscFree(pc->data));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode gs_petsc_pc_create(PC pc)
{
    gs_petsc_pc *p;

    PetscFunctionBegin;
    PetscCall(PetscNew(&p));
    pc->data = p;
    PetscCall(PetscStrallocpy("auto", &p->spec));
    PetscCall(PetscStrallocpy("cpu", &p->device));
    PetscCall(gs_petsc_event("GsolveSetUp", &p->setup));
    PetscCall(gs_petsc_event("GsolveUpdate", &p->update));
    PetscCall(gs_petsc_event("GsolveApply", &p->apply));
    pc->ops->setup = pc_setup;
    pc->ops->apply = pc_apply;
    pc->ops->applytranspose = pc_apply_transpose;
    pc->ops->matapply = pc_matapply;
    pc->ops->presolve = pc_presolve;
    pc->ops->setfromoptions = pc_options;
    pc->ops->view = pc_view;
    pc->ops->reset = pc_reset;
    pc->ops->destroy = pc_destroy;
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSetCoordinates_C",
                                         gs_petsc_set_coordinates));
    PetscFunctionReturn(PETSC_SUCCESS);
}
