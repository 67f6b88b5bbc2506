/* prepare.c: what a solve needs: the matrix, its null space, the preconditioner and the solver.
 * Each is kept until what it was made from changes. */
#include "petsc/plugin.h"

/* --- drop ------------------------------------------------------------------------------ */

static void drop_solver(gs_petsc_ksp *k)
{
    gsolve_auto_destroy(&k->automatic);
    gsolve_solver_destroy(&k->S);
    k->M = NULL;
    k->fell_back = PETSC_FALSE;
}

static PetscErrorCode drop_precond(gs_petsc_ksp *k)
{
    PetscFunctionBegin;
    drop_solver(k);
    gsolve_precond_destroy(&k->own);
    PetscCall(gs_petsc_function_clear(&k->wrapped_pc));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Drops all but the context and the options. */
PetscErrorCode gs_petsc_ksp_drop(gs_petsc_ksp *k)
{
    PetscFunctionBegin;
    PetscCall(drop_precond(k));
    gsolve_matrix_destroy(&k->A);
    PetscCall(gs_petsc_function_clear(&k->shell));
    PetscCall(PetscMemzero(&k->state, sizeof k->state));
    PetscCall(PetscMemzero(k->spaces, sizeof k->spaces));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- what the operators ask for ----------------------------------------------------------- */

static PetscErrorCode is_gsolve(PC pc, PetscBool *is)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCGSOLVE, is));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether products come from rows that gsolve holds, and not from MatMult. */
static PetscErrorCode takes_rows(KSP ksp, Mat A, PetscBool *takes)
{
    const gs_petsc_ksp *k = ksp->data;

    PetscFunctionBegin;
    *takes = PETSC_FALSE;
    if (!k->matrix_free) PetscCall(gs_petsc_has_rows(A, takes));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether gsolve chooses both the method and the preconditioner, so that it can fall back. A
 * transposed system has products only, from which gsolve can choose no preconditioner. */
static PetscErrorCode is_automatic(KSP ksp, PetscBool *automatic)
{
    const gs_petsc_ksp *k = ksp->data;
    PetscBool rows, own;
    Mat A, P;

    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &A, &P));
    PetscCall(takes_rows(ksp, A, &rows));
    PetscCall(is_gsolve(ksp->pc, &own));
    *automatic = rows && own && A == P && !ksp->transpose_solve && strcmp(k->method, "auto") == 0 &&
                         strcmp(gs_petsc_pc_of(ksp->pc)->spec, "auto") == 0
                     ? PETSC_TRUE
                     : PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPSetUp calls it before it sets the PC up, and each solve does. */
