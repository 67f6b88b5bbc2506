/* distributed.h: what a matrix handle whose rows are distributed over ranks holds besides.
 *
 * The handle's own rows are the interior matrix: this rank's rows, of which the boundary rows are
 * empty, with the columns that this rank owns. It has a form in the handle's format. A boundary row
 * has a ghost column, one that another rank owns. The boundary matrix holds the boundary rows
 * alone. So each row is in one of the two, and its entries are added in one sum, in the order of
 * the columns of the whole matrix. */
#ifndef GS_SPMV_DISTRIBUTED_DISTRIBUTED_H
#define GS_SPMV_DISTRIBUTED_DISTRIBUTED_H

#include "dist/halo.h"
#include "spmv/handle.h"

typedef struct gs_dist_matrix {
    gsolve_row_range rows, cols;
    gs_ownership owner; /* of the columns */
    gs_column_map map;
    gs_halo halo;
    int32_t boundary_rows;
    int32_t *boundary_row; /* their numbers in this rank, ascending */
    /* The boundary rows. Column c below cols.count is the own column c, and column cols.count + g
     * is ghost column g. The entries of a row are in the order of the columns of the whole matrix.
     */
    gsolve_csr boundary;
    /* Both where kernels read them: the arrays above, or copies. */
    gsolve_csr boundary_there;
    int32_t *boundary_row_there;
    /* On a GPU, made when first needed: the rows of boundary' that have entries, and
     * the numbers of these rows. Its columns are local rows. */
    gsolve_csr back;
    int32_t *back_row;
    int64_t total_entries; /* of all ranks */
    bool square;           /* on each rank `rows` and `cols` are equal */
    int64_t given;         /* number of the caller's entries on this rank */
    uint64_t given_pattern;
    int64_t *destination;   /* for each of them, the entry of the sorted rows that it is added to;
                               NULL: they were sorted */
    gsolve_csr block;       /* the diagonal block, made when first needed */
    gsolve_csr block_there; /* its copy on a device, made when first needed */
    /* The widest rows of x, in bytes, of products that have succeeded on all ranks; of A and of A';
     * by the layout of x. Wider ones may need memory. */
    size_t multiplied[2][2];
} gs_dist_matrix;

/* Inner products that a product y = A x computes as well: w'y and, unless it is NULL, y'y of each
 * column. On entry they have the terms of the interior rows. */
typedef struct gs_dist_dots {
    gsolve_dense w;
    double *wy, *yy;
} gs_dist_dots;

/* Products with the boundary rows; D has some. The halo of D has the elements of x for ghost
 * columns. On a GPU they are submitted to q. */
typedef struct gs_boundary_kernels {
    /* y = alpha A x + y in the boundary rows; beta is 0: y = alpha A x. dots may be NULL. */
    gsolve_status (*multiply)(gs_queue *q, const gs_dist_matrix *D, double alpha,
                              const gsolve_dense *x, double beta, const gsolve_dense *y,
                              const gs_dist_dots *dots);
    /* y += alpha A'x for the own columns of the boundary rows; halo.in.buffer = alpha A'x for the
     * ghost columns. On a GPU D->back exists. */
    gsolve_status (*transposed)(gs_queue *q, const gs_dist_matrix *D, double alpha,
                                const gsolve_dense *x, const gsolve_dense *y);
} gs_boundary_kernels;

extern const gs_boundary_kernels gs_boundary_host[GSOLVE_TYPE_COUNT],
    gs_boundary_cuda[GSOLVE_TYPE_COUNT];

/* --- split.c: from sorted rows with compact column numbers to both matrices, and back --------- */

/* Makes *interior and the boundary rows of D. csr: the rows, with the compact columns of D->map. */
gsolve_status gs_dist_split(gs_dist_matrix *D, gsolve_context *ctx, const gsolve_csr *csr,
                            gsolve_csr *interior);

/* Writes the values of the sorted rows to both matrices. */
void gs_dist_split_values(gs_dist_matrix *D, const gsolve_context *ctx, const gsolve_csr *interior,
                          const void *value);

/* The entries of local row i, in the order of the columns: *from is the interior or the boundary
 * matrix, of which they are begin to end - 1. next: the number of boundary rows before row i. */
