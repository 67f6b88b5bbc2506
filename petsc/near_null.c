/* near_null.c: what a program tells PETSc about the unknowns, for the specs of gsolve: the block
 * size, the near-null space and the coordinates. */
#include "petsc/plugin.h"

/* Copies the coordinates of the nodes, column by column. PCSetCoordinates calls it. */
PetscErrorCode gs_petsc_set_coordinates(PC pc, PetscInt dim, PetscInt nodes, PetscReal *xyz)
{
    gs_petsc_pc *p = gs_petsc_pc_of(pc);

    PetscFunctionBegin;
    PetscCall(PetscFree(p->xyz));
    PetscCall(PetscMalloc1((size_t)dim * (size_t)nodes, &p->xyz));
    for (PetscInt i = 0; i < nodes; i++) {
        for (PetscInt c = 0; c < dim; c++) {
            p->xyz[(size_t)c * (size_t)nodes + (size_t)i] =
                xyz[(size_t)i * (size_t)dim + (size_t)c];
        }
    }
    p->dim = dim;
    p->nodes = nodes;
    p->nns = -1; /* the next gs_petsc_note_near_null reports a change */
    pc->setupcalled = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coordinates describe a displacement: one unknown for each direction at each node of a rank.
 * Otherwise the constants, which need no coordinates, are the near-null space. */
static PetscBool coordinates_fit(const gs_petsc_pc *p, PetscInt rows)
{
    return (p->dim == 2 || p->dim == 3) && p->nodes * p->dim == rows ? PETSC_TRUE : PETSC_FALSE;
}

/* Whether near-null vectors are given. Those of MatSetNearNullSpace have precedence over those of
 * the coordinates. */
PetscErrorCode gs_petsc_has_near_null(PC pc, PetscBool *has)
{
    MatNullSpace space;
    PetscInt rows;

    PetscFunctionBegin;
    PetscCall(MatGetNearNullSpace(pc->pmat, &space));
    PetscCall(MatGetLocalSize(pc->pmat, &rows, NULL));
    *has = space || coordinates_fit(gs_petsc_pc_of(pc), rows) ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Notes the near-null space of the Pmat; *changed: it is another one than at the last call. */
PetscErrorCode gs_petsc_note_near_null(PC pc, PetscBool *changed)
{
    gs_petsc_pc *p = gs_petsc_pc_of(pc);
    PetscObjectState state = 0;
    PetscObjectId id = 0;
    MatNullSpace space;

    PetscFunctionBegin;
    PetscCall(MatGetNearNullSpace(pc->pmat, &space));
    if (space) {
        PetscCall(PetscObjectGetId((PetscObject)space, &id));
        PetscCall(PetscObjectStateGet((PetscObject)space, &state));
    }
    *changed = id != p->nns_id || state != p->nns ? PETSC_TRUE : PETSC_FALSE;
    p->nns_id = id;
    p->nns = state;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether `spec` is of this kind and does not name `key`. */
static PetscErrorCode lacks(const char *spec, const char *kind, const char *key, PetscBool *result)
{
    PetscBool same;
    size_t length;
    char *found;

    PetscFunctionBegin;
    PetscCall(PetscStrlen(kind, &length));
    PetscCall(PetscStrncmp(spec, kind, length, &same));
    if (same && spec[length] != 0 && spec[length] != ',') same = PETSC_FALSE;
    PetscCall(PetscStrstr(spec, key, &found));
    *result = same && !found ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies `spec` to `own`, with what PETSc knows where the spec leaves it open: the block size of
 * the Pmat for "amg" and "block_jacobi", and for "amg" that its near-null vectors follow. */
PetscErrorCode gs_petsc_choice_of(PC pc, const char *spec, char *own, size_t size)
{
    const gs_petsc_pc *p = gs_petsc_pc_of(pc);
    PetscInt block, rows;
    PetscBool is_amg, is_jacobi, given, wants;

    PetscFunctionBegin;
    PetscCall(PetscStrncpy(own, spec, size));
    gsolve_tidy_spec(own);
    PetscCall(MatGetBlockSize(pc->pmat, &block));
    PetscCall(MatGetLocalSize(pc->pmat, &rows, NULL));
    if (block == 1 && coordinates_fit(p, rows)) block = p->dim;
    PetscCall(lacks(own, "amg", ",block=", &is_amg));
    PetscCall(lacks(own, "block_jacobi", ",size=", &is_jacobi));
    if ((is_amg && block > 1 && block <= 64) || (is_jacobi && block > 1 && block <= 32)) {
        const size_t length = strlen(own);
        PetscCall(PetscSNPrintf(own + length, size - length, is_amg ? ",block=%d" : ",size=%d",
                                (int)block));
    }
    PetscCall(lacks(own, "amg", ",near_null=", &wants));
    PetscCall(gs_petsc_has_near_null(pc, &given));
    if (wants && given) PetscCall(PetscStrlcat(own, ",near_null=given", size));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- pass them to gsolve ----------------------------------------------------------------- */

/* The vectors of a space as the columns of one array, which the caller frees. with_constants: if
 * the constant vector belongs to the space, it is the first column. */
PetscErrorCode gs_petsc_columns(MatNullSpace space, PetscInt rows, PetscBool with_constants,
                                gsolve_dense *columns)
{
    PetscBool has_constant;
    const Vec *vectors;
    PetscInt count;
    double *to;

    PetscFunctionBegin;
    PetscCall(MatNullSpaceGetVecs(space, &has_constant, &count, &vectors));
    if (!with_constants) has_constant = PETSC_FALSE;
    PetscCall(PetscMalloc1(((size_t)count + 1) * (size_t)rows, &to));
    *columns = gsolve_vector(to, rows);
    columns->ncols = count + (has_constant ? 1 : 0);
    for (PetscInt i = 0; has_constant && i < rows; i++) *to++ = 1;
    for (PetscInt k = 0; k < count; k++, to += rows) {
        const PetscScalar *from;
        PetscCall(VecGetArrayRead(vectors[k], &from));
        PetscCall(PetscArraycpy(to, from, rows));
        PetscCall(VecRestoreArrayRead(vectors[k], &from));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives M, which is an "amg" with near_null=given, its vectors: M is set up by this. */
PetscErrorCode gs_petsc_set_near_null(PC pc, gsolve_precond *M)
{
    gs_petsc_pc *p = gs_petsc_pc_of(pc);
    gsolve_status status;
    gsolve_dense B;
    MatNullSpace space;
    PetscInt rows;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(pc->pmat, &rows, NULL));
    PetscCall(MatGetNearNullSpace(pc->pmat, &space));
    if (space) {
        PetscCall(gs_petsc_columns(space, rows, PETSC_TRUE, &B));
        status = gsolve_precond_set_near_null(M, B);
        PetscCall(PetscFree(B.value));
    } else {
        gsolve_dense xyz = gsolve_vector(p->xyz, p->nodes);
        xyz.ncols = p->dim;
        status = gsolve_precond_set_coordinates(M, xyz);
    }
    GSOLVE_CALL(p->host, status);
    PetscFunctionReturn(PETSC_SUCCESS);
}
