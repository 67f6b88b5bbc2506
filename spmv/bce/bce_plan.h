/* bce_plan.h: what bce does with rows of given lengths: into which blocks they go, how many lanes
 * share a row of each, and what that will store. */
#ifndef GS_SPMV_BCE_BCE_PLAN_H
#define GS_SPMV_BCE_BCE_PLAN_H

#include "spmv/bce/bce_places.h"

typedef struct gs_bce_options {
    int blocks, cost, window, index, value;
} gs_bce_options;

typedef struct gs_bce_plan {
    gs_bce_model model;
    gs_bce_partition best;
    gs_bce_places places;
    int32_t lanes[GS_BCE_MOST_BLOCKS]; /* to a row; by block, the widest first */
} gs_bce_plan;

/* rows[m]: rows of m entries of csr, m = 0 to GS_BCE_LONGEST; of csr itself shape and type alone
 * are looked at. */
void gs_bce_make_plan(gs_bce_plan *p, const gs_bce_options *o, const gsolve_csr *csr,
                      const int32_t *rows, bool gpu);

/* Whether it may pay to leave rows in their order: then gs_bce_keep_order is to be told what slices
 * of model.lanes rows as they come would store. It makes one block of all if that costs less: such
 * slices are as wide as their own longest row, not as the block's. */
bool gs_bce_may_keep_order(const gs_bce_plan *p, int32_t nrows);
void gs_bce_keep_order(gs_bce_plan *p, int32_t nrows, double stored);

/* What slices take of the rows of csr, which lies on the host. */
typedef struct gs_bce_stored {
    int64_t slices, columns; /* columns of all slices, of model.lanes entries each */
} gs_bce_stored;

gs_bce_stored gs_bce_estimate_stored(const gs_bce_plan *p, const gsolve_csr *csr);

#endif
