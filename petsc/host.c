/* host.c: contexts of gsolve, its errors, its lists of names, and log events. */
#include "petsc/plugin.h"

/* Lines of gsolve's log are lines of PETSc's option -info. */
static void log_line(const char *line, void *user)
{
    (void)user;
    (void)PetscInfo(NULL, "gsolve: %s\n", line);
}

static PetscErrorCode code_of(gsolve_status status)
{
    switch (status) {
    case GSOLVE_BAD_ARGUMENT: return PETSC_ERR_ARG_OUTOFRANGE;
    case GSOLVE_BAD_SPEC: return PETSC_ERR_ARG_UNKNOWN_TYPE;
    case GSOLVE_BAD_MATRIX: return PETSC_ERR_ARG_WRONG;
    case GSOLVE_NO_MEMORY: return PETSC_ERR_MEM;
    case GSOLVE_UNSUPPORTED:
    case GSOLVE_NO_DEVICE: return PETSC_ERR_SUP;
    case GSOLVE_ZERO_PIVOT: return PETSC_ERR_MAT_LU_ZRPVT;
    default: return PETSC_ERR_LIB;
    }
}

/* Creates a context of the ranks of `owner`. */
PetscErrorCode gs_petsc_host_create(gs_petsc_host **host, PetscObject owner, const char *device)
{
    const char *sentence = "";
    gsolve_status status;
    PetscMPIInt ranks;
    gs_petsc_host *h;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm(owner), &ranks));
    PetscCall(PetscNew(&h));
    h->comm = PetscObjectComm(owner);
    h->ranks = ranks;
    h->owners = 1;
    if (ranks > 1) {
        status = gs_petsc_context_over_ranks(&h->ctx, device, h->comm, &sentence);
    } else {
        status = gsolve_context_create(&h->ctx, device);
        if (status != GSOLVE_OK) sentence = gsolve_error(NULL);
    }
    if (status != GSOLVE_OK) {
        PetscCall(PetscFree(h));
        SETERRQ(PetscObjectComm(owner), code_of(status), "gsolve: %s", sentence);
    }
    gsolve_context_set_log(h->ctx, log_line, NULL);
    *host = h;
    PetscFunctionReturn(PETSC_SUCCESS);
}

gs_petsc_host *gs_petsc_host_share(gs_petsc_host *host)
{
    host->owners++;
    return host;
}

/* With the last owner the context is destroyed, and all handles in it. */
void gs_petsc_host_release(gs_petsc_host **host)
{
    if (*host && --(*host)->owners == 0) {
        gsolve_context_destroy(&(*host)->ctx);
        (void)PetscFree(*host);
    }
    *host = NULL;
}

/* Turns a status into an error of PETSc with the sentence of gsolve. host is NULL for the creation
 * of a context. */
PetscErrorCode gs_petsc_check(const gs_petsc_host *host, gsolve_status status)
{
    const PetscBool hint =
        host && host->ranks > 1 && status == GSOLVE_UNSUPPORTED ? PETSC_TRUE : PETSC_FALSE;

    PetscFunctionBegin;
    if (status != GSOLVE_OK) {
        SETERRQ(host ? host->comm : PETSC_COMM_SELF, code_of(status), "gsolve: %s%s",
                gsolve_error(host ? host->ctx : NULL),
                hint ? ". The block of each rank can be solved by anything: -pc_type bjacobi with "
                       "-sub_pc_type gsolve or -sub_ksp_type gsolve"
                     : "");
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The choice of gsolve number `attempt` for a matrix of the host's ranks. */
bool gs_petsc_choose(const gs_petsc_host *host, const gsolve_statistics *statistics, int attempt,
                     gsolve_choice *choice)
{
    return host->ranks > 1 ? gsolve_dist_choose(host->ctx, statistics, attempt, choice)
                           : gsolve_auto_choose(host->ctx, statistics, attempt, choice);
}

/* --- names for -help ------------------------------------------------------------------- */

static const gsolve_plugin *method_at(const gsolve_context *ctx, int index)
{
    (void)ctx;
    return gsolve_method_at(index);
}

/* Writes the text of an option for -help: `about` and the names of a list of gsolve. Without -help
 * nobody reads it. */
PetscErrorCode gs_petsc_help(PetscBool wanted, const char *about, gs_petsc_list list, char *text,
                             size_t size)
{
    static const gs_petsc_plugin_at at[] = {method_at, gsolve_precond_at, gsolve_format_at};
    const gsolve_plugin *plugin;
    gsolve_context *ctx = NULL;

    PetscFunctionBegin;
    PetscCall(PetscStrncpy(text, about, size));
    if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(gs_petsc_check(NULL, gsolve_context_create(&ctx, "cpu")));
    for (int k = 0; (plugin = at[list](ctx, k)); k++) {
        PetscCall(PetscStrlcat(text, k ? ", " : ": ", size));
        PetscCall(PetscStrlcat(text, plugin->name, size));
    }
    gsolve_context_destroy(&ctx);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- PETSc ----------------------------------------------------------------------------- */

/* PETSc keeps the events by their names, so the plug-in needs no variables for them. */
PetscErrorCode gs_petsc_event(const char *name, PetscLogEvent *event)
{
    PetscFunctionBegin;
    PetscCall(PetscLogEventGetId(name, event));
    if (*event < 0) PetscCall(PetscLogEventRegister(name, PC_CLASSID, event));
    PetscFunctionReturn(PETSC_SUCCESS);
}
