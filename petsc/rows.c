/* rows.c: the rows of a matrix of PETSc. */
#include "petsc/plugin.h"

/* Whether A has rows that PETSc can give: a type AIJ, or one that PETSc converts to AIJ. Shells and
 * matrix-free differences have products only, and so has a nest with such a block. */
PetscErrorCode gs_petsc_has_rows(Mat A, PetscBool *has)
{
    PetscBool is_nest, is_transpose;
    PetscInt rows, columns;
    Mat **blocks;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATNEST, &is_nest));
    if (!is_nest) {
        PetscCall(PetscObjectTypeCompare((PetscObject)A, MATIS, has));
        if (!*has) PetscCall(MatHasOperation(A, MATOP_GET_ROW, has));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    *has = PETSC_TRUE;
    PetscCall(MatNestGetSubMats(A, &rows, &columns, &blocks));
    for (PetscInt k = 0; *has && k < rows * columns; k++) {
        Mat block = blocks[k / columns][k % columns];
        if (!block) continue;
        PetscCall(PetscObjectTypeCompare((PetscObject)block, MATTRANSPOSEVIRTUAL, &is_transpose));
        if (is_transpose) PetscCall(MatTransposeGetMat(block, &block));
        PetscCall(gs_petsc_has_rows(block, has));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets *local to the matrix of a type SeqAIJ that has the rows of A, which has one rank. If A has
 * another type, *copy is this matrix. It is made each time: a conversion into an old copy fails, or
 * keeps old values, where the pattern has changed, as by the zeros of a dense matrix. */
static PetscErrorCode find_rows(Mat A, Mat *copy, Mat *local)
{
    PetscBool is_aij, is_parallel;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &is_parallel));
    if (is_parallel) PetscCall(MatGetDiagonalBlock(A, &A)); /* all rows and columns, on one rank */
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &is_aij));
    if (!is_aij) {
        PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, copy));
        A = *copy;
    }
    *local = A;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives a view of the rows of A. */
PetscErrorCode gs_petsc_rows_open(Mat A, gs_petsc_rows *rows)
{
    PetscBool done;
    PetscInt nrows, ncols;

    PetscFunctionBegin;
    rows->copy = NULL;
    PetscCall(find_rows(A, &rows->copy, &rows->mat));
    PetscCall(MatGetSize(rows->mat, &nrows, &ncols));
    PetscCall(MatGetRowIJ(rows->mat, 0, PETSC_FALSE, PETSC_FALSE, &rows->n, &rows->start,
                          &rows->col, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type %s does not give its rows",
               ((PetscObject)rows->mat)->type_name);
    PetscCall(MatSeqAIJGetArrayRead(rows->mat, &rows->value));
    rows->csr = gsolve_csr_view(nrows, rows->start, rows->col, rows->value);
    rows->csr.ncols = ncols;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode gs_petsc_rows_close(gs_petsc_rows *rows)
{
    PetscBool done;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJRestoreArrayRead(rows->mat, &rows->value));
    PetscCall(MatRestoreRowIJ(rows->mat, 0, PETSC_FALSE, PETSC_FALSE, &rows->n, &rows->start,
                              &rows->col, &done));
    PetscCall(MatDestroy(&rows->copy));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The states of a nest are sums over its blocks: a program may change a block alone. */
PetscErrorCode gs_petsc_state_of(Mat A, gs_petsc_state *state)
{
    PetscBool is_nest, is_transpose;
    gs_petsc_state of_block;
    PetscInt rows, columns;
    Mat **blocks;

    PetscFunctionBegin;
    PetscCall(PetscObjectGetId((PetscObject)A, &state->id));
    PetscCall(PetscObjectStateGet((PetscObject)A, &state->values));
    PetscCall(MatGetNonzeroState(A, &state->pattern));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATNEST, &is_nest));
    if (!is_nest) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatNestGetSubMats(A, &rows, &columns, &blocks));
    for (PetscInt k = 0; k < rows * columns; k++) {
        Mat block = blocks[k / columns][k % columns];
        if (!block) continue;
        PetscCall(PetscObjectTypeCompare((PetscObject)block, MATTRANSPOSEVIRTUAL, &is_transpose));
        if (is_transpose) PetscCall(MatTransposeGetMat(block, &block));
        PetscCall(gs_petsc_state_of(block, &of_block));
        state->values += of_block.values;
        state->pattern += of_block.pattern;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}
