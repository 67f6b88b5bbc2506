/* grouped.h: R A P where rows of R come in groups with the same columns, as in multigrid with
 * several near-null vectors. The rows of a group are computed together: a column number is looked
 * up once for all of them, and their sums stand side by side in a vector. Where columns of A or P
 * come in runs, one number is looked up for a run. The order of the sums is that of single rows. */
#ifndef GS_SPGEMM_GALERKIN_GROUPED_H
#define GS_SPGEMM_GALERKIN_GROUPED_H

#include "spgemm/row_sums.h"

#define GS_MAX_GROUP 8

typedef struct gs_grouping {
    int32_t rows;         /* of R in a group; 1: there are no groups */
    int32_t run_a, run_p; /* columns of A and of P that are consecutive, from a multiple on */
    int32_t longest;      /* a bound of the columns of R A in a group */
} gs_grouping;

/* R, A and P are on the host; their columns ascend strictly in every row. */
gs_grouping gs_find_grouping(const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                             int threads);

/* Sums beside each other for each column: G's rows, and 0 or more that are not used. */
static inline int32_t gs_group_lanes(const gs_grouping *G)
{
    return G->rows <= GS_MAX_GROUP / 2 ? GS_MAX_GROUP / 2 : GS_MAX_GROUP;
}

typedef struct gs_grouped_kernels {
    /* *c = the rows i, i + 1, ... of R A P by way of *ra, those of R A. The lists have the first
     * columns of runs. Returns the number of products. */
    int64_t (*sum)(const gs_grouping *G, gs_row_sums *ra, gs_row_sums *c, const gsolve_csr *R,
                   const gsolve_csr *A, const gsolve_csr *P, int32_t i);
    /* The values of these rows, each of `length` entries one after another. col: the columns of
     * one row, ascending. */
    void (*put)(const gs_grouping *G, const gs_row_sums *c, const int32_t *col, int32_t length,
                void *value);
} gs_grouped_kernels;

extern const gs_grouped_kernels GS_HOST_TABLES(gs_grouped);

#endif
