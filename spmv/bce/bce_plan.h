/* bce_plan.h: the plan of bce for rows of given lengths: the blocks, the lanes per row in each
 * block, and the size of the result. */
#ifndef GS_SPMV_BCE_BCE_PLAN_H
#define GS_SPMV_BCE_BCE_PLAN_H

#include "spmv/bce/bce_places.h"

typedef struct gs_bce_options {
    int blocks, cost, window, index, value;
} gs_bce_options;

typedef struct gs_bce_plan {
    gs_bce_model model;
    gs_bce_partition best;
    gs_bce_places positions;
    int32_t lanes[GS_BCE_MOST_BLOCKS]; /* per row; by block, the widest first */
} gs_bce_plan;

/* rows[m] = number of rows of m entries of csr, m = 0 to GS_BCE_LONGEST. Of csr, only the shape and
 * the type are read. */
void gs_bce_make_plan(gs_bce_plan *p, const gs_bce_options *o, const gsolve_csr *csr,
                      const int32_t *rows, bool gpu);

/* Whether it may pay to keep the rows in their order. If so, call gs_bce_keep_order with the stored
 * entries of slices of model.lanes rows in their order. It chooses one block of all rows if that
 * costs less: such a slice is as wide as its own longest row, not as its block. */
bool gs_bce_may_keep_order(const gs_bce_plan *p, int32_t nrows);
void gs_bce_keep_order(gs_bce_plan *p, int32_t nrows, double stored);

/* The size of the slices for the rows of csr, which lies on the host. */
typedef struct gs_bce_stored {
    int64_t slices, columns; /* columns of all slices, with model.lanes entries each */
} gs_bce_stored;

gs_bce_stored gs_bce_estimate_stored(const gs_bce_plan *p, const gsolve_csr *csr);

#endif
