/* matrix.c: matrices of gsolve with the rows of a matrix of PETSc, on one rank or on several. */
#include "petsc/plugin.h"

/* --- rows of several ranks ---------------------------------------------------------------- */

/* The rows of this rank in arrays of their own. PETSc keeps them as two matrices: the columns that
 * the rank owns, and those of other ranks, which are numbered 0, 1, ... in ascending order. */
typedef struct rank_rows {
    int64_t *start, *col;
    PetscScalar *value;
    gsolve_dist_csr csr;
} rank_rows;

/* One of the two matrices. */
typedef struct part {
    Mat mat;
    PetscInt n;
    const PetscInt *start, *col;
    const PetscScalar *value;
} part;

static PetscErrorCode open_part(Mat mat, part *p)
{
    PetscBool done;

    PetscFunctionBegin;
    p->mat = mat;
    PetscCall(MatGetRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &p->n, &p->start, &p->col, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type %s does not give its rows",
               ((PetscObject)mat)->type_name);
    PetscCall(MatSeqAIJGetArrayRead(mat, &p->value));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode close_part(part *p)
{
    PetscBool done;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJRestoreArrayRead(p->mat, &p->value));
    PetscCall(
        MatRestoreRowIJ(p->mat, 0, PETSC_FALSE, PETSC_FALSE, &p->n, &p->start, &p->col, &done));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes row i of both matrices from `at` on, in the order of the columns: those of lower ranks,
 * the own ones, which begin at `first`, and those of higher ranks. Returns the end. */
static int64_t put_row(const part *own, const part *other, const PetscInt *ghost, PetscInt i,
                       int64_t first, rank_rows *to, int64_t at)
{
    PetscInt k = other->start[i];

    for (; k < other->start[i + 1] && ghost[other->col[k]] < first; k++) {
        to->col[at] = ghost[other->col[k]];
        to->value[at++] = other->value[k];
    }
    for (PetscInt j = own->start[i]; j < own->start[i + 1]; j++) {
        to->col[at] = first + own->col[j];
        to->value[at++] = own->value[j];
    }
    for (; k < other->start[i + 1]; k++) {
        to->col[at] = ghost[other->col[k]];
        to->value[at++] = other->value[k];
    }
    return at;
}

static PetscErrorCode copy_parts(const part *own, const part *other, const PetscInt *ghost,
                                 PetscInt rows, PetscInt first, rank_rows *to)
{
    const size_t entries = (size_t)own->start[rows] + (size_t)other->start[rows];

    PetscFunctionBegin;
    PetscCall(PetscMalloc3((size_t)rows + 1, &to->start, entries, &to->col, entries, &to->value));
    to->start[0] = 0;
    for (PetscInt i = 0; i < rows; i++) {
        to->start[i + 1] = put_row(own, other, ghost, i, first, to, to->start[i]);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows or columns from `first` to `end` - 1 of `total`. */
static gsolve_row_range range(PetscInt first, PetscInt end, PetscInt total)
{
    return (gsolve_row_range){first, total, end - first};
}

static PetscErrorCode copy_rows(Mat A, rank_rows *to)
{
    PetscInt first, end, first_column, end_column, rows, columns;
    const PetscInt *ghost;
    Mat blocks[2];
    part own, other;

    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &rows, &columns));
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    PetscCall(MatGetOwnershipRangeColumn(A, &first_column, &end_column));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], &ghost));
    PetscCall(open_part(blocks[0], &own));
    PetscCall(open_part(blocks[1], &other));
    PetscCall(copy_parts(&own, &other, ghost, end - first, first_column, to));
    PetscCall(close_part(&other));
    PetscCall(close_part(&own));
    to->csr = (gsolve_dist_csr){.rows = range(first, end, rows),
                                .cols = range(first_column, end_column, columns),
                                .start = to->start,
                                .col = to->col,
                                .value = to->value,
                                .offset = GSOLVE_O64,
                                .type = GSOLVE_F64,
                                .location = GSOLVE_HOST};
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of A, which is converted to AIJ if it has another type. */
static PetscErrorCode open_rank_rows(Mat A, rank_rows *rows)
{
    Mat converted = NULL;
    PetscBool is_aij;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &is_aij));
    if (!is_aij) PetscCall(MatConvert(A, MATMPIAIJ, MAT_INITIAL_MATRIX, &converted));
    PetscCall(copy_rows(converted ? converted : A, rows));
    PetscCall(MatDestroy(&converted));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode close_rank_rows(rank_rows *rows)
{
    PetscFunctionBegin;
    PetscCall(PetscFree3(rows->start, rows->col, rows->value));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- matrices of gsolve ------------------------------------------------------------------- */

/* Creates a matrix with the rows of A. */
PetscErrorCode gs_petsc_matrix_create(const gs_petsc_host *host, Mat A, const char *format,
                                      gsolve_matrix **made)
{
    gsolve_status status;

    PetscFunctionBegin;
    if (host->ranks == 1) {
        gs_petsc_rows rows;
        PetscCall(gs_petsc_rows_open(A, &rows));
        status = gsolve_matrix_create(made, host->ctx, format, &rows.csr);
        PetscCall(gs_petsc_rows_close(&rows));
    } else {
        rank_rows rows;
        PetscCall(open_rank_rows(A, &rows));
        status = gsolve_matrix_create_dist(made, host->ctx, format, &rows.csr);
        PetscCall(close_rank_rows(&rows));
    }
    GSOLVE_CALL(host, status);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* *fits: A has the pattern that `made` has. PETSc does not notice each change of it. */
PetscErrorCode gs_petsc_matrix_update(const gs_petsc_host *host, Mat A, gsolve_matrix *made,
                                      PetscBool *fits)
{
    gsolve_status status;

    PetscFunctionBegin;
    if (host->ranks == 1) {
        gs_petsc_rows rows;
        PetscCall(gs_petsc_rows_open(A, &rows));
        status = gsolve_matrix_update(made, &rows.csr);
        PetscCall(gs_petsc_rows_close(&rows));
    } else {
        rank_rows rows;
        PetscCall(open_rank_rows(A, &rows));
        status = gsolve_matrix_update_dist(made, &rows.csr);
        PetscCall(close_rank_rows(&rows));
    }
    *fits = status == GSOLVE_BAD_MATRIX ? PETSC_FALSE : PETSC_TRUE;
    if (*fits) GSOLVE_CALL(host, status);
    PetscFunctionReturn(PETSC_SUCCESS);
}
