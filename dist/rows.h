/* rows.h: this rank's rows of a distributed matrix (gsolve_dist_csr): checks, and views of them.
 * fetch_rows.h gets rows of other ranks, transpose.h makes the rows of A', and
 * spgemm/distributed/distributed.h multiplies. All functions are local. */
#ifndef GS_DIST_ROWS_H
#define GS_DIST_ROWS_H

#include "dist/column_map.h"
#include "gsolve_dist.h"
#include "matrix/csr.h"

/* Fails with GSOLVE_BAD_ARGUMENT if csr is NULL or has no offsets or an unknown type, and with
 * GSOLVE_UNSUPPORTED if it is not on the host. */
gsolve_status gs_dist_check_view(gsolve_context *ctx, const gsolve_dist_csr *csr);

/* csr with its columns: as the rows, if the caller left them out. */
gsolve_dist_csr gs_dist_complete(const gsolve_dist_csr *csr);

/* *shape = offsets and values of csr; its columns are not set. Fails if the offsets decrease. */
gsolve_status gs_dist_shape(gsolve_csr *shape, gsolve_context *ctx, const gsolve_dist_csr *csr);

/* Fails if a column is out of range or a value not finite. */
gsolve_status gs_dist_check_entries(gsolve_context *ctx, const gsolve_dist_csr *csr,
                                    const gsolve_csr *shape);

/* A hash of the pattern. */
uint64_t gs_dist_pattern(const gsolve_context *ctx, const gsolve_csr *shape, const int64_t *col);

/* Whether the columns ascend strictly in every row. */
bool gs_dist_rows_ascend(const gsolve_dist_csr *csr);

/* *sorted = an owned copy of csr whose columns ascend strictly in every row; duplicates are added
 * in the order of the entries. csr is complete and has been checked. */
gsolve_status gs_dist_sort(gsolve_dist_csr *sorted, gsolve_context *ctx, const gsolve_dist_csr *csr,
                           const gsolve_csr *shape);

/* *C = the offsets of `local` and its columns in the whole matrix, both owned, and a view of its
 * values. local has the columns of map, on the host. On failure there is nothing to free. */
gsolve_status gs_dist_name_columns(gsolve_dist_csr *C, gsolve_context *ctx, const gsolve_csr *local,
                                   const gs_column_map *map, gsolve_row_range rows);

/* The position of the first entry of local row i; i may be rows.count. */
static inline int64_t gs_dist_start(const gsolve_dist_csr *csr, int32_t i)
{
    return csr->offset == GSOLVE_O64 ? ((const int64_t *)csr->start)[i]
                                     : (int64_t)((const int32_t *)csr->start)[i];
}

#endif
