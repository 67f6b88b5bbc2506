/* ksp.c: KSP of type gsolve: its options, view and life. prepare.c and run.c solve. */
#include "petsc/plugin.h"

/* --- options -------------------------------------------------------------------------- */

static PetscErrorCode specs(KSP ksp, PetscOptionItems *PetscOptionsObject, PetscBool *changed,
                            PetscBool *device_changed)
{
    gs_petsc_ksp *k = ksp->data;
    char help[640], text[256];
    PetscBool set;

    PetscFunctionBegin;
    PetscCall(gs_petsc_help(PetscOptionsObject->printhelp,
                            "Method NAME,key=value,... (gsolve list NAME shows its keys; the "
                            "tolerances are those of the KSP): auto or one of",
                            GS_METHODS, help, sizeof help));
    PetscCall(PetscOptionsString("-ksp_gsolve_method", help, "gsolve_petsc.h", k->method, text,
                                 sizeof text, &set));
    PetscCall(gs_petsc_take(text, set, &k->method, changed));
    PetscCall(gs_petsc_help(PetscOptionsObject->printhelp, "Storage format of the matrix, one of",
                            GS_FORMATS, help, sizeof help));
    PetscCall(PetscOptionsString("-ksp_gsolve_format", help, "gsolve_petsc.h", k->format, text,
                                 sizeof text, &set));
    PetscCall(gs_petsc_take(text, set, &k->format, changed));
    PetscCall(PetscOptionsString("-ksp_gsolve_device",
                                 "Device: cpu, cpu,threads=N, cuda or auto; also for a PC of type "
                                 "gsolve",
                                 "gsolve_petsc.h", k->device, text, sizeof text, &set));
    PetscCall(gs_petsc_take(text, set, &k->device, device_changed));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ksp_options(KSP ksp, PetscOptionItems *PetscOptionsObject)
{
    gs_petsc_ksp *k = ksp->data;
    PetscBool changed = PETSC_FALSE, device_changed = PETSC_FALSE;
    const PetscBool matrix_free = k->matrix_free, null_space = k->null_space;

    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "gsolve solver");
    PetscCall(specs(ksp, PetscOptionsObject, &changed, &device_changed));
    PetscCall(PetscOptionsBool("-ksp_gsolve_matrix_free",
                               "Compute products by MatMult also for a matrix that has rows",
                               "gsolve_petsc.h", k->matrix_free, &k->matrix_free, NULL));
    PetscCall(PetscOptionsBool("-ksp_gsolve_null_space",
                               "Use the null spaces of MatSetNullSpace and "
                               "MatSetTransposeNullSpace",
                               "gsolve_petsc.h", k->null_space, &k->null_space, NULL));
    PetscCall(PetscOptionsBool("-ksp_gsolve_explain",
                               "Print after each solve what was chosen, why it ended, and what to "
                               "try",
                               "gsolve_petsc.h", k->explain, &k->explain, NULL));
    PetscOptionsHeadEnd();
    if (changed || device_changed || matrix_free != k->matrix_free || null_space != k->null_space) {
        PetscCall(gs_petsc_ksp_drop(k));
        ksp->setupstage = KSP_SETUP_NEW;
    }
    if (device_changed) gs_petsc_host_release(&k->host);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- view ----------------------------------------------------------------------------- */

/* A spec without the options that are set for each solve; they stand with the KSP's own. */
static const char *without_tolerances(const char *spec, char *text, size_t size)
{
    char *tolerances;

    (void)PetscStrncpy(text, spec, size);
    tolerances = strstr(text, ",rtol=");
    if (tolerances) *tolerances = 0;
    return text;
}

static PetscErrorCode view_choice(const gs_petsc_ksp *k, PetscViewer viewer)
{
    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
    char method[128];

    PetscFunctionBegin;
    if (k->automatic) {
        gsolve_auto_describe(k->automatic, &info);
        PetscCall(PetscViewerASCIIPrintf(viewer, "  in use: method %s, preconditioner %s: %s\n",
                                         without_tolerances(info.method, method, sizeof method),
                                         info.precond, info.why));
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "  solves: %lld, updates: %lld, choices tried in the last solve: %d\n",
            (long long)info.runs, (long long)info.updates, info.attempts));
    } else if (k->S) {
        PetscCall(
            PetscViewerASCIIPrintf(viewer, "  in use: method %s\n", gsolve_solver_name(k->S)));
        if (gsolve_solver_note(k->S)[0]) {
            PetscCall(PetscViewerASCIIPrintf(viewer, "  note: %s\n", gsolve_solver_note(k->S)));
        }
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ksp_view(KSP ksp, PetscViewer viewer)
{
    const gs_petsc_ksp *k = ksp->data;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    PetscInt rows, columns;
    PetscBool is_ascii;
    Mat A;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &is_ascii));
    if (!is_ascii) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscViewerASCIIPrintf(viewer, "  -ksp_gsolve_method %s\n", k->method));
    PetscCall(view_choice(k, viewer));
    if (!k->A) PetscFunctionReturn(PETSC_SUCCESS);
    gsolve_matrix_describe(k->A, &info);
    PetscCall(KSPGetOperators(ksp, &A, NULL));
    PetscCall(MatGetSize(A, &rows, &columns));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  matrix: format %s%s%s, %d x %d, %lld entries\n",
                                     info.format, info.form[0] ? ", stored as " : "", info.form,
                                     (int)rows, (int)columns, (long long)info.total_entries));
    if (info.null_space) {
        PetscCall(
            PetscViewerASCIIPrintf(viewer, "  null space of dimension %d\n", (int)info.null_space));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- create and destroy --------------------------------------------------------------- */

static PetscErrorCode ksp_reset(KSP ksp)
{
    PetscFunctionBegin;
    PetscCall(gs_petsc_ksp_drop(ksp->data));
    PetscCall(gs_petsc_ksp_release_pc(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ksp_destroy(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;

    PetscFunctionBegin;
    PetscCall(gs_petsc_ksp_drop(k));
    PetscCall(gs_petsc_ksp_release_pc(ksp)); /* of KSPSetType; KSPDestroy has reset the KSP */
    gs_petsc_host_release(&k->host);
    PetscCall(PetscFree(k->method));
    PetscCall(PetscFree(k->format));
    PetscCall(PetscFree(k->device));
    PetscCall(KSPDestroyDefault(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between two iterations the iterate is inside gsolve. */
static PetscErrorCode build_solution(KSP ksp, Vec work, Vec *solution)
{
    const gs_petsc_ksp *k = ksp->data;

    PetscFunctionBegin;
    PetscCheck(!k->running, k->host->comm, PETSC_ERR_SUP,
               "-ksp_type gsolve has no iterate for monitors such as -ksp_monitor_true_residual. "
               "Use -ksp_monitor: its norms are those of b - A x, unpreconditioned");
    PetscCall(KSPBuildSolutionDefault(ksp, work, solution));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether PETSc takes the type of the PC by default: ilu and icc, or bjacobi for a matrix of a
 * type with several ranks. */
static PetscErrorCode is_default(PC pc, PetscBool *result)
{
    PetscBool has_block = PETSC_FALSE;

    PetscFunctionBegin;
    if (pc->pmat) PetscCall(MatHasOperation(pc->pmat, MATOP_GET_DIAGONAL_BLOCK, &has_block));
    PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, result, PCILU, PCICC,
                                        has_block ? PCBJACOBI : "", ""));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The PC becomes one of type gsolve if it has no type, or one that PETSc takes by default and no
 * option has asked for: for a matrix without rows none, where -pc_gsolve_precond is given. A
 * program that wants such a type sets it after the type of the KSP. */
static PetscErrorCode default_pc(KSP ksp)
{
    PetscBool replace, named, none, precond;
    PetscObject object;
    PC pc;

    PetscFunctionBegin;
    PetscCall(KSPGetPC(ksp, &pc));
    object = (PetscObject)pc;
    if (object->type_name) {
        PetscCall(is_default(pc, &replace));
        PetscCall(PetscOptionsHasName(object->options, object->prefix, "-pc_type", &named));
        PetscCall(PetscObjectTypeCompare(object, PCNONE, &none));
        PetscCall(
            PetscOptionsHasName(object->options, object->prefix, "-pc_gsolve_precond", &precond));
        if (named || !(replace || (none && precond))) PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PCSetType(pc, PCGSOLVE));
    if (pc->setfromoptionscalled) PetscCall(PCSetFromOptions(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode gs_petsc_ksp_create(KSP ksp)
{
    gs_petsc_ksp *k;

    PetscFunctionBegin;
    PetscCall(PetscNew(&k));
    ksp->data = k;
    PetscCall(PetscStrallocpy("auto", &k->method));
    PetscCall(PetscStrallocpy("auto", &k->format));
    PetscCall(PetscStrallocpy("cpu", &k->device));
    k->null_space = PETSC_TRUE;
    PetscCall(gs_petsc_event("GsolveSetUp", &k->setup));
    PetscCall(gs_petsc_event("GsolveUpdate", &k->update));
    PetscCall(gs_petsc_event("GsolveSolve", &k->solve));
    PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, 3));
    PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 2));
    PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_RIGHT, 1));
    PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
    ksp->setupnewmatrix = PETSC_TRUE;
    ksp->ops->setup = gs_petsc_ksp_setup;
    ksp->ops->solve = gs_petsc_ksp_solve;
    ksp->ops->matsolve = gs_petsc_ksp_matsolve;
    ksp->ops->setfromoptions = ksp_options;
    ksp->ops->view = ksp_view;
    ksp->ops->reset = ksp_reset;
    ksp->ops->destroy = ksp_destroy;
    ksp->ops->buildsolution = build_solution;
    ksp->ops->buildresidual = KSPBuildResidualDefault;
    PetscCall(default_pc(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
}
