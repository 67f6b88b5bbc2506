/* local_rows.h: a distributed matrix as one rank multiplies it: its own rows and, if they are
 * needed, copies of rows of other ranks, as compressed rows with compact column numbers
 * (column_map.h). These are in the order of the columns, so products of such matrices add and sort
 * the entries as those of the whole matrices. */
#ifndef GS_DIST_LOCAL_ROWS_H
#define GS_DIST_LOCAL_ROWS_H

#include "dist/column_map.h"
#include "dist/fetch_rows.h"

typedef struct gs_local_rows {
    gsolve_csr csr;    /* on the host, owned; its columns are those of map */
    gs_column_map map; /* of the columns of these rows */
    gs_row_fetch *fetch;
    int32_t below; /* the number of fetched rows before the own ones */
} gs_local_rows;

/* *L = the rows of B with the compact numbers of `needed`: own rows, and those of other ranks.
 * needed NULL: only the own rows. B is complete and on the host. Collective. On failure, which is
 * that of all ranks, *L is dropped. */
gsolve_status gs_local_rows_new(gs_local_rows *L, gsolve_context *ctx, const gs_column_map *needed,
                                const gsolve_dist_csr *B);

/* New values. B has the pattern and the type of gs_local_rows_new. Allocates nothing. Collective.
 */
gsolve_status gs_local_rows_update(gs_local_rows *L, gsolve_context *ctx, const gsolve_dist_csr *B);

void gs_local_rows_drop(gs_local_rows *L, gsolve_context *ctx);

#endif