typedef struct gs_dist_row {
    const gsolve_csr *from;
    int64_t begin, end;
    bool boundary;
} gs_dist_row;

static inline gs_dist_row gs_dist_row_of(const gs_dist_matrix *D, const gsolve_csr *interior,
                                         int32_t i, int32_t next)
{
    const bool boundary = next < D->boundary_rows && D->boundary_row[next] == i;
    const gsolve_csr *from = boundary ? &D->boundary : interior;
    const int32_t row = boundary ? next : i;

    return (gs_dist_row){from, gs_start(from, row), gs_start(from, row + 1), boundary};
}

/* The number of boundary rows before row i. */
int32_t gs_dist_boundary_before(const gs_dist_matrix *D, int32_t i);

/* The column of the whole matrix. col: of the boundary matrix, or of the interior matrix. */
static inline int64_t gs_dist_global_column(const gs_dist_matrix *D, int32_t col)
{
    return col < D->cols.count ? D->cols.first + col : D->map.ghost[col - D->cols.count];
}

/* --- block.c: the diagonal block -------------------------------------------------------------- */

/* Makes A->dist->block: the rank's rows and, of them, the columns that it owns. Not collective. */
gsolve_status gs_dist_need_block(const gsolve_matrix *A);
/* Frees it, unless `keep`. */
void gs_dist_release_block(const gsolve_matrix *A, bool keep);

/* *block = the diagonal block where kernels read it; without arrays if there is no memory. */
void gs_dist_block_there(const gsolve_matrix *A, gsolve_csr *block);

/* --- boundary.c: the boundary rows where kernels read them ------------------------------------ */

/* Copies the boundary rows to the device, if that has memory of its own. */
gsolve_status gs_dist_move_boundary(gs_dist_matrix *D, gsolve_context *ctx);
/* Copies the new values of the boundary rows. */
gsolve_status gs_dist_renew_boundary(gs_dist_matrix *D, gsolve_context *ctx);
/* Makes D->back, on a GPU. */
gsolve_status gs_dist_need_back(gs_dist_matrix *D, gsolve_context *ctx);
/* Frees all of it. */
void gs_dist_drop_boundary(gs_dist_matrix *D, gsolve_context *ctx);

/* --- product.c -------------------------------------------------------------------------------- */

/* A product y = alpha A x + beta y of several ranks: begin; the product with the interior matrix;
 * end. All ranks call both, even if a product failed. interior: the status of that product, which
 * end returns if it is not GSOLVE_OK. beta is not 0: y holds beta y in the boundary rows. dots:
 * NULL, or the sums of this rank, which end completes. */
gsolve_status gs_dist_begin(const gsolve_matrix *A, gsolve_dense x);
gsolve_status gs_dist_end(const gsolve_matrix *A, double alpha, gsolve_dense x, double beta,
                          gsolve_dense y, const gs_dist_dots *dots, gsolve_status interior);

/* After the product with the transposed interior matrix: y += alpha A'x for the boundary rows. */
gsolve_status gs_dist_transposed(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                 gsolve_dense y, gsolve_status interior);

/* Returns the status of a product with A or A'. It is that of the lowest rank that failed if the
 * caller of the library asked for the product: the layouts and locations of its vectors may differ
 * from rank to rank, and so may the memory that they need. Within a method only the first product
 * of its kind needs memory, and the others agree on nothing. */
gsolve_status gs_dist_agree(const gsolve_matrix *A, bool transposed, gsolve_dense x,
                            gsolve_status product);

/* Adds these sums of all ranks. Fails on all ranks if the product failed on one; `product` is its
 * status on this rank. */
gsolve_status gs_dist_sums(const gsolve_matrix *A, int32_t ncols, double *wy, double *yy,
                           gsolve_status product);

/* Joins the messages of a product that this rank cannot make, for the reason `failed`, and returns
 * that. The other ranks get elements without a meaning. */
gsolve_status gs_dist_join(const gsolve_matrix *A, bool transposed, gsolve_dense x,
                           gsolve_status failed);

/* --- statistics.c ----------------------------------------------------------------------------- */

/* The statistics of the whole matrix; collective. */
gsolve_status gs_dist_need_statistics(const gsolve_matrix *A);

#endif
