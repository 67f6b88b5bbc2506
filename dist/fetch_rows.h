/* fetch_rows.h: copies of rows of a distributed matrix that other ranks own. */
#ifndef GS_DIST_FETCH_ROWS_H
#define GS_DIST_FETCH_ROWS_H

#include "dist/row_range.h"
#include "dist/rows.h"

typedef struct gs_row_fetch gs_row_fetch;

typedef struct gs_fetched_rows { /* a view */
    int64_t count;
    const int64_t *start; /* count + 1 offsets; the first is 0 */
    const int64_t *col;   /* as in B, in the same order */
    const void *value;
    gsolve_type type;
} gs_fetched_rows;

/* Fetches `count` rows of B. row: their numbers in the whole matrix, strictly ascending; other
 * ranks own them. owner: of the rows of B. B is on the host, and its type is that of all ranks.
 * Collective: a rank may fetch no rows, but gives its rows to others. On failure, which is that of
 * all ranks, *F is NULL. */
gsolve_status gs_row_fetch_new(gs_row_fetch **F, gsolve_context *ctx, const gs_ownership *owner,
                               int64_t count, const int64_t *row, const gsolve_dist_csr *B);

/* The fetched rows in the order of `row`. Valid until F is dropped. */
gs_fetched_rows gs_row_fetch_rows(const gs_row_fetch *F);

/* Fetches the values again. B has the pattern and the type of gs_row_fetch_new. Allocates nothing.
 * Collective. */
gsolve_status gs_row_fetch_update(gs_row_fetch *F, gsolve_context *ctx, const gsolve_dist_csr *B);

void gs_row_fetch_drop(gs_row_fetch **F, gsolve_context *ctx);

#endif
