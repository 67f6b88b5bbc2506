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
    int64_t total_entries; /* of all ranks */
    bool square;           /* on each rank `rows` and `cols` are equal */
    int64_t given;         /* number of the caller's entries on this rank */
    uint64_t given_pattern;
    int64_t *destination; /* for each of them, the entry of the sorted rows that it is added to;
                             NULL: they were sorted */
    gsolve_csr block;     /* the diagonal block, made when first needed */
    /* The widest rows of x, in bytes, of products that have succeeded on all ranks; of A and of A';
     * by the layout of x. Wider ones may need memory. */
    size_t multiplied[2][2];
} gs_dist_matrix;

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

/* --- product.c -------------------------------------------------------------------------------- */

/* A product y = alpha A x + beta y of several ranks: begin; the product with the interior matrix;
 * end. All ranks call both, even if a product failed. interior: the status of that product, which
 * end returns if it is not GSOLVE_OK. beta is not 0: y holds beta y in the boundary rows. */
gsolve_status gs_dist_begin(const gsolve_matrix *A, gsolve_dense x);
gsolve_status gs_dist_end(const gsolve_matrix *A, double alpha, gsolve_dense x, double beta,
                          gsolve_dense y, gsolve_status interior);

/* After the product with the transposed interior matrix: y += alpha A'x for the boundary rows. */
gsolve_status gs_dist_transposed(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                 gsolve_dense y, gsolve_status interior);

/* Returns the status of a product with A or A', on all ranks that of the lowest one that failed if
 * the product is the first of its kind. Others need no memory, so they agree on nothing. */
gsolve_status gs_dist_agree(const gsolve_matrix *A, bool transposed, gsolve_dense x,
                            gsolve_status product);

/* Adds the sums over the boundary rows to wy and yy, which have those over all other rows, and then
 * the sums of the other ranks. yy may be NULL. Fails on all ranks if the product failed on one. */
gsolve_status gs_dist_sums(const gsolve_matrix *A, gsolve_dense y, gsolve_dense w, double *wy,
                           double *yy, gsolve_status product);

/* --- statistics.c ----------------------------------------------------------------------------- */

/* The statistics of the whole matrix; collective. */
gsolve_status gs_dist_need_statistics(const gsolve_matrix *A);

#endif
