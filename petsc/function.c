/* function.c: matrices and preconditioners of PETSc as operators of gsolve: shells, and PCs of
 * other types than gsolve. */
#include "petsc/plugin.h"

/* y = L x by PETSc, with its vectors placed on the arrays of gsolve. */
static PetscErrorCode apply_placed(gs_petsc_function *f, const double *x, double *y,
                                   PetscBool transposed)
{
    Vec in = transposed ? f->out : f->in, out = transposed ? f->in : f->out;
    PetscErrorCode error;

    PetscFunctionBegin;
    if (f->transposed) transposed = !transposed;
    PetscCall(VecPlaceArray(in, x));
    PetscCall(VecPlaceArray(out, y));
    if (f->mat) {
        error = transposed ? MatMultTranspose(f->mat, in, out) : MatMult(f->mat, in, out);
    } else {
        error = transposed ? PCApplyTranspose(f->pc, in, out) : PCApply(f->pc, in, out);
    }
    PetscCall(VecResetArray(out));
    PetscCall(VecResetArray(in));
    PetscCall(error);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error of the first call that failed since the last check: PETSc has described it. */
PetscErrorCode gs_petsc_function_check(gs_petsc_function *f)
{
    const PetscErrorCode error = f->error;

    PetscFunctionBegin;
    f->error = PETSC_SUCCESS;
    PetscCall(error);
    PetscFunctionReturn(PETSC_SUCCESS);
}

static gsolve_status call(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user,
                          PetscBool transposed)
{
    gs_petsc_function *f = user;

    if (x.location != GSOLVE_HOST) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "shell matrices and preconditioners of PETSc compute on the host: take "
                           "the device cpu, or -pc_type gsolve with a matrix that has rows");
    }
    const PetscErrorCode error = apply_placed(f, x.value, y.value, transposed);
    if (!error) return GSOLVE_OK;
    if (!f->error) f->error = error;
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "a %s of PETSc failed",
                       f->mat ? "product with the matrix" : "preconditioner");
}

static gsolve_status apply(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user)
{
    return call(ctx, x, y, user, PETSC_FALSE);
}

static gsolve_status apply_transpose(gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                                     void *user)
{
    return call(ctx, x, y, user, PETSC_TRUE);
}

/* Vectors for x and y of y = L x, whose arrays are replaced before each use. */
static PetscErrorCode make_vectors(gs_petsc_function *f)
{
    Mat A = f->mat;

    PetscFunctionBegin;
    if (f->pc) PetscCall(PCGetOperators(f->pc, NULL, &A));
    if (f->transposed) {
        PetscCall(MatCreateVecs(A, &f->out, &f->in));
    } else {
        PetscCall(MatCreateVecs(A, &f->in, &f->out));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned symmetry_of(Mat A)
{
    PetscBool known = PETSC_FALSE, holds = PETSC_FALSE;

    if (!MatIsSPDKnown(A, &known, &holds) && known && holds) return GSOLVE_FUNCTION_DEFINITE;
    if (!MatIsSymmetricKnown(A, &known, &holds) && known && holds) {
        return GSOLVE_FUNCTION_SYMMETRIC;
    }
    return 0;
}

/* Products of gsolve's operators belong to one rank. */
static PetscErrorCode check_ranks(const gs_petsc_host *host, const gs_petsc_function *f)
{
    PetscFunctionBegin;
    PetscCheck(
        host->ranks == 1, host->comm, PETSC_ERR_SUP,
        "gsolve solves %s on one rank, and this matrix of type %s has %d. Use a KSP of PETSc, "
        "such as cg or gmres, with -pc_type gsolve for a matrix with rows",
        f->transposed ? "transposed systems" : "with the products of PETSc",
        ((PetscObject)f->mat)->type_name, host->ranks);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Creates an operator for f->mat, or for its transpose. */
PetscErrorCode gs_petsc_operator(gs_petsc_host *host, gs_petsc_function *f, gsolve_matrix **A)
{
    PetscInt nrows, ncols;
    PetscBool both;

    PetscFunctionBegin;
    PetscCall(check_ranks(host, f));
    PetscCall(make_vectors(f));
    PetscCall(VecGetSize(f->in, &ncols));
    PetscCall(VecGetSize(f->out, &nrows));
    PetscCall(MatHasOperation(f->mat, f->transposed ? MATOP_MULT : MATOP_MULT_TRANSPOSE, &both));
    GSOLVE_CALL(host, gsolve_matrix_create_operator(A, host->ctx, nrows, ncols, GSOLVE_F64, apply,
                                                    both ? apply_transpose : NULL, f));
    const unsigned flags = symmetry_of(f->mat);
    if (flags && nrows == ncols) GSOLVE_CALL(host, gsolve_matrix_set_flags(*A, flags));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Creates a preconditioner that calls f->pc, or its transpose. A PC of type ksp is a solver of its
 * own, which differs from one application to the next. */
PetscErrorCode gs_petsc_precond(gs_petsc_host *host, gs_petsc_function *f, gsolve_precond **M)
{
    PetscBool both, variable;
    PetscInt n;

    PetscFunctionBegin;
    PetscCall(make_vectors(f));
    PetscCall(VecGetLocalSize(f->in, &n));
    PetscCall(PCApplyTransposeExists(f->pc, &both));
    GSOLVE_CALL(host, gsolve_precond_create_function(M, host->ctx, n, GSOLVE_F64, apply,
                                                     both ? apply_transpose : NULL, f));
    PetscCall(PetscObjectTypeCompare((PetscObject)f->pc, PCKSP, &variable));
    if (variable) GSOLVE_CALL(host, gsolve_precond_set_flags(*M, GSOLVE_FUNCTION_VARIABLE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode gs_petsc_function_clear(gs_petsc_function *f)
{
    PetscFunctionBegin;
    PetscCall(VecDestroy(&f->in));
    PetscCall(VecDestroy(&f->out));
    PetscCall(PetscMemzero(f, sizeof *f));
    PetscFunctionReturn(PETSC_SUCCESS);
}
