/* row_range.h: which rank owns a row, or an element of a distributed vector. */
#ifndef GS_DIST_ROW_RANGE_H
#define GS_DIST_ROW_RANGE_H

#include "dist/comm.h"

/* Rank r owns the rows first[r] to first[r + 1] - 1. */
typedef struct gs_ownership {
    int ranks;
    int64_t *first; /* ranks + 1 numbers */
} gs_ownership;

/* *o = the row ranges of all ranks; `range` is that of this rank. Fails on all ranks, with
 * GSOLVE_BAD_ARGUMENT, unless they follow one another and together are all rows. what: "rows", for
 * the sentence. Collective. */
gsolve_status gs_ownership_new(gs_ownership *o, gsolve_context *ctx, const gsolve_row_range *range,
                               const char *what);
void gs_ownership_drop(gs_ownership *o, gsolve_context *ctx);

/* The rank that owns the row. */
int gs_owner(const gs_ownership *o, int64_t row);

#endif