PetscErrorCode gs_petsc_ksp_setup(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;
    PetscBool own, automatic;

    PetscFunctionBegin;
    if (!k->host) PetscCall(gs_petsc_host_create(&k->host, (PetscObject)ksp, k->device));
    PetscCall(is_gsolve(ksp->pc, &own));
    if (own) {
        PetscCall(is_automatic(ksp, &automatic));
        PetscCall(gs_petsc_pc_share(ksp->pc, k->host, automatic));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* From now on the PC sets itself up: the KSP gives it up. */
PetscErrorCode gs_petsc_ksp_release_pc(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;
    PetscBool own = PETSC_FALSE;

    PetscFunctionBegin;
    if (ksp->pc && k->host) PetscCall(is_gsolve(ksp->pc, &own));
    if (own) PetscCall(gs_petsc_pc_share(ksp->pc, k->host, PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- matrix ---------------------------------------------------------------------------- */

static PetscErrorCode create_rows(gs_petsc_ksp *k, Mat A)
{
    PetscFunctionBegin;
    PetscCall(PetscLogEventBegin(k->setup, A, 0, 0, 0));
    PetscCall(gs_petsc_matrix_create(k->host, A, k->format, &k->A));
    PetscCall(PetscLogEventEnd(k->setup, A, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* *fits: A has the pattern that k->A has. */
static PetscErrorCode update_rows(gs_petsc_ksp *k, Mat A, PetscBool *fits)
{
    PetscFunctionBegin;
    PetscCall(PetscLogEventBegin(k->update, A, 0, 0, 0));
    PetscCall(gs_petsc_matrix_update(k->host, A, k->A, fits));
    PetscCall(PetscLogEventEnd(k->update, A, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method "auto" chooses cg and minres for symmetric matrices only. If new values are not
 * symmetric, as after MatZeroRows, it chooses again. */
static PetscErrorCode check_symmetry(gs_petsc_ksp *k)
{
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);

    PetscFunctionBegin;
    if (!k->S || strcmp(k->method, "auto") != 0) PetscFunctionReturn(PETSC_SUCCESS);
    const char *name = gsolve_solver_name(k->S);
    if (strncmp(name, "cg", 2) != 0 && strncmp(name, "minres", 6) != 0) {
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    GSOLVE_CALL(k->host, gsolve_matrix_statistics(k->A, &statistics));
    if (!statistics.symmetric) drop_solver(k);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Brings k->A to the values of the Amat. */
static PetscErrorCode prepare_matrix(KSP ksp, Mat A)
{
    gs_petsc_ksp *k = ksp->data;
    gs_petsc_state now;
    PetscBool rows, fits = PETSC_FALSE;

    PetscFunctionBegin;
    PetscCall(gs_petsc_state_of(A, &now));
    PetscCall(takes_rows(ksp, A, &rows));
    if (ksp->transpose_solve) rows = PETSC_FALSE;
    const PetscBool was_rows = k->shell.mat ? PETSC_FALSE : PETSC_TRUE;
    const PetscBool same =
        k->A && k->state.id == now.id && was_rows == rows && k->transposed == ksp->transpose_solve
            ? PETSC_TRUE
            : PETSC_FALSE;
    if (same && k->state.values == now.values && k->state.pattern == now.pattern) {
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (same && !rows) {
        GSOLVE_CALL(k->host, gsolve_matrix_update_operator(k->A, &k->shell));
        k->state = now;
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (same && rows && k->state.pattern == now.pattern) PetscCall(update_rows(k, A, &fits));
    if (fits) {
        PetscCall(check_symmetry(k));
    } else {
        PetscCall(gs_petsc_ksp_drop(k));
        k->transposed = ksp->transpose_solve;
        if (rows) {
            PetscCall(create_rows(k, A));
        } else {
            k->shell.mat = A;
            k->shell.transposed = ksp->transpose_solve;
            PetscCall(gs_petsc_operator(k->host, &k->shell, &k->A));
        }
    }
    k->state = now;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- null space -------------------------------------------------------------------------- */

static PetscErrorCode open_space(MatNullSpace space, PetscInt rows, gsolve_null_space *open)
{
    PetscBool constants;

    PetscFunctionBegin;
    PetscCall(MatNullSpaceGetVecs(space, &constants, NULL, NULL));
    open->constants = constants;
    PetscCall(gs_petsc_columns(space, rows, PETSC_FALSE, &open->vectors));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_spaces(gs_petsc_ksp *k, PetscInt rows, MatNullSpace right,
                                 MatNullSpace left)
{
    gsolve_null_space spaces[2] = {{0}, {0}};

    PetscFunctionBegin;
    if (right) PetscCall(open_space(right, rows, &spaces[0]));
    if (left) PetscCall(open_space(left, rows, &spaces[1]));
    const gsolve_status status =
        gsolve_matrix_set_null_space(k->A, right ? &spaces[0] : NULL, left ? &spaces[1] : NULL);
    PetscCall(PetscFree(spaces[0].vectors.value));
    PetscCall(PetscFree(spaces[1].vectors.value));
    PetscCall(gs_petsc_function_check(&k->shell));
    GSOLVE_CALL(k->host, status);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* gsolve takes the right null space for the left one where no MatSetTransposeNullSpace was
 * called, and checks that. */
static PetscErrorCode prepare_null_space(KSP ksp, Mat A)
{
    gs_petsc_ksp *k = ksp->data;
    MatNullSpace right = NULL, left = NULL;
    PetscObjectId ids[2] = {0, 0};
    PetscInt rows, columns;

    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &rows, &columns));
    if (!k->null_space || rows != columns) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatGetNullSpace(A, &right));
    PetscCall(MatGetTransposeNullSpace(A, &left));
    if (ksp->transpose_solve) {
        MatNullSpace other = right;
        right = left;
        left = other;
    }
    if (!right) right = left;
    if (right) PetscCall(PetscObjectGetId((PetscObject)right, &ids[0]));
    if (left) PetscCall(PetscObjectGetId((PetscObject)left, &ids[1]));
    if (ids[0] == k->spaces[0] && ids[1] == k->spaces[1]) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatGetLocalSize(A, &rows, NULL));
    PetscCall(set_spaces(k, rows, right, left));
    k->spaces[0] = ids[0];
    k->spaces[1] = ids[1];
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- preconditioner ------------------------------------------------------------------------ */

/* A PC of another type becomes a function of gsolve; so does every PC of a transposed system. */
static PetscErrorCode wrap_pc(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;
    const char *type = ((PetscObject)ksp->pc)->type_name;
    PetscObjectId id;

    PetscFunctionBegin;
    PetscCall(PetscObjectGetId((PetscObject)ksp->pc, &id));
    if (k->own && k->pc_id == id && strcmp(k->pc_type, type) == 0) {
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(drop_precond(k));
    if (strcmp(type, PCNONE) == 0) {
        GSOLVE_CALL(k->host, gsolve_precond_create_from(&k->own, k->host->ctx, "none", k->A));
    } else {
        k->wrapped_pc.pc = ksp->pc;
        k->wrapped_pc.transposed = ksp->transpose_solve;
        PetscCall(gs_petsc_precond(k->host, &k->wrapped_pc, &k->own));
    }
    k->pc_id = id;
    PetscCall(PetscStrncpy(k->pc_type, type, sizeof k->pc_type));
    k->number = ++k->host->made;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds M and its number; M is NULL for an automatic solver. */
static PetscErrorCode prepare_precond(KSP ksp, const gsolve_precond **M, int *number)
{
    gs_petsc_ksp *k = ksp->data;
    PetscBool own;

    PetscFunctionBegin;
    PetscCall(is_gsolve(ksp->pc, &own));
    if (own && !ksp->transpose_solve) {
        const gs_petsc_pc *p = gs_petsc_pc_of(ksp->pc);
        *M = p->left_to_solver ? NULL : p->M;
        *number = p->number;
    } else {
        PetscCall(wrap_pc(ksp));
        *M = k->own;
        *number = k->number;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- solver ------------------------------------------------------------------------------ */

static PetscErrorCode create_solver(KSP ksp, const gsolve_precond *M)
{
    gs_petsc_ksp *k = ksp->data;
    PetscBool automatic, changed;

    PetscFunctionBegin;
    PetscCall(PetscLogEventBegin(k->setup, ksp, 0, 0, 0));
    PetscCall(is_automatic(ksp, &automatic));
    if (automatic) {
        PetscCall(gs_petsc_note_near_null(ksp->pc, &changed));
        const char *options = k->host->ranks > 1 ? "scale=none,order=none" : "";
        GSOLVE_CALL(k->host, gsolve_auto_create_from(&k->automatic, k->host->ctx, options, k->A));
        PetscCall(gs_petsc_ksp_automatic(ksp));
    } else {
        GSOLVE_CALL(k->host, gsolve_solver_create(&k->S, k->host->ctx, k->method, k->A, M));
    }
    PetscCall(PetscLogEventEnd(k->setup, ksp, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method "auto" chooses by the matrix, and cannot know whether a preconditioner that it is
 * given is positive definite. gmres takes any. */
PetscErrorCode gs_petsc_ksp_fall_back(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;
    const char *method = k->M && gsolve_precond_is_variable(k->M) ? "fgmres" : "gmres";

    PetscFunctionBegin;
    PetscCall(PetscInfo(ksp, "gsolve: %s met an indefinite matrix or preconditioner; %s follows\n",
                        gsolve_solver_name(k->S), method));
    gsolve_solver_destroy(&k->S);
    GSOLVE_CALL(k->host, gsolve_solver_create(&k->S, k->host->ctx, method, k->A, k->M));
    k->fell_back = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode gs_petsc_ksp_prepare(KSP ksp)
{
    gs_petsc_ksp *k = ksp->data;
    const gsolve_precond *M = NULL;
    PetscBool changed;
    int number = 0;
    Mat A;

    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &A, NULL));
    PetscCall(prepare_matrix(ksp, A));
    PetscCall(prepare_null_space(ksp, A));
    PetscCall(prepare_precond(ksp, &M, &number));
    if (k->automatic) {
        PetscCall(gs_petsc_note_near_null(ksp->pc, &changed));
        if (changed) drop_solver(k);
    }
    if (M != k->M || (M && number != k->number)) drop_solver(k);
    if (!k->S && !k->automatic) PetscCall(create_solver(ksp, M));
    k->M = M;
    k->number = number;
    PetscFunctionReturn(PETSC_SUCCESS);
}
