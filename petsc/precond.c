/* precond.c: PC of type gsolve. precond_setup.c sets it up. */
#include "petsc/plugin.h"

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
    if (!p->M && p->left_to_solver) PetscCall(gs_petsc_pc_build(pc));
    if (!p->M || pc->failedreason) {
        PetscCall(VecSet(z, PETSC_INFINITY));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscLogEventBegin(p->apply, pc, r, z, 0));
    PetscCall(VecGetLocalSize(r, &n));
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
    if (!p->M && p->left_to_solver) PetscCall(gs_petsc_pc_build(pc));
    PetscCheck(p->M && !pc->failedreason, p->host->comm, PETSC_ERR_ARG_WRONGSTATE,
               "The set-up of -pc_gsolve_precond %s failed", p->spec);
    PetscCall(PetscLogEventBegin(p->apply, pc, R, Z, 0));
    PetscCall(MatGetLocalSize(R, &n, NULL));
    PetscCall(MatGetSize(R, NULL, &columns));
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
        PetscCall(gs_petsc_pc_drop(p));
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
    PetscCall(PetscViewerASCIIPrintf(viewer, "  memory: %.1f MB%s, updates: %d\n",
                                     (double)info.bytes * 1e-6,
                                     p->host->ranks > 1 ? " on the first rank" : "", p->updates));
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
    PetscCall(gs_petsc_pc_drop(pc->data));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pc_destroy(PC pc)
{
    gs_petsc_pc *p = pc->data;

    PetscFunctionBegin;
    PetscCall(gs_petsc_pc_drop(p));
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
    pc->ops->setup = gs_petsc_pc_setup;
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
